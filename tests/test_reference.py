"""The reference: what kernels mean, without a compiler."""

from __future__ import annotations

import itertools
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.test_operations import all_cases

from pyasc_transpile import asctile
from pyasc_transpile.errors import DeviceFaultError, LoweringError
from pyasc_transpile.graph.dtypes import DataType
from pyasc_transpile.host.platform import reset_platform, set_platform
from pyasc_transpile.ops import OPERATIONS, numeric
from pyasc_transpile.reference import scalars


@pytest.fixture(autouse=True)
def reference_backend():
    set_platform("Reference")
    yield
    reset_platform()


def test_every_operation_means_what_an_independent_calculation_says() -> None:
    failures = []
    for case in all_cases("c310", "static"):
        case.kernel[case.blocks](*case.args)
        failures += [f"{case.label}: {message}" for message in case.check()]
    assert not failures, "\n".join(failures)


def test_every_operation_has_a_meaning() -> None:
    without = {name for name, operation in OPERATIONS.items() if operation.numpy is None}
    known = {"inline", "inline_vf", "low_level", "low_level_value"}
    assert without <= known, "operations without a meaning on arrays"


def test_no_compiler_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nowhere/g++")
    monkeypatch.setenv("PATH", "/nowhere")
    x = np.arange(40, dtype=np.float32)
    out = np.zeros_like(x)
    scale[3](x, out, 40, 2.5)
    assert np.array_equal(out, x * np.float32(2.5))


@asctile.jit
def scale(x_ptr, out_ptr, n, factor):
    x, out = asctile.global_tensor(x_ptr, [n]), asctile.global_tensor(out_ptr, [n])
    start = asctile.block_idx() * 16
    asctile.copy_out(asctile.copy_in(x, [start], [16]) * factor, out, [start])


def test_bfloat16_and_half_round_after_every_operation() -> None:
    for dtype in (ml_dtypes.bfloat16, np.float16):
        x = np.linspace(1, 2, 32).astype(dtype)
        out = np.zeros_like(x)
        third = dtype(1 / 3)
        scale[2](x, out, 32, third)
        assert np.array_equal(out, x * third) and not np.array_equal(out.astype(np.float64), x.astype(np.float64) / 3)


def test_a_read_only_array_is_not_written() -> None:
    x = np.ones(16, np.float32)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="'out_ptr' is a read-only array, and the kernel wrote to it"):
        scale[1](np.ones(16, np.float32), x, 16, 2.0)
    assert x[0] == 1
    out = np.zeros(16, np.float32)
    scale[1](x, out, 16, 2.0)
    assert (out == 2).all()


@asctile.jit
def sums(x_ptr, out_ptr, n, tile: asctile.ConstExpr[int]):
    x, out = asctile.global_tensor(x_ptr, [n]), asctile.global_tensor(out_ptr, [n])
    loaded = asctile.copy_in(x, [0], [tile])
    asctile.copy_out(loaded + 1, out, [0])


@asctile.jit
def reads_the_tail(x_ptr, out_ptr, n, tile: asctile.ConstExpr[int]):
    loaded = asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [0], [tile])
    asctile.copy_out(loaded + 1, asctile.global_tensor(out_ptr, [tile]), [0])


@asctile.jit
def pads_the_tail(x_ptr, out_ptr, n, tile: asctile.ConstExpr[int]):
    loaded = asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [0], [tile], pad_value=-1)
    asctile.copy_out(loaded + 1, asctile.global_tensor(out_ptr, [tile]), [0])


@asctile.jit
def hides_the_tail(x_ptr, out_ptr, n, tile: asctile.ConstExpr[int]):
    loaded = asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [0], [tile])
    asctile.copy_out(asctile.where(loaded == loaded, 5, loaded), asctile.global_tensor(out_ptr, [tile]), [0])


def test_undefined_elements() -> None:
    x, out = np.arange(10, dtype=np.int32), np.zeros(16, np.int32)
    sums[1](x, out, 10, 16)
    assert np.array_equal(out[:10], x + 1) and not out[10:].any()
    with pytest.raises(DeviceFaultError, match=r"undefined elements .* index \[10\]") as caught:
        reads_the_tail[1](x, out, 10, 16)
    assert caught.value.lineno is not None and "copy_out" in caught.value.span.text  # type: ignore[union-attr]
    pads_the_tail[1](x, out, 10, 16)
    assert np.array_equal(out, [*(x + 1), *[0] * 6])
    hides_the_tail[1](x, out, 10, 16)  # whatever the elements are, integers are equal to themselves
    assert np.array_equal(out, [5] * 16)
    with pytest.raises(DeviceFaultError, match="undefined"):  # but a float may be NaN
        hides_the_tail[1](x.astype(np.float32), out.astype(np.float32), 10, 16)


