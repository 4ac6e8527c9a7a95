// Gather, GatherB and Scatter between UB and registers, and Gather within a register (API reference 8.3 and 8.4).
#ifndef ASCENDC_CPU_REG_GATHER_H
#define ASCENDC_CPU_REG_GATHER_H

#include "reg_move.h"

namespace AscendC {
namespace cpu::reg {

// The address depends on an index, so an undefined one is a fault here and now.
template <typename Index>
inline uint64_t IndexOf(const char* name, const Index& index, uint32_t i)
{
    if (kChecked && !index.Sure(i)) {
        Fault("uninitialised", "%s: lane %u of the indices has never been written", name, i);
    }
    return index.lane[i];
}

template <typename T, typename Index>
constexpr void CheckIndex()
{
    using I = typename Index::ActualT;
    static_assert(
        std::is_unsigned_v<I> && (sizeof(T) <= 2 ? sizeof(I) == 2 : sizeof(I) == 4 || (sizeof(T) == 8 && sizeof(I) == 8)),
        "Ascend C: indices are uint16_t for 8 and 16-bit elements, uint32_t for 32-bit ones, either wide type for 64-bit ones");
}

inline void CheckBase(const char* name, const void* base)
{
    if (kChecked && reinterpret_cast<uint64_t>(base) % ONE_BLK_SIZE != 0) {
        Fault("alignment", "%s: the base address is not a multiple of 32 bytes", name);
    }
}

template <typename Register, typename T, typename Index>
inline void GatherUb(Register& dst, const T* base, const Index& index, const Mask& mask)
{
    using D = typename Register::ActualT;
    static_assert(std::is_same_v<D, T> || (sizeof(D) == 2 && sizeof(T) == 1 && std::is_signed_v<D> == std::is_signed_v<T>),
                  "Ascend C: Gather takes elements of the register's type, or 8-bit ones into 16-bit lanes");
    CheckIndex<T, Index>();
    CheckBase("Gather", base);
    StepOf<Register>("Gather", Issue::Alone);
    Register out;
    __builtin_memset(static_cast<void*>(out.lane), 0, sizeof out.lane);
    out.SetKnown(0, Register::kSize, true);
    for (uint32_t i = 0; i < Register::kLanes; ++i) {
        const uint32_t at = i * Register::kPitch;
        if (mask.On(at)) {
            Staged<sizeof(T)> element;
            element.Fetch({"Gather", base, base + IndexOf("Gather", index, i), sizeof(T), 1, &dst});
            __builtin_memcpy(static_cast<void*>(&out.lane[i]), element.data, sizeof(T));
            out.Know(i, mask.Sure(at) && element.AllKnown(0, sizeof(T)));
        } else {
            out.Know(i, mask.Sure(at));
        }
    }
    dst = out;
}

// Blocks of 32 bytes at byte offsets; mask value 4 k switches block k.
template <typename Register, typename T, typename Index>
inline void GatherBlocks(Register& dst, const T* base, const Index& index, const Mask& mask)
{
    CheckPointer<T, Register>();
    static_assert(std::is_same_v<typename Index::ActualT, uint32_t>, "Ascend C: GatherB takes uint32_t offsets");
    CheckBase("GatherB", base);
    StepOf<Register>("Gather", Issue::Alone);
    Staged<kBytes> staged;
    __builtin_memset(staged.data, 0, kBytes);
    staged.SetKnown(0, kBytes, true);
    for (uint32_t block = 0; block < kBytes / ONE_BLK_SIZE; ++block) {
        if (mask.On(4 * block)) {
            const uint64_t offset = IndexOf("GatherB", index, block);
            staged.Fetch({"GatherB", base, Further(base, offset), ONE_BLK_SIZE, ONE_BLK_SIZE, &dst}, block * ONE_BLK_SIZE);
        }
    }
    staged.Into(dst);
}

// 8-bit elements come from the even lanes.
template <typename T, typename Register, typename Index>
inline void ScatterUb(T* base, Register& src, const Index& index, const Mask& mask)
{
    CheckPointer<T, Register>();
    CheckIndex<T, Index>();
    CheckBase("Scatter", base);
    StepOf<Register>("Scatter", Issue::SlowStore);
    constexpr uint32_t step = sizeof(T) == 1 ? 2 : 1;
    for (uint32_t i = 0; i < Register::kLanes / step; ++i) {
        const uint32_t lane = i * step;
        if (mask.On(lane * Register::kPitch)) {
            T* const to = base + IndexOf("Scatter", index, i);
            Writes({"Scatter", base, to, sizeof(T), 1, &src});
            *to = src.lane[lane];
            PutDefined(to, src.KnownBytes() + (kChecked ? lane * sizeof(T) : 0), sizeof(T));
        }
    }
}

}  // namespace cpu::reg

namespace Reg {

template <typename T0 = DefaultType, typename T1, typename T2 = DefaultType, typename T3, typename T4>
inline void Gather(T3& dstReg, __ubuf__ T1* baseAddr, T4& index, MaskReg& mask)
{
    cpu::reg::GatherUb(dstReg, baseAddr, index, mask);
}
template <typename T = DefaultType, typename U, typename S>
inline void GatherB(U& dstReg, __ubuf__ T* baseAddr, S& index, MaskReg& mask)
{
    cpu::reg::GatherBlocks(dstReg, baseAddr, index, mask);
}
template <typename T = DefaultType, typename U = DefaultType, typename S, typename V>
inline void Scatter(__ubuf__ T* baseAddr, S& srcReg, V& index, MaskReg& mask)
{
    cpu::reg::ScatterUb(baseAddr, srcReg, index, mask);
}

// dst[i] = src[index[i]]; indices count modulo the number of lanes.
template <typename T = DefaultType, typename U = DefaultType, typename S, typename V>
inline void Gather(S& dstReg, S& srcReg, V& indexReg)
{
    static_assert(std::is_unsigned_v<typename V::ActualT> && V::kLanes == S::kLanes,
                  "Ascend C: the indices of Gather are unsigned lanes of the same width");
    cpu::reg::StepOf<S>("Gather", cpu::reg::Issue::Alone);
    S out;
    for (uint32_t i = 0; i < S::kLanes; ++i) {
        const uint32_t from = static_cast<uint32_t>(indexReg.lane[i]) % S::kLanes;
        out.lane[i] = srcReg.lane[from];
        out.Know(i, indexReg.Sure(i) && srcReg.Sure(from));
    }
    dstReg = out;
}

}  // namespace Reg
}  // namespace AscendC

#endif
