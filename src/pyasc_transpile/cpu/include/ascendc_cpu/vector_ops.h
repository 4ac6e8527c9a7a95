// What the arithmetic instructions compute for one lane, and the dtypes they take (tables 5.4 to 5.6).
//
// Choices where the documentation is silent:
//   * maxima and minima are those of extremes.h, NaN first of all;
//   * multiply-add instructions round once (fused), in every dtype;
//   * integer division truncates; x / 0 = 0; the most negative number / -1 wraps to itself.
#ifndef ASCENDC_CPU_VECTOR_OPS_H
#define ASCENDC_CPU_VECTOR_OPS_H

#include "extremes.h"
#include "vector_types.h"

namespace AscendC::cpu::vec {

// The unsigned type that integer arithmetic is done in: wraps without undefined behaviour or promotion to int.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <typename T>
inline constexpr bool kIsInt = std::is_integral_v<T>;

struct AddOp {
    static constexpr const char* kName = "Add";
    static constexpr Legal kTypes = {kS16 | kHalf | kS32 | kFloat, kInts | kHalf | kBf16 | kFloat};
    template <typename T>
    T operator()(T a, T b) const
    {
        if constexpr (kIsInt<T>) {
            return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
        } else {
            return a + b;
        }
    }
};

struct SubOp {
    static constexpr const char* kName = "Sub";
    static constexpr Legal kTypes = AddOp::kTypes;
    template <typename T>
    T operator()(T a, T b) const
    {
        if constexpr (kIsInt<T>) {
            return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
        } else {
            return a - b;
        }
    }
};

struct MulOp {
    static constexpr const char* kName = "Mul";
    static constexpr Legal kTypes = {kS16 | kHalf | kS32 | kFloat, (kInts & ~(kS8 | kU8)) | kHalf | kBf16 | kFloat};
    template <typename T>
    T operator()(T a, T b) const
    {
        if constexpr (kIsInt<T>) {
            return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
        } else {
            return a * b;
        }
    }
};

struct DivOp {
    static constexpr const char* kName = "Div";
    static constexpr Legal kTypes = {kFloats, kS16 | kU16 | kS32 | kU32 | k64 | kFloats};
    template <typename T>
    T operator()(T a, T b) const
    {
        if constexpr (kIsInt<T>) {
            if constexpr (std::is_signed_v<T>) {
                if (b == T{-1}) {
                    return SubOp{}(T{0}, a);
                }
            }
            return b == 0 ? T{0} : static_cast<T>(a / b);
        } else {
            return a / b;
        }
    }
};

struct MaxOp {
    static constexpr const char* kName = "Max";
    static constexpr Legal kTypes = {kS16 | kHalf | kS32 | kFloat, kInts | kHalf | kBf16 | kFloat};
    template <typename T>
    T operator()(T a, T b) const
    {
        return num::Larger(a, b);
    }
};

struct MinOp {
    static constexpr const char* kName = "Min";
    static constexpr Legal kTypes = MaxOp::kTypes;
    template <typename T>
    T operator()(T a, T b) const
    {
        return num::Smaller(a, b);
    }
};

struct AndOp {
    static constexpr const char* kName = "And";
    static constexpr Legal kTypes = {kS16 | kU16, kInts};
    template <typename T>
    T operator()(T a, T b) const
    {
        return static_cast<T>(a & b);
    }
};

struct OrOp {
    static constexpr const char* kName = "Or";
    static constexpr Legal kTypes = {kS16 | kU16, kInts};
    template <typename T>
    T operator()(T a, T b) const
    {
        return static_cast<T>(a | b);
    }
};

struct XorOp {
    static constexpr const char* kName = "Xor";
    static constexpr Legal kTypes = {kS16 | kU16, kS16 | kU16};
    template <typename T>
    T operator()(T a, T b) const
    {
        return static_cast<T>(a ^ b);
    }
};

// max(x, 0); NaN stays NaN, -0 becomes +0.
template <typename T>
inline T Rectify(T x)
{
    const T positive = x > T{0} ? x : T{0};
    return x != x ? x : positive;
}

struct AddReluOp {
    static constexpr const char* kName = "AddRelu";
    static constexpr Legal kTypes = {kS16 | kFloats, kS16 | kFloats | k64};
    template <typename T>
    T operator()(T a, T b) const
    {
        return Rectify(AddOp{}(a, b));
    }
};

struct SubReluOp {
    static constexpr const char* kName = "SubRelu";
    static constexpr Legal kTypes = AddReluOp::kTypes;
    template <typename T>
    T operator()(T a, T b) const
    {
        return Rectify(SubOp{}(a, b));
    }
};

// a*b + c rounded once to T. The double holds the product of two 16-bit floats exactly and the sum far beyond rounding.
template <typename T>
inline auto MultiplyAdd(num::Wide<T> a, num::Wide<T> b, num::Wide<T> c)
{
    if constexpr (kIsInt<T>) {
        return AddOp{}(MulOp{}(a, b), c);
    } else if constexpr (num::kIsFloat16<T>) {
        return double{a} * double{b} + double{c};
    } else {
        return __builtin_fmaf(a, b, c);
    }
}

// Multiply-add instructions get the old destination as the third source.
template <typename T>
struct FusedMulAddOp {
    static constexpr const char* kName = "FusedMulAdd";
    static constexpr Legal kTypes = {kFloats, kFloats | kBf16 | k64};
    template <typename V>
    auto operator()(V a, V b, V d) const
    {
        return MultiplyAdd<T>(a, d, b);
    }
};

template <typename T>
struct FusedMulAddReluOp {
    static constexpr const char* kName = "FusedMulAddRelu";
    static constexpr Legal kTypes = {kFloats, kFloats | k64};
    template <typename V>
    auto operator()(V a, V b, V d) const
    {
        return Rectify(MultiplyAdd<T>(a, d, b));
    }
};

// T is the destination's dtype; half sources of a float destination are exact in float.
template <typename T>
struct MulAddDstOp {
    static constexpr const char* kName = "MulAddDst";
    static constexpr Legal kTypes = {kFloats, kFloats | k64};
    auto operator()(num::Wide<T> a, num::Wide<T> b, num::Wide<T> d) const { return MultiplyAdd<T>(a, b, d); }
};

template <typename T>
struct AxpyOp {
    static constexpr const char* kName = "Axpy";
    static constexpr Legal kTypes = {kFloats, kFloats | kBf16 | k64};
    num::Wide<T> scalar;
    auto operator()(num::Wide<T> x, num::Wide<T> d) const { return MultiplyAdd<T>(x, scalar, d); }
};

struct PreluOp {
    static constexpr const char* kName = "Prelu";
    static constexpr Legal kTypes = {kNone, kFloats};
    template <typename T>
    T operator()(T x, T slope) const
    {
        return x >= T{0} ? x : x * slope;
    }
};

struct AbsSubOp {
    static constexpr const char* kName = "AbsSub";
    static constexpr Legal kTypes = {kNone, kFloats};
    float operator()(float a, float b) const { return __builtin_fabsf(a - b); }
};

// ---- shifts ----------------------------------------------------------------------------------------------------------

template <typename T>
inline constexpr unsigned kBits = sizeof(T) * 8;

// Signed types keep their sign bit and shift the other bits (documented: 0xAAAA << 1 = 0xD554). Shifting by the whole
// width or more leaves nothing but that sign bit; so does a negative amount, which reads as a huge unsigned one.
struct ShiftLeftOp {
    static constexpr const char* kName = "ShiftLeft";
    static constexpr Legal kTypes = {kS16 | kU16 | kS32 | kU32, kInts};
    template <typename T, typename A>
    T operator()(T x, A amount) const
    {
        const auto by = static_cast<std::make_unsigned_t<A>>(amount);
        const unsigned safe = by < kBits<T> ? static_cast<unsigned>(by) : 0u;
        const Wrapping<T> shifted = by < kBits<T> ? static_cast<Wrapping<T>>(x) << safe : Wrapping<T>{0};
        if constexpr (std::is_signed_v<T>) {
            constexpr Wrapping<T> sign = Wrapping<T>{1} << (kBits<T> - 1);
            return static_cast<T>((shifted & (sign - 1)) | (static_cast<Wrapping<T>>(x) & sign));
        } else {
            return static_cast<T>(shifted);
        }
    }
};

// Arithmetic on signed, logical on unsigned types.
struct ShiftRightOp {
    static constexpr const char* kName = "ShiftRight";
    static constexpr Legal kTypes = ShiftLeftOp::kTypes;
    template <typename T, typename A>
    T operator()(T x, A amount) const
    {
        const auto by = static_cast<std::make_unsigned_t<A>>(amount);
        const unsigned safe = by < kBits<T> ? static_cast<unsigned>(by) : kBits<T> - 1;
        const T shifted = static_cast<T>(x >> safe);
        return by < kBits<T> || std::is_signed_v<T> ? shifted : T{0};
    }
};

// Adds 1 when the last bit shifted out is 1.
struct ShiftRightRoundOp {
    static constexpr const char* kName = "ShiftRight";
    static constexpr Legal kTypes = {kS16 | kS32, kS16 | kS32};
    template <typename T, typename A>
    T operator()(T x, A amount) const
    {
        const auto by = static_cast<std::make_unsigned_t<A>>(amount);
        const T last = by == 0 || by > kBits<T> ? T{0} : static_cast<T>((x >> (static_cast<unsigned>(by) - 1)) & 1);
        return AddOp{}(ShiftRightOp{}(x, amount), last);
    }
};

// ---- one source ------------------------------------------------------------------------------------------------------

struct AbsOp {
    static constexpr const char* kName = "Abs";
    static constexpr Legal kTypes = {kFloats, kS8 | kS16 | kHalf | kS32 | kFloat | kS64};
    template <typename T>
    T operator()(T x) const
    {
        if constexpr (kIsInt<T>) {
            return x < 0 ? SubOp{}(T{0}, x) : x;
        } else {
            return __builtin_fabsf(x);
        }
    }
};

struct NegOp {
    static constexpr const char* kName = "Neg";
    static constexpr Legal kTypes = {kNone, kS8 | kS16 | kHalf | kS32 | kFloat | kS64};
    template <typename T>
    T operator()(T x) const
    {
        if constexpr (kIsInt<T>) {
            return SubOp{}(T{0}, x);
        } else {
            return -x;
        }
    }
};

struct ReluOp {
    static constexpr const char* kName = "Relu";
    static constexpr Legal kTypes = {kHalf | kS32 | kFloat, kHalf | kS32 | kFloat | kS64};
    template <typename T>
    T operator()(T x) const
    {
        return Rectify(x);
    }
};

// Bitwise: half and float are passed as words.
struct NotOp {
    static constexpr const char* kName = "Not";
    static constexpr Legal kTypes = {kS16 | kU16, kInts | kFloats};
    template <typename T>
    T operator()(T x) const
    {
        return static_cast<T>(~x);
    }
};

// ---- a scalar on one side --------------------------------------------------------------------------------------------

struct LeakyReluOp {
    static constexpr const char* kName = "LeakyRelu";
    static constexpr Legal kTypes = {kFloats, kFloats};
    float operator()(float x, float slope) const { return x >= 0.0f ? x : x * slope; }
};

inline constexpr Types kScalarC310 = kS16 | kHalf | kBf16 | kS32 | kFloat | k64;
struct AddsOp : AddOp {
    static constexpr const char* kName = "Adds";
    static constexpr Legal kTypes = {kS16 | kHalf | kS32 | kFloat, kScalarC310 | kS8 | kU8};
};
struct MulsOp : MulOp {
    static constexpr const char* kName = "Muls";
    static constexpr Legal kTypes = {kS16 | kHalf | kS32 | kFloat, kScalarC310};
};
struct MaxsOp : MaxOp {
    static constexpr const char* kName = "Maxs";
    static constexpr Legal kTypes = {kS16 | kHalf | kS32 | kFloat, kScalarC310 | kS8 | kU8};
};
struct MinsOp : MinOp {
    static constexpr const char* kName = "Mins";
    static constexpr Legal kTypes = MaxsOp::kTypes;
};
struct SubsOp : SubOp {
    static constexpr const char* kName = "Subs";
    static constexpr Legal kTypes = {kNone, kScalarC310};
};
struct DivsOp : DivOp {
    static constexpr const char* kName = "Divs";
    static constexpr Legal kTypes = {kNone, kFloats | k64};
};
struct AndsOp : AndOp {
    static constexpr const char* kName = "Ands";
    static constexpr Legal kTypes = {kNone, kS16 | kU16 | k64};
};
struct OrsOp : OrOp {
    static constexpr const char* kName = "Ors";
    static constexpr Legal kTypes = {kNone, kS16 | kU16 | k64};
};

// Op with its second (kFirst: its first) operand fixed.
template <typename Op, typename B, bool kFirst = false>
struct Bound {
    static constexpr const char* kName = Op::kName;
    static constexpr Legal kTypes = Op::kTypes;
    B scalar;
    template <typename T>
    auto operator()(T x) const
    {
        if constexpr (kFirst) {
            return Op{}(scalar, x);
        } else {
            return Op{}(x, scalar);
        }
    }
};

}  // namespace AscendC::cpu::vec

#endif
