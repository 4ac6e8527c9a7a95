"""Ascend C written by hand inside of a kernel."""

from __future__ import annotations

import re
from typing import Any, Sequence

from ..graph.constants import unnamed
from ..graph.graph import Node, Operand, current_builder
from ..graph.types import TileType
from ..graph.values import GlobalTensor, LocalTensor, Value
from . import scalars, typing
from .low_level import AscTensor
from .registry import Operation, on_all, register

_ELEMENTS = ("int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
_ARGUMENT = re.compile(r"\$(\d+)")


def inline(code: Any, args: Any = None, before_function: bool = False) -> None:
    """Put C++ into the kernel as it is.

    ``$0``, ``$1`` and so on stand for the arguments: a tile is a LocalTensor, a global tensor a GlobalTensor, an
    address a pointer, scalars and numbers are expressions; ``$k`` without such an argument stays. A semicolon is added.
    The code may read and write the tiles and global tensors that it is given, on any pipe: all pipes are awaited before
    and after it. Rows of tiles with two or more dimensions begin at multiples of 32 bytes.

    Args:
        code: the C++ text.
        args: list or tuple of tiles, global tensors, addresses, scalars and numbers.
        before_function: put the code at the top of the file instead, without semicolon; args may only be numbers then.

    Raises:
        TypeError: code is not a str, args not a list or tuple, or an argument of another kind.
    """
    if not isinstance(code, str):
        raise TypeError(f"code must be a str, not {typing.describe(code)}")
    operands = _check_arguments(args)
    if before_function and any(isinstance(operand, Value) for operand in operands):
        raise TypeError("code before the function cannot use run-time values; pass numbers only")
    current_builder().emit("inline", operands, attrs={"code": code, "before_function": bool(before_function)})


def _whole(argument: Any, what: str) -> Any:
    """The tile or global tensor behind what ``to_asc`` gives; anything else as it is."""
    if not isinstance(argument, AscTensor):
        return argument
    if not argument.is_whole:
        raise TypeError(f"{what} is a part of a tensor; pass all of it and select the part in the code")
    return argument.value


def _check_arguments(args: Any) -> list[Operand]:
    if args is None:
        return []
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"args must be a list or tuple, not {typing.describe(args)}")
    operands: list[Operand] = []
    for position, argument in enumerate(args):
        argument = _whole(argument, f"args[{position}]")
        if isinstance(argument, Value):
            operands.append(argument)
        elif scalars.is_number(argument):
            operands.append(scalars.python_number(argument))
        else:
            raise TypeError(
                f"args[{position}] must be a value of the kernel or a number, not {typing.describe(argument)}"
            )
    return operands


def inline_vf(code: Any, shape: Any, dtype: Any, inputs: Any = None) -> Any:
    """A tile computed by a vector function written by hand, for architecture c310.

    The code becomes the body of a ``__VEC_SCOPE__`` block on the vector pipe. ``$0`` is the LocalTensor of the result,
    ``$1``, ``$2`` and so on are those of the inputs. Register instructions (``AscendC::Reg``, ``MicroAPI``) work on the
    pointers that ``GetPhyAddr`` gives; what they need at namespace scope, as a CastTrait, goes before the function with
    :func:`inline`.

    Args:
        code: the C++ text.
        shape: shape of the result, a list or tuple of positive ints.
        dtype: int8, int16, int32, int64, float16, bfloat16 or float32.
        inputs: list or tuple of tiles.

    Returns:
        Tile of shape and dtype.

    Raises:
        TypeError: an argument of another kind.
        RuntimeError: a shape that is empty or not positive, or another element type.
        LoweringError: the kernel is translated for another architecture.
    """
    if not isinstance(code, str):
        raise TypeError(f"code must be a str, not {typing.describe(code)}")
    extents, element = typing.check_shape(shape), typing.check_dtype(dtype)
    typing.check_element(element, INLINE_VF.dtypes["c310"], "inline_vf")
    if inputs is not None and not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list or tuple of tiles, not {typing.describe(inputs)}")
    tiles = [
        typing.check_tile(_whole(item, f"inputs[{position}]"), f"inputs[{position}]")
        for position, item in enumerate(inputs or ())
    ]
    return current_builder().emit("inline_vf", tiles, [TileType(element, extents)], {"code": code}).result


def substituted(code: str, arguments: Sequence[str]) -> str:
    """``code`` with ``$k`` replaced by argument k where there is one."""

    def one(match: re.Match[str]) -> str:
        position = int(match.group(1))
        return arguments[position] if position < len(arguments) else match.group(0)

    return _ARGUMENT.sub(one, code)


def _lower_inline(ctx: Any, node: Node) -> None:
    code = node.attrs["code"]
    if node.attrs["before_function"]:
        ctx.prelude(substituted(code, [str(unnamed(operand)) for operand in node.operands]))
        return
    arguments: list[Any] = []
    for operand in node.operands:
        if isinstance(operand, GlobalTensor):
            arguments.append(ctx.whole_ref(operand, ctx.number(0)))
        elif isinstance(operand, Value) and not isinstance(operand, LocalTensor):
            arguments.append(ctx.scalar_or_address(operand))
        elif isinstance(operand, LocalTensor):
            arguments.append(ctx.operand(operand))
        else:
            arguments.append(ctx.literal(operand))
    touches = any(isinstance(operand, (LocalTensor, GlobalTensor)) for operand in node.operands)
    if touches:
        ctx.emit("WaitForAll")
    ctx.emit_code(code, arguments)
    if touches:
        ctx.emit("WaitForAll")


def _lower_inline_vf(ctx: Any, node: Node) -> None:
    if ctx.architecture.name != "c310":
        raise ctx.fail(
            f"inline_vf needs the vector functions of c310, but the kernel is for {ctx.architecture.name}",
            "use inline with ordinary Ascend C calls",
        )
    inputs = [ctx.operand(operand) for operand in node.operands]
    ctx.emit_vector_code(node.attrs["code"], ctx.result(node), inputs)


register(Operation("inline", inline, None, _lower_inline, on_all(*_ELEMENTS), pure=False))
INLINE_VF = register(Operation("inline_vf", inline_vf, None, _lower_inline_vf, on_all(*_ELEMENTS)))
