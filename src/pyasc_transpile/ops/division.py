"""Division with remainder: ``//`` rounds down, ``%`` has the divisor's sign, and integers divided by ``/`` truncate.

Where an architecture has no integer division it is made of float32 ones, exactly:

* int16: float32 holds operands, quotients and remainders.
* int32: a first float32 quotient is off by at most 2^9; what it leaves is divided again, which is off by at most 1; two
  corrections by the signs and sizes of remainder and divisor make it exact.
* int64: the same with one quotient more: they are off by at most 2^41, 2^19 and 1. What a quotient leaves is right even
  if its product with the divisor is not, because both wrap.

Floats are divided in float32.  What a quotient leaves is computed without rounding (its product with the divisor as a
sum of exact products of halves of their digits); its sign corrects the quotient.  A remainder takes as many such steps
as the largest quotient has digits.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand
from ..graph.types import TileType
from ..graph.values import LocalTensor
from . import scalars, strided, typing
from .conversion import lower_conversion
from .elementwise import as_words, emit_elementwise, fill, repeated
from .registry import Operation, on_all, register

_ELEMENTS = ("int16", "int32", "int64", "float16", "bfloat16", "float32")
_LATER_QUOTIENTS = {"int32": ("CAST_FLOOR",), "int64": ("CAST_TRUNC", "CAST_FLOOR")}  # how each is rounded
_HIGH_DIGITS = 0xFFFFF000  # the sign, the exponent and the first 12 of 24 digits of a float32


def _build(name: str, formula: str) -> Callable[..., Any]:
    allowed = tuple(DataType(element) for element in _ELEMENTS)

    def function(input: Any, other: Any) -> Any:
        if typing.is_scalar(input) and typing.is_scalar(other):
            return scalars.apply(name, input, other)
        for operand in (input, other):
            if isinstance(operand, LocalTensor):
                typing.check_element(operand.dtype, allowed, name)
            elif not typing.is_scalar(operand):
                raise TypeError(f"{name} of a tile and {typing.describe(operand)} is not defined")
        dtype = typing.common_dtype(input, other)
        return emit_elementwise(name, (input, other), dtype, dtype, narrow=True)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Elementwise {formula}.\n\n"
        f"Args:\n    input, other: tiles of {', '.join(_ELEMENTS)}; one may be a number or scalar.\n\n"
        "Returns:\n    Tile with the broadcast shape of both tiles, common type of both. Of integers, a division by 0\n"
        "    and a quotient that does not fit are undefined; a division of floats by 0 is as in IEEE. Remainders of\n"
        "    floats are exact; NaN if the quotient is too large for float32.\n\n"
        "Raises:\n    TypeError: an operand of another kind.\n"
        "    RuntimeError: an element type not listed, or shapes that do not fit together.\n"
    )
    return function


class _Steps:
    """Instructions on whole tiles of one type, with scratch tiles."""

    def __init__(self, ctx: Any, type_: TileType) -> None:
        self.ctx, self.type, self.dtype = ctx, type_, type_.dtype
        self.count = ctx.count(type_)

    def tile(self, name: str) -> Any:
        return self.ctx.scratch(self.type, name)

    def emit(self, instruction: str, target: Any, *operands: Any) -> Any:
        self.ctx.emit(instruction, target, *operands, self.count)
        return target

    def scalar(self, instruction: str, target: Any, source: Any, number: Any) -> Any:
        return self.emit(instruction, target, source, self.ctx.number(number, self.dtype))

    def bits(self, instruction: str, target: Any, *operands: Any) -> Any:
        words = self.ctx.rescale(self.count, self.dtype, dtypes.uint16)
        self.ctx.emit(instruction, as_words(self.ctx, target), *(as_words(self.ctx, tile) for tile in operands), words)
        return target

    def operand(self, operand: Operand, dtype: DataType) -> Any:
        """An operand of ``dtype`` as a whole tile of this type."""
        own = TileType(dtype, self.type.shape)
        if not isinstance(operand, LocalTensor):
            return fill(self.ctx, self.type, self.ctx.operand(operand, self.dtype))
        tile = repeated(self.ctx, operand, own)
        return self.converted(tile, "wide") if dtype != self.dtype else tile

    def converted(self, tile: Any, name: str, mode: Any = None) -> Any:
        target = self.tile(name)
        lower_conversion(self.ctx, target, tile, self.type, mode)
        return target

    def rounded(self, target: Any, source: Any, mode: str) -> Any:
        """A conversion with a round mode."""
        self.ctx.emit("Cast", target, source, f"RoundMode::{mode}", self.count)
        return target


# --- integers ---------------------------------------------------------------------------------------------------------


class _Integers(_Steps):
    """Masks of integers: -1 in every element for which something holds, else 0."""

    def signs_differ(self, target: Any, number: Any, divisor: Any, spare: Any) -> Any:
        """Where ``number`` is not 0 and has another sign than ``divisor``."""
        self.bits("And", target, number, divisor)
        self.bits("Not", target, target)
        self.bits("Or", spare, number, divisor)
        self.bits("And", target, target, spare)  # the sign bit of: number xor divisor
        return self._not_zero(target, number, spare)

    def signs_agree(self, target: Any, number: Any, divisor: Any, spare: Any) -> Any:
        """Where ``number`` is not 0 and has the sign of ``divisor``."""
        self.bits("Or", target, number, divisor)
        self.bits("Not", target, target)
        self.bits("And", spare, number, divisor)
        self.bits("Or", target, target, spare)
        return self._not_zero(target, number, spare)

    def _not_zero(self, target: Any, number: Any, spare: Any) -> Any:
        """Where the sign bit of ``target`` is set and ``number`` is not 0."""
        self.scalar("Muls", spare, number, -1)
        self.bits("Or", spare, spare, number)  # the sign bit of: number is not 0
        self.bits("And", target, target, spare)
        return self.emit("ShiftRight", target, target, self.ctx.number(self.dtype.bitwidth - 1, self.dtype))

    def correct(self, quotient: Any, remainder: Any, divisor: Any, mask: Any, up: bool) -> None:
        """Where ``mask`` holds, one less (one more if ``up``) in the quotient and what that is in the remainder."""
        self.emit("Sub" if up else "Add", quotient, quotient, mask)
        self.bits("And", mask, mask, divisor)
        self.emit("Sub" if up else "Add", remainder, remainder, mask)


def _integers(ctx: Any, name: str, type_: TileType, target: Any, left: Operand, right: Operand) -> None:
    steps = _Integers(ctx, type_)
    if name != "div" and isinstance(right, int) and right > 0 and right & (right - 1) == 0:
        dividend = steps.operand(left, type_.dtype)
        if name == "mod":
            steps.bits("And", target, dividend, fill(ctx, type_, ctx.number(int(right) - 1, type_.dtype)))
        else:
            shift = ctx.number(int(right).bit_length() - 1, type_.dtype)
            steps.emit("ShiftRight", target, dividend, shift)
        return
    dividend, divisor = steps.operand(left, type_.dtype), steps.operand(right, type_.dtype)
    quotient = target if name != "mod" else steps.tile("quotient")
    remainder = target if name == "mod" else steps.tile("remainder")
    mask, spare = steps.tile("mask"), steps.tile("spare")
    if ctx.supports("Div", type_.dtype):
        steps.emit("Div", quotient, dividend, divisor)
        steps.emit("Mul", remainder, quotient, divisor)
        steps.emit("Sub", remainder, dividend, remainder)
        steps.signs_differ(mask, remainder, divisor, spare)
        steps.correct(quotient, remainder, divisor, mask, up=False)
        return
    _divide_by_floats(steps, quotient, remainder, dividend, divisor, mask, spare)
    if name == "div":  # towards zero: one more where something is left and the quotient is negative
        steps.signs_differ(mask, dividend, divisor, spare)
        steps.scalar("Muls", spare, remainder, -1)
        steps.bits("Or", spare, spare, remainder)
        steps.emit("ShiftRight", spare, spare, ctx.number(type_.dtype.bitwidth - 1, type_.dtype))
        steps.bits("And", mask, mask, spare)
        steps.emit("Sub", quotient, quotient, mask)


def _divide_by_floats(
    steps: _Integers, quotient: Any, remainder: Any, dividend: Any, divisor: Any, mask: Any, spare: Any
) -> None:
    ctx = steps.ctx
    floats = _Steps(ctx, TileType(dtypes.float32, steps.type.shape))
    number, by = floats.tile("number"), floats.tile("by")
    floats.rounded(by, divisor, "CAST_RINT")
    floats.rounded(number, dividend, "CAST_RINT")
    floats.emit("Div", number, number, by)
    floats.rounded(quotient, number, "CAST_TRUNC")
    steps.emit("Mul", remainder, quotient, divisor)
    steps.emit("Sub", remainder, dividend, remainder)
    for mode in _LATER_QUOTIENTS[steps.dtype.name]:
        floats.rounded(number, remainder, "CAST_RINT")
        floats.emit("Div", number, number, by)
        floats.rounded(mask, number, mode)
        steps.emit("Add", quotient, quotient, mask)
        steps.emit("Mul", mask, mask, divisor)
        steps.emit("Sub", remainder, remainder, mask)
    steps.signs_differ(mask, remainder, divisor, spare)
    steps.correct(quotient, remainder, divisor, mask, up=False)
    is_wide = steps.dtype.sizeof() > dtypes.float32.sizeof()
    rest = steps.tile("rest") if is_wide else number.reinterpret(steps.dtype)
    steps.emit("Sub", rest, divisor, remainder)  # fits also for the smallest divisor and 0, other than its negative
    steps.signs_agree(mask, rest, divisor, spare)
    steps.bits("Not", mask, mask)  # the remainder is as large as the divisor
    steps.correct(quotient, remainder, divisor, mask, up=True)


def _small_integers(ctx: Any, name: str, type_: TileType, target: Any, left: Operand, right: Operand) -> None:
    """int16 where there is no integer division."""
    steps = _Steps(ctx, TileType(dtypes.float32, type_.shape))
    dividend, divisor = steps.operand(left, type_.dtype), steps.operand(right, type_.dtype)
    quotient = steps.emit("Div", steps.tile("quotient"), dividend, divisor)
    if name != "mod":
        steps.rounded(target, quotient, "CAST_TRUNC" if name == "div" else "CAST_FLOOR")
        return
    steps.rounded(quotient, quotient, "CAST_FLOOR")
    steps.emit("Mul", quotient, quotient, divisor)
    steps.emit("Sub", quotient, dividend, quotient)
    steps.rounded(target, quotient, "CAST_TRUNC")


# --- floats -----------------------------------------------------------------------------------------------------------


# Steps after which no quotient is left that is 1 or larger, if the first one was finite: each takes 24 bits off.
_REMAINDER_STEPS = {"float16": 2, "bfloat16": 6, "float32": 6}


class _Remainders(_Steps):
    """Remainders without rounding: ``number - quotient * divisor`` with the product as a sum of exact products."""

    def __init__(self, ctx: Any, type_: TileType, divisor: Any) -> None:
        super().__init__(ctx, type_)
        self.divisor = divisor
        self.keep = ctx.scratch(TileType(dtypes.int32, type_.shape), "high_digits")
        ctx.emit("Duplicate", self.keep, ctx.number(_HIGH_DIGITS - 2**32), self.count)
        self.high, self.low = self.split(divisor, "divisor")
        self.quotient_high, self.quotient_low = self.tile("quotient_high"), self.tile("quotient_low")
        self.product, self.error = self.tile("product"), self.tile("error")

    def split(self, tile: Any, name: str) -> tuple[Any, Any]:
        """A number as the sum of two of 12 digits."""
        high = self.bits("And", self.tile(f"{name}_high"), tile, self.keep)
        return high, self.emit("Sub", self.tile(f"{name}_low"), tile, high)

    def step(self, target: Any, number: Any, quotient: Any) -> None:
        """The quotient towards zero and what it leaves; the target may be the number itself."""
        high, low, product, error = self.quotient_high, self.quotient_low, self.product, self.error
        self.emit("Div", quotient, number, self.divisor)
        self.rounded(quotient, quotient, "CAST_TRUNC")
        self.bits("And", high, quotient, self.keep)
        self.emit("Sub", low, quotient, high)
        self.emit("Mul", product, quotient, self.divisor)
        self.emit("Mul", error, high, self.high)
        self.emit("Sub", error, error, product)
        for one, other in ((high, self.low), (low, self.high), (low, self.low)):
            self.emit("Add", error, error, self.emit("Mul", high, one, other))
        self.emit("Sub", target, number, product)
        self.emit("Sub", target, target, error)


def _floats(ctx: Any, name: str, type_: TileType, target: Any, left: Operand, right: Operand) -> None:
    wide = TileType(dtypes.float32, type_.shape)
    steps = _Steps(ctx, wide)
    dividend, divisor = steps.operand(left, type_.dtype), steps.operand(right, type_.dtype)
    is_wide = type_.dtype == dtypes.float32
    result = target if is_wide else steps.tile("result")
    # An infinite divisor counts as the largest finite number: nothing but the last correction sees a difference.
    largest = float(np.finfo(np.float32).max)
    by = steps.scalar("Mins", steps.tile("by"), divisor, largest)
    steps.scalar("Maxs", by, by, -largest)
    remainders = _Remainders(ctx, wide, by)
    if name == "mod":
        quotient, remainder = steps.tile("quotient"), result
        whole = ctx.reserve(result, ctx.constant(steps.count))
        strided.copy_run(ctx, whole, dividend, ctx.constant(steps.count))
        with ctx.loop(_REMAINDER_STEPS[type_.dtype.name], "step"):
            remainders.step(remainder, remainder, quotient)
    else:
        quotient, remainder = result, steps.tile("remainder")
        remainders.step(remainder, dividend, quotient)
    # Where the signs of remainder and divisor differ, the quotient is one less.
    differs = ctx.scratch(TileType(dtypes.int1, type_.shape), "differs")
    sign = steps.tile("sign")
    steps.scalar("Muls", sign, divisor, 2.0**120)  # every number but 0 gets larger than 1
    steps.scalar("Muls", sign, sign, 2.0**60)
    steps.scalar("Maxs", sign, sign, -1.0)
    steps.scalar("Mins", sign, sign, 1.0)
    steps.emit("Mul", sign, sign, remainder)
    compared = ctx.compare_count(wide, sign)
    ctx.emit("Compares", differs, sign, ctx.number(0.0, dtypes.float32), "CMPMODE::LT", compared)
    if name == "mod":
        changed = steps.emit("Add", by, remainder, divisor)
    else:
        changed = steps.scalar("Adds", by, quotient, -1.0)
    ctx.emit("Select", result, differs, changed, result, "SELMODE::VSEL_TENSOR_TENSOR_MODE", steps.count)
    if name == "floordiv":  # an infinite dividend leaves no number
        steps.scalar("Muls", sign, dividend, 0.0)
        steps.emit("Add", result, result, sign)
    if not is_wide:
        lower_conversion(ctx, target, result, type_, None)


# --- the operations ---------------------------------------------------------------------------------------------------


def lower_division(name: str) -> Callable[[Any, Node], None]:
    """Lowering of ``div`` of integers, ``floordiv`` or ``mod``."""

    def lower(ctx: Any, node: Node) -> None:
        result = node.result
        assert isinstance(result, LocalTensor)
        dtype = result.dtype
        if dtype.is_float():
            way = _floats
        elif dtype == dtypes.int16 and not ctx.supports("Div", dtype):
            way = _small_integers
        else:
            way = _integers
        way(ctx, name, result.type, ctx.result(node), *node.operands)

    return lower


def _floor_divide(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.floor_divide(a, b)


def _remainder(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.mod(a, b)


for _name, _formula, _meaning in (
    ("floordiv", "input // other, rounded down", _floor_divide),
    ("mod", "remainder of input // other, with the sign of other", _remainder),
):
    register(Operation(_name, _build(_name, _formula), _meaning, lower_division(_name), on_all(*_ELEMENTS)))
