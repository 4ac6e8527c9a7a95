"""Small behaviours of public names that no larger test is about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.batch import Batch, Case

from pyasc_transpile import asctile
from pyasc_transpile.errors import TranspileError


@asctile.jit
def filled(x_ptr, out_ptr, size: int, tile: asctile.ConstExpr[int]):
    x = asctile.copy_in(asctile.global_tensor(x_ptr, [size]), [0], [tile])
    total = asctile.full_like(x, 2) + asctile.zeros_like(x) + asctile.full([tile], 1.0, x.dtype)
    asctile.copy_out(total + asctile.zeros([tile], asctile.float32), asctile.global_tensor(out_ptr, [size]), [0])


@asctile.jit
def placed(out_ptr, seen: asctile.ConstExpr):
    out_gm = asctile.global_tensor(out_ptr, [4, asctile.block_num()])
    seen.append((isinstance(out_gm, asctile.GlobalTensor), isinstance(asctile.block_idx(), asctile.PlainValue)))
    asctile.copy_out(asctile.block_idx(), out_gm, [0, asctile.block_idx()])
    asctile.copy_out(asctile.block_num(), out_gm, [1, asctile.block_idx()])
    asctile.copy_out(asctile.sub_block_idx(), out_gm, [2, asctile.block_idx()])
    asctile.copy_out(asctile.sub_block_num(), out_gm, [3, asctile.block_idx()])


@pytest.mark.parametrize("architecture", ("c310", "c220"))
def test_fills_and_the_program_model(architecture: str, tmp_path: Any) -> None:
    batch = Batch(tmp_path, architecture)
    x, out = np.ones(100, np.float32), np.zeros(100, np.float32)
    seen: list[Any] = []
    places = np.full((4, 5), -1, np.int32)
    fills = batch.add(Case("filled", filled, (x, out, 100, 104)))
    model = batch.add(Case("placed", placed, (places, asctile.ConstExpr(seen)), 5))
    batch.build()
    batch.run(fills)
    np.testing.assert_array_equal(out, np.full(100, 3, np.float32))
    batch.run(model)
    np.testing.assert_array_equal(places, [range(5), [5] * 5, [0] * 5, [1] * 5])
    assert seen == [(True, True)]


def test_broadcast_shapes_works_on_the_host() -> None:
    assert asctile.broadcast_shapes([4, 1], [3]) == (4, 3)
    with pytest.raises(ValueError, match="at least one shape"):
        asctile.broadcast_shapes()
    with pytest.raises(RuntimeError, match="cannot be broadcast together"):
        asctile.broadcast_shapes([4], [3])


def test_element_types() -> None:
    assert asctile.int_ == asctile.int32 and asctile.float_ == asctile.float32 and asctile.bool_ == asctile.int8
    assert [asctile.DataType(name).sizeof() for name in ("int1", "float16", "float64")] == [1, 2, 8]
    for narrow in (asctile.float8_e4m3fn, asctile.float8_e5m2, asctile.float8_e8m0fnuz):
        assert narrow.is_float() and narrow.sizeof() == 1
    assert str(asctile.bfloat16) == "bfloat16" and repr(asctile.int8) == "DataType('int8')"
    assert len({asctile.float32, asctile.DataType("float32")}) == 1
    with pytest.raises(ValueError, match="unknown data type"):
        asctile.DataType("float31")


def test_enumerations_and_errors() -> None:
    assert asctile.TensorLocation["UB"] is asctile.TensorLocation.UB
    assert {"CPU", "Model", "NPU", "Reference"} == {backend.value for backend in asctile.Backend}
    assert asctile.Platform.Ascend910B4_1.value == "Ascend910B4-1"
    assert asctile.KernelType.AIV_ONLY.value == 0
    assert asctile.CompileOptions(reuse_alloc=2).reuse_alloc == 2
    assert asctile.TranspileError is TranspileError
    assert issubclass(asctile.UnsupportedSyntaxError, asctile.CodegenError)
    assert issubclass(asctile.CodegenError, asctile.TranspileError)


def test_the_host_side() -> None:
    assert {"profiling", "runtime", "set_platform", "last_profile"} <= set(asctile.__all__)
    assert asctile.runtime.set_platform is asctile.runtime.config.set_platform is asctile.set_platform
    assert asctile.runtime.CompileOptions is asctile.CompileOptions and asctile.runtime.Backend is asctile.Backend
    assert asctile.profiling.AicoreMetrics.PIPE_UTILIZATION.value == 1
    namespace: dict[str, Any] = {}
    exec("from pyasc_transpile.asctile import *", namespace)
    assert set(asctile.__all__) <= set(namespace)
    with pytest.raises(AttributeError, match="'asctile' has no attribute 'run_time'"):
        asctile.run_time  # noqa: B018


def test_operations_need_a_kernel() -> None:
    with pytest.raises(RuntimeError, match="only inside of a kernel"):
        asctile.block_idx()


def test_static_checks() -> None:
    asctile.static_assert(True)
    with pytest.raises(AssertionError, match="too small"):
        asctile.static_assert(False, "too small")
