"""Building blocks of reductions: folding rows onto each other, and the elements of rows down to one.

Order of float sums: dimensions other than the last are added by halves (element i and i + half, again and again).  In a
row, repeats of 256 bytes are added to each other one after the other or by halves, then the elements of that repeat by
a binary tree of neighbours; or first the elements of every repeat by such a tree, then the results by another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping

from ..graph.dtypes import DataType
from ..graph.types import TileType
from . import strided
from .strided import Rows, rounded_up


@dataclass(frozen=True)
class Kind:
    """A reduction.

    Attributes:
        instruction: combines two tiles.
        repeat: combines the elements of a repeat; empty if there is none.
        block: combines the elements of every block of a repeat in the same order, with zeros beside them as if there
            were none; empty if there is none.
    """

    instruction: str
    repeat: str
    block: str = ""


KINDS: Mapping[str, Kind] = {
    "sum": Kind("Add", "WholeReduceSum", "BlockReduceSum"),
    "max": Kind("Max", "WholeReduceMax"),
    "min": Kind("Min", "WholeReduceMin"),
    "prod": Kind("Mul", ""),
}


@dataclass(frozen=True)
class Place:
    """Where one result per row goes.

    Attributes:
        groups: how many groups of rows there are; results of a group follow each other.
        rows: rows of a group.
        group_pitch: elements from one group of results to the next.
        pitch: elements from one result to the next within a group.
    """

    groups: int
    rows: int
    group_pitch: int
    pitch: int


# --- rows onto rows ---------------------------------------------------------------------------------------------------


def fold_rows(
    ctx: Any, kind: Kind, source: Any, outer: int, extent: int, run: int, target: Any, count: int, owned: bool
) -> None:
    """``target[o] = source[o, 0] op source[o, 1] op ...`` for runs of ``run`` elements, ``count`` of which matter.

    By halves, so that few instructions do it and float sums stay accurate; the extent is at least 2. ``owned``: the
    source may be overwritten.
    """
    with strided.each(ctx, outer, "o") as index:
        part, result = source.at(index * (extent * run)), target.at(index * run)
        if extent == 2:
            ctx.emit(kind.instruction, result, part, part.at(ctx.number(run)), ctx.number(count))
            return
        half = (extent + 1) // 2
        stage = part if owned else strided.scratch(ctx, source.dtype, half * run)
        upper = part.at(ctx.number(half * run))
        ctx.emit(kind.instruction, stage, part, upper, ctx.number((extent - half) * run))
        if extent % 2 and not owned:
            middle = ctx.number((half - 1) * run)
            strided.copy_run(ctx, stage.at(middle), part.at(middle), run)
        while half > 2:
            extent, half = half, (half + 1) // 2
            upper, count_left = stage.at(ctx.number(half * run)), ctx.number((extent - half) * run)
            ctx.emit(kind.instruction, stage, stage, upper, count_left)
        ctx.emit(kind.instruction, result, stage, stage.at(ctx.number(run)), ctx.number(count))


# --- elements of a row ------------------------------------------------------------------------------------------------


def reduce_rows(ctx: Any, kind: Kind, source: Rows, target: Any, place: Place) -> None:
    """One result for every row of ``source``."""
    dtype = source.tile.dtype
    if kind.repeat and ctx.supports(kind.repeat, dtype):
        width = strided.lanes(ctx, dtype)
        while source.length > width:
            source = _shorten_natively(ctx, kind, source, width)
        if source.length == strided.per_block(dtype) and _has_blocks(ctx, kind, source):
            _combine_block(ctx, kind, source, target)
        else:
            _whole_reduce(ctx, kind, source, target, place)
        return
    limit = strided.per_block(dtype)
    if source.length > limit:
        source = _shorten(ctx, kind, source, limit)
    _combine_columns(ctx, kind, source, target, place)


_START, _COMBINED = 48, 7  # cycles: to get one more instruction under way; to combine the elements of a repeat


def _shorten_natively(ctx: Any, kind: Kind, source: Rows, width: int) -> Rows:
    """Shorter rows with the same result, in the way that takes the fewest cycles (then the least memory).

    Repeats are added to each other, or rows are halved some times and then every repeat becomes one element.
    """
    rows, length = source.count, source.length
    fits = strided.has_rows_form(ctx, kind.instruction, source.tile.dtype) and strided.strides_fit(source.blocks)
    ways = [(-(-length // width) * (_START + rows), 0)] if fits and rows > 1 else []
    halving, limit = 0, length
    while True:
        repeats = -(-limit // width) if limit > width else 0
        ways.append((halving + _COMBINED * rows * repeats + _START * bool(repeats), limit))
        if not repeats:
            break
        limit = _half(source, limit)
        halving += rows * (_START + -(-limit // width))
    _, limit = min(ways, key=lambda way: (way[0], -way[1]))
    if limit == 0:
        return _fold_repeats(ctx, kind, source, width)
    if limit < length:
        source = _shorten_each(ctx, kind, source, limit)
    if limit > width:
        return _combine_parts(ctx, kind, source, width)
    return source


def _half(source: Rows, length: int) -> int:
    """Half of a row, in whole blocks."""
    return rounded_up(-(-length // 2), strided.per_block(source.tile.dtype))


def _combine_parts(ctx: Any, kind: Kind, source: Rows, width: int) -> Rows:
    """Shorter rows, with the results of repeats; of blocks where that is quicker and the order stays the same.

    The order is one tree over the whole row, if what is left of its repeats is one repeat.
    """
    if not _has_blocks(ctx, kind, source) or source.length > width * width:
        return _combine_repeats(ctx, kind, source, width)
    block = strided.per_block(source.tile.dtype)
    while source.length > width:
        by_blocks, by_repeats = _tree_cycles(source.length, width, block, ctx.is_in_loop())
        step = _combine_blocks if by_blocks < by_repeats else _combine_repeats
        source = step(ctx, kind, source, width)
    return source


_QUICK_BLOCKS = frozenset((("c220", "float32"),))  # where the blocks of a repeat are combined as fast as added


def _has_blocks(ctx: Any, kind: Kind, source: Rows) -> bool:
    """Whether the blocks of a single row are combined by an instruction: it is quick but its results take memory."""
    quick = (ctx.architecture.name, source.tile.dtype.name) in _QUICK_BLOCKS
    return bool(kind.block) and quick and source.count == 1 and ctx.program.reuse_alloc < 2


def _tree_cycles(length: int, width: int, block: int, in_loop: bool) -> tuple[int, int]:
    """Cycles to reduce a row, the first step being of blocks, or of repeats.

    A single result is often wanted all over a block: a repeat then has to be combined several times.
    """
    full, tail = divmod(length, width)
    repeats = full + (tail > 0)
    if length <= width:
        is_block = length == block or (length < block and in_loop)
        return _START + 1 if is_block else _START + 4 * _COMBINED, _START + 4 * _COMBINED
    left = [min(_tree_cycles(rest, width, block, in_loop)) for rest in (-(-length // block), repeats)]
    start = _START * ((full > 0) + (tail > 0))
    return start + repeats + left[0], start + repeats * _COMBINED + left[1]


def _combine_blocks(ctx: Any, kind: Kind, source: Rows, width: int) -> Rows:
    """Every block of a single row as one element."""
    dtype = source.tile.dtype
    block = strided.per_block(dtype)
    full, tail = divmod(source.length, width)
    parts = -(-source.length // block)
    stage = ctx.reserve(strided.scratch(ctx, dtype, parts, "part"), (full + (tail > 0)) * width // block)
    for start, repeats, mask in ((0, full, width), (full, int(tail > 0), tail)):
        if repeats:
            target, part = stage.at(ctx.number(start * width // block)), source.tile.at(ctx.number(start * width))
            ctx.emit(kind.block, target, part, *map(ctx.number, (repeats, mask, 1, 1, 8)))
    return Rows(stage, 1, parts, parts, True)


def _combine_block(ctx: Any, kind: Kind, source: Rows, target: Any) -> None:
    """The only block of a single row, combined into every element of a block."""
    dtype = source.tile.dtype
    ctx.reserve(target, strided.per_block(dtype))
    ctx.emit(kind.block, target, source.tile, *map(ctx.number, (1, strided.lanes(ctx, dtype), 1, 0, 0)))


def _zeros(ctx: Any, dtype: DataType) -> Rows:
    """A block that the loop in which it is used finds filled with zeros, where nothing else has been put."""
    length = strided.per_block(dtype)

    def make(tile: Any) -> None:
        ctx.emit("Duplicate", tile, ctx.number(0, dtype), ctx.number(length))

    return Rows(ctx.initial_tile("part", TileType(dtype, (length,)), make), 1, length, length, True)


def _combine_repeats(ctx: Any, kind: Kind, source: Rows, width: int) -> Rows:
    """Every repeat of every row as one element."""
    full, tail = divmod(source.length, width)
    parts = full + bool(tail)
    pitch = parts if source.count == 1 else rounded_up(parts, strided.per_block(source.tile.dtype))
    if parts < strided.per_block(source.tile.dtype) and _has_blocks(ctx, kind, source) and ctx.is_in_loop():
        target = _zeros(ctx, source.tile.dtype)
    else:
        stage = strided.scratch(ctx, source.tile.dtype, source.count * pitch, "part")
        target = Rows(stage, source.count, parts, pitch, True)
    if full and (source.count == 1 or source.pitch == full * width and pitch == full):
        run = Rows(source.tile, source.count * full, width, width)  # without gaps: one long row
        _whole_reduce(ctx, kind, run, target.tile, Place(1, run.count, 0, 1))
    elif full <= source.count:
        for position in range(full):
            column = Rows(source.tile.at(ctx.number(position * width)), source.count, width, source.pitch)
            _whole_reduce(ctx, kind, column, target.tile.at(ctx.number(position)), Place(1, source.count, 0, pitch))
    else:
        with strided.each(ctx, source.count, "r") as row:
            run = Rows(source.at(row), full, width, width)
            _whole_reduce(ctx, kind, run, target.at(row), Place(1, full, 0, 1))
    if tail:
        column = Rows(source.tile.at(ctx.number(full * width)), source.count, tail, source.pitch)
        _whole_reduce(ctx, kind, column, target.tile.at(ctx.number(full)), Place(1, source.count, 0, pitch))
    return target


def _shorten(ctx: Any, kind: Kind, source: Rows, limit: int) -> Rows:
    """Rows of at most ``limit`` elements with the same result, in as few instructions as possible."""
    dtype = source.tile.dtype
    width = strided.lanes(ctx, dtype)
    steps = -(-source.length // width) + 3 * (limit < width)
    in_rows = steps * -(-source.count // strided.MOST_REPEATS)
    levels = max(source.length - 1, 1).bit_length() - limit.bit_length() + 1
    fits = strided.has_rows_form(ctx, kind.instruction, dtype) and strided.strides_fit(source.blocks)
    if fits and in_rows <= source.count * levels:
        return _shorten_together(ctx, kind, source, limit, width)
    return _shorten_each(ctx, kind, source, limit)


def _shorten_together(ctx: Any, kind: Kind, source: Rows, limit: int, width: int) -> Rows:
    """All rows at a time: repeats are added to the first one, then halves of it."""
    if source.length > width:
        source = _fold_repeats(ctx, kind, source, width)
    while source.length > limit:
        length = source.length
        half = _half(source, length)
        target = source if source.owned else _scratch_rows(ctx, source, half)
        upper = Rows(source.tile.at(ctx.number(half)), source.count, length - half, source.pitch)
        if length == 2 * half or source.owned:
            strided.combine_rows(ctx, kind.instruction, target, source, upper, length - half)
        else:
            strided.copy_rows(ctx, target, source, half)
            strided.combine_rows(ctx, kind.instruction, target, target, upper, length - half)
        source = Rows(target.tile, target.count, half, target.pitch, True)
    return source


def _scratch_rows(ctx: Any, source: Rows, length: int) -> Rows:
    tile = strided.scratch(ctx, source.tile.dtype, source.count * length, "part")
    return Rows(tile, source.count, length, length, True)


def _fold_repeats(ctx: Any, kind: Kind, source: Rows, width: int) -> Rows:
    """Every row as one repeat: the second repeat is added to the first one, and so on."""
    total = source if source.owned else _scratch_rows(ctx, source, width)
    full, tail = divmod(source.length, width)

    def part(offset: Any) -> Rows:
        return Rows(source.tile.at(offset), source.count, width, source.pitch)

    done = 1
    if not source.owned:
        if full > 1:
            first, second = part(ctx.number(0)), part(ctx.number(width))
            strided.combine_rows(ctx, kind.instruction, total, first, second, width)
            done = 2
        else:
            strided.copy_rows(ctx, total, source, width)
    if full - done > 2:
        with ctx.loop(full - done, "k") as index:
            offset = (index + done) * width
            strided.combine_rows(ctx, kind.instruction, total, total, part(offset), width)
    else:
        for position in range(done, full):
            strided.combine_rows(ctx, kind.instruction, total, total, part(ctx.number(position * width)), width)
    if tail:
        strided.combine_rows(ctx, kind.instruction, total, total, part(ctx.number(full * width)), tail)
    return Rows(total.tile, total.count, width, total.pitch, True)


def _shorten_each(ctx: Any, kind: Kind, source: Rows, limit: int) -> Rows:
    """One row after the other, by halves."""
    block, first = strided.per_block(source.tile.dtype), _half(source, source.length)
    target = source if source.owned else _scratch_rows(ctx, source, first)
    length = source.length
    with strided.each(ctx, source.count, "r") as row:
        part, stage = source.at(row), target.at(row)
        half, upper = first, length - first
        if not source.owned and upper < half:
            kept = ctx.number(upper // block * block)
            strided.copy_run(ctx, stage.at(kept), part.at(kept), half - upper // block * block)
        ctx.emit(kind.instruction, stage, part, part.at(ctx.number(half)), ctx.number(upper))
        while half > limit:
            length, half = half, _half(source, half)
            ctx.emit(kind.instruction, stage, stage, stage.at(ctx.number(half)), ctx.number(length - half))
    return Rows(target.tile, target.count, half, target.pitch, True)


def _whole_reduce(ctx: Any, kind: Kind, source: Rows, target: Any, place: Place) -> None:
    order = () if kind.repeat == "WholeReduceSum" else ("ReduceOrder::ORDER_ONLY_VALUE",)
    distance = source.blocks if source.count > 1 else 8
    with strided.each(ctx, place.groups, "g") as group:
        for start, repeats in strided.portions(place.rows):
            to = target.at(group * place.group_pitch + start * place.pitch)
            come = source.at(group * place.rows + start)
            numbers = (source.length, repeats, place.pitch, 1, distance)
            ctx.emit(kind.repeat, to, come, *map(ctx.number, numbers), *order)


def _combine_columns(ctx: Any, kind: Kind, source: Rows, target: Any, place: Place) -> None:
    """Columns gathered one after the other and combined: where nothing combines the elements of a repeat."""
    dtype = source.tile.dtype
    packed = place.pitch == 1 or place.rows == 1
    offsets = strided.row_offsets(ctx, place.rows, source.pitch, dtype)
    column = strided.scratch(ctx, dtype, place.rows, "column") if source.length > 1 else None
    with strided.each(ctx, place.groups, "g") as group:
        group_rows = Rows(source.at(group * place.rows), place.rows, source.length, source.pitch)
        result = target.at(group * place.group_pitch)
        total = result if packed else strided.scratch(ctx, dtype, place.rows, "total")
        strided.gather_column(ctx, total, group_rows, offsets, ctx.number(0))
        if column is not None:
            with strided.each(ctx, source.length - 1, "k") as index:
                strided.gather_column(ctx, column, group_rows, offsets, index + 1)
                ctx.emit(kind.instruction, total, total, column, ctx.number(place.rows))
        if not packed:
            strided.spread_column(ctx, total, place.rows, result, place.pitch)


def is_supported(ctx: Any, kind: Kind, dtype: Any) -> bool:
    """Whether the architecture reduces elements of ``dtype``."""
    return bool(ctx.supports(kind.instruction, dtype) and ctx.supports("Gather", dtype))


def packed_scratch(ctx: Any, dtype: Any, elements: int, name: str) -> Any:
    """Scratch memory with room for the whole groups of eight that Brcb reads."""
    return ctx.reserve(strided.scratch(ctx, dtype, elements, name), rounded_up(elements, 8))
