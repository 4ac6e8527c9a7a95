// What the register_*.cpp tests share: inputs of many registers, instructions run on them under masks of all lengths.
#ifndef REGISTER_TEST_H
#define REGISTER_TEST_H

#include "vector_test.h"

using namespace AscendC::Reg;

template <typename T>
inline constexpr uint32_t kLanesOf = RegTensor<T>::kLanes;

template <typename T>
inline T* Address(const LocalTensor<T>& tensor)
{
    return reinterpret_cast<T*>(tensor.GetPhyAddr());
}

template <typename T>
inline T Zero()
{
    return Nearest<T>(0);
}

// An instruction, with its destination first. (Not a template argument: there are hundreds of them.)
template <typename T>
using Instruction3 = std::function<void(RegTensor<T>&, RegTensor<T>&, RegTensor<T>&, MaskReg&)>;

// Calls run(dst, a, b, mask) on registers with `a`, `b` and old values, the first `active` lanes switched on; the result of
// all registers.
template <typename T>
inline std::vector<T> OnRegisters(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& old, uint32_t active,
                                  const Instruction3<T>& run)
{
    const uint32_t lanes = kLanesOf<T>;
    const uint32_t count = static_cast<uint32_t>(a.size());
    Ub ub;
    const auto x = ub.Put(a);
    const auto y = ub.Put(b);
    const auto d = ub.Put(old);
    __VEC_SCOPE__
    {
        RegTensor<T> first, second, result;
        MaskReg all = CreateMask<T>();
        for (uint32_t i = 0; i < count; i += lanes) {
            uint32_t left = active;
            MaskReg mask = UpdateMask<T>(left);
            LoadAlign(first, Address(x) + i);
            LoadAlign(second, Address(y) + i);
            LoadAlign(result, Address(d) + i);
            run(result, first, second, mask);
            StoreAlign(Address(d) + i, result, all);
        }
    }
    return Take(d, count);
}

enum class Rest { Zero, Old };

// The lanes that are switched on must be expect(a, b, old), the others 0 or what they were.
template <typename T>
inline void TestLanes(const char* name, const std::function<T(T, T, T)>& expect, const Instruction3<T>& run,
                      Rest rest = Rest::Zero)
{
    const size_t lanes = kLanesOf<T>;
    const size_t count = lanes * (2048 / lanes);
    const auto a = Inputs<T>(count);
    const auto b = Inputs<T>(count, 1);
    std::vector<T> old = Inputs<T>(count, 1);
    std::reverse(old.begin(), old.end());
    for (size_t active : {size_t{0}, size_t{1}, lanes / 2 + 3, lanes - 1, lanes, lanes + 9}) {
        std::vector<T> wanted;
        for (size_t i = 0; i < count; ++i) {
            const T outside = rest == Rest::Zero ? Zero<T>() : old[i];
            wanted.push_back(i % lanes < active ? expect(a[i], b[i], old[i]) : outside);
        }
        Expect(std::string(name) + " of " + std::to_string(active), OnRegisters(a, b, old, static_cast<uint32_t>(active), run),
               wanted);
    }
}

template <typename T>
inline std::vector<T> Counting(size_t count)
{
    std::vector<T> values;
    for (size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<T>(i % 113 * 5 + 1));
    }
    return values;
}

template <typename T>
inline std::vector<T> Lanes(const std::function<T(size_t)>& lane)
{
    std::vector<T> values;
    for (size_t i = 0; i < kLanesOf<T>; ++i) {
        values.push_back(lane(i));
    }
    return values;
}

#endif
