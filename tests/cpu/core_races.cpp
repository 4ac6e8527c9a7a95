// Missing synchronisation between pipes and between blocks: reported where it is missing, silent where it is there.
#include "core_test.h"

using namespace AscendC;
using cpu::At;

static std::vector<float> g_x(4096), g_y(4096);

static GlobalTensor<float> Gm(std::vector<float>& data)
{
    GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(data.data(), data.size());
    return tensor;
}

static LocalTensor<float> Tile(uint32_t address, uint32_t size) { return LocalTensor<float>(TPosition::VECCALC, address, size); }

template <HardEvent event>
static void Sync(int32_t id = 0)
{
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

static void BetweenPipes()
{
    ExpectFault("MTE2 then V", 1, {"kernel.py:2: race: Add (PIPE_V) reads UB [0, 256) which DataCopy (PIPE_MTE2, line 1) writes: needs a flag MTE2_V, block 0"},
                [] {
                    At(1);
                    DataCopy(Tile(0, 64), Gm(g_x), 64u);
                    At(2);
                    Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
                });
    ExpectFault("V then MTE3", 1, {"kernel.py:4: race: DataCopy (PIPE_MTE3) reads UB [1024, 1280) which Add (PIPE_V, line 3) writes: needs a flag V_MTE3"},
                [] {
                    DataCopy(Tile(0, 64), Gm(g_x), 64u);
                    Sync<HardEvent::MTE2_V>();
                    At(3);
                    Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
                    At(4);
                    DataCopy(Gm(g_y), Tile(1024, 64), 64u);
                });
    ExpectFault("V then MTE2 into what it reads", 1, {"kernel.py:6: race: DataCopy (PIPE_MTE2) writes UB [128, 256) which Add (PIPE_V, line 5) reads: needs a flag V_MTE2"},
                [] {
                    DataCopy(Tile(0, 64), Gm(g_x), 64u);
                    Sync<HardEvent::MTE2_V>();
                    At(5);
                    Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
                    At(6);
                    DataCopy(Tile(128, 64), Gm(g_x), 64u);
                });
    ExpectFault("V then S", 1, {"kernel.py:8: race: GetValue (PIPE_S) reads UB [1028, 1032) which Add (PIPE_V, line 7) writes: needs a flag V_S"},
                [] {
                    DataCopy(Tile(0, 64), Gm(g_x), 64u);
                    Sync<HardEvent::MTE2_V>();
                    At(7);
                    Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
                    At(8);
                    Tile(1024, 64).GetValue(1);
                });
    ExpectFault("S then V", 1, {"kernel.py:10: race: Add (PIPE_V) reads UB [0, 4) which SetValue (PIPE_S, line 9) writes: needs a flag S_V"}, [] {
        At(9);
        Tile(0, 64).SetValue(0, 1.0f);
        At(10);
        Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
    });
    ExpectFault("a flag of another pair", 1, {"kernel.py:12: race: Add (PIPE_V) reads"}, [] {
        At(11);
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        Sync<HardEvent::MTE2_MTE3>();
        At(12);
        Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
    });
    ExpectFault("a flag set too early", 1, {"kernel.py:14: race: Add (PIPE_V) reads UB [256, 512) which DataCopy (PIPE_MTE2, line 13)"}, [] {
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        SetFlag<HardEvent::MTE2_V>(0);
        At(13);
        DataCopy(Tile(256, 64), Gm(g_x), 64u);
        At(14);
        WaitFlag<HardEvent::MTE2_V>(0);
        Add(Tile(1024, 64), Tile(0, 64), Tile(256, 64), 64);
    });
    ExpectFault("queue: use before DeQue", 1, {"kernel.py:16: race: Add (PIPE_V) reads UB [0, 256) which DataCopy (PIPE_MTE2, line 15)"}, [] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> queue;
        pipe.InitBuffer(queue, 1, 256);
        LocalTensor<float> tile = queue.AllocTensor<float>();
        At(15);
        DataCopy(tile, Gm(g_x), 64u);
        queue.EnQue(tile);
        At(16);
        Add(Tile(1024, 64), tile, tile, 64);
        tile = queue.DeQue<float>();
        queue.FreeTensor(tile);
    });
    ExpectFault("global memory", 1, {"kernel.py:18: race: DataCopy (PIPE_MTE2) reads GM", "which DataCopy (PIPE_MTE3, line 17) writes: needs a flag MTE3_MTE2"},
                [] {
                    DataCopy(Tile(0, 64), Gm(g_x), 64u);
                    Sync<HardEvent::MTE2_MTE3>();
                    At(17);
                    DataCopy(Gm(g_y), Tile(0, 64), 64u);
                    At(18);
                    DataCopy(Tile(1024, 64), Gm(g_y)[56], 64u);
                });
    ExpectFault("scalar and copy on global memory", 1, {"kernel.py:20: race: DataCopy (PIPE_MTE2) reads GM", "SetValue (PIPE_S, line 19)"}, [] {
        At(19);
        Gm(g_y).SetValue(3, 1.0f);
        At(20);
        DataCopy(Tile(1024, 64), Gm(g_y), 64u);
    });
}

