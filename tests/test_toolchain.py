"""Finding compilers, running them, and what is said when there is none or when they complain."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pyasc_transpile.errors import ToolchainError
from pyasc_transpile.host import build, toolchain
from pyasc_transpile.host.build import CpuSource
from pyasc_transpile.host.cache import Cache
from pyasc_transpile.targets import ARCHITECTURES

KERNEL = """#include "kernel_operator.h"

extern "C" __global__ __aicore__ void nothing(__gm__ float* x)
{
    x[AscendC::GetBlockIdx()] = 1.0f;
}
"""
ENTRY = """#include "kernel_operator.h"
#include "ascendc_cpu/launch.h"
#include "nothing.cpp"
extern "C" int nothing_launch(uint32_t block_num, void* stream, float* x)
{
    return AscendC::cpu::Launch(block_num, [=] { nothing(x); });
}
"""


def _source(kernel: str = KERNEL, checked: bool = False) -> CpuSource:
    return CpuSource("nothing", kernel, ENTRY, ARCHITECTURES["c310"], checked, {5: ("kernel.py", 12)})


@pytest.fixture
def compiler() -> toolchain.Compiler:
    return toolchain.find_compiler()


def test_no_compiler_names_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ToolchainError) as caught:
        toolchain.find_compiler()
    for word in ("g++", "gcc-c++", "xcode-select --install"):
        assert word in str(caught.value)


def test_cxx_wins_and_a_missing_one_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "my c++"
    fake.write_text("#!/bin/sh\necho 'broken compiler' >&2\nexit 3\n")
    fake.chmod(0o755)
    monkeypatch.setenv("CXX", f"'{fake}' -DX=1")
    found = toolchain.find_compiler()
    assert found.command == (str(fake), "-DX=1")
    with pytest.raises(ToolchainError, match="broken compiler"):
        toolchain.verify_compiler(found)
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolchainError, match="no-such-compiler"):
        toolchain.find_compiler()


def test_the_identity_follows_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "cxx"
    identities = set()
    for text in ("#!/bin/sh\n", "#!/bin/sh\n# newer\n"):
        fake.write_text(text)
        fake.chmod(0o755)
        toolchain._find_compiler.cache_clear()
        monkeypatch.setenv("CXX", str(fake))
        identities.add(toolchain.find_compiler().identity)
    assert len(identities) == 2


def test_commands_never_pass_through_a_shell(tmp_path: Path) -> None:
    result = toolchain.run(["printf", "%s", "$HOME; echo `id`"], tmp_path)
    assert result.stdout == "$HOME; echo `id`"


def test_bisheng_is_looked_for_only_with_cann(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    monkeypatch.delenv("PYASC_COMPILER", raising=False)
    assert toolchain.find_bisheng() is None
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(ToolchainError, match="bisheng"):
        toolchain.find_bisheng()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bisheng").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "bisheng").chmod(0o755)
    found = toolchain.find_bisheng()
    assert found is not None and found.command == (str(tmp_path / "bin" / "bisheng"),)


def test_errors_in_generated_text_point_at_python(tmp_path: Path, compiler: toolchain.Compiler) -> None:
    broken = KERNEL.replace("1.0f", "no_such_name")
    with pytest.raises(ToolchainError) as caught:
        build.check_source(_source(broken), compiler, Cache(tmp_path / "cache"))
    lines = str(caught.value).splitlines()
    assert any(line.startswith("kernel.py:12: error:") and "no_such_name" in line for line in lines)
    assert str(tmp_path) not in str(caught.value)


def test_a_build_works_with_and_without_the_precompiled_header(tmp_path: Path, compiler: toolchain.Compiler) -> None:
    cache = Cache(tmp_path / "cache")
    for name, used in (("with.so", cache), ("without.so", None)):
        build.compile_library(_source(), compiler, used, tmp_path / name)
    assert (tmp_path / "with.so").read_bytes() == (tmp_path / "without.so").read_bytes()


def test_the_compiler_uses_the_precompiled_header(tmp_path: Path, compiler: toolchain.Compiler) -> None:
    if compiler.family != "gcc":
        pytest.skip("the -H switch with a mark for precompiled headers is GCC's")
    flags = build.precompiled_header(compiler, ARCHITECTURES["c310"], False, Cache(tmp_path / "cache"))
    assert flags
    (tmp_path / "nothing.cpp").write_text(KERNEL)
    (tmp_path / "entry.cpp").write_text(ENTRY)
    build_flags = [
        *compiler.flags(ARCHITECTURES["c310"], False),
        f"-ffile-prefix-map={toolchain.include_dir()}=ascendc",
    ]
    command = [
        *compiler.command,
        *build_flags,
        *flags,
        "-H",
        "-I",
        str(toolchain.include_dir()),
        "entry.cpp",
        "-o",
        "x.so",
    ]
    result = toolchain.run(command, tmp_path)
    assert result.returncode == 0, result.stderr
    assert any(line.startswith("! ") and line.endswith(".gch") for line in result.stderr.splitlines()), result.stderr
    assert "invalid-pch" not in result.stderr


def test_without_a_precompiled_header_the_build_goes_on(
    tmp_path: Path, compiler: toolchain.Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ToolchainError("no")

    monkeypatch.setattr(build, "_make_pch", fail)
    build.compile_library(_source(), compiler, Cache(tmp_path / "cache"), tmp_path / "out.so")
    assert (tmp_path / "out.so").stat().st_size > 0


def test_a_damaged_precompiled_header_is_made_anew(tmp_path: Path, compiler: toolchain.Compiler) -> None:
    cache = Cache(tmp_path / "cache")
    build.compile_library(_source(), compiler, cache, tmp_path / "a.so")
    for path in cache.root.rglob("*.gch"):
        os.truncate(path, 1000)
    build._pch_flags.clear()
    build.compile_library(_source(), compiler, cache, tmp_path / "b.so")
    assert (tmp_path / "a.so").read_bytes() == (tmp_path / "b.so").read_bytes()


def test_clang_builds_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("no clang++ here")
    monkeypatch.setenv("CXX", "clang++")
    found = toolchain.find_compiler()
    assert found.family == "clang"
    cache = Cache(tmp_path / "cache")
    assert build.precompiled_header(found, ARCHITECTURES["c310"], False, cache)
    build.compile_library(_source(), found, cache, tmp_path / "out.so")


def test_a_library_is_built_once(tmp_path: Path, compiler: toolchain.Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "cache")
    key, data = build.cached_library(_source(), compiler, cache, {})
    monkeypatch.setattr(build, "compile_library", lambda *_: pytest.fail("it was built again"))
    assert build.cached_library(_source(), compiler, cache, {}) == (key, data)


def test_a_damaged_library_is_built_again_and_not_returned(tmp_path: Path, compiler: toolchain.Compiler) -> None:
    cache = Cache(tmp_path / "cache")
    key, data = build.cached_library(_source(), compiler, cache, {})
    entry = cache.find(key)
    assert entry is not None
    (entry.path / build.LIBRARY).write_bytes(data[: len(data) // 2])
    assert build.cached_library(_source(), compiler, cache, {}) == (key, data)


def test_the_key_follows_everything(compiler: toolchain.Compiler) -> None:
    other_architecture = CpuSource("nothing", KERNEL, ENTRY, ARCHITECTURES["c220"], False, {})
    sources = [_source(), _source(KERNEL + "\n"), _source(checked=True), other_architecture]
    assert len({build.build_key(source, compiler) for source in sources}) == len(sources)
