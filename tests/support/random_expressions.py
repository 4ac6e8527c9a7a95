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
    """Names that may be read; ``breakable``: whether the innermost loop runs on the device."""

    tiles: dict[str, Type] = field(default_factory=dict)
    ints: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    breakable: bool = False

    def copy(self) -> Scope:
        return Scope(dict(self.tiles), list(self.ints), list(self.floats), list(self.loops), self.breakable)


def broadcastable(shape: Shape) -> list[Shape]:
    """Shapes that broadcast to ``shape``."""
    narrow = [(*shape[:axis], 1, *shape[axis + 1 :]) for axis in range(len(shape))]
    return list(dict.fromkeys([shape, *narrow, *([shape[1:]] if len(shape) > 1 else [])]))


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
            self.helpers += ["    if k > 2:", f"        {self.choices.of(['u =', 'return'])} {again}"]
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
        """A tile of another shape, brought into shape without changing its elements."""
        return str(self.choices.of([self._viewed, self._moved])(type_, depth))

    def _viewed(self, type_: Type, depth: int) -> str:
        """A tile with as many elements in another shape."""
        shape, size = type_.shape, int(np.prod(type_.shape))
        views: list[tuple[Shape, str]] = [((1, *shape), ".squeeze(0)"), ((*shape, 1), ".squeeze(-1)")]
        views += [((size,), f".reshape({', '.join(map(str, shape))})")] if len(shape) > 1 else []
        views += [
            ((rows, size // rows), f".reshape({', '.join(map(str, shape))})")
            for rows in (2, 3, 5)
            if size % rows == 0 and size > rows and (rows, size // rows) != shape
        ]
        views += [
            ((*shape[:axis], *shape[axis + 1 :]), f".expand_dims({axis})")
            for axis, extent in enumerate(shape)
            if extent == 1 and len(shape) > 1
        ]
        source, view = self.choices.of(views[2:] + views[:2] if len(shape) < 4 else views[2:])
        return f"{self.tile(Type(type_.dtype, source), depth)}{view}"

    def _moved(self, type_: Type, depth: int) -> str:
        """A permutation of dimensions, a part of a larger tile, or two smaller ones together."""
        shape, dtype = type_.shape, type_.dtype
        kinds = ["part"] + (["concat"] if shape[0] > 1 else []) + (["transpose"] if len(shape) > 1 else [])
        kind = self.choices.of(kinds)
        if kind == "transpose":
            axes = list(range(len(shape)))
            first, second = self.choices.below(len(shape)), self.choices.below(len(shape))
            axes[first], axes[second] = axes[second], axes[first]
            source = tuple(shape[axis] for axis in axes)
            return f"asctile.transpose({self.tile(Type(dtype, source), depth)}, {', '.join(map(str, axes))})"
        if kind == "concat":
            head = 1 + self.choices.below(shape[0] - 1)
            parts = [(head, *shape[1:]), (shape[0] - head, *shape[1:])]
            return f"asctile.concat({', '.join(self.tile(Type(dtype, part), depth) for part in parts)})"
        starts = [self.choices.below(3) for _ in shape]
        source = tuple(extent + start + self.choices.below(2) for extent, start in zip(shape, starts))
        return f"asctile.copy({self.tile(Type(dtype, source), depth)}, {starts}, {list(shape)})"

    def _reduced(self, type_: Type, depth: int) -> str:
        """A reduction that is exact in any order, to this type."""
        functions = ["max", "min", "sum"] if type_.dtype in INTEGERS else ["max", "min"]
        function, many = self.choices.of(functions), 2 + self.choices.below(6)
        shape, axis = type_.shape, self.choices.below(len(type_.shape))
        if shape[axis] == 1:
            source, keep = (*shape[:axis], many, *shape[axis + 1 :]), ", keep_dims=True"
        elif len(shape) < 4:
            source, keep = (*shape[:axis], many, *shape[axis:]), ""
        else:
            return self.leaf(type_)
        return f"{self.tile(Type(type_.dtype, source), depth)}.{function}({axis}{keep})"
