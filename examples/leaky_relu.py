"""out = x where x >= 0, else x * slope, for half precision."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit
def leaky_relu(
    x_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    size: int,
    slope: float,
    tile_size: asctile.ConstExpr[int],
):
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    tiles_per_block = asctile.ceildiv(asctile.ceildiv(size, tile_size), asctile.block_num())
    first = asctile.block_idx() * tiles_per_block
    for i in asctile.range(first, first + tiles_per_block):
        x = asctile.copy_in(x_gm, [i * tile_size], [tile_size])
        out = asctile.where(x >= 0, x, x * slope)
        asctile.copy_out(out, out_gm, [i * tile_size])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    size = 50_001
    x = rng.standard_normal(size).astype(np.float16)
    out = np.zeros_like(x)
    expected = np.where(x >= 0, x, x * np.float16(0.125))
    return leaky_relu, 8, (x, out, size, 0.125, 2048), {1: expected}, {"rtol": 0, "atol": 0}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("leaky_relu: ok")


if __name__ == "__main__":
    main()
