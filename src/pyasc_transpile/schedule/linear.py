"""Integer expressions as sums."""

from __future__ import annotations

from ..graph.dtypes import DataType
from ..lower.expr import Expr

Linear = tuple[dict[Expr, int], int]  # factor of each term, and a constant


def linear(value: Expr) -> Linear:
    """An expression as a sum of terms with factors, and a constant; what is not integer arithmetic is one term."""
    if isinstance(value.constant, int) and not isinstance(value.constant, bool):
        return {}, int(value.value)
    if not _is_integer(value):
        return {value: 1}, 0
    if value.op == "cast" and keeps_value(value):
        return linear(value.args[0])
    if value.op in ("+", "-") and len(value.args) == 2:
        return _sum(linear(value.args[0]), linear(value.args[1]), 1 if value.op == "+" else -1)
    if value.op == "*":
        left, right = (linear(arg) for arg in value.args)
        for (terms, constant), (others, number) in ((left, right), (right, left)):
            if not others:
                return {term: factor * number for term, factor in terms.items() if number}, constant * number
    return {value: 1}, 0


def keeps_value(cast: Expr) -> bool:
    """Whether a conversion leaves every number as it is: of an integer to a type that is as wide or wider."""
    return _is_integer(cast) and _is_integer(cast.args[0]) and _size(cast) >= _size(cast.args[0])


def _is_integer(value: Expr) -> bool:
    return isinstance(value.ctype, DataType) and value.ctype.is_int() and not value.ctype.is_bool()


def _size(value: Expr) -> int:
    assert isinstance(value.ctype, DataType)
    return value.ctype.sizeof()


def _sum(left: Linear, right: Linear, sign: int) -> Linear:
    terms = dict(left[0])
    for term, factor in right[0].items():
        terms[term] = terms.get(term, 0) + sign * factor
    return {term: factor for term, factor in terms.items() if factor}, left[1] + sign * right[1]
