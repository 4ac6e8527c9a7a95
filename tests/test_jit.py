"""``jit``, launch brackets, options and the binding of arguments."""

from __future__ import annotations

import concurrent.futures
import enum
import functools
import sys
import time
import types
from typing import Any, List, Optional, Union

import numpy as np
import pytest

from pyasc_transpile import asctile
from pyasc_transpile.asctile.arguments import NotAKernelError, ParameterKind
from pyasc_transpile.asctile.jit import Kernel, Launcher, jit
from pyasc_transpile.asctile.options import CompileOptions, KernelType
from pyasc_transpile.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConstantTypeError,
    OptionError,
    TranspileError,
)
from pyasc_transpile.graph import dtypes
from pyasc_transpile.graph.graph import OutsideKernelError
from pyasc_transpile.targets import ARCHITECTURES


@jit
def kernel(x, n):
    """Does nothing."""


@pytest.fixture
def launched(monkeypatch):
    """Collects what the host side would launch."""
    calls: list[Any] = []
    module = types.ModuleType("pyasc_transpile.host.launch")
    module.launch = lambda *arguments: calls.append(arguments)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyasc_transpile.host.launch", module)
    return calls


# Decorating


def test_decorator_forms():
    def function(x):
        pass

    for made in (jit(function), jit()(function), jit(opt_level=2)(function)):
        assert isinstance(made, Kernel) and made.function is function
    assert jit(opt_level=2)(function).options.opt_level == 2
    assert kernel.__name__ == "kernel" and kernel.__doc__ == "Does nothing." and kernel.__module__ == __name__


def test_other_decorators_may_sit_below():
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @jit
    @decorate
    def inner(x, n):
        pass

    assert inner.parameters.names == ("x", "n")


async def coroutine(x):
    pass


@pytest.mark.parametrize(
    "wrong", [3, "text", lambda x: x, coroutine, functools.partial(print), len, kernel, staticmethod(len)]
)
def test_only_functions_become_kernels(wrong):
    with pytest.raises(TypeError) as caught:
        jit(wrong)
    assert isinstance(caught.value, NotAKernelError)
    assert caught.value.remedy


def test_source_must_be_available():
    namespace: dict[str, Any] = {}
    exec("def hidden(x):\n    pass\n", namespace)
    with pytest.raises(NotAKernelError, match="source text of hidden is not available"):
        jit(namespace["hidden"])


def test_unknown_option_names_the_nearest():
    with pytest.raises(OptionError) as caught:
        jit(optlevel=2)
    assert isinstance(caught.value, RuntimeError)
    assert "did you mean 'opt_level'?" in str(caught.value)


@pytest.mark.parametrize("name", ["debug", "cv_ratio", "core_num", "stream"])
def test_parameter_named_like_an_option(name):
    namespace = {
        "debug": lambda debug: None,
    }
    assert namespace

    def build(debug=None, cv_ratio=None, core_num=None, stream=None):
        pass

    def one(debug):
        pass

    with pytest.raises(OptionError, match="has the name of an option"):
        jit(build)
    with pytest.raises(OptionError, match="'debug'"):
        jit(one)


def test_methods_are_refused_when_launched():
    class Holder:
        @jit
        def method(self, x):
            pass

        @staticmethod
        @jit
        def fine(x):
            pass

    Holder.attached = kernel
    assert isinstance(Holder().fine[1], Launcher)
    assert isinstance(Holder().attached[1], Launcher)
    with pytest.raises(NotAKernelError, match="has no self"):
        Holder().method[1]


def test_calling_on_the_host_without_blocks():  # Q75
    with pytest.raises(OutsideKernelError, match=r"kernel\[blocks\]"):
        kernel(1, 2)


# Options


