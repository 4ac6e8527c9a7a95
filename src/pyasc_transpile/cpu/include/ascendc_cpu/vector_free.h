// Instructions of a tensor and a scalar with free operand types (API reference 5.6, c310): either source may be a number, or a
// tensor of which element 0 is the number; BinaryConfig says which when both are tensors.
#ifndef ASCENDC_CPU_VECTOR_FREE_H
#define ASCENDC_CPU_VECTOR_FREE_H

#include "vector_family.h"
#include "vector_ops.h"

namespace AscendC {
namespace cpu::vec {

template <int8_t kScalarIndex, typename S, typename V>
inline constexpr bool kFirstIsScalar = !kIsTensor<S> || (kIsTensor<V> && kScalarIndex == 0);

// The number that an operand stands for.
template <typename T, typename X>
T NumberOf(const X& operand)
{
    if constexpr (kIsTensor<X>) {
        static_assert(std::is_same_v<ElementOf<X>, T>, "Ascend C: a tensor used as scalar has the dtype of the other source");
        return operand.Data()[0];
    } else {
        return static_cast<T>(operand);
    }
}

// A number that lies in UB is read like a source of one element; nothing to say about one in a register.
template <typename X>
void ReadNumber(Instruction& instruction, const X& operand)
{
    if constexpr (kIsTensor<X>) {
        instruction.Reads(operand, Layout::One(), Align::Natural);
    }
}

// An instruction on a vector and a number, in either order. The number is read after the checks have passed.
template <typename Op, bool kFirst, typename D, typename T, typename X>
void RunWithNumber(LT<D> dst, LT<T> vector, const X& number, int64_t count)
{
    Instruction instruction(Op::kName, PIPE_V, count);
    instruction.Writes(dst).Reads(vector);
    ReadNumber(instruction, number);
    instruction.Elementwise();
    if (count > 0) {
        const Bound<Op, num::Wide<T>, kFirst> op{static_cast<num::Wide<T>>(NumberOf<T>(number))};
        Map(op, static_cast<size_t>(count), dst.Data(), vector.Data());
    }
}

template <typename Op, const BinaryConfig& config, typename U, typename S, typename V>
void FreeCount(const U& dst, const S& src0, const V& src1, int64_t count)
{
    static_assert(kIsTensor<U> && (kIsTensor<S> || kIsTensor<V>), "Ascend C: the destination and one source must be tensors");
    CheckDtype<Op, ElementOf<U>>();
    if constexpr (kFirstIsScalar<config.scalarTensorIndex, S, V>) {
        RunWithNumber<Op, true>(dst, src1, src0, count);
    } else {
        RunWithNumber<Op, false>(dst, src0, src1, count);
    }
}

template <typename Op, const BinaryConfig& config, bool isSetMask, typename U, typename S, typename V, typename M>
void FreeStrided(const U& dst, const S& src0, const V& src1, M mask, uint8_t repeat, const UnaryRepeatParams& p)
{
    using T = ElementOf<U>;
    static_assert(kIsTensor<U> && (kIsTensor<S> || kIsTensor<V>), "Ascend C: the destination and one source must be tensors");
    CheckStridedDtype<Op, T>();
    constexpr bool first = kFirstIsScalar<config.scalarTensorIndex, S, V>;
    const auto run = [&](LT<T> vector, const auto& number) {
        if constexpr (kIsTensor<std::decay_t<decltype(number)>>) {
            Instruction(Op::kName, PIPE_V, 1).Reads(number, Layout::One(), Align::Natural).Untracked();
        }
        RunStrided(Bound<Op, num::Wide<T>, first>{static_cast<num::Wide<T>>(NumberOf<T>(number))},
                   MakeLanes<T, isSetMask>(mask, repeat), Strided<T>{dst, {p.dstBlkStride, p.dstRepStride}},
                   Strided<T>{vector, {p.srcBlkStride, p.srcRepStride}});
    };
    if constexpr (first) {
        run(src1, src0);
    } else {
        run(src0, src1);
    }
}

// float * number to half, rounded once.
struct MulsCastOp {
    static constexpr const char* kName = "MulsCast";
    double operator()(float a, float b) const { return double{a} * double{b}; }
};

template <const BinaryConfig& config, typename U, typename S, typename V>
void MulsCastCount(const U& dst, const S& src0, const V& src1, uint32_t count)
{
    constexpr bool first = kFirstIsScalar<config.scalarTensorIndex, S, V>;
    using Vector = std::conditional_t<first, V, S>;
    CheckDtypes<MulsCastOp, ElementOf<U>, ElementOf<Vector>,
                kC310 && kTypeOf<ElementOf<U>> == kHalf && kTypeOf<ElementOf<Vector>> == kFloat>();
    if constexpr (first) {
        RunWithNumber<MulsCastOp, true>(dst, src1, src0, count);
    } else {
        RunWithNumber<MulsCastOp, false>(dst, src0, src1, count);
    }
}

}  // namespace cpu::vec

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Subs(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::SubsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Subs(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::SubsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Subs(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::SubsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Divs(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::DivsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Divs(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::DivsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Divs(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::DivsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Ands(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::AndsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Ands(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::AndsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Ands(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::AndsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Ors(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::OrsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Ors(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
         const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::OrsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Ors(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
         const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::OrsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

#if __NPU_ARCH__ == 3510

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Adds(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::AddsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Adds(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::AddsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Adds(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::AddsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Muls(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::MulsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Muls(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::MulsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Muls(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::MulsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Maxs(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::MaxsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Maxs(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::MaxsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Maxs(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::MaxsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Mins(const U& dst, const S& src0, const V& src1, const int32_t& count)
{
    cpu::vec::FreeCount<cpu::vec::MinsOp, config>(dst, src0, src1, count);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Mins(const U& dst, const S& src0, const V& src1, uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::MinsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename U,
          typename S, typename V>
void Mins(const U& dst, const S& src0, const V& src1, uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeStrided<cpu::vec::MinsOp, config, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

#endif

template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,
          typename T2, typename T3, typename T4>
void MulsCast(const T2& dst, const T3& src0, const T4& src1, const uint32_t count)
{
    cpu::vec::MulsCastCount<config>(dst, src0, src1, count);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,
          typename T2, typename T3, typename T4>
void FusedMulsCast(const T2& dst, const T3& src0, const T4& src1, const uint32_t count)
{
    cpu::vec::MulsCastCount<config>(dst, src0, src1, count);
}

}  // namespace AscendC

#endif
