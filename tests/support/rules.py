"""Checking what kernels are refused for: the class of the error, its line and its message."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pyasc_transpile.errors import TranspileError
from pyasc_transpile.frontend.signature import parse_signature
from pyasc_transpile.pipeline import transpile
from pyasc_transpile.targets import find_platform

_HEAD = """from pyasc_transpile import asctile


@asctile.jit
def kernel(p, q, n, f):
    g = asctile.global_tensor(p, [8, 40])
    h = asctile.global_tensor(q, [64])
    x = asctile.copy_in(g, [0, 0], [4, 8])
    y = asctile.copy_in(h, [0], [16])
    result = {code}
    if isinstance(result, asctile.LocalTensor):
        asctile.copy_out(result.ravel(), asctile.global_tensor(p, [result.size]), [0])
"""
_SIGNATURE = "p: *f32, q: *i32, n: i32, f: f32"


def load(folder: Path, text: str) -> ModuleType:
    """A module with ``text`` as its source."""
    path = folder / "rule_kernel.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("rule_kernel", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_rules(folder: Path, code: str, error: type, message: str, platform: str = "Ascend950PR_9599") -> None:
    """Expect that an expression in a kernel raises ``error`` with ``message`` at its line.

    The kernel has global tensors ``g`` (8 x 40, float32) and ``h`` (64, int32), tiles ``x`` (4 x 8) and ``y`` (16) of
    them, an int ``n`` and a float ``f``.
    """
    text = _HEAD.replace("{code}", code)
    kernel = load(folder, text).kernel
    line = next(number for number, each in enumerate(text.splitlines(), 1) if each.startswith("    result = "))
    with pytest.raises(TranspileError) as caught:
        transpile(kernel, parse_signature(kernel, _SIGNATURE), find_platform(platform), kernel.options)
    found: Any = caught.value
    assert isinstance(found, error) or isinstance(found.__cause__, error), (type(found), found.__cause__)
    assert message in found.message, found.message
    assert found.lineno == line
