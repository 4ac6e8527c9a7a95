"""counts[b] += how many of the values are in bin b: every block counts its part, atomics add the parts up."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit(reuse_alloc=2)
def histogram(
    values_ptr: asctile.GlobalAddress,
    counts_ptr: asctile.GlobalAddress,
    size: int,
    low: float,
    width: float,
    bins: asctile.ConstExpr[int],
    tile_size: asctile.ConstExpr[int],
):
    values_gm = asctile.global_tensor(values_ptr, [size])
    counts_gm = asctile.global_tensor(counts_ptr, [bins])
    counts = asctile.zeros([bins, 1], asctile.float32)
    edges = asctile.concat(*(asctile.full([1, 1], low + b * width) for b in asctile.static_range(bins + 1)))
    lower = asctile.copy(edges, [0, 0], [bins, 1])
    upper = asctile.copy(edges, [1, 0], [bins, 1])
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile_size), asctile.block_num()):
        outside = low - 1.0
        values = asctile.copy_in(values_gm, [i * tile_size], [tile_size], pad_value=outside).reshape(1, tile_size)
        inside = asctile.where((values >= lower) & (values < upper), 1.0, 0.0)
        counts += inside.sum(-1, keep_dims=True)
    asctile.atomic_add(counts.squeeze(-1), counts_gm, [0])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    size, bins, low, width = 10_000, 16, -2.0, 0.25
    values = rng.standard_normal(size).astype(np.float32)
    edges = low + width * np.arange(bins + 1)
    counts = np.full(bins, 100, np.float32)
    expected = 100 + np.histogram(values, edges)[0]
    # NumPy counts a value on the last edge, the kernel does not.
    expected[-1] -= int(np.count_nonzero(values == edges[-1]))
    return histogram, 4, (values, counts, size, low, width, bins, 256), {1: expected}, {"rtol": 0, "atol": 0}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("histogram: ok")


if __name__ == "__main__":
    main()
