"""``while``, ``break``, ``continue`` and ``return`` that only the device decides: checked CPU builds against Python."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects_about, in_styles

from frontend_tools import text_of
from pyasc_transpile import asctile


@asctile.jit
def doubling(out_ptr, n):
    """Powers of two below n, and how many there are."""
    out = asctile.global_tensor(out_ptr, [64])
    power, count = 1, 0
    while power < n:
        asctile.copy_out(power, out, [count])
        power *= 2
        count += 1
    asctile.copy_out(count, out, [63])


@asctile.jit
def newton(x_ptr, out_ptr, tolerance):
    """Square roots by Newton's method until the largest change is small: a condition computed from tiles."""
    x_gm, out = asctile.global_tensor(x_ptr, [64]), asctile.global_tensor(out_ptr, [64])
    x = asctile.copy_in(x_gm, [0], [64])
    root = x
    change = asctile.reduce_max(x)
    while change > tolerance:
        better = (root + x / root) * 0.5
        change = asctile.reduce_max(asctile.abs(better - root))
        root = better
    asctile.copy_out(root, out, [0])


@asctile.jit
def copy_until(x_ptr, out_ptr, n):
    """Rows up to the first that begins with a negative number; the else marks that there was none."""
    x_gm, out = asctile.global_tensor(x_ptr, [n * 64]), asctile.global_tensor(out_ptr, [(n + 1) * 64])
    for i in asctile.range(n, unroll_factor=2):
        if asctile.copy_in(x_gm, [i * 64]) < 0:
            break
        asctile.copy_out(asctile.copy_in(x_gm, [i * 64], [64]) * 2, out, [i * 64])
    else:
        asctile.copy_out(asctile.full([64], 7.0, asctile.float32), out, [n * 64])


@asctile.jit
def skip_rows(x_ptr, out_ptr, n):
    """Sums rows, leaving out those that begin with a negative number, up to a sum that is too large."""
    x_gm, out = asctile.global_tensor(x_ptr, [n * 64]), asctile.global_tensor(out_ptr, [64])
    total = asctile.zeros([64], asctile.float32)
    used = 0
    for i in range(n):
        first = asctile.copy_in(x_gm, [i * 64])
        if first < 0:
            if first < -50:
                break
            continue
        total += asctile.copy_in(x_gm, [i * 64], [64])
        used += 1
        if used == 3:
            break
    asctile.copy_out(total, out, [0])


@asctile.jit
def return_early(x_ptr, out_ptr, n):
    """Blocks without work return; so does one that finds a mark in its rows."""
    block = asctile.block_idx()
    x_gm, out = asctile.global_tensor(x_ptr, [n * 64]), asctile.global_tensor(out_ptr, [n * 64])
    if block >= n:
        return
    if block % 2 == 1:
        tile = asctile.copy_in(x_gm, [block * 64], [64])
        if asctile.copy_in(x_gm, [block * 64]) > 0:
            asctile.copy_out(tile + 100, out, [block * 64])
            return
        asctile.copy_out(tile + 1, out, [block * 64])
    else:
        asctile.copy_out(asctile.copy_in(x_gm, [block * 64], [64]) + 2, out, [block * 64])
    asctile.copy_out(asctile.copy_in(out, [block * 64], [64]) * 2, out, [block * 64])


def scaled(tile, factor):
    if factor < 0:
        return tile
    if factor > 10:
        if factor > 20:
            return tile * 20
        tile = tile + 1
    return tile * factor


@asctile.jit
def helper_of_tiles(x_ptr, out_ptr, n):
    x_gm, out = asctile.global_tensor(x_ptr, [64]), asctile.global_tensor(out_ptr, [64])
    asctile.copy_out(scaled(asctile.copy_in(x_gm, [0], [64]), n), out, [0])


def first_at_least(x_gm, n, limit):
    for i in range(n):
        if asctile.copy_in(x_gm, [i]) >= limit:
            return i
    return -1


