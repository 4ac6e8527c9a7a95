"""Moving the elements of a tile to where another shape wants them, inside of UB.

A tile is a matrix of rows: the last extent wide, every row at a *pitch* that is a whole number of 32-byte blocks.
Tiles of one dimension, and rows that fill their pitch, are dense.  Shapes that put every element at the same place are
views of one buffer; between others the elements are moved, by copies of whole blocks, by Gather with computed offsets,
or, for element types that Gather lacks, one by one.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any, Optional

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.types import TileType

_BITS = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}
_TABLE_ELEMENTS = 1024  # offsets that one table holds, about
_NARROW = 32  # rows up to this long are gathered many at a time


@dataclass(frozen=True)
class Rows:
    """How the elements of a tile lie."""

    count: int
    width: int
    pitch: int

    @property
    def is_dense(self) -> bool:
        return self.count == 1 or self.pitch == self.width


def rows_of(ctx: Any, type_: TileType) -> Rows:
    """The rows of a tile of ``type_``."""
    return Rows(ctx.rows(type_), int(type_.shape[-1]), ctx.pitch(type_))


def same_places(ctx: Any, first: TileType, second: TileType) -> bool:
    """Whether row-major element i lies at one place in tiles of both types."""
    a, b = rows_of(ctx, first), rows_of(ctx, second)
    return (a.is_dense and b.is_dense) or (a.width == b.width and a.pitch == b.pitch)


def strides_of(ctx: Any, type_: TileType) -> list[int]:
    """Elements from one index to the next, per dimension, as the tile lies in memory."""
    strides = [1]
    step = ctx.pitch(type_)
    for extent in reversed(type_.shape[1:-1]):
        strides.insert(0, step)
        step *= int(extent)
    if type_.rank > 1:
        strides.insert(0, step)
    return strides


def relayout(ctx: Any, target: Any, source: Any, old: TileType, new: TileType) -> None:
    """Move all elements from the places of shape ``old`` to those of ``new``, in row-major order."""
    before, after = rows_of(ctx, old), rows_of(ctx, new)
    if before.is_dense:
        move_matrix(ctx, target, source, Grid(after.count, after.width, after.pitch, after.width, 1), new.dtype)
    elif after.is_dense:
        grid = Grid(before.count, before.width, before.width, before.pitch, 1)
        move_matrix(ctx, target, source, grid, new.dtype)
    else:
        flat = TileType(new.dtype, (new.size,))
        middle = ctx.scratch(flat)
        relayout(ctx, middle, source, old, flat)
        relayout(ctx, target, middle, flat, new)


@dataclass(frozen=True)
class Grid:
    """A matrix to move: element (q, r) goes to ``q * pitch + r`` and comes from ``q * step + r * stride``."""

    rows: int
    width: int
    pitch: int
    step: int
    stride: int


def move_matrix(ctx: Any, target: Any, source: Any, grid: Grid, dtype: DataType) -> None:
    """Move a matrix; ``target`` and ``source`` start at a block."""
    Mover(ctx, grid, dtype, True).move(target, source, None)


class Mover:
    """Moves matrices of one form: what can be prepared for all of them is emitted where the mover is made.

    Args:
        at_block: whether the matrices certainly start at a block of the source.
    """

    def __init__(self, ctx: Any, grid: Grid, dtype: DataType, at_block: bool) -> None:
        if grid.width == grid.pitch == 1:  # a column to a row
            grid = Grid(1, grid.rows, grid.rows, 0, grid.step)
        self.ctx = ctx
        self.grid = grid
        self.bits = _BITS[dtype.sizeof()]
        self.per_block = 32 // dtype.sizeof()
        self.by_blocks = at_block and _is_block_copy(grid, self.per_block)
        gathers = ctx.supports("Gather", self.bits) and not self.by_blocks
        self.by_brcb = (
            gathers and at_block and grid.width == 1 and grid.step == 1 and ctx.supports("Brcb", self.bits)
            and _brcb_fits(grid, self.per_block)
        )  # fmt: skip
        self.gather = _Gather(ctx, grid, self.bits, self.per_block) if gathers and not self.by_brcb else None

    def move(self, target: Any, source: Any, base: Optional[Any]) -> None:
        """Move the matrix that starts ``base`` elements behind the start of ``source``."""
        ctx, grid = self.ctx, self.grid
        if self.by_blocks:
            _copy_blocks(ctx, target, source if base is None else source.at(base), grid, self.per_block)
        elif self.by_brcb:
            begin = source if base is None else source.at(base)
            _spread(ctx, target.reinterpret(self.bits), begin.reinterpret(self.bits), grid, self.per_block)
        elif self.gather is not None:
            self.gather.move(target.reinterpret(self.bits), source.reinterpret(self.bits), base)
        else:
            _move_elements(ctx, target, source, grid, base)


# --- whole blocks -----------------------------------------------------------------------------------------------------


def _is_block_copy(grid: Grid, per_block: int) -> bool:
    if grid.stride != 1 and grid.width != 1:
        return False
    if grid.rows == 1:
        return True  # what lies behind the row in its last block is nobody's
    if grid.pitch % per_block or grid.step % per_block:
        return False
    return -(-grid.width // per_block) * per_block <= min(grid.pitch, grid.step)


def _copy_blocks(ctx: Any, target: Any, source: Any, grid: Grid, per_block: int) -> None:
    blocks = -(-grid.width // per_block)
    if grid.rows == 1:
        for tile in (target, source):
            ctx.reserve(tile, blocks * per_block)
        ctx.emit("Copy", target, source, ctx.number(blocks * per_block))
        return
    limit = ctx.architecture.max_copy_rows
    for first in range(0, grid.rows, limit):
        count = min(limit, grid.rows - first)
        gaps = (grid.step // per_block - blocks, grid.pitch // per_block - blocks)
        shape = ctx.parameters("DataCopyParams", count, blocks, *gaps, hint="rows")
        ctx.emit(
            "CopyBlocks",
            target if first == 0 else target.at(ctx.number(first * grid.pitch)),
            source if first == 0 else source.at(ctx.number(first * grid.step)),
            shape,
        )


# --- Brcb: one element to the start of a block ------------------------------------------------------------------------


def _brcb_fits(grid: Grid, per_block: int) -> bool:
    return grid.pitch % per_block == 0 and grid.pitch // per_block * 8 <= 255


def _spread(ctx: Any, target: Any, source: Any, grid: Grid, per_block: int) -> None:
    blocks = grid.pitch // per_block
    repeats = -(-grid.rows // 8)
    ctx.reserve(target, repeats * 8 * grid.pitch)
    ctx.reserve(source, repeats * 8)
    limit = ctx.architecture.max_repeats // per_block * per_block  # 8 * per_block elements later starts a block again
    for first in range(0, repeats, limit):
        count = min(limit, repeats - first)
        ctx.emit(
            "Brcb",
            target if first == 0 else target.at(ctx.number(first * 8 * grid.pitch)),
            source if first == 0 else source.at(ctx.number(first * 8)),
            ctx.number(count),
            ctx.parameters("BrcbRepeatParams", blocks, 8 * blocks, hint="spread"),
        )


# --- Gather -----------------------------------------------------------------------------------------------------------


class _Gather:
    """Gathers matrices of one form, row by row or, if the rows are short, as many at a time as one table serves."""

    def __init__(self, ctx: Any, grid: Grid, bits: DataType, per_block: int) -> None:
        self.ctx = ctx
        self.grid = grid
        self.size = bits.sizeof()
        if grid.rows == 1 or (grid.pitch % per_block == 0 and grid.width > _NARROW):
            self.group = 1
            form = Grid(1, grid.width, grid.width, 0, grid.stride)
        else:
            unit = per_block // math.gcd(grid.pitch, per_block)  # every group of rows starts at a block
            self.group = min(max(unit, _TABLE_ELEMENTS // grid.pitch // unit * unit), grid.rows)
            form = Grid(self.group, grid.width, grid.pitch, grid.step, grid.stride)
        self.offsets = _offsets(ctx, form, self.size)

    def move(self, target: Any, source: Any, base: Optional[Any]) -> None:
        ctx, grid, group = self.ctx, self.grid, self.group
        start = ctx.number(0) if base is None else base
        length = grid.width if group == 1 else group * grid.pitch
        whole, rest = divmod(grid.rows, group)

        def once(place: Any, begin: Any, count: int) -> None:
            ctx.emit("Gather", place, source, self.offsets, ctx.bytes_of(begin, self.size), ctx.number(count))

        if whole > 1:
            with ctx.loop(whole, "r") as index:
                once(target.at(index * (group * grid.pitch)), start + index * (group * grid.step), length)
        else:
            once(target, start, length)
        if rest:
            begin = start + ctx.number(whole * group * grid.step)
            once(target.at(ctx.number(whole * group * grid.pitch)), begin, rest * grid.pitch)


def _offsets(ctx: Any, grid: Grid, size: int) -> Any:
    """Byte offsets of the elements that go to 0, 1, 2, … : a tile of uint32."""
    count = grid.rows * grid.pitch
    type_ = TileType(dtypes.int32, (count,))
    length = ctx.number(count)
    table = ctx.scratch(type_, "offsets")
    ctx.emit("CreateVecIndex", table, ctx.number(0), length)
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


# --- one by one -------------------------------------------------------------------------------------------------------


def _move_elements(ctx: Any, target: Any, source: Any, grid: Grid, base: Optional[Any]) -> None:
    start = ctx.number(0) if base is None else base
    rows = ctx.loop(grid.rows, "r") if grid.rows > 1 else contextlib.nullcontext(ctx.number(0))
    with rows as row:
        columns = ctx.loop(grid.width, "k") if grid.width > 1 else contextlib.nullcontext(ctx.number(0))
        with columns as column:
            value = ctx.read(source, start + row * grid.step + column * grid.stride)
            ctx.emit("SetValue", target, row * grid.pitch + column, value)
