"""The example kernels x architecture x memory style x unroll factor x reuse mode, with sizes that do not divide.

All of it runs on the checked build: a flag that is missing, doubled or left over is a failure here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
from tests.support.batch import Batch, Case, expects, in_all_modes

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


def launches(unroll: int) -> Iterator[Case]:
    """The kernels with sizes that do not divide; unroll factors from 1 on."""

    def launch(kernel: Any, operands: tuple[Any, ...], numbers: tuple[int, ...], wanted: Any, blocks: int = 1) -> Case:
        out = np.zeros_like(wanted)
        args = (*operands, out, *numbers, TILE, unroll)
        return Case(f"{kernel.function.__name__} {numbers}", kernel, args, blocks, check=expects((out, wanted)))

    for size, blocks in ((1, 1), (TILE - 3, 2), (5 * TILE + 17, 2)):
        x, y = array(1, size), array(2, size)
        yield launch(vector_add, (x, y), (size,), x + y, blocks)
        yield launch(fused_chain, (x, y), (size,), (x + y) * x - y, blocks)
        half = array(3, size, dtype=np.float16)
        yield launch(leaky_relu, (half, 0.3), (size,), np.where(half > 0, half, half * np.float16(0.3)), blocks)
        yield launch(running_sum, (x,), (size,), expected_sums(x))
    for rows, cols in ((1, 1), (19, 2 * TILE + 5)):
        x, scale = array(4, rows, cols), array(5, rows, 1)
        yield launch(row_scale, (x, scale), (rows, cols), x * scale, 2)
    x = array(6, 7 * TILE)
    yield launch(through_memory, (x,), (x.size,), expected_through_memory(x))


@pytest.mark.parametrize("unroll", (1, 2, 3))
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_examples_in_every_style(architecture: str, unroll: int, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_all_modes(lambda *_: launches(unroll), architecture))


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
