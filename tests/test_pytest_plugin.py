"""The pytest plugin, in test sessions of its own, and the profiler behind it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyasc_transpile import asctile, pytest_plugin
from pyasc_transpile.host import profiling
from pyasc_transpile.host.platform import Backend, current_target, keeping_choice, set_platform

pytest_plugins = "pytester"

KERNEL = """
import numpy as np
import pytest

import asctile


@asctile.jit
def twice(x_ptr, out_ptr, n: int):
    x, out = asctile.global_tensor(x_ptr, [n]), asctile.global_tensor(out_ptr, [n])
    t = asctile.copy_in(x, [0], [64])
    asctile.copy_out(t + t, out, [0])


def launch(times=1):
    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    for _ in range(times):
        twice[1](x, out, 50)
    return x, out


"""
TESTS = """
def test_result(profiler, runs):
    with profiler.profile():
        x, out = launch(runs)
    np.testing.assert_allclose(out, 2 * x)


def test_without_profiler():
    x, out = launch()
    np.testing.assert_allclose(out, 2 * x)
"""


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> Any:
    """Runs pytest in a process of its own on a test file; returns its result."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry))
    for name in ("BACKEND", "PLATFORM", "COMPAT"):
        monkeypatch.delenv(f"PYASC_TRANSPILE_{name}", raising=False)
    loaded = pytestconfig.pluginmanager.is_registered(pytest_plugin)
    first = [] if loaded else ["-p", "pyasc_transpile.pytest_plugin"]

    def run(tests: str, *arguments: str, kernel: str = KERNEL) -> pytest.RunResult:
        pytester.makepyfile(test_it=kernel + tests)
        return pytester.runpytest_subprocess(*first, "-p", "no:cacheprovider", *arguments)

    return run


def test_a_session_with_nothing_but_defaults(session: Any) -> None:
    result = session(TESTS)
    result.assert_outcomes(passed=2)
    assert "Profiling results" not in result.stdout.str()


DEFAULTS = """
def test_values(backend, platform, device_id, runs, compile_only, torch_seed):
    assert (backend.value, platform.value, device_id, runs) == ({backend!r}, {platform!r}, {device}, {runs})
    assert (compile_only, torch_seed) == ({compile_only}, {seed})
    from pyasc_transpile.host.platform import current_target
    target = current_target()
    assert (target.backend.value, target.platform.name, target.device_id) == ({backend!r}, {platform!r}, {device})
"""


def test_default_values(session: Any) -> None:
    text = DEFAULTS.format(
        backend="CPU", platform="Ascend950PR_9599", device=0, runs=1, compile_only=False, seed=0
    )
    session(text).assert_outcomes(passed=1)


def test_given_values(session: Any) -> None:
    text = DEFAULTS.format(backend="Model", platform="Ascend910B2", device=3, runs=4, compile_only=True, seed=7)
    arguments = "--backend model --platform Ascend910B2 --device 3 --runs 4 --compile-only --torch-seed 7".split()
    session(text, *arguments).assert_outcomes(passed=1)


def results_in(output: str) -> dict[str, float]:
    """The lines of the section with results."""
    assert "Profiling results" in output
    return {name: float(value) for name, value in re.findall(r"^(test_it\.py::\S+) +([\d.]+) us$", output, re.M)}


@pytest.mark.parametrize("count", ["1", "5"])
def test_profiling_on_the_cpu(session: Any, count: str) -> None:  # Q69: one sample is reported
    result = session(TESTS, "--profile", "--runs", count)
    result.assert_outcomes(passed=2)
    (name, duration), = results_in(result.stdout.str()).items()
    assert name == "test_it.py::test_result" and duration > 0


def test_profiling_with_the_model_gives_its_microseconds(session: Any) -> None:
    tests = TESTS + """
    from pyasc_transpile.host.profiling import Profiler, task_time_median
    profiler = Profiler()
    with profiler.profile():
        launch(2)
    print("MODEL", f"{asctile.last_profile().microseconds:.3f}")
"""
    result = session(tests, "--profile", "--runs", "3", "--backend", "Model", "-s")
    result.assert_outcomes(passed=2)
    said = float(re.findall(r"MODEL ([\d.]+)", result.stdout.str())[0])
    assert results_in(result.stdout.str())["test_it.py::test_result"] == pytest.approx(said, abs=0.001)


