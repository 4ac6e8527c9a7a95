"""``asctile.runtime``: where scripts find the choice of a platform (also as ``config``) and the options of a build."""

from __future__ import annotations

from ..asctile.options import CompileOptions, KernelType
from . import platform as config
from .platform import Backend, Platform, set_platform

__all__ = ["Backend", "CompileOptions", "KernelType", "Platform", "config", "set_platform"]
