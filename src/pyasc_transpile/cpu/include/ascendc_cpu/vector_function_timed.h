// Vector functions in the timed build: their register instructions are added up, and the whole is one instruction of PIPE_V.
#ifndef ASCENDC_CPU_VECTOR_FUNCTION_TIMED_H
#define ASCENDC_CPU_VECTOR_FUNCTION_TIMED_H

#include "timer.h"

namespace AscendC::cpu::reg {

inline void Begin() { TheTimer().registers = RegisterWork{}; }
inline void End() { TheTimer().RunVectorFunction(); }

inline void Step(const char* name, Column column, uint32_t bytes, Issue issue)
{
    Timer& timer = TheTimer();
    const double size = column == Column::i8                             ? 1
                        : column == Column::i16 || column == Column::f16 ? 2
                        : column == Column::i64                          ? 8
                                                                         : 4;
    const double rate = timer.At(timer.Look(name).family, column);
    const double cycles = rate > 0 ? bytes / size / rate : 1;
    RegisterWork& work = timer.registers;
    switch (issue) {
        case Issue::Paired:
            work.compute += cycles / timer.At(Cost::vf_pair);
            return;
        case Issue::Alone:
            work.compute += cycles;
            return;
        case Issue::Load:
            work.loads += cycles / timer.At(Cost::vf_pair);
            return;
        case Issue::SlowLoad:
            work.loads += cycles * timer.At(Cost::strided);
            return;
        case Issue::Store:
            work.stores += cycles;
            return;
        case Issue::SlowStore:
            work.stores += cycles * timer.At(Cost::strided);
            return;
    }
}

}  // namespace AscendC::cpu::reg

#endif
