"""Arithmetic on run-time scalars.

Rules: Python's and NumPy's, with one exception that published kernels rely on: ``/`` of two integers truncates.
``//`` floors, ``%`` has the sign of the divisor, an integer with a float gives the float, comparisons give int1,
truth is ``!= 0``.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from ..errors import CodegenError
from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import Operand, current_builder
from ..graph.types import ScalarType
from ..graph.values import PlainValue, Value

Scalar = Union[PlainValue, int, float, bool]


def is_number(value: Any) -> bool:
    """Whether ``value`` is a Python or NumPy number (bool included), not a run-time value."""
    return isinstance(value, (numbers.Real, np.bool_)) and not isinstance(value, Value)


def python_number(value: Any) -> Any:
    """A NumPy scalar as the Python number that it holds; Python numbers unchanged (names kept)."""
    return value.item() if isinstance(value, np.generic) else value


def number_dtype(value: Any) -> DataType:
    """Type that a compile-time number takes when it must live at run time."""
    if isinstance(value, np.generic):
        return dtypes.int1 if isinstance(value, np.bool_) else dtypes.from_numpy(value.dtype)
    if isinstance(value, bool):
        return dtypes.int1
    if isinstance(value, int):
        return dtypes.int32 if -(2**31) <= value < 2**31 else dtypes.int64
    if isinstance(value, numbers.Real):
        return dtypes.float32
    raise TypeError(f"{type(value).__name__} is not a number")


def promote(lhs: Any, rhs: Any) -> DataType:
    """Common type of two scalars or numbers; a number adapts to the scalar beside it."""
    left, right = _dtype_of(lhs), _dtype_of(rhs)
    if isinstance(lhs, Value) != isinstance(rhs, Value):
        scalar, number = (left, rhs) if isinstance(lhs, Value) else (right, lhs)
        return _adapt(scalar, number)
    return promote_dtypes(left, right)


def promote_dtypes(left: DataType, right: DataType) -> DataType:
    """Common type of two scalar types: the wider one; a float beats an integer; NumPy's rule for mixed signs."""
    if left == right:
        return left
    if left.is_float() or right.is_float():
        floats = [dtype for dtype in (left, right) if dtype.is_float()]
        if {dtype.name for dtype in floats} == {"float16", "bfloat16"}:
            return dtypes.float32
        return max(floats, key=lambda dtype: dtype.bitwidth)
    if left.is_bool() or right.is_bool():
        return right if left.is_bool() else left
    common = np.promote_types(left.name, right.name)
    return dtypes.int64 if common.kind == "f" else DataType(common.name)


def _adapt(scalar: DataType, number: Any) -> DataType:
    if isinstance(number, (bool, np.bool_)):
        return dtypes.int32 if scalar.is_bool() else scalar
    if isinstance(number, numbers.Integral):
        if scalar.is_bool():
            return number_dtype(int(number))
        return scalar if scalar.is_float() or fits(int(number), scalar) else dtypes.int64
    return scalar if scalar.is_float() else dtypes.float32


def fits(number: int, dtype: DataType) -> bool:
    """Whether an integer type can hold ``number``."""
    if dtype.is_bool():
        return number in (0, 1)
    signed = 0 if dtype.is_unsigned() else 1
    low, high = -signed << (dtype.bitwidth - 1), 1 << (dtype.bitwidth - signed)
    return low <= number < high


def _dtype_of(value: Any) -> DataType:
    return value.dtype if isinstance(value, Value) else number_dtype(value)


@dataclass(frozen=True)
class ScalarOperation:
    """One row: how a scalar operation is typed and what it means on Python numbers."""

    name: str
    arity: int
    meaning: Callable[..., Any]
    result: str = "common"  # common, int1, float, or bool (operands are truth values)
    integers_only: bool = False


def _truncated(a: Any, b: Any) -> Any:
    if isinstance(a, numbers.Integral) and isinstance(b, numbers.Integral):
        quotient = abs(int(a)) // abs(int(b))
        return quotient if (a < 0) == (b < 0) else -quotient
    return a / b


