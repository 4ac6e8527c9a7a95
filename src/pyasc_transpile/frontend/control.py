"""Run-time branches: ``if`` nodes, and what they do to names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

from ..errors import CodegenError, Span
from ..graph.graph import Region
from ..graph.values import Value
from ..ops import scalars
from . import merging
from .merging import BranchMerge, Unmergeable, describe
from .scopes import Place, PlaceKey, Snapshot, Undefined

if TYPE_CHECKING:
    from .walker import Walker


class Signal(NamedTuple):
    """A statement that leaves the block it stands in: return, break or continue."""

    kind: str
    node: ast.AST
    value: Any = None


def branch(
    walker: Walker,
    condition: Value,
    ways: Sequence[Callable[[], Any]],
    node: ast.AST,
    what: str = "'if'",
    span: Optional[Span] = None,
    settle: Optional[Callable[[], None]] = None,
) -> Any:
    """Walk two ways of which one runs on the device; returns what the ways return, merged.

    Args:
        walker: the walker.
        condition: int1 scalar.
        ways: two functions that walk a way; each may return a value.
        node: the branch, for its place.
        what: what the branch is called in messages.
        span: place of the statement that the branch belongs to.
        settle: called when both ways are walked; what it raises undoes them.

    Raises:
        CodegenError: the values returned cannot become one.
    """
    scope = walker.frame.scope
    before = Snapshot(scope)
    stored = [set(tracker.stored) for tracker in walker.trackers]
    regions: list[Region] = []
    results: list[Any] = []
    states: list[Snapshot] = []
    stores: list[list[set[PlaceKey]]] = []
    for way in ways:
        before.restore()
        for tracker, kept in zip(walker.trackers, stored):
            tracker.stored = set(kept)
        with walker.builder.region() as region:
            results.append(way())
            states.append(Snapshot(scope))
        regions.append(region)
        stores.append([tracker.stored for tracker in walker.trackers])
        check_sizes(before, states[-1], what)
    before.restore()
    walker.builder.span = span or walker.builder.span
    if settle is not None:
        for tracker, kept in zip(walker.trackers, stored):
            tracker.stored = set(kept)
        settle()
    for tracker, then_stored, else_stored in zip(walker.trackers, *stores):
        tracker.stored = then_stored & else_stored
    merge = BranchMerge()
    templates = _merge_places(walker, merge, before, states, f"the run-time {what} at line {walker.line(node)}")
    try:
        result = merge.add(results[0], results[1], "")
    except Unmergeable as error:
        one, other = error.values
        raise CodegenError(
            f"the two sides of the run-time {what} are {describe(one)} and {describe(other)}",
            remedy=merging.mismatch_reason(one, other),
        ) from None
    values = _emit(walker, condition, merge, regions)
    for place, template in templates:
        place.set(merge.fill(template, values))
    return merge.fill(result, values)


def _emit(walker: Walker, condition: Value, merge: BranchMerge, regions: list[Region]) -> list[Value]:
    """Append the branch; returns what each pair of values became."""
    truths = [pair[0] if all(isinstance(side, bool) for side in pair) else None for pair in merge.pairs]
    kept = [index for index, truth in enumerate(truths) if truth is None]
    types = [merge.types[index] for index in kept]
    for region, side in zip(regions, (0, 1)):
        with Reopened(walker, region):
            region.yields = [merging.convert(merge.pairs[index][side], merge.types[index]) for index in kept]
    results = iter(walker.builder.emit("if", [condition], types, None, regions).results)
    values: list[Value] = []
    for truth, name in zip(truths, merge.names):
        if truth is None:
            value = next(results)
            value.name = name
        else:  # True on one way, False on the other: the condition itself
            value = condition if truth else scalars.logical_not(condition)
            value.name = value.name or name
        values.append(value)
    return values


class Reopened:
    """Make a closed region the innermost one again, to append conversions to it."""

    def __init__(self, walker: Walker, region: Region) -> None:
        self._open = walker.builder._open
        self._region = region

    def __enter__(self) -> None:
        self._open.append(self._region)

    def __exit__(self, *_: Any) -> None:
        self._open.pop()


def _merge_places(
    walker: Walker, merge: BranchMerge, before: Snapshot, states: list[Snapshot], where: str
) -> list[tuple[Place, Any]]:
    missing = object()
    merged: list[tuple[Place, Any]] = []
    keys = list(dict.fromkeys([*before.values, *states[0].values, *states[1].values]))
    for key in keys:
        old, one, other = (state.values.get(key, missing) for state in (before, *states))
        if one is old and other is old:
            continue
        place = next(state.places[key] for state in (before, *states) if key in state.places)
        if key[0] != "name" and (old is missing or not all(state.reaches(place) for state in states)):
            continue  # part of an object made inside the branch, or of one that a way has replaced
        if one is missing or other is missing or isinstance(one, Undefined) or isinstance(other, Undefined):
            merged.append((place, _half_defined(place, where, one, other, missing)))
            continue
        count = len(merge.pairs)
        try:
            template = merge.add(one, other, place.identifier)
        except Unmergeable as error:
            merge.rollback(count)
            message = (
                f"{place.label!r} is {describe(error.values[0])} or {describe(error.values[1])} after {where}; "
                f"{merging.mismatch_reason(*error.values)}"
            )
            template = Undefined(message, "use different names for different things, or decide with a ConstExpr")
        else:
            if (one is old or other is old) and key[0] == "name":
                walker.note_read(key)
        merged.append((place, template))
    return merged


def _half_defined(place: Place, where: str, one: Any, other: Any, missing: object) -> Undefined:
    for value in (one, other):
        if isinstance(value, Undefined):
            return value
    verb = "deleted" if one is missing and other is missing else "assigned on only one way through"
    return Undefined(f"{place.label!r} is {verb} {where}", f"give {place.label!r} a value before it, or on both ways")


def check_sizes(before: Snapshot, after: Snapshot, what: str) -> None:
    label = before.resized(after)
    if label is not None:
        raise CodegenError(
            f"{label!r} gets more or fewer items inside of a run-time {what}, but its size is fixed at compile time",
            remedy="use asctile.static_range or a compile-time condition, or assign to existing items",
        )


def check_visibility(body: Region, params: Sequence[Value]) -> None:
    """Raise if a value made in a run-time branch or loop is used outside of it.

    That happens only where walked code keeps a value in something that is not watched, such as a module-level list.

    Raises:
        CodegenError: at the place of the use.
    """
    visible = set(params)

    def check(region: Region) -> None:
        made = list(region.params)
        visible.update(made)
        for node in region.nodes:
            for operand in node.operands:
                if isinstance(operand, Value) and operand not in visible:
                    where = f" at line {operand.span.line}" if operand.span else ""
                    raise CodegenError(
                        f"{operand.name or 'a value'!r} was made inside of a run-time branch or loop{where} and is "
                        "used outside of it",
                        span=node.span,
                        remedy="keep it in a local name, list or dict instead of an object shared between functions",
                    )
            for inner in node.regions:
                check(inner)
            made.extend(node.results)
            visible.update(node.results)
        visible.difference_update(made)

    check(body)
