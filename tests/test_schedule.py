"""What the schedule makes of programs: loads in front of loops, interleaved chains, shared queues, reuse of memory."""

from __future__ import annotations

import inspect
import re
from typing import Any, Optional

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case, in_all_modes

from pyasc_transpile import asctile
from pyasc_transpile.errors import DeviceFaultError, MemoryOverflowError
from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.host.model import profile
from pyasc_transpile.pipeline import Transpilation, transpile
from pyasc_transpile.targets import find_platform


def made(kernel: Any, args: tuple[Any, ...], architecture: str = "c310", **options: Any) -> Transpilation:
    signature, platform = signature_of(kernel.bind(args, {})), find_platform(PLATFORMS[architecture])
    return transpile(kernel, signature, platform, kernel.options.merged(options))


def in_front_of_the_loop(source: str, tensor: str) -> bool:
    """Whether all loads from a global tensor stand before the first loop that walks over rows."""
    loop = re.search(r"^    for \(int32_t (?:row|i|j)\b", source, re.MULTILINE)
    assert loop is not None
    loads = [found.start() for found in re.finditer(rf"DataCopyPad\(\w+(?:\[slot\])?, {tensor}\b", source)]
    assert loads
    return max(loads) < loop.start()


# --- loads in front of loops ------------------------------------------------------------------------------------------


@asctile.jit
def scaled_rows(x_ptr, gamma_ptr, out_ptr, rows: int, unroll: asctile.ConstExpr[int]):
    """The same row of factors for all rows."""
    x_gm = asctile.global_tensor(x_ptr, [rows, 72])
    gamma_gm = asctile.global_tensor(gamma_ptr, [1, 72])
    out_gm = asctile.global_tensor(out_ptr, [rows, 72])
    for row in asctile.range(asctile.block_idx(), rows, asctile.block_num(), unroll_factor=unroll):
        x = asctile.copy_in(x_gm, [row, 0], [1, 72])
        gamma = asctile.copy_in(gamma_gm, [0, 0], [1, 72]).to(asctile.float32)
        asctile.copy_out(x * gamma, out_gm, [row, 0])


@asctile.jit
def nested_factors(x_ptr, gamma_ptr, out_ptr, rows: int):
    """Invariant in the inner loop only, and in both."""
    x_gm = asctile.global_tensor(x_ptr, [rows * 4, 24])
    gamma_gm = asctile.global_tensor(gamma_ptr, [rows + 1, 24])
    out_gm = asctile.global_tensor(out_ptr, [rows * 4, 24])
    for row in asctile.range(rows):
        for j in asctile.range(4):
            own = asctile.copy_in(gamma_gm, [row + 1, 0], [1, 24])
            first = asctile.copy_in(gamma_gm, [0, 0], [1, 24])
            x = asctile.copy_in(x_gm, [row * 4 + j, 0], [1, 24])
            asctile.copy_out(x * own + first, out_gm, [row * 4 + j, 0])


@asctile.jit
def running_total(x_ptr, total_ptr, n: int):
    """What the loop writes is read anew."""
    x_gm = asctile.global_tensor(x_ptr, [n, 16])
    total_gm = asctile.global_tensor(total_ptr, [1, 16])
    for i in asctile.range(n, gm_barrier=True):
        total = asctile.copy_in(total_gm, [0, 0], [1, 16])
        asctile.copy_out(total + asctile.copy_in(x_gm, [i, 0], [1, 16]), total_gm, [0, 0])


@asctile.jit
def totals_per_row(x_ptr, total_ptr, n: int):
    """Written and read in one iteration: order inside of it is enough, but the load must stay."""
    x_gm = asctile.global_tensor(x_ptr, [n, 16])
    total_gm = asctile.global_tensor(total_ptr, [1, 16])
    for i in asctile.range(n):
        asctile.copy_out(asctile.copy_in(x_gm, [i, 0], [1, 16]), total_gm, [0, 0])
        again = asctile.copy_in(total_gm, [0, 0], [1, 16])
        asctile.copy_out(again + 1, x_gm, [i, 0])


