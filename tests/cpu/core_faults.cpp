// Every kind of fault that the checked build knows, provoked once, and the report that it must give. Races: core_races.cpp.
#include "core_test.h"

using namespace AscendC;
using cpu::At;

static std::vector<float> g_x(4096), g_y(4096);

static GlobalTensor<float> Gm(std::vector<float>& data, uint64_t size = 4096)
{
    GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(data.data(), size);
    return tensor;
}

static LocalTensor<float> Tile(uint32_t address, uint32_t size) { return LocalTensor<float>(TPosition::VECCALC, address, size); }

template <HardEvent event>
static void Sync(int32_t id = 0)
{
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

// A tile with defined contents, ready for any pipe.
static LocalTensor<float> Ready(uint32_t address, uint32_t size)
{
    LocalTensor<float> tile = Tile(address, size);
    DataCopy(tile, Gm(g_x), size);
    PipeBarrier<PIPE_ALL>();
    return tile;
}

static void Bounds()
{
    ExpectFault("UB end", 1, {"kernel.py:7: bounds: Add writes UB [", "the memory has"}, [] {
        const LocalTensor<float> tile = Tile(TOTAL_UB_SIZE - 32, 64);
        At(7);
        Add(tile, tile, tile, 64);
    });
    ExpectFault("tensor end", 1, {"kernel.py:8: bounds: Add reads bytes [0, 256) of a tensor of 128 bytes in UB, block 0"}, [] {
        At(8);
        Add(Tile(0, 64), Tile(1024, 32), Tile(2048, 64), 64);
    });
    ExpectFault("tensor end after an offset", 1, {"kernel.py:9: bounds: DataCopy writes bytes [0, 128) of a tensor of 64 bytes"}, [] {
        At(9);
        DataCopy(Tile(0, 32)[16], Gm(g_x), 32u);
    });
    ExpectFault("global buffer end", 1, {"kernel.py:10: bounds: DataCopyPad reads bytes [0, 40) of a tensor of 36 bytes in GM"}, [] {
        At(10);
        DataCopyPad(Tile(0, 16), Gm(g_x, 100)[91], DataCopyExtParams{1, 40, 0, 0, 0}, DataCopyPadExtParams<float>{});
    });
    ExpectFault("before the global buffer", 1, {"kernel.py:11: bounds: GetValue reads", "in GM"}, [] {
        At(11);
        const float value = Gm(g_x)[static_cast<uint64_t>(-3)].GetValue(0);
        (void)value;
    });
    ascendc_cpu_register_gm(g_x.data(), 400);
    ascendc_cpu_register_gm(g_y.data(), 4096);
    ExpectFault("registered range", 1, {"kernel.py:12: bounds: DataCopy reads bytes [384, 416) of GM buffer 0, which has 400"}, [] {
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(g_x.data());
        At(12);
        DataCopy(Tile(0, 8), gm[96], 8u);
    });
    ExpectFault("another registered range", 1, {"kernel.py:12: bounds: SetValue writes bytes [", "of GM buffer 0, which has 400"}, [] {
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(g_x.data());
        At(12);
        gm.SetValue(static_cast<uint64_t>(g_y.data() - g_x.data()), 1.0f);
    });
    ExpectFault("no registered range", 1, {"kernel.py:13: bounds: SetValue writes GM [", "in no registered buffer"}, [] {
        float other = 0;
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(&other);
        At(13);
        gm.SetValue(0, 1.0f);
    });
    ascendc_cpu_clear_gm();
    ExpectFault("InitBuffer", 1, {"kernel.py:14: bounds: InitBuffer", "the memory has"}, [] {
        TPipe pipe;
        TBuf<> buffer;
        At(14);
        pipe.InitBuffer(buffer, TOTAL_UB_SIZE + 32);
    });
    ExpectFault("TBuf::Get", 1, {"kernel.py:15: bounds: TBuf::Get: bytes 32 to 96 of a buffer of 64 bytes"}, [] {
        TPipe pipe;
        TBuf<> buffer;
        pipe.InitBuffer(buffer, 64);
        At(15);
        buffer.GetWithOffset<float>(16, 32);
    });
    ExpectFault("strides", 1, {"kernel.py:16: bounds: Add writes bytes [0, "}, [] {
        At(16);
        Add(Tile(0, 128), Tile(4096, 1024), Tile(16384, 1024), 64, 2, BinaryRepeatParams(2, 1, 1, 16, 8, 8));
    });
}

static void Alignment()
{
    ExpectFault("UB operand", 1, {"kernel.py:20: alignment: Add reads UB [16, 272)", "not a multiple of 32 bytes"}, [] {
        At(20);
        Add(Tile(1024, 64), Tile(0, 128)[4], Tile(2048, 64), 64);
    });
    ExpectFault("GM operand", 1, {"kernel.py:21: alignment: DataCopy reads GM", "not a multiple of 4 bytes"}, [] {
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(g_x.data()) + 2), 100);
        At(21);
        DataCopy(Tile(0, 8), gm, 8u);
    });
    ExpectFault("blockLen", 1, {"kernel.py:22: alignment: DataCopyPad: blockLen 6"}, [] {
        At(22);
        DataCopyPad(Tile(0, 8), Gm(g_x), DataCopyExtParams{1, 6, 0, 0, 0}, DataCopyPadExtParams<float>{});
    });
}

