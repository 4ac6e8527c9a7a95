"""Options of ``jit`` and of launches."""

from __future__ import annotations

import dataclasses
import difflib
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

import numpy as np

from ..errors import OptionError
from ..targets import Architecture


class KernelType(enum.Enum):
    """Which cores of the device run a kernel, and in what ratio."""

    AIV_ONLY = 0
    AIC_ONLY = 1
    MIX_AIV_HARD_SYNC = 2
    MIX_AIC_HARD_SYNC = 3
    MIX_AIV_1_0 = 4
    MIX_AIC_1_0 = 5
    MIX_AIC_1_1 = 6
    MIX_AIC_1_2 = 7


@dataclass(frozen=True)
class CompileOptions:
    """Every option of a kernel, given to ``jit`` as default or to a launch for that launch.

    Attributes:
        capture_exceptions: wrap exceptions raised while translating with the kernel's source line.
        ir_multithreading: accepted for compatibility; has no effect.
        custom_builtins: callables that stand for builtin names inside the kernel.
        always_compile: neither use nor fill the caches.
        auto_sync: pass the automatic synchronisation switch to the device compiler.
        auto_sync_log: file for the log of that switch.
        bisheng_options: more words for the command line of the device compiler.
        cv_ratio: vector sub-cores per cube core that take part in a mixed kernel, 1 or 2.
        debug: keep device prints and assertions.
        insert_sync: synchronise the pipelines of a core.
        kernel_type: kind of kernel, or None to derive it.
        matmul_cube_only: make mixed kernels cube-only.
        opt_level: optimisation level of the device compiler, 1 to 3.
        print_ir_before_all: print the graph before each pass.
        reuse_alloc: reuse of on-chip memory: 0 none between named tiles, 1 between those that only the vector unit
            touches and, where iterations overlap, of loaded tiles by stored ones, 2 between all.
        run_passes: run the optimising passes.
        static_alloc: fixed addresses instead of the buffer manager; None follows the platform.
        strip_loc: leave Python source lines out of the generated text.
        verify_sync: prove that the synchronisation of the generated program is enough, by walking through it with
            clocks; SynchronisationError if it is not.
        vf_fusion: fuse chains of vector operations into register blocks (c310).
        vf_vec_len: vector length in bytes told to the device compiler (c310).
        core_num: number of blocks where a launch says ``kernel[None]``.
        stream: stream where a launch names none.

    Raises:
        OptionError: an option has the wrong type or value.
    """

    capture_exceptions: bool = True
    ir_multithreading: bool = True
    custom_builtins: Optional[Mapping[str, Callable[..., Any]]] = field(default=None, hash=False)

    always_compile: bool = False
    auto_sync: Optional[bool] = True
    auto_sync_log: Optional[str] = ""
    bisheng_options: Optional[tuple[str, ...]] = None
    cv_ratio: int = 1
    debug: bool = False
    insert_sync: bool = True
    kernel_type: Optional[KernelType] = None
    matmul_cube_only: bool = False
    opt_level: int = 3
    print_ir_before_all: bool = False
    reuse_alloc: int = 0
    run_passes: bool = True
    static_alloc: Optional[bool] = None
    strip_loc: bool = False
    verify_sync: bool = False
    vf_fusion: bool = False
    vf_vec_len: Optional[int] = None

    core_num: Optional[int] = None
    stream: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in _BOOLS:
            _require(name, getattr(self, name), bool, "True or False")
        for name in ("auto_sync", "static_alloc"):
            _require(name, getattr(self, name), (bool, type(None)), "True, False or None")
        _require("auto_sync_log", self.auto_sync_log, (str, type(None)), "a file name")
        _require("kernel_type", self.kernel_type, (KernelType, type(None)), "a member of KernelType or None")
        for name, choices in (("cv_ratio", (1, 2)), ("opt_level", (1, 2, 3)), ("reuse_alloc", (0, 1, 2))):
            value = getattr(self, name)
            if not _is_int(value) or value not in choices:
                raise OptionError(
                    f"option {name} is {value!r}", remedy=f"it must be one of {', '.join(map(str, choices))}"
                )
        for name in ("vf_vec_len", "core_num"):
            value = getattr(self, name)
            if value is not None and (not _is_int(value) or value < 1):
                raise OptionError(f"option {name} is {value!r}", remedy="it must be a positive int or None")
        self._set_words()
        if self.custom_builtins is not None and not (
            isinstance(self.custom_builtins, Mapping)
            and all(isinstance(k, str) and callable(v) for k, v in self.custom_builtins.items())
        ):
            raise OptionError("option custom_builtins must map names to callables")

    def _set_words(self) -> None:
        words = self.bisheng_options
        if isinstance(words, list):
            words = tuple(words)
            object.__setattr__(self, "bisheng_options", words)
        if words is not None and not (isinstance(words, tuple) and all(isinstance(word, str) for word in words)):
            raise OptionError(
                f"option bisheng_options is {words!r}", remedy="it must be a tuple of str, such as ('-Wall',)"
            )

    def merged(self, overrides: Mapping[str, Any]) -> CompileOptions:
        """These options with some replaced.

        Raises:
            OptionError: an option is unknown, or has the wrong type or value.
        """
        if not overrides:
            return self
        check_names(overrides)
        return dataclasses.replace(self, **overrides)

    def check_architecture(self, architecture: Architecture) -> None:
        """Raise OptionError if an option has no meaning on ``architecture``."""
        if architecture.name == "c310":
            return
        for name, given in (("vf_fusion", self.vf_fusion), ("vf_vec_len", self.vf_vec_len is not None)):
            if given:
                raise OptionError(
                    f"option {name} needs architecture c310, the platform has {architecture.name}",
                    remedy=f"drop {name}, or select an Ascend950PR platform",
                )

    def key_text(self) -> str:
        """Stable text of everything that affects generated code and its compilation."""
        return ";".join(f"{name}={_key(getattr(self, name))}" for name in _KEY_NAMES)


OPTION_NAMES: frozenset[str] = frozenset(option.name for option in dataclasses.fields(CompileOptions))

_BOOLS = (
    "capture_exceptions", "ir_multithreading", "always_compile", "debug", "insert_sync", "matmul_cube_only",
    "print_ir_before_all", "run_passes", "strip_loc", "verify_sync", "vf_fusion",
)  # fmt: skip
_NOT_IN_KEY = {
    "capture_exceptions", "ir_multithreading", "always_compile", "auto_sync_log", "print_ir_before_all",
    "core_num", "stream",
}  # fmt: skip
_KEY_NAMES = tuple(sorted(OPTION_NAMES - _NOT_IN_KEY))


def check_names(names: Mapping[str, Any]) -> None:
    """Raise OptionError for the first name that is not an option, naming the nearest one."""
    for name in names:
        if name not in OPTION_NAMES:
            near = difflib.get_close_matches(name, sorted(OPTION_NAMES), n=1, cutoff=0.0)
            raise OptionError(f"unknown option {name!r}", remedy=f"did you mean {near[0]!r}?")


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _require(name: str, value: Any, classes: Any, wanted: str) -> None:
    if not isinstance(value, classes):
        raise OptionError(f"option {name} is {value!r}", remedy=f"it must be {wanted}")


def _key(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Mapping):
        parts = (f"{k}:{getattr(v, '__module__', '')}.{getattr(v, '__qualname__', '')}" for k, v in value.items())
        return "{" + ",".join(sorted(parts)) + "}"
    return repr(value)