def test_raw_results_are_kept_below_the_given_path(session: Any, pytester: pytest.Pytester) -> None:
    tests = TESTS + """

@pytest.mark.parametrize("text", ["a b/c"])
def test_named(profiler, text):
    with profiler.profile():
        launch()
    with profiler.profile():
        launch()
"""
    session(tests, "--profile", "--profile-path", "kept", "--backend", "Model").assert_outcomes(passed=3)
    folders = sorted(path.relative_to(pytester.path).as_posix() for path in pytester.path.glob("kept/*/*"))
    assert folders == [
        "kept/test_it.py__test_named[ab_c]/run_0000",
        "kept/test_it.py__test_named[ab_c]/run_0001",
        "kept/test_it.py__test_result/run_0000",
    ]
    text = (pytester.path / folders[2] / "tasks.csv").read_text().splitlines()
    assert text[0] == "Task ID,Kernel Name,Task Type,Duration(us)" and text[1].startswith("0,twice,AI_VECTOR_CORE,")
    assert (pytester.path / folders[2] / "task_0.json").exists()


def test_profiling_results_come_from_worker_processes_too(session: Any) -> None:
    pytest.importorskip("xdist")
    result = session(TESTS, "--profile", "-n", "2")
    assert "test_it.py::test_result" in results_in(result.stdout.str())


WRONG = """
def test_wrong():
    x, out = launch()
    np.testing.assert_allclose(out, 3 * x)
    assert not out.any()


def test_imported_name():
    from numpy.testing import assert_allclose
    assert_allclose([1], [2])


def test_does_not_compile():
    @asctile.jit
    def wrong(x_ptr):
        missing
    wrong[1](np.zeros(4, np.float32))


def test_torch():
    torch = pytest.importorskip("torch")
    assert torch.allclose(1, 2) and torch.equal(1, 2)
    torch.testing.assert_close(1, 2)
"""


def test_compile_only(session: Any, pytester: pytest.Pytester) -> None:
    pytester.mkpydir("torch").joinpath("__init__.py").write_text(
        "def set_default_device(name): pass\ndef manual_seed(seed): pass\n"
        "def allclose(a, b): return False\ndef equal(a, b): return False\n"
    )
    pytester.path.joinpath("torch", "testing.py").write_text("def assert_close(a, b): assert a == b\n")
    head = "from numpy.testing import assert_allclose  # before the session begins\n"
    result = session(WRONG, "--compile-only", kernel=head + KERNEL)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*NameError: name 'missing' is not defined*"])
    result = session(WRONG, kernel=KERNEL)
    result.assert_outcomes(failed=4)


def test_torch_is_seeded(session: Any, pytester: pytest.Pytester) -> None:
    pytester.mkpydir("torch").joinpath("__init__.py").write_text(
        "said = []\ndef set_default_device(name): said.append(name)\ndef manual_seed(seed): said.append(seed)\n"
    )
    tests = """
def test_seed(torch_seed):
    import torch
    assert torch.said == ["cpu", 5] and torch_seed == 5


@pytest.mark.no_set_platform
def test_left_alone():
    import torch
    assert torch.said == ["cpu", 5]
"""
    session(tests, "--torch-seed", "5", kernel="import torch\n" + KERNEL).assert_outcomes(passed=2)


PLATFORM = """
def test_needs_c310(require_c310):
    require_c310()


@pytest.mark.no_set_platform
def test_own_choice():
    from pyasc_transpile.host.platform import current_target
    assert current_target().platform.name == "Ascend950PR_9599"
    asctile.set_platform("CPU", "Ascend910B3")


@pytest.mark.parametrize("dtype", [asctile.float32, asctile.RoundMode.Rint])
def test_ids(dtype, request):
    print("ID", request.node.name)
"""


