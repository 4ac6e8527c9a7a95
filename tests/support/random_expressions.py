"""Random expressions over tiles and scalars, decoded from bytes: see :mod:`tests.support.random_kernels`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from pyasc_transpile import asctile

FLOATS = ("float32", "float16", "bfloat16")
INTEGERS = ("int32", "int16")
ARITHMETIC = (*FLOATS, *INTEGERS)
ELEMENTS = (*ARITHMETIC, "int8")
NUMPY = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in ELEMENTS}
CASTS_TO = {
    "float32": ("int32", "float16", "bfloat16", "int16"),
    "float16": ("float32", "int16", "int32", "bfloat16", "int8"),
    "bfloat16": ("float32", "float16"),
    "int32": ("float32", "int16", "float16"),
    "int16": ("int32", "float32", "float16"),
    "int8": ("float16", "int16", "int32", "float32"),
}
# What an operand may be of beside a tile of the type, to be converted.
WIDENS = {"float32": ("float16", "bfloat16", "int32"), "int32": ("int16",), "float16": ("int16",)}
MODES = ("", *(f", asctile.RoundMode.{mode}" for mode in ("Rint", "Floor", "Ceil", "Trunc", "Round")))
FLOAT_NUMBERS = ("2.0", "0.5", "-1.5", "3", "0.1", "-0.7", "0.0", "100.0")
INT_NUMBERS = ("2", "1", "3", "-1", "7", "100", "0", "-5")
COMPARISONS = ("<", ">", "==", "!=", "<=", ">=")
FLOAT_FUNCTIONS = ("(-{})", "asctile.abs({})", "asctile.relu({})", "asctile.floor({})", "asctile.ceil({})",
                   "asctile.sqrt(asctile.abs({}))")  # fmt: skip
INT_FUNCTIONS = ("(-{})", "asctile.abs({})", "asctile.relu({})", "(~{})")
INT_FORMS = ("({} + {})", "({} - {})", "({} * {})", "least({}, {})", "greatest({}, {})", "({} // 3 + {})",
             "({} % 4 - {})", "({} & {})", "({} if m > 2 else {})", "(({} << 2) | {})", "({} // -2 + {})")  # fmt: skip
FLOAT_FORMS = ("({} + {})", "({} - {})", "({} * {} * 0.25)", "least({}, {})", "({} / 3.0 + {})")
MAX_DEPTH = 3
_WRITES_SHAPES = hasattr(asctile, "reshape") and hasattr(asctile, "transpose")

Shape = tuple[int, ...]


class Choices:
    """Answers from a byte string."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def below(self, count: int) -> int:
        byte = self._data[self._at] if self._at < len(self._data) else 0
        self._at += 1
        return byte % count

    def of(self, options: Sequence[Any]) -> Any:
        return options[self.below(len(options))]

    def often(self, percent: int) -> bool:
        """True with that probability; False is the simpler answer."""
        return self.below(100) >= 100 - percent

    def weighted(self, options: Sequence[tuple[int, Any]]) -> Any:
        """One of several, by weight; the first is the simplest."""
        pick = self.below(sum(weight for weight, _ in options))
        for weight, option in options:
            if pick < weight:
                return option
            pick -= weight
        raise AssertionError


@dataclass(frozen=True)
class Type:
    dtype: str
    shape: Shape

    def of(self, dtype: str) -> Type:
        return Type(dtype, self.shape)


@dataclass
class Scope:
    """Names that may be read."""

    tiles: dict[str, Type] = field(default_factory=dict)
    ints: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)

    def copy(self) -> Scope:
        return Scope(dict(self.tiles), list(self.ints), list(self.floats), list(self.loops))


def broadcastable(shape: Shape) -> list[Shape]:
    """Shapes that broadcast to ``shape``."""
    if len(shape) == 1:
        return list(dict.fromkeys([shape, (1,)]))
    rows, width = shape
    return list(dict.fromkeys([shape, (1, width), (rows, 1), (width,)]))