@asctile.jit
def only_sometimes(x_ptr, gamma_ptr, out_ptr, n: int):
    """A load in a branch stays there: the branch may guard it."""
    x_gm = asctile.global_tensor(x_ptr, [n, 16])
    gamma_gm = asctile.global_tensor(gamma_ptr, [1, 16])
    out_gm = asctile.global_tensor(out_ptr, [n, 16])
    for i in asctile.range(n):
        x = asctile.copy_in(x_gm, [i, 0], [1, 16])
        if i % 2 == 1:
            x = x * asctile.copy_in(gamma_gm, [0, 0], [1, 16])
        asctile.copy_out(x, out_gm, [i, 0])


@asctile.jit
def changed_after_load(x_ptr, gamma_ptr, out_ptr, n: int):
    """The loaded tile is carried and changed: every iteration starts from a fresh one."""
    x_gm = asctile.global_tensor(x_ptr, [n, 16])
    gamma_gm = asctile.global_tensor(gamma_ptr, [1, 16])
    out_gm = asctile.global_tensor(out_ptr, [n, 16])
    for i in asctile.range(n):
        acc = asctile.copy_in(gamma_gm, [0, 0], [1, 16])
        for j in asctile.range(3):
            acc = acc + asctile.copy_in(x_gm, [j, 0], [1, 16])
        asctile.copy_out(acc, out_gm, [i, 0])


RNG = np.random.default_rng(5)


def _floats(*shape: int) -> Any:
    return RNG.integers(-9, 9, shape).astype(np.float32)


def hoisting_cases() -> list[Case]:
    x, gamma = _floats(7, 72), _floats(1, 72).astype(np.float16)
    return [
        *(
            Case(f"scaled_rows {unroll}", scaled_rows, (x.copy(), gamma, np.zeros_like(x), 7, unroll), 2)
            for unroll in (1, 2, 3)
        ),
        Case("no rows", scaled_rows, (x.copy(), gamma, np.zeros_like(x), 0, 2), 2),
        Case("nested", nested_factors, (_floats(12, 24), _floats(4, 24), np.zeros((12, 24), np.float32), 3)),
        Case("running", running_total, (_floats(5, 16), _floats(1, 16), 5)),
        Case("per row", totals_per_row, (_floats(5, 16), _floats(1, 16), 5)),
        Case("sometimes", only_sometimes, (_floats(5, 16), _floats(1, 16), np.zeros((5, 16), np.float32), 5)),
        Case("changed", changed_after_load, (_floats(5, 16), _floats(1, 16), np.zeros((5, 16), np.float32), 5)),
    ]


def test_what_moves_in_front_of_the_loop() -> None:
    cases = {case.label: case for case in hoisting_cases()}
    moved = {
        ("scaled_rows 2", "gamma_gm"): True,
        ("scaled_rows 2", "x_gm"): False,
        ("running", "total_gm"): False,
        ("per row", "total_gm"): False,
        ("sometimes", "gamma_gm"): False,
    }
    for (label, tensor), expected in moved.items():
        case = cases[label]
        for static_alloc in (True, False):
            text = made(case.kernel, case.args, static_alloc=static_alloc).source
            assert in_front_of_the_loop(text, tensor) is expected, (label, tensor, text)


def test_what_is_computed_from_it_moves_too() -> None:
    case = hoisting_cases()[0]
    text = made(case.kernel, case.args).source
    assert text.index("Cast(") < text.index("for (int32_t row")


def test_an_inner_loop_passes_on_to_the_outer_one() -> None:
    case = next(case for case in hoisting_cases() if case.label == "nested")
    text = made(case.kernel, case.args).source
    outer, inner = text.index("for (int32_t row"), text.index("for (int32_t j")
    assert text.index("first = ") < outer < text.index("own = ") < inner


# --- chains that do not depend on each other --------------------------------------------------------------------------


@asctile.jit
def two_chains(x_ptr, y_ptr, out_ptr, tile: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [tile]), [0], [tile])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [tile]), [0], [tile])
    first = (x * 3.0 + 1.0) * x - 4.0
    second = (y * 5.0 - 2.0) * y + 6.0
    out = asctile.global_tensor(out_ptr, [2 * tile])
    asctile.copy_out(first + second, out, [0])
    asctile.copy_out(first, out, [tile])


def chain_case() -> Case:
    return Case("chains", two_chains, (_floats(100), _floats(100), np.zeros(200, np.float32), 100))


