// The checked build's Instruction and hooks: what instruction.h and trace.h say, done.
#ifndef ASCENDC_CPU_CHECKED_H
#define ASCENDC_CPU_CHECKED_H

#include "checker.h"
#include "extent.h"
#include "operand.h"

namespace AscendC::cpu {

inline void At(int line) { CurrentBlock().line = line; }
inline void SourceFile(const char* file) { CurrentBlock().file = file; }

[[gnu::format(printf, 2, 3)]] inline void Fault(const char* kind, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    TheChecker().ReportV(kind, format, format, arguments);
    va_end(arguments);
}

[[gnu::noinline]] inline void NoteAddress(const Extent& extent)
{
    if (MemoryOf(extent.position) == Hardware::UB) {
        const uint64_t begin = Checker::Address(extent.base);
        TheChecker().vectors.NoteTensor({begin, begin + extent.bytes}, CurrentBlock().line);
    }
}

[[gnu::noinline]] inline bool IsDefined(const void* base, uint64_t bytes)
{
    const uint8_t* const shadow = TheChecker().Shadow(Checker::Address(base));
    return shadow == nullptr || std::memchr(shadow, 0, bytes) == nullptr;
}

[[gnu::noinline]] inline void SetDefined(const void* base, uint64_t bytes, bool defined = true)
{
    if (uint8_t* const shadow = TheChecker().Shadow(Checker::Address(base))) {
        std::memset(shadow, defined ? 1 : 0, bytes);
    }
}

// Storing undefined bytes to global memory is where they do harm: there they are reported, and only there.
[[gnu::noinline]] inline void CopyDefined(const void* dst, const void* src, uint64_t bytes)
{
    Checker& checker = TheChecker();
    uint8_t* const to = checker.Shadow(Checker::Address(dst));
    const uint8_t* const from = checker.Shadow(Checker::Address(src));
    if (to != nullptr && from != nullptr) {
        std::memmove(to, from, bytes);
    } else if (to != nullptr) {
        std::memset(to, 1, bytes);
    } else if (from != nullptr) {
        const void* const hole = std::memchr(from, 0, bytes);
        if (hole != nullptr) {
            const uint64_t at = Checker::Address(src) + static_cast<uint64_t>(static_cast<const uint8_t*>(hole) - from);
            checker.Report("uninitialised", "copy to GM", "a copy to GM stores %s, of which the bytes from %llu on have never been written",
                           checker.Name(Checker::Address(src), Checker::Address(src) + bytes).text,
                           static_cast<unsigned long long>(at - Checker::Address(src)));
        }
    }
}

class Instruction {
public:
    Instruction(const char* name, pipe_t pipe, const Shape& shape) : name_(name), pipe_(PipeIndex(pipe)), shape_(shape) {}
    Instruction(const char* name, pipe_t pipe, int64_t count = 0)
        : name_(name), pipe_(PipeIndex(pipe)), shape_(Shape::Count(count > 0 ? static_cast<uint32_t>(count) : 0))
    {
    }

