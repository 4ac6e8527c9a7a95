"""softmax and the norms: functions of whole rows (the last dimension), expanded into elementwise instructions.

A value per row is kept packed, spread into blocks and used by instructions that read one block for a whole row, so that
no tile is materialised for it and the scalar unit takes no part.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..graph import dtypes
from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor, PlainValue
from . import scalars, strided, typing
from .broadcasting import combine_with_column, combine_with_row
from .conversion import lower_conversion
from .reduce_steps import KINDS, Kind, Place, packed_scratch, reduce_rows
from .reductions import converted
from .registry import Operation, on_all, register
from .strided import Rows, rows_of

_ELEMENTS = ("float16", "bfloat16", "float32")


def _check_input(input: Any, operation: str) -> LocalTensor:
    tile = typing.check_tile(input, f"the operand of {operation}")
    typing.check_element(tile.dtype, (DataType(name) for name in _ELEMENTS), operation)
    if tile.rank > 2:
        raise RuntimeError(f"{operation} takes tiles of rank 1 or 2, not {tile.rank}: reshape it to rows first")
    return tile


def _check_weight(weight: Any, tile: LocalTensor, name: str, operation: str) -> LocalTensor:
    row = typing.check_tile(weight, name)
    if row.dtype != tile.dtype:
        raise RuntimeError(f"{name} of {operation} must be of {tile.dtype} like the input, not of {row.dtype}")
    length = tile.shape[-1]
    if row.shape not in ((length,), (1, length)):
        raise RuntimeError(f"{name} of {operation} must have shape ({length},), the row length, not {row.shape}")
    return row


def _check_epsilon(epsilon: Any, operation: str) -> Operand:
    if isinstance(epsilon, (bool, np.bool_)) or not typing.is_scalar(epsilon):
        raise TypeError(f"epsilon of {operation} must be a float or a float scalar, not {typing.describe(epsilon)}")
    if isinstance(epsilon, PlainValue) and not epsilon.dtype.is_float():
        raise TypeError(f"epsilon of {operation} must be a float or a float scalar, not {typing.describe(epsilon)}")
    number: Operand = scalars.cast(epsilon, dtypes.float32) if isinstance(epsilon, PlainValue) else float(epsilon)
    return number


def softmax(input: Any) -> Any:
    """e^(x - max x) / sum of e^(x - max x) for every row (the last dimension).

    Args:
        input: tile of float16, bfloat16 or float32, rank 1 or 2. Narrow types are computed in float32.

    Returns:
        Tile of the same shape and type.

    Raises:
        TypeError: input is not a tile.
        RuntimeError: another element type, or a higher rank.
    """
    tile = _check_input(input, "softmax")
    return current_builder().emit("softmax", [tile], [TileType(tile.dtype, tile.shape)]).result


def rms_norm(input: Any, gamma: Any, epsilon: Any) -> Any:
    """x / sqrt(mean of x * x + epsilon) * gamma for every row (the last dimension).

    Args:
        input: tile of float16, bfloat16 or float32, rank 1 or 2. Narrow types are computed in float32.
        gamma: tile of the same type and shape (row length,).
        epsilon: number or float scalar.

    Returns:
        Tile of the shape and type of input.

    Raises:
        TypeError: input or gamma is not a tile, or epsilon not a number.
        RuntimeError: another element type, a higher rank, or another shape of gamma.
    """
    tile = _check_input(input, "rms_norm")
    operands: list[Operand] = [
        tile, _check_weight(gamma, tile, "gamma", "rms_norm"), _check_epsilon(epsilon, "rms_norm")
    ]  # fmt: skip
    return current_builder().emit("rms_norm", operands, [TileType(tile.dtype, tile.shape)]).result


def layer_norm(input: Any, gamma: Any, beta: Any, epsilon: Any, output_rstd: bool = True) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta for every row (the last dimension).

    Args:
        input: tile of float16, bfloat16 or float32, rank 1 or 2. Narrow types are computed in float32.
        gamma, beta: tiles of the same type and shape (row length,).
        epsilon: number or float scalar.
        output_rstd: whether the third result is 1 / sqrt(variance + epsilon), or the variance.

    Returns:
        Three tiles: y with the shape and type of input; the mean of each row; the third result. The latter two are of
        float32 and shape (rows,), (1,) for rank 1. The variance is that of the population.

    Raises:
        TypeError: input, gamma or beta is not a tile, epsilon not a number, or output_rstd not a bool.
        RuntimeError: another element type, a higher rank, or another shape of gamma or beta.
    """
    tile = _check_input(input, "layer_norm")
    if not isinstance(output_rstd, bool):
        raise TypeError(f"output_rstd must be a bool, not {typing.describe(output_rstd)}")
    operands: list[Operand] = [
        tile, _check_weight(gamma, tile, "gamma", "layer_norm"), _check_weight(beta, tile, "beta", "layer_norm"),
        _check_epsilon(epsilon, "layer_norm"),
    ]  # fmt: skip
    per_row = TileType(dtypes.float32, (tile.size // int(tile.shape[-1]),))
    types = [TileType(tile.dtype, tile.shape), per_row, per_row]
    return current_builder().emit("layer_norm", operands, types, {"output_rstd": output_rstd}).results


# --- lowering ---------------------------------------------------------------------------------------------------------


class _Rows:
    """One function of rows: its input and result in float32, and what all of them do."""

    def __init__(self, ctx: Any, node: Node) -> None:
        source = node.operands[0]
        assert isinstance(source, LocalTensor)
        self.ctx = ctx
        self.type = TileType(dtypes.float32, source.shape)
        self.count = ctx.count(self.type)
        self.narrow = source.type
        self.is_wide = source.dtype == dtypes.float32
        self.result = self.make(node.results[0])
        self.source = converted(ctx, ctx.operand(source), source.type, dtypes.float32)
        # A narrow type's copy in float32 may be overwritten: it becomes the result.
        self.work = self.result if self.is_wide else self.source
        self.rows = ctx.rows(self.type)

    def make(self, value: Any) -> Any:
        """The tile of a result, and at least a block of room where it holds a value per row."""
        tile = self.ctx.scratch(value.type, value.name)
        self.ctx.define(value, tile)
        return tile

    def of(self, tile: Any, owned: bool = False) -> Rows:
        """A tile as rows."""
        return rows_of(self.ctx, tile, self.type, owned)

    def reduced(self, kind: Kind, tile: Any, name: str, owned: bool = False) -> Any:
        """A packed value per row."""
        packed = packed_scratch(self.ctx, dtypes.float32, self.rows, name)
        reduce_rows(self.ctx, kind, self.of(tile, owned), packed, Place(1, self.rows, 0, 1))
        return packed

    def combine(self, instruction: str, target: Any, tile: Any, packed: Any) -> None:
        """``target = tile op value of the row``."""
        blocks = strided.spread_column(self.ctx, packed, self.rows)
        combine_with_column(self.ctx, instruction, self.of(target), self.of(tile), blocks)

    def weigh(self, instruction: str, operand: Operand) -> None:
        """``work = work op weight``, element by element of the row."""
        assert isinstance(operand, LocalTensor)
        row = converted(self.ctx, self.ctx.operand(operand), operand.type, dtypes.float32)
        combine_with_row(self.ctx, instruction, self.of(self.work), self.of(self.work), row)

    def scaled(self, packed: Any, factor: float) -> None:
        """Multiply the values of the rows."""
        self.ctx.emit("Muls", packed, packed, self.ctx.number(factor, dtypes.float32), self.ctx.number(self.rows))

    def finish(self) -> None:
        """Round to the type of the result."""
        if not self.is_wide:
            lower_conversion(self.ctx, self.result, self.work, self.narrow, None)


def _lower_softmax(ctx: Any, node: Node) -> None:
    rows = _Rows(ctx, node)
    largest = rows.reduced(KINDS["max"], rows.source, "row_max")
    rows.combine("Sub", rows.work, rows.source, largest)
    ctx.emit("Exp", rows.work, rows.work, rows.count)
    total = rows.reduced(KINDS["sum"], rows.work, "row_sum")
    rows.combine("Div", rows.work, rows.work, total)
    rows.finish()


def _mean_square(rows: _Rows, tile: Any, square: Any, name: str) -> Any:
    """The mean of the squares of each row; ``square`` is overwritten."""
    rows.ctx.emit("Mul", square, tile, tile, rows.count)
    mean = rows.reduced(KINDS["sum"], square, name, owned=True)
    rows.scaled(mean, 1.0 / rows.type.shape[-1])
    return mean


def _root(ctx: Any, rows: _Rows, target: Any, source: Any, epsilon: Operand) -> None:
    number = ctx.number(rows.rows)
    ctx.emit("Adds", target, source, ctx.operand(epsilon, dtypes.float32), number)
    ctx.emit("Sqrt", target, target, number)


def _lower_rms_norm(ctx: Any, node: Node) -> None:
    rows = _Rows(ctx, node)
    square = rows.result if rows.is_wide else ctx.scratch(rows.type, "square")
    root = _mean_square(rows, rows.source, square, "row_rms")
    _root(ctx, rows, root, root, node.operands[2])
    rows.combine("Div", rows.work, rows.source, root)
    rows.weigh("Mul", node.operands[1])
    rows.finish()


def _lower_layer_norm(ctx: Any, node: Node) -> None:
    rows = _Rows(ctx, node)
    count = ctx.number(rows.rows)
    mean, third = (ctx.reserve(rows.make(value), strided.rounded_up(rows.rows, 8)) for value in node.results[1:])
    total = rows.reduced(KINDS["sum"], rows.source, "row_sum")
    ctx.emit("Muls", mean, total, ctx.number(1.0 / rows.type.shape[-1], dtypes.float32), count)
    rows.combine("Sub", rows.work, rows.source, mean)
    variance = _mean_square(rows, rows.work, ctx.scratch(rows.type, "square"), "row_variance")
    root = packed_scratch(ctx, dtypes.float32, rows.rows, "row_deviation")
    _root(ctx, rows, root, variance, node.operands[3])
    rows.combine("Div", rows.work, rows.work, root)
    rows.weigh("Mul", node.operands[1])
    rows.weigh("Add", node.operands[2])
    rows.finish()
    if node.attrs["output_rstd"]:
        ctx.emit("Duplicate", third, ctx.number(1.0, dtypes.float32), count)
        ctx.emit("Div", third, third, root, count)
    else:
        ctx.emit("Adds", third, variance, ctx.number(0.0, dtypes.float32), count)


# --- meaning ----------------------------------------------------------------------------------------------------------


def _softmax(tile: Any) -> Any:
    with np.errstate(all="ignore"):
        power = np.exp(tile - np.max(tile, axis=-1, keepdims=True))
        return power / np.sum(power, axis=-1, keepdims=True)


def _rms_norm(tile: Any, gamma: Any, epsilon: Any) -> Any:
    with np.errstate(all="ignore"):
        square = np.mean(tile * tile, axis=-1, keepdims=True)
        return (tile / np.sqrt(square + epsilon) * gamma).reshape(tile.shape)


def _layer_norm(tile: Any, gamma: Any, beta: Any, epsilon: Any, output_rstd: bool) -> Any:
    with np.errstate(all="ignore"):
        mean = np.mean(tile, axis=-1, keepdims=True)
        variance = np.mean((tile - mean) ** 2, axis=-1, keepdims=True)
        root = np.sqrt(variance + epsilon)
        third = 1 / root if output_rstd else variance
        y = ((tile - mean) / root * gamma + beta).reshape(tile.shape)
        return y, mean.reshape(-1), third.reshape(-1)


_FUNCTIONS: tuple[tuple[Callable[..., Any], Callable[..., Any], Callable[[Any, Node], None]], ...] = (
    (softmax, _softmax, _lower_softmax),
    (rms_norm, _rms_norm, _lower_rms_norm),
    (layer_norm, _layer_norm, _lower_layer_norm),
)
for _function, _meaning, _lowering in _FUNCTIONS:
    register(Operation(_function.__name__, _function, _meaning, _lowering, on_all(*_ELEMENTS)))
