"""Objects for round trips: samples, the smallest and the fullest object, other values of all fields at once, and each field alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_crd.checks.roundtrips.trips import AcceptedObject, Resource, RoundTripWriter
from pytest_crd.checks.samplefiles import Sample
from pytest_crd.engine import CrdVersion, FieldError
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.engine.schema.structural import META_FIELDS
from pytest_crd.synthesis import NoExampleError, boundaryvalues, example, objectplaces, shrinking
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.placement import STATUS, Placer
from pytest_crd.synthesis.schemavalues import Maker

_MOST_SAMPLES: Final = 20
_MOST_PLACES: Final = 60
# The numbers of values of a field, of fields with a value of their own, and of attempts to combine values.
_MOST_VALUES: Final = 8
_MOST_ALONE: Final = 30
_MOST_ATTEMPTS: Final = 4
_MOST_LISTS: Final = 3
_ANOTHER: Final = "another"
_MOST_FIELDS: Final = 150
_LONGEST: Final = 1000
# The number of values in all objects together, besides the first ones.
_BUDGET: Final = 3_000
_KEYWORDS: Final = frozenset({"enum", "minimum", "maximum", "minLength", "maxLength", "format", "pattern", "nullable"})


class RoundTripObject(NamedTuple):
    """
    An object for round trips.

    Attributes:
        accepted: The object; a server accepts it.
        is_first: Whether it makes a trip even if conversions are slow.
    """

    accepted: AcceptedObject
    is_first: bool


class RoundTripObjects:
    """The objects of one version for round trips."""

    def __init__(self, version: CrdVersion, samples: Sequence[Sample]) -> None:
        """
        Create from a version and the samples of a project.

        Args:
            version: The version.
            samples: The samples of its kind, of all versions.
        """
        self._version = version.crd.with_webhooks(None).version(version.name).unobserved
        self._samples = [
            item.manifest.value for item in samples if item.version == version.name and item.can_be_applied
        ]
        self._writer = RoundTripWriter(version)
        self._root = Demand.of_version(version)
        self._maker = Maker()

    @cached_property
    def smallest(self) -> Resource | None:
        """The smallest object; None without one."""
        return None if self._placer is None else self._placer.start

    @cached_property
    def candidates(self) -> Sequence[RoundTripObject]:
        """The objects, the most telling first."""
        first = self._samples[:_MOST_SAMPLES]
        others: Iterator[Resource] = iter(())
        if self._placer is not None:
            full = self._fullest(self._placer.start)
            first = [*first, self._placer.start, full]
            others = itertools.chain(self._find_single_fields(self._placer), self._vary(full, self._placer))
        started = ((self._writer.begin(resource), True) for resource in first)
        limited = ((self._writer.begin(resource), False) for resource in _limit(others))
        return [
            RoundTripObject(accepted, is_first)
            for accepted, is_first in itertools.chain(started, limited)
            if accepted is not None
        ]

    def find_object(self, place: Place) -> Resource | None:
        """Return a small object with a value at a place; None without one."""
        placed = None if self._placer is None else self._placer.existing(place)
        return None if placed is None else placed[0]

    def _vary(self, full: Resource, placer: Placer) -> Iterator[Resource]:
        """Yield the fullest object with other values, then small objects with the values that exclude each other."""
        others = {
            steps: values
            for steps in itertools.islice(_find_changeable(self._root, full), _MOST_FIELDS)
            if (values := self._find_values(full, steps))
        }
        alone: list[tuple[Steps, Any]] = []
        for index in range(max(map(len, others.values()), default=0)):
            chosen = {steps: values[index] for steps, values in others.items() if index < len(values)}
            combined = self._combine(full, chosen)
            yield combined
            alone += [item for item in chosen.items() if objectplaces.get_value(combined, item[0]) != item[1]]
        for steps, value in alone[:_MOST_ALONE]:
            place = schemamap.place_in(steps, self._version.schema_map)
            if (placed := placer.place_value(place, value)) is not None:
                yield placed[0]

    @cached_property
    def _placer(self) -> Placer | None:
        try:
            return Placer(self._version)
        except NoExampleError:
            return None

    def _fullest(self, smallest: Resource) -> Resource:
        """Return the fullest object with its status if the server takes both; else the smallest object."""
        try:
            full = example(self._version, full=True)
        except NoExampleError:
            return smallest
        status = self._root.field(STATUS)
        if status is None or not self._version.has_status:
            return full
        with_status = {**full, STATUS: Maker(full=True).first(status)}
        return with_status if self._writer.write(with_status).accepted else full

    def _find_values(self, full: Resource, steps: Steps) -> list[Any]:
        """Return other values: for lists and maps more items, for others the boundaries of their keywords, and likely ones."""
        node, value = self._root.at(steps), objectplaces.get_value(full, steps)
        if isinstance(value, dict):
            return [{**value, _ANOTHER: next(iter(value.values()))}]
        if isinstance(value, list):
            return [*itertools.islice(Maker(full=True).find_values(node), _MOST_LISTS)]
        keywords = [keyword for keyword in boundaryvalues.keywords(node) if keyword in _KEYWORDS]
        sides = (boundaryvalues.find_sides(node, keyword, self._maker).inside for keyword in keywords)
        values = itertools.chain(*map(_first_values, sides), itertools.islice(self._maker.find_values(node), 3))
        distinct: dict[str, Any] = {}
        for variant in values:
            if len(text := repr(variant)) <= _LONGEST:
                distinct.setdefault(text, variant)
        distinct.pop(repr(value), None)
        return [*distinct.values()][:_MOST_VALUES]

    def _combine(self, full: Resource, chosen: Mapping[Steps, Any]) -> Resource:
        """Return the fullest object with other values, as far as the server takes them together."""
        changes = dict(chosen)
        for _ in range(_MOST_ATTEMPTS):
            combined = full
            for steps, value in changes.items():
                combined = objectplaces.replace_value(combined, steps, value)
            answer = self._writer.write(combined)
            if answer.accepted:
                return combined
            changes = {steps: value for steps, value in changes.items() if not _is_blamed(steps, answer.errors)}
        return full

    def _find_single_fields(self, placer: Placer) -> Iterator[Resource]:
        """Yield a small object with each field."""
        nodes = (node for node in self._version.schema_map if node.place and node.meta_of is None)
        for node in itertools.islice(nodes, _MOST_PLACES):
            if (placed := placer.existing(node.place)) is not None:
                yield placed[0]


def _limit(resources: Iterator[Resource]) -> Iterator[Resource]:
    """Yield objects until they have too many values together."""
    budget = _BUDGET
    for resource in resources:
        budget -= shrinking.count_values(resource)
        if budget < 0:
            return
        yield resource


def _first_values(values: Sequence[Any]) -> Sequence[Any]:
    return values[:_MOST_VALUES]


def _find_changeable(root: Demand, resource: Resource) -> Iterator[Steps]:
    """Yield the steps of lists, maps and innermost values of an object, outside its metadata, outer ones first."""
    for steps in objectplaces.all_steps(resource):
        value = objectplaces.get_value(resource, steps)
        if (
            steps
            and steps[0] not in META_FIELDS
            and (not isinstance(value, dict) or (value and _is_map(root.at(steps))))
        ):
            yield steps


def _is_map(node: Demand) -> bool:
    """Return True if all keys of an object are free."""
    return node.values is not None and not node.properties


def _is_blamed(steps: Steps, errors: Sequence[FieldError]) -> bool:
    """Return True if an error is about a value, or about an object around it."""
    paths = (error.path.steps for error in errors if error.path is not None)
    return any(steps[: len(path)] == path for path in paths)