@pytest.mark.parametrize(("reuse_alloc", "barriers"), [(0, 4), (1, 4), (2, 7)])
def test_chains_share_barriers_where_the_vector_unit_needs_them(reuse_alloc: int, barriers: int) -> None:
    """The longest chain of nine instructions has five. With mode 2 side by side would take a tile more."""
    case = chain_case()
    text = made(case.kernel, case.args, "c220", reuse_alloc=reuse_alloc).source
    assert text.count("PipeBarrier<PIPE_V>") == barriers, text
    assert re.findall(r"// :\d+  (\w+)", text).count("first") == 1, "a line is told once, though others stand between"
    assert "PipeBarrier" not in made(case.kernel, case.args, "c310", reuse_alloc=reuse_alloc).source


# --- queues -----------------------------------------------------------------------------------------------------------


@asctile.jit
def three_inputs(x_ptr, n_ptr, y_ptr, out_ptr, tile: asctile.ConstExpr[int]):
    """Different types share a queue too; what is loaded after the first is used does not."""
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [tile]), [0], [tile])
    n = asctile.copy_in(asctile.global_tensor(n_ptr, [tile]), [0], [tile])
    total = x + n.to(asctile.float32)
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [tile]), [0], [tile])
    asctile.copy_out(total * y, asctile.global_tensor(out_ptr, [tile]), [0])


def queue_case(tile: int = 50) -> Case:
    numbers = np.arange(tile).astype(np.int16)
    return Case("queues", three_inputs, (_floats(tile), numbers, _floats(tile), np.zeros(tile, np.float32), tile))


@asctile.jit
def row_tails(x_ptr, out_ptr, n: int, c: asctile.ConstExpr[int]):
    """Rows that are not whole repeats: an instruction for the front of a row, one for the rest."""
    x_gm = asctile.global_tensor(x_ptr, [n, c])
    out_gm = asctile.global_tensor(out_ptr, [n, c])
    for i in asctile.range(asctile.ceildiv(n, 8)):
        x = asctile.copy_in(x_gm, [i * 8, 0], [8, c])
        least = asctile.reduce_min(x, 1, keep_dims=True)
        asctile.copy_out((x - least) * x, out_gm, [i * 8, 0])


def tails_case(columns: int) -> Case:
    return Case(f"tails {columns}", row_tails, (_floats(19, columns), np.zeros((19, columns), np.float32), 19, columns))


@pytest.mark.parametrize("columns", (517, 1029))
def test_rows_and_their_tails_need_no_barriers_between_them(columns: int) -> None:
    text = made(row_tails, tails_case(columns).args, "c220").source
    loop = re.search(r"\n( +)for \(int32_t r = 0; r < 8; \+\+r\) \{(.*?)\n\1\}", text, re.DOTALL)
    assert loop is not None, text
    assert loop[2].count("Sub(") >= 2
    assert "PipeBarrier" not in loop[2]


def test_tiles_loaded_together_share_a_queue() -> None:
    case = queue_case()
    text = made(case.kernel, case.args, static_alloc=False).source
    assert text.count("AllocTensor") == 3, text
    assert "LocalTensor<int16_t> n = x[56].ReinterpretCast<int16_t>();" in text
    assert "LocalTensor<float> y = y_queue.AllocTensor<float>();" in text


# --- overlap without being asked --------------------------------------------------------------------------------------


@asctile.jit
def doubled(x_ptr, out_ptr, n: int, tile: asctile.ConstExpr[int], factor: asctile.ConstExpr, again: asctile.ConstExpr):
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(asctile.ceildiv(n, tile), unroll_factor=factor, gm_barrier=again):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        asctile.copy_out(x + x, out_gm, [i * tile])


@asctile.jit
def named(x_ptr, out_ptr, n: int, tile: asctile.ConstExpr[int], factor: asctile.ConstExpr, again: asctile.ConstExpr):
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(asctile.ceildiv(n, tile), unroll_factor=factor, gm_barrier=again):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        y = x + x
        asctile.copy_out(y, out_gm, [i * tile])


@asctile.jit
def nested(x_ptr, out_ptr, n: int, tile: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [n, tile])
    out_gm = asctile.global_tensor(out_ptr, [n, n, tile])
    for i in asctile.range(n):
        outer = asctile.copy_in(x_gm, [i, 0], [1, tile])
        for j in asctile.range(n):
            inner = asctile.copy_in(x_gm, [j, 0], [1, tile]) * outer
            asctile.copy_out(inner.reshape(1, 1, tile), out_gm, [i, j, 0])


