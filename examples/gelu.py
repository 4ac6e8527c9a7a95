"""out = x * Phi(x), the Gaussian error linear unit."""

import math

import numpy as np

from pyasc_transpile import asctile

INVERSE_ROOT_OF_TWO = 1.0 / math.sqrt(2.0)


@asctile.jit(reuse_alloc=2)
def gelu(
    x_ptr: asctile.GlobalAddress, out_ptr: asctile.GlobalAddress, size: int, tile_size: asctile.ConstExpr[int]
):
    x_gm = asctile.global_tensor(x_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile_size), asctile.block_num(), unroll_factor=2):
        x = asctile.copy_in(x_gm, [i * tile_size], [tile_size])
        out = x * 0.5 * (asctile.erf(x * INVERSE_ROOT_OF_TWO) + 1.0)
        asctile.copy_out(out, out_gm, [i * tile_size])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    size = 30_011
    x = (rng.standard_normal(size) * 3).astype(np.float32)
    out = np.zeros_like(x)
    phi = np.array([0.5 * (1 + math.erf(value * INVERSE_ROOT_OF_TWO)) for value in x.astype(np.float64)])
    return gelu, 4, (x, out, size, 2048), {1: (x * phi).astype(np.float32)}, {"rtol": 1e-4, "atol": 1e-6}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("gelu: ok")


if __name__ == "__main__":
    main()
