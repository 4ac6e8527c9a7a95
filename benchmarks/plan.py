"""Memory, synchronisation, lines and modelled cycles of the benchmark kernels, ours against the reference package.

For every kernel of benchmarks/kernels and every example, on both architectures, with and without reuse, and with the
unroll factor left to the package (-), 1 and 2:

* bytes: UB that the plan takes, as each package accounts for it. Where the reference calls a library function in the
  form without scratch memory, the library takes it from what is left of UB, and the reference does not count it: as
  much is added as the same call takes in our plan;
* sync: flags, waits, locks, barriers and queue operations that block 0 executes per iteration of its loop, counted by
  the model in both;
* lines: lines of Ascend C that are not blank;
* cycles: of the launch, by the model. The reference's text is compiled with our headers.

Sync and cycles are compared only where the reference's text orders its pipes itself. Where the checked build finds a
race in it, it leaves that to the device compiler, which would add what is not counted here.

    python benchmarks/plan.py [--kernel NAME] [--platform NAME] [--quick] [--verbose] [--processes N]
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import re
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Optional

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import reference_package
from benchmarks.foreign_kernel import build_foreign
from benchmarks.kernels.case import Request

from pyasc_transpile import TranspileError, asctile
from pyasc_transpile.asctile.arguments import ParameterKind
from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.host import model
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import PlatformInfo, find_platform

ROOT = Path(__file__).resolve().parent.parent
PLATFORMS = ("Ascend950PR_9599", "Ascend910B1")
EXAMPLES = ("vector_add", "fused_chain", "leaky_relu", "row_scale")
MODULES = tuple(sorted(path.stem for path in (ROOT / "benchmarks" / "kernels").glob("*.py")))
GOALS = {"bytes": 0.9, "sync": 0.5, "lines": 0.5, "cycles": 0.9}
BLOCKS, STEPS = 8, 8
HALF = frozenset(("gelu_erf", "softmax"))  # the reference takes them for half precision only
ROWS = frozenset(("reduce_sum", "softmax", "rms_norm_full_row", "layer_norm_full_row"))
_WITHOUT_SCRATCH = re.compile(r"\b(?:Tanh|Erf|Sin|Cos|Tan|Sinh|Cosh|Power|Log2)\s*<[^>]*>\((?:[^,()]*,){2}[^,()]*\);")
_SYNC = re.compile(
    r"\b(?:SetFlag|WaitFlag|PipeBarrier|EnQue|DeQue|AllocTensor|FreeTensor|get_buf|rls_buf|Lock|Unlock|SyncAll"
    r"|CrossCoreSetFlag|CrossCoreWaitFlag)\s*[<(]"
)


@dataclass(frozen=True)
class Numbers:
    """What is compared; None where it is not known."""

    bytes: Optional[int]
    static_sync: int
    lines: int
    library: int = 0  # ours: bytes of scratch memory of library functions; theirs: calls of such without it
    sync: Optional[float] = None
    cycles: Optional[float] = None
    problem: str = ""


@dataclass
class Row:
    """One kernel with one set of options."""

    name: str
    platform: PlatformInfo
    options: Mapping[str, Any]
    unroll: Optional[int]
    iterations: int
    job: dict[str, Any]
    ours: Optional[Numbers] = None
    theirs: Optional[Numbers] = None
    problems: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        unroll = "-" if self.unroll is None else str(self.unroll)
        return f"{self.name:<20}{self.platform.architecture.name:<6}{self.options['reuse_alloc']:>3}{unroll:>4}"


def rows_of(platforms: Sequence[str], kernels: Sequence[str], quick: bool) -> list[Row]:
    """All combinations."""
    rows = []
    choices = ((2, 2),) if quick else ((0, None), (0, 1), (0, 2), (2, 1), (2, 2))
    for module in MODULES:
        loaded = importlib.import_module(f"benchmarks.kernels.{module}")
        for op in getattr(loaded, "OPS", {}):
            missing = [name for name in getattr(loaded, "NEEDS", {}).get(op, ()) if not hasattr(asctile, name)]
            if missing or (kernels and op not in kernels):
                continue
            for platform in platforms:
                # softmax has no loop: its unroll factor says nothing
                for reuse, unroll in dict.fromkeys((r, None) for r, _ in choices) if op == "softmax" else choices:
                    job = {"module": module, "op": op, "request": asdict(request_of(op, unroll))}
                    rows.append(_row(op, platform, reuse, unroll, STEPS, job))
    for name in EXAMPLES:
        for platform in platforms if not kernels or name in kernels else ():
            for reuse in dict.fromkeys(reuse for reuse, _ in choices):
                rows.append(_row(name, platform, reuse, None, 0, {"file": str(ROOT / "examples" / f"{name}.py")}))
    return rows


def _row(name: str, platform: str, reuse: int, unroll: Optional[int], iterations: int, job: dict[str, Any]) -> Row:
    options = {"reuse_alloc": reuse}
    job = {**job, "platform": platform, "options": options}
    return Row(name, find_platform(platform), options, unroll, iterations, job)


def job_of_the_reference(row: Row) -> dict[str, Any]:
    """The same for the reference package, which takes 1 where nothing is said."""
    job = dict(row.job)
    if "request" in job:
        job["request"] = {**job["request"], "unroll": row.unroll or 1}
    return job


def request_of(op: str, unroll: Optional[int]) -> Request:
    """A launch of eight blocks with eight steps each."""
    dtype = "float16" if op in HALF else "float32"
    if op in ROWS:
        return Request(dtype, BLOCKS * (2 if op == "softmax" else STEPS), BLOCKS, 1024, STEPS, unroll, False)
    return Request(dtype, BLOCKS * STEPS * 2048, BLOCKS, 2048, STEPS, unroll, False)


def launch_of(row: Row) -> tuple[Any, int, tuple[Any, ...], Mapping[int, Any], float]:
    """Our kernel, blocks, arguments, expected arrays and tolerance."""
    if "op" not in row.job:
        case = reference_package.load_case(row.job["file"], "", "")
        kernel, blocks, args, expected, tolerance = case(np.random.default_rng(0))
        return kernel, blocks, args, expected, tolerance["rtol"] or 1e-6
    loaded = importlib.import_module(f"benchmarks.kernels.{row.job['module']}")
    launch = loaded.OPS[row.job["op"]](Request(**row.job["request"]))
    return launch.kernel, launch.blocks, launch.args, launch.expected, launch.tolerance or 1e-6


def _right(args: Sequence[Any], expected: Mapping[int, Any], tolerance: float) -> bool:
    return all(
        np.allclose(np.float64(args[at]), np.float64(value), rtol=tolerance, atol=tolerance, equal_nan=True)
        for at, value in expected.items()
    )


def measure(row: Row, captured: Mapping[str, Any]) -> Row:
    """Both sides, each in a process of its own: text that writes where it should not ends only that process."""
    for side in ("ours", "theirs"):
        facts = [row.name, row.platform.name, dict(row.options), row.unroll, row.iterations, row.job, captured]
        command = [sys.executable, __file__, "--measure", side]
        done = subprocess.run(command, input=json.dumps(facts), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or [""])[-1]
            row.problems.append(f"{side}: the process ended with code {done.returncode}: {last[:100]}")
            continue
        numbers, problems = json.loads(done.stdout.splitlines()[-1])
        setattr(row, side, Numbers(**numbers) if numbers is not None else None)
        row.problems += problems
    if row.ours and row.theirs and row.theirs.bytes and row.theirs.library:
        row.theirs = replace(row.theirs, bytes=row.theirs.bytes + row.ours.library)
    return row


def _measure_one(side: str) -> None:
    """The process of one side of one row."""
    name, platform, options, unroll, iterations, job, captured = json.load(sys.stdin)
    row = Row(name, find_platform(platform), options, unroll, iterations, job)
    with model.timeline_of(-1):
        if side == "ours":
            measure_ours(row)
        else:
            measure_theirs(row, captured)
    numbers = getattr(row, side)
    print(json.dumps([asdict(numbers) if numbers is not None else None, row.problems]))


def measure_ours(row: Row) -> None:
    """Fill in our numbers."""
    kernel, blocks, args, expected, tolerance = launch_of(row)
    try:
        signature = signature_of(kernel.bind(args, {}))
        done = transpile(kernel, signature, row.platform, kernel.options.merged(row.options))
    except TranspileError as error:
        row.problems.append(f"ours: {_first(error)}")
        return
    numbers = _static(done.source, done.report["memory"]["UB"]["used"])
    library = sum(buffer["bytes"] for buffer in done.report["buffers"] if buffer["name"] == "scratch")
    row.ours = numbers = replace(numbers, library=library)
    try:
        profile = model.profile(kernel, blocks, args, row.options, platform=row.platform, timeline_block=-1)
    except TranspileError as error:
        row.problems.append(f"ours: {_first(error)}")
        return
    if not _right(args, expected, tolerance):
        row.problems.append("ours: wrong result")
    row.ours = _dynamic(numbers, profile, row)


def measure_theirs(row: Row, captured: Mapping[str, Any]) -> None:
    """Fill in the reference's numbers."""
    if "error" in captured:
        row.problems.append(f"reference: {captured['error'][:110]}")
        return
    memory = captured["memory"].get("UB")
    calls = len(_WITHOUT_SCRATCH.findall(captured["source"]))
    numbers = row.theirs = replace(_static(captured["source"], memory or None), library=calls)
    if numbers.static_sync == 0 or not _orders_pipes(captured["source"]):
        row.problems.append("reference: leaves the order of pipes to the device compiler; sync and cycles not compared")
        return
    kernel, blocks, args, expected, tolerance = launch_of(row)
    try:
        profile = build_foreign(captured["source"], row.platform).profile(blocks, _runtime_values(kernel, args))
    except (TranspileError, ValueError) as error:
        row.problems.append(f"reference with our headers: {_first(error)}")
        return
    if not _right(args, expected, tolerance):
        row.problems.append("reference: wrong result on the model")
    race = _race(row, captured["source"])
    if race:
        row.problems.append(f"reference: sync and cycles not compared, since its text does not order its pipes: {race}")
        return
    row.theirs = _dynamic(numbers, profile, row)


