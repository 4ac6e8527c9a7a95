"""Scalar operations of the graph as expressions."""

from __future__ import annotations

from typing import Callable, Mapping, Optional

from ..graph.dtypes import DataType, float32, float64, int1, int32, int64
from . import expr
from .expr import Expr, compare, const

_ARITHMETIC: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "add": expr.add,
    "sub": expr.sub,
    "mul": expr.mul,
    "div": expr.truncated_quotient,
    "minimum": expr.minimum,
    "maximum": expr.maximum,
}
_INFIX: Mapping[str, str] = {
    "left_shift": "<<", "right_shift": ">>", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
    "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
    "logical_and": "&&", "logical_or": "||",
}  # fmt: skip
_PICKED: Mapping[str, str] = {"minimum": "<", "maximum": ">"}
_PREFIX: Mapping[str, str] = {"negative": "neg", "bitwise_not": "~", "logical_not": "!"}


def is_never_negative(value: Expr, indices: Mapping[object, bool]) -> bool:
    """Whether an integer cannot be negative; ``indices`` says so for loop indices."""
    if value.op == "const":
        return bool(value.value >= 0)
    if value.op == "call":
        return value.value in ("GetBlockIdx", "GetBlockNum", "GetSubBlockIdx", "GetSubBlockNum")
    if value.op == "var":
        return indices.get(value.value, False)
    if value.op in ("+", "*", "/", "min", "max", "cast", "%"):
        return all(is_never_negative(arg, indices) for arg in value.args)
    return False


def scalar_expression(
    name: str, args: tuple[Expr, ...], dtype: DataType, indices: Mapping[object, bool]
) -> Optional[Expr]:
    """The expression of a scalar operation, or None if it has none (a function of the vector unit)."""
    if name in _PICKED and dtype.is_float():  # as Python's min and max: the first one unless the second is beyond it
        left, right = args
        return expr.select(compare(_PICKED[name], right, left, int1), right, left)
    if name in _ARITHMETIC:
        left, right = args
        return _ARITHMETIC[name](left, right)
    if name in _INFIX:
        return Expr(_INFIX[name], args, dtype)
    if name in _PREFIX:
        return Expr(_PREFIX[name], args, dtype)
    if name == "absolute":
        return expr.select(compare("<", args[0], const(0, dtype), int1), Expr("neg", args, dtype), args[0])
    if name in ("floordiv", "mod"):
        left, right = args
        return _float_division(name, left, right) if dtype.is_float() else _integer_division(name, left, right, indices)
    if name == "power":
        base, exponent = args
        return _power(base, exponent)
    return None


def _integer_division(name: str, a: Expr, b: Expr, indices: Mapping[object, bool]) -> Expr:
    if is_never_negative(a, indices) and is_never_negative(b, indices):
        return expr.truncated_quotient(a, b) if name == "floordiv" else Expr("%", (a, b), a.ctype)
    remainder = Expr("%", (a, b), a.ctype)
    if name == "mod" and b.constant is not None and abs(b.constant) <= 2**30:
        return Expr("%", (expr.add(remainder, b), b), a.ctype)
    zero = const(0, a.ctype)
    below = compare("<", remainder, zero, int1)
    if b.constant is None or b.constant < 0:
        inexact = compare("!=", remainder, zero, int1)
        below = Expr("&&", (inexact, Expr("!=", (below, compare("<", b, zero, int1)), int1)), int1)
    if name == "mod":
        return expr.select(below, expr.add(remainder, b), remainder)
    return Expr("-", (expr.truncated_quotient(a, b), expr.cast(below, a.ctype)), a.ctype)


# From here on floats of a type are whole numbers.
_WHOLE = {"float16": 2.0**10, "bfloat16": 2.0**7, "float32": 2.0**23, "float64": 2.0**52}


def _float_division(name: str, a: Expr, b: Expr) -> Expr:
    quotient = Expr("/", (a, b), a.ctype)
    assert isinstance(a.ctype, DataType)
    below, above = (const(sign * _WHOLE[a.ctype.name], a.ctype) for sign in (-1, 1))
    has_fraction = Expr("&&", (compare(">", quotient, below, int1), compare("<", quotient, above, int1)), int1)
    integer = int64 if a.ctype == float64 else int32
    whole = expr.select(has_fraction, expr.cast(expr.cast(quotient, integer), a.ctype), quotient)
    floor = Expr("-", (whole, expr.cast(compare("<", quotient, whole, int1), a.ctype)), a.ctype)
    if name == "floordiv":
        return floor
    return Expr("-", (a, Expr("*", (b, floor), a.ctype)), a.ctype)


def _power(base: Expr, exponent: Expr) -> Optional[Expr]:
    times = exponent.constant
    if times is None or times != int(times) or not 0 <= times <= 8:
        return None
    result = const(1.0 if base.ctype == float32 else 1, base.ctype) if times == 0 else base
    for _ in range(int(times) - 1):
        result = expr.mul(result, base)
    return result
