"""Groups of operations for which there is something better with exactly the same result: a table, and its matcher.

A pattern is a name, a number or :class:`Made`.  A name stands for any operand, and for the same one wherever it
occurs; a number for that number; ``Made`` for the result of one of some operations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable, Optional, Union

import numpy as np

from ..graph.constants import unnamed
from ..graph.graph import Node, Operand, Region, TileGraph, walk
from ..graph.values import LocalTensor, Value
from ..ops.fused import ADD_RELU, LEAKY_RELU, SUB_RELU

Bound = dict[str, Operand]


@dataclass(frozen=True)
class Made:
    """The result of a node.

    Attributes:
        ops: the operations that it may be of, separated by spaces.
        operands: patterns of its operands.
        swaps: whether the two operands may change places.
    """

    ops: str
    operands: tuple[Union[str, float, Made], ...]
    swaps: bool = False


@dataclass(frozen=True)
class Uses:
    """Who makes and who uses values.

    Attributes:
        makers: the node of each value.
        count: how many operands and yields each value is.
    """

    makers: dict[Value, Node] = field(default_factory=dict)
    count: dict[Operand, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """One replacement.

    Attributes:
        pattern: what is replaced.
        allowed: whether it is exact and worth it: gets the node, what the names stand for, and who uses what.
        op: the operation that replaces it; empty: that of the node.
        operands: names of its operands.
    """

    pattern: Made
    allowed: Callable[[Node, Bound, Uses], bool]
    op: str
    operands: tuple[str, ...]


def rewrite(graph: TileGraph) -> None:
    """Apply the table wherever it fits, in place; nodes that become unused stay (see :mod:`.dead_code`)."""
    uses = Uses()
    _count(graph.body, uses)
    for node in walk(graph.body):
        while any(_apply(row, node, uses) for row in ROWS):
            pass


def _count(region: Region, uses: Uses) -> None:
    for value in region.yields:
        _used(value, uses, 1)
    for node in region.nodes:
        for result in node.results:
            uses.makers[result] = node
        for operand in node.operands:
            _used(operand, uses, 1)
        for inner in node.regions:
            _count(inner, uses)


def _used(operand: Operand, uses: Uses, change: int) -> None:
    if isinstance(operand, Value):
        uses.count[operand] = uses.count.get(operand, 0) + change


def _apply(row: Row, node: Node, uses: Uses) -> bool:
    bound = _match(row.pattern, node, uses, {})
    if bound is None or not row.allowed(node, bound, uses):
        return False
    for operand in node.operands:
        _used(operand, uses, -1)
    node.op, node.operands, node.attrs = row.op or node.op, tuple(bound[name] for name in row.operands), {}
    for operand in node.operands:
        _used(operand, uses, 1)
    return True


def _match(pattern: Made, node: Node, uses: Uses, bound: Bound) -> Optional[Bound]:
    """What the names of the pattern stand for, on top of ``bound``; None if the node is something else."""
    if node.op not in pattern.ops.split() or len(node.operands) != len(pattern.operands):
        return None
    orders = (node.operands, node.operands[::-1]) if pattern.swaps else (node.operands,)
    for order in orders:
        found: Optional[Bound] = dict(bound)
        for part, operand in zip(pattern.operands, order):
            found = _match_operand(part, operand, uses, found) if found is not None else None
        if found is not None:
            return found
    return None


def _match_operand(part: Union[str, float, Made], operand: Operand, uses: Uses, bound: Bound) -> Optional[Bound]:
    if isinstance(part, Made):
        maker = uses.makers.get(operand) if isinstance(operand, Value) else None
        return _match(part, maker, uses, bound) if maker is not None else None
    if not isinstance(part, str):
        return bound if not isinstance(operand, Value) and operand == part else None
    if part in bound:
        return bound if _same(bound[part], operand) else None
    return {**bound, part: operand}


def _same(a: Operand, b: Operand) -> bool:
    if isinstance(a, Value) or isinstance(b, Value):  # whose comparison would be a node
        return a is b
    return bool(unnamed(a) == unnamed(b))


# --- x where it is not negative, x * slope where it is ----------------------------------------------------------------
# The instruction gives x for x >= 0 and x * slope otherwise, NaN included, and rounds the product as Muls does.


def _leaky(slopes: Optional[Callable[[float], bool]]) -> Callable[[Node, Bound, Uses], bool]:
    """Whether the instruction takes the tile, and the slope, as the tile's type holds it, is one of ``slopes``.

    None: every slope will do, also one known only at run time.
    """

    def allowed(node: Node, bound: Bound, uses: Uses) -> bool:
        tile, slope, result = bound["x"], bound["a"], node.result
        if not isinstance(tile, LocalTensor) or not isinstance(result, LocalTensor) or tile.type != result.type:
            return False
        if tile.dtype not in LEAKY_RELU.dtypes["c220"] or isinstance(slope, LocalTensor):
            return False
        if slopes is None:
            return True
        with np.errstate(over="ignore"):
            return not isinstance(slope, Value) and slopes(float(np.dtype(tile.dtype.name).type(unnamed(slope))))

    return allowed


def _keeps_zero(slope: float) -> bool:
    """``x * slope`` is x for both zeros."""
    return slope >= 0 and math.isfinite(slope) and math.copysign(1, slope) > 0


_SCALED = Made("mul", ("x", "a"), swaps=True)
_LEAKY: tuple[tuple[Made, Optional[Callable[[float], bool]]], ...] = (
    (Made("where", (Made("greater_equal", ("x", 0)), "x", _SCALED)), None),
    (Made("where", (Made("less", ("x", 0)), _SCALED, "x")), None),
    (Made("where", (Made("greater", ("x", 0)), "x", _SCALED)), _keeps_zero),
    (Made("where", (Made("less_equal", ("x", 0)), _SCALED, "x")), _keeps_zero),
    (Made("maximum", ("x", _SCALED), swaps=True), lambda slope: 0 < slope <= 1),
    (Made("minimum", ("x", _SCALED), swaps=True), lambda slope: 1 <= slope < math.inf),
)

# --- a tile repeated for one instruction, which can repeat it itself --------------------------------------------------


def _is_repeated_once(node: Node, bound: Bound, uses: Uses) -> bool:
    wide, result = bound["x"], node.result
    if not isinstance(wide, LocalTensor) or not isinstance(result, LocalTensor) or wide.shape != result.shape:
        return False
    repeated = next(operand for operand in node.operands if operand is not wide)
    return isinstance(repeated, Value) and uses.count[repeated] == 1


def _is_sum_of_tiles(node: Node, bound: Bound, uses: Uses) -> bool:
    (total,) = node.operands
    tiles = [operand for operand in bound.values() if isinstance(operand, LocalTensor)]
    same = [tile.type == node.result.type for tile in tiles] == [True, True]
    return same and uses.count[total] == 1 and node.result.dtype in ADD_RELU.dtypes["c220"]


_REPEATING = "add sub mul div maximum minimum"
_REPEATED = Made("broadcast_to", ("narrow",))

ROWS: tuple[Row, ...] = (
    *(Row(pattern, _leaky(slopes), LEAKY_RELU.name, ("x", "a")) for pattern, slopes in _LEAKY),
    Row(Made("relu", (Made("add", ("x", "y")),)), _is_sum_of_tiles, ADD_RELU.name, ("x", "y")),
    Row(Made("relu", (Made("sub", ("x", "y")),)), _is_sum_of_tiles, SUB_RELU.name, ("x", "y")),
    Row(Made(_REPEATING, ("x", _REPEATED)), _is_repeated_once, "", ("x", "narrow")),
    Row(Made(_REPEATING, (_REPEATED, "x")), _is_repeated_once, "", ("narrow", "x")),
)

__all__ = ["ROWS", "Made", "Row", "rewrite"]
