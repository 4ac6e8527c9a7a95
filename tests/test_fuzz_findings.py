"""Kernels in which random testing once found generated code to be wrong, made as small as possible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.batch import Batch, Case, in_all_modes

from pyasc_transpile import asctile


@asctile.jit
def met_in_the_branch_only(x_ptr, y_ptr, out_ptr, n):
    """What a branch waits for says nothing when the branch is not taken: the vector pipe runs on from ``t``."""
    t = ~asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [1], [1])
    u = asctile.copy_in(asctile.global_tensor(y_ptr, [n]), [3], [1], pad_value=0)
    asctile.copy_out(u.to(asctile.int32) - t, asctile.global_tensor(out_ptr, [1]), [0])


@asctile.jit
def reads_before_the_branch(x_ptr, out_ptr, half_ptr, n):
    t = asctile.full([2, 100], 3, asctile.float16).reshape(200)
    u = asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [3], [1], pad_value=2)
    asctile.atomic_min(u.to(asctile.int32), asctile.global_tensor(out_ptr, [1]), [0])
    asctile.copy_out(t, asctile.global_tensor(half_ptr, [200]), [0])


@asctile.jit
def slices_of_the_inner_loop(x_ptr, out_ptr, m):
    """Each iteration of the copy's own loop writes a slice, each iteration of the outer loop writes all of them."""
    x = asctile.global_tensor(x_ptr, [4, 8, 17])
    t = asctile.copy_in(x, [0, 0, 3], [2, 3, 8], pad_value=1)
    for i in asctile.range(m):
        t = asctile.copy_in(x, [i, 1, 0], [2, 3, 8], pad_value=1)
    asctile.copy_out(t, asctile.global_tensor(out_ptr, [2, 3, 8]), [0, 0, 0])


@asctile.jit
def barrier_of_the_outer_loop(x_ptr, n):
    x = asctile.global_tensor(x_ptr, [64])
    for _ in asctile.range(n, gm_barrier=True):
        for k in asctile.range(3):
            asctile.copy_out(asctile.copy_in(x, [k * 16], [16]) + 1, x, [k * 16])


@asctile.jit
def numbers_have_the_type_of_the_tile(x_ptr, out_ptr):
    """0.7 beside a bfloat16 tile is the bfloat16 nearest to 0.7, also where the arithmetic is done in float32."""
    out = asctile.global_tensor(out_ptr, [64])
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [32]), [0], [32])
    asctile.copy_out(x - 0.7, out, [0])
    asctile.copy_out(asctile.where(x < 0.7, x, 2), out, [32])


@asctile.jit
def bytes_as_words(x_ptr, out_ptr, n):
    """An odd number of bytes is processed as 16-bit words."""
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [0], [37], pad_value=-2)
    out = asctile.global_tensor(out_ptr, [4 * 37])
    asctile.copy_out(x | 1, out, [0])
    asctile.copy_out(~x ^ x, out, [37])
    asctile.copy_out(asctile.full([37], n, asctile.int8), out, [74])
    with asctile.mask(count=5, other=3):
        y = x & 6
    asctile.copy_out(y, out, [111])


@asctile.jit
def leading_ones(x_ptr, out_ptr):
    """Shapes that differ by leading ones only."""
    row = asctile.copy_in(asctile.global_tensor(x_ptr, [40]), [0], [40])
    matrix = asctile.copy_in(asctile.global_tensor(x_ptr, [1, 40]), [0, 0], [1, 40])
    asctile.copy_out(matrix + row * 2, asctile.global_tensor(out_ptr, [1, 40]), [0, 0])


@asctile.jit
def parts_that_a_loop_steps_through(x_ptr, out_ptr):
    """The loop over the outer rows folds another part of the same tile in each iteration: nothing of it is fixed."""
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [6, 4, 9]), [0, 0, 0], [6, 4, 9])
    asctile.copy_out(x.max(1), asctile.global_tensor(out_ptr, [6, 9]), [0, 0])


def all_cases(architecture: str, style: str) -> list[Case]:
    import ml_dtypes

    rng = np.random.default_rng(1)
    small = rng.integers(-9, 9, 900).astype(np.int16)
    tiny = np.arange(-20, 20).astype(np.int8)
    narrow = (np.arange(32) / 16).astype(ml_dtypes.bfloat16)
    found: list[tuple[Any, tuple[Any, ...]]] = [
        (met_in_the_branch_only, (small.copy(), small.astype(np.float16), np.zeros(1, np.int32), 400)),
        (reads_before_the_branch, (small.astype(np.int8), np.zeros(1, np.int32), np.zeros(200, np.float16), 900)),
        (slices_of_the_inner_loop, (rng.random(4 * 8 * 17, np.float32), np.zeros(48, np.float32), 3)),
        (barrier_of_the_outer_loop, (np.zeros(64, np.float32), 4)),
        (numbers_have_the_type_of_the_tile, (narrow, np.zeros(64, narrow.dtype))),
        (bytes_as_words, (tiny, np.zeros(148, np.int8), 30)),
        (parts_that_a_loop_steps_through, (rng.random(216, np.float32), np.zeros(54, np.float32))),
        (leading_ones, (np.arange(40, dtype=np.int32), np.zeros(40, np.int32))),
    ]
    return [Case(kernel.__name__, kernel, args) for kernel, args in found]


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_findings(architecture: str, tmp_path: Any) -> None:
    """Batches compare with the reference."""
    Batch(tmp_path, architecture).run_all(in_all_modes(all_cases, architecture))
