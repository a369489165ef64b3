"""
Trials: what two managers may apply to a list or an object, to see whether two CRDs merge it alike.

Each applies what the other leaves alone; or both apply items that one of the two CRDs takes for one item.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pytest_crd.engine import Response, Version, jsonvalue
from pytest_crd.engine.requests.request import Subresource
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.synthesis.demands import ANYTHING, Demand
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.schemavalues import KEYS
from pytest_crd.upgrades.upgradefindings import Resource

FIRST: Final = "first"
SECOND: Final = "second"
# How many items are made to choose from, how many fields are tried, and how many pairs of objects.
_MOST_ITEMS: Final = 200
_MOST_FIELDS: Final = 8
_MOST_PAIRS: Final = 20

# What the first manager applies, what the second does, and all that both do; not all of the first is in the second.
_Values: TypeAlias = "tuple[Any, Any, Any]"


@dataclass(frozen=True, slots=True)
class Situation:
    """
    What two managers do, in words, and the values that may show it.

    Attributes:
        each: `each apply items of their own to`.
        parts: What is applied, `items`.
        taken: What the second takes by force where only one of them can have it: `the whole list`.
        is_apart: Whether they leave each other alone.
        values: Makes the values of one CRD.
    """

    each: str
    parts: str
    taken: str
    is_apart: bool
    values: Sequence[Iterator[_Values]]


@dataclass(frozen=True, slots=True)
class ApplyTrial:
    """
    What is applied.

    Attributes:
        resource: An object that has the list or the object.
        steps: Where.
        first: What the first manager applies there.
        second: What the second does; not all of the first is in it.
        both: All that both apply.
        subresource: By which subresource it is written.
    """

    resource: Resource
    steps: Steps
    first: Any
    second: Any
    both: Any
    subresource: Subresource

    def holding(self, value: Any) -> Resource:
        """Return the object with *value* there."""
        found: Resource = objectplaces.replaced(self.resource, self.steps, value)
        return found

    def begin(self, version: Version, value: Any) -> Response:
        """Return the answer to the first apply."""
        old = version.create(self.resource) if self.subresource else None
        return self.apply(version, value, FIRST, old)

    def apply(
        self, version: Version, value: Any, manager: str, old: Response | None, *, force: bool = False
    ) -> Response:
        """Return the answer to an apply of *value*; that to the request before, where it is refused."""
        if old is not None and not old.accepted:
            return old
        resource = self.holding(value)
        return version.apply(resource, manager=manager, old=old, force=force, subresource=self.subresource)

    def is_in(self, part: Any, answer: Response) -> bool:
        """Return whether what is stored has a *part*."""
        stored: Any = answer.stored
        return not objectplaces.reached(stored, self.steps)[1] and _has(objectplaces.at(stored, self.steps), part)


def _has(value: Any, part: Any) -> bool:
    """Return whether all of *part* is in a value, which may have more: items, fields, and fields of these."""
    if isinstance(value, dict) and isinstance(part, dict):
        return all(name in value and _has(value[name], inner) for name, inner in part.items())
    if isinstance(value, list) and isinstance(part, list):
        return all(any(_has(item, inner) for item in value) for inner in part)
    return jsonvalue.equal(value, part)


def of_object(place: Place, sides: Sequence[Boundaries]) -> Iterator[Situation]:
    """Yield what two managers may do to an object."""
    values = [_fields(side, side.root.at(place)) for side in sides]
    yield Situation("each apply fields of their own to", "fields", "the whole object", True, values)  # noqa: FBT003 - a field


def of_list(place: Place, sides: Sequence[Boundaries]) -> Iterator[Situation]:
    """Yield what two managers may do to a list: with items that are two for both CRDs, and with those that are one for one of them."""
    demands = [side.root.at(place) for side in sides]
    keys = [one.map_keys for one in demands if one.map_keys]
    makers = [_Items(side, demand, demands, keys) for side, demand in zip(sides, demands, strict=True)]
    apart = [one.apart() for one in makers]
    yield Situation("each apply items of their own to", "items", "the whole list", True, apart)  # noqa: FBT003 - a field
    for same, other in itertools.permutations(dict.fromkeys(keys), 2):
        names = " and ".join(same)
        alike = [one.alike(same, other) for one in makers]
        yield Situation(f"each apply an item with the same {names} to", "items", "that of the other", False, alike)  # noqa: FBT003


def of(situation: Situation, place: Place, sides: Iterable[Boundaries]) -> Iterator[ApplyTrial]:
    """Yield the trials of a situation, in objects that the CRDs take."""
    for side, found in zip(sides, situation.values, strict=True):
        for first, second, both in found:
            if (held := side.holding(place, first)) is not None:
                subresource: Subresource = "status" if side.placer.subresource(place) else ""
                yield ApplyTrial(*held, first, second, both, subresource)


@dataclass(frozen=True, slots=True)
class _Items:
    """
    Makes items that one CRD takes.

    Attributes:
        side: What makes values.
        demand: What is asked of the list.
        demands: The same of both CRDs.
        keys: By which keys they tell items apart.
    """

    side: Boundaries
    demand: Demand
    demands: Sequence[Demand]
    keys: Sequence[Sequence[str]]

    def apart(self) -> Iterator[_Values]:
        """Yield items for two managers, as many for each as there must be, told apart by the keys of both CRDs."""
        count = max(1, self._least)
        made = list(itertools.islice(_distinct(self._made(), self.keys), 2 * count))
        if len(made) == 2 * count:
            yield made[:count], made[count:], made

    def alike(self, same: Sequence[str], other: Sequence[str]) -> Iterator[_Values]:
        """Yield two items that are one by the keys *same* and two by *other*, with as many beside them as there must be."""
        for one, two in itertools.combinations(self._made(), 2):
            if _are_same(one, two, same) and not _are_same(one, two, other):
                beside = list(itertools.islice(_distinct(self._made(), self.keys, (one, two)), max(0, self._least - 1)))
                if len(beside) >= self._least - 1:
                    yield [one, *beside], [two, *beside], [one, two, *beside]
                return

    @property
    def _least(self) -> int:
        return max(one.least("minItems") for one in self.demands)

    def _made(self) -> Iterator[Any]:
        """Return items that are alike but for their keys; without any, all that there may be."""
        items = self.demand.items or ANYTHING
        found = self.side.maker.find(items)
        names: Collection[str] = dict.fromkeys(itertools.chain.from_iterable(self.keys))
        if not names:
            return found
        item = next((one for one in found if isinstance(one, dict)), {})
        values = [list(self.side.maker.find(items.field(name) or ANYTHING)) for name in names]
        chosen = itertools.islice(itertools.product(*values), _MOST_ITEMS)
        return ({**item, **dict(zip(names, one, strict=True))} for one in chosen)


def _distinct(items: Iterable[Any], keys: Sequence[Sequence[str]], before: Sequence[Any] = ()) -> Iterator[Any]:
    """Yield the items that differ from those *before* them in each of several sets of keys."""
    seen = [*before]
    for item in items:
        if not any(_are_same(item, other, names) for other in seen for names in keys):
            seen.append(item)
            yield item


def _are_same(one: Any, other: Any, names: Iterable[str]) -> bool:
    return all(jsonvalue.equal(one[name], other[name]) for name in names)


def _fields(side: Boundaries, demand: Demand) -> Iterator[_Values]:
    """Yield objects for two managers: with one field more than there must be, each another one, or the first alone."""
    found = [one for one in itertools.islice(side.maker.find(demand), _MOST_FIELDS) if isinstance(one, dict)]
    if not found:
        return
    base = found[0]
    free = KEYS if demand.values is not None or demand.keeps_unknown_fields else ()
    names = itertools.islice((name for name in (*demand.properties, *free) if name not in base), _MOST_FIELDS)
    more = [{**base, name: side.maker.first(demand.inner(name))} for name in names]
    pairs = itertools.chain(itertools.pairwise(more), ((one, base) for one in more), itertools.permutations(found, 2))
    chosen = ((first, second) for first, second in pairs if first.keys() - second.keys() and _agree(first, second))
    yield from ((first, second, {**first, **second}) for first, second in itertools.islice(chosen, _MOST_PAIRS))


def _agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return _are_same(one, other, one.keys() & other.keys())
