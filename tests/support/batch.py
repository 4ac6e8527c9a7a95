"""Many kernels in one compilation: what keeps a suite of thousands of cases within minutes.

What has been run on the checked build is counted in :data:`TESTED`; the end of a test session says how much that is.
"""

from __future__ import annotations

import ctypes
import dataclasses
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable

import numpy as np
from tests.support import oracle

from pyasc_transpile.asctile.jit import Kernel
from pyasc_transpile.frontend.signature import signature_of
from pyasc_transpile.graph.graph import Node, TileGraph, walk
from pyasc_transpile.graph.types import GlobalType, ScalarType, TileType
from pyasc_transpile.graph.values import Value
from pyasc_transpile.host import artifacts, toolchain
from pyasc_transpile.host.library import KernelLibrary
from pyasc_transpile.pipeline import Transpilation, transpile
from pyasc_transpile.targets import find_platform

PLATFORMS = {"c310": "Ascend950PR_9599", "c220": "Ascend910B1"}
STYLES = {"static": True, "pipe": False}


#: (operation, element type, architecture, memory style) of everything that ran on the checked build in this process.
TESTED: set[tuple[str, str, str, str]] = set()


@dataclass
class Case:
    """One launch: arguments are changed in place, ``check`` then says what is wrong with them, one line for each."""

    label: str
    kernel: Kernel
    args: tuple[Any, ...]
    blocks: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    check: Callable[[], list[str]] = list


def expects(*pairs: tuple[Any, Any]) -> Callable[[], list[str]]:
    """A check that arrays hold exactly what they must: pairs of what is found and what is wanted."""

    def check() -> list[str]:
        return [
            f"{found.tolist()} instead of {np.reshape(wanted, found.shape).tolist()}"
            for found, wanted in pairs
            if not np.array_equal(found, np.reshape(wanted, found.shape))
        ]

    return check


def expects_about(found: Any, wanted: Any, rtol: float = 1e-6, atol: float = 0.0) -> Callable[[], list[str]]:
    """A check that an array is what it must be, but for rounding."""

    def check() -> list[str]:
        got = found.reshape(wanted.shape)
        far = ~np.isclose(got, wanted, rtol, atol, equal_nan=True)
        return [f"{far.sum()} differ: {got[far][:8]} instead of {wanted[far][:8]}"] if far.any() else []

    return check


def in_styles(make: Callable[[str, str], Iterable[Case]], architecture: str, **options: Any) -> list[Case]:
    """The cases that ``make`` has for an architecture in each memory style."""
    found = []
    for style, static_alloc in STYLES.items():
        for case in make(architecture, style):
            case.options.update(options, static_alloc=static_alloc)
            case.label += f" {style}" + "".join(f" {name}={value}" for name, value in options.items())
            found.append(case)
    return found


def in_all_modes(make: Callable[[str, str], Iterable[Case]], architecture: str) -> list[Case]:
    """The cases of an architecture in each memory style with each way to reuse memory."""
    return [case for mode in (0, 1, 2) for case in in_styles(make, architecture, reuse_alloc=mode)]


def element_type(node: Node) -> str:
    """The type that an operation works on: of its first tile or global tensor, else of its result; casts have two."""
    values = [value for value in (*node.operands, *node.results) if isinstance(value, Value)]
    arrays = [value.dtype.short for value in values if isinstance(value.type, (TileType, GlobalType))]
    scalars = [value.dtype.short for value in values if isinstance(value.type, ScalarType)]
    if node.op in ("cast", "scalar.cast"):
        return " to ".join((arrays or scalars)[:2])
    return (arrays or scalars or [""])[0]


def operations_of(graph: TileGraph) -> set[tuple[str, str]]:
    """Operations and element types in a kernel."""
    return {(node.op, element_type(node)) for node in walk(graph.body) if not node.regions}


class Batch:
    """Kernels built together for one architecture.

    Args:
        folder: an empty folder for the sources.
        architecture: "c220" or "c310".
        checked: the checked build, which reports faults, or the fast one.  The checked one is compiled without
            optimisation, which takes a quarter of the time; what runs is small.
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
        """Translate a case, prove its order, let ``edit`` change the text; returns its index for :meth:`run`."""
        options = dataclasses.replace(case.kernel.options, **{"verify_sync": True, **case.options})
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
        level = "-O0" if self.checked else "-O1"
        command = [*compiler.command, *flags, level, "-I", str(toolchain.include_dir()), str(main), "-o", str(library)]
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
        if self.checked:
            style = "static" if made.program.static_alloc else "pipe"
            TESTED.update((*each, self.platform.architecture.name, style) for each in operations_of(made.graph))
        message = oracle.disagreement(made.graph, expected, runtime)
        assert not message, f"{case.label} differs from the reference: {message}"
        return case.args

    def run_all(self, cases: Iterable[Case]) -> None:
        """Add, build and run cases.

        Raises:
            AssertionError: with a line for each that faults, differs from the reference, or fails its own check.
        """
        indices = [self.add(case) for case in cases]
        self.build()
        wrong = []
        for index in indices:
            case = self.cases[index][0]
            try:
                self.run(index)
            except Exception as error:  # noqa: BLE001 - all are listed
                wrong.append(f"{case.label}: {error}")
            else:
                wrong += [f"{case.label}: {line}" for line in case.check()]
        assert not wrong, f"{len(wrong)} are wrong:\n" + "\n".join(wrong)


def number_bits(value: Any, parameter: Any) -> Any:
    """A scalar argument as the C entry takes it."""
    if parameter.dtype in ("float16", "bfloat16"):
        return int(np.asarray(value).view(np.uint16))
    return value.item() if isinstance(value, np.generic) else value
