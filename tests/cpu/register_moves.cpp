// Register instructions that move: loads and stores with their distributions, masks, gathers, and what the checked build says
// about them. c310 only.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // on purpose, to see what the checked build says
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "register_test.h"

// What one register holds after load(register, address).
template <typename T, typename Load>
static std::vector<T> Loaded(const std::vector<T>& memory, const Load& load)
{
    Ub ub;
    const auto x = ub.Put(memory);
    const auto d = ub.Fill<T>(kLanesOf<T>, T(7));
    __VEC_SCOPE__
    {
        RegTensor<T> source;
        MaskReg all = CreateMask<T>();
        load(source, Address(x));
        StoreAlign(Address(d), source, all);
    }
    return Take(d, kLanesOf<T>);
}

// What memory of `count` elements holds after store(address, register, mask of `active` lanes).
template <typename T, typename Store>
static std::vector<T> Stored(const std::vector<T>& lanes, size_t count, uint32_t active, const Store& store)
{
    Ub ub;
    const auto x = ub.Put(lanes);
    const auto d = ub.Fill<T>(count, T(7));
    __VEC_SCOPE__
    {
        RegTensor<T> source;
        MaskReg mask = UpdateMask<T>(active);
        LoadAlign(source, Address(x));
        store(Address(d), source, mask);
    }
    return Take(d, count);
}

template <typename T, LoadDist dist>
static void TestLoad(const char* name, const std::function<T(const std::vector<T>&, size_t)>& lane)
{
    const auto memory = Counting<T>(1024);
    const auto got = Loaded<T>(memory, [](auto& reg, T* from) { LoadAlign<T, dist>(reg, from); });
    Expect(name, got, Lanes<T>([&](size_t i) { return lane(memory, i); }));
    const auto again = Loaded<T>(memory, [](auto& reg, T* from) {
        const T* const begin = from;
        LoadAlign<T, PostLiteral::POST_MODE_UPDATE, dist>(reg, from, 64 / sizeof(T));
        ExpectTrue("post update", from == begin + 64 / sizeof(T));
    });
    Expect(name, again, got);
    const auto third =
        Loaded<T>(memory, [](auto& reg, T* from) { LoadAlign<T, dist>(reg, from, CreateAddrReg<T>(3, 128 / sizeof(T))); });
    const std::vector<T> later(memory.begin() + 384 / sizeof(T), memory.end());
    Expect(name, third, Lanes<T>([&](size_t i) { return lane(later, i); }));
}

