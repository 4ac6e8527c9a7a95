"""Launching kernels from Python: ``kernel[blocks](...)`` ends up here."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import hashlib
import os
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

from .._version import __version__
from ..asctile.arguments import BoundArgument, BoundArguments, ParameterKind
from ..asctile.jit import Kernel
from ..asctile.options import CompileOptions
from ..errors import ArgumentTypeError, ArgumentValueError, TranspileError
from ..frontend.fingerprint import kernel_fingerprint, stable_text
from ..frontend.signature import Signature, signature_of
from . import artifacts, build, toolchain
from .abi import AbiParameter
from .cache import Cache, hash_parts, open_cache
from .library import KernelLibrary, load_private
from .platform import Backend, Target, current_target, is_set, require_backend
from .profiling import measured
from .record import RecordedLaunch, Recorder, Timing, active_recorder

if TYPE_CHECKING:
    from ..pipeline import Transpilation

_ready: weakref.WeakKeyDictionary[Kernel, dict[Any, KernelLibrary]] = weakref.WeakKeyDictionary()
_building: dict[Any, threading.Lock] = {}
_building_lock = threading.Lock()
_POINTER, _CONSTANT = ParameterKind.POINTER, ParameterKind.CONSTANT


def launch(
    kernel: Kernel,
    block_num: Optional[int],
    stream: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    overrides: Mapping[str, Any],
) -> None:
    """Run ``kernel`` on the chosen backend and wait for it; what can be taken from the caches is.

    Args:
        block_num: number of blocks; None for one per vector core of the platform.
        stream: device stream; has no meaning on the CPU.
        overrides: options of this launch.

    Raises:
        ArgumentTypeError, ArgumentValueError, OptionError: before anything runs.
        TranspileError: the kernel cannot be translated, built or run.
    """
    bound = kernel.bind(args, kwargs)
    target = current_target()
    options = kernel.options.merged(overrides) if overrides else kernel.options
    recorder = active_recorder()
    if recorder is not None:
        recorded = RecordedLaunch(kernel, signature_of(bound), target.platform, options)
        recorder.add(recorded)
        if not recorder.execute or _run_timed(recorder, recorded, bound, target, block_num):
            return
    elif target.backend not in (Backend.CPU, Backend.Model):
        require_backend(target.backend)
    dry, blocks = is_set(os.environ.get("PYASC_DRY_RUN", "")), block_num or artifacts.default_blocks(target.platform)
    if target.backend is Backend.Reference:
        _run_reference(kernel, bound, 0 if dry else blocks)
        return
    library = _library(kernel, bound, target, options)
    if not dry:
        _call(library, bound, blocks)


def _run_timed(
    recorder: Recorder, recorded: RecordedLaunch, bound: BoundArguments, target: Target, block_num: Optional[int]
) -> bool:
    """Run the launch on the model if the recorder wants to know its time; whether it ran."""
    request = recorder.timing
    if request is None or recorded.key in recorder.timings or is_set(os.environ.get("PYASC_DRY_RUN", "")):
        return False
    from .model import last_profile  # needed by the model only

    timed = dataclasses.replace(target, backend=Backend.Model, platform=request.platform or target.platform)
    try:
        library = _library(recorded.kernel, bound, timed, recorded.options.merged(request.overrides))
    except TranspileError as error:
        recorder.timings[recorded.key] = Timing(None, f"the kernel could not be built for the model: {error}")
        return False
    _call(library, bound, block_num or artifacts.default_blocks(timed.platform))
    recorder.timings[recorded.key] = Timing(last_profile())
    return True


def _library(kernel: Kernel, bound: BoundArguments, target: Target, options: CompileOptions) -> KernelLibrary:
    if options.always_compile:
        return _build_uncached(kernel, signature_of(bound), target, options)
    key = _memory_key(kernel, bound, target, options)
    if key is None:
        return _build_cached(kernel, signature_of(bound), target, options)
    libraries = _ready.get(kernel)
    found = libraries.get(key) if libraries is not None else None
    if found is not None:
        return found
    with _building_lock:
        lock = _building.setdefault((id(kernel), key), threading.Lock())
    with lock:
        libraries = _ready.setdefault(kernel, {})
        found = libraries.get(key)
        if found is None:
            found = libraries[key] = _build_cached(kernel, signature_of(bound), target, options)
    with _building_lock:
        _building.pop((id(kernel), key), None)
    return found


def _memory_key(
    kernel: Kernel, bound: BoundArguments, target: Target, options: CompileOptions
) -> Optional[tuple[Any, ...]]:
    """What tells specialisations of a kernel apart within this process; None when something has no stable content."""
    captured = kernel_fingerprint(kernel)
    if captured is None:
        return None
    parts: list[Any] = [captured, target.platform.name, target.checked, target.timed, options]
    for argument in bound.arguments:
        if argument.kind is _CONSTANT:
            text = _constant_key(argument.value)
            if text is None:
                return None
            parts.append(text)
        else:
            parts.append((argument.kind is _POINTER, argument.dtype))
    return tuple(parts)


def _constant_key(value: Any) -> Union[str, tuple[type, Any], None]:
    kind = type(value)
    if kind is int or kind is bool or kind is str:
        return (kind, value)
    return stable_text(value)


@functools.cache
def package_hash() -> str:
    """Hash of the code of this package: what was cached by another state of it is not used."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(__version__.encode())
    # Templates lie inside an installed package, and beside src/ in an editable one.
    for folder in (root, root.parent.parent / "templates"):
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.j2")]):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _build_cached(kernel: Kernel, signature: Signature, target: Target, options: CompileOptions) -> KernelLibrary:
    cache = open_cache()
    compiler = toolchain.find_compiler()
    alias = _alias_key(kernel, signature, target, options, compiler)
    if alias is not None:
        found = _find_built(cache, alias, target)
        if found is not None:
            return found
    transpilation = _transpile(kernel, signature, target, options)
    source = artifacts.cpu_source(transpilation, target.checked, timed=target.timed)
    parameters = artifacts.abi_parameters(transpilation)
    meta = {"name": source.name, "parameters": [parameter.to_json() for parameter in parameters]}
    key, data = build.cached_library(source, compiler, cache, meta)
    if alias is not None:
        cache.note_alias(alias, key)
    return _loaded(load_private(data, source.name, cache), source.name, parameters, target)