SCALAR_OPERATIONS = {
    row.name: row
    for row in (
        ScalarOperation("add", 2, lambda a, b: a + b),
        ScalarOperation("sub", 2, lambda a, b: a - b),
        ScalarOperation("mul", 2, lambda a, b: a * b),
        ScalarOperation("div", 2, _truncated),
        ScalarOperation("floordiv", 2, lambda a, b: a // b),
        ScalarOperation("mod", 2, lambda a, b: a % b),
        ScalarOperation("minimum", 2, min),
        ScalarOperation("maximum", 2, max),
        ScalarOperation("power", 2, lambda a, b: a**b),
        ScalarOperation("left_shift", 2, lambda a, b: a << b, integers_only=True),
        ScalarOperation("right_shift", 2, lambda a, b: a >> b, integers_only=True),
        ScalarOperation("bitwise_and", 2, lambda a, b: a & b, integers_only=True),
        ScalarOperation("bitwise_or", 2, lambda a, b: a | b, integers_only=True),
        ScalarOperation("bitwise_xor", 2, lambda a, b: a ^ b, integers_only=True),
        ScalarOperation("bitwise_not", 1, lambda a: ~a, integers_only=True),
        ScalarOperation("negative", 1, lambda a: -a),
        ScalarOperation("absolute", 1, abs),
        ScalarOperation("equal", 2, lambda a, b: a == b, "int1"),
        ScalarOperation("not_equal", 2, lambda a, b: a != b, "int1"),
        ScalarOperation("less", 2, lambda a, b: a < b, "int1"),
        ScalarOperation("less_equal", 2, lambda a, b: a <= b, "int1"),
        ScalarOperation("greater", 2, lambda a, b: a > b, "int1"),
        ScalarOperation("greater_equal", 2, lambda a, b: a >= b, "int1"),
        ScalarOperation("logical_and", 2, lambda a, b: bool(a) and bool(b), "bool"),
        ScalarOperation("logical_or", 2, lambda a, b: bool(a) or bool(b), "bool"),
        ScalarOperation("logical_not", 1, lambda a: not a, "bool"),
        ScalarOperation("sqrt", 1, math.sqrt, "float"),
        ScalarOperation("exp", 1, math.exp, "float"),
        ScalarOperation("erf", 1, math.erf, "float"),
    )
}


def apply(name: str, *operands: Any) -> Any:
    """Apply a scalar operation: folded by Python if no operand is a run-time value, else one node.

    Raises:
        TypeError: an operand is not a number or scalar, or a float where only integers make sense.
    """
    row = SCALAR_OPERATIONS[name]
    for operand in operands:
        if not isinstance(operand, PlainValue) and not is_number(operand):
            what = operand.kind_name if isinstance(operand, Value) else type(operand).__name__
            raise TypeError(f"{name} of a scalar and a {what} is not defined")
    if not any(isinstance(operand, Value) for operand in operands):
        return row.meaning(*(unnamed(operand) for operand in operands))
    if row.result == "bool":
        return _emit(name, [truth(operand) for operand in operands], dtypes.int1)
    dtype = operands[0].dtype if row.arity == 1 else promote(*operands)
    if row.integers_only and not dtype.is_int():
        raise TypeError(f"{name} needs integers, not {dtype}")
    if row.result == "float":
        dtype = dtypes.float32
    elif dtype.is_bool() and row.result == "common" and name not in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        dtype = dtypes.int32
    converted = [cast(operand, dtype) for operand in operands]
    return _emit(name, converted, dtypes.int1 if row.result == "int1" else dtype)


def _emit(name: str, operands: list[Operand], dtype: DataType) -> PlainValue:
    result = current_builder().emit(f"scalar.{name}", operands, [ScalarType(dtype)]).result
    assert isinstance(result, PlainValue)
    return result


def _named(name: str) -> Callable[..., Any]:
    def operation(*operands: Any) -> Any:
        return apply(name, *operands)

    operation.__name__ = name
    return operation


minimum, maximum, absolute, power = (_named(name) for name in ("minimum", "maximum", "absolute", "power"))
logical_and, logical_or, logical_not = (_named(name) for name in ("logical_and", "logical_or", "logical_not"))


def truth(value: Any) -> Any:
    """Truth of a value as a condition: a Python bool for constants, an int1 scalar (``value != 0``) at run time.

    Raises:
        TypeError: the value is a tile, a global tensor or an address.
    """
    if isinstance(value, PlainValue):
        return value if value.dtype.is_bool() else apply("not_equal", value, 0)
    if isinstance(value, Value):
        raise TypeError(f"a {value.kind_name} has no single truth value; reduce or compare it first")
    return bool(value)


def convert_number(number: Any, dtype: DataType) -> Any:
    """A compile-time number as ``dtype`` holds it: ints stay ints for integer types (floats truncate), float else.

    Raises:
        CodegenError: an integer does not fit.
    """
    number = python_number(number)
    if dtype.is_bool():
        return bool(number)
    if dtype.is_float():
        return number if isinstance(number, float) else float(number)
    whole = number if isinstance(number, int) and not isinstance(number, bool) else int(number)
    if not fits(whole, dtype):
        raise CodegenError(f"{unnamed(whole)} does not fit into {dtype}", remedy="use a wider type")
    return whole


def cast(value: Any, dtype: DataType) -> Any:
    """Convert a scalar (C++ conversion; float to int truncates) or a compile-time number to ``dtype``."""
    if not isinstance(value, Value):
        return convert_number(value, dtype)
    if value.dtype == dtype:
        return value
    if dtype.is_bool():
        return truth(value)
    return _emit("cast", [value], dtype)


def as_index(value: Any, what: str) -> Any:
    """Check that ``value`` is an int or an integer scalar.

    Raises:
        TypeError: it is something else; ``what`` names it in the message.
    """
    value = python_number(value)
    if isinstance(value, int) or (isinstance(value, PlainValue) and value.dtype.is_int()):
        return value
    found = f"a {value.kind_name} of {value.dtype}" if isinstance(value, Value) else type(value).__name__
    raise TypeError(f"{what} must be an int or an integer scalar, not {found}")


def ceildiv(x: Any, y: Any) -> Any:
    """``(x + y - 1) // y``: Python's floor division for numbers, C division for run-time scalars."""
    if not isinstance(x, Value) and not isinstance(y, Value):
        return (x + y - 1) // y
    return apply("div", apply("sub", apply("add", x, y), 1), y)


def fold(name: str, operands: list[Any]) -> Optional[Any]:
    """Value of a scalar operation on compile-time numbers, or None where it has none (division by zero)."""
    try:
        return SCALAR_OPERATIONS[name].meaning(*(unnamed(operand) for operand in operands))
    except (ArithmeticError, ValueError):
        return None
