// Select: a bit of a mask chooses between two sources; only bits move, so NaN and -0 pass unchanged (API reference 5.9).
#ifndef ASCENDC_CPU_VECTOR_SELECT_H
#define ASCENDC_CPU_VECTOR_SELECT_H

#include "vector_compare.h"

namespace AscendC {
namespace cpu::vec {

struct SelectOp {
    static constexpr const char* kName = "Select";
    static constexpr Legal kTypes = {kFloats, kInts | kHalf | kBf16 | kFloat};
};

// A source of Select for adjacent elements: a pointer, or one word for all of them.
template <typename W>
struct Choice {
    const W* from;
    W word;
    Choice After(size_t n) const { return {from == nullptr ? nullptr : from + n, word}; }
};

template <typename W>
void SelectRun(size_t count, W* to, const uint8_t* bits, size_t at, Choice<W> yes, Choice<W> no)
{
    uint8_t flags[kChunk];
    for (size_t i = 0; i < count; i += kChunk) {
        const size_t n = count - i < kChunk ? count - i : kChunk;
        UnpackFlags(bits, at + i, n, flags);
        W* d = to + i;
        const Choice<W> a = yes.After(i);
        const Choice<W> b = no.After(i);
        const auto merge = [&](const auto& first, const auto& second) {
            ASCENDC_CPU_LANES
            for (size_t k = 0; k < n; ++k) {
                const W x = first(k);
                const W y = second(k);
                d[k] = flags[k] != 0 ? x : y;
            }
        };
        const auto fixed = [](const Choice<W>& c) { return [word = c.word](size_t) { return word; }; };
        const auto moving = [](const Choice<W>& c) { return [from = c.from](size_t k) { return from[k]; }; };
        if (a.from == nullptr) {
            merge(fixed(a), moving(b));
        } else if (b.from == nullptr) {
            merge(moving(a), fixed(b));
        } else {
            merge(moving(a), moving(b));
        }
    }
}

// What a source is for the checks and for the loops. X: a tensor of T, or a number.
template <bool kScalar, typename T, typename X>
struct SelectSource {
    using W = Word<sizeof(T)>;
    const X& operand;
    Strides strides;

    void Tell(Instruction& instruction, uint32_t first, bool strided) const
    {
        if constexpr (kScalar) {
            ReadNumber(instruction, operand);
        } else {
            const Strided<T> tensor{operand, strides};
            instruction.Reads(tensor.From(first), strided ? tensor.AsLayout() : Layout::Packed());
        }
    }
    Choice<W> At(uint32_t first, uint32_t r, uint32_t lane) const
    {
        if constexpr (kScalar) {
            return {nullptr, AsWord<T>(NumberOf<T>(operand))};
        } else {
            return {reinterpret_cast<const W*>(Strided<T>{operand, strides}.At(first, r, lane)), W{0}};
        }
    }
};

// The mask: bits in UB. In mode VSEL_CMPMASK_SPR the bits of one repeat serve all repeats.
template <typename U>
void TellMask(Instruction& instruction, LT<U> mask, SELMODE mode, uint32_t lanesPerRepeat)
{
    if (mode == SELMODE::VSEL_CMPMASK_SPR) {
        instruction.ReadsElements(mask, (lanesPerRepeat / 8 + sizeof(U) - 1) / sizeof(U));
    } else {
        instruction.ReadsBits(mask);
    }
}

template <typename T>
void CheckSelectMode(SELMODE mode, bool hasScalar)
{
    CheckDtype<SelectOp, T>();
    if (kChecked && hasScalar != (mode == SELMODE::VSEL_TENSOR_SCALAR_MODE)) {
        Fault("argument", "Select: VSEL_TENSOR_SCALAR_MODE goes with a scalar source, the other modes with two tensors");
    }
}

template <bool kScalar0, bool kScalar1, typename T, typename U, typename X, typename Y>
void SelectCount(LT<T> dst, LT<U> selMask, const X& src0, const Y& src1, SELMODE mode, uint32_t count)
{
    using W = Word<sizeof(T)>;
    constexpr uint32_t lanes = kLanesPerRepeat<T>;
    CheckSelectMode<T>(mode, kScalar0 || kScalar1);
    const SelectSource<kScalar0, T, X> yes{src0, {1, 8}};
    const SelectSource<kScalar1, T, Y> no{src1, {1, 8}};
    Instruction instruction("Select", PIPE_V, count);
    instruction.Writes(dst);
    TellMask(instruction, selMask, mode, count < lanes ? count : lanes);
    yes.Tell(instruction, 0, false);
    no.Tell(instruction, 0, false);
    instruction.Elementwise();
    const auto* bits = reinterpret_cast<const uint8_t*>(selMask.Data());
    W* to = reinterpret_cast<W*>(dst.Data());
    const uint32_t step = mode == SELMODE::VSEL_CMPMASK_SPR ? lanes : count;
    for (uint32_t i = 0; i < count; i += step) {
        SelectRun<W>(count - i < step ? count - i : step, to + i, bits, 0, yes.At(0, 0, 0).After(i), no.At(0, 0, 0).After(i));
    }
}

template <bool kScalar0, bool kScalar1, bool isSetMask, typename T, typename U, typename X, typename Y, typename M>
void SelectStrided(LT<T> dst, LT<U> selMask, const X& src0, const Y& src1, SELMODE mode, M mask, uint8_t repeat,
                   const BinaryRepeatParams& p)
{
    using W = Word<sizeof(T)>;
    CheckSelectMode<T>(mode, kScalar0 || kScalar1);
    const Strided<T> target{dst, {p.dstBlkStride, p.dstRepStride}};
    const SelectSource<kScalar0, T, X> yes{src0, {p.src0BlkStride, p.src0RepStride}};
    const SelectSource<kScalar1, T, Y> no{src1, {p.src1BlkStride, p.src1RepStride}};
    const bool perRepeat = mode == SELMODE::VSEL_CMPMASK_SPR;
    ForEachShape(MakeLanes<T, isSetMask>(mask, repeat), [&](const Shape& shape, uint32_t first) {
        const auto bytes = selMask.template ReinterpretCast<uint8_t>()[perRepeat ? 0 : first * shape.lanes / 8];
        Instruction instruction("Select", PIPE_V, shape);
        instruction.Writes(target.From(first), target.AsLayout());
        TellMask(instruction, bytes, mode, shape.lanes);
        yes.Tell(instruction, first, true);
        no.Tell(instruction, first, true);
        instruction.Elementwise();
        ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), false, false, [&](uint32_t r, uint32_t lane, size_t n) {
            const size_t bit = (perRepeat ? 0 : size_t{r} * shape.lanes) + lane;
            SelectRun<W>(n, reinterpret_cast<W*>(target.At(first, r, lane)), bytes.Data(), bit, yes.At(first, r, lane),
                         no.At(first, r, lane));
        });
    });
}

