"""
Candidates: objects that may show a difference between two schemas, the likeliest first.

Nothing is known of them but that they are worth a try: what they show, both CRDs decide.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.synthesis import Boundaries, Boundary, boundaryvalues, objectplaces, texts
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.placement import Held
from pytest_crd.synthesis.textsearch import Lengths
from pytest_crd.upgrades import patterntexts, schemadifferences, surroundings
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import Resource

PRESERVE: Final = "preserveUnknownFields"
_JUNCTORS: Final = frozenset({"allOf", "anyOf", "oneOf", "not"})
_OF_OBJECTS: Final = frozenset(
    {"additionalProperties", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", PRESERVE}
)
# The keyword whose values are looked at in the place of another.
_STANDS_FOR: Final = {
    "exclusiveMinimum": "minimum",
    "exclusiveMaximum": "maximum",
    "x-kubernetes-int-or-string": "type",
    "x-kubernetes-list-map-keys": "x-kubernetes-list-type",
    "uniqueItems": "x-kubernetes-list-type",
}
_UNKNOWN: Final = "unknownField"
_OF_ALL_TYPES: Final[tuple[Any, ...]] = ("a", 1, True, {}, [], {"a": "b"}, ["a"], [None], None)
# Values at which rules often draw the line.
_PLAIN: Final[tuple[Any, ...]] = ("", 0, -1, 1_000_000, False, True, [], {})
_COUNTS: Final = frozenset({"minItems", "maxItems"})
_MOST_ITEMS: Final = 200_000
_MOST_VALUES: Final = 10
_MOST_OF_TYPE: Final = 4
_LONG: Final = 100_000
# No server takes a request that is larger.
_LONGEST: Final = 3 * 1024 * 1024


class Candidate(NamedTuple):
    """
    An object to be tried.

    Attributes:
        resource: The object.
        stored: What it replaces; None where it is created.
        values: The value that was put at the place of the difference, if one was; alone.
    """

    resource: Resource
    stored: Resource | None = None
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Maker:
    """
    Makes candidates.

    Attributes:
        old: Makes objects that the old CRD takes; None where not even one is known.
        new: The same for the new CRD.
        differences: All that differs.
    """

    old: Boundaries | None
    new: Boundaries | None
    differences: Sequence[Difference] = ()

    @functools.cached_property
    def sides(self) -> tuple[Boundaries, ...]:
        """What makes objects, of the two."""
        return tuple(one for one in (self.old, self.new) if one is not None)

    def find(self, difference: Difference) -> Iterator[Candidate]:
        """Yield objects that may show a difference."""
        keyword, place = difference.keyword, difference.place
        if keyword == RULES:
            yield from self._of_rule(difference)
        elif keyword in {"required", "default", schemadifferences.ADDED, schemadifferences.REMOVED}:
            yield from map(Candidate, self._of_field(difference))
        elif keyword == "x-kubernetes-list-type":
            yield from map(Candidate, self._of_orders(difference))
        elif keyword in _JUNCTORS:
            yield from self._of_boundaries(place, keyword)
        elif keyword in _OF_OBJECTS:
            yield from map(Candidate, self._of_objects(place))
        if keyword in _COUNTS:
            yield from map(Candidate, self._of_counts(place, keyword))
        if not place:
            yield from map(Candidate, self.complete())
        yield from self._of_values(place, _STANDS_FOR.get(keyword, keyword))
        for held in self._existing(place):
            yield Candidate(held[0])

    def smallest(self) -> Iterator[Candidate]:
        """Yield the smallest objects."""
        for resource, _ in self._existing(()):
            yield Candidate(resource)

    def complete(self) -> Iterator[Resource]:
        """Yield objects that have something at each place of the schema in turn, those of the whole object first."""
        for side in self.sides:
            for place, _ in sorted(side.places(), key=lambda one: len(one[0])):
                if (held := side.existing(place)) is not None:
                    yield held[0]

    def with_status(self) -> Iterator[Resource]:
        """Yield objects that have a status."""
        for resource, _ in self._existing(("status",)):
            yield resource

    def _existing(self, place: Place) -> Iterator[Held]:
        for side in self.sides:
            if (held := side.existing(place)) is not None:
                yield held

    def _of_rule(self, difference: Difference) -> Iterator[Candidate]:
        for side, rule in ((self.old, difference.before), (self.new, difference.after)):
            if side is not None and rule is not None:
                # Of a version that is served, the rules may be others than of the one that objects are stored in.
                known = side.root.at(difference.place).structure.get(RULES) or []
                if rule in known:
                    yield from _sides_of(side.find(difference.place, f"{RULES}[{known.index(rule)}]"))
        for resource, steps in self._existing(difference.place):
            for inner in objectplaces.all_steps(objectplaces.at(resource, steps)):
                whole = (*steps, *inner)
                yield from (Candidate(objectplaces.replaced(resource, whole, value)) for value in _PLAIN if whole)

    def _of_boundaries(self, place: Place, keyword: str) -> Iterator[Candidate]:
        for side in self.sides:
            if side.root.at(place).structure.get(keyword):
                yield from _sides_of(side.find(place, keyword))
        branches = (branch for side in self.sides for branch in side.root.at(place).alternatives())
        values = [value for branch in branches for value in itertools.islice(self.sides[0].maker.find(branch), 3)]
        for side in self.sides:
            yield from map(Candidate, self._placed(side, place, values))

    def _of_field(self, difference: Difference) -> Iterator[Resource]:
        """Yield objects with a field and without it, and where unknown fields are kept, with anything in it."""
        place = difference.place
        for resource, steps in self._existing(place):
            yield from [objectplaces.removed(resource, steps)] if steps else []
            yield resource
        for resource, _ in self._existing(place[:-1]):
            yield resource
        if difference.keyword in {schemadifferences.ADDED, schemadifferences.REMOVED}:
            for side in self.sides:
                if _keeps(side.root.at(place[:-1])):
                    yield from self._placed(side, place, _OF_ALL_TYPES)
        for side in self.sides:
            yield from surroundings.of_field(side, difference)

    def _of_counts(self, place: Place, keyword: str) -> Iterator[Resource]:
        """Yield objects with a list of as many items as a limit of either CRD allows or not, all like one that is accepted."""
        schemas = [side.root.at(place).structure for side in self.sides]
        sizes = dict.fromkeys(
            schema[keyword] + beyond for schema in schemas if keyword in schema for beyond in (0, 1, -1)
        )
        for resource, steps in self._existing((*place, Each.ITEM)):
            items = objectplaces.at(resource, steps[:-1])
            yield from (
                objectplaces.replaced(resource, steps[:-1], items[:1] * size)
                for size in sizes
                if 0 < size <= _MOST_ITEMS
            )

    def _of_orders(self, difference: Difference) -> Iterator[Resource]:
        """Yield objects with lists in different orders, which are the same or not by their type."""
        changed = [one.place for one in self.differences if one.keyword == difference.keyword and one.place[:-1]]
        if difference.place[:-1]:
            listed = (difference.place, *(one for one in changed if one != difference.place))
            for side in self.sides:
                yield from surroundings.in_other_orders(side, listed)

    def _of_objects(self, place: Place) -> Iterator[Resource]:
        """Yield objects with a field that no schema may know at a place."""
        for resource, steps in self._existing(place):
            if isinstance(objectplaces.at(resource, steps), dict):
                for value in _OF_ALL_TYPES:
                    yield objectplaces.replaced(resource, (*steps, _UNKNOWN), value)
        for resource, _ in self._existing((*place, Each.VALUE)):
            yield resource

    def repaired(self, place: Place, value: Any) -> Iterator[Candidate]:
        """Yield objects with a value at a place that one of the CRDs takes: what stands elsewhere is changed for it."""
        found = (side.holding(place, value) for side in self.sides)
        yield from (Candidate(held[0]) for held in found if held is not None)

    def _of_values(self, place: Place, keyword: str) -> Iterator[Candidate]:
        """Yield objects with values on both sides of the boundaries of a keyword, whoever takes them."""
        values: list[Any] = list(_between(self.sides, place)) if keyword in {"pattern", "allOf"} else []
        for side in self.sides:
            node = side.root.at(place)
            if keyword in boundaryvalues.keywords(node):
                sides = boundaryvalues.find(node, keyword, side.maker)
                values += itertools.islice(sides.outside, _MOST_VALUES)
                values += itertools.islice(sides.inside, _MOST_VALUES)
                values += _with_one_key_alike(node, values)
        if keyword in {"default", "nullable", "type"}:
            values.append(None)  # which is kept, dropped, or gives way to a default
        if keyword == "format":
            # What has one format may have another one as well.
            values += itertools.chain.from_iterable(texts.FORMATS.values())
        if keyword in {"minLength", "maxLength"}:
            values += _long_texts([side.root.at(place) for side in self.sides], keyword)
        for side in self.sides:
            values += itertools.islice(side.maker.find(side.root.at(place)), _MOST_OF_TYPE)
        for side, value in itertools.product(self.sides, values):
            for resource in self._placed(side, place, [value]):
                yield Candidate(resource, None, (value,))

    def _placed(self, side: Boundaries, place: Place, values: Iterable[Any]) -> Iterator[Resource]:
        """Yield an object with each of *values* at a place, whoever takes it."""
        held = side.existing(place)
        for value in values:
            if held is None:
                # Nothing may stand there, so that null may be the one value that does no harm, or the other CRD takes it.
                if (put := side.placer.placed(place, value)) is not None:
                    yield put[0]
            elif place:
                yield objectplaces.replaced(*held, value)
            elif isinstance(value, dict):
                yield {**held[0], **value}


def _sides_of(boundary: Boundary) -> Iterator[Candidate]:
    """Yield the objects of a boundary, those that are refused first."""
    yield from (Candidate(one, boundary.old) for one in (boundary.outside, boundary.inside) if one is not None)


def _between(sides: Sequence[Boundaries], place: Place) -> Iterator[str]:
    """Yield texts that the patterns at a place of one schema match and those of the other do not, of a length that is fit for both."""
    demands = [next(side.root.at(place).alternatives()).text for side in sides]
    if len(demands) == 2:
        left, right = demands
        most = min((one.most for one in demands if one.most is not None), default=None)
        yield from patterntexts.between(left.patterns, right.patterns, Lengths(max(left.least, right.least), most))


def _long_texts(demands: Iterable[Demand], keyword: str) -> Iterator[str]:
    """Yield texts beside limits that are greater than those of texts which are shown to people."""
    limits_ = dict.fromkeys(schema[keyword] for one in demands for schema in one.schemas if schema.get(keyword))
    for limit in limits_:
        yield from ("a" * length for length in (limit, limit + 1, limit - 1) if _LONG <= length <= _LONGEST)


def _keeps(node: Demand) -> bool:
    return node.keeps_unknown_fields or node.values is not None


def _with_one_key_alike(node: Demand, values: Iterable[Any]) -> list[Any]:
    """Return lists of two items that are alike in all keys of a `map` list but one."""
    lists = [value for value in values if isinstance(value, list) and len(value) >= 2]
    return [
        [first, {**second, **{other: first[other] for other in node.map_keys if other != key and other in first}}]
        for first, second, *_ in lists
        for key in node.map_keys
        if isinstance(first, dict) and isinstance(second, dict)
    ]
