// What the mathematical functions of the advanced API compute for one element (API reference 6.2): always in double, rounded
// once to the dtype. Those without a vectorised form in elementary.h call the C library.
#ifndef ASCENDC_CPU_MATH_OPS_H
#define ASCENDC_CPU_MATH_OPS_H

#include "elementary.h"
#include "rounding.h"
#include "vector_ops.h"

// As <math.h> declares it, which costs 0.1 s to parse. (The reentrant form: plain lgamma writes a global.)
extern "C" double lgamma_r(double, int*) noexcept;

namespace AscendC::cpu::vec {

// kHalfWork, kFloatWork: the least work buffer of any form, in repeats, where the documentation names one.
struct FloatFunction {
    static constexpr Legal kTypes = {kFloats, kFloats};
    static constexpr uint32_t kHalfWork = 0;
    static constexpr uint32_t kFloatWork = 0;
};

// On 2201 a sequence of instructions with a barrier on PIPE_V behind each, the last one too.
struct EndsWithBarrier {};

// Angles from 2^19 on, infinities and NaN need the C library's long reduction.
struct TrigFunction : FloatFunction {
    static bool Rare(float x) { return !(__builtin_fabsf(x) < static_cast<float>(num::kTrigLimit)); }
};
struct SinOp : TrigFunction, EndsWithBarrier {
    static constexpr const char* kName = "Sin";
    static constexpr uint32_t kHalfWork = 8;
    static constexpr uint32_t kFloatWork = 2;
    double operator()(float x) const { return num::Sin(double{x}); }
    double Slow(float x) const { return __builtin_sin(double{x}); }
};
struct CosOp : TrigFunction, EndsWithBarrier {
    static constexpr const char* kName = "Cos";
    static constexpr uint32_t kHalfWork = 8;
    static constexpr uint32_t kFloatWork = 2;
    double operator()(float x) const { return num::Cos(double{x}); }
    double Slow(float x) const { return __builtin_cos(double{x}); }
};
struct TanOp : TrigFunction, EndsWithBarrier {
    static constexpr const char* kName = "Tan";
    static constexpr uint32_t kHalfWork = 10;
    static constexpr uint32_t kFloatWork = 4;
    double operator()(float x) const { return num::Tan(double{x}); }
    double Slow(float x) const { return __builtin_tan(double{x}); }
};
struct SinhOp : FloatFunction, EndsWithBarrier {
    static constexpr const char* kName = "Sinh";
    static constexpr uint32_t kHalfWork = 4;
    static constexpr uint32_t kFloatWork = 1;
    double operator()(float x) const { return num::Sinh(double{x}); }
};
struct CoshOp : FloatFunction, EndsWithBarrier {
    static constexpr const char* kName = "Cosh";
    static constexpr uint32_t kHalfWork = 6;
    static constexpr uint32_t kFloatWork = 2;
    double operator()(float x) const { return num::Cosh(double{x}); }
};
struct TanhOp : FloatFunction, EndsWithBarrier {
    static constexpr const char* kName = "Tanh";
    static constexpr uint32_t kHalfWork = 4;
    static constexpr uint32_t kFloatWork = 1;
    double operator()(float x) const { return num::Tanh(double{x}); }
};
struct AsinOp : FloatFunction {
    static constexpr const char* kName = "Asin";
    static constexpr uint32_t kHalfWork = 6;
    static constexpr uint32_t kFloatWork = 2;
    double operator()(float x) const { return __builtin_asin(double{x}); }
};
struct AcosOp : FloatFunction {
    static constexpr const char* kName = "Acos";
    static constexpr uint32_t kHalfWork = 6;
    static constexpr uint32_t kFloatWork = 2;
    double operator()(float x) const { return __builtin_acos(double{x}); }
};
struct AtanOp : FloatFunction {
    static constexpr const char* kName = "Atan";
    static constexpr uint32_t kHalfWork = 12;
    static constexpr uint32_t kFloatWork = 5;
    double operator()(float x) const { return __builtin_atan(double{x}); }
};
struct AsinhOp : FloatFunction {
    static constexpr const char* kName = "Asinh";
    double operator()(float x) const { return __builtin_asinh(double{x}); }
};
struct AcoshOp : FloatFunction {
    static constexpr const char* kName = "Acosh";
    double operator()(float x) const { return __builtin_acosh(double{x}); }
};
struct AtanhOp : FloatFunction {
    static constexpr const char* kName = "Atanh";
    double operator()(float x) const { return __builtin_atanh(double{x}); }
};
struct ErfOp : FloatFunction, EndsWithBarrier {
    static constexpr const char* kName = "Erf";
    static constexpr uint32_t kHalfWork = 8;
    static constexpr uint32_t kFloatWork = 3;
    double operator()(float x) const { return num::Erf(double{x}); }
};
struct ErfcOp : FloatFunction {
    static constexpr const char* kName = "Erfc";
    static constexpr uint32_t kHalfWork = 16;
    static constexpr uint32_t kFloatWork = 7;
    double operator()(float x) const { return num::Erfc(double{x}); }
};
struct LogOp : FloatFunction {
    static constexpr const char* kName = "Log";
    double operator()(float x) const { return num::Log(double{x}); }
};
struct Log2Op : FloatFunction {
    static constexpr const char* kName = "Log2";
    double operator()(float x) const { return num::Log(double{x}) * 0x1.71547652b82fep0; }
};
struct Log10Op : FloatFunction {
    static constexpr const char* kName = "Log10";
    double operator()(float x) const { return num::Log(double{x}) * 0x1.bcb7b1526e50ep-2; }
};
struct ExpTaylorOp : FloatFunction {
    static constexpr const char* kName = "Exp";
    double operator()(float x) const { return num::Exp(double{x}); }
};
struct LgammaOp : FloatFunction {
    static constexpr const char* kName = "Lgamma";
    double operator()(float x) const
    {
        int sign = 0;
        return lgamma_r(double{x}, &sign);
    }
};

// Reflection below 0.5, recurrence up to 8, then the asymptotic series. Poles give NaN.
struct DigammaOp : FloatFunction {
    static constexpr const char* kName = "Digamma";
    double operator()(float value) const
    {
        double x = double{value};
        if (x <= 0.0 && x == __builtin_floor(x)) {
            return __builtin_nan("");
        }
        double sum = 0.0;
        if (x < 0.5) {
            constexpr double pi = 0x1.921fb54442d18p1;
            sum = -pi / __builtin_tan(pi * (x - __builtin_rint(x)));  // the difference is exact
            x = 1.0 - x;
        }
        for (; x < 8.0; x += 1.0) {
            sum -= 1.0 / x;
        }
        const double inverse = 1.0 / (x * x);
        const double series =
            num::Polynomial(inverse, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12);
        return sum + num::Log(x) - 0.5 / x - inverse * series;
    }
};

struct FloorOp : FloatFunction {
    static constexpr const char* kName = "Floor";
    float operator()(float x) const { return num::RoundToIntegral<RoundMode::CAST_FLOOR>(x); }
};
struct CeilOp : FloatFunction {
    static constexpr const char* kName = "Ceil";
    float operator()(float x) const { return num::RoundToIntegral<RoundMode::CAST_CEIL>(x); }
};
struct TruncOp : FloatFunction {
    static constexpr const char* kName = "Trunc";
    float operator()(float x) const { return num::RoundToIntegral<RoundMode::CAST_TRUNC>(x); }
};
struct RoundOp : FloatFunction {  // ties to even
    static constexpr const char* kName = "Round";
    float operator()(float x) const { return num::RoundToIntegral<RoundMode::CAST_RINT>(x); }
};
struct RintOp : RoundOp {
    static constexpr const char* kName = "Rint";
    static constexpr Legal kTypes = {kNone, kFloats};
};
struct FracOp : FloatFunction {  // keeps the sign of x; exact
    static constexpr const char* kName = "Frac";
    float operator()(float x) const
    {
        const float fraction = x - num::RoundToIntegral<RoundMode::CAST_TRUNC>(x);
        return __builtin_fabsf(x) == __builtin_inff() ? __builtin_copysignf(0.0f, x) : fraction;
    }
};
struct SignOp : FloatFunction {  // -1, 0 or 1; NaN stays
    static constexpr const char* kName = "Sign";
    float operator()(float x) const
    {
        const float sign = static_cast<float>(x > 0.0f) - static_cast<float>(x < 0.0f);
        return x != x ? x : sign;
    }
};

struct FmodOp : FloatFunction {
    static constexpr const char* kName = "Fmod";
    double operator()(float a, float b) const { return __builtin_fmod(double{a}, double{b}); }
};
struct HypotOp {
    static constexpr const char* kName = "Hypot";
    static constexpr Legal kTypes = {kNone, kFloats};
    double operator()(float a, float b) const { return __builtin_hypot(double{a}, double{b}); }
};

// Integers: wraps; a negative exponent truncates the exact value (0 to a negative power is 0).
struct PowerOp {
    static constexpr const char* kName = "Power";
    static constexpr Legal kTypes = {kFloats | kS32, kFloats | kBf16 | kS8 | kU8 | kS16 | kU16 | kS32 | kU32};
    template <typename T>
    auto operator()(T base, T exponent) const
    {
        if constexpr (kIsInt<T>) {
            if (exponent < T{0}) {
                const bool odd = (exponent & T{1}) != 0;
                return base == T{1} ? T{1} : base == static_cast<T>(-1) ? (odd ? base : T{1}) : T{0};
            }
            T result{1};
            for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0;
                 left = static_cast<std::make_unsigned_t<T>>(left >> 1)) {
                result = (left & 1) != 0 ? MulOp{}(result, base) : result;
                base = MulOp{}(base, base);
            }
            return result;
        } else {
            return num::Power(double{base}, double{exponent});
        }
    }
};

