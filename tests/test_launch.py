"""Launching kernels from Python on the CPU backend, and what the caches do for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from host_samples import ADD, run_python, write
from pyasc_transpile import pipeline
from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    DeviceFaultError,
    ToolchainError,
)
from pyasc_transpile.host import launch as launch_module
from pyasc_transpile.host import library as library_module
from pyasc_transpile.host.launch import float_bits, forget_libraries
from pyasc_transpile.host.platform import Backend, Platform, current_target, reset_platform, set_platform
from pyasc_transpile.host.record import recording
from pyasc_transpile.host.script import import_file

SCALE = """
from pyasc_transpile import asctile

FACTOR = 3.0


@asctile.jit
def scale(x_ptr: asctile.GlobalAddress, out_ptr: asctile.GlobalAddress, size: int, tile: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile), asctile.block_num()):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        asctile.copy_out(x * FACTOR, out_gm, [i * tile])
"""


@pytest.fixture(autouse=True)
def clean_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("BACKEND", "PLATFORM", "CHECKED"):
        monkeypatch.delenv(f"PYASC_TRANSPILE_{name}", raising=False)
    monkeypatch.delenv("PYASC_DRY_RUN", raising=False)
    reset_platform()
    yield
    reset_platform()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "c"


@pytest.fixture
def add(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    monkeypatch.setenv("PYASC_TRANSPILE_CACHE", str(cache))
    kernel = import_file(write(tmp_path / "kernel.py", ADD))["add"]
    assert isinstance(kernel, Kernel)
    return kernel


def arrays(n: int = 1003, dtype: Any = np.float32) -> tuple[Any, Any, Any]:
    return np.arange(n).astype(dtype), np.ones(n, dtype), np.zeros(n, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int16])
@pytest.mark.parametrize("blocks", [1, 3, None])
def test_arrays_are_updated_in_place(add: Kernel, dtype: Any, blocks: Any) -> None:
    x, y, out = arrays(dtype=dtype)
    add[blocks](x, y, out, x.size, 256)
    assert np.array_equal(out, x + y)


@pytest.mark.parametrize("platform", ["Ascend910B1", "Ascend950PR_9599"])
@pytest.mark.parametrize("checked", [False, True])
def test_platforms_and_builds(add: Kernel, platform: str, checked: bool) -> None:
    set_platform("CPU", platform, checked=checked)
    x, y, out = arrays()
    add[4](x, y, out, x.size, 256)
    assert np.array_equal(out, x + y)


def test_wrong_arguments_are_found_before_anything_runs(add: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_module, "_library", lambda *_: pytest.fail("it went on"))
    x, y, out = arrays()
    for error, arguments in (
        (ArgumentTypeError, (x, y, out, x.size)),
        (ArgumentTypeError, (x, y, out, x.size, 256, 1)),
        (ArgumentValueError, (x[::2], y, out, x.size, 256)),
        (ArgumentValueError, (x.astype(np.complex64), y, out, x.size, 256)),
        (ArgumentTypeError, ("x", y, out, x.size, 256)),
    ):
        with pytest.raises(error):
            add[4](*arguments)


def test_arrays_that_must_not_be_written_are_not(add: Kernel) -> None:
    x, y, out = arrays()
    out.flags.writeable = False
    x.flags.writeable = False
    with pytest.raises(ArgumentValueError, match="'out_ptr' is a read-only array, and the kernel wrote to it"):
        add[4](x, y, out, x.size, 256)
    assert not out.any()
    out = np.zeros_like(x)
    add[4](x, y, out, x.size, 256)
    assert np.array_equal(out, x + y)


class FakeDevice:
    type = "npu"


class FakeTensor:
    """What a torch tensor offers, without torch."""

    def __init__(self, array: Any, device: Any = None) -> None:
        self.array = array
        self.dtype = f"torch.{array.dtype.name}"
        self.device = device

    def dim(self) -> int:
        return int(self.array.ndim)

    def is_contiguous(self) -> bool:
        return bool(self.array.flags.c_contiguous)

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def numel(self) -> int:
        return int(self.array.size)

    def element_size(self) -> int:
        return int(self.array.itemsize)


def test_tensors_are_passed_by_address(add: Kernel) -> None:
    x, y, out = arrays()
    add[4](FakeTensor(x), FakeTensor(y), FakeTensor(out), x.size, 256)
    assert np.array_equal(out, x + y)
    with pytest.raises(ArgumentValueError, match=r"\.cpu\(\)"):
        add[4](FakeTensor(x, FakeDevice()), y, out, x.size, 256)
    with pytest.raises(ArgumentValueError, match="contiguous"):
        add[4](FakeTensor(x[::2]), y, out, 10, 256)


def test_torch_tensors(add: Kernel) -> None:
    torch = pytest.importorskip("torch")
    x, y, out = torch.arange(1003).float(), torch.ones(1003), torch.zeros(1003)
    add[4](x, y, out, 1003, 256)
    assert torch.equal(out, x + y)


def test_a_specialisation_is_translated_once(add: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, out = arrays()
    add[4](x, y, out, x.size, 256)
    monkeypatch.setattr(pipeline, "transpile", lambda *_: pytest.fail("it was translated again"))
    add[2](x, y, out, 5, 256)
    forget_libraries()
    add[4](x, y, out, x.size, 256)
    assert np.array_equal(out, x + y)


def test_a_captured_value_counts(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYASC_TRANSPILE_CACHE", str(cache))
    scale = import_file(write(tmp_path / "kernel.py", SCALE))["scale"]
    x, out = np.ones(100, np.float32), np.zeros(100, np.float32)
    for factor in (3.0, 5.0, 3.0):
        monkeypatch.setitem(scale.function.__globals__, "FACTOR", factor)
        scale[2](x, out, 100, 256)
        assert (out == factor).all()


def test_always_compile_neither_uses_nor_fills_the_caches(
    add: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    real = pipeline.transpile
    monkeypatch.setattr(pipeline, "transpile", lambda *arguments: calls.append(1) or real(*arguments))
    x, y, out = arrays()
    for _ in range(2):
        add[4](x, y, out, x.size, 192, always_compile=True)
    assert len(calls) == 2
    assert not launch_module.ready_specialisations(add)


def test_a_damaged_library_is_rebuilt_and_never_loaded(
    add: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYASC_TRANSPILE_CACHE", str(tmp_path / "own"))
    x, y, out = arrays()
    add[4](x, y, out, x.size, 256)
    (path,) = (tmp_path / "own").rglob("kernel.so")
    good = path.read_bytes()
    loaded: list[bytes] = []
    real = library_module.load_private
    monkeypatch.setattr(launch_module, "load_private", lambda data, *rest: loaded.append(data) or real(data, *rest))
    for damaged in (good[:100], good[:-1] + b"\0" if good[-1] else good[:-1] + b"\1", b""):
        path.write_bytes(damaged)
        forget_libraries()
        out[:] = 0
        add[4](x, y, out, x.size, 256)
        assert np.array_equal(out, x + y)
        assert path.read_bytes() == good
    assert set(loaded) == {good}


PROCESS = """
import sys, numpy as np
import kernel
import pyasc_transpile.pipeline as pipeline
if "cached" in sys.argv:
    pipeline.transpile = None
