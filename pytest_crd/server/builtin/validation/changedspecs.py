"""
Differences between the specs of an object before and after an update, as errors print them.

Reference:
    apimachinery util/diff, Diff.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.golang import structs
from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.validation.validatedwrites import ValidatedWrite

# Characters that Go escapes in JSON.
_ESCAPES: Final = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
_CONTEXT: Final = 3
_HEADER: Final = 2


def find_difference(old: Mapping[str, Any], new: Mapping[str, Any], write: ValidatedWrite) -> str:
    """
    Return a unified diff of two specs; empty if they are semantically equal.

    Args:
        old: The spec before.
        new: The spec after.
        write: The write of the object.
    """
    if old == new:
        return ""
    kind = builtingotypes.of_kind(write.api_version, write.new["kind"], write.profile)
    spec = kind.fields["spec"]
    if structs.equal(old, new, spec):
        return ""
    completed = _with_empty_parts(new, write.sent.get("spec"), spec)
    lines = difflib.unified_diff(_lines(old, spec), _lines(completed, spec), n=_CONTEXT)
    return "".join([*lines][_HEADER:])


def _with_empty_parts(value: Any, sent: Any, kind: GoType) -> Any:
    """Return a value with the empty lists and maps that were sent, and that decoding drops."""
    kind = kind.to if isinstance(kind, Pointer) else kind
    if not isinstance(kind, Struct) or not isinstance(value, dict) or kind.name in structs.TAGGED:
        return value
    parts = {key: _with_empty_parts(part, (sent or {}).get(key), kind.fields[key]) for key, part in value.items()}
    empty = {
        key: part
        for key, part in (sent or {}).items()
        if part in ({}, []) and key not in value and isinstance(kind.fields.get(key), List | Map)
    }
    return {**empty, **parts}


def _lines(spec: Mapping[str, Any], kind: GoType) -> list[str]:
    value = json.loads(structs.to_json(spec, kind))
    text = json.dumps(value, indent=1, ensure_ascii=False).translate(_ESCAPES)
    return [f"{line}\n" for line in text.split("\n")]
