"""Remove prints and assertions that run on the device."""

from __future__ import annotations

from ..graph.graph import Region, TileGraph
from ..ops.debugging import DEBUG_OPERATIONS


def drop_debug_operations(graph: TileGraph) -> None:
    """Remove ``device_print`` and ``device_assert``, in place: for kernels without ``debug=True``."""
    _drop(graph.body)


def _drop(region: Region) -> None:
    region.nodes[:] = [node for node in region.nodes if node.op not in DEBUG_OPERATIONS]
    for node in region.nodes:
        for inner in node.regions:
            _drop(inner)
