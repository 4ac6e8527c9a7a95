"""Prints and assertions on the device, and Ascend C written by hand."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.batch import STYLES, Batch, Case
from tests.support.refusals import check_rules

from pyasc_transpile import asctile
from pyasc_transpile.errors import LoweringError
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform


@asctile.jit
def printing(x_ptr, n: int, f: float, flag: bool):
    x_gm = asctile.global_tensor(x_ptr, [n, 5])
    x = asctile.copy_in(x_gm, [0, 0], [2, 5])
    print("n is", n, "and 100% of", f, None, True, [1, 2])
    print()
    asctile.device_print("a", n > 3, sep="", end="|\n")
    for i in asctile.range(2):
        print("row", i, sep="=")
    print("before", x + 1, "after", n)
    print('quotes " and \\ and ??/', n.cast(asctile.int64) * 5000000000, end="")
    print("\n", x_gm)
    print(x.ravel())


EXPECTED_PRINTS = [
    "n is 2 and 100% of 1.500000 None 1 [1, 2]", "", "a0|", "row=0", "row=1", "before",
    "DumpTensor: desc={0}, memory=UB, block=0, elements=5", "1 2 3 4 5 ",
    "DumpTensor: desc={0}, memory=UB, block=0, elements=5", "6 7 8 9 10 ",
    "after 2", 'quotes " and \\ and ??/ 10000000000', " global tensor float32 at ADDRESS [2, 5]",
    "DumpTensor: desc={1}, memory=UB, block=0, elements=10", "0 1 2 3 4 5 6 7 ", "8 9 ",
]  # fmt: skip


@asctile.jit
def asserting(x_ptr, n: int, f: float):
    assert n > 1, "n is 100% too small"
    assert f
    for i in asctile.range(n):
        asctile.device_assert(i < 3, f"i must be below {3}")
    asctile.copy_out(n, asctile.global_tensor(x_ptr, [1]), [0])


def flushed(capfd: Any) -> list[str]:
    ctypes.CDLL(None).fflush(None)
    return capfd.readouterr().out.split("\n")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_prints_and_assertions(architecture: str, style: str, tmp_path: Path, capfd: Any) -> None:
    options = {"static_alloc": STYLES[style]}
    x = np.arange(10, dtype=np.float32).reshape(2, 5)
    out = np.zeros(1, np.int32)
    cases = [
        Case("print", printing, (x, 2, 1.5, True), options={**options, "debug": True}),
        Case("silent", printing, (x, 2, 1.5, True), options=dict(options)),
        *(
            Case("assert", asserting, (out, n, f), options={**options, "debug": debug})
            for n, f, debug in ((3, 1.0, True), (1, 1.0, True), (3, 0.0, True), (4, 1.0, True), (1, 0.0, False))
        ),
    ]
    batch = Batch(tmp_path, architecture, oracle=False)  # it would print, too
    for case in cases:
        batch.add(case)
    batch.build()
    first = printing.function.__code__.co_firstlineno
    wanted = [line.format(first + 9, first + 12) for line in EXPECTED_PRINTS]
    flushed(capfd)
    batch.run(0)
    found = flushed(capfd)
    address = f"{x.ctypes.data:#x}"
    assert [line.rstrip().replace(address, "ADDRESS") for line in found] == [line.rstrip() for line in [*wanted, ""]]
    batch.run(1)
    assert flushed(capfd) == [""]
    batch.run(2)
    for index, message in ((3, "n is 100% too small"), (4, "the assertion does not hold"), (5, "i must be below 3")):
        with pytest.raises(Exception, match=message) as caught:
            batch.run(index)
        assert "test_debug.py" in str(caught.value)
    out[0] = 0
    batch.run(6)
    assert out[0] == 1


def test_debug_operations_leave_no_trace_without_debug() -> None:
    signature = parse_signature(asserting, "x_ptr: *i32, n: i32, f: f32")
    made = transpile(asserting, signature, find_platform("Ascend950PR_9599"), asserting.options)
    assert "assert" not in made.source.split("{", 1)[1]
    signature = parse_signature(printing, "x_ptr: *f32, n: i32, f: f32, flag: i8")
    made = transpile(printing, signature, find_platform("Ascend950PR_9599"), printing.options)
    assert not made.report["instructions"] and not made.report["buffers"]


# --- code written by hand ---------------------------------------------------------------------------------------------


@asctile.jit
def by_hand(x_ptr, out_ptr, n: int, f: float, offset: asctile.ConstExpr[int]):
    asctile.inline("#define PLUS(a, b) ((a) + (b))", before_function=True)
    asctile.inline("constexpr int kOffset = $0;", [offset], before_function=True)
    x_gm = asctile.global_tensor(x_ptr, [4, 8])
    out_gm = asctile.global_tensor(out_ptr, [4, 8])
    x = asctile.copy_in(x_gm, [0, 0], [4, 8])
    y = x * 2
    asctile.inline(
        """
        for (int k = 0; k < $1; ++k) {
            Adds($0, $0, static_cast<float>(PLUS($2, kOffset)), 32);  // $9 and $$ stay
            PipeBarrier<PIPE_V>();
        }
        """,
        [y, n, f],
    )
    asctile.inline(
        "DataCopy($0[8], $1, 8)", [asctile.to_asc(out_gm), asctile.from_asc(asctile.copy(y, [3, 0], [1, 8]))]
    )
    asctile.copy_out(asctile.copy(y, [0, 0], [1, 8]), out_gm, [0, 0])
    asctile.inline("const int unused = 1; static_cast<void>(unused)")


@asctile.jit
def vector_function(x_ptr, y_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [64]), [0], [64])
    code = """
        __ubuf__ float* to = (__ubuf__ float*)$0.GetPhyAddr();
        __ubuf__ float* a = (__ubuf__ float*)$1.GetPhyAddr();
        __ubuf__ float* b = (__ubuf__ float*)$2.GetPhyAddr();
        for (uint16_t i = 0; i < 64; ++i) {
            to[i] = a[i] * b[i] + 1.0f;
        }
    """
    z = asctile.inline_vf(code, [64], asctile.float32, [x + 1, y])
    asctile.copy_out(z + z, asctile.global_tensor(out_ptr, [64]), [0])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_code_by_hand(architecture: str, style: str, tmp_path: Path) -> None:
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    out = np.full((4, 8), -1, np.float32)
    batch = Batch(tmp_path, architecture)
    batch.add(Case("inline", by_hand, (x, out, 3, 0.5, 2), options={"static_alloc": STYLES[style]}))
    batch.build()
    batch.run(0)
    y = x * 2 + 3 * 2.5
    np.testing.assert_array_equal(out, np.stack([y[0], y[3], out[2], out[3]]))
    text = batch.cases[0][1].source
    assert text.index("#define PLUS") < text.index("__global__")
    assert "// $9 and $$ stay" in text


@pytest.mark.parametrize("style", STYLES)
def test_vector_function_by_hand(style: str, tmp_path: Path) -> None:
    x, y = np.arange(64, dtype=np.float32), np.full(64, 3, np.float32)
    out = np.zeros_like(x)
    for checked in (False, True):
        folder = tmp_path / str(checked)
        folder.mkdir()
        batch = Batch(folder, "c310", checked)
        batch.add(Case("inline_vf", vector_function, (x, y, out), options={"static_alloc": STYLES[style]}))
        batch.build()
        batch.run(0)
        np.testing.assert_array_equal(out, 2 * ((x + 1) * y + 1))
        assert "AscendC::cpu" not in batch.cases[0][1].source
        out[:] = 0


def test_vector_functions_exist_on_c310_only() -> None:
    signature = parse_signature(vector_function, "x_ptr: *f32, y_ptr: *f32, out_ptr: *f32")
    with pytest.raises(LoweringError, match="inline_vf needs the vector functions of c310") as caught:
        transpile(vector_function, signature, find_platform("Ascend910B1"), vector_function.options)
    assert caught.value.lineno == vector_function.function.__code__.co_firstlineno + 12


RULES = (
    ("asctile.inline(3)", TypeError, "code must be a str, not int 3"),
    ("asctile.inline('a', 3)", TypeError, "args must be a list or tuple, not int 3"),
    ("asctile.inline('a', ['b'])", TypeError, "args[0] must be a value of the kernel or a number, not str 'b'"),
    (
        "asctile.inline('a', [x], before_function=True)",
        TypeError,
        "code before the function cannot use run-time values",
    ),
    ("asctile.inline_vf(3, [8], asctile.float32)", TypeError, "code must be a str"),
    ("asctile.inline_vf('a', [0], asctile.float32)", RuntimeError, "shape[0] must be positive"),
    ("asctile.inline_vf('a', [8], 'f')", TypeError, "dtype must be a data type"),
    ("asctile.inline_vf('a', [8], asctile.float32, x)", TypeError, "inputs must be a list or tuple of tiles"),
    ("asctile.inline_vf('a', [8], asctile.float32, [1])", TypeError, "inputs[0] must be a tile"),
    ("asctile.from_asc(x, location='L7')", ValueError, "unknown location 'L7'"),
    ("print(n, sep=1)", TypeError, "sep must be a str, not int 1"),
    ("asctile.device_print(n, end=2)", TypeError, "end must be a str, not int 2"),
    ("print(x > 0)", TypeError, "a comparison result cannot be printed"),
    ("asctile.device_assert(x)", ValueError, "a tile has no single truth value"),
    ("asctile.device_assert('a')", TypeError, "the condition must be a number or a scalar, not str 'a'"),
    ("asctile.device_assert(n, n)", TypeError, "the message must be known at compile time"),
)


@pytest.mark.parametrize("code, error, message", RULES, ids=[rule[0] for rule in RULES])
def test_what_is_refused(code: str, error: type, message: str, tmp_path: Path) -> None:
    check_rules(tmp_path, code, error, message)
