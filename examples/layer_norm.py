"""Layer norm of the rows of a float16 matrix, with the mean and 1 / deviation of every row."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit
def layer_norm(
    x_ptr: asctile.GlobalAddress,
    gamma_ptr: asctile.GlobalAddress,
    beta_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    mean_ptr: asctile.GlobalAddress,
    rstd_ptr: asctile.GlobalAddress,
    rows: int,
    cols: asctile.ConstExpr[int],
    tile_rows: asctile.ConstExpr[int],
    epsilon: asctile.ConstExpr[float],
):
    x_gm = asctile.global_tensor(x_ptr, [rows, cols])
    out_gm = asctile.global_tensor(out_ptr, [rows, cols])
    mean_gm = asctile.global_tensor(mean_ptr, [rows])
    rstd_gm = asctile.global_tensor(rstd_ptr, [rows])
    gamma = asctile.copy_in(asctile.global_tensor(gamma_ptr, [cols]), [0], [cols])
    beta = asctile.copy_in(asctile.global_tensor(beta_ptr, [cols]), [0], [cols])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(rows, tile_rows), asctile.block_num()):
        row = i * tile_rows
        x = asctile.copy_in(x_gm, [row, 0], [tile_rows, cols])
        y, mean, rstd = asctile.layer_norm(x, gamma, beta, epsilon)
        asctile.copy_out(y, out_gm, [row, 0])
        asctile.copy_out(mean, mean_gm, [row])
        asctile.copy_out(rstd, rstd_gm, [row])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    rows, cols, epsilon = 75, 200, 1e-5
    x = rng.standard_normal((rows, cols)).astype(np.float16)
    gamma, beta = (rng.standard_normal(cols).astype(np.float16) for _ in range(2))
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1)
    rstd = 1 / np.sqrt(wide.var(axis=1) + epsilon)
    y = (wide - mean[:, None]) * rstd[:, None] * gamma.astype(np.float64) + beta.astype(np.float64)
    out, means, rstds = np.zeros_like(x), np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    args = (x, gamma, beta, out, means, rstds, rows, cols, 16, epsilon)
    return layer_norm, 3, args, {3: y, 4: mean, 5: rstd}, {"rtol": 1e-3, "atol": 2e-3}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("layer_norm: ok")


if __name__ == "__main__":
    main()
