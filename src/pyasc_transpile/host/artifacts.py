"""The texts written for one specialisation of a kernel."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import keyword
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from .._version import __version__
from ..errors import ArgumentValueError
from ..frontend.source import stable_name
from ..targets import PlatformInfo
from .abi import AbiParameter, abi_parameter
from .build import CpuSource
from .toolchain import FAST_FLAGS, NUMERIC_FLAGS, WRAPPING_FLAG, option_flags

if TYPE_CHECKING:
    from ..asctile.jit import Kernel
    from ..asctile.options import CompileOptions
    from ..pipeline import Transpilation

DEFAULT_BLOCKS = 8
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}\Z")
_LOADER_NAMES = frozenset(
    ("Any", "Optional", "_PATH", "_Path", "_ReadOnly", "_address", "_bits", "_condition", "_ctypes", "_index")
    + ("_integer", "_library", "_load", "_np", "_number", "_real", "_run", "annotations")
)  # fmt: skip


def _render(template: str, **context: Any) -> str:
    from ..emit.rendering import render  # a cached launch needs no templates

    return render(template, **context)


def require_identifier(name: str) -> str:
    """``name``, when it can safely be part of paths, of C++, of CMake and of shell text.

    Raises:
        ValueError: it cannot.
    """
    if not _IDENTIFIER.match(name):
        raise ArgumentValueError(
            f"{name!r} cannot be the name of a generated file", remedy="use ASCII letters, digits and _"
        )
    return name


# Modules that a loader must not hide when its folder is on the import path.
_STDLIB = getattr(
    sys, "stdlib_module_names", frozenset(("copy", "ctypes", "math", "operator", "queue", "select", "types"))
)


def loader_file(name: str) -> str:
    """File name of the ctypes loader."""
    return f"{name}_kernel.py" if name in _STDLIB or name == "numpy" else f"{name}.py"


def files_of(name: str) -> frozenset[str]:
    """All files written for one specialisation."""
    others = (f"{name}.cpp", f"{name}_host.asc", f"{name}_cpu.cpp", f"{name}.json", f"lib{name}.so")
    return frozenset((*others, loader_file(name), f"{name}.html", f"{name}.trace.json"))


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """``wanted``, with underscores appended until nothing else has that name."""
    names = set(taken)
    while wanted in names:
        wanted += "_"
    return wanted


def default_blocks(platform: PlatformInfo) -> int:
    """Blocks of a launch that does not say: one for each vector core."""
    return platform.vector_cores or DEFAULT_BLOCKS


def abi_parameters(transpilation: Transpilation) -> tuple[AbiParameter, ...]:
    parameters = tuple(abi_parameter(parameter) for parameter in transpilation.parameters)
    for parameter in parameters:
        require_identifier(parameter.name)
    return parameters


def prototype(name: str, parameters: Iterable[AbiParameter]) -> str:
    """Declaration of the entry in plain C."""
    listed = list(parameters)
    taken = [parameter.name for parameter in listed]
    fixed = [f"uint32_t {free_name('block_num', taken)}", f"void* {free_name('stream', taken)}"]
    return f"int {name}_launch({', '.join([*fixed, *(f'{p.c_type} {p.name}' for p in listed)])});"


def cpu_entry(name: str, kernel: str, kernel_file: str, parameters: Iterable[AbiParameter]) -> str:
    """Text of ``<name>_cpu.cpp``."""
    return _entry("cpu.cpp.j2", name, kernel, kernel_file, parameters)


def host_entry(name: str, kernel: str, kernel_file: str, parameters: Iterable[AbiParameter]) -> str:
    """Text of ``<name>_host.asc``."""
    return _entry("host.asc.j2", name, kernel, kernel_file, parameters)


def _entry(template: str, name: str, kernel: str, kernel_file: str, parameters: Iterable[AbiParameter]) -> str:
    listed = list(parameters)
    taken = [parameter.name for parameter in listed]
    taken += [f"{parameter}_value" for parameter in taken]
    return _render(
        template,
        name=require_identifier(name),
        kernel=require_identifier(kernel),
        kernel_file=kernel_file,
        parameters=listed,
        block_num=free_name("block_num", [*taken, kernel]),
        stream=free_name("stream", [*taken, kernel]),
    )


def cpu_source(
    transpilation: Transpilation, checked: bool, name: Optional[str] = None, *, timed: bool = False
) -> CpuSource:
    """What the CPU build of ``transpilation`` compiles.

    Args:
        name: of the files and of the entry, when it is not that of the kernel.
        timed: build for the model; its text has the same line markers as that of the checked build.
    """
    name = name or transpilation.name
    marked = checked or timed
    return CpuSource(
        name=require_identifier(name),
        kernel=transpilation.checked_source if marked else transpilation.source,
        entry=cpu_entry(name, transpilation.name, f"{name}.cpp", abi_parameters(transpilation)),
        architecture=transpilation.platform.architecture,
        checked=checked,
        python_lines={} if marked else python_lines(transpilation),
        timed=timed,
    )


def python_lines(transpilation: Transpilation) -> dict[int, tuple[str, int]]:
    """Python file and line for the lines of the kernel's text."""
    filename = stable_name(kernel_filename(transpilation.kernel))
    lines = {}
    for cpp_line, place in dict(transpilation.report.get("source_map") or {}).items():
        if isinstance(place, int):
            lines[int(cpp_line)] = (filename, place)
        elif isinstance(place, (list, tuple)) and len(place) == 2:
            lines[int(cpp_line)] = (str(place[0]), int(place[1]))
    return lines


