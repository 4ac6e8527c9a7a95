"""Many kernels in one compilation: what keeps a suite of thousands of cases within minutes."""

from __future__ import annotations

import ctypes
import dataclasses
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Sequence

import numpy as np
from tests.support import oracle

from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.host import artifacts, toolchain
from pyasc_transpile.host.library import KernelLibrary
from pyasc_transpile.pipeline import Transpilation, transpile
from pyasc_transpile.targets import find_platform

PLATFORMS = {"c310": "Ascend950PR_9599", "c220": "Ascend910B1"}
STYLES = {"static": True, "pipe": False}


@dataclass
class Case:
    """One launch: arguments are changed in place, ``check`` then looks at them."""

    label: str
    kernel: Kernel
    args: tuple[Any, ...]
    blocks: int = 1
    options: dict[str, Any] = field(default_factory=dict)


class Batch:
    """Kernels built together for one architecture.

    Args:
        folder: an empty folder for the sources.
        architecture: "c220" or "c310".
        checked: the checked build, which reports faults, or the fast one.
        oracle: compare every run with the reference, in addition to what the test does.
    """

    def __init__(self, folder: Path, architecture: str, checked: bool = True, oracle: bool = True) -> None:
        self.folder = folder
        self.platform = find_platform(PLATFORMS[architecture])
        self.checked = checked
        self.oracle = oracle
        self.cases: list[tuple[Case, Transpilation, str]] = []
        self._known: dict[str, str] = {}
        self._sources: list[str] = []
        self._library: Any = None

    def add(self, case: Case, edit: Callable[[str], str] = str) -> int:
        """Translate a case, let ``edit`` change the text; returns its index for :meth:`run`."""
        options = dataclasses.replace(case.kernel.options, **case.options)
        signature = signature_of(case.kernel.bind(case.args, {}))
        made = transpile(case.kernel, signature, self.platform, options)
        text = edit(made.checked_source if self.checked else made.source)
        name = self._known.get(text)
        if name is None:
            name = f"{made.name}_{len(self._known)}"
            self._known[text] = name
            parameters = artifacts.abi_parameters(made)
            entry = artifacts.cpu_entry(name, name, f"{name}.cpp", parameters)
            (self.folder / f"{name}.cpp").write_text(text.replace(f" void {made.name}(", f" void {name}(", 1))
            self._sources.append(entry)
        self.cases.append((case, made, name))
        return len(self.cases) - 1

    def build(self) -> None:
        """Compile everything added so far.

        Raises:
            AssertionError: the compiler rejects it.
        """
        compiler = toolchain.find_compiler()
        main = self.folder / "all.cpp"
        main.write_text("\n".join(self._sources))
        library = self.folder / "libbatch.so"
        flags = compiler.flags(self.platform.architecture, self.checked)
        command = [*compiler.command, *flags, "-O1", "-I", str(toolchain.include_dir()), str(main), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        self._library = ctypes.CDLL(str(library))

    def run(self, index: int) -> tuple[Any, ...]:
        """Launch a case and return its arguments.

        Raises:
            DeviceFaultError: the checked build found a fault.
            AssertionError: the reference does something else.
        """
        case, made, name = self.cases[index]
        parameters = artifacts.abi_parameters(made)
        library = KernelLibrary(self._library, name, parameters, self.checked)
        bound = case.kernel.bind(case.args, {})
        values: list[Any] = []
        extents: list[tuple[int, int]] = []
        for argument, parameter in zip(bound.runtime(), parameters):
            if parameter.is_pointer:
                values.append(argument.value.ctypes.data)
                extents.append((argument.value.ctypes.data, argument.value.nbytes))
            else:
                values.append(number_bits(argument.value, parameter))
        runtime = bound.runtime()
        known = self.oracle and oracle.can_run(made.graph)
        expected = oracle.expected_after(made.graph, case.blocks, runtime) if known else []
        library.launch(case.blocks, None, values, extents)
        message = oracle.disagreement(made.graph, expected, runtime)
        assert not message, f"{case.label} differs from the reference: {message}"
        return case.args


def number_bits(value: Any, parameter: Any) -> Any:
    """A scalar argument as the C entry takes it."""
    if parameter.dtype in ("float16", "bfloat16"):
        return int(np.asarray(value).view(np.uint16))
    return value.item() if isinstance(value, np.generic) else value


def run_all(batch: Batch, cases: Sequence[Case]) -> list[str]:
    """Add, build and run cases; returns one line per case that failed to run."""
    indices = [batch.add(case) for case in cases]
    batch.build()
    failures = []
    for index in indices:
        try:
            batch.run(index)
        except Exception as error:  # noqa: BLE001 - every failure is reported, not the first only
            failures.append(f"{batch.cases[index][0].label}: {error}")
    return failures
