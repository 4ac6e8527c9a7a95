// Cast: every pair of dtypes and round mode of the table, strided forms, arithmetic that ends in a cast.
#include "vector_test.h"

static constexpr RoundMode kModes[] = {RoundMode::CAST_NONE, RoundMode::CAST_RINT,  RoundMode::CAST_FLOOR,
                                       RoundMode::CAST_CEIL, RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC,
                                       RoundMode::CAST_ODD};
static constexpr Mode kMeaning[] = {Mode::Even, Mode::Even, Mode::Floor, Mode::Ceil, Mode::Away, Mode::Trunc, Mode::Odd};

template <typename D>
static D Clip(long double x)
{
    if (std::isnan(x)) {
        return D(0);
    }
    const long double low = static_cast<long double>(std::numeric_limits<D>::min());
    const long double high = static_cast<long double>(std::numeric_limits<D>::max());
    return x < low ? std::numeric_limits<D>::min() : x > high ? std::numeric_limits<D>::max() : static_cast<D>(x);
}

// What the documentation says of one value.
template <typename D, typename S>
static D Expected(S x, Mode mode)
{
    if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
        return Clip<D>(static_cast<long double>(x));
    } else if constexpr (std::is_integral_v<D>) {
        return Clip<D>(RoundInteger(Value(x), mode));
    } else if constexpr (std::is_same_v<D, S>) {
        return D(RoundInteger(Value(x), mode));
    } else if constexpr (std::is_same_v<D, double>) {
        return RoundFloat(static_cast<long double>(x), 53, -1022, std::numeric_limits<double>::max(), mode);
    } else if constexpr (std::is_integral_v<S>) {
        return Nearest<D>(static_cast<long double>(x), mode);
    } else {
        return Nearest<D>(static_cast<long double>(Value(x)), mode);
    }
}

template <typename D, typename S>
static void TestPair(std::initializer_list<int> modes)
{
    std::vector<S> a;
    if constexpr (std::is_same_v<S, double>) {
        for (float f : Inputs<float>(1000)) {
            a.push_back(static_cast<double>(f));
        }
        for (int i = 0; i < 1000; ++i) {
            a.push_back(std::ldexp(static_cast<double>(static_cast<int64_t>(Random())), static_cast<int>(Random() % 60) - 50));
        }
        a.insert(a.end(), {1e300, -1e300, 1e-300, 0x1.ffffffp127, 0x1.fffffffp127, 1.0 + 0x1p-24, 1.0 + 0x1p-24 + 0x1p-50});
    } else {
        a = Inputs<S>(2000);
        if constexpr (std::is_same_v<S, float>) {  // around the steps of narrower types
            for (int i = 0; i < 3000; ++i) {
                a.push_back(
                    std::ldexp(1.0f + static_cast<float>(Random() % 4096) / 4096.0f, static_cast<int>(Random() % 45) - 28) *
                    ((Random() & 1) != 0 ? 1.0f : -1.0f));
            }
            a.insert(a.end(), {65519.996f, 65520.0f, 65536.0f, -65519.996f, 65535.0f, 2147483520.0f, 2147483648.0f,
                               -2147483648.0f, -2147483904.0f, 9.2e18f, 1e19f, 0.49999997f, 8388607.5f});
        }
    }
    for (int m : modes) {
        Kernel("Cast", [&] {
            Ub ub;
            const auto x = ub.Put(a);
            const auto d = ub.Empty<D>(a.size());
            Cast(d, x, kModes[m], static_cast<uint32_t>(a.size()));
            std::vector<D> wanted;
            for (S v : a) {
                wanted.push_back(Expected<D, S>(v, kMeaning[m]));
            }
            Expect(std::string("Cast from ") + Name<S>() + " mode " + std::to_string(m) + " ", Take(d, a.size()), wanted);
        });
    }
    if constexpr (sizeof(D) != sizeof(S) && !std::is_same_v<S, double>) {
        Kernel("Cast strided", [&] {
            // The wider type has blocks of 32 bytes one after the other, the narrower type packs as many lanes.
            constexpr size_t lanes = 256 / (sizeof(D) > sizeof(S) ? sizeof(D) : sizeof(S));
            constexpr uint8_t dstRep = lanes * sizeof(D) / 32 + 1;
            constexpr uint8_t srcRep = lanes * sizeof(S) / 32;
            const int m = *modes.begin();
            Ub ub;
            std::vector<D> wanted(1000, D(1));
            const auto d = ub.Put(wanted);
            const auto x = ub.Put(a);
            Cast<D, S>(d, x, kModes[m], static_cast<uint64_t>(lanes - 3), 3, {1, 1, dstRep, srcRep});
            for (size_t r = 0; r < 3; ++r) {
                for (size_t k = 0; k < lanes - 3; ++k) {
                    wanted[At<D>(r, k, 1, dstRep)] = Expected<D, S>(a[At<S>(r, k, 1, srcRep)], kMeaning[m]);
                }
            }
            Expect(std::string("Cast strided from ") + Name<S>() + " ", Take(d, 1000), wanted);
        });
    }
}

static void TestDequant()
{
    Kernel("s32 to half", [] {
        Ub ub;
        const auto a = Inputs<int32_t>(500);
        const auto x = ub.Put(a);
        const auto d = ub.Empty<half>(512);
        for (double scale : {1.0, 0.5, 0.001}) {
            Barrier();
            SetDeqScale(half(scale));
            Cast(d, x, RoundMode::CAST_NONE, 500);
            std::vector<half> wanted;
            for (int32_t v : a) {
                wanted.push_back(Nearest<half>(static_cast<long double>(v) * Value(half(scale))));
            }
            Expect("Cast s32->half", Take(d, 500), wanted);
        }
        SetDeqScale(half(1.0));
    });
}

