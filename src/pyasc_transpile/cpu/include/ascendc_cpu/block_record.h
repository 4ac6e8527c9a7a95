// What every block did to global memory, compared at the end of a launch: blocks that touch the same bytes between two
// meetings of all blocks, one of them writing, race.
#ifndef ASCENDC_CPU_BLOCK_RECORD_H
#define ASCENDC_CPU_BLOCK_RECORD_H

#include <algorithm>
#include <utility>
#include <vector>

#include "launcher.h"

namespace AscendC::cpu {

enum class Touch : uint8_t { Read, Write, Atomic };

struct GlobalAccess {
    uint64_t begin;
    uint64_t end;
    uint32_t epoch;  // how often all blocks have met before
    uint32_t block;
    int line;
    Touch touch;
    const char* name;

    bool operator<(const GlobalAccess& other) const
    {
        return epoch != other.epoch ? epoch < other.epoch : begin != other.begin ? begin < other.begin : end < other.end;
    }
};

// The accesses of one block. Runs of adjacent accesses of one kind are kept as one.
class GlobalRecord {
public:
    void Clear()
    {
        accesses_.clear();
        compact_at_ = kCompactAt;
    }

    void Add(const GlobalAccess& access)
    {
        for (size_t back = 1; back <= 4 && back <= accesses_.size(); ++back) {
            GlobalAccess& last = accesses_[accesses_.size() - back];
            if (last.epoch == access.epoch && last.touch == access.touch && last.begin <= access.begin &&
                access.begin <= last.end) {
                last.end = access.end > last.end ? access.end : last.end;
                return;
            }
        }
        accesses_.push_back(access);
        if (accesses_.size() >= compact_at_) {
            Compact();
            compact_at_ = accesses_.size() * 2 > kCompactAt ? accesses_.size() * 2 : kCompactAt;
        }
    }

    std::vector<GlobalAccess> Take()
    {
        Compact();
        return std::move(accesses_);
    }

private:
    static constexpr size_t kCompactAt = 1 << 16;

    void Compact()
    {
        std::stable_sort(accesses_.begin(), accesses_.end(), [](const GlobalAccess& a, const GlobalAccess& b) {
            return a.touch != b.touch ? a.touch < b.touch : a < b;
        });
        size_t kept = 0;
        for (size_t i = 0; i < accesses_.size(); ++i) {
            const GlobalAccess& access = accesses_[i];
            GlobalAccess* const last = kept == 0 ? nullptr : &accesses_[kept - 1];
            if (last != nullptr && last->touch == access.touch && last->epoch == access.epoch && access.begin <= last->end) {
                last->end = access.end > last->end ? access.end : last->end;
            } else {
                accesses_[kept++] = access;
            }
        }
        accesses_.resize(kept);
    }

    std::vector<GlobalAccess> accesses_;
    size_t compact_at_ = kCompactAt;
};

// Where the host has said that global memory is.
struct GlobalRange {
    uint64_t begin;
    uint64_t end;
};

struct GlobalRanges {
    Lockable lock;
    std::vector<GlobalRange> ranges;

    [[gnu::visibility("hidden")]] static GlobalRanges& Instance()
    {
        static GlobalRanges ranges;
        return ranges;
    }
};

inline void RegisterGlobalMemory(const void* base, size_t bytes)
{
    GlobalRanges& all = GlobalRanges::Instance();
    const Guard guard(all.lock);
    const uint64_t begin = reinterpret_cast<uint64_t>(base);
    all.ranges.push_back({begin, begin + bytes});
}

inline void ClearGlobalMemory()
{
    GlobalRanges& all = GlobalRanges::Instance();
    const Guard guard(all.lock);
    all.ranges.clear();
}

// What a launch's blocks share in the checked build.
struct LaunchRecord {
    Lockable lock;
    std::vector<GlobalRange> ranges;
    std::vector<GlobalAccess> accesses;
    const char* file = nullptr;
    bool paired = false;  // blocks synchronise in pairs: too fine for this check

    // Reports each pair of lines once (the report drops what it has already).
    void FindRaces(Report& report)
    {
        if (paired) {
            return;
        }
        std::sort(accesses.begin(), accesses.end());
        // For each kind of access, the two of different blocks that reach furthest.
        const GlobalAccess* furthest[3][2] = {};
        uint32_t epoch = 0;
        for (const GlobalAccess& access : accesses) {
            if (access.epoch != epoch) {
                std::fill(&furthest[0][0], &furthest[0][0] + 6, nullptr);
                epoch = access.epoch;
            }
            for (int kind = 0; kind < 3; ++kind) {
                const bool harmless = (access.touch == Touch::Read && kind == 0) || (access.touch == Touch::Atomic && kind == 2);
                for (const GlobalAccess* earlier : furthest[kind]) {
                    if (!harmless && earlier != nullptr && earlier->block != access.block && earlier->end > access.begin) {
                        Describe(report, *earlier, access);
                    }
                }
            }
            Keep(furthest[static_cast<int>(access.touch)], access);
        }
    }

private:
    static void Keep(const GlobalAccess* (&best)[2], const GlobalAccess& access)
    {
        if (best[0] == nullptr || access.end > best[0]->end) {
            if (best[0] != nullptr && best[0]->block != access.block) {
                best[1] = best[0];
            }
            best[0] = &access;
        } else if (access.block != best[0]->block && (best[1] == nullptr || access.end > best[1]->end)) {
            best[1] = &access;
        }
    }

    void Describe(Report& report, const GlobalAccess& a, const GlobalAccess& b) const
    {
        static constexpr const char* verbs[] = {"reads", "writes", "adds to"};
        const uint64_t end = a.end < b.end ? a.end : b.end;
        char lines[2][16] = {"?", "?"};
        for (int i = 0; i < 2; ++i) {
            const int line = i == 0 ? a.line : b.line;
            if (line > 0) {
                std::snprintf(lines[i], sizeof lines[i], "%d", line);
            }
        }
        char text[512];
        std::snprintf(text, sizeof text,
                      "%s:%s: race: %s of block %u %s GM [%#llx, %#llx) which %s of block %u (line %s) %s, with no SyncAll "
                      "between them, block %u",
                      file != nullptr ? file : "?", lines[1], b.name, b.block, verbs[static_cast<int>(b.touch)],
                      static_cast<unsigned long long>(b.begin), static_cast<unsigned long long>(end), a.name, a.block, lines[0],
                      verbs[static_cast<int>(a.touch)], b.block);
        const int low = a.line < b.line ? a.line : b.line;
        const int high = a.line < b.line ? b.line : a.line;
        report.Add(HashText("race between blocks") + static_cast<uint64_t>(low) * 100003 + static_cast<uint64_t>(high), text);
    }
};

}  // namespace AscendC::cpu

#endif
