"""Moving the elements of a tile to where another shape wants them, inside of UB.

A tile is a matrix of rows: the last extent wide, every row at a *pitch* that is a whole number of 32-byte blocks.
Tiles of one dimension, and rows that fill their pitch, are dense.  Shapes that put every element at the same place are
views of one buffer; between others the elements are moved, by copies of whole blocks, by Gather with computed offsets
(of several elements as one word, where they stay together), or, a few that Gather does not take, one by one.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any, Optional

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.types import TileType
from . import strided
from .gathers import Grid, gatherer

BITS = {1: dtypes.uint8, 2: dtypes.uint16, 4: dtypes.uint32, 8: dtypes.uint64}
_WIDEST = 4  # bytes of the words that are gathered


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


def move_matrix(ctx: Any, target: Any, source: Any, grid: Grid, dtype: DataType) -> None:
    """Move a matrix; ``target`` and ``source`` start at a block."""
    Mover(ctx, grid, dtype, 32 // dtype.sizeof()).move(target, source, None)


class Mover:
    """Moves matrices of one form: what can be prepared for all of them is emitted where the mover is made.

    Args:
        unit: the matrices certainly start at a multiple of so many elements of the source.
    """

    def __init__(self, ctx: Any, grid: Grid, dtype: DataType, unit: int) -> None:
        if grid.width == grid.pitch == 1:  # a column to a row
            grid = Grid(1, grid.rows, grid.rows, 0, grid.step)
        self.ctx = ctx
        self.grid = grid
        self.bits = BITS[dtype.sizeof()]
        self.per_block = 32 // dtype.sizeof()
        at_block = unit % self.per_block == 0
        self.by_blocks = at_block and _is_block_copy(grid, self.per_block)
        self.by_brcb = (
            not self.by_blocks and at_block and grid.width == 1 and grid.step == 1
            and ctx.supports("Gather", self.bits) and ctx.supports("Brcb", self.bits)
            and _brcb_fits(grid, self.per_block)
        )  # fmt: skip
        self.together, self.gather = 1, None
        if not self.by_blocks and not self.by_brcb:
            self.together = _together(grid, dtype, unit)
            bits = BITS[dtype.sizeof() * self.together]
            self.gather = gatherer(ctx, _of_words(grid, self.together), bits, unit // self.together)

    def move(self, target: Any, source: Any, base: Optional[Any]) -> None:
        """Move the matrix that starts ``base`` elements behind the start of ``source``."""
        ctx, grid = self.ctx, self.grid
        if self.by_blocks:
            _copy_blocks(ctx, target, source if base is None else source.at(base), grid, self.per_block)
        elif self.by_brcb:
            begin = source if base is None else source.at(base)
            _spread(ctx, target.reinterpret(self.bits), begin.reinterpret(self.bits), grid, self.per_block)
        elif self.gather is not None:
            bits = BITS[self.bits.sizeof() * self.together]
            begin = base if base is None or self.together == 1 else ctx.quotient(base, self.together)
            self.gather.move(target.reinterpret(bits), source.reinterpret(bits), begin)
        else:
            _move_elements(ctx, target, source, grid, base)


# --- several elements as one word ------------------------------------------------------------------------------------


def _together(grid: Grid, dtype: DataType, unit: int) -> int:
    """Elements that lie together, in words of at most 32 bits, in the source and in the target of a move."""
    if grid.stride != 1:
        return 1
    distances: tuple[int, ...] = (grid.pitch, grid.step) if grid.rows > 1 else ()
    if grid.rows == 1 or grid.step < grid.width:  # no padding for the rest of a last word
        distances += (grid.width,)
    return math.gcd(max(1, _WIDEST // dtype.sizeof()), unit, *distances)


def _of_words(grid: Grid, together: int) -> Grid:
    """The same matrix in words of so many elements; the last word of a row may hold some that lie behind it."""
    width, pitch = (-(-extent // together) for extent in (grid.width, grid.pitch))
    return Grid(grid.rows, width, pitch, grid.step // together, grid.stride)


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


# --- one by one -------------------------------------------------------------------------------------------------------


def _move_elements(ctx: Any, target: Any, source: Any, grid: Grid, base: Optional[Any]) -> None:
    start = ctx.number(0) if base is None else base
    rows = ctx.loop(grid.rows, "r") if grid.rows > 1 else contextlib.nullcontext(ctx.number(0))
    with rows as row:
        columns = ctx.loop(grid.width, "k") if grid.width > 1 else contextlib.nullcontext(ctx.number(0))
        with columns as column:
            value = ctx.read(source, start + row * grid.step + column * grid.stride)
            ctx.emit("SetValue", target, row * grid.pitch + column, value)


# --- one row behind another -------------------------------------------------------------------------------------------


def append(ctx: Any, target: Any, source: Any, start: int, size: int) -> None:
    """Copy a tile of one dimension, ``size`` elements, to ``start`` elements behind the start of ``target``.

    What lies before stays; what lies behind, up to the end of the block, may change.
    """
    dtype = source.dtype
    per_block = strided.per_block(dtype)
    before = start % per_block
    if not before:
        place = target if start == 0 else target.at(ctx.number(start))
        move_matrix(ctx, place, source, Grid(1, size, size, 0, 1), dtype)
        return
    head = min(per_block - before, size)
    place = target.at(ctx.number(start - before))
    word = math.gcd(start * dtype.sizeof(), size * dtype.sizeof(), _WIDEST)
    bits, block = BITS[word], 32 // word
    rest = size - head
    gathers = ctx.supports("Gather", bits)
    few = 0 if ctx.architecture.vector_in_order or (gathers and rest) else 1 if gathers else 2  # as fast one by one
    if head <= few:
        with ctx.loop(head, "k") as index:
            ctx.emit("SetValue", target, index + ctx.number(start), ctx.read(source, index))
    elif gathers:
        words = place.reinterpret(bits)
        kept = strided.scratch(ctx, bits, block, "kept")
        ctx.emit("Copy", kept, words, ctx.number(block))
        lanes = before * dtype.sizeof() // word
        _shift(ctx, words, source.reinterpret(bits), kept, lanes, size * dtype.sizeof() // word)
        return
    else:
        kept, fresh, merged = (strided.scratch(ctx, dtypes.float16, block, name) for name in ("kept", "fresh", "block"))
        for halves, tile, count in ((kept, place, before), (fresh, source, head)):
            ctx.emit("Cast", halves, tile, "RoundMode::CAST_NONE", ctx.number(count))
        words, source_words, kept_words = (tile.reinterpret(dtypes.uint16) for tile in (merged, fresh, kept))
        _shift(ctx, words, source_words, kept_words, before, head)
        ctx.emit("Cast", place, merged, "RoundMode::CAST_RINT", ctx.number(before + head))
    if rest:
        mover = Mover(ctx, Grid(1, rest, rest, 0, 1), dtype, math.gcd(head, per_block))
        mover.move(target.at(ctx.number(start + head)), source, ctx.number(head))


def _shift(ctx: Any, target: Any, source: Any, kept: Any, before: int, count: int) -> None:
    """Fill ``target`` with ``before`` words of ``kept``, fewer than a block, and ``count`` ones of ``source``."""
    total = ctx.number(before + count)
    size = target.dtype.sizeof()
    table = strided.scratch(ctx, dtypes.int32, before + count, "offsets")
    ctx.emit("CreateVecIndex", table, ctx.number(-before), total)
    ctx.emit("Maxs", table, table, ctx.number(0), total)
    if size > 1:
        ctx.emit("Muls", table, table, ctx.number(size), total)
    ctx.emit("Gather", target, source, table.reinterpret(dtypes.uint32), ctx.number(0), total)
    bits = BITS[min(size, 2)]  # what all architectures have bit operations for, if Gather takes them
    whole, part = (tile.reinterpret(bits) for tile in (target, kept))
    ctx.emit("Or", whole, part, part, ctx.number(before * size // bits.sizeof()))
