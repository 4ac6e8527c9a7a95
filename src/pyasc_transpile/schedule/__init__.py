"""Program to Program: reuse of buffers, slots, addresses, queues and synchronisation."""

from __future__ import annotations

from ..lower.program import Program
from .hoist import hoist_loads
from .interleave import interleave_chains
from .plan import plan_memory
from .reuse import coalesce_copies, drop_unused_buffers, overwrite_operands
from .sync import SyncReport, synchronise

__all__ = ["schedule"]


def schedule(program: Program, insert_sync: bool = True) -> SyncReport:
    """Finish a program: every buffer gets its place, every dependence its synchronisation.

    Raises:
        MemoryOverflowError: the buffers do not fit into UB.
    """
    coalesce_copies(program)
    overwrite_operands(program, program.reuse_alloc)
    drop_unused_buffers(program)
    hoist_loads(program)
    interleave_chains(program)
    plan_memory(program)
    return synchronise(program, insert_sync)
