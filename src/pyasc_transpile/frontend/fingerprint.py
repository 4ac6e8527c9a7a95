"""Stable texts of constants and kernels, for cache keys: the same on every machine and Python version.

Content counts, never identity: two constants with the same text are interchangeable, and a kernel's fingerprint changes
when its source, a helper's source, or a value that it captures changes.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import hashlib
import sys
import types
from typing import Any, Optional

import numpy as np

from ..asctile.constexpr import ConstExpr
from ..asctile.jit import Kernel
from ..errors import TranspileError
from ..graph.dtypes import DataType
from .calls import is_user_file, is_user_function
from .source import FunctionSource, function_source, stable_name

_LIBRARIES = ("pyasc_transpile", "asc", "asc2", "asctile", "numpy", "builtins", "math")


class _Unstable(Exception):
    """Something has no text that says what it is."""


def stable_text(value: Any) -> Optional[str]:
    """A text equal for equal content and different for different content, or None if there is none."""
    try:
        return _Writer().text(value)
    except (_Unstable, RecursionError):
        return None


def kernel_fingerprint(kernel: Kernel) -> Optional[str]:
    """Hash of everything outside of the signature that decides what a kernel means, or None if there is no such text.

    It covers the source and place of the kernel and of all helpers it names, directly or not, and the values of module
    and closure variables that they read.
    """
    try:
        text = _Writer().function(kernel.function)
    except (_Unstable, RecursionError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()


class _Writer:
    """Writes values as text; functions and objects that were written before are written as their number."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []

    def text(self, value: Any) -> str:
        if value is None or value is Ellipsis or isinstance(value, (bool, np.bool_)):
            return str(value)
        if isinstance(value, enum.Enum):
            return f"enum:{_class_name(type(value))}.{value.name}"
        if isinstance(value, int):
            return f"int:{int(value)}"
        if isinstance(value, float) and not isinstance(value, np.generic):
            return f"float:{float(value).hex()}"
        if isinstance(value, complex) and not isinstance(value, np.generic):
            return f"complex:{value.real.hex()},{value.imag.hex()}"
        if isinstance(value, str):
            return f"str:{len(value)}:{value}"
        if isinstance(value, (bytes, bytearray)):
            return f"bytes:{bytes(value).hex()}"
        if isinstance(value, DataType):
            return f"dtype:{value.name}"
        if isinstance(value, (np.ndarray, np.generic, np.dtype)):
            return self._numpy(value)
        if isinstance(value, ConstExpr):
            return self.text(value.value)
        return self._structure(value)

    @staticmethod
    def _numpy(value: Any) -> str:
        if isinstance(value, np.dtype):
            return f"numpy.dtype:{value.str}"
        if value.dtype.hasobject:
            raise _Unstable
        if isinstance(value, np.generic):
            return f"numpy:{value.dtype.str}:{value.tobytes().hex()}"
        data = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array:{value.dtype.str}:{value.shape}:{data}"

    def _structure(self, value: Any) -> str:
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, types.ModuleType):
            return f"module:{value.__name__}"
        back = self._enter(value)
        if back is not None:
            return back
        if isinstance(value, (list, tuple)):
            items = ",".join(self.text(item) for item in value)
            name = type(value).__name__ if type(value) in (list, tuple) else self._class(type(value))
            return f"{name}({items})"
        if isinstance(value, (set, frozenset)):
            return f"{type(value).__name__}({','.join(sorted(_Writer().text(item) for item in value))})"
        if isinstance(value, (dict, types.MappingProxyType)):
            return "dict(" + ",".join(f"{self.text(key)}={self.text(item)}" for key, item in value.items()) + ")"
        if isinstance(value, (range, slice)):
            return repr(value)
        if isinstance(value, functools.partial):
            return f"partial({self.text(value.func)},{self.text(value.args)},{self.text(value.keywords)})"
        return self._callable_or_object(value)

    def _enter(self, value: Any) -> Optional[str]:
        number = self._seen.get(id(value))
        if number is not None:
            return f"again:{number}"
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)  # an id must not be used again while it is remembered
        return None

    def _callable_or_object(self, value: Any) -> str:
        if isinstance(value, Kernel):
            return self.function(value.function)
        if isinstance(value, types.FunctionType):
            return self.function(value) if is_user_function(value) else _library_name(value)
        if isinstance(value, types.MethodType):
            return f"method({self.text(value.__func__)},{self.text(value.__self__)})"
        if isinstance(value, np.ufunc):
            return f"ufunc:{value.__name__}"
        if isinstance(value, types.BuiltinFunctionType):
            return _library_name(value)
        if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
            return f"torch.dtype:{value}"
        if isinstance(value, property):
            return "property(" + ",".join(self.text(part) for part in (value.fget, value.fset) if part) + ")"
        if isinstance(value, (staticmethod, classmethod)):
            return f"{type(value).__name__}({self.text(value.__func__)})"
        if isinstance(value, functools.cached_property):
            return f"cached_property({self.text(value.func)})"
        if dataclasses.is_dataclass(value):
            fields = ",".join(f"{f.name}={self.text(getattr(value, f.name))}" for f in dataclasses.fields(value))
            return f"{self._class(type(value))}({fields})"
        if isinstance(value, types.SimpleNamespace):
            items = ",".join(f"{name}={self._referenced(item)}" for name, item in vars(value).items())
            return f"namespace({items})"
        if _is_plain_object(value):
            fields = ",".join(f"{name}={self.text(item)}" for name, item in sorted(vars(value).items()))
            return f"{self._class(type(value))}({fields})"
        raise _Unstable

    def _class(self, value: type) -> str:
        """A class by name; one of the kernel's author with what its functions say."""
        name = f"class:{_class_name(value)}"
        if self._enter(value) is not None:
            return name
        if not _is_user_class(value):
            return name
        if issubclass(value, enum.Enum):
            members = ",".join(f"{member}={self.text(item.value)}" for member, item in value.__members__.items())
            return f"{name}{{{members}}}"
        parts = []
        for attribute, item in sorted(vars(value).items()):
            if _is_generated(item) or attribute == "_abc_impl":
                continue
            if _is_code(item) or not attribute.startswith("__"):
                parts.append(f"{attribute}={self.text(item)}")
        bases = ",".join(self._class(base) for base in value.__bases__)
        return f"{name}[{bases}]{{{';'.join(parts)}}}"

    def function(self, function: types.FunctionType) -> str:
        """A function: its text, its place, its defaults, and the values behind the names it reads."""
        try:
            source = function_source(function)
        except TranspileError:
            raise _Unstable from None
        parts = [
            f"function:{function.__qualname__}",
            f"{stable_name(source.file.filename)}:{source.first_line}:{source.node.col_offset}",  # lambdas share lines
            source.digest,
        ]
        if function.__defaults__:
            parts.append(self.text(function.__defaults__))
        if function.__kwdefaults__:
            parts.append(self.text(function.__kwdefaults__))
        parts.extend(self._captured(function, source))
        return "(" + ";".join(parts) + ")"

    def _captured(self, function: types.FunctionType, source: FunctionSource) -> list[str]:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        parts = []
        for chain in _chains(source):
            name = chain[0]
            if name in cells:
                try:
                    value = cells[name].cell_contents
                except ValueError:
                    continue
            elif name in function.__globals__:
                value = function.__globals__[name]
            else:
                continue
            path = name
            for attribute in chain[1:]:
                if not isinstance(value, types.ModuleType) or not hasattr(value, attribute):
                    break
                value = getattr(value, attribute)
                path += f".{attribute}"
            parts.append(f"{path}={self._referenced(value)}")
        return parts

    def _referenced(self, value: Any) -> str:
        """A value that a function names: library things by name, everything else by content."""
        module = getattr(value, "__module__", None)
        library = isinstance(module, str) and module.partition(".")[0] in _LIBRARIES
        if library and callable(value) and not isinstance(value, (Kernel, functools.partial)):
            return _library_name(value)
        return self.text(value)


