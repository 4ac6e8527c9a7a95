"""``for`` and ``while``: which loops run on the device, and which are written out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Union

from ..asctile import ranges
from ..asctile.ranges import range as device_range
from ..errors import CodegenError
from ..graph.values import Value
from . import builtins, escapes, expressions
from .control import Signal
from .escapes import Left, Outcome
from .loops import Loop, NotAnExpression
from .scopes import Snapshot

if TYPE_CHECKING:
    from .walker import Walker

_MAX_WHILE = 100_000


def for_statement(walker: Walker, node: ast.For) -> Outcome:
    """Walk a ``for``: over a device range once, over anything else once for each item."""
    iterable = _iterable(walker, node.iter)
    walker.node = node.iter
    with _Entered(walker, node):
        if isinstance(iterable, device_range):
            constant = iterable.constant()
            if constant is not None and len(constant) == 0:
                return walker.block(node.orelse)
            return _run_time(walker, node, Loop(walker, node, iterable))
        return _written_out(walker, node, builtins.iterate(iterable))


def _iterable(walker: Walker, node: ast.expr) -> Any:
    """What a loop runs over; the builtin ``range`` in the head of a ``for`` is the device's."""
    if isinstance(node, ast.Call):
        function = walker.expression(node.func)
        if function is range:
            function = ranges.range
        return expressions.call_with(walker, node, function)
    return walker.expression(node)


class _Entered:
    """Inside of a loop: it has flags of its own."""

    def __init__(self, walker: Walker, node: Union[ast.For, ast.While]) -> None:
        self.walker = walker
        self.kinds = escapes.kinds_in(walker, node.body)

    def __enter__(self) -> None:
        escapes.prepare_return(self.walker, self.kinds)
        self.walker.frame.loop_depth += 1
        if "break" in self.kinds:
            escapes.clear(self.walker, "break")

    def __exit__(self, *_: Any) -> None:
        for kind in ("break", "continue"):
            escapes.drop(self.walker, kind)
        self.walker.frame.loop_depth -= 1


def _run_time(walker: Walker, node: Union[ast.For, ast.While], loop: Loop) -> Outcome:
    walker.runtime_depth += 1
    try:
        runs = loop.walk()
    finally:
        walker.runtime_depth -= 1
    if not runs or not loop.exits:
        return walker.block(node.orelse)
    left = Left(loop.exits, loop.exit_node)
    outcome = escapes.follow(walker, left, node, lambda: walker.block(node.orelse)) if node.orelse else left
    return _outside(outcome)


def _outside(outcome: Outcome) -> Outcome:
    """What the end of a loop means for the statements behind it: only a ``return`` leaves them, too."""
    if not isinstance(outcome, Left):
        return outcome
    kinds = outcome.kinds - {"break", "continue"}
    return Left(kinds, outcome.node, outcome.definite and kinds == outcome.kinds) if kinds else None


def _written_out(walker: Walker, node: ast.For, items: Iterator[Any]) -> Outcome:
    """Walk the body for the items that are left, then the ``else``."""
    for item in items:
        escapes.clear(walker, "continue")
        walker.assign(node.target, item)
        outcome = walker.block(node.body)
        if isinstance(outcome, Signal):
            if outcome.kind == "continue":
                continue
            return None if outcome.kind == "break" else outcome
        if outcome is None or outcome.kinds == {"continue"}:
            continue
        left = Left(outcome.kinds - {"continue"}, outcome.node, outcome.definite and "continue" not in outcome.kinds)
        return _outside(escapes.follow(walker, left, node, lambda: _written_out(walker, node, items)))
    return walker.block(node.orelse)


class _OnTheDevice(Exception):
    """A ``while`` turns out to be decided at run time."""


def while_statement(walker: Walker, node: ast.While) -> Outcome:
    """Walk a ``while``: written out as long as everything that decides about it is known, else as a loop that runs."""
    before = Snapshot(walker.frame.scope)
    stored = [set(tracker.stored) for tracker in walker.trackers]
    span = walker.builder.span
    mark = walker.begin_attempt()
    try:
        with walker.builder.region() as region, _Entered(walker, node):
            outcome = _known_while(walker, node)
    except _OnTheDevice:
        walker.drop_attempt(mark)
    else:
        walker.builder.extend(region.nodes)
        return outcome
    finally:
        walker.end_attempt()
    before.restore()
    for tracker, kept in zip(walker.trackers, stored):
        tracker.stored = kept
    walker.builder.span, walker.node = span, node
    if not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test)):
        try:
            with _Entered(walker, node):
                return _run_time(walker, node, Loop(walker, node, None))
        except NotAnExpression:
            before.restore()
    tested = _tested_inside(walker, node)
    with _Entered(walker, tested):
        return _run_time(walker, tested, Loop(walker, tested, None))


def _known_while(walker: Walker, node: ast.While) -> Outcome:
    for _ in range(_MAX_WHILE):
        escapes.clear(walker, "continue")
        test = expressions.condition(walker, node.test)
        if isinstance(test, Value):
            raise _OnTheDevice
        if not test:
            return walker.block(node.orelse)
        outcome = walker.block(node.body)
        if isinstance(outcome, Left) and outcome.kinds != {"continue"}:
            raise _OnTheDevice
        if isinstance(outcome, Signal) and outcome.kind != "continue":
            return None if outcome.kind == "break" else outcome
    walker.node = node
    raise CodegenError(
        f"this compile-time 'while' did not end after {_MAX_WHILE} iterations", remedy="check its condition"
    )


def _tested_inside(walker: Walker, node: ast.While) -> ast.While:
    """``while test: body`` as ``while True: if test: body else: break``."""
    known = walker.rewritten.get(node)
    if known is None:
        stop = ast.copy_location(ast.Break(), node.test)
        choice = ast.copy_location(ast.If(test=node.test, body=node.body, orelse=[stop]), node)
        always = ast.copy_location(ast.Constant(value=True), node.test)
        known = ast.While(test=always, body=[choice], orelse=node.orelse)
        walker.rewritten[node] = ast.copy_location(known, node)
    return known
