"""Program to text: the kernel source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from ..graph.dtypes import int32
from ..lower.expr import Block, Expr, ctype_name
from ..lower.program import (
    Assign,
    BufferStyle,
    For,
    If,
    Instruction,
    Program,
    QueueAction,
    QueueOp,
    Statement,
    Sync,
    SyncKind,
    While,
    instructions,
    walk,
)
from ..schedule.plan import capacity_of, used_bytes
from .instruction import InstructionText
from .marks import comment_text, split_marks, with_markers, without_blank_edges
from .naming import Scope, identifier
from .rendering import render

# Where tiles that go through a queue come from and go to, stage by stage.
_POSITIONS = ("TPosition::GM, TPosition::VECIN", "TPosition::VECOUT, TPosition::GM")


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


class _KernelWriter(InstructionText):
    """Writes the statements of a program."""

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
            body=without_blank_edges(self.lines),
        )
        source, source_map = split_marks(text)
        checked = with_markers(text, program.span.filename if program.span else program.python_name)
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

    # --- statements ---------------------------------------------------------------------------------------------------

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
        if isinstance(statement, Instruction) and statement.interleaved:
            if (statement.interleaved, span.line) in self.commented:
                return
            self.commented.add((statement.interleaved, span.line))
        if self.lines and not self.lines[-1].rstrip().endswith("{") and self.lines[-1] != "":
            self.lines.append("")
        self._put(depth, f"// :{span.line}  {comment_text(span.text)}")

    def _synchronisation(self, statement: Statement, depth: int) -> None:
        """Waits stand with the statement that needs them, sets and releases with the one before."""
        if isinstance(statement, QueueOp):
            waits = statement.action in (QueueAction.ALLOC, QueueAction.DEQUE)
        else:
            assert isinstance(statement, Sync)
            waits = statement.kind in (SyncKind.WAIT, SyncKind.BARRIER, SyncKind.LOCK)
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
            for line in self._queue_lines(statement):
                self._put(depth, line)
            return
        assert isinstance(statement, Sync)
        if statement.kind is SyncKind.BARRIER:
            pipe = statement.source.value if statement.source else "ALL"
            self._put(depth, f"PipeBarrier<PIPE_{pipe}>();")
            return
        if statement.kind in (SyncKind.LOCK, SyncKind.UNLOCK):
            assert statement.source is not None
            number = self._numbered(statement, self.variables[statement.slot] if statement.slot is not None else None)
            self._put(depth, f"Mutex::{statement.kind.value}<PIPE_{statement.source.value}>({number});")
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
        return self._numbered(sync, slot)

    @staticmethod
    def _numbered(sync: Sync, slot: Optional[str]) -> str:
        if slot is None:
            return str(sync.event)
        return slot if sync.event == 0 else f"{slot} + {sync.event}"

    def _queue_lines(self, operation: QueueOp) -> list[str]:
        first, *others = operation.queue.members
        name, queue, cpp = self.buffers[first], self.queue_names[operation.queue], first.dtype.cpp
        positions = _POSITIONS[operation.stage] if operation.queue.style is BufferStyle.THROUGH else ""
        if operation.action is QueueAction.ENQUE:
            return [f"{queue}.EnQue{f'<{positions}>' if positions else ''}({name});"]
        if operation.action is QueueAction.FREE:
            return [f"{queue}.FreeTensor({name});"]
        if operation.action is QueueAction.DEQUE:
            return [f"{name} = {queue}.DeQue<{f'{positions}, ' if positions else ''}{cpp}>();"]
        values = [f"{queue}.AllocTensor<{cpp}>()", *(self._inside_queue(first, tile) for tile in others)]
        tiles = zip(operation.queue.members, values)
        return [f"LocalTensor<{tile.dtype.cpp}> {self.buffers[tile]} = {value};" for tile, value in tiles]

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
