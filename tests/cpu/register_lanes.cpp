// Register instructions that work across lanes: rearrangements and reductions. c310 only.
#include "register_test.h"

// ---- within registers ------------------------------------------------------------------------------------------------

template <typename T>
static void TestRearrange()
{
    const size_t lanes = kLanesOf<T>;
    const auto a = Counting<T>(lanes);
    std::vector<T> b = a;
    std::reverse(b.begin(), b.end());
    const auto run = [&](const auto& body) { return OnRegisters<T>(a, b, b, static_cast<uint32_t>(lanes), body); };
    Expect("Interleave", run([](auto& d, auto& x, auto& y, MaskReg&) {
               RegTensor<T> low;
               Interleave(low, d, x, y);
           }),
           Lanes<T>([&](size_t i) { return (i % 2 == 0 ? a : b)[lanes / 2 + i / 2]; }));
    Expect("DeInterleave", run([](auto& d, auto& x, auto& y, MaskReg&) {
               DeInterleave(x, y, x, y);
               Move(d, y);
           }),
           Lanes<T>([&](size_t i) { return i < lanes / 2 ? a[2 * i + 1] : b[2 * (i - lanes / 2) + 1]; }));
    Expect("Duplicate", run([](auto& d, auto& x, auto&, MaskReg&) {
               MaskReg some = CreateMask<T, MaskPattern::M4>();
               Duplicate<T, HighLowPart::HIGHEST, MaskMergeMode::MERGING>(d, x, some);
           }),
           Lanes<T>([&](size_t i) { return i % 4 == 0 ? a[lanes - 1] : b[i]; }));
    Expect("Move", run([](auto& d, auto& x, auto&, MaskReg&) {
               MaskReg some = CreateMask<T, MaskPattern::M3>();
               Move(d, x, some);
           }),
           Lanes<T>([&](size_t i) { return i % 3 == 0 ? a[i] : b[i]; }));
    if constexpr (sizeof(T) < 8) {
        Expect("Squeeze", run([](auto& d, auto& x, auto&, MaskReg&) {
                   MaskReg some = CreateMask<T, MaskPattern::M3>();
                   Squeeze(d, x, some);
               }),
               Lanes<T>([&](size_t i) { return 3 * i < lanes ? a[3 * i] : Zero<T>(); }));
    }
    if constexpr (std::is_integral_v<T> && sizeof(T) < 8) {
        Expect("Unsqueeze", run([](auto& d, auto&, auto&, MaskReg&) {
                   MaskReg some = CreateMask<T, MaskPattern::M3>();
                   Unsqueeze(d, some);
               }),
               Lanes<T>([&](size_t i) { return static_cast<T>((i + 2) / 3); }));
    }
    if constexpr (std::is_signed_v<T>) {
        Expect("Arange", run([](auto& d, auto&, auto&, MaskReg&) { Arange<T, IndexOrder::DECREASE_ORDER>(d, T(3)); }),
               Lanes<T>([&](size_t i) { return static_cast<T>(3 + lanes - 1 - i); }));
    }
}

template <typename D, typename S>
static void TestPack()
{
    const auto wide = Inputs<S>(kLanesOf<S>);
    Ub ub;
    const auto x = ub.Put(wide);
    const auto d = ub.Fill<D>(kLanesOf<D>, D(7));
    const auto back = ub.Fill<S>(kLanesOf<S>, S(7));
    __VEC_SCOPE__
    {
        RegTensor<S> source, again;
        RegTensor<D> packed;
        MaskReg all = CreateMask<D>(), whole = CreateMask<S>();
        LoadAlign(source, Address(x));
        Pack<D, S, HighLowPart::HIGHEST>(packed, source);
        StoreAlign(Address(d), packed, all);
        using N = std::conditional_t<std::is_signed_v<S>, std::make_signed_t<D>, D>;
        UnPack<S, N, HighLowPart::HIGHEST>(again, (RegTensor<N>&)packed);
        StoreAlign(Address(back), again, whole);
    }
    const size_t half_count = kLanesOf<S>;
    Expect("Pack", Take(d, 2 * half_count),
           Lanes<D>([&](size_t i) { return i < half_count ? D(0) : static_cast<D>(wide[i - half_count]); }));
    Expect("UnPack", Take(back, half_count), Lanes<S>([&](size_t i) {
               return std::is_signed_v<S> ? static_cast<S>(static_cast<std::make_signed_t<D>>(wide[i]))
                                          : static_cast<S>(static_cast<D>(wide[i]));
           }));
}

