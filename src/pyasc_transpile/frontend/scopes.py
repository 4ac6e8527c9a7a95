"""Names of a function while it is walked, and snapshots of everything that walked code can change.

A place is something that can be assigned: a name, an item of a list or dict, an attribute of a plain object.  Run-time
branches and loops compare snapshots of all places to find out what they change.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional

from ..errors import TranspileError
from ..graph.values import GlobalTensor, LocalTensor, PlainValue


class Undefined:
    """What a name holds after a run-time branch or loop that leaves it without one meaning; reading it is an error."""

    __slots__ = ("message", "remedy")

    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy


class UndefinedNameError(TranspileError, NameError):
    """A name was read that has no value, or none with one meaning."""


class UnknownAttributeError(TranspileError, AttributeError):
    """A run-time value or a module has no attribute of that name."""


class Scope:
    """Local names of a function or comprehension; ``parent`` is the scope around it in the text."""

    __slots__ = ("names", "parent")

    def __init__(self, names: Optional[dict[str, Any]] = None, parent: Optional[Scope] = None) -> None:
        self.names: dict[str, Any] = names if names is not None else {}
        self.parent = parent

    def chain(self) -> Iterator[Scope]:
        """This scope and those around it, innermost first."""
        scope: Optional[Scope] = self
        while scope is not None:
            yield scope
            scope = scope.parent


class Tracker:
    """Names read before they are stored, in one walk through a loop body."""

    __slots__ = ("reads", "stored")

    def __init__(self) -> None:
        self.reads: set[PlaceKey] = set()
        self.stored: set[PlaceKey] = set()


PlaceKey = tuple[str, int, Any]


class Place(NamedTuple):
    """Something assignable: ``holder`` is a scope, list, dict or object; ``label`` is how its author writes it."""

    key: PlaceKey
    holder: Any
    label: str

    def set(self, value: Any) -> None:
        kind, _, selector = self.key
        if kind == "name":
            self.holder.names[selector] = value
        elif kind == "item":
            self.holder[selector] = value
        else:
            setattr(self.holder, selector, value)

    @property
    def identifier(self) -> str:
        """The label as a name that generated text may use."""
        text = "".join(character if character.isalnum() else "_" for character in self.label)
        return "_".join(part for part in text.split("_") if part) or "value"


class Snapshot:
    """Values of all places that walked code can reach, and the means to bring them back."""

    def __init__(self, scope: Scope) -> None:
        self.values: dict[PlaceKey, Any] = {}
        self.places: dict[PlaceKey, Place] = {}
        self._restore: list[Callable[[], None]] = []
        self._sizes: dict[int, tuple[str, Any, int]] = {}
        for each in scope.chain():
            self._copy(each.names)
            for name, value in list(each.names.items()):
                self._add(Place(("name", id(each), name), each, name), value)

    def restore(self) -> None:
        """Bring every place back to its value in this snapshot."""
        for restore in self._restore:
            restore()

    def reaches(self, place: Place) -> bool:
        """Whether the object that ``place`` is a part of can be reached; names always can."""
        return place.key[0] == "name" or place.key[1] in self._sizes

    def resized(self, later: Snapshot) -> Optional[str]:
        """Label of a list or dict that has more or fewer items in ``later``, or None."""
        for ident, (label, container, size) in self._sizes.items():
            if ident in later._sizes and later._sizes[ident][2] != size:
                return label
            if ident not in later._sizes and len(container) != size:
                return label
        return None

    def _copy(self, target: dict[Any, Any]) -> None:
        saved = dict(target)

        def restore() -> None:
            target.clear()
            target.update(saved)

        self._restore.append(restore)

    def _add(self, place: Place, value: Any) -> None:
        self.values[place.key] = value
        self.places[place.key] = place
        self._visit(value, place.label)

    def _visit(self, value: Any, label: str) -> None:
        kind = type(value)
        if kind is tuple:
            for position, item in enumerate(value):
                self._visit(item, f"{label}[{position}]")
        elif kind is list or kind is dict:
            self._visit_container(value, label)
        elif kind is types.SimpleNamespace or _is_plain_object(value):
            self._visit_object(value, label)

    def _visit_container(self, value: Any, label: str) -> None:
        if id(value) in self._sizes:
            return
        self._sizes[id(value)] = (label, value, len(value))
        if type(value) is list:
            saved = list(value)
            self._restore.append(lambda: value.__setitem__(slice(None), saved))
            items: Any = enumerate(saved)
        else:
            self._copy(value)
            items = list(value.items())
        for key, item in items:
            self._add(Place(("item", id(value), key), value, f"{label}[{key!r}]"), item)

    def _visit_object(self, value: Any, label: str) -> None:
        attributes = vars(value)
        if id(value) in self._sizes:
            return
        self._sizes[id(value)] = (label, attributes, len(attributes))
        self._copy(attributes)
        for name, item in list(attributes.items()):
            self._add(Place(("attr", id(value), name), value, f"{label}.{name}"), item)


_ATOMS = frozenset(
    (int, float, bool, str, bytes, type(None), tuple, list, dict, set, PlainValue, LocalTensor, GlobalTensor)
)
_OPAQUE = frozenset(
    ("pyasc_transpile", "asc", "asc2", "asctile", "numpy", "torch", "torch_npu", "builtins", "functools")
)


def _is_plain_object(value: Any) -> bool:
    """Whether attributes of ``value`` are state of the kernel: instances of the author's classes."""
    kind = type(value)
    if kind in _ATOMS or not hasattr(value, "__dict__") or kind.__module__.partition(".")[0] in _OPAQUE:
        return False
    return not isinstance(value, (type, types.FunctionType, types.ModuleType, enum.Enum))
