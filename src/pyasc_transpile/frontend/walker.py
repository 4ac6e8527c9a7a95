"""The walker: executes the Python of a kernel symbolically and builds its tile graph.

Compile-time values are ordinary Python objects and ordinary Python computes with them; run-time values are graph values
whose operators append nodes.  The walker itself owns control flow, scopes and source places.
"""

from __future__ import annotations

import ast
import contextlib
import contextvars
import dataclasses
import sys
import threading
import types
from collections.abc import Iterator, Mapping
from typing import Any, Callable, Optional

from ..asctile.arguments import ParameterKind
from ..asctile.constexpr import ConstExpr
from ..asctile.jit import Kernel
from ..errors import CodegenError, Span, TranspileError, UnsupportedSyntaxError
from ..graph.constants import named
from ..graph.graph import Builder, TileGraph, building
from ..graph.types import AddressType, ScalarType, Type
from ..graph.values import GlobalAddress, PlainValue, Value, make_value
from . import escapes, expressions, statements
from .control import check_visibility
from .escapes import Left, Outcome
from .scopes import PlaceKey, Scope, Tracker, Undefined, UndefinedNameError
from .signature import Signature
from .source import FunctionSource, function_source, stable_name

MAX_DEPTH = 200
_MISSING = object()


class Frame:
    """One activation of a function that is being walked."""

    __slots__ = ("cells", "constants", "globals", "loop_depth", "name", "scope", "source")

    def __init__(
        self, source: FunctionSource, module: dict[str, Any], cells: Mapping[str, Any], scope: Scope, name: str
    ) -> None:
        self.source = source
        self.globals = module
        self.cells = cells
        self.scope = scope
        self.name = name
        self.loop_depth = 0
        self.constants: dict[str, Any] = {}  # module and closure numbers with their names attached


