// Instructions with two sources, every dtype and form.
#include "vector_test.h"

template <typename T>
struct Binary {
    std::string name;
    std::function<T(T, T, T)> expect;  // sources and old destination
    std::function<void(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>, int)> count;
    std::function<void(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>, uint64_t, uint8_t, BinaryRepeatParams)> first;
    std::function<void(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>, uint64_t*, uint8_t, BinaryRepeatParams)> bits;
    std::function<void(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>, uint8_t, BinaryRepeatParams)> registers;
};

template <typename T>
static void TestCount(const Binary<T>& op)
{
    for (int n : {0, 1, 7, 32, 100, 257, 1000}) {
        Ub ub;
        const auto a = Inputs<T>(1000);
        const auto b = Inputs<T>(1000, 1);
        const auto old = Inputs<T>(1000, 1);
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto d = ub.Put(old);
        op.count(d, x, y, n);
        std::vector<T> wanted = old;
        for (int i = 0; i < n; ++i) {
            wanted[i] = op.expect(a[i], b[i], old[i]);
        }
        Expect(op.name + " count", Take(d, 1000), wanted);
        if (n == 1000) {  // in place
            Barrier();
            op.count(x, x, y, n);
            std::vector<T> again;
            for (int i = 0; i < n; ++i) {
                again.push_back(op.expect(a[i], b[i], a[i]));
            }
            Expect(op.name + " in place", Take(x, 1000), again);
        }
    }
}

template <typename T>
static void TestStrided(const Binary<T>& op)
{
    const BinaryRepeatParams shapes[] = {{1, 1, 1, 8, 8, 8}, {2, 1, 3, 16, 8, 24}, {1, 0, 1, 8, 1, 8}, {1, 1, 1, 9, 8, 0}};
    constexpr size_t lanes = 256 / sizeof(T);
    constexpr size_t size = 4000;
    for (const auto& p : shapes) {
        for (int form = 0; form < 5; ++form) {
            Ub ub;
            const auto a = Inputs<T>(size);
            const auto b = Inputs<T>(size, 1);
            const auto old = Inputs<T>(size, 1);
            const auto x = ub.Put(a);
            const auto y = ub.Put(b);
            const auto d = ub.Put(old);
            const uint8_t repeat = 3;
            uint64_t mask[2] = {0x8f0f00ff12345678u, 0xff00ff00f0f0a5a5u};
            if (lanes == 64) {
                mask[1] = 0;
            }
            size_t total = repeat * lanes;
            if (form == 0) {
                mask[0] = ~uint64_t{0};
                mask[1] = lanes == 128 ? ~uint64_t{0} : 0;
                op.first(d, x, y, lanes, repeat, p);
            } else if (form == 1) {
                mask[0] = (uint64_t{1} << 37) - 1;
                mask[1] = 0;
                op.first(d, x, y, 37, repeat, p);
            } else if (form == 2) {
                op.bits(d, x, y, mask, repeat, p);
            } else if (form == 3) {
                SetVectorMask<T>(mask[1], mask[0]);
                op.registers(d, x, y, repeat, p);
                ResetMask();
            } else {
                total = 2 * lanes + 5;
                mask[0] = mask[1] = ~uint64_t{0};
                SetMaskCount();
                SetVectorMask<T, MaskMode::COUNTER>(static_cast<int32_t>(total));
                op.registers(d, x, y, 1, p);
                SetMaskNorm();
                ResetMask();
            }
            std::vector<T> wanted = old;
            for (size_t i = 0; i < total; ++i) {
                const size_t r = i / lanes;
                const size_t k = i % lanes;
                if (MaskBit(mask, k)) {
                    T& to = wanted[At<T>(r, k, p.dstBlkStride, p.dstRepStride)];
                    to = op.expect(a[At<T>(r, k, p.src0BlkStride, p.src0RepStride)],
                                   b[At<T>(r, k, p.src1BlkStride, p.src1RepStride)], to);
                }
            }
            Expect(op.name + " form " + std::to_string(form), Take(d, size), wanted);
        }
    }
}

