// The mathematical functions of the advanced API against long double, in all forms; and the accuracy of elementary.h.
#include "vector_test.h"

#include "ascendc_cpu/elementary.h"

// Inputs over the whole range of float, all specials, and many moderate values.
template <typename T>
static std::vector<T> Arguments()
{
    std::vector<T> all = Inputs<T>(1500);
    for (int i = 0; i < 3000; ++i) {
        const uint32_t bits = static_cast<uint32_t>(Random());
        float f;
        std::memcpy(&f, &bits, 4);
        all.push_back(Nearest<T>(f));
        all.push_back(Nearest<T>(std::ldexp(static_cast<double>(static_cast<int64_t>(Random())), -63) * (i % 2 == 0 ? 1 : 30)));
    }
    return all;
}

// Correctly rounded, or one step beside it where the exact value lies within a thousandth of a step of the tie.
template <typename T>
static void ExpectNear(const char* what, T x, T got, long double exact)
{
    const T wanted = Nearest<T>(exact);
    if (Same(got, wanted)) {
        return;
    }
    const double step = std::fabs(Value(got) - Value(wanted));
    if (!(std::fabs(static_cast<double>(exact - Value(got))) <= 0.501 * step)) {
        std::printf("%s<%s>(%.9g): got %.9g, expected %.9g\n", what, Name<T>(), Value(x), Value(got),
                    static_cast<double>(exact));
        ++g_failures;
    }
}

template <typename T>
using Call = void (*)(LocalTensor<T>, LocalTensor<T>, LocalTensor<uint8_t>, uint32_t, int);

template <typename T>
static void TestUnary(const char* name, long double (*exact)(long double), Call<T> call, int forms)
{
    for (int form = 0; form < forms; ++form) {
        Kernel(name, [&] {
            Ub ub;
            const auto a = Arguments<T>();
            const auto x = ub.Put(a);
            const auto d = ub.Empty<T>(a.size());
            const auto work = ub.Fill<uint8_t>(4096, 0);
            call(d, x, work, static_cast<uint32_t>(a.size()), form);
            int failures = g_failures;
            for (size_t i = 0; i < a.size() && g_failures < failures + 3; ++i) {
                ExpectNear(name, a[i], d.Data()[i], exact(static_cast<long double>(Value(a[i]))));
            }
        });
    }
}

// Forms: plain, count, work buffer, both.
#define ALL_FORMS(NAME, EXACT)                                                                                 \
    TestUnary<T>(                                                                                              \
        #NAME, [](long double x) -> long double { return EXACT; },                                             \
        [](LocalTensor<T> d, LocalTensor<T> x, LocalTensor<uint8_t> w, uint32_t n, int form) {                 \
            form == 0 ? NAME(d, x) : form == 1 ? NAME(d, x, n) : form == 2 ? NAME(d, x, w) : NAME(d, x, w, n); \
        },                                                                                                     \
        4)
#define COUNT_FORMS(NAME, EXACT)                                                               \
    TestUnary<T>(                                                                              \
        #NAME, [](long double x) -> long double { return EXACT; },                             \
        [](LocalTensor<T> d, LocalTensor<T> x, LocalTensor<uint8_t> w, uint32_t n, int form) { \
            form == 0 ? NAME(d, x, n) : NAME(d, x, w, n);                                      \
        },                                                                                     \
        2)
#define PLAIN_FORMS(NAME, EXACT)                                                             \
    TestUnary<T>(                                                                            \
        #NAME, [](long double x) -> long double { return EXACT; },                           \
        [](LocalTensor<T> d, LocalTensor<T> x, LocalTensor<uint8_t>, uint32_t n, int form) { \
            form == 0 ? NAME(d, x) : NAME(d, x, n);                                          \
        },                                                                                   \
        2)

static long double Gamma(long double x) { return std::isnan(x) ? x : lgammal(x); }

// By differences of log-gamma's derivative series: recurrence far up, then the asymptotic series.
static long double Psi(long double x)
{
    if (std::isnan(x) || x == -HUGE_VALL || (x <= 0 && x == std::floor(x))) {
        return std::nanl("");
    }
    if (x < 0) {
        const long double pi = 3.14159265358979323846264338327950288L;
        return Psi(1 - x) - pi / std::tan(pi * (x - std::nearbyint(x)));
    }
    long double sum = 0;
    for (; x < 30; x += 1) {
        sum -= 1 / x;
    }
    const long double i = 1 / (x * x);
    return sum + std::log(x) - 0.5L / x - i * (1.0L / 12 - i * (1.0L / 120 - i * (1.0L / 252 - i / 240)));
}

