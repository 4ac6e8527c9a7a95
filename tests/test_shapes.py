"""Shape functions, copies inside of UB, concat and empty: element types x shapes x architectures x memory styles, on
the checked CPU build, against NumPy; what they refuse; and that views cost nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import Batch, Case, expects, in_all_modes, in_styles
from tests.support.refusals import check_rules

from pyasc_transpile import asctile
from pyasc_transpile.frontend.signature import parse_signature, signature_of
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

DTYPES = {
    name: np.dtype(getattr(ml_dtypes, name, name))
    for name in ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
}


class Op:
    """A function of a tile and what it must give; hashable content for cache keys is its name."""

    def __init__(self, name: str, build: Callable[[Any], Any], expect: Callable[[Any], Any]) -> None:
        self.name, self.build, self.expect = name, build, expect

    def __call__(self, tile: Any) -> Any:
        return self.build(tile)

    def __repr__(self) -> str:
        return f"Op({self.name})"


@asctile.jit
def apply_all(x_ptr, out_ptr, shape: asctile.ConstExpr, ops: asctile.ConstExpr, starts: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), [0] * len(shape), shape)
    for op, start in zip(ops, starts):
        y = op(x)
        asctile.copy_out(y, asctile.global_tensor(out_ptr + start, y.shape), [0] * y.rank)


def reshape(*shape: int) -> Op:
    return Op(f"reshape{shape}", lambda x: x.reshape(*shape), lambda a: a.reshape(shape))


def transpose(*axes: int) -> Op:
    return Op(f"transpose{axes}", lambda x: x.transpose(*axes), lambda a: a.transpose(axes))


def part(offsets: tuple[int, ...], shape: tuple[int, ...]) -> Op:
    where = tuple(slice(start, start + extent) for start, extent in zip(offsets, shape))
    return Op(f"part{offsets}{shape}", lambda x: asctile.copy(x, list(offsets), shape), lambda a: a[where])


SWAP = Op("T", lambda x: x.T, lambda a: a.swapaxes(-1, -2))
TWICE = Op("T.T", lambda x: x.T.T, lambda a: a)
CONCAT = Op("concat", lambda x: asctile.concat(x, x, x), lambda a: np.concatenate([a, a, a]))

CASES: tuple[tuple[tuple[int, ...], tuple[Op, ...]], ...] = (
    (
        (8, 24),
        (
            reshape(24, 8), reshape(192), reshape(-1, 3), reshape(192, 1), reshape(1, 192), reshape(2, 4, 24),
            reshape(2, 2, 2, 24), reshape(7 + 9, 12), SWAP, TWICE, transpose(1, 0), transpose(-1, -2), CONCAT,
            part((2, 0), (3, 24)), part((0, 8), (8, 16)), part((1, 3), (5, 7)), part((5, 1), (1, 20)),
            part((5, 16), (1, 8)),
            Op("ravel", lambda x: x.ravel(), np.ravel),
            Op("expand_dims0", lambda x: x.expand_dims(0), lambda a: np.expand_dims(a, 0)),
            Op("expand_dims-1", lambda x: x.expand_dims(-1), lambda a: np.expand_dims(a, -1)),
            Op("expand_dims02", lambda x: asctile.expand_dims(x, (0, 2)), lambda a: np.expand_dims(a, (0, 2))),
        ),
    ),
    (
        (5, 13),
        (
            reshape(13, 5), reshape(65), reshape(65, 1), reshape(1, 65), SWAP, TWICE, CONCAT, part((1, 0), (3, 13)),
            part((0, 2), (5, 3)), part((4, 4), (1, 9)), part((0, 0), (5, 1)),
        ),
    ),
    (
        (70, 1),
        (
            reshape(70), reshape(1, 70), reshape(7, 10), reshape(10, 7), SWAP, CONCAT, part((3, 0), (9, 1)),
            Op("squeeze", lambda x: x.squeeze(), np.squeeze),
            Op("squeeze-1", lambda x: x.squeeze(-1), lambda a: a.squeeze(-1)),
        ),
    ),
    (
        (77,),
        (
            reshape(7, 11), reshape(77, 1), reshape(1, 77), reshape(1, 1, 77), reshape(11, 7, 1), CONCAT,
            part((8,), (32,)), part((3,), (30,)), part((32,), (45,)), part((76,), (1,)),
            Op("copy", lambda x: asctile.copy(x), lambda a: a),
            Op("to", lambda x: x.to("UB"), lambda a: a),
        ),
    ),
    (
        (3, 5, 8),
        (
            transpose(0, 2, 1), transpose(1, 0, 2), transpose(2, 1, 0), transpose(2, 0, 1), transpose(1, 2, 0), SWAP,
            reshape(15, 8), reshape(3, 40), reshape(120), reshape(8, 15), CONCAT, part((1, 0, 0), (2, 5, 8)),
            part((1, 2, 0), (2, 3, 8)), part((0, 1, 3), (3, 4, 5)),
        ),
    ),
    (
        (1, 6, 40),
        (transpose(1, 0, 2), transpose(0, 2, 1), Op("squeeze0", lambda x: x.squeeze(0), lambda a: a[0])),
    ),
    (
        (2, 3, 4, 5),
        (
            transpose(3, 2, 1, 0), transpose(0, 2, 1, 3), transpose(1, 0, 3, 2), transpose(-1, 0, 1, 2), reshape(6, 20),
            reshape(120), reshape(5, 4, 3, 2), CONCAT, part((1, 0, 1, 1), (1, 2, 3, 4)),
        ),
    ),
)  # fmt: skip


def numbers(dtype: np.dtype, shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-120, 120, shape).astype(np.float32).astype(dtype)


def same_bits(out: np.ndarray, wanted: np.ndarray) -> Callable[[], list[str]]:
    return expects((out.view(np.uint8), np.ascontiguousarray(wanted).ravel().view(np.uint8)))


def applied(x: np.ndarray, ops: tuple[Op, ...]) -> Case:
    """All of ``ops`` applied to ``x``, the results one after the other."""
    results = [op.expect(x) for op in ops]
    starts = tuple(int(n) for n in np.cumsum([0, *(result.size for result in results)]))
    out = np.zeros(starts[-1], x.dtype)
    check = same_bits(out, np.concatenate([result.ravel() for result in results]))
    return Case(f"{x.shape} {x.dtype}", apply_all, (x, out, x.shape, ops, starts[:-1]), check=check)


# By size: c220 gathers words of 16 and 32 bits, and bytes and 64-bit elements by way of them.
TYPES = {
    ("c310", "static"): ("int8", "float32"),
    ("c310", "pipe"): ("bfloat16", "int64"),
    ("c220", "static"): ("float16", "int32", "int64"),
    ("c220", "pipe"): ("int8", "int16"),
}


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    others = set(DTYPES).difference(TYPES[architecture, "static"], TYPES[architecture, "pipe"])
    chosen = [(dtype, CASES) for dtype in TYPES[architecture, style]]
    chosen += [(dtype, CASES[1:2]) for dtype in sorted(others) if style == "static"]
    for dtype, forms in chosen:
        for seed, (shape, ops) in enumerate(forms):
            cases.append(applied(numbers(DTYPES[dtype], shape, seed), ops))
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_every_shape_function(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))


# --- other forms ------------------------------------------------------------------------------------------------------


@asctile.jit
def dynamic_parts(x_ptr, out_ptr, row: int, column: int):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [16, 24]), [0, 0], [16, 24])
    rows = asctile.copy(x, [row, 0], [4, 24])
    inner = asctile.copy(x, [row, column], [4, 9])
    flat = asctile.copy(x.ravel(), [row * 24 + column], [17])
    asctile.copy_out(rows + 0, asctile.global_tensor(out_ptr, [4, 24]), [0, 0])
    asctile.copy_out(inner, asctile.global_tensor(out_ptr + 96, [4, 9]), [0, 0])
    asctile.copy_out(flat, asctile.global_tensor(out_ptr + 132, [17]), [0])
    asctile.copy_out(asctile.where(rows > 0, rows, 0), asctile.global_tensor(out_ptr + 149, [4, 24]), [0, 0])


@asctile.jit
def carried_views(x_ptr, out_ptr, count: int):
    x_gm = asctile.global_tensor(x_ptr, [4, 64])
    a = asctile.copy_in(x_gm, [0, 0], [1, 64]).reshape(64)
    b = asctile.copy_in(x_gm, [1, 0], [1, 64]).ravel()
    c = asctile.copy_in(x_gm, [2, 0], [2, 64])
    for i in asctile.range(count):
        a, b = b.reshape(8, 8).ravel(), a + 1
        if i > 1:
            c = asctile.concat(b, a).reshape(2, 64)
        else:
            c = asctile.copy(c, [0, 0], [2, 64])
    out_gm = asctile.global_tensor(out_ptr, [4, 64])
    asctile.copy_out(a.reshape(1, 64), out_gm, [0, 0])
    asctile.copy_out(b.expand_dims(0), out_gm, [1, 0])
    asctile.copy_out(c, out_gm, [2, 0])


def carried_views_expected(x: np.ndarray, count: int) -> np.ndarray:
    a, b, c = x[0], x[1], x[2:4]
    for i in range(count):
        a, b = b, a + 1
        if i > 1:
            c = np.stack([b, a])
    return np.concatenate([a[None], b[None], c])


@asctile.jit
def part_views(x_ptr, out_ptr, count: int):
    x_gm = asctile.global_tensor(x_ptr, [8, 32])
    out_gm = asctile.global_tensor(out_ptr, [2, 32])
    x = asctile.copy_in(x_gm, [0, 0], [8, 32])
    total = asctile.copy(x, [0, 0], [2, 32])
    for i in asctile.range(count):
        total = total + asctile.copy(x, [i + 1, 0], [2, 32])
        x = x + asctile.broadcast_to(asctile.copy(x, [i, 0], [1, 32]), 8, 32)
    asctile.copy_out(total, out_gm, [0, 0])


def part_views_expected(x: np.ndarray, count: int) -> np.ndarray:
    total = x[:2]
    for i in range(count):
        total = total + x[i + 1 : i + 3]
        x = x + x[i : i + 1]
    return total


@asctile.jit
def masks(x_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [6, 20]), [0, 0], [6, 20])
    wide = (x > 3).reshape(12, 10)
    asctile.copy_out(asctile.where(wide, 1, x.reshape(12, 10)), asctile.global_tensor(out_ptr, [12, 10]), [0, 0])
    asctile.copy_out(asctile.where((x > 3).T, 1, x.T), asctile.global_tensor(out_ptr + 120, [20, 6]), [0, 0])
    whole = asctile.where((x > 3).expand_dims(0), 1, x.expand_dims(0))
    asctile.copy_out(whole, asctile.global_tensor(out_ptr + 240, [1, 6, 20]), [0, 0, 0])


@asctile.jit
def tensors(x_ptr, y_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [5, 1]), [0, 0], [5, 1])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [9]), [0], [9])
    first, second = asctile.broadcast_tensors(x, y)
    asctile.static_assert(first.shape == second.shape == (5, 9))
    asctile.static_assert(asctile.broadcast_tensors(x)[0] is x)
    asctile.copy_out(first - second, asctile.global_tensor(out_ptr, [5, 9]), [0, 0])


@asctile.jit
def empties(x_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [8]), [0], [8])
    y = asctile.empty([8], asctile.float32, "UB")
    z = asctile.empty_like(x)
    asctile.inline("Adds($0, $1, $2, 8); Muls($3, $1, 2.0f, 8)", [y, x, 1.5, z])
    asctile.copy_out(y + z, asctile.global_tensor(out_ptr, [8]), [0])


@asctile.jit
def filled_by_hand(x_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64])
    y, z = asctile.empty([64], x.dtype), asctile.empty_like(x)
    asctile.inline("DataCopy($0, $2, 64); DataCopy($1, $2, 64)", [y, z, x])
    out_gm = asctile.global_tensor(out_ptr, [4, 64])
    for k, tile in enumerate((y, z, asctile.zeros_like(x), asctile.zeros([64], x.dtype))):
        asctile.copy_out(tile.expand_dims(0), out_gm, [k, 0])


def view_cases(architecture: str, style: str) -> list[Case]:
    cases = []

    def add(label: str, kernel: Any, operands: tuple[Any, ...], wanted: Any, *more: Any, **options: Any) -> None:
        out = np.zeros_like(wanted)
        check = expects((out, wanted))
        cases.append(Case(label, kernel, (*operands, out, *more), options=options, check=check))

    x = numbers(DTYPES["float32"], (16, 24), 1)
    for row, column in ((0, 0), (5, 8), (11, 13)):
        parts = (x[row : row + 4], x[row : row + 4, column : column + 9], x.ravel()[row * 24 + column :][:17])
        expected = np.concatenate([*(each.ravel() for each in parts), np.maximum(parts[0], 0).ravel()])
        add("dynamic", dynamic_parts, (x,), expected, row, column)
    y = numbers(DTYPES["float32"], (4, 64), 2)
    z = numbers(DTYPES["float32"], (8, 32), 3)
    for count in (0, 1, 2, 5):
        for level in (0, 1, 2):
            add(f"carried {count}", carried_views, (y,), carried_views_expected(y, count), count, reuse_alloc=level)
            add(f"parts {count}", part_views, (z,), part_views_expected(z, count), count, reuse_alloc=level)
    m = numbers(DTYPES["float32"], (6, 20), 4)
    chosen = np.where(m > 3, 1, m)
    add("masks", masks, (m,), np.concatenate([chosen.ravel(), chosen.T.ravel(), chosen.ravel()]))
    a, b = numbers(m.dtype, (5, 1), 5), numbers(m.dtype, (9,), 6)
    add("broadcast", tensors, (a, b), a - b)
    e = numbers(m.dtype, (8,), 7)
    add("empty", empties, (e,), e + 1.5 + e * 2)
    for dtype in DTYPES:
        x = numbers(DTYPES[dtype], (64,), 8)
        add(f"empty {dtype}", filled_by_hand, (x,), np.stack([x, x, x * 0, x * 0]))
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_views_in_loops_and_branches(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(view_cases, architecture))


@asctile.jit
def free_shapes(x_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [4, 8, 16]), [0, 0, 0], [4, 8, 16])
    y = x.reshape(32, 16).reshape(512).reshape(2, 256).expand_dims(0).squeeze(0).ravel().reshape(-1, 16)
    z = asctile.copy(asctile.copy(y, [8, 0], [16, 16]), [3, 8], [1, 8]).transpose(1, 0).transpose(1, 0)
    asctile.copy_out(asctile.copy(y, [8, 0], [16, 16]), asctile.global_tensor(out_ptr, [16, 16]), [0, 0])
    asctile.static_assert(z.shape == (1, 8))


def test_views_cost_nothing() -> None:
    signature = parse_signature(free_shapes, "x_ptr: *f32, out_ptr: *f32")
    made = transpile(free_shapes, signature, find_platform("Ascend950PR_9599"), free_shapes.options)
    assert set(made.report["instructions"]) == {"DataCopyPad"}
    assert len(made.report["buffers"]) == 1


# --- what is refused --------------------------------------------------------------------------------------------------

T = "asctile.full([4, 6], 1.0)"
V = "asctile.full([6], 1.0)"
RULES = (
    (f"{T}.reshape(5, 5)", RuntimeError, "a tile of shape (4, 6) (24 elements) cannot be reshaped to (5, 5)"),
    (f"{T}.reshape(-1, -1)", RuntimeError, "only one extent of reshape may be -1"),
    (f"{T}.reshape(-1, 5)", RuntimeError, "a tile of 24 elements cannot be reshaped to (-1, 5)"),
    (f"{T}.reshape(-2, -12)", RuntimeError, "shape[0] must be positive, not -2"),
    (f"{T}.reshape(2.0, 12)", TypeError, "shape[0] must be an int, not float 2.0"),
    (f"{T}.reshape(n, 12)", TypeError, "shape[0] is known only at run time"),
    ("asctile.reshape(1, 2)", TypeError, "the operand of reshape must be a tile, not int 1"),
    ("asctile.ravel('a')", TypeError, "the operand of ravel must be a tile, not str 'a'"),
    (f"{T}.expand_dims(3)", RuntimeError, "axis 3 of expand_dims is out of range for 3 dimensions"),
    (f"{T}.expand_dims(0, -4)", RuntimeError, "axis -4 of expand_dims is given twice"),
    (f"{T}.expand_dims('a')", TypeError, "an axis of expand_dims must be an int, not str 'a'"),
    (f"{T}.squeeze(0)", RuntimeError, "dimension 0 of (4, 6) has extent 4, not 1"),
    (f"{T}.squeeze(2)", RuntimeError, "axis 2 of squeeze is out of range for 2 dimensions"),
    (f"{T}.squeeze(n)", TypeError, "an axis of squeeze must be a compile-time int"),
    ("asctile.full([1, 1], 1.0).squeeze()", RuntimeError, "squeeze of (1, 1) leaves no dimension"),
    (f"{V}.T", RuntimeError, "a tile of one dimension cannot be transposed"),
    (f"{T}.transpose(0)", RuntimeError, "transpose needs one axis per dimension, 2 of them, but got 1"),
    (f"{T}.transpose(0, 0)", RuntimeError, "axis 0 of transpose is given twice"),
    (f"{T}.transpose(0, 2)", RuntimeError, "axis 2 of transpose is out of range for 2 dimensions"),
    ("asctile.full([1, 2, 1, 2, 4], 1).T", RuntimeError, "transpose takes at most 4 dimensions, not 5"),
    ("asctile.concat()", TypeError, "concat needs at least one tile"),
    (f"asctile.concat({T}, 1)", TypeError, "argument 1 of concat must be a tile, not int 1"),
    (f"asctile.concat({T}, {V})", RuntimeError, "concat of shapes (4, 6) and (6,)"),
    (
        "asctile.concat(asctile.full([4], 1), asctile.full([4], 1.0))",
        RuntimeError,
        "concat of tiles of int32 and float32",
    ),
    (f"asctile.concat({V} > 0)", RuntimeError, "concat does not take tiles of int1"),
    (f"asctile.copy({T}, [0])", ValueError, "offsets has 1 items, but the tensor has 2 dimensions"),
    (f"asctile.copy({T}, [0, -1], [4, 4])", RuntimeError, "offsets[1] is -1; offsets must not be negative"),
    (f"asctile.copy({T}, [0, 2])", RuntimeError, "elements 2 to 7 of dimension 1 do not lie in a tile of shape (4, 6)"),
    (f"asctile.copy({T}, [asctile.block_idx(), 0])", RuntimeError, "offsets[0] is known only at run time; give"),
    (f"asctile.copy({T}, [0, 0], [4])", RuntimeError, "shape has 1 extents, but src has 2 dimensions"),
    (f"asctile.copy({T}, location=1)", TypeError, "location must be a TensorLocation or its name"),
    (f"asctile.copy({T}, location='XY')", ValueError, "unknown location 'XY'"),
    (f"asctile.copy({T}, distrib=1)", RuntimeError, "distrib splits matrix products"),
    ("asctile.copy(3)", TypeError, "src must be a tile, not int 3"),
    (f"{T}.to()", RuntimeError, "to() takes an element type or a location"),
    (f"{T}.to(asctile.int32, location='UB')", RuntimeError, "to() takes an element type or a location"),
    ("asctile.empty([], asctile.int32)", RuntimeError, "shape must have at least one dimension"),
    ("asctile.empty([4], 'int32')", TypeError, "dtype must be a data type"),
    ("asctile.empty([4], asctile.float64)", RuntimeError, "empty does not take tiles of float64"),
    (f"asctile.broadcast_tensors({T}, 1)", TypeError, "argument 1 of broadcast_tensors must be a tile"),
    (f"asctile.broadcast_tensors({T}, asctile.full([5], 1.0))", RuntimeError, "cannot be broadcast together"),
)


@pytest.mark.parametrize("code, error, message", RULES, ids=[rule[0] for rule in RULES])
def test_what_is_refused(code: str, error: type, message: str, tmp_path: Path) -> None:
    check_rules(tmp_path, code, error, message)


@asctile.jit
def moves_tails(x_ptr, out_ptr, n, m, shape: asctile.ConstExpr, op: asctile.ConstExpr[Op]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [n, m]), [0, 0], shape)
    asctile.copy_out(op(x), asctile.global_tensor(out_ptr, [m, n]), [0, 0])


@asctile.jit
def appends_tails(x_ptr, out_ptr, n, tile: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [0], [tile])
    asctile.copy_out(asctile.concat(x, x, x), asctile.global_tensor(out_ptr, [n]), [0])


@pytest.mark.parametrize("platform", ["Ascend910B1", "Ascend950PR_9599"])
def test_elements_past_the_end_may_be_moved(platform: str) -> None:
    """They are undefined, and nothing is wrong as long as they are not stored."""
    asctile.set_platform("CPU", platform, checked=True)
    x = np.arange(15, dtype=np.int8).reshape(3, 5)
    out = np.zeros((5, 3), np.int8)
    moves_tails[1](x, out, 3, 5, (4, 8), SWAP)
    assert np.array_equal(out, x.T)
    for dtype in (np.int8, np.float32):
        x, out = np.arange(3, dtype=dtype), np.zeros(3, dtype)
        appends_tails[1](x, out, 3, 5)
        assert np.array_equal(out, x)


# --- bits -------------------------------------------------------------------------------------------------------------

# Shapes whose bytes lie at odd places, in rows too long for one table, in more than one piece of a row.
MOVES: tuple[tuple[tuple[int, ...], tuple[Op, ...]], ...] = (
    (
        (33, 40),
        (
            SWAP, part((1, 1), (30, 37)), part((1, 2), (30, 37)), part((0, 4), (33, 34)), reshape(40, 33),
            reshape(1320), reshape(24, 55),
        ),
    ),
    ((24, 101), (SWAP, reshape(24 * 101), reshape(101, 24), part((2, 3), (20, 97)))),
    ((2500,), (part((1,), (2499,)), part((2,), (2498,)), part((37,), (2100,)), reshape(4, 625), reshape(625, 4))),
    ((3, 6, 21), (transpose(1, 2, 0), transpose(0, 2, 1), transpose(2, 0, 1), transpose(2, 1, 0))),
    ((4, 3), (SWAP, reshape(12), reshape(2, 6), part((1, 1), (3, 2)))),
    ((5, 600), (part((0, 1), (5, 599)), part((1, 2), (4, 598)), SWAP)),
)  # fmt: skip


def bits(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Every pattern of bits is as likely as another one; all bytes are there if there are as many."""
    size = int(np.prod(shape)) * dtype.itemsize
    every = np.resize(np.arange(256, dtype=np.uint8), size)
    return np.random.default_rng(size).permutation(every).view(dtype).reshape(shape)


