// The time that a block takes: one clock per pipe, moved by instructions, flags, locks, queues and barriers.
//
// The scalar unit runs the program in order. Handing an instruction to a pipe costs it `issue` cycles, and it stands still
// while the pipe's queue is full. A pipe takes its instructions in order: one starts when the scalar unit has handed it
// over, when the one before has left room (its gap and its work), and when all that the pipe waits for has happened. Its
// result is there `start` cycles after the work, and that is what flags, barriers and queues wait for.
#ifndef ASCENDC_CPU_TIMER_H
#define ASCENDC_CPU_TIMER_H

#include <vector>

#include "clocks.h"
#include "cost_slots.h"

namespace AscendC::cpu {

// One instruction of the timeline.
struct TimedEvent {
    const char* name;
    double start;
    double end;
    int line;
    uint8_t pipe;
};

struct NameCount {
    const char* name;
    uint64_t count;
};

// What a block has done, for the profile.
struct BlockTimes {
    double cycles = 0;
    double busy[kPipes] = {};  // cycles with an instruction under way
    uint64_t instructions[kPipes] = {};
    uint64_t synchronisations = 0;  // flags set, waits, locks, barriers and queue operations
    uint64_t bytes_in = 0;
    uint64_t bytes_out = 0;
};

// An array of global memory, and where it begins when all arrays are counted through.
struct GlobalRange {
    uint64_t base;
    uint64_t bytes;
    uint64_t first;
};

// Global memory as one block of a launch sees it, in bytes per cycle: what it touches for the first time comes from HBM,
// what it has touched before is in the L2 cache as long as it fits into the block's share of it.
struct GlobalMemory {
    double hbm_read = 0;
    double hbm_write = 0;
    double l2_read = 0;
    double l2_write = 0;
    uint32_t lines = 0;  // of kLine bytes, in the share of the L2
    std::vector<GlobalRange> ranges;

    static constexpr uint64_t kLine = 512;
};

// Rows of a transfer to or from global memory.
struct GlobalRows {
    const void* base;
    uint64_t rows;
    uint64_t bytes;
    int64_t pitch;
    bool reads;
};

// The way to global memory that the pipes of a core share. Transfers are cut into requests, so one that comes later in
// the program but earlier in time fills the gaps that are left, in pieces if need be. Only the last uses are known: what
// lies before them is over.
class Port {
public:
    struct Use {
        double start;
        double end;
    };

    // The first `length` free cycles from `from` on, taken from now on.
    Use Take(double from, double length)
    {
        uint32_t first = 0;
        while (first < count_ && uses_[first].end < from) {
            ++first;
        }
        Use use{first < count_ && uses_[first].start <= from ? uses_[first].end : from, 0};
        double at = from;
        double left = length;
        uint32_t last = first;
        for (; last < count_ && uses_[last].start < at + left; ++last) {
            left -= uses_[last].start > at ? uses_[last].start - at : 0;
            at = uses_[last].end > at ? uses_[last].end : at;
        }
        use.end = at + left;
        const double busy_from = first < last && uses_[first].start < from ? uses_[first].start : from;
        if (first == last && count_ == kUses) {
            std::memmove(uses_, uses_ + 1, sizeof(Use) * (kUses - 1));
            --count_;
            first = last = first != 0 ? first - 1 : 0;
        }
        std::memmove(uses_ + first + 1, uses_ + last, sizeof(Use) * (count_ - last));
        count_ = count_ - (last - first) + 1;
        uses_[first] = {busy_from, use.end};
        return use;
    }

private:
    static constexpr uint32_t kUses = 16;
    uint32_t count_ = 0;
    Use uses_[kUses] = {};
};

// What the register instructions of a vector function take, in cycles: three ways that work side by side.
struct RegisterWork {
    double compute = 0;
    double loads = 0;
    double stores = 0;
};

class Timer {
public:
    static constexpr size_t kMostEvents = 20000;

    void Begin(const double* costs, const GlobalMemory& memory, bool keep_events)
    {
        *this = Timer{};
        costs_ = costs;
        memory_ = &memory;
        lines_.assign(memory.ranges.empty() ? 0 : memory.lines, 0);
        keep_events_ = keep_events;
        const int depth = static_cast<int>(At(Cost::queue_depth));
        depth_ = depth > 0 && depth < kDepth ? static_cast<uint32_t>(depth) : kDepth;
        now_ = At(Cost::block_start);
        for (int pipe = 0; pipe < kPipes; ++pipe) {
            done_[pipe] = free_[pipe] = now_;
        }
    }

    const BlockTimes& End()
    {
        times_.cycles = Latest() + At(Cost::block_end);
        return times_;
    }

