"""A built kernel as a Python function."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import threading
from collections.abc import Sequence
from typing import Any, Optional

from ..errors import ArgumentValueError, DeviceFaultError, Span
from .abi import AbiParameter
from .cache import Cache

_MAX_BLOCKS = 65535
_PLACE = re.compile(r"(?P<file>[^\n:?]+):(?P<line>\d+): ")
_BUFFER = re.compile(r"GM buffer (\d+)")
_ORDER = (
    "iterations that touch global memory which others write need asctile.range(..., gm_barrier=True), and blocks must "
    "keep apart"
)


def load_private(data: bytes, name: str, cache: Cache) -> ctypes.CDLL:
    """Load a shared library from its content.

    The content was hashed before; it is loaded from a private copy that nobody else ever sees, so that what is executed
    is what was hashed.
    """
    folder = cache.scratch()
    try:
        path = folder / f"lib{name}.so"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        return ctypes.CDLL(str(path))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class KernelLibrary:
    """The entry of one built kernel, with typed arguments.

    Args:
        library: the loaded shared library; kept alive by this object.
        checked: whether it is a checked build, which has to be told where the arrays are.
    """

    def __init__(self, library: ctypes.CDLL, name: str, parameters: Sequence[AbiParameter], checked: bool) -> None:
        self.name = name
        self.parameters = tuple(parameters)
        self.checked = checked
        self._library = library
        self._entry: Any = getattr(library, f"{name}_launch")
        self._entry.argtypes = [
            ctypes.c_uint32, ctypes.c_void_p, *(parameter.ctype for parameter in self.parameters),
        ]  # fmt: skip
        self._entry.restype = ctypes.c_int
        self._report = library.ascendc_cpu_report
        self._report.restype = ctypes.c_char_p
        self._report.argtypes = []
        self._register: Any = library.ascendc_cpu_register_gm
        self._register.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self._register.restype = None
        self._clear: Any = library.ascendc_cpu_clear_gm
        self._clear.argtypes = []
        self._clear.restype = None
        self._checked_launches = threading.Lock()

    def launch(
        self, block_num: int, stream: Optional[int], values: Sequence[Any], extents: Sequence[tuple[int, int]]
    ) -> None:
        """Run the kernel and wait for it.

        Args:
            values: addresses and numbers, one for each parameter.
            extents: address and bytes of each array, used by the checked build.

        Raises:
            DeviceFaultError: the kernel did something that it must not do.
        """
        if not 0 < block_num <= _MAX_BLOCKS:
            raise ArgumentValueError(f"the number of blocks must be from 1 to {_MAX_BLOCKS}, not {block_num}")
        if not self.checked:
            if self._entry(block_num, stream, *values) != 0:
                self._fault()
            return
        with self._checked_launches:
            for address, size in extents:
                self._register(address, size)
            try:
                if self._entry(block_num, stream, *values) != 0:
                    self._fault()
            finally:
                self._clear()

    def _fault(self) -> None:
        report = (self._report() or b"").decode("utf-8", "replace").strip()
        remedy = _ORDER if any("race: " in line and _BUFFER.search(line) for line in report.splitlines()) else ""
        report = _BUFFER.sub(self._array, report)
        place = _PLACE.match(report)
        raise DeviceFaultError(
            f"{self.name} failed on the CPU" + (f":\n{report}" if report else ""),
            span=Span(place["file"], int(place["line"])) if place else None,
            remedy=remedy,
        )

    def _array(self, buffer: re.Match[str]) -> str:
        """Name of the array with the number in ``buffer``: they are registered in the order of the parameters."""
        arrays = [parameter.python_name for parameter in self.parameters if parameter.is_pointer]
        number = int(buffer[1])
        return arrays[number] if number < len(arrays) else buffer[0]