static void OnePipe()
{
    const auto dependent = [] {
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        Sync<HardEvent::MTE2_V>();
        At(30);
        Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
        At(31);
        Mul(Tile(2048, 64), Tile(1024, 64), Tile(0, 64), 64);
    };
    if (kC220) {
        ExpectFault("V then V", 1, {"kernel.py:31: race: Mul (PIPE_V) reads UB [1024, 1280) which Add (PIPE_V, line 30) writes: needs PipeBarrier<PIPE_V>"},
                    dependent);
    } else {
        ExpectClean("V then V", 1, dependent);
    }
    ExpectFault("MTE2 then MTE2", 1, {"kernel.py:33: race: DataCopy (PIPE_MTE2) writes UB [128, 256) which DataCopy (PIPE_MTE2, line 32) writes: needs PipeBarrier<PIPE_MTE2>"},
                [] {
                    At(32);
                    DataCopy(Tile(0, 64), Gm(g_x), 64u);
                    At(33);
                    DataCopy(Tile(128, 64), Gm(g_x), 64u);
                });
    ExpectClean("one pipe in order", 1, [] {
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        PipeBarrier<PIPE_MTE2>();
        DataCopy(Tile(128, 64), Gm(g_x), 64u);
        Sync<HardEvent::MTE2_V>();
        Add(Tile(0, 32), Tile(0, 32), Tile(0, 32), 32);  // in place
        PipeBarrier<PIPE_V>();
        Add(Tile(0, 32), Tile(0, 32), Tile(128, 32), 32);
        SetFlag<HardEvent::V_V>(0);
        WaitFlag<HardEvent::V_V>(0);
        Add(Tile(0, 32), Tile(0, 32), Tile(128, 32), 32);
        Sync<HardEvent::V_S>();  // the scalar unit has seen all of that finish
        Add(Tile(0, 32), Tile(0, 32), Tile(128, 32), 32);
    });
}

