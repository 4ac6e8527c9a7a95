"""Scalar expressions of a program: trees compared by structure, folded as they are built, rendered by precedence.

An expression knows its C++ type.  Whether it is written in place or as a named constant is decided when the text is
made, from how often it is used (:mod:`pyasc_transpile.emit.naming`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from ..graph.constants import NamedFloat, NamedInt, unnamed
from ..graph.dtypes import DataType, bfloat16, float16, float32, float64, int32, int64

CType = Union[DataType, str]


@dataclass(eq=False)
class Block:
    """A sequence of statements. ``parent`` is the block that contains the statement that contains this one."""

    parent: Optional[Block] = None
    statements: list[Any] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1


@dataclass(eq=False)
class Variable:
    """A C++ variable or parameter: a hint for its name, its type and the block in which it is visible.

    A value carried around a loop is one C++ variable but two of these: the one inside of the loop body is an ``alias``,
    so that expressions of it stay inside.
    """

    hint: str
    ctype: CType
    home: Block
    alias: Optional[Variable] = None


class Expr:
    """One expression. ``op`` is a C++ operator or one of const, var, cast, select, call, struct, min, max."""

    __slots__ = ("op", "args", "ctype", "value", "hint", "keep", "_hash")

    def __init__(
        self, op: str, args: tuple[Expr, ...], ctype: CType, value: Any = None, hint: str = "", keep: bool = False
    ) -> None:
        self.op = op
        self.args = args
        self.ctype = ctype
        self.value = value
        self.hint = hint
        self.keep = keep
        self._hash = hash((op, args, str(ctype), value if op != "const" else (type(value).__name__, repr(value))))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Expr)
            and self._hash == other._hash
            and self.op == other.op
            and str(self.ctype) == str(other.ctype)
            and self._same_value(other)
            and self.args == other.args
        )

    def _same_value(self, other: Expr) -> bool:
        if self.op == "const":
            return repr(self.value) == repr(other.value)
        return bool(self.value == other.value)

    def __repr__(self) -> str:
        return render(self, lambda expr: expr.value.hint if expr.op == "var" else None)

    def named(self, hint: str, keep: bool = False) -> Expr:
        """The same expression with a hint for the name of a constant made of it.

        ``keep``: make it a constant even if it is used only once, since the kernel's author gave it a name.
        """
        if self.op in ("const", "var") or self.keep or (self.hint and not keep):
            return self
        return Expr(self.op, self.args, self.ctype, self.value, hint, keep)

    @property
    def constant(self) -> Optional[Any]:
        """The number if it is known, else None."""
        return self.value if self.op == "const" else None

    @property
    def name(self) -> str:
        """Name of a constant that the kernel's author gave, or empty."""
        return self.value.name if isinstance(self.value, (NamedInt, NamedFloat)) else ""

    def __add__(self, other: Any) -> Expr:
        return add(self, lift(other, self.ctype))

    def __radd__(self, other: Any) -> Expr:
        return add(lift(other, self.ctype), self)

    def __sub__(self, other: Any) -> Expr:
        return sub(self, lift(other, self.ctype))

    def __rsub__(self, other: Any) -> Expr:
        return sub(lift(other, self.ctype), self)

    def __mul__(self, other: Any) -> Expr:
        return mul(self, lift(other, self.ctype))

    def __rmul__(self, other: Any) -> Expr:
        return mul(lift(other, self.ctype), self)


def const(value: Any, ctype: CType = int32) -> Expr:
    """A literal."""
    return Expr("const", (), ctype, value)


def var(variable: Variable) -> Expr:
    """A use of a variable."""
    return Expr("var", (), variable.ctype, variable)


def lift(value: Any, ctype: CType) -> Expr:
    """``value`` as an expression; Python numbers become literals of ``ctype``."""
    return value if isinstance(value, Expr) else const(value, ctype)


def _wider(a: Expr, b: Expr) -> CType:
    return int64 if int64 in (a.ctype, b.ctype) else a.ctype


def _is(expr: Expr, number: int) -> bool:
    return expr.op == "const" and not isinstance(expr.value, bool) and expr.value == number


def _is_integer(expr: Expr) -> bool:
    return isinstance(expr.ctype, DataType) and expr.ctype.is_int()


def _folded(a: Expr, b: Expr, function: Callable[[Any, Any], Any]) -> Optional[Expr]:
    if a.op != "const" or b.op != "const" or not _is_integer(a) or not _is_integer(b):
        return None
    ctype = _wider(a, b)
    value = function(unnamed(a.value), unnamed(b.value))
    bits = ctype.bitwidth if isinstance(ctype, DataType) else 64
    return const(value, ctype) if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else None


