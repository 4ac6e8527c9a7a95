"""Makes a failing kernel as small as it can be while it still fails in the same way."""

from __future__ import annotations

import ast
import copy
import dataclasses
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support.differential import Failure, check
from tests.support.random_kernels import RandomKernel

_BATCH = 16  # candidates in one compilation
_FAULT = re.compile(r"\n[\w.]+:\d+: (\w+: .*)")
_OTHER = re.compile(r"differ|does not compile|crash of the transpiler: \w+|^\w+Error")
_PLACES = re.compile(r"\[[^\]]*\)|line \d+|block \d+|\d+ bytes|0x\w+")


def kind_of(message: str) -> str:
    """What sort of failure a message tells of: a fault without its places and numbers."""
    fault, other = _FAULT.search(message), _OTHER.search(message)
    if fault:
        return _PLACES.sub("", fault.group(1))
    return other.group(0) if other else message


def still_fails(failure: Failure) -> Callable[[Sequence[RandomKernel]], list[bool]]:
    """A test of kernels: which of them fail like ``failure``, in the same build."""

    def test(kernels: Sequence[RandomKernel]) -> list[bool]:
        renamed = [_renamed(kernel, f"kernel_{number}") for number, kernel in enumerate(kernels)]
        variants = [[failure.variant] if failure.variant else []] * len(renamed)
        with tempfile.TemporaryDirectory() as folder:
            outcome = check(renamed, Path(folder), variants)
        same = {
            other.kernel.name
            for other in outcome.failures
            if other.variant == failure.variant and kind_of(other.message) == kind_of(failure.message)
        }
        return [kernel.name in same for kernel in renamed]

    return test


def _renamed(kernel: RandomKernel, name: str) -> RandomKernel:
    source = re.sub(rf"\b{kernel.name}(?=\b|_helper)", name, kernel.source)
    return dataclasses.replace(kernel, name=name, source=source)


def shrink(
    kernel: RandomKernel, test: Callable[[Sequence[RandomKernel]], list[bool]], seconds: float = 120
) -> RandomKernel:
    """The smallest kernel found within ``seconds`` for which ``test`` holds."""
    end = time.monotonic() + seconds
    tried: set[Any] = set()
    while time.monotonic() < end:
        for group in _groups(kernel, tried):
            passed = [candidate for candidate, holds in zip(group, test(group)) if holds]
            if passed:
                kernel = min(passed, key=_size)
                break
            if time.monotonic() > end:
                return kernel
        else:
            return kernel
    return kernel


def _size(kernel: RandomKernel) -> tuple[int, int]:
    return len(ast.dump(ast.parse(kernel.source))), kernel.blocks + sum(int(v) for v in kernel.scalars.values())


def _groups(kernel: RandomKernel, tried: set[Any]) -> Iterator[list[RandomKernel]]:
    """Smaller kernels, the smallest first, some at a time."""
    waiting = []
    for candidate in sorted(_smaller(kernel), key=_size):
        key = (candidate.source, candidate.blocks, tuple(candidate.scalars.items()))
        if key not in tried:
            tried.add(key)
            waiting.append(candidate)
    for start in range(0, len(waiting), _BATCH):
        yield waiting[start : start + _BATCH]


def _smaller(kernel: RandomKernel) -> Iterator[RandomKernel]:
    if kernel.blocks > 1:
        yield dataclasses.replace(kernel, blocks=1)
    for name, value in kernel.scalars.items():
        if isinstance(value, int) and value > 1:
            for less in {1, value // 2, value - 1}:
                yield dataclasses.replace(kernel, scalars={**kernel.scalars, name: less})
    tree = ast.parse(kernel.source)
    positions = [(path, node) for path, node in _walk(tree, ())]
    for path, node in positions:
        for replacement in _replacements(node, path):
            changed = copy.deepcopy(tree)
            if _replace(changed, path, copy.deepcopy(replacement)):
                try:
                    source = ast.unparse(ast.fix_missing_locations(changed)) + "\n\n"
                except Exception:  # noqa: BLE001 - not every replacement is a program
                    continue
                yield dataclasses.replace(kernel, source=source)


Path_ = tuple[Any, ...]


def _walk(node: ast.AST, path: Path_) -> Iterator[tuple[Path_, ast.AST]]:
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield (*path, (name, index)), item
                    yield from _walk(item, (*path, (name, index)))
        elif isinstance(value, ast.AST):
            yield (*path, (name, None)), value
            yield from _walk(value, (*path, (name, None)))


def _replacements(node: ast.AST, path: Path_) -> Iterator[Any]:
    """What a node may become: None deletes a statement, a list takes its place."""
    if isinstance(node, ast.stmt):
        if not isinstance(node, ast.Return):
            yield None
        for body in (getattr(node, "body", []), getattr(node, "orelse", [])):
            if body and not isinstance(node, ast.FunctionDef):
                yield body
        if isinstance(node, ast.If) and node.orelse:
            yield ast.If(node.test, node.body, [])
    elif isinstance(node, ast.keyword):
        yield None
    elif isinstance(node, ast.expr) and not isinstance(node, (ast.Constant, ast.Name)):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr) and not (isinstance(child, ast.Name) and child.id == "asctile"):
                yield child
        if isinstance(node, ast.Call):
            yield from (argument for argument in node.args)
            if isinstance(node.func, ast.Attribute):
                yield node.func.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 1:
        for less in {1, node.value // 2, node.value - 1}:
            yield ast.Constant(less)


def _replace(tree: ast.AST, path: Path_, replacement: Any) -> bool:
    node: Any = tree
    for name, index in path[:-1]:
        node = getattr(node, name) if index is None else getattr(node, name)[index]
    name, index = path[-1]
    if index is None:
        if replacement is None or isinstance(replacement, list):
            return False
        setattr(node, name, replacement)
        return True
    items = getattr(node, name)
    if replacement is None or isinstance(replacement, list):
        items[index : index + 1] = replacement or []
        if not items and name == "body":
            items.append(ast.Pass())
    else:
        items[index] = replacement
    return True
