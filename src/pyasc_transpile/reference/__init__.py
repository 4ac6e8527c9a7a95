"""Runs a TileGraph with NumPy, block by block: the meaning of a kernel, without a compiler."""

from __future__ import annotations

from .interpreter import run
from .memory import Address, GlobalArray

__all__ = ["Address", "GlobalArray", "run"]
