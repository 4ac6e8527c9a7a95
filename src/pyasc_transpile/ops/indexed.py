"""gather and scatter: rows of a global tensor chosen by a tile of indices."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import numpy as np

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import TileType
from ..graph.values import GlobalTensor, LocalTensor
from . import numeric, scalars, typing
from .registry import Operation, on_all, register
from .transfers import check_offsets, copies_pad, pad_rows

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
_INDICES = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def gather(
    src: Any,
    offsets: Any,
    dim: int,
    index: Any,
    check_bounds: bool = True,
    num_indices: Any = None,
    pad_value: Any = None,
) -> Any:
    """Rows of a global tensor chosen by indices: ``result[i] = src[offsets[:dim], offsets[dim] + index[i]]``.

    Args:
        src: global tensor; its extents behind ``dim`` are known at compile time.
        offsets: where the tensor that is indexed begins, in elements: ``dim + 1`` ints or integer scalars.
        dim: the dimension that the indices select from; not the last one.
        index: tile of one dimension of int8, int16, int32 or int64.
        check_bounds: indices below 0 or not below ``src.shape[dim] - offsets[dim]`` give rows of pad_value; without
            it they must not occur.
        num_indices: how many of the indices count, an int or integer scalar; the other rows are pad_value.
        pad_value: number for rows that are not loaded and for the ends of rows; default 0.

    Returns:
        Tile with one row per index: ``[len(index), *src.shape[dim + 1:]]``, the last extent rounded up to 32 bytes.

    Raises:
        TypeError: an argument of another kind.
        ValueError: a dim out of range, another number of offsets, an index tile of more than one dimension, or an
            extent behind dim known only at run time.
        NotImplementedError: dim is the last dimension.
        RuntimeError: an element type not listed, or a negative offset or num_indices.
    """
    tensor = typing.check_global(src, "src")
    place = _check_dim(dim, tensor.rank, "gather")
    starts = _check_starts(offsets, place)
    tile = _check_index(index)
    typing.check_element(tensor.dtype, GATHER.dtypes["c310"], "gather")
    inner = _inner_extents(tensor, place)
    per_block = 32 // tensor.dtype.sizeof()
    width = inner[-1] if inner[-1] % per_block == 0 else -(-int(unnamed(inner[-1])) // per_block) * per_block
    row = (*inner[:-1], width)
    operands: list[Operand] = [tensor, tile, *starts, *_check_count(num_indices, tile.size)]
    number = typing.number_for(0 if pad_value is None else pad_value, tensor.dtype, "pad_value")
    attrs = {"dim": place, "check": bool(check_bounds), "counted": num_indices is not None}
    type_ = TileType(tensor.dtype, (tile.shape[0], *row))
    return current_builder().emit("gather", [*operands, number], [type_], attrs).result


def scatter(
    src: Any, dim: int, index: Any, dst: Any, offsets: Any, check_bounds: bool = True, num_indices: Any = None
) -> None:
    """Store rows to places chosen by indices: ``dst[offsets[:dim], offsets[dim] + index[i]] = src[i]``.

    Rows are stored in the order of the indices, so of equal indices the last one wins.

    Args:
        src: tile with one row per index, with as many dimensions as dst has from ``dim`` on. Of the last dimension the
            shorter of both extents is stored, the others are those of dst.
        dim: the dimension of dst that the indices select from; not the last one.
        index: tile of one dimension of int8, int16, int32 or int64.
        dst: global tensor with the type of src; its extents behind ``dim`` are known at compile time.
        offsets: where the tensor that is indexed begins, in elements: ``dim + 1`` ints or integer scalars.
        check_bounds: indices below 0 or not below ``dst.shape[dim] - offsets[dim]`` are skipped; without it they must
            not occur.
        num_indices: how many of the indices count, an int or integer scalar; the other rows are not stored.

    Raises:
        TypeError: an argument of another kind.
        ValueError: a dim out of range, another number of offsets, an index tile of more than one dimension, a src of
            another type, rank or extents, or an extent behind dim known only at run time.
        NotImplementedError: dim is the last dimension.
        RuntimeError: an element type not listed, another number of rows than indices, or a negative offset.
    """
    rows = typing.check_tile(src, "src")
    tensor = typing.check_global(dst, "dst")
    place = _check_dim(dim, tensor.rank, "scatter")
    starts = _check_starts(offsets, place)
    tile = _check_index(index)
    typing.check_element(rows.dtype, GATHER.dtypes["c310"], "scatter")
    if rows.dtype != tensor.dtype:
        raise ValueError(f"src is a tile of {rows.dtype}, but dst a global tensor of {tensor.dtype}; cast it first")
    if rows.rank != tensor.rank - place:
        wanted = tensor.rank - place
        raise ValueError(f"src must have {wanted} dimensions, those of dst from dim on, but has {rows.rank}")
    inner = _inner_extents(tensor, place)
    if rows.shape[1:-1] != inner[:-1]:
        raise ValueError(f"src has rows of {_plain(rows.shape[1:])}, but dst of {_plain(inner)}")
    if rows.shape[0] != tile.shape[0]:
        raise RuntimeError(f"src has {unnamed(rows.shape[0])} rows for {unnamed(tile.shape[0])} indices")
    attrs = {"dim": place, "check": bool(check_bounds), "counted": num_indices is not None}
    operands: list[Operand] = [tensor, tile, *starts, *_check_count(num_indices, tile.size)]
    current_builder().emit("scatter", [rows, *operands], attrs=attrs)


def _plain(extents: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(unnamed(extent)) for extent in extents)


def _check_dim(dim: Any, rank: int, name: str) -> int:
    number = scalars.python_number(dim)
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError(f"dim must be an int, not {typing.describe(dim)}")
    if not 0 <= number < rank:
        raise ValueError(f"dim is {unnamed(number)}, but the tensor has dimensions 0 to {rank - 1}")
    if number == rank - 1:
        raise NotImplementedError(f"{name} selects whole rows, so dim must not be the last dimension")
    return int(unnamed(number))


def _check_starts(offsets: Any, dim: int) -> list[Operand]:
    if not isinstance(offsets, (str, bytes)) and hasattr(offsets, "__len__") and len(offsets) != dim + 1:
        raise ValueError(f"offsets has {len(offsets)} items, but dim is {dim}, so it needs {dim + 1}")
    return check_offsets(offsets, dim + 1)


def _check_index(index: Any) -> LocalTensor:
    tile = typing.check_tile(index, "index")
    typing.check_element(tile.dtype, _INDICES, "the index")
    if tile.rank != 1:
        raise ValueError(f"index must have one dimension, not {tile.rank}")
    return tile


def _inner_extents(tensor: GlobalTensor, dim: int) -> tuple[int, ...]:
    inner: list[int] = []
    for position, extent in enumerate(tuple(tensor.shape)[dim + 1 :], dim + 1):
        if not isinstance(extent, int):
            raise ValueError(
                f"extent {position} of the global tensor is known only at run time; it must be compile-time"
            )
        if extent < 1:
            raise ValueError(f"extent {position} of the global tensor must be positive, not {unnamed(extent)}")
        inner.append(extent)
    return tuple(inner)


def _check_count(num_indices: Any, limit: int) -> list[Operand]:
    if num_indices is None:
        return []
    count = scalars.as_index(num_indices, "num_indices")
    if isinstance(count, int) and not 0 <= count <= limit:
        raise RuntimeError(f"num_indices is {unnamed(count)}, but there are {limit} indices")
    return [count]


# --- lowering ---------------------------------------------------------------------------------------------------------


class _Rows:
    """The rows of a tile and of a global tensor that belong together, one pair per index."""

    def __init__(self, ctx: Any, node: Node, operands: Sequence[Operand], tile: TileType) -> None:
        self.ctx = ctx
        self.tensor, self.index = operands[0], operands[1]
        assert isinstance(self.tensor, GlobalTensor) and isinstance(self.index, LocalTensor)
        dim = node.attrs["dim"]
        self.starts = [ctx.operand(start, dtypes.int32) for start in operands[2 : 3 + dim]]
        self.check = node.attrs["check"]
        self.extents = [ctx.operand(extent, dtypes.int32) for extent in self.tensor.shape]
        inner = _plain(_inner_extents(self.tensor, dim))
        self.lines = math.prod(inner[:-1])
        self.moved = min(inner[-1], int(unnamed(tile.shape[-1])))
        self.width = inner[-1]
        self.step = self.lines * ctx.pitch(tile)
        self.pitch = ctx.pitch(tile)
        self.dtype = tile.dtype
        trips = ctx.number(tile.shape[0])
        if node.attrs["counted"]:
            count = ctx.index(operands[3 + dim])
            trips = ctx.maximum(ctx.minimum(count, trips), ctx.number(0))
        self.trips = trips
        stride = ctx.number(math.prod(inner), dtypes.int64)
        self.row_size = stride
        address = ctx.wide(self.starts[dim]) * stride
        stride = stride * ctx.wide(self.extents[dim])
        for start, extent in zip(reversed(self.starts[:dim]), reversed(self.extents[:dim])):
            address = address + ctx.wide(start) * stride
            stride = stride * ctx.wide(extent)
        self.base = address
        self.limit = ctx.wide(self.extents[dim]) - ctx.wide(self.starts[dim])

    def for_each(self, move: Any, ordered: bool) -> None:
        """Call ``move(tile offset, global offset)`` in a loop over the indices, for those that are valid."""
        ctx = self.ctx
        index = ctx.operand(self.index)
        with ctx.loop_to(self.trips, "r", ordered) as row:
            chosen = ctx.wide(ctx.read(index, row))

            def one() -> None:
                for first in range(0, self.lines, ctx.architecture.max_copy_rows):
                    lines = min(ctx.architecture.max_copy_rows, self.lines - first)
                    address = self.base + chosen * self.row_size
                    place = row * self.step
                    if first:
                        address, place = address + first * self.width, place + first * self.pitch
                    move(place, address.named("offset"), lines)

            if not self.check:
                one()
                return
            zero = ctx.number(0, dtypes.int64)
            with ctx.branch(ctx.all([ctx.compare(">=", chosen, zero), ctx.compare("<", chosen, self.limit)])):
                one()


def _lower_gather(ctx: Any, node: Node) -> None:
    result = node.result
    assert isinstance(result, LocalTensor)
    rows = _Rows(ctx, node, node.operands, result.type)
    tile = ctx.result(node)
    pad = ctx.operand(node.operands[-1], result.dtype)
    if rows.check or node.attrs["counted"]:
        ctx.fill(tile, pad, ctx.count(result.type))
    missing = -rows.moved % (32 // result.dtype.sizeof())  # of each row, up to the end of its last block
    by_copy = copies_pad(ctx, result.dtype, pad)

    def move(place: Any, address: Any, lines: int) -> None:
        shape = ctx.row_shape(result.dtype, lines, rows.moved, rows.width, rows.pitch, to_tile=True)
        padding = ctx.fixed_padding(result.dtype, missing, pad if by_copy else ctx.number(0, result.dtype))
        ctx.emit("Load", tile.at(place), ctx.whole_ref(rows.tensor, address), shape, padding)
        if missing and not by_copy:
            count = ctx.number(lines) if lines > 1 else None
            begin, pitch = place + rows.moved, ctx.number(rows.pitch)
            pad_rows(ctx, tile, count, begin, pitch, ctx.number(missing), pad)

    rows.for_each(move, ordered=False)


def _lower_scatter(ctx: Any, node: Node) -> None:
    source = node.operands[0]
    assert isinstance(source, LocalTensor)
    rows = _Rows(ctx, node, node.operands[1:], source.type)
    tile = ctx.operand(source)

    def move(place: Any, address: Any, lines: int) -> None:
        shape = ctx.row_shape(source.dtype, lines, rows.moved, rows.width, rows.pitch, to_tile=False)
        ctx.emit("Store", ctx.whole_ref(rows.tensor, address), tile.at(place), shape)

    rows.for_each(move, ordered=True)


# --- meaning ----------------------------------------------------------------------------------------------------------


def _valid(
    tensor: Any, index: Any, starts: Sequence[int], dim: int, check: bool, count: Optional[int]
) -> list[tuple[int, int]]:
    """Pairs of row and index that are moved."""
    limit = len(index) if count is None else max(0, min(int(count), len(index)))
    extent = tensor.shape[dim] - starts[dim]
    return [(row, int(index[row])) for row in range(limit) if not check or 0 <= int(index[row]) < extent]


def _gathered(tensor: Any, index: Any, *numbers: Any, dim: int, check: bool, counted: bool, result: TileType) -> Any:
    starts = [int(number) for number in numbers[: dim + 1]]
    count = numbers[dim + 1] if counted else None
    inner = tensor.shape[dim + 1 :]
    first = tensor.load((0,) * len(tensor.shape), (0,) * len(tensor.shape))
    tile: Any = np.full(_plain(result.shape), numeric.as_elements(numbers[-1], result.dtype), first.dtype)
    for row, chosen in _valid(tensor, index, starts, dim, check, count):
        begin = (*starts[:dim], starts[dim] + chosen, *(0,) * len(inner))
        found = tensor.load(begin, (*(1,) * (dim + 1), *inner))
        tile[(row, *numeric.box_slices(inner))] = found.reshape(inner)
    return tile


def _scattered(rows: Any, tensor: Any, index: Any, *numbers: Any, dim: int, check: bool, counted: bool) -> None:
    starts = [int(number) for number in numbers[: dim + 1]]
    count = numbers[dim + 1] if counted else None
    inner = (*tensor.shape[dim + 1 : -1], min(tensor.shape[-1], rows.shape[-1]))
    for row, chosen in _valid(tensor, index, starts, dim, check, count):
        begin = (*starts[:dim], starts[dim] + chosen, *(0,) * len(inner))
        tensor.store(begin, rows[(row, *numeric.box_slices(inner))].reshape((*(1,) * (dim + 1), *inner)))


GATHER = register(Operation("gather", gather, _gathered, _lower_gather, on_all(*_ELEMENTS)))
register(Operation("scatter", scatter, _scattered, _lower_scatter, on_all(*_ELEMENTS), pure=False))