@pytest.mark.parametrize(
    "options",
    [
        {"opt_level": 0},
        {"opt_level": 4},
        {"opt_level": True},
        {"cv_ratio": 3},
        {"reuse_alloc": -1},
        {"debug": 1},
        {"reuse_alloc": "2"},
        {"kernel_type": "AIV_ONLY"},
        {"static_alloc": 0},
        {"bisheng_options": "-O1"},
        {"bisheng_options": (1,)},
        {"vf_vec_len": 0},
        {"core_num": 0},
        {"custom_builtins": {"f": 1}},
        {"auto_sync_log": 3},
    ],
    ids=str,
)
def test_wrong_options(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        jit(**options)
    with pytest.raises(OptionError):
        CompileOptions().merged(options)


def test_defaults_and_merging():
    options = CompileOptions()
    assert (options.opt_level, options.reuse_alloc, options.static_alloc, options.cv_ratio) == (3, 0, None, 1)
    assert options.merged({}) is options
    assert options.merged({"bisheng_options": ["-a"]}).bisheng_options == ("-a",)
    assert options == CompileOptions() and hash(options) == hash(CompileOptions())


def test_key_text():
    text = CompileOptions().key_text()
    assert text == CompileOptions(always_compile=True, core_num=4, capture_exceptions=False).key_text()
    for change in ({"reuse_alloc": 2}, {"static_alloc": True}, {"kernel_type": KernelType.AIC_ONLY}, {"debug": True}):
        assert CompileOptions(**change).key_text() != text


def test_options_of_one_architecture():
    CompileOptions(vf_fusion=True).check_architecture(ARCHITECTURES["c310"])
    for wrong in ({"vf_fusion": True}, {"vf_vec_len": 256}):
        with pytest.raises(OptionError, match="c310"):
            CompileOptions(**wrong).check_architecture(ARCHITECTURES["c220"])


# Brackets and launching


@pytest.mark.parametrize(
    ("blocks", "error"),
    [
        (0, ValueError),
        (-3, ValueError),
        ("2", TypeError),
        (2.0, TypeError),
        (True, TypeError),
        ((1, None, 2), TypeError),
        ((), TypeError),
        (np.bool_(True), TypeError),
    ],
    ids=str,
)
def test_wrong_brackets(blocks, error):
    with pytest.raises(error) as caught:
        kernel[blocks]
    assert isinstance(caught.value, TranspileError)


def test_launch(launched):
    stream = object()
    kernel[np.int64(4), stream](1, n=2, opt_level=1)
    kernel[None](1, 2)
    kernel[None](1, 2, core_num=3)
    jit(core_num=7)(kernel.function)[None](1, 2)
    assert launched[0] == (kernel, 4, stream, (1,), {"n": 2}, {"opt_level": 1})
    assert [call[1] for call in launched[1:]] == [None, 3, 7]  # Q52
    assert type(launched[0][1]) is int


def test_launchers_are_independent():  # Q53
    first, second = kernel[1], kernel[2]
    assert (first.block_num, second.block_num) == (1, 2)
    with pytest.raises(AttributeError):
        first.block_num = 3
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda k: kernel[k].block_num, range(1, 200))) == list(range(1, 200))


# Binding


def bound(value, function=None):
    made = jit(function) if function else single
    return made.bind((value,), {}).arguments[0]


@jit
def single(v):
    pass


class Level(enum.IntEnum):
    LOW = 1


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, "int1"),
        (np.bool_(True), "int1"),
        (5, "int32"),
        (-(2**31), "int32"),
        (2**31, "int64"),
        (Level.LOW, "int32"),
        (1.5, "float32"),
        (np.float64(1e-300), "float64"),
        (np.float32(1), "float32"),
        (np.float16(1), "float16"),
        (np.int64(1), "int64"),
        (np.int8(1), "int8"),
        (np.uint32(7), "uint32"),
    ],
    ids=repr,
)
def test_scalars(value, dtype):  # Q47, Q50, Q51
    argument = bound(value)
    assert (argument.kind, argument.dtype.name, argument.value) == (ParameterKind.SCALAR, dtype, value)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint16", "float64"])
