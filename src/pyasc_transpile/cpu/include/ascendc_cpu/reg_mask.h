// Mask registers: making them, logic on them, changes of their element width (API reference 8.2 and 8.4).
#ifndef ASCENDC_CPU_REG_MASK_H
#define ASCENDC_CPU_REG_MASK_H

#include "reg_types.h"
#include "vector_mask.h"

namespace AscendC {
namespace cpu::reg {

// The mask whose lane i, of elements T, is on when chosen(i).
template <typename T, const Reg::RegTrait& regTrait, typename Chosen>
inline Mask MakeMask(const char* name, const Chosen& chosen)
{
    using Register = Reg::RegTensor<T, regTrait>;
    Step(name, Column::i8, kBytes, Issue::Paired);
    using W = vec::Word<Register::kPitch>;
    alignas(64) W words[Register::kLanes];
    for (uint32_t i = 0; i < Register::kLanes; ++i) {
        words[i] = chosen(i) ? 1 : 0;
    }
    Mask mask;
    __builtin_memcpy(mask.bit, words, sizeof mask.bit);
    mask.SetKnown(0, kBytes, true);
    return mask;
}

constexpr bool InPattern(Reg::MaskPattern pattern, uint32_t i, uint32_t lanes)
{
    using Reg::MaskPattern;
    constexpr uint32_t lengths[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128};
    switch (pattern) {
        case MaskPattern::ALL:
            return true;
        case MaskPattern::ALLF:
            return false;
        case MaskPattern::M3:
            return i % 3 == 0;
        case MaskPattern::M4:
            return i % 4 == 0;
        case MaskPattern::H:
            return i < lanes / 2;
        case MaskPattern::Q:
            return i < lanes / 4;
        default:
            return i < lengths[static_cast<int>(pattern)];
    }
}

// dst = op(sources...) value by value, and 0 where the mask is off.
template <typename Op, typename... Sources>
inline void MaskLogic(const char* name, const Op& op, Mask& dst, const Mask& mask, const Sources&... sources)
{
    Step(name, Column::i8, kBytes, Issue::Paired);
    for (uint32_t at = 0; at < kBytes; ++at) {
        const bool sure = mask.Sure(at) && (!mask.On(at) || (sources.Sure(at) && ...));
        dst.Put(at, mask.On(at) && op(sources.On(at)...), sure);
    }
}

// Value `at` of dst is value From(at) of src; off where there is none (negative).
template <typename From>
inline void MaskMove(Mask& dst, const Mask& src, const From& from)
{
    Mask moved;
    for (uint32_t at = 0; at < kBytes; ++at) {
        const int source = from(static_cast<int>(at));
        moved.Put(at, source >= 0 && src.On(static_cast<uint32_t>(source)),
                  source < 0 || src.Sure(static_cast<uint32_t>(source)));
    }
    dst = moved;
}

// Elements of two masks, two after two: of the first, of the second.
template <typename T, bool kJoins>
inline void MaskZip(const char* name, Mask& dst0, Mask& dst1, const Mask& src0, const Mask& src1)
{
    Step(name, Column::i8, kBytes, Issue::Alone);
    constexpr uint32_t width = sizeof(T);
    const Mask* const sources[] = {&src0, &src1};
    Mask out[2];
    for (uint32_t at = 0; at < 2 * kBytes; ++at) {
        // Position `at` of the row in which elements of both alternate, and where it lies when they are apart.
        const uint32_t element = at / width;
        const uint32_t apart = element / 2 * width + at % width;
        const uint32_t side = element % 2;
        if constexpr (kJoins) {
            out[at / kBytes].Put(at % kBytes, sources[side]->On(apart), sources[side]->Sure(apart));
        } else {
            const Mask& source = *sources[at / kBytes];
            out[side].Put(apart, source.On(at % kBytes), source.Sure(at % kBytes));
        }
    }
    dst0 = out[0];
    dst1 = out[1];
}

}  // namespace cpu::reg

namespace Reg {

template <typename T, MaskPattern mode = MaskPattern::ALL, const RegTrait& regTrait = RegTraitNumOne>
inline MaskReg CreateMask()
{
    constexpr uint32_t lanes = RegTensor<T, regTrait>::kLanes;
    return cpu::reg::MakeMask<T, regTrait>("CreateMask", [](uint32_t i) { return cpu::reg::InPattern(mode, i, lanes); });
}

// The first `scalarValue` lanes; what is left for the following registers stays in scalarValue.
template <typename T, const RegTrait& regTrait = RegTraitNumOne>
inline MaskReg UpdateMask(uint32_t& scalarValue)
{
    constexpr uint32_t lanes = RegTensor<T, regTrait>::kLanes;
    const uint32_t count = scalarValue;
    scalarValue = count < lanes ? 0 : count - lanes;
    return cpu::reg::MakeMask<T, regTrait>("UpdateMask", [count](uint32_t i) { return i < count; });
}

// The mask of the memory instructions (SetVectorMask).
template <typename T>
inline MaskReg MoveMask()
{
    const cpu::VectorMask& set = cpu::CurrentBlock().mask;
    return cpu::reg::MakeMask<T, RegTraitNumOne>(
        "MoveMask", [&](uint32_t i) { return i < 128 && ((i < 64 ? set.low >> i : set.high >> (i - 64)) & 1) != 0; });
}

inline void Not(MaskReg& dst, MaskReg& src, MaskReg& mask)
{
    cpu::reg::MaskLogic("Not", [](bool a) { return !a; }, dst, mask, src);
}
inline void And(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask)
{
    cpu::reg::MaskLogic("And", [](bool a, bool b) { return a && b; }, dst, mask, src0, src1);
}
inline void Or(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask)
{
    cpu::reg::MaskLogic("Or", [](bool a, bool b) { return a || b; }, dst, mask, src0, src1);
}
inline void Xor(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask)
{
    cpu::reg::MaskLogic("Xor", [](bool a, bool b) { return a != b; }, dst, mask, src0, src1);
}
inline void Move(MaskReg& dst, MaskReg& src, MaskReg& mask)
{
    cpu::reg::MaskLogic("Copy", [](bool a) { return a; }, dst, mask, src);
}
inline void Move(MaskReg& dst, MaskReg& src)
{
    cpu::reg::Step("Copy", cpu::Column::i8, cpu::reg::kBytes, cpu::reg::Issue::Paired);
    dst = src;
}
// Of src0 where mask is on, of src1 elsewhere.
inline void Select(MaskReg& dst, MaskReg& src0, MaskReg& src1, MaskReg& mask)
{
    cpu::reg::Step("Select", cpu::Column::i8, cpu::reg::kBytes, cpu::reg::Issue::Paired);
    for (uint32_t at = 0; at < cpu::reg::kBytes; ++at) {
        const MaskReg& source = mask.On(at) ? src0 : src1;
        dst.Put(at, source.On(at), mask.Sure(at) && source.Sure(at));
    }
}

template <typename T>
inline void Interleave(MaskReg& dst0, MaskReg& dst1, MaskReg& src0, MaskReg& src1)
{
    cpu::reg::MaskZip<T, true>("Interleave", dst0, dst1, src0, src1);
}
template <typename T>
inline void DeInterleave(MaskReg& dst0, MaskReg& dst1, MaskReg& src0, MaskReg& src1)
{
    cpu::reg::MaskZip<T, false>("DeInterleave", dst0, dst1, src0, src1);
}

// Every second value into one half of dst; the other half is off.
template <HighLowPart part = HighLowPart::LOWEST>
inline void Pack(MaskReg& dst, MaskReg& src)
{
    constexpr int half_size = static_cast<int>(cpu::reg::kBytes) / 2;
    constexpr int begin = part == HighLowPart::LOWEST ? 0 : half_size;
    cpu::reg::Step("Interleave", cpu::Column::i8, cpu::reg::kBytes, cpu::reg::Issue::Alone);
    cpu::reg::MaskMove(dst, src, [](int at) { return at >= begin && at < begin + half_size ? 2 * (at - begin) : -1; });
}
// One half of src, each value followed by one that is off.
template <HighLowPart part = HighLowPart::LOWEST>
inline void UnPack(MaskReg& dst, MaskReg& src)
{
    constexpr int begin = part == HighLowPart::LOWEST ? 0 : static_cast<int>(cpu::reg::kBytes) / 2;
    cpu::reg::Step("Interleave", cpu::Column::i8, cpu::reg::kBytes, cpu::reg::Issue::Alone);
    cpu::reg::MaskMove(dst, src, [](int at) { return at % 2 == 0 ? begin + at / 2 : -1; });
}

// The bits of block `offset` of a register: 128 bits for 16-bit lanes, 64 for 32-bit lanes, one bit per lane.
template <typename T = DefaultType, int16_t offset, typename U>
inline void MaskGenWithRegTensor(MaskReg& dst, U& srcReg)
{
    constexpr uint32_t width = sizeof(typename U::ActualT);
    static_assert(width == 2 || width == 4, "Ascend C: MaskGenWithRegTensor takes registers of 16 and 32-bit elements");
    static_assert(offset >= 0 && offset < static_cast<int16_t>(8 * width), "Ascend C: the register has no such block of bits");
    constexpr uint32_t bytes = cpu::reg::kBytes / (8 * width);
    cpu::reg::Step("Interleave", cpu::Column::i8, 4 * cpu::reg::kBytes, cpu::reg::Issue::Alone);
    uint8_t bits[bytes];
    __builtin_memcpy(bits, reinterpret_cast<const uint8_t*>(srcReg.lane) + offset * bytes, bytes);
    for (uint32_t at = 0; at < cpu::reg::kBytes; ++at) {
        const uint32_t lane = at / width;
        dst.Put(at, (bits[lane / 8] >> (lane % 8) & 1) != 0, srcReg.AllKnown(offset * bytes + lane / 8, 1));
    }
}

}  // namespace Reg
}  // namespace AscendC

#endif
