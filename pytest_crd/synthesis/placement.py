"""
Placement: accepted objects with a value at a given place of the schema.

They are built from outside in: an item is placed into an accepted object that has the list.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from pytest_crd import engine
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.synthesis import exampleobjects, mutations, objectplaces, repair
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.mutations import Mutator
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.repair import Judge, Keep, NotFoundError, Resource, Search
from pytest_crd.synthesis.rulegoals.rulestates import RuleGoals
from pytest_crd.synthesis.schemavalues import Maker

# An object, and the steps of a value in it.
PlacedValue: TypeAlias = "tuple[Resource, Steps]"

STATUS: Final = "status"
# The numbers of objects to try around a given value and around any value, and the number of values to try.
_MOST_TRIALS: Final = 60
_MOST_TO_EXIST: Final = 150
# A large object takes long to judge, and its errors repeat in each part.
_LARGE: Final = 1000
_MOST_OF_LARGE: Final = 5
_MOST_TRIED: Final = 12
_LIST_TYPE: Final = "x-kubernetes-list-type"
# Keywords with branches, which read other fields too.
_CHOICES: Final = frozenset({"anyOf", "oneOf", "not"})
# The key of a map without rules about keys, and the number of others to try.
_KEY: Final = "key"
_MOST_KEYS: Final = 16


class Placer:
    """
    A source of objects of one version, based on its smallest object.

    Attributes:
        version: The version.
        root: The demand on the whole object.
        start: The smallest object.
        maker: The source of values.
        goals: The solver that makes rules true or false.
        mutator: The source of changes to objects.
    """

    def __init__(self, version: engine.CrdVersion) -> None:
        """
        Make the smallest object.

        Raises:
            NoExampleError: No accepted object is known.
        """
        self.version = version
        self.root = Demand.of_version(version)
        self.maker = Maker()
        self.goals = RuleGoals(version, self.root, self.maker)
        self.mutator = Mutator(self.root, self.maker, self.goals)
        self.start = exampleobjects.example(version)
        self._head = {name: self.start[name] for name in ("apiVersion", "kind", "metadata")}
        self._existing: dict[Place, PlacedValue | None] = {}
        self._keys: dict[Place, tuple[str, ...]] = {}

    def subresource(self, place: Place) -> str:
        """Return the subresource through which the value at *place* is written: `status`, or empty for the main resource."""
        return STATUS if self.version.has_status and place[:1] == (STATUS,) else ""

    def judge(self, place: Place) -> Judge:
        """Return the judge of objects with a value at *place*: a create, or an update of the status."""
        return self._judge_of_status if self.subresource(place) else self._judge_of_object

    def existing(self, place: Place) -> PlacedValue | None:
        """Return an accepted object with a value at *place*; None if none was found."""
        if place not in self._existing:
            self._existing[place] = self._make(place) if place else (self.start, ())
        return self._existing[place]

    def place_value(self, place: Place, value: Any) -> PlacedValue | None:
        """Return an accepted object with *value* at *place*; None if none was found."""
        base = self.existing(place) or self.insert_value(place, value)
        if base is None:
            return None
        resource, steps = base
        placed = objectplaces.replace_value(resource, steps, value) if steps else {**resource, **value, **self._head}
        most = _MOST_TRIALS if _size(value) < _LARGE else _MOST_OF_LARGE
        return self._repair(place, placed, steps, Keep(steps, within=True), most)

    def _judge_with_value(self, place: Place, steps: Steps) -> Judge:
        """Return the judge of objects that keep the value at *steps*; it ends the search if the server refuses the value in any object."""
        judge = self.judge(place)

        def judge_or_end(resource: Resource) -> engine.Response:
            answer = judge(resource)
            if not answer.accepted and self._is_refused_anywhere(answer, resource, steps):
                raise NotFoundError(answer)
            return answer

        return judge_or_end

    def _is_refused_anywhere(self, answer: engine.Response, resource: Resource, steps: Steps) -> bool:
        """Return True if no change beside the value at *steps* helps a refused object."""
        if any(_is_of_value(error, steps) for error in answer.errors):
            return True
        return any(map(_is_of_decoding, answer.errors)) and self._loses_part(resource, steps)

    def _make(self, place: Place) -> PlacedValue | None:
        for value in itertools.islice(self.maker.find_values(self.node(place)), _MOST_TRIED):
            placed = self.insert_value(place, value)
            if placed is not None:
                resource, steps = placed
                if self._is_dropped(resource, steps):
                    return None  # no change elsewhere and no other value helps
                accepted = self._repair(place, resource, steps, Keep(steps), _MOST_TO_EXIST)
                if accepted is not None:
                    return accepted
        return None

    def _is_dropped(self, resource: Resource, steps: Steps) -> bool:
        """Return True if the server prunes the value at *steps*."""
        pruned = self._prune(resource)
        return pruned is not None and bool(objectplaces.split_path(pruned, steps)[1])

    def _loses_part(self, resource: Resource, steps: Steps) -> bool:
        """Return True if the server prunes the value at *steps*, or a field inside it."""
        pruned = self._prune(resource)
        if pruned is None:
            return False
        if objectplaces.split_path(pruned, steps)[1]:
            return True
        return not jsonvalue.equal(objectplaces.get_value(pruned, steps), objectplaces.get_value(resource, steps))

    def _prune(self, resource: Resource) -> Resource | None:
        """Return *resource* as the server prunes it; None if another value cannot be decoded."""
        try:
            pruned: Resource = self.version.unobserved.prune(resource).value
        except engine.DecodeError:
            return None
        return pruned

    def _repair(self, place: Place, resource: Resource, steps: Steps, keep: Keep, most: int) -> PlacedValue | None:
        judge = self._judge_with_value(place, steps) if keep.within else self.judge(place)
        search = Search(judge, repair.acceptance, self.mutator.find_changes, keep=keep)
        try:
            return search.run(resource, most=most), steps
        except NotFoundError:
            return None

    def place_first_value(self, place: Place, values: Iterable[Any]) -> PlacedValue | None:
        """Return an accepted object with the first of *values* at *place* that allows one; None if none does."""
        attempts = (self.place_value(place, value) for value in itertools.islice(values, _MOST_TRIED))
        return next((placed for placed in attempts if placed is not None), None)

    def node(self, place: Place) -> Demand:
        """Return the demand on the value at *place*; `ANYTHING` if it is unspecified."""
        return self.root.at(place)

    def insert_value(self, place: Place, value: Any) -> PlacedValue | None:
        """Return an object with *value* at *place*, accepted or not; None if no accepted object has the parent."""
        outer = self.existing(place[:-1])
        if outer is None:
            return None
        resource, steps = outer
        parent, step = objectplaces.get_value(resource, steps), place[-1]
        if not isinstance(parent, list if step is Each.ITEM else dict):
            return None
        if step is Each.ITEM:
            return objectplaces.replace_value(resource, steps, [value, *parent[1:]]), (*steps, 0)
        inner = (*steps, self._choose_key(place, outer, value) if step is Each.VALUE else step)
        return objectplaces.replace_value(resource, inner, value), inner

    def _choose_key(self, place: Place, outer: PlacedValue, value: Any) -> str:
        """Return a key of the map in *outer*; for an empty map, the key with which the server has the fewest errors."""
        resource, steps = outer
        if key := next(iter(objectplaces.get_value(resource, steps)), ""):
            return str(key)
        if place not in self._keys:
            literals = [
                literal
                for depth in range(len(place))
                for rule in self.node(place[:depth]).structure.get(RULES) or ()
                for literal in mutations.find_literals(rule["rule"])
            ]
            texts = [text for text in dict.fromkeys(literals) if isinstance(text, str) and text]
            self._keys[place] = (_KEY, *texts[:_MOST_KEYS])
        if len(self._keys[place]) == 1:
            return _KEY
        trials = {key: objectplaces.replace_value(resource, (*steps, key), value) for key in self._keys[place]}
        return min(trials, key=lambda key: len(self.judge(place)(trials[key]).errors))

    def judge_of_change(self, place: Place, old: Resource) -> Judge:
        """Return the judge of updates that replace *old*, an accepted object with a value at *place*."""
        stored = self.judge(place)(old).stored
        version = self.version.unobserved
        write = version.update_status if self.subresource(place) else version.update
        return repair.create_judge(write, old=stored)

    @functools.cached_property
    def _judge_of_object(self) -> Judge:
        return repair.create_judge(self.version.unobserved.create)

    @functools.cached_property
    def _judge_of_status(self) -> Judge:
        stored = self._judge_of_object(self.start).stored
        return repair.create_judge(self.version.unobserved.update_status, old=stored)


def _is_of_value(error: engine.FieldError, steps: Steps) -> bool:
    """Return True if the schema refuses the value at *steps*, or a part of it, in any object."""
    if error.origin is None or error.rule is not None or error.path is None or error.path.steps[: len(steps)] != steps:
        return False
    # Other items decide about the type of a list, and other fields about branches around the value.
    return error.origin.keyword != _LIST_TYPE and _CHOICES.isdisjoint(error.origin.schema)


def _is_of_decoding(error: engine.FieldError) -> bool:
    return error.type is ErrorType.REQUEST


def _size(value: Any) -> int:
    return len(value) if isinstance(value, list | dict) else 1
