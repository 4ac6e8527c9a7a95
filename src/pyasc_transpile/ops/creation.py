"""Tiles filled with a number."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Node, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import typing
from .elementwise import emit_fill
from .registry import Operation, on_all, register

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")


def full(shape: Any, value: Any, dtype: Optional[DataType] = None) -> Any:
    """A tile with ``value`` in every element.

    Args:
        shape: list or tuple of positive ints.
        value: number or scalar.
        dtype: int8, int16, int32, int64, float16, bfloat16 or float32; default: int32 for an int, float32 for a
            float, the type of a scalar.

    Raises:
        TypeError: value is not a number, or does not fit the type.
        RuntimeError: a shape that is empty or not positive, or another element type.
    """
    extents = typing.check_shape(shape)
    if not typing.is_scalar(value):
        raise TypeError(f"value must be a number or a scalar, not {typing.describe(value)}")
    element = typing.optional_scalar_dtype(value, dtype)
    typing.check_element(element, FULL.dtypes["c310"], "full")
    number = typing.number_for(value, element, "value")
    return current_builder().emit("full", [number], [TileType(element, extents)]).result


def full_like(input: Any, value: Any) -> Any:
    """A tile with the shape and type of ``input`` and ``value`` in every element; see :func:`full`."""
    tile = typing.check_tile(input, "input")
    return full(tile.shape, value, tile.dtype)


def zeros(shape: Any, dtype: Optional[DataType] = dtypes.int32) -> Any:
    """A tile of zeros; see :func:`full`. ``dtype=None`` means int32."""
    return full(shape, 0, dtypes.int32 if dtype is None else dtype)


def zeros_like(input: Any) -> Any:
    """A tile of zeros with the shape and type of ``input``."""
    return full_like(input, 0)


def _lower(ctx: Any, node: Node) -> None:
    result = node.result
    assert isinstance(result, LocalTensor)
    emit_fill(ctx, ctx.result(node), ctx.operand(node.operands[0], result.dtype), ctx.count(result.type))


def _filled(value: Any, result: TileType) -> Any:
    return np.full(result.shape, value)


FULL = register(Operation("full", full, _filled, _lower, on_all(*_ELEMENTS)))
