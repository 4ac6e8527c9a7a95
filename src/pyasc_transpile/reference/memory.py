"""Global memory: the arrays that a kernel is launched with, seen as addresses and as tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from ..graph.dtypes import DataType
from ..ops import numeric


@dataclass(frozen=True)
class Address:
    """A pointer argument: an array in memory, and how many elements further."""

    memory: Any
    dtype: DataType
    offset: int = 0

    def moved(self, elements: int) -> Address:
        """The address ``elements`` elements further."""
        return Address(self.memory, self.dtype, self.offset + int(elements))

    def view(self, shape: Sequence[int]) -> GlobalArray:
        """The tensor that begins here."""
        return GlobalArray(self, tuple(int(extent) for extent in shape))


class GlobalArray:
    """A row-major view of an array in global memory.

    Every access is checked against the array behind it, however large the view claims to be.

    Raises:
        IndexError: by every method that takes a place, for one that lies outside of the array.
    """

    def __init__(self, address: Address, shape: tuple[int, ...]) -> None:
        self.address = address
        self.shape = shape
        self.dtype = address.dtype
        self._strides = [math.prod(shape[position + 1 :]) for position in range(len(shape))]

    def load(self, starts: Sequence[int], counts: Sequence[int]) -> Any:
        """The elements of a box."""
        raw = self.address.memory[self._places(starts, counts)]
        return numeric.from_memory(raw, self.dtype)

    def store(self, starts: Sequence[int], values: Any) -> None:
        """Write a box. Raises ValueError if one of ``values`` is undefined."""
        if np.ma.is_masked(values):
            where = tuple(int(index) for index in np.argwhere(np.ma.getmaskarray(values))[0])
            raise ValueError(f"undefined elements of a tile are stored; the first one has the index {list(where)}")
        elements = numeric.as_elements(np.ma.getdata(values), self.dtype)
        self.address.memory[self._places(starts, elements.shape)] = numeric.to_memory(elements, self.dtype)

    def update(self, starts: Sequence[int], values: Any, function: Callable[[Any, Any], Any]) -> None:
        """Combine the elements of a box with ``values``, as an atomic operation does."""
        old = numeric.wide(self.load(starts, values.shape))
        with np.errstate(all="ignore"):
            new = function(old, numeric.wide(np.ma.getdata(values)))
        self.store(starts, np.ma.MaskedArray(new, mask=np.ma.getmaskarray(values)))

    def element(self, at: Sequence[int]) -> Any:
        """One element."""
        return self.load(at, (1,) * len(self.shape)).reshape(())[()]

    def set_element(self, at: Sequence[int], value: Any) -> None:
        """Write one element."""
        self.store(at, np.asarray(value).reshape((1,) * len(self.shape)))

    def _places(self, starts: Sequence[int], counts: Sequence[int]) -> Any:
        places: Any = np.asarray(self.address.offset, np.int64)
        for start, count, stride in zip(starts, counts, self._strides):
            if start < 0:
                raise IndexError(f"negative offset {start}")
            places = places[..., None] + (start + np.arange(count, dtype=np.int64)) * stride
        if places.size and not (places.flat[0] >= 0 and places.flat[-1] < self.address.memory.size):
            raise IndexError(
                f"elements {places.flat[0]} to {places.flat[-1]} of an array of {self.address.memory.size} are accessed"
            )
        return places
