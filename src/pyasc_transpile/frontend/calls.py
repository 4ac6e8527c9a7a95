"""Calls: which functions ordinary Python executes, and which are walked and inlined."""

from __future__ import annotations

import ast
import functools
import inspect
import os
import sysconfig
import types
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional

from ..asctile.arguments import ParameterList
from ..asctile.constexpr import ConstExpr
from ..asctile.jit import Kernel
from ..errors import ArgumentTypeError, TranspileError, UnsupportedSyntaxError
from ..graph.constants import named
from ..graph.values import Value
from . import builtins
from .merging import describe, has_runtime
from .scopes import Scope
from .source import FunctionSource, function_source

if TYPE_CHECKING:
    from .walker import Frame, Walker

_OURS = ("pyasc_transpile", "asc", "asc2", "asctile")
_FOREIGN = frozenset((*_OURS, "numpy", "torch", "torch_npu", "scipy", "math", "builtins"))
_STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
_GENERATOR_FLAGS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class NestedFunction:
    """A ``def`` or ``lambda`` written inside of a kernel: walked when it is called, by the kernel or by Python."""

    def __init__(self, walker: Walker, node: Any, signature: inspect.Signature) -> None:
        self.walker = walker
        self.node = node
        self.signature = signature
        self.frame = walker.frame
        self.scope = walker.frame.scope
        self.__name__: str = getattr(node, "name", "<lambda>")

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.walk(args, kwargs)

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"

    def walk(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Inline one call."""
        frame = self.frame
        source = FunctionSource(frame.source.file, self.node)
        scope = Scope(_bind(self.__name__, self.signature, args, kwargs), self.scope)
        return _run(self.walker, _frame(source, frame.globals, frame.cells, scope, self.__name__))


def nested_function(walker: Walker, node: Any) -> NestedFunction:
    """The function that a ``def`` or ``lambda`` inside of a kernel makes."""
    if isinstance(node, ast.FunctionDef):
        for inner in ast.walk(node):
            if isinstance(inner, (ast.Yield, ast.YieldFrom)):
                walker.node = inner
                raise UnsupportedSyntaxError("'yield' is not supported in a kernel", remedy="return a list instead")
    arguments = node.args
    parameters: list[inspect.Parameter] = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for position, (argument, default) in enumerate(zip(positional, defaults)):
        only = position < len(arguments.posonlyargs)
        kind = inspect.Parameter.POSITIONAL_ONLY if only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(_parameter(walker, argument, kind, default))
    if arguments.vararg is not None:
        parameters.append(_parameter(walker, arguments.vararg, inspect.Parameter.VAR_POSITIONAL, None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        parameters.append(_parameter(walker, argument, inspect.Parameter.KEYWORD_ONLY, default))
    if arguments.kwarg is not None:
        parameters.append(_parameter(walker, arguments.kwarg, inspect.Parameter.VAR_KEYWORD, None))
    return NestedFunction(walker, node, inspect.Signature(parameters))


def _parameter(walker: Walker, argument: ast.arg, kind: Any, default: Optional[ast.expr]) -> inspect.Parameter:
    value = inspect.Parameter.empty if default is None else walker.expression(default)
    return inspect.Parameter(argument.arg, kind, default=value)


def call(walker: Walker, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call ``function`` as a kernel does: inline it, replace it, or let Python execute it."""
    if id(function) in builtins.REFUSED:
        raise UnsupportedSyntaxError(
            f"{builtins.REFUSED[id(function)]}() is not supported in a kernel", remedy="compute the value outside"
        )
    handler = builtins.BY_IDENTITY.get(id(function))
    if handler is not None:
        return handler(*args, **kwargs)
    if isinstance(function, Kernel):
        return inline(walker, function.function, args, kwargs, function.parameters)
    if isinstance(function, NestedFunction):
        return function.walk(tuple(args), kwargs)
    if isinstance(function, functools.partial):
        return call(walker, function.func, [*function.args, *args], {**function.keywords, **kwargs})
    if isinstance(function, types.MethodType):
        return call(walker, function.__func__, [function.__self__, *args], kwargs)
    if isinstance(function, types.FunctionType):
        if function.__name__ == "static_print" and _is_ours(function.__module__):
            walker.once(functools.partial(function, *args, **kwargs))
            return None
        if _is_walked(function, args, kwargs):
            return inline(walker, function, args, kwargs)
    elif isinstance(function, Value):
        raise TypeError(f"a {function.kind_name} cannot be called")
    elif not isinstance(function, type):
        method = vars(type(function)).get("__call__")
        if isinstance(method, types.FunctionType) and _is_walked(method, args, kwargs):
            return inline(walker, method, [function, *args], kwargs)
    return function(*args, **kwargs)


def _is_ours(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _OURS


def _is_walked(function: types.FunctionType, args: list[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a Python function is inlined instead of executed."""
    if not is_user_function(function) or function.__code__.co_flags & _GENERATOR_FLAGS:
        return False
    if not (has_runtime(args) or has_runtime(kwargs) or _uses_language(function)):
        return False
    try:
        function_source(function)
    except TranspileError:
        return False
    return True


@functools.lru_cache(maxsize=4096)
def is_user_file(filename: str, module: str) -> bool:
    """Whether a file belongs to the kernel's author rather than to a library."""
    if module.partition(".")[0] in _FOREIGN or filename.startswith("<frozen"):
        return False
    return not (filename.startswith(_STDLIB) and "site-packages" not in filename)


def is_user_function(function: types.FunctionType) -> bool:
    """Whether a function belongs to the kernel's author rather than to a library."""
    return is_user_file(function.__code__.co_filename, str(function.__globals__.get("__name__", "")))


def _uses_language(function: types.FunctionType, seen: Optional[set[Any]] = None) -> bool:
    """Whether a function, or one that it names, uses the language or calls a kernel."""
    seen = set() if seen is None else seen
    if function.__code__ in seen:
        return False
    seen.add(function.__code__)
    for value in _referenced(function):
        if isinstance(value, Kernel):
            return True
        if isinstance(value, types.ModuleType) and _is_ours(value.__name__):
            return True
        if isinstance(value, types.FunctionType):
            if _is_ours(value.__module__) or (is_user_function(value) and _uses_language(value, seen)):
                return True
        elif callable(value) and _is_ours(getattr(value, "__module__", None)):
            return True
    return False


def _referenced(function: types.FunctionType) -> list[Any]:
    """Values of the names that a function takes from its module and its closure."""
    names: set[str] = set()
    pending = [function.__code__]
    while pending:
        code = pending.pop()
        names.update(code.co_names)
        pending.extend(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    values = [function.__globals__[name] for name in sorted(names) if name in function.__globals__]
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:
            continue
    return values


_signatures: weakref.WeakKeyDictionary[types.FunctionType, inspect.Signature] = weakref.WeakKeyDictionary()


def inline(
    walker: Walker,
    function: types.FunctionType,
    args: list[Any],
    kwargs: Mapping[str, Any],
    parameters: Optional[ParameterList] = None,
) -> Any:
    """Walk the body of a helper in place of a call; ``parameters`` if it is a kernel with constants to check."""
    signature = _signatures.get(function)
    if signature is None:
        signature = _signatures[function] = inspect.signature(function, follow_wrapped=False)
    names = _bind(function.__name__, signature, tuple(args), kwargs)
    if parameters is not None:
        _check_constants(function.__name__, names, parameters)
    from .walker import Frame, closure_cells

    source = function_source(function)
    return _run(walker, Frame(source, function.__globals__, closure_cells(function), Scope(names), function.__name__))


def _check_constants(owner: str, names: dict[str, Any], parameters: ParameterList) -> None:
    for name, check in parameters.checks.items():
        value = names[name]
        if isinstance(value, Value):
            raise ArgumentTypeError(
                f"{name!r} of {owner} must be known at compile time, got {describe(value)}",
                remedy=f"pass a constant, or drop ConstExpr from {name!r}",
            )
        names[name] = named(check(name, value), name)


def _bind(owner: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{owner}(): {error}") from None
    bound.apply_defaults()
    names: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        names[name] = value = ConstExpr.unwrap(value)
        if isinstance(value, Value) and not value.name:
            value.name = name
    return names


def _frame(source: FunctionSource, module: dict[str, Any], cells: Mapping[str, Any], scope: Scope, name: str) -> Frame:
    from .walker import Frame

    return Frame(source, module, cells, scope, name)


def _run(walker: Walker, frame: Frame) -> Any:
    outcome = walker.run(frame)
    if isinstance(frame.source.node, ast.Lambda):
        return outcome
    return None if outcome is None else outcome.value
