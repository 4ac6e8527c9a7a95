"""Where buffers live: slots for overlapping iterations, addresses, and what to say when they do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Optional, Sequence

from ..errors import MemoryOverflowError
from ..graph.dtypes import int32
from ..lower.expr import Block, Variable
from ..lower.instructions import Pipe
from ..lower.program import (
    QUEUE_PIPES,
    Buffer,
    BufferStyle,
    For,
    Instruction,
    Loop,
    Program,
    Queue,
    Statement,
    instructions,
    nested_blocks,
)
from ..targets import Memory
from .access import Interval, Liveness, Uses, enclosing_loop, is_inside, loop_map
from .apart import are_iterations_apart
from .rings import apply_rings, find_rings


def slots_of(buffer: Buffer, uses: Uses, loops: dict[Block, Loop]) -> tuple[int, Optional[Loop]]:
    """How many iterations of which loop need a copy of their own: tiles that cross a pipe in an unrolled loop do.

    The scalar unit does not count: what it waits for, the instructions that it issues later wait for too.
    """
    loop = enclosing_loop(buffer.block, loops)
    if loop is None or loop.unroll == 1 or len(uses.pipes - {Pipe.S}) < 2:
        return 1, None
    return loop.unroll, loop


def assign_slots(liveness: Liveness, loops: dict[Block, Loop]) -> None:
    """Give every tile as many slots as iterations overlap."""
    for loop in loops.values():
        loop.slot = None
    for buffer, uses in liveness.uses.items():
        buffer.slots, owner = slots_of(buffer, uses, loops)
        if owner is not None:
            owner.slot = owner.slot or Variable("slot", int32, owner.body)


_SIDES = {
    BufferStyle.VECIN: ("in",),
    BufferStyle.VECOUT: ("out",),
    BufferStyle.BIND: ("in",),
    BufferStyle.THROUGH: ("in", "out"),
}


def choose_queues(program: Program, liveness: Liveness) -> None:
    """In TPipe style, hold tiles that pipes use one after another in queues.

    Tiles that are all produced before the first of them is consumed share a queue: one wait then serves them all.
    """
    program.queues = []
    if program.static_alloc:
        return
    tops: dict[Block, dict[int, int]] = {}
    room = dict.fromkeys(("in", "out"), program.platform.architecture.queue_buffers)
    for buffer in program.buffers:
        if buffer.block not in tops:
            tops[buffer.block] = _top_statements(buffer.block)
        queue = _own_queue(buffer, liveness.uses[buffer], tops[buffer.block])
        if queue is not None and not any(_join(other, queue) for other in program.queues):
            sides = _SIDES[queue.style]
            if all(room[side] >= buffer.slots for side in sides):
                room.update({side: room[side] - buffer.slots for side in sides})
                program.queues.append(queue)


def _join(queue: Queue, other: Queue) -> bool:
    """Take the tiles of another queue into one, if the order of the statements allows it; whether it does.

    Tiles that the vector unit only reads may come along with others that go through it.
    """
    shorter, longer = sorted((queue, other), key=lambda q: len(q.stages))
    begins_alike = longer.pipes[: len(shorter.pipes)] == shorter.pipes
    if not begins_alike or queue.block is not other.block or queue.slots != other.slots:
        return False
    stages = [
        (min(a, c), max(b, d)) for (a, b), (c, d) in zip_longest(longer.stages, shorter.stages, fillvalue=(1 << 60, -1))
    ]
    if not _in_turn(stages):
        return False
    queue.members += other.members
    queue.style, queue.stages = longer.style, stages
    return True


def _in_turn(stages: Sequence[tuple[int, int]]) -> bool:
    return all(before[1] < after[0] for before, after in zip(stages, stages[1:]))


def _own_queue(buffer: Buffer, uses: Uses, top: dict[int, int]) -> Optional[Queue]:
    """The queue for a tile that pipes use one after another, all in its own block, else None.

    None too if a pipe's statement comes after the next pipe's has begun, or a consumer overwrites what is shared.
    """
    order = tuple(dict.fromkeys(access.pipe for _, access in uses.accesses))
    style = next((style for style, pipes in QUEUE_PIPES.items() if pipes == order), None)
    if style is None or not uses.accesses[0][1].writes:
        return None
    places: dict[Pipe, list[int]] = {pipe: [] for pipe in order}
    for _, access in uses.accesses:
        at = top.get(id(access.instruction))
        if at is None:
            return None
        # What the producer reads again while the tile is consumed.
        late = len(order) == 2 and access.pipe is order[0] and not access.writes and places[order[1]]
        places[order[1] if late else access.pipe].append(at)
    stages = [(min(at), max(at)) for at in places.values()]
    return Queue(style, [buffer], stages) if _in_turn(stages) else None


def _top_statements(block: Block) -> dict[int, int]:
    """For every instruction in ``block``, the index of the statement of the block that contains it."""
    found: dict[int, int] = {}
    for position, statement in enumerate(block.statements):
        if isinstance(statement, Instruction):
            found[id(statement)] = position
        else:
            for inner in _instructions_in(statement):
                found[id(inner)] = position
    return found


def _instructions_in(statement: Statement) -> list[Instruction]:
    return [inner for block in nested_blocks(statement) for inner in instructions(block)]


# --- addresses --------------------------------------------------------------------------------------------------------

_WORTH_A_BARRIER = 1024  # bytes; instructions that share less scratch memory would wait for each other for too little


@dataclass
class _Item:
    """Something to place: a buffer, or the frame of one loop's slotted buffers."""

    size: int
    interval: Interval
    members: list[tuple[Buffer, int]]  # with their places inside
    stride: int = 0
    slots: int = 1
    offset: int = 0

    @property
    def is_scratch(self) -> bool:
        return all(buffer.scratch for buffer, _ in self.members)


