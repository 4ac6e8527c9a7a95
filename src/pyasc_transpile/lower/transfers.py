"""Copies between global memory and tiles: how much is moved, and the structures that say so."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ..graph import dtypes
from ..graph.constants import unnamed
from ..graph.dtypes import DataType
from ..graph.values import GlobalTensor
from . import expr
from .context import OperationContext
from .expr import Expr, const
from .program import (
    GlobalRef,
)


class TransferContext(OperationContext):
    """What transfers ask for."""

    def global_ref(self, box: Any, offset: Expr) -> GlobalRef:
        """An operand for the part of a global tensor that starts at ``offset``."""
        region = tuple(zip(box.starts, (int(unnamed(extent)) for extent in box.shape)))
        return GlobalRef(box.target, offset, region)

    def clamp(self, narrow: Expr, start: Expr, extent: Expr, limit: Expr) -> tuple[Expr, bool]:
        """Elements from ``start`` on that exist, at most ``limit``; and whether there certainly is one."""
        first, total, most = start.constant, extent.constant, expr.known(limit)
        if first is not None and total is not None and most is not None:
            inside = max(min(total - first, most), 0)
            return (limit if inside == most else const(inside)), inside > 0
        certain = self._is_inside(narrow, extent)
        left = expr.sub(extent, start).named("left")
        moved = expr.minimum(left, limit)
        if not certain or most is None:
            moved = expr.maximum(moved, const(0, moved.ctype))
        return expr.cast(moved, dtypes.int32), certain and most is not None

    def _is_inside(self, start: Expr, extent: Expr) -> bool:
        """Whether a start below the stop of an enclosing loop is certainly inside of the tensor."""
        for loop in self._loops:
            if loop.step.constant is not None and loop.step.constant <= 0:
                continue
            index = expr.var(loop.index)
            if start == index and loop.stop == extent:
                return True
            if start.op == "*" and start.args[0] == index:
                width = start.args[1]
                rounded = expr.truncated_quotient(expr.sub(expr.add(extent, width), const(1)), width)
                if loop.stop == rounded:
                    return True
            if start.op == "*" and start.args[1] == index:
                width = start.args[0]
                if loop.stop == expr.truncated_quotient(expr.sub(expr.add(extent, width), const(1)), width):
                    return True
        return False

    def _bytes(self, box: Any) -> Expr:
        size = expr.scaled(box.moved[-1], box.dtype)
        return size if expr.known(size) is not None else expr.cast(size, "uint32_t").named("bytes")

    def copy_shape(self, box: Any, rows: Expr, *, to_tile: bool) -> Expr:
        """DataCopyExtParams for ``rows`` rows of the innermost matrix of a box."""
        moved, dtype = box.moved[-1], box.dtype
        if box.is_run:
            return self._run_shape(box, rows, to_tile)
        size = self._bytes(box)
        gap_type = "int64_t" if self.architecture.npu_arch == 3510 else "uint32_t"
        if not box.certain[-1]:
            present = self.compare(">", moved, const(0))
            rows = expr.cast(present, "uint16_t") if rows == const(1) else expr.select(present, rows, const(0))
        global_gap: Expr = const(0)
        tile_gap: Expr = const(0)
        if len(box.shape) > 1 and rows != const(1):
            global_gap = expr.scaled(expr.sub(box.extents[-1], moved), dtype)
            pitch_blocks = self.pitch_of(box.shape, dtype).constant * dtype.sizeof() // 32
            blocks = expr.known(size)
            used = (
                const((blocks + 31) // 32)
                if blocks is not None
                else expr.truncated_quotient(expr.add(size, const(31)), const(32))
            )
            tile_gap = expr.sub(const(int(pitch_blocks)), used)
        source, target = (global_gap, tile_gap) if to_tile else (tile_gap, global_gap)
        return expr.struct(
            "DataCopyExtParams",
            self._narrowed(rows, "uint16_t"),
            self._narrowed(size, "uint32_t"),
            self._narrowed(source.named("gm_gap" if to_tile else "ub_gap"), gap_type),
            self._narrowed(target.named("ub_gap" if to_tile else "gm_gap"), gap_type),
            const(0),
            hint="row" if len(box.shape) == 1 else "block_in" if to_tile else "block_out",
        )

    def _run_shape(self, box: Any, rows: Expr, to_tile: bool) -> Expr:
        """DataCopyExtParams for whole rows that follow each other: one run."""
        width = box.shape[-1]
        known = rows.constant
        if known is not None:
            count, size = const(1 if known else 0), expr.scaled(expr.spelled_product((known, width)), box.dtype)
        else:
            size = expr.cast(expr.scaled(expr.mul(rows, const(width)), box.dtype), "uint32_t").named("bytes")
            present = expr.cast(self.compare(">", rows, const(0)), "uint16_t")
            count = const(1) if box.rows_certain else present
        hint = "block_in" if to_tile else "block_out"
        return expr.struct("DataCopyExtParams", count, size, const(0), const(0), const(0), hint=hint)

    def copy_loops(self, loops: Sequence[tuple[Expr, Expr, int]], dtype: DataType, *, to_tile: bool) -> Expr:
        """LoopModeParams for loops around a copy, outer one first: trips, and distances in elements in global memory
        and in the tile."""
        sizes: list[Expr] = []
        strides: list[Expr] = []
        for trips, outside, inside in [*reversed(loops), *[(const(1), const(0), 0)] * (2 - len(loops))]:
            sizes.append(self._narrowed(expr.maximum(trips, const(1)).named("matrices"), "uint32_t"))
            distance = (outside * dtype.sizeof()).named("matrix_bytes")
            far = (self._narrowed(distance, "uint64_t"), const(inside * dtype.sizeof()))
            strides += far if to_tile else far[::-1]
        return expr.struct("LoopModeParams", *sizes, *strides, hint="loops_in" if to_tile else "loops_out")

    def whole_ref(self, tensor: GlobalTensor, offset: Expr) -> GlobalRef:
        """An operand that starts at ``offset`` and may touch any part of a global tensor."""
        return GlobalRef(self.global_buffer(tensor), offset)

    def row_shape(self, dtype: DataType, rows: int, moved: int, width: int, pitch: int, *, to_tile: bool) -> Expr:
        """DataCopyExtParams for ``rows`` rows, ``width`` elements apart in global memory and ``pitch`` in the tile."""
        size = expr.scaled(const(moved), dtype)
        outside: Expr = const(0) if rows == 1 else expr.scaled(const(width - moved), dtype)
        inside: Expr = const(0) if rows == 1 else const(pitch * dtype.sizeof() // 32 - -(-moved * dtype.sizeof() // 32))
        gaps = (outside, inside) if to_tile else (inside, outside)
        return expr.struct("DataCopyExtParams", const(rows), size, *gaps, const(0), hint="row")

    def fixed_padding(self, dtype: DataType, right: int, pad: Expr) -> Expr:
        """DataCopyPadExtParams: ``right`` elements of ``pad`` behind every row."""
        type_name = f"DataCopyPadExtParams<{dtype.cpp}>"
        if not right:
            return expr.struct(type_name, const(False, dtypes.int1), const(0), const(0), const(0, dtype), hint="no_pad")
        return expr.struct(type_name, const(True, dtypes.int1), const(0), const(right), pad, hint="padding")

    @staticmethod
    def _narrowed(value: Expr, ctype: str) -> Expr:
        """A field of a brace initialiser: run-time values need a cast, compile-time ones do not."""
        return value if expr.known(value) is not None else expr.cast(value, ctype)

    def bytes_of(self, elements: Expr, size: int) -> Expr:
        """A number of elements of ``size`` bytes in bytes, as the functions that take uint32_t want it."""
        total = expr.mul(elements, const(size))
        return total if total.op == "const" else expr.cast(total, "uint32_t")

    def padding(self, box: Any, pad: Optional[Expr]) -> Expr:
        """DataCopyPadExtParams: nothing, or ``pad`` up to the end of the last 32-byte block of a row."""
        dtype = box.dtype
        type_name = f"DataCopyPadExtParams<{dtype.cpp}>"
        if pad is None:
            return expr.struct(type_name, const(False, dtypes.int1), const(0), const(0), const(0, dtype), hint="no_pad")
        right = self.padded_elements(box)
        right = right if right.op == "const" else expr.cast(right, "uint8_t")
        return expr.struct(type_name, const(True, dtypes.int1), const(0), right, pad, hint="padding")

    def padded_elements(self, box: Any) -> Expr:
        """Elements from the end of what is moved of a row up to the end of its last 32-byte block."""
        per_block = 32 // box.dtype.sizeof()
        moved = box.moved[-1]
        known = expr.known(moved)
        if known is not None:
            return const(-known % per_block)
        # The block length is a power of two.
        return Expr("&", (Expr("neg", (moved,), dtypes.int32), const(per_block - 1)), dtypes.int32)
