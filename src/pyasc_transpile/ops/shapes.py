"""Functions that change a tile's shape."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ..graph.constants import unnamed
from ..graph.graph import Node, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import typing
from .registry import Operation, on_all, register

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")


def broadcast_to(input: Any, *shape: Any) -> Any:
    """Repeat a tile along dimensions of extent 1, by NumPy's rule (shapes aligned at the right, rank may grow).

    Args:
        input: tile of int8, int16, int32, int64, float16, bfloat16 or float32.
        shape: extents, separately or as one list or tuple.

    Returns:
        Tile of that shape; the same tile if it has that shape already.

    Raises:
        TypeError: input is not a tile, or an extent not an int.
        RuntimeError: the shapes do not fit together, or another element type.
    """
    tile = typing.check_tile(input, "the operand of broadcast_to")
    extents = typing.check_shape(shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape)
    if tile.shape == extents:
        return tile
    if typing.broadcast_shapes(tile.shape, extents) != extents:
        raise RuntimeError(f"a tile of shape {tile.shape} cannot be broadcast to {tuple(map(unnamed, extents))}")
    typing.check_element(tile.dtype, BROADCAST.dtypes["c310"], "broadcast_to")
    return current_builder().emit("broadcast_to", [tile], [TileType(tile.dtype, extents)]).result


def _lower(ctx: Any, node: Node) -> None:
    """Repeat the last dimension element by element, the others by copies of whole runs of rows."""
    source = node.operands[0]
    result = node.result
    assert isinstance(source, LocalTensor) and isinstance(result, LocalTensor)
    shape: tuple[int, ...] = (1,) * (result.rank - source.rank) + source.shape
    rows, target = ctx.operand(source), ctx.result(node)
    if shape[-1] == 1 and result.shape[-1] > 1:
        widened = shape[:-1] + result.shape[-1:]
        type_ = TileType(result.dtype, widened)
        stage = target if widened == result.shape else ctx.scratch(type_)
        _repeat_elements(ctx, stage, rows, TileType(result.dtype, shape), type_)
        rows, shape = stage, widened
    if shape != result.shape:
        _repeat_rows(ctx, target, rows, shape, result.type)


def _repeat_elements(ctx: Any, target: Any, source: Any, narrow: TileType, wide: TileType) -> None:
    with ctx.loop(ctx.rows(wide), "r") as row:
        element = row * ctx.pitch(narrow)
        start = row * ctx.pitch(wide)
        if ctx.supports("DuplicateFirst", wide.dtype):
            ctx.emit("DuplicateFirst", target.at(start), source.at(element), ctx.number(ctx.pitch(wide)))
        else:
            ctx.emit("Duplicate", target.at(start), ctx.read(source, element), ctx.number(ctx.pitch(wide)))


def _repeat_rows(ctx: Any, target: Any, source: Any, shape: tuple[int, ...], result: TileType) -> None:
    inner = len(shape) - 1  # the run of trailing dimensions that is copied as it is
    while inner > 0 and shape[inner - 1] == result.shape[inner - 1]:
        inner -= 1
    outer, run = result.shape[:inner], ctx.count(TileType(result.dtype, result.shape[inner:]))

    def copies(position: int, to: Any, come: Any) -> None:
        if position == len(outer):
            ctx.emit("Copy", target.at(to * run), source.at(come * run), run)
            return
        with ctx.loop(outer[position], "r") as index:
            step = index if shape[position] > 1 else ctx.number(0)
            copies(position + 1, to * ctx.number(outer[position]) + index, come * ctx.number(shape[position]) + step)

    copies(0, ctx.number(0), ctx.number(0))


def _repeated(tile: Any, result: TileType) -> Any:
    return np.broadcast_to(tile, result.shape)


BROADCAST = register(Operation("broadcast_to", broadcast_to, _repeated, _lower, on_all(*_ELEMENTS)))
