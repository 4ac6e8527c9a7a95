"""Leaving at run time: ``break``, ``continue`` and ``return`` under a condition that only the device knows.

A graph has no jumps.  A statement that leaves sets a flag, which is a hidden local name; what comes after it in the
text becomes the other way of the ``if`` that it stands in or, where that is not enough, runs only if the flag is not
set.
Branches and loops then merge and carry the flags like any other name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Union

from ..errors import CodegenError
from ..graph.values import Value
from ..ops import scalars
from . import control, expressions
from .control import Signal
from .merging import UNSET
from .scopes import Undefined

if TYPE_CHECKING:
    from .walker import Walker

_RETURNED = "<returned>"  # no Python name, so that it meets none


class Left(NamedTuple):
    """A block was, or may have been, left at run time.

    Attributes:
        kinds: what may have left it: return, break, continue.
        node: the first statement that may have.
        definite: whether every way through the block leaves it.
    """

    kinds: frozenset[str]
    node: ast.AST
    definite: bool = False


Outcome = Union[Signal, Left, None]


def kinds_in(walker: Walker, nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Which statements in the text of ``nodes`` may leave them."""
    found: set[str] = set()
    for node in nodes:
        known = walker.escapes.get(node)
        if known is None:
            known = walker.escapes[node] = _kinds(walker, node)
        found |= known
    return frozenset(found)


