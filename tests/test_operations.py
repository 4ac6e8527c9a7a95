"""Every operation x element type x architecture x memory style, on the checked CPU build, against NumPy.

Expectations are computed here, independently of the package: integers by NumPy with wrap-around, floats in float64 and
rounded once to the element type.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import ml_dtypes
import numpy as np
import pytest
from tests.support.batch import Batch, Case, in_styles

from pyasc_transpile import asctile

SIZE, TILE = 190, 200  # neither is a multiple of a block, and the tile hangs over the end
FLOATS = ("float16", "bfloat16", "float32")
INTEGERS = ("int16", "int32")
DTYPES = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in (*FLOATS, *INTEGERS, "int8", "int64")}


@asctile.jit
def apply_tiles(x_ptr, y_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], ops: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [tile])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [size]), [0], [tile])
    for k, op in enumerate(ops):
        asctile.copy_out(op(x, y), asctile.global_tensor(out_ptr + k * size, [size]), [0])


@asctile.jit
def apply_number(x_ptr, number, out_ptr, size: int, tile: asctile.ConstExpr[int], ops: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [tile])
    for k, op in enumerate(ops):
        asctile.copy_out(op(x, number), asctile.global_tensor(out_ptr + k * size, [size]), [0])


@asctile.jit
def convert(x_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], modes: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [tile])
    for k, mode in enumerate(modes):
        out_gm = asctile.global_tensor(out_ptr + k * size, [size])
        asctile.copy_out(x.to(out_gm.dtype, mode), out_gm, [0])


class Op:
    """An operation with its independent meaning; hashable content for cache keys is its name."""

    def __init__(self, name: str, build: Callable[..., Any], expect: Callable[..., Any], kinds: str = "fi") -> None:
        self.name, self.build, self.expect, self.kinds = name, build, expect, kinds

    def __call__(self, *args: Any) -> Any:
        return self.build(*args)

    def __repr__(self) -> str:
        return f"Op({self.name})"


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}


def _comparison(name: str, test: Callable[[Any, Any], Any]) -> Op:
    return Op(name, lambda x, y: asctile.where(test(x, y), x, y), lambda x, y: np.where(test(x, y), x, y))


def _narrow_comparison(name: str, test: Callable[[Any, Any], Any]) -> Op:
    """Bytes can be compared, but are selected as float16."""

    def build(x: Any, y: Any) -> Any:
        return asctile.where(test(x, y), x.to(asctile.float16), y.to(asctile.float16)).to(asctile.int8)

    return Op(name, build, _comparison(name, test).expect)


BINARY = (
    Op("add", lambda x, y: x + y, lambda x, y: x + y),
    Op("sub", lambda x, y: x - y, lambda x, y: x - y),
    Op("mul", lambda x, y: x * y, lambda x, y: x * y),
    Op("div", lambda x, y: x / y, lambda x, y: x / y, "f"),
    Op("maximum", lambda x, y: asctile.maximum(x, y), np.maximum),
    Op("minimum", lambda x, y: asctile.minimum(x, y), np.minimum),
    *(_comparison(*each) for each in COMPARISONS.items()),
    Op("gt1", lambda x, y: asctile.where(x > y, x, 1), lambda x, y: np.where(x > y, x, np.ones_like(x))),
    Op(
        "between",
        lambda x, y: asctile.where((x > y) & ~(x > 2) | (x == 0), y, x),
        lambda x, y: np.where((x > y) & ~(x > 2) | (x == 0), y, x),
    ),
    Op(
        "one_of",
        lambda x, y: asctile.where((x > y) ^ (x > 2), x, y),
        lambda x, y: np.where((x > y) ^ (x > 2), x, y),
    ),
)
MASKS = ("between", "one_of")  # not for every pair of a tile and a number
REFLECTED = (
    Op("radd", lambda x, n: n + x, lambda x, n: n + x),
    Op("rsub", lambda x, n: n - x, lambda x, n: n - x),
    Op("rmul", lambda x, n: n * x, lambda x, n: n * x),
    Op("rdiv", lambda x, n: n / x, lambda x, n: n / x, "f"),
    Op("rlt", lambda x, n: asctile.where(n < x, x, n), lambda x, n: np.where(n < x, x, n)),
)
BITS = (
    Op("and", lambda x, y: x & y, lambda x, y: x & y),
    Op("or", lambda x, y: x | y, lambda x, y: x | y),
    Op("xor", lambda x, y: x ^ y, lambda x, y: x ^ y),
    Op("not", lambda x, y: ~x, lambda x, y: ~x),
)
WIDE_SHIFTS = tuple(
    Op(f"{name}{bits}", lambda x, y, f=f, bits=bits: f(x, bits), lambda x, y, f=f, bits=bits: f(x, bits))
    for name, f in (("left", lambda x, n: x << n), ("right", lambda x, n: x >> n))
    for bits in (0, 1, 31, 32, 33, 63)
)
SHIFTS = (
    Op("left", lambda x, n: x << n, lambda x, n: x << n),
    Op("right", lambda x, n: x >> n, lambda x, n: x >> n),
)
NARROW = tuple(_narrow_comparison(*each) for each in COMPARISONS.items())
UNARY = (
    Op("negative", lambda x: -x, lambda x: -x),
    Op("abs", lambda x: asctile.abs(x), np.abs, "f16 f32 i"),
    Op("relu", lambda x: asctile.relu(x), lambda x: np.maximum(x, 0), "f16 f32 i"),
    Op("floor", lambda x: asctile.floor(x), np.floor, "f16 f32"),
    Op("ceil", lambda x: asctile.ceil(x), np.ceil, "f16 f32"),
    Op("exp", lambda x: asctile.exp(x), np.exp, "f16 f32"),
    Op("log", lambda x: asctile.log(asctile.abs(x)), lambda x: np.log(np.abs(x)), "f16 f32"),
    Op("sqrt", lambda x: asctile.sqrt(asctile.abs(x)), lambda x: np.sqrt(np.abs(x)), "f16 f32"),
    Op("rsqrt", lambda x: asctile.rsqrt(asctile.abs(x)), lambda x: 1 / np.sqrt(np.abs(x)), "f16 f32"),
)
SHORT = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}


def applies(op: Op, dtype: str) -> bool:
    kinds = op.kinds.split()
    if dtype in SHORT:
        return "f" in op.kinds.replace(SHORT[dtype], "").split() or "fi" in kinds or SHORT[dtype] in kinds
    return "fi" in kinds or "i" in kinds


def values(dtype: str, seed: int) -> np.ndarray:
    """Numbers of a type, extremes included."""
    rng = np.random.default_rng(seed)
    np_dtype = DTYPES[dtype]
    if dtype in FLOATS:
        numbers = rng.standard_normal(SIZE) * 4
        special = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, math.inf, -math.inf, math.nan, 3.0]
        numbers[: len(special)] = rng.permutation(special)
        return numbers.astype(np.float32).astype(np_dtype)
    info = np.iinfo(np_dtype)
    numbers = rng.integers(info.min, info.max, SIZE, np_dtype, endpoint=True)
    small = rng.integers(-5, 6, SIZE // 2)
    numbers[::2][: small.size] = small
    numbers[:4] = [info.min, info.max, 0, -1]
    return numbers


def exact(op: Op, dtype: str, *operands: Any) -> np.ndarray:
    """What an operation must give: computed wide, rounded once."""
    np_dtype = DTYPES[dtype]
    with np.errstate(all="ignore"):
        if dtype in FLOATS:
            wide = [np.asarray(operand).astype(np.float64) for operand in operands]
            return (
                np.asarray(op.expect(*wide)).astype(np.float32 if dtype != "float16" else np.float16).astype(np_dtype)
                if dtype != "bfloat16"
                else round_bfloat16(op.expect(*wide))
            )
        typed = [np.asarray(operand).astype(np_dtype) for operand in operands]
        return np.asarray(op.expect(*typed)).astype(np_dtype)


def round_bfloat16(numbers: Any) -> np.ndarray:
    """float64 to bfloat16, rounded once to nearest even.

    The device rounds the float32 result of the operation; + - * of bfloat16 operands that differ from it only by that
    intermediate rounding are covered by ``close``.
    """
    return np.asarray(numbers, np.float64).astype(np.float32).astype(ml_dtypes.bfloat16)


def ulps(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Distance in units in the last place; NaN equals NaN, signed zeros are equal."""
    kind = {2: np.int16, 4: np.int32}[actual.dtype.itemsize]
    sign = np.int64(np.iinfo(kind).min)

    def ordered(array: np.ndarray) -> np.ndarray:
        bits = array.view(kind).astype(np.int64)
        return np.where(bits < 0, sign - bits, bits)

    distance = np.abs(ordered(actual) - ordered(expected))
    both_nan = np.isnan(actual.astype(np.float32)) & np.isnan(expected.astype(np.float32))
    return np.where(both_nan, 0, distance)


