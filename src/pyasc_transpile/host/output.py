"""Writing the output folder: all of it or nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from ..errors import ToolchainError, TranspileError
from . import artifacts, build, toolchain
from .cache import open_cache
from .record import Timing
from .signatures import signature_hash, signature_json, signature_text

if TYPE_CHECKING:
    from ..pipeline import Transpilation


class OutputError(TranspileError, OSError):
    """The output folder cannot be written."""


@dataclass(frozen=True)
class Written:
    """What was written for one specialisation.

    Attributes:
        library: name of the shared library, or None when it was not built.
        note: why it was not built, if that should be told.
    """

    name: str
    transpilation: Transpilation
    library: Optional[str]
    note: str = ""


def names_of(transpilations: Sequence[Transpilation]) -> list[str]:
    """A distinct name for each: the kernel's own for its first specialisation, with a hash for the others."""
    names: list[str] = []
    taken: set[str] = set()
    for transpilation in transpilations:
        name = artifacts.require_identifier(transpilation.name)
        digest = signature_hash(transpilation)
        candidates = [name, *(f"{name}_{digest[:length]}" for length in range(8, len(digest) + 1, 8))]
        for candidate in candidates:
            files = {file.lower() for file in artifacts.files_of(candidate)}
            if not files & taken:
                break
        else:
            raise OutputError(f"two specialisations of {name} are the same")
        names.append(candidate)
        taken |= files
    return names


def write_output(
    folder: Path,
    transpilations: Sequence[Transpilation],
    *,
    build_libraries: bool = True,
    checked: bool = False,
    backend: Optional[str] = None,
    report: bool = False,
    trace: bool = False,
    timings: Sequence[Timing] = (),
) -> list[Written]:
    """Write everything for ``transpilations`` into ``folder``, which is made if it is not there.

    Args:
        build_libraries: whether to build ``lib<name>.so`` too, with what this machine has.
        checked: build for the CPU, with checks.
        backend: ``CPU`` or ``NPU``; None for NPU where CANN is found, else CPU.
        report: whether to write ``<name>.html``.
        trace: whether to write ``<name>.trace.json``.
        timings: what the model says, for each transpilation.

    Files of the same names are replaced, others are left alone. When anything fails, the folder is as it was.

    Raises:
        ToolchainError: a compiler rejected the generated text.
        OutputError: the folder cannot be written, or there is no timeline to be written.
    """
    names = names_of(transpilations)
    target = _resolve(folder)
    with _staging(target) as staged:
        written = []
        for name, transpilation in zip(names, transpilations):
            bisheng = _device_compiler(backend, checked) if build_libraries else None
            written.append(_write_one(staged, name, transpilation, build_libraries, bisheng, checked))
        for name, transpilation, timing in zip(names, transpilations, timings):
            if report:
                _write(staged / f"{name}.html", _report(transpilation, timing))
            if trace:
                _write(staged / f"{name}.trace.json", _trace(transpilation, timing))
        if transpilations:
            _write(staged / "CMakeLists.txt", artifacts.cmake(names, transpilations))
            _write(staged / "build.sh", artifacts.build_script(names, transpilations))
            (staged / "build.sh").chmod(0o777 & ~_umask())
        _move_in(staged, target, _outdated(target, written))
    return written


def _report(transpilation: Transpilation, timing: Timing) -> str:
    from ..report import report_html  # most runs do not ask for it

    return report_html(transpilation, timing.profile, timing.missing)


def _trace(transpilation: Transpilation, timing: Timing) -> str:
    if timing.profile is None:
        raise OutputError(
            f"there is no timeline of {transpilation.kernel.__name__} to write: {timing.missing}",
            remedy="leave --trace out",
        )
    return json.dumps(timing.profile.to_trace(), indent=1) + "\n"


def _device_compiler(backend: Optional[str], checked: bool) -> Optional[toolchain.Bisheng]:
    """The device compiler when the library is to be built for an NPU, else None."""
    if backend == "CPU" or checked:
        return None
    bisheng = toolchain.find_bisheng()
    if bisheng is None and backend == "NPU":
        raise ToolchainError(
            "CANN was not found (ASCEND_HOME_PATH is not set)", remedy="source set_env.sh of CANN, or use --backend CPU"
        )
    return bisheng


def _write_one(
    folder: Path,
    name: str,
    transpilation: Transpilation,
    build_library: bool,
    bisheng: Optional[toolchain.Bisheng],
    checked: bool,
) -> Written:
    kernel_file = f"{name}.cpp"
    parameters = artifacts.abi_parameters(transpilation)
    _write(folder / kernel_file, transpilation.source)
    _write(folder / f"{name}_host.asc", artifacts.host_entry(name, transpilation.name, kernel_file, parameters))
    _write(folder / f"{name}_cpu.cpp", artifacts.cpu_entry(name, transpilation.name, kernel_file, parameters))
    _write(folder / artifacts.loader_file(name), artifacts.loader(transpilation, name, signature_text(transpilation)))
    library, note = _build_library(folder, name, transpilation, bisheng, checked) if build_library else (None, "")
    _write(folder / f"{name}.json", artifacts.manifest(transpilation, name, signature_json(transpilation), library))
    return Written(name, transpilation, library["file"] if library else None, note)


