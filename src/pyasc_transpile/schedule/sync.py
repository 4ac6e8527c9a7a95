"""Synchronisation: which instruction must wait for which, and the fewest flags and barriers that say so.

Pipes run asynchronously.  For every two accesses to the same memory of which one writes, the later one must wait for
the earlier one.  Dependences are collected block by block between statements: inside of one execution of the block
(*forward*), and, for loop bodies, from one iteration to a later one (*backward*).  Those implied by others are dropped,
the rest are merged: a set after the last source and a wait before the first target serve all dependences whose span
contains that gap.

A flag set in one iteration is awaited in the next (or, with slots, n iterations later); such flags are primed before
the outermost loop and drained after it.  A flag never has two pending sets: every dependence has a counterpart in the
other direction, since both of its ends touch the same memory again the next time round.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Optional

from ..graph.dtypes import int32
from ..lower.expr import Block, Variable
from ..lower.instructions import Pipe
from ..lower.program import (
    QUEUE_PIPES,
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
    While,
    nested_blocks,
)
from .access import (
    Access,
    buffers_overlap,
    conflict,
    enclosing_loop,
    loop_map,
    loop_starts,
    statement_accesses,
)
from .edges import Edge, EdgeIndex, Group, is_implied, undominated
from .locks import LOCKING, Lock, find_chains, find_locks
from .parts import are_parts_apart, are_parts_apart_between


@dataclass
class SyncReport:
    """What was inserted, for the manifest."""

    flags: int = 0
    barriers: int = 0
    locks: int = 0
    spills: list[str] = field(default_factory=list)  # pipe pairs whose event ids ran out


def synchronise(program: Program, insert: bool = True) -> SyncReport:
    """Insert queue operations (TPipe style) and, unless ``insert`` is false, flags and barriers."""
    return _Synchroniser(program).run(insert)


class _Synchroniser:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.loops = loop_map(program)
        self.starts = loop_starts(program)
        self.architecture = program.platform.architecture.name
        self.vector_in_order = program.platform.architecture.vector_in_order
        self.groups: list[Group] = []
        self.locks: list[Lock] = []  # what flags are replaced by
        self.relied_on: set[Group] = set()  # barriers that serve dependences of outer blocks too
        self.within_pipes: dict[Block, list[Edge]] = {}  # dependences for barriers
        self.before: dict[tuple[Block, int], list[Statement]] = {}  # what is inserted in front of statements
        self.after: dict[tuple[Block, int], list[Statement]] = {}  # and behind them
        self.primed: list[tuple[Block, Sync, Sync]] = []  # what is set in front of a loop and awaited behind it
        self.report = SyncReport()
        self.overlaps: dict[Buffer, list[Buffer]] = {}
        self.paths: dict[Instruction, list[tuple[Block, int]]] = {}
        self._record_paths(program.body, [])

    def _record_paths(self, block: Block, outer: list[tuple[Block, int]]) -> None:
        for index, statement in enumerate(block.statements):
            path = [*outer, (block, index)]
            if isinstance(statement, Instruction):
                self.paths[statement] = path
            for inner in nested_blocks(statement):
                self._record_paths(inner, path)

    def run(self, insert: bool) -> SyncReport:
        if insert:
            self._block(self.program.body)
            self._allocate_events()
        self._insert()
        return self.report

    # --- dependences --------------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for statement in block.statements:
            for inner in nested_blocks(statement):
                self._block(inner)
        loop = self.loops.get(block)
        touched = [statement_accesses(statement) for statement in block.statements]
        queued = self._queue_edges(block, loop)
        wanted, closed = self._dependences(block, loop, touched)
        self.within_pipes[block] = [edge for edge in wanted if edge.is_barrier]
        chosen: list[Edge] = []
        length = len(block.statements)

        def span(edge: Edge) -> tuple[int, bool, int, int]:
            """Short flags first: they imply the longer ones; barriers last: flags may make them unnecessary."""
            return edge.distance, edge.is_barrier, edge.distance * length + edge.wait - edge.set, edge.wait

        edges = EdgeIndex(queued)
        for edge in sorted(wanted, key=span):
            if not is_implied(edge, [*edges.useful(edge), *_known_at_branch_end(edge, closed)]):
                chosen.append(edge)
                edges.add(edge)
        if loop is not None:
            chosen += _counterparts(chosen, queued)
        elif enclosing_loop(block, self.loops) is not None:
            for edge in chosen:
                if edge.through_global and not edge.is_barrier:
                    self._close_at(block, length, edge.target, edge.source, 1)
        for edge in closed:
            self._close(block, edge)
        for key in sorted({(e.source.value, e.target.value, e.distance) for e in chosen}):
            alike = [e for e in chosen if (e.source.value, e.target.value, e.distance) == key]
            self._merge(block, loop, alike)
        # Merging may have moved a barrier in front of the source of an edge that it implied before.
        standing = EdgeIndex(queued)
        for group in self.groups:
            if group.block is block and not group.closed:
                standing.add(Edge(group.source, group.target, group.set, group.wait, group.distance))
        for edge in wanted:
            if not is_implied(edge, [*standing.useful(edge), *_known_at_branch_end(edge, closed)]):
                self._add(block, loop, edge, edge.set, edge.wait, edge.slots)
                standing.add(edge)

    def _dependences(
        self, block: Block, loop: Optional[Loop], touched: list[list[Access]]
    ) -> tuple[list[Edge], list[Edge]]:
        """Edges wanted in a block, and those that leave a branch.

        For every access and every other pipe the nearest conflicting access before it is enough: flags and barriers
        speak for all that the pipe did until then.
        """
        found: dict[tuple[Pipe, Pipe, int, int, int], Edge] = {}
        closed: dict[tuple[Pipe, Pipe, int, int, int], Edge] = {}
        places: dict[object, _Place] = {}
        for index, accesses in enumerate(touched):
            for access in accesses:
                places.setdefault(self._place(access), _Place()).add(index, access)

        def want(first: Access, second: Access, i: int, j: int, back: bool) -> bool:
            """Note an edge; whether it also speaks for what the source pipe did before."""
            source, target = first.pipe, second.pipe
            if source is target and self.architecture in first.instruction.row.settles:
                return block.statements[i] is first.instruction
            if source is target and self._has_barrier_between(block, first, second):
                return False
            slots = self._slots(first, second, block)
            key = (source, target, i, j, slots if back else 0)
            leaves_branch = not back and source is not target and isinstance(block.statements[i], If)
            table = closed if leaves_branch else found
            through_global = isinstance(first.operand, GlobalRef)
            if key in table:
                table[key].slots = min(table[key].slots, slots)
                table[key].through_global &= through_global
            else:
                table[key] = Edge(source, target, i, j, slots if back else 0, slots, through_global)
            return not isinstance(block.statements[i], If)  # a branch not taken says nothing

        def search(place: _Place, begin: int, end: int, j: int, second: Access, back: bool) -> None:
            """Edges from the last access on each pipe among those from ``begin`` to ``end``."""
            done = {second.pipe} if self._is_in_order(second.pipe) else set()
            for at in range(end - 1, begin - 1, -1):
                i, first = place.indices[at], place.accesses[at]
                if first.pipe in done or not self._must_wait(block, loop, first, second, i, j, back):
                    continue
                if want(first, second, i, j, back):
                    done.add(first.pipe)
                    if done >= place.pipes:
                        return

        for j, accesses in enumerate(touched):
            for second in accesses:
                for other in self._overlapping(self._place(second)):
                    place = places.get(other, _Place())
                    cut = bisect_left(place.indices, j)
                    search(place, 0, cut, j, second, False)
                    if loop is not None:
                        search(place, cut, len(place.indices), j, second, True)
        branches = {index for index, statement in enumerate(block.statements) if isinstance(statement, If)}
        return undominated(found.values(), branches), list(closed.values())

    def _is_in_order(self, pipe: Pipe) -> bool:
        """Whether instructions of a pipe need no barrier between each other."""
        return pipe is Pipe.S or (pipe is Pipe.V and self.vector_in_order)

    def _must_wait(
        self, block: Block, loop: Optional[Loop], first: Access, second: Access, i: int, j: int, back: bool
    ) -> bool:
        """Whether the second access must wait for the first; ``back``: in a later iteration of the loop."""
        if not conflict(first, second, self.starts, not back) or (first is second and not first.writes):
            return False
        if self._in_queue(first, second):
            return False
        if not back or loop is None:
            return not are_parts_apart(first, second)
        if i == j and isinstance(block.statements[i], (For, While)) and _across(block.statements[i], first, second):
            return False  # ordered by the nested loop
        return _across(loop, first, second)

    @staticmethod
    def _place(access: Access) -> object:
        """What two accesses that conflict have in common: the buffer, or the memory behind a global tensor."""
        return access.operand.buffer.root if isinstance(access.operand, GlobalRef) else access.buffer

    def _overlapping(self, place: object) -> list[object]:
        """The places that share memory with a place, itself included."""
        if not isinstance(place, Buffer):
            return [place]
        if place not in self.overlaps:
            self.overlaps[place] = [other for other in self.program.buffers if buffers_overlap(place, other)]
        return list(self.overlaps[place])

    @staticmethod
    def _in_queue(first: Access, second: Access) -> bool:
        """Whether a queue orders the two already: different pipes on one queue buffer."""
        buffer = first.buffer
        queued = buffer is not None and buffer is second.buffer and buffer.style in QUEUE_PIPES
        return queued and first.pipe is not second.pipe

    def _has_barrier_between(self, block: Block, first: Access, second: Access) -> bool:
        """Whether a nested block has a barrier behind the source or in front of the target that both pass."""
        standing = [g for g in self.groups if g.source is g.target is first.pipe]
        behind = [
            g
            for inner, index in self._path_below(first.instruction, block)
            for g in standing
            if g.block is inner and g.wait > index
        ]
        in_front = [
            g
            for inner, index in self._path_below(second.instruction, block)
            for g in standing
            if g.block is inner and g.wait <= index
        ]
        self.relied_on.update((*behind, *in_front))
        return bool(behind or in_front)

    def _path_below(self, instruction: Instruction, block: Block) -> list[tuple[Block, int]]:
        """Blocks below ``block`` around an instruction, each with the index of the statement that contains it."""
        path = self.paths[instruction]
        depth = next(position for position, (outer, _) in enumerate(path) if outer is block)
        return path[depth + 1 :]

    def _slots(self, first: Access, second: Access, block: Block) -> int:
        """After how many iterations of ``block`` the two meet again."""
        buffers = [access.buffer for access in (first, second) if access.buffer is not None]
        own = enclosing_loop(block, self.loops)
        if len(buffers) < 2 or own is None:
            return 1
        if all(enclosing_loop(buffer.block, self.loops) is own for buffer in buffers):
            return min(buffer.slots for buffer in buffers)
        return 1

    def _queue_edges(self, block: Block, loop: Optional[Loop]) -> list[Edge]:
        """The order that queue operations give."""
        edges = []
        for queue in self.program.queues:
            if queue.block is block:
                uses = list(zip(queue.pipes, queue.stages))
                edges += [Edge(pipe, after, at[1], then[0]) for (pipe, at), (after, then) in zip(uses, uses[1:])]
                if loop is not None:
                    (first, begin), (last, end) = uses[0], uses[-1]
                    edges.append(Edge(last, first, end[1], begin[0], queue.slots))
        return edges

    # --- merging ------------------------------------------------------------------------------------------------------

    def _merge(self, block: Block, loop: Optional[Loop], edges: list[Edge]) -> None:
        first = edges[0]
        if first.distance:
            if first.is_barrier:
                self._merge_back_barriers(block, edges)
                return
            self._add(
                block, loop, first, max(e.set for e in edges), min(e.wait for e in edges), min(e.slots for e in edges)
            )
            return
        waiting = sorted(edges, key=lambda e: e.wait)
        while waiting:
            point = waiting[0].wait
            served = [e for e in waiting if e.set < point]
            waiting = [e for e in waiting if e.set >= point]
            self._add(block, loop, first, max(e.set for e in served), point, min(e.slots for e in served))

    def _merge_back_barriers(self, block: Block, edges: list[Edge]) -> None:
        """A barrier in the body that already separates source and target of an edge serves it."""
        standing = [g.wait for g in self.groups if g.block is block and g.source is g.target is edges[0].source]
        for edge in sorted(edges, key=lambda e: e.wait):
            if not any(at > edge.set or at <= edge.wait for at in standing):
                standing.append(edge.wait)
                self.groups.append(Group(block, edge.source, edge.target, edge.set, edge.wait, edge.distance, 1))

    def _add(self, block: Block, loop: Optional[Loop], edge: Edge, set_at: int, wait_at: int, slots: int) -> None:
        loop = loop or enclosing_loop(block, self.loops)
        uses_slot = loop is not None and slots > 1 and not edge.is_barrier
        self.groups.append(
            Group(
                block, edge.source, edge.target, set_at, wait_at, edge.distance, slots if uses_slot else 1,
                loop if uses_slot or edge.distance else None,
            )
        )  # fmt: skip

    def _close(self, block: Block, edge: Edge) -> None:
        """A dependence that leaves a branch is met at the branch's end, so that it costs nothing if not taken."""
        statement = block.statements[edge.set]
        assert isinstance(statement, If)
        for branch in (statement.then, statement.otherwise):
            sources = [access for inner in branch.statements for access in statement_accesses(inner)]
            if any(access.pipe is edge.source for access in sources):
                last = len(branch.statements)
                self._close_at(branch, last, edge.source, edge.target, edge.slots)
                if edge.through_global and enclosing_loop(block, self.loops) is not None:
                    self._close_at(branch, last, edge.target, edge.source, 1)

    def _close_at(self, branch: Block, last: int, source: Pipe, target: Pipe, slots: int) -> None:
        """A flag that is set and awaited at the end of a branch, of its own for each slot."""
        for group in self.groups:
            if group.block is branch and group.closed and group.source is source and group.target is target:
                group.slots = min(group.slots, slots)
                return
        loop = enclosing_loop(branch, self.loops)
        self.groups.append(Group(branch, source, target, last, last, 0, slots, loop, closed=True))

    # --- events -------------------------------------------------------------------------------------------------------

    def _allocate_events(self) -> None:
        """Give every flag an event id of its own, and every lock a buffer id.

        Where there are locks, those stand that cost less than flags.  Where event ids run out locks take the place of
        flags, which keep only the pipes apart that must be; without locks, or where both pipes work in one statement,
        barriers on all pipes.
        """
        lockable = self.program.platform.architecture.buffer_ids if self.program.static_alloc else 0
        self._take_locks(find_locks(self.groups) if lockable else [], lockable)
        limit = self.program.platform.architecture.event_ids
        reserved = self._events_of_queues()
        taken: dict[tuple[Pipe, Pipe], int] = dict(reserved)
        spilled: list[Group] = []
        # Flags inside of loops run most often, so they choose first.
        for group in sorted(self.groups, key=lambda g: -g.block.depth):
            if group.source is group.target:
                continue
            pair = (group.source, group.target)
            used = taken.get(pair, 0)
            if used + group.slots > limit:
                spilled.append(group)
            else:
                group.event = used - reserved.get(pair, 0)
                taken[pair] = used + group.slots
        self.report.spills += [f"{group.source.value}_{group.target.value}" for group in spilled]
        lockables = [g for g in spilled if not g.closed and g.set != g.wait and {g.source, g.target} <= LOCKING]
        self._take_locks(find_chains(lockables) if lockable else [], lockable)
        for group in spilled:
            group.everything = group in self.groups

    def _take_locks(self, locks: list[Lock], limit: int) -> None:
        """Let locks stand in place of their flags, those in inner loops first, as far as there are buffer ids."""
        for lock in sorted(locks, key=lambda lock: (-lock.block.depth, lock.turns[0].first)):
            lock.number = sum(other.slots for other in self.locks)
            if lock.number + lock.slots <= limit:
                self.locks.append(lock)
                self.groups = [group for group in self.groups if group not in lock.groups]

    def _events_of_queues(self) -> dict[tuple[Pipe, Pipe], int]:
        """Event ids that queues take on c220, where they synchronise by flags."""
        taken: dict[tuple[Pipe, Pipe], int] = {}
        for queue in self.program.queues:
            for pair in zip(queue.pipes, (*queue.pipes[1:], queue.pipes[0])):
                taken[pair] = taken.get(pair, 0) + queue.slots
        return taken

    # --- insertion ----------------------------------------------------------------------------------------------------

    def _insert(self) -> None:
        points = self._spilled()
        for block, at in points:
            self.report.barriers += 1
            self._before(block, at, Sync(SyncKind.BARRIER, None))
        self._drop_needless_barriers(points)
        for group in self.groups:
            if group.source is group.target:
                self.report.barriers += 1
                self._before(group.block, group.wait, Sync(SyncKind.BARRIER, group.source))
            elif not group.everything:
                self._insert_flag(group)
        for lock in self.locks:
            self._insert_lock(lock)
        for queue in self.program.queues:
            self._insert_queue(queue)
        top = self._top_index()
        self._rebuild(self.program.body)
        self._prime(top)

    def _before(self, block: Block, at: int, statement: Statement) -> None:
        self.before.setdefault((block, at), []).append(statement)

    def _after(self, block: Block, at: int, statement: Statement) -> None:
        self.after.setdefault((block, at), []).append(statement)

    def _insert_flag(self, group: Group) -> None:
        self.report.flags += 2
        slot = self._slot_of(group.loop) if group.slots > 1 else None
        flag = (group.source, group.target, group.event, group.slots)
        set_, wait = Sync(SyncKind.SET, *flag, slot), Sync(SyncKind.WAIT, *flag, slot)
        if group.closed:
            self._before(group.block, group.wait, set_)
        else:
            self._after(group.block, group.set, set_)
        self._before(group.block, group.wait, wait)
        if group.distance:
            self.primed.append((group.block, Sync(SyncKind.SET, *flag), Sync(SyncKind.WAIT, *flag)))

    def _insert_lock(self, lock: Lock) -> None:
        self.report.locks += 2 * len(lock.turns)
        slot = self._slot_of(lock.loop) if lock.slots > 1 else None
        for turn in lock.turns:
            held = (turn.pipe, None, lock.number, lock.slots, slot)
            self._before(lock.block, turn.first, Sync(SyncKind.LOCK, *held))
            ends = self.after.setdefault((lock.block, turn.last), [])
            ends.insert(0, Sync(SyncKind.UNLOCK, *held))  # released in the opposite order

    def _insert_queue(self, queue: Queue) -> None:
        stages = queue.stages
        self._before(queue.block, stages[0][0], QueueOp(QueueAction.ALLOC, queue))
        for stage, ((_, last), (first, _)) in enumerate(zip(stages, stages[1:])):
            self._after(queue.block, last, QueueOp(QueueAction.ENQUE, queue, stage))
            self._before(queue.block, first, QueueOp(QueueAction.DEQUE, queue, stage))
        self._after(queue.block, stages[-1][1], QueueOp(QueueAction.FREE, queue))

    def _spilled(self) -> list[tuple[Block, int]]:
        """Where barriers on all pipes stand, each for as many spilled flags as it can serve."""
        points: list[tuple[Block, int]] = []
        spilled = [group for group in self.groups if group.everything]
        for group in sorted(spilled, key=lambda group: (group.distance > 0, group.wait)):
            here = [at for block, at in points if block is group.block]
            since = group.set - group.closed  # what closes a branch stands behind its last statement
            if not _stands_between(here, since, group.wait, group.distance):
                points.append((group.block, len(group.block.statements) if group.distance else group.wait))
        return points

    def _drop_needless_barriers(self, points: list[tuple[Block, int]]) -> None:
        """Forget barriers on one pipe whose dependences those on all pipes serve."""
        for group in list(self.groups) if points else ():
            if group.source is not group.target or group in self.relied_on:
                continue
            standing = [at for block, at in points if block is group.block]
            standing += [
                other.wait
                for other in self.groups
                if other is not group and other.block is group.block and other.source is other.target is group.source
            ]
            edges = [edge for edge in self.within_pipes[group.block] if edge.source is group.source]
            if all(_stands_between(standing, edge.set, edge.wait, edge.distance) for edge in edges):
                self.groups.remove(group)

    def _slot_of(self, loop: Optional[Loop]) -> Variable:
        assert loop is not None
        if loop.slot is None:
            loop.slot = Variable("slot", int32, loop.body)
        return loop.slot

    def _top_index(self) -> dict[Block, int]:
        """For every block, the index of the top-level statement that contains it."""
        found: dict[Block, int] = {}

        def visit(block: Block, index: int) -> None:
            found[block] = index
            for statement in block.statements:
                for inner in nested_blocks(statement):
                    visit(inner, index)

        for index, statement in enumerate(self.program.body.statements):
            for inner in nested_blocks(statement):
                visit(inner, index)
        found[self.program.body] = 0
        return found

    def _rebuild(self, block: Block) -> None:
        rebuilt: list[Statement] = []
        for index, statement in enumerate(block.statements):
            for inner in nested_blocks(statement):
                self._rebuild(inner)
            rebuilt += _ordered(self.before.get((block, index), []))
            rebuilt.append(statement)
            rebuilt += _ordered(self.after.get((block, index), []))
        rebuilt += _ordered(self.before.get((block, len(block.statements)), []))
        block.statements = rebuilt

    def _prime(self, top: dict[Block, int]) -> None:
        """Set flags that lead to a later iteration in front of the outermost loop, and await them behind it."""
        statements = self.program.body.statements
        originals = [s for s in statements if not isinstance(s, (Sync, QueueOp))]
        anchors = {index: originals[index] for index in {top[block] for block, _, _ in self.primed}}
        for index, anchor in anchors.items():
            sets = [first for block, first, _ in self.primed if top[block] == index]
            waits = [last for block, _, last in self.primed if top[block] == index]
            at = statements.index(anchor)
            statements[at : at + 1] = [*sets, anchor, *waits]