def test_accesses_outside_of_an_array() -> None:
    x, out = np.arange(10, dtype=np.int32), np.zeros(10, np.int32)
    with pytest.raises(DeviceFaultError, match="elements 0 to 15 of an array of 10"):
        sums[1](x, out, 16, 16)
    with pytest.raises(DeviceFaultError, match="negative offset -16"):
        shifted[1](x, out, 10, -16)
    shifted[1](x, out, 10, 100)
    assert not out.any()


@asctile.jit
def shifted(x_ptr, out_ptr, n, start):
    loaded = asctile.copy_in(asctile.global_tensor(x_ptr, [n]), [start], [8], pad_value=3)
    asctile.copy_out(loaded, asctile.global_tensor(out_ptr, [n]), [start])


@asctile.jit
def real_shapes(x_ptr, out_ptr, rows, width):
    x = asctile.global_tensor(x_ptr, [6, 10])
    loaded = asctile.copy_in(x, [4, 0], [4, 8], real_shape=[rows, width])
    asctile.copy_out(loaded, asctile.global_tensor(out_ptr, [4, 8]), [0, 0])


def test_real_shape_and_clamping() -> None:
    x, out = np.arange(60, dtype=np.float32).reshape(6, 10), np.ones((4, 8), np.float32)
    real_shapes[1](x, out, 3, 5)
    expected = np.zeros((4, 8), np.float32)
    expected[:2, :5] = x[4:6, :5]
    assert np.array_equal(out, expected)
    with pytest.raises(DeviceFaultError, match="larger than the tile"):
        real_shapes[1](x, out, 5, 5)


@asctile.jit
def control(out_ptr, n, limit):
    out = asctile.global_tensor(out_ptr, [3])
    total, steps, last = 0, 0, 7
    for i in asctile.range(n, 0, -1, unroll_factor=2):
        if i % 2 == 0:
            total, last = total + i, total
        steps += 1
    if n > limit:
        total = -total
    asctile.copy_out(total, out, [0])
    asctile.copy_out(steps, out, [1])
    asctile.copy_out(last, out, [2])


@pytest.mark.parametrize("n", [0, 1, 5, 6])
def test_loops_and_branches(n: int) -> None:
    out = np.zeros(3, np.int32)
    control[1](out, n, 5)
    total, last = 0, 7
    for i in range(n, 0, -1):
        if i % 2 == 0:
            total, last = total + i, total
    assert list(out) == [-total if n > 5 else total, n, last]


@asctile.jit
def divide(out_ptr, a, b):
    out = asctile.global_tensor(out_ptr, [4])
    for k, value in enumerate((a / b, a // b, a % b, a * 2147483647)):
        asctile.copy_out(value, out, [k])


def test_scalar_arithmetic() -> None:
    out = np.zeros(4, np.int32)
    for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2)):
        divide[1](out, a, b)
        wrapped = (a * 2147483647 + 2**31) % 2**32 - 2**31
        assert list(out) == [math.trunc(a / b), a // b, a % b, wrapped]
    with pytest.raises(DeviceFaultError, match="undefined"):
        divide[1](out, 1, 0)


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (-3.9, "float32", "int32", -3),
        (3e9, "float32", "int32", scalars.UNDEFINED),
        (math.nan, "float32", "int32", scalars.UNDEFINED),
        (300, "int32", "int8", 44),
        (-1, "int32", "uint16", 65535),
        (2**24 + 1, "int32", "float32", 2.0**24),
        (2**53 + 1, "int64", "float32", 2.0**53),
        (2**40 + 2**16 + 1, "int64", "float32", 2.0**40 + 2.0**17),  # rounded once, not through float64
        (1e6, "float32", "float16", math.inf),
        (1 + 2**-8, "float32", "bfloat16", 1.0),
        (0.5, "float32", "int1", True),
    ],
)
def test_scalar_conversions(value: Any, source: str, target: str, expected: Any) -> None:
    assert scalars.convert(value, DataType(source), DataType(target)) == expected


