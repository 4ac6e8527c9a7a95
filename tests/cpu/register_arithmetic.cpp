// Register instructions that work lane by lane: arithmetic, bits, shifts, comparisons, selection, casts. c310 only.
#include "register_test.h"

template <typename T>
static T Number(double x)
{
    return Nearest<T>(x);
}

// ---- arithmetic ------------------------------------------------------------------------------------------------------

template <typename T>
static void TestInts()
{
    using I = __int128;
    constexpr int width = sizeof(T) * 8;
    const auto wide = [](T x) { return static_cast<I>(x); };
    const auto modulo = [](T x) { return static_cast<unsigned __int128>(static_cast<I>(x)); };  // may overflow
    TestLanes<T>(
        "Add", [&](T a, T b, T) { return Wrapped<T>(wide(a) + wide(b)); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Add(d, a, b, m); });
    TestLanes<T>(
        "Sub", [&](T a, T b, T) { return Wrapped<T>(wide(a) - wide(b)); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Sub<T>(d, a, b, m); });
    TestLanes<T>(
        "Max", [](T a, T b, T) { return std::max(a, b); }, [](auto& d, auto& a, auto& b, MaskReg& m) { Max(d, a, b, m); });
    TestLanes<T>(
        "Min", [](T a, T b, T) { return std::min(a, b); }, [](auto& d, auto& a, auto& b, MaskReg& m) { Min(d, a, b, m); });
    TestLanes<T>(
        "Add merging", [&](T a, T b, T) { return Wrapped<T>(wide(a) + wide(b)); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { MicroAPI::Add<T, MaskMergeMode::MERGING>(d, a, b, m); }, Rest::Old);
    TestLanes<T>(
        "Max merging", [](T a, T b, T) { return std::max(a, b); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Max<T, MaskMergeMode::MERGING>(d, a, b, m); }, Rest::Old);
    TestLanes<T>(
        "And", [](T a, T b, T) { return static_cast<T>(a & b); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { And(d, a, b, m); });
    TestLanes<T>(
        "Or", [](T a, T b, T) { return static_cast<T>(a | b); }, [](auto& d, auto& a, auto& b, MaskReg& m) { Or(d, a, b, m); });
    TestLanes<T>(
        "Xor", [](T a, T b, T) { return static_cast<T>(a ^ b); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Xor(d, a, b, m); });
    TestLanes<T>(
        "Not", [](T a, T, T) { return static_cast<T>(~a); }, [](auto& d, auto& a, auto&, MaskReg& m) { Reg::Not(d, a, m); });
    TestLanes<T>(
        "Adds", [&](T a, T, T) { return Wrapped<T>(wide(a) + 77); },
        [](auto& d, auto& a, auto&, MaskReg& m) { Adds(d, a, T(77), m); });
    TestLanes<T>(
        "Maxs", [](T a, T, T) { return std::max(a, T(5)); }, [](auto& d, auto& a, auto&, MaskReg& m) { Maxs(d, a, T(5), m); });
    TestLanes<T>(
        "Mins", [](T a, T, T) { return std::min(a, T(5)); }, [](auto& d, auto& a, auto&, MaskReg& m) { Mins(d, a, T(5), m); });
    for (int by : {0, 1, 7, width - 1}) {
        const auto left = [&](T a, T, T) {
            const T shifted = Wrapped<T>(static_cast<I>(modulo(a) << by));
            const T sign = Wrapped<T>(I{1} << (width - 1));
            return std::is_signed_v<T> ? static_cast<T>((shifted & ~sign) | (a & sign)) : shifted;
        };
        TestLanes<T>("ShiftLefts", left,
                     [&](auto& d, auto& a, auto&, MaskReg& m) { ShiftLefts(d, a, static_cast<int16_t>(by), m); });
        TestLanes<T>(
            "ShiftRights", [&](T a, T, T) { return Wrapped<T>(wide(a) >> by); },
            [&](auto& d, auto& a, auto&, MaskReg& m) { ShiftRights(d, a, static_cast<int16_t>(by), m); });
        TestLanes<T>("ShiftLeft", left, [&](auto& d, auto& a, auto&, MaskReg& m) {
            RegTensor<std::make_signed_t<T>> amount;
            Duplicate(amount, by);
            ShiftLeft(d, a, amount, m);
        });
        TestLanes<T>(
            "ShiftRight", [&](T a, T, T) { return Wrapped<T>(wide(a) >> by); },
            [&](auto& d, auto& a, auto&, MaskReg& m) {
                RegTensor<std::make_signed_t<T>> amount;
                Duplicate(amount, by);
                ShiftRight(d, a, amount, m);
            });
    }
    if constexpr (sizeof(T) > 1) {
        TestLanes<T>(
            "Mul", [&](T a, T b, T) { return Wrapped<T>(static_cast<I>(modulo(a) * modulo(b))); },
            [](auto& d, auto& a, auto& b, MaskReg& m) { Mul(d, a, b, m); });
        TestLanes<T>(
            "Muls", [&](T a, T, T) { return Wrapped<T>(wide(a) * 3); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Muls(d, a, 3, m); });
        TestLanes<T>(
            "Div", [&](T a, T b, T) { return b == 0 ? T(0) : Wrapped<T>(wide(a) / wide(b)); },
            [](auto& d, auto& a, auto& b, MaskReg& m) { Div(d, a, b, m); });
        TestLanes<T>(
            "MulAddDst", [&](T a, T b, T o) { return Wrapped<T>(static_cast<I>(modulo(a) * modulo(b) + modulo(o))); },
            [](auto& d, auto& a, auto& b, MaskReg& m) { MulAddDst(d, a, b, m); });
    }
    if constexpr (std::is_signed_v<T>) {
        TestLanes<T>(
            "Abs", [&](T a, T, T) { return Wrapped<T>(a < 0 ? -wide(a) : wide(a)); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Abs(d, a, m); });
        TestLanes<T>(
            "Neg", [&](T a, T, T) { return Wrapped<T>(-wide(a)); }, [](auto& d, auto& a, auto&, MaskReg& m) { Neg(d, a, m); });
    }
}

// a * b + c, rounded once: a long double is not always wide enough for floats.
template <typename T>
static T Fused(T a, T b, T c)
{
    if constexpr (std::is_same_v<T, float>) {
        return std::fma(a, b, c);
    } else {
        return Nearest<T>(static_cast<long double>(Value(a)) * Value(b) + Value(c));
    }
}

template <typename T>
static void TestFloats()
{
    const auto v = [](T x) { return static_cast<long double>(Value(x)); };
    // -0 is less than +0; NaN wins.
    const auto below = [&](T a, T b) { return v(a) < v(b) || (v(a) == v(b) && std::signbit(v(a)) && !std::signbit(v(b))); };
    const auto larger = [&](T a, T b) { return std::isnan(Value(a)) || below(b, a) ? a : b; };
    const auto smaller = [&](T a, T b) { return std::isnan(Value(a)) || below(a, b) ? a : b; };
    const T nan = std::numeric_limits<T>::quiet_NaN();
    TestLanes<T>(
        "Add", [&](T a, T b, T) { return Nearest<T>(v(a) + v(b)); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Add(d, a, b, m); });
    TestLanes<T>(
        "Sub", [&](T a, T b, T) { return Nearest<T>(v(a) - v(b)); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Sub(d, a, b, m); });
    TestLanes<T>(
        "Mul", [&](T a, T b, T) { return Nearest<T>(v(a) * v(b)); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Mul(d, a, b, m); });
    TestLanes<T>(
        "Max", [&](T a, T b, T) { return std::isnan(Value(b)) ? nan : larger(a, b); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Max(d, a, b, m); });
    TestLanes<T>(
        "Min", [&](T a, T b, T) { return std::isnan(Value(b)) ? nan : smaller(a, b); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { Min(d, a, b, m); });
    TestLanes<T>(
        "Adds", [&](T a, T, T) { return Nearest<T>(v(a) + 1.25L); },
        [](auto& d, auto& a, auto&, MaskReg& m) { Adds(d, a, Number<T>(1.25), m); });
    TestLanes<T>(
        "MulAddDst", [&](T a, T b, T o) { return Fused(a, b, o); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { MulAddDst(d, a, b, m); });
    TestLanes<T>(
        "MulDstAdd", [&](T a, T b, T o) { return Fused(a, o, b); },
        [](auto& d, auto& a, auto& b, MaskReg& m) { MulDstAdd(d, a, b, m); });
    if constexpr (!std::is_same_v<T, bfloat16_t>) {
        static constexpr DivSpecificMode precise = {MaskMergeMode::ZEROING, true, DivAlgo::INTRINSIC};
        TestLanes<T>(
            "Div", [&](T a, T b, T) { return Nearest<T>(v(a) / v(b)); },
            [](auto& d, auto& a, auto& b, MaskReg& m) { Div<T, &precise>(d, a, b, m); });
        TestLanes<T>(
            "Muls", [&](T a, T, T) { return Nearest<T>(v(a) * 1.5L); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Muls(d, a, 1.5f, m); });
        TestLanes<T>(
            "Axpy", [&](T a, T, T o) { return Fused(a, Number<T>(1.5), o); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Axpy(d, a, Number<T>(1.5), m); });
        TestLanes<T>(
            "AbsSub", [&](T a, T b, T) { return Nearest<T>(std::fabs(v(a) - v(b))); },
            [](auto& d, auto& a, auto& b, MaskReg& m) { AbsSub(d, a, b, m); });
        TestLanes<T>(
            "Abs", [&](T a, T, T) { return Nearest<T>(std::fabs(v(a))); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Abs(d, a, m); });
        TestLanes<T>(
            "Neg", [&](T a, T, T) { return Nearest<T>(-v(a)); }, [](auto& d, auto& a, auto&, MaskReg& m) { Neg(d, a, m); });
        TestLanes<T>(
            "Relu", [&](T a, T, T) { return std::isnan(Value(a)) || v(a) > 0 ? a : Zero<T>(); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Relu(d, a, m); });
        TestLanes<T>(
            "LeakyRelu", [&](T a, T, T) { return v(a) >= 0 ? a : Nearest<T>(v(a) * 0.25L); },
            [](auto& d, auto& a, auto&, MaskReg& m) { LeakyRelu(d, a, Number<T>(0.25), m); });
        TestLanes<T>(
            "Prelu", [&](T a, T b, T) { return v(a) >= 0 ? a : Nearest<T>(v(a) * v(b)); },
            [](auto& d, auto& a, auto& b, MaskReg& m) { Prelu(d, a, b, m); });
        TestLanes<T>(
            "Exp", [&](T a, T, T) { return Nearest<T>(std::exp(v(a))); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Exp(d, a, m); });
        TestLanes<T>(
            "Ln", [&](T a, T, T) { return Nearest<T>(std::log(v(a))); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Ln(d, a, m); });
        TestLanes<T>(
            "Log", [&](T a, T, T) { return Nearest<T>(std::log(v(a))); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Log(d, a, m); });
        TestLanes<T>(
            "Log2", [&](T a, T, T) { return Nearest<T>(std::log2(v(a))); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Log2(d, a, m); });
        TestLanes<T>(
            "Log10", [&](T a, T, T) { return Nearest<T>(std::log10(v(a))); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Log10(d, a, m); });
        TestLanes<T>(
            "Sqrt", [&](T a, T, T) { return Nearest<T>(std::sqrt(v(a))); },
            [](auto& d, auto& a, auto&, MaskReg& m) { Sqrt(d, a, m); });
    }
    TestLanes<T>(
        "Truncate", [&](T a, T, T) { return Nearest<T>(std::trunc(v(a))); },
        [](auto& d, auto& a, auto&, MaskReg& m) { Truncate<T, RoundMode::CAST_TRUNC>(d, a, m); });
}

// ---- sums with carry, long products ----------------------------------------------------------------------------------

template <typename T>
static void TestCarry()
{
    const auto number = [](T x) { return static_cast<uint64_t>(static_cast<uint32_t>(x)); };
    // The carry as a number: selected from two registers of constants.
    const auto show = [](RegTensor<T>& d, MaskReg& carry) {
        RegTensor<T> one, zero;
        Duplicate(one, 1);
        Duplicate(zero, 0);
        Select(d, one, zero, carry);
    };
    TestLanes<T>(
        "Add carry", [&](T a, T b, T) { return static_cast<T>((number(a) + number(b)) >> 32); },
        [&](auto& d, auto& a, auto& b, MaskReg& m) {
            MaskReg carry;
            Add(carry, d, a, b, m);
            show(d, carry);
        });
    TestLanes<T>(
        "Sub carry", [&](T a, T b, T) { return static_cast<T>(number(a) >= number(b)); },
        [&](auto& d, auto& a, auto& b, MaskReg& m) {
            MaskReg carry;
            Sub(carry, d, a, b, m);
            show(d, carry);
        });
    // 64-bit sums and differences of (old : a) and (a : b), the high words.
    const auto joined = [&](T high, T low) { return number(high) << 32 | number(low); };
    TestLanes<T>(
        "AddC", [&](T a, T b, T o) { return static_cast<T>((joined(o, a) + joined(a, b)) >> 32); },
        [&](auto& d, auto& a, auto& b, MaskReg& m) {
            MaskReg carry;
            RegTensor<T> low;
            Add(carry, low, a, b, m);
            AddC(carry, d, d, a, carry, m);
        });
    TestLanes<T>(
        "SubC", [&](T a, T b, T o) { return static_cast<T>((joined(o, a) - joined(a, b)) >> 32); },
        [&](auto& d, auto& a, auto& b, MaskReg& m) {
            MaskReg carry;
            RegTensor<T> low;
            Sub(carry, low, a, b, m);
            SubC(carry, d, d, a, carry, m);
        });
    using Long = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    TestLanes<T>(
        "Mull", [](T a, T b, T) { return static_cast<T>(static_cast<Long>(a) * static_cast<Long>(b) >> 32); },
        [](auto& d, auto& a, auto& b, MaskReg& m) {
            RegTensor<T> low;
            Mull(low, d, a, b, m);
        });
}

// ---- comparisons and selection ---------------------------------------------------------------------------------------

template <typename T, CMPMODE mode>
static void TestCompareMode(const std::function<bool(T, T)>& holds)
{
    // a where the comparison holds, b elsewhere; the comparison itself sees the lanes of the mask only.
    const auto a = Inputs<T>(kLanesOf<T> * 8);
    const auto b = Inputs<T>(kLanesOf<T> * 8, 1);
    for (uint32_t active : {kLanesOf<T> - 5, kLanesOf<T>}) {
        const auto got = OnRegisters<T>(a, b, a, active, [](auto& d, auto& x, auto& y, MaskReg& m) {
            MaskReg chosen;
            Compare<T, mode>(chosen, x, y, m);
            Select(d, x, y, chosen);
        });
        const auto number = OnRegisters<T>(a, b, a, active, [](auto& d, auto& x, auto& y, MaskReg& m) {
            MaskReg chosen;
            Compares<T, mode>(chosen, x, Number<T>(2), m);
            Select<T>(d, x, y, chosen);
        });
        std::vector<T> wanted, wanted_number;
        for (size_t i = 0; i < a.size(); ++i) {
            const bool on = i % kLanesOf<T> < active;
            wanted.push_back(on && holds(a[i], b[i]) ? a[i] : b[i]);
            wanted_number.push_back(on && holds(a[i], Number<T>(2)) ? a[i] : b[i]);
        }
        Expect("Compare", got, wanted);
        Expect("Compares", number, wanted_number);
    }
}

template <typename T>
static void TestCompare()
{
    const auto v = [](T x) { return static_cast<long double>(Value(x)); };
    const auto w = [&](T x) {
        if constexpr (kIsFloatType<T>) {
            return v(x);
        } else {
            return static_cast<__int128>(x);
        }
    };
    TestCompareMode<T, CMPMODE::LT>([&](T a, T b) { return w(a) < w(b); });
    TestCompareMode<T, CMPMODE::GT>([&](T a, T b) { return w(a) > w(b); });
    TestCompareMode<T, CMPMODE::EQ>([&](T a, T b) { return w(a) == w(b); });
    TestCompareMode<T, CMPMODE::LE>([&](T a, T b) { return w(a) <= w(b); });
    TestCompareMode<T, CMPMODE::GE>([&](T a, T b) { return w(a) >= w(b); });
    TestCompareMode<T, CMPMODE::NE>([&](T a, T b) { return !(w(a) == w(b)); });
}

// ---- casts -----------------------------------------------------------------------------------------------------------

template <typename D>
static D Bounded(long double x, bool saturates)
{
    using L = std::numeric_limits<D>;
    if (std::isnan(x)) {
        return D(0);
    }
    if (std::isinf(x) || (saturates && (x < static_cast<long double>(L::min()) || x > static_cast<long double>(L::max())))) {
        return x < 0 ? L::min() : L::max();
    }
    const long double rest = std::fmod(x, 18446744073709551616.0L);
    return static_cast<D>(rest < 0 ? -static_cast<uint64_t>(-rest) : static_cast<uint64_t>(rest));
}

template <typename D, typename S>
static D CastOf(S x, Mode mode, bool saturates)
{
    if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
        return Bounded<D>(static_cast<long double>(x), saturates);
    } else if constexpr (std::is_integral_v<D>) {
        return Bounded<D>(RoundInteger(Value(x), mode), saturates);
    } else if constexpr (std::is_integral_v<S>) {
        return Nearest<D>(static_cast<long double>(x), mode);
    } else {
        if (saturates && std::isnan(Value(x))) {
            return Zero<D>();
        }
        const D result = Nearest<D>(static_cast<long double>(Value(x)), mode);
        return saturates && std::isinf(Value(result))
                   ? (Value(result) < 0 ? std::numeric_limits<D>::lowest() : std::numeric_limits<D>::max())
                   : result;
    }
}

static constexpr CastTrait Trait(int layout, SatMode sat, RoundMode round)
{
    return {static_cast<RegLayout>(layout), sat, MaskMergeMode::ZEROING, round};
}

template <typename D, typename S>
using CastOne = void (*)(RegTensor<D>&, RegTensor<S>&, MaskReg&);

template <typename D, typename S>
static void TestCastOf(CastOne<D, S> cast, int layout, Mode mode, bool saturates)
{
    constexpr uint32_t from = kLanesOf<S>;
    constexpr uint32_t to = kLanesOf<D>;
    constexpr uint32_t lanes = from < to ? from : to;
    const size_t registers = 12;
    std::vector<S> a = Inputs<S>(from * registers);
    if constexpr (std::is_same_v<S, float>) {
        const float edges[] = {65519.996f,    65520.0f,       -65536.0f,     32767.5f, 32768.0f,
                               2147483648.0f, -2147483904.0f, 4294967296.0f, 9.3e18f,  1e25f};
        std::copy(std::begin(edges), std::end(edges), a.begin() + 40);
    }
    Ub ub;
    const auto x = ub.Put(a);
    const auto d = ub.Fill(to * registers, Number<D>(1));
    const uint32_t active = from - 3;
    __VEC_SCOPE__
    {
        RegTensor<S> source;
        RegTensor<D> result;
        uint32_t left = active;
        MaskReg mask = UpdateMask<S>(left);
        MaskReg all = CreateMask<D>();
        for (size_t r = 0; r < registers; ++r) {
            LoadAlign(source, Address(x) + r * from);
            cast(result, source, mask);
            StoreAlign(Address(d) + r * to, result, all);
        }
    }
    const uint32_t step_from = from / lanes;
    const uint32_t step_to = to / lanes;
    const uint32_t first = layout < 0 ? 0 : static_cast<uint32_t>(layout);
    std::vector<D> wanted(to * registers, Zero<D>());
    for (size_t i = 0; i < lanes * registers; ++i) {
        const size_t r = i / lanes;
        const size_t lane = i % lanes * step_from + (step_from > 1 ? first : 0);
        if (lane < active) {
            wanted[r * to + i % lanes * step_to + (step_to > 1 ? first : 0)] = CastOf<D>(a[r * from + lane], mode, saturates);
        }
    }
    Expect(std::string("Cast from ") + Name<S>(), Take(d, wanted.size()), wanted);
}

template <typename D, typename S, int layout, SatMode sat, RoundMode round>
static void TestCast(Mode mode)
{
    static constexpr CastTrait trait = Trait(layout, sat, round);
    const auto cast = [](RegTensor<D>& d, RegTensor<S>& s, MaskReg& mask) { Cast<D, S, trait>(d, s, mask); };
    TestCastOf<D, S>(cast, layout, mode, sat == SatMode::SAT);
}

template <typename D, typename S, int layout, SatMode sat>
static void TestFiveModes()
{
    TestCast<D, S, layout, sat, RoundMode::CAST_RINT>(Mode::Even);
    TestCast<D, S, layout, sat, RoundMode::CAST_FLOOR>(Mode::Floor);
    TestCast<D, S, layout, sat, RoundMode::CAST_CEIL>(Mode::Ceil);
    TestCast<D, S, layout, sat, RoundMode::CAST_ROUND>(Mode::Away);
    TestCast<D, S, layout, sat, RoundMode::CAST_TRUNC>(Mode::Trunc);
}

static void TestCasts()
{
    constexpr SatMode none = SatMode::UNKNOWN;
    constexpr SatMode no = SatMode::NO_SAT;
    constexpr SatMode yes = SatMode::SAT;
    constexpr RoundMode plain = RoundMode::UNKNOWN;
    TestFiveModes<half, float, 0, no>();
    TestFiveModes<half, float, 1, yes>();
    TestCast<half, float, 0, no, RoundMode::CAST_ODD>(Mode::Odd);
    TestFiveModes<bfloat16_t, float, 0, no>();
    TestFiveModes<bfloat16_t, float, 1, yes>();
    TestFiveModes<int32_t, float, -1, yes>();
    TestFiveModes<int32_t, float, -1, no>();
    TestFiveModes<int16_t, float, 1, no>();
    TestFiveModes<int16_t, float, 0, yes>();
    TestFiveModes<int64_t, float, 0, no>();
    TestFiveModes<int64_t, float, 1, yes>();
    TestFiveModes<int8_t, half, 0, yes>();
    TestFiveModes<uint8_t, half, 1, no>();
    TestFiveModes<int16_t, half, -1, no>();
    TestFiveModes<bfloat16_t, half, -1, none>();
    TestFiveModes<half, bfloat16_t, -1, yes>();
    TestFiveModes<float, int32_t, -1, none>();
    TestFiveModes<float, int64_t, 1, none>();
    TestFiveModes<half, int16_t, -1, none>();
    TestCast<float, half, 0, none, plain>(Mode::Even);
    TestCast<float, half, 1, none, plain>(Mode::Even);
    TestCast<float, bfloat16_t, 1, none, plain>(Mode::Even);
    TestCast<float, int16_t, 0, none, plain>(Mode::Even);
    TestCast<half, int8_t, 1, none, plain>(Mode::Even);
    TestCast<half, uint8_t, 0, none, plain>(Mode::Even);
    TestCast<int16_t, int8_t, 1, none, plain>(Mode::Even);
    TestCast<int32_t, int8_t, 3, none, plain>(Mode::Even);
    TestCast<uint32_t, uint8_t, 2, none, plain>(Mode::Even);
    TestCast<uint32_t, int16_t, 0, yes, plain>(Mode::Even);
    TestCast<int64_t, int32_t, 1, none, plain>(Mode::Even);
    TestCast<uint8_t, int32_t, 2, no, plain>(Mode::Even);
    TestCast<uint8_t, int16_t, 1, yes, plain>(Mode::Even);
    TestCast<int16_t, int32_t, 0, yes, plain>(Mode::Even);
    TestCast<int16_t, uint32_t, 1, no, plain>(Mode::Even);
    TestCast<int32_t, int64_t, 0, yes, plain>(Mode::Even);
}

// exp(a - b) of half lanes as float, and float times a number as half.
static void TestFusedCasts()
{
    const auto a = Inputs<half>(128);
    const auto b = Inputs<half>(128, 1);
    const auto f = Inputs<float>(64);
    Ub ub;
    const auto x = ub.Put(a);
    const auto y = ub.Put(b);
    const auto z = ub.Put(f);
    const auto d = ub.Fill<float>(64, 0);
    const auto h = ub.Fill<half>(128, half(0));
    __VEC_SCOPE__
    {
        RegTensor<half> first, second, product;
        RegTensor<float> result, source;
        MaskReg all = CreateMask<half>();
        LoadAlign(first, Address(x));
        LoadAlign(second, Address(y));
        LoadAlign(source, Address(z));
        ExpSub<float, half, RegLayout::ONE>(result, first, second, all);
        MulsCast<half, float, float, RegLayout::ONE>(product, source, 1.5f, all);
        StoreAlign(Address(d), result, all);
        StoreAlign(Address(h), product, all);
    }
    std::vector<float> wanted;
    std::vector<half> products(128, half(0));
    for (size_t i = 0; i < 64; ++i) {
        wanted.push_back(
            Nearest<float>(std::exp(static_cast<long double>(static_cast<float>(Value(a[2 * i + 1]) - Value(b[2 * i + 1]))))));
        products[2 * i + 1] = Nearest<half>(static_cast<long double>(f[i]) * 1.5L, Mode::Away);
    }
    const auto got = Take(d, 64);
    for (size_t i = 0; i < 64; i += 2) {  // stored under a mask of 16-bit lanes: those whose value is at a multiple of 4
        Expect("ExpSub", std::vector<float>{got[i]}, std::vector<float>{wanted[i]});
    }
    Expect("MulsCast", Take(h, 128), products);
}

int main()
{
    Kernel("int8_t", [] { TestInts<int8_t>(); });
    Kernel("uint8_t", [] { TestInts<uint8_t>(); });
    Kernel("int16_t", [] { TestInts<int16_t>(); });
    Kernel("uint16_t", [] { TestInts<uint16_t>(); });
    Kernel("int32_t", [] { TestInts<int32_t>(); });
    Kernel("uint32_t", [] { TestInts<uint32_t>(); });
    Kernel("int64_t", [] { TestInts<int64_t>(); });
    Kernel("uint64_t", [] { TestInts<uint64_t>(); });
    Kernel("half", [] { TestFloats<half>(); });
    Kernel("bfloat16_t", [] { TestFloats<bfloat16_t>(); });
    Kernel("float", [] { TestFloats<float>(); });
    Kernel("carry", [] {
        TestCarry<int32_t>();
        TestCarry<uint32_t>();
    });
    Kernel("Compare", [] {
        TestCompare<int8_t>();
        TestCompare<uint16_t>();
        TestCompare<int32_t>();
        TestCompare<int64_t>();
        TestCompare<half>();
        TestCompare<bfloat16_t>();
        TestCompare<float>();
    });
    Kernel("Cast", [] { TestCasts(); });
    Kernel("fused casts", [] { TestFusedCasts(); });
    return Finish("register_arithmetic");
}
