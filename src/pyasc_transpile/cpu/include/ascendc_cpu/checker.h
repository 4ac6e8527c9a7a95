// The checked build's knowledge about one block: which bytes are defined, who touched what, which flags are set.
#ifndef ASCENDC_CPU_CHECKER_H
#define ASCENDC_CPU_CHECKER_H

#include <memory>
#include <utility>
#include <vector>

#include "access_map.h"
#include "block_record.h"
#include "launcher.h"
#include "vector_checks.h"

namespace AscendC::cpu {

inline const char* MemoryName(Hardware memory)
{
    static constexpr const char* names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
    return names[static_cast<uint8_t>(memory)];
}

inline const char* EventName(HardEvent event)
{
    static constexpr const char* names[] = {"MTE2_MTE1", "MTE1_MTE2", "MTE1_M",    "M_MTE1",    "MTE2_V",    "V_MTE2",   "MTE3_V",
                                            "V_MTE3",    "M_V",       "V_M",       "V_V",       "MTE3_MTE1", "MTE1_MTE3", "MTE1_V",
                                            "MTE2_M",    "M_MTE2",    "V_MTE1",    "M_FIX",     "FIX_M",     "MTE3_MTE2", "MTE2_MTE3",
                                            "S_V",       "V_S",       "S_MTE2",    "MTE2_S",    "S_MTE3",    "MTE3_S",   "MTE2_FIX",
                                            "FIX_MTE2",  "FIX_S",     "M_S",       "FIX_MTE3",  "MTE1_FIX",  "FIX_MTE1", "FIX_FIX"};
    return names[static_cast<uint8_t>(event)];
}

class [[gnu::visibility("hidden")]] Checker {
public:
    static constexpr int kEvents = 8;
    static constexpr int kBufferIds = 32;

    void Begin(Block& block)
    {
        block_ = &block;
        clocks_.Reset();
        accesses_.Clear();
        record_.Clear();
        retired_.clear();
        vectors.Clear();
        undefined_read_ = {};
        epoch_ = 0;
        std::memset(flags_, 0, sizeof flags_);
        std::memset(static_cast<void*>(locks_), 0, sizeof locks_);
        for (uint8_t memory = 0; memory < static_cast<uint8_t>(Hardware::MAX); ++memory) {
            if (defined_[memory] != nullptr) {
                std::memset(defined_[memory].get(), 0, MemoryBytes(static_cast<Hardware>(memory)));
            }
        }
        block.file = nullptr;
        block.line = 0;
    }

    // What is left over when a kernel has come to its end.
    void End(bool completed)
    {
        ReportUndefinedRead();
        if (completed) {
            CheckFlagsWaited();
            CheckLocksReleased();
        }
        std::vector<GlobalAccess> accesses = record_.Take();
        LaunchRecord& launch = Launch();
        const Guard guard(launch.lock);
        launch.accesses.insert(launch.accesses.end(), accesses.begin(), accesses.end());
        launch.file = block_->file != nullptr ? block_->file : launch.file;
        block_->line = 0;
        block_->file = nullptr;
    }

    // --- reports --------------------------------------------------------------------------------------------------

    [[gnu::format(printf, 4, 5)]] void Report(const char* kind, const char* instruction, const char* format, ...)
    {
        va_list arguments;
        va_start(arguments, format);
        ReportV(kind, instruction, format, arguments);
        va_end(arguments);
    }
    // The same kind of fault of the same instruction in the same line is one fault; `other` tells races apart further.
    void ReportV(const char* kind, const char* instruction, const char* format, va_list arguments, uint64_t other = 0)
    {
        char text[640];
        std::vsnprintf(text, sizeof text, format, arguments);
        const uint64_t key = HashText(instruction, HashText(kind)) * 31 + static_cast<uint64_t>(block_->line);
        AddToReport(key + other * 1000003, kind, text);
    }
    [[gnu::format(printf, 5, 6)]] void ReportBetween(const char* kind, const char* instruction, const Access& other,
                                                     const char* format, ...)
    {
        va_list arguments;
        va_start(arguments, format);
        ReportV(kind, instruction, format, arguments, static_cast<uint64_t>(other.line) * kPipes + static_cast<uint64_t>(other.pipe));
        va_end(arguments);
    }