static void TestLoads()
{
    using V8 = const std::vector<uint8_t>&;
    using V16 = const std::vector<uint16_t>&;
    using V32 = const std::vector<uint32_t>&;
    TestLoad<uint8_t, LoadDist::DIST_NORM>("NORM", [](V8 m, size_t i) { return m[i]; });
    TestLoad<int64_t, LoadDist::DIST_NORM>("NORM", [](const std::vector<int64_t>& m, size_t i) { return m[i]; });
    TestLoad<uint8_t, LoadDist::DIST_BRC_B8>("BRC_B8", [](V8 m, size_t) { return m[0]; });
    TestLoad<uint16_t, LoadDist::DIST_BRC_B16>("BRC_B16", [](V16 m, size_t) { return m[0]; });
    TestLoad<uint32_t, LoadDist::DIST_BRC_B32>("BRC_B32", [](V32 m, size_t) { return m[0]; });
    TestLoad<uint8_t, LoadDist::DIST_US_B8>("US_B8", [](V8 m, size_t i) { return m[i / 2]; });
    TestLoad<uint16_t, LoadDist::DIST_US_B16>("US_B16", [](V16 m, size_t i) { return m[i / 2]; });
    TestLoad<uint8_t, LoadDist::DIST_DS_B8>("DS_B8", [](V8 m, size_t i) { return m[2 * i]; });
    TestLoad<uint16_t, LoadDist::DIST_DS_B16>("DS_B16", [](V16 m, size_t i) { return m[2 * i]; });
    TestLoad<uint8_t, LoadDist::DIST_UNPACK_B8>("UNPACK_B8", [](V8 m, size_t i) { return i % 2 != 0 ? uint8_t(0) : m[i / 2]; });
    TestLoad<uint16_t, LoadDist::DIST_UNPACK_B16>("UNPACK_B16",
                                                  [](V16 m, size_t i) { return i % 2 != 0 ? uint16_t(0) : m[i / 2]; });
    TestLoad<uint32_t, LoadDist::DIST_UNPACK_B32>("UNPACK_B32", [](V32 m, size_t i) { return i % 2 != 0 ? 0u : m[i / 2]; });
    TestLoad<uint8_t, LoadDist::DIST_UNPACK4_B8>("UNPACK4_B8",
                                                 [](V8 m, size_t i) { return i % 4 != 0 ? uint8_t(0) : m[i / 4]; });
    TestLoad<uint32_t, LoadDist::DIST_BLK>("BLK", [](V32 m, size_t i) { return m[i % 8]; });
    TestLoad<uint16_t, LoadDist::DIST_E2B_B16>("E2B_B16", [](V16 m, size_t i) { return m[i / 16]; });
    TestLoad<uint32_t, LoadDist::DIST_E2B_B32>("E2B_B32", [](V32 m, size_t i) { return m[i / 8]; });

    const auto memory = Counting<uint16_t>(256);
    const auto second = Loaded<uint16_t>(memory, [](auto& reg, uint16_t* from) {
        RegTensor<uint16_t> even;
        LoadAlign<uint16_t, LoadDist::DIST_DINTLV_B16>(even, reg, from);
    });
    Expect("DINTLV_B16", second, Lanes<uint16_t>([&](size_t i) { return memory[2 * i + 1]; }));
    const auto blocks = Loaded<uint16_t>(memory, [](auto& reg, uint16_t* from) {
        RegTensor<uint16_t> even;
        DataCopy<uint16_t, LoadDist::DIST_BDINTLV>(even, reg, from);
    });
    Expect("BDINTLV", blocks, Lanes<uint16_t>([&](size_t i) { return memory[i / 16 * 32 + 16 + i % 16]; }));

    // Blocks with a stride of 3; those that are switched off are 0.
    const auto wide = Counting<float>(256);
    const auto strided = Loaded<float>(wide, [](auto& reg, float* from) {
        uint32_t count = 41;
        MaskReg mask = UpdateMask<float>(count);
        LoadAlign<float, DataCopyMode::DATA_BLOCK_COPY>(reg, from, 3, mask);
    });
    Expect("DATA_BLOCK_COPY", strided, Lanes<float>([&](size_t i) { return i < 48 ? wide[i / 8 * 24 + i % 8] : 0.0f; }));
}

