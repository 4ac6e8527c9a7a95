// Compare, Compares, Select and the CMPMASK register.
#include "vector_test.h"

template <typename T>
static bool Holds(CMPMODE mode, T a, T b)
{
    switch (mode) {
        case CMPMODE::LT:
            return a < b;
        case CMPMODE::GT:
            return a > b;
        case CMPMODE::EQ:
            return a == b;
        case CMPMODE::LE:
            return a <= b;
        case CMPMODE::GE:
            return a >= b;
        default:
            return a != b;
    }
}

static void SetBit(std::vector<uint8_t>& bits, size_t at, bool value)
{
    bits[at / 8] = static_cast<uint8_t>(value ? bits[at / 8] | 1 << at % 8 : bits[at / 8] & ~(1 << at % 8));
}

template <typename T>
static std::vector<T> Twins(const std::vector<T>& a)
{
    auto b = Inputs<T>(a.size(), 1);
    for (size_t i = 0; i < a.size(); i += 3) {
        b[i] = a[i];
    }
    return b;
}

template <typename T>
static void TestCompareCount(const std::vector<CMPMODE>& modes)
{
    constexpr uint32_t n = 512;
    for (CMPMODE mode : modes) {
        Kernel("Compare", [&] {
            Ub ub;
            const auto a = Inputs<T>(n);
            const auto b = Twins(a);
            const auto x = ub.Put(a);
            const auto y = ub.Put(b);
            const auto d = ub.Fill<uint8_t>(n / 8, 0x55);
            Compare(d, x, y, mode, n);
            std::vector<uint8_t> tensors(n / 8);
            std::vector<uint8_t> number(n / 8);
            std::vector<uint8_t> reversed(n / 8);
            for (uint32_t i = 0; i < n; ++i) {
                SetBit(tensors, i, Holds(mode, a[i], b[i]));
                SetBit(number, i, Holds(mode, a[i], T(7)));
                SetBit(reversed, i, Holds(mode, T(7), a[i]));
            }
            Expect(std::string("Compare ") + Name<T>(), Take(d, n / 8), tensors);
            Barrier();
            Compares(d, x, T(7), mode, n);
            Expect(std::string("Compares ") + Name<T>(), Take(d, n / 8), number);
            Barrier();
            CompareScalar(d, x, T(7), mode, n);
            Expect(std::string("CompareScalar ") + Name<T>(), Take(d, n / 8), number);
#if __NPU_ARCH__ == 3510
            Compares(d, T(7), x, mode, n);
            Expect(std::string("Compares number first ") + Name<T>(), Take(d, n / 8), reversed);
            const auto s = ub.Fill<T>(32, T(7));
            Compares(d, x, s, mode, n);
            Expect(std::string("Compares tensor as number ") + Name<T>(), Take(d, n / 8), number);
#endif
        });
    }
}

template <typename T>
static void TestCompareStrided(const std::vector<CMPMODE>& modes)
{
    constexpr size_t lanes = 256 / sizeof(T);
    for (CMPMODE mode : modes) {
        Kernel("Compare strided", [&] {
            Ub ub;
            const auto a = Inputs<T>(2000);
            const auto b = Twins(a);
            const auto x = ub.Put(a);
            const auto y = ub.Put(b);
            uint64_t mask[2] = {0xff00f0f0ccccaaaau, lanes == 128 ? 0x0123456789abcdefu : 0u};
            const auto d = ub.Fill<uint8_t>(3 * lanes / 8, 0x55);
            Compare(d, x, y, mode, mask, 3, {1, 2, 1, 8, 16, 9});
            std::vector<uint8_t> bits(3 * lanes / 8, 0x55);
            std::vector<uint8_t> number(3 * lanes / 8, 0x55);
            for (size_t i = 0; i < 3 * lanes; ++i) {
                const T left = a[At<T>(i / lanes, i % lanes, 2, 16)];
                if (MaskBit(mask, i % lanes)) {
                    SetBit(bits, i, Holds(mode, left, b[At<T>(i / lanes, i % lanes, 1, 9)]));
                }
                SetBit(number, i, Holds(mode, left, T(1)));
            }
            Expect(std::string("Compare strided ") + Name<T>(), Take(d, bits.size()), bits);
            const auto e = ub.Fill<uint8_t>(3 * lanes / 8, 0x55);
            Compares(e, x, T(1), mode, static_cast<uint64_t>(lanes), 3, {1, 2, 8, 16});
            Expect(std::string("Compares strided ") + Name<T>(), Take(e, bits.size()), number);

            // Into the register and back.
            const auto r = ub.Fill<uint8_t>(32, 0);
            SetCmpMask(r);
            Compare(x, y, mode, static_cast<uint64_t>(lanes), {1, 1, 1, 8, 8, 8});
            Barrier();
            GetCmpMask(r);
            std::vector<uint8_t> one(lanes / 8);
            for (size_t i = 0; i < lanes; ++i) {
                SetBit(one, i, Holds(mode, a[i], b[i]));
            }
            Expect(std::string("CMPMASK ") + Name<T>(), Take(r, one.size()), one);
        });
    }
}