    // A scalar read of what was never written is no fault yet if the next thing that happens is a scalar write to on-chip
    // memory: that moves the element, as copies do, and what it writes is undefined.
    void ReadUndefined(const char* instruction, uint64_t begin, uint64_t end)
    {
        undefined_read_ = {instruction, begin, end, block_->line};
    }
    bool TakeUndefinedRead() { return std::exchange(undefined_read_, {}).instruction != nullptr; }
    [[gnu::noinline]] void ReportUndefinedRead()
    {
        const UndefinedRead read = std::exchange(undefined_read_, {});
        if (read.instruction != nullptr) {
            const int line = std::exchange(block_->line, read.line);
            Report("uninitialised", read.instruction, "%s reads %s, which has never been written", read.instruction,
                   Name(read.begin, read.end).text);
            block_->line = line;
        }
    }

    // "UB [0, 64)", or addresses of global memory.
    struct RangeText {
        char text[80];
    };
    [[gnu::noinline]] RangeText Name(uint64_t begin, uint64_t end) const
    {
        RangeText range;
        const Hardware memory = MemoryAt(begin);
        if (memory != Hardware::GM) {
            const uint64_t base = Address(block_->memory[static_cast<uint8_t>(memory)]);
            std::snprintf(range.text, sizeof range.text, "%s [%llu, %llu)", MemoryName(memory),
                          static_cast<unsigned long long>(begin - base), static_cast<unsigned long long>(end - base));
            return range;
        }
        int number = 0;
        for (const GlobalRange& known : Launch().ranges) {
            if (begin >= known.begin && begin < known.end) {
                std::snprintf(range.text, sizeof range.text, "GM buffer %d [%llu, %llu)", number,
                              static_cast<unsigned long long>(begin - known.begin),
                              static_cast<unsigned long long>(end - known.begin));
                return range;
            }
            ++number;
        }
        std::snprintf(range.text, sizeof range.text, "GM [%#llx, %#llx)", static_cast<unsigned long long>(begin),
                      static_cast<unsigned long long>(end));
        return range;
    }

    // --- where an address is --------------------------------------------------------------------------------------

    static uint64_t Address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

    Hardware MemoryAt(uint64_t address) const
    {
        for (uint8_t memory = 1; memory < static_cast<uint8_t>(Hardware::MAX); ++memory) {
            const uint64_t base = Address(block_->memory[memory]);
            if (base != 0 && address >= base && address < base + MemoryBytes(static_cast<Hardware>(memory))) {
                return static_cast<Hardware>(memory);
            }
        }
        return Hardware::GM;
    }

    // The range must lie within the memory of the tensor's position. False and a report if not.
    [[gnu::noinline]] bool CheckMemory(const char* name, const char* verb, const Extent& tensor, uint64_t begin, uint64_t end)
    {
        const Hardware memory = MemoryOf(tensor.position);
        if (memory == Hardware::GM) {
            return CheckGlobal(name, verb, Address(tensor.origin), begin, end);
        }
        const uint64_t base = Address(block_->Memory(memory));
        const uint64_t size = MemoryBytes(memory);
        if (begin >= base && end <= base + size) {
            return true;
        }
        Report("bounds", name, "%s %s %s [%lld, %lld), the memory has %llu bytes", name, verb, MemoryName(memory),
               static_cast<long long>(begin - base), static_cast<long long>(end - base), static_cast<unsigned long long>(size));
        return false;
    }

    void CheckRetired(const char* name, uint64_t begin, uint64_t end)
    {
        for (const Retired& part : retired_) {
            if (begin < part.end && end > part.begin) {
                Report("queue", name, "%s uses a tensor in %s after FreeTensor in line %d", name, Name(begin, end).text, part.line);
                return;
            }
        }
    }

    // --- races ----------------------------------------------------------------------------------------------------

