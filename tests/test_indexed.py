"""gather, scatter and atomics: element types x shapes x architectures x memory styles, on the checked CPU build,
against NumPy; and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import Batch, Case, expects, in_styles
from tests.support.refusals import check_rules

from pyasc_transpile import asctile

DTYPES = {
    name: np.dtype(getattr(ml_dtypes, name, name))
    for name in ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
}


@asctile.jit
def gather_rows(
    x_ptr, index_ptr, out_ptr, n: int, start: int, count: int, inner: asctile.ConstExpr, size: asctile.ConstExpr[int],
    pad: asctile.ConstExpr, counted: asctile.ConstExpr[bool],
):  # fmt: skip
    index = asctile.copy_in(asctile.global_tensor(index_ptr, [size]), [0], [size])
    x_gm = asctile.global_tensor(x_ptr, [n, *inner])
    found = asctile.gather(x_gm, [start], 0, index, num_indices=count if counted else None, pad_value=pad)
    asctile.copy_out(found, asctile.global_tensor(out_ptr, found.shape), [0] * found.rank)


@asctile.jit
def gather_middle(
    x_ptr, index_ptr, out_ptr, n: int, first: int, size: asctile.ConstExpr[int], known: asctile.ConstExpr
):
    index = asctile.copy_in(asctile.global_tensor(index_ptr, [size]), [0], [size])
    x_gm = asctile.global_tensor(x_ptr, [4, n, 24])
    found = asctile.gather(x_gm, [first, 1], 1, index, check_bounds=False, num_indices=known)
    asctile.copy_out(found + 1, asctile.global_tensor(out_ptr, [size, 24]), [0, 0])


@asctile.jit
def scatter_rows(
    x_ptr, index_ptr, out_ptr, n: int, start: int, count: int, inner: asctile.ConstExpr, row: asctile.ConstExpr,
    size: asctile.ConstExpr[int], counted: asctile.ConstExpr[bool],
):  # fmt: skip
    index = asctile.copy_in(asctile.global_tensor(index_ptr, [size]), [0], [size])
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size, *row]), [0] * (1 + len(row)), [size, *row])
    out_gm = asctile.global_tensor(out_ptr, [n, *inner])
    stored = x if x.dtype == asctile.int8 or x.dtype == asctile.int64 else x + 0
    asctile.scatter(stored, 0, index, out_gm, [start], num_indices=count if counted else None)


@asctile.jit
def scatter_middle(x_ptr, index_ptr, out_ptr, first: int, size: asctile.ConstExpr[int]):
    index = asctile.copy_in(asctile.global_tensor(index_ptr, [size]), [0], [size])
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size, 8]), [0, 0], [size, 8])
    for plane in asctile.range(2):
        asctile.scatter(x, 1, index, asctile.global_tensor(out_ptr, [3, 9, 8]), [first + plane, 0])


def gathered(x: np.ndarray, index: np.ndarray, start: int, count: int, pad: Any, tail: int) -> np.ndarray:
    out = np.full((len(index), *x.shape[1:-1], x.shape[-1] + tail), pad, x.dtype)
    for row, chosen in enumerate(index[:count]):
        if 0 <= int(chosen) < len(x) - start:
            out[row, ..., : x.shape[-1]] = x[start + int(chosen)]
    return out


def scattered(x: np.ndarray, index: np.ndarray, start: int, count: int, out: np.ndarray) -> np.ndarray:
    width = min(x.shape[-1], out.shape[-1])
    out = out.copy()
    for row, chosen in enumerate(index[:count]):
        if 0 <= int(chosen) < len(out) - start:
            out[start + int(chosen), ..., :width] = x[row, ..., :width]
    return out


def numbers(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-120, 120, shape).astype(np.float32).astype(DTYPES[dtype])


def indices(dtype: str, size: int, limit: int, seed: int) -> np.ndarray:
    """Indices with duplicates, negative ones and some too large."""
    index = np.random.default_rng(seed).integers(-2, limit + 3, size)
    index[-1] = index[0] = limit - 1
    return index.astype(dtype)


def indexed_cases(architecture: str, style: str) -> list[Case]:
    cases = []

    def add(label: str, kernel: Any, args: Any, wanted: np.ndarray) -> None:
        cases.append(Case(label, kernel, args, check=expects((args[2], wanted))))

    forms = (
        ("float32", "int32", (5,), 9, 0, 9), ("float32", "int64", (16,), 9, 2, 4),
        ("float16", "int16", (13,), 20, 1, 0), ("bfloat16", "int32", (2, 3), 7, 0, 7),
        ("int8", "int8", (40,), 11, 3, 8), ("int32", "int32", (3, 2, 8), 5, 0, 99),
        ("int16", "int32", (21,), 8, 1, 5), ("int64", "int32", (6,), 10, 0, 7),
    )  # fmt: skip
    for seed, (dtype, index_dtype, inner, size, start, count) in enumerate(forms):
        x = numbers(dtype, (17, *inner), seed)
        index = indices(index_dtype, size, 17 - start, seed)
        tail = -inner[-1] % (32 // x.itemsize)
        pad = 0 if dtype in ("int8", "int64") else 3
        for counted in (False, True):
            limit = count if counted else size
            expected = gathered(x, index, start, limit, pad, tail)
            args = (x, index, np.zeros_like(expected), 17, start, count, inner, size, pad, counted)
            add(f"gather {dtype} {inner} {counted}", gather_rows, args, expected)
            row = (*inner[:-1], inner[-1] + 3 - seed % 6)
            y, old = numbers(dtype, (size, *row), seed + 20), numbers(dtype, (17, *inner), seed + 40)
            expected = scattered(y, index, start, limit, old)
            args = (y, index, old, 17, start, count, inner, row, size, counted)
            add(f"scatter {dtype} {inner} {counted}", scatter_rows, args, expected)
    x = numbers("float32", (4, 10, 24), 90)
    index = np.array([3, 0, 8, 3, 5], np.int32)
    for known in (None, 3, 0):
        expected = np.ones((5, 24), np.float32)
        limit = 5 if known is None else known
        expected[:limit] = x[2, 1 + index[:limit]] + 1
        args = (x, index, np.zeros_like(expected), 10, 2, 5, known)
        add(f"gather middle {known}", gather_middle, args, expected)
    y, old = numbers("float32", (5, 8), 91), numbers("float32", (3, 9, 8), 92)
    expected = old.copy()
    expected[1:, index] = y
    add("scatter middle", scatter_middle, (y, index, old, 1, 5), expected)
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_gather_and_scatter(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(indexed_cases, architecture))


# --- atomics ----------------------------------------------------------------------------------------------------------


@asctile.jit
def update(x_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], operation: asctile.ConstExpr):
    """Every block combines its part of x with the same elements of out; plain stores around it stay plain."""
    out_gm = asctile.global_tensor(out_ptr, [size])
    x_gm = asctile.global_tensor(x_ptr, [asctile.block_num(), size])
    for i in asctile.range(asctile.ceildiv(size, tile)):
        x = asctile.copy_in(x_gm, [asctile.block_idx(), i * tile], [1, tile])
        operation(x.ravel(), out_gm, [i * tile])
        asctile.copy_out(x, x_gm, [asctile.block_idx(), i * tile])


@asctile.jit
def update_matrix(x_ptr, out_ptr, row: int, column: int, tile: asctile.ConstExpr, operation: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, tile), [0, 0], tile)
    operation(x, asctile.global_tensor(out_ptr, [9, 11]), [row, column])
    operation(x, asctile.global_tensor(out_ptr, [9, 11]), [row, column])


OPERATIONS = {
    "add": (asctile.atomic_add, np.add),
    "max": (asctile.atomic_max, np.maximum),
    "min": (asctile.atomic_min, np.minimum),
}


def atomic_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    for seed, dtype in enumerate(("int16", "int32", "float16", "bfloat16", "float32")):
        for name, (operation, combine) in OPERATIONS.items():
            x = (numbers(dtype, (4, 45), seed) // 16).astype(DTYPES[dtype])
            out = (numbers(dtype, (45,), seed + 9) // 16).astype(DTYPES[dtype])
            expected = combine.reduce([out, *x])
            check = expects((out, expected.astype(out.dtype)))
            cases.append(Case(f"{name} {dtype}", update, (x, out, 45, 16, operation), 4, check=check))
    for name, (operation, combine) in OPERATIONS.items():
        for tile, row, column in (((1, 1), 8, 10), ((3, 1), 7, 4), ((4, 5), 2, 3), ((4, 8), 6, 8), ((2, 2), 9, 0)):
            x = numbers("float32", tile, 3)
            out = numbers("float32", (9, 11), 4)
            expected = out.copy()
            part = expected[row : row + tile[0], column : column + tile[1]]
            inner = x[: part.shape[0], : part.shape[1]]
            part[:] = combine(combine(part, inner), inner)
            args = (x, out, row, column, tile, operation)
            cases.append(Case(f"{name} {tile}", update_matrix, args, check=expects((out, expected))))
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_atomics(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(atomic_cases, architecture))


# --- what is refused --------------------------------------------------------------------------------------------------

RULES = (
    ("asctile.gather(x, [0], 0, y)", TypeError, "src must be a global tensor"),
    ("asctile.gather(g, [0], 0, x)", RuntimeError, "the index does not take tiles of float32"),
    ("asctile.gather(g, [0], 0, y.reshape(4, 4))", ValueError, "index must have one dimension, not 2"),
    ("asctile.gather(g, [0, 0], 0, y)", ValueError, "offsets has 2 items, but dim is 0, so it needs 1"),
    ("asctile.gather(g, [0, 0], 1, y)", NotImplementedError, "dim must not be the last dimension"),
    ("asctile.gather(g, [0], 2, y)", ValueError, "dim is 2, but the tensor has dimensions 0 to 1"),
    ("asctile.gather(g, [0], -1, y)", ValueError, "dim is -1"),
    ("asctile.gather(g, [0], n, y)", TypeError, "dim must be an int"),
    ("asctile.gather(g, [-1], 0, y)", RuntimeError, "offsets must not be negative"),
    ("asctile.gather(g, [0], 0, y, num_indices=17)", RuntimeError, "num_indices is 17, but there are 16 indices"),
    ("asctile.gather(g, [0], 0, y, num_indices=1.5)", TypeError, "num_indices"),
    ("asctile.gather(g, [0], 0, y, pad_value='a')", TypeError, "pad_value must be a number"),
    (
        "asctile.gather(asctile.global_tensor(p, [4, n]), [0], 0, y)",
        ValueError,
        "extent 1 of the global tensor is known only",
    ),
    ("asctile.scatter(1, 0, y, g, [0])", TypeError, "src must be a tile"),
    ("asctile.scatter(x, 0, y, g, [0])", RuntimeError, "src has 4 rows for 16 indices"),
    ("asctile.scatter(y, 0, y, g, [0])", ValueError, "src is a tile of int32, but dst a global tensor of float32"),
    ("asctile.scatter(x.ravel(), 0, y, g, [0])", ValueError, "src must have 2 dimensions"),
    (
        "asctile.scatter(x.reshape(4, 2, 4), 0, y, asctile.global_tensor(p, [4, 3, 4]), [0])",
        ValueError,
        "src has rows of (2, 4), but dst of (3, 4)",
    ),
    ("asctile.atomic_add(1.0, g, [0, 0])", TypeError, "src must be a tile, not float 1.0"),
    ("asctile.atomic_add(x, x, [0, 0])", TypeError, "dst must be a global tensor"),
    ("asctile.atomic_max(x, g, [0])", ValueError, "offsets has 1 items, but the tensor has 2 dimensions"),
    ("asctile.atomic_min(x, g, [0, 0, 0])", ValueError, "offsets has 3 items"),
    ("asctile.atomic_add(x, h, [0])", RuntimeError, "atomic_add of a tile of float32 to a global tensor of int32"),
    ("asctile.atomic_add(y, h, [-1])", RuntimeError, "offsets must not be negative"),
    ("asctile.atomic_add(y.reshape(4, 4), h, [0])", RuntimeError, "atomic_add of a tile of 2 dimensions"),
    (
        "asctile.atomic_add(asctile.full([8], 1, asctile.int8), h, [0])",
        RuntimeError,
        "atomic_add does not take tiles of int8",
    ),
)


@pytest.mark.parametrize("code, error, message", RULES, ids=[rule[0] for rule in RULES])
def test_what_is_refused(code: str, error: type, message: str, tmp_path: Path) -> None:
    check_rules(tmp_path, code, error, message)