// min(x, scalar) and max(x, scalar).
struct ClampMaxOp : MinOp {
    static constexpr const char* kName = "ClampMax";
    static constexpr Legal kTypes = {kFloats, kFloats};
};
struct ClampMinOp : MaxOp {
    static constexpr const char* kName = "ClampMin";
    static constexpr Legal kTypes = {kFloats, kFloats};
};

// ---- c310 only -------------------------------------------------------------------------------------------------------

struct BitwiseAndOp : AndOp {
    static constexpr const char* kName = "BitwiseAnd";
    static constexpr Legal kTypes = {kNone, kInts};
};
struct BitwiseOrOp : OrOp {
    static constexpr const char* kName = "BitwiseOr";
    static constexpr Legal kTypes = {kNone, kInts};
};
struct BitwiseXorOp : XorOp {
    static constexpr const char* kName = "BitwiseXor";
    static constexpr Legal kTypes = {kNone, kInts};
};
struct BitwiseNotOp : NotOp {
    static constexpr const char* kName = "BitwiseNot";
    static constexpr Legal kTypes = {kNone, kInts};
};

template <typename T>
struct FmaOp {
    static constexpr const char* kName = "Fma";
    static constexpr Legal kTypes = {kNone, kFloats};
    template <typename V>
    auto operator()(V a, V b, V c) const
    {
        return MultiplyAdd<T>(a, b, c);
    }
};

