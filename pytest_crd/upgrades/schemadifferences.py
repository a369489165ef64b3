"""Differences between two schemas, keyword by keyword; witnesses are sought at their places."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.engine import CustomResourceDefinition, jsonvalue
from pytest_crd.engine.crds import declared
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES, Each, Place, SchemaNode
from pytest_crd.upgrades import listedvalues
from pytest_crd.upgrades.upgradefindings import Line

ADDED: Final = "added"
REMOVED: Final = "removed"
# Keywords that have no effect on objects.
_WORDS: Final = frozenset({"description", "title", "example", "externalDocs", "$schema", "id"})
# The values that a server assumes if the keyword is absent.
_ASSUMED: Final = {"x-kubernetes-list-type": "atomic", "x-kubernetes-map-type": "granular"}
_STRUCTURE: Final = frozenset({"properties", "items", "required", RULES})
# Keywords that never refuse an object by themselves.
_NEVER_REFUSING: Final = frozenset({"x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields"})
_LONGEST: Final = 100
# Limits, and whether a greater limit refuses more objects.
_LIMITS: Final = {
    f"{bound}{noun}": bound == "min" for bound in ("min", "max") for noun in ("imum", "Length", "Items", "Properties")
}
_COUNTS: Final = frozenset({"minLength", "minItems", "minProperties"})
# Every object has apiVersion, kind and metadata.
_HEAD_SIZE: Final = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """
    A keyword that differs between two schemas.

    Attributes:
        place: The place in the schema; for an added, removed or newly required field, the place of the field.
        keyword: `enum`, `required` …; `added` or `removed` for a field; `x-kubernetes-validations` for one rule.
        before: The value of the keyword in the old schema; None if absent.
        after: The value of the keyword in the new schema; None if absent.
        versions: The versions of the old and the new CRD whose schemas differ.
        was_dropped: Whether the old CRD pruned the field as unknown, so that no stored object has it.
    """

    place: Place
    keyword: str
    before: Any
    after: Any
    versions: tuple[str, str] = ("", "")
    was_dropped: bool = False

    @property
    def can_refuse(self) -> bool:
        """Whether the new schema can refuse objects because of the difference."""
        if self.keyword == "enum" and self.before and self.after:
            return any(value not in self.after for value in self.before)
        if self.keyword in _LIMITS and self.before is not None and self.after is not None:
            return bool(self.after > self.before) == _LIMITS[self.keyword]
        if self.keyword in _COUNTS and self.after is not None and self.after <= (0 if self.place else _HEAD_SIZE):
            return False
        if self.keyword in {"anyOf", "not"} and self.before is not None and self.after is not None:
            before, after = (list_branches(self.keyword, value) for value in (self.before, self.after))
            missing = listedvalues.find_missing
            return bool(missing(before, after) if self.keyword == "anyOf" else missing(after, before))
        if self.was_dropped:
            return "default" in self.after  # The default may exceed `maxProperties`.
        return self.after is not None and self.keyword not in _NEVER_REFUSING

    def has_rule(self, text: str, place: Place | None) -> bool:
        """Return True if the difference is the rule *text* at *place*; at any place for None."""
        rules = (self.before, self.after) if self.keyword == RULES else ()
        return place in {None, self.place} and any(rule["rule"] == text for rule in rules if rule)

    def lines(self, old: CustomResourceDefinition, new: CustomResourceDefinition) -> tuple[Line, Line]:
        """Return the lines of both CRDs that declare the keyword, or the nearest lines around it."""
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
        return Line.at(crd, (*schema, *inner), "" if value is None else f"{name}: {_value_text(value)}")


def _index(crd: CustomResourceDefinition, steps: tuple[str | int, ...], rule: Any) -> int:
    """Return the index of *rule* in the rules at *steps*."""
    rules: Any = crd.declared
    for step in steps:
        rules = rules[step]
    return int(rules.index(rule))


def _value_text(value: Any) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def list_branches(junctor: str, value: Any) -> list[Any]:
    """Return the branches of a junctor, or of the `anyOf` in a `not`; empty without them."""
    if junctor == "not" and value is not None:
        return list(value["anyOf"]) if value.keys() == {"anyOf"} else [value]
    return list(value or ())


def find_differences(old: SchemaNode, new: SchemaNode) -> Iterator[Difference]:
    """Yield the differences between two schemas, outer places first."""
    if jsonvalue.equal(old.schema, new.schema):
        return
    for keyword in dict.fromkeys((*old.schema, *new.schema)):
        before, after = old.schema.get(keyword), new.schema.get(keyword)
        is_inner = keyword == Each.VALUE.value and old.values is not None and new.values is not None
        is_assumed = keyword in _ASSUMED and {before, after} == {None, _ASSUMED[keyword]}
        if keyword not in _WORDS | _STRUCTURE and not (is_inner or is_assumed or jsonvalue.equal(before, after)):
            yield Difference(old.place, keyword, before, after)
    yield from _required(old, new)
    yield from _rules(old, new)
    for name in dict.fromkeys((*old.properties, *new.properties)):
        yield from _inside(old.properties.get(name), new.properties.get(name), was_dropped=old.drops_unknown_fields)
    yield from _inside(old.items, new.items)
    if old.values is not None and new.values is not None:
        yield from find_differences(old.values, new.values)


def _inside(old: SchemaNode | None, new: SchemaNode | None, *, was_dropped: bool = False) -> Iterator[Difference]:
    """Yield the differences between the schemas of a field or of items; one difference if the field was added or removed."""
    declared_node = old or new
    if declared_node is not None and declared_node.meta_of is not None:
        # Every Kubernetes object has this field, declared or not.
        implied = SchemaNode(
            {"type": declared_node.schema.get("type", "object")},
            declared_node.place,
            declared_node.steps,
            declared_node.parent,
        )
        old, new = old or implied, new or implied
    if old is not None and new is not None:
        yield from find_differences(old, new)
    elif new is not None:
        yield Difference(new.place, ADDED, None, new.schema, was_dropped=was_dropped)
    elif old is not None:
        yield Difference(old.place, REMOVED, old.schema, None)


def _required(old: SchemaNode, new: SchemaNode) -> Iterator[Difference]:
    before, after = (node.schema.get("required") or [] for node in (old, new))
    for name in dict.fromkeys((*before, *after)):
        if (name in before) != (name in after):
            was, is_now = (name if name in names else None for names in (before, after))
            yield Difference((*old.place, name), "required", was, is_now)


def _rules(old: SchemaNode, new: SchemaNode) -> Iterator[Difference]:
    """Yield the rules that only one side has; the message of a rule is ignored."""
    before, after = ({_rule_key(rule): rule for rule in node.rules} for node in (old, new))
    for key in dict.fromkeys((*before, *after)):
        if (key in before) != (key in after):
            yield Difference(old.place, RULES, before.get(key), after.get(key))


def _rule_key(rule: Mapping[str, Any]) -> tuple[str, bool]:
    return rule["rule"], bool(rule.get("optionalOldSelf"))
