"""What a launch argument becomes inside a kernel: a pointer, a scalar or a constant."""

from __future__ import annotations

import enum
import inspect
import types
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from ..errors import ArgumentTypeError, ArgumentValueError, TranspileError
from ..graph import dtypes
from ..graph.dtypes import DataType
from .constexpr import Check, ConstExpr, constant_check


class ParameterKind(enum.Enum):
    """How a kernel parameter reaches the kernel."""

    POINTER = "pointer"
    SCALAR = "scalar"
    CONSTANT = "constant"


class BoundArgument(NamedTuple):
    """One argument of a launch.

    Attributes:
        name: name of the parameter.
        kind: how it reaches the kernel.
        dtype: element type of a pointer, type of a scalar, None for a constant.
        value: the array, the number, or the constant itself.
        read_only: whether the kernel must not write to the array.
    """

    name: str
    kind: ParameterKind
    dtype: Optional[DataType]
    value: Any
    read_only: bool = False


class BoundArguments(NamedTuple):
    """The arguments of a launch in the order of the kernel's parameters."""

    arguments: tuple[BoundArgument, ...]

    def runtime(self) -> list[BoundArgument]:
        """Pointers and scalars, in order: the parameters of the compiled kernel."""
        return [argument for argument in self.arguments if argument.kind is not ParameterKind.CONSTANT]

    def constants(self) -> dict[str, Any]:
        """Constants by name."""
        return {a.name: a.value for a in self.arguments if a.kind is ParameterKind.CONSTANT}


_TORCH_DTYPES = {
    name: DataType(name)
    for name in ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                 "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2")
}  # fmt: skip
_numpy_dtypes: dict[Any, DataType] = {}
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1


def _numpy_dtype(name: str, dtype: Any) -> DataType:
    found = _numpy_dtypes.get(dtype)
    if found is None:
        if not dtype.isnative:
            raise ArgumentValueError(
                f"argument {name!r} is not in the machine's byte order ({dtype.str})",
                remedy=f"pass {name}.astype({name}.dtype.newbyteorder('='))",
            )
        try:
            found = dtypes.from_numpy(dtype)
        except ArgumentValueError as error:
            raise ArgumentValueError(f"argument {name!r}: {error.message}", remedy=error.remedy) from None
        _numpy_dtypes[dtype] = found
    return found


def _array(name: str, value: Any) -> BoundArgument:
    dtype = _numpy_dtype(name, value.dtype)
    flags = value.flags
    if not flags.c_contiguous:
        raise ArgumentValueError(
            f"argument {name!r} is an array of shape {value.shape} that is not C-contiguous",
            remedy=f"pass numpy.ascontiguousarray({name})",
        )
    return BoundArgument(name, ParameterKind.POINTER, dtype, value, not flags.writeable)


def _int(name: str, value: Any) -> BoundArgument:
    if _INT32_MIN <= value <= _INT32_MAX:
        return BoundArgument(name, ParameterKind.SCALAR, dtypes.int32, int(value))
    if -(2**63) <= value < 2**63:
        return BoundArgument(name, ParameterKind.SCALAR, dtypes.int64, int(value))
    raise ArgumentValueError(f"argument {name!r} is {value}, which does not fit into 64 bits")


def _float(name: str, value: Any) -> BoundArgument:
    return BoundArgument(name, ParameterKind.SCALAR, dtypes.float32, float(value))


def _bool(name: str, value: Any) -> BoundArgument:
    return BoundArgument(name, ParameterKind.SCALAR, dtypes.int1, bool(value))


def _numpy_scalar(name: str, value: Any) -> BoundArgument:
    return BoundArgument(name, ParameterKind.SCALAR, _numpy_dtype(name, value.dtype), value)


def _constant(name: str, value: Any) -> BoundArgument:
    return BoundArgument(name, ParameterKind.CONSTANT, None, value.value)


_BY_TYPE: dict[type, Callable[[str, Any], BoundArgument]] = {
    np.ndarray: _array,
    int: _int,
    float: _float,
    bool: _bool,
    np.bool_: _bool,
    ConstExpr: _constant,
}


def classify(name: str, value: Any) -> BoundArgument:
    """What ``value`` becomes when it is passed for a parameter that is not annotated as a constant.

    Raises:
        ArgumentTypeError, ArgumentValueError: a kernel cannot take such a value; the message names the parameter.
    """
    handler = _BY_TYPE.get(type(value))
    if handler is not None:
        return handler(name, value)
    if isinstance(value, np.generic):
        return _numpy_scalar(name, value)
    for class_ in (np.ndarray, bool, int, float, ConstExpr):
        if isinstance(value, class_):
            return _BY_TYPE[class_](name, value)
    dtype = getattr(value, "dtype", None)
    if dtype is not None and not isinstance(value, type):
        return _tensor(name, value, dtype)
    raise ArgumentTypeError(
        f"argument {name!r} has type {type(value).__name__}, which a kernel cannot take",
        remedy=f"pass an array, a number, or make it a constant: annotate it as {name}: asctile.ConstExpr",
    )


