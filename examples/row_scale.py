"""out[r, c] = x[r, c] * scale[r] for a matrix whose edges do not fit the tiles."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit
def row_scale(
    x_ptr: asctile.GlobalAddress,
    scale_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    rows: int,
    cols: int,
    tile_rows: asctile.ConstExpr[int],
    tile_cols: asctile.ConstExpr[int],
):
    x_gm = asctile.global_tensor(x_ptr, [rows, cols])
    scale_gm = asctile.global_tensor(scale_ptr, [rows, 1])
    out_gm = asctile.global_tensor(out_ptr, [rows, cols])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(rows, tile_rows), asctile.block_num()):
        row = i * tile_rows
        scale = asctile.copy_in(scale_gm, [row, 0], [tile_rows, 1])
        for j in asctile.range(asctile.ceildiv(cols, tile_cols)):
            x = asctile.copy_in(x_gm, [row, j * tile_cols], [tile_rows, tile_cols])
            asctile.copy_out(x * scale, out_gm, [row, j * tile_cols])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    rows, cols = 109, 333
    x = rng.standard_normal((rows, cols)).astype(np.float32)
    scale = rng.standard_normal((rows, 1)).astype(np.float32)
    out = np.zeros_like(x)
    return row_scale, 4, (x, scale, out, rows, cols, 16, 128), {2: x * scale}, {"rtol": 0, "atol": 0}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("row_scale: ok")


if __name__ == "__main__":
    main()
