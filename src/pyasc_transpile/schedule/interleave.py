"""Fewer barriers where the vector unit needs them: instructions that do not depend on each other stand together.

Where vector instructions overlap (c220), a barrier must keep an instruction from the one that it depends on.  A run of
vector instructions needs at least as many barriers as its longest chain of dependences has links; sorted by their place
in such a chain, it needs no more.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Sequence

from ..lower.expr import Block
from ..lower.instructions import Pipe
from ..lower.program import Buffer, Instruction, Program, Statement, nested_blocks
from .access import Liveness, accesses_of


def interleave_chains(program: Program) -> None:
    """Reorder runs of vector instructions where that saves barriers.

    With ``reuse_alloc=2`` only where no more memory is in use at any point.
    """
    if program.platform.architecture.vector_in_order:
        return
    liveness = Liveness(program)
    count = 0

    def visit(block: Block) -> None:
        nonlocal count
        statements: list[Statement] = []
        run: list[Instruction] = []
        for statement in block.statements:
            if isinstance(statement, Instruction) and _is_movable(statement):
                run.append(statement)
                continue
            count += 1
            statements += _interleaved(run, liveness, program.reuse_alloc, count)
            statements.append(statement)
            run = []
            for inner in nested_blocks(statement):
                visit(inner)
        count += 1
        block.statements = [*statements, *_interleaved(run, liveness, program.reuse_alloc, count)]

    visit(program.body)


def _is_movable(instruction: Instruction) -> bool:
    """Whether the instruction touches nothing but the memory that its row tells of."""
    return instruction.row.pipe is Pipe.V and not instruction.row.verbatim and instruction.target is None


def _interleaved(run: list[Instruction], liveness: Liveness, mode: int, number: int) -> list[Instruction]:
    """The run in the order that needs fewest barriers, or as it is."""
    before = _dependences(run)
    levels: list[int] = []
    for earlier in before:
        levels.append(max((levels[at] + 1 for at in earlier), default=0))
    if max(levels, default=0) >= _barriers(before):
        return run
    heights = [0] * len(run)
    for at in reversed(range(len(run))):
        for other in before[at]:
            heights[other] = max(heights[other], heights[at] + 1)
    ranks = (levels, [-height for height in heights])
    orders = [[run[at] for _, at in sorted(zip(rank, range(len(run))))] for rank in ranks]
    best = min(orders, key=lambda order: _peak(order, liveness))
    if mode == 2 and _peak(best, liveness) > _peak(run, liveness):
        return run
    for instruction in best:
        instruction.interleaved = number
    return best


def _dependences(run: Sequence[Instruction]) -> list[list[int]]:
    """For every instruction the earlier ones that it must follow."""
    writer: dict[Buffer, int] = {}
    readers: dict[Buffer, list[int]] = {}
    found = []
    for at, instruction in enumerate(run):
        needed: set[int] = set()
        accesses = [access for access in accesses_of(instruction) if access.buffer is not None]
        for access in accesses:
            buffer = access.buffer
            assert buffer is not None
            needed |= {writer[buffer]} if buffer in writer else set()
            needed |= set(readers.get(buffer, ())) if access.writes else set()
        for access in accesses:
            buffer = access.buffer
            assert buffer is not None
            if access.writes:
                writer[buffer], readers[buffer] = at, []
            else:
                readers.setdefault(buffer, []).append(at)
        found.append(sorted(needed - {at}))
    return found


def _barriers(before: Sequence[Sequence[int]]) -> int:
    """How many barriers a run needs in the order in which it is."""
    count = last = 0
    for at, earlier in enumerate(before):
        if any(other >= last for other in earlier):
            count, last = count + 1, at
    return count


def _peak(order: Sequence[Instruction], liveness: Liveness) -> int:
    """Most bytes that the run's tiles take at the same time."""
    positions = [liveness.position[instruction] for instruction in order]
    begin, end = min(positions), max(positions)
    first: dict[Buffer, int] = {}
    last: dict[Buffer, int] = {}
    for at, instruction in enumerate(order):
        for access in accesses_of(instruction):
            if access.buffer is not None:
                first.setdefault(access.buffer, at)
                last[access.buffer] = at
    changes = [0] * (len(order) + 1)
    for buffer, since in first.items():
        interval = liveness.uses[buffer].interval
        changes[0 if interval.first < begin else since] += buffer.bytes
        changes[len(order) if interval.last > end else last[buffer] + 1] -= buffer.bytes
    return max(accumulate(changes[:-1]))
