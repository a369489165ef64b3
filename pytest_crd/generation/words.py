"""Names of cases: what holds there, in words that stay on one line and in a node id."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine.schema.schemamap import RULES, Each, Place

_LONGEST_VALUE: Final = 40
_LONGEST_RULE: Final = 100
# What pytest gives a meaning in node ids, and what no terminal shows.
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
ROOT: Final = "the object"


def of_place(place: Place) -> str:
    """Return *place* as names have it, which hold no brackets: `spec.items.name`, and `spec.labels.*` for what is in a map."""
    steps = ["*" if isinstance(step, Each) else step for step in place]
    return fit(".".join(steps)) or ROOT


def of_value(value: Any) -> str:
    """Return *value* as JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return fit(text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…")


def fit(text: str) -> str:
    """Return *text* without what a name cannot hold."""
    plain = _UNFIT.sub(" ", text).replace("::", ":").replace("[", "(").replace("]", ")")
    return " ".join(plain.split())


def listed(names: Sequence[str], most: int) -> str:
    """Return *names* in a row, *most* of them by name."""
    shown = ", ".join(names[:most])
    return fit(shown if len(names) <= most else f"{shown} and {len(names) - most} more")


def free(name: str, taken: set[str]) -> str:
    """Return *name*, with a number where it is *taken*; from then on what is returned is taken too."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    taken.add(found)
    return found


def of_boundary(keyword: str, schema: Mapping[str, Any], value: Any, *, holds: bool) -> str:
    """
    Return what is so at a boundary, without the place.

    Args:
        keyword: As `examples.Boundary` has it.
        schema: What the CRD declares at the place.
        value: What stands there.
        holds: Whether the constraint does.
    """
    name, _, argument = keyword.partition(" ")
    if name.startswith(RULES):
        return _of_rule(schema[RULES][int(name[len(RULES) + 1 : -1])], holds=holds)
    if name == "required":
        return f"{fit(argument)} is there" if holds else f"{fit(argument)} is missing"
    inside, outside = _WORDS[name](value, schema)
    return fit(inside if holds else outside)


def of_rule(rule: Mapping[str, Any]) -> str:
    """Return what tells *rule* from others: its message, else its text."""
    text = " ".join(str(rule.get("message") or rule["rule"]).split())
    return fit(text if len(text) <= _LONGEST_RULE else f"{text[:_LONGEST_RULE]}…")


def _of_rule(rule: Mapping[str, Any], *, holds: bool) -> str:
    return f"{'keeps' if holds else 'breaks'} the rule '{of_rule(rule)}'"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# What is so inside of a boundary and outside of it, of a value and what is declared there.
_Words: TypeAlias = "Callable[[Any, Mapping[str, Any]], tuple[str, str]]"


def _sized(noun: str, inside: str, outside: str) -> _Words:
    def words(value: Any, _: Mapping[str, Any]) -> tuple[str, str]:
        if not isinstance(value, str | list | dict):  # which has no size, so that it holds
            return f"{of_value(value)} is {inside}", f"{of_value(value)} is {outside}"
        counted = f"{_counted(len(value), noun)} {'is' if len(value) == 1 else 'are'}"
        return f"{counted} {inside}", f"{counted} {outside}"

    return words


def _valued(inside: str, outside: str) -> _Words:
    def words(value: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
        shown, known = of_value(value), {"format": schema.get("format", ""), "step": schema.get("multipleOf", "")}
        return f"{shown} {inside.format(**known)}", f"{shown} {outside.format(**known)}"

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
