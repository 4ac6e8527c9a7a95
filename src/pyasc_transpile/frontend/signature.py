"""Signatures: the types and constants that a kernel is translated for."""

from __future__ import annotations

import ast
import builtins
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from ..asctile import functions
from ..asctile.arguments import BoundArguments, ParameterKind, classify
from ..asctile.constexpr import ConstExpr
from ..asctile.jit import Kernel
from ..errors import TranspileError
from ..graph import dtypes
from ..graph.constants import constant_text
from ..graph.dtypes import BY_SHORT_NAME, DataType
from .fingerprint import stable_text


class Parameter(NamedTuple):
    """One parameter of a specialisation: a pointer to ``dtype``, a scalar of ``dtype``, or the constant ``value``."""

    name: str
    kind: ParameterKind
    dtype: Optional[DataType] = None
    value: Any = None


@dataclass(frozen=True)
class Signature:
    """What a kernel is translated for: its parameters in order, each with its type or value."""

    parameters: tuple[Parameter, ...]

    def key_text(self) -> Optional[str]:
        """Text that is the same for equal signatures on every machine, or None if a constant has no such text."""
        parts = []
        for parameter in self.parameters:
            if parameter.kind is ParameterKind.CONSTANT:
                content = stable_text(parameter.value)
                if content is None:
                    return None
                parts.append(f"{parameter.name}={content}")
            else:
                parts.append(f"{parameter.name}:{_type_text(parameter.kind, parameter.dtype)}")
        return ";".join(parts)

    def __str__(self) -> str:
        constant = ParameterKind.CONSTANT
        return ", ".join(
            f"{p.name}={constant_text(p.value)}" if p.kind is constant else f"{p.name}: {_type_text(p.kind, p.dtype)}"
            for p in self.parameters
        )


def _type_text(kind: ParameterKind, dtype: Optional[DataType]) -> str:
    assert dtype is not None
    return f"*{dtype.short}" if kind is ParameterKind.POINTER else dtype.short


def signature_of(bound: BoundArguments) -> Signature:
    """The signature of a launch."""
    constant = ParameterKind.CONSTANT
    return Signature(
        tuple(
            Parameter(name, kind, None, value) if kind is constant else Parameter(name, kind, dtype)
            for name, kind, dtype, value, _ in bound.arguments
        )
    )


def parse_signature(kernel: Kernel, text: str) -> Signature:
    """Read ``'x_ptr: *f32, n: i32, tile=1024'``.

    Args:
        kernel: the kernel that the signature is for.
        text: per parameter ``name: type``, ``name: *type`` (pointer) or ``name=constant``; defaults may be left out.

    Raises:
        TranspileError: the text cannot be read, or does not fit the kernel; it shows the line to write.
        ConstantTypeError: a constant does not have the type of its annotation.
    """
    given: dict[str, Parameter] = {}
    for item in _split(text):
        parameter = _parse_item(kernel, item, text)
        if parameter.name in given:
            raise _unfit(kernel, f"the signature names {parameter.name!r} twice", given)
        given[parameter.name] = parameter
    unknown = [name for name in given if name not in kernel.parameters.names]
    if unknown:
        raise _unfit(kernel, f"{kernel.__name__} has no parameter {unknown[0]!r}", given)
    for name in kernel.parameters.names:
        if name not in given and name in kernel.parameters.defaults:
            given[name] = _from_default(kernel, name)
    missing = [name for name in kernel.parameters.names if name not in given]
    if missing:
        raise _unfit(kernel, f"the signature misses {', '.join(repr(name) for name in missing)}", given)
    for name, check in kernel.parameters.checks.items():
        parameter = given[name]
        if parameter.kind is not ParameterKind.CONSTANT:
            raise _unfit(kernel, f"{name!r} is a constant of {kernel.__name__}: write {name}=value", given, skip=name)
        given[name] = parameter._replace(value=check(name, parameter.value))
    return Signature(tuple(given[name] for name in kernel.parameters.names))


def suggest_signature(kernel: Kernel, given: Optional[dict[str, Parameter]] = None) -> str:
    """A signature line for ``kernel``, guessed from annotations and defaults where ``given`` says nothing."""
    given = given or {}
    return ", ".join(
        str(Signature((given[name],))) if name in given else _guess(kernel, name) for name in kernel.parameters.names
    )


def _unfit(kernel: Kernel, message: str, given: dict[str, Parameter], skip: str = "") -> TranspileError:
    known = {name: parameter for name, parameter in given.items() if name != skip}
    return TranspileError(message, remedy=f"write --signature {shlex.quote(suggest_signature(kernel, known))}")


_PAIRS = {"(": ")", "[": "]", "{": "}"}


