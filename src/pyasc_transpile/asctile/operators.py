"""Python operators and methods of run-time values, attached from tables."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from ..graph.types import TensorLocation
from ..graph.values import GlobalAddress, LocalTensor, PlainValue
from ..ops import OPERATIONS, scalars, transfers
from ..ops.conversion import RoundMode, cast
from ..ops.maths import exp2
from ..ops.moves import to_location
from ..ops.permute import transpose
from ..ops.selection import mask_logic, mask_not
from ..ops.shapes import broadcast_to
from ..ops.views import expand_dims, ravel, reshape, squeeze

# special method -> scalar operation, tile operation
_BINARY: Mapping[str, tuple[str, str]] = {
    "add": ("add", "add"),
    "sub": ("sub", "sub"),
    "mul": ("mul", "mul"),
    "truediv": ("div", "div"),
    "floordiv": ("floordiv", "floordiv"),
    "mod": ("mod", "mod"),
    "pow": ("power", "pow"),
    "lshift": ("left_shift", "left_shift"),
    "rshift": ("right_shift", "right_shift"),
    "and": ("bitwise_and", "bitwise_and"),
    "or": ("bitwise_or", "bitwise_or"),
    "xor": ("bitwise_xor", "bitwise_xor"),
}
_COMPARE: Mapping[str, str] = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_MASK_OPERATORS = ("and", "or", "xor")
_MATHS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "erf", "log2")
_TILE_METHODS = ("exp", "log", "sqrt", "rsqrt", "abs", "relu", "floor", "ceil", "softmax", *_MATHS)


def _scalar_binary(name: str, reflected: bool) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        if isinstance(other, LocalTensor) or not (isinstance(other, PlainValue) or scalars.is_number(other)):
            return NotImplemented
        return scalars.apply(name, other, self) if reflected else scalars.apply(name, self, other)

    return method


def _tile_binary(name: str, special: str, reflected: bool) -> Callable[..., Any]:
    operation = OPERATIONS[name].build

    def method(self: Any, other: Any) -> Any:
        left, right = (other, self) if reflected else (self, other)
        if special in _MASK_OPERATORS and self.dtype.is_bool():
            return mask_logic(special, left, right)
        return operation(left, right)

    return method


def _tile_method(name: str) -> Callable[..., Any]:
    operation = OPERATIONS[name].build

    def method(self: Any) -> Any:
        return operation(self)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = operation.__doc__
    return method


def _reduction_method(name: str) -> Callable[..., Any]:
    operation = OPERATIONS[f"reduce_{name}"].build

    def method(self: Any, *dims: Any, keep_dims: bool = False) -> Any:
        return operation(self, *dims, keep_dims=keep_dims)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = operation.__doc__
    return method


def _identity(self: Any) -> Any:
    return self


def _invert_tile(self: Any) -> Any:
    return mask_not(self) if self.dtype.is_bool() else OPERATIONS["bitwise_not"].build(self)


def _to(self: Any, dtype: Any = None, round_mode: RoundMode = RoundMode.Default, *, location: Any = None) -> Any:
    """Convert the tile to another element type, or move it to another on-chip memory.

    See :func:`pyasc_transpile.asctile.cast` and :func:`pyasc_transpile.asctile.copy`.

    Args:
        dtype: an element type, or a place (TensorLocation or its name).
        round_mode: how to round, with an element type.
        location: a place, if given by name.

    Raises:
        RuntimeError: both or neither of an element type and a place.
    """
    if isinstance(dtype, (TensorLocation, str)) and location is None:
        dtype, location = None, dtype
    if (dtype is None) == (location is None):
        raise RuntimeError("to() takes an element type or a location, for example to(asctile.float32) or to('UB')")
    return cast(self, dtype, round_mode) if location is None else to_location(self, location)


def _shape_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any) -> Any:
        return function(self, *arguments)

    method.__name__ = name
    method.__doc__ = function.__doc__
    return method


_SHAPE_METHODS: Mapping[str, Callable[..., Any]] = {
    "reshape": reshape,
    "ravel": ravel,
    "expand_dims": expand_dims,
    "squeeze": squeeze,
    "transpose": transpose,
}


def _broadcast_to(self: Any, *shape: Any) -> Any:
    """Repeat the tile along dimensions of extent 1; see :func:`pyasc_transpile.asctile.broadcast_to`."""
    return broadcast_to(self, *shape)


def install() -> None:
    """Attach the operators and methods to the value classes."""
    for special, (scalar_name, tile_name) in _BINARY.items():
        for reflected in (False, True):
            method = f"__{'r' if reflected else ''}{special}__"
            setattr(PlainValue, method, _scalar_binary(scalar_name, reflected))
            if tile_name:
                setattr(LocalTensor, method, _tile_binary(tile_name, special, reflected))
    for special, name in _COMPARE.items():
        setattr(PlainValue, f"__{special}__", _scalar_binary(name, False))
        setattr(LocalTensor, f"__{special}__", _tile_binary(name, special, False))
    for cls in (PlainValue, LocalTensor):
        setattr(cls, "__pos__", _identity)
        setattr(cls, "__hash__", object.__hash__)
    setattr(PlainValue, "__neg__", lambda self: scalars.apply("negative", self))
    setattr(PlainValue, "__invert__", lambda self: scalars.apply("bitwise_not", self))
    setattr(PlainValue, "__abs__", lambda self: scalars.apply("absolute", self))
    setattr(PlainValue, "cast", scalars.cast)
    setattr(PlainValue, "ceildiv", scalars.ceildiv)
    setattr(PlainValue, "max", scalars.maximum)
    setattr(PlainValue, "min", scalars.minimum)
    setattr(PlainValue, "logical_and", scalars.logical_and)
    setattr(PlainValue, "logical_or", scalars.logical_or)
    setattr(PlainValue, "logical_not", scalars.logical_not)
    setattr(LocalTensor, "__neg__", lambda self: OPERATIONS["negative"].build(self))
    setattr(LocalTensor, "__abs__", lambda self: OPERATIONS["abs"].build(self))
    setattr(LocalTensor, "__invert__", _invert_tile)
    setattr(LocalTensor, "to", _to)
    setattr(LocalTensor, "broadcast_to", _broadcast_to)
    for name in _TILE_METHODS:
        setattr(LocalTensor, name, _tile_method(name))
    setattr(LocalTensor, "exp2", exp2)
    for name in ("sum", "max", "min", "prod"):
        setattr(LocalTensor, name, _reduction_method(name))
    for name, function in _SHAPE_METHODS.items():
        setattr(LocalTensor, name, _shape_method(name, function))
    setattr(LocalTensor, "T", property(transpose))
    setattr(GlobalAddress, "__add__", transfers.address_offset)


install()