// The forms without a mask argument: all lanes, bits from the CMPMASK register (scalar: from the register, mask from UB).
template <typename T, SELMODE mode>
void SelectByRegister(LT<T> dst, LT<T> src0, LT<T> src1, uint8_t repeat, const BinaryRepeatParams& p)
{
    static_assert(
        mode == SELMODE::VSEL_CMPMASK_SPR,
        "Ascend C on a CPU: Select without a mask tensor takes its bits from the CMPMASK register (VSEL_CMPMASK_SPR)");
    using W = Word<sizeof(T)>;
    CheckDtype<SelectOp, T>();
    const Strided<T> target{dst, {p.dstBlkStride, p.dstRepStride}};
    const Strided<T> a{src0, {p.src0BlkStride, p.src0RepStride}};
    const Strided<T> b{src1, {p.src1BlkStride, p.src1RepStride}};
    ForEachShape(RegisterLanes<T>(repeat), [&](const Shape& shape, uint32_t first) {
        Instruction instruction("Select", PIPE_V, shape);
        instruction.Writes(target.From(first), target.AsLayout())
            .Reads(a.From(first), a.AsLayout())
            .Reads(b.From(first), b.AsLayout())
            .Elementwise();
        ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), false, false, [&](uint32_t r, uint32_t lane, size_t n) {
            SelectRun<W>(n, reinterpret_cast<W*>(target.At(first, r, lane)),
                         reinterpret_cast<const uint8_t*>(Registers().compare), lane,
                         {reinterpret_cast<const W*>(a.At(first, r, lane)), W{0}},
                         {reinterpret_cast<const W*>(b.At(first, r, lane)), W{0}});
        });
    });
}

template <typename T, typename U>
void SelectWithRegisterScalar(LT<T> dst, LT<U> selMask, LT<T> src0, uint8_t repeat, const BinaryRepeatParams& p)
{
    T scalar;
    __builtin_memcpy(static_cast<void*>(&scalar), Registers().compare, sizeof scalar);
    SelectStrided<false, true, false>(dst, selMask, src0, scalar, SELMODE::VSEL_TENSOR_SCALAR_MODE, MASK_PLACEHOLDER, repeat,
                                      p);
}

// Numbers are scalars; on c310 a tensor is one when the mode says so and the configuration points at it.
template <const BinaryConfig& config, typename D, typename U, typename X, typename Y>
void FreeSelectCount(const D& dst, LT<U> selMask, const X& src0, const Y& src1, SELMODE mode, uint32_t count)
{
    if constexpr (kIsTensor<X> && kIsTensor<Y>) {
        if (kC220 || mode != SELMODE::VSEL_TENSOR_SCALAR_MODE) {
            return SelectCount<false, false>(dst, selMask, src0, src1, mode, count);
        }
    }
    constexpr bool first = kFirstIsScalar<config.scalarTensorIndex, X, Y>;
    SelectCount<first, !first>(dst, selMask, src0, src1, mode, count);
}

