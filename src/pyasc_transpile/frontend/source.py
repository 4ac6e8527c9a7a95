"""Source text and syntax trees of Python functions, and places in them."""

from __future__ import annotations

import ast
import functools
import hashlib
import linecache
import os
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from ..errors import Span, TranspileError

FunctionNode = Union[ast.FunctionDef, ast.Lambda]


class SourceFile:
    """The lines of one Python file and its function definitions by line."""

    def __init__(self, filename: str, lines: list[str]) -> None:
        self.filename = filename
        self.lines = lines
        self.tree = ast.parse("".join(lines), filename)
        self._functions: dict[int, list[FunctionNode]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                self._functions.setdefault(first, []).append(node)
            elif isinstance(node, ast.Lambda):
                self._functions.setdefault(node.lineno, []).append(node)

    def find(self, code: types.CodeType) -> Optional[FunctionNode]:
        """The definition that ``code`` was compiled from, or None if it is not there or not unique."""
        found = [node for node in self._functions.get(code.co_firstlineno, ()) if _name(node) == code.co_name]
        if len(found) > 1:
            found = [node for node in found if _parameters(node) == _code_parameters(code)]
        if len(found) > 1:
            found = _same_place(found, code)
        return found[0] if len(found) == 1 else None

    def line(self, number: int) -> str:
        """Text of a line, counted from 1."""
        return self.lines[number - 1].rstrip("\r\n") if 0 < number <= len(self.lines) else ""


def _name(node: FunctionNode) -> str:
    return node.name if isinstance(node, ast.FunctionDef) else "<lambda>"


def _parameters(node: FunctionNode) -> list[str]:
    arguments = node.args
    return [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _code_parameters(code: types.CodeType) -> list[str]:
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _same_place(nodes: list[FunctionNode], code: types.CodeType) -> list[FunctionNode]:
    """Of definitions that share their first line and parameters, those that ``code`` may be of."""
    if hasattr(code, "co_positions"):  # Python 3.11: instructions know their columns
        known = [place for place in code.co_positions() if None not in place and place[2:] != (0, 0)]
        begin, end = min(place[::2] for place in known), max(place[1::2] for place in known)
        around = [
            node
            for node in nodes
            if isinstance(node, ast.Lambda)
            and (node.body.lineno, node.body.col_offset) <= begin
            and end <= (node.body.end_lineno or 0, node.body.end_col_offset or 0)
        ]
        return [max(around, key=lambda node: (node.lineno, node.col_offset))] if around else []  # the innermost one
    return [node for node in nodes if isinstance(node, ast.Lambda) and _compiles_to(node, code)]


def _compiles_to(node: ast.Lambda, code: types.CodeType) -> bool:
    text = f"def around({', '.join(code.co_freevars)}):\n return {ast.unparse(node)}"
    around = next(each for each in compile(text, "", "exec").co_consts if isinstance(each, types.CodeType))
    made = next(each for each in around.co_consts if isinstance(each, types.CodeType))
    return (made.co_code, made.co_consts, made.co_names) == (code.co_code, code.co_consts, code.co_names)


@dataclass(frozen=True)
class FunctionSource:
    """Syntax tree of one function with the file it stands in."""

    file: SourceFile
    node: FunctionNode

    @property
    def first_line(self) -> int:
        decorators = self.node.decorator_list if isinstance(self.node, ast.FunctionDef) else []
        return min([self.node.lineno, *(decorator.lineno for decorator in decorators)])

    @property
    def text(self) -> str:
        """The lines of the function, decorators included."""
        return "".join(self.file.lines[self.first_line - 1 : self.node.end_lineno])

    @functools.cached_property
    def digest(self) -> str:
        """Hash of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def span(self, node: Any) -> Span:
        """The place of a syntax node."""
        line = self.file.line(node.lineno)
        column = node.col_offset
        if not line.isascii():
            column = len(line.encode()[:column].decode(errors="ignore"))
        return Span(display_name(self.file.filename), node.lineno, column, line)


_files: dict[str, SourceFile] = {}
_functions: dict[tuple[str, types.CodeType], FunctionSource] = {}


def function_source(function: types.FunctionType) -> FunctionSource:
    """Source of a function; parsed once.

    Raises:
        TranspileError: the source text is not available.
    """
    code = function.__code__
    key = (code.co_filename, code)  # equal code in two files compares equal
    found = _functions.get(key)
    if found is None:
        file = _source_file(code.co_filename, function.__globals__)
        node = file.find(code) if file is not None else None
        if file is None or node is None:
            raise TranspileError(
                f"the source text of {function.__qualname__} is not available",
                remedy="define it with def in a file (or a notebook cell) that exists and has not changed since import",
            )
        found = _functions[key] = FunctionSource(file, node)
    return found


def _source_file(filename: str, module_globals: dict[str, Any]) -> Optional[SourceFile]:
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, module_globals)
    if not lines:
        return None
    file = _files.get(filename)
    if file is None or file.lines is not lines:
        try:
            file = SourceFile(filename, lines)
        except SyntaxError:
            return None
        _files[filename] = file
    return file


_display: dict[tuple[str, str], str] = {}


def display_name(filename: str) -> str:
    """How a file is called in messages: relative to the working directory, never absolute."""
    if filename.startswith("<"):
        return filename
    directory = os.getcwd()
    shown = _display.get((filename, directory))
    if shown is None:
        absolute = os.path.abspath(filename)
        below = absolute.startswith(os.path.join(directory, ""))
        shown = os.path.relpath(absolute, directory) if below else os.path.basename(absolute)
        _display[filename, directory] = shown = shown.replace(os.sep, "/")
    return shown


_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
_INSTALLED = ("site-packages", "dist-packages")


@functools.lru_cache(maxsize=4096)
def stable_name(filename: str) -> str:
    """How a file is called in generated text: the same from every working directory and on every machine.

    It is relative to the project that the file belongs to, or to where packages are installed; outside of both it is
    the bare name.
    """
    if filename.startswith("<"):
        return filename
    path = Path(os.path.abspath(filename))
    for folder in path.parents:
        if folder.name in _INSTALLED or any((folder / mark).exists() for mark in _PROJECT_MARKS):
            return path.relative_to(folder).as_posix()
    return path.name
