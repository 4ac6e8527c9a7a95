// The static buffers kernel text of the example output, run as it stands: results, sizes that do not divide, no fault.
// fused_chain: examples/fused_chain.py:14
// Ascend950PR_9599 (c310)  static_alloc  reuse_alloc=2  UB 98304 of 253952 bytes
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void fused_chain(__gm__ float* x_ptr, __gm__ float* y_ptr, __gm__ float* out_ptr, int32_t size)
{
    using namespace AscendC;
    constexpr uint32_t tile_size = 4096;
    constexpr uint32_t tile_bytes = tile_size * sizeof(float);
    InitSocState();

    GlobalTensor<float> x_gm, y_gm, out_gm;
    x_gm.SetGlobalBuffer(x_ptr, size);
    y_gm.SetGlobalBuffer(y_ptr, size);
    out_gm.SetGlobalBuffer(out_ptr, size);

    // Two slots for each tile: the next iteration loads while this one computes.
    LocalTensor<float> x[2] = {{TPosition::VECCALC, 0 * tile_bytes, tile_size}, {TPosition::VECCALC, 3 * tile_bytes, tile_size}};
    LocalTensor<float> y[2] = {{TPosition::VECCALC, 1 * tile_bytes, tile_size}, {TPosition::VECCALC, 4 * tile_bytes, tile_size}};
    LocalTensor<float> result[2] = {{TPosition::VECCALC, 2 * tile_bytes, tile_size}, {TPosition::VECCALC, 5 * tile_bytes, tile_size}};

    const int32_t tiles = (size + tile_size - 1) / tile_size;
    for (int32_t slot = 0; slot < 2; ++slot) {
        SetFlag<HardEvent::V_MTE2>(slot);
        SetFlag<HardEvent::MTE3_V>(slot);
    }
    for (int32_t i = GetBlockIdx(), slot = 0; i < tiles; i += GetBlockNum(), slot ^= 1) {
        const int64_t offset = static_cast<int64_t>(i) * tile_size;
        const uint32_t count = size - offset < tile_size ? static_cast<uint32_t>(size - offset) : tile_size;
        const DataCopyExtParams row{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        const DataCopyPadExtParams<float> no_pad{false, 0, 0, 0.0f};

        // :19  x = asctile.copy_in(x_gm, [i * tile_size], [tile_size])
        // :20  y = asctile.copy_in(y_gm, [i * tile_size], [tile_size])
        WaitFlag<HardEvent::V_MTE2>(slot);
        DataCopyPad(x[slot], x_gm[offset], row, no_pad);
        DataCopyPad(y[slot], y_gm[offset], row, no_pad);
        SetFlag<HardEvent::MTE2_V>(slot);

        // :21  result = (x + y) * x - y
        WaitFlag<HardEvent::MTE2_V>(slot);
        WaitFlag<HardEvent::MTE3_V>(slot);
        Add(result[slot], x[slot], y[slot], tile_size);
        Mul(result[slot], result[slot], x[slot], tile_size);
        Sub(result[slot], result[slot], y[slot], tile_size);
        SetFlag<HardEvent::V_MTE2>(slot);
        SetFlag<HardEvent::V_MTE3>(slot);

        // :22  asctile.copy_out(result, out_gm, [i * tile_size])
        WaitFlag<HardEvent::V_MTE3>(slot);
        DataCopyPad(out_gm[offset], result[slot], row);
        SetFlag<HardEvent::MTE3_V>(slot);
    }
    for (int32_t slot = 0; slot < 2; ++slot) {
        WaitFlag<HardEvent::V_MTE2>(slot);
        WaitFlag<HardEvent::MTE3_V>(slot);
    }
}

#include <vector>

#include "core_test.h"

static void TryAll(uint32_t blocks, int32_t size)
{
    std::vector<float> x(static_cast<size_t>(size)), y(x.size()), out(x.size() + 16, -1.0f);
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 1000) * 0.25f;
        y[i] = static_cast<float>(i % 77) - 30.0f;
    }
    ascendc_cpu_clear_gm();
    ascendc_cpu_register_gm(x.data(), x.size() * sizeof(float));
    ascendc_cpu_register_gm(y.data(), y.size() * sizeof(float));
    ascendc_cpu_register_gm(out.data(), x.size() * sizeof(float));
    if (kChecked && kC220 && size > 0) {
        // The text is for c310: on c220 dependent vector instructions need a barrier, and the checked build says so.
        ExpectFault("fused_chain", blocks, {"kernel.py:?: race: Mul (PIPE_V)", "Add (PIPE_V, line ?)", "PipeBarrier<PIPE_V>"},
                    [&] { fused_chain(x.data(), y.data(), out.data(), size); });
    } else {
        ExpectClean("fused_chain", blocks, [&] { fused_chain(x.data(), y.data(), out.data(), size); });
    }
    int wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        wrong += out[i] != (x[i] + y[i]) * x[i] - y[i] ? 1 : 0;
    }
    for (size_t i = x.size(); i < out.size(); ++i) {
        wrong += out[i] != -1.0f ? 1 : 0;
    }
    if (wrong != 0) {
        std::printf("size %d on %u blocks: %d elements wrong\n", size, blocks, wrong);
        ++g_failures;
    }
}

int main()
{
    for (uint32_t blocks : {1u, 2u, 3u, 48u}) {
        for (int32_t size : {0, 1, 7, 8, 100, 4095, 4096, 4097, 50001, 262144}) {
            TryAll(blocks, size);
        }
    }
    return Result();
}