def closure_cells(function: types.FunctionType) -> dict[str, Any]:
    """Cells of the free variables of a function, by name."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or ()))


class Walker:
    """State of the translation of one kernel."""

    def __init__(self, kernel: Kernel, builder: Builder) -> None:
        self.kernel = kernel
        self.builder = builder
        self.frame: Frame = None  # type: ignore[assignment] # set before anything is walked
        self.node: ast.AST = ast.Pass()
        self.depth = 0
        self.trackers: list[Tracker] = []
        self.loop_memory: dict[ast.AST, dict[str, dict[tuple[int, ...], Type]]] = {}
        self.builtins: Mapping[str, Any] = {**vars(__import__("builtins")), **(kernel.options.custom_builtins or {})}
        self.runtime_depth = 0
        self.escapes: dict[ast.AST, frozenset[str]] = {}  # what leaves a statement, by its text
        self.rewritten: dict[ast.AST, ast.While] = {}
        self._capture = kernel.options.capture_exceptions
        self._attempts = 0
        self._deferred: list[Callable[[], Any]] = []
        self._spans: dict[ast.AST, Span] = {}
        self._assigned: dict[ast.AST, frozenset[str]] = {}

    # Places in the source

    def span(self, node: ast.AST) -> Span:
        """The place of a syntax node of the current function."""
        span = self._spans.get(node)
        if span is None:
            span = self._spans[node] = self.frame.source.span(node)
        return span

    def line(self, node: ast.AST) -> int:
        """Line of a syntax node."""
        return int(getattr(node, "lineno", 0))

    # Running functions

    def run(self, frame: Frame) -> Any:
        """Walk the body of ``frame``; returns the signal that ended it, or the value of a lambda."""
        outer, outer_node, outer_span = self.frame, self.node, self.builder.span
        if self.depth >= MAX_DEPTH:
            raise CodegenError(
                f"calls of helper functions are nested more than {MAX_DEPTH} deep at {frame.name}",
                remedy="let the recursion depend on compile-time values that end it",
            )
        self.frame = frame
        self.depth += 1
        try:
            node = frame.source.node
            if isinstance(node, ast.Lambda):
                self.builder.span = self.span(node)
                return self.expression(node.body)
            escapes.enter_function(self, node.body)
            return escapes.finish(self, self.block(node.body))
        except Exception as error:
            raise self._located(error) from self._cause(error)
        finally:
            self.depth -= 1
            self.frame, self.node, self.builder.span = outer, outer_node, outer_span

    def _cause(self, error: Exception) -> Optional[BaseException]:
        if isinstance(error, CodegenError) or not self._capture:
            return error.__cause__
        return error

    def _located(self, error: Exception) -> Exception:
        """``error`` as the kernel's author should see it."""
        node = self.node if hasattr(self.node, "lineno") else self.frame.source.node
        span = self.span(node)
        if isinstance(error, TranspileError):
            error.locate(span)
            if isinstance(error, CodegenError) or not self._capture:
                return error
            name = next((f"{kind.__name__}: " for kind in (NameError, AttributeError) if isinstance(error, kind)), "")
            return CodegenError(name + error.message, span=error.span, remedy=error.remedy)
        if not self._capture:
            return error
        if isinstance(error, RecursionError):
            return CodegenError("the kernel recurses too deeply", span=span)
        text = str(error)
        message = f"{type(error).__name__}: {text}" if text else type(error).__name__
        return CodegenError(message, span=span, remedy=getattr(error, "remedy", ""))

    def block(self, body: list[ast.stmt]) -> Outcome:
        """Walk statements in order, up to the first that leaves the block."""
        builder = self.builder
        for position, node in enumerate(body):
            handler = statements.HANDLERS.get(type(node))
            self.node = node
            builder.span = self._spans.get(node) or self.span(node)
            if handler is None:
                statements.refuse(self, node)
            outcome: Outcome
            if type(node) is ast.If and escapes.kinds_in(self, [node]):
                outcome, all_walked = escapes.leaving_if(self, node, body[position + 1 :])
                if all_walked:
                    return outcome
            else:
                outcome = handler(self, node)
            if type(outcome) is Left:
                return escapes.follow_block(self, outcome, body[position + 1 :])
            if outcome is not None:
                return outcome
        return None

    def expression(self, node: ast.expr) -> Any:
        """Value of an expression."""
        handler = expressions.HANDLERS.get(type(node))
        if handler is None:
            self.node = node
            expressions.refuse(node)
        return handler(self, node)

    # Names

    def load(self, name: str) -> Any:
        """Value of a name: local, enclosing, module, builtin.

        Raises:
            NameError: it has none.
        """
        scope: Optional[Scope] = self.frame.scope
        while scope is not None:
            value = scope.names.get(name, _MISSING)
            if value is not _MISSING:
                if self.trackers:
                    self.note_read(("name", id(scope), name))
                if type(value) is Undefined:
                    raise UndefinedNameError(value.message, remedy=value.remedy)
                return value
            scope = scope.parent
        frame = self.frame
        value = frame.cells.get(name, _MISSING)
        if value is not _MISSING:
            try:
                value = value.cell_contents
            except ValueError:
                raise UndefinedNameError(f"name {name!r} has no value yet in the enclosing function") from None
        else:
            value = frame.globals.get(name, _MISSING)
            if value is _MISSING:
                value = self.builtins.get(name, _MISSING)
                if value is _MISSING:
                    raise UndefinedNameError(f"name {name!r} is not defined", remedy=self._similar(name))
                return value
        known = frame.constants.get(name)
        if known is not None and type(known).__mro__[1] is type(value) and known == value:
            return known
        value = ConstExpr.unwrap(value)
        kind = type(value)
        if kind is int or kind is float:
            value = frame.constants[name] = named(value, name)
        return value

    def _similar(self, name: str) -> str:
        import difflib

        names = [known for scope in self.frame.scope.chain() for known in scope.names] + list(self.frame.globals)
        near = difflib.get_close_matches(name, names, n=1)
        return f"did you mean {near[0]!r}?" if near else f"give {name!r} a value before"

    def store(self, name: str, value: Any) -> None:
        """Bind a local name; a run-time value without a name takes this one."""
        scope = self.frame.scope
        if isinstance(value, Value) and not value.name:
            value.name = name
        scope.names[name] = value
        if self.trackers:
            self.note_store(("name", id(scope), name))

    def note_read(self, key: PlaceKey) -> None:
        """Tell the loops around that a place was read."""
        for tracker in self.trackers:
            if key not in tracker.stored:
                tracker.reads.add(key)

    def note_store(self, key: PlaceKey) -> None:
        """Tell the loops around that a place was assigned."""
        for tracker in self.trackers:
            tracker.stored.add(key)

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign to a target of any form."""
        statements.assign(self, target, value)

    def assigned_names(self, node: ast.AST) -> frozenset[str]:
        """Names that the text of a loop body assigns."""
        found = self._assigned.get(node)
        if found is None:
            found = self._assigned[node] = frozenset(_assigned(getattr(node, "body", [])))
        return found

    # Attempts at loop bodies

    def begin_attempt(self) -> int:
        """Start a walk through a loop body that may be thrown away."""
        self._attempts += 1
        return len(self._deferred)

    def drop_attempt(self, mark: int) -> None:
        """Forget the prints of a walk that is thrown away."""
        del self._deferred[mark:]

    def end_attempt(self) -> None:
        self._attempts -= 1

    def once(self, action: Callable[[], Any]) -> None:
        """Do something visible on the host exactly once, although loop bodies are walked several times."""
        self._deferred.append(action)
        if not self._attempts:
            self.flush()

    def flush(self) -> None:
        """Do what was put off."""
        actions, self._deferred = self._deferred, []
        for action in actions:
            action()


def _assigned(body: list[ast.stmt]) -> Iterator[str]:
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                yield node.id
        elif not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AsyncFunctionDef)):
            pending.extend(ast.iter_child_nodes(node))


_active: contextvars.ContextVar[Optional[Walker]] = contextvars.ContextVar("walker", default=None)


def call_from_python(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call a helper that ordinary Python, itself called from a kernel, calls."""
    from . import calls

    walker = _active.get()
    if walker is None:
        raise CodegenError("kernels are called as helpers only while another kernel is translated")
    return calls.call(walker, function, list(args), dict(kwargs))


