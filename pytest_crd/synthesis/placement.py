"""
Placement: accepted objects in which something stands at a place of the schema.

They are made from outside in: the object that has a list is the one that an item is put into.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd import engine
from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis import exampleobjects, objectplaces, repair
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.mutations import Mutator
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.repair import Judge, Keep, NotFoundError, Resource, Search
from pytest_crd.synthesis.rulegoals.rulestates import RuleGoals
from pytest_crd.synthesis.schemavalues import Maker

# An object, and where in it something stands.
Held: TypeAlias = "tuple[Resource, Steps]"

STATUS: Final = "status"
# How many objects are tried around one value, and to have one at all; and how many values.
_MOST_TRIALS: Final = 60
_MOST_TO_EXIST: Final = 150
# Objects with so many parts take long to be judged, and what is wrong in them is wrong in each part.
_LARGE: Final = 1000
_MOST_OF_LARGE: Final = 5
_MOST_TRIED: Final = 12


class Placer:
    """
    Makes objects of one version, from its smallest one on.

    Attributes:
        version: The version.
        root: What its schema asks of an object.
        start: The smallest object.
        maker: Makes values.
        goals: Makes rules true or false.
        mutator: Changes objects.
    """

    def __init__(self, version: engine.Version) -> None:
        """
        Make the smallest object.

        Raises:
            NoExampleError: There is none.
        """
        self.version = version
        self.root = Demand.of_version(version)
        self.maker = Maker()
        self.goals = RuleGoals(version, self.root, self.maker)
        self.mutator = Mutator(self.root, self.maker, self.goals)
        self.start = exampleobjects.example(version)
        self._head = {name: self.start[name] for name in ("apiVersion", "kind", "metadata")}
        self._existing: dict[Place, Held | None] = {}

    def subresource(self, place: Place) -> str:
        """Return the subresource by which what is at *place* is written: `status`, or empty for the object itself."""
        return STATUS if self.version.has_status and place[:1] == (STATUS,) else ""

    def judge(self, place: Place) -> Judge:
        """Return what asks the server about objects with something at *place*."""
        return self._judge_of_status if self.subresource(place) else self._judge_of_object

    def existing(self, place: Place) -> Held | None:
        """Return an accepted object in which there is something at *place*; None where none was found."""
        if place not in self._existing:
            self._existing[place] = self._made(place) if place else (self.start, ())
        return self._existing[place]

    def holding(self, place: Place, value: Any) -> Held | None:
        """Return an accepted object with *value* at *place*; None where none was found."""
        base = self.existing(place) or self.placed(place, value)
        if base is None:
            return None
        resource, steps = base
        placed = objectplaces.replaced(resource, steps, value) if steps else {**resource, **value, **self._head}
        most = _MOST_TRIALS if _size(value) < _LARGE else _MOST_OF_LARGE
        return self._accepted(place, placed, steps, Keep(steps, within=True), most)

    def _made(self, place: Place) -> Held | None:
        for value in itertools.islice(self.maker.find(self.node(place)), _MOST_TRIED):
            placed = self.placed(place, value)
            if placed is not None:
                resource, steps = placed
                if self._is_dropped(resource, steps):
                    return None  # whatever else is changed, and whatever stands there
                found = self._accepted(place, resource, steps, Keep(steps), _MOST_TO_EXIST)
                if found is not None:
                    return found
        return None

    def _is_dropped(self, resource: Resource, steps: Steps) -> bool:
        """Return whether the server drops what stands at *steps*, as no schema specifies it."""
        try:
            kept = self.version.unobserved.prune(resource).value
        except engine.DecodeError:  # of something else that stands there
            return False
        for step in steps:
            if isinstance(kept, Mapping) and step not in kept:
                return True
            kept = objectplaces.at(kept, (step,))
        return False

    def _accepted(self, place: Place, resource: Resource, steps: Steps, keep: Keep, most: int) -> Held | None:
        search = Search(self.judge(place), repair.acceptance, self.mutator.find, keep=keep)
        try:
            return search.run(resource, most=most), steps
        except NotFoundError:
            return None

    def first_holding(self, place: Place, values: Iterable[Any]) -> Held | None:
        """Return an accepted object with the first of *values* at *place* with which there is one."""
        found = (self.holding(place, value) for value in itertools.islice(values, _MOST_TRIED))
        return next((one for one in found if one is not None), None)

    def node(self, place: Place) -> Demand:
        """Return what is asked of the value at *place*: nothing where a schema does not specify it."""
        return self.root.at(place)

    def placed(self, place: Place, value: Any) -> Held | None:
        """Return an object with *value* at *place*, which need not be accepted, and where that is."""
        outer = self.existing(place[:-1])
        if outer is None:
            return None
        resource, steps = outer
        parent, step = objectplaces.at(resource, steps), place[-1]
        if not isinstance(parent, list if step is Each.ITEM else dict):
            return None
        if step is Each.ITEM:
            return objectplaces.replaced(resource, steps, [value, *parent[1:]]), (*steps, 0)
        named = self.node(place[:-1]).properties
        inner = (*steps, next((key for key in parent if key not in named), "key") if step is Each.VALUE else step)
        return objectplaces.replaced(resource, inner, value), inner

    def judge_of_change(self, place: Place, old: Resource) -> Judge:
        """Return what asks the server to replace *old*, an accepted object with something at *place*."""
        stored = self.judge(place)(old).stored
        version = self.version.unobserved
        write = version.update_status if self.subresource(place) else version.update
        return repair.trying(write, old=stored)

    @functools.cached_property
    def _judge_of_object(self) -> Judge:
        return repair.trying(self.version.unobserved.create)

    @functools.cached_property
    def _judge_of_status(self) -> Judge:
        stored = self._judge_of_object(self.start).stored
        return repair.trying(self.version.unobserved.update_status, old=stored)


def _size(value: Any) -> int:
    return len(value) if isinstance(value, list | dict) else 1
