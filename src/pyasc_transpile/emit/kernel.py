"""Program to text: the kernel source."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Union

from ..graph.constants import NamedFloat, NamedInt
from ..graph.dtypes import DataType, bfloat16, float32, float64, int32
from ..lower import expr
from ..lower.expr import Block, Expr, Variable, ctype_name
from ..lower.instructions import Pipe
from ..lower.program import (
    Argument,
    Assign,
    Buffer,
    BufferStyle,
    For,
    GlobalBuffer,
    GlobalRef,
    If,
    Instruction,
    Program,
    QueueAction,
    QueueOp,
    Statement,
    Sync,
    SyncKind,
    TileRef,
    While,
    instructions,
    nested_blocks,
    walk,
)
from ..ops.inline_code import substituted
from ..schedule.access import Liveness, enclosing_loop, loop_map
from ..schedule.plan import capacity_of, used_bytes
from .naming import NamedExpressions, Scope, global_home, identifier, statement_expressions
from .rendering import render

_MARK = "\x00"  # separates a line of text from the Python line that it comes from, until the file is put together


@dataclass
class KernelText:
    """The rendered kernel.

    Attributes:
        source: Ascend C.
        checked_source: the same with line markers for the checked CPU build.
        source_map: C++ line -> Python line.
        parameters: C++ name and type of each parameter.
    """

    name: str
    source: str
    checked_source: str
    source_map: dict[int, int]
    parameters: list[tuple[str, str]]


def emit_kernel(program: Program) -> KernelText:
    """Render a scheduled program."""
    return _KernelWriter(program).write()


class _KernelWriter:
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
        self.liveness = Liveness(program)
        self.comment_line: Optional[int] = None
        self.pending: list[Statement] = []
        self.events: dict[tuple[Pipe, Pipe, int], str] = {}
        self.event_releases: list[str] = []
        self.lines_in_loop = 0
        self.queue_names: dict[Buffer, str] = {}
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

    # --- the file -----------------------------------------------------------------------------------------------------

    def write(self) -> KernelText:
        program = self.program
        entry = identifier(program.python_name, "kernel")
        self.function.names.add(entry)
        self.scopes[program.body] = self.function
        parameters = []
        for variable in program.parameters:
            self.variables[variable] = self.function.unique(variable.hint)
            parameters.append((self.variables[variable], ctype_name(variable.ctype)))
        self._reserve_constants()
        self._name_memory()
        sections = [
            section for section in (self._global_section(), self._memory_section(), self._event_section()) if section
        ]
        self._block(program.body, 1)
        self._flush(1)
        self._release_events()
        text = render(
            "kernel.cpp.j2",
            head=self._head(),
            prelude=[line for code in program.prelude for line in code.strip("\n").splitlines()],
            name=entry,
            parameters=", ".join(f"{ctype} {name}" for name, ctype in parameters),
            constants=self._constant_lines(),
            initialise=program.static_alloc,
            sections=sections,
            body=_without_blank_edges(self.lines),
        )
        source, source_map = _split_marks(text)
        checked = _with_markers(text, program.span.filename if program.span else program.python_name)
        return KernelText(entry, source, checked, source_map, parameters)

    def _head(self) -> list[str]:
        program = self.program
        place = f"{program.span}" if program.span else ""
        style = "static_alloc" if program.static_alloc else "TPipe"
        reuse = f"  reuse_alloc={program.reuse_alloc}" if program.reuse_alloc else ""
        platform = program.platform
        return [
            f"{program.python_name}: {place}",
            f"{platform.name} ({platform.architecture.name})  {style}{reuse}  "
            f"UB {used_bytes(program)} of {capacity_of(program)} bytes",
        ]

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

    def _position(self, buffer: Buffer) -> str:
        """Position of a tile at a fixed address; c220 documents copies for VECIN and VECOUT only."""
        if self.program.platform.architecture.name == "c220":
            accesses = [access for _, access in self.liveness.uses[buffer].accesses]
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
        lines = ["TPipe pipe;"]
        initial = []
        pool = ""
        if self.program.pool_bytes:
            pool = self.function.unique("tiles")
            lines.append(f"TBuf<TPosition::VECCALC> {pool};")
            initial.append(f"pipe.InitBuffer({pool}, {self.program.pool_bytes});")
        for buffer in self.program.buffers:
            name, size = self.buffers[buffer], buffer.bytes
            length = self._length(buffer)
            total = f"{length} * sizeof({buffer.dtype.cpp})" if self._is_exact(buffer) else str(size)
            cpp = buffer.dtype.cpp
            if buffer.style is BufferStyle.VECCALC:
                holder, start = pool, buffer.offset or 0
                if not pool:
                    holder, start = self.function.unique(f"{name}_buffer"), 0
                    lines.append(f"TBuf<TPosition::VECCALC> {holder};")
                    initial.append(f"pipe.InitBuffer({holder}, {total if buffer.slots == 1 else buffer.slots * size});")
                    if buffer.slots == 1:
                        initial.append(f"LocalTensor<{cpp}> {name} = {holder}.Get<{cpp}>();")
                        continue
                step = buffer.stride if pool else size
                parts = [
                    f"{holder}.GetWithOffset<{cpp}>({length}, {start + slot * step})" for slot in range(buffer.slots)
                ]
                target = name if buffer.slots == 1 else f"{name}[{buffer.slots}]"
                value = parts[0] if buffer.slots == 1 else f"{{{', '.join(parts)}}}"
                initial.append(f"LocalTensor<{cpp}> {target} = {value};")
                continue
            queue = self.function.unique(f"{name}_queue")
            self.queue_names[buffer] = queue
            kind = {
                BufferStyle.VECIN: "TQue<TPosition::VECIN, 1>",
                BufferStyle.VECOUT: "TQue<TPosition::VECOUT, 1>",
                BufferStyle.BIND: "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>",
            }[buffer.style]
            lines.append(f"{kind} {queue};")
            initial.append(f"pipe.InitBuffer({queue}, {buffer.slots}, {total});")
        return _joined_declarations(lines) + initial

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

    # --- statements ---------------------------------------------------------------------------------------------------

    def _put(self, depth: int, text: str, line: Optional[int] = None) -> None:
        self.lines.append("    " * depth + text + (f"{_MARK}{line}" if line is not None else ""))

    def _block(self, block: Block, depth: int, comment_line: Optional[int] = None) -> None:
        if block not in self.scopes:
            assert block.parent is not None
            self.scopes[block] = Scope(self.scopes[block.parent])
        self.comment_line = comment_line
        for statement in block.statements:
            self._declare_needed(statement, block, depth)
            if isinstance(statement, (Sync, QueueOp)):
                self._synchronisation(statement, depth)
            elif isinstance(statement, Instruction):
                self._comment(statement, depth)
                self._flush(depth)
                self._instruction(statement, block, depth)
            elif isinstance(statement, Assign):
                self._flush(depth)
                self._assign(statement, depth)
            elif isinstance(statement, For):
                self._for(statement, block, depth)
            elif isinstance(statement, While):
                self._while(statement, block, depth)
            elif isinstance(statement, If):
                self._if(statement, depth)
        self._flush(depth)

    def _comment(self, statement: Union[Instruction, For], depth: int) -> None:
        span = statement.span
        if span is None or span.line == self.comment_line:
            return
        self.comment_line = span.line
        if self.lines and not self.lines[-1].rstrip().endswith("{") and self.lines[-1] != "":
            self.lines.append("")
        self._put(depth, f"// :{span.line}  {_comment_text(span.text)}")

    def _synchronisation(self, statement: Statement, depth: int) -> None:
        """Waits stand with the statement that needs them, sets and releases with the one before."""
        if isinstance(statement, QueueOp):
            waits = statement.action in (QueueAction.ALLOC, QueueAction.DEQUE)
        else:
            assert isinstance(statement, Sync)
            waits = statement.kind in (SyncKind.WAIT, SyncKind.BARRIER)
        if waits:
            self.pending.append(statement)
        else:
            self._flush(depth)
            self._write_sync(statement, depth)

    def _flush(self, depth: int) -> None:
        pending, self.pending = self.pending, []
        for statement in pending:
            self._write_sync(statement, depth)

    def _write_sync(self, statement: Statement, depth: int) -> None:
        if isinstance(statement, QueueOp):
            self._put(depth, self._queue_line(statement))
            return
        assert isinstance(statement, Sync)
        if statement.kind is SyncKind.BARRIER:
            pipe = statement.source.value if statement.source else "ALL"
            self._put(depth, f"PipeBarrier<PIPE_{pipe}>();")
            return
        assert statement.source is not None and statement.target is not None
        call = f"{statement.kind.value}<HardEvent::{statement.source.value}_{statement.target.value}>"
        if statement.slots > 1 and statement.slot is None:
            head = "    " * depth + f"for (int32_t slot = 0; slot < {statement.slots}; ++slot) {{"
            begin = max((at for at, line in enumerate(self.lines) if line == head), default=-1)
            if begin >= 0 and self.lines[-1] == "    " * depth + "}" and len(self.lines) - begin == self.lines_in_loop:
                self.lines.pop()  # one loop primes (or drains) all flags with as many slots
            else:
                self._put(depth, head.strip())
                begin = len(self.lines) - 1
            self._put(depth + 1, f"{call}({self._event(statement, 'slot')});")
            self._put(depth, "}")
            self.lines_in_loop = len(self.lines) - begin
        else:
            slot = self.variables[statement.slot] if statement.slot is not None else None
            self._put(depth, f"{call}({self._event(statement, slot)});")

    def _event(self, sync: Sync, slot: Optional[str]) -> str:
        assert sync.source is not None and sync.target is not None
        if not self.program.static_alloc:
            name = self.events[(sync.source, sync.target, sync.event)]
            return name if slot is None else f"{name}[{slot}]"
        if slot is None:
            return str(sync.event)
        return slot if sync.event == 0 else f"{slot} + {sync.event}"

    def _queue_line(self, operation: QueueOp) -> str:
        name, queue, cpp = (
            self.buffers[operation.buffer],
            self.queue_names[operation.buffer],
            operation.buffer.dtype.cpp,
        )
        return {
            QueueAction.ALLOC: f"LocalTensor<{cpp}> {name} = {queue}.AllocTensor<{cpp}>();",
            QueueAction.ENQUE: f"{queue}.EnQue({name});",
            QueueAction.DEQUE: f"{name} = {queue}.DeQue<{cpp}>();",
            QueueAction.FREE: f"{queue}.FreeTensor({name});",
        }[operation.action]

    def _assign(self, statement: Assign, depth: int) -> None:
        variable = statement.variable
        line = statement.span.line if statement.span else None
        if statement.declare:
            self.variables[variable] = self.scopes[variable.home].unique(variable.hint)
            start = f" = {self.text(statement.value)}" if statement.value is not None else ""
            self._put(depth, f"{ctype_name(variable.ctype)} {self.variables[variable]}{start};", line)
        else:
            assert statement.value is not None
            self._put(depth, f"{self.variables[variable]} = {self.text(statement.value)};", line)

    def _for(self, loop: For, block: Block, depth: int) -> None:
        if block is self.program.body:
            self._declare_inner_slots(loop, depth)
        inner = Scope(self.scopes[block])
        self.scopes[loop.body] = inner
        index = self.variables[loop.index] = inner.unique(loop.index.hint)
        declared, step = f"{ctype_name(loop.index.ctype)} {index} = {self.text(loop.start)}", self._step(loop, index)
        slot = loop.slot if loop.slot in self.slots_used else None
        next_slot = ""
        if slot is not None:
            name = self.variables.get(slot) or inner.unique_reserved("slot")
            next_slot = f"{name} ^= 1" if loop.unroll == 2 else f"{name} = {name} + 1 == {loop.unroll} ? 0 : {name} + 1"
            if slot not in self.variables:  # a top-level loop: the slot lives in its head
                self.variables[slot] = name
                if loop.index.ctype == int32:
                    declared, step, next_slot = f"{declared}, {name} = 0", f"{step}, {next_slot}", ""
                else:
                    self._put(depth, f"int32_t {name} = 0;")
        own = next((inner for inner in instructions(loop.body)), None)
        within = own is not None and own.span is not None and loop.span is not None and own.span.line == loop.span.line
        if within:  # a loop that belongs to one Python line
            self._comment(loop, depth)
        else:
            self._separate()
        self._flush(depth)
        sign = ">" if loop.step.constant is not None and loop.step.constant < 0 else "<"
        test = f"{index} {sign} {self.text(loop.stop)}"
        if loop.condition is not None:
            test += f" && {self._operand_of_and(loop.condition)}"
        self._put(depth, f"for ({declared}; {test}; {step}) {{")
        line = self.comment_line if within else None
        self._block(loop.body, depth + 1, line)
        if next_slot:
            self._put(depth + 1, f"{next_slot};")
        self._put(depth, "}")
        self.comment_line = line

    def _operand_of_and(self, value: Expr) -> str:
        text = self.text(value)
        return f"({text})" if value.op in ("||", "select") and value not in self.expressions else text

    def _while(self, loop: While, block: Block, depth: int) -> None:
        if block is self.program.body:
            self._declare_inner_slots(loop, depth)
        self.scopes[loop.body] = Scope(self.scopes[block])
        self._separate()
        self._flush(depth)
        self._put(depth, f"while ({self.text(loop.condition)}) {{")
        self._block(loop.body, depth + 1)
        self._put(depth, "}")
        self.comment_line = None

    def _declare_inner_slots(self, loop: Union[For, While], depth: int) -> None:
        """Slots of nested loops go on from one run of the loop to the next: they live outside of the outermost one."""
        for statement in walk(loop.body):
            if isinstance(statement, For) and statement.slot in self.slots_used and statement.slot is not None:
                self.variables[statement.slot] = self.function.unique_reserved("slot")
                self._put(depth, f"int32_t {self.variables[statement.slot]} = 0;")

    @staticmethod
    def _is_one(value: Expr) -> bool:
        return value.constant == 1

    def _step(self, loop: For, index: str) -> str:
        if loop.step.constant is not None and loop.step.constant < 0:
            amount = -loop.step.constant
            return f"--{index}" if amount == 1 else f"{index} -= {amount}"
        return f"++{index}" if self._is_one(loop.step) else f"{index} += {self.text(loop.step)}"

    def _separate(self) -> None:
        if self.lines and self.lines[-1].rstrip().endswith("}"):
            self.lines.append("")

    def _if(self, branch: If, depth: int) -> None:
        for statement in self._nested_loops(branch):
            if (
                statement.slot in self.slots_used
                and statement.slot is not None
                and statement.slot not in self.variables
            ):
                self.variables[statement.slot] = self.function.unique_reserved("slot")
                self._put(depth, f"int32_t {self.variables[statement.slot]} = 0;")
        self._flush(depth)
        condition = self.text(branch.condition)
        then, otherwise = branch.then, branch.otherwise
        if not then.statements and otherwise.statements:
            then, otherwise = otherwise, then
            condition = f"!{condition}" if condition.isidentifier() else f"!({condition})"
        self._put(depth, f"if ({condition}) {{")
        self._block(then, depth + 1)
        if otherwise.statements:
            self._put(depth, "} else {")
            self._block(otherwise, depth + 1)
        self._put(depth, "}")
        self.comment_line = None

    @staticmethod
    def _nested_loops(branch: If) -> list[For]:
        return [s for block in (branch.then, branch.otherwise) for s in walk(block) if isinstance(s, For)]

    # --- constants in front of statements -----------------------------------------------------------------------------

    def _declare_needed(self, statement: Statement, block: Block, depth: int) -> None:
        """Named constants and global tensors of this block that the statement, or one inside of it, uses first."""
        for value in self._used_by(statement):
            self._declare(value, block, depth)
        for buffer in self._globals_used_by(statement):
            if buffer not in self.declared_globals and global_home(buffer, self.program.body) is block:
                self.declared_globals.add(buffer)
                for part in (buffer.address, buffer.length):
                    if part is not None:
                        self._declare(part, block, depth)
                self._put(depth, f"GlobalTensor<{buffer.dtype.cpp}> {self.globals[buffer]};")
                for line in self._set_up_global(buffer):
                    self._put(depth, line)

    def _declare(self, value: Expr, block: Block, depth: int) -> None:
        if value in self.expressions:
            return
        for arg in value.args:
            self._declare(arg, block, depth)
        if self.named.homes.get(value) is not block:
            return
        hint = value.hint or ("limit" if value.op in ("min", "max") else "offset" if value.ctype != int32 else "amount")
        name = self.scopes[block].unique(hint)
        ctype = ctype_name(value.ctype)
        # The declared type converts as a cast would.
        implicit = value.op == "cast" and bfloat16 not in (value.ctype, value.args[0].ctype)
        text = self.text(value.args[0] if implicit else value)
        self.expressions[value] = name
        self._put(depth, f"const {ctype} {name}{text};" if value.op == "struct" else f"const {ctype} {name} = {text};")

    def _used_by(self, statement: Statement) -> Iterator[Expr]:
        yield from statement_expressions(statement)
        for block in nested_blocks(statement):
            for inner in block.statements:
                yield from self._used_by(inner)

    def _globals_used_by(self, statement: Statement) -> Iterator[GlobalBuffer]:
        if isinstance(statement, Instruction):
            for argument in statement.args:
                if isinstance(argument, GlobalRef):
                    yield argument.buffer
        for block in nested_blocks(statement):
            for inner in block.statements:
                yield from self._globals_used_by(inner)

    # --- instructions -------------------------------------------------------------------------------------------------

    def _instruction(self, instruction: Instruction, block: Block, depth: int) -> None:
        row = instruction.row
        line = instruction.span.line if instruction.span else None
        if row.verbatim:
            self._code(instruction, depth, line)
            return
        if row.method:
            owner, rest = instruction.args[0], list(instruction.args[1:])
            if isinstance(owner, GlobalRef):
                arguments = [self.text(owner.offset)]
                holder = self.globals[owner.buffer]
            else:
                arguments = []
                holder = self._tile(owner)
            arguments += [self._argument(argument) for argument in rest]
            call = f"{holder}.{row.text}({', '.join(arguments)})"
        else:
            arguments = [self._argument(argument) for argument in instruction.args[row.templates :]]
            call = f"{self._function(instruction)}({', '.join(arguments)})"
        if instruction.target is not None:
            variable = instruction.target
            self.variables[variable] = self.scopes[block].unique(variable.hint)
            call = f"const {ctype_name(variable.ctype)} {self.variables[variable]} = {call}"
        self._put(depth, f"{call};", line)

    @staticmethod
    def _function(instruction: Instruction) -> str:
        row = instruction.row
        first = instruction.args[0] if instruction.args else None
        dtype = first.buffer.dtype if isinstance(first, GlobalRef) else None
        template = f"<{', '.join(str(each) for each in instruction.args[: row.templates])}>" if row.templates else ""
        return row.text.replace("{T}", dtype.cpp if dtype is not None else "") + template

    def _code(self, instruction: Instruction, depth: int, line: Optional[int]) -> None:
        """Code written by hand: indented as the rest, in a block if the row names one."""
        code, *arguments = instruction.args
        text = substituted(str(code), [self._argument(argument) for argument in arguments])
        lines = textwrap.dedent(text.strip("\n")).rstrip().rstrip(";").splitlines() or [""]
        block = instruction.row.function
        if block:
            self._put(depth, f"{block} {{")
        for each in lines[:-1]:
            self._put(depth + bool(block), each, line)
        end = "" if lines[-1].lstrip().startswith("#") else ";"
        self._put(depth + bool(block), f"{lines[-1]}{end}", line)
        if block:
            self._put(depth, "}")

    def _argument(self, argument: Argument) -> str:
        if isinstance(argument, str):
            return argument
        if isinstance(argument, GlobalRef):
            name = self.globals[argument.buffer]
            return name if argument.offset.constant == 0 else f"{name}[{self.text(argument.offset)}]"
        if isinstance(argument, TileRef):
            return self._tile(argument)
        return self._typed(argument)

    def _typed(self, value: Expr) -> str:
        """A number whose C++ type is exactly its element type, as template deduction needs it."""
        text = self.text(value)
        ctype = value.ctype
        if not isinstance(ctype, DataType) or not ctype.is_int() or ctype in (int32,) or ctype.is_bool():
            return text
        exact = value.op in ("var", "cast") or value in self.expressions
        return text if exact else f"static_cast<{ctype.cpp}>({text})"

    def _tile(self, tile: Argument) -> str:
        assert isinstance(tile, TileRef)
        buffer = tile.buffer
        text = self.buffers[buffer]
        if buffer.slots > 1 and buffer.style in (BufferStyle.STATIC, BufferStyle.VECCALC):
            loop = enclosing_loop(buffer.block, self.loops)
            assert loop is not None and loop.slot is not None
            text += f"[{self.variables[loop.slot]}]"
        if tile.dtype != buffer.dtype:
            text += f".ReinterpretCast<{tile.dtype.cpp}>()"
        if tile.offset is not None and tile.offset.constant != 0:
            text += f"[{self.text(tile.offset)}]"
        return text


def _comment_text(text: str) -> str:
    """A Python line as a C++ comment: a backslash at its end would swallow the next line."""
    shown = "".join(character if character.isprintable() else " " for character in text.strip())
    return shown[:-1].rstrip() if shown.endswith("\\") else shown


def _joined_declarations(lines: Sequence[str]) -> list[str]:
    """``T a; T b;`` as ``T a, b;``, in order of first appearance."""
    joined: dict[str, list[str]] = {}
    for line in lines:
        type_name, _, name = line.rstrip(";").rpartition(" ")
        joined.setdefault(type_name, []).append(name)
    return [f"{type_name} {', '.join(names)};" for type_name, names in joined.items()]


def _without_blank_edges(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if line == "" and (not kept or kept[-1] == "" or kept[-1].rstrip().endswith("{")):
            continue
        kept.append(line)
    while kept and kept[-1] == "":
        kept.pop()
    return kept


def _split_marks(text: str) -> tuple[str, dict[int, int]]:
    """The text without marks, and the Python line of each marked line."""
    lines, source_map = [], {}
    for number, line in enumerate(text.split("\n"), 1):
        shown, mark, python_line = line.partition(_MARK)
        if mark:
            source_map[number] = int(python_line)
        lines.append(shown)
    return "\n".join(lines), source_map


def _with_markers(text: str, filename: str) -> str:
    """The text with calls that tell the checked build which Python line runs."""
    lines = []
    quoted = filename.replace("\\", "\\\\").replace('"', '\\"')
    for line in text.split("\n"):
        shown, mark, python_line = line.partition(_MARK)
        indent = shown[: len(shown) - len(shown.lstrip())]
        if mark:
            lines.append(f"{indent}AscendC::cpu::At({python_line});")
        lines.append(shown)
        if shown == "    using namespace AscendC;":
            lines.append(f'    AscendC::cpu::SourceFile("{quoted}");')
    return "\n".join(lines)
