"""Functions that give the elements of a tile another shape, in the same row-major order.

A new shape that puts every element at the place where it is already costs nothing: the result is a view of the same
buffer.  Others move the elements (:mod:`.relayout`).
"""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.graph import Node, current_builder
from ..graph.types import TileType
from ..graph.values import LocalTensor, Value
from . import scalars, typing
from .registry import Operation, on_all, register
from .relayout import relayout, same_places

_ELEMENTS = ("int1", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


def separate(items: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments given one by one or as one list or tuple."""
    if len(items) == 1 and isinstance(items[0], Iterable) and not isinstance(items[0], (str, bytes, Value)):
        return tuple(items[0])
    return tuple(items)


def check_axes(axes: Sequence[Any], rank: int, what: str) -> list[int]:
    """Axes as ints from 0, negative ones counted from the end, as NumPy does.

    Raises:
        TypeError: an axis is not an int.
        RuntimeError: an axis out of range, or given twice.
    """
    found: list[int] = []
    for axis in axes:
        number = scalars.python_number(axis)
        if isinstance(number, Value):
            raise TypeError(f"an axis of {what} must be a compile-time int, not {typing.describe(axis)}")
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"an axis of {what} must be an int, not {typing.describe(axis)}")
        plain = int(unnamed(number))
        if not -rank <= plain < rank:
            raise RuntimeError(f"axis {plain} of {what} is out of range for {rank} dimensions")
        if plain % rank in found:
            raise RuntimeError(f"axis {plain} of {what} is given twice")
        found.append(plain % rank)
    return found


def reshape(input: Any, *shape: Any) -> Any:
    """The same elements in row-major order in another shape.

    Costs nothing where no row moves (equal last extents, or rows that are multiples of 32 bytes in both shapes).

    Args:
        input: tile of any type, comparison results included.
        shape: extents, separately or as one list or tuple; one of them may be -1 and is then computed.

    Returns:
        Tile of that shape; the same tile if it has that shape already.

    Raises:
        TypeError: input is not a tile, or an extent not an int.
        RuntimeError: another number of elements, an extent that is not positive, or more than one -1.
    """
    tile = typing.check_tile(input, "the operand of reshape")
    return as_shape(tile, typing.check_shape(_completed(separate(shape), tile)))


def _completed(extents: tuple[Any, ...], tile: LocalTensor) -> tuple[Any, ...]:
    """``extents`` with -1 computed, and with the right number of elements."""
    numbers = [scalars.python_number(extent) for extent in extents]
    unknown = [at for at, number in enumerate(numbers) if isinstance(number, int) and number == -1]
    if len(unknown) > 1:
        raise RuntimeError("only one extent of reshape may be -1")
    shown = tuple(unnamed(number) if isinstance(number, int) else number for number in numbers)
    if unknown:
        rest = [number for at, number in enumerate(numbers) if at != unknown[0]]
        known = math.prod(number for number in rest if isinstance(number, int) and not isinstance(number, Value))
        if known <= 0 or tile.size % known:
            raise RuntimeError(f"a tile of {tile.size} elements cannot be reshaped to {shown}")
        numbers[unknown[0]] = tile.size // known
    checked = typing.check_shape(numbers)
    if math.prod(checked) != tile.size:
        raise RuntimeError(f"a tile of shape {_plain(tile.shape)} ({tile.size} elements) cannot be reshaped to {shown}")
    return checked


def _plain(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(unnamed(extent)) for extent in shape)


def as_shape(tile: LocalTensor, shape: tuple[int, ...]) -> LocalTensor:
    """A tile with as many elements in another shape."""
    if tile.shape == shape:
        return tile
    if tile.dtype.is_bool() and tile.shape[-1] != shape[-1]:
        return as_mask(as_shape(as_numbers(tile), shape))
    result = current_builder().emit("reshape", [tile], [TileType(tile.dtype, shape)]).result
    assert isinstance(result, LocalTensor)
    return result


def as_numbers(mask: LocalTensor) -> LocalTensor:
    """A comparison result as ones and zeros of float16, which can be moved about."""
    result = current_builder().emit("where", [mask, 1.0, 0.0], [TileType(dtypes.float16, mask.shape)]).result
    assert isinstance(result, LocalTensor)
    return result


def as_mask(numbers: LocalTensor) -> LocalTensor:
    """The inverse of :func:`as_numbers`."""
    result = current_builder().emit("not_equal", [numbers, 0.0], [TileType(dtypes.int1, numbers.shape)]).result
    assert isinstance(result, LocalTensor)
    return result


def ravel(input: Any) -> Any:
    """The elements of a tile in row-major order, in one dimension; see :func:`reshape`.

    Raises:
        TypeError: input is not a tile.
    """
    tile = typing.check_tile(input, "the operand of ravel")
    return as_shape(tile, (tile.size,))


def expand_dims(input: Any, *axis: Any) -> Any:
    """Insert dimensions of extent 1; costs nothing unless the last dimension changes.

    Args:
        input: tile of any type.
        axis: positions of the new dimensions in the *result*, negative ones from its end (as in NumPy), separately or
            as one list or tuple; none gives the tile as it is.

    Returns:
        Tile with as many dimensions more.

    Raises:
        TypeError: input is not a tile, or an axis not an int.
        RuntimeError: an axis out of range, or given twice.
    """
    tile = typing.check_tile(input, "the operand of expand_dims")
    axes = separate(axis)
    places = check_axes(axes, tile.rank + len(axes), "expand_dims")
    extents = iter(tile.shape)
    return as_shape(
        tile, tuple(1 if position in places else next(extents) for position in range(tile.rank + len(axes)))
    )


def squeeze(input: Any, *axis: Any) -> Any:
    """Remove dimensions of extent 1; costs nothing unless the last dimension changes.

    Args:
        input: tile of any type.
        axis: the dimensions, negative ones from the end, separately or as one list or tuple; none means all of
            extent 1.

    Returns:
        Tile with as many dimensions fewer.

    Raises:
        TypeError: input is not a tile, or an axis not an int.
        RuntimeError: a dimension of another extent, an axis out of range or given twice, or no dimension left.
    """
    tile = typing.check_tile(input, "the operand of squeeze")
    axes = separate(axis)
    places = check_axes(axes, tile.rank, "squeeze")
    for place in places:
        if tile.shape[place] != 1:
            raise RuntimeError(
                f"dimension {place} of {_plain(tile.shape)} has extent {unnamed(tile.shape[place])}, not 1"
            )
    if not axes:
        places = [position for position, extent in enumerate(tile.shape) if extent == 1]
    shape = tuple(extent for position, extent in enumerate(tile.shape) if position not in places)
    if not shape:
        raise RuntimeError(
            f"squeeze of {_plain(tile.shape)} leaves no dimension; keep one by naming the axes to remove"
        )
    return as_shape(tile, shape)


def _lower(ctx: Any, node: Node) -> None:
    source, result = node.operands[0], node.result
    assert isinstance(source, LocalTensor) and isinstance(result, LocalTensor)
    if same_places(ctx, source.type, result.type):
        ctx.view(node, ctx.operand(source))
    else:
        relayout(ctx, ctx.result(node), ctx.operand(source), source.type, result.type)


def _reshaped(tile: Any, result: TileType) -> Any:
    return tile.reshape(result.shape)


RESHAPE = register(Operation("reshape", reshape, _reshaped, _lower, on_all(*_ELEMENTS)))
