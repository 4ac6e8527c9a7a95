// Instructions of a tensor and a scalar (API reference 5.6) and Axpy (5.7).
// The forms with free operand types are in vector_free.h.
#ifndef ASCENDC_CPU_VECTOR_SCALAR_H
#define ASCENDC_CPU_VECTOR_SCALAR_H

#include "vector_family.h"
#include "vector_ops.h"

namespace AscendC {
namespace cpu::vec {

template <typename Op, typename T>
Bound<Op, num::Wide<T>> Bind(const T& scalar)
{
    return {static_cast<num::Wide<T>>(scalar)};
}

template <typename Op, typename T>
void ScalarCount(LT<T> dst, LT<T> src, const T& scalar, int64_t count)
{
    CheckDtype<Op, T>();
    Run(Bind<Op>(scalar), dst, count, src);
}

template <typename Op, bool isSetMask, typename T, typename M>
void ScalarStrided(LT<T> dst, LT<T> src, const T& scalar, M mask, uint8_t repeat, const UnaryRepeatParams& p)
{
    CheckStridedDtype<Op, T>();
    RunStrided(Bind<Op>(scalar), MakeLanes<T, isSetMask>(mask, repeat), Strided<T>{dst, {p.dstBlkStride, p.dstRepStride}},
               Strided<T>{src, {p.srcBlkStride, p.srcRepStride}});
}

template <bool isSetMask, typename T, typename M>
void ShiftRightStrided(LT<T> dst, LT<T> src, const T& scalar, M mask, uint8_t repeat, const UnaryRepeatParams& p, bool roundEn)
{
    if constexpr (ShiftRightRoundOp::kTypes.Has(kTypeOf<T>)) {
        if (roundEn) {
            ScalarStrided<ShiftRightRoundOp, isSetMask>(dst, src, scalar, mask, repeat, p);
            return;
        }
    } else if (kChecked && roundEn) {
        Fault("argument", "ShiftRight: roundEn exists for int16_t and int32_t only");
    }
    ScalarStrided<ShiftRightOp, isSetMask>(dst, src, scalar, mask, repeat, p);
}

// ---- Axpy: dst = src * scalar + dst ----------------------------------------------------------------------------------

template <typename T, typename U>
inline constexpr bool kAxpyLegal =
    AxpyOp<T>::kTypes.Has(kTypeOf<T>) && (std::is_same_v<T, U> || (kTypeOf<T> == kFloat && kTypeOf<U> == kHalf));

template <typename T, typename U>
void AxpyCount(LT<T> dst, LT<U> src, const U& scalar, int64_t count)
{
    CheckDtypes<AxpyOp<T>, T, U, kAxpyLegal<T, U>>();
    Run(AxpyOp<T>{static_cast<num::Wide<T>>(scalar)}, dst, count, src, dst);
}

template <bool isSetMask, typename T, typename U, typename M>
void AxpyStrided(LT<T> dst, LT<U> src, const U& scalar, M mask, uint8_t repeat, const UnaryRepeatParams& p)
{
    CheckDtypes<AxpyOp<T>, T, U, kAxpyLegal<T, U>>();
    const Strided<T> target{dst, {p.dstBlkStride, p.dstRepStride}};
    RunStrided(AxpyOp<T>{static_cast<num::Wide<T>>(scalar)}, MakeLanes<T, isSetMask>(mask, repeat), target,
               Strided<U>{src, {p.srcBlkStride, p.srcRepStride}}, target);
}

// The overloads <T, U> exist for tensors whose type carries a layout: U is the element type of T.
template <typename T, typename U>
using IfElement = std::enable_if_t<std::is_same_v<PrimT<T>, U>, bool>;

}  // namespace cpu::vec

template <typename T, bool isSetMask = true>
void Adds(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::AddsOp>(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Adds(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::AddsOp>(dst, src, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void Adds(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::AddsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Adds(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::AddsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Adds(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::AddsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Adds(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::AddsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}

template <typename T, bool isSetMask = true>
void Muls(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::MulsOp>(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Muls(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::MulsOp>(dst, src, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void Muls(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MulsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Muls(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MulsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Muls(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MulsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Muls(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MulsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}

template <typename T, bool isSetMask = true>
void Maxs(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::MaxsOp>(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Maxs(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::MaxsOp>(dst, src, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void Maxs(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MaxsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Maxs(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MaxsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Maxs(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MaxsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Maxs(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MaxsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}

template <typename T, bool isSetMask = true>
void Mins(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::MinsOp>(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Mins(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::MinsOp>(dst, src, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void Mins(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MinsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Mins(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MinsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Mins(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MinsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void Mins(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::MinsOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}

template <typename T, bool isSetMask = true>
void LeakyRelu(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::LeakyReluOp>(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void LeakyRelu(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::LeakyReluOp>(dst, src, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void LeakyRelu(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::LeakyReluOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void LeakyRelu(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::LeakyReluOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void LeakyRelu(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::LeakyReluOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void LeakyRelu(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::LeakyReluOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}

template <typename T, bool isSetMask = true>
void ShiftLeft(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::ShiftLeftOp>(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void ShiftLeft(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::ShiftLeftOp>(dst, src, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void ShiftLeft(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::ShiftLeftOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void ShiftLeft(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::ShiftLeftOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void ShiftLeft(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::ShiftLeftOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void ShiftLeft(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams)
{
    cpu::vec::ScalarStrided<cpu::vec::ShiftLeftOp, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}

template <typename T, bool isSetMask = true>
void ShiftRight(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::ShiftRightOp>(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void ShiftRight(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::ScalarCount<cpu::vec::ShiftRightOp>(dst, src, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void ShiftRight(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams, bool roundEn = false)
{
    cpu::vec::ShiftRightStrided<isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams, roundEn);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void ShiftRight(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams, bool roundEn)
{
    cpu::vec::ShiftRightStrided<isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams, roundEn);
}
template <typename T, bool isSetMask = true>
void ShiftRight(cpu::LT<T> dst, cpu::LT<T> src, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams, bool roundEn = false)
{
    cpu::vec::ShiftRightStrided<isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams, roundEn);
}
template <typename T, typename U, bool isSetMask = true, cpu::vec::IfElement<T, U> = true>
void ShiftRight(cpu::LT<T> dst, cpu::LT<T> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams, bool roundEn)
{
    cpu::vec::ShiftRightStrided<isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams, roundEn);
}

template <typename T, typename U>
void Axpy(cpu::LT<T> dst, cpu::LT<U> src, const U& scalarValue, const int32_t& count)
{
    cpu::vec::AxpyCount(dst, src, scalarValue, count);
}
template <typename T, typename U, bool isSetMask = true>
void Axpy(cpu::LT<T> dst, cpu::LT<U> src, const U& scalarValue, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::AxpyStrided<isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Axpy(cpu::LT<T> dst, cpu::LT<U> src, const U& scalarValue, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::AxpyStrided<isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams);
}

}  // namespace AscendC

#include "vector_free.h"

#endif
