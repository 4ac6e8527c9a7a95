// Synchronisation between the pipes of a core and between cores. Instructions run in program order here, so waits
// between pipes never wait: they are bookkeeping of the checked build. Waits between blocks really wait.
#ifndef ASCENDC_CPU_SYNC_H
#define ASCENDC_CPU_SYNC_H

#include "launcher.h"
#include "tensor.h"
#include "trace.h"

// Compiler builtins on the device, hence global. c310 only.
#if __NPU_ARCH__ == 3510
inline void get_buf(pipe_t pipe, uint64_t id, bool mode) { AscendC::cpu::trace::Acquire(pipe, id, mode); }
inline void rls_buf(pipe_t pipe, uint64_t id, bool mode) { AscendC::cpu::trace::Release(pipe, id, mode); }
#endif

namespace AscendC {

template <HardEvent event>
inline void SetFlag(int32_t eventID)
{
    cpu::trace::SetFlag(event, eventID);
}

template <HardEvent event>
inline void WaitFlag(int32_t eventID)
{
    cpu::trace::WaitFlag(event, eventID);
}

template <pipe_t pipe>
inline void PipeBarrier()
{
    static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> is not allowed: the scalar unit needs no barrier");
    cpu::trace::Barrier(pipe);
}

template <MemDsbT arg0>
inline void DataSyncBarrier()
{
    cpu::trace::Barrier(PIPE_ALL);
}

#if __NPU_ARCH__ == 3510
class Mutex {
public:
    template <pipe_t pipe>
    static void Lock(MutexID id)
    {
        get_buf(pipe, id, false);
    }
    template <pipe_t pipe>
    static void Unlock(MutexID id)
    {
        rls_buf(pipe, id, false);
    }
};
#endif

// Static tensor style begins with this: every mode as at reset.
inline void InitSocState() { cpu::CurrentBlock().ResetModes(); }

namespace cpu {

inline void MeetBlocks(const char* name, uint32_t expected)
{
    trace::Barrier(PIPE_ALL);
    trace::BlocksMeet();
    if (!CurrentBlock().launcher->Barrier(expected)) {
        StopBlock("flag", "%s waits for ever: not all blocks come to it", name);
    }
    trace::BlocksMet();
}

}  // namespace cpu

#if __NPU_ARCH__ == 3510
template <bool isAIVOnly = true, const SyncAllConfig& config = DEFAULT_SYNC_ALL_CONFIG>
#else
template <bool isAIVOnly = true>
#endif
inline void SyncAll()
{
    cpu::MeetBlocks("SyncAll", cpu::CurrentBlock().count);
}

template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>&, const LocalTensor<int32_t>&, const int32_t usedCores = 0)
{
    cpu::MeetBlocks("SyncAll", usedCores != 0 ? static_cast<uint32_t>(usedCores) : cpu::CurrentBlock().count);
}

template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId)
{
    static_assert(modeId <= 2 || (modeId == 4 && cpu::kC310), "CrossCoreSetFlag: modes are 0, 1, 2, and 4 on c310");
    cpu::Block& block = cpu::CurrentBlock();
    if (flagId >= cpu::Launcher::kFlags) {
        cpu::StopBlock("flag", "CrossCoreSetFlag: flag id %u is not in 0..15", flagId);
    }
    if constexpr (modeId == 0) {
        block.launcher->SetFlag(block.index, flagId);
    } else {
        block.launcher->SetFlagOfGroup(block.index, flagId);
    }
}

template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId)
{
    cpu::Block& block = cpu::CurrentBlock();
    if (flagId >= cpu::Launcher::kFlags) {
        cpu::StopBlock("flag", "CrossCoreWaitFlag: flag id %u is not in 0..15", flagId);
    }
    if (!block.launcher->WaitFlag(block.index, flagId)) {
        cpu::StopBlock("flag", "CrossCoreWaitFlag(%u) waits for ever: the flag is not set by all it waits for", flagId);
    }
    cpu::trace::BlocksPaired();
}

template <pipe_t pipe, uint8_t subBlockSyncMode = 2>
inline void NotifyEvent(uint16_t flagId)
{
    CrossCoreSetFlag<subBlockSyncMode, pipe>(flagId);
}

template <pipe_t pipe = PIPE_S, uint8_t mode = 0>
inline void WaitEvent(uint16_t flagId)
{
    CrossCoreWaitFlag<mode, pipe>(flagId);
}

namespace cpu {

// Where block `blockIdx` keeps its word for event `eventID`: 32 bytes for every block and event.
inline int32_t* BlockFlag(const GlobalTensor<int32_t>& workspace, int32_t blockIdx, int32_t eventID)
{
    const int64_t blocks = static_cast<int64_t>(CurrentBlock().count) * CurrentBlock().sub_count;
    return workspace.Data() + (blocks * eventID + blockIdx) * (ONE_BLK_SIZE / static_cast<int64_t>(sizeof(int32_t)));
}

}  // namespace cpu

template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&, int32_t blockIdx, int32_t eventID)
{
    int32_t* word = cpu::BlockFlag(gmWorkspace, blockIdx, eventID);
    cpu::trace::Barrier(PIPE_ALL);
    cpu::trace::BlocksPaired();
    cpu::CurrentBlock().launcher->ChangeShared([word] { *word = 1; });
}

template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>&, int32_t blockIdx, int32_t eventID)
{
    int32_t* word = cpu::BlockFlag(gmWorkspace, blockIdx, eventID);
    cpu::trace::Barrier(PIPE_ALL);
    cpu::trace::BlocksPaired();
    const bool came = cpu::CurrentBlock().launcher->WaitShared([word] {
        const bool set = *word == 1;
        *word = set ? 0 : *word;
        return set;
    });
    if (!came) {
        cpu::StopBlock("flag", "IBWait(block %d, event %d) waits for ever", blockIdx, eventID);
    }
}

// Blocks take turns in the order of their numbers; the first word of the workspace says whose turn it is.
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>&)
{
    int32_t* turn = gmWorkspace.Data();
    cpu::CurrentBlock().launcher->ChangeShared([turn] { *turn = 0; });
    cpu::MeetBlocks("InitDetermineComputeWorkspace", cpu::CurrentBlock().count);
}

inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>&)
{
    const int32_t* turn = gmWorkspace.Data();
    const int32_t mine = static_cast<int32_t>(cpu::CurrentBlock().index);
    cpu::trace::BlocksPaired();
    if (!cpu::CurrentBlock().launcher->WaitShared([turn, mine] { return *turn == mine; })) {
        cpu::StopBlock("flag", "WaitPreBlock waits for ever");
    }
}

inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>&)
{
    int32_t* turn = gmWorkspace.Data();
    const int32_t blocks = static_cast<int32_t>(cpu::CurrentBlock().count);
    cpu::trace::Barrier(PIPE_ALL);
    cpu::CurrentBlock().launcher->ChangeShared([turn, blocks] { *turn = (*turn + 1) % blocks; });
}

}  // namespace AscendC

#endif