@asctile.jit
def places(x_ptr, out_ptr, n: int, start: asctile.ConstExpr):
    """Where an iteration writes is given by a function; a load from what is written stands beside it."""
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(asctile.block_idx(), 4, asctile.block_num()):
        x = asctile.copy_in(x_gm, [i * 16], [16])
        asctile.copy_out(x + asctile.copy_in(out_gm, [start(i)], [16]), out_gm, [start(i)])


@asctile.jit
def halves(x_ptr, out_ptr, n: int, second: asctile.ConstExpr[int]):
    """Two stores in an iteration."""
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(4):
        x = asctile.copy_in(x_gm, [i * 16], [16])
        asctile.copy_out(x, out_gm, [i * 32])
        asctile.copy_out(x, out_gm, [i * 32 + second])


def slots(case: Case, architecture: str = "c310", **options: Any) -> list[int]:
    return [buffer["slots"] for buffer in made(case.kernel, case.args, architecture, **options).report["buffers"]]


def doubled_case(tile: int, factor: Any = None, barrier: bool = False) -> Case:
    return Case("doubled", doubled, (_floats(1000), np.zeros(1000, np.float32), 1000, tile, factor, barrier))


def named_case(tile: int, factor: Any = None, barrier: bool = False) -> Case:
    return Case("named", named, doubled_case(tile, factor, barrier).args)


def nested_case(tile: int) -> Case:
    return Case("nested", nested, (_floats(3, tile), np.zeros((3, 3, tile), np.float32), 3, tile))


@pytest.mark.parametrize("static_alloc", (True, False))
def test_two_iterations_overlap_if_nothing_is_said(static_alloc: bool) -> None:
    """Where that fits; an explicit 1, a barrier between iterations and the tightest plan keep them apart."""
    assert slots(named_case(64), static_alloc=static_alloc) == [2, 2]
    assert slots(named_case(64, 1), static_alloc=static_alloc) == [1, 1]
    assert slots(named_case(64, 3), static_alloc=static_alloc) == [3, 3]
    assert slots(named_case(64, None, True), static_alloc=static_alloc) == [1, 1]
    assert slots(named_case(64), static_alloc=static_alloc, reuse_alloc=2) == [1]
    assert slots(named_case(20000), static_alloc=static_alloc) == [1, 1]


@pytest.mark.parametrize(
    ("start", "apart"),
    [
        (lambda i: i * 16, True),
        (lambda i: (i + 2) * 16 - 32, True),
        (lambda i: 48 - i * 16, True),
        (lambda i: (asctile.block_idx() + i * 2) * 8, True),
        (lambda i: i * 8, False),
        (lambda i: 0, False),
        (lambda i: i % 2 * 16, False),
        (lambda i: i * i * 16, False),
        (lambda i: i * 65536 * 65536, False),
        (lambda i: asctile.cast(asctile.cast(i, asctile.float32) - 0.5, asctile.int32) * 16, False),
        (lambda i: asctile.cast(asctile.cast(i * 256, asctile.int8), asctile.int32), False),
    ],
)
def test_only_iterations_that_keep_apart_in_global_memory_overlap_unasked(start: Any, apart: bool) -> None:
    args = (_floats(64), np.zeros(64, np.float32), 64, start)
    assert (max(slots(Case("places", places, args))) > 1) is apart


@asctile.jit
def two_views(p, n: int):
    """Row i of one view is not where row i of the other is."""
    wide = asctile.global_tensor(p, [n, 64])
    narrow = asctile.global_tensor(p, [n, 32])
    for i in asctile.range(1, n):
        t = asctile.copy_in(narrow, [i, 0], [1, 32])
        asctile.copy_out(t, wide, [i, 0])


@asctile.jit
def views_in_a_row(p):
    wide = asctile.global_tensor(p, [4, 64])
    narrow = asctile.global_tensor(p, [8, 32])
    asctile.copy_out(asctile.full([1, 64], 3.0, asctile.float32), wide, [1, 0])
    t = asctile.copy_in(narrow, [2, 0], [1, 32])
    asctile.copy_out(t + 1.0, narrow, [0, 0])


