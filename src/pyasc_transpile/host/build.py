"""Compiling a kernel for the CPU, through the cache and with a precompiled header."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ..errors import ToolchainError
from ..targets import Architecture
from . import toolchain
from .cache import Cache, Entry, hash_parts
from .toolchain import Compiler

LIBRARY = "kernel.so"
_PCH_HEADER = "ascendc_prelude.h"
_PCH_TEXT = '#include "kernel_operator.h"\n#include "ascendc_cpu/launch.h"\n'


@dataclass(frozen=True)
class CpuSource:
    """A kernel's text and its CPU entry, ready to be compiled.

    Attributes:
        kernel: text of ``<name>.cpp``.
        entry: text of ``<name>_cpu.cpp``, which includes it.
        python_lines: Python file and line for lines of the kernel's text.
        timed: build for the model, with clocks.
    """

    name: str
    kernel: str
    entry: str
    architecture: Architecture
    checked: bool
    python_lines: Mapping[int, tuple[str, int]]
    timed: bool = False

    @property
    def kernel_file(self) -> str:
        return f"{self.name}.cpp"

    @property
    def entry_file(self) -> str:
        return f"{self.name}_cpu.cpp"


def build_key(source: CpuSource, compiler: Compiler) -> str:
    """Hash of everything that the shared library of ``source`` depends on."""
    return hash_parts(
        "cpu-library-1",
        toolchain.headers_hash(),
        compiler.identity,
        *compiler.flags(source.architecture, source.checked, source.timed),
        *_link_flags(),
        source.name,
        source.kernel,
        source.entry,
    )


def compile_library(source: CpuSource, compiler: Compiler, cache: Optional[Cache], output: Path) -> None:
    """Compile ``source`` into the shared library ``output``.

    Args:
        cache: holds the precompiled header; without it none is used.

    Raises:
        ToolchainError: the compiler is broken, or rejects the text.
    """
    _compile(source, compiler, cache, ["-o", str(output)])


def check_source(source: CpuSource, compiler: Compiler, cache: Optional[Cache]) -> None:
    """Compile ``source`` and keep nothing.

    Raises:
        ToolchainError: the compiler rejects the text.
    """
    with tempfile.TemporaryDirectory(prefix="pyasc-check-") as folder:
        _compile(source, compiler, cache, ["-o", str(Path(folder) / LIBRARY)])


def _compile(source: CpuSource, compiler: Compiler, cache: Optional[Cache], output: Sequence[str]) -> None:
    toolchain.verify_compiler(compiler)
    prelude: tuple[str, ...] = ()
    if cache is not None:
        prelude = precompiled_header(compiler, source.architecture, source.checked, cache, source.timed)
    with tempfile.TemporaryDirectory(prefix="pyasc-build-") as name:
        folder = Path(name)
        (folder / source.kernel_file).write_text(source.kernel, encoding="utf-8")
        (folder / source.entry_file).write_text(source.entry, encoding="utf-8")

        flags = compiler.flags(source.architecture, source.checked, source.timed)

        def command(extra: Sequence[str]) -> list[str]:
            return [
                *compiler.command, *flags, *_link_flags(), *_path_flags(),
                "-w", *extra, "-I", str(toolchain.include_dir()), source.entry_file, *output,
            ]  # fmt: skip

        result = toolchain.run(command(prelude), cwd=folder)
        if result.returncode != 0 and prelude:
            result = toolchain.run(command(()), cwd=folder)
        if result.returncode != 0:
            raise toolchain.rejection(result.stderr, source.kernel_file, source.python_lines, compiler.command)


def _link_flags() -> tuple[str, ...]:
    """Each library uses its own copy of our headers' functions, whatever else the process has loaded."""
    return ("-Wl,-Bsymbolic",) if sys.platform.startswith("linux") else ()


def _path_flags() -> tuple[str, ...]:
    """Where the package is installed does not show in what is built."""
    return (f"-ffile-prefix-map={toolchain.include_dir()}=ascendc",)


_pch_lock = threading.Lock()
_pch_flags: dict[str, tuple[str, ...]] = {}


def precompiled_header(
    compiler: Compiler, architecture: Architecture, checked: bool, cache: Cache, timed: bool = False
) -> tuple[str, ...]:
    """Flags that make ``compiler`` use a precompiled ``kernel_operator.h``; none if it cannot make one."""
    flags = tuple(flag for flag in compiler.flags(architecture, checked, timed) if flag != "-shared")
    key = hash_parts("cpu-header-1", toolchain.headers_hash(), compiler.identity, *flags, *_path_flags(), _PCH_TEXT)
    memory_key = f"{cache.root}\0{key}"
    with _pch_lock:
        known = _pch_flags.get(memory_key)
        if known is not None and (not known or os.path.exists(known[1])):
            return known
        try:
            entry = cache.find(key)
            if entry is None or entry.read(_PCH_HEADER) is None or entry.read(_pch_file(compiler)) is None:
                entry = cache.build(key, lambda folder: _make_pch(folder, compiler, flags))
            found = _use_pch(entry, compiler)
        except (ToolchainError, OSError):
            found = ()
        _pch_flags[memory_key] = found
        return found


def _pch_file(compiler: Compiler) -> str:
    return f"{_PCH_HEADER}.gch" if compiler.family == "gcc" else f"{_PCH_HEADER}.pch"


def _use_pch(entry: Entry, compiler: Compiler) -> tuple[str, ...]:
    if compiler.family == "gcc":
        return ("-include", str(entry.path / _PCH_HEADER), "-Winvalid-pch")
    return ("-include-pch", str(entry.path / _pch_file(compiler)))


def _make_pch(folder: Path, compiler: Compiler, flags: Sequence[str]) -> Mapping[str, str]:
    (folder / _PCH_HEADER).write_text(_PCH_TEXT, encoding="utf-8")
    command = [
        *compiler.command, *flags, *_path_flags(), "-w", "-x", "c++-header", "-I", str(toolchain.include_dir()),
        _PCH_HEADER, "-o", _pch_file(compiler),
    ]  # fmt: skip
    if compiler.family == "clang":
        # The header is moved into the cache after this, so its time and path must not matter.
        command[len(compiler.command) : len(compiler.command)] = ["-Xclang", "-fno-pch-timestamp"]
    result = toolchain.run(command, cwd=folder)
    if result.returncode != 0:
        raise ToolchainError(f"no precompiled header: {toolchain.first_error(result.stderr)}")
    return {}


def cached_library(
    source: CpuSource, compiler: Compiler, cache: Cache, meta: Mapping[str, object]
) -> tuple[str, bytes]:
    """Cache key and content of the library of ``source``, built if the cache has no intact one.

    Raises:
        ToolchainError: it cannot be built.
    """
    key = build_key(source, compiler)
    entry = cache.find(key)
    data = entry.read(LIBRARY) if entry is not None else None
    if data is None:

        def make(folder: Path) -> Mapping[str, object]:
            compile_library(source, compiler, cache, folder / LIBRARY)
            (folder / source.kernel_file).write_text(source.kernel, encoding="utf-8")
            return meta

        entry = cache.build(key, make)
        data = entry.read(LIBRARY)
        if data is None:
            raise ToolchainError(f"the cache entry {entry.path} was damaged while it was made")
    return key, data
