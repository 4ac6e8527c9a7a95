"""Replacements of operations by better ones: what is replaced, what is not, and that no bit of the result changes."""

from __future__ import annotations

import math
import re
from typing import Any, Callable

import numpy as np
import pytest
from tests.support.batch import PLATFORMS, Batch, Case

from pyasc_transpile import asctile
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.graph.graph import walk
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 3.75, -3.75)


@asctile.jit
def apply(x_ptr, slope, out_ptr, size: asctile.ConstExpr[int], form: asctile.ConstExpr, slopes: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [size])
    asctile.copy_out(form(x, slope), asctile.global_tensor(out_ptr, [size]), [0])
    for k, number in enumerate(slopes):
        out_gm = asctile.global_tensor(out_ptr + (k + 1) * size, [size])
        asctile.copy_out(form(x, number), out_gm, [0])


class Form:
    """An expression, the same with NumPy, and the slopes with which it is one instruction."""

    def __init__(
        self, name: str, build: Callable[..., Any], expect: Callable[..., Any], slopes: Callable[[float], bool]
    ) -> None:
        self.name, self.build, self.expect, self.slopes = name, build, expect, slopes

    def __call__(self, x: Any, slope: Any) -> Any:
        return self.build(x, slope)

    def __repr__(self) -> str:
        return self.name


def _plain(slope: float) -> bool:
    return math.isfinite(slope) and math.copysign(1, slope) > 0


FORMS = (
    Form(
        "x >= 0",
        lambda x, a: asctile.where(x >= 0.0, x, x * a),
        lambda x, a: np.where(x >= 0, x, a * x),
        lambda a: True,
    ),
    Form("x < 0", lambda x, a: asctile.where(x < 0, a * x, x), lambda x, a: np.where(x < 0, a * x, x), lambda a: True),
    Form("x > 0", lambda x, a: asctile.where(x > 0, x, x * a), lambda x, a: np.where(x > 0, x, a * x), _plain),
    Form("x <= 0", lambda x, a: asctile.where(x <= 0, x * a, x), lambda x, a: np.where(x <= 0, a * x, x), _plain),
    Form(
        "maximum",
        lambda x, a: asctile.maximum(x * a, x),
        lambda x, a: np.maximum(x, a * x),
        lambda a: 0 < a <= 1,
    ),
    Form(
        "minimum",
        lambda x, a: asctile.minimum(x, x * a),
        lambda x, a: np.minimum(x, a * x),
        lambda a: 1 <= a < math.inf,
    ),
    Form(
        "x >= 1",
        lambda x, a: asctile.where(x >= 1.0, x, x * a),
        lambda x, a: np.where(x >= 1, x, a * x),
        lambda a: False,
    ),
    Form(
        "other arms",
        lambda x, a: asctile.where(x >= 0, x * a, x),
        lambda x, a: np.where(x >= 0, a * x, x),
        lambda a: False,
    ),
    Form(
        "another tile",
        lambda x, a: asctile.where(x >= 0, x, (x + 1.0) * a),
        lambda x, a: np.where(x >= 0, x, a * (x + x.dtype.type(1))),
        lambda a: False,
    ),
)
SLOPES = (0.01, 0.0, -0.0, -0.5, 1.0, 3.0, 1e-6, 1e-8, math.inf, -math.inf, math.nan)
AT_RUN_TIME = 0.3


def numbers(dtype: str) -> np.ndarray:
    """Special numbers, the smallest and largest ones, and arbitrary bits."""
    held = np.dtype(dtype)
    info = np.finfo(held)
    edges = [float(each) * sign for each in (info.smallest_subnormal, info.tiny, info.max) for sign in (1, -1, 0.75)]
    words = np.random.default_rng(7).integers(0, 2 ** (8 * held.itemsize), 238, np.uint64)
    bits = words.astype(f"u{held.itemsize}").view(held)
    with np.errstate(all="ignore"):
        return np.concatenate([np.array([*SPECIAL, *edges], held), bits])


