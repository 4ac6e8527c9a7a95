// Names shared by everything: pipes, events, positions, modes and the hardware's constants.
#ifndef ASCENDC_CPU_TYPES_H
#define ASCENDC_CPU_TYPES_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "qualifiers.h"

// pipe_t and event_t are compiler builtins on the device and therefore in the global namespace.
enum pipe_t : uint8_t {
    PIPE_S = 0,
    PIPE_V = 1,
    PIPE_M = 2,
    PIPE_MTE1 = 3,
    PIPE_MTE2 = 4,
    PIPE_MTE3 = 5,
    PIPE_ALL = 6,
    PIPE_MTE4 = 7,
    PIPE_MTE5 = 8,
    PIPE_V2 = 9,
    PIPE_FIX = 10,
};

enum event_t : uint8_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

enum class pad_t : uint8_t { PAD_NONE = 0, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5, PAD_MODE6, PAD_MODE7, PAD_MODE8 };

namespace AscendC {

enum class TPosition : uint8_t {
    GM = 0,
    A1 = 1,
    A2 = 2,
    B1 = 3,
    B2 = 4,
    C1 = 5,
    C2 = 6,
    CO1 = 7,
    CO2 = 8,
    VECIN = 9,
    VECOUT = 10,
    VECCALC = 11,
    LCM = 11,
    SPM = 12,
    SHM = 12,
    TSCM = 13,
    C2PIPE2GM = 14,
    C2PIPE2LOCAL = 15,
    MAX = 16,
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM = 0, UB = 1, L1 = 2, L0A = 3, L0B = 4, L0C = 5, BIAS = 6, FIXBUF = 7, MAX = 8 };

enum class HardEvent : uint8_t {
    MTE2_MTE1 = 0,
    MTE1_MTE2 = 1,
    MTE1_M = 2,
    M_MTE1 = 3,
    MTE2_V = 4,
    V_MTE2 = 5,
    MTE3_V = 6,
    V_MTE3 = 7,
    M_V = 8,
    V_M = 9,
    V_V = 10,
    MTE3_MTE1 = 11,
    MTE1_MTE3 = 12,
    MTE1_V = 13,
    MTE2_M = 14,
    M_MTE2 = 15,
    V_MTE1 = 16,
    M_FIX = 17,
    FIX_M = 18,
    MTE3_MTE2 = 19,
    MTE2_MTE3 = 20,
    S_V = 21,
    V_S = 22,
    S_MTE2 = 23,
    MTE2_S = 24,
    S_MTE3 = 25,
    MTE3_S = 26,
    MTE2_FIX = 27,
    FIX_MTE2 = 28,
    FIX_S = 29,
    M_S = 30,
    FIX_MTE3 = 31,
    MTE1_FIX = 32,
    FIX_MTE1 = 33,
    FIX_FIX = 34,
    MAX = 35,
};

enum class MemDsbT : uint8_t { ALL = 0, DDR = 1, UB = 2, SEQ = 3 };

enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1 };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB = 1, CACHELINE_OUT = 2, CACHELINE_ATOMIC = 3 };

enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT = 1,
    CAST_FLOOR = 2,
    CAST_CEIL = 3,
    CAST_ROUND = 4,
    CAST_TRUNC = 5,
    CAST_ODD = 6,
#if __NPU_ARCH__ == 3510
    CAST_HYBRID = 7,
    CAST_EVEN = 8,
    CAST_ZERO = 9,
#endif
    UNKNOWN = 0xFF,
};

