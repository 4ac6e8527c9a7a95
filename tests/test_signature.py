"""Signatures, their texts, and fingerprints of kernels."""

from __future__ import annotations

import dataclasses
import enum
import math
import os
import shlex
import subprocess
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest

from pyasc_transpile import asctile
from pyasc_transpile.errors import ConstantTypeError, TranspileError
from pyasc_transpile.frontend.fingerprint import kernel_fingerprint, stable_text
from pyasc_transpile.frontend.signature import parse_signature, signature_of, suggest_signature
from pyasc_transpile.graph import dtypes


@asctile.jit
def kernel(
    x_ptr: asctile.GlobalAddress,
    n: int,
    alpha: float,
    tile: asctile.ConstExpr[int],
    dtype: asctile.ConstExpr[asctile.DataType] = asctile.float32,
    options: asctile.ConstExpr = None,
):
    pass


def test_parsing():
    signature = parse_signature(
        kernel, "x_ptr: *f16, n: int64, alpha: bf16, tile=1024, dtype=asctile.float16, options=[1, (2, 'a,b')]"
    )
    assert (
        str(signature)
        == "x_ptr: *f16, n: i64, alpha: bf16, tile=1024, dtype=float16, options=[1, (2, 'a,b')]"
    )
    assert (
        signature.key_text()
        == parse_signature(
            kernel, "tile=1024,alpha:bfloat16,  x_ptr: * float16, n: i64, dtype=float16, options=[1, (2, 'a,b')]"
        ).key_text()
    )


def test_defaults_are_filled_in():
    values = {p.name: p.value for p in parse_signature(kernel, "x_ptr: *f32, n: i32, alpha: f32, tile=8").parameters}
    assert values["dtype"] == dtypes.float32 and values["options"] is None


@pytest.mark.parametrize(
    ("text", "message", "help_"),
    [
        ("x_ptr: *f32, n: i32, alpha: f32", "misses 'tile'", "x_ptr: *f32, n: i32, alpha: f32, tile=1024"),
        ("", "misses 'x_ptr', 'n', 'alpha', 'tile'", "x_ptr: *f32, n: i32, alpha: f32, tile=1024"),
        ("x_ptr: *f16, m: i32", "has no parameter 'm'", "x_ptr: *f16, n: i32"),
        ("x_ptr: *f99", "unknown type 'f99'", "bf16"),
        ("n: i32, n: i32", "names 'n' twice", ""),
        ("x_ptr", "cannot read 'x_ptr'", "x_ptr: *f32"),
        ("tile=foo()", "cannot read the constant 'foo()' of 'tile'", "data type"),
        ("x_ptr: *f32, n: i32, alpha: f32, tile: i32", "'tile' is a constant", "tile=1024"),
    ],
)
def test_unreadable(text, message, help_):
    with pytest.raises(TranspileError) as caught:
        parse_signature(kernel, text)
    assert message in str(caught.value) and help_ in caught.value.remedy


def test_constants_are_checked():
    with pytest.raises(ConstantTypeError, match="'tile' must be int"):
        parse_signature(kernel, "x_ptr: *f32, n: i32, alpha: f32, tile='a'")


def test_every_kind_of_constant():
    @asctile.jit
    def other(v: asctile.ConstExpr):
        pass

    for text, value in (
        ("-3", -3),
        ("1e-5", 1e-5),
        ("-inf", -math.inf),
        ("True", True),
        ("None", None),
        ("'a: b, c=d'", "a: b, c=d"),
        ("{'k': [1, 2]}", {"k": [1, 2]}),
        ("bfloat16", dtypes.bfloat16),
        ("f16", dtypes.float16),
        ("(float16, 2)", (dtypes.float16, 2)),
    ):
        assert parse_signature(other, f"v={text}").parameters[0].value == value


