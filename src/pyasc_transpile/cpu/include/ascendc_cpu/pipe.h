// TPipe: who owns which part of the on-chip memories, and which event ids are taken.
#ifndef ASCENDC_CPU_PIPE_H
#define ASCENDC_CPU_PIPE_H

#include <exception>

#include "sync.h"
#include "tensor.h"
#include "trace.h"

namespace AscendC {

constexpr int32_t QBUF_MAX_LEN = 64;
constexpr int32_t QUE_MAX_EVENT = 8;

// One buffer of a queue or of a TBuf.
struct TBufType {
    uint8_t* address = nullptr;
    uint32_t bytes = 0;
    TBufState state = TBufState::FREE;
    TPosition position = TPosition::VECCALC;
    bool queued = false;  // belongs to a queue, not to a TBuf
    TTagType tag = 0;
    cpu::trace::Token produced;  // what the consumer waits for
    cpu::trace::Token consumed;  // what the next producer waits for
};
using TBufHandle = TBufType*;

struct TBuffAddr {
    TPosition logicPos = TPosition::VECCALC;
    TBufHandle bufferHandle = nullptr;
    uint32_t dataLen = 0;
    uint32_t bufferAddr = 0;
};

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind;
template <TPosition pos>
class TBuf;

class TPipe {
public:
    TPipe() { Init(); }
    ~TPipe()
    {
        if (alive_) {
            Destroy();
        }
    }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    void Init()
    {
        Clear();
        alive_ = true;
        cpu::CurrentBlock().pipe = this;
    }

    void Destroy()
    {
        cpu::trace::Barrier(PIPE_ALL);
        DestroyWithoutPipeAll();
    }

    void DestroyWithoutPipeAll()
    {
        if (cpu::kChecked && std::uncaught_exceptions() == 0) {
            CheckAllReturned();
        }
        alive_ = false;
        if (cpu::CurrentBlock().pipe == this) {
            cpu::CurrentBlock().pipe = nullptr;
        }
    }

    void Reset()
    {
        cpu::trace::Barrier(PIPE_ALL);
        Clear();
    }

    template <class T>
    bool InitBuffer(T& que, uint8_t num, uint32_t len)
    {
        return que.Attach(TakeBuffers(T::kMemoryPosition, num, len, true), num);
    }

    template <TPosition pos>
    bool InitBuffer(TBuf<pos>& buf, uint32_t len)
    {
        return buf.Attach(TakeBuffers(pos, 1, len, false), 1);
    }

    // A pool is a part of the pipe's memory that hands out buffers by itself (TBufPool).
    template <class T>
    bool InitBufPool(T& bufPool, uint32_t len)
    {
        bufPool.Attach(*this, Reserve(T::poolPos, len), len);
        return true;
    }
    template <class T, class U>
    bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf)
    {
        bufPool.Attach(*this, shareBuf.Start(), len);
        return true;
    }

    template <HardEvent evt>
    TEventID AllocEventID()
    {
        const TEventID id = FetchEventID(evt);
        events_[static_cast<uint8_t>(evt)] |= static_cast<uint8_t>(1U << id);
        return id;
    }
    template <HardEvent evt>
    void ReleaseEventID(TEventID id)
    {
        const uint8_t bit = static_cast<uint8_t>(1U << (id & 7));
        if (cpu::kChecked && (id < 0 || id >= QUE_MAX_EVENT || (events_[static_cast<uint8_t>(evt)] & bit) == 0)) {
            cpu::Fault("flag", "ReleaseEventID(%d): the id has not been allocated", id);
        }
        events_[static_cast<uint8_t>(evt)] &= static_cast<uint8_t>(~bit);
    }
    template <HardEvent evt>
    TEventID FetchEventID()
    {
        return FetchEventID(evt);
    }
    TEventID FetchEventID(HardEvent evt)
    {
        const uint8_t taken = events_[static_cast<uint8_t>(evt)];
        for (TEventID id = 0; id < QUE_MAX_EVENT; ++id) {
            if ((taken >> id & 1) == 0) {
                return id;
            }
        }
        cpu::StopBlock("flag", "AllocEventID: all %d event ids of this pair of pipes are taken", QUE_MAX_EVENT);
    }

#if __NPU_ARCH__ == 3510
    MutexID AllocMutexID()
    {
        for (MutexID id = 0; id <= MAX_MUTEXID; ++id) {
            if ((mutexes_ >> id & 1) == 0) {
                mutexes_ |= 1U << id;
                return id;
            }
        }
        cpu::StopBlock("flag", "AllocMutexID: all %d buffer ids are taken", MAX_MUTEXID + 1);
    }
    void ReleaseMutexID(MutexID id)
    {
        if (cpu::kChecked && (id > MAX_MUTEXID || (mutexes_ >> id & 1) == 0)) {
            cpu::Fault("flag", "ReleaseMutexID(%d): the id has not been allocated", id);
        }
        mutexes_ &= ~(1U << (id & 31));
    }
#endif

