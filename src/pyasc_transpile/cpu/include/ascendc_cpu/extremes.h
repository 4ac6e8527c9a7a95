// The larger and the smaller of two numbers, whichever comes first: NaN if either is NaN, and -0 is smaller than +0
// (maximum and minimum of IEEE 754-2019).
#ifndef ASCENDC_CPU_EXTREMES_H
#define ASCENDC_CPU_EXTREMES_H

#include "numeric.h"

namespace AscendC::cpu::num {

// Two equal floats differ at most in the sign of a zero: negative if both are, or (kEither) if either is.
template <bool kEither, typename T>
inline T SameNumber(T a, T b)
{
    if constexpr (kIsFloating<T>) {
        using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
        const Bits x = BitCast<Bits>(a);
        const Bits y = BitCast<Bits>(b);
        return BitCast<T>(static_cast<Bits>(kEither ? x | y : x & y));
    } else {
        return a;
    }
}

template <typename T>
inline T Larger(T a, T b)
{
    const T beyond = a > b ? a : b;
    const T number = a == b ? SameNumber<false>(a, b) : beyond;
    return a != a ? a : number;
}

template <typename T>
inline T Smaller(T a, T b)
{
    const T beyond = a < b ? a : b;
    const T number = a == b ? SameNumber<true>(a, b) : beyond;
    return a != a ? a : number;
}

}  // namespace AscendC::cpu::num

#endif