    uint32_t Issue(int pipe) { return clocks_.Issue(pipe); }
    void Retire(int pipe) { clocks_.Retire(pipe); }

    [[gnu::noinline]] void CheckOrder(const Access& access, bool writes, uint64_t begin, uint64_t end)
    {
        accesses_.ForEachEarlier(begin, end, writes, [&](const Access& earlier, bool wrote, uint64_t from, uint64_t to) {
            const bool both_atomic = access.atomic && earlier.atomic && wrote;
            if (both_atomic || clocks_.Finished(earlier.pipe, earlier.number, access.pipe)) {
                return;
            }
            ReportRace(access, writes, earlier, wrote, from, to);
        });
    }

    [[gnu::noinline]] void Record(const Access& access, bool writes, uint64_t begin, uint64_t end, bool global)
    {
        if (writes) {
            accesses_.Write(begin, end, access);
        } else {
            accesses_.Read(begin, end, access);
        }
        if (global && block_->count > 1) {
            const Touch touch = !writes ? Touch::Read : access.atomic ? Touch::Atomic : Touch::Write;
            record_.Add({begin, end, epoch_, block_->index, access.line, touch, access.name});
        }
    }

    // --- synchronisation ------------------------------------------------------------------------------------------

    [[gnu::noinline]] void SetFlag(HardEvent event, int32_t id)
    {
        if (!CheckEventId("SetFlag", event, id)) {
            return;
        }
        const EventPipes pipes = PipesOf(event);
        if (pipes.from == pipes.to) {
            clocks_.Barrier(PipeIndex(pipes.from));
        }
        Flag& flag = flags_[static_cast<uint8_t>(event)][id];
        if (flag.set) {
            Report("flag", "SetFlag", "SetFlag<HardEvent::%s>(%d), which line %d has set and nobody has waited for", EventName(event),
                   id, flag.line);
        }
        flag.set = true;
        flag.line = block_->line;
        flag.clock = clocks_.Signal(PipeIndex(pipes.from));
    }

    [[gnu::noinline]] void WaitFlag(HardEvent event, int32_t id)
    {
        if (!CheckEventId("WaitFlag", event, id)) {
            return;
        }
        Flag& flag = flags_[static_cast<uint8_t>(event)][id];
        if (!flag.set) {
            Report("flag", "WaitFlag", "WaitFlag<HardEvent::%s>(%d) waits for ever: the flag is not set before it", EventName(event), id);
            return;
        }
        flag.set = false;
        clocks_.Wait(PipeIndex(PipesOf(event).to), flag.clock);
    }

    [[gnu::noinline]] void Barrier(pipe_t pipe)
    {
        if (pipe == PIPE_ALL) {
            clocks_.BarrierAll();
            accesses_.Clear();  // everything up to here comes before everything after
        } else {
            clocks_.Barrier(PipeIndex(pipe));
        }
    }

    // Locks: whoever takes a buffer id comes after all who have released it on other pipes.
    [[gnu::noinline]] void Acquire(pipe_t pipe, uint64_t id)
    {
        if (!CheckBufferId("get_buf", id)) {
            return;
        }
        Lock& lock = locks_[id];
        const int taker = PipeIndex(pipe);
        for (int other = 0; other < kPipes; ++other) {
            if (lock.held[other]) {
                Report("flag", "get_buf", "get_buf(%s, %llu), which %s holds since line %d", PipeName(taker),
                       static_cast<unsigned long long>(id), PipeName(other), lock.line[other]);
            }
            if (other != taker) {
                clocks_.Wait(taker, lock.released[other]);
            }
        }
        lock.held[taker] = true;
        lock.line[taker] = block_->line;
    }

    [[gnu::noinline]] void Release(pipe_t pipe, uint64_t id)
    {
        if (!CheckBufferId("rls_buf", id)) {
            return;
        }
        Lock& lock = locks_[id];
        const int owner = PipeIndex(pipe);
        if (!lock.held[owner]) {
            Report("flag", "rls_buf", "rls_buf(%s, %llu) without get_buf", PipeName(owner), static_cast<unsigned long long>(id));
        }
        lock.held[owner] = false;
        lock.released[owner] = clocks_.Signal(owner);
    }

