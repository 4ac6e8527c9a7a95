// The state of the core that the current thread plays: which block it is, its on-chip memories, its scalar-set modes.
#ifndef ASCENDC_CPU_MACHINE_H
#define ASCENDC_CPU_MACHINE_H

#include <cstdlib>
#include <cstring>

#include "params.h"
#include "types.h"

namespace AscendC {

class TPipe;

namespace cpu {

class [[gnu::visibility("hidden")]] Launcher;  // launcher.h
class [[gnu::visibility("hidden")]] Checker;   // checker.h; only in the checked build

// What UB->GM copies do to the bytes they meet (SetAtomicAdd and friends).
enum class AtomicMode : uint8_t { None, Add, Max, Min };
enum class AtomicType : uint8_t { None, Float, Half, Bfloat16, Int8, Int16, Int32 };

// The mask registers and mode of the vector unit; owned by the vector instructions, reset by ResetModes.
struct VectorMask {
    uint64_t low = ~uint64_t{0};
    uint64_t high = ~uint64_t{0};
    bool counter = false;
};

// Scalar registers of the vector unit; a kernel starts with those of a new core.
struct VectorRegisters {
    uint64_t compare[4] = {0, 0, 0, 0};  // one bit per lane of the last Compare without a destination
    double deq_scale = 1.0;              // SetDeqScale
    uint64_t sum = 0;                    // bits of the result of the last ReduceSum
    uint64_t extreme = 0;                // bits of the result of the last ReduceMax or ReduceMin, and its index
    uint64_t index = 0;
};

struct LoopMode {
    bool active = false;
    LoopModeParams params;
};

// Everything that is per core. Blocks are recycled from launch to launch so that their memories are allocated once.
struct [[gnu::visibility("hidden")]] Block {
    uint32_t index = 0;      // group index: what the builtin block_idx says
    uint32_t count = 1;      // number of groups
    uint32_t sub_index = 0;  // which vector core of the group
    uint32_t sub_count = 1;  // vector cores per group

    uint8_t* memory[static_cast<uint8_t>(Hardware::MAX)] = {};

    VectorMask mask;
    VectorRegisters registers;
    AtomicMode atomic_mode = AtomicMode::None;
    AtomicType atomic_type = AtomicType::None;
    uint64_t pad_value = 0;
    LoopMode loop_to_ub;
    LoopMode loop_to_gm;

    const char* file = nullptr;  // where the running statement comes from, if the kernel says so (SourceFile, At)
    int line = 0;

    TPipe* pipe = nullptr;
    Launcher* launcher = nullptr;
    Checker* checker = nullptr;
    void (*delete_checker)(Checker*) = nullptr;
    Block* next_free = nullptr;  // while it waits for a launch

    Block() = default;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block()
    {
        if (delete_checker != nullptr) {
            delete_checker(checker);
        }
        for (uint8_t* bytes : memory) {
            std::free(bytes);
        }
    }

    // The first byte of a memory, allocated on first use: vector kernels never pay for the cube's memories.
    uint8_t* Memory(Hardware hardware)
    {
        uint8_t*& bytes = memory[static_cast<uint8_t>(hardware)];
        if (bytes == nullptr && MemoryBytes(hardware) != 0) {
            // Loads of vector registers may reach behind the last tensor: two registers of 256 bytes.
            const uint32_t size = MemoryBytes(hardware) + 2 * ONE_REPEAT_BYTE_SIZE;
            bytes = static_cast<uint8_t*>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096));
        }
        return bytes;
    }

    // What InitSocState and the start of a kernel set.
    void ResetModes()
    {
        mask = VectorMask{};
        atomic_mode = AtomicMode::None;
        atomic_type = AtomicType::None;
        pad_value = 0;
        loop_to_ub = LoopMode{};
        loop_to_gm = LoopMode{};
    }
};

// Hidden, as is all state of these headers: two kernel libraries in one process (say a fast and a checked build) must
// not share it.
[[gnu::visibility("hidden")]] inline thread_local Block* t_block = nullptr;

// The block that the calling thread runs. Only valid inside a kernel.
inline Block& CurrentBlock() { return *t_block; }

}  // namespace cpu
}  // namespace AscendC

#endif
