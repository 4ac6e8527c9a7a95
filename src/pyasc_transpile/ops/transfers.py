"""Global tensors, and copies between global memory and tiles."""

from __future__ import annotations

import contextlib
import math
from typing import Any, Optional, Sequence

import numpy as np

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import AddressType, GlobalType, ScalarType, TensorLocation, TileType
from ..graph.values import GlobalAddress, GlobalTensor, LocalTensor, PlainValue, Shape, Value
from . import numeric, scalars, typing
from .registry import Operation, on_all, register

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


def global_tensor(base: Any, shape: Any, l2_cache: bool = True) -> GlobalTensor:
    """A row-major view of global memory.

    Args:
        base: address of the first element.
        shape: extents, ints or integer scalars, one per dimension.
        l2_cache: False lets accesses bypass the L2 cache.

    Raises:
        TypeError: base is not an address, an extent not an integer, l2_cache not a bool.
        RuntimeError: an empty shape or a negative extent.
    """
    if not isinstance(base, GlobalAddress):
        raise TypeError(f"base must be an address (a kernel argument), not {typing.describe(base)}")
    if not isinstance(l2_cache, bool):
        raise TypeError(f"l2_cache must be a bool, not {typing.describe(l2_cache)}")
    if isinstance(shape, (str, bytes)) or not isinstance(shape, (Sequence, tuple, list)):
        raise TypeError(f"shape must be a list or tuple of extents, not {typing.describe(shape)}")
    if len(shape) == 0:
        raise RuntimeError("shape must have at least one dimension")
    extents = [scalars.as_index(extent, f"shape[{position}]") for position, extent in enumerate(shape)]
    for position, extent in enumerate(extents):
        if isinstance(extent, int) and extent < 0:
            raise RuntimeError(f"shape[{position}] must not be negative, but is {unnamed(extent)}")
    node = current_builder().emit(
        "global_tensor", [base, *extents], [GlobalType(base.dtype, len(extents))], {"l2_cache": l2_cache}
    )
    tensor = node.result
    assert isinstance(tensor, GlobalTensor)
    tensor.shape = Shape(extents)
    return tensor


def address_offset(address: GlobalAddress, elements: Any) -> GlobalAddress:
    """The address ``elements`` elements further."""
    count = scalars.as_index(elements, "what is added to an address")
    result = current_builder().emit("address_offset", [address, count], [AddressType(address.dtype)]).result
    assert isinstance(result, GlobalAddress)
    return result


def check_location(location: Any) -> None:
    if isinstance(location, str):
        names = {place.value.lower(): place for place in TensorLocation}
        if location.lower() not in names:
            raise ValueError(f"unknown location {location!r}; known: {', '.join(p.value for p in TensorLocation)}")
        location = names[location.lower()]
    if not isinstance(location, TensorLocation):
        raise TypeError(f"location must be a TensorLocation or its name, not {typing.describe(location)}")
    if location not in (TensorLocation.Auto, TensorLocation.UB):
        raise RuntimeError(f"tiles in {location.value} are not supported yet; vector kernels use UB")


def check_offsets(offsets: Any, rank: int) -> list[Operand]:
    checked = typing.check_indices(offsets, rank, "offsets")
    for position, offset in enumerate(checked):
        if isinstance(offset, int) and offset < 0:
            raise RuntimeError(f"offsets[{position}] is {unnamed(offset)}; offsets must not be negative")
    return checked


def _check_real_shape(real_shape: Any, shape: tuple[int, ...]) -> list[Operand]:
    extents = typing.check_indices(real_shape, len(shape), "real_shape")
    for position, (extent, limit) in enumerate(zip(extents, shape)):
        if isinstance(extent, int) and not 0 < extent <= limit:
            raise RuntimeError(
                f"real_shape[{position}] is {unnamed(extent)}, but must be from 1 to the tile's extent {unnamed(limit)}"
            )
    return extents


