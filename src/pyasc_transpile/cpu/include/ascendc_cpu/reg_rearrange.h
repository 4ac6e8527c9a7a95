// Filling registers and moving lanes within them: Duplicate, Arange, Move, Interleave, Pack, Squeeze (API reference 8.4).
#ifndef ASCENDC_CPU_REG_REARRANGE_H
#define ASCENDC_CPU_REG_REARRANGE_H

#include "reg_arithmetic.h"
#include "reg_unaligned.h"

namespace AscendC {

// Special registers of the vector unit that kernels may ask for.
enum class SpecialPurposeReg : uint8_t { AR = 0 };

namespace cpu::reg {

struct DuplicateName {
    static constexpr const char* kName = "Duplicate";
};
using DuplicateRow = Row<DuplicateName, kAll | vec::kBool, true>;
struct MoveName {
    static constexpr const char* kName = "Copy";
};
using MoveRow = Row<MoveName, kAll | vec::kBool, true>;
struct ArangeRow {
    static constexpr Types kTypes = kSigned;
};
struct SqueezeRow {
    static constexpr Types kTypes = vec::kInts | vec::kFloats;
};

// A register whose lanes are all the same.
template <typename Register, typename T = typename Register::ActualT>
inline void Broadcast(Register& dst, T value, bool sure = true)
{
    for (uint32_t i = 0; i < Register::kLanes; ++i) {
        dst.lane[i] = value;
    }
    dst.SetKnown(0, Register::kSize, sure);
}

template <typename Row, typename T, MaskMergeMode mode, typename Register>
inline void BlendFrom(Register& dst, const Mask& mask, const Register& source)
{
    CheckElement<Row, T, Register>();
    CheckMode<Row, mode>();
    StepOf<Register>(Row::kName, Issue::Paired);
    const Register copy = source;
    BlendKnown<mode>(dst, mask, copy);
    Blend<mode>(dst, mask, copy.lane);
}

// Lane i of the row of both sources goes to lane To(i) of the row of both destinations.
template <typename Register, typename To>
inline void Permute(Register& dst0, Register& dst1, const Register& src0, const Register& src1, const To& to)
{
    StepOf<Register>("Interleave", Issue::Alone);
    const Register* const sources[] = {&src0, &src1};
    constexpr uint32_t lanes = Register::kLanes;
    Register out[2];
    for (uint32_t i = 0; i < 2 * lanes; ++i) {
        const uint32_t at = to(i);
        out[at / lanes].lane[at % lanes] = sources[i / lanes]->lane[i % lanes];
        out[at / lanes].Know(at % lanes, sources[i / lanes]->Sure(i % lanes));
    }
    dst0 = out[0];
    dst1 = out[1];
}

}  // namespace cpu::reg

namespace Reg {

template <typename T = DefaultType, typename U, typename S>
inline void Duplicate(S& dstReg, U scalarValue)
{
    cpu::reg::CheckElement<cpu::reg::DuplicateRow, T, S>();
    cpu::reg::StepOf<S>("Duplicate", cpu::reg::Issue::Paired);
    cpu::reg::Broadcast(dstReg, static_cast<typename S::ActualT>(scalarValue));
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U, typename S>
inline void Duplicate(S& dstReg, U scalarValue, MaskReg& mask)
{
    S all;
    cpu::reg::Broadcast(all, static_cast<typename S::ActualT>(scalarValue));
    cpu::reg::BlendFrom<cpu::reg::DuplicateRow, T, mode>(dstReg, mask, all);
}
// Lane 0, or the last lane.
template <typename T = DefaultType, HighLowPart pos = HighLowPart::LOWEST, MaskMergeMode mode = MaskMergeMode::ZEROING,
          typename S>
inline void Duplicate(S& dstReg, S& srcReg, MaskReg& mask)
{
    constexpr uint32_t from = pos == HighLowPart::LOWEST ? 0 : S::kLanes - 1;
    S all;
    cpu::reg::Broadcast(all, srcReg.lane[from], srcReg.Sure(from));
    cpu::reg::BlendFrom<cpu::reg::DuplicateRow, T, mode>(dstReg, mask, all);
}

// scalarValue + i, or downwards to scalarValue in the last lane.
template <typename T = DefaultType, IndexOrder order = IndexOrder::INCREASE_ORDER, typename U, typename S>
inline void Arange(S& dstReg, U scalarValue)
{
    cpu::reg::CheckElement<cpu::reg::ArangeRow, T, S>();
    cpu::reg::StepOf<S>("Adds", cpu::reg::Issue::Paired);
    using V = cpu::reg::WideOf<S>;
    const V first = cpu::reg::AsElement<S>(scalarValue);
    for (uint32_t i = 0; i < S::kLanes; ++i) {
        const uint32_t step = order == IndexOrder::INCREASE_ORDER ? i : S::kLanes - 1 - i;
        dstReg.lane[i] = static_cast<typename S::ActualT>(cpu::vec::AddOp{}(first, static_cast<V>(step)));
    }
    dstReg.SetKnown(0, S::kSize, true);
}

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U>
inline void Move(U& dstReg, U& srcReg, MaskReg mask)
{
    static_assert(mode == MaskMergeMode::MERGING, "Ascend C: Move keeps the lanes that the mask switches off");
    cpu::reg::BlendFrom<cpu::reg::MoveRow, T, mode>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, typename U>
inline void Move(U& dstReg, U& srcReg)
{
    cpu::reg::CheckElement<cpu::reg::MoveRow, T, U>();
    cpu::reg::StepOf<U>(cpu::reg::MoveRow::kName, cpu::reg::Issue::Paired);
    dstReg = srcReg;
}

// Lanes of both sources in turn; and back.
template <typename T = DefaultType, typename U>
inline void Interleave(U& dstReg0, U& dstReg1, U& srcReg0, U& srcReg1)
{
    constexpr uint32_t lanes = U::kLanes;
    cpu::reg::Permute(dstReg0, dstReg1, srcReg0, srcReg1, [](uint32_t i) { return i % lanes * 2 + i / lanes; });
}
template <typename T = DefaultType, typename U>
inline void DeInterleave(U& dstReg0, U& dstReg1, U& srcReg0, U& srcReg1)
{
    constexpr uint32_t lanes = U::kLanes;
    cpu::reg::Permute(dstReg0, dstReg1, srcReg0, srcReg1, [](uint32_t i) { return i % 2 * lanes + i / 2; });
}

// The low half of every lane, into one half of dst; the other half is 0.
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST, typename S, typename V>
inline void Pack(S& dstReg, V& srcReg)
{
    using D = typename S::ActualT;
    static_assert(std::is_unsigned_v<D> && std::is_integral_v<typename V::ActualT> && S::kLanes == 2 * V::kLanes,
                  "Ascend C: Pack makes uint8_t, uint16_t or uint32_t of integers of twice that width");
    cpu::reg::StepOf<V>("Interleave", cpu::reg::Issue::Alone);
    constexpr uint32_t begin = part == HighLowPart::LOWEST ? 0 : V::kLanes;
    S out;
    cpu::reg::Broadcast(out, D{0});
    for (uint32_t i = 0; i < V::kLanes; ++i) {
        out.lane[begin + i] = static_cast<D>(srcReg.lane[i]);
        out.Know(begin + i, srcReg.Sure(i));
    }
    dstReg = out;
}
// One half of the lanes at twice the width: with the sign, if there is one.
template <typename T = DefaultType, typename U = DefaultType, HighLowPart part = HighLowPart::LOWEST, typename S, typename V>
inline void UnPack(S& dstReg, V& srcReg)
{
    using D = typename S::ActualT;
    using F = typename V::ActualT;
    static_assert(std::is_integral_v<D> && std::is_integral_v<F> && std::is_signed_v<D> == std::is_signed_v<F> &&
                      2 * S::kLanes == V::kLanes,
                  "Ascend C: UnPack makes integers of twice the width and the same signedness");
    cpu::reg::StepOf<S>("Interleave", cpu::reg::Issue::Alone);
    constexpr uint32_t begin = part == HighLowPart::LOWEST ? 0 : S::kLanes;
    S out;
    for (uint32_t i = 0; i < S::kLanes; ++i) {
        out.lane[i] = static_cast<D>(srcReg.lane[begin + i]);
        out.Know(i, srcReg.Sure(begin + i));
    }
    dstReg = out;
}

// The lanes that are switched on, moved together; 0 behind them.
template <typename T = DefaultType, GatherMaskMode store = GatherMaskMode::NO_STORE_REG, typename U>
inline void Squeeze(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::CheckElement<cpu::reg::SqueezeRow, T, U>();
    cpu::reg::StepOf<U>("Squeeze", cpu::reg::Issue::Alone);
    U out;
    cpu::reg::Broadcast(out, static_cast<typename U::ActualT>(0));
    uint32_t count = 0;
    bool sure = true;
    for (uint32_t i = 0; i < U::kLanes; ++i) {
        sure = sure && mask.Sure(i * U::kPitch);
        if (mask.On(i * U::kPitch)) {
            out.lane[count] = srcReg.lane[i];
            out.Know(count, sure && srcReg.Sure(i));
            ++count;
        }
    }
    for (uint32_t i = count; i < U::kLanes; ++i) {
        out.Know(i, sure);
    }
    dstReg = out;
    if constexpr (store == GatherMaskMode::STORE_REG) {
        cpu::reg::t_squeezed.last = count * static_cast<uint32_t>(sizeof(typename U::ActualT));
        cpu::reg::t_squeezed.total += cpu::reg::t_squeezed.last;
    }
}

// How many lanes below are switched on.
template <typename T = DefaultType, typename U>
inline void Unsqueeze(U& dstReg, MaskReg& mask)
{
    using D = typename U::ActualT;
    static_assert(std::is_integral_v<D> && sizeof(D) <= 4, "Ascend C: Unsqueeze counts in integers of up to 32 bits");
    cpu::reg::StepOf<U>("Squeeze", cpu::reg::Issue::Alone);
    uint32_t count = 0;
    bool sure = true;
    for (uint32_t i = 0; i < U::kLanes; ++i) {
        dstReg.lane[i] = static_cast<D>(count);
        dstReg.Know(i, sure);
        count += mask.On(i * U::kPitch) ? 1 : 0;
        sure = sure && mask.Sure(i * U::kPitch);
    }
}

}  // namespace Reg

// AR: the bytes that Squeeze has counted.
template <SpecialPurposeReg spr>
inline int64_t GetSpr()
{
    return static_cast<int64_t>(cpu::reg::t_squeezed.total);
}
template <SpecialPurposeReg spr>
inline void ClearSpr()
{
    cpu::reg::t_squeezed = cpu::reg::Squeezed{};
}

namespace Reg {
using AscendC::ClearSpr;
using AscendC::GetSpr;
}  // namespace Reg

}  // namespace AscendC

#endif
