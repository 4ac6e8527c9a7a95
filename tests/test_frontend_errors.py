"""What the front end refuses: each refusal has a class, a place, a cause and a remedy."""

from __future__ import annotations

import inspect
import math

import pytest

from frontend_tools import graph_of, text_of
from pyasc_transpile import asctile
from pyasc_transpile.errors import CodegenError, TranspileError, UnsupportedSyntaxError

CASES = []


def refused(error, message, cause=None, signature="p: *f32, n: i32", help=""):
    """Expect ``error`` at the line that ends in ``# here``, and ``help`` in its remedy."""

    def note(function):
        CASES.append((asctile.jit(function), error, message, cause, signature, help))
        return CASES[-1][0]

    return note


@refused(CodegenError, "did not end after")
def endless_while(p, n):
    while True:  # here
        pass


@refused(CodegenError, "has no single truth value", TypeError)
def tile_as_while_condition(p, n):
    t = asctile.copy_in(asctile.global_tensor(p, [n]), [0], [64])
    while t:  # here
        t = t + 1


@refused(CodegenError, "'mode' is the str 'a' before the run-time loop")
def string_changes_in_while(p, n):
    mode, i = "a", 0
    while i < n:  # here
        i += 1
        if mode == "a":
            mode = "b"


@refused(CodegenError, "'grown' gets more or fewer items")
def list_grows_in_while(p, n):
    grown = []
    while n > 0:  # here
        n -= 1
        grown.append(n)


@refused(CodegenError, "'t' gets its first value inside of the run-time loop at line", NameError)
def defined_in_while(p, n):
    while n > 0:
        t = n
        n -= 1
    n + t  # here


@refused(UnsupportedSyntaxError, "'continue' in the 'else' of a 'while' whose condition reads memory")
def continue_in_else(p, n):
    x = asctile.global_tensor(p, [n])
    for i in range(n):
        while asctile.copy_in(x, [i]) > 3:  # here
            i = i + 1
        else:
            continue


@refused(UnsupportedSyntaxError, "kernel returns_value_sometimes returns a value")
def returns_value_sometimes(p, n):
    if n > 0:
        return n  # here


def one_way(v):
    if v > 0:
        return v  # one way


@refused(CodegenError, "one_way returns a value here, but ends without one if the run-time condition is not met")
def helper_ends_without_value(p, n):
    one_way(n)


def two_kinds(v):
    if v > 0:
        return 1  # two kinds
    return "none"


@refused(CodegenError, "'two_kinds() result' is the int 1 or the str 'none' after the run-time 'if' at line")
def helper_returns_two_kinds(p, n):
    two_kinds(n)


def tensor_from_loop(p, v):
    for i in range(v):
        if i * i > v:
            return asctile.global_tensor(p, [i])  # tensor
    return asctile.global_tensor(p, [v])


@refused(CodegenError, "or nothing after the run-time 'if' at line")
def helper_returns_tensor_from_loop(p, n):
    tensor_from_loop(p, n)


@refused(UnsupportedSyntaxError, "kernel returns_value returns a value")
def returns_value(p, n):
    return n  # here


@refused(UnsupportedSyntaxError, "'try' is not supported")
def try_statement(p, n):
    try:  # here
        pass
    except ValueError:
        pass


@refused(UnsupportedSyntaxError, "'raise' is reached")
def raise_statement(p, n):
    raise ValueError("no")  # here


@refused(UnsupportedSyntaxError, "'import' is not supported")
def import_statement(p, n):
    import os  # noqa: F401  # here


@refused(UnsupportedSyntaxError, "a class cannot be defined")
def class_statement(p, n):
    class A:  # here
        pass


@refused(UnsupportedSyntaxError, "'global' is not supported")
def global_statement(p, n):
    global SOMETHING  # here


@refused(UnsupportedSyntaxError, "eval() is not supported")
def calls_eval(p, n):
    eval("n")  # here


@refused(UnsupportedSyntaxError, "comprehension cannot leave out items")
def filtering_comprehension(p, n):
    [k for k in (1, 2) if k > n]  # here


@refused(CodegenError, "name 'undefinde' is not defined", NameError)
def undefined_name(p, n):
    undefined = 1  # noqa: F841
    return undefinde  # noqa: F821  # here


@refused(CodegenError, "'t' is assigned on only one way through the run-time 'if' at line", NameError)
def defined_on_one_way(p, n):
    if n > 0:
        t = 1
    n + t  # here


@refused(CodegenError, "'t' gets its first value inside of the run-time loop at line", NameError)
def defined_in_loop(p, n):
    for i in range(n):
        t = i
    n + t  # here


