"""Run-time control flow: ``if`` and ``for`` nodes, and what they do to names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional

from ..asctile.ranges import range as device_range
from ..errors import CodegenError, Span, UnsupportedSyntaxError
from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Operand, Region
from ..graph.types import ScalarType, Type
from ..graph.values import Value, make_value
from ..ops import scalars
from . import merging
from .merging import BranchMerge, Path, Unmergeable, describe
from .scopes import Place, PlaceKey, Snapshot, Tracker, Undefined

if TYPE_CHECKING:
    from .walker import Walker

_MAX_ATTEMPTS = 24


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
) -> Any:
    """Walk two ways of which one runs on the device; returns what the ways return, merged.

    Args:
        walker: the walker.
        condition: int1 scalar.
        ways: two functions that walk a way; each may return a value.
        node: the branch, for its place.
        what: what the branch is called in messages.
        span: place of the statement that the branch belongs to.

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
        _check_sizes(before, states[-1], what)
    before.restore()
    walker.builder.span = span or walker.builder.span
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
    for region, side in zip(regions, (0, 1)):
        with _Reopened(walker, region):
            region.yields = [merging.convert(pair[side], type_) for pair, type_ in zip(merge.pairs, merge.types)]
    emitted = walker.builder.emit("if", [condition], merge.types, None, regions)
    for value, name in zip(emitted.results, merge.names):
        value.name = name
    for place, template in templates:
        place.set(merge.fill(template, emitted.results))
    return merge.fill(result, emitted.results)


class _Reopened:
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
        if key[0] != "name" and old is missing:
            continue  # part of an object made inside the branch
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


def _check_sizes(before: Snapshot, after: Snapshot, what: str) -> None:
    label = before.resized(after)
    if label is not None:
        raise CodegenError(
            f"{label!r} gets more or fewer items inside of a run-time {what}, but its size is fixed at compile time",
            remedy="use asctile.static_range or a compile-time condition, or assign to existing items",
        )


def refuse_signal(walker: Walker, signal: Optional[Signal], what: str) -> None:
    """Raise if a statement inside of run-time control flow would leave it."""
    if signal is None:
        return
    word = signal.kind
    remedy = {
        "return": "assign the result to a name on every way and return it at the end",
        "break": "let the loop run on and guard the rest of its body with 'if'",
        "continue": "put the rest of the body under the opposite condition",
    }[word]
    walker.node = signal.node
    raise UnsupportedSyntaxError(f"'{word}' inside of a run-time {what} is not supported", remedy=remedy)


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


class _Leaf:
    """A part of a place that a loop carries."""

    __slots__ = ("param", "path", "place", "seeded", "type")

    def __init__(self, place: Place, path: Path, type_: Type, seeded: bool) -> None:
        self.place = place
        self.path = path
        self.type = type_
        self.seeded = seeded
        self.param: Optional[Value] = None

    @property
    def identifier(self) -> str:
        return "_".join([self.place.identifier, *map(str, self.path)])


class _Again(Exception):
    """The walk through the body taught something: the set of carried values, or their types, changed."""