    Clock Signal(pipe_t pipe) { return clocks_.Signal(PipeIndex(pipe)); }
    void Wait(pipe_t pipe, const Clock& clock) { clocks_.Wait(PipeIndex(pipe), clock); }

    void BlocksMet() { ++epoch_; }
    void BlocksPaired()
    {
        LaunchRecord& launch = Launch();
        const Guard guard(launch.lock);
        launch.paired = true;
    }

    // --- memory that comes and goes -------------------------------------------------------------------------------

    void RetireMemory(const void* base, uint32_t bytes)
    {
        retired_.push_back({Address(base), Address(base) + bytes, block_->line});
    }
    [[gnu::noinline]] void HandOut(const void* base, uint32_t bytes)
    {
        const uint64_t begin = Address(base);
        for (size_t i = retired_.size(); i-- > 0;) {
            if (retired_[i].begin < begin + bytes && retired_[i].end > begin) {
                retired_[i] = retired_.back();
                retired_.pop_back();
            }
        }
        if (uint8_t* shadow = Shadow(begin)) {
            std::memset(shadow, 0, bytes);
        }
    }

    // One byte per byte of on-chip memory: 1 = defined. Null for global memory, which always is.
    uint8_t* Shadow(uint64_t address)
    {
        const Hardware memory = MemoryAt(address);
        if (memory == Hardware::GM) {
            return nullptr;
        }
        const uint8_t index = static_cast<uint8_t>(memory);
        if (defined_[index] == nullptr) {
            defined_[index].reset(new uint8_t[MemoryBytes(memory)]());
        }
        return defined_[index].get() + (address - Address(block_->memory[index]));
    }

    VectorChecks vectors;  // pointers into UB, and what runs through them

private:
    struct Flag {
        bool set;
        int line;
        Clock clock;
    };
    struct Lock {
        bool held[kPipes];
        int line[kPipes];
        Clock released[kPipes];
    };
    struct Retired {
        uint64_t begin;
        uint64_t end;
        int line;
    };
    struct UndefinedRead {
        const char* instruction = nullptr;
        uint64_t begin = 0;
        uint64_t end = 0;
        int line = 0;
    };

    LaunchRecord& Launch() const { return *static_cast<LaunchRecord*>(block_->launcher->checked); }

    // The range must lie in a registered buffer that the tensor begins in, or in any if it begins in none.
    bool CheckGlobal(const char* name, const char* verb, uint64_t origin, uint64_t begin, uint64_t end)
    {
        const std::vector<GlobalRange>& ranges = Launch().ranges;
        int own = -1;  // the one that begins last, if buffers overlap
        bool inside = ranges.empty();
        bool inside_own = false;
        for (size_t i = 0; i < ranges.size(); ++i) {
            const GlobalRange& range = ranges[i];
            const bool holds = begin >= range.begin && end <= range.end;
            inside = inside || holds;
            if (origin == range.begin || (origin > range.begin && origin < range.end)) {
                inside_own = inside_own || holds;
                own = own < 0 || range.begin >= ranges[static_cast<size_t>(own)].begin ? static_cast<int>(i) : own;
            }
        }
        if (own < 0 ? inside : inside_own) {
            return true;
        }
        if (own < 0) {
            Report("bounds", name, "%s %s GM [%#llx, %#llx), which is in no registered buffer", name, verb,
                   static_cast<unsigned long long>(begin), static_cast<unsigned long long>(end));
            return false;
        }
        const GlobalRange& range = ranges[static_cast<size_t>(own)];
        Report("bounds", name, "%s %s bytes [%lld, %lld) of GM buffer %d, which has %llu", name, verb,
               static_cast<long long>(begin - range.begin), static_cast<long long>(end - range.begin), own,
               static_cast<unsigned long long>(range.end - range.begin));
        return false;
    }

