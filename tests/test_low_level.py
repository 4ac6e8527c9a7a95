"""Single instructions on tiles, written in a kernel: the checked CPU build against NumPy, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects_about, in_styles
from tests.support.refusals import Refusal, check_refusal, refusals

from pyasc_transpile import asctile
from pyasc_transpile.asctile import low_level as asc
from pyasc_transpile.errors import LoweringError
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

SIZE = 256
Binary = {
    "add": lambda x, y, d: x + y, "sub": lambda x, y, d: x - y, "mul": lambda x, y, d: x * y,
    "div": lambda x, y, d: x / y, "max": lambda x, y, d: np.maximum(x, y), "min": lambda x, y, d: np.minimum(x, y),
    "add_relu": lambda x, y, d: np.maximum(x + y, 0), "sub_relu": lambda x, y, d: np.maximum(x - y, 0),
    "mul_add_dst": lambda x, y, d: x * y + d, "fused_mul_add": lambda x, y, d: x * d + y,
    "fused_mul_add_relu": lambda x, y, d: np.maximum(x * d + y, 0),
}  # fmt: skip
UNARY = {
    "abs": np.abs, "exp": np.exp, "ln": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x, "relu": lambda x: np.maximum(x, 0),
}  # fmt: skip
SCALAR = {
    "adds": lambda x, s, d: x + s, "muls": lambda x, s, d: x * s, "maxs": lambda x, s, d: np.maximum(x, s),
    "mins": lambda x, s, d: np.minimum(x, s), "leaky_relu": lambda x, s, d: np.where(x >= 0, x, x * s),
    "axpy": lambda x, s, d: x * s + d,
}  # fmt: skip


def fresh(dtype: Any = asctile.float32, size: int = SIZE) -> Any:
    return asctile.to_asc(asctile.zeros([size], dtype))


@asctile.jit
def families(x_ptr, y_ptr, out_ptr, s: float, n: int):
    """Every call of two tensors, one tensor, and a tensor and a number: for some elements, and for some repeats."""
    x = asctile.to_asc(asctile.copy_in(asctile.global_tensor(x_ptr, [SIZE]), [0], [SIZE]))
    y = asctile.to_asc(asctile.copy_in(asctile.global_tensor(y_ptr, [SIZE]), [0], [SIZE]))
    out = asctile.to_asc(asctile.global_tensor(out_ptr, [n * SIZE]))
    strides, pair = asc.BinaryRepeatParams(), asc.UnaryRepeatParams(1, 1, 8, 8)
    turn = 0
    for name in Binary:
        target = fresh()
        asc.data_copy(target, y, 200)
        getattr(asc, name)(target, x, y, count=100)
        getattr(asc, name)(target[128], x[128], y[128], mask=40, repeat_times=1, repeat_params=strides)
        asc.data_copy(out[turn * SIZE], target, SIZE)
        turn += 1
    for name in UNARY:
        target = fresh()
        getattr(asc, name)(target, x, 100)
        getattr(asc, name)(target[128], x[128], 40, 2, pair)
        asc.data_copy(out[turn * SIZE], target, SIZE)
        turn += 1
    for name in SCALAR:
        target = fresh()
        asc.data_copy(target, y, 200)
        getattr(asc, name)(target, x, s, 100)
        getattr(asc, name)(target[128], x[128], 0.5, mask=40, repeat_times=1, repeat_params=pair)
        asc.data_copy(out[turn * SIZE], target, SIZE)
        turn += 1


def expected_families(x: np.ndarray, y: np.ndarray, s: float) -> np.ndarray:
    rows = []

    def row(start: np.ndarray, head: np.ndarray, later: np.ndarray, places: list[slice]) -> None:
        row = start.copy()
        row[:100] = head[:100]
        for place in places:
            row[place] = later[place]
        rows.append(row)

    copied = np.where(np.arange(SIZE) < 200, y, 0)
    with np.errstate(all="ignore"):
        for binary in Binary.values():
            values = binary(x, y, copied)
            row(copied, values, values, [slice(128, 168)])
        for unary in UNARY.values():
            row(np.zeros(SIZE), unary(x), unary(x), [slice(128, 168), slice(192, 232)])
        for scalar in SCALAR.values():
            row(copied, scalar(x, s, copied), scalar(x, 0.5, copied), [slice(128, 168)])
    return np.stack(rows)


@asctile.jit
def integers(x_ptr, out_ptr, bits: int):
    x = asctile.to_asc(asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64]))
    out = asctile.global_tensor(out_ptr, [6, 64])
    a, b, c, d, e, f = (asctile.zeros([64], asctile.int16) for _ in range(6))
    asc.bitwise_and(asctile.to_asc(a), x, x[32], 32)
    asc.bitwise_or(asctile.to_asc(b), x, x[32], 32)
    asc.bitwise_not(asctile.to_asc(c), x, 64)
    asc.shift_left(asctile.to_asc(d).reinterpret_cast(asctile.DataType("uint16")), x.reinterpret_cast(U16), bits, 64)
    asc.shift_right(asctile.to_asc(e), x, 3, 64)
    asc.duplicate(asctile.to_asc(f), -7, bits)
    for k, tile in enumerate((a, b, c, d, e, f)):
        asctile.copy_out(tile.reshape(1, 64), out, [k, 0])


U16 = asctile.DataType("uint16")


def expected_integers(x: np.ndarray, bits: int) -> np.ndarray:
    expected = np.zeros((6, 64), np.int16)
    expected[0, :32], expected[1, :32] = x[:32] & x[32:], x[:32] | x[32:]
    expected[2:5] = ~x, (x.astype(np.int64) << bits).astype(np.int16), x >> 3
    expected[5, :bits] = -7
    return expected


@asctile.jit
def choices(x_ptr, y_ptr, out_ptr, limit: float):
    """Comparison, selection, conversion, reductions, single elements, gathers and copies with parameters."""
    x_gm, out = asctile.global_tensor(x_ptr, [SIZE]), asctile.global_tensor(out_ptr, [8, SIZE])
    x, y, out_asc = fresh(), fresh(), asctile.to_asc(out)
    asc.data_copy(x, asctile.to_asc(x_gm), SIZE)
    y_gm = asctile.to_asc(asctile.global_tensor(y_ptr, [SIZE]))
    asc.data_copy(y, y_gm, repeat_params=asc.DataCopyParams(2, 16, 0, 0))
    chosen = asctile.to_asc(asctile.zeros([SIZE // 8], asctile.int8)).reinterpret_cast(asctile.DataType("uint8"))
    result = fresh()
    asc.compare(chosen, x, y, asc.CMPMODE.LT, SIZE)
    asc.select(result, chosen, x, y, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, SIZE)
    asc.data_copy(out_asc, result, SIZE)
    asc.compare_scalar(chosen, x, limit, cmp_mode=asc.CMPMODE.GE, count=SIZE)
    asc.select(result, chosen, x, -1.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, SIZE)
    asctile.copy_out(asctile.from_asc(result).reshape(1, SIZE), out, [1, 0])
    whole = fresh(asctile.int32)
    asc.cast(whole, x, asc.RoundMode.CAST_FLOOR, SIZE)
    asc.cast(result, whole, round_mode=asc.RoundMode.CAST_RINT, count=SIZE)
    asc.data_copy_pad(out_asc[2 * SIZE], result, asc.DataCopyExtParams(1, SIZE * 4, 0, 0, 0))
    total, scratch = fresh(size=64), fresh()
    asc.reduce_sum(total, x, scratch, SIZE)
    asc.reduce_max(total[8], x, scratch, SIZE)
    asc.reduce_min(total[16], x, scratch, SIZE)
    asc.whole_reduce_sum(total[24], x, 64, 4, 1, 1, 8)
    asc.whole_reduce_max(total[32], x, 64, 4, 1, 1, 8, asc.ReduceOrder.ORDER_ONLY_VALUE)
    asc.block_reduce_min(total[40], x, 1, 64, 1, 1, 8)
    total.set_value(63, total.get_value(8) + asctile.to_asc(x_gm).get_value(3))
    asc.data_copy(out_asc[3 * SIZE], total, 64)
    places = fresh(asctile.int32, 64)
    asc.duplicate(places, 12, 64)
    places.set_value(1, 4)
    gathered = fresh(size=64)
    asc.gather(gathered, x, places.reinterpret_cast(asctile.DataType("uint32")), 8, 64)
    asc.data_copy(out_asc[4 * SIZE], gathered, 64)
    asc.copy(gathered, x, 8, 3, asc.CopyRepeatParams(1, 1, 2, 8))
    asc.data_copy(out_asc[5 * SIZE], gathered, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)


def expected_choices(x: np.ndarray, y: np.ndarray, limit: float) -> np.ndarray:
    expected = np.zeros((8, SIZE), np.float32)
    expected[0] = np.where(x < y, x, y)
    expected[1] = np.where(x >= np.float32(limit), x, -1)
    expected[2] = np.floor(x)
    row = expected[3]
    row[0], row[8], row[16] = x.sum(dtype=np.float64), x.max(), x.min()
    row[24:28], row[32:36] = x.reshape(4, 64).sum(axis=1), x.reshape(4, 64).max(axis=1)
    row[40:48], row[63] = x[:64].reshape(8, 8).min(axis=1), x.max() + x[3]
    expected[4, :64] = x[5]
    expected[4, 1] = x[3]
    expected[5, :64] = expected[4, :64]
    for k in range(3):
        expected[5, 16 * k : 16 * k + 8] = x[64 * k : 64 * k + 8]
    return expected


@asctile.jit
def in_loops(x_ptr, out_ptr, n: int):
    """A loaded tile changed in place, and one carried around the loop, in overlapping iterations."""
    x_gm, out = asctile.global_tensor(x_ptr, [n * 64]), asctile.global_tensor(out_ptr, [(n + 1) * 64])
    total = asctile.zeros([64], asctile.float32)
    for i in asctile.range(n, unroll_factor=2):
        x = asctile.copy_in(x_gm, [i * 64], [64])
        asc.muls(asctile.to_asc(x), asctile.to_asc(x), 2.0, 64)
        if i % 2 == 1:
            asc.adds(asctile.to_asc(x), asctile.to_asc(x), 1.0, 64)
        asc.add(asctile.to_asc(total), asctile.to_asc(total), asctile.to_asc(x), 64)
        asctile.copy_out(x, out, [i * 64])
    asctile.copy_out(total, out, [n * 64])


def all_cases(architecture: str, style: str) -> list[Case]:
    cases = []

    def add(kernel: Any, operands: Any, shape: tuple[int, ...], wanted: np.ndarray, *more: Any, **options: Any) -> None:
        out = np.zeros(shape, operands[0].dtype)
        check = expects_about(out, wanted, atol=1e-6)
        cases.append(Case(kernel.function.__name__, kernel, (*operands, out, *more), options=options, check=check))

    rng = np.random.default_rng(5)
    x, y = rng.uniform(0.5, 4, SIZE).astype(np.float32), rng.uniform(0.5, 4, SIZE).astype(np.float32)
    signed = rng.uniform(-4, 4, SIZE).astype(np.float32)
    turns = len(Binary) + len(UNARY) + len(SCALAR)
    add(families, (x, y), (turns, SIZE), expected_families(x, y, 1.5), 1.5, turns)
    i = rng.integers(-(2**15), 2**15, 64, np.int16)
    add(integers, (i,), (6, 64), expected_integers(i, 5), 5)
    add(choices, (signed, y), (8, SIZE), expected_choices(signed, y, 1.0), 1.0)
    rows = rng.uniform(-4, 4, (5, 64)).astype(np.float32)
    doubled = rows * 2 + (np.arange(5) % 2)[:, None].astype(np.float32)
    for reuse in (0, 2):
        add(in_loops, (rows,), (6, 64), np.vstack([doubled, doubled.sum(axis=0)]), 5, reuse_alloc=reuse)
    return cases


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_calls(architecture: str, tmp_path: Path) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))


def test_a_call_is_one_line_of_text() -> None:
    @asctile.jit
    def kernel(x_ptr, out_ptr):
        x = asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64])
        asc.muls(asctile.to_asc(x)[8], asctile.to_asc(x), 3.0, 8)
        asctile.copy_out(x, asctile.global_tensor(out_ptr, [64]), [0])

    signature = parse_signature(kernel, "x_ptr: *f32, out_ptr: *f32")
    made = transpile(kernel, signature, find_platform(PLATFORMS["c310"]), kernel.options)
    assert "Muls(x[8], x, 3.0f, 8);" in made.source


def test_an_architecture_without_the_instruction() -> None:
    @asctile.jit
    def kernel(x_ptr):
        x = asctile.to_asc(asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64]))
        asc.div(x, x, x, 64)

    signature = parse_signature(kernel, "x_ptr: *i32")
    with pytest.raises(LoweringError, match="c220 has no div for int32 in this form"):
        transpile(kernel, signature, find_platform(PLATFORMS["c220"]), kernel.options)
    transpile(kernel, signature, find_platform(PLATFORMS["c310"]), kernel.options)


REFUSED: list[Refusal] = []
refused = refusals(REFUSED, asctile.jit)


def tile_of(p: Any) -> Any:
    return asctile.copy_in(asctile.global_tensor(p, [16]), [0], [16])


@refused(TypeError, "dst must be a tensor in UB made by to_asc, not a tile; give to_asc(tile)")
def a_tile(p, n):
    asc.exp(tile_of(p), asctile.to_asc(tile_of(p)), 8)  # here


@refused(TypeError, "abs: count is missing; it is called as abs(dst:local, src:local, count:int) or")
def no_count(p, n):
    asc.abs(asctile.to_asc(tile_of(p)), asctile.to_asc(tile_of(p)))  # here


@refused(TypeError, "cmp_mode must be an asc.CMPMODE, not str 'LT'")
def mode_as_text(p, n):
    asc.compare(asctile.to_asc(tile_of(p)), asctile.to_asc(tile_of(p)), asctile.to_asc(tile_of(p)), "LT", 16)  # here


@refused(TypeError, "adds always sets the mask")
def no_mask(p, n):
    asc.adds(asctile.to_asc(tile_of(p)), asctile.to_asc(tile_of(p)), 1.0, 16, is_set_mask=False)  # here


@refused(TypeError, "UnaryRepeatParams has 4 fields, not 5")
def too_many_fields(p, n):
    asc.UnaryRepeatParams(1, 2, 3, 4, 5)  # here


@refused(TypeError, "event must be a HardEvent, not str 'V_MTE3'")
def event_as_text(p, n):
    asc.set_flag("V_MTE3", 0)  # here


@refused(RuntimeError, "from_asc takes a whole tensor of the tile's own type, or a part of a tile of one dimension")
def other_type(p, n):
    asctile.from_asc(asctile.to_asc(tile_of(p)).reinterpret_cast(asctile.int32))  # here


@pytest.mark.parametrize("refusal", REFUSED, ids=[kernel.function.__name__ for kernel, _, _ in REFUSED])
def test_refused(refusal: Refusal) -> None:
    check_refusal(refusal, "p: *f32, n: i32")