static void Uninitialised()
{
    ExpectFault("store", 1, {"kernel.py:30: uninitialised: a copy to GM stores UB [0, 64), of which the bytes from 32 on"}, [] {
        LocalTensor<float> tile = Tile(0, 16);
        DataCopy(tile, Gm(g_x), 8u);
        PipeBarrier<PIPE_ALL>();
        At(30);
        DataCopy(Gm(g_y), tile, 16u);
    });
    ExpectFault("GetValue", 1, {"kernel.py:31: uninitialised: GetValue reads UB [8, 12)"}, [] {
        At(31);
        const float value = Tile(0, 16).GetValue(2);
        (void)value;
    });
    ExpectFault("GetValue that decides", 1, {"kernel.py:31: uninitialised: GetValue reads UB [8, 12)"}, [] {
        At(31);
        const bool positive = Tile(0, 16).GetValue(2) > 0;
        At(32);
        PipeBarrier<PIPE_ALL>();
        Duplicate(Tile(64, 16), positive ? 1.0f : 2.0f, 16);
    });
    ExpectFault("SetValue in global memory", 1, {"kernel.py:31: uninitialised: GetValue reads UB [8, 12)"}, [] {
        At(31);
        Gm(g_y).SetValue(0, Tile(0, 16).GetValue(2));
    });
    ExpectFault("a moved element", 1, {"kernel.py:32: uninitialised: a copy to GM stores UB [64, 96), of which the bytes from 4 on"}, [] {
        At(31);
        Tile(0, 8).SetValue(0, 1.0f);
        for (uint32_t i = 0; i < 8; ++i) {
            Tile(64, 8).SetValue(i, Tile(0, 8).GetValue(i));
        }
        PipeBarrier<PIPE_ALL>();
        At(32);
        DataCopy(Gm(g_y), Tile(64, 8), 8u);
    });
    ExpectFault("through instructions", 1, {"kernel.py:33: uninitialised: a copy to GM stores UB [2048, 2304)"}, [] {
        LocalTensor<float> a = Ready(0, 64);
        At(32);
        Add(Tile(2048, 64), a, Tile(1024, 64), 64);
        PipeBarrier<PIPE_ALL>();
        At(33);
        DataCopy(Gm(g_y), Tile(2048, 64), 64u);
    });
    ExpectFault("padding without isPad", 1, {"kernel.py:34: uninitialised"}, [] {
        DataCopyPad(Tile(0, 8), Gm(g_x), DataCopyExtParams{1, 20, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        Sync<HardEvent::MTE2_MTE3>();
        At(34);
        DataCopy(Gm(g_y), Tile(0, 8), 8u);
    });
    ExpectFault("a queue's tensor is new each time", 1, {"kernel.py:35: uninitialised"}, [] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> queue;
        pipe.InitBuffer(queue, 1, 64);
        for (int round = 0; round < 2; ++round) {
            LocalTensor<float> tile = queue.AllocTensor<float>();
            if (round == 0) {
                DataCopy(tile, Gm(g_x), 16u);
            }
            queue.EnQue(tile);
            tile = queue.DeQue<float>();
            Sync<HardEvent::V_S>();
            At(35);
            const float value = tile.GetValue(0);
            (void)value;
            At(0);
            Sync<HardEvent::S_MTE2>();
            queue.FreeTensor(tile);
        }
    });
    ExpectClean("a partly defined tile may be computed on", 1, [] {
        LocalTensor<float> tile = Tile(0, 64);
        DataCopyPad(tile, Gm(g_x), DataCopyExtParams{1, 20, 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        Sync<HardEvent::MTE2_V>();
        Add(Tile(1024, 64), tile, tile, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopyPad(Gm(g_y), Tile(1024, 64), DataCopyExtParams{1, 20, 0, 0, 0});
    });
    ExpectClean("padding with isPad", 1, [] {
        DataCopyPad(Tile(0, 8), Gm(g_x), DataCopyExtParams{1, 20, 0, 0, 0}, DataCopyPadExtParams<float>{true, 0, 0, 0.0f});
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(Gm(g_y), Tile(0, 8), 8u);
    });
    ExpectFault("switched-off lanes stay undefined", 1, {"kernel.py:36: uninitialised", "of which the bytes from 4 on"}, [] {
        LocalTensor<float> a = Ready(0, 64);
        uint64_t bits[2] = {0x5, 0};
        Add(Tile(1024, 64), a, a, bits, 1, BinaryRepeatParams());
        PipeBarrier<PIPE_ALL>();
        At(36);
        DataCopyPad(Gm(g_y), Tile(1024, 64), DataCopyExtParams{1, 12, 0, 0, 0});
    });
    ExpectClean("switched-on lanes are defined", 1, [] {
        LocalTensor<float> a = Ready(0, 64);
        uint64_t bits[2] = {0x5, 0};
        Add(Tile(1024, 64), a, a, bits, 1, BinaryRepeatParams());
        Sync<HardEvent::V_S>();
        Tile(1024, 64).GetValue(0);
        Tile(1024, 64).GetValue(2);
    });
    ExpectClean("masked writes keep what was there", 1, [] {
        LocalTensor<float> a = Ready(0, 64);
        LocalTensor<float> b = Ready(1024, 64);
        Add(b, a, Tile(2048, 64), uint64_t{5}, 1, BinaryRepeatParams());  // five undefined elements
        PipeBarrier<PIPE_V>();
        Add(b, a, a, uint64_t{5}, 1, BinaryRepeatParams());
        PipeBarrier<PIPE_ALL>();
        DataCopy(Gm(g_y), b, 64u);
    });
}

template <typename Body>
static void InQueue(const char* what, const std::vector<std::string>& parts, const Body& body, int num = 2)
{
    ExpectFault(what, 1, parts, [&] {
        TPipe pipe;
        TQue<TPosition::VECIN, 1> queue, other;
        pipe.InitBuffer(queue, static_cast<uint8_t>(num), 256);
        pipe.InitBuffer(other, 1, 256);
        body(queue, other);
    });
}

static void Queues()
{
    InQueue("double free", {"kernel.py:41: queue: FreeTensor of a tensor that is free already"}, [](auto& queue, auto&) {
        LocalTensor<float> tile = queue.template AllocTensor<float>();
        queue.EnQue(tile);
        tile = queue.template DeQue<float>();
        At(40);
        queue.FreeTensor(tile);
        At(41);
        queue.FreeTensor(tile);
    });
    InQueue("EnQue beyond depth", {"kernel.py:42: queue: EnQue: 1 tensors wait already and the queue's depth is 1"}, [](auto& queue, auto&) {
        LocalTensor<float> a = queue.template AllocTensor<float>();
        LocalTensor<float> b = queue.template AllocTensor<float>();
        queue.EnQue(a);
        At(42);
        queue.EnQue(b);
    });
    InQueue("DeQue from empty", {"kernel.py:43: queue: DeQue waits for ever"}, [](auto& queue, auto&) {
        At(43);
        queue.template DeQue<float>();
    });
    InQueue("use after FreeTensor", {"kernel.py:45: queue: Add uses a tensor in UB [0, 256) after FreeTensor in line 44"},
            [](auto& queue, auto&) {
                LocalTensor<float> tile = queue.template AllocTensor<float>();
                DataCopy(tile, Gm(g_x), 64u);
                queue.EnQue(tile);
                tile = queue.template DeQue<float>();
                At(44);
                queue.FreeTensor(tile);
                At(45);
                Add(Tile(65536, 64), tile, tile, 64);
            });
    InQueue("never freed", {"queue: a tensor of 256 bytes", "is never freed"}, [](auto& queue, auto&) {
        LocalTensor<float> tile = queue.template AllocTensor<float>();
        queue.EnQue(tile);
        tile = queue.template DeQue<float>();
    });
    InQueue("foreign tensor", {"kernel.py:46: queue: FreeTensor of a tensor that is not from this queue"}, [](auto& queue, auto& other) {
        LocalTensor<float> tile = other.template AllocTensor<float>();
        At(46);
        queue.FreeTensor(tile);
    });
    InQueue("AllocTensor when none is free", {"kernel.py:47: queue: AllocTensor waits for ever: none of the 2 buffers is free"},
            [](auto& queue, auto&) {
                queue.template AllocTensor<float>();
                queue.template AllocTensor<float>();
                At(47);
                queue.template AllocTensor<float>();
            });
    ExpectFault("more than 64 buffers", 1, {"kernel.py:48: queue: InitBuffer: more than 64 buffers"}, [] {
        TPipe pipe;
        TBuf<> buffers[65];
        At(48);
        for (TBuf<>& buffer : buffers) {
            pipe.InitBuffer(buffer, 32);
        }
    });
    if (kC220) {
        ExpectFault("event ids of queues", 1, {"kernel.py:49: queue: InitBuffer: 9 queue buffers of one position"}, [] {
            TPipe pipe;
            TQue<TPosition::VECIN, 1> a, b;
            pipe.InitBuffer(a, 5, 32);
            At(49);
            pipe.InitBuffer(b, 4, 32);
        });
    }
}

static void Flags()
{
    ExpectFault("id", 1, {"kernel.py:50: flag: SetFlag<HardEvent::MTE2_V>(8): event ids are 0..7"}, [] {
        At(50);
        SetFlag<HardEvent::MTE2_V>(8);
    });
    ExpectFault("set twice", 1, {"kernel.py:52: flag: SetFlag<HardEvent::V_MTE3>(1), which line 51 has set"}, [] {
        At(51);
        SetFlag<HardEvent::V_MTE3>(1);
        At(52);
        SetFlag<HardEvent::V_MTE3>(1);
        WaitFlag<HardEvent::V_MTE3>(1);
    });
    ExpectFault("never set", 1, {"kernel.py:53: flag: WaitFlag<HardEvent::V_MTE3>(2) waits for ever"}, [] {
        At(53);
        WaitFlag<HardEvent::V_MTE3>(2);
    });
    ExpectFault("left set", 1, {"kernel.py:54: flag: SetFlag<HardEvent::S_V>(3) is still set when the kernel ends"}, [] {
        At(54);
        SetFlag<HardEvent::S_V>(3);
        At(55);
    });
    ExpectFault("not allocated", 1, {"kernel.py:56: flag: ReleaseEventID(4): the id has not been allocated"}, [] {
        TPipe pipe;
        At(56);
        pipe.ReleaseEventID<HardEvent::S_V>(4);
    });
#if __NPU_ARCH__ == 3510
    ExpectFault("rls_buf alone", 1, {"kernel.py:57: flag: rls_buf(PIPE_V, 3) without get_buf"}, [] {
        At(57);
        rls_buf(PIPE_V, 3, false);
    });
    ExpectFault("get_buf twice", 1, {"kernel.py:59: flag: get_buf(PIPE_V, 3), which PIPE_V holds since line 58"}, [] {
        At(58);
        get_buf(PIPE_V, 3, false);
        At(59);
        get_buf(PIPE_V, 3, false);
        rls_buf(PIPE_V, 3, false);
    });
    ExpectFault("held at the end", 1, {"kernel.py:60: flag: get_buf(PIPE_MTE2, 27) is still held when the kernel ends"}, [] {
        At(60);
        Mutex::Lock<PIPE_MTE2>(27);
    });
    ExpectFault("buffer id", 1, {"kernel.py:61: flag: get_buf: buffer id 32 is not in 0..31"}, [] {
        At(61);
        get_buf(PIPE_V, 32, false);
    });
#endif
}

static void Reports()
{
    // The same fault in a loop is one line; no more than 20 lines in all.
    Run(1, [] {
        for (int i = 0; i < 100; ++i) {
            At(70);
            Add(Tile(1024, 64), Tile(0, 128)[4], Tile(2048, 64), 64);
            PipeBarrier<PIPE_V>();
        }
    });
    CHECK(Report().find('\n') == std::string::npos);
    Run(1, [] {
        for (int i = 0; i < 100; ++i) {
            At(100 + i);
            Add(Tile(1024, 64), Tile(0, 128)[4], Tile(2048, 64), 64);
            PipeBarrier<PIPE_V>();
        }
    });
    CHECK(HasLine(Report(), {"kernel.py:119: "}) && !HasLine(Report(), {"kernel.py:120: "}));
    ExpectFault("the block is named", 4, {", block 3"}, [] {
        if (GetBlockIdx() == 3) {
            Add(Tile(1024, 64), Tile(0, 128)[4], Tile(2048, 64), 64);
        }
    });
    AscendC::cpu::Launch(1, [] { Tile(0, 8).GetValue(0); });
    CHECK(HasLine(Report(), {"?:?: uninitialised"}));
    ExpectClean("the next launch begins afresh", 1, [] {});
}

int main()
{
    if (kChecked) {
        Bounds();
        Alignment();
        Uninitialised();
        Queues();
        Flags();
        Reports();
    }
    return Result();
}
