// DataCopy and DataCopyPad between global memory and the on-chip memories, and within a core.
#ifndef ASCENDC_CPU_COPY_H
#define ASCENDC_CPU_COPY_H

#include "atomic_store.h"
#include "sync.h"
#include "tensor.h"

namespace AscendC {
namespace cpu {

// Rows of `bytes` bytes; pitches are from the start of a row to the start of the next.
struct Rows {
    uint32_t count;
    uint64_t bytes;
    int64_t dst_pitch;
    int64_t src_pitch;

    // Rows that follow each other on both sides are one long row.
    Rows Joined() const
    {
        const int64_t length = static_cast<int64_t>(bytes);
        return count > 1 && dst_pitch == length && src_pitch == length ? Rows{1, bytes * count, 0, 0} : *this;
    }
};

constexpr uint64_t RoundUpToBlock(uint64_t bytes) { return (bytes + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE; }

template <typename T>
constexpr bool IsGlobal(const GlobalTensor<T>&)
{
    return true;
}
template <typename T>
constexpr bool IsGlobal(const LocalTensor<T>&)
{
    return false;
}

template <typename T>
inline uint8_t* Bytes(const LocalTensor<T>& tensor)
{
    return reinterpret_cast<uint8_t*>(tensor.Data());
}
template <typename T>
inline uint8_t* Bytes(const GlobalTensor<T>& tensor)
{
    return reinterpret_cast<uint8_t*>(tensor.Data());
}

// The pipe that moves data between two on-chip memories.
inline pipe_t PipeWithin(int32_t dst, int32_t src)
{
    const Hardware to = MemoryOf(static_cast<TPosition>(dst));
    const Hardware from = MemoryOf(static_cast<TPosition>(src));
    if (from == Hardware::UB) {
        return to == Hardware::UB ? PIPE_V : PIPE_MTE3;
    }
    return to == Hardware::FIXBUF || from == Hardware::L0C ? PIPE_FIX : PIPE_MTE1;
}

// The one place where rows are moved. Not inlined, like all that is called once for a whole tile: it costs compile time.
// GM addresses are checked for `gm_align`, on-chip addresses for 32 bytes.
template <typename Dst, typename Src>
[[gnu::noinline]] inline void MoveRows(const char* name, pipe_t pipe, const Dst& dst, const Src& src, const Rows& given, Align gm_align)
{
    const Rows rows = given.Joined();
    if (rows.count == 0 || rows.bytes == 0) {
        return;
    }
    Instruction(name, pipe)
        .ReadsRows(src, rows.count, rows.bytes, rows.src_pitch, IsGlobal(src) ? gm_align : Align::Block)
        .WritesRows(dst, rows.count, rows.bytes, rows.dst_pitch, IsGlobal(dst) ? gm_align : Align::Block)
        .Untracked();
    uint8_t* to = Bytes(dst);
    const uint8_t* from = Bytes(src);
    const bool atomic = IsGlobal(dst) && CurrentBlock().atomic_mode != AtomicMode::None;
    for (uint32_t row = 0; row < rows.count; ++row, to += rows.dst_pitch, from += rows.src_pitch) {
        CopyDefined(to, from, rows.bytes);
        if (atomic) {
            CombineRow(to, from, rows.bytes);
        } else if (IsGlobal(dst) != IsGlobal(src)) {
            std::memcpy(to, from, rows.bytes);
        } else {
            std::memmove(to, from, rows.bytes);
        }
    }
}

inline Rows BlockRows(const DataCopyParams& params)
{
    const int64_t length = int64_t{params.blockLen} * ONE_BLK_SIZE;
    return Rows{params.blockCount, static_cast<uint64_t>(length), length + int64_t{params.dstGap} * ONE_BLK_SIZE,
                length + int64_t{params.srcGap} * ONE_BLK_SIZE};
}

// The count form moves whole blocks only.
template <typename T>
inline Rows CountedRow(uint32_t count)
{
    return Rows{1, uint64_t{count} * sizeof(T) / ONE_BLK_SIZE * ONE_BLK_SIZE, 0, 0};
}

}  // namespace cpu

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& repeatParams)
{
    cpu::MoveRows("DataCopy", PIPE_MTE2, dst, src, cpu::BlockRows(repeatParams), cpu::Align::Natural);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, uint32_t count)
{
    cpu::MoveRows("DataCopy", PIPE_MTE2, dst, src, cpu::CountedRow<T>(count), cpu::Align::Natural);
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams)
{
    cpu::MoveRows("DataCopy", PIPE_MTE3, dst, src, cpu::BlockRows(repeatParams), cpu::Align::Natural);
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count)
{
    cpu::MoveRows("DataCopy", PIPE_MTE3, dst, src, cpu::CountedRow<T>(count), cpu::Align::Natural);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& repeatParams)
{
    cpu::MoveRows("DataCopy", cpu::PipeWithin(dst.GetPosition(), src.GetPosition()), dst, src, cpu::BlockRows(repeatParams),
                  cpu::Align::Block);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count)
{
    cpu::MoveRows("DataCopy", cpu::PipeWithin(dst.GetPosition(), src.GetPosition()), dst, src, cpu::CountedRow<T>(count),
                  cpu::Align::Block);
}

// Atomic modes of the copies to global memory that follow.
template <typename T>
inline void SetAtomicAdd()
{
    cpu::SetAtomic<T>(cpu::AtomicMode::Add);
}
template <typename T>
inline void SetAtomicMax()
{
    cpu::SetAtomic<T>(cpu::AtomicMode::Max);
}
template <typename T>
inline void SetAtomicMin()
{
    cpu::SetAtomic<T>(cpu::AtomicMode::Min);
}
template <typename T>
inline void SetAtomicType()
{
    cpu::SetAtomic<T>(cpu::CurrentBlock().atomic_mode);
}
inline void SetAtomicNone() { cpu::CurrentBlock().atomic_mode = cpu::AtomicMode::None; }
inline void DisableDmaAtomic() { SetAtomicNone(); }

#if __NPU_ARCH__ == 3510
// Atomic operations of the scalar unit on one element of global memory; all return what was there before.
template <typename T>
inline T AtomicAdd(T* address, T value)
{
    return cpu::Exchange(address, [value](T old) { return cpu::AddWrapping<T>(old, value); });
}
template <typename T>
inline T AtomicMax(T* address, T value)
{
    return cpu::Exchange(address, [value](T old) { return value > old ? value : old; });
}
template <typename T>
inline T AtomicMin(T* address, T value)
{
    return cpu::Exchange(address, [value](T old) { return value < old ? value : old; });
}
template <typename T>
inline T AtomicExch(T* address, T value)
{
    return cpu::Exchange(address, [value](T) { return value; });
}
template <typename T>
inline T AtomicCas(T* address, T value1, T value2)
{
    return cpu::Exchange(address, [value1, value2](T old) { return old == value1 ? value2 : old; });
}
#endif

// There is no scalar cache to write back here. It orders nothing: a flag to or from PIPE_S is needed as well.
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>&)
{
}
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const LocalTensor<T>&)
{
}
template <typename T, CacheLine entireType>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>&)
{
}
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>&, const T)
{
}

}  // namespace AscendC

#endif
