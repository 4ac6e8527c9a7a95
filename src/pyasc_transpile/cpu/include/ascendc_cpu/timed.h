// The timed build's Instruction and hooks: what instruction.h and trace.h say, as times.
#ifndef ASCENDC_CPU_TIMED_H
#define ASCENDC_CPU_TIMED_H

#include "timer.h"

namespace AscendC::cpu {

inline void At(int line) { TheTimer().Statement(line); }
inline void SourceFile(const char*) {}

inline void CopyDefined(const void*, const void*, uint64_t) {}
inline void SetDefined(const void*, uint64_t, bool = true) {}
inline constexpr bool IsDefined(const void*, uint64_t) { return true; }
inline void Fault(const char*, const char*, ...) {}
inline void NoteAddress(const Extent&) {}

// Collects what an instruction works on; the closing word turns it into time.
class Instruction {
public:
    Instruction(const char* name, pipe_t pipe, const Shape& shape)
        : name_(name), pipe_(PipeIndex(pipe)), repeats_(shape.repeats), lanes_(shape.lanes)
    {
    }
    Instruction(const char* name, pipe_t pipe, int64_t count = 0)
        : name_(name), pipe_(PipeIndex(pipe)), lanes_(count > 0 ? static_cast<uint64_t>(count) : 0)
    {
    }

    template <typename Tensor>
    Instruction& Reads(const Tensor& tensor, const Layout& layout = Layout::Packed(), Align = Align::Block)
    {
        return AddLanes<Tensor>(tensor, layout, false);
    }
    template <typename Tensor>
    Instruction& Writes(const Tensor& tensor, const Layout& layout = Layout::Packed(), Align = Align::Block)
    {
        return AddLanes<Tensor>(tensor, layout, true);
    }
    template <typename Tensor>
    Instruction& ReadsElements(const Tensor& tensor, uint64_t count, Align = Align::Block)
    {
        return AddBytes<Tensor>(tensor, 1, count * sizeof(typename Tensor::PrimType), false);
    }
    template <typename Tensor>
    Instruction& WritesElements(const Tensor& tensor, uint64_t count, Align = Align::Block)
    {
        return AddBytes<Tensor>(tensor, 1, count * sizeof(typename Tensor::PrimType), true);
    }
    template <typename Tensor>
    Instruction& ReadsRows(const Tensor& tensor, uint32_t rows, uint64_t bytes, int64_t pitch, Align = Align::Block)
    {
        return AddBytes<Tensor>(tensor, rows, bytes, false, pitch);
    }
    template <typename Tensor>
    Instruction& WritesRows(const Tensor& tensor, uint32_t rows, uint64_t bytes, int64_t pitch, Align = Align::Block)
    {
        return AddBytes<Tensor>(tensor, rows, bytes, true, pitch);
    }
    template <typename Tensor>
    Instruction& ReadsScalar(const Tensor& tensor, uint64_t)
    {
        return AddBytes<Tensor>(tensor, 1, sizeof(typename Tensor::PrimType), false);
    }
    template <typename Tensor>
    Instruction& WritesScalar(const Tensor& tensor, uint64_t)
    {
        return AddBytes<Tensor>(tensor, 1, sizeof(typename Tensor::PrimType), true);
    }
    template <typename Tensor>
    Instruction& ReadsBits(const Tensor&, Align = Align::Block)
    {
        return *this;
    }
    template <typename Tensor>
    Instruction& WritesBits(const Tensor&, Align = Align::Block)
    {
        written_.used = true;
        return *this;
    }

    void Elementwise() { Run(); }
    void Groups(uint32_t, uint32_t) { Run(); }
    void All() { Run(); }
    void Defines() { Run(); }
    // Nothing but checks when nothing is written.
    void Untracked()
    {
        if (written_.used || pipe_ == 0) {
            Run();
        }
    }

private:
    // All that is read, or all that is written.
    struct Side {
        bool used = false;
        bool global = false;
        uint64_t rows = 0;
        uint64_t bytes = 0;  // of a row
        int64_t pitch = 0;
        const void* base = nullptr;
        Hardware memory = Hardware::UB;
    };

