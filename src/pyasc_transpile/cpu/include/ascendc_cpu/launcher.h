// One launch: its blocks, who runs them, and how they wait for each other.
#ifndef ASCENDC_CPU_LAUNCHER_H
#define ASCENDC_CPU_LAUNCHER_H

#include <atomic>
#include <exception>

#include "machine.h"
#include "report.h"
#include "team.h"

namespace AscendC::cpu {

// Blocks wait here between launches so that their memories are allocated only once.
class [[gnu::visibility("hidden")]] BlockPool {
public:
    ~BlockPool()
    {
        while (free_ != nullptr) {
            Block* next = free_->next_free;
            delete free_;
            free_ = next;
        }
    }

    Block* Take()
    {
        const Guard guard(lock_);
        if (free_ == nullptr) {
            return new Block;
        }
        Block* block = free_;
        free_ = block->next_free;
        return block;
    }

    void Return(Block* block)
    {
        const Guard guard(lock_);
        block->next_free = free_;
        free_ = block;
    }

    [[gnu::visibility("hidden")]] static BlockPool& Instance()
    {
        static BlockPool pool;
        return pool;
    }

private:
    Lockable lock_;
    Block* free_ = nullptr;
};

// What a checked build adds to a launch and to a block (checker.h). Empty in the fast build.
void CheckedLaunchBegin(Launcher& launcher);
void CheckedLaunchEnd(Launcher& launcher);
void CheckedBlockBegin(Block& block);
void CheckedBlockEnd(Block& block, bool completed);

class [[gnu::visibility("hidden")]] Launcher final : public Work {
public:
    using Body = void (*)(void*);
    static constexpr uint32_t kFlags = 16;

    Launcher(uint32_t blocks, Body body, void* argument) : blocks_(blocks), body_(body), argument_(argument) {}
    ~Launcher() { delete[] flags_; }
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    int Execute()
    {
        CheckedLaunchBegin(*this);
        const unsigned threads = Threads();
        const unsigned helpers = (blocks_ < threads ? blocks_ : threads) - 1;
        if (helpers == 0) {
            Run();
        } else {
            Team& team = TeamHolder::Instance().Get();
            team.Offer(*this, helpers);  // fewer threads than wished for: slower, not wrong
            Run();
        }
        if (helpers != 0 || asked_for_help_) {
            TeamHolder::Instance().Get().Finish(*this);
        }
        CheckedLaunchEnd(*this);
        std::memcpy(t_last_report, report_.Text(), std::strlen(report_.Text()) + 1);
        return report_.Empty() ? 0 : 1;
    }

    // Runs blocks until all have been taken. A launch made from inside a kernel must find its own block again.
    void Run() override
    {
        Block* const outer = t_block;
        Block* const block = BlockPool::Instance().Take();
        t_block = block;
        for (uint32_t i = next_.fetch_add(1); i < blocks_; i = next_.fetch_add(1)) {
            RunBlock(*block, i);
        }
        t_block = outer;
        BlockPool::Instance().Return(block);
    }

    Report& GetReport() { return report_; }
    uint32_t Blocks() const { return blocks_; }
    void* checked = nullptr;  // the checked build's record of the launch

    // --- blocks waiting for each other ----------------------------------------------------------------------------

    // All blocks meet. False when they never will: some block has ended, or waits for something else.
    bool Barrier(uint32_t expected)
    {
        NeedAllBlocks();
        const Guard guard(lock_);
        const uint64_t generation = generation_;
        if (++arrived_ == expected) {
            arrived_ = 0;
            ++generation_;
            Changed();
            return true;
        }
        return WaitUntil([this, generation] { return generation_ != generation; });
    }

    // Mode 0 of the cross-core flags: when every block has set the flag, every block's counter goes up by one.
    void SetFlag(uint32_t block, uint32_t id)
    {
        const Guard guard(lock_);
        Flag& mine = FlagOf(block, id);
        ++mine.sets;
        uint32_t rounds = mine.sets;
        for (uint32_t other = 0; other < blocks_; ++other) {
            const uint32_t sets = FlagOf(other, id).sets;
            rounds = sets < rounds ? sets : rounds;
        }
        for (; rounds != 0; --rounds) {
            for (uint32_t other = 0; other < blocks_; ++other) {
                --FlagOf(other, id).sets;
                ++FlagOf(other, id).pending;
            }
        }
        Changed();
    }

    // The modes within a group: a group has one core until mixed kernels are here, so a set reaches that core.
    void SetFlagOfGroup(uint32_t block, uint32_t id)
    {
        const Guard guard(lock_);
        ++FlagOf(block, id).pending;
        Changed();
    }

