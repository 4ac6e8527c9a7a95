"""A layered layout: boxes in rows so that edges point down, with few crossings and no edge through a box."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Sequence

GAP_X, GAP_Y = 22.0, 30.0
SWEEPS = 6


@dataclass(eq=False)
class Box:
    """Something to place. ``x`` and ``y`` are of its upper left corner, set by :func:`arrange`."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    layer: int = 0
    order: float = 0.0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(eq=False)
class Bend(Box):
    """A place that an edge keeps free in a row that it passes."""


@dataclass(eq=False)
class Edge:
    """From the lower side of one box to the upper side of another; ``bends`` are the points between."""

    source: Box
    target: Box
    bends: list[Bend] = field(default_factory=list)

    def points(self) -> list[tuple[float, float]]:
        """Where the edge runs."""
        points = [(self.source.middle, self.source.y + self.source.height)]
        for bend in self.bends:
            points += [(bend.middle, bend.y), (bend.middle, bend.y + bend.height)]
        return [*points, (self.target.middle, self.target.y - 1)]


def arrange(boxes: Sequence[Box], edges: Sequence[Edge]) -> tuple[float, float]:
    """Place boxes, given in an order in which edges point forward; returns width and height of the whole."""
    if not boxes:
        return 0.0, 0.0
    _assign_layers(boxes, edges)
    rows: list[list[Box]] = [[] for _ in range(max(box.layer for box in boxes) + 1)]
    for box in boxes:
        rows[box.layer].append(box)
    above: dict[Box, list[Box]] = {}
    below: dict[Box, list[Box]] = {}
    for edge in edges:
        chain: list[Box] = [edge.source]
        for layer in range(edge.source.layer + 1, edge.target.layer):
            bend = Bend(8.0, 1.0, layer=layer)
            rows[layer].append(bend)
            edge.bends.append(bend)
            chain.append(bend)
        chain.append(edge.target)
        for first, second in zip(chain, chain[1:]):
            below.setdefault(first, []).append(second)
            above.setdefault(second, []).append(first)
    _order(rows, above, below)
    _place(rows, above, below)
    return _finish(rows)


def _assign_layers(boxes: Sequence[Box], edges: Sequence[Edge]) -> None:
    """The longest way from the top; sources then move down next to their first user."""
    into: dict[Box, list[Box]] = {}
    out: dict[Box, list[Box]] = {}
    for edge in edges:
        into.setdefault(edge.target, []).append(edge.source)
        out.setdefault(edge.source, []).append(edge.target)
    for box in boxes:
        box.layer = max((source.layer + 1 for source in into.get(box, ())), default=0)
    for box in reversed(boxes):
        if box not in into and box in out:
            box.layer = min(target.layer for target in out[box]) - 1


def _order(rows: list[list[Box]], above: dict[Box, list[Box]], below: dict[Box, list[Box]]) -> None:
    for row in rows:
        for position, box in enumerate(row):
            box.order = position
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else reversed(rows):
            near = above if down else below
            weights = {box: _mean([other.order for other in near.get(box, ())], box.order) for box in row}
            row.sort(key=lambda box: weights[box])
            for position, box in enumerate(row):
                box.order = position


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _place(rows: list[list[Box]], above: dict[Box, list[Box]], below: dict[Box, list[Box]]) -> None:
    """Boxes move towards their neighbours, keeping their order and distance."""
    for row in rows:
        x = 0.0
        for box in row:
            box.x = x
            x += box.width + GAP_X
    for sweep in range(SWEEPS + 2):
        down = sweep % 2 == 0
        near = above if down else below
        for row in rows if down else reversed(rows):
            _settle(row, [_wish(box, near.get(box, ())) for box in row])


def _wish(box: Box, neighbours: Sequence[Box]) -> Optional[float]:
    return _mean([other.middle for other in neighbours], 0.0) - box.width / 2 if neighbours else None


def _settle(row: list[Box], wishes: list[Optional[float]]) -> None:
    """Positions near the wishes without overlap: the mean of packing from the left and from the right."""
    wanted = [box.x if wish is None else wish for box, wish in zip(row, wishes)]
    left, right = list(wanted), list(wanted)
    for at in range(1, len(row)):
        left[at] = max(left[at], left[at - 1] + row[at - 1].width + GAP_X)
    for at in range(len(row) - 2, -1, -1):
        right[at] = min(right[at], right[at + 1] - row[at].width - GAP_X)
    for box, a, b in zip(row, left, right):
        box.x = (a + b) / 2


def _finish(rows: list[list[Box]]) -> tuple[float, float]:
    shift = min(box.x for row in rows for box in row)
    y = 0.0
    for row in rows:
        height = max(box.height for box in row)
        for box in row:
            box.x -= shift
            box.y = y
            if isinstance(box, Bend):
                box.height = height  # beside the boxes of the row the edge runs straight
        y += height + GAP_Y
    return max(box.x + box.width for row in rows for box in row), y - GAP_Y