def _build_uncached(kernel: Kernel, signature: Signature, target: Target, options: CompileOptions) -> KernelLibrary:
    transpilation = _transpile(kernel, signature, target, options)
    source = artifacts.cpu_source(transpilation, target.checked, timed=target.timed)
    cache = open_cache()
    with tempfile.TemporaryDirectory(prefix="pyasc-build-") as folder:
        output = Path(folder) / build.LIBRARY
        build.compile_library(source, toolchain.find_compiler(), cache, output)
        data = output.read_bytes()
    library = load_private(data, source.name, cache)
    return _loaded(library, source.name, artifacts.abi_parameters(transpilation), target)


def _transpile(kernel: Kernel, signature: Signature, target: Target, options: CompileOptions) -> Transpilation:
    from ..pipeline import transpile  # a cached launch needs none of it

    return transpile(kernel, signature, target.platform, options)


def _alias_key(
    kernel: Kernel, signature: Signature, target: Target, options: CompileOptions, compiler: toolchain.Compiler
) -> Optional[str]:
    """Key of a launch that can be served without transpiling; None when something has no stable content."""
    captured, types = kernel_fingerprint(kernel), signature.key_text()
    if captured is None or types is None:
        return None
    return hash_parts(
        "launch-1",
        package_hash(),
        toolchain.headers_hash(),
        compiler.identity,
        captured,
        types,
        target.platform.name,
        options.key_text(),
        "timed" if target.timed else "checked" if target.checked else "fast",
    )


def _find_built(cache: Cache, alias: str, target: Target) -> Optional[KernelLibrary]:
    key = cache.find_alias(alias)
    entry = cache.find(key) if key is not None and key.isalnum() else None
    data = entry.read(build.LIBRARY) if entry is not None else None
    if entry is None or data is None:
        return None
    try:
        name = artifacts.require_identifier(entry.meta["name"])
        parameters = [AbiParameter.from_json(fields) for fields in entry.meta["parameters"]]
    except (KeyError, TypeError, ArgumentValueError):
        return None
    return _loaded(load_private(data, name, cache), name, parameters, target)


