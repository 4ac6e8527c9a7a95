"""Fits the free numbers of the timed build to published ticks of the cycle-level simulator; says how good the fit is.

    python benchmarks/fit_costs.py DATA/camodel_ticks.csv          report with the numbers of targets/costs.py
    python benchmarks/fit_costs.py DATA/camodel_ticks.csv --fit    fit, print the numbers found, and report

What a tick is: one cycle of the simulated core, counted from the start of the process to its end. So launch and start
of the blocks are in it (an idle process has 11 to 15, the first block starts at tick 76, about 5 lie between two
launches), and host time is not. The model's total is that number.

What is compared: the kernels of benchmarks/kernels, written from descriptions of the measured ones and translated by
this package with the unroll factor and barrier of each row. The measured ones were translated by another compiler, with
other synchronisation, and partly with vector functions fused; where a row without fusion exists it is used. Rows that
are one kernel in different environments are one point (their median). One point in three, by the hash of its id, is
kept out of the fit. Hand-written operators, rows that the data's README calls weak, sums of which the parts are known,
and matmuls are left out. Sums of several launches in one container (element-wise kernels on 910B1) are shown but never
fitted: their split is not published, and they say 1600 ticks for a step that moves 512 bytes where the single launches
of the same chip say 790 for one that moves 8 KiB, which no numbers of one model can give.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.kernels import flat, rows
from benchmarks.kernels.case import Launch, Request

from pyasc_transpile import asctile
from pyasc_transpile.host import model
from pyasc_transpile.targets import find_platform
from pyasc_transpile.targets.costs import cost_table

OPS = {**flat.OPS, **rows.OPS}
NEEDS = {**flat.NEEDS, **rows.NEEDS}
TICKS_BETWEEN_LAUNCHES = 5
WEAK = frozenset(
    ("c310-layer-norm-full-row-f32-host", "c310-apply-adam-f32-host-old", "c310-abs-f16-tile128-derived")
    + ("c310-adam-copy-only-min", "c310-adam-copy-only-max", "c310-batch-norm-v3-f32-golden")
    + ("c310-tanh-f16-3launch-total", "c310-dropout-f16-2launch-total", "c310-adam-f32-2launch-total")
)

# Numbers that are fitted together (one value for all), and the range to look in.
Free = tuple[tuple[str, ...], float, float]
FREE: Mapping[str, tuple[Free, ...]] = {
    "c310": (
        (("block_start",), 500, 4000),
        (("statement",), 1, 100),
        (("mte2_gap", "mte3_gap"), 1, 400),
        (("mte2_start", "mte3_start"), 10, 800),
        (("hbm_read", "hbm_write"), 12, 31),
        (("v_start", "v_gap"), 1, 100),
        (("tanh.f16", "tanh.f32"), 1, 64),
        (("erf.f16", "erf.f32"), 1, 64),
    ),
    "c220": (
        (("block_start",), 500, 6000),
        (("statement",), 1, 40),
        (("queue_operation",), 1, 40),
        (("mte2_gap", "mte3_gap"), 1, 400),
        (("mte2_start", "mte3_start"), 10, 1500),
        (("tanh.f16", "tanh.f32"), 0.5, 64),
        (("erf.f16", "erf.f32"), 0.5, 64),
    ),
}


@dataclass(frozen=True)
class Point:
    """One kernel on one shape with the ticks that the simulator reported.

    Attributes:
        launches: what the process launched; the ticks are their sum.
    """

    name: str
    platform: str
    op: str
    launches: tuple[Launch, ...]
    ticks: float
    held_out: bool

    @property
    def group(self) -> str:
        """What it is used for."""
        return "sum of launches" if len(self.launches) > 1 else "held out" if self.held_out else "fitted"


def read_points(path: Path) -> tuple[list[Point], Mapping[str, list[str]]]:
    """The points that can be compared, and the ids of the others by the reason for leaving them out."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    left_out: dict[str, list[str]] = defaultdict(list)
    columns = ("platform", "op", "dtype", "shape", "core_num", "tile", "unroll_factor", "gm_barrier")
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            reason = _reason_to_leave_out(row)
            if reason:
                left_out[reason].append(row["id"])
            else:
                groups[tuple(row[column] for column in columns)].append(row)
    return [_point(group) for group in groups.values()], left_out


def _reason_to_leave_out(row: Mapping[str, str]) -> Optional[str]:
    if row["source_kind"] == "handwritten-ascendc":
        return "hand-written operators"
    if row["id"] in WEAK:
        return "weak rows and sums with known parts"
    if row["op"] not in OPS:
        return f"no kernel for {row['op']}"
    missing = [name for name in NEEDS.get(row["op"], ()) if not hasattr(asctile, name)]
    return f"asctile has no {', '.join(missing)} yet" if missing else None


def _point(group: Sequence[Mapping[str, str]]) -> Point:
    unfused = [row for row in group if row["id"].endswith("-vf-off")]
    name = min(row["id"] for row in group)
    ticks = statistics.median(float(row["ticks"]) for row in (unfused or group))
    row = group[0]
    held_out = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0
    launches = tuple(OPS[row["op"]](request) for request in _requests(row))
    return Point(name, row["platform"], row["op"], launches, ticks, held_out)


