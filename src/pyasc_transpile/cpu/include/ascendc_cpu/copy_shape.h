// Copies that change the order of elements on the way: ND <-> NZ, and the multi-dimensional copy of c310 (NDDMA).
#ifndef ASCENDC_CPU_COPY_SHAPE_H
#define ASCENDC_CPU_COPY_SHAPE_H

#include "copy.h"

namespace AscendC {
namespace cpu {

// Local tensors are indexed with 32 bits, global ones with 64.
template <typename Tensor>
struct OffsetOf {
    using Type = uint64_t;
};
template <typename T>
struct OffsetOf<LocalTensor<T>> {
    using Type = uint32_t;
};

// Row-major matrices become columns of 32-byte wide blocks; the last column is filled up with zeros.
template <typename T, typename Src>
inline void CopyNd2Nz(pipe_t pipe, const LocalTensor<T>& dst, const Src& src, const Nd2NzParams& params)
{
    constexpr uint64_t width = ONE_BLK_SIZE / sizeof(T);
    for (uint64_t matrix = 0; matrix < params.ndNum; ++matrix) {
        for (uint64_t column = 0; column * width < params.dValue; ++column) {
            const uint64_t left = params.dValue - column * width;
            const uint64_t bytes = (left < width ? left : width) * sizeof(T);
            const uint64_t to = matrix * params.dstNzMatrixStride + column * params.dstNzC0Stride * width;
            const uint64_t from = matrix * params.srcNdMatrixStride + column * width;
            const LocalTensor<T> block = dst[static_cast<uint32_t>(to)];
            const Src row = src[static_cast<typename OffsetOf<Src>::Type>(from)];
            const int64_t dst_pitch = int64_t{params.dstNzNStride} * ONE_BLK_SIZE;
            const int64_t src_pitch = static_cast<int64_t>(params.srcDValue * sizeof(T));
            Instruction("DataCopy<Nd2Nz>", pipe)
                .ReadsRows(row, params.nValue, bytes, src_pitch, Align::Natural)
                .WritesRows(block, params.nValue, ONE_BLK_SIZE, dst_pitch)
                .Untracked();
            for (int64_t n = 0; n < params.nValue; ++n) {
                uint8_t* const out = Bytes(block) + n * dst_pitch;
                const uint8_t* const in = Bytes(row) + n * src_pitch;
                std::memcpy(out, in, bytes);
                std::memset(out + bytes, 0, ONE_BLK_SIZE - bytes);
                SetDefined(out, ONE_BLK_SIZE);
                CopyDefined(out, in, bytes);
            }
        }
    }
}

}  // namespace cpu

#if __NPU_ARCH__ == 3510
template <typename T, bool enableSmallC0 = false>
#else
template <typename T>
#endif
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& intriParams)
{
    cpu::CopyNd2Nz(PIPE_MTE2, dst, src, intriParams);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& intriParams)
{
    cpu::CopyNd2Nz(cpu::PipeWithin(dst.GetPosition(), src.GetPosition()), dst, src, intriParams);
}

// The way back: columns of 16 elements become rows. Source strides count 256 and 16 elements.
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& intriParams)
{
    constexpr uint32_t width = BLOCK_CUBE;
    for (uint32_t matrix = 0; matrix < intriParams.ndNum; ++matrix) {
        for (uint32_t column = 0; column * width < intriParams.dValue; ++column) {
            const uint32_t from = matrix * intriParams.srcNdMatrixStride * 256U + column * intriParams.srcNStride * width;
            const uint64_t to = uint64_t{matrix} * intriParams.dstNdMatrixStride + uint64_t{column} * width;
            cpu::MoveRows("DataCopy<Nz2Nd>", PIPE_MTE3, dst[to], src[from],
                          cpu::Rows{intriParams.nValue, width * sizeof(T), static_cast<int64_t>(intriParams.dstDStride * sizeof(T)),
                                    static_cast<int64_t>(width * sizeof(T))},
                          cpu::Align::Natural);
        }
    }
}

#if __NPU_ARCH__ == 3510

namespace cpu {

// One coordinate of a multi-dimensional copy: where it is read from, or whether it is padding.
struct PaddedIndex {
    int64_t source;
    bool padding;

    static PaddedIndex Of(uint32_t at, uint32_t left, uint32_t size, bool nearest)
    {
        const int64_t inside = int64_t{at} - left;
        const bool padding = inside < 0 || inside >= size;
        const int64_t clamped = inside < 0 ? 0 : inside >= size ? int64_t{size} - 1 : inside;
        return {clamped, padding && !nearest};
    }
};

template <typename T, uint8_t dim>
inline void CopyDimension(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const MultiCopyParams<T, dim>& params,
                          const NdDmaConfig& config, int level, uint64_t to, uint64_t from, bool padding)
{
    const MultiCopyLoopInfo<dim>& loop = params.loopInfo;
    const uint32_t left = config.loopLpSize != NdDmaConfig::unsetPad ? config.loopLpSize : loop.loopLpSize[level];
    const uint32_t right = config.loopRpSize != NdDmaConfig::unsetPad ? config.loopRpSize : loop.loopRpSize[level];
    const uint32_t size = loop.loopSize[level];
    for (uint32_t at = 0; at < left + size + right; ++at) {
        const PaddedIndex index = PaddedIndex::Of(at, left, size, config.isNearestValueMode);
        const uint64_t target = to + uint64_t{at} * loop.loopDstStride[level];
        const uint64_t source = from + static_cast<uint64_t>(index.source) * loop.loopSrcStride[level];
        const bool filled = padding || index.padding;
        if (level > 0) {
            CopyDimension(dst, src, params, config, level - 1, target, source, filled);
            continue;
        }
        const LocalTensor<T> element = dst[static_cast<uint32_t>(target)];
        if (filled) {
            Instruction("DataCopy<NDDMA>", PIPE_MTE2, 1).Writes(element, Layout::Packed(), Align::Natural).Defines();
            *element.Data() = params.constantValue;
        } else {
            const GlobalTensor<T> value = src[source];
            Instruction("DataCopy<NDDMA>", PIPE_MTE2, 1)
                .Reads(value, Layout::Packed(), Align::Natural)
                .Writes(element, Layout::Packed(), Align::Natural)
                .Elementwise();
            *element.Data() = *value.Data();
        }
    }
}

}  // namespace cpu

template <typename T, uint8_t dim, const NdDmaConfig& config = kDefaultNdDmaConfig>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const MultiCopyParams<T, dim>& params)
{
    static_assert(dim >= 1 && dim <= 5, "DataCopy with MultiCopyParams has 1 to 5 dimensions");
    cpu::CopyDimension(dst, src, params, config, dim - 1, 0, 0, false);
}

inline void NdDmaDci() {}

#endif

}  // namespace AscendC

#endif