#define FORMS(NAME, REGISTERS)                                                                                                \
    [](auto d, auto x, auto y, int n) { NAME(d, x, y, n); },                                                                  \
        [](auto d, auto x, auto y, uint64_t mask, uint8_t repeat, BinaryRepeatParams p) { NAME(d, x, y, mask, repeat, p); },  \
        [](auto d, auto x, auto y, uint64_t* mask, uint8_t repeat, BinaryRepeatParams p) { NAME(d, x, y, mask, repeat, p); }, \
        [](auto d, auto x, auto y, uint8_t repeat, BinaryRepeatParams p) { REGISTERS(d, x, y, MASK_PLACEHOLDER, repeat, p); }
#define RUN_AS(T, NAME, EXPECT, ...)                                 \
    Kernel(#NAME, [] {                                               \
        const Binary<T> op{#NAME, EXPECT, FORMS(NAME, __VA_ARGS__)}; \
        TestCount(op);                                               \
        TestStrided(op);                                             \
    })
#define RUN(T, NAME, EXPECT) RUN_AS(T, NAME, EXPECT, (NAME<T, false>))
#define RUN_COUNT(T, NAME, EXPECT)                                                                                         \
    Kernel(#NAME, [] {                                                                                                     \
        TestCount(                                                                                                         \
            Binary<T>{#NAME, EXPECT, [](auto d, auto x, auto y, int n) { NAME(d, x, y, n); }, nullptr, nullptr, nullptr}); \
    })

// Expected results in wider arithmetic.
template <typename T>
static T ExpectAdd(T a, T b, T)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(static_cast<long double>(Value(a)) + Value(b));
    else
        return Wrapped<T>(static_cast<__int128>(a) + b);
}
template <typename T>
static T ExpectSub(T a, T b, T)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(static_cast<long double>(Value(a)) - Value(b));
    else
        return Wrapped<T>(static_cast<__int128>(a) - b);
}
template <typename T>
static T ExpectMul(T a, T b, T)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(static_cast<long double>(Value(a)) * Value(b));
    else
        return Wrapped<T>(static_cast<__int128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)));
}
template <typename T>
static T ExpectDiv(T a, T b, T)
{
    if constexpr (kIsFloatType<T>)
        return Nearest<T>(static_cast<long double>(Value(a)) / Value(b));
    else
        return b == 0 ? T(0) : Wrapped<T>(static_cast<__int128>(a) / b);
}
template <typename T>
static T ExpectMax(T a, T b, T)
{
    return Largest(a, b);
}
template <typename T>
static T ExpectMin(T a, T b, T)
{
    return Smallest(a, b);
}
template <typename T>
static T Positive(T x)
{
    return Value(x) > 0 || Value(x) != Value(x) ? x : T(0);
}
template <typename T>
static T ExpectAddRelu(T a, T b, T d)
{
    return Positive(ExpectAdd(a, b, d));
}
template <typename T>
static T ExpectSubRelu(T a, T b, T d)
{
    return Positive(ExpectSub(a, b, d));
}
template <typename T>
static T ExpectFma(T a, T b, T c)
{
    if constexpr (std::is_same_v<T, float>)
        return std::fma(a, b, c);
    else if constexpr (kIsFloatType<T>)
        return Nearest<T>(static_cast<long double>(Value(a)) * Value(b) + Value(c));
    else
        return Wrapped<T>(static_cast<__int128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) +
                                                static_cast<unsigned __int128>(c)));
}
template <typename T>
static T ExpectFused(T a, T b, T d)
{
    return ExpectFma(a, d, b);
}
template <typename T>
static T ExpectFusedRelu(T a, T b, T d)
{
    return Positive(ExpectFma(a, d, b));
}
template <typename T>
static T ExpectAnd(T a, T b, T)
{
    return static_cast<T>(a & b);
}
template <typename T>
static T ExpectOr(T a, T b, T)
{
    return static_cast<T>(a | b);
}

template <typename T>
static void TestArithmetic()
{
    RUN(T, Add, ExpectAdd<T>);
    RUN(T, Sub, ExpectSub<T>);
    RUN(T, Mul, ExpectMul<T>);
    RUN(T, Max, ExpectMax<T>);
    RUN(T, Min, ExpectMin<T>);
}

