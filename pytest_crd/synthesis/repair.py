"""
Repair: changes to a refused object, one part at a time, until the server accepts it.

The changes are derived from the errors: their places, the rules that failed, and the fields of these rules. The engine judges each step, so
a wrong guess does no harm.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pytest_crd import engine
from pytest_crd.synthesis import objectchanges
from pytest_crd.synthesis.objectchanges import Change, Mutation
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.recentanswers import RecentAnswers

Resource: TypeAlias = "dict[str, Any]"
Judge: TypeAlias = "Callable[[Resource], engine.Response]"
# The distance of an answer from the wanted one: the less, the nearer; None if it is the wanted one.
Distance: TypeAlias = "Callable[[engine.Response], tuple[int, ...] | None]"

# A long list may have an error in each item; fixing the first ones shows how to fix the rest.
_MOST_ERRORS: Final = 50


def create_judge(send: Callable[..., engine.Response], **arguments: Any) -> Judge:
    """
    Return a judge that sends trial objects to the server, each once.

    Args:
        send: The request method of an unobserved version, so that trials do not count as a test's requests.
        **arguments: Further arguments of the request.
    """
    return RecentAnswers(functools.partial(send, field_validation="Strict", **arguments))


class NotFoundError(Exception):
    """
    No object with the wanted answer was found.

    Attributes:
        nearest: The answer with the least distance.
    """

    def __init__(self, nearest: engine.Response) -> None:
        """Create the error from the nearest answer."""
        super().__init__(nearest.message)
        self.nearest = nearest


@dataclass(frozen=True, slots=True)
class Keep:
    """
    A part that must not change.

    Attributes:
        steps: The steps of the part.
        within: Whether its value must stay equal; else the part must only exist.
    """

    steps: Steps
    within: bool = False

    def allows(self, change: Change) -> bool:
        """Return True if *change* respects the restriction."""
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
    Several parts that must not change.

    Attributes:
        parts: The parts.
    """

    parts: tuple[Keep, ...]

    def allows(self, change: Change) -> bool:
        """Return True if *change* respects all restrictions."""
        return all(part.allows(change) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Search:
    """
    A search for an object with a wanted answer.

    Attributes:
        judge: The request that answers for an object.
        distance: The distance of an answer from the wanted one.
        mutations: Returns changes that may remove an error; called with None for an accepted object.
        keep: The parts that must not change; None if all may.
    """

    judge: Judge
    distance: Distance
    mutations: Callable[[Resource, engine.FieldError | None], Iterator[Change]]
    keep: Keep | KeepAll | None = None

    def run(self, start: Resource, *, most: int) -> Resource:
        """
        Return the nearest object to *start* with the wanted answer.

        Args:
            start: The first object.
            most: The number of objects to try.

        Raises:
            NotFoundError: None of the tried objects has the wanted answer.
        """
        first = self.judge(start)
        distance = self.distance(first)
        if distance is None:
            return start
        order = itertools.count()
        keys = {_key(start)}
        nearest = (distance, first)
        queue = [(distance, next(order), self._neighbours(start, first))]
        while queue and most:
            distance, _, neighbours = heapq.heappop(queue)
            for moved in neighbours:
                if (key := _key(moved)) in keys:
                    continue
                keys.add(key)
                most -= 1
                answer = self.judge(moved)
                new_distance = self.distance(answer)
                if new_distance is None:
                    return moved
                nearest = min(nearest, (new_distance, answer), key=lambda item: item[0])
                heapq.heappush(queue, (new_distance, next(order), self._neighbours(moved, answer)))
                if new_distance < distance or not most:
                    heapq.heappush(queue, (distance, next(order), neighbours))
                    break
        raise NotFoundError(nearest[1])

    def _neighbours(self, resource: Resource, answer: engine.Response) -> Iterator[Resource]:
        """Yield variants of *resource*, each with one change, taking the errors in turn."""
        changes = [self.mutations(resource, error) for error in answer.errors[:_MOST_ERRORS] or (None,)]
        for move in objectchanges.take_turns(changes):
            if self.keep is None or self.keep.allows(move):
                yield move.applied(resource)


def acceptance(answer: engine.Response) -> tuple[int, ...] | None:
    """Return the numbers of errors outside and inside of rules; None if accepted. The first prevent rules from running."""
    if answer.accepted:
        return None
    rule_errors = sum(error.rule is not None for error in answer.errors)
    return len(answer.errors) - rule_errors, rule_errors


def _key(resource: Resource) -> str:
    return json.dumps(resource, sort_keys=True)
