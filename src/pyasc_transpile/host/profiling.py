"""Measuring launches: on the CPU their time, on the backend ``Model`` the time that the model says.

>>> profiler = Profiler()
>>> with profiler.profile():
...     kernel[8](x, out, size)
>>> task_time_median(profiler.last_result.tasks)
"""

from __future__ import annotations

import contextlib
import enum
import itertools
import json
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ..errors import TranspileError
from .platform import Backend, current_target, require_backend

_TASK_TYPES = ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV")


class AicoreMetrics(enum.IntEnum):
    """Groups of counters of the device's profiler; accepted, of no effect on a CPU."""

    ARITHMETIC_UTILIZATION = 0
    PIPE_UTILIZATION = 1
    MEMORY_BANDWIDTH = 2
    L0B_AND_WIDTH = 3
    RESOURCE_CONFLICT_RATIO = 4
    MEMORY_UB = 5
    L2_CACHE = 6
    PIPE_EXECUTE_UTILIZATION = 7
    MEMORY_ACCESS = 8
    NONE = 255


class ProfileType(enum.IntFlag):
    """What the device's profiler collects; accepted, of no effect on a CPU."""

    ACL_API = 0x1
    TASK_TIME = 0x2
    AICORE_METRICS = 0x4
    AICPU = 0x8
    L2CACHE = 0x10
    HCCL_TRACE = 0x20
    TRAINING_TRACE = 0x40
    MSPROFTX = 0x80
    RUNTIME_API = 0x100
    TASK_TIME_L0 = 0x800
    TASK_MEMORY = 0x1000
    OP_ATTR = 0x4000


class ProfilingError(TranspileError, RuntimeError):
    """There is nothing to report, or the steps of a profiler come in the wrong order."""


@dataclass(frozen=True)
class ProfilingTask:
    """One launch.

    Attributes:
        name: name of the kernel.
        type: kind of core.
        duration: microseconds.
    """

    id: int
    name: str
    type: str
    duration: float


@dataclass(frozen=True)
class ProfilingResult:
    """What was measured between start and stop.

    Attributes:
        stored_at: folder with ``tasks.csv`` and, from the model, one ``task_<id>.json`` for each launch.
    """

    tasks: tuple[ProfilingTask, ...]
    run_id: str
    stored_at: Optional[Path]


def task_time_median(tasks: Sequence[ProfilingTask], name: Optional[str] = None, skip: int = 0) -> float:
    """Median duration in microseconds, rounded to three decimals.

    Args:
        name: only launches of this kernel; default: of the one launched first.
        skip: leave out that many launches at the start, if there are more.

    Raises:
        ProfilingError: there is no such launch.
    """
    import statistics  # slow to import, and launches import this module

    timed = [task for task in tasks if task.type in _TASK_TYPES]
    wanted = name if name is not None else timed[0].name if timed else None
    durations = [task.duration for task in timed if task.name == wanted]
    if not durations:
        raise ProfilingError(
            f"no launch{f' of {name}' if name else ''} was measured", remedy="launch the kernel inside of profile()"
        )
    return round(statistics.median(durations[skip:] or durations), 3)


@dataclass
class _Measurement:
    tasks: list[ProfilingTask] = field(default_factory=list)
    profiles: dict[int, Any] = field(default_factory=dict)


_measuring: list[_Measurement] = []
_lock = threading.Lock()


def measured(name: str, run: Callable[[], None]) -> None:
    """Do ``run``, a launch of the kernel ``name``, and tell the profilers that are started how long it took."""
    if not _measuring:
        run()
        return
    started = time.perf_counter()
    run()
    duration = (time.perf_counter() - started) * 1e6
    profile: Any = None
    if current_target().timed:
        from .model import last_profile  # needed by the model only

        profile = last_profile()
        duration = profile.microseconds if profile is not None else duration
    with _lock:
        for measurement in _measuring:
            task = ProfilingTask(len(measurement.tasks), name, "AI_VECTOR_CORE", duration)
            measurement.tasks.append(task)
            if profile is not None:
                measurement.profiles[task.id] = profile


