// What the core_*.cpp tests share: conditions with a readable message, launches with their report.
#ifndef CORE_TEST_H
#define CORE_TEST_H

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "kernel_operator.h"

#include "ascendc_cpu/launch.h"

inline int g_failures = 0;

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::printf("%s:%d: `%s` does not hold\n", __FILE__, __LINE__, #condition); \
            ++g_failures;                                                        \
        }                                                                        \
    } while (false)

constexpr bool kChecked = AscendC::cpu::kChecked;
constexpr bool kC220 = AscendC::cpu::kC220;

inline std::string Report() { return ascendc_cpu_report(); }

inline int Run(uint32_t blocks, const std::function<void()>& kernel)
{
    return AscendC::cpu::Launch(blocks, [&] {
        AscendC::cpu::SourceFile("kernel.py");
        kernel();
    });
}

inline void ExpectClean(const char* what, uint32_t blocks, const std::function<void()>& kernel)
{
    const int result = Run(blocks, kernel);
    if (result != 0 || !Report().empty()) {
        std::printf("%s: expected no fault, got %d:\n%s\n", what, result, Report().c_str());
        ++g_failures;
    }
}

// The report must have a line with all of `parts` in this order.
inline bool HasLine(const std::string& report, const std::vector<std::string>& parts)
{
    size_t begin = 0;
    while (begin < report.size()) {
        size_t end = report.find('\n', begin);
        end = end == std::string::npos ? report.size() : end;
        const std::string line = report.substr(begin, end - begin);
        size_t at = 0;
        bool all = true;
        for (const std::string& part : parts) {
            at = line.find(part, at);
            if (at == std::string::npos) {
                all = false;
                break;
            }
            at += part.size();
        }
        if (all) {
            return true;
        }
        begin = end + 1;
    }
    return false;
}

inline void ExpectFault(const char* what, uint32_t blocks, const std::vector<std::string>& parts, const std::function<void()>& kernel)
{
    const int result = Run(blocks, kernel);
    if (result != 1 || !HasLine(Report(), parts)) {
        std::printf("%s: expected a fault with", what);
        for (const std::string& part : parts) {
            std::printf(" [%s]", part.c_str());
        }
        std::printf(", got %d:\n%s\n", result, Report().c_str());
        ++g_failures;
    }
}

inline int Result()
{
    std::printf(g_failures == 0 ? "ok\n" : "%d failures\n", g_failures);
    return g_failures == 0 ? 0 : 1;
}

#endif
