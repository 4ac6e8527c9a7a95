"""Operations that no kernel names: single instructions that passes put in the place of several operations."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ..graph.graph import Node, Operand
from ..graph.values import LocalTensor
from .registry import Operation, on_all, register


def _lower_leaky_relu(ctx: Any, node: Node) -> None:
    result = node.result
    assert isinstance(result, LocalTensor)
    source, slope = (ctx.operand(operand, result.dtype) for operand in node.operands)
    ctx.emit("LeakyRelu", ctx.result(node), source, slope, ctx.count(result.type))


def _leaky_relu_meaning(tile: Any, slope: Any) -> Any:
    return np.where(tile >= 0, tile, tile * slope)


def _refused(*operands: Operand) -> Any:
    raise TypeError("this operation has no name in the language")


def _lower_pair(instruction: str) -> Callable[[Any, Node], None]:
    def lower(ctx: Any, node: Node) -> None:
        result = node.result
        assert isinstance(result, LocalTensor)
        operands = [ctx.operand(operand) for operand in node.operands]
        ctx.emit(instruction, ctx.result(node), *operands, ctx.count(result.type))

    return lower


LEAKY_RELU = register(
    Operation("leaky_relu", _refused, _leaky_relu_meaning, _lower_leaky_relu, on_all("float16", "float32"))
)


def _add_relu_meaning(a: Any, b: Any) -> Any:
    return np.maximum(a + b, 0)


def _sub_relu_meaning(a: Any, b: Any) -> Any:
    return np.maximum(a - b, 0)


ADD_RELU, SUB_RELU = (
    register(Operation(name, _refused, meaning, _lower_pair(instruction), on_all("float16", "float32")))
    for name, meaning, instruction in (
        ("add_relu", _add_relu_meaning, "AddRelu"),
        ("sub_relu", _sub_relu_meaning, "SubRelu"),
    )
)
