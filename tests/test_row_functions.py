"""softmax, rms_norm and layer_norm on the checked CPU build, against float64 NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import Batch, Case, in_styles
from tests.support.refusals import Refusal, check_refusal, refusals

from pyasc_transpile import asctile

DTYPES = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in ("float16", "bfloat16", "float32")}
SHAPES = ((1,), (17,), (300,), (1, 64), (7, 1), (5, 17), (16, 128), (3, 1000), (260, 9))
# Relative error; the results are of the order of 1, so it is also an absolute one near 0.
TOLERANCE = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-20}


@asctile.jit
def all_functions(
    x_ptr, gamma_ptr, beta_ptr, out_ptr, stats_ptr, shape: asctile.ConstExpr, rows: asctile.ConstExpr[int],
    epsilon: asctile.ConstExpr[float],
):  # fmt: skip
    cols = shape[-1]
    size = rows * cols
    zeros = [0] * len(shape)
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), zeros, shape)
    gamma = asctile.copy_in(asctile.global_tensor(gamma_ptr, [cols]), [0], [cols])
    beta = asctile.copy_in(asctile.global_tensor(beta_ptr, [cols]), [0], [cols])
    asctile.copy_out(x.softmax(), asctile.global_tensor(out_ptr, shape), zeros)
    asctile.copy_out(asctile.rms_norm(x, gamma, epsilon), asctile.global_tensor(out_ptr + size, shape), zeros)
    y, mean, rstd = asctile.layer_norm(x, gamma, beta, epsilon)
    asctile.copy_out(y, asctile.global_tensor(out_ptr + 2 * size, shape), zeros)
    asctile.copy_out(mean, asctile.global_tensor(stats_ptr, [rows]), [0])
    asctile.copy_out(rstd, asctile.global_tensor(stats_ptr + rows, [rows]), [0])
    _, _, variance = asctile.layer_norm(x, gamma, beta, 1, output_rstd=False)
    asctile.copy_out(variance, asctile.global_tensor(stats_ptr + 2 * rows, [rows]), [0])


def case_of(dtype: str, shape: tuple[int, ...], seed: int) -> Case:
    rng = np.random.default_rng(seed)
    np_dtype = DTYPES[dtype]
    x, gamma, beta = (
        rng.standard_normal(extents).astype(np.float32).astype(np_dtype) for extents in (shape, shape[-1:], shape[-1:])
    )
    rows = x.size // shape[-1]
    epsilon = 1e-3
    out, stats = np.zeros((3, *shape), np_dtype), np.zeros((3, rows), np.float32)
    case = Case(
        f"{dtype}{shape}", all_functions, (x, gamma, beta, out.reshape(-1), stats.reshape(-1), shape, rows, epsilon)
    )

    def check() -> list[str]:
        wide, g, b = (part.astype(np.float64) for part in (x, gamma, beta))
        power = np.exp(wide - wide.max(-1, keepdims=True))
        mean = wide.mean(-1, keepdims=True)
        variance = ((wide - mean) ** 2).mean(-1, keepdims=True)
        rstd = 1 / np.sqrt(variance + epsilon)
        wanted = {
            "softmax": (out[0], power / power.sum(-1, keepdims=True), dtype),
            "rms_norm": (out[1], wide / np.sqrt((wide**2).mean(-1, keepdims=True) + epsilon) * g, dtype),
            "layer_norm": (out[2], (wide - mean) * rstd * g + b, dtype),
            "mean": (stats[0], mean.reshape(-1), "float32"),
            "rstd": (stats[1], rstd.reshape(-1), "float32"),
            "variance": (stats[2], variance.reshape(-1), "float32"),
        }
        failures = []
        for name, (actual, expected, kind) in wanted.items():
            error = np.abs(actual.astype(np.float64) - expected) / (1 + np.abs(expected))
            if not error.max() <= TOLERANCE[kind]:
                failures.append(f"{dtype}{shape} {name}: error {error.max()}")
        return failures

    case.check = check
    return case


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = [case_of("float32", shape, seed) for seed, shape in enumerate(SHAPES)]
    return cases + [
        case_of(dtype, shape, 3) for dtype in ("float16", "bfloat16") for shape in ((17,), (5, 33), (40, 128))
    ]


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_every_row_function(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture, reuse_alloc=2))


@asctile.jit
def softmax_rows(x_ptr, out_ptr, cols: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [4, cols]), [0, 0], [4, cols])
    asctile.copy_out(asctile.softmax(x), asctile.global_tensor(out_ptr, [4, cols]), [0, 0])


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_softmax_of_extremes(architecture: str, tmp_path: Any) -> None:
    """Large numbers do not overflow; a row of nothing but -inf, and one with NaN, gives NaN."""
    x = np.zeros((4, 20), np.float32)
    x[0] = np.linspace(1e4, 3e38, 20)
    x[1, 5:] = -np.inf
    x[2] = -np.inf
    x[3, 7] = np.nan
    out = np.zeros_like(x)
    batch = Batch(tmp_path, architecture)
    batch.add(Case("extremes", softmax_rows, (x.reshape(-1), out.reshape(-1), 20)))
    batch.build()
    batch.run(0)
    assert out[0].tolist() == [0.0] * 19 + [1.0]
    np.testing.assert_allclose(out[1], [0.2] * 5 + [0.0] * 15, rtol=1e-6)
    assert np.isnan(out[2:]).all()


# --- refusals ---------------------------------------------------------------------------------------------------------

REFUSED: list[Refusal] = []
refused = refusals(REFUSED, asctile.jit)


def tile_of(p: Any, *shape: int) -> Any:
    return asctile.copy_in(asctile.global_tensor(p, shape), [0] * len(shape), shape)


@refused(TypeError, "the operand of softmax must be a tile, not scalar f32")
def softmax_of_a_scalar(p, e):
    asctile.softmax(e)  # here


@refused(RuntimeError, "softmax takes tiles of rank 1 or 2, not 3")
def softmax_of_rank_3(p, e):
    asctile.softmax(tile_of(p, 2, 3, 8))  # here


@refused(RuntimeError, "softmax does not take tiles of int32; it takes float16, bfloat16, float32")
def softmax_of_integers(p, e):
    asctile.softmax(tile_of(p, 8).to(asctile.int32))  # here


@refused(RuntimeError, "gamma of rms_norm must have shape (64,), the row length, not (32,)")
def gamma_too_short(p, e):
    asctile.rms_norm(tile_of(p, 2, 64), tile_of(p, 32), e)  # here


@refused(RuntimeError, "beta of layer_norm must have shape (8,), the row length, not (2, 8)")
def beta_of_rank_2(p, e):
    asctile.layer_norm(tile_of(p, 2, 8), tile_of(p, 8), tile_of(p, 2, 8), e)  # here


@refused(RuntimeError, "gamma of rms_norm must be of float32 like the input, not of float16")
def gamma_of_another_type(p, e):
    asctile.rms_norm(tile_of(p, 2, 8), tile_of(p, 8).to(asctile.float16), e)  # here


@refused(TypeError, "gamma must be a tile, not float 1.0")
def gamma_not_a_tile(p, e):
    asctile.rms_norm(tile_of(p, 2, 8), 1.0, e)  # here


@refused(TypeError, "epsilon of rms_norm must be a float or a float scalar, not bool True")
def epsilon_bool(p, e):
    asctile.rms_norm(tile_of(p, 2, 8), tile_of(p, 8), True)  # here


@refused(TypeError, "epsilon of rms_norm must be a float or a float scalar, not scalar i32")
def epsilon_integer_scalar(p, e):
    asctile.rms_norm(tile_of(p, 2, 8), tile_of(p, 8), asctile.block_idx())  # here


@refused(TypeError, "output_rstd must be a bool, not int 1")
def output_rstd_of_another_type(p, e):
    asctile.layer_norm(tile_of(p, 2, 8), tile_of(p, 8), tile_of(p, 8), e, 1)  # here


@pytest.mark.parametrize("refusal", REFUSED, ids=[kernel.function.__name__ for kernel, _, _ in REFUSED])
def test_refused(refusal: Refusal) -> None:
    check_refusal(refusal, "p: *f32, e: f32")
