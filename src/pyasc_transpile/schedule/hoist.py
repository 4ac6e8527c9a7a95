"""Loads that bring the same in every iteration of a loop, and what is computed from them alone, move in front of it."""

from __future__ import annotations

from itertools import accumulate
from typing import Iterator, Mapping, Optional

from ..lower.expr import Block, Expr
from ..lower.instructions import Pipe
from ..lower.program import (
    Buffer,
    For,
    GlobalRef,
    Instruction,
    Program,
    Statement,
    TileRef,
    nested_blocks,
    walk,
)
from ..lower.scalar import is_never_negative
from .access import Liveness, accesses_of, loop_map
from .changes import LoopChanges, runs_unknown_code
from .plan import slots_of


def hoist_loads(program: Program) -> None:
    """Move loads of what a loop does not change in front of the loop, and on in front of loops around that.

    Not where order through global memory is asked for, nor what could lie in front of its tensor if the loop has no
    iterations, as the last row of a tensor without rows. With ``reuse_alloc=2`` only where no more memory is in use at
    any point.
    """

    def visit(block: Block) -> None:
        for statement in list(block.statements):
            for inner in nested_blocks(statement):
                visit(inner)
            if isinstance(statement, For) and not statement.gm_barrier and not runs_unknown_code(statement):
                _hoist_from(program, statement, block, not_negative)

    not_negative = _indices_that_count_up(program)
    visit(program.body)


def _indices_that_count_up(program: Program) -> dict[object, bool]:
    """For every index of a loop, whether it is certain that it is never negative."""
    found: dict[object, bool] = {}
    for loop in walk(program.body):
        if isinstance(loop, For):
            up = loop.step.constant is None or loop.step.constant > 0
            found[loop.index] = up and is_never_negative(loop.start, found)
    return found


def _hoist_from(program: Program, loop: For, outer: Block, not_negative: Mapping[object, bool]) -> None:
    changes = LoopChanges(loop)
    for statement in list(loop.body.statements):
        buffer = _hoistable(statement, changes)
        if buffer is None:
            continue
        assert isinstance(statement, Instruction)
        if not loop.trips and not _is_harmless(statement, not_negative):
            continue
        body, inside = loop.body.statements, loop.body.statements.index(statement)
        before = _peak(program) if program.reuse_alloc == 2 else 0
        body.remove(statement)
        outer.statements.insert(outer.statements.index(loop), statement)
        buffer.block = outer
        if program.reuse_alloc == 2 and _peak(program) > before:
            outer.statements.remove(statement)
            body.insert(inside, statement)
            buffer.block = loop.body
        else:
            del changes.writers[buffer]


def _hoistable(statement: Statement, changes: LoopChanges) -> Optional[Buffer]:
    """The one tile that a statement fills with the same in every iteration; None if it is not so."""
    if not isinstance(statement, Instruction) or statement.row.pipe not in (Pipe.MTE2, Pipe.V):
        return None
    accesses = list(accesses_of(statement))
    filled = [access.operand for access in accesses if access.writes]
    read = [access for access in accesses if not access.writes]
    if len(filled) != 1 or not isinstance(filled[0], TileRef) or filled[0].offset is not None or not read:
        return None
    buffer = filled[0].buffer
    if buffer.block is not changes.body or changes.writers[buffer] != [statement]:
        return None
    if any(access.buffer in changes.writers for access in read if access.buffer is not None):
        return None
    if any(isinstance(access.operand, GlobalRef) and access.operand.buffer.root in changes.roots for access in read):
        return None
    fixed = all(changes.is_fixed(value) for value in _expressions(statement))
    return buffer if fixed else None


def _is_harmless(instruction: Instruction, not_negative: Mapping[object, bool]) -> bool:
    """Whether what is read exists even if its place was meant for loops with iterations only.

    Nothing is loaded from behind the end of a tensor, so that the place must not be in front of it.
    """
    return all(
        access.operand.extent is not None
        and all(is_never_negative(start, not_negative) for start, _ in access.operand.extent)
        for access in accesses_of(instruction)
        if isinstance(access.operand, GlobalRef)
    )


def _expressions(instruction: Instruction) -> Iterator[Expr]:
    for argument in instruction.args:
        if isinstance(argument, Expr):
            yield argument
        elif isinstance(argument, TileRef) and argument.offset is not None:
            yield argument.offset
        elif isinstance(argument, GlobalRef):
            yield argument.offset
            yield argument.buffer.address
            if argument.buffer.length is not None:
                yield argument.buffer.length


def _peak(program: Program) -> int:
    """Most bytes that tiles take at the same time."""
    liveness, loops = Liveness(program), loop_map(program)
    changes: dict[int, int] = {}
    for buffer, uses in liveness.uses.items():
        size = buffer.bytes * slots_of(buffer, uses, loops)[0]
        changes[uses.interval.first] = changes.get(uses.interval.first, 0) + size
        changes[uses.interval.last + 1] = changes.get(uses.interval.last + 1, 0) - size
    return max(accumulate(changes[at] for at in sorted(changes)), default=0)