def add(a: Expr, b: Expr) -> Expr:
    """a + b, integers folded."""
    if _is_integer(a) and _is(b, 0):
        return a
    if _is_integer(b) and _is(a, 0):
        return b
    return _folded(a, b, lambda x, y: x + y) or Expr("+", (a, b), _wider(a, b))


def sub(a: Expr, b: Expr) -> Expr:
    """a - b, integers folded."""
    if _is_integer(a) and _is(b, 0):
        return a
    if _is_integer(a) and a == b:
        return const(0, a.ctype)
    return _folded(a, b, lambda x, y: x - y) or Expr("-", (a, b), _wider(a, b))


def mul(a: Expr, b: Expr) -> Expr:
    """a * b, integers folded."""
    if _is_integer(a) and _is_integer(b):
        if _is(a, 0) or _is(b, 0):
            return const(0, _wider(a, b))
        if _is(b, 1):
            return a
        if _is(a, 1):
            return b
    return _folded(a, b, lambda x, y: x * y) or Expr("*", (a, b), _wider(a, b))


def truncated_quotient(a: Expr, b: Expr) -> Expr:
    """a / b as C divides."""
    if _is_integer(a) and _is(b, 1):
        return a
    if b.op == "const" and _is_integer(b) and b.value != 0:
        folded = _folded(a, b, lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1))
        if folded is not None:
            return folded
    return Expr("/", (a, b), _wider(a, b))


def minimum(a: Expr, b: Expr) -> Expr:
    """The smaller one, written as a conditional expression."""
    return _folded(a, b, min) or (a if a == b else Expr("min", (a, b), _wider(a, b)))


def maximum(a: Expr, b: Expr) -> Expr:
    """The larger one, written as a conditional expression."""
    return _folded(a, b, max) or (a if a == b else Expr("max", (a, b), _wider(a, b)))


def compare(op: str, a: Expr, b: Expr, ctype: CType) -> Expr:
    """A comparison."""
    return Expr(op, (a, b), ctype)


def cast(expr: Expr, ctype: CType) -> Expr:
    """``static_cast``; literals take the type themselves."""
    if str(expr.ctype) == str(ctype):
        return expr
    is_number = expr.op == "const" and isinstance(ctype, DataType) and not isinstance(expr.value, bool)
    if is_number and isinstance(ctype, DataType) and (ctype.is_float() or isinstance(expr.value, int)):
        return const(_as_stored(expr) if ctype.is_float() else expr.value, ctype)
    if expr.op == "cast" and expr.ctype == int32 and ctype in ("uint16_t", "uint8_t"):
        return cast(expr.args[0], ctype).named(expr.hint)  # the wider step changes nothing
    return Expr("cast", (expr,), ctype, None, expr.hint)


def _as_stored(literal: Expr) -> float:
    """The number that a literal of its type is."""
    value = float(literal.value)
    return _narrow(value, literal.ctype) if literal.ctype in (float16, bfloat16) else value  # type: ignore[arg-type]


def select(condition: Expr, a: Expr, b: Expr) -> Expr:
    """condition ? a : b"""
    if condition.op == "const":
        return a if condition.value else b
    return a if a == b else Expr("select", (condition, a, b), a.ctype)


def call(function: str, args: tuple[Expr, ...], ctype: CType) -> Expr:
    """A call of a function without side effects."""
    return Expr("call", args, ctype, function)


def struct(type_name: str, *fields: Expr, hint: str = "") -> Expr:
    """A brace-initialised structure."""
    return Expr("struct", tuple(fields), type_name, None, hint)


def widen(expr: Expr) -> Expr:
    """The same integer computed in 64 bits, so that products of 32-bit numbers do not overflow."""
    if expr.ctype == int64:
        return expr
    if expr.op in ("+", "-", "*"):
        left, right = expr.args
        wide_left = widen(left)
        wide_right = right if right.op in ("var", "const") and wide_left.op != "const" else widen(right)
        rebuilt = {"+": add, "-": sub, "*": mul}[expr.op](wide_left, wide_right)
        return cast(rebuilt, int64)
    return cast(expr, int64)


def sizeof(dtype: DataType) -> Expr:
    """sizeof(type), an int."""
    return Expr("sizeof", (), int32, dtype)


def scaled(number: Expr, dtype: DataType) -> Expr:
    """``number`` elements in bytes, written with sizeof unless it is zero."""
    if _is(number, 1):
        return sizeof(dtype)
    return number if _is(number, 0) else Expr("*", (number, sizeof(dtype)), number.ctype)