def numbers() -> np.ndarray:
    rng = np.random.default_rng(5)
    spread = rng.standard_normal(4000) * 2.0 ** rng.integers(-150, 140, 4000)
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, 65504, 65520, 65519.99, -65536, 3.3895e38, 3.4e38, 6e-8, 1e-45]
    return np.concatenate([spread, special, 1 + np.arange(64) / 4096, 2.0**-14 * (1 + np.arange(64) / 8192)])


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32"])
def test_rounding_to_floats(name: str) -> None:
    dtype, x = DataType(name), numbers()
    held = np.dtype(getattr(ml_dtypes, name, name))
    with np.errstate(all="ignore"):
        nearest = numeric.round_to_float(x, dtype).astype(held)
        assert np.array_equal(nearest, x.astype(held), equal_nan=True)
        modes = ("CAST_FLOOR", "CAST_CEIL", "CAST_TRUNC", "CAST_ODD")
        down, up, cut, odd = (numeric.round_to_float(x, dtype, mode).astype(np.float64) for mode in modes)
        above = np.nextafter(down.astype(held), held.type(math.inf)).astype(np.float64)
    known = ~np.isnan(x)
    assert (down <= x)[known].all() and (up >= x)[known].all() and (np.abs(cut) <= np.abs(x))[known].all()
    exact = nearest.astype(np.float64) == x
    assert (down == up)[exact].all() and (down < up)[known & ~exact].all()
    assert (above == up)[known & ~exact & np.isfinite(down)].all()
    assert np.array_equal(cut[known], np.where(x < 0, up, down)[known])
    last_bit = odd.astype(held).view(f"u{held.itemsize}") & 1
    assert (last_bit == 1)[known & ~exact & np.isfinite(x)].all() and (odd == x)[exact].all()


def test_rounding_to_integers() -> None:
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.4, -0.6, 7.0])
    expected = {"RINT": [0, 2, 2, -0.0, -2, 0, -1, 7], "FLOOR": [0, 1, 2, -1, -2, 0, -1, 7],
                "CEIL": [1, 2, 3, -0.0, -1, 1, -0.0, 7], "ROUND": [1, 2, 3, -1, -2, 0, -1, 7],
                "TRUNC": [0, 1, 2, -0.0, -1, 0, -0.0, 7]}  # fmt: skip
    for mode, results in expected.items():
        assert numeric.round_to_integral(x, f"CAST_{mode}").tolist() == results, mode
    wild = np.array([1e30, -1e30, math.inf, -math.inf, math.nan, 127.0, -129.0])
    assert numeric.saturate(wild, DataType("int8")).tolist() == [127, -128, 127, -128, 0, 127, -128]
    assert numeric.saturate(wild, DataType("int64")).tolist()[:2] == [2**63 - 1, -(2**63)]
    assert numeric.saturate(np.array([70000, -70000, 5], np.int32), DataType("int16")).tolist() == [32767, -32768, 5]


def test_an_operation_without_a_meaning_is_refused() -> None:
    if not hasattr(asctile, "inline"):
        pytest.skip("there is no such operation yet")
    with pytest.raises(LoweringError, match="no meaning for the Reference backend"):
        raw[1](np.zeros(4, np.int32))


@asctile.jit
def raw(out_ptr):
    asctile.inline("PipeBarrier<PIPE_ALL>()")


def test_a_dry_run_translates_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYASC_DRY_RUN", "1")
    x, out = np.ones(16, np.float32), np.zeros(16, np.float32)
    scale[1](x, out, 16, 2.0)
    assert not out.any()


def test_the_sign_of_zeros_does_not_depend_on_the_order() -> None:
    zeros = np.array([0.0, -0.0])
    for a, b in itertools.product(zeros, repeat=2):
        pair, both = np.array([a, b]), np.signbit(a) and np.signbit(b)
        one = np.signbit(a) or np.signbit(b)
        assert np.signbit(numeric.larger(np.array([a]), np.array([b])))[0] == both
        assert np.signbit(numeric.smaller(np.array([a]), np.array([b])))[0] == one
        assert np.signbit(numeric.largest(pair, axis=(0,), keepdims=False)) == both
        assert np.signbit(numeric.smallest(pair, axis=(0,), keepdims=True))[0] == one
    mixed = numeric.larger(np.array([-1.0, np.nan, 2.0, -0.0]), np.array([-0.0, 0.0, np.nan, -3.0]))
    np.testing.assert_array_equal(mixed, [-0.0, np.nan, np.nan, -0.0])
    assert np.signbit(mixed[[0, 3]]).all()
    assert numeric.larger(np.array([-1, 3], np.int32), np.array([0, -3], np.int32)).tolist() == [0, 3]


@asctile.jit
def to_the_half(x_ptr, out_ptr, n):
    x, out = asctile.global_tensor(x_ptr, [n]), asctile.global_tensor(out_ptr, [n])
    asctile.copy_out(asctile.copy_in(x, [0], [16]) ** 0.5, out, [0])


def test_a_power_is_not_a_square_root() -> None:
    x = np.ones(16, np.float32)
    x[:4] = [-np.inf, -0.0, 4, -1]
    out = np.empty_like(x)
    to_the_half[1](x, out, 16)
    assert out[:3].tolist() == [np.inf, 0, 2] and not np.signbit(out[1]) and np.isnan(out[3])