def _kinds(walker: Walker, node: ast.AST) -> frozenset[str]:
    if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
        return frozenset((type(node).__name__.lower(),))
    if isinstance(node, (ast.For, ast.While)):
        return (kinds_in(walker, node.body) & {"return"}) | kinds_in(walker, node.orelse)
    if isinstance(node, (ast.expr, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return frozenset()
    return kinds_in(walker, ast.iter_child_nodes(node))


# Flags


def _result_name(walker: Walker) -> str:
    return f"{walker.frame.name}() result"


def flag_name(walker: Walker, kind: str) -> str:
    """The hidden name that tells whether the innermost place that ``kind`` leaves was left."""
    if kind == "return":
        return _RETURNED
    return ("<done>" if kind == "break" else "<skipped>") + " " * walker.frame.loop_depth


def _set(walker: Walker, name: str, value: Any) -> None:
    scope = walker.frame.scope
    scope.names[name] = value
    if walker.trackers:
        walker.note_store(("name", id(scope), name))


def clear(walker: Walker, kind: str) -> None:
    """Note that the place that ``kind`` leaves has not been left."""
    _set(walker, flag_name(walker, kind), False)


def drop(walker: Walker, kind: str) -> None:
    """Forget a flag."""
    walker.frame.scope.names.pop(flag_name(walker, kind), None)


def enter_function(walker: Walker, body: list[ast.stmt]) -> None:
    """Make the flag of ``return`` if branches or loops may set it."""
    if "return" in kinds_in(walker, (node for node in body if not isinstance(node, ast.Return))):
        clear(walker, "return")
        _set(walker, _result_name(walker), UNSET)


def leave(walker: Walker, outcome: Outcome) -> None:
    """Set the flag of a statement that certainly leaves."""
    if isinstance(outcome, Signal):
        _set(walker, flag_name(walker, outcome.kind), True)
        if outcome.kind == "return":
            _set(walker, _result_name(walker), outcome.value)


def has_left(walker: Walker, kinds: Iterable[str]) -> Any:
    """Whether one of the flags is set: a bool, or an int1 scalar."""
    result: Any = False
    for kind in sorted(kinds):
        flag = walker.frame.scope.names[flag_name(walker, kind)]
        if not isinstance(flag, Value):
            if flag:
                return True
        else:
            result = scalars.logical_or(result, flag) if isinstance(result, Value) else flag
    return result


def is_certain(outcome: Outcome) -> bool:
    """Whether a block is left on every way through it."""
    return isinstance(outcome, Signal) or (isinstance(outcome, Left) and outcome.definite)


def kinds_of(outcome: Outcome) -> frozenset[str]:
    """Kinds of statements that left, or may have left, a block."""
    if isinstance(outcome, Signal):
        return frozenset((outcome.kind,))
    return outcome.kinds if isinstance(outcome, Left) else frozenset()


def joined(walker: Walker, outcomes: Iterable[Outcome]) -> Outcome:
    """What happened to a block of which one way ran."""
    outcomes = list(outcomes)
    leaving = [outcome for outcome in outcomes if outcome is not None]
    if not leaving:
        return None
    kinds = frozenset(kind for outcome in leaving for kind in kinds_of(outcome))
    definite = all(is_certain(outcome) for outcome in outcomes)
    if definite and len(kinds) == 1:
        (kind,) = kinds
        value = walker.frame.scope.names[_result_name(walker)] if kind == "return" else None
        return Signal(kind, leaving[0].node, value)
    return Left(kinds, leaving[0].node, definite)


# Statements


class _OneWayLeaves(Exception):
    """One way of an ``if`` leaves, so what follows the ``if`` belongs to the other."""

    def __init__(self, stays: int) -> None:
        super().__init__()
        self.stays = stays


def leaving_if(walker: Walker, node: ast.If, rest: list[ast.stmt]) -> tuple[Outcome, bool]:
    """Walk an ``if`` with statements inside that leave; returns the outcome, and whether ``rest`` was walked too."""
    test = expressions.condition(walker, node.test)
    if not isinstance(test, Value):
        return walker.block(node.body if test else node.orelse), False
    bodies = (node.body, node.orelse)
    try:
        return _walk_ways(walker, node, test, bodies, bool(rest)), False
    except _OneWayLeaves as found:
        longer = [[*body, *rest] if side == found.stays else body for side, body in enumerate(bodies)]
        return _walk_ways(walker, node, test, longer, False), True


def _walk_ways(walker: Walker, node: ast.If, test: Value, bodies: Any, may_grow: bool) -> Outcome:
    outcomes: list[Outcome] = [None, None]
    span = walker.builder.span

    def way(side: int) -> Callable[[], None]:
        def walk() -> None:
            outcomes[side] = outcome = walker.block(bodies[side])
            leave(walker, outcome)
            walker.node = node

        return walk

    def settle() -> None:
        if may_grow:
            for side in (0, 1):
                if is_certain(outcomes[side]) and outcomes[1 - side] is None:
                    raise _OneWayLeaves(1 - side)

    mark = walker.begin_attempt()
    walker.runtime_depth += 1
    try:
        control.branch(walker, test, (way(0), way(1)), node, span=span, settle=settle)
    except _OneWayLeaves:
        walker.drop_attempt(mark)
        raise
    finally:
        walker.runtime_depth -= 1
        walker.end_attempt()
    return joined(walker, outcomes)


def follow(walker: Walker, left: Left, node: ast.AST, action: Callable[[], Outcome]) -> Outcome:
    """Do ``action``, which walks what comes after a block that may have been left, for the case that it was not."""
    if left.definite:
        return left
    test = has_left(walker, left.kinds)
    if not isinstance(test, Value):
        return left if test else action()
    outcome: Outcome = None

    def stay() -> None:
        nonlocal outcome
        outcome = action()
        leave(walker, outcome)
        walker.node = node

    walker.runtime_depth += 1
    try:
        control.branch(walker, scalars.logical_not(test), (stay, lambda: None), node, f"'{min(left.kinds)}'")
    finally:
        walker.runtime_depth -= 1
    if outcome is None:
        return left
    return joined(walker, (Left(left.kinds, left.node, True), outcome))


def follow_block(walker: Walker, left: Left, rest: list[ast.stmt]) -> Outcome:
    """Walk the statements after a block that may have been left."""
    return follow(walker, left, rest[0], lambda: walker.block(rest)) if rest else left


def finish(walker: Walker, outcome: Outcome) -> Optional[Signal]:
    """The end of a function: how it returned.

    Raises:
        CodegenError: what it returns is not one value.
    """
    if isinstance(outcome, Signal):
        value, node = outcome.value, outcome.node
    elif outcome is None:
        return None
    else:
        value, node = walker.frame.scope.names[_result_name(walker)], outcome.node
    if isinstance(value, Undefined):
        walker.node = node
        raise CodegenError(value.message, remedy="return the same kind of value on every way, or decide with ConstExpr")
    helper = walker.depth > 1  # a kernel returns no value at all
    if helper and isinstance(outcome, Left) and not outcome.definite and value is not None:
        walker.node = node
        raise CodegenError(
            f"{walker.frame.name} returns a value here, but ends without one if the run-time condition is not met",
            remedy="return a value on every way, also at the end",
        )
    return Signal("return", node, None if value is UNSET else value)