// Squeeze and the store that goes on where the last one ended.
static void TestSqueezedStores()
{
    const auto memory = Inputs<int32_t>(320);
    Ub ub;
    const auto x = ub.Put(memory);
    const auto d = ub.Fill<int32_t>(320, 7);
    int64_t bytes = 0;
    __VEC_SCOPE__
    {
        RegTensor<int32_t> value, packed;
        MaskReg all = CreateMask<int32_t>(), positive;
        UnalignRegForStore ureg;
        ClearSpr<SpecialPurposeReg::AR>();
        for (int i = 0; i < 5; ++i) {
            LoadAlign(value, Address(x) + 64 * i);
            Compares<int32_t, CMPMODE::GT>(positive, value, 0, all);
            Squeeze<int32_t, Reg::GatherMaskMode::STORE_REG>(packed, value, positive);
            StoreUnAlign(Address(d), packed, ureg);
        }
        StoreUnAlignPost(Address(d), ureg);
        bytes = GetSpr<SpecialPurposeReg::AR>();
    }
    std::vector<int32_t> wanted;
    std::copy_if(memory.begin(), memory.end(), std::back_inserter(wanted), [](int32_t v) { return v > 0; });
    ExpectTrue("bytes of Squeeze", bytes == static_cast<int64_t>(4 * wanted.size()));
    wanted.resize(320, 7);
    Expect("squeezed stores", Take(d, 320), wanted);
}

// ---- reductions ------------------------------------------------------------------------------------------------------

// The sum of neighbours, of neighbouring sums and so on, each rounded to D.
template <typename D>
static D TreeOf(std::vector<D> values)
{
    while (values.size() > 1) {
        std::vector<D> next;
        for (size_t i = 0; i < values.size(); i += 2) {
            if constexpr (kIsFloatType<D>) {
                next.push_back(Nearest<D>(static_cast<long double>(Value(values[i])) + Value(values[i + 1])));
            } else {
                next.push_back(Wrapped<D>(static_cast<__int128>(values[i]) + values[i + 1]));
            }
        }
        values = next;
    }
    return values[0];
}

template <typename D, typename S>
static void TestSum()
{
    const size_t lanes = kLanesOf<S>;
    for (uint32_t active : {uint32_t{0}, uint32_t{5}, static_cast<uint32_t>(lanes)}) {
        const auto a = Inputs<S>(lanes * 6);
        Ub ub;
        const auto x = ub.Put(a);
        const auto d = ub.Fill<D>(kLanesOf<D> * 6, D(7));
        const auto e = ub.Fill<D>(kLanesOf<D> * 6, D(7));
        __VEC_SCOPE__
        {
            for (uint32_t r = 0; r < 6; ++r) {
                RegTensor<S> source;
                RegTensor<D> total, blocks;
                uint32_t left = active;
                MaskReg mask = UpdateMask<S>(left), all = CreateMask<D>();
                LoadAlign(source, Address(x) + r * lanes);
                Reduce<ReduceType::SUM>(total, source, mask);
                StoreAlign(Address(d) + r * kLanesOf<D>, total, all);
                if constexpr (sizeof(S) < 8) {
                    ReduceDataBlock<ReduceType::SUM>(blocks, source, mask);
                    StoreAlign(Address(e) + r * kLanesOf<D>, blocks, all);
                }
            }
        }
        std::vector<D> wanted(kLanesOf<D> * 6, Zero<D>()), wanted_blocks = wanted;
        for (size_t r = 0; r < 6; ++r) {
            std::vector<D> values;
            for (size_t i = 0; i < lanes; ++i) {
                values.push_back(i < active ? static_cast<D>(a[r * lanes + i]) : Zero<D>());
            }
            wanted[r * kLanesOf<D>] = TreeOf(values);
            const size_t per_block = 32 / sizeof(S);
            for (size_t k = 0; k < 8; ++k) {
                const auto begin = values.begin() + static_cast<long>(k * per_block);
                wanted_blocks[r * kLanesOf<D> + k] = TreeOf(std::vector<D>(begin, begin + static_cast<long>(per_block)));
            }
        }
        Expect("Reduce SUM", Take(d, wanted.size()), wanted);
        if constexpr (sizeof(S) < 8) {
            Expect("ReduceDataBlock SUM", Take(e, wanted.size()), wanted_blocks);
        }
    }
}

