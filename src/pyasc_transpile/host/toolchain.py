"""Compilers: which ones this machine has, what identifies them, and running them.

Commands are lists of arguments, never strings for a shell.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ..errors import ToolchainError
from ..targets import Architecture

CPU_DEFINE_CHECKED = "-DASCENDC_CPU_CHECKED"
CPU_DEFINE_TIMED = "-DASCENDC_CPU_TIMED"
_INSTALL_HINT = (
    "install one (Debian, Ubuntu: apt-get install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install) "
    "or name it in CXX"
)
_PROBE = """#include <optional>
#include <thread>
extern "C" int probe(int x) { if constexpr (sizeof(int) >= 4) { return std::optional<int>(x).value(); } return 0; }
"""


@dataclass(frozen=True)
class Compiler:
    """A C++17 compiler for the CPU build.

    Attributes:
        command: words that start it (CXX may hold more than one, as in ``ccache g++``).
        family: ``gcc`` or ``clang``; they differ in how precompiled headers work.
        identity: changes when the compiler or the processor that ``-march=native`` means does.
    """

    command: tuple[str, ...]
    family: str
    identity: str

    def flags(self, architecture: Architecture, checked: bool, timed: bool = False) -> tuple[str, ...]:
        """Flags of every CPU build, the same as in ``build.sh``."""
        return (*cpu_flags(checked, timed), f"-D__NPU_ARCH__={architecture.npu_arch}")


@dataclass(frozen=True)
class Bisheng:
    """The device compiler of CANN."""

    command: tuple[str, ...]
    home: Path
    identity: str


# Integers of the language wrap, which C++ by itself leaves undefined for the scalars of a kernel.
WRAPPING_FLAG = "-fwrapv"
# Numbers are IEEE: no contraction, no reassociation.  errno and traps are not looked at, which lets square roots
# vectorise; tiles of one type may lie where tiles of another have been, so accesses must not be told apart by type.
NUMERIC_FLAGS = (WRAPPING_FLAG, "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing")
_COMMON_FLAGS = ("-std=c++17", "-fPIC", "-shared", "-pthread", *NUMERIC_FLAGS)
FAST_FLAGS = (*_COMMON_FLAGS, "-O3", "-march=native")
CHECKED_FLAGS = (*_COMMON_FLAGS, "-O1", CPU_DEFINE_CHECKED)
TIMED_FLAGS = (*FAST_FLAGS, CPU_DEFINE_TIMED)


def cpu_flags(checked: bool, timed: bool = False) -> tuple[str, ...]:
    """Flags of a build for the CPU on this machine."""
    flags = TIMED_FLAGS if timed else CHECKED_FLAGS if checked else FAST_FLAGS
    if platform.system() == "Darwin" and platform.machine() == "arm64":
        return tuple("-mcpu=native" if flag == "-march=native" else flag for flag in flags)
    return flags


def include_dir() -> Path:
    """Folder with our Ascend C headers (``kernel_operator.h``)."""
    return Path(__file__).resolve().parent.parent / "cpu" / "include"


@functools.cache
def headers_hash() -> str:
    """Hash of names and contents of all our headers."""
    digest = hashlib.sha256()
    root = include_dir()
    for path in sorted(root.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def find_compiler() -> Compiler:
    """The first of CXX, g++, clang++, c++ that is there; it is not tried out before something must be compiled.

    Raises:
        ToolchainError: there is none; the message names the packages that have one.
    """
    return _find_compiler(os.environ.get("CXX", ""), os.environ.get("PATH", ""))


@functools.lru_cache(maxsize=8)
def _find_compiler(cxx: str, path: str) -> Compiler:
    if cxx.strip():
        words = tuple(shlex.split(cxx))
        executable = shutil.which(words[0], path=path)
        if executable is None:
            raise ToolchainError(f"CXX names {words[0]!r}, which is not there", remedy=_INSTALL_HINT)
        return _describe((executable, *words[1:]))
    for name in ("g++", "clang++", "c++"):
        executable = shutil.which(name, path=path)
        if executable is not None:
            return _describe((executable,))
    raise ToolchainError("no C++17 compiler was found (looked for CXX, g++, clang++, c++)", remedy=_INSTALL_HINT)


def _describe(command: tuple[str, ...]) -> Compiler:
    parts = [*command, processor_identity()]
    for word in command:
        executable = shutil.which(word)
        if executable is not None:
            real = os.path.realpath(executable)
            status = os.stat(real)
            parts += [real, str(status.st_size), str(status.st_mtime_ns)]
    identity = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    return Compiler(command, _family(command), identity)


def _family(command: tuple[str, ...]) -> str:
    names = [os.path.basename(os.path.realpath(word)) for word in command if "/" in word] + list(command)
    if any("clang" in name for name in names) or platform.system() == "Darwin":
        return "clang"
    return "gcc"


@functools.cache
def processor_identity() -> str:
    """What ``-march=native`` depends on: a cache folder may be shared between different machines."""
    lines = []
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
            for line in info:
                if not line.strip():
                    break
                if line.startswith(("vendor_id", "model name", "flags", "Features", "CPU implementer", "CPU part")):
                    lines.append(line)
    except OSError:
        lines.append(platform.processor())
    return hashlib.sha256((platform.machine() + "".join(lines)).encode()).hexdigest()[:32]


@functools.lru_cache(maxsize=8)
def verify_compiler(compiler: Compiler) -> None:
    """Compile a few lines of C++17 with ``compiler``; done once per process, before the first build.

    Raises:
        ToolchainError: it cannot.
    """
    with tempfile.TemporaryDirectory(prefix="pyasc-probe-") as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(_PROBE, encoding="utf-8")
        command = [*compiler.command, "-std=c++17", "-fPIC", "-fsyntax-only", str(source)]
        result = run(command, cwd=Path(folder))
    if result.returncode != 0:
        reason = first_error(result.stderr) or f"exit code {result.returncode}"
        raise ToolchainError(
            f"{shlex.join(compiler.command)} cannot compile C++17: {reason}",
            remedy=f"it is broken or too old; {_INSTALL_HINT}",
        )


def find_bisheng() -> Optional[Bisheng]:
    """The device compiler, or None when there is no CANN.

    Raises:
        ToolchainError: ASCEND_HOME_PATH or PYASC_COMPILER is set but leads to no compiler.
    """
    home = os.environ.get("ASCEND_HOME_PATH", "")
    named = os.environ.get("PYASC_COMPILER", "")
    if not home:
        return None
    wanted = named or "bisheng"
    executable = shutil.which(wanted)
    if executable is None:
        for folder in ("bin", "compiler/ccec_compiler/bin", "tools/bisheng_compiler/bin"):
            executable = executable or shutil.which(wanted, path=str(Path(home) / folder))
    if executable is None:
        raise ToolchainError(
            f"ASCEND_HOME_PATH is set but the device compiler {wanted!r} was not found",
            remedy="source set_env.sh of CANN, or name the compiler in PYASC_COMPILER",
        )
    real = os.path.realpath(executable)
    status = os.stat(real)
    identity = hashlib.sha256(f"{real}\0{status.st_size}\0{status.st_mtime_ns}".encode()).hexdigest()[:32]
    return Bisheng((executable,), Path(home), identity)


def bisheng_flags(architecture: Architecture) -> tuple[str, ...]:
    """Flags of every build by bisheng, the same as in ``build.sh``."""
    return ("-std=c++17", "-fPIC", "-shared", WRAPPING_FLAG, f"--npu-arch={architecture.bisheng_arch}")


def option_flags(options: Any) -> tuple[str, ...]:
    """Flags of bisheng that follow from the options of a kernel."""
    flags = [*(options.bisheng_options or ()), f"-O{options.opt_level}"]
    if options.auto_sync is not None:
        flags.append(f"--cce-auto-sync={'on' if options.auto_sync else 'off'}")
    if options.auto_sync_log:
        flags.append(f"--cce-auto-sync-log={options.auto_sync_log}")
    if options.debug:
        flags += ["-g", "-DASCENDC_DUMP=1"]
    return tuple(flags)


def run(
    command: Sequence[str], cwd: Path, environment: Optional[Mapping[str, str]] = None
) -> subprocess.CompletedProcess[str]:
    """Run a compiler with English messages and without standard input.

    Raises:
        ToolchainError: it cannot be started.
    """
    env = dict(os.environ if environment is None else environment)
    env.update(LC_ALL="C.UTF-8", LANGUAGE="C")
    try:
        return subprocess.run(
            list(command), cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            check=False,
        )  # fmt: skip
    except OSError as error:
        raise ToolchainError(
            f"{command[0]} cannot be started: {error.strerror or error}", remedy=_INSTALL_HINT
        ) from error


_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<kind>(?:fatal )?error): (?P<text>.*)$"
)


@dataclass(frozen=True)
class Diagnostic:
    """One error of a compiler."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: error: {self.text}"


