"""What things cost on each architecture, in cycles of the core clock: the numbers of the timed CPU build.

Every number has a unit and a source. Three kinds of source:

* a public page of the Ascend C documentation, or the public configuration file of the chip;
* ``fit``: fitted by ``benchmarks/fit_costs.py`` to published ticks of the cycle-level simulator. Such a number stands
  for the simulator, for the code that the measured kernels had, and for what this model leaves out;
* ``assumed``: nothing is published and the ticks do not tell.

Points kept out of the fit: c310, 6 points, rank correlation 0.94, median error 12 %, largest 36 %; c220, 2 points,
median error 17 %. Sums of element-wise launches on c220 come out about seven times too short (see fit_costs.py).

The names are those of ``cpu/include/ascendc_cpu/cost_slots.h``. Changing a number needs no recompilation of kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .platforms import PlatformInfo

CYCLES, BYTES_PER_CYCLE, PER_CYCLE = "cycles", "bytes/cycle", "elements/cycle"
_FALLBACK_CLOCK_MHZ, _FALLBACK_CORES = 1650, 40


@dataclass(frozen=True)
class Cost:
    """One number.

    Attributes:
        name: its slot in the timed build.
        fitted: whether it was found by ``benchmarks/fit_costs.py``.
    """

    name: str
    value: float
    unit: str
    source: str

    @property
    def fitted(self) -> bool:
        return self.source.startswith("fit")


@dataclass(frozen=True)
class Rate:
    """Elements per cycle of a family of vector instructions, per class of element; 0 where there is no instruction.

    Attributes:
        f16: also for bfloat16.
        start: cycles per instruction on top of those of the vector pipe.
    """

    family: str
    i8: float
    i16: float
    i32: float
    i64: float
    f16: float
    f32: float
    start: float
    source: str

    def costs(self) -> tuple[Cost, ...]:
        """The same as single numbers."""
        columns = ("i8", "i16", "i32", "i64", "f16", "f32")
        rows = [Cost(f"{self.family}.{name}", getattr(self, name), PER_CYCLE, self.source) for name in columns]
        return (*rows, Cost(f"{self.family}.start", self.start, CYCLES, self.source))


_FIT = "fit to simulator ticks"
_ASSUMED = "assumed"
_VECTOR_220 = "theoretical performance of vector instructions (2201)"
_VECTOR_310 = "theoretical performance of register instructions (3510)"
_ISSUE = "single and dual issue of register instructions (3510)"
_INI_220 = "platform configuration of Ascend910B1"
_INI_310 = "platform configuration of Ascend950PR"
_ARCH = "architecture pages 2201 and 3510"
_CUBE = "theoretical performance of cube instructions"
_TICKS = "published ticks: the first block starts at tick 76"
_PORT = "ticks: loads and stores of one core add up (2, 3 and 7 copies per step), computation hides behind them"
_QUEUE = "hardware constraints page 2201: queues of MTE1 and MMAD are 32 deep; the others taken to be alike"

# The same on both architectures.
_COMMON = (
    Cost("launch", 76, CYCLES, _TICKS),
    Cost("block_end", 50, CYCLES, _ASSUMED),
    Cost("cold_statement", 60, CYCLES, _ASSUMED),
    Cost("dispatch", 4, CYCLES, _ASSUMED),
    Cost("queue_depth", 32, "instructions", _QUEUE),
    Cost("sync_issue", 2, CYCLES, _ASSUMED),
    Cost("scalar_wait", 10, CYCLES, _ASSUMED),
    Cost("flag", 10, CYCLES, _ASSUMED),
    Cost("barrier", 4, CYCLES, _ASSUMED),
    Cost("scalar_read_local", 30, CYCLES, _ASSUMED),
    Cost("scalar_read_global", 300, CYCLES, _ASSUMED),
    Cost("scalar_write_local", 10, CYCLES, _ASSUMED),
    Cost("scalar_write_global", 50, CYCLES, _ASSUMED),
    Cost("meet", 300, CYCLES, _ASSUMED),
    Cost("mte1_start", 60, CYCLES, _ASSUMED),
    Cost("mte1_gap", 4, CYCLES, _ASSUMED),
    Cost("m_start", 20, CYCLES, _ASSUMED),
    Cost("m_gap", 2, CYCLES, _ASSUMED),
    Cost("fix_start", 100, CYCLES, _ASSUMED),
    Cost("fix_gap", 10, CYCLES, _ASSUMED),
    Cost("row", 2, CYCLES, _ASSUMED),
    Cost("request_bytes", 128, "bytes", "hardware constraints page 2201: transfers are cut into 128, 256 or 512 bytes"),
    Cost("shared_port", 1, "0 or 1", _PORT),
    Cost("fix_rate", 128, BYTES_PER_CYCLE, _CUBE),
    Cost("macs_8", 8192, "multiply-adds/cycle", _CUBE),
    Cost("macs_16", 4096, "multiply-adds/cycle", _CUBE),
)  # fmt: skip

_C220 = (
    Cost("block_start", 3200, CYCLES, _FIT),
    Cost("statement", 2.24, CYCLES, _FIT),
    Cost("issue", 6, CYCLES, _ASSUMED),
    Cost("queue_operation", 2.44, CYCLES, _FIT),
    Cost("v_start", 24, CYCLES, "published bank-conflict table of A2: 64 repeats of Add take about 88 cycles"),
    Cost("v_gap", 2, CYCLES, "msKPP tables: 3 to 4 cycles for one repeat"),
    Cost("mte2_start", 20.5, CYCLES, _FIT),
    Cost("mte2_gap", 10, CYCLES, _FIT),
    Cost("mte3_start", 20.5, CYCLES, _FIT),
    Cost("mte3_gap", 10, CYCLES, _FIT),
    Cost("strided", 1, "factor", "bank-conflict pages: strides cost nothing but conflicts, which are not modelled"),
    Cost("vf_pair", 1, "instructions/cycle", "2201 has no vector functions"),
    Cost("hbm_read", 32, BYTES_PER_CYCLE, _INI_220),
    Cost("hbm_write", 64, BYTES_PER_CYCLE, _INI_220),
    Cost("l2_read", 110, BYTES_PER_CYCLE, _INI_220),
    Cost("l2_write", 64, BYTES_PER_CYCLE, _INI_220),
    Cost("mte1_rate", 256, BYTES_PER_CYCLE, _ARCH + " (L0A; L0B has 128)"),
    Cost("ub_to_l1_rate", 64, BYTES_PER_CYCLE, _ASSUMED + ": there is no such path, data goes through GM"),
    Cost("macs_32", 1024, "multiply-adds/cycle", _CUBE),
)  # fmt: skip

_C310 = (
    Cost("block_start", 1373, CYCLES, _FIT),
    Cost("statement", 15.9, CYCLES, _FIT),
    Cost("issue", 5, CYCLES, _ASSUMED),
    Cost("queue_operation", 20, CYCLES, _ASSUMED),
    Cost("v_start", 10.6, CYCLES, _FIT),
    Cost("v_gap", 10.6, CYCLES, _FIT),
    Cost("mte2_start", 582, CYCLES, _FIT),
    Cost("mte2_gap", 35.7, CYCLES, _FIT),
    Cost("mte3_start", 582, CYCLES, _FIT),
    Cost("mte3_gap", 35.7, CYCLES, _FIT),
    Cost("strided", 2, "factor", _VECTOR_310 + ": loads and stores that are not contiguous run at half the rate"),
    Cost("vf_pair", 2, "instructions/cycle", _ISSUE + ": all but stores, gathers, reductions and rearrangements"),
    Cost("hbm_read", 18.5, BYTES_PER_CYCLE, _FIT + "; the configuration file says 31"),
    Cost("hbm_write", 18.5, BYTES_PER_CYCLE, _FIT + "; the configuration file says 31"),
    Cost("l2_read", 100, BYTES_PER_CYCLE, _INI_310),
    Cost("l2_write", 100, BYTES_PER_CYCLE, _INI_310),
    Cost("mte1_rate", 256, BYTES_PER_CYCLE, _ARCH),
    Cost("ub_to_l1_rate", 128, BYTES_PER_CYCLE, _ARCH),
    Cost("macs_32", 256, "multiply-adds/cycle", _CUBE),
)  # fmt: skip

# family, i8, i16, i32, i64, f16, f32, start. What a chip has no instruction for is emulated; such numbers are guesses.
_C220_RATES = (
    Rate("add", 256, 128, 64, 8, 128, 64, 0, _VECTOR_220),
    Rate("mul", 128, 128, 64, 8, 128, 64, 0, _VECTOR_220),
    Rate("bits", 256, 128, 64, 32, 128, 64, 0, _VECTOR_220),
    Rate("extreme", 256, 128, 64, 8, 128, 64, 0, _VECTOR_220),
    Rate("exp", 0, 0, 0, 0, 32, 32, 0, _VECTOR_220),
    Rate("div", 0, 32, 16, 4, 32, 32, 0, _VECTOR_220 + "; integers assumed"),
    Rate("rsqrt", 0, 0, 0, 0, 128, 64, 0, _VECTOR_220),
    Rate("fused", 128, 128, 64, 8, 64, 32, 0, _VECTOR_220 + " (MulAddDst; others reach twice that)"),
    Rate("cast", 128, 128, 64, 32, 64, 64, 0, _VECTOR_220),
    Rate("compare", 128, 128, 64, 8, 128, 64, 0, _VECTOR_220),
    Rate("select", 128, 128, 64, 32, 128, 64, 0, _VECTOR_220),
    Rate("fill", 256, 128, 64, 32, 128, 64, 0, _VECTOR_220),
    Rate("move", 256, 128, 64, 32, 128, 64, 0, _ASSUMED + ": as Duplicate"),
    Rate("block_reduce", 0, 128 / 7, 64, 0, 128 / 7, 64, 0, _VECTOR_220),
    Rate("repeat_reduce", 0, 128 / 7, 64 / 7, 0, 128 / 7, 64 / 7, 0, _VECTOR_220),
    Rate("reduce", 8, 16, 9, 4, 16, 9, 40, _ASSUMED + ": software sequences of block and repeat reductions"),
    Rate("gather", 5, 5, 5, 5, 5, 5, 0, _VECTOR_220),
    Rate("squeeze", 0, 0, 0, 0, 0, 0, 0, "2201 has no vector functions"),
    Rate("interleave", 128, 64, 32, 16, 64, 32, 0, _ASSUMED),
    Rate("transpose", 256, 128, 64, 32, 128, 64, 0, _VECTOR_220),
    Rate("sort", 2, 2, 2, 2, 2, 2, 0, _VECTOR_220),
    Rate("tanh", 0, 0, 0, 0, 4, 4, 0, _ASSUMED + ": about twenty instructions"),
    Rate("erf", 0, 0, 0, 0, 3, 3, 0, _ASSUMED + ": about thirty instructions"),
    Rate("trigonometric", 0, 0, 0, 0, 2, 2, 0, _ASSUMED + ": about thirty instructions"),
    Rate("power", 0, 2, 2, 2, 4, 4, 0, _ASSUMED),
    Rate("round", 0, 32, 32, 16, 32, 32, 0, _ASSUMED + ": two casts"),
    Rate("softmax", 0, 0, 0, 0, 6, 6, 100, _ASSUMED),
    Rate("library", 16, 8, 8, 4, 8, 8, 0, _ASSUMED),
    Rate("control", 256, 128, 64, 32, 128, 64, 1, _VECTOR_220),
)  # fmt: skip

_C310_RATES = (
    Rate("add", 128, 64, 32, 16, 128, 64, 0, _VECTOR_310),
    Rate("mul", 64, 64, 32, 8, 128, 64, 0, _VECTOR_310),
    Rate("bits", 256, 128, 64, 32, 128, 64, 0, _VECTOR_310),
    Rate("extreme", 256, 128, 64, 16, 128, 64, 0, _VECTOR_310),
    Rate("exp", 0, 0, 0, 0, 16, 16, 0, _VECTOR_310),
    Rate("div", 0, 16, 16, 4, 16, 16, 0, _VECTOR_310 + "; integers assumed"),
    Rate("rsqrt", 0, 0, 0, 0, 8, 8, 0, _VECTOR_310 + ": a square root and a division"),
    Rate("fused", 128, 64, 32, 16, 128, 64, 0, _VECTOR_310),
    Rate("cast", 64, 64, 32, 16, 64, 64, 0, _VECTOR_310),
    Rate("compare", 256, 128, 64, 32, 128, 64, 0, _VECTOR_310),
    Rate("select", 256, 128, 64, 32, 128, 64, 0, _VECTOR_310),
    Rate("fill", 256, 128, 64, 32, 128, 64, 0, _VECTOR_310),
    Rate("move", 256, 128, 64, 32, 128, 64, 0, _VECTOR_310 + ": 256 bytes per cycle"),
    Rate("block_reduce", 0, 64, 32, 0, 64, 32, 0, _ASSUMED),
    Rate("repeat_reduce", 0, 128 / 7, 64 / 7, 0, 128 / 7, 64 / 7, 0, _ASSUMED + ": as 2201"),
    Rate("reduce", 32, 32, 16, 8, 32, 16, 40, _ASSUMED),
    Rate("gather", 64, 64, 32, 16, 64, 32, 0, _VECTOR_310),
    Rate("squeeze", 51.2, 25.6, 12.8, 0, 25.6, 12.8, 0, _VECTOR_310),
    Rate("interleave", 256, 128, 64, 32, 128, 64, 0, _VECTOR_310),
    Rate("transpose", 256, 128, 64, 32, 128, 64, 0, _VECTOR_310 + ": 256 bytes per cycle"),
    Rate("sort", 2, 2, 2, 2, 2, 2, 0, _VECTOR_310),
    Rate("tanh", 0, 0, 0, 0, 9.4, 9.4, 0, _FIT),
    Rate("erf", 0, 0, 0, 0, 4, 4, 0, _ASSUMED),
    Rate("trigonometric", 0, 0, 0, 0, 2, 2, 0, _ASSUMED + ": about thirty instructions"),
    Rate("power", 0, 4, 4, 2, 4, 4, 0, _ASSUMED),
    Rate("round", 0, 64, 32, 16, 64, 64, 0, _ASSUMED + ": as Cast"),
    Rate("softmax", 0, 0, 0, 0, 6, 6, 100, _ASSUMED),
    Rate("library", 16, 8, 8, 4, 8, 8, 0, _ASSUMED),
    Rate("control", 256, 128, 64, 32, 128, 64, 1, _VECTOR_310),
)  # fmt: skip

_TABLES: Mapping[str, tuple[Cost, ...]] = {
    "c220": (*_COMMON, *_C220, *(cost for rate in _C220_RATES for cost in rate.costs())),
    "c310": (*_COMMON, *_C310, *(cost for rate in _C310_RATES for cost in rate.costs())),
}

# Bandwidth of all cores together, bytes per second, and the size of the L2 cache in bytes.
_HBM = {"c220": (1.8e12, "best-practice samples: about 1.8 TB/s on A2"), "c310": (1.6e12, "1.6 TB/s on 950PR")}
_L2 = {"c220": (5.0e12, "best-practice samples: about 5 TB/s"), "c310": (5.0e12, "best-practice samples: about 5 TB/s")}
_L2_BYTES = {"c220": (192 << 20, _INI_220), "c310": (128 << 20, _INI_310)}
_L2_BYTES_OF = {"Ascend910B4": 96 << 20, "Ascend910_9362": 168 << 20}


def clock_mhz(platform: PlatformInfo) -> int:
    """Clock that cycles are turned into time with; that of a relative where none is published."""
    return platform.clock_mhz or _FALLBACK_CLOCK_MHZ


def cost_table(platform: PlatformInfo) -> Mapping[str, Cost]:
    """All numbers for one chip by name: those of its architecture, and those that follow from its size and clock."""
    name = platform.architecture.name
    hertz = clock_mhz(platform) * 1e6
    hbm, l2, l2_bytes = _HBM[name], _L2[name], _L2_BYTES[name]
    own = (
        Cost("cores", platform.vector_cores or _FALLBACK_CORES, "vector cores", "platform table"),
        Cost("hbm_shared", hbm[0] / hertz, BYTES_PER_CYCLE, hbm[1]),
        Cost("l2_shared", l2[0] / hertz, BYTES_PER_CYCLE, l2[1]),
        Cost("l2_bytes", _L2_BYTES_OF.get(platform.name, l2_bytes[0]), "bytes", l2_bytes[1]),
    )
    return {cost.name: cost for cost in (*_TABLES[name], *own)}


def cost_values(platform: PlatformInfo, names: Sequence[str], changes: Mapping[str, float]) -> list[float]:
    """The values for ``names``, in that order, with ``changes`` in place of the table's.

    Raises:
        KeyError: a name has no number; the table and the headers do not fit together.
    """
    table = cost_table(platform)
    return [float(changes[name]) if name in changes else float(table[name].value) for name in names]
