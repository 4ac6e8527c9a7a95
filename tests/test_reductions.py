"""Reductions: element type x shape x dimensions x architecture x memory style, on the checked CPU build.

Expectations are independent of the package: integers wrap, floats are summed in float64. The checked build makes every
element between the end of a row and the next row undefined, and faults where one takes part in a result.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import Batch, Case, in_styles
from tests.support.refusals import Refusal, check_refusal, refusals

from pyasc_transpile import asctile

DTYPES = {
    name: np.dtype(getattr(ml_dtypes, name, name))
    for name in ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
}
FLOATS = ("float16", "bfloat16", "float32")


class Reduce:
    """One reduction of one shape."""

    def __init__(self, name: str, shape: tuple[int, ...], axes: tuple[int, ...], keep: bool) -> None:
        self.name, self.axes, self.keep = name, axes, keep
        self.result = np.sum(np.zeros(shape), axis=axes or None, keepdims=keep and bool(axes)).shape
        self.offset = 0

    @property
    def size(self) -> int:
        return math.prod(self.result)

    def __repr__(self) -> str:
        return f"{self.name}{self.axes}{'k' if self.keep else ''}@{self.offset}"

    def __call__(self, x: Any) -> Any:
        reduced = getattr(asctile, f"reduce_{self.name}")(x, *self.axes, keep_dims=self.keep)
        return reduced if self.result else asctile.full([1], reduced, x.dtype)

    def expect(self, x: np.ndarray) -> np.ndarray:
        wide = x.astype(np.float64) if x.dtype.kind not in "iu" else x
        function: Callable[..., Any] = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod}[self.name]
        extra = {} if self.name in ("max", "min") else {"dtype": wide.dtype}
        return np.asarray(function(wide, axis=self.axes or None, keepdims=self.keep and bool(self.axes), **extra))


@asctile.jit
def reduce_all_ways(x_ptr, out_ptr, shape: asctile.ConstExpr, ways: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), [0] * len(shape), shape)
    for way in ways:
        extents = way.result or (1,)
        out_gm = asctile.global_tensor(out_ptr + way.offset, extents)
        asctile.copy_out(way(x), out_gm, [0] * len(extents))


def ways_of(dtype: str, shape: tuple[int, ...]) -> list[Reduce]:
    """Every set of dimensions; kept or not, with positive or negative numbers, in turn."""
    names = ("max", "min") if dtype == "int8" else ("sum", "max", "min", "prod")
    rank = len(shape)
    sets = [axes for count in range(rank + 1) for axes in itertools.combinations(range(rank), count)]
    ways, offset = [], 0
    chosen = [(axes, name) for axes in sets for name in names]
    if rank > 1:  # every set of dimensions with sum and another one, or with one in turn
        chosen = [
            (axes, names[(position + shift + sum(shape)) % len(names)])
            for position, axes in enumerate(sets)
            for shift in range(2 if rank == 2 else 1)
        ]
    for position, (axes, name) in enumerate(chosen):
        signed = tuple(axis - rank if position % 3 == 0 else axis for axis in axes)
        way = Reduce(name, shape, signed, keep=position % 2 == (position // 2) % 2)
        way.offset = offset
        offset += (way.size + 31) // 32 * 32
        ways.append(way)
    return ways


def values(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        return (1 + rng.standard_normal(shape) / 64).astype(np.float32).astype(DTYPES[dtype])
    info = np.iinfo(DTYPES[dtype])
    return rng.integers(info.min, info.max, shape, DTYPES[dtype], endpoint=True)


def case_of(dtype: str, shape: tuple[int, ...], seed: int) -> Case:
    x = values(dtype, shape, seed)
    if dtype in FLOATS and seed % 2:
        x.reshape(-1)[seed % x.size] = math.nan
    ways = ways_of(dtype, shape)
    out = np.zeros(ways[-1].offset + ways[-1].size, x.dtype)
    case = Case(f"{dtype}{shape}", reduce_all_ways, (x, out, shape, tuple(ways)))

    def check() -> list[str]:
        failures = []
        for way in ways:
            actual = out[way.offset : way.offset + way.size].reshape(way.result)
            expected = way.expect(x)
            if dtype in FLOATS:
                # One rounding to the type, and the roundings of float32 sums and products before it.
                bound = 2.0 ** -{"float16": 11, "bfloat16": 8, "float32": 24}[dtype] * 1.001
                count = x.size // max(way.size, 1)
                bound += 0 if way.name in ("max", "min") else 2.0**-24 * (count if way.name == "prod" else 24)
                got = actual.astype(np.float64)
                with np.errstate(all="ignore"):
                    good = np.abs(got - expected) <= bound * np.abs(expected)
                good |= (got == expected) | (np.isnan(got) & np.isnan(expected))
            else:
                good = actual == expected.astype(x.dtype)
            if not good.all():
                failures.append(f"{dtype}{shape} {way}: {actual.reshape(-1)[:9]} != {expected.reshape(-1)[:9]}")
        return failures

    case.check = check
    return case


SHAPES = (
    (1,), (7,), (17,), (64,), (300,), (1, 64), (16, 1), (7, 17), (5, 128), (3, 200), (40, 72), (4, 3, 5), (2, 1, 40),
    (2, 3, 4, 9),
)  # fmt: skip
NARROW_SHAPES = ((1,), (17,), (130,), (5, 33), (9, 200), (3, 2, 20))


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    for seed, (dtype, shape) in enumerate(itertools.product(("float32", "int32"), SHAPES)):
        cases.append(case_of(dtype, shape, seed))
    others = ("float16", "int16", "bfloat16", "int8", "int64")
    for seed, (dtype, shape) in enumerate(itertools.product(others, NARROW_SHAPES)):
        if dtype == "int64" and architecture == "c220" and shape in ((130,), (9, 200)):
            shape = shape[:-1] + (40,)  # every instruction is some tens there: long texts
        cases.append(case_of(dtype, shape, seed))
    cases.append(case_of("float32", (300, 3), 0))  # more rows than one instruction repeats
    cases.append(case_of("int32", (2, 2100), 0))  # rows too far apart for the mask form
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_every_reduction(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture, reuse_alloc=2))


# --- refusals ---------------------------------------------------------------------------------------------------------

REFUSED: list[Refusal] = []
refused = refusals(REFUSED, asctile.jit)


def tile_of(p: Any, dtype: Any = asctile.float32) -> Any:
    return asctile.copy_in(asctile.global_tensor(p, [4, 8]), [0, 0], [4, 8]).to(dtype)


@refused(TypeError, "the operand of reduce_sum must be a tile, not scalar i32")
def scalar_operand(p, n):
    asctile.reduce_sum(n, 0)  # here


@refused(TypeError, "a dimension of reduce_max must be an int, not tuple (0, 1)")
def tuple_of_dimensions(p, n):
    tile_of(p).max((0, 1))  # here


@refused(TypeError, "a dimension of reduce_max must be an int, not bool True")
def bool_dimension(p, n):
    tile_of(p).max(True)  # here


@refused(TypeError, "a dimension of reduce_min must be an int, not scalar i32")
def run_time_dimension(p, n):
    tile_of(p).min(n)  # here


@refused(TypeError, "keep_dims must be a bool, not int 1")
def keep_dims_of_another_type(p, n):
    tile_of(p).sum(0, keep_dims=1)  # here


@refused(RuntimeError, "dimension 2 of reduce_sum is out of range for a tile of rank 2")
def dimension_too_large(p, n):
    tile_of(p).sum(2)  # here


@refused(RuntimeError, "dimension -3 of reduce_prod is out of range for a tile of rank 2")
def dimension_too_small(p, n):
    tile_of(p).prod(-3)  # here


@refused(RuntimeError, "reduce_sum names a dimension twice: 1, -1")
def dimension_twice(p, n):
    tile_of(p).sum(1, -1)  # here


@refused(RuntimeError, "reduce_sum does not take tiles of int8; it takes int16,")
def sum_of_bytes(p, n):
    tile_of(p, asctile.float16).to(asctile.int8).sum(0)  # here


@pytest.mark.parametrize("refusal", REFUSED, ids=[kernel.function.__name__ for kernel, _, _ in REFUSED])
def test_refused(refusal: Refusal) -> None:
    check_refusal(refusal, "p: *f32, n: i32")
