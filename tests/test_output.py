"""The output folder: complete or untouched, the same bytes every time, and usable from ctypes, C and CMake."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from host_samples import ADD, SIGNATURE, contents, run_cli, run_python, write
from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.errors import ToolchainError
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.host import output, toolchain
from pyasc_transpile.host.output import OutputError, names_of, write_output
from pyasc_transpile.host.script import import_file
from pyasc_transpile.pipeline import Transpilation, transpile
from pyasc_transpile.targets import PLATFORMS


def transpiled(
    folder: Path, *signatures: str, platform: str = "Ascend950PR_9599", text: str = ADD
) -> list[Transpilation]:
    namespace = import_file(write(folder / "kernel.py", text))
    (kernel,) = (value for value in namespace.values() if isinstance(value, Kernel))
    return [
        transpile(kernel, parse_signature(kernel, signature), PLATFORMS[platform], kernel.options)
        for signature in signatures or (SIGNATURE,)
    ]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    write_output(tmp_path / "out", transpiled(tmp_path))
    return tmp_path / "out"


USE = """
import numpy as np
from add import add
n = 1003
x, y, out = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
add(x, y, out, n)
assert np.array_equal(out, x + y)
add(x, y, out, n, block_num=3)
for wrong, arguments in (
    (TypeError, (x.astype(np.float64), y, out, n)),
    (ValueError, (np.zeros(2 * n, np.float32)[::2], y, out, n)),
    (ValueError, (x, y, out, 2**31)),
    (TypeError, (x, y, out)),
    (TypeError, ([1.0], y, out, n)),
    (TypeError, (x, y, out, 3.0)),
    (TypeError, (x, y, out, "3")),
    (ValueError, (x.astype(x.dtype.newbyteorder()), y, out, n)),
):
    try:
        add(*arguments)
    except wrong as error:
        print(error)
    else:
        raise SystemExit(f"no {wrong.__name__}")
try:
    add(x, y, out, n, block_num=1.5)
except TypeError as error:
    print(error)
