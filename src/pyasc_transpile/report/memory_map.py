"""Where tiles lie in on-chip memory while the program runs, as a drawing."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Optional

from markupsafe import Markup

from ..lower.program import Buffer, BufferStyle, Program, instructions
from ..schedule.access import Interval, Liveness, enclosing_loop, loop_map
from ..schedule.plan import capacity_of, used_bytes
from ..targets import Memory
from .svg import CHARACTER, Drawing, shortened

LEFT, RIGHT, TOP, HEIGHT = 84.0, 8.0, 22.0, 330.0


@dataclass(frozen=True)
class Row:
    """One tile, for the table below the drawing."""

    name: str
    dtype: str
    elements: int
    slots: int
    bytes: int
    address: str
    held_in: str
    line: Optional[str]
    memory: str


def buffer_rows(program: Program) -> list[Row]:
    """The tiles in order of their addresses."""
    buffers = sorted(program.buffers, key=lambda buffer: (buffer.memory.value, buffer.offset or 0))
    return [
        Row(
            buffer.hint or "intermediate",
            str(buffer.dtype),
            buffer.elements,
            buffer.slots,
            buffer.bytes * buffer.slots,
            str(buffer.offset) if _is_placed(buffer) else "",
            "fixed address" if buffer.style is BufferStyle.STATIC else buffer.style.value,
            str(buffer.span.line) if buffer.span else None,
            buffer.memory.value,
        )
        for buffer in buffers
    ]


def available(program: Program, memory: Memory) -> int:
    """Bytes that tiles may use."""
    return capacity_of(program) if memory is Memory.UB else program.platform.memory[memory]


def used(program: Program, memory: Memory) -> int:
    """Bytes up to the end of the last tile."""
    if memory is Memory.UB and all(buffer.memory is Memory.UB for buffer in program.buffers):
        return used_bytes(program)
    return max((_end(b) for b in program.buffers if b.memory is memory and b.offset is not None), default=0)


def memories(program: Program) -> list[Memory]:
    """The memories that hold tiles, in the order of the platform's table."""
    present = {buffer.memory for buffer in program.buffers}
    return [memory for memory in Memory if memory in present]


def draw_memory(program: Program, memory: Memory, width: float) -> Markup:
    """Addresses upwards, program positions to the right; each tile, or slot of one, is a rectangle."""
    return _Map(program, memory, width).draw()


def _is_placed(buffer: Buffer) -> bool:
    """Whether the address is ours, not the TPipe's."""
    return buffer.style in (BufferStyle.STATIC, BufferStyle.VECCALC)


def _end(buffer: Buffer) -> int:
    assert buffer.offset is not None
    return buffer.offset + buffer.stride * (buffer.slots - 1) + buffer.bytes


