"""Kernels on rows: reductions and normalisations. Block b takes rows b, b + blocks, b + 2 * blocks, ..."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable

import numpy as np

from pyasc_transpile import asctile

from .case import Launch, Request


@asctile.jit
def row_sum(
    x_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    rows: int,
    columns: asctile.ConstExpr[int],
    slot: asctile.ConstExpr[int],
    dtype: asctile.ConstExpr,
    unroll: asctile.ConstExpr,
    barrier: asctile.ConstExpr[bool],
):
    x_gm = asctile.global_tensor(x_ptr, [rows, columns])
    out_gm = asctile.global_tensor(out_ptr, [rows, slot])
    for row in asctile.range(
        asctile.block_idx(), rows, asctile.block_num(), unroll_factor=unroll, gm_barrier=barrier
    ):
        x = asctile.copy_in(x_gm, [row, 0], [1, columns])
        total = asctile.reduce_sum(x)
        asctile.copy_out(asctile.full([1, slot], total, dtype), out_gm, [row, 0])


@asctile.jit
def softmax_rows(
    x_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    rows: int,
    columns: asctile.ConstExpr[int],
    height: asctile.ConstExpr[int],
):
    x_gm = asctile.global_tensor(x_ptr, [rows, columns])
    out_gm = asctile.global_tensor(out_ptr, [rows, columns])
    x = asctile.copy_in(x_gm, [asctile.block_idx() * height, 0], [height, columns])
    asctile.copy_out(asctile.softmax(x), out_gm, [asctile.block_idx() * height, 0])


@asctile.jit
def rms_norm_rows(
    x_ptr: asctile.GlobalAddress,
    gamma_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    rows: int,
    eps: float,
    columns: asctile.ConstExpr[int],
    dtype: asctile.ConstExpr,
    unroll: asctile.ConstExpr,
    barrier: asctile.ConstExpr[bool],
):
    x_gm = asctile.global_tensor(x_ptr, [rows, columns])
    gamma_gm = asctile.global_tensor(gamma_ptr, [1, columns])
    out_gm = asctile.global_tensor(out_ptr, [rows, columns])
    for row in asctile.range(
        asctile.block_idx(), rows, asctile.block_num(), unroll_factor=unroll, gm_barrier=barrier
    ):
        x = asctile.cast(asctile.copy_in(x_gm, [row, 0], [1, columns]), asctile.float32)
        mean = asctile.reduce_sum(x * x) / columns
        scale = 1.0 / asctile.sqrt(mean + eps)
        gamma = asctile.cast(asctile.copy_in(gamma_gm, [0, 0], [1, columns]), asctile.float32)
        asctile.copy_out(asctile.cast(x * gamma * scale, dtype), out_gm, [row, 0])


@asctile.jit
def layer_norm_rows(
    x_ptr: asctile.GlobalAddress,
    gamma_ptr: asctile.GlobalAddress,
    beta_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    rows: int,
    eps: float,
    columns: asctile.ConstExpr[int],
    unroll: asctile.ConstExpr,
    barrier: asctile.ConstExpr[bool],
):
    x_gm = asctile.global_tensor(x_ptr, [rows, columns])
    gamma_gm = asctile.global_tensor(gamma_ptr, [1, columns])
    beta_gm = asctile.global_tensor(beta_ptr, [1, columns])
    out_gm = asctile.global_tensor(out_ptr, [rows, columns])
    for row in asctile.range(
        asctile.block_idx(), rows, asctile.block_num(), unroll_factor=unroll, gm_barrier=barrier
    ):
        x = asctile.copy_in(x_gm, [row, 0], [1, columns])
        mean = asctile.reduce_sum(x, 1, keep_dims=True) / columns
        square = asctile.reduce_sum(x * x, 1, keep_dims=True) / columns
        scale = asctile.rsqrt(square - mean * mean + eps)
        gamma = asctile.copy_in(gamma_gm, [0, 0], [1, columns])
        beta = asctile.copy_in(beta_gm, [0, 0], [1, columns])
        centred = x - asctile.broadcast_to(mean, [1, columns])
        out = centred * asctile.broadcast_to(scale, [1, columns]) * gamma + beta
        asctile.copy_out(out, out_gm, [row, 0])


_DTYPES = {"float16": asctile.float16, "float32": asctile.float32}


def _row_sum_case(request: Request) -> Launch:
    rows, columns = request.size, request.tile
    x = request.random(1, (rows, columns))
    slot = 32 // x.itemsize
    out = np.zeros((rows, slot), request.dtype)
    expected = np.repeat(x.astype(np.float64).sum(1, keepdims=True), slot, 1)
    args = (x, out, rows, columns, slot, _DTYPES[request.dtype], request.unroll, request.barrier)
    return Launch(row_sum, request.blocks, args, {1: expected}, 1.0 if request.dtype == "float16" else 1e-2)


def _softmax_case(request: Request) -> Launch:
    rows, columns = request.size, request.tile
    x = request.random(1, (rows, columns))
    wide = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    args = (x, np.zeros_like(x), rows, columns, rows // request.blocks)
    return Launch(softmax_rows, request.blocks, args, {1: wide / wide.sum(1, keepdims=True)}, 1e-2)


def _rms_norm_case(request: Request) -> Launch:
    rows, columns = request.size, request.tile
    x, gamma = request.random(1, (rows, columns)), request.random(2, (1, columns))
    wide = x.astype(np.float64)
    expected = wide * gamma / np.sqrt((wide * wide).mean(1, keepdims=True) + 1e-6)
    args = (x, gamma, np.zeros_like(x), rows, 1e-6, columns, _DTYPES[request.dtype], request.unroll, request.barrier)
    return Launch(rms_norm_rows, request.blocks, args, {2: expected}, 2e-2)


def _layer_norm_case(request: Request) -> Launch:
    rows, columns = request.size, request.tile
    x = request.random(1, (rows, columns))
    gamma, beta = request.random(2, (1, columns)), request.random(3, (1, columns))
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * gamma + beta
    args = (x, gamma, beta, np.zeros_like(x), rows, 1e-5, columns, request.unroll, request.barrier)
    return Launch(layer_norm_rows, request.blocks, args, {3: expected}, 1e-2)


OPS: Mapping[str, Callable[[Request], Launch]] = {
    "reduce_sum": _row_sum_case,
    "softmax": _softmax_case,
    "rms_norm_full_row": _rms_norm_case,
    "layer_norm_full_row": _layer_norm_case,
}
NEEDS: Mapping[str, tuple[str, ...]] = {
    "reduce_sum": ("reduce_sum",),
    "softmax": ("softmax",),
    "rms_norm_full_row": ("reduce_sum",),
    "layer_norm_full_row": ("reduce_sum",),
}