def copy_in(
    src: Any,
    offsets: Any,
    shape: Any = None,
    location: Any = TensorLocation.Auto,
    *,
    real_shape: Any = None,
    pad_value: Any = None,
) -> Any:
    """Load a tile, or one element, from a global tensor.

    Args:
        src: global tensor.
        offsets: start of the tile in elements, one int or integer scalar per dimension of src.
        shape: the tile's shape, as many dimensions as src; None loads the single element at offsets as a scalar.
        location: on-chip memory; vector kernels use UB.
        real_shape: how much of the tile to load, one int or scalar per dimension; the rest is pad_value or 0.
        pad_value: number for elements that are not loaded. Without it, and without real_shape, elements past the
            end of src are undefined.

    Returns:
        Tile of shape with the type of src, or a scalar.

    Raises:
        TypeError: an argument of another kind.
        ValueError: the number of offsets differs from the number of dimensions.
        RuntimeError: shape and src have different ranks, a negative offset, real_shape beyond shape.
    """
    tensor = typing.check_global(src, "src")
    starts = check_offsets(offsets, tensor.rank)
    builder = current_builder()
    if shape is None:
        if real_shape is not None or pad_value is not None:
            raise RuntimeError("real_shape and pad_value have no meaning for the load of one element")
        return builder.emit("load_scalar", [tensor, *starts], [ScalarType(tensor.dtype)]).result
    extents = typing.check_shape(shape)
    check_location(location)
    if len(extents) != tensor.rank:
        raise RuntimeError(
            f"a tile of {len(extents)} dimensions cannot be loaded from a global tensor of {tensor.rank}; "
            "make their ranks equal, for example with extents of 1"
        )
    typing.check_element(tensor.dtype, COPY_IN.dtypes["c310"], "copy_in")
    operands: list[Operand] = [tensor, *starts]
    attrs = {"real_shape": real_shape is not None, "pad": pad_value is not None}
    if real_shape is not None:
        operands += _check_real_shape(real_shape, extents)
    if pad_value is not None:
        operands.append(typing.number_for(pad_value, tensor.dtype, "pad_value"))
    return builder.emit("copy_in", operands, [TileType(tensor.dtype, extents)], attrs).result


def copy_out(src: Any, dst: Any, offsets: Any, *, real_shape: Any = None) -> None:
    """Store a tile, or one element, to a global tensor; elements past its end are not written.

    Args:
        src: tile with the type and rank of dst; or a number, a scalar or a tile of one element for one element.
        dst: global tensor.
        offsets: where to store, in elements, one int or integer scalar per dimension of dst.
        real_shape: how much of the tile to store, one int or scalar per dimension.

    Raises:
        TypeError: an argument of another kind.
        ValueError: the number of offsets differs from the number of dimensions.
        RuntimeError: different ranks or types, a negative offset, real_shape beyond the tile or with a scalar.
    """
    tensor = typing.check_global(dst, "dst")
    starts = check_offsets(offsets, tensor.rank)
    builder = current_builder()
    if not isinstance(src, LocalTensor):
        if not typing.is_scalar(src):
            raise TypeError(f"src must be a tile, a number or a scalar, not {typing.describe(src)}")
        if real_shape is not None:
            raise RuntimeError("real_shape has no meaning for the store of one element")
        value = scalars.cast(src, tensor.dtype) if isinstance(src, Value) else scalars.convert_number(src, tensor.dtype)
        builder.emit("store_scalar", [value, tensor, *starts])
        return
    if src.dtype != tensor.dtype:
        raise RuntimeError(
            f"a tile of {src.dtype} cannot be stored to a global tensor of {tensor.dtype}; cast it first"
        )
    if src.rank != tensor.rank:
        raise RuntimeError(f"a tile of {src.rank} dimensions cannot be stored to a global tensor of {tensor.rank}")
    operands: list[Operand] = [src, tensor, *starts]
    if real_shape is not None:
        operands += _check_real_shape(real_shape, src.shape)
    builder.emit("copy_out", operands, attrs={"real_shape": real_shape is not None})


# --- lowering ---------------------------------------------------------------------------------------------------------