def _runtime_values(kernel: Any, args: tuple[Any, ...]) -> list[Any]:
    return [each.value for each in kernel.bind(args, {}).arguments if each.kind is not ParameterKind.CONSTANT]


def _race(row: Row, source: str) -> str:
    """What the checked build says about the order of pipes in a text; empty if it finds no race."""
    kernel, blocks, args, _, _ = launch_of(row)
    try:
        build_foreign(source, row.platform, checked=True).launch(blocks, _runtime_values(kernel, args))
    except (TranspileError, ValueError) as error:
        races = [line for line in str(error).splitlines() if "race:" in line]
        return " ".join(re.sub(r"\S*[\d\[]\S*", "", races[0][races[0].index("race:") :]).split())[:70] if races else ""
    return ""


def _orders_pipes(text: str) -> bool:
    """Whether the text itself says what waits for what between pipes."""
    return re.search(r"\b(?:SetFlag|WaitFlag|EnQue|get_buf|Lock)\s*[<(]", text) is not None


def _static(source: str, used: Optional[int]) -> Numbers:
    return Numbers(used, len(_SYNC.findall(source)), sum(1 for line in source.splitlines() if line.strip()))


def _dynamic(numbers: Numbers, profile: model.Profile, row: Row) -> Numbers:
    executed = profile.synchronisations[0] / (row.iterations or 1)
    return replace(numbers, sync=executed, cycles=profile.total_cycles)


