"""Kernels that must be refused: class of the error or of its cause, its line and its message.

A kernel is written as a function, whose line ending in ``# here`` is to blame, or as one expression.
"""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Optional

import pytest

from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.errors import TranspileError
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.frontend.walker import trace
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

Refusal = tuple[Kernel, Optional[type], str]


def expect_refusal(make: Callable[[], Any], error: Optional[type], message: str, line: int) -> None:
    """Expect that ``make`` raises a TranspileError at ``line`` that is an ``error``, or has one as its cause.

    ``error``: None if there is no cause.
    """
    with pytest.raises(TranspileError) as caught:
        make()
    found: Any = caught.value
    cause = found.__cause__
    right = cause is None if error is None else isinstance(found, error) or isinstance(cause, error)
    assert right, (type(found), cause)
    assert message in str(found), str(found)
    assert found.lineno == line


# --- functions --------------------------------------------------------------------------------------------------------


def refusals(cases: list[Refusal], kernel_of: Callable[[Any], Kernel]) -> Callable[..., Any]:
    """A decorator that collects kernels whose line ending in ``# here`` must be refused."""

    def refused(cause: type, message: str) -> Callable[[Any], Any]:
        def note(function: Any) -> Any:
            cases.append((kernel_of(function), cause, message))
            return function

        return note

    return refused


def line_to_blame(kernel: Kernel) -> int:
    """Where the kernel's source says ``# here``."""
    lines, first = inspect.getsourcelines(kernel.function)
    return first + next(number for number, line in enumerate(lines) if line.rstrip().endswith("# here"))


def check_refusal(refusal: Refusal, signature: str) -> None:
    """Trace a kernel and compare its error."""
    kernel, cause, message = refusal
    expect_refusal(lambda: trace(kernel, parse_signature(kernel, signature)), cause, message, line_to_blame(kernel))


# --- expressions ------------------------------------------------------------------------------------------------------

_HEAD = """from pyasc_transpile import asctile


@asctile.jit
def kernel(p, q, n, f):
    g = asctile.global_tensor(p, [8, 40])
    h = asctile.global_tensor(q, [64])
    x = asctile.copy_in(g, [0, 0], [4, 8])
    y = asctile.copy_in(h, [0], [16])
    result = {code}
    if isinstance(result, asctile.LocalTensor):
        asctile.copy_out(result.ravel(), asctile.global_tensor(p, [result.size]), [0])
"""
_SIGNATURE = "p: *f32, q: *i32, n: i32, f: f32"


def load(folder: Path, text: str) -> ModuleType:
    """A module with ``text`` as its source."""
    path = folder / "rule_kernel.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("rule_kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_rules(folder: Path, code: str, error: type, message: str, platform: str = "Ascend950PR_9599") -> None:
    """Expect that an expression in a kernel is refused.

    The kernel has global tensors ``g`` (8 x 40, float32) and ``h`` (64, int32), tiles ``x`` (4 x 8) and ``y`` (16) of
    them, an int ``n`` and a float ``f``.
    """
    text = _HEAD.replace("{code}", code)
    kernel = load(folder, text).kernel
    line = next(number for number, each in enumerate(text.splitlines(), 1) if each.startswith("    result = "))

    def make() -> None:
        transpile(kernel, parse_signature(kernel, _SIGNATURE), find_platform(platform), kernel.options)

    expect_refusal(make, error, message, line)
