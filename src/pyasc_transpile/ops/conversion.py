"""cast: which conversions exist as one instruction, and the way round where one does not."""

from __future__ import annotations

import enum
from typing import Any, Mapping, Optional

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Node, current_builder
from ..graph.types import ScalarType, TileType
from ..graph.values import LocalTensor, PlainValue
from . import numeric, scalars, typing
from .registry import Operation, on_all, register


class RoundMode(enum.Enum):
    """How a conversion rounds.

    Default: nothing for exact conversions, to nearest even towards floats, towards zero from float to integer.
    """

    Default = "default"
    NoRound = "CAST_NONE"
    Rint = "CAST_RINT"
    Floor = "CAST_FLOOR"
    Ceil = "CAST_CEIL"
    Round = "CAST_ROUND"
    Trunc = "CAST_TRUNC"
    Odd = "CAST_ODD"
    # As the low-level calls name them.
    CAST_NONE = "CAST_NONE"
    CAST_RINT = "CAST_RINT"
    CAST_FLOOR = "CAST_FLOOR"
    CAST_CEIL = "CAST_CEIL"
    CAST_ROUND = "CAST_ROUND"
    CAST_TRUNC = "CAST_TRUNC"
    CAST_ODD = "CAST_ODD"


_EXACT, _FIVE = "N", "R"  # the instruction converts exactly, or rounds by one of five modes

# Source -> target -> how, for the conversions that are one instruction (Ascend C reference, "Cast").
_BOTH: Mapping[tuple[str, str], str] = {
    ("int8", "float16"): _EXACT,
    ("int16", "float16"): _FIVE,
    ("int16", "float32"): _EXACT,
    ("float16", "int8"): _FIVE,
    ("float16", "int16"): _FIVE,
    ("float16", "int32"): _FIVE,
    ("float16", "float32"): _EXACT,
    ("bfloat16", "int32"): _FIVE,
    ("bfloat16", "float32"): _EXACT,
    ("int32", "int16"): _EXACT,
    ("int32", "float32"): _FIVE,
    ("int32", "int64"): _EXACT,
    ("float32", "int16"): _FIVE,
    ("float32", "bfloat16"): _FIVE,
    ("float32", "int32"): _FIVE,
    ("float32", "int64"): _FIVE,
    ("float32", "float16"): _FIVE,
    ("float32", "float32"): _FIVE,
    ("int64", "int32"): _EXACT,
    ("int64", "float32"): _FIVE,
}
_DIRECT: Mapping[str, Mapping[tuple[str, str], str]] = {
    "c220": _BOTH,
    "c310": {
        **_BOTH,
        ("int8", "int16"): _EXACT,
        ("int8", "int32"): _EXACT,
        ("int16", "int32"): _EXACT,
        ("float16", "bfloat16"): _FIVE,
        ("bfloat16", "float16"): _FIVE,
    },
}
# Conversions made of two.  The first step of each is exact over the range in which the result is finite, so the
# result is rounded once.
_VIA: Mapping[tuple[str, str], str] = {
    ("int8", "int16"): "float16",
    ("int8", "int32"): "float16",
    ("int8", "float32"): "float16",
    ("int16", "int32"): "float32",
    ("int16", "bfloat16"): "float32",
    ("int16", "int64"): "int32",
    ("int32", "float16"): "float32",
    ("float16", "bfloat16"): "float32",
    ("bfloat16", "float16"): "float32",
    ("float16", "int64"): "float32",
    ("bfloat16", "int64"): "float32",
    ("bfloat16", "int16"): "float32",
}

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
_MODES = (RoundMode.Rint, RoundMode.Floor, RoundMode.Ceil, RoundMode.Round, RoundMode.Trunc)


def default_mode(source: DataType, target: DataType) -> RoundMode:
    """The mode that RoundMode.Default stands for."""
    return RoundMode.Trunc if source.is_float() and target.is_int() else RoundMode.Rint