template <typename T, typename U>
static void TestSelect()
{
    constexpr size_t lanes = 256 / sizeof(T);
    Kernel("Select", [] {
        constexpr uint32_t n = 600;
        Ub ub;
        const auto a = Inputs<T>(n);
        const auto b = Inputs<T>(n, 1);
        std::vector<uint8_t> bits(96);
        for (auto& byte : bits) {
            byte = static_cast<uint8_t>(Random());
        }
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto mask = ub.Put(bits).template ReinterpretCast<U>();
        const auto d = ub.Empty<T>(n);
        std::vector<T> continuous;
        std::vector<T> perRepeat;
        std::vector<T> number;
        for (uint32_t i = 0; i < n; ++i) {
            const bool bit = (bits[i / 8] >> i % 8 & 1) != 0;
            const size_t k = i % lanes;
            continuous.push_back(bit ? a[i] : b[i]);
            perRepeat.push_back((bits[k / 8] >> k % 8 & 1) != 0 ? a[i] : b[i]);
            number.push_back(bit ? a[i] : T(3));
        }
        Select(d, mask, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
        Expect("Select 2", Take(d, n), continuous);
        Barrier();
        Select(d, mask, x, y, SELMODE::VSEL_CMPMASK_SPR, n);
        Expect("Select 0", Take(d, n), perRepeat);
        Barrier();
        Select(d, mask, x, T(3), SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
        Expect("Select 1", Take(d, n), number);
#if __NPU_ARCH__ == 3510
        std::vector<T> reversed;
        for (uint32_t i = 0; i < n; ++i) {
            reversed.push_back((bits[i / 8] >> i % 8 & 1) != 0 ? T(3) : a[i]);
        }
        Select(d, mask, T(3), x, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
        Expect("Select number first", Take(d, n), reversed);
        const auto s = ub.Fill<T>(32, T(3));
        Select(d, mask, x, s, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
        Expect("Select tensor as number", Take(d, n), number);
#endif
        if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
            for (SELMODE mode : {SELMODE::VSEL_CMPMASK_SPR, SELMODE::VSEL_TENSOR_TENSOR_MODE}) {
                const auto old = Inputs<T>(n, 1);
                const auto e = ub.Put(old);
                Select(e, mask, x, y, mode, static_cast<uint64_t>(lanes - 7), 2, {1, 1, 1, 9, 8, 8});
                std::vector<T> wanted = old;
                for (size_t i = 0; i < 2 * lanes; ++i) {
                    const size_t k = i % lanes;
                    const size_t bit = mode == SELMODE::VSEL_CMPMASK_SPR ? k : i;
                    if (k < lanes - 7) {
                        wanted[At<T>(i / lanes, k, 1, 9)] = (bits[bit / 8] >> bit % 8 & 1) != 0 ? a[i] : b[i];
                    }
                }
                Expect("Select strided", Take(e, n), wanted);
            }
            SetCmpMask(mask);
            ResetMask();
            Barrier();
            Select<T, SELMODE::VSEL_CMPMASK_SPR>(d, x, y, 2, {1, 1, 1, 8, 8, 8});
            perRepeat.resize(2 * lanes);
            Expect("Select by register", Take(d, 2 * lanes), perRepeat);
        }
    });
}

int main()
{
    const std::vector<CMPMODE> all = {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE};
    TestCompareCount<float>(all);
    TestCompareCount<half>(all);
    TestCompareCount<int32_t>({CMPMODE::EQ});
    TestCompareStrided<float>(all);
    TestCompareStrided<half>({CMPMODE::GE});
    TestSelect<float, uint8_t>();
    TestSelect<half, uint16_t>();
#if __NPU_ARCH__ == 3510
    TestCompareCount<bfloat16_t>(all);
    TestCompareCount<int8_t>(all);
    TestCompareCount<uint16_t>(all);
    TestCompareCount<int32_t>(all);
    TestCompareCount<uint32_t>(all);
    TestCompareCount<int64_t>(all);
    TestCompareStrided<int16_t>(all);
    TestSelect<int32_t, uint32_t>();
    TestSelect<int8_t, uint8_t>();
    TestSelect<int64_t, uint64_t>();
    TestSelect<bfloat16_t, uint8_t>();
#else
    ExpectFault("int32 on c220", "EQ only", [] {
        Ub ub;
        const auto x = ub.Fill<int32_t>(64, 1);
        const auto d = ub.Fill<uint8_t>(32, 0);
        Compare(d, x, x, CMPMODE::LT, 64);
    });
#endif
    ExpectFault("count of Compare", "256", [] {
        Ub ub;
        const auto x = ub.Fill<float>(100, 1.0f);
        const auto d = ub.Fill<uint8_t>(32, 0);
        Compare(d, x, x, CMPMODE::LT, 100);
    });
    return Finish("vector_compare");
}