template <typename T>
static void TestExtremes()
{
    const size_t lanes = kLanesOf<T>;
    using Bits = cpu::vec::Word<sizeof(T)>;
    for (uint32_t active : {uint32_t{0}, uint32_t{9}, static_cast<uint32_t>(lanes)}) {
        auto a = Inputs<T>(lanes * 8);
        Ub ub;
        const auto x = ub.Put(a);
        const auto d = ub.Fill<T>(lanes * 8, T(7));
        __VEC_SCOPE__
        {
            for (uint32_t r = 0; r < 8; ++r) {
                RegTensor<T> source, result;
                uint32_t left = active;
                MaskReg mask = UpdateMask<T>(left), two = CreateMask<T, MaskPattern::VL2>();
                LoadAlign(source, Address(x) + r * lanes);
                if (r % 2 == 0) {
                    Reduce<ReduceType::MAX>(result, source, mask);
                } else {
                    ReduceMin(result, source, mask);
                }
                StoreAlign(Address(d) + r * lanes, result, two);
            }
        }
        const auto got = Take(d, lanes * 8);
        for (size_t r = 0; r < 8; ++r) {
            const bool max = r % 2 == 0;
            size_t best = lanes;
            for (size_t i = 0; i < active && i < lanes; ++i) {
                const T value = a[r * lanes + i];
                if (std::isnan(Value(value))) {
                    best = i;
                    break;
                }
                const bool first = best == lanes;
                const T old = a[r * lanes + (first ? 0 : best)];
                bool better = max ? value > old : value < old;
                if (value == old && Value(value) == 0 && kIsFloatType<T>) {
                    better = std::signbit(Value(value)) != std::signbit(Value(old)) && std::signbit(Value(value)) != max;
                }
                best = first || better ? i : best;
            }
            T wanted = best < lanes ? a[r * lanes + best]
                       : max        ? std::numeric_limits<T>::lowest()
                                    : std::numeric_limits<T>::max();
            if (best == lanes && kIsFloatType<T>) {
                wanted = max ? T(-std::numeric_limits<T>::infinity()) : std::numeric_limits<T>::infinity();
            }
            Bits index;
            std::memcpy(&index, static_cast<const void*>(&got[r * lanes + 1]), sizeof index);
            Expect(max ? "Reduce MAX" : "Reduce MIN", std::vector<T>{got[r * lanes]}, std::vector<T>{wanted});
            ExpectTrue("index of Reduce", index == (best < lanes ? best : 0));
        }
    }
}

static void TestPairs()
{
    const auto a = Inputs<half>(128);
    const auto got = OnRegisters<half>(a, a, a, 99, [](auto& d, auto& x, auto&, MaskReg& m) { PairReduceElem(d, x, m); });
    Expect("PairReduceElem", got, Lanes<half>([&](size_t i) {
               const auto lane = [&](size_t k) { return k < 99 ? Value(a[k]) : 0.0; };
               return i < 64 ? Nearest<half>(static_cast<long double>(lane(2 * i)) + lane(2 * i + 1)) : half(0);
           }));
}

// Registers of two: 64 lanes of 64 bits.
static void TestTwoRegisters()
{
    const auto a = Inputs<int64_t>(128);
    Ub ub;
    const auto x = ub.Put(a);
    const auto d = ub.Fill<int64_t>(128, 7);
    __VEC_SCOPE__
    {
        RegTensor<int64_t, RegTraitNumTwo> value;
        RegTensor<int32_t> narrow;
        uint32_t count = 100;
        for (uint32_t i = 0; i < 2; ++i) {
            MaskReg mask = UpdateMask<int64_t, RegTraitNumTwo>(count);
            LoadAlign(value, Address(x) + 64 * i);
            static constexpr CastTrait down = {RegLayout::UNKNOWN, SatMode::NO_SAT, MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
            Cast<int32_t, int64_t, down>(narrow, value, mask);
            Cast<int64_t, int32_t>(value, narrow, mask);
            StoreAlign(Address(d) + 64 * i, value, mask);
        }
    }
    std::vector<int64_t> wanted;
    for (size_t i = 0; i < 128; ++i) {
        wanted.push_back(i < 100 ? static_cast<int32_t>(a[i]) : 7);
    }
    Expect("RegTraitNumTwo", Take(d, 128), wanted);
}

int main()
{
    Kernel("rearrange", [] {
        TestRearrange<int8_t>();
        TestRearrange<uint16_t>();
        TestRearrange<half>();
        TestRearrange<float>();
        TestRearrange<int64_t>();
        TestPack<uint8_t, int16_t>();
        TestPack<uint16_t, uint32_t>();
        TestPack<uint32_t, int64_t>();
        TestSqueezedStores();
    });
    Kernel("reductions", [] {
        TestSum<int32_t, int16_t>();
        TestSum<uint32_t, uint32_t>();
        TestSum<int64_t, int64_t>();
        TestSum<half, half>();
        TestSum<float, float>();
        TestExtremes<int16_t>();
        TestExtremes<uint32_t>();
        TestExtremes<int64_t>();
        TestExtremes<half>();
        TestExtremes<float>();
        TestPairs();
    });
    Kernel("two registers", [] { TestTwoRegisters(); });
    return Finish("register_lanes");
}
