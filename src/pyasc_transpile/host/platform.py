"""Which machine kernels are generated for, and what runs them."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Optional, Union

from ..errors import ArgumentValueError, ToolchainError, TranspileError
from ..targets import PLATFORMS, PlatformInfo, find_platform
from . import toolchain
from .record import active_recorder


class Backend(enum.Enum):
    """What runs a kernel: the fast CPU build, the timed model, an NPU, or NumPy."""

    CPU = "CPU"
    Model = "Model"
    NPU = "NPU"
    Reference = "Reference"


Platform = enum.Enum("Platform", {name.replace("-", "_"): name for name in PLATFORMS})  # type: ignore[misc]
Platform.__doc__ = "The chips that kernels can be generated for."

_DEFAULT_PLATFORM = {
    Backend.CPU: "Ascend950PR_9599",
    Backend.Model: "Ascend910B1",
    Backend.NPU: "Ascend910B1",
    Backend.Reference: "Ascend950PR_9599",
}


@dataclass(frozen=True)
class Target:
    """The choice that launches follow.

    Attributes:
        checked: whether the CPU backend looks for faults (bounds, alignment, races ...) while it runs.
    """

    backend: Backend
    platform: PlatformInfo
    device_id: Optional[int] = None
    checked: bool = False

    @property
    def timed(self) -> bool:
        """Whether launches go through the timed build."""
        return self.backend is Backend.Model


_chosen: Optional[Target] = None


def set_platform(
    backend: Union[Backend, str],
    soc_version: Union[enum.Enum, str, None] = None,
    device_id: Optional[int] = None,
    check: bool = True,
    *,
    checked: bool = False,
) -> None:
    """Choose what runs kernels, and the chip that they are generated for.

    Args:
        backend: a :class:`Backend` or its name. ``CPU`` runs everywhere.
        soc_version: a :class:`Platform` or its value; each backend has a default.
        device_id: the NPU to use.
        check: find out now whether the backend can be used.
        checked: make the CPU backend report faults of a kernel, at the price of speed.

    Raises:
        ValueError: unknown backend or platform.
        RuntimeError: ``check`` is set and the backend cannot be used.
    """
    global _chosen
    target = _target(backend, soc_version, device_id, checked)
    if check and active_recorder() is None:
        require_backend(target.backend)
    _chosen = target


def current_target() -> Target:
    """The choice made with :func:`set_platform`, else that of the environment.

    ``PYASC_TRANSPILE_BACKEND``, ``PYASC_TRANSPILE_PLATFORM`` and ``PYASC_TRANSPILE_CHECKED`` are read at every call.
    """
    chosen = _chosen
    checked = os.environ.get("PYASC_TRANSPILE_CHECKED", "")
    if chosen is None:
        backend = os.environ.get("PYASC_TRANSPILE_BACKEND", "") or Backend.CPU
        return _target(backend, os.environ.get("PYASC_TRANSPILE_PLATFORM", "") or None, None, is_set(checked))
    if checked and not chosen.checked and is_set(checked):
        return Target(chosen.backend, chosen.platform, chosen.device_id, True)
    return chosen


def is_set(value: str) -> bool:
    """Whether the value of an environment variable means yes."""
    return value.strip().lower() not in ("", "0", "false", "no", "off")


def require_backend(backend: Backend) -> None:
    """Raise the error that says why ``backend`` cannot run kernels here, if it cannot."""
    if backend is Backend.NPU:
        if toolchain.find_bisheng() is None:
            raise ToolchainError(
                "the NPU backend needs CANN, which was not found (ASCEND_HOME_PATH is not set)",
                remedy="source set_env.sh of CANN, or run on the CPU: asctile.set_platform('CPU', ...)",
            )
        raise BackendError(
            "launching on an NPU from Python is not available in this version",
            remedy="write the output folder with pyasc-transpile and call <name>_launch of the library it builds",
        )
    if backend is Backend.Model:
        toolchain.find_compiler()


class BackendError(TranspileError, RuntimeError):
    """A backend cannot run kernels here."""


@contextmanager
def using_target(backend: Backend, platform: PlatformInfo) -> Iterator[None]:
    """Within it launches follow this choice."""
    global _chosen
    before, _chosen = _chosen, Target(backend, platform)
    try:
        yield
    finally:
        _chosen = before


@contextmanager
def keeping_choice() -> Iterator[None]:
    """Bring back the choice made before, or that none was made, at the end."""
    global _chosen
    before = _chosen
    try:
        yield
    finally:
        _chosen = before


def reset_platform() -> None:
    """Forget the choice made with :func:`set_platform`."""
    global _chosen
    _chosen = None


def _target(
    backend: Union[Backend, str], soc_version: Union[enum.Enum, str, None], device_id: Optional[int], checked: bool
) -> Target:
    found = _backend(backend)
    name = soc_version.value if isinstance(soc_version, enum.Enum) else soc_version
    if name is not None and not isinstance(name, str):
        raise ArgumentValueError(f"soc_version must be a Platform or a string, not {soc_version!r}")
    if device_id is not None and (isinstance(device_id, bool) or not isinstance(device_id, int) or device_id < 0):
        raise ArgumentValueError(f"device_id must be a number from 0, not {device_id!r}")
    return Target(found, _platform(name or _DEFAULT_PLATFORM[found]), device_id, bool(checked))


def _platform(name: str) -> PlatformInfo:
    return PLATFORMS.get(name) or find_platform(name)


def _backend(backend: Union[Backend, str]) -> Backend:
    if isinstance(backend, Backend):
        return backend
    for known in Backend:
        if isinstance(backend, str) and known.value.lower() == backend.lower():
            return known
    raise ArgumentValueError(
        f"unknown backend {backend!r}", remedy=f"known: {', '.join(known.value for known in Backend)}"
    )
