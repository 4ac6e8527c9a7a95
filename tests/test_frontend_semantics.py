"""Kernels mean what Python means: graphs of scalars are run and compared with the Python function itself."""

from __future__ import annotations

import pytest

from frontend_tools import evaluate, graph_of, run_python
from pyasc_transpile import asctile

KERNELS = []


def case(function):
    KERNELS.append(asctile.jit(function))
    return KERNELS[-1]


@case
def carried_number_doubles(p, n):  # Q1
    x = asctile.global_tensor(p, [n])
    s = 1
    for i in range(n):
        asctile.copy_out(s, x, [i])
        s = s * 2
    asctile.copy_out(s, x, [n])


@case
def carried_counter(p, n):  # Q1
    x = asctile.global_tensor(p, [n])
    s = 0
    for _ in range(n):
        s += 1
    asctile.copy_out(s, x, [0])


@case
def start_is_another_name(p, n):  # Q2
    x = asctile.global_tensor(p, [n])
    a = n
    for i in range(n):
        a = a + n
        asctile.copy_out(n, x, [i])
    asctile.copy_out(a, x, [0])
    asctile.copy_out(n, x, [1])


@case
def loop_uses_bound_while_copy_changes(p, n):  # Q2
    x = asctile.global_tensor(p, [n])
    m = n
    for i in range(n):
        asctile.copy_out(n, x, [i])
        m = m + 1
    asctile.copy_out(m, x, [0])


@case
def swap(p, n):  # Q3
    x = asctile.global_tensor(p, [n])
    a, b = n, n + 5
    for i in range(n):
        a, b = b, a
        asctile.copy_out(a, x, [i])
    asctile.copy_out(a, x, [0])
    asctile.copy_out(b, x, [1])


@case
def fibonacci(p, n):  # Q3
    x = asctile.global_tensor(p, [n])
    a = 0
    b = 1
    for i in range(n):
        c = a + b
        a = b
        b = c
        asctile.copy_out(a, x, [i])
    asctile.copy_out(a, x, [0])
    asctile.copy_out(b, x, [1])


@case
def rotate_three(p, n):
    x = asctile.global_tensor(p, [n])
    a, b, c = 1, 2, 3
    for i in range(n):
        a, b, c = b, c, a + i
    asctile.copy_out(a, x, [0])
    asctile.copy_out(b, x, [1])
    asctile.copy_out(c, x, [2])


@case
def int_becomes_float(p, n):
    x = asctile.global_tensor(p, [n])
    s = 0
    for i in range(n):
        s = s + i * 0.5
    asctile.copy_out(s, x, [0])


@case
def truth_of_int(p, n):  # Q11
    x = asctile.global_tensor(p, [n])
    if n:
        asctile.copy_out(1, x, [0])
    else:
        asctile.copy_out(2, x, [0])
    asctile.copy_out(3 if n else 4, x, [1])
    if n and n + 1:
        asctile.copy_out(5, x, [2])
    if not n or n == 2:
        asctile.copy_out(6, x, [3])


@case
def and_or_as_values(p, n):  # Q48
    x = asctile.global_tensor(p, [n])
    asctile.copy_out(n or 7, x, [0])
    asctile.copy_out(n and n + 5, x, [1])
    asctile.copy_out((n and 0) or 9, x, [2])
    asctile.copy_out(0 or 5, x, [3])
    asctile.copy_out(n > 1 and n < 5 and n != 3, x, [4])
    asctile.copy_out((n > 1 and n) or n - 8, x, [5])


@case
def chained_comparison(p, n):
    x = asctile.global_tensor(p, [n])
    if 0 < n <= 3:
        asctile.copy_out(1, x, [0])
    if 1 < 2 < n:
        asctile.copy_out(2, x, [1])
    if 3 < 2 < n:
        asctile.copy_out(3, x, [2])
    asctile.copy_out(0 <= n < 4, x, [3])


@case
def branches_define_and_merge(p, n):
    x = asctile.global_tensor(p, [n])
    a = 1
    k = 5
    if n > 2:
        a = 2.5
        b = n
        k = 5
    else:
        b = 0
    asctile.copy_out(a, x, [0])
    asctile.copy_out(b, x, [1])
    for j in asctile.static_range(k):
        asctile.copy_out(j, x, [j])


