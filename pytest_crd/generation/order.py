"""The order in which cases are made: what protects the users of a CRD most comes first, as there may be no room for all."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from pytest_crd import engine
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.generation import appliers, wholeobjects
from pytest_crd.generation.constraints import Constraints, KeywordGroup, is_inner, keywords_of, says_types
from pytest_crd.generation.fieldcases import FieldCases
from pytest_crd.generation.passes import PassCases
from pytest_crd.generation.proposedcases import Proposal
from pytest_crd.generation.scope import FileScope
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.placement import STATUS

_SPEC: Final[Place] = ("spec",)


class CaseKind(NamedTuple):
    """
    Cases of one kind.

    Attributes:
        noun: What they are about.
        places: Where there may be some, with what the schema asks there.
        find: Proposes those of a place.
    """

    noun: str
    places: list[tuple[Place, Demand]]
    find: Callable[[Place, Demand], Iterator[Proposal]]


class CaseOrder:
    """Puts the cases of one version in their order."""

    def __init__(
        self, version: engine.Version, constraints: Constraints, scope: FileScope, set_places: Collection[Place]
    ) -> None:
        """
        Take what makes them.

        Args:
            version: The version.
            constraints: What proposes cases about its constraints.
            scope: For which places there are any.
            set_places: The places at which a case that was taken has something, as they grow.
        """
        self._version = version
        self._constraints = constraints
        self._set_places = set_places
        self._is_whole = scope.is_whole
        self._passes = PassCases(version)
        found = [(place, node) for place, node in constraints.finder.places() if scope.has(place)]
        # Users write the spec; and outer fields first.
        self._places: Mapping[Place, Demand] = dict(sorted(found, key=lambda one: (_is_of_status(one[0]), len(one[0]))))
        self._fields = FieldCases(constraints, self._places)

    def steps(self) -> Iterator[CaseKind]:
        """Yield the kinds of cases, each asked for when those before it were taken."""
        spec, status = (
            {place: node for place, node in self._places.items() if _is_of_status(place) == is_of_status}
            for is_of_status in (False, True)
        )
        levels = [one for one in self._places.items() if self._drops(one[0])]
        yield CaseKind("unknown fields", [one for one in levels if one[0] == _SPEC], self._dropped)
        yield CaseKind("all fields at once", [(place, node) for place, node in spec.items() if not place], self._whole)
        yield from self._steps(spec)
        yield from self._steps(status)
        typed = [one for one in self._places.items() if says_types(*one)]
        yield CaseKind("types", typed, self._constraints.types)

    def _steps(self, found: Mapping[Place, Demand]) -> Iterator[CaseKind]:
        """Yield the kinds of cases about the places that were *found*, but those about types."""
        there = [*found.items()]
        containers = [(place, node) for place, node in there if node.properties]
        for group in KeywordGroup:
            asking = [(place, node) for place, node in there if keywords_of(node, group)]
            yield CaseKind(group.value, asking, functools.partial(self._constraints.find, group=group))
        yield CaseKind(
            "defaults", [one for one in containers if self._passes.has_defaults(*one)], self._passes.defaulting
        )
        yield CaseKind("unknown fields that stay", [one for one in there if one[1].keeps_unknown_fields], self._kept)
        yield CaseKind("null", containers, self._passes.nulls_kept)
        if self._is_whole:
            yield CaseKind("null", containers, self._passes.nulls_lost)
            yield CaseKind("null", there, self._constraints.null)
        else:
            yield CaseKind("null", there[:1], lambda *_: self._nulls_once(found))
        yield CaseKind("list and map types", [one for one in there if self._is_shared(one[0])], self._two_managers)
        levels = [one for one in there if one[0] != _SPEC and self._drops(one[0])]
        yield CaseKind("unknown fields", levels, self._dropped)
        yield CaseKind("fields", containers, lambda place, node: self._fields.find(place, node, self._set_places))
        yield CaseKind("fields", [one for one in there if one[0] not in self._set_places], self._set)

    def _drops(self, place: Place) -> bool:
        """Return whether unknown fields are dropped at *place*, or in the metadata there."""
        node = self._version.schema_map.at(place)
        return not place or (node is not None and node.drops_unknown_fields)

    def _dropped(self, place: Place, _: Demand) -> Iterator[Proposal]:
        node = self._version.schema_map.at(place)
        return iter(()) if node is None else self._passes.dropped(node)

    def _kept(self, place: Place, _: Demand) -> Iterator[Proposal]:
        node = self._version.schema_map.at(place)
        return iter(()) if node is None else self._passes.kept(node)

    def _is_shared(self, place: Place) -> bool:
        node = self._version.schema_map.at(place)
        return node is not None and appliers.has_type(node)

    def _two_managers(self, place: Place, demand: Demand) -> Iterator[Proposal]:
        node = self._version.schema_map.at(place)
        return iter(()) if node is None else appliers.find(self._constraints, self._version.unobserved, node, demand)

    def _whole(self, *_: object) -> Iterator[Proposal]:
        return wholeobjects.find(self._version, self._constraints.finder)

    def _set(self, place: Place, _: Demand) -> Iterator[Proposal]:
        return iter(()) if place in self._set_places else self._constraints.set(place)

    def _nulls_once(self, found: Mapping[Place, Demand]) -> Iterator[Proposal]:
        """Yield how null is lost at the places that were *found*, each way once: dropped, replaced by a default, refused."""
        yield from self._passes.nulls_once(found)
        for find, there in (
            (self._constraints.null_of_required, [place for place, node in found.items() if node.required]),
            (self._constraints.null, [place for place in found if is_inner(place)]),
        ):
            proposals = (proposal for place in there for proposal in find(place, found[place]))
            yield from itertools.islice(proposals, 1)


def _is_of_status(place: Place) -> bool:
    return place[:1] == (STATUS,)