    static GlobalRows AsGlobal(const Side& side, bool reads) { return {side.base, side.rows, side.bytes, side.pitch, reads}; }

    template <typename Tensor>
    void Note(const Tensor& tensor, bool writes)
    {
        const TPosition position = tensor.Extent().position;
        Side& side = writes ? written_ : read_;
        if (!side.used) {
            side.memory = position == TPosition::GM ? Hardware::GM : MemoryOf(position);
            side.base = tensor.Extent().base;
        }
        side.used = true;
        side.global |= position == TPosition::GM;
    }

    // The widest operand says how many lanes a repeat has; the first one of that width names the class.
    template <typename Tensor>
    Instruction& AddLanes(const Tensor& tensor, const Layout& layout, bool writes)
    {
        using T = typename Tensor::PrimType;
        Note(tensor, writes);
        if (layout.lanes == 0 && sizeof(T) > size_) {
            size_ = sizeof(T);
            column_ = ColumnOf<T>();
        }
        strided_ |= !layout.packed && layout.lanes == 0 && layout.block_pitch != ONE_BLK_SIZE;
        Side& side = writes ? written_ : read_;
        const uint64_t bytes = repeats_ * lanes_ * sizeof(T);
        side.rows = 1;
        side.bytes = bytes > side.bytes ? bytes : side.bytes;
        return *this;
    }

    template <typename Tensor>
    Instruction& AddBytes(const Tensor& tensor, uint64_t rows, uint64_t bytes, bool writes, int64_t pitch = 0)
    {
        using T = typename Tensor::PrimType;
        Note(tensor, writes);
        Side& side = writes ? written_ : read_;
        if (rows * bytes > side.rows * side.bytes) {
            side.rows = rows;
            side.bytes = bytes;
            side.pitch = pitch;
        }
        whole_column_ = ColumnOf<T>();
        whole_size_ = sizeof(T);
        volume_ *= static_cast<double>(rows * bytes) / sizeof(T);
        return *this;
    }

    [[gnu::noinline]] void Run()
    {
        Timer& timer = TheTimer();
        const uint64_t in = read_.global ? read_.rows * read_.bytes : 0;
        const uint64_t out = written_.global ? written_.rows * written_.bytes : 0;
        timer.Moved(in, out);
        if (pipe_ == 0) {
            timer.RunScalar(name_, written_.used ? timer.At(written_.global ? Cost::scalar_write_global : Cost::scalar_write_local)
                                                 : timer.At(read_.global ? Cost::scalar_read_global : Cost::scalar_read_local));
            return;
        }
        timer.Run(pipe_, name_, Work(timer), read_.global || written_.global);
        if (std::strchr(name_, '<') != nullptr) {
            timer.MorePartsOf(name_, pipe_);
        }
    }

    double Work(Timer& timer) const
    {
        const double bytes = static_cast<double>(written_.rows * written_.bytes);
        switch (pipe_) {
            case 1:
                return Vector(timer);
            case 2:
                return Matrix(timer);
            case 4:
            case 5:
                if (read_.global || written_.global) {
                    return timer.GlobalCopy(AsGlobal(read_.global ? read_ : written_, read_.global));
                }
                return Divide(bytes, timer.At(Cost::ub_to_l1_rate));
            case 6:
                return written_.global ? timer.GlobalCopy(AsGlobal(written_, false))
                                       : Divide(bytes, timer.At(Cost::fix_rate));
            default:
                return Divide(bytes, timer.At(Cost::mte1_rate));
        }
    }

    // Whole repeats of 256 bytes at the rate of the family.
    double Vector(Timer& timer) const
    {
        const Family family = timer.Look(name_).family;
        const bool lanes = size_ != 0;
        const Column column = lanes ? column_ : whole_column_;
        const uint64_t size = lanes ? size_ : whole_size_;
        const uint64_t per_repeat = ONE_REPEAT_BYTE_SIZE / size;
        const uint64_t bytes = read_.rows * read_.bytes > written_.rows * written_.bytes ? read_.rows * read_.bytes
                                                                                         : written_.rows * written_.bytes;
        const uint64_t elements = lanes_ != 0 ? repeats_ * lanes_ : bytes / size;
        const uint64_t whole = (elements + per_repeat - 1) / per_repeat * per_repeat;
        const double work = Divide(static_cast<double>(whole), timer.At(family, column));
        return timer.At(family, Column::start) + (strided_ ? work * timer.At(Cost::strided) : work);
    }

