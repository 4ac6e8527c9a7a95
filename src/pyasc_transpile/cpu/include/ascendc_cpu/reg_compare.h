// Comparisons into mask registers, and selection by them (API reference 8.4).
#ifndef ASCENDC_CPU_REG_COMPARE_H
#define ASCENDC_CPU_REG_COMPARE_H

#include "reg_arithmetic.h"
#include "vector_compare.h"

namespace AscendC {
namespace cpu::reg {

using CompareRow = Row<vec::CompareOp, kAll>;
struct SelectRow {
    static constexpr Types kTypes = kAll | vec::kBool;
};

// Truth values of lanes that the mask switches off are 0.
template <typename T, CMPMODE mode, typename Register, typename Second, typename... Sources>
inline void CompareLanes(Mask& dst, const Mask& mask, const Register& first, const Second& second, const Sources&... sources)
{
    CheckElement<CompareRow, T, Register>();
    StepOf<Register>(CompareRow::kName, Issue::Paired);
    constexpr uint32_t lanes = Register::kLanes;
    using V = WideOf<Register>;
    alignas(64) V a[lanes];
    alignas(64) V b[lanes];
    for (uint32_t i = 0; i < lanes; ++i) {
        a[i] = static_cast<V>(first.lane[i]);
        b[i] = second(i);
    }
    using W = vec::Word<Register::kPitch>;
    alignas(64) W on[lanes];
    for (uint32_t i = 0; i < lanes; ++i) {
        const W selected = LoadWord<Register::kPitch>(mask.bit + i * Register::kPitch) & 1;
        on[i] = vec::Comparison<mode>{}(a[i], b[i]) ? selected : W{0};
    }
    if constexpr (kChecked) {
        Mask out;
        out.SetKnown(0, kBytes, true);
        for (uint32_t i = 0; i < lanes; ++i) {
            const uint32_t at = i * Register::kPitch;
            const bool sure = first.Sure(i) && (sources.Sure(i) && ...);
            out.SetKnown(at, 1, mask.Sure(at) && (!mask.On(at) || sure));
        }
        dst = out;
    }
    __builtin_memcpy(dst.bit, on, sizeof on);
}

}  // namespace cpu::reg

namespace Reg {

template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U>
inline void Compare(MaskReg& dst, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    using V = cpu::reg::WideOf<U>;
    cpu::reg::CompareLanes<T, mode>(dst, mask, srcReg0, [&](uint32_t i) { return static_cast<V>(srcReg1.lane[i]); }, srcReg1);
}
template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename S>
inline void Compares(MaskReg& dst, U& srcReg, S scalarValue, MaskReg& mask)
{
    const auto number = cpu::reg::AsElement<U>(scalarValue);
    cpu::reg::CompareLanes<T, mode>(dst, mask, srcReg, [&](uint32_t) { return number; });
}

// Lane i of src0 where the mask is on, of src1 elsewhere.
template <typename T = DefaultType, typename U>
inline void Select(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::CheckElement<cpu::reg::SelectRow, T, U>();
    cpu::reg::StepOf<U>("Select", cpu::reg::Issue::Paired);
    U out = srcReg1;
    cpu::reg::BlendKnown<MaskMergeMode::MERGING>(out, mask, srcReg0);
    cpu::reg::Blend<MaskMergeMode::MERGING>(out, mask, srcReg0.lane);
    dstReg = out;
}

}  // namespace Reg
}  // namespace AscendC

#endif
