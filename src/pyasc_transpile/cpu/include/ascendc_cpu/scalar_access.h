// Single elements read and written by the scalar unit: GetValue, SetValue and tensor(i).
#ifndef ASCENDC_CPU_SCALAR_ACCESS_H
#define ASCENDC_CPU_SCALAR_ACCESS_H

#include "extent.h"
#include "instruction.h"

namespace AscendC::cpu {

template <typename T, typename Tensor>
T ScalarRead(const char* name, const Tensor& tensor, uint64_t index)
{
    if constexpr (kChecked) {
        Instruction(name, PIPE_S).ReadsScalar(tensor, index).Untracked();
    }
    return tensor.Data()[index];
}

template <typename T, typename Tensor>
void ScalarWrite(const char* name, const Tensor& tensor, uint64_t index, T value)
{
    if constexpr (kChecked) {
        Instruction(name, PIPE_S).WritesScalar(tensor, index).Defines();
    }
    tensor.Data()[index] = value;
}

// In the checked build tensor(i) must know whether it is read or written, so it is not a plain reference there.
template <typename T, typename Tensor>
class CheckedReference {
public:
    CheckedReference(const Tensor& tensor, uint64_t index) : tensor_(tensor), index_(index) {}
    operator T() const { return ScalarRead<T>("operator()", tensor_, index_); }
    CheckedReference& operator=(T value)
    {
        ScalarWrite<T>("operator()", tensor_, index_, value);
        return *this;
    }
    CheckedReference& operator=(const CheckedReference& other) { return *this = static_cast<T>(other); }
    CheckedReference& operator+=(T value) { return *this = static_cast<T>(static_cast<T>(*this) + value); }
    CheckedReference& operator-=(T value) { return *this = static_cast<T>(static_cast<T>(*this) - value); }
    CheckedReference& operator*=(T value) { return *this = static_cast<T>(static_cast<T>(*this) * value); }
    CheckedReference& operator/=(T value) { return *this = static_cast<T>(static_cast<T>(*this) / value); }

private:
    Tensor tensor_;
    uint64_t index_;
};

template <typename T, typename Tensor>
using ScalarReference = std::conditional_t<kChecked, CheckedReference<T, Tensor>, T&>;

template <typename T, typename Tensor>
ScalarReference<T, Tensor> ReferTo(const Tensor& tensor, uint64_t index)
{
    if constexpr (kChecked) {
        return CheckedReference<T, Tensor>(tensor, index);
    } else {
        return tensor.Data()[index];
    }
}

}  // namespace AscendC::cpu

#endif
