// Arithmetic, bits and shifts on vector registers (API reference 8.4).
#ifndef ASCENDC_CPU_REG_ARITHMETIC_H
#define ASCENDC_CPU_REG_ARITHMETIC_H

#include "math_ops.h"
#include "reg_family.h"
#include "vector_binary.h"
#include "vector_free.h"
#include "vector_unary.h"

namespace AscendC {
namespace cpu::reg {

inline constexpr Types kAll = vec::kInts | vec::kHalf | vec::kBf16 | vec::kFloat;
inline constexpr Types kBytesToo = vec::kS8 | vec::kU8;
inline constexpr Types kSigned = vec::kS8 | vec::kS16 | vec::kHalf | vec::kS32 | vec::kFloat | vec::kS64;
inline constexpr Types kWords = vec::kS32 | vec::kU32;

using AddRow = Row<vec::AddOp, kAll, true>;
using SubRow = Row<vec::SubOp, kAll>;
using MulRow = Row<vec::MulOp, kAll & ~kBytesToo>;
using DivRow = Row<vec::DivOp, vec::kS16 | vec::kU16 | kWords | vec::k64 | vec::kFloats>;
using MaxRow = Row<vec::MaxOp, kAll, true>;
using MinRow = Row<vec::MinOp, kAll, true>;
using AndRow = Row<vec::AndOp, vec::kInts | vec::kBool>;
using OrRow = Row<vec::OrOp, vec::kInts | vec::kBool>;
using XorRow = Row<vec::XorOp, vec::kInts | vec::kBool>;
using PreluRow = Row<vec::PreluOp, vec::kFloats>;
using ShiftLeftRow = Row<vec::ShiftLeftOp, vec::kInts>;
using ShiftRightRow = Row<vec::ShiftRightOp, vec::kInts>;

using AbsRow = Row<vec::AbsOp, kSigned>;
using NegRow = Row<vec::NegOp, kSigned>;
using ReluRow = Row<vec::ReluOp, vec::kHalf | vec::kS32 | vec::kFloat | vec::kS64>;
using NotRow = Row<vec::NotOp, vec::kInts | vec::kFloats>;
using ExpRow = Row<vec::ExpOp, vec::kFloats>;
using LnRow = Row<vec::LnOp, vec::kFloats>;
using LogRow = Row<vec::LogOp, vec::kFloats>;
using Log2Row = Row<vec::Log2Op, vec::kFloats>;
using Log10Row = Row<vec::Log10Op, vec::kFloats>;
using SqrtRow = Row<vec::SqrtOp, vec::kFloats>;

// Multiply-add instructions are told the dtype that they round to.
template <typename T>
using MulAddDstRow = Row<vec::MulAddDstOp<T>, kAll & ~kBytesToo>;
template <typename T>
using MulDstAddRow = Row<vec::FusedMulAddOp<T>, vec::kFloats | vec::kBf16>;
template <typename T>
using AxpyRow = Row<vec::AxpyOp<T>, vec::kFloats | vec::k64>;

struct AbsSubOp : vec::AbsSubOp {
    template <typename V>
    V operator()(V a, V b) const
    {
        return vec::AbsOp{}(vec::SubOp{}(a, b));
    }
};
using AbsSubRow = Row<AbsSubOp, vec::kFloats | vec::kS64>;

// The same with a number in place of the second source.
template <typename Row, typename N, Types kTakes>
using NumberRow = reg::Row<vec::Bound<typename Row::Op, N>, kTakes>;
template <typename T>
using AddsRow = NumberRow<Row<vec::AddsOp, kAll>, T, kAll>;
template <typename T>
using MulsRow = NumberRow<Row<vec::MulsOp, kAll>, T, kAll & ~(kBytesToo | vec::kBf16)>;
template <typename T>
using MaxsRow = NumberRow<Row<vec::MaxsOp, kAll>, T, kAll>;
template <typename T>
using MinsRow = NumberRow<Row<vec::MinsOp, kAll>, T, kAll>;
template <typename T>
using LeakyReluRow = NumberRow<Row<vec::LeakyReluOp, kAll>, T, vec::kFloats>;
using ShiftLeftsRow = NumberRow<ShiftLeftRow, int16_t, vec::kInts>;
using ShiftRightsRow = NumberRow<ShiftRightRow, int16_t, vec::kInts>;

template <typename Row, typename T, MaskMergeMode mode, typename Register, typename... Sources>
inline void Plain(Register& dst, const Mask& mask, const Sources&... sources)
{
    RunLanes<Row, T, mode>(typename Row::Op{}, dst, mask, sources...);
}

template <typename Row, typename T, MaskMergeMode mode, typename Register, typename Amounts>
inline void Shift(Register& dst, const Mask& mask, const Register& source, const Amounts& amounts)
{
    static_assert(Register::kLanes == Amounts::kLanes && std::is_signed_v<typename Amounts::ActualT>,
                  "Ascend C: shifts are by signed lanes of the same width");
    Plain<Row, T, mode>(dst, mask, source, amounts);
}

// A number as lanes of a register hold it, in the type that is computed in.
template <typename Register, typename N>
inline auto AsElement(N number)
{
    using T = typename Register::ActualT;
    return static_cast<num::Wide<T>>(static_cast<T>(number));
}
template <typename Register>
using WideOf = num::Wide<typename Register::ActualT>;

template <typename Row, typename T, MaskMergeMode mode, typename Register, typename N>
inline void WithNumber(Register& dst, const Mask& mask, const Register& source, N number)
{
    RunLanes<Row, T, mode>(typename Row::Op{number}, dst, mask, source);
}

// Sums with a carry per lane. `carry` has one value per 32-bit lane.
struct CarryRow {
    static constexpr Types kTypes = kWords;
};
template <typename T, bool kSubtracts, typename Register>
inline void Carry(Mask& carry, Register& dst, const Register& a, const Register& b, const Mask* in, const Mask& mask)
{
    CheckElement<CarryRow, T, Register>();
    StepOf<Register>(kSubtracts ? "Sub" : "Add", Issue::Paired);
    Register sum;
    Mask out;
    __builtin_memset(out.bit, 0, sizeof out.bit);
    out.SetKnown(0, kBytes, true);
    for (uint32_t i = 0; i < Register::kLanes; ++i) {
        const uint32_t at = i * Register::kPitch;
        const uint64_t second = static_cast<uint32_t>(kSubtracts ? ~b.lane[i] : b.lane[i]);
        const uint64_t first = in != nullptr ? in->On(at) : kSubtracts;
        const uint64_t total = static_cast<uint32_t>(a.lane[i]) + second + first;
        sum.lane[i] = static_cast<typename Register::ActualT>(static_cast<uint32_t>(total));
        const bool sure = a.Sure(i) && b.Sure(i) && (in == nullptr || in->Sure(at));
        sum.Know(i, sure);
        out.Put(at, mask.On(at) && total >> 32 != 0, mask.Sure(at) && (!mask.On(at) || sure));
    }
    BlendKnown<MaskMergeMode::ZEROING>(dst, mask, sum);
    Blend<MaskMergeMode::ZEROING>(dst, mask, sum.lane);
    carry = out;
}

template <typename T, typename Register>
inline void Mull(Register& low, Register& high, const Register& a, const Register& b, const Mask& mask)
{
    CheckElement<CarryRow, T, Register>();
    StepOf<Register>(vec::MullOp::kName, Issue::Paired);
    using E = typename Register::ActualT;
    using Product = std::conditional_t<std::is_signed_v<E>, int64_t, uint64_t>;
    Register halves[2];
    for (uint32_t i = 0; i < Register::kLanes; ++i) {
        const Product product = static_cast<Product>(a.lane[i]) * static_cast<Product>(b.lane[i]);
        halves[0].lane[i] = static_cast<E>(product);
        halves[1].lane[i] = static_cast<E>(product >> 32);
        halves[0].Know(i, a.Sure(i) && b.Sure(i));
        halves[1].Know(i, a.Sure(i) && b.Sure(i));
    }
    Register* const to[] = {&low, &high};
    for (int k = 0; k < 2; ++k) {
        BlendKnown<MaskMergeMode::ZEROING>(*to[k], mask, halves[k]);
        Blend<MaskMergeMode::ZEROING>(*to[k], mask, halves[k].lane);
    }
}

// Half or float to float; float to half, rounded half away from zero.
struct ExpSubRow {
    static constexpr Types kTypes = vec::kFloats;
};
struct MulsCastOp {
    float scalar;
    float operator()(float x) const
    {
        const float product = num::DoubleToOddFloat(vec::MulsCastOp{}(x, scalar));
        return num::RoundToFloat16<half>(product, num::Directed::Of(RoundMode::CAST_ROUND));
    }
};

}  // namespace cpu::reg

namespace Reg {

// ---- two registers ---------------------------------------------------------------------------------------------------

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Add(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::AddRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Sub(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::SubRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Mul(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::MulRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Div(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::DivRow, T, cpu::reg::ModeOf<mode>()>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Max(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::MaxRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Min(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::MinRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void And(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::AndRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Or(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::OrRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Xor(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::XorRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Prelu(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::PreluRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void AbsSub(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::AbsSubRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}

// dst = src0 * src1 + dst, and dst = src0 * dst + src1; rounded once.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void MulAddDst(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::MulAddDstRow<typename U::ActualT>, T, mode>(dstReg, mask, srcReg0, srcReg1, dstReg);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void MulDstAdd(U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::MulDstAddRow<typename U::ActualT>, T, mode>(dstReg, mask, srcReg0, srcReg1, dstReg);
}

template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,
          typename V>
inline void ShiftLeft(S& dstReg, S& srcReg0, V& srcReg1, MaskReg& mask)
{
    cpu::reg::Shift<cpu::reg::ShiftLeftRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}
template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S,
          typename V>
inline void ShiftRight(S& dstReg, S& srcReg0, V& srcReg1, MaskReg& mask)
{
    cpu::reg::Shift<cpu::reg::ShiftRightRow, T, mode>(dstReg, mask, srcReg0, srcReg1);
}

template <typename T = DefaultType, typename U>
inline void Add(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Carry<T, false>(carry, dstReg, srcReg0, srcReg1, nullptr, mask);
}
template <typename T = DefaultType, typename U>
inline void Sub(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Carry<T, true>(carry, dstReg, srcReg0, srcReg1, nullptr, mask);
}
template <typename T = DefaultType, typename U>
inline void AddC(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& carrySrc, MaskReg& mask)
{
    cpu::reg::Carry<T, false>(carry, dstReg, srcReg0, srcReg1, &carrySrc, mask);
}
template <typename T = DefaultType, typename U>
inline void SubC(MaskReg& carry, U& dstReg, U& srcReg0, U& srcReg1, MaskReg& carrySrc, MaskReg& mask)
{
    cpu::reg::Carry<T, true>(carry, dstReg, srcReg0, srcReg1, &carrySrc, mask);
}
template <typename T = DefaultType, typename U>
inline void Mull(U& dstReg0, U& dstReg1, U& srcReg0, U& srcReg1, MaskReg& mask)
{
    cpu::reg::Mull<T>(dstReg0, dstReg1, srcReg0, srcReg1, mask);
}

// ---- a register and a number -----------------------------------------------------------------------------------------

template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void Adds(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    using Row = cpu::reg::AddsRow<cpu::reg::WideOf<S>>;
    cpu::reg::WithNumber<Row, T, mode>(dstReg, mask, srcReg, cpu::reg::AsElement<S>(scalarValue));
}
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void Muls(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    using Row = cpu::reg::MulsRow<cpu::reg::WideOf<S>>;
    cpu::reg::WithNumber<Row, T, mode>(dstReg, mask, srcReg, cpu::reg::AsElement<S>(scalarValue));
}
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void Maxs(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    using Row = cpu::reg::MaxsRow<cpu::reg::WideOf<S>>;
    cpu::reg::WithNumber<Row, T, mode>(dstReg, mask, srcReg, cpu::reg::AsElement<S>(scalarValue));
}
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void Mins(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    using Row = cpu::reg::MinsRow<cpu::reg::WideOf<S>>;
    cpu::reg::WithNumber<Row, T, mode>(dstReg, mask, srcReg, cpu::reg::AsElement<S>(scalarValue));
}
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void LeakyRelu(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    using Row = cpu::reg::LeakyReluRow<cpu::reg::WideOf<S>>;
    cpu::reg::WithNumber<Row, T, mode>(dstReg, mask, srcReg, cpu::reg::AsElement<S>(scalarValue));
}
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void ShiftLefts(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    cpu::reg::WithNumber<cpu::reg::ShiftLeftsRow, T, mode>(dstReg, mask, srcReg, static_cast<int16_t>(scalarValue));
}
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void ShiftRights(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    cpu::reg::WithNumber<cpu::reg::ShiftRightsRow, T, mode>(dstReg, mask, srcReg, static_cast<int16_t>(scalarValue));
}
// dst += src * number, rounded once.
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
inline void Axpy(S& dstReg, S& srcReg, U scalarValue, MaskReg& mask)
{
    using Row = cpu::reg::AxpyRow<typename S::ActualT>;
    cpu::reg::RunLanes<Row, T, mode>(typename Row::Op{cpu::reg::AsElement<S>(scalarValue)}, dstReg, mask, srcReg, dstReg);
}

// ---- one register ----------------------------------------------------------------------------------------------------

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Abs(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::AbsRow, T, mode>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Neg(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::NegRow, T, mode>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Relu(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::ReluRow, T, mode>(dstReg, mask, srcReg);
}
// Works on the bits, of floats too.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
inline void Not(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::CheckElement<cpu::reg::NotRow, T, U>();
    cpu::reg::CheckMode<cpu::reg::NotRow, mode>();
    cpu::reg::StepOf<U>(cpu::reg::NotRow::kName, cpu::reg::Issue::Paired);
    cpu::vec::Word<sizeof(typename U::ActualT)> words[U::kLanes];
    __builtin_memcpy(words, srcReg.lane, sizeof words);
    cpu::vec::Map(cpu::vec::NotOp{}, U::kLanes, words, words);
    cpu::reg::BlendKnown<mode>(dstReg, mask, srcReg);
    cpu::reg::Blend<mode>(dstReg, mask, words);
}
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Exp(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::ExpRow, T, cpu::reg::ModeOf<mode>()>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Ln(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::LnRow, T, cpu::reg::ModeOf<mode>()>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Log(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::LogRow, T, cpu::reg::ModeOf<mode>()>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Log2(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::Log2Row, T, cpu::reg::ModeOf<mode>()>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Log10(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::Log10Row, T, cpu::reg::ModeOf<mode>()>(dstReg, mask, srcReg);
}
template <typename T = DefaultType, auto mode = MaskMergeMode::ZEROING, typename U>
inline void Sqrt(U& dstReg, U& srcReg, MaskReg& mask)
{
    cpu::reg::Plain<cpu::reg::SqrtRow, T, cpu::reg::ModeOf<mode>()>(dstReg, mask, srcReg);
}

// ---- with a change of width ------------------------------------------------------------------------------------------

// exp(src0 - src1) as float.
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
          MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
inline void ExpSub(S& dstReg, V& srcReg0, V& srcReg1, MaskReg& mask)
{
    cpu::reg::CheckElement<cpu::reg::ExpSubRow, U, V>();
    static_assert(std::is_same_v<typename S::ActualT, float>, "Ascend C: ExpSub gives float");
    static_assert(mode == MaskMergeMode::ZEROING, "Ascend C: ExpSub has no other MaskMergeMode than ZEROING");
    cpu::reg::StepOf<S>(cpu::vec::ExpSubOp::kName, cpu::reg::Issue::Paired);
    cpu::reg::RunSparse<layout>(cpu::vec::ExpSubOp{}, dstReg, mask, srcReg0, srcReg1);
}

// src * number as half.
template <typename T0 = DefaultType, typename T1 = DefaultType, typename T2, RegLayout layout = RegLayout::ZERO, typename T3,
          typename T4>
inline void MulsCast(T3& dstReg, T4& srcReg, T2 scalarValue, MaskReg& mask)
{
    static_assert(std::is_same_v<typename T3::ActualT, half> && std::is_same_v<typename T4::ActualT, float>,
                  "Ascend C: MulsCast takes float and gives half");
    cpu::reg::StepOf<T4>(cpu::vec::MulsCastOp::kName, cpu::reg::Issue::Paired);
    cpu::reg::RunSparse<layout>(cpu::reg::MulsCastOp{static_cast<float>(scalarValue)}, dstReg, mask, srcReg);
}

}  // namespace Reg
}  // namespace AscendC

#endif
