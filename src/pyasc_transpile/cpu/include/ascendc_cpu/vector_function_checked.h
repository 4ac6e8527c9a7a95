// Vector functions in the checked build. They work with pointers, so the tensors whose address a kernel has taken are
// remembered: an access must stay in the tensor that its pointer points into. Loads always read whole vectors, so they may
// reach beyond the end; the lanes there count as undefined.
#ifndef ASCENDC_CPU_VECTOR_FUNCTION_CHECKED_H
#define ASCENDC_CPU_VECTOR_FUNCTION_CHECKED_H

#include "checked.h"

namespace AscendC::cpu::reg {

// Bytes of UB as an operand of Instruction.
struct Piece {
    using PrimType = uint8_t;
    const void* at;
    struct Extent Extent() const { return {at, cpu::Extent::kUnknown, TPosition::VECCALC}; }
};

inline void Begin() { TheChecker().vectors.Begin(); }

// Plain C++ may have written to the announced result as well: what is not as it was announced is defined.
[[gnu::noinline]] inline void End()
{
    const VectorChecks::Result result = TheChecker().vectors.End();
    const uint64_t size = result.element_size;
    for (uint64_t at = result.range.begin; at < result.range.end; at += size) {
        const void* const element = reinterpret_cast<const void*>(at);
        const uint8_t* const bytes = static_cast<const uint8_t*>(element);
        bool written = !result.stored;
        for (uint64_t k = 0; k < size; ++k) {
            written |= bytes[k] != VectorChecks::kUndefined;
        }
        if (written && !IsDefined(element, size)) {
            SetDefined(element, size);
        }
    }
}

inline void Step(const char*, Column, uint32_t, Issue) {}

// Where the tensor ends that an access lies in. Reports and ends the block when it begins outside.
[[gnu::noinline]] inline uint64_t EndOfTensor(const Access& access, const char* verb)
{
    Checker& checker = TheChecker();
    const uint64_t begin = Checker::Address(access.at);
    if (!checker.vectors.Running()) {
        checker.Report("scope", access.name, "%s is outside of a vector function: put it into __VEC_SCOPE__ or asc_vf_call",
                       access.name);
    }
    const uint64_t ub = Checker::Address(CurrentBlock().Memory(Hardware::UB));
    VectorChecks::Range tensor{ub, ub + MemoryBytes(Hardware::UB)};
    if (!checker.vectors.Find(Checker::Address(access.base), tensor) || begin < tensor.begin || begin >= tensor.end) {
        checker.Report("bounds", access.name, "%s %s %s, which is in no tensor whose address the kernel has taken", access.name,
                       verb, checker.Name(begin, begin + access.bytes).text);
        throw BlockEnded{};
    }
    return tensor.end;
}

[[gnu::noinline]] inline uint32_t Reads(const Access& access)
{
    Checker& checker = TheChecker();
    const uint64_t begin = Checker::Address(access.at);
    const uint64_t room = EndOfTensor(access, "reads") - begin;
    const uint32_t bytes = room < access.bytes ? static_cast<uint32_t>(room) : access.bytes;
    Instruction(access.name, PIPE_V).ReadsElements(Piece{access.at}, bytes, static_cast<Align>(access.align)).Untracked();
    const VectorChecks::Store* const store = checker.vectors.Overtakes(begin, begin + bytes, access.reg);
    if (store != nullptr) {
        checker.Report("race", access.name,
                       "%s reads %s, which %s in the same vector function writes: put LocalMemBar<MemType::VEC_STORE, "
                       "MemType::VEC_LOAD>() between them",
                       access.name, checker.Name(begin, begin + bytes).text, store->name);
    }
    return bytes;
}

[[gnu::noinline]] inline void Writes(const Access& access)
{
    Checker& checker = TheChecker();
    const uint64_t begin = Checker::Address(access.at);
    const uint64_t end = begin + access.bytes;
    const uint64_t limit = EndOfTensor(access, "writes");
    if (end > limit) {
        checker.Report("bounds", access.name, "%s writes %s, which reaches %llu bytes beyond the end of its tensor", access.name,
                       checker.Name(begin, end).text, static_cast<unsigned long long>(end - limit));
        throw BlockEnded{};
    }
    Instruction(access.name, PIPE_V)
        .WritesElements(Piece{access.at}, access.bytes, static_cast<Align>(access.align))
        .Untracked();
    checker.vectors.Stored(access.name, begin, end, access.reg);
}

inline void TakeDefined(uint8_t* known, const void* from, uint32_t bytes)
{
    const uint8_t* const shadow = TheChecker().Shadow(Checker::Address(from));
    if (shadow != nullptr) {
        std::memcpy(known, shadow, bytes);
    }
}
inline void PutDefined(void* to, const uint8_t* known, uint32_t bytes)
{
    uint8_t* const shadow = TheChecker().Shadow(Checker::Address(to));
    if (shadow != nullptr) {
        std::memcpy(shadow, known, bytes);
    }
}

inline void StoresReachLoads() { TheChecker().vectors.Barrier(); }

// What the vector function that follows works on: it computes `result` from `sources`. Register instructions tell what they
// define; plain C++ does not, and is taken to define what it changes, or the whole result if it is all there is.
template <typename Result, typename... Sources>
[[gnu::noinline]] inline void Announce(const Result& result, const Sources&... sources)
{
    Instruction instruction("vector function", PIPE_V);
    (instruction.ReadsElements(sources, sources.GetSize()), ...);
    instruction.WritesElements(result, result.GetSize()).Untracked();
    const uint64_t begin = Checker::Address(result.Data());
    std::memset(static_cast<void*>(result.Data()), VectorChecks::kUndefined, result.GetLength());
    SetDefined(result.Data(), result.GetLength(), false);
    TheChecker().vectors.Announce({{begin, begin + result.GetLength()}, sizeof(typename Result::PrimType), false});
}

}  // namespace AscendC::cpu::reg

#endif
