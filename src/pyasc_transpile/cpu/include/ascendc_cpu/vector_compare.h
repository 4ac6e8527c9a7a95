// Compare, Compares / CompareScalar and the CMPMASK register (API reference 5.9).
//
// Comparisons with NaN are false, except NE. Bits of lanes outside the mask keep their old value.
#ifndef ASCENDC_CPU_VECTOR_COMPARE_H
#define ASCENDC_CPU_VECTOR_COMPARE_H

#include "vector_bits.h"
#include "vector_scalar.h"

namespace AscendC {
namespace cpu::vec {

struct CompareOp {
    static constexpr const char* kName = "Compare";
    static constexpr Legal kTypes = {kFloats | kS32, kInts | kHalf | kBf16 | kFloat | kDouble};
};

template <CMPMODE mode>
struct Comparison {
    template <typename T>
    bool operator()(T a, T b) const
    {
        if constexpr (mode == CMPMODE::LT) {
            return a < b;
        } else if constexpr (mode == CMPMODE::GT) {
            return a > b;
        } else if constexpr (mode == CMPMODE::EQ) {
            return a == b;
        } else if constexpr (mode == CMPMODE::LE) {
            return a <= b;
        } else if constexpr (mode == CMPMODE::GE) {
            return a >= b;
        } else {
            return a != b;
        }
    }
};

template <typename Body>
void WithComparison(CMPMODE mode, const Body& body)
{
    switch (mode) {
        case CMPMODE::LT:
            return body(Comparison<CMPMODE::LT>{});
        case CMPMODE::GT:
            return body(Comparison<CMPMODE::GT>{});
        case CMPMODE::EQ:
            return body(Comparison<CMPMODE::EQ>{});
        case CMPMODE::LE:
            return body(Comparison<CMPMODE::LE>{});
        case CMPMODE::GE:
            return body(Comparison<CMPMODE::GE>{});
        default:
            return body(Comparison<CMPMODE::NE>{});
    }
}

// One number that all lanes are compared with.
template <typename T>
struct Number {
    num::Wide<T> value;
};

template <typename T>
void CheckCompare(CMPMODE mode)
{
    CheckDtype<CompareOp, T>();
    if (kChecked && kC220 && kTypeOf<T> == kS32 && mode != CMPMODE::EQ) {
        Fault("argument", "Compare: int32_t compares with CMPMODE::EQ only on architecture c220");
    }
}

// flags[i] = a[i] ? b[i] for adjacent elements, packed to bits from bit `at` on.
template <typename T>
void CompareRun(CMPMODE mode, size_t count, const T* a, const T* b, uint8_t* bits, size_t at)
{
    Source<T> left(a);
    Source<T> right(b);
    uint8_t flags[kChunk];
    for (size_t i = 0; i < count; i += kChunk) {
        const size_t n = count - i < kChunk ? count - i : kChunk;
        const auto* x = left.Load(i, n);
        const auto* y = right.Load(i, n);
        WithComparison(mode, [&](auto holds) {
            for (size_t k = 0; k < n; ++k) {
                flags[k] = holds(x[k], y[k]) ? 1 : 0;
            }
        });
        PackFlags(flags, n, bits, at + i);
    }
}

template <typename T>
void CompareRun(CMPMODE mode, size_t count, const T* a, Number<T> b, bool numberFirst, uint8_t* bits, size_t at)
{
    // number ? x is x ?' number with the sides of the comparison swapped.
    if (numberFirst) {
        mode = mode == CMPMODE::LT   ? CMPMODE::GT
               : mode == CMPMODE::GT ? CMPMODE::LT
               : mode == CMPMODE::LE ? CMPMODE::GE
               : mode == CMPMODE::GE ? CMPMODE::LE
                                     : mode;
    }
    Source<T> left(a);
    uint8_t flags[kChunk];
    for (size_t i = 0; i < count; i += kChunk) {
        const size_t n = count - i < kChunk ? count - i : kChunk;
        const auto* x = left.Load(i, n);
        WithComparison(mode, [&](auto holds) {
            for (size_t k = 0; k < n; ++k) {
                flags[k] = holds(x[k], b.value) ? 1 : 0;
            }
        });
        PackFlags(flags, n, bits, at + i);
    }
}

template <typename T>
void CheckCompareCount(uint32_t count)
{
    if (kChecked && count * sizeof(T) % ONE_REPEAT_BYTE_SIZE != 0) {
        Fault("alignment", "Compare: count * sizeof(T) must be a multiple of 256 bytes, it is %u * %u", count,
              static_cast<uint32_t>(sizeof(T)));
    }
}

template <typename T, typename U>
void CompareCount(LT<U> dst, LT<T> src0, LT<T> src1, CMPMODE mode, uint32_t count)
{
    CheckCompare<T>(mode);
    CheckCompareCount<T>(count);
    Instruction("Compare", PIPE_V, count).WritesBits(dst).Reads(src0).Reads(src1).Elementwise();
    CompareRun(mode, count, src0.Data(), src1.Data(), reinterpret_cast<uint8_t*>(dst.Data()), 0);
}

// Results of repeat r follow those of repeat r - 1 without a gap, whatever the destination's strides say.
template <bool isSetMask, typename T, typename U, typename M>
void CompareStrided(LT<U> dst, LT<T> src0, LT<T> src1, CMPMODE mode, M mask, uint8_t repeat, const BinaryRepeatParams& p)
{
    CheckCompare<T>(mode);
    const Strided<T> a{src0, {p.src0BlkStride, p.src0RepStride}};
    const Strided<T> b{src1, {p.src1BlkStride, p.src1RepStride}};
    const bool joined = a.strides.block == 1 && b.strides.block == 1;
    ForEachShape(MakeLanes<T, isSetMask>(mask, repeat), [&](const Shape& shape, uint32_t first) {
        const auto bytes = dst.template ReinterpretCast<uint8_t>()[first * shape.lanes / 8];
        Instruction("Compare", PIPE_V, shape)
            .WritesBits(bytes)
            .Reads(a.From(first), a.AsLayout())
            .Reads(b.From(first), b.AsLayout())
            .Elementwise();
        ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), joined, false, [&](uint32_t r, uint32_t lane, size_t n) {
            CompareRun(mode, n, a.At(first, r, lane), b.At(first, r, lane), bytes.Data(), size_t{r} * shape.lanes + lane);
        });
    });
}

