"""Noting the launches that a script makes, so that the command line knows which specialisations to write."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from ..targets import PlatformInfo

if TYPE_CHECKING:
    from ..asctile.jit import Kernel
    from ..asctile.options import CompileOptions
    from ..frontend.signature import Signature
    from .model import Profile


@dataclass(frozen=True)
class Timing:
    """The profile of a specialisation, or why there is none."""

    profile: Optional[Profile]
    missing: str = ""


@dataclass(frozen=True)
class TimingRequest:
    """Asks that the first launch of every specialisation runs on the model.

    Attributes:
        platform: the chip; None for that of the launch.
        overrides: options that are set whatever the launch says.
    """

    platform: Optional[PlatformInfo]
    overrides: Mapping[str, Any]


@dataclass(frozen=True)
class RecordedLaunch:
    """A specialisation that a script launched."""

    kernel: Kernel
    signature: Signature
    platform: PlatformInfo
    options: CompileOptions

    @property
    def key(self) -> str:
        """What tells the specialisations of one run of a script apart."""
        types = self.signature.key_text() or str(self.signature)
        return f"{id(self.kernel)}/{self.platform.name}/{self.options.key_text()}/{types}"


@dataclass
class Recorder:
    """Collects launches.

    Attributes:
        execute: whether launches run as well, on the CPU; without it arrays stay as they are.
        timing: whether first launches run on the model instead.
        timings: what the model said, by :attr:`RecordedLaunch.key`.
    """

    execute: bool
    launches: list[RecordedLaunch] = field(default_factory=list)
    timing: Optional[TimingRequest] = None
    timings: dict[str, Timing] = field(default_factory=dict)

    def add(self, launch: RecordedLaunch) -> None:
        self.launches.append(launch)


_active: Optional[Recorder] = None


def active_recorder() -> Optional[Recorder]:
    """The recorder that launches report to, or None."""
    return _active


@contextlib.contextmanager
def recording(execute: bool = True, timing: Optional[TimingRequest] = None) -> Iterator[Recorder]:
    """Record the launches made inside the block, from any thread."""
    global _active
    before, _active = _active, Recorder(execute, timing=timing)
    try:
        yield _active
    finally:
        _active = before
