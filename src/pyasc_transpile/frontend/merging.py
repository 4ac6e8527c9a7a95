"""What a name is after two ways through the kernel met: which type it has, and whether it still is a constant."""

from __future__ import annotations

import copy
import dataclasses
import enum
import math
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from ..asctile.constexpr import ConstExpr
from ..graph.dtypes import DataType
from ..graph.graph import Operand
from ..graph.types import ScalarType, TensorLocation, TileType, Type
from ..graph.values import GlobalTensor, LocalTensor, PlainValue, Value
from ..ops import creation, scalars
from .scopes import Undefined

Path = tuple[int, ...]


class _Unset:
    """Held by a name that nobody reads before it is assigned: it goes with any value."""

    def __repr__(self) -> str:
        return "nothing"


UNSET = _Unset()


def describe(value: Any) -> str:
    """A value in words, for messages."""
    if isinstance(value, Value):
        article = "an" if value.kind_name[0] in "aeiou" else "a"
        return f"{article} {value.kind_name} {value.type}"
    if isinstance(value, Undefined):
        return "without a value"
    if value is UNSET:
        return repr(value)
    if value is None or isinstance(value, (bool, enum.Enum, DataType, types.FunctionType)):
        return str(getattr(value, "__name__", value))
    text = repr(value)
    return f"the {type(value).__name__.replace('Named', '').lower()} {text if len(text) <= 40 else text[:37] + '...'}"


def same(a: Any, b: Any) -> bool:
    """Whether two values are one: the same object, or equal constants of one type."""
    if a is b:
        return True
    if isinstance(a, Value) or isinstance(b, Value) or isinstance(a, Undefined) or isinstance(b, Undefined):
        return False
    if scalars.is_number(a) and scalars.is_number(b):
        a, b = scalars.python_number(a), scalars.python_number(b)
        if isinstance(a, float) and isinstance(b, float):
            return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (math.isnan(a) and math.isnan(b))
        return isinstance(a, bool) == isinstance(b, bool) and isinstance(a, float) == isinstance(b, float) and a == b
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)) or _is_record(a):
        return _same_form(a, b) and all(same(x, y) for x, y in zip(_parts(a), _parts(b)))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, ConstExpr):
        return same(a.value, b.value)
    try:
        return bool(a == b)
    except Exception:  # an object that cannot be compared differs
        return False


def _dtype_beside(value: Any, other: Optional[DataType]) -> DataType:
    """Run-time type of a scalar or number; an int literal takes a wide enough integer type that it meets."""
    if isinstance(value, PlainValue):
        return value.dtype
    natural = scalars.number_dtype(value)
    if other is not None and other.is_int() and other.bitwidth >= 32 and natural.is_int() and not natural.is_bool():
        return other if scalars.fits(int(value), other) else natural
    return natural


def _is_scalar(value: Any) -> bool:
    return isinstance(value, PlainValue) or scalars.is_number(value)


def join(a: Any, b: Any) -> Optional[Type]:
    """The run-time type that can hold ``a`` and ``b``, or None."""
    if a is UNSET or b is UNSET:
        return natural_type(b if a is UNSET else a)
    if _is_scalar(a) and _is_scalar(b):
        left = _dtype_beside(a, b.dtype if isinstance(b, Value) else None)
        return ScalarType(scalars.promote_dtypes(left, _dtype_beside(b, left if isinstance(a, Value) else None)))
    if isinstance(a, LocalTensor) and isinstance(b, LocalTensor):
        return _join_tiles(a.type, b.type)
    return None


def widen(type_: Type, value: Any) -> Optional[Type]:
    """``type_`` grown so that it can hold ``value`` too, or None."""
    if isinstance(type_, ScalarType) and _is_scalar(value):
        return ScalarType(scalars.promote_dtypes(type_.dtype, _dtype_beside(value, type_.dtype)))
    if isinstance(type_, TileType) and isinstance(value, LocalTensor):
        return _join_tiles(type_, value.type)
    return None


def _join_tiles(a: TileType, b: TileType) -> Optional[Type]:
    if a.dtype != b.dtype or a.shape != b.shape:
        return None
    return a if a.location is b.location else TileType(a.dtype, a.shape, TensorLocation.Auto)


def natural_type(value: Any) -> Optional[Type]:
    """The type of ``value`` as a run-time value that a loop can carry, or None."""
    if isinstance(value, (PlainValue, LocalTensor)):
        return value.type
    return ScalarType(scalars.number_dtype(value)) if scalars.is_number(value) else None


def convert(value: Any, type_: Type) -> Operand:
    """``value`` as an operand of ``type_``; may append a cast."""
    if value is UNSET:
        return creation.full(type_.shape, 0, type_.dtype) if isinstance(type_, TileType) else _zero(type_.dtype)
    if isinstance(type_, ScalarType):
        operand: Operand = scalars.cast(value, type_.dtype)
        return operand
    assert isinstance(value, Value)
    return value


def _zero(dtype: DataType) -> Operand:
    number: Operand = scalars.convert_number(0, dtype)
    return number