enum class CMPMODE : uint8_t { LT = 0, GT = 1, EQ = 2, LE = 3, GE = 4, NE = 5 };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE = 1, VSEL_TENSOR_TENSOR_MODE = 2 };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER = 1 };
enum class ReduceMode : uint8_t { REDUCE_MAX = 0, REDUCE_MIN = 1, REDUCE_SUM = 2 };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE = 1, ORDER_ONLY_VALUE = 2, ORDER_ONLY_INDEX = 3 };
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL = 0,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE,
};
enum class SaturationMode : uint8_t { FLOAT = 0, FLOAT8 = 1, INT = 2, CAST = 3 };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
enum class PaddingMode : uint8_t { Normal = 0, Compact = 1 };
enum class DataCopyMVType : uint8_t { UB_TO_OUT = 0, OUT_TO_UB = 1 };
enum class TBufState : uint8_t { FREE = 0, OCCUPIED = 1, ENQUE = 2, DEQUE = 3 };
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE = 0,
    TRANSPOSE_NZ2ND_0213 = 1,
    TRANSPOSE_NZ2NZ_0213 = 2,
    TRANSPOSE_NZ2NZ_012_WITH_N = 3,
    TRANSPOSE_NZ2ND_012_WITH_N = 4,
    TRANSPOSE_NZ2ND_012_WITHOUT_N = 5,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N = 6,
    TRANSPOSE_ND2ND_ONLY = 7,
    TRANSPOSE_ND_UB_GM = 8,
    TRANSPOSE_GRAD_ND_UB_GM = 9,
    TRANSPOSE_ND2ND_B16 = 10,
    TRANSPOSE_NCHW2NHWC = 11,
    TRANSPOSE_NHWC2NCHW = 12,
#if __NPU_ARCH__ == 3510
    TRANSPOSE_ND2ND_021 = 13,
    TRANSPOSE_ND2ND_102 = 14,
    TRANSPOSE_ND2ND_210 = 15,
    TRANSPOSE_ND2NZ_WITH_INTLV = 16,
#endif
};

enum KernelMetaType : uint8_t {
    KERNEL_TYPE_AIV_ONLY = 0,
    KERNEL_TYPE_AIC_ONLY = 1,
    KERNEL_TYPE_MIX_AIV_1_0 = 2,
    KERNEL_TYPE_MIX_AIC_1_0 = 3,
    KERNEL_TYPE_MIX_AIC_1_1 = 4,
    KERNEL_TYPE_MIX_AIC_1_2 = 5,
    KERNEL_TYPE_AICORE = 6,
    KERNEL_TYPE_VECTORCORE = 7,
    KERNEL_TYPE_MIX_AICORE = 8,
    KERNEL_TYPE_MIX_VECTOR_CORE = 9,
    KERNEL_TYPE_MAX = 10,
};

using TEventID = int8_t;
using MutexID = uint8_t;
using TBufId = uint8_t;
using TTagType = int32_t;

constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr int32_t ONE_FOURTH_DEFAULT_REPEAT_STRIDE = 2;
constexpr uint32_t DEFAULT_REDUCE_DST_REP_STRIDE = 1;
constexpr uint16_t DEFAULT_DATA_COPY_NBURST = 1;
constexpr uint16_t DEFAULT_DATA_COPY_STRIDE = 0;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t B16_BYTE_SIZE = 2;
constexpr int32_t B32_BYTE_SIZE = 4;
constexpr int32_t B64_BYTE_SIZE = 8;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t BYTE_PER_FRACTAL = 512;
constexpr int32_t BRCB_BROADCAST_NUMBER = 8;
constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr int32_t MRG_SORT_ELEMENT_LEN = 4;
constexpr int32_t CACHE_LINE_SIZE = 64;
constexpr int32_t K_MAX_SHAPE_DIM = 8;
constexpr int32_t K_MAX_DIM = 8;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t FULL_MASK = 0xffffffffffffffffULL;
constexpr int32_t RESERVED_WORKSPACE = 16 * 1024 * 1024;
constexpr int32_t TOTAL_UB_SIZE = cpu::kC220 ? 192 * 1024 : 248 * 1024;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = cpu::kC220 ? 184 * 1024 : 248 * 1024;
constexpr int32_t TMP_UB_OFFSET = cpu::kC220 ? 184 * 1024 : 248 * 1024;
constexpr int32_t TMP_UB_SIZE = 8 * 1024;
constexpr int32_t TOTAL_L1_SIZE = 512 * 1024;
constexpr int32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr int32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr int32_t TOTAL_L0C_SIZE = cpu::kC220 ? 128 * 1024 : 256 * 1024;
constexpr int32_t AIV_CORE_NUM = cpu::kC220 ? 50 : 72;
constexpr MutexID MAX_MUTEXID = 27;
constexpr TBufId MAX_TBUFID = 31;
constexpr GatherMaskMode defaultGatherMaskMode = cpu::kC220 ? GatherMaskMode::VERSION_V2 : GatherMaskMode::VERSION_V1;
constexpr GatherMaskMode defaultGahterMaskMode = defaultGatherMaskMode;

