"""Random programs of loops and branches mean what Python means."""

from __future__ import annotations

import importlib.util
import random

import pytest

from frontend_tools import evaluate, graph_of, run_python

NAMES = ("a", "b", "c", "d", "n", "box[0]", "box[1]", "pair[0]")
PROGRAMS = 150


class Writer:
    """Writes one random kernel."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.budget = 22
        self.stores = 0

    def atom(self) -> str:
        choice = self.random.random()
        if choice < 0.3:
            return str(self.random.randint(-3, 5))
        return self.random.choice([*NAMES, *self.loops])

    def value(self, depth: int = 0) -> str:
        choice = self.random.random()
        if depth > 2 or choice < 0.25:
            return self.atom()
        left, right = self.value(depth + 1), self.value(depth + 1)
        if choice < 0.55:
            return f"({left} {self.random.choice('+-*')} {right}) % 97"
        if choice < 0.62:
            return f"({left} {self.random.choice(['//', '%'])} {self.random.choice([2, 3, 5, -4])})"
        if choice < 0.72:
            return f"({left} if {self.test(depth + 1)} else {right})"
        if choice < 0.8:
            return f"({left} {self.random.choice(['and', 'or'])} {right})"
        if choice < 0.86:
            return f"{self.random.choice(['min', 'max'])}({left}, {right})"
        if choice < 0.9:
            return f"({left} * 0.5)"
        if choice < 0.95:
            return f"{self.random.choice(['helper', 'early'])}({left}, {right})"
        return f"({self.test(depth + 1)})"

    def test(self, depth: int = 0) -> str:
        left, right = self.value(depth + 1), self.value(depth + 1)
        choice = self.random.random()
        if choice < 0.6:
            return f"{left} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {right}"
        if choice < 0.7:
            return f"0 < {left} <= {right}"
        if choice < 0.8:
            return f"not {left}"
        return f"{left} {self.random.choice(['and', 'or'])} {right}"

    def statement(self, indent: str) -> None:
        self.budget -= 1
        choice = self.random.random()
        name = self.random.choice(("a", "b", "c", "d", "box[0]", "box[1]"))
        if choice < 0.3:
            self.lines.append(f"{indent}{name} = {self.value()}")
        elif choice < 0.38:
            self.lines.append(f"{indent}{name} {self.random.choice('+-*')}= {self.value()}")
            self.lines.append(f"{indent}{name} %= 89")
        elif choice < 0.48:
            others = self.random.sample(("a", "b", "c", "d"), 3)
            self.lines.append(f"{indent}{', '.join(others)} = {', '.join(self.random.sample(others, 3))}")
        elif choice < 0.54:
            self.lines.append(f"{indent}pair = (pair[1], {self.value()})")
        elif choice < 0.64:
            self.stores += 1
            self.lines.append(f"{indent}asctile.copy_out({self.value()}, x, [{self.stores}])")
        elif choice < 0.70:
            self.leave(indent)
        elif choice < 0.84:
            self.lines.append(f"{indent}if {self.test()}:")
            self.block(indent + "    ")
            if self.random.random() < 0.6:
                self.lines.append(f"{indent}else:")
                self.block(indent + "    ")
        else:
            self.loop(indent)

    def leave(self, indent: str) -> None:
        """A statement that leaves, under a condition or two."""
        kinds = ["break", "continue"] * 4 if self.loops else []
        kind = self.random.choice([*kinds, "return"])
        if self.random.random() < 0.9:
            self.lines.append(f"{indent}if {self.test()}:")
            indent += "    "
            if self.random.random() < 0.3:
                self.block(indent)
                self.lines.append(f"{indent}if {self.test()}:")
                indent += "    "
        self.lines.append(f"{indent}{kind}")

    def loop(self, indent: str) -> None:
        if len(self.loops) > 2:
            return self.statement(indent)
        if self.random.random() < 0.3:
            return self.while_loop(indent)
        index = f"i{len(self.loops)}"
        bounds = self.random.choice(["n", "3", "1, n", "n, 0, -1", "0, n, 2"])
        kind = "asctile.static_range(2)" if self.random.random() < 0.15 else f"range({bounds})"
        self.lines.append(f"{indent}for {index} in {kind}:")
        self.loops.append(index)
        self.block(indent + "    ")
        self.loops.pop()
        self.maybe_else(indent)
        return None

    def while_loop(self, indent: str) -> None:
        """A ``while`` that counts, so that it ends."""
        count = f"w{len(self.loops)}"
        self.lines.append(f"{indent}{count} = {self.random.choice(['0', '1', '0 * n'])}")
        bound = self.random.choice(["n", "3", "n - 1"])
        form = self.random.random()
        inner = indent + "    "
        if form < 0.3:
            self.lines.append(f"{indent}while True:")
            self.lines.append(f"{inner}{count} += 1")
            self.lines.append(f"{inner}if {count} > {bound}:")
            self.lines.append(f"{inner}    break")
        else:
            more = f" and ({self.test()})" if form < 0.6 else ""
            self.lines.append(f"{indent}while {count} < {bound}{more}:")
            self.lines.append(f"{inner}{count} += 1")
        self.loops.append(count)
        self.block(inner)
        self.loops.pop()
        self.maybe_else(indent)

    def maybe_else(self, indent: str) -> None:
        if self.random.random() < 0.2:
            self.lines.append(f"{indent}else:")
            self.block(indent + "    ")

    def block(self, indent: str) -> None:
        for _ in range(self.random.randint(1, 4)):
            if self.budget > 0:
                self.statement(indent)
        self.lines.append(f"{indent}pass")

    def kernel(self, name: str) -> str:
        self.block("    ")
        self.block("    ")
        start = self.random.choice(["0, 1, n, True", "1, n, n, 2", "0, 0, 0, 0.5"])
        head = [
            "@asctile.jit",
            f"def {name}(p, n):",
            "    x = asctile.global_tensor(p, [8])",
            f"    a, b, c, d = {start}",
            "    box, pair = [0, n], (1, 2)",
        ]
        tail = [f"    asctile.copy_out({each}, x, [{100 + k}])" for k, each in enumerate(NAMES)]
        return "\n".join([*head, *self.lines, *tail, "", ""])


HEAD = """from pyasc_transpile import asctile


def helper(u, v):
    total = u
    for k in range(2):
        if total > v:
            total = total - k
        else:
            total = (total + v) % 50
    return total


def early(u, v):
    if u > v:
        if u % 2 == 0:
            return v
        u = u - 3
    for k in range(3):
        if k + u == 4:
            return k
        while u < k:
            u = u + 2
            if u == 1:
                return v + 1
    return u


"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    path = tmp_path_factory.mktemp("random") / "random_programs.py"
    path.write_text(HEAD + "\n".join(Writer(seed).kernel(f"kernel_{seed}") for seed in range(PROGRAMS)))
    spec = importlib.util.spec_from_file_location("random_programs", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_program(programs, seed):
    kernel = getattr(programs, f"kernel_{seed}")
    graph = graph_of(kernel, "p: *f32, n: i32")
    for n in (0, 1, 2, 3, 5):
        assert evaluate(graph, {"n": n}) == run_python(kernel, {"p": None, "n": n})
