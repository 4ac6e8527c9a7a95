"""out[i, c] = on if labels[i] == c else off; labels outside of the classes give rows of off."""

import numpy as np

from pyasc_transpile import asctile


@asctile.jit
def one_hot(
    labels_ptr: asctile.GlobalAddress,
    out_ptr: asctile.GlobalAddress,
    size: int,
    on_value: float,
    off_value: float,
    classes: asctile.ConstExpr[int],
    tile_rows: asctile.ConstExpr[int],
):
    labels_gm = asctile.global_tensor(labels_ptr, [size])
    out_gm = asctile.global_tensor(out_ptr, [size, classes])
    on = asctile.full([1, classes], on_value)
    off = asctile.full([tile_rows, classes], off_value)
    for i in asctile.range(asctile.block_idx(), asctile.ceildiv(size, tile_rows), asctile.block_num()):
        first = i * tile_rows
        asctile.copy_out(off, out_gm, [first, 0])
        for row in asctile.range(min(tile_rows, size - first)):
            label = asctile.copy_in(labels_gm, [first + row])
            if label >= 0 and label < classes:
                asctile.copy_out(asctile.copy(on, [0, 0], [1, 1]), out_gm, [first + row, label])


def example_case(rng):
    """A launch and what it must give: kernel, blocks, arguments, {argument index: expected}, tolerances."""
    size, classes = 1000, 37
    labels = rng.integers(-2, classes + 2, size).astype(np.int32)
    expected = np.where(labels[:, None] == np.arange(classes), 1.0, -0.5).astype(np.float32)
    out = np.zeros_like(expected)
    return one_hot, 4, (labels, out, size, 1.0, -0.5, classes, 64), {1: expected}, {"rtol": 0, "atol": 0}


def main():
    kernel, blocks, args, expected, tolerance = example_case(np.random.default_rng(0))
    kernel[blocks](*args)
    for index, value in expected.items():
        np.testing.assert_allclose(args[index], value, **tolerance)
    print("one_hot: ok")


if __name__ == "__main__":
    main()