    double At(Cost cost) const { return costs_[Slot(cost)]; }
    double At(Family family, Column column) const { return costs_[Slot(family, column)]; }

    // A statement of the Python kernel: loops, branches and arithmetic on scalars are part of it.
    void Statement(int line)
    {
        line_ = line;
        last_ = nullptr;
        now_ += At(Cost::statement);
        uint64_t& word = seen_[static_cast<uint32_t>(line) / 64 % kSeen];
        const uint64_t bit = uint64_t{1} << (static_cast<uint32_t>(line) % 64);
        if ((word & bit) == 0) {
            word |= bit;
            now_ += At(Cost::cold_statement);
        }
    }

    // The scalar unit does something that takes `cycles`.
    void RunScalar(const char* name, double cycles)
    {
        last_ = nullptr;
        const double start = now_;
        now_ += cycles;
        Keep(0, name, start, now_);
        Count(0, name);
    }

    // `pipe` runs an instruction. Several parts of one instruction (same name, nothing in between) may be told one by one.
    [[gnu::noinline]] void Run(int pipe, const char* name, double work, bool global)
    {
        if (name == last_ && pipe == last_pipe_) {
            Continue(pipe, work, global);
            return;
        }
        now_ += At(Cost::issue);
        uint32_t& next = next_[pipe];
        double& place = started_[pipe][next];
        now_ = Later(now_, place);
        next = next + 1 == depth_ ? 0 : next + 1;
        double start = Later(Later(now_ + At(Cost::dispatch), free_[pipe]), ready_[pipe]);
        if (global && At(Cost::shared_port) != 0) {
            const Port::Use use = port_.Take(start, StartOf(pipe, 1) + work);
            start = use.start;
            free_[pipe] = use.end;
        } else {
            free_[pipe] = start + StartOf(pipe, 1) + work;
        }
        place = start;
        Keep(pipe, name, start, free_[pipe] - StartOf(pipe, 1) + StartOf(pipe, 0));
        Count(pipe, name);
    }

    // A vector function is one instruction of PIPE_V, and takes as long as the busiest of its ways.
    RegisterWork registers;
    void RunVectorFunction()
    {
        last_ = nullptr;
        Run(1, "vector function", Later(registers.compute, Later(registers.loads, registers.stores)), false);
        last_ = nullptr;
    }

    // The instruction just run is one of many parts: the next one of the same name goes on with it.
    void MorePartsOf(const char* name, int pipe)
    {
        last_ = name;
        last_pipe_ = pipe;
    }

    // When all that `pipe` has done so far is done.
    double Done(int pipe) const { return pipe == 0 ? now_ : done_[pipe]; }

    void Synchronise(double cycles)
    {
        last_ = nullptr;
        now_ += cycles;
        ++times_.synchronisations;
    }

    void Wait(int pipe, double time)
    {
        if (pipe == 0) {
            now_ = Later(now_, time) + At(Cost::scalar_wait);
        } else {
            ready_[pipe] = Later(ready_[pipe], time);
        }
    }

    void Barrier(int pipe)
    {
        Wait(pipe, done_[pipe] + At(Cost::barrier));
    }

    void BarrierAll()
    {
        now_ = Latest() + At(Cost::barrier);
        for (double& ready : ready_) {
            ready = Later(ready, now_);
        }
    }

    double Now() const { return now_; }
    void SkipTo(double time)
    {
        now_ = Later(now_, time);
        BarrierAll();
    }

    void Moved(uint64_t in, uint64_t out)
    {
        times_.bytes_in += in;
        times_.bytes_out += out;
    }

    // Cycles of a transfer of rows between global memory and this core.
    double GlobalCopy(const GlobalRows& copy)
    {
        const uint64_t unit = At(Cost::request_bytes) > 1 ? static_cast<uint64_t>(At(Cost::request_bytes)) : 1;
        const double whole = static_cast<double>((copy.bytes + unit - 1) / unit * unit);
        const double hbm = copy.reads ? memory_->hbm_read : memory_->hbm_write;
        const double l2 = copy.reads ? memory_->l2_read : memory_->l2_write;
        const double rows = static_cast<double>(copy.rows);
        const double known = rows * whole * KnownShare(copy);
        double cycles = rows > 1 ? rows * At(Cost::row) : 0;
        cycles += l2 > 0 ? known / l2 : 0;
        return cycles + (hbm > 0 ? (rows * whole - known) / hbm : 0);
    }

    const std::vector<TimedEvent>& Events() const { return events_; }
    bool KeepsEvents() const { return keep_events_; }
    bool Cut() const { return cut_; }

    struct Known {
        const char* name = nullptr;
        Family family = Family::library;
        uint64_t count = 0;
    };
    static constexpr uint32_t kKnown = 256;
    const Known* Names() const { return known_; }

