"""broadcast_to and narrow operands of elementwise functions, on the checked CPU build, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects, in_styles
from tests.support.refusals import Refusal, check_refusal, refusals

from pyasc_transpile import asctile
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

DTYPES = {
    name: np.dtype(getattr(ml_dtypes, name, name))
    for name in ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
}
# narrow, wide
PAIRS = (
    ((1,), (17,)), ((17,), (1, 17)), ((17,), (5, 17)), ((1, 17), (5, 17)), ((5, 1), (5, 17)), ((1, 1), (5, 17)),
    ((1,), (5, 17)), ((16, 1), (16, 200)), ((40, 1), (40, 64)), ((200,), (3, 200)), ((300, 1), (300, 9)),
    ((2, 1, 9), (2, 4, 9)), ((2, 4, 1), (2, 4, 9)), ((1, 4, 9), (3, 4, 9)), ((4, 9), (3, 4, 9)), ((9,), (3, 4, 9)),
    ((3, 1, 1), (3, 4, 9)), ((1, 4, 1), (3, 4, 9)), ((2, 1, 3, 1), (2, 4, 3, 9)), ((1, 4, 1, 9), (2, 4, 3, 9)),
    ((2, 1, 1, 9), (2, 4, 3, 9)), ((1, 1, 3, 1), (2, 4, 3, 9)), ((3, 9), (2, 4, 3, 9)), ((2, 2100), (2, 2100)),
    ((2, 1), (2, 2100)), ((2100,), (2, 2100)),
)  # fmt: skip


@asctile.jit
def repeat(x_ptr, out_ptr, narrow: asctile.ConstExpr, wide: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, narrow), [0] * len(narrow), narrow)
    asctile.copy_out(x.broadcast_to(*wide), asctile.global_tensor(out_ptr, wide), [0] * len(wide))


@asctile.jit
def combine(x_ptr, y_ptr, out_ptr, narrow: asctile.ConstExpr, wide: asctile.ConstExpr, size: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, wide), [0] * len(wide), wide)
    y = asctile.copy_in(asctile.global_tensor(y_ptr, narrow), [0] * len(narrow), narrow)
    results = (x + y, y - x, x * y, asctile.maximum(x, y), asctile.minimum(y, x))
    for k, result in enumerate(results):
        asctile.copy_out(result, asctile.global_tensor(out_ptr + k * size, wide), [0] * len(wide))


@asctile.jit
def both_ways(x_ptr, y_ptr, out_ptr, rows: asctile.ConstExpr[int], cols: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [rows, 1]), [0, 0], [rows, 1])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [cols]), [0], [cols])
    asctile.copy_out(x - y, asctile.global_tensor(out_ptr, [rows, cols]), [0, 0])


def numbers(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype in ("float16", "bfloat16", "float32"):
        return rng.integers(-8, 9, shape).astype(np.float32).astype(DTYPES[dtype])  # sums and products are exact
    return rng.integers(-100, 100, shape).astype(DTYPES[dtype])


def repeat_case(dtype: str, narrow: tuple[int, ...], wide: tuple[int, ...], seed: int) -> Case:
    x, out = numbers(dtype, narrow, seed), np.zeros(wide, DTYPES[dtype])
    check = expects((out, np.broadcast_to(x, wide)))
    return Case(f"{dtype} {narrow} to {wide}", repeat, (x, out, narrow, wide), check=check)


def combine_case(dtype: str, narrow: tuple[int, ...], wide: tuple[int, ...], seed: int) -> Case:
    x, y = numbers(dtype, wide, seed), numbers(dtype, narrow, seed + 1)
    out = np.zeros((5, *wide), DTYPES[dtype])
    check = expects((out, np.stack([x + y, y - x, x * y, np.maximum(x, y), np.minimum(x, y)])))
    args = (x, y, out, narrow, wide, math.prod(wide))
    return Case(f"{dtype} {wide} with {narrow}", combine, args, check=check)


def outer_case(dtype: str, rows: int, cols: int) -> Case:
    x, y, out = numbers(dtype, (rows, 1), 0), numbers(dtype, (cols,), 1), np.zeros((rows, cols), DTYPES[dtype])
    return Case(f"{dtype} outer", both_ways, (x, y, out, rows, cols), check=expects((out, x - y)))


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = [repeat_case("float32", *pair, seed) for seed, pair in enumerate(PAIRS)]
    cases += [combine_case("float32", *pair, seed) for seed, pair in enumerate(PAIRS)]
    others = [name for name in DTYPES if name != "float32"]
    for seed, name in enumerate(others):
        some = [PAIRS[(seed + step * 5) % len(PAIRS)] for step in range(5)] + [((40, 1), (40, 64))]
        some = [pair for pair in some if name != "int64" or math.prod(pair[1]) <= 3000]  # seven of them fit into UB
        cases += [repeat_case(name, *pair, seed) for pair in some]
        if name != "int8":
            cases += [combine_case(name, *pair, seed) for pair in some]
            cases.append(outer_case(name, 9, 21))
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_every_broadcast(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture, reuse_alloc=2))


@asctile.jit
def scale_rows(x_ptr, s_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [64, 128]), [0, 0], [64, 128])
    s = asctile.copy_in(asctile.global_tensor(s_ptr, [64, 1]), [0, 0], [64, 1])
    asctile.copy_out(x * s, asctile.global_tensor(out_ptr, [64, 128]), [0, 0])


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_a_column_is_not_materialised(architecture: str) -> None:
    """No tile of the size of x holds repeated elements, and the scalar unit reads none."""
    platform = find_platform(PLATFORMS[architecture])
    signature = parse_signature(scale_rows, "x_ptr: *f32, s_ptr: *f32, out_ptr: *f32")
    made = transpile(scale_rows, signature, platform, scale_rows.options)
    large = [buffer for buffer in made.report["buffers"] if buffer["bytes"] >= 64 * 128 * 4]
    assert len(large) == 2
    assert "GetValue" not in made.source
    assert "Mul(" in made.source


# --- refusals ---------------------------------------------------------------------------------------------------------

REFUSED: list[Refusal] = []
refused = refusals(REFUSED, asctile.jit)


def tile_of(p: Any, *shape: int) -> Any:
    return asctile.copy_in(asctile.global_tensor(p, shape), [0] * len(shape), shape)


@refused(RuntimeError, "shapes (4, 8) and (3, 8) cannot be broadcast together")
def shapes_that_do_not_fit(p, n):
    tile_of(p, 4, 8) + tile_of(p, 3, 8)  # here


@refused(RuntimeError, "a tile of shape (4, 8) cannot be broadcast to (4, 1)")
def narrower_than_the_tile(p, n):
    tile_of(p, 4, 8).broadcast_to(4, 1)  # here


@refused(TypeError, "the operand of broadcast_to must be a tile, not scalar i32")
def a_scalar(p, n):
    asctile.broadcast_to(n, 4, 8)  # here


@refused(RuntimeError, "shape[1] must be positive, not 0")
def no_extent(p, n):
    tile_of(p, 4, 1).broadcast_to(4, 0)  # here


@pytest.mark.parametrize("refusal", REFUSED, ids=[kernel.function.__name__ for kernel, _, _ in REFUSED])
def test_refused(refusal: Refusal) -> None:
    check_refusal(refusal, "p: *f32, n: i32")
