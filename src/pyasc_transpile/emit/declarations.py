"""Names, and the declarations in front of the kernel body."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Iterator, Optional

from ..graph.constants import NamedFloat, NamedInt
from ..graph.dtypes import DataType, float32, float64, int32
from ..lower import expr
from ..lower.expr import Block, Expr, Variable, ctype_name
from ..lower.instructions import Pipe
from ..lower.program import (
    Buffer,
    BufferStyle,
    GlobalBuffer,
    Program,
    Queue,
    Statement,
    Sync,
    SyncKind,
    walk,
)
from ..schedule.access import Liveness, enclosing_loop, loop_map
from .marks import MARK, joined_declarations
from .naming import NamedExpressions, Scope, global_home, identifier, statement_expressions

_QUEUE_NAMES = {
    BufferStyle.VECIN: "in_queue",
    BufferStyle.VECOUT: "out_queue",
    BufferStyle.BIND: "copy_queue",
    BufferStyle.THROUGH: "tile_queue",
}
_QUEUE_TYPES = {
    BufferStyle.VECIN: "TQue<TPosition::VECIN, 1>",
    BufferStyle.VECOUT: "TQue<TPosition::VECOUT, 1>",
    BufferStyle.BIND: "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>",
    BufferStyle.THROUGH: "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>",
}


class Declarations:
    """The state of the text being written: names, and what is declared."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.named = NamedExpressions(program)
        self.function = Scope()
        self.scopes: dict[Block, Scope] = {}
        self.variables: dict[Variable, str] = {}
        self.expressions: dict[Expr, str] = {}
        self.constants: dict[str, Expr] = {}
        self.buffers: dict[Buffer, str] = {}
        self.globals: dict[GlobalBuffer, str] = {}
        self.lines: list[str] = []
        self.loops = loop_map(program)
        self.comment_line: Optional[int] = None
        self.commented: set[tuple[int, int]] = set()  # run of interleaved lines, line
        self.pending: list[Statement] = []
        self.events: dict[tuple[Pipe, Pipe, int], str] = {}
        self.event_releases: list[str] = []
        self.lines_in_loop = 0
        self.queue_names: dict[Queue, str] = {}
        self.declared_globals: set[GlobalBuffer] = set()
        self.slots_used = self._slots_used()

    def _slots_used(self) -> set[Variable]:
        """Slot variables that some line refers to."""
        used = {s.slot for s in walk(self.program.body) if isinstance(s, Sync) and s.slot is not None}
        for buffer in self.program.buffers:
            if buffer.slots > 1 and buffer.style in (BufferStyle.STATIC, BufferStyle.VECCALC):
                loop = enclosing_loop(buffer.block, self.loops)
                assert loop is not None and loop.slot is not None
                used.add(loop.slot)
        return used

    # --- names --------------------------------------------------------------------------------------------------------

    def _reserve_constants(self) -> None:
        """Names of the compile-time numbers that the text mentions."""
        for value in self._all_expressions():
            for part in expr.subexpressions(value):
                self._constant_name(part)

    def _all_expressions(self) -> Iterator[Expr]:
        for statement in walk(self.program.body):
            yield from statement_expressions(statement)
        for buffer in self.program.globals:
            yield buffer.address
            if buffer.length is not None:
                yield buffer.length

    def _constant_name(self, value: Expr) -> Optional[str]:
        if value.op != "const" or not value.name:
            return None
        if isinstance(value.value, NamedFloat) and value.ctype not in (float32, float64):
            return None
        if isinstance(value.value, NamedInt) and not (isinstance(value.ctype, DataType) and value.ctype.is_int()):
            return None
        hint = identifier(value.name)
        known = self.constants.get(hint)
        if known is None:
            if hint in self.function.names:
                return None
            self.function.names.add(hint)
            self.constants[hint] = value
            return hint
        return hint if known.value == value.value and type(known.value) is type(value.value) else None

    def _constant_lines(self) -> list[str]:
        lines = []
        for name, value in self.constants.items():
            ctype = value.ctype if isinstance(value.value, NamedFloat) else int32
            number = expr.literal(value.value, ctype)
            wide = isinstance(value.value, NamedInt) and not -(2**31) <= value.value < 2**31
            lines.append(f"constexpr {'int64_t' if wide else ctype_name(ctype)} {name} = {number};")
        return lines

    def _name_memory(self) -> None:
        for buffer in self.program.globals:
            self.globals[buffer] = self.function.unique(buffer.hint)
        for tile in self.program.buffers:
            self.buffers[tile] = self.function.unique(tile.hint or "tmp")

    def _name_of(self, value: Expr) -> Optional[str]:
        if value.op == "var":
            variable: Variable = value.value
            return self.variables[variable.alias or variable]
        if value.op == "const":
            return self._constant_name(value)
        return self.expressions.get(value)

    def text(self, value: Expr) -> str:
        """An expression with the names given so far."""
        return expr.render(value, self._name_of)

    # --- declarations -------------------------------------------------------------------------------------------------

    def _global_section(self) -> list[str]:
        body = self.program.body
        top = [
            buffer for buffer in self.program.globals if global_home(buffer, body) is body and self._is_ready(buffer)
        ]
        by_type: dict[str, list[GlobalBuffer]] = defaultdict(list)
        for buffer in top:
            by_type[buffer.dtype.cpp].append(buffer)
        lines = [
            f"GlobalTensor<{cpp}> {', '.join(self.globals[buffer] for buffer in members)};"
            for cpp, members in by_type.items()
        ]
        for buffer in top:
            lines += self._set_up_global(buffer)
        self.declared_globals = set(top)
        return lines

    def _is_ready(self, buffer: GlobalBuffer) -> bool:
        """Whether address and length depend on parameters only."""
        parts = [
            part
            for value in (buffer.address, buffer.length)
            if value is not None
            for part in expr.subexpressions(value)
        ]
        return all(part.value in self.variables for part in parts if part.op == "var")

    def _set_up_global(self, buffer: GlobalBuffer) -> list[str]:
        name = self.globals[buffer]
        size = f", {self.text(buffer.length)}" if buffer.length is not None else ""
        lines = [f"{name}.SetGlobalBuffer({self.text(buffer.address)}{size});"]
        if buffer.bypass_l2:
            lines.append(f"{name}.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);")
        return lines

    def _memory_section(self) -> list[str]:
        if self.program.static_alloc:
            return [self._static_buffer(buffer) for buffer in self.program.buffers]
        return self._pipe_section()

    def _length(self, buffer: Buffer) -> str:
        if buffer.label is not None and expr.known(buffer.label) == buffer.elements:
            return self.text(buffer.label)
        return str(buffer.elements)

    @cached_property
    def _liveness(self) -> Liveness:
        return Liveness(self.program)

    def _position(self, buffer: Buffer) -> str:
        """Position of a tile at a fixed address; c220 documents copies for VECIN and VECOUT only."""
        if self.program.platform.architecture.name == "c220":
            accesses = [access for _, access in self._liveness.uses[buffer].accesses]
            if any(access.pipe is Pipe.MTE2 for access in accesses):
                return "TPosition::VECIN"
            if any(access.pipe is Pipe.MTE3 for access in accesses):
                return "TPosition::VECOUT"
        return "TPosition::VECCALC"

    def _static_buffer(self, buffer: Buffer) -> str:
        assert buffer.offset is not None
        position, length = self._position(buffer), self._length(buffer)
        places = [f"{{{position}, {buffer.offset + slot * buffer.stride}, {length}}}" for slot in range(buffer.slots)]
        declaration = f"LocalTensor<{buffer.dtype.cpp}> {self.buffers[buffer]}"
        if buffer.slots == 1:
            return f"{declaration}{places[0]};"
        return f"{declaration}[{buffer.slots}] = {{{', '.join(places)}}};"

    def _pipe_section(self) -> list[str]:
        lines, initial = ["TPipe pipe;"], []
        for queue in self.program.queues:
            first = queue.members[0]
            sole = len(queue.members) == 1
            name = self.function.unique(f"{self.buffers[first]}_queue" if sole else _QUEUE_NAMES[queue.style])
            self.queue_names[queue] = name
            lines.append(f"{_QUEUE_TYPES[queue.style]} {name};")
            alike = all(self._is_alike(first, member) for member in queue.members)
            size = self._bytes_text(first, len(queue.members)) if alike else str(queue.bytes)
            initial.append(f"pipe.InitBuffer({name}, {queue.slots}, {size});")
        plain = [buffer for buffer in self.program.buffers if buffer.style is BufferStyle.VECCALC]
        pool = ""
        if self.program.pool_bytes:
            pool = self.function.unique("tiles")
            lines.append(f"TBuf<TPosition::VECCALC> {pool};")
            initial.append(f"pipe.InitBuffer({pool}, {self.program.pool_bytes});")
        for buffer in plain:
            name, cpp = self.buffers[buffer], buffer.dtype.cpp
            holder, start, step = pool, buffer.offset or 0, buffer.stride
            if not pool:
                holder, start, step = self.function.unique(f"{name}_buffer"), 0, buffer.bytes
                lines.append(f"TBuf<TPosition::VECCALC> {holder};")
                size = self._bytes_text(buffer) if buffer.slots == 1 else str(buffer.slots * buffer.bytes)
                initial.append(f"pipe.InitBuffer({holder}, {size});")
            places = range(start, start + buffer.slots * step, step) if buffer.slots > 1 else (start,)
            parts = [f"{holder}.GetWithOffset<{cpp}>({self._length(buffer)}, {place})" for place in places]
            if buffer.slots > 1:
                initial.append(f"LocalTensor<{cpp}> {name}[{buffer.slots}] = {{{', '.join(parts)}}};")
            else:
                initial.append(f"LocalTensor<{cpp}> {name} = {parts[0] if pool else f'{holder}.Get<{cpp}>()'};")
        return joined_declarations(lines) + initial

    def _bytes_text(self, buffer: Buffer, times: int = 1) -> str:
        """The size of some alike tiles as the text says it."""
        if not self._is_exact(buffer):
            return str(times * buffer.bytes)
        return f"{self._multiple(times, buffer)} * sizeof({buffer.dtype.cpp})"

    def _inside_queue(self, first: Buffer, member: Buffer) -> str:
        """A tile in the buffer of a queue that begins with ``first``."""
        assert first.offset is not None and member.offset is not None
        distance = member.offset - first.offset
        times, rest = divmod(distance, first.bytes)
        at = str(distance // first.dtype.sizeof())
        if self._is_exact(first) and not rest:
            at = self._multiple(times, first)
        view = f"{self.buffers[first]}[{at}]"
        return view if member.dtype == first.dtype else f"{view}.ReinterpretCast<{member.dtype.cpp}>()"

    def _multiple(self, times: int, buffer: Buffer) -> str:
        length = self._length(buffer)
        return length if times == 1 else f"{times} * {length}"

    @staticmethod
    def _is_alike(first: Buffer, second: Buffer) -> bool:
        return first.dtype == second.dtype and first.elements == second.elements

    @staticmethod
    def _is_exact(buffer: Buffer) -> bool:
        return buffer.elements * buffer.dtype.sizeof() == buffer.bytes

    def _event_section(self) -> list[str]:
        """In TPipe style event ids come from the pipe, since queues take some too."""
        if self.program.static_alloc:
            return []
        lines = []
        for sync in walk(self.program.body):
            if not isinstance(sync, Sync) or sync.kind is SyncKind.BARRIER:
                continue
            assert sync.source is not None and sync.target is not None
            key = (sync.source, sync.target, sync.event)
            if key in self.events:
                continue
            event = f"HardEvent::{sync.source.value}_{sync.target.value}"
            name = self.function.unique(f"{sync.source.value}_to_{sync.target.value}".lower())
            self.events[key] = name
            fetch = f"pipe.AllocEventID<{event}>()"
            if sync.slots == 1:
                lines.append(f"const TEventID {name} = {fetch};")
            else:
                lines.append(f"const TEventID {name}[{sync.slots}] = {{{', '.join([fetch] * sync.slots)}}};")
            names = [name] if sync.slots == 1 else [f"{name}[{slot}]" for slot in range(sync.slots)]
            self.event_releases += [f"pipe.ReleaseEventID<{event}>({each});" for each in names]
        return lines

    def _release_events(self) -> None:
        for line in self.event_releases:
            self._put(1, line)

    def _put(self, depth: int, text: str, line: Optional[int] = None) -> None:
        self.lines.append("    " * depth + text + (f"{MARK}{line}" if line is not None else ""))
