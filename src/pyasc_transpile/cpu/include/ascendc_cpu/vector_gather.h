// Moves inside UB whose addresses or choice depend on data: Gather, Gatherb, Scatter, GatherMask, Interleave
// (API reference 4.4). Offsets are bytes.
#ifndef ASCENDC_CPU_VECTOR_GATHER_H
#define ASCENDC_CPU_VECTOR_GATHER_H

#include "vector_bits.h"

namespace AscendC {
namespace cpu::vec {

inline constexpr Types kWords = kS16 | kU16 | kHalf | kBf16 | kS32 | kU32 | kFloat;
inline constexpr Types kAnyWord = kInts | kHalf | kBf16 | kFloat;
struct GatherOp {
    static constexpr const char* kName = "Gather";
    static constexpr Legal kTypes = {kWords, kAnyWord};
};
struct GatherbOp {
    static constexpr const char* kName = "Gatherb";
    static constexpr Legal kTypes = {kU16 | kU32, kAnyWord};
};
struct ScatterOp {
    static constexpr const char* kName = "Scatter";
    static constexpr Legal kTypes = {kNone, kAnyWord};
};
struct GatherMaskOp {
    static constexpr const char* kName = "GatherMask";
    static constexpr Legal kTypes = {kWords, kAnyWord};
};

// In the checked build: `bytes` bytes at `offset` must lie in the tensor and be aligned to `unit`.
template <typename T>
bool Reachable(const char* name, LT<T> tensor, uint64_t offset, uint64_t bytes, uint64_t unit)
{
    if constexpr (kChecked) {
        if (offset % unit != 0) {
            Fault("alignment", "%s: the byte offset %llu is not a multiple of %llu", name,
                  static_cast<unsigned long long>(offset), static_cast<unsigned long long>(unit));
            return false;
        }
        if (offset + bytes > tensor.Extent().bytes) {
            Fault("bounds", "%s: the byte offset %llu lies outside the tensor of %llu bytes", name,
                  static_cast<unsigned long long>(offset), static_cast<unsigned long long>(tensor.Extent().bytes));
            return false;
        }
    }
    return true;
}

inline void Move(void* to, const void* from, size_t bytes)
{
    __builtin_memcpy(to, from, bytes);
    CopyDefined(to, from, bytes);
}

template <typename T>
void GatherRun(T* to, LT<T> src, const uint32_t* offsets, uint32_t base, size_t count)
{
    const char* bytes = reinterpret_cast<const char*>(src.Data());
    for (size_t i = 0; i < count; ++i) {
        const uint64_t offset = uint64_t{base} + offsets[i];
        if (Reachable(GatherOp::kName, src, offset, sizeof(T), sizeof(T))) {
            Move(to + i, bytes + offset, sizeof(T));
        }
    }
}

// The blocks of a tensor between the first and the last of the elements at these offsets: what a Gather reads of it.
template <typename T>
LocalTensor<T> Gathered(LT<T> src, const uint32_t* offsets, uint32_t base, size_t count)
{
    if constexpr (kChecked) {
        uint64_t first = src.Extent().bytes;
        uint64_t end = 0;
        for (size_t i = 0; i < count; ++i) {
            const uint64_t offset = uint64_t{base} + offsets[i];
            first = offset < first ? offset : first;
            end = offset + sizeof(T) > end ? offset + sizeof(T) : end;
        }
        if (first < end && end <= src.Extent().bytes) {
            const uint32_t start = static_cast<uint32_t>(first / ONE_BLK_SIZE * ONE_BLK_SIZE / sizeof(T));
            LocalTensor<T> part = src[start];
            part.SetSize(static_cast<uint32_t>(end / sizeof(T)) - start);
            return part;
        }
    }
    return src;
}

template <typename T>
void GatherCount(LT<T> dst, LT<T> src, LT<uint32_t> offsets, uint32_t base, uint32_t count)
{
    CheckDtype<GatherOp, T>();
    const LocalTensor<T> read = Gathered(src, offsets.Data(), base, count);
    Instruction("Gather", PIPE_V, count).Writes(dst).ReadsElements(read, read.GetSize()).Reads(offsets).Untracked();
    GatherRun(dst.Data(), src, offsets.Data(), base, count);
}

// The offsets of a repeat's lanes follow those of the repeat before.
template <typename T, typename M>
void GatherStrided(LT<T> dst, LT<T> src, LT<uint32_t> offsets, uint32_t base, M mask, uint8_t repeat, uint32_t repeatStride)
{
    CheckDtype<GatherOp, T>();
    static_assert(sizeof(T) != 1, "Ascend C: with 8 bit dtypes Gather has its count form only");
    const Strided<T> target{dst, {1, repeatStride}};
    ForEachShape(MakeLanes<T, true>(mask, repeat), [&](const Shape& shape, uint32_t first) {
        const auto from = offsets[first * shape.lanes];
        Instruction("Gather", PIPE_V, shape)
            .Writes(target.From(first), target.AsLayout())
            .ReadsElements(src, src.GetSize())
            .Reads(from)
            .Untracked();
        ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), true, false, [&](uint32_t r, uint32_t lane, size_t n) {
            GatherRun(target.At(first, r, lane), src, from.Data() + size_t{r} * shape.lanes + lane, base, n);
        });
    });
}

