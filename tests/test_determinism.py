"""The same input gives the same bytes: for every hash seed, from every working directory, at any time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from host_samples import contents, write

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(path for path in (REPOSITORY / "examples").glob("*.py") if "def example_case(" in path.read_text())

#: Many names that loops and branches carry: sets of names would show in the text.
CARRIED = '''
import enum

import numpy as np

from pyasc_transpile import asctile


class Mode(enum.Enum):
    SUM = 1
    MAX = 2


@asctile.jit
def carried(x_ptr, out_ptr, n, mode: asctile.ConstExpr):
    x, out = asctile.global_tensor(x_ptr, [n * 64]), asctile.global_tensor(out_ptr, [n * 64])
    alpha, beta, gamma, delta = 0, 1, 2.0, n
    total = asctile.zeros([64], asctile.float32)
    largest = asctile.full([64], float("-inf"), asctile.float32)
    for i in asctile.range(n, unroll_factor=2):
        row = asctile.copy_in(x, [i * 64], [64])
        alpha, beta, gamma = beta, alpha + i, gamma * 0.5
        if alpha > delta:
            delta, gamma, beta = alpha, gamma + 1.0, delta
        total, largest = total + row, asctile.maximum(largest, row)
    result = total if mode is Mode.SUM else largest
    asctile.copy_out(result + (alpha + beta), out, [0])
    asctile.copy_out(result * gamma, out, [64])


def example_case(rng):
    return carried, 1, (np.zeros((4, 64), np.float32), np.zeros((4, 64), np.float32), 4, Mode.MAX), {}, {}
'''

SCRIPT = '''
import dataclasses, importlib.util, sys
from pathlib import Path

import numpy as np

from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.graph.printer import print_dot, print_graph
from pyasc_transpile.host.output import write_output
from pyasc_transpile.lower.printer import print_program
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import PLATFORMS

target = Path(sys.argv[1])
for file in sys.argv[2:]:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    kernel, _, args, _, _ = module.example_case(np.random.default_rng(0))
    signature = signature_of(kernel.bind(args, {}))
    for chip in ("Ascend910B1", "Ascend950PR_9599"):
        for static in (True, False):
            options = dataclasses.replace(kernel.options, static_alloc=static, reuse_alloc=2 if static else 0)
            made = transpile(kernel, signature, PLATFORMS[chip], options)
            folder = target / spec.name / f"{chip}_{static}"
            write_output(folder, [made], build_libraries=False)
            (folder / "graph.txt").write_text(print_graph(made.graph))
            (folder / "graph.dot").write_text(print_dot(made.graph))
            (folder / "program.txt").write_text(print_program(made.program))
            (folder / "checked.cpp").write_text(made.checked_source)
'''


def transpile_everything(folder: Path, kernels: list[Path], seed: str, cwd: Path) -> dict[str, bytes]:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "PYTHONPATH": os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry),
    }
    command = [sys.executable, "-c", SCRIPT, str(folder), *map(str, kernels)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return contents(folder)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [*EXAMPLES, write(tmp_path_factory.mktemp("kernels") / "carried.py", CARRIED)]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory, kernels: list[Path]) -> dict[str, bytes]:
    return transpile_everything(tmp_path_factory.mktemp("first"), kernels, "0", REPOSITORY)


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def test_there_is_something_to_compare(texts: dict[str, bytes]) -> None:
    assert len(EXAMPLES) >= 4
    for path in EXAMPLES:
        for chip in ("Ascend910B1", "Ascend950PR_9599"):
            for static in (True, False):
                names = {name for name in texts if name.startswith(f"{path.stem}/{chip}_{static}/")}
                assert {Path(name).suffix for name in names} >= {".cpp", ".asc", ".json", ".py", ".sh", ".txt", ".dot"}


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_hash_seed_does_not_matter(  # Q63
    texts: dict[str, bytes], kernels: list[Path], tmp_path: Path, seed: str
) -> None:
    assert differing(texts, transpile_everything(tmp_path / "out", kernels, seed, REPOSITORY)) == []


def test_the_working_directory_does_not_matter(
    texts: dict[str, bytes], kernels: list[Path], tmp_path: Path
) -> None:
    assert differing(texts, transpile_everything(tmp_path / "out", kernels, "0", tmp_path)) == []


def test_relative_paths_of_kernels_do_not_matter(
    texts: dict[str, bytes], kernels: list[Path], tmp_path: Path
) -> None:
    here = REPOSITORY / "examples"
    relative = [Path(os.path.relpath(path, here)) for path in kernels]
    assert differing(texts, transpile_everything(tmp_path / "out", relative, "0", here)) == []


#: A slash that begins a path: not one inside of a path, behind a variable, or of "//" and "*/".
ABSOLUTE = re.compile(r"(?<![\w.$}!*/])/(?:[\w.+-]+/)+[\w.+-]+")
STAMP = re.compile(r"\b(19|20)\d\d-[01]\d-[0-3]\d\b|\b[0-2]?\d:[0-5]\d:[0-5]\d\b")


def test_no_text_names_a_place_on_this_machine(texts: dict[str, bytes], kernels: list[Path]) -> None:
    places = {str(REPOSITORY), str(Path.home()), os.getcwd(), str(kernels[-1].parent), sys.prefix}
    for name, data in texts.items():
        text = data.decode("utf-8")
        assert [place for place in places if len(place) > 1 and place in text] == [], name
        assert ABSOLUTE.findall(text) == [], name


def test_no_text_has_a_time_stamp(texts: dict[str, bytes]) -> None:
    for name, data in texts.items():
        assert STAMP.search(data.decode("utf-8")) is None, name


def test_the_searches_find_what_they_look_for() -> None:
    assert ABSOLUTE.search('#line 3 "/home/someone/kernel.py"')
    assert not ABSOLUTE.search("#!/bin/sh\n// :3  a / b\n-I$ASCEND_HOME_PATH/include/x examples/a.py")
    assert STAMP.search("made 2026-12-01") and STAMP.search("at 12:30:01") and not STAMP.search("kernel.py:12")


def test_the_head_names_the_file_below_its_project(texts: dict[str, bytes]) -> None:
    text = texts["vector_add/Ascend910B1_True/vector_add.cpp"].decode()
    assert text.startswith("// vector_add: examples/vector_add.py:")
    assert texts["carried/Ascend910B1_True/carried.cpp"].decode().startswith("// carried: carried.py:")
