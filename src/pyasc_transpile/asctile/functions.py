"""The public functions of the language."""

from __future__ import annotations

from typing import Any

from ..ops import OPERATIONS
from ..ops.conversion import RoundMode, cast
from ..ops.creation import full, full_like, zeros, zeros_like
from ..ops.debugging import device_assert, device_print
from ..ops.indexed import gather, scatter
from ..ops.inline_code import inline, inline_vf
from ..ops.low_level import from_asc, to_asc
from ..ops.masking import mask
from ..ops.maths import exp2, pow
from ..ops.moves import broadcast_tensors, concat, copy, empty, empty_like
from ..ops.permute import transpose
from ..ops.rows import layer_norm, rms_norm, softmax
from ..ops.scalars import ceildiv
from ..ops.selection import where
from ..ops.shapes import broadcast_to
from ..ops.system import block_idx, block_num, sub_block_idx, sub_block_num
from ..ops.transfers import copy_in, copy_out, global_tensor
from ..ops.typing import broadcast_shapes
from ..ops.views import expand_dims, ravel, reshape, squeeze

ELEMENTWISE = (
    "add", "sub", "mul", "div", "maximum", "minimum", "negative", "abs", "exp", "log", "sqrt", "rsqrt", "relu", "floor",
    "ceil", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "left_shift", "right_shift", "equal",
    "not_equal", "less", "less_equal", "greater", "greater_equal",
)  # fmt: skip


MATHS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "erf", "log2")
ATOMICS = ("atomic_add", "atomic_max", "atomic_min")
REDUCTIONS = ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod")


def static_assert(test: Any, message: Any = None) -> None:
    """Check a condition while the kernel is translated.

    Raises:
        TypeError: the condition is known only at run time.
        AssertionError: it is false.
    """
    from ..graph.values import Value

    if isinstance(test, Value):
        raise TypeError("static_assert needs a compile-time condition; this one is known only at run time")
    if not test:
        raise AssertionError("static assertion failed" if message is None else str(message))


def static_print(*args: Any, **kwargs: Any) -> None:
    """Python's print, on the host, while the kernel is translated."""
    print(*args, **kwargs)


globals().update({name: OPERATIONS[name].build for name in (*ELEMENTWISE, *MATHS, *REDUCTIONS, *ATOMICS)})

__all__ = [  # the elementwise functions come from the table of operations
    "RoundMode", "block_idx", "block_num", "broadcast_shapes", "broadcast_tensors", "broadcast_to", "cast",
    "ceildiv", "concat", "copy", "copy_in", "copy_out", "device_assert", "device_print", "empty", "empty_like",
    "exp2", "expand_dims", "from_asc", "full", "full_like", "gather", "global_tensor", "inline", "inline_vf",
    "layer_norm", "mask", "pow", "ravel", "reshape", "rms_norm", "scatter", "softmax", "squeeze", "static_assert",
    "static_print", "sub_block_idx", "sub_block_num", "to_asc", "transpose", "where", "zeros", "zeros_like",
    *ATOMICS, *ELEMENTWISE, *MATHS, *REDUCTIONS,
]  # fmt: skip
