"""Options and fixtures for tests of kernels; pytest finds them when the package is installed.

Nothing here has an effect on tests that do not use the language. ``-p no:pyasc_transpile`` leaves all of it out.

    def test_add(profiler, runs):
        with profiler.profile():
            for _ in range(runs):
                add[8](x, y, out, size)
        np.testing.assert_allclose(out, x + y)
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional

import pytest

if TYPE_CHECKING:
    from .host.platform import Backend
    from .host.profiling import Profiler

_PROPERTY = "asctile_microseconds"
_COMPARISONS = (
    ("numpy.testing", "assert_allclose", None),
    ("torch.testing", "assert_close", None),
    ("torch", "allclose", True),
    ("torch", "equal", True),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pyasc-transpile", "kernels of asctile")
    environment = os.environ.get
    group.addoption(
        "--backend", metavar="NAME", default=environment("PYASC_TRANSPILE_BACKEND") or "CPU",
        help="what runs kernels: CPU (default), Model, NPU or Reference",
    )  # fmt: skip
    group.addoption(
        "--platform", metavar="NAME", default=environment("PYASC_TRANSPILE_PLATFORM") or "Ascend950PR_9599",
        help="chip that kernels are generated for (default: Ascend950PR_9599)",
    )  # fmt: skip
    group.addoption("--device", type=int, default=0, metavar="ID", help="id of the NPU (default: 0)")
    group.addoption("--profile", action="store_true", help="measure the launches of tests that use the profiler")
    group.addoption("--profile-path", metavar="FOLDER", help="keep what was measured, in one folder for each test")
    group.addoption("--runs", type=int, default=1, metavar="N", help="launches for each test (default: 1)")
    group.addoption(
        "--compile-only", action="store_true", help="stop before kernels run; comparisons of results succeed"
    )
    group.addoption("--torch-seed", type=int, default=0, metavar="N", help="seed of torch in each test (default: 0)")
    group.addoption(
        "--compat", choices=("auto", "force", "off"), default=None,
        help="stand-ins for the modules asctile, asc and asc2: where they are missing (auto), always, or never",
    )  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Make ``import asctile`` work, before conftest files are loaded."""
    from . import compat
    from .errors import OptionError

    try:
        compat.install(getattr(early_config.known_args_namespace, "compat", None))
    except OptionError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "no_set_platform: the test chooses backend and platform itself, or none of them"
    )
    if config.getoption("--runs") < 1:
        raise pytest.UsageError(f"--runs must be at least 1, not {config.getoption('--runs')}")
    if config.getoption("--device") < 0:
        raise pytest.UsageError(f"--device must be at least 0, not {config.getoption('--device')}")
    config.pluginmanager.register(_Results(), "pyasc-transpile-results")
    if config.getoption("--compile-only"):
        undo = _compile_only()
        config.add_cleanup(undo.close)


def _compile_only() -> contextlib.ExitStack:
    """Stop before kernels run, and let comparisons succeed; closing the result undoes it."""
    undo = contextlib.ExitStack()
    before = os.environ.get("PYASC_DRY_RUN")
    os.environ["PYASC_DRY_RUN"] = "1"
    undo.callback(_set_environment, "PYASC_DRY_RUN", before)
    for module_name, function, outcome in _COMPARISONS:
        if importlib.util.find_spec(module_name.partition(".")[0]) is None:
            continue
        module = importlib.import_module(module_name)
        undo.callback(setattr, module, function, getattr(module, function))
        setattr(module, function, _succeeding(function, outcome))
    return undo


def _set_environment(name: str, value: Optional[str]) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _succeeding(name: str, outcome: Any) -> Callable[..., Any]:
    def compare(*args: Any, **kwargs: Any) -> Any:
        return outcome

    compare.__name__ = name
    return compare


class _Results:
    """Collects what tests have measured, also from the processes of pytest-xdist, and reports it at the end."""

    def __init__(self) -> None:
        self.lines: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _PROPERTY and isinstance(value, (int, float)):
                self.lines[report.nodeid] = float(value)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.lines:
            return
        terminalreporter.section("Profiling results")
        width = max(len(nodeid) for nodeid in self.lines)
        for nodeid, duration in self.lines.items():
            terminalreporter.write_line(f"{nodeid.ljust(width)}  {duration:12.3f} us")


