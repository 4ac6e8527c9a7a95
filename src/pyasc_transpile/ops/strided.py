"""Building blocks of lowering for tiles seen as rows: instructions on many rows at once, and columns.

A tile of rank 2 or more is rows of one pitch, a multiple of 32 bytes; what lies between the end of a row and the next
one is garbage.  Mask forms of instructions process at most one repeat (256 bytes) of each row, with the same distance
from row to row, for at most 255 rows; the functions here hide these limits.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.types import TileType

MOST_REPEATS = 255  # of one instruction; also the largest distance of its repeats, in blocks
_BLOCK = 32


def lanes(ctx: Any, dtype: DataType) -> int:
    """Elements that one repeat processes."""
    return int(ctx.architecture.repeat_bytes) // dtype.sizeof()


def per_block(dtype: DataType) -> int:
    """Elements of one 32-byte block."""
    return _BLOCK // dtype.sizeof()


def rounded_up(number: int, unit: int) -> int:
    """The next multiple of ``unit``."""
    return -(-number // unit) * unit


def scratch(ctx: Any, dtype: DataType, elements: int, name: str = "") -> Any:
    """A piece of scratch memory."""
    return ctx.scratch(TileType(dtype, (elements,)), name)


@dataclass(frozen=True)
class Rows:
    """``count`` rows of ``length`` elements, ``pitch`` elements from one to the next.

    Attributes:
        owned: whether the contents may be destroyed.
    """

    tile: Any
    count: int
    length: int
    pitch: int
    owned: bool = False

    @property
    def blocks(self) -> int:
        """Distance of rows in blocks."""
        return int(self.pitch * self.tile.dtype.sizeof() // _BLOCK)

    def at(self, row: Any) -> Any:
        """The tile from the start of a row on."""
        return self.tile.at(row * self.pitch)


def rows_of(ctx: Any, tile: Any, type_: TileType, owned: bool = False) -> Rows:
    """The rows of a whole tile."""
    return Rows(tile, ctx.rows(type_), int(type_.shape[-1]), ctx.pitch(type_), owned)


def portions(count: int, most: int = MOST_REPEATS) -> Iterator[tuple[int, int]]:
    """Start and length of portions of at most ``most``."""
    for start in range(0, count, most):
        yield start, min(most, count - start)


@contextlib.contextmanager
def each(ctx: Any, count: int, hint: str) -> Iterator[Any]:
    """A loop of the text over ``count`` trips; none for a single one."""
    if count == 1:
        yield ctx.number(0)
        return
    with ctx.loop(count, hint) as index:
        yield index


def strides_fit(*distances: int) -> bool:
    """Whether mask forms reach from row to row."""
    return all(distance <= MOST_REPEATS for distance in distances)


def has_rows_form(ctx: Any, instruction: str, dtype: DataType) -> bool:
    """Whether an instruction with two sources has a mask form."""
    return bool(ctx.supports(f"{instruction}Rows", dtype))


def combine_rows(
    ctx: Any, instruction: str, target: Rows, left: Rows, right: Rows, mask: int, *, left_block: int = 1,
    right_block: int = 1,
) -> None:  # fmt: skip
    """``target = left op right`` for the first ``mask`` elements (at most one repeat) of every row.

    A source with pitch 0 is used for every row; a block distance of 0 uses the first block of a row for all of it.
    """
    far = [part.blocks if target.count > 1 else min(part.blocks, 8) for part in (target, left, right)]
    parameters = ctx.parameters("BinaryRepeatParams", 1, left_block, right_block, *far, hint="strides")
    # What is read again and again is given as a part of its tile, so that the result never takes its place.
    repeated = [False, not left_block or left.pitch != target.pitch, not right_block or right.pitch != target.pitch]
    for start, repeats in portions(target.count):
        operands = [
            part.at(ctx.number(start)) if again else ctx.from_start(part.at(ctx.number(start)))
            for part, again in zip((target, left, right), repeated)
        ]
        ctx.emit(f"{instruction}Rows", *operands, ctx.number(mask), ctx.number(repeats), parameters)


def copy_rows(ctx: Any, target: Rows, source: Rows, mask: int, *, source_block: int = 1) -> None:
    """Copy the first ``mask`` elements (at most one repeat) of every row; block distance 0 repeats the first block."""
    parameters = ctx.parameters("CopyRepeatParams", 1, source_block, target.blocks, source.blocks, hint="copy_strides")
    for start, repeats in portions(target.count):
        where = ctx.number(start)
        ctx.emit("CopyRows", target.at(where), source.at(where), ctx.number(mask), ctx.number(repeats), parameters)


def copy_run(ctx: Any, target: Any, source: Any, elements: int) -> None:
    """Copy a run of whole blocks."""
    ctx.emit("Copy", target, source, ctx.number(elements))


def chunks(ctx: Any, length: int, width: int) -> Iterator[tuple[Any, int]]:
    """Walk a row in chunks of ``width``: the offset of a chunk and its length; full ones in a loop of the text."""
    full, tail = divmod(length, width)
    if full > 2:
        with each(ctx, full, "k") as index:
            yield (index * width).named("column"), width
    else:
        for position in range(full):
            yield ctx.number(position * width), width
    if tail:
        yield ctx.number(full * width), tail


# --- columns ----------------------------------------------------------------------------------------------------------


def row_offsets(ctx: Any, count: int, pitch: int, dtype: DataType) -> Any:
    """Byte offsets of the starts of ``count`` rows, for Gather."""
    offsets = scratch(ctx, dtypes.int32, count, "row_offsets")
    ctx.emit("CreateVecIndex", offsets, ctx.number(0), ctx.number(count))
    ctx.emit("Muls", offsets, offsets, ctx.number(pitch * dtype.sizeof()), ctx.number(count))
    return offsets.reinterpret(dtypes.uint32)


def gather_column(ctx: Any, target: Any, source: Rows, offsets: Any, column: Any) -> None:
    """One element of every row, packed."""
    base = column * source.tile.dtype.sizeof()
    ctx.emit("Gather", target, source.tile, offsets, base, ctx.number(source.count))


def packed_column(ctx: Any, source: Rows, name: str = "column") -> Any:
    """The first element of every row, packed, with room for the whole groups of eight that Brcb reads."""
    dtype = source.tile.dtype
    if source.count == 1:
        return ctx.reserve(source.tile, 8)
    target = ctx.reserve(scratch(ctx, dtype, source.count, name), rounded_up(source.count, 8))
    if ctx.supports("WholeReduceMax", dtype):
        for start, repeats in portions(source.count):
            where = ctx.number(start)
            ctx.emit(
                "WholeReduceMax", target.at(where), source.at(where), ctx.number(1), ctx.number(repeats), ctx.number(1),
                ctx.number(1), ctx.number(source.blocks), "ReduceOrder::ORDER_ONLY_VALUE",
            )  # fmt: skip
    else:
        offsets = row_offsets(ctx, source.count, source.pitch, dtype)
        gather_column(ctx, target, source, offsets, ctx.number(0))
    return target


def spread_column(ctx: Any, packed: Any, count: int, target: Optional[Any] = None, pitch: int = 0) -> Rows:
    """Every element of a packed column as one block filled with it, at the start of a row of ``target``.

    Brcb works on eight elements at a time, so both buffers grow to whole groups. A single element made here fills its
    own block where no place is asked for.
    """
    dtype = packed.dtype
    if count == 1 and target is None and ctx.repeats_in_block(packed):
        return Rows(packed, 1, per_block(dtype), per_block(dtype))
    pitch = pitch or per_block(dtype)
    groups = rounded_up(count, 8) // 8
    target = scratch(ctx, dtype, 8 * groups * pitch, "blocks") if target is None else target
    ctx.reserve(target, 8 * groups * pitch)
    ctx.reserve(packed, 8 * groups)
    if not ctx.supports("Brcb", dtype):
        from .wide_integers import spread_blocks  # it needs the building blocks of this module

        spread_blocks(ctx, packed, count, target, pitch)
        return Rows(target, count, per_block(dtype), pitch, True)
    distance = pitch * dtype.sizeof() // _BLOCK
    parameters = ctx.parameters("BrcbRepeatParams", distance, 8 * distance, hint="spread")
    for start, repeats in portions(groups):
        to, come = target.at(ctx.number(8 * start * pitch)), packed.at(ctx.number(8 * start))
        ctx.emit("Brcb", to, come, ctx.number(repeats), parameters)
    return Rows(target, count, per_block(dtype), pitch, True)


def can_spread(ctx: Any, dtype: DataType) -> bool:
    """Whether :func:`packed_column` and :func:`spread_column` work for ``dtype``."""
    gathers = ctx.supports("WholeReduceMax", dtype) or ctx.supports("Gather", dtype)
    return bool(ctx.supports("Brcb", dtype) and gathers)
