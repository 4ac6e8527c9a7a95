// Rounding by RoundMode: to integral values, to narrower floats, and saturating conversions to integers.
//
// Overflow follows IEEE: a value too large for the float type becomes infinity (the directed modes that round towards
// zero give the largest finite value), NaN stays NaN. That is CTRL[48] = 1, the setting under which results can be
// compared with NumPy. Conversions to integers saturate and turn NaN into 0.
#ifndef ASCENDC_CPU_ROUNDING_H
#define ASCENDC_CPU_ROUNDING_H

#include "numeric.h"
#include "types.h"

namespace AscendC::cpu::num {

// To an integral value of the same type.
template <RoundMode mode, typename V>
inline V RoundToIntegral(V x)
{
    constexpr bool single = std::is_same_v<V, float>;
    if constexpr (mode == RoundMode::CAST_FLOOR) {
        return single ? static_cast<V>(__builtin_floorf(static_cast<float>(x))) : static_cast<V>(__builtin_floor(x));
    } else if constexpr (mode == RoundMode::CAST_CEIL) {
        return single ? static_cast<V>(__builtin_ceilf(static_cast<float>(x))) : static_cast<V>(__builtin_ceil(x));
    } else if constexpr (mode == RoundMode::CAST_TRUNC) {
        return single ? static_cast<V>(__builtin_truncf(static_cast<float>(x))) : static_cast<V>(__builtin_trunc(x));
    } else if constexpr (mode == RoundMode::CAST_ROUND) {
        // The largest number below one half: 0.5 itself would carry 0.49999997 up to 1.
        const V almost = single ? V(0x1.fffffep-2f) : V(0x1.fffffffffffffp-2);
        return RoundToIntegral<RoundMode::CAST_TRUNC>(x + static_cast<V>(__builtin_copysign(almost, x)));
    } else {
        return single ? static_cast<V>(__builtin_rintf(static_cast<float>(x))) : static_cast<V>(__builtin_rint(x));
    }
}

// magnitude / 2^shift as an integer; 1 <= shift <= 63.
template <RoundMode mode>
inline uint64_t RoundShift(uint64_t magnitude, unsigned shift, bool negative)
{
    const uint64_t quotient = magnitude >> shift;
    const uint64_t rest = magnitude & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    if constexpr (mode == RoundMode::CAST_FLOOR) {
        return quotient + (negative && rest != 0 ? 1 : 0);
    } else if constexpr (mode == RoundMode::CAST_CEIL) {
        return quotient + (!negative && rest != 0 ? 1 : 0);
    } else if constexpr (mode == RoundMode::CAST_TRUNC) {
        return quotient;
    } else if constexpr (mode == RoundMode::CAST_ROUND) {
        return quotient + (rest >= half ? 1 : 0);
    } else if constexpr (mode == RoundMode::CAST_ODD) {
        return quotient | (rest != 0 ? 1 : 0);
    } else {
        return quotient + (rest > half || (rest == half && (quotient & 1) != 0) ? 1 : 0);
    }
}

template <RoundMode mode>
inline constexpr bool kNearestEven = mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT;

// The directed modes as numbers, so that one loop serves them all: the rest that is cut off rounds away from zero when it is
// at least `one` + `halves` * (half a step). Index 0 for positive, 1 for negative values.
struct Directed {
    uint32_t one[2];
    uint32_t halves[2];  // 2: never
    bool odd;            // sets the last bit of inexact values instead
    bool infinite[2];    // what overflows becomes infinity; otherwise the largest finite value

