// Duplicate, CreateVecIndex, Brcb, Copy, Gather, Gatherb, Scatter, GatherMask, Interleave, Transpose, TransDataTo5HD.
#include "vector_test.h"

template <typename T>
static void TestFills()
{
    Kernel("fills", [] {
        Ub ub;
        constexpr size_t lanes = 256 / sizeof(T);
        const auto old = Inputs<T>(1500);
        const auto d = ub.Put(old);
        Duplicate(d, T(5), 333);
        std::vector<T> wanted = old;
        std::fill(wanted.begin(), wanted.begin() + 333, T(5));
        Expect("Duplicate", Take(d, 1500), wanted);
        if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
            const auto e = ub.Put(old);
            uint64_t mask[2] = {0x123456789abcdef0u, lanes == 128 ? 0xf0f0f0f0f0f0f0f0u : 0u};
            Duplicate(e, T(9), mask, 2, 2, 17);
            Barrier();
            Duplicate(e, T(7), static_cast<uint64_t>(5), 1, 1, 8);
            wanted = old;
            for (size_t i = 0; i < 2 * lanes; ++i) {
                if (MaskBit(mask, i % lanes)) {
                    wanted[At<T>(i / lanes, i % lanes, 2, 17)] = T(9);
                }
            }
            std::fill(wanted.begin(), wanted.begin() + 5, T(7));
            Expect("Duplicate strided", Take(e, 1500), wanted);

            const auto source = ub.Put(Inputs<T>(16));
            const auto blocks = ub.Put(old);
            Brcb(blocks, source, 2, {2, 16});
            wanted = old;
            for (size_t k = 0; k < 16; ++k) {
                for (size_t i = 0; i < 32 / sizeof(T); ++i) {
                    wanted[(k / 8 * 16 + k % 8 * 2) * (32 / sizeof(T)) + i] = source.Data()[k];
                }
            }
            Expect("Brcb", Take(blocks, 1500), wanted);

            const auto copy = ub.Put(old);
            const auto from = ub.Put(Inputs<T>(1500, 1));
            Copy(copy, from, static_cast<uint64_t>(lanes - 1), 3, {1, 2, 9, 16});
            wanted = old;
            for (size_t r = 0; r < 3; ++r) {
                for (size_t k = 0; k < lanes - 1; ++k) {
                    wanted[At<T>(r, k, 1, 9)] = from.Data()[At<T>(r, k, 2, 16)];
                }
            }
            Expect("Copy", Take(copy, 1500), wanted);
        }
    });
}

template <typename T>
static void TestIndex()
{
    Kernel("CreateVecIndex", [] {
        Ub ub;
        auto d = ub.Empty<T>(700);
        CreateVecIndex(d, T(3), 700u);
        std::vector<T> wanted;
        for (int i = 0; i < 700; ++i) {
            if constexpr (kIsFloatType<T>) {
                wanted.push_back(Nearest<T>(3 + i));
            } else {
                wanted.push_back(Wrapped<T>(3 + i));
            }
        }
        Expect("CreateVecIndex", Take(d, 700), wanted);
        if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
            constexpr size_t lanes = 256 / sizeof(T);
            auto e = ub.Fill<T>(700, T(0));
            CreateVecIndex(e, T(1), static_cast<uint64_t>(lanes), 2, 1, 8);
            ExpectTrue("CreateVecIndex strided", Value(e.Data()[0]) == 1 && Value(e.Data()[2 * lanes - 1]) == 2.0 * lanes &&
                                                     Value(e.Data()[2 * lanes]) == 0);
        }
    });
}

