"""The Ascend C instruction table: one row per call.

A row says on which pipe a call runs, which of its arguments it reads and writes, and for which element types each
architecture has it.  Lowering, memory planning, synchronisation, limits and rendering read these rows; none of them
knows an instruction by name.

Source: Ascend C API reference, the tables of supported types of each function and "pipes and what issues where".
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Mapping, Optional

from ..graph.dtypes import DataType


class Pipe(enum.Enum):
    """An instruction queue of one core."""

    S = "S"
    V = "V"
    MTE1 = "MTE1"
    MTE2 = "MTE2"
    MTE3 = "MTE3"
    M = "M"
    FIX = "FIX"


class Role(enum.Enum):
    """What a call does with an argument."""

    WRITE = "write"
    READ = "read"
    PLAIN = "plain"


W, R, P = Role.WRITE, Role.READ, Role.PLAIN


@dataclass(frozen=True)
class InstructionRow:
    """One Ascend C call.

    Attributes:
        name: name in this table; equals the function unless one function has several rows.
        function: the function or method called.
        pipe: where it runs.
        roles: one per argument.
        dtypes: element types of the first tile argument, per architecture; None means any.
        in_place: whether a written tile may be the same as a read one.
        method: whether the call is a method of its first argument.
        library_ub: architectures on which the call takes scratch memory at the top of UB.
        templates: how many arguments, all text, are template arguments.
        verbatim: whether the first argument is code, in which ``$0``, ``$1`` and so on stand for the others.
        accumulates: whether the result depends on what the written tile held before.
        settles: architectures on which the call ends with a barrier on its pipe.
        extent: where every result comes from the elements at its place, the argument that says how many there are (in
            a row), counted from the end; else 0.
        repeats: of a reduction to one result per repeat, the argument that says how many repeats there are (the
            distances of results, of blocks and of repeats follow it); else 0.
        blocks: of a reduction to one result per block, the argument that says how far blocks lie apart (that of repeats
            follows it); else 0.
    """

    name: str
    pipe: Pipe
    roles: tuple[Role, ...]
    dtypes: Optional[Mapping[str, frozenset[DataType]]] = None
    function: str = ""
    in_place: bool = True
    method: bool = False
    library_ub: frozenset[str] = frozenset()
    templates: int = 0
    verbatim: bool = False
    accumulates: bool = False
    settles: frozenset[str] = frozenset()
    extent: int = 0
    repeats: int = 0
    blocks: int = 0

    @property
    def text(self) -> str:
        return self.function or self.name


_SHORT = {
    "s8": "int8", "u8": "uint8", "s16": "int16", "u16": "uint16", "s32": "int32", "u32": "uint32", "s64": "int64",
    "u64": "uint64", "half": "float16", "bf16": "bfloat16", "float": "float32", "double": "float64",
}  # fmt: skip
_ALL_INTS = "s8 u8 s16 u16 s32 u32 s64 u64"


def _types(c220: str, c310: str) -> dict[str, frozenset[DataType]]:
    def parse(names: str) -> frozenset[DataType]:
        return frozenset(DataType(_SHORT[name]) for name in names.split())

    return {"c220": parse(c220), "c310": parse(c310)}


_BINARY = (W, R, R, P)
_UNARY = (W, R, P)
_SCALAR = (W, R, P, P)

_ARITHMETIC = _types("s16 half s32 float", "s16 u16 half bf16 s32 u32 float s64 u64")
_ADDITIVE = _types("s16 half s32 float", "s8 u8 s16 u16 half bf16 s32 u32 float s64 u64")
_SCALAR_ADD = _types("s16 half s32 float", "s8 u8 s16 half bf16 s32 float s64 u64")
_SCALAR_MUL = _types("s16 half s32 float", "s16 half bf16 s32 float s64 u64")
_BITS = _types("s16 u16", _ALL_INTS)
_MATHS = _types("half float", "half float")
_ON_C220 = frozenset({"c220"})
_POWER = _types("half float s32", "half float s32")
_SHIFT = _types("s16 u16 s32 u32", _ALL_INTS)
_SELECT = _types("half float", f"{_ALL_INTS} half bf16 float")
_WIDE = "s16 u16 half bf16 s32 u32 float"
# Forms that take a number from the first element of a tile.
_FIRST_OF = {
    "Add": _types("", "s16 half s32 float s64"),
    "Sub": _types("", "s16 half s32 float s64"),
    "Mul": _types("", "s16 half s32 float s64"),
    "Max": _types("", "s16 half s32 float s64"),
    "Min": _types("", "s16 half s32 float s64"),
    "Div": _types("", "half float s64"),
}
# Forms with a mask and repeats, whose rows may lie apart or be used again: 16- and 32-bit elements only.
_ROWS_OF = {
    "Add": _types("s16 half s32 float", "s16 half s32 float"),
    "Sub": _types("s16 half s32 float", "s16 half s32 float"),
    "Mul": _types("s16 half s32 float", "s16 half s32 float"),
    "Max": _types("s16 half s32 float", "s16 half s32 float"),
    "Min": _types("s16 half s32 float", "s16 half s32 float"),
    "Div": _types("half float", "s16 half s32 float"),
}

# Calls that only kernels written with single instructions use: element types of the form with a count.
_FUSED = _types("half float", "half float s64 u64")
_LOW_LEVEL = {
    "Rsqrt": (_UNARY, _MATHS), "Reciprocal": (_UNARY, _FUSED),
    "LeakyRelu": (_SCALAR, _MATHS), "Axpy": (_SCALAR, _FUSED),
    "AddRelu": (_BINARY, _types("s16 half float", "s16 half float s64 u64")),
    "SubRelu": (_BINARY, _types("s16 half float", "s16 half float s64 u64")),
    "MulAddDst": (_BINARY, _FUSED), "FusedMulAdd": (_BINARY, _FUSED), "FusedMulAddRelu": (_BINARY, _FUSED),
}  # fmt: skip
_ACCUMULATING = frozenset(("Axpy", "MulAddDst", "FusedMulAdd", "FusedMulAddRelu"))
# Forms with a mask and repeats: what the roles of the form with a count become.
_MASKED = {
    **{name: (roles, types) for name, (roles, types) in _LOW_LEVEL.items()},
    **dict.fromkeys(("Exp", "Ln", "Sqrt"), (_UNARY, _MATHS)), "Abs": (_UNARY, _MATHS),
    "Relu": (_UNARY, _types("half s32 float", "half s32 float")),
    "And": (_BINARY, _types("s16 u16", "s16 u16")), "Or": (_BINARY, _types("s16 u16", "s16 u16")),
    "Not": (_UNARY, _types("s16 u16", "s16 u16")),
    **dict.fromkeys(("Adds", "Muls", "Maxs", "Mins"), (_SCALAR, _types("s16 half s32 float", "s16 half s32 float"))),
    **dict.fromkeys(("ShiftLeft", "ShiftRight"), (_SCALAR, _types("s16 u16 s32 u32", "s16 u16 s32 u32"))),
}  # fmt: skip


def _lanes(
    name: str, roles: tuple[Role, ...], types: Optional[Mapping[str, frozenset[DataType]]] = None, function: str = "",
    in_place: bool = True, extent: int = -1,
) -> InstructionRow:  # fmt: skip
    """A row of the vector unit whose results each come from the elements at their place."""
    return InstructionRow(name, Pipe.V, roles, types, function, in_place, extent=extent)


_ROWS = (
    _lanes("Add", _BINARY, _ADDITIVE),
    _lanes("Sub", _BINARY, _ADDITIVE),
    _lanes("Mul", _BINARY, _ARITHMETIC),
    _lanes("Div", _BINARY, _types("half float", "s16 u16 half s32 u32 float s64 u64")),
    _lanes("Max", _BINARY, _ADDITIVE),
    _lanes("Min", _BINARY, _ADDITIVE),
    _lanes("And", _BINARY, _BITS),
    _lanes("Or", _BINARY, _BITS),
    _lanes("Not", _UNARY, _BITS),
    _lanes("Abs", _UNARY, _types("half float", "s8 s16 half s32 float s64")),
    _lanes("Exp", _UNARY, _MATHS),
    _lanes("Ln", _UNARY, _MATHS),
    _lanes("Sqrt", _UNARY, _MATHS),
    *(  # c220: sequences of instructions with a barrier behind each, the last one too
        InstructionRow(name, Pipe.V, (W, R, W, P), _MATHS, in_place=False, settles=_ON_C220)
        for name in ("Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Erf")
    ),
    InstructionRow("Log2", Pipe.V, (W, R, W, P), _MATHS, in_place=False),  # that of float32 ends without one
    InstructionRow("Power", Pipe.V, (W, R, R, W, P), _POWER, in_place=False, library_ub=_ON_C220),
    InstructionRow("PowerScalar", Pipe.V, (W, R, P, W, P), _POWER, "Power", in_place=False, library_ub=_ON_C220),
    InstructionRow("ScalarPower", Pipe.V, (W, P, R, W, P), _POWER, "Power", in_place=False, library_ub=_ON_C220),
    _lanes("Relu", _UNARY, _types("half s32 float", "half s32 float s64")),
    _lanes("Adds", _SCALAR, _SCALAR_ADD),
    _lanes("Muls", _SCALAR, _SCALAR_MUL),
    _lanes("Maxs", _SCALAR, _SCALAR_ADD),
    _lanes("Mins", _SCALAR, _SCALAR_ADD),
    InstructionRow("LeakyRelu", Pipe.V, _SCALAR, _MATHS),
    _lanes("Divs", _SCALAR, _types("", "half float s64 u64")),
    _lanes("SubsLeft", (W, P, R, P), _types("", "s16 half bf16 s32 float s64"), "Subs"),
    _lanes("DivsLeft", (W, P, R, P), _types("", "half float"), "Divs"),
    _lanes("ShiftLeft", _SCALAR, _SHIFT),
    _lanes("ShiftRight", _SCALAR, _SHIFT),
    _lanes("Cast", (W, R, P, P), in_place=False),
    _lanes("Duplicate", (W, P, P), _types("s16 u16 half bf16 s32 u32 float", f"{_ALL_INTS} half bf16 float")),
    InstructionRow(
        "DuplicateFirst", Pipe.V, (W, R, P), _types("", f"{_ALL_INTS} half bf16 float"), "Duplicate", in_place=False
    ),
    InstructionRow(
        "Compare", Pipe.V, (W, R, R, P, P), _types("half float", f"{_ALL_INTS} half bf16 float"), in_place=False
    ),
    InstructionRow(
        "Compares", Pipe.V, (W, R, P, P, P), _types("half float", f"{_ALL_INTS} half bf16 float"), in_place=False
    ),
    InstructionRow("CompareEqual", Pipe.V, (W, R, R, P, P), _types("half float s32", ""), "Compare", in_place=False),
    InstructionRow(
        "Select", Pipe.V, (W, R, R, R, P, P), _SELECT, in_place=True, library_ub=_ON_C220
    ),
    InstructionRow(
        "SelectScalar", Pipe.V, (W, R, R, P, P, P), _SELECT, "Select", library_ub=_ON_C220
    ),
    *(InstructionRow(f"{name}First", Pipe.V, _BINARY, types, f"{name}s") for name, types in _FIRST_OF.items()),
    *(_lanes(f"{name}Rows", (W, R, R, P, P, P), types, name, extent=-3) for name, types in _ROWS_OF.items()),
    InstructionRow(
        "CopyRows", Pipe.V, (W, R, P, P, P), _types(_WIDE, _WIDE),
        "Copy", in_place=False,
    ),
    InstructionRow(
        "WholeReduceSum", Pipe.V, (W, R, P, P, P, P, P), _types("float", "s32 float"), in_place=False, repeats=3
    ),
    *(
        InstructionRow(
            f"WholeReduce{what}", Pipe.V, (W, R, P, P, P, P, P, P), _types("half float", "s16 half s32 float"),
            in_place=False, repeats=3,
        )
        for what in ("Max", "Min")
    ),
    InstructionRow(
        "Brcb", Pipe.V, (W, R, P, P),
        _types("s16 u16 half bf16 s32 u32 float", f"{_ALL_INTS} half bf16 float"), in_place=False,
    ),
    InstructionRow(
        "Gather", Pipe.V, (W, R, R, P, P),
        _types("s16 u16 half bf16 s32 u32 float", f"{_ALL_INTS} half bf16 float"), in_place=False,
    ),
    InstructionRow(
        "CreateVecIndex", Pipe.V, (W, P, P), _types("s16 half s32 float", "s8 s16 half s32 float s64"), in_place=False
    ),
    *(
        InstructionRow(name, Pipe.V, roles, types, accumulates=name in _ACCUMULATING)
        for name, (roles, types) in _LOW_LEVEL.items()
    ),
    *(
        InstructionRow(
            f"{name}Masked", Pipe.V, (*roles[:-1], P, P, P), types, name, accumulates=name in _ACCUMULATING
        )
        for name, (roles, types) in _MASKED.items()
    ),
    InstructionRow(
        "ReduceSum", Pipe.V, (W, R, W, P), _types("half float", "half float s32 u32 s64 u64"), in_place=False
    ),
    *(
        InstructionRow(name, Pipe.V, (W, R, W, P, P), _types("half float", "s16 half s32 float"), in_place=False)
        for name in ("ReduceMax", "ReduceMin")
    ),
    *(
        InstructionRow(f"BlockReduce{what}", Pipe.V, (W, R, P, P, P, P, P), _MATHS, in_place=False, blocks=5)
        for what in ("Sum", "Max", "Min")
    ),
    InstructionRow("PairReduceSum", Pipe.V, (W, R, P, P, P, P, P), _MATHS, in_place=False),
    *(
        InstructionRow(f"{name}{form}", pipe, (W, R, P), None, "DataCopy")
        for name, pipe in (("LoadRun", Pipe.MTE2), ("StoreRun", Pipe.MTE3))
        for form in ("", "Blocks")
    ),
    # Every following DataCopyPad in that direction is repeated by two loops around it, until the reset.
    InstructionRow("SetLoopModePara", Pipe.S, (P, P), _types("", f"{_ALL_INTS} half bf16 float")),
    InstructionRow("ResetLoopModePara", Pipe.S, (P,)),
    InstructionRow("PipeBarrier", Pipe.S, (P,), templates=1),
    InstructionRow("Copy", Pipe.V, (W, R, P), None, "DataCopy", in_place=False),
    InstructionRow("CopyBlocks", Pipe.V, (W, R, P), None, "DataCopy", in_place=False),
    InstructionRow("Load", Pipe.MTE2, (W, R, P, P), None, "DataCopyPad", in_place=False),
    InstructionRow("Store", Pipe.MTE3, (W, R, P), None, "DataCopyPad", in_place=False),
    InstructionRow("SetAtomicAdd", Pipe.MTE3, (), templates=1),
    InstructionRow("SetAtomicMax", Pipe.MTE3, (), templates=1),
    InstructionRow("SetAtomicMin", Pipe.MTE3, (), templates=1),
    InstructionRow("SetAtomicNone", Pipe.MTE3, ()),
    InstructionRow("Printf", Pipe.S, (), function="AscendC::printf"),
    InstructionRow("DumpTensor", Pipe.S, (R, P, P)),
    InstructionRow("Assert", Pipe.S, (), function="ascendc_assert"),
    InstructionRow("WaitForAll", Pipe.S, (), function="PipeBarrier<PIPE_ALL>"),
    InstructionRow("GetValue", Pipe.S, (R, P), None, method=True),
    InstructionRow("SetValue", Pipe.S, (W, P, P), None, method=True),
    InstructionRow(
        "CleanLine", Pipe.S, (W,),
        function="DataCacheCleanAndInvalid<{T}, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>",
    ),
)  # fmt: skip

INSTRUCTIONS: Mapping[str, InstructionRow] = {row.name: row for row in _ROWS}


def supports(instruction: str, dtype: DataType, architecture: str) -> bool:
    """Whether an architecture has an instruction for elements of ``dtype``."""
    row = INSTRUCTIONS.get(instruction)
    return row is not None and (row.dtypes is None or dtype in row.dtypes[architecture])
