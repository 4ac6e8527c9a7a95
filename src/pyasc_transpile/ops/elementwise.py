"""Elementwise arithmetic: one row per function, and the few ways in which a row becomes instructions."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import numeric, scalars, strided, typing
from .broadcasting import combine_narrow, combine_with_column, lower_broadcast
from .conversion import lower_conversion
from .masking import masked
from .registry import Operation, on_all, register
from .shapes import broadcast_to

_FLOATS = ("float16", "bfloat16", "float32")
_NUMERIC = ("int16", "int32", "int64", *_FLOATS)
_INTEGERS = ("int8", "int16", "int32", "int64")


@dataclass(frozen=True)
class BinaryRow:
    """A function of two tiles, or of a tile and a number.

    Attributes:
        instruction: for two tiles.
        scalar_instruction: for a tile and a number on its right; empty if there is none.
        left_instruction: for a tile and a number on its left.
        commutative: whether a number on the left may change sides.
        bitwise: whether elements are only bits, so that any type may be processed as 16-bit words.
        number_right, number_left: own ways to handle a number operand; return False to decline.
        expand: what to do where the architecture has no instruction for the element type; None if nothing will do.
    """

    name: str
    formula: str
    elements: tuple[str, ...]
    meaning: Callable[..., Any]
    instruction: str
    scalar_instruction: str = ""
    left_instruction: str = ""
    commutative: bool = False
    bitwise: bool = False
    number_right: Optional[Callable[..., bool]] = None
    number_left: Optional[Callable[..., bool]] = None
    scalar_name: str = ""
    expand: Optional[Callable[[Any, Node], None]] = None


@dataclass(frozen=True)
class UnaryRow:
    """A function of one tile.

    Attributes:
        instruction: used where the architecture has it for the element type.
        expand: what to do elsewhere; None if only the instruction will do.
    """

    name: str
    formula: str
    elements: tuple[str, ...]
    meaning: Callable[..., Any]
    instruction: str = ""
    expand: Optional[Callable[..., None]] = None
    bitwise: bool = False
    scalar_name: str = ""


def build_binary(row: BinaryRow) -> Callable[..., Any]:
    """The public function of a row."""
    allowed = tuple(DataType(name) for name in row.elements)

    def function(input: Any, other: Any) -> Any:
        if not isinstance(input, LocalTensor) and not isinstance(other, LocalTensor):
            if row.scalar_name and typing.is_scalar(input) and typing.is_scalar(other):
                return scalars.apply(row.scalar_name, input, other)
            wrong = input if not typing.is_scalar(input) else other
            raise TypeError(f"{row.name} needs at least one tile, not {typing.describe(wrong)}")
        for operand in (input, other):
            if isinstance(operand, LocalTensor):
                typing.check_element(operand.dtype, allowed, row.name)
            elif not typing.is_scalar(operand):
                raise TypeError(f"{row.name} of a tile and {typing.describe(operand)} is not defined")
        dtype = typing.common_dtype(input, other)
        return emit_elementwise(row.name, (input, other), dtype, dtype, narrow=bool(row.instruction))

    return document(function, row.name, "input, other", row.formula, allowed)


def emit_elementwise(
    name: str, operands: tuple[Any, ...], dtype: DataType, result: DataType, narrow: bool = False
) -> LocalTensor:
    """Append an elementwise node: tiles converted to ``dtype`` and broadcast to one shape, numbers to ``dtype``.

    ``narrow``: leave tiles that are narrower than the result as they are; the lowering repeats them.
    """
    from .conversion import cast

    shape = typing.broadcast_shapes(*(operand.shape for operand in operands if isinstance(operand, LocalTensor)))
    converted: list[Operand] = [
        (cast(operand, dtype) if narrow else broadcast_to(cast(operand, dtype), shape))
        if isinstance(operand, LocalTensor)
        else typing.number_for(operand, dtype, f"an operand of {name}")
        for operand in operands
    ]
    result_value = masked(current_builder().emit(name, converted, [TileType(result, shape)]).result)
    assert isinstance(result_value, LocalTensor)
    return result_value


def build_unary(row: UnaryRow) -> Callable[..., Any]:
    """The public function of a row."""
    allowed = tuple(DataType(name) for name in row.elements)

    def function(input: Any) -> Any:
        if row.scalar_name and typing.is_scalar(input):
            return scalars.apply(row.scalar_name, input)
        typing.check_tile(input, f"the operand of {row.name}")
        typing.check_element(input.dtype, allowed, row.name)
        return masked(current_builder().emit(row.name, [input], [TileType(input.dtype, input.shape)]).result)

    return document(function, row.name, "input", row.formula, allowed)


def document(
    function: Callable[..., Any], name: str, signature: str, formula: str, allowed: tuple[DataType, ...]
) -> Callable[..., Any]:
    names = ", ".join(str(dtype) for dtype in allowed)
    shape = "broadcast shape of both tiles, common type of both" if "," in signature else "shape and type of input"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Elementwise {formula}.\n\n"
        f"Args:\n    {signature}: tiles of {names}{'; one may be a number or scalar' if ',' in signature else ''}.\n\n"
        f"Returns:\n    Tile with the {shape}.\n\n"
        "Raises:\n    TypeError: an operand of another kind.\n"
        "    RuntimeError: an element type not listed, or shapes that do not fit together.\n"
    )
    return function


# --- lowering ---------------------------------------------------------------------------------------------------------


def as_words(ctx: Any, tile: Any) -> Any:
    """The same bytes as 16-bit words."""
    return tile.reinterpret(dtypes.uint16)


def fill(ctx: Any, type_: TileType, number: Any) -> Any:
    """A scratch tile with ``number`` in every element."""
    tile = ctx.scratch(type_)
    emit_fill(ctx, tile, number, ctx.count(type_))
    return tile


def emit_fill(ctx: Any, tile: Any, number: Any, count: Any) -> None:
    """Fill ``count`` elements of a tile."""
    if ctx.supports("Duplicate", tile.dtype):
        ctx.emit("Duplicate", tile, number, count)
    elif ctx.is_zero(number) and (tile.dtype.sizeof() != 1 or ctx.divides(count, 2)):
        words = dtypes.int16 if tile.dtype.sizeof() == 1 else dtypes.int32
        ctx.emit("Duplicate", tile.reinterpret(words), ctx.number(0, words), ctx.rescale(count, tile.dtype, words))
    elif tile.dtype == dtypes.int8:
        pair = tile.reinterpret(dtypes.int16)
        ctx.emit("Duplicate", pair, ctx.byte_twice(number), ctx.rescale(count, tile.dtype, dtypes.int16))
    else:
        raise ctx.fail(f"{ctx.architecture.name} cannot fill a tile of {tile.dtype}")


def _bits_of(ctx: Any, operand: Operand, type_: TileType) -> Any:
    """A tile or number operand of a bit operation, as a tile of 16-bit words."""
    if isinstance(operand, LocalTensor):
        return as_words(ctx, repeated(ctx, operand, type_))
    return as_words(ctx, fill(ctx, type_, ctx.operand(operand, type_.dtype)))


def _words_of(ctx: Any, dtype: DataType, count: Any) -> Any:
    return ctx.rescale(count, dtype, dtypes.uint16)


def lower_binary(row: BinaryRow) -> Callable[[Any, Node], None]:
    """Lowering of a row: the instruction if the architecture has it, in float32 for bfloat16, as words for bits."""

    def lower(ctx: Any, node: Node) -> None:
        result = node.result
        assert isinstance(result, LocalTensor)
        dtype = result.dtype
        if ctx.supports(row.instruction, dtype):
            _lower_native(ctx, row, node, result.type)
        elif row.bitwise:
            words = [_bits_of(ctx, operand, result.type) for operand in node.operands]
            count = _words_of(ctx, dtype, ctx.count(result.type))
            ctx.emit(row.instruction, as_words(ctx, ctx.result(node)), *words, count)
        elif dtype == dtypes.bfloat16 and ctx.supports(row.instruction, dtypes.float32):
            wide = TileType(dtypes.float32, result.shape)
            operands = [widened(ctx, operand, wide, dtype) for operand in node.operands]
            middle = ctx.scratch(wide)
            _emit_binary(ctx, row, wide, middle, *operands)
            lower_conversion(ctx, ctx.result(node), middle, wide, None)
        elif row.expand is not None:
            row.expand(ctx, node)
        else:
            raise ctx.fail(f"{ctx.architecture.name} has no {row.name} for tiles of {dtype}")

    return lower


def widened(ctx: Any, operand: Operand, wide: TileType, narrow: DataType) -> Any:
    """A tile operand converted to ``wide`` in scratch memory, or a number that ``narrow`` has, of its type."""
    if not isinstance(operand, LocalTensor):
        return ctx.converted(ctx.operand(operand, narrow), wide.dtype)
    tile = ctx.scratch(wide)
    lower_conversion(ctx, tile, repeated(ctx, operand, TileType(operand.dtype, wide.shape)), wide, None)
    return tile


def repeated(ctx: Any, operand: LocalTensor, type_: TileType) -> Any:
    """A tile operand, repeated to the shape of ``type_`` in scratch memory if it is narrower."""
    if operand.shape == type_.shape:
        return ctx.operand(operand)
    tile = ctx.scratch(type_)
    lower_broadcast(ctx, tile, ctx.operand(operand), operand.shape, type_)
    return tile


def _lower_native(ctx: Any, row: BinaryRow, node: Node, type_: TileType) -> None:
    """The instruction itself; a tile narrower than the result is repeated by the instruction where that is possible."""
    left, right = node.operands
    narrow = [isinstance(operand, LocalTensor) and operand.shape != type_.shape for operand in (left, right)]
    if narrow == [False, False] or not (isinstance(left, LocalTensor) and isinstance(right, LocalTensor)):
        operands = [ctx.operand(operand, type_.dtype) for operand in (left, right)]
        _emit_binary(ctx, row, type_, ctx.result(node), *operands)
        return
    swapped = narrow[0] and not narrow[1]
    wide, other = (right, left) if swapped else (left, right)
    source = repeated(ctx, wide, type_)
    combine_narrow(ctx, row.instruction, type_, ctx.result(node), source, ctx.operand(other), other.shape, swapped)


def _emit_binary(ctx: Any, row: BinaryRow, type_: TileType, result: Any, left: Any, right: Any) -> None:
    count = ctx.count(type_)
    if ctx.is_tile(left) and ctx.is_tile(right):
        ctx.emit(row.instruction, result, left, right, count)
    elif ctx.is_tile(left):
        if row.number_right is not None and row.number_right(ctx, type_, result, left, right):
            return
        if row.scalar_instruction and ctx.supports(row.scalar_instruction, type_.dtype):
            ctx.emit(row.scalar_instruction, result, left, right, count)
        else:
            _emit_with_number(ctx, row.instruction, type_, result, left, right, False)
    elif row.commutative:
        _emit_binary(ctx, row, type_, result, right, left)
    elif row.left_instruction and ctx.supports(row.left_instruction, type_.dtype):
        ctx.emit(row.left_instruction, result, left, right, count)
    elif row.number_left is None or not row.number_left(ctx, type_, result, left, right):
        _emit_with_number(ctx, row.instruction, type_, result, right, left, True)


def _emit_with_number(
    ctx: Any, instruction: str, type_: TileType, result: Any, tile: Any, number: Any, swapped: bool
) -> None:
    """``result = tile op number`` (``number op tile`` if ``swapped``) for an instruction that takes tiles only.

    The number fills one block, which is used again and again where the instruction can do that, or else a tile.
    """
    dtype, count = type_.dtype, ctx.count(type_)
    if strided.has_rows_form(ctx, instruction, dtype):
        length, block = int(ctx.constant(count)), strided.per_block(dtype)
        filled = fill(ctx, TileType(dtype, (block,)), number)
        run, rows = (strided.Rows(part, 1, length, length) for part in (result, tile))
        combine_with_column(ctx, instruction, run, rows, strided.Rows(filled, 1, block, 0), swapped)
        return
    operands = (fill(ctx, type_, number), tile) if swapped else (tile, fill(ctx, type_, number))
    ctx.emit(instruction, result, *operands, count)


def lower_unary(row: UnaryRow) -> Callable[[Any, Node], None]:
    """Lowering of a row: the instruction, as words for bits, in float32 for bfloat16, or the row's expansion."""

    def lower(ctx: Any, node: Node) -> None:
        result = node.result
        assert isinstance(result, LocalTensor)
        dtype, count = result.dtype, ctx.count(result.type)
        if row.instruction and ctx.supports(row.instruction, dtype):
            ctx.emit(row.instruction, ctx.result(node), ctx.operand(node.operands[0]), count)
        elif row.bitwise:
            source = as_words(ctx, ctx.operand(node.operands[0]))
            ctx.emit(row.instruction, as_words(ctx, ctx.result(node)), source, _words_of(ctx, dtype, count))
        elif row.expand is not None:
            row.expand(ctx, result.type, ctx.result(node), ctx.operand(node.operands[0]))
        else:
            raise ctx.fail(f"{ctx.architecture.name} has no {row.name} for tiles of {dtype}")

    return lower


