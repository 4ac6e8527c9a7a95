"""The backend ``Model``: kernels run on the timed CPU build, which gives results and cycles."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from ..targets import PlatformInfo
from ..targets.costs import clock_mhz, cost_values
from .abi import AbiParameter
from .library import KernelLibrary

if TYPE_CHECKING:
    from ..asctile.jit import Kernel

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")


@dataclass(frozen=True)
class TimelineEvent:
    """One instruction: the pipe it ran on, its name, the line of the Python file, and its cycles in the block.

    Attributes:
        line: 0 where the kernel does not say.
    """

    pipe: str
    name: str
    line: int
    start: float
    end: float


@dataclass(frozen=True)
class Profile:
    """What the model says about one launch. Cycles are those of the core clock; all numbers are estimates.

    Attributes:
        cycles: cycles of each block.
        total_cycles: of the launch: start of the launch, and the blocks in waves if there are more than cores.
        busy: cycles in which a pipe had an instruction under way, for each block by pipe.
        instructions: how often each instruction ran, all blocks together.
        pipe_instructions: instructions per pipe, for each block.
        synchronisations: flags set and waited for, locks, barriers and queue operations, for each block.
        bytes_in: bytes read from global memory, for each block.
        bytes_out: bytes written to global memory, for each block.
        timeline: the instructions of one block in program order; the first 20000 of them.
        timeline_block: that block, or -1.
        timeline_cut: whether there were more.
    """

    kernel: str
    platform: str
    clock_mhz: int
    cores: int
    cycles: tuple[float, ...]
    total_cycles: float
    busy: tuple[Mapping[str, float], ...]
    instructions: Mapping[str, int]
    pipe_instructions: tuple[Mapping[str, int], ...]
    synchronisations: tuple[int, ...]
    bytes_in: tuple[int, ...]
    bytes_out: tuple[int, ...]
    timeline: tuple[TimelineEvent, ...]
    timeline_block: int
    timeline_cut: bool

    @property
    def microseconds(self) -> float:
        """Time of the launch at the clock of the platform."""
        return self.total_cycles / self.clock_mhz

    @property
    def slowest_block(self) -> int:
        return max(range(len(self.cycles)), key=self.cycles.__getitem__)

    @property
    def critical_pipe(self) -> str:
        """The pipe that was busy longest in the slowest block: what bounds the kernel."""
        busy = self.busy[self.slowest_block]
        return max(PIPES, key=lambda pipe: busy[pipe])

    @property
    def busy_share(self) -> float:
        """Share of the slowest block's cycles in which the critical pipe was busy; 1 is a perfect overlap."""
        cycles = self.cycles[self.slowest_block]
        return self.busy[self.slowest_block][self.critical_pipe] / cycles if cycles else 0.0

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data for ``json.dumps``."""
        fields = dataclasses.asdict(self)
        derived = ("microseconds", "slowest_block", "critical_pipe", "busy_share")
        return {**fields, **{name: getattr(self, name) for name in derived}}

    def to_trace(self) -> dict[str, Any]:
        """The timeline in the format of Chrome's tracing and of Perfetto; one microsecond there is one here."""
        used = [pipe for pipe in PIPES if any(event.pipe == pipe for event in self.timeline)]
        scale = 1.0 / self.clock_mhz
        title = f"{self.kernel} block {self.timeline_block}"
        events: list[dict[str, Any]] = [{"ph": "M", "pid": 0, "name": "process_name", "args": {"name": title}}]
        for pipe in used:
            about = {"ph": "M", "pid": 0, "tid": PIPES.index(pipe)}
            events.append({**about, "name": "thread_name", "args": {"name": pipe}})
            events.append({**about, "name": "thread_sort_index", "args": {"sort_index": PIPES.index(pipe)}})
        for event in self.timeline:
            events.append(
                {
                    "ph": "X",
                    "pid": 0,
                    "tid": PIPES.index(event.pipe),
                    "name": event.name,
                    "cat": event.pipe,
                    "ts": event.start * scale,
                    "dur": (event.end - event.start) * scale,
                    "args": {"line": event.line, "start_cycle": event.start, "end_cycle": event.end},
                }
            )
        return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"platform": self.platform}}


_last = threading.local()
_changes: dict[str, float] = {}
_timeline_block = 0


def last_profile() -> Optional[Profile]:
    """The profile of the last launch on the backend ``Model`` by this thread; None before the first."""
    found: Optional[_Recorded] = getattr(_last, "recorded", None)
    return None if found is None else found.profile()


@contextmanager
def changed_costs(changes: Mapping[str, float]) -> Iterator[None]:
    """Within it the model works with these numbers in place of those of :mod:`pyasc_transpile.targets.costs`."""
    global _changes
    before, _changes = _changes, {**_changes, **changes}
    try:
        yield
    finally:
        _changes = before


