"""Noting the launches that a script makes, so that the command line knows which specialisations to write."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional

from ..targets import PlatformInfo

if TYPE_CHECKING:
    from ..asctile.jit import Kernel
    from ..asctile.options import CompileOptions
    from ..frontend.signature import Signature


@dataclass(frozen=True)
class RecordedLaunch:
    """A specialisation that a script launched."""

    kernel: Kernel
    signature: Signature
    platform: PlatformInfo
    options: CompileOptions


@dataclass
class Recorder:
    """Collects launches.

    Attributes:
        execute: whether launches run as well, on the CPU; without it arrays stay as they are.
    """

    execute: bool
    launches: list[RecordedLaunch] = field(default_factory=list)

    def add(self, launch: RecordedLaunch) -> None:
        self.launches.append(launch)


_active: Optional[Recorder] = None


def active_recorder() -> Optional[Recorder]:
    """The recorder that launches report to, or None."""
    return _active


@contextlib.contextmanager
def recording(execute: bool = True) -> Iterator[Recorder]:
    """Record the launches made inside the block, from any thread."""
    global _active
    before, _active = _active, Recorder(execute)
    try:
        yield _active
    finally:
        _active = before