def _subtract_number(ctx: Any, type_: TileType, result: Any, tile: Any, number: Any) -> bool:
    if not ctx.supports("Adds", type_.dtype):
        return False
    ctx.emit("Adds", result, tile, ctx.negated(number), ctx.count(type_))
    return True


def _subtract_from_number(ctx: Any, type_: TileType, result: Any, number: Any, tile: Any) -> bool:
    if not ctx.supports("Muls", type_.dtype) or not ctx.supports("Adds", type_.dtype):
        return False
    ctx.emit("Muls", result, tile, ctx.number(-1, type_.dtype), ctx.count(type_))
    ctx.emit("Adds", result, result, number, ctx.count(type_))
    return True


def _divide_by_number(ctx: Any, type_: TileType, result: Any, tile: Any, number: Any) -> bool:
    value = ctx.constant(number)
    if value is None or not type_.dtype.is_float() or not math.isfinite(value) or value == 0:
        return False
    mantissa, exponent = math.frexp(value)
    if abs(mantissa) != 0.5 or abs(exponent) > 14:
        return False
    ctx.emit("Muls", result, tile, ctx.number(1.0 / value, type_.dtype), ctx.count(type_))  # exact: a power of two
    return True


def _divide_integers(ctx: Any, node: Node) -> None:
    from .division import lower_division  # it needs the building blocks of this module

    lower_division("div")(ctx, node)