print(add.__doc__)
"""


def test_the_loader_needs_nothing_but_numpy(written: Path, tmp_path: Path) -> None:
    write(written / "use.py", USE)
    blocked = tmp_path / "blocked"
    (blocked / "pyasc_transpile").mkdir(parents=True)
    write(blocked / "pyasc_transpile" / "__init__.py", "raise ImportError('the loader must not need it')\n")
    result = run_python(["use.py"], written, PYTHONPATH=str(blocked))
    assert result.returncode == 0, result.stderr
    assert "array of float32" in result.stdout
    assert "does not fit int32" in result.stdout
    assert "the number of blocks: expected an integer, not float" in result.stdout


def test_the_manifest(written: Path) -> None:
    manifest = json.loads((written / "add.json").read_text())
    assert manifest["kernel"] == "add"
    assert manifest["source"]["sha256"] and not os.path.isabs(manifest["source"]["file"])
    assert manifest["signature"]["constants"] == {"tile": 256}
    assert [p["c_type"] for p in manifest["parameters"]] == ["float*", "float*", "float*", "int32_t"]
    assert manifest["platform"]["architecture"] == "c310"
    assert manifest["options"]["opt_level"] == 3
    assert manifest["library"]["file"] == "libadd.so"
    assert manifest["prototype"].startswith("int add_launch(uint32_t block_num, void* stream, float* x_ptr")
    lines = (written / "add.cpp").read_text().splitlines()
    assert manifest["source_map"]
    assert all(1 <= int(line) <= len(lines) for line in manifest["source_map"])


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", "0"), ("b", "1")):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "kernel.py", ADD)
        result = run_cli(
            ["kernel.py", "-o", "out", "--signature", SIGNATURE], tmp_path / name, PYTHONHASHSEED=seed,
            PYASC_TRANSPILE_CACHE=str(tmp_path / f"cache{name}"),
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
    assert contents(tmp_path / "a" / "out") == contents(tmp_path / "b" / "out")


def test_no_text_has_an_absolute_path(written: Path) -> None:
    for name, data in contents(written).items():
        if not name.endswith(".so"):
            assert str(written.parent).encode() not in data, name
            assert str(toolchain.include_dir()).encode() not in data, name


def test_build_sh_works_from_anywhere(written: Path, tmp_path: Path) -> None:
    (written / "libadd.so").unlink()
    folder = tmp_path / "a folder; with $odd 'names'"
    written.rename(folder)
    environment = {**os.environ, "PYASC_TRANSPILE_INCLUDE": str(toolchain.include_dir())}
    environment.pop("ASCEND_HOME_PATH", None)
    subprocess.run([str(folder / "build.sh")], cwd="/", env=environment, check=True)
    write(folder / "use.py", USE)
    result = run_python(["use.py"], folder)
    assert result.returncode == 0, result.stderr


def test_build_sh_calls_bisheng_where_cann_is(written: Path, tmp_path: Path) -> None:
    fake = write(tmp_path / "bisheng", '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    fake.chmod(0o755)
    environment = {**os.environ, "ASCEND_HOME_PATH": "/opt/my cann", "PYASC_COMPILER": str(fake)}
    assert "-fwrapv" in (written / "CMakeLists.txt").read_text()
    result = subprocess.run([str(written / "build.sh")], env=environment, check=True, capture_output=True, text=True)
    words = result.stdout.splitlines()
    assert "-fwrapv" in words and "-shared" in words
    assert "--npu-arch=dav-3510" in words and "-I/opt/my cann/include" in words and "add_host.asc" in words


def test_cmake_builds_it(written: Path, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    environment = {**os.environ, "PYASC_TRANSPILE_INCLUDE": str(toolchain.include_dir())}
    environment.pop("ASCEND_HOME_PATH", None)
    for command in (["cmake", "-S", str(written), "-B", "build"], ["cmake", "--build", "build"]):
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert (tmp_path / "build" / "libadd.so").is_file()


def test_a_c_program_can_call_it(written: Path, tmp_path: Path) -> None:
    prototype = json.loads((written / "add.json").read_text())["prototype"]
    write(
        tmp_path / "main.c",
        f"#include <stdint.h>\n#include <stdio.h>\n{prototype}\n"
        "int main(void)\n{\n    float x[5] = {1, 2, 3, 4, 5}, y[5] = {1, 1, 1, 1, 1}, out[5];\n"
        "    if (add_launch(2, 0, x, y, out, 5) != 0) return 1;\n"
        '    for (int i = 0; i < 5; ++i) printf("%g ", out[i]);\n    return 0;\n}\n',
    )
    compiler = toolchain.find_compiler().command
    subprocess.run([*compiler, "-x", "c", "-c", "main.c", "-o", "main.o"], cwd=tmp_path, check=True)
    subprocess.run(
        [*compiler, "main.o", f"-L{written}", "-ladd", f"-Wl,-rpath,{written}", "-o", "main"], cwd=tmp_path, check=True
    )
    result = subprocess.run([str(tmp_path / "main")], check=True, capture_output=True, text=True)
    assert result.stdout.split() == ["2", "3", "4", "5", "6"]


def test_half_crosses_the_c_entry_as_void_pointers(tmp_path: Path) -> None:
    (item,) = transpiled(tmp_path, SIGNATURE.replace("f32", "f16"))
    write_output(tmp_path / "out", [item])
    manifest = json.loads((tmp_path / "out" / "add.json").read_text())
    assert [p["c_type"] for p in manifest["parameters"]] == ["void*", "void*", "void*", "int32_t"]
    write(tmp_path / "out" / "use.py", USE.replace("np.float32", "np.float16"))
    result = run_python(["use.py"], tmp_path / "out")
    assert result.returncode == 0, result.stderr


def test_specialisations_get_names_of_their_own(tmp_path: Path) -> None:
    items = transpiled(tmp_path, SIGNATURE, SIGNATURE.replace("256", "512"), SIGNATURE.replace("f32", "f16"))
    names = names_of(items)
    assert names[0] == "add"
    assert len(set(names)) == 3
    assert all(name.startswith("add_") and len(name) == len("add_") + 8 for name in names[1:])
    assert names == names_of(items)
    write_output(tmp_path / "out", items)
    for name in names:
        assert (tmp_path / "out" / f"lib{name}.so").is_file()


def test_files_of_different_kernels_never_meet(tmp_path: Path) -> None:
    text = ADD + ADD.replace("def add(", "def add_cpu(").replace("from pyasc_transpile import asctile", "")
    namespace = import_file(write(tmp_path / "kernel.py", text))
    kernels = [value for value in namespace.values() if isinstance(value, Kernel)]
    platform = PLATFORMS["Ascend950PR_9599"]
    items = [transpile(kernel, parse_signature(kernel, SIGNATURE), platform, kernel.options) for kernel in kernels]
    names = names_of(items)
    assert names[0] == "add" and names[1].startswith("add_cpu_")


def test_other_files_stay_and_old_ones_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    write(folder / "mine.txt", "mine")
    write(folder / "add.cpp", "old")
    (folder / "sub").mkdir()
    write(folder / "sub" / "deep.txt", "deep")
    write_output(folder, transpiled(tmp_path))
    assert (folder / "mine.txt").read_text() == "mine"
    assert (folder / "sub" / "deep.txt").read_text() == "deep"
    assert "__aicore__" in (folder / "add.cpp").read_text()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def _break(*_: Any, **__: Any) -> Any:
    raise ToolchainError("no luck")


def test_a_failure_leaves_the_folder_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = transpiled(tmp_path)
    folder = tmp_path / "out"
    write_output(folder, items)
    write(folder / "add.cpp", "edited by hand")
    before = contents(folder)
    monkeypatch.setattr(output.build, "cached_library", _break)
    with pytest.raises(ToolchainError, match="no luck"):
        write_output(folder, items)
    assert contents(folder) == before
    shutil.rmtree(folder)
    with pytest.raises(ToolchainError, match="no luck"):
        write_output(folder, items)
    assert not folder.exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_failure_while_moving_puts_everything_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = transpiled(tmp_path)
    folder = tmp_path / "out"
    write_output(folder, items)
    write(folder / "build.sh", "mine")
    before = contents(folder)
    real, calls = os.rename, []

    def rename(source: Any, target: Any) -> None:
        calls.append(target)
        if len(calls) == 6:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(output.os, "rename", rename)
    with pytest.raises(OutputError, match="No space left"):
        write_output(folder, items)
    monkeypatch.undo()
    assert contents(folder) == before


def test_a_folder_in_the_way_is_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    (folder / "add.cpp").mkdir(parents=True)
    with pytest.raises(OutputError, match="is a folder"):
        write_output(folder, transpiled(tmp_path))
    assert [path.name for path in folder.iterdir()] == ["add.cpp"]
    write(tmp_path / "file", "")
    with pytest.raises(OutputError, match="not a folder"):
        write_output(tmp_path / "file", transpiled(tmp_path))


def test_links_in_the_folder_are_replaced_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    victim = write(tmp_path / "victim.txt", "safe")
    (folder / "add.cpp").symlink_to(victim)
    write_output(folder, transpiled(tmp_path))
    assert victim.read_text() == "safe"
    assert not (folder / "add.cpp").is_symlink()


def test_an_outdated_library_does_not_stay_beside_new_texts(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_output(folder, transpiled(tmp_path))
    write_output(folder, transpiled(tmp_path, SIGNATURE.replace("256", "512")), build_libraries=False)
    assert not (folder / "libadd.so").exists()
    write(folder / "libadd.so", "of somebody else")
    write_output(folder, transpiled(tmp_path), build_libraries=False)
    assert (folder / "libadd.so").read_text() == "of somebody else"


def test_a_checked_library_reports_what_is_wrong(tmp_path: Path) -> None:
    write_output(tmp_path / "out", transpiled(tmp_path), checked=True)
    write(tmp_path / "out" / "use.py", USE)
    result = run_python(["use.py"], tmp_path / "out")
    assert result.returncode == 0, result.stderr
    manifest = json.loads((tmp_path / "out" / "add.json").read_text())
    assert manifest["library"]["built_for"] == "CPU, checked"


def test_both_architectures(tmp_path: Path) -> None:
    for platform in ("Ascend910B1", "Ascend950PR_9599"):
        write_output(tmp_path / platform, transpiled(tmp_path, platform=platform))
        write(tmp_path / platform / "use.py", USE)
        result = run_python(["use.py"], tmp_path / platform)
        assert result.returncode == 0, result.stderr


def test_arrays_are_changed_in_place(written: Path) -> None:
    code = (
        "import numpy as np, add\nx = np.ones((2, 3), np.float32); out = np.zeros((2, 3), np.float32)\n"
        "add.add(x, x, out, 6)\nassert (out == 2).all()\n"
    )
    assert run_python(["-c", code], written).returncode == 0


def test_a_read_only_array_is_an_input(written: Path) -> None:
    code = (
        "import numpy as np, add\nx = np.frombuffer(np.ones(6, np.float32).tobytes(), np.float32)\n"
        "out = np.zeros(6, np.float32)\nadd.add(x, x, out, 6)\nassert (out == 2).all()\n"
        "try:\n    add.add(out, out, x, 6)\nexcept ValueError as error:\n    print(error, x[0])\n"
    )
    result = run_python(["-c", code], written)
    assert "read-only, and the kernel wrote to it 1.0" in result.stdout, result.stderr


def test_a_loader_takes_numbers_for_numbers_only(tmp_path: Path) -> None:
    text = ADD.replace("size: int,", "size: int, factor: float, half: float,")
    signature = SIGNATURE.replace("size: i32", "size: i32, factor: f32, half: f16")
    write_output(tmp_path / "out", transpiled(tmp_path, signature, text=text))
    code = (
        "import numpy as np, add\nx = np.ones(4, np.float32)\nadd.add(x, x, x, 4, np.float32(1), np.float16(2))\n"
        "for numbers in (('1', 2.0), (1.0, '2')):\n"
        "    try:\n        add.add(x, x, x, 4, *numbers)\n    except TypeError as error:\n        print(error)\n"
    )
    result = run_python(["-c", code], tmp_path / "out")
    assert result.stdout == "factor: expected a number, not str\nhalf: expected a number, not str\n", result.stderr
