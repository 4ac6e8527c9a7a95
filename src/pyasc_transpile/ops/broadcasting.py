"""Lowering of broadcasts: whole tiles, and elementwise instructions with an operand narrower than the result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional

from ..graph import dtypes
from ..graph.types import TileType
from . import strided
from .strided import Rows

Shape = tuple[int, ...]


def aligned(shape: Shape, rank: int) -> Shape:
    """``shape`` with ones in front, so that it has ``rank`` dimensions."""
    return (1,) * (rank - len(shape)) + tuple(shape)


# --- broadcast_to -----------------------------------------------------------------------------------------------------


def lower_broadcast(ctx: Any, target: Any, source: Any, shape: Shape, result: TileType) -> None:
    """Fill ``target`` with the tile ``source`` of ``shape``, repeated: the last dimension first, then whole runs."""
    dtype = result.dtype
    if dtype == dtypes.int8 and not ctx.supports("Duplicate", dtype) and shape[-1] != result.shape[-1]:
        _broadcast_as_half(ctx, target, source, shape, result)
        return
    full = aligned(shape, result.rank)
    if full[-1] == 1 and result.shape[-1] > 1:
        narrow = TileType(dtype, full if len(shape) > 1 else shape)
        widened = full[:-1] + result.shape[-1:]
        done = widened == result.shape
        everything = ctx.rows(narrow) == 1  # one element fills the whole tile
        type_ = result if done or everything else TileType(dtype, widened)
        stage = target if done or everything else ctx.scratch(type_)
        if everything:
            _fill_with_first(ctx, stage, source, ctx.count(type_))
            return
        _repeat_elements(ctx, stage, strided.rows_of(ctx, source, narrow), type_)
        source, full = stage, widened
        if done:
            return
    _repeat_runs(ctx, target, source, full, result)


def _broadcast_as_half(ctx: Any, target: Any, source: Any, shape: Shape, result: TileType) -> None:
    """int8 by way of float16, which holds every int8, where the architecture repeats no bytes."""
    narrow, wide = TileType(dtypes.float16, shape), TileType(dtypes.float16, result.shape)
    halves, spread = ctx.scratch(narrow), ctx.scratch(wide)
    ctx.emit("Cast", halves, source, "RoundMode::CAST_NONE", ctx.count(narrow))
    lower_broadcast(ctx, spread, halves, shape, wide)
    ctx.emit("Cast", target, spread, "RoundMode::CAST_RINT", ctx.count(wide))


def _fill_with_first(ctx: Any, target: Any, source: Any, count: Any) -> None:
    dtype = target.dtype
    if ctx.supports("DuplicateFirst", dtype):
        ctx.emit("DuplicateFirst", target, source, count)
    elif strided.can_spread(ctx, dtype) and ctx.supports("CopyRows", dtype):
        _fill_with_block(ctx, target, ctx.reserve(source, 8), int(ctx.constant(count)))
    elif ctx.supports("Duplicate", dtype):
        ctx.emit("Duplicate", target, ctx.read(source, ctx.number(0)), count)
    else:
        raise ctx.fail(f"{ctx.architecture.name} cannot broadcast along rows of {dtype}")


def _fill_with_block(ctx: Any, target: Any, source: Any, count: int) -> None:
    """Fill ``count`` elements by way of one block that holds the element again and again."""
    width = strided.lanes(ctx, target.dtype)
    if count <= strided.per_block(target.dtype):
        strided.spread_column(ctx, source, 1, target)
        return
    block = strided.spread_column(ctx, source, 1)
    full, tail = divmod(count, width)
    for start, repeats, length in ((0, full, width), (full * width, bool(tail), tail)):
        part = Rows(target.at(ctx.number(start)), int(repeats), length, width)
        if repeats:
            strided.copy_rows(ctx, part, Rows(block.tile, part.count, length, 0), length, source_block=0)


def _repeat_elements(ctx: Any, target: Any, source: Rows, wide: TileType) -> None:
    """The first element of every row of ``source`` all along a row of ``target``."""
    dtype, pitch = wide.dtype, ctx.pitch(wide)
    rows = Rows(target, source.count, pitch, pitch)
    if ctx.supports("DuplicateFirst", dtype):
        with strided.each(ctx, source.count, "r") as row:
            ctx.emit("DuplicateFirst", rows.at(row), source.at(row), ctx.number(pitch))
    elif strided.can_spread(ctx, dtype) and ctx.supports("CopyRows", dtype):
        packed = strided.packed_column(ctx, source)
        blocks = strided.spread_column(ctx, packed, source.count)
        for offset, length in strided.chunks(ctx, pitch, strided.lanes(ctx, dtype)):
            part = Rows(target.at(offset), source.count, length, pitch)
            strided.copy_rows(ctx, part, blocks, length, source_block=0)
    else:
        raise ctx.fail(f"{ctx.architecture.name} cannot broadcast along rows of {dtype}")


def _repeat_runs(ctx: Any, target: Any, source: Any, shape: Shape, result: TileType) -> None:
    """Repeat the leading dimensions: copies of runs of trailing dimensions that stay as they are."""
    inner = len(shape) - 1
    while inner > 0 and shape[inner - 1] == result.shape[inner - 1]:
        inner -= 1
    outer = result.shape[:inner]
    run = math.prod(result.shape[inner:-1]) * ctx.pitch(result)
    ctx.reserve(source, math.prod(shape[:inner]) * run)  # a source of rank 1 has no padding

    def copies(position: int, to: Any, come: Any) -> None:
        if position == len(outer):
            strided.copy_run(ctx, target.at(to * run), source.at(come * run), run)
            return
        with strided.each(ctx, outer[position], "r") as index:
            step = index if shape[position] > 1 else ctx.number(0)
            copies(position + 1, to * ctx.number(outer[position]) + index, come * ctx.number(shape[position]) + step)

    copies(0, ctx.number(0), ctx.number(0))


# --- elementwise instructions with a narrow operand -------------------------------------------------------------------


@dataclass(frozen=True)
class Pattern:
    """Where a narrow operand repeats: ``outer`` times, each of its parts ``repeats`` times over ``inner`` rows or runs.

    Attributes:
        column: it repeats along the last dimension (one element per row), else along others.
    """

    column: bool
    outer: int
    repeats: int
    inner: Shape


def pattern_of(shape: Shape, result: Shape) -> Optional[Pattern]:
    """How ``shape`` repeats in ``result``; None if in more than one place, or if it differs by leading ones only."""
    full = aligned(shape, len(result))
    repeated = [position for position, extent in enumerate(full) if extent != result[position]]
    if not repeated:
        return None
    first, last = repeated[0], repeated[-1]
    if any(full[position] != 1 for position in range(first, last + 1)):
        return None
    if last == len(result) - 1:
        if first != last and math.prod(shape) > 1:
            return None
        return Pattern(True, math.prod(result[:-1]), int(result[-1]), ())
    return Pattern(False, math.prod(result[:first]), math.prod(result[first : last + 1]), result[last + 1 :])


def combine_narrow(
    ctx: Any, instruction: str, type_: TileType, target: Any, wide: Any, narrow: Any, shape: Shape, swapped: bool
) -> None:
    """``target = wide op narrow`` (``narrow op wide`` if ``swapped``) without a repeated copy of the narrow tile if
    an instruction can repeat it."""
    pattern = pattern_of(shape, type_.shape)
    if math.prod(shape) == 1 and not swapped and ctx.supports(f"{instruction}First", type_.dtype):
        ctx.emit(f"{instruction}First", target, wide, narrow, ctx.count(type_))
        return
    if pattern is not None and pattern.column:
        if strided.has_rows_form(ctx, instruction, type_.dtype) and strided.can_spread(ctx, type_.dtype):
            column = strided.rows_of(ctx, narrow, TileType(type_.dtype, shape))
            blocks = strided.spread_column(ctx, strided.packed_column(ctx, column), column.count)
            if column.count == 1:
                blocks = Rows(blocks.tile, 1, blocks.length, 0)
            rows = strided.rows_of(ctx, target, type_), strided.rows_of(ctx, wide, type_)
            combine_with_column(ctx, instruction, *rows, blocks, swapped)
            return
    elif pattern is not None:
        _combine_with_runs(ctx, instruction, type_, target, wide, narrow, pattern, swapped)
        return
    repeated = ctx.scratch(type_)
    lower_broadcast(ctx, repeated, narrow, shape, type_)
    _emit(ctx, instruction, target, wide, repeated, ctx.count(type_), swapped)


def _emit(ctx: Any, instruction: str, target: Any, wide: Any, narrow: Any, count: Any, swapped: bool) -> None:
    left, right = (narrow, wide) if swapped else (wide, narrow)
    ctx.emit(instruction, target, left, right, count)


def combine_with_column(
    ctx: Any, instruction: str, target: Rows, source: Rows, blocks: Rows, swapped: bool = False
) -> None:
    """``target = source op element of the row``, the elements given as blocks filled with them.

    Either a repeat of all rows at a time, or all repeats of a row at a time, whichever is fewer instructions.
    """
    width = strided.lanes(ctx, target.tile.dtype)
    length = target.length
    by_repeats = -(-length // width) * -(-target.count // strided.MOST_REPEATS)
    fits = strided.strides_fit(target.blocks, source.blocks) or target.count == 1
    if fits and by_repeats <= target.count:
        for offset, mask in strided.chunks(ctx, length, width):
            parts = [Rows(part.tile.at(offset), part.count, mask, part.pitch) for part in (target, source)]
            _combine(ctx, instruction, parts[0], parts[1], blocks, mask, swapped, 0)
        return
    with strided.each(ctx, target.count, "r") as row:
        whole, tail = divmod(length, width)
        block = Rows(blocks.at(row), whole, width, 0)
        for start, repeats in strided.portions(whole):
            offset = ctx.number(start * width)
            parts = [Rows(part.at(row).at(offset), repeats, width, width) for part in (target, source)]
            _combine(ctx, instruction, parts[0], parts[1], block, width, swapped, 0)
        if tail:
            offset = ctx.number(whole * width)
            parts = [Rows(part.at(row).at(offset), 1, tail, width) for part in (target, source)]
            _combine(ctx, instruction, parts[0], parts[1], Rows(blocks.at(row), 1, tail, 0), tail, swapped, 0)


def _combine(
    ctx: Any, instruction: str, target: Rows, wide: Rows, narrow: Rows, mask: int, swapped: bool, block: int
) -> None:
    if swapped:
        strided.combine_rows(ctx, instruction, target, narrow, wide, mask, left_block=block)
    else:
        strided.combine_rows(ctx, instruction, target, wide, narrow, mask, right_block=block)


def _combine_with_runs(
    ctx: Any, instruction: str, type_: TileType, target: Any, wide: Any, narrow: Any, pattern: Pattern, swapped: bool
) -> None:
    pitch = ctx.pitch(type_)
    run = math.prod(pattern.inner[:-1]) * pitch
    single = len(pattern.inner) == 1
    with strided.each(ctx, pattern.outer, "o") as outer:
        base = outer * (pattern.repeats * run)
        part = narrow.at(outer * run)
        rows = [Rows(tile.at(base), pattern.repeats, int(type_.shape[-1]), pitch) for tile in (target, wide)]
        if single:
            combine_with_row(ctx, instruction, rows[0], rows[1], part, swapped)
        else:
            with strided.each(ctx, pattern.repeats, "r") as index:
                start = base + index * run
                _emit(ctx, instruction, target.at(start), wide.at(start), part, ctx.number(run), swapped)


def combine_with_row(ctx: Any, instruction: str, target: Rows, source: Rows, row: Any, swapped: bool = False) -> None:
    """``target = source op row`` for every row, element by element of the row."""
    dtype, length = target.tile.dtype, target.length
    width = strided.lanes(ctx, dtype)
    by_repeats = -(-length // width) * -(-target.count // strided.MOST_REPEATS)
    fits = strided.has_rows_form(ctx, instruction, dtype) and strided.strides_fit(target.blocks, source.blocks)
    if fits and by_repeats < target.count:
        for offset, mask in strided.chunks(ctx, length, width):
            parts = [Rows(part.tile.at(offset), part.count, mask, part.pitch) for part in (target, source)]
            _combine(ctx, instruction, parts[0], parts[1], Rows(row.at(offset), 1, mask, 0), mask, swapped, 1)
        return
    with strided.each(ctx, target.count, "r") as index:
        _emit(ctx, instruction, target.at(index), source.at(index), row, ctx.number(length), swapped)
