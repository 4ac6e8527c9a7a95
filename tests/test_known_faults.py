"""Kernels that another implementation of the language gets wrong or rejects: here they mean what Python and NumPy say.

One kernel for each kind of fault, on both architectures and in both memory styles, on the checked build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects, in_styles

from pyasc_transpile import asctile

SIZE, N, F = 256, 2, 1.5
ROWS: list[tuple[str, Any, Callable[..., Any]]] = []


def means(expected: Callable[..., Any]) -> Callable[[Any], Any]:
    """Collect a kernel; ``expected`` says what it stores at the start of ``out`` for x (8, 8), i (64) and n, f."""

    def note(function: Any) -> Any:
        ROWS.append((function.__name__, asctile.jit(function), expected))
        return function

    return note


def load(pointer: Any, *shape: int) -> Any:
    return asctile.copy_in(asctile.global_tensor(pointer, shape), [0] * len(shape), shape)


def store(tile: Any, pointer: Any, at: Any = 0) -> None:
    asctile.copy_out(tile.ravel(), asctile.global_tensor(pointer, [SIZE]), [at])


@means(lambda x, i, n, f: [1, 2, 4, 8, 16])
def numbers_are_carried(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    s = 1
    for k in asctile.range(4):
        asctile.copy_out(s, out, [k])
        s = s * 2
    asctile.copy_out(s, out, [4])


@means(lambda x, i, n, f: [*(x.ravel() * (n + 1)), n, n, 2 * n])
def what_starts_as_another_name_stays_apart(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    t = load(x_ptr, 64)
    a, m = t, n
    for k in asctile.range(n):
        a = a + t
        asctile.copy_out(n, out, [64 + k])
        m = m + 1
    store(a, out_ptr)
    asctile.copy_out(m, out, [66])


@means(lambda x, i, n, f: [3, 5, *(x.ravel() + 1), *x.ravel()])
def swaps_and_rotations(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    a, b = 0, 1
    for _ in asctile.range(n + 2):
        a, b = b, a + b
    asctile.copy_out(a, out, [0])
    asctile.copy_out(b, out, [1])
    t, u = load(x_ptr, 64), load(x_ptr, 64) + 1
    for _ in asctile.range(n + 1):
        t, u = u, t
    store(t, out_ptr, 2)
    store(u, out_ptr, 66)


@means(lambda x, i, n, f: [*np.trunc(x.ravel()), *x.ravel().astype(np.float16), *np.floor(x.ravel())])
def chains_of_casts_round(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 64)
    store(t.to(asctile.int32).to(asctile.float32), out_ptr)
    store(t.to(asctile.float16).to(asctile.float32), out_ptr, 64)
    store(t.to(asctile.int32, asctile.RoundMode.Floor).to(asctile.float32), out_ptr, 128)


def plus(tile: Any, number: asctile.ConstExpr[int]) -> Any:
    return tile + number


@means(lambda x, i, n, f: [*(x.ravel() + 1), *(x.ravel() + 5), *(x.ravel()[:8] + 9)])
def helpers_have_no_memory(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 64)
    store(plus(t, 1), out_ptr)
    store(plus(t, 5), out_ptr, 64)
    store(plus(load(x_ptr, 8), 9), out_ptr, 128)


@means(lambda x, i, n, f: [*(x + (np.arange(8) < 3)).ravel(), *x.ravel()])
def names_of_a_mask_escape(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    r = t = load(x_ptr, 8, 8)
    one = asctile.zeros([8, 8], asctile.float32)
    with asctile.mask(count=3):
        one = asctile.full([8, 8], 1.0) + 0
        u = t * 1
    store(r + one, out_ptr)
    store(asctile.where(u == t, t, t), out_ptr, 64)


@means(lambda x, i, n, f: [*x.ravel(), *x.T.ravel()])
def transposed_twice(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    store(load(x_ptr, 8, 8).T.T, out_ptr)
    store(load(x_ptr, 8, 8).T, out_ptr, 64)


@means(lambda x, i, n, f: x.reshape(4, 4, 4)[1:3, 1:4, :3].ravel())
def boxes_of_three_dimensions(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    store(asctile.copy_in(asctile.global_tensor(x_ptr, [4, 4, 4]), [1, 1, 0], [2, 3, 3]), out_ptr)


@means(lambda x, i, n, f: x.ravel())
def a_dimension_of_one_goes(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    total = load(x_ptr, 1, 64).sum(0)
    asctile.static_assert(total.shape == (64,))
    store(total, out_ptr)


@means(lambda x, i, n, f: [*np.where(i > 16777217, 1, 0), *np.where(i > i[::-1], 1, 0)])
def integers_are_compared_as_integers(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    i, one, zero = load(i_ptr, 64), asctile.full([64], 1.0), asctile.full([64], 0.0)
    store(asctile.where(i > 16777217, one, zero), out_ptr)
    back = asctile.copy_in(asctile.global_tensor(i_ptr, [128]), [64], [64])
    store(asctile.where(i > back, one, zero), out_ptr, 64)


@means(lambda x, i, n, f: [1, 1, 1, 1, 0, 1])
def truth_is_not_zero(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    if n:
        asctile.copy_out(1, out, [0])
    asctile.copy_out(1 if n and f else 0, out, [1])
    if flag and n and f and n > 1:
        asctile.copy_out(1, out, [2])
    asctile.copy_out(1 if flag or 1 // (n - 2) else 0, out, [3])  # nothing divides by zero
    asctile.copy_out(not n, out, [4])
    asctile.copy_out(1 if 1 < n < 3 else 0, out, [5])


@means(lambda x, i, n, f: [3.5, 3, 1, 3.0, -1, 1, -1.0, 4, 1])
def numbers_are_promoted(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    asctile.copy_out(n + 1.5, out, [0])
    asctile.copy_out(n * f, out, [1])
    asctile.copy_out(n < 2.5, out, [2])
    asctile.copy_out(6.0 // n, out, [3])
    asctile.copy_out((1 - n) // 2, out, [4])
    asctile.copy_out((0 - n - 1) % 2, out, [5])
    asctile.copy_out(-f // 2, out, [6])
    asctile.copy_out(n**2, out, [7])
    asctile.copy_out(1 == 1.0, out, [8])


@means(lambda x, i, n, f: [*(x.ravel() - f), *np.where(1 < x.ravel(), 1, 0), *(i % 3), *(x.ravel() // 2)])
def operators_with_the_number_on_either_side(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t, i = load(x_ptr, 64), load(i_ptr, 64)
    store(t + (-f), out_ptr)
    store(asctile.where(1 < t, asctile.full([64], 1.0), 0), out_ptr, 64)
    store((i % 3).to(asctile.float32), out_ptr, 128)
    store(t // 2, out_ptr, 192)


@means(lambda x, i, n, f: [*x.ravel(), *(x.ravel() + 1), *(x.ravel() + 3)])
def order_through_memory(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    asctile.copy_out(load(x_ptr, 64), out, [0])
    asctile.copy_out(asctile.copy_in(out, [0], [64]) + 1, out, [64])
    for k in asctile.range(n, unroll_factor=2, gm_barrier=True):
        asctile.copy_out(asctile.copy_in(out, [64 * (k + 1)], [64]) + 1, out, [128])


@means(lambda x, i, n, f: np.float32([16777220, 2**24 + 2]))
def integers_to_the_nearest_float(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    store(asctile.full([1], 16777219, asctile.int32).to(asctile.float32), out_ptr)
    store(asctile.full([1], 2**24 + 1 + n // 2, asctile.int32).to(asctile.float32), out_ptr, 1)


@means(lambda x, i, n, f: [*x.ravel()[:16], *x.ravel()[:16], *np.broadcast_to(x[:2, None, :4], (2, 2, 4)).ravel()])
def joined_and_repeated(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 16)
    store(asctile.concat(t, t), out_ptr)
    part = asctile.copy(load(x_ptr, 8, 8), [0, 0], [2, 4])
    store(part.reshape(1, 2, 1, 4).broadcast_to(1, 2, 2, 4), out_ptr, 32)


@means(lambda x, i, n, f: [*np.where((x > 1) & (x < 3), 1, 0).ravel(), *(x[1:3, 8 - 4 :]).ravel()])
def comparison_results_are_values(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 8, 8)
    store(((t > 1) & (t < 3)).to(asctile.float32), out_ptr)
    store(asctile.copy(t, [n - 1, 4], [2, 4]), out_ptr, 64)


@means(lambda x, i, n, f: [10, 8, 6, 4, 0, 0, 7])
def loops_count_down(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    at = 0
    for k in asctile.range(n * 5, n, -2):
        asctile.copy_out(k, out, [at])
        at += 1
    for _ in asctile.range(0, n, -1):
        at = 100
    asctile.copy_out(at + 3, out, [6])


@means(lambda x, i, n, f: [4, 6, 1])
def wide_scalars_and_builtins(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    u = n.cast(asctile.int64)
    asctile.copy_out(u * 2, out, [0])
    asctile.copy_out(max(u, 6, n), out, [1])
    asctile.copy_out(abs(min(n, -1)), out, [2])


@means(lambda x, i, n, f: x.ravel())
def tiles_change_names_in_branches(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    g = asctile.to_asc(asctile.from_asc(load(x_ptr, 64)))
    a = asctile.from_asc(g)
    b = a + 1
    if n > 5:
        a = b
    store(a, out_ptr)


def all_cases(architecture: str, style: str) -> list[Case]:
    rng = np.random.default_rng(8)
    found = []
    for name, kernel, expected in ROWS:
        x = rng.integers(-40, 40, (8, 8)).astype(np.float32) / 8
        i = rng.integers(16777210, 16777225, 64).astype(np.int32)
        out = np.zeros(SIZE, np.float32)
        wanted = np.zeros_like(out)
        values = np.asarray(expected(x, i, N, F), np.float32)
        wanted[: values.size] = values
        args = (x, np.concatenate([i, i[::-1]]), out, N, F, True)
        found.append(Case(name, kernel, args, check=expects((out, wanted))))
    return found


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_kernels_mean_what_python_says(architecture: str, tmp_path: Path) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))