    // The product of the sizes of A, B and C is (m n k) squared.
    double Matrix(Timer& timer) const
    {
        const Cost rate = whole_size_ == 1 ? Cost::macs_8 : whole_size_ == 2 ? Cost::macs_16 : Cost::macs_32;
        return Divide(__builtin_sqrt(volume_), timer.At(rate));
    }

    static double Divide(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

    const char* name_;
    int pipe_;
    uint64_t repeats_ = 1;
    uint64_t lanes_ = 0;
    uint64_t size_ = 0;
    uint64_t whole_size_ = 1;
    Column column_ = Column::f32;
    Column whole_column_ = Column::f32;
    bool strided_ = false;
    double volume_ = 1;
    Side read_;
    Side written_;
};

namespace trace {

struct Token {
    double time = 0;
};

inline void SetFlag(HardEvent event, int32_t id)
{
    Timer& timer = TheTimer();
    timer.Synchronise(timer.At(Cost::sync_issue));
    const double done = timer.Done(PipeIndex(PipesOf(event).from));
    timer.flags[static_cast<uint8_t>(event)][id & 7] = (done > timer.Now() ? done : timer.Now()) + timer.At(Cost::flag);
}

inline void WaitFlag(HardEvent event, int32_t id)
{
    Timer& timer = TheTimer();
    timer.Synchronise(timer.At(Cost::sync_issue));
    timer.Wait(PipeIndex(PipesOf(event).to), timer.flags[static_cast<uint8_t>(event)][id & 7]);
}

inline void Barrier(pipe_t pipe)
{
    Timer& timer = TheTimer();
    timer.Synchronise(timer.At(Cost::sync_issue));
    if (pipe == PIPE_ALL) {
        timer.BarrierAll();
    } else {
        timer.Barrier(PipeIndex(pipe));
    }
}

// get_buf: the pipe goes on when the buffer has been given back; rls_buf: when the pipe has done what it was given.
inline void Acquire(pipe_t pipe, uint64_t id, bool)
{
    Timer& timer = TheTimer();
    timer.Synchronise(timer.At(Cost::sync_issue));
    timer.Wait(PipeIndex(pipe), timer.locks[id & 31]);
}

inline void Release(pipe_t pipe, uint64_t id, bool)
{
    Timer& timer = TheTimer();
    timer.Synchronise(timer.At(Cost::sync_issue));
    const double done = timer.Done(PipeIndex(pipe)) + timer.At(Cost::flag);
    timer.locks[id & 31] = done > timer.locks[id & 31] ? done : timer.locks[id & 31];
}

inline void Signal(Token& token, pipe_t from)
{
    Timer& timer = TheTimer();
    timer.Synchronise(timer.At(Cost::queue_operation));
    token.time = timer.Done(PipeIndex(from)) + timer.At(Cost::flag);
}

inline void Join(const Token& token, pipe_t to)
{
    Timer& timer = TheTimer();
    timer.Synchronise(timer.At(Cost::queue_operation));
    timer.Wait(PipeIndex(to), token.time);
}

inline void ScalarWaits(pipe_t pipe, uint32_t flags)
{
    Timer& timer = TheTimer();
    for (uint32_t each = 0; each < flags; ++each) {
        timer.Synchronise(timer.At(Cost::sync_issue));
    }
    timer.Wait(PipeIndex(PIPE_S), timer.Done(PipeIndex(pipe)) + timer.At(Cost::flag));
}

inline void Retire(const void*, uint32_t) {}
inline void HandOut(const void*, uint32_t) {}

void BlocksMeet();  // profile.h
void BlocksMet();
inline void BlocksPaired() { TheTimer().Synchronise(TheTimer().At(Cost::sync_issue)); }

}  // namespace trace
}  // namespace AscendC::cpu

#endif