// Whole blocks; 8 offsets per repeat.
template <typename T>
void GatherBlocks(LT<T> dst, LT<T> src, LT<uint32_t> offsets, uint8_t repeat, const GatherRepeatParams& p)
{
    CheckDtype<GatherbOp, T>();
    constexpr uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
    const Strides strides{p.dstBlkStride, p.dstRepStride};
    Instruction("Gatherb", PIPE_V, Shape::First(repeat, 8 * perBlock, 8 * perBlock))
        .Writes(dst, strides.AsLayout())
        .ReadsElements(src, src.GetSize())
        .ReadsElements(offsets, uint64_t{repeat} * 8)
        .Untracked();
    const char* bytes = reinterpret_cast<const char*>(src.Data());
    for (uint32_t k = 0; k < repeat * 8u; ++k) {
        const uint32_t offset = offsets.Data()[k];
        if (Reachable(GatherbOp::kName, src, offset, ONE_BLK_SIZE, ONE_BLK_SIZE)) {
            Move(dst.Data() + strides.Offset<T>(k / 8, k % 8 * perBlock), bytes + offset, ONE_BLK_SIZE);
        }
    }
}

template <typename T>
void ScatterRun(LT<T> dst, const T* from, const uint32_t* offsets, uint32_t base, size_t count)
{
    char* bytes = reinterpret_cast<char*>(dst.Data());
    for (size_t i = 0; i < count; ++i) {
        const uint64_t offset = uint64_t{base} + offsets[i];
        if (Reachable(ScatterOp::kName, dst, offset, sizeof(T), sizeof(T))) {
            Move(bytes + offset, from + i, sizeof(T));
        }
    }
}

template <typename T>
void ScatterCount(LT<T> dst, LT<T> src, LT<uint32_t> offsets, uint32_t base, uint32_t count)
{
    CheckDtype<ScatterOp, T>();
    Instruction("Scatter", PIPE_V, count).WritesElements(dst, dst.GetSize()).Reads(src).Reads(offsets).Untracked();
    ScatterRun(dst, src.Data(), offsets.Data(), base, count);
}

template <typename T, typename M>
void ScatterStrided(LT<T> dst, LT<T> src, LT<uint32_t> offsets, uint32_t base, M mask, uint8_t repeat, uint32_t repeatStride)
{
    CheckDtype<ScatterOp, T>();
    static_assert(sizeof(T) != 1, "Ascend C: with 8 bit dtypes Scatter has its count form only");
    const Strided<T> source{src, {1, repeatStride}};
    ForEachShape(MakeLanes<T, true>(mask, repeat), [&](const Shape& shape, uint32_t first) {
        const auto to = offsets[first * shape.lanes];
        Instruction("Scatter", PIPE_V, shape)
            .WritesElements(dst, dst.GetSize())
            .Reads(source.From(first), source.AsLayout())
            .Reads(to)
            .Untracked();
        ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), true, false, [&](uint32_t r, uint32_t lane, size_t n) {
            ScatterRun(dst, source.At(first, r, lane), to.Data() + size_t{r} * shape.lanes + lane, base, n);
        });
    });
}

