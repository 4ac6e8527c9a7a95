"""Every public name is documented, listed in docs/language.md, and used by a test."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from pyasc_transpile import asctile
from pyasc_transpile.graph.dtypes import DataType

ROOT = Path(__file__).resolve().parent.parent
# Operators and methods stand for these functions in tests.
AS_OPERATORS = {
    "add": r"x \+ y", "sub": r"x - y", "mul": r"x \* y", "div": r"x / y", "negative": r"-x", "bitwise_and": r"x & y",
    "bitwise_or": r"x \| y", "bitwise_xor": r"x \^ y", "bitwise_not": r"~x", "equal": r"x == y", "not_equal": r"x != y",
    "less": r"x < y", "less_equal": r"x <= y", "greater": r"x > y", "greater_equal": r"x >= y", "pow": r"x\*\*y",
    "reduce_sum": r"\.sum\(", "reduce_max": r"\.max\(", "reduce_min": r"\.min\(", "reduce_prod": r"\.prod\(",
    "cast": r"\.to\(", "left_shift": r"x << ", "right_shift": r"x >> ",
}  # fmt: skip


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("make_language", ROOT / "docs" / "make_language.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_up_to_date() -> None:
    written = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert written == generator().document(), "run: python docs/make_language.py"


@pytest.mark.parametrize("name", sorted(asctile.__all__))
def test_every_public_name_is_documented_and_tested(name: str) -> None:
    thing = getattr(asctile, name)
    if not isinstance(thing, DataType):
        assert (inspect.getdoc(thing) or "").strip(), f"asctile.{name} has no docstring"
    table = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| `{re.escape(name)}[(`]", table, re.MULTILINE), f"{name} is not in docs/language.md"
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").glob("test_*.py")]
    operator = AS_OPERATORS.get(name, "(?!)")
    pattern = re.compile(rf"\basctile\.{name}\b|\.{name}\(|{operator}|[\"']{name}[\"']|\b{name}\(")
    assert any(pattern.search(text) for text in texts), f"no test uses asctile.{name}"
