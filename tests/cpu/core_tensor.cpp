// Tensors, the allocator, TPipe, queues, pools: their documented members.
#include "core_test.h"

using namespace AscendC;

static void LocalMembers()
{
    ExpectClean("LocalTensor", 1, [] {
        LocalTensor<float> tiles[2] = {{TPosition::VECCALC, 0, 64}, {TPosition::VECCALC, 256, 64}};
        LocalTensor<float> tile = tiles[1];
        CHECK(tile.GetSize() == 64 && tile.GetPosition() == static_cast<int32_t>(TPosition::VECCALC));
        CHECK(tile.GetPhyAddr() - tiles[0].GetPhyAddr() == 256);
        CHECK(tile.GetPhyAddr(2) - tile.GetPhyAddr() == 8);
        tile.SetValue(3, 1.5f);
        tile(4) = 2.5f;
        tile(4) += 1.0f;
        const float read = tile(4);
        CHECK(tile.GetValue(3) == 1.5f && read == 3.5f);
        const LocalTensor<float> part = tile[3];
        CHECK(part.GetSize() == 61 && part.GetValue(0) == 1.5f);
        const LocalTensor<int16_t> words = tile.ReinterpretCast<int16_t>();
        CHECK(words.GetSize() == 128 && words.GetValue(7) == 0x3fc0);
        tile.SetSize(10);
        CHECK(tile.GetSize() == 10 && tile.GetLength() == 40);
        tile.SetBufferLen(256);
        CHECK(tile.GetSize() == 64);
        tile.SetUserTag(9);
        CHECK(tile.GetUserTag() == 9);
        const uint32_t shape[2] = {8, 8};
        tile.SetShapeInfo(ShapeInfo(2, shape, DataFormat::NZ));
        CHECK(tile.GetShapeInfo().shapeDim == 2 && tile.GetShapeInfo().shape[1] == 8 && tile.GetShapeInfo().dataFormat == DataFormat::NZ);
        LocalTensor<uint8_t> bytes;
        bytes.SetAddrWithOffset(tile, 8);
        CHECK(bytes.GetPhyAddr() - tile.GetPhyAddr() == 32);
    });
}

static void GlobalMembers()
{
    std::vector<float> data(100);
    ExpectClean("GlobalTensor", 1, [&] {
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(data.data(), 100);
        CHECK(gm.GetSize() == 100 && gm.GetPhyAddr() == data.data() && gm.GetPhyAddr(3) == data.data() + 3);
        gm.SetValue(5, 2.0f);
        gm(6) = 3.0f;
        CHECK(gm.GetValue(5) == 2.0f && gm[6].GetValue(0) == 3.0f && gm[50][static_cast<uint64_t>(-44)].GetValue(0) == 3.0f);
        gm.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        gm.SetL2CacheHint<CacheRwMode::READ>(CacheMode::CACHE_MODE_NORMAL);
#if __NPU_ARCH__ == 3510
        CHECK(gm.ReinterpretCast<int16_t>().GetSize() == 200);
#endif
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm);
    });
}

static void Allocator()
{
    ExpectClean("LocalMemAllocator", 1, [] {
        LocalMemAllocator<Hardware::UB> ub;
        const auto a = ub.Alloc<float, 10>();
        const auto b = ub.Alloc<TPosition::VECIN, half>(16);
        const auto c = ub.Alloc<TPosition::VECOUT, int32_t, 8>();
        const auto d = ub.Alloc<uint8_t>(5);
        CHECK(a.GetSize() == 10 && b.GetPhyAddr() - a.GetPhyAddr() == 64 && c.GetPhyAddr() - b.GetPhyAddr() == 32);
        CHECK(d.GetPhyAddr() - c.GetPhyAddr() == 32 && ub.GetCurAddr() == 160);
        CHECK(b.GetPosition() == static_cast<int32_t>(TPosition::VECIN));
    });
}

