"""Where two schemas differ in what they ask for, keyword by keyword: where to look for objects that show it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.engine import CustomResourceDefinition, jsonvalue
from pytest_crd.engine.crds import declared
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Each, Place, SchemaNode
from pytest_crd.upgrades.upgradefindings import Line

ADDED: Final = "added"
REMOVED: Final = "removed"
# What no object is refused, dropped or changed for.
_WORDS: Final = frozenset({"description", "title", "example", "externalDocs", "$schema", "id"})
_STRUCTURE: Final = frozenset({"properties", "items", "required", RULES})
# What never refuses an object by itself.
_NEVER_REFUSING: Final = frozenset({"x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields"})
_LONGEST: Final = 100
# Limits, and whether a greater one refuses more.
_LIMITS: Final = {
    f"{bound}{what}": bound == "min" for bound in ("min", "max") for what in ("imum", "Length", "Items", "Properties")
}


@dataclass(frozen=True, slots=True)
class Difference:
    """
    One keyword that differs.

    Attributes:
        place: Where in the schema: of a field that came or went, or that is required on one side alone, its own place.
        keyword: `enum`, `required` …; `added` or `removed` for a field; `x-kubernetes-validations` for one rule.
        before: What the old schema has there; None where it has nothing.
        after: What the new one has there.
        versions: The version of the old CRD and that of the new one whose schemas differ.
        was_dropped: Whether it is a field that the old CRD knew nothing of, and dropped: no object that it stored has it.
    """

    place: Place
    keyword: str
    before: Any
    after: Any
    versions: tuple[str, str] = ("", "")
    was_dropped: bool = False

    @property
    def can_refuse(self) -> bool:
        """Whether the new schema states what objects may be refused for."""
        if self.keyword == "enum" and self.before and self.after:
            return any(value not in self.after for value in self.before)
        if self.keyword in _LIMITS and self.before is not None and self.after is not None:
            return bool(self.after > self.before) == _LIMITS[self.keyword]
        if self.was_dropped:
            return "default" in self.after  # which may be one field too many
        return self.after is not None and self.keyword not in _NEVER_REFUSING

    def lines(self, old: CustomResourceDefinition, new: CustomResourceDefinition) -> tuple[Line, Line]:
        """Return the lines of two CRDs that declare it, or the nearest around it."""
        return self._line(old, self.versions[0], self.before), self._line(new, self.versions[1], self.after)

    def _line(self, crd: CustomResourceDefinition, version: str, value: Any) -> Line:
        schema = declared.place_of_schema(crd.declared, version)
        inner: tuple[str | int, ...]
        if self.keyword in {ADDED, REMOVED}:
            inner, name = schemamap.steps_of(self.place), self.place[-1]
        elif self.keyword == "required":
            inner, name = (*schemamap.steps_of(self.place[:-1]), "required"), "required"
        else:
            inner, name = (*schemamap.steps_of(self.place), self.keyword), self.keyword
        if self.keyword == RULES and value is not None:
            inner, name = (*inner, _index(crd, (*schema, *inner), value)), "rule"
            value = value["rule"]
        return Line.at(crd, (*schema, *inner), "" if value is None else f"{name}: {_shown(value)}")


def _index(crd: CustomResourceDefinition, steps: tuple[str | int, ...], rule: Any) -> int:
    """Return which of the rules at *steps* one is."""
    rules: Any = crd.declared
    for step in steps:
        rules = rules[step]
    return int(rules.index(rule))


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def find(old: SchemaNode, new: SchemaNode) -> Iterator[Difference]:
    """Yield where two schemas differ, outer places first."""
    if jsonvalue.equal(old.schema, new.schema):
        return
    for keyword in dict.fromkeys((*old.schema, *new.schema)):
        before, after = old.schema.get(keyword), new.schema.get(keyword)
        is_inner = keyword == Each.VALUE.value and old.values is not None and new.values is not None
        if keyword not in _WORDS | _STRUCTURE and not is_inner and not jsonvalue.equal(before, after):
            yield Difference(old.place, keyword, before, after)
    yield from _required(old, new)
    yield from _rules(old, new)
    for name in dict.fromkeys((*old.properties, *new.properties)):
        yield from _inside(old.properties.get(name), new.properties.get(name), was_dropped=old.drops_unknown_fields)
    yield from _inside(old.items, new.items)
    if old.values is not None and new.values is not None:
        yield from find(old.values, new.values)


def _inside(old: SchemaNode | None, new: SchemaNode | None, *, was_dropped: bool = False) -> Iterator[Difference]:
    """Yield where the schemas of one field or of items differ, or that it came or went."""
    known = old or new
    if known is not None and known.meta_of is not None:
        # What every object of Kubernetes has is there, whether a schema speaks of it or not.
        implied = SchemaNode({"type": known.schema.get("type", "object")}, known.place, known.steps, known.parent)
        old, new = old or implied, new or implied
    if old is not None and new is not None:
        yield from find(old, new)
    elif new is not None:
        yield Difference(new.place, ADDED, None, new.schema, was_dropped=was_dropped)
    elif old is not None:
        yield Difference(old.place, REMOVED, old.schema, None)


def _required(old: SchemaNode, new: SchemaNode) -> Iterator[Difference]:
    before, after = (one.schema.get("required") or [] for one in (old, new))
    for name in dict.fromkeys((*before, *after)):
        if (name in before) != (name in after):
            was, is_now = (name if name in names else None for names in (before, after))
            yield Difference((*old.place, name), "required", was, is_now)


def _rules(old: SchemaNode, new: SchemaNode) -> Iterator[Difference]:
    """Yield the rules of one side alone; what a rule says when it fails does not count."""
    before, after = ({_judged(rule): rule for rule in one.rules} for one in (old, new))
    for judged in dict.fromkeys((*before, *after)):
        if (judged in before) != (judged in after):
            yield Difference(old.place, RULES, before.get(judged), after.get(judged))


def _judged(rule: Mapping[str, Any]) -> tuple[str, bool]:
    return rule["rule"], bool(rule.get("optionalOldSelf"))
