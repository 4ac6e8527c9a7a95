"""What changes from one iteration of a loop to the next."""

from __future__ import annotations

from ..lower import expr
from ..lower.expr import Expr
from ..lower.program import Assign, Buffer, For, GlobalRef, Instruction, instructions, walk
from .access import accesses_of, is_inside


def runs_unknown_code(loop: For) -> bool:
    """Whether the loop contains code written by hand, of which no row tells what it touches."""
    return any(instruction.row.verbatim for instruction in instructions(loop.body))


class LoopChanges:
    """What a loop writes.

    Attributes:
        variables: those that get a value inside of the loop.
        roots: global memory that is written.
        writers: instructions that write a tile, for every tile that is written.
    """

    def __init__(self, loop: For) -> None:
        self.body = loop.body
        self.variables = {loop.index}
        self.roots: set[object] = set()
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

    def is_fixed(self, value: Expr) -> bool:
        """Whether an expression has the same value in every iteration."""
        variables = [part.value for part in expr.subexpressions(value) if part.op == "var"]
        return not any(
            variable in self.variables or variable.alias in self.variables or is_inside(variable.home, self.body)
            for variable in variables
        )
