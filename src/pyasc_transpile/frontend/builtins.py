"""Python's builtin functions where an argument may be a run-time value."""

from __future__ import annotations

import builtins as python
import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable

from .. import ops
from ..asctile import ranges
from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.values import GlobalTensor, LocalTensor, PlainValue, Value
from ..ops import scalars
from .merging import has_runtime


def iterate(value: Any) -> Iterator[Any]:
    """Items of something that can be iterated at compile time.

    Raises:
        TypeError: it cannot.
    """
    if isinstance(value, ranges.range):
        constant = value.constant()
        if constant is not None:
            return iter(constant)
        raise TypeError(
            "a range with bounds known only at run time can only stand in the head of a 'for' statement of its own: "
            "count backwards with range(n - 1, -1, -1), and index what runs beside it with offsets"
        )
    if isinstance(value, Value):
        raise TypeError(
            f"a {value.kind_name} cannot be iterated; loop over offsets with asctile.range or asctile.static_range"
        )
    return iter(value)


def truth(value: Any) -> Any:
    """Truth of a value: a Python bool, or an int1 scalar at run time.

    Raises:
        TypeError: a tile, a global tensor or an address.
    """
    return scalars.truth(value) if isinstance(value, Value) else bool(value)


def contains(container: Any, item: Any) -> Any:
    """``item in container``, compared at run time where a side is known only then."""
    if isinstance(container, Value):
        raise TypeError(f"'in' is not defined for a {container.kind_name}")
    listed = isinstance(container, (list, tuple, set, frozenset, range))
    if listed and (isinstance(item, Value) or has_runtime(container)):
        return _any(_equal(item, element) for element in container)
    if isinstance(item, Value):
        raise TypeError(f"'in' with a run-time {item.kind_name} needs a list or tuple, not {type(container).__name__}")
    return item in container


def _equal(a: Any, b: Any) -> Any:
    if a is b:
        return True
    comparable = all(isinstance(side, Value) or scalars.is_number(side) for side in (a, b))
    return truth(scalars.apply("equal", a, b)) if comparable else (not has_runtime([a, b]) and a == b)


def _any(items: Iterable[Any]) -> Any:
    result: Any = False
    for item in items:
        outcome = truth(item)
        if not isinstance(outcome, Value):
            if outcome:
                return True
        else:
            result = scalars.logical_or(result, outcome) if isinstance(result, Value) else outcome
    return result


def _all(items: Iterable[Any]) -> Any:
    result: Any = True
    for item in items:
        outcome = truth(item)
        if not isinstance(outcome, Value):
            if not outcome:
                return False
        else:
            result = scalars.logical_and(result, outcome) if isinstance(result, Value) else outcome
    return result


def _extreme(name: str, fold: Callable[..., Any]) -> Callable[..., Any]:
    def combine(a: Any, b: Any) -> Any:
        if isinstance(a, LocalTensor) or isinstance(b, LocalTensor):
            return ops.OPERATIONS[name].build(a, b)
        return scalars.apply(name, a, b)

    def call(*args: Any, **kwargs: Any) -> Any:
        items = list(iterate(args[0])) if len(args) == 1 else list(args)
        if not any(isinstance(item, Value) for item in items):
            return fold(items, **kwargs) if len(args) == 1 else fold(*args, **kwargs)
        if kwargs.get("key") is not None:
            raise TypeError(f"{fold.__name__} with key= needs compile-time values")
        numbers = [item for item in items if not isinstance(item, Value)]
        plain = [item for item in items if isinstance(item, PlainValue)]
        rest = [item for item in items if isinstance(item, Value) and not isinstance(item, PlainValue)]
        return functools.reduce(combine, [*rest, *plain, *([fold(numbers)] if numbers else [])])

    return call


def _sum(iterable: Any, /, start: Any = 0) -> Any:
    items = list(iterate(iterable))
    if start is not None and not isinstance(start, Value) and start == 0 and items and isinstance(items[0], Value):
        return functools.reduce(lambda a, b: a + b, items)
    return python.sum(items, start)