def same_bits(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where two arrays agree to the last bit; one NaN is as good as another."""
    words = f"u{actual.itemsize}"
    return (actual.view(words) == expected.view(words)) | (np.isnan(actual) & np.isnan(expected))


class Exact:
    """A form of one element type, and what its launch must leave behind."""

    def __init__(self, form: Form, dtype: str) -> None:
        self.form, self.x = form, numbers(dtype)
        self.out = np.zeros((1 + len(SLOPES), self.x.size), dtype)
        held = np.array([AT_RUN_TIME, *SLOPES]).astype(dtype)
        with np.errstate(all="ignore"):
            self.replaced = [form.name in ("x >= 0", "x < 0"), *(form.slopes(float(slope)) for slope in held[1:])]
            self.expected = np.stack([form.expect(self.x, slope) for slope in held])

    def case(self) -> Case:
        args = (self.x, AT_RUN_TIME, self.out, self.x.size, self.form, SLOPES)
        return Case(f"{self.form} {self.x.dtype}", apply, args, check=self.check)

    @property
    def is_extreme(self) -> bool:
        return self.form.name in ("maximum", "minimum")

    def check(self) -> list[str]:
        good = same_bits(self.out, self.expected)
        if self.is_extreme:  # NumPy's maxima and minima of zeros of both signs are either of them
            good |= (self.out == 0) & (self.expected == 0) & ~np.array(self.replaced)[:, None]
        return [] if good.all() else [f"slopes {np.flatnonzero(~good.all(1))}, {self.x[~good.all(0)][:5]}"]


def exact_forms() -> list[Exact]:
    return [Exact(form, dtype) for form in FORMS for dtype in ("float16", "float32")]


def all_cases(architecture: str, style: str) -> list[Case]:
    return [each.case() for each in exact_forms()]


@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
def test_leaky_relu_is_exact(architecture: str, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    forms = exact_forms()
    batch.run_all(each.case() for each in forms)
    for each, (case, made, _) in zip(forms, batch.cases):
        replaced = sum(each.replaced)
        assert made.source.count("LeakyRelu(") == replaced, case.label
        assert made.source.count("Select(") == (0 if each.is_extreme else len(each.replaced) - replaced), case.label


@asctile.jit
def rectify(x_ptr, y_ptr, out_ptr, size: asctile.ConstExpr[int], form: asctile.ConstExpr):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [size])
    y = asctile.copy_in(asctile.global_tensor(y_ptr, [size]), [0], [size])
    asctile.copy_out(form(x, y), asctile.global_tensor(out_ptr, [size]), [0])


RECTIFIED = (
    ("AddRelu(", lambda x, y: asctile.relu(x + y), lambda x, y: np.maximum(x + y, 0)),
    ("SubRelu(", lambda x, y: asctile.relu(y - x), lambda x, y: np.maximum(y - x, 0)),
    ("Relu(", lambda x, y: (lambda sum: asctile.relu(sum) * sum)(x + y), lambda x, y: np.maximum(x + y, 0) * (x + y)),
    ("Relu(", lambda x, y: asctile.relu(x + 1), lambda x, y: np.maximum(x + x.dtype.type(1), 0)),
)


def rectified_cases(architecture: str, style: str) -> list[Case]:
    return [rectified_case(*row, dtype) for row in RECTIFIED for dtype in ("float16", "float32", "int32")]


def rectified_case(call: str, build: Any, meaning: Any, dtype: str) -> Case:
    x = numbers(dtype) if dtype != "int32" else numbers("float32").view(np.int32) // 4
    y, out = x[::-1].copy(), np.zeros_like(x)

    def check() -> list[str]:
        with np.errstate(all="ignore"):
            expected = meaning(x, y)
        good = (out == expected) | ((out != out) & (expected != expected))
        return [] if good.all() else [f"{x[~good][:5]}, {y[~good][:5]}"]

    form = Form(f"{call} {RECTIFIED.index((call, build, meaning))}", build, build, bool)
    return Case(f"{call} {dtype}", rectify, (x, y, out, x.size, form), check=check)


@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
def test_sums_are_rectified_by_the_same_instruction(architecture: str, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    batch.run_all(rectified_cases(architecture, "static"))
    for case, made, _ in batch.cases:
        fused = not case.label.startswith("Relu(") and not case.label.endswith("int32")
        assert bool(re.search(r"^ *(Add|Sub)Relu\(", made.source, re.MULTILINE)) == fused, case.label


@asctile.jit
def centre(x_ptr, out_ptr, rows: asctile.ConstExpr[int], columns: asctile.ConstExpr[int], twice: asctile.ConstExpr):
    shape = [rows, columns]
    x = asctile.copy_in(asctile.global_tensor(x_ptr, shape), [0, 0], shape)
    largest = asctile.broadcast_to(asctile.reduce_max(x, 1, keep_dims=True), *shape)
    asctile.copy_out(largest - x * largest if twice else largest - x, asctile.global_tensor(out_ptr, shape), [0, 0])


@pytest.mark.parametrize("architecture", sorted(PLATFORMS))
@pytest.mark.parametrize("shape", [(1, 64), (5, 40), (3, 200)])
def test_a_repeated_tile_is_not_made_for_one_instruction(
    architecture: str, shape: tuple[int, int], tmp_path: Any
) -> None:
    batch = Batch(tmp_path, architecture)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for twice in (False, True):
        batch.add(Case(str(twice), centre, (x, np.zeros_like(x), *shape, twice)))
        graph = batch.cases[-1][1].graph
        assert sum(node.op == "broadcast_to" for node in walk(graph.body)) == twice
    batch.build()
    top = x.max(1, keepdims=True)
    assert (batch.run(0)[1] == top - x).all()
    assert (batch.run(1)[1] == top - x * top).all()


def test_a_masked_product_is_left_alone() -> None:
    @asctile.jit
    def kernel(x_ptr):
        x_gm = asctile.global_tensor(x_ptr, [64])
        x = asctile.copy_in(x_gm, [0], [64])
        with asctile.mask(count=7):
            scaled = x * 0.5
        asctile.copy_out(asctile.where(x >= 0, x, scaled), x_gm, [0])

    signature = parse_signature(kernel, "x_ptr: *f32")
    made = transpile(kernel, signature, find_platform(PLATFORMS["c310"]), kernel.options)
    assert "LeakyRelu" not in made.source
