"""The proof of the synchronisation: it accepts what is generated, and nothing less."""

from __future__ import annotations

from typing import Iterator

import numpy as np
import pytest
from tests.support.batch import STYLES
from tests.test_schedule import late_case, made
from tests.test_sync_mutations import representatives

from pyasc_transpile import asctile, pipeline
from pyasc_transpile.errors import SynchronisationError
from pyasc_transpile.lower.expr import Block
from pyasc_transpile.lower.program import Program, QueueAction, QueueOp, Statement, Sync, SyncKind, nested_blocks
from pyasc_transpile.schedule import schedule, verify


def blocks(block: Block) -> Iterator[Block]:
    yield block
    for statement in block.statements:
        for inner in nested_blocks(statement):
            yield from blocks(inner)


def removals(program: Program) -> Iterator[tuple[Block, list[Statement]]]:
    """Each synchronisation of a program: the statements without which it is not there."""
    for block in blocks(program.body):
        for at, statement in enumerate(block.statements):
            if isinstance(statement, QueueOp) and statement.action is not QueueAction.ALLOC:
                yield block, [statement]
            elif isinstance(statement, Sync) and statement.kind is SyncKind.LOCK:
                yield block, [statement, next(s for s in block.statements[at:] if _gives_back(s, statement))]
            elif isinstance(statement, Sync) and statement.kind is not SyncKind.UNLOCK:
                yield block, [statement]


def _gives_back(statement: Statement, lock: Sync) -> bool:
    return isinstance(statement, Sync) and (statement.kind, statement.source, statement.event) == (
        SyncKind.UNLOCK,
        lock.source,
        lock.event,
    )


def _what(statement: Statement) -> str:
    if isinstance(statement, QueueOp):
        return f"{statement.action.value} of {statement.queue.members[0].hint}"
    assert isinstance(statement, Sync)
    return f"{statement.kind.value} {statement.source} {statement.target} {statement.event}"


def programs(architecture: str, static_alloc: bool) -> Iterator[tuple[str, Program]]:
    for unroll, reuse_alloc in ((1, 0), (2, 0), (2, 2)):
        for case in representatives(unroll):
            done = made(case.kernel, case.args, architecture, static_alloc=static_alloc, reuse_alloc=reuse_alloc)
            yield f"{case.label} reuse_alloc={reuse_alloc}", done.program


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_what_is_generated_is_in_order_and_needs_all_of_it(architecture: str, style: str) -> None:
    count, missed = 0, []
    for label, program in programs(architecture, bool(STYLES[style])):
        assert verify.verify_synchronisation(program) == [], label
        for block, removed in removals(program):
            statements = block.statements
            block.statements = [statement for statement in statements if statement not in removed]
            count += 1
            if not verify.verify_synchronisation(program):
                missed.append(f"{label}: {_what(removed[0])}")
            block.statements = statements
    print(f"{architecture} {style}: {count - len(missed)} of {count} removals found")
    assert not missed, f"{len(missed)} of {count} removals not found:\n" + "\n".join(missed)


def test_the_option_raises_with_both_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    case = late_case(1)
    assert made(case.kernel, case.args, verify_sync=True).source == made(case.kernel, case.args).source
    monkeypatch.setattr(pipeline, "schedule", lambda program, insert: schedule(program, False))
    message = r"Mul \(line \d+\) reads x on V while .* \(line \d+\) may still write it"
    with pytest.raises(SynchronisationError, match=message):
        made(case.kernel, case.args, verify_sync=True)
    assert made(case.kernel, case.args, verify_sync=True, insert_sync=False), "left out on purpose"


@asctile.jit
def either(x_ptr, out_ptr, n: int, m: int):
    """Both branches compute and store, while iterations overlap."""
    x_gm = asctile.global_tensor(x_ptr, [n])
    out_gm = asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(asctile.ceildiv(n, 64)):
        x = asctile.copy_in(x_gm, [i * 64], [64])
        y = x * 2.0
        if i % 3 == m:
            asctile.copy_out(y, out_gm, [i * 64])
        else:
            asctile.copy_out(y + 1.0, out_gm, [i * 64])


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_flags_in_branches_are_of_the_slot(architecture: str) -> None:
    """One flag for all slots could be set by the next iteration before it is awaited, which hangs a device."""
    args = (np.zeros(1000, np.float32), np.zeros(1000, np.float32), 1000, 1)
    program = made(either, args, architecture, static_alloc=True).program
    assert verify.verify_synchronisation(program, repeats=True) == []
