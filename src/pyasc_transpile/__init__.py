"""Transpile asctile kernels to Ascend C, and run them on a CPU or an Ascend NPU."""

from .errors import CodegenError, TranspileError, UnsupportedSyntaxError

__version__ = "0.1.0"
__all__ = ["CodegenError", "TranspileError", "UnsupportedSyntaxError", "__version__"]