    bool WaitFlag(uint32_t block, uint32_t id)
    {
        NeedAllBlocks();
        const Guard guard(lock_);
        if (!WaitUntil([this, block, id] { return FlagOf(block, id).pending != 0; })) {
            return false;
        }
        --FlagOf(block, id).pending;
        return true;
    }

    // IBSet / IBWait and the deterministic order: a word in global memory that one block writes and another waits for.
    template <typename Change>
    void ChangeShared(const Change& change)
    {
        const Guard guard(lock_);
        change();
        Changed();
    }
    template <typename Ready>
    bool WaitShared(const Ready& ready)
    {
        NeedAllBlocks();
        const Guard guard(lock_);
        return WaitUntil(ready);
    }

private:
    struct Flag {
        uint32_t sets = 0;     // sets of this block that other blocks have not matched yet
        uint32_t pending = 0;  // what this block can wait for
    };

    void RunBlock(Block& block, uint32_t index)
    {
        block.index = index;
        block.count = blocks_;
        block.launcher = this;
        block.ResetModes();
        block.registers = VectorRegisters{};
        CheckedBlockBegin(block);
        bool completed = false;
        try {
            body_(argument_);
            completed = true;
        } catch (const BlockEnded&) {
        } catch (const std::exception& error) {
            Failed(index, error.what());
        } catch (...) {
            Failed(index, "an exception of unknown type");
        }
        CheckedBlockEnd(block, completed);
        block.pipe = nullptr;
        const Guard guard(lock_);
        ++finished_;
        if (blocked_ != 0 && blocked_ == blocks_ - finished_) {
            stuck_ = true;
            changed_.WakeAll();
        }
    }

    void Failed(uint32_t index, const char* what)
    {
        char text[512];
        std::snprintf(text, sizeof text, "?:?: exception: %s, block %u", what, index);
        report_.Add(HashText(what), text);
    }

    // A block that waits keeps its thread. Another one must come for the blocks that nobody has started.
    void NeedAllBlocks()
    {
        if (next_.load() >= blocks_) {
            return;
        }
        asked_for_help_ = true;
        if (!TeamHolder::Instance().Get().Offer(*this, 1)) {
            const Guard guard(lock_);
            stuck_ = true;
            changed_.WakeAll();
        }
    }

    // Waits under lock_. When every live block waits and nothing changes, none will ever go on: then all return false.
    template <typename Ready>
    bool WaitUntil(const Ready& ready)
    {
        while (!ready()) {
            if (stuck_) {
                return false;
            }
            const uint64_t seen = changes_;
            if (++blocked_ == blocks_ - finished_) {
                stuck_ = true;
                changed_.WakeAll();
                return false;
            }
            while (changes_ == seen && !stuck_) {
                changed_.Wait(lock_);
            }
        }
        return true;
    }

    void Changed()
    {
        ++changes_;
        blocked_ = 0;  // everybody looks again
        changed_.WakeAll();
    }

    Flag& FlagOf(uint32_t block, uint32_t id)
    {
        if (flags_ == nullptr) {
            flags_ = new Flag[size_t{blocks_} * kFlags];
        }
        return flags_[size_t{block} * kFlags + id % kFlags];
    }

    const uint32_t blocks_;
    const Body body_;
    void* const argument_;
    std::atomic<uint32_t> next_{0};
    std::atomic<bool> asked_for_help_{false};
    Report report_;

    Lockable lock_;
    Condition changed_;
    uint64_t changes_ = 0;
    uint64_t generation_ = 0;
    uint32_t arrived_ = 0;
    uint32_t finished_ = 0;
    uint32_t blocked_ = 0;
    bool stuck_ = false;
    Flag* flags_ = nullptr;
};

// Adds one line to the report of the launch: file, line, kind, text, block.
inline void AddToReport(uint64_t key, const char* kind, const char* text)
{
    const Block& block = CurrentBlock();
    char where[16] = "?";
    if (block.line > 0) {
        std::snprintf(where, sizeof where, "%d", block.line);
    }
    char whole[1024];
    std::snprintf(whole, sizeof whole, "%s:%s: %s: %s, block %u", block.file != nullptr ? block.file : "?", where, kind, text,
                  block.index);
    block.launcher->GetReport().Add(key, whole);
}

// Ends the block for a reason that no build can go on from (Trap, a failed assertion, a wait that never ends).
[[noreturn, gnu::cold, gnu::format(printf, 2, 3)]] inline void StopBlock(const char* kind, const char* format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (t_block == nullptr) {  // not inside a kernel: an assertion of the host
        std::fprintf(stderr, "%s: %s\n", kind, text);
        std::abort();
    }
    AddToReport(HashText(text, HashText(kind)) + static_cast<uint64_t>(CurrentBlock().line), kind, text);
    throw BlockEnded{};
}

}  // namespace AscendC::cpu

#endif
