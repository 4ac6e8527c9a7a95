"""Imports point one way: ``asctile, frontend -> graph <- ops <- lower <- schedule <- emit <- host <- cli``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import pyasc_transpile

ROOT = Path(pyasc_transpile.__file__).resolve().parent
PACKAGE = "pyasc_transpile"

EVERYONE = {"errors", "targets", "_version"}
_GRAPH = {"graph"}
_OPS = {"ops", *_GRAPH}
_ASCTILE = {"asctile", *_OPS}
_FRONTEND = {"frontend", *_ASCTILE}
_LOWER = {"lower", *_OPS}
_SCHEDULE = {"schedule", *_LOWER}
_EMIT = {"emit", *_SCHEDULE}
_PIPELINE = {"pipeline", "passes", *_EMIT, *_FRONTEND}
_REPORT = {"report", *_PIPELINE}
_HOST = {"host", "reference", *_REPORT}

#: For each room, the rooms that it may import besides itself and those open to everyone.
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "_version": set(),
    "errors": set(),
    "targets": set(),
    "graph": _GRAPH,
    "ops": _OPS,
    "asctile": _ASCTILE,
    "frontend": _FRONTEND,
    "passes": {"passes", *_OPS},
    "reference": {"reference", *_OPS},
    "lower": _LOWER,
    "schedule": _SCHEDULE,
    "emit": _EMIT,
    "pipeline": _PIPELINE,
    "report": _REPORT,
    "host": _HOST,
    "compat": {"compat", *_HOST},
    "pytest_plugin": {"compat", *_HOST},
    "cli": {"compat", *_HOST},
    "__main__": {"cli", "compat", *_HOST},
}

#: Files that may import upwards inside of functions: kernels are launched, and helpers called, by what they import.
LATE = {
    ("asctile/__init__.py", "host"),
    ("asctile/jit.py", "frontend"),
    ("asctile/jit.py", "host"),
}


class Import(NamedTuple):
    """An import of one room of the package by a file of another."""

    file: str
    line: int
    room: str
    target: str
    late: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.room} imports {self.target}"


def imports_of(source: str, file: str) -> Iterator[Import]:
    """Imports of the package's other rooms in one file, given relative to the package."""
    path = Path(file)
    package = [PACKAGE, *path.parent.parts]
    room = path.parts[0] if len(path.parts) > 1 else path.stem
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while pending:
        node, late = pending.pop()
        for module in _modules(node, package):
            parts = module.split(".")
            target = parts[1] if len(parts) > 1 else "__init__"
            if parts[0] == PACKAGE and target != room:
                yield Import(file, getattr(node, "lineno", 0), room, target, late)
        within = late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        pending.extend((child, within) for child in ast.iter_child_nodes(node))


def _modules(node: ast.AST, package: list[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = package[: len(package) - node.level + 1] if node.level else []
    module = ".".join([*base, *([node.module] if node.module else [])])
    if module == PACKAGE:  # "from .. import ops" imports a room
        return [f"{PACKAGE}.{alias.name}" for alias in node.names]
    return [module]


def faults(imports: list[Import]) -> list[str]:
    """One line for each import that points the wrong way."""
    wrong = []
    for found in imports:
        if found.room not in MAY_IMPORT:
            wrong.append(f"{found}: say in MAY_IMPORT what {found.room} may import")
        elif found.target not in MAY_IMPORT[found.room] | EVERYONE and not (
            found.late and (found.file, found.target) in LATE
        ):
            wrong.append(f"{found}, which may only import {', '.join(sorted(MAY_IMPORT[found.room] | EVERYONE))}")
    return wrong


def all_imports() -> list[Import]:
    files = sorted(ROOT.rglob("*.py"))
    return [
        found
        for path in files
        for found in imports_of(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    ]


def test_imports_point_one_way() -> None:
    assert faults(all_imports()) == []


def test_every_room_is_in_the_table() -> None:
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")} | {path.stem for path in ROOT.glob("*.py")}
    assert rooms <= MAY_IMPORT.keys()


def test_nothing_imports_the_command_line() -> None:
    assert [str(found) for found in all_imports() if found.target == "cli" and found.room != "__main__"] == []


def test_every_listed_exception_is_still_needed() -> None:
    late = {(found.file, found.target) for found in all_imports() if found.late}
    assert late >= LATE


def test_the_table_has_no_cycles() -> None:
    order = list(MAY_IMPORT)
    for room, allowed in MAY_IMPORT.items():
        for target in allowed - {room}:
            assert room not in MAY_IMPORT[target], f"{room} and {target} may import each other"
    assert len(set(order)) == len(order)


@pytest.mark.parametrize(
    ("file", "source", "message"),
    [
        ("graph/bad.py", "from ..ops import OPERATIONS", "graph/bad.py:1: graph imports ops"),
        ("graph/bad.py", "\nfrom .. import ops", "graph/bad.py:2: graph imports ops"),
        ("graph/bad.py", "import pyasc_transpile.lower.expr", "graph imports lower"),
        ("lower/deep/bad.py", "from ...host import cache", "lower imports host"),
        ("ops/bad.py", "def f():\n    from ..lower import lowering", "ops/bad.py:2: ops imports lower"),
        ("asctile/jit.py", "from ..host.launch import launch", "asctile imports host"),
        ("host/bad.py", "from ..cli import main", "host imports cli"),
        ("targets/bad.py", "from pyasc_transpile.graph import types", "targets imports graph"),
        ("attic/bad.py", "from ..graph import types", "say in MAY_IMPORT what attic may import"),
    ],
)
def test_an_import_that_points_the_wrong_way_is_reported(file: str, source: str, message: str) -> None:
    (fault,) = faults(list(imports_of(source, file)))
    assert message in fault


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("ops/good.py", "from ..graph import types\nfrom ..errors import Span\nfrom ..targets import PLATFORMS"),
        ("graph/good.py", "from .types import Type\nimport ast\nfrom collections import abc"),
        ("asctile/jit.py", "def f():\n    from ..host.launch import launch"),
    ],
)
def test_imports_the_right_way_pass(file: str, source: str) -> None:
    assert faults(list(imports_of(source, file))) == []
