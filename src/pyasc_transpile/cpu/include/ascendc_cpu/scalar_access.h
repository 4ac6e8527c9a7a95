// Single elements read and written by the scalar unit: GetValue, SetValue and tensor(i).
#ifndef ASCENDC_CPU_SCALAR_ACCESS_H
#define ASCENDC_CPU_SCALAR_ACCESS_H

#include "extent.h"
#include "instruction.h"

namespace AscendC::cpu {

template <typename T, typename Tensor>
T ScalarRead(const char* name, const Tensor& tensor, uint64_t index)
{
    if constexpr (kFollowed) {
        Instruction(name, PIPE_S).ReadsScalar(tensor, index).Untracked();
    }
    return tensor.Data()[index];
}

template <typename T, typename Tensor>
void ScalarWrite(const char* name, const Tensor& tensor, uint64_t index, T value)
{
    if constexpr (kFollowed) {
        Instruction(name, PIPE_S).WritesScalar(tensor, index).Defines();
    }
    tensor.Data()[index] = value;
}

// In the checked and the timed build tensor(i) must know whether it is read or written, so it is not a plain reference there.
template <typename T, typename Tensor>
class FollowedReference {
public:
    FollowedReference(const Tensor& tensor, uint64_t index) : tensor_(tensor), index_(index) {}
    operator T() const { return ScalarRead<T>("operator()", tensor_, index_); }
    FollowedReference& operator=(T value)
    {
        ScalarWrite<T>("operator()", tensor_, index_, value);
        return *this;
    }
    FollowedReference& operator=(const FollowedReference& other) { return *this = static_cast<T>(other); }
    FollowedReference& operator+=(T value) { return *this = static_cast<T>(static_cast<T>(*this) + value); }
    FollowedReference& operator-=(T value) { return *this = static_cast<T>(static_cast<T>(*this) - value); }
    FollowedReference& operator*=(T value) { return *this = static_cast<T>(static_cast<T>(*this) * value); }
    FollowedReference& operator/=(T value) { return *this = static_cast<T>(static_cast<T>(*this) / value); }

private:
    Tensor tensor_;
    uint64_t index_;
};

template <typename T, typename Tensor>
using ScalarReference = std::conditional_t<kFollowed, FollowedReference<T, Tensor>, T&>;

template <typename T, typename Tensor>
ScalarReference<T, Tensor> ReferTo(const Tensor& tensor, uint64_t index)
{
    if constexpr (kFollowed) {
        return FollowedReference<T, Tensor>(tensor, index);
    } else {
        return tensor.Data()[index];
    }
}

}  // namespace AscendC::cpu

#endif
