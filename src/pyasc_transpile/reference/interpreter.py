"""The interpreter: one block after the other, one node after the other.

What an operation means is said by its definition (:attr:`pyasc_transpile.ops.registry.Operation.numpy`); here is only
what all of them share: control flow, scalars, rounding and wrapping of results, and which elements of a tile are
undefined.  An element of a result is undefined if it changes with what the undefined elements of the operands hold: the
operation is computed for several fillings and the results are compared.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from ..errors import DeviceFaultError, LoweringError, TranspileError
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import LOOPS, Node, Operand, Region, TileGraph
from ..graph.types import ScalarType, TileType
from ..graph.values import GlobalTensor, LocalTensor, PlainValue, Value
from ..ops import OPERATIONS, numeric
from . import scalars
from .memory import Address
from .scalars import UNDEFINED


@dataclass(frozen=True)
class Tile:
    """Elements, and which of them nothing has defined (None: all are defined)."""

    elements: Any
    undefined: Optional[Any] = None


@dataclass(frozen=True)
class Core:
    """Where a kernel runs, as its program model tells it."""

    block_idx: int
    block_num: int


def run(graph: TileGraph, block_num: int, arguments: Mapping[str, Any]) -> None:
    """Run a kernel; arrays are changed in place.

    Args:
        graph: the kernel.
        block_num: number of blocks; they run one after the other.
        arguments: by parameter name, an array (of uint16 for bfloat16, of any shape, contiguous) or a number.

    Raises:
        DeviceFaultError: an access outside of an array, the store of an undefined element, a condition or an offset
            that is undefined.
        LoweringError: an operation that has no meaning without a device.
    """
    bound: dict[Value, Any] = {}
    for param in graph.params:
        value = arguments[param.name]
        if isinstance(param, PlainValue):
            bound[param] = scalars.typed(value, param.dtype)
        else:
            bound[param] = Address(value.reshape(-1).view(numeric.memory_dtype(param.dtype)), param.dtype)
    for block_idx in range(block_num):
        _Block(graph, Core(block_idx, block_num), dict(bound)).run()


class _Block:
    def __init__(self, graph: TileGraph, core: Core, values: dict[Value, Any]) -> None:
        self.graph = graph
        self.core = core
        self.values = values

    def run(self) -> None:
        self._region(self.graph.body)

    def _region(self, region: Region) -> list[Any]:
        for node in region.nodes:
            try:
                self._node(node)
            except TranspileError as error:
                if node.span is not None:
                    error.locate(node.span)
                raise
            except (IndexError, ValueError, MemoryError) as error:
                raise self._fault(node, str(error)) from error
        return [self._value(operand) for operand in region.yields]

    def _fault(self, node: Node, message: str) -> DeviceFaultError:
        return DeviceFaultError(f"{node.op} in block {self.core.block_idx}: {message}", span=node.span)

    def _value(self, operand: Operand) -> Any:
        return self.values[operand] if isinstance(operand, Value) else unnamed(operand)

    def _known(self, node: Node, operand: Operand) -> Any:
        """A scalar that decides something."""
        return self._decided(node, self._value(operand))

    def _decided(self, node: Node, value: Any) -> Any:
        if value is UNDEFINED:
            raise self._fault(node, "its result depends on an undefined number")
        return value

    def _bind(self, values: Sequence[Value], contents: Sequence[Any]) -> None:
        for value, content in zip(values, contents):
            self.values[value] = scalars.typed(content, value.dtype) if isinstance(value, PlainValue) else content

    def _node(self, node: Node) -> None:
        if node.op in LOOPS:
            self._loop(node)
        elif node.op == "if":
            taken = self._known(node, node.operands[0])
            self._bind(node.results, self._region(node.regions[0 if taken else 1]))
        elif node.op.startswith("scalar."):
            self.values[node.result] = self._scalar(node, node.op[len("scalar.") :])
        else:
            self._operation(node)

    def _loop(self, node: Node) -> None:
        body, tests = node.regions[0], node.regions[1:]
        carried = [self._value(operand) for operand in node.operands[LOOPS[node.op][0] :]]
        for index in self._indices(node):
            for region in node.regions:
                self._bind(region.params, [*index, *carried])
            if any(not self._decided(node, self._region(test)[0]) for test in tests):
                break
            carried = self._region(body)
        self._bind(node.results, carried)

    def _indices(self, node: Node) -> Iterable[tuple[int, ...]]:
        """Per iteration, what the params of a loop's regions begin with."""
        if node.op == "while":
            return itertools.repeat(())
        start, stop, step = (self._known(node, operand) for operand in node.operands[:3])
        if step == 0:
            raise self._fault(node, "the step of the loop is 0")
        return zip(range(start, stop, step))

    def _scalar(self, node: Node, name: str) -> Any:
        operands = [self._value(operand) for operand in node.operands]
        dtype = node.result.dtype
        if name == "constant":
            return scalars.typed(operands[0], dtype)
        typed_operands = [operand for operand in node.operands if isinstance(operand, Value)]
        own = typed_operands[0].dtype if typed_operands else dtype
        if name == "cast":
            return scalars.convert(operands[0], own, dtype)
        return scalars.evaluate(name, [scalars.typed(operand, own) for operand in operands], own, dtype)

    # --- operations on tiles and on global memory ---------------------------------------------------------------------

    def _operation(self, node: Node) -> None:
        operands = [self._value(operand) for operand in node.operands]
        touches_memory = any(isinstance(operand, GlobalTensor) for operand in node.operands)
        if any(operand is UNDEFINED for operand in operands) and (touches_memory or _element_dtype(node) is None):
            raise self._fault(node, "an operand is an undefined number")
        results: Optional[list[Any]] = None
        for filling in range(1 if touches_memory or not any(map(_is_partial, operands)) else len(_FILLINGS)):
            given = self._given(node, operands, filling, touches_memory)
            computed = self._call(node, given)
            results = computed if results is None else [_agreed(*pair) for pair in zip(results, computed)]
        for value, result in zip(node.results, results or ()):
            if isinstance(result, Tile) and isinstance(value, PlainValue):
                number = result.elements.reshape(())[()].item()
                result = UNDEFINED if _is_partial(result) else scalars.typed(number, value.dtype)
            self.values[value] = result

    def _given(self, node: Node, operands: Sequence[Any], filling: int, touches_memory: bool) -> Iterator[Any]:
        element = _element_dtype(node)
        for operand, value in zip(node.operands, operands):
            if isinstance(value, Tile):
                yield _masked(value) if touches_memory else _filled(value, operand.dtype, filling)  # type: ignore[union-attr]
            elif touches_memory or element is None or isinstance(value, Address) or not isinstance(value, _NUMBERS):
                yield value
            elif value is UNDEFINED:
                yield _poison(element, filling)
            else:
                yield _number(value, element)

    def _call(self, node: Node, given: Iterator[Any]) -> list[Any]:
        meaning = OPERATIONS[node.op].numpy
        if meaning is None:
            raise LoweringError(
                f"{node.op} has no meaning for the Reference backend", span=node.span,
                remedy="run the kernel with asctile.set_platform('CPU')",
            )  # fmt: skip
        extra = dict(node.attrs)
        wanted = _extra_parameters(meaning)
        if "result" in wanted:
            types = tuple(result.type for result in node.results)
            extra["result"] = types[0] if len(types) == 1 else types
        if "core" in wanted:
            extra["core"] = self.core
        with np.errstate(all="ignore"):
            returned = meaning(*given, **extra)
            if not node.results:
                return []
            results = list(returned) if len(node.results) > 1 else [returned]
            return [_content(result, value) for result, value in zip(results, node.results)]


