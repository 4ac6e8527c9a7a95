"""The machines that kernels are generated for: one table of architectures and platforms."""

from .platforms import ARCHITECTURES, BLOCK_BYTES, PLATFORMS, Architecture, Memory, PlatformInfo, find_platform

__all__ = ["ARCHITECTURES", "BLOCK_BYTES", "PLATFORMS", "Architecture", "Memory", "PlatformInfo", "find_platform"]
