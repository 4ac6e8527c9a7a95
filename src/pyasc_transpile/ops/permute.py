"""transpose: the dimensions of a tile in another order."""

from __future__ import annotations

import math
from typing import Any

from ..graph.constants import unnamed
from ..graph.graph import Node, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import typing
from .gathers import Grid
from .registry import Operation, on_all, register
from .relayout import Mover, strides_of
from .views import as_mask, as_numbers, check_axes, separate

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
_MAX_RANK = 4


def transpose(input: Any, *axis: Any) -> Any:
    """The dimensions of a tile in another order.

    Args:
        input: tile of at most four dimensions, of any type, comparison results included.
        axis: for each dimension of the result the dimension of input that it is, negative ones from the end, separately
            or as one list or tuple; none swaps the last two.

    Returns:
        Tile with ``result.shape[i] == input.shape[axis[i]]``; the same tile if nothing changes.

    Raises:
        TypeError: input is not a tile, or an axis not an int.
        RuntimeError: the axes are not a permutation, or the tile has one or more than four dimensions.
    """
    tile = typing.check_tile(input, "the operand of transpose")
    if tile.rank > _MAX_RANK:
        raise RuntimeError(f"transpose takes at most {_MAX_RANK} dimensions, not {tile.rank}")
    axes = separate(axis)
    if not axes:
        if tile.rank < 2:
            raise RuntimeError("a tile of one dimension cannot be transposed; reshape it to two dimensions first")
        order = [*range(tile.rank - 2), tile.rank - 1, tile.rank - 2]
    else:
        order = check_axes(axes, tile.rank, "transpose")
        if len(order) != tile.rank:
            raise RuntimeError(f"transpose needs one axis per dimension, {tile.rank} of them, but got {len(order)}")
    if order == list(range(tile.rank)):
        return tile
    if tile.dtype.is_bool():
        return as_mask(_permute(as_numbers(tile), order))
    return _permute(tile, order)


def _permute(tile: LocalTensor, order: list[int]) -> LocalTensor:
    shape = tuple(tile.shape[axis] for axis in order)
    attrs = {"axes": tuple(order)}
    result = current_builder().emit("transpose", [tile], [TileType(tile.dtype, shape)], attrs).result
    assert isinstance(result, LocalTensor)
    return result


def _lower(ctx: Any, node: Node) -> None:
    source, result = node.operands[0], node.result
    assert isinstance(source, LocalTensor) and isinstance(result, LocalTensor)
    order = node.attrs["axes"]
    moving = [axis for axis in order if source.shape[axis] != 1]
    if moving == sorted(moving) and source.shape[-1] == result.shape[-1]:
        ctx.view(node, ctx.operand(source))
        return
    tile, target = ctx.operand(source), ctx.result(node)
    steps = [strides_of(ctx, source.type)[axis] for axis in order]
    extents = [int(unnamed(extent)) for extent in result.shape]
    pitch = ctx.pitch(result.type)
    grid = Grid(extents[-2], extents[-1], pitch, steps[-2], steps[-1])
    mover = Mover(ctx, grid, result.dtype, math.gcd(32 // result.dtype.sizeof(), *steps[:-2]))

    def outer(position: int, row: Any, base: Any) -> None:
        """Move the matrices of the last two dimensions, one for each index of those before."""
        if position >= len(extents) - 2:
            place = target if ctx.constant(row) == 0 else target.at(row * (extents[-2] * pitch))
            mover.move(place, tile, None if ctx.constant(base) == 0 else base)
            return
        with ctx.loop(extents[position], "m") as index:
            outer(position + 1, row * extents[position] + index, base + index * steps[position])

    outer(0, ctx.number(0), ctx.number(0))


def _permuted(tile: Any, axes: tuple[int, ...]) -> Any:
    return tile.transpose(axes)


register(Operation("transpose", transpose, _permuted, _lower, on_all(*_ELEMENTS)))