# Units in the last place by which the functions may differ from the correctly rounded result.
BOUNDS = {"exp": 1, "log": 1, "rsqrt": 1}


def compare(label: str, op: Op, dtype: str, actual: np.ndarray, expected: np.ndarray) -> list[str]:
    if dtype in FLOATS:
        far = ulps(actual, expected) > BOUNDS.get(op.name, 0)
    else:
        far = actual != expected
    if not far.any():
        return []
    at = int(np.argmax(far))
    return [f"{label} {op.name} {dtype}: {int(far.sum())} differ, first at {at}: {actual[at]} != {expected[at]}"]


def case_tiles(label: str, ops: tuple[Op, ...], dtype: str, seed: int) -> Case:
    chosen = tuple(op for op in ops if applies(op, dtype))
    x, y = values(dtype, seed), values(dtype, seed + 1)
    y[20:40] = x[20:40]
    out = np.zeros(len(chosen) * SIZE, DTYPES[dtype])
    case = Case(f"{label} {dtype}", apply_tiles, (x, y, out, SIZE, TILE, chosen))

    def check() -> list[str]:
        rows = out.reshape(len(chosen), SIZE)
        return [m for op, row in zip(chosen, rows) for m in compare(label, op, dtype, row, exact(op, dtype, x, y))]

    case.check = check
    return case


