"""Orders between pipes that dependences ask for, and which of them others imply."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Iterable, Optional

from ..lower.expr import Block
from ..lower.instructions import Pipe
from ..lower.program import Loop


@dataclass(eq=False)
class Edge:
    """An order between two pipes inside of a block.

    ``target`` (from statement ``wait`` on, ``distance`` iterations later) starts after ``source`` has finished
    statement ``set``.
    """

    source: Pipe
    target: Pipe
    set: int
    wait: int
    distance: int = 0
    slots: int = 1
    through_global: bool = False  # only global memory connects the two

    @property
    def is_barrier(self) -> bool:
        return self.source is self.target


def undominated(edges: Iterable[Edge], branches: set[int]) -> list[Edge]:
    """Edges without those that another one between the same pipes makes superfluous: set later and awaited earlier.

    One from a branch (a statement in ``branches``) may be met inside of it, and then says nothing about what is before.
    """
    kept: list[Edge] = []
    latest: dict[tuple[Pipe, Pipe, int], int] = {}
    for edge in sorted(edges, key=lambda e: (e.wait, -e.set)):
        key = (edge.source, edge.target, edge.distance)
        if edge.set > latest.get(key, -1):
            kept.append(edge)
            if edge.set not in branches:
                latest[key] = edge.set
    return kept


@dataclass(eq=False)
class Group:
    """Edges served by one flag (or barrier), in the block where it stands."""

    block: Block
    source: Pipe
    target: Pipe
    set: int
    wait: int
    distance: int
    slots: int
    loop: Optional[Loop] = None
    event: int = -1
    closed: bool = False
    everything: bool = False  # spilled: a barrier on all pipes


class EdgeIndex:
    """Edges of a block, found by where they can help to imply another one."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._keys: list[int] = []
        self._forward: list[Edge] = []
        self._all: list[Edge] = []
        for edge in edges:
            self.add(edge)

    def add(self, edge: Edge) -> None:
        self._all.append(edge)
        if not edge.distance:
            # What a flag says is known from its set on, what a barrier says just before the statement behind it.
            key = edge.wait - 1 if edge.is_barrier else edge.set
            at = bisect_left(self._keys, key)
            self._keys.insert(at, key)
            self._forward.insert(at, edge)

    def useful(self, edge: Edge) -> list[Edge]:
        """Edges that may be part of a chain that implies ``edge``."""
        if edge.distance:
            return self._all
        low, high = bisect_left(self._keys, edge.set), bisect_left(self._keys, edge.wait)
        return [other for other in self._forward[low:high] if other.wait <= edge.wait]


# --- implication ------------------------------------------------------------------------------------------------------


def is_implied(edge: Edge, edges: list[Edge]) -> bool:
    """Whether ``edges`` already order the ends of ``edge``.

    ``known[pipe]`` is the earliest (iteration, statement) from which on the pipe runs after the source of ``edge``.
    A flag set behind that point passes the knowledge on.
    """
    goal = (edge.distance, edge.wait)
    known: dict[Pipe, tuple[int, int]] = {}
    changed = True
    while changed:
        changed = False
        for other in edges:
            reached = _reached(edge, other, known)
            if reached is not None and (other.target not in known or reached < known[other.target]):
                known[other.target] = reached
                changed = True
        if edge.target in known and known[edge.target] <= goal:
            return True
    return False


def _reached(edge: Edge, other: Edge, known: dict[Pipe, tuple[int, int]]) -> Optional[tuple[int, int]]:
    """The point from which ``other.target`` knows of the source of ``edge`` through ``other``, or None."""
    if other.source is edge.source:
        # The source's own pipe: a set at or behind the source statement fires after it.
        iteration = 0 if other.set >= edge.set else 1
        if other.is_barrier:
            iteration = 0 if other.wait > edge.set else 1
        if not iteration:
            return (other.distance, other.wait) if not other.is_barrier else (0, other.wait)
        if edge.distance:
            return (1 + other.distance, other.wait) if not other.is_barrier else (1, other.wait)
    start = known.get(other.source)
    if start is None:
        return None
    iteration, statement = start
    if other.set < statement:
        if not edge.distance:
            return None
        iteration += 1
    return (iteration + other.distance, other.wait)
