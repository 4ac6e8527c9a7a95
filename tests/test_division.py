"""// and % of tiles, and / of integers: Python's meaning, exactly, on both architectures."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import Batch, Case, in_styles
from tests.support.refusals import Refusal, check_refusal, refusals

from pyasc_transpile import asctile

DTYPES = {
    name: np.dtype(getattr(ml_dtypes, name, name))
    for name in ("int16", "int32", "int64", "float16", "bfloat16", "float32")
}
SIZE = 500


@asctile.jit
def divide(x_ptr, y_ptr, out_ptr, size: asctile.ConstExpr[int], left: asctile.ConstExpr, right: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [size]) if left is None else left
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [size]), [0], [size]) if right is None else right
    asctile.copy_out(x // y, asctile.global_tensor(out_ptr, [size]), [0])
    asctile.copy_out(x % y, asctile.global_tensor(out_ptr + size, [size]), [0])


@asctile.jit
def truncate(x_ptr, y_ptr, out_ptr, size: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [size])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [size]), [0], [size])
    asctile.copy_out(x / y, asctile.global_tensor(out_ptr, [size]), [0])


def integers(dtype: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, SIZE, dtype, endpoint=True)
    bits = rng.integers(1, info.bits, SIZE)
    y = (rng.integers(info.min, info.max, SIZE, dtype, endpoint=True) >> bits).astype(dtype)
    y[:8] = [1, -1, 2, -2, info.max, info.min, info.max - 1, 3]
    x[:8] = [info.min, info.max, info.min, info.min, info.min, info.max, info.max, info.min]
    x[8:14], y[8:14] = [0, info.min, 1, -1, info.min + 1, 7], info.min
    y[100:200] = rng.integers(1, 10, 100) * rng.choice([-1, 1], 100)
    x[150:200] = rng.integers(-50, 50, 50)
    y[y == 0] = 7
    close = rng.integers(-2, 3, 100)
    x[200:300] = np.clip((x[200:300] // y[200:300]).astype(np.int64) * y[200:300] + close, info.min, info.max)
    x[(x == info.min) & (y == -1)] = 5  # its quotient does not fit
    return x, y


def floats(dtype: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, y = (rng.standard_normal(SIZE) * 10 for _ in range(2))
    x[:60] = rng.integers(-40, 40, 60)
    y[:60] = rng.choice([-5, -3, -1, -0.1, 0.1, 0.3, 1, 3, 7], 60)
    x[60:70] = [math.inf, -math.inf, math.nan, 1, 1, -1, 0, 5, -5, 5]
    y[60:70] = [2, 3, 1, math.nan, 0, 0, 0, math.inf, math.inf, -math.inf]
    x[70:80] = y[70:80] * 4
    if dtype != "float16":
        x[80:90], y[80:90] = x[80:90] * 1e-30, y[80:90] * 1e-30
        x[90:100], y[90:100] = x[90:100] * 1e30, y[90:100] * 1e30
        y[100:105] = 1e30
    np_dtype = DTYPES[dtype]
    return tuple(part.astype(np.float32).astype(np_dtype) for part in (x, y))  # type: ignore[return-value]


def expected(x: Any, y: Any, dtype: np.dtype, remainder: bool) -> np.ndarray:
    with np.errstate(all="ignore"):
        if dtype.kind == "i":
            return (np.mod if remainder else np.floor_divide)(x, y)
        x, y = (np.asarray(part).astype(dtype).astype(np.float64) for part in (x, y))
        return (np.mod if remainder else np.floor_divide)(x, y)


def matches(actual: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    if actual.dtype.kind == "i":
        return actual == wanted
    rounded = wanted.astype(np.float32).astype(actual.dtype)
    return (actual == rounded) | (np.isnan(actual.astype(np.float32)) & np.isnan(wanted))


def case_of(dtype: str, left: Any, right: Any, seed: int) -> Case:
    """Tiles, or a number instead of one of them."""
    x, y = integers(dtype, seed) if dtype.startswith("int") else floats(dtype, seed)
    out = np.zeros((2, SIZE), x.dtype)
    label = f"{dtype} {'x' if left is None else left}, {'y' if right is None else right}"

    def check() -> list[str]:
        a = x if left is None else np.full(SIZE, left).astype(x.dtype)
        b = y if right is None else np.full(SIZE, right).astype(x.dtype)
        failures = []
        for remainder in (False, True):
            actual, wanted = out[int(remainder)], expected(a, b, x.dtype, remainder)
            good = matches(actual, wanted)
            if not good.all():
                at = int(np.argmin(good))
                failures.append(
                    f"{'%' if remainder else '//'} of {label}: {int((~good).sum())} differ, at {at}: "
                    f"{a[at]}, {b[at]} gives {actual[at]}, not {wanted[at]}"
                )
        return failures

    return Case(f"divide {label}", divide, (x, y, out.reshape(-1), SIZE, left, right), check=check)


def cases_of(dtype: str, seed: int) -> list[Case]:
    numbers = (3, -7, 8) if dtype.startswith("int") else (2.5, -0.5)
    pairs = [(None, None), *((None, number) for number in numbers), (numbers[1], None)]
    return [case_of(dtype, left, right, seed + position) for position, (left, right) in enumerate(pairs)]


def truncation_of(dtype: str, seed: int) -> Case:
    x, y = integers(dtype, seed)
    out = np.zeros(SIZE, x.dtype)

    def check() -> list[str]:
        wide_x, wide_y = x.astype(object), y.astype(object)
        wanted = [abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(wide_x, wide_y)]
        good = out == np.asarray(wanted).astype(x.dtype)
        return [] if good.all() else [f"{dtype} /: {x[~good][:3]} / {y[~good][:3]} gives {out[~good][:3]}"]

    return Case(f"truncate {dtype}", truncate, (x, y, out, SIZE), check=check)


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = [case for seed, name in enumerate(DTYPES) for case in cases_of(name, seed)]
    return cases + [truncation_of(name, seed + 20) for seed, name in enumerate(DTYPES) if name.startswith("int")]


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_division(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture, reuse_alloc=2))


# --- refusals ---------------------------------------------------------------------------------------------------------

REFUSED: list[Refusal] = []
refused = refusals(REFUSED, asctile.jit)


def tile_of(p: Any, dtype: Any) -> Any:
    return asctile.copy_in(asctile.global_tensor(p, [16]), [0], [16]).to(dtype)


@refused(TypeError, "a float with a tile of int32")
def float_divisor_of_integers(p, n):
    tile_of(p, asctile.int32) // 2.0  # here


@refused(TypeError, "mod of a tile and str 'a' is not defined")
def divisor_not_a_number(p, n):
    tile_of(p, asctile.int32) % "a"  # here


@refused(RuntimeError, "floordiv does not take tiles of int8; it takes int16, int32,")
def bytes_divided(p, n):
    tile_of(p, asctile.float16).to(asctile.int8) // 2  # here


@pytest.mark.parametrize("refusal", REFUSED, ids=[kernel.function.__name__ for kernel, _, _ in REFUSED])
def test_refused(refusal: Refusal) -> None:
    check_refusal(refusal, "p: *f32, n: i32")