def has_runtime(value: Any) -> bool:
    """Whether ``value`` is a run-time value or a container of some."""
    if isinstance(value, Value):
        return True
    if isinstance(value, (list, tuple, set, frozenset)) or _is_record(value):
        return any(has_runtime(item) for item in (value if isinstance(value, (set, frozenset)) else _parts(value)))
    if isinstance(value, dict):
        return any(has_runtime(item) for item in value.values())
    return False


def _is_record(value: Any) -> bool:
    """Whether ``value`` is an instance of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _is_tree(value: Any) -> bool:
    return isinstance(value, tuple) or type(value) is list or _is_record(value)


def _parts(value: Any) -> Sequence[Any]:
    """The items of a tuple or list, the fields of a dataclass."""
    if _is_record(value):
        return [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    parts: Sequence[Any] = value
    return parts


def _part_name(value: Any, position: int) -> str:
    return dataclasses.fields(value)[position].name if _is_record(value) else str(position)


def _like(value: Any, items: list[Any]) -> Any:
    """A list, tuple, named tuple or dataclass like ``value`` with other parts."""
    if isinstance(value, list):
        return items
    if _is_record(value):
        made = copy.copy(value)
        for field, item in zip(dataclasses.fields(value), items):
            object.__setattr__(made, field.name, item)
        return made
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def _same_form(a: Any, b: Any) -> bool:
    return _is_tree(a) and type(a) is type(b) and len(_parts(a)) == len(_parts(b))


def is_composite(value: Any) -> bool:
    """Whether ``value`` has parts of which one is known only at run time."""
    return _is_tree(value) and has_runtime(value)


def unset_like(value: Any) -> Any:
    """What stands for ``value`` before it is assigned: nothing in the place of every run-time part."""
    if is_composite(value):
        return _like(value, [unset_like(part) for part in _parts(value)])
    return UNSET if isinstance(value, Value) else value


def differences(a: Any, b: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """The leaves where two values differ: path, leaf of ``a``, leaf of ``b``."""
    if same(a, b):
        return
    if _same_form(a, b):
        for position, (x, y) in enumerate(zip(_parts(a), _parts(b))):
            yield from differences(x, y, (*path, position))
    else:
        yield path, a, b


def leaf(value: Any, path: Path) -> Any:
    """The part of ``value`` at ``path``; Undefined where there is none."""
    for position in path:
        if not _is_tree(value) or position >= len(_parts(value)):
            return Undefined("", "")
        value = _parts(value)[position]
    return value


def substitute(value: Any, leaves: Mapping[Path, Any], path: Path = ()) -> Any:
    """``value`` with the parts at the given paths replaced."""
    if path in leaves:
        return leaves[path]
    if not _is_tree(value) or not any(other[: len(path)] == path for other in leaves):
        return value
    parts = enumerate(_parts(value))
    return _like(value, [substitute(item, leaves, (*path, position)) for position, item in parts])


class Unmergeable(Exception):
    """Two values have no common run-time type."""

    def __init__(self, a: Any, b: Any) -> None:
        super().__init__()
        self.values = (a, b)


class Joined:
    """A leaf that becomes result ``index`` of the branch."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class BranchMerge:
    """Collects the values that the two ways of a branch leave behind and become its results."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        self.types: list[Type] = []
        self.names: list[str] = []

    def add(self, a: Any, b: Any, name: str) -> Any:
        """What stands for ``a`` or ``b`` after the branch; :meth:`fill` completes it.

        Raises:
            Unmergeable: the two cannot become one value.
        """
        if same(a, b):
            return a
        if a is UNSET or b is UNSET:
            other = b if a is UNSET else a
            if not has_runtime(other):
                return other
            if _is_tree(other):  # every part of it goes with anything, too
                unset = _like(other, [UNSET] * len(_parts(other)))
                a, b = (unset, other) if a is UNSET else (other, unset)
        if _same_form(a, b):
            pairs = enumerate(zip(_parts(a), _parts(b)))
            return _like(a, [self.add(x, y, f"{name}_{_part_name(a, place)}") for place, (x, y) in pairs])
        type_ = join(a, b)
        if type_ is None:
            raise Unmergeable(a, b)
        self.pairs.append((a, b))
        self.types.append(type_)
        self.names.append(name)
        return Joined(len(self.pairs) - 1)

    def fill(self, template: Any, results: Sequence[Value]) -> Any:
        """``template`` with the results of the branch in their places."""
        if isinstance(template, Joined):
            return results[template.index]
        if _is_tree(template) and _has_joined(template):
            return _like(template, [self.fill(item, results) for item in _parts(template)])
        return template

    def rollback(self, count: int) -> None:
        """Forget everything after the first ``count`` pairs."""
        del self.pairs[count:], self.types[count:], self.names[count:]


def _has_joined(template: Any) -> bool:
    return any(isinstance(item, Joined) or (_is_tree(item) and _has_joined(item)) for item in _parts(template))


def mismatch_reason(a: Any, b: Any) -> str:
    """Why two values cannot become one, for messages."""
    if isinstance(a, GlobalTensor) or isinstance(b, GlobalTensor):
        return "global tensors cannot be selected at run time"
    if isinstance(a, LocalTensor) and isinstance(b, LocalTensor):
        return "both must have the same shape and element type"
    return "only numbers, scalars and tiles of one shape and type can change at run time"


Leaf = Union[PlainValue, LocalTensor, int, float, bool]