def test_platform_marker_and_ids(session: Any) -> None:
    result = session(PLATFORM, "--platform", "Ascend910B1", "-rs", "-s")
    result.assert_outcomes(passed=3, skipped=1)
    output = result.stdout.str()
    assert "needs architecture c310; Ascend910B1 has c220" in output
    assert "ID test_ids[float32]" in output and "ID test_ids[Rint]" in output
    session(PLATFORM).assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--runs", "0"], "--runs must be at least 1, not 0"),
        (["--runs", "many"], "argument --runs: invalid int value: 'many'"),
        (["--device", "-1"], "--device must be at least 0, not -1"),
        (["--compat", "maybe"], "argument --compat: invalid choice: 'maybe'"),
        (["--backend", "GPU"], "--backend GPU: it must be one of CPU, Model, NPU, Reference"),
        (["--platform", "Ascend1"], "--platform Ascend1: "),
    ],
)
def test_wrong_options(session: Any, arguments: list[str], message: str) -> None:
    result = session(TESTS, *arguments)
    assert result.ret != 0
    assert message in result.stdout.str() + result.stderr.str()


def test_wrong_environment(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYASC_TRANSPILE_COMPAT", "perhaps")
    result = session(TESTS)
    assert result.ret != 0 and "PYASC_TRANSPILE_COMPAT is 'perhaps'" in result.stderr.str()


def test_projects_without_kernels_are_left_alone(session: Any) -> None:
    tests = """
import sys


def test_nothing_is_loaded():
    assert "pyasc_transpile.asctile" not in sys.modules and "numpy" not in sys.modules
"""
    session(tests, kernel="").assert_outcomes(passed=1)


# The profiler


def test_medians() -> None:
    tasks = [
        profiling.ProfilingTask(number, name, kind, duration)
        for number, (name, kind, duration) in enumerate(
            [("copy", "AI_CPU", 9.0), ("a", "AI_CORE", 50.0), ("a", "AI_CORE", 2.0), ("b", "MIX_AIC", 7.00049),
             ("a", "AI_CORE", 4.0), ("a", "AI_CORE", 3.0)]
        )
    ]  # fmt: skip
    assert profiling.task_time_median(tasks) == 3.5
    assert profiling.task_time_median(tasks, skip=1) == 3.0
    assert profiling.task_time_median(tasks, "b", skip=1) == 7.0
    for wrong in ([], tasks[:1]):
        with pytest.raises(RuntimeError, match="no launch was measured"):
            profiling.task_time_median(wrong)
    with pytest.raises(RuntimeError, match="no launch of c was measured"):
        profiling.task_time_median(tasks, "c")


@asctile.jit
def nothing(x_ptr):
    pass


def test_steps_of_a_profiler(tmp_path: Path) -> None:
    assert asctile.profiling is profiling
    profiler = profiling.Profiler(tmp_path)
    with pytest.raises(RuntimeError, match="nothing was profiled"):
        profiler.last_result  # noqa: B018
    with pytest.raises(profiling.ProfilingError, match="was not started"):
        profiler.stop()
    with pytest.raises(profiling.ProfilingError, match="nothing to export"):
        profiler.export()
    with pytest.raises(profiling.ProfilingError, match="no result to store"):
        profiler.store_last_result()
    x = np.zeros(8, np.float32)
    profiler.start(metrics=profiling.AicoreMetrics.MEMORY_UB, profile_types=profiling.ProfileType.TASK_TIME)
    with pytest.raises(profiling.ProfilingError, match="was started before"):
        profiler.start()
    nothing[2](x)
    profiler.stop()
    nothing[2](x)
    assert profiler.export() == tmp_path / "run_0000"
    profiler.store_last_result()
    profiler.cleanup()
    result = profiler.last_result
    assert [task.name for task in result.tasks] == ["nothing"] and result.tasks[0].duration > 0
    assert result.run_id == "run_0000" and result.stored_at == tmp_path / "run_0000"
    assert (tmp_path / "run_0000" / "tasks.csv").exists()


def test_a_temporary_folder_is_deleted() -> None:
    profiler = profiling.Profiler()
    with profiler.profile(cleanup=False):
        nothing[1](np.zeros(8, np.float32))
    folder = profiler.export()
    assert folder.exists()
    profiler.cleanup()
    assert not folder.parent.exists() and profiler.last_result.stored_at is None


def test_a_failing_launch_ends_the_measurement() -> None:
    profiler = profiling.Profiler()
    with pytest.raises(TypeError), profiler.profile():
        nothing[1](object())
    with profiler.profile():
        pass
    assert profiler.last_result.tasks == ()


def test_profiling_an_npu_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    with keeping_choice():
        set_platform("NPU", check=False)
        assert current_target().backend is Backend.NPU
        with pytest.raises(RuntimeError, match="needs CANN"):
            profiling.Profiler().start()