@case
def elif_chain(p, n):
    x = asctile.global_tensor(p, [n])
    if n == 0:
        r = 10
    elif n == 1:
        r = 20
    elif n < 4:
        r = 30
    else:
        r = 40
    asctile.copy_out(r, x, [0])


@case
def nested_loops(p, n):
    x = asctile.global_tensor(p, [n])
    total = 0
    for i in range(n):
        row = 0
        for j in range(i, n):
            row += i * j
            if row % 3 == 1:
                total += row
        total = total + row
    asctile.copy_out(total, x, [0])


@case
def constant_survives_loop(p, n):
    x = asctile.global_tensor(p, [n])
    size = 4
    for i in range(n):
        for j in asctile.static_range(size):
            asctile.copy_out(i, x, [j])
        size = 4
    for j in asctile.static_range(size):
        asctile.copy_out(j, x, [j])


@case
def reset_in_every_iteration(p, n):
    x = asctile.global_tensor(p, [n])
    s = 0
    for i in range(n):
        s = s + 1
        asctile.copy_out(s, x, [i])
        s = 0
    asctile.copy_out(s, x, [0])


@case
def first_flag(p, n):
    x = asctile.global_tensor(p, [n])
    first = True
    best = 0
    for i in range(n):
        v = asctile.copy_in(x, [i])
        if first:
            best = v
            first = False
        else:
            best = max(best, v % 5)
    asctile.copy_out(best, x, [0])


@case
def loop_variable_after_loop(p, n):
    x = asctile.global_tensor(p, [n])
    i = 42
    for i in range(n):
        j = i + 1
        i = j * 2
        asctile.copy_out(i, x, [j])
    asctile.copy_out(i, x, [0])


@case
def bounds_are_read_once(p, n):
    x = asctile.global_tensor(p, [n])
    m = n
    for i in range(m):
        m = m + 1
        asctile.copy_out(m, x, [i])
    asctile.copy_out(m, x, [0])


@case
def negative_step(p, n):  # Q62
    x = asctile.global_tensor(p, [n])
    for i in range(10, 0, -3):
        asctile.copy_out(i, x, [0])
    for i in range(n, 0, -1):
        asctile.copy_out(i, x, [1])


@case
def list_elements_are_carried(p, n):
    x = asctile.global_tensor(p, [n])
    sums = [0, 10, 20]
    pair = (0, 1)
    for i in range(n):
        for j in asctile.static_range(3):
            sums[j] = sums[j] + i * j
        pair = (pair[1], pair[0] + pair[1])
        if i % 2 == 0:
            sums[0] += 100
    for j in asctile.static_range(3):
        asctile.copy_out(sums[j], x, [j])
    asctile.copy_out(pair[0], x, [3])


@case
def dict_entries_are_carried(p, n):
    x = asctile.global_tensor(p, [n])
    state = {"low": 100, "high": 0}
    for i in range(n):
        v = asctile.copy_in(x, [i]) % 7
        state["low"] = min(state["low"], v)
        state["high"] = max(state["high"], v)
    asctile.copy_out(state["low"], x, [0])
    asctile.copy_out(state["high"], x, [1])


@case
def comparisons_of_constants(p, n):  # Q44
    x = asctile.global_tensor(p, [n])
    asctile.copy_out(1 if 1 == 1.0 else 2, x, [0])
    asctile.copy_out(1 if n == None else 2, x, [1])  # noqa: E711
    asctile.copy_out(1 if n != "a" else 2, x, [2])
    asctile.copy_out(1 if 1 < 2.5 else 2, x, [3])
    asctile.copy_out(1 if n in (1, 3) else 2, x, [4])
    asctile.copy_out(1 if n not in [0, 1] else 2, x, [5])