template <typename T>
static void TestFunctions()
{
    ALL_FORMS(Sin, std::sin(x));
    ALL_FORMS(Cos, std::cos(x));
    ALL_FORMS(Tan, std::tan(x));
    ALL_FORMS(Asin, std::asin(x));
    ALL_FORMS(Acos, std::acos(x));
    ALL_FORMS(Atan, std::atan(x));
    ALL_FORMS(Sinh, std::sinh(x));
    ALL_FORMS(Cosh, std::cosh(x));
    ALL_FORMS(Tanh, std::tanh(x));
    ALL_FORMS(Asinh, std::asinh(x));
    ALL_FORMS(Acosh, std::acosh(x));
    ALL_FORMS(Atanh, std::atanh(x));
    ALL_FORMS(Erf, std::erf(x));
    ALL_FORMS(Erfc, std::erfc(x));
    ALL_FORMS(Log2, std::log2(x));
    ALL_FORMS(Trunc, std::trunc(x));
    ALL_FORMS(Frac, std::isinf(x) ? std::copysign(0.0L, x) : x - std::trunc(x));
    ALL_FORMS(Sign, std::isnan(x) ? x : (x > 0) - (x < 0));
    COUNT_FORMS(Floor, std::floor(x));
    COUNT_FORMS(Ceil, std::ceil(x));
    COUNT_FORMS(Round, std::nearbyint(x));
    COUNT_FORMS(Lgamma, Gamma(x));
    COUNT_FORMS(Digamma, Psi(x));
    PLAIN_FORMS(Log, std::log(x));
    PLAIN_FORMS(Log10, std::log10(x));
    TestUnary<T>(
        "Exp taylor", [](long double x) -> long double { return std::exp(x); },
        [](LocalTensor<T> d, LocalTensor<T> x, LocalTensor<uint8_t> w, uint32_t n, int form) {
            form == 0 ? Exp<T, 10>(d, x, n) : Exp<T, 10, false>(d, x, w, n);
        },
        2);
}

template <typename T>
static void TestBinary()
{
    Kernel("two sources", [] {
        Ub ub;
        const auto a = Inputs<T>(1500);
        const auto b = Inputs<T>(1500, 1);
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto d = ub.Empty<T>(1500);
        const auto work = ub.Fill<uint8_t>(1024, 0);
        Power(d, x, y);
        for (int i = 0; i < 1500; ++i) {
            ExpectNear("Power", a[i], d.Data()[i],
                       std::pow(static_cast<long double>(Value(a[i])), static_cast<long double>(Value(b[i]))));
        }
        Barrier();
        Power(d, x, T(1.5), work, 1500);
        for (int i = 0; i < 1500; ++i) {
            ExpectNear("Power scalar exponent", a[i], d.Data()[i], std::pow(static_cast<long double>(Value(a[i])), 1.5L));
        }
        Barrier();
        Power(d, T(1.5), y, 1500u);
        for (int i = 0; i < 1500; ++i) {
            ExpectNear("Power scalar base", b[i], d.Data()[i], std::pow(1.5L, static_cast<long double>(Value(b[i]))));
        }
        Barrier();
        Fmod(d, x, y, work);
        for (int i = 0; i < 1500; ++i) {
            ExpectNear("Fmod", a[i], d.Data()[i],
                       std::fmod(static_cast<long double>(Value(a[i])), static_cast<long double>(Value(b[i]))));
        }
        Barrier();
        ClampMax(d, x, work, T(2), 1500);
        Barrier();
        ClampMin(d, d, T(-1), 1500);
        for (int i = 0; i < 1500; ++i) {
            const long double v = Value(a[i]);
            ExpectNear("Clamp", a[i], d.Data()[i], std::isnan(v) ? v : v > 2 ? 2 : v < -1 ? -1 : v);
        }
    });
}