def _requests(row: Mapping[str, str]) -> list[Request]:
    blocks = int(re.findall(r"\d+", row["core_num"])[0])
    unroll = int(row["unroll_factor"]) if row["unroll_factor"].isdigit() else 1
    barrier = row["gm_barrier"] == "true"
    numbers = [int(number) for number in re.findall(r"\d+", row["tile"])]
    if "elem" in row["tile"]:
        tile, counts = numbers[0], numbers[1:]
        return [Request(row["dtype"], blocks * tile * n, blocks, tile, n, unroll, barrier) for n in counts]
    shape = [int(number) for number in row["shape"].split("x")]
    columns = shape[-1]
    steps = shape[0] // blocks
    return [Request(row["dtype"], shape[0], blocks, columns, steps, unroll, barrier)]


def run(launch: Launch) -> float:
    """Cycles of one launch by the model."""
    launch.kernel[launch.blocks](*launch.args)
    found = asctile.last_profile()
    assert found is not None
    return float(found.total_cycles)


def verify(point: Point) -> None:
    """Run the launches of a point once and compare their results."""
    asctile.set_platform("Model", point.platform)
    for launch in point.launches:
        run(launch)
        for index, expected in launch.expected.items():
            np.testing.assert_allclose(
                launch.args[index].astype(np.float64), expected, rtol=launch.tolerance, atol=launch.tolerance,
                err_msg=point.name,
            )  # fmt: skip


def cycles(points: Sequence[Point], changes: Mapping[str, float]) -> np.ndarray[Any, Any]:
    """The model's ticks for each point."""
    found = []
    with model.changed_costs(changes), model.timeline_of(-1):
        for point in points:
            asctile.set_platform("Model", point.platform, check=False)
            total = sum(run(launch) for launch in point.launches)
            found.append(total + TICKS_BETWEEN_LAUNCHES * (len(point.launches) - 1))
    return np.array(found)


def loss(points: Sequence[Point], changes: Mapping[str, float]) -> float:
    """Mean of the absolute logarithms of model / ticks: a factor counts alike up and down, and outliers do not rule."""
    ticks = np.array([point.ticks for point in points])
    return float(np.mean(np.abs(np.log(cycles(points, changes) / ticks))))


def fit(points: Sequence[Point], free: Sequence[Free], start: Mapping[str, float]) -> dict[str, float]:
    """Coordinate search: each number up and down by a factor that shrinks when nothing gets better."""
    values = {names: min(max(start[names[0]], low), high) for names, low, high in free}
    limits = {names: (low, high) for names, low, high in free}

    def changes(tried: Mapping[tuple[str, ...], float]) -> dict[str, float]:
        return {name: value for names, value in tried.items() for name in names}

    best = loss(points, changes(values))
    for factor in (2.0, 1.5, 1.25, 1.12, 1.06, 1.03):
        for _ in range(4):
            before = best
            for names, (low, high) in limits.items():
                for candidate in (values[names] * factor, values[names] / factor):
                    if not low <= candidate <= high:
                        continue
                    found = loss(points, changes({**values, names: candidate}))
                    if found < best - 1e-6:
                        best, values[names] = found, candidate
            if before - best < 1e-4:
                break
    return changes(values)


def used(points: Sequence[Point], free: Sequence[Free], start: Mapping[str, float]) -> list[Free]:
    """The free numbers that the points depend on at all."""
    base = cycles(points, {})
    kept = []
    for names, low, high in free:
        moved = cycles(points, {name: start[name] * 1.3 for name in names})
        if np.any(np.abs(moved - base) > 1e-6):
            kept.append((names, low, high))
    return kept


def rank_correlation(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Spearman's."""
    if len(a) < 2:
        return float("nan")
    ranks = [np.argsort(np.argsort(values)).astype(float) for values in (a, b)]
    return float(np.corrcoef(ranks)[0, 1])


def report(title: str, points: Sequence[Point], changes: Mapping[str, float]) -> None:
    if not points:
        print(f"{title}: no points")
        return
    found, ticks = cycles(points, changes), np.array([point.ticks for point in points])
    error = np.abs(found / ticks - 1)
    print(
        f"{title}: {len(points)} points, rank correlation {rank_correlation(found, ticks):.3f}, "
        f"relative error median {100 * np.median(error):.1f} %, largest {100 * np.max(error):.1f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("ticks", type=Path, help="camodel_ticks.csv")
    parser.add_argument("--platform", default="", help="only this one")
    parser.add_argument("--fit", action="store_true", help="look for better numbers")
    options = parser.parse_args()
    if not options.ticks.exists():
        print(f"fit_costs: {options.ticks} is not there, nothing to compare with")
        return
    points, left_out = read_points(options.ticks)
    points = [point for point in points if options.platform in point.platform]
    for point in points:
        verify(point)
    for reason, names in left_out.items():
        print(f"left out, {reason}: {len(names)} rows")
    for platform in sorted({point.platform for point in points}):
        own = [point for point in points if point.platform == platform]
        fitted = [point for point in own if point.group == "fitted"]
        info = find_platform(platform)
        start = {name: cost.value for name, cost in cost_table(info).items()}
        changes: dict[str, float] = {}
        print(f"\n{platform}")
        if options.fit:
            free = used(fitted, FREE[info.architecture.name], start)
            changes = fit(fitted, free, start)
            for name, value in changes.items():
                print(f"  {name:20} {start[name]:10.4g} -> {value:.4g}")
        for point, found in zip(own, cycles(own, changes)):
            error = 100 * (found / point.ticks - 1)
            print(f"  {point.name:45} {point.group:15} ticks {point.ticks:9.0f}  model {found:9.0f}  {error:+6.1f} %")
        for group in ("fitted", "held out", "sum of launches"):
            report(f"  {group}", [point for point in own if point.group == group], changes)


if __name__ == "__main__":
    main()