inline constexpr Types kTruth = kInts | kHalf | kBf16 | kFloat | kBool;
struct IsFiniteOp {
    static constexpr const char* kName = "IsFinite";
    static constexpr Legal kTypes = {kNone, kFloats | kBf16};
    bool operator()(float x) const { return __builtin_fabsf(x) < __builtin_inff(); }
};
struct IsInfOp {
    static constexpr const char* kName = "IsInf";
    static constexpr Legal kTypes = {kNone, kFloats | kBf16};
    bool operator()(float x) const { return __builtin_fabsf(x) == __builtin_inff(); }
};
struct IsNanOp {
    static constexpr const char* kName = "IsNan";
    static constexpr Legal kTypes = {kNone, kFloats | kBf16};
    bool operator()(float x) const { return x != x; }
};
struct LogicalNotOp {
    static constexpr const char* kName = "LogicalNot";
    static constexpr Legal kTypes = {kNone, kTruth};
    template <typename T>
    bool operator()(T x) const
    {
        return x == T{0};
    }
};
struct LogicalAndOp {
    static constexpr const char* kName = "LogicalAnd";
    static constexpr Legal kTypes = {kNone, kTruth};
    template <typename T>
    bool operator()(T a, T b) const
    {
        return (a != T{0}) & (b != T{0});
    }
};
struct LogicalOrOp {
    static constexpr const char* kName = "LogicalOr";
    static constexpr Legal kTypes = {kNone, kTruth};
    template <typename T>
    bool operator()(T a, T b) const
    {
        return (a != T{0}) | (b != T{0});
    }
};
struct LogicalXorOp {
    static constexpr const char* kName = "LogicalXor";
    static constexpr Legal kTypes = {kNone, kTruth};
    template <typename T>
    bool operator()(T a, T b) const
    {
        return (a != T{0}) != (b != T{0});
    }
};

}  // namespace AscendC::cpu::vec

#endif
