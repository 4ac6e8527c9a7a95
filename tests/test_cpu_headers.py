"""The C++ tests of the Ascend C headers: every program of tests/cpu, on both architectures, fast and checked."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import pyasc_transpile

PROGRAMS = sorted(Path(__file__).with_name("cpu").glob("*.cpp"))
INCLUDE = Path(pyasc_transpile.__file__).parent / "cpu" / "include"
COMPILERS = [name for name in ("g++", "c++", "clang++") if shutil.which(name)]

REGISTERS = "register_"  # programs of c310 only: c220 has no vector registers
CASES = [(path, arch) for path in PROGRAMS for arch in (2201, 3510) if arch == 3510 or REGISTERS not in path.stem]

FLAGS = ["-std=c++17", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-pthread"]
# Optimised, since some warnings need that, and as users have it; not optimised, which takes less time.
BUILDS = {"fast": ["-O1"], "checked": ["-O0", "-DASCENDC_CPU_CHECKED"]}


def _run(command: list[str], timeout: int) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"


@pytest.mark.skipif(not COMPILERS, reason="no C++ compiler on this machine")
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(("program", "arch"), CASES, ids=[f"{path.stem}-{arch}" for path, arch in CASES])
def test_cpu_headers(program: Path, arch: int, build: str, tmp_path: Path) -> None:
    binary = tmp_path / program.stem
    source = ["-I", str(INCLUDE), f"-D__NPU_ARCH__={arch}", *BUILDS[build], str(program), "-o", str(binary)]
    _run([COMPILERS[0], *FLAGS, *source], timeout=300)
    _run([str(binary)], timeout=120)


@pytest.mark.skipif(not COMPILERS, reason="no C++ compiler on this machine")
@pytest.mark.parametrize(
    "header", ["basic_api/kernel_basic_intf.h", "basic_api/kernel_vec_intf.h", "adv_api/kernel_api.h"]
)
def test_finer_headers_are_there(header: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text(f'#include "{header}"\nvoid kernel() {{ AscendC::PipeBarrier<PIPE_ALL>(); }}\n', encoding="utf-8")
    _run([COMPILERS[0], *FLAGS, "-fsyntax-only", "-I", str(INCLUDE), str(source)], timeout=300)
