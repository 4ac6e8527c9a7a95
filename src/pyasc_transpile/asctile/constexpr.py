"""``ConstExpr``: marks kernel parameters, or single arguments, as compile-time constants."""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any, Callable, Generic, Optional, TypeVar, Union

import numpy as np

from ..errors import ConstantTypeError

T = TypeVar("T")

_NoneType = type(None)
_UNIONS: tuple[Any, ...] = (Union, types.UnionType) if sys.version_info >= (3, 10) else (Union,)
_WORD = re.compile(r"\bConstExpr\b")


class ConstExpr(Generic[T]):
    """A value known at compile time.

    As an annotation, ``tile: ConstExpr[int]`` makes a parameter a constant: the kernel is compiled anew for each value.
    As a wrapper, ``ConstExpr(5)`` does the same for one argument of a launch.
    Inside a kernel the bare value is seen.
    """

    __slots__ = ("value",)
    value: T

    def __init__(self, value: Any) -> None:
        self.value = ConstExpr.unwrap(value)

    @staticmethod
    def unwrap(obj: Any) -> Any:
        """The value inside a ``ConstExpr``, or ``obj`` itself."""
        return obj.value if isinstance(obj, ConstExpr) else obj

    def __eq__(self, other: object) -> Any:
        return isinstance(other, ConstExpr) and self.value == other.value

    def __hash__(self) -> int:
        return hash((ConstExpr, self.value))

    def __str__(self) -> str:
        return str(self.value)

    def __repr__(self) -> str:
        return f"ConstExpr[{type(self.value).__name__}]({self.value!r})"


#: Turns the value given for a constant into the value that the kernel sees; raises ConstantTypeError.
Check = Callable[[str, Any], Any]


def constant_check(annotation: Any, namespace: Mapping[str, Any]) -> Optional[Check]:
    """The check that belongs to a parameter annotation, or None if it does not make a constant.

    Args:
        annotation: an object, or the text of one (``from __future__ import annotations``).
        namespace: names that a textual annotation may use.
    """
    if isinstance(annotation, str):
        if "ConstExpr" not in annotation and not _may_name_a_constant(annotation, namespace):
            return None
        try:
            annotation = eval(annotation, dict(namespace))  # an annotation is source code of the kernel's own module
        except Exception:  # whatever is wrong with it, the text still says whether it is a constant
            return _accept if _WORD.search(annotation) else None
    if annotation is ConstExpr:
        return _accept
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is ConstExpr:
        return _checker(arguments[0])
    if origin in _UNIONS and any(a is ConstExpr or typing.get_origin(a) is ConstExpr for a in arguments):
        inner = tuple(typing.get_args(a)[0] if typing.get_origin(a) is ConstExpr else a for a in arguments)
        return _accept if ConstExpr in inner else _checker(Union[inner])
    if origin is not None and hasattr(annotation, "__metadata__"):
        return constant_check(arguments[0], namespace)
    return None


def _may_name_a_constant(annotation: str, namespace: Mapping[str, Any]) -> bool:
    """Whether a textual annotation is the name of an alias such as ``Tile = ConstExpr[int]``."""
    value = namespace.get(annotation)
    return value is not None and (value is ConstExpr or typing.get_origin(value) is ConstExpr)


def _accept(name: str, value: Any) -> Any:
    return value


def _checker(target: Any) -> Check:
    if target is Any or target is object or isinstance(target, TypeVar):
        return _accept
    alternatives = _alternatives(target)
    if alternatives is None:
        return _accept
    wanted = _describe(target)

    def check(name: str, value: Any) -> Any:
        if isinstance(value, alternatives):
            return value
        converted = _number(value, alternatives)
        if converted is None:
            raise ConstantTypeError(
                f"constant {name!r} must be {wanted}, got {type(value).__name__} {_short(value)}",
                remedy=f"pass {wanted}, or change the annotation ConstExpr[{wanted}] of {name!r}",
            )
        return converted

    return check


def _number(value: Any, alternatives: tuple[type, ...]) -> Any:
    """A number in the form that Python users take for granted: NumPy ints are ints, ints are acceptable floats."""
    if bool in alternatives and isinstance(value, np.bool_):
        return bool(value)
    if int in alternatives and isinstance(value, np.integer):
        return int(value)
    if float in alternatives and isinstance(value, (int, np.integer, np.floating)):
        return float(value)
    return None


def _alternatives(target: Any) -> Optional[tuple[type, ...]]:
    """Classes that a value may have; None if the annotation cannot be checked."""
    if target is None:
        return (_NoneType,)
    origin = typing.get_origin(target)
    if origin in _UNIONS:
        found: list[type] = []
        for argument in typing.get_args(target):
            inner = _alternatives(argument)
            if inner is None:
                return None
            found.extend(inner)
        return tuple(found)
    if origin is typing.Literal:
        return tuple({type(choice) for choice in typing.get_args(target)})
    candidate = target if origin is None else origin
    if not isinstance(candidate, type):
        return None
    try:
        isinstance(None, candidate)
    except TypeError:
        return None
    return (candidate,)


def _describe(target: Any) -> str:
    if typing.get_origin(target) is None and isinstance(target, type):
        return target.__name__
    others = [a for a in typing.get_args(target) if a is not _NoneType]
    if typing.get_origin(target) is Union and len(others) == 1:
        (other,) = others
        return f"Optional[{_describe(other)}]"
    return str(target).replace("typing.", "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
