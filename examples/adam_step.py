"""One step of the Adam optimiser: parameters and both moments are updated in place."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit(reuse_alloc=2)
def adam_step(
    p_ptr: asctile.GlobalAddress,
    g_ptr: asctile.GlobalAddress,
    m_ptr: asctile.GlobalAddress,
    v_ptr: asctile.GlobalAddress,
    size: int,
    step_size: float,
    beta1: asctile.ConstExpr[float],
    beta2: asctile.ConstExpr[float],
    tile_size: asctile.ConstExpr[int],
    epsilon: asctile.ConstExpr[float] = 1e-8,
):
    p_gm = asctile.global_tensor(p_ptr, [size])
    g_gm = asctile.global_tensor(g_ptr, [size])
    m_gm = asctile.global_tensor(m_ptr, [size])
    v_gm = asctile.global_tensor(v_ptr, [size])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile_size), asctile.block_num(), unroll_factor=2):
        start = i * tile_size
        g = asctile.copy_in(g_gm, [start], [tile_size])
        m = asctile.copy_in(m_gm, [start], [tile_size]) * beta1 + g * (1.0 - beta1)
        v = asctile.copy_in(v_gm, [start], [tile_size]) * beta2 + g * g * (1.0 - beta2)
        p = asctile.copy_in(p_gm, [start], [tile_size]) - m * step_size / (asctile.sqrt(v) + epsilon)
        asctile.copy_out(m, m_gm, [start])
        asctile.copy_out(v, v_gm, [start])
        asctile.copy_out(p, p_gm, [start])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    size, step_size, beta1, beta2 = 20_005, 0.01, 0.9, 0.999
    p, g, m = (rng.standard_normal(size).astype(np.float32) for _ in range(3))
    v = np.abs(rng.standard_normal(size)).astype(np.float32)
    wide_m = beta1 * m.astype(np.float64) + (1 - beta1) * g
    wide_v = beta2 * v.astype(np.float64) + (1 - beta2) * g.astype(np.float64) ** 2
    expected = {0: p - step_size * wide_m / (np.sqrt(wide_v) + 1e-8), 2: wide_m, 3: wide_v}
    args = (p, g, m, v, size, step_size, beta1, beta2, 1024)
    return adam_step, 4, args, expected, {"rtol": 1e-5, "atol": 1e-6}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("adam_step: ok")


if __name__ == "__main__":
    main()
