"""Rounding and wrapping of NumPy arrays to the element types of the language.

Arrays of an element type are held in its NumPy type, and bfloat16, which NumPy does not have, in float32.  They are
computed with *wide*: floats in float64, everything else in its own type.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DataType

# Significant bits, and the exponents of the smallest and of the largest normal number.
_FLOATS: Mapping[str, tuple[int, int, int]] = {
    "float16": (11, -14, 15),
    "bfloat16": (8, -126, 127),
    "float32": (24, -126, 127),
    "float64": (53, -1022, 1023),
}


def _ties_away(magnitude: Any) -> Any:
    whole = np.floor(magnitude)
    return whole + (magnitude - whole >= 0.5)


def _odd(magnitude: Any) -> Any:
    whole = np.floor(magnitude)
    return np.where(magnitude == whole, whole, whole + (np.fmod(whole, 2) == 0))


# By the name of Ascend C's round mode: what becomes of a magnitude, and whether its sign was negative.
_MODES: Mapping[str, Callable[[Any, Any], Any]] = {
    "CAST_NONE": lambda x, negative: np.rint(x),
    "CAST_RINT": lambda x, negative: np.rint(x),
    "CAST_FLOOR": lambda x, negative: np.where(negative, np.ceil(x), np.floor(x)),
    "CAST_CEIL": lambda x, negative: np.where(negative, np.floor(x), np.ceil(x)),
    "CAST_ROUND": lambda x, negative: _ties_away(x),
    "CAST_TRUNC": lambda x, negative: np.floor(x),
    "CAST_ODD": lambda x, negative: _odd(x),
}


def numpy_dtype(dtype: DataType) -> Any:
    """NumPy type in which elements of ``dtype`` are held."""
    if dtype.is_bool():
        return np.dtype(np.bool_)
    return np.dtype("float32" if dtype == dtypes.bfloat16 else dtype.name)


def wide(array: Any) -> Any:
    """``array`` in the type that it is computed in."""
    return array.astype(np.float64) if array.dtype.kind == "f" and array.dtype.itemsize < 8 else array


def larger(a: Any, b: Any) -> Any:
    """Elementwise maximum: NaN if either is NaN; -0 is smaller than +0 (NumPy returns either of them)."""
    return _zeros_signed(np.maximum(a, b), lambda: np.signbit(a) & np.signbit(b))


def smaller(a: Any, b: Any) -> Any:
    """Elementwise minimum: NaN if either is NaN; -0 is smaller than +0."""
    return _zeros_signed(np.minimum(a, b), lambda: np.signbit(a) | np.signbit(b))


def largest(array: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Maximum along dimensions, as :func:`larger` has it."""
    found = np.max(array, axis=axis, keepdims=keepdims)
    return _zeros_signed(found, lambda: np.all(np.signbit(array), axis=axis, keepdims=keepdims))


