"""Kernels that must be refused: class of the error, its cause, its line and its message."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Optional

import pytest

from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.errors import CodegenError
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.frontend.walker import trace

Refusal = tuple[Kernel, Optional[type], str]


def refusals(cases: list[Refusal], kernel_of: Callable[[Any], Kernel]) -> Callable[..., Any]:
    """A decorator that collects kernels whose line ending in ``# here`` must be refused."""

    def refused(cause: type, message: str) -> Callable[[Any], Any]:
        def note(function: Any) -> Any:
            cases.append((kernel_of(function), cause, message))
            return function

        return note

    return refused


def check_refusal(refusal: Refusal, signature: str) -> None:
    """Trace a kernel and compare its error."""
    kernel, cause, message = refusal
    with pytest.raises(CodegenError) as caught:
        trace(kernel, parse_signature(kernel, signature))
    assert type(caught.value.__cause__) is cause
    assert message in str(caught.value)
    lines, first = inspect.getsourcelines(kernel.function)
    here = next(number for number, line in enumerate(lines) if line.rstrip().endswith("# here"))
    assert caught.value.lineno == first + here
