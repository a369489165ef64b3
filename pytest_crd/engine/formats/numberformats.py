"""Formats of numbers: which names there are; what they mean is decided where numbers are validated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_FORMATS: Final[Mapping[str, frozenset[str]]] = {
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}


def is_recognized(name: str, schema_type: str) -> bool:
    """Return whether there is a format *name* of a schema whose type is one of numbers."""
    return name in _FORMATS.get(schema_type, ())
