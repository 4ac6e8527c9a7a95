// Reductions per repeat, per block, per pair and of whole tensors, under new and old names (API reference 5.10).
#ifndef ASCENDC_CPU_VECTOR_REDUCE_H
#define ASCENDC_CPU_VECTOR_REDUCE_H

#include "reduce_tensor.h"

namespace AscendC {
namespace cpu::vec {

struct ReduceRepeatOp {
    static constexpr const char* kName = "ReduceRepeat";
    static constexpr Legal kTypes = {kFloats, kReduceInts | kFloats};
};
struct ReduceDataBlockOp {
    static constexpr const char* kName = "ReduceDataBlock";
    static constexpr Legal kTypes = {kFloats, kFloats};
};
struct ReducePairElemOp {
    static constexpr const char* kName = "ReducePairElem";
    static constexpr Legal kTypes = {kFloats, kFloats};
};

template <typename D, typename S>
inline constexpr bool kSumPair =
    std::is_same_v<D, S> ? kTypeOf<S> != kS16 && kTypeOf<S> != kU16
                         : kC310 && ((kTypeOf<S> == kS16 && kTypeOf<D> == kS32) || (kTypeOf<S> == kU16 && kTypeOf<D> == kU32));

// Tells the checks that `values` elements of U per repeat are written, `pitch` bytes apart, and calls body(r, address).
template <bool isSetMask, typename U, typename S, typename M, typename Body>
void ReduceEachRepeat(const char* name, LT<U> dst, uint32_t values, int64_t pitch, LT<S> src, M mask, int32_t repeat,
                      Strides strides, uint32_t group, const Body& body)
{
    const Strided<S> source{src, strides};
    ForEachShape(
        MakeLanes<S, isSetMask>(MaskValue(mask), static_cast<uint32_t>(repeat)), [&](const Shape& shape, uint32_t first) {
            const auto target = dst[static_cast<uint32_t>(first * pitch / static_cast<int64_t>(sizeof(U)))];
            Instruction(name, PIPE_V, shape)
                .Writes(target, Layout::PerRepeat(values, pitch), Align::Natural)
                .Reads(source.From(first), source.AsLayout())
                .Groups(group, values * group / shape.lanes);
            for (uint32_t r = 0; r < shape.repeats; ++r) {
                body(shape, source, first, r, reinterpret_cast<U*>(reinterpret_cast<char*>(target.Data()) + r * pitch));
            }
        });
}

template <bool isSetMask, typename U, typename S, typename M>
void SumRepeats(LT<U> dst, LT<S> src, M mask, int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep)
{
    CheckDtype<ReduceRepeatOp, S>();
    CheckDtypes<ReduceRepeatOp, U, S, kSumPair<U, S>>();
    constexpr uint32_t lanes = kLanesPerRepeat<S>;
    ReduceEachRepeat<isSetMask>("WholeReduceSum", dst, 1, int64_t{dstRep} * sizeof(U), src, mask, repeat,
                                {static_cast<uint32_t>(srcBlk), static_cast<uint32_t>(srcRep)}, lanes,
                                [](const Shape& shape, const Strided<S>& source, uint32_t first, uint32_t r, U* to) {
                                    num::Wide<U> values[lanes];
                                    LoadRepeat(shape, source, first, r, num::Wide<U>(0), values);
                                    *to = static_cast<U>(TreeSum<U, lanes>(values));
                                });
}

template <ReduceType kType, bool isSetMask, typename T, typename M>
void ExtremeRepeats(LT<T> dst, LT<T> src, M mask, int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep,
                    ReduceOrder order)
{
    CheckDtype<ReduceRepeatOp, T>();
    using V = num::Wide<T>;
    constexpr uint32_t lanes = kLanesPerRepeat<T>;
    const Strides strides{static_cast<uint32_t>(srcBlk), static_cast<uint32_t>(srcRep)};
    const char* name = kType == ReduceType::MAX ? "WholeReduceMax" : "WholeReduceMin";
    const auto find = [](const Shape& shape, const Strided<T>& source, uint32_t first, uint32_t r) {
        V values[lanes];
        LoadRepeat(shape, source, first, r, Loser<kType, V>(), values);
        const V best = Extreme<kType>(values, lanes);
        return Found<V>{best, FirstLane(shape, values, best)};
    };
    if (order == ReduceOrder::ORDER_ONLY_INDEX) {
        ReduceEachRepeat<isSetMask>(name, dst.template ReinterpretCast<uint32_t>(), 1, int64_t{dstRep} * 4, src, mask, repeat,
                                    strides, lanes,
                                    [&](const Shape& shape, const Strided<T>& source, uint32_t first, uint32_t r,
                                        uint32_t* to) { *to = static_cast<uint32_t>(find(shape, source, first, r).index); });
        return;
    }
    const uint32_t values = order == ReduceOrder::ORDER_ONLY_VALUE ? 1 : 2;
    ReduceEachRepeat<isSetMask>(name, dst, values, int64_t{dstRep} * values * sizeof(T), src, mask, repeat, strides, lanes,
                                [&](const Shape& shape, const Strided<T>& source, uint32_t first, uint32_t r, T* to) {
                                    const Found<V> found = find(shape, source, first, r);
                                    to[order == ReduceOrder::ORDER_INDEX_VALUE ? 1 : 0] = static_cast<T>(found.value);
                                    if (values == 2) {
                                        to[order == ReduceOrder::ORDER_INDEX_VALUE ? 0 : 1] = IndexBits<T>(found.index);
                                    }
                                });
}

// Eight values per repeat, one for each block. Blocks without an active lane leave their value alone.
template <ReduceType kType, bool isSetMask, typename T, typename M>
void ReduceBlocks(LT<T> dst, LT<T> src, M mask, int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep)
{
    CheckDtype<ReduceDataBlockOp, T>();
    using V = num::Wide<T>;
    constexpr uint32_t lanes = kLanesPerRepeat<T>;
    constexpr uint32_t perBlock = lanes / 8;
    constexpr const char* name = kType == ReduceType::SUM   ? "BlockReduceSum"
                                 : kType == ReduceType::MAX ? "BlockReduceMax"
                                                            : "BlockReduceMin";
    ReduceEachRepeat<isSetMask>(name, dst, 8, int64_t{dstRep} * 8 * sizeof(T), src, mask, repeat,
                                {static_cast<uint32_t>(srcBlk), static_cast<uint32_t>(srcRep)}, perBlock,
                                [](const Shape& shape, const Strided<T>& source, uint32_t first, uint32_t r, T* to) {
                                    V values[lanes];
                                    LoadRepeat(shape, source, first, r, kType == ReduceType::SUM ? V(0) : Loser<kType, V>(),
                                               values);
                                    for (uint32_t block = 0; block < 8; ++block) {
                                        bool any = false;
                                        for (uint32_t k = 0; k < perBlock; ++k) {
                                            any |= shape.Active(block * perBlock + k);
                                        }
                                        if (!any) {
                                            continue;
                                        }
                                        V* part = values + block * perBlock;
                                        if constexpr (kType == ReduceType::SUM) {
                                            to[block] = static_cast<T>(TreeSum<T, perBlock>(part));
                                        } else {
                                            to[block] = static_cast<T>(Extreme<kType>(part, perBlock));
                                        }
                                    }
                                });
}

// x[2i] + x[2i+1]. A pair without an active lane: unchanged on c220, 0 on c310.
template <bool isSetMask, typename T, typename M>
void SumPairs(LT<T> dst, LT<T> src, M mask, int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep)
{
    CheckDtype<ReducePairElemOp, T>();
    using V = num::Wide<T>;
    constexpr uint32_t lanes = kLanesPerRepeat<T>;
    ReduceEachRepeat<isSetMask>("PairReduceSum", dst, lanes / 2, int64_t{dstRep} * 128, src, mask, repeat,
                                {static_cast<uint32_t>(srcBlk), static_cast<uint32_t>(srcRep)}, 2,
                                [](const Shape& shape, const Strided<T>& source, uint32_t first, uint32_t r, T* to) {
                                    V values[lanes];
                                    LoadRepeat(shape, source, first, r, V(0), values);
                                    for (uint32_t i = 0; i < lanes / 2; ++i) {
                                        if (kC310 || shape.Active(2 * i) || shape.Active(2 * i + 1)) {
                                            to[i] = static_cast<T>(AddRounded<T>(values[2 * i], values[2 * i + 1]));
                                        }
                                    }
                                });
}

// The new names choose by ReduceType.
template <ReduceType kType, bool isSetMask, typename U, typename S, typename M>
void ReduceRepeats(LT<U> dst, LT<S> src, M mask, int32_t repeat, int32_t dstRep, int32_t srcBlk, int32_t srcRep,
                   ReduceOrder order)
{
    static_assert(kType != ReduceType::NONE, "Ascend C: ReduceRepeat needs SUM, MAX or MIN");
    if constexpr (kType == ReduceType::SUM) {
        SumRepeats<isSetMask>(dst, src, mask, repeat, dstRep, srcBlk, srcRep);
    } else {
        static_assert(std::is_same_v<U, S>, "Ascend C: MAX and MIN keep the dtype");
        ExtremeRepeats<kType, isSetMask>(dst, src, mask, repeat, dstRep, srcBlk, srcRep, order);
    }
}

template <typename T>
T FromBits(uint64_t bits)
{
    return num::BitCast<T>(static_cast<Word<sizeof(T)>>(bits));
}

}  // namespace cpu::vec

// ---- new names -------------------------------------------------------------------------------------------------------

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReduceRepeat(cpu::LT<T> dst, cpu::LT<U> src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride,
                  const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    cpu::vec::ReduceRepeats<reduceType, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReduceDataBlock(cpu::LT<T> dst, cpu::LT<U> src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride,
                     const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<reduceType, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReducePairElem(cpu::LT<T> dst, cpu::LT<U> src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    static_assert(reduceType == ReduceType::SUM, "Ascend C: ReducePairElem adds only");
    cpu::vec::SumPairs<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReduceRepeat(cpu::LT<T> dst, cpu::LT<U> src, const uint64_t mask[], const int32_t repeatTime, const int32_t dstRepStride,
                  const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    cpu::vec::ReduceRepeats<reduceType, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReduceDataBlock(cpu::LT<T> dst, cpu::LT<U> src, const uint64_t mask[], const int32_t repeatTime,
                     const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<reduceType, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
void ReducePairElem(cpu::LT<T> dst, cpu::LT<U> src, const uint64_t mask[], const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    static_assert(reduceType == ReduceType::SUM, "Ascend C: ReducePairElem adds only");
    cpu::vec::SumPairs<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

template <typename T, bool isSetMask = true>
void ReduceSum(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const int32_t count)
{
    cpu::vec::SumCount(dst, src, sharedTmpBuffer, count);
}
template <typename T>
void ReduceSum(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,
               const int32_t srcRepStride)
{
    cpu::vec::SumMasked(dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride);
}
template <typename T>
void ReduceSum(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const uint64_t mask[], const int32_t repeatTime,
               const int32_t srcRepStride)
{
    cpu::vec::SumMasked(dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride);
}

template <typename T>
void ReduceMax(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const int32_t count, bool calIndex = 0)
{
    cpu::vec::ExtremeCount<ReduceType::MAX>(dst, src, sharedTmpBuffer, count, calIndex);
}
template <typename T>
void ReduceMax(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,
               const int32_t srcRepStride, bool calIndex = 0)
{
    cpu::vec::ExtremeMasked<ReduceType::MAX>(dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride, calIndex);
}
template <typename T>
void ReduceMax(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const uint64_t mask[], const int32_t repeatTime,
               const int32_t srcRepStride, bool calIndex = 0)
{
    cpu::vec::ExtremeMasked<ReduceType::MAX>(dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride, calIndex);
}

template <typename T>
void ReduceMin(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const int32_t count, bool calIndex = 0)
{
    cpu::vec::ExtremeCount<ReduceType::MIN>(dst, src, sharedTmpBuffer, count, calIndex);
}
template <typename T>
void ReduceMin(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,
               const int32_t srcRepStride, bool calIndex = 0)
{
    cpu::vec::ExtremeMasked<ReduceType::MIN>(dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride, calIndex);
}
template <typename T>
void ReduceMin(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<T> sharedTmpBuffer, const uint64_t mask[], const int32_t repeatTime,
               const int32_t srcRepStride, bool calIndex = 0)
{
    cpu::vec::ExtremeMasked<ReduceType::MIN>(dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride, calIndex);
}

// The scalar results of the last ReduceSum, ReduceMax or ReduceMin. An index is stored as its bits in a slot of T.
template <typename T>
T GetReduceRepeatSumSpr()
{
    return cpu::vec::FromBits<T>(cpu::vec::Registers().sum);
}
template <typename T>
T GetAccVal()
{
    return GetReduceRepeatSumSpr<T>();
}
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue)
{
    maxMinValue = cpu::vec::FromBits<T>(cpu::vec::Registers().extreme);
}
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex)
{
    GetReduceRepeatMaxMinSpr(maxMinValue);
    maxMinIndex = cpu::vec::FromBits<T>(cpu::vec::Registers().index);
}
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue)
{
    GetReduceRepeatMaxMinSpr(maxMinValue);
}
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex)
{
    GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex);
}

// ---- old names: Whole* take the mask before the repeats, the others after them ---------------------------------------

#if __NPU_ARCH__ == 2201
template <typename T, bool isSetMask = true>
void WholeReduceSum(cpu::LT<T> dst, cpu::LT<T> src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::SumRepeats<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
#else
template <typename T, bool isSetMask = true, typename U = T>
void WholeReduceSum(cpu::LT<U> dst, cpu::LT<T> src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::SumRepeats<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
#endif
template <typename T, bool isSetMask = true>
void WholeReduceMax(cpu::LT<T> dst, cpu::LT<T> src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    cpu::vec::ExtremeRepeats<ReduceType::MAX, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                                                         order);
}
template <typename T, bool isSetMask = true>
void WholeReduceMin(cpu::LT<T> dst, cpu::LT<T> src, const int32_t mask, const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    cpu::vec::ExtremeRepeats<ReduceType::MIN, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                                                         order);
}
template <typename T, bool isSetMask = true>
void BlockReduceSum(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<ReduceType::SUM, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true>
void BlockReduceMax(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<ReduceType::MAX, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true>
void BlockReduceMin(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<ReduceType::MIN, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true>
void PairReduceSum(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const int32_t mask, const int32_t dstRepStride,
                   const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::SumPairs<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
#if __NPU_ARCH__ == 2201
template <typename T, bool isSetMask = true>
void WholeReduceSum(cpu::LT<T> dst, cpu::LT<T> src, const uint64_t mask[], const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::SumRepeats<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
#else
template <typename T, bool isSetMask = true, typename U = T>
void WholeReduceSum(cpu::LT<U> dst, cpu::LT<T> src, const uint64_t mask[], const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::SumRepeats<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
#endif
template <typename T, bool isSetMask = true>
void WholeReduceMax(cpu::LT<T> dst, cpu::LT<T> src, const uint64_t mask[], const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    cpu::vec::ExtremeRepeats<ReduceType::MAX, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                                                         order);
}
template <typename T, bool isSetMask = true>
void WholeReduceMin(cpu::LT<T> dst, cpu::LT<T> src, const uint64_t mask[], const int32_t repeatTime, const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    cpu::vec::ExtremeRepeats<ReduceType::MIN, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride,
                                                         order);
}
template <typename T, bool isSetMask = true>
void BlockReduceSum(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const uint64_t mask[], const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<ReduceType::SUM, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true>
void BlockReduceMax(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const uint64_t mask[], const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<ReduceType::MAX, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true>
void BlockReduceMin(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const uint64_t mask[], const int32_t dstRepStride,
                    const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::ReduceBlocks<ReduceType::MIN, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T, bool isSetMask = true>
void PairReduceSum(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const uint64_t mask[], const int32_t dstRepStride,
                   const int32_t srcBlkStride, const int32_t srcRepStride)
{
    cpu::vec::SumPairs<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

#if __NPU_ARCH__ == 2201
template <typename T, bool isSetMask = true>
void RepeatReduceSum(cpu::LT<T> dst, cpu::LT<T> src, const int32_t repeatTime, const int32_t mask, const int32_t,
                     const int32_t srcBlkStride, const int32_t dstRepStride, const int32_t srcRepStride)
{
    cpu::vec::SumRepeats<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
#else
template <typename T, bool isSetMask = true, typename U = T>
void RepeatReduceSum(cpu::LT<U> dst, cpu::LT<T> src, const int32_t repeatTime, const int32_t mask, const int32_t,
                     const int32_t srcBlkStride, const int32_t dstRepStride, const int32_t srcRepStride)
{
    cpu::vec::SumRepeats<isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
#endif

}  // namespace AscendC

#endif
