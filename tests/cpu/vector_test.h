// What the vector_*.cpp tests share: an independent idea of every dtype (values as double, rounding with ldexp), inputs
// with special values, tensors in UB, comparison bit by bit.
#ifndef VECTOR_TEST_H
#define VECTOR_TEST_H

// First: under clang it silences the remarks on loops that -O1 does not vectorise, also where they are inlined into the library.
#include "ascendc_cpu/numeric.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel_operator.h"

#include "ascendc_cpu/launch.h"
#include "ascendc_cpu/vector.h"

using namespace AscendC;

inline int g_failures = 0;
inline constexpr bool kC220 = cpu::kC220;
inline constexpr bool kC310 = cpu::kC310;

// ---- dtypes ----------------------------------------------------------------------------------------------------------

enum class Mode { Even, Floor, Ceil, Away, Trunc, Odd };

inline double RoundInteger(double x, Mode mode)
{
    switch (mode) {
        case Mode::Floor:
            return std::floor(x);
        case Mode::Ceil:
            return std::ceil(x);
        case Mode::Away:
            return std::round(x);
        case Mode::Trunc:
            return std::trunc(x);
        case Mode::Odd: {
            const double t = std::trunc(x);
            return t == x || std::fmod(t, 2.0) != 0 ? t : t + std::copysign(1.0, x);
        }
        default:
            return std::nearbyint(x);
    }
}

// x as a float type with `digits` significant bits, least normal exponent `least` and largest value `largest`.
inline double RoundFloat(long double x, int digits, int least, double largest, Mode mode = Mode::Even)
{
    if (std::isnan(x) || std::isinf(x) || x == 0) {
        return static_cast<double>(x);
    }
    int exponent = std::ilogb(x);
    exponent = exponent < least ? least : exponent;
    const long double scaled = std::ldexp(x, digits - 1 - exponent);
    long double whole = std::trunc(scaled);
    const long double rest = std::fabs(scaled - whole);
    const long double away = whole + std::copysign(1.0L, scaled);
    bool up = false;
    switch (mode) {
        case Mode::Even:
            up = rest > 0.5L || (rest == 0.5L && std::fmod(whole, 2.0L) != 0);
            break;
        case Mode::Away:
            up = rest >= 0.5L;
            break;
        case Mode::Floor:
            up = rest != 0 && x < 0;
            break;
        case Mode::Ceil:
            up = rest != 0 && x > 0;
            break;
        case Mode::Odd:
            up = rest != 0 && std::fmod(whole, 2.0L) == 0;
            break;
        default:
            break;
    }
    whole = up ? away : whole;
    const double result =
        std::copysign(static_cast<double>(std::ldexp(std::fabs(whole), exponent - digits + 1)), static_cast<double>(x));
    if (std::fabs(result) > largest) {
        const bool inf =
            mode == Mode::Even || mode == Mode::Away || (mode == Mode::Floor && x < 0) || (mode == Mode::Ceil && x > 0);
        return std::copysign(inf ? HUGE_VAL : largest, static_cast<double>(x));
    }
    return result;
}

template <typename T>
inline double Value(T x)
{
    uint16_t bits = 0;
    if constexpr (std::is_same_v<T, half>) {
        std::memcpy(&bits, &x, 2);
        const int exponent = bits >> 10 & 31;
        const double fraction = bits & 1023;
        const double sign = (bits & 0x8000) != 0 ? -1 : 1;
        if (exponent == 31) {
            return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
        }
        return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        std::memcpy(&bits, &x, 2);
        const uint32_t wide = uint32_t{bits} << 16;
        float f;
        std::memcpy(&f, &wide, 4);
        return f;
    } else {
        return static_cast<double>(x);
    }
}

