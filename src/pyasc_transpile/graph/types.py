"""Types of graph values."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Union

from .dtypes import DataType


class TensorLocation(enum.Enum):
    """Place of a tile: on-chip memory, or Auto where the compiler decides."""

    Auto = "Auto"
    UB = "UB"
    L1 = "L1"
    L0A = "L0A"
    L0B = "L0B"
    L0C = "L0C"
    BT = "BT"
    FIX = "FIX"


@dataclass(frozen=True)
class ScalarType:
    """A number known only at run time."""

    dtype: DataType

    def __str__(self) -> str:
        return self.dtype.short


@dataclass(frozen=True)
class TileType:
    """An N-d array in on-chip memory, rank >= 1, all extents known at compile time."""

    dtype: DataType
    shape: tuple[int, ...]
    location: TensorLocation = TensorLocation.Auto

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def __str__(self) -> str:
        where = "" if self.location is TensorLocation.Auto else f"@{self.location.value}"
        return f"{'x'.join(str(extent) for extent in self.shape)}x{self.dtype.short}{where}"


@dataclass(frozen=True)
class AddressType:
    """A typed pointer into global memory."""

    dtype: DataType

    def __str__(self) -> str:
        return f"*{self.dtype.short}"


@dataclass(frozen=True)
class GlobalType:
    """A shaped view of global memory; its extents are operands of the node that makes it."""

    dtype: DataType
    rank: int

    def __str__(self) -> str:
        return f"global<{self.rank}d {self.dtype.short}>"


Type = Union[ScalarType, TileType, AddressType, GlobalType]
