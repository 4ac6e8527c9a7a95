"""Comparisons and where.

A comparison gives a tile of int1, stored as one bit per element.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import scalars, typing
from .conversion import lower_conversion
from .elementwise import emit_elementwise, fill, widened
from .registry import Operation, on_all, register
from .shapes import broadcast_to

_ELEMENTS = ("int8", "int16", "int32", "float16", "bfloat16", "float32")
_SOURCES = ("int16", "int32", "float16", "bfloat16", "float32")


@dataclass(frozen=True)
class CompareRow:
    """A comparison.

    Attributes:
        mode: Ascend C's name.
        extreme: for types that compare for equality only: ``a <= b`` is ``Min(a, b) == a``.
        inverted: whether that equality must be negated.
    """

    name: str
    sign: str
    mode: str
    meaning: Callable[..., Any]
    extreme: str
    inverted: bool


COMPARE_ROWS = (
    CompareRow("equal", "==", "EQ", np.equal, "", False),
    CompareRow("not_equal", "!=", "NE", np.not_equal, "", True),
    CompareRow("less", "<", "LT", np.less, "Max", True),
    CompareRow("less_equal", "<=", "LE", np.less_equal, "Min", False),
    CompareRow("greater", ">", "GT", np.greater, "Min", True),
    CompareRow("greater_equal", ">=", "GE", np.greater_equal, "Max", False),
)


def _build(row: CompareRow) -> Callable[..., Any]:
    allowed = tuple(DataType(name) for name in _ELEMENTS)

    def function(input: Any, other: Any) -> Any:
        if typing.is_scalar(input) and typing.is_scalar(other):
            return scalars.apply(row.name, input, other)
        for operand in (input, other):
            if isinstance(operand, LocalTensor):
                typing.check_element(operand.dtype, allowed, row.name)
            elif not typing.is_scalar(operand):
                raise TypeError(f"{row.name} of a tile and {typing.describe(operand)} is not defined")
        return emit_elementwise(row.name, (input, other), typing.common_dtype(input, other), dtypes.int1)

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = (
        f"Elementwise input {row.sign} other; a comparison with NaN is false, except that != is true.\n\n"
        f"Args:\n    input, other: tiles of {', '.join(_ELEMENTS)}, or one tile and a number or scalar.\n\n"
        "Returns:\n    Tile of int1 with the broadcast shape, for where() and for & | ^ ~.\n\n"
        "Raises:\n    TypeError: an operand of another kind.\n"
        "    RuntimeError: an element type not listed, or shapes that do not fit together.\n"
    )
    return function


def _lower(row: CompareRow) -> Callable[[Any, Node], None]:
    def lower(ctx: Any, node: Node) -> None:
        left, right = node.operands
        tile = left if isinstance(left, LocalTensor) else right
        assert isinstance(tile, LocalTensor)
        dtype = tile.dtype
        if ctx.supports("Compare", dtype):
            operands = [ctx.operand(operand, dtype) for operand in node.operands]
            _compare(ctx, row, ctx.result(node), tile.type, *operands)
        elif dtype in (dtypes.bfloat16, dtypes.int16, dtypes.int8):  # float32 holds them exactly
            wide = TileType(dtypes.float32, tile.shape)
            operands = [widened(ctx, operand, wide, dtype) for operand in node.operands]
            _compare(ctx, row, ctx.result(node), wide, *operands)
        elif ctx.supports("CompareEqual", dtype):
            _compare_by_equality(ctx, row, ctx.result(node), tile.type, *node.operands)
        else:
            raise ctx.fail(f"{ctx.architecture.name} has no {row.name} for tiles of {dtype}")

    return lower


_MIRRORED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}


def _compare(ctx: Any, row: CompareRow, mask: Any, type_: TileType, left: Any, right: Any) -> None:
    mode = row.mode
    if not ctx.is_tile(left):
        left, right, mode = right, left, _MIRRORED[mode]
    count = ctx.compare_count(type_, left)
    if ctx.is_tile(right):
        ctx.compare_count(type_, right)
        ctx.emit("Compare", mask, left, right, f"CMPMODE::{mode}", count)
    else:
        ctx.emit("Compares", mask, left, right, f"CMPMODE::{mode}", count)


def _compare_by_equality(ctx: Any, row: CompareRow, mask: Any, type_: TileType, left: Operand, right: Operand) -> None:
    first, second = (
        ctx.operand(operand)
        if isinstance(operand, LocalTensor)
        else fill(ctx, type_, ctx.operand(operand, type_.dtype))
        for operand in (left, right)
    )
    if row.extreme:
        extreme = ctx.scratch(type_)
        ctx.emit(row.extreme, extreme, first, second, ctx.count(type_))
        second = extreme
    count = ctx.compare_count(type_, first)
    ctx.compare_count(type_, second)
    ctx.emit("CompareEqual", mask, first, second, "CMPMODE::EQ", count)
    if row.inverted:
        words = mask.reinterpret(dtypes.uint16)
        ctx.emit("Not", words, words, ctx.mask_words(type_))


for _row in COMPARE_ROWS:
    register(Operation(_row.name, _build(_row), _row.meaning, _lower(_row), on_all(*_ELEMENTS)))


def where(mask: Any, src0: Any, src1: Any, *, dtype: Optional[DataType] = None) -> Any:
    """Elementwise ``src0 if mask else src1``.

    Args:
        mask: tile of int1 (the result of a comparison).
        src0, src1: tiles of int16, int32, float16, bfloat16 or float32, or numbers or scalars.
        dtype: element type of the result; needed only to override that of two numbers.

    Returns:
        Tile with the shape of mask and the common type of the sources (two ints: int32).

    Raises:
        TypeError: a source of another kind, or a float source beside a tile of integers.
        RuntimeError: mask is not of int1, a source type not listed, or a source larger than the mask.
    """
    tile = typing.check_tile(mask, "mask")
    if not tile.dtype.is_bool():
        raise RuntimeError(f"mask must be a tile of int1, the result of a comparison, not of {tile.dtype}")
    allowed = tuple(DataType(name) for name in _SOURCES)
    sources = []
    for source in (src0, src1):
        if isinstance(source, LocalTensor):
            typing.check_element(source.dtype, allowed, "where")
        elif not typing.is_scalar(source):
            raise TypeError(f"a source of where must be a tile, number or scalar, not {typing.describe(source)}")
    if dtype is None:
        if isinstance(src0, LocalTensor) or isinstance(src1, LocalTensor):
            dtype = typing.common_dtype(src0, src1)
        else:
            dtype = scalars.promote(src0, src1)
    from .conversion import cast

    for source in (src0, src1):
        if isinstance(source, LocalTensor):
            sources.append(broadcast_to(cast(source, dtype), tile.shape))
        else:
            sources.append(typing.number_for(source, dtype, "a source of where"))
    return current_builder().emit("where", [tile, *sources], [TileType(dtype, tile.shape)]).result


# Select only moves bits, so a type that it lacks is processed as the float type of the same width.
_SELECT_AS = {2: dtypes.float16, 4: dtypes.float32}


def _lower_where(ctx: Any, node: Node) -> None:
    mask, first, second = node.operands
    result = node.result
    assert isinstance(result, LocalTensor)
    dtype = result.dtype
    native = ctx.supports("Select", dtype)
    if not native and dtype == dtypes.int8:
        _select_as_half(ctx, node, result.type)
        return
    if not native and dtype.sizeof() not in _SELECT_AS:
        raise ctx.fail(f"{ctx.architecture.name} cannot select elements of {dtype}", "convert to another type")
    moved = dtype if native else _SELECT_AS[dtype.sizeof()]
    left, right = (ctx.operand(operand, dtype) for operand in (first, second))
    target, bits, count = ctx.result(node).reinterpret(moved), ctx.operand(mask), ctx.count(result.type)
    if native and ctx.is_tile(right) and not ctx.is_tile(left):  # the number must be the second one
        left, right, bits = right, left, _inverted(ctx, bits, result)
    if not ctx.is_tile(left):
        left = fill(ctx, result.type, left)
    if not ctx.is_tile(right) and not native:
        right = fill(ctx, result.type, right)
    if ctx.is_tile(right):
        mode = "SELMODE::VSEL_TENSOR_TENSOR_MODE"
        ctx.emit("Select", target, bits, left.reinterpret(moved), right.reinterpret(moved), mode, count)
    else:
        ctx.emit(
            "SelectScalar", target, bits, left.reinterpret(moved), right, "SELMODE::VSEL_TENSOR_SCALAR_MODE", count
        )


def _inverted(ctx: Any, mask: Any, tile: LocalTensor) -> Any:
    """The opposite of a mask for ``tile``: 32 times smaller than a tile filled with a number."""
    type_ = TileType(dtypes.int1, tile.shape)
    opposite = ctx.scratch(type_, "opposite")
    words = [part.reinterpret(dtypes.uint16) for part in (opposite, mask)]
    ctx.emit("Not", *words, ctx.mask_words(type_))
    return opposite


def _select_as_half(ctx: Any, node: Node, type_: TileType) -> None:
    """int8 by way of float16, which holds every int8."""
    wide = TileType(dtypes.float16, type_.shape)
    left, right = (widened(ctx, operand, wide, type_.dtype) for operand in node.operands[1:])
    left, right = (part if ctx.is_tile(part) else fill(ctx, wide, part) for part in (left, right))
    chosen = ctx.scratch(wide)
    mode = "SELMODE::VSEL_TENSOR_TENSOR_MODE"
    ctx.emit("Select", chosen, ctx.operand(node.operands[0]), left, right, mode, ctx.count(wide))
    lower_conversion(ctx, ctx.result(node), chosen, wide, None)


register(Operation("where", where, np.where, _lower_where, on_all(*_SOURCES)))

# Comparison results may be combined: they are bits, processed as 16-bit words.
_MASK_LOGIC = {"and": "And", "or": "Or"}


def mask_logic(name: str, left: Any, right: Any) -> Any:
    """``and``, ``or`` or ``xor`` of two comparison results of one (broadcast) shape."""
    for operand in (left, right):
        if not isinstance(operand, LocalTensor) or not operand.dtype.is_bool():
            raise TypeError(f"a comparison result combines only with another one, not with {typing.describe(operand)}")
    if left.shape != right.shape:
        raise RuntimeError(
            f"masks of shapes {left.shape} and {right.shape} cannot be combined; compare tiles of one shape"
        )
    return current_builder().emit(f"mask_{name}", [left, right], [TileType(dtypes.int1, left.shape)]).result


def mask_not(mask: Any) -> Any:
    """The opposite of a comparison result."""
    return current_builder().emit("mask_not", [mask], [TileType(dtypes.int1, mask.shape)]).result


def _lower_mask(name: str) -> Callable[[Any, Node], None]:
    def lower(ctx: Any, node: Node) -> None:
        result = node.result
        assert isinstance(result, LocalTensor)
        count = ctx.mask_words(result.type)
        words = [ctx.operand(operand).reinterpret(dtypes.uint16) for operand in node.operands]
        target = ctx.result(node).reinterpret(dtypes.uint16)
        if name == "not":
            ctx.emit("Not", target, words[0], count)
        elif name == "xor":
            both = ctx.scratch(result.type).reinterpret(dtypes.uint16)
            ctx.emit("And", both, *words, count)
            ctx.emit("Not", both, both, count)
            ctx.emit("Or", target, *words, count)
            ctx.emit("And", target, target, both, count)
        else:
            ctx.emit(_MASK_LOGIC[name], target, *words, count)

    return lower


for _name, _meaning in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
    register(
        Operation(
            f"mask_{_name}", lambda a, b, _n=_name: mask_logic(_n, a, b), _meaning, _lower_mask(_name), on_all("int1")
        )
    )
register(Operation("mask_not", mask_not, np.logical_not, _lower_mask("not"), on_all("int1")))