def _int(*args: Any, **kwargs: Any) -> Any:
    value = args[0] if args else None
    if not isinstance(value, PlainValue):
        return python.int(*args, **kwargs)
    return value if value.dtype.is_int() and not value.dtype.is_bool() else scalars.cast(value, dtypes.int32)


def _float(*args: Any) -> Any:
    value = args[0] if args else None
    if not isinstance(value, PlainValue):
        return python.float(*args)
    return value if value.dtype.is_float() else scalars.cast(value, dtypes.float32)


def _bool(*args: Any) -> Any:
    return truth(args[0]) if len(args) == 1 else python.bool(*args)


def _len(value: Any, /) -> int:
    if isinstance(value, (LocalTensor, GlobalTensor)):
        length: int = value.shape[0]
        return length
    return python.len(value)


def _divmod(a: Any, b: Any, /) -> Any:
    return (a // b, a % b) if isinstance(a, Value) or isinstance(b, Value) else python.divmod(a, b)


def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    return base**exp if mod is None else python.pow(base, exp, mod)


def _type(*args: Any) -> Any:
    return python.type(*(unnamed(arg) for arg in args))


def _range(*args: Any, **kwargs: Any) -> Any:
    """``range`` outside of the head of a ``for``: Python's where its bounds are known."""
    if kwargs or any(isinstance(arg, Value) for arg in args):
        return ranges.range(*args, **kwargs)
    return python.range(*args)


def _enumerate(iterable: Any, start: int = 0) -> Any:
    return python.enumerate(iterate(iterable), start)


def _reversed(sequence: Any, /) -> Any:
    if isinstance(sequence, ranges.range):
        return python.reversed(list(iterate(sequence)))
    return python.reversed(sequence)


def _iterating(function: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin whose iterable arguments may be ranges of the language."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*(iterate(arg) if isinstance(arg, ranges.range) else arg for arg in args), **kwargs)

    return call


def _isinstance(value: Any, classes: Any, /) -> bool:
    return python.isinstance(value, classes)


def _print(*values: Any, **kwargs: Any) -> None:
    device_print(*values, **kwargs)


def device_print(*values: Any, **kwargs: Any) -> None:
    """``asctile.device_print``: kept in debug builds only."""
    operation = ops.OPERATIONS.get("device_print")
    if operation is not None:
        operation.build(*values, **kwargs)


def device_assert(test: Any, message: Any = None) -> None:
    """``asctile.device_assert``: kept in debug builds only."""
    operation = ops.OPERATIONS.get("device_assert")
    if operation is not None:
        operation.build(test, message)


_TABLE: Mapping[Any, Callable[..., Any]] = {
    python.range: _range,
    python.print: _print,
    python.min: _extreme("minimum", python.min),
    python.max: _extreme("maximum", python.max),
    python.sum: _sum,
    python.int: _int,
    python.float: _float,
    python.bool: _bool,
    python.len: _len,
    python.divmod: _divmod,
    python.pow: _pow,
    python.type: _type,
    python.any: _any,
    python.all: _all,
    python.enumerate: _enumerate,
    python.list: _iterating(python.list),
    python.tuple: _iterating(python.tuple),
    python.set: _iterating(python.set),
    python.zip: _iterating(python.zip),
    python.reversed: _reversed,
    python.map: _iterating(python.map),
    python.filter: _iterating(python.filter),
    python.sorted: _iterating(python.sorted),
}

#: Replacements by identity of the builtin.
BY_IDENTITY: Mapping[int, Callable[..., Any]] = {id(function): handler for function, handler in _TABLE.items()}

REFUSED: Mapping[int, str] = {
    id(getattr(python, name)): name
    for name in ("eval", "exec", "compile", "input", "open", "locals", "globals", "vars", "super", "__import__")
}
