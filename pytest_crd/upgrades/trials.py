"""
Trials: values that two field managers apply to a list or an object, to test whether two CRDs merge them alike.

Each manager applies fields or items of its own; or both apply items that one of the two CRDs merges into one.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pytest_crd.engine import CrdVersion, Response, jsonvalue
from pytest_crd.engine.registry.request import Subresource
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.synthesis.demands import ANYTHING, Demand
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.schemavalues import KEYS
from pytest_crd.upgrades.upgradefindings import Resource

FIRST: Final = "first"
SECOND: Final = "second"
# The limits of items to choose from, of fields to try, and of pairs of objects.
_MOST_ITEMS: Final = 200
_MOST_FIELDS: Final = 8
_MOST_PAIRS: Final = 20

# The first manager's value, the second manager's value, and both combined; the second lacks a part of the first.
_Values: TypeAlias = "tuple[Any, Any, Any]"


@dataclass(frozen=True, slots=True)
class Situation:
    """
    A way in which two managers apply, in words, with values for it.

    Attributes:
        each: `each apply items of their own to`.
        parts: The applied parts, `items`.
        contested: The value that the second manager takes by force if only one can own it: `the whole list`.
        is_apart: Whether the managers apply different parts.
        values: The values for each CRD.
    """

    each: str
    parts: str
    contested: str
    is_apart: bool
    values: Sequence[Iterator[_Values]]


@dataclass(frozen=True, slots=True)
class ApplyTrial:
    """
    The applied values of two managers.

    Attributes:
        resource: An object that has the list or the object.
        steps: The steps of the list or object in *resource*.
        first: The value that the first manager applies there.
        second: The second manager's value; it lacks a part of *first*.
        both: Both values combined.
        subresource: The subresource through which the place is written.
    """

    resource: Resource
    steps: Steps
    first: Any
    second: Any
    both: Any
    subresource: Subresource

    def place_value(self, value: Any) -> Resource:
        """Return the object with *value* at the place of the trial."""
        resource: Resource = objectplaces.replace_value(self.resource, self.steps, value)
        return resource

    def begin(self, version: CrdVersion, value: Any) -> Response:
        """Return the answer to the first apply."""
        old = version.create(self.resource) if self.subresource else None
        return self.apply(version, value, FIRST, old)

    def apply(
        self, version: CrdVersion, value: Any, manager: str, old: Response | None, *, force: bool = False
    ) -> Response:
        """Return the answer to an apply of *value*; if the request before was refused, its answer."""
        if old is not None and not old.accepted:
            return old
        resource = self.place_value(value)
        return version.apply(resource, manager=manager, old=old, force=force, subresource=self.subresource)

    def is_stored(self, part: Any, answer: Response) -> bool:
        """Return True if the stored object contains *part*."""
        stored: Any = answer.stored_if_accepted
        return not objectplaces.split_path(stored, self.steps)[1] and _contains(
            objectplaces.get_value(stored, self.steps), part
        )


def _contains(value: Any, part: Any) -> bool:
    """Return True if *value* contains all items and fields of *part*, also nested ones."""
    if isinstance(value, dict) and isinstance(part, dict):
        return all(name in value and _contains(value[name], inner) for name, inner in part.items())
    if isinstance(value, list) and isinstance(part, list):
        return all(any(_contains(item, inner) for item in value) for inner in part)
    return jsonvalue.equal(value, part)


def find_object_situations(place: Place, sides: Sequence[Boundaries]) -> Iterator[Situation]:
    """Yield the ways in which two managers can apply to an object."""
    values = [_fields(side, side.root.at(place)) for side in sides]
    yield Situation("each apply fields of their own to", "fields", "the whole object", True, values)  # noqa: FBT003 - a field


def find_list_situations(place: Place, sides: Sequence[Boundaries]) -> Iterator[Situation]:
    """Yield the ways in which two managers can apply to a list: items distinct for both CRDs, and items that one CRD merges into one."""
    demands = [side.root.at(place) for side in sides]
    keys = [demand.map_keys for demand in demands if demand.map_keys]
    makers = [_Items(side, demand, demands, keys) for side, demand in zip(sides, demands, strict=True)]
    apart = [maker.distinct_values() for maker in makers]
    yield Situation("each apply items of their own to", "items", "the whole list", True, apart)  # noqa: FBT003 - a field
    for same, different in itertools.permutations(dict.fromkeys(keys), 2):
        names = " and ".join(same)
        overlapping = [maker.overlapping_values(same, different) for maker in makers]
        yield Situation(
            f"each apply an item with the same {names} to",
            parts="items",
            contested="that of the other",
            is_apart=False,
            values=overlapping,
        )


def find_trials(situation: Situation, place: Place, sides: Iterable[Boundaries]) -> Iterator[ApplyTrial]:
    """Yield the trials of a situation, in objects that the CRDs accept."""
    for side, values in zip(sides, situation.values, strict=True):
        for first, second, both in values:
            if (placed := side.place_value(place, first)) is not None:
                subresource: Subresource = "status" if side.placer.subresource(place) else ""
                yield ApplyTrial(*placed, first, second, both, subresource)


@dataclass(frozen=True, slots=True)
class _Items:
    """
    A source of items that one CRD accepts.

    Attributes:
        side: The source of values.
        demand: The schema demands on the list.
        demands: The demands of both CRDs.
        keys: The list map keys of both CRDs.
    """

    side: Boundaries
    demand: Demand
    demands: Sequence[Demand]
    keys: Sequence[Sequence[str]]

    def distinct_values(self) -> Iterator[_Values]:
        """Yield items for two managers that are distinct by the keys of both CRDs; each manager gets `minItems` items."""
        count = max(1, self._least)
        items = list(itertools.islice(_distinct(self._make_items(), self.keys), 2 * count))
        if len(items) == 2 * count:
            yield items[:count], items[count:], items

    def overlapping_values(self, same: Sequence[str], different: Sequence[str]) -> Iterator[_Values]:
        """Yield two items that are equal by the keys *same* and distinct by *different*, with further items up to `minItems`."""
        if {*different} <= {*same}:
            return  # items with equal values of all keys are not distinct by some
        for item, twin in itertools.combinations(self._make_items(), 2):
            if _are_same(item, twin, same) and not _are_same(item, twin, different):
                fillers = list(
                    itertools.islice(_distinct(self._make_items(), self.keys, (item, twin)), max(0, self._least - 1))
                )
                if len(fillers) >= self._least - 1:
                    yield [item, *fillers], [twin, *fillers], [item, twin, *fillers]
                return

    @property
    def _least(self) -> int:
        return max(demand.least("minItems") for demand in self.demands)

    def _make_items(self) -> Iterator[Any]:
        """Return items that differ in the list map keys only; without keys, all accepted items."""
        item_demand = self.demand.items or ANYTHING
        accepted = self.side.maker.find_values(item_demand)
        names: Collection[str] = dict.fromkeys(itertools.chain.from_iterable(self.keys))
        if not names:
            return accepted
        item = next((value for value in accepted if isinstance(value, dict)), {})
        values = [list(self.side.maker.find_values(item_demand.field(name) or ANYTHING)) for name in names]
        chosen = itertools.islice(itertools.product(*values), _MOST_ITEMS)
        return ({**item, **dict(zip(names, combination, strict=True))} for combination in chosen)


def _distinct(items: Iterable[Any], keys: Sequence[Sequence[str]], before: Sequence[Any] = ()) -> Iterator[Any]:
    """Yield the items that differ from all items before them, and from *before*, in each set of keys."""
    previous = [*before]
    for item in items:
        if not any(_are_same(item, earlier, names) for earlier in previous for names in keys):
            previous.append(item)
            yield item


def _are_same(left: Any, right: Any, names: Iterable[str]) -> bool:
    return all(jsonvalue.equal(left[name], right[name]) for name in names)


def _fields(side: Boundaries, demand: Demand) -> Iterator[_Values]:
    """Yield objects for two managers: each with one more field than the smallest object, or only the first with one."""
    accepted = [
        item for item in itertools.islice(side.maker.find_values(demand), _MOST_FIELDS) if isinstance(item, dict)
    ]
    if not accepted:
        return
    base = accepted[0]
    free = KEYS if demand.values is not None or demand.keeps_unknown_fields else ()
    names = itertools.islice((name for name in (*demand.properties, *free) if name not in base), _MOST_FIELDS)
    more = [{**base, name: side.maker.first(demand.inner(name))} for name in names]
    pairs = itertools.chain(
        itertools.pairwise(more), ((item, base) for item in more), itertools.permutations(accepted, 2)
    )
    chosen = ((first, second) for first, second in pairs if first.keys() - second.keys() and _agree(first, second))
    yield from ((first, second, {**first, **second}) for first, second in itertools.islice(chosen, _MOST_PAIRS))


def _agree(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return _are_same(left, right, left.keys() & right.keys())
