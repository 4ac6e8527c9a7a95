"""Matrices of elements gathered from places that are computed: one by one from a table of offsets, many at a time.

Gather takes words of 16 bits or more, on c310 of 8 too.  Where it takes no bytes, the words that hold them are gathered
and both of their bytes become float16, which holds them exactly; of these one is gathered, and becomes a byte again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.types import TileType
from .strided import scratch

_TABLE_ELEMENTS = 1024  # offsets that one table holds, about
_FEW = 12  # bytes that are moved one by one as fast


@dataclass(frozen=True)
class Grid:
    """A matrix to move: element (q, r) goes to ``q * pitch + r`` and comes from ``q * step + r * stride``."""

    rows: int
    width: int
    pitch: int
    step: int
    stride: int


def gatherer(ctx: Any, grid: Grid, bits: DataType, unit: int) -> Optional[Gatherer]:
    """What gathers matrices of one form; None if it is better done, or can only be done, element by element.

    Args:
        bits: unsigned type of the size of the elements.
        unit: the matrices certainly start at a multiple of so many elements of the source.
    """
    if ctx.supports("Gather", bits):
        return Gatherer(ctx, grid, bits)
    if bits != dtypes.uint8 or grid.rows * grid.width <= _FEW:
        return None
    return ByteGatherer(ctx, grid, unit)


class Gatherer:
    """Gathers matrices of one form, row by row or, if the rows are short, as many at a time as one table serves."""

    narrow = 32  # rows up to this long are gathered many at a time

    def __init__(self, ctx: Any, grid: Grid, bits: DataType) -> None:
        self.ctx, self.grid, self.size = ctx, grid, bits.sizeof()
        per_block = 32 // self.size
        self.by_rows = grid.rows == 1 or (grid.pitch % per_block == 0 and grid.width > self.narrow)
        if self.by_rows:
            self.group, self.length = 1, self.most(grid.width)
            self.prepare(Grid(1, self.length, self.length, 0, grid.stride))
        else:
            unit = per_block // math.gcd(grid.pitch, per_block)  # every group of rows starts at a block
            self.group = min(max(unit, _TABLE_ELEMENTS // grid.pitch // unit * unit), grid.rows)
            self.length = self.group * grid.pitch
            self.prepare(Grid(self.group, grid.width, grid.pitch, grid.step, grid.stride))

    def most(self, width: int) -> int:
        """Elements to gather at once of a row of ``width``."""
        return width

    def prepare(self, form: Grid) -> None:
        """Emit what is the same for all matrices, of which as much as ``form`` is gathered at once."""
        self.offsets = offsets(self.ctx, form, self.size)

    def move(self, target: Any, source: Any, base: Optional[Any]) -> None:
        """Move the matrix that starts ``base`` elements behind the start of ``source``."""
        ctx, grid = self.ctx, self.grid
        start = ctx.number(0) if base is None else base
        if not self.by_rows:
            self._runs(target, source, start, grid.rows * grid.pitch, self.group * grid.step)
        elif grid.rows == 1:
            self._runs(target, source, start, grid.width, self.length * grid.stride)
        else:
            with ctx.loop(grid.rows, "r") as row:
                place, begin = target.at(row * grid.pitch), start + row * grid.step
                self._runs(place, source, begin, grid.width, self.length * grid.stride)

    def _runs(self, target: Any, source: Any, start: Any, total: int, step: int) -> None:
        """Gather ``total`` elements, ``length`` at a time, each time from ``step`` elements further on."""
        ctx, length = self.ctx, self.length
        whole, rest = divmod(total, length)
        if whole > 1:
            with ctx.loop(whole, "r") as index:
                self.once(target.at(index * length), source, start + index * step, length)
        elif whole:
            self.once(target, source, start, length)
        if rest:
            place = target.at(ctx.number(whole * length)) if whole else target
            self.once(place, source, start + ctx.number(whole * step), rest)

    def once(self, place: Any, source: Any, begin: Any, count: int) -> None:
        """Gather as many elements as one table serves."""
        ctx = self.ctx
        ctx.emit("Gather", place, source, self.offsets, ctx.bytes_of(begin, self.size), ctx.number(count))


class ByteGatherer(Gatherer):
    """Gathers bytes where Gather takes no bytes, at most as many at a time as one table holds offsets.

    Args:
        unit: the matrices certainly start at a multiple of so many bytes of the source.
    """

    narrow = 512

    def __init__(self, ctx: Any, grid: Grid, unit: int) -> None:
        self.unit = unit
        super().__init__(ctx, grid, dtypes.uint8)

    def most(self, width: int) -> int:
        return min(width, _TABLE_ELEMENTS)

    def prepare(self, form: Grid) -> None:
        grid = self.grid
        self.words: Optional[_Words] = None
        if self.length > _TABLE_ELEMENTS:  # every piece gets a table of its own
            self.group, self.length = 0, _TABLE_ELEMENTS
            return
        self.places = offsets(self.ctx, form, 1).reinterpret(dtypes.int32)
        step = grid.step * self.group if grid.rows > self.group else 0
        if step % 2 == self.unit % 2 == 0:
            self.words = _words(self.ctx, self.places, self.length)

    def move(self, target: Any, source: Any, base: Optional[Any]) -> None:
        if self.group:
            super().move(target, source, base)
            return
        self.base = base
        self._runs(target, source, self.ctx.number(0), self.grid.rows * self.grid.pitch, self.length)

    def once(self, place: Any, source: Any, begin: Any, count: int) -> None:
        ctx = self.ctx
        if self.words is not None:
            _take_bytes(ctx, place, source, self.words, ctx.bytes_of(begin, 1), count)
            return
        if self.group:
            places, start = self.places, begin
        else:
            places, start = offsets(ctx, self.grid, 1, count, begin).reinterpret(dtypes.int32), self.base
        if start is not None and ctx.constant(start) != 0:
            shifted = scratch(ctx, dtypes.int32, count, "places")
            ctx.emit("Adds", shifted, places, start, ctx.number(count))
            places = shifted
        _take_bytes(ctx, place, source, _words(ctx, places, count), ctx.number(0), count)


@dataclass(frozen=True)
class _Words:
    """Offsets of the words that hold certain bytes, and those of the bytes as float16 in pairs of all their bytes."""

    offsets: Any
    choice: Any


def _words(ctx: Any, places: Any, count: int) -> _Words:
    """The words that hold the bytes at ``places``."""
    length = ctx.number(count)
    words, choice, pairs = (scratch(ctx, dtypes.int32, count, name) for name in ("words", "choice", "pairs"))
    ctx.emit("ShiftRight", words, places, ctx.number(1), length)
    ctx.emit("Add", words, words, words, length)
    ctx.emit("Sub", choice, places, words, length)
    ctx.emit("Add", choice, choice, choice, length)
    ctx.emit("CreateVecIndex", pairs, ctx.number(0), length)
    ctx.emit("Muls", pairs, pairs, ctx.number(4), length)
    ctx.emit("Add", choice, choice, pairs, length)
    return _Words(words.reinterpret(dtypes.uint32), choice.reinterpret(dtypes.uint32))


def _take_bytes(ctx: Any, place: Any, source: Any, words: _Words, start: Any, count: int) -> None:
    """Gather ``count`` bytes; ``start`` bytes, an even number, are added to the offsets.

    Both bytes of a word become numbers before one is chosen, so that the other one may be undefined.
    """
    length = ctx.number(count)
    pairs, chosen = (scratch(ctx, dtypes.uint16, count, name) for name in ("pairs", "chosen"))
    halves = scratch(ctx, dtypes.float16, 2 * count, "halves")
    ctx.emit("Gather", pairs, source.reinterpret(dtypes.uint16), words.offsets, start, length)
    ctx.emit("Cast", halves, pairs.reinterpret(dtypes.uint8), "RoundMode::CAST_NONE", ctx.number(2 * count))
    ctx.emit("Gather", chosen, halves.reinterpret(dtypes.uint16), words.choice, ctx.number(0), length)
    ctx.emit("Cast", place, chosen.reinterpret(dtypes.float16), "RoundMode::CAST_RINT", length)


def offsets(ctx: Any, grid: Grid, size: int, count: Optional[int] = None, first: Any = None) -> Any:
    """Byte offsets of the elements that go to 0, 1, 2, …, or only of ``count`` ones from ``first`` on: uint32."""
    count = grid.rows * grid.pitch if count is None else count
    type_ = TileType(dtypes.int32, (count,))
    length = ctx.number(count)
    table = ctx.scratch(type_, "offsets")
    ctx.emit("CreateVecIndex", table, ctx.number(0) if first is None else first, length)
    if grid.rows > 1:
        quotient = _quotient(ctx, table, type_, grid.pitch)
        if grid.pitch > grid.width:  # the padding of a row repeats its last element
            column = ctx.scratch(type_, "column")
            ctx.emit("Muls", column, quotient, ctx.number(-grid.pitch), length)
            ctx.emit("Add", column, column, table, length)
            ctx.emit("Mins", column, column, ctx.number(grid.width - 1), length)
            _scale(ctx, table, column, grid.stride * size, length)
            row_step = grid.step * size
        else:
            _scale(ctx, table, table, grid.stride * size, length)
            row_step = (grid.step - grid.pitch * grid.stride) * size
        if row_step:
            _scale(ctx, quotient, quotient, row_step, length)
            ctx.emit("Add", table, table, quotient, length)
    else:
        _scale(ctx, table, table, grid.stride * size, length)
    return table.reinterpret(dtypes.uint32)


def _scale(ctx: Any, target: Any, source: Any, factor: int, length: Any) -> None:
    if factor != 1 or target != source:
        ctx.emit("Muls", target, source, ctx.number(factor), length)


def _quotient(ctx: Any, index: Any, type_: TileType, divisor: int) -> Any:
    """``index // divisor`` of the numbers 0, 1, 2, …"""
    length = ctx.count(type_)
    quotient = ctx.scratch(type_, "row")
    if divisor & (divisor - 1) == 0:
        ctx.emit("ShiftRight", quotient, index, ctx.number(divisor.bit_length() - 1), length)
        return quotient
    # (i + 1/2) / divisor is at least 1/2 / divisor away from an integer, far more than float32 rounds by.
    ratio = ctx.scratch(TileType(dtypes.float32, type_.shape), "ratio")
    ctx.emit("Cast", ratio, index, "RoundMode::CAST_RINT", length)
    ctx.emit("Adds", ratio, ratio, ctx.number(0.5, dtypes.float32), length)
    ctx.emit("Muls", ratio, ratio, ctx.number(1.0 / divisor, dtypes.float32), length)
    ctx.emit("Cast", quotient, ratio, "RoundMode::CAST_FLOOR", length)
    return quotient