template <typename D, typename S>
static void TestFused([[maybe_unused]] bool product)
{
    Kernel("fused casts", [&] {
        Ub ub;
        auto a = Inputs<S>(700);
        auto b = Inputs<S>(700, 1);
        for (int i = 0; sizeof(S) == 8 && i < 700; ++i) {  // sums and products within 64 bits
            a[i] = S(Value(a[i]) / 0x1p33);
            b[i] = S(Value(b[i]) / 0x1p33);
        }
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto d = ub.Empty<D>(700);
        std::vector<D> sums;
        std::vector<D> differences;
        std::vector<D> products;
        const auto finish = [](long double exact) {
            if constexpr (std::is_integral_v<D>) {
                return Clip<D>(RoundInteger(static_cast<double>(exact), Mode::Even));
            } else {
                return Nearest<D>(exact);
            }
        };
        const auto relu = [](long double v) { return v > 0 || std::isnan(v) ? v : 0.0L; };
        for (int i = 0; i < 700; ++i) {
            const long double p = Value(a[i]);
            const long double q = Value(b[i]);
            sums.push_back(finish(relu(p + q)));
            differences.push_back(finish(relu(p - q)));
            products.push_back(finish(p * q));
        }
        if constexpr (!std::is_same_v<D, uint8_t>) {
            AddReluCast(d, x, y, 700);
            Expect(std::string("AddReluCast from ") + Name<S>() + " ", Take(d, 700), sums);
            Barrier();
            SubReluCast(d, x, y, 700);
            Expect(std::string("SubReluCast from ") + Name<S>() + " ", Take(d, 700), differences);
        }
        if constexpr (sizeof(D) == 1 && std::is_same_v<S, half>) {
            if (product) {
                Barrier();
                MulCast(d, x, y, 700);
                Expect(std::string("MulCast from ") + Name<S>() + " ", Take(d, 700), products);
            }
        }
    });
}

int main()
{
    const auto five = {1, 2, 3, 4, 5};
    const auto exact = {0};
    TestPair<half, int8_t>(exact);
    TestPair<half, uint8_t>(exact);
    TestPair<half, int16_t>(five);
    TestPair<float, int16_t>(exact);
    TestPair<int8_t, half>(five);
    TestPair<uint8_t, half>(five);
    TestPair<int16_t, half>(five);
    TestPair<int32_t, half>(five);
    TestPair<float, half>(exact);
    TestPair<int32_t, bfloat16_t>(five);
    TestPair<float, bfloat16_t>(exact);
    TestPair<int16_t, int32_t>(exact);
    TestPair<float, int32_t>(five);
    TestPair<int64_t, int32_t>(exact);
    TestPair<int16_t, float>(five);
    TestPair<bfloat16_t, float>(five);
    TestPair<int32_t, float>(five);
    TestPair<int64_t, float>(five);
    TestPair<half, float>({0, 1, 2, 3, 4, 5, 6});
    TestPair<float, float>(five);
    TestPair<int32_t, int64_t>(exact);
    TestPair<float, int64_t>(five);
#if __NPU_ARCH__ == 3510
    TestPair<int16_t, int8_t>(exact);
    TestPair<int32_t, int8_t>(exact);
    TestPair<uint16_t, uint8_t>(exact);
    TestPair<uint32_t, uint8_t>(exact);
    TestPair<uint8_t, int16_t>(exact);
    TestPair<int32_t, int16_t>(exact);
    TestPair<uint32_t, int16_t>(exact);
    TestPair<uint8_t, uint16_t>(exact);
    TestPair<uint32_t, uint16_t>(exact);
    TestPair<bfloat16_t, half>(five);
    TestPair<half, bfloat16_t>(five);
    TestPair<uint8_t, int32_t>(exact);
    TestPair<uint16_t, int32_t>(exact);
    TestPair<uint8_t, uint32_t>(exact);
    TestPair<int16_t, uint32_t>(exact);
    TestPair<uint16_t, uint32_t>(exact);
    TestPair<double, int64_t>(five);
    TestPair<bfloat16_t, double>(five);
    TestPair<float, double>(five);
    TestPair<int32_t, double>({5});
    TestPair<int64_t, double>({5});
    Kernel("Truncate", [] {
        Ub ub;
        const auto a = Inputs<half>(600);
        const auto x = ub.Put(a);
        const auto d = ub.Empty<half>(600);
        Truncate<half, RoundMode::CAST_FLOOR>(d, x, 600);
        std::vector<half> wanted;
        for (half v : a) {
            wanted.push_back(Nearest<half>(std::floor(Value(v))));
        }
        Expect("Truncate", Take(d, 600), wanted);
    });
    TestFused<int32_t, int64_t>(false);
#else
    TestPair<half, int16_t>(exact);
    TestPair<int8_t, half>(exact);
    TestPair<float, int32_t>(exact);
#endif
    TestDequant();
    TestFused<int8_t, half>(true);
    TestFused<uint8_t, half>(true);
    TestFused<int8_t, int16_t>(false);
    TestFused<half, float>(false);
    ExpectTrue("ScalarCast", ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(1.2f) == 2 &&
                                 Value(ScalarCast<float, half, RoundMode::CAST_RINT>(0.1f)) == Value(half(0.1f)));
    ExpectFault("illegal mode", "round mode", [] {
        Ub ub;
        const auto x = ub.Fill<half>(64, half(1));
        const auto d = ub.Fill<float>(64, 0);
        Cast(d, x, RoundMode::CAST_FLOOR, 64);
    });
    return Finish("vector_cast");
}
