// DataCopy and DataCopyPad: units, gaps, padding, loop mode, atomic modes.
#include <numeric>

#include "core_test.h"

using namespace AscendC;

static std::vector<float> Numbers(size_t n)
{
    std::vector<float> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    return numbers;
}

template <typename T>
static GlobalTensor<T> Global(std::vector<T>& data)
{
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data.data(), data.size());
    return tensor;
}

static void Fill(const LocalTensor<float>& tensor, float value)
{
    for (uint32_t i = 0; i < tensor.GetSize(); ++i) {
        tensor.SetValue(i, value);
    }
    SetFlag<HardEvent::S_MTE2>(0);
    WaitFlag<HardEvent::S_MTE2>(0);
}

template <HardEvent event>
static void Sync()
{
    SetFlag<event>(0);
    WaitFlag<event>(0);
}

static void CountForm()
{
    std::vector<float> src = Numbers(100), dst(100, -1.0f);
    ExpectClean("DataCopy count", 1, [&] {
        LocalTensor<float> tile(TPosition::VECCALC, 0, 104);
        LocalTensor<float> other(TPosition::VECCALC, 1024, 104);
        DataCopy(tile, Global(src), 100u);  // 400 bytes, of which 384 are whole blocks
        Sync<HardEvent::MTE2_V>();
        DataCopy(other, tile, 96u);
        Sync<HardEvent::V_MTE3>();
        DataCopy(Global(dst), other, 95u);  // 88 elements
    });
    for (size_t i = 0; i < 100; ++i) {
        CHECK(dst[i] == (i < 88 ? src[i] : -1.0f));
    }
}

static void BlockForm()
{
    std::vector<float> src = Numbers(200), dst(200, -1.0f);
    ExpectClean("DataCopy params", 1, [&] {
        LocalTensor<float> tile(TPosition::VECIN, 0, 200);
        DataCopy(tile, Global(src), DataCopyParams(3, 2, 1, 2));  // 16 elements, 8 skipped in GM, 16 in UB
        Sync<HardEvent::MTE2_MTE3>();
        DataCopyParams out;
        out.blockCount = 3;
        out.blockLen = 2;
        out.srcStride = 2;
        out.dstStride = 0;
        DataCopy(Global(dst), tile, out);
    });
    for (size_t row = 0; row < 3; ++row) {
        for (size_t i = 0; i < 16; ++i) {
            CHECK(dst[row * 16 + i] == src[row * 24 + i]);
        }
    }
    CHECK(dst[48] == -1.0f);
}

static void PadForm()
{
    std::vector<float> src = Numbers(200), dst(200, -1.0f);
    std::vector<float> seen(64);
    ExpectClean("DataCopyPad", 1, [&] {
        LocalTensor<float> tile(TPosition::VECIN, 0, 64);
        Fill(tile, 99.0f);
        // 2 rows of 5 elements, 3 skipped in GM; in UB: 1 left, 5 data, 1 right, 1 fill = 1 block, then 1 block of gap.
        DataCopyPad(tile, Global(src)[1], DataCopyExtParams{2, 20, 12, 1, 0}, DataCopyPadExtParams<float>{true, 1, 1, 7.0f});
        Sync<HardEvent::MTE2_S>();
        for (uint32_t i = 0; i < 64; ++i) {
            seen[i] = tile.GetValue(i);
        }
        Sync<HardEvent::MTE2_MTE3>();
        DataCopyPad(Global(dst)[3], tile, DataCopyExtParams{2, 28, 1, 8, 0});
    });
    const float row0[8] = {7, 1, 2, 3, 4, 5, 7, 7};
    const float row1[8] = {7, 9, 10, 11, 12, 13, 7, 7};
    for (size_t i = 0; i < 8; ++i) {
        CHECK(seen[i] == row0[i]);
        CHECK(seen[i + 8] == 99.0f);
        CHECK(seen[i + 16] == row1[i]);
    }
    for (size_t i = 0; i < 7; ++i) {
        CHECK(dst[3 + i] == row0[i]);
        CHECK(dst[3 + 9 + i] == row1[i]);
    }
    CHECK(dst[10] == -1.0f && dst[11] == -1.0f && dst[2] == -1.0f && dst[19] == -1.0f);
}

