"""The asctile language: what a kernel's author imports.

from pyasc_transpile import asctile

@asctile.jit
def vector_add(x_ptr, y_ptr, out_ptr, size: int, tile_size: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    ...
"""

from __future__ import annotations

from typing import Any

from ..errors import CodegenError, TranspileError, UnsupportedSyntaxError
from ..graph.dtypes import (
    DataType,
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
    float8_e8m0fnuz,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
)
from ..graph.types import TensorLocation
from ..graph.values import GlobalAddress, GlobalTensor, LocalTensor, PlainValue
from . import operators  # noqa: F401 - attaches the operators
from .constexpr import ConstExpr
from .functions import *  # noqa: F403
from .functions import __all__ as _functions
from .jit import jit
from .options import CompileOptions, KernelType
from .ranges import range, static_range

bool_, int_, float_ = int8, int32, float32

def __getattr__(name: str) -> Any:
    """Names of the host side are looked up when they are used: kernels can be written without it."""
    if name in ("Backend", "Platform", "set_platform"):
        from ..host import platform

        return getattr(platform, name)
    if name == "last_profile":
        from ..host import model

        return model.last_profile
    if name in ("profiling", "runtime"):
        from ..host import profiling, runtime

        return {"profiling": profiling, "runtime": runtime}[name]
    raise AttributeError(f"module 'asctile' has no attribute {name!r}")


__all__ = [  # noqa: F405 - host names are looked up when they are used
    "Backend", "CodegenError", "CompileOptions", "ConstExpr", "DataType", "GlobalAddress", "GlobalTensor", "KernelType",
    "LocalTensor", "PlainValue", "Platform", "TensorLocation", "TranspileError", "UnsupportedSyntaxError", "bfloat16",
    "bool_", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnuz", "float_", "int16",
    "int32", "int64", "int8", "int_", "jit", "last_profile", "profiling", "range", "runtime", "set_platform",
    "static_range", *_functions,
]  # fmt: skip
