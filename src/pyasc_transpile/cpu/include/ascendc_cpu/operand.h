// One operand of an instruction in the checked build: which bytes it touches, and where each of its lanes is.
#ifndef ASCENDC_CPU_OPERAND_H
#define ASCENDC_CPU_OPERAND_H

#include "checker.h"
#include "extent.h"

namespace AscendC::cpu {

// Adjacent bytes that an operand touches.
struct Run {
    uint64_t begin;
    uint64_t end;
};

struct Operand {
    enum class Kind : uint8_t { Lanes, Bits, Whole, Rows, Element };

    Kind kind = Kind::Whole;
    bool writes = false;
    Align align = Align::Block;
    uint32_t size = 1;  // bytes of an element
    Extent extent{};
    Layout layout;
    uint64_t count = 0;  // elements (Whole), rows (Rows), index (Element)
    uint64_t bytes = 0;  // of a row
    int64_t pitch = 0;
    bool exact = true;  // false: the runs also cover switched-off lanes that lie between others
    std::vector<Run> runs;

    static Operand Lanes(const Extent& extent, uint32_t size, const Layout& layout, Align align, bool writes)
    {
        Operand operand = Make(Kind::Lanes, extent, size, align, writes);
        operand.layout = layout;
        return operand;
    }
    static Operand Bits(const Extent& extent, uint32_t size, Align align, bool writes)
    {
        return Make(Kind::Bits, extent, size, align, writes);
    }
    static Operand Whole(const Extent& extent, uint32_t size, uint64_t count, Align align, bool writes)
    {
        Operand operand = Make(Kind::Whole, extent, size, align, writes);
        operand.count = count;
        return operand;
    }
    static Operand Rows(const Extent& extent, uint32_t size, uint32_t rows, uint64_t bytes, int64_t pitch, Align align, bool writes)
    {
        Operand operand = Make(Kind::Rows, extent, size, align, writes);
        operand.count = rows;
        operand.bytes = bytes;
        operand.pitch = pitch;
        return operand;
    }
    static Operand Element(const Extent& extent, uint32_t size, uint64_t index, bool writes)
    {
        Operand operand = Make(Kind::Element, extent, size, Align::Natural, writes);
        operand.count = index;
        return operand;
    }

    // Lanes directly after each other, none switched off.
    bool Plain(const Shape& shape) const { return kind == Kind::Lanes && layout.packed && layout.lanes == 0 && !shape.masked; }

    bool Global() const { return extent.position == TPosition::GM; }
    bool PerLane() const { return kind == Kind::Lanes || kind == Kind::Bits; }
    uint64_t Alignment() const { return align == Align::Natural ? size : static_cast<uint64_t>(align); }

