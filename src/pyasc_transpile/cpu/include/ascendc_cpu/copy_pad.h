// DataCopyPad: rows whose length is counted in bytes, padded to whole blocks in UB.
#ifndef ASCENDC_CPU_COPY_PAD_H
#define ASCENDC_CPU_COPY_PAD_H

#include "copy.h"

namespace AscendC {
namespace cpu {

// One DataCopyPad in bytes, whichever structs it was given by.
struct PadCopy {
    uint32_t rows;
    uint64_t bytes;
    int64_t src_gap;
    int64_t dst_gap;
    bool pad;
    uint32_t left;
    uint32_t right;
};

inline PadCopy PadCopyOf(const DataCopyExtParams& params)
{
    return PadCopy{params.blockCount, params.blockLen, static_cast<int64_t>(params.srcStride),
                   static_cast<int64_t>(params.dstStride), false, 0, 0};
}
inline PadCopy PadCopyOf(const DataCopyParams& params)
{
    return PadCopy{params.blockCount, params.blockLen, params.srcGap, params.dstGap, false, 0, 0};
}
template <typename Padding>
inline PadCopy WithPadding(PadCopy copy, const Padding& padding)
{
    copy.pad = padding.isPad;
    copy.left = padding.leftPadding;
    copy.right = padding.rightPadding;
    return copy;
}

// Fills a place of `bytes` bytes with an element; the place may end within an element.
inline void FillBytes(uint8_t* to, uint64_t bytes, const void* element, uint32_t size)
{
    for (uint64_t i = 0; i < bytes; i += size) {
        std::memcpy(to + i, element, bytes - i < size ? bytes - i : size);
    }
}

// Calls body(src, dst) for each turn of the two outer loops that SetLoopModePara asks for; offsets in bytes.
template <typename Body>
inline void ForLoopMode(const LoopMode& mode, const Body& body)
{
    if (!kC310 || !mode.active) {
        body(int64_t{0}, int64_t{0});
        return;
    }
    const LoopModeParams& loop = mode.params;
    for (uint32_t outer = 0; outer < loop.loop2Size; ++outer) {
        for (uint32_t inner = 0; inner < loop.loop1Size; ++inner) {
            body(static_cast<int64_t>(outer * loop.loop2SrcStride + inner * loop.loop1SrcStride),
                 static_cast<int64_t>(outer * loop.loop2DstStride + inner * loop.loop1DstStride));
        }
    }
}

template <typename T>
inline GlobalTensor<T> Shifted(const GlobalTensor<T>& tensor, int64_t bytes)
{
    return bytes == 0 ? tensor : tensor[static_cast<uint64_t>(bytes / static_cast<int64_t>(sizeof(T)))];
}
template <typename T>
inline LocalTensor<T> Shifted(const LocalTensor<T>& tensor, int64_t bytes)
{
    return bytes == 0 ? tensor : tensor[static_cast<uint32_t>(bytes / static_cast<int64_t>(sizeof(T)))];
}

inline void CheckPadCopy(const PadCopy& copy, uint32_t element)
{
    if constexpr (kChecked) {
        if (copy.bytes % element != 0) {
            Fault("alignment", "DataCopyPad: blockLen %llu is not a multiple of the %u bytes of an element",
                  static_cast<unsigned long long>(copy.bytes), element);
        }
        if (copy.rows > 4095) {
            Fault("bounds", "DataCopyPad: blockCount %u is not in 0..4095", copy.rows);
        }
        if (copy.bytes > 2097151) {
            Fault("bounds", "DataCopyPad: blockLen %llu is not in 1..2097151", static_cast<unsigned long long>(copy.bytes));
        }
        if (copy.left * element > ONE_BLK_SIZE || copy.right * element > ONE_BLK_SIZE) {
            Fault("bounds", "DataCopyPad: paddings of %u and %u elements, each may fill 32 bytes", copy.left, copy.right);
        }
    }
}

// GM -> UB. Every row gets whole blocks: left padding, data, right padding, and what is missing to a multiple of 32 bytes.
template <PaddingMode mode, typename T>
[[gnu::noinline]] inline void PadIn(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const PadCopy& copy, const void* value)
{
    constexpr uint32_t size = sizeof(T);
    CheckPadCopy(copy, size);
    if (copy.rows == 0 || copy.bytes == 0) {
        return;
    }
    constexpr bool compact = mode == PaddingMode::Compact;
    const uint64_t left = compact ? 0 : uint64_t{copy.left} * size;
    const uint64_t right = uint64_t{copy.right} * size;
    const uint64_t row_bytes = compact ? copy.bytes : RoundUpToBlock(left + copy.bytes + right);
    const int64_t dst_pitch = static_cast<int64_t>(row_bytes) + (compact ? 0 : copy.dst_gap * ONE_BLK_SIZE);
    const int64_t src_pitch = static_cast<int64_t>(copy.bytes) + copy.src_gap;
    const uint64_t compact_bytes = RoundUpToBlock(copy.bytes * copy.rows + right);

    // A plain copy of whole blocks needs no thought about padding.
    if (left == 0 && row_bytes == copy.bytes && (!compact || compact_bytes == copy.bytes * copy.rows)) {
        MoveRows("DataCopyPad", PIPE_MTE2, dst, src, Rows{copy.rows, copy.bytes, dst_pitch, src_pitch}, Align::Byte);
        return;
    }
    if constexpr (kChecked && size == 8) {
        uint64_t bits;
        std::memcpy(&bits, value, size);
        if (copy.pad && bits != 0) {
            Fault("bounds", "DataCopyPad: elements of 64 bits are padded with 0 only");
        }
    }
    Instruction(compact ? "DataCopyPad<Compact>" : "DataCopyPad", PIPE_MTE2)
        .ReadsRows(src, copy.rows, copy.bytes, src_pitch, Align::Byte)
        .WritesRows(dst, compact ? 1 : copy.rows, compact ? compact_bytes : row_bytes, dst_pitch)
        .Untracked();
    uint8_t* to = Bytes(dst);
    const uint8_t* from = Bytes(src);
    for (uint32_t row = 0; row < copy.rows; ++row, to += dst_pitch, from += src_pitch) {
        // Without isPad the hardware leaves something in the fill: the row's first element, which nobody should use.
        const void* const fill = copy.pad ? value : from;
        const bool last = row + 1 == copy.rows;
        const uint64_t end = !compact ? row_bytes : last ? compact_bytes - copy.bytes * row : copy.bytes;
        if (copy.pad) {
            FillBytes(to, left, value, size);
        }
        std::memcpy(to + left, from, copy.bytes);
        if (copy.pad || (left == 0 && right == 0)) {
            FillBytes(to + left + copy.bytes, end - left - copy.bytes, fill, size);
        }
        SetDefined(to, left, copy.pad);
        CopyDefined(to + left, from, copy.bytes);
        SetDefined(to + left + copy.bytes, end - left - copy.bytes, copy.pad);
    }
}

// UB -> GM. Rows begin at block boundaries in UB; exactly blockLen bytes of each are written.
template <PaddingMode mode, typename T>
[[gnu::noinline]] inline void PadOut(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const PadCopy& copy)
{
    CheckPadCopy(copy, sizeof(T));
    const int64_t src_pitch = mode == PaddingMode::Compact
                                  ? static_cast<int64_t>(copy.bytes)
                                  : static_cast<int64_t>(RoundUpToBlock(copy.bytes)) + copy.src_gap * ONE_BLK_SIZE;
    const Rows rows{copy.rows, copy.bytes, static_cast<int64_t>(copy.bytes) + copy.dst_gap, src_pitch};
    MoveRows("DataCopyPad", PIPE_MTE3, dst, src, rows, Align::Byte);
}

template <PaddingMode mode, typename T, typename Params, typename Padding>
inline void PadInLooped(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Params& params, const Padding& padding)
{
    ForLoopMode(CurrentBlock().loop_to_ub, [&](int64_t from, int64_t to) {
        PadIn<mode>(Shifted(dst, to), Shifted(src, from), WithPadding(PadCopyOf(params), padding), &padding.paddingValue);
    });
}

template <PaddingMode mode, typename T, typename Params>
inline void PadOutLooped(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Params& params)
{
    ForLoopMode(CurrentBlock().loop_to_gm,
                [&](int64_t from, int64_t to) { PadOut<mode>(Shifted(dst, to), Shifted(src, from), PadCopyOf(params)); });
}

}  // namespace cpu

#if __NPU_ARCH__ == 3510

template <typename T, PaddingMode mode = PaddingMode::Normal>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams,
                        const DataCopyPadParams& padParams)
{
    cpu::PadInLooped<mode>(dst, src, dataCopyParams, padParams);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
                        const DataCopyPadExtParams<T>& padParams)
{
    cpu::PadInLooped<mode>(dst, src, dataCopyParams, padParams);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams)
{
    cpu::PadOutLooped<mode>(dst, src, dataCopyParams);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& dataCopyParams)
{
    cpu::PadOutLooped<mode>(dst, src, dataCopyParams);
}

