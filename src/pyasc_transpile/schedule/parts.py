"""Which part of a tile an instruction touches, as far as its row and its arguments say."""

from __future__ import annotations

from typing import Optional

from ..lower import expr
from ..lower.expr import Expr
from ..lower.program import For, Loop, TileRef
from ..targets import BLOCK_BYTES
from .access import Access
from .linear import linear

Part = tuple[dict[Expr, int], int, int]  # factors of terms, and from which to which byte behind their sum


def are_parts_apart(first: Access, second: Access) -> bool:
    """Whether two accesses in the same iteration touch different bytes of one tile."""
    parts = _parts(first, second)
    if parts is None:
        return False
    (terms, begin, end), (others, start, stop) = parts
    return terms == others and (end <= start or stop <= begin)


def are_parts_apart_between(loop: Loop, first: Access, second: Access) -> bool:
    """Whether two accesses in different iterations of a loop touch different bytes of one tile."""
    if not isinstance(loop, For) or first.buffer is None or first.buffer is not second.buffer:
        return False
    if loop.slices and _is_slice_of_iteration(loop, first, second):
        return True
    parts, step, index = _parts(first, second), loop.step.constant, expr.var(loop.index)
    if parts is None or not isinstance(step, int):
        return False
    (terms, begin, end), (others, start, stop) = parts
    alike = terms == others and set(terms) == {index}
    return alike and max(end, stop) - min(begin, start) <= abs(terms[index] * step)


def _is_slice_of_iteration(loop: For, first: Access, second: Access) -> bool:
    """Whether both touch the slice of a tile that is given by the loop's index."""
    a, b = first.operand, second.operand
    assert isinstance(a, TileRef) and isinstance(b, TileRef)
    if a.offset is None or a.offset != b.offset:
        return False
    return any(part.op == "var" and part.value is loop.index for part in expr.subexpressions(a.offset))


def _parts(first: Access, second: Access) -> Optional[tuple[Part, Part]]:
    if first.buffer is None or first.buffer is not second.buffer:
        return None
    part, other = _part(first), _part(second)
    return None if part is None or other is None else (part, other)


def _part(access: Access) -> Optional[Part]:
    """The bytes touched, counted from the start of the tile; None if it is not known how many."""
    operand = access.operand
    assert isinstance(operand, TileRef)
    size, elements = operand.dtype.sizeof(), _extent(access)
    if elements is None:
        return None
    terms, constant = linear(operand.offset) if operand.offset is not None else ({}, 0)
    return {term: factor * size for term, factor in terms.items()}, constant * size, (constant + elements) * size


def _extent(access: Access) -> Optional[int]:
    """Elements from the first to the last one that an instruction touches of an operand."""
    row, arguments = access.instruction.row, access.instruction.args
    if not row.extent:
        return None
    count = _known(arguments[row.extent])
    if count is None or row.extent == -1:
        return count
    repeats, strides = _known(arguments[-2]), arguments[-1]
    places = [at for at, argument in enumerate(arguments) if argument is access.operand]
    if row.extent != -3 or repeats is None or not isinstance(strides, Expr) or strides.op != "struct" or not places:
        return None
    fields = [_known(field) for field in strides.args]
    tiles = len(fields) // 2  # block distances of all operands, then their repeat distances
    assert isinstance(access.operand, TileRef)
    per_block = BLOCK_BYTES // access.operand.dtype.sizeof()
    extents: list[int] = []
    for at in places:
        block, repeat = fields[at], fields[at + tiles]
        if block is None or repeat is None:
            return None
        blocks = -(-count // per_block)
        once = count if block == 1 else ((blocks - 1) * block + 1) * per_block
        extents.append((repeats - 1) * repeat * per_block + once)
    return max(extents)


def _known(argument: object) -> Optional[int]:
    value = expr.known(argument) if isinstance(argument, Expr) else None
    return value if isinstance(value, int) else None