class Box:
    """The part of a tile that is moved: per dimension the start in global memory and the number of elements.

    Attributes:
        outer: how many dimensions are loops around copies; those between them and the last one are rows of one copy.
        rows_certain: whether there certainly is a row.
    """

    def __init__(
        self, ctx: Any, tensor: GlobalTensor, starts: Sequence[Operand], shape: tuple[int, ...], real: Sequence[Operand]
    ) -> None:
        self.ctx = ctx
        self.shape = shape
        self.dtype: DataType = tensor.dtype
        self.target = ctx.global_buffer(tensor)
        self.extents = [ctx.operand(extent, dtypes.int32) for extent in tensor.shape]
        self.starts = [ctx.wide(ctx.operand(start, dtypes.int32)) for start in starts]
        limits = [ctx.operand(extent, dtypes.int32) for extent in (real or shape)]
        self.moved: list[Any] = []
        self.certain: list[bool] = []
        for start, narrow, extent, limit in zip(self.starts, starts, self.extents, limits):
            moved, certain = ctx.clamp(ctx.operand(narrow, dtypes.int32), start, extent, limit)
            self.moved.append(moved.named("rows" if len(self.moved) < len(shape) - 1 else "count", keep=True))
            self.certain.append(certain)
        # Rows that follow each other without a gap, in global memory and in the tile, are one run.
        width = shape[-1]
        self.is_run = (
            len(shape) > 1 and ctx.constant(self.extents[-1]) == width and ctx.constant(self.moved[-1]) == width
            and ctx.constant(ctx.pitch_of(shape, self.dtype)) == width
        )  # fmt: skip
        # Dimensions that are moved whole continue the rows of the one around them.
        self.outer = max(len(shape) - 2, 0)
        while self.outer and ctx.constant(self.moved[self.outer]) == ctx.constant(self.extents[self.outer]) == (
            shape[self.outer]
        ):
            self.outer -= 1
        self.rows_certain = self.certain[self.outer]
        self.is_whole = all(ctx.constant(moved) == extent for moved, extent in zip(self.moved, shape))
        self.is_empty = any(ctx.constant(moved) == 0 for moved in self.moved)

    def partial(self) -> Any:
        """Condition under which less than the whole tile is moved."""
        ctx = self.ctx
        partly = [pair for pair in zip(self.moved, self.shape) if ctx.constant(pair[0]) != pair[1]]
        if any(ctx.constant(moved) is not None for moved, _ in partly):
            return ctx.number(True, dtypes.int1)
        return ctx.any([ctx.compare("<", moved, ctx.number(extent)) for moved, extent in partly])


_COPY_LOOPS = 2  # that the copy engine makes itself around a copy


def for_each_matrix(box: Box, move: Any, *, to_tile: bool, by_engine: bool = True) -> None:
    """Call ``move(rows, first row's tile offset, global offset)`` for each innermost matrix of the box.

    The innermost loops are those of the copy engine where it has some. ``by_engine``: whether it may make them.
    """
    if box.is_empty:
        return
    ctx, rank = box.ctx, len(box.shape)
    strides = [ctx.number(1, dtypes.int64)] * rank
    for position in range(rank - 2, -1, -1):
        strides[position] = ctx.wide(box.extents[position + 1]) * strides[position + 1]
    offset = ctx.number(0, dtypes.int64)
    for start, stride in zip(box.starts, strides):
        offset = offset + start * stride
    can_loop = by_engine and ctx.supports("SetLoopModePara", box.dtype)
    engine = range(max(box.outer - _COPY_LOOPS, 0), box.outer) if can_loop else range(0)

    def rows_inside(position: int) -> int:
        return math.prod(int(unnamed(extent)) for extent in box.shape[position + 1 : -1])

    rows_of = 1 if rank == 1 else rows_inside(box.outer - 1)

    def with_loops(tile_row: Any, address: Any) -> None:
        """Set up the loops of the copy engine around the copies of a matrix."""
        pitch = ctx.constant(ctx.pitch_of(box.shape, box.dtype))
        loops = [(box.moved[each], strides[each], rows_inside(each) * pitch) for each in engine]
        direction = "DataCopyMVType::OUT_TO_UB" if to_tile else "DataCopyMVType::UB_TO_OUT"
        ctx.emit("SetLoopModePara", ctx.copy_loops(loops, box.dtype, to_tile=to_tile), direction)
        outer(box.outer, tile_row, address)
        ctx.emit("ResetLoopModePara", direction)

    def outer(position: int, tile_row: Any, address: Any) -> None:
        if engine and position == engine[0]:
            with_loops(tile_row, address)
            return
        if position >= box.outer:
            step = rows_of if box.is_run else ctx.architecture.max_copy_rows
            for first in range(0, rows_of, step):
                chunk = min(step, rows_of - first)
                rows = ctx.number(1) if rank == 1 else box.moved[box.outer] * rows_inside(box.outer)
                for each in engine:  # the engine makes at least one trip
                    if not box.certain[each]:
                        some = ctx.compare(">", box.moved[each], ctx.number(0))
                        rows = ctx.cast(some, dtypes.int32) * rows
                if rows_of > step:
                    rows = ctx.maximum(ctx.minimum(rows - first, ctx.number(chunk)), ctx.number(0))
                ahead = address if rank == 1 else address + strides[-2] * first
                move(rows, (tile_row + first) * ctx.pitch_of(box.shape, box.dtype), ahead.named("offset"))
            return
        with ctx.loop_to(box.moved[position], "r") as index:
            moved = address + ctx.wide(index) * strides[position]
            outer(position + 1, tile_row + index * rows_inside(position), moved)

    outer(0, ctx.number(0), offset)


