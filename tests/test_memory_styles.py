"""The example kernels x architecture x memory style x unroll factor x reuse mode, with sizes that do not divide.

All of it runs on the checked build: a flag that is missing, doubled or left over is a failure here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
from tests.support.batch import STYLES, Batch, Case

from pyasc_transpile import asctile
from pyasc_transpile.errors import DeviceFaultError

TILE = 256


@asctile.jit
def vector_add(x_ptr, y_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], unroll: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    y_gm = asctile.global_tensor(y_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    step = asctile.block_num()
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile), step, unroll_factor=unroll):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        y = asctile.copy_in(y_gm, [i * tile], [tile])
        asctile.copy_out(x + y, out_gm, [i * tile])


@asctile.jit
def fused_chain(x_ptr, y_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], unroll: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    y_gm = asctile.global_tensor(y_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    step = asctile.block_num()
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile), step, unroll_factor=unroll):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        y = asctile.copy_in(y_gm, [i * tile], [tile])
        asctile.copy_out((x + y) * x - y, out_gm, [i * tile])


@asctile.jit
def leaky_relu(x_ptr, slope, out_ptr, size: int, tile: asctile.ConstExpr[int], unroll: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    per_block = asctile.ceildiv(asctile.ceildiv(size, tile), asctile.block_num())
    first = asctile.block_idx() * per_block
    for i in asctile.range(first, first + per_block, unroll_factor=unroll):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        asctile.copy_out(asctile.where(x > 0, x, x * slope), out_gm, [i * tile])


@asctile.jit
def row_scale(
    x_ptr, scale_ptr, out_ptr, rows: int, cols: int, tile: asctile.ConstExpr[int], unroll: asctile.ConstExpr[int]
):
    x_gm = asctile.global_tensor(x_ptr, [rows, cols])
    scale_gm = asctile.global_tensor(scale_ptr, [rows, 1])
    out_gm = asctile.global_tensor(out_ptr, [rows, cols])
    step = asctile.block_num()
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(rows, 8), step, unroll_factor=unroll):
        scale = asctile.copy_in(scale_gm, [i * 8, 0], [8, 1])
        for j in asctile.range(asctile.ceildiv(cols, tile), unroll_factor=unroll):
            x = asctile.copy_in(x_gm, [i * 8, j * tile], [8, tile])
            asctile.copy_out(x * scale, out_gm, [i * 8, j * tile])


@asctile.jit
def running_sum(x_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], unroll: asctile.ConstExpr[int]):
    """Tiles and scalars carried around a loop, a branch on a run-time scalar, and a padded load."""
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [2 * tile + 8])
    total = asctile.full([tile], 0.0)
    previous = asctile.full([tile], 1.0)
    seen = 0
    for i in asctile.range(asctile.ceildiv(size, tile), unroll_factor=unroll):
        x = asctile.copy_in(x_gm, [i * tile], [tile], pad_value=0.5)
        if i % 3 == 1:
            total = total + x * 2.0
        else:
            total = total + previous
        previous, seen = x, seen + i
    asctile.copy_out(total, out_gm, [0])
    asctile.copy_out(previous, out_gm, [tile])
    asctile.copy_out(seen, out_gm, [2 * tile])


@asctile.jit
def through_memory(
    x_ptr,
    out_ptr,
    size: int,
    tile: asctile.ConstExpr[int],
    unroll: asctile.ConstExpr[int],
    barrier: asctile.ConstExpr[bool] = True,
):
    """Each iteration reads what the one before has written."""
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    first = asctile.copy_in(x_gm, [0], [tile])
    asctile.copy_out(first, out_gm, [0])
    for i in asctile.range(1, asctile.ceildiv(size, tile), unroll_factor=unroll, gm_barrier=barrier):
        before = asctile.copy_in(out_gm, [(i - 1) * tile], [tile])
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        asctile.copy_out(before + x, out_gm, [i * tile])


def array(seed: int, *shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def expected_sums(x: np.ndarray) -> np.ndarray:
    total, previous, seen = np.zeros(TILE, np.float32), np.ones(TILE, np.float32), 0
    padded = np.full(-(-x.size // TILE) * TILE, np.float32(0.5))
    padded[: x.size] = x
    for i, tile in enumerate(padded.reshape(-1, TILE)):
        total = total + tile * np.float32(2) if i % 3 == 1 else total + previous
        previous, seen = tile, seen + i
    return np.concatenate([total, previous, [seen], np.zeros(7)]).astype(np.float32)


def expected_through_memory(x: np.ndarray) -> np.ndarray:
    rows = x.reshape(-1, TILE)
    out = [rows[0]]
    for row in rows[1:]:
        out.append(out[-1] + row)
    return np.concatenate(out)


def launches(unroll: int) -> Iterator[tuple[Case, int, np.ndarray]]:
    """Case, index of the argument to look at, and what it must hold."""
    for size, blocks in ((1, 1), (TILE - 3, 2), (5 * TILE + 17, 2)):
        x, y = array(1, size), array(2, size)
        out = np.zeros_like(x)
        yield Case("vector_add", vector_add, (x, y, out, size, TILE, unroll), blocks), 2, x + y
        out = np.zeros_like(x)
        yield Case("fused_chain", fused_chain, (x, y, out, size, TILE, unroll), blocks), 2, (x + y) * x - y
        half = array(3, size, dtype=np.float16)
        out = np.zeros_like(half)
        expected = np.where(half > 0, half, half * np.float16(0.3))
        yield Case("leaky_relu", leaky_relu, (half, 0.3, out, size, TILE, unroll), blocks), 2, expected
        out = np.zeros(2 * TILE + 8, np.float32)
        yield Case("running_sum", running_sum, (x, out, size, TILE, unroll), 1), 1, expected_sums(x)
    for rows, cols in ((1, 1), (19, 2 * TILE + 5)):
        x, scale = array(4, rows, cols), array(5, rows, 1)
        out = np.zeros_like(x)
        yield Case("row_scale", row_scale, (x, scale, out, rows, cols, TILE, unroll), 2), 2, x * scale
    x = array(6, 7 * TILE)
    out = np.zeros_like(x)
    yield Case("through_memory", through_memory, (x, out, x.size, TILE, unroll), 1), 1, expected_through_memory(x)


@pytest.mark.parametrize("unroll", (1, 2, 3))
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_examples_in_every_style(architecture: str, unroll: int, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    expectations = []
    for style, static in STYLES.items():
        for reuse in (0, 1, 2):
            for case, index, expected in launches(unroll):
                case.options = {"static_alloc": static, "reuse_alloc": reuse}
                case.label += f" {style} reuse={reuse} size={case.args[index].shape}"
                batch.add(case)
                expectations.append((index, expected))
    batch.build()
    failures = []
    for at, (index, expected) in enumerate(expectations):
        case = batch.cases[at][0]
        try:
            batch.run(at)
        except Exception as error:  # noqa: BLE001 - all faults are listed
            failures.append(f"{case.label}: {error}")
            continue
        if not np.array_equal(case.args[index], expected):
            failures.append(f"{case.label}: differs at {np.argmax(case.args[index] != expected)}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_a_missing_gm_barrier_is_reported_with_both_lines(architecture: str, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    x = array(6, 7 * TILE)
    indices = [
        batch.add(Case("through_memory", through_memory, (x, np.zeros_like(x), x.size, TILE, unroll, False), 1))
        for unroll in (1, 2)
    ]
    batch.build()
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    load = next(n for n, line in enumerate(lines, 1) if "before = asctile.copy_in" in line)
    store = next(n for n, line in enumerate(lines, 1) if "asctile.copy_out(before + x" in line)
    for index in indices:
        with pytest.raises(DeviceFaultError) as caught:
            batch.run(index)
        message = str(caught.value)
        assert "race" in message and f":{load}:" in message and f"line {store}" in message, message
