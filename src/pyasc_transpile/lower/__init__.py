"""TileGraph to Program. See :mod:`pyasc_transpile.lower.lowering`."""
