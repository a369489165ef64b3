"""Objects on one line for reports, without the fields that every object has."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

_LONGEST: Final = 400
# The longest texts and lists, and the length to which longer ones are cut.
_LONGEST_TEXT: Final = 80
_SHOWN_OF_TEXT: Final = 20
_MOST_PARTS: Final = 20
_SHOWN_PARTS: Final = 3


def shorten(resource: Mapping[str, Any]) -> str:
    """Return an object on one line, without the fields that every object has; long texts and lists are shortened."""
    metadata = {key: value for key, value in (resource.get("metadata") or {}).items() if key != "name"}
    if len(name := (resource.get("metadata") or {}).get("name") or "") > _LONGEST_TEXT:
        metadata["name"] = name
    rest = {key: value for key, value in resource.items() if key not in {"apiVersion", "kind", "metadata"}}
    text = spell({**({"metadata": metadata} if metadata else {}), **rest})
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def spell(value: Any) -> str:
    """Return *value* as JSON; long texts, lists and objects are shortened, with their size."""
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f'{json.dumps(value[:_SHOWN_OF_TEXT], ensure_ascii=False)[:-1]}…" ({len(value):,} characters)'
    if isinstance(value, Mapping):
        pairs = [f"{json.dumps(key, ensure_ascii=False)}: {spell(child)}" for key, child in value.items()]
        return f"{{{_cut(pairs, 'fields')}}}"
    if isinstance(value, list):
        return f"[{_cut([spell(child) for child in value[: _MOST_PARTS + 1]], 'items', len(value))}]"
    return json.dumps(value, ensure_ascii=False)


def _cut(parts: Sequence[str], noun: str, count: int | None = None) -> str:
    count = len(parts) if count is None else count
    if count <= _MOST_PARTS:
        return ", ".join(parts)
    return f"{', '.join(parts[:_SHOWN_PARTS])}, … ({count:,} {noun})"