static void OlderPadForm()
{
    std::vector<int16_t> src(64), dst(64, -1);
    std::iota(src.begin(), src.end(), int16_t{0});
    ExpectClean("DataCopyPad with DataCopyParams", 1, [&] {
        LocalTensor<int16_t> tile(TPosition::VECIN, 0, 64);
        DataCopyPad(tile, Global(src), DataCopyParams{2, 6, 2, 0}, DataCopyPadParams{true, 0, 1, 42});
        Sync<HardEvent::MTE2_MTE3>();
        DataCopyPad(Global(dst), tile, DataCopyParams{2, 8, 0, 0});
    });
    const int16_t expected[8] = {0, 1, 2, 42, 4, 5, 6, 42};
    for (size_t i = 0; i < 8; ++i) {
        CHECK(dst[i] == expected[i]);
    }
    CHECK(dst[8] == -1);
}

#if __NPU_ARCH__ == 3510
static void CompactForm()
{
    std::vector<float> src = Numbers(64), dst(64, -1.0f), seen(16);
    ExpectClean("DataCopyPad compact", 1, [&] {
        LocalTensor<float> tile(TPosition::VECIN, 0, 16);
        DataCopyPad<float, PaddingMode::Compact>(tile, Global(src), DataCopyExtParams{3, 12, 4, 5, 0},
                                                 DataCopyPadExtParams<float>{true, 0, 0, 7.0f});
        Sync<HardEvent::MTE2_S>();
        for (uint32_t i = 0; i < 16; ++i) {
            seen[i] = tile.GetValue(i);
        }
        Sync<HardEvent::MTE2_MTE3>();
        DataCopyPad<float, PaddingMode::Compact>(Global(dst), tile, DataCopyExtParams{3, 12, 0, 4, 0});
    });
    const float expected[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 7, 7, 7, 7, 7, 7, 7};
    for (size_t i = 0; i < 16; ++i) {
        CHECK(seen[i] == expected[i]);
    }
    CHECK(dst[0] == 0 && dst[3] == -1 && dst[4] == 4 && dst[8] == 8 && dst[10] == 10 && dst[11] == -1);
}