def spelled_product(factors: Sequence[Any]) -> Expr:
    """Product of compile-time ints; written as a product if a factor has a name, as one number otherwise."""
    if not any(isinstance(factor, NamedInt) for factor in factors):
        return const(math.prod(unnamed(factor) for factor in factors))
    shown = [factor for factor in factors if isinstance(factor, NamedInt)]
    plain = math.prod(int(factor) for factor in factors if not isinstance(factor, NamedInt))
    terms = [const(factor) for factor in ([*shown, plain] if plain != 1 else shown)]
    result = terms[0]
    for term in terms[1:]:
        result = Expr("*", (result, term), int32)
    return result


def known(expr: Expr) -> Optional[int]:
    """Value of an expression of compile-time integers, or None."""
    if expr.op == "const":
        return int(expr.value) if isinstance(expr.value, int) else None
    if expr.op == "sizeof":
        return int(expr.value.sizeof())
    if expr.op == "*":
        left, right = known(expr.args[0]), known(expr.args[1])
        return None if left is None or right is None else left * right
    return None


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """The expression and all that it contains, outer first, repeated as often as they occur."""
    yield expr
    for arg in expr.args:
        yield from subexpressions(arg)


def home(expr: Expr, root: Block) -> Block:
    """The outermost block in which every variable of ``expr`` is visible."""
    deepest = root
    for part in subexpressions(expr):
        if part.op == "var" and part.value.home.depth > deepest.depth:
            deepest = part.value.home
    return deepest


def is_speculative(expr: Expr) -> bool:
    """Whether evaluating it where the source did not could fail (division by a number that may be zero)."""
    return any(part.op in ("/", "%") and not part.args[1].constant for part in subexpressions(expr))


# --- text -------------------------------------------------------------------------------------------------------------

_PRECEDENCE: Mapping[str, int] = {
    "*": 13, "/": 13, "%": 13, "+": 12, "-": 12, "<<": 11, ">>": 11, "<": 9, "<=": 9, ">": 9, ">=": 9, "==": 8, "!=": 8,
    "&": 7, "^": 6, "|": 5, "&&": 4, "||": 3, "select": 2, "min": 2, "max": 2,
}  # fmt: skip
# C++ compilers ask for parentheses where & | ^ meet other operators, for && inside ||, and for comparisons of others.
_LEAST_INSIDE: Mapping[str, int] = {"&": 12, "|": 12, "^": 12, "<<": 12, ">>": 12, "&&": 5, "||": 5, "==": 10, "!=": 10}
_UNARY = {"neg": "-", "!": "!", "~": "~"}
_UNARY_PRECEDENCE = 14
_ATOM = 20


def ctype_name(ctype: CType) -> str:
    """C++ spelling of a type."""
    return ctype if isinstance(ctype, str) else ctype.cpp


def literal(value: Any, ctype: CType) -> str:
    """C++ literal of a number as ``ctype``; it evaluates to exactly the number that the type can hold."""
    if not isinstance(ctype, DataType):
        return str(unnamed(value))
    if ctype.is_bool():
        return "true" if value else "false"
    if ctype.is_float():
        return _float_literal(float(value), ctype)
    number = int(value)
    if ctype == int32 and number == -(2**31):
        return "INT32_MIN"
    if ctype == int64 and number == -(2**63):
        return "INT64_MIN"
    suffix = "LL" if not -(2**31) <= number < 2**31 and number < 2**63 else "ULL" if number >= 2**63 else ""
    return f"{number}{suffix}"


def _float_literal(value: float, ctype: DataType) -> str:
    if ctype == float64:
        return _special(value, "") or repr(value)
    # Rounded here, once; the text then is exact in float and in the narrow type.
    if ctype == bfloat16:
        return f"ToBfloat16({_float32_text(_narrow(value, ctype))})"
    if ctype == float16:
        return f"static_cast<{ctype.cpp}>({_float32_text(_narrow(value, ctype))})"
    return _float32_text(value)


def _special(value: float, suffix: str = "f") -> str:
    """Infinity or NaN, without the macros of a header that Ascend C does not include; empty for other numbers."""
    if math.isnan(value):
        return f'__builtin_nan{suffix}("")'
    sign = "-" if value < 0 else ""
    return "" if math.isfinite(value) else f"{sign}__builtin_inf{suffix}()"


def _narrow(value: float, ctype: DataType) -> float:
    if not math.isfinite(value):
        return value
    with np.errstate(over="ignore"):
        if ctype == float16:
            return float(np.float16(value))
        mantissa, exponent = math.frexp(value)
        scale = max(exponent, -125) - 8  # bfloat16 has 8 significant bits
        rounded = math.ldexp(float(np.rint(math.ldexp(value, -scale))), scale)
        return rounded if abs(rounded) < 2.0**128 else math.copysign(math.inf, value)


