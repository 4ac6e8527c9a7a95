// What the timed build knows about a launch: the times of every block, put together as JSON (ascendc_cpu_profile).
#ifndef ASCENDC_CPU_PROFILE_H
#define ASCENDC_CPU_PROFILE_H

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "launcher.h"
#include "timed.h"

namespace AscendC::cpu {

[[gnu::visibility("hidden")]] inline Lockable& CostsLock()
{
    static Lockable lock;
    return lock;
}
[[gnu::visibility("hidden")]] inline double g_costs[kCosts] = {};
[[gnu::visibility("hidden")]] inline std::vector<GlobalRange>& GlobalRanges()  // under CostsLock
{
    static std::vector<GlobalRange> ranges;
    return ranges;
}
[[gnu::visibility("hidden")]] inline std::atomic<int> g_timeline_block{-1};

// One launch of the timed build.
struct [[gnu::visibility("hidden")]] TimedLaunch {
    double costs[kCosts];
    GlobalMemory memory;
    int timeline_block = -1;
    std::vector<BlockTimes> blocks;

    Lockable lock;
    std::map<std::string, uint64_t> names;
    std::vector<double> meetings;  // the latest time at which a block came to each meeting
    std::vector<TimedEvent> events;
    bool cut = false;

    double ValueOf(Cost cost) const { return costs[Slot(cost)]; }

    explicit TimedLaunch(uint32_t count) : timeline_block(g_timeline_block.load()), blocks(count)
    {
        {
            const Guard guard(CostsLock());
            std::memcpy(costs, g_costs, sizeof costs);
            memory.ranges = GlobalRanges();
        }
        const double cores = ValueOf(Cost::cores) >= 1 ? ValueOf(Cost::cores) : count;
        const double sharing = count > cores ? cores : count;
        const double hbm = ValueOf(Cost::hbm_shared) / sharing;
        const double l2 = ValueOf(Cost::l2_shared) / sharing;
        memory.hbm_read = std::min(ValueOf(Cost::hbm_read), hbm);
        memory.hbm_write = std::min(ValueOf(Cost::hbm_write), hbm);
        memory.l2_read = std::min(ValueOf(Cost::l2_read), l2);
        memory.l2_write = std::min(ValueOf(Cost::l2_write), l2);
        memory.lines = static_cast<uint32_t>(std::min(ValueOf(Cost::l2_bytes) / cores, 16.0 * 1024 * 1024)) / GlobalMemory::kLine;
    }

    // When the last block has ended: a core takes the next block as soon as it is free.
    double Total() const
    {
        const double cores = ValueOf(Cost::cores);
        const size_t count = cores >= 1 && cores < static_cast<double>(blocks.size()) ? static_cast<size_t>(cores) : blocks.size();
        std::vector<double> free(count, 0.0);  // a heap with the earliest in front
        double last = 0;
        for (const BlockTimes& block : blocks) {
            std::pop_heap(free.begin(), free.end(), std::greater<double>());
            free.back() += block.cycles;
            last = std::max(last, free.back());
            std::push_heap(free.begin(), free.end(), std::greater<double>());
        }
        return last + ValueOf(Cost::launch);
    }

    std::string Json() const
    {
        std::string text = "{\"total\": ";
        Number(text, Total());
        text += ", \"blocks\": [";
        const char* comma = "";
        for (const BlockTimes& block : blocks) {
            text += comma;
            text += "{\"cycles\": ";
            Number(text, block.cycles);
            text += ", \"busy\": [";
            for (int pipe = 0; pipe < kPipes; ++pipe) {
                text += pipe == 0 ? "" : ", ";
                Number(text, block.busy[pipe]);
            }
            text += "], \"instructions\": [";
            for (int pipe = 0; pipe < kPipes; ++pipe) {
                text += (pipe == 0 ? "" : ", ") + std::to_string(block.instructions[pipe]);
            }
            text += "], \"synchronisations\": " + std::to_string(block.synchronisations);
            text += ", \"bytes_in\": " + std::to_string(block.bytes_in);
            text += ", \"bytes_out\": " + std::to_string(block.bytes_out) + "}";
            comma = ", ";
        }
        text += "], \"names\": {";
        comma = "";
        for (const auto& name : names) {
            text += comma + Quoted(name.first) + ": " + std::to_string(name.second);
            comma = ", ";
        }
        text += "}, \"timeline_block\": " + std::to_string(timeline_block) + ", \"timeline_cut\": " + (cut ? "true" : "false");
        text += ", \"timeline\": [";
        comma = "";
        for (const TimedEvent& event : events) {
            text += comma + std::string("[\"") + (PipeName(event.pipe) + 5) + "\", " + Quoted(event.name) + ", " +
                    std::to_string(event.line) + ", ";
            Number(text, event.start);
            text += ", ";
            Number(text, event.end);
            text += "]";
            comma = ", ";
        }
        return text + "]}";
    }

private:
    static void Number(std::string& text, double value)
    {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.3f", value);
        text += digits;
    }
    static std::string Quoted(const std::string& text)
    {
        std::string quoted = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') {
                quoted += '\\';
            }
            quoted += c;
        }
        return quoted + "\"";
    }
};