_NUMBERS = (bool, int, float, scalars.Undefined)


@functools.cache
def _extra_parameters(meaning: Any) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(meaning).parameters) & {"result", "core"}
    except (TypeError, ValueError):  # a NumPy function without a signature
        return frozenset()


def _content(returned: Any, value: Value) -> Any:
    """What an operation returned as the value of a node's result."""
    if not isinstance(value.type, (TileType, ScalarType)):
        return returned
    elements = numeric.as_elements(np.ma.getdata(returned), value.dtype)
    shape = value.type.shape if isinstance(value.type, TileType) else ()
    if elements.shape != shape and elements.size != 1:
        raise LoweringError(f"the meaning of an operation gives shape {elements.shape} where {shape} is due")
    mask = np.ma.getmaskarray(returned) if np.ma.is_masked(returned) else None
    return Tile(elements.reshape(shape), None if mask is None else mask.reshape(shape))


def _agreed(one: Any, other: Any) -> Any:
    """The result of two fillings: undefined where they differ."""
    if not isinstance(one, Tile):
        return one
    a, b = one.elements, other.elements
    with np.errstate(all="ignore"):
        differs = (a != b) & ~((a != a) & (b != b))
    for tile in (one, other):
        if tile.undefined is not None:
            differs = differs | tile.undefined
    return Tile(one.elements, differs if differs.any() else None)


def _is_partial(value: Any) -> bool:
    return value is UNDEFINED or (isinstance(value, Tile) and value.undefined is not None)


# What undefined elements are taken to be, for floats, integers and comparison results.
_FILLINGS = (("nan", "min", False), ("1e30", "max", True), ("-1e30", "0", False))


def _poison(dtype: DataType, filling: int) -> Any:
    floating, whole, truth = _FILLINGS[filling]
    held = numeric.numpy_dtype(dtype)
    if dtype.is_bool():
        return np.bool_(truth)
    if dtype.is_float():
        return np.float64(floating)
    return held.type(0 if whole == "0" else getattr(np.iinfo(held), whole))


def _filled(tile: Tile, dtype: DataType, filling: int) -> Any:
    elements = numeric.wide(tile.elements)
    return elements if tile.undefined is None else np.where(tile.undefined, _poison(dtype, filling), elements)


def _masked(tile: Tile) -> Any:
    return tile.elements if tile.undefined is None else np.ma.MaskedArray(tile.elements, mask=tile.undefined)


def _element_dtype(node: Node) -> Optional[DataType]:
    """The type that numbers beside the tiles of a node have; None if they keep their own."""
    if OPERATIONS[node.op].offsets:
        return None
    tiles = [operand.dtype for operand in node.operands if isinstance(operand, LocalTensor)]
    tiles += [result.dtype for result in node.results if isinstance(result, LocalTensor)]
    return next((dtype for dtype in tiles if not dtype.is_bool()), None)


def _number(value: Any, dtype: DataType) -> Any:
    if dtype.is_float():
        return np.float64(numeric.round_to_float(np.asarray(value, np.float64), dtype))
    return numeric.numpy_dtype(dtype).type(scalars.typed(value, dtype))
