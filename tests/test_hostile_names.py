"""Names and texts from Python source and from the command line cannot break out of what is generated."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from host_samples import ADD, SIGNATURE, contents, run_python, write
from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.cli import main
from pyasc_transpile.errors import ArgumentValueError, TranspileError
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.host.artifacts import free_name, require_identifier
from pyasc_transpile.host.output import write_output
from pyasc_transpile.host.script import import_file
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import PLATFORMS

HOSTILE = [
    "../evil",
    "a b",
    "a;b",
    "$(id)",
    "a\nb",
    "",
    "1a",
    "é",
    "a" * 300,
    "a/b",
    "a\\b",
    "a'b",
    'a"b',
    "a-b",
    "..",
    "a\0",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_only_plain_identifiers_become_file_names(name: str) -> None:
    with pytest.raises(ArgumentValueError):
        require_identifier(name)


def test_free_name_avoids_what_is_taken() -> None:
    assert free_name("stream", ["stream", "stream_"]) == "stream__"


def write_kernel(folder: Path, text: str, signature: str = SIGNATURE) -> Path:
    """Transpile the one kernel of ``text`` into ``folder/out`` and build it."""
    namespace = import_file(write(folder / "kernel.py", text))
    (kernel,) = {id(value): value for value in namespace.values() if isinstance(value, Kernel)}.values()
    item = transpile(kernel, parse_signature(kernel, signature), PLATFORMS["Ascend950PR_9599"], kernel.options)
    write_output(folder / "out", [item])
    (manifest,) = (folder / "out").glob("*.json")
    return manifest


# Names that mean something in C++, in the generated files, in CMake or in shell; all are fine in Python.
KERNEL_NAMES = ["main", "printf", "int32_t", "double", "template", "half", "Add", "GetBlockIdx", "build", "test", "all"]
KERNEL_NAMES += [
    "install",
    "copy",
    "ctypes",
    "numpy",
    "CMakeLists",
    "_np",
    "_run",
    "é_kernel",
    "add_launch",
    "LocalTensor",
]


@pytest.mark.parametrize("name", KERNEL_NAMES)
def test_any_kernel_name_works(tmp_path: Path, name: str) -> None:
    manifest = write_kernel(tmp_path, ADD.replace("def add(", f"def {name}("))
    document = json.loads(manifest.read_text())
    assert document["kernel"] == name
    assert document["entry"].isascii() and document["entry"].isidentifier()
    assert (manifest.parent / document["library"]["file"]).is_file()
    loaders = list(manifest.parent.glob("*.py"))
    assert len(loaders) == 1
    code = (
        f"import numpy, {loaders[0].stem} as loader\n"
        "run = [f for f in vars(loader).values() if getattr(f, '__doc__', '') and 'Args:' in str(f.__doc__)]\n"
        "x = numpy.ones(9, numpy.float32); out = numpy.zeros(9, numpy.float32)\n"
        "run[0](x, x, out, 9)\nassert (out == 2).all()\n"
    )
    result = run_python(["-c", code], manifest.parent)
    assert result.returncode == 0, result.stderr


PARAMETER_NAMES = [
    ("x_ptr", "stream_"), ("x_ptr", "block_num"), ("size", "int32_t"), ("y_ptr", "float_"), ("x_ptr", "double"),
    ("size", "n_value"), ("out_ptr", "_np"), ("out_ptr", "_load"), ("x_ptr", "library"), ("x_ptr", "register"),
    ("size", "y_ptr_launch"), ("x_ptr", "Add"), ("x_ptr", "AscendC"), ("x_ptr", "é"), ("size", "add"),
    ("x_ptr", "this"), ("tile", "sizeof"), ("x_ptr", "Optional"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), PARAMETER_NAMES)
def test_any_parameter_name_works(tmp_path: Path, old: str, new: str) -> None:
    text, signature = (re.sub(rf"\b{old}\b", new, text) for text in (ADD, SIGNATURE))
    manifest = write_kernel(tmp_path, text, signature)
    code = (
        "import numpy, add\nx = numpy.ones(9, numpy.float32); out = numpy.zeros(9, numpy.float32)\n"
        "add.add(x, x, out, 9)\nassert (out == 2).all()\n"
    )
    result = run_python(["-c", code], manifest.parent)
    assert result.returncode == 0, result.stderr


TEXTS = [
    '"""; import os',
    "\\",
    '\\"""',
    "*/ int x; /*",
    "\n#include </etc/passwd>",
    "{{ 7 * 7 }}",
    "${HOME}",
    "$(touch pwned)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_constants_stay_data(tmp_path: Path, text: str) -> None:
    source = ADD.replace("tile: asctile.ConstExpr[int]", "tile: asctile.ConstExpr[int], note: asctile.ConstExpr[str]")
    manifest = write_kernel(tmp_path, source, f"{SIGNATURE}, note={text!r}")
    assert json.loads(manifest.read_text())["signature"]["constants"]["note"] == text
    result = run_python(["-c", "import add; print(add.__doc__)"], manifest.parent)
    assert result.returncode == 0, result.stderr
    subprocess.run(["sh", "-n", str(manifest.parent / "build.sh")], check=True)
    for name, data in contents(manifest.parent).items():
        if name.endswith((".cpp", ".asc", "CMakeLists.txt", ".sh")):
            for line in data.decode().splitlines():
                assert not line.lstrip().startswith("#include </etc"), name
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("comment", ["# \\", "# ??/", "# */", '# """', "# {{ x }}", "# `id`"])
def test_comments_and_lines_of_the_source_cannot_change_the_text(tmp_path: Path, comment: str) -> None:
    write_kernel(tmp_path, ADD.replace("out_gm, [i * tile])", f"out_gm, [i * tile])  {comment}"))