static void Events()
{
    ExpectClean("event ids", 1, [] {
        TPipe pipe;
        CHECK(GetTPipePtr() == &pipe);
        const TEventID first = pipe.AllocEventID<HardEvent::V_S>();
        const TEventID second = pipe.AllocEventID<HardEvent::V_S>();
        CHECK(first != second);
        CHECK(pipe.FetchEventID(HardEvent::V_S) == pipe.FetchEventID<HardEvent::V_S>());
        pipe.ReleaseEventID<HardEvent::V_S>(first);
        CHECK(pipe.FetchEventID(HardEvent::V_S) == first);
        pipe.ReleaseEventID<HardEvent::V_S>(second);
        for (int i = 0; i < 8; ++i) {
            pipe.AllocEventID<HardEvent::MTE2_V>();
        }
#if __NPU_ARCH__ == 3510
        const MutexID mutex = pipe.AllocMutexID();
        Mutex::Lock<PIPE_V>(mutex);
        Mutex::Unlock<PIPE_V>(mutex);
        pipe.ReleaseMutexID(mutex);
#endif
    });
    ExpectFault("too many event ids", 1, {"flag: AllocEventID: all 8 event ids"}, [] {
        TPipe pipe;
        for (int i = 0; i < 9; ++i) {
            pipe.AllocEventID<HardEvent::MTE2_V>();
        }
    });
}

static void Queues()
{
    ExpectClean("queues", 1, [] {
        TPipe pipe;
        TQue<TPosition::VECIN, 2> queue;
        TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bound;
        TBuf<TPosition::VECCALC> buffer;
        TBuf<> plain;
        CHECK(pipe.InitBuffer(queue, 2, 100) && pipe.InitBuffer(bound, 1, 64));
        pipe.InitBuffer(buffer, 256);
        pipe.InitBuffer(plain, 32);
        CHECK(buffer.Get<float>().GetSize() == 64 && buffer.Get<float>(5).GetSize() == 5);
        CHECK(buffer.GetWithOffset<float>(8, 32).GetPhyAddr() - buffer.Get<float>().GetPhyAddr() == 32);
        CHECK(plain.Get<int32_t>().GetPhyAddr() - buffer.Get<float>().GetPhyAddr() == 256);

        CHECK(queue.HasIdleBuffer() && queue.VacantInQue() && !queue.HasTensorInQue());
        LocalTensor<float> a = queue.AllocTensor<float>();
        LocalTensor<float> b = queue.AllocTensor<float>();
        CHECK(a.GetSize() == 32 && b.GetPhyAddr() - a.GetPhyAddr() == 128 && !queue.HasIdleBuffer());
        CHECK(queue.GetState(a) == TBufState::OCCUPIED);
        a.SetUserTag(5);
        CHECK(queue.EnQue(b) && queue.EnQue(a));
        CHECK(queue.GetTensorCountInQue() == 2 && !queue.VacantInQue());
        LocalTensor<float> first = queue.DeQue<float>();
        LocalTensor<float> second;
        queue.DeQue(second);
        CHECK(first.GetPhyAddr() == b.GetPhyAddr() && second.GetPhyAddr() == a.GetPhyAddr() && second.GetUserTag() == 5);
        queue.FreeTensor(first);
        queue.FreeTensor(second);

        LocalTensor<half> c;
        bound.AllocTensor(c);
        bound.EnQue<TPosition::GM, TPosition::VECIN>(c);
        c = bound.DeQue<TPosition::GM, TPosition::VECIN, half>();
        bound.EnQue(c);
        c = bound.DeQue<half>();
        bound.FreeTensor(c);

        TBufPool<TPosition::VECCALC> pool, shared;
        pipe.InitBufPool(pool, 1024);
        pipe.InitBufPool(shared, 1024, pool);
        TBuf<TPosition::VECCALC> x, y;
        pool.InitBuffer(x, 64);
        shared.InitBuffer(y, 64);
        CHECK(x.Get<float>().GetPhyAddr() == y.Get<float>().GetPhyAddr());
    });
}

static void Parameters()
{
    const DataCopyParams copy{1, 2, 3, 4};
    CHECK(copy.blockCount == 1 && copy.blockLen == 2 && copy.srcStride == 3 && copy.dstStride == 4 && copy.srcGap == 3);
    const BinaryRepeatParams binary(1, 2, 3, 4, 5, 6);
    CHECK(binary.dstBlkStride == 1 && binary.src1BlkStride == 3 && binary.dstRepStride == 4 && binary.src1RepStride == 6);
    const BrcbRepeatParams brcb(2, 16);
    CHECK(brcb.dstBlkStride == 2 && brcb.dstRepStride == 16);
    const UnaryRepeatParams unary{1, 1, 8, 4};
    CHECK(unary.dstRepStride == 8 && unary.srcRepStride == 4 && !unary.halfBlock);
    CHECK(sizeof(DataCopyExtParams::srcStride) == (kC220 ? 4 : 8));
}

int main()
{
    LocalMembers();
    GlobalMembers();
    Allocator();
    Events();
    Queues();
    Parameters();
    return Result();
}
