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

// Global memory as one block of this launch sees it, in bytes per cycle.
struct GlobalRates {
    double read = 0;
    double write = 0;
};

class Timer {
public:
    static constexpr size_t kMostEvents = 20000;

    void Begin(const double* costs, const GlobalRates& rates, bool keep_events)
    {
        *this = Timer{};
        costs_ = costs;
        rates_ = rates;
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
    [[gnu::noinline]] void Run(int pipe, const char* name, double work)
    {
        if (name == last_ && pipe == last_pipe_) {
            Continue(pipe, work);
            return;
        }
        now_ += At(Cost::issue);
        uint32_t& next = next_[pipe];
        double& place = started_[pipe][next];
        now_ = Later(now_, place);
        next = next + 1 == depth_ ? 0 : next + 1;
        const double start = Later(Later(now_ + At(Cost::dispatch), free_[pipe]), ready_[pipe]);
        place = start;
        free_[pipe] = start + StartOf(pipe, 1) + work;
        Keep(pipe, name, start, start + StartOf(pipe, 0) + work);
        Count(pipe, name);
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
    double GlobalCopy(uint64_t rows, uint64_t bytes, bool reads) const
    {
        const double request = At(Cost::request_bytes);
        const double whole = request > 1 ? static_cast<double>((bytes + static_cast<uint64_t>(request) - 1) / static_cast<uint64_t>(request)) * request
                                         : static_cast<double>(bytes);
        const double rate = reads ? rates_.read : rates_.write;
        const double each = static_cast<double>(rows);
        return (rate > 0 ? each * whole / rate : 0) + (rows > 1 ? each * At(Cost::row) : 0);
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

    void Continue(int pipe, double work)
    {
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

    const double* costs_ = nullptr;
    GlobalRates rates_;
    bool keep_events_ = false;
    bool cut_ = false;
    uint32_t depth_ = kDepth;
    int line_ = 0;
    int last_pipe_ = 0;
    const char* last_ = nullptr;
    double now_ = 0;
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
