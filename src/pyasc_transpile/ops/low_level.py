"""Single Ascend C instructions called from a kernel: the table of calls, and the tensors that they take.

One entry of :data:`CALLS` is one call; each of its forms names a row of the instruction table and the Python parameter
that belongs to each argument of that row.  Synchronisation, memory and rendering follow from the row, as for everything
else.
"""

from __future__ import annotations

import enum
import inspect
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Union

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import ScalarType
from ..graph.values import GlobalTensor, LocalTensor
from . import scalars, typing
from .conversion import RoundMode
from .registry import Operation, on_all, register

# --- parameter structures and enumerations ----------------------------------------------------------------------------


class CMPMODE(enum.Enum):
    """What a comparison asks."""

    LT = "CMPMODE::LT"
    GT = "CMPMODE::GT"
    EQ = "CMPMODE::EQ"
    LE = "CMPMODE::LE"
    GE = "CMPMODE::GE"
    NE = "CMPMODE::NE"


class SelMode(enum.Enum):
    """What a selection selects between."""

    VSEL_CMPMASK_SPR = "SELMODE::VSEL_CMPMASK_SPR"
    VSEL_TENSOR_SCALAR_MODE = "SELMODE::VSEL_TENSOR_SCALAR_MODE"
    VSEL_TENSOR_TENSOR_MODE = "SELMODE::VSEL_TENSOR_TENSOR_MODE"


class ReduceOrder(enum.Enum):
    """Where a reduction of repeats puts value and index."""

    ORDER_VALUE_INDEX = "ReduceOrder::ORDER_VALUE_INDEX"
    ORDER_INDEX_VALUE = "ReduceOrder::ORDER_INDEX_VALUE"
    ORDER_ONLY_VALUE = "ReduceOrder::ORDER_ONLY_VALUE"
    ORDER_ONLY_INDEX = "ReduceOrder::ORDER_ONLY_INDEX"


class PipeID(enum.Enum):
    """An instruction queue."""

    PIPE_S = "PIPE_S"
    PIPE_V = "PIPE_V"
    PIPE_M = "PIPE_M"
    PIPE_MTE1 = "PIPE_MTE1"
    PIPE_MTE2 = "PIPE_MTE2"
    PIPE_MTE3 = "PIPE_MTE3"
    PIPE_FIX = "PIPE_FIX"
    PIPE_ALL = "PIPE_ALL"


HardEvent = enum.Enum(  # type: ignore[misc] # the names are those of pairs of pipes
    "HardEvent",
    {
        f"{first}_{second}": f"{first}_{second}"
        for first in ("MTE1", "MTE2", "MTE3", "M", "V", "S", "FIX")
        for second in ("MTE1", "MTE2", "MTE3", "M", "V", "S", "FIX")
    },
)
HardEvent.__doc__ = "A pair of pipes: the second one waits for the first."


class Structure:
    """A parameter structure of Ascend C: fields in order, each a number or an integer scalar.

    Attributes:
        fields: name, C++ type and default of each.
    """

    fields: tuple[tuple[str, str, int], ...] = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        names = [name for name, _, _ in self.fields]
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields, not {len(values)}: {', '.join(names)}")
        given = dict(zip(names, values))
        for name, value in named.items():
            if name not in names or name in given:
                problem = "twice" if name in given else "as a field it does not have"
                raise TypeError(f"{type(self).__name__} is given {name} {problem}; fields: {', '.join(names)}")
            given[name] = value
        self.values = [self._checked(given.get(name, default), name) for name, _, default in self.fields]

    def _checked(self, value: Any, name: str) -> Operand:
        if name == "padding_value" and typing.is_scalar(value):
            number: Operand = scalars.python_number(value)
            return number
        index: Operand = scalars.as_index(value, f"{name} of {type(self).__name__}")
        return index


def _structure(name: str, doc: str, fields: str) -> type[Structure]:
    """A structure class from ``name:type=default`` items."""
    parsed = []
    for item in fields.split():
        field, _, rest = item.partition(":")
        ctype, _, default = rest.partition("=")
        parsed.append((field, ctype, int(default or 0)))
    return type(name, (Structure,), {"__doc__": doc, "fields": tuple(parsed)})


