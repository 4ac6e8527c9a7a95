"""How the parameters of a kernel cross the plain C entry ``int <name>_launch(uint32_t, void*, ...)``.

C has neither half nor bfloat16: pointers to them are ``void*``, and their scalars are passed as the 16 bits in a
``uint16_t``.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..graph import dtypes
from ..graph.dtypes import DataType

if TYPE_CHECKING:
    from ..pipeline import EntryParameter

_IN_C = frozenset(
    ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "int1")
)  # fmt: skip
_CTYPES: dict[str, Any] = {
    "int1": ctypes.c_bool,
    "int8": ctypes.c_int8,
    "int16": ctypes.c_int16,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "uint8": ctypes.c_uint8,
    "uint16": ctypes.c_uint16,
    "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "float16": ctypes.c_uint16,
    "bfloat16": ctypes.c_uint16,
}


@dataclass(frozen=True)
class AbiParameter:
    """One parameter of the C entry.

    Attributes:
        name: its name in C and C++.
        python_name: its name in the kernel.
        cpp_type: type in the kernel's own signature, as ``half*``.
        c_type: type in the C prototype, as ``void*``.
        pass_as: how the C++ entry hands it on: ``value``, ``cast`` (pointer) or ``bits`` (16-bit float scalar).
        dtype: name of the element type.
    """

    name: str
    python_name: str
    cpp_type: str
    c_type: str
    pass_as: str
    dtype: str
    is_pointer: bool

    @property
    def ctype(self) -> Any:
        """The ctypes class of the argument."""
        return ctypes.c_void_p if self.is_pointer else _CTYPES[self.dtype]

    @property
    def ctype_name(self) -> str:
        return str(self.ctype.__name__)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "python_name": self.python_name,
            "cpp_type": self.cpp_type,
            "c_type": self.c_type,
            "pass_as": self.pass_as,
            "dtype": self.dtype,
            "is_pointer": self.is_pointer,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> AbiParameter:
        return cls(**fields)


def abi_parameter(parameter: EntryParameter) -> AbiParameter:
    """The C side of a kernel parameter."""
    in_c = parameter.dtype.name in _IN_C
    if parameter.is_pointer:
        c_type, pass_as = (parameter.cpp_type, "value") if in_c else ("void*", "cast")
    elif in_c:
        c_type, pass_as = parameter.cpp_type, "value"
    else:
        c_type, pass_as = "uint16_t", "bits"
    return AbiParameter(
        parameter.name,
        parameter.python_name,
        parameter.cpp_type,
        c_type,
        pass_as,
        parameter.dtype.name,
        parameter.is_pointer,
    )


def numpy_name(dtype: DataType) -> str:
    """Name of the NumPy dtype of arrays of ``dtype``; bfloat16 comes from the ml_dtypes package."""
    return "bool" if dtype == dtypes.int1 else dtype.name