def test_arrays(dtype):
    for shape in ((4,), (), (0, 3), (2, 3, 4)):
        argument = bound(np.zeros(shape, dtype))
        assert (argument.kind, argument.dtype.name, argument.read_only) == (ParameterKind.POINTER, dtype, False)
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    assert bound(frozen).read_only


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (None, TypeError, "NoneType"),
        ("a", TypeError, "str"),
        ([1], TypeError, "list"),
        (1j, TypeError, "complex"),
        (dtypes.float32, TypeError, "DataType"),
        (object(), TypeError, "object"),
        (np.float32, TypeError, "type"),
        (np.zeros(2, bool), ValueError, "dtype bool"),
        (np.zeros(2, complex), ValueError, "complex128"),
        (np.zeros((4, 4))[:, ::2], ValueError, "C-contiguous"),
        (np.zeros((4, 4)).T, ValueError, "C-contiguous"),
        (np.zeros(4, ">f4"), ValueError, "byte order"),
        (2**63, ValueError, "64 bits"),
        (np.complex64(1), ValueError, "complex64"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_refused_values(value, error, message):  # Q65
    with pytest.raises(error, match=message) as caught:
        bound(value)
    assert isinstance(caught.value, (ArgumentTypeError, ArgumentValueError))
    assert "'v'" in str(caught.value)


class FakeTensor:
    """What torch offers, as far as binding looks at it."""

    def __init__(self, dtype="torch.float16", dim=2, contiguous=True):
        self.dtype, self._dim, self._contiguous = types.SimpleNamespace(), dim, contiguous
        self.dtype = type("dtype", (), {"__str__": lambda _: dtype})()

    def dim(self):
        return self._dim

    def item(self):
        return 2.5

    def is_contiguous(self):
        return self._contiguous


def test_tensors():
    tensor = FakeTensor()
    argument = bound(tensor)
    assert (argument.kind, argument.dtype, argument.value) == (ParameterKind.POINTER, dtypes.float16, tensor)
    argument = bound(FakeTensor(dim=0))
    assert (argument.kind, argument.dtype, argument.value) == (ParameterKind.SCALAR, dtypes.float16, 2.5)
    with pytest.raises(ArgumentValueError, match="contiguous"):
        bound(FakeTensor(contiguous=False))
    with pytest.raises(ArgumentValueError, match="bool"):
        bound(FakeTensor("torch.bool"))
    mock = types.SimpleNamespace(dtype=dtypes.int32)
    assert bound(mock).dtype is dtypes.int32


def test_assignment_of_arguments():
    @jit
    def function(a, /, b, c=3, *, d, e=np.float16(5)):
        pass

    values = [argument.value for argument in function.bind((1, 2), {"d": 4}).arguments]
    assert values == [1, 2, 3, 4, 5]
    values = [argument.value for argument in function.bind((1,), {"c": 7, "b": 6, "d": 8, "e": 9}).arguments]
    assert values == [1, 6, 7, 8, 9]
    for args, kwargs, message in (
        ((1, 2, 3, 4), {"d": 1}, "takes 3 positional arguments, got 4"),
        ((1, 2), {}, "misses argument 'd'"),
        ((), {}, "misses arguments 'a', 'b', 'd'"),
        ((1, 2), {"d": 1, "b": 2}, "'b' is given twice"),
        ((1, 2), {"d": 1, "z": 2}, "no keyword parameter 'z'"),
        ((), {"a": 1, "b": 2, "d": 1}, "no keyword parameter 'a'"),
        ((1, 2, 3, 4, 5), {}, "takes 3 positional"),
    ):
        with pytest.raises(TypeError, match=message):
            function.bind(args, kwargs)


def test_variadic_kernels_cannot_be_launched():
    @jit
    def function(*args):
        pass

    with pytest.raises(ArgumentTypeError, match=r"\*args"):
        function.bind((1,), {})


# Constants


def constants(annotation):
    def function(v):
        pass

    function.__annotations__ = {"v": annotation}
    return jit(function)


Alias = asctile.ConstExpr[int]


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (asctile.ConstExpr, None),
        (asctile.ConstExpr[int], 4),
        (asctile.ConstExpr[int], True),
        (asctile.ConstExpr[int], np.int64(4)),
        (asctile.ConstExpr[float], 1),
        (asctile.ConstExpr[bool], np.bool_(False)),
        (asctile.ConstExpr[Optional[int]], None),
        (asctile.ConstExpr[Union[int, str]], "a"),
        (asctile.ConstExpr[Any], []),
        (asctile.ConstExpr[List[int]], ["unchecked"]),
        (asctile.ConstExpr[list], [1]),
        (asctile.ConstExpr[object], 1),
        (Optional[asctile.ConstExpr[int]], None),
        ("asctile.ConstExpr[int]", 5),
        ("Alias", 5),
        ("asctile.ConstExpr[Unknown]", 5),
        ("asctile.ConstExpr", "x"),
        (asctile.ConstExpr[dtypes.DataType], dtypes.float16),
    ],
    ids=str,
)
def test_constants(annotation, value):  # Q49
    argument = constants(annotation).bind((value,), {}).arguments[0]
    assert argument.kind is ParameterKind.CONSTANT and argument.value == value


