"""Single elements that fill a block: what reads a block filled with one needs no instruction that spreads it.

The instructions that make a tile of one element may as well make it several times: a reduction runs as many repeats,
all of the same elements; what computes every element from those at its place computes more of them.
"""

from __future__ import annotations

from typing import Optional

from . import expr
from .expr import const
from .instructions import Role
from .program import Argument, Buffer, Instruction, Program, TileRef, instructions


def repeat_element(program: Program, tile: TileRef, times: int) -> Optional[list[TileRef]]:
    """Let what makes the first element of ``tile`` put it into all of the first ``times`` ones.

    Nothing may write to the tile, nor to what it is made of, that comes later in the program than its end now.

    Returns:
        The tiles that now hold so many elements. None if one of the instructions cannot do it; nothing has changed.
    """
    writers: dict[Buffer, list[tuple[Instruction, TileRef]]] = {}
    for instruction in instructions(program.body):
        for part in _tiles(instruction, Role.WRITE):
            writers.setdefault(part.buffer, []).append((instruction, part))
    changed: dict[Instruction, tuple[Argument, ...]] = {}
    found: dict[Buffer, TileRef] = {}
    wanted = [tile]
    while wanted:
        part = wanted.pop()
        known = found.get(part.buffer)
        if not _begins_its_buffer(part) or (known is not None and known.dtype.sizeof() != part.dtype.sizeof()):
            return None
        if known is not None:
            continue
        found[part.buffer] = part
        for writer, written in writers.get(part.buffer, [(None, part)]):
            arguments = None if writer is None else _repeated(writer, times)
            if writer is None or arguments is None:
                return None
            changed[writer] = arguments
            wanted += [written, *(_tiles(writer, Role.READ) if writer.row.extent else [])]
    for writer, arguments in changed.items():
        writer.args = arguments
    return list(found.values())


def _tiles(instruction: Instruction, role: Role) -> list[TileRef]:
    pairs = zip(instruction.row.roles, instruction.args)
    return [argument for each, argument in pairs if each is role and isinstance(argument, TileRef)]


def _begins_its_buffer(tile: TileRef) -> bool:
    return tile.offset is None or expr.known(tile.offset) == 0


def _repeated(instruction: Instruction, times: int) -> Optional[tuple[Argument, ...]]:
    """The arguments with which an instruction makes its first result ``times`` times, if its operands repeat too."""
    row, arguments = instruction.row, list(instruction.args)
    numbers = [expr.known(argument) if isinstance(argument, expr.Expr) else None for argument in arguments]
    if row.repeats:
        at = row.repeats
        repeats, distance = numbers[at], numbers[at + 3]
        if repeats is None or (repeats > 1 and (distance, numbers[at + 1]) != (0, 1)):
            return None
        arguments[at : at + 4] = const(max(repeats, times)), const(1), arguments[at + 2], const(0)
    elif row.blocks:  # one block again and again: eight results a repeat
        if numbers[row.blocks : row.blocks + 2] != [0, 0]:
            return None
        arguments[2] = const(-(-times // 8))
    elif row.extent:
        count = numbers[row.extent]
        if count is None:
            return None
        if count < times:
            arguments[row.extent] = const(times)
    else:
        return None
    return tuple(arguments)
