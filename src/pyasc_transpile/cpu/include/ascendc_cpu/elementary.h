// exp, log, sin, cos, tanh and erf as straight-line double code that compilers vectorise, for arguments that are floats.
//
// The results carry a relative error below 1e-11, far less than the 6e-8 of a float: rounded once to float or half they
// are the correctly rounded value but for about one case in ten thousand, and never more than 0.51 ulp off.
// Working in double also gives subnormal results and overflow for free.
#ifndef ASCENDC_CPU_ELEMENTARY_H
#define ASCENDC_CPU_ELEMENTARY_H

#include "numeric.h"

namespace AscendC::cpu::num {

// a*b + c; fused where the machine can, which only makes it more exact.
inline double MulAdd(double a, double b, double c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// c0 + x*(c1 + x*(...)), written out: a loop over an array of coefficients would keep compilers from vectorising.
[[gnu::always_inline]] inline double Polynomial(double, double c0) { return c0; }
template <typename... More>
[[gnu::always_inline]] inline double Polynomial(double x, double c0, More... more)
{
    return MulAdd(Polynomial(x, more...), x, c0);
}

// Adding it leaves the nearest integer in the low bits of the sum.
inline constexpr double kToInteger = 0x1.8p52;

// condition ? a : b, in integer arithmetic: compilers turn the plain form into branches here and then give up vectorising.
inline double Select(bool condition, double a, double b)
{
    const uint64_t take = -uint64_t{condition};
    return BitCast<double>((BitCast<uint64_t>(a) & take) | (BitCast<uint64_t>(b) & ~take));
}

// The nearer of x and +-limit; NaN stays.
inline double Bounded(double x, double limit) { return Select(__builtin_fabs(x) > limit, __builtin_copysign(limit, x), x); }

inline double Exp(double x)
{
    // Beyond 300 the float result is 0 or infinity anyway.
    x = Bounded(x, 300.0);
    const double shifted = x * 0x1.71547652b82fep0 + kToInteger;
    const double n = shifted - kToInteger;
    const double r = MulAdd(n, -0x1.abc9e3b39803fp-56, MulAdd(n, -0x1.62e42fefa39efp-1, x));
    const double power = BitCast<double>((BitCast<uint64_t>(shifted) + 1023) << 52);
    return Polynomial(r, 1.0, 1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
                      1.0 / 3628800, 1.0 / 39916800) *
           power;
}

inline double Log(double x)
{
    const uint64_t bits = BitCast<uint64_t>(x);
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); e is made a double by writing it into the low bits of 2^52.
    const uint64_t biased = (bits - 0x3fe6a09e667f3bcdull + (uint64_t{1024} << 52)) >> 52;
    const double e = BitCast<double>(biased | 0x4330000000000000ull) - (0x1p52 + 1024.0);
    const double m = BitCast<double>(bits - ((biased - 1024) << 52));
    const double s = (m - 1.0) / (m + 1.0);
    const double log1 = s * Polynomial(s * s, 2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17);
    double result = MulAdd(e, 0x1.62e42fefa39efp-1, log1);
    result = Select(x == __builtin_inf(), x, result);
    result = Select(x == 0.0, -__builtin_inf(), result);
    return Select(x >= 0.0, result, __builtin_nan(""));
}

// Sine and cosine of x - n*pi/2, |x| < 2^19: n times each of the first two parts of pi/2 is exact.
struct Quadrant {
    double sine;
    double cosine;
    uint64_t n;
};

inline constexpr double kTrigLimit = 0x1p19;

inline Quadrant ReduceAngle(double x)
{
    const double shifted = x * 0x1.45f306dc9c883p-1 + kToInteger;
    const double n = shifted - kToInteger;
    double r = MulAdd(n, -0x1.921fb544p0, x);
    r = MulAdd(n, -0x1.0b4611a6p-34, r);
    r = MulAdd(n, -0x1.3198a2e037073p-69, r);
    const double square = r * r;
    return {r * Polynomial(square, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                           -1.0 / 1307674368000.0),
            Polynomial(square, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                       -1.0 / 87178291200.0, 1.0 / 20922789888000.0),
            BitCast<uint64_t>(shifted)};
}

inline double Signed(double x, uint64_t negative) { return BitCast<double>(BitCast<uint64_t>(x) ^ negative << 63); }

inline double Sin(double x)
{
    const Quadrant q = ReduceAngle(x);
    // A sine of zero keeps the sign of zero.
    const double result = Signed(Select((q.n & 1) != 0, q.cosine, q.sine), q.n >> 1 & 1);
    return Select(x == 0.0, x, result);
}

inline double Cos(double x)
{
    const Quadrant q = ReduceAngle(x);
    return Signed(Select((q.n & 1) != 0, q.sine, q.cosine), (q.n + 1) >> 1 & 1);
}

inline double Tan(double x)
{
    const Quadrant q = ReduceAngle(x);
    const double result = Select((q.n & 1) != 0, -q.cosine, q.sine) / Select((q.n & 1) != 0, q.sine, q.cosine);
    return Select(x == 0.0, x, result);
}

// Near 0 the exponentials cancel; there the first terms of the series are exact enough.
inline double Sinh(double x)
{
    const double e = Exp(x);
    const double series = MulAdd(x * x * x, 1.0 / 6, x);
    const double far = 0.5 * e - 0.5 / e;
    return Select(x * x < 1e-8, series, far);
}

inline double Cosh(double x)
{
    const double e = Exp(x);
    return 0.5 * e + 0.5 / e;
}

inline double Tanh(double x)
{
    const double e = Exp(2.0 * Bounded(x, 20.0));
    const double series = MulAdd(x * x * x, -1.0 / 3, x);
    const double far = (e - 1.0) / (e + 1.0);
    return Select(x * x < 1e-8, series, far);
}

// exp(x^2) * erfc(x) * (1 + 2x) as a polynomial in (x - 2)/(x + 2) for 0.5 <= x <= 11, fitted at Chebyshev points.
inline double ErfcTail(double x)
{
    const double bounded = Bounded(x, 11.0);
    return Exp(-x * x) *
           Polynomial((bounded - 2.0) / (bounded + 2.0), 1.2769783815525217, -0.09276382658579196, -0.16603039761290445,
                      0.16405128004007735, -0.054220001129572884, -0.008034015347166348, 0.00872265693487447,
                      0.0012713435895516383, -0.001456848073741257, -0.00045438340929809817, 0.000206580978843356,
                      0.00015126521365885743, -2.2936347377186732e-06, -3.714214330827821e-05, -1.1835388747364838e-05,
                      5.081415475673134e-06, 3.394326712982005e-06) /
           MulAdd(2.0, bounded, 1.0);
}

// The series of erf(x)/x around 0, for |x| < 0.5.
inline double ErfNear(double x)
{
    return x * Polynomial(x * x, 1.1283791670955126, -0.37612638903183754, 0.11283791670955126, -0.026866170645131252,
                          0.005223977625442188, -0.0008548327023450852, 0.00012055332981789664, -1.492565035840625e-05,
                          1.6462114365889246e-06, -1.6365844691234924e-07, 1.4807192815879218e-08);
}

inline double Erf(double x)
{
    const double size = __builtin_fabs(x);
    const double far = 1.0 - ErfcTail(size);
    const double magnitude = Select(size < 0.5, ErfNear(size), far);
    return Signed(magnitude, BitCast<uint64_t>(x) >> 63);
}

inline double Erfc(double x)
{
    const double size = __builtin_fabs(x);
    const double tail = ErfcTail(size);
    const double far = Select(x < 0.0, 2.0 - tail, tail);
    return Select(size < 0.5, 1.0 - ErfNear(x), far);
}

// x to the y for every double; C's rules for zeros, infinities, NaN and negative bases.
inline double Power(double x, double y) { return __builtin_pow(x, y); }

}  // namespace AscendC::cpu::num

#endif