def _stands_between(points: list[int], set_at: int, wait: int, distance: int) -> bool:
    """Whether a barrier in front of one of some statements stands between two statements of a block."""
    if distance:
        return any(at > set_at or at <= wait for at in points)
    return any(set_at < at <= wait for at in points)


_ORDER = {QueueAction.FREE: 0, QueueAction.ENQUE: 1, QueueAction.DEQUE: 3, QueueAction.ALLOC: 5}


def _ordered(statements: list[Statement]) -> list[Statement]:
    """Releases before waits, waits before allocations; barriers last."""

    def rank(statement: Statement) -> int:
        if isinstance(statement, QueueOp):
            return _ORDER[statement.action]
        if isinstance(statement, Sync) and statement.kind is SyncKind.BARRIER:
            return 6
        return 2

    return sorted(statements, key=rank)


def _known_at_branch_end(edge: Edge, closed: list[Edge]) -> list[Edge]:
    """What the pairs at the end of a branch tell about sources in that branch."""
    return [
        Edge(pair.source, pair.target, pair.set, pair.set + 1)
        for pair in closed
        if pair.set == edge.set and pair.source is edge.source
    ]


def _counterparts(chosen: list[Edge], queued: list[Edge]) -> list[Edge]:
    """Edges that keep a flag from being set again before it was awaited.

    Memory on chip gives every edge its counterpart; order through global memory is not kept across iterations by
    itself, so a flag for it needs one of its own.
    """
    added: list[Edge] = []
    for edge in chosen:
        if edge.through_global and not edge.distance and not edge.is_barrier:
            back = Edge(edge.target, edge.source, edge.wait, edge.set, 1)
            if not is_implied(back, [*queued, *chosen, *added]):
                added.append(back)
    return added


def _across(loop: Statement, first: Access, second: Access) -> bool:
    """Whether a loop keeps the order of two accesses in different iterations of it."""
    assert isinstance(loop, (For, While))
    if isinstance(first.operand, GlobalRef):
        return loop.gm_barrier
    return not are_parts_apart_between(loop, first, second)


class _Place:
    """The accesses to one buffer, or to one array in global memory, in the order of a block's statements."""

    def __init__(self) -> None:
        self.indices: list[int] = []
        self.accesses: list[Access] = []
        self.pipes: set[Pipe] = set()

    def add(self, index: int, access: Access) -> None:
        self.indices.append(index)
        self.accesses.append(access)
        self.pipes.add(access.pipe)


