"""
Candidates: objects that may show a difference between two schemas, the likeliest first.

A candidate proves nothing by itself; its effects are decided by running it under both CRDs.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.synthesis import Boundaries, Boundary, boundaryvalues, mutations, objectplaces, texts
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.placement import PlacedValue
from pytest_crd.upgrades import largevalues, listedvalues, schemadifferences, surroundings
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import Resource

PRESERVE: Final = "preserveUnknownFields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_JUNCTORS: Final = frozenset({"allOf", "anyOf", "oneOf", "not"})
_OF_OBJECTS: Final = frozenset({"additionalProperties", "x-kubernetes-preserve-unknown-fields", _EMBEDDED, PRESERVE})
# Keywords that are tested by the boundary values of another keyword.
_EQUIVALENT_KEYWORDS: Final = {
    "exclusiveMinimum": "minimum",
    "exclusiveMaximum": "maximum",
    "x-kubernetes-int-or-string": "type",
    "x-kubernetes-list-map-keys": "x-kubernetes-list-type",
    "uniqueItems": "x-kubernetes-list-type",
}
# Keywords with lists of values, texts or branches.
_LISTING: Final = frozenset({"enum", "pattern", "format", "type", "minLength", "maxLength", *_JUNCTORS})
_SPEC: Final = "spec"
_UNKNOWN: Final = "unknownField"
_OF_ALL_TYPES: Final[tuple[Any, ...]] = ("a", 1, True, {}, [], {"a": "b"}, ["a"], [None], None)
_METADATA: Final[tuple[tuple[str, Any], ...]] = (
    (_UNKNOWN, "a"),
    ("labels", {"a": 1}),
    ("name", "A b"),
    ("creationTimestamp", "a"),
)
# Values at which rules often have a boundary.
_PLAIN: Final[tuple[Any, ...]] = ("", 0, -1, 1_000_000, False, True, [], {})
_NUMBERS: Final = frozenset({"integer", "number"})
_COUNTS: Final = frozenset({"minItems", "maxItems"})
_MOST_ITEMS: Final = 200_000
_MOST_VALUES: Final = 10
_MOST_OF_TYPE: Final = 4
_LONG: Final = 100_000
# The server refuses larger requests.
_LONGEST: Final = 3 * 1024 * 1024
_MOST_OF_BRANCH: Final = 3


class Candidate(NamedTuple):
    """
    An object to try under both CRDs.

    Attributes:
        resource: The object.
        stored: The object that *resource* replaces; None if *resource* is created.
        placed: The place and the value, if the candidate was made by setting one.
        is_mended: Whether the new CRD gets the object with the fields and values that it demands.
        is_large: Whether the object is as large as the old CRD allows.
        is_listed: Whether only one CRD lists or allows the placed value.
    """

    resource: Resource
    stored: Resource | None = None
    placed: tuple[Place, Any] | None = None
    is_mended: bool = False
    is_large: bool = False
    is_listed: bool = False


@dataclass(frozen=True)
class Maker:
    """
    A source of candidates.

    Attributes:
        old: Makes objects that the old CRD accepts; None if no such object is known.
        new: Makes objects that the new CRD accepts; None if no such object is known.
        differences: All differences between the schemas.
    """

    old: Boundaries | None
    new: Boundaries | None
    differences: Sequence[Difference] = ()

    @functools.cached_property
    def sides(self) -> tuple[Boundaries, ...]:
        """The sources of objects that are not None, the old before the new."""
        return tuple(side for side in (self.old, self.new) if side is not None)

    def find_candidates(self, difference: Difference) -> Iterator[Candidate]:
        """Yield objects that may show *difference*: first those with values that only one CRD lists or allows."""
        if len(self.sides) == 2:
            yield from (candidate._replace(is_listed=True) for candidate in self._try_listed(difference))
        yield from self._try_keyword(difference)

    def has_compared_texts(self, difference: Difference) -> bool:
        """Return True if all texts that only one CRD allows at the place of *difference* were compared, or if there are none."""
        demands = [side.root.at(difference.place) for side in self.sides]
        return len(demands) < 2 or listedvalues.compare_texts(*demands).is_complete

    def _try_listed(self, difference: Difference) -> Iterator[Candidate]:
        if difference.keyword == RULES:
            yield from self._try_listed_in_rules(difference)
        elif difference.keyword in _LISTING:
            yield from self._try_all(difference.place, self._find_listed(difference.place))

    def _try_keyword(self, difference: Difference) -> Iterator[Candidate]:
        keyword, place = difference.keyword, difference.place
        if keyword == RULES:
            yield from self._try_rule(difference)
            yield from self._try_large(difference)
        elif keyword in {"required", "default", "nullable", schemadifferences.ADDED, schemadifferences.REMOVED}:
            yield from map(Candidate, self._try_field(difference))
        elif keyword == "x-kubernetes-list-type":
            yield from map(Candidate, self._try_orders(difference))
        elif keyword in _JUNCTORS:
            yield from self._try_all(place, find_changed_values(self.sides, difference))
            yield from self._try_boundaries(place, keyword)
        elif keyword in _OF_OBJECTS:
            yield from map(Candidate, self._try_unknown_field(place))
            yield from map(Candidate, self._try_metadata(place) if keyword == _EMBEDDED else ())
        if keyword in _COUNTS:
            yield from map(Candidate, self._try_counts(place, keyword))
        if not place:
            yield from map(Candidate, self.complete())
        yield from self._try_values(place, _EQUIVALENT_KEYWORDS.get(keyword, keyword))
        for placed in self._existing(place):
            yield Candidate(placed[0])

    def _find_listed(self, place: Place) -> list[Any]:
        old, new = (side.root.at(place) for side in self.sides)
        ordered = listedvalues.order_by_difference(*map(listedvalues.list_values, (old, new)))
        return [*ordered, *listedvalues.compare_texts(old, new).texts]

    def _try_listed_in_rules(self, difference: Difference) -> Iterator[Candidate]:
        """Yield objects with values of enums and literals of rules at the places that a new rule reads."""
        around = difference.place
        if difference.after is None:
            return
        names = mutations.find_names(difference.after["rule"])
        for place, _ in self.sides[0].places():
            inner = place[len(around) :]
            if place[: len(around)] == around and all(
                isinstance(step, Each) or mutations.is_named(step, names) for step in inner
            ):
                yield from self._try_all(place, self._find_rule_values(around, place))

    def _find_rule_values(self, around: Place, place: Place) -> Iterator[Any]:
        """Yield the values for *place* in the enums there and in the rules at *around*, values of one CRD first; texts are also keys of maps."""
        listed = [
            [*listedvalues.list_values(side.root.at(place)), *listedvalues.list_values(side.root.at(around))]
            for side in self.sides
        ]
        values = itertools.chain(listedvalues.order_by_difference(*listed), *listed)
        for value in listedvalues.remove_duplicates(values):
            demands = [side.root.at(place) for side in self.sides]
            if any(demand.fits(value) for demand in demands):
                yield value
            elif demands[0].values is not None and isinstance(value, str):
                yield {value: self.sides[0].maker.first(demands[0].values)}

    def _try_all(self, place: Place, values: Iterable[Any]) -> Iterator[Candidate]:
        """Yield an object of each side with each value at *place*, accepted or not."""
        for value in values:
            previous = None
            for side in self.sides:
                for resource in self._placed(side, place, [value]):
                    if resource != previous:
                        yield Candidate(resource, placed=(place, value))
                    previous = resource

    def smallest(self) -> Iterator[Candidate]:
        """Yield the smallest object of each side."""
        for resource, _ in self._existing(()):
            yield Candidate(resource)

    def complete(self) -> Iterator[Resource]:
        """Yield for each place of the schema an object with a value there, outer places first."""
        for side in self.sides:
            for place, _ in sorted(side.places(), key=lambda item: len(item[0])):
                if (placed := side.existing(place)) is not None:
                    yield placed[0]

    def for_status(self) -> Iterator[Resource]:
        """Yield objects that may need a status: one for each place, and those that rules refuse without a status."""
        yield from self.complete()
        if self.old is None or self.new is None:
            return
        for index in range(len(self.new.root.structure.get(RULES) or ())):
            refused = self.new.find_boundary((), f"{RULES}[{index}]").outside or {}
            if isinstance(refused.get(_SPEC), dict) and (placed := self.old.place_value((_SPEC,), refused[_SPEC])):
                yield placed[0]

    def with_status(self) -> Iterator[Resource]:
        """Yield objects that have a status."""
        for resource, _ in self._existing(("status",)):
            yield resource

    def _existing(self, place: Place) -> Iterator[PlacedValue]:
        for side in self.sides:
            if (placed := side.existing(place)) is not None:
                yield placed

    def _try_rule(self, difference: Difference) -> Iterator[Candidate]:
        for side, rule in ((self.old, difference.before), (self.new, difference.after)):
            if side is not None and rule is not None:
                # The served version may have other rules than the storage version.
                rules = side.root.at(difference.place).structure.get(RULES) or []
                if rule in rules:
                    yield from boundary_candidates(
                        side.find_boundary(difference.place, f"{RULES}[{rules.index(rule)}]")
                    )
        for resource, steps in self._existing(difference.place):
            for inner in objectplaces.all_steps(objectplaces.get_value(resource, steps)):
                whole = (*steps, *inner)
                yield from (Candidate(objectplaces.replace_value(resource, whole, value)) for value in _PLAIN if whole)

    def _try_large(self, difference: Difference) -> Iterator[Candidate]:
        """Yield objects with large values for a rule that may cost too much."""
        if self.old is None or self.new is None:
            return
        version = self.new.placer.version
        for place, value in largevalues.find_costly_values(self.old.root, version, difference, self.differences):
            for resource in self._placed(self.old, place, [value]):
                yield Candidate(resource, is_large=True)

    def _try_boundaries(self, place: Place, keyword: str) -> Iterator[Candidate]:
        for side in self.sides:
            if side.root.at(place).structure.get(keyword):
                yield from boundary_candidates(side.find_boundary(place, keyword))
        for side in self.sides:
            yield from map(Candidate, self._placed(side, place, find_values(self.sides, place)))

    def _try_field(self, difference: Difference) -> Iterator[Resource]:
        """Yield objects with and without a field and, if unknown fields are preserved, with values of all types in it."""
        place = difference.place
        for resource, steps in self._existing(place):
            yield from [objectplaces.remove_value(resource, steps)] if steps else []
            yield resource
        for resource, _ in self._existing(place[:-1]):
            yield resource
        if difference.keyword in {schemadifferences.ADDED, schemadifferences.REMOVED}:
            for side in self.sides:
                if _keeps_unknown_fields(side.root.at(place[:-1])):
                    yield from self._placed(side, place, _OF_ALL_TYPES)
                    yield from surroundings.find_defaulted(side, place)
        for side in self.sides:
            yield from surroundings.vary_field(side, difference)

    def _try_counts(self, place: Place, keyword: str) -> Iterator[Resource]:
        """Yield objects with a list that has a length at or next to a limit of either CRD; all items equal one accepted item."""
        schemas = [side.root.at(place).structure for side in self.sides]
        sizes = dict.fromkeys(
            schema[keyword] + beyond for schema in schemas if keyword in schema for beyond in (0, 1, -1)
        )
        for resource, steps in self._existing((*place, Each.ITEM)):
            items = objectplaces.get_value(resource, steps[:-1])
            yield from (
                objectplaces.replace_value(resource, steps[:-1], items[:1] * size)
                for size in sizes
                if 0 < size <= _MOST_ITEMS
            )

    def _try_orders(self, difference: Difference) -> Iterator[Resource]:
        """Yield objects with lists that have the same items in different orders."""
        changed = [item.place for item in self.differences if item.keyword == difference.keyword and item.place[:-1]]
        if difference.place[:-1]:
            listed = (difference.place, *(place for place in changed if place != difference.place))
            for side in self.sides:
                yield from surroundings.reorder_lists(side, listed)

    def _try_unknown_field(self, place: Place) -> Iterator[Resource]:
        """Yield objects that have an undeclared field at *place*."""
        for resource, steps in self._existing(place):
            if isinstance(objectplaces.get_value(resource, steps), dict):
                for value in _OF_ALL_TYPES:
                    yield objectplaces.replace_value(resource, (*steps, _UNKNOWN), value)
        for resource, _ in self._existing((*place, Each.VALUE)):
            yield resource

    def _try_metadata(self, place: Place) -> Iterator[Resource]:
        """Yield objects with metadata at *place* that an embedded resource loses or may not have."""
        for (resource, steps), (field, value) in itertools.product(self._existing(place), _METADATA):
            fields = objectplaces.get_value(resource, steps) or {}
            yield objectplaces.replace_value(resource, steps, {**fields, "metadata": {field: value}})

    def repaired(self, place: Place, value: Any) -> Iterator[Candidate]:
        """Yield objects with *value* at *place* that a CRD accepts after changes elsewhere in the object."""
        repaired = (side.place_value(place, value) for side in self.sides)
        yield from (Candidate(placed[0]) for placed in repaired if placed is not None)

    def _try_values(self, place: Place, keyword: str) -> Iterator[Candidate]:
        """Yield objects with values on both sides of the boundaries of *keyword*, accepted or not."""
        values: list[Any] = []
        for side in self.sides:
            node = side.root.at(place)
            if keyword in boundaryvalues.keywords(node):
                sides = boundaryvalues.find_sides(node, keyword, side.maker)
                values += itertools.islice(sides.outside, _MOST_VALUES)
                values += itertools.islice(sides.inside, _MOST_VALUES)
                values += _lists_with_one_differing_key(node, values)
        if keyword in {"default", "nullable", "type"}:
            values.append(None)  # The server keeps it, drops it or replaces it by a default.
        if keyword == "format" and any(side.root.at(place).type not in _NUMBERS for side in self.sides):
            # A text of one format may match another format as well.
            values += itertools.chain.from_iterable(texts.FORMATS.values())
        if keyword in {"minLength", "maxLength"}:
            values += _long_texts([side.root.at(place) for side in self.sides], keyword)
        for side in self.sides:
            values += itertools.islice(side.maker.find_values(side.root.at(place)), _MOST_OF_TYPE)
        yield from self._try_all(place, values)

    def _placed(self, side: Boundaries, place: Place, values: Iterable[Any]) -> Iterator[Resource]:
        """Yield an object with each of *values* at *place*, accepted or not."""
        placed = side.existing(place)
        for value in values:
            if placed is None:
                # The CRD may accept no value there; null may be harmless, or the other CRD may accept the value.
                if (item := side.placer.insert_value(place, value)) is not None:
                    yield item[0]
            elif place:
                yield objectplaces.replace_value(*placed, value)
            elif isinstance(value, dict):
                yield {**placed[0], **value}


def boundary_candidates(boundary: Boundary) -> Iterator[Candidate]:
    """Yield the objects of a boundary, refused ones first."""
    yield from (
        Candidate(resource, boundary.old) for resource in (boundary.outside, boundary.inside) if resource is not None
    )


def _long_texts(demands: Iterable[Demand], keyword: str) -> Iterator[str]:
    """Yield texts at and next to length limits that exceed the texts shown in reports."""
    limits_ = dict.fromkeys(schema[keyword] for demand in demands for schema in demand.schemas if schema.get(keyword))
    for limit in limits_:
        yield from ("a" * length for length in (limit, limit + 1, limit - 1) if _LONG <= length <= _LONGEST)


def _keeps_unknown_fields(node: Demand) -> bool:
    return node.keeps_unknown_fields or node.values is not None


def _lists_with_one_differing_key(node: Demand, values: Iterable[Any]) -> list[Any]:
    """Return lists of two items of a `map` list that differ in one key and agree in the others."""
    lists = [value for value in values if isinstance(value, list) and len(value) >= 2]
    return [
        [first, {**second, **{name: first[name] for name in node.map_keys if name != key and name in first}}]
        for first, second, *_ in lists
        for key in node.map_keys
        if isinstance(first, dict) and isinstance(second, dict)
    ]


def find_changed_values(sides: Sequence[Boundaries], difference: Difference) -> Iterator[Any]:
    """Yield values for each branch that only one schema has, and for each two branches of a new `oneOf` at once."""
    keyword = difference.keyword
    before, after = (schemadifferences.list_branches(keyword, value) for value in (difference.before, difference.after))
    changed = [(branch,) for branch in listedvalues.order_by_difference(before, after)]
    pairs = itertools.combinations(after, 2) if keyword == "oneOf" else ()
    for branches, side in itertools.product((*changed, *pairs), sides):
        structure = side.root.at(difference.place).structure
        plain = {key: value for key, value in structure.items() if key != keyword}
        yield from itertools.islice(side.maker.find_values(Demand((plain, *branches))), _MOST_OF_BRANCH)


def find_values(sides: Sequence[Boundaries], place: Place) -> Iterator[Any]:
    """Yield values for each choice of branches at *place*."""
    for side in sides:
        for alternative in side.root.at(place).alternatives():
            yield from itertools.islice(sides[0].maker.find_values(alternative), _MOST_OF_BRANCH)
