// TQue, TQueBind, TBuf, TBufPool: buffers that travel between pipes, and buffers that stay.
#ifndef ASCENDC_CPU_QUEUE_H
#define ASCENDC_CPU_QUEUE_H

#include "pipe.h"

namespace AscendC {

namespace cpu {

// Which pipe fills a tensor that goes from src to dst, and which one uses it (table 2.6 of the API reference).
constexpr EventPipes PipesOfQueue(TPosition src, TPosition dst)
{
    const auto in_l1 = [](TPosition position) { return MemoryOf(position) == Hardware::L1; };
    if (dst == TPosition::C2PIPE2GM) {
        return {PIPE_MTE1, PIPE_FIX};
    }
    if (src == TPosition::CO1) {
        return {PIPE_M, PIPE_FIX};
    }
    if (dst == TPosition::A2 || dst == TPosition::B2 || dst == TPosition::C2) {
        return {PIPE_MTE1, PIPE_M};
    }
    if (in_l1(dst)) {
        return src == TPosition::GM ? EventPipes{PIPE_MTE2, PIPE_MTE1} : EventPipes{PIPE_MTE3, PIPE_MTE1};
    }
    if (src == TPosition::VECIN && dst == TPosition::VECOUT) {
        return {PIPE_MTE2, PIPE_MTE3};
    }
    if (src == TPosition::GM || src == TPosition::VECIN) {
        return {PIPE_MTE2, PIPE_V};
    }
    if (dst == TPosition::GM || dst == TPosition::VECOUT || dst == TPosition::CO2) {
        return {PIPE_V, PIPE_MTE3};
    }
    return {PIPE_V, PIPE_V};
}

}  // namespace cpu

template <TPosition src, TPosition dst, int32_t depth, auto mask>
class TQueBind {
public:
    // The end of the queue that lies on the chip: where its buffers are.
    static constexpr TPosition kMemoryPosition =
        src == TPosition::GM ? dst : (dst == TPosition::GM || dst == TPosition::CO2) ? src : dst;

    TQueBind() = default;

    template <typename T>
    LocalTensor<T> AllocTensor()
    {
        return TensorOf<T>(*Alloc());
    }
    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor)
    {
        tensor = AllocTensor<T>();
    }

    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor)
    {
        return Put(BufferOf(tensor.Data(), "EnQue"), kPipes.from, tensor.GetUserTag());
    }
    bool EnQue(TBufHandle buf) { return Put(buf, kPipes.from, buf->tag); }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    bool EnQue(const LocalTensor<T>& tensor)
    {
        return Put(BufferOf(tensor.Data(), "EnQue"), cpu::PipesOfQueue(srcUserPos, dstUserPos).from, tensor.GetUserTag());
    }

    template <typename T>
    LocalTensor<T> DeQue()
    {
        return TensorOf<T>(*Take(kPipes.to));
    }
    template <typename T>
    void DeQue(LocalTensor<T>& tensor)
    {
        tensor = DeQue<T>();
    }
    TBufHandle DeQue() { return Take(kPipes.to); }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    LocalTensor<T> DeQue()
    {
        return TensorOf<T>(*Take(cpu::PipesOfQueue(srcUserPos, dstUserPos).to));
    }

    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor)
    {
        Free(BufferOf(tensor.Data(), "FreeTensor"));
    }
    void FreeBuffer(TBufHandle buf) { Free(buf); }
    void FreeAllEvent() {}

    bool HasIdleBuffer() const { return FindFree() != nullptr; }
    bool HasTensorInQue() const { return waiting_ != 0; }
    bool VacantInQue() const { return waiting_ < kDepth; }
    int32_t GetTensorCountInQue() const { return waiting_; }
    template <typename T>
    TBufState GetState(const LocalTensor<T>& tensor) const
    {
        return BufferOf(tensor.Data(), "GetState")->state;
    }
    TBuffAddr GetBufferAddr(TBufHandle buf) const
    {
        return TBuffAddr{kMemoryPosition, buf, buf->bytes, static_cast<uint32_t>(buf->address - Memory())};
    }

    // --- for TPipe ----------------------------------------------------------------------------------------------
    bool Attach(TBufType* first, uint8_t num)
    {
        first_ = first;
        count_ = num;
        next_ = 0;
        waiting_ = 0;
        return true;
    }