template <const BinaryConfig& config, bool isSetMask, typename D, typename U, typename X, typename Y, typename M>
void FreeSelectStrided(const D& dst, LT<U> selMask, const X& src0, const Y& src1, SELMODE mode, M mask, uint8_t repeat,
                       const BinaryRepeatParams& p)
{
    if constexpr (kIsTensor<X> && kIsTensor<Y>) {
        if (kC220 || mode != SELMODE::VSEL_TENSOR_SCALAR_MODE) {
            return SelectStrided<false, false, isSetMask>(dst, selMask, src0, src1, mode, mask, repeat, p);
        }
    }
    constexpr bool first = kFirstIsScalar<config.scalarTensorIndex, X, Y>;
    SelectStrided<first, !first, isSetMask>(dst, selMask, src0, src1, mode, mask, repeat, p);
}

}  // namespace cpu::vec

template <typename T, typename U>
void Select(cpu::LT<T> dst, cpu::LT<U> selMask, cpu::LT<T> src0, cpu::LT<T> src1, SELMODE selMode, uint32_t count)
{
    cpu::vec::FreeSelectCount<DEFAULT_BINARY_CONFIG>(dst, selMask, src0, src1, selMode, count);
}
template <typename T, typename U>
void Select(cpu::LT<T> dst, cpu::LT<U> selMask, cpu::LT<T> src0, T src1, SELMODE selMode, uint32_t count)
{
    cpu::vec::SelectCount<false, true>(dst, selMask, src0, src1, selMode, count);
}
template <typename T, SELMODE selMode>
void Select(cpu::LT<T> dst, cpu::LT<T> src0, cpu::LT<T> src1, uint8_t repeatTime, const BinaryRepeatParams& repeatParams)
{
    cpu::vec::SelectByRegister<T, selMode>(dst, src0, src1, repeatTime, repeatParams);
}
template <typename T, typename U>
void Select(cpu::LT<T> dst, cpu::LT<U> selMask, cpu::LT<T> src0, uint8_t repeatTime, const BinaryRepeatParams& repeatParams)
{
    cpu::vec::SelectWithRegisterScalar(dst, selMask, src0, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Select(cpu::LT<T> dst, cpu::LT<U> selMask, cpu::LT<T> src0, cpu::LT<T> src1, SELMODE selMode, uint64_t mask,
            uint8_t repeatTime, const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FreeSelectStrided<DEFAULT_BINARY_CONFIG, isSetMask>(dst, selMask, src0, src1, selMode, mask, repeatTime,
                                                                  repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Select(cpu::LT<T> dst, cpu::LT<U> selMask, cpu::LT<T> src0, T src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime,
            const BinaryRepeatParams& repeatParams)
{
    cpu::vec::SelectStrided<false, true, isSetMask>(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Select(cpu::LT<T> dst, cpu::LT<U> selMask, cpu::LT<T> src0, cpu::LT<T> src1, SELMODE selMode, uint64_t mask[],
            uint8_t repeatTime, const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FreeSelectStrided<DEFAULT_BINARY_CONFIG, isSetMask>(dst, selMask, src0, src1, selMode, mask, repeatTime,
                                                                  repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Select(cpu::LT<T> dst, cpu::LT<U> selMask, cpu::LT<T> src0, T src1, SELMODE selMode, uint64_t mask[], uint8_t repeatTime,
            const BinaryRepeatParams& repeatParams)
{
    cpu::vec::SelectStrided<false, true, isSetMask>(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams);
}

#if __NPU_ARCH__ == 3510
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, const BinaryConfig& config = DEFAULT_BINARY_CONFIG,
          typename T2, typename T3, typename T4>
void Select(const T2& dst, cpu::LT<T1> selMask, const T3& src0, const T4& src1, SELMODE selMode, uint32_t count)
{
    cpu::vec::FreeSelectCount<config>(dst, selMask, src0, src1, selMode, count);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void Select(const T2& dst, cpu::LT<T1> selMask, const T3& src0, const T4& src1, SELMODE selMode, uint64_t mask,
            uint8_t repeatTime, const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FreeSelectStrided<config, isSetMask>(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void Select(const T2& dst, cpu::LT<T1> selMask, const T3& src0, const T4& src1, SELMODE selMode, uint64_t mask[],
            uint8_t repeatTime, const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FreeSelectStrided<config, isSetMask>(dst, selMask, src0, src1, selMode, mask, repeatTime, repeatParams);
}
#endif

}  // namespace AscendC

#endif
