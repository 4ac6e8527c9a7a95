"""Runs kernels by the reference and by CPU builds of the generated code, and compares what they leave behind."""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import numpy as np
from tests.support.batch import STYLES, Batch, Case
from tests.support.oracle import compare
from tests.support.random_kernels import HEAD, RandomKernel

from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.errors import DeviceFaultError, LoweringError, MemoryOverflowError, TranspileError
from pyasc_transpile.host.reference import graph_of
from pyasc_transpile.reference import run

ARCHITECTURES = ("c310", "c220")
BOUND = 2  # units in the last place by which approximate functions may differ


@dataclass(frozen=True)
class Variant:
    """One way to build a kernel."""

    architecture: str
    style: str
    reuse_alloc: int

    def __str__(self) -> str:
        return f"{self.architecture} {self.style} reuse_alloc={self.reuse_alloc}"


VARIANTS = tuple(Variant(*parts) for parts in itertools.product(ARCHITECTURES, STYLES, (0, 1, 2)))


@dataclass
class Failure:
    """A kernel whose build does something else than the reference."""

    kernel: RandomKernel
    variant: Optional[Variant]
    message: str

    def __str__(self) -> str:
        numbers = ", ".join(f"{name}={value}" for name, value in self.kernel.scalars.items())
        head = f"{self.kernel.name}, {self.variant or 'reference'}, {self.kernel.blocks} blocks, {numbers}"
        return f"{head}: {self.message}\n{self.kernel.source}"


@dataclass
class Outcome:
    """What came of a batch; ``counts`` says how many builds were compared and how many had to be skipped, and why."""

    failures: list[Failure] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def load(kernels: Sequence[RandomKernel], folder: Path) -> Any:
    """A module with the kernels."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "kernels.py"
    path.write_text(HEAD + "\n".join(kernel.source for kernel in kernels))
    spec = importlib.util.spec_from_file_location(f"kernels_{abs(hash(str(path)))}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference_result(function: Kernel, arguments: dict[str, Any], blocks: int) -> dict[str, Any]:
    """The arguments after a run by the reference; those given are not changed."""
    after = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    bound = function.bind((), after)
    run(graph_of(function, bound), blocks, {argument.name: argument.value for argument in bound.runtime()})
    return after


def check(
    kernels: Sequence[RandomKernel], folder: Path, variants: Iterable[Iterable[Variant]], checked: bool = True
) -> Outcome:
    """Compare kernels.

    Args:
        folder: an empty folder.
        variants: for each kernel, the ways to build it.
    """
    outcome = Outcome()
    module = load(kernels, folder)
    expected: dict[str, dict[str, Any]] = {}
    for kernel in kernels:
        try:
            expected[kernel.name] = reference_result(getattr(module, kernel.name), kernel.arguments(), kernel.blocks)
        except DeviceFaultError as error:
            outcome.counts[f"invalid: {error.message.split(':')[1].split(';')[0].strip()[:40]}"] += 1
        except Exception as error:  # noqa: BLE001 - listed as a failure
            outcome.failures.append(Failure(kernel, None, f"{type(error).__name__}: {error}"))
    wanted = [(k, list(v)) for k, v in zip(kernels, variants) if k.name in expected]
    for architecture in ARCHITECTURES:  # one library for all of an architecture
        jobs = [(k, v) for k, chosen in wanted for v in chosen if v.architecture == architecture]
        place = folder / architecture
        for kernel, variant, message in _run(module, jobs, place, architecture, checked, expected, outcome):
            outcome.failures.append(Failure(kernel, variant, message))
    return outcome


Job = tuple[RandomKernel, Variant]


def _run(
    module: Any, jobs: list[Job], folder: Path, architecture: str, checked: bool, expected: Any, outcome: Outcome
) -> Iterator[tuple[RandomKernel, Variant, str]]:
    folder.mkdir(parents=True, exist_ok=True)
    batch = Batch(folder, architecture, checked, oracle=False)
    added: list[Job] = []
    for kernel, variant in jobs:
        function = getattr(module, kernel.name)
        options = {"static_alloc": STYLES[variant.style], "reuse_alloc": variant.reuse_alloc}
        case = Case(kernel.name, function, tuple(kernel.arguments().values()), kernel.blocks, options)
        try:
            batch.add(case)
            added.append((kernel, variant))
        except (LoweringError, MemoryOverflowError) as error:
            outcome.counts[f"skipped: {error.message[:60]}"] += 1
        except TranspileError as error:
            yield kernel, variant, f"{type(error).__name__}: {error}"
        except Exception as error:  # noqa: BLE001 - a crash of the compiler is a finding
            yield kernel, variant, f"crash of the transpiler: {type(error).__name__}: {error}"
    if not added:
        return
    try:
        batch.build()
    except AssertionError as error:
        names = set(re.findall(r"(\w+)\.cpp:\d", str(error)))
        broken = [job for job, (_, _, name) in zip(added, batch.cases) if name in names]
        if not broken or len(broken) == len(added):
            yield (*added[0], f"does not compile: {error}")
            return
        for job in broken:
            yield (*job, f"does not compile: {error}")
        rest = [job for job in added if job not in broken]
        yield from _run(module, rest, folder / "again", architecture, checked, expected, outcome)
        return
    for index, (kernel, variant) in enumerate(added):
        try:
            after = batch.run(index)
        except Exception as error:  # noqa: BLE001 - faults are findings
            yield kernel, variant, f"{type(error).__name__}: {error}"
            continue
        outcome.counts["compared"] += 1
        for name, value in zip(kernel.arguments(), after):
            if isinstance(value, np.ndarray):
                message = compare(expected[kernel.name][name], value, BOUND if name in kernel.approximate else 0)
                if message:
                    yield kernel, variant, f"{name}: {message}"
                    break
