"""Cases about pruning and defaulting alone, which need no valid object: dropped and preserved fields, defaults and nulls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.casefiles import yamltext
from pytest_crd.cases.sections import Section
from pytest_crd.engine.schema.schemamap import Each, Place, SchemaNode
from pytest_crd.generation import words
from pytest_crd.generation.proposedcases import Proposal, nested
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectplaces import get_value

DEFAULTS: Final = "defaults"
"""The noun of cases about defaults."""
_UNKNOWN: Final = "unknown"
_MOST_NAMED: Final = 4
# The maximum number of nulls in one case, and of cases for objects with nested nulls.
_MOST_NULLS: Final = 8
_MOST_NULLS_ALONE: Final = 3
_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})


class PassCases:
    """A source of cases about the passes of one version."""

    def __init__(self, version: engine.CrdVersion) -> None:
        self._version = version
        self._type_meta = {"apiVersion": f"{version.crd.group}/{version.name}", "kind": version.crd.kind}

    # Pruning

    def dropped(self, node: SchemaNode) -> Iterator[Proposal]:
        """Yield the case in which an unknown field is dropped from the objects at *node*, and from the metadata of the root."""
        unknown = _UNKNOWN if _UNKNOWN not in node.properties else f"{_UNKNOWN}Field"
        sent: dict[str, Any] = {unknown: 1} if node.drops_unknown_fields else {}
        resource = nested(node.place, sent if node.place else {"metadata": {_UNKNOWN: 1}, **sent})
        pruned = list(self._version.prune({**self._type_meta, **resource}).paths)
        name = f"{words.format_place(node.place)}: unknown fields are dropped"
        yield Proposal(Section.PRUNING, name, node.place, resource, expectation={"pruned": pruned})

    def preserved(self, node: SchemaNode) -> Iterator[Proposal]:
        """Yield the case in which unknown fields are preserved at *node*, if no parent preserves them."""
        if node.keeps_unknown_fields and not any(outer.keeps_unknown_fields for outer in node.around):
            resource = nested(node.place, {_UNKNOWN: 1})
            name = f"{words.format_place(node.place)}: unknown fields are kept"
            yield Proposal(Section.PRUNING, name, node.place, resource, expectation={"expected": resource})

    # Defaulting

    def has_defaults(self, place: Place, node: Demand) -> bool:
        """Return True if a field of the object at *place* has a default."""
        return any(child.default is not None for child in self._fields(place, node).values())

    def defaulting(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield the case in which omitted fields of the object at *place* get their defaults."""
        fields = self._fields(place, node)
        where = words.format_place(place)
        defaulted = tuple(name for name, child in fields.items() if child.default is not None)
        name = f"{where}: {words.join_names(defaulted, _MOST_NAMED)} {'has a default' if len(defaulted) == 1 else 'have defaults'}"
        # An object in a partial expectation would not show its other fields, so the whole result is expected.
        is_whole = any("{" in yamltext.flow(fields[field].default) for field in defaulted)
        expected = self._default(place, {}) if is_whole else self._defaulted_fields(place, {}, defaulted)
        expectation = {"expected" if is_whole else "contains": expected}
        yield Proposal(Section.DEFAULTING, name, place, nested(place, {}), expectation=expectation)

    # Nulls

    def nulls_kept(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield cases in which null is preserved in the nullable fields of an object at *place*."""
        nullable = [name for name, child in self._fields(place, node).items() if child.is_nullable]
        for begin in range(0, len(nullable), _MOST_NULLS):
            names = nullable[begin : begin + _MOST_NULLS]
            sent = nested(place, dict.fromkeys(names))
            name = f"{words.format_place(place)}: null is kept as {words.join_names(names, _MOST_NAMED)}"
            yield Proposal(Section.DEFAULTING, name, place, sent, expectation={"contains": sent})

    def nulls_lost(self, place: Place, node: Demand) -> Iterator[Proposal]:
        """Yield the case about null in all other fields of an object at *place*."""
        fields = self._fields(place, node)
        names = tuple(name for name, child in fields.items() if not child.is_nullable)
        defaulted = tuple(name for name in names if fields[name].default is not None)
        sent = nested(place, dict.fromkeys(names))
        nulls = self._nulls(sent)
        if nulls:
            expectation: dict[str, Any] = {"nullsDropped": nulls}
            if defaulted:
                expectation = {
                    "contains": self._defaulted_fields(place, dict.fromkeys(names), defaulted),
                    **expectation,
                }
            name = f"{words.format_place(place)}: null is dropped"
            yield Proposal(Section.DEFAULTING, name, place, sent, expectation=expectation)
        elif defaulted:
            yield self._gives_way(place, defaulted)

    def nulls_once(self, places: Mapping[Place, Demand]) -> Iterator[Proposal]:
        """Yield one case for each way in which null is lost: dropped, in one field of several objects, and replaced by a default."""
        lost: list[Place] = []
        replaced: list[Proposal] = []
        for place, node in places.items():
            fields = {name: child for name, child in self._fields(place, node).items() if not child.is_nullable}
            defaulted = tuple(name for name, child in fields.items() if child.default is not None)
            if defaulted and not replaced:
                replaced.append(self._gives_way(place, defaulted[:_MOST_NAMED]))
            map_value = [Each.VALUE] if node.values is not None and not node.values.is_nullable else []
            candidates: Sequence[str | Each] = [name for name in fields if name not in defaulted] or map_value
            # A field without another null inside comes first.
            own = sorted(((*place, name) for name in candidates), key=lambda item: _is_around(item, places))
            lost += own[:1]
        outer = [item for item in lost if _is_around(item, lost)]
        yield from self._dropped_together([item for item in lost if item not in outer][:_MOST_NULLS])
        for item in outer[:_MOST_NULLS_ALONE]:
            yield from self._dropped_together([item])
        yield from replaced

    def _dropped_together(self, places: Sequence[Place]) -> Iterator[Proposal]:
        """Yield the case in which null is dropped at all *places*, each in another object; nothing without places."""
        sent: dict[str, Any] = {}
        for place in places:
            sent = _merge(sent, nested(place, None))
        if sent:
            alone = words.format_place(places[0][:-1])
            several = (
                f"null is dropped as {words.join_names([words.format_place(place) for place in places], _MOST_NAMED)}"
            )
            name = f"{alone}: null is dropped" if len(places) == 1 else several
            case_place = places[0][:-1] if len(places) == 1 else ()
            yield Proposal(Section.DEFAULTING, name, case_place, sent, expectation={"nullsDropped": self._nulls(sent)})

    def _fields(self, place: Place, node: Demand) -> dict[str, Demand]:
        return {name: child for name, child in node.properties.items() if place or name not in _OF_RESOURCE}

    def _nulls(self, sent: Mapping[str, Any]) -> list[str]:
        return list(self._version.default({**self._type_meta, **sent}).nulls)

    def _gives_way(self, place: Place, names: tuple[str, ...]) -> Proposal:
        expectation = {"contains": self._defaulted_fields(place, dict.fromkeys(names), names)}
        sent = nested(place, dict.fromkeys(names))
        name = f"{words.format_place(place)}: null gives way to a default"
        return Proposal(Section.DEFAULTING, name, place, sent, expectation=expectation)

    # Answers

    def _defaulted_fields(self, place: Place, value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
        """Return an object with the fields *names* after the defaulting of *value* at *place*."""
        resource = self._default(place, value)
        steps = tuple(0 if step is Each.ITEM else "key" if step is Each.VALUE else step for step in place)
        fields = get_value(resource, steps)
        return nested(place, {name: fields[name] for name in names if name in fields})

    def _default(self, place: Place, value: Mapping[str, Any]) -> Any:
        """Return the object with *value* at *place* after defaulting."""
        resource = self._version.default({**self._type_meta, **nested(place, value)}).value
        return {name: field for name, field in resource.items() if name not in self._type_meta}


def _is_around(place: Place, others: Iterable[Place]) -> bool:
    """Return True if any place of *others* is inside *place*."""
    return any(len(inner) > len(place) and inner[: len(place)] == place for inner in others)


def _merge(left: Any, right: Any) -> Any:
    """Return the union of two values made by `nested`."""
    if isinstance(left, list):
        return [_merge(left[0], right[0])]
    return left | {key: _merge(left[key], value) if key in left else value for key, value in right.items()}
