"""``match`` over compile-time values. (The classes of its syntax tree exist from Python 3.10 on; they go by name.)"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, NoReturn, Optional

from ..errors import UnsupportedSyntaxError
from ..graph.values import Value
from . import expressions
from .escapes import Outcome

if TYPE_CHECKING:
    from .walker import Walker

Captures = list[tuple[str, Any]]

#: Classes whose pattern ``C(x)`` binds the whole value.
_SELF_MATCHING = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def match_statement(walker: Walker, node: Any) -> Outcome:
    """Walk the first case that matches the subject."""
    subject = walker.expression(node.subject)
    for case in node.cases:
        captures: Captures = []
        walker.node = case.pattern
        if not _matches(walker, case.pattern, subject, captures):
            continue
        for name, value in captures:
            walker.store(name, value)
        if case.guard is not None:
            passed = expressions.condition(walker, case.guard)
            if isinstance(passed, Value):
                walker.node = case.guard
                raise UnsupportedSyntaxError(
                    "a guard of 'match' is known only at run time", remedy="put 'if' and 'else' into the case"
                )
            if not passed:
                continue
        return walker.block(case.body)
    return None


def _matches(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    return _PATTERNS[type(pattern).__name__](walker, pattern, subject, captures)


def _refuse_run_time(subject: Value) -> NoReturn:
    raise UnsupportedSyntaxError(
        f"'match' compares at compile time, but this {subject.kind_name} is known only at run time",
        remedy="use if and elif, or make the value a ConstExpr parameter",
    )


def _value(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    wanted = walker.expression(pattern.value)
    for side in (subject, wanted):
        if isinstance(side, Value):
            walker.node = pattern
            _refuse_run_time(side)
    return bool(subject == wanted)


def _singleton(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    return subject is pattern.value


def _sequence(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    if isinstance(subject, (str, bytes, bytearray)) or not isinstance(subject, Sequence):
        return False
    parts = pattern.patterns
    star = next((place for place, part in enumerate(parts) if type(part).__name__ == "MatchStar"), None)
    if star is None:
        return len(subject) == len(parts) and all(
            _matches(walker, part, item, captures) for part, item in zip(parts, subject)
        )
    after = len(parts) - star - 1
    if len(subject) < star + after:
        return False
    if parts[star].name is not None:
        captures.append((parts[star].name, list(subject[star : len(subject) - after])))
    items = [*subject[:star], *subject[len(subject) - after :]]
    fixed = [*parts[:star], *parts[star + 1 :]]
    return all(_matches(walker, part, item, captures) for part, item in zip(fixed, items))


def _mapping(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    if not isinstance(subject, Mapping):
        return False
    keys = [walker.expression(key) for key in pattern.keys]
    for key, part in zip(keys, pattern.patterns):
        if key not in subject or not _matches(walker, part, subject[key], captures):
            return False
    if pattern.rest is not None:
        captures.append((pattern.rest, {key: value for key, value in subject.items() if key not in keys}))
    return True


def _class(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    wanted = walker.expression(pattern.cls)
    walker.node = pattern
    if not isinstance(wanted, type):
        raise TypeError(f"called match pattern must be a class, not {type(wanted).__name__}")
    if not isinstance(subject, wanted):
        return False
    parts: list[tuple[Optional[str], Any]] = []
    if pattern.patterns and wanted in _SELF_MATCHING:
        parts.append((None, pattern.patterns[0]))
    else:
        names = getattr(wanted, "__match_args__", ())
        if len(pattern.patterns) > len(names):
            raise TypeError(f"{wanted.__name__}() accepts {len(names)} positional patterns, not more")
        parts.extend(zip(names, pattern.patterns))
    parts.extend(zip(pattern.kwd_attrs, pattern.kwd_patterns))
    for name, part in parts:
        if name is not None and not hasattr(subject, name):
            return False
        if not _matches(walker, part, subject if name is None else getattr(subject, name), captures):
            return False
    return True


def _as(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    if pattern.pattern is not None and not _matches(walker, pattern.pattern, subject, captures):
        return False
    if pattern.name is not None:
        captures.append((pattern.name, subject))
    return True


def _or(walker: Walker, pattern: Any, subject: Any, captures: Captures) -> bool:
    for part in pattern.patterns:
        tried: Captures = []
        if _matches(walker, part, subject, tried):
            captures.extend(tried)
            return True
    return False


_PATTERNS: Mapping[str, Callable[[Walker, Any, Any, Captures], bool]] = {
    "MatchValue": _value,
    "MatchSingleton": _singleton,
    "MatchSequence": _sequence,
    "MatchMapping": _mapping,
    "MatchClass": _class,
    "MatchAs": _as,
    "MatchOr": _or,
}

#: Handlers of statements; empty where Python has no ``match``.
HANDLERS: dict[type, Callable[[Any, Any], Any]] = {ast.Match: match_statement} if hasattr(ast, "Match") else {}