static void LoopMode()
{
    std::vector<float> src = Numbers(512), dst(512, -1.0f);
    ExpectClean("loop mode", 1, [&] {
        LocalTensor<float> tile(TPosition::VECIN, 0, 128);
        SetLoopModePara(LoopModeParams{2, 3, 64 * 4, 8 * 4, 128 * 4, 16 * 4}, DataCopyMVType::OUT_TO_UB);
        DataCopyPad(tile, Global(src), DataCopyExtParams{1, 32, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        ResetLoopModePara(DataCopyMVType::OUT_TO_UB);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(Global(dst), tile, 48u);
    });
    for (size_t outer = 0; outer < 3; ++outer) {
        for (size_t inner = 0; inner < 2; ++inner) {
            CHECK(dst[outer * 16 + inner * 8] == src[outer * 128 + inner * 64]);
        }
    }
}
#endif

static void MatrixForms()
{
    // 3 x 10 floats: two columns of 8, the second filled up with zeros.
    std::vector<float> src = Numbers(64), dst(64, -1.0f), seen(64);
    ExpectClean("Nd2Nz", 1, [&] {
        LocalTensor<float> tile(TPosition::VECIN, 0, 64);
        DataCopy(tile, Global(src), Nd2NzParams{1, 3, 10, 0, 12, 4, 1, 0});
        Sync<HardEvent::MTE2_S>();
        for (uint32_t i : {0u, 8u, 15u, 16u, 32u, 33u, 34u, 39u, 40u, 49u}) {
            seen[i] = tile.GetValue(i);
        }
    });
    CHECK(seen[0] == 0 && seen[8] == 12 && seen[15] == 19 && seen[16] == 24);
    CHECK(seen[32] == 8 && seen[33] == 9 && seen[34] == 0 && seen[39] == 0 && seen[40] == 20 && seen[49] == 33);
    ExpectClean("Nz2Nd", 1, [&] {
        LocalTensor<float> tile(TPosition::VECOUT, 0, 64);
        DataCopy(tile, Global(src), 64u);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(Global(dst), tile, Nz2NdParamsFull{1, 2, 32, 1, 2, 32, 0});
    });
    CHECK(dst[0] == 0 && dst[15] == 15 && dst[16] == 32 && dst[31] == 47 && dst[32] == 16 && dst[48] == 48);
#if __NPU_ARCH__ == 3510
    // A transposed 2 x 3 matrix with one column of padding on the left.
    ExpectClean("NDDMA", 1, [&] {
        LocalTensor<float> tile(TPosition::VECIN, 0, 16);
        MultiCopyParams<float, 2> params{{{8, 1}, {1, 4}, {2, 3}, {1, 0}, {0, 0}}, 9.0f};
        DataCopy<float, 2>(tile, Global(src), params);
        Sync<HardEvent::MTE2_S>();
        for (uint32_t i : {0u, 1u, 2u, 4u, 5u, 6u, 8u, 9u, 10u}) {
            seen[i] = tile.GetValue(i);
        }
    });
    CHECK(seen[0] == 9 && seen[1] == 0 && seen[2] == 8 && seen[4] == 9 && seen[5] == 1 && seen[6] == 9 && seen[9] == 2 && seen[10] == 10);
    std::vector<int32_t> word{5};
    ExpectClean("scalar atomics", 16, [&] { AtomicAdd(word.data(), 1); });
    CHECK(word[0] == 21 && AtomicCas(word.data(), 21, 3) == 21 && AtomicExch(word.data(), 4) == 3 && AtomicMax(word.data(), 9) == 4);
    CHECK(AtomicMin(word.data(), 2) == 9 && word[0] == 2);
#endif
}

template <typename T>
static void AtomicForm(const char* what)
{
    const uint32_t blocks = 32;
    std::vector<T> src(static_cast<size_t>(blocks) * 64), sum(64, T(1)), high(64, T(-5)), low(64, T(100));
    for (size_t i = 0; i < src.size(); ++i) {
        src[i] = T(static_cast<float>(i / 64 % 3));
    }
    ExpectClean(what, blocks, [&] {
        LocalTensor<T> tile(TPosition::VECIN, 0, 64);
        DataCopy(tile, Global(src)[static_cast<uint64_t>(GetBlockIdx()) * 64], 64u);
        Sync<HardEvent::MTE2_MTE3>();
        SetAtomicAdd<T>();
        DataCopy(Global(sum), tile, 64u);
        SetAtomicMax<T>();
        DataCopy(Global(high), tile, 64u);
        SetAtomicMin<T>();
        DataCopy(Global(low), tile, 64u);
        SetAtomicNone();
    });
    for (size_t i = 0; i < 64; ++i) {
        CHECK(static_cast<float>(sum[i]) == 1.0f + 31.0f);  // 11*0 + 11*1 + 10*2
        CHECK(static_cast<float>(high[i]) == 2.0f);
        CHECK(static_cast<float>(low[i]) == 0.0f);
    }
}

int main()
{
    CountForm();
    BlockForm();
    PadForm();
    OlderPadForm();
#if __NPU_ARCH__ == 3510
    CompactForm();
    LoopMode();
#endif
    MatrixForms();
    AtomicForm<float>("atomic float");
    AtomicForm<half>("atomic half");
    AtomicForm<bfloat16_t>("atomic bfloat16_t");
    AtomicForm<int16_t>("atomic int16_t");
    AtomicForm<int32_t>("atomic int32_t");
    AtomicForm<int8_t>("atomic int8_t");
    return Result();
}