    template <TPosition pos, typename T>
    LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size) const
    {
        return LocalTensor<T>(pos, static_cast<uint32_t>(offset), static_cast<uint32_t>(size));
    }
    template <TPosition pos>
    TBuffAddr GetAbsAddr(int32_t offset, int32_t len) const
    {
        return TBuffAddr{pos, nullptr, static_cast<uint32_t>(len), static_cast<uint32_t>(offset)};
    }

    // --- for the queues and pools of this library ---------------------------------------------------------------

    // Memory without an owner yet: where the next buffer of that memory would begin.
    [[gnu::noinline]] uint32_t Reserve(TPosition position, uint32_t bytes)
    {
        const Hardware memory = cpu::MemoryOf(position);
        uint32_t& next = next_[static_cast<uint8_t>(memory)];
        const uint64_t end = uint64_t{next} + bytes;
        if (end > cpu::MemoryBytes(memory)) {
            cpu::StopBlock("bounds", "InitBuffer: %llu bytes in all, the memory has %u", static_cast<unsigned long long>(end),
                           cpu::MemoryBytes(memory));
        }
        const uint32_t start = next;
        next = static_cast<uint32_t>(end);
        return start;
    }

    TBufType* TakeBuffers(TPosition position, uint8_t num, uint32_t len, bool queued)
    {
        const uint32_t bytes = (len + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
        return TakeBuffersAt(position, num, bytes, queued, Reserve(position, bytes * num));
    }

    [[gnu::noinline]] TBufType* TakeBuffersAt(TPosition position, uint8_t num, uint32_t bytes, bool queued, uint32_t start)
    {
        if (count_ + num > QBUF_MAX_LEN) {
            cpu::StopBlock("queue", "InitBuffer: more than %d buffers in one TPipe", QBUF_MAX_LEN);
        }
        if (cpu::kChecked && cpu::kC220 && queued) {
            CheckEventIds(position, num);
        }
        uint8_t* const memory = cpu::CurrentBlock().Memory(cpu::MemoryOf(position));
        for (uint8_t i = 0; i < num; ++i) {
            TBufType& buffer = buffers_[count_ + i];
            buffer = TBufType{};
            buffer.address = memory + start + uint64_t{bytes} * i;
            buffer.bytes = bytes;
            buffer.position = position;
            buffer.queued = queued;
            cpu::trace::HandOut(buffer.address, bytes);
        }
        TBufType* const first = buffers_ + count_;
        count_ += num;
        return first;
    }

private:
    void Clear()
    {
        count_ = 0;
        mutexes_ = 0;
        for (uint32_t& next : next_) {
            next = 0;
        }
        for (uint8_t& taken : events_) {
            taken = 0;
        }
    }

    // c220 gives every queue buffer of a position its own event id.
    void CheckEventIds(TPosition position, int32_t num)
    {
        for (int32_t i = 0; i < count_; ++i) {
            num += buffers_[i].queued && buffers_[i].position == position ? 1 : 0;
        }
        if (num > QUE_MAX_EVENT) {
            cpu::Fault("queue", "InitBuffer: %d queue buffers of one position, there are %d event ids", num, QUE_MAX_EVENT);
        }
    }

    void CheckAllReturned()
    {
        for (int32_t i = 0; i < count_; ++i) {
            if (buffers_[i].queued && buffers_[i].state != TBufState::FREE) {
                cpu::Fault("queue", "a tensor of %u bytes from AllocTensor or DeQue is never freed (FreeTensor)", buffers_[i].bytes);
            }
        }
    }

    TBufType buffers_[QBUF_MAX_LEN];
    int32_t count_ = 0;
    bool alive_ = false;
    uint32_t mutexes_ = 0;
    uint32_t next_[static_cast<uint8_t>(Hardware::MAX)] = {};
    uint8_t events_[static_cast<uint8_t>(HardEvent::MAX)] = {};
};

// The pipe of the running kernel.
inline TPipe* GetTPipePtr() { return cpu::CurrentBlock().pipe; }

}  // namespace AscendC

#endif
