"""device_print and device_assert: kept in debug builds only."""

from __future__ import annotations

import os
from typing import Any, Optional

import numpy as np

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.graph import Node, Operand, current_builder
from ..graph.values import GlobalAddress, GlobalTensor, LocalTensor, PlainValue, Value
from . import scalars, typing
from .registry import Operation, on_all, register

_ALL = ("int1", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
DEBUG_OPERATIONS = ("device_print", "device_assert")


def device_print(*values: Any, sep: Optional[str] = None, end: Optional[str] = None) -> None:
    """Print from the device; removed unless the kernel has ``debug=True``.

    Args:
        values: strings and compile-time values are printed as Python prints them, scalars as numbers, tiles with all
            elements, global tensors with address, type and extents.
        sep: between values; default a space.
        end: after the last value, and after the last one in front of a tile; default a new line.

    Raises:
        TypeError: sep or end is not a str, or a comparison result is to be printed.
    """
    for name, text in (("sep", sep), ("end", end)):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{name} must be a str, not {typing.describe(text)}")
    operands: list[Operand] = []
    parts: list[Any] = []
    for value in values:
        if isinstance(value, Value):
            if isinstance(value, LocalTensor) and value.dtype.is_bool():
                raise TypeError("a comparison result cannot be printed; print asctile.where(mask, 1, 0)")
            parts.append(len(operands))
            operands.append(value)
        elif isinstance(value, (bool, np.bool_)):
            parts.append(str(int(value)))
        else:
            parts.append(str(unnamed(value) if isinstance(value, (int, float)) else value))
    attrs = {"parts": tuple(parts), "sep": " " if sep is None else sep, "end": "\n" if end is None else end}
    current_builder().emit("device_print", operands, attrs=attrs)


def device_assert(test: Any, message: Any = None) -> None:
    """Stop the device with a message unless a condition holds; removed unless the kernel has ``debug=True``.

    Args:
        test: number or scalar; the truth of a number is that it is not 0.
        message: what to print; converted with str.

    Raises:
        TypeError: test is a str.
        ValueError: test is a tile.
    """
    if isinstance(test, LocalTensor):
        raise ValueError("a tile has no single truth value; reduce it first")
    if not isinstance(test, PlainValue) and not scalars.is_number(test):
        raise TypeError(f"the condition must be a number or a scalar, not {typing.describe(test)}")
    if isinstance(message, Value):
        raise TypeError("the message must be known at compile time; use device_print for run-time values")
    condition = scalars.truth(test) if isinstance(test, Value) else bool(test)
    if condition is True:
        return
    operand: Operand = condition if isinstance(condition, Value) else 0
    text = "" if message is None else str(message)
    current_builder().emit("device_assert", [operand], attrs={"message": text})


# --- lowering ---------------------------------------------------------------------------------------------------------


def c_string(text: str) -> str:
    """A C++ string literal."""
    escaped = "".join(_ESCAPES.get(character, character) for character in text)
    return f'"{escaped}"'


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\000", "?": "\\?"}


def _conversion(ctx: Any, value: PlainValue) -> tuple[str, Any]:
    """How printf prints a scalar, and the scalar as printf takes it."""
    dtype, number = value.dtype, ctx.operand(value)
    if dtype.is_float():
        return "%f", ctx.cast(number, dtypes.float32)
    if dtype.is_bool():
        return "%d", ctx.cast(number, dtypes.int32)
    if dtype.bitwidth == 64:
        return (
            ("%llu", ctx.cast(number, "unsigned long long"))
            if dtype.is_unsigned()
            else ("%lld", ctx.cast(number, "long long"))
        )
    return ("%u" if dtype.is_unsigned() else "%d"), number


class _Line:
    """The printf that is being put together."""

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx
        self.form = ""
        self.values: list[Any] = []

    def text(self, text: str) -> None:
        self.form += text.replace("%", "%%")

    def flush(self) -> None:
        if self.form:
            self.ctx.emit("Printf", c_string(self.form), *self.values)
        self.form, self.values = "", []


def _lower_print(ctx: Any, node: Node) -> None:
    line = _Line(ctx)
    parts = node.attrs["parts"]
    for position, part in enumerate(parts):
        value = node.operands[part] if isinstance(part, int) else None
        if isinstance(value, LocalTensor):
            if position and not _is_tile(node, parts[position - 1]):
                line.text(node.attrs["end"])
            line.flush()
            _dump(ctx, node, value)
            continue
        if position and not _is_tile(node, parts[position - 1]):
            line.text(node.attrs["sep"])
        if value is None:
            line.text(part)
        elif isinstance(value, PlainValue):
            form, number = _conversion(ctx, value)
            line.form += form
            line.values.append(number)
        else:
            _describe_global(ctx, line, value)
    if not parts or not _is_tile(node, parts[-1]):
        line.text(node.attrs["end"])
    line.flush()


def _is_tile(node: Node, part: Any) -> bool:
    return isinstance(part, int) and isinstance(node.operands[part], LocalTensor)


def _describe_global(ctx: Any, line: _Line, value: Any) -> None:
    assert isinstance(value, (GlobalTensor, GlobalAddress))
    line.form += f"{value.kind_name} {value.dtype} at %p"
    line.values.append(ctx.address_of(value))
    if isinstance(value, GlobalTensor):
        forms = []
        for extent in value.shape:
            form, number = ("%d", ctx.number(extent)) if isinstance(extent, int) else _conversion(ctx, extent)
            forms.append(form)
            line.values.append(number)
        line.form += f" [{', '.join(forms)}]"


def _dump(ctx: Any, node: Node, value: LocalTensor) -> None:
    """Dump a tile, row by row if its rows are padded; the number of the dump is the Python line."""
    tile, type_ = ctx.operand(value), value.type
    number = ctx.number(node.span.line if node.span else 0)
    if ctx.pitch(type_) == type_.shape[-1] or ctx.rows(type_) == 1:
        ctx.emit("DumpTensor", tile, number, ctx.number(type_.size))
        return
    with ctx.loop(ctx.rows(type_), "r") as row:
        ctx.emit("DumpTensor", tile.at(row * ctx.pitch(type_)), number, ctx.number(type_.shape[-1]))


def _lower_assert(ctx: Any, node: Node) -> None:
    span, message = node.span, node.attrs["message"]
    place = f"{os.path.basename(span.filename)}:{span.line}:{span.column}: " if span else ""
    text = f"{place}{message or 'the assertion does not hold'}"
    condition = ctx.operand(node.operands[0], dtypes.int1)
    ctx.emit("Assert", condition, c_string(text.replace("%", "%%") + "\n"))


# --- meaning ----------------------------------------------------------------------------------------------------------


def _printed(*values: Any, parts: tuple[Any, ...], sep: str, end: str) -> None:
    print(*(values[part] if isinstance(part, int) else part for part in parts), sep=sep, end=end)


def _asserted(test: Any, message: str) -> None:
    if not test:
        raise AssertionError(message or "the assertion does not hold")


register(Operation("device_print", device_print, _printed, _lower_print, on_all(*_ALL), pure=False))
register(Operation("device_assert", device_assert, _asserted, _lower_assert, on_all("int1"), pure=False))