def test_names_of_the_kernels_module_are_constants():
    @asctile.jit
    def other(v: asctile.ConstExpr, color: asctile.ConstExpr[Color], act: asctile.ConstExpr = abs):
        pass

    text = "v=(twice, [sqrt, asctile.exp2]), color=Color.BLUE, act=math.ceil"
    signature = parse_signature(other, text)
    values = [parameter.value for parameter in signature.parameters]
    assert values == [(twice, [asctile.sqrt, asctile.exp2]), Color.BLUE, math.ceil]
    assert str(signature) == "v=(twice, [sqrt, exp2]), color=Color.BLUE, act=ceil"
    assert suggest_signature(other).endswith("act=abs")
    for wrong in ("v=nothing", "v=Color.GREEN", "v=twice(1)"):
        with pytest.raises(TranspileError, match="cannot read the constant"):
            parse_signature(other, wrong)


def test_texts_hold_no_addresses():
    @asctile.jit
    def other(v: asctile.ConstExpr):
        pass

    for value, text in (
        (twice, "twice"),
        ((asctile.sqrt,), "(sqrt,)"),
        ({"f": [twice]}, "{'f': [twice]}"),
        (object(), "object"),
        (Color.RED, "Color.RED"),
    ):
        assert str(signature_of(other.bind((value,), {}))) == f"v={text}"


def test_a_line_to_write_is_quoted_for_the_shell():
    @asctile.jit
    def other(n: int, name: asctile.ConstExpr[str] = "a"):
        pass

    with pytest.raises(TranspileError) as caught:
        parse_signature(other, "")
    (line,) = caught.value.remedy.splitlines()
    assert shlex.split(line) == ["write", "--signature", "n: i32, name='a'"]


def test_suggestion_reads_back():
    @asctile.jit
    def other(
        x,
        y_ptr,
        n,
        size: "int",
        flag: bool,
        scale: asctile.ConstExpr[float],
        k=3,
        eps=1e-5,
        name: asctile.ConstExpr[str] = "a",
    ):
        pass

    suggested = suggest_signature(other)
    assert suggested == ("x: *f32, y_ptr: *f32, n: i32, size: i32, flag: i1, scale=1.0, k: i32, eps: f32, name='a'")
    assert str(parse_signature(other, suggested)) == suggested


def test_signature_of_a_launch():
    bound = kernel.bind((np.zeros(3, np.int8), 3, np.float16(1), 64), {})
    assert (
        str(signature_of(bound)) == "x_ptr: *i8, n: i32, alpha: f16, tile=64, dtype=float32, options=None"
    )
    again = kernel.bind((np.ones((5, 6), np.int8), 99, np.float16(2), 64), {})
    assert signature_of(again).key_text() == signature_of(bound).key_text()


# Texts of constants


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def twice(x):
    return x + x


@dataclasses.dataclass
class Shape:
    rows: int
    columns: int


class Plain:
    def __init__(self, size):
        self.size = size

    def __repr__(self):
        return "Plain()"


def square(v):
    return v * FACTOR


FACTOR = 3


def values():
    big = np.arange(5000, dtype=np.float32)
    other = big.copy()
    other[2500] = -1
    return [
        1,
        True,
        1.0,
        "1",
        b"1",
        None,
        0.0,
        -0.0,
        math.inf,
        2**70,
        1j,
        (1, 2),
        [1, 2],
        ("1, 2",),
        {1, 2},
        {"a": 1},
        {"a": 2},
        dtypes.float16,
        np.float16(1),
        np.int64(1),
        np.int32(1),
        big,
        other,
        big.reshape(50, 100),
        Color.RED,
        Color.BLUE,
        Shape(1, 2),
        Shape(2, 1),
        Plain(1),
        Plain(2),
        square,
        range(3),
        slice(1, 2),
        math.sqrt,
        np.add,
        np.dtype("f4"),
        [[1], 2],
        types.SimpleNamespace(a=1),
        lambda v: v + 1,
        int,
        Shape,
    ]


def test_different_content_has_different_text():  # Q40
    texts = [stable_text(value) for value in values()]
    assert None not in texts
    assert len(set(texts)) == len(texts)


def test_equal_content_has_equal_text():  # Q40
    assert [stable_text(value) for value in values()] == [stable_text(value) for value in values()]
    assert all("0x" not in str(stable_text(value)) for value in values() if not isinstance(value, (float, complex)))
    assert stable_text({1, 2, 300}) == stable_text({300, 2, 1})


