"""Arithmetic of run-time scalars on Python numbers that behave as the device's types do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..graph.dtypes import DataType
from ..ops import numeric
from ..ops.scalars import SCALAR_OPERATIONS


class Undefined:
    """The value of a scalar that nothing defines: a division by zero, a cast out of range, an undefined element."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


def typed(value: Any, dtype: DataType) -> Any:
    """``value`` as a scalar of ``dtype`` holds it: floats rounded to nearest even, integers wrapped."""
    if value is UNDEFINED:
        return value
    if dtype.is_bool():
        return bool(value)
    if dtype.is_float():
        if isinstance(value, (int, np.integer)) and abs(int(value)) >= 2**53:
            value = np.longdouble(int(value))
        return float(numeric.round_to_float(np.asarray(value, getattr(value, "dtype", np.float64)), dtype))
    bits = dtype.bitwidth
    wrapped = int(value) % 2**bits
    return wrapped if dtype.is_unsigned() or wrapped < 2 ** (bits - 1) else wrapped - 2**bits


def convert(value: Any, source: DataType, target: DataType) -> Any:
    """C++'s conversion of a scalar."""
    if value is UNDEFINED:
        return value
    if source.is_float() and target.is_int() and not target.is_bool():
        low = 0 if target.is_unsigned() else -(2 ** (target.bitwidth - 1))
        high = 2 ** (target.bitwidth - (0 if target.is_unsigned() else 1))
        if not math.isfinite(value) or not low <= math.trunc(value) < high:
            return UNDEFINED
        return math.trunc(value)
    return typed(value, target)


def evaluate(name: str, operands: list[Any], operand_dtype: DataType, dtype: DataType) -> Any:
    """Value of a scalar operation.

    Args:
        name: of a row in :data:`pyasc_transpile.ops.scalars.SCALAR_OPERATIONS`.
        operands: numbers, or UNDEFINED.
        operand_dtype: what they are of.
        dtype: what the result is of.
    """
    if any(operand is UNDEFINED for operand in operands):
        return _logical(name, operands)
    shifts = name in ("left_shift", "right_shift")
    if shifts and not 0 <= operands[1] < operand_dtype.bitwidth:
        return UNDEFINED
    floating = operand_dtype.is_float()
    numbers = [np.float64(operand) if floating else operand for operand in operands]
    try:
        with np.errstate(all="ignore"):
            value = SCALAR_OPERATIONS[name].meaning(*numbers)
    except ZeroDivisionError:
        return UNDEFINED
    except ValueError:
        return math.nan
    except OverflowError:
        return math.inf
    return typed(value, dtype)


def _logical(name: str, operands: list[Any]) -> Any:
    """``False and undefined`` is False: the second operand is not looked at."""
    decided = {"logical_and": False, "logical_or": True}.get(name)
    return decided if decided is not None and operands[0] is decided else UNDEFINED
