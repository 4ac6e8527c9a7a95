"""Kernel files and helpers for the tests of the host side and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

ADD = """
import numpy as np

from pyasc_transpile import asctile


@asctile.jit
def add(x_ptr: asctile.GlobalAddress, y_ptr: asctile.GlobalAddress, out_ptr: asctile.GlobalAddress, size: int,
        tile: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    y_gm = asctile.global_tensor(y_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile), asctile.block_num()):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        y = asctile.copy_in(y_gm, [i * tile], [tile])
        asctile.copy_out(x + y, out_gm, [i * tile])
"""

MAIN = """

if __name__ == "__main__":
    n = 1003
    x, y, out = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
    add[4](x, y, out, n, 256)
    assert np.array_equal(out, x + y)
    print("the script ran")
"""

SIGNATURE = "x_ptr: *f32, y_ptr: *f32, out_ptr: *f32, size: i32, tile=256"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def run_python(arguments: Sequence[str], cwd: Path, **environment: Optional[str]) -> subprocess.CompletedProcess[str]:
    """Run Python with this installation of the package; an environment value of None removes the variable."""
    env = dict(os.environ)
    for name, value in environment.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300
    )


def run_cli(arguments: Sequence[str], cwd: Path, **environment: Optional[str]) -> subprocess.CompletedProcess[str]:
    """Run the command line as a program of its own."""
    return run_python(["-m", "pyasc_transpile.cli", *map(str, arguments)], cwd, **environment)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