def case_unary(dtype: str, seed: int) -> Case:
    chosen = tuple(op for op in UNARY if applies(op, dtype))
    wrapped = tuple(Op(op.name, lambda x, y, _op=op: _op(x), lambda x, y, _op=op: _op.expect(x)) for op in chosen)
    x, y = values(dtype, seed), values(dtype, seed + 1)
    out = np.zeros(len(chosen) * SIZE, DTYPES[dtype])
    case = Case(f"unary {dtype}", apply_tiles, (x, y, out, SIZE, TILE, wrapped))

    def check() -> list[str]:
        rows = out.reshape(len(chosen), SIZE)
        return [m for op, row in zip(wrapped, rows) for m in compare("unary", op, dtype, row, exact(op, dtype, x, y))]

    case.check = check
    return case


def case_number(
    label: str, ops: tuple[Op, ...], dtype: str, number: Any, constant: bool, seed: int
) -> Case:
    chosen = tuple(op for op in ops if applies(op, dtype))
    x = values(dtype, seed)
    out = np.zeros(len(chosen) * SIZE, DTYPES[dtype])
    passed = asctile.ConstExpr(number) if constant else number
    case = Case(f"{label} {dtype} {number}", apply_number, (x, passed, out, SIZE, TILE, chosen))

    def check() -> list[str]:
        rows = out.reshape(len(chosen), SIZE)
        rounded = np.asarray(number).astype(np.float32 if dtype in FLOATS else DTYPES[dtype]).astype(DTYPES[dtype])
        return [
            m for op, row in zip(chosen, rows) for m in compare(label, op, dtype, row, exact(op, dtype, x, rounded))
        ]

    case.check = check
    return case


CASTS = {
    "int8": ("int16", "int32", "float16", "float32"),
    "int16": ("int32", "int64", "float16", "bfloat16", "float32"),
    "int32": ("int16", "int64", "float16", "float32"),
    "int64": ("int32", "float32"),
    "float16": ("int8", "int16", "int32", "int64", "bfloat16", "float32"),
    "bfloat16": ("int16", "int32", "int64", "float16", "float32"),
    "float32": ("int16", "int32", "int64", "float16", "bfloat16"),
}
MODES = (
    asctile.RoundMode.Default,
    asctile.RoundMode.Rint,
    asctile.RoundMode.Floor,
    asctile.RoundMode.Ceil,
    asctile.RoundMode.Round,
    asctile.RoundMode.Trunc,
)
_ROUND = {
    asctile.RoundMode.Rint: np.rint,
    asctile.RoundMode.Floor: np.floor,
    asctile.RoundMode.Ceil: np.ceil,
    asctile.RoundMode.Round: lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    asctile.RoundMode.Trunc: np.trunc,
}