@dataclass
class _Layout:
    """Addresses for a choice of queues: ``used`` bytes, of which ``pool`` in the one TBuf of TPipe style."""

    queues: list[Queue]
    items: list[_Item]
    pool: int
    used: int


def plan_memory(program: Program) -> None:
    """Decide how many iterations overlap, give every buffer its slots and address, and check the sizes.

    In TPipe style the bytes are only counted. Loops whose author left it open overlap two iterations if that fits, else
    only the innermost ones do, else none.

    Raises:
        MemoryOverflowError: the buffers do not fit.
    """
    liveness, loops = Liveness(program), loop_map(program)
    capacity = capacity_of(program)

    def layout_now() -> _Layout:
        assign_slots(liveness, loops)
        choose_queues(program, liveness)
        return _choose_layout(program, liveness, loops)

    for overlapping in _overlapping_loops(program, loops):
        for loop in loops.values():
            if isinstance(loop, For) and loop.overlaps:
                loop.unroll = 2 if loop in overlapping else 1
        layout = layout_now()
        rings = find_rings(program, liveness, loops)
        if layout.used - sum(ring.saved for ring in rings) <= capacity:
            break
    if rings:
        apply_rings(program, liveness, rings)
        liveness = Liveness(program)
        layout = layout_now()
    _apply(program, layout)
    if layout.used > capacity:
        raise _overflow(program, liveness, layout.used, capacity)


def _overlapping_loops(program: Program, loops: dict[Block, Loop]) -> list[list[For]]:
    """Choices of loops in which iterations overlap without being asked to, the best first."""
    open_loops = [loop for loop in loops.values() if isinstance(loop, For) and loop.overlaps]
    if program.reuse_alloc == 2:
        return [[]]
    wanted = [
        loop
        for loop in open_loops
        if not loop.gm_barrier and (loop.trips is None or loop.trips > 1) and are_iterations_apart(loop)
    ]
    innermost = [a for a in wanted if not any(b is not a and is_inside(b.body, a.body) for b in wanted)]
    return [wanted, innermost, []] if wanted else [[]]