def _lower_copy_in(ctx: Any, node: Node) -> None:
    tensor = node.operands[0]
    assert isinstance(tensor, GlobalTensor)
    result = node.result
    assert isinstance(result, LocalTensor)
    rank = tensor.rank
    starts, rest = node.operands[1 : 1 + rank], list(node.operands[1 + rank :])
    real = [rest.pop(0) for _ in range(rank)] if node.attrs["real_shape"] else []
    box = Box(ctx, tensor, starts, result.shape, real)
    tile = ctx.result(node)
    pad: Optional[Any] = None
    if not box.is_whole and (node.attrs["pad"] or real):
        pad = ctx.operand(rest[0], tensor.dtype) if node.attrs["pad"] else ctx.number(0, tensor.dtype)
        with ctx.branch(box.partial()):
            ctx.fill(tile, pad, ctx.count(result.type))

    by_hand = pad is not None and not copies_pad(ctx, tensor.dtype, pad)
    copied_pad = ctx.number(0, tensor.dtype) if by_hand else pad

    def move(rows: Any, tile_offset: Any, address: Any) -> None:
        shape = ctx.copy_shape(box, rows, to_tile=True)
        padding = ctx.padding(box, copied_pad)
        part = tile if ctx.constant(tile_offset) == 0 else tile.at(tile_offset)
        ctx.emit("Load", part, ctx.global_ref(box, address), shape, padding)
        if by_hand:
            lines = rows if rank > 1 else None
            pitch = ctx.pitch_of(box.shape, box.dtype)
            pad_rows(ctx, tile, lines, tile_offset + box.moved[-1], pitch, ctx.padded_elements(box), pad)

    for_each_matrix(box, move, to_tile=True, by_engine=not by_hand)


def copies_pad(ctx: Any, dtype: DataType, pad: Any) -> bool:
    """Whether a copy can pad with a number: elements of 64 bits are padded with zeros only."""
    return dtype.sizeof() < 8 or bool(ctx.is_zero(pad))


def pad_rows(ctx: Any, tile: Any, rows: Any, begin: Any, pitch: Any, amount: Any, pad: Any) -> None:
    """Write ``amount`` numbers to each row, from ``begin`` in the first one on; ``rows`` is None for a single one."""
    with contextlib.ExitStack() as loops:
        if rows is not None:
            begin = begin + loops.enter_context(ctx.loop_to(rows, "r")) * pitch
        index = loops.enter_context(ctx.loop_to(amount, "k"))
        ctx.emit("SetValue", tile, begin + index, pad)


def _lower_copy_out(ctx: Any, node: Node) -> None:
    source, tensor = node.operands[0], node.operands[1]
    assert isinstance(source, LocalTensor) and isinstance(tensor, GlobalTensor)
    rank = tensor.rank
    starts, real = node.operands[2 : 2 + rank], node.operands[2 + rank :]
    box = Box(ctx, tensor, starts, source.shape, real)
    tile = ctx.operand(source)

    def move(rows: Any, tile_offset: Any, address: Any) -> None:
        part = tile if ctx.constant(tile_offset) == 0 else tile.at(tile_offset)
        ctx.emit("Store", ctx.global_ref(box, address), part, ctx.copy_shape(box, rows, to_tile=False))

    for_each_matrix(box, move, to_tile=False)