def case_cast(source: str, target: str, seed: int) -> Case:
    x = values(source, seed)
    to_integer = target not in FLOATS
    modes = MODES if source in FLOATS and to_integer else MODES[:1]
    if to_integer and source in FLOATS:
        x = np.where(np.abs(x.astype(np.float32)) < 100, x, 2.5).astype(
            x.dtype
        )  # in range: saturation has its own tests
        x[:8] = np.asarray([0.5, 1.5, -0.5, -1.5, 2.5, -2.5, 0.0, -0.0]).astype(x.dtype)
    if not to_integer and source not in FLOATS:
        x = np.clip(x, -60000, 60000) if target == "float16" else x
    if to_integer and source not in FLOATS and DTYPES[target].itemsize < DTYPES[source].itemsize:
        x = np.clip(x, *(np.iinfo(DTYPES[target]).min, np.iinfo(DTYPES[target]).max)).astype(x.dtype)
    out = np.zeros(len(modes) * SIZE, DTYPES[target])
    case = Case(f"cast {source} {target}", convert, (x, out, SIZE, TILE, modes))

    def check() -> list[str]:
        messages = []
        for mode, row in zip(modes, out.reshape(len(modes), SIZE)):
            if to_integer and source in FLOATS:
                rounding = _ROUND.get(mode, np.trunc)
                expected = rounding(x.astype(np.float64)).astype(DTYPES[target])
            elif to_integer:
                expected = x.astype(DTYPES[target])
            elif target == "bfloat16":
                expected = x.astype(np.float64).astype(np.float32).astype(ml_dtypes.bfloat16)
            else:
                with np.errstate(over="ignore"):
                    expected = x.astype(np.float64).astype(DTYPES[target])
            op = Op(f"{mode.name}", lambda: None, lambda: None)
            messages += compare(f"cast {source}", op, target, row, expected)
        return messages

    case.check = check
    return case


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = []
    for seed, dtype in enumerate((*FLOATS, *INTEGERS)):
        cases.append(case_tiles("binary", BINARY, dtype, seed))
        cases.append(case_unary(dtype, seed))
        number = 1.5 if dtype in FLOATS else 3
        without_cast = tuple(op for op in BINARY if op.name not in MASKS)
        cases.append(case_number("number", without_cast, dtype, number, True, seed))
        cases.append(case_number("reflected", REFLECTED, dtype, number, True, seed))
        cases.append(case_number("scalar", without_cast[:6], dtype, number, False, seed))
    for seed, dtype in enumerate(("int8", "int16", "int32", "int64")):
        cases.append(case_tiles("bits", BITS, dtype, seed))
        if dtype != "int8" and (dtype != "int64" or architecture == "c310"):
            for number, constant in ((3, True), (5, False)):
                cases.append(case_number("shift", SHIFTS, dtype, number, constant, seed))
    cases.append(case_tiles("narrow", NARROW, "int8", 4))
    for source, targets in CASTS.items():
        cases += [case_cast(source, target, 7) for target in targets]
    if architecture == "c310":
        division = (Op("div", lambda x, y: x / asctile.where(y == 0, 1, y), _truncated),)
        cases += [case_tiles("int div", division, dtype, 3) for dtype in INTEGERS]
    whole = [op for op in BINARY if op.name in ("add", "sub", "mul", "maximum", "minimum")]
    cases.append(case_tiles("int64", whole, "int64", 3))
    cases.append(case_tiles("shifts", WIDE_SHIFTS, "int64", 4))
    cases.append(case_unary("int64", 5))
    for number in (3, -1, 2**40 + 5, -(2**33)):
        for constant in (True, False):
            cases.append(case_number("int64", whole, "int64", number, constant, 6))
    cases.append(case_number("reflected int64", REFLECTED[:3], "int64", 2**35 + 1, True, 7))
    return cases


def _truncated(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    safe = np.where(y == 0, 1, y).astype(np.int64)
    quotient = np.abs(x.astype(np.int64)) // np.abs(safe)
    return np.where((x < 0) != (safe < 0), -quotient, quotient).astype(x.dtype)


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_every_operation(architecture: str, tmp_path: Any) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))