def _expand_negative(ctx: Any, type_: TileType, result: Any, source: Any) -> None:
    if ctx.supports("Muls", type_.dtype):
        ctx.emit("Muls", result, source, ctx.number(-1, type_.dtype), ctx.count(type_))
        return
    if type_.dtype != dtypes.bfloat16:
        raise ctx.fail(f"{ctx.architecture.name} has no negative for tiles of {type_.dtype}")
    wide = ctx.scratch(TileType(dtypes.float32, type_.shape))
    lower_conversion(ctx, wide, source, type_, None)
    ctx.emit("Muls", wide, wide, ctx.number(-1, dtypes.float32), ctx.count(type_))
    lower_conversion(ctx, result, wide, type_, None)


def _expand_absolute(ctx: Any, type_: TileType, result: Any, source: Any) -> None:
    if type_.dtype == dtypes.int8:
        _absolute_as_half(ctx, type_, result, source)
        return
    if not ctx.supports("Muls", type_.dtype):
        raise ctx.fail(f"{ctx.architecture.name} has no abs for tiles of {type_.dtype}")
    negated = ctx.scratch(type_)
    ctx.emit("Muls", negated, source, ctx.number(-1, type_.dtype), ctx.count(type_))
    ctx.emit("Max", result, source, negated, ctx.count(type_))