inline void SetLoopModePara(const LoopModeParams& loopParams, DataCopyMVType type)
{
    cpu::Block& block = cpu::CurrentBlock();
    (type == DataCopyMVType::OUT_TO_UB ? block.loop_to_ub : block.loop_to_gm) = cpu::LoopMode{true, loopParams};
}

inline void ResetLoopModePara(DataCopyMVType type)
{
    cpu::Block& block = cpu::CurrentBlock();
    (type == DataCopyMVType::OUT_TO_UB ? block.loop_to_ub : block.loop_to_gm) = cpu::LoopMode{};
}

#else

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& dataCopyParams,
                        const DataCopyPadParams& padParams)
{
    cpu::PadInLooped<PaddingMode::Normal>(dst, src, dataCopyParams, padParams);
}

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& dataCopyParams,
                        const DataCopyPadExtParams<T>& padParams)
{
    cpu::PadInLooped<PaddingMode::Normal>(dst, src, dataCopyParams, padParams);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& dataCopyParams)
{
    cpu::PadOutLooped<PaddingMode::Normal>(dst, src, dataCopyParams);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& dataCopyParams)
{
    cpu::PadOutLooped<PaddingMode::Normal>(dst, src, dataCopyParams);
}

#endif

template <typename T, TPosition pos = TPosition::MAX>
inline void SetPadValue(T paddingValue)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &paddingValue, sizeof(T));
    cpu::CurrentBlock().pad_value = bits;
}

}  // namespace AscendC

#endif