@refused(CodegenError, "'mode' is the str 'b' or the str 'a' after the run-time 'if'", NameError)
def string_changes_in_branch(p, n):
    mode = "a"
    if n > 0:
        mode = "b"
    if mode == "b":  # here
        pass


@refused(CodegenError, "'mode' is the str 'a' before the run-time loop")
def string_changes_in_loop(p, n):
    mode = "a"
    for _ in range(n):  # here
        if mode == "a":
            mode = "b"


@refused(CodegenError, "'t' is None before the run-time loop")
def none_becomes_tile(p, n):  # the tile does not exist in the first iteration
    x = asctile.global_tensor(p, [n])
    t = None
    for i in range(n):  # here
        if t is not None:
            asctile.copy_out(t, x, [i])
        t = asctile.copy_in(x, [i], [64])


@refused(CodegenError, "global tensors cannot be selected at run time", NameError)
def global_tensor_changes(p, n):  # Q76
    g = asctile.global_tensor(p, [n])
    z = asctile.global_tensor(p, [n, 2])
    if n > 0:
        g = z
    asctile.copy_in(g, [0], [64])  # here


@refused(CodegenError, "both must have the same shape")
def tile_changes_shape(p, n):
    x = asctile.global_tensor(p, [n])
    t = asctile.copy_in(x, [0], [64])
    for i in range(n):  # here
        asctile.copy_out(t, x, [i])
        t = asctile.copy_in(x, [0], [32])


@refused(CodegenError, "'grown' gets more or fewer items")
def list_grows(p, n):
    grown = []
    for i in range(n):  # here
        grown.append(i)


@refused(CodegenError, "TypeError: a list is indexed at compile time", TypeError)
def run_time_index(p, n):
    items = [1, 2]
    items[n]  # here


@refused(CodegenError, "cannot be iterated", TypeError)
def iterates_scalar(p, n):
    for _ in n:  # here
        pass


@refused(CodegenError, "head of a 'for' statement", TypeError)
def comprehension_over_device_range(p, n):
    [i for i in asctile.range(n)]  # noqa: C416  # here


@refused(CodegenError, "step of range must not be zero", ValueError)
def zero_step(p, n):  # Q62
    for _ in range(0, 10, 0):  # here
        pass


@refused(CodegenError, "stop of range must be an integer", TypeError)
def float_bound(p, n):  # Q62
    for _ in range(3.5):  # here
        pass


@refused(CodegenError, "start of range must be an integer", TypeError, "p: *f32, n: f32")
def float_scalar_bound(p, n):
    for _ in range(n, 5):  # here
        pass


@refused(CodegenError, "unroll_factor must be known at compile time", TypeError)
def run_time_unroll(p, n):
    for _ in asctile.range(n, unroll_factor=n):  # here
        pass


@refused(CodegenError, "gm_barrier must be a bool", TypeError)
def barrier_not_bool(p, n):
    for _ in asctile.range(n, gm_barrier=1):  # here
        pass


@refused(CodegenError, "stop of static_range must be known at compile time", TypeError)
def run_time_static_range(p, n):
    for _ in asctile.static_range(n):  # here
        pass


@refused(CodegenError, "has no single truth value", TypeError)
def tile_as_condition(p, n):
    t = asctile.copy_in(asctile.global_tensor(p, [n]), [0], [64])
    if t:  # here
        pass


@refused(CodegenError, "items of a tile cannot be assigned", TypeError)
def tile_item(p, n):
    t = asctile.copy_in(asctile.global_tensor(p, [n]), [0], [64])
    t[0] = 1  # here


@refused(CodegenError, "AssertionError: n must be known", AssertionError)
def false_assertion(p, n):
    assert 1 > 2, "n must be known"  # here


@refused(CodegenError, "ZeroDivisionError", ZeroDivisionError)
def division_by_zero(p, n):
    1 // 0  # here


@refused(CodegenError, "AttributeError: module 'math' has no attribute 'nothing'", AttributeError)
def missing_attribute(p, n):
    math.nothing  # noqa: B018  # here


@refused(CodegenError, "tile 64xf32 has no attribute 'expp'", AttributeError, help="did you mean 'exp'?")
def misspelled_method(p, n):
    t = asctile.copy_in(asctile.global_tensor(p, [n]), [0], [64])
    t.expp()  # here


@refused(CodegenError, "AttributeError: scalar i32 has no attribute 'to'", AttributeError, help="it has cast, ceildiv")
def method_of_tiles(p, n):
    n.to(asctile.float32)  # here