def row_with(x_gm, n, limit):
    for i in range(n):
        row = asctile.copy_in(x_gm, [i * 64], [64])
        if asctile.reduce_max(row) >= limit:
            return row
    return asctile.zeros([64], asctile.float32) - 1


@asctile.jit
def find(x_ptr, out_ptr, n, limit):
    x_gm, out = asctile.global_tensor(x_ptr, [n * 64]), asctile.global_tensor(out_ptr, [128])
    asctile.copy_out(first_at_least(x_gm, n * 64, limit), out, [0])
    asctile.copy_out(row_with(x_gm, n, limit), out, [64])


@dataclasses.dataclass
class Row:
    """Where a row is, and what it holds."""

    number: Any
    tile: Any
    kind: str = "row"


class Place(NamedTuple):
    row: Any
    column: Any


def place_of(x_gm, n, limit):
    for i in range(n):
        for j in range(64):
            if asctile.copy_in(x_gm, [i * 64 + j]) >= limit:
                return Place(i, j)
    return Place(-1, -1)


def row_of(x_gm, n, limit):
    for i in range(n):
        row = asctile.copy_in(x_gm, [i * 64], [64])
        if row.max() >= limit:
            return Row(i, row)
    return Row(n, asctile.zeros([64], asctile.float32))


def nested_tuple(x_gm, n, limit):
    i = 0
    while i < n:
        row = asctile.copy_in(x_gm, [i * 64], [64])
        if row.max() < limit:
            i += 1
            continue
        return "found", (row, [row * 2, i])
    return "found", (asctile.zeros([64], asctile.float32), [asctile.full([64], 3.0), -1])


def larger_first(a, b, row):
    if a > b:
        return a, Row(b, row)
    return b, Row(a, row * 2)


@asctile.jit
def many_results(x_ptr, out_ptr, n, limit):
    """Tuples, lists, named tuples and dataclasses returned from loops and branches."""
    x_gm, out = asctile.global_tensor(x_ptr, [n * 64]), asctile.global_tensor(out_ptr, [320])
    place = place_of(x_gm, n, limit)
    found = row_of(x_gm, n, limit)
    kind, (row, [doubled, number]) = nested_tuple(x_gm, n, limit)
    asctile.static_assert(kind == "found" and found.kind == "row")
    larger, other = larger_first(n, found.number * 2, found.tile)
    for k, value in enumerate((place.row, place.column, found.number, number, larger, other.number)):
        asctile.copy_out(value, out, [k])
    for k, tile in enumerate((found.tile, row, doubled, other.tile)):
        asctile.copy_out(tile, out, [64 * k + 64])


@asctile.jit
def nested(out_ptr, n):
    """break and continue in loops in loops; a compile-time loop that is left at run time."""
    out = asctile.global_tensor(out_ptr, [64])
    count, i = 0, 0
    while True:
        i += 1
        if i > n:
            break
        for j in range(n):
            if j == i:
                continue
            if j > 2 * i:
                break
            count += 1
        else:
            count += 100
        for k in asctile.static_range(4):
            if k == i:
                break
            if k + i == n:
                continue
            count += 1000
        else:
            count += 10000
    asctile.copy_out(count, out, [0])


@asctile.jit
def collatz(x_ptr, out_ptr, n):
    x_gm, out = asctile.global_tensor(x_ptr, [n]), asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(asctile.block_idx(), n, asctile.block_num()):
        value = asctile.copy_in(x_gm, [i])
        steps = 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps += 1
        asctile.copy_out(steps, out, [i])


@asctile.jit
def doubled_in_place(x_ptr, n):
    """Every iteration reads what the one before has written to global memory."""
    x_gm = asctile.global_tensor(x_ptr, [64])
    i = 0
    while i < n:
        asctile.copy_out(asctile.copy_in(x_gm, [0], [64]) * 2, x_gm, [0])
        i += 1