@pytest.mark.parametrize(
    ("annotation", "value", "wanted"),
    [
        (asctile.ConstExpr[int], 1.5, "int"),
        (asctile.ConstExpr[float], "1", "float"),
        (asctile.ConstExpr[bool], 1, "bool"),
        (asctile.ConstExpr[Optional[int]], "a", "Optional[int]"),
        (asctile.ConstExpr[List[int]], (1,), "List[int]"),
        ("asctile.ConstExpr[str]", 3, "str"),
    ],
    ids=str,
)
def test_wrong_constants(annotation, value, wanted):  # Q60
    with pytest.raises(ConstantTypeError) as caught:
        constants(annotation).bind((value,), {})
    assert f"constant 'v' must be {wanted}" in str(caught.value)
    assert isinstance(caught.value, RuntimeError)


def test_annotations_that_say_nothing_about_constants():
    for annotation in (int, Optional[int], "Optional[int]", "no such name", asctile.GlobalAddress, "List[ConstExp]"):
        assert constants(annotation).bind((3,), {}).arguments[0].kind is ParameterKind.SCALAR


def test_numbers_are_converted_as_annotated():
    assert type(constants(asctile.ConstExpr[float]).bind((2,), {}).arguments[0].value) is float
    assert type(constants(asctile.ConstExpr[int]).bind((np.int32(2),), {}).arguments[0].value) is int


def test_constexpr_objects():
    constant = asctile.ConstExpr(asctile.ConstExpr(2))
    assert constant.value == 2 and str(constant) == "2" and repr(constant) == "ConstExpr[int](2)"
    assert asctile.ConstExpr.unwrap(constant) == 2 and asctile.ConstExpr.unwrap("a") == "a"
    assert bound(asctile.ConstExpr("text")).kind is ParameterKind.CONSTANT
    assert (
        constants(asctile.ConstExpr[int]).bind((asctile.ConstExpr("unchecked"),), {}).arguments[0].value == "unchecked"
    )


def test_binding_is_fast():
    @jit
    def function(a, b, c, n, m, tile: asctile.ConstExpr[int], flag: asctile.ConstExpr[bool] = False):
        pass

    array = np.zeros(8, np.float32)
    function.bind((array, array, array, 1, 2, 3), {})
    best = min(_time(lambda: function.bind((array, array, array, 1, 2, 3), {})) for _ in range(20))
    assert best < 100e-6


def _time(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
