"""The fused chain (x + y) * x - y on 2^24 floats: the fast CPU build against NumPy, as a ratio in one run.

Both work on the same arrays in turn, so that a busy machine slows both.  NumPy is given its best chance: results go
into arrays that exist already.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

from fused_chain import fused_chain  # noqa: E402

SIZE = 1 << 24
TILE = 4096
BLOCKS = 64
ROUNDS = 15


def numpy_chain(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """The chain with as few temporaries as NumPy allows."""
    np.add(x, y, out=out)
    np.multiply(out, x, out=out)
    np.subtract(out, y, out=out)


def main() -> int:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(SIZE, np.float32) for _ in range(2))
    ours, theirs = np.zeros_like(x), np.zeros_like(x)
    fused_chain[BLOCKS](x, y, ours, SIZE, TILE)
    numpy_chain(x, y, theirs)
    if not np.array_equal(ours, theirs):
        print("results differ")
        return 1
    ratios, times = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        fused_chain[BLOCKS](x, y, ours, SIZE, TILE)
        middle = time.perf_counter()
        numpy_chain(x, y, theirs)
        end = time.perf_counter()
        times.append((middle - start, end - middle))
        ratios.append((middle - start) / (end - middle))
    our_ms, numpy_ms = (1e3 * statistics.median(column) for column in zip(*times))
    print(f"fused chain, {SIZE} floats: ours {our_ms:.1f} ms, NumPy {numpy_ms:.1f} ms (medians of {ROUNDS})")
    print(f"ratio ours / NumPy: {statistics.median(ratios):.2f}  (below 1 is faster than NumPy)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
