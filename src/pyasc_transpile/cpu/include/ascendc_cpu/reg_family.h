// The one place where lane by lane register instructions run. An instruction is a Row: the operation (shared with the memory
// instructions, vector_ops.h), the dtypes that it takes in registers, and whether it can keep lanes that the mask switches off.
#ifndef ASCENDC_CPU_REG_FAMILY_H
#define ASCENDC_CPU_REG_FAMILY_H

#include "reg_types.h"
#include "vector_family.h"

namespace AscendC::cpu::reg {

using Reg::DefaultType;
using Reg::MaskMergeMode;
using Reg::RegLayout;
using vec::Types;

template <typename Operation, Types kTakes, bool kCanMerge = false>
struct Row {
    using Op = Operation;
    static constexpr const char* kName = Operation::kName;
    static constexpr Types kTypes = kTakes;
    static constexpr bool kMerges = kCanMerge;
};

// The element type that a register instruction is told must be that of its register. Row is named in the line above a message.
template <typename Row, typename T, typename Register>
constexpr void CheckElement()
{
    using Element = typename Register::ActualT;
    static_assert(std::is_same_v<T, DefaultType> || std::is_same_v<T, Element>,
                  "Ascend C: the template argument of a register instruction is not the element type of its register");
    static_assert((Row::kTypes & vec::kTypeOf<Element>) != 0,
                  "Ascend C: this register instruction (Row) does not take registers of this element type");
}

template <typename Row, MaskMergeMode mode>
constexpr void CheckMode()
{
    static_assert(mode == MaskMergeMode::ZEROING || (Row::kMerges && mode == MaskMergeMode::MERGING),
                  "Ascend C: this register instruction (Row) does not have this MaskMergeMode");
}

// Some instructions take their mode as a MaskMergeMode or as the address of a structure that has one.
template <auto mode>
constexpr MaskMergeMode ModeOf()
{
    if constexpr (std::is_same_v<decltype(mode), MaskMergeMode>) {
        return mode;
    } else {
        return mode->mrgMode;
    }
}

// An instruction on whole registers of elements T.
template <typename Register>
inline void StepOf(const char* name, Issue issue)
{
    Step(name, ColumnOf<typename Register::ActualT>(), Register::kSize, issue);
}

// Lanes that the mask selects become those of `result`, the others 0, or stay.
template <MaskMergeMode mode, typename Register>
inline void Blend(Register& dst, const Mask& mask, const void* result)
{
    constexpr size_t size = sizeof(typename Register::ActualT);
    using W = vec::Word<size>;
    unsigned char* const to = reinterpret_cast<unsigned char*>(dst.lane);
    const unsigned char* const from = static_cast<const unsigned char*>(result);
    ASCENDC_CPU_LANES
    for (uint32_t i = 0; i < Register::kLanes; ++i) {
        const bool on = (LoadWord<Register::kPitch>(mask.bit + i * Register::kPitch) & 1) != 0;
        const W rest = mode == MaskMergeMode::MERGING ? LoadWord<size>(to + i * size) : W{0};
        const W word = on ? LoadWord<size>(from + i * size) : rest;
        __builtin_memcpy(to + i * size, &word, size);
    }
}

// Lane i of dst is defined when lane i of all sources is; a lane that is switched off is 0, or what it was.
template <MaskMergeMode mode, typename Register, typename... Sources>
inline void BlendKnown(Register& dst, const Mask& mask, const Sources&... sources)
{
    if constexpr (kChecked) {
        for (uint32_t i = 0; i < Register::kLanes; ++i) {
            const uint32_t at = i * Register::kPitch;
            const bool fine = mask.On(at) ? (sources.Sure(i) && ...) : mode == MaskMergeMode::ZEROING || dst.Sure(i);
            dst.Know(i, fine && mask.Sure(at));
        }
    }
}

// dst = op(sources...), lane by lane.
template <typename Row, typename T, MaskMergeMode mode, typename Register, typename... Sources>
inline void RunLanes(const typename Row::Op& op, Register& dst, const Mask& mask, const Sources&... sources)
{
    CheckElement<Row, T, Register>();
    CheckMode<Row, mode>();
    StepOf<Register>(Row::kName, Issue::Paired);
    alignas(64) typename Register::ActualT result[Register::kLanes];
    vec::Map(op, Register::kLanes, result, sources.lane...);
    BlendKnown<mode>(dst, mask, sources...);
    Blend<mode>(dst, mask, result);
}

// Where the lanes of a register lie that meets another one with wider elements, that is fewer lanes: every kStep-th, from
// kFirst on.
template <typename Register, uint32_t kLanes, RegLayout layout>
struct Sparse {
    static constexpr uint32_t kStep = Register::kLanes / kLanes;
    static_assert(kStep == 1 || (static_cast<int>(layout) >= 0 && static_cast<uint32_t>(layout) < kStep),
                  "Ascend C: the RegLayout must be one of ZERO ... as many as narrow elements fit into a wide one");
    static constexpr uint32_t kFirst = kStep == 1 ? 0 : static_cast<uint32_t>(layout);
    static constexpr uint32_t At(uint32_t i) { return i * kStep + kFirst; }
};

// dst = op(sources...) when elements of dst and of the sources differ in width. The mask selects lanes of the sources; what
// is not written is 0.
template <RegLayout layout, typename Op, typename Register, typename Source, typename... Sources>
inline void RunSparse(const Op& op, Register& dst, const Mask& mask, const Source& source, const Sources&... sources)
{
    using D = typename Register::ActualT;
    using S = typename Source::ActualT;
    constexpr uint32_t lanes = Register::kLanes < Source::kLanes ? Register::kLanes : Source::kLanes;
    using To = Sparse<Register, lanes, layout>;
    using From = Sparse<Source, lanes, layout>;
    alignas(64) S picked[1 + sizeof...(Sources)][lanes];
    const Source* const all[] = {&source, &sources...};
    for (size_t k = 0; k <= sizeof...(Sources); ++k) {
        for (uint32_t i = 0; i < lanes; ++i) {
            picked[k][i] = all[k]->lane[From::At(i)];
        }
    }
    alignas(64) D result[lanes];
    if constexpr (sizeof...(Sources) == 0) {
        vec::Map(op, lanes, result, picked[0]);
    } else {
        static_assert(sizeof...(Sources) == 1);
        vec::Map(op, lanes, result, picked[0], picked[1]);
    }
    bool fine[lanes];
    for (uint32_t i = 0; i < lanes; ++i) {
        const uint32_t at = From::At(i) * Source::kPitch;
        fine[i] = mask.Sure(at) && (!mask.On(at) || (source.Sure(From::At(i)) && (sources.Sure(From::At(i)) && ...)));
    }
    if constexpr (To::kStep != 1) {
        __builtin_memset(static_cast<void*>(dst.lane), 0, sizeof dst.lane);
        dst.SetKnown(0, Register::kSize, true);
    }
    for (uint32_t i = 0; i < lanes; ++i) {
        const bool on = mask.On(From::At(i) * Source::kPitch);
        dst.lane[To::At(i)] = on ? result[i] : num::BitCast<D>(vec::Word<sizeof(D)>{0});
        dst.Know(To::At(i), fine[i]);
    }
}

}  // namespace AscendC::cpu::reg

#endif
