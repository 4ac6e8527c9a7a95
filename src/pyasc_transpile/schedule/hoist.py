"""Loads that bring the same in every iteration of a loop, and what is computed from them alone, move in front of it."""

from __future__ import annotations

from itertools import accumulate
from typing import Iterator, Optional

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
)
from .access import Liveness, accesses_of, loop_map
from .changes import LoopChanges, runs_unknown_code
from .plan import slots_of


def hoist_loads(program: Program) -> None:
    """Move loads of what a loop does not change in front of the loop, and on in front of loops around that.

    Not where order through global memory is asked for. With ``reuse_alloc=2`` only where no more memory is in use at
    any point.
    """

    def visit(block: Block) -> None:
        for statement in list(block.statements):
            for inner in nested_blocks(statement):
                visit(inner)
            if isinstance(statement, For) and not statement.gm_barrier and not runs_unknown_code(statement):
                _hoist_from(program, statement, block)

    visit(program.body)


def _hoist_from(program: Program, loop: For, outer: Block) -> None:
    changes = LoopChanges(loop)
    for statement in list(loop.body.statements):
        buffer = _hoistable(statement, changes)
        if buffer is None:
            continue
        assert isinstance(statement, Instruction)
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