static void TestIntegers()
{
    Kernel("integers", [] {
        Ub ub;
        const auto base = ub.Put(std::vector<int32_t>{2, 3, -2, 7, 0, 1, -1, -1, 5, 10, 0, 0, 2, -3, 46341, 2});
        const auto exponent = ub.Put(std::vector<int32_t>{10, 4, 3, 0, 0, -5, -3, -2, -1, 9, 5, -1, 31, 19, 2, 32});
        const auto d = ub.Empty<int32_t>(16);
        Power(d, base, exponent);
        Expect("Power", Take(d, 16),
               std::vector<int32_t>{1024, 81, -8, 1, 1, 1, -1, 1, 0, 1000000000, 0, 0, std::numeric_limits<int32_t>::min(),
                                    -1162261467, static_cast<int32_t>(46341u * 46341u), 0});
        const auto p = ub.Put(Inputs<uint16_t>(300));
        const auto q = ub.Put(Inputs<uint16_t>(300, 1));
        const auto e = ub.Empty<uint16_t>(300);
        Xor(e, p, q);
        bool all = true;
        for (int i = 0; i < 300; ++i) {
            all = all && e.Data()[i] == (p.Data()[i] ^ q.Data()[i]);
        }
        ExpectTrue("Xor", all);
        auto rows = ub.Put(std::vector<float>(24, 1.0f));
        auto sums = ub.Empty<float>(24);
        auto last = ub.Empty<float>(8);
        CumSum(sums, last, rows, {3, 8});
        ExpectTrue("CumSum", sums.Data()[7] == 8 && sums.Data()[8] == 1 && sums.Data()[23] == 8 && last.Data()[7] == 8);
    });
}

#if __NPU_ARCH__ == 3510
static void TestC310()
{
    Kernel("c310", [] {
        Ub ub;
        const auto a = Inputs<float>(600);
        const auto b = Inputs<float>(600, 1);
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto d = ub.Empty<float>(600);
        const auto e = ub.Empty<float>(600);
        const auto t = ub.Empty<bool>(608);
        const auto u = ub.Empty<bool>(608);
        SinCos(d, e, x, 600);
        IsNan(t, x, 600);
        IsInf(u, x, 600);
        for (int i = 0; i < 600; ++i) {
            ExpectNear("SinCos", a[i], d.Data()[i], std::sin(static_cast<long double>(a[i])));
            ExpectNear("SinCos", a[i], e.Data()[i], std::cos(static_cast<long double>(a[i])));
            ExpectTrue("IsNan", t.Data()[i] == std::isnan(a[i]) && u.Data()[i] == std::isinf(a[i]));
        }
        LogicalAnd(t, x, y, 600);
        LogicalOrs(u, x, 0.0f, 600);
        Fma(d, x, y, x, 600);
        Clamp(e, x, -1.0f, 2.0f, 600);
        for (int i = 0; i < 600; ++i) {
            ExpectTrue("LogicalAnd", t.Data()[i] == (a[i] != 0 && b[i] != 0) && u.Data()[i] == (a[i] != 0));
            ExpectTrue("Fma", Same(d.Data()[i], std::fma(a[i], b[i], a[i])));
            ExpectTrue("Clamp", Same(e.Data()[i], std::isnan(a[i]) ? a[i] : a[i] > 2 ? 2.0f : a[i] < -1 ? -1.0f : a[i]));
        }
        Where(d, x, 5.0f, t, 600);
        Rint(e, x, 600);
        for (int i = 0; i < 600; ++i) {
            ExpectTrue("Where", Same(d.Data()[i], t.Data()[i] ? a[i] : 5.0f));
            ExpectTrue("Rint", Same(e.Data()[i], std::nearbyint(a[i])));
        }
        Hypot(d, x, y);
        IsFinite(t, x, 600);
        LogicalNot(u, x, 600);
        for (int i = 0; i < 600; ++i) {
            ExpectNear("Hypot", a[i], d.Data()[i], std::hypot(static_cast<long double>(a[i]), static_cast<long double>(b[i])));
            ExpectTrue("IsFinite", t.Data()[i] == std::isfinite(a[i]) && u.Data()[i] == (a[i] == 0));
        }
        const auto p = ub.Put(Inputs<int8_t>(320));
        const auto q = ub.Empty<int8_t>(320);
        BitwiseNot(q, p, 320);
        BitwiseXor(q, q, p, 320);
        Expect("Bitwise", Take(q, 320), std::vector<int8_t>(320, -1));
    });
}
#endif

int main()
{
    TestFunctions<float>();
    TestFunctions<half>();
    TestBinary<float>();
    TestBinary<half>();
    TestIntegers();
#if __NPU_ARCH__ == 3510
    TestC310();
#endif
    return Finish("vector_math");
}