def _absolute_as_half(ctx: Any, type_: TileType, result: Any, source: Any) -> None:
    """int8 by way of float16; 128 wraps to -128."""
    wide = TileType(dtypes.float16, type_.shape)
    count, number = ctx.count(wide), functools.partial(ctx.number, dtype=dtypes.float16)
    halves, excess = ctx.scratch(wide), ctx.scratch(wide, "excess")
    lower_conversion(ctx, halves, source, type_, None)
    ctx.emit("Abs", halves, halves, count)
    ctx.emit("Adds", excess, halves, number(-127.0), count)
    ctx.emit("Maxs", excess, excess, number(0.0), count)
    ctx.emit("Muls", excess, excess, number(-256.0), count)
    ctx.emit("Add", halves, halves, excess, count)
    lower_conversion(ctx, result, halves, wide, None)


def _expand_relu(ctx: Any, type_: TileType, result: Any, source: Any) -> None:
    if not ctx.supports("Maxs", type_.dtype):
        raise ctx.fail(f"{ctx.architecture.name} has no relu for tiles of {type_.dtype}")
    ctx.emit("Maxs", result, source, ctx.number(0, type_.dtype), ctx.count(type_))


def _expand_rsqrt(ctx: Any, type_: TileType, result: Any, source: Any) -> None:
    root = ctx.scratch(type_)
    ctx.emit("Sqrt", root, source, ctx.count(type_))
    _emit_binary(ctx, _DIVISION, type_, result, ctx.number(1.0, type_.dtype), root)


def _integral(mode: str) -> Callable[..., None]:
    def expand(ctx: Any, type_: TileType, result: Any, source: Any) -> None:
        if type_.dtype == dtypes.float32:
            ctx.emit("Cast", result, source, f"RoundMode::{mode}", ctx.count(type_))
            return
        wide = ctx.scratch(TileType(dtypes.float32, type_.shape))
        lower_conversion(ctx, wide, source, type_, None)
        ctx.emit("Cast", wide, wide, f"RoundMode::{mode}", ctx.count(type_))
        lower_conversion(ctx, result, wide, type_, None)

    return expand


