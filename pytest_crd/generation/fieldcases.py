"""Cases about fields: some fields of one object are set together and stored."""

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
from pytest_crd.synthesis.schemavalues import Maker

# The maximum length of the fields in one case: one line, which the expectation repeats.
_LONGEST: Final = 110
_MOST_NAMED: Final = 3


class FieldCases:
    """A source of cases about the fields of one version."""

    def __init__(self, constraints: Constraints, inner: Container[Place]) -> None:
        """
        Create a source of cases.

        Args:
            constraints: The source of objects.
            inner: The places that have cases of their own about their fields.
        """
        self._constraints = constraints
        self._inner = inner

    def propose(self, place: Place, node: Demand, known: Container[Place]) -> Iterator[Proposal]:
        """
        Yield cases that set fields of the object at *place*, except fields with cases for their own fields.

        Args:
            place: The place of the object.
            node: The demand on the object.
            known: The places that other cases set already.
        """
        placed = self._constraints.finder.existing(place)
        if placed is None or not isinstance(objectplaces.get_value(*placed), dict):
            return
        judge = self._constraints.finder.placer.judge(place)
        values: dict[str, Any] = {}
        for name, candidates in self._candidates(place, node, known):
            accepted = (value for value in candidates if judge(_add_fields(placed, {name: value})).accepted)
            if (value := next(accepted, None)) is not None:
                values[name] = value
        for part in _parts(place, values):
            resource = _add_fields(placed, part)
            if judge(resource).accepted:
                statement = f"{words.join_names(tuple(part), _MOST_NAMED)} may be set"
                yield replace(self._constraints.proposal(place, statement, resource), shown_fields=tuple(part))

    def _candidates(self, place: Place, node: Demand, known: Container[Place]) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield the fields with non-null values: the likeliest, after a list of two equal items, which a set would refuse."""
        maker = self._constraints.finder.maker
        for name, child in node.properties.items():
            own = (*place, name)
            is_meta = name in OF_RESOURCE and (not place or node.is_embedded_resource)
            if is_meta or own in known or own in self._constraints.excluded or self._has_inner_cases(own, child):
                continue
            value = next((candidate for candidate in maker.find_values(child) if candidate is not None), None)
            if value is not None:
                yield name, (*_equal_items(child, maker), value)

    def _has_inner_cases(self, place: Place, node: Demand) -> bool:
        """Return True if cases about fields inside the value at *place* set the place anyway."""
        steps: Place = ()
        while not node.properties and (inner := node.items or node.values) is not None:
            steps, node = (*steps, Each.ITEM if node.items is not None else Each.VALUE), inner
        return bool(node.properties) and (*place, *steps) in self._inner


def _equal_items(node: Demand, maker: Maker) -> Iterator[Any]:
    """Yield a list of two equal items that are no objects or lists; nothing if *node* is no such list."""
    is_list = node.type == "array" and node.items is not None and not node.is_unique
    items = maker.items(node, 2) if is_list else None
    if items and not isinstance(items[0], dict | list):
        yield items


def _add_fields(placed: PlacedValue, fields: Mapping[str, Any]) -> Any:
    """Return the object of *placed* with *fields* added to its placed value."""
    resource, steps = placed
    return objectplaces.replace_value(resource, steps, {**objectplaces.get_value(resource, steps), **fields})


def _parts(place: Place, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *values* in parts that fit on one line each; a longer value is a part of its own."""
    part: dict[str, Any] = {}
    for name, value in values.items():
        if part and len(yamltext.flow(nested(place, {**part, name: value}))) > _LONGEST:
            yield part
            part = {}
        part[name] = value
    if part:
        yield part
