"""Tiles of one element that go all over another tile: what makes them fills a block, if nothing else can come of it.

The checked build makes all memory undefined that no instruction has written, so that a block with other elements than
the one that counts is found.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects, in_all_modes

from pyasc_transpile import asctile
from pyasc_transpile.asctile import low_level as asc
from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

ROWS = 3
DTYPES = {"float32": np.float32, "float16": np.float16, "int32": np.int32}


@asctile.jit
def each_row(x_ptr, y_ptr, number, out_ptr, columns: asctile.ConstExpr[int], way: asctile.ConstExpr):
    x_gm = asctile.global_tensor(x_ptr, [3, columns])
    y_gm = asctile.global_tensor(y_ptr, [3, 1])
    out_gm = asctile.global_tensor(out_ptr, [3, columns])
    for row in asctile.range(3, unroll_factor=2):
        x = asctile.copy_in(x_gm, [row, 0], [1, columns])
        y = asctile.copy_in(y_gm, [row, 0], [1, 1])
        asctile.copy_out(way(x, y, number), out_gm, [row, 0])


def largest(x: Any) -> Any:
    return asctile.reduce_max(x, 1, keep_dims=True)


def smallest(x: Any) -> Any:
    return asctile.reduce_min(x, 1)


def total(x: Any) -> Any:
    return asctile.reduce_sum(x, 1, keep_dims=True)


def of_two(x: Any, y: Any, number: Any) -> Any:
    return x * (largest(x) - smallest(x) * 2) + largest(x)


def of_a_loaded_one(x: Any, y: Any, number: Any) -> Any:
    return x - (largest(x) + y)


def chosen(x: Any, y: Any, number: Any) -> Any:
    scale = largest(x)
    x = x - scale
    if number > 2:
        scale = y
    return x * scale


def carried(x: Any, y: Any, number: Any) -> Any:
    scale = largest(x)
    for _ in asctile.range(2):
        x = x - scale
        scale = scale + y
    return x * scale


def changed_by_hand(x: Any, y: Any, number: Any) -> Any:
    scale = largest(x)
    for _ in asctile.range(2):
        x = x - scale
        asc.adds(asctile.to_asc(scale), asctile.to_asc(scale), 3, 1)
    return x


def element(x: Any, y: Any, number: Any) -> Any:
    return x - asctile.copy(x - 1, [0, 0], [1, 1])


def spread_and_stored(x: Any, y: Any, number: Any) -> Any:
    few = asctile.broadcast_to(smallest(x), [1, 4])
    return x + asctile.broadcast_to(asctile.reduce_max(few * 2, 1, keep_dims=True), x.shape)


def lowest(x: np.ndarray) -> np.ndarray:
    return x.min(1, keepdims=True)


def highest(x: np.ndarray) -> np.ndarray:
    return x.max(1, keepdims=True)


WAYS: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
    (lambda x, y, number: x - total(x), lambda x, y, number: x - x.sum(1, keepdims=True)),
    (lambda x, y, number: x - (total(x) + number) * 2, lambda x, y, n: x - (x.sum(1, keepdims=True) + n) * 2),
    (lambda x, y, number: asctile.full_like(x, asctile.reduce_min(x)), lambda x, y, n: 0 * x + lowest(x)),
    (of_two, lambda x, y, number: x * (highest(x) - lowest(x) * 2) + highest(x)),
    (of_a_loaded_one, lambda x, y, number: x - (highest(x) + y)),
    (chosen, lambda x, y, number: (x - highest(x)) * y),
    (carried, lambda x, y, number: (x - highest(x) * 2 - y) * (highest(x) + 2 * y)),
    (changed_by_hand, lambda x, y, number: x - highest(x) * 2 - 3),
    (element, lambda x, y, number: x - (x[:, :1] - 1)),
    (spread_and_stored, lambda x, y, number: x + lowest(x) * 2),
)  # fmt: skip


def cases(architecture: str, style: str) -> Iterator[Case]:
    rng = np.random.default_rng(5)
    for way, expect in WAYS:
        for name, dtype in DTYPES.items():
            for columns in (5, 200, 1024):
                x = rng.integers(-4, 5, (ROWS, columns)).astype(dtype)  # sums and products are exact
                y = rng.integers(-4, 5, (ROWS, 1)).astype(dtype)
                out, number = np.zeros_like(x), 3 if name == "int32" else np.float32(3)
                check = expects((out, expect(x, y, number).astype(dtype)))
                yield Case(f"{way.__name__} {name} {columns}", each_row, (x, y, number, out, columns, way), check=check)


@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
def test_elements_spread_over_a_tile(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_all_modes(cases, architecture))


def spread_sum(x: Any, y: Any, number: Any) -> Any:
    return asctile.full_like(x, asctile.reduce_sum(x))


def test_sums_have_one_order_whatever_instructions_make_them(tmp_path: Any) -> None:
    rng = np.random.default_rng(7)
    batch, found = Batch(tmp_path, "c220"), {}
    for columns in (8, 65, 200, 512, 513, 1001, 1024, 4096):
        x = (rng.standard_normal((ROWS, columns)) * 10 ** rng.uniform(-3, 3, (ROWS, columns))).astype(np.float32)
        for mode in (0, 2):
            out = found[columns, mode] = np.zeros_like(x)
            args = (x, np.zeros((ROWS, 1), np.float32), np.float32(0), out, columns, spread_sum)
            batch.add(Case(f"{columns} {mode}", each_row, args, options={"reuse_alloc": mode}))
    batch.build()
    for index in range(len(batch.cases)):
        batch.run(index)
    assert "BlockReduceSum" in batch.cases[-2][1].source and "BlockReduceSum" not in batch.cases[-1][1].source
    different = [columns for columns, mode in found if (found[columns, 0] != found[columns, 2]).any()]
    assert not different, different


@asctile.jit
def layer_norm(x_ptr, weights_ptr, out_ptr, rows: int, eps: float, columns: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [rows, columns])
    weights_gm = asctile.global_tensor(weights_ptr, [2, columns])
    out_gm = asctile.global_tensor(out_ptr, [rows, columns])
    weight = asctile.copy_in(weights_gm, [0, 0], [1, columns])
    bias = asctile.copy_in(weights_gm, [1, 0], [1, columns])
    for row in asctile.range(rows, unroll_factor=2):
        x = asctile.copy_in(x_gm, [row, 0], [1, columns])
        mean = total(x) / columns
        square = total(x * x) / columns
        scale = asctile.rsqrt(square - mean * mean + eps)
        asctile.copy_out((x - mean) * scale * weight + bias, out_gm, [row, 0])


@pytest.mark.parametrize("style", (False, True))
def test_a_norm_has_no_more_barriers_than_its_longest_chain(style: bool) -> None:
    x = np.zeros((4, 1024), np.float32)
    bound = layer_norm.bind((x, x[:2], np.zeros_like(x), 4, 1e-5, 1024), {})
    options = layer_norm.options.merged({"static_alloc": style})
    source = transpile(layer_norm, signature_of(bound), find_platform(PLATFORMS["c220"]), options).source
    loop = source[source.index("for (") :]
    # square, three steps of its sum, mean, variance, epsilon, root, quotient; times scale, weight, plus bias
    assert loop.count("PipeBarrier<PIPE_V>") == 11, source
    assert "Brcb" not in source
