"""mask contexts: element types x shapes x counts and bits x architectures x memory styles, on the checked CPU build,
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
    name: np.dtype(getattr(ml_dtypes, name, name)) for name in ("int16", "int32", "float16", "bfloat16", "float32")
}


@asctile.jit
def by_count(x_ptr, out_ptr, n: int, shape: asctile.ConstExpr, count: asctile.ConstExpr):
    """Arithmetic, a function, a chain of operations, and names that stay bound."""
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), [0] * len(shape), shape)
    y = x
    with asctile.mask(count=n if count is None else count, other=7):
        y = x + 1
        z = (x * 2 - x) * 3
    with asctile.mask(count=n if count is None else count):
        w = asctile.maximum(x, 2)
        kept = asctile.where(x > 0, x, 0)
    for k, each in enumerate((y, z, w, kept)):
        asctile.copy_out(each.ravel(), asctile.global_tensor(out_ptr + k * x.size, [x.size]), [0])


def by_count_expected(x: np.ndarray, count: int) -> np.ndarray:
    wide = x.astype(np.float64) if x.dtype.kind not in "i" else x.astype(np.int64)
    chosen = np.broadcast_to(np.arange(x.shape[-1]) < count, x.shape)
    tripled = np.where(chosen, (np.where(chosen, np.where(chosen, wide * 2, 7) - wide, 7)) * 3, 7)
    results = (
        np.where(chosen, wide + 1, 7),
        tripled,
        np.where(chosen, np.maximum(wide, 2), 0),
        np.where(wide > 0, wide, 0),
    )
    return np.concatenate([each.ravel() for each in results]).astype(x.dtype)


@asctile.jit
def by_bits(
    x_ptr, out_ptr, high: int, low: int, shape: asctile.ConstExpr, words: asctile.ConstExpr, other: asctile.ConstExpr
):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), [0] * len(shape), shape)
    with asctile.mask(bits=(high, low) if words is None else words, other=other):
        y = -x
    asctile.copy_out(y, asctile.global_tensor(out_ptr, shape), [0] * len(shape))


def by_bits_expected(x: np.ndarray, words: tuple[int, int], other: Any) -> np.ndarray:
    both = (words[0] % 2**64) << 64 | words[1] % 2**64
    chosen = np.array([bool(both >> k & 1) for k in range(x.shape[-1])])
    return np.where(chosen, -x.astype(np.float64), other).astype(x.dtype)


@asctile.jit
def nested(x_ptr, out_ptr, n: int, count: int):
    """The inner mask counts; loops and branches inside; helpers called inside are masked too."""
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [40]), [0], [40])
    y = x
    with asctile.mask(count=count, other=-1.0):
        for i in asctile.range(n):
            y = y + 1
            if i > 0:
                with asctile.mask(count=3):
                    y = add_ten(y)
        z = x * 2
    u = x + 100
    out_gm = asctile.global_tensor(out_ptr, [3, 40])
    for k, each in enumerate((y, z, u)):
        asctile.copy_out(each.reshape(1, 40), out_gm, [k, 0])


def add_ten(tile: Any) -> Any:
    return tile + 10


def nested_expected(x: np.ndarray, n: int, count: int) -> np.ndarray:
    place = np.arange(40)
    y = x
    for i in range(n):
        y = np.where(place < count, y + 1, -1)
        if i > 0:
            y = np.where(place < 3, y + 10, 0)
    return np.stack([y, np.where(place < count, x * 2, -1), x + 100]).astype(x.dtype)


@asctile.jit
def functions(x_ptr, out_ptr, shift: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [5, 20]), [0, 0], [5, 20])
    with asctile.mask(count=6, other=9):
        y = ~(x & 15 | x << shift)
    asctile.copy_out(y, asctile.global_tensor(out_ptr, [5, 20]), [0, 0])


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = []

    def add(label: str, kernel: Any, args: tuple[Any, ...], wanted: np.ndarray) -> None:
        cases.append(Case(label, kernel, args, check=expects((args[1], wanted))))

    rng = np.random.default_rng(1)
    forms = (((20,), (0, 1, 8, 19)), ((3, 70), (7, 64)), ((200,), (65, 200, 999)), ((2, 3, 5), (2, 5)))
    for turn, dtype in enumerate(DTYPES.values(), int(style == "pipe")):
        for shape, counts in forms[turn % 2 :: 2]:
            x = rng.integers(-20, 20, shape).astype(np.float32).astype(dtype)
            for position, count in enumerate(counts):
                out = np.zeros(4 * x.size, dtype)
                args = (x, out, count, shape, None if position % 2 else count)
                add(f"count {dtype} {shape} {count}", by_count, args, by_count_expected(x, count))
    for dtype, shape in (("float32", (100,)), ("float16", (3, 21)), ("int32", (2, 128))):
        for words, other in (((0, 0b10110), 0), ((2**63 + 5, 2**64 - 3), 4), ((-1, 1 << 40), 0)):
            if other == 0 and words[0] == -1:
                high, low, known = words[0], words[1], None
            else:
                high, low, known = 0, 0, words
            x = rng.integers(-20, 20, shape).astype(DTYPES[dtype])
            args = (x, np.zeros_like(x), np.int64(high), np.int64(low), shape, known, other)
            add(f"bits {dtype} {shape} {words}", by_bits, args, by_bits_expected(x, words, other))
    x = rng.integers(-20, 20, 40).astype(np.float32)
    for n, count in ((0, 5), (1, 5), (3, 17)):
        args = (x, np.zeros((3, 40), x.dtype), n, count)
        add(f"nested {n} {count}", nested, args, nested_expected(x, n, count))
    for integer in (np.int32, np.int64):
        i = rng.integers(np.iinfo(integer).min, np.iinfo(integer).max, (5, 20), integer)
        inner = np.arange(20) < 6
        left, right = np.where(inner, i & 15, 9), np.where(inner, i << 2, 9)
        expected = np.where(inner, ~np.where(inner, left | right, 9), 9).astype(i.dtype)
        add(f"bit operations {integer.__name__}", functions, (i, np.zeros_like(i), 2), expected)
    return cases


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_masks(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))


def masked(arguments: str, expression: str = "x + 1") -> str:
    """A kernel expression inside of a mask, as one expression."""
    return f"[{expression} for _ in [asctile.mask({arguments}).__enter__()]]"


RULES = (
    ("asctile.mask()", ValueError, "mask needs either count or bits"),
    ("asctile.mask(count=3, bits=(0, 1))", ValueError, "mask needs either count or bits, not both"),
    ("asctile.mask(count=1.5)", TypeError, "count"),
    ("asctile.mask(count=f)", TypeError, "count"),
    ("asctile.mask(count=-1)", RuntimeError, "count must not be negative, but is -1"),
    ("asctile.mask(bits=7)", TypeError, "bits must be two ints or integer scalars, not int 7"),
    ("asctile.mask(bits=(1,))", ValueError, "bits must be two words of 64 bits, (high, low), but there are 1"),
    ("asctile.mask(bits=(1, 2.0))", TypeError, "bits must be ints or integer scalars, not float 2.0"),
    ("asctile.mask(bits=(0, 2**64))", TypeError, "does not fit into the 64 bits of a mask"),
    ("asctile.mask(count=3, other='a')", TypeError, "other must be a number or a scalar, not str 'a'"),
    ("asctile.mask(3)", TypeError, "positional argument"),
)


@pytest.mark.parametrize("code, error, message", RULES, ids=[rule[0] for rule in RULES])
def test_what_is_refused(code: str, error: type, message: str, tmp_path: Path) -> None:
    check_rules(tmp_path, code, error, message)


@pytest.mark.parametrize(
    "arguments, expression, error, message",
    (
        ("count=3, other=1.5", "y + 1", TypeError, "other is 1.5, a float, but int32 is wanted"),
        (
            "bits=(0, 1)",
            "asctile.full([200], 1.0) + 1",
            RuntimeError,
            "bits select among 128 elements, but the rows have 200",
        ),
    ),
)
def test_what_is_refused_inside(arguments: str, expression: str, error: type, message: str, tmp_path: Path) -> None:
    check_rules(tmp_path, masked(arguments, expression), error, message)
