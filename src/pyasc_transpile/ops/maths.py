"""Library functions of the vector unit, and powers.

The Ascend C library computes these in several steps.  Where it has no registers for what is between them it needs
scratch memory: some bytes for every byte of a pass, and it makes as many passes over the tile as that memory is too
small for.  At least it asks for a pass of 256 bytes (API reference, "Math": temporary space of each function).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Mapping

import numpy as np

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import Node, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import numeric, scalars, typing
from .conversion import lower_conversion
from .creation import full
from .elementwise import document, emit_elementwise, widened
from .registry import Operation, on_all, register
from .strided import rounded_up

_PASS_ELEMENTS = 512  # of one pass: eight repeats of float32, which all functions compute in
_LEAST_BYTES = 256
_FLOATS = ("float16", "float32")


@dataclass(frozen=True)
class MathsRow:
    """A library function of one tile.

    Attributes:
        factors: scratch bytes per byte of a pass, for elements of 2 and of 4 bytes.
    """

    name: str
    formula: str
    meaning: Callable[..., Any]
    instruction: str
    factors: Mapping[int, int]


MATHS_ROWS = (
    MathsRow("sin", "sine of input, in radians", np.sin, "Sin", {2: 8, 4: 3}),
    MathsRow("cos", "cosine of input, in radians", np.cos, "Cos", {2: 8, 4: 3}),
    MathsRow("tan", "tangent of input, in radians", np.tan, "Tan", {2: 10, 4: 4}),
    MathsRow("sinh", "hyperbolic sine of input", np.sinh, "Sinh", {2: 4, 4: 1}),
    MathsRow("cosh", "hyperbolic cosine of input", np.cosh, "Cosh", {2: 6, 4: 2}),
    MathsRow("tanh", "hyperbolic tangent of input", np.tanh, "Tanh", {2: 4, 4: 1}),
    MathsRow("erf", "error function of input", np.vectorize(math.erf, otypes=[np.float64]), "Erf", {2: 8, 4: 3}),
    MathsRow("log2", "logarithm of input to base 2", np.log2, "Log2", {2: 4, 4: 2}),
)
_POWER_FACTORS: Mapping[DataType, int] = {dtypes.float16: 14, dtypes.float32: 5, dtypes.int32: 7}
# On registers: bytes per element, for whole blocks of 32 elements.
_POWER_BYTES: Mapping[DataType, int] = {dtypes.float16: 12, dtypes.float32: 12, dtypes.int32: 0}


def _scratch(ctx: Any, size: int) -> Any:
    return ctx.scratch(TileType(dtypes.uint8, (max(size, _LEAST_BYTES),)), "scratch")


def _pass_elements(ctx: Any, type_: TileType) -> int:
    """Elements of one pass: at most those of the tile, in whole blocks of 32 as the library counts them."""
    return min(rounded_up(int(ctx.constant(ctx.count(type_))), 32), _PASS_ELEMENTS)


def _maths_scratch(ctx: Any, factor: int, type_: TileType) -> Any:
    """Scratch memory for a function of one tile."""
    elements = 0 if ctx.architecture.library_in_registers else _pass_elements(ctx, type_)
    return _scratch(ctx, factor * max(elements * type_.dtype.sizeof(), _LEAST_BYTES))


def _power_scratch(ctx: Any, type_: TileType) -> Any:
    """Scratch memory for powers."""
    elements = _pass_elements(ctx, type_)
    if ctx.architecture.library_in_registers:
        return _scratch(ctx, _POWER_BYTES[type_.dtype] * elements)
    passed = max(elements * type_.dtype.sizeof(), _LEAST_BYTES)
    return _scratch(ctx, _POWER_FACTORS[type_.dtype] * passed + _LEAST_BYTES)


def _build(row: MathsRow) -> Callable[..., Any]:
    allowed = tuple(DataType(name) for name in _FLOATS)

    def function(input: Any) -> Any:
        if row.name == "erf" and typing.is_scalar(input):
            return scalars.apply("erf", input)
        typing.check_tile(input, f"the operand of {row.name}")
        typing.check_element(input.dtype, allowed, row.name)
        return current_builder().emit(row.name, [input], [TileType(input.dtype, input.shape)]).result

    return document(function, row.name, "input", row.formula, allowed)


def _lower(row: MathsRow) -> Callable[[Any, Node], None]:
    def lower(ctx: Any, node: Node) -> None:
        result = node.result
        assert isinstance(result, LocalTensor)
        emit_function(ctx, row.name, ctx.result(node), ctx.operand(node.operands[0]), result.type)

    return lower


for _row in MATHS_ROWS:
    register(Operation(_row.name, _build(_row), _row.meaning, _lower(_row), on_all(*_FLOATS)))


def exp2(input: Any) -> Any:
    """Elementwise 2 to the power of input.

    Args:
        input: tile of float16 or float32.

    Returns:
        Tile with the shape and type of input.

    Raises:
        TypeError: input is not a tile.
        RuntimeError: another element type.
    """
    typing.check_tile(input, "the operand of exp2")
    typing.check_element(input.dtype, tuple(DataType(name) for name in _FLOATS), "exp2")
    return pow(2.0, input)


_POWER_ELEMENTS = ("int8", "int16", "int32", "float16", "float32")
_LARGEST_INTEGER_EXPONENT = 64


def pow(input: Any, other: Any) -> Any:
    """Elementwise input to the power of other.

    Args:
        input, other: tiles of int8, int16, int32, float16 or float32; one may be a number or scalar. Compile-time
            exponents of integers are from 0 to 64.

    Returns:
        Tile with the broadcast shape and common type. Integers wrap around; to a negative power they are undefined.

    Raises:
        TypeError: an operand of another kind, a negative exponent of an integer.
        RuntimeError: an element type not listed, or shapes that do not fit together.
    """
    if typing.is_scalar(input) and typing.is_scalar(other):
        return scalars.apply("power", input, other)
    allowed = tuple(DataType(name) for name in _POWER_ELEMENTS)
    for operand in (input, other):
        if isinstance(operand, LocalTensor):
            typing.check_element(operand.dtype, allowed, "pow")
        elif not typing.is_scalar(operand):
            raise TypeError(f"pow of a tile and {typing.describe(operand)} is not defined")
    if isinstance(input, LocalTensor) and scalars.is_number(other):
        _check_exponent(input.dtype, unnamed(scalars.python_number(other)))
        simple = _constant_power(input, unnamed(scalars.python_number(other)))
        if simple is not None:
            return simple
    dtype = typing.common_dtype(input, other)
    return emit_elementwise("pow", (input, other), dtype, dtype)


def _check_exponent(dtype: DataType, exponent: Any) -> None:
    if dtype.is_int():
        if not isinstance(exponent, int) or exponent < 0:
            raise TypeError(f"a tile of {dtype} to the power of {exponent}: integers take exponents from 0 on")
        if exponent > _LARGEST_INTEGER_EXPONENT:
            raise TypeError(f"an integer exponent of at most {_LARGEST_INTEGER_EXPONENT} is supported, not {exponent}")


def _constant_power(tile: LocalTensor, exponent: Any) -> Any:
    """A power without the library: 0, 1, 2, and all of integers; None if the library is needed."""
    can_multiply = tile.dtype != dtypes.int8
    if exponent not in (0, 1) and not (can_multiply and (exponent == 2 or tile.dtype.is_int())):
        return None
    if exponent == 0:
        return full(tile.shape, 1, tile.dtype)
    result, square, left = None, tile, int(exponent)
    while True:
        if left & 1:
            result = square if result is None else result * square  # type: ignore[operator]
        left >>= 1
        if not left:
            return result
        square = square * square  # type: ignore[operator]


def _lower_power(ctx: Any, node: Node) -> None:
    result = node.result
    assert isinstance(result, LocalTensor)
    if result.dtype in _POWER_FACTORS:
        left, right = (ctx.operand(operand, result.dtype) for operand in node.operands)
        emit_power(ctx, ctx.result(node), left, right, result.type)
        return
    wide = TileType(dtypes.int32, result.shape)
    left, right = (widened(ctx, operand, wide, result.dtype) for operand in node.operands)
    power = ctx.scratch(wide, "power")
    emit_power(ctx, power, left, right, wide)
    unused, count = dtypes.int32.bitwidth - result.dtype.bitwidth, ctx.count(wide)  # bits that wrap
    bits = power.reinterpret(dtypes.uint32)
    ctx.emit("ShiftLeft", bits, bits, ctx.number(unused, dtypes.uint32), count)
    ctx.emit("ShiftRight", power, power, ctx.number(unused), count)
    if result.dtype == dtypes.int8:
        halves = ctx.scratch(TileType(dtypes.float16, result.shape))
        lower_conversion(ctx, halves, power, wide, None)
        power = halves
    lower_conversion(ctx, ctx.result(node), power, wide, None)


def emit_power(ctx: Any, target: Any, left: Any, right: Any, type_: TileType) -> None:
    """``target = left ** right`` of int32, float16 or float32; one of the two may be a number."""
    row = "Power" if ctx.is_tile(left) and ctx.is_tile(right) else "PowerScalar" if ctx.is_tile(left) else "ScalarPower"
    ctx.emit(row, target, left, right, _power_scratch(ctx, type_), ctx.count(type_))


def emit_function(ctx: Any, name: str, target: Any, source: Any, type_: TileType) -> None:
    """A library function of one tile."""
    row = next(each for each in MATHS_ROWS if each.name == name)
    scratch = _maths_scratch(ctx, row.factors[type_.dtype.sizeof()], type_)
    ctx.emit(row.instruction, target, source, scratch, ctx.count(type_))


def _power_meaning(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        if np.result_type(a, b).kind == "f":
            return np.float_power(a, b)  # np.power makes a square root of the number 0.5, which differs for -inf
        return numeric.partly_undefined(np.power(a, np.maximum(b, 0)), np.asarray(b) >= 0)


register(Operation("pow", pow, _power_meaning, _lower_power, on_all(*_POWER_ELEMENTS)))
