"""Every error that the package raises on purpose derives from :class:`TranspileError`.

A message for a kernel's author has one shape everywhere::

    kernel.py:12: error: <what is wrong>
        result = x + y
                 ^
    help: <what would be right>
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional


@dataclass(frozen=True)
class Span:
    """A place in a Python source file: 1-based line, 0-based column, and the text of that line."""

    filename: str
    line: int
    column: int = 0
    text: str = ""

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}"


class TranspileError(Exception):
    """Base of all errors of this package.

    Attributes:
        filename: Python file that the error is about, or None.
        lineno: 1-based line in that file, or None.
    """

    def __init__(self, message: str, *, span: Optional[Span] = None, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        self.span = span
        super().__init__(self._render())

    @property
    def filename(self) -> Optional[str]:
        return self.span.filename if self.span else None

    @property
    def lineno(self) -> Optional[int]:
        return self.span.line if self.span else None

    def locate(self, span: Span) -> None:
        """Attach a place to an error raised where none was known; the first place given wins."""
        if self.span is None:
            self.span = span
            self.args = (self._render(),)

    def _render(self) -> str:
        lines = []
        if self.span is None:
            lines.append(self.message)
        else:
            lines.append(f"{self.span}: error: {self.message}")
            if self.span.text.strip():
                stripped = self.span.text.lstrip()
                caret = max(self.span.column - (len(self.span.text) - len(stripped)), 0)
                lines.append(f"    {stripped.rstrip()}")
                lines.append(f"    {' ' * caret}^")
        if self.remedy:
            lines.append(f"help: {self.remedy}")
        return "\n".join(lines)


class CodegenError(TranspileError):
    """A kernel body cannot be translated; ``__cause__`` is the Python exception behind it, if any."""


class UnsupportedSyntaxError(CodegenError):
    """A kernel uses Python syntax that has no meaning on the device."""


class LoweringError(TranspileError, RuntimeError):
    """A graph is well-formed but the target architecture cannot run it."""


class MemoryOverflowError(TranspileError, RuntimeError):
    """The tiles of a kernel do not fit into an on-chip memory."""

    def advise(self, largest: Mapping[str, int]) -> None:
        """Add the largest value of each compile-time number with which the tiles would fit."""
        if largest:
            listed = " or ".join(f"{name} <= {value}" for name, value in largest.items())
            self.remedy = f"{self.remedy}; it would fit with {listed}"
            self.args = (self._render(),)


class SynchronisationError(TranspileError, RuntimeError):
    """The synchronisation of a generated program is not enough: a fault of this package, found by ``verify_sync``."""


class OptionError(TranspileError, RuntimeError):
    """An option of ``jit`` or of a launch is unknown or out of range."""


class ArgumentTypeError(TranspileError, TypeError):
    """A launch argument has a type that a kernel cannot take."""


class ArgumentValueError(TranspileError, ValueError):
    """A launch argument has the right type but a value that a kernel cannot take."""


class ConstantTypeError(TranspileError, RuntimeError):
    """A compile-time constant does not satisfy the type of its ``ConstExpr[...]`` annotation."""


class ToolchainError(TranspileError, RuntimeError):
    """No compiler was found, or the one found rejected the generated code."""


class DeviceFaultError(TranspileError, RuntimeError):
    """The checked CPU build, or the reference, found a fault while a kernel ran."""