def _first(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    wanted = [line for line in lines if "error:" in line] or lines
    return (wanted[0] if wanted else type(error).__name__)[:150]


COLUMNS = {"bytes": 0, "static_sync": 0, "sync": 1, "lines": 0, "cycles": 0}


def show_header() -> None:
    titles = ("bytes", "sync in text", "sync/iteration", "lines", "cycles")
    print("ours / theirs; re: reuse_alloc, un: unroll_factor")
    print(f"{'kernel':<20}{'arch':<6}{'re':>3}{'un':>4}" + "".join(f"{name:>20}" for name in titles))


def show(row: Row, verbose: bool) -> None:
    """One line: ours / theirs."""
    pairs = "".join(f"{_pair(row, name, digits):>20}" for name, digits in COLUMNS.items())
    print(f"{row.title}{pairs}", flush=True)
    for problem in row.problems if verbose else ():
        print(f"      {problem}")


def _pair(row: Row, name: str, digits: int) -> str:
    texts = []
    for side in (row.ours, row.theirs):
        value = getattr(side, name) if side is not None else None
        texts.append("-" if value is None else f"{value:.{digits}f}")
    return " / ".join(texts)


def summary(rows: Sequence[Row]) -> bool:
    """Print geometric means of ours / theirs beside the goals; whether all goals are met."""
    met = True
    groups = [("all", list(rows))]
    for name in dict.fromkeys(row.platform.architecture.name for row in rows):
        groups.append((name, [row for row in rows if row.platform.architecture.name == name]))
    for label, group in groups:
        for name, goal in GOALS.items():
            ratios = [ratio for row in group if (ratio := _ratio(row, name)) is not None]
            if not ratios:
                print(f"{label:<6}{name:<8} nothing to compare")
                continue
            mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
            worst = max(ratios)
            verdict = "met" if mean <= goal else "not met"
            print(
                f"{label:<6}{name:<8} geometric mean {mean:.2f}, goal {goal:.2f}: {verdict}  "
                f"(worst {worst:.2f}, {len(ratios)} rows)"
            )
            met = met and (label != "all" or mean <= goal)
    return met


def _ratio(row: Row, name: str) -> Optional[float]:
    if row.ours is None or row.theirs is None:
        return None
    ours, theirs = getattr(row.ours, name), getattr(row.theirs, name)
    return ours / theirs if ours and theirs else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", action="append", default=[], help="only this kernel; repeatable")
    parser.add_argument("--platform", action="append", help="only this chip; repeatable")
    parser.add_argument("--quick", action="store_true", help="only with reuse and unrolling")
    parser.add_argument("--verbose", action="store_true", help="say what kept rows from being compared")
    parser.add_argument("--processes", type=int, default=2, help="how many rows are measured at the same time")
    parser.add_argument("--measure", choices=["ours", "theirs"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        _measure_one(arguments.measure)
        return 0
    rows = rows_of(arguments.platform or PLATFORMS, arguments.kernel, arguments.quick)
    python = reference_package.environment()
    if python is None:
        print("the reference package cannot be installed here; our own numbers:")
        captured: list[dict[str, Any]] = [{"error": "not installed"}] * len(rows)
    else:
        captured = reference_package.run(python, [job_of_the_reference(row) for row in rows], 1)["results"]
    show_header()
    with ThreadPoolExecutor(arguments.processes) as pool:
        for row in pool.map(measure, rows, captured):
            show(row, arguments.verbose)
    problems: dict[str, int] = {}
    for row in rows:
        for problem in row.problems:
            problems[problem] = problems.get(problem, 0) + 1
    for problem, count in sorted(problems.items(), key=lambda item: -item[1]):
        print(f"{count:>4} rows: {problem}")
    summary(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
