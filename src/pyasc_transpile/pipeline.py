"""All stages in a row: a kernel and a signature become a graph, a program and text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .asctile.arguments import ParameterKind
from .asctile.jit import Kernel
from .asctile.options import CompileOptions
from .emit.kernel import emit_kernel
from .errors import MemoryOverflowError, SynchronisationError, TranspileError
from .frontend.signature import Signature
from .frontend.walker import trace
from .graph.dtypes import DataType
from .graph.graph import TileGraph
from .lower.lowering import lower
from .lower.program import Program, instructions
from .passes.dead_code import remove_dead_code
from .passes.debug import drop_debug_operations
from .passes.patterns import rewrite
from .passes.tile_scalars import keep_in_tiles
from .schedule import schedule
from .schedule.plan import capacity_of, used_bytes
from .schedule.sync import SyncReport
from .schedule.verify import verify_synchronisation
from .targets import PlatformInfo


@dataclass(frozen=True)
class EntryParameter:
    """One parameter of the C entry: its C++ name and type, element type, and Python name."""

    name: str
    cpp_type: str
    dtype: DataType
    is_pointer: bool
    python_name: str


@dataclass(frozen=True)
class Transpilation:
    """A kernel specialisation and everything made from it.

    Attributes:
        name: C identifier of the kernel function.
        source: Ascend C.
        checked_source: the same with line markers for the checked CPU build.
        report: JSON-ready facts: memory, instruction and synchronisation counts, source map.
    """

    name: str
    kernel: Kernel
    signature: Signature
    platform: PlatformInfo
    options: CompileOptions
    graph: TileGraph
    program: Program
    parameters: tuple[EntryParameter, ...]
    source: str
    checked_source: str
    report: dict[str, Any]


def graph_to_lower(kernel: Kernel, signature: Signature, options: CompileOptions) -> TileGraph:
    """What a kernel computes, as it will be lowered.

    Raises:
        CodegenError: the kernel is not a program of the language.
    """
    graph = trace(kernel, signature)
    if not options.debug:
        drop_debug_operations(graph)
    rewrite(graph)
    remove_dead_code(graph)
    keep_in_tiles(graph)
    return graph


def _schedule(
    kernel: Kernel, signature: Signature, platform: PlatformInfo, options: CompileOptions
) -> tuple[TileGraph, Program, SyncReport]:
    """All stages but the text."""
    graph = graph_to_lower(kernel, signature, options)
    program = lower(graph, platform, static_alloc=options.static_alloc, reuse_alloc=options.reuse_alloc)
    return graph, program, schedule(program, options.insert_sync)


def _verify(program: Program) -> None:
    faults = verify_synchronisation(program)
    if faults:
        raise SynchronisationError(
            f"the synchronisation of {program.python_name} is not enough: {'; '.join(faults[:3])}",
            span=program.span,
            remedy="a fault of pyasc-transpile, please report it; unroll_factor=1 or reuse_alloc=0 may avoid it",
        )


def _largest_fitting(
    kernel: Kernel, signature: Signature, platform: PlatformInfo, options: CompileOptions
) -> dict[str, int]:
    """For each compile-time int, the largest smaller value with which the tiles fit, the others staying as they are."""
    found = {}
    for position, parameter in enumerate(signature.parameters):
        value = parameter.value
        if parameter.kind is not ParameterKind.CONSTANT or type(value) is not int or value < 2:
            continue

        def fits(candidate: int, at: int = position) -> bool:
            parameters = list(signature.parameters)
            parameters[at] = parameters[at]._replace(value=candidate)
            try:
                _schedule(kernel, Signature(tuple(parameters)), platform, options)
            except TranspileError:
                return False
            return True

        low, high = 0, value
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        if low:
            found[parameter.name] = low
    return found


def transpile(kernel: Kernel, signature: Signature, platform: PlatformInfo, options: CompileOptions) -> Transpilation:
    """Translate one specialisation of a kernel.

    Raises:
        TranspileError: the kernel cannot be translated; see :mod:`pyasc_transpile.errors` for the kinds.
    """
    try:
        graph, program, sync = _schedule(kernel, signature, platform, options)
    except MemoryOverflowError as error:
        error.advise(_largest_fitting(kernel, signature, platform, options))
        raise
    if options.verify_sync and options.insert_sync:
        _verify(program)
    text = emit_kernel(program)
    parameters = tuple(
        EntryParameter(name, ctype.replace("__gm__ ", ""), param.dtype, is_pointer, param.name)
        for (name, ctype), param, is_pointer in zip(text.parameters, graph.params, program.pointers)
    )
    counts = Counter(instruction.row.text for instruction in instructions(program.body))
    report = {
        "memory": {"UB": {"used": used_bytes(program), "available": capacity_of(program)}},
        "buffers": [
            {
                "name": buffer.hint or "tmp",
                "dtype": str(buffer.dtype),
                "elements": buffer.elements,
                "bytes": buffer.bytes,
                "slots": buffer.slots,
                "offset": buffer.offset,
                "held_in": buffer.style.value,
                "line": buffer.span.line if buffer.span else None,
            }
            for buffer in program.buffers
        ],
        "instructions": dict(sorted(counts.items())),
        "synchronisation": {
            "flags": sync.flags, "barriers": sync.barriers, "locks": sync.locks, "out_of_event_ids": sync.spills,
        },
        "source_map": {str(line): python_line for line, python_line in text.source_map.items()},
    }
    return Transpilation(
        text.name,
        kernel,
        signature,
        platform,
        options,
        graph,
        program,
        parameters,
        text.source,
        text.checked_source,
        report,
    )
