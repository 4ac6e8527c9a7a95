"""Checks and result types shared by the operations on tiles."""

from __future__ import annotations

import numbers
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np

from ..graph import dtypes
from ..graph.constants import NamedInt, unnamed
from ..graph.dtypes import DataType
from ..graph.graph import Operand
from ..graph.values import GlobalTensor, LocalTensor, PlainValue, Value
from . import scalars

TileOperand = Union[LocalTensor, PlainValue, int, float, bool]


def describe(value: Any) -> str:
    """A value's kind in words, for messages."""
    if isinstance(value, Value):
        return f"{value.kind_name} {value.type}"
    return f"{type(value).__name__} {value!r}"


def check_tile(value: Any, what: str) -> LocalTensor:
    """Raise TypeError unless ``value`` is a tile."""
    if not isinstance(value, LocalTensor):
        raise TypeError(f"{what} must be a tile, not {describe(value)}")
    return value


def check_global(value: Any, what: str) -> GlobalTensor:
    """Raise TypeError unless ``value`` is a global tensor."""
    if not isinstance(value, GlobalTensor):
        raise TypeError(f"{what} must be a global tensor, not {describe(value)}")
    return value


def check_dtype(dtype: Any, what: str = "dtype") -> DataType:
    """Raise TypeError unless ``dtype`` is a DataType."""
    if not isinstance(dtype, DataType):
        raise TypeError(f"{what} must be a data type such as asctile.float32, not {describe(dtype)}")
    return dtype


def check_element(dtype: DataType, allowed: Iterable[DataType], operation: str) -> None:
    """Raise RuntimeError unless ``dtype`` is allowed for ``operation``."""
    allowed = tuple(allowed)
    if dtype not in allowed:
        names = ", ".join(str(item) for item in allowed)
        raise RuntimeError(f"{operation} does not take tiles of {dtype}; it takes {names}")


def check_shape(shape: Any, what: str = "shape") -> tuple[int, ...]:
    """A compile-time shape as a tuple of positive ints (names of constants kept).

    Raises:
        TypeError: not an iterable of ints.
        RuntimeError: empty, or an extent below 1.
    """
    if isinstance(shape, (str, bytes)) or not isinstance(shape, Iterable):
        raise TypeError(f"{what} must be a list or tuple of ints, not {describe(shape)}")
    extents = tuple(scalars.python_number(extent) for extent in shape)
    if not extents:
        raise RuntimeError(f"{what} must have at least one dimension")
    for position, extent in enumerate(extents):
        if isinstance(extent, Value):
            raise TypeError(f"{what}[{position}] is known only at run time; a tile's shape must be compile-time ints")
        if not isinstance(extent, int) or isinstance(extent, bool):
            raise TypeError(f"{what}[{position}] must be an int, not {describe(extent)}")
        if extent < 1:
            raise RuntimeError(f"{what}[{position}] must be positive, not {unnamed(extent)}")
    return extents


def check_indices(indices: Any, count: int, what: str) -> list[Operand]:
    """``count`` offsets or extents: ints or integer scalars.

    Raises:
        TypeError: not an iterable, or an item of another kind.
        RuntimeError: empty.
        ValueError: a different number of items.
    """
    if isinstance(indices, (str, bytes)) or not isinstance(indices, Iterable):
        raise TypeError(f"{what} must be a list or tuple, one item per dimension, not {describe(indices)}")
    items = list(indices)
    if not items:
        raise RuntimeError(f"{what} must not be empty")
    if len(items) != count:
        raise ValueError(f"{what} has {len(items)} items, but the tensor has {count} dimensions")
    return [scalars.as_index(item, f"{what}[{position}]") for position, item in enumerate(items)]


def is_scalar(value: Any) -> bool:
    """Whether ``value`` is a number or a run-time scalar."""
    return isinstance(value, PlainValue) or scalars.is_number(value)


def common_dtype(lhs: Any, rhs: Any) -> DataType:
    """Element type of a binary operation on tiles and numbers.

    A number takes the tile's type; two tiles of one kind take the wider type; an integer with a float of the
    same or greater width takes the float.

    Raises:
        TypeError: a float number with a tile of integers.
        RuntimeError: two tiles without a common type.
    """
    if isinstance(lhs, LocalTensor) and isinstance(rhs, LocalTensor):
        return _common_tile_dtype(lhs.dtype, rhs.dtype)
    tile, number = (lhs, rhs) if isinstance(lhs, LocalTensor) else (rhs, lhs)
    number_type = number.dtype if isinstance(number, Value) else scalars.number_dtype(number)
    if tile.dtype.is_int() and number_type.is_float():
        raise TypeError(
            f"a float with a tile of {tile.dtype}: convert the tile first, for example tile.to(asctile.float32)"
        )
    return tile.dtype


def _common_tile_dtype(left: DataType, right: DataType) -> DataType:
    if left == right:
        return left
    if left.is_float() == right.is_float() and not left.is_unsigned() and not right.is_unsigned():
        if left.bitwidth == right.bitwidth:
            return left
        return left if left.bitwidth > right.bitwidth else right
    integer, floating = (left, right) if right.is_float() else (right, left)
    if floating.is_float() and integer.is_int() and integer.bitwidth <= floating.bitwidth:
        return floating
    raise RuntimeError(f"tiles of {left} and {right} have no common type; convert one with .to(dtype)")


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Shape of an elementwise operation on tiles of these shapes, by NumPy's rule.

    Raises:
        ValueError: no shape given.
        RuntimeError: the shapes do not fit together.
    """
    if not shapes:
        raise ValueError("broadcast_shapes needs at least one shape")
    rank = max(len(shape) for shape in shapes)
    result: list[int] = [1] * rank
    for shape in shapes:
        for position, extent in enumerate(shape, rank - len(shape)):
            if result[position] == 1 or (result[position] == extent and isinstance(extent, NamedInt)):
                result[position] = extent
            elif extent not in (1, result[position]):
                listed = " and ".join(str(tuple(unnamed(item) for item in each)) for each in shapes)
                raise RuntimeError(f"shapes {listed} cannot be broadcast together")
    return tuple(result)


def number_for(value: Any, dtype: DataType, what: str) -> Any:
    """A number or scalar converted to ``dtype`` (a tile's element type).

    Raises:
        TypeError: a float for an integer type, an int that does not fit, or not a number at all.
    """
    if isinstance(value, PlainValue):
        if value.dtype.is_float() and dtype.is_int():
            raise TypeError(f"{what} is a float scalar, but {dtype} is wanted; cast it first")
        return scalars.cast(value, dtype)
    if not scalars.is_number(value):
        raise TypeError(f"{what} must be a number or a scalar, not {describe(value)}")
    number = scalars.python_number(value)
    if dtype.is_int() and not dtype.is_bool():
        if not isinstance(number, numbers.Integral):
            raise TypeError(f"{what} is {unnamed(number)!r}, a float, but {dtype} is wanted")
        if not scalars.fits(int(number), dtype):
            raise TypeError(f"{what} is {unnamed(number)}, which does not fit into {dtype}")
    return scalars.convert_number(number, dtype)


def optional_scalar_dtype(value: Any, dtype: Optional[DataType]) -> DataType:
    """The type to fill with: ``dtype`` if given, else the natural type of the number."""
    if dtype is not None:
        return check_dtype(dtype)
    if isinstance(value, PlainValue):
        return value.dtype
    if isinstance(value, (bool, np.bool_)):
        return dtypes.int32
    return scalars.number_dtype(value)