def smallest(array: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Minimum along dimensions, as :func:`smaller` has it."""
    found = np.min(array, axis=axis, keepdims=keepdims)
    return _zeros_signed(found, lambda: np.any(np.signbit(array), axis=axis, keepdims=keepdims))


def _zeros_signed(numbers: Any, is_negative: Callable[[], Any]) -> Any:
    """Numbers of which those that are zero have the sign that ``is_negative`` says."""
    if numbers.dtype.kind != "f":
        return numbers
    result, zeros = np.array(numbers, subok=True), numbers == 0
    result[zeros] = 0.0
    result[zeros & is_negative()] = -0.0
    return result


def round_to_integral(array: Any, mode: str = "CAST_RINT") -> Any:
    """A float array rounded to integral values by a round mode of Ascend C."""
    return np.copysign(_MODES[mode](np.abs(array), np.signbit(array)), array)


def round_to_float(array: Any, dtype: DataType, mode: str = "CAST_RINT") -> Any:
    """A wide float array rounded once to float type ``dtype``; too large a number becomes infinite or, where the mode
    rounds towards zero, the largest finite one."""
    held = numpy_dtype(dtype)
    with np.errstate(all="ignore"):
        if mode == "CAST_RINT" and dtype != dtypes.bfloat16:
            return np.asarray(array).astype(held)
        digits, lowest, highest = _FLOATS[dtype.name]
        finite = np.where(np.isfinite(array), array, 0)
        magnitude, negative = np.abs(finite), np.signbit(array)
        unit = np.maximum(np.frexp(magnitude)[1] - digits, lowest - digits + 1)
        rounded = np.ldexp(_MODES[mode](np.ldexp(magnitude, -unit), negative), unit)
        largest = np.ldexp(2.0 - np.ldexp(1.0, 1 - digits), highest)
        stays = _MODES[mode](np.asarray(0.25), negative) == 0 if mode in ("CAST_FLOOR", "CAST_CEIL") else False
        if mode in ("CAST_TRUNC", "CAST_ODD"):
            stays = True
        rounded = np.where(rounded > largest, np.where(stays, largest, np.inf), rounded)
        return np.where(np.isfinite(array), np.copysign(rounded, array), array).astype(held)


def saturate(array: Any, dtype: DataType) -> Any:
    """An array of whole numbers as integer type ``dtype``; what does not fit becomes its nearest value, NaN zero."""
    held = numpy_dtype(dtype)
    info = np.iinfo(held)
    if array.dtype.kind != "f":
        low, high = max(info.min, np.iinfo(array.dtype).min), min(info.max, np.iinfo(array.dtype).max)
        return np.clip(array, array.dtype.type(low), array.dtype.type(high)).astype(held)
    with np.errstate(all="ignore"):
        inside = np.where(np.isnan(array), 0, array)
        over, under = inside >= 2.0 ** (info.bits - 1), inside < float(info.min)
        converted = np.where(over | under, 0, inside).astype(held)
        return np.where(over, held.type(info.max), np.where(under, held.type(info.min), converted))


def as_elements(array: Any, dtype: DataType) -> Any:
    """A computed array as elements of ``dtype``: floats rounded to nearest even, integers wrapped."""
    array = np.asarray(array)
    held = numpy_dtype(dtype)
    if dtype.is_float():
        return round_to_float(array, dtype) if array.dtype != held or dtype == dtypes.bfloat16 else array
    return array.astype(held)


def from_memory(raw: Any, dtype: DataType) -> Any:
    """Elements of ``dtype`` from an array of :func:`memory_dtype`."""
    if dtype == dtypes.bfloat16:
        return (raw.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return raw


def to_memory(elements: Any, dtype: DataType) -> Any:
    """The opposite of :func:`from_memory`."""
    if dtype == dtypes.bfloat16:
        bits = np.ascontiguousarray(elements, np.float32).view(np.uint32).reshape(np.shape(elements))
        quiet = np.where(np.isnan(elements), np.uint32(0x400000), np.uint32(0))
        return ((bits | quiet) >> np.uint32(16)).astype(np.uint16)
    return elements


def memory_dtype(dtype: DataType) -> Any:
    """NumPy type of the bytes of ``dtype`` in memory: 16 bits for bfloat16."""
    if dtype == dtypes.bfloat16:
        return np.dtype(np.uint16)
    return np.dtype(np.uint8) if dtype.is_bool() or dtype.bitwidth == 8 and dtype.is_float() else numpy_dtype(dtype)


def partly_undefined(array: Any, defined: Any) -> Any:
    """An array of which only the elements where ``defined`` holds have a value."""
    return np.ma.MaskedArray(array, mask=~np.broadcast_to(defined, np.shape(array)))


def box_inside(starts: Sequence[int], extents: Sequence[int], limits: Sequence[int]) -> tuple[int, ...]:
    """How many elements of a box, per dimension, lie inside of a tensor of ``extents``."""
    return tuple(
        max(min(extent - start, limit), 0) for start, extent, limit in zip(starts, extents, limits)
    )


def box_slices(counts: Optional[Sequence[int]]) -> tuple[slice, ...]:
    """The first ``counts`` elements of an array, per dimension."""
    return tuple(slice(0, count) for count in counts or ())
