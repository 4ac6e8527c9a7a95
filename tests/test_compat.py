"""Files that import asctile, asc or asc2 run unchanged where those packages are not installed."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from host_samples import run_cli, run_python, write
from pyasc_transpile import asctile as language
from pyasc_transpile import compat
from pyasc_transpile.errors import OptionError

BODY = """
import numpy as np


@asctile.jit
def twice(x_ptr: {asc}.GlobalAddress, out_ptr: {asc}.GlobalAddress, n: int, tile: {asc}.ConstExpr[int]):
    x, out = asctile.global_tensor(x_ptr, [n]), asctile.global_tensor(out_ptr, [n])
    for i in asctile.range(asctile.block_idx(), {asc}.ceildiv(n, tile), asctile.block_num()):
        t = asctile.copy_in(x, [i * tile], [tile])
        asctile.copy_out(t + asctile.full([tile], 0.0, {asc}.float32) + t, out, [i * tile])


def main(arguments):
    n = int(arguments[1]) if len(arguments) > 1 else 100
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    twice[2](x, out, n, 32)
    assert np.array_equal(out, 2 * x)
    print("ran with", arguments[1:])


if __name__ == "__main__":
    import sys

    main(sys.argv)
"""

IMPORTS = {
    "asctile": ("import asctile", "asctile"),
    "experimental": ("import asc\nimport asc.experimental.asctile as asctile", "asc"),
    "from": ("import asc\nfrom asc.experimental import asctile", "asc"),
    "attribute": ("import asc\nasctile = asc.experimental.asctile", "asc"),
}

ASC2 = """
import asc
import asc2
import numpy as np


@asc2.jit
def twice(x_ptr: asc.GlobalAddress, out_ptr: asc.GlobalAddress, n: int, tile: asc.ConstExpr[int]):
    x, out = asc2.tensor(x_ptr, [n]), asc2.tensor(out_ptr, [n])
    first = asc2.load(x, offsets=[0])
    for i in asc2.range(asc2.ceildiv(n, tile), unroll_factor=2, parallel=True):
        t = asc2.load(x, [tile], offsets=[i * tile])
        assert isinstance(t, asc2.Tile)
        asc2.store(t * 2 + first, out, offsets=[i * tile])


if __name__ == "__main__":
    x, out = np.arange(1, 101, dtype=np.float32), np.zeros(100, np.float32)
    twice[1](x, out, 100, 32)
    assert np.array_equal(out, 2 * x + 1)
    print("ran")
