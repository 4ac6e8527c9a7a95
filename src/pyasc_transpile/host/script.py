"""Running user code: importing a kernel file, running it as the main program, and saying where it failed."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Optional

from ..errors import Span, TranspileError


def import_file(file: Path) -> Mapping[str, Any]:
    """Import a Python file as a module and return what it defines; its main part does not run.

    Raises:
        TranspileError: whatever the file raises, with its place in the file.
    """
    return _load(file, lambda: _import(file))


def run_file(file: Path) -> Mapping[str, Any]:
    """Run a Python file as the main program and return what it defined.

    Raises:
        TranspileError: whatever the file raises, with its place in the file.
    """
    return _load(file, lambda: runpy.run_path(str(file), run_name="__main__"))


def has_main_part(file: Path) -> bool:
    """Whether the script does more than define things: a statement at its top level may launch kernels."""
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except (SyntaxError, ValueError):
        return True
    definitions = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    return any(not isinstance(node, definitions) and not _is_docstring(node) for node in tree.body)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _import(file: Path) -> Mapping[str, Any]:
    name = file.stem if file.stem.isidentifier() and file.stem not in sys.modules else "_kernels"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise TranspileError(f"{file} cannot be imported", remedy="the name of a Python file ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return vars(module)


def _load(file: Path, run: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Run user code as if Python had been started with it; whatever it raises becomes one message."""
    arguments, path = sys.argv, list(sys.path)
    sys.argv = [str(file)]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output is for what was asked of this program
            return run()
    except TranspileError as error:
        if error.span is None:
            _locate(error, file)
        raise
    except SystemExit as stop:
        if stop.code in (None, 0):
            return {}
        raise TranspileError(f"{file} ended with exit code {stop.code!r}") from None
    except SyntaxError as error:
        span = Span(
            _relative(error.filename or str(file)), error.lineno or 1, (error.offset or 1) - 1, error.text or ""
        )
        raise TranspileError(f"SyntaxError: {error.msg}", span=span) from error
    except Exception as error:
        if debugging():
            traceback.print_exception(type(error), error, error.__traceback__)
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        failure = TranspileError(message)
        _locate(failure, file, error.__traceback__)
        raise failure from error
    finally:
        sys.argv = arguments
        sys.path[:] = path


def _locate(failure: TranspileError, file: Path, trace: Optional[TracebackType] = None) -> None:
    """Say where in the user's file an error arose."""
    here = os.path.realpath(file)
    frames = traceback.extract_tb(trace if trace is not None else failure.__traceback__)
    for frame in reversed(frames):
        if os.path.realpath(frame.filename) == here and frame.lineno is not None:
            text = frame.line or ""
            failure.locate(Span(str(file), frame.lineno, 0, text))
            return
    failure.locate(Span(str(file), 1))


def _relative(filename: str) -> str:
    relative = os.path.relpath(filename)
    return filename if relative.startswith("..") else relative


def debugging() -> bool:
    """Whether Python tracebacks are wanted: PYASC_TRANSPILE_DEBUG=1."""
    return os.environ.get("PYASC_TRANSPILE_DEBUG", "") not in ("", "0")
