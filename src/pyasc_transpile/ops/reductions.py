"""Reductions over none, some or all dimensions of a tile."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Mapping

import numpy as np

from ..graph.dtypes import DataType
from ..graph.graph import Node, current_builder
from ..graph.types import ScalarType, TileType, Type
from ..graph.values import LocalTensor
from . import numeric, strided, typing
from .conversion import lower_conversion
from .reduce_steps import KINDS, Kind, Place, fold_rows, is_supported, reduce_rows
from .registry import Operation, on_all, register

_SUMMED = ("int16", "int32", "int64", "float16", "bfloat16", "float32")
_COMPARED = ("int8", *_SUMMED)


@dataclass(frozen=True)
class ReductionRow:
    """A reduction.

    Attributes:
        steps: how it becomes instructions.
        computed_as: element types that are computed in another one and rounded once at the end.
    """

    name: str
    what: str
    elements: tuple[str, ...]
    meaning: Callable[..., Any]
    steps: Kind
    computed_as: Mapping[str, str]


_WIDE = {"float16": "float32", "bfloat16": "float32"}
_EXACT = {"int8": "float16", "bfloat16": "float32"}  # every value of the narrow type is one of the other
REDUCTION_ROWS = (
    ReductionRow("reduce_sum", "Sum", _SUMMED, np.sum, KINDS["sum"], _WIDE),
    ReductionRow("reduce_max", "Maximum (NaN propagates)", _COMPARED, numeric.largest, KINDS["max"], _EXACT),
    ReductionRow("reduce_min", "Minimum (NaN propagates)", _COMPARED, numeric.smallest, KINDS["min"], _EXACT),
    ReductionRow("reduce_prod", "Product", _SUMMED, np.prod, KINDS["prod"], _WIDE),
)


def check_axes(dims: tuple[Any, ...], rank: int, operation: str) -> tuple[int, ...]:
    """Dimensions as sorted numbers from 0 on; negative ones count from the end.

    Raises:
        TypeError: a dimension is not an int.
        RuntimeError: it is out of range, or named twice.
    """
    axes = []
    for axis in dims:
        if isinstance(axis, (bool, np.bool_)) or not isinstance(axis, (int, np.integer)):
            raise TypeError(f"a dimension of {operation} must be an int, not {typing.describe(axis)}")
        number = int(axis)
        if not -rank <= number < rank:
            raise RuntimeError(f"dimension {number} of {operation} is out of range for a tile of rank {rank}")
        axes.append(number % rank)
    if len(set(axes)) != len(axes):
        raise RuntimeError(f"{operation} names a dimension twice: {', '.join(str(int(axis)) for axis in dims)}")
    return tuple(sorted(axes))


def _build(row: ReductionRow) -> Callable[..., Any]:
    allowed = tuple(DataType(name) for name in row.elements)

    def function(input: Any, *dims: Any, keep_dims: bool = False) -> Any:
        tile = typing.check_tile(input, f"the operand of {row.name}")
        if not isinstance(keep_dims, bool):
            raise TypeError(f"keep_dims must be a bool, not {typing.describe(keep_dims)}")
        typing.check_element(tile.dtype, allowed, row.name)
        axes = check_axes(dims, tile.rank, row.name) or tuple(range(tile.rank))
        kept = keep_dims and bool(dims)
        if kept:
            shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(tile.shape))
        else:
            shape = tuple(extent for axis, extent in enumerate(tile.shape) if axis not in axes)
        type_: Type = TileType(tile.dtype, shape) if shape else ScalarType(tile.dtype)
        return current_builder().emit(row.name, [tile], [type_], {"axes": axes, "keep_dims": kept}).result

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = (
        f"{row.what} of the elements along dimensions of a tile.\n\n"
        f"Args:\n    input: tile of {', '.join(row.elements)}.\n"
        "    dims: dimensions, as separate ints; negative ones count from the end. None: all of them.\n"
        "    keep_dims: whether reduced dimensions stay, with extent 1; without dims it has no effect.\n\n"
        "Returns:\n    Tile of the same element type without the reduced dimensions; a scalar if none is left.\n"
        "    Integers wrap. float16 and bfloat16 are added and multiplied in float32, rounded once. The order is by\n"
        "    halves along all dimensions but the last; in a row, neighbours within 256 bytes, before or after the\n"
        "    pieces of 256 bytes are combined.\n\n"
        "Raises:\n    TypeError: input is not a tile, a dimension not an int, or keep_dims not a bool.\n"
        "    RuntimeError: a dimension out of range or named twice, or another element type.\n"
    )
    return function


# --- lowering ---------------------------------------------------------------------------------------------------------


def _lower(row: ReductionRow) -> Callable[[Any, Node], None]:
    def lower(ctx: Any, node: Node) -> None:
        source, result = node.operands[0], node.result
        assert isinstance(source, LocalTensor)
        computed = DataType(row.computed_as.get(source.dtype.name, source.dtype.name))
        if not is_supported(ctx, row.steps, computed):
            raise ctx.fail(f"{ctx.architecture.name} has no {row.name} for tiles of {source.dtype}")
        tile, owned = converted(ctx, ctx.operand(source), source.type, computed), computed != source.dtype
        type_ = TileType(computed, source.shape)
        if isinstance(result, LocalTensor):
            target = ctx.result(node)
            stage = target if not owned else ctx.scratch(TileType(computed, result.shape), "wide_result")
            reduce_tile(ctx, row.steps, tile, type_, node.attrs["axes"], stage, result.shape, owned)
            if owned:
                lower_conversion(ctx, target, stage, result.type, None)
            return
        stage = ctx.scratch(TileType(computed, (1,)), result.name or "total")
        reduce_tile(ctx, row.steps, tile, type_, node.attrs["axes"], stage, (1,), owned)
        if owned:
            narrow = ctx.scratch(TileType(source.dtype, (1,)), "rounded")
            lower_conversion(ctx, narrow, stage, TileType(source.dtype, (1,)), None)
            stage = narrow
        ctx.define(result, ctx.read(stage, ctx.number(0)))

    return lower


def converted(ctx: Any, tile: Any, type_: TileType, dtype: DataType) -> Any:
    """The tile as elements of ``dtype``: itself, or a copy that may be overwritten."""
    if type_.dtype == dtype:
        return tile
    wide = ctx.scratch(TileType(dtype, type_.shape), "wide")
    lower_conversion(ctx, wide, tile, type_, None)
    return wide


def reduce_tile(
    ctx: Any, kind: Kind, tile: Any, type_: TileType, axes: tuple[int, ...], target: Any, shape: tuple[int, ...],
    owned: bool = False,
) -> None:  # fmt: skip
    """Reduce ``tile`` along ``axes`` into ``target`` of ``shape``. ``owned``: the tile may be overwritten."""
    pitch = ctx.pitch(type_)
    extents = [int(extent) for extent in type_.shape]
    last = type_.rank - 1
    if last in axes and type_.rank > 1 and pitch == extents[-1] and len(axes) == type_.rank:
        extents, pitch, axes, last = [type_.size], type_.size, (0,), 0  # without gaps: one long row
    rows = math.prod(extents[:-1])
    groups = _groups(extents[:-1], axes)
    for position, (extent, reduced) in enumerate(groups):
        if not reduced:
            continue
        outer = math.prod(e for e, r in groups[:position] if not r)
        inner = math.prod(e for e, r in groups[position + 1 :])
        rows //= extent
        is_final = last not in axes and not any(r for _, r in groups[position + 1 :])
        result = target if is_final else strided.scratch(ctx, type_.dtype, rows * pitch, "folded")
        run = inner * pitch
        count = extents[-1] if is_final and len(shape) == 1 else run
        fold_rows(ctx, kind, tile, outer, extent, run, result, count, owned)
        tile, owned = result, True
    if last in axes:
        place = _place(ctx, TileType(type_.dtype, shape), rows)
        reduce_rows(ctx, kind, strided.Rows(tile, rows, extents[-1], pitch, owned), target, place)
    elif not any(reduced for _, reduced in groups):  # only dimensions of extent 1
        strided.copy_run(ctx, ctx.reserve(target, rows * pitch), tile, rows * pitch)


def _groups(extents: list[int], axes: tuple[int, ...]) -> list[tuple[int, bool]]:
    """Neighbouring dimensions that are all reduced, or all kept, as one; those of extent 1 left out."""
    groups: list[tuple[int, bool]] = []
    for axis, extent in enumerate(extents):
        reduced = axis in axes
        if extent == 1:
            continue
        if groups and groups[-1][1] == reduced:
            groups[-1] = (groups[-1][0] * extent, reduced)
        else:
            groups.append((extent, reduced))
    return groups


def _place(ctx: Any, result: TileType, rows: int) -> Place:
    """Where the results of ``rows`` rows go in a tile: one per row of it, or along its rows."""
    length, pitch = int(result.shape[-1]), ctx.pitch(result)
    if result.size // length == rows and length == 1:
        return Place(1, rows, 0, pitch if result.rank > 1 else 1)
    if pitch == length or rows == length:
        return Place(1, rows, 0, 1)
    return Place(rows // length, length, pitch, 1)


def _numpy(row: ReductionRow) -> Callable[..., Any]:
    def meaning(tile: Any, axes: tuple[int, ...], keep_dims: bool) -> Any:
        if row.meaning in (numeric.largest, numeric.smallest):
            return row.meaning(tile, axis=axes, keepdims=keep_dims)
        return row.meaning(tile, axis=axes, keepdims=keep_dims, dtype=tile.dtype)

    return meaning


for _row in REDUCTION_ROWS:
    register(Operation(_row.name, _build(_row), _numpy(_row), _lower(_row), on_all(*_row.elements)))