    // Data movement fills whole blocks: a tensor on the chip ends at a block boundary for it.
    uint64_t Room() const
    {
        const bool blocks = kind == Kind::Rows && !Global() && extent.bytes != Extent::kUnknown;
        return blocks ? (extent.bytes + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE : extent.bytes;
    }

    uint32_t LanesPerRepeat(const Shape& shape) const { return layout.lanes != 0 ? layout.lanes : shape.lanes; }
    uint64_t LaneCount(const Shape& shape) const { return uint64_t{shape.repeats} * LanesPerRepeat(shape); }

    // The runs of all lanes, adjacent ones joined.
    [[gnu::noinline]] void FindRuns(const Shape& shape)
    {
        runs.clear();
        exact = true;
        const uint64_t base = Checker::Address(extent.base);
        switch (kind) {
            case Kind::Whole:
                Append(base, count * size);
                return;
            case Kind::Element:
                Append(base + count * size, size);
                return;
            case Kind::Bits:
                Append(base, (uint64_t{shape.repeats} * shape.lanes + 7) / 8);
                return;
            case Kind::Rows:
                for (uint64_t row = 0; row < count; ++row) {
                    Append(base + row * static_cast<uint64_t>(pitch), bytes);
                }
                return;
            case Kind::Lanes:
                FindLaneRuns(shape, base);
                return;
        }
    }

    void DefineLane(const Shape& shape, uint64_t lane, bool defined) const
    {
        if (kind == Kind::Bits) {
            // A byte holds eight results; it counts as defined when one of them is, since the results of a tail share
            // their last byte with elements that nobody has written. The first one starts afresh.
            uint8_t* const shadow = TheChecker().Shadow(Checker::Address(extent.base) + lane / 8);
            if (shadow != nullptr) {
                *shadow = lane % 8 == 0 ? defined : *shadow | static_cast<uint8_t>(defined);
            }
            return;
        }
        if (Active(shape, lane)) {
            if (uint8_t* const shadow = TheChecker().Shadow(LaneAddress(shape, lane))) {
                std::memset(shadow, defined ? 1 : 0, size);
            }
        }
    }

    bool LaneDefined(const Shape& shape, uint64_t lane) const
    {
        if (kind == Kind::Bits) {
            const uint8_t* const shadow = TheChecker().Shadow(Checker::Address(extent.base) + lane / 8);
            return shadow == nullptr || *shadow != 0;
        }
        if (layout.lanes == 1 && layout.repeat_pitch == 0 && !layout.packed) {
            lane = 0;  // the same element for everyone
        }
        if (lane >= LaneCount(shape) || !Active(shape, lane)) {
            return true;
        }
        const uint8_t* const shadow = TheChecker().Shadow(LaneAddress(shape, lane));
        return shadow == nullptr || std::memchr(shadow, 0, size) == nullptr;
    }

private:
    static Operand Make(Kind kind, const Extent& extent, uint32_t size, Align align, bool writes)
    {
        Operand operand;
        operand.kind = kind;
        operand.extent = extent;
        operand.size = size;
        operand.align = align;
        operand.writes = writes;
        return operand;
    }

    bool Active(const Shape& shape, uint64_t lane) const
    {
        return layout.lanes != 0 || shape.Active(static_cast<uint32_t>(lane % shape.lanes));
    }

    uint64_t LaneAddress(const Shape& shape, uint64_t lane) const
    {
        const uint64_t base = Checker::Address(extent.base);
        if (layout.packed) {
            return base + lane * size;
        }
        const uint32_t lanes = LanesPerRepeat(shape);
        const uint32_t per_block = ONE_BLK_SIZE / size;
        const uint64_t repeat = lane / lanes;
        const uint64_t within = lane % lanes;
        return base + repeat * static_cast<uint64_t>(layout.repeat_pitch) +
               within / per_block * static_cast<uint64_t>(layout.block_pitch) + within % per_block * size;
    }

    void FindLaneRuns(const Shape& shape, uint64_t base)
    {
        const uint32_t lanes = LanesPerRepeat(shape);
        const bool masked = shape.masked && layout.lanes == 0;
        if (layout.packed && !masked) {
            Append(base, LaneCount(shape) * size);
            return;
        }
        const uint32_t per_block = ONE_BLK_SIZE / size;
        for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
            for (uint32_t lane = 0; lane < lanes; lane += masked ? 1 : per_block) {
                if (masked && !shape.Active(lane)) {
                    continue;
                }
                const uint32_t run = masked ? 1 : (lanes - lane < per_block ? lanes - lane : per_block);
                const uint64_t begin = LaneAddress(shape, uint64_t{repeat} * lanes + lane);
                // Scattered bits would make a run of every lane: lanes that are close together are taken as one.
                if (masked && !runs.empty() && begin > runs.back().end && begin - runs.back().end < ONE_BLK_SIZE) {
                    runs.back().end = begin + size;
                    exact = false;
                } else {
                    Append(begin, uint64_t{run} * size);
                }
            }
        }
    }

    void Append(uint64_t begin, uint64_t length)
    {
        if (length == 0) {
            return;
        }
        if (!runs.empty() && runs.back().end == begin) {
            runs.back().end = begin + length;
        } else if (runs.empty() || runs.back().begin != begin || runs.back().end != begin + length) {
            runs.push_back({begin, begin + length});
        }
    }
};

}  // namespace AscendC::cpu

#endif
