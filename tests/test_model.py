"""The backend Model: the timed build gives the results of the fast build, and cycles that behave as they should."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyasc_transpile import asctile
from pyasc_transpile.host import model
from pyasc_transpile.host.platform import reset_platform
from pyasc_transpile.targets import PLATFORMS, find_platform
from pyasc_transpile.targets.costs import cost_table, cost_values

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("g++", "c++", "clang++")), reason="no C++ compiler on this machine"
)

CHIPS = ("Ascend910B1", "Ascend950PR_9599")
HEADERS = Path(model.__file__).parent.parent / "cpu" / "include" / "ascendc_cpu"


@asctile.jit
def chain(
    x_ptr: asctile.GlobalAddress,
    y_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    size: int,
    tile: asctile.ConstExpr[int],
    unroll: asctile.ConstExpr[int],
):
    x_gm = asctile.global_tensor(x_ptr, [size])
    y_gm = asctile.global_tensor(y_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile), asctile.block_num(), unroll_factor=unroll):
        x = asctile.copy_in(x_gm, [i * tile], [tile])
        y = asctile.copy_in(y_gm, [i * tile], [tile])
        asctile.copy_out(asctile.exp(x * y) * x - y, out_gm, [i * tile])


@asctile.jit
def twice(x_ptr: asctile.GlobalAddress, out_ptr: asctile.GlobalAddress, size: int, tile: asctile.ConstExpr[int]):
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    x = asctile.copy_in(x_gm, [0], [tile])
    asctile.copy_out(x + x, out_gm, [0])
    again = asctile.copy_in(x_gm, [0], [tile])
    asctile.copy_out(again * 3.0, out_gm, [tile])


@pytest.fixture(autouse=True)
def own_platform() -> Iterator[None]:
    yield
    reset_platform()


def _arrays(size: int, dtype: Any = np.float32) -> tuple[np.ndarray[Any, Any], ...]:
    rng = np.random.default_rng(7)
    return rng.uniform(-1, 1, size).astype(dtype), rng.uniform(0, 1, size).astype(dtype), np.zeros(size, dtype)


def _chain(
    chip: str, size: int = 16384, unroll: int = 1, blocks: int = 1, tile: int = 1024, **options: Any
) -> model.Profile:
    return model.profile(
        chain, blocks, (*_arrays(size), size, tile, unroll), options or None, platform=find_platform(chip)
    )


@pytest.mark.parametrize("chip", CHIPS)
def test_results_are_those_of_the_fast_build(chip: str) -> None:
    outputs = {}
    for backend in ("CPU", "Model"):
        asctile.set_platform(backend, chip)
        x, y, out = _arrays(5001)
        chain[3](x, y, out, 5001, 1024, 2)
        outputs[backend] = out
    assert np.array_equal(outputs["CPU"].view(np.uint32), outputs["Model"].view(np.uint32))
    found = asctile.last_profile()
    assert found is not None and found.platform == chip and len(found.cycles) == 3
    assert sum(found.bytes_in) == 2 * 5001 * 4 and sum(found.bytes_out) == 5001 * 4


@pytest.mark.parametrize("chip", CHIPS)
def test_more_bytes_take_longer(chip: str) -> None:
    totals = [_chain(chip, size).total_cycles for size in (1024, 2048, 4096, 8192, 32768)]
    assert totals == sorted(totals) and len(set(totals)) == len(totals)


@pytest.mark.parametrize("chip", CHIPS)
def test_unrolling_overlaps_transfers_and_computation(chip: str) -> None:
    alone, overlapped = (_chain(chip, 65536, unroll, tile=4096) for unroll in (1, 2))
    assert overlapped.total_cycles < alone.total_cycles
    assert overlapped.busy_share > alone.busy_share
    assert overlapped.instructions == alone.instructions


@pytest.mark.parametrize("chip", CHIPS)
def test_flags_order_the_pipes(chip: str) -> None:
    timeline = _chain(chip, 1024).timeline
    loads = [event for event in timeline if event.pipe == "MTE2"]
    computes = [event for event in timeline if event.pipe == "V"]
    stores = [event for event in timeline if event.pipe == "MTE3"]
    assert len(loads) == 2 and len(stores) == 1 and computes
    assert computes[-1].start >= max(event.end for event in loads)
    assert stores[0].start >= max(event.end for event in computes)
    assert all(event.end > event.start for event in timeline)


def test_without_synchronisation_it_only_looks_faster() -> None:
    chip = "Ascend950PR_9599"
    assert _chain(chip, insert_sync=False).total_cycles < _chain(chip).total_cycles


@pytest.mark.parametrize("chip", CHIPS)
def test_what_a_block_has_touched_comes_from_the_cache(chip: str) -> None:
    x, out = np.ones(8192, np.float32), np.zeros(16384, np.float32)
    found = model.profile(twice, 1, (x, out, 16384, 8192), platform=find_platform(chip))
    first, second = (event.end - event.start for event in found.timeline if event.pipe == "MTE2")
    assert second < first


def test_blocks_beyond_the_cores_run_in_waves() -> None:
    chip = "Ascend910B1"
    cores = PLATFORMS[chip].vector_cores
    assert cores is not None
    one = _chain(chip, 1024 * cores, blocks=cores)
    two = _chain(chip, 1024 * cores * 2, blocks=cores * 2)
    assert one.total_cycles < two.total_cycles
    launch = cost_table(find_platform(chip))["launch"].value
    assert two.total_cycles == pytest.approx(2 * max(two.cycles) + launch, rel=0.1)
    assert two.cores == cores


def test_blocks_share_the_memory() -> None:
    chip = "Ascend950PR_9599"
    alone = _chain(chip, 65536, 2, blocks=1, tile=4096)
    many = _chain(chip, 65536 * 64, 2, blocks=64, tile=4096)
    assert max(many.cycles) > max(alone.cycles)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_same_launch_takes_the_same_time(chip: str) -> None:
    first, second = (_chain(chip, 40000, 2, blocks=7) for _ in range(2))
    assert first == second


def test_profile_and_trace_are_json() -> None:
    found = _chain("Ascend950PR_9599", 4096, 2, blocks=2)
    document = json.loads(json.dumps(found.to_json()))
    assert document["critical_pipe"] in model.PIPES and 0 < document["busy_share"] <= 1
    assert document["microseconds"] == pytest.approx(found.total_cycles / 1650)
    trace = json.loads(json.dumps(found.to_trace()))
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(spans) == len(found.timeline) and all(span["dur"] >= 0 for span in spans)
    names = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    assert names == {"V", "MTE2", "MTE3"}
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert {source[event.line - 1].split("(")[0].strip() for event in found.timeline} == {
        "x = asctile.copy_in", "y = asctile.copy_in", "asctile.copy_out",
    }  # fmt: skip


def test_timeline_of_another_block_or_of_none() -> None:
    args = (*_arrays(4096), 4096, 1024, 1)
    platform = find_platform("Ascend950PR_9599")
    assert model.profile(chain, 4, args, platform=platform, timeline_block=2).timeline_block == 2
    assert model.profile(chain, 4, args, platform=platform, timeline_block=-1).timeline == ()


def test_changed_costs_need_no_new_build() -> None:
    before = _chain("Ascend950PR_9599")
    with model.changed_costs({"mte2_start": 5000.0}):
        assert _chain("Ascend950PR_9599").total_cycles > before.total_cycles + 5000
    assert _chain("Ascend950PR_9599") == before


def test_every_cost_of_the_headers_has_a_number_and_a_source() -> None:
    text = (HEADERS / "cost_slots.h").read_text(encoding="utf-8")
    lists = (("define ASCENDC_CPU_COSTS", "enum class Cost"), ("define ASCENDC_CPU_FAMILIES", "enum class Family"))
    costs, families = (
        re.findall(r"X\((\w+)\)", text[text.index(start) : text.index(end)]) for start, end in lists
    )
    columns = ("i8", "i16", "i32", "i64", "f16", "f32", "start")
    names = [*costs, *(f"{family}.{column}" for family in families for column in columns)]
    for info in PLATFORMS.values():
        table = cost_table(info)
        assert set(table) == set(names)
        assert all(cost.unit and cost.source for cost in table.values())
        assert len(cost_values(info, names, {})) == len(names)


def test_last_profile_belongs_to_the_thread() -> None:
    import threading

    _chain("Ascend950PR_9599")
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(asctile.last_profile()))
    thread.start()
    thread.join()
    assert seen == [None] and asctile.last_profile() is not None
