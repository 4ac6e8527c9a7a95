// Transposes inside UB: Transpose and TransDataTo5HD (API reference 4.4).
#ifndef ASCENDC_CPU_VECTOR_TRANSPOSE_H
#define ASCENDC_CPU_VECTOR_TRANSPOSE_H

#include "vector_family.h"

namespace AscendC {
namespace cpu::vec {

struct TransposeOp {
    static constexpr const char* kName = "Transpose";
    static constexpr Legal kTypes = {kS16 | kU16 | kHalf | kBf16, kS16 | kU16 | kHalf | kBf16};
};
struct TransDataOp {
    static constexpr const char* kName = "TransDataTo5HD";
    static constexpr Legal kTypes = {kS8 | kU8 | kS16 | kU16 | kHalf | kS32 | kU32 | kFloat,
                                     kS8 | kU8 | kS16 | kU16 | kHalf | kBf16 | kS32 | kU32 | kFloat};
};

// to[column][row] = from[row][column]; from and to apart.
template <typename T>
void TransposeMatrix(T* to, const T* from, uint32_t rows, uint32_t columns)
{
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            to[size_t{column} * rows + row] = from[size_t{row} * columns + column];
        }
    }
}

// One 16 x 16 matrix, also in place.
template <typename T>
void Transpose16(LT<T> dst, LT<T> src)
{
    CheckDtype<TransposeOp, T>();
    Instruction("Transpose", PIPE_V, 256).Writes(dst).Reads(src).All();
    T copy[256];
    __builtin_memcpy(static_cast<void*>(copy), src.Data(), sizeof copy);
    TransposeMatrix(dst.Data(), copy, 16, 16);
}

template <typename T>
void TransposeExtended(LT<T> dst, LT<T> src, const TransposeParamsExt& p)
{
    const uint32_t plane = uint32_t{p.hSize} * p.wSize;
    const uint32_t image = plane * p.cSize;
    if (p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
        if constexpr (sizeof(T) == 2) {
            Transpose16(dst, src);
        }
        return;
    }
    const bool toChannelsLast = p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
    if (!toChannelsLast && p.transposeType != TransposeType::TRANSPOSE_NHWC2NCHW) {
        Fault("argument", "Transpose: the type %u is not implemented", static_cast<uint32_t>(p.transposeType));
        return;
    }
    Instruction("Transpose", PIPE_V, int64_t{p.nSize} * image).Writes(dst).Reads(src).All();
    for (uint32_t n = 0; n < p.nSize; ++n) {
        TransposeMatrix(dst.Data() + size_t{n} * image, src.Data() + size_t{n} * image, toChannelsLast ? p.cSize : plane,
                        toChannelsLast ? plane : p.cSize);
    }
}

// One repeat of TransDataTo5HD: 16 source blocks to 16 destination blocks. All of them are read before any is written.
template <typename T>
void TransData16(T* const (&to)[16], const T* const (&from)[16], const TransDataTo5HDParams& p)
{
    constexpr uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
    T rows[16][perBlock];
    for (uint32_t i = 0; i < 16; ++i) {
        __builtin_memcpy(static_cast<void*>(rows[i]), from[i], ONE_BLK_SIZE);
    }
    for (uint32_t i = 0; i < 16; ++i) {
        for (uint32_t j = 0; j < 16; ++j) {
            if constexpr (sizeof(T) == 2) {
                to[i][j] = rows[j][i];
            } else if constexpr (sizeof(T) == 4) {
                // Element i/2 of the first (i even) or the last (i odd) eight sources fills destination i.
                if (j < 8) {
                    to[i][j] = rows[i % 2 * 8 + j][i / 2];
                }
            } else {
                to[i][(p.dstHighHalf ? 16 : 0) + j] = rows[j][(p.srcHighHalf ? 16 : 0) + i];
            }
        }
    }
}

template <typename T>
void TransData(T* const (&to)[16], const T* const (&from)[16], const TransDataTo5HDParams& p)
{
    CheckDtype<TransDataOp, T>();
    constexpr uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
    Instruction instruction("TransDataTo5HD", PIPE_V, Shape::First(p.repeatTimes, perBlock, perBlock));
    // A single repeat starts at the given addresses whatever the strides; the hardware would add them.
    for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t extent = (p.repeatTimes == 0 ? 0 : p.repeatTimes - 1) * perBlock;
        instruction.Writes(LocalTensor<T>::At(to[i], extent * p.dstRepStride + perBlock, TPosition::VECCALC),
                           Layout::Strided(1, p.dstRepStride));
        instruction.Reads(LocalTensor<T>::At(const_cast<T*>(from[i]), extent * p.srcRepStride + perBlock, TPosition::VECCALC),
                          Layout::Strided(1, p.srcRepStride));
    }
    instruction.All();
    for (uint32_t r = 0; r < p.repeatTimes; ++r) {
        T* dst[16];
        const T* src[16];
        for (uint32_t i = 0; i < 16; ++i) {
            dst[i] = to[i] + size_t{r} * p.dstRepStride * perBlock;
            src[i] = from[i] + size_t{r} * p.srcRepStride * perBlock;
        }
        TransData16<T>(dst, src, p);
    }
}

}  // namespace cpu::vec

template <typename T>
void Transpose(cpu::LT<T> dst, cpu::LT<T> src)
{
    cpu::vec::Transpose16(dst, src);
}
template <typename T>
void Transpose(cpu::LT<T> dst, cpu::LT<T> src, cpu::LT<uint8_t>, const TransposeParamsExt& transposeParams)
{
    cpu::vec::TransposeExtended(dst, src, transposeParams);
}

template <typename T>
void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                    const TransDataTo5HDParams& nchwconvParams)
{
    T* to[16];
    const T* from[16];
    for (int i = 0; i < 16; ++i) {
        to[i] = reinterpret_cast<T*>(dstList[i]);
        from[i] = reinterpret_cast<const T*>(srcList[i]);
    }
    cpu::vec::TransData<T>(to, from, nchwconvParams);
}

template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                    const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& nchwconvParams)
{
    T* to[16];
    const T* from[16];
    for (int i = 0; i < 16; ++i) {
        to[i] = dstList[i].Data();
        from[i] = srcList[i].Data();
    }
    cpu::vec::TransData<T>(to, from, nchwconvParams);
}

// The addresses lie in UB.
template <typename T>
void TransDataTo5HD(cpu::LT<uint64_t> dst, cpu::LT<uint64_t> src, const TransDataTo5HDParams& nchwconvParams)
{
    cpu::Instruction("TransDataTo5HD", PIPE_V, 16).Reads(dst).Reads(src).Untracked();
    TransDataTo5HD<T>(dst.Data(), src.Data(), nchwconvParams);
}

}  // namespace AscendC

#endif