static void Ordered()
{
    ExpectClean("byte accurate", 1, [] {
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        Sync<HardEvent::MTE2_V>();
        DataCopy(Tile(256, 64), Gm(g_x), 64u);  // the next tile while the first is used
        Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
        Sync<HardEvent::V_S>();
        DataCopy(Tile(1280, 8), Gm(g_x), 8u);
        Tile(1024, 64).SetValue(63, 2.0f);
    });
    ExpectClean("through a third pipe", 1, [] {
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        Sync<HardEvent::MTE2_S>();
        Tile(0, 64).SetValue(0, 1.0f);
        Sync<HardEvent::S_V>();
        Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(Gm(g_y), Tile(1024, 64), 64u);
        Sync<HardEvent::MTE3_MTE2>();
        DataCopy(Tile(0, 64), Gm(g_y), 64u);  // V is known to be done: MTE3 waited for it
    });
    ExpectClean("two slots", 1, [] {
        for (int32_t slot = 0; slot < 2; ++slot) {
            SetFlag<HardEvent::MTE3_MTE2>(slot);
        }
        for (int32_t i = 0, slot = 0; i < 8; ++i, slot ^= 1) {
            const LocalTensor<float> tile = Tile(static_cast<uint32_t>(slot) * 256, 64);
            WaitFlag<HardEvent::MTE3_MTE2>(slot);
            DataCopy(tile, Gm(g_x)[static_cast<uint64_t>(i) * 64], 64u);
            SetFlag<HardEvent::MTE2_MTE3>(slot);
            WaitFlag<HardEvent::MTE2_MTE3>(slot);
            DataCopy(Gm(g_y)[static_cast<uint64_t>(i) * 64], tile, 64u);
            SetFlag<HardEvent::MTE3_MTE2>(slot);
        }
        for (int32_t slot = 0; slot < 2; ++slot) {
            WaitFlag<HardEvent::MTE3_MTE2>(slot);
        }
    });
#if __NPU_ARCH__ == 3510
    ExpectClean("locks", 1, [] {
        for (int i = 0; i < 3; ++i) {
            get_buf(PIPE_MTE2, 0, false);
            DataCopy(Tile(0, 64), Gm(g_x), 64u);
            rls_buf(PIPE_MTE2, 0, false);
            get_buf(PIPE_V, 0, false);
            get_buf(PIPE_V, 1, false);
            Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
            rls_buf(PIPE_V, 1, false);
            rls_buf(PIPE_V, 0, false);
            Mutex::Lock<PIPE_MTE3>(1);
            DataCopy(Gm(g_y)[static_cast<uint64_t>(i) * 64], Tile(1024, 64), 64u);
            Mutex::Unlock<PIPE_MTE3>(1);
        }
    });
    ExpectFault("the wrong lock", 1, {"kernel.py:41: race: Add (PIPE_V) reads UB [0, 256)"}, [] {
        get_buf(PIPE_MTE2, 0, false);
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        rls_buf(PIPE_MTE2, 0, false);
        get_buf(PIPE_V, 1, false);
        At(41);
        Add(Tile(1024, 64), Tile(0, 64), Tile(0, 64), 64);
        rls_buf(PIPE_V, 1, false);
    });
    ExpectFault("a lock does not order its own pipe", 1, {"kernel.py:43: race: DataCopy (PIPE_MTE2) writes", "needs PipeBarrier<PIPE_MTE2>"}, [] {
        for (int i = 0; i < 2; ++i) {
            At(42 + i);
            get_buf(PIPE_MTE2, 0, false);
            DataCopy(Tile(0, 64), Gm(g_x), 64u);
            rls_buf(PIPE_MTE2, 0, false);
        }
    });
#endif
}

static void BetweenBlocks()
{
    const auto store = [](uint64_t where) {
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        Sync<HardEvent::MTE2_MTE3>();
        At(51);
        DataCopy(Gm(g_y)[where], Tile(0, 64), 64u);
    };
    ExpectClean("blocks write parts of their own", 8, [&] { store(static_cast<uint64_t>(GetBlockIdx()) * 64); });
    ExpectFault("blocks write overlapping parts", 8, {"kernel.py:51: race: DataCopy of block ", "writes GM", "(line 51) writes, with no SyncAll"},
                [&] { store(static_cast<uint64_t>(GetBlockIdx()) * 56); });
    ExpectFault("one writes, another reads", 2, {"race: DataCopy of block", "(line 5"}, [&] {
        if (GetBlockIdx() == 0) {
            store(0);
        } else {
            At(52);
            DataCopy(Tile(0, 64), Gm(g_y)[32], 64u);
        }
    });
    ExpectClean("with SyncAll", 4, [&] {
        store(static_cast<uint64_t>(GetBlockIdx()) * 64);
        SyncAll();
        DataCopy(Tile(0, 64), Gm(g_y)[static_cast<uint64_t>(3 - GetBlockIdx()) * 64], 64u);
    });
    ExpectClean("atomics", 4, [&] {
        SetAtomicAdd<float>();
        store(0);
        SetAtomicNone();
    });
    ExpectFault("atomics and a plain store", 4, {"race: DataCopy of block"}, [&] {
        if (GetBlockIdx() != 2) {
            SetAtomicAdd<float>();
        }
        store(0);
        SetAtomicNone();
    });
    ExpectClean("all read the same", 8, [&] {
        DataCopy(Tile(0, 64), Gm(g_x), 64u);
        PipeBarrier<PIPE_ALL>();
    });
}

int main()
{
    if (kChecked) {
        BetweenPipes();
        OnePipe();
        Ordered();
        BetweenBlocks();
    }
    return Result();
}
