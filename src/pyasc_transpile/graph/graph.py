"""The tile graph: what a kernel computes.

A graph is a tree of regions.  A region is a list of nodes in program order; a node has operands (run-time values or
Python numbers), compile-time attributes, results, and nested regions if it is a loop or a branch.  Every node carries
the Python place that it comes from.

Structured nodes:

========  ======================================  =====================================================================
node      operands                                regions
========  ======================================  =====================================================================
``for``   start, stop, step, then initial values  one: params are the index, then the carried values; ``yields`` are the
                                                  carried values of the next iteration.  A loop that may end early has a
                                                  second region with the same params: pure scalar nodes that yield one
                                                  int1, whether the next iteration runs
``while`` initial values                          two: as the two of ``for``, without index
``if``    condition                               two (then, else) without params; ``yields`` are the results
========  ======================================  =====================================================================
"""

from __future__ import annotations

import contextlib
import contextvars
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from ..errors import Span, TranspileError
from .constants import Number
from .types import Type
from .values import Value, make_value

Operand = Union[Value, Number]

#: Loops: how many operands come before the initial values, and how many params before the carried values.
LOOPS: Mapping[str, tuple[int, int]] = {"for": (3, 1), "while": (0, 0)}


@dataclass(eq=False)
class Region:
    """Nodes in program order, with the values that enter (``params``) and leave (``yields``)."""

    params: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    yields: list[Operand] = field(default_factory=list)


@dataclass(eq=False)
class Node:
    """One operation: see :mod:`pyasc_transpile.ops` for what each name means."""

    op: str
    operands: tuple[Operand, ...]
    attrs: Mapping[str, Any]
    results: tuple[Value, ...]
    regions: tuple[Region, ...] = ()
    span: Optional[Span] = None

    @property
    def result(self) -> Value:
        (result,) = self.results
        return result


@dataclass(eq=False)
class TileGraph:
    """A kernel with its arguments fixed to types: the input of every later stage.

    Attributes:
        name: Python name of the kernel.
        params: run-time parameters in order; constants are gone.
        body: the kernel body.
        constants: compile-time arguments by name, as given.
        span: the line of the ``def``.
    """

    name: str
    params: list[Value]
    body: Region
    constants: dict[str, Any] = field(default_factory=dict)
    span: Optional[Span] = None


class Builder:
    """Appends nodes to the innermost open region. One builder exists while one kernel is walked."""

    def __init__(self) -> None:
        self.body = Region()
        self._open: list[Region] = [self.body]
        self.span: Optional[Span] = None
        self.masks: list[Any] = []  # the ``mask`` contexts that are open, see ops.masking

    @property
    def open_regions(self) -> tuple[Region, ...]:
        """The regions around the next node, outermost first."""
        return tuple(self._open)

    def emit(
        self,
        op: str,
        operands: Sequence[Operand] = (),
        types: Sequence[Type] = (),
        attrs: Optional[Mapping[str, Any]] = None,
        regions: Sequence[Region] = (),
    ) -> Node:
        """Append a node with results of ``types`` and return it."""
        results = tuple(make_value(type_, span=self.span) for type_ in types)
        node = Node(op, tuple(operands), dict(attrs or {}), results, tuple(regions), self.span)
        self._open[-1].nodes.append(node)
        return node

    def extend(self, nodes: Sequence[Node]) -> None:
        """Append nodes that were made in a region of their own."""
        self._open[-1].nodes.extend(nodes)

    @contextlib.contextmanager
    def region(self, params: Sequence[Value] = ()) -> Iterator[Region]:
        """Open a region that later becomes part of a node; nodes emitted meanwhile go into it."""
        region = Region(params=list(params))
        self._open.append(region)
        try:
            yield region
        finally:
            self._open.pop()

    @contextlib.contextmanager
    def at(self, span: Optional[Span]) -> Iterator[None]:
        """Give ``span`` to the nodes emitted meanwhile."""
        previous, self.span = self.span, span or self.span
        try:
            yield
        finally:
            self.span = previous


_current: contextvars.ContextVar[Optional[Builder]] = contextvars.ContextVar("builder", default=None)


def current_builder() -> Builder:
    """The builder of the kernel being walked.

    Raises:
        TranspileError: no kernel is being walked (an asctile function was called on the host).
    """
    builder = _current.get()
    if builder is None:
        raise OutsideKernelError(
            "this asctile operation works only inside of a kernel",
            remedy="launch the kernel with kernel[blocks](arguments) instead of calling it",
        )
    return builder


class OutsideKernelError(TranspileError, RuntimeError):
    """An asctile function was called on the host."""


@contextlib.contextmanager
def building(builder: Builder) -> Iterator[Builder]:
    """Make ``builder`` the current one."""
    token = _current.set(builder)
    try:
        yield builder
    finally:
        _current.reset(token)


def walk(region: Region) -> Iterator[Node]:
    """All nodes of a region and of the regions nested in it, in program order, outer before inner."""
    for node in region.nodes:
        yield node
        for inner in node.regions:
            yield from walk(inner)
