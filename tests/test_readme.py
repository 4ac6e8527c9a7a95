"""What the README shows is what the program does."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from unittest.mock import Mock

import click
from click.testing import CliRunner

from host_samples import run_python
from pyasc_transpile import pytest_plugin
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


def missing_in_the_readme(names) -> list[str]:
    """Those of ``names`` that the README does not have in backquotes."""
    spans = re.findall(r"`([^`\n]+)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    words = {word for span in spans for word in re.split(r"[ =]", span)}
    return sorted(set(names) - words)


def test_every_option_is_in_the_readme() -> None:
    for item in command.params:
        if isinstance(item, click.Option):
            names = [*item.opts, *item.secondary_opts]
            assert missing_in_the_readme(names) != sorted(names)
    parser = Mock()
    pytest_plugin.pytest_addoption(parser)
    names = [name for call in parser.getgroup.return_value.addoption.call_args_list for name in call.args]
    assert "--backend" in names and not missing_in_the_readme(names)


def test_every_environment_variable_is_in_the_readme() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert not missing_in_the_readme(re.findall(r'"((?:PYASC|ASCEND)_[A-Z_]+)"', text))


def test_the_test_shown_passes(tmp_path, pytestconfig) -> None:
    (shown,) = (block for block in blocks("python") if "def test_" in block)
    (tmp_path / "test_shown.py").write_text(shown, encoding="utf-8")
    shutil.copy(ROOT / "examples" / "fused_chain.py", tmp_path)
    plugin = [] if pytestconfig.pluginmanager.is_registered(pytest_plugin) else ["-p", "pyasc_transpile.pytest_plugin"]
    options = ["--runs", "2", "--profile", "test_shown.py"]
    result = run_python(["-m", "pytest", "-q", *plugin, *options], tmp_path, PYTEST_ADDOPTS=None)
    assert "1 passed" in result.stdout and "Profiling results" in result.stdout, result.stdout + result.stderr
