"""Whether iterations of a loop keep away from each other in global memory, so that they may overlap unasked."""

from __future__ import annotations

from typing import Optional

from ..lower import expr
from ..lower.expr import Expr
from ..lower.program import For, GlobalRef, instructions
from .access import accesses_of
from .changes import LoopChanges, runs_unknown_code
from .linear import linear

_WRAPS = 1 << 31  # arithmetic of 32 bits does not reach further


def are_iterations_apart(loop: For) -> bool:
    """Whether it is certain that no iteration touches global memory that another one writes.

    Different pointers are taken to lead to different memory.
    """
    if runs_unknown_code(loop):
        return False
    touched: dict[object, list[GlobalRef]] = {}
    for instruction in instructions(loop.body):
        accessed = [access.operand for access in accesses_of(instruction) if isinstance(access.operand, GlobalRef)]
        if len(accessed) < sum(isinstance(argument, GlobalRef) for argument in instruction.args):
            return False  # the row does not say what is done with one
        for operand in accessed:
            touched.setdefault(operand.buffer.root, []).append(operand)
    changes = LoopChanges(loop)
    return all(_are_apart(loop, changes, touched[root]) for root in changes.roots)


def _are_apart(loop: For, changes: LoopChanges, operands: list[GlobalRef]) -> bool:
    """Whether the boxes of different iterations are apart in some dimension of one tensor."""
    first = operands[0]
    if first.extent is None or not changes.is_fixed(first.buffer.address):
        return False
    # Another view of the same memory may have other strides.
    alike = all(operand.extent is not None and operand.buffer is first.buffer for operand in operands)
    return alike and any(
        _is_apart_along(loop, changes, [operand.extent[axis] for operand in operands if operand.extent is not None])
        for axis in range(len(first.extent))
    )


def _is_apart_along(loop: For, changes: LoopChanges, ranges: list[tuple[Expr, int]]) -> bool:
    """Whether an iteration goes on at least as far as it touches: starts are ``factor * index + base + constant``."""
    index = expr.var(loop.index)
    common: Optional[dict[Expr, int]] = None
    begins, ends = [], []
    for start, extent in ranges:
        terms, constant = linear(start)
        if common is not None and terms != common:
            return False
        common = terms
        begins.append(constant)
        ends.append(constant + extent)
    assert common is not None
    factor = abs(common.get(index, 0))
    fixed = all(changes.is_fixed(term) for term in common if term != index)
    return fixed and 0 < factor < _WRAPS and max(ends) - min(begins) <= factor
