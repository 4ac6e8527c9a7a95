"""Small kernels for the corners of the language: statements, scalars, shapes and types that nothing else tests.

Expectations are Python's and NumPy's.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Callable

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects_about, in_styles

from pyasc_transpile import asctile

SLOT = 1024
N, F = 5, 2.5
Check = tuple[str, Callable[..., Any], Callable[..., Any], np.ndarray, np.ndarray, float]
CHECKS: list[Check] = []


class Body:
    """What a kernel computes; its name tells it apart."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name, self.function = name, function

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)

    def __repr__(self) -> str:
        return f"Body({self.name})"


@asctile.jit
def kernel(x_ptr, y_ptr, out_ptr, n: int, f: float, shape: asctile.ConstExpr, other: asctile.ConstExpr, body):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), [0] * len(shape), shape)
    y = asctile.copy_in(asctile.global_tensor(y_ptr, other), [0] * len(other), other)
    for k, value in enumerate(body(x, y, n, f)):
        out = asctile.global_tensor(out_ptr + k * SLOT, [SLOT])
        asctile.copy_out(value.ravel() if isinstance(value, asctile.LocalTensor) else value, out, [0])


def numbers(dtype: str, shape: tuple[int, ...], low: int = -9, high: int = 9) -> np.ndarray:
    rng = np.random.default_rng(len(CHECKS))
    return rng.integers(low, high, shape).astype(np.float32).astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))


def check(expect: Callable[..., Any], x: np.ndarray, y: Any = None, tolerance: float = 0.0) -> Callable[[Any], Any]:
    """A decorator: ``expect(x, y)`` is what the function gives."""

    def note(function: Any) -> Any:
        name = f"{function.__name__} {x.dtype} {x.shape}"
        CHECKS.append((name, function, expect, x, x if y is None else y, tolerance))
        return function

    return note


X = numbers("float32", (9,), -20, 20)

# --- statements -------------------------------------------------------------------------------------------------------


@check(lambda x, y: [x + N, x + 1, x + 5, x * 2], X)
def loops(x, y, n, f):
    i, t = 0, x
    while i < n:
        t, i = t + 1, i + 1
    a, b = x, x + 1
    for _ in range(n):
        a, b = b, a
    low, high = 0, 1
    for _ in range(n):
        low, high = high, low + high
    if 1 < n < 10 and n != 4:
        r = x * 2
    elif n == 4:
        r = x
    else:
        r = x * 3
    return [t, a, x + low, r]


@check(lambda x, y: [3 * x + 3, (x + 2) * 2, 5 + x, 3 + x, np.maximum(x, 2), 3 + x, x + 1, 2 * x - 2, x * 3 + N], X)
def python(x, y, n, f):
    tiles = [x + k for k in range(3)]
    scaled = {k: t * k for k, t in enumerate(tiles)}
    first, *rest = tiles
    (second, _), _ = (rest[0], rest[1]), first
    g = h = x - 1

    def inner(t, k=2):
        return t * k + n

    again = lambda t: inner(t, k=3)  # noqa: E731 - a lambda is the point
    return [
        sum(tiles), scaled[2], max([1, 5, 2]) + x, min(n, 3) + x, max(x, 2.0), abs(-3) + x, second, g + h, again(x),
    ]  # fmt: skip


@check(lambda x, y: [x + 11, x + 24, x + 10, x + 45, x * 2, x], X)
def conditions(x, y, n, f):
    r = x
    if n and 7:
        r = r + 1
    if 0 or n:
        r = r + 2
    if not n:
        r = r + 4
    if f:
        r = r + 8
    t = x
    for i in range(10, 0, -1):
        if i < n:
            break
        if i % 2:
            continue
        t = t + i
    else:
        t = t * 0
    s = x
    for k in asctile.static_range(5, 0, -2):
        s = s + k
    u = x
    for i in asctile.range(0, 17, 3, unroll_factor=4):
        u = u + i
    return [r, t, s + k, u, x * (2 if n > 3 else 3), x if n > 3 else x * 2]


# --- scalars ----------------------------------------------------------------------------------------------------------


SCALARS = (
    lambda i, g: i + 1.5, lambda i, g: -i // 2, lambda i, g: i % 3, lambda i, g: -i % 3, lambda i, g: g // 2.0,
    lambda i, g: g % 2.0, lambda i, g: -g, lambda i, g: i**2, lambda i, g: g**3, lambda i, g: i < 5.5,
    lambda i, g: abs(-i), lambda i, g: i << 2, lambda i, g: -i >> 1, lambda i, g: i & 4, lambda i, g: i | 2,
    lambda i, g: i ^ 3, lambda i, g: ~i, lambda i, g: min(i, g), lambda i, g: max(i, 7), lambda i, g: g - i,
    lambda i, g: 1 / g, lambda i, g: g**0.5, lambda i, g: i**i, lambda i, g: g**i, lambda i, g: 2.0**g,
    lambda i, g: g**-1,
)  # fmt: skip


@check(lambda x, y: [np.float32([function(N, F)]) for function in SCALARS], X, tolerance=1e-6)
def scalars(x, y, n, f):
    return [asctile.cast(function(n, f), asctile.float32) for function in SCALARS]