def _choose_layout(program: Program, liveness: Liveness, loops: dict[Block, Loop]) -> _Layout:
    """With ``reuse_alloc=2`` tiles leave their queues, which share no memory, if that takes fewer bytes, or as many
    where queues could not hold all tiles that cross pipes.
    """
    layouts = [_arrange(program, liveness, loops, program.queues)]
    if program.queues and program.reuse_alloc == 2:
        layouts.append(_arrange(program, liveness, loops, []))
    crossing = sum(len(liveness.uses[buffer].pipes) > 1 for buffer in program.buffers)

    def cost(layout: _Layout) -> tuple[int, bool]:
        held = sum(len(queue.members) for queue in layout.queues)
        return layout.used, 0 < held < crossing

    return min(layouts, key=cost)


def _arrange(program: Program, liveness: Liveness, loops: dict[Block, Loop], queues: list[Queue]) -> _Layout:
    """Addresses if just the tiles of ``queues`` are held in queues."""
    queued = {member for queue in queues for member in queue.members}
    placed = [buffer for buffer in program.buffers if buffer not in queued]
    pooled = not program.static_alloc and len(placed) > 1 and (
        program.reuse_alloc == 2
        or sum(buffer.scratch for buffer in placed) > 1
        or len(placed) + sum(queue.slots for queue in queues) > program.platform.architecture.pipe_buffers
    )  # fmt: skip
    share = program.reuse_alloc == 2 and (program.static_alloc or pooled)
    items = _items(loops, placed, liveness, share)
    if share:
        used = _place(items, True)
    else:
        least = 0 if program.platform.architecture.vector_in_order else _WORTH_A_BARRIER
        shared = [item for item in items if item.is_scratch and item.size >= least]
        used = _place([item for item in items if item not in shared], False)
        used = _place(shared, pooled or program.static_alloc, used)
    in_queues = sum(queue.bytes * queue.slots for queue in queues)
    return _Layout(queues, items, used if pooled else 0, used + in_queues)


def _apply(program: Program, layout: _Layout) -> None:
    program.queues, program.pool_bytes = layout.queues, layout.pool
    for item in layout.items:
        for buffer, inside in item.members:
            buffer.offset, buffer.stride, buffer.slots = item.offset + inside, item.stride, item.slots
            buffer.frame = item.offset
            if not program.static_alloc:
                buffer.style = BufferStyle.VECCALC
    at = layout.used - sum(queue.bytes * queue.slots for queue in layout.queues)
    for queue in layout.queues:  # the pipe places them; addresses here only keep them apart
        inside = at
        for buffer in queue.members:
            buffer.offset, buffer.stride, buffer.style = inside, queue.bytes, queue.style
            buffer.frame = at
            inside += buffer.bytes
        at += queue.bytes * queue.slots


def _items(loops: dict[Block, Loop], buffers: list[Buffer], liveness: Liveness, share: bool) -> list[_Item]:
    """Buffers by themselves, and one frame for the slotted buffers of each loop, in order of first use.

    With ``share`` a frame takes in further tiles of its loop where it has room for them.
    """
    frames: dict[Loop, list[Buffer]] = {}
    single: list[Buffer] = []
    for buffer in buffers:
        loop = enclosing_loop(buffer.block, loops)
        if buffer.slots > 1 and loop is not None:
            frames.setdefault(loop, []).append(buffer)
        else:
            single.append(buffer)

    def alone(buffer: Buffer) -> _Item:
        return _Item(buffer.bytes, liveness.uses[buffer].interval, [(buffer, 0)])

    items: list[_Item] = []
    for loop, members in frames.items():
        inner = [alone(member) for member in members]
        frame = _place(inner, share)
        for buffer in [b for b in single if share and enclosing_loop(b.block, loops) is loop]:
            item = alone(buffer)
            item.offset = _lowest_free(item, inner, 0)
            if item.offset + item.size <= frame:
                inner.append(item)
                single.remove(buffer)
        # Slots hold data of other iterations too, so the frame is live throughout its loop.
        positions = [liveness.position[instruction] for instruction in instructions(loop.body)]
        interval = Interval(min(positions), max(positions))
        placed = [(item.members[0][0], item.offset) for item in inner]
        items.append(_Item(frame * loop.unroll, interval, placed, frame, loop.unroll))
    return sorted([*items, *map(alone, single)], key=lambda item: item.interval.first)