def test_words_for_the_device_compiler_are_quoted_in_build_sh(tmp_path: Path) -> None:
    word = "-DX=$(touch pwned); `id` 'q'"
    manifest = write_kernel(tmp_path, ADD.replace("@asctile.jit\n", f"@asctile.jit(bisheng_options=({word!r},))\n"))
    fake = write(tmp_path / "bisheng", '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    fake.chmod(0o755)
    environment = {"ASCEND_HOME_PATH": "/cann", "PYASC_COMPILER": str(fake), "PATH": "/usr/bin:/bin"}
    result = subprocess.run(
        [str(manifest.parent / "build.sh")], env=environment, check=True, capture_output=True, text=True
    )
    assert word in result.stdout.splitlines()
    assert not list(tmp_path.rglob("pwned"))


def test_a_hostile_kernel_file_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "a b;$(touch pwned)'\".py"
    write(tmp_path / name, ADD)
    with pytest.raises(SystemExit) as stop:
        main([name, "-o", "o u;t", "--signature", SIGNATURE])
    assert stop.value.code in (0, None)
    assert (tmp_path / "o u;t" / "libadd.so").is_file()
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize(
    "text",
    ["../../x(a: i32)", "add; rm -rf /", "add(x_ptr: *f32", "__import__('os').system('id')", "tile=__import__('os')"],
)
def test_signatures_are_not_evaluated(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "kernel.py", ADD)
    with pytest.raises(SystemExit) as stop:
        main(["kernel.py", "-o", "out", "--signature", text])
    assert stop.value.code == 1
    assert not (tmp_path / "out").exists()


def test_forged_names_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    import dataclasses

    namespace = import_file(write(tmp_path / "kernel.py", ADD))
    kernel = namespace["add"]
    item = transpile(kernel, parse_signature(kernel, SIGNATURE), PLATFORMS["Ascend950PR_9599"], kernel.options)
    for name in HOSTILE:
        with pytest.raises(TranspileError):
            write_output(tmp_path / "out", [dataclasses.replace(item, name=name)])
    assert not (tmp_path / "out").exists()