_STRIDES = (
    "dst_blk_stride:uint8_t=1 src0_blk_stride:uint8_t=1 src1_blk_stride:uint8_t=1 "
    "dst_rep_stride:uint8_t=8 src0_rep_stride:uint8_t=8 src1_rep_stride:uint8_t=8"
)
STRUCTURES: Mapping[str, type[Structure]] = {
    made.__name__: made
    for made in (
        _structure("BinaryRepeatParams", "Distances of blocks and of repeats, of three tensors.", _STRIDES),
        _structure(
            "UnaryRepeatParams", "Distances of blocks and of repeats, of two tensors.",
            "dst_blk_stride:uint16_t=1 src_blk_stride:uint16_t=1 dst_rep_stride:uint8_t=8 src_rep_stride:uint8_t=8",
        ),
        _structure(
            "CopyRepeatParams", "Distances of blocks and of repeats, of a copy inside of UB.",
            "dst_stride:uint16_t=1 src_stride:uint16_t=1 dst_repeat_size:uint16_t=8 src_repeat_size:uint16_t=8",
        ),
        _structure(
            "BrcbRepeatParams", "Distances of blocks and of repeats.",
            "dst_blk_stride:uint16_t=1 dst_rep_stride:uint16_t=8",
        ),
        _structure(
            "DataCopyParams", "Runs of a copy: how many, their length and the gaps between them, in 32-byte blocks.",
            "block_count:uint16_t=1 block_len:uint16_t src_stride:uint16_t dst_stride:uint16_t",
        ),
        _structure(
            "DataCopyExtParams", "Runs of a copy: length in bytes; gaps in bytes in global memory, in blocks in UB.",
            "block_count:uint16_t=1 block_len:uint32_t src_stride:uint32_t dst_stride:uint32_t rsv:uint32_t",
        ),
        _structure(
            "DataCopyPadExtParams", "Elements put before and behind each run, and their value.",
            "is_pad:bool left_padding:uint8_t right_padding:uint8_t padding_value:T",
        ),
    )
}  # fmt: skip
_ENUMS: Mapping[str, type[enum.Enum]] = {
    each.__name__: each for each in (CMPMODE, SelMode, ReduceOrder, PipeID, RoundMode)
}


# --- tensors ----------------------------------------------------------------------------------------------------------


class AscTensor:
    """A tile or global tensor as Ascend C sees it: one run of elements in memory, which calls read and write.

    Rows of tiles with two or more dimensions begin at multiples of 32 bytes.

    Attributes:
        value: the tile or global tensor.
        dtype: element type; uint8 for comparison results.
    """

    def __init__(self, value: Union[LocalTensor, GlobalTensor], dtype: DataType, offset: Operand = 0) -> None:
        self.value = value
        self.dtype = dtype
        self.offset = offset

    @property
    def is_global(self) -> bool:
        return isinstance(self.value, GlobalTensor)

    @property
    def is_whole(self) -> bool:
        """Whether it is the tile or global tensor itself."""
        own = dtypes.uint8 if self.value.dtype.is_bool() else self.value.dtype
        return self.dtype == own and isinstance(self.offset, int) and self.offset == 0

    def __getitem__(self, offset: Any) -> AscTensor:
        """The part that begins ``offset`` elements further."""
        moved = scalars.as_index(offset, "the offset of a tensor")
        return AscTensor(self.value, self.dtype, scalars.apply("add", self.offset, moved))

    def reinterpret_cast(self, dtype: Any) -> AscTensor:
        """The same bytes as elements of another type; of a tensor in UB from its start on."""
        typing.check_dtype(dtype)
        if self.is_global or not isinstance(self.offset, int) or self.offset != 0:
            raise TypeError("reinterpret_cast takes a whole tensor in UB; select the part behind it")
        return AscTensor(self.value, dtype)

    def get_size(self) -> int:
        """Number of elements of a tile, without the padding of its rows."""
        if isinstance(self.value, GlobalTensor):
            raise TypeError("get_size is for tensors in UB; the shape of a global tensor is known to the kernel")
        return self.value.size * self.value.dtype.sizeof() // self.dtype.sizeof()

    def get_value(self, offset: Any) -> Any:
        """One element as a scalar."""
        operands = [*_operands(self[offset])]
        attrs = {"dtype": self.dtype}
        return current_builder().emit("low_level_value", operands, [ScalarType(self.dtype)], attrs).result

    def set_value(self, offset: Any, value: Any) -> None:
        """Write one element."""
        CALLS["set_value"](self, offset, value)


