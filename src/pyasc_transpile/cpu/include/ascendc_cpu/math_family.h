// How the functions of the advanced API run: with or without a work buffer, on tensors and numbers.
//
// Accuracy is not documented; here every result is the exact value rounded once, whatever algorithm a Config selects.
#ifndef ASCENDC_CPU_MATH_FAMILY_H
#define ASCENDC_CPU_MATH_FAMILY_H

#include "math_ops.h"
#include "vector_family.h"

namespace AscendC::cpu::vec {

// A work buffer of at least `least` bytes is written with nothing of value.
inline void UseWorkspace(const char* name, LT<uint8_t> tmp, uint32_t least = 0)
{
    if constexpr (kChecked) {
        Instruction(name, PIPE_V).WritesElements(tmp, tmp.GetSize() < least ? least : tmp.GetSize()).Untracked();
        SetDefined(tmp.Data(), tmp.GetSize(), false);
    }
}

template <typename Op, typename T>
void MathUnary(LT<T> dst, LT<T> src, uint32_t count)
{
    CheckDtype<Op, T>();
    Run(Op{}, dst, count, src);
    if constexpr (kChecked && __NPU_ARCH__ == 2201 && std::is_base_of_v<EndsWithBarrier, Op>) {
        trace::Barrier(PIPE_V);
    }
}
template <typename Op, typename T>
void MathUnary(LT<T> dst, LT<T> src, LT<uint8_t> tmp, uint32_t count)
{
    UseWorkspace(Op::kName, tmp, ONE_REPEAT_BYTE_SIZE * (sizeof(T) == sizeof(half) ? Op::kHalfWork : Op::kFloatWork));
    MathUnary<Op>(dst, src, count);
}

template <typename Op, typename T>
void MathBinary(LT<T> dst, LT<T> src0, LT<T> src1, uint32_t count)
{
    CheckDtype<Op, T>();
    Run(Op{}, dst, count, src0, src1);
}
template <typename Op, typename T>
void MathBinary(LT<T> dst, LT<T> src0, LT<T> src1, LT<uint8_t> tmp, uint32_t count)
{
    UseWorkspace(Op::kName, tmp);
    MathBinary<Op>(dst, src0, src1, count);
}

// kFirst: the number is the first operand.
template <typename Op, bool kFirst, typename T>
void MathNumber(LT<T> dst, LT<T> src, const T& number, uint32_t count)
{
    CheckDtype<Op, T>();
    Run(Bound<Op, num::Wide<T>, kFirst>{static_cast<num::Wide<T>>(number)}, dst, count, src);
}
template <typename Op, bool kFirst, typename T>
void MathNumber(LT<T> dst, LT<T> src, const T& number, LT<uint8_t> tmp, uint32_t count)
{
    UseWorkspace(Op::kName, tmp);
    MathNumber<Op, kFirst>(dst, src, number, count);
}

}  // namespace AscendC::cpu::vec

#endif
