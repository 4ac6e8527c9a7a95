"""Functions that change a tile's shape."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ..graph.constants import unnamed
from ..graph.graph import Node, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import strided, typing
from .broadcasting import lower_broadcast
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
    source, result = node.operands[0], node.result
    assert isinstance(source, LocalTensor) and isinstance(result, LocalTensor)
    tile = ctx.operand(source)
    fits = source.size == 1 and ctx.constant(ctx.count(result.type)) <= strided.per_block(result.dtype)
    if source.size == result.size or (fits and ctx.repeats_in_block(tile)):  # only leading dimensions of extent 1
        ctx.view(node, tile)
        return
    lower_broadcast(ctx, ctx.result(node), ctx.operand(source), source.shape, result.type)


def _repeated(tile: Any, result: TileType) -> Any:
    return np.broadcast_to(tile, result.shape)


BROADCAST = register(Operation("broadcast_to", broadcast_to, _repeated, _lower, on_all(*_ELEMENTS)))