def _operands(tensor: AscTensor) -> Iterator[Operand]:
    yield tensor.value
    yield tensor.offset


def to_asc(obj: Any) -> Any:
    """A tile or global tensor for the calls of :mod:`pyasc_transpile.asctile.low_level`.

    Args:
        obj: tile or global tensor; any other value is returned unchanged.

    Returns:
        Tensor that shares the memory of the tile: what a call writes is what the tile then holds.
    """
    if isinstance(obj, LocalTensor):
        return AscTensor(obj, dtypes.uint8 if obj.dtype.is_bool() else obj.dtype)
    return AscTensor(obj, obj.dtype) if isinstance(obj, GlobalTensor) else obj


def from_asc(obj: Any, *, location: Any = None) -> Any:
    """The inverse of :func:`to_asc`.

    Args:
        obj: tensor that to_asc has made, or a part of one that belongs to a tile of one dimension; any other value is
            returned unchanged.
        location: on-chip memory of a tile; vector kernels use UB.

    Returns:
        The tile (of a part: the tile from its beginning on) or the global tensor.

    Raises:
        RuntimeError: another memory than UB, elements of another type than those of the tile, or a part of a tile of
            two or more dimensions.
    """
    if location is not None:
        from .transfers import check_location

        check_location(location)
    if not isinstance(obj, AscTensor) or obj.is_whole:
        return obj.value if isinstance(obj, AscTensor) else obj
    tile, offset = obj.value, obj.offset
    if not isinstance(tile, LocalTensor) or tile.rank > 1 or obj.dtype != tile.dtype or not isinstance(offset, int):
        raise RuntimeError(
            "from_asc takes a whole tensor of the tile's own type, or a part of a tile of one dimension that begins at "
            "a compile-time offset"
        )
    from .moves import copy

    return copy(tile, [offset], [tile.size - int(unnamed(offset))])