// The T nearest to a real number, in the sense of mode.
template <typename T>
inline T Nearest(long double x, Mode mode = Mode::Even)
{
    if constexpr (std::is_same_v<T, half>) {
        const double r = RoundFloat(x, 11, -14, 65504.0, mode);
        uint16_t bits = std::signbit(r) ? 0x8000 : 0;
        const double size = std::fabs(r);
        if (std::isnan(r)) {
            bits = 0x7e00;
        } else if (std::isinf(r)) {
            bits |= 0x7c00;
        } else if (size < std::ldexp(1.0, -14)) {
            bits |= static_cast<uint16_t>(std::ldexp(size, 24));
        } else {
            const int exponent = std::ilogb(size);
            bits |= static_cast<uint16_t>(((exponent + 15) << 10) + (static_cast<int>(std::ldexp(size, 10 - exponent)) - 1024));
        }
        T result;
        std::memcpy(static_cast<void*>(&result), &bits, 2);
        return result;
    } else if constexpr (std::is_same_v<T, bfloat16_t>) {
        const float f = static_cast<float>(RoundFloat(x, 8, -126, std::ldexp(255.0, 120), mode));
        uint32_t wide;
        std::memcpy(&wide, &f, 4);
        const uint16_t bits = static_cast<uint16_t>(wide >> 16) | (std::isnan(f) ? 0x40 : 0);
        T result;
        std::memcpy(static_cast<void*>(&result), &bits, 2);
        return result;
    } else if constexpr (std::is_same_v<T, float>) {
        return static_cast<float>(RoundFloat(x, 24, -126, std::numeric_limits<float>::max(), mode));
    } else {
        return static_cast<T>(x);
    }
}

// A result modulo 2^bits.
template <typename T>
inline T Wrapped(__int128 x)
{
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x));
}

template <typename T>
inline constexpr bool kIsFloatType = std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> || std::is_same_v<T, float>;

template <typename T>
inline bool Same(T a, T b)
{
    if constexpr (kIsFloatType<T>) {
        if (std::isnan(Value(a)) || std::isnan(Value(b))) {
            return std::isnan(Value(a)) && std::isnan(Value(b));
        }
    }
    return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof(T)) == 0;
}

template <typename T>
inline const char* Name()
{
    return std::is_same_v<T, half>         ? "half"
           : std::is_same_v<T, bfloat16_t> ? "bfloat16_t"
           : std::is_same_v<T, float>      ? "float"
           : std::is_same_v<T, double>     ? "double"
           : std::is_same_v<T, int8_t>     ? "int8_t"
           : std::is_same_v<T, uint8_t>    ? "uint8_t"
           : std::is_same_v<T, int16_t>    ? "int16_t"
           : std::is_same_v<T, uint16_t>   ? "uint16_t"
           : std::is_same_v<T, int32_t>    ? "int32_t"
           : std::is_same_v<T, uint32_t>   ? "uint32_t"
           : std::is_same_v<T, int64_t>    ? "int64_t"
           : std::is_same_v<T, uint64_t>   ? "uint64_t"
                                           : "bool";
}

// ---- inputs ----------------------------------------------------------------------------------------------------------

inline uint64_t Random()
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// Values of T: first the special ones, rotated by `turn`, then random ones; floats mostly of moderate size.
template <typename T>
inline std::vector<T> Inputs(size_t count, size_t turn = 0)
{
    std::vector<T> special;
    if constexpr (kIsFloatType<T>) {
        using L = std::numeric_limits<T>;
        for (double x : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 100.0, -7.25, 65504.0, 1e-3}) {
            special.push_back(Nearest<T>(x));
        }
        for (T x : {L::infinity(), -L::infinity(), L::quiet_NaN(), L::max(), L::lowest(), L::min(), L::denorm_min(),
                    T(-L::denorm_min())}) {
            special.push_back(x);
        }
    } else {
        using L = std::numeric_limits<T>;
        for (T x : {T(0), T(1), T(2), T(-1), T(7), T(-7), L::min(), L::max(), T(L::max() - 1), T(L::min() + 1), T(100)}) {
            special.push_back(x);
        }
    }
    std::vector<T> all(count);
    for (size_t i = 0; i < count; ++i) {
        // The divisor lets two lists meet in every combination of special values.
        if (i < special.size() * special.size()) {
            all[i] = special[turn == 0 ? i % special.size() : i / special.size()];
        } else if constexpr (kIsFloatType<T>) {
            const double size = std::ldexp(static_cast<double>(Random() >> 11), -53) * 2 - 1;
            all[i] = Nearest<T>(size * ((Random() & 3) == 0 ? std::ldexp(1.0, static_cast<int>(Random() % 30) - 15) : 8.0));
        } else {
            all[i] = static_cast<T>(Random() >> (Random() % 60));
        }
    }
    return all;
}

