"""Copies between global memory and tiles: ranks x widths x offsets x element types x architectures x memory styles, on
the checked CPU build, against NumPy; and what they refuse."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Optional, Sequence

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects, in_styles
from tests.support.refusals import check_rules

from pyasc_transpile import asctile
from pyasc_transpile.frontend.signature import parse_signature, signature_of
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

DTYPES = {
    name: np.dtype(getattr(ml_dtypes, name, name))
    for name in ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
}


@asctile.jit
def dynamic_box(
    x_ptr, out_ptr, back_ptr, n0: int, n1: int, n2: int, n3: int, o0: int, o1: int, o2: int, o3: int,
    tile: asctile.ConstExpr, pad: asctile.ConstExpr,
):  # fmt: skip
    rank = len(tile)
    shape, offsets = [n0, n1, n2, n3][:rank], [o0, o1, o2, o3][:rank]
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), offsets, tile, pad_value=pad)
    asctile.copy_out(x, asctile.global_tensor(out_ptr, tile), [0] * rank)
    asctile.copy_out(x, asctile.global_tensor(back_ptr, shape), offsets)


@asctile.jit
def static_box(
    x_ptr, out_ptr, back_ptr, shape: asctile.ConstExpr, offsets: asctile.ConstExpr, tile: asctile.ConstExpr,
    pad: asctile.ConstExpr,
):  # fmt: skip
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), offsets, tile, pad_value=pad)
    asctile.copy_out(x, asctile.global_tensor(out_ptr, tile), [0] * len(tile))
    asctile.copy_out(x, asctile.global_tensor(back_ptr, shape), offsets)


@asctile.jit
def real_box(
    x_ptr, out_ptr, back_ptr, n0: int, n1: int, r0: int, r1: int, tile: asctile.ConstExpr, known: asctile.ConstExpr
):
    real = [r0, r1] if known is None else known
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [n0, n1]), [0, 0], tile, real_shape=real)
    asctile.copy_out(x, asctile.global_tensor(out_ptr, tile), [0, 0])
    asctile.copy_out(x, asctile.global_tensor(back_ptr, [n0, n1]), [0, 0], real_shape=real)


def inside(offsets: Sequence[int], tile: Sequence[int], shape: Sequence[int]) -> tuple[Any, Any]:
    """Slices of the part of a box that lies in the tensor: in the tensor and in the tile."""
    counts = [max(min(n - o, t), 0) for o, t, n in zip(offsets, tile, shape)]
    return tuple(slice(o, o + c) for o, c in zip(offsets, counts)), tuple(slice(0, c) for c in counts)


def moved(x: np.ndarray, offsets: Sequence[int], tile: Sequence[int], pad: Any) -> tuple[np.ndarray, np.ndarray]:
    """The padded tile, and where it is stored again among elements of -1."""
    there, here = inside(offsets, tile, x.shape)
    loaded = np.full(tile, pad, x.dtype)
    loaded[here] = x[there]
    back = np.full(x.shape, -1, x.dtype)
    back[there] = loaded[here]
    return loaded, back


def numbers(dtype: np.dtype, shape: Sequence[int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-120, 120, tuple(shape)).astype(np.float32).astype(dtype)


# tile, tensor and offsets of every kind: rows of whole blocks or not, wider, narrower or equal, inside, across the end
# and beyond it.
WIDTHS = ((1, 8, 13, 16), (1, 8, 13, 16, 21))


def boxes(rank: int) -> list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """(tile, tensor shape, offsets)."""
    found = []
    outer = {1: ((), ()), 2: ((3,), (5,)), 3: ((2, 3), (3, 4)), 4: ((2, 1, 3), (3, 2, 4))}[rank]
    for position, (width, length) in enumerate(itertools.product(*WIDTHS)):
        for last in {0, min(3, length - 1), max(length - width, 0), length, length + 40}:
            lead = tuple((position + last + k) % (n + 1) for k, n in enumerate(outer[1]))
            found.append(((*outer[0], width), (*outer[1], length), (*lead, last)))
    return found


def case_of(
    kernel: Any,
    dtype: str,
    tile: tuple[int, ...],
    shape: tuple[int, ...],
    offsets: tuple[int, ...],
    pad: Any,
    seed: int,
) -> Case:
    x = numbers(DTYPES[dtype], shape, seed)
    out, back = np.full(tile, 99, x.dtype), np.full(shape, -1, x.dtype)
    label = f"{dtype} {tile} of {shape} at {offsets}"
    if kernel is static_box:
        args: tuple[Any, ...] = (x, out, back, shape, offsets, tile, pad)
    else:
        fill = (0,) * (4 - len(tile))
        args = (x, out, back, *shape, *fill, *offsets, *fill, tile, pad)
    return Case(label, kernel, args, check=expects(*zip((out, back), moved(x, offsets, tile, pad))))


def boxes_of_every_rank(architecture: str, style: str) -> list[Case]:
    cases = []
    wide, narrow = ("float32", "int16") if style == "static" else ("int32", "bfloat16")
    for rank, dtypes in ((1, (narrow,)), (2, (wide, narrow)), (3, (wide,)), (4, (narrow,))):
        for dtype in dtypes:
            for seed, (tile, shape, offsets) in enumerate(boxes(rank)):
                cases.append(case_of(dynamic_box, dtype, tile, shape, offsets, 7, seed))
    return cases


STATIC = (
    ((4, 8), (4, 8), (0, 0)),  # all of it, in one run
    ((4, 8), (9, 8), (5, 0)),  # full rows
    ((4, 8), (9, 8), (7, 0)),  # full rows across the end
    ((4, 8), (9, 24), (1, 8)),
    ((4, 8), (9, 21), (5, 13)),
    ((3, 5), (7, 5), (2, 0)),
    ((3, 5), (7, 5), (5, 0)),
    ((3, 1), (7, 9), (2, 4)),
    ((3, 1), (7, 1), (2, 0)),
    ((2, 3, 8), (4, 3, 8), (1, 0, 0)),
    ((2, 3, 8), (4, 5, 8), (1, 1, 0)),
    ((2, 3, 5), (4, 5, 9), (3, 4, 2)),
    ((2, 2, 3, 4), (3, 2, 3, 4), (2, 0, 0, 0)),
    ((2, 2, 3, 4), (3, 4, 5, 6), (0, 3, 2, 1)),
    ((2, 1, 2, 3, 4), (3, 3, 4, 4, 9), (1, 2, 3, 2, 3)),
    ((3, 2, 2, 3, 8), (3, 4, 3, 3, 8), (1, 1, 1, 0, 0)),
    ((16,), (40,), (32,)),
    ((16,), (40,), (56,)),
)


def boxes_known_at_compile_time(architecture: str, style: str) -> list[Case]:
    dtypes = ("int8", "float32") if style == "static" else ("float16", "int64")
    cases = []
    for seed, (tile, shape, offsets) in enumerate(STATIC):
        dtype = dtypes[(seed + (architecture == "c310")) % 2]
        pad = 0 if dtype in ("int64", "int8") else 3
        cases.append(case_of(static_box, dtype, tile, shape, offsets, pad, seed))
    return cases


def real_shapes(architecture: str, style: str) -> list[Case]:
    cases = []
    for seed, (tile, shape, real) in enumerate(
        itertools.product(((4, 8), (4, 13)), ((6, 21), (3, 8), (9, 13)), ((1, 1), (3, 5), (4, 8), (2, 8)))
    ):
        for known in (None, real):
            x = numbers(DTYPES["float32"], shape, seed)
            out, back = np.full(tile, 99, x.dtype), np.full(shape, -1, x.dtype)
            limited = tuple(min(r, n) for r, n in zip(real, shape))
            part, stored = moved(x, (0, 0), limited, 0)
            loaded = np.zeros(tile, x.dtype)
            loaded[: limited[0], : limited[1]] = part
            args = (x, out, back, *shape, *real, tile, known)
            check = expects((out, loaded), (back, stored))
            cases.append(Case(f"{tile} {shape} {real} {known}", real_box, args, check=check))
    return cases


@asctile.jit
def columns(x_ptr, out_ptr, rows: int, cols: int, tile: asctile.ConstExpr[int]):
    """A column taken from, and put row by row into, a wider matrix."""
    x_gm = asctile.global_tensor(x_ptr, [rows, cols])
    out_gm = asctile.global_tensor(out_ptr, [rows, cols])
    for i in asctile.range(asctile.ceildiv(rows, tile)):
        for j in asctile.range(cols):
            column = asctile.copy_in(x_gm, [i * tile, j], [tile, 1])
            asctile.copy_out(column * 2, out_gm, [i * tile, cols - 1 - j])


@asctile.jit
def many_rows(x_ptr, out_ptr, rows: int, tile: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [rows, tile[1]]), [1, 0], tile, pad_value=5)
    asctile.copy_out(x, asctile.global_tensor(out_ptr, tile), [0, 0])


def columns_and_many_rows(architecture: str, style: str) -> list[Case]:
    x, out = numbers(DTYPES["float32"], (21, 7), 1), np.zeros((21, 7), np.float32)
    cases = [Case("columns", columns, (x, out, 21, 7, 8), check=expects((out, (x * 2)[:, ::-1])))]
    for tile, rows in (((4200, 1), 4190), ((4200, 1), 4500), ((4200, 8), 4196), ((5, 8), 0)):
        y = numbers(DTYPES["int16"], (max(rows, 1), tile[1]), 2)
        expected = np.full(tile, 5, y.dtype)
        there = y[1:rows][: tile[0]]
        expected[: len(there)] = there
        out = np.zeros(tile, y.dtype)
        cases.append(Case(f"{tile} {rows}", many_rows, (y, out, rows, tile), check=expects((out, expected))))
    return cases


TABLES = (boxes_of_every_rank, boxes_known_at_compile_time, real_shapes, columns_and_many_rows)


@pytest.mark.parametrize("architecture", ("c310", "c220"))
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_boxes(table: Any, architecture: str, tmp_path: Path) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(table, architecture))


def loads_of(kernel: Any, signature: str, platform: str = "Ascend950PR_9599") -> Optional[str]:
    made = transpile(kernel, parse_signature(kernel, signature), find_platform(platform), kernel.options)
    return made.source


def test_full_rows_are_one_run() -> None:
    text = loads_of(
        static_box, "x_ptr: *f32, out_ptr: *f32, back_ptr: *f32, shape=(9, 8), offsets=(5, 0), tile=(4, 8), pad=None"
    )
    assert text is not None and "DataCopyExtParams block_in{1, 32 * sizeof(float), 0, 0, 0}" in text


@asctile.jit
def beyond_the_end(x_ptr, out_ptr):
    x, out = asctile.global_tensor(x_ptr, [100]), asctile.global_tensor(out_ptr, [100])
    for i in asctile.static_range(4):
        asctile.copy_out(asctile.copy_in(x, [i * 64], [64]) + i, out, [i * 64])
    padding = asctile.copy_in(x, [100], [32], pad_value=4)
    asctile.atomic_add(padding, out, [104])
    asctile.atomic_max(padding, out, [20])


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_nothing_is_written_for_what_is_beyond_the_end(architecture: str, tmp_path: Path) -> None:
    def cases(architecture: str, style: str) -> list[Case]:
        x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        expected = x + (x >= 64)
        expected[20:52] = np.maximum(expected[20:52], 4)
        return [Case("beyond the end", beyond_the_end, (x, out), check=expects((out, expected)))]

    batch = Batch(tmp_path, architecture)
    batch.run_all(in_styles(cases, architecture))
    for _, made, _ in batch.cases:
        assert made.source.count("DataCopyPad(") == 5 and made.source.count("Adds(") <= 2
        assert not any(text in made.source for text in ("SetAtomicAdd", "0 >", "0 <", "if ("))


RULES = (
    ("asctile.copy_in(1, [0], [8])", TypeError, "src must be a global tensor, not int 1"),
    ("asctile.copy_in(g, 3, [8, 8])", TypeError, "offsets must be a list or tuple"),
    ("asctile.copy_in(g, [], [8, 8])", RuntimeError, "offsets must not be empty"),
    ("asctile.copy_in(g, [0], [8, 8])", ValueError, "offsets has 1 items, but the tensor has 2 dimensions"),
    ("asctile.copy_in(g, [0, f], [8, 8])", TypeError, "offsets[1]"),
    ("asctile.copy_in(g, [0, -8], [8, 8])", RuntimeError, "offsets[1] is -8; offsets must not be negative"),
    ("asctile.copy_in(g, [0, 0], [64])", RuntimeError, "a tile of 1 dimensions cannot be loaded"),
    ("asctile.copy_in(g, [0, 0], [n, 8])", TypeError, "shape[0] is known only at run time"),
    ("asctile.copy_in(g, [0, 0], [0, 8])", RuntimeError, "shape[0] must be positive, not 0"),
    ("asctile.copy_in(g, [0, 0], [8, 8], 'L9')", ValueError, "unknown location 'L9'"),
    ("asctile.copy_in(g, [0, 0], [8, 8], None)", TypeError, "location must be a TensorLocation"),
    (
        "asctile.copy_in(g, [0, 0], [8, 8], real_shape=[9, 8])",
        RuntimeError,
        "real_shape[0] is 9, but must be from 1 to",
    ),
    (
        "asctile.copy_in(g, [0, 0], [8, 8], real_shape=[4, 0])",
        RuntimeError,
        "real_shape[1] is 0, but must be from 1 to",
    ),
    ("asctile.copy_in(g, [0, 0], [8, 8], real_shape=[-1, 8])", RuntimeError, "real_shape[0] is -1"),
    ("asctile.copy_in(g, [0, 0], [8, 8], real_shape=[4])", ValueError, "real_shape has 1 items"),
    ("asctile.copy_in(h, [0], [8], pad_value=1.5)", TypeError, "pad_value is 1.5, a float, but int32 is wanted"),
    ("asctile.copy_in(g, [0, 0], real_shape=[1, 1])", RuntimeError, "have no meaning for the load of one element"),
    ("asctile.copy_out(x, g, [0])", ValueError, "offsets has 1 items, but the tensor has 2 dimensions"),
    ("asctile.copy_out(x, h, [0])", RuntimeError, "a tile of float32 cannot be stored to a global tensor of int32"),
    ("asctile.copy_out(y, g, [0, 0])", RuntimeError, "a tile of int32 cannot be stored"),
    ("asctile.copy_out(y.reshape(4, 4), h, [0])", RuntimeError, "a tile of 2 dimensions cannot be stored"),
    ("asctile.copy_out('a', h, [0])", TypeError, "src must be a tile, a number or a scalar"),
    (
        "asctile.copy_out(1, h, [0], real_shape=[1])",
        RuntimeError,
        "real_shape has no meaning for the store of one element",
    ),
    ("asctile.global_tensor(1, [3])", TypeError, "base must be an address"),
    ("asctile.global_tensor(p, [])", RuntimeError, "shape must have at least one dimension"),
    ("asctile.global_tensor(p, [-1])", RuntimeError, "shape[0] must not be negative, but is -1"),
    ("asctile.global_tensor(p, 5)", TypeError, "shape must be a list or tuple of extents"),
    ("asctile.global_tensor(p, [5], 1)", TypeError, "l2_cache must be a bool"),
)


@pytest.mark.parametrize("code, error, message", RULES, ids=[rule[0] for rule in RULES])
def test_what_is_refused(code: str, error: type, message: str, tmp_path: Path) -> None:
    check_rules(tmp_path, code, error, message)


def test_the_copy_engine_of_c310_loops_itself() -> None:
    texts = {}
    for architecture, soc in PLATFORMS.items():
        args = (*[np.zeros(1, np.float32)] * 3, (4, 5, 9), (0, 1, 0), (2, 3, 8), 0)
        signature = signature_of(static_box.bind(args, {}))
        texts[architecture] = transpile(static_box, signature, find_platform(soc), static_box.options).source
    assert "SetLoopModePara(loops_in, DataCopyMVType::OUT_TO_UB);" in texts["c310"]
    assert texts["c310"].count("ResetLoopModePara(") == texts["c310"].count(" SetLoopModePara(") > 0
    assert "for (" not in texts["c310"] and "for (" in texts["c220"]