# --- the table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """One way to give the arguments of a call.

    Attributes:
        instruction: row of the instruction table.
        parameters: one per argument: ``name:kind`` with the kinds ``local``, ``global``, ``int``, ``bool``,
            ``number`` (of the type of ``typed_by``), and names of structures and enumerations; ``=NAME`` is the
            default.
        typed_by: the parameter whose element type decides whether an architecture has the call.
    """

    instruction: str
    parameters: tuple[str, ...]
    typed_by: str

    @property
    def names(self) -> list[str]:
        return [parameter.partition(":")[0] for parameter in self.parameters]


def _form(instruction: str, parameters: str, typed_by: str = "dst") -> Form:
    return Form(instruction, tuple(parameters.split()), typed_by)


class Call:
    """A function of the table; calling it appends the instruction."""

    def __init__(self, name: str, forms: tuple[Form, ...]) -> None:
        self.__name__ = self.name = name
        self.forms = forms
        written = "\n".join(f"    {name}({', '.join(form.parameters)})" for form in forms)
        self.__doc__ = f"One Ascend C instruction.\n\nForms:\n{written}\n"
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in forms[0].names]
        )

    def __call__(self, *values: Any, **named: Any) -> None:
        if named.pop("is_set_mask", True) is not True:
            raise TypeError(f"{self.name} always sets the mask; leave out is_set_mask")
        problems = []
        for form in self.forms:
            bound = _bind(form, values, named)
            if isinstance(bound, str):
                problems.append(bound)
            else:
                _append(self.name, self.forms.index(form), form, bound)
                return
        written = " or ".join(f"{self.name}({', '.join(form.parameters)})" for form in self.forms)
        raise TypeError(f"{self.name}: {problems[0]}; it is called as {written}")


def _bind(form: Form, values: tuple[Any, ...], named: Mapping[str, Any]) -> Union[list[Any], str]:
    """The arguments in order, or what is wrong with them."""
    if len(values) > len(form.parameters):
        return f"{len(values)} arguments are too many"
    unknown = [name for name in named if name not in form.names[len(values) :]]
    if unknown:
        return f"{unknown[0]} is not expected"
    found: list[Any] = []
    for position, parameter in enumerate(form.parameters):
        name, _, kind = parameter.partition(":")
        kind, _, default = kind.partition("=")
        if position < len(values):
            value = values[position]
        elif name in named:
            value = named[name]
        elif default:
            value = _ENUMS[kind][default] if kind in _ENUMS else False
        else:
            return f"{name} is missing"
        if not _fits(value, kind):
            return f"{name} must be {_KINDS.get(kind, f'an asc.{kind}')}, not {_described(value)}"
        found.append(value)
    return found


_KINDS = {
    "local": "a tensor in UB made by to_asc", "global": "a global tensor made by to_asc", "int": "an int or scalar",
    "bool": "a bool", "number": "a number or scalar",
}  # fmt: skip


def _described(value: Any) -> str:
    return "a tile; give to_asc(tile)" if isinstance(value, LocalTensor) else typing.describe(value)


def _fits(value: Any, kind: str) -> bool:
    if kind in ("local", "global"):
        return isinstance(value, AscTensor) and value.is_global == (kind == "global")
    if kind in ("int", "number"):
        return typing.is_scalar(value)
    if kind == "bool":
        return isinstance(value, bool)
    return isinstance(value, STRUCTURES.get(kind) or _ENUMS[kind])


def _append(name: str, number: int, form: Form, values: list[Any]) -> None:
    given = dict(zip(form.names, values))
    typed = given.get(form.typed_by)
    dtype = typed.dtype if isinstance(typed, AscTensor) else dtypes.float32
    operands: list[Operand] = []
    kinds = []
    for parameter, value in zip(form.parameters, values):
        what, _, kind = parameter.partition(":")
        if isinstance(value, AscTensor):
            operands += _operands(value)
            kinds.append(f"tensor:{value.dtype.name}")
        elif isinstance(value, enum.Enum):
            text = f"RoundMode::{value.value}" if isinstance(value, RoundMode) else value.value
            kinds.append(f"text:{text}")
        elif isinstance(value, Structure):
            operands += value.values
            kinds.append(f"struct:{type(value).__name__}")
        elif kind == "number":
            operands.append(typing.number_for(value, dtype, what))
            kinds.append(f"number:{dtype.name}")
        elif kind.startswith("bool"):
            kinds.append(f"text:{str(value).lower()}")
        else:
            operands.append(scalars.as_index(value, what))
            kinds.append("number:int32")
    attrs = {"call": name, "form": number, "arguments": tuple(kinds), "dtype": dtype}
    current_builder().emit("low_level", operands, attrs=attrs)


_UNARY = "dst:local src:local "
_BINARY = "dst:local src0:local src1:local "
_SCALAR = "dst:local src:local scalar:number "
_MASK = "mask:int repeat_times:int repeat_params:"


def _families() -> Iterator[Call]:
    for names, shared, structure in (
        (_UNARY_CALLS, _UNARY, "UnaryRepeatParams"),
        (_BINARY_CALLS, _BINARY, "BinaryRepeatParams"),
        (_SCALAR_CALLS, _SCALAR, "UnaryRepeatParams"),
    ):
        for name, instruction in names.items():
            masked = "Rows" if instruction in _IN_ROWS else "Masked"
            whole = _form(instruction, f"{shared}count:int")
            yield Call(name, (whole, _form(f"{instruction}{masked}", f"{shared}{_MASK}{structure}")))


_UNARY_CALLS = {
    "abs": "Abs", "exp": "Exp", "ln": "Ln", "sqrt": "Sqrt", "rsqrt": "Rsqrt", "reciprocal": "Reciprocal",
    "relu": "Relu", "bitwise_not": "Not",
}  # fmt: skip
_BINARY_CALLS = {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "max": "Max", "min": "Min", "bitwise_and": "And",
    "bitwise_or": "Or", "add_relu": "AddRelu", "sub_relu": "SubRelu", "mul_add_dst": "MulAddDst",
    "fused_mul_add": "FusedMulAdd", "fused_mul_add_relu": "FusedMulAddRelu",
}  # fmt: skip
_SCALAR_CALLS = {
    "adds": "Adds", "muls": "Muls", "maxs": "Maxs", "mins": "Mins", "shift_left": "ShiftLeft",
    "shift_right": "ShiftRight", "leaky_relu": "LeakyRelu", "axpy": "Axpy",
}  # fmt: skip
_IN_ROWS = frozenset(("Add", "Sub", "Mul", "Div", "Max", "Min"))  # the table has their masked forms under this name
_REPEATS = "dst_rep_stride:int src_blk_stride:int src_rep_stride:int"
_BLOCKS = f"{_UNARY}repeat:int mask:int {_REPEATS}"
_EXTREME = f"mask:int repeat_time:int {_REPEATS} order:ReduceOrder=ORDER_VALUE_INDEX"
_SHARED = f"{_UNARY}shared_tmp_buffer:local count:int"
_COMPARED = "cmp_mode:CMPMODE count:int"

CALLS: dict[str, Call] = {
    call.name: call
    for call in (
        *_families(),
        Call("duplicate", (_form("Duplicate", "dst:local scalar:number count:int"),)),
        Call("cast", (_form("Cast", f"{_UNARY}round_mode:RoundMode count:int"),)),
        Call("compare", (_form("Compare", f"{_BINARY}{_COMPARED}", "src0"),)),
        Call("compare_scalar", (_form("Compares", f"dst:local src0:local src1_scalar:number {_COMPARED}", "src0"),)),
        Call(
            "select",
            (
                _form("Select", "dst:local sel_mask:local src0:local src1:local sel_mode:SelMode count:int"),
                _form("SelectScalar", "dst:local sel_mask:local src0:local src1:number sel_mode:SelMode count:int"),
            ),
        ),
        Call("reduce_sum", (_form("ReduceSum", _SHARED),)),
        Call("reduce_max", (_form("ReduceMax", f"{_SHARED} cal_index:bool=False"),)),
        Call("reduce_min", (_form("ReduceMin", f"{_SHARED} cal_index:bool=False"),)),
        Call("whole_reduce_sum", (_form("WholeReduceSum", f"{_UNARY}mask:int repeat_time:int {_REPEATS}"),)),
        Call("whole_reduce_max", (_form("WholeReduceMax", f"{_UNARY}{_EXTREME}"),)),
        Call("whole_reduce_min", (_form("WholeReduceMin", f"{_UNARY}{_EXTREME}"),)),
        *(
            Call(f"block_reduce_{what}", (_form(f"BlockReduce{what.title()}", _BLOCKS),))
            for what in ("sum", "max", "min")
        ),
        Call("pair_reduce_sum", (_form("PairReduceSum", f"{_UNARY}repeat_time:int mask:int {_REPEATS}"),)),
        Call("gather", (_form("Gather", f"{_UNARY}src_offset:local src_base:int count:int"),)),
        Call("brcb", (_form("Brcb", "dst:local src0:local repeat_times:int repeat_params:BrcbRepeatParams"),)),
        Call("copy", (_form("CopyRows", f"{_UNARY}mask:int repeat_time:int repeat_params:CopyRepeatParams"),)),
        Call(
            "data_copy",
            tuple(
                _form(f"{row}{last}", f"dst:{dst} src:{src} {how}")
                for row, dst, src in (
                    ("LoadRun", "local", "global"), ("StoreRun", "global", "local"), ("Copy", "local", "local"),
                )
                for last, how in (("", "count:int"), ("Blocks", "repeat_params:DataCopyParams"))
            ),
        ),
        Call(
            "data_copy_pad",
            (
                _form(
                    "Load", "dst:local src:global data_copy_params:DataCopyExtParams pad_params:DataCopyPadExtParams"
                ),
                _form("Store", "dst:global src:local data_copy_params:DataCopyExtParams", "src"),
            ),
        ),
        Call("set_value", (_form("SetValue", "dst:local offset:int value:number"),)),
        Call("pipe_barrier", (_form("PipeBarrier", "pipe:PipeID"),)),
    )
}  # fmt: skip


def set_flag(event: Any, event_id: Any = 0) -> None:
    """Accepted and without effect: instructions that depend on each other are ordered by themselves.

    Args:
        event: a HardEvent.
        event_id: number of the event.

    Raises:
        TypeError: event is not a HardEvent.
    """
    if not isinstance(event, HardEvent):
        raise TypeError(f"event must be a HardEvent, not {typing.describe(event)}")


wait_flag = set_flag


# --- lowering ---------------------------------------------------------------------------------------------------------


def _tensor(ctx: Any, operands: Iterator[Operand], dtype: DataType) -> Any:
    value, offset = next(operands), next(operands)
    start = ctx.operand(offset, dtypes.int32)
    if isinstance(value, GlobalTensor):
        return ctx.whole_ref(value, ctx.wide(start))
    tile = ctx.operand(value).reinterpret(dtype)
    return tile if ctx.constant(start) == 0 else tile.at(start)


def _lower(ctx: Any, node: Node) -> None:
    name, dtype = node.attrs["call"], node.attrs["dtype"]
    form = CALLS[name].forms[node.attrs["form"]]
    if not ctx.supports(form.instruction, dtype):
        raise ctx.fail(
            f"{ctx.architecture.name} has no {name} for {dtype} in this form",
            "use a function of asctile, which is made of what there is",
        )
    operands = iter(node.operands)
    arguments: list[Any] = []
    for kind in node.attrs["arguments"]:
        what, _, detail = kind.partition(":")
        if what == "text":
            arguments.append(detail)
        elif what == "tensor":
            arguments.append(_tensor(ctx, operands, DataType(detail)))
        elif what == "struct":
            ctypes = [ctype for _, ctype, _ in STRUCTURES[detail].fields]
            fields = [(ctx.operand(next(operands), _field_type(ctype, dtype)), ctype) for ctype in ctypes]
            arguments.append(ctx.structure(f"{detail}<{dtype.cpp}>" if "T" in ctypes else detail, fields))
        else:
            arguments.append(ctx.operand(next(operands), DataType(detail)))
    ctx.emit(form.instruction, *arguments)


def _field_type(ctype: str, dtype: DataType) -> DataType:
    return dtype if ctype == "T" else dtypes.int1 if ctype == "bool" else dtypes.int32


def _lower_value(ctx: Any, node: Node) -> None:
    value, offset = node.operands
    dtype = node.attrs["dtype"]
    start = ctx.operand(offset, dtypes.int32)
    if isinstance(value, GlobalTensor):
        ctx.define(node.result, ctx.read_global(ctx.element_ref(value, ctx.wide(start)), node.result))
    else:
        ctx.define(node.result, ctx.read(ctx.operand(value).reinterpret(dtype), start))


_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
register(Operation("low_level", Call.__call__, None, _lower, on_all(*_ELEMENTS), pure=False))
register(Operation("low_level_value", AscTensor.get_value, None, _lower_value, on_all(*_ELEMENTS), pure=False))


def names() -> Mapping[str, Any]:
    """Everything public of the low-level interface, by name."""
    own: dict[str, Any] = {"set_flag": set_flag, "wait_flag": wait_flag, "HardEvent": HardEvent}
    return {**CALLS, **STRUCTURES, **_ENUMS, **own}
