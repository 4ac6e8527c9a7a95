// How an instruction tells the machine what it does: its name, its pipe, what it reads and what it writes.
//
//   template <typename T>
//   void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count)
//   {
//       cpu::Instruction("Add", PIPE_V, count).Writes(dst).Reads(src0).Reads(src1).Elementwise();
//       ... compute with dst.Data(), src0.Data(), src1.Data() ...
//   }
//
// An instruction works on LANES: `count` of them, or `repeats` times `lanes` of them under a mask. Each operand says
// where its lanes lie (its Layout). A chain ends with exactly one of the closing words Elementwise / Groups / All /
// Defines / Untracked, which makes the checks and carries "is this byte defined" from the sources to the destinations.
// Call the chain BEFORE computing: when an operand lies outside its tensor or its memory the checked build reports it
// and throws (the block ends), so that the computation never touches foreign memory.
//
// In the fast build every member is empty and the whole chain folds away. The timed build turns it into cycles (timed.h).
#ifndef ASCENDC_CPU_INSTRUCTION_H
#define ASCENDC_CPU_INSTRUCTION_H

#include "qualifiers.h"
#include "extent.h"
#include "types.h"

namespace AscendC::cpu {

// The lanes of an instruction: `repeats` times `lanes`; bit k of mask switches lane k of every repeat (all on by default).
struct Shape {
    uint32_t repeats = 1;
    uint32_t lanes = 0;
    bool masked = false;
    uint64_t mask[4] = {0, 0, 0, 0};

    // The count form: `count` lanes next to each other, no mask.
    static Shape Count(uint32_t count) { return Shape{1, count, false, {0, 0, 0, 0}}; }

    // The contiguous mask form: the first `active` of the `lanes` lanes of each repeat (lanes = 256 / size of wider type).
    static Shape First(uint32_t repeats, uint32_t lanes, uint64_t active)
    {
        Shape shape{repeats, lanes, active < lanes, {0, 0, 0, 0}};
        for (uint32_t k = 0; k < 4 && active < lanes; ++k) {
            const uint64_t from = uint64_t{k} * 64;
            shape.mask[k] = active >= from + 64 ? ~uint64_t{0} : active > from ? (uint64_t{1} << (active - from)) - 1 : 0;
        }
        return shape;
    }

    // The bit mask form: bits[0] holds lanes 0-63, bits[1] lanes 64-127, as far as a repeat has lanes.
    static Shape Bits(uint32_t repeats, uint32_t lanes, const uint64_t* bits)
    {
        Shape shape{repeats, lanes, true, {0, 0, 0, 0}};
        for (uint32_t k = 0; k * 64 < lanes && k < 4; ++k) {
            shape.mask[k] = bits[k];
        }
        return shape;
    }

    bool Active(uint32_t lane) const { return !masked || ((mask[lane >> 6 & 3] >> (lane & 63)) & 1) != 0; }
};

// Where the lanes of one operand lie. Lane k of repeat r is in 32-byte block k/(32/size) of that repeat.
struct Layout {
    uint32_t lanes = 0;         // lanes per repeat; 0 = those of the instruction, and then its mask applies
    int64_t block_pitch = 32;   // bytes from one 32-byte block of a repeat to the next
    int64_t repeat_pitch = 0;   // bytes from one repeat to the next; 0 with `packed` = directly after each other
    bool packed = true;

    // All lanes of all repeats directly after each other: the default.
    static constexpr Layout Packed() { return Layout{}; }

    // Strides as in BinaryRepeatParams and friends, in 32-byte blocks; 0 is a real stride of 0.
    static constexpr Layout Strided(uint32_t block_stride, uint32_t repeat_stride)
    {
        return Layout{0, int64_t{block_stride} * 32, int64_t{repeat_stride} * 32, false};
    }

    // `lanes` adjacent elements in every repeat whatever the mask says; pitch in bytes. For results of reductions
    // (WholeReduceSum: PerRepeat(1, dstRepStride * sizeof(T))) and for mask words read per repeat.
    static constexpr Layout PerRepeat(uint32_t lanes, int64_t repeat_pitch) { return Layout{lanes, 32, repeat_pitch, false}; }

    // The same single element for every lane (a scalar that lies in UB): lane pitch 0 is expressed by `lanes` = 1, pitch 0.
    static constexpr Layout One() { return Layout{1, 0, 0, false}; }
};

// What an operand's address must be a multiple of. Natural = the size of its element (results of reductions and the like).
enum class Align : uint8_t { Natural = 0, Byte = 1, Half = 16, Block = 32 };

}  // namespace AscendC::cpu