namespace cpu {

// The memory that a position lies in (table 2.1 of the API reference).
constexpr Hardware MemoryOf(TPosition position)
{
    switch (position) {
        case TPosition::VECIN:
        case TPosition::VECOUT:
        case TPosition::VECCALC:
            return Hardware::UB;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
        case TPosition::SHM:
            return Hardware::L1;
        case TPosition::A2:
            return Hardware::L0A;
        case TPosition::B2:
            return Hardware::L0B;
        case TPosition::CO1:
            return Hardware::L0C;
        case TPosition::C2:
            return Hardware::BIAS;
        case TPosition::C2PIPE2GM:
            return Hardware::FIXBUF;
        default:
            return Hardware::GM;
    }
}

// Bytes of each on-chip memory of one core.
constexpr uint32_t MemoryBytes(Hardware memory)
{
    switch (memory) {
        case Hardware::UB:
            return TOTAL_UB_SIZE;
        case Hardware::L1:
            return TOTAL_L1_SIZE;
        case Hardware::L0A:
            return TOTAL_L0A_SIZE;
        case Hardware::L0B:
            return TOTAL_L0B_SIZE;
        case Hardware::L0C:
            return TOTAL_L0C_SIZE;
        case Hardware::BIAS:
            return kC220 ? 1024 : 4096;
        case Hardware::FIXBUF:
            return kC220 ? 2048 : 4096;
        default:
            return 0;
    }
}

// The two ends of an event.
struct EventPipes {
    pipe_t from;
    pipe_t to;
};

constexpr EventPipes PipesOf(HardEvent event)
{
    constexpr EventPipes table[] = {
        {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2}, {PIPE_MTE1, PIPE_M},    {PIPE_M, PIPE_MTE1},    {PIPE_MTE2, PIPE_V},
        {PIPE_V, PIPE_MTE2},    {PIPE_MTE3, PIPE_V},    {PIPE_V, PIPE_MTE3},    {PIPE_M, PIPE_V},       {PIPE_V, PIPE_M},
        {PIPE_V, PIPE_V},       {PIPE_MTE3, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE3}, {PIPE_MTE1, PIPE_V},    {PIPE_MTE2, PIPE_M},
        {PIPE_M, PIPE_MTE2},    {PIPE_V, PIPE_MTE1},    {PIPE_M, PIPE_FIX},     {PIPE_FIX, PIPE_M},     {PIPE_MTE3, PIPE_MTE2},
        {PIPE_MTE2, PIPE_MTE3}, {PIPE_S, PIPE_V},       {PIPE_V, PIPE_S},       {PIPE_S, PIPE_MTE2},    {PIPE_MTE2, PIPE_S},
        {PIPE_S, PIPE_MTE3},    {PIPE_MTE3, PIPE_S},    {PIPE_MTE2, PIPE_FIX},  {PIPE_FIX, PIPE_MTE2},  {PIPE_FIX, PIPE_S},
        {PIPE_M, PIPE_S},       {PIPE_FIX, PIPE_MTE3},  {PIPE_MTE1, PIPE_FIX},  {PIPE_FIX, PIPE_MTE1},  {PIPE_FIX, PIPE_FIX},
    };
    return table[static_cast<uint8_t>(event)];
}

}  // namespace cpu
}  // namespace AscendC

#endif
