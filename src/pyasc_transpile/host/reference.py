"""The backend ``Reference``: kernels run by NumPy, without any compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from ..asctile.arguments import BoundArguments
from ..asctile.jit import Kernel
from ..frontend.signature import signature_of
from ..frontend.walker import trace
from ..graph.graph import TileGraph
from ..passes.dead_code import remove_dead_code
from ..passes.debug import drop_debug_operations
from ..reference import run

Memory = tuple[int, int]


def graph_of(kernel: Kernel, bound: BoundArguments) -> TileGraph:
    """The graph that a launch runs."""
    graph = trace(kernel, signature_of(bound))
    if not kernel.options.debug:
        drop_debug_operations(graph)
    remove_dead_code(graph)
    return graph


def run_kernel(
    kernel: Kernel, bound: BoundArguments, values: Sequence[Union[Memory, int, float, bool]], block_num: int
) -> None:
    """Run a launch.

    Args:
        values: per run-time argument, the address and bytes of an array, or a number.

    Raises:
        TranspileError: the kernel cannot be translated, or faults while it runs.
    """
    names = [argument.name for argument in bound.runtime()]
    arguments = {name: _memory(*value) if isinstance(value, tuple) else value for name, value in zip(names, values)}
    run(graph_of(kernel, bound), block_num, arguments)


def _memory(address: int, size: int) -> Any:
    if not size:
        return np.empty(0, np.uint8)
    return np.frombuffer(memoryview((ctypes.c_ubyte * size).from_address(address)), np.uint8)