    template <typename Tensor>
    Instruction& Reads(const Tensor& tensor, const Layout& layout = Layout::Packed(), Align align = Align::Block)
    {
        return Add(Operand::Lanes(tensor.Extent(), sizeof(typename Tensor::PrimType), layout, align, false));
    }
    template <typename Tensor>
    Instruction& Writes(const Tensor& tensor, const Layout& layout = Layout::Packed(), Align align = Align::Block)
    {
        return Add(Operand::Lanes(tensor.Extent(), sizeof(typename Tensor::PrimType), layout, align, true));
    }
    template <typename Tensor>
    Instruction& ReadsElements(const Tensor& tensor, uint64_t count, Align align = Align::Block)
    {
        return Add(Operand::Whole(tensor.Extent(), sizeof(typename Tensor::PrimType), count, align, false));
    }
    template <typename Tensor>
    Instruction& WritesElements(const Tensor& tensor, uint64_t count, Align align = Align::Block)
    {
        return Add(Operand::Whole(tensor.Extent(), sizeof(typename Tensor::PrimType), count, align, true));
    }
    template <typename Tensor>
    Instruction& ReadsRows(const Tensor& tensor, uint32_t rows, uint64_t bytes, int64_t pitch, Align align = Align::Block)
    {
        return Add(Operand::Rows(tensor.Extent(), sizeof(typename Tensor::PrimType), rows, bytes, pitch, align, false));
    }
    template <typename Tensor>
    Instruction& WritesRows(const Tensor& tensor, uint32_t rows, uint64_t bytes, int64_t pitch, Align align = Align::Block)
    {
        return Add(Operand::Rows(tensor.Extent(), sizeof(typename Tensor::PrimType), rows, bytes, pitch, align, true));
    }
    template <typename Tensor>
    Instruction& ReadsBits(const Tensor& tensor, Align align = Align::Block)
    {
        return Add(Operand::Bits(tensor.Extent(), sizeof(typename Tensor::PrimType), align, false));
    }
    template <typename Tensor>
    Instruction& WritesBits(const Tensor& tensor, Align align = Align::Block)
    {
        return Add(Operand::Bits(tensor.Extent(), sizeof(typename Tensor::PrimType), align, true));
    }
    template <typename Tensor>
    Instruction& ReadsScalar(const Tensor& tensor, uint64_t index)
    {
        return Add(Operand::Element(tensor.Extent(), sizeof(typename Tensor::PrimType), index, false));
    }
    template <typename Tensor>
    Instruction& WritesScalar(const Tensor& tensor, uint64_t index)
    {
        return Add(Operand::Element(tensor.Extent(), sizeof(typename Tensor::PrimType), index, true));
    }

    void Elementwise() { Groups(1, 1); }
    [[gnu::noinline]] void Groups(uint32_t from, uint32_t to)
    {
        Check();
        if (Exact() && SourcesDefined()) {
            DefineTargets(true);
        } else if (from != 1 || to != 1 || !DefinePlain()) {
            DefineGroups(from, to);
        }
    }
    [[gnu::noinline]] void All()
    {
        Check();
        DefineTargets(SourcesDefined());
    }
    [[gnu::noinline]] void Defines()
    {
        Check();
        DefineTargets(!TheChecker().TakeUndefinedRead());
    }
    [[gnu::noinline]] void Untracked() { Check(); }

private:
    static constexpr int kOperands = 36;  // TransDataTo5HD has 32

    // The operands of the instruction being described: one at a time on each thread, so their memory is kept.
    [[gnu::visibility("hidden")]] static Operand* Scratch()
    {
        static thread_local Operand operands[kOperands];
        return operands;
    }

    [[gnu::noinline]] Instruction& Add(const Operand& operand)
    {
        if (count_ < kOperands) {
            operands_[count_++] = operand;
        }
        return *this;
    }

    // Bounds and alignment of everything, then the order of everything, then the record: an instruction is not in a race
    // with itself.
    [[gnu::noinline]] void Check()
    {
        Checker& checker = TheChecker();
        if (!WritesScalarOnChip()) {
            checker.ReportUndefinedRead();
        }
        bool inside = true;
        for (int i = 0; i < count_; ++i) {
            operands_[i].FindRuns(shape_);
            inside = CheckPlace(checker, operands_[i]) && inside;
        }
        if (!inside) {
            throw BlockEnded{};
        }
        const Block& block = CurrentBlock();
        Access access;
        access.number = checker.Issue(pipe_);
        access.pipe = pipe_;
        access.line = block.line;
        access.name = name_;
        for (int i = 0; i < count_; ++i) {
            access.atomic = IsAtomic(operands_[i]);
            for (const Run& run : operands_[i].runs) {
                checker.CheckOrder(access, operands_[i].writes, run.begin, run.end);
            }
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < count_; ++i) {
                if (operands_[i].writes != (pass == 1)) {
                    continue;
                }
                access.atomic = IsAtomic(operands_[i]);
                for (const Run& run : operands_[i].runs) {
                    checker.Record(access, operands_[i].writes, run.begin, run.end, operands_[i].Global());
                }
            }
        }
        checker.Retire(pipe_);
        CheckScalars(checker);
    }