#ifdef ASCENDC_CPU_CHECKED
#include "checked.h"
#elif defined(ASCENDC_CPU_TIMED)
#include "timed.h"
#else

namespace AscendC::cpu {

// The fast build's instruction: nothing at all. The checked build's class has the same members (checked.h).
class Instruction {
public:
    // A name as the user writes it, the pipe it runs on, and its lanes.
    constexpr Instruction(const char*, pipe_t, const Shape&) {}
    constexpr Instruction(const char*, pipe_t, int64_t = 0) {}

    // An operand: the tensor, where its lanes lie, and its alignment. An operand both read and written is given twice.
    template <typename Tensor>
    constexpr Instruction& Reads(const Tensor&, const Layout& = Layout::Packed(), Align = Align::Block) { return *this; }
    template <typename Tensor>
    constexpr Instruction& Writes(const Tensor&, const Layout& = Layout::Packed(), Align = Align::Block) { return *this; }

    // An operand of `count` elements from the start of the tensor, whatever the lanes of the instruction
    // (ReduceSum: Writes one element; work buffers; Gather's source).
    template <typename Tensor>
    constexpr Instruction& ReadsElements(const Tensor&, uint64_t, Align = Align::Block) { return *this; }
    template <typename Tensor>
    constexpr Instruction& WritesElements(const Tensor&, uint64_t, Align = Align::Block) { return *this; }

    // An operand of `rows` rows of `bytes` bytes, `pitch` bytes from start to start (data movement).
    template <typename Tensor>
    constexpr Instruction& ReadsRows(const Tensor&, uint32_t, uint64_t, int64_t, Align = Align::Block) { return *this; }
    template <typename Tensor>
    constexpr Instruction& WritesRows(const Tensor&, uint32_t, uint64_t, int64_t, Align = Align::Block) { return *this; }

    // One element touched by the scalar unit. What it reads must be defined: the program may branch on it.
    template <typename Tensor>
    constexpr Instruction& ReadsScalar(const Tensor&, uint64_t) { return *this; }
    template <typename Tensor>
    constexpr Instruction& WritesScalar(const Tensor&, uint64_t) { return *this; }

    // An operand with ONE BIT per lane, packed from the start of the tensor: results of Compare, masks of Select.
    template <typename Tensor>
    constexpr Instruction& ReadsBits(const Tensor&, Align = Align::Block) { return *this; }
    template <typename Tensor>
    constexpr Instruction& WritesBits(const Tensor&, Align = Align::Block) { return *this; }

    // Closing word: lane i of every destination depends on lane i of every source. Widths may differ (casts, bits).
    constexpr void Elementwise() {}
    // Closing word: lanes [j*to, j*to+to) of the destinations depend on lanes [j*from, j*from+from) of the sources, lanes
    // counted through all repeats. WholeReduceSum: Groups(lanes, 1); BlockReduceSum: Groups(32/size, 1); pairs: Groups(2, 1).
    constexpr void Groups(uint32_t, uint32_t) {}
    // Closing word: every written byte depends on every read byte (ReduceSum over all, Sort, Transpose of one block).
    constexpr void All() {}
    // Closing word: what is written becomes defined, whatever was read (Duplicate of a number, CreateVecIndex).
    constexpr void Defines() {}
    // Closing word: only checks; the caller carries definedness himself with the functions below (Gather, Scatter).
    constexpr void Untracked() {}
};

// The definedness of `bytes` bytes at dst becomes that of those at src. For data dependent moves; order as in the move.
inline void CopyDefined(const void*, const void*, uint64_t) {}
// Marks bytes as defined or undefined by hand.
inline void SetDefined(const void*, uint64_t, bool = true) {}
// True when all bytes are defined. The fast build always answers true.
inline constexpr bool IsDefined(const void*, uint64_t) { return true; }
// Reports a fault found by the instruction itself (an argument out of range) under `kind` "bounds", "alignment", ...
inline void Fault(const char*, const char*, ...) {}

// A kernel takes the address of a tensor, for register instructions: they must stay inside of it.
inline void NoteAddress(const Extent&) {}

// The Python line that the following statements come from, and the file it is in (inserted by the transpiler).
inline void At(int) {}
inline void SourceFile(const char*) {}

}  // namespace AscendC::cpu

#endif
#endif
