"""inline_vf with the register instructions of c310: right results on every build, faults found, cycles counted."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pyasc_transpile import asctile
from pyasc_transpile.errors import DeviceFaultError, ToolchainError
from pyasc_transpile.host import model
from pyasc_transpile.host.platform import reset_platform
from pyasc_transpile.targets import find_platform

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("g++", "c++", "clang++")), reason="no C++ compiler on this machine"
)

CHIP = "Ascend950PR_9599"
BUILDS = {"fast": ("CPU", False), "checked": ("CPU", True), "timed": ("Model", False)}

# x / (1 + exp(-x)) over $n elements: a loop over registers, the last one in part.
SWISH = """
    __ubuf__ float* to = (__ubuf__ float*)$0.GetPhyAddr();
    __ubuf__ float* from = (__ubuf__ float*)$1.GetPhyAddr();
    uint32_t left = $1.GetSize();
    uint16_t times = (left + 63) / 64;
    MicroAPI::RegTensor<float> x, y;
    for (uint16_t i = 0; i < times; ++i) {
        MicroAPI::MaskReg mask = MicroAPI::UpdateMask<float>(left);
        MicroAPI::LoadAlign<float, MicroAPI::PostLiteral::POST_MODE_UPDATE>(x, from, 64);
        MicroAPI::Muls(y, x, -1.0f, mask);
        MicroAPI::Exp(y, y, mask);
        MicroAPI::Adds(y, y, 1.0f, mask);
        MicroAPI::Div(y, x, y, mask);
        MicroAPI::StoreAlign<float, MicroAPI::PostLiteral::POST_MODE_UPDATE>(to, y, 64, mask);
    }
"""

# Softmax of rows of 64 floats as half: reductions, a broadcast of lane 0, a narrowing cast.
SOFTMAX = """
    __ubuf__ half* to = (__ubuf__ half*)$0.GetPhyAddr();
    __ubuf__ float* from = (__ubuf__ float*)$1.GetPhyAddr();
    Reg::RegTensor<float> x, best, total;
    Reg::RegTensor<half> narrow;
    Reg::MaskReg all = Reg::CreateMask<float>();
    for (uint16_t row = 0; row < 6; ++row) {
        Reg::LoadAlign(x, from + row * 64);
        Reg::Reduce<Reg::ReduceType::MAX>(best, x, all);
        Reg::Duplicate(best, best, all);
        Reg::ExpSub(x, x, best, all);
        Reg::Reduce<Reg::ReduceType::SUM>(total, x, all);
        Reg::Duplicate(total, total, all);
        Reg::Div(x, x, total, all);
        Reg::Cast<half, float, kToHalf>(narrow, x, all);
        Reg::StoreAlign<half, Reg::StoreDist::DIST_PACK_B32>(to + row * 64, narrow, all);
    }
"""

# The larger of two, element by element; the first element by the scalar unit.
LARGER = """
    auto to = (__ubuf__ int16_t*)$0.GetPhyAddr();
    auto a = (__ubuf__ int16_t*)$1.GetPhyAddr();
    auto b = (__ubuf__ int16_t*)$2.GetPhyAddr();
    MicroAPI::RegTensor<int16_t> x, y, z;
    MicroAPI::MaskReg all = MicroAPI::CreateMask<int16_t>(), greater;
    MicroAPI::DataCopy(x, a);
    MicroAPI::DataCopy(y, b);
    MicroAPI::Compare<int16_t, CMPMODE::GT>(greater, x, y, all);
    MicroAPI::Select(z, x, y, greater);
    MicroAPI::MaskReg rest = MicroAPI::CreateMask<int16_t, MicroAPI::MaskPattern::VL1>();
    MicroAPI::MaskNot(rest, rest, all);
    MicroAPI::DataCopy(to, z, rest);
    to[0] = a[0] > b[0] ? a[0] : b[0];