[[gnu::visibility("hidden")]] inline std::unique_ptr<TimedLaunch>& LastLaunch()
{
    static thread_local std::unique_ptr<TimedLaunch> launch;
    return launch;
}

inline void RegisterGlobalMemory(const void* base, size_t bytes)
{
    const Guard guard(CostsLock());
    std::vector<GlobalRange>& ranges = GlobalRanges();
    const uint64_t first = ranges.empty() ? 0 : ranges.back().first + ranges.back().bytes;
    ranges.push_back({reinterpret_cast<uintptr_t>(base), bytes, (first + 4095) / 4096 * 4096});
}
inline void ClearGlobalMemory()
{
    const Guard guard(CostsLock());
    GlobalRanges().clear();
}

inline TimedLaunch& TheLaunch() { return *static_cast<TimedLaunch*>(CurrentBlock().launcher->checked); }

inline void CheckedLaunchBegin(Launcher& launcher) { launcher.checked = new TimedLaunch(launcher.Blocks()); }
inline void CheckedLaunchEnd(Launcher& launcher) { LastLaunch().reset(static_cast<TimedLaunch*>(launcher.checked)); }

inline void CheckedBlockBegin(Block& block)
{
    TimedLaunch& launch = *static_cast<TimedLaunch*>(block.launcher->checked);
    t_timer = new Timer;
    t_timer->Begin(launch.costs, launch.memory, launch.timeline_block == static_cast<int>(block.index));
}

inline void CheckedBlockEnd(Block& block, bool)
{
    const std::unique_ptr<Timer> timer(t_timer);
    t_timer = nullptr;
    TimedLaunch& launch = *static_cast<TimedLaunch*>(block.launcher->checked);
    launch.blocks[block.index] = timer->End();
    const Guard guard(launch.lock);
    for (uint32_t i = 0; i < Timer::kKnown; ++i) {
        if (timer->Names()[i].count != 0) {
            launch.names[timer->Names()[i].name] += timer->Names()[i].count;
        }
    }
    if (timer->KeepsEvents()) {
        launch.events = timer->Events();
        launch.cut = timer->Cut();
    }
}

namespace trace {

// All blocks go on from a meeting at the time at which the last one came.
inline void BlocksMeet()
{
    TimedLaunch& launch = TheLaunch();
    const Guard guard(launch.lock);
    const uint32_t meeting = TheTimer().meetings;
    if (launch.meetings.size() <= meeting) {
        launch.meetings.resize(meeting + 1, 0.0);
    }
    launch.meetings[meeting] = std::max(launch.meetings[meeting], TheTimer().Now());
}

inline void BlocksMet()
{
    TimedLaunch& launch = TheLaunch();
    const Guard guard(launch.lock);
    TheTimer().SkipTo(launch.meetings[TheTimer().meetings++] + TheTimer().At(Cost::meet));
}

}  // namespace trace
}  // namespace AscendC::cpu

extern "C" {

// The names of all costs, one a line, in the order in which ascendc_cpu_set_costs takes their values.
[[gnu::weak, gnu::used, gnu::visibility("default")]] const char* ascendc_cpu_cost_names(void) { return AscendC::cpu::CostNames(); }

// The costs of the launches that follow. What is missing is 0. Returns how many there are.
[[gnu::weak, gnu::used, gnu::visibility("default")]] size_t ascendc_cpu_set_costs(const double* values, size_t count)
{
    const AscendC::cpu::Guard guard(AscendC::cpu::CostsLock());
    for (size_t i = 0; i < AscendC::cpu::kCosts; ++i) {
        AscendC::cpu::g_costs[i] = i < count ? values[i] : 0.0;
    }
    return AscendC::cpu::kCosts;
}

// The block whose instructions the following launches list one by one; -1 (as at first) for none.
[[gnu::weak, gnu::used, gnu::visibility("default")]] void ascendc_cpu_set_timeline(int block) { AscendC::cpu::g_timeline_block.store(block); }

// The last launch of the calling thread as JSON; "" before the first. Valid until the thread asks again.
[[gnu::weak, gnu::used, gnu::visibility("default")]] const char* ascendc_cpu_profile(void)
{
    static thread_local std::string text;
    text = AscendC::cpu::LastLaunch() != nullptr ? AscendC::cpu::LastLaunch()->Json() : "";
    return text.c_str();
}
}

#endif
