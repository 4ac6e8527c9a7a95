"""Fewer buffers: copies that need not be made, and results that overwrite operands which are no longer needed."""

from __future__ import annotations

import math
from typing import Optional

from ..lower.expr import Block
from ..lower.instructions import Pipe
from ..lower.program import Buffer, Instruction, Loop, Program, TileRef
from .access import Liveness, enclosing_loop, loop_map, renamed


def replace_buffer(program: Program, liveness: Liveness, old: Buffer, new: Buffer) -> None:
    """Let everything that uses ``old`` use ``new``."""
    new.elements = max(new.elements, -(-old.elements * old.dtype.sizeof() // new.dtype.sizeof()))
    new.hint = new.hint or old.hint
    liveness.merge(old, new)
    program.buffers.remove(old)


def rename_from(program: Program, liveness: Liveness, first: Instruction, old: Buffer, new: Buffer) -> None:
    """Let what ``first`` writes to ``old``, and every later use of it, be in ``new``; liveness is void afterwards."""
    position = liveness.position[first]
    for instruction in dict.fromkeys(access.instruction for _, access in liveness.uses[old].accesses):
        at = liveness.position[instruction]
        if at >= position:
            end = 1 if instruction is first else len(instruction.args)
            instruction.args = (*renamed(instruction.args[:end], old, new), *instruction.args[end:])
    if liveness.uses[old].interval.first == position:
        program.buffers.remove(old)


def coalesce_copies(program: Program) -> None:
    """Compute a tile where a copy would bring it, whenever the target is free from then on."""
    liveness = Liveness(program)
    copies = [instruction for instruction in liveness.position if instruction.row.name == "Copy"]
    changed = True
    while changed:
        changed = False
        for copy in list(copies):
            if _try_coalesce(program, liveness, copy, liveness.block_of[copy]):
                copies.remove(copy)
                changed = True


def whole(operand: object) -> Optional[Buffer]:
    """The buffer of an operand that begins where the buffer does."""
    return operand.buffer if isinstance(operand, TileRef) and operand.offset is None else None


def _try_coalesce(program: Program, liveness: Liveness, copy: Instruction, block: Block) -> bool:
    target, source = whole(copy.args[0]), whole(copy.args[1])
    if target is None or source is None or target.dtype != source.dtype or target.bytes != source.bytes:
        return False
    position = liveness.position[copy]
    source_uses, target_uses = liveness.uses[source], liveness.uses[target]
    if source.block is not block or source_uses.interval.last > position:
        return False
    writers = [access.instruction for _, access in source_uses.accesses if access.writes]
    for at, access in target_uses.accesses:
        if at >= position:
            continue
        for writer in writers:
            begin = liveness.start(writer, block)
            if writer is access.instruction and begin == at:
                if not writer.row.in_place or access.writes or whole(access.operand) is None:
                    return False
            elif begin <= at and not liveness.exclusive(writer, access.instruction):
                return False
    block.statements.remove(copy)
    liveness.forget(copy)
    replace_buffer(program, liveness, source, target)
    return True


def overwrite_operands(program: Program, mode: int) -> None:
    """Let results take the place of operands that die at the same instruction.

    Mode 0 does so for intermediate results without a name, as one would write by hand; mode 1 for all tiles that only
    the vector unit touches; mode 2 for all.
    """
    loops = loop_map(program)
    liveness = Liveness(program)
    for instruction in liveness.position:
        pair = _overwritable(liveness, loops, instruction, mode)
        if pair is not None:
            result, operand = pair
            if is_named(result) and not (is_named(operand) and _loads(liveness, operand)):
                operand.hint, operand.span = result.hint, result.span
            replace_buffer(program, liveness, result, operand)


def _loads(liveness: Liveness, buffer: Buffer) -> list[int]:
    """Positions at which a tile is loaded."""
    return [at for at, access in liveness.uses[buffer].accesses if access.writes and access.pipe is Pipe.MTE2]


def is_named(buffer: Buffer) -> bool:
    """Whether the kernel's author gave the tile a name."""
    return bool(buffer.hint) and not buffer.hint.endswith("tmp")


def _overwritable(
    liveness: Liveness, loops: dict[Block, Loop], instruction: Instruction, mode: int
) -> Optional[tuple[Buffer, Buffer]]:
    row = instruction.row
    if not row.in_place or row.pipe is not Pipe.V:
        return None
    result = whole(instruction.args[0])
    if result is None:
        return None
    position = liveness.position[instruction]
    result_uses = liveness.uses[result]
    if result_uses.interval.first != position:
        return None

    def is_free(argument: object) -> bool:
        """Whether the result may take the place of an operand."""
        operand = whole(argument)
        if operand is None or operand is result:
            return False
        uses = liveness.uses[operand]
        return (
            uses.interval.last == position
            and operand.bytes == result.bytes
            and operand.dtype.sizeof() == result.dtype.sizeof()
            and argument.dtype.sizeof() == instruction.args[0].dtype.sizeof()  # type: ignore[attr-defined, union-attr]
            and enclosing_loop(operand.block, loops) is enclosing_loop(result.block, loops)
            and operand.block.depth <= result.block.depth
            and (mode == 2 or uses.pipes == {Pipe.V})
            and (mode > 0 or not is_named(operand))
        )

    free = [operand for argument in instruction.args[1:] if is_free(argument) and (operand := whole(argument))]
    if not free:
        return None

    def preference(operand: Buffer) -> float:
        """What is loaded first should be free for the next load first; best what is not loaded at all."""
        return max(_loads(liveness, operand), default=math.inf)

    return result, max(free, key=preference)


def drop_unused_buffers(program: Program) -> None:
    """Forget buffers that no instruction uses."""
    used = set(Liveness(program).uses)
    program.buffers = [buffer for buffer in program.buffers if buffer in used]