def test_views_with_other_strides_are_not_apart() -> None:
    assert max(slots(Case("views", two_views, (_floats(256), 4)))) == 1


@pytest.mark.parametrize(("second", "apart"), [(16, True), (0, True), (17, False), (-16, True), (-17, False)])
def test_all_that_an_iteration_writes_counts(second: int, apart: bool) -> None:
    args = (_floats(64), np.zeros(160, np.float32), 160, second)
    assert (max(slots(Case("halves", halves, args))) == 2) is apart


def test_only_innermost_loops_overlap_if_all_do_not_fit() -> None:
    sizes = {tile: slots(nested_case(tile)) for tile in (8, 12000, 20000)}
    assert sizes == {8: [2, 2, 2], 12000: [1, 2, 2], 20000: [1, 1, 1]}


def test_more_memory_than_there_is_is_an_error_with_or_without_overlap() -> None:
    with pytest.raises(MemoryOverflowError, match=r"need 400000 bytes of UB") as caught:
        slots(doubled_case(50000))
    assert "tile <= 31744" in str(caught.value), "the largest that fits without overlap"


# --- order through global memory --------------------------------------------------------------------------------------


@asctile.jit
def scan(x_ptr, out_ptr, n: int, factor: asctile.ConstExpr, barrier: asctile.ConstExpr[bool]):
    """What an iteration loads is what the one before has stored: apart within an iteration, not between them."""
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(1, n // 16, unroll_factor=factor, gm_barrier=barrier):
        before = asctile.copy_in(out_gm, [i * 16 - 16], [16])
        asctile.copy_out(before + asctile.copy_in(x_gm, [i * 16], [16]), out_gm, [i * 16])


@asctile.jit
def carried(x_ptr, out_ptr, n: int, m: int):
    """A place that is carried around the loop, and used behind it."""
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    at = m
    for i in asctile.range(m + 3):
        asctile.copy_out(asctile.copy_in(x_gm, [at], [16]) + 1.0, out_gm, [at])
        at = at + 16
    asctile.copy_out(asctile.copy_in(out_gm, [at - 16], [16]) * 2.0, out_gm, [at])


def scan_case(factor: Optional[int], barrier: bool) -> Case:
    return Case(f"scan {factor}", scan, (_floats(256), _floats(256), 256, factor, barrier))


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_a_race_through_global_memory_names_both_lines_and_the_mend(architecture: str, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    index = batch.add(scan_case(1, False))
    batch.build()
    first = inspect.getsourcelines(scan.function)[1]
    message = rf"test_schedule.py:{first + 6}: race: .* reads out_ptr \[\d+, \d+\) which .* line {first + 7}\) writes"
    with pytest.raises(DeviceFaultError, match=message) as caught:
        batch.run(index)
    assert "gm_barrier=True" in str(caught.value)


def order_cases() -> list[Case]:
    zeros = np.zeros(256, np.float32)
    scans = [scan_case(factor, True) for factor in (None, 1, 2)]
    return [*scans, Case("carried", carried, (_floats(256), zeros, 256, 0))]


# --- rings ------------------------------------------------------------------------------------------------------------


@asctile.jit
def late(x_ptr, out_ptr, n: int, reads: asctile.ConstExpr[int]):
    """The loaded tile is needed until the end, where the result takes its place, unless it is stored too."""
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [2, n])
    for i in asctile.range(asctile.ceildiv(n, 64)):
        x = asctile.copy_in(x_gm, [i * 64], [64])
        if reads == 2:
            asctile.copy_out(x.reshape(1, 64), out_gm, [1, i * 64])
        asctile.copy_out((x / (asctile.abs(x * x) + 1.0)).reshape(1, 64), out_gm, [0, i * 64])


def late_case(reads: int) -> Case:
    return Case(f"late {reads}", late, (_floats(1000), np.zeros((2, 1000), np.float32), 1000, reads))


@asctile.jit
def in_float(x_ptr, out_ptr, n: int):
    """The tile that was loaded is dead long before the result of its type is there."""
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(asctile.ceildiv(n, 64)):
        wide = asctile.cast(asctile.copy_in(x_gm, [i * 64], [64]), asctile.float32)
        asctile.copy_out(asctile.cast(wide * wide + wide, asctile.float16), out_gm, [i * 64])


def in_float_case() -> Case:
    return Case("in float", in_float, (_floats(1000).astype(np.float16), np.zeros(1000, np.float16), 1000))


@pytest.mark.parametrize("static_alloc", (True, False))
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_a_result_without_a_name_goes_round_with_what_was_loaded(architecture: str, static_alloc: bool) -> None:
    def slots_in(case: Case, mode: int = 0) -> list[int]:
        return sorted(slots(case, architecture, static_alloc=static_alloc, reuse_alloc=mode))

    assert slots_in(doubled_case(64)) == [3], "one slot more, one tile fewer"
    assert slots_in(doubled_case(64, 2)) == [3]
    assert slots_in(doubled_case(64, 3)) == [4]
    assert slots_in(doubled_case(64, 1)) == [1, 1]
    assert slots_in(doubled_case(64, 6)) == [6, 6], "there are not as many event ids"
    assert slots_in(late_case(1)) == [1, 3], "what the result is computed from needs no slots"
    assert slots_in(late_case(2)) == [2, 2], "a store reads the loaded tile while the next result is computed"
    assert slots_in(in_float_case()) == [1, 1, 3]
    assert slots_in(named_case(64, 2)) == [2, 2], "named tiles keep memory of their own"
    assert slots_in(named_case(64, 2), mode=1) == [3]
    assert slots_in(doubled_case(64, 2), mode=2) == [2], "bytes before overlap"


def test_rings_fit_where_two_sets_of_slots_do_not() -> None:
    assert slots(doubled_case(20000)) == [3]


@pytest.mark.parametrize("architecture", ("c310", "c220"))
@pytest.mark.parametrize("factor", (2, 3))
def test_rings_overlap_as_much(architecture: str, factor: int) -> None:
    """The same work with a tile of its own for the result, and round a ring."""
    args = (_floats(64 * 2048), np.zeros(64 * 2048, np.float32), 64 * 2048, 2048, factor, False)
    platform = find_platform(PLATFORMS[architecture])
    apart, ring = (profile(kernel, 8, args, platform=platform).total_cycles for kernel in (named, doubled))
    assert ring <= 1.01 * apart


def test_rings_go_through_one_queue() -> None:
    case = doubled_case(64)
    text = made(case.kernel, case.args, "c220", static_alloc=False).source
    steps = re.findall(r"x_queue\.(\w+<[^(]*>|FreeTensor)\(", text)
    assert steps == [
        "AllocTensor<float>",
        "EnQue<TPosition::GM, TPosition::VECIN>",
        "DeQue<TPosition::GM, TPosition::VECIN, float>",
        "EnQue<TPosition::VECOUT, TPosition::GM>",
        "DeQue<TPosition::VECOUT, TPosition::GM, float>",
        "FreeTensor",
    ]


# --- locks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reuse_alloc", "turns"), [(0, ["MTE2", "V", "V", "MTE3"]), (2, ["MTE2", "V", "MTE3"])], ids=["apart", "in place"]
)
def test_pipes_that_take_turns_hold_locks(reuse_alloc: int, turns: list[str]) -> None:
    done = made(named, named_case(64).args, "c310", reuse_alloc=reuse_alloc, static_alloc=True)
    assert re.findall(r"Mutex::Lock<PIPE_(\w+)>", done.source) == turns
    assert sorted(re.findall(r"Mutex::Unlock<PIPE_(\w+)>", done.source)) == sorted(turns)
    assert "Flag" not in done.source, "neither in the loop nor around it"
    other = made(named, named_case(64).args, "c220", reuse_alloc=reuse_alloc, static_alloc=True)
    assert "Mutex" not in other.source


