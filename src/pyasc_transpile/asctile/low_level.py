"""Single Ascend C instructions for kernels: ``from pyasc_transpile.asctile import low_level as asc``.

``asctile.to_asc(tile)`` gives the tensor that they take; a call writes into the tile's memory::

    result = asctile.empty([256], asctile.float32)
    asc.add(asctile.to_asc(result), asctile.to_asc(x), asctile.to_asc(y), count=256)
    asctile.copy_out(result, out, [0])

``tensor[n]`` is the part from element n on.  Calls are ordered by what they read and write, as everything else; flags
need not be set.  ``import asc`` has the same functions where :mod:`pyasc_transpile.compat` stands in for it.
"""

from __future__ import annotations

from ..ops.conversion import RoundMode
from ..ops.low_level import AscTensor, names

globals().update(names())

__all__ = ["AscTensor", "RoundMode", *sorted(names())]
