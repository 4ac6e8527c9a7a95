// Instructions with one tensor source, with and without a scalar, every dtype and form.
#include "vector_test.h"

template <typename T>
struct Unary {
    std::string name;
    std::function<T(T)> expect;
    std::function<void(LocalTensor<T>, LocalTensor<T>, int)> count;
    std::function<void(LocalTensor<T>, LocalTensor<T>, uint64_t, uint8_t, UnaryRepeatParams)> first;
    std::function<void(LocalTensor<T>, LocalTensor<T>, uint64_t*, uint8_t, UnaryRepeatParams)> bits;
};

template <typename T>
static void Test(const Unary<T>& op)
{
    const auto a = Inputs<T>(3000);
    for (int n : {0, 1, 33, 128, 3000}) {
        Ub ub;
        const auto old = Inputs<T>(3000, 1);
        const auto x = ub.Put(a);
        const auto d = ub.Put(old);
        op.count(d, x, n);
        std::vector<T> wanted = old;
        for (int i = 0; i < n; ++i) {
            wanted[i] = op.expect(a[i]);
        }
        Expect(op.name + " count", Take(d, 3000), wanted);
        Barrier();
        op.count(x, x, n);
        for (int i = n; i < 3000; ++i) {
            wanted[i] = a[i];
        }
        Expect(op.name + " in place", Take(x, 3000), wanted);
    }
    if (op.first == nullptr) {
        return;
    }
    const UnaryRepeatParams shapes[] = {{1, 1, 8, 8}, {2, 1, 16, 8}, {1, 3, 8, 24}, {1, 0, 8, 1}, {1, 1, 12, 10}};
    constexpr size_t lanes = 256 / sizeof(T);
    for (const auto& p : shapes) {
        for (int form = 0; form < 2; ++form) {
            Ub ub;
            const auto old = Inputs<T>(3000, 1);
            const auto x = ub.Put(a);
            const auto d = ub.Put(old);
            uint64_t mask[2] = {form == 0 ? (uint64_t{1} << 51) - 1 : 0xf0f0123456789abcu, form == 0 ? 0 : 0x8000000000000001u};
            if (lanes == 64) {
                mask[1] = 0;
            }
            form == 0 ? op.first(d, x, 51, 3, p) : op.bits(d, x, mask, 3, p);
            std::vector<T> wanted = old;
            for (size_t i = 0; i < 3 * lanes; ++i) {
                if (MaskBit(mask, i % lanes)) {
                    wanted[At<T>(i / lanes, i % lanes, p.dstBlkStride, p.dstRepStride)] =
                        op.expect(a[At<T>(i / lanes, i % lanes, p.srcBlkStride, p.srcRepStride)]);
                }
            }
            Expect(op.name + " strided", Take(d, 3000), wanted);
        }
    }
}

#define RUN(T, NAME, EXPECT)                                                                                            \
    Kernel(#NAME, [] {                                                                                                  \
        Test(Unary<T>{                                                                                                  \
            #NAME, EXPECT, [](auto d, auto x, int n) { NAME(d, x, n); },                                                \
            [](auto d, auto x, uint64_t mask, uint8_t repeat, UnaryRepeatParams p) { NAME(d, x, mask, repeat, p); },    \
            [](auto d, auto x, uint64_t* mask, uint8_t repeat, UnaryRepeatParams p) { NAME(d, x, mask, repeat, p); }}); \
    })
#define RUN_COUNT(T, NAME, EXPECT) \
    Kernel(#NAME, [] { Test(Unary<T>{#NAME, EXPECT, [](auto d, auto x, int n) { NAME(d, x, n); }, nullptr, nullptr}); })
#define RUN_SCALAR(T, NAME, SCALAR, EXPECT)                                                                                  \
    Kernel(#NAME, [] {                                                                                                       \
        static const T scalar = SCALAR;                                                                                      \
        Test(Unary<T>{                                                                                                       \
            #NAME, [](T x) { return EXPECT(x, scalar); }, [](auto d, auto x, int n) { NAME(d, x, scalar, n); },              \
            [](auto d, auto x, uint64_t mask, uint8_t repeat, UnaryRepeatParams p) { NAME(d, x, scalar, mask, repeat, p); }, \
            [](auto d, auto x, uint64_t* mask, uint8_t repeat, UnaryRepeatParams p) {                                        \
                NAME(d, x, scalar, mask, repeat, p);                                                                         \
            }});                                                                                                             \
    })
