"""mask: elementwise operations on the first elements of the innermost dimension only.

Inside of the context every elementwise operation is followed by a selection between its result and ``other``.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

import numpy as np

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.graph import Node, Operand, Region, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor, PlainValue, Value
from . import scalars, typing
from .registry import Operation, on_all, register

_WORD = 64
_MASK_BITS = 2 * _WORD


class mask:
    """Limit the elementwise operations of a ``with`` block to some elements of the innermost dimension.

    ``with asctile.mask(count=n): y = x * 2`` doubles the first n elements of every row; the others of y are ``other``.
    Affected are arithmetic, bit operations, shifts and functions of one tile; not comparisons, ``where``, casts, fills,
    reductions, shape functions and transfers. Of nested masks the inner one counts. Names bound inside stay bound.

    Args:
        count: how many elements of each row, an int or integer scalar; more than there are means all.
        bits: instead of count, two ints or integer scalars of 64 bits: bit i of the second one selects element i, bit i
            of the first one element 64 + i. For rows of at most 128 elements.
        other: number or scalar for the elements that are not selected, converted to the type of each result.

    Raises:
        ValueError: neither or both of count and bits, or not two words of bits.
        TypeError: an argument of another kind.
        RuntimeError: a negative count, or (inside) bits with rows of more than 128 elements.
    """

    def __init__(self, *, count: Any = None, bits: Any = None, other: Any = 0) -> None:
        if (count is None) == (bits is None):
            raise ValueError("mask needs either count or bits" + ("" if count is None else ", not both"))
        if not typing.is_scalar(other):
            raise TypeError(f"other must be a number or a scalar, not {typing.describe(other)}")
        self.other = other
        self.by_count = count is not None
        self.operands: list[Operand] = [_check_count(count)] if self.by_count else _check_bits(bits)
        self._made: list[tuple[Region, tuple[int, ...], LocalTensor]] = []

    def __enter__(self) -> None:
        current_builder().masks.append(self)

    def __exit__(self, *error: Any) -> None:
        current_builder().masks.pop()

    def select(self, result: LocalTensor) -> LocalTensor:
        """``result`` where the mask has a one, ``other`` elsewhere."""
        builder = current_builder()
        if not self.by_count and result.shape[-1] > _MASK_BITS:
            width = unnamed(result.shape[-1])
            raise RuntimeError(f"bits select among {_MASK_BITS} elements, but the rows have {width}; use count")
        other = typing.number_for(self.other, result.dtype, "other")
        chosen = builder.emit("where", [self._tile(result.shape), result, other], [result.type]).result
        assert isinstance(chosen, LocalTensor)
        return chosen

    def _tile(self, shape: tuple[int, ...]) -> LocalTensor:
        """The mask for tiles of ``shape``: made once and used again where it is visible."""
        builder = current_builder()
        for region, known, tile in self._made:
            if known == shape and any(region is one for one in builder.open_regions):
                return tile
        attrs = {"by_count": self.by_count}
        made = builder.emit("column_mask", self.operands, [TileType(dtypes.int1, shape)], attrs).result
        assert isinstance(made, LocalTensor)
        self._made.append((builder.open_regions[-1], shape, made))
        return made


def _check_count(count: Any) -> Operand:
    number: Operand = scalars.as_index(count, "count")
    if isinstance(number, int) and number < 0:
        raise RuntimeError(f"count must not be negative, but is {unnamed(number)}")
    return number


def _check_bits(bits: Any) -> list[Operand]:
    if not isinstance(bits, (list, tuple)):
        raise TypeError(f"bits must be two ints or integer scalars, not {typing.describe(bits)}")
    if len(bits) != 2:
        raise ValueError(f"bits must be two words of 64 bits, (high, low), but there are {len(bits)}")
    words: list[Operand] = []
    for word in bits:
        number = scalars.python_number(word)
        if isinstance(number, PlainValue) and number.dtype.is_int() and not number.dtype.is_bool():
            words.append(scalars.cast(number, dtypes.int64))
        elif isinstance(number, int) and not isinstance(number, (bool, Value)):
            if not -(2 ** (_WORD - 1)) <= number < 2**_WORD:
                raise TypeError(f"{unnamed(number)} does not fit into the 64 bits of a mask")
            words.append(int(unnamed(number)) - 2**_WORD if number >= 2 ** (_WORD - 1) else int(unnamed(number)))
        else:
            raise TypeError(f"bits must be ints or integer scalars, not {typing.describe(word)}")
    return words


def masked(result: Any) -> Any:
    """The result of an elementwise operation as the innermost ``mask`` leaves it."""
    masks = current_builder().masks
    if not masks or masks[-1] is None or result.dtype.is_bool():
        return result
    return masks[-1].select(result)


@contextlib.contextmanager
def unmasked() -> Iterator[None]:
    """For functions that are made of elementwise operations but are not affected by masks themselves."""
    masks = current_builder().masks
    masks.append(None)
    try:
        yield
    finally:
        masks.pop()


def _lower(ctx: Any, node: Node) -> None:
    result = node.result
    assert isinstance(result, LocalTensor)
    if node.attrs["by_count"]:
        _lower_count(ctx, node, result.type)
    else:
        _lower_bits(ctx, node, result.type)


def _lower_count(ctx: Any, node: Node, type_: TileType) -> None:
    wide = TileType(dtypes.float32, type_.shape)
    column, pitch = ctx.scratch(wide, "column"), ctx.pitch(type_)
    start = ctx.number(0.0, dtypes.float32)
    if ctx.rows(type_) == 1:
        ctx.emit("CreateVecIndex", column, start, ctx.count(wide))
    else:
        with ctx.loop(ctx.rows(type_), "r") as row:
            ctx.emit("CreateVecIndex", column.at(row * pitch), start, ctx.number(pitch))
    count = ctx.operand(node.operands[0], dtypes.float32)
    length = ctx.compare_count(wide, column)
    ctx.emit("Compares", ctx.result(node), column, count, "CMPMODE::LT", length)


def _lower_bits(ctx: Any, node: Node, type_: TileType) -> None:
    pitch, rows = ctx.pitch(type_), ctx.rows(type_)
    if pitch % 8 and rows > 1:
        raise ctx.fail("rows of this width do not begin at a byte of the mask", "use count, or rows of a multiple of 8")
    target = ctx.result(node)
    high, low = (ctx.operand(operand, dtypes.int64) for operand in node.operands)
    values = []
    for byte in range(-(-min(int(unnamed(type_.shape[-1])), _MASK_BITS) // 8)):
        values.append(ctx.byte_of(low if byte < 8 else high, byte % 8))
    if rows == 1:
        for position, value in enumerate(values):
            ctx.emit("SetValue", target, ctx.number(position), value)
        return
    with ctx.loop(rows, "r") as row:
        for position, value in enumerate(values):
            ctx.emit("SetValue", target, row * (pitch // 8) + ctx.number(position), value)


def _selected(*numbers: Any, by_count: bool, result: TileType) -> Any:
    width = int(result.shape[-1])
    if by_count:
        row = np.arange(width) < int(numbers[0])
    else:
        words = [int(number) % 2**_WORD for number in numbers]
        both = words[0] << _WORD | words[1]
        row = np.array([bool(both >> position & 1) for position in range(width)])
    return np.broadcast_to(row, result.shape)


register(Operation("column_mask", mask, _selected, _lower, on_all("int1")))
