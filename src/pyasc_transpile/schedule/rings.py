"""Tiles that are loaded, computed in place and stored: a ring of slots serves where two sets of slots would.

To overlap n iterations, a tile that is loaded and another one that is stored need n slots each.  If the result is
computed in the memory of the tile that was loaded, n + 1 slots overlap as much, one of them being stored from, and
pipes take turns on one tile instead of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from ..lower.expr import Block, Expr
from ..lower.instructions import Pipe
from ..lower.program import Buffer, Instruction, Loop, Program, TileRef
from .access import Liveness, enclosing_loop
from .reuse import is_named, rename_from, whole


@dataclass(frozen=True)
class Move:
    """From ``instruction`` on, behind which ``operand`` is not read, ``result`` lives in the operand's memory."""

    instruction: Instruction
    operand: Buffer
    result: Buffer


@dataclass(frozen=True)
class Ring:
    """What becomes of a loop's tiles: ``moves``, and one slot more for each; ``saved`` is in bytes."""

    loop: Loop
    moves: list[Move]
    saved: int


def find_rings(program: Program, liveness: Liveness, loops: dict[Block, Loop]) -> list[Ring]:
    """The loops with overlapping iterations in which rings take no more memory.

    With ``reuse_alloc=0`` results that have a name keep memory of their own.  With ``reuse_alloc=2``, which puts bytes
    before overlap, there are none.
    """
    if program.reuse_alloc == 2:
        return []
    most = program.platform.architecture.event_ids
    rings = []
    for loop in loops.values():
        if not 1 < loop.unroll < most:
            continue
        tiles = [b for b in program.buffers if b.slots > 1 and enclosing_loop(b.block, loops) is loop]
        moves = _moves(tiles, liveness, program.reuse_alloc)
        moved = sum(move.result.bytes for move in moves)
        # What the result's memory held before is for the vector unit only, and needs one slot.
        kept = sum(move.result.bytes for move in moves if _is_used_before(move, liveness))
        together = sum(tile.bytes for tile in tiles)
        saved = loop.unroll * together - (loop.unroll + 1) * (together - moved) - kept
        if moves and saved >= 0:
            rings.append(Ring(loop, moves, saved))
    return rings


def apply_rings(program: Program, liveness: Liveness, rings: list[Ring]) -> None:
    """Rename the tiles that move and add the slot."""
    for ring in rings:
        ring.loop.unroll += 1
        for move in ring.moves:
            rename_from(program, liveness, move.instruction, move.result, move.operand)


def _moves(tiles: list[Buffer], liveness: Liveness, mode: int) -> list[Move]:
    """Stored tiles that can take the place of loaded ones; what is loaded first is taken first."""

    def begin(tile: Buffer) -> int:
        return liveness.uses[tile].interval.first

    moves: list[Move] = []
    loaded = [tile for tile in tiles if liveness.uses[tile].pipes == {Pipe.MTE2, Pipe.V}]
    stored = [t for t in tiles if liveness.uses[t].pipes == {Pipe.V, Pipe.MTE3} and (mode or not is_named(t))]
    for operand in sorted(loaded, key=begin):
        possible = (_move(operand, result, liveness) for result in sorted(stored, key=begin))
        move = next((move for move in possible if move is not None), None)
        if move is not None:
            moves.append(move)
            stored.remove(move.result)
    return moves


def _move(operand: Buffer, result: Buffer, liveness: Liveness) -> Optional[Move]:
    """How a result can take the place of a loaded tile: where that is read last, or after that."""
    if operand.dtype != result.dtype or operand.bytes != result.bytes or operand.block is not result.block:
        return None
    uses, others = liveness.uses[operand], liveness.uses[result]
    if others.interval.first > uses.interval.last:
        return Move(others.accesses[0][1].instruction, operand, result)
    move = Move(uses.accesses[-1][1].instruction, operand, result)
    return move if _is_in_place(move, liveness) else None


def _is_in_place(move: Move, liveness: Liveness) -> bool:
    """Whether the instruction may write the result where it reads the operand, and leaves nothing else of it."""
    instruction, operand, result = move.instruction, move.operand, move.result
    position = liveness.position[instruction]
    mine = [argument for argument in instruction.args if isinstance(argument, TileRef) and argument.buffer is operand]
    return (
        instruction.row.pipe is Pipe.V
        and instruction.row.in_place
        and whole(instruction.args[0]) is result
        and liveness.uses[operand].interval.last == position
        and all(argument.offset is None and argument.dtype.sizeof() == operand.dtype.sizeof() for argument in mine)
        and liveness.block_of[instruction] is operand.block
        and all(at > position for at, access in liveness.uses[result].accesses if access.pipe is Pipe.MTE3)
        and (not _is_used_before(move, liveness) or _overwrites_all(instruction, result))
    )


def _is_used_before(move: Move, liveness: Liveness) -> bool:
    return liveness.uses[move.result].interval.first < liveness.position[move.instruction]


def _overwrites_all(instruction: Instruction, result: Buffer) -> bool:
    """Whether nothing of what the tile held before is left in it."""
    count = instruction.args[-1]
    return not instruction.row.accumulates and isinstance(count, Expr) and count.constant == result.elements
