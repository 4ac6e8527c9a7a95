"""Scalars between a reduction and a tile: kept in a tile where nothing else needs them, with the same bits."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, STYLES, Batch, Case
from tests.test_patterns import same_bits

from pyasc_transpile import asctile

ROWS, COLUMNS = 3, 200


@asctile.jit
def each_row(x_ptr, number, out_ptr, columns: asctile.ConstExpr[int], way: asctile.ConstExpr):
    x_gm = asctile.global_tensor(x_ptr, [3, columns])
    out_gm = asctile.global_tensor(out_ptr, [3, columns])
    for row in asctile.range(3):
        x = asctile.copy_in(x_gm, [row, 0], [1, columns])
        asctile.copy_out(way(x, number, row), out_gm, [row, 0])


class Way:
    """A function of a row, the same with NumPy, whether its scalar stays in a tile, and what elements it takes."""

    def __init__(
        self, name: str, build: Callable[..., Any], expect: Callable[..., Any], stays: bool = True, kinds: str = "f"
    ) -> None:
        self.name, self.build, self.expect, self.stays, self.kinds = name, build, expect, stays, kinds

    def __call__(self, *arguments: Any) -> Any:
        return self.build(*arguments)

    def __repr__(self) -> str:
        return self.name


def top(x: Any) -> Any:
    return asctile.reduce_max(x)


def norm(x: Any, number: Any, row: Any) -> Any:
    return x * (1.0 / asctile.sqrt(top(x * x) / 3 + number))


def norm_expect(x: np.ndarray, number: np.float32) -> np.ndarray:
    return x * (np.float32(1) / np.sqrt((x * x).max() / np.float32(3) + number))


def inner_loop(x: Any, number: Any, row: Any) -> Any:
    scale = top(x)
    for _ in asctile.range(2):
        x = x * scale
    return x


def branch(x: Any, number: Any, row: Any) -> Any:
    largest = top(x)
    if largest > 100.0:
        x = x - 1.0
    return x - largest


ALL = "fhi"
WAYS = (
    Way("fill", lambda x, n, row: asctile.full_like(x, top(x)), lambda x, n: np.full_like(x, x.max()), True, ALL),
    Way("x - max", lambda x, n, row: x - top(x), lambda x, n: x - x.max(), True, ALL),
    Way("max - x", lambda x, n, row: top(x) - x, lambda x, n: x.max() - x, True, ALL),
    Way("x * max", lambda x, n, row: x * top(x), lambda x, n: x * x.max(), True, ALL),
    Way("maximum", lambda x, n, row: asctile.maximum(x, -top(-x)), lambda x, n: np.maximum(x, x.min())),
    Way("norm", norm, norm_expect),
    Way("n - max", lambda x, n, row: x + (n - top(x)), lambda x, n: x + (n - x.max())),
    Way("max - min", lambda x, n, row: x / (top(x) - x.min()), lambda x, n: x / (x.max() - x.min())),
    Way("max used twice", lambda x, n, row: (lambda m: (x - m) * m)(top(x)), lambda x, n: (x - x.max()) * x.max()),
    Way("max * row", lambda x, n, row: x * (top(x) * n), lambda x, n: x * (x.max() * n)),
    Way("where", lambda x, n, row: asctile.where(x > 0, x, top(x)), lambda x, n: np.where(x > 0, x, x.max()), False),
    Way("inner loop", inner_loop, lambda x, n: x * x.max() * x.max(), False),
    Way("branch", branch, lambda x, n: x - x.max(), False),
)  # fmt: skip
DTYPES = {"f": np.float32, "h": np.float16, "i": np.int32}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
def test_scalars_of_reductions(architecture: str, style: str, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    rng = np.random.default_rng(3)
    number = np.float32(0.37)
    cases = []
    for way in WAYS:
        for kind in way.kinds:
            x = (rng.standard_normal((ROWS, COLUMNS)) * 9).astype(DTYPES[kind])
            options = {"static_alloc": STYLES[style], "reuse_alloc": 2}
            batch.add(Case(f"{way} {kind}", each_row, (x, number, np.zeros_like(x), COLUMNS, way), 1, options))
            cases.append(way)
    batch.build()
    for index, way in enumerate(cases):
        case, made, _ = batch.cases[index]
        x, _, out = batch.run(index)[:3]
        expected = np.stack([way.expect(row, number) for row in x]).astype(x.dtype)
        assert same_bits(out, expected).all(), f"{case.label}: {out[:, :3]} != {expected[:, :3]}"
        assert ("GetValue(" in made.source) != way.stays, f"{case.label}\n{made.source}"
