// Reductions under new and old names: values, indices, orders of summation, masks, strides.
#include "vector_test.h"

// Sums of neighbours until one is left, rounded at each step.
template <typename T>
static T Tree(std::vector<T> values)
{
    while (values.size() > 1) {
        for (size_t i = 0; i < values.size() / 2; ++i) {
            if constexpr (kIsFloatType<T>) {
                values[i] = Nearest<T>(static_cast<long double>(Value(values[2 * i])) + Value(values[2 * i + 1]));
            } else {
                values[i] = Wrapped<T>(static_cast<__int128>(values[2 * i]) + values[2 * i + 1]);
            }
        }
        values.resize(values.size() / 2);
    }
    return values[0];
}

template <typename T>
static std::vector<T> Moderate(size_t count)
{
    std::vector<T> all;
    for (size_t i = 0; i < count; ++i) {
        const double x = static_cast<double>(static_cast<int64_t>(Random())) * 0x1p-60;
        all.push_back(kIsFloatType<T> ? Nearest<T>(x) : T(static_cast<int64_t>(x * 1000)));
    }
    return all;
}

template <typename T>
static T Slot(uint64_t index)
{
    T slot;
    std::memcpy(static_cast<void*>(&slot), &index, sizeof(T));
    return slot;
}

template <typename T>
static void TestRepeats()
{
    constexpr size_t lanes = 256 / sizeof(T);
    Kernel("repeats", [] {
        for (int form = 0; form < 3; ++form) {
            Ub ub;
            uint64_t mask[2] = {form == 0   ? ~uint64_t{0}
                                : form == 1 ? (uint64_t{1} << 40) - 1
                                            : 0xf0f0f0ff123456f0u,
                                form == 0 && lanes == 128   ? ~uint64_t{0}
                                : form == 2 && lanes == 128 ? 0x1111111122222222u
                                                            : 0};
            const auto a = Moderate<T>(1200);
            const auto x = ub.Put(a);
            const auto d = ub.Fill<T>(512, T(7));
            const auto call = [&](auto whole) {
                Barrier();
                form == 2 ? whole(static_cast<const uint64_t*>(mask)) : whole(static_cast<int32_t>(form == 0 ? lanes : 40));
            };
            std::vector<T> sums(8, T(7));
            std::vector<T> maxima(16, T(7));
            std::vector<T> minima(16, T(7));
            for (size_t r = 0; r < 3; ++r) {
                std::vector<T> values(lanes, T(0));
                size_t most = lanes;
                size_t least = lanes;
                for (size_t k = 0; k < lanes; ++k) {
                    if (!MaskBit(mask, k)) {
                        continue;
                    }
                    const auto at = [&](size_t lane) { return a[At<T>(r, lane, 1, 9)]; };
                    values[k] = at(k);
                    most = most == lanes || at(k) > at(most) ? k : most;
                    least = least == lanes || at(k) < at(least) ? k : least;
                }
                sums[2 * r] = Tree(values);
                maxima[2 * r] = a[At<T>(r, most, 1, 9)];
                maxima[2 * r + 1] = Slot<T>(most);
                minima[2 * r] = Slot<T>(least);
                minima[2 * r + 1] = a[At<T>(r, least, 1, 9)];
            }
            if constexpr (kIsFloatType<T> || sizeof(T) == 4) {
                call([&](auto m) { WholeReduceSum(d, x, m, 3, 2, 1, 9); });
                Expect("WholeReduceSum", Take(d, 8), sums);
            }
            call([&](auto m) { WholeReduceMax(d, x, m, 3, 1, 1, 9); });
            maxima.resize(6);
            Expect("WholeReduceMax", Take(d, 6), maxima);
            call([&](auto m) { WholeReduceMin(d, x, m, 3, 1, 1, 9, ReduceOrder::ORDER_INDEX_VALUE); });
            minima.resize(6);
            Expect("WholeReduceMin", Take(d, 6), minima);
            call([&](auto m) { ReduceRepeat<ReduceType::MAX>(d, x, m, 3, 1, 1, 9, ReduceOrder::ORDER_ONLY_VALUE); });
            Expect("ORDER_ONLY_VALUE", Take(d, 3), {maxima[0], maxima[2], maxima[4]});
            call([&](auto m) { ReduceRepeat<ReduceType::MIN>(d, x, m, 3, 1, 1, 9, ReduceOrder::ORDER_ONLY_INDEX); });
            for (size_t r = 0; r < 3; ++r) {
                ExpectTrue("ORDER_ONLY_INDEX", Same(Slot<T>(d.template ReinterpretCast<uint32_t>().Data()[r]), minima[2 * r]));
            }
        }
    });
}