static void TestStores()
{
    const auto lanes8 = Counting<uint8_t>(256);
    const auto lanes16 = Counting<uint16_t>(128);
    const auto lanes32 = Counting<uint32_t>(64);
    const auto check = [](const char* name, const auto& got, const auto& wanted) {
        auto all = got;
        for (size_t i = 0; i < all.size(); ++i) {
            all[i] = i < wanted.size() ? wanted[i] : 7;
        }
        Expect(name, got, all);
    };
    const auto first = [](const auto& all, size_t count) {
        return std::decay_t<decltype(all)>(all.begin(), all.begin() + static_cast<long>(count));
    };
    check("NORM_B16", Stored<uint16_t>(lanes16, 200, 100, [](uint16_t* to, auto& reg, MaskReg& m) { StoreAlign(to, reg, m); }),
          first(lanes16, 100));
    check("NORM_B8",
          Stored<uint8_t>(lanes8, 300, 250,
                          [](uint8_t* to, auto& reg, MaskReg& m) { DataCopy<uint8_t, StoreDist::DIST_NORM_B8>(to, reg, m); }),
          first(lanes8, 250));
    check("FIRST_ELEMENT",
          Stored<uint32_t>(lanes32, 64, 0,
                           [](uint32_t* to, auto& reg, MaskReg& m) {
                               StoreAlign<uint32_t, PostLiteral::POST_MODE_UPDATE, StoreDist::DIST_FIRST_ELEMENT_B32>(to, reg,
                                                                                                                      1, m);
                               StoreAlign<uint32_t, StoreDist::DIST_FIRST_ELEMENT_B32>(to, reg, m);
                           }),
          std::vector<uint32_t>{lanes32[0], lanes32[0]});
    // Memory as uint32_t, seen as the narrower elements that the packed store writes.
    std::vector<uint32_t> packed(64, 7);
    for (size_t i = 0; i < 50; ++i) {
        reinterpret_cast<uint16_t*>(packed.data())[i] = static_cast<uint16_t>(lanes32[i]);
    }
    Expect("PACK_B32",
           Stored<uint32_t>(
               lanes32, 64, 50,
               [](uint32_t* to, auto& reg, MaskReg& m) { StoreAlign<uint32_t, StoreDist::DIST_PACK_B32>(to, reg, m); }),
           packed);
    std::vector<uint32_t> quarter(64, 7);
    for (size_t i = 0; i < 63; ++i) {
        reinterpret_cast<uint8_t*>(quarter.data())[i] = static_cast<uint8_t>(lanes32[i]);
    }
    Expect("PACK4_B32",
           Stored<uint32_t>(
               lanes32, 64, 63,
               [](uint32_t* to, auto& reg, MaskReg& m) { StoreAlign<uint32_t, StoreDist::DIST_PACK4_B32>(to, reg, m); }),
           quarter);
    std::vector<uint16_t> bytes(128, 7);
    for (size_t i = 0; i < 128; ++i) {
        reinterpret_cast<uint8_t*>(bytes.data())[i] = static_cast<uint8_t>(lanes16[i]);
    }
    Expect("PACK_B16",
           Stored<uint16_t>(
               lanes16, 128, 128,
               [](uint16_t* to, auto& reg, MaskReg& m) { StoreAlign<uint16_t, StoreDist::DIST_PACK_B16>(to, reg, m); }),
           bytes);
    std::vector<uint32_t> both;
    for (size_t i = 0; i < 64; ++i) {
        both.push_back(lanes32[i]);
        both.push_back(lanes32[i] + 1000);
    }
    check("INTLV_B32",
          Stored<uint32_t>(lanes32, 160, 3,
                           [](uint32_t* to, auto& reg, MaskReg& m) {
                               RegTensor<uint32_t> other;
                               MaskReg all = CreateMask<uint32_t>();
                               Adds(other, reg, 1000, all);
                               StoreAlign<uint32_t, StoreDist::DIST_INTLV_B32>(to, reg, other, m);
                           }),
          both);
    std::vector<uint32_t> blocks(200, 7);
    for (size_t i = 0; i < 61; ++i) {
        blocks[i / 8 * 16 + i % 8] = lanes32[i];
    }
    Expect("DATA_BLOCK_COPY",
           Stored<uint32_t>(lanes32, 200, 61,
                            [](uint32_t* to, auto& reg, MaskReg& m) {
                                StoreAlign<uint32_t, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(to, reg, 2,
                                                                                                                   16, m);
                            }),
           blocks);
}