template <typename T>
static void TestFloats()
{
    RUN(T, Div, ExpectDiv<T>);
    RUN(T, AddRelu, ExpectAddRelu<T>);
    RUN(T, SubRelu, ExpectSubRelu<T>);
    RUN(T, FusedMulAdd, ExpectFused<T>);
    RUN(T, FusedMulAddRelu, ExpectFusedRelu<T>);
    RUN(T, MulAddRelu, ExpectFusedRelu<T>);
    RUN_AS(T, MulAddDst, ExpectFma<T>, (MulAddDst<T, T, false>));
}

template <typename T>
static void TestWide310()
{
    RUN_COUNT(T, Add, ExpectAdd<T>);
    RUN_COUNT(T, Sub, ExpectSub<T>);
    RUN_COUNT(T, Mul, ExpectMul<T>);
    RUN_COUNT(T, Div, ExpectDiv<T>);
    RUN_COUNT(T, Max, ExpectMax<T>);
    RUN_COUNT(T, And, ExpectAnd<T>);
    RUN_COUNT(T, Or, ExpectOr<T>);
    RUN_COUNT(T, AddRelu, ExpectAddRelu<T>);
    RUN_COUNT(T, FusedMulAdd, ExpectFused<T>);
}

template <typename T>
static void TestShifts()
{
    Kernel("shifts", [] {
        Ub ub;
        const auto a = Inputs<T>(600);
        std::vector<std::make_signed_t<T>> by;
        for (int i = 0; i < 600; ++i) {
            by.push_back(static_cast<std::make_signed_t<T>>(i % (sizeof(T) * 8)));
        }
        const auto x = ub.Put(a);
        const auto s = ub.Put(by);
        const auto d = ub.Empty<T>(600);
        ShiftLeft(d, x, s, 600);
        std::vector<T> left;
        std::vector<T> right;
        for (int i = 0; i < 600; ++i) {
            const __int128 shifted = static_cast<__int128>(static_cast<std::make_unsigned_t<T>>(a[i])) << by[i];
            const T plain = Wrapped<T>(shifted);
            const T top = static_cast<T>(T(1) << (sizeof(T) * 8 - 1));
            left.push_back(std::is_signed_v<T> ? static_cast<T>((plain & static_cast<T>(~top)) | (a[i] & top)) : plain);
            right.push_back(static_cast<T>(a[i] >> by[i]));
        }
        Expect("ShiftLeft tensor", Take(d, 600), left);
        Barrier();
        ShiftRight(d, x, s, 600);
        Expect("ShiftRight tensor", Take(d, 600), right);
    });
}

static void TestMixed()
{
    Kernel("mixed", [] {
        Ub ub;
        const auto a = Inputs<half>(900);
        const auto b = Inputs<half>(900, 1);
        const auto c = Inputs<float>(900);
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto d = ub.Put(c);
        MulAddDst(d, x, y, 900);
        std::vector<float> wanted;
        for (int i = 0; i < 900; ++i) {
            wanted.push_back(std::fma(static_cast<float>(Value(a[i])), static_cast<float>(Value(b[i])), c[i]));
        }
        Expect("MulAddDst half->float", Take(d, 900), wanted);
        const auto e = ub.Put(c);
        MulAddDst(e, x, y, 64, 2, {1, 1, 1, 8, 4, 4});
        for (int i = 128; i < 900; ++i) {
            wanted[i] = c[i];
        }
        Expect("MulAddDst half->float strided", Take(e, 900), wanted);

        const auto i0 = Inputs<int32_t>(300);
        const auto i1 = Inputs<int32_t>(300, 1);
        const auto p = ub.Put(i0);
        const auto q = ub.Put(i1);
        const auto h = ub.Empty<half>(304);
        SetDeqScale(half(0.125));
        AddDeqRelu(h, p, q, 300);
        std::vector<half> dequantised;
        for (int i = 0; i < 300; ++i) {
            const double sum = Wrapped<int32_t>(static_cast<__int128>(i0[i]) + i1[i]);
            dequantised.push_back(Nearest<half>(sum > 0 ? sum * 0.125 : 0.0));
        }
        Expect("AddDeqRelu", Take(h, 300), dequantised);
        SetDeqScale(half(1.0));

        // Accumulation into one repeat: dst is src1 and does not move.
        std::vector<float> ones(256, 1.5f);
        const auto src = ub.Put(ones);
        const auto acc = ub.Fill<float>(64, 2.0f);
        Add(acc, src, acc, 64, 4, {1, 1, 1, 0, 8, 0});
        Expect("accumulate", Take(acc, 64), std::vector<float>(64, 8.0f));
    });
}

