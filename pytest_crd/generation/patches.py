"""What is to be changed in one object so that it is another: as a merge patch where that can say it, else as a JSON Patch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_crd.engine import jsonvalue


def between(base: Mapping[str, Any], wanted: Mapping[str, Any]) -> Any:
    """
    Return the patch that makes *wanted* of *base*, both JSON objects; None where they are alike.

    Reference:
        RFC 7386, whose patches read best but cannot set a null; RFC 6902.
    """
    operations = list(_operations(base, wanted, ""))
    if not operations:
        return None
    if any("value" in operation and _has_null(operation["value"]) for operation in operations):
        return operations
    return _merge(base, wanted)


def _operations(base: Any, wanted: Any, pointer: str) -> Iterator[dict[str, Any]]:
    if not isinstance(base, Mapping) or not isinstance(wanted, Mapping):
        if not jsonvalue.equal(base, wanted):
            yield {"op": "replace", "path": pointer, "value": wanted}
        return
    for key, old in base.items():
        inner = f"{pointer}/{_escaped(key)}"
        if key in wanted:
            yield from _operations(old, wanted[key], inner)
        else:
            yield {"op": "remove", "path": inner}
    for key, new in wanted.items():
        if key not in base:
            yield {"op": "add", "path": f"{pointer}/{_escaped(key)}", "value": new}


def _merge(base: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    merge: dict[str, Any] = dict.fromkeys(key for key in base if key not in wanted)
    for key, new in wanted.items():
        old = base.get(key)
        if key in base and jsonvalue.equal(old, new):
            continue
        merge[key] = _merge(old, new) if isinstance(old, Mapping) and isinstance(new, Mapping) else new
    return merge


def _has_null(value: Any) -> bool:
    """Return whether there is a null that a merge patch would take for a removal: one in a list is none."""
    if isinstance(value, Mapping):
        return any(map(_has_null, value.values()))
    return value is None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
