// Older names of register instructions, which are still declared (API reference 8.6).
#ifndef ASCENDC_CPU_REG_OLDER_H
#define ASCENDC_CPU_REG_OLDER_H

#include "reg_cast.h"
#include "reg_compare.h"
#include "reg_gather.h"
#include "reg_mask.h"
#include "reg_reduce.h"

namespace AscendC {
namespace cpu::reg {

// A store has the address first, a load a register.
template <typename First>
inline constexpr bool kIsAddress = std::is_pointer_v<std::remove_reference_t<First>>;
template <typename X>
inline constexpr bool kIsRegister = std::is_same_v<X, Mask>;
template <typename T, const Reg::RegTrait& trait>
inline constexpr bool kIsRegister<Reg::RegTensor<T, trait>> = true;
// For names that memory instructions have as well.
template <typename First>
using IfMove = std::enable_if_t<kIsAddress<First> || kIsRegister<std::remove_reference_t<First>>, int>;

}  // namespace cpu::reg

namespace Reg {

// LoadAlign and StoreAlign with the same arguments.
template <typename T = DefaultType, auto... options, typename First, typename... Rest, cpu::reg::IfMove<First> = 0>
inline void DataCopy(First&& first, Rest&&... rest)
{
    constexpr bool plain = std::is_same_v<T, DefaultType>;
    if constexpr (cpu::reg::kIsAddress<First> && plain) {
        StoreAlign(first, rest...);
    } else if constexpr (cpu::reg::kIsAddress<First>) {
        StoreAlign<T, options...>(first, rest...);
    } else if constexpr (plain) {
        LoadAlign(first, rest...);
    } else {
        LoadAlign<T, options...>(first, rest...);
    }
}

template <typename T = DefaultType, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE, typename First, typename... Rest>
inline void DataCopyUnAlign(First&& first, Rest&&... rest)
{
    if constexpr (cpu::reg::kIsAddress<First>) {
        StoreUnAlign(first, rest...);
    } else {
        LoadUnAlign(first, rest...);
    }
}
template <typename T>
inline void DataCopyUnAlignPre(UnalignReg& ureg, __ubuf__ T* srcAddr)
{
    LoadUnAlignPre(ureg, srcAddr);
}
template <typename T, PostLiteral postMode = PostLiteral::POST_MODE_UPDATE>
inline void DataCopyUnAlignPost(__ubuf__ T*& dstAddr, UnalignReg& ureg, int32_t postUpdateStride)
{
    StoreUnAlignPost(dstAddr, ureg, postUpdateStride);
}
template <typename T>
inline void DataCopyUnAlignPre(UnalignReg& ureg, __ubuf__ T* srcAddr, AddrReg& areg)
{
    LoadUnAlignPre(ureg, srcAddr, areg);
}
template <typename T>
inline void DataCopyUnAlignPost(__ubuf__ T*& dstAddr, UnalignReg& ureg, AddrReg& areg)
{
    StoreUnAlignPost(dstAddr, ureg, areg);
}
template <typename T>
inline void DataCopyUnAlignPost(__ubuf__ T* dstAddr, UnalignReg& ureg)
{
    StoreUnAlignPost(dstAddr, ureg);
}
template <typename T0 = DefaultType, typename T1, typename T2 = DefaultType, typename T3, typename T4>
inline void DataCopyGather(T3& dstReg, __ubuf__ T1* baseAddr, T4& index, MaskReg& mask)
{
    Gather(dstReg, baseAddr, index, mask);
}
template <typename T = DefaultType, typename U, typename S>
inline void DataCopyGatherB(U& dstReg, __ubuf__ T* baseAddr, S& index, MaskReg& mask)
{
    GatherB(dstReg, baseAddr, index, mask);
}
template <typename T = DefaultType, typename U = DefaultType, typename S, typename V>
inline void DataCopyScatter(__ubuf__ T* baseAddr, S& srcReg, V& index, MaskReg& mask)
{
    Scatter(baseAddr, srcReg, index, mask);
}

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U>
inline void Copy(U& dstReg, U& srcReg, MaskReg mask)
{
    Move<T, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, typename U>
inline void Copy(U& dstReg, U& srcReg)
{
    Move<T>(dstReg, srcReg);
}
template <typename T = DefaultType, GatherMaskMode store = GatherMaskMode::NO_STORE_REG, typename U>
inline void GatherMask(U& dstReg, U& srcReg, MaskReg& mask)
{
    Squeeze<T, store>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, typename U>
inline void PrefixSum(U& dstReg, MaskReg& mask)
{
    Unsqueeze<T>(dstReg, mask);
}

inline void MaskAnd(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask) { And(dst, src0, src1, mask); }
inline void MaskOr(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask) { Or(dst, src0, src1, mask); }
inline void MaskXor(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask) { Xor(dst, src0, src1, mask); }
inline void MaskSel(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask) { Select(dst, src0, src1, mask); }
inline void MaskNot(MaskReg& dst, MaskReg& src, MaskReg& mask) { Not(dst, src, mask); }
inline void MaskMov(MaskReg& dst, MaskReg& src, MaskReg& mask) { Move(dst, src, mask); }
inline void MaskMov(MaskReg& dst, MaskReg& src) { Move(dst, src); }
template <typename T>
inline void MaskInterleave(MaskReg& dst0, MaskReg& dst1, MaskReg& src0, MaskReg& src1)
{
    Interleave<T>(dst0, dst1, src0, src1);
}
template <typename T>
inline void MaskDeInterleave(MaskReg& dst0, MaskReg& dst1, MaskReg& src0, MaskReg& src1)
{
    DeInterleave<T>(dst0, dst1, src0, src1);
}
template <HighLowPart part = HighLowPart::LOWEST>
inline void MaskPack(MaskReg& dst, MaskReg& src)
{
    Pack<part>(dst, src);
}
template <HighLowPart part = HighLowPart::LOWEST>
inline void MaskUnPack(MaskReg& dst, MaskReg& src)
{
    UnPack<part>(dst, src);
}

template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename S>
inline void CompareScalar(MaskReg& dst, U& srcReg, S scalarValue, MaskReg& mask)
{
    Compares<T, mode>(dst, srcReg, scalarValue, mask);
}
template <typename T = DefaultType, typename U>
inline void AddCarryOut(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    Add<T>(carry, dstReg, srcReg0, srcReg1, mask);
}
template <typename T = DefaultType, typename U>
inline void SubCarryOut(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    Sub<T>(carry, dstReg, srcReg0, srcReg1, mask);
}
template <typename T = DefaultType, typename U>
inline void AddCarryOuts(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& carrySrc, MaskReg& mask)
{
    AddC<T>(carry, dstReg, srcReg0, srcReg1, carrySrc, mask);
}
template <typename T = DefaultType, typename U>
inline void SubCarryOuts(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& carrySrc, MaskReg& mask)
{
    SubC<T>(carry, dstReg, srcReg0, srcReg1, carrySrc, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Mula(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    MulAddDst<T, mode>(dstReg, srcReg0, srcReg1, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void FusedMulDstAdd(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    MulDstAdd<T, mode>(dstReg, srcReg0, srcReg1, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void FusedAbsSub(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    AbsSub<T, mode>(dstReg, srcReg0, srcReg1, mask);
}
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
inline void FusedExpSub(S& dstReg, V& srcReg0, V& srcReg1, MaskReg& mask)
{
    ExpSub<T, U, layout, mode>(dstReg, srcReg0, srcReg1, mask);
}
template <typename T0 = DefaultType, typename T1 = DefaultType, typename T2, RegLayout layout = RegLayout::ZERO, typename T3,
          typename T4>
inline void FusedMulsCast(T3& dstReg, T4& srcReg, T2 scalarValue, MaskReg& mask)
{
    MulsCast<T0, T1, T2, layout>(dstReg, srcReg, scalarValue, mask);
}

template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,
          typename V>
inline void ReduceSum(S& dstReg, V srcReg, MaskReg mask)
{
    Reduce<ReduceType::SUM, T, U, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void ReduceMax(U& dstReg, U srcReg, MaskReg mask)
{
    Reduce<ReduceType::MAX, T, T, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void ReduceMin(U& dstReg, U srcReg, MaskReg mask)
{
    Reduce<ReduceType::MIN, T, T, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void ReduceSumWithDataBlock(U& dstReg, U srcReg, MaskReg mask)
{
    ReduceDataBlock<ReduceType::SUM, T, T, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void ReduceMaxWithDataBlock(U& dstReg, U srcReg, MaskReg mask)
{
    ReduceDataBlock<ReduceType::MAX, T, T, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void ReduceMinWithDataBlock(U& dstReg, U srcReg, MaskReg mask)
{
    ReduceDataBlock<ReduceType::MIN, T, T, mode>(dstReg, srcReg, mask);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void PairReduceSum(U& dstReg, U srcReg, MaskReg mask)
{
    PairReduceElem<PairReduce::SUM, T, mode>(dstReg, srcReg, mask);
}

}  // namespace Reg
}  // namespace AscendC

#endif
