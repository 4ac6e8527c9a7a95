"""Remove what nobody needs: nodes without users, and values carried around loops for nothing."""

from __future__ import annotations

from ..graph.graph import Node, Operand, Region, TileGraph
from ..graph.values import Value
from ..ops import OPERATIONS


def remove_dead_code(graph: TileGraph) -> None:
    """Drop pure nodes whose results are unused, empty branches and loops, and dead carried values, in place."""
    while True:
        used: set[Value] = set()
        _collect(graph.body, used)
        if not _sweep(graph.body, used):
            return


def _collect(region: Region, used: set[Value]) -> None:
    """Values needed by nodes with effects, by what those need, and so on; loops keep what a next iteration needs."""
    needed_changed = True
    while needed_changed:
        before = len(used)
        _mark(region, used)
        needed_changed = len(used) != before


def _mark(region: Region, used: set[Value]) -> None:
    for node in reversed(region.nodes):
        if node.regions:
            for inner in node.regions:
                for position, value in enumerate(inner.yields):
                    param = inner.params[position + 1] if node.op == "for" else None
                    if node.results[position] in used or (param is not None and param in used):
                        _need(value, used)
                _mark(inner, used)
            if _is_live(node, used):
                fixed = node.operands[:3] if node.op == "for" else node.operands
                for operand in fixed:
                    _need(operand, used)
                if node.op == "for":
                    for position, operand in enumerate(node.operands[3:]):
                        if node.results[position] in used or node.regions[0].params[position + 1] in used:
                            _need(operand, used)
        elif _is_live(node, used):
            for operand in node.operands:
                _need(operand, used)


def _need(operand: Operand, used: set[Value]) -> None:
    if isinstance(operand, Value):
        used.add(operand)


def _is_live(node: Node, used: set[Value]) -> bool:
    if any(result in used for result in node.results):
        return True
    if node.regions:
        return any(_is_live(inner, used) for region in node.regions for inner in region.nodes)
    if node.op.startswith("scalar."):
        return False
    return not OPERATIONS[node.op].pure


def _sweep(region: Region, used: set[Value]) -> bool:
    changed = False
    kept = []
    for node in region.nodes:
        if not _is_live(node, used):
            changed = True
            continue
        for inner in node.regions:
            changed = _sweep(inner, used) or changed
        if node.regions:
            changed = _drop_results(node, used) or changed
        kept.append(node)
    region.nodes[:] = kept
    return changed


def _drop_results(node: Node, used: set[Value]) -> bool:
    """Remove results that nobody reads, with their carried values."""
    is_loop = node.op == "for"
    keep = [
        position
        for position, result in enumerate(node.results)
        if result in used or (is_loop and node.regions[0].params[position + 1] in used)
    ]
    if len(keep) == len(node.results):
        return False
    node.results = tuple(node.results[position] for position in keep)
    for region in node.regions:
        region.yields = [region.yields[position] for position in keep]
        if is_loop:
            region.params = [region.params[0], *(region.params[position + 1] for position in keep)]
    if is_loop:
        node.operands = (*node.operands[:3], *(node.operands[position + 3] for position in keep))
    return True
