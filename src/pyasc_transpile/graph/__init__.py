"""TileGraph: typed values, nodes and regions. See :mod:`pyasc_transpile.graph.graph`."""