"""


@pytest.fixture
def installed() -> Iterator[None]:
    compat.install("auto")
    yield
    compat.uninstall()


@pytest.mark.parametrize("name", IMPORTS)
def test_scripts_run_unchanged(tmp_path: Path, name: str) -> None:
    statement, prefix = IMPORTS[name]
    write(tmp_path / "script.py", f"{statement}\n{BODY.format(asc=prefix)}")
    done = run_python(["-m", "pyasc_transpile", "script.py", "70", "--flag"], tmp_path, PYASC_TRANSPILE_COMPAT=None)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "ran with ['70', '--flag']\n"


@pytest.mark.parametrize("name", IMPORTS)
def test_the_command_line_uses_them(tmp_path: Path, name: str) -> None:
    statement, prefix = IMPORTS[name]
    write(tmp_path / "script.py", f"{statement}\n{BODY.format(asc=prefix)}")
    done = run_cli(["script.py", "-o", "out", "--no-build"], tmp_path, PYASC_TRANSPILE_COMPAT=None)
    assert done.returncode == 0, done.stderr
    assert "twice(" in (tmp_path / "out" / "twice.cpp").read_text()


def test_older_names_run_with_a_warning_at_the_line(tmp_path: Path) -> None:
    write(tmp_path / "script.py", ASC2)
    done = run_python(["-W", "always", "-m", "pyasc_transpile", "script.py"], tmp_path, PYASC_TRANSPILE_COMPAT=None)
    assert done.returncode == 0 and done.stdout == "ran\n", done.stderr
    lines = ASC2.splitlines()
    for text, marker in (
        ("asc2 is the older name of asctile: import asctile instead", "import asc2"),
        ("asc2.tensor is the older name of asctile.global_tensor", "asc2.tensor("),
        ("asc2.load(x, shape, offsets=o) is the older name of asctile.copy_in(x, o, shape)", "asc2.load(x, [tile]"),
        ("asc2.store is the older name of asctile.copy_out", "asc2.store("),
    ):
        line = next(number for number, content in enumerate(lines, 1) if marker in content)
        assert f"script.py:{line}: DeprecationWarning: {text}" in done.stderr
    assert "parallel=x) is the older name of gm_barrier" in done.stderr


def test_the_older_names_are_those_of_the_language(installed: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        asc2 = importlib.import_module("asc2")
    assert asc2.range is language.range and asc2.jit is language.jit and asc2.exp is language.exp
    assert asc2.Tensor is language.GlobalTensor and asc2.TileLocation is language.TensorLocation
    assert {"load", "store", "tensor", "range", "Tile", "jit"} <= set(asc2.__all__) <= set(dir(asc2))
    with pytest.raises(AttributeError, match="no attribute 'laod'; did you mean 'load'"):
        asc2.laod  # noqa: B018


@pytest.mark.parametrize(("call", "message"), [("asc2.load(x, [64])", "load"), ("asc2.store(1, x)", "store")])
def test_older_names_need_offsets(tmp_path: Path, call: str, message: str) -> None:
    script = f"import asc2\n\n\n@asc2.jit\ndef kernel(p, n: int):\n    x = asc2.tensor(p, [n])\n    {call}\n"
    write(tmp_path / "script.py", script)
    done = run_cli(["script.py", "--emit", "graph", "--signature", "kernel(p: *f32, n: i32)"], tmp_path)
    assert done.returncode == 1
    assert f"script.py:7: error: TypeError: asc2.{message} needs offsets=[...]" in done.stderr


def test_stand_ins_are_the_language(installed: None) -> None:
    asctile = importlib.import_module("asctile")
    assert asctile is language is importlib.import_module("asc.experimental.asctile")
    assert asctile.__spec__ is not None and asctile.__spec__.name == "pyasc_transpile.asctile"
    asc = importlib.import_module("asc")
    assert asc.ConstExpr is language.ConstExpr and asc.float32 is language.float32
    assert asc.ceildiv(7, 2) == 4 and asc.experimental.asctile is language
    config = importlib.import_module("asc.runtime.config")
    assert config.Backend is language.Backend and config.set_platform is language.set_platform
    assert importlib.import_module("asctile.runtime").set_platform is language.set_platform
    assert importlib.import_module("asc.experimental.asctile.profiling") is language.profiling
    namespace: dict[str, object] = {}
    exec("from asc import *", namespace)
    assert namespace["GlobalAddress"] is language.GlobalAddress and "jit" not in namespace
    with pytest.raises(AttributeError, match="module 'asc' has no attribute 'jit' .*not the whole lower-level API"):
        asc.jit  # noqa: B018
    for missing in ("asc.language", "asctile.nothing", "asc.experimental.other"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(missing)


def test_uninstalling_takes_them_away(installed: None) -> None:
    importlib.import_module("asctile")
    compat.uninstall()
    assert "asctile" not in sys.modules
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("asctile")
    assert importlib.import_module("pyasc_transpile.asctile") is language


@pytest.fixture
def real_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "asc").mkdir()
    write(tmp_path / "asc" / "__init__.py", "WHO = 'the real one'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    compat.uninstall()
    for name in [name for name in sys.modules if name.partition(".")[0] == "asc"]:
        del sys.modules[name]


def test_a_real_package_is_left_alone(real_package: None) -> None:
    compat.install("auto")
    assert importlib.import_module("asc").WHO == "the real one"
    with pytest.raises(ModuleNotFoundError):  # nothing is mixed into it
        importlib.import_module("asc.experimental")
    assert importlib.import_module("asctile") is language


def test_unless_asked_for(real_package: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert importlib.import_module("asc").WHO == "the real one"
    monkeypatch.setenv("PYASC_TRANSPILE_COMPAT", "force")
    compat.install()
    assert importlib.import_module("asc").ConstExpr is language.ConstExpr
    compat.install("auto")
    assert importlib.import_module("asc").WHO == "the real one"


def test_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYASC_TRANSPILE_COMPAT", "off")
    compat.install()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("asctile")


def test_another_mode_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="--compat is 'on'"):
        compat.install("on")
    monkeypatch.setenv("PYASC_TRANSPILE_COMPAT", "yes")
    with pytest.raises(OptionError) as caught:
        compat.install()
    assert caught.value.message == "PYASC_TRANSPILE_COMPAT is 'yes'" and "auto, force, off" in caught.value.remedy
    write(tmp_path / "script.py", "")
    done = run_python(["-m", "pyasc_transpile", "script.py"], tmp_path)
    assert done.returncode == 1 and "PYASC_TRANSPILE_COMPAT is 'yes'" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "no script"),
        (["missing.py"], 2, "there is no file missing.py"),
        (["--nothing", "script.py"], 2, "--nothing is not an option"),
        (["--compat"], 2, "--compat is not an option, or lacks its value"),
        (["--compat", "maybe", "script.py"], 1, "--compat is 'maybe'"),
        (["--help"], 0, ""),
    ],
)
def test_running_a_script_wrongly(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    write(tmp_path / "script.py", "")
    done = run_python(["-m", "pyasc_transpile", *arguments], tmp_path, PYASC_TRANSPILE_COMPAT=None)
    assert done.returncode == code and message in done.stderr and "Traceback" not in done.stderr
    assert ("usage: python -m pyasc_transpile" in done.stdout + done.stderr) == (code != 1 and "no file" not in message)


def test_a_script_ends_as_it_would_by_itself(tmp_path: Path) -> None:
    write(tmp_path / "helper.py", "VALUE = 5\n")
    write(tmp_path / "code.py", "import sys\nfrom helper import VALUE\nsys.exit(VALUE)\n")
    assert run_python(["-m", "pyasc_transpile", "code.py"], tmp_path).returncode == 5
    write(tmp_path / "fails.py", "1 / 0\n")
    failed = run_python(["-m", "pyasc_transpile", "fails.py"], tmp_path)
    assert failed.returncode == 1 and "ZeroDivisionError" in failed.stderr
    write(tmp_path / "kernel.py", "import asctile\n\n\n@asctile.jit\ndef k(n):\n    missing\n\n\nk[1](3)\n")
    wrong = run_python(["-m", "pyasc_transpile", "kernel.py"], tmp_path)
    assert wrong.returncode == 1 and wrong.stderr.startswith("kernel.py:6: error: NameError: name 'missing'")


def test_backend_and_platform_of_a_script(tmp_path: Path) -> None:
    statement, prefix = IMPORTS["asctile"]
    tail = "    print(asctile.last_profile().platform)\n"
    write(tmp_path / "script.py", f"{statement}\n{BODY.format(asc=prefix)}{tail}")
    arguments = ["-m", "pyasc_transpile", "--backend=Model", "--platform", "Ascend910B2", "script.py"]
    done = run_python(arguments, tmp_path, PYASC_TRANSPILE_BACKEND=None, PYASC_TRANSPILE_PLATFORM=None)
    assert done.returncode == 0 and done.stdout.endswith("Ascend910B2\n"), done.stderr
