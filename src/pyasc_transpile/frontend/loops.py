"""Loops that run on the device: which values they carry, and when they end."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Optional, Union

from ..asctile.ranges import range as device_range
from ..errors import CodegenError
from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Operand, Region
from ..graph.types import ScalarType, Type
from ..graph.values import Value, make_value
from ..ops import scalars
from ..ops.scalars import SCALAR_OPERATIONS
from . import control, escapes, expressions, merging
from .control import check_sizes
from .merging import UNSET, Path, describe
from .scopes import Place, PlaceKey, Snapshot, Tracker, Undefined

if TYPE_CHECKING:
    from .walker import Walker

_MAX_ATTEMPTS = 24


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


class NotAnExpression(Exception):
    """The condition of a ``while`` needs instructions."""


class Loop:
    """One run-time ``for`` or ``while``.

    The body is walked with the carried values assumed so far (none of the constants at first, so that a constant that
    never changes stays one).  Whatever turns out to change is carried in the next walk, until nothing new is learned.
    """

    def __init__(self, walker: Walker, node: Union[ast.For, ast.While], bounds: Optional[device_range]) -> None:
        self.walker = walker
        self.node = node
        self.bounds = bounds
        self.exits: frozenset[str] = frozenset()
        self.exit_node: ast.AST = node
        self.test: tuple[Region, Any] = (Region(), True)
        self.settled: dict[PlaceKey, tuple[Place, Any]] = {}
        self.scope = walker.frame.scope
        self.before = Snapshot(self.scope)
        self.carried: dict[tuple[PlaceKey, Path], _Leaf] = {}
        self.hopeless: set[tuple[PlaceKey, Path]] = set()
        self.poison: dict[PlaceKey, tuple[Place, Undefined]] = {}
        self.formed: dict[PlaceKey, Any] = {}  # the form that a name without a value takes in the body

    def walk(self) -> bool:
        """Walk the body until its carried values are known, and emit the loop; returns whether it may run at all."""
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
            except NotAnExpression:
                self.walker.drop_attempt(mark)
                raise
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
            return self._finish(region)
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
        for key, value in self.formed.items():
            self.before.places[key].set(value)
        by_place: dict[PlaceKey, dict[Path, Value]] = {}
        for (key, path), leaf in self.carried.items():
            leaf.param = make_value(leaf.type, leaf.identifier, walker.builder.span)
            by_place.setdefault(key, {})[path] = leaf.param
        for key, leaves in by_place.items():
            self.before.places[key].set(merging.substitute(self.before.values[key], leaves))
        for kind in ("return", "break"):  # the body runs only while nothing has left
            if escapes.flag_name(walker, kind) in self.scope.names:
                self.scope.names[escapes.flag_name(walker, kind)] = False
        entry = Snapshot(self.scope)
        params = [leaf.param for leaf in self.carried.values() if leaf.param is not None]
        if self.bounds is not None:
            params.insert(0, make_value(ScalarType(self._index_dtype(self.bounds)), "", walker.builder.span))
        tracker = Tracker()
        walker.trackers.append(tracker)
        try:
            self._walk_test(params)
            with walker.builder.region(params) as region:
                if isinstance(self.node, ast.For):
                    walker.assign(self.node.target, params[0])
                self._walk_body()
                after = Snapshot(self.scope)
                check_sizes(entry, after, "loop")
                self._learn(entry, after, tracker)
                region.yields = [
                    merging.convert(merging.leaf(after.values[key], path), leaf.type)
                    for (key, path), leaf in self.carried.items()
                ]
        finally:
            walker.trackers.pop()
        return region

    def _walk_test(self, params: list[Value]) -> None:
        """Walk the condition of a ``while``, for the start of an iteration."""
        if not isinstance(self.node, ast.While):
            return
        with self.walker.builder.region(params) as region:
            test = expressions.condition(self.walker, self.node.test)
        for node in region.nodes:
            row = SCALAR_OPERATIONS.get(node.op[len("scalar.") :])
            if not node.op.startswith("scalar.") or (row is not None and row.result == "float"):
                raise NotAnExpression
        self.test = region, test

    def _walk_body(self) -> None:
        walker = self.walker
        escapes.clear(walker, "continue")
        outcome = walker.block(self.node.body)
        escapes.leave(walker, outcome)
        escapes.drop(walker, "continue")
        walker.node = self.node
        kinds = escapes.kinds_of(outcome)
        self.exits = kinds - {"continue"}
        if outcome is not None:
            self.exit_node = outcome.node

    def _learn(self, entry: Snapshot, after: Snapshot, tracker: Tracker) -> None:
        """Compare the end of the body with its start; raises _Again if another walk is needed."""
        again = False
        self.poison = {}
        self.settled = {}
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
        if start is UNSET and merging.is_composite(end):
            self.formed[key] = self.before.values[key] = merging.unset_like(end)
            return True
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
            if a is UNSET and not merging.has_runtime(b) and not path:
                self.settled[key] = (place, b)
                continue
            type_ = None if (key, path) in self.hopeless else merging.join(a, b)
            if type_ is None:
                self._cannot_carry(place, a, b, tracker)
            else:
                self._carry(place, path, type_)
                again = True
        return again

    def _cannot_carry(self, place: Place, first: Any, end: Any, tracker: Tracker) -> None:
        if first is UNSET:
            self.walker.node = self.exit_node
            raise CodegenError(
                f"{describe(end)} cannot be returned from inside of a run-time loop",
                remedy="assign it to names that have values before the loop, leave with break, and return behind it",
            )
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

    @staticmethod
    def _index_dtype(bounds: device_range) -> DataType:
        for bound in (bounds.start, bounds.stop, bounds.step):
            if isinstance(bound, Value):
                if bound.dtype.bitwidth == 64 or (bound.dtype.is_unsigned() and bound.dtype.bitwidth == 32):
                    return dtypes.int64
            elif scalars.number_dtype(int(bound)) == dtypes.int64:
                return dtypes.int64
        return dtypes.int32

    def _finish(self, region: Region) -> bool:
        is_while = isinstance(self.node, ast.While)
        if is_while and not isinstance(self.test[1], Value):
            if not self.test[1]:
                self.before.restore()
                return False
            if not self.exits:
                self.walker.node = self.node.test  # type: ignore[union-attr]
                raise CodegenError(
                    "this 'while' does not end: its condition is always true and nothing leaves its body",
                    remedy="let the condition depend on what the body changes, or leave the body with break",
                )
        regions = [region]
        if is_while or self.exits:
            regions.append(self._condition(region))
        self._emit(regions)
        return True

    def _condition(self, body: Region) -> Region:
        """The region that says whether the next iteration runs: nothing has left, and the condition holds."""
        walker = self.walker
        region, test = self.test if isinstance(self.node, ast.While) else (Region(), True)
        region.params = list(body.params)
        flags = {escapes.flag_name(walker, kind) for kind in self.exits}
        leaving: Any = False
        with control.Reopened(walker, region):
            for (key, _), leaf in self.carried.items():
                if key[0] == "name" and key[1] == id(self.scope) and key[2] in flags:
                    leaving = leaf.param if leaving is False else scalars.logical_or(leaving, leaf.param)
            going = True if leaving is False else scalars.logical_not(leaving)
            if going is True or test is True:
                region.yields = [test if going is True else going]
            else:
                region.yields = [scalars.logical_and(going, test)]
        return region

    def _emit(self, regions: list[Region]) -> None:
        builder = self.walker.builder
        self.before.restore()
        operands: list[Operand] = []
        attrs = {}
        if self.bounds is not None:
            index_dtype = self._index_dtype(self.bounds)
            bounds = (self.bounds.start, self.bounds.stop, self.bounds.step)
            operands = [scalars.cast(bound, index_dtype) for bound in bounds]
            attrs = {"unroll_factor": self.bounds.unroll_factor, "gm_barrier": self.bounds.gm_barrier}
        types = [leaf.type for leaf in self.carried.values()]
        for (key, path), leaf in self.carried.items():
            operands.append(merging.convert(merging.leaf(self.before.values[key], path), leaf.type))
        node = builder.emit("while" if self.bounds is None else "for", operands, types, attrs, regions)
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
        for place, constant in self.settled.values():
            place.set(constant)
        self.walker.loop_memory[self.node] = memory