template <typename T>
static void TestBlocksAndPairs()
{
    constexpr size_t lanes = 256 / sizeof(T);
    constexpr size_t perBlock = lanes / 8;
    Kernel("blocks and pairs", [] {
        Ub ub;
        const auto a = Moderate<T>(1000);
        const auto x = ub.Put(a);
        const auto d = ub.Fill<T>(512, T(7));
        const int32_t active = 5 * perBlock + 3;  // blocks 6 and 7 have no lane
        std::vector<T> sums(24, T(7));
        std::vector<T> maxima(24, T(7));
        for (size_t r = 0; r < 2; ++r) {
            for (size_t b = 0; b < 6; ++b) {
                std::vector<T> block;
                for (size_t k = b * perBlock; k < (b + 1) * perBlock; ++k) {
                    block.push_back(k < static_cast<size_t>(active) ? a[r * lanes + k] : T(0));
                }
                sums[r * 16 + b] = Tree(block);
                T best = block[0];
                for (size_t k = 0; k < perBlock && b * perBlock + k < static_cast<size_t>(active); ++k) {
                    best = block[k] > best ? block[k] : best;
                }
                maxima[r * 16 + b] = best;
            }
        }
        BlockReduceSum(d, x, 2, active, 2, 1, 8);
        Expect("BlockReduceSum", Take(d, 24), sums);
        const auto e = ub.Fill<T>(512, T(7));
        ReduceDataBlock<ReduceType::MAX>(e, x, active, 2, 2, 1, 8);
        Expect("ReduceDataBlock MAX", Take(e, 24), maxima);

        const auto f = ub.Fill<T>(512, T(7));
        std::vector<T> pairs(lanes, T(7));
        for (size_t i = 0; i < lanes; ++i) {
            const size_t r = i / (lanes / 2);
            const size_t k = i % (lanes / 2) * 2;
            const T left = k < static_cast<size_t>(active) ? a[r * lanes + k] : T(0);
            const T right = k + 1 < static_cast<size_t>(active) ? a[r * lanes + k + 1] : T(0);
            if (k < static_cast<size_t>(active)) {
                pairs[i] = Tree<T>({left, right});
            } else if (kC310) {
                pairs[i] = T(0);
            }
        }
        PairReduceSum(f, x, 2, active, 1, 1, 8);
        Expect("PairReduceSum", Take(f, lanes), pairs);
        Barrier();
        RepeatReduceSum(f, x, 2, static_cast<int32_t>(lanes), 1, 1, 1, 8);
        Expect("RepeatReduceSum", Take(f, 2),
               {Tree(std::vector<T>(a.begin(), a.begin() + lanes)),
                Tree(std::vector<T>(a.begin() + lanes, a.begin() + 2 * lanes))});
    });
}