def _tensor(name: str, value: Any, dtype: Any) -> BoundArgument:
    """A torch tensor, or anything else with a dtype: recognised by what it offers, torch is not imported."""
    text = str(dtype)
    if isinstance(dtype, DataType):
        found: Optional[DataType] = dtype
    elif text.startswith("torch."):
        found = _TORCH_DTYPES.get(text[len("torch.") :])
    elif isinstance(dtype, np.dtype):
        found = _numpy_dtype(name, dtype)
    else:
        found = None
    if found is None:
        raise ArgumentValueError(
            f"argument {name!r}: tensors of dtype {text} are not supported",
            remedy=f"convert to one of {', '.join(_TORCH_DTYPES)}",
        )
    dim = getattr(value, "dim", None)
    if callable(dim) and dim() == 0:
        return BoundArgument(name, ParameterKind.SCALAR, found, value.item())
    contiguous = getattr(value, "is_contiguous", None)
    if callable(contiguous) and not contiguous():
        raise ArgumentValueError(
            f"argument {name!r} is a tensor that is not contiguous", remedy=f"pass {name}.contiguous()"
        )
    return BoundArgument(name, ParameterKind.POINTER, found, value)


_REQUIRED = inspect.Parameter.empty


class ParameterList:
    """The parameters of a kernel, prepared once so that binding a launch is fast."""

    def __init__(self, function: types.FunctionType) -> None:
        self._function = function
        self._display = function.__qualname__
        parameters = list(inspect.signature(function).parameters.values())
        self.names: tuple[str, ...] = tuple(p.name for p in parameters)
        self.defaults: dict[str, Any] = {p.name: p.default for p in parameters if p.default is not _REQUIRED}
        self.annotations: dict[str, Any] = {p.name: p.annotation for p in parameters if p.annotation is not _REQUIRED}
        self._variadic = next((p for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)), None)
        self._positional = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        self._positional_only = frozenset(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY)
        self._checks: Optional[dict[str, Check]] = None

    @property
    def checks(self) -> dict[str, Check]:
        """Checks of the parameters that are annotated as constants, by name."""
        if self._checks is None:
            namespace = self._namespace()
            found = {name: constant_check(annotation, namespace) for name, annotation in self.annotations.items()}
            self._checks = {name: check for name, check in found.items() if check is not None}
        return self._checks

    def _namespace(self) -> dict[str, Any]:
        namespace = dict(vars(__import__("builtins")))
        namespace.update(self._function.__globals__)
        for name, cell in zip(self._function.__code__.co_freevars, self._function.__closure__ or ()):
            try:
                namespace[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
        return namespace

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> BoundArguments:
        """Assign the arguments of a launch to the parameters.

        Raises:
            ArgumentTypeError, ArgumentValueError, ConstantTypeError: naming the parameter.
        """
        values = self._assign(args, kwargs) if kwargs or len(args) != len(self.names) or self._variadic else args
        if len(args) == len(self.names) and self._positional != len(args):
            values = self._assign(args, kwargs)
        checks = self.checks
        bound = []
        for name, value in zip(self.names, values):
            check = checks.get(name)
            if check is None:
                bound.append(classify(name, value))
            elif type(value) is ConstExpr:
                bound.append(BoundArgument(name, ParameterKind.CONSTANT, None, value.value))
            else:
                bound.append(BoundArgument(name, ParameterKind.CONSTANT, None, check(name, value)))
        return BoundArguments(tuple(bound))

    def _assign(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        self._refuse_variadic()
        if len(args) > self._positional:
            raise ArgumentTypeError(
                f"{self._display} takes {self._positional} positional arguments, got {len(args)}",
                remedy=f"its parameters are {', '.join(self.names)}",
            )
        given: dict[str, Any] = dict(zip(self.names, args))
        for name, value in kwargs.items():
            if name not in self.names or name in self._positional_only:
                raise ArgumentTypeError(
                    f"{self._display} has no keyword parameter {name!r}",
                    remedy=f"its parameters are {', '.join(self.names)}",
                )
            if name in given:
                raise ArgumentTypeError(f"argument {name!r} is given twice")
            given[name] = value
        missing = [name for name in self.names if name not in given and name not in self.defaults]
        if missing:
            listed = ", ".join(repr(name) for name in missing)
            raise ArgumentTypeError(
                f"{self._display} misses argument{'s' if len(missing) > 1 else ''} {listed}",
                remedy=f"its parameters are {', '.join(self.names)}",
            )
        return [given[name] if name in given else self.defaults[name] for name in self.names]

    def _refuse_variadic(self) -> None:
        if self._variadic is not None:
            raise ArgumentTypeError(
                f"{self._display} cannot be launched: it has the parameter {self._variadic}",
                remedy="name every parameter of a kernel",
            )


class NotAKernelError(TranspileError, TypeError):
    """``jit`` was given something that cannot be a kernel."""