def _loaded(library: ctypes.CDLL, name: str, parameters: Sequence[AbiParameter], target: Target) -> KernelLibrary:
    if target.timed:
        from .model import TimedLibrary  # needed by the model only

        return TimedLibrary(library, name, parameters, target.platform)
    return KernelLibrary(library, name, parameters, target.checked)


def _call(library: KernelLibrary, bound: BoundArguments, block_num: int) -> None:
    values: list[Any] = []
    extents: list[tuple[int, int]] = []
    copies: list[_Copy] = []
    for argument, parameter in zip(bound.runtime(), library.parameters):
        if argument.kind is _POINTER:
            address, size = _memory_of(argument, copies)
            values.append(address)
            extents.append((address, size))
        else:
            values.append(_number(argument.value, parameter))
    measured(library.name, lambda: library.launch(block_num, None, values, extents))
    _check_unchanged(copies)


def _run_reference(kernel: Kernel, bound: BoundArguments, block_num: int) -> None:
    from .reference import run_kernel  # other backends need none of it

    copies: list[_Copy] = []
    values = [_memory_of(a, copies) if a.kind is _POINTER else a.value for a in bound.runtime()]
    run_kernel(kernel, bound, values, block_num)
    _check_unchanged(copies)


class _Copy(NamedTuple):
    """A read-only array that was passed, and the copy that the kernel got."""

    name: str
    array: Any
    copy: Any


def _check_unchanged(copies: Sequence[_Copy]) -> None:
    """Raise the error that says which read-only array the kernel would have changed, if it wrote to one."""
    for name, array, copy in copies:
        before, after = (each.reshape(-1).view(np.uint8) for each in (array, copy))
        if not np.array_equal(before, after):
            raise ArgumentValueError(
                f"argument {name!r} is a read-only array, and the kernel wrote to it", remedy=f"pass {name}.copy()"
            )


def _memory_of(argument: BoundArgument, copies: list[_Copy]) -> tuple[int, int]:
    """Address and bytes of an array or a tensor; of a copy, added to ``copies``, if the array is read-only."""
    value = argument.value
    if isinstance(value, np.ndarray):
        if argument.read_only:
            value = value.copy()
            copies.append(_Copy(argument.name, argument.value, value))
        return value.__array_interface__["data"][0], value.nbytes
    device = getattr(value, "device", None)
    if device is not None and getattr(device, "type", "cpu") != "cpu":
        raise ArgumentValueError(
            f"argument {argument.name!r} is a tensor on {device}, and the backend is CPU",
            remedy=f"pass {argument.name}.cpu()",
        )
    if not hasattr(value, "data_ptr"):
        raise ArgumentTypeError(f"argument {argument.name!r} has type {type(value).__name__}, which has no address")
    return int(value.data_ptr()), int(value.numel()) * int(value.element_size())


def _number(value: Any, parameter: AbiParameter) -> Union[int, float, bool]:
    if parameter.pass_as == "bits":
        return float_bits(float(value), parameter.dtype)
    if parameter.dtype.startswith("float"):
        return float(value)
    return bool(value) if parameter.dtype == "int1" else int(value)


def float_bits(value: float, dtype: str) -> int:
    """The 16 bits of a half or bfloat16 number, rounded to nearest even."""
    if dtype == "float16":
        return int(np.float16(value).view(np.uint16))
    bits = int(np.float32(value).view(np.uint32))
    if (bits & 0x7FFFFFFF) > 0x7F800000:
        return (bits >> 16) | 0x40
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 & 0xFFFF


def forget_libraries() -> None:
    """Drop the libraries that this process holds, so that the next launch looks at the disk."""
    _ready.clear()


def ready_specialisations(kernel: Kernel) -> Sequence[KernelLibrary]:
    """The libraries of ``kernel`` that this process holds."""
    return list((_ready.get(kernel) or {}).values())
