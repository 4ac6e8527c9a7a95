"""Loop ranges: ``range`` makes a loop on the device, ``static_range`` is written out at compile time."""

from __future__ import annotations

import builtins
import operator
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn, Optional, Union

from ..errors import ArgumentTypeError, ArgumentValueError, TranspileError
from ..graph.values import PlainValue
from .constexpr import ConstExpr

Bound = Union[int, PlainValue]


def _bounds(owner: str, args: tuple[Any, ...], step: Any) -> tuple[Any, Any, Any]:
    if not 1 <= len(args) <= 3:
        raise ArgumentValueError(f"{owner} takes 1 to 3 bounds, got {len(args)}", remedy=f"{owner}(start, stop, step)")
    if step is not None and len(args) == 3:
        raise ArgumentTypeError(f"{owner} got its step twice", remedy=f"{owner}(start, stop, step=step)")
    values = [ConstExpr.unwrap(arg) for arg in args]
    start, stop = (0, values[0]) if len(values) == 1 else (values[0], values[1])
    last = values[2] if len(values) == 3 else ConstExpr.unwrap(step) if step is not None else 1
    return start, stop, last


def _constant(owner: str, role: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value  # a named constant keeps its name
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentTypeError(
            f"{role} of {owner} must be an integer, got {type(value).__name__} {value!r}",
            remedy="convert it with int(...) to say which rounding is meant" if isinstance(value, float) else "",
        ) from None


def _bound(owner: str, role: str, value: Any) -> Bound:
    if isinstance(value, PlainValue):
        if not value.dtype.is_int():
            raise ArgumentTypeError(
                f"{role} of {owner} must be an integer, got a {value.dtype} scalar",
                remedy="convert it with int(...) to say which rounding is meant",
            )
        return value
    return _constant(owner, role, value)


def _no_zero(owner: str, step: Any) -> None:
    if isinstance(step, int) and step == 0:
        raise ArgumentValueError(f"step of {owner} must not be zero", remedy="use a positive or a negative step")


class range:
    """Iterations of a loop that runs on the device.

    Args:
        *args: ``stop``, ``start, stop`` or ``start, stop, step``; ints or integer scalars.
        step: the step, if not given by position.
        unroll_factor: number of iterations whose transfers and computations may overlap. Without it two do where their
            tiles fit into memory, unless the kernel asks for the tightest plan (``reuse_alloc=2``); 1 keeps them apart.
        gm_barrier: whether each iteration waits for global memory written by the one before.
        parallel: older, inverted name of ``gm_barrier``.

    Raises:
        TypeError, ValueError: a bound or an option has the wrong type or value.
    """

    __slots__ = ("gm_barrier", "start", "step", "stop", "unroll_factor")
    start: Bound
    stop: Bound
    step: Bound
    unroll_factor: Optional[int]
    gm_barrier: bool

    def __init__(
        self,
        *args: Any,
        step: Any = None,
        unroll_factor: Any = None,
        gm_barrier: Any = None,
        parallel: Optional[bool] = None,
    ) -> None:
        start, stop, last = _bounds("range", args, step)
        self.start = _bound("range", "start", start)
        self.stop = _bound("range", "stop", stop)
        self.step = _bound("range", "step", last)
        _no_zero("range", self.step)
        self.unroll_factor = self._factor(ConstExpr.unwrap(unroll_factor))
        self.gm_barrier = self._barrier(ConstExpr.unwrap(gm_barrier), ConstExpr.unwrap(parallel))

    @staticmethod
    def _factor(factor: Any) -> Optional[int]:
        if factor is None:
            return None
        if isinstance(factor, PlainValue):
            raise ArgumentTypeError(
                "unroll_factor must be known at compile time, got a scalar", remedy="make it a ConstExpr[int] parameter"
            )
        try:
            factor = operator.index(factor)
        except TypeError:
            raise ArgumentTypeError(f"unroll_factor must be an int, got {type(factor).__name__}") from None
        if factor < 1:
            raise ArgumentValueError(f"unroll_factor must be at least 1, got {factor}")
        return int(factor)

    @staticmethod
    def _barrier(gm_barrier: Any, parallel: Any) -> bool:
        if parallel is not None:
            if gm_barrier is not None:
                raise ArgumentTypeError("range takes gm_barrier or parallel, not both", remedy="drop parallel")
            if not isinstance(parallel, bool):
                raise ArgumentTypeError(f"parallel must be a bool, got {type(parallel).__name__}")
            warnings.warn("range(parallel=x) is the older name of gm_barrier=not x", DeprecationWarning, stacklevel=4)
            return not parallel
        if gm_barrier is None:
            return False
        if not isinstance(gm_barrier, bool):
            raise ArgumentTypeError(f"gm_barrier must be a bool, got {type(gm_barrier).__name__}")
        return gm_barrier

    def constant(self) -> Optional[builtins.range]:
        """The same range of Python, if all bounds are known at compile time."""
        bounds = (self.start, self.stop, self.step)
        if all(isinstance(bound, int) for bound in bounds):
            return builtins.range(*(int(bound) for bound in bounds))  # type: ignore[arg-type]
        return None

    def __iter__(self) -> NoReturn:
        raise _NotIterable(
            "asctile.range has a meaning only in the head of a for statement inside of a kernel",
            remedy="use asctile.static_range or a list for loops that are written out at compile time",
        )


class static_range:
    """Iterations of a loop that is written out at compile time; the loop variable is a Python int.

    Args:
        *args: ``stop``, ``start, stop`` or ``start, stop, step``; Python ints.
        step: the step, if not given by position.

    Raises:
        TypeError, ValueError: a bound is not an int known at compile time, or the step is zero.
    """

    __slots__ = ("values",)
    values: builtins.range

    def __init__(self, *args: Any, step: Any = None) -> None:
        bounds = _bounds("static_range", args, step)
        for role, value in zip(("start", "stop", "step"), bounds):
            if isinstance(value, PlainValue):
                raise ArgumentTypeError(
                    f"{role} of static_range must be known at compile time, got a {value.dtype} scalar",
                    remedy="use asctile.range for a loop that runs on the device",
                )
        start, stop, last = (
            int(_constant("static_range", role, value)) for role, value in zip(("start", "stop", "step"), bounds)
        )
        _no_zero("static_range", last)
        self.values = builtins.range(start, stop, last)

    def __iter__(self) -> Iterator[int]:
        return iter(self.values)

    def __reversed__(self) -> Iterator[int]:
        return reversed(self.values)

    def __len__(self) -> int:
        return len(self.values)


class _NotIterable(TranspileError, NotImplementedError, TypeError):
    """A device loop was iterated by Python."""