def _build_library(
    folder: Path, name: str, transpilation: Transpilation, bisheng: Optional[toolchain.Bisheng], checked: bool
) -> tuple[Optional[dict[str, Any]], str]:
    """Build ``lib<name>.so`` with what this machine has; returns what to say about it in the manifest."""
    file = f"lib{name}.so"
    if bisheng is not None:
        build_device(bisheng, transpilation, name, folder, folder / file)
        return {"file": file, "built_for": "NPU", "sha256": _file_hash(folder / file)}, ""
    try:
        compiler = toolchain.find_compiler()
    except ToolchainError as error:
        return None, f"{file} was not built: {error}"
    source = artifacts.cpu_source(transpilation, checked, name)
    _, data = build.cached_library(source, compiler, open_cache(), {})
    (folder / file).write_bytes(data)
    (folder / file).chmod(0o777 & ~_umask())
    kind = "CPU, checked" if checked else "CPU"
    return {"file": file, "built_for": kind, "sha256": hashlib.sha256(data).hexdigest()}, ""


def build_device(
    bisheng: toolchain.Bisheng, transpilation: Transpilation, name: str, folder: Path, output: Path
) -> None:
    """Build ``<name>_host.asc`` in ``folder`` with the device compiler.

    Raises:
        ToolchainError: it rejects the text.
    """
    command = [
        *bisheng.command,
        *toolchain.bisheng_flags(transpilation.platform.architecture),
        *toolchain.option_flags(transpilation.options),
        f"-I{bisheng.home / 'include'}", f"-L{bisheng.home / 'lib64'}", "-lascendcl",
        f"{name}_host.asc", "-o", str(output),
    ]  # fmt: skip
    result = toolchain.run(command, cwd=folder)
    if result.returncode != 0:
        raise toolchain.rejection(result.stderr, f"{name}.cpp", artifacts.python_lines(transpilation), bisheng.command)


def verify_compiles(transpilation: Transpilation, checked: bool = False, backend: Optional[str] = None) -> None:
    """Compile the generated text and keep nothing.

    Raises:
        ToolchainError: there is no compiler, or it rejects the text.
    """
    bisheng = _device_compiler(backend, checked)
    if bisheng is None:
        source = artifacts.cpu_source(transpilation, checked)
        build.check_source(source, toolchain.find_compiler(), open_cache())
        return
    name = artifacts.require_identifier(transpilation.name)
    with tempfile.TemporaryDirectory(prefix="pyasc-check-") as folder:
        path = Path(folder)
        parameters = artifacts.abi_parameters(transpilation)
        _write(path / f"{name}.cpp", transpilation.source)
        _write(path / f"{name}_host.asc", artifacts.host_entry(name, transpilation.name, f"{name}.cpp", parameters))
        build_device(bisheng, transpilation, name, path, path / "out.so")


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _resolve(folder: Path) -> Path:
    try:
        target = folder.resolve()
        if target.exists() and not target.is_dir():
            raise OutputError(f"{folder} is not a folder", remedy="name another one with -o")
        target.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"cannot make the folder {folder}: {error}") from error
    return target


@contextlib.contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A private folder on the same file system as ``target``."""
    try:
        outer = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
    except OSError as error:
        raise OutputError(f"cannot write beside {target}: {error.strerror}") from error
    try:
        (outer / "new").mkdir()
        yield outer / "new"
    finally:
        shutil.rmtree(outer, ignore_errors=True)


def _outdated(target: Path, written: Iterable[Written]) -> list[str]:
    """Libraries of earlier runs that would no longer fit the files written now."""
    found = []
    for item in written:
        file = f"lib{item.name}.so"
        recorded = _recorded_library(target / f"{item.name}.json")
        present = item.library is None and recorded is not None and (target / file).is_file()
        if present and recorded == _file_hash(target / file):
            found.append(file)
    return found


def _recorded_library(path: Path) -> Optional[str]:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    library = document.get("library") if isinstance(document, dict) else None
    recorded = library.get("sha256") if isinstance(library, Mapping) else None
    return recorded if isinstance(recorded, str) else None


def _move_in(staged: Path, target: Path, outdated: Sequence[str]) -> None:
    """Put what is in ``staged`` into ``target``; on failure put back what was there."""
    if not target.exists():
        with contextlib.suppress(FileExistsError, OSError):
            os.rename(staged, target)
            return
    backup = staged.parent / "old"
    moved: list[str] = []
    replaced: list[str] = []
    names = sorted(path.name for path in staged.iterdir())
    try:
        target.mkdir(exist_ok=True)
        backup.mkdir()
        for name in names:
            if (target / name).is_dir() and not (target / name).is_symlink():
                raise OutputError(f"{target / name} is a folder, but a file of that name is to be written")
        for name in [*names, *outdated]:
            if os.path.lexists(target / name):
                os.rename(target / name, backup / name)
                replaced.append(name)
            if name in names:
                os.rename(staged / name, target / name)
                moved.append(name)
    except BaseException as error:
        for name in moved:
            with contextlib.suppress(OSError):
                os.unlink(target / name)
        for name in replaced:
            with contextlib.suppress(OSError):
                os.rename(backup / name, target / name)
        if isinstance(error, OSError) and not isinstance(error, OutputError):
            raise OutputError(f"cannot write into {target}: {error.strerror}") from error
        raise
