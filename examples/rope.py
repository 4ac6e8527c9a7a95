"""Rotary position embedding: the halves of every head are rotated by angles that depend on the position."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit
def rope(
    x_ptr: asctile.GlobalAddress,
    cos_ptr: asctile.GlobalAddress,
    sin_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    tokens: int,
    heads: asctile.ConstExpr[int],
    head_size: asctile.ConstExpr[int],
    tile_tokens: asctile.ConstExpr[int],
):
    half = head_size // 2
    x_gm = asctile.global_tensor(x_ptr, [tokens, heads, head_size])
    out_gm = asctile.global_tensor(out_ptr, [tokens, heads, head_size])
    cos_gm = asctile.global_tensor(cos_ptr, [tokens, half])
    sin_gm = asctile.global_tensor(sin_ptr, [tokens, half])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(tokens, tile_tokens), asctile.block_num()):
        first = i * tile_tokens
        x = asctile.copy_in(x_gm, [first, 0, 0], [tile_tokens, heads, head_size])
        left = asctile.copy(x, [0, 0, 0], [tile_tokens, heads, half])
        right = asctile.copy(x, [0, 0, half], [tile_tokens, heads, half])
        cos = asctile.copy_in(cos_gm, [first, 0], [tile_tokens, half]).expand_dims(1)
        sin = asctile.copy_in(sin_gm, [first, 0], [tile_tokens, half]).expand_dims(1)
        asctile.copy_out(left * cos - right * sin, out_gm, [first, 0, 0])
        asctile.copy_out(right * cos + left * sin, out_gm, [first, 0, half])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    tokens, heads, head_size = 50, 4, 64
    x = rng.standard_normal((tokens, heads, head_size)).astype(np.float32)
    angles = np.arange(tokens)[:, None] / 10000.0 ** (np.arange(head_size // 2) / (head_size // 2))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    left, right = x[..., : head_size // 2], x[..., head_size // 2 :]
    c, s = cos[:, None], sin[:, None]
    expected = np.concatenate([left * c - right * s, right * c + left * s], -1)
    out = np.zeros_like(x)
    return rope, 4, (x, cos, sin, out, tokens, heads, head_size, 8), {3: expected}, {"rtol": 0, "atol": 1e-6}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("rope: ok")


if __name__ == "__main__":
    main()
