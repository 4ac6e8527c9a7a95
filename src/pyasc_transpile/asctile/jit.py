"""``jit``: makes a kernel of a Python function; ``kernel[blocks](...)`` launches it."""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, NoReturn, Optional, Union, overload

import numpy as np

from ..errors import ArgumentTypeError, ArgumentValueError, OptionError, TranspileError
from ..graph.graph import OutsideKernelError, current_builder
from .arguments import BoundArguments, NotAKernelError, ParameterList
from .options import OPTION_NAMES, CompileOptions, check_names


@dataclass(frozen=True)
class Launcher:
    """A kernel with a number of blocks and a stream: what ``kernel[blocks, stream]`` returns."""

    kernel: Kernel
    block_num: Optional[int] = None
    stream: Any = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> None:
        """Run the kernel and wait for it. Keyword arguments named like an option are options of this launch.

        Raises:
            ArgumentTypeError, ArgumentValueError: an argument cannot be passed to a kernel.
            OptionError: an option is out of range.
            TranspileError: the kernel cannot be translated, built or run.
        """
        from ..host.launch import launch  # the host side is loaded by the first launch

        overrides = {name: kwargs.pop(name) for name in OPTION_NAMES.intersection(kwargs)} if kwargs else {}
        block_num = _block_num(overrides.pop("core_num", self.block_num))
        stream = overrides.pop("stream", self.stream)
        options = self.kernel.options
        launch(
            self.kernel,
            options.core_num if block_num is None else block_num,
            options.stream if stream is None else stream,
            args,
            kwargs,
            overrides,
        )


class Kernel:
    """A function under ``asctile.jit``. It keeps no state of launches and may be used from several threads.

    Attributes:
        function: the Python function.
        options: options given to ``jit``.
        parameters: the parameters, prepared for binding.
    """

    __name__: str
    __qualname__: str

    def __init__(self, function: types.FunctionType, options: CompileOptions) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.parameters = ParameterList(function)
        for name in self.parameters.names:
            if name in OPTION_NAMES:
                raise OptionError(
                    f"parameter {name!r} of {function.__name__} has the name of an option",
                    remedy="rename the parameter",
                )

    def __getitem__(self, blocks: Any) -> Launcher:
        """``kernel[blocks]`` or ``kernel[blocks, stream]``; ``None`` blocks: all cores of the device.

        Raises:
            ArgumentTypeError: blocks is not an int or None, or there are more than two items.
            ArgumentValueError: blocks is below 1.
        """
        if not isinstance(blocks, tuple):
            return Launcher(self, _block_num(blocks))
        if not 1 <= len(blocks) <= 2:
            raise ArgumentTypeError(
                f"{self.__name__}[...] takes blocks, or blocks and stream, got {len(blocks)} items",
                remedy=f"{self.__name__}[blocks, stream](...)",
            )
        return Launcher(self, _block_num(blocks[0]), *blocks[1:])

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> BoundArguments:
        """Assign launch arguments to parameters and find out what each becomes.

        Raises:
            ArgumentTypeError, ArgumentValueError, ConstantTypeError: naming the parameter.
        """
        return self.parameters.bind(args, kwargs)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Inside of a kernel: call this one as a helper.

        Raises:
            OutsideKernelError: called on the host without ``[blocks]``.
        """
        try:
            current_builder()
        except OutsideKernelError:
            raise OutsideKernelError(
                f"kernel {self.__name__!r} was called like a function",
                remedy=f"launch it with {self.__name__}[blocks](arguments)",
            ) from None
        from ..frontend.walker import call_from_python  # the front end is loaded by the first translation

        return call_from_python(self, args, kwargs)

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Kernel:
        scope = self.__qualname__.split(".")
        if instance is not None and len(scope) > 1 and scope[-2] != "<locals>":
            raise NotAKernelError(
                f"kernel {self.__qualname__} is a method; a kernel has no self",
                remedy="move it out of the class, or make it a staticmethod: @staticmethod above @asctile.jit",
            )
        return self

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__qualname__}>"


def _block_num(blocks: Any) -> Optional[int]:
    if blocks is None:
        return None
    if isinstance(blocks, (bool, np.bool_)) or not isinstance(blocks, (int, np.integer)):
        raise ArgumentTypeError(
            f"the number of blocks must be an int or None, got {type(blocks).__name__} {blocks!r}",
            remedy="kernel[8](...) or kernel[None](...)",
        )
    if blocks < 1:
        raise ArgumentValueError(f"the number of blocks must be at least 1, got {blocks}")
    return int(blocks)


@overload
def jit(function: Callable[..., Any], /) -> Kernel: ...
@overload
def jit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]: ...
def jit(function: Optional[Callable[..., Any]] = None, /, **options: Any) -> Union[Kernel, Callable[..., Kernel]]:
    """Make a kernel of a function: ``@jit``, ``@jit(option=value)``, ``jit(function)``.

    Args:
        function: the function; its source text must be available.
        **options: see :class:`CompileOptions`; a launch may override them.

    Raises:
        OptionError: an option is unknown or out of range, or a parameter has the name of an option.
        TypeError: ``function`` is not a function defined with ``def``.
    """
    check_names(options)
    defaults = CompileOptions(**options)
    if function is None:
        return lambda decorated: Kernel(_checked(decorated), defaults)
    return Kernel(_checked(function), defaults)


def _checked(function: Any) -> types.FunctionType:
    """The plain function behind what ``jit`` decorates."""
    from ..frontend.source import function_source

    if isinstance(function, Kernel):
        raise NotAKernelError(f"{function.__name__} is a kernel already", remedy="decorate it with jit once")
    if isinstance(function, (staticmethod, classmethod)):
        _refuse(f"a {type(function).__name__}", "put @staticmethod above @asctile.jit")
    if not callable(function):
        _refuse(f"{type(function).__name__} {function!r}", "write @asctile.jit or @asctile.jit(option=value)")
    plain = function
    while not isinstance(plain, types.FunctionType) or hasattr(plain, "__wrapped__"):
        wrapped = getattr(plain, "__wrapped__", None)
        if wrapped is None:
            _refuse(f"an object of class {type(function).__name__}", "pass a function defined with def")
        plain = wrapped
    if plain.__name__ == "<lambda>":
        _refuse("a lambda", "define the kernel with def")
    if plain.__code__.co_flags & 0x0080:  # CO_COROUTINE
        _refuse(f"the coroutine {plain.__name__}", "define the kernel with def instead of async def")
    try:
        function_source(plain)
    except TranspileError as error:
        raise NotAKernelError(error.message, remedy=error.remedy) from None
    return plain


def _refuse(what: str, remedy: str) -> NoReturn:
    raise NotAKernelError(f"jit needs a function defined with def, got {what}", remedy=remedy)
