"""The command line, as a user or a CI job sees it: what it prints, what it exits with, what it leaves behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from host_samples import ADD, MAIN, SIGNATURE, contents, run_cli, write
from pyasc_transpile._version import __version__
from pyasc_transpile.cli import main

EXPECTED = {
    "CMakeLists.txt", "build.sh", "add.cpp", "add.json", "add.py", "add_cpu.cpp", "add_host.asc", "libadd.so",
}  # fmt: skip


def cli(*arguments: object) -> int:
    """Run the command line in this process; returns its exit code."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    code = stop.value.code
    return 0 if code is None else int(code)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYASC_TRANSPILE_DEBUG", raising=False)
    return write(tmp_path / "kernel.py", ADD)


def test_a_signature_says_what_to_write(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(kernel, "-o", "out", "--signature", SIGNATURE) == 0
    assert set(contents(kernel.parent / "out")) == EXPECTED
    assert "libadd.so" in capsys.readouterr().out


def test_the_launches_of_the_script_say_what_to_write(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(kernel, ADD + MAIN)
    assert cli(kernel, "-o", "out") == 0
    captured = capsys.readouterr()
    assert "the script ran" in captured.err and "the script ran" not in captured.out
    assert set(contents(kernel.parent / "out")) == EXPECTED
    manifest = json.loads((kernel.parent / "out" / "add.json").read_text())
    assert manifest["signature"]["text"] == SIGNATURE


def test_without_either_the_line_to_complete_is_shown(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(kernel, "-o", "out") == 1
    error = capsys.readouterr().err
    assert "--signature 'add(x_ptr: *f32, y_ptr: *f32, out_ptr: *f32, size: i32, tile=1024)'" in error
    assert not (kernel.parent / "out").exists()


def test_the_line_that_is_shown_works(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli(kernel, "-o", "out")
    line = capsys.readouterr().err.split("--signature ")[1].strip().strip("'")
    assert cli(kernel, "-o", "out", "--no-build", "--signature", line) == 0


def test_launches_are_not_traced_when_told_so(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(kernel, ADD + MAIN)
    assert cli(kernel, "-o", "out", "--no-trace-launches") == 1
    assert "the script ran" not in capsys.readouterr().err


def test_a_spec_file(kernel: Path) -> None:
    spec = write(
        kernel.parent / "kernels.toml",
        f'[[kernel]]\nname = "add"\nsignature = "{SIGNATURE}"\noptions = {{ reuse_alloc = 2 }}\n'
        f'[[kernel]]\nsignature = "add({SIGNATURE.replace("f32", "f16")})"\n',
    )
    assert cli(kernel, "-o", "out", "--spec", spec, "--no-build") == 0
    manifests = sorted((kernel.parent / "out").glob("*.json"))
    assert len(manifests) == 2
    first = json.loads((kernel.parent / "out" / "add.json").read_text())
    assert first["options"]["reuse_alloc"] == 2


@pytest.mark.parametrize("text", ["", "x = 1", "[[kernel]]\n", '[[kernel]]\nsignature = "x"\nsoc = "y"\n', "[[kernel"])
def test_a_wrong_spec_file_is_one_message(kernel: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(kernel, "-o", "out", "--spec", write(kernel.parent / "kernels.toml", text)) == 1
    assert "kernels.toml" in capsys.readouterr().err


def test_options_reach_the_kernel(kernel: Path) -> None:
    code = cli(
        kernel, "-o", "out", "--signature", SIGNATURE, "--no-build", "--platform", "Ascend910B1", "--no-static-alloc",
        "--reuse-alloc", 1, "--opt-level", 2, "--option", "verify_sync=True",
    )  # fmt: skip
    assert code == 0
    manifest = json.loads((kernel.parent / "out" / "add.json").read_text())
    assert manifest["platform"]["name"] == "Ascend910B1"
    options = manifest["options"]
    assert (options["static_alloc"], options["reuse_alloc"], options["opt_level"]) == (False, 1, 2)
    assert options["verify_sync"] is True


@pytest.mark.parametrize("what", ["graph", "program", "graph.dot", "source"])
def test_emit_prints_and_writes_nothing(kernel: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(kernel.parent)
    assert cli(kernel, "--signature", SIGNATURE, "--emit", what) == 0
    output = capsys.readouterr().out
    assert {"graph.dot": "digraph", "source": "__global__ __aicore__ void add("}.get(what, "") in output
    assert output.strip()
    assert {name for name in contents(kernel.parent) if "__pycache__" not in name} == set(before)


def test_compile_only_keeps_the_verdict(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(kernel, "--compile-only", "--signature", SIGNATURE) == 0
    assert "add: ok" in capsys.readouterr().out
    assert not (kernel.parent / "out").exists()
    write(kernel, ADD.replace("x + y", "x + undefined_name"))
    assert cli(kernel, "--compile-only", "--signature", SIGNATURE) == 1
    error = capsys.readouterr().err
    line = next(number for number, text in enumerate(ADD.splitlines(), 1) if "x + y" in text)
    assert f"kernel.py:{line}: error:" in error
    assert "Traceback" not in error


def test_compile_only_writes_no_report(kernel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    assert cli(kernel, "--compile-only", "-o", out, "--report", "--signature", SIGNATURE) == 2
    assert "--compile-only keeps nothing" in capsys.readouterr().err


def test_compile_only_reports_errors_of_the_compiler_as_lines(
    kernel: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = write(
        kernel.parent / "cxx",
        "#!/bin/sh\ncase \"$*\" in *probe*) exit 0;; esac\necho 'add.cpp:3:1: error: no luck' >&2\nexit 1\n",
    )
    fake.chmod(0o755)
    monkeypatch.setenv("CXX", str(fake))
    assert cli(kernel, "--compile-only", "--signature", SIGNATURE) == 1
    assert "error: no luck" in capsys.readouterr().err


def test_no_compiler_still_writes_the_texts(
    kernel: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(kernel.parent / "empty"))
    monkeypatch.delenv("CXX", raising=False)
    assert cli(kernel, "-o", "out", "--signature", SIGNATURE) == 0
    assert "g++" in capsys.readouterr().err
    assert set(contents(kernel.parent / "out")) == EXPECTED - {"libadd.so"}
    assert cli(kernel, "--compile-only", "--signature", SIGNATURE) == 1
    assert "gcc-c++" in capsys.readouterr().err


def test_npu_without_cann_is_one_message(
    kernel: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    assert cli(kernel, "-o", "out", "--signature", SIGNATURE, "--backend", "NPU") == 1
    assert "CANN was not found" in capsys.readouterr().err
    assert not (kernel.parent / "out").exists()


def test_bisheng_is_used_where_cann_is(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = write(
        kernel.parent / "bisheng",
        '#!/bin/sh\nprintf "%s\\n" "$@" > "$ASCEND_HOME_PATH/arguments"\n'
        'while [ "$1" != -o ]; do shift; done\necho built > "$2"\n',
    )
    fake.chmod(0o755)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(kernel.parent))
    monkeypatch.setenv("PYASC_COMPILER", str(fake))
    assert cli(kernel, "-o", "out", "--signature", SIGNATURE) == 0
    words = (kernel.parent / "arguments").read_text().splitlines()
    assert "--npu-arch=dav-3510" in words and "add_host.asc" in words and "-shared" in words
    assert (kernel.parent / "out" / "libadd.so").read_text() == "built\n"
    manifest = json.loads((kernel.parent / "out" / "add.json").read_text())
    assert manifest["library"]["built_for"] == "NPU"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import no_such_module\n", "kernel.py:1: error: ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = (\n", "kernel.py:1: error: SyntaxError:"),
        ("def f():\n    return 1 / 0\n\nf()\n", "kernel.py:2: error: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", "ended with exit code 3"),
        ("x = 1\n", "has no kernel"),
    ],
    ids=["import", "syntax", "exception", "exit", "no-kernel"],
)
def test_a_file_that_fails_is_one_message(
    kernel: Path, text: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(kernel, text)
    for extra in ([], ["--signature", SIGNATURE]):
        assert cli("kernel.py", "-o", "out", *extra) == 1
        error = capsys.readouterr().err
        assert expected in error
        assert "Traceback" not in error


def test_kernels_are_selected_by_name(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(kernel, ADD + ADD.replace("def add(", "def other("))
    assert cli(kernel, "-o", "out", "--kernel", "nothing", "--signature", SIGNATURE) == 1
    assert "its kernels: add, other" in capsys.readouterr().err
    assert cli(kernel, "-o", "out", "--signature", SIGNATURE) == 1
    assert "does not name its kernel" in capsys.readouterr().err
    assert cli(kernel, "-o", "out", "--no-build", "--kernel", "other", "--signature", SIGNATURE) == 0
    assert (kernel.parent / "out" / "other.cpp").is_file()


def test_unknown_platform_and_option_name_the_nearest(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(kernel, "-o", "out", "--signature", SIGNATURE, "--platform", "Ascend910B9") == 1
    assert "did you mean 'Ascend910B" in capsys.readouterr().err
    assert cli(kernel, "-o", "out", "--signature", SIGNATURE, "--option", "reuse_aloc=1") == 1
    assert "reuse_alloc" in capsys.readouterr().err


def test_usage_errors(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(kernel) == 2
    assert "-o" in capsys.readouterr().err
    assert cli(kernel, "-o", "out", "--option", "nonsense") == 2
    assert cli("missing.py", "-o", "out") == 2


def test_include_dir_and_version(tmp_path: Path) -> None:
    shown = run_cli(["--include-dir"], tmp_path)
    assert (Path(shown.stdout.strip()) / "kernel_operator.h").is_file()
    assert __version__ in run_cli(["--version"], tmp_path).stdout


def test_a_program_of_its_own(kernel: Path) -> None:
    result = run_cli(["kernel.py", "-o", "out", "--signature", SIGNATURE], kernel.parent)
    assert result.returncode == 0, result.stderr
    result = run_cli(["kernel.py", "-o", "out"], kernel.parent)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