class Expressions:
    """Writes expressions from the answers of ``choices``."""

    def __init__(self, data: bytes, name: str) -> None:
        self.choices = Choices(data)
        self.name = name
        self.scope = Scope()
        self.helpers: list[str] = []
        self._counter = 0

    def new(self, prefix: str) -> str:
        self._counter += 1
        return f"{prefix}{self._counter}"

    # --- scalars ------------------------------------------------------------------------------------------------------

    def int_scalar(self, depth: int) -> str:
        if depth > 1 or not self.choices.often(50):
            return str(self.choices.of([*self.scope.ints, "2", "5", "-3"]))
        left, right = self.int_scalar(depth + 1), self.int_scalar(depth + 1)
        return str(self.choices.of(INT_FORMS)).format(left, right)

    def float_scalar(self, depth: int) -> str:
        if depth > 1 or not self.choices.often(50):
            return str(self.choices.of([*self.scope.floats, "0.5", "-2.0", self.scope.ints[0]]))
        left, right = self.float_scalar(depth + 1), self.float_scalar(depth + 1)
        return str(self.choices.of(FLOAT_FORMS)).format(left, right)

    def condition(self) -> str:
        test = f"{self.int_scalar(1)} {self.choices.of(COMPARISONS)} {self.int_scalar(1)}"
        if self.choices.often(20):
            test = f"{test} {self.choices.of(['and', 'or'])} {self.float_scalar(1)} > 0.0"
        return f"not ({test})" if self.choices.often(10) else test

    # --- tiles --------------------------------------------------------------------------------------------------------

    def leaf(self, type_: Type) -> str:
        known = [name for name, other in self.scope.tiles.items() if other == type_]
        known = known or [
            f"{name}.to(asctile.{type_.dtype})"
            for name, other in self.scope.tiles.items()
            if other.shape == type_.shape and type_.dtype in CASTS_TO[other.dtype]
        ]
        if known:
            return str(self.choices.of(known))
        return f"asctile.full({list(type_.shape)}, {self.number(type_.dtype)}, asctile.{type_.dtype})"

    def number(self, dtype: str) -> str:
        if dtype in FLOATS:
            return str(self.choices.of([*FLOAT_NUMBERS, *self.scope.floats]))
        return str(self.choices.of([*INT_NUMBERS, *self.scope.ints]))

    def operand(self, type_: Type, depth: int) -> str:
        """The right operand of an operator: a tile that broadcasts, one of a narrower type, or a number."""
        if self.choices.often(30):
            return self.number(type_.dtype)
        dtype = type_.dtype
        if dtype in WIDENS and self.choices.often(12):
            dtype = self.choices.of(WIDENS[dtype])
        shape = self.choices.of(broadcastable(type_.shape)) if self.choices.often(25) else type_.shape
        return self.tile(Type(dtype, shape), depth)

    def tile(self, type_: Type, depth: int) -> str:
        """An expression of a type."""
        if depth > MAX_DEPTH or not self.choices.often(80 - 12 * depth):
            return self.leaf(type_)
        if type_.dtype == "int8":
            return f"({self.leaf(type_)} {self.choices.of('&|^')} {self.leaf(type_)})"
        forms: list[tuple[int, Callable[[Type, int], str]]] = [
            (36, self._arithmetic), (8, self._extreme), (12, self._function), (12, self._cast), (14, self._where),
            (6, self._helper), (8, self._division), (10 if _WRITES_SHAPES else 0, self._reshaped),
            (8 if _WRITES_SHAPES else 0, self._reduced),
        ]  # fmt: skip
        return str(self.choices.weighted(forms)(type_, depth + 1))

    def _arithmetic(self, type_: Type, depth: int) -> str:
        sign = self.choices.of("+-*")
        left, right = self.tile(type_, depth), self.operand(type_, depth)
        if self.choices.often(20) and right in (*FLOAT_NUMBERS, *INT_NUMBERS, *self.scope.ints, *self.scope.floats):
            left, right = right, left
        return f"({left} {sign} {right})"

    def _extreme(self, type_: Type, depth: int) -> str:
        function = self.choices.of(["maximum", "minimum"])
        return f"asctile.{function}({self.tile(type_, depth)}, {self.operand(type_, depth)})"

    def _function(self, type_: Type, depth: int) -> str:
        inner = self.tile(type_, depth)
        if type_.dtype == "bfloat16":
            return f"(-{inner})"
        return str(self.choices.of(FLOAT_FUNCTIONS if type_.dtype in FLOATS else INT_FUNCTIONS)).format(inner)

    def _cast(self, type_: Type, depth: int) -> str:
        source = self.choices.of([name for name, targets in CASTS_TO.items() if type_.dtype in targets])
        mode = self.choices.of(MODES) if source in FLOATS and type_.dtype in INTEGERS else ""
        return f"{self.tile(type_.of(source), depth)}.to(asctile.{type_.dtype}{mode})"

    def _where(self, type_: Type, depth: int) -> str:
        mask = self.mask(type_.shape, depth)
        first = self.tile(type_, depth)
        second = self.number(type_.dtype) if self.choices.often(30) else self.tile(type_, depth)
        if self.choices.often(15) and second not in self.scope.tiles:
            first, second = second, first
        return f"asctile.where({mask}, {first}, {second}, dtype=asctile.{type_.dtype})"

    def mask(self, shape: Shape, depth: int) -> str:
        dtype = self.choices.of(ELEMENTS)
        left, sign = self.tile(Type(dtype, shape), depth + 1), self.choices.of(COMPARISONS)
        right = self.number(dtype) if self.choices.often(40) else self.tile(Type(dtype, shape), depth + 1)
        test = f"({left} {sign} {right})"
        if self.choices.often(20):
            return f"({test} {self.choices.of('&|^')} {self.mask(shape, depth + 1)})"
        return f"(~{test})" if self.choices.often(10) else test

    def _helper(self, type_: Type, depth: int) -> str:
        """A call of a function of two tiles and a number, written for this call."""
        name = f"{self.name}_{self.new('helper')}"
        outer, self.scope = self.scope, Scope({"u": type_, "v": type_}, ["k", "m"], ["0.5"], [])
        body, again = self.tile(type_, 2), self.tile(type_, 2)
        decorator = ["@asctile.jit"] if self.choices.often(50) else []
        self.helpers += [*decorator, f"def {name}(u, v, k, m):"]
        if self.choices.often(30):
            self.helpers += ["    if k > 2:", f"        u = {again}"]
        self.helpers += [f"    return {body}", "", ""]
        self.scope = outer
        first, second = self.tile(type_, depth), self.tile(type_, depth)
        return f"{name}({first}, {second}, {self.int_scalar(1)}, {self.choices.of(self.scope.ints)})"

    def _division(self, type_: Type, depth: int) -> str:
        if type_.dtype in FLOATS:
            divisor = self.tile(type_, depth)
            return f"({self.tile(type_, depth)} / asctile.where({divisor} == 0, 1, {divisor}))"
        if self.choices.often(50):
            return f"({self.tile(type_, depth)} {self.choices.of(['<<', '>>'])} {self.choices.below(8)})"
        other = self.number(type_.dtype) if self.choices.often(30) else self.tile(type_, depth)
        return f"({self.tile(type_, depth)} {self.choices.of('&|^')} {other})"

    def _reshaped(self, type_: Type, depth: int) -> str:
        """A tile of another shape with as many elements, brought into shape."""
        if len(type_.shape) == 1:
            (width,) = type_.shape
            shapes: list[Shape] = [(1, width), (width, 1)]
            shapes += [(rows, width // rows) for rows in (2, 3, 5) if width % rows == 0 and width > rows]
            return f"{self.tile(Type(type_.dtype, self.choices.of(shapes)), depth)}.reshape({type_.shape[0]})"
        rows, width = type_.shape
        if self.choices.often(50):
            return f"{self.tile(Type(type_.dtype, (width, rows)), depth)}.T"
        source = self.choices.of([(rows * width,), (width, rows)])
        return f"{self.tile(Type(type_.dtype, source), depth)}.reshape({rows}, {width})"

    def _reduced(self, type_: Type, depth: int) -> str:
        """A reduction that is exact in any order, to this type."""
        functions = ["max", "min", "sum"] if type_.dtype in INTEGERS else ["max", "min"]
        function, many = self.choices.of(functions), 2 + self.choices.below(6)
        if len(type_.shape) == 1:
            return f"{self.tile(Type(type_.dtype, (many, *type_.shape)), depth)}.{function}(0)"
        rows, width = type_.shape
        if width == 1:
            return f"{self.tile(Type(type_.dtype, (rows, many)), depth)}.{function}(1, keep_dims=True)"
        if rows == 1:
            return f"{self.tile(Type(type_.dtype, (many, width)), depth)}.{function}(0, keep_dims=True)"
        return self.leaf(type_)