def stores_nothing(node: Node) -> bool:
    """Whether the store of a tile starts past the end of its global tensor, as far as compile-time numbers say."""
    tensor = node.operands[1]
    assert isinstance(tensor, GlobalTensor)
    places = zip(node.operands[2:], tensor.shape)
    return any(isinstance(at, int) and isinstance(extent, int) and at >= extent for at, extent in places)


def _element(ctx: Any, tensor: GlobalTensor, starts: Sequence[Operand]) -> Any:
    """One element of a global tensor as an operand."""
    address = ctx.number(0, dtypes.int64)
    stride = ctx.number(1, dtypes.int64)
    for position in range(tensor.rank - 1, -1, -1):
        address = ctx.wide(ctx.operand(starts[position], dtypes.int32)) * stride + address
        stride = ctx.wide(ctx.operand(tensor.shape[position], dtypes.int32)) * stride
    return ctx.element_ref(tensor, address)


def _lower_load_scalar(ctx: Any, node: Node) -> None:
    tensor = node.operands[0]
    result = node.result
    assert isinstance(tensor, GlobalTensor) and isinstance(result, PlainValue)
    element = _element(ctx, tensor, node.operands[1:])
    if ctx.is_written(tensor):
        ctx.emit("CleanLine", element)
    ctx.define(result, ctx.read_global(element, result))


def _lower_store_scalar(ctx: Any, node: Node) -> None:
    value, tensor = node.operands[0], node.operands[1]
    assert isinstance(tensor, GlobalTensor)
    element = _element(ctx, tensor, node.operands[2:])
    ctx.write_global(element, ctx.operand(value, tensor.dtype))
    ctx.emit("CleanLine", element)


def _no_lowering(ctx: Any, node: Node) -> None:
    """Described by the values themselves: nothing is emitted where they are made."""


# --- meaning ----------------------------------------------------------------------------------------------------------


def _check_limits(limits: Sequence[int], shape: tuple[int, ...]) -> None:
    if any(limit > extent for limit, extent in zip(limits, shape)):
        raise IndexError(f"real_shape is {tuple(limits)}, larger than the tile of shape {shape}")


def _loaded(tensor: Any, *numbers: Any, real_shape: bool, pad: bool, result: TileType) -> Any:
    rank = result.rank
    starts, limits = numbers[:rank], numbers[rank : 2 * rank] if real_shape else result.shape
    _check_limits(limits, result.shape)
    found = tensor.load(starts, numeric.box_inside(starts, tensor.shape, limits))
    tile = np.full(result.shape, numeric.as_elements(numbers[-1], result.dtype) if pad else 0, found.dtype)
    inside = np.zeros(result.shape, np.bool_)
    tile[numeric.box_slices(found.shape)], inside[numeric.box_slices(found.shape)] = found, True
    return tile if pad or real_shape or inside.all() else numeric.partly_undefined(tile, inside)


def _stored(tile: Any, tensor: Any, *numbers: Any, real_shape: bool) -> None:
    rank = tile.ndim
    starts, limits = numbers[:rank], numbers[rank:] if real_shape else tile.shape
    _check_limits(limits, tile.shape)
    counts = numeric.box_inside(starts, tensor.shape, limits)
    tensor.store(starts, tile[numeric.box_slices(counts)])


register(
    Operation(
        "global_tensor", global_tensor, lambda address, *shape, l2_cache: address.view(shape), _no_lowering,
        on_all(*_ELEMENTS),
    )
)  # fmt: skip
register(
    Operation("address_offset", address_offset, lambda address, n: address.moved(n), _no_lowering, on_all(*_ELEMENTS))
)
COPY_IN = register(Operation("copy_in", copy_in, _loaded, _lower_copy_in, on_all(*_ELEMENTS)))
register(
    Operation(
        "copy_out", copy_out, _stored, _lower_copy_out, on_all(*_ELEMENTS), pure=False, is_idle=stores_nothing
    )
)  # fmt: skip
register(
    Operation(
        "load_scalar", copy_in, lambda tensor, *at: tensor.element(at), _lower_load_scalar, on_all(*_ELEMENTS)
    )
)  # fmt: skip
register(
    Operation(
        "store_scalar", copy_out, lambda value, tensor, *at: tensor.set_element(at, value), _lower_store_scalar,
        on_all(*_ELEMENTS), pure=False,
    )
)  # fmt: skip