// Packs the elements of src0 that `takes(repeat, element of the repeat)` chooses at dst.
template <typename T, typename Takes>
void PackChosen(LT<T> dst, LT<T> src0, bool reduceMode, uint32_t mask, const GatherMaskParams& p, uint64_t& rsvdCnt,
                const Takes& takes)
{
    CheckDtype<GatherMaskOp, T>();
    const uint32_t perRepeat = reduceMode ? mask : kLanesPerRepeat<T>;
    const Strides strides{p.src0BlockStride, p.src0RepeatStride};
    uint64_t chosen = 0;
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        for (uint32_t k = 0; k < perRepeat; ++k) {
            chosen += takes(r, k) ? 1 : 0;
        }
    }
    Instruction("GatherMask", PIPE_V, Shape::First(p.repeatTimes, perRepeat, perRepeat))
        .WritesElements(dst, chosen)
        .Reads(src0, strides.AsLayout())
        .Untracked();
    uint64_t written = 0;
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        for (uint32_t k = 0; k < perRepeat; ++k) {
            if (takes(r, k)) {
                Move(dst.Data() + written, src0.Data() + strides.Offset<T>(r, k), sizeof(T));
                ++written;
            }
        }
    }
    rsvdCnt = chosen;
    SetMaskNorm();  // the instruction leaves Counter mode; set mode and mask again after it
    ResetMask();
}

template <typename T>
void GatherPattern(LT<T> dst, LT<T> src0, uint8_t pattern, bool reduceMode, uint32_t mask, const GatherMaskParams& p,
                   uint64_t& rsvdCnt)
{
    if (kChecked && (pattern < 1 || pattern > 7)) {
        Fault("argument", "GatherMask: patterns are 1 to 7, this is %u", static_cast<uint32_t>(pattern));
    }
    PackChosen(dst, src0, reduceMode, mask, p, rsvdCnt, [pattern](uint32_t, uint32_t k) {
        return pattern == 7 || (pattern <= 2 ? k % 2 == pattern - 1u : k % 4 == pattern - 3u);
    });
}

template <typename T, typename U>
void GatherByTensor(LT<T> dst, LT<T> src0, LT<U> pattern, bool reduceMode, uint32_t mask, const GatherMaskParams& p,
                    uint64_t& rsvdCnt)
{
    static_assert(std::is_unsigned_v<U> && (sizeof(U) == sizeof(T) || kC310),
                  "Ascend C: the pattern of GatherMask is uint16_t for 16 bit data, uint32_t for 32 bit data");
    const uint32_t perRepeat = reduceMode ? mask : kLanesPerRepeat<T>;
    Instruction("GatherMask", PIPE_V, Shape::First(p.repeatTimes, perRepeat, perRepeat))
        .Reads(pattern, Layout::PerRepeat((perRepeat / 8 + sizeof(U) - 1) / sizeof(U), p.src1RepeatStride * ONE_BLK_SIZE))
        .Untracked();
    const auto* bits = reinterpret_cast<const uint8_t*>(pattern.Data());
    PackChosen(dst, src0, reduceMode, mask, p, rsvdCnt,
               [&](uint32_t r, uint32_t k) { return BitAt(bits + size_t{r} * p.src1RepeatStride * ONE_BLK_SIZE, k); });
}

// dst0 then dst1 hold src0[0], src1[0], src0[1], src1[1], ...; `count` elements in each of the four.
template <typename T>
void InterleaveCount(LT<T> dst0, LT<T> dst1, LT<T> src0, LT<T> src1, int32_t count)
{
    Instruction("Interleave", PIPE_V, count).Writes(dst0).Writes(dst1).Reads(src0).Reads(src1).Untracked();
    for (int32_t i = 0; i < 2 * count; ++i) {
        T* to = i < count ? dst0.Data() + i : dst1.Data() + (i - count);
        Move(to, (i % 2 == 0 ? src0 : src1).Data() + i / 2, sizeof(T));
    }
}

// Even elements of src0 followed by src1 to dst0, odd ones to dst1.
template <typename T>
void DeInterleaveCount(LT<T> dst0, LT<T> dst1, LT<T> src0, LT<T> src1, int32_t count)
{
    Instruction("DeInterleave", PIPE_V, count).Writes(dst0).Writes(dst1).Reads(src0).Reads(src1).Untracked();
    for (int32_t i = 0; i < 2 * count; ++i) {
        const T* from = i < count ? src0.Data() + i : src1.Data() + (i - count);
        Move((i % 2 == 0 ? dst0 : dst1).Data() + i / 2, from, sizeof(T));
    }
}

