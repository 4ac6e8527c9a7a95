"""int64 where the vector unit has none: every instruction as instructions on 32-bit halves.

A piece of a tile of 64-bit elements is taken apart with Gather into *halves*: the low words of its elements, then the
high words.  They are computed with as numbers of two digits and gathered back in order.  A piece has :data:`PIECE`
elements, so that the memory for this does not grow with the tile.

An entry of :data:`EXPANSIONS` takes the arguments of the instruction that it stands for.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.types import TileType
from . import strided

PIECE = 256  # a multiple of 256: the mask of a piece begins at a block
_SIGN = 31


@dataclass(frozen=True)
class Halves:
    """Low and high words of at most PIECE elements: two tiles of int32, one behind the other in memory."""

    low: Any
    high: Any


# --- tables of byte offsets -------------------------------------------------------------------------------------------


def _low_words(ctx: Any) -> Any:
    """Where the low words of elements are: 0, 8, 16, …"""

    def make(table: Any) -> None:
        ctx.emit("CreateVecIndex", table, ctx.number(0), ctx.number(PIECE))
        ctx.emit("Muls", table, table, ctx.number(8), ctx.number(PIECE))

    return _table(ctx, "low_words", PIECE, make)


def _word_pairs(ctx: Any, name: str, group: int, step: int, high: int) -> Any:
    """Pairs of words ``k * step`` and ``k * step + high``: ``group`` pairs with k = 0, as many with k = 1, …"""

    def make(table: Any) -> None:
        count = ctx.number(2 * PIECE)
        pair, even = (ctx.scratch(TileType(dtypes.int32, (2 * PIECE,)), each) for each in ("pair", "even"))
        ctx.emit("CreateVecIndex", table, ctx.number(0), count)
        ctx.emit("ShiftRight", pair, table, ctx.number(1), count)
        ctx.emit("Muls", even, pair, ctx.number(2), count)
        ctx.emit("Sub", table, table, even, count)  # 0, 1, 0, 1, …
        ctx.emit("Muls", table, table, ctx.number(high), count)
        if group > 1:
            ctx.emit("ShiftRight", pair, pair, ctx.number(group.bit_length() - 1), count)
        ctx.emit("Muls", pair, pair, ctx.number(step), count)
        ctx.emit("Add", table, table, pair, count)

    return _table(ctx, name, 2 * PIECE, make)


def _table(ctx: Any, name: str, elements: int, make: Callable[[Any], None]) -> Any:
    return ctx.constant_tile(name, TileType(dtypes.int32, (elements,)), make).reinterpret(dtypes.uint32)


# --- pieces -----------------------------------------------------------------------------------------------------------


class _Piece:
    """Instructions on the halves of ``count`` elements from ``start`` on."""

    def __init__(self, ctx: Any, start: Any, count: int) -> None:
        self.ctx, self.start, self.count = ctx, start, count

    def new(self, name: str) -> Halves:
        tile = self.ctx.scratch(TileType(dtypes.int32, (2 * PIECE,)), name)
        return Halves(tile, tile.at(self.ctx.number(PIECE)))

    def words(self, name: str) -> Any:
        return self.ctx.scratch(TileType(dtypes.int32, (PIECE,)), name)

    def load(self, tile: Any, name: str) -> Halves:
        """The halves of this piece of a tile."""
        return self.gathered(tile.at(self.start), _low_words(self.ctx), self.ctx.number(0), name)

    def gathered(self, source: Any, offsets: Any, base: Any, name: str) -> Halves:
        """The halves of the elements at byte offsets of ``source``."""
        halves, words = self.new(name), source.reinterpret(dtypes.int32)
        for target, first in ((halves.low, base), (halves.high, base + self.ctx.number(4))):
            self.ctx.emit("Gather", target, words, offsets, first, self.ctx.number(self.count))
        return halves

    def store(self, tile: Any, halves: Halves) -> None:
        """Put this piece of a tile together."""
        offsets = _word_pairs(self.ctx, "both_words", 1, 4, 4 * PIECE)
        target = tile.at(self.start).reinterpret(dtypes.int32)
        self.ctx.emit("Gather", target, halves.low, offsets, self.ctx.number(0), self.ctx.number(2 * self.count))

    def full(self, number: Any, name: str) -> Halves:
        """Halves of elements that are all ``number``."""
        halves = self.new(name)
        for target, word in zip((halves.low, halves.high), self.ctx.words_of(number)):
            self.ctx.emit("Duplicate", target, word, self.ctx.number(self.count))
        return halves

    def emit(self, instruction: str, target: Any, *operands: Any) -> Any:
        self.ctx.emit(instruction, target, *operands, self.ctx.number(self.count))
        return target

    def bits(self, instruction: str, target: Any, *operands: Any) -> Any:
        """And, Or, Not of words."""
        parts = [tile.reinterpret(dtypes.uint16) for tile in (target, *operands)]
        self.ctx.emit(instruction, *parts, self.ctx.number(2 * self.count))
        return target

    def shift(self, instruction: str, target: Any, source: Any, amount: Any, dtype: DataType = dtypes.uint32) -> Any:
        number = self.ctx.cast(amount, dtype) if not isinstance(amount, int) else self.ctx.number(amount, dtype)
        self.emit(instruction, target.reinterpret(dtype), source.reinterpret(dtype), number)
        return target

    def sign_mask(self, target: Any, source: Any) -> Any:
        """-1 where a word is negative, else 0."""
        return self.shift("ShiftRight", target, source, _SIGN, dtypes.int32)

    # numbers of two digits; a target may be an operand

    def add(self, target: Halves, a: Halves, b: Halves) -> None:
        both, either, total = self.words("both"), self.words("either"), self.words("sum")
        self.bits("And", both, a.low, b.low)
        self.bits("Or", either, a.low, b.low)
        self.emit("Add", total, a.low, b.low)
        self.emit("Add", target.high, a.high, b.high)
        self.carry(both, either, self.bits("Not", self.words("spare"), total))
        self.emit("Add", target.high, target.high, both)
        self.emit("Add", target.low, a.low, b.low)

    def carry(self, both: Any, either: Any, missing: Any) -> Any:
        """1 in ``both`` where the highest bit of (both | either & missing) is set, else 0."""
        self.bits("And", either, either, missing)
        self.bits("Or", both, both, either)
        return self.shift("ShiftRight", both, both, _SIGN)

    def subtract(self, target: Halves, a: Halves, b: Halves) -> None:
        both, either, total = self.words("both"), self.words("either"), self.words("difference")
        self.bits("Not", total, a.low)
        self.bits("And", both, total, b.low)
        self.bits("Or", either, total, b.low)
        self.emit("Sub", total, a.low, b.low)
        self.emit("Sub", target.high, a.high, b.high)
        self.carry(both, either, total)
        self.emit("Sub", target.high, target.high, both)
        self.emit("Sub", target.low, a.low, b.low)

    def multiply(self, target: Halves, a: Halves, b: Halves) -> None:
        digits = {}  # of 16 bits
        for name, tile in (("a", a.low), ("b", b.low)):
            high = self.shift("ShiftRight", self.words(f"{name}_digit1"), tile, 16)
            low = self.words(f"{name}_digit0")
            self.shift("ShiftRight", low, self.shift("ShiftLeft", low, tile, 16), 16)
            digits[name] = (low, high)
        (a0, a1), (b0, b1) = digits["a"], digits["b"]
        cross, middle, part = self.words("cross"), self.words("middle"), self.words("part")
        high = self.words("high")
        self.emit("Mul", cross, a.low, b.high)
        self.emit("Mul", high, a.high, b.low)
        self.emit("Add", high, high, cross)
        self.emit("Mul", part, a1, b1)
        self.emit("Add", high, high, part)
        self.emit("Mul", middle, a0, b0)
        self.shift("ShiftRight", middle, middle, 16)
        for one, other in ((a1, b0), (a0, b1)):
            self.emit("Mul", cross, one, other)
            self.emit("Add", high, high, self.shift("ShiftRight", part, cross, 16))
            self.shift("ShiftRight", cross, self.shift("ShiftLeft", cross, cross, 16), 16)
            self.emit("Add", middle, middle, cross)
        self.shift("ShiftRight", middle, middle, 16)
        self.emit("Add", target.high, high, middle)
        self.emit("Mul", target.low, a.low, b.low)

    def less(self, a: Halves, b: Halves) -> Any:
        """-1 where a < b, else 0: by the sign of a - b where their signs are the same, else by that of a."""
        difference = self.new("order")
        self.subtract(difference, a, b)
        positive, either = self.bits("Not", self.words("positive"), b.high), self.words("either")
        self.bits("Or", either, a.high, positive)
        self.bits("And", positive, a.high, positive)
        self.bits("And", either, either, difference.high)
        self.bits("Or", positive, positive, either)
        return self.sign_mask(positive, positive)

    def extreme(self, target: Halves, a: Halves, b: Halves, largest: bool) -> None:
        mask = self.less(a, b) if largest else self.less(b, a)
        other, part = self.bits("Not", self.words("other"), mask), self.words("part")
        for to, first, second in ((target.low, a.low, b.low), (target.high, a.high, b.high)):
            self.bits("And", part, first, other)
            self.bits("And", to, second, mask)
            self.bits("Or", to, to, part)

    def shift_left(self, target: Halves, a: Halves, bits: Any) -> None:
        whole, rest, opposite = self._amounts(bits)
        self._moved(target.high, a.high, a.low, whole)
        self._moved(target.low, a.low, None, whole)
        crossing = self.shift("ShiftRight", self.words("crossing"), target.low, 1)
        self.shift("ShiftRight", crossing, crossing, opposite)
        self.shift("ShiftLeft", target.high, target.high, rest)
        self.bits("Or", target.high, target.high, crossing)
        self.shift("ShiftLeft", target.low, target.low, rest)

    def shift_right(self, target: Halves, a: Halves, bits: Any) -> None:
        whole, rest, opposite = self._amounts(bits)
        self._moved(target.low, a.low, a.high, whole)
        self._moved(target.high, a.high, self.sign_mask(self.words("sign"), a.high), whole)
        crossing = self.shift("ShiftLeft", self.words("crossing"), target.high, 1)
        self.shift("ShiftLeft", crossing, crossing, opposite)
        self.shift("ShiftRight", target.low, target.low, rest)
        self.bits("Or", target.low, target.low, crossing)
        self.shift("ShiftRight", target.high, target.high, rest, dtypes.int32)

    def _moved(self, target: Any, word: Any, other: Any, whole: Any) -> None:
        """``word`` if ``whole`` is 0, ``other`` (None: zeros) if it is 1."""
        self.emit("Muls", target, word, self.ctx.number(1) - whole)
        if other is not None:
            self.emit("Add", target, target, self.emit("Muls", self.words("moved"), other, whole))

    def _amounts(self, bits: Any) -> tuple[Any, Any, Any]:
        """Of a shift by ``bits``: whether by a whole word, by how much within it, and 31 minus that."""
        bits = self.ctx.cast(bits, dtypes.int32)
        whole = self.ctx.quotient(bits, 32).named("words")
        rest = (bits - whole * 32).named("bits")
        return whole, rest, self.ctx.number(31) - rest


def _pieces(ctx: Any, count: Any) -> Iterator[_Piece]:
    """The pieces of ``count`` elements; whole ones in a loop of the text."""
    for start, length in strided.chunks(ctx, ctx.constant(count), PIECE):
        yield _Piece(ctx, start, length)


# --- instructions -----------------------------------------------------------------------------------------------------

_Step = Callable[[_Piece, Halves, Halves, Halves], None]


def _combined(step: _Step) -> Callable[..., None]:
    """Of two tiles."""

    def expand(ctx: Any, target: Any, left: Any, right: Any, count: Any) -> None:
        for piece in _pieces(ctx, count):
            first = piece.load(left, "left")
            step(piece, first, first, piece.load(right, "right"))
            piece.store(target, first)

    return expand


def _with_number(step: _Step) -> Callable[..., None]:
    """Of a tile and a number."""

    def expand(ctx: Any, target: Any, source: Any, number: Any, count: Any) -> None:
        other = _Piece(ctx, ctx.number(0), min(ctx.constant(count), PIECE)).full(number, "number")
        for piece in _pieces(ctx, count):
            halves = piece.load(source, "left")
            step(piece, halves, halves, other)
            piece.store(target, halves)

    return expand


def _multiplied(ctx: Any, target: Any, source: Any, number: Any, count: Any) -> None:
    if ctx.constant(number) == -1:
        _with_number(lambda piece, to, a, zero: piece.subtract(to, zero, a))(
            ctx, target, source, ctx.number(0, dtypes.int64), count
        )
    else:
        _with_number(_Piece.multiply)(ctx, target, source, number, count)


def _shifted(step: Callable[[_Piece, Halves, Halves, Any], None]) -> Callable[..., None]:
    def expand(ctx: Any, target: Any, source: Any, bits: Any, count: Any) -> None:
        for piece in _pieces(ctx, count):
            halves = piece.new("shifted")
            step(piece, halves, piece.load(source, "left"), bits)
            piece.store(target, halves)

    return expand


def _fill(ctx: Any, target: Any, number: Any, count: Any) -> None:
    total = ctx.constant(count)
    low, high = ctx.words_of(number)
    if ctx.constant(low) is not None and ctx.constant(low) == ctx.constant(high):
        ctx.emit("Duplicate", target.reinterpret(dtypes.int32), low, ctx.number(2 * total))
        return
    halves = _Piece(ctx, ctx.number(0), min(total, PIECE)).full(number, "number")
    for piece in _pieces(ctx, count):
        piece.store(target, halves)


def _fill_with_first(ctx: Any, target: Any, source: Any, count: Any) -> None:
    offsets = _word_pairs(ctx, "first_words", 1, 0, 4)
    to, come = (tile.reinterpret(dtypes.int32) for tile in (target, source))
    for start, length in strided.chunks(ctx, 2 * ctx.constant(count), 2 * PIECE):
        ctx.emit("Gather", to.at(start), come, offsets, ctx.number(0), ctx.number(length))


def _gather(ctx: Any, target: Any, source: Any, offsets: Any, base: Any, count: Any) -> None:
    for piece in _pieces(ctx, count):
        piece.store(target, piece.gathered(source, offsets.at(piece.start), base, "gathered"))


def _select(ctx: Any, target: Any, bits: Any, left: Any, right: Any, mode: str, count: Any) -> None:
    for piece in _pieces(ctx, count):
        first = piece.load(left, "left")
        _choose(piece, bits, first, piece.load(right, "right"), mode)
        piece.store(target, first)


def _select_number(ctx: Any, target: Any, bits: Any, left: Any, number: Any, mode: str, count: Any) -> None:
    other = _Piece(ctx, ctx.number(0), min(ctx.constant(count), PIECE)).full(number, "number")
    for piece in _pieces(ctx, count):
        first = piece.load(left, "left")
        _choose(piece, bits, first, other, "SELMODE::VSEL_TENSOR_TENSOR_MODE")
        piece.store(target, first)


def _choose(piece: _Piece, bits: Any, first: Halves, second: Halves, mode: str) -> None:
    mask = bits.at(piece.ctx.quotient(piece.start, 8))
    for pair in ((first.low, second.low), (first.high, second.high)):
        a, b = (tile.reinterpret(dtypes.float32) for tile in pair)
        piece.ctx.emit("Select", a, mask, a, b, mode, piece.ctx.number(piece.count))


EXPANSIONS: Mapping[str, Callable[..., None]] = {
    "Add": _combined(_Piece.add),
    "Sub": _combined(_Piece.subtract),
    "Mul": _combined(_Piece.multiply),
    "Max": _combined(functools.partial(_Piece.extreme, largest=True)),
    "Min": _combined(functools.partial(_Piece.extreme, largest=False)),
    "Adds": _with_number(_Piece.add),
    "Muls": _multiplied,
    "Maxs": _with_number(functools.partial(_Piece.extreme, largest=True)),
    "Mins": _with_number(functools.partial(_Piece.extreme, largest=False)),
    "ShiftLeft": _shifted(_Piece.shift_left),
    "ShiftRight": _shifted(_Piece.shift_right),
    "Duplicate": _fill,
    "DuplicateFirst": _fill_with_first,
    "Gather": _gather,
    "Select": _select,
    "SelectScalar": _select_number,
}
# These only move elements, so they do it for unsigned ones as well.
_MOVES = ("Duplicate", "DuplicateFirst", "Gather", "ShiftLeft", "Select", "SelectScalar")


def expands(instruction: str, dtype: DataType) -> bool:
    """Whether ``instruction`` on elements of ``dtype`` can be made of others."""
    return dtype == dtypes.int64 and instruction in EXPANSIONS or dtype == dtypes.uint64 and instruction in _MOVES


def spread_blocks(ctx: Any, packed: Any, count: int, target: Any, pitch: int) -> None:
    """Every element of a packed column all over a block, the blocks ``pitch`` elements apart."""
    offsets = _word_pairs(ctx, "block_words", 4, 8, 4)
    rows = PIECE // 4  # that one table serves
    for start, length in strided.portions(count, rows):
        packs = pitch == 4
        blocks = target.at(ctx.number(4 * start)) if packs else strided.scratch(ctx, dtypes.int64, PIECE, "blocks")
        words, source = blocks.reinterpret(dtypes.int32), packed.reinterpret(dtypes.int32)
        ctx.emit("Gather", words, source, offsets, ctx.number(8 * start), ctx.number(8 * length))
        if not packs:
            shape = ctx.parameters("DataCopyParams", length, 1, 0, pitch // 4 - 1, hint="spread")
            ctx.emit("CopyBlocks", target.at(ctx.number(start * pitch)), blocks, shape)
