"""
Repair: an object that a server refuses is changed, one part at a time, until it accepts it.

What to change is read off the errors: where they are, which rule found them, and what the rule speaks of. The engine judges each step,
so that what is found is right whatever the guess was.
"""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pytest_crd import engine
from pytest_crd.synthesis.objectchanges import Change, Mutation
from pytest_crd.synthesis.objectplaces import Steps

Resource: TypeAlias = "dict[str, Any]"
Judge: TypeAlias = "Callable[[Resource], engine.Response]"
# How far an answer is from the one that is wanted: the less, the nearer; None where it is the one.
Distance: TypeAlias = "Callable[[engine.Response], tuple[int, ...] | None]"

# A long list may be wrong in each item: those that are repaired first tell what the others need.
_MOST_ERRORS: Final = 50


def trying(ask: Callable[..., engine.Response], **stated: Any) -> Judge:
    """
    Return what asks the server about objects that are only tried.

    Args:
        ask: The request, of a version that is not observed: no test says what such objects are answered.
        stated: What is sent beside the object.
    """

    def judge(resource: Resource) -> engine.Response:
        return ask(resource, field_validation="Strict", **stated)

    return judge


class NotFoundError(Exception):
    """
    No object was found that is answered as wanted.

    Attributes:
        nearest: The answer to the one that came nearest.
    """

    def __init__(self, nearest: engine.Response) -> None:
        """Take the answer to the nearest object."""
        super().__init__(nearest.message)
        self.nearest = nearest


@dataclass(frozen=True, slots=True)
class Keep:
    """
    What is not changed.

    Attributes:
        steps: Where something stays.
        within: Whether it stays as it is; else something has to be there.
    """

    steps: Steps
    within: bool = False

    def allows(self, change: Change) -> bool:
        """Return whether *change* leaves it."""
        return all(map(self._allows, change.parts))

    def _allows(self, move: Mutation) -> bool:
        if self.within and move.steps[: len(self.steps)] == self.steps:
            return False
        if move.steps == self.steps:
            return not move.is_removal
        return self.steps[: len(move.steps)] != move.steps


@dataclass(frozen=True, slots=True)
class KeepAll:
    """
    Several parts that are not changed.

    Attributes:
        parts: What is not changed each.
    """

    parts: tuple[Keep, ...]

    def allows(self, change: Change) -> bool:
        """Return whether *change* leaves them all."""
        return all(part.allows(change) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Search:
    """
    A search for an object.

    Attributes:
        judge: Asks the server about an object.
        distance: How far an answer is from the one that is wanted.
        mutations: Gives changes of an object that make an error go; where there is none, of an object that is accepted.
        keep: What is not changed; None where all may be.
    """

    judge: Judge
    distance: Distance
    mutations: Callable[[Resource, engine.FieldError | None], Iterator[Change]]
    keep: Keep | KeepAll | None = None

    def run(self, start: Resource, *, most: int) -> Resource:
        """
        Return the nearest object to *start* that is answered as wanted.

        Args:
            start: Where to begin.
            most: How many objects are tried before the search is given up.

        Raises:
            NotFoundError: There is none among the objects that were tried.
        """
        first = self.judge(start)
        distance = self.distance(first)
        if distance is None:
            return start
        order = itertools.count()
        seen = {_key(start)}
        nearest = (distance, first)
        queue = [(distance, next(order), self._moved(start, first))]
        while queue and most:
            distance, _, neighbours = heapq.heappop(queue)
            for moved in neighbours:
                if (key := _key(moved)) in seen:
                    continue
                seen.add(key)
                most -= 1
                answer = self.judge(moved)
                found = self.distance(answer)
                if found is None:
                    return moved
                nearest = min(nearest, (found, answer), key=lambda one: one[0])
                heapq.heappush(queue, (found, next(order), self._moved(moved, answer)))
                if found < distance or not most:
                    heapq.heappush(queue, (distance, next(order), neighbours))
                    break
        raise NotFoundError(nearest[1])

    def _moved(self, resource: Resource, answer: engine.Response) -> Iterator[Resource]:
        """Yield *resource* changed in one part each, for each error in turn."""
        found = [self.mutations(resource, error) for error in answer.errors[:_MOST_ERRORS] or (None,)]
        for round_ in itertools.zip_longest(*found):
            for move in round_:
                if move is not None and (self.keep is None or self.keep.allows(move)):
                    yield move.applied(resource)


def acceptance(answer: engine.Response) -> tuple[int, ...] | None:
    """Return how far an answer is from being accepted: errors that keep rules from being run count more than those of rules."""
    if answer.accepted:
        return None
    of_rules = sum(error.rule is not None for error in answer.errors)
    return len(answer.errors) - of_rules, of_rules


def _key(resource: Resource) -> str:
    return json.dumps(resource, sort_keys=True)
