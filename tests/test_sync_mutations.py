"""Every synchronisation instruction is needed: without any one of them the checked build must object.

Also the converse: the text as generated passes, whatever the data sizes (see test_memory_styles).
"""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator

import pytest
from tests.support.batch import STYLES, Batch, Case
from tests.test_memory_styles import launches
from tests.test_schedule import late_case, loads_case

from pyasc_transpile.errors import DeviceFaultError

SYNC = re.compile(
    r"^\s*(SetFlag<|WaitFlag<|PipeBarrier<|Mutex::Lock<|\w+_queue\.(EnQue|FreeTensor)|\w+ = \w+_queue\.DeQue)"
)


def removals(lines: list[str]) -> Iterator[tuple[int, ...]]:
    """The lines of each synchronisation: one, or those with which a pipe takes and gives back a lock."""
    for number, line in enumerate(lines):
        if not SYNC.match(line):
            continue
        if "Mutex" in line:
            yield number, lines.index(line.replace("Lock", "Unlock"), number)
        else:
            yield (number,)


def without_lines(numbers: tuple[int, ...]) -> Callable[[str], str]:
    def edit(text: str) -> str:
        lines = text.split("\n")
        for number in numbers:
            lines[number] = ""
        return "\n".join(lines)

    return edit


def representatives(unroll: int) -> Iterator[Case]:
    """The largest launch of each kernel, one whose event ids run out, and one whose tiles go round in a ring."""
    last = {case.kernel.function.__name__: case for case in launches(unroll)}
    yield from last.values()
    yield loads_case(unroll)
    yield late_case(1)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_each_synchronisation_is_needed(architecture: str, style: str, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    mutants: list[tuple[int, str]] = []
    for unroll, reuse_alloc in ((1, 0), (2, 2)):  # with 0 tiles are held in queues
        for case in representatives(unroll):
            case.options = {"static_alloc": STYLES[style], "reuse_alloc": reuse_alloc}
            index = batch.add(case)
            lines = batch.cases[index][1].checked_source.split("\n")
            for numbers in removals(lines):
                mutant = batch.add(case, without_lines(numbers))
                line = lines[numbers[0]].strip()
                mutants.append((mutant, f"{case.label} unroll={unroll}: {line} (line {numbers[0] + 1})"))
    batch.build()
    missed = []
    for index, label in mutants:
        try:
            batch.run(index)
        except DeviceFaultError:
            continue
        missed.append(label)
    caught = len(mutants) - len(missed)
    print(f"{architecture} {style}: {caught} of {len(mutants)} removals caught")
    assert not missed, f"{caught} of {len(mutants)} caught; not caught:\n" + "\n".join(missed)
