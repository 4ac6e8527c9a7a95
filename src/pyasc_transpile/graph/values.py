"""Run-time values of a kernel as its author meets them: scalars, tiles, global tensors and addresses.

A value is the result of a node or a parameter of a region.  Operators are attached in one table by
:mod:`pyasc_transpile.asctile.operators`, since they build nodes.
"""

from __future__ import annotations

from typing import Any, NoReturn, Optional, Sequence, Union

from ..errors import Span
from .dtypes import DataType
from .types import AddressType, GlobalType, ScalarType, TensorLocation, TileType, Type


class Value:
    """A run-time value. ``name`` is the Python name it was first bound to, ``span`` where it was made."""

    __slots__ = ("type", "name", "span")
    __array_ufunc__ = None  # a NumPy number on the left leaves the operation to the value
    type: Type

    def __init__(self, type: Type, name: str = "", span: Optional[Span] = None) -> None:
        self.type = type
        self.name = name
        self.span = span

    __hash__: Any = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError(f"a run-time {self.kind_name} has no truth value while the kernel is being translated")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or '_'}: {self.type}>"

    @property
    def kind_name(self) -> str:
        """What the value is called in messages."""
        return _KIND_NAMES[type(self)]

    @property
    def dtype(self) -> DataType:
        """Element type."""
        return self.type.dtype


class PlainValue(Value):
    """A run-time scalar."""

    __slots__ = ()
    type: ScalarType


class GlobalAddress(Value):
    """Pointer to the first element of an array in global memory.

    Adding an integer (elements) gives another address.
    """

    __slots__ = ()
    type: AddressType


Extent = Union[int, PlainValue]


class Shape(Sequence[Extent]):
    """Extents of a global tensor: Python ints where known at compile time, int32 scalars otherwise."""

    __slots__ = ("_extents",)

    def __init__(self, extents: Sequence[Extent]) -> None:
        self._extents = tuple(extents)

    def __len__(self) -> int:
        return len(self._extents)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, int):
            raise TypeError("an extent of a global tensor is selected by one Python int")
        return self._extents[index]

    def __repr__(self) -> str:
        return repr(self._extents)

    def is_static(self) -> bool:
        """Whether every extent is known at compile time."""
        return all(isinstance(extent, int) for extent in self._extents)

    def is_dynamic_dim(self, index: int) -> bool:
        """Whether extent ``index`` is known only at run time."""
        return not isinstance(self._extents[index], int)


class GlobalTensor(Value):
    """A row-major, contiguous view of an array in global memory."""

    __slots__ = ("shape",)
    type: GlobalType
    shape: Shape

    @property
    def rank(self) -> int:
        return len(self.shape)


class LocalTensor(Value):
    """A tile: an immutable N-d array in on-chip memory whose shape is known at compile time."""

    __slots__ = ()
    type: TileType

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.type.size

    @property
    def rank(self) -> int:
        return self.type.rank

    @property
    def location(self) -> TensorLocation:
        return self.type.location


_KIND_NAMES: dict[type, str] = {
    Value: "value",
    PlainValue: "scalar",
    GlobalAddress: "address",
    GlobalTensor: "global tensor",
    LocalTensor: "tile",
}

_CLASSES: dict[type, type[Value]] = {
    ScalarType: PlainValue,
    TileType: LocalTensor,
    AddressType: GlobalAddress,
    GlobalType: GlobalTensor,
}


def make_value(type_: Type, name: str = "", span: Optional[Span] = None) -> Value:
    """A value of the class that belongs to ``type_``."""
    return _CLASSES[type(type_)](type_, name, span)
