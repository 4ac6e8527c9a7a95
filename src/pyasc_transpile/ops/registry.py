"""What an operation is, and the table of all of them.

One operation is defined in one place: its public signature and checks (``build``), its meaning on NumPy arrays
(``numpy``) and how it becomes instructions (``lower``).  The front end, the reference backend, lowering and the
documentation all read this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Protocol, Sequence

from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand
from ..graph.types import TileType
from ..targets import Architecture


class Lowering(Protocol):
    """What an operation may ask of the lowering stage; implemented by :mod:`pyasc_transpile.lower.lowering`."""

    architecture: Architecture

    def supports(self, instruction: str, dtype: DataType) -> bool:
        """Whether the architecture has ``instruction`` for elements of ``dtype``."""
        ...

    def operand(self, operand: Operand, dtype: Optional[DataType] = None) -> Any:
        """A tile operand as a tile reference, a scalar or number as an expression of ``dtype``."""
        ...

    def result(self, node: Node) -> Any:
        """The tile that holds the result of ``node``."""
        ...

    def scratch(self, type: TileType, name: str = "tmp") -> Any:
        """A tile for an intermediate value of this operation."""
        ...

    def count(self, type: TileType) -> Any:
        """Elements that an instruction on a tile of ``type`` processes, row padding included."""
        ...

    def emit(self, instruction: str, *arguments: Any) -> None:
        """Append an instruction."""
        ...

    def fail(self, message: str, remedy: str = "") -> Exception:
        """An error at the Python line of the node being lowered."""
        ...


LowerFunction = Callable[[Any, Node], None]


@dataclass(frozen=True)
class Operation:
    """One operation of the language.

    Attributes:
        name: name of the graph node.
        build: the public function that checks arguments and appends the node.
        numpy: the meaning on NumPy arrays. It is called with the operands of the node, then its attributes as keyword
            arguments, and returns the results. Tiles of floats are float64 arrays (the result is rounded once, by the
            caller), tiles of integers arrays of their type (the caller wraps), comparison results bool arrays; numbers
            have the tiles' type. Global tensors are :class:`pyasc_transpile.reference.memory.GlobalArray`; beside one,
            tiles are elements as they are and a tile with undefined elements is a masked array. A function with a
            parameter ``result`` gets the type of the result (or a tuple of them), one with ``core`` the block it runs
            on. Undefined elements of a result are said by returning a masked array. None: the reference cannot run it.
        lower: appends the instructions of one node.
        dtypes: element types accepted, per architecture.
        pure: whether a node without users may be removed.
        is_idle: whether a node with effects certainly has none; it then may be removed as well.
        offsets: whether the numbers beside its tiles are offsets, which keep their own type.
    """

    name: str
    build: Callable[..., Any]
    numpy: Optional[Callable[..., Any]]
    lower: LowerFunction
    dtypes: Mapping[str, Sequence[DataType]]
    pure: bool = True
    is_idle: Callable[[Node], bool] = lambda node: False
    offsets: bool = False


OPERATIONS: dict[str, Operation] = {}


def register(operation: Operation) -> Operation:
    """Add an operation to the table."""
    if operation.name in OPERATIONS:
        raise ValueError(f"operation {operation.name} is defined twice")
    OPERATIONS[operation.name] = operation
    return operation


def on_all(*names: str) -> dict[str, tuple[DataType, ...]]:
    """The same element types on every architecture."""
    return per_architecture(c220=names, c310=names)


def per_architecture(c220: Sequence[str], c310: Sequence[str]) -> dict[str, tuple[DataType, ...]]:
    """Element types accepted on each architecture, by name."""
    return {"c220": tuple(DataType(name) for name in c220), "c310": tuple(DataType(name) for name in c310)}