#define RUN_SCALAR_COUNT(T, NAME, SCALAR, EXPECT)                                                                         \
    Kernel(#NAME, [] {                                                                                                    \
        static const T scalar = SCALAR;                                                                                   \
        Test(Unary<T>{#NAME, [](T x) { return EXPECT(x, scalar); }, [](auto d, auto x, int n) { NAME(d, x, scalar, n); }, \
                      nullptr, nullptr});                                                                                 \
    })

template <typename T>
static T ExpectAbs(T x)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(std::fabs(Value(x)));
    else
        return x < 0 ? Wrapped<T>(-static_cast<__int128>(x)) : x;
}
template <typename T>
static T ExpectRelu(T x)
{
    return Value(x) > 0 || Value(x) != Value(x) ? x : T(0);
}
template <typename T>
static T ExpectNot(T x)
{
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, static_cast<const void*>(&x), sizeof(T));
    for (auto& b : bytes) {
        b = static_cast<unsigned char>(~b);
    }
    std::memcpy(static_cast<void*>(&x), bytes, sizeof(T));
    return x;
}
template <typename T>
static T ExpectExp(T x)
{
    return Nearest<T>(std::exp(static_cast<long double>(Value(x))));
}
template <typename T>
static T ExpectLn(T x)
{
    return Nearest<T>(std::log(static_cast<long double>(Value(x))));
}
template <typename T>
static T ExpectSqrt(T x)
{
    return Nearest<T>(std::sqrt(static_cast<long double>(Value(x))));
}
template <typename T>
static T ExpectRsqrt(T x)
{
    return Nearest<T>(1 / std::sqrt(static_cast<long double>(Value(x))));
}
template <typename T>
static T ExpectReciprocal(T x)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(1 / static_cast<long double>(Value(x)));
    else
        return x == 0 ? T(0) : T(1 / x);
}
template <typename T>
static T ExpectNeg(T x)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(-Value(x));
    else
        return Wrapped<T>(-static_cast<__int128>(x));
}

template <typename T>
static T ExpectAdds(T x, T s)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(static_cast<long double>(Value(x)) + Value(s));
    else
        return Wrapped<T>(static_cast<__int128>(x) + s);
}
template <typename T>
static T ExpectMuls(T x, T s)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(static_cast<long double>(Value(x)) * Value(s));
    else
        return Wrapped<T>(static_cast<__int128>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(s)));
}
template <typename T>
static T ExpectMaxs(T x, T s)
{
    return Largest(x, s);
}
template <typename T>
static T ExpectMins(T x, T s)
{
    return Smallest(x, s);
}
template <typename T>
static T ExpectLeaky(T x, T s)
{
    return Value(x) >= 0 ? x : Nearest<T>(static_cast<long double>(Value(x)) * Value(s));
}
template <typename T>
static T ExpectLeft(T x, T s)
{
    const T plain = Wrapped<T>(static_cast<__int128>(static_cast<std::make_unsigned_t<T>>(x)) << s);
    const T top = static_cast<T>(std::make_unsigned_t<T>(1) << (sizeof(T) * 8 - 1));
    return std::is_signed_v<T> ? static_cast<T>((plain & static_cast<T>(~top)) | (x & top)) : plain;
}
template <typename T>
static T ExpectRight(T x, T s)
{
    return static_cast<T>(static_cast<__int128>(x) >> s);
}

template <typename T>
static void TestFloats()
{
    RUN(T, Abs, ExpectAbs<T>);
    RUN(T, Relu, ExpectRelu<T>);
    RUN(T, Exp, ExpectExp<T>);
    RUN(T, Ln, ExpectLn<T>);
    RUN(T, Sqrt, ExpectSqrt<T>);
    RUN(T, Rsqrt, ExpectRsqrt<T>);
    RUN(T, Reciprocal, ExpectReciprocal<T>);
    RUN_SCALAR(T, LeakyRelu, T(0.1), ExpectLeaky<T>);
}

