"""The program: how one core computes a kernel.

A program is a tree of blocks.  A statement is an instruction (one row of the instruction table with its arguments), the
setting of a variable, a loop, a branch, or, after scheduling, a synchronisation.  Instructions work on logical buffers;
the schedule gives buffers their slots and addresses.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Iterator, Optional, Sequence, Union

from ..errors import Span
from ..graph.dtypes import DataType
from ..targets import Memory, PlatformInfo
from . import expr
from .expr import Block, Expr, Variable
from .instructions import InstructionRow, Pipe


@dataclass(eq=False)
class Buffer:
    """On-chip memory for one tile.

    Attributes:
        hint: Python name of the tile, or what it is for.
        dtype: type in which it is declared.
        elements: length in elements, rounded up to what instructions touch.
        block: block whose iterations each use it afresh.
        slots: copies of it, one per overlapping iteration (set by the schedule).
        offset: address in bytes of slot 0 (set by the memory plan).
        stride: bytes from one slot to the next.
        frame: address in bytes of what slot 0 of it and of other tiles of its loop are placed in.
        style: how the text declares it (set by the schedule).
        label: its length as the text says it.
        scratch: whether it is a by-product of one operation, not a tile of the kernel's author; such memory is shared
            in every reuse mode.
    """

    hint: str
    dtype: DataType
    elements: int
    block: Block
    span: Optional[Span] = None
    memory: Memory = Memory.UB
    slots: int = 1
    offset: Optional[int] = None
    stride: int = 0
    frame: int = 0
    style: BufferStyle = field(default_factory=lambda: BufferStyle.STATIC)
    label: Optional[Expr] = None
    scratch: bool = False

    @property
    def bytes(self) -> int:
        """Size of one slot in bytes, a multiple of 32."""
        return (self.elements * self.dtype.sizeof() + 31) // 32 * 32


class BufferStyle(enum.Enum):
    """How a buffer is held in the text."""

    STATIC = "static"  # LocalTensor at a fixed address
    VECIN = "VECIN"  # queue from MTE2 to V
    VECOUT = "VECOUT"  # queue from V to MTE3
    BIND = "BIND"  # queue from MTE2 to MTE3
    THROUGH = "THROUGH"  # queue from MTE2 through V to MTE3
    VECCALC = "VECCALC"  # TBuf


@dataclass(frozen=True)
class TileRef:
    """A tile operand: a buffer from an element offset on, seen as elements of ``dtype``."""

    buffer: Buffer
    dtype: DataType
    offset: Optional[Expr] = None

    def reinterpret(self, dtype: DataType) -> TileRef:
        """The same bytes as elements of another type; a part begins at a block, which both types divide."""
        offset, old, new = self.offset, self.dtype.sizeof(), dtype.sizeof()
        if offset is not None and old > new:
            offset = offset * (old // new)
        elif offset is not None and old < new:
            offset = expr.truncated_quotient(offset, expr.const(new // old))
        return TileRef(self.buffer, dtype, offset)

    def at(self, offset: Expr) -> TileRef:
        """The part that starts ``offset`` elements further."""
        return TileRef(self.buffer, self.dtype, offset if self.offset is None else self.offset + offset)


@dataclass(eq=False)
class GlobalBuffer:
    """A global tensor: one GlobalTensor object in the text.

    ``root`` identifies the memory: two buffers with one root may overlap.
    """

    hint: str
    dtype: DataType
    address: Expr
    length: Optional[Expr]
    root: object
    bypass_l2: bool = False


@dataclass(frozen=True)
class GlobalRef:
    """A global operand: a global tensor from an element offset (64-bit) on."""

    buffer: GlobalBuffer
    offset: Expr
    extent: Optional[tuple[tuple[Expr, int], ...]] = None  # per dimension: start and extent of the box touched


Argument = Union[TileRef, GlobalRef, Expr, str]


@dataclass(eq=False)
class Instruction:
    """One Ascend C call.

    Attributes:
        target: receives the value of calls that return one.
        interleaved: number of the run in which statements of several lines stand between each other; 0 for none.
    """

    row: InstructionRow
    args: tuple[Argument, ...]
    span: Optional[Span] = None
    target: Optional[Variable] = None
    interleaved: int = 0


@dataclass(eq=False)
class Assign:
    """Sets a variable; the first one declares it if ``declare``."""

    variable: Variable
    value: Optional[Expr]
    declare: bool = False
    span: Optional[Span] = None


@dataclass(eq=False)
class While:
    """A loop that runs as long as ``condition``, an expression of carried variables, holds."""

    condition: Expr
    body: Block
    span: Optional[Span] = None
    unroll: int = 1
    gm_barrier: bool = True
    slot: Optional[Variable] = None


@dataclass(eq=False)
class For:
    """A counted loop: ``for (index = start; index < stop && condition; index += step)``.

    Attributes:
        unroll: how many iterations overlap.
        overlaps: whether the schedule chooses ``unroll``.
        condition: of a loop that may end early.
        slices: whether iterations touch different slices of a tile wherever the index is in its offset, as in loops
            that operations are made of.
    """

    index: Variable
    start: Expr
    stop: Expr
    step: Expr
    body: Block
    span: Optional[Span] = None
    unroll: int = 1
    gm_barrier: bool = False
    slot: Optional[Variable] = None
    condition: Optional[Expr] = None
    overlaps: bool = False
    slices: bool = False

    @property
    def trips(self) -> Optional[int]:
        """Number of iterations if it is known."""
        bounds = [bound.constant for bound in (self.start, self.stop, self.step)]
        return None if None in bounds else len(range(*(int(bound) for bound in bounds if bound is not None)))


Loop = Union[For, While]


@dataclass(eq=False)
class If:
    """A run-time branch."""

    condition: Expr
    then: Block
    otherwise: Block
    span: Optional[Span] = None


class SyncKind(enum.Enum):
    """Synchronisation statements."""

    SET = "SetFlag"
    WAIT = "WaitFlag"
    BARRIER = "PipeBarrier"
    LOCK = "Lock"
    UNLOCK = "Unlock"


@dataclass(eq=False)
class Sync:
    """A flag set or awaited between two pipes, a barrier on one (``source`` None: on all), or a lock of a buffer id.

    ``event`` is the id of a flag or lock, ``slot`` what is added to it in a loop whose iterations overlap.
    """

    kind: SyncKind
    source: Optional[Pipe]
    target: Optional[Pipe] = None
    event: int = 0
    slots: int = 1
    slot: Optional[Variable] = None


#: The pipes that use the tiles of a queue, one after another.
QUEUE_PIPES = {
    BufferStyle.VECIN: (Pipe.MTE2, Pipe.V),
    BufferStyle.VECOUT: (Pipe.V, Pipe.MTE3),
    BufferStyle.BIND: (Pipe.MTE2, Pipe.MTE3),
    BufferStyle.THROUGH: (Pipe.MTE2, Pipe.V, Pipe.MTE3),
}


@dataclass(eq=False)
class Queue:
    """A queue between pipes, in TPipe style.

    Each of its ``slots`` buffers holds all ``members``: tiles that one pipe produces and another then consumes, so that
    one set of queue operations serves them all.

    Attributes:
        stages: for each of the queue's pipes, first and last statement of the members' block, before synchronisation is
            inserted, in which it uses one.
    """

    style: BufferStyle
    members: list[Buffer]
    stages: list[tuple[int, int]]

    @property
    def pipes(self) -> tuple[Pipe, ...]:
        return QUEUE_PIPES[self.style]

    @property
    def block(self) -> Block:
        return self.members[0].block

    @property
    def slots(self) -> int:
        return self.members[0].slots

    @property
    def bytes(self) -> int:
        """Size of one buffer of the queue."""
        return sum(member.bytes for member in self.members)


class QueueAction(enum.Enum):
    """What happens to a queue buffer."""

    ALLOC = "AllocTensor"
    ENQUE = "EnQue"
    DEQUE = "DeQue"
    FREE = "FreeTensor"


@dataclass(eq=False)
class QueueOp:
    """A step of the protocol of a queue; tiles are enqueued and taken out once between each two of its ``stages``."""

    action: QueueAction
    queue: Queue
    stage: int = 0


Statement = Union[Instruction, Assign, For, While, If, Sync, QueueOp]


@dataclass(eq=False)
class Program:
    """A kernel as instructions.

    Attributes:
        parameters: C++ parameters of the entry function.
        prelude: code for the top of the file.
        queues: in TPipe style, the queues (set by the schedule).
        pool_bytes: in TPipe style, size of the one TBuf that holds all tiles without a queue; 0 if each has its own.
    """

    name: str
    python_name: str
    parameters: list[Variable]
    pointers: list[bool]
    body: Block
    buffers: list[Buffer]
    globals: list[GlobalBuffer]
    platform: PlatformInfo
    static_alloc: bool
    reuse_alloc: int
    span: Optional[Span] = None
    pool_bytes: int = 0
    prelude: list[str] = field(default_factory=list)
    queues: list[Queue] = field(default_factory=list)


def nested_blocks(statement: Statement) -> Sequence[Block]:
    """Blocks inside of a statement."""
    if isinstance(statement, (For, While)):
        return (statement.body,)
    if isinstance(statement, If):
        return (statement.then, statement.otherwise)
    return ()


def walk(block: Block) -> Iterator[Statement]:
    """All statements of a block and of those nested in it, in program order, outer before inner."""
    for statement in block.statements:
        yield statement
        for inner in nested_blocks(statement):
            yield from walk(inner)


def instructions(block: Block) -> Iterator[Instruction]:
    """All instructions in program order."""
    for statement in walk(block):
        if isinstance(statement, Instruction):
            yield statement
