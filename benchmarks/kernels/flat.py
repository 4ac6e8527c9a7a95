"""Element-wise kernels over a flat array: block b takes tiles b*steps to b*steps + steps - 1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

from pyasc_transpile import asctile

from .case import Launch, Request


def _abs(x):
    return asctile.abs(x)


def _tanh(x):
    return asctile.tanh(x)


def _leaky_relu(x):
    return asctile.where(x >= 0.0, x, x * 0.01)


def _gelu_erf(x):
    return (asctile.erf(x * math.sqrt(0.5)) + 1.0) * x * 0.5


def _gelu_exp(x):
    return x / (asctile.exp((x * x * x * 0.044715 + x) * -math.sqrt(8.0 / math.pi)) + 1.0)


def _gelu_tanh(x):
    return (asctile.tanh((x * x * x * 0.044715 + x) * math.sqrt(2.0 / math.pi)) + 1.0) * x * 0.5


def _add(x, y):
    return x + y


def _dropout(x, mask):
    return x * mask * 2.0


@asctile.jit
def flat_map(
    x_ptr: asctile.GlobalAddress,
    y_ptr: asctile.GlobalAddress,
    size: int,
    function: asctile.ConstExpr,
    tile: asctile.ConstExpr[int],
    steps: asctile.ConstExpr[int],
    unroll: asctile.ConstExpr,
    barrier: asctile.ConstExpr[bool],
):
    x_gm = asctile.global_tensor(x_ptr, [size])
    y_gm = asctile.global_tensor(y_ptr, [size])
    first = asctile.block_idx() * steps
    for i in asctile.range(steps, unroll_factor=unroll, gm_barrier=barrier):
        x = asctile.copy_in(x_gm, [(first + i) * tile], [tile])
        asctile.copy_out(function(x), y_gm, [(first + i) * tile])


@asctile.jit
def flat_pair(
    x_ptr: asctile.GlobalAddress,
    y_ptr: asctile.GlobalAddress,
    z_ptr: asctile.GlobalAddress,
    size: int,
    function: asctile.ConstExpr,
    tile: asctile.ConstExpr[int],
    steps: asctile.ConstExpr[int],
    unroll: asctile.ConstExpr,
    barrier: asctile.ConstExpr[bool],
):
    x_gm = asctile.global_tensor(x_ptr, [size])
    y_gm = asctile.global_tensor(y_ptr, [size])
    z_gm = asctile.global_tensor(z_ptr, [size])
    first = asctile.block_idx() * steps
    for i in asctile.range(steps, unroll_factor=unroll, gm_barrier=barrier):
        x = asctile.copy_in(x_gm, [(first + i) * tile], [tile])
        y = asctile.copy_in(y_gm, [(first + i) * tile], [tile])
        asctile.copy_out(function(x, y), z_gm, [(first + i) * tile])


@asctile.jit
def adam(
    var_ptr: asctile.GlobalAddress,
    m_ptr: asctile.GlobalAddress,
    v_ptr: asctile.GlobalAddress,
    grad_ptr: asctile.GlobalAddress,
    size: int,
    beta1: float,
    beta2: float,
    eps: float,
    step_size: float,
    tile: asctile.ConstExpr[int],
    steps: asctile.ConstExpr[int],
    unroll: asctile.ConstExpr,
    barrier: asctile.ConstExpr[bool],
):
    var_gm = asctile.global_tensor(var_ptr, [size])
    m_gm = asctile.global_tensor(m_ptr, [size])
    v_gm = asctile.global_tensor(v_ptr, [size])
    grad_gm = asctile.global_tensor(grad_ptr, [size])
    first = asctile.block_idx() * steps
    for i in asctile.range(steps, unroll_factor=unroll, gm_barrier=barrier):
        var = asctile.copy_in(var_gm, [(first + i) * tile], [tile])
        m = asctile.copy_in(m_gm, [(first + i) * tile], [tile])
        v = asctile.copy_in(v_gm, [(first + i) * tile], [tile])
        grad = asctile.copy_in(grad_gm, [(first + i) * tile], [tile])
        new_m = m + (grad - m) * (1.0 - beta1)
        new_v = v + (grad * grad - v) * (1.0 - beta2)
        new_var = var - new_m * step_size / (asctile.sqrt(new_v) + eps)
        asctile.copy_out(new_m, m_gm, [(first + i) * tile])
        asctile.copy_out(new_v, v_gm, [(first + i) * tile])
        asctile.copy_out(new_var, var_gm, [(first + i) * tile])


@asctile.jit
def adam_copies(
    var_ptr: asctile.GlobalAddress,
    m_ptr: asctile.GlobalAddress,
    v_ptr: asctile.GlobalAddress,
    grad_ptr: asctile.GlobalAddress,
    size: int,
    tile: asctile.ConstExpr[int],
    steps: asctile.ConstExpr[int],
    unroll: asctile.ConstExpr,
    barrier: asctile.ConstExpr[bool],
):
    var_gm = asctile.global_tensor(var_ptr, [size])
    m_gm = asctile.global_tensor(m_ptr, [size])
    v_gm = asctile.global_tensor(v_ptr, [size])
    grad_gm = asctile.global_tensor(grad_ptr, [size])
    first = asctile.block_idx() * steps
    for i in asctile.range(steps, unroll_factor=unroll, gm_barrier=barrier):
        var = asctile.copy_in(var_gm, [(first + i) * tile], [tile])
        m = asctile.copy_in(m_gm, [(first + i) * tile], [tile])
        v = asctile.copy_in(v_gm, [(first + i) * tile], [tile])
        grad = asctile.copy_in(grad_gm, [(first + i) * tile], [tile])
        asctile.copy_out(m, m_gm, [(first + i) * tile])
        asctile.copy_out(v, v_gm, [(first + i) * tile])
        asctile.copy_out(var if size >= 0 else grad, var_gm, [(first + i) * tile])


def _map_case(function: Callable[[Any], Any], meaning: Callable[[Any], Any]) -> Callable[[Request], Launch]:
    def make(request: Request) -> Launch:
        x = request.random(1)
        args = (x, np.zeros_like(x), request.size, function, *_loop(request))
        wide = x.astype(np.float64)
        return Launch(flat_map, request.blocks, args, {1: meaning(wide)}, 2e-2 if request.dtype == "float16" else 1e-5)

    return make


def _loop(request: Request) -> tuple[Any, ...]:
    return request.tile, request.steps, request.unroll, request.barrier


def _pair_case(function: Callable[[Any, Any], Any], is_mask: bool) -> Callable[[Request], Launch]:
    """A function of two arrays that is exact; the second one of zeros and ones if ``is_mask``."""

    def make(request: Request) -> Launch:
        x, y = request.random(1), request.random(2)
        if is_mask:
            y = (y > 0).astype(request.dtype)
        args = (x, y, np.zeros_like(x), request.size, function, *_loop(request))
        return Launch(flat_pair, request.blocks, args, {2: function(x, y)}, 0.0)

    return make


def _adam_case(request: Request) -> Launch:
    var, m, v, grad = (request.random(seed) for seed in range(4))
    v = np.abs(v)
    b1, b2, eps, size = (np.float32(number) for number in (0.9, 0.999, 1e-8, 0.01))
    new_m = m + (grad - m) * (1 - b1)
    new_v = v + (grad * grad - v) * (1 - b2)
    new_var = var - new_m * size / (np.sqrt(new_v) + eps)
    args = (var, m, v, grad, request.size, float(b1), float(b2), float(eps), float(size), *_loop(request))
    return Launch(adam, request.blocks, args, {0: new_var, 1: new_m, 2: new_v}, 1e-5)


def _adam_copies_case(request: Request) -> Launch:
    var, m, v, grad = (request.random(seed) for seed in range(4))
    args = (var, m, v, grad, request.size, *_loop(request))
    return Launch(adam_copies, request.blocks, args, {0: var.copy(), 1: m.copy(), 2: v.copy()}, 0.0)


_erf = np.vectorize(math.erf)

OPS: Mapping[str, Callable[[Request], Launch]] = {
    "abs": _map_case(_abs, np.abs),
    "tanh": _map_case(_tanh, np.tanh),
    "leaky_relu": _map_case(_leaky_relu, lambda x: np.where(x >= 0, x, x * 0.01)),
    "gelu_erf": _map_case(_gelu_erf, lambda x: (_erf(x * math.sqrt(0.5)) + 1) * x * 0.5),
    "gelu_exp": _map_case(_gelu_exp, lambda x: x / (np.exp((x**3 * 0.044715 + x) * -math.sqrt(8 / math.pi)) + 1)),
    "gelu_tanh": _map_case(
        _gelu_tanh, lambda x: (np.tanh((x**3 * 0.044715 + x) * math.sqrt(2 / math.pi)) + 1) * x * 0.5
    ),
    "add": _pair_case(_add, False),
    "drop_out_do_mask": _pair_case(_dropout, True),
    "apply_adam": _adam_case,
    "adam_copy_only": _adam_copies_case,
}
NEEDS: Mapping[str, tuple[str, ...]] = {"tanh": ("tanh",), "gelu_tanh": ("tanh",), "gelu_erf": ("erf",)}
