"""Every operation is run with every element type that docs/language.md lists for an architecture, in both styles."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import (
    test_broadcast,
    test_corners,
    test_division,
    test_fuzz_findings,
    test_indexed,
    test_known_faults,
    test_leaving,
    test_low_level,
    test_mask,
    test_maths,
    test_operations,
    test_patterns,
    test_reductions,
    test_row_functions,
    test_shapes,
    test_transfers,
)
from tests.support.batch import PLATFORMS, STYLES, TESTED, Batch, Case, expects, in_styles, operations_of
from tests.test_documentation import generator

from pyasc_transpile import asctile
from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.ops import OPERATIONS
from pyasc_transpile.pipeline import graph_to_lower

# What the tests run on the checked build.
TABLES = (
    test_operations.all_cases, test_broadcast.all_cases, test_division.all_cases, test_reductions.all_cases,
    test_row_functions.all_cases, test_shapes.all_cases, test_shapes.view_cases, test_indexed.indexed_cases,
    test_indexed.atomic_cases, test_mask.all_cases, test_maths.all_cases, test_leaving.all_cases,
    test_fuzz_findings.all_cases, test_low_level.all_cases,
    test_patterns.all_cases, test_patterns.rectified_cases, test_known_faults.all_cases, test_corners.all_cases,
    *test_transfers.TABLES,
)  # fmt: skip


@functools.cache
def run_in_tests(architecture: str) -> set[tuple[str, str]]:
    """Operations and element types of the tables, by translating their kernels as far as the graph."""
    found: set[tuple[str, str]] = set()
    known: set[tuple[Any, str, str]] = set()
    for table in TABLES:
        for case in in_styles(table, architecture):
            signature = signature_of(case.kernel.bind(case.args, {}))
            constants = repr([parameter.value for parameter in signature.parameters])  # tells functions apart
            if (case.kernel, str(signature), constants) not in known:
                known.add((case.kernel, str(signature), constants))
                found |= operations_of(graph_to_lower(case.kernel, signature, case.kernel.options))
    return found


@pytest.mark.parametrize("architecture", PLATFORMS)
def test_every_listed_element_type_is_run(architecture: str) -> None:
    run = run_in_tests(architecture)
    listed = generator()
    missing = set()
    for name in listed.functions():
        for element in listed.ELEMENTS:
            for graph in listed.probes(name, element, PLATFORMS[architecture]):
                missing |= {(name, *each) for each in operations_of(graph) - run}
    assert not missing, f"no test runs on {architecture}: (function, operation, element type)\n" + "\n".join(
        str(each) for each in sorted(missing)
    )


def test_every_operation_is_run() -> None:
    names = {name for architecture in PLATFORMS for name, _ in run_in_tests(architecture)}
    elsewhere = {"device_assert", "device_print", "inline_vf", "sub_block_idx", "sub_block_num"}  # debug, public_names
    assert names | elsewhere == names.union(OPERATIONS)


@asctile.jit
def plus_one(x_ptr, out_ptr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [64]), [0], [64])
    asctile.copy_out((x + 1).to(asctile.int32), asctile.global_tensor(out_ptr, [64]), [0])


def test_a_batch_counts_what_it_runs_and_tells_of_all_that_is_wrong(tmp_path: Path) -> None:
    def cases(architecture: str, style: str, wanted: Any) -> list[Case]:
        x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.int32)
        return [Case("one more", plus_one, (x, out), check=expects((out, x + wanted)))]

    TESTED.difference_update({each for each in TESTED if each[0] in ("add", "cast")})
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.mkdir()
    wrong.mkdir()
    Batch(right, "c310").run_all(in_styles(lambda *each: cases(*each, 1), "c310"))
    counted = {("add", "f32", "c310", style) for style in STYLES} | {("cast", "f32 to i32", "c310", s) for s in STYLES}
    assert counted <= TESTED
    with pytest.raises(AssertionError) as caught:
        Batch(wrong, "c310").run_all(in_styles(lambda *each: cases(*each, 2), "c310"))
    message = str(caught.value)
    assert message.startswith("2 are wrong:\none more static: [1, 2, 3") and "\none more pipe: [1, 2" in message
