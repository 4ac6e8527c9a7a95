"""The operations of the language: one definition each. Importing the package fills the table."""

from . import conversion, creation, elementwise, scalars, selection, shapes, system, transfers
from .registry import OPERATIONS, Operation

__all__ = [
    "OPERATIONS",
    "Operation",
    "conversion",
    "creation",
    "elementwise",
    "scalars",
    "selection",
    "shapes",
    "system",
    "transfers",
]