// One repeat, into the CMPMASK register.
template <bool isSetMask, typename T, typename M>
void CompareToRegister(LT<T> src0, LT<T> src1, CMPMODE mode, M mask, const BinaryRepeatParams& p)
{
    CheckCompare<T>(mode);
    const Strided<T> a{src0, {p.src0BlkStride, p.src0RepStride}};
    const Strided<T> b{src1, {p.src1BlkStride, p.src1RepStride}};
    const Shape shape = MakeLanes<T, isSetMask>(mask, 1).main;
    Instruction("Compare", PIPE_V, shape).Reads(src0, a.AsLayout()).Reads(src1, b.AsLayout()).Untracked();
    ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), false, false, [&](uint32_t r, uint32_t lane, size_t n) {
        CompareRun(mode, n, a.At(0, r, lane), b.At(0, r, lane), reinterpret_cast<uint8_t*>(Registers().compare), lane);
    });
}

template <bool numberFirst, typename T, typename U, typename X>
void CompareNumberCount(LT<U> dst, LT<T> vector, const X& number, CMPMODE mode, uint32_t count)
{
    CheckCompare<T>(mode);
    CheckCompareCount<T>(count);
    Instruction instruction("CompareScalar", PIPE_V, count);
    instruction.WritesBits(dst).Reads(vector);
    ReadNumber(instruction, number);
    instruction.Elementwise();
    const Number<T> value{static_cast<num::Wide<T>>(NumberOf<T>(number))};
    CompareRun(mode, count, vector.Data(), value, numberFirst, reinterpret_cast<uint8_t*>(dst.Data()), 0);
}

template <bool numberFirst, bool isSetMask, typename T, typename U, typename X, typename M>
void CompareNumberStrided(LT<U> dst, LT<T> vector, const X& number, CMPMODE mode, M mask, uint8_t repeat,
                          const UnaryRepeatParams& p)
{
    CheckCompare<T>(mode);
    const Strided<T> a{vector, {p.srcBlkStride, p.srcRepStride}};
    const Number<T> value{static_cast<num::Wide<T>>(NumberOf<T>(number))};
    ForEachShape(MakeLanes<T, isSetMask>(mask, repeat), [&](const Shape& shape, uint32_t first) {
        const auto bytes = dst.template ReinterpretCast<uint8_t>()[first * shape.lanes / 8];
        Instruction("CompareScalar", PIPE_V, shape).WritesBits(bytes).Reads(a.From(first), a.AsLayout()).Elementwise();
        ForEachRun(shape, ONE_BLK_SIZE / sizeof(T), a.strides.block == 1, false, [&](uint32_t r, uint32_t lane, size_t n) {
            CompareRun(mode, n, a.At(first, r, lane), value, numberFirst, bytes.Data(), size_t{r} * shape.lanes + lane);
        });
    });
}

template <const BinaryConfig& config, typename D, typename S, typename V>
void FreeCompareCount(const D& dst, const S& src0, const V& src1, CMPMODE mode, uint32_t count)
{
    if constexpr (kFirstIsScalar<config.scalarTensorIndex, S, V>) {
        CompareNumberCount<true>(dst, src1, src0, mode, count);
    } else {
        CompareNumberCount<false>(dst, src0, src1, mode, count);
    }
}

