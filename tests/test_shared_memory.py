"""Tiles that share memory because nobody can see it: results of branches, parts of a concat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects_about, in_all_modes

from pyasc_transpile import asctile
from pyasc_transpile.asctile import low_level as asc
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

ROWS, WIDTH = 6, 64


@asctile.jit
def branches(x_ptr, out_ptr, n: int):
    """Unchanged on one way: and not needed later, needed later, seen as another shape, or changed twice."""
    x_gm, out = asctile.global_tensor(x_ptr, [n * WIDTH]), asctile.global_tensor(out_ptr, [n * 8 * WIDTH])
    best = asctile.zeros([WIDTH], asctile.float32)
    before = best
    for i in range(n):
        place = i * 8 * WIDTH
        y = asctile.copy_in(x_gm, [i * WIDTH], [WIDTH])
        r = y * 2 if i > 2 else y
        asctile.copy_out(r, out, [place])
        z = asctile.copy_in(x_gm, [i * WIDTH], [WIDTH])
        kept = z + 1 if i % 2 == 0 else z
        asctile.copy_out(kept, out, [place + WIDTH])
        asctile.copy_out(z, out, [place + 2 * WIDTH])
        flat = y.reshape(8, 8)
        if i == 1:
            flat = flat - 5
        asctile.copy_out(flat.ravel(), out, [place + 3 * WIDTH])
        a, b = y + 1, y + 2
        if i > 3:
            a, b = b, a * 3
        asctile.copy_out(a, out, [place + 4 * WIDTH])
        asctile.copy_out(b, out, [place + 5 * WIDTH])
        if asctile.reduce_max(y) > 0.9:
            before = best
            best = asctile.maximum(best, y)
        asctile.copy_out(best, out, [place + 6 * WIDTH])
        asctile.copy_out(before, out, [place + 7 * WIDTH])


def expected_branches(x: np.ndarray) -> np.ndarray:
    out = np.zeros((len(x), 8, x.shape[1]), np.float32)
    best = before = np.zeros(x.shape[1], np.float32)
    for i, y in enumerate(x):
        a, b = y + 1, y + 2
        if i > 3:
            a, b = b, a * 3
        if y.max() > 0.9:
            before, best = best, np.maximum(best, y)
        out[i] = (
            y * 2 if i > 2 else y, y + 1 if i % 2 == 0 else y, y, y - 5 if i == 1 else y, a, b, best, before,
        )  # fmt: skip
    return out


@asctile.jit
def joined(x_ptr, out_ptr, n: int, rows: asctile.ConstExpr[int], width: asctile.ConstExpr[int]):
    """Parts made in place, needed later, given twice, not aligned, carried by a loop, and changed later."""
    x_gm = asctile.global_tensor(x_ptr, [n, width])
    out = asctile.global_tensor(out_ptr, [n * 9 * rows, width])
    carried = asctile.zeros([rows, width], asctile.float32)
    for i in asctile.range(n, unroll_factor=2):
        x = asctile.copy_in(x_gm, [i, 0], [rows, width], pad_value=1.0)
        y = x * 2
        later = x + 3
        whole = asctile.concat(x, y, later, carried, y, later)
        asctile.copy_out(whole, out, [i * 9 * rows, 0])
        carried = later - 1
        asctile.copy_out(asctile.concat(asctile.exp(y), carried), out, [(i * 9 + 6) * rows, 0])
        last = asctile.concat(asctile.full([rows, width], 4.0))
        asctile.copy_out(last, out, [(i * 9 + 8) * rows, 0])


def expected_joined(x: np.ndarray, rows: int) -> np.ndarray:
    n, width = x.shape
    found = []
    carried = np.zeros((rows, width), np.float32)
    for i in range(n):
        part = np.ones((rows, width), np.float32)
        part[: n - i] = x[i : i + rows]
        y, later = part * 2, part + 3
        found += [part, y, later, carried, y, later]
        carried = later - 1
        found += [np.exp(y), carried, np.full((rows, width), 4.0)]
    return np.concatenate(found)


@asctile.jit
def changed_later(x_ptr, out_ptr):
    """A single instruction changes a part after it was joined, and the whole: neither sees the other."""
    x_gm, out = asctile.global_tensor(x_ptr, [32]), asctile.global_tensor(out_ptr, [4, 64])
    x = asctile.copy_in(x_gm, [0], [32])
    y = asctile.copy_in(x_gm, [0], [32])
    whole = asctile.concat(x, y)
    asc.adds(asctile.to_asc(x), asctile.to_asc(x), 1.0, 32)
    asc.muls(asctile.to_asc(whole)[32], asctile.to_asc(whole)[32], 2.0, 32)
    asctile.copy_out(whole.reshape(1, 64), out, [0, 0])
    asctile.copy_out(asctile.concat(x, x).reshape(1, 64), out, [1, 0])
    short = asctile.concat(asctile.copy_in(x_gm, [0], [20]), asctile.copy_in(x_gm, [3], [12]), y * 3)
    asctile.copy_out(short.reshape(1, 64), out, [2, 0])


def expected_later(x: np.ndarray) -> np.ndarray:
    rows = [np.concatenate([x, x * 2]), np.concatenate([x + 1, x + 1]), np.concatenate([x[:20], x[3:15], x * 3])]
    return np.stack([*rows, np.zeros(64, np.float32)]).astype(np.float32)


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = []

    def add(kernel: Any, x: np.ndarray, shape: tuple[int, ...], wanted: np.ndarray, *more: int) -> None:
        out = np.zeros(shape, np.float32)
        cases.append(Case(f"{kernel} {more}", kernel, (x, out, *more), check=expects_about(out, wanted)))

    x = np.random.default_rng(2).random((ROWS, WIDTH)).astype(np.float32)
    x[2] /= 2
    add(branches, x, (ROWS, 8, WIDTH), expected_branches(x), ROWS)
    for rows, width in ((2, 16), (3, 21)):
        part = np.ascontiguousarray(x[:5, :width])
        add(joined, part, (5 * 9 * rows, width), expected_joined(part, rows), 5, rows, width)
    add(changed_later, x[0, :32].copy(), (4, 64), expected_later(x[0, :32]))
    return cases


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_nobody_sees_it(architecture: str, tmp_path: Path) -> None:
    Batch(tmp_path, architecture).run_all(in_all_modes(all_cases, architecture))


def source_of(kernel: Any, signature: str) -> str:
    platform = find_platform(PLATFORMS["c310"])
    return transpile(kernel, parse_signature(kernel, signature), platform, kernel.options).source


def test_an_unchanged_side_costs_nothing() -> None:
    @asctile.jit
    def kernel(x_ptr, out_ptr, n: int):
        y = asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64])
        y = asctile.exp(y) if n > 2 else y
        asctile.copy_out(y, asctile.global_tensor(out_ptr, [64]), [0])

    source = source_of(kernel, "x_ptr: *f32, out_ptr: *f32, n: i32")
    assert "Exp(y, y, 64);" in source
    assert "} else {" not in source and " DataCopy(" not in source and source.count("LocalTensor<float> y") == 1


def test_parts_are_made_in_their_places() -> None:
    @asctile.jit
    def kernel(x_ptr, out_ptr):
        x_gm = asctile.global_tensor(x_ptr, [64])
        both = asctile.concat(asctile.copy_in(x_gm, [0], [64]), asctile.exp(asctile.copy_in(x_gm, [0], [64])))
        asctile.copy_out(both, asctile.global_tensor(out_ptr, [128]), [0])

    source = source_of(kernel, "x_ptr: *f32, out_ptr: *f32")
    assert "DataCopyPad(both, x_gm" in source and "Exp(both[64], tmp, 64);" in source and " DataCopy(" not in source
