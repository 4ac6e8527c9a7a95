"""Arithmetic of run-time scalars at the ends of their ranges, on the fast and the checked build."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.support.batch import Batch, Case

from pyasc_transpile import asctile

LARGEST = 2**31 - 1


@asctile.jit
def wraps(out_ptr, n: int):
    out = asctile.global_tensor(out_ptr, [6])
    asctile.copy_out(n + 1, out, [0])
    asctile.copy_out(n * 3, out, [1])
    asctile.copy_out(-(n + 1), out, [2])
    if n + 1 > n:
        asctile.copy_out(1, out, [3])
    asctile.copy_out(n + 1 < n, out, [4])
    asctile.copy_out((n + 1) // 2, out, [5])


@asctile.jit
def divides_integers(out_ptr, a: int, b: int):
    out = asctile.global_tensor(out_ptr, [4])
    asctile.copy_out(a // b, out, [0])
    asctile.copy_out(a % b, out, [1])
    asctile.copy_out(a % 2147483647, out, [2])
    asctile.copy_out(a % -7, out, [3])


@asctile.jit
def divides_floats(out_ptr, a: float, b: float):
    out = asctile.global_tensor(out_ptr, [1])
    asctile.copy_out(a // b, out, [0])


@asctile.jit
def remainder_of_floats(out_ptr, a: float, b: float):
    asctile.copy_out(a % b, asctile.global_tensor(out_ptr, [1]), [0])


@asctile.jit
def picks(out_ptr, a: float, b: float):
    out = asctile.global_tensor(out_ptr, [2])
    asctile.copy_out(min(a, b), out, [0])
    asctile.copy_out(max(a, b), out, [1])


def all_cases() -> list[Case]:
    found = []

    def add(kernel: Any, numbers: tuple[Any, ...], out: Any, expected: Any) -> None:
        def check() -> list[str]:
            same_numbers = np.array_equal(expected, out, equal_nan=expected.dtype.kind == "f")
            same_zeros = np.array_equal(np.signbit(expected[expected == 0]), np.signbit(out[out == 0]))
            return [] if same_numbers and same_zeros else [f"{out}, not {expected}"]

        found.append(Case(f"{kernel.__name__}{numbers}", kernel, (out, *numbers), check=check))

    wrapped = [-(2**31), LARGEST - 2, -(2**31), 0, 1, -(2**30)]
    add(wraps, (LARGEST,), np.zeros(6, np.int32), np.array(wrapped, np.int32))
    for a, b in itertools.product((LARGEST, LARGEST - 1, 7, 0, -7, -LARGEST), (LARGEST, LARGEST - 1, 3, -3, -LARGEST)):
        expected = np.array([a // b, a % b, a % LARGEST, a % -7], np.int32)
        add(divides_integers, (a, b), np.zeros(4, np.int32), expected)
    for a, b in ((7.0, 2.0), (-7.0, 2.0), (7.0, -2.0), (3e9, 1.0), (-3e9, 1.0), (1e30, 1e-5), (-1e20, 0.5)):
        quotient = np.float32(a) / np.float32(b)
        add(divides_floats, (a, b), np.zeros(1, np.float32), np.array([np.floor(quotient)], np.float32))
    for a, b in ((7.0, 2.0), (-7.0, 2.0), (7.5, -2.0), (3e9, 256.0), (2.0**40, 2.0**33)):
        add(remainder_of_floats, (a, b), np.zeros(1, np.float32), np.array([a % b], np.float32))
    for a, b in itertools.product((0.0, -0.0, 1.0, float("nan")), repeat=2):
        expected = np.array([min(a, b), max(a, b)], np.float32)
        add(picks, (a, b), np.zeros(2, np.float32), expected)
    return found


def test_compilers_do_not_ask_for_parentheses(tmp_path: Any) -> None:
    batch = Batch(tmp_path, "c310")
    batch.add(Case("divide", divides_integers, (np.zeros(4, np.int32), 7, 2)))
    assert " < 0) != (b < 0)" in batch.cases[0][1].source


@pytest.mark.parametrize("checked", (False, True), ids=("fast", "checked"))
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_scalars(architecture: str, checked: bool, tmp_path: Any) -> None:
    Batch(tmp_path, architecture, checked).run_all(all_cases())
