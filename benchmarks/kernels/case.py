"""What is asked of a benchmark kernel, and what it hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np


@dataclass(frozen=True)
class Request:
    """One launch.

    Attributes:
        dtype: NumPy name of the element type of the inputs.
        size: elements of the flat array, or rows where the kernel works on rows.
        blocks: blocks launched.
        tile: elements of a tile.
        steps: tiles, or rows, of one block.
        unroll: unroll factor of the tile loop; None leaves it to the package.
        barrier: whether each step finishes its work on global memory before the next.
    """

    dtype: str
    size: int
    blocks: int
    tile: int
    steps: int
    unroll: Optional[int]
    barrier: bool

    def random(self, seed: int, shape: Any = None) -> np.ndarray[Any, Any]:
        """An input of this request, always the same."""
        values = np.random.default_rng(seed).uniform(-2.0, 2.0, self.size if shape is None else shape)
        return values.astype(self.dtype)


@dataclass(frozen=True)
class Launch:
    """A kernel with arguments; ``expected`` says what arrays hold after the launch, by position of the argument."""

    kernel: Any
    blocks: int
    args: tuple[Any, ...]
    expected: Mapping[int, np.ndarray[Any, Any]]
    tolerance: float