def trace(kernel: Kernel, signature: Signature) -> TileGraph:
    """Translate a kernel for a signature.

    Args:
        kernel: the kernel.
        signature: types of its run-time parameters and values of its constants, in order.

    Returns:
        The graph.

    Raises:
        CodegenError: the body cannot be translated; with ``capture_exceptions=False`` the original exception.
    """
    builder = Builder()
    walker = Walker(kernel, builder)
    source = function_source(kernel.function)
    names: dict[str, Any] = {}
    params: list[Value] = []
    constants: dict[str, Any] = {}
    frame = Frame(source, kernel.function.__globals__, closure_cells(kernel.function), Scope(names), kernel.__name__)
    walker.frame = frame
    span = walker.span(source.node)
    for parameter in signature.parameters:
        if parameter.kind is ParameterKind.CONSTANT:
            constants[parameter.name] = parameter.value
            names[parameter.name] = named(parameter.value, parameter.name)
            continue
        assert parameter.dtype is not None
        pointer = parameter.kind is ParameterKind.POINTER
        type_: Type = AddressType(parameter.dtype) if pointer else ScalarType(parameter.dtype)
        value = make_value(type_, parameter.name, span)
        assert isinstance(value, (GlobalAddress, PlainValue))
        params.append(value)
        names[parameter.name] = value
    token = _active.set(walker)
    try:
        with building(builder), _deep_recursion():
            signal = walker.run(frame)
    finally:
        _active.reset(token)
        walker.flush()
    if signal is not None and signal.value is not None:
        walker.frame = frame
        raise UnsupportedSyntaxError(
            f"kernel {kernel.__name__} returns a value",
            span=walker.span(signal.node),
            remedy="write results to global memory with asctile.copy_out; a kernel returns nothing",
        )
    check_visibility(builder.body, params)
    text_span = dataclasses.replace(span, filename=stable_name(source.file.filename))
    return TileGraph(kernel.__name__, params, builder.body, constants, text_span)


_recursion_lock = threading.Lock()
_recursion_users = 0
_recursion_saved = 0


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Let helpers nest to MAX_DEPTH: every level takes a dozen Python calls of the walker."""
    global _recursion_users, _recursion_saved
    with _recursion_lock:
        if _recursion_users == 0:
            _recursion_saved = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_recursion_saved, 40 * MAX_DEPTH))
        _recursion_users += 1
    try:
        yield
    finally:
        with _recursion_lock:
            _recursion_users -= 1
            if _recursion_users == 0:
                sys.setrecursionlimit(_recursion_saved)
