"""
Forms of values in a case file, as fragments of JSON Schema.

Each has a `title` that completes the sentence "'key' must be …". The keys themselves are defined elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple

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
    A key that is required because of another key.

    Attributes:
        key: The required key.
        other: The other key.
        is_instead: True if *key* is required without the other key; else it is required beside it.
    """

    key: str
    other: str
    is_instead: bool = False


def text(title: str, *, without: str = "") -> Form:
    """Return the form of a text that is not blank and does not contain the pattern *without*."""
    form: Form = {"title": title, "type": "string", "pattern": _NOT_BLANK}
    # With the type, since values other than texts do not match the pattern either.
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
    """Return the form of a choice of texts."""
    choices = [*values]
    return {"title": f"one of {', '.join(choices)}", "enum": choices}


def any_list(title: str, item: Form) -> Form:
    """Return the form of a list that may be empty."""
    return {"title": title, "type": "array", "items": item}


def some_list(title: str, item: Form) -> Form:
    """Return the form of a list that is not empty."""
    return {"title": title, "type": "array", "minItems": 1, "items": item}


def patch(title: str, operation: Form) -> Form:
    """Return the form of a non-empty JSON Patch or merge patch."""
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


def texts_by_key(title: str) -> Form:
    """Return the form of a mapping from any keys to texts; it may be empty."""
    return {"title": title, "type": "object", "additionalProperties": any_text("a text")}


def mapping(  # noqa: PLR0913 - the demands on the keys of a mapping
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
        required: The keys it must have.
        one_of: Keys of which at least one must be there; empty for no such demand.
        conflicts: Pairs that contradict each other; pairs with other keys are ignored.
        needs: Keys that are required depending on another; those with other keys are ignored.
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
    demand: Form = {"required": [need.other]}
    return {"if": {"not": demand} if need.is_instead else demand, "then": {"required": [need.key]}}


def with_meaning(form: Form, meaning: str) -> Form:
    """Return *form* with its meaning, which editors show."""
    return {**form, "description": meaning}