@asctile.jit
def scan_memory(x_ptr, out_ptr):
    """The condition reads global memory: it is tested inside of the loop."""
    x_gm, out = asctile.global_tensor(x_ptr, [64]), asctile.global_tensor(out_ptr, [64])
    i = 0
    while (value := asctile.copy_in(x_gm, [i])) >= 0:
        asctile.copy_out(value + 1, out, [i])
        i += 1
    else:
        asctile.copy_out(i, out, [63])


# What Python says


def rows(n: int, negative: dict[int, float]) -> np.ndarray:
    x = np.random.default_rng(n).uniform(1, 9, (n, 64)).astype(np.float32)
    for row, value in negative.items():
        x[row, 0] = value
    return x


def expected_nested(n: int) -> int:
    count, i = 0, 0
    while True:
        i += 1
        if i > n:
            break
        for j in range(n):
            if j == i:
                continue
            if j > 2 * i:
                break
            count += 1
        else:
            count += 100
        for k in range(4):
            if k == i:
                break
            if k + i == n:
                continue
            count += 1000
        else:
            count += 10000
    return count


def expected_collatz(value: int) -> int:
    steps = 0
    while value != 1:
        value, steps = (value // 2 if value % 2 == 0 else 3 * value + 1), steps + 1
    return steps


def expected_many(x: np.ndarray, limit: float) -> np.ndarray:
    expected = np.zeros((5, 64), np.float32)
    where = np.argwhere(x >= limit)
    rows_found = np.flatnonzero(x.max(axis=1) >= limit)
    row = int(rows_found[0]) if rows_found.size else len(x)
    tile = x[row] if rows_found.size else np.zeros(64)
    larger = len(x) > row * 2
    expected[0, :2] = where[0] if where.size else (-1, -1)
    expected[0, 2:4] = row, row if rows_found.size else -1
    expected[0, 4:6] = (len(x), row * 2) if larger else (row * 2, len(x))
    expected[1:] = tile, tile, tile * 2 if rows_found.size else np.full(64, 3), tile if larger else tile * 2
    return expected


def all_cases(architecture: str, style: str) -> list[Case]:
    found = []

    def add(label, kernel, args, index, expected, blocks=1, **options):
        found.append(Case(label, kernel, args, blocks, options, expects_about(args[index], expected)))

    for n in (0, 1, 2, 100):
        expected = np.zeros(64, np.int32)
        powers = [2**k for k in range(31) if 2**k < n]
        expected[: len(powers)], expected[63] = powers, len(powers)
        add(f"doubling {n}", doubling, (np.zeros(64, np.int32), n), 0, expected)
    x = np.random.default_rng(0).uniform(1, 9, 64).astype(np.float32)
    add("newton", newton, (x, np.zeros(64, np.float32), 1e-6), 1, np.sqrt(x))
    for n, negative in ((5, {}), (5, {3: -1.0}), (4, {0: -1.0}), (1, {}), (6, {5: -2.0})):
        x = rows(n, negative)
        expected = np.zeros((n + 1, 64), np.float32)
        stop = min(negative, default=n)
        expected[:stop] = x[:stop] * 2
        if not negative:
            expected[n] = 7
        for reuse in (0, 2):
            args = (x.copy(), np.zeros((n + 1, 64), np.float32), n)
            add(f"copy_until {n} {negative} reuse {reuse}", copy_until, args, 1, expected, reuse_alloc=reuse)
    for n, negative, used in (
        (6, {}, [0, 1, 2]), (6, {1: -1.0}, [0, 2, 3]), (6, {0: -1.0, 2: -60.0}, [1]), (2, {}, [0, 1]),
        (1, {0: -1.0}, []),
    ):  # fmt: skip
        x = rows(n, negative)
        add(f"skip_rows {n} {negative}", skip_rows, (x, np.zeros(64, np.float32), n), 1, x[used].sum(axis=0))
    x = rows(4, {1: 5.0, 3: -5.0})
    expected = np.stack([(x[0] + 2) * 2, x[1] + 100, (x[2] + 2) * 2, (x[3] + 1) * 2])
    add("return_early", return_early, (x, np.zeros((4, 64), np.float32), 4), 1, expected, blocks=6)
    x = rows(1, {})[0]
    for n, expected in ((-1, x), (3, x * 3), (15, (x + 1) * 15), (30, x * 20)):
        add(f"helper_of_tiles {n}", helper_of_tiles, (x, np.zeros(64, np.float32), n), 1, expected)
    x = rows(3, {0: 0.5})
    x[2, 5] = 50
    for limit in (0.0, 40.0, 99.0):
        where = np.flatnonzero(x.ravel() >= limit)
        hit = np.flatnonzero(x.max(axis=1) >= limit)
        expected = np.zeros(128, np.float32)
        expected[0] = where[0] if len(where) else -1
        expected[64:] = x[hit[0]] if len(hit) else -1
        add(f"find {limit}", find, (x, np.zeros(128, np.float32), 3, limit), 1, expected)
    for limit in (0.0, 40.0, 99.0):
        add(f"many_results {limit}", many_results, (x, np.zeros(320, np.float32), 3, limit), 1, expected_many(x, limit))
    for n in (0, 1, 2, 3, 4, 7):
        expected = np.zeros(64, np.int32)
        expected[0] = expected_nested(n)
        add(f"nested {n}", nested, (np.zeros(64, np.int32), n), 0, expected)
    x = np.array([1, 2, 7, 27, 9, 6, 97, 3], np.int32)
    expected = np.array([expected_collatz(int(value)) for value in x], np.int32)
    add("collatz", collatz, (x, np.zeros(8, np.int32), 8), 1, expected, blocks=3)
    for n in (0, 1, 5):
        x = np.arange(64, dtype=np.float32)
        add(f"doubled_in_place {n}", doubled_in_place, (x.copy(), n), 0, x * 2**n)
    x = np.arange(64, dtype=np.int32)
    x[9] = -1
    expected = np.zeros(64, np.int32)
    expected[:9], expected[63] = x[:9] + 1, 9
    add("scan_memory", scan_memory, (x, np.zeros(64, np.int32)), 1, expected)
    return found


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_kernels_that_leave(tmp_path: Path, architecture: str) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))


