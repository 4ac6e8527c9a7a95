"""Python beyond the reference's subset: match, ConstExpr objects, keyword-only arguments, sequences, f-strings."""

from __future__ import annotations

import dataclasses
import enum
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from frontend_tools import evaluate, graph_of, run_python
from pyasc_transpile import asctile
from pyasc_transpile.errors import CodegenError, UnsupportedSyntaxError

PARAMETERS = "p: *f32, n: i32"


class Activation(enum.Enum):
    RELU = "relu"
    NONE = "none"


@dataclasses.dataclass(frozen=True)
class Config:
    rows: int
    factors: tuple[int, ...] = (1, 2)
    activation: Activation = Activation.NONE

    @property
    def area(self) -> int:
        return self.rows * len(self.factors)


CONFIG = Config(3, (4, 5), Activation.RELU)


@asctile.jit
def objects(p, n, config: asctile.ConstExpr[Config] = CONFIG):
    x = asctile.global_tensor(p, [8])
    total = n + config.area
    for position, factor in enumerate(config.factors, start=1):
        total += factor * position
    if config.activation is Activation.RELU:
        total = max(total, 0)
    asctile.copy_out(total, x, [config.rows])


def weighted(value, /, weight=2, *more, offset, scale=3, **named):
    total = value * weight * scale + offset
    for number, extra in zip(range(1, 10), more):
        total += number * extra
    for name, extra in sorted(named.items()):
        total += len(name) * extra
    return total


@asctile.jit
def arguments(p, n):
    x = asctile.global_tensor(p, [8])
    asctile.copy_out(weighted(n, offset=1), x, [0])
    asctile.copy_out(weighted(n, 5, 6, 7, offset=n, scale=1, abc=n, z=2), x, [1])
    args, options = [n, 1, 2], {"offset": 3, "w": 4}
    asctile.copy_out(weighted(*args, **options), x, [2])


@asctile.jit
def sequences(p, n):
    x = asctile.global_tensor(p, [64])
    total = 0
    for k, (a, b) in enumerate(zip([1, 2, 3], reversed((4, 5, 6)))):
        total += n * a - b * k
        asctile.copy_out(total, x, [k])
    for k in reversed(asctile.static_range(3)):
        total = total * 2 + k
    for k in reversed(range(4)):
        total = total - k * n
    for row in [[1, n], [n, 2]]:
        first, *rest = row
        total += first * sum(rest)
    for key, value in {"a": n, "b": 2}.items():
        total += len(key) + value
    for a, b in sorted(zip((3, 1), (n, 2)), key=lambda pair: pair[0]):
        total = total * a + b
    asctile.copy_out(total, x, [9])


