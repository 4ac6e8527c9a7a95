"""Compile-time numbers that remember the name the kernel's author gave them.

``tile_size`` in ``copy_in(x, [i * tile_size], [tile_size])`` is a plain number while the kernel is walked; keeping
its name lets the generated text say ``tile_size`` where the author said it.  Arithmetic yields ordinary numbers.
"""

from __future__ import annotations

import enum
from typing import Any, Union

from .dtypes import DataType


class NamedInt(int):
    """An int with the name of the constant that it came from."""

    name: str


class NamedFloat(float):
    """A float with the name of the constant that it came from."""

    name: str


Number = Union[int, float, bool]


def constant_text(value: Any) -> str:
    """A constant as a signature writes it: the same text on every machine, with the names of what has a name."""
    if isinstance(value, DataType):
        return value.name
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if type(value) in (list, tuple):
        items = ", ".join(constant_text(item) for item in value)
        one = "," if type(value) is tuple and len(value) == 1 else ""
        return f"[{items}]" if type(value) is list else f"({items}{one})"
    if type(value) is dict:
        return "{" + ", ".join(f"{constant_text(key)}: {constant_text(item)}" for key, item in value.items()) + "}"
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__qualname__))
    text = repr(value)
    return type(value).__qualname__ if " at 0x" in text else text


def named(value: Any, name: str) -> Any:
    """Return ``value`` carrying ``name`` if it is an int or float, else ``value`` itself."""
    if type(value) is int:
        number: Any = NamedInt(value)
    elif type(value) is float:
        number = NamedFloat(value)
    else:
        return value
    number.name = name
    return number


def unnamed(value: Any) -> Any:
    """The ordinary Python number behind a named one; any other value unchanged."""
    if isinstance(value, NamedInt):
        return int(value)
    if isinstance(value, NamedFloat):
        return float(value)
    return value