@check(
    lambda x, y: [np.float32([value]) for value in (math.exp(F), math.sqrt(N), math.erf(F), 7, 2, 3, 0, 1, 0)], X,
    tolerance=1e-6,
)  # fmt: skip
def scalar_functions(x, y, n, f):
    wholes = (n.max(7), n.min(2), n.ceildiv(2), n.logical_and(0), n.logical_or(0), n.logical_not())
    return [asctile.exp(f), asctile.sqrt(n), asctile.erf(f), *(each.cast(asctile.float32) for each in wholes)]


# --- tiles ------------------------------------------------------------------------------------------------------------


def _bytes(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    return [np.abs(x), x & 15, x ^ y, ~x, x.max(1), x.min().reshape(1), np.concatenate([x, x])]


@check(_bytes, numbers("int8", (4, 21), -128, 128), numbers("int8", (4, 1)))
def int8(x, y, n, f):
    return [asctile.abs(x), x & 15, x ^ y, ~x, x.max(1), x.min(), asctile.concat(x, x)]


def _powers(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    two, three, n, seven = (np.asarray(each, x.dtype) for each in (2, 3, N, 7))
    return [x**two, x**three, x**y, two**y, x**n, x**seven, x**0, x]


def powers(x, y, n, f):
    return [x**2, x**3, asctile.pow(x, y), 2**y, x**n, x**7, x**0, x**1]


for _dtype in ("int8", "int16", "int32"):
    check(_powers, numbers(_dtype, (4, 21), -5, 6), numbers(_dtype, (21,), 0, 6))(powers)


def _rows(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    return [x[1:2] & 6, ~x[1:2], x[2:3] ^ x[1:2], x[2:3] | x[1:2]]


def rows_as_words(x, y, n, f):
    """Bit operations see parts of tiles as elements of another size."""
    first, second = (asctile.copy(x, [row, 0], [1, x.shape[1]]) for row in (1, 2))
    return [first & 6, ~first, second ^ first, second | first]


for _dtype, _width in (("int8", 32), ("int32", 16), ("int64", 16)):
    check(_rows, numbers(_dtype, (3, _width), 0, 99))(rows_as_words)


def _arithmetic(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    a, b = x.astype(np.float64), y.astype(np.float64)
    results = a + b, a * b - a, np.maximum(a, b), -a, 3 - a, a.sum().reshape(1), a.max(-1, keepdims=True)
    return [np.asarray(each).astype(x.dtype) for each in results]


def arithmetic(x, y, n, f):
    return [x + y, x * y - x, asctile.maximum(x, y), -x, 3 - x, x.sum(), x.max(-1, keep_dims=True)]


for _turn, _dtype in enumerate(("int16", "int32", "int64", "float16", "bfloat16", "float32")):
    for _shape in ((1,), (3, 1), (2, 3, 7), (2, 1, 3, 5), (1, 1, 1, 1, 9))[_turn % 2 :: 2]:
        check(_arithmetic, numbers(_dtype, _shape), numbers(_dtype, _shape[-1:], 1, 7))(arithmetic)


@check(lambda x, y: [x.reshape(7, 3), x, x.reshape(21)], numbers("float64", (3, 7)))
def doubles(x, y, n, f):
    """float64 is only moved."""
    return [x.reshape(7, 3), x, x.ravel().reshape(21).ravel()]


@check(lambda x, y: [x * 3 + 3, x * 2 + N + 17], X)
def containers(x, y, n, f):
    config = dict(a=1, b=[1, 2, 3])
    config["a"] += 3
    tiles = [x]
    tiles.append(x * 2)
    tiles[0] += 1
    last: object = tiles[-1]
    named = {"shape": [9], "value": 2.0}
    u = asctile.full(**named) + tiles[0]
    w = last if isinstance(last, asctile.LocalTensor) and len(tiles) in (2, 3) and 5 not in config["b"] else None
    if w is not None and (config["a"] == 4 or n > 3):
        w = w + n
    for i, (p, q) in enumerate(zip([1, 2], (3, 4))):
        w = w + (p * q + i)
    text = f"{config['a']:03d}"
    return [u + last, w + divmod(7, 2)[1] + any([False, True]) + (1 if text == "004" else 5) + round(1.6) * 0 + 2]


def _compared(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    tests = x < y, x == 3, ((x > 1) & ~(x >= 5)) | (x == -7), x > 1, x != y
    return [np.asarray(each).astype(np.int32) for each in tests]


@check(_compared, numbers("int32", (4, 11)), numbers("int32", (4, 1)))
def compared(x, y, n, f):
    tests = x < y, x == 3, (x > 1) & ~(x >= 5) | (x == -7), 1 < x, x != y  # noqa: SIM300 - a number on the left
    return [each.to(asctile.int32) for each in tests]


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    for name, function, expect, x, y, tolerance in CHECKS:
        wanted = [np.asarray(each) for each in expect(x.copy(), y.copy())]
        out = np.zeros(SLOT * len(wanted), wanted[0].dtype)
        args = (x, y, out, N, F, x.shape, y.shape, asctile.ConstExpr(Body(name, function)))
        cases.append(Case(name, kernel, args, check=results_are(out, wanted, tolerance)))
    return cases


def results_are(out: np.ndarray, wanted: list[np.ndarray], tolerance: float) -> Callable[[], list[str]]:
    def check() -> list[str]:
        wrong = []
        for position, each in enumerate(wanted):
            found = out[position * SLOT :][: each.size].astype(np.float64)
            lines = expects_about(found, each.astype(np.float64), tolerance)()
            wrong += [f"result {position}: {line}" for line in lines]
        return wrong

    return check


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_corners(architecture: str, tmp_path: Path) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))
