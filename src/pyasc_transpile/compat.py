"""Stand-ins for the packages that existing kernels import, where those are not installed.

After :func:`install`, these import without a change to the file:

=============================================  =========================================================================
``import asctile``                             this package's :mod:`pyasc_transpile.asctile`
``import asc.experimental.asctile as asctile``  the same module
``from asc.experimental import asctile``       the same module
``import asc``                                 ``ConstExpr``, ``GlobalAddress``, the element types, ``ceildiv``, the
                                               enumerations, ``set_platform``; of the lower-level API the calls of
                                               :mod:`pyasc_transpile.asctile.low_level`, for ``asctile.to_asc``
``import asc.runtime.config as config``        ``Backend``, ``Platform``, ``set_platform``
``import asc2``                                all of asctile, and the older names below
=============================================  =========================================================================

Older names, each of which warns with a DeprecationWarning that says what to write:

=====================================  ===============================================
``asc2.tensor(base, shape)``           ``asctile.global_tensor(base, shape)``
``asc2.load(x, shape, offsets=o)``     ``asctile.copy_in(x, o, shape)``: the order differs
``asc2.load(x, offsets=o)``            ``asctile.copy_in(x, o)``, one element
``asc2.store(value, x, offsets=o)``    ``asctile.copy_out(value, x, o)``
``asc2.range(n, parallel=True)``       ``asctile.range(n, gm_barrier=False)``
``asc2.Tensor``, ``asc2.Tile``         ``asctile.GlobalTensor``, ``asctile.LocalTensor``
``asc2.TileLocation``                  ``asctile.TensorLocation``
=====================================  ===============================================

The real packages win where they can be imported, unless ``force`` is asked for, with ``install("force")``, the option
``--compat force`` or ``PYASC_TRANSPILE_COMPAT=force``; ``off`` leaves the import system alone.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NoReturn, Optional

from .errors import OptionError

MODES = ("auto", "force", "off")
ROOTS = ("asc", "asc2", "asctile")
_VARIABLE = "PYASC_TRANSPILE_COMPAT"
_LANGUAGE = "pyasc_transpile.asctile"
_MARK = "__pyasc_transpile_compat__"


def chosen_mode(mode: Optional[str] = None) -> str:
    """``mode``, else what the environment says, else ``auto``.

    Raises:
        OptionError: it is none of :data:`MODES`.
    """
    found = mode or os.environ.get(_VARIABLE, "") or "auto"
    if found.lower() not in MODES:
        source = "--compat" if mode else _VARIABLE
        raise OptionError(f"{source} is {found!r}", remedy=f"it must be one of {', '.join(MODES)}")
    return found.lower()


def install(mode: Optional[str] = None) -> None:
    """Make the stand-ins importable.

    Args:
        mode: ``auto``: where no real package is found; ``force``: in place of real ones; ``off``: not at all; None: as
            ``PYASC_TRANSPILE_COMPAT`` says, else ``auto``.

    Raises:
        OptionError: another mode.
    """
    mode = chosen_mode(mode)
    uninstall()
    if mode == "auto":
        sys.meta_path.append(_FINDER)
    elif mode == "force":
        _forget(lambda module: True)
        sys.meta_path.insert(0, _FINDER)


def uninstall() -> None:
    """Undo :func:`install`; modules that were imported stay with those who imported them."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    _forget(_is_ours)


def _forget(unwanted: Callable[[Any], bool]) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] in ROOTS and unwanted(sys.modules[name]):
            del sys.modules[name]


