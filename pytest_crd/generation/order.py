"""The order in which cases are proposed: the most valuable first, because the file may not have room for all."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd import engine, synthesis
from pytest_crd.cases.sections import Section
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.generation import appliers, smallestobjects
from pytest_crd.generation.constraints import Constraints, KeywordGroup, has_type_cases, is_inner, keywords_of
from pytest_crd.generation.fieldcases import FieldCases
from pytest_crd.generation.passes import DEFAULTS, PassCases
from pytest_crd.generation.proposedcases import Proposal, bare
from pytest_crd.generation.scope import FileScope
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.boundaries import Boundaries
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.placement import STATUS

_SPEC: Final[Place] = ("spec",)


class CaseKind(NamedTuple):
    """
    A kind of cases.

    Attributes:
        noun: The name of the kind in reports.
        protects: Whether changes of its constraints break users most, so that all of its cases come first.
        places: The places that may have such cases, with their demands.
        propose: Proposes the cases of a place.
    """

    noun: str
    places: list[tuple[Place, Demand]]
    propose: Callable[[Place, Demand], Iterator[Proposal]]
    protects: bool = False


class CaseOrder:
    """A source of the cases of one version in the order of their value."""

    def __init__(
        self, version: engine.CrdVersion, constraints: Constraints, scope: FileScope, set_places: Collection[Place]
    ) -> None:
        """
        Create the sources of cases.

        Args:
            version: The version.
            constraints: The source of cases about constraints.
            scope: The places that the file covers.
            set_places: The places that accepted cases set; the caller adds to them.
        """
        self._version = version
        self._constraints = constraints
        self._set_places = set_places
        self._is_whole = scope.is_whole
        self._passes = PassCases(version)
        covered = [(place, node) for place, node in constraints.finder.places() if scope.has(place)]
        # The spec, which users write, comes before the status, and outer fields before inner ones.
        self._places: Mapping[Place, Demand] = dict(
            sorted(covered, key=lambda item: (_is_of_status(item[0]), len(item[0])))
        )
        self._fields = FieldCases(constraints, self._places)

    def steps(self) -> Iterator[CaseKind]:
        """Yield the kinds of cases; the caller must take the cases of a kind before it requests the next one."""
        spec, status = (
            {place: node for place, node in self._places.items() if _is_of_status(place) == is_of_status}
            for is_of_status in (False, True)
        )
        levels = [item for item in self._places.items() if self._drops(item[0])]
        yield CaseKind(
            "all fields at once", [(place, node) for place, node in spec.items() if not place], self._propose_whole
        )
        for places in (spec, status):
            yield from self._protecting_steps(places)
        yield from self._steps(spec, [*self._places.items()][:1])
        yield from self._steps(status)
        typed = [item for item in self._places.items() if has_type_cases(*item)]
        yield CaseKind("types", typed, self._constraints.propose_types)
        # True of almost every schema, so that it comes last.
        yield CaseKind("unknown fields", levels, self._propose_dropped)

    def _protecting_steps(self, places: Mapping[Place, Demand]) -> Iterator[CaseKind]:
        """Yield the kinds of cases about enums, bounds and defaults at *places*."""
        for group in (KeywordGroup.ENUMS, KeywordGroup.BOUNDS):
            yield self._group_step(group, places)._replace(protects=True)
        with_defaults = [item for item in places.items() if self._passes.has_defaults(*item)]
        yield CaseKind(DEFAULTS, with_defaults, self._passes.defaulting, protects=True)

    def _group_step(self, group: KeywordGroup, places: Mapping[Place, Demand]) -> CaseKind:
        asking = [(place, node) for place, node in places.items() if keywords_of(node, group)]
        return CaseKind(group.value, asking, functools.partial(self._constraints.propose, group=group))

    def _steps(
        self, places: Mapping[Place, Demand], smallest: Sequence[tuple[Place, Demand]] = ()
    ) -> Iterator[CaseKind]:
        """
        Yield the other kinds of cases about *places*, except the cases about types.

        Args:
            places: The places.
            smallest: The place of the whole object, for cases without optional fields; empty for none.
        """
        items = [*places.items()]
        containers = [(place, node) for place, node in items if node.properties]
        yield self._group_step(KeywordGroup.RULES, places)
        yield CaseKind("required fields alone", [*smallest], self._propose_smallest)
        yield self._group_step(KeywordGroup.REQUIRED, places)
        yield self._group_step(KeywordGroup.SHAPES, places)
        yield CaseKind(
            "values of enums", [item for item in items if item[1].enum], self._constraints.propose_enum_values
        )
        yield CaseKind(
            "unknown fields that stay", [item for item in items if item[1].keeps_unknown_fields], self._propose_kept
        )
        yield CaseKind("null", containers, self._passes.nulls_kept)
        if self._is_whole:
            yield CaseKind("null", containers, self._passes.nulls_lost)
            yield CaseKind("null", items, self._constraints.propose_null)
        else:
            yield CaseKind("null", items[:1], lambda *_: self._nulls_once(places))
            lists = [item for item in items if item[0][-1:] == (Each.ITEM,)]
            yield CaseKind("null", lists, self._constraints.propose_null)
        yield CaseKind(
            "list and map types", [item for item in items if self._is_shared(item[0])], self._propose_two_managers
        )
        yield CaseKind(
            "patterns", [item for item in items if item[1].structure.get("pattern")], self._constraints.propose_patterns
        )
        yield CaseKind("fields", containers, lambda place, node: self._fields.propose(place, node, self._set_places))
        yield CaseKind("fields", [item for item in items if item[0] not in self._set_places], self._propose_set)

    def _drops(self, place: Place) -> bool:
        """Return True if unknown fields are dropped at *place*, or from the metadata if it is the root."""
        node = self._version.schema_map.at(place)
        return not place or (node is not None and node.drops_unknown_fields)

    def _propose_dropped(self, place: Place, _: Demand) -> Iterator[Proposal]:
        node = self._version.schema_map.at(place)
        return iter(()) if node is None else self._passes.dropped(node)

    def _propose_kept(self, place: Place, _: Demand) -> Iterator[Proposal]:
        node = self._version.schema_map.at(place)
        return iter(()) if node is None else self._passes.preserved(node)

    def _is_shared(self, place: Place) -> bool:
        node = self._version.schema_map.at(place)
        return node is not None and appliers.has_type(node)

    def _propose_two_managers(self, place: Place, demand: Demand) -> Iterator[Proposal]:
        node = self._version.schema_map.at(place)
        return iter(()) if node is None else appliers.propose(self._constraints, self._version.unobserved, node, demand)

    def _propose_whole(self, *_: object) -> Iterator[Proposal]:
        return _propose_whole_objects(self._version, self._constraints.finder)

    def _propose_smallest(self, *_: object) -> Iterator[Proposal]:
        return smallestobjects.propose(self._constraints, self._places)

    def _propose_set(self, place: Place, _: Demand) -> Iterator[Proposal]:
        return iter(()) if place in self._set_places else self._constraints.propose_set(place)

    def _nulls_once(self, places: Mapping[Place, Demand]) -> Iterator[Proposal]:
        """Yield one case for each way in which null is lost at *places*: dropped, replaced by a default, refused."""
        yield from self._passes.nulls_once(places)
        for propose, candidates in (
            (self._constraints.propose_null_of_required, [place for place, node in places.items() if node.required]),
            (self._constraints.propose_null, [place for place in places if is_inner(place)]),
        ):
            proposals = (proposal for place in candidates for proposal in propose(place, places[place]))
            yield from itertools.islice(proposals, 1)


def _is_of_status(place: Place) -> bool:
    return place[:1] == (STATUS,)


def _propose_whole_objects(version: engine.CrdVersion, finder: Boundaries) -> Iterator[Proposal]:
    """Yield the cases about whole objects of *version*."""
    smallest = bare(finder.placer.start)
    yield Proposal(Section.CREATE, "the smallest object is accepted", (), smallest, is_exact=True)
    fullest = _fullest(version, finder)
    if fullest is not None and fullest != smallest:
        yield Proposal(Section.CREATE, "the fullest object is accepted", (), fullest, is_exact=True)
    if version.has_status and (placed := finder.existing((STATUS,))) is not None:
        yield from _propose_status(version, smallest, placed[0][STATUS])


def _fullest(version: engine.CrdVersion, finder: Boundaries) -> dict[str, Any] | None:
    """Return the fullest object; None if no object is accepted. Lists of texts and numbers have two equal items, unless they are sets."""
    try:
        fullest: Any = synthesis.example(version, full=True)
    except synthesis.NoExampleError:
        return None
    judge = finder.placer.judge(())
    for steps in list(objectplaces.all_steps(fullest)):
        value = objectplaces.get_value(fullest, steps)
        if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], dict | list):
            doubled = objectplaces.replace_value(fullest, steps, value * 2)
            fullest = doubled if judge(doubled).accepted else fullest
    return bare(fullest)


def _changes(answer: engine.Response) -> dict[str, list[str]]:
    changes = {
        "pruned": answer.pruned,
        "defaulted": answer.defaulted,
        "nullsDropped": answer.nulls,
        "lost": answer.lost,
    }
    return {key: list(paths) for key, paths in changes.items() if paths}


def _propose_status(version: engine.CrdVersion, smallest: Mapping[str, Any], status: Any) -> Iterator[Proposal]:
    """Yield cases that show that the status is a subresource."""
    if version.unknown_when_stored:
        return
    place = (STATUS,)
    whole = {**smallest, STATUS: status}
    answer = version.create(whole)
    if STATUS in answer.stored:
        expectation = {"contains": {STATUS: answer.stored[STATUS]}, **_changes(answer)}
        yield Proposal(
            Section.CREATE, "status: a create replaces it by its default", place, whole, expectation=expectation
        )
    else:
        yield Proposal(Section.CREATE, "status: a create drops it", place, whole, expectation={"absent": [STATUS]})
    for section, name, sent, old in (
        (Section.UPDATE, "status: an update leaves it alone", smallest, whole),
        (Section.UPDATE_STATUS, "status: an update of the status is stored", whole, smallest),
    ):
        update = version.update if section is Section.UPDATE else version.update_status
        updated = update(sent, old=old)
        stored_status = updated.stored.get(STATUS)
        outcome: dict[str, Any] = {"contains": {STATUS: stored_status}} if stored_status else {}
        if updated.lost:  # the storage version has no such field
            outcome["lost"] = list(updated.lost)
        is_lost = STATUS in updated.lost
        title = "status: an update of the status is lost" if is_lost else name
        yield Proposal(section, title, place, sent, old, outcome or {"accepted": True})
