"""Every example, on both architectures, in both memory styles, on the checked build, against NumPy."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.batch import STYLES, Batch, Case

FOLDER = Path(__file__).resolve().parent.parent / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "run_all")


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_examples_match_numpy(architecture: str, tmp_path: Any) -> None:
    assert len(EXAMPLES) >= 12
    batch = Batch(tmp_path, architecture)
    runs = []
    for name in EXAMPLES:
        for style, static in STYLES.items():
            kernel, blocks, args, expected, tolerance = load(name).example_case(np.random.default_rng(0))
            index = batch.add(Case(f"{name} {style}", kernel, args, blocks, {"static_alloc": static}))
            runs.append((name, style, index, args, expected, tolerance))
    batch.build()
    for name, style, index, args, expected, tolerance in runs:
        batch.run(index)
        for position, value in expected.items():
            np.testing.assert_allclose(args[position], value, err_msg=f"{name} {style}", **tolerance)
