"""Remove what nobody needs: nodes without users, stores of nothing, and values carried around loops for nothing."""

from __future__ import annotations

from ..graph.graph import LOOPS, Node, Operand, Region, TileGraph
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
            is_loop = node.op in LOOPS
            if is_loop and len(node.regions) > 1 and _is_live(node, used):
                _need(node.regions[1].yields[0], used)
                _mark(node.regions[1], used)
            for inner in node.regions[:1] if is_loop else node.regions:
                for position, value in enumerate(inner.yields):
                    if _is_carried(node, position, used):
                        _need(value, used)
                _mark(inner, used)
            if _is_live(node, used):
                first = LOOPS[node.op][0] if is_loop else len(node.operands)
                for operand in node.operands[:first]:
                    _need(operand, used)
                for position, operand in enumerate(node.operands[first:]):
                    if _is_carried(node, position, used):
                        _need(operand, used)
        elif _is_live(node, used):
            for operand in node.operands:
                _need(operand, used)


def _is_carried(node: Node, position: int, used: set[Value]) -> bool:
    """Whether result ``position`` of a branch or loop is needed, or the next iteration needs it."""
    if node.results[position] in used:
        return True
    return node.op in LOOPS and node.regions[0].params[LOOPS[node.op][1] + position] in used


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
    operation = OPERATIONS[node.op]
    return not operation.pure and not operation.is_idle(node)


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
    keep = [position for position in range(len(node.results)) if _is_carried(node, position, used)]
    if len(keep) == len(node.results):
        return False
    node.results = tuple(node.results[position] for position in keep)
    if node.op not in LOOPS:
        for region in node.regions:
            region.yields = [region.yields[position] for position in keep]
        return True
    operands, params = LOOPS[node.op]
    node.operands = (*node.operands[:operands], *(node.operands[operands + position] for position in keep))
    node.regions[0].yields = [node.regions[0].yields[position] for position in keep]
    for region in node.regions:
        region.params = [*region.params[:params], *(region.params[params + position] for position in keep)]
    return True
