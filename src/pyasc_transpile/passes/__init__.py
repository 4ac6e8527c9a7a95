"""TileGraph to TileGraph."""