def _is_plain_object(value: Any) -> bool:
    """Whether the attributes of an object say everything about it."""
    kind: Any = type(value)
    ordinary = getattr(kind, "__reduce__", None) is getattr(object, "__reduce__", None)
    return ordinary and hasattr(value, "__dict__") and not any(vars(base).get("__slots__") for base in kind.__mro__)


def _is_code(item: Any) -> bool:
    return isinstance(item, (types.FunctionType, staticmethod, classmethod, property))


def _is_generated(item: Any) -> bool:
    """Whether a function was made by a library, as dataclass does; the fields say what it does."""
    return isinstance(item, types.FunctionType) and (
        item.__code__.co_filename.startswith("<") or not is_user_function(item)
    )


def _is_user_class(value: type) -> bool:
    module = sys.modules.get(value.__module__)
    return is_user_file(str(getattr(module, "__file__", None) or "<none>"), value.__module__)


def _class_name(value: type) -> str:
    return f"{value.__module__}.{value.__qualname__}"


def _library_name(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if name is None:
        raise _Unstable
    return f"library:{getattr(value, '__module__', '')}.{name}"


_chain_cache: dict[int, tuple[ast.AST, list[tuple[str, ...]]]] = {}


def _chains(source: FunctionSource) -> list[tuple[str, ...]]:
    """Names that a function takes from outside, each with the attributes taken, such as ``('config', 'TILE')``."""
    known = _chain_cache.get(id(source.node))
    if known is None or known[0] is not source.node:
        known = _chain_cache[id(source.node)] = (source.node, sorted(_outer_names(source.node)))
    return known[1]


def _outer_names(function: Any) -> set[tuple[str, ...]]:
    """Name chains that a function reads before it assigns them, in the order of execution of straight-line code."""
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    local = {argument.arg for argument in every if argument is not None}
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    found: set[tuple[str, ...]] = set()
    for node in body:
        _collect(node, local, found)
    return found


_ORDER: dict[type, tuple[str, ...]] = {
    ast.Assign: ("value", "targets"),
    ast.AnnAssign: ("value", "target"),
    ast.AugAssign: ("target", "value"),
    ast.For: ("iter", "target", "body", "orelse"),
    ast.comprehension: ("iter", "target", "ifs"),
    ast.ListComp: ("generators", "elt"),
    ast.SetComp: ("generators", "elt"),
    ast.GeneratorExp: ("generators", "elt"),
    ast.DictComp: ("generators", "key", "value"),
    ast.NamedExpr: ("value", "target"),
}


def _collect(node: Any, local: set[str], found: set[tuple[str, ...]]) -> None:
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        if isinstance(node, ast.FunctionDef):
            local.add(node.name)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            _collect(default, local, found)
        found.update(chain for chain in _outer_names(node) if chain[0] not in local)
        return
    attributes: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        attributes.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        if inner.id in local:
            return
        if isinstance(inner.ctx, ast.Store) and not attributes and not isinstance(node, ast.AugAssign):
            local.add(inner.id)
        else:
            found.add((inner.id, *reversed(attributes)))
        return
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id not in local:
        found.add((node.target.id,))
    for field in _ORDER.get(type(node)) or node._fields:
        value = getattr(node, field, None)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                _collect(child, local, found)