class Loop:
    """One run-time ``for``.

    The body is walked with the carried values assumed so far (none of the constants at first, so that a constant that
    never changes stays one).  Whatever turns out to change is carried in the next walk, until nothing new is learned.
    """

    def __init__(self, walker: Walker, node: ast.For, bounds: device_range) -> None:
        self.walker = walker
        self.node = node
        self.bounds = bounds
        self.scope = walker.frame.scope
        self.before = Snapshot(self.scope)
        self.carried: dict[tuple[PlaceKey, Path], _Leaf] = {}
        self.hopeless: set[tuple[PlaceKey, Path]] = set()
        self.poison: dict[PlaceKey, tuple[Place, Undefined]] = {}

    def walk(self) -> None:
        """Walk the body until its carried values are known, and emit the loop."""
        self._seed()
        stored = [set(tracker.stored) for tracker in self.walker.trackers]
        span = self.walker.builder.span
        for _ in range(_MAX_ATTEMPTS):
            mark = self.walker.begin_attempt()
            try:
                region = self._attempt()
            except _Again:
                self.walker.drop_attempt(mark)
                continue
            except Exception:
                if not any(leaf.seeded for leaf in self.carried.values()):
                    raise
                self.walker.drop_attempt(mark)  # a guess may be to blame: once more without guesses
                self.carried = {key: leaf for key, leaf in self.carried.items() if not leaf.seeded}
                continue
            finally:
                self.walker.end_attempt()
                for tracker, kept in zip(self.walker.trackers, stored):
                    tracker.stored = set(kept)
            self.walker.builder.span = span
            self.walker.node = self.node
            self._emit(region)
            return
        raise CodegenError("the types of the values carried by this loop do not settle")

    def _seed(self) -> None:
        """Guess carried values: run-time values that the body assigns by name, and what an earlier walk found."""
        remembered = self.walker.loop_memory.get(self.node, {})
        assigned = self.walker.assigned_names(self.node)
        for key, value in self.before.values.items():
            place = self.before.places[key]
            for path, type_ in remembered.get(place.label, {}).items():
                natural = merging.natural_type(merging.leaf(value, path))
                if natural is not None and type(natural) is type(type_):
                    self._carry(place, path, merging.widen(type_, merging.leaf(value, path)) or natural, seeded=True)
            if key[0] == "name" and key[2] in assigned and isinstance(value, Value) and (key, ()) not in self.carried:
                natural = merging.natural_type(value)
                if natural is not None:
                    self._carry(place, (), natural, seeded=True)

    def _carry(self, place: Place, path: Path, type_: Type, seeded: bool = False) -> None:
        self.carried[place.key, path] = _Leaf(place, path, type_, seeded)

    def _attempt(self) -> Region:
        walker = self.walker
        self.before.restore()
        index = make_value(ScalarType(self._index_dtype()), "", walker.builder.span)
        by_place: dict[PlaceKey, dict[Path, Value]] = {}
        for (key, path), leaf in self.carried.items():
            leaf.param = make_value(leaf.type, leaf.identifier, walker.builder.span)
            by_place.setdefault(key, {})[path] = leaf.param
        for key, leaves in by_place.items():
            self.before.places[key].set(merging.substitute(self.before.values[key], leaves))
        entry = Snapshot(self.scope)
        params = [index, *(leaf.param for leaf in self.carried.values() if leaf.param is not None)]
        tracker = Tracker()
        walker.trackers.append(tracker)
        try:
            with walker.builder.region(params) as region:
                walker.assign(self.node.target, index)
                signal = walker.block(self.node.body)
                if signal is not None and signal.kind != "continue":
                    refuse_signal(walker, signal, "loop")
                walker.node = self.node
                after = Snapshot(self.scope)
                _check_sizes(entry, after, "loop")
                self._learn(entry, after, tracker)
                region.yields = [
                    merging.convert(merging.leaf(after.values[key], path), leaf.type)
                    for (key, path), leaf in self.carried.items()
                ]
        finally:
            walker.trackers.pop()
        return region

    def _learn(self, entry: Snapshot, after: Snapshot, tracker: Tracker) -> None:
        """Compare the end of the body with its start; raises _Again if another walk is needed."""
        again = False
        self.poison = {}
        for key in list(entry.values):
            if key not in self.before.values:
                continue
            place = self.before.places[key]
            if key not in after.values:
                self._forget(place, f"{place.label!r} is deleted in the run-time loop at line {self._line}")
                continue
            again |= self._learn_place(place, self.before.values[key], entry.values[key], after.values[key], tracker)
        if again:
            raise _Again
        for key, place in after.places.items():
            if key not in self.before.values and key[0] == "name":
                self._forget(
                    place, f"{place.label!r} gets its first value inside of the run-time loop at line {self._line}"
                )

    def _learn_place(self, place: Place, first: Any, start: Any, end: Any, tracker: Tracker) -> bool:
        again = False
        key = place.key
        for path, leaf in [(path, leaf) for (owner, path), leaf in self.carried.items() if owner == key]:
            value = merging.leaf(end, path)
            if leaf.seeded and (value is leaf.param or merging.same(value, merging.leaf(first, path))):
                del self.carried[key, path]  # the guess was wrong: it does not change
                again = True
                continue
            grown = merging.widen(leaf.type, value)
            if grown is None:
                self._cannot_carry(place, merging.leaf(first, path), value, tracker)
                del self.carried[key, path]
                self.hopeless.add((key, path))
                again = True
            elif grown != leaf.type:
                leaf.type = grown
                again = True
        for path, a, b in merging.differences(start, end):
            if (key, path) in self.carried:
                continue
            if isinstance(a, Undefined) or isinstance(b, Undefined):
                self.poison[key] = (place, b if isinstance(b, Undefined) else a)
                continue
            type_ = None if (key, path) in self.hopeless else merging.join(a, b)
            if type_ is None:
                self._cannot_carry(place, a, b, tracker)
            else:
                self._carry(place, path, type_)
                again = True
        return again

    def _cannot_carry(self, place: Place, first: Any, end: Any, tracker: Tracker) -> None:
        message = (
            f"{place.label!r} is {describe(first)} before the run-time loop at line {self._line} and {describe(end)} "
            f"at the end of its body; {merging.mismatch_reason(first, end)}"
        )
        if place.key in tracker.reads or place.key[0] != "name":
            raise CodegenError(message, remedy=f"give {place.label!r} the same kind of value before the loop")
        self._forget(place, message)

    def _forget(self, place: Place, message: str) -> None:
        self.poison[place.key] = (place, Undefined(message, f"give {place.label!r} a value before the loop"))

    @property
    def _line(self) -> int:
        return self.node.lineno

    def _index_dtype(self) -> DataType:
        for bound in (self.bounds.start, self.bounds.stop, self.bounds.step):
            if isinstance(bound, Value):
                if bound.dtype.bitwidth == 64 or (bound.dtype.is_unsigned() and bound.dtype.bitwidth == 32):
                    return dtypes.int64
            elif scalars.number_dtype(int(bound)) == dtypes.int64:
                return dtypes.int64
        return dtypes.int32

    def _emit(self, region: Region) -> None:
        builder = self.walker.builder
        self.before.restore()
        index_dtype = self._index_dtype()
        operands: list[Operand] = [
            scalars.cast(bound, index_dtype) for bound in (self.bounds.start, self.bounds.stop, self.bounds.step)
        ]
        types = [leaf.type for leaf in self.carried.values()]
        for (key, path), leaf in self.carried.items():
            operands.append(merging.convert(merging.leaf(self.before.values[key], path), leaf.type))
        attrs = {"unroll_factor": self.bounds.unroll_factor, "gm_barrier": self.bounds.gm_barrier}
        node = builder.emit("for", operands, types, attrs, [region])
        by_place: dict[PlaceKey, dict[Path, Value]] = {}
        memory: dict[str, dict[Path, Type]] = {}
        for (key, path), leaf, result in zip(self.carried, self.carried.values(), node.results):
            result.name = leaf.identifier
            by_place.setdefault(key, {})[path] = result
            memory.setdefault(leaf.place.label, {})[path] = leaf.type
        for key, leaves in by_place.items():
            self.before.places[key].set(merging.substitute(self.before.values[key], leaves))
        for place, undefined in self.poison.values():
            place.set(undefined)
        self.walker.loop_memory[self.node] = memory
