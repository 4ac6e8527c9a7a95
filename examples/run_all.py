"""Transpiles every example, builds it for the CPU, runs it on real arrays through ctypes, and compares with NumPy.

Each example module has a function ``example_case(rng)`` that returns the kernel, the number of blocks, its arguments,
the expected arrays by position of the argument, and the tolerances ``rtol`` and ``atol``.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

import numpy as np

from pyasc_transpile import TranspileError
from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.host.output import write_output
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import PLATFORMS

EXAMPLES = tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "run_all"))
CHIPS = ("Ascend910B1", "Ascend950PR_9599")


def load(name: str, path: Path) -> ModuleType:
    """Import the Python file ``path`` as module ``name``."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run_example(name: str, platform: str, folder: Path) -> tuple[bool, list[str]]:
    """Transpile, build, load, run and compare one example; returns whether it agrees, and a row of the table."""
    example = load(name, Path(__file__).resolve().parent / f"{name}.py")
    kernel, blocks, args, expected, tolerance = example.example_case(np.random.default_rng(0))
    bound = kernel.bind(args, {})

    started = time.perf_counter()
    transpilation = transpile(kernel, signature_of(bound), PLATFORMS[platform], kernel.options)
    transpiled = time.perf_counter()
    write_output(folder, [transpilation], backend="CPU")
    built = time.perf_counter()
    loader = load(f"{name}_{platform}", folder / f"{transpilation.name}.py")
    getattr(loader, kernel.__name__)(*(argument.value for argument in bound.runtime()), block_num=blocks)
    ran = time.perf_counter()

    errors = [np.max(np.abs(np.float64(args[i]) - np.float64(array)), initial=0.0) for i, array in expected.items()]
    agrees = all(np.allclose(args[i], array, equal_nan=True, **tolerance) for i, array in expected.items())
    times = [f"{(end - start) * 1000:.1f}" for start, end in ((started, transpiled), (transpiled, built), (built, ran))]
    return agrees, [name, platform, str(blocks), *times, f"{max(errors):.2g}", "ok" if agrees else "WRONG"]


def main() -> int:
    """Print one row for each example and chip; returns the exit code."""
    header = ["kernel", "chip", "blocks", "transpile ms", "build ms", "run ms", "max error", "NumPy agrees"]
    rows, all_agree = [header], True
    with tempfile.TemporaryDirectory() as root:
        for platform in CHIPS:
            for name in EXAMPLES:
                try:
                    agrees, row = run_example(name, platform, Path(root) / platform / name)
                except TranspileError as error:
                    print(error, file=sys.stderr)
                    agrees, row = False, [name, platform, "", "", "", "", "", "FAILED"]
                all_agree = all_agree and agrees
                rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return 0 if all_agree else 1


if __name__ == "__main__":
    raise SystemExit(main())