template <typename T>
static void TestGather()
{
    Kernel("Gather", [] {
        Ub ub;
        constexpr size_t lanes = 256 / sizeof(T);
        const auto a = Inputs<T>(500);
        std::vector<uint32_t> offsets;
        for (int i = 0; i < 500; ++i) {
            offsets.push_back(static_cast<uint32_t>(Random() % 490 * sizeof(T)));
        }
        const auto x = ub.Put(a);
        const auto o = ub.Put(offsets);
        const auto old = Inputs<T>(500, 1);
        const auto d = ub.Put(old);
        Gather(d, x, o, static_cast<uint32_t>(8 * sizeof(T)), 333u);
        std::vector<T> wanted = old;
        for (int i = 0; i < 333; ++i) {
            wanted[i] = a[8 + offsets[i] / sizeof(T)];
        }
        Expect("Gather", Take(d, 500), wanted);
        const auto e = ub.Put(old);
        Gather(e, x, o, 0u, static_cast<uint64_t>(lanes - 2), 2, 9);
        wanted = old;
        for (size_t r = 0; r < 2; ++r) {
            for (size_t k = 0; k < lanes - 2; ++k) {
                wanted[At<T>(r, k, 1, 9)] = a[offsets[r * lanes + k] / sizeof(T)];
            }
        }
        Expect("Gather strided", Take(e, 500), wanted);
        ExpectTrue("definedness is gathered", cpu::IsDefined(d.Data(), 333 * sizeof(T)));

        uint64_t kept = 0;
        for (uint8_t pattern = 1; pattern <= 7; ++pattern) {
            Barrier();
            GatherMask(d, x, pattern, false, 0, {1, 2, 8, 0}, kept);
            std::vector<T> packed;
            for (size_t i = 0; i < 2 * lanes; ++i) {
                const bool take = pattern == 7 || (pattern == 1 && i % 2 == 0) || (pattern == 2 && i % 2 == 1) ||
                                  (pattern > 2 && pattern < 7 && i % 4 == pattern - 3u);
                if (take) {
                    packed.push_back(a[i]);
                }
            }
            ExpectTrue("rsvdCnt", kept == packed.size());
            Expect("GatherMask pattern", Take(d, packed.size()), packed);
        }
        using P = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
        const auto bits = ub.Put(Inputs<P>(64));
        Barrier();
        SetMaskCount();
        GatherMask(d, x, bits, true, 50, {1, 3, 8, 1}, kept);
        std::vector<T> packed;
        for (size_t i = 0; i < 150; ++i) {
            const size_t k = i % 50;
            const auto* bytes = reinterpret_cast<const uint8_t*>(bits.Data()) + i / 50 * 32;
            if ((bytes[k / 8] >> k % 8 & 1) != 0) {
                packed.push_back(a[i / 50 * lanes + k]);
            }
        }
        ExpectTrue("rsvdCnt of a tensor", kept == packed.size() && !cpu::CurrentBlock().mask.counter);
        Expect("GatherMask tensor", Take(d, packed.size()), packed);
    });
}

static void TestBlocks()
{
    Kernel("blocks", [] {
        Ub ub;
        const auto a = Inputs<uint32_t>(256);
        const auto x = ub.Put(a);
        std::vector<uint32_t> offsets;
        for (int i = 0; i < 16; ++i) {
            offsets.push_back(static_cast<uint32_t>(Random() % 32 * 32));
        }
        const auto o = ub.Put(offsets);
        const auto d = ub.Empty<uint32_t>(128);
        Gatherb(d, x, o, 2, {1, 8});
        std::vector<uint32_t> wanted;
        for (int i = 0; i < 128; ++i) {
            wanted.push_back(a[offsets[i / 8] / 4 + i % 8]);
        }
        Expect("Gatherb", Take(d, 128), wanted);

        const auto m = Inputs<half>(256);
        const auto t = ub.Put(m);
        Transpose(t, t);
        std::vector<half> turned;
        for (int i = 0; i < 256; ++i) {
            turned.push_back(m[i % 16 * 16 + i / 16]);
        }
        Expect("Transpose", Take(t, 256), turned);

        const auto n = Inputs<float>(2 * 3 * 20);
        const auto p = ub.Put(n);
        const auto q = ub.Empty<float>(120);
        const auto work = ub.Fill<uint8_t>(32, 0);
        Transpose(q, p, work, {2, 3, 4, 5, TransposeType::TRANSPOSE_NCHW2NHWC});
        std::vector<float> last;
        for (int i = 0; i < 120; ++i) {
            last.push_back(n[i / 60 * 60 + i % 3 * 20 + i % 60 / 3]);
        }
        Expect("Transpose NCHW2NHWC", Take(q, 120), last);
    });
}

