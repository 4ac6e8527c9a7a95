// Who has certainly finished before whom: vector clocks over the pipes of one core, moved by flags, locks and barriers.
//
// An instruction is (pipe, number of the instruction on that pipe). Entry [p][q] says: whatever pipe p starts next, the
// instructions of pipe q up to that number have finished. The scalar unit issues everything in program order, so what it
// has waited for is known to every later instruction; its own accesses to memory are not (they need S_V and the like).
#ifndef ASCENDC_CPU_CLOCKS_H
#define ASCENDC_CPU_CLOCKS_H

#include "types.h"

namespace AscendC::cpu {

inline constexpr int kPipes = 7;

// Small numbers for the pipes there are.
constexpr int PipeIndex(pipe_t pipe)
{
    return pipe == PIPE_FIX ? 6 : pipe <= PIPE_MTE3 ? static_cast<int>(pipe) : 0;
}

inline const char* PipeName(int index)
{
    static constexpr const char* names[kPipes] = {"PIPE_S", "PIPE_V", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX"};
    return names[index];
}

struct Clock {
    uint32_t done[kPipes] = {};

    void Join(const Clock& other)
    {
        for (int q = 0; q < kPipes; ++q) {
            done[q] = other.done[q] > done[q] ? other.done[q] : done[q];
        }
    }
};

class Clocks {
public:
    void Reset() { *this = Clocks{}; }

    // The scalar unit hands an instruction to `pipe`: returns its number.
    uint32_t Issue(int pipe)
    {
        FollowScalar(pipe);
        return ++issued_[pipe];
    }

    // Has (pipe, number) finished when the instruction being issued on `next` starts?
    bool Finished(int pipe, uint32_t number, int next) const { return number <= known_[next].done[pipe]; }

    // After the accesses of an instruction have been looked at: pipes that finish in order need no barrier of their own.
    void Retire(int pipe)
    {
        if (InOrder(pipe)) {
            known_[pipe].done[pipe] = issued_[pipe];
        }
    }

    static constexpr bool InOrder(int pipe)
    {
        return pipe != PipeIndex(PIPE_MTE2) && pipe != PipeIndex(PIPE_MTE3) && !(kC220 && pipe == PipeIndex(PIPE_V));
    }

    // All that `pipe` has done up to now, and all it has waited for.
    Clock Signal(int pipe)
    {
        FollowScalar(pipe);
        Clock clock = known_[pipe];
        clock.done[pipe] = issued_[pipe];
        return clock;
    }

    void Wait(int pipe, const Clock& clock)
    {
        FollowScalar(pipe);
        known_[pipe].Join(clock);
    }

    void Barrier(int pipe) { known_[pipe].done[pipe] = issued_[pipe]; }

    void BarrierAll()
    {
        for (Clock& clock : known_) {
            for (int q = 0; q < kPipes; ++q) {
                clock.done[q] = issued_[q];
            }
        }
    }

private:
    void FollowScalar(int pipe)
    {
        const Clock& scalar = known_[0];
        for (int q = 1; q < kPipes && pipe != 0; ++q) {
            known_[pipe].done[q] = scalar.done[q] > known_[pipe].done[q] ? scalar.done[q] : known_[pipe].done[q];
        }
    }

    uint32_t issued_[kPipes] = {};
    Clock known_[kPipes] = {};
};

}  // namespace AscendC::cpu

#endif
