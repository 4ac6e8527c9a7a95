"""Compares many random kernels with the reference: ``make fuzz N=2000``, or ``python -m tests.fuzz --count 2000``.

A kernel whose generated code does something else, or faults on the checked build, is made as small as possible and
printed with the number to repeat it with.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.support.differential import VARIANTS, Failure, Outcome, Variant, check
from tests.support.random_kernels import RandomKernel, decode
from tests.support.shrinking import kind_of, shrink, still_fails

BATCH = 40
BYTES = 600


def kernel_of(number: int, seed: int) -> RandomKernel:
    """Random kernel number ``number``."""
    return decode(random.Random(f"{seed}/{number}").randbytes(BYTES), f"kernel_{number}")


def variants_of(number: int, seed: int, count: int) -> list[Variant]:
    """The builds that are made of a kernel."""
    return random.Random(f"{number}/{seed}").sample(VARIANTS, count)


def run_batch(numbers: list[int], seed: int, variants: int, checked: bool) -> Outcome:
    """Compare some kernels, in a process of their own: generated code may do anything."""
    kernels = [kernel_of(number, seed) for number in numbers]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        return check(kernels, Path(folder), [variants_of(number, seed, variants) for number in numbers], checked)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="kernels")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variants", type=int, default=3, help=f"builds of each kernel, of {len(VARIANTS)}")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fast", action="store_true", help="the fast build in place of the checked one")
    parser.add_argument("--shrink", type=float, default=120, help="seconds to spend on each kind of failure")
    parser.add_argument("--show", type=int, default=5, help="how many failures to make small and print")
    options = parser.parse_args()
    numbers = list(range(options.first, options.first + options.count))
    batches = [numbers[start : start + BATCH] for start in range(0, len(numbers), BATCH)]
    counts: Counter[str] = Counter()
    failures: list[Failure] = []
    begin = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        jobs = {pool.submit(run_batch, b, options.seed, options.variants, not options.fast): b for b in batches}
        for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            try:
                outcome = job.result()
            except concurrent.futures.process.BrokenProcessPool:
                print(f"the process died in kernels {jobs[job][0]} to {jobs[job][-1]}, seed {options.seed}")
                return 1
            counts += outcome.counts
            failures += outcome.failures
            elapsed = time.monotonic() - begin
            print(f"{done}/{len(batches)} batches, {elapsed:.0f} s, {len(failures)} failures", flush=True)
    print(f"{counts.pop('compared', 0)} builds of {len(numbers)} kernels compared, {len(failures)} differ or fault")
    for reason, count in counts.most_common(8):
        print(f"  {count:5} {reason}")
    for failure in failures:
        print(f"  {failure.kernel.name}, {failure.variant or 'reference'}: {' '.join(failure.message.split())[-160:]}")
    shown: set[str] = set()
    for failure in failures:
        kind = kind_of(failure.message)
        if kind in shown or len(shown) >= options.show:
            continue
        shown.add(kind)
        print(f"\n{'=' * 100}\n{failure.message}\n{failure.kernel.name} of seed {options.seed}, made small:")
        failure.kernel = shrink(failure.kernel, still_fails(failure), options.shrink)
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
