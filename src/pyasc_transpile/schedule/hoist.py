"""Loads that bring the same in every iteration of a loop, and what is computed from them alone, move in front of it."""

from __future__ import annotations

from typing import Iterator, Optional

from ..lower import expr
from ..lower.expr import Block, Expr
from ..lower.instructions import Pipe
from ..lower.program import (
    Assign,
    Buffer,
    For,
    GlobalRef,
    Instruction,
    Program,
    Statement,
    TileRef,
    instructions,
    nested_blocks,
    walk,
)
from .access import Liveness, accesses_of, is_inside, loop_map
from .plan import slots_of


def hoist_loads(program: Program) -> None:
    """Move loads of what a loop does not change in front of the loop, and on in front of loops around that.

    With ``reuse_alloc=2`` only where no more memory is in use at any point.
    """

    def visit(block: Block) -> None:
        for statement in list(block.statements):
            for inner in nested_blocks(statement):
                visit(inner)
            if isinstance(statement, For) and not _has_unknown_effects(statement):
                _hoist_from(program, statement, block)

    visit(program.body)


def _has_unknown_effects(loop: For) -> bool:
    """Whether the loop runs code written by hand, or order through global memory is asked for."""
    return loop.gm_barrier or any(instruction.row.verbatim for instruction in instructions(loop.body))


def _hoist_from(program: Program, loop: For, outer: Block) -> None:
    facts = _LoopFacts(loop)
    for statement in list(loop.body.statements):
        buffer = facts.hoistable(statement)
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
            del facts.writers[buffer]


class _LoopFacts:
    """What changes in a loop."""

    def __init__(self, loop: For) -> None:
        self.body = loop.body
        self.variables = {loop.index}
        self.roots: set[object] = set()  # global memory that is written
        self.writers: dict[Buffer, list[Instruction]] = {}
        for statement in walk(loop.body):
            if isinstance(statement, Assign):
                self.variables.add(statement.variable)
            elif isinstance(statement, Instruction):
                if statement.target is not None:
                    self.variables.add(statement.target)
                for access in accesses_of(statement):
                    if access.buffer is not None and access.writes:
                        self.writers.setdefault(access.buffer, []).append(statement)
                    elif access.writes and isinstance(access.operand, GlobalRef):
                        self.roots.add(access.operand.buffer.root)

    def hoistable(self, statement: Statement) -> Optional[Buffer]:
        """The one tile that a statement fills with the same in every iteration; None if it is not so."""
        if not isinstance(statement, Instruction) or statement.row.pipe not in (Pipe.MTE2, Pipe.V):
            return None
        accesses = list(accesses_of(statement))
        filled = [access.operand for access in accesses if access.writes]
        read = [access for access in accesses if not access.writes]
        if len(filled) != 1 or not isinstance(filled[0], TileRef) or filled[0].offset is not None or not read:
            return None
        buffer = filled[0].buffer
        if buffer.block is not self.body or self.writers[buffer] != [statement]:
            return None
        if any(access.buffer in self.writers for access in read if access.buffer is not None):
            return None
        if any(isinstance(access.operand, GlobalRef) and access.operand.buffer.root in self.roots for access in read):
            return None
        fixed = all(self._is_fixed(value) for value in _expressions(statement))
        return buffer if fixed else None

    def _is_fixed(self, value: Expr) -> bool:
        """Whether an expression has the same value in every iteration."""
        variables = [part.value for part in expr.subexpressions(value) if part.op == "var"]
        return not any(
            variable in self.variables or variable.alias in self.variables or is_inside(variable.home, self.body)
            for variable in variables
        )


def _expressions(instruction: Instruction) -> Iterator[Expr]:
    for argument in instruction.args:
        if isinstance(argument, Expr):
            yield argument
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
    peak = used = 0
    for at in sorted(changes):
        used += changes[at]
        peak = max(peak, used)
    return peak