    bool IsAtomic(const Operand& operand) const
    {
        return operand.writes && operand.Global() && pipe_ != 0 && CurrentBlock().atomic_mode != AtomicMode::None;
    }

    [[gnu::noinline]] bool CheckPlace(Checker& checker, const Operand& operand)
    {
        const char* const verb = operand.writes ? "writes" : "reads";
        const uint64_t base = Checker::Address(operand.extent.base);
        const uint64_t align = operand.Alignment();
        if (align > 1 && base % align != 0 && !operand.runs.empty()) {
            checker.Report("alignment", name_, "%s %s %s, whose address is not a multiple of %llu bytes", name_, verb,
                           checker.Name(base, operand.runs.front().end).text, static_cast<unsigned long long>(align));
        }
        uint64_t low = ~uint64_t{0};
        uint64_t high = 0;
        for (const Run& run : operand.runs) {
            low = run.begin < low ? run.begin : low;
            high = run.end > high ? run.end : high;
        }
        if (operand.runs.empty()) {
            return true;
        }
        if (!checker.CheckMemory(name_, verb, operand.extent, low, high)) {
            return false;
        }
        const uint64_t room = operand.Room();
        if (low < base || (room != Extent::kUnknown && high > base + room)) {
            checker.Report("bounds", name_, "%s %s bytes [%lld, %lld) of a tensor of %llu bytes in %s", name_, verb,
                           static_cast<long long>(low - base), static_cast<long long>(high - base),
                           static_cast<unsigned long long>(operand.extent.bytes), MemoryName(MemoryOf(operand.extent.position)));
            return false;
        }
        if (!operand.Global()) {
            checker.CheckRetired(name_, low, high);
        }
        return true;
    }

    bool WritesScalarOnChip() const
    {
        return count_ == 1 && operands_[0].writes && operands_[0].kind == Operand::Kind::Element && !operands_[0].Global();
    }

    void CheckScalars(Checker& checker)
    {
        for (int i = 0; i < count_; ++i) {
            const Operand& operand = operands_[i];
            if (operand.kind == Operand::Kind::Element && !operand.writes) {
                const Run& run = operand.runs.front();
                if (!IsDefined(reinterpret_cast<const void*>(run.begin), run.end - run.begin)) {
                    checker.ReadUndefined(name_, run.begin, run.end);
                }
            }
        }
    }

    [[gnu::noinline]] bool SourcesDefined() const
    {
        for (int i = 0; i < count_; ++i) {
            if (!operands_[i].exact && !operands_[i].writes) {
                for (uint64_t lane = 0; lane < operands_[i].LaneCount(shape_); ++lane) {
                    if (!operands_[i].LaneDefined(shape_, lane)) {
                        return false;
                    }
                }
                continue;
            }
            for (const Run& run : operands_[i].runs) {
                if (!operands_[i].writes && !IsDefined(reinterpret_cast<const void*>(run.begin), run.end - run.begin)) {
                    return false;
                }
            }
        }
        return true;
    }

    bool Exact() const
    {
        for (int i = 0; i < count_; ++i) {
            if (!operands_[i].exact) {
                return false;
            }
        }
        return true;
    }

    // Element-wise on adjacent elements of one width, the usual case: byte by byte, all at once.
    [[gnu::noinline]] bool DefinePlain()
    {
        const uint64_t bytes = uint64_t{shape_.repeats} * shape_.lanes * operands_[0].size;
        for (int i = 0; i < count_; ++i) {
            if (!operands_[i].Plain(shape_) || operands_[i].size != operands_[0].size) {
                return false;
            }
        }
        std::vector<uint8_t> defined(bytes, 1);
        for (int i = 0; i < count_; ++i) {
            const uint8_t* const shadow = TheChecker().Shadow(Checker::Address(operands_[i].extent.base));
            if (operands_[i].writes || shadow == nullptr) {
                continue;
            }
            uint8_t* const all = defined.data();
            for (uint64_t k = 0; k < bytes; ++k) {
                all[k] &= shadow[k];
            }
        }
        for (int i = 0; i < count_; ++i) {
            uint8_t* const shadow = TheChecker().Shadow(Checker::Address(operands_[i].extent.base));
            if (operands_[i].writes && shadow != nullptr) {
                std::memcpy(shadow, defined.data(), bytes);
            }
        }
        return true;
    }