def _expand_xor(ctx: Any, node: Node) -> None:
    result = node.result
    assert isinstance(result, LocalTensor)
    words = [_bits_of(ctx, operand, result.type) for operand in node.operands]
    target, both = as_words(ctx, ctx.result(node)), as_words(ctx, ctx.scratch(result.type))
    count = _words_of(ctx, result.dtype, ctx.count(result.type))
    ctx.emit("And", both, *words, count)
    ctx.emit("Not", both, both, count)
    ctx.emit("Or", target, *words, count)
    ctx.emit("And", target, target, both, count)


def _divide(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        if np.issubdtype(np.asarray(a).dtype, np.integer):
            return np.where(b == 0, 0, np.trunc(np.asarray(a, np.longdouble) / np.where(b == 0, 1, b))).astype(a.dtype)
        return np.true_divide(a, b)


_DIVISION = BinaryRow(
    "div",
    "input / other (integers truncate; they are undefined where other is 0 or the quotient does not fit)",
    ("int16", "int32", "int64", *_FLOATS), _divide, "Div", "Divs",
    left_instruction="DivsLeft", number_right=_divide_by_number, scalar_name="div", expand=_divide_integers,
)  # fmt: skip
BINARY_ROWS = (
    BinaryRow("add", "input + other", _NUMERIC, np.add, "Add", "Adds", commutative=True, scalar_name="add"),
    BinaryRow(
        "sub", "input - other", _NUMERIC, np.subtract, "Sub", left_instruction="SubsLeft",
        number_right=_subtract_number, number_left=_subtract_from_number, scalar_name="sub",
    ),
    BinaryRow("mul", "input * other", _NUMERIC, np.multiply, "Mul", "Muls", commutative=True, scalar_name="mul"),
    _DIVISION,
    BinaryRow(
        "maximum", "maximum of input and other (NaN propagates)", _NUMERIC, numeric.larger, "Max", "Maxs",
        commutative=True, scalar_name="maximum",
    ),
    BinaryRow(
        "minimum", "minimum of input and other (NaN propagates)", _NUMERIC, numeric.smaller, "Min", "Mins",
        commutative=True, scalar_name="minimum",
    ),
    BinaryRow(
        "bitwise_and", "input & other", _INTEGERS, np.bitwise_and, "And",
        commutative=True, bitwise=True, scalar_name="bitwise_and",
    ),
    BinaryRow(
        "bitwise_or", "input | other", _INTEGERS, np.bitwise_or, "Or",
        commutative=True, bitwise=True, scalar_name="bitwise_or",
    ),
)  # fmt: skip

UNARY_ROWS = (
    UnaryRow("negative", "-input", _NUMERIC, np.negative, expand=_expand_negative, scalar_name="negative"),
    UnaryRow(
        "abs", "absolute value of input", (*_INTEGERS, "float16", "float32"), np.abs, "Abs",
        _expand_absolute, scalar_name="absolute",
    ),
    UnaryRow("exp", "e to the power of input", ("float16", "float32"), np.exp, "Exp", scalar_name="exp"),
    UnaryRow("log", "natural logarithm of input", ("float16", "float32"), np.log, "Ln"),
    UnaryRow("sqrt", "square root of input", ("float16", "float32"), np.sqrt, "Sqrt", scalar_name="sqrt"),
    UnaryRow("rsqrt", "1 / sqrt(input)", ("float16", "float32"), lambda x: 1 / np.sqrt(x), expand=_expand_rsqrt),
    UnaryRow(
        "relu", "max(input, 0)", ("int16", "int32", "int64", "float16", "float32"),
        lambda x: numeric.larger(x, x.dtype.type(0)), "Relu", _expand_relu,
    ),
    UnaryRow(
        "floor", "largest integer not above input", ("float16", "float32"), np.floor, expand=_integral("CAST_FLOOR")
    ),
    UnaryRow(
        "ceil", "smallest integer not below input", ("float16", "float32"), np.ceil, expand=_integral("CAST_CEIL")
    ),
    UnaryRow(
        "bitwise_not", "~input", _INTEGERS, np.bitwise_not, "Not", bitwise=True, scalar_name="bitwise_not"
    ),
)  # fmt: skip

for _binary in BINARY_ROWS:
    register(
        Operation(
            _binary.name, build_binary(_binary), _binary.meaning, lower_binary(_binary), on_all(*_binary.elements)
        )
    )
for _unary in UNARY_ROWS:
    register(Operation(_unary.name, build_unary(_unary), _unary.meaning, lower_unary(_unary), on_all(*_unary.elements)))

_XOR = BinaryRow("bitwise_xor", "input ^ other", _INTEGERS, np.bitwise_xor, "", bitwise=True, scalar_name="bitwise_xor")
register(Operation("bitwise_xor", build_binary(_XOR), np.bitwise_xor, _expand_xor, on_all(*_INTEGERS)))
