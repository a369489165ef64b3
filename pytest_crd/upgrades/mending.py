"""
Mended objects: refused objects after their owner gave them the fields and values that a CRD demands.

A missing field or a forbidden value keeps the server from evaluating rules. Rules that the mended object breaks are effects of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_crd.engine import Response
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import Boundaries, objectplaces
from pytest_crd.synthesis.objectchanges import value_at
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.schemavalues import Maker
from pytest_crd.upgrades import effects
from pytest_crd.upgrades.effects import Change
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Kind, Resource, Witness

# Errors that another value at their path mends.
_MENDABLE: Final = frozenset(
    {
        ErrorType.REQUIRED,
        ErrorType.NOT_SUPPORTED,
        ErrorType.TYPE_INVALID,
        ErrorType.TOO_LONG,
    }
)
_MOST_ROUNDS: Final = 3
_MOST_VALUES: Final = 4


class Mender:
    """
    The mending of objects for one version of a CRD.

    Attributes:
        subject: The version.
    """

    def __init__(self, subject: Subject, side: Boundaries | None = None) -> None:
        """Create for a version; *side* makes objects that it accepts, if any are known."""
        self.subject = subject
        self._side = side

    def mend(self, resource: Resource) -> Resource:
        """Return *resource* mended; unchanged if it needs no mending, or if mending fails."""
        return next(self.find_variants(resource), resource)

    def find_variants(self, resource: Resource) -> Iterator[Resource]:
        """Yield *resource* mended with different values; nothing if it needs no mending, or if mending fails."""
        if not self._errors(resource):
            return
        for index in range(_MOST_VALUES + 1):
            mended = resource
            for _ in range(_MOST_ROUNDS):
                for steps in _outermost(self._errors(mended)):
                    mended = self._replace(mended, steps, index)
            if not self._errors(mended):
                yield mended

    def _errors(self, resource: Resource) -> list[Steps]:
        errors = self.subject.write(resource).errors
        places = [error.path.steps for error in errors if error.type in _MENDABLE and error.path]
        return [steps for place in places if (steps := _without_defaulted_parts(resource, place))]

    def _replace(self, resource: Resource, steps: Steps, index: int) -> Resource:
        """Return *resource* with the value number *index* at *steps*."""
        values = self._values(schemamap.place_in(steps, self.subject.version.schema_map))
        changed: Resource = objectplaces.replace_value(resource, steps, values[index % len(values)])
        return changed

    def _values(self, place: Place) -> list[Any]:
        """Return values for *place*, first the value of an accepted object if one is known."""
        placed = self._side.existing(place) if self._side else None
        values = [] if placed is None else [objectplaces.get_value(*placed)]
        return [*values, *itertools.islice(Maker().find_values(self.subject.root.at(place)), _MOST_VALUES)] or [None]


def _without_defaulted_parts(resource: Resource, steps: Steps) -> Steps:
    """Return *steps* as far as the first list that *resource* lacks, or the first null: what is inside comes from a default."""
    value: Any = resource
    for number, step in enumerate(steps):
        is_lacking = not isinstance(value, list) if isinstance(step, int) else value is None
        if is_lacking:
            return steps[:number]
        value = value_at(value, (step,))
    return steps


def _outermost(places: Iterable[Steps]) -> list[Steps]:
    """Return places without those below another: its new value may have no such field."""
    kept: list[Steps] = []
    for steps in sorted(places, key=len):
        if not any(steps[: len(outer)] == outer for outer in kept):
            kept.append(steps)
    return kept


def find_mended_change(resource: Resource, old: Mender, new: Mender) -> Change:
    """
    Return the refusals that persist however an object is mended for the new CRD; none if it needs no mending.

    Args:
        resource: The object; fields unknown to the old CRD are left out, and it is mended for the old CRD.
        old: Mends for the old CRD.
        new: Mends for the new CRD.
    """
    first = old.subject.write(resource)
    if any(error.type is ErrorType.REQUEST for error in first.errors):
        return Change((), Witness(resource, first, first))  # the server cannot decode the object
    accepted = old.mend(old.subject.version.passes.prune(resource, drop_malformed=True).value)
    before = old.subject.write(accepted)
    answers = [(mended, new.subject.write(mended)) for mended in new.find_variants(accepted)] if before.accepted else []
    refusals = [_new_refusals(*answer, old.subject, new.subject) for answer in answers]
    lasting = [item for item in refusals[0] if all(_has(others, item) for others in refusals)] if refusals else []
    mended, after = answers[0] if answers else (accepted, before)
    return Change(tuple(lasting), Witness(mended, before, after))


def _new_refusals(mended: Resource, answer: Response, old: Subject, new: Subject) -> list[Effect]:
    """Return the refusals in the answer of the new CRD that the old CRD does not have, too."""
    before = list(effects.refusals(old.write(mended), old, new, Kind.REFUSED))
    return [item for item in effects.refusals(answer, old, new, Kind.REFUSED) if not _has(before, item)]


def _has(others: Iterable[Effect], effect: Effect) -> bool:
    return any(effects.is_same(item, effect) for item in others)