"""

_ARITHMETIC = ("Muls", "Exp", "Adds", "Div")


@asctile.jit
def swish(x_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int], code: asctile.ConstExpr[str]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile), asctile.block_num()):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        y = asctile.inline_vf(code, [tile], asctile.float32, [x])
        asctile.copy_out(y + y, out_gm, [i * tile])


@asctile.jit
def softmax(x_ptr, out_ptr, code: asctile.ConstExpr[str]):
    asctile.inline(
        "constexpr AscendC::Reg::CastTrait kToHalf = {AscendC::Reg::RegLayout::ZERO, AscendC::Reg::SatMode::NO_SAT, "
        "AscendC::Reg::MaskMergeMode::ZEROING, AscendC::RoundMode::CAST_RINT};",
        before_function=True,
    )
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [6, 64]), [0, 0], [6, 64])
    y = asctile.inline_vf(code, [6, 64], asctile.float16, [x])
    asctile.copy_out(y, asctile.global_tensor(out_ptr, [6, 64]), [0, 0])


@asctile.jit
def larger(x_ptr, y_ptr, out_ptr, code: asctile.ConstExpr[str]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [128]), [0], [128])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [128]), [0], [128])
    z = asctile.inline_vf(code, [128], asctile.int16, [x, y])
    asctile.copy_out(z, asctile.global_tensor(out_ptr, [128]), [0])


# A vector function of its own, called by code between other operations.
TWICE = """
__simd_vf__ inline void Twice(__ubuf__ float* to, __ubuf__ float* from, uint32_t left, uint16_t times)
{
    AscendC::Reg::RegTensor<float> x;
    for (uint16_t i = 0; i < times; ++i) {
        AscendC::Reg::MaskReg mask = AscendC::Reg::UpdateMask<float>(left);
        AscendC::Reg::LoadAlign(x, from + i * 64);
        AscendC::Reg::Add(x, x, x, mask);
        AscendC::Reg::StoreAlign(to + i * 64, x, mask);
    }
}
"""


@asctile.jit
def called(x_ptr, out_ptr, count: int, code: asctile.ConstExpr[str]):
    asctile.inline(code, before_function=True)
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [200]), [0], [200])
    y = asctile.full([200], 0.0, asctile.float32)
    asctile.inline(
        "asc_vf_call<Twice>((__ubuf__ float*)$0.GetPhyAddr(), (__ubuf__ float*)$1.GetPhyAddr(), $2, ($2 + 63) / 64)",
        [y, x, count],
    )
    asctile.copy_out(y + x, asctile.global_tensor(out_ptr, [200]), [0])


@asctile.jit
def by_registers(out_ptr):
    asctile.inline("AscendC::Reg::RegTensor<float> x")
    out_gm = asctile.global_tensor(out_ptr, [64])
    asctile.copy_out(asctile.full([64], 1.0, asctile.float32), out_gm, [0])


@pytest.fixture(autouse=True)
def own_platform() -> Iterator[None]:
    yield
    reset_platform()


def _line(kernel: Any, text: str) -> int:
    """The line of the file in which ``kernel`` has ``text``."""
    lines, first = inspect.getsourcelines(kernel.function)
    return first + next(at for at, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("build", BUILDS)
def test_registers_give_the_right_results(build: str) -> None:
    backend, checked = BUILDS[build]
    asctile.set_platform(backend, CHIP, checked=checked)
    rng = np.random.default_rng(3)

    x = rng.uniform(-6, 6, 1000).astype(np.float32)
    out = np.zeros_like(x)
    swish[2](x, out, 1000, 200, SWISH)
    e = np.exp(-x.astype(np.float64)).astype(np.float32)
    wanted = x / (e + np.float32(1))
    np.testing.assert_array_equal(out, wanted + wanted)

    rows = rng.uniform(-3, 3, (6, 64)).astype(np.float32)
    narrow = np.zeros((6, 64), np.float16)
    softmax[1](rows, narrow, SOFTMAX)
    powers = np.exp(rows.astype(np.float64) - rows.max(1, keepdims=True))
    np.testing.assert_allclose(narrow.astype(np.float64), powers / powers.sum(1, keepdims=True), rtol=1e-3, atol=1e-7)

    a, b = (rng.integers(-30000, 30000, 128).astype(np.int16) for _ in range(2))
    most = np.zeros_like(a)
    larger[1](a, b, most, LARGER)
    np.testing.assert_array_equal(most, np.maximum(a, b))

    triple = np.zeros(200, np.float32)
    called[1](x[:200].copy(), triple, 150, TWICE)
    np.testing.assert_array_equal(triple, np.where(np.arange(200) < 150, x[:200] * 3, x[:200]))


FAULTS = {
    "beyond the result": (
        SWISH.replace("UpdateMask<float>(left)", "CreateMask<float>()"),
        "bounds: StoreAlign writes",
        "bytes beyond the end of its tensor",
    ),
    "before the source": (
        SWISH.replace("from = (__ubuf__ float*)$1.GetPhyAddr()", "from = (__ubuf__ float*)$1.GetPhyAddr() + 4096"),
        "bounds: LoadAlign reads",
        "in no tensor whose address the kernel has taken",
    ),
    "unaligned": (SWISH.replace("from, 64)", "from, 60 + 1)"), "alignment: LoadAlign reads", "multiple of 32"),
    "a part not written": (
        SWISH.replace("times = (left + 63) / 64", "times = left / 64"),
        "uninitialised",
        "copy to GM",
    ),
    "no barrier": (
        SWISH.replace("MicroAPI::LoadAlign<", "if (i > 0) { MicroAPI::LoadAlign(x, to - 64); }\n MicroAPI::LoadAlign<"),
        "race: LoadAlign reads",
        "LocalMemBar<MemType::VEC_STORE",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_checked_build_finds(fault: str) -> None:
    code, *parts = FAULTS[fault]
    asctile.set_platform("CPU", CHIP, checked=True)
    x, out = np.ones(200, np.float32), np.zeros(200, np.float32)
    with pytest.raises(DeviceFaultError) as caught:
        swish[1](x, out, 200, 200, code)
    place = _line(swish, "copy_out" if fault == "a part not written" else "inline_vf")
    lines = [line for line in str(caught.value).splitlines() if f"test_vector_functions.py:{place}:" in line]
    assert any(all(part in line for part in parts) for line in lines), caught.value


def test_the_checked_build_follows_calls() -> None:
    asctile.set_platform("CPU", CHIP, checked=True)
    x, out = np.ones(200, np.float32), np.zeros(200, np.float32)
    with pytest.raises(DeviceFaultError) as caught:
        called[1](x, out, 208, TWICE)
    place = f"test_vector_functions.py:{_line(called, 'asc_vf_call') - 1}: "
    assert f"{place}bounds: StoreAlign writes" in str(caught.value), caught.value


def _busy(code: str, tile: int) -> float:
    x, out = np.ones(tile, np.float32), np.zeros(tile, np.float32)
    found = model.profile(swish, 1, (x, out, tile, tile, code), platform=find_platform(CHIP))
    (function,) = [event for event in found.timeline if event.name == "vector function"]
    return float(function.end - function.start)


def test_vector_functions_take_time() -> None:
    short, long = _busy(SWISH, 640), _busy(SWISH, 1280)
    # Ten more registers of 64 floats. An exponential and a division work on 16 of them a cycle; a product, a sum and a
    # new mask take a cycle each; two instructions run side by side.
    assert long - short == pytest.approx(10 * (64 / 16 + 64 / 16 + 1 + 1 + 1) / 2)
    plain = SWISH.replace("MicroAPI::Exp(y, y, mask);", "")
    assert _busy(plain, 1280) == pytest.approx(long - 20 * 64 / 16 / 2)
    # A copy: a store a cycle.
    copy = "".join(line + "\n" for line in SWISH.splitlines() if not any(f"::{op}(" in line for op in _ARITHMETIC))
    copy = copy.replace("(to, y,", "(to, x,")
    assert _busy(copy, 1280) - _busy(copy, 640) == pytest.approx(10)


def test_c220_has_no_registers() -> None:
    asctile.set_platform("CPU", "Ascend910B1")
    out = np.zeros(64, np.float32)
    with pytest.raises(ToolchainError) as caught:
        by_registers[1](out)
    line = _line(by_registers, "RegTensor")
    assert f"test_vector_functions.py:{line}: error:" in str(caught.value) and "Reg" in str(caught.value)


def test_a_wrong_instruction_is_reported_in_its_line() -> None:
    asctile.set_platform("CPU", CHIP)
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(ToolchainError, match="does not have this MaskMergeMode|no matching function|Ascend C"):
        merging = "Mul<float, MicroAPI::MaskMergeMode::MERGING>(y, x, x, mask)"
        swish[1](x, out, 64, 64, SWISH.replace("Div(y, x, y, mask)", merging))