def bit_cases(architecture: str, style: str) -> list[Case]:
    types = ("int8", "float16") if architecture == "c220" else ("int8", "bfloat16")
    return [applied(bits(DTYPES[dtype], shape), ops) for dtype in types for shape, ops in MOVES]


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_moves_keep_all_bits(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_all_modes(bit_cases, architecture))


@asctile.jit
def dynamic_bytes(x_ptr, out_ptr, row: int, column: int):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [20, 40]), [0, 0], [20, 40])
    inner = asctile.copy(x, [row, column], [9, 31])
    flat = asctile.copy(x.ravel(), [row * 40 + column], [300])
    asctile.copy_out(inner, asctile.global_tensor(out_ptr, [9, 31]), [0, 0])
    asctile.copy_out(flat, asctile.global_tensor(out_ptr + 279, [300]), [0])


@asctile.jit
def joined(x_ptr, out_ptr, sizes: asctile.ConstExpr):
    parts = []
    for size in asctile.static_range(len(sizes)):
        part = asctile.copy_in(asctile.global_tensor(x_ptr, [sizes[size]]), [0], [sizes[size]])
        parts = [*parts, part]
    whole = asctile.concat(*parts)
    asctile.copy_out(whole, asctile.global_tensor(out_ptr, whole.shape), [0])
    again = asctile.concat(parts[-1], *parts[1:], parts[-1])
    asctile.copy_out(again, asctile.global_tensor(out_ptr + whole.size, again.shape), [0])