def diagnostics(stderr: str) -> list[Diagnostic]:
    """The errors in a compiler's output, in order, without repeats."""
    found: dict[Diagnostic, None] = {}
    for line in stderr.splitlines():
        match = _DIAGNOSTIC.match(line)
        if match:
            found[Diagnostic(match["file"], int(match["line"]), match["text"])] = None
    return list(found)


def first_error(stderr: str) -> str:
    for diagnostic in diagnostics(stderr):
        return diagnostic.text
    lines = [line for line in stderr.splitlines() if line.strip()]
    return lines[0] if lines else ""


def rejection(
    stderr: str, generated: str, python_lines: Mapping[int, tuple[str, int]], compiler: Sequence[str]
) -> ToolchainError:
    """The error to raise when ``compiler`` rejected the generated file ``generated``.

    Args:
        python_lines: Python file and line for lines of the generated file.
    """
    lines = []
    for diagnostic in diagnostics(stderr)[:20]:
        place = None
        if os.path.basename(diagnostic.file) == generated:
            place = python_lines.get(diagnostic.line)
        if place is not None:
            lines.append(f"{place[0]}:{place[1]}: error: {diagnostic.text} [{generated}:{diagnostic.line}]")
        else:
            lines.append(f"{os.path.basename(diagnostic.file)}:{diagnostic.line}: error: {diagnostic.text}")
    if not lines:
        lines = ["error: " + (first_error(stderr) or "no message")]
    return ToolchainError(
        f"{os.path.basename(compiler[0])} rejected the generated code:\n" + "\n".join(lines),
        remedy="this is a fault of pyasc-transpile unless the kernel has inline code: please report it with the kernel",
    )
