// Which instruction wrote each byte last, and which have read it since: intervals of addresses, split and joined as
// instructions touch them. A tile that is always used as a whole is one interval, however large it is.
#ifndef ASCENDC_CPU_ACCESS_MAP_H
#define ASCENDC_CPU_ACCESS_MAP_H

#include <map>

#include "clocks.h"

namespace AscendC::cpu {

// An instruction as far as a report needs it. number 0 = no instruction.
struct Access {
    uint32_t number = 0;
    int pipe = 0;
    int line = 0;
    bool atomic = false;
    const char* name = nullptr;
};

class AccessMap {
public:
    void Clear() { segments_.clear(); }

    // Calls conflict(access, is_write, begin, end) for everything in [begin, end) that the new access must come after: writes
    // always, reads when the new access writes.
    template <typename Conflict>
    void ForEachEarlier(uint64_t begin, uint64_t end, bool writes, const Conflict& conflict) const
    {
        for (auto it = First(begin); it != segments_.end() && it->first < end; ++it) {
            const Segment& segment = it->second;
            const uint64_t from = it->first > begin ? it->first : begin;
            const uint64_t to = segment.end < end ? segment.end : end;
            if (segment.writer.number != 0) {
                conflict(segment.writer, true, from, to);
            }
            for (int pipe = 0; writes && pipe < kPipes; ++pipe) {
                if (segment.readers[pipe].number != 0) {
                    conflict(segment.readers[pipe], false, from, to);
                }
            }
        }
    }

    // A write makes the accesses before it irrelevant: who comes after the write comes after them.
    [[gnu::noinline]] void Write(uint64_t begin, uint64_t end, const Access& access)
    {
        Cut(begin);
        Cut(end);
        segments_.erase(segments_.lower_bound(begin), segments_.lower_bound(end));
        Segment segment;
        segment.end = end;
        segment.writer = access;
        segments_.emplace(begin, segment);
    }

    [[gnu::noinline]] void Read(uint64_t begin, uint64_t end, const Access& access)
    {
        Cut(begin);
        Cut(end);
        uint64_t at = begin;
        for (auto it = segments_.lower_bound(begin); at < end; ++it) {
            const uint64_t next = it == segments_.end() || it->first > end ? end : it->first;
            if (at < next) {  // a part that nobody has touched
                Segment segment;
                segment.end = next;
                it = segments_.emplace_hint(it, at, segment);
            }
            it->second.readers[access.pipe] = access;
            at = it->second.end;
        }
    }

private:
    struct Segment {
        uint64_t end = 0;
        Access writer;
        Access readers[kPipes];
    };
    using Map = std::map<uint64_t, Segment>;

    // The first segment that ends behind `address`.
    Map::const_iterator First(uint64_t address) const
    {
        auto it = segments_.upper_bound(address);
        if (it != segments_.begin()) {
            auto before = std::prev(it);
            if (before->second.end > address) {
                return before;
            }
        }
        return it;
    }

    // No segment reaches across `address` afterwards.
    [[gnu::noinline]] void Cut(uint64_t address)
    {
        auto it = segments_.lower_bound(address);
        if (it == segments_.begin()) {
            return;
        }
        --it;
        if (it->second.end > address) {
            const Segment rest = it->second;
            it->second.end = address;
            segments_.emplace_hint(std::next(it), address, rest);
        }
    }

    Map segments_;
};

}  // namespace AscendC::cpu

#endif
