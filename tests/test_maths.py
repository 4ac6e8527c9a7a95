"""Library functions and powers over the whole range, within a stated distance of the correctly rounded result."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
import pytest
from tests.support.batch import Batch, Case, expects, in_styles
from tests.test_operations import ulps

from pyasc_transpile import asctile
from pyasc_transpile.errors import CodegenError

SIZE, TILE = 1500, 1536
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sin": (asctile.sin, np.sin),
    "cos": (asctile.cos, np.cos),
    "tan": (asctile.tan, np.tan),
    "sinh": (asctile.sinh, np.sinh),
    "cosh": (asctile.cosh, np.cosh),
    "tanh": (asctile.tanh, np.tanh),
    "erf": (asctile.erf, np.vectorize(math.erf, otypes=[np.float64])),
    "log2": (asctile.log2, np.log2),
    "exp2": (asctile.exp2, np.exp2),
    "exp": (asctile.exp, np.exp),
    "log": (asctile.log, np.log),
    "square": (lambda x: x**2, np.square),
    "to three quarters": (lambda x: abs(x) ** 0.75, lambda x: np.abs(x) ** 0.75),
    "to the three": (lambda x: x**3, lambda x: x**3),
    "of one and a half": (lambda x: 1.5**x, lambda x: 1.5**x),
}
# Units in the last place from the correctly rounded result, per type.
BOUND = {"float32": 2, "float16": 1}


@asctile.jit
def apply_all(x_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], functions: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [tile])
    for k, function in enumerate(functions):
        asctile.copy_out(function(x), asctile.global_tensor(out_ptr + k * size, [size]), [0])


@asctile.jit
def power_tiles(x_ptr, y_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [tile])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [size]), [0], [tile])
    asctile.copy_out(x**y, asctile.global_tensor(out_ptr, [size]), [0])


@asctile.jit
def integer_powers(x_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [tile])
    for k in asctile.static_range(4):
        asctile.copy_out(x ** (k * 3), asctile.global_tensor(out_ptr + k * size, [size]), [0])


def whole_range(dtype: str) -> np.ndarray:
    """Both signs, all magnitudes, and special values."""
    info = np.finfo(dtype)
    magnitudes = np.concatenate(
        [np.linspace(0, 12, 400), np.logspace(np.log10(float(info.tiny)), np.log10(float(info.max)), 340)]
    )
    numbers = np.concatenate([magnitudes, -magnitudes])
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, float(info.max), -float(info.max)]
    special += [float(info.smallest_subnormal), 0.5, 2.0, math.pi / 2, -math.pi, 100.0, -100.0]
    values = np.concatenate([numbers, special, np.zeros(SIZE)])[:SIZE]
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def function_case(dtype: str) -> Case:
    x = whole_range(dtype)
    out = np.zeros(len(FUNCTIONS) * SIZE, dtype)
    functions = tuple(build for build, _ in FUNCTIONS.values())

    def check() -> list[str]:
        wrong = []
        for (name, (_, meaning)), row in zip(FUNCTIONS.items(), out.reshape(-1, SIZE)):
            with np.errstate(all="ignore"):
                expected = meaning(x.astype(np.float64)).astype(dtype)
            distance = ulps(row, expected)
            worst = int(np.argmax(distance))
            if distance[worst] > BOUND[dtype]:
                wrong.append(f"{name}: {distance[worst]} ulp at {x[worst]!r}: {row[worst]!r}, not {expected[worst]!r}")
        return wrong

    return Case(dtype, apply_all, (x, out, SIZE, TILE, functions), options={"always_compile": True}, check=check)


def power_case() -> Case:
    x, y = (np.random.default_rng(seed).uniform(0.1, 4, SIZE).astype(np.float32) for seed in (3, 4))
    out = np.zeros_like(x)

    def check() -> list[str]:
        worst = ulps(out, (x.astype(np.float64) ** y.astype(np.float64)).astype(np.float32)).max()
        return [f"{worst} ulp"] if worst > 2 else []

    return Case("tiles", power_tiles, (x, y, out, SIZE, TILE), check=check)


def integer_power_case(dtype: str) -> Case:
    numbers = np.random.default_rng(3).integers(-50, 50, SIZE).astype(dtype)
    powers = np.zeros((4, SIZE), dtype)
    check = expects((powers, np.stack([numbers ** np.asarray(k * 3, dtype) for k in range(4)])))
    return Case(f"powers of {dtype}", integer_powers, (numbers, powers.reshape(-1), SIZE, TILE), check=check)


def tile_power_case() -> Case:
    rng = np.random.default_rng(5)
    x, y = rng.integers(-50, 50, SIZE).astype(np.int32), rng.integers(0, 9, SIZE).astype(np.int32)
    out = np.zeros_like(x)
    return Case("powers by tile", power_tiles, (x, y, out, SIZE, TILE), check=expects((out, x**y)))


def all_cases(architecture: str, style: str) -> list[Case]:
    return [*map(function_case, BOUND), power_case(), tile_power_case(), *map(integer_power_case, ("int16", "int32"))]


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_functions_over_the_whole_range(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))


@asctile.jit
def bad_power(x_ptr, out_ptr, size: int, exponent: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [64])
    asctile.copy_out(x**exponent, asctile.global_tensor(out_ptr, [size]), [0])


@asctile.jit
def bad_element(x_ptr, out_ptr, size: int, function: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [64])
    asctile.copy_out(function(x), asctile.global_tensor(out_ptr, [size]), [0])


@pytest.mark.parametrize(
    ("kernel", "constant", "cause", "text"),
    [
        (bad_power, -1, TypeError, "integers take exponents from 0 on"),
        (bad_power, 0.5, TypeError, "integers take exponents from 0 on"),
        (bad_power, 100, TypeError, "at most 64"),
        (bad_element, asctile.sin, RuntimeError, "sin does not take tiles of int32"),
        (bad_element, asctile.exp2, RuntimeError, "exp2 does not take tiles of int32"),
    ],
)
def test_what_is_refused(kernel: Any, constant: Any, cause: type, text: str, tmp_path: Any) -> None:
    x = np.zeros(64, np.int32)
    with pytest.raises(CodegenError, match=text) as caught:
        Batch(tmp_path, "c310").add(Case("bad", kernel, (x, x.copy(), 64, constant)))
    assert isinstance(caught.value.__cause__, cause)
    assert caught.value.lineno == kernel.function.__code__.co_firstlineno + 3


@asctile.jit
def twice(x_ptr, out_ptr, function: asctile.ConstExpr):
    for i in asctile.range(4, unroll_factor=2):
        x = asctile.copy_in(asctile.global_tensor(x_ptr, [256]), [i * 64], [64])
        asctile.copy_out(function(function(x)), asctile.global_tensor(out_ptr, [256]), [i * 64])


@pytest.mark.parametrize(("function", "barriers"), [(asctile.tanh, 0), (asctile.sin, 0), (asctile.log2, 2)])
def test_calls_that_end_with_a_barrier_need_no_other(function: Any, barriers: int, tmp_path: Any) -> None:
    x = np.linspace(1.5, 1.9, 256, dtype=np.float32)
    batch = Batch(tmp_path, "c220")
    batch.run_all([Case(function.__name__, twice, (x, np.zeros_like(x), function))])
    assert batch.cases[0][1].source.count("PipeBarrier") == barriers, batch.cases[0][1].source
