// What the checked and the timed build want to know about synchronisation, queues and blocks. In the fast build all of it
// is empty; their versions are in checked.h and timed.h.
#ifndef ASCENDC_CPU_TRACE_H
#define ASCENDC_CPU_TRACE_H

#include "instruction.h"

#if !defined(ASCENDC_CPU_CHECKED) && !defined(ASCENDC_CPU_TIMED)

namespace AscendC::cpu::trace {

// A point in a pipe's work that another pipe can be made to wait for.
struct Token {};

inline void Signal(Token&, pipe_t) {}
inline void Join(const Token&, pipe_t) {}

inline void SetFlag(HardEvent, int32_t) {}
inline void WaitFlag(HardEvent, int32_t) {}
inline void Barrier(pipe_t) {}
inline void Acquire(pipe_t, uint64_t, bool) {}
inline void Release(pipe_t, uint64_t, bool) {}
// Inside of a library function the scalar unit waits for a pipe; `flags` are set and awaited for that.
inline void ScalarWaits(pipe_t, uint32_t) {}

// Memory that no tensor may touch until it is handed out again, and memory whose contents mean nothing yet.
inline void Retire(const void*, uint32_t) {}
inline void HandOut(const void*, uint32_t) {}

// All blocks are about to meet, and have met; blocks synchronise pairwise (too fine for the check across blocks, which then stays silent).
inline void BlocksMeet() {}
inline void BlocksMet() {}
inline void BlocksPaired() {}

}  // namespace AscendC::cpu::trace

#endif
#endif