    // The entry of a name; names are told apart by address, and joined by their text in the profile.
    Known& Look(const char* name)
    {
        uint32_t at = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(name) * 0x9E3779B97F4A7C15ULL >> 56);
        for (uint32_t tries = 0; tries < kKnown - 1; ++tries, at = (at + 1) % kKnown) {
            if (known_[at].name == name) {
                return known_[at];
            }
            if (known_[at].name == nullptr) {
                known_[at].name = name;
                known_[at].family = FamilyOf(name);
                return known_[at];
            }
        }
        return known_[at];
    }

    double flags[static_cast<uint8_t>(HardEvent::MAX)][8] = {};  // when each event was set last
    double locks[32] = {};                                       // when each buffer id was given back last
    uint32_t meetings = 0;                                       // how often all blocks have met

private:
    static constexpr int kDepth = 64;

    static double Later(double a, double b) { return a > b ? a : b; }

    double Latest() const
    {
        double latest = now_;
        for (const double done : done_) {
            latest = Later(latest, done);
        }
        return latest;
    }

    // Start-up (which = 0) and gap (which = 1) of a pipe.
    double StartOf(int pipe, int which) const
    {
        static constexpr Cost first[kPipes] = {Cost::Count, Cost::v_start, Cost::m_start, Cost::mte1_start,
                                               Cost::mte2_start, Cost::mte3_start, Cost::fix_start};
        return costs_[Slot(first[pipe]) + which];
    }

    void Keep(int pipe, const char* name, double start, double end)
    {
        const double from = Later(start, done_[pipe]);
        if (end > from) {
            times_.busy[pipe] += end - from;
        }
        done_[pipe] = Later(done_[pipe], end);
        if (keep_events_) {
            if (events_.size() < kMostEvents) {
                events_.push_back({name, start, end, line_, static_cast<uint8_t>(pipe)});
            } else {
                cut_ = true;
            }
        }
    }

    void Continue(int pipe, double work, bool global)
    {
        if (global && At(Cost::shared_port) != 0) {
            port_.Take(free_[pipe], work);
        }
        free_[pipe] += work;
        done_[pipe] += work;
        times_.busy[pipe] += work;
        if (keep_events_ && !events_.empty() && !cut_) {
            events_.back().end += work;
        }
    }

    void Count(int pipe, const char* name)
    {
        ++times_.instructions[pipe];
        ++Look(name).count;
    }

    // The part of a transfer that this block has touched before.
    double KnownShare(const GlobalRows& copy)
    {
        uint64_t known = 0;
        uint64_t all = 0;
        if (lines_.empty()) {
            return 0;
        }
        uint64_t begin = reinterpret_cast<uintptr_t>(copy.base);
        for (uint64_t row = 0; row < copy.rows; ++row, begin += static_cast<uint64_t>(copy.pitch)) {
            for (const GlobalRange& range : memory_->ranges) {
                if (begin - range.base >= range.bytes) {
                    continue;
                }
                const uint64_t at = begin - range.base + range.first;
                for (uint64_t line = at / GlobalMemory::kLine; line <= (at + copy.bytes - 1) / GlobalMemory::kLine; ++line, ++all) {
                    uint32_t& place = lines_[line % lines_.size()];
                    known += place == line + 1;
                    place = static_cast<uint32_t>(line + 1);
                }
                break;
            }
        }
        return all != 0 ? static_cast<double>(known) / static_cast<double>(all) : 0;
    }

    static constexpr uint32_t kSeen = 64;

    const double* costs_ = nullptr;
    const GlobalMemory* memory_ = nullptr;
    uint64_t seen_[kSeen] = {};      // which lines of the Python file have run before
    std::vector<uint32_t> lines_;    // which line of global memory each place of the L2 share holds, plus one
    bool keep_events_ = false;
    bool cut_ = false;
    uint32_t depth_ = kDepth;
    int line_ = 0;
    int last_pipe_ = 0;
    const char* last_ = nullptr;
    double now_ = 0;
    Port port_;                  // the way to global memory, if the pipes of a core share one
    double free_[kPipes] = {};   // when the pipe can take the next instruction
    double done_[kPipes] = {};   // when all results are there
    double ready_[kPipes] = {};  // what the pipe has been told to wait for
    double started_[kPipes][kDepth] = {};
    uint32_t next_[kPipes] = {};
    BlockTimes times_;
    Known known_[kKnown];
    std::vector<TimedEvent> events_;
};

[[gnu::visibility("hidden")]] inline thread_local Timer* t_timer = nullptr;
inline Timer& TheTimer() { return *t_timer; }

}  // namespace AscendC::cpu

#endif
