"""Parts of tiles, tiles put together, and tiles without contents."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from ..graph.constants import unnamed
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import TensorLocation, TileType
from ..graph.values import LocalTensor
from . import typing
from .gathers import Grid
from .registry import Operation, on_all, register
from .relayout import Mover, append, strides_of
from .shapes import broadcast_to
from .transfers import check_location, check_offsets
from .views import as_mask, as_numbers

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")


def copy(src: Any, offsets: Any = None, shape: Any = None, location: Any = None, distrib: Any = None) -> Any:
    """A tile, or a part of one, as a tile of its own.

    Costs nothing where the part begins at a multiple of 32 bytes and its rows follow each other in ``src`` (all of it,
    whole rows, one row); otherwise its elements are moved.

    Args:
        src: tile of any type.
        offsets: start of the part in elements, one int or integer scalar per dimension; default: the beginning.
        shape: extents of the part, as many as src has; default: those of src, which needs offsets known to be 0.
        location: on-chip memory of the result; vector kernels use UB.
        distrib: for matrix kernels only.

    Returns:
        Tile of shape with the type of src.

    Raises:
        TypeError: an argument of another kind.
        ValueError: the number of offsets differs from the number of dimensions.
        RuntimeError: another rank, a negative offset, a part that does not lie inside of src, or distrib given.
    """
    tile = typing.check_tile(src, "src")
    if location is not None:
        check_location(location)
    if distrib is not None:
        raise RuntimeError("distrib splits matrix products between vector sub-cores; this kernel has none")
    starts: list[Operand] = [0] * tile.rank if offsets is None else check_offsets(offsets, tile.rank)
    extents = tile.shape if shape is None else typing.check_shape(shape)
    if len(extents) != tile.rank:
        raise RuntimeError(f"shape has {len(extents)} extents, but src has {tile.rank} dimensions")
    for position, (start, extent, limit) in enumerate(zip(starts, extents, tile.shape)):
        first = start if isinstance(start, int) else 0
        if first + extent > limit:
            last = unnamed(first) + unnamed(extent) - 1
            raise RuntimeError(
                f"elements {unnamed(first)} to {last} of dimension {position} do not lie "
                f"in a tile of shape {tuple(int(unnamed(each)) for each in tile.shape)}; give the shape of the part"
            )
        if shape is None and not isinstance(start, int):
            raise RuntimeError(f"offsets[{position}] is known only at run time; give the shape of the part at it")
    if extents == tile.shape and all(isinstance(start, int) and start == 0 for start in starts):
        return tile
    if tile.dtype.is_bool():
        return as_mask(_slice(as_numbers(tile), starts, extents))
    return _slice(tile, starts, extents)


def _slice(tile: LocalTensor, starts: list[Operand], shape: tuple[int, ...]) -> LocalTensor:
    result = current_builder().emit("copy", [tile, *starts], [TileType(tile.dtype, shape)]).result
    assert isinstance(result, LocalTensor)
    return result


def to_location(input: Any, location: Any) -> Any:
    """The tile in another on-chip memory; vector kernels use UB, where it is already."""
    typing.check_tile(input, "the tile")
    check_location(location)
    return input


def _lower_copy(ctx: Any, node: Node) -> None:
    source, result = node.operands[0], node.result
    assert isinstance(source, LocalTensor) and isinstance(result, LocalTensor)
    starts = [ctx.index(operand) for operand in node.operands[1:]]
    steps = strides_of(ctx, source.type)
    per_block = 32 // result.dtype.sizeof()
    column = ctx.constant(starts[-1])
    unit = 1 if column is None else math.gcd(int(unnamed(column)), per_block)  # rows are whole blocks
    base = ctx.number(0)
    for start, step in zip(starts, steps):
        base = base + start * step
    tile = ctx.operand(source)
    if unit == per_block and _is_run(source.shape, result.shape):
        ctx.view(node, tile if ctx.constant(base) == 0 else tile.at(base))
        return
    target = ctx.result(node)
    shape = (1, *result.shape) if result.rank == 1 else result.shape
    steps = [0, *steps] if result.rank == 1 else steps
    pitch = ctx.pitch(result.type)
    mover = Mover(ctx, Grid(shape[-2], shape[-1], pitch, steps[-2], 1), result.dtype, unit)

    def outer(position: int, row: Any, begin: Any) -> None:
        if position >= len(shape) - 2:
            place = target if ctx.constant(row) == 0 else target.at(row * (shape[-2] * pitch))
            mover.move(place, tile, None if ctx.constant(begin) == 0 else begin)
            return
        with ctx.loop(shape[position], "m") as index:
            outer(position + 1, row * shape[position] + index, begin + index * steps[position])

    outer(0, ctx.number(0), base)


def _is_run(whole: tuple[int, ...], part: tuple[int, ...]) -> bool:
    """Whether the rows of a part follow each other in the whole tile."""
    if all(extent == 1 for extent in part[:-1]):
        return True
    first = next(position for position, extent in enumerate(part) if extent != 1)
    return part[first + 1 :] == whole[first + 1 :]


def _sliced(tile: Any, *starts: Any, result: TileType) -> Any:
    return tile[tuple(slice(int(start), int(start) + extent) for start, extent in zip(starts, result.shape))]


register(Operation("copy", copy, _sliced, _lower_copy, on_all(*_ELEMENTS), offsets=True))


def concat(*inputs: Any) -> Any:
    """Tiles one after the other along their first dimension.

    Costs nothing for tiles that nothing else uses and that begin at a multiple of 32 bytes in the result: they are made
    there. Others are copied.

    Args:
        inputs: one or more tiles of one type, alike in all extents but the first; the same tile may be given twice.

    Returns:
        Tile whose first extent is the sum of theirs.

    Raises:
        TypeError: no tile, or something else than tiles.
        RuntimeError: different types or extents, or comparison results.
    """
    if not inputs:
        raise TypeError("concat needs at least one tile")
    tiles = [typing.check_tile(item, f"argument {position} of concat") for position, item in enumerate(inputs)]
    first = tiles[0]
    typing.check_element(first.dtype, CONCAT.dtypes["c310"], "concat")
    for tile in tiles[1:]:
        if tile.dtype != first.dtype:
            raise RuntimeError(f"concat of tiles of {first.dtype} and {tile.dtype}; convert one with .to(dtype)")
        if tile.shape[1:] != first.shape[1:]:
            shapes = " and ".join(str(tuple(int(unnamed(each)) for each in one.shape)) for one in (first, tile))
            raise RuntimeError(f"concat of shapes {shapes}, which differ in more than the first extent")
    if len(tiles) == 1:
        return first
    shape = (sum(int(unnamed(tile.shape[0])) for tile in tiles), *first.shape[1:])
    return current_builder().emit("concat", tiles, [TileType(first.dtype, shape)]).result


def _lower_concat(ctx: Any, node: Node) -> None:
    target = ctx.result(node)
    start = 0
    for part in node.operands:
        assert isinstance(part, LocalTensor)
        size = part.size if part.rank == 1 else ctx.rows(part.type) * ctx.pitch(part.type)
        if not ctx.place_inside(part, target, start):
            tile = ctx.operand(part)
            if part.rank == 1:
                append(ctx, target, tile, start, size)
            else:
                ctx.emit("Copy", target if start == 0 else target.at(ctx.number(start)), tile, ctx.count(part.type))
        start += size


def _joined(*tiles: Any) -> Any:
    return np.concatenate(tiles)


CONCAT = register(Operation("concat", concat, _joined, _lower_concat, on_all(*_ELEMENTS)))


def empty(shape: Any, dtype: Any, location: Any = TensorLocation.Auto) -> Any:
    """A tile without contents: to be written by inline code; its elements must not be read before.

    Args:
        shape: list or tuple of positive ints.
        dtype: int8, int16, int32, int64, float16, bfloat16 or float32.
        location: on-chip memory; vector kernels use UB.

    Raises:
        TypeError: dtype is not a data type.
        RuntimeError: a shape that is empty or not positive, another element type, or another memory.
    """
    extents = typing.check_shape(shape)
    element = typing.check_dtype(dtype)
    typing.check_element(element, EMPTY.dtypes["c310"], "empty")
    check_location(location)
    return current_builder().emit("empty", [], [TileType(element, extents)]).result


def empty_like(tensor: Any, location: Optional[Any] = None) -> Any:
    """A tile without contents, with the shape and type of ``tensor``; see :func:`empty`."""
    tile = typing.check_tile(tensor, "tensor")
    return empty(tile.shape, tile.dtype, tile.location if location is None else location)


def _lower_empty(ctx: Any, node: Node) -> None:
    ctx.result(node)


def _undefined(result: TileType) -> Any:
    held = np.float64 if result.dtype.is_float() else np.dtype(result.dtype.name)
    return np.ma.MaskedArray(np.zeros(result.shape, held), mask=True)


EMPTY = register(Operation("empty", empty, _undefined, _lower_empty, on_all(*_ELEMENTS)))


def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Tiles repeated to the shape that they have in common, by NumPy's rule; see :func:`broadcast_to`.

    Args:
        tensors: tiles; fewer than two are returned as they are.

    Returns:
        Tuple of tiles of one shape.

    Raises:
        TypeError: an argument that is not a tile.
        RuntimeError: the shapes do not fit together.
    """
    name = "broadcast_tensors"
    tiles = [typing.check_tile(item, f"argument {position} of {name}") for position, item in enumerate(tensors)]
    if len(tiles) < 2:
        return tuple(tiles)
    shape = typing.broadcast_shapes(*(tile.shape for tile in tiles))
    return tuple(broadcast_to(tile, shape) for tile in tiles)