// Copies by pieces that begin and end anywhere.
static void TestUnaligned()
{
    for (uint32_t step : {64u, 13u, 3u}) {
        const auto memory = Counting<float>(400);
        Ub ub;
        const auto x = ub.Put(memory);
        const auto d = ub.Fill<float>(400, -1);
        const uint32_t pieces = 200 / step;
        __VEC_SCOPE__
        {
            float* from = Address(x) + 5;
            float* to = Address(d) + 3;
            RegTensor<float> reg;
            UnalignRegForLoad in;
            UnalignRegForStore out;
            LoadUnAlignPre(in, from);
            for (uint32_t i = 0; i < pieces; ++i) {
                LoadUnAlign(reg, in, from, step);
                StoreUnAlign(to, reg, out, step);
            }
            StoreUnAlignPost(to, out, 0);
            Load(reg, Address(x) + 1);
            Store(Address(d) + 301, reg, 9);
        }
        std::vector<float> wanted(400, -1);
        std::copy_n(memory.begin() + 5, pieces * step, wanted.begin() + 3);
        std::copy_n(memory.begin() + 1, 9, wanted.begin() + 301);
        Expect("unaligned", Take(d, 400), wanted);
    }
    // With offsets in registers, and a mask at an address of its own.
    const auto memory = Counting<uint32_t>(200);
    Ub ub;
    const auto x = ub.Put(memory);
    const auto d = ub.Fill<uint32_t>(200, 7);
    const auto bits = ub.Fill<uint32_t>(8, 7);
    __VEC_SCOPE__
    {
        uint32_t* from = Address(x) + 3;
        uint32_t* to = Address(d) + 5;
        uint32_t* place = Address(bits) + 2;
        RegTensor<uint32_t> reg;
        UnalignRegForLoad in;
        UnalignRegForStore out, last;
        AddrReg offset;
        for (uint16_t i = 0; i < 3; ++i) {
            offset = CreateAddrReg<uint32_t>(i, 64);
            LoadUnAlignPre(in, from, offset);
            LoadUnAlign(reg, in, from, offset, 0);
            StoreUnAlign(to, reg, out, offset);
        }
        StoreUnAlignPost(to, out, offset);
        MaskReg mask = CreateMask<uint32_t, MaskPattern::M3>();
        StoreUnAlign(place, mask, last);
        StoreUnAlign(place, mask, last);
        ExpectTrue("a mask goes on", place == Address(bits) + 6);
        StoreUnAlignPost(place, last, 0);
    }
    std::vector<uint32_t> wanted(200, 7);
    std::copy_n(memory.begin() + 3, 192, wanted.begin() + 5);
    Expect("unaligned by AddrReg", Take(d, 200), wanted);
    const uint64_t third = 0x9249249249249249u;
    const uint32_t low = static_cast<uint32_t>(third), high = static_cast<uint32_t>(third >> 32);
    Expect("unaligned masks", Take(bits, 8), std::vector<uint32_t>{7, 7, low, high, low, high, 7, 7});
}

// Where a mask of T is on: seen as a register of ones and zeros.
template <typename T, typename Make>
static std::vector<T> MaskLanes(const Make& make)
{
    Ub ub;
    const auto d = ub.Fill<T>(kLanesOf<T>, T(7));
    __VEC_SCOPE__
    {
        RegTensor<T> one, zero, shown;
        MaskReg all = CreateMask<T>();
        Duplicate(one, 1);
        Duplicate(zero, 0);
        MaskReg mask = make();
        Select(shown, one, zero, mask);
        StoreAlign(Address(d), shown, all);
    }
    return Take(d, kLanesOf<T>);
}

template <typename T, typename Make>
static void TestMask(const char* name, const Make& make, const std::function<bool(size_t)>& on)
{
    Expect(name, MaskLanes<T>(make), Lanes<T>([&](size_t i) { return static_cast<T>(on(i)); }));
}

template <typename T>
static void TestPatterns()
{
    const size_t lanes = kLanesOf<T>;
    TestMask<T>("ALL", [] { return CreateMask<T>(); }, [](size_t) { return true; });
    TestMask<T>("ALLF", [] { return CreateMask<T, MaskPattern::ALLF>(); }, [](size_t) { return false; });
    TestMask<T>("VL3", [] { return CreateMask<T, MaskPattern::VL3>(); }, [](size_t i) { return i < 3; });
    TestMask<T>("VL16", [] { return CreateMask<T, MaskPattern::VL16>(); }, [](size_t i) { return i < 16; });
    TestMask<T>("VL128", [] { return CreateMask<T, MaskPattern::VL128>(); }, [](size_t i) { return i < 128; });
    TestMask<T>("M3", [] { return CreateMask<T, MaskPattern::M3>(); }, [](size_t i) { return i % 3 == 0; });
    TestMask<T>("M4", [] { return CreateMask<T, MaskPattern::M4>(); }, [](size_t i) { return i % 4 == 0; });
    TestMask<T>("H", [] { return CreateMask<T, MaskPattern::H>(); }, [&](size_t i) { return i < lanes / 2; });
    TestMask<T>("Q", [] { return CreateMask<T, MaskPattern::Q>(); }, [&](size_t i) { return i < lanes / 4; });
    TestMask<T>(
        "UpdateMask",
        [&] {
            uint32_t left = static_cast<uint32_t>(lanes) + 5;
            UpdateMask<T>(left);
            ExpectTrue("what is left", left == 5);
            MaskReg mask = UpdateMask<T>(left);
            ExpectTrue("nothing is left", left == 0);
            return mask;
        },
        [](size_t i) { return i < 5; });
}