# --- more dependences than event ids ----------------------------------------------------------------------------------


@asctile.jit
def eleven_loads(x_ptr, out_ptr, n: int, factor: asctile.ConstExpr[int]):
    """Every tile is used as soon as it is there: eleven places where the vector unit waits for a load."""
    x_gm = asctile.global_tensor(x_ptr, [n + 11, 16])
    out_gm = asctile.global_tensor(out_ptr, [n, 16])
    for i in asctile.range(n, unroll_factor=factor):
        total = asctile.zeros([1, 16], asctile.float32)
        for k in asctile.static_range(11):
            total = total * asctile.copy_in(x_gm, [i + k, 0], [1, 16])
            asctile.copy_out(total, out_gm, [i, 0])
        asctile.copy_out(total, out_gm, [i, 0])


def loads_case(factor: int) -> Case:
    return Case(f"loads {factor}", eleven_loads, (_floats(16, 16), np.zeros((5, 16), np.float32), 5, factor))


@pytest.mark.parametrize(("architecture", "static_alloc"), [("c310", True), ("c310", False), ("c220", True)])
def test_locks_where_there_are_some_else_barriers(architecture: str, static_alloc: bool) -> None:
    done = made(eleven_loads, loads_case(1).args, architecture, static_alloc=static_alloc)
    locks, barriers = done.source.count("Mutex::Lock"), done.source.count("PipeBarrier<PIPE_ALL>")
    with_locks = architecture == "c310" and static_alloc
    assert (locks > 0, barriers > 0) == (with_locks, not with_locks)
    assert done.source.count("Mutex::Unlock") == locks
    assert done.report["synchronisation"]["locks"] == 2 * locks
    assert "MTE2_V" in done.report["synchronisation"]["out_of_event_ids"]