template <const BinaryConfig& config, bool isSetMask, typename D, typename S, typename V, typename M>
void FreeCompareStrided(const D& dst, const S& src0, const V& src1, CMPMODE mode, M mask, uint8_t repeat,
                        const UnaryRepeatParams& p)
{
    if constexpr (kFirstIsScalar<config.scalarTensorIndex, S, V>) {
        CompareNumberStrided<true, isSetMask>(dst, src1, src0, mode, mask, repeat, p);
    } else {
        CompareNumberStrided<false, isSetMask>(dst, src0, src1, mode, mask, repeat, p);
    }
}

}  // namespace cpu::vec

template <typename T, typename U>
void Compare(cpu::LT<U> dst, cpu::LT<T> src0, cpu::LT<T> src1, CMPMODE cmpMode, uint32_t count)
{
    cpu::vec::CompareCount(dst, src0, src1, cmpMode, count);
}
template <typename T, typename U, bool isSetMask = true>
void Compare(cpu::LT<U> dst, cpu::LT<T> src0, cpu::LT<T> src1, CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::CompareStrided<isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Compare(cpu::LT<T> src0, cpu::LT<T> src1, CMPMODE cmpMode, const uint64_t mask, const BinaryRepeatParams& repeatParams)
{
    cpu::vec::CompareToRegister<isSetMask>(src0, src1, cmpMode, mask, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Compare(cpu::LT<U> dst, cpu::LT<T> src0, cpu::LT<T> src1, CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::CompareStrided<isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, repeatParams);
}
template <typename T, bool isSetMask = true>
void Compare(cpu::LT<T> src0, cpu::LT<T> src1, CMPMODE cmpMode, const uint64_t mask[], const BinaryRepeatParams& repeatParams)
{
    cpu::vec::CompareToRegister<isSetMask>(src0, src1, cmpMode, mask, repeatParams);
}

template <typename T, typename U>
void CompareScalar(cpu::LT<U> dst, cpu::LT<T> src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count)
{
    cpu::vec::CompareNumberCount<false>(dst, src0, src1Scalar, cmpMode, count);
}
template <typename T, typename U, bool isSetMask = true>
void CompareScalar(cpu::LT<U> dst, cpu::LT<T> src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t mask,
                   uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::CompareNumberStrided<false, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void CompareScalar(cpu::LT<U> dst, cpu::LT<T> src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t mask[],
                   uint8_t repeatTime, const UnaryRepeatParams& repeatParams)
{
    cpu::vec::CompareNumberStrided<false, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, repeatParams);
}

template <typename T, typename U>
void Compares(cpu::LT<U> dst, cpu::LT<T> src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count)
{
    cpu::vec::CompareNumberCount<false>(dst, src0, src1Scalar, cmpMode, count);
}
template <typename T, typename U, bool isSetMask = true>
void Compares(cpu::LT<U> dst, cpu::LT<T> src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime,
              const UnaryRepeatParams& repeatParams)
{
    cpu::vec::CompareNumberStrided<false, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Compares(cpu::LT<U> dst, cpu::LT<T> src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime,
              const UnaryRepeatParams& repeatParams)
{
    cpu::vec::CompareNumberStrided<false, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, repeatParams);
}

#if __NPU_ARCH__ == 3510
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void CompareScalar(const T2& dst, const T3& src0, const T4& src1, CMPMODE cmpMode, uint32_t count)
{
    cpu::vec::FreeCompareCount<config>(dst, src0, src1, cmpMode, count);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void CompareScalar(const T2& dst, const T3& src0, const T4& src1, CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime,
                   const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeCompareStrided<config, isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, repeatParams);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void CompareScalar(const T2& dst, const T3& src0, const T4& src1, CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime,
                   const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeCompareStrided<config, isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, repeatParams);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void Compares(const T2& dst, const T3& src0, const T4& src1, CMPMODE cmpMode, uint32_t count)
{
    cpu::vec::FreeCompareCount<config>(dst, src0, src1, cmpMode, count);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void Compares(const T2& dst, const T3& src0, const T4& src1, CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime,
              const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeCompareStrided<config, isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, repeatParams);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig& config = DEFAULT_BINARY_CONFIG, typename T2, typename T3, typename T4>
void Compares(const T2& dst, const T3& src0, const T4& src1, CMPMODE cmpMode, const uint64_t mask[], uint8_t repeatTime,
              const UnaryRepeatParams& repeatParams)
{
    cpu::vec::FreeCompareStrided<config, isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime, repeatParams);
}
#endif

// The CMPMASK register to and from UB: 16 bytes.
template <typename T>
void GetCmpMask(cpu::LT<T> dst)
{
    cpu::Instruction("GetCmpMask", PIPE_V).WritesElements(dst, 16 / sizeof(T)).Defines();
    __builtin_memcpy(static_cast<void*>(dst.Data()), cpu::vec::Registers().compare, 16);
}
template <typename T>
void SetCmpMask(cpu::LT<T> src)
{
    cpu::Instruction("SetCmpMask", PIPE_V).ReadsElements(src, 16 / sizeof(T)).Untracked();
    __builtin_memcpy(cpu::vec::Registers().compare, static_cast<const void*>(src.Data()), 16);
}

}  // namespace AscendC

#include "vector_select.h"

#endif