JOINS = (
    (1000, 24), (1001, 24, 7), (3, 3, 3), (1, 1, 1, 1), (5, 2), (1, 40), (31, 1, 33), (2, 30, 2), (4, 8, 4),
    (64, 3, 29), (70, 70, 70), (1030, 1030),
)  # fmt: skip


def join_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    y = bits(DTYPES["int8"], (20, 40))
    for row, column in ((0, 0), (3, 1), (8, 4), (11, 9)):
        wanted = np.concatenate([y[row : row + 9, column : column + 31].ravel(), y.ravel()[row * 40 + column :][:300]])
        out = np.zeros_like(wanted)
        cases.append(Case("dynamic", dynamic_bytes, (y, out, row, column), check=same_bits(out, wanted)))
    for dtype in DTYPES:
        for sizes in JOINS:
            x = bits(DTYPES[dtype], (max(sizes),))
            parts = [x[:size] for size in sizes]
            wanted = np.concatenate([*parts, parts[-1], *parts[1:], parts[-1]])
            out = np.zeros_like(wanted)
            cases.append(Case(f"{sizes} {dtype}", joined, (x, out, sizes), check=same_bits(out, wanted)))
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_parts_of_any_size_are_joined(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_all_modes(join_cases, architecture))


@pytest.mark.parametrize("platform", ["Ascend910B1", "Ascend950PR_9599"])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32"])
def test_no_element_is_moved_alone(platform: str, dtype: str) -> None:
    """The scalar unit takes dozens of cycles for one."""
    moves = applied(bits(DTYPES[dtype], (64, 100)), (SWAP, reshape(100, 64), part((1, 3), (60, 90))))
    row = bits(DTYPES[dtype], (1003,))
    for kernel, args in ((apply_all, moves.args), (joined, (row, np.zeros_like(row), (1003, 90, 70)))):
        made = transpile(kernel, signature_of(kernel.bind(args, {})), find_platform(platform), kernel.options)
        assert not {"GetValue", "SetValue"} & set(made.report["instructions"]), kernel