    static constexpr Directed Of(RoundMode mode)
    {
        switch (mode) {
            case RoundMode::CAST_FLOOR:
                return {{0, 1}, {2, 0}, false, {false, true}};
            case RoundMode::CAST_CEIL:
                return {{1, 0}, {0, 2}, false, {true, false}};
            case RoundMode::CAST_ROUND:
                return {{0, 0}, {1, 1}, false, {true, true}};
            case RoundMode::CAST_ODD:
                return {{0, 0}, {2, 2}, true, {false, false}};
            default:  // CAST_TRUNC
                return {{0, 0}, {2, 2}, false, {false, false}};
        }
    }
};

// The float next to x, in the sense of a directed mode, that half (bfloat16_t) can represent.
template <typename Narrower>
inline float RoundToFloat16(float x, const Directed& mode)
{
    constexpr bool isHalf = std::is_same_v<Narrower, half>;
    const uint32_t bits = BitCast<uint32_t>(x);
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t negative = bits >> 31;
    // Below 2^-14 half has a fixed step of 2^-24: shift the significand to that step. Anything smaller than half a step is cut
    // off as a whole by a shift of 25.
    const bool tiny = isHalf && magnitude < 0x38800000u;
    const uint32_t exponent = magnitude >> 23;
    const uint32_t significand = exponent == 0 ? magnitude : (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t needed = 126 - exponent < 25 ? 126 - exponent : 25;
    const uint32_t shift = !isHalf ? 16 : tiny ? needed : 13;
    const uint32_t value = !isHalf ? magnitude : tiny ? significand : magnitude - 0x38000000u;
    const uint32_t rest = value & ((1u << shift) - 1);
    const uint32_t half_step = 1u << (shift - 1);
    const uint32_t one = negative != 0 ? mode.one[1] : mode.one[0];
    const uint32_t halves = negative != 0 ? mode.halves[1] : mode.halves[0];
    uint32_t rounded = (value >> shift) + static_cast<uint32_t>(rest >= one + halves * half_step);
    // Nothing cut off, nothing to round.
    rounded = rest == 0 ? value >> shift : rounded;
    rounded |= static_cast<uint32_t>(mode.odd) & static_cast<uint32_t>(rest != 0);
    float result;
    if constexpr (isHalf) {
        const uint32_t limit = (negative != 0 ? mode.infinite[1] : mode.infinite[0]) ? 0x7c00u : 0x7bffu;
        rounded = rounded >= 0x7c00u ? limit : rounded;
        result = HalfBitsToFloat(static_cast<uint16_t>(rounded | negative << 15));
    } else {
        result = BitCast<float>(rounded << 16 | negative << 31);
    }
    return magnitude >= 0x7f800000u ? x : result;
}

template <RoundMode mode>
inline float DoubleToFloat(double x)
{
    const float nearest = static_cast<float>(x);
    if constexpr (kNearestEven<mode>) {
        return nearest;
    } else {
        if (x != x || static_cast<double>(nearest) == x) {
            return nearest;
        }
        // The two floats around x, by size.
        const uint32_t bits = BitCast<uint32_t>(nearest);
        const bool beyond = __builtin_fabs(static_cast<double>(nearest)) > __builtin_fabs(x);
        const float inner = BitCast<float>(beyond ? bits - 1 : bits);
        const float outer = BitCast<float>(beyond ? bits : bits + 1);
        if constexpr (mode == RoundMode::CAST_FLOOR) {
            return x < 0 ? outer : inner;
        } else if constexpr (mode == RoundMode::CAST_CEIL) {
            return x < 0 ? inner : outer;
        } else if constexpr (mode == RoundMode::CAST_TRUNC) {
            return inner;
        } else if constexpr (mode == RoundMode::CAST_ODD) {
            return (bits & 1) != 0 ? nearest : beyond ? inner : outer;
        } else {
            const double size = __builtin_fabs(static_cast<double>(inner));
            const double step = size == 0x1.fffffep127 ? 0x1p104 : __builtin_fabs(static_cast<double>(outer)) - size;
            return __builtin_fabs(x) >= size + 0.5 * step ? outer : inner;
        }
    }
}

// An integer as a float or double.
template <typename F, RoundMode mode, typename I>
inline F IntegerToFloat(I value)
{
    constexpr unsigned digits = std::is_same_v<F, float> ? 24 : 53;
    if constexpr (kNearestEven<mode> || sizeof(I) * 8 <= digits) {
        return static_cast<F>(value);
    } else {
        const bool negative = value < 0;
        const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
        const unsigned length = 64u - static_cast<unsigned>(__builtin_clzll(magnitude | 1));
        if (length <= digits) {
            return static_cast<F>(value);
        }
        const unsigned shift = length - digits;
        const F size = static_cast<F>(RoundShift<mode>(magnitude, shift, negative)) * static_cast<F>(uint64_t{1} << shift);
        return negative ? -size : size;
    }
}

// A float, double or integer as an integer of type D: truncates and saturates; NaN gives 0.
template <typename D, typename V>
inline D Saturate(V x)
{
    using Limits = std::numeric_limits<D>;
    if constexpr (std::is_integral_v<V>) {
        // Compare as 64-bit integers; every pair of dtypes in the tables fits.
        const int64_t wide = static_cast<int64_t>(x);
        if constexpr (std::is_same_v<V, uint64_t> || std::is_same_v<D, uint64_t>) {
            return static_cast<D>(x);
        } else {
            const int64_t low = wide < int64_t{Limits::min()} ? int64_t{Limits::min()} : wide;
            return static_cast<D>(low > int64_t{Limits::max()} ? int64_t{Limits::max()} : low);
        }
    } else if constexpr (sizeof(D) < 4) {
        const V low = x < V(Limits::min()) ? V(Limits::min()) : x;
        const V bounded = low > V(Limits::max()) ? V(Limits::max()) : low;
        return static_cast<D>(static_cast<int32_t>(bounded == bounded ? bounded : V(0)));
    } else {
        // By integer comparisons of the bits: where floating point may trap, compilers do not vectorise conversions whose
        // argument depends on a comparison of floats.
        static_assert(std::is_signed_v<D>, "no dtype table has a cast from float to uint32_t or uint64_t");
        using Bits = std::conditional_t<sizeof(V) == 4, uint32_t, uint64_t>;
        const Bits bits = BitCast<Bits>(x);
        const Bits magnitude = bits & ~(Bits{1} << (sizeof(V) * 8 - 1));
        const bool fits = magnitude < BitCast<Bits>(V(uint64_t{1} << (sizeof(D) * 8 - 1)));  // |x| < 2^31 or 2^63
        const D inside = static_cast<D>(BitCast<V>(bits & -Bits{fits}));
        const D limit = bits == magnitude ? Limits::max() : Limits::min();
        const D outside = magnitude > BitCast<Bits>(std::numeric_limits<V>::infinity()) ? D{0} : limit;
        return fits ? inside : outside;
    }
}

}  // namespace AscendC::cpu::num

#endif
