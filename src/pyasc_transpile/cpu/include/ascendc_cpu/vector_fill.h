// Fills and plain moves inside UB: Duplicate, CreateVecIndex, Brcb, Copy (API reference 4.4).
#ifndef ASCENDC_CPU_VECTOR_FILL_H
#define ASCENDC_CPU_VECTOR_FILL_H

#include "vector_family.h"
#include "vector_ops.h"

namespace AscendC {
namespace cpu::vec {

struct DuplicateOp {
    static constexpr const char* kName = "Duplicate";
    static constexpr Legal kTypes = {kS16 | kU16 | kHalf | kBf16 | kS32 | kU32 | kFloat,
                                     kInts | kHalf | kBf16 | kFloat | kBool};
};
struct CreateVecIndexOp {
    static constexpr const char* kName = "CreateVecIndex";
    static constexpr Legal kTypes = {kS16 | kHalf | kS32 | kFloat, kS8 | kS16 | kHalf | kS32 | kFloat | kS64};
};
struct BrcbOp {
    static constexpr const char* kName = "Brcb";
    static constexpr Legal kTypes = {kS16 | kU16 | kHalf | kBf16 | kS32 | kU32 | kFloat, kInts | kHalf | kBf16 | kFloat};
};
struct CopyOp {
    static constexpr const char* kName = "Copy";
    static constexpr Legal kTypes = {kS16 | kU16 | kHalf | kBf16 | kS32 | kU32 | kFloat, kInts | kHalf | kBf16 | kFloat};
    template <typename T>
    T operator()(T x) const
    {
        return x;
    }
};

// Calls put(element pointer, lane number counted through the repeats, number of adjacent elements).
template <typename Op, typename T, typename Put>
void WriteStrided(const Lanes& lanes, const Strided<T>& dst, const Put& put)
{
    ForEachShape(lanes, [&](const Shape& shape, uint32_t first) {
        Instruction(Op::kName, PIPE_V, shape).Writes(dst.From(first), dst.AsLayout()).Defines();
        ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), dst.strides.block == 1, dst.strides.template Dense<T>(shape.lanes),
                   [&](uint32_t r, uint32_t lane, size_t n) {
                       put(dst.At(first, r, lane), size_t{first + r} * shape.lanes + lane, n);
                   });
    });
}

template <typename T>
void FillRun(T* to, const T& value, size_t count)
{
    const T copy = value;  // the value may lie in the memory that is filled
    for (size_t i = 0; i < count; ++i) {
        to[i] = copy;
    }
}

template <typename T>
void DuplicateCount(LT<T> dst, const T& value, int64_t count)
{
    CheckDtype<DuplicateOp, T>();
    Instruction("Duplicate", PIPE_V, count).Writes(dst).Defines();
    FillRun(dst.Data(), value, count > 0 ? static_cast<size_t>(count) : 0);
}

template <typename T>
void DuplicateFirst(LT<T> dst, LT<T> src, int64_t count)
{
    CheckDtype<DuplicateOp, T>();
    Instruction("Duplicate", PIPE_V, count).Writes(dst).Reads(src, Layout::One()).Elementwise();
    FillRun(dst.Data(), src.Data()[0], count > 0 ? static_cast<size_t>(count) : 0);
}

template <bool isSetMask, typename T, typename M>
void DuplicateStrided(LT<T> dst, const T& value, M mask, uint8_t repeat, uint32_t blockStride, uint32_t repeatStride)
{
    CheckStridedDtype<DuplicateOp, T>();
    WriteStrided<DuplicateOp>(MakeLanes<T, isSetMask>(mask, repeat), Strided<T>{dst, {blockStride, repeatStride}},
                              [&](T* to, size_t, size_t n) { FillRun(to, value, n); });
}

// first + k, rounded once for floats, wrapping for integers.
template <typename T>
void IndexRun(T* to, const T& first, size_t k, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) {
            to[i] = AddOp{}(first, static_cast<T>(k + i));
        } else {
            to[i] = static_cast<T>(static_cast<double>(static_cast<float>(first)) + static_cast<double>(k + i));
        }
    }
}

template <typename T>
void IndexCount(LT<T> dst, const T& first, uint32_t count)
{
    CheckDtype<CreateVecIndexOp, T>();
    Instruction("CreateVecIndex", PIPE_V, count).Writes(dst).Defines();
    IndexRun(dst.Data(), first, 0, count);
}

template <typename T, typename M>
void IndexStrided(LT<T> dst, const T& first, M mask, uint8_t repeat, uint32_t blockStride, uint32_t repeatStride)
{
    CheckStridedDtype<CreateVecIndexOp, T>();
    WriteStrided<CreateVecIndexOp>(MakeLanes<T, true>(mask, repeat), Strided<T>{dst, {blockStride, repeatStride}},
                                   [&](T* to, size_t k, size_t n) { IndexRun(to, first, k, n); });
}

