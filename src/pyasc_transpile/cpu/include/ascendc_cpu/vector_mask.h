// The mask of the vector unit, its setters, and the shapes (repeats, lanes, active lanes) that masks give to instructions.
#ifndef ASCENDC_CPU_VECTOR_MASK_H
#define ASCENDC_CPU_VECTOR_MASK_H

#include "vector_types.h"

namespace AscendC {

inline void SetMaskCount() { cpu::CurrentBlock().mask.counter = true; }
inline void SetMaskNorm() { cpu::CurrentBlock().mask.counter = false; }

// Mode and mask are independent: a mask word set for Counter mode is a number of elements, for Normal mode bits.
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow)
{
    cpu::CurrentBlock().mask.low = maskLow;
    cpu::CurrentBlock().mask.high = maskHigh;
}

template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len)
{
    if constexpr (mode == MaskMode::COUNTER) {
        SetVectorMask<T, mode>(0, static_cast<uint64_t>(len));
    } else {
        const cpu::Shape shape = cpu::Shape::First(1, 129, static_cast<uint64_t>(len));
        SetVectorMask<T, mode>(shape.mask[1], shape.mask[0]);
    }
}

inline void ResetMask()
{
    cpu::CurrentBlock().mask.low = ~uint64_t{0};
    cpu::CurrentBlock().mask.high = ~uint64_t{0};
}

namespace cpu::vec {

inline VectorRegisters& Registers() { return CurrentBlock().registers; }

// The lanes that a masked instruction works on: `repeats` full repeats under one mask and, in Counter mode, a last one
// of fewer elements.
struct Lanes {
    Shape main;
    uint32_t tail = 0;

    static Lanes Counted(uint64_t count, uint32_t lanes)
    {
        return {Shape::First(static_cast<uint32_t>(count / lanes), lanes, lanes), static_cast<uint32_t>(count % lanes)};
    }
};

template <typename Widest>
inline constexpr uint32_t kLanesPerRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(Widest);

// Under isSetMask = false the registers say what is active, whatever mask the call passes.
template <typename Widest>
inline Lanes RegisterLanes(uint32_t repeats)
{
    const VectorMask& mask = CurrentBlock().mask;
    constexpr uint32_t lanes = kLanesPerRepeat<Widest>;
    if (mask.counter) {
        return Lanes::Counted(mask.low, lanes);
    }
    const uint64_t bits[4] = {mask.low, mask.high, ~uint64_t{0}, ~uint64_t{0}};
    constexpr uint64_t all0 = lanes >= 64 ? ~uint64_t{0} : (uint64_t{1} << (lanes & 63)) - 1;
    const bool full = (bits[0] & all0) == all0 && (lanes <= 64 || bits[1] == ~uint64_t{0});
    return {full ? Shape::First(repeats, lanes, lanes) : Shape::Bits(repeats, lanes, bits), 0};
}

// Contiguous mask. The call sets the registers, and in Counter mode its mask is the number of elements in all.
template <typename Widest, bool isSetMask>
inline Lanes MakeLanes(uint64_t mask, uint32_t repeats)
{
    if constexpr (isSetMask) {
        constexpr uint32_t lanes = kLanesPerRepeat<Widest>;
        VectorMask& registers = CurrentBlock().mask;
        if (registers.counter) {
            registers.low = mask;
            registers.high = 0;
            return Lanes::Counted(mask, lanes);
        }
        if (kChecked && (mask == 0 || mask > lanes)) {
            Fault("argument", "the mask must be 1 to %u elements of a repeat, it is %llu", lanes,
                  static_cast<unsigned long long>(mask));
        }
        const Shape shape = Shape::First(repeats, lanes, mask < lanes ? mask : lanes);
        registers.low = shape.masked ? shape.mask[0] : ~uint64_t{0};
        registers.high = shape.masked ? shape.mask[1] : ~uint64_t{0};
        return {shape, 0};
    } else {
        return RegisterLanes<Widest>(repeats);
    }
}

// Bit mask.
template <typename Widest, bool isSetMask>
inline Lanes MakeLanes(const uint64_t* mask, uint32_t repeats)
{
    if constexpr (isSetMask) {
        CurrentBlock().mask.low = mask[0];
        CurrentBlock().mask.high = kLanesPerRepeat<Widest> > 64 ? mask[1] : 0;
    }
    return RegisterLanes<Widest>(repeats);
}

// Calls body(shape, first): `first` is the repeat that the shape's first repeat is. Mostly one call.
template <typename Body>
inline void ForEachShape(const Lanes& lanes, const Body& body)
{
    if (lanes.main.repeats != 0) {
        body(lanes.main, uint32_t{0});
    }
    if (lanes.tail != 0) {
        body(Shape::First(1, lanes.main.lanes, lanes.tail), lanes.main.repeats);
    }
}

// How lanes of one operand are found: strides in 32-byte blocks.
struct Strides {
    uint32_t block;
    uint32_t repeat;

    template <typename T>
    int64_t Offset(uint32_t r, uint32_t lane) const
    {
        constexpr uint32_t perBlock = ONE_BLK_SIZE / sizeof(T);
        return (int64_t{r} * repeat + int64_t{lane / perBlock} * block) * perBlock + lane % perBlock;
    }
    // Repeats of `lanes` elements without a gap inside or between them.
    template <typename T>
    bool Dense(uint32_t lanes) const
    {
        return block == 1 && repeat * ONE_BLK_SIZE == lanes * sizeof(T);
    }
    Layout AsLayout() const { return Layout::Strided(block, repeat); }
};

// The first lane from `lane` on that is active (or inactive); `end` if there is none before it.
inline uint32_t NextLane(const Shape& shape, uint32_t lane, uint32_t end, bool active)
{
    if (!shape.masked) {
        return active ? lane : end;
    }
    while (lane < end) {
        const uint64_t word = (active ? shape.mask[lane >> 6 & 3] : ~shape.mask[lane >> 6 & 3]) >> (lane & 63);
        if (word != 0) {
            lane += static_cast<uint32_t>(__builtin_ctzll(word));
            break;
        }
        lane = (lane | 63) + 1;
    }
    return lane < end ? lane : end;
}

// Calls body(r, lane, n) for runs of n active lanes that are adjacent in every operand. `perBlock`: lanes of the smallest
// block. `joined`: the blocks of a repeat follow each other. `dense`: the repeats do as well.
template <typename Body>
inline void ForEachRun(const Shape& shape, uint32_t perBlock, bool joined, bool dense, const Body& body)
{
    if (dense && !shape.masked) {
        body(uint32_t{0}, uint32_t{0}, size_t{shape.repeats} * shape.lanes);
        return;
    }
    const uint32_t span = joined ? shape.lanes : perBlock;
    for (uint32_t r = 0; r < shape.repeats; ++r) {
        for (uint32_t start = 0; start < shape.lanes; start += span) {
            const uint32_t end = start + span;
            uint32_t lane = NextLane(shape, start, end, true);
            while (lane < end) {
                const uint32_t stop = NextLane(shape, lane, end, false);
                body(r, lane, size_t{stop - lane});
                lane = NextLane(shape, stop, end, true);
            }
        }
    }
}

}  // namespace cpu::vec
}  // namespace AscendC

#endif