template <typename T>
void DeInterleaveOne(LT<T> dst0, LT<T> dst1, LT<T> src, int32_t srcCount)
{
    const uint32_t half = static_cast<uint32_t>(srcCount) / 2;
    Instruction("DeInterleave", PIPE_V, half)
        .Writes(dst0)
        .Writes(dst1)
        .ReadsElements(src, static_cast<uint64_t>(srcCount))
        .Untracked();
    for (uint32_t i = 0; i < 2 * half; ++i) {
        Move((i % 2 == 0 ? dst0 : dst1).Data() + i / 2, src.Data() + i, sizeof(T));
    }
}

}  // namespace cpu::vec

template <typename T>
void Gather(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint32_t> srcOffset, const uint32_t srcBaseOffset, const uint32_t count)
{
    cpu::vec::GatherCount(dst, src, srcOffset, srcBaseOffset, count);
}
template <typename T>
void Gather(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint32_t> srcOffset, const uint32_t srcBaseOffset, const uint64_t mask,
            const uint8_t repeatTime, const uint16_t dstRepStride)
{
    cpu::vec::GatherStrided(dst, src, srcOffset, srcBaseOffset, mask, repeatTime, dstRepStride);
}
template <typename T>
void Gather(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint32_t> srcOffset, const uint32_t srcBaseOffset, const uint64_t mask[],
            const uint8_t repeatTime, const uint16_t dstRepStride)
{
    cpu::vec::GatherStrided(dst, src, srcOffset, srcBaseOffset, mask, repeatTime, dstRepStride);
}
template <typename T>
void Gatherb(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint32_t> offset, const uint8_t repeatTime,
             const GatherRepeatParams& repeatParams)
{
    cpu::vec::GatherBlocks(dst, src, offset, repeatTime, repeatParams);
}

template <typename T>
void Scatter(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint32_t> dstOffset, const uint32_t dstBaseAddr, const uint32_t count)
{
    cpu::vec::ScatterCount(dst, src, dstOffset, dstBaseAddr, count);
}
template <typename T>
void Scatter(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint32_t> dstOffset, const uint32_t dstBaseAddr, const uint64_t mask,
             const uint8_t repeatTime, const uint8_t srcRepStride)
{
    cpu::vec::ScatterStrided(dst, src, dstOffset, dstBaseAddr, mask, repeatTime, srcRepStride);
}
template <typename T>
void Scatter(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint32_t> dstOffset, const uint32_t dstBaseAddr, const uint64_t mask[],
             const uint8_t repeatTime, const uint8_t srcRepStride)
{
    cpu::vec::ScatterStrided(dst, src, dstOffset, dstBaseAddr, mask, repeatTime, srcRepStride);
}

template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(cpu::LT<T> dst, cpu::LT<T> src0, const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask,
                const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt)
{
    cpu::vec::GatherPattern(dst, src0, src1Pattern, reduceMode, mask, gatherMaskParams, rsvdCnt);
}
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
void GatherMask(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<U> src1Pattern, const bool reduceMode, const uint32_t mask,
                const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt)
{
    cpu::vec::GatherByTensor(dst, src0, src1Pattern, reduceMode, mask, gatherMaskParams, rsvdCnt);
}

template <typename T>
void Interleave(cpu::LT<T> dst0, cpu::LT<T> dst1, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t count)
{
    cpu::vec::InterleaveCount(dst0, dst1, src0, src1, count);
}
template <typename T>
void DeInterleave(cpu::LT<T> dst0, cpu::LT<T> dst1, cpu::LT<T> src0, cpu::LT<T> src1, const int32_t count)
{
    cpu::vec::DeInterleaveCount(dst0, dst1, src0, src1, count);
}
template <typename T>
void DeInterleave(cpu::LT<T> dst0, cpu::LT<T> dst1, cpu::LT<T> src, const int32_t srcCount)
{
    cpu::vec::DeInterleaveOne(dst0, dst1, src, srcCount);
}

}  // namespace AscendC

#endif
