"""Kernels that another implementation of the language gets wrong or rejects: here they mean what Python and NumPy say.

One kernel for each kind of fault, on both architectures and in both memory styles, on the checked build. ``TESTED``
says for every listed fault which test shows that it is absent, ``LEFT_OUT`` why one has no test.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, expects, in_styles
from tests.support.refusals import check_rules

from pyasc_transpile import asctile
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

SIZE, N, F = 256, 2, 1.5
ROWS: list[tuple[str, Any, Callable[..., Any]]] = []


def means(expected: Callable[..., Any]) -> Callable[[Any], Any]:
    """Collect a kernel; ``expected`` says what it stores at the start of ``out`` for x (8, 8), i (64) and n, f."""

    def note(function: Any) -> Any:
        ROWS.append((function.__name__, asctile.jit(function), expected))
        return function

    return note


def load(pointer: Any, *shape: int) -> Any:
    return asctile.copy_in(asctile.global_tensor(pointer, shape), [0] * len(shape), shape)


def store(tile: Any, pointer: Any, at: Any = 0) -> None:
    asctile.copy_out(tile.ravel(), asctile.global_tensor(pointer, [SIZE]), [at])


@means(lambda x, i, n, f: [1, 2, 4, 8, 16])
def numbers_are_carried(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    s = 1
    for k in asctile.range(4):
        asctile.copy_out(s, out, [k])
        s = s * 2
    asctile.copy_out(s, out, [4])


@means(lambda x, i, n, f: [*(x.ravel() * (n + 1)), n, n, 2 * n])
def what_starts_as_another_name_stays_apart(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    t = load(x_ptr, 64)
    a, m = t, n
    for k in asctile.range(n):
        a = a + t
        asctile.copy_out(n, out, [64 + k])
        m = m + 1
    store(a, out_ptr)
    asctile.copy_out(m, out, [66])


@means(lambda x, i, n, f: [3, 5, *(x.ravel() + 1), *x.ravel()])
def swaps_and_rotations(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    a, b = 0, 1
    for _ in asctile.range(n + 2):
        a, b = b, a + b
    asctile.copy_out(a, out, [0])
    asctile.copy_out(b, out, [1])
    t, u = load(x_ptr, 64), load(x_ptr, 64) + 1
    for _ in asctile.range(n + 1):
        t, u = u, t
    store(t, out_ptr, 2)
    store(u, out_ptr, 66)


@means(lambda x, i, n, f: [*np.trunc(x.ravel()), *x.ravel().astype(np.float16), *np.floor(x.ravel())])
def chains_of_casts_round(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 64)
    store(t.to(asctile.int32).to(asctile.float32), out_ptr)
    store(t.to(asctile.float16).to(asctile.float32), out_ptr, 64)
    store(t.to(asctile.int32, asctile.RoundMode.Floor).to(asctile.float32), out_ptr, 128)


def plus(tile: Any, number: asctile.ConstExpr[int]) -> Any:
    return tile + number


@means(lambda x, i, n, f: [*(x.ravel() + 1), *(x.ravel() + 5), *(x.ravel()[:8] + 9)])
def helpers_have_no_memory(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 64)
    store(plus(t, 1), out_ptr)
    store(plus(t, 5), out_ptr, 64)
    store(plus(load(x_ptr, 8), 9), out_ptr, 128)


@means(lambda x, i, n, f: [*(x + (np.arange(8) < 3)).ravel(), *x.ravel()])
def names_of_a_mask_escape(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    r = t = load(x_ptr, 8, 8)
    one = asctile.zeros([8, 8], asctile.float32)
    with asctile.mask(count=3):
        one = asctile.full([8, 8], 1.0) + 0
        u = t * 1
    store(r + one, out_ptr)
    store(asctile.where(u == t, t, t), out_ptr, 64)


@means(lambda x, i, n, f: [*x.ravel(), *x.T.ravel()])
def transposed_twice(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    store(load(x_ptr, 8, 8).T.T, out_ptr)
    store(load(x_ptr, 8, 8).T, out_ptr, 64)


@means(lambda x, i, n, f: x.reshape(4, 4, 4)[1:3, 1:4, :3].ravel())
def boxes_of_three_dimensions(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    store(asctile.copy_in(asctile.global_tensor(x_ptr, [4, 4, 4]), [1, 1, 0], [2, 3, 3]), out_ptr)


@means(lambda x, i, n, f: x.ravel())
def a_dimension_of_one_goes(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    total = load(x_ptr, 1, 64).sum(0)
    asctile.static_assert(total.shape == (64,))
    store(total, out_ptr)


@means(lambda x, i, n, f: [*np.where(i > 16777217, 1, 0), *np.where(i > i[::-1], 1, 0)])
def integers_are_compared_as_integers(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    i, one, zero = load(i_ptr, 64), asctile.full([64], 1.0), asctile.full([64], 0.0)
    store(asctile.where(i > 16777217, one, zero), out_ptr)
    back = asctile.copy_in(asctile.global_tensor(i_ptr, [128]), [64], [64])
    store(asctile.where(i > back, one, zero), out_ptr, 64)


@means(lambda x, i, n, f: [1, 1, 1, 1, 0, 1])
def truth_is_not_zero(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    if n:
        asctile.copy_out(1, out, [0])
    asctile.copy_out(1 if n and f else 0, out, [1])
    if flag and n and f and n > 1:
        asctile.copy_out(1, out, [2])
    asctile.copy_out(1 if flag or 1 // (n - 2) else 0, out, [3])  # nothing divides by zero
    asctile.copy_out(not n, out, [4])
    asctile.copy_out(1 if 1 < n < 3 else 0, out, [5])


@means(lambda x, i, n, f: [3.5, 3, 1, 3.0, -1, 1, -1.0, 4, 1])
def numbers_are_promoted(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    asctile.copy_out(n + 1.5, out, [0])
    asctile.copy_out(n * f, out, [1])
    asctile.copy_out(n < 2.5, out, [2])
    asctile.copy_out(6.0 // n, out, [3])
    asctile.copy_out((1 - n) // 2, out, [4])
    asctile.copy_out((0 - n - 1) % 2, out, [5])
    asctile.copy_out(-f // 2, out, [6])
    asctile.copy_out(n**2, out, [7])
    asctile.copy_out(1 == 1.0, out, [8])


@means(lambda x, i, n, f: [*(x.ravel() - f), *np.where(1 < x.ravel(), 1, 0), *(i % 3), *(x.ravel() // 2)])
def operators_with_the_number_on_either_side(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t, i = load(x_ptr, 64), load(i_ptr, 64)
    store(t + (-f), out_ptr)
    store(asctile.where(1 < t, asctile.full([64], 1.0), 0), out_ptr, 64)
    store((i % 3).to(asctile.float32), out_ptr, 128)
    store(t // 2, out_ptr, 192)


@means(lambda x, i, n, f: [*x.ravel(), *(x.ravel() + 1), *(x.ravel() + 3)])
def order_through_memory(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    asctile.copy_out(load(x_ptr, 64), out, [0])
    asctile.copy_out(asctile.copy_in(out, [0], [64]) + 1, out, [64])
    for k in asctile.range(n, unroll_factor=2, gm_barrier=True):
        asctile.copy_out(asctile.copy_in(out, [64 * (k + 1)], [64]) + 1, out, [128])


@means(lambda x, i, n, f: np.float32([16777220, 2**24 + 2]))
def integers_to_the_nearest_float(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    store(asctile.full([1], 16777219, asctile.int32).to(asctile.float32), out_ptr)
    store(asctile.full([1], 2**24 + 1 + n // 2, asctile.int32).to(asctile.float32), out_ptr, 1)


@means(lambda x, i, n, f: [*x.ravel()[:16], *x.ravel()[:16], *np.broadcast_to(x[:2, None, :4], (2, 2, 4)).ravel()])
def joined_and_repeated(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 16)
    store(asctile.concat(t, t), out_ptr)
    part = asctile.copy(load(x_ptr, 8, 8), [0, 0], [2, 4])
    store(part.reshape(1, 2, 1, 4).broadcast_to(1, 2, 2, 4), out_ptr, 32)


@means(lambda x, i, n, f: [*np.where((x > 1) & (x < 3), 1, 0).ravel(), *(x[1:3, 8 - 4 :]).ravel()])
def comparison_results_are_values(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    t = load(x_ptr, 8, 8)
    store(((t > 1) & (t < 3)).to(asctile.float32), out_ptr)
    store(asctile.copy(t, [n - 1, 4], [2, 4]), out_ptr, 64)


@means(lambda x, i, n, f: [10, 8, 6, 4, 0, 0, 7])
def loops_count_down(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    at = 0
    for k in asctile.range(n * 5, n, -2):
        asctile.copy_out(k, out, [at])
        at += 1
    for _ in asctile.range(0, n, -1):
        at = 100
    asctile.copy_out(at + 3, out, [6])


@means(lambda x, i, n, f: [4, 6, 1])
def wide_scalars_and_builtins(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    u = n.cast(asctile.int64)
    asctile.copy_out(u * 2, out, [0])
    asctile.copy_out(max(u, 6, n), out, [1])
    asctile.copy_out(abs(min(n, -1)), out, [2])


@means(lambda x, i, n, f: x.ravel())
def tiles_change_names_in_branches(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    g = asctile.to_asc(asctile.from_asc(load(x_ptr, 64)))
    a = asctile.from_asc(g)
    b = a + 1
    if n > 5:
        a = b
    store(a, out_ptr)


@means(lambda x, i, n, f: [*(x.ravel() * 2), *[1.5] * 8, 1, 0])
def numpy_numbers_and_none(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.global_tensor(out_ptr, [SIZE])
    t = asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64], "Auto")
    store(asctile.where(t == t, t * np.float32(2), np.float32(1)), out_ptr)
    store(asctile.full([8], np.float32(1.5)), out_ptr, 64)
    asctile.copy_out(1 if n != None else 0, out, [72])  # noqa: E711
    asctile.copy_out(1 if n == None else 0, out, [73])  # noqa: E711


@means(lambda x, i, n, f: [*x.ravel()])
def a_global_tensor_comes_back(x_ptr, i_ptr, out_ptr, n: int, f: float, flag: bool):
    out = asctile.from_asc(asctile.to_asc(asctile.global_tensor(out_ptr, [SIZE])))
    asctile.copy_out(load(x_ptr, 64), out, [0])


def all_cases(architecture: str, style: str) -> list[Case]:
    rng = np.random.default_rng(8)
    found = []
    for name, kernel, expected in ROWS:
        x = rng.integers(-40, 40, (8, 8)).astype(np.float32) / 8
        i = rng.integers(16777210, 16777225, 64).astype(np.int32)
        out = np.zeros(SIZE, np.float32)
        wanted = np.zeros_like(out)
        values = np.asarray(expected(x, i, N, F), np.float32)
        wanted[: values.size] = values
        args = (x, np.concatenate([i, i[::-1]]), out, N, F, True)
        found.append(Case(name, kernel, args, check=expects((out, wanted))))
    return found


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_kernels_mean_what_python_says(architecture: str, tmp_path: Path) -> None:
    Batch(tmp_path, architecture).run_all(in_styles(all_cases, architecture))


# --- where every fault is tested --------------------------------------------------------------------------------------

SEMANTICS = "test_frontend_semantics.py::test_graph_means_what_python_means"
#: Test -> numbers of the faults. A name without a file is a kernel or a test of this file.
TESTED = {
    "numbers_are_carried": (1,), "what_starts_as_another_name_stays_apart": (2,), "swaps_and_rotations": (3,),
    "chains_of_casts_round": (4,), "helpers_have_no_memory": (5,), "names_of_a_mask_escape": (6,),
    "transposed_twice": (7,), "boxes_of_three_dimensions": (8,), "a_dimension_of_one_goes": (9,),
    "integers_are_compared_as_integers": (10, 12), "truth_is_not_zero": (11, 47, 48), "order_through_memory": (14, 15),
    "numbers_are_promoted": (20, 21, 42), "integers_to_the_nearest_float": (28,), "joined_and_repeated": (31, 32),
    "operators_with_the_number_on_either_side": (41, 43), "comparison_results_are_values": (58, 59),
    "tiles_change_names_in_branches": (55,), "loops_count_down": (62,), "numpy_numbers_and_none": (44, 54, 67),
    "test_unsigned_scalars": (33,), "test_offsets_have_64_bits": (27,), "test_tiles_are_not_shifted_by_tiles": (30, 43),
    "a_global_tensor_comes_back": (57,), "test_debug_without_a_print": (70,), "test_empty_tiles_are_stored": (55,),
    "test_mask.py::test_masks": (19,),
    "test_reference.py::test_accesses_outside_of_an_array": (22,),
    "test_transfers.py::test_what_is_refused": (23, 24, 36, 60),
    "test_maths.py::test_functions_over_the_whole_range": (29,),
    "test_operations.py::test_every_operation": (29,),
    "test_indexed.py::test_what_is_refused": (34,),
    "test_indexed.py::test_gather_and_scatter": (73,),
    "test_frontend_errors.py::test_refusal": (62, 76),
    "test_jit.py::test_constants": (49,),
    "test_jit.py::test_scalars": (47, 50, 51),
    "test_jit.py::test_launch": (52,),
    "test_jit.py::test_launchers_are_independent": (53,),
    "test_jit.py::test_refused_values": (65,),
    "test_jit.py::test_calling_on_the_host_without_blocks": (75,),
    "test_debug.py::test_code_by_hand": (56,),
    "test_shapes.py::test_what_is_refused": (61, 68),
    "test_row_functions.py::test_refused": (71,),
    "test_frontend_graph.py::test_plain_functions_with_run_time_arguments_are_inlined": (37,),
    "test_launch.py::test_platforms_and_builds": (38,),
    "test_launch.py::test_a_captured_value_counts": (39,),
    "test_signature.py::test_different_content_has_different_text": (40,),
    "test_reference.py::test_every_operation_means_what_an_independent_calculation_says": (45, 46),
    "test_determinism.py::test_the_hash_seed_does_not_matter": (63,),
    "test_schedule.py::test_more_memory_than_there_is_is_an_error_with_or_without_overlap": (66,),
    "test_pytest_plugin.py::test_profiling_on_the_cpu": (69,),
    "test_low_level.py::test_an_architecture_without_the_instruction": (74,),
    SEMANTICS: (1, 2, 3, 5, 11, 44, 48, 62),
}  # fmt: skip
LEFT_OUT = {
    **dict.fromkeys((13, 16, 17, 18, 25, 26, 35, 64, 72), "about the cube unit, which the language here does not have"),
}


@asctile.jit
def unsigned(p, n):
    out = asctile.global_tensor(p, [n + 1])
    for k in asctile.range(n):
        asctile.copy_out(n * 2 + 1, out, [k])
    asctile.copy_out(n, out, [n])


def test_unsigned_scalars(tmp_path: Path) -> None:
    out = np.zeros(5, np.int32)
    case = Case("unsigned", unsigned, (out, np.uint32(4)), check=expects((out, [9] * 4 + [4])))
    Batch(tmp_path, "c310").run_all([case])


def source_of(kernel: Any, signature: str) -> str:
    return transpile(kernel, parse_signature(kernel, signature), find_platform("Ascend910B1"), kernel.options).source


@asctile.jit
def far_away(p, n):
    g = asctile.global_tensor(p, [n])
    asctile.copy_out(asctile.copy_in(g, [2**32 + 64], [64]), g, [n - 64])


def test_offsets_have_64_bits() -> None:
    text = source_of(far_away, "p: *i32, n: i64")
    assert "[4294967360LL]" in text and "const int64_t offset = n - 64;" in text


@asctile.jit
def stores_empty(p):
    asctile.copy_out(asctile.empty([64], asctile.int32), asctile.global_tensor(p, [64]), [0])


def test_empty_tiles_are_stored() -> None:
    assert "DataCopyPad(p_gm, " in source_of(stores_empty, "p: *i32")


@pytest.mark.parametrize("code", ("y << y", "y >> y", "1 << y"))
def test_tiles_are_not_shifted_by_tiles(code: str, tmp_path: Path) -> None:
    message = "a number of bits, not tile" if code[0] == "y" else "must be a tile, not int"
    check_rules(tmp_path, code, TypeError, message)


def test_debug_without_a_print(tmp_path: Path) -> None:
    row = next(case for case in all_cases("c310", "static") if case.label == "numbers_are_carried")
    row.options["debug"] = True
    Batch(tmp_path, "c310").run_all([row])


def test_every_fault_has_a_test_or_a_reason() -> None:
    listed = {number for numbers in TESTED.values() for number in numbers}
    assert listed | set(LEFT_OUT) == set(range(1, 77))
    assert not listed & set(LEFT_OUT)


@pytest.mark.parametrize("name", TESTED)
def test_named_tests_exist(name: str) -> None:
    file, _, function = name.rpartition("::")
    text = (Path(__file__).parent / (file or Path(__file__).name)).read_text(encoding="utf-8")
    assert re.search(rf"^def {function}\(", text, re.MULTILINE)
    assert file or function.startswith("test_") or function in [row[0] for row in ROWS]
