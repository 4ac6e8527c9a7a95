"""Compile-time numbers that remember the name the kernel's author gave them.

``tile_size`` in ``copy_in(x, [i * tile_size], [tile_size])`` is a plain number while the kernel is walked; keeping
its name lets the generated text say ``tile_size`` where the author said it.  Arithmetic yields ordinary numbers.
"""

from __future__ import annotations

from typing import Any, Union


class NamedInt(int):
    """An int with the name of the constant that it came from."""

    name: str


class NamedFloat(float):
    """A float with the name of the constant that it came from."""

    name: str


Number = Union[int, float, bool]


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
