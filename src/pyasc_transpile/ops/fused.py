"""Operations that no kernel names: single instructions that passes put in the place of several operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.graph import Node, Operand
from ..graph.values import LocalTensor
from .registry import Operation, on_all, register


def _leaky_relu(input: LocalTensor, slope: Operand) -> Any:
    raise TypeError("leaky_relu is written as where(x >= 0, x, x * slope)")


def _lower_leaky_relu(ctx: Any, node: Node) -> None:
    result = node.result
    assert isinstance(result, LocalTensor)
    source, slope = (ctx.operand(operand, result.dtype) for operand in node.operands)
    ctx.emit("LeakyRelu", ctx.result(node), source, slope, ctx.count(result.type))


def _leaky_relu_meaning(tile: Any, slope: Any) -> Any:
    return np.where(tile >= 0, tile, tile * slope)


LEAKY_RELU = register(
    Operation("leaky_relu", _leaky_relu, _leaky_relu_meaning, _lower_leaky_relu, on_all("float16", "float32"))
)
