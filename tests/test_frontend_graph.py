"""Form of the graphs that the front end builds."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from frontend_tools import graph_of, text_of
from pyasc_transpile import asctile
from pyasc_transpile.errors import CodegenError
from pyasc_transpile.graph import dtypes
from pyasc_transpile.graph.constants import NamedInt
from pyasc_transpile.graph.graph import walk

BLOCK = 64
SCALE = asctile.ConstExpr(3)
SIGNATURE = "p: *f32, n: i32"


def body(kernel, signature=SIGNATURE):
    """Nodes of a kernel without the place comments and the head."""
    lines = text_of(kernel, signature).splitlines()
    return [line.split("  # ")[0] for line in lines[1:] if line and not line.startswith("  const")]


def ops(kernel, signature=SIGNATURE):
    return [node.op for node in walk(graph_of(kernel, signature).body)]


def test_loop_with_a_carried_tile():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        total = asctile.full([64], 0.0)
        for i in asctile.range(n, unroll_factor=2, gm_barrier=True):
            total = total + asctile.copy_in(x, [i * 64], [64])
        asctile.copy_out(total, x, [0])

    text = "\n".join(body(kernel))
    assert "for(0, %n, 1, %total, unroll_factor=2, gm_barrier=True) : 64xf32" in text
    assert "do(%i, %total.2):" in text
    assert "yield %total.3" in text
    assert "copy_out(%total.1, %x, 0" in text


def test_invariant_tile_is_not_carried():  # Q2
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        t = asctile.copy_in(x, [0], [64])
        a = t
        for _ in range(n):
            a = a + t
        asctile.copy_out(a, x, [0])

    loop = next(node for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "for")
    assert len(loop.results) == 1
    (region,) = loop.regions
    add = region.nodes[0]
    assert add.operands == (region.params[1], loop.operands[3])


def test_tile_of_another_shape_may_be_local_to_a_loop():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        t = asctile.copy_in(x, [0], [64])
        asctile.copy_out(t, x, [0])
        for i in range(n):
            t = asctile.copy_in(x, [i], [32])
            asctile.copy_out(t, x, [i])
        t = asctile.copy_in(x, [0], [16])
        asctile.copy_out(t, x, [0])

    loop = next(node for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "for")
    assert loop.results == ()


def test_none_before_a_loop_that_assigns_first():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        t = None
        for i in range(n):
            t = asctile.copy_in(x, [i], [64])
            asctile.copy_out(t, x, [i])

    assert ops(kernel) == ["global_tensor", "for", "copy_in", "copy_out"]


def test_constants_stay_constants():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        width = 64
        for i in range(n):
            t = asctile.copy_in(x, [i], [width])
            if n > 5:
                width = 64
            asctile.copy_out(t, x, [i])
        asctile.copy_out(asctile.full([width], 1.0), x, [0])

    assert "for(0, %n, 1, unroll_factor=None" in "\n".join(body(kernel))


def test_bool_argument_is_a_condition():  # Q47
    @asctile.jit
    def kernel(p, flag, f):
        x = asctile.global_tensor(p, [8])
        if flag and f:
            asctile.copy_out(1, x, [0])

    assert [line.strip() for line in body(kernel, "p: *f32, flag: i1, f: f32")[1:4]] == [
        "%t.0 = scalar.not_equal(%f, 0.0) : i1",
        "%t.1 = scalar.logical_and(%flag, %t.0) : i1",
        "if(%t.1)",
    ]


def test_branch_promotes_numbers():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        a = 1 if n > 0 else 2.5
        b = 3
        if n > 1:
            b = 2**40
        asctile.copy_out(a, x, [0])
        asctile.copy_out(b, x, [0])

    results = [node.results[0].dtype for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "if"]
    assert results == [dtypes.float32, dtypes.int64]


def test_loops_over_wide_bounds_count_in_64_bits():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [8])
        for i in range(n):
            asctile.copy_out(i, x, [0])
        for i in range(2**33):
            asctile.copy_out(i, x, [0])
        for i in range(5):
            asctile.copy_out(i, x, [0])

    loops = [node for node in walk(graph_of(kernel, "p: *f32, n: i64").body) if node.op == "for"]
    assert [loop.regions[0].params[0].dtype.name for loop in loops] == ["int64", "int64", "int32"]


def test_names_of_constants_are_kept():
    local = 16

    @asctile.jit
    def kernel(p, n, tile: asctile.ConstExpr[int]):
        x = asctile.global_tensor(p, [n])
        for values in (tile, BLOCK, SCALE, local):
            asctile.copy_out(n, x, [values])

    stores = [node for node in walk(graph_of(kernel, SIGNATURE + ", tile=32").body) if node.op == "store_scalar"]
    offsets = [store.operands[2] for store in stores]
    assert [type(offset) for offset in offsets] == [NamedInt] * 4
    assert [offset.name for offset in offsets] == ["tile", "BLOCK", "SCALE", "local"]
    assert offsets == [32, 64, 3, 16]


def test_values_are_named_by_their_first_name():
    @asctile.jit
    def kernel(p, n):
        first = n + 1
        second = first  # noqa: F841
        a, (b, c) = n * 2, (n * 3, n * 4)  # noqa: F841

    values = [node.results[0].name for node in walk(graph_of(kernel, SIGNATURE).body)]
    assert values == ["first", "a", "b", "c"]


def test_spans_are_those_of_the_statement():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        for i in range(n):
            if i > 1:
                asctile.copy_out(
                    i + 1,
                    x,
                    [i],
                )

    graph = graph_of(kernel, SIGNATURE)
    first = graph.span.line
    assert graph.span.text.strip() == "def kernel(p, n):"
    places = [(node.op, node.span.line - first, node.span.column) for node in walk(graph.body)]
    assert places == [
        ("global_tensor", 1, 8),
        ("for", 2, 8),
        ("scalar.greater", 3, 12),
        ("if", 3, 12),
        ("scalar.add", 4, 16),
        ("scalar.cast", 4, 16),
        ("store_scalar", 4, 16),
    ]
    assert graph.span.filename == os.path.relpath(__file__).replace(os.sep, "/")


def test_names_escape_with_blocks():  # Q6
    entered = []

    @contextlib.contextmanager
    def manager(label):
        entered.append(label)
        yield label
        entered.append("end")

    @asctile.jit
    def kernel(p, n):
        r = n
        with manager("a") as first, manager("b") as (second):
            r = r + 1
            inner = n * 2
        asctile.copy_out(r + inner + len(first) + len(second), asctile.global_tensor(p, [n]), [0])

    assert ops(kernel) == [
        "scalar.add",
        "scalar.mul",
        *["scalar.add"] * 3,
        "global_tensor",
        "scalar.cast",
        "store_scalar",
    ]
    assert entered == ["a", "b", "end", "end"]


def test_static_range_unrolls_and_leaves_its_variable():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        for i in asctile.static_range(6, 0, step=-2):
            asctile.copy_out(n, x, [i])
        asctile.copy_out(n, x, [i])

    stores = [node for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "store_scalar"]
    assert [store.operands[2] for store in stores] == [6, 4, 2, 2]


def test_older_name_of_gm_barrier():
    @asctile.jit
    def kernel(p, n):
        for _ in asctile.range(n, parallel=True):
            n + 1

    with pytest.warns(DeprecationWarning, match="gm_barrier"):
        assert "gm_barrier=False" in text_of(kernel, SIGNATURE)


def test_static_print_prints_once_although_bodies_are_walked_again(capsys):
    @asctile.jit
    def kernel(p, n):
        s = 0
        for i in range(n):
            for _ in range(i):
                s = s + 1.5
                asctile.static_print("inner")
        asctile.static_print("end")

    graph_of(kernel, SIGNATURE)
    assert capsys.readouterr().out == "inner\nend\n"


def helper_with_branch(v, limit):
    if v > limit:
        v = limit
    return v


def test_plain_functions_with_run_time_arguments_are_inlined():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        asctile.copy_out(helper_with_branch(n, 5), x, [0])
        asctile.copy_out(functools.partial(helper_with_branch, limit=n)(3), x, [0])

    assert ops(kernel).count("if") == 2


class Tiling:
    def __init__(self, size):
        self.size = size

    def clamp(self, v):
        if v > self.size:
            v = self.size
        return v

    @property
    def double(self):
        return self.size * 2


def test_objects_and_their_methods():
    @asctile.jit
    def kernel(p, n, tiling: asctile.ConstExpr[Tiling]):
        x = asctile.global_tensor(p, [n])
        asctile.copy_out(tiling.clamp(n), x, [tiling.double])

    from pyasc_transpile.asctile.arguments import ParameterKind
    from pyasc_transpile.frontend.signature import Parameter, Signature, signature_of
    from pyasc_transpile.frontend.walker import trace

    bound = kernel.bind((np.zeros(4, np.float32), 3, Tiling(8)), {})
    signature = signature_of(bound)
    assert signature == Signature(
        (
            Parameter("p", ParameterKind.POINTER, dtypes.float32),
            Parameter("n", ParameterKind.SCALAR, dtypes.int32),
            Parameter("tiling", ParameterKind.CONSTANT, None, bound.arguments[2].value),
        )
    )
    assert "if" in [node.op for node in walk(trace(kernel, signature).body)]


def test_compile_time_functions_are_just_called():
    calls = []

    def compute(k):
        calls.append(k)
        try:
            return np.arange(k).sum().item()
        finally:
            pass

    @asctile.jit
    def kernel(p, n):
        asctile.copy_out(n, asctile.global_tensor(p, [n]), [compute(4)])

    assert graph_of(kernel, SIGNATURE).body.nodes[-1].operands[-1] == 6
    assert calls == [4]


def test_closures_and_late_globals():
    factor = 3

    def closure(v):
        return v * factor

    @asctile.jit
    def kernel(p, n):
        asctile.copy_out(closure(n) + factor, asctile.global_tensor(p, [n]), [0])

    assert "scalar.mul(%n, 3)" in text_of(kernel, SIGNATURE)


def test_isinstance_and_type_of_constants():
    @asctile.jit
    def kernel(p, n, k: asctile.ConstExpr):
        x = asctile.global_tensor(p, [n])
        assert type(k) is int and isinstance(k, int) and not isinstance(n, int) and repr(k) == "5"
        assert isinstance(asctile.copy_in(x, [0], [8]), asctile.LocalTensor)
        assert asctile.float32 == x.dtype and x.dtype in (asctile.float32, asctile.float16)
        assert hasattr(x, "shape") and getattr(x, "nothing", 4) == 4

    graph_of(kernel, SIGNATURE + ", k=5")


def test_print_and_run_time_assert_do_not_fail():
    @asctile.jit
    def kernel(p, n):
        print("n is", n)
        assert n > 0, f"n is {n}"
        if n > 3:
            assert False, "too large"  # noqa: B011, PT015

    graph_of(kernel, SIGNATURE)


@dataclasses.dataclass
class State:
    total: int
    count: int


def test_fields_of_mutable_objects_are_carried():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        state = State(0, 0)
        for i in range(n):
            state.total += i
        asctile.copy_out(state.total, x, [state.count])

    loop = next(node for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "for")
    assert [result.name for result in loop.results] == ["state_total"]


def test_min_and_max_of_tiles_scalars_and_numbers():
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        t = asctile.copy_in(x, [0], [64])
        asctile.copy_out(max(t, 1, 3, n), x, [0])
        asctile.copy_out(sum([t, t, t]), x, [0])
        asctile.copy_out(max([1, 5, 3], key=lambda v: -v), x, [0])

    found = ops(kernel)
    assert found.count("maximum") == 2 and found.count("add") == 2
    stores = [node for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "store_scalar"]
    assert stores[0].operands[0] == 1


def test_conversions_of_scalars():
    @asctile.jit
    def kernel(p, n, f):
        return_values = [int(f), float(n), int(n), bool(f), len(asctile.full([8, 4], 0.0))]
        asctile.copy_out(return_values[0] + return_values[4], asctile.global_tensor(p, [n]), [0])

    text = text_of(kernel, SIGNATURE + ", f: f32")
    assert "scalar.cast(%f) : i32" in text and "scalar.cast(%n) : f32" in text and "not_equal(%f" in text


def test_kernels_called_by_python_inside_a_kernel():
    @asctile.jit
    def double(v):
        if v > 0:
            v = v * 2
        return v

    @asctile.jit
    def kernel(p, n):
        for k, v in enumerate(map(double, [n, n + 1])):
            asctile.copy_out(v, asctile.global_tensor(p, [n]), [k])

    assert ops(kernel).count("if") == 2


def test_deep_nesting_is_not_exponential():
    @asctile.jit
    def kernel(p, n):
        s = 0
        for a in range(n):
            for b in range(a):
                for c in range(b):
                    for d in range(c):
                        for e in range(d):
                            for f in range(e):
                                s = s + f * 0.5
                                counted()
        asctile.copy_out(s, asctile.global_tensor(p, [n]), [0])

    visits = []

    def counted():
        visits.append(1)

    assert ops(kernel).count("for") == 6
    assert len(visits) <= 16


def test_translation_is_the_same_for_every_hash_seed():  # Q63
    script = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "import test_frontend_graph as t, frontend_tools\n"
        "print(frontend_tools.text_of(t.many_carried, t.SIGNATURE))\n"
    )
    folder = Path(__file__).parent
    source = Path(asctile.ConstExpr.__module__ and sys.modules["pyasc_transpile"].__file__).parent.parent
    texts = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", script, str(folder), str(source)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        texts.add(run.stdout)
    assert len(texts) == 1


@asctile.jit
def many_carried(p, n):
    x = asctile.global_tensor(p, [n])
    alpha, beta, gamma, delta = 0, 1.0, n, True
    for i in range(n):
        alpha, beta, gamma, delta = alpha + i, beta * 2, gamma - 1, not delta
    asctile.copy_out(alpha + beta + gamma, x, [0])


def test_threads_translate_independently():
    texts, failures = [], []

    def work():
        try:
            texts.extend(text_of(many_carried, SIGNATURE) for _ in range(5))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and len(texts) == 20 and len(set(texts)) == 1


def test_methods_of_language_outside_of_kernels():
    with pytest.raises(RuntimeError, match="inside of a kernel"):
        asctile.block_idx()
    with pytest.raises(CodegenError):
        graph_of(asctile.jit(bad_kernel), SIGNATURE)


def bad_kernel(p, n):
    asctile.copy_in(p, [0], [n])


class Counter:
    def __init__(self):
        self.total = 0

    def add(self, v):
        if v > 2:
            self.total = self.total + v


def test_attributes_changed_by_methods_are_carried():
    @asctile.jit
    def kernel(p, n):
        counter = Counter()
        for i in range(n):
            counter.add(i)
        asctile.copy_out(counter.total, asctile.global_tensor(p, [n]), [0])

    loop = next(node for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "for")
    assert [result.name for result in loop.results] == ["counter_total"]


LEAK: list = []


def test_values_that_leak_out_of_a_loop_are_found():
    @asctile.jit
    def kernel(p, n):
        for i in range(n):
            LEAK.append(i + 1)
        asctile.copy_out(LEAK[-1], asctile.global_tensor(p, [n]), [0])

    with pytest.raises(CodegenError, match="used outside of it"):
        graph_of(kernel, SIGNATURE)


def test_tiles_rebound_without_an_operation():  # Q55
    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        t = asctile.copy_in(x, [0], [64])
        a, b = t, t + 1
        if n > 0:
            a = b
        asctile.copy_out(a, x, [0])

    branch = next(node for node in walk(graph_of(kernel, SIGNATURE).body) if node.op == "if")
    assert [str(result.type) for result in branch.results] == ["64xf32"]
    then, otherwise = branch.regions
    assert [value.name for value in (*then.yields, *otherwise.yields)] == ["b", "t"]


def test_helpers_are_specialised_by_every_call():  # Q5
    @asctile.jit
    def add(t, k: asctile.ConstExpr):
        return t + k

    @asctile.jit
    def kernel(p, n):
        x = asctile.global_tensor(p, [n])
        t = asctile.copy_in(x, [0], [64])
        for value in (add(t, 1), add(t, k=5), add(n, 2), add(asctile.copy_in(x, [0], [32]), asctile.ConstExpr(7))):
            asctile.copy_out(value, x, [0])

    nodes = list(walk(graph_of(kernel, SIGNATURE).body))
    assert [node.operands[1] for node in nodes if node.op in ("add", "scalar.add")] == [1, 5, 2, 7]