def _split(text: str) -> list[str]:
    """Items between the commas that are outside of brackets and quotes."""
    items, start, depth, quote = [], 0, 0, ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote and text[position - 1] != "\\" else quote
        elif character in "'\"":
            quote = character
        elif character in _PAIRS:
            depth += 1
        elif character in _PAIRS.values():
            depth -= 1
        elif character == "," and depth == 0:
            items.append(text[start:position])
            start = position + 1
    items.append(text[start:])
    return [item.strip() for item in items if item.strip()]


_TYPED = re.compile(r"(\w+)\s*:\s*(\*?)\s*([\w.]+)\s*$")
_VALUED = re.compile(r"(\w+)\s*(?::[^=]*)?=\s*(?!=)(.*)$", re.DOTALL)


def _parse_item(kernel: Kernel, item: str, text: str) -> Parameter:
    typed = _TYPED.match(item)
    if typed:
        name, star, type_name = typed.groups()
        dtype = _dtype(type_name)
        if dtype is None:
            known = ", ".join(short for short in BY_SHORT_NAME if short != "void")
            raise TranspileError(f"signature: unknown type {type_name!r} of {name!r}", remedy=f"known types: {known}")
        return Parameter(name, ParameterKind.POINTER if star else ParameterKind.SCALAR, dtype)
    valued = _VALUED.match(item)
    if not valued:
        forms = "'name: type', 'name: *type' or 'name=constant'"
        raise _unfit(kernel, f"signature: cannot read {item!r}; write {forms}", {})
    name, source = valued.groups()
    known_names = {**vars(functions), **vars(builtins), **kernel.function.__globals__}
    try:
        value = _constant(ast.parse(source.strip(), mode="eval").body, known_names)
    except (SyntaxError, ValueError, TypeError):
        raise TranspileError(
            f"signature: cannot read the constant {source.strip()!r} of {name!r}",
            remedy="write a number, a quoted string, a list, tuple or dict of those, True, False, None, a data type, "
            "or a name that the kernel's module knows",
        ) from None
    return Parameter(name, ParameterKind.CONSTANT, None, value)


def _dtype(name: str) -> Optional[DataType]:
    name = name.rsplit(".", 1)[-1]
    if name in BY_SHORT_NAME:
        return BY_SHORT_NAME[name]
    try:
        return DataType(name)
    except ValueError:
        return None


def _constant(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """``ast.literal_eval`` that also knows data types, inf, nan, and ``names`` and their attributes."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in ("inf", "nan"):
            return float(name)
        dtype = _dtype(name)
        return _named(node, names) if dtype is None else dtype
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_constant(node.operand, names)
    if isinstance(node, ast.List):
        return [_constant(item, names) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple(_constant(item, names) for item in node.elts)
    if isinstance(node, ast.Dict):
        items = zip(node.keys, node.values)
        return {_constant(k, names): _constant(v, names) for k, v in items if k is not None}
    return ast.literal_eval(node)


def _named(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """What a dotted name stands for."""
    if isinstance(node, ast.Attribute):
        owner = _named(node.value, names)
        if hasattr(owner, node.attr):
            return getattr(owner, node.attr)
    elif isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    raise ValueError(ast.dump(node))


def _from_default(kernel: Kernel, name: str) -> Parameter:
    value = kernel.parameters.defaults[name]
    if name in kernel.parameters.checks:
        return Parameter(name, ParameterKind.CONSTANT, None, ConstExpr.unwrap(value))
    bound = classify(name, value)
    if bound.kind is ParameterKind.CONSTANT:
        return Parameter(name, bound.kind, None, bound.value)
    return Parameter(name, bound.kind, bound.dtype)


_GUESSES: dict[str, str] = {
    "int": "i32", "float": "f32", "bool": "i1", "GlobalAddress": "*f32", "asctile.GlobalAddress": "*f32",
}  # fmt: skip
_EXAMPLES: dict[str, str] = {"bool": "True", "float": "1.0", "str": "''", "DataType": "float32", "list": "[1]"}


def _guess(kernel: Kernel, name: str) -> str:
    annotation = kernel.parameters.annotations.get(name)
    shown = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", None) or str(annotation)
    if name in kernel.parameters.checks:
        if name in kernel.parameters.defaults:
            return f"{name}={constant_text(ConstExpr.unwrap(kernel.parameters.defaults[name]))}"
        inner = re.search(r"ConstExpr\[(.*)\]", str(annotation))
        wanted = (inner.group(1) if inner else "").rsplit(".", 1)[-1].strip("'<>")
        return f"{name}={_EXAMPLES.get(wanted, '1024')}"
    if name in kernel.parameters.defaults:
        return str(Signature((_from_default(kernel, name),)))
    if shown.rsplit(".", 1)[-1] == "DataType" or annotation is dtypes.DataType:
        return f"{name}=float32"
    guess = _GUESSES.get(shown) or _GUESSES.get(shown.rsplit(".", 1)[-1])
    return f"{name}: {guess or ('i32' if name in ('n', 'm', 'k', 'size') else '*f32')}"