def pytest_make_parametrize_id(config: pytest.Config, val: Any, argname: str) -> Optional[str]:
    """Element types and other values of the language appear in ids as they are written."""
    if type(val).__module__.startswith("pyasc_transpile.") and not hasattr(val, "__name__"):
        return str(getattr(val, "name", val))
    return None


# Fixtures


def _in_use() -> bool:
    return "pyasc_transpile.asctile" in sys.modules


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> Backend:
    """What runs kernels."""
    from .host.platform import Backend

    wanted = str(request.config.getoption("--backend"))
    for member in Backend:
        if member.value.lower() == wanted.lower():
            return member
    raise pytest.UsageError(f"--backend {wanted}: it must be one of {', '.join(known.value for known in Backend)}")


@pytest.fixture
def platform(request: pytest.FixtureRequest) -> Any:
    """The chip that kernels are generated for, a member of ``Platform``."""
    from .errors import TranspileError
    from .host.platform import Platform
    from .targets import find_platform

    wanted = str(request.config.getoption("--platform"))
    try:
        return Platform(find_platform(wanted).name)
    except TranspileError as error:
        raise pytest.UsageError(f"--platform {wanted}: {error}") from None


@pytest.fixture
def device_id(request: pytest.FixtureRequest) -> int:
    """Id of the NPU."""
    return int(request.config.getoption("--device"))


@pytest.fixture
def runs(request: pytest.FixtureRequest) -> int:
    """How often the test should launch."""
    return int(request.config.getoption("--runs"))


@pytest.fixture
def torch_seed(request: pytest.FixtureRequest) -> int:
    """Seed that torch was given."""
    return int(request.config.getoption("--torch-seed"))


@pytest.fixture(scope="session", autouse=True)
def compile_only(request: pytest.FixtureRequest) -> bool:
    """Whether kernels are compiled but do not run."""
    return bool(request.config.getoption("--compile-only"))


@pytest.fixture(autouse=True)
def _platform_of_the_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Choose backend and platform for tests that use the language."""
    if not _in_use() or request.node.get_closest_marker("no_set_platform") is not None:
        yield
        return
    from .host.platform import keeping_choice, set_platform

    chosen = {name: request.getfixturevalue(name) for name in ("backend", "platform", "device_id")}
    with keeping_choice():
        set_platform(chosen["backend"], chosen["platform"], chosen["device_id"], check=False)
        yield


@pytest.fixture(autouse=True)
def _torch_of_the_test(request: pytest.FixtureRequest) -> None:
    """Seed torch, and let it make its tensors where kernels run, for tests that use both."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not _in_use() or request.node.get_closest_marker("no_set_platform") is not None:
        return
    on_npu = request.getfixturevalue("backend").value == "NPU" and importlib.util.find_spec("torch_npu") is not None
    torch.set_default_device(f"npu:{request.getfixturevalue('device_id')}" if on_npu else "cpu")
    torch.manual_seed(request.getfixturevalue("torch_seed"))


@pytest.fixture
def require_c310(platform: Any) -> Callable[[], None]:
    """A function that skips the test unless the platform is of architecture c310."""
    from .targets import find_platform

    def require() -> None:
        architecture = find_platform(platform.value).architecture.name
        if architecture != "c310":
            pytest.skip(f"needs architecture c310; {platform.value} has {architecture}")

    return require


class _NoProfiler:
    """Measures nothing."""

    @contextlib.contextmanager
    def profile(self, *args: Any, **kwargs: Any) -> Iterator[None]:
        """Run the body of the ``with`` statement."""
        yield


@pytest.fixture
def profiler(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Measures the launches in ``with profiler.profile():`` if ``--profile`` is given."""
    if not request.config.getoption("--profile"):
        yield _NoProfiler()
        return
    from .host.profiling import Profiler

    base = request.config.getoption("--profile-path")
    path = Path(base) / re.sub(r"[:/]", "_", request.node.nodeid.replace(" ", "")) if base else None
    measuring = Profiler(path)
    yield measuring
    _report(request.node, measuring)


def _report(node: pytest.Item, measuring: Profiler) -> None:
    from .host.profiling import ProfilingError, task_time_median

    with contextlib.suppress(ProfilingError):  # nothing was launched, as with --compile-only
        node.user_properties.append((_PROPERTY, task_time_median(measuring.last_result.tasks, skip=1)))