// Each of 8 elements per repeat fills one block.
template <typename T>
void BrcbBlocks(LT<T> dst, LT<T> src, uint8_t repeat, const BrcbRepeatParams& p)
{
    CheckDtype<BrcbOp, T>();
    constexpr uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
    const Strides strides{p.dstBlkStride, p.dstRepStride};
    Instruction("Brcb", PIPE_V, Shape::First(repeat, 8 * perBlock, 8 * perBlock))
        .Writes(dst, strides.AsLayout())
        .Reads(src, Layout::PerRepeat(8, 8 * sizeof(T)))
        .Groups(1, perBlock);
    if (kChecked && p.dstBlkStride == 0) {
        Fault("argument", "Brcb: dstBlkStride must not be 0");
    }
    for (uint32_t r = 0; r < repeat; ++r) {
        T elements[8];
        __builtin_memcpy(static_cast<void*>(elements), src.Data() + r * 8, sizeof elements);
        for (uint32_t k = 0; k < 8; ++k) {
            FillRun(dst.Data() + strides.Offset<T>(r, k * perBlock), elements[k], perBlock);
        }
    }
}

// In Counter mode the mask counts the elements of each repeat, not those of all repeats.
template <bool isSetMask, typename T, typename M>
void CopyStrided(LT<T> dst, LT<T> src, M mask, uint8_t repeat, const CopyRepeatParams& p)
{
    CheckDtype<CopyOp, T>();
    const bool counter = CurrentBlock().mask.counter;
    Lanes lanes = MakeLanes<T, isSetMask>(mask, repeat);
    if (counter) {
        constexpr uint32_t perRepeat = kLanesPerRepeat<T>;
        const uint64_t active = CurrentBlock().mask.low;
        lanes = {Shape::First(repeat, perRepeat, active < perRepeat ? active : perRepeat), 0};
    }
    using W = Word<sizeof(T)>;
    const auto to = AsWords(dst);
    const auto from = AsWords(src);
    RunStrided(CopyOp{}, lanes, Strided<W>{to, {p.dstStride, p.dstRepeatSize}},
               Strided<W>{from, {p.srcStride, p.srcRepeatSize}});
}

template <typename T>
void CopyCount(LT<T> dst, LT<T> src, uint32_t count)
{
    CheckDtype<CopyOp, T>();
    Run(CopyOp{}, AsWords(dst), count, AsWords(src));
}

}  // namespace cpu::vec

template <typename T>
void Duplicate(cpu::LT<T> dst, const T& scalarValue, const int32_t& count)
{
    cpu::vec::DuplicateCount(dst, scalarValue, count);
}
template <typename T, bool isSetMask = true>
void Duplicate(cpu::LT<T> dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime, const uint16_t dstBlockStride,
               const uint8_t dstRepeatStride)
{
    cpu::vec::DuplicateStrided<isSetMask>(dst, scalarValue, mask, repeatTime, dstBlockStride, dstRepeatStride);
}
template <typename T, bool isSetMask = true>
void Duplicate(cpu::LT<T> dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime, const uint16_t dstBlockStride,
               const uint8_t dstRepeatStride)
{
    cpu::vec::DuplicateStrided<isSetMask>(dst, scalarValue, mask, repeatTime, dstBlockStride, dstRepeatStride);
}
#if __NPU_ARCH__ == 3510
template <typename T>
void Duplicate(cpu::LT<T> dst, cpu::LT<T> src, const int32_t& count)
{
    cpu::vec::DuplicateFirst(dst, src, count);
}
#endif

template <typename T>
void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count)
{
    cpu::vec::IndexCount(dst, firstValue, count);
}
template <typename T>
void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, uint8_t repeatTime, uint16_t dstBlkStride,
                    uint8_t dstRepStride)
{
    cpu::vec::IndexStrided(dst, firstValue, mask, repeatTime, dstBlkStride, dstRepStride);
}
template <typename T>
void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], uint8_t repeatTime, uint16_t dstBlkStride,
                    uint8_t dstRepStride)
{
    cpu::vec::IndexStrided(dst, firstValue, mask, repeatTime, dstBlkStride, dstRepStride);
}

template <typename T>
void Brcb(cpu::LT<T> dst, cpu::LT<T> src, const uint8_t repeatTime, const BrcbRepeatParams& repeatParams)
{
    cpu::vec::BrcbBlocks(dst, src, repeatTime, repeatParams);
}

template <typename T, bool isSetMask = true>
void Copy(cpu::LT<T> dst, cpu::LT<T> src, const uint64_t mask, const uint8_t repeatTime, const CopyRepeatParams& repeatParams)
{
    cpu::vec::CopyStrided<isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Copy(cpu::LT<T> dst, cpu::LT<T> src, const uint64_t mask[], const uint8_t repeatTime, const CopyRepeatParams& repeatParams)
{
    cpu::vec::CopyStrided<isSetMask>(dst, src, mask, repeatTime, repeatParams);
}
#if __NPU_ARCH__ == 3510
template <typename T, bool isSetMask = true>
void Copy(cpu::LT<T> dst, cpu::LT<T> src, const uint32_t count)
{
    cpu::vec::CopyCount(dst, src, count);
}
#endif

}  // namespace AscendC

#include "vector_gather.h"
#include "vector_transpose.h"

#endif
