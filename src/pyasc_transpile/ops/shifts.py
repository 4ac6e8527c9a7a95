"""Shifts of tiles of integers by a number of bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from ..graph.dtypes import DataType
from ..graph.graph import Node, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import scalars, typing
from .elementwise import document
from .masking import masked
from .registry import Operation, on_all, register


@dataclass(frozen=True)
class ShiftRow:
    """A shift of a tile of integers by a number."""

    name: str
    formula: str
    meaning: Callable[..., Any]
    instruction: str
    scalar_name: str


def _build_shift(row: ShiftRow) -> Callable[..., Any]:
    allowed = tuple(DataType(name) for name in ("int16", "int32", "int64"))

    def function(input: Any, other: Any) -> Any:
        if typing.is_scalar(input) and typing.is_scalar(other):
            return scalars.apply(row.scalar_name, input, other)
        tile = typing.check_tile(input, f"the left operand of {row.name}")
        typing.check_element(tile.dtype, allowed, row.name)
        if not typing.is_scalar(other):
            raise TypeError(f"{row.name} needs a number of bits, not {typing.describe(other)}")
        bits = scalars.as_index(other, "the number of bits")
        if isinstance(bits, int) and not 0 <= bits < tile.dtype.bitwidth:
            raise TypeError(f"the number of bits must be from 0 to {tile.dtype.bitwidth - 1}, not {bits}")
        return masked(current_builder().emit(row.name, [tile, bits], [TileType(tile.dtype, tile.shape)]).result)

    return document(function, row.name, "input, other", row.formula, allowed)


def _lower_shift(row: ShiftRow) -> Callable[[Any, Node], None]:
    def lower(ctx: Any, node: Node) -> None:
        result = node.result
        assert isinstance(result, LocalTensor)
        dtype = result.dtype
        # A left shift of a signed type keeps the sign bit on the device, so it is done on the unsigned type.
        if row.instruction == "ShiftLeft":
            dtype = DataType(f"u{dtype.name}")
        if not ctx.supports(row.instruction, dtype):
            raise ctx.fail(f"{ctx.architecture.name} has no {row.name} for tiles of {result.dtype}")
        tile, source = ctx.result(node).reinterpret(dtype), ctx.operand(node.operands[0]).reinterpret(dtype)
        ctx.emit(row.instruction, tile, source, ctx.operand(node.operands[1], dtype), ctx.count(result.type))

    return lower


SHIFT_ROWS = (
    ShiftRow("left_shift", "input << other", np.left_shift, "ShiftLeft", "left_shift"),
    ShiftRow("right_shift", "input >> other, keeping the sign", np.right_shift, "ShiftRight", "right_shift"),
)
for _shift in SHIFT_ROWS:
    register(
        Operation(
            _shift.name, _build_shift(_shift), _shift.meaning, _lower_shift(_shift), on_all("int16", "int32", "int64")
        )
    )
