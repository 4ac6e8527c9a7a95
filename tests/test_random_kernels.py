"""Random kernels mean the same for the reference and for the generated code on the checked build: ``make fuzz``: more.

Hypothesis draws the bytes that kernels are decoded from, always the same.  Each kernel is built in some of the twelve
ways that architecture, memory style and reuse of memory allow, all ways being used in turn.
"""

from __future__ import annotations

from pathlib import Path

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.support.differential import ARCHITECTURES, VARIANTS, check
from tests.support.random_kernels import RandomKernel, decode
from tests.support.shrinking import shrink, still_fails

KERNELS = 30
PER_KERNEL = 3
SHRINKING = 60  # seconds


def drawn(count: int) -> list[RandomKernel]:
    """The first kernels that hypothesis draws."""
    found: list[bytes] = []

    @hypothesis.seed(20261201)
    @settings(
        max_examples=count, phases=[Phase.generate], database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.binary(min_size=300, max_size=600))
    def collect(data: bytes) -> None:
        found.append(data)

    collect()
    return [decode(data, f"kernel_{number}") for number, data in enumerate(found)]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_random_kernels(architecture: str, tmp_path: Path) -> None:
    kernels = drawn(KERNELS)
    ways = [variant for variant in VARIANTS if variant.architecture == architecture]
    variants = [[ways[(number + step) % len(ways)] for step in range(PER_KERNEL)] for number in range(len(kernels))]
    outcome = check(kernels, tmp_path, variants)
    for failure in outcome.failures[:1]:
        failure.kernel = shrink(failure.kernel, still_fails(failure), SHRINKING)
        pytest.fail(f"{len(outcome.failures)} builds differ; the first one, made small:\n{failure}")
    assert outcome.counts["compared"] > KERNELS


def test_kernels_are_decoded_the_same_every_time() -> None:
    first, second = (decode(bytes(range(256)) * 2) for _ in range(2))
    assert first.source == second.source
    for a, b in zip(first.arguments().values(), second.arguments().values()):
        assert np.array_equal(a, b, equal_nan=True)


def test_shrinking_keeps_what_fails() -> None:
    kernel = drawn(8)[-1]

    def has_a_store(kernels: list[RandomKernel]) -> list[bool]:
        return ["copy_out" in candidate.source for candidate in kernels]

    small = shrink(kernel, has_a_store, 20)
    assert "copy_out" in small.source and len(small.source.splitlines()) <= 4