@refused(CodegenError, "'asctile' has no attribute 'sofmax'", AttributeError, help="did you mean 'softmax'?")
def misspelled_function(p, n):
    asctile.sofmax(n)  # here


@refused(CodegenError, "TypeError: sum() got an unexpected keyword argument 'axis'", TypeError)
def keyword_of_numpy(p, n):
    asctile.copy_in(asctile.global_tensor(p, [n]), [0], [64]).sum(axis=0)  # here


@refused(CodegenError, "not enough values to unpack", ValueError)
def unpacks_too_few(p, n):
    a, b = (n,)  # noqa: F841  # here


@refused(CodegenError, "the two sides of the run-time conditional expression are the str 'a' and an address")
def ternary_of_kinds(p, n):
    ("a" if n > 0 else p)  # here


@asctile.jit
def with_constant(v, k: asctile.ConstExpr[int]):
    return v + k


@refused(CodegenError, "'k' of with_constant must be known at compile time, got a scalar i32", TypeError)
def run_time_constant(p, n):
    with_constant(n, n)  # here


@refused(CodegenError, "constant 'k' must be int, got str 'a'", RuntimeError)
def wrong_constant(p, n):
    with_constant(n, "a")  # here


@refused(CodegenError, "with_constant(): missing a required argument: 'k'", TypeError)
def missing_argument(p, n):
    with_constant(n)  # here


def endless(v):
    return endless(v)  # here


@refused(CodegenError, "nested more than 200 deep")
def recursion(p, n):
    endless(n)


IN_HELPER = {
    "recursion": (endless, "# here"),
    "helper_ends_without_value": (one_way, "# one way"),
    "helper_returns_two_kinds": (two_kinds, "# two kinds"),
    "helper_returns_tensor_from_loop": (tensor_from_loop, "# tensor"),
}


@pytest.mark.parametrize(
    ("kernel", "error", "message", "cause", "signature", "help"), CASES, ids=lambda v: getattr(v, "__name__", "")
)
def test_refusal(kernel, error, message, cause, signature, help):
    with pytest.raises(CodegenError) as caught:
        graph_of(kernel, signature)
    raised = caught.value
    assert type(raised) is error
    assert message in raised.message and help in raised.remedy
    if cause is not None:
        assert isinstance(raised.__cause__, cause)
    lines, first = inspect.getsourcelines(kernel.function)
    mark = "# here"
    if kernel.__name__ in IN_HELPER:
        helper, mark = IN_HELPER[kernel.__name__]
        lines, first = inspect.getsourcelines(helper)
    (expected,) = (first + k for k, line in enumerate(lines) if line.rstrip().endswith(mark))
    assert raised.lineno == expected
    assert raised.filename.endswith("test_frontend_errors.py")
    assert not raised.filename.startswith("/")
    assert "^" in str(raised)


def test_the_caret_is_under_the_failing_part():
    @asctile.jit
    def kernel(p, n):
        x = n + 1
        y = x + missing  # noqa: F821, F841

    with pytest.raises(CodegenError) as caught:
        graph_of(kernel, "p: *f32, n: i32")
    lines = str(caught.value).splitlines()
    assert lines[1].lstrip().startswith("y = x + missing")
    assert lines[2].index("^") == lines[1].index("missing")
    assert lines[-1].startswith("help: ")


def test_exceptions_may_pass_uncaught():
    @asctile.jit(capture_exceptions=False)
    def kernel(p, n):
        1 // 0  # noqa: B018

    with pytest.raises(ZeroDivisionError):
        graph_of(kernel, "p: *f32, n: i32")


def test_own_errors_are_located_even_when_not_captured():
    @asctile.jit(capture_exceptions=False)
    def kernel(p, n):
        for _ in range(0, 1, 0):
            pass

    with pytest.raises(ValueError) as caught:  # noqa: PT011
        graph_of(kernel, "p: *f32, n: i32")
    assert isinstance(caught.value, TranspileError) and caught.value.lineno is not None


def test_branches_not_taken_are_never_looked_at():
    @asctile.jit
    def kernel(p, n, check: asctile.ConstExpr = False):
        if check:
            raise ValueError("not reached")
        x = 1 if not check else undefined  # noqa: F821, F841

    assert "kernel kernel" in text_of(kernel, "p: *f32, n: i32")


def test_error_inside_a_helper_names_the_helpers_line():
    def helper(v):
        return v + "text"

    @asctile.jit
    def kernel(p, n):
        helper(n)

    with pytest.raises(CodegenError) as caught:
        graph_of(kernel, "p: *f32, n: i32")
    assert 'return v + "text"' in str(caught.value)
