"""Junctors (`allOf`, `anyOf`, `oneOf`, `not`) as CEL rules, so that the search for objects that a rule refuses finds theirs, too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.engine.rules.escaping import escape

JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_TRUE: Final = "true"
_COMPARED: Final = {
    "minimum": "{0} >= {1}",
    "maximum": "{0} <= {1}",
    "minLength": "size({0}) >= {1}",
    "maxLength": "size({0}) <= {1}",
    "minItems": "size({0}) >= {1}",
    "maxItems": "size({0}) <= {1}",
    "pattern": "{0}.matches({1})",
}
_NUMBERS: Final = frozenset({"minimum", "maximum"})
# Keywords without an effect on the values of a branch.
_IGNORED: Final = frozenset({"type", "description", "title", "nullable"})


class _UntranslatableError(Exception):
    """A keyword has no rule."""


def translate(junctor: str, value: Any, types: Mapping[str, Any]) -> str | None:
    """
    Return a rule that is true for the values that a junctor accepts; None if it has no such rule.

    Args:
        junctor: The junctor.
        value: Its branches; for `not`, its schema.
        types: The structural schema of the values.
    """
    try:
        return _conjunction(_translate({junctor: value}, types, "self"))
    except _UntranslatableError:
        return None


def _conjunction(parts: Iterator[str]) -> str:
    return " && ".join(f"({part})" for part in parts) or _TRUE


def _translate(schema: Mapping[str, Any], types: Mapping[str, Any], value: str) -> Iterator[str]:
    """Yield the conditions of a branch on the value that the expression *value* selects."""
    for keyword, argument in schema.items():
        if keyword == "required":
            yield from (f"has({value}.{_escape(name)})" for name in argument)
        elif keyword == "properties":
            for name, branch in argument.items():
                field = f"{value}.{_escape(name)}"
                inner = _conjunction(_translate(branch, (types.get("properties") or {}).get(name) or {}, field))
                yield f"!has({field}) || {inner}"
        elif keyword in JUNCTORS:
            yield _translate_junctor(keyword, argument, types, value)
        elif keyword == "enum":
            yield f"{value} in [{', '.join(_literal(item, types) for item in argument)}]"
        elif keyword in _COMPARED and types.get("type"):
            yield _COMPARED[keyword].format(value, _literal(argument, types if keyword in _NUMBERS else {}))
        elif keyword not in _IGNORED:
            raise _UntranslatableError(keyword)


def _translate_junctor(junctor: str, argument: Any, types: Mapping[str, Any], value: str) -> str:
    branches = [argument] if junctor == "not" else argument
    conditions = [_conjunction(_translate(branch, types, value)) for branch in branches]
    if junctor == "not":
        return f"!({conditions[0]})"
    if junctor == "oneOf":
        return f"{' + '.join(f'(({condition}) ? 1 : 0)' for condition in conditions)} == 1"
    return (" && " if junctor == "allOf" else " || ").join(f"({condition})" for condition in conditions)


def _escape(name: str) -> str:
    escaped = escape(name)
    if escaped is None:
        raise _UntranslatableError(name)
    return escaped


def _literal(value: Any, types: Mapping[str, Any]) -> str:
    if isinstance(value, dict | list) or value is None:
        raise _UntranslatableError(value)
    if types.get("type") == "number":
        return repr(float(value))
    # CEL reads the escapes of JSON.
    return json.dumps(value, ensure_ascii=False)
