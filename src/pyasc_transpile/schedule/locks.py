"""Buffer locks: pipes that hand memory to each other in turn, iteration after iteration.

A flag from the producer of a tile to its consumer needs another one back, which is primed before the loop and drained
behind it.  A lock says both: who takes it comes after all that held it before, in program order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional

from ..lower.expr import Block
from ..lower.instructions import Pipe
from ..lower.program import Loop
from .edges import Group

#: The pipes of a vector core that can hold a lock.
LOCKING = frozenset((Pipe.MTE2, Pipe.V, Pipe.MTE3))


@dataclass(frozen=True)
class Turn:
    """A pipe that holds a lock from one statement of a block to another (inclusive)."""

    pipe: Pipe
    first: int
    last: int


@dataclass(eq=False)
class Lock:
    """A buffer id (with slots, as many) that pipes hold one after another, in place of ``groups``."""

    groups: list[Group]
    turns: list[Turn]
    number: int = -1

    @property
    def block(self) -> Block:
        return self.groups[0].block

    @property
    def slots(self) -> int:
        return self.groups[0].slots

    @property
    def loop(self) -> Optional[Loop]:
        return next((group.loop for group in self.groups if group.loop is not None), None)


def find_locks(groups: Iterable[Group]) -> list[Lock]:
    """The locks that cost less than the flags in whose place they stand.

    That is so for a flag to a later iteration together with those that lead from its target back to its source: a lock
    takes two instructions for each of the flags too, but none outside of the loop.  As many rounds as possible are
    closed first; then each takes in what further flags it can, for these need no event ids then.
    """
    flags = [group for group in groups if {group.source, group.target} <= LOCKING and group.source is not group.target]
    free = [group for group in flags if not group.distance and not group.closed]
    ways: dict[Group, list[Group]] = {}
    for longest in (False, True):
        for back in flags:
            if back.distance != back.slots or (longest and back not in ways):
                continue
            free += ways.get(back, [])
            way = _way(back, free, longest)
            if way is not None:
                ways[back] = way
                free = [group for group in free if group not in way]
    return [Lock([back, *way], _turns(way, back.wait, back.set)) for back, way in ways.items()]


def find_chains(groups: Iterable[Group]) -> list[Lock]:
    """Locks in place of any flags, each for as many as stand one behind the other. They order both directions."""
    locks = []
    forward = []
    for group in groups:
        if group.distance:
            turns = [Turn(group.source, group.set, group.set), Turn(group.target, group.wait, group.wait)]
            locks.append(Lock([group], turns))
        else:
            forward.append(group)
    while forward:
        way = max(_ways(forward).values(), key=len)
        forward = [group for group in forward if group not in way]
        locks.append(Lock(way, _turns(way, way[0].set, way[-1].wait)))
    return locks


def _way(back: Group, forward: list[Group], longest: bool) -> Optional[list[Group]]:
    """Flags, one behind the other, from the target of ``back`` to its source in the same iteration, or None."""
    usable = [group for group in forward if group.block is back.block and group.slots == back.slots]
    ways = [
        way
        for last, way in _ways(usable, back, longest).items()
        if last.target is back.source and last.wait <= back.set
    ]
    return (max if longest else min)(ways, key=len, default=None)


def _ways(flags: list[Group], back: Optional[Group] = None, longest: bool = True) -> dict[Group, list[Group]]:
    """For every flag, flags of its block that lead to it one behind another: any, or from where ``back`` ends."""
    choose = max if longest else min
    ways: dict[Group, list[Group]] = {}
    for group in sorted(flags, key=lambda group: (group.set, group.wait)):
        before = [
            way
            for last, way in ways.items()
            if last.target is group.source
            and last.wait <= group.set
            and last.block is group.block
            and last.slots == group.slots
        ]
        if back is None or (group.source is back.target and back.wait <= group.set):
            before.append([])
        if before:
            ways[group] = [*choose(before, key=len), group]
    return ways


def _turns(way: list[Group], first: int, last: int) -> list[Turn]:
    """The pipes along ``way``, the first from one statement on, the last until another."""
    turns = []
    for group in way:
        turns.append(Turn(group.source, first, group.set))
        first = group.wait
    return [*turns, Turn(way[-1].target, first, last)]
