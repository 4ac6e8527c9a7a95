"""Element types."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np

from ..errors import ArgumentValueError


class Kind(enum.Enum):
    """What a data type holds."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    BOOL = "bool"
    VOID = "void"


@dataclass(frozen=True)
class _Facts:
    kind: Kind
    bytes: int
    cpp: str
    short: str


_FACTS: Mapping[str, _Facts] = {
    "int1": _Facts(Kind.BOOL, 1, "bool", "i1"),
    "int8": _Facts(Kind.SIGNED, 1, "int8_t", "i8"),
    "int16": _Facts(Kind.SIGNED, 2, "int16_t", "i16"),
    "int32": _Facts(Kind.SIGNED, 4, "int32_t", "i32"),
    "int64": _Facts(Kind.SIGNED, 8, "int64_t", "i64"),
    "uint8": _Facts(Kind.UNSIGNED, 1, "uint8_t", "u8"),
    "uint16": _Facts(Kind.UNSIGNED, 2, "uint16_t", "u16"),
    "uint32": _Facts(Kind.UNSIGNED, 4, "uint32_t", "u32"),
    "uint64": _Facts(Kind.UNSIGNED, 8, "uint64_t", "u64"),
    "float16": _Facts(Kind.FLOAT, 2, "half", "f16"),
    "bfloat16": _Facts(Kind.FLOAT, 2, "bfloat16_t", "bf16"),
    "float32": _Facts(Kind.FLOAT, 4, "float", "f32"),
    "float64": _Facts(Kind.FLOAT, 8, "double", "f64"),
    "float8_e4m3fn": _Facts(Kind.FLOAT, 1, "fp8_e4m3fn_t", "f8e4m3"),
    "float8_e5m2": _Facts(Kind.FLOAT, 1, "fp8_e5m2_t", "f8e5m2"),
    "float8_e8m0fnuz": _Facts(Kind.FLOAT, 1, "fp8_e8m0_t", "f8e8m0"),
    "void": _Facts(Kind.VOID, 0, "void", "void"),
}


class DataType:
    """Element type of tiles, scalars and global tensors, compared by name.

    Args:
        name: one of int1, int8 ... int64, uint8 ... uint64, float16, bfloat16, float32, float64,
            float8_e4m3fn, float8_e5m2, float8_e8m0fnuz, void.

    Raises:
        ValueError: the name is not one of these.
    """

    __slots__ = ("name", "_facts")
    name: str
    _facts: _Facts

    def __init__(self, name: str) -> None:
        facts = _FACTS.get(name)
        if facts is None:
            raise ArgumentValueError(f"unknown data type {name!r}", remedy=f"known: {', '.join(_FACTS)}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "_facts", facts)

    def __setattr__(self, attribute: str, value: Any) -> None:
        raise AttributeError("a DataType cannot be changed")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataType) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"DataType({self.name!r})"

    @property
    def kind(self) -> Kind:
        return self._facts.kind

    @property
    def cpp(self) -> str:
        """Name of the type in Ascend C."""
        return self._facts.cpp

    @property
    def short(self) -> str:
        """Short name, as used in signatures and in printed graphs."""
        return self._facts.short

    @property
    def bitwidth(self) -> int:
        return self._facts.bytes * 8

    def sizeof(self) -> int:
        """Bytes of one element. Raises ValueError for void."""
        if self.is_void():
            raise ArgumentValueError("void has no size")
        return self._facts.bytes

    def is_int(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED, Kind.BOOL)

    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    def is_numeric(self) -> bool:
        return not self.is_void()

    def is_signed(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.FLOAT, Kind.BOOL)

    def is_unsigned(self) -> bool:
        return self.kind is Kind.UNSIGNED

    def is_void(self) -> bool:
        return self.kind is Kind.VOID

    def is_bool(self) -> bool:
        return self.kind is Kind.BOOL


int1, int8, int16, int32, int64 = (DataType(name) for name in ("int1", "int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (DataType(name) for name in ("uint8", "uint16", "uint32", "uint64"))
float16, bfloat16, float32, float64 = (DataType(name) for name in ("float16", "bfloat16", "float32", "float64"))
float8_e4m3fn, float8_e5m2, float8_e8m0fnuz = (
    DataType(name) for name in ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnuz")
)
void = DataType("void")

BY_SHORT_NAME: Mapping[str, DataType] = {facts.short: DataType(name) for name, facts in _FACTS.items()}

_FROM_NUMPY: Mapping[str, DataType] = {
    name: DataType(name)
    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    )
}  # fmt: skip
_FROM_NUMPY_EXTENSIONS: Mapping[str, DataType] = {"bfloat16": bfloat16}


def from_numpy(dtype: Any) -> DataType:
    """Data type of a NumPy dtype (``bfloat16`` of the ml_dtypes package included).

    Raises:
        ValueError: there is no such element type on the device (bool, complex, structured ...).
    """
    name = np.dtype(dtype).name
    found = _FROM_NUMPY.get(name) or _FROM_NUMPY_EXTENSIONS.get(name)
    if found is None:
        raise ArgumentValueError(
            f"arrays of dtype {name} are not supported", remedy=f"convert to one of {', '.join(_FROM_NUMPY)}"
        )
    return found
