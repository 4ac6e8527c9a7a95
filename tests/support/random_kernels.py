"""Random kernels: source text that is valid by construction, and arguments to launch it with.

A kernel is decoded from bytes, each of which answers one question ("which operator?", "how many statements?"). Zero is
the simplest answer and missing bytes are zeros, so that shorter and smaller byte strings are simpler kernels: that is
how failures are shrunk. What a kernel computes is left to chance; what it may do is not: tiles keep their types, stores
never overlap, divisors are not zero, and everything that varies from run to run is left out.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from tests.support.random_expressions import (
    ARITHMETIC,
    FLOATS,
    INTEGERS,
    NUMPY,
    Expressions,
    Scope,
    Type,
    broadcastable,
)

from pyasc_transpile import asctile

LENGTHS = (16, 8, 1, 37, 64, 7, 100, 200, 33, 2500)
MATRICES = ((4, 16), (2, 8), (3, 5), (1, 40), (8, 7), (5, 1), (4, 33), (6, 24), (2, 3, 8), (3, 2, 5), (2, 1, 17),
            (2, 2, 2, 4), (40, 100), (300, 3))  # fmt: skip
LEADING = (2, 4, 8)  # the last of these are the extents of inputs before the last dimension
BLOCKS = (1, 2, 3)
INDEX_LIMIT = 6  # loop indices stay below
BOUNDS = ("m", "3", "1, m", "0", f"0, {INDEX_LIMIT}, 2", "m, 0, -1", "block, 4", "m // 2, m")
LOOP_OPTIONS = (
    "", ", unroll_factor=1", ", unroll_factor=2", ", unroll_factor=3", ", gm_barrier=True",
    ", unroll_factor=2, gm_barrier=True",
)  # fmt: skip
INPUTS = (*ARITHMETIC, *FLOATS, "int32", "int8")
APPROXIMATE = ("asctile.exp({})", "asctile.log({})", "asctile.rsqrt({})")
HEAD = '''from pyasc_transpile import asctile


def least(a, b):
    return min(a, b)


def greatest(a, b):
    return max(a, b)


'''


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


def decode(data: bytes, name: str = "kernel") -> RandomKernel:
    """The kernel that a byte string stands for."""
    return Writer(data, name).kernel()


class Writer(Expressions):
    """Writes one kernel from the answers of ``choices``."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data, name)
        self.seed = zlib.crc32(data)
        self.lines: list[str] = []
        self.budget = 0
        self.inputs: dict[str, str] = {}
        self.outputs: dict[str, tuple[str, int]] = {}
        self.last_store: Optional[tuple[str, Type, list[str], str]] = None

    def kernel(self) -> RandomKernel:
        c = self.choices
        self.matrix = c.often(40)
        self.full: tuple[int, ...] = c.of(MATRICES) if self.matrix else (c.of(LENGTHS),)
        self.leading = LEADING[len(LEADING) - len(self.full) + 1 :]
        self.width = self.full[-1] * 2 + 1
        self.blocks = c.of(BLOCKS)
        self.n = max(self.full[-1] * (1 + c.below(4)) - c.below(4), 1)
        self.m = c.below(INDEX_LIMIT)
        self.budget = 4 + c.below(20)
        self.scope = Scope({}, ["m", "n", "block"], ["alpha"], [])
        for position in range(1 + c.below(3)):
            self.inputs[f"in{position}_ptr"] = c.of(INPUTS)
        for _ in range(1 + c.below(3)):
            self.load("    ")
        self.block("    ")
        self.store("    ")
        parameters = [*self.inputs, *self.outputs, "n", "m", "alpha"]
        head = ["@asctile.jit", f"def {self.name}({', '.join(parameters)}):", "    block = asctile.block_idx()"]
        for position, pointer in enumerate(self.inputs):
            width = "n" if position % 2 or not self.matrix else str(self.width)
            shape = ", ".join([*map(str, self.leading), width])
            head.append(f"    in{position} = asctile.global_tensor({pointer}, [{shape}])")
        source = "\n".join([*self.helpers, *head, *self.lines, "", ""])
        scalars = {"n": self.n, "m": self.m, "alpha": 0.75}
        size = 1 + int(np.prod(self.leading)) * max(self.n, self.width)
        return RandomKernel(self.name, source, self.blocks, self.inputs, self.outputs, scalars, size, self.seed)

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
            (22, self.load), (26, self.assign), (16, self.store), (8, self.branch), (10, self.loop), (8, self.scalar),
            (4, self.static_loop), (5, self.tail), (5, self.reload), (3, self.store_scalar), (5, self.leave),
            (4 if hasattr(asctile, "atomic_add") else 0, self.atomic),
            (4 if hasattr(asctile, "mask") else 0, self.masked),
            (4 if hasattr(asctile, "gather") else 0, self.gather),
            (3 if hasattr(asctile, "scatter") else 0, self.scatter), (5, self.through_memory),
        ]  # fmt: skip
        self.choices.weighted(kinds)(indent)

    def offset(self) -> str:
        """A place in an input, in elements, never negative and below a few hundred."""
        options = ["0", "3", f"block * {self.full[-1]}", "m", "m * 2 + block", "n // 3"]
        options += [f"{index} * {self.full[-1]}" for index in self.scope.loops] + self.scope.loops
        return str(self.choices.of(options))

    def load(self, indent: str) -> None:
        position = self.choices.below(len(self.inputs))
        dtype = self.inputs[f"in{position}_ptr"]
        shape = self.choices.of(broadcastable(self.full)) if self.choices.often(20) else self.full
        shape = (1,) * (len(self.full) - len(shape)) + shape
        starts = [*(self.choices.of(["0", "m % 3", "block"]) for _ in shape[1:]), self.offset()]
        options = f"pad_value={self.choices.of(['0', '1', '-2'])}"
        if self.choices.often(20):
            limits = [f"least(m + 1, {n})" if self.choices.often(50) else str(max(n // 2, 1)) for n in shape]
            options += f", real_shape=[{', '.join(limits)}]"
        name = self.target(Type(dtype, shape))
        self.line(indent, f"{name} = asctile.copy_in(in{position}, [{', '.join(starts)}], {list(shape)}, {options})")

    def target(self, type_: Type) -> str:
        """A name to bind: one that has such a value already, or a new one."""
        known = [name for name, other in self.scope.tiles.items() if other == type_]
        name = str(self.choices.of(known)) if known and self.choices.often(45) else self.new("t")
        self.scope.tiles[name] = type_
        return name

    def assign(self, indent: str) -> None:
        type_ = self.some_type()
        text = self.tile(type_, 0)
        self.line(indent, f"{self.target(type_)} = {text}")

    def masked(self, indent: str) -> None:
        """Elementwise operations on a part of each row."""
        limit = self.choices.of(["3", "1", "m", "200", "m * 5"])
        self.line(indent, f"with asctile.mask(count={limit}, other={self.choices.of(['0', '1', '-3'])}):")
        self.assign(indent + "    ")

    def some_type(self) -> Type:
        known = [t for t in self.scope.tiles.values() if t.dtype != "int8"]
        if known and self.choices.often(60):
            return self.choices.of(known)  # type: ignore[no-any-return]
        shape = self.choices.of(broadcastable(self.full)) if self.choices.often(15) else self.full
        return Type(self.choices.of(ARITHMETIC), shape)

    def slab(self, dtype: str, size: int, output: str = "") -> str:
        """Address of ``size`` elements of an output that no other statement writes."""
        pointer = output or f"out_{dtype}_ptr"
        begin = self.outputs.get(pointer, (dtype, 0))[1]
        self.outputs[pointer] = (dtype, begin + size)
        return f"{pointer} + {begin}" if begin else pointer

    @property
    def runs(self) -> int:
        """How often a statement here runs at most, in all blocks."""
        return int(self.blocks * INDEX_LIMIT ** len(self.scope.loops))

    @property
    def run_number(self) -> str:
        """A number that differs whenever a statement here runs."""
        number = "block"
        for index in self.scope.loops:
            number = f"({number} * {INDEX_LIMIT} + {index})"
        return number

    def store(self, indent: str) -> None:
        tiles = list(self.scope.tiles.values())
        type_ = self.choices.of(tiles) if tiles and self.choices.often(70) else self.some_type()
        text = self.tile(type_, 1)
        approximate = type_.dtype == "float32" and self.choices.often(15)
        if approximate:
            text = str(self.choices.of(APPROXIMATE)).format(text)
        extents = [extent + (self.choices.below(3) if position else 0) for position, extent in enumerate(type_.shape)]
        base = self.slab(type_.dtype, self.runs * int(np.prod(extents)), "approx_ptr" if approximate else "")
        shape = [max(self.runs * extents[0] - self.choices.below(2), 1), *extents[1:]]
        starts = [f"{self.run_number} * {extents[0]}", *("0" for _ in extents[1:])]
        real = f", real_shape={[max(n - 1, 1) for n in type_.shape]}" if self.choices.often(12) else ""
        tensor = f"asctile.global_tensor({base}, {shape})"
        self.line(indent, f"asctile.copy_out({text}, {tensor}, [{', '.join(starts)}]{real})")
        self.last_store = None if approximate else (tensor, type_, starts, indent)

    def reload(self, indent: str) -> None:
        """Read back what the statement before stored."""
        just_stored = self.lines and self.lines[-1].startswith(f"{indent}asctile.copy_out")
        if self.last_store is None or self.last_store[3] != indent or not just_stored:
            return self.load(indent)
        tensor, type_, starts, _ = self.last_store
        where = f"{tensor}, [{', '.join(starts)}], {list(type_.shape)}, pad_value=1"
        return self.line(indent, f"{self.target(type_)} = asctile.copy_in({where})")

    def store_scalar(self, indent: str) -> None:
        dtype = self.choices.of(["int32", "float32", "int16", "float16"])
        text = self.float_scalar(0) if dtype in FLOATS else self.int_scalar(0)
        tensor = f"asctile.global_tensor({self.slab(dtype, self.runs)}, [{self.runs}])"
        self.line(indent, f"asctile.copy_out({text}, {tensor}, [{self.run_number}])")

    def atomic(self, indent: str) -> None:
        """All blocks and iterations combine into one place, with operations whose order does not matter."""
        type_ = Type(self.choices.of(INTEGERS), self.full)
        text = self.tile(type_, 1)
        tensor = f"asctile.global_tensor({self.slab(type_.dtype, int(np.prod(self.full)))}, {list(self.full)})"
        function = self.choices.of(["atomic_add", "atomic_max", "atomic_min"])
        self.line(indent, f"asctile.{function}({text}, {tensor}, {[0] * len(self.full)})")

    def gather(self, indent: str) -> None:
        """Rows of a matrix, some of them outside of it."""
        position = 2 * self.choices.below((len(self.inputs) + 1) // 2)  # inputs of a width that is known
        if len(self.full) != 2:
            return self.load(indent)
        dtype, count = self.inputs[f"in{position}_ptr"], self.choices.of([3, 8, 1])
        block = 32 // NUMPY[dtype].itemsize
        type_ = Type(dtype, (count, -(-self.width // block) * block))
        index = self.tile(Type("int32", (count,)), 2)
        options = ", num_indices=m" if self.choices.often(25) and count == 8 else ""
        text = f"asctile.gather(in{position}, [m % 3], 0, {index}, pad_value={self.choices.of(['0', '2'])}{options})"
        return self.line(indent, f"{self.target(type_)} = {text}")

    def scatter(self, indent: str) -> None:
        """Rows to places in a slab of this run, some of them more than once."""
        type_ = Type(self.choices.of(ARITHMETIC), (self.choices.of([3, 1, 5]), self.full[-1]))
        index = f"({self.tile(Type('int32', type_.shape[:1]), 2)} & 7)"
        base, runs = self.slab(type_.dtype, self.runs * 8 * self.full[-1]), self.runs
        tensor = f"asctile.global_tensor({base}, [{runs * 8}, {self.full[-1]}])"
        text = f"{self.tile(type_, 2)}, 0, {index}, {tensor}, [{self.run_number} * 8]"
        self.line(indent, f"asctile.scatter({text})")

    def through_memory(self, indent: str) -> None:
        """A loop whose iterations find in global memory what earlier ones left there, each run in a slab of its own."""
        if len(self.scope.loops) > 1:
            return self.load(indent)
        dtype, length = self.choices.of(ARITHMETIC), self.choices.of([16, 8, 37])
        room = (INDEX_LIMIT + 2) * length
        base, runs = self.slab(dtype, self.runs * room), self.runs
        start, tensor, index, name = f"{self.run_number} * {room}", self.new("g"), self.new("i"), self.new("t")
        step = f"{index} * {length}"
        places = [step, f"{step} + {length}", "0", f"{index} % 2 * {length}", f"{index} + 1"]
        if self.choices.often(40):
            read, write = self.choices.of([(step, f"{step} + {length}"), (f"{step} + {length}", step)])
        else:
            read, write = self.choices.of(places), self.choices.of(places)
        order = f"gm_barrier=True{self.choices.of(['', ', unroll_factor=1', ', unroll_factor=2', ', unroll_factor=3'])}"
        self.line(indent, f"{tensor} = asctile.global_tensor({base}, [{runs * room}])")
        self.line(indent, f"for {index} in asctile.range({self.choices.of(BOUNDS)}, {order}):")
        self.line(indent, f"    {name} = asctile.copy_in({tensor}, [{start} + {read}], [{length}])")
        addend = index if self.choices.often(50) else "1"
        self.line(indent, f"    asctile.copy_out({name} + {addend}, {tensor}, [{start} + {write}])")
        if self.choices.often(30):
            self.line(indent, f"    asctile.copy_out({name} - 1, {tensor}, [{start} + {read}])")
        return None

    def tail(self, indent: str) -> None:
        """The usual way to handle the end of a tensor: undefined elements are computed with but never stored."""
        position = self.choices.below(len(self.inputs))
        dtype = self.inputs[f"in{position}_ptr"]
        if self.matrix or len(self.scope.loops) > 1 or (self.scope.loops and self.blocks > 1):
            return self.load(indent)
        start = f"{self.scope.loops[-1] if self.scope.loops else 'block'} * {self.full[0]}"
        name = self.new("t")
        self.line(indent, f"{name} = asctile.copy_in(in{position}, [{start}], [{self.full[0]}])")
        others = [other for other, type_ in self.scope.tiles.items() if type_ == Type(dtype, self.full)]
        if others and dtype != "int8":
            text = f"{name} {self.choices.of('+-*')} {self.choices.of(others)}"
        else:
            text = f"{name} * 0.5 + 1" if dtype in FLOATS else f"{name} | {name}"
        tensor = f"asctile.global_tensor({self.slab(dtype, self.n)}, [n])"
        return self.line(indent, f"asctile.copy_out({text}, {tensor}, [{start}])")

    def inside(self, head: str, indent: str, loop: str = "", breakable: bool = True, first: str = "pass") -> None:
        """A nested block: names that are new in it are not seen outside."""
        outer, self.scope = self.scope, self.scope.copy()
        if loop:
            self.scope.loops.append(loop)
            self.scope.ints.append(loop)
            self.scope.breakable = breakable
        self.line(indent, head)
        if first != "pass":
            self.line(indent, f"    {first}")
        self.block(indent + "    ")
        self.line(indent, "    pass")
        self.scope = outer

    def branch(self, indent: str) -> None:
        self.inside(f"if {self.condition()}:", indent)
        if self.choices.often(50):
            self.inside("else:", indent)

    def loop(self, indent: str) -> None:
        if len(self.scope.loops) > 1:
            return self.assign(indent)
        index = self.new("i")
        if self.choices.often(25):
            self.line(indent, f"{index} = 0")
            limit = self.choices.of(["m", "3", "m - 1", "block"])
            return self.inside(f"while {index} < {limit}:", indent, index, first=f"{index} = {index} + 1")
        head = f"for {index} in asctile.range({self.choices.of(BOUNDS)}{self.choices.of(LOOP_OPTIONS)}):"
        return self.inside(head, indent, index)

    def static_loop(self, indent: str) -> None:
        if len(self.scope.loops) > 1:
            return self.assign(indent)
        index = self.new("k")
        head = f"for {index} in asctile.static_range({1 + self.choices.below(3)}):"
        return self.inside(head, indent, index, breakable=False)

    def leave(self, indent: str) -> None:
        """End a loop, or an iteration, early."""
        if not self.scope.breakable:
            return self.assign(indent)
        self.line(indent, f"if {self.condition()}:")
        return self.line(indent, f"    {self.choices.of(['break', 'continue'])}")

    def scalar(self, indent: str) -> None:
        floating = self.choices.often(35)
        known_of = self.scope.floats if floating else self.scope.ints
        own = [name for name in known_of if name[0] in "fs" and name[1:].isdigit()]
        name = self.choices.of(own) if own and self.choices.often(50) else self.new("f" if floating else "s")
        dtype = "float32" if floating else "int32"
        tiles = [tile for tile, type_ in self.scope.tiles.items() if type_.dtype == dtype]
        inputs = [pointer[: -len("_ptr")] for pointer, element in self.inputs.items() if element == dtype]
        text = self.float_scalar(0) if floating else self.int_scalar(0)
        if tiles and hasattr(asctile, "reduce_max") and self.choices.often(25):
            text = f"asctile.{self.choices.of(['reduce_max', 'reduce_min'])}({self.choices.of(tiles)})"
        elif inputs and self.choices.often(25):
            text = f"asctile.copy_in({self.choices.of(inputs)}, [{'0, ' * len(self.leading)}m])"
        self.line(indent, f"{name} = {text}" if floating else f"{name} = ({text}) % 11")
        if name not in known_of:
            known_of.append(name)