protected:
    static constexpr int32_t kDepth = depth < 1 ? 1 : depth;
    static constexpr cpu::EventPipes kPipes = cpu::PipesOfQueue(src, dst);

    static uint8_t* Memory() { return cpu::CurrentBlock().Memory(cpu::MemoryOf(kMemoryPosition)); }

    template <typename T>
    static LocalTensor<T> TensorOf(const TBufType& buffer)
    {
        LocalTensor<T> tensor = LocalTensor<T>::At(reinterpret_cast<T*>(buffer.address),
                                                   static_cast<uint32_t>(buffer.bytes / sizeof(T)), kMemoryPosition);
        tensor.SetUserTag(buffer.tag);
        return tensor;
    }

    // Buffers are used in turn, so that the oldest one is waited for.
    TBufType* FindFree() const
    {
        for (int32_t i = 0; i < count_; ++i) {
            TBufType& buffer = first_[(next_ + i) % count_];
            if (buffer.state == TBufState::FREE) {
                return &buffer;
            }
        }
        return nullptr;
    }

    TBufType* Alloc()
    {
        TBufType* const buffer = FindFree();
        if (buffer == nullptr) {
            if (count_ == 0) {
                cpu::StopBlock("queue", "AllocTensor on a queue without buffers (TPipe::InitBuffer)");
            }
            cpu::StopBlock("queue", "AllocTensor waits for ever: none of the %d buffers is free (FreeTensor)", count_);
        }
        next_ = static_cast<int32_t>(buffer - first_ + 1) % count_;
        buffer->state = TBufState::OCCUPIED;
        buffer->tag = 0;
        cpu::trace::HandOut(buffer->address, buffer->bytes);
        Order(buffer->consumed, kPipes.from);
        return buffer;
    }

    bool Put(TBufType* buffer, pipe_t from, TTagType tag)
    {
        if (cpu::kChecked && buffer->state != TBufState::OCCUPIED && buffer->state != TBufState::DEQUE) {
            cpu::Fault("queue", "EnQue of a tensor that is %s", buffer->state == TBufState::FREE ? "free" : "in the queue already");
        }
        if (cpu::kChecked && waiting_ >= kDepth) {
            cpu::Fault("queue", "EnQue: %d tensors wait already and the queue's depth is %d", waiting_, depth);
        }
        if (waiting_ >= QBUF_MAX_LEN) {
            cpu::StopBlock("queue", "EnQue: more tensors than buffers");
        }
        buffer->state = TBufState::ENQUE;
        buffer->tag = tag;
        cpu::trace::Signal(buffer->produced, from);
        line_[waiting_++] = buffer;
        return true;
    }

    TBufType* Take(pipe_t to)
    {
        if (waiting_ == 0) {
            cpu::StopBlock("queue", "DeQue waits for ever: the queue is empty");
        }
        TBufType* const buffer = line_[0];
        --waiting_;
        for (int32_t i = 0; i < waiting_; ++i) {
            line_[i] = line_[i + 1];
        }
        buffer->state = TBufState::DEQUE;
        consumer_ = to;
        Order(buffer->produced, to);
        return buffer;
    }

    void Free(TBufType* buffer)
    {
        if (cpu::kChecked && buffer->state == TBufState::FREE) {
            cpu::Fault("queue", "FreeTensor of a tensor that is free already");
        }
        if (cpu::kChecked && buffer->state == TBufState::ENQUE) {
            cpu::Fault("queue", "FreeTensor of a tensor that waits in the queue");
        }
        // A tensor that never went through the queue was last touched by its producer.
        cpu::trace::Signal(buffer->consumed, buffer->state == TBufState::OCCUPIED ? kPipes.from : consumer_);
        buffer->state = TBufState::FREE;
        cpu::trace::Retire(buffer->address, buffer->bytes);
    }

    TBufType* BufferOf(const void* address, const char* name) const
    {
        for (int32_t i = 0; i < count_; ++i) {
            const uint8_t* const begin = first_[i].address;
            if (address >= begin && address < begin + first_[i].bytes) {
                return first_ + i;
            }
        }
        cpu::StopBlock("queue", "%s of a tensor that is not from this queue", name);
    }

    // Waiting for one's own pipe is a barrier of that pipe.
    static void Order(const cpu::trace::Token& token, pipe_t to)
    {
        if constexpr (kPipes.from == kPipes.to) {
            cpu::trace::Barrier(to);
        } else {
            cpu::trace::Join(token, to);
        }
    }

    TBufType* first_ = nullptr;
    int32_t count_ = 0;
    int32_t next_ = 0;
    int32_t waiting_ = 0;
    pipe_t consumer_ = kPipes.to;
    TBufType* line_[QBUF_MAX_LEN] = {};
};