x = np.arange(1003, dtype=np.float32); out = np.zeros_like(x)
kernel.add[4](x, x, out, x.size, 256)
assert np.array_equal(out, x + x)
"""


def test_processes_share_what_was_built(tmp_path: Path) -> None:
    write(tmp_path / "kernel.py", ADD)
    write(tmp_path / "process.py", PROCESS)
    results = []

    def one() -> None:
        results.append(run_python(["process.py"], tmp_path, PYASC_TRANSPILE_CACHE=str(tmp_path / "shared")))

    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.append(run_python(["process.py", "cached"], tmp_path, PYASC_TRANSPILE_CACHE=str(tmp_path / "shared")))
    for result in results:
        assert result.returncode == 0, result.stderr


def test_threads_may_launch_at_the_same_time(add: Kernel) -> None:
    forget_libraries()
    failures: list[BaseException] = []

    def work(blocks: int) -> None:
        try:
            for _ in range(20):
                x, y, out = arrays()
                add[blocks](x, y, out, x.size, 128)
                assert np.array_equal(out, x + y)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(blocks,)) for blocks in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(launch_module.ready_specialisations(add)) == 1


def test_a_cached_launch_is_fast(add: Kernel) -> None:
    x, y, out = arrays(256)
    add[1](x, y, out, 256, 256)
    best = min(_timed(lambda: add[1](x, y, out, 256, 256)) for _ in range(200))
    assert best < 1e-3


def _timed(action: Any) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def test_a_dry_run_stops_before_the_launch(add: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, out = arrays()
    monkeypatch.setenv("PYASC_DRY_RUN", "1")
    add[4](x, y, out, x.size, 256)
    assert not out.any()
    monkeypatch.setenv("PYASC_DRY_RUN", "off")
    add[4](x, y, out, x.size, 256)
    assert out.any()


def test_no_compiler_is_said(add: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_libraries()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    x, y, out = arrays()
    with pytest.raises(ToolchainError, match="no C\\+\\+17 compiler"):
        add[4](x, y, out, x.size, 256)


def test_the_checked_build_reports_accesses_outside_of_arrays(add: Kernel) -> None:
    set_platform("CPU", checked=True)
    x, y, out = arrays(64)
    with pytest.raises(DeviceFaultError, match=r":1[0-9]: bounds: .* reads bytes \[0, 1024\) of x_ptr, which has 256"):
        add[1](x, y, out, 1000, 256)
    both = np.zeros(1024, np.float32)
    x, y = both[:500], both[500:]  # what lies behind x is no part of it
    with pytest.raises(DeviceFaultError, match=r"reads bytes \[\d+, \d+\) of x_ptr, which has 2000"):
        add[1](x, y, np.zeros(1000, np.float32), 1000, 256)
    add[1](both, both[24:], np.zeros(1000, np.float32), 1000, 256)


def test_set_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    assert current_target().backend is Backend.CPU
    assert current_target().platform.name == "Ascend950PR_9599"
    set_platform(Backend.CPU, Platform["Ascend910B4_1"])
    assert current_target().platform.name == "Ascend910B4-1"
    set_platform("Model", check=False)
    assert current_target().platform.name == "Ascend910B1"
    for wrong in ("GPU", 3, None):
        with pytest.raises(ValueError):
            set_platform(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean 'Ascend910B1'"):
        set_platform("CPU", "Ascend910B11")
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    with pytest.raises(RuntimeError, match="CANN"):
        set_platform("NPU")
    set_platform("Model")
    assert current_target().timed
    reset_platform()
    monkeypatch.setenv("PYASC_TRANSPILE_PLATFORM", "Ascend910_9362")
    monkeypatch.setenv("PYASC_TRANSPILE_CHECKED", "1")
    assert current_target().platform.name == "Ascend910_9362"
    assert current_target().checked


def test_launches_can_be_recorded(add: Kernel) -> None:
    x, y, out = arrays()
    with recording(execute=False) as recorder:
        add[4](x, y, out, x.size, 256, reuse_alloc=1)
    assert not out.any()
    (launch,) = recorder.launches
    assert launch.kernel is add and launch.options.reuse_alloc == 1
    assert str(launch.signature) == "x_ptr: *f32, y_ptr: *f32, out_ptr: *f32, size: i32, tile=256"


@pytest.mark.parametrize("value", [0.0, 1.0, -2.5, 65504.0, 1e-8, 3.14159, 1e38, float("inf")])
def test_bits_of_half_and_bfloat16(value: float) -> None:
    with np.errstate(over="ignore"):
        assert np.uint16(float_bits(value, "float16")).view(np.float16) == np.float16(value)
    widened = np.uint32(float_bits(value, "bfloat16") << 16).view(np.float32)
    assert widened == np.float32(value) or abs(widened - value) <= abs(value) * 2.0**-8
