"""Signatures as the host side needs them: text, JSON and a hash for names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..asctile.arguments import ParameterKind
from ..graph.constants import constant_text
from .cache import hash_parts

if TYPE_CHECKING:
    from ..frontend.signature import Signature
    from ..pipeline import Transpilation


def signature_text(transpilation: Transpilation) -> str:
    """The signature as the command line takes it."""
    return str(transpilation.signature)


def signature_hash(transpilation: Transpilation) -> str:
    """Hash that tells the specialisations of one kernel apart; the same on every machine."""
    signature = transpilation.signature
    return hash_parts(
        transpilation.kernel.__name__,
        signature.key_text() or str(signature),
        transpilation.platform.name,
        transpilation.options.key_text(),
    )


def signature_json(transpilation: Transpilation) -> dict[str, Any]:
    """The signature for the manifest."""
    signature: Signature = transpilation.signature
    return {
        "text": str(signature),
        "parameters": [
            {"name": p.name, "kind": p.kind.value, "dtype": p.dtype.name}
            for p in signature.parameters
            if p.kind is not ParameterKind.CONSTANT and p.dtype is not None
        ],
        "constants": {
            p.name: _constant_json(p.value) for p in signature.parameters if p.kind is ParameterKind.CONSTANT
        },
    }


def _constant_json(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and value - value == 0.0:
        return value
    if isinstance(value, (list, tuple)):
        return [_constant_json(item) for item in value]
    return constant_text(value)
