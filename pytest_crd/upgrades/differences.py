"""Where two schemas differ in what they ask for, keyword by keyword: where to look for objects that show it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.engine import CustomResourceDefinition, jsonvalue
from pytest_crd.engine.crds import declared
from pytest_crd.examples.places import ITEMS, VALUES, SchemaPlace
from pytest_crd.upgrades.findings import Line

ADDED: Final = "added"
REMOVED: Final = "removed"
RULES: Final = "x-kubernetes-validations"
# What no object is refused, dropped or changed for.
_WORDS: Final = frozenset({"description", "title", "example", "externalDocs", "$schema", "id"})
_STRUCTURE: Final = frozenset({"properties", "items", "required", RULES})
_LONGEST: Final = 100


@dataclass(frozen=True, slots=True)
class Difference:
    """
    One keyword that differs.

    Attributes:
        place: Where in the schema: of a field that came or went, or that is required on one side alone, its own place.
        keyword: `enum`, `required` …; `added` or `removed` for a field; `x-kubernetes-validations` for one rule.
        before: What the old schema has there; None where it has nothing.
        after: What the new one has there.
    """

    place: SchemaPlace
    keyword: str
    before: Any
    after: Any

    def line_in(self, crd: CustomResourceDefinition, version: str, *, is_new: bool) -> Line:
        """Return the line of a CRD that declares it, or the nearest around it."""
        schema = declared.place_of_schema(crd.declared, version)
        inner: tuple[str | int, ...]
        if self.keyword in {ADDED, REMOVED}:
            inner, name = steps_of(self.place), self.place[-1]
        elif self.keyword == "required":
            inner, name = (*steps_of(self.place[:-1]), "required"), "required"
        else:
            inner, name = (*steps_of(self.place), self.keyword), self.keyword
        value = self.after if is_new else self.before
        if self.keyword == RULES and value is not None:
            inner, name = (*inner, _index(crd, (*schema, *inner), value)), "rule"
            value = value["rule"]
        where = "" if crd.locate is None else crd.locate((*schema, *inner), None)
        return Line(where, "" if value is None else f"{name}: {_shown(value)}")


def _index(crd: CustomResourceDefinition, steps: tuple[str | int, ...], rule: Any) -> int:
    """Return which of the rules at *steps* one is."""
    rules: Any = crd.declared
    for step in steps:
        rules = rules[step]
    return int(rules.index(rule))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def steps_of(place: SchemaPlace) -> tuple[str, ...]:
    """Return the keys in a schema that lead to a place."""
    steps: list[str] = []
    for step in place:
        steps += ["items"] if step == ITEMS else ["additionalProperties"] if step == VALUES else ["properties", step]
    return tuple(steps)


def find(old: Mapping[str, Any], new: Mapping[str, Any], place: SchemaPlace = ()) -> Iterator[Difference]:
    """Yield where two schemas differ, outer places first."""
    if jsonvalue.equal(old, new):
        return
    for keyword in dict.fromkeys((*old, *new)):
        before, after = old.get(keyword), new.get(keyword)
        is_inner = keyword == "additionalProperties" and isinstance(before, dict) and isinstance(after, dict)
        if keyword not in _WORDS | _STRUCTURE and not is_inner and not jsonvalue.equal(before, after):
            yield Difference(place, keyword, before, after)
    yield from _required(old, new, place)
    yield from _rules(old, new, place)
    yield from _fields(old.get("properties") or {}, new.get("properties") or {}, place)
    for keyword, step in (("items", ITEMS), ("additionalProperties", VALUES)):
        before, after = old.get(keyword), new.get(keyword)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from find(before, after, (*place, step))
        elif keyword == "items" and before != after:
            yield Difference((*place, ITEMS), REMOVED if after is None else ADDED, before, after)


def _fields(old: Mapping[str, Any], new: Mapping[str, Any], place: SchemaPlace) -> Iterator[Difference]:
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            yield Difference((*place, name), REMOVED, old[name], None)
        elif name not in old:
            yield Difference((*place, name), ADDED, None, new[name])
        else:
            yield from find(old[name], new[name], (*place, name))


def _required(old: Mapping[str, Any], new: Mapping[str, Any], place: SchemaPlace) -> Iterator[Difference]:
    before, after = old.get("required") or [], new.get("required") or []
    for name in dict.fromkeys((*before, *after)):
        if (name in before) != (name in after):
            yield Difference(
                (*place, name), "required", before if name in before else None, after if name in after else None
            )


def _rules(old: Mapping[str, Any], new: Mapping[str, Any], place: SchemaPlace) -> Iterator[Difference]:
    """Yield the rules of one side alone; what a rule says when it fails does not count."""
    before, after = ({_judged(rule): rule for rule in schema.get(RULES) or ()} for schema in (old, new))
    for judged in dict.fromkeys((*before, *after)):
        if (judged in before) != (judged in after):
            yield Difference(place, RULES, before.get(judged), after.get(judged))


def _judged(rule: Mapping[str, Any]) -> tuple[str, bool]:
    return rule["rule"], bool(rule.get("optionalOldSelf"))
