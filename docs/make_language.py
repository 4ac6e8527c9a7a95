"""Writes docs/language.md: every public name of the language, with the element types that each architecture takes.

Element types are found by doing it: each function is put into a small kernel for each type and architecture, and that
kernel is lowered.  Run ``python docs/make_language.py`` after a change; a test compares the file with what this prints.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyasc_transpile import asctile
from pyasc_transpile.errors import TranspileError
from pyasc_transpile.graph.dtypes import DataType
from pyasc_transpile.graph.graph import Builder, TileGraph, building
from pyasc_transpile.graph.types import AddressType
from pyasc_transpile.graph.values import GlobalAddress, LocalTensor
from pyasc_transpile.lower.instructions import INSTRUCTIONS
from pyasc_transpile.lower.lowering import lower
from pyasc_transpile.ops import low_level
from pyasc_transpile.ops.transfers import copy_in, copy_out, global_tensor
from pyasc_transpile.targets import find_platform

FILE = Path(__file__).parent / "language.md"
PLATFORMS = {"c220": "Ascend910B1", "c310": "Ascend950PR_9599"}
ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
SHAPE = (16, 64)

Call = Callable[..., Any]

# How to call a function on a tile, where ``f(x)``, ``f(x, x)`` and ``f(x, 1)`` are not it.
CALLS: dict[str, Call] = {
    "where": lambda x, g: asctile.where(x == x, x, x),
    "full": lambda x, g: asctile.full(SHAPE, 1, x.dtype),
    "zeros": lambda x, g: asctile.zeros(SHAPE, x.dtype),
    "full_like": lambda x, g: asctile.full_like(x, 1),
    "broadcast_to": lambda x, g: asctile.broadcast_to(copy_in(g, [0, 0], [SHAPE[0], 1]), *SHAPE),
    "reshape": lambda x, g: asctile.reshape(x, 64, 16),
    "copy_in": lambda x, g: copy_in(g, [0, 0], list(SHAPE)),
    "copy_out": lambda x, g: copy_out(x, g, [0, 0]),
    "reduce_sum": lambda x, g: asctile.reduce_sum(x, 1),
    "reduce_max": lambda x, g: asctile.reduce_max(x, 1),
    "reduce_min": lambda x, g: asctile.reduce_min(x, 1),
    "reduce_prod": lambda x, g: asctile.reduce_prod(x, 1),
    "rms_norm": lambda x, g: asctile.rms_norm(x, asctile.full([64], 1, x.dtype), 1e-5),
    "layer_norm": lambda x, g: asctile.layer_norm(
        x, asctile.full([64], 1, x.dtype), asctile.full([64], 0, x.dtype), 1e-5
    ),
    "gather": lambda x, g: asctile.gather(g, [0], 0, asctile.full([16], 0)),
    "scatter": lambda x, g: asctile.scatter(x, 0, asctile.full([16], 0), g, [0]),
    "atomic_add": lambda x, g: asctile.atomic_add(x, g, [0, 0]),
    "atomic_max": lambda x, g: asctile.atomic_max(x, g, [0, 0]),
    "atomic_min": lambda x, g: asctile.atomic_min(x, g, [0, 0]),
    "broadcast_tensors": lambda x, g: asctile.broadcast_tensors(x, x)[0],
    "empty": lambda x, g: asctile.empty(list(SHAPE), x.dtype),
}
# Functions without element types of their own.
PLAIN = frozenset(
    "block_idx block_num sub_block_idx sub_block_num ceildiv broadcast_shapes static_assert static_print set_platform "
    "device_print device_assert inline inline_vf to_asc from_asc mask global_tensor jit last_profile".split()
)


def calls_of(name: str) -> list[Call]:
    """How a function is tried."""
    function = getattr(asctile, name)
    if name == "cast":
        return [lambda x, g, to=to: x.to(DataType(to)) if x.dtype.name != to else None for to in ELEMENTS]
    if name in CALLS:
        return [CALLS[name]]
    return [lambda x, g: function(x), lambda x, g: function(x, x), lambda x, g: function(x, 1)]


def probes(name: str, element: str, platform: str) -> list[TileGraph]:
    """Kernels with a function on tiles of ``element``, as many as can be lowered."""
    graphs = []
    for call in calls_of(name):
        try:
            graph = _kernel(call, DataType(element))
            lower(graph, find_platform(platform))
        except (TranspileError, TypeError, ValueError, RuntimeError, AttributeError):
            continue
        graphs.append(graph)
    return graphs


def _kernel(call: Callable[[Any, Any], Any], element: DataType) -> TileGraph:
    builder = Builder()
    parameters = [GlobalAddress(AddressType(element), "x_ptr")]
    with building(builder):
        tensor = global_tensor(parameters[0], list(SHAPE))
        results = call(copy_in(tensor, [0, 0], list(SHAPE)), tensor)
        for result in results if isinstance(results, (list, tuple)) else [results]:
            if isinstance(result, LocalTensor) and not result.dtype.is_bool():
                parameters.append(GlobalAddress(AddressType(result.dtype), "out_ptr"))
                copy_out(result, global_tensor(parameters[-1], list(result.shape)), [0] * result.rank)
    return TileGraph("probe", list(parameters), builder.body)


def functions() -> list[str]:
    """Public functions that take tiles."""
    public = {name: getattr(asctile, name) for name in sorted(asctile.__all__)}
    return [name for name, thing in public.items() if inspect.isfunction(thing) and name not in PLAIN]


def _summary(thing: Any) -> str:
    text = (inspect.getdoc(thing) or "").strip().split("\n\n")[0]
    return " ".join(text.split()).replace("|", "\\|")


def _signature(name: str, function: Any) -> str:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return name
    shown = []
    for parameter in parameters:
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = parameter.default
        if default is inspect.Parameter.empty:
            shown.append(f"{star}{parameter.name}")
        else:
            text = f"{type(default).__name__}.{default.name}" if hasattr(default, "name") else repr(default)
            shown.append(f"{parameter.name}={default if isinstance(default, DataType) else text}")
    return f"{name}({', '.join(shown)})"


def lines() -> Iterator[str]:
    """The document, line by line."""
    yield "# The language"
    yield ""
    yield "Generated by `python docs/make_language.py`. `help(asctile.NAME)` says more about each name."
    yield ""
    yield "## Functions on tiles"
    yield ""
    yield "| function | what it gives | c220 | c310 |"
    yield "| --- | --- | --- | --- |"
    others = []
    for name in sorted(asctile.__all__):
        thing = getattr(asctile, name)
        if name not in functions():
            others.append((name, thing))
            continue
        columns = []
        for platform in PLATFORMS.values():
            types = [DataType(element).short for element in ELEMENTS if probes(name, element, platform)]
            columns.append(" ".join(types) or "-")
        yield f"| `{_signature(name, thing)}` | {_summary(thing)} | {columns[0]} | {columns[1]} |"
    yield ""
    yield "## Other names"
    yield ""
    yield "| name | what it is |"
    yield "| --- | --- |"
    for name, thing in others:
        shown = _signature(name, thing) if inspect.isfunction(thing) else name
        summary = f"element type {thing.name}" if isinstance(thing, DataType) else _summary(thing)
        yield f"| `{shown}` | {summary} |"
    yield from low_level_lines()


def low_level_lines() -> Iterator[str]:
    """The single instructions: how each is called, and for which element types."""
    yield ""
    yield "## Single instructions"
    yield ""
    yield "`from pyasc_transpile.asctile import low_level as asc`; `local` and `global` are what `asctile.to_asc`"
    yield "gives. Not in the table: `set_flag` and `wait_flag`, which are accepted and do nothing, as the order follows"
    yield "from what the instructions read and write."
    yield ""
    yield "| call | c220 | c310 |"
    yield "| --- | --- | --- |"
    for name, call in sorted(low_level.CALLS.items()):
        for form in call.forms:
            row = INSTRUCTIONS[form.instruction]
            columns = []
            for architecture in PLATFORMS:
                types = row.dtypes[architecture] if row.dtypes is not None else None
                columns.append("any" if types is None else " ".join(sorted(each.short for each in types)) or "-")
            yield f"| `asc.{name}({', '.join(form.parameters)})` | {columns[0]} | {columns[1]} |"


def document() -> str:
    """Text of docs/language.md."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
    sys.exit(0)
