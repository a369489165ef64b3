"""Names of the number formats; their meaning is implemented in number validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_FORMATS: Final[Mapping[str, frozenset[str]]] = {
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}


def is_recognized(name: str, schema_type: str) -> bool:
    """Return whether *name* is a format of the number type *schema_type*."""
    return name in _FORMATS.get(schema_type, ())
