"""Random kernels: source text that is valid by construction, and arguments to launch it with.

A kernel is decoded from bytes, each of which answers one question ("which operator?", "how many statements?"). Zero is
the simplest answer and missing bytes are zeros, so that shorter and smaller byte strings are simpler kernels: that is
how failures are shrunk. What a kernel computes is left to chance; what it may do is not: tiles keep their types, stores
never overlap, divisors are not zero, and everything that varies from run to run or is undefined is left out.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

import ml_dtypes
import numpy as np

FLOATS = ("float32", "float16", "bfloat16")
INTEGERS = ("int32", "int16")
ARITHMETIC = (*FLOATS, *INTEGERS)
ELEMENTS = (*ARITHMETIC, "int8")
NUMPY = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in ELEMENTS}
# What converts into what (one step, on both architectures).
CASTS_TO = {
    "float32": ("int32", "float16", "bfloat16", "int16"),
    "float16": ("float32", "int16", "int32", "bfloat16", "int8"),
    "bfloat16": ("float32", "float16"),
    "int32": ("float32", "int16", "float16"),
    "int16": ("int32", "float32", "float16"),
    "int8": ("float16", "int16", "int32", "float32"),
}
WIDENS = {"float32": ("float16", "bfloat16", "int32"), "int32": ("int16",), "float16": ("int16",)}
MODES = ("", ", asctile.RoundMode.Rint", ", asctile.RoundMode.Floor", ", asctile.RoundMode.Ceil", ", asctile.RoundMode.Trunc",
         ", asctile.RoundMode.Round")  # fmt: skip
FLOAT_NUMBERS = ("2.0", "0.5", "-1.5", "3", "0.1", "-0.7", "0.0", "100.0")
INT_NUMBERS = ("2", "1", "3", "-1", "7", "100", "0", "-5")
COMPARISONS = ("<", ">", "==", "!=", "<=", ">=")
LENGTHS = (16, 8, 1, 37, 64, 7, 100, 200, 33)
MATRICES = ((4, 16), (2, 8), (3, 5), (1, 40), (8, 7), (5, 1), (4, 33), (6, 24))
BLOCKS = (1, 2, 3)
INDEX_LIMIT = 6  # loop indices stay below


class Choices:
    """Answers from a byte string."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def below(self, count: int) -> int:
        byte = self._data[self._at] if self._at < len(self._data) else 0
        self._at += 1
        return byte % count

    def of(self, options: Any) -> Any:
        return options[self.below(len(options))]

    def often(self, percent: int) -> bool:
        """True with that probability; False is the simpler answer."""
        return self.below(100) >= 100 - percent


@dataclass(frozen=True)
class Type:
    dtype: str
    shape: tuple[int, ...]


@dataclass
class Store:
    """Where one store statement writes: a slab of one output."""

    output: str
    begin: int
    size: int


@dataclass
class RandomKernel:
    """A kernel's text and launch.

    Attributes:
        source: helpers and the kernel function ``name``.
        approximate: names of outputs that may differ by a few units in the last place.
    """

    name: str
    source: str
    blocks: int
    inputs: dict[str, str]
    outputs: dict[str, tuple[str, int]]
    scalars: dict[str, Any]
    input_size: int
    seed: int
    approximate: frozenset[str] = frozenset({"approx_ptr"})

    def arguments(self) -> dict[str, Any]:
        """New arguments, always the same."""
        rng = np.random.default_rng(self.seed)
        made: dict[str, Any] = {}
        for name, dtype in self.inputs.items():
            made[name] = _numbers(rng, dtype, self.input_size)
        for name, (dtype, size) in self.outputs.items():
            made[name] = np.full(size, 7, np.float32).astype(NUMPY[dtype])
        return {**made, **self.scalars}


