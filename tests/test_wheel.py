"""The built wheel, installed into a clean environment outside of the source tree, does everything."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

USE = """
import numpy as np
from fused_chain import fused_chain
n = 10007
x, y = np.random.default_rng(0).random((2, n), dtype=np.float32)
out = np.zeros(n, np.float32)
fused_chain(x, y, out, n)
np.testing.assert_allclose(out, (x + y) * x - y, rtol=1e-6)
import sys
assert "pyasc_transpile" not in sys.modules
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignored = shutil.ignore_patterns(".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", "out")
    shutil.copytree(ROOT, source, ignore=ignored)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        str(folder),
        str(source),
    ]
    subprocess.run(command, check=True, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clean") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # pip would find the sources
    command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel)]
    subprocess.run(command, check=True, env=clean)
    return folder / "bin"


def test_everything_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "pyasc_transpile"
    for path in package.rglob("*"):
        if path.suffix in (".py", ".h") or path.name == "py.typed":
            assert f"pyasc_transpile/{path.relative_to(package).as_posix()}" in names
    for path in (ROOT / "templates").rglob("*.j2"):
        assert f"pyasc_transpile/templates/{path.relative_to(ROOT / 'templates').as_posix()}" in names
    assert not [name for name in names if name.startswith(("tests/", "examples/", "templates/"))]


@pytest.mark.slow
def test_the_installed_command_works_outside_of_the_source_tree(environment: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "fused_chain.py", tmp_path / "fused_chain_kernel.py")
    clean = {
        "PATH": f"{environment}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYASC_TRANSPILE_CACHE": str(tmp_path / "c"),
    }
    signature = "fused_chain(x_ptr: *f32, y_ptr: *f32, out_ptr: *f32, size: i32, tile_size=1024)"
    command = [str(environment / "pyasc-transpile"), "fused_chain_kernel.py", "-o", "out", "--signature", signature]
    result = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    (tmp_path / "out" / "use.py").write_text(USE)
    for built in (False, True):
        if built:
            (tmp_path / "out" / "libfused_chain.so").unlink()
            subprocess.run(["sh", str(tmp_path / "out" / "build.sh")], cwd="/", env=clean, check=True)
        subprocess.run([str(environment / "python"), "use.py"], cwd=tmp_path / "out", env=clean, check=True)


@pytest.mark.slow
def test_a_launch_from_the_installed_package(environment: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "fused_chain.py", tmp_path / "kernel.py")
    clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYASC_TRANSPILE_CACHE": str(tmp_path / "c")}
    subprocess.run([str(environment / "python"), "kernel.py"], cwd=tmp_path, env=clean, check=True)