def _is_ours(module: Any) -> bool:
    return getattr(module, "__name__", "").startswith(_LANGUAGE) or getattr(module, _MARK, False) is True


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the stand-ins."""

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[types.ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        root, _, _ = fullname.partition(".")
        if root not in ROOTS:
            return None
        parent = fullname.rpartition(".")[0]
        if parent and not _is_ours(sys.modules.get(parent)):
            return None  # a part of a real package
        make = _MODULES.get(fullname) or _part_of_language(fullname)
        if make is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(make), is_package=True)


class _Loader(importlib.abc.Loader):
    """Puts a stand-in in the place of the module that the import system has made."""

    def __init__(self, make: Callable[[], types.ModuleType]) -> None:
        self._make = make

    def exec_module(self, module: types.ModuleType) -> None:
        found = self._make()
        if found.__name__ == module.__name__:
            found.__spec__ = module.__spec__
            found.__path__ = []
        sys.modules[module.__name__] = found


def _language() -> types.ModuleType:
    return importlib.import_module(_LANGUAGE)


def _part_of_language(fullname: str) -> Optional[Callable[[], types.ModuleType]]:
    """``asctile.x`` for a module ``pyasc_transpile.asctile.x`` or an attribute that is a module."""
    for prefix in ("asctile.", "asc.experimental.asctile."):
        name = fullname[len(prefix) :]
        if fullname.startswith(prefix) and isinstance(getattr(_language(), name, None), types.ModuleType):
            return lambda: getattr(_language(), name)
    return None


class _StandIn(types.ModuleType):
    """A module whose names are those of the language."""

    def __init__(self, name: str, doc: str, names: Mapping[str, str], own: Mapping[str, Any], missing: str) -> None:
        super().__init__(name, doc)
        self.__dict__.update(own)
        self.__dict__[_MARK] = True
        self.__all__ = sorted({*names, *own})
        self._names = names
        self._missing = missing

    def __getattr__(self, name: str) -> Any:
        known: Mapping[str, str] = self.__dict__.get("_names", {})
        if name in known:
            return getattr(_language(), known[name])
        if f"{self.__name__}.{name}" in _MODULES:
            return importlib.import_module(f"{self.__name__}.{name}")
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        near = difflib.get_close_matches(name, self.__all__, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}{hint} ({self._missing})")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.__all__]


_ASC_NAMES = (
    "Backend", "CompileOptions", "ConstExpr", "DataType", "GlobalAddress", "KernelType", "Platform", "RoundMode",
    "TensorLocation", "bfloat16", "bool_", "ceildiv", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2",
    "float8_e8m0fnuz", "float_", "int16", "int32", "int64", "int8", "int_", "set_platform",
)  # fmt: skip
_CONFIG_NAMES = ("Backend", "Platform", "set_platform")


def _asc() -> types.ModuleType:
    names = {name: name for name in _ASC_NAMES if hasattr(_language(), name)}
    calls = importlib.import_module(f"{_LANGUAGE}.low_level")
    own = {name: getattr(calls, name) for name in calls.__all__ if name not in names}
    missing = (
        "pyasc-transpile provides the asctile language and the calls of pyasc_transpile.asctile.low_level, "
        "not the whole lower-level API; see pyasc_transpile.compat"
    )
    return _StandIn("asc", "The part of asc that asctile kernels use.", names, own, missing)


def _namespace(name: str, doc: str) -> Callable[[], types.ModuleType]:
    return lambda: _StandIn(name, doc, {}, {}, "pyasc-transpile provides the asctile language only")


def _config() -> types.ModuleType:
    names = {name: name for name in _CONFIG_NAMES}
    return _StandIn("asc.runtime.config", "The choice of a platform.", names, {}, "it is set with set_platform")


# Older names


_warned: dict[Any, Any] = {}


def _deprecated(old: str, new: str) -> None:
    """Warn at the kernel's line; once for each, as Python's own warnings do."""
    from .graph.graph import current_builder

    text = f"asc2.{old} is the older name of asctile.{new}"
    span = current_builder().span
    if span is None:
        warnings.warn(text, DeprecationWarning, stacklevel=3)
    else:
        warnings.warn_explicit(text, DeprecationWarning, span.filename, span.line, registry=_warned)


def tensor(base: Any, shape: Any, **options: Any) -> Any:
    """The older name of ``asctile.global_tensor``."""
    _deprecated("tensor", "global_tensor")
    return _language().global_tensor(base, shape, **options)


def load(src: Any, shape: Any = None, offsets: Any = None, **options: Any) -> Any:
    """The older name of ``asctile.copy_in``, with the shape before the offsets."""
    _deprecated("load(x, shape, offsets=o)", "copy_in(x, o, shape)")
    if offsets is None:
        _no_offsets("load")
    return _language().copy_in(src, offsets, shape, **options)


def store(value: Any, dst: Any, offsets: Any = None, **options: Any) -> None:
    """The older name of ``asctile.copy_out``."""
    _deprecated("store", "copy_out")
    if offsets is None:
        _no_offsets("store")
    _language().copy_out(value, dst, offsets, **options)


def _no_offsets(name: str) -> NoReturn:
    raise TypeError(f"asc2.{name} needs offsets=[...], the start of the tile in elements")


_OLDER_TYPES = {"Tensor": "GlobalTensor", "Tile": "LocalTensor", "TileLocation": "TensorLocation"}


def _asc2() -> types.ModuleType:
    language = _language()
    names = {name: name for name in getattr(language, "__all__", ())}
    names.update(_OLDER_TYPES)
    warnings.warn("asc2 is the older name of asctile: import asctile instead", DeprecationWarning, stacklevel=3)
    own = {"tensor": tensor, "load": load, "store": store}
    return _StandIn("asc2", "asctile under its older names.", names, own, "see pyasc_transpile.compat")


_MODULES: Mapping[str, Callable[[], types.ModuleType]] = {
    "asctile": _language,
    "asc": _asc,
    "asc.experimental": _namespace("asc.experimental", "Holds asctile."),
    "asc.experimental.asctile": _language,
    "asc.runtime": _namespace("asc.runtime", "Holds config."),
    "asc.runtime.config": _config,
    "asc2": _asc2,
}
_FINDER = _Finder()
