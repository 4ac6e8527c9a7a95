"""Who touches what, when: the facts that memory planning and synchronisation start from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Mapping, Optional, Sequence

from ..lower.expr import Block, Expr, Variable
from ..lower.instructions import Pipe, Role
from ..lower.program import (
    Argument,
    Buffer,
    For,
    GlobalRef,
    If,
    Instruction,
    Loop,
    Program,
    Statement,
    TileRef,
    While,
    nested_blocks,
    walk,
)
from .linear import keeps_value, linear


@dataclass(frozen=True, eq=False)
class Access:
    """One argument of one instruction that touches memory."""

    instruction: Instruction
    pipe: Pipe
    operand: object  # TileRef or GlobalRef
    writes: bool

    @property
    def buffer(self) -> Optional[Buffer]:
        return self.operand.buffer if isinstance(self.operand, TileRef) else None


def accesses_of(instruction: Instruction) -> Iterator[Access]:
    """Memory accesses of one instruction, by the roles in its row."""
    row = instruction.row
    for role, argument in zip(row.roles, instruction.args):
        if role is not Role.PLAIN and isinstance(argument, (TileRef, GlobalRef)):
            yield Access(instruction, row.pipe, argument, role is Role.WRITE)


def statement_accesses(statement: Statement) -> list[Access]:
    """Accesses of a statement, those of nested statements included."""
    if isinstance(statement, Instruction):
        return list(accesses_of(statement))
    found: list[Access] = []
    for block in nested_blocks(statement):
        for inner in block.statements:
            found.extend(statement_accesses(inner))
    return found


def renamed(arguments: Sequence[Argument], old: Buffer, new: Buffer) -> tuple[Argument, ...]:
    """Arguments with ``new`` in place of ``old``."""
    return tuple(
        TileRef(new, argument.dtype, argument.offset)
        if isinstance(argument, TileRef) and argument.buffer is old
        else argument
        for argument in arguments
    )


@dataclass
class Interval:
    """Positions (inclusive) between which a buffer holds something."""

    first: int
    last: int

    def overlaps(self, other: Interval) -> bool:
        return self.first <= other.last and other.first <= self.last

    def include(self, first: int, last: int) -> None:
        self.first, self.last = min(self.first, first), max(self.last, last)


@dataclass
class Uses:
    """The accesses of one buffer, in program order, and the interval in which it is live."""

    accesses: list[tuple[int, Access]] = field(default_factory=list)
    interval: Interval = field(default_factory=lambda: Interval(1 << 60, -1))

    @property
    def pipes(self) -> set[Pipe]:
        return {access.pipe for _, access in self.accesses}

    @property
    def first_write(self) -> int:
        return next((position for position, access in self.accesses if access.writes), -1)


class Liveness:
    """Program-order positions of instructions and the uses of every buffer.

    A buffer touched inside of a loop that it outlives is live throughout that loop.
    """

    def __init__(self, program: Program) -> None:
        self.uses: dict[Buffer, Uses] = {}
        self.position: dict[Instruction, int] = {}
        self.block_of: dict[Instruction, Block] = {}
        self._branch_of: dict[Block, tuple[If, int]] = {}
        self._loop_begin: dict[Block, int] = {}
        self._counter = 0
        self._visit(program.body)

    def _visit(self, block: Block) -> None:
        for statement in block.statements:
            if isinstance(statement, Instruction):
                self._record(statement, block)
            else:
                begin = self._counter
                for side, inner in enumerate(nested_blocks(statement)):
                    if isinstance(statement, If):
                        self._branch_of[inner] = (statement, side)
                    else:
                        self._loop_begin[inner] = begin
                    self._visit(inner)
                if isinstance(statement, (For, While)):
                    self._extend(statement, begin, self._counter)
                self._counter += 1

    def _record(self, instruction: Instruction, block: Block) -> None:
        position = self._counter
        self._counter += 1
        self.position[instruction] = position
        self.block_of[instruction] = block
        for access in accesses_of(instruction):
            if access.buffer is not None:
                uses = self.uses.setdefault(access.buffer, Uses())
                uses.accesses.append((position, access))
                uses.interval.include(position, position)

    def merge(self, old: Buffer, new: Buffer) -> None:
        """Let every instruction that uses ``old`` use ``new``."""
        uses, target = self.uses.pop(old), self.uses[new]
        for instruction in dict.fromkeys(access.instruction for _, access in uses.accesses):
            instruction.args = renamed(instruction.args, old, new)
            position = self.position[instruction]
            target.accesses = [entry for entry in target.accesses if entry[1].instruction is not instruction]
            target.accesses += [(position, access) for access in accesses_of(instruction) if access.buffer is new]
        target.accesses.sort(key=lambda entry: entry[0])
        target.interval.include(uses.interval.first, uses.interval.last)

    def forget(self, instruction: Instruction) -> None:
        """Take an instruction out of account that was removed from the program."""
        del self.position[instruction]
        for uses in self.uses.values():
            if any(access.instruction is instruction for _, access in uses.accesses):
                uses.accesses = [entry for entry in uses.accesses if entry[1].instruction is not instruction]

    def start(self, instruction: Instruction, within: Block) -> int:
        """Position of an instruction, or of the outermost loop around it that is nested in ``within``."""
        position = self.position[instruction]
        block: Optional[Block] = self.block_of[instruction]
        while block is not None and block is not within:
            position = self._loop_begin.get(block, position)
            block = block.parent
        return position

    def exclusive(self, first: Instruction, second: Instruction) -> bool:
        """Whether the two are in different branches of one ``if``, so that only one of them runs."""
        sides = dict(self._branches(self.block_of[first]))
        return any(sides.get(branch, side) != side for branch, side in self._branches(self.block_of[second]))

    def _branches(self, block: Optional[Block]) -> Iterator[tuple[If, int]]:
        while block is not None:
            if block in self._branch_of:
                yield self._branch_of[block]
            block = block.parent

    def _extend(self, loop: Loop, begin: int, end: int) -> None:
        for buffer, uses in self.uses.items():
            touched = any(begin <= position < end for position, _ in uses.accesses)
            if touched and not is_inside(buffer.block, loop.body):
                uses.interval.include(begin, end)


def is_inside(block: Optional[Block], outer: Block) -> bool:
    """Whether ``block`` is ``outer`` or nested in it."""
    while block is not None:
        if block is outer:
            return True
        block = block.parent
    return False


def loop_map(program: Program) -> dict[Block, Loop]:
    """The loop of every loop body."""
    found: dict[Block, Loop] = {}

    def visit(block: Block) -> None:
        for statement in block.statements:
            if isinstance(statement, (For, While)):
                found[statement.body] = statement
            for inner in nested_blocks(statement):
                visit(inner)

    visit(program.body)
    return found


def enclosing_loop(block: Optional[Block], loops: dict[Block, Loop]) -> Optional[Loop]:
    """The innermost loop around ``block``, itself included."""
    while block is not None:
        if block in loops:
            return loops[block]
        block = block.parent
    return None


# --- do two accesses touch the same memory? ---------------------------------------------------------------------------


def lower_bound(value: Expr, starts: Mapping[Variable, int]) -> Optional[int]:
    """A number that an integer expression is never below, or None; ``starts`` gives those of loop indices."""
    if value.op == "const":
        return int(value.value)
    if value.op == "var":
        return starts.get(value.value)
    if value.op == "cast":
        return lower_bound(value.args[0], starts) if keeps_value(value) else None
    if value.op in ("+", "*"):
        left, right = (lower_bound(arg, starts) for arg in value.args)
        if left is None or right is None or (value.op == "*" and min(left, right) < 0):
            return None
        return left + right if value.op == "+" else left * right
    return None


def loop_starts(program: Program) -> dict[Variable, int]:
    """The first value of every loop index that starts at a known number and counts up."""
    return {
        statement.index: int(statement.start.value)
        for statement in walk(program.body)
        if isinstance(statement, For) and statement.start.constant is not None and (statement.step.constant or 0) > 0
    }


def disjoint_boxes(
    first: Optional[Sequence[tuple[Expr, int]]],
    second: Optional[Sequence[tuple[Expr, int]]],
    starts: Mapping[Variable, int],
    same_iteration: bool = True,
) -> bool:
    """Whether two boxes of one global tensor certainly do not overlap.

    Variables have the same values in both only in the same iteration of all loops.
    """
    if first is None or second is None or len(first) != len(second):
        return False
    for (start_a, extent_a), (start_b, extent_b) in zip(first, second):
        terms_a, constant_a = linear(start_a)
        terms_b, constant_b = linear(start_b)
        comparable = terms_a == terms_b and (same_iteration or not terms_a)
        if comparable and (constant_a + extent_a <= constant_b or constant_b + extent_b <= constant_a):
            return True
        for (near, extent), far in (((start_a, extent_a), start_b), ((start_b, extent_b), start_a)):
            least = lower_bound(far, starts)
            if near.constant is not None and least is not None and near.constant + extent <= least:
                return True
    return False


def buffers_overlap(first: Buffer, second: Buffer) -> bool:
    """Whether two buffers share memory."""
    if first is second:
        return True
    if first.offset is None or second.offset is None or first.memory is not second.memory:
        return False
    if first.slots > 1 and (first.frame, first.stride, first.slots) == (second.frame, second.stride, second.slots):
        # Slots of one frame, or of frames in one place: the same slot of both is compared.
        return first.offset < second.offset + second.bytes and second.offset < first.offset + first.bytes
    return first.offset < second.offset + _extent(second) and second.offset < first.offset + _extent(first)


def _extent(buffer: Buffer) -> int:
    return buffer.bytes if buffer.slots == 1 else buffer.stride * (buffer.slots - 1) + buffer.bytes


def conflict(first: Access, second: Access, starts: Mapping[Variable, int], same_iteration: bool = True) -> bool:
    """Whether two accesses may touch the same bytes and at least one of them writes."""
    if not first.writes and not second.writes:
        return False
    a, b = first.operand, second.operand
    if isinstance(a, TileRef) and isinstance(b, TileRef):
        return buffers_overlap(a.buffer, b.buffer)
    if isinstance(a, GlobalRef) and isinstance(b, GlobalRef):
        return a.buffer.root is b.buffer.root and not (
            a.buffer is b.buffer  # another view may have other strides
            and disjoint_boxes(a.extent, b.extent, starts, same_iteration)
        )
    return False