# The text of the graph


def test_a_plain_condition_is_the_condition_of_the_loop() -> None:
    text = text_of(doubling, "out_ptr: *i32, n: i32")
    assert "while(1, 0) : i32, i32" in text and "scalar.less(%power" in text and "if(" not in text


def test_an_early_return_is_the_other_way_of_the_branch() -> None:
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [8])
        if n > 3:
            return
        asctile.copy_out(n, x, [0])

    text = text_of(kernel, "p: *i32, n: i32")
    assert text.count("if(") == 1 and "returned" not in text.replace("%returned = scalar.greater", "").replace(
        "if(%returned)", ""
    )
    assert text.index("else:") < text.index("store_scalar")


def test_what_is_known_at_compile_time_leaves_no_loop() -> None:
    @asctile.jit
    def kernel(p, n, steps: asctile.ConstExpr[int] = 3):
        x = asctile.global_tensor(p, [8])
        i = 0
        while True:
            if i == steps:
                break
            i += 1
            if i == 2:
                continue
            asctile.copy_out(n, x, [i])

    text = text_of(kernel, "p: *i32, n: i32")
    assert text.count("store_scalar") == 2 and "while" not in text and "if(" not in text


def test_a_loop_that_may_end_early_has_a_condition() -> None:
    text = text_of(copy_until, "x_ptr: *f32, out_ptr: *f32, n: i32")
    assert "while(" in text and "%done" in text