class _Map:
    def __init__(self, program: Program, memory: Memory, width: float) -> None:
        self.program = program
        self.memory = memory
        self.width = width
        self.liveness = Liveness(program)
        self.loops = loop_map(program)
        self.order = sorted(self.liveness.position.values())
        self.last = max(self.order, default=0)
        self.capacity = available(program, memory)
        self.used = used(program, memory)
        # A small plan in a large memory would be a sliver: the axis then ends above the plan.
        self.cut = self.used < 0.3 * self.capacity
        self.top_address = max(self.used * 1.12, 32) if self.cut else max(self.capacity * 1.02, self.used)
        self.drawing = Drawing(f"memory-{memory.value}")

    def x(self, position: int) -> float:
        """Where an instruction begins; every one is as wide as any other."""
        place = bisect.bisect_left(self.order, position)
        return LEFT + (self.width - LEFT - RIGHT) * place / max(len(self.order), 1)

    def y(self, address: float) -> float:
        return TOP + HEIGHT * (1 - address / self.top_address)

    def draw(self) -> Markup:
        self._axis()
        for buffer in self.program.buffers:
            if buffer.memory is self.memory and buffer.offset is not None and buffer in self.liveness.uses:
                self._buffer(buffer)
        bottom = self._loops(self._ticks())
        return self.drawing.finish(self.width, bottom, f"Memory map of {self.memory.value} over program time")

    def _axis(self) -> None:
        step = _round_step(self.top_address / 6)
        address = 0
        while address <= self.top_address and address <= self.capacity:
            y = self.y(address)
            self.drawing.straight(LEFT, y, self.width - RIGHT, y, "grid")
            self.drawing.text(LEFT - 8, y + 4, f"{address:,}".replace(",", "\u202f"), "dim", anchor="end")
            address += step
        if self.cut:
            note = f"{self.capacity:,} bytes available (above the end of this axis)".replace(",", "\u202f")
            self.drawing.text(self.width - RIGHT, TOP - 8, note, "limit-text", anchor="end")
        else:
            y = self.y(self.capacity)
            self.drawing.straight(LEFT, y, self.width - RIGHT, y, "limit")
            note = f"{self.capacity:,} bytes available".replace(",", "\u202f")
            self.drawing.text(self.width - RIGHT, y - 5, note, "limit-text", anchor="end")
        y = self.y(self.used)
        self.drawing.straight(LEFT, y, self.width - RIGHT, y, "used")
        share = 100 * self.used / self.capacity if self.capacity else 0
        note = f"{self.used:,} bytes used, {share:.1f} %".replace(",", "\u202f")
        self.drawing.text(self.width - RIGHT, y - 5, note, "used-text", anchor="end")

    def _buffer(self, buffer: Buffer) -> None:
        own = self.liveness.uses[buffer].interval
        reserved = self._reserved(buffer, own)
        line = str(buffer.span.line) if buffer.span else None
        assert buffer.offset is not None
        for slot in range(buffer.slots):
            name = (buffer.hint or "intermediate") + (f"[{slot}]" if buffer.slots > 1 else "")
            begin = buffer.offset + slot * buffer.stride
            y, height = self.y(begin + buffer.bytes), self.y(begin) - self.y(begin + buffer.bytes)
            placed = _is_placed(buffer)
            where = f"bytes {begin} to {begin + buffer.bytes}" if placed else "placed by the TPipe at run time"
            title = f"{name}: {buffer.elements} x {buffer.dtype}, {buffer.bytes} bytes, {where}"
            if (reserved.first, reserved.last) != (own.first, own.last):
                x = self.x(reserved.first)
                self.drawing.rectangle(x, y, self.x(reserved.last + 1) - x, height, "held", title=title, line=line)
            x, width = self.x(own.first), self.x(own.last + 1) - self.x(own.first)
            style = "tile" if placed else "tile queued"
            self.drawing.rectangle(x + 0.5, y + 0.5, width - 1, max(height - 1, 0.5), style, title=title, line=line)
            room = max(width, self.x(reserved.last + 1) - x) - 10
            if height >= 13:
                self.drawing.text(x + 6, y + min(height / 2 + 4, 15), shortened(name, room), "label", line=line)
            if height >= 30:
                size = shortened(f"{buffer.bytes} B {buffer.dtype}", room)
                self.drawing.text(x + 6, y + 28, size, "label dim", line=line)

    def _reserved(self, buffer: Buffer, own: Interval) -> Interval:
        """Positions between which the memory cannot serve another tile."""
        shared = self.program.reuse_alloc == 2 and (self.program.static_alloc or self.program.pool_bytes > 0)
        if not shared or not _is_placed(buffer):
            return Interval(0, self.last)
        loop = enclosing_loop(buffer.block, self.loops)
        if buffer.slots == 1 or loop is None:
            return own
        positions = [self.liveness.position[instruction] for instruction in instructions(loop.body)]
        return Interval(min(positions), max(positions))

    def _ticks(self) -> float:
        y = TOP + HEIGHT + 14
        self.drawing.text(LEFT - 8, y, "Python line", "dim", anchor="end")
        groups: list[tuple[int, int, int]] = []
        for instruction, position in self.liveness.position.items():
            line = instruction.span.line if instruction.span else 0
            if groups and groups[-1][2] == line:
                groups[-1] = (groups[-1][0], position, line)
            else:
                groups.append((position, position, line))
        free = LEFT
        for first, last, line in groups:
            middle, half = (self.x(first) + self.x(last + 1)) / 2, CHARACTER * (len(str(line)) + 1) / 2
            self.drawing.straight(self.x(first), TOP + HEIGHT, self.x(first), TOP + HEIGHT + 4, "grid")
            if line and middle - half >= free:
                self.drawing.text(middle, y, f":{line}", "dim", anchor="middle", line=str(line))
                free = middle + half + 4
        return y + 8

    def _loops(self, y: float) -> float:
        depths: dict[int, int] = {}
        for body, loop in self.loops.items():
            positions = [self.liveness.position[instruction] for instruction in instructions(loop.body)]
            if not positions:
                continue
            depth, block = 0, body.parent
            while block is not None:
                depth += block in self.loops
                block = block.parent
            x, to = self.x(min(positions)), self.x(max(positions) + 1)
            line = str(loop.span.line) if loop.span else None
            at = y + 18 * depth
            text = loop.span.text.strip() if loop.span else "loop"
            self.drawing.rectangle(x, at, to - x, 14, "loop", line=line, title=text)
            self.drawing.text(x + 6, at + 11, shortened(text, to - x - 10), "label dim", line=line)
            depths[depth] = 1
        return y + 18 * (max(depths, default=-1) + 1) + 4


def _round_step(about: float) -> int:
    """A step of 1, 2 or 4 times a power of two near ``about``, at least 32 bytes."""
    step = 32
    while step < about:
        step *= 2
    return step
