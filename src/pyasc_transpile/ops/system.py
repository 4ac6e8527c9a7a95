"""The program model: which block this is, and how many there are."""

from __future__ import annotations

from typing import Any

from ..graph import dtypes
from ..graph.graph import Node, current_builder
from ..graph.types import ScalarType
from .registry import Operation, on_all, register


def block_idx() -> Any:
    """Index of this block, an int32 scalar from 0."""
    return current_builder().emit("block_idx", [], [ScalarType(dtypes.int32)]).result


def block_num() -> Any:
    """Number of blocks launched, an int32 scalar."""
    return current_builder().emit("block_num", [], [ScalarType(dtypes.int32)]).result


def sub_block_idx() -> Any:
    """Index of the vector sub-core within its core, an int32 scalar; 0 in kernels without matrix operations."""
    return current_builder().emit("sub_block_idx", [], [ScalarType(dtypes.int32)]).result


def sub_block_num() -> Any:
    """Vector sub-cores per core, an int32 scalar; 1 in kernels without matrix operations."""
    return current_builder().emit("sub_block_num", [], [ScalarType(dtypes.int32)]).result


def _lower(function: str) -> Any:
    def lower(ctx: Any, node: Node) -> None:
        ctx.define(node.result, ctx.system_call(function))

    return lower


for _name, _build, _meaning, _function in (
    ("block_idx", block_idx, lambda core: core.block_idx, "GetBlockIdx"),
    ("block_num", block_num, lambda core: core.block_num, "GetBlockNum"),
    ("sub_block_idx", sub_block_idx, lambda: 0, "GetSubBlockIdx"),
    ("sub_block_num", sub_block_num, lambda: 1, "GetSubBlockNum"),
):
    register(Operation(_name, _build, _meaning, _lower(_function), on_all("int32")))