def cast(input: Any, dtype: DataType, round_mode: RoundMode = RoundMode.Default) -> Any:
    """Convert a tile, scalar or number to another type.

    Args:
        input: tile of int8, int16, int32, int64, float16, bfloat16, float32 or of comparison results (int1);
            or a scalar or number.
        dtype: target type.
        round_mode: how to round; tiles only. Default rounds to nearest even towards floats and truncates from
            float to integer.

    Returns:
        Tile of the same shape (the same tile if it has that type already), or a scalar.

    Raises:
        TypeError: dtype is not a DataType, or round_mode not a RoundMode.
        RuntimeError: no such conversion, or a round mode for a scalar.
    """
    typing.check_dtype(dtype)
    if not isinstance(round_mode, RoundMode):
        raise TypeError(f"round_mode must be a RoundMode, not {typing.describe(round_mode)}")
    if not isinstance(input, LocalTensor):
        if round_mode is not RoundMode.Default:
            raise RuntimeError("a round mode applies to tiles only; scalars convert as in C")
        number = scalars.cast(input, dtype)
        if isinstance(number, PlainValue):
            return number
        return current_builder().emit("scalar.constant", [number], [ScalarType(dtype)]).result
    source = input.dtype
    if source == dtype:
        return input
    if source.is_bool():
        return _from_mask(input, dtype)
    pair = (source.name, dtype.name)
    if pair not in _DIRECT["c310"] and pair not in _VIA:
        raise RuntimeError(f"a tile of {source} cannot be converted to {dtype}")
    if round_mode is RoundMode.Odd and pair != ("float32", "float16"):
        raise RuntimeError(f"RoundMode.Odd exists for float32 to float16 only, not for {source} to {dtype}")
    if round_mode is RoundMode.NoRound and _DIRECT["c310"].get(pair) == _FIVE and pair != ("float32", "float16"):
        raise RuntimeError(f"{source} to {dtype} needs rounding; RoundMode.NoRound is not possible")
    mode = default_mode(source, dtype) if round_mode is RoundMode.Default else round_mode
    return current_builder().emit("cast", [input], [TileType(dtype, input.shape)], {"mode": mode}).result


def _from_mask(mask: LocalTensor, dtype: DataType) -> Any:
    from .selection import where  # selection needs the casts of this module

    if dtype in (dtypes.float16, dtypes.float32, dtypes.int16, dtypes.int32, dtypes.bfloat16):
        return where(mask, typing.number_for(1, dtype, "1"), typing.number_for(0, dtype, "0"), dtype=dtype)
    return cast(where(mask, 1.0, 0.0, dtype=dtypes.float16), dtype)


def lower_conversion(ctx: Any, target: Any, source: Any, shape_type: TileType, mode: Optional[RoundMode]) -> None:
    """Emit the conversion of tile ``source`` into tile ``target``; None asks for the default mode."""
    pair = (source.dtype.name, target.dtype.name)
    mode = mode or default_mode(source.dtype, target.dtype)
    count = ctx.count(shape_type)
    direct = _DIRECT[ctx.architecture.name]
    if pair in direct:
        chosen = RoundMode.NoRound if direct[pair] == _EXACT else mode
        ctx.emit("Cast", target, source, f"RoundMode::{chosen.value}", count)
        return
    if pair not in _VIA:
        raise ctx.fail(f"{pair[0]} to {pair[1]} does not exist on {ctx.architecture.name}")
    middle = ctx.scratch(TileType(DataType(_VIA[pair]), shape_type.shape))
    lower_conversion(ctx, middle, source, shape_type, None)
    lower_conversion(ctx, target, middle, shape_type, mode)


def _lower(ctx: Any, node: Node) -> None:
    source = node.operands[0]
    assert isinstance(source, LocalTensor)
    lower_conversion(ctx, ctx.result(node), ctx.operand(source), source.type, node.attrs["mode"])


def _converted(array: Any, mode: RoundMode, result: TileType) -> Any:
    target = result.dtype
    if target.is_float():
        exact = np.longdouble if array.dtype == np.int64 else np.float64
        return numeric.round_to_float(array.astype(exact), target, mode.value)
    if array.dtype.kind == "f":
        array = numeric.round_to_integral(array, mode.value)
    return numeric.saturate(array, target)


CAST = register(Operation("cast", cast, _converted, _lower, on_all(*_ELEMENTS)))