def kernel_filename(kernel: Kernel) -> str:
    """The Python file that a kernel stands in."""
    return kernel.function.__code__.co_filename


def loader(transpilation: Transpilation, name: str, signature_text: str) -> str:
    """Text of ``<name>.py``."""
    parameters = abi_parameters(transpilation)
    taken = [parameter.python_name for parameter in parameters]
    function = free_name(transpilation.kernel.__name__, _LOADER_NAMES | set(keyword.kwlist))
    clashing = [name for name in taken if name in _LOADER_NAMES]
    return _render(
        "loader.py.j2",
        name=require_identifier(name),
        function=function,
        summary=_docstring(f"{transpilation.kernel.__name__} for {transpilation.platform.name}: {signature_text}"),
        parameters=[_loader_parameter(parameter, clashing, taken) for parameter in parameters],
        block_num=free_name("block_num", taken),
        stream=free_name("stream", taken),
        default_blocks=default_blocks(transpilation.platform),
    )


@dataclass(frozen=True)
class _LoaderParameter:
    python_name: str
    annotation: str
    description: str
    converter: str
    ctype_name: str
    dtype: str


def _loader_parameter(parameter: AbiParameter, clashing: list[str], taken: list[str]) -> _LoaderParameter:
    python_name = parameter.python_name
    if python_name in clashing:
        python_name = free_name(python_name, _LOADER_NAMES | set(taken))
    if parameter.is_pointer:
        annotation, converter, description = "Any", "_address", f"array of {parameter.dtype}"
    elif parameter.pass_as == "bits":
        annotation, converter, description = "float", "_bits", f"{parameter.dtype} number"
    elif parameter.dtype.startswith("float"):
        annotation, converter, description = "float", "_number", f"{parameter.dtype} number"
    elif parameter.dtype == "int1":
        annotation, converter, description = "bool", "_condition", "condition"
    else:
        annotation, converter, description = "int", "_integer", f"{parameter.dtype} number"
    return _LoaderParameter(python_name, annotation, description, converter, parameter.ctype_name, parameter.dtype)


def _docstring(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line.replace("\\", "\\\\").replace('"', '\\"')


def cmake(names: Iterable[str], transpilations: Sequence[Transpilation]) -> str:
    """Text of ``CMakeLists.txt`` for ``transpilations``, whose files are called ``names``."""
    options = [flag for flag in FAST_FLAGS if flag in NUMERIC_FLAGS or flag.startswith(("-O", "-march"))]
    return _render(
        "CMakeLists.txt.j2",
        kernels=[_build_row(name, item) for name, item in zip(names, transpilations)],
        bisheng_archs=sorted({item.platform.architecture.bisheng_arch for item in transpilations}),
        cpu_options=options,
        wrapping_flag=WRAPPING_FLAG,
    )


def build_script(names: Iterable[str], transpilations: Sequence[Transpilation]) -> str:
    """Text of ``build.sh`` for ``transpilations``, whose files are called ``names``."""
    return _render(
        "build.sh.j2",
        kernels=[_build_row(name, item) for name, item in zip(names, transpilations)],
        cpu_flags=FAST_FLAGS,
        wrapping_flag=WRAPPING_FLAG,
    )


def _build_row(name: str, transpilation: Transpilation) -> dict[str, Any]:
    architecture = transpilation.platform.architecture
    return {
        "name": require_identifier(name),
        "npu_arch": architecture.npu_arch,
        "bisheng_arch": architecture.bisheng_arch,
        "device_flags": shlex.join(option_flags(transpilation.options)),
    }


def manifest(
    transpilation: Transpilation, name: str, signature: Mapping[str, Any], library: Optional[Mapping[str, Any]]
) -> str:
    """Text of ``<name>.json``."""
    filename = kernel_filename(transpilation.kernel)
    try:
        source_hash: Optional[str] = hashlib.sha256(Path(filename).read_bytes()).hexdigest()
    except OSError:
        source_hash = None
    document = {
        "tool": f"pyasc-transpile {__version__}",
        "kernel": transpilation.kernel.__name__,
        "entry": f"{name}_launch",
        "prototype": prototype(name, abi_parameters(transpilation)),
        "source": {"file": stable_name(filename), "sha256": source_hash},
        "signature": dict(signature),
        "parameters": [parameter.to_json() for parameter in abi_parameters(transpilation)],
        "platform": {
            "name": transpilation.platform.name,
            "architecture": transpilation.platform.architecture.name,
            "npu_arch": transpilation.platform.architecture.npu_arch,
        },
        "options": options_json(transpilation.options),
        "library": dict(library) if library is not None else None,
        **transpilation.report,
    }
    return json.dumps(document, indent=2, sort_keys=False, default=str, ensure_ascii=True) + "\n"


def options_json(options: CompileOptions) -> dict[str, Any]:
    """The compile options by name."""
    names = sorted(field.name for field in dataclasses.fields(options))
    return {name: _plain(getattr(options, name)) for name in names if name not in ("core_num", "stream")}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return sorted(str(key) for key in value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(getattr(value, "name", value))