template <typename T>
static void TestScalars(T small)
{
    static T s;
    s = small;
    RUN_SCALAR(T, Adds, s, ExpectAdds<T>);
    RUN_SCALAR(T, Muls, s, ExpectMuls<T>);
    RUN_SCALAR(T, Maxs, s, ExpectMaxs<T>);
    RUN_SCALAR(T, Mins, s, ExpectMins<T>);
}

template <typename T>
static void TestShifts()
{
    RUN_SCALAR(T, ShiftLeft, T(3), ExpectLeft<T>);
    RUN_SCALAR(T, ShiftRight, T(5), ExpectRight<T>);
}

static void TestDetails()
{
    Kernel("details", [] {
        Ub ub;
        // The documented example of a signed shift, and roundEn.
        const auto x =
            ub.Put(std::vector<int16_t>{static_cast<int16_t>(0xaaaa), 7, 6, -7, -8, 5, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        const auto d = ub.Fill<int16_t>(16, 0);
        ShiftLeft(d, x, int16_t(1), 1);
        ExpectTrue("0xAAAA << 1 is 0xD554", static_cast<uint16_t>(d.Data()[0]) == 0xd554);
        Barrier();
        ShiftRight(d, x, int16_t(1), 16, 1, {1, 1, 8, 8}, true);
        ExpectTrue("roundEn",
                   d.Data()[1] == 4 && d.Data()[2] == 3 && d.Data()[3] == -3 && d.Data()[4] == -4 && d.Data()[5] == 3);

        const auto a = Inputs<half>(500);
        const auto c = Inputs<float>(500, 1);
        const auto h = ub.Put(a);
        const auto f = ub.Put(c);
        Axpy(f, h, half(-2.5), 500);
        std::vector<float> wanted;
        for (int i = 0; i < 500; ++i) {
            wanted.push_back(std::fma(static_cast<float>(Value(a[i])), -2.5f, c[i]));
        }
        Expect("Axpy half->float", Take(f, 500), wanted);
        const auto e = Inputs<half>(500, 1);
        const auto g = ub.Put(e);
        Axpy(g, h, half(0.3), 500);
        std::vector<half> same;
        for (int i = 0; i < 500; ++i) {
            same.push_back(Nearest<half>(static_cast<long double>(Value(a[i])) * Value(half(0.3)) + Value(e[i])));
        }
        Expect("Axpy half", Take(g, 500), same);

        // Explicit template arguments convert the scalar.
        const auto y = ub.Fill<half>(32, half(1.0));
        Adds<half>(y, y, 2.0f, 32);
        Barrier();
        Muls<half, half>(y, y, half(2), 32);
        Expect("explicit arguments", Take(y, 32), std::vector<half>(32, half(6.0)));
    });
}

#if __NPU_ARCH__ == 3510
template <typename T>
static void TestFree()
{
    Kernel("free operands", [] {
        static constexpr BinaryConfig scalarFirst = {0};
        Ub ub;
        const auto a = Inputs<T>(800);
        const auto x = ub.Put(a);
        const auto s = ub.Put(std::vector<T>(32 / sizeof(T), T(3)));
        const auto d = ub.Empty<T>(800);
        std::vector<T> minus;
        std::vector<T> from;
        std::vector<T> sum;
        for (T v : a) {
            if constexpr (kIsFloatType<T>) {
                minus.push_back(Nearest<T>(static_cast<long double>(Value(v)) - 3));
                from.push_back(Nearest<T>(3 - static_cast<long double>(Value(v))));
            } else {
                minus.push_back(Wrapped<T>(static_cast<__int128>(v) - 3));
                from.push_back(Wrapped<T>(3 - static_cast<__int128>(v)));
            }
            sum.push_back(ExpectAdds<T>(v, T(3)));
        }
        Subs(d, x, T(3), 800);
        Expect("Subs vector, number", Take(d, 800), minus);
        Barrier();
        Subs(d, 3, x, 800);
        Expect("Subs number, vector", Take(d, 800), from);
        Subs(d, x, s, 800);
        Expect("Subs vector, tensor", Take(d, 800), minus);
        Subs<BinaryDefaultType, true, scalarFirst>(d, s, x, 800);
        Expect("Subs tensor, vector", Take(d, 800), from);
        Adds<BinaryDefaultType, true, scalarFirst>(d, s, x, 800);
        Expect("Adds tensor, vector", Take(d, 800), sum);
        if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
            Subs(d, 3, x, 256 / sizeof(T), 2, {1, 1, 8, 8});
            from.resize(512 / sizeof(T));
            Expect("Subs strided", Take(d, 512 / sizeof(T)), from);
        }
    });
}

static void TestC310()
{
    TestFree<float>();
    TestFree<half>();
    TestFree<bfloat16_t>();
    TestFree<int32_t>();
    TestFree<int64_t>();
    Kernel("c310", [] {
        Ub ub;
        const auto a = Inputs<float>(600);
        const auto x = ub.Put(a);
        const auto d = ub.Empty<float>(600);
        std::vector<float> quotient;
        std::vector<half> product;
        for (float v : a) {
            quotient.push_back(Nearest<float>(1.0L / v));
            product.push_back(Nearest<half>(static_cast<long double>(v) * 0.7f));
        }
        Divs(d, 1.0f, x, 600);
        Expect("Divs number, vector", Take(d, 600), quotient);
        const auto h = ub.Empty<half>(600);
        MulsCast(h, x, 0.7f, 600);
        Expect("MulsCast", Take(h, 600), product);
    });
    RUN_COUNT(float, Neg, ExpectNeg<float>);
    RUN_COUNT(half, Neg, ExpectNeg<half>);
    RUN_COUNT(int8_t, Neg, ExpectNeg<int8_t>);
    RUN_COUNT(int64_t, Neg, ExpectNeg<int64_t>);
    RUN_COUNT(int8_t, Abs, ExpectAbs<int8_t>);
    RUN_COUNT(int64_t, Abs, ExpectAbs<int64_t>);
    RUN(int32_t, Abs, ExpectAbs<int32_t>);
    RUN(int16_t, Abs, ExpectAbs<int16_t>);
    RUN_COUNT(int64_t, Relu, ExpectRelu<int64_t>);
    RUN_COUNT(int64_t, Reciprocal, ExpectReciprocal<int64_t>);
    RUN(float, Not, ExpectNot<float>);
    RUN(half, Not, ExpectNot<half>);
    RUN(uint32_t, Not, ExpectNot<uint32_t>);
    RUN_COUNT(uint8_t, Not, ExpectNot<uint8_t>);
    TestScalars<bfloat16_t>(bfloat16_t(1.5));
    RUN_SCALAR_COUNT(int8_t, Adds, int8_t(5), ExpectAdds<int8_t>);
    RUN_SCALAR_COUNT(uint64_t, Muls, uint64_t(5), ExpectMuls<uint64_t>);
    RUN_SCALAR_COUNT(int64_t, Mins, int64_t(5), ExpectMins<int64_t>);
    RUN_SCALAR_COUNT(int8_t, ShiftLeft, int8_t(3), ExpectLeft<int8_t>);
    RUN_SCALAR_COUNT(uint64_t, ShiftRight, uint64_t(3), ExpectRight<uint64_t>);
}
#endif

int main()
{
    TestFloats<float>();
    TestFloats<half>();
    RUN(int32_t, Relu, ExpectRelu<int32_t>);
    RUN(int16_t, Not, ExpectNot<int16_t>);
    RUN(uint16_t, Not, ExpectNot<uint16_t>);
    TestScalars<float>(1.5f);
    TestScalars<half>(half(1.5));
    TestScalars<int16_t>(77);
    TestScalars<int32_t>(77777);
    TestShifts<int16_t>();
    TestShifts<uint16_t>();
    TestShifts<int32_t>();
    TestShifts<uint32_t>();
    TestDetails();
#if __NPU_ARCH__ == 3510
    TestC310();
#endif
    return Finish("vector_unary");
}