class Profiler:
    """Measures the launches between :meth:`start` and :meth:`stop`, made by any thread.

    Args:
        result_path: folder for the results; without it they go to a temporary one, deleted by :meth:`cleanup`.
    """

    def __init__(self, result_path: Union[str, Path, None] = None) -> None:
        self._path = Path(result_path) if result_path is not None else None
        self._temporary: Optional[Path] = None
        self._measurement: Optional[_Measurement] = None
        self._runs = itertools.count()
        self._run_id = ""
        self._stopped: Optional[_Measurement] = None
        self._exported: Optional[Path] = None
        self._last: Optional[ProfilingResult] = None

    @property
    def last_result(self) -> ProfilingResult:
        """The latest result.

        Raises:
            ProfilingError: there is none.
        """
        if self._last is None:
            raise ProfilingError("nothing was profiled", remedy="launch kernels inside of 'with profiler.profile():'")
        return self._last

    @contextlib.contextmanager
    def profile(
        self,
        device_id: Optional[int] = None,
        cleanup: bool = True,
        metrics: AicoreMetrics = AicoreMetrics.PIPE_UTILIZATION,
        profile_types: Optional[ProfileType] = None,
    ) -> Iterator[None]:
        """Measure the launches in a ``with`` block; the result is in :attr:`last_result` afterwards."""
        self.start(device_id, metrics, profile_types)
        try:
            yield
        finally:
            self.stop()
        self.export()
        self.store_last_result()
        if cleanup:
            self.cleanup()

    def start(
        self,
        device_id: Optional[int] = None,
        metrics: AicoreMetrics = AicoreMetrics.PIPE_UTILIZATION,
        profile_types: Optional[ProfileType] = None,
    ) -> None:
        """Begin to measure.

        Raises:
            ProfilingError: it was begun before.
            TranspileError: the backend cannot run kernels here.
        """
        if self._measurement is not None:
            raise ProfilingError("the profiler was started before", remedy="stop it first")
        if current_target().backend is Backend.NPU:
            require_backend(Backend.NPU)
        self._measurement = _Measurement()
        self._run_id = f"run_{next(self._runs):04d}"
        with _lock:
            _measuring.append(self._measurement)

    def stop(self) -> None:
        """End measuring.

        Raises:
            ProfilingError: it was not begun.
        """
        if self._measurement is None:
            raise ProfilingError("the profiler was not started", remedy="call start, or use 'with profiler.profile():'")
        with _lock:
            _measuring[:] = [other for other in _measuring if other is not self._measurement]
        self._stopped, self._measurement = self._measurement, None

    def export(self) -> Path:
        """Write the results of the last run as files; returns their folder."""
        import csv  # needed here only

        if self._stopped is None:
            raise ProfilingError("there is nothing to export", remedy="start and stop the profiler first")
        if self._path is None and self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="pyasc-profile-"))
        base = self._path if self._path is not None else self._temporary
        assert base is not None
        folder = base / self._run_id
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "tasks.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["Task ID", "Kernel Name", "Task Type", "Duration(us)"])
            writer.writerows((task.id, task.name, task.type, f"{task.duration:.3f}") for task in self._stopped.tasks)
        for ident, profile in self._stopped.profiles.items():
            (folder / f"task_{ident}.json").write_text(json.dumps(profile.to_json(), indent=2) + "\n", encoding="utf-8")
        self._exported = folder
        return folder

    def store_last_result(self) -> None:
        """Make the last run the :attr:`last_result`."""
        if self._stopped is None:
            raise ProfilingError("there is no result to store", remedy="start and stop the profiler first")
        kept = self._exported if self._path is not None else None
        self._last = ProfilingResult(tuple(self._stopped.tasks), self._run_id, kept)

    def cleanup(self) -> None:
        """Delete the temporary folder, if there is one; results below a given path stay."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
            self._temporary = None
