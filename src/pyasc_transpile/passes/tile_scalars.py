"""Scalars that come from a reduction and go only into tiles stay in a tile of one element.

The scalar unit then has no part in them: it need not wait for the vector unit before it starts the next transfers.
Arithmetic between the reduction and the tile becomes instructions on one element, with the same roundings.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..graph.dtypes import float16, float32, int32
from ..graph.graph import Node, Operand, Region, TileGraph
from ..graph.types import ScalarType, TileType
from ..graph.values import LocalTensor, Value, make_value
from ..ops.reductions import REDUCTION_ROWS

_SOURCES = frozenset(row.name for row in REDUCTION_ROWS)
_ELEMENTS = (float16, float32, int32)
#: Scalar operations on float32 and the operations on tiles that give the same bits.
_ARITHMETIC: Mapping[str, str] = {
    "scalar.add": "add", "scalar.sub": "sub", "scalar.mul": "mul", "scalar.div": "div", "scalar.negative": "negative",
    "scalar.sqrt": "sqrt", "scalar.exp": "exp",
}  # fmt: skip
_TAKERS = frozenset(("add", "sub", "mul", "div", "maximum", "minimum"))


def keep_in_tiles(graph: TileGraph) -> None:
    """Turn such scalars into tiles, in place."""
    users: dict[Value, list[object]] = {}
    _collect(graph.body, users)
    _turn(graph.body, users)


def _collect(region: Region, users: dict[Value, list[object]]) -> None:
    """The nodes that use each value; the region itself for one that leaves it."""
    for node in region.nodes:
        for operand in node.operands:
            if isinstance(operand, Value):
                users.setdefault(operand, []).append(node)
        for inner in node.regions:
            _collect(inner, users)
    for value in region.yields:
        if isinstance(value, Value):
            users.setdefault(value, []).append(region)


def _turn(region: Region, users: dict[Value, list[object]]) -> None:
    made: dict[Value, Node] = {}  # scalars that may become tiles
    for node in region.nodes:
        for inner in node.regions:
            _turn(inner, users)
        if _is_source(node) or (_is_arithmetic(node) and any(operand in made for operand in _values(node))):
            made[node.result] = node
    nodes = set(region.nodes)
    while refused := [value for value, node in made.items() if not _may_stay(value, node, made, nodes, users)]:
        for value in refused:
            del made[value]
    tiles = {value: make_value(TileType(value.dtype, (1,)), value.name, value.span) for value in made}
    for node in region.nodes:
        _replace(node, tiles)


def _values(node: Node) -> list[Value]:
    return [operand for operand in node.operands if isinstance(operand, Value)]


def _is_source(node: Node) -> bool:
    if node.op not in _SOURCES or not isinstance(node.result.type, ScalarType):
        return False
    return node.result.dtype in _ELEMENTS


def _is_arithmetic(node: Node) -> bool:
    return node.op in _ARITHMETIC and node.result.dtype == float32


def _may_stay(
    value: Value, node: Node, made: dict[Value, Node], nodes: set[Node], users: dict[Value, list[object]]
) -> bool:
    """Whether a value still comes from a tile, and all that use it can take a tile."""
    if not _is_source(node) and not any(operand in made for operand in _values(node)):
        return False
    return all(isinstance(user, Node) and user in nodes and _takes(user, value, made) for user in users.get(value, ()))


def _takes(user: Node, value: Value, made: dict[Value, Node]) -> bool:
    if user.results and user.results[0] in made:
        return True
    if user.op == "full":
        return user.result.dtype == value.dtype
    beside = any(isinstance(operand, LocalTensor) and operand.dtype == value.dtype for operand in user.operands)
    return user.op in _TAKERS and beside


def _replace(node: Node, tiles: Mapping[Value, Value]) -> None:
    def tile_of(operand: Operand) -> Operand:
        return tiles.get(operand, operand) if isinstance(operand, Value) else operand

    if node.op == "full" and node.operands[0] in tiles:
        node.op = "broadcast_to"
    elif len(node.results) == 1 and node.result in tiles:
        node.op, node.results = _ARITHMETIC.get(node.op, node.op), (tiles[node.result],)
    node.operands = tuple(tile_of(operand) for operand in node.operands)