// NaN first, and -0 is smaller than +0.
template <typename T>
inline T Largest(T a, T b)
{
    if (a == b) {
        return std::signbit(static_cast<double>(Value(a))) ? b : a;
    }
    return Value(a) != Value(a) || a > b ? a : b;
}
template <typename T>
inline T Smallest(T a, T b)
{
    if (a == b) {
        return std::signbit(static_cast<double>(Value(a))) ? a : b;
    }
    return Value(a) != Value(a) || a < b ? a : b;
}

// ---- UB --------------------------------------------------------------------------------------------------------------

// What c220 needs between instructions that depend on each other.
inline void Barrier() { PipeBarrier<PIPE_V>(); }

// Tensors one after the other in UB, filled and marked as written.
class Ub {
public:
    Ub() { Barrier(); }

    template <typename T>
    LocalTensor<T> Empty(size_t count)
    {
        LocalTensor<T> tensor(TPosition::VECCALC, next_, static_cast<uint32_t>(count));
        next_ += static_cast<uint32_t>((count * sizeof(T) + 31) / 32 * 32);
        return tensor;
    }
    template <typename T>
    LocalTensor<T> Put(const std::vector<T>& values)
    {
        LocalTensor<T> tensor = Empty<T>(values.size());
        for (size_t i = 0; i < values.size(); ++i) {
            tensor.Data()[i] = values[i];
        }
        cpu::SetDefined(tensor.Data(), values.size() * sizeof(T));
        return tensor;
    }
    template <typename T>
    LocalTensor<T> Fill(size_t count, T value)
    {
        return Put(std::vector<T>(count, value));
    }

private:
    uint32_t next_ = 0;
};

template <typename T>
inline std::vector<T> Take(const LocalTensor<T>& tensor, size_t count)
{
    std::vector<T> values;
    for (size_t i = 0; i < count; ++i) {
        values.push_back(tensor.Data()[i]);
    }
    return values;
}

template <typename T>
inline void Expect(const std::string& what, const std::vector<T>& got, const std::vector<T>& wanted)
{
    int shown = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (!Same(got[i], wanted[i])) {
            if (shown++ < 3) {
                std::printf("%s<%s> [%zu]: got %.9g, expected %.9g\n", what.c_str(), Name<T>(), i, Value(got[i]),
                            Value(wanted[i]));
            }
        }
    }
    if (shown != 0) {
        std::printf("%s<%s>: %d of %zu are wrong\n", what.c_str(), Name<T>(), shown, wanted.size());
        ++g_failures;
    }
}

inline void ExpectTrue(const std::string& what, bool holds)
{
    if (!holds) {
        std::printf("%s does not hold\n", what.c_str());
        ++g_failures;
    }
}

// Runs a body as one block; faults of the checked build are failures.
inline void Kernel(const char* name, const std::function<void()>& body)
{
    const int result = cpu::Launch(1, [&] { body(); });
    if (result != 0) {
        std::printf("%s: faults\n%s\n", name, ascendc_cpu_report());
        ++g_failures;
    }
}

// In the checked build the body must report a fault that contains `part`.
inline void ExpectFault(const char* name, const char* part, const std::function<void()>& body)
{
    if (!cpu::kChecked) {
        return;
    }
    const int result = cpu::Launch(1, [&] { body(); });
    if (result != 1 || std::string(ascendc_cpu_report()).find(part) == std::string::npos) {
        std::printf("%s: expected a fault with '%s', got %d\n%s\n", name, part, result, ascendc_cpu_report());
        ++g_failures;
    }
}

// Copies elements to global memory: where the checked build reports those that were never written.
inline void StoreToGlobal(const LocalTensor<float>& tensor, uint32_t count)
{
    float buffer[256];
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer(buffer, 256);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm, tensor, count);
    PipeBarrier<PIPE_ALL>();
}

inline int Finish(const char* name)
{
    std::printf("%s: %s\n", name, g_failures == 0 ? "ok" : "FAILED");
    return g_failures == 0 ? 0 : 1;
}

// ---- strided forms ---------------------------------------------------------------------------------------------------

// Where lane k of repeat r lies, as the documentation says it: blocks of 32 bytes.
template <typename T>
inline size_t At(size_t r, size_t k, size_t blockStride, size_t repeatStride)
{
    const size_t perBlock = 32 / sizeof(T);
    return (r * repeatStride + k / perBlock * blockStride) * perBlock + k % perBlock;
}

inline bool MaskBit(const uint64_t* mask, size_t k) { return (mask[k / 64] >> (k % 64) & 1) != 0; }

#endif
