// The TPipe and queues kernel text of the example output, run as it stands: results, sizes that do not divide, no fault.
// fused_chain: examples/fused_chain.py:14
// Ascend910B1 (c220)  TPipe  UB 98304 of 196352 bytes
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void fused_chain(__gm__ float* x_ptr, __gm__ float* y_ptr, __gm__ float* out_ptr, int32_t size)
{
    using namespace AscendC;
    constexpr uint32_t tile_size = 4096;
    constexpr uint32_t tile_bytes = tile_size * sizeof(float);

    GlobalTensor<float> x_gm, y_gm, out_gm;
    x_gm.SetGlobalBuffer(x_ptr, size);
    y_gm.SetGlobalBuffer(y_ptr, size);
    out_gm.SetGlobalBuffer(out_ptr, size);

    TPipe pipe;
    TQue<TPosition::VECIN, 2> x_queue, y_queue;
    TQue<TPosition::VECOUT, 2> result_queue;
    pipe.InitBuffer(x_queue, 2, tile_bytes);
    pipe.InitBuffer(y_queue, 2, tile_bytes);
    pipe.InitBuffer(result_queue, 2, tile_bytes);

    const int32_t tiles = (size + tile_size - 1) / tile_size;
    for (int32_t i = GetBlockIdx(); i < tiles; i += GetBlockNum()) {
        const int64_t offset = static_cast<int64_t>(i) * tile_size;
        const uint32_t count = size - offset < tile_size ? static_cast<uint32_t>(size - offset) : tile_size;
        const DataCopyExtParams row{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        const DataCopyPadExtParams<float> no_pad{false, 0, 0, 0.0f};

        // :19  x = asctile.copy_in(x_gm, [i * tile_size], [tile_size])
        LocalTensor<float> x = x_queue.AllocTensor<float>();
        DataCopyPad(x, x_gm[offset], row, no_pad);
        x_queue.EnQue(x);

        // :20  y = asctile.copy_in(y_gm, [i * tile_size], [tile_size])
        LocalTensor<float> y = y_queue.AllocTensor<float>();
        DataCopyPad(y, y_gm[offset], row, no_pad);
        y_queue.EnQue(y);

        // :21  result = (x + y) * x - y
        x = x_queue.DeQue<float>();
        y = y_queue.DeQue<float>();
        LocalTensor<float> result = result_queue.AllocTensor<float>();
        Add(result, x, y, tile_size);
        PipeBarrier<PIPE_V>();
        Mul(result, result, x, tile_size);
        PipeBarrier<PIPE_V>();
        Sub(result, result, y, tile_size);
        x_queue.FreeTensor(x);
        y_queue.FreeTensor(y);
        result_queue.EnQue(result);

        // :22  asctile.copy_out(result, out_gm, [i * tile_size])
        result = result_queue.DeQue<float>();
        DataCopyPad(out_gm[offset], result, row);
        result_queue.FreeTensor(result);
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
    ExpectClean("fused_chain", blocks, [&] { fused_chain(x.data(), y.data(), out.data(), size); });
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