static void TestMasks()
{
    TestPatterns<uint8_t>();
    TestPatterns<int16_t>();
    TestPatterns<uint32_t>();
    TestPatterns<int64_t>();
    const auto third = [] { return CreateMask<uint32_t, MaskPattern::M3>(); };
    const auto fourth = [] { return CreateMask<uint32_t, MaskPattern::M4>(); };
    const auto logic = [&](auto run, const char* name, const std::function<bool(bool, bool)>& on) {
        TestMask<uint32_t>(
            name,
            [&] {
                MaskReg a = third(), b = fourth(), m = CreateMask<uint32_t, MaskPattern::VL32>(), d;
                run(d, a, b, m);
                return d;
            },
            [&](size_t i) { return i < 32 && on(i % 3 == 0, i % 4 == 0); });
    };
    logic([](auto& d, auto& a, auto& b, auto& m) { Reg::And(d, a, b, m); }, "And", [](bool a, bool b) { return a && b; });
    logic([](auto& d, auto& a, auto& b, auto& m) { Reg::Or(d, a, b, m); }, "Or", [](bool a, bool b) { return a || b; });
    logic([](auto& d, auto& a, auto& b, auto& m) { MicroAPI::MaskXor(d, a, b, m); }, "Xor",
          [](bool a, bool b) { return a != b; });
    logic([](auto& d, auto& a, auto&, auto& m) { Reg::Not(d, a, m); }, "Not", [](bool a, bool) { return !a; });
    logic([](auto& d, auto& a, auto&, auto& m) { Reg::Move(d, a, m); }, "Move", [](bool a, bool) { return a; });
    TestMask<uint32_t>(
        "Select",
        [&] {
            MaskReg a = third(), b = fourth(), m = CreateMask<uint32_t, MaskPattern::VL32>(), d;
            Reg::Select(d, a, b, m);
            return d;
        },
        [](size_t i) { return i < 32 ? i % 3 == 0 : i % 4 == 0; });
    TestMask<uint16_t>(
        "Interleave",
        [] {
            MaskReg a = CreateMask<uint16_t, MaskPattern::M3>(), b = CreateMask<uint16_t, MaskPattern::M4>(), low, high;
            Reg::Interleave<uint16_t>(low, high, a, b);
            return high;
        },
        [](size_t i) { return i % 2 == 0 ? (64 + i / 2) % 3 == 0 : (64 + i / 2) % 4 == 0; });
    TestMask<uint16_t>(
        "DeInterleave",
        [] {
            MaskReg a = CreateMask<uint16_t, MaskPattern::M3>(), b = CreateMask<uint16_t, MaskPattern::M4>(), even, odd;
            Reg::DeInterleave<uint16_t>(even, odd, a, b);
            return odd;
        },
        [](size_t i) { return i < 64 ? (2 * i + 1) % 3 == 0 : (2 * (i - 64) + 1) % 4 == 0; });
    TestMask<uint16_t>(
        "Pack",
        [&] {  // of 32-bit lanes to 16-bit ones
            MaskReg a = third(), d;
            Reg::Pack<HighLowPart::HIGHEST>(d, a);
            return d;
        },
        [](size_t i) { return i >= 64 && (i - 64) % 3 == 0; });
    TestMask<uint32_t>(
        "UnPack",
        [] {  // of 16-bit lanes to 32-bit ones
            MaskReg a = CreateMask<uint16_t, MaskPattern::M3>(), d;
            Reg::UnPack<HighLowPart::HIGHEST>(d, a);
            return d;
        },
        [](size_t i) { return (64 + i) % 3 == 0; });
    TestMask<uint32_t>(
        "MoveMask",
        [] {
            SetVectorMask<uint32_t>(0, 0xf0f0);
            MaskReg mask = MoveMask<uint32_t>();
            ResetMask();
            return mask;
        },
        [](size_t i) { return i < 16 && i % 8 >= 4; });
    TestMask<uint32_t>(
        "MaskGenWithRegTensor",
        [] {
            RegTensor<uint32_t> bits;
            Arange((RegTensor<int32_t>&)bits, 0x1234);
            MaskReg mask;
            MaskGenWithRegTensor<uint32_t, 3>(mask, bits);
            return mask;
        },
        [](size_t i) { return ((i < 32 ? 0x123au >> i : 0x123bu >> (i - 32)) & 1) != 0; });

    // In memory: one bit per byte of the register.
    Ub ub;
    const auto memory = ub.Put(Inputs<uint8_t>(96));
    const auto out = ub.Fill<uint8_t>(96, 7);
    const auto shown = ub.Fill<uint8_t>(512, 7);
    __VEC_SCOPE__
    {
        MaskReg plain, doubled, halved, all = CreateMask<uint8_t>();
        LoadAlign(plain, Address(memory));
        uint8_t* to = Address(out);
        StoreAlign<uint8_t, PostLiteral::POST_MODE_UPDATE>(to, plain, 32);
        StoreAlign<uint8_t, MaskDist::DIST_PACK>(to, plain);
        LoadAlign<uint8_t, MaskDist::DIST_US>(doubled, Address(memory));
        LoadAlign<uint8_t, MaskDist::DIST_DS>(halved, Address(memory));
        RegTensor<uint8_t> one, zero, result;
        Duplicate(one, 1);
        Duplicate(zero, 0);
        Select(result, one, zero, doubled);
        StoreAlign(Address(shown), result, all);
        Select(result, one, zero, halved);
        StoreAlign(Address(shown) + 256, result, all);
    }
    const auto bytes = Take(memory, 96);
    const auto bit = [&](size_t i) { return bytes[i / 8] >> (i % 8) & 1; };
    std::vector<uint8_t> wanted(bytes.begin(), bytes.begin() + 32), lanes;
    for (size_t i = 0; i < 16; ++i) {
        int byte = 0;
        for (size_t k = 0; k < 8; ++k) {
            byte |= bit(2 * (8 * i + k)) << k;
        }
        wanted.push_back(static_cast<uint8_t>(byte));
    }
    for (size_t i = 0; i < 512; ++i) {
        lanes.push_back(static_cast<uint8_t>(bit(i < 256 ? i / 2 : 2 * (i - 256))));
    }
    Expect("masks in memory", Take(out, 48), wanted);
    Expect("masks from memory", Take(shown, 512), lanes);
}

