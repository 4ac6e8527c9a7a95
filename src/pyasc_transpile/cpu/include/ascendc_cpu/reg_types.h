// Names of the register instructions' options (API reference 8.2), and the two kinds of registers.
#ifndef ASCENDC_CPU_REG_TYPES_H
#define ASCENDC_CPU_REG_TYPES_H

#include "numeric.h"
#include "reduce_ops.h"
#include "vector_binary.h"
#include "vector_function.h"
#include "vector_types.h"
#include "vector_unary.h"

#define __local_mem__

namespace AscendC::Reg {

struct DefaultType {};

enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };
enum class MaskMergeMode { UNKNOWN, MERGING, ZEROING };
enum class IndexOrder { INCREASE_ORDER, DECREASE_ORDER };
enum class HighLowPart { LOWEST, HIGHEST };
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
enum class MaskPattern { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF = 15 };
enum class MaskDist { DIST_NORM, DIST_US = 1, DIST_DS = 2, DIST_PACK = 1 };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class DataCopyMode { DATA_BLOCK_COPY };
enum class GatherMaskMode { NO_STORE_REG, STORE_REG };
enum class PairReduce { SUM };
using AscendC::ReduceType;

enum class LoadDist {
    DIST_NORM = 0,
    DIST_BRC_B8 = 1,
    DIST_BRC_B16 = 2,
    DIST_BRC_B32 = 3,
    DIST_US_B8 = 6,
    DIST_US_B16 = 7,
    DIST_DS_B8 = 8,
    DIST_DS_B16 = 9,
    DIST_BDINTLV = 10,
    DIST_DINTLV_B8 = 11,
    DIST_DINTLV_B16 = 12,
    DIST_UNPACK_B8 = 13,
    DIST_UNPACK_B16 = 14,
    DIST_BLK = 15,
    DIST_E2B_B16 = 16,
    DIST_E2B_B32 = 17,
    DIST_UNPACK_B32 = 18,
    DIST_DINTLV_B32 = 19,
    DIST_UNPACK4_B8 = 20,
};

enum class StoreDist {
    DIST_NORM_B8 = 0,
    DIST_NORM_B16 = 1,
    DIST_NORM_B32 = 2,
    DIST_FIRST_ELEMENT_B8 = 3,
    DIST_FIRST_ELEMENT_B16 = 4,
    DIST_FIRST_ELEMENT_B32 = 5,
    DIST_PACK_B16 = 6,
    DIST_PACK_B32 = 7,
    DIST_INTLV_B8 = 8,
    DIST_INTLV_B16 = 9,
    DIST_PACK_B64 = 10,
    DIST_INTLV_B32 = 11,
    DIST_PACK4_B32 = 12,
    DIST_NORM = 16,
};

struct CastTrait {
    RegLayout layoutMode = RegLayout::UNKNOWN;
    SatMode satMode = SatMode::UNKNOWN;
    MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
    RoundMode roundMode = RoundMode::UNKNOWN;
};
inline constexpr CastTrait castTrait = {};

// Which algorithm the device uses does not matter here: results are rounded correctly.
struct ExpSpecificMode {
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    ExpAlgo algo = ExpAlgo::INTRINSIC;
};
struct LnSpecificMode {
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    LnAlgo algo = LnAlgo::INTRINSIC;
};
struct DivSpecificMode {
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    bool precisionMode = false;
    DivAlgo algo = DivAlgo::INTRINSIC;
};
struct SqrtSpecificMode {
    MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
    bool precisionMode = false;
    SqrtAlgo algo = SqrtAlgo::INTRINSIC;
};

// How many vector registers a RegTensor is made of; two for 64-bit types with as many lanes as 32-bit ones.
struct RegTrait {
    int REG_NUM = 1;
};
inline constexpr RegTrait RegTraitNumOne = {1};
inline constexpr RegTrait RegTraitNumTwo = {2};

}  // namespace AscendC::Reg

namespace AscendC {
namespace MicroAPI = Reg;
}

// Apart from the functions of cpu::reg: kernels call instructions without a namespace, and these types must not bring those in.
namespace AscendC::cpu::registers {

inline constexpr uint32_t kBytes = 256;  // of one vector register

// Which bytes of a register are defined: known in the checked build only. Everywhere else it has no size and knows all.
template <uint32_t kSize, bool = kChecked>
struct Known {
    bool AllKnown(uint32_t, uint32_t) const { return true; }
    void SetKnown(uint32_t, uint32_t, bool) {}
    uint8_t* KnownBytes() { return nullptr; }
};
template <uint32_t kSize>
struct Known<kSize, true> {
    bool AllKnown(uint32_t at, uint32_t count) const { return std::memchr(known_ + at, 0, count) == nullptr; }
    void SetKnown(uint32_t at, uint32_t count, bool known) { std::memset(known_ + at, known ? 1 : 0, count); }
    uint8_t* KnownBytes() { return known_; }

private:
    uint8_t known_[kSize] = {};
};

// A mask register: a truth value per byte of a vector register. Lane i of elements of w bytes is switched by value w*i; the
// device has a bit in place of each byte here.
struct Mask : Known<kBytes> {
    Mask() {}
    bool On(uint32_t at) const { return (bit[at] & 1) != 0; }
    bool Sure(uint32_t at) const { return AllKnown(at, 1); }
    void Put(uint32_t at, bool on, bool sure = true)
    {
        bit[at] = on ? 1 : 0;
        SetKnown(at, 1, sure);
    }

    alignas(32) uint8_t bit[kBytes];
};

}  // namespace AscendC::cpu::registers

namespace AscendC::cpu::reg {

using registers::kBytes;
using registers::Known;
using registers::Mask;

// The unsigned integer of `kSize` bytes at an address.
template <size_t kSize>
inline vec::Word<kSize> LoadWord(const void* at)
{
    vec::Word<kSize> word;
    __builtin_memcpy(&word, at, kSize);
    return word;
}

}  // namespace AscendC::cpu::reg

namespace AscendC::Reg {

using MaskReg = cpu::registers::Mask;

// A vector register. Its lanes are undefined until an instruction writes them.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
struct RegTensor : cpu::registers::Known<cpu::registers::kBytes * regTrait.REG_NUM> {
    static_assert(cpu::vec::kTypeOf<T> != cpu::vec::kNone, "Ascend C: vector registers do not hold elements of this type");
    static_assert(regTrait.REG_NUM == 1 || sizeof(T) == 8, "Ascend C: RegTraitNumTwo is for 64-bit elements");

    using ActualT = T;
    static constexpr RegTrait trait = regTrait;
    static constexpr int REG_NUM = trait.REG_NUM;

    // --- for the instructions of this library ---------------------------------------------------------------------
    static constexpr uint32_t kSize = cpu::registers::kBytes * REG_NUM;  // in bytes
    static constexpr uint32_t kLanes = kSize / sizeof(T);
    static constexpr uint32_t kPitch = cpu::registers::kBytes / kLanes;  // from one lane's mask value to the next one's

    RegTensor() {}
    bool Sure(uint32_t i) const { return this->AllKnown(i * static_cast<uint32_t>(sizeof(T)), sizeof(T)); }
    void Know(uint32_t i, bool sure) { this->SetKnown(i * static_cast<uint32_t>(sizeof(T)), sizeof(T), sure); }

    alignas(32) T lane[kLanes];
};

}  // namespace AscendC::Reg

#endif
