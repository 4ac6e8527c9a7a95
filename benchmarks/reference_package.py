"""The reference implementation (``pyasc-dev`` of PyPI) in an environment of its own, as a yardstick for benchmarks.

Run as a script it is the child process that lives in that environment; it then imports nothing of this project.  It
traces kernels with the reference package whose last step, the device compiler, is replaced by one that does nothing,
and prints JSON.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any, Optional

PACKAGE = "pyasc-dev"
OUR_IMPORT = "from pyasc_transpile import asctile"
THEIR_IMPORT = "import asc.experimental.asctile as asctile"


def environment() -> Optional[Path]:
    """The Python of an environment with the reference package, made on first use; None if it cannot be installed."""
    folder = Path(os.environ.get("PYASC_BENCH_ENV", Path(tempfile.gettempdir()) / f"pyasc-bench-{os.getuid()}"))
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    installed = subprocess.run([str(python), "-c", "import asc"], capture_output=True, check=False)
    if installed.returncode != 0:
        command = [str(python), "-m", "pip", "install", "--quiet", "--pre", PACKAGE]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            return None
    return python


def child_environment() -> dict[str, str]:
    """Environment of a child process: tools that do nothing stand in for the device compiler and linker."""
    return {**os.environ, "PYASC_COMPILER": "true", "PYASC_LINKER": "true"}


def run(python: Path, jobs: list[dict[str, Any]], repeat: int = 5) -> dict[str, Any]:
    """Trace ``jobs`` in the reference environment.

    Each job: ``platform`` and ``options`` of the launch, and ``file`` (a module with ``example_case(rng)``), or
    ``op``, ``module`` and ``request`` (an algorithm of a module of :mod:`benchmarks.kernels` and its request).

    Returns:
        ``import_seconds`` and ``results``: per job ``source``, ``memory`` and ``seconds``, or ``error``.
    """
    environ = {**child_environment(), "PYTHONPATH": ""}
    done = subprocess.run(
        [str(python), __file__], input=json.dumps({"jobs": jobs, "repeat": repeat}), capture_output=True, text=True,
        env=environ, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"the reference environment failed:\n{done.stderr[-2000:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def load_case(path: str, our_import: str, their_import: str) -> Any:
    """The ``example_case`` of a module, with one import replaced by another."""
    text = Path(path).read_text(encoding="utf-8").replace(our_import, their_import)
    folder = tempfile.mkdtemp(prefix="reference-kernel-")
    copy = Path(folder) / Path(path).name
    copy.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(copy.stem, copy)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.example_case


def load_kernels(module: str, our_import: str, their_import: str) -> Any:
    """A module of :mod:`benchmarks.kernels`, with one import replaced by another."""
    package = "reference_kernels"
    if package not in sys.modules:
        folder = Path(tempfile.mkdtemp(prefix="reference-kernels-")) / package
        folder.mkdir()
        for path in (Path(__file__).resolve().parent / "kernels").glob("*.py"):
            text = path.read_text(encoding="utf-8").replace(our_import, their_import)
            text = text.replace("from __future__ import annotations\n", "")  # the reference wants annotations as values
            (folder / path.name).write_text(text, encoding="utf-8")
        sys.path.insert(0, str(folder.parent))
    return importlib.import_module(f"{package}.{module}")


def _launch_of(job: dict[str, Any]) -> tuple[Any, int, tuple[Any, ...]]:
    """Kernel, blocks and arguments of a job."""
    if "op" not in job:
        import numpy as np

        kernel, blocks, args, _, _ = load_case(job["file"], OUR_IMPORT, THEIR_IMPORT)(np.random.default_rng(0))
        return kernel, blocks, args
    module = load_kernels(job["module"], OUR_IMPORT, THEIR_IMPORT)
    launch = module.OPS[job["op"]](module.Request(**job["request"]))
    return launch.kernel, launch.blocks, launch.args


def _summary(message: str) -> str:
    """The line of a message that says what is wrong."""
    lines = [line.strip() for line in message.splitlines() if line.strip(" ^~")]
    wrong = [line for line in lines if "error:" in line.lower()] or lines[-1:] or ["no message"]
    return wrong[0].replace(tempfile.gettempdir(), "")[:200]


def _child() -> None:
    request = json.load(sys.stdin)
    start = time.perf_counter()
    import asc.experimental.asctile as asctile
    from asc.experimental.asctile.runtime.compiler import Compiler
    from asc.experimental.asctile.runtime.jit import JITFunction

    import_seconds = time.perf_counter() - start
    captured: dict[str, Any] = {}

    class Nothing:
        binary = b""
        meta = None

    def no_compilation(self: Any, source: str, kernel_args: Any = None, **facts: Any) -> Any:
        captured.update(source=source, memory=dict(facts.get("memory_consumed") or {}))
        return Nothing()

    Compiler.run_compilation = no_compilation
    JITFunction._run_launcher = lambda self, *args, **kwargs: None
    results = []
    for job in request["jobs"]:
        try:
            asctile.set_platform("Model", job["platform"], check=False)
            kernel, blocks, args = _launch_of(job)
            seconds = []
            for _ in range(request["repeat"]):
                begin = time.perf_counter()
                kernel[blocks](*args, always_compile=True, **job["options"])
                seconds.append(time.perf_counter() - begin)
            results.append({**captured, "seconds": seconds})
        except Exception as error:  # noqa: BLE001 - whatever the reference does not take is reported as that
            results.append({"error": f"{type(error).__name__}: {_summary(str(error))}"})
    print(json.dumps({"import_seconds": import_seconds, "results": results}))


if __name__ == "__main__":
    _child()