// ---- gathers ---------------------------------------------------------------------------------------------------------

static void TestGathers()
{
    const auto memory = Counting<float>(512);
    std::vector<uint32_t> index(64), offsets(64, 0);
    for (uint32_t i = 0; i < 64; ++i) {
        index[i] = i * 37 % 512;
        offsets[i] = i < 8 ? (i * 5 % 64) * 32 : ~0u;
    }
    Ub ub;
    const auto x = ub.Put(memory);
    const auto at = ub.Put(index);
    const auto blocks = ub.Put(offsets);
    const auto d = ub.Fill<float>(64, -1);
    const auto e = ub.Fill<float>(64, -1);
    const auto f = ub.Fill<float>(512, -1);
    const auto g = ub.Fill<float>(64, -1);
    const auto bytes = ub.Put(Counting<int8_t>(256));
    const auto h = ub.Fill<int16_t>(128, -1);
    __VEC_SCOPE__
    {
        RegTensor<float> value, row, small;
        RegTensor<uint32_t> where, begin;
        MaskReg all = CreateMask<float>(), some = CreateMask<float, MaskPattern::VL32>(),
                few = CreateMask<float, MaskPattern::VL4>();
        LoadAlign(where, Address(at));
        LoadAlign(begin, Address(blocks));
        Gather(value, Address(x), where, some);
        StoreAlign(Address(d), value, all);
        GatherB(row, Address(x), begin, few);
        StoreAlign(Address(e), row, all);
        LoadAlign(value, Address(x));
        Scatter(Address(f), value, where, some);
        Gather(small, value, where);
        StoreAlign(Address(g), small, all);
        RegTensor<int16_t> widened;
        RegTensor<uint16_t> every;
        MaskReg words = CreateMask<int16_t>();
        Arange((RegTensor<int16_t>&)every, 100);
        Gather(widened, Address(bytes), every, words);
        StoreAlign(Address(h), widened, words);
    }
    std::vector<float> scattered(512, -1);
    for (size_t i = 0; i < 32; ++i) {
        scattered[index[i]] = memory[i];
    }
    Expect("Gather", Take(d, 64), Lanes<float>([&](size_t i) { return i < 32 ? memory[index[i]] : 0.0f; }));
    Expect("GatherB", Take(e, 64), Lanes<float>([&](size_t i) { return i < 32 ? memory[offsets[i / 8] / 4 + i % 8] : 0.0f; }));
    Expect("Scatter", Take(f, 512), scattered);
    Expect("Gather of a register", Take(g, 64), Lanes<float>([&](size_t i) { return memory[index[i] % 64]; }));
    const auto narrow = Counting<int8_t>(256);
    Expect("Gather of bytes", Take(h, 128),
           Lanes<int16_t>([&](size_t i) { return static_cast<int16_t>(static_cast<uint8_t>(narrow[100 + i])); }));
}

