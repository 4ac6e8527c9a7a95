"""The command ``pyasc-transpile``."""

from __future__ import annotations

import ast
import contextlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Optional

import click

from ._version import __version__
from .errors import TranspileError

if TYPE_CHECKING:
    from .host.record import Timing
    from .pipeline import Transpilation


@contextlib.contextmanager
def _one_message() -> Iterator[None]:
    """Errors end the program with one message; PYASC_TRANSPILE_DEBUG=1 lets the traceback through."""
    try:
        yield
    except TranspileError as error:
        if _debug():
            raise
        _fail(str(error))
    except (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit):
        raise
    except KeyboardInterrupt:
        _fail("interrupted")
    except Exception as error:
        if _debug():
            raise
        _fail(
            f"internal error: {type(error).__name__}: {error}\n"
            "help: this is a fault of pyasc-transpile; set PYASC_TRANSPILE_DEBUG=1 for the traceback and report it"
        )


def _debug() -> bool:
    return os.environ.get("PYASC_TRANSPILE_DEBUG", "") not in ("", "0")


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(1)


def _print_include_dir(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from .host.toolchain import include_dir

        click.echo(str(include_dir()))
        context.exit()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder to write; made if it is not there.")
@click.option(
    "--signature", "signatures", multiple=True, metavar="TEXT",
    help="What to write, as 'kernel(x_ptr: *f32, n: i32, tile=1024)'; without name if there is one kernel. Repeatable.",
)  # fmt: skip
@click.option(
    "--spec",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TOML file with signatures and options.",
)
@click.option("--kernel", "kernels", multiple=True, metavar="NAME", help="Only this kernel. Repeatable.")
@click.option("--platform", metavar="NAME", help="Chip to generate for, as Ascend950PR_9599.")
@click.option(
    "--backend", type=click.Choice(["CPU", "NPU"], case_sensitive=False),
    help="What the library is built for. Default: NPU where CANN is found, else CPU.",
)  # fmt: skip
@click.option("--static-alloc/--no-static-alloc", default=None, help="Fixed addresses instead of TPipe and queues.")
@click.option("--reuse-alloc", type=click.IntRange(0, 2), help="Reuse of on-chip memory.")
@click.option("--opt-level", type=click.IntRange(1, 3), help="Optimisation level of the device compiler.")
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="Any other option of asctile.jit. Repeatable."
)
@click.option(
    "--emit",
    type=click.Choice(["graph", "program", "graph.dot", "source"]),
    help="Print this instead of writing files.",
)
@click.option(
    "--compat", type=click.Choice(["auto", "force", "off"]),
    help="Stand-ins for the modules asctile, asc and asc2: where they are missing (auto), always, or never.",
)  # fmt: skip
@click.option("--compile-only", is_flag=True, help="Compile the generated text, keep nothing; exit code 0 or 1.")
@click.option("--no-build", is_flag=True, help="Write the texts without building the library.")
@click.option(
    "--checked", is_flag=True, help="Build the library for the CPU with checks of bounds, alignment and races."
)
@click.option("--report", is_flag=True, help="Write <name>.html too: source, graph, memory and time of the kernel.")
@click.option("--trace", is_flag=True, help="Write <name>.trace.json too: the timeline, for Perfetto and Chrome.")
@click.option(
    "--trace-launches/--no-trace-launches", default=True,
    help="Without signatures, run the script and write what it launches (default).",
)  # fmt: skip
@click.option(
    "--include-dir", is_flag=True, is_eager=True, expose_value=False, callback=_print_include_dir,
    help="Print the folder of the Ascend C headers for CPUs, and exit.",
)  # fmt: skip
@click.version_option(__version__, prog_name="pyasc-transpile")
@click.option("-v", "--verbose", is_flag=True, help="Say more.")
def command(**arguments: Any) -> None:
    """Transpile the asctile kernels of FILE to Ascend C and build them."""
    with _one_message():
        _run(_Request(**arguments))


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Entry point of the command line."""
    command.main(args=None if arguments is None else list(arguments), prog_name="pyasc-transpile")


class _Request:
    """What the command line asks for."""

    def __init__(
        self,
        file: Path,
        output: Optional[Path],
        signatures: tuple[str, ...],
        spec: Optional[Path],
        kernels: tuple[str, ...],
        platform: Optional[str],
        backend: Optional[str],
        static_alloc: Optional[bool],
        reuse_alloc: Optional[int],
        opt_level: Optional[int],
        options: tuple[str, ...],
        emit: Optional[str],
        compile_only: bool,
        no_build: bool,
        checked: bool,
        report: bool,
        trace: bool,
        trace_launches: bool,
        verbose: bool,
        compat: Optional[str] = None,
    ) -> None:
        if output is None and emit is None and not compile_only:
            raise click.UsageError("say where to write with -o FOLDER (or use --emit or --compile-only)")
        if output is None and (report or trace):
            raise click.UsageError("say where to write the report or the trace with -o FOLDER")
        if compile_only and (report or trace):
            raise click.UsageError("--compile-only keeps nothing: leave out --report and --trace, or --compile-only")
        self.file = file
        self.output = output
        self.signatures = signatures
        self.spec = spec
        self.kernels = kernels
        self.platform = platform
        self.backend = backend.upper() if backend else None
        self.emit = emit
        self.compile_only = compile_only
        self.build = not no_build
        self.checked = checked
        self.report = report
        self.trace = trace
        self.trace_launches = trace_launches
        self.verbose = verbose
        self.compat = compat
        given = {"static_alloc": static_alloc, "reuse_alloc": reuse_alloc, "opt_level": opt_level}
        self.overrides: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        self.overrides.update(_parse_option(text) for text in options)


def _parse_option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--option {text!r}: write it as KEY=VALUE")
    name = name.strip().replace("-", "_")
    try:
        return name, ast.literal_eval(value.strip())
    except (ValueError, SyntaxError):
        return name, {"true": True, "false": False, "none": None}.get(value.strip().lower(), value.strip())


def _run(request: _Request) -> None:
    from . import compat
    from .host.jobs import JobRequest, find_jobs
    from .host.platform import current_target
    from .host.record import TimingRequest
    from .pipeline import transpile
    from .targets import find_platform

    compat.install(request.compat)
    forced = find_platform(request.platform) if request.platform else None
    jobs = find_jobs(
        JobRequest(
            file=request.file,
            signatures=request.signatures,
            spec=request.spec,
            names=request.kernels,
            trace_launches=request.trace_launches,
            forced=forced,
            note=lambda text: click.echo(text, err=True),
            timing=TimingRequest(forced, request.overrides) if request.report or request.trace else None,
        )
    )
    done: list[Transpilation] = []
    timings: list[Timing] = []
    failures: list[TranspileError] = []
    for job in jobs:
        platform = forced or job.platform or current_target().platform
        options = job.kernel.options.merged({**job.options, **request.overrides})
        started = time.perf_counter()
        try:
            done.append(transpile(job.kernel, job.signature, platform, options))
        except TranspileError as error:
            if not request.compile_only or _debug():
                raise
            failures.append(error)
            continue
        timings.append(job.timing)
        if request.verbose:
            spent = (time.perf_counter() - started) * 1000
            click.echo(f"{job.kernel.__name__}: transpiled in {spent:.1f} ms", err=True)
    if request.emit is not None:
        for transpilation in done:
            click.echo(_emitted(transpilation, request.emit), nl=False)
    if request.compile_only:
        _compile_only(request, done, failures)
    elif request.output is not None:
        _write(request, done, timings)


def _emitted(transpilation: Transpilation, what: str) -> str:
    if what == "source":
        text = transpilation.source
    elif what == "program":
        from .lower.printer import print_program

        text = print_program(transpilation.program)
    else:
        from .graph.printer import print_dot, print_graph

        text = print_graph(transpilation.graph) if what == "graph" else print_dot(transpilation.graph)
    return text if text.endswith("\n") else text + "\n"


def _compile_only(request: _Request, done: Sequence[Transpilation], failures: list[TranspileError]) -> None:
    from .host.output import verify_compiles

    for transpilation in done:
        try:
            verify_compiles(transpilation, request.checked, request.backend)
        except TranspileError as error:
            if _debug():
                raise
            failures.append(error)
            continue
        if request.emit is None:
            click.echo(f"{transpilation.kernel.__name__}: ok")
    if failures:
        _fail("\n".join(str(error) for error in failures))


def _write(request: _Request, done: Sequence[Transpilation], timings: Sequence[Timing]) -> None:
    from .host.output import write_output
    from .host.signatures import signature_text

    folder = request.output
    assert folder is not None
    written = write_output(
        folder,
        done,
        build_libraries=request.build,
        checked=request.checked,
        backend=request.backend,
        report=request.report,
        trace=request.trace,
        timings=timings,
    )
    for item in written:
        library = f" and {item.library}" if item.library else ""
        signature = f"{item.transpilation.kernel.__name__}({signature_text(item.transpilation)})"
        click.echo(f"{folder / item.name}.cpp{library}: {signature}")
        if item.note:
            click.echo(item.note, err=True)
        if request.verbose:
            click.echo(f"    {item.transpilation.platform.name}: {_memory(item.transpilation)}", err=True)


def _memory(transpilation: Transpilation) -> str:
    memory = transpilation.report.get("memory") or {}
    parts = []
    for name, row in memory.items():
        if isinstance(row, Mapping):
            parts.append(f"{name} {row.get('used')} of {row.get('available')} bytes")
    return ", ".join(parts) or "no on-chip memory"


if __name__ == "__main__":
    main()
