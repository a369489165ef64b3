"""
Forms: what a value of a case file must be, as fragments of JSON Schema.

Each has a `title` that completes the sentence "'key' must be …"; which keys there are is said elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONValue

Form = Mapping[str, Any]

# Patterns have no `$`: where it matches differs from one regular expression engine to the next.
_NOT_BLANK: Final = r"\S"


class Conflict(NamedTuple):
    """Two keys of one mapping that contradict each other, and why."""

    first: str
    second: str
    reason: str


class Need(NamedTuple):
    """
    A key that must be there because of another.

    Attributes:
        key: What must be there.
        other: The other key.
        is_instead: Whether *key* is needed where the other one is not there; else where it is.
    """

    key: str
    other: str
    is_instead: bool = False


def text(title: str, *, without: str = "") -> Form:
    """Return the form of a text that is not blank, and in which the pattern *without* is not found."""
    form: Form = {"title": title, "type": "string", "pattern": _NOT_BLANK}
    # With the type, since whatever is no text has no such pattern either.
    return {**form, "not": {"type": "string", "pattern": without}} if without else form


def any_text(title: str) -> Form:
    """Return the form of a text that may be empty."""
    return {"title": title, "type": "string"}


def object_or_text(title: str) -> Form:
    """Return the form of a mapping, or of its text."""
    return {"title": title, "type": ["object", "string"], "pattern": _NOT_BLANK}


def any_object(title: str) -> Form:
    """Return the form of a mapping with any keys."""
    return {"title": title, "type": "object"}


def constant(title: str, value: JSONValue) -> Form:
    """Return the form of exactly *value*."""
    return {"title": title, "const": value}


def choice(values: Iterable[str]) -> Form:
    """Return the form of one of some texts."""
    choices = [*values]
    return {"title": f"one of {', '.join(choices)}", "enum": choices}


def any_list(title: str, item: Form) -> Form:
    """Return the form of a list that may be empty."""
    return {"title": title, "type": "array", "items": item}


def some_list(title: str, item: Form) -> Form:
    """Return the form of a list that is not empty."""
    return {"title": title, "type": "array", "minItems": 1, "items": item}


def patch(title: str, operation: Form) -> Form:
    """Return the form of a JSON Patch or a merge patch, which changes something."""
    return {"title": title, "type": ["array", "object"], "minItems": 1, "minProperties": 1, "items": operation}


def number(title: str) -> Form:
    """Return the form of an integer from 1."""
    return {"title": title, "type": "integer", "minimum": 1}


def boolean(title: str) -> Form:
    """Return the form of true or false."""
    return {"title": title, "type": "boolean"}


def map_of(title: str, value: Form) -> Form:
    """Return the form of a mapping that is not empty, with any keys."""
    return {"title": title, "type": "object", "minProperties": 1, "additionalProperties": value}


def mapping(  # noqa: PLR0913 - what a mapping demands of its keys
    title: str,
    keys: Mapping[str, Form],
    *,
    required: Iterable[str] = (),
    one_of: Iterable[str] = (),
    conflicts: Iterable[Conflict] = (),
    needs: Iterable[Need] = (),
) -> Form:
    """
    Return the form of a mapping.

    Args:
        title: Completes "must be".
        keys: The keys it may have, and the forms of their values.
        required: Those it must have.
        one_of: Those of which it must have at least one; nothing for no such demand.
        conflicts: Which contradict each other; those about other keys do not matter.
        needs: Which must be there because another is, or is not; those about other keys do not matter.
    """
    form: dict[str, Any] = {"title": title, "type": "object", "properties": keys, "additionalProperties": False}
    if needed := [*required]:
        form["required"] = needed
    if alternatives := [{"required": [key]} for key in one_of]:
        form["anyOf"] = alternatives
    clashes: dict[str, dict[str, Form]] = {}
    for conflict in conflicts:
        if conflict.first in keys and conflict.second in keys:
            clashes.setdefault(conflict.first, {})[conflict.second] = {"not": {}}
    if clashes:
        form["dependentSchemas"] = {first: {"properties": seconds} for first, seconds in clashes.items()}
    if demands := [_demand(need) for need in needs if need.key in keys and need.other in keys]:
        form["allOf"] = demands
    return form


def _demand(need: Need) -> Form:
    other: Form = {"required": [need.other]}
    return {"if": {"not": other} if need.is_instead else other, "then": {"required": [need.key]}}


def with_meaning(form: Form, meaning: str) -> Form:
    """Return *form* with what it is for, which editors show."""
    return {**form, "description": meaning}