# --- memory -----------------------------------------------------------------------------------------------------------


@asctile.jit
def named_and_unnamed(x_ptr, out_ptr, tile: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [tile]), [0], [tile])
    y = x * x + 1.0
    z = y * 2.0 - 3.0
    asctile.copy_out(z, asctile.global_tensor(out_ptr, [tile]), [0])


@pytest.mark.parametrize(("reuse_alloc", "tiles"), [(0, 3), (1, 2), (2, 1)])
def test_modes_of_reuse(reuse_alloc: int, tiles: int) -> None:
    """0: a place for each name, none for what has no name; 1: names share too; 2: what is loaded and stored as well."""
    args = (_floats(64), np.zeros(64, np.float32), 64)
    report = made(named_and_unnamed, args, reuse_alloc=reuse_alloc).report
    assert report["memory"]["UB"]["used"] == tiles * 256


@asctile.jit
def frames(x_ptr, out_ptr, n: int):
    """With reuse_alloc=2 the second loop's slots begin half of the first one's further on, behind a tile."""
    x_gm = asctile.global_tensor(x_ptr, [n, 64])
    out_gm = asctile.global_tensor(out_ptr, [2 * n + 1, 64])
    for i in asctile.range(n, unroll_factor=2):
        asctile.copy_out(asctile.full([1, 64], i, asctile.float32), out_gm, [i, 0])
    between = asctile.full([1, 64], n, asctile.float32)
    for i in asctile.range(n, unroll_factor=2):
        asctile.copy_out(asctile.copy_in(x_gm, [i, 0], [1, 64]), out_gm, [n + i, 0])
    asctile.copy_out(between, out_gm, [2 * n, 0])


def frames_case() -> Case:
    return Case("frames", frames, (_floats(4, 64), np.zeros((9, 64), np.float32), 4))


def test_slots_that_lie_across_those_of_another_loop_share_memory_with_them() -> None:
    done = made(frames, frames_case().args, reuse_alloc=2, static_alloc=True, verify_sync=True)
    first, second = (buffer for buffer in done.program.buffers if buffer.slots == 2)
    assert (second.offset, second.stride) == (first.offset + first.stride, first.stride), "else nothing is tested"


def all_cases(architecture: str, style: str) -> list[Case]:
    memory = Case("memory", named_and_unnamed, (_floats(64), np.zeros(64, np.float32), 64))
    views = Case("views", views_in_a_row, (_floats(256),))
    loops = doubled_case(64), doubled_case(64, None, True), nested_case(40), *map(loads_case, (1, 2, 3))
    rings = doubled_case(64, 3), named_case(64), late_case(1), late_case(2), in_float_case()
    chains = chain_case(), *map(tails_case, (517, 1029))
    return [*hoisting_cases(), *chains, queue_case(), memory, views, frames_case(), *loops, *rings, *order_cases()]


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_results(architecture: str, tmp_path: Any) -> None:
    """All of it on the checked build, against the reference."""
    Batch(tmp_path, architecture).run_all(in_all_modes(all_cases, architecture))