def _numbers(rng: Any, dtype: str, size: int) -> Any:
    if dtype in FLOATS:
        numbers = rng.standard_normal(size) * 4
        numbers[rng.integers(0, size, size // 6)] = rng.choice([0.0, 1.0, -1.0, 2.5, -0.5, 3.0], size // 6)
        numbers[rng.integers(0, size, size // 40)] = rng.choice([np.inf, -np.inf, np.nan, 1e30, -7e4], size // 40)
        with np.errstate(over="ignore"):
            return numbers.astype(np.float32).astype(NUMPY[dtype])
    info = np.iinfo(NUMPY[dtype])
    numbers = rng.integers(-9, 10, size)
    wild = rng.integers(0, size, size // 8)
    numbers[wild] = rng.integers(info.min, info.max, wild.size, endpoint=True)
    return numbers.astype(NUMPY[dtype])


@dataclass
class _Scope:
    tiles: dict[str, Type] = field(default_factory=dict)
    ints: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)

    def copy(self) -> _Scope:
        return _Scope(dict(self.tiles), list(self.ints), list(self.floats), list(self.loops))


class Writer:
    """Writes one kernel from the answers of ``choices``."""

    def __init__(self, data: bytes, name: str) -> None:
        self.choices = Choices(data)
        self.name = name
        self.seed = zlib.crc32(data)
        self.lines: list[str] = []
        self.helpers: list[str] = []
        self.scope = _Scope()
        self.budget = 0
        self.counter = 0
        self.inputs: dict[str, str] = {}
        self.used: dict[str, list[Any]] = {}
        self.last_store: Optional[tuple[str, Type, list[str], str]] = None

    # --- the kernel ---------------------------------------------------------------------------------------------------

    def kernel(self) -> RandomKernel:
        c = self.choices
        self.matrix = c.often(40)
        self.full: tuple[int, ...] = c.of(MATRICES) if self.matrix else (c.of(LENGTHS),)
        self.blocks = c.of(BLOCKS)
        self.n = max(self.full[-1] * (1 + c.below(4)) - c.below(4), 1)
        self.m = c.below(INDEX_LIMIT)
        self.budget = 4 + c.below(20)
        self.scope.ints = ["m", "n"]
        self.scope.floats = ["alpha"]
        for position in range(1 + c.below(3)):
            self.inputs[f"in{position}_ptr"] = c.of((*ARITHMETIC, *FLOATS, "int32", "int8"))
        for _ in range(1 + c.below(3)):
            self.load("    ")
        self.block("    ")
        self.store("    ")
        return self.finish()

    def finish(self) -> RandomKernel:
        outputs = {name: (dtype, total) for name, (dtype, total) in self.used.items()}
        parameters = [*self.inputs, *outputs, "n", "m", "alpha"]
        head = ["@asctile.jit", f"def {self.name}({', '.join(parameters)}):", "    block = asctile.block_idx()"]
        rank = len(self.full)
        for position, pointer in enumerate(self.inputs):
            shape = "[n]" if rank == 1 else f"[8, {'n' if position % 2 else self.full[-1] * 2 + 1}]"
            head.append(f"    in{position} = asctile.global_tensor({pointer}, {shape})")
        source = "\n".join([*self.helpers, *head, *self.lines, "", ""])
        scalars = {"n": self.n, "m": self.m, "alpha": 0.75}
        size = 1 + 8 * max(self.n, self.full[-1] * 2 + 1)
        return RandomKernel(self.name, source, self.blocks, self.inputs, outputs, scalars, size, self.seed)

    def new(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def line(self, indent: str, text: str) -> None:
        self.lines.append(f"{indent}{text}")

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, indent: str) -> None:
        for _ in range(1 + self.choices.below(5)):
            if self.budget > 0:
                self.statement(indent)

    def statement(self, indent: str) -> None:
        self.budget -= 1
        kinds: list[tuple[int, Callable[[str], None]]] = [
            (22, self.load), (24, self.assign), (16, self.store), (8, self.branch), (10, self.loop), (6, self.scalar),
            (4, self.static_loop), (5, self.tail), (5, self.reload),
        ]  # fmt: skip
        pick = self.choices.below(100)
        for weight, kind in kinds:
            if pick < weight:
                return kind(indent)
            pick -= weight
        return self.assign(indent)

    def offset(self) -> str:
        """A place in an input, in elements, never negative and below a few hundred."""
        options = ["0", "3", f"block * {self.full[-1]}", "m", "m * 2 + block", "n // 3"]
        options += [f"{index} * {self.full[-1]}" for index in self.scope.loops] + self.scope.loops
        return str(self.choices.of(options))

    def load(self, indent: str) -> None:
        position = self.choices.below(len(self.inputs))
        dtype = self.inputs[f"in{position}_ptr"]
        shape = self.choices.of(self.shapes(self.full)) if self.matrix else self.full
        shape = (1,) * (len(self.full) - len(shape)) + shape
        starts = [self.choices.of(["0", "m % 3", "block"]), self.offset()] if self.matrix else [self.offset()]
        pad = self.choices.of(["0", "1", "-2"])
        real = ""
        if self.choices.often(20):
            limits = [f"asctile_min(m + 1, {extent})" if self.choices.often(50) else str(max(extent // 2, 1)) for extent in shape]
            real = f", real_shape=[{', '.join(limits)}]"
        name = self.target(Type(dtype, shape))
        self.line(indent, f"{name} = asctile.copy_in(in{position}, [{', '.join(starts)}], {list(shape)}, pad_value={pad}{real})")
        self.scope.tiles[name] = Type(dtype, shape)

    def target(self, type_: Type) -> str:
        """A name to bind: one that has such a value already, or a new one."""
        known = [name for name, other in self.scope.tiles.items() if other == type_]
        return str(self.choices.of(known)) if known and self.choices.often(45) else self.new("t")

    def assign(self, indent: str) -> None:
        type_ = self.some_type()
        text = self.tile(type_, 0)
        name = self.target(type_)
        self.line(indent, f"{name} = {text}")
        self.scope.tiles[name] = type_

    def some_type(self) -> Type:
        known = [t for t in self.scope.tiles.values() if t.dtype != "int8"]
        if known and self.choices.often(60):
            return self.choices.of(known)  # type: ignore[no-any-return]
        shape = self.choices.of(self.shapes(self.full)) if self.matrix and self.choices.often(25) else self.full
        return Type(self.choices.of(ARITHMETIC), shape)

    def slab(self, dtype: str, extent: int, output: str = "") -> tuple[str, str]:
        """Elements of an output for one store statement in all blocks and iterations: address text, and the running
        number of the iteration."""
        runs = self.blocks * INDEX_LIMIT ** len(self.scope.loops)
        pointer = output or f"out_{dtype}_ptr"
        total = self.used.setdefault(pointer, [dtype, 0])
        begin, total[1] = total[1], total[1] + runs * extent
        number = "block"
        for index in self.scope.loops:
            number = f"({number} * {INDEX_LIMIT} + {index})"
        return f"{pointer} + {begin}" if begin else pointer, number

    def store(self, indent: str) -> None:
        tiles = list(self.scope.tiles.values())
        type_ = self.choices.of(tiles) if tiles and self.choices.often(70) else self.some_type()
        approximate = type_.dtype in ("float32", "float16") and self.choices.often(12)
        text = self.tile(type_, 1)
        if approximate:
            text = self.choices.of(["asctile.exp({})", "asctile.log({})", "asctile.rsqrt({})"]).format(text)
            if type_.dtype != "float32":
                text = f"({text}).to(asctile.float32)"
                approximate = False
                text = text.replace("asctile.exp", "asctile.sqrt").replace("asctile.log", "asctile.abs").replace("asctile.rsqrt", "asctile.relu")
                type_ = Type("float32", type_.shape)
        extents = [extent + (self.choices.below(3) if position else 0) for position, extent in enumerate(type_.shape)]
        room = int(np.prod(extents))
        base, number = self.slab(type_.dtype, room, "approx_ptr" if approximate else "")
        runs = self.blocks * INDEX_LIMIT ** len(self.scope.loops)
        shape = [runs * extents[0] - (self.choices.below(2) if runs * extents[0] > 1 else 0), *extents[1:]]
        starts = [f"{number} * {extents[0]}", *("0" for _ in extents[1:])]
        real = ""
        if self.choices.often(12):
            real = f", real_shape={[max(extent - 1, 1) for extent in type_.shape]}"
        tensor = f"asctile.global_tensor({base}, {shape})"
        self.line(indent, f"asctile.copy_out({text}, {tensor}, [{', '.join(starts)}]{real})")
        self.last_store = None if approximate else (tensor, type_, starts, indent)

    def reload(self, indent: str) -> None:
        """Read back what the statement before stored."""
        if self.last_store is None or self.last_store[3] != indent or not self.lines[-1].lstrip().startswith("asctile.copy_out"):
            return self.load(indent)
        tensor, type_, starts, _ = self.last_store
        name = self.target(type_)
        self.line(indent, f"{name} = asctile.copy_in({tensor}, [{', '.join(starts)}], {list(type_.shape)}, pad_value=1)")
        self.scope.tiles[name] = type_
        return None

    def tail(self, indent: str) -> None:
        """The usual way to handle the end of a tensor: undefined elements are computed with but never stored."""
        if self.matrix:
            return self.load(indent)
        position = self.choices.below(len(self.inputs))
        dtype = self.inputs[f"in{position}_ptr"]
        index = self.scope.loops[-1] if self.scope.loops else "block"
        if len(self.scope.loops) > 1 or (self.scope.loops and self.blocks > 1):
            return self.load(indent)
        name, start = self.new("t"), f"{index} * {self.full[0]}"
        self.line(indent, f"{name} = asctile.copy_in(in{position}, [{start}], [{self.full[0]}])")
        others = [other for other, type_ in self.scope.tiles.items() if type_ == Type(dtype, self.full)]
        if others and dtype != "int8":
            text = f"{name} {self.choices.of('+-*')} {self.choices.of(others)}"
        else:
            text = f"{name} | 1" if dtype in ("int8", *INTEGERS) else f"{name} * 0.5 + 1"
        pointer = f"out_{dtype}_ptr"
        total = self.used.setdefault(pointer, [dtype, 0])
        begin, total[1] = total[1], total[1] + self.n
        self.line(indent, f"asctile.copy_out({text}, asctile.global_tensor({pointer} + {begin}, [n]), [{start}])")
        return None

    def branch(self, indent: str) -> None:
        outer = self.scope
        self.line(indent, f"if {self.condition()}:")
        self.scope = outer.copy()
        self.block(indent + "    ")
        self.line(indent + "    ", "pass")
        if self.choices.often(50):
            self.line(indent, "else:")
            self.scope = outer.copy()
            self.block(indent + "    ")
            self.line(indent + "    ", "pass")
        self.scope = outer

    def loop(self, indent: str) -> None:
        if len(self.scope.loops) > 1:
            return self.assign(indent)
        outer = self.scope
        index = self.new("i")
        bounds = self.choices.of(["m", "3", "1, m", "0", f"0, {INDEX_LIMIT}, 2", "m, 0, -1", "block, 4", "m // 2, m"])
        unroll = self.choices.of(["", ", unroll_factor=2", ", unroll_factor=3", ", gm_barrier=True"])
        self.line(indent, f"for {index} in asctile.range({bounds}{unroll}):")
        self.scope = outer.copy()
        self.scope.loops.append(index)
        self.scope.ints.append(index)
        self.block(indent + "    ")
        self.line(indent + "    ", "pass")
        self.scope = outer
        return None

    def static_loop(self, indent: str) -> None:
        if len(self.scope.loops) > 1:
            return self.assign(indent)
        outer = self.scope
        index = self.new("k")
        self.line(indent, f"for {index} in asctile.static_range({1 + self.choices.below(3)}):")
        self.scope = outer.copy()
        self.scope.loops.append(index)
        self.scope.ints.append(index)
        self.block(indent + "    ")
        self.line(indent + "    ", "pass")
        self.scope = outer
        return None

    def scalar(self, indent: str) -> None:
        if self.choices.often(30):
            known = [name for name in self.scope.floats if name.startswith("f")]
            name = self.choices.of(known) if known and self.choices.often(50) else self.new("f")
            self.line(indent, f"{name} = {self.float_scalar(0)}")
            if name not in self.scope.floats:
                self.scope.floats.append(name)
            return
        known = [name for name in self.scope.ints if name.startswith("s")]
        name = self.choices.of(known) if known and self.choices.often(50) else self.new("s")
        self.line(indent, f"{name} = ({self.int_scalar(0)}) % 11")
        if name not in self.scope.ints:
            self.scope.ints.append(name)

    # --- scalar expressions -------------------------------------------------------------------------------------------

    def int_scalar(self, depth: int) -> str:
        pick = self.choices.below(10)
        if depth > 1 or pick < 5:
            return str(self.choices.of([*self.scope.ints, "block", "2", "5", "-3"]))
        left, right = self.int_scalar(depth + 1), self.int_scalar(depth + 1)
        forms = ["({} + {})", "({} - {})", "({} * {})", "asctile_min({}, {})", "asctile_max({}, {})", "({} // 3 + {})",
                 "({} % 4 - {})", "({} & {})", "({} if m > 2 else {})", "(({} << 2) | {})", "({} // -2 + {})"]  # fmt: skip
        return str(self.choices.of(forms)).format(left, right)

    def float_scalar(self, depth: int) -> str:
        pick = self.choices.below(10)
        if depth > 1 or pick < 5:
            return str(self.choices.of([*self.scope.floats, "0.5", "-2.0", "m"]))
        left, right = self.float_scalar(depth + 1), self.float_scalar(depth + 1)
        forms = ["({} + {})", "({} - {})", "({} * {} * 0.25)", "asctile_min({}, {})", "({} / 3.0 + {})"]
        return str(self.choices.of(forms)).format(left, right)

    def condition(self) -> str:
        test = f"{self.int_scalar(1)} {self.choices.of(COMPARISONS)} {self.int_scalar(1)}"
        if self.choices.often(20):
            test = f"{test} {self.choices.of(['and', 'or'])} {self.float_scalar(1)} > 0.0"
        return f"not ({test})" if self.choices.often(10) else test

    # --- tile expressions ---------------------------------------------------------------------------------------------

    def shapes(self, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Shapes that broadcast to ``shape``."""
        if len(shape) == 1:
            return [shape, (1,)]
        rows, width = shape
        return list(dict.fromkeys([shape, (1, width), (rows, 1), (width,)]))

    def leaf(self, type_: Type) -> str:
        known = [name for name, other in self.scope.tiles.items() if other == type_]
        if known:
            return str(self.choices.of(known))
        others = [
            f"{name}.to(asctile.{type_.dtype})"
            for name, other in self.scope.tiles.items()
            if other.shape == type_.shape and type_.dtype in CASTS_TO[other.dtype]
        ]
        if others:
            return str(self.choices.of(others))
        return f"asctile.full({list(type_.shape)}, {self.number(type_.dtype)}, asctile.{type_.dtype})"

    def number(self, dtype: str) -> str:
        if dtype in FLOATS:
            scalars = [name for name in self.scope.floats]
            return str(self.choices.of([*FLOAT_NUMBERS, *scalars]))
        return str(self.choices.of([*INT_NUMBERS, *self.scope.ints]))

    def operand(self, type_: Type, depth: int) -> str:
        """The right operand of an operator: a tile that broadcasts, one of a narrower type, or a number."""
        if self.choices.often(30):
            return self.number(type_.dtype)
        dtype = type_.dtype
        if dtype in WIDENS and self.choices.often(12):
            dtype = self.choices.of(WIDENS[dtype])
        shape = self.choices.of(self.shapes(type_.shape)) if self.choices.often(25) else type_.shape
        return self.tile(Type(dtype, shape), depth)

    def tile(self, type_: Type, depth: int) -> str:
        """An expression of a type."""
        if depth > 3 or not self.choices.often(75 - 12 * depth):
            return self.leaf(type_)
        dtype, deeper = type_.dtype, depth + 1
        if dtype == "int8":
            return f"({self.leaf(type_)} {self.choices.of('&|^')} {self.leaf(type_)})"
        pick = self.choices.below(100)
        if pick < 40:
            sign = self.choices.of("+-*")
            left, right = self.tile(type_, deeper), self.operand(type_, deeper)
            if self.choices.often(10) and right in (*FLOAT_NUMBERS, *INT_NUMBERS):
                left, right = right, left
            return f"({left} {sign} {right})"
        if pick < 48:
            return f"asctile.{self.choices.of(['maximum', 'minimum'])}({self.tile(type_, deeper)}, {self.operand(type_, deeper)})"
        if pick < 60:
            return self.unary(type_, deeper)
        if pick < 72:
            sources = [name for name, targets in CASTS_TO.items() if dtype in targets]
            source = self.choices.of(sources)
            mode = self.choices.of(MODES) if source in FLOATS and dtype in INTEGERS else ""
            return f"{self.tile(Type(source, type_.shape), deeper)}.to(asctile.{dtype}{mode})"
        if pick < 86:
            other = self.number(dtype) if self.choices.often(30) else self.tile(type_, deeper)
            return f"asctile.where({self.mask(type_.shape, deeper)}, {self.tile(type_, deeper)}, {other})"
        if pick < 92:
            return self.helper(type_, deeper)
        if dtype in FLOATS:
            divisor = self.tile(type_, deeper)
            return f"({self.tile(type_, deeper)} / asctile.where({divisor} == 0, 1, {divisor}))"
        if self.choices.often(50):
            return f"({self.tile(type_, deeper)} {self.choices.of(['<<', '>>'])} {self.choices.below(8)})"
        return f"({self.tile(type_, deeper)} {self.choices.of('&|^')} {self.operand(Type(dtype, type_.shape), deeper)})"

    def unary(self, type_: Type, depth: int) -> str:
        inner = self.tile(type_, depth)
        if type_.dtype == "bfloat16":
            return f"(-{inner})"
        if type_.dtype in FLOATS:
            forms = ["(-{})", "asctile.abs({})", "asctile.relu({})", "asctile.floor({})", "asctile.ceil({})",
                     "asctile.sqrt(asctile.abs({}))"]  # fmt: skip
        else:
            forms = ["(-{})", "asctile.abs({})", "asctile.relu({})", "(~{})"]
        return str(self.choices.of(forms)).format(inner)

    def mask(self, shape: tuple[int, ...], depth: int) -> str:
        dtype = self.choices.of(ELEMENTS)
        left, sign = self.tile(Type(dtype, shape), depth + 1), self.choices.of(COMPARISONS)
        right = self.number(dtype) if self.choices.often(40) else self.tile(Type(dtype, shape), depth + 1)
        test = f"({left} {sign} {right})"
        if self.choices.often(20):
            return f"({test} {self.choices.of('&|^')} {self.mask(shape, depth + 1)})"
        return f"(~{test})" if self.choices.often(10) else test

    def helper(self, type_: Type, depth: int) -> str:
        """A call of a function of two tiles and a number, written for this call."""
        name = f"{self.name}_{self.new('helper')}"
        outer, self.scope = self.scope, _Scope({"u": type_, "v": type_}, ["k"], ["0.5"], [])
        body = self.tile(type_, 2)
        again = self.tile(type_, 2)
        decorator = ["@asctile.jit"] if self.choices.often(50) else []
        self.helpers += [*decorator, f"def {name}(u, v, k):"]
        if self.choices.often(30):
            self.helpers += ["    if k > 2:", f"        u = {again}"]
        self.helpers += [f"    return {body}", "", ""]
        self.scope = outer
        return f"{name}({self.tile(type_, depth)}, {self.tile(type_, depth)}, {self.int_scalar(1)})"


HEAD = '''from pyasc_transpile import asctile


def asctile_min(a, b):
    return min(a, b)


def asctile_max(a, b):
    return max(a, b)


'''


def decode(data: bytes, name: str = "kernel") -> RandomKernel:
    """The kernel that a byte string stands for."""
    return Writer(data, name).kernel()
