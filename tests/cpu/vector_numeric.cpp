// half and bfloat16_t: every bit pattern, conversions of many floats, operators, limits.
#include "vector_test.h"

using cpu::num::BitCast;

template <typename T>
static void TestEveryPattern()
{
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const T x = T::FromBits(static_cast<uint16_t>(bits));
        const double value = Value(x);
        const float f = x;
        ExpectTrue("to float", std::isnan(value) ? std::isnan(f)
                                                 : static_cast<double>(f) == value && std::signbit(f) == std::signbit(value));
        ExpectTrue("and back", Same(T(f), x));
        ExpectTrue("negation", Same(-x, Nearest<T>(-value)));
    }
}

template <typename T>
static void TestRounding()
{
    for (int i = 0; i < 2000000; ++i) {
        const float f = BitCast<float>(static_cast<uint32_t>(Random()));
        const double d = i % 2 == 0 ? BitCast<double>(Random())
                                    : static_cast<double>(f) * (1 + std::ldexp(static_cast<double>(Random() % 3) - 1, -40));
        if (!Same(T(f), Nearest<T>(f)) || !Same(T(d), Nearest<T>(d))) {
            std::printf("%s: %a or %a\n", Name<T>(), static_cast<double>(f), d);
            ++g_failures;
            return;
        }
        const int64_t n = static_cast<int64_t>(Random()) >> (Random() % 63);
        ExpectTrue("from int64", Same(T(n), Nearest<T>(n)));
    }
}

template <typename T>
static void TestArrays()
{
    std::vector<float> floats;
    for (int i = 0; i < 100003; ++i) {
        floats.push_back(i % 2 == 0 ? BitCast<float>(static_cast<uint32_t>(Random()))
                                    : static_cast<float>(std::ldexp(static_cast<double>(Random()), -60 - i % 30)));
    }
    std::vector<T> narrow(floats.size());
    cpu::num::Narrow(floats.data(), narrow.data(), floats.size());
    std::vector<float> wide(floats.size());
    cpu::num::Widen(narrow.data(), wide.data(), wide.size());
    for (size_t i = 0; i < floats.size(); ++i) {
        ExpectTrue("Narrow", Same(narrow[i], Nearest<T>(floats[i])));
        ExpectTrue("Widen", Same(wide[i], static_cast<float>(Value(narrow[i]))));
    }
}

template <typename T>
static void TestOperators()
{
    const auto a = Inputs<T>(3000);
    const auto b = Inputs<T>(3000, 1);
    for (size_t i = 0; i < a.size(); ++i) {
        const double x = Value(a[i]);
        const double y = Value(b[i]);
        ExpectTrue("+", Same(a[i] + b[i], Nearest<T>(x + y)));
        ExpectTrue("-", Same(a[i] - b[i], Nearest<T>(x - y)));
        ExpectTrue("*", Same(a[i] * b[i], Nearest<T>(x * y)));
        ExpectTrue("/", Same(a[i] / b[i], Nearest<T>(x / y)));
        ExpectTrue("<", (a[i] < b[i]) == (x < y));
        ExpectTrue("==", (a[i] == b[i]) == (x == y));
        ExpectTrue(">=", (a[i] >= b[i]) == (x >= y));
        ExpectTrue("int", Same(a[i] * 2, Nearest<T>(x * 2)));
        ExpectTrue("float", Same(a[i] + 1.0f, Nearest<float>(x + 1)));
        T c = a[i];
        c += b[i];
        ExpectTrue("+=", Same(c, Nearest<T>(x + y)));
    }
    using L = std::numeric_limits<T>;
    ExpectTrue("max + ulp is infinite", std::isinf(Value(T(L::max() * T(2)))));
    ExpectTrue("epsilon", Value(L::epsilon()) == std::ldexp(1.0, 1 - L::digits));
    ExpectTrue("min", Value(L::min()) == std::ldexp(1.0, L::min_exponent - 1));
    static_assert(sizeof(T) == 2 && std::is_trivially_copyable_v<T> && L::is_specialized);
    static_assert(std::is_convertible_v<int, T> && std::is_convertible_v<float, T> && std::is_convertible_v<double, T> &&
                  std::is_convertible_v<T, float>);
}

int main()
{
    TestEveryPattern<half>();
    TestEveryPattern<bfloat16_t>();
    TestRounding<half>();
    TestRounding<bfloat16_t>();
    TestArrays<half>();
    TestArrays<bfloat16_t>();
    TestOperators<half>();
    TestOperators<bfloat16_t>();
    return Finish("vector_numeric");
}
