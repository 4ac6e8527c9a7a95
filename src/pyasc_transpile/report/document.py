"""The page: everything that the template lays out."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional, Protocol, Sequence

from markupsafe import Markup

from .._version import __version__
from ..emit.rendering import render
from ..lower.instructions import Pipe
from ..lower.program import QueueOp, Sync, walk
from ..targets import Memory
from . import memory_map
from .listing import make_listings
from .script import SCRIPT
from .tile_graph import draw_graph
from .timeline import Event, draw_detail, draw_overview, pipes_of

if TYPE_CHECKING:
    from ..pipeline import Transpilation

WIDTH = 1120.0
PIPES = tuple(pipe.value for pipe in Pipe)
_DOES = {
    "S": "scalar unit: addresses, loops and reads of single elements",
    "V": "vector unit",
    "M": "cube unit",
    "MTE1": "copies from L1 to L0A and L0B",
    "MTE2": "loads from global memory",
    "MTE3": "stores to global memory",
    "FIX": "stores of the cube unit's results",
}


class Profile(Protocol):
    """What is shown of a run on the model; :class:`pyasc_transpile.host.model.Profile` has it."""

    @property
    def cycles(self) -> Sequence[float]: ...
    @property
    def total_cycles(self) -> float: ...
    @property
    def microseconds(self) -> float: ...
    @property
    def clock_mhz(self) -> int: ...
    @property
    def cores(self) -> int: ...
    @property
    def busy(self) -> Sequence[Mapping[str, float]]: ...
    @property
    def pipe_instructions(self) -> Sequence[Mapping[str, int]]: ...
    @property
    def synchronisations(self) -> Sequence[int]: ...
    @property
    def bytes_in(self) -> Sequence[int]: ...
    @property
    def bytes_out(self) -> Sequence[int]: ...
    @property
    def timeline(self) -> Sequence[Event]: ...
    @property
    def timeline_block(self) -> int: ...
    @property
    def timeline_cut(self) -> bool: ...
    @property
    def slowest_block(self) -> int: ...
    @property
    def critical_pipe(self) -> str: ...
    @property
    def busy_share(self) -> float: ...


@dataclass(frozen=True)
class _PipeRow:
    name: str
    does: str
    busy: str
    share: str
    width: str
    instructions: int


@dataclass(frozen=True)
class _Timeline:
    overview: Markup
    detail: Markup
    note: str
    pipes: Sequence[_PipeRow]


@dataclass(frozen=True)
class _MemoryMap:
    name: str
    drawing: Markup
    rows: Sequence[memory_map.Row]


def report_html(transpilation: Transpilation, profile: Optional[Profile], missing: str = "") -> str:
    """The report on one specialisation as a page without any other file.

    Args:
        profile: of a run on the model; None if there was none.
        missing: why there was none.
    """
    program, platform = transpilation.program, transpilation.platform
    listings = make_listings(transpilation)
    return render(
        "report.html.j2",
        kernel=transpilation.kernel.__name__,
        tool=f"pyasc-transpile {__version__}",
        file=listings.file,
        signature=str(transpilation.signature),
        platform=f"{platform.name} ({platform.architecture.name})",
        options=_options(transpilation),
        script=Markup(SCRIPT),
        policy=_policy(),
        headline=_headline(profile),
        totals=_totals(transpilation, profile),
        python=listings.python,
        ascend_c=listings.ascend_c,
        graph=draw_graph(transpilation.graph),
        memories=[_memory(transpilation, memory) for memory in memory_map.memories(program)],
        queued=any(not row.address for row in memory_map.buffer_rows(program)),
        timeline=_timeline(profile) if profile is not None and profile.timeline else None,
        missing=missing or "the kernel was not run on the model",
        instructions=sorted(transpilation.report.get("instructions", {}).items(), key=lambda row: (-row[1], row[0])),
        spills=[str(spill) for spill in _spills(transpilation)],
        model=profile is not None,
    )


def _policy() -> str:
    """Nothing is fetched, and no script runs but our own."""
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"


def _options(transpilation: Transpilation) -> str:
    program = transpilation.program
    style = "fixed addresses" if program.static_alloc else "TPipe and queues"
    return f"{style}, reuse_alloc={program.reuse_alloc}"


def _spills(transpilation: Transpilation) -> Sequence[Any]:
    found = transpilation.report.get("synchronisation", {}).get("out_of_event_ids", ())
    return list(found) if isinstance(found, (list, tuple)) else []


def _memory(transpilation: Transpilation, memory: Memory) -> _MemoryMap:
    rows = [row for row in memory_map.buffer_rows(transpilation.program) if row.memory == memory.value]
    return _MemoryMap(memory.value, memory_map.draw_memory(transpilation.program, memory, WIDTH), rows)


# --- totals -----------------------------------------------------------------------------------------------------------


def _grouped(value: float) -> str:
    return f"{value:,.0f}".replace(",", "\u202f")


def _totals(transpilation: Transpilation, profile: Optional[Profile]) -> list[tuple[str, str]]:
    program = transpilation.program
    totals = []
    for memory in memory_map.memories(program):
        used, available = memory_map.used(program, memory), memory_map.available(program, memory)
        totals.append((f"{memory.value} used", f"{_grouped(used)} of {_grouped(available)} bytes"))
    kinds = Counter(type(statement) for statement in walk(program.body))
    instructions = sum(transpilation.report.get("instructions", {}).values())
    totals += [
        ("lines of Ascend C", str(transpilation.source.count("\n"))),
        ("instructions in the text", str(instructions)),
        ("flags and barriers in the text", str(kinds[Sync])),
    ]
    if kinds[QueueOp]:
        totals.append(("queue operations in the text", str(kinds[QueueOp])))
    if profile is not None:
        moved_in, moved_out = sum(profile.bytes_in), sum(profile.bytes_out)
        seconds = profile.microseconds * 1e-6
        rate = (moved_in + moved_out) / seconds / 1e9 if seconds else 0.0
        totals += [
            ("modelled time", f"{profile.microseconds:.1f} µs at {profile.clock_mhz} MHz"),
            ("modelled cycles of the launch", _grouped(profile.total_cycles)),
            ("blocks on cores", f"{len(profile.cycles)} on {profile.cores}"),
            ("cycles of the slowest block", _grouped(profile.cycles[profile.slowest_block])),
            ("read from global memory", f"{_grouped(moved_in)} bytes"),
            ("written to global memory", f"{_grouped(moved_out)} bytes"),
            ("rate of global memory", f"{rate:.1f} GB/s"),
            ("synchronisations of the slowest block", _grouped(profile.synchronisations[profile.slowest_block])),
        ]
    return totals


def _headline(profile: Optional[Profile]) -> str:
    """What bounds the kernel, in one sentence."""
    if profile is None or not profile.cycles:
        return ""
    pipe, share = profile.critical_pipe, 100 * profile.busy_share
    cycles = _grouped(profile.cycles[profile.slowest_block])
    text = f"{pipe} ({_DOES[pipe]}) is busy for {share:.0f} % of the {cycles} cycles of the slowest block"
    if share >= 80:
        return f"{text}: it bounds the kernel."
    if share >= 50:
        return f"{text}: it bounds the kernel, but the pipes do not overlap fully."
    return f"{text}: start-up and waiting bound the kernel, not any one pipe."


def _timeline(profile: Profile) -> _Timeline:
    events = profile.timeline
    pipes = pipes_of(events, PIPES)
    block = profile.timeline_block if 0 <= profile.timeline_block < len(profile.cycles) else profile.slowest_block
    cycles = profile.cycles[block]
    end = max(event.end for event in events) if profile.timeline_cut else max(cycles, max(e.end for e in events))
    detail, shown = draw_detail(events, pipes, WIDTH)
    notes = [f"Block {block} of {len(profile.cycles)}"]
    if profile.timeline_cut:
        notes.append(f"the first {len(events)} instructions; there were more")
    if shown < len(events):
        notes.append(f"the lower drawing has the first {shown} of {len(events)} instructions")
    rows = []
    for pipe in PIPES:
        busy, count = profile.busy[block].get(pipe, 0.0), profile.pipe_instructions[block].get(pipe, 0)
        if busy or count:
            share = 100 * busy / cycles if cycles else 0.0
            rows.append(_PipeRow(pipe, _DOES[pipe], _grouped(busy), f"{share:.1f} %", f"{share:.1f}", count))
    return _Timeline(draw_overview(events, pipes, end, WIDTH), detail, "; ".join(notes) + ".", rows)