#if __NPU_ARCH__ == 3510
static void TestC310()
{
    Kernel("c310", [] {
        Ub ub;
        const auto a = Inputs<float>(700);
        const auto b = Inputs<float>(700, 1);
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto d = ub.Empty<float>(700);
        std::vector<float> prelu;
        std::vector<float> difference;
        for (int i = 0; i < 700; ++i) {
            prelu.push_back(a[i] >= 0 ? a[i] : Nearest<float>(static_cast<long double>(a[i]) * b[i]));
            difference.push_back(std::fabs(Nearest<float>(static_cast<long double>(a[i]) - b[i])));
        }
        Prelu(d, x, y, 700);
        Expect("Prelu", Take(d, 700), prelu);
        Barrier();
        AbsSub(d, x, y, 700);
        Expect("AbsSub", Take(d, 700), difference);
        const auto i0 = Inputs<int32_t>(300);
        const auto i1 = Inputs<int32_t>(300, 1);
        const auto p = ub.Put(i0);
        const auto q = ub.Put(i1);
        const auto low = ub.Empty<int32_t>(300);
        const auto high = ub.Empty<int32_t>(300);
        Mull(low, high, p, q, 300);
        std::vector<int32_t> lows;
        std::vector<int32_t> highs;
        for (int i = 0; i < 300; ++i) {
            const int64_t product = int64_t{i0[i]} * i1[i];
            lows.push_back(static_cast<int32_t>(product));
            highs.push_back(static_cast<int32_t>(product >> 32));
        }
        Expect("Mull low", Take(low, 300), lows);
        Expect("Mull high", Take(high, 300), highs);
    });
    TestArithmetic<bfloat16_t>();
    TestArithmetic<uint16_t>();
    TestArithmetic<uint32_t>();
    RUN(int16_t, Div, ExpectDiv<int16_t>);
    RUN(uint16_t, Div, ExpectDiv<uint16_t>);
    RUN(int32_t, Div, ExpectDiv<int32_t>);
    RUN(uint32_t, Div, ExpectDiv<uint32_t>);
    RUN(int32_t, And, ExpectAnd<int32_t>);
    RUN(uint32_t, Or, ExpectOr<uint32_t>);
    RUN(bfloat16_t, FusedMulAdd, ExpectFused<bfloat16_t>);
    RUN_COUNT(int8_t, Add, ExpectAdd<int8_t>);
    RUN_COUNT(uint8_t, Sub, ExpectSub<uint8_t>);
    RUN_COUNT(int8_t, Max, ExpectMax<int8_t>);
    RUN_COUNT(uint8_t, And, ExpectAnd<uint8_t>);
    TestWide310<int64_t>();
    TestWide310<uint64_t>();
    TestShifts<int8_t>();
    TestShifts<uint16_t>();
    TestShifts<int32_t>();
    TestShifts<uint32_t>();
    TestShifts<int64_t>();
}
#endif

int main()
{
    TestArithmetic<half>();
    TestArithmetic<float>();
    TestArithmetic<int16_t>();
    TestArithmetic<int32_t>();
    TestFloats<half>();
    TestFloats<float>();
    RUN(int16_t, AddRelu, ExpectAddRelu<int16_t>);
    RUN(int16_t, And, ExpectAnd<int16_t>);
    RUN(uint16_t, And, ExpectAnd<uint16_t>);
    RUN(int16_t, Or, ExpectOr<int16_t>);
    RUN(uint16_t, Or, ExpectOr<uint16_t>);
    TestMixed();
#if __NPU_ARCH__ == 3510
    TestC310();
#endif
    return Finish("vector_binary");
}
