"""Errors that may be due to values that are not in a file: variables, actions of templates, encrypted values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pytest_crd.engine import FieldError
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.errors.origin import FailedRule, Steps
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import escaping

_RULES: Final = "x-kubernetes-validations"
_PROPERTIES: Final = "properties"
_ANY: Final = frozenset({"items", "additionalProperties"})
# Errors about the number of items, and about equal items.
_COUNTED: Final = frozenset({ErrorType.TOO_MANY, ErrorType.TOO_FEW, ErrorType.DUPLICATE})
# Keywords about a mapping or list itself, which no value inside it changes.
_OUTER: Final = frozenset({"type", "minProperties"})
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# The whole object in a rule: `self`, but not `self.name`.
_WHOLE: Final = re.compile(r"\bself\b(?!\s*\.\s*\??[A-Za-z_][A-Za-z0-9_]*(?!\s*\(|[A-Za-z0-9_]))")


class OpenValues:
    """The values and keys of an object that are not in its file."""

    def __init__(self, value: JSONValue, is_open: Callable[[str], bool]) -> None:
        self._texts: dict[Steps, str] = {}
        self._keys: dict[Steps, list[str]] = {}
        for steps, inner in _walk(value, ()):
            if isinstance(inner, str) and is_open(inner):
                self._texts[steps] = inner
            if isinstance(inner, dict) and (keys := [key for key in inner if is_open(key)]):
                self._keys[steps] = keys

    def explain(self, error: FieldError) -> str:
        """Return the possible cause of an error, an open value with its place; empty without a cause."""
        if error.path is None:
            return ""
        steps = error.path.steps
        place = steps[:-1] if error.type is ErrorType.REQUIRED else steps
        for key in self._keys.get(place, ()):
            if error.type is ErrorType.REQUIRED or error.bad_value == key:
                return f"a key is {key}"
        if error.type in _COUNTED or error.type is ErrorType.REQUIRED:
            return ""
        if error.rule is not None:
            return self._explain_rule(error.rule)
        is_outer = error.origin is not None and error.origin.keyword in _OUTER
        texts = ((place, text) for place, text in self._texts.items() if place[: len(steps)] == steps)
        return next((f"{_spell(place)} is {text}" for place, text in texts if place == steps or not is_outer), "")

    def _explain_rule(self, rule: FailedRule) -> str:
        own = [*_find_self(rule.steps)]
        for place, text in self._texts.items():
            is_below = len(place) >= len(own) and all(step in {None, place[at]} for at, step in enumerate(own))
            if is_below and _reads(rule.text, place[len(own) :]):
                return f"{_spell(place)} is {text}"
        return ""


def _find_self(steps: Steps) -> Iterator[str | None]:
    """Yield the steps from the object to the `self` of a rule, from the place of the rule; None for any item or key."""
    is_name = False
    for step in steps[: steps.index(_RULES)]:
        if is_name:
            is_name = False
            yield str(step)
        elif step in _ANY:
            yield None
        else:
            is_name = step == _PROPERTIES


def _reads(rule: str, steps: Sequence[str | int]) -> bool:
    """Return whether a rule may read the value at *steps* below its `self`."""
    name = steps[0] if steps else 0
    identifier = escaping.escape(name) if isinstance(name, str) else None
    return identifier is None or identifier in _WORD.findall(rule) or bool(_WHOLE.search(rule))


def _walk(value: JSONValue, steps: Steps) -> Iterator[tuple[Steps, JSONValue]]:
    """Yield all values in a value, each with its path."""
    yield steps, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield from _walk(inner, (*steps, step))


def _spell(steps: Steps) -> str:
    return str(FieldPath(steps))