@contextmanager
def timeline_of(block: int) -> Iterator[None]:
    """Within it profiles have the timeline of ``block``; -1 for none. Otherwise they have that of block 0."""
    global _timeline_block
    before, _timeline_block = _timeline_block, block
    try:
        yield
    finally:
        _timeline_block = before


def profile(
    kernel: Kernel,
    blocks: Optional[int],
    args: Sequence[Any],
    kwargs: Optional[Mapping[str, Any]] = None,
    *,
    platform: Optional[PlatformInfo] = None,
    timeline_block: int = 0,
) -> Profile:
    """Run ``kernel`` on the timed build, whatever backend is chosen, and return what the model says.

    Args:
        blocks: number of blocks; None for one per vector core.
        args: arguments of the launch; arrays are updated.
        kwargs: keyword arguments of the launch, options included.
        platform: the chip; that of ``set_platform`` if not given.

    Raises:
        TranspileError: the kernel cannot be translated, built or run.
    """
    from .platform import Backend, current_target, using_target

    with using_target(Backend.Model, platform or current_target().platform), timeline_of(timeline_block):
        kernel[blocks](*args, **(kwargs or {}))
    found = last_profile()
    if found is None:
        raise RuntimeError("nothing was launched: PYASC_DRY_RUN is set")
    return found


class TimedLibrary(KernelLibrary):
    """A kernel built with clocks. Launches keep their profile for :func:`last_profile`."""

    def __init__(
        self, library: ctypes.CDLL, name: str, parameters: Sequence[AbiParameter], platform: PlatformInfo
    ) -> None:
        super().__init__(library, name, parameters, checked=True)  # it is told where the arrays are, like a checked one
        self._platform = platform
        names: Any = library.ascendc_cpu_cost_names
        names.restype, names.argtypes = ctypes.c_char_p, []
        self._cost_names = tuple(names().decode().split())
        self._set_costs: Any = library.ascendc_cpu_set_costs
        self._set_costs.restype = ctypes.c_size_t
        self._set_costs.argtypes = [ctypes.POINTER(ctypes.c_double), ctypes.c_size_t]
        self._set_timeline: Any = library.ascendc_cpu_set_timeline
        self._set_timeline.restype, self._set_timeline.argtypes = None, [ctypes.c_int]
        self._profile: Any = library.ascendc_cpu_profile
        self._profile.restype, self._profile.argtypes = ctypes.c_char_p, []
        self._one_at_a_time = threading.Lock()
        self._told: Optional[Mapping[str, float]] = None  # the changes that the library was last told
        self._cores = 0

    def launch(
        self, block_num: int, stream: Optional[int], values: Sequence[Any], extents: Sequence[tuple[int, int]]
    ) -> None:
        """Run the kernel, wait for it, and keep its profile."""
        changes = _changes
        with self._one_at_a_time:
            if self._told is not changes:
                costs = cost_values(self._platform, self._cost_names, changes)
                self._set_costs((ctypes.c_double * len(costs))(*costs), len(costs))
                self._told, self._cores = changes, int(costs[self._cost_names.index("cores")])
            self._set_timeline(_timeline_block)
            super().launch(block_num, stream, values, extents)
            text = self._profile().decode("utf-8", "replace")
        _last.recorded = _Recorded(self.name, self._platform, self._cores, text)


class _Recorded:
    """The profile of a launch as text, read when somebody asks for it."""

    def __init__(self, kernel: str, platform: PlatformInfo, cores: int, text: str) -> None:
        self._made: Optional[Profile] = None
        self._from = (kernel, platform, cores, text)

    def profile(self) -> Profile:
        if self._made is None:
            self._made = _profile(*self._from)
        return self._made


def _profile(kernel: str, platform: PlatformInfo, cores: int, text: str) -> Profile:
    document = json.loads(text)
    blocks = document["blocks"]
    return Profile(
        kernel=kernel,
        platform=platform.name,
        clock_mhz=clock_mhz(platform),
        cores=cores,
        cycles=tuple(block["cycles"] for block in blocks),
        total_cycles=document["total"],
        busy=tuple(dict(zip(PIPES, block["busy"])) for block in blocks),
        instructions=document["names"],
        pipe_instructions=tuple(dict(zip(PIPES, block["instructions"])) for block in blocks),
        synchronisations=tuple(block["synchronisations"] for block in blocks),
        bytes_in=tuple(block["bytes_in"] for block in blocks),
        bytes_out=tuple(block["bytes_out"] for block in blocks),
        timeline=tuple(TimelineEvent(*event) for event in document["timeline"]),
        timeline_block=document["timeline_block"],
        timeline_cut=document["timeline_cut"],
    )
