"""out = (x + y) * x - y in one pass over memory."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit(static_alloc=True, reuse_alloc=2)
def fused_chain(
    x_ptr: asctile.GlobalAddress,
    y_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    size: int,
    tile_size: asctile.ConstExpr[int],
):
    x_gm = asctile.global_tensor(x_ptr, [size])
    y_gm = asctile.global_tensor(y_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile_size), asctile.block_num(), unroll_factor=2):
        x = asctile.copy_in(x_gm, [i * tile_size], [tile_size])
        y = asctile.copy_in(y_gm, [i * tile_size], [tile_size])
        result = (x + y) * x - y
        asctile.copy_out(result, out_gm, [i * tile_size])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    size = 1_000_001
    x, y = (rng.standard_normal(size).astype(np.float32) for _ in range(2))
    out = np.zeros_like(x)
    return fused_chain, 8, (x, y, out, size, 4096), {2: (x + y) * x - y}, {"rtol": 0, "atol": 0}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("fused_chain: ok")


if __name__ == "__main__":
    main()
