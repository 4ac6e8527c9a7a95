// Faults as text: collected while a launch runs, handed to the host afterwards.
#ifndef ASCENDC_CPU_REPORT_H
#define ASCENDC_CPU_REPORT_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "monitor.h"

namespace AscendC::cpu {

// Thrown to end a block. What went wrong is already in the report.
struct BlockEnded {};

// The text of one launch: one fault a line, the same fault only once, at most kFaults lines.
class [[gnu::visibility("hidden")]] Report {
public:
    static constexpr int kFaults = 20;
    static constexpr size_t kBytes = 16384;

    // `key` says which faults are the same.
    void Add(uint64_t key, const char* text)
    {
        const Guard guard(lock_);
        if (count_ >= kFaults) {
            return;
        }
        for (int i = 0; i < count_; ++i) {
            if (keys_[i] == key) {
                return;
            }
        }
        keys_[count_++] = key;
        used_ += static_cast<size_t>(std::snprintf(text_ + used_, kBytes - used_, "%s%s", used_ == 0 ? "" : "\n", text));
        used_ = used_ < kBytes ? used_ : kBytes - 1;
    }

    bool Empty() const { return count_ == 0; }
    const char* Text() const { return text_; }

private:
    Lockable lock_;
    int count_ = 0;
    uint64_t keys_[kFaults] = {};
    size_t used_ = 0;
    char text_[kBytes] = "";
};

// The report of the last launch of this thread, for ascendc_cpu_report().
[[gnu::visibility("hidden")]] inline thread_local char t_last_report[Report::kBytes] = "";

// FNV-1a: a key for "the same fault".
inline uint64_t HashText(const char* text, uint64_t hash = 14695981039346656037ULL)
{
    for (; *text != 0; ++text) {
        hash = (hash ^ static_cast<unsigned char>(*text)) * 1099511628211ULL;
    }
    return hash;
}

}  // namespace AscendC::cpu

#endif
