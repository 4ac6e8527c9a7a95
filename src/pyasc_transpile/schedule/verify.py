"""Is the synchronisation of a finished program enough?  A proof by running it with clocks instead of data.

This shares nothing with what inserts synchronisation but the instruction table: a few iterations of every loop are
walked through, on several ways through the branches.  For every pipe it is known how much each other pipe has finished
before its next instruction starts; flags, locks, queues and barriers pass that knowledge on.  Two accesses to the same
memory, at least one of them a write, must be in order by it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import cycle
from typing import Iterator, Optional, Sequence

from ..lower.expr import Block
from ..lower.instructions import Pipe
from ..lower.program import (
    Buffer,
    For,
    GlobalRef,
    If,
    Instruction,
    Loop,
    Program,
    Queue,
    QueueAction,
    QueueOp,
    Statement,
    Sync,
    SyncKind,
    TileRef,
    While,
    walk,
)
from .access import Access, accesses_of, conflict, loop_starts
from .parts import are_parts_apart, are_parts_apart_between

Clock = dict[Pipe, int]

#: Outcomes of branches, taken in turn; loops that may be empty are skipped on the last way.
_WAYS: tuple[tuple[bool, ...], ...] = ((True,), (False,), (True, False), (False, True), (False, False, True))


def verify_synchronisation(program: Program, repeats: bool = False) -> list[str]:
    """What is wrong with the synchronisation of a program; empty if nothing is.

    With ``repeats`` also flags that a pipe which runs ahead may set again before the other one has awaited them.  Flags
    of tiles that a branch may or may not touch are not free of that yet, so that it is not asked for by default.

    Memory on chip is compared by address, global memory as the schedule orders it: as written within an iteration, and
    between iterations of loops with ``gm_barrier``.
    """
    branches = any(isinstance(statement, If) for statement in walk(program.body))
    ways = _WAYS if branches else _WAYS[:1]
    found: list[str] = []
    for skips in (False, True):
        for way in ways:
            run = _Run(program, way, skips)
            run.whole()
            found += [fault for fault in (*run.faults, *(run.repeats if repeats else ())) if fault not in found]
    return found


@dataclass
class _Past:
    """An access that happened: by which instruction of its pipe, in which iterations, on which bytes."""

    access: Access
    number: int
    iterations: tuple[tuple[Loop, int], ...]
    begin: int = 0
    end: int = 0


@dataclass
class _Held:
    """A lock: what pipes knew when they gave it back, and who has it."""

    released: dict[Pipe, Clock] = field(default_factory=dict)
    owner: Optional[Pipe] = None


class _Run:
    """One way through the program."""

    def __init__(self, program: Program, way: Sequence[bool], skips: bool) -> None:
        self.program = program
        self.skips = skips
        self.outcomes: Iterator[bool] = cycle(way)
        self.starts = loop_starts(program)
        self.architecture = program.platform.architecture
        self.issued: Clock = dict.fromkeys(Pipe, 0)
        self.known: dict[Pipe, Clock] = {pipe: dict.fromkeys(Pipe, 0) for pipe in Pipe}
        self.flags: dict[tuple[Pipe, Pipe, int], Clock] = {}
        self.awaited: dict[tuple[Pipe, Pipe, int], int] = {}  # which step of the target that was
        self.locks: dict[int, _Held] = defaultdict(_Held)
        self.queued: dict[tuple[Queue, int], Clock] = {}
        self.freed: dict[tuple[Queue, int], Clock] = {}
        self.taken: dict[Queue, int] = defaultdict(lambda: -1)
        self.occupied: set[tuple[Queue, int]] = set()
        self.passed: dict[Loop, int] = defaultdict(int)
        self.iterations: tuple[tuple[Loop, int], ...] = ()
        self.past: dict[object, list[_Past]] = defaultdict(list)  # by global memory; None: on chip
        self.queue_of = {member: queue for queue in program.queues for member in queue.members}
        self.loop_of_slot = {loop.slot: loop for loop in walk(program.body) if isinstance(loop, (For, While))}
        self.faults: list[str] = []
        self.repeats: list[str] = []

    def whole(self) -> None:
        self._block(self.program.body)
        for (source, target, event), _ in self.flags.items():
            self.faults.append(f"flag {source.value}_{target.value} {event} is set and never awaited")
        self.faults += [f"lock {number} is never given back" for number, held in self.locks.items() if held.owner]
        held_in = {queue for queue, _ in self.occupied}
        self.faults += [f"{_name(queue)} is never freed" for queue in self.program.queues if queue in held_in]

    def _block(self, block: Block) -> None:
        for statement in block.statements:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, Instruction):
            self._instruction(statement)
        elif isinstance(statement, Sync):
            self._sync(statement)
        elif isinstance(statement, QueueOp):
            self._queue_step(statement)
        elif isinstance(statement, If):
            self._block(statement.then if next(self.outcomes) else statement.otherwise)
        elif isinstance(statement, (For, While)):
            self._loop(statement)

    def _loop(self, loop: Loop) -> None:
        trips = loop.trips if isinstance(loop, For) else None
        rounds = max([loop.unroll, *(b.slots for b in self.program.buffers)]) + 1
        rounds = min(rounds, trips) if trips is not None else 0 if self.skips else rounds
        outside = self.iterations
        for _ in range(rounds):
            self.iterations = (*outside, (loop, self.passed[loop]))
            self._block(loop.body)
            self.passed[loop] += 1
        self.iterations = outside

    # --- what passes knowledge on -------------------------------------------------------------------------------------

    def _finished(self, pipe: Pipe) -> Clock:
        """What is known where a pipe has finished all that it was given."""
        return {**self.known[pipe], pipe: self.issued[pipe]}

    def _learn(self, pipe: Pipe, clock: Clock) -> None:
        known = self.known[pipe]
        for other, number in clock.items():
            known[other] = max(known[other], number)

    def _sync(self, sync: Sync) -> None:
        every_slot = sync.slots > 1 and sync.slot is None
        first = sync.event if sync.slot is None else sync.event + self._slot(self.loop_of_slot[sync.slot], sync.slots)
        for event in range(first, first + (sync.slots if every_slot else 1)):
            self._sync_once(sync, event)

    def _sync_once(self, sync: Sync, event: int) -> None:
        source, target = sync.source, sync.target
        if sync.kind is SyncKind.BARRIER:
            self._barrier(source)
        elif sync.kind in (SyncKind.LOCK, SyncKind.UNLOCK):
            assert source is not None
            self._lock(self.locks[event], source, event, sync.kind is SyncKind.LOCK)
        else:
            assert source is not None and target is not None
            key = (source, target, event)
            if sync.kind is SyncKind.SET:
                if key in self.flags:
                    self.faults.append(f"flag {source.value}_{target.value} {event} is set twice")
                if self.known[source][target] < self.awaited.get(key, 0):
                    self.repeats.append(f"flag {source.value}_{target.value} {event} may be set before it is awaited")
                self.flags[key] = self._finished(source)
            elif key not in self.flags:
                self.faults.append(f"flag {source.value}_{target.value} {event} is awaited and not set")
            else:
                self._learn(target, self.flags.pop(key))
                self.issued[target] += 1
                self.awaited[key] = self.issued[target]

    def _barrier(self, pipe: Optional[Pipe]) -> None:
        if pipe is not None:
            self._learn(pipe, self._finished(pipe))
            return
        for each in Pipe:
            self._learn(each, self.issued)

    def _lock(self, held: _Held, pipe: Pipe, number: int, takes: bool) -> None:
        if takes:
            if held.owner is not None:
                self.faults.append(f"lock {number} is taken by {pipe.value} while {held.owner.value} has it")
            for other, clock in held.released.items():
                if other is not pipe:
                    self._learn(pipe, clock)
            held.owner = pipe
        elif held.owner is not pipe:
            self.faults.append(f"lock {number} is given back by {pipe.value}, which does not have it")
        else:
            held.owner = None
            held.released[pipe] = self._finished(pipe)

    def _queue_step(self, step: QueueOp) -> None:
        queue, pipes = step.queue, step.queue.pipes
        if step.action is QueueAction.ALLOC:
            self.taken[queue] += 1
        buffer = (queue, self.taken[queue] % queue.slots)
        if step.action is QueueAction.ALLOC:
            if buffer in self.occupied:
                self.faults.append(f"{_name(queue)} is allocated and no buffer is free")
            self.occupied.add(buffer)
            self._learn(pipes[0], self.freed.pop(buffer, {}))
        elif step.action is QueueAction.ENQUE:
            self.queued[buffer] = self._finished(pipes[step.stage])
        elif step.action is QueueAction.FREE:
            self.occupied.discard(buffer)
            self.freed[buffer] = self._finished(pipes[-1])
        elif buffer not in self.queued:
            self.faults.append(f"{_name(queue)} is taken from its queue and not in it")
        else:
            self._learn(pipes[step.stage + 1], self.queued.pop(buffer))

    # --- accesses -----------------------------------------------------------------------------------------------------

    def _instruction(self, instruction: Instruction) -> None:
        pipe = instruction.row.pipe
        if pipe is not Pipe.S:  # issued by the scalar unit, which has got this far
            self._learn(pipe, {**self.known[Pipe.S], Pipe.S: 0})
        if pipe is Pipe.S or (pipe is Pipe.V and self.architecture.vector_in_order):
            self.known[pipe][pipe] = self.issued[pipe]
        self.issued[pipe] += 1
        mine = [self._happens(access) for access in accesses_of(instruction)]
        for now in mine:
            for before in self.past[_memory(now)]:
                if self._is_loose(before, now):
                    self.faults.append(_described(before.access, now.access))
        for now in mine:
            past = self.past[_memory(now)]
            past[:] = [before for before in past if not _covers(now, before)]
            past.append(now)
        if instruction.row.function == "PipeBarrier<PIPE_ALL>":
            self._barrier(None)
        elif self.architecture.name in instruction.row.settles:
            self._barrier(pipe)

    def _happens(self, access: Access) -> _Past:
        past = _Past(access, self.issued[access.pipe], self.iterations)
        buffer = access.buffer
        if buffer is not None:
            assert buffer.offset is not None
            slot = self._slot_of(buffer)
            past.begin = buffer.offset + slot * buffer.stride
            past.end = past.begin + buffer.bytes
        return past

    def _slot_of(self, buffer: Buffer) -> int:
        queue = self.queue_of.get(buffer)
        if queue is not None:
            return max(self.taken[queue], 0) % queue.slots
        if buffer.slots == 1:
            return 0
        inside = {loop.body: loop for loop, _ in self.iterations}
        block: Optional[Block] = buffer.block
        while block is not None and block not in inside:
            block = block.parent
        assert block is not None
        return self._slot(inside[block], buffer.slots)

    def _slot(self, loop: Loop, slots: int) -> int:
        return self.passed[loop] % slots

    def _is_loose(self, before: _Past, now: _Past) -> bool:
        """Whether two accesses meet and nothing orders them."""
        first, second = before.access, now.access
        if self.known[second.pipe][first.pipe] >= before.number or not (first.writes or second.writes):
            return False
        other = next((a[0] for a, b in zip(before.iterations, now.iterations) if a != b), None)
        if isinstance(first.operand, TileRef) and isinstance(second.operand, TileRef):
            if not (before.begin < now.end and now.begin < before.end):
                return False
            if other is None:
                return not are_parts_apart(first, second)
            return not are_parts_apart_between(other, first, second)
        if isinstance(first.operand, GlobalRef) and isinstance(second.operand, GlobalRef):
            return (other is None or other.gm_barrier) and conflict(first, second, self.starts, other is None)
        return False


def _memory(past: _Past) -> object:
    operand = past.access.operand
    return operand.buffer.root if isinstance(operand, GlobalRef) else None


def _name(queue: Queue) -> str:
    return queue.members[0].hint or "a tile"


def _covers(now: _Past, before: _Past) -> bool:
    """Whether an access takes the place of an earlier one: who is in order with it is in order with that."""
    first, second = before.access, now.access
    return (
        isinstance(second.operand, TileRef)
        and isinstance(first.operand, TileRef)
        and second.writes
        and second.operand.offset is None
        and (before.begin, before.end) == (now.begin, now.end)
        and first.operand == second.operand
    )


def _described(first: Access, second: Access) -> str:
    def where(access: Access) -> str:
        span = access.instruction.span
        return f"{access.instruction.row.text}{f' (line {span.line})' if span else ''}"

    what = second.buffer.hint or "a tile" if second.buffer is not None else "global memory"
    verbs = {True: "writes", False: "reads"}
    return (
        f"{where(second)} {verbs[second.writes]} {what} on {second.pipe.value} while {where(first)} "
        f"may still {verbs[first.writes][:-1]} it on {first.pipe.value}"
    )


