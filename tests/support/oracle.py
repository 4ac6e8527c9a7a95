"""What a launch must leave behind, by the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from pyasc_transpile.asctile.arguments import BoundArgument
from pyasc_transpile.graph.graph import TileGraph, walk
from pyasc_transpile.graph.types import TileType
from pyasc_transpile.ops import OPERATIONS
from pyasc_transpile.reference import run

# Operations that are within units in the last place of the exact result, or whose sums depend on the order.
_ROUNDED = ("exp", "log", "rsqrt", "softmax", "rms_norm", "layer_norm")
_SUMMED = ("reduce_sum", "reduce_prod", "atomic_add")
_EXACT = frozenset(
    """
    add sub mul div maximum minimum negative abs relu sqrt floor ceil bitwise_and bitwise_or bitwise_xor bitwise_not
    left_shift right_shift equal not_equal less less_equal greater greater_equal where mask_and mask_or mask_xor
    mask_not column_mask cast full broadcast_to reshape transpose concat copy empty gather scatter copy_in copy_out
    load_scalar store_scalar global_tensor address_offset block_idx block_num sub_block_idx sub_block_num reduce_max
    reduce_min atomic_max atomic_min leaky_relu add_relu sub_relu
    """.split()
)
_TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5}


def can_run(graph: TileGraph) -> bool:
    """Whether the reference knows what every operation of a kernel means."""
    return all(
        node.regions or node.op.startswith("scalar.") or OPERATIONS[node.op].numpy is not None
        for node in walk(graph.body)
    )


def is_exact(graph: TileGraph) -> bool:
    """Whether a kernel has one right result, down to the last bit."""
    for node in walk(graph.body):
        if node.op in ("scalar.exp", "scalar.erf"):
            return False
        floating = any(value.dtype.is_float() for value in (*node.results, *node.operands) if hasattr(value, "dtype"))
        if not node.regions and not node.op.startswith("scalar.") and node.op not in _EXACT:
            if floating or node.op not in _SUMMED:
                return False
        if any(isinstance(result.type, TileType) and result.dtype.name == "float64" for result in node.results):
            return False
    return True


def expected_after(graph: TileGraph, blocks: int, arguments: Sequence[BoundArgument]) -> list[Any]:
    """Copies of the run-time arguments as a launch leaves them."""
    copies: dict[int, Any] = {}  # an array that is passed twice is one array
    for argument in arguments:
        if isinstance(argument.value, np.ndarray):
            copies.setdefault(id(argument.value), argument.value.copy())
    values = [copies.get(id(argument.value), argument.value) for argument in arguments]
    run(graph, blocks, {argument.name: value for argument, value in zip(arguments, values)})
    return values


def compare(expected: Any, actual: Any, bound: int = 0) -> str:
    """The first difference of two arrays, or nothing.

    ``bound``: units in the last place by which floats may differ. NaN equals NaN, and zero negative zero.
    """
    expected, actual = expected.reshape(-1), actual.reshape(-1)
    differs = expected != actual if expected.dtype.kind in "iub" else ulps(expected, actual) > bound
    return _first(differs, expected, actual)


def compare_roughly(expected: Any, actual: Any) -> str:
    """The first difference of two arrays beyond what rounding explains, or nothing."""
    expected, actual = expected.reshape(-1), actual.reshape(-1)
    tolerance = _TOLERANCE.get(expected.dtype.name, 0.0)
    wide = [array.astype(np.float64) for array in (expected, actual)]
    with np.errstate(all="ignore"):
        scale = np.nanmax(np.abs(np.where(np.isfinite(wide[0]), wide[0], 0)), initial=1e-30)
        # Sums that nearly cancel keep the rounding of their largest parts.
        limit = tolerance * (np.abs(wide[0]) + scale * max(tolerance, 4e-3))
        same = (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1])) | (np.abs(wide[0] - wide[1]) <= limit)
    return _first(~same, expected, actual)


def _first(differs: Any, expected: Any, actual: Any) -> str:
    if not differs.any():
        return ""
    at = int(np.argmax(differs))
    return f"{int(differs.sum())} differ, first at {at}: {actual[at]} instead of {expected[at]}"


def ulps(first: Any, second: Any) -> Any:
    """Distance in units in the last place; NaN equals NaN, and zero negative zero."""
    kind = np.dtype(f"int{first.dtype.itemsize * 8}")
    sign = -(2 ** (first.dtype.itemsize * 8 - 1))

    def ordered(array: Any) -> Any:
        bits = array.view(kind).astype(np.int64)
        return np.where(bits < 0, sign - bits, bits)

    nan = (first != first) & (second != second)
    return np.where(nan, 0, np.abs(ordered(first) - ordered(second)))


def disagreement(
    graph: TileGraph, expected: Sequence[Any], arguments: Sequence[BoundArgument], exact: Optional[bool] = None
) -> str:
    """How the arguments differ from what the reference made of them, or nothing."""
    compared = compare if (is_exact(graph) if exact is None else exact) else compare_roughly
    for argument, value in zip(arguments, expected):
        if isinstance(value, np.ndarray):
            message = compared(value, argument.value)
            if message:
                return f"{argument.name}: {message}"
    return ""
