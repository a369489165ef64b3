"""Cases about fields: that what may be set is stored, some fields of one object together."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_crd.casefiles import yamltext
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.generation import words
from pytest_crd.generation.constraints import OF_RESOURCE, Constraints
from pytest_crd.generation.proposedcases import Proposal, nested
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.placement import PlacedValue

# How much of an object one case sets: a line, which what is stored repeats.
_LONGEST: Final = 110
_MOST_NAMED: Final = 3


class FieldCases:
    """Proposes the cases of one version."""

    def __init__(self, constraints: Constraints, inner: Container[Place]) -> None:
        """
        Take what makes objects.

        Args:
            constraints: It.
            inner: The places that have cases of their own for what is in them.
        """
        self._constraints = constraints
        self._inner = inner

    def find(self, place: Place, node: Demand, known: Container[Place]) -> Iterator[Proposal]:
        """
        Yield objects in which fields of the object at *place* stand that hold no others with cases of their own.

        Args:
            place: Where.
            node: What is asked of it.
            known: The places at which some other case sets something.
        """
        held = self._constraints.finder.existing(place)
        if held is None or not isinstance(objectplaces.at(*held), dict):
            return
        judge = self._constraints.finder.placer.judge(place)
        found = self._values(place, node, known)
        values = {name: value for name, value in found if judge(_with(held, {name: value})).accepted}
        for part in _parts(place, values):
            resource = _with(held, part)
            if judge(resource).accepted:
                what = f"{words.listed(tuple(part), _MOST_NAMED)} may be set"
                yield replace(self._constraints.proposal(place, what, resource), shown=tuple(part))

    def _values(self, place: Place, node: Demand, known: Container[Place]) -> Iterator[tuple[str, Any]]:
        """Yield the fields with a value that is not null."""
        maker = self._constraints.finder.maker
        for name, child in node.properties.items():
            own = (*place, name)
            is_meta = name in OF_RESOURCE and (not place or node.is_embedded_resource)
            if is_meta or own in known or own in self._constraints.excluded or self._leads_further(own, child):
                continue
            value = next((one for one in maker.find_values(child) if one is not None), None)
            if value is not None:
                yield name, value

    def _leads_further(self, place: Place, node: Demand) -> bool:
        """Return whether cases about what is in the value at *place* have something there anyway."""
        steps: Place = ()
        while not node.properties and (inner := node.items or node.values) is not None:
            steps, node = (*steps, Each.ITEM if node.items is not None else Each.VALUE), inner
        return bool(node.properties) and (*place, *steps) in self._inner


def _with(held: PlacedValue, fields: Mapping[str, Any]) -> Any:
    """Return the object of *held* with *fields* in the one that is held."""
    resource, steps = held
    return objectplaces.replaced(resource, steps, {**objectplaces.at(resource, steps), **fields})


def _parts(place: Place, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *values* in parts that fit on a line each; one that is longer is a part of its own."""
    part: dict[str, Any] = {}
    for name, value in values.items():
        if part and len(yamltext.flow(nested(place, {**part, name: value}))) > _LONGEST:
            yield part
            part = {}
        part[name] = value
    if part:
        yield part
