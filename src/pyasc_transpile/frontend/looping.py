"""``for`` and ``while``: which loops run on the device, and which are written out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Union

from ..asctile import ranges
from ..asctile.ranges import range as device_range
from ..errors import CodegenError, UnsupportedSyntaxError
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
                return _behind(walker, node, None)
            return _run_time(walker, node, Loop(walker, node, iterable))
        return _behind(walker, node, _written_out(walker, node, builtins.iterate(iterable)))


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
    return _behind(walker, node, Left(loop.exits, loop.exit_node) if runs and loop.exits else None)


def _behind(walker: Walker, node: Union[ast.For, ast.While], outcome: Outcome) -> Outcome:
    """What the end of a loop means for the statements behind it, once its ``else`` is walked."""
    if outcome is None:
        return _otherwise(walker, node)
    if isinstance(outcome, Signal):
        return None if outcome.kind == "break" else outcome
    kinds = outcome.kinds & {"return"}
    after: Outcome = None
    if node.orelse and not outcome.definite:

        def otherwise() -> None:
            nonlocal after
            after = _otherwise(walker, node)
            walker.frame.loop_depth -= 1
            escapes.leave(walker, after)
            walker.frame.loop_depth += 1

        escapes.follow(walker, outcome, node, otherwise)
    definite = "break" not in outcome.kinds and (outcome.definite or escapes.is_certain(after))
    if definite and kinds == escapes.kinds_of(after):
        return escapes.joined(walker, (Left(kinds, outcome.node, True), after))
    kinds |= escapes.kinds_of(after)
    return Left(kinds, outcome.node, definite) if kinds else None


def _otherwise(walker: Walker, node: Union[ast.For, ast.While]) -> Outcome:
    """Walk the ``else`` of a loop; what leaves it leaves the loop around."""
    walker.frame.loop_depth -= 1
    try:
        return walker.block(node.orelse)
    finally:
        walker.frame.loop_depth += 1


def _written_out(walker: Walker, node: ast.For, items: Iterator[Any]) -> Outcome:
    """Walk the body for the items that are left."""
    for item in items:
        escapes.clear(walker, "continue")
        walker.assign(node.target, item)
        outcome = walker.block(node.body)
        if isinstance(outcome, Signal):
            if outcome.kind == "continue":
                continue
            return outcome
        if outcome is None or outcome.kinds == {"continue"}:
            continue
        left = Left(outcome.kinds - {"continue"}, outcome.node, outcome.definite and "continue" not in outcome.kinds)
        return escapes.follow(walker, left, node, lambda: _written_out(walker, node, items))
    return None


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
            outcome = _behind(walker, node, _known_while(walker, node))
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
            return None
        outcome = walker.block(node.body)
        if isinstance(outcome, Left) and outcome.kinds != {"continue"}:
            raise _OnTheDevice
        if isinstance(outcome, Signal) and outcome.kind != "continue":
            return outcome
    walker.node = node
    raise CodegenError(
        f"this compile-time 'while' did not end after {_MAX_WHILE} iterations", remedy="check its condition"
    )


def _tested_inside(walker: Walker, node: ast.While) -> ast.While:
    """``while test: body`` as ``while True: if test: body else: break``; an ``else`` comes before the ``break``."""
    known = walker.rewritten.get(node)
    if known is None:
        outer = escapes.kinds_in(walker, node.orelse) & {"break", "continue"}
        if outer:
            raise UnsupportedSyntaxError(
                f"'{min(outer)}' in the 'else' of a 'while' whose condition reads memory or assigns names",
                remedy="assign the condition to a name before the loop and at the end of its body",
            )
        stop = ast.copy_location(ast.Break(), node.test)
        choice = ast.copy_location(ast.If(test=node.test, body=node.body, orelse=[*node.orelse, stop]), node)
        always = ast.copy_location(ast.Constant(value=True), node.test)
        known = ast.While(test=always, body=[choice], orelse=[])
        walker.rewritten[node] = ast.copy_location(known, node)
    return known