def test_content_without_text():
    assert stable_text(object()) is None
    assert stable_text([object()]) is None
    assert stable_text(open) is not None
    assert stable_text((value for value in ())) is None


def test_functions_count_with_what_they_capture():
    global FACTOR
    before = stable_text(square)
    FACTOR = 4
    try:
        assert stable_text(square) != before
    finally:
        FACTOR = 3
    assert stable_text(square) == before

    def make(k):
        return lambda v: v + k

    assert stable_text(make(1)) != stable_text(make(2))
    assert stable_text(make(1)) == stable_text(make(1))


def test_recursive_content():
    loop: list = [1]
    loop.append(loop)
    assert stable_text(loop) is not None


# Fingerprints

TILE = 64
CONFIG = types.SimpleNamespace(size=4)


def inner_helper(v):
    return v * TILE


def helper(v):
    return inner_helper(v) + 1


@asctile.jit
def using_helpers(p, n):
    unused = 3  # noqa: F841
    x = asctile.global_tensor(p, [n])
    asctile.copy_out(helper(n) + CONFIG.size + math.pi, x, [0])


unused = np.zeros(3)
x = object()


def test_fingerprint_follows_captured_values(monkeypatch):  # Q39
    before = kernel_fingerprint(using_helpers)
    assert before is not None and before == kernel_fingerprint(using_helpers)
    monkeypatch.setattr(sys.modules[__name__], "TILE", 32)
    changed = kernel_fingerprint(using_helpers)
    monkeypatch.setattr(CONFIG, "size", 5)
    again = kernel_fingerprint(using_helpers)
    monkeypatch.setattr(sys.modules[__name__], "inner_helper", lambda v: v)
    assert len({before, changed, again, kernel_fingerprint(using_helpers)}) == 4


def test_fingerprint_ignores_module_names_that_are_local_in_the_kernel(monkeypatch):
    before = kernel_fingerprint(using_helpers)
    monkeypatch.setattr(sys.modules[__name__], "unused", np.ones(3))
    assert kernel_fingerprint(using_helpers) == before


def test_fingerprint_follows_closures():
    def make(k):
        @asctile.jit
        def made(p, n):
            asctile.copy_out(n + k, asctile.global_tensor(p, [n]), [0])

        return made

    assert kernel_fingerprint(make(1)) != kernel_fingerprint(make(2))
    assert kernel_fingerprint(make(1)) == kernel_fingerprint(make(1))


def test_fingerprint_is_the_same_in_another_process():
    script = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "import test_signature as t\n"
        "print(t.kernel_fingerprint(t.using_helpers), [t.stable_text(v) for v in t.values()])\n"
    )
    folder, source = Path(__file__).parent, Path(sys.modules["pyasc_transpile"].__file__).parent.parent
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, str(folder), str(source)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_fingerprint_is_fast():
    kernel_fingerprint(using_helpers)
    best = min(_time(lambda: kernel_fingerprint(using_helpers)) for _ in range(20))
    assert best < 300e-6


def _time(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def test_lambdas_of_one_line_are_told_apart():
    functions = [lambda x: x + 1.0, lambda x: x + 2.0, lambda x, k=(lambda y: y * 2.0): k(x), lambda x: x]
    texts = [stable_text(function) for function in (*functions, functions[2].__defaults__[0])]
    assert None not in texts and len(set(texts)) == 5
    assert stable_text(functions[0]) == texts[0]


@asctile.jit
def applies(x_ptr, n: int, function: asctile.ConstExpr):
    x = asctile.global_tensor(x_ptr, [n])
    asctile.copy_out(function(asctile.copy_in(x, [0], [8])), x, [0])


def test_a_launch_runs_the_lambda_it_was_given():
    x = np.ones(8, np.float32)
    for function, value in ((lambda t: t + 1.0, 2.0), (lambda t: t * 5.0, 10.0)):
        applies[1](x, 8, function)
        assert (x == value).all()
