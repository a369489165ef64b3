"""Words in the names of cases: statements that fit on one line and in a node id."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine.schema.schemamap import RULES, Each, Place

_LONGEST_VALUE: Final = 40
_LONGEST_RULE: Final = 100
# Characters with a meaning in pytest's node ids, and unprintable ones.
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
ROOT: Final = "the object"


def format_place(place: Place) -> str:
    """Return the spelling of *place* in names, without brackets: `spec.items.name`; `spec.labels.*` for map values."""
    steps = ["*" if isinstance(step, Each) else step for step in place]
    return fit(".".join(steps)) or ROOT


def format_value(value: Any) -> str:
    """Return *value* as JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return fit(text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…")


def fit(text: str) -> str:
    """Return *text* without the characters that a name cannot have."""
    plain = _UNFIT.sub(" ", text).replace("::", ":").replace("[", "(").replace("]", ")")
    return " ".join(plain.split())


def join_names(names: Sequence[str], most: int) -> str:
    """Return *names* in a comma-separated line, with a count instead of the names after the first *most*."""
    text = ", ".join(names[:most])
    return fit(text if len(names) <= most else f"{text} and {len(names) - most} more")


def make_unique(name: str, names: set[str]) -> str:
    """Return *name*, or *name* with a number if it is in *names*; add the result to *names*."""
    number, candidate = 1, name
    while candidate in names:
        number += 1
        candidate = f"{name} ({number})"
    names.add(candidate)
    return candidate


def describe_boundary(keyword: str, schema: Mapping[str, Any], value: Any, *, holds: bool) -> str:
    """
    Return the statement about a value at a boundary, without the place.

    Args:
        keyword: The keyword, spelled as in `synthesis.Boundary`.
        schema: The schema at the place.
        value: The value at the place.
        holds: Whether the value satisfies the keyword.
    """
    name, _, argument = keyword.partition(" ")
    if name.startswith(RULES):
        return _describe_rule(schema[RULES][int(name[len(RULES) + 1 : -1])], holds=holds)
    if name == "required":
        return f"{fit(argument)} is there" if holds else f"{fit(argument)} is missing"
    inside, outside = _WORDS[name](value, schema)
    return fit(inside if holds else outside)


def describe_rule(rule: Mapping[str, Any]) -> str:
    """Return the message of *rule*, or its text without a message, shortened."""
    text = " ".join(str(rule.get("message") or rule["rule"]).split())
    return fit(text if len(text) <= _LONGEST_RULE else f"{text[:_LONGEST_RULE]}…")


def _describe_rule(rule: Mapping[str, Any], *, holds: bool) -> str:
    return f"{'keeps' if holds else 'breaks'} the rule '{describe_rule(rule)}'"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# Takes a value and its schema; returns the statement for a value inside of the boundary, and for one outside.
_Words: TypeAlias = "Callable[[Any, Mapping[str, Any]], tuple[str, str]]"


def _sized(noun: str, inside: str, outside: str) -> _Words:
    def words(value: Any, _: Mapping[str, Any]) -> tuple[str, str]:
        if not isinstance(value, str | list | dict):  # a limit of size does not concern numbers, booleans and null
            return f"{format_value(value)} is {inside}", f"{format_value(value)} is {outside}"
        counted = f"{_counted(len(value), noun)} {'is' if len(value) == 1 else 'are'}"
        return f"{counted} {inside}", f"{counted} {outside}"

    return words


def _valued(inside: str, outside: str) -> _Words:
    def words(value: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
        text, parameters = (
            format_value(value),
            {"format": schema.get("format", ""), "step": schema.get("multipleOf", "")},
        )
        return f"{text} {inside.format(**parameters)}", f"{text} {outside.format(**parameters)}"

    return words


def _twice(_: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    noun = "key" if schema.get("x-kubernetes-list-type") == "map" else "item"
    return f"{noun}s that differ are allowed", f"the same {noun} twice is refused"


_WORDS: Final[Mapping[str, _Words]] = {
    "type": _valued("is of the right type", "is of the wrong type"),
    "nullable": _valued("is allowed", "is not allowed"),
    "enum": _valued("is allowed", "is not allowed"),
    "minimum": _valued("is large enough", "is too small"),
    "maximum": _valued("is small enough", "is too large"),
    "multipleOf": _valued("is a multiple of {step}", "is no multiple of {step}"),
    "minLength": _sized("character", "long enough", "too short"),
    "maxLength": _sized("character", "short enough", "too long"),
    "pattern": _valued("matches the pattern", "does not match the pattern"),
    "format": _valued("is a valid {format}", "is no valid {format}"),
    "minItems": _sized("item", "enough", "too few"),
    "maxItems": _sized("item", "few enough", "too many"),
    "minProperties": _sized("field", "enough", "too few"),
    "maxProperties": _sized("field", "few enough", "too many"),
    "x-kubernetes-list-type": _twice,
    "allOf": _valued("fits allOf", "does not fit allOf"),
    "anyOf": _valued("fits anyOf", "does not fit anyOf"),
    "oneOf": _valued("fits oneOf", "does not fit oneOf"),
    "not": _valued("is not what `not` forbids", "is what `not` forbids"),
}