template <typename T>
static void TestTransData(bool dstHigh, bool srcHigh)
{
    Kernel("TransDataTo5HD", [=] {
        Ub ub;
        constexpr size_t perBlock = 32 / sizeof(T);
        const auto a = Inputs<T>(16 * perBlock * 2);
        const auto x = ub.Put(a);
        std::vector<T> wanted(16 * perBlock * 2, T(1));
        const auto d = ub.Put(wanted);
        LocalTensor<T> to[16];
        LocalTensor<T> from[16];
        for (size_t i = 0; i < 16; ++i) {
            to[i] = d[static_cast<uint32_t>(i * perBlock)];
            from[i] = x[static_cast<uint32_t>(i * perBlock)];
        }
        TransDataTo5HD<T>(to, from, {dstHigh, srcHigh, 2, 16, 16});
        for (size_t r = 0; r < 2; ++r) {
            const size_t base = r * 16 * perBlock;
            for (size_t i = 0; i < 16; ++i) {
                for (size_t j = 0; j < perBlock; ++j) {
                    if (sizeof(T) == 2) {
                        wanted[base + i * perBlock + j] = a[base + j * perBlock + i];
                    } else if (sizeof(T) == 4) {
                        wanted[base + i * perBlock + j] = a[base + (i % 2 * 8 + j) * perBlock + i / 2];
                    } else if (j < 16) {
                        wanted[base + i * perBlock + (dstHigh ? 16 : 0) + j] = a[base + j * perBlock + (srcHigh ? 16 : 0) + i];
                    }
                }
            }
        }
        Expect("TransDataTo5HD", Take(d, wanted.size()), wanted);
    });
}

template <typename T>
static void TestInterleave()
{
    Kernel("Interleave", [] {
        Ub ub;
        const auto a = Inputs<T>(64);
        const auto b = Inputs<T>(64, 1);
        const auto x = ub.Put(a);
        const auto y = ub.Put(b);
        const auto low = ub.Empty<T>(64);
        const auto high = ub.Empty<T>(64);
        Interleave(low, high, x, y, 64);
        std::vector<T> first;
        std::vector<T> second;
        for (int i = 0; i < 64; ++i) {
            first.push_back(i % 2 == 0 ? a[i / 2] : b[i / 2]);
            second.push_back(i % 2 == 0 ? a[32 + i / 2] : b[32 + i / 2]);
        }
        Expect("Interleave low", Take(low, 64), first);
        Expect("Interleave high", Take(high, 64), second);
        const auto even = ub.Empty<T>(64);
        const auto odd = ub.Empty<T>(64);
        Barrier();
        DeInterleave(even, odd, low, high, 64);
        Expect("DeInterleave even", Take(even, 64), a);
        Expect("DeInterleave odd", Take(odd, 64), b);
        Barrier();
        DeInterleave(even, odd, low, 64);
        Expect("DeInterleave one", Take(even, 32), std::vector<T>(a.begin(), a.begin() + 32));
    });
}

int main()
{
    TestFills<half>();
    TestFills<float>();
    TestFills<bfloat16_t>();
    TestFills<uint16_t>();
    TestFills<int32_t>();
    TestIndex<half>();
    TestIndex<float>();
    TestIndex<int16_t>();
    TestIndex<int32_t>();
    TestGather<half>();
    TestGather<float>();
    TestGather<int32_t>();
    TestBlocks();
    TestTransData<half>(false, false);
    TestTransData<float>(false, false);
    TestTransData<int8_t>(false, true);
    TestTransData<int8_t>(true, false);
    TestInterleave<float>();
    TestInterleave<int16_t>();
#if __NPU_ARCH__ == 3510
    TestFills<int8_t>();
    TestFills<int64_t>();
    TestIndex<int8_t>();
    TestIndex<int64_t>();
    Kernel("c310", [] {
        Ub ub;
        const auto x = ub.Put(Inputs<float>(100));
        const auto d = ub.Empty<float>(100);
        Duplicate(d, x[8], 100);
        Expect("Duplicate first element", Take(d, 100), std::vector<float>(100, x.Data()[8]));
        Copy(d, x, 100u);
        Expect("Copy count", Take(d, 100), Take(x, 100));
        std::vector<uint32_t> offsets;
        for (uint32_t i = 0; i < 100; ++i) {
            offsets.push_back((99 - i) * 4);
        }
        const auto o = ub.Put(offsets);
        Scatter(d, x, o, 0u, 100u);
        std::vector<float> reversed;
        for (int i = 0; i < 100; ++i) {
            reversed.push_back(x.Data()[99 - i]);
        }
        Expect("Scatter", Take(d, 100), reversed);
    });
#endif
    ExpectFault("Gather outside", "bounds", [] {
        Ub ub;
        const auto x = ub.Fill<float>(32, 1.0f);
        const auto o = ub.Fill<uint32_t>(8, 128);
        const auto d = ub.Fill<float>(8, 0.0f);
        Gather(d, x, o, 0u, 8u);
    });
    ExpectFault("Gather misaligned", "alignment", [] {
        Ub ub;
        const auto x = ub.Fill<float>(32, 1.0f);
        const auto o = ub.Fill<uint32_t>(8, 3);
        const auto d = ub.Fill<float>(8, 0.0f);
        Gather(d, x, o, 0u, 8u);
    });
    return Finish("vector_moves");
}