@case
def compile_time_loops(p, n):
    x = asctile.global_tensor(p, [n])
    for k, (a, b) in enumerate(zip([1, 2, 3], (4, 5, 6))):
        if k == 1:
            continue
        asctile.copy_out(n + a * b, x, [k])
    for value in reversed([7, 8, 9]):
        if value == 8:
            break
        asctile.copy_out(value, x, [0])
    else:
        asctile.copy_out(-1, x, [0])
    count = 1
    while count < 20:
        count *= 3
        if count == 9:
            continue
        asctile.copy_out(count, x, [1])
    else:
        asctile.copy_out(n, x, [2])


@case
def python_syntax(p, n):
    x = asctile.global_tensor(p, [n])
    a = b = n
    (c, *rest), d = (1, 2, 3, 4), n
    [e, f] = [a, b]
    table = {"one": 1, **{"two": 2}}
    squares = [k * k for k in range(5) if k % 2 == 0]
    total = sum(k + n for k in squares)
    names = {k for k in (1, 1, 2)}
    double = lambda v, *, times=2: v * times  # noqa: E731
    if (w := n + 1) > 3:
        asctile.copy_out(w, x, [0])
    del a
    g = {k: v for k, v in zip("ab", (n, 2))}

    def helper(u, v=3, *args, **kwargs):
        if v == 3:
            return u + v
        return u - v + sum(args) + kwargs.get("extra", 0)

    values = [b, c, rest[2], d, e + f, table["two"], total, len(names), double(n), double(n, times=3), g["a"]]
    values += [helper(n), helper(n, 4), helper(n, 5, 6, 7, extra=n), helper(*[n, 1], **{"extra": 2})]
    values += [int(f"{c}{len(rest)}"), abs(n - 5), divmod(n, 3)[1], pow(n, 2), bool(n), max(n, 3, 5), min([n, 2])]
    for k, value in enumerate(values):
        asctile.copy_out(value, x, [k])


@case
def continue_at_the_top_of_a_device_loop(p, n):
    x = asctile.global_tensor(p, [n])
    skip = True
    for i in range(n):
        asctile.copy_out(i, x, [0])
        if skip:
            continue
        asctile.copy_out(i, x, [1])


@case
def loop_with_else(p, n):
    x = asctile.global_tensor(p, [n])
    s = 0
    for i in range(n):
        s += i
    else:
        s += 100
    asctile.copy_out(s, x, [0])


@case
def zero_trips(p, n):
    x = asctile.global_tensor(p, [n])
    s = 3
    for i in range(n - n):
        s = s + i
    for i in range(0):
        s = s * 7
    asctile.copy_out(s, x, [0])


@case
def conditional_updates_in_branches(p, n):
    x = asctile.global_tensor(p, [n])
    low, high = 0, n
    for i in range(4):
        middle = (low + high) // 2
        if middle * middle > n:
            high = middle
        else:
            low, i = middle, i + 1
        asctile.copy_out(i, x, [0])
    asctile.copy_out(low, x, [1])
    asctile.copy_out(high, x, [2])


@asctile.jit
def clamp(v, low: asctile.ConstExpr, high: asctile.ConstExpr = 3):
    if v < low:
        v = low
    if v > high:
        v = high
    return v


@asctile.jit
def count_down(v, times):
    if times == 0:
        return v
    return count_down(v + times, times - 1)


def plain_helper(v, w):
    if v > 2:
        result = v * w
    else:
        result = v - w
    return result, w


@case
def helpers(p, n):  # Q5
    x = asctile.global_tensor(p, [n])
    asctile.copy_out(clamp(n, 1), x, [0])
    asctile.copy_out(clamp(n, 0, high=2), x, [1])
    asctile.copy_out(clamp(n + 5, 4, 6), x, [2])
    asctile.copy_out(count_down(n, 4), x, [3])
    a, b = plain_helper(n, 5)
    asctile.copy_out(a + b, x, [4])
    for i in range(n):
        a, b = plain_helper(a, i)
    asctile.copy_out(a, x, [5])
    asctile.copy_out(max(map(lambda v: v + n, [1, 2])), x, [6])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_graph_means_what_python_means(kernel, n):
    graph = graph_of(kernel, "p: *f32, n: i32")
    assert evaluate(graph, {"n": n}) == run_python(kernel, {"p": None, "n": n})
