"""Ascend C that somebody else wrote, built with our headers: timed on the model, or checked."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy as np

from pyasc_transpile.graph import dtypes
from pyasc_transpile.graph.dtypes import DataType
from pyasc_transpile.host import artifacts, build, toolchain
from pyasc_transpile.host.abi import abi_parameter
from pyasc_transpile.host.cache import open_cache
from pyasc_transpile.host.launch import float_bits
from pyasc_transpile.host.library import KernelLibrary, load_private
from pyasc_transpile.host.model import Profile, TimedLibrary, last_profile
from pyasc_transpile.pipeline import EntryParameter
from pyasc_transpile.targets import PlatformInfo

# What the device compiler has built in and no header declares: scalar functions, and the place of cross-core flags.
SHIM = "#include <cmath>\n#include <cstdint>\nusing std::sqrt;\ninline void set_ffts_base_addr(uint64_t) {}\n"
_SIGNATURE = re.compile(r"__global__\s+__aicore__\s+void\s+(\w+)\s*\(([^)]*)\)")
_TYPES: dict[str, DataType] = {
    "half": dtypes.float16, "bfloat16_t": dtypes.bfloat16, "float": dtypes.float32, "double": dtypes.float64,
    "bool": dtypes.int1, "int8_t": dtypes.int8, "int16_t": dtypes.int16, "int32_t": dtypes.int32,
    "int64_t": dtypes.int64, "uint8_t": dtypes.uint8, "uint16_t": dtypes.uint16, "uint32_t": dtypes.uint32,
    "uint64_t": dtypes.uint64,
}  # fmt: skip


@dataclass(frozen=True)
class ForeignKernel:
    """A built kernel that can be launched."""

    library: Union[TimedLibrary, KernelLibrary]

    def profile(self, blocks: int, values: Sequence[Any]) -> Profile:
        """Launch on the model with arrays and numbers; parameters beyond them get the address of a zero."""
        self.launch(blocks, values)
        found = last_profile()
        assert found is not None
        return found

    def launch(self, blocks: int, values: Sequence[Any]) -> None:
        """The same without a profile.

        Raises:
            DeviceFaultError: the checked build found a fault.
        """
        zero = np.zeros(8, np.uint64)
        numbers: list[Any] = []
        extents = []
        given = [*values, *[zero] * (len(self.library.parameters) - len(values))]
        for parameter, value in zip(self.library.parameters, given):
            if isinstance(value, np.ndarray):
                numbers.append(value.ctypes.data)
                extents.append((value.ctypes.data, value.nbytes))
            elif parameter.pass_as == "bits":
                numbers.append(float_bits(float(value), parameter.dtype))
            else:
                numbers.append(float(value) if parameter.dtype.startswith("float") else int(value))
        self.library.launch(blocks, None, numbers, extents)


def build_foreign(text: str, platform: PlatformInfo, checked: bool = False) -> ForeignKernel:
    """Compile Ascend C with one entry function, for the model or with checks.

    Raises:
        ToolchainError: our headers do not take it.
        ValueError: no entry function was found.
    """
    found = _SIGNATURE.search(text)
    if found is None:
        raise ValueError("the text has no entry function")
    name = found.group(1)
    parameters = tuple(abi_parameter(_parameter(each)) for each in found.group(2).split(",") if each.strip())
    source = build.CpuSource(
        name=name,
        kernel=SHIM + text,
        entry=artifacts.cpu_entry(name, name, f"{name}.cpp", parameters),
        architecture=platform.architecture,
        checked=checked,
        python_lines={},
        timed=not checked,
    )
    cache = open_cache()
    with tempfile.TemporaryDirectory(prefix="foreign-") as folder:  # nothing of it is kept
        output = Path(folder) / build.LIBRARY
        build.compile_library(source, toolchain.find_compiler(), cache, output)
        library = load_private(output.read_bytes(), name, cache)
    if checked:
        return ForeignKernel(KernelLibrary(library, name, parameters, True))
    return ForeignKernel(TimedLibrary(library, name, parameters, platform))


def _parameter(text: str) -> EntryParameter:
    words = text.replace("*", " * ").split()
    base = next(word for word in words if word in _TYPES)
    pointer = "*" in words
    return EntryParameter(words[-1], f"{base}*" if pointer else base, _TYPES[base], pointer, words[-1])