def _place(items: list[_Item], share: bool, base: int = 0) -> int:
    """Place items one after another from ``base`` on, or where memory is free; returns the end.

    Where they share memory, in the order of first use, in which fewer wait for each other, or the largest first, if
    that takes a tenth less.
    """

    def place(order: list[_Item]) -> int:
        placed: list[_Item] = []
        top = base
        for item in order:
            item.offset = _lowest_free(item, placed, base) if share else top
            placed.append(item)
            top = max(top, item.offset + item.size)
        return top

    by_size = sorted(items, key=lambda item: -item.size)
    return place(by_size if share and 10 * place(by_size) <= 9 * place(items) else items)


def _lowest_free(item: _Item, placed: list[_Item], base: int) -> int:
    """The lowest address from ``base`` on that is free during the item's interval."""
    offset = base
    neighbours = [other for other in placed if other.interval.overlaps(item.interval)]
    for begin, end in sorted((other.offset, other.offset + other.size) for other in neighbours):
        if offset + item.size <= begin:
            break
        offset = max(offset, end)
    return offset


def capacity_of(program: Program) -> int:
    """Bytes of UB that the kernel's tiles may use."""
    platform = program.platform
    capacity = platform.memory[Memory.UB]
    architecture = platform.architecture
    if any(architecture.name in instruction.row.library_ub for instruction in instructions(program.body)):
        capacity -= architecture.library_ub_bytes
    return capacity


def used_bytes(program: Program) -> int:
    """Bytes of UB that the plan takes."""
    return max(
        (buffer.offset + buffer.stride * (buffer.slots - 1) + buffer.bytes
         for buffer in program.buffers if buffer.offset is not None),
        default=0,
    )  # fmt: skip


def _overflow(program: Program, liveness: Liveness, used: int, capacity: int) -> MemoryOverflowError:
    share = program.reuse_alloc == 2 and (program.static_alloc or program.pool_bytes > 0)
    buffers = list(program.buffers)
    if share:
        worst = max(
            (liveness.uses[buffer].interval.first for buffer in buffers),
            key=lambda at: sum(
                b.bytes * b.slots
                for b in buffers
                if liveness.uses[b].interval.first <= at <= liveness.uses[b].interval.last
            ),
        )
        point = Interval(worst, worst)
        buffers = [buffer for buffer in buffers if liveness.uses[buffer].interval.overlaps(point)]
    buffers.sort(key=lambda buffer: -buffer.bytes * buffer.slots)
    rows = []
    for buffer in buffers:
        slots = f"{buffer.slots} x " if buffer.slots > 1 else ""
        line = f"line {buffer.span.line}" if buffer.span else "-"
        rows.append(f"    {buffer.hint or 'intermediate':<16} {slots}{buffer.bytes} bytes ({buffer.dtype})  {line}")
    advice = ["smaller tiles"]
    if program.reuse_alloc < 2:
        advice.append("reuse_alloc=2")
    if any(buffer.slots > 1 for buffer in program.buffers):
        advice.append("a smaller unroll_factor")
    listing = "\n".join(rows)
    return MemoryOverflowError(
        f"the tiles of {program.python_name} need {used} bytes of UB, but {program.platform.name} has {capacity}; "
        f"live at the worst point:\n{listing}",
        span=buffers[0].span if buffers else program.span,
        remedy=f"use {' or '.join(advice)}",
    )
