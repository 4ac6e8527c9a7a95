// The host's side: launching a kernel, and what a library of kernels exports besides its launch functions.
#ifndef ASCENDC_CPU_LAUNCH_H
#define ASCENDC_CPU_LAUNCH_H

#include "launcher.h"

#if defined(ASCENDC_CPU_CHECKED)
#include "checker.h"
#elif defined(ASCENDC_CPU_TIMED)
#include "profile.h"
#endif

namespace AscendC::cpu {

#if !defined(ASCENDC_CPU_CHECKED) && !defined(ASCENDC_CPU_TIMED)
inline void CheckedLaunchBegin(Launcher&) {}
inline void CheckedLaunchEnd(Launcher&) {}
inline void CheckedBlockBegin(Block&) {}
inline void CheckedBlockEnd(Block&, bool) {}
inline void RegisterGlobalMemory(const void*, size_t) {}
inline void ClearGlobalMemory() {}
#endif

// Runs `kernel` once for every block. 0: done; 1: faults, see ascendc_cpu_report(); 2: nothing to launch.
template <typename Kernel>
inline int Launch(uint32_t block_num, const Kernel& kernel)
{
    if (block_num == 0) {
        t_last_report[0] = 0;
        return 2;
    }
    Launcher launcher(
        block_num, [](void* body) { (*static_cast<const Kernel*>(body))(); }, const_cast<Kernel*>(&kernel));
    return launcher.Execute();
}

}  // namespace AscendC::cpu

// Weak, so that every source file of a library may include this, and there whether or not the file uses it.
extern "C" {

// The faults of the last launch of the calling thread, one a line; "" if there were none.
[[gnu::weak, gnu::used, gnu::visibility("default")]] const char* ascendc_cpu_report(void) { return AscendC::cpu::t_last_report; }

// Tells the checked build where global memory is (once any range is known, every access must lie in one of them), and the
// timed build how much of it the kernel works on.
[[gnu::weak, gnu::used, gnu::visibility("default")]] void ascendc_cpu_register_gm(const void* base, size_t bytes)
{
    AscendC::cpu::RegisterGlobalMemory(base, bytes);
}

[[gnu::weak, gnu::used, gnu::visibility("default")]] void ascendc_cpu_clear_gm(void) { AscendC::cpu::ClearGlobalMemory(); }

// How many blocks may run at the same time; 0 = as many as there are processors.
[[gnu::weak, gnu::used, gnu::visibility("default")]] void ascendc_cpu_set_threads(unsigned threads)
{
    AscendC::cpu::g_threads.store(threads);
}
}

#endif