namespace cpu {

// Where the tensors of a plain TQue come from and go to.
constexpr TPosition QueueSource(TPosition pos)
{
    switch (pos) {
        case TPosition::VECIN:
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
            return TPosition::GM;
        case TPosition::A2:
            return TPosition::A1;
        case TPosition::B2:
            return TPosition::B1;
        case TPosition::C2:
            return TPosition::C1;
        case TPosition::C2PIPE2GM:
            return TPosition::B1;
        default:
            return pos;
    }
}

constexpr TPosition QueueTarget(TPosition pos)
{
    switch (pos) {
        case TPosition::VECOUT:
            return TPosition::GM;
        case TPosition::CO1:
            return TPosition::CO2;
        default:
            return pos;
    }
}

}  // namespace cpu

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<cpu::QueueSource(pos), cpu::QueueTarget(pos), depth, mask> {
public:
    TQue() = default;
};

template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

// A buffer without a queue: nothing waits for anything.
template <TPosition pos = TPosition::LCM>
class TBuf {
public:
    static constexpr TPosition kMemoryPosition = pos;

    TBuf() = default;

    template <typename T>
    LocalTensor<T> Get()
    {
        return Part<T>(0, Buffer().bytes / sizeof(T));
    }
    template <typename T>
    LocalTensor<T> Get(uint32_t len)
    {
        return Part<T>(0, len);
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset)
    {
        return Part<T>(bufOffset, size);
    }

    template <typename T>
    LocalTensor<T> AllocTensor()
    {
        return Get<T>();
    }
    template <typename T>
    void EnQue(const LocalTensor<T>&)
    {
    }
    template <typename T>
    LocalTensor<T> DeQue()
    {
        return Get<T>();
    }
    template <typename T>
    void FreeTensor(LocalTensor<T>&)
    {
    }

    // --- for TPipe ----------------------------------------------------------------------------------------------
    bool Attach(TBufType* first, uint8_t)
    {
        buffer_ = first;
        return true;
    }

private:
    TBufType& Buffer() const
    {
        if (buffer_ == nullptr) {
            cpu::StopBlock("queue", "TBuf::Get before TPipe::InitBuffer");
        }
        return *buffer_;
    }

    template <typename T>
    LocalTensor<T> Part(uint32_t offset, uint64_t size) const
    {
        const TBufType& buffer = Buffer();
        if (cpu::kChecked && offset + size * sizeof(T) > buffer.bytes) {
            cpu::StopBlock("bounds", "TBuf::Get: bytes %u to %llu of a buffer of %u bytes", offset,
                           static_cast<unsigned long long>(offset + size * sizeof(T)), buffer.bytes);
        }
        return LocalTensor<T>::At(reinterpret_cast<T*>(buffer.address + offset), static_cast<uint32_t>(size), pos);
    }

    TBufType* buffer_ = nullptr;
};

// A part of the pipe's memory with its own allocation; pools may share a part.
template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
public:
    static constexpr TPosition poolPos = pos;

    TBufPool() = default;

    template <class T>
    bool InitBuffer(T& que, uint8_t num, uint32_t len)
    {
        const uint32_t bytes = (len + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
        return que.Attach(pipe_->TakeBuffersAt(T::kMemoryPosition, num, bytes, true, Reserve(bytes * num)), num);
    }
    template <TPosition bufPos>
    bool InitBuffer(TBuf<bufPos>& buf, uint32_t len)
    {
        const uint32_t bytes = (len + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
        return buf.Attach(pipe_->TakeBuffersAt(bufPos, 1, bytes, false, Reserve(bytes)), 1);
    }
    template <class T>
    bool InitBufPool(T& bufPool, uint32_t len)
    {
        bufPool.Attach(*pipe_, Reserve(len), len);
        return true;
    }
    template <class T, class U>
    bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf)
    {
        bufPool.Attach(*pipe_, shareBuf.Start(), len);
        return true;
    }
    void Reset() { used_ = 0; }

    // --- for TPipe ----------------------------------------------------------------------------------------------
    void Attach(TPipe& pipe, uint32_t start, uint32_t bytes)
    {
        pipe_ = &pipe;
        start_ = start;
        bytes_ = bytes;
        used_ = 0;
    }
    uint32_t Start() const { return start_; }

private:
    uint32_t Reserve(uint32_t bytes)
    {
        if (uint64_t{used_} + bytes > bytes_) {
            cpu::StopBlock("bounds", "TBufPool::InitBuffer: %u bytes do not fit into the %u left", bytes, bytes_ - used_);
        }
        const uint32_t at = start_ + used_;
        used_ += bytes;
        return at;
    }

    TPipe* pipe_ = nullptr;
    uint32_t start_ = 0;
    uint32_t bytes_ = 0;
    uint32_t used_ = 0;
};

}  // namespace AscendC

#endif