// ---- faults ----------------------------------------------------------------------------------------------------------

__simd_vf__ inline void Twice(__ubuf__ float* to, __ubuf__ float* from, uint32_t count, uint16_t times)
{
    RegTensor<float> value;
    MaskReg mask;
    for (uint16_t i = 0; i < times; ++i) {
        mask = UpdateMask<float>(count);
        LoadAlign(value, from + i * 64);
        Add(value, value, value, mask);
        StoreAlign(to + i * 64, value, mask);
    }
}

static void TestFaults()
{
    Kernel("a function, its tail", [&] {
        Ub ub;
        const auto x = ub.Fill<float>(200, 1.5f);
        const auto d = ub.Empty<float>(200);
        asc_vf_call<Twice>(Address(d), Address(x), 200, 4);
        StoreToGlobal(d, 200);
        Expect("Twice", Take(d, 200), std::vector<float>(200, 3.0f));
    });
    ExpectFault("a store beyond the tensor",
                "StoreAlign writes UB [1024, 1056), which reaches 24 bytes beyond the end of its tensor", [] {
                    Ub ub;
                    const auto x = ub.Fill<float>(128, 1);
                    const auto d = ub.Fill<float>(130, 1);
                    VF_CALL<Twice>(Address(d), Address(x), 136, 3);
                });
    ExpectFault("a load that begins beyond the tensor", "in no tensor whose address the kernel has taken", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1);
        RegTensor<float> value;
        __VEC_SCOPE__
        {
            LoadAlign(value, Address(x) + 64);
        }
    });
    ExpectFault("alignment", "alignment", [] {
        Ub ub;
        const auto x = ub.Fill<float>(128, 1);
        RegTensor<float> value;
        __VEC_SCOPE__
        {
            LoadAlign(value, Address(x) + 4);
        }
    });
    ExpectFault("lanes beyond the tensor are undefined", "uninitialised", [&] {
        Ub ub;
        const auto x = ub.Fill<float>(60, 1);
        const auto d = ub.Empty<float>(64);
        asc_vf_call<Twice>(Address(d), Address(x), 64, 1);
        StoreToGlobal(d, 64);
    });
    ExpectFault("lanes that were never written", "uninitialised", [&] {
        Ub ub;
        const auto d = ub.Empty<float>(64);
        __VEC_SCOPE__
        {
            RegTensor<float> value;
            MaskReg all = CreateMask<float>();
            MaskReg some = CreateMask<float, MaskPattern::H>();
            Duplicate<float, MaskMergeMode::MERGING>(value, 1.0f, some);
            StoreAlign(Address(d), value, all);
        }
        StoreToGlobal(d, 64);
    });
    Kernel("lanes that were never written but are switched off", [&] {
        Ub ub;
        const auto d = ub.Empty<float>(64);
        __VEC_SCOPE__
        {
            RegTensor<float> value;
            MaskReg some = CreateMask<float, MaskPattern::H>();
            Add(value, value, value, some);
            Duplicate(value, 1.0f, some);
            StoreAlign(Address(d), value, some);
        }
        StoreToGlobal(d, 32);
    });
    ExpectFault("a comparison of undefined lanes", "uninitialised", [&] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1);
        const auto d = ub.Empty<float>(64);
        __VEC_SCOPE__
        {
            RegTensor<float> value, undefined, result;
            MaskReg all = CreateMask<float>(), chosen;
            LoadAlign(value, Address(x));
            Compare(chosen, value, undefined, all);
            Select(result, value, value, chosen);
            StoreAlign(Address(d), result, all);
        }
        StoreToGlobal(d, 64);
    });
    const auto copy_twice = [](auto between) {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1);
        const auto d = ub.Fill<float>(64, 2);
        __VEC_SCOPE__
        {
            RegTensor<float> value, again;
            MaskReg all = CreateMask<float>();
            LoadAlign(value, Address(x));
            StoreAlign(Address(d), value, all);
            between();
            LoadAlign(again, Address(d));
        }
    };
    ExpectFault("a load that overtakes a store", "put LocalMemBar", [&] { copy_twice([] {}); });
    Kernel("a load behind a barrier", [&] { copy_twice([] { LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>(); }); });
    ExpectFault("an index that is undefined", "lane 0 of the indices has never been written", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1);
        __VEC_SCOPE__
        {
            RegTensor<float> value;
            RegTensor<uint32_t> index;
            std::memset(static_cast<void*>(index.lane), 0, sizeof index.lane);
            MaskReg one = CreateMask<float, MaskPattern::VL1>();
            Gather(value, Address(x), index, one);
        }
    });
    ExpectFault("an index outside of the tensor", "bounds", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1);
        const auto y = ub.Fill<float>(64, 1);
        Address(y);
        __VEC_SCOPE__
        {
            RegTensor<float> value;
            RegTensor<uint32_t> index;
            Duplicate(index, 64);
            MaskReg one = CreateMask<float, MaskPattern::VL1>();
            Gather(value, Address(x), index, one);
        }
    });
    ExpectFault("no vector function", "put it into __VEC_SCOPE__ or asc_vf_call", [] {
        Ub ub;
        const auto x = ub.Fill<float>(64, 1);
        RegTensor<float> value;
        LoadAlign(value, Address(x));
    });
    ExpectFault("an unprepared load", "LoadUnAlignPre comes first", [] {
        Ub ub;
        const auto x = ub.Fill<float>(128, 1);
        __VEC_SCOPE__
        {
            RegTensor<float> value;
            UnalignRegForLoad ureg;
            LoadUnAlign(value, ureg, Address(x));
        }
    });
    ExpectFault("a race with the copy before", "race", [] {
        Ub ub;
        const auto x = ub.Empty<float>(64);
        const auto d = ub.Empty<float>(64);
        float buffer[64] = {};
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(buffer, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(x, gm, 64);
        asc_vf_call<Twice>(Address(d), Address(x), 64, 1);
    });
}

int main()
{
    Kernel("loads", [] { TestLoads(); });
    Kernel("stores", [] { TestStores(); });
    Kernel("unaligned", [] { TestUnaligned(); });
    Kernel("masks", [] { TestMasks(); });
    Kernel("gathers", [] { TestGathers(); });
    TestFaults();
    return Finish("register_moves");
}
