// Cast and the instructions that end in a cast (API reference 5.7 and 5.8).
#ifndef ASCENDC_CPU_VECTOR_CAST_H
#define ASCENDC_CPU_VECTOR_CAST_H

#include "rounding.h"
#include "vector_family.h"
#include "vector_ops.h"

namespace AscendC {
namespace cpu::vec {

// Sets of round modes: bit k = RoundMode k.
using Modes = uint32_t;
inline constexpr Modes kExact = 1;    // CAST_NONE
inline constexpr Modes kFive = 0x3e;  // RINT FLOOR CEIL ROUND TRUNC
inline constexpr Modes kOdd = 0x40;
inline constexpr Modes kOnlyTrunc = 0x20;
inline constexpr Modes kNoCast = 0;

// One row per pair of dtypes: the round modes it takes on each architecture.
struct CastRow {
    Types src;
    Types dst;
    Modes c220;
    Modes c310;
};
inline constexpr CastRow kCasts[] = {
    {kS8 | kU8, kHalf, kExact, kExact},
    {kS8, kS16 | kS32, kNoCast, kExact},
    {kU8, kU16 | kU32, kNoCast, kExact},
    {kS16, kHalf, kFive | kExact, kFive},
    {kS16, kFloat, kExact, kExact},
    {kS16, kU8 | kS32 | kU32, kNoCast, kExact},
    {kU16, kU8 | kU32, kNoCast, kExact},
    {kHalf, kS8 | kU8, kFive | kExact, kFive},
    {kHalf, kS16 | kS32, kFive, kFive},
    {kHalf, kFloat, kExact, kExact},
    {kHalf, kBf16, kNoCast, kFive},
    {kBf16, kHalf, kNoCast, kFive},
    {kBf16, kS32, kFive, kFive},
    {kBf16, kFloat, kExact, kExact},
    {kS32, kS16, kExact, kExact},
    {kS32, kU8 | kU16, kNoCast, kExact},
    {kU32, kU8 | kS16 | kU16, kNoCast, kExact},
    {kS32, kHalf, kFive | kExact | kOdd, kFive | kExact | kOdd},  // through SetDeqScale, the mode is ignored
    {kS32, kFloat, kFive | kExact, kFive},
    {kS32, kS64, kExact, kExact},
    {kFloat, kS16 | kBf16 | kS32 | kS64, kFive, kFive},
    {kFloat, kHalf, kFive | kOdd | kExact, kFive | kOdd | kExact},
    {kFloat, kFloat, kFive, kFive},
    {kS64, kS32, kExact, kExact},
    {kS64, kFloat, kFive, kFive},
    {kS64, kDouble, kNoCast, kFive},
    {kDouble, kBf16 | kFloat, kNoCast, kFive},
    {kDouble, kS32 | kS64, kNoCast, kOnlyTrunc},
};

template <typename D, typename S>
constexpr Modes CastModes()
{
    for (const CastRow& row : kCasts) {
        if ((row.src & kTypeOf<S>) != 0 && (row.dst & kTypeOf<D>) != 0) {
            return kC220 ? row.c220 : row.c310;
        }
    }
    return kNoCast;
}

template <typename D, typename S, RoundMode mode>
struct CastOp {
    static constexpr const char* kName = "Cast";
    num::Wide<D> operator()(num::Wide<S> x) const
    {
        constexpr bool toInt = std::is_integral_v<D>;
        constexpr bool fromInt = std::is_integral_v<S>;
        if constexpr (toInt && fromInt) {
            return num::Saturate<D>(x);
        } else if constexpr (toInt && mode == RoundMode::CAST_TRUNC) {
            return num::Saturate<D>(x);  // the conversion itself truncates
        } else if constexpr (toInt) {
            return num::Saturate<D>(num::RoundToIntegral<mode>(x));
        } else if constexpr (std::is_same_v<D, S>) {
            return num::RoundToIntegral<mode>(x);
        } else if constexpr (fromInt && !num::kIsFloat16<D>) {
            return num::IntegerToFloat<D, mode>(x);
        } else if constexpr (num::kIsFloat16<D>) {
            // A double keeps a sticky bit. To nearest even is what the conversion to 16 bits, which follows, does.
            const float narrowable = num::ToNarrowableFloat(x);
            return num::kNearestEven<mode> ? narrowable : num::RoundToFloat16<D>(narrowable, num::Directed::Of(mode));
        } else if constexpr (std::is_same_v<S, double>) {
            return num::DoubleToFloat<mode>(x);
        } else {
            return x;
        }
    }
};

// All directed modes of a cast to half or bfloat16_t, with the mode as data.
template <typename D, typename S>
struct DirectedCastOp {
    static constexpr const char* kName = "Cast";
    num::Directed mode;
    float operator()(num::Wide<S> x) const { return num::RoundToFloat16<D>(num::ToNarrowableFloat(x), mode); }
};

struct DequantOp {
    static constexpr const char* kName = "Cast";
    double scale;
    double operator()(int32_t x) const { return static_cast<double>(x) * scale; }
};

struct CastName {
    static constexpr const char* kName = "Cast";
};

// Calls body(op) with the operation for a run-time mode. Only modes of the table are instantiated; another one is a
// fault of the kernel, and rounds to nearest in the fast build.
template <typename D, typename S, typename Body>
void WithCast(RoundMode mode, const Body& body)
{
    constexpr Modes modes = CastModes<D, S>();
    [[maybe_unused]] constexpr Modes other = (modes & 2) != 0 ? 2 : modes;  // RINT where it exists, else the only mode there is
    if (kChecked && (modes >> static_cast<uint32_t>(mode) & 1) == 0) {
        Fault("argument", "Cast: the round mode %u does not exist for these dtypes", static_cast<uint32_t>(mode));
    }
    if constexpr (std::is_same_v<D, half> && std::is_same_v<S, int32_t>) {
        body(DequantOp{Registers().deq_scale});
    } else if constexpr (num::kIsFloat16<D> && modes != kExact) {
        if (mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT || (modes >> static_cast<uint32_t>(mode) & 1) == 0) {
            body(CastOp<D, S, RoundMode::CAST_RINT>{});
        } else {
            body(DirectedCastOp<D, S>{num::Directed::Of(mode)});
        }
    } else {
        const auto inside = [&](auto constant) {
            constexpr RoundMode m = decltype(constant)::value;
            if constexpr ((modes >> static_cast<uint32_t>(m) & 1) != 0) {
                if (mode == m) {
                    body(CastOp<D, S, m>{});
                    return true;
                }
            }
            return false;
        };
        using M = RoundMode;
        const bool done =
            inside(std::integral_constant<M, M::CAST_NONE>{}) || inside(std::integral_constant<M, M::CAST_RINT>{}) ||
            inside(std::integral_constant<M, M::CAST_FLOOR>{}) || inside(std::integral_constant<M, M::CAST_CEIL>{}) ||
            inside(std::integral_constant<M, M::CAST_ROUND>{}) || inside(std::integral_constant<M, M::CAST_TRUNC>{}) ||
            inside(std::integral_constant<M, M::CAST_ODD>{});
        if (!done) {
            body(CastOp<D, S, other == 2 ? M::CAST_RINT : other == kOnlyTrunc ? M::CAST_TRUNC : M::CAST_NONE>{});
        }
    }
}

template <typename D, typename S>
void CastCount(LT<D> dst, LT<S> src, RoundMode mode, uint32_t count)
{
    CheckDtypes<CastName, D, S, CastModes<D, S>() != kNoCast>();
    WithCast<D, S>(mode, [&](const auto& op) { Run(op, dst, count, src); });
}

// The masks and the eight blocks of a repeat are those of the wider dtype.
template <typename D, typename S>
using Wider = std::conditional_t<(sizeof(D) > sizeof(S)), D, S>;

template <bool isSetMask, typename D, typename S, typename M>
void CastStrided(LT<D> dst, LT<S> src, RoundMode mode, M mask, uint8_t repeat, const UnaryRepeatParams& p)
{
    CheckDtypes<CastName, D, S, CastModes<D, S>() != kNoCast>();
    const Lanes lanes = MakeLanes<Wider<D, S>, isSetMask>(mask, repeat);
    WithCast<D, S>(mode, [&](const auto& op) {
        RunStrided(op, lanes, Strided<D>{dst, {p.dstBlkStride, p.dstRepStride}},
                   Strided<S>{src, {p.srcBlkStride, p.srcRepStride}});
    });
}

// ---- arithmetic that ends in a cast ----------------------------------------------------------------------------------
// The result is rounded once, to nearest even, and saturates when it is an integer.

template <typename D, typename R>
inline auto FinishCast(R exact)
{
    if constexpr (!std::is_integral_v<D>) {
        return exact;
    } else if constexpr (std::is_integral_v<R>) {
        return num::Saturate<D>(exact);
    } else {
        return num::Saturate<D>(num::RoundToIntegral<RoundMode::CAST_RINT>(exact));
    }
}

// Wide enough for sums and products of the sources: int32 for int16, double for floats.
template <typename V>
inline auto Exactly(V x)
{
    if constexpr (sizeof(V) == 8) {
        return x;
    } else if constexpr (std::is_integral_v<V>) {
        return static_cast<int32_t>(x);
    } else {
        return static_cast<double>(x);
    }
}

inline constexpr bool kToInt8FromHalf(Types d, Types s) { return s == kHalf && (d & (kS8 | kU8)) != 0; }
inline constexpr bool kFromInt64(Types d, Types s) { return kC310 && s == kS64 && (d & (kFloat | kS32)) != 0; }
inline constexpr bool kReluCast(Types d, Types s)
{
    return (d == kS8 && (s & (kHalf | kS16)) != 0) || (d == kHalf && s == kFloat) || kFromInt64(d, s);
}

template <typename D>
struct MulCastOp {
    static constexpr const char* kName = "MulCast";
    static constexpr bool Takes(Types d, Types s) { return kToInt8FromHalf(d, s) || kFromInt64(d, s); }
    template <typename V>
    auto operator()(V a, V b) const
    {
        return FinishCast<D>(MulOp{}(Exactly(a), Exactly(b)));
    }
};
template <typename D>
struct AddReluCastOp {
    static constexpr const char* kName = "AddReluCast";
    static constexpr bool Takes(Types d, Types s) { return kReluCast(d, s); }
    template <typename V>
    auto operator()(V a, V b) const
    {
        return FinishCast<D>(Rectify(AddOp{}(Exactly(a), Exactly(b))));
    }
};
template <typename D>
struct SubReluCastOp {
    static constexpr const char* kName = "SubReluCast";
    static constexpr bool Takes(Types d, Types s) { return kReluCast(d, s); }
    template <typename V>
    auto operator()(V a, V b) const
    {
        return FinishCast<D>(Rectify(SubOp{}(Exactly(a), Exactly(b))));
    }
};

template <typename Op, typename D, typename S>
void FusedCastCount(LT<D> dst, LT<S> src0, LT<S> src1, uint32_t count)
{
    CheckDtypes<Op, D, S, Op::Takes(kTypeOf<D>, kTypeOf<S>)>();
    Run(Op{}, dst, count, src0, src1);
}

template <typename Op, bool isSetMask, typename D, typename S, typename M>
void FusedCastStrided(LT<D> dst, LT<S> src0, LT<S> src1, M mask, uint8_t repeat, const BinaryRepeatParams& p)
{
    CheckDtypes<Op, D, S, Op::Takes(kTypeOf<D>, kTypeOf<S>)>();
    RunStrided(Op{}, MakeLanes<Wider<D, S>, isSetMask>(mask, repeat), Strided<D>{dst, {p.dstBlkStride, p.dstRepStride}},
               Strided<S>{src0, {p.src0BlkStride, p.src0RepStride}}, Strided<S>{src1, {p.src1BlkStride, p.src1RepStride}});
}

// Truncate: to an integral value of the same dtype.
template <typename T, RoundMode mode>
struct TruncateOp {
    static constexpr const char* kName = "Truncate";
    static constexpr Legal kTypes = {kNone, kFloats | kBf16};
    float operator()(float x) const { return num::RoundToIntegral<mode>(x); }
};

template <RoundMode mode, typename T>
void TruncateCount(LT<T> dst, LT<T> src, uint32_t count)
{
    CheckDtype<TruncateOp<T, mode>, T>();
    Run(TruncateOp<T, mode>{}, dst, count, src);
}

}  // namespace cpu::vec

// The factor of Cast from int32_t to half and of AddDeqRelu.
inline void SetDeqScale(half scale) { cpu::vec::Registers().deq_scale = static_cast<double>(static_cast<float>(scale)); }

template <typename T, typename U>
void Cast(cpu::LT<T> dst, cpu::LT<U> src, const RoundMode& roundMode, const uint32_t count)
{
    cpu::vec::CastCount(dst, src, roundMode, count);
}
template <typename T, typename U, bool isSetMask = true>
void Cast(cpu::LT<T> dst, cpu::LT<U> src, const RoundMode& roundMode, const uint64_t mask, const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::CastStrided<isSetMask>(dst, src, roundMode, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void Cast(cpu::LT<T> dst, cpu::LT<U> src, const RoundMode& roundMode, const uint64_t mask[], const uint8_t repeatTime,
          const UnaryRepeatParams& repeatParams)
{
    cpu::vec::CastStrided<isSetMask>(dst, src, roundMode, mask, repeatTime, repeatParams);
}

template <typename T, RoundMode roundMode>
void Truncate(cpu::LT<T> dst, cpu::LT<T> src, const uint32_t count)
{
    cpu::vec::TruncateCount<roundMode>(dst, src, count);
}

// One number, on the scalar unit.
template <typename T, typename U, RoundMode roundMode>
U ScalarCast(T valueIn)
{
    return static_cast<U>(cpu::vec::CastOp<U, T, roundMode>{}(static_cast<cpu::num::Wide<T>>(valueIn)));
}
template <typename T, typename U, RoundMode roundMode>
U Cast(T valueIn)
{
    return ScalarCast<T, U, roundMode>(valueIn);
}

template <typename T, typename U>
void MulCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::FusedCastCount<cpu::vec::MulCastOp<T>>(dst, src0, src1, count);
}
template <typename T, typename U, bool isSetMask = true>
void MulCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask, const uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FusedCastStrided<cpu::vec::MulCastOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void MulCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask[], const uint8_t repeatTime,
             const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FusedCastStrided<cpu::vec::MulCastOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T, typename U>
void AddReluCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::FusedCastCount<cpu::vec::AddReluCastOp<T>>(dst, src0, src1, count);
}
template <typename T, typename U, bool isSetMask = true>
void AddReluCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask, const uint8_t repeatTime,
                 const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FusedCastStrided<cpu::vec::AddReluCastOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void AddReluCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask[], const uint8_t repeatTime,
                 const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FusedCastStrided<cpu::vec::AddReluCastOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

template <typename T, typename U>
void SubReluCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, const uint32_t count)
{
    cpu::vec::FusedCastCount<cpu::vec::SubReluCastOp<T>>(dst, src0, src1, count);
}
template <typename T, typename U, bool isSetMask = true>
void SubReluCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask, const uint8_t repeatTime,
                 const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FusedCastStrided<cpu::vec::SubReluCastOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
void SubReluCast(cpu::LT<T> dst, cpu::LT<U> src0, cpu::LT<U> src1, uint64_t mask[], const uint8_t repeatTime,
                 const BinaryRepeatParams& repeatParams)
{
    cpu::vec::FusedCastStrided<cpu::vec::SubReluCastOp<T>, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

}  // namespace AscendC

#endif
