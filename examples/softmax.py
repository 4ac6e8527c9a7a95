"""out[r, :] = softmax of x[r, :] for a matrix with rows that fit into one tile."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit
def softmax(
    x_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    rows: int,
    cols: asctile.ConstExpr[int],
    tile_rows: asctile.ConstExpr[int],
):
    x_gm = asctile.global_tensor(x_ptr, [rows, cols])
    out_gm = asctile.global_tensor(out_ptr, [rows, cols])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(rows, tile_rows), asctile.block_num()):
        x = asctile.copy_in(x_gm, [i * tile_rows, 0], [tile_rows, cols])
        asctile.copy_out(asctile.softmax(x), out_gm, [i * tile_rows, 0])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    rows, cols = 109, 333
    x = rng.standard_normal((rows, cols)).astype(np.float32)
    power = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    expected = power / power.sum(axis=1, keepdims=True)
    return softmax, 4, (x, np.zeros_like(x), rows, cols, 16), {1: expected}, {"rtol": 1e-6, "atol": 1e-9}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("softmax: ok")


if __name__ == "__main__":
    main()
