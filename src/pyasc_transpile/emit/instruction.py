"""One instruction as text, and the constants and global tensors declared in front of the statement that uses them."""

from __future__ import annotations

import textwrap
from typing import Iterator, Optional, Sequence

from ..graph.dtypes import DataType, bfloat16, int32
from ..lower.expr import Block, Expr, ctype_name
from ..lower.program import (
    Argument,
    BufferStyle,
    GlobalBuffer,
    GlobalRef,
    Instruction,
    Statement,
    TileRef,
    nested_blocks,
)
from ..ops.inline_code import substituted
from ..schedule.access import enclosing_loop
from .declarations import Declarations
from .marks import CHECKED_ONLY
from .naming import global_home, statement_expressions


class InstructionText(Declarations):
    """Arguments and calls."""

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
        kind = "offset" if value.ctype != int32 else "amount"
        if isinstance(value.ctype, DataType) and value.ctype.is_bool():
            kind = "condition"
        hint = value.hint or ("limit" if value.op in ("min", "max") else kind)
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

    def _announce(self, tiles: Sequence[Argument], depth: int, line: Optional[int]) -> None:
        """Tell the checked build what a vector function works on: it works with pointers, which are not tracked."""
        names = ", ".join(self._argument(tile) for tile in tiles)
        self._put(depth, f"{CHECKED_ONLY}AscendC::cpu::reg::Announce({names});", line)

    def _code(self, instruction: Instruction, depth: int, line: Optional[int]) -> None:
        """Code written by hand: indented as the rest, in a block if the row names one."""
        code, *arguments = instruction.args
        text = substituted(str(code), [self._argument(argument) for argument in arguments])
        lines = textwrap.dedent(text.strip("\n")).rstrip().rstrip(";").splitlines() or [""]
        block = instruction.row.function
        if block:
            self._announce(arguments, depth, line)
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
