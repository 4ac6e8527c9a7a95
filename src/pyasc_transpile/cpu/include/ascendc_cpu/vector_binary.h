// Instructions with two tensor sources (API reference 5.4): count, contiguous mask and bit mask forms.
#ifndef ASCENDC_CPU_VECTOR_BINARY_H
#define ASCENDC_CPU_VECTOR_BINARY_H

#include "elementary.h"
#include "vector_family.h"
#include "vector_ops.h"

namespace AscendC {
namespace cpu::vec {

template <typename Op, typename T>
void BinaryCount(LT<T> dst, LT<T> src0, LT<T> src1, int64_t count)
{
    CheckDtype<Op, T>();
    Run(Op{}, dst, count, src0, src1);
}

// M: uint64_t or const uint64_t*.
template <typename Op, bool isSetMask, typename T, typename M>
void BinaryStrided(LT<T> dst, LT<T> src0, LT<T> src1, M mask, uint8_t repeat, const BinaryRepeatParams& p)
{
    CheckStridedDtype<Op, T>();
    RunStrided(Op{}, MakeLanes<T, isSetMask>(mask, repeat), Strided<T>{dst, {p.dstBlkStride, p.dstRepStride}},
               Strided<T>{src0, {p.src0BlkStride, p.src0RepStride}}, Strided<T>{src1, {p.src1BlkStride, p.src1RepStride}});
}

// Multiply-adds read their destination, and its dtype D may be wider than that of the sources.
template <typename Op, typename D, typename S>
void AccumulateCount(LT<D> dst, LT<S> src0, LT<S> src1, int64_t count)
{
    CheckDtype<Op, D>();
    Run(Op{}, dst, count, src0, src1, dst);
}

template <typename Op, bool isSetMask, typename D, typename S, typename M>
void AccumulateStrided(LT<D> dst, LT<S> src0, LT<S> src1, M mask, uint8_t repeat, const BinaryRepeatParams& p)
{
    CheckStridedDtype<Op, D>();
    const Strided<D> target{dst, {p.dstBlkStride, p.dstRepStride}};
    RunStrided(Op{}, MakeLanes<D, isSetMask>(mask, repeat), target, Strided<S>{src0, {p.src0BlkStride, p.src0RepStride}},
               Strided<S>{src1, {p.src1BlkStride, p.src1RepStride}}, target);
}

template <typename D, typename S>
inline constexpr bool kMulAddDstLegal =
    MulAddDstOp<D>::kTypes.Has(kTypeOf<D>) && (std::is_same_v<D, S> || (kTypeOf<D> == kFloat && kTypeOf<S> == kHalf));

template <typename D, typename S>
void MulAddDstCount(LT<D> dst, LT<S> src0, LT<S> src1, int64_t count)
{
    CheckDtypes<MulAddDstOp<D>, D, S, kMulAddDstLegal<D, S>>();
    AccumulateCount<MulAddDstOp<D>>(dst, src0, src1, count);
}

template <bool isSetMask, typename D, typename S, typename M>
void MulAddDstStrided(LT<D> dst, LT<S> src0, LT<S> src1, M mask, uint8_t repeat, const BinaryRepeatParams& p)
{
    CheckDtypes<MulAddDstOp<D>, D, S, kMulAddDstLegal<D, S>>();
    AccumulateStrided<MulAddDstOp<D>, isSetMask>(dst, src0, src1, mask, repeat, p);
}

// max(0, (src0 + src1) * scale) from int32 to half: the sum wraps, the product is rounded once.
struct AddDeqReluOp {
    static constexpr const char* kName = "AddDeqRelu";
    double scale;
    double operator()(int32_t a, int32_t b) const { return Rectify(static_cast<double>(AddOp{}(a, b)) * scale); }
};

template <typename D, typename S>
void AddDeqReluCount(LT<D> dst, LT<S> src0, LT<S> src1, int64_t count)
{
    CheckDtypes<AddDeqReluOp, D, S, kTypeOf<D> == kHalf && kTypeOf<S> == kS32>();
    Run(AddDeqReluOp{Registers().deq_scale}, dst, count, src0, src1);
}

template <bool isSetMask, typename D, typename S, typename M>
void AddDeqReluStrided(LT<D> dst, LT<S> src0, LT<S> src1, M mask, uint8_t repeat, const BinaryRepeatParams& p)
{
    CheckDtypes<AddDeqReluOp, D, S, kTypeOf<D> == kHalf && kTypeOf<S> == kS32>();
    RunStrided(AddDeqReluOp{Registers().deq_scale}, MakeLanes<S, isSetMask>(mask, repeat),
               Strided<D>{dst, {p.dstBlkStride, p.dstRepStride}}, Strided<S>{src0, {p.src0BlkStride, p.src0RepStride}},
               Strided<S>{src1, {p.src1BlkStride, p.src1RepStride}});
}

// exp(src0 - src1): the difference is rounded to float, the exponential to the destination.
struct ExpSubOp {
    static constexpr const char* kName = "ExpSub";
    double operator()(float a, float b) const { return num::Exp(double{a - b}); }
};

template <typename D, typename S>
void ExpSubCount(LT<D> dst, LT<S> src0, LT<S> src1, int64_t count)
{
    CheckDtypes<ExpSubOp, D, S, kC310 && (kTypeOf<S> & kFloats) != 0 && (std::is_same_v<D, S> || kTypeOf<D> == kFloat)>();
    Run(ExpSubOp{}, dst, count, src0, src1);
}

// The two halves of the full product.
struct MullOp {
    static constexpr const char* kName = "Mull";
    static constexpr Legal kTypes = {kNone, kS32 | kU32};
};

template <typename T>
void MullCount(LT<T> low, LT<T> high, LT<T> src0, LT<T> src1, uint32_t count)
{
    CheckDtype<MullOp, T>();
    using Product = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    Instruction(MullOp::kName, PIPE_V, count).Writes(low).Writes(high).Reads(src0).Reads(src1).Elementwise();
    for (uint32_t i = 0; i < count; ++i) {
        const Product product = static_cast<Product>(src0.Data()[i]) * static_cast<Product>(src1.Data()[i]);
        low.Data()[i] = static_cast<T>(product);
        high.Data()[i] = static_cast<T>(product >> 32);
    }
}

template <typename Op, typename T, typename A>
void ShiftCount(LT<T> dst, LT<T> src0, LT<A> src1, int64_t count)
{
    constexpr bool legal =
        kC310 && (kTypeOf<T> & kInts) != 0 && (kTypeOf<A> & kInts) != 0 && std::is_signed_v<A> && sizeof(T) == sizeof(A);
    CheckDtypes<Op, T, A, legal>();
    Run(Op{}, dst, count, src0, src1);
}

}  // namespace cpu::vec

template <typename T>
void Add(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::AddOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void Add(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::AddOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Add(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::AddOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void Sub(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::SubOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void Sub(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::SubOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Sub(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::SubOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void Mul(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::MulOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void Mul(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::MulOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Mul(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::MulOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void Max(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::MaxOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void Max(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::MaxOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Max(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::MaxOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void Min(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::MinOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void Min(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::MinOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Min(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::MinOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void And(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::AndOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void And(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::AndOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void And(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::AndOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void Or(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::OrOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void Or(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
        const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::OrOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Or(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
        const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::OrOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void AddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::AddReluOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void AddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::AddReluOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void AddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::AddReluOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void SubRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::SubReluOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void SubRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::SubReluOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void SubRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::SubReluOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void FusedMulAdd(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::AccumulateCount<cpu::vec::FusedMulAddOp<T>>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void FusedMulAdd(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
                 const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AccumulateStrided<cpu::vec::FusedMulAddOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void FusedMulAdd(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
                 const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AccumulateStrided<cpu::vec::FusedMulAddOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void FusedMulAddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::AccumulateCount<cpu::vec::FusedMulAddReluOp<T>>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void FusedMulAddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
                     const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AccumulateStrided<cpu::vec::FusedMulAddReluOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void FusedMulAddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
                     const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AccumulateStrided<cpu::vec::FusedMulAddReluOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T>
void MulAddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::AccumulateCount<cpu::vec::FusedMulAddReluOp<T>>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void MulAddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
                const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AccumulateStrided<cpu::vec::FusedMulAddReluOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void MulAddRelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
                const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AccumulateStrided<cpu::vec::FusedMulAddReluOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

#if __NPU_ARCH__ == 2201
template <typename T>
void Div(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::DivOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true>
void Div(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::DivOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Div(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::DivOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
#else
// All algorithms give the correctly rounded quotient here; those named FTZ_TRUE do not flush subnormals.
enum class DivAlgo {
    INTRINSIC = 0,
    DIFF_COMPENSATION = 1,
    PRECISION_1ULP_FTZ_TRUE = 2,
    PRECISION_0ULP_FTZ_TRUE = 3,
    PRECISION_0ULP_FTZ_FALSE = 4,
    PRECISION_1ULP_FTZ_FALSE = 5
};
struct DivConfig {
    DivAlgo algo = DivAlgo::INTRINSIC;
};
inline constexpr DivConfig DEFAULT_DIV_CONFIG = {DivAlgo::INTRINSIC};

template <typename T, const DivConfig& config = DEFAULT_DIV_CONFIG>
void Div(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t& count)
{
    cpu::vec::BinaryCount<cpu::vec::DivOp>(dst, src0, src1, count);
}
template <typename T, bool isSetMask = true, const DivConfig& config = DEFAULT_DIV_CONFIG>
void Div(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask, const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::DivOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true, const DivConfig& config = DEFAULT_DIV_CONFIG>
void Div(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint64_t mask[], const uint8_t repeatTime,
         const BinaryRepeatParams& repeatParams)
{
    cpu::vec::BinaryStrided<cpu::vec::DivOp, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
#endif

template <typename T, typename U>
void MulAddDst(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const int32_t& count)
{
    cpu::vec::MulAddDstCount(dst, src0, src1, count);
}
template <typename T, typename U, bool isSetMask = true>
void MulAddDst(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint64_t mask, const uint8_t repeatTime,
               const BinaryRepeatParams& repeatParams)
{
    cpu::vec::MulAddDstStrided<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void MulAddDst(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint64_t mask[], const uint8_t repeatTime,
               const BinaryRepeatParams& repeatParams)
{
    cpu::vec::MulAddDstStrided<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

inline void AddDeqRelu(cpu::LT<half> dst, cpu::LT<int32_t> src0, cpu::LT<int32_t> src1, const int32_t& count)
{
    cpu::vec::AddDeqReluCount(dst, src0, src1, count);
}
template <typename T, typename U>
void AddDeqRelu(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const int32_t& count)
{
    cpu::vec::AddDeqReluCount(dst, src0, src1, count);
}
template <bool isSetMask = true>
void AddDeqRelu(cpu::LT<half> dst, cpu::LT<int32_t> src0, cpu::LT<int32_t> src1, uint64_t mask, const uint8_t repeatTime,
                const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AddDeqReluStrided<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <bool isSetMask = true>
void AddDeqRelu(cpu::LT<half> dst, cpu::LT<int32_t> src0, cpu::LT<int32_t> src1, uint64_t mask[], const uint8_t repeatTime,
                const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AddDeqReluStrided<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void AddDeqRelu(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask, const uint8_t repeatTime,
                const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AddDeqReluStrided<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void AddDeqRelu(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask[], const uint8_t repeatTime,
                const BinaryRepeatParams& repeatParams)
{
    cpu::vec::AddDeqReluStrided<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

// ---- c310, count form only -------------------------------------------------------------------------------------------

template <typename T>
void Prelu(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const uint32_t count)
{
    cpu::vec::BinaryCount<cpu::vec::PreluOp>(dst, src0, src1, count);
}
template <typename T>
void AbsSub(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const uint32_t count)
{
    cpu::vec::BinaryCount<cpu::vec::AbsSubOp>(dst, src0, src1, count);
}
template <typename T>
void FusedAbsSub(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, const uint32_t count)
{
    cpu::vec::BinaryCount<cpu::vec::AbsSubOp>(dst, src0, src1, count);
}
template <typename T, typename U>
void ExpSub(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::ExpSubCount(dst, src0, src1, count);
}
template <typename T, typename U>
void FusedExpSub(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::ExpSubCount(dst, src0, src1, count);
}
template <typename T>
void Mull(cpu::LT<T> dst0, cpu::LT<T> dst1, cpu::LT<T> src0, cpu::LT<T> src1, const uint32_t count)
{
    cpu::vec::MullCount(dst0, dst1, src0, src1, count);
}
template <typename T, typename U>
void ShiftLeft(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<U> src1, const int32_t& count)
{
    cpu::vec::ShiftCount<cpu::vec::ShiftLeftOp>(dst, src0, src1, count);
}
template <typename T, typename U>
void ShiftRight(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<U> src1, const int32_t& count)
{
    cpu::vec::ShiftCount<cpu::vec::ShiftRightOp>(dst, src0, src1, count);
}

}  // namespace AscendC

#endif
