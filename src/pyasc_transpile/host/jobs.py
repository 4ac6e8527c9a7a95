"""Which specialisations of which kernels the command line is to write."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ..asctile.jit import Kernel
from ..asctile.options import CompileOptions
from ..errors import ToolchainError, TranspileError
from ..frontend.signature import Signature, parse_signature, suggest_signature
from ..targets import PlatformInfo
from .platform import set_platform
from .record import Timing, TimingRequest, recording
from .script import has_main_part, import_file, run_file
from .toolchain import find_compiler


@dataclass(frozen=True)
class Job:
    """One specialisation to write.

    Attributes:
        platform: the one that was launched for, if it was launched.
        options: those that differ from the kernel's own.
        timing: what the model says about the launch.
    """

    kernel: Kernel
    signature: Signature
    platform: Optional[PlatformInfo]
    options: Mapping[str, Any]
    timing: Timing


@dataclass(frozen=True)
class JobRequest:
    """Where specialisations come from.

    Attributes:
        names: the kernels wanted; none for all.
        trace_launches: run the file when no signature is given.
        forced: the platform that the command line names.
        note: called with remarks for the user.
        timing: whether launches are to be timed, and how.
    """

    file: Path
    signatures: Sequence[str]
    spec: Optional[Path]
    names: Sequence[str]
    trace_launches: bool
    forced: Optional[PlatformInfo]
    note: Callable[[str], None]
    timing: Optional[TimingRequest] = None


def find_jobs(request: JobRequest) -> list[Job]:
    """The specialisations to write: those of signatures and of the spec, else those that the script launches."""
    specified: list[tuple[str, dict[str, Any]]] = [(text, {}) for text in request.signatures]
    if request.spec:
        specified += _read_spec(request.spec)
    path = str(request.file)
    if specified:
        namespace = import_file(request.file)
        kernels = _select(_kernels_of(namespace, request.file), request)
        return [_specified_job(text, options, kernels, request) for text, options in specified]
    if request.trace_launches and has_main_part(request.file):
        namespace, jobs = _record(request)
        if jobs:
            return jobs
    else:
        namespace = import_file(request.file)
    kernels = _select(_kernels_of(namespace, request.file), request)
    lines = "\n".join(
        "    --signature " + shlex.quote(f"{kernel.__name__}({suggest_signature(kernel)})")
        for kernel in kernels.values()
    )
    raise TranspileError(
        f"{path} does not say for which types to write its kernels: it launches none, and no signature was given",
        remedy=f"complete and add\n{lines}",
    )


def _specified_job(text: str, options: Mapping[str, Any], kernels: Mapping[str, Kernel], request: JobRequest) -> Job:
    name, body = _split_signature(text)
    if name is None:
        if len(kernels) != 1:
            raise TranspileError(
                f"the signature {text!r} does not name its kernel, and {request.file} has {len(kernels)}",
                remedy=f"write NAME({text}) with NAME one of {', '.join(kernels)}",
            )
        (name,) = kernels
    elif name not in kernels:
        raise _no_such_kernel(name, kernels, request.file)
    return Job(kernels[name], parse_signature(kernels[name], body), None, options, _NOTHING_LAUNCHED)


_NOTHING_LAUNCHED = Timing(
    None,
    "a signature gives types, not sizes, so nothing could be run. Without --signature and --spec the launches of the "
    "script are timed.",
)
_NO_COMPILER = Timing(None, "the model needs a C++17 compiler, and none was found.")
_NOT_TIMED = Timing(None, "the launch was not run on the model.")


def _split_signature(text: str) -> tuple[Optional[str], str]:
    """Kernel name, if given, and parameters of ``name(parameters)`` or ``parameters``."""
    stripped = text.strip()
    head, parenthesis, rest = stripped.partition("(")
    if parenthesis and head.strip().isidentifier() and rest.endswith(")"):
        return head.strip(), rest[:-1]
    if stripped.isidentifier():
        return stripped, ""
    return None, stripped


def _no_such_kernel(name: str, kernels: Mapping[str, Kernel], file: Path) -> TranspileError:
    known = ", ".join(kernels) or "none"
    return TranspileError(f"{file} has no kernel {name!r}", remedy=f"its kernels: {known}")


def _kernels_of(namespace: Mapping[str, Any], file: Path) -> dict[str, Kernel]:
    """The kernels that stand in ``file``, by name, in the order of their definition."""
    here = os.path.realpath(file)
    found: dict[str, Kernel] = {}
    for value in namespace.values():
        if isinstance(value, Kernel) and os.path.realpath(value.function.__code__.co_filename) == here:
            found.setdefault(value.__name__, value)
    return found


def _select(kernels: dict[str, Kernel], request: JobRequest) -> dict[str, Kernel]:
    for name in request.names:
        if name not in kernels:
            raise _no_such_kernel(name, kernels, request.file)
    if not kernels:
        raise TranspileError(f"{request.file} has no kernel", remedy="put @asctile.jit above a function")
    return {name: kernel for name, kernel in kernels.items() if not request.names or name in request.names}


def _read_spec(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Signatures and options of a TOML file with ``[[kernel]]`` tables: name, signature, options."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TranspileError(f"{path}: {error}") from error
    rows = document.get("kernel")
    unknown = [key for key in document if key != "kernel"]
    if unknown or not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise TranspileError(
            f"{path} has no [[kernel]] tables" if not unknown else f"{path}: unknown key {unknown[0]!r}",
            remedy='write\n    [[kernel]]\n    name = "add"\n    signature = "x_ptr: *f32, n: i32, tile=1024"\n'
            "    options = { reuse_alloc = 2 }",
        )
    found = []
    for row in rows:
        unknown = [key for key in row if key not in ("name", "signature", "options")]
        text, options, name = row.get("signature"), row.get("options", {}), row.get("name")
        typed = isinstance(text, str) and isinstance(options, dict) and isinstance(name, (str, type(None)))
        if unknown or not typed:
            raise TranspileError(
                f"{path}: a [[kernel]] table " + (f"has {unknown[0]!r}" if unknown else "is incomplete"),
                remedy="its keys are signature (text), name (text) and options (table)",
            )
        if name is not None:
            text = f"{name}({_split_signature(text)[1] if _split_signature(text)[0] == name else text})"
        found.append((text, options))
    return found


def _record(request: JobRequest) -> tuple[Mapping[str, Any], list[Job]]:
    """Run the script as the main program and collect what it launches."""
    try:
        find_compiler()
        execute = True
    except ToolchainError:
        execute = False
    if request.forced is not None:
        set_platform("CPU", request.forced.name, check=False)
    namespace: Mapping[str, Any] = {}
    with recording(execute, request.timing) as recorder:
        try:
            namespace = run_file(request.file)
        except TranspileError as error:
            if execute or not recorder.launches:
                raise
            request.note(f"{error}\nnote: launches were not run, because there is no compiler; going on")
    jobs: list[Job] = []
    seen: set[str] = set()
    for launch in recorder.launches:
        if request.names and launch.kernel.__name__ not in request.names:
            continue
        platform = request.forced or launch.platform
        key = dataclasses.replace(launch, platform=platform).key
        if key not in seen:
            seen.add(key)
            timing = recorder.timings.get(launch.key, _NOT_TIMED if execute else _NO_COMPILER)
            options = _differing(launch.kernel, launch.options)
            jobs.append(Job(launch.kernel, launch.signature, platform, options, timing))
    return namespace, jobs


def _differing(kernel: Kernel, options: CompileOptions) -> dict[str, Any]:
    """The options of a launch that are not the kernel's own."""
    names = [name for name in vars(options) if getattr(options, name) is not getattr(kernel.options, name)]
    return {name: getattr(options, name) for name in names}
