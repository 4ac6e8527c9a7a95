"""What the README shows is what the program does."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from pyasc_transpile.cli import command

ROOT = Path(__file__).resolve().parent.parent


def blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_kernel_shown_becomes_the_text_shown(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    example = (ROOT / "examples" / "fused_chain.py").read_text(encoding="utf-8")
    kernel = blocks("python")[0].split("@asctile.jit")[1]
    assert kernel.strip() in example
    result = CliRunner().invoke(command, ["examples/fused_chain.py", "--emit", "source"])
    assert result.exit_code == 0, result.output
    shown = result.output[result.output.index("// fused_chain") : result.output.rindex("}") + 1]
    assert blocks("cpp")[0].strip() == shown, "paste the output into README.md again"