    [[gnu::noinline]] void DefineTargets(bool defined)
    {
        for (int i = 0; i < count_; ++i) {
            if (!operands_[i].exact) {
                for (uint64_t lane = 0; operands_[i].writes && lane < operands_[i].LaneCount(shape_); ++lane) {
                    operands_[i].DefineLane(shape_, lane, defined);
                }
                continue;
            }
            for (const Run& run : operands_[i].runs) {
                if (operands_[i].writes) {
                    SetDefined(reinterpret_cast<const void*>(run.begin), run.end - run.begin, defined);
                }
            }
        }
    }

    // The slow way, for instructions on tiles of which a part is undefined.
    [[gnu::noinline]] void DefineGroups(uint32_t from, uint32_t to)
    {
        bool common = true;  // sources that every result depends on
        for (int i = 0; i < count_; ++i) {
            const Operand& source = operands_[i];
            for (const Run& run : source.runs) {
                common = common && (source.writes || source.PerLane() ||
                                    IsDefined(reinterpret_cast<const void*>(run.begin), run.end - run.begin));
            }
        }
        for (int i = 0; i < count_; ++i) {
            const Operand& target = operands_[i];
            if (!target.writes) {
                continue;
            }
            if (!target.PerLane()) {
                for (const Run& run : target.runs) {
                    SetDefined(reinterpret_cast<const void*>(run.begin), run.end - run.begin, false);
                }
                continue;
            }
            const uint64_t lanes = target.LaneCount(shape_);
            for (uint64_t group = 0; group * to < lanes; ++group) {
                const bool defined = common && GroupDefined(group * from, from);
                for (uint64_t lane = group * to; lane < group * to + to && lane < lanes; ++lane) {
                    target.DefineLane(shape_, lane, defined);
                }
            }
        }
    }

    bool GroupDefined(uint64_t first, uint32_t lanes) const
    {
        for (int i = 0; i < count_; ++i) {
            const Operand& source = operands_[i];
            for (uint64_t lane = first; !source.writes && source.PerLane() && lane < first + lanes; ++lane) {
                if (!source.LaneDefined(shape_, lane)) {
                    return false;
                }
            }
        }
        return true;
    }

    const char* name_;
    int pipe_;
    Shape shape_;
    int count_ = 0;
    Operand* const operands_ = Scratch();
};

namespace trace {

struct Token {
    Clock clock;
};

inline void Signal(Token& token, pipe_t from) { token.clock = TheChecker().Signal(from); }
inline void Join(const Token& token, pipe_t to) { TheChecker().Wait(to, token.clock); }
inline void SetFlag(HardEvent event, int32_t id) { TheChecker().SetFlag(event, id); }
inline void WaitFlag(HardEvent event, int32_t id) { TheChecker().WaitFlag(event, id); }
inline void Barrier(pipe_t pipe) { TheChecker().Barrier(pipe); }
inline void Acquire(pipe_t pipe, uint64_t id, bool) { TheChecker().Acquire(pipe, id); }
inline void Release(pipe_t pipe, uint64_t id, bool) { TheChecker().Release(pipe, id); }
inline void Retire(const void* base, uint32_t bytes) { TheChecker().RetireMemory(base, bytes); }
inline void HandOut(const void* base, uint32_t bytes) { TheChecker().HandOut(base, bytes); }
inline void BlocksMeet() {}
inline void ScalarWaits(pipe_t, uint32_t) {}
inline void BlocksMet() { TheChecker().BlocksMet(); }
inline void BlocksPaired() { TheChecker().BlocksPaired(); }

}  // namespace trace
}  // namespace AscendC::cpu

#endif
