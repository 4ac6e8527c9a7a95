"""Sizes, counts and limits of the supported chips.  No other module states a hardware number.

Sources: the public "NPU architecture version 2201" and "3510" pages of the Ascend C guide (memories,
alignment, event ids), the public platform configuration of each SoC (core counts, clock), and the
"hardware constraints" page (library reserve at the top of UB).
"""

from __future__ import annotations

import difflib
import enum
from dataclasses import dataclass, field
from typing import Mapping, Optional

from ..errors import ArgumentValueError

#: Unit of on-chip strides, the same on all architectures so far.
BLOCK_BYTES = 32


class Memory(enum.Enum):
    """On-chip memories of one core."""

    UB = "UB"
    L1 = "L1"
    L0A = "L0A"
    L0B = "L0B"
    L0C = "L0C"
    BT = "BT"


@dataclass(frozen=True)
class Architecture:
    """Facts that hold for every chip of a family.

    Attributes:
        npu_arch: value of ``__NPU_ARCH__``.
        bisheng_arch: value of the device compiler's ``--npu-arch``.
        block_bytes: unit of UB addresses and of on-chip strides, in bytes.
        repeat_bytes: bytes that one vector iteration works on.
        max_repeats: most iterations of one vector instruction.
        max_copy_rows: most rows of one DataCopyPad.
        event_ids: event ids per pipe pair that generated code may use; the others belong to the compiler.
        buffer_ids: ids of buffer locks that generated code may use; 0 where there are no locks.
        queue_buffers: most queue buffers per position of one TPipe.
        pipe_buffers: most buffers of any kind of one TPipe.
        vector_in_order: whether dependent vector instructions need no barrier between them.
        library_ub_bytes: bytes at the top of UB taken by instructions that need scratch of their own.
        library_in_registers: whether mathematical library functions keep what they compute with in registers, so that
            more scratch memory than the documented least does not make them faster.
        static_alloc_default: what ``static_alloc=None`` means.
    """

    name: str
    npu_arch: int
    bisheng_arch: str
    block_bytes: int = BLOCK_BYTES
    repeat_bytes: int = 256
    max_repeats: int = 255
    max_copy_rows: int = 4095
    event_ids: int = 6
    buffer_ids: int = 0
    queue_buffers: int = 8
    pipe_buffers: int = 64
    vector_in_order: bool = False
    library_ub_bytes: int = 0
    library_in_registers: bool = False
    static_alloc_default: bool = False


@dataclass(frozen=True)
class PlatformInfo:
    """One chip: its architecture, bytes of memory per core, core counts and clock in MHz (None: not published)."""

    name: str
    architecture: Architecture
    memory: Mapping[Memory, int]
    vector_cores: Optional[int]
    cube_cores: Optional[int]
    clock_mhz: Optional[int]
    inferred: tuple[str, ...] = field(default=())


C220 = Architecture("c220", 2201, "dav-2201", library_ub_bytes=8192)
C310 = Architecture(
    "c310", 3510, "dav-3510", buffer_ids=28, vector_in_order=True, library_in_registers=True, static_alloc_default=True
)

ARCHITECTURES: Mapping[str, Architecture] = {arch.name: arch for arch in (C220, C310)}

_KIB = 1024
_C220_MEMORY = {
    Memory.UB: 192 * _KIB - 256,
    Memory.L1: 512 * _KIB - 256,
    Memory.L0A: 64 * _KIB,
    Memory.L0B: 64 * _KIB,
    Memory.L0C: 128 * _KIB,
    Memory.BT: 1 * _KIB,
}
_C310_MEMORY = {
    Memory.UB: 248 * _KIB,
    Memory.L1: 512 * _KIB,
    Memory.L0A: 64 * _KIB,
    Memory.L0B: 64 * _KIB,
    Memory.L0C: 256 * _KIB,
    Memory.BT: 4 * _KIB,
}

# name, cube cores, clock in MHz; every part has two vector cores per cube core.
_C220_PARTS: tuple[tuple[str, Optional[int], Optional[int]], ...] = (
    ("Ascend910B1", 24, 1850),
    ("Ascend910B2", 24, 1800),
    ("Ascend910B2C", 24, 1800),
    ("Ascend910B3", 20, 1800),
    ("Ascend910B4", 20, 1500),
    ("Ascend910B4-1", 20, None),
    ("Ascend910_9362", 20, 1500),
    ("Ascend910_9372", None, None),
    ("Ascend910_9381", None, None),
    ("Ascend910_9382", None, None),
    ("Ascend910_9391", 24, 1850),
    ("Ascend910_9392", 24, None),
)
_C310_PARTS: tuple[tuple[str, Optional[int], Optional[int]], ...] = (
    ("Ascend950PR_950z", None, 1650),
    ("Ascend950PR_9579", 28, 1650),
    ("Ascend950PR_957b", 28, 1650),
    ("Ascend950PR_957c", 28, 1650),
    ("Ascend950PR_957d", 28, 1650),
    ("Ascend950PR_9589", 32, 1650),
    ("Ascend950PR_958b", 32, 1650),
    ("Ascend950PR_9599", 32, 1650),
)


def _platforms() -> dict[str, PlatformInfo]:
    table = {}
    for arch, memory, parts in ((C220, _C220_MEMORY, _C220_PARTS), (C310, _C310_MEMORY, _C310_PARTS)):
        for name, cubes, clock in parts:
            table[name] = PlatformInfo(name, arch, memory, None if cubes is None else 2 * cubes, cubes, clock)
    return table


PLATFORMS: Mapping[str, PlatformInfo] = _platforms()


def find_platform(name: str) -> PlatformInfo:
    """Return the platform called ``name`` (case-insensitive).

    Raises:
        ArgumentValueError: no such platform; the message names the nearest one.
    """
    by_lower = {known.lower(): info for known, info in PLATFORMS.items()}
    info = by_lower.get(name.lower())
    if info is None:
        near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.0)
        raise ArgumentValueError(
            f"unknown platform {name!r}",
            remedy=f"did you mean {by_lower[near[0]].name!r}? Known: {', '.join(PLATFORMS)}",
        )
    return info
