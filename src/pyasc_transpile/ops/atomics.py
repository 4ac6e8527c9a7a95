"""Read-modify-write stores to global memory."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..graph.dtypes import DataType
from ..graph.graph import Node, current_builder
from ..graph.values import GlobalTensor, LocalTensor
from . import numeric, typing
from .registry import Operation, on_all, register
from .transfers import Box, check_offsets, for_each_matrix, stores_nothing

_ELEMENTS = ("int16", "int32", "float16", "bfloat16", "float32")


def _build(name: str, formula: str) -> Callable[..., None]:
    allowed = tuple(DataType(element) for element in _ELEMENTS)

    def function(src: Any, dst: Any, offsets: Any) -> None:
        tile = typing.check_tile(src, "src")
        tensor = typing.check_global(dst, "dst")
        typing.check_element(tile.dtype, allowed, name)
        starts = check_offsets(offsets, tensor.rank)
        if tile.dtype != tensor.dtype:
            raise RuntimeError(f"{name} of a tile of {tile.dtype} to a global tensor of {tensor.dtype}; cast it first")
        if tile.rank != tensor.rank:
            raise RuntimeError(f"{name} of a tile of {tile.rank} dimensions to a global tensor of {tensor.rank}")
        current_builder().emit(name, [tile, tensor, *starts])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"``dst[offsets + k] = {formula}`` for every element k of a tile, each atomic across all blocks.\n\n"
        "Elements past the end of dst are left alone. In which order blocks add floats is not fixed.\n\n"
        f"Args:\n    src: tile of {', '.join(_ELEMENTS)}.\n"
        "    dst: global tensor with the type and rank of src.\n"
        "    offsets: where to store, in elements, one int or integer scalar per dimension of dst.\n\n"
        "Raises:\n    TypeError: an argument of another kind.\n"
        "    ValueError: the number of offsets differs from the number of dimensions.\n"
        "    RuntimeError: different ranks or types, an element type not listed, or a negative offset.\n"
    )
    return function


def _lower(instruction: str) -> Callable[[Any, Node], None]:
    def lower(ctx: Any, node: Node) -> None:
        source, tensor = node.operands[0], node.operands[1]
        assert isinstance(source, LocalTensor) and isinstance(tensor, GlobalTensor)
        box = Box(ctx, tensor, node.operands[2:], source.shape, [])
        tile = ctx.operand(source)

        def move(rows: Any, tile_offset: Any, address: Any) -> None:
            part = tile if ctx.constant(tile_offset) == 0 else tile.at(tile_offset)
            ctx.emit("Store", ctx.global_ref(box, address), part, ctx.copy_shape(box, rows, to_tile=False))

        ctx.emit(instruction, source.dtype.cpp)
        for_each_matrix(box, move, to_tile=False)
        ctx.emit("SetAtomicNone")

    return lower


def _meaning(combine: Callable[[Any, Any], Any]) -> Callable[..., None]:
    def update(tile: Any, tensor: Any, *starts: int) -> None:
        counts = numeric.box_inside(starts, tensor.shape, tile.shape)
        tensor.update(starts, tile[numeric.box_slices(counts)], combine)

    return update


for _name, _formula, _instruction, _combine in (
    ("atomic_add", "dst[offsets + k] + src[k]", "SetAtomicAdd", np.add),
    ("atomic_max", "max(dst[offsets + k], src[k])", "SetAtomicMax", numeric.larger),
    ("atomic_min", "min(dst[offsets + k], src[k])", "SetAtomicMin", numeric.smaller),
):
    register(
        Operation(
            _name, _build(_name, _formula), _meaning(_combine), _lower(_instruction), on_all(*_ELEMENTS), pure=False,
            is_idle=stores_nothing,
        )
    )