    bool CheckEventId(const char* name, HardEvent event, int32_t id)
    {
        if (id >= 0 && id < kEvents) {
            return true;
        }
        Report("flag", name, "%s<HardEvent::%s>(%d): event ids are 0..7", name, EventName(event), id);
        return false;
    }

    bool CheckBufferId(const char* name, uint64_t id)
    {
        if (id < kBufferIds) {
            return true;
        }
        Report("flag", name, "%s: buffer id %llu is not in 0..31", name, static_cast<unsigned long long>(id));
        return false;
    }

    void CheckFlagsWaited()
    {
        for (uint8_t event = 0; event < static_cast<uint8_t>(HardEvent::MAX); ++event) {
            for (int id = 0; id < kEvents; ++id) {
                const Flag& flag = flags_[event][id];
                const EventPipes pipes = PipesOf(static_cast<HardEvent>(event));
                if (flag.set && pipes.from != pipes.to) {
                    block_->line = flag.line;
                    Report("flag", EventName(static_cast<HardEvent>(event)), "SetFlag<HardEvent::%s>(%d) is still set when the kernel ends",
                           EventName(static_cast<HardEvent>(event)), id);
                }
            }
        }
    }

    void CheckLocksReleased()
    {
        for (int id = 0; id < kBufferIds; ++id) {
            for (int pipe = 0; pipe < kPipes; ++pipe) {
                if (locks_[id].held[pipe]) {
                    block_->line = locks_[id].line[pipe];
                    Report("flag", "get_buf", "get_buf(%s, %d) is still held when the kernel ends", PipeName(pipe), id);
                }
            }
        }
    }

    [[gnu::noinline]] void ReportRace(const Access& access, bool writes, const Access& earlier, bool wrote, uint64_t from, uint64_t to)
    {
        char line[16] = "?";
        if (earlier.line > 0) {
            std::snprintf(line, sizeof line, "%d", earlier.line);
        }
        char missing[64];
        if (access.pipe == earlier.pipe) {
            std::snprintf(missing, sizeof missing, "needs PipeBarrier<%s>", PipeName(access.pipe));
        } else {
            std::snprintf(missing, sizeof missing, "needs a flag %s_%s", PipeName(earlier.pipe) + 5, PipeName(access.pipe) + 5);
        }
        ReportBetween("race", access.name, earlier, "%s (%s) %s %s which %s (%s, line %s) %s: %s", access.name, PipeName(access.pipe),
               writes ? "writes" : "reads", Name(from, to).text, earlier.name, PipeName(earlier.pipe), line,
               wrote ? "writes" : "reads", missing);
    }

    Block* block_ = nullptr;
    Clocks clocks_;
    AccessMap accesses_;
    GlobalRecord record_;
    uint32_t epoch_ = 0;
    std::vector<Retired> retired_;
    UndefinedRead undefined_read_;
    Flag flags_[static_cast<uint8_t>(HardEvent::MAX)][kEvents];
    Lock locks_[kBufferIds];
    std::unique_ptr<uint8_t[]> defined_[static_cast<uint8_t>(Hardware::MAX)];
};

inline Checker& TheChecker() { return *CurrentBlock().checker; }

inline void CheckedLaunchBegin(Launcher& launcher)
{
    LaunchRecord* const record = new LaunchRecord;
    GlobalRanges& all = GlobalRanges::Instance();
    const Guard guard(all.lock);
    record->ranges = all.ranges;
    launcher.checked = record;
}

inline void CheckedLaunchEnd(Launcher& launcher)
{
    LaunchRecord* const record = static_cast<LaunchRecord*>(launcher.checked);
    record->FindRaces(launcher.GetReport());
    delete record;
    launcher.checked = nullptr;
}

inline void CheckedBlockBegin(Block& block)
{
    if (block.checker == nullptr) {
        block.checker = new Checker;
        block.delete_checker = [](Checker* checker) { delete checker; };
    }
    block.checker->Begin(block);
}

inline void CheckedBlockEnd(Block& block, bool completed) { block.checker->End(completed); }

}  // namespace AscendC::cpu

#endif
