"""out = round(x / scale) as int8, saturating."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit(reuse_alloc=2)
def quantize(
    x_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    size: int,
    scale: float,
    tile_size: asctile.ConstExpr[int],
):
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile_size), asctile.block_num(), unroll_factor=2):
        x = asctile.copy_in(x_gm, [i * tile_size], [tile_size])
        clipped = asctile.minimum(asctile.maximum(x / scale, -128.0), 127.0)
        whole = clipped.to(asctile.int16, asctile.RoundMode.Rint)
        asctile.copy_out(whole.to(asctile.float16).to(asctile.int8), out_gm, [i * tile_size])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    size, scale = 40_003, 0.05
    x = (rng.standard_normal(size) * 4).astype(np.float32)
    out = np.zeros(size, np.int8)
    expected = np.rint(np.clip(x / np.float32(scale), -128, 127)).astype(np.int8)
    return quantize, 4, (x, out, size, scale, 2048), {1: expected}, {"rtol": 0, "atol": 0}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("quantize: ok")


if __name__ == "__main__":
    main()