template <typename T>
static void TestTensors()
{
    constexpr size_t lanes = 256 / sizeof(T);
    for (size_t n : {size_t{1}, size_t{9}, lanes, 3 * lanes + 5, size_t{4096}}) {
        Kernel("tensors", [n] {
            Ub ub;
            auto a = Moderate<T>(n);
            if (n > 20) {
                a[n / 2] = a[n / 3];
            }
            const auto x = ub.Put(a);
            const auto d = ub.Fill<T>(64, T(0));
            const auto work = ub.Fill<T>(1024, T(0));
            std::vector<T> sums;
            size_t most = 0;
            size_t least = 0;
            for (size_t i = 0; i < n; ++i) {
                most = a[i] > a[most] ? i : most;
                least = a[i] < a[least] ? i : least;
                if (i % lanes == 0) {
                    std::vector<T> part(a.begin() + i, a.begin() + std::min(n, i + lanes));
                    part.resize(lanes, T(0));
                    sums.push_back(Tree(part));
                }
            }
            T total = sums[0];
            if (kC220) {
                for (size_t i = 1; i < sums.size(); ++i) {
                    total = Tree<T>({total, sums[i]});
                }
            } else {
                while (sums.size() > 1) {
                    std::vector<T> next;
                    for (size_t i = 0; i < sums.size(); i += lanes) {
                        std::vector<T> part(sums.begin() + i, sums.begin() + std::min(sums.size(), i + lanes));
                        part.resize(lanes, T(0));
                        next.push_back(Tree(part));
                    }
                    sums = next;
                }
                total = sums[0];
            }
            if constexpr (sizeof(T) != 2 || kIsFloatType<T>) {
                ReduceSum(d, x, work, static_cast<int32_t>(n));
                Expect("ReduceSum", Take(d, 1), {total});
                ExpectTrue("GetAccVal", Same(GetAccVal<T>(), total));
                Barrier();
            }
            ReduceMax(d, x, work, static_cast<int32_t>(n), true);
            Expect("ReduceMax", Take(d, 2), {a[most], Slot<T>(most)});
            Barrier();
            ReduceMin(d, x, work, static_cast<int32_t>(n), true);
            Expect("ReduceMin", Take(d, 2), {a[least], Slot<T>(least)});
            T value;
            T index;
            GetReduceMaxMinCount(value, index);
            ExpectTrue("GetReduceMaxMinCount", Same(value, a[least]) && Same(index, Slot<T>(least)));
            Barrier();
            ReduceMax(d, x, work, static_cast<int32_t>(n));
            Expect("ReduceMax value", Take(d, 1), {a[most]});
            if (n >= 3 * lanes) {
                Barrier();
                ReduceMin(d, x, work, static_cast<int32_t>(lanes / 2), 3, 8, true);
                least = 0;
                for (size_t i = 0; i < 3 * lanes; ++i) {
                    least = i % lanes < lanes / 2 && a[i] < a[least] ? i : least;
                }
                Expect("ReduceMin mask", Take(d, 2), {a[least], Slot<T>(least)});
            }
        });
    }
}

static void TestNan()
{
    Kernel("NaN", [] {
        Ub ub;
        std::vector<float> a(100, -HUGE_VALF);
        const auto x = ub.Put(a);
        const auto d = ub.Fill<float>(8, 0);
        const auto work = ub.Fill<float>(64, 0);
        ReduceMax(d, x, work, 100, true);
        Expect("all -inf", Take(d, 2), {-HUGE_VALF, 0.0f});
        a[77] = std::nanf("");
        a[90] = std::nanf("");
        const auto y = ub.Put(a);
        Barrier();
        ReduceMax(d, y, work, 100, true);
        Expect("NaN wins", Take(d, 2), {std::nanf(""), Slot<float>(77)});
    });
    ExpectFault("undefined work buffer afterwards", "uninitialised", [] {
        Ub ub;
        const auto x = ub.Fill<float>(256, 1.0f);
        const auto d = ub.Fill<float>(8, 0);
        const auto work = ub.Fill<float>(64, 0);
        ReduceMax(d, x, kC220 ? work : ub.Empty<float>(64), 256);
        float buffer[64] = {};
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(buffer, 64);
        const auto spoiled = kC220 ? work : ub.Empty<float>(64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(gm, spoiled, 64);
        PipeBarrier<PIPE_ALL>();
    });
}

int main()
{
    TestRepeats<half>();
    TestRepeats<float>();
    TestBlocksAndPairs<half>();
    TestBlocksAndPairs<float>();
    TestTensors<half>();
    TestTensors<float>();
    TestNan();
#if __NPU_ARCH__ == 3510
    TestRepeats<int16_t>();
    TestRepeats<uint16_t>();
    TestRepeats<int32_t>();
    TestTensors<int16_t>();
    TestTensors<int32_t>();
    TestTensors<uint32_t>();
    TestTensors<int64_t>();
    Kernel("widening sum", [] {
        Ub ub;
        const auto x = ub.Fill<int16_t>(128, int16_t(30000));
        const auto d = ub.Fill<int32_t>(8, 0);
        WholeReduceSum<int16_t, true, int32_t>(d, x, 128, 1, 1, 1, 8);
        ExpectTrue("int16_t to int32_t", d.Data()[0] == 30000 * 128);
    });
#endif
    return Finish("vector_reduce");
}