@pytest.mark.parametrize("kernel", [objects, arguments, sequences], ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("n", [-4, 0, 1, 7])
def test_kernels_mean_what_python_means(kernel: Any, n: int) -> None:
    assert evaluate(graph_of(kernel, PARAMETERS), {"n": n}) == run_python(kernel, {"p": None, "n": n})


def test_f_strings_in_compile_time_messages(capsys: pytest.CaptureFixture[str]) -> None:
    @asctile.jit
    def kernel(p, n, tile: asctile.ConstExpr[int] = 48):
        asctile.static_print(f"tile {tile:>4} {Activation.RELU.value!r} {n.dtype} {{}}")
        asctile.static_assert(tile % 32 == 0, f"tile is {tile}, which is {tile % 32} more than a multiple of {32}")

    with pytest.raises(CodegenError) as caught:
        graph_of(kernel, PARAMETERS)
    assert "AssertionError: tile is 48, which is 16 more than a multiple of 32" in caught.value.message
    assert capsys.readouterr().out == "tile   48 'relu' int32 {}\n"


MATCH = '''
import dataclasses
import enum

from pyasc_transpile import asctile


class Mode(enum.Enum):
    ADD = 1
    SUB = 2
    MUL = 3


@dataclasses.dataclass
class Point:
    x: int
    y: int


def describe(value):
    match value:
        case Mode.ADD | Mode.SUB as mode:
            return mode.value
        case Mode():
            return 30
        case None:
            return 40
        case bool(flag):
            return 50 + flag
        case 7 | 8:
            return 60
        case int(number) if number > 100:
            return number
        case int():
            return 70
        case "text":
            return 80
        case str(text):
            return len(text)
        case []:
            return 90
        case [only]:
            return 100 + only
        case (first, *middle, last):
            return first * 1000 + len(middle) * 10 + last
        case {"kind": "big", "size": size, **rest}:
            return size + len(rest)
        case {}:
            return 110
        case Point(0, y):
            return 120 + y
        case Point(x=x, y=y) if x == y:
            return 130 + x
        case Point(x, _):
            return 140 + x
        case _:
            return 150


VALUES = (
    Mode.ADD, Mode.SUB, Mode.MUL, None, True, False, 7, 8, 500, 9, "text", "other", [], [5], (1, 2), [1, 2, 3, 4],
    {"kind": "big", "size": 3, "a": 1, "b": 2}, {"x": 1}, Point(0, 3), Point(4, 4), Point(5, 6), 2.5,
)


@asctile.jit
def matches(p, n):
    x = asctile.global_tensor(p, [8])
    for place, value in enumerate(VALUES):
        asctile.copy_out(describe(value) + n * 0, x, [place])
    pair = (n, "scaled")
    match pair:  # parts may be run-time values that are only bound
        case (value, "plain"):
            asctile.copy_out(value, x, [100])
        case (value, "scaled"):
            if value > 2:
                return
            asctile.copy_out(value * 2, x, [100])
    asctile.copy_out(value, x, [101])


@asctile.jit
def at_run_time(p, n):
    match n:
        case 1:  # here
            pass


@asctile.jit
def guard_at_run_time(p, n):
    match n:
        case value if value > 1:  # here
            pass


@asctile.jit
def leaves_loop(p, n, mode: asctile.ConstExpr = Mode.ADD):
    x = asctile.global_tensor(p, [8])
    for i in range(n):
        match mode:
            case Mode.ADD:
                if i == 3:
                    break
            case _:
                continue
        asctile.copy_out(i, x, [i])
'''


@pytest.fixture(scope="module")
def matching(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    if sys.version_info < (3, 10):
        pytest.skip("Python 3.9 has no match statement")
    path = tmp_path_factory.mktemp("match") / "matching_kernels.py"
    path.write_text(MATCH)
    spec = importlib.util.spec_from_file_location("matching_kernels", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["matches", "leaves_loop"])
@pytest.mark.parametrize("n", [0, 2, 5])
def test_match_means_what_python_means(matching: ModuleType, name: str, n: int) -> None:
    kernel = getattr(matching, name)
    assert evaluate(graph_of(kernel, PARAMETERS), {"n": n}) == run_python(kernel, {"p": None, "n": n})


@pytest.mark.parametrize(
    ("name", "message", "remedy"),
    [
        ("at_run_time", "'match' compares at compile time, but this scalar is known only at run time", "if and elif"),
        ("guard_at_run_time", "a guard of 'match' is known only at run time", "put 'if' and 'else' into the case"),
    ],
)
def test_match_at_run_time_is_refused(matching: ModuleType, name: str, message: str, remedy: str) -> None:
    with pytest.raises(UnsupportedSyntaxError) as caught:
        graph_of(getattr(matching, name), PARAMETERS)
    assert caught.value.message == message and remedy in caught.value.remedy
    line = MATCH.splitlines()[(caught.value.lineno or 0) - 1]
    assert line.endswith("# here")


REFUSED = [
    ("for v in reversed(asctile.range(n)):\n        pass", "count backwards with range(n - 1, -1, -1)"),
    ("for i, v in enumerate(range(n)):\n        pass", "can only stand in the head of a 'for' statement of its own"),
    ("for i, v in zip(range(n), [1]):\n        pass", "count backwards with range(n - 1, -1, -1)"),
    ("weighted(n)", "weighted(): missing a required"),
    ("weighted(n, offset=1, value=3, weigth=n, **{'offset': 2})", "keyword argument 'offset' is given twice"),
    ("del missing", "name 'missing' is not defined"),
    ("with open('x') as f:\n        pass", "open() is not supported in a kernel"),
    ("(yield n)", "'yield' is not supported in a kernel"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_stays_unsupported(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "refused_kernel.py"
    helper = "def weighted(value, *, offset=None, **named):\n    return value"
    head = f"from pyasc_transpile import asctile\n\n\n{helper}\n\n\n"
    if "missing a required" in message:
        head = head.replace("offset=None", "offset")
    path.write_text(f"{head}@asctile.jit\ndef kernel(p, n):\n    {text}\n")
    spec = importlib.util.spec_from_file_location("refused_kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(CodegenError) as caught:
        graph_of(module.kernel, PARAMETERS)
    assert message in str(caught.value)
    assert caught.value.lineno == head.count("\n") + 3
    assert text.splitlines()[0] in str(caught.value)


def test_the_front_end_imports_without_match_syntax_trees() -> None:
    """As on Python 3.9."""
    code = (
        "import ast\n"
        "for name in [name for name in dir(ast) if name.startswith(('Match', 'match'))]:\n    delattr(ast, name)\n"
        "from pyasc_transpile.frontend import matching, walker\nassert matching.HANDLERS == {}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
