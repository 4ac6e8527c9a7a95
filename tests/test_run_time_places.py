"""Places that are known at run time only: slices of tiles, offsets that wrap, and loops that may have no iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects, in_all_modes

from pyasc_transpile import asctile
from pyasc_transpile.asctile import low_level as asc

RNG = np.random.default_rng(9)


def _floats(*shape: int) -> Any:
    return RNG.integers(-9, 9, shape).astype(np.float32)


# --- slices that iterations meet in -----------------------------------------------------------------------------------


@asctile.jit
def slices(x_ptr, out_ptr, start: asctile.ConstExpr):
    """Three by two iterations add one to 16 elements from where a function says."""
    tile = asctile.copy_in(asctile.global_tensor(x_ptr, [80]), [0], [80])
    part = asctile.to_asc(tile)
    for i in asctile.range(3):
        for j in asctile.range(2):
            asc.adds(part[start(i, j)], part[start(i, j)], 1.0, 16)
    asctile.copy_out(tile, asctile.global_tensor(out_ptr, [80]), [0])


@asctile.jit
def loaded_slices(x_ptr, out_ptr):
    """Every second iteration loads to where the vector unit may still read."""
    room, result = (asctile.to_asc(asctile.zeros([64], asctile.float32)) for _ in asctile.static_range(2))
    x_gm, out_gm = (asctile.to_asc(asctile.global_tensor(pointer, [64])) for pointer in (x_ptr, out_ptr))
    for i in asctile.range(4):
        asc.data_copy(room[i % 2 * 16], x_gm[i * 16], 16)
        asc.adds(result[i * 16], room[i % 2 * 16], 1.0, 16)
    asc.data_copy(out_gm, result, 64)


STARTS = {
    "every second": lambda i, j: j % 2 * 16 + i % 2 * 16,
    "two in a row": lambda i, j: i // 2 * 16 + j * 32,
    "over each other": lambda i, j: i * 8,
    "diagonal": lambda i, j: (i + j) * 16,
    "apart": lambda i, j: i * 16,
}


def slice_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    for label, start in STARTS.items():
        x, out = _floats(80), np.zeros(80, np.float32)
        wanted = x.copy()
        for i in range(3):
            for j in range(2):
                wanted[start(i, j) : start(i, j) + 16] += 1
        cases.append(Case(label, slices, (x, out, start), check=expects((out, wanted))))
    x, out = _floats(64), np.zeros(64, np.float32)
    return [*cases, Case("loaded", loaded_slices, (x, out), check=expects((out, x + 1)))]


@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
def test_slices_that_iterations_meet_in(architecture: str, tmp_path: Any) -> None:
    """The index in an offset does not say that each iteration has a slice of its own."""
    Batch(tmp_path, architecture).run_all(in_all_modes(slice_cases, architecture))


# --- loops without iterations -----------------------------------------------------------------------------------------


@asctile.jit
def with_last_row(x_ptr, out_ptr, n: int):
    """Every row plus the last one, of which there may be none."""
    x_gm = asctile.global_tensor(x_ptr, [n, 16])
    out_gm = asctile.global_tensor(out_ptr, [n, 16])
    for i in asctile.range(n):
        last = asctile.copy_in(x_gm, [n - 1, 0], [1, 16])
        asctile.copy_out(asctile.copy_in(x_gm, [i, 0], [1, 16]) + last, out_gm, [i, 0])


@asctile.jit
def single_copies(x_ptr, out_ptr, n: int):
    """Copies of as many elements as they say, whether the tensor has them or not."""
    x_gm, out_gm = (asctile.to_asc(asctile.global_tensor(pointer, [n * 16])) for pointer in (x_ptr, out_ptr))
    for i in asctile.range(n):
        tile = asctile.to_asc(asctile.empty([16], asctile.float32))
        asc.data_copy(tile, x_gm[n * 16 - 16], 16)
        asc.data_copy(out_gm[i * 16], tile, 16)


def empty_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    for rows in (0, 3):
        x, out, copies = _floats(3, 16), np.zeros((3, 16), np.float32), np.zeros((3, 16), np.float32)
        rest = np.zeros((3 - rows, 16), np.float32)
        sums = np.concatenate([x[:rows] + x[-1], rest])
        lasts = np.concatenate([np.tile(x[-1], (rows, 1)), rest])
        cases += [
            Case(f"last {rows}", with_last_row, (x, out, rows), check=expects((out, sums))),
            Case(f"copies {rows}", single_copies, (x, copies, rows), check=expects((copies, lasts))),
        ]
    return cases


@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
def test_what_loops_without_iterations_would_load_is_not_loaded(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_all_modes(empty_cases, architecture))


# --- offsets that wrap ------------------------------------------------------------------------------------------------


def narrowed(value: Any) -> Any:
    return asctile.cast(asctile.cast(value, asctile.int8), asctile.int32)


@asctile.jit
def wrapping(x_ptr, room_ptr, out_ptr):
    """Stored at an offset that wraps, and loaded from the same place, spelled differently; from 88 in the third."""
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [16]), [0], [16])
    room = asctile.global_tensor(room_ptr, [300])
    out = asctile.global_tensor(out_ptr, [6, 16])
    for i in asctile.range(3, gm_barrier=True):
        asctile.copy_out(x + 1.0, room, [narrowed(i * 100 + 256) + 144])
        again = asctile.copy_in(room, [narrowed(i * 100) + 144], [16])
        asctile.copy_out(again.reshape(1, 16), out, [i, 0])
        below = asctile.copy_in(room, [88], [16])
        asctile.copy_out(below.reshape(1, 16), out, [i + 3, 0])


def wrapping_cases(architecture: str, style: str) -> list[Case]:
    x, room, out = _floats(16), np.zeros(300, np.float32), np.zeros((6, 16), np.float32)
    wanted = np.stack([x + 1] * 3 + [0 * x, 0 * x, x + 1])
    return [Case("wrapping", wrapping, (x, room, out), check=expects((out, wanted)))]


@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
def test_offsets_that_wrap(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_all_modes(wrapping_cases, architecture))
