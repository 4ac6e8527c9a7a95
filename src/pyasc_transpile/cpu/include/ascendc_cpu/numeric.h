// half and bfloat16_t as the vector unit knows them, on a CPU: 2 bytes each, every operation rounds once, to nearest even.
//
// Conversions are bit exact (subnormals, infinities, NaN payloads made quiet) and the same on every machine: the
// instructions of the CPU are used where the compiler offers them, branch-free integer code elsewhere.
//
// The header depends on nothing else of ours and uses compiler builtins in place of <cmath>, which costs 0.1 s to parse.
#ifndef ASCENDC_CPU_NUMERIC_H
#define ASCENDC_CPU_NUMERIC_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// Marks a loop whose destination is exactly one of its sources or apart from all of them, as the device demands.
// Without it compilers fall back to scalar code when dst == src.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // not every loop of every dtype can be vectorised
#define ASCENDC_CPU_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define ASCENDC_CPU_LANES _Pragma("GCC ivdep")
#endif

namespace AscendC::cpu::num {

template <typename To, typename From>
inline To BitCast(const From& from)
{
    static_assert(sizeof(To) == sizeof(From), "BitCast keeps the size");
    To to;
    __builtin_memcpy(static_cast<void*>(&to), &from, sizeof(To));
    return to;
}

// ---- one value -------------------------------------------------------------------------------------------------------

inline float HalfBitsToFloat(uint16_t bits)
{
    const uint32_t magnitude = uint32_t{bits & 0x7fffu} << 13;
    // Reading the bits with float's exponent bias and scaling by 2^112 is exact for subnormals as well.
    const float scaled = BitCast<float>(magnitude) * 0x1p112f;
    const uint32_t special = magnitude | 0x7f800000u | (magnitude > 0x0f800000u ? 0x400000u : 0u);
    const uint32_t finite = BitCast<uint32_t>(scaled);
    const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
    return BitCast<float>((magnitude >= 0x0f800000u ? special : finite) | sign);
}

inline uint16_t FloatToHalfBits(float value)
{
    const uint32_t bits = BitCast<uint32_t>(value);
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    // Adding 0.5 puts the last bit of the sum at 2^-24, the step of half's subnormals: the adder rounds for us.
    const uint32_t tiny = BitCast<uint32_t>(BitCast<float>(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f) - 0x3f000000u;
    const uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    uint32_t result = magnitude < 0x38800000u ? tiny : normal;
    result = magnitude >= 0x47800000u ? 0x7c00u : result;
    result = magnitude > 0x7f800000u ? nan : result;
    return static_cast<uint16_t>(result | (bits >> 16 & 0x8000u));
}

inline float Bfloat16BitsToFloat(uint16_t bits) { return BitCast<float>(uint32_t{bits} << 16); }

inline uint16_t FloatToBfloat16Bits(float value)
{
    const uint32_t bits = BitCast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t nan = (bits >> 16) | 0x40u;
    return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

// A float that rounds to any narrower type just as the double does: rounded to odd, so that ties stay visible.
inline float DoubleToOddFloat(double value)
{
    const float nearest = static_cast<float>(value);
    uint32_t bits = BitCast<uint32_t>(nearest);
    const double back = static_cast<double>(nearest);
    const bool inexact = back != value && value == value;
    const bool away = value < 0 ? back < value : back > value;
    bits -= inexact && away ? 1u : 0u;
    bits |= inexact ? 1u : 0u;
    return BitCast<float>(bits);
}

// Numbers of any type as a float that has not lost what rounding to 16 bits needs.
template <typename N>
inline float ToNarrowableFloat(N value)
{
    if constexpr (std::is_same_v<N, float>) {
        return value;
    } else if constexpr (std::is_integral_v<N> && sizeof(N) == 8) {
        // 11 low bits do not fit a double: fold them into one sticky bit. (Short values keep all their bits.)
        const bool low = std::is_signed_v<N> && value < static_cast<N>(-(int64_t{1} << 53));
        const bool wide = value > N{1} << 53 || low;
        const N sticky = (value & N{0x7ff}) != 0 ? N{0x400} : N{0};
        const N folded = static_cast<N>((value & ~N{0x7ff}) | sticky);
        return DoubleToOddFloat(static_cast<double>(wide ? folded : value));
    } else {
        return DoubleToOddFloat(static_cast<double>(value));
    }
}

// ---- the two types ---------------------------------------------------------------------------------------------------

template <typename N>
using IfArithmetic = std::enable_if_t<std::is_arithmetic_v<N>, int>;

// What C++ would compute a mixed expression in: the other side's type when that is floating, else the 16-bit type.
template <typename Self, typename N>
using Mixed = std::conditional_t<std::is_floating_point_v<N>, N, Self>;

// Operators shared by half and bfloat16_t. Self converts to float exactly and is built from float by rounding.
template <typename Self>
struct Operators {
    friend Self operator+(Self a, Self b) { return Self(float(a) + float(b)); }
    friend Self operator-(Self a, Self b) { return Self(float(a) - float(b)); }
    friend Self operator*(Self a, Self b) { return Self(float(a) * float(b)); }
    friend Self operator/(Self a, Self b) { return Self(float(a) / float(b)); }
    friend Self operator+(Self a) { return a; }
    friend Self operator-(Self a) { return Self::FromBits(static_cast<uint16_t>(a.Bits() ^ 0x8000u)); }
    friend bool operator==(Self a, Self b) { return float(a) == float(b); }
    friend bool operator!=(Self a, Self b) { return float(a) != float(b); }
    friend bool operator<(Self a, Self b) { return float(a) < float(b); }
    friend bool operator>(Self a, Self b) { return float(a) > float(b); }
    friend bool operator<=(Self a, Self b) { return float(a) <= float(b); }
    friend bool operator>=(Self a, Self b) { return float(a) >= float(b); }

    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator+(Self a, N b)
    {
        return Mixed<Self, N>(a) + Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator-(Self a, N b)
    {
        return Mixed<Self, N>(a) - Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator*(Self a, N b)
    {
        return Mixed<Self, N>(a) * Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator/(Self a, N b)
    {
        return Mixed<Self, N>(a) / Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator+(N a, Self b)
    {
        return Mixed<Self, N>(a) + Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator-(N a, Self b)
    {
        return Mixed<Self, N>(a) - Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator*(N a, Self b)
    {
        return Mixed<Self, N>(a) * Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend Mixed<Self, N> operator/(N a, Self b)
    {
        return Mixed<Self, N>(a) / Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator==(Self a, N b)
    {
        return Mixed<Self, N>(a) == Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator!=(Self a, N b)
    {
        return Mixed<Self, N>(a) != Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator<(Self a, N b)
    {
        return Mixed<Self, N>(a) < Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator>(Self a, N b)
    {
        return Mixed<Self, N>(a) > Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator<=(Self a, N b)
    {
        return Mixed<Self, N>(a) <= Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator>=(Self a, N b)
    {
        return Mixed<Self, N>(a) >= Mixed<Self, N>(b);
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator==(N a, Self b)
    {
        return b == a;
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator!=(N a, Self b)
    {
        return b != a;
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator<(N a, Self b)
    {
        return b > a;
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator>(N a, Self b)
    {
        return b < a;
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator<=(N a, Self b)
    {
        return b >= a;
    }
    template <typename N, IfArithmetic<N> = 0>
    friend bool operator>=(N a, Self b)
    {
        return b <= a;
    }

    template <typename N>
    friend Self& operator+=(Self& a, N b)
    {
        return a = Self(a + b);
    }
    template <typename N>
    friend Self& operator-=(Self& a, N b)
    {
        return a = Self(a - b);
    }
    template <typename N>
    friend Self& operator*=(Self& a, N b)
    {
        return a = Self(a * b);
    }
    template <typename N>
    friend Self& operator/=(Self& a, N b)
    {
        return a = Self(a / b);
    }
    friend Self& operator++(Self& a) { return a = Self(float(a) + 1.0f); }
    friend Self& operator--(Self& a) { return a = Self(float(a) - 1.0f); }
};

}  // namespace AscendC::cpu::num

// IEEE binary16.
struct half : AscendC::cpu::num::Operators<half> {
    half() = default;
    template <typename N, AscendC::cpu::num::IfArithmetic<N> = 0>
    half(N value) : bits_(AscendC::cpu::num::FloatToHalfBits(AscendC::cpu::num::ToNarrowableFloat(value)))
    {
    }
    operator float() const { return AscendC::cpu::num::HalfBitsToFloat(bits_); }

    uint16_t Bits() const { return bits_; }
    static constexpr half FromBits(uint16_t bits) { return half(Raw{bits}); }

private:
    struct Raw {
        uint16_t bits;
    };
    constexpr explicit half(Raw raw) : bits_(raw.bits) {}
    uint16_t bits_;
};

// The upper half of a float.
struct bfloat16_t : AscendC::cpu::num::Operators<bfloat16_t> {
    bfloat16_t() = default;
    template <typename N, AscendC::cpu::num::IfArithmetic<N> = 0>
    bfloat16_t(N value) : bits_(AscendC::cpu::num::FloatToBfloat16Bits(AscendC::cpu::num::ToNarrowableFloat(value)))
    {
    }
    operator float() const { return AscendC::cpu::num::Bfloat16BitsToFloat(bits_); }

    uint16_t Bits() const { return bits_; }
    static constexpr bfloat16_t FromBits(uint16_t bits) { return bfloat16_t(Raw{bits}); }

private:
    struct Raw {
        uint16_t bits;
    };
    constexpr explicit bfloat16_t(Raw raw) : bits_(raw.bits) {}
    uint16_t bits_;
};

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half> && std::is_trivially_default_constructible_v<half>);
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable_v<bfloat16_t>);

namespace AscendC::cpu::num {

// The bit patterns that numeric_limits gives, per type.
template <typename T, int kDigits, int kMaxExponent, uint16_t kMin, uint16_t kMax, uint16_t kEpsilon, uint16_t kHalfOne,
          uint16_t kInf, uint16_t kNan>
struct Limits16 : std::numeric_limits<float> {
    static constexpr int digits = kDigits;
    static constexpr int digits10 = (kDigits - 1) * 30103 / 100000;
    static constexpr int max_digits10 = kDigits * 30103 / 100000 + 2;
    static constexpr int max_exponent = kMaxExponent;
    static constexpr int min_exponent = 3 - kMaxExponent;
    static constexpr int max_exponent10 = kMaxExponent * 30103 / 100000;
    static constexpr int min_exponent10 = -((kMaxExponent - 2) * 30103 / 100000);
    static constexpr T min() noexcept { return T::FromBits(kMin); }
    static constexpr T max() noexcept { return T::FromBits(kMax); }
    static constexpr T lowest() noexcept { return T::FromBits(kMax | 0x8000u); }
    static constexpr T epsilon() noexcept { return T::FromBits(kEpsilon); }
    static constexpr T round_error() noexcept { return T::FromBits(kHalfOne); }
    static constexpr T infinity() noexcept { return T::FromBits(kInf); }
    static constexpr T quiet_NaN() noexcept { return T::FromBits(kNan); }
    static constexpr T signaling_NaN() noexcept { return T::FromBits(kInf | 1u); }
    static constexpr T denorm_min() noexcept { return T::FromBits(1u); }
};

}  // namespace AscendC::cpu::num

template <>
class std::numeric_limits<half>
    : public AscendC::cpu::num::Limits16<half, 11, 16, 0x0400, 0x7bff, 0x1400, 0x3800, 0x7c00, 0x7e00> {};
template <>
class std::numeric_limits<bfloat16_t>
    : public AscendC::cpu::num::Limits16<bfloat16_t, 8, 128, 0x0080, 0x7f7f, 0x3c00, 0x3f00, 0x7f80, 0x7fc0> {};

namespace AscendC::cpu::num {

// ---- many values -----------------------------------------------------------------------------------------------------

// The CPU's own conversion of Width values, where the compiler has it; Width 0 where it has not.
#if defined(__AVX512F__)
struct HalfUnit {
    static constexpr size_t Width = 16;
    using Halves = short __attribute__((vector_size(32)));
    using Floats = float __attribute__((vector_size(64)));
    static void Widen(const half* from, float* to)
    {
        Halves in;
        __builtin_memcpy(&in, from, sizeof in);
        const Floats out = __builtin_ia32_vcvtph2ps512_mask(in, Floats{}, -1, 4);
        __builtin_memcpy(static_cast<void*>(to), &out, sizeof out);
    }
    static void Narrow(const float* from, half* to)
    {
        Floats in;
        __builtin_memcpy(&in, from, sizeof in);
        const Halves out = (Halves)__builtin_ia32_vcvtps2ph512_mask(in, 0, Halves{}, -1);
        __builtin_memcpy(static_cast<void*>(to), &out, sizeof out);
    }
};
#elif defined(__F16C__) && !defined(__clang__)
struct HalfUnit {
    static constexpr size_t Width = 8;
    using Halves = short __attribute__((vector_size(16)));
    using Floats = float __attribute__((vector_size(32)));
    static void Widen(const half* from, float* to)
    {
        Halves in;
        __builtin_memcpy(&in, from, sizeof in);
        const Floats out = __builtin_ia32_vcvtph2ps256(in);
        __builtin_memcpy(static_cast<void*>(to), &out, sizeof out);
    }
    static void Narrow(const float* from, half* to)
    {
        Floats in;
        __builtin_memcpy(&in, from, sizeof in);
        const Halves out = __builtin_ia32_vcvtps2ph256(in, 0);
        __builtin_memcpy(static_cast<void*>(to), &out, sizeof out);
    }
};
#else
struct HalfUnit {
    static constexpr size_t Width = 0;
    static void Widen(const half*, float*) {}
    static void Narrow(const float*, half*) {}
};
#endif

inline void Widen(const half* from, float* to, size_t count)
{
    size_t i = 0;
    if constexpr (HalfUnit::Width != 0) {
        for (; i + HalfUnit::Width <= count; i += HalfUnit::Width) {
            HalfUnit::Widen(from + i, to + i);
        }
    }
    ASCENDC_CPU_LANES
    for (size_t k = i; k < count; ++k) {
        to[k] = HalfBitsToFloat(from[k].Bits());
    }
}

inline void Narrow(const float* from, half* to, size_t count)
{
    size_t i = 0;
    if constexpr (HalfUnit::Width != 0) {
        for (; i + HalfUnit::Width <= count; i += HalfUnit::Width) {
            HalfUnit::Narrow(from + i, to + i);
        }
    }
    ASCENDC_CPU_LANES
    for (size_t k = i; k < count; ++k) {
        to[k] = half::FromBits(FloatToHalfBits(from[k]));
    }
}

inline void Widen(const bfloat16_t* from, float* to, size_t count)
{
    ASCENDC_CPU_LANES
    for (size_t k = 0; k < count; ++k) {
        to[k] = Bfloat16BitsToFloat(from[k].Bits());
    }
}

inline void Narrow(const float* from, bfloat16_t* to, size_t count)
{
    ASCENDC_CPU_LANES
    for (size_t k = 0; k < count; ++k) {
        to[k] = bfloat16_t::FromBits(FloatToBfloat16Bits(from[k]));
    }
}

// True for the types whose arithmetic is done in float and rounded afterwards.
template <typename T>
inline constexpr bool kIsFloat16 = std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>;

// The type an operation on T is computed in.
template <typename T>
using Wide = std::conditional_t<kIsFloat16<T>, float, T>;

template <typename T>
inline constexpr bool kIsFloating = std::is_floating_point_v<T> || kIsFloat16<T>;

}  // namespace AscendC::cpu::num

#endif
