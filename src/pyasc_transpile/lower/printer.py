"""A program as readable text (``--emit program``)."""

from __future__ import annotations

from typing import Optional

from .expr import Block, Expr, render
from .program import (
    Argument,
    Assign,
    Buffer,
    For,
    GlobalRef,
    If,
    Instruction,
    Program,
    QueueOp,
    Sync,
    SyncKind,
    While,
)


class _Printer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[object, str] = {}
        self.counts: dict[str, int] = {}

    def name(self, thing: object, hint: str) -> str:
        """A readable unique name in order of appearance."""
        if thing not in self.names:
            count = self.counts.get(hint, 0)
            self.counts[hint] = count + 1
            self.names[thing] = hint if count == 0 else f"{hint}.{count}"
        return self.names[thing]

    def expression(self, value: Expr) -> str:
        def variable(part: Expr) -> Optional[str]:
            if part.op != "var":
                return None
            owner = part.value.alias or part.value
            return self.name(owner, owner.hint)

        return render(value, variable)

    def buffer(self, buffer: Buffer) -> str:
        return self.name(buffer, buffer.hint or "tmp")

    def argument(self, argument: Argument) -> str:
        if isinstance(argument, str):
            return argument
        if isinstance(argument, Expr):
            return self.expression(argument)
        if isinstance(argument, GlobalRef):
            return f"{self.name(argument.buffer, argument.buffer.hint)}[{self.expression(argument.offset)}]"
        seen_as = "" if argument.dtype == argument.buffer.dtype else f":{argument.dtype.short}"
        offset = "" if argument.offset is None else f"[{self.expression(argument.offset)}]"
        return f"{self.buffer(argument.buffer)}{seen_as}{offset}"

    def block(self, block: Block, depth: int, lines: list[str]) -> None:
        pad = "  " * depth
        for statement in block.statements:
            if isinstance(statement, Instruction):
                target = f"{self.name(statement.target, statement.target.hint)} = " if statement.target else ""
                arguments = ", ".join(self.argument(argument) for argument in statement.args)
                where = f"  # {statement.span.line}" if statement.span else ""
                lines.append(f"{pad}{statement.row.pipe.value:>4}  {target}{statement.row.name}({arguments}){where}")
            elif isinstance(statement, Assign):
                value = self.expression(statement.value) if statement.value is not None else "?"
                lines.append(f"{pad}   S  {self.name(statement.variable, statement.variable.hint)} = {value}")
            elif isinstance(statement, For):
                index = self.name(statement.index, statement.index.hint)
                bounds = ", ".join(self.expression(e) for e in (statement.start, statement.stop, statement.step))
                barrier = " gm_barrier" if statement.gm_barrier else ""
                until = f" while {self.expression(statement.condition)}" if statement.condition is not None else ""
                lines.append(f"{pad}for {index} in ({bounds}) slots={statement.unroll}{barrier}{until}:")
                self.block(statement.body, depth + 1, lines)
            elif isinstance(statement, While):
                lines.append(f"{pad}while {self.expression(statement.condition)}:")
                self.block(statement.body, depth + 1, lines)
            elif isinstance(statement, If):
                lines.append(f"{pad}if {self.expression(statement.condition)}:")
                self.block(statement.then, depth + 1, lines)
                if statement.otherwise.statements:
                    lines.append(f"{pad}else:")
                    self.block(statement.otherwise, depth + 1, lines)
            elif isinstance(statement, QueueOp):
                members = ", ".join(self.buffer(member) for member in statement.queue.members)
                lines.append(f"{pad}      {statement.action.value}({members})")
            elif isinstance(statement, Sync):
                source = statement.source.value if statement.source else "ALL"
                pair = f"{source}_{statement.target.value}" if statement.target else source
                number = "event" if statement.target else "id"
                event = f", {number} {statement.event}" if statement.kind is not SyncKind.BARRIER else ""
                slots = f", {statement.slots} slots" if statement.slots > 1 else ""
                lines.append(f"{pad}      {statement.kind.value}({pair}{event}{slots})")


def print_program(program: Program) -> str:
    """The program: buffers with their places, then statements, one a line, with pipe and Python line."""
    printer = _Printer(program)
    style = "static" if program.static_alloc else "TPipe"
    lines = [f"program {program.python_name} for {program.platform.name} ({style})"]
    for buffer in program.buffers:
        place = "-" if buffer.offset is None else str(buffer.offset)
        slots = f" x {buffer.slots} slots every {buffer.stride}" if buffer.slots > 1 else ""
        facts = f"{buffer.elements} {buffer.dtype.short}, {buffer.bytes} bytes at {place}{slots} {buffer.style.value}"
        lines.append(f"  buffer {printer.buffer(buffer)}: {facts}")
    printer.block(program.body, 1, lines)
    return "\n".join(lines) + "\n"
