"""Time to transpile the examples, ours against the reference package, as a ratio in one run.

Both get the same kernels and neither runs a device compiler.  Times are medians over repeated transpilations in one
process (import excluded), and whole processes that import the package and transpile every example once (import
included).
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import reference_package

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ("vector_add", "fused_chain", "leaky_relu", "row_scale")
PLATFORMS = ("Ascend950PR_9599", "Ascend910B1")
REPEAT = 9


def jobs() -> list[dict[str, Any]]:
    return [
        {"file": str(ROOT / "examples" / f"{name}.py"), "platform": platform, "options": {}}
        for name in EXAMPLES
        for platform in PLATFORMS
    ]


def ours(request: list[dict[str, Any]], repeat: int) -> dict[str, Any]:
    """The same as :func:`reference_package.run`, with this package, in this process."""
    start = time.perf_counter()
    import numpy as np

    from pyasc_transpile.frontend.signature import signature_of
    from pyasc_transpile.pipeline import transpile
    from pyasc_transpile.targets import find_platform

    import_seconds = time.perf_counter() - start
    results = []
    for job in request:
        case = reference_package.load_case(job["file"], "", "")
        kernel, _, args, _, _ = case(np.random.default_rng(0))
        seconds = []
        for _ in range(repeat):
            begin = time.perf_counter()
            signature = signature_of(kernel.bind(args, {}))
            transpile(kernel, signature, find_platform(job["platform"]), kernel.options)
            seconds.append(time.perf_counter() - begin)
        results.append({"seconds": seconds})
    return {"import_seconds": import_seconds, "results": results}


def whole_process(command: list[str], text: str) -> float:
    """Seconds of a process that reads ``text``; the least of five.

    Both packages run from bytecode, as installed ones do: it is written by a run that is not timed, to a folder of its
    own, since a source tree may not have any.
    """
    with tempfile.TemporaryDirectory() as folder:
        environ = {**reference_package.child_environment(), "PYTHONPYCACHEPREFIX": folder}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        times = []
        for _ in range(6):
            start = time.perf_counter()
            subprocess.run(command, input=text, text=True, capture_output=True, check=True, env=environ)
            times.append(time.perf_counter() - start)
    return min(times[1:])


def main() -> int:
    request = jobs()
    if sys.argv[1:] == ["--child"]:
        print(json.dumps(ours(json.load(sys.stdin)["jobs"], 1)))
        return 0
    mine = ours(request, REPEAT)
    text = json.dumps({"jobs": request, "repeat": 1})
    my_process = whole_process([sys.executable, __file__, "--child"], text)
    python = reference_package.environment()
    if python is None:
        print("the reference package cannot be installed here; our own times:")
        theirs: dict[str, Any] = {"results": [{"error": "not installed"}] * len(request)}
    else:
        theirs = reference_package.run(python, request, REPEAT)
    print(f"{'kernel':<14}{'platform':<20}{'ours ms':>10}{'theirs ms':>12}{'ratio':>8}")
    ratios = []
    for job, a, b in zip(request, mine["results"], theirs["results"]):
        milliseconds = 1e3 * statistics.median(a["seconds"])
        line = f"{Path(job['file']).stem:<14}{job['platform']:<20}{milliseconds:>10.2f}"
        if "error" in b:
            print(f"{line}{'-':>12}{'-':>8}  {b['error'][:60]}")
            continue
        reference = 1e3 * statistics.median(b["seconds"])
        ratios.append(milliseconds / reference)
        print(f"{line}{reference:>12.2f}{ratios[-1]:>8.2f}")
    if ratios and python is not None:
        mean = math.exp(statistics.mean(math.log(ratio) for ratio in ratios))
        print(f"geometric mean of ours / theirs, import excluded: {mean:.2f}")
        their_process = whole_process([str(python), reference_package.__file__ or ""], text)
        print(
            f"one process for all, import included: ours {my_process:.2f} s, theirs {their_process:.2f} s, "
            f"ratio {my_process / their_process:.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