def _float32_text(value: float) -> str:
    with np.errstate(over="ignore"):
        single = np.float32(value)
    special = _special(float(single))
    if special:
        return special
    text = np.format_float_positional(single, unique=True, trim="0")
    if len(text) > 12:
        text = np.format_float_scientific(single, unique=True, trim="0", exp_digits=1)
    return f"{text}f"


def render(expr: Expr, name_of: Callable[[Expr], Optional[str]]) -> str:
    """C++ text; ``name_of`` gives the name of variables, constants and named sub-expressions, or None."""
    return _render(expr, name_of)[0]


def _parenthesised(expr: Expr, least: int, name_of: Callable[[Expr], Optional[str]]) -> str:
    text, precedence = _render(expr, name_of)
    return text if precedence >= least else f"({text})"


def _widens(expr: Expr) -> bool:
    """Whether this is only the conversion of a 32-bit variable or constant to 64 bits."""
    return (
        expr.op == "cast"
        and expr.ctype == int64
        and expr.args[0].ctype == int32
        and expr.args[0].op in ("var", "const")
    )


def _conversion(cast_: Expr) -> str:
    """What converts the operand of a cast; bfloat16 is converted from and to float by functions of Ascend C."""
    if cast_.ctype == bfloat16:
        return "ToBfloat16"
    return "ToFloat" if cast_.args[0].ctype == bfloat16 else f"static_cast<{ctype_name(cast_.ctype)}>"


def _in_float(expr: Expr) -> Optional[Expr]:
    """The same with bfloat16 computed in float, since Ascend C's scalar unit only stores it; None to leave as it is."""
    if expr.op == "cast":
        source = expr.args[0]
        if float32 in (source.ctype, expr.ctype) or source.ctype == expr.ctype:
            return None
        return Expr("cast", (cast(source, float32),), expr.ctype)
    if expr.op in ("select", "min", "max", "call", "struct"):
        return None
    result = Expr(expr.op, tuple(cast(arg, float32) for arg in expr.args), float32)
    return result if expr.ctype != bfloat16 else Expr("cast", (result,), bfloat16)


def _render(expr: Expr, name_of: Callable[[Expr], Optional[str]]) -> tuple[str, int]:
    name = name_of(expr)
    if name is not None:
        return name, _ATOM
    if expr.op == "const":
        text = literal(expr.value, expr.ctype)
        return text, _UNARY_PRECEDENCE if text.startswith("-") else _ATOM
    if expr.op == "sizeof":
        return f"sizeof({ctype_name(expr.value)})", _ATOM
    if expr.ctype == bfloat16 or any(arg.ctype == bfloat16 for arg in expr.args):
        in_float = _in_float(expr)
        if in_float is not None:
            return _render(in_float, name_of)
    if expr.op == "cast":
        return f"{_conversion(expr)}({render(expr.args[0], name_of)})", _ATOM
    if expr.op == "call":
        return f"{expr.value}({', '.join(render(arg, name_of) for arg in expr.args)})", _ATOM
    if expr.op == "struct":
        return "{" + ", ".join(render(arg, name_of) for arg in expr.args) + "}", _ATOM
    if expr.op in _UNARY:
        return _UNARY[expr.op] + _parenthesised(expr.args[0], _UNARY_PRECEDENCE + 1, name_of), _UNARY_PRECEDENCE
    if expr.op == "select":
        condition, a, b = expr.args
        test, yes, no = (_parenthesised(part, least, name_of) for part, least in ((condition, 3), (a, 3), (b, 2)))
        return f"{test} ? {yes} : {no}", _PRECEDENCE["select"]
    if expr.op in ("min", "max"):
        a, b = expr.args
        sign = "<" if expr.op == "min" else ">"
        condition = compare(sign, a, b, "bool")
        return _render(Expr("select", (condition, cast(a, expr.ctype), cast(b, expr.ctype)), expr.ctype), name_of)
    precedence = _PRECEDENCE[expr.op]
    left, right = expr.args
    if expr.op in ("+", "-", "*") and expr.ctype == int64 and left.ctype == int64 and _widens(right):
        right = right.args[0]  # C++ widens it by itself
    least = _LEAST_INSIDE.get(expr.op, precedence)
    return (
        f"{_parenthesised(left, least, name_of)} {expr.op} {_parenthesised(right, least + 1, name_of)}",
        precedence,
    )
