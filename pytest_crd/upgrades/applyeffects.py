"""
Effects of changed list and map types on server-side apply.

Two field managers apply values under the old CRD, and the same values under the new CRD. A manager also omits fields under the new CRD that
it applied under the old one.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from pytest_crd.engine import CrdVersion, Response
from pytest_crd.engine.schema.ownertypes import LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import Boundaries
from pytest_crd.upgrades import trials
from pytest_crd.upgrades.mending import Mender
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.trials import FIRST, SECOND, ApplyTrial, Situation
from pytest_crd.upgrades.upgradefindings import Finding, Kind, ManagerApply, Witness, path_of

# Merge strategies of schemas that do not declare any; if several keywords differ at one place, the first in this order is reported.
_DEFAULT_STRATEGIES: Final = {LIST_TYPE: "atomic", MAP_TYPE: "granular", LIST_MAP_KEYS: "none"}
# Part of the server's message for an item of a set of objects, which no manager can own.
_NO_ELEMENT: Final = "associative list without keys has an element"
_STAYS: Final = "an object that is stored stays as it is when one of them applies the same again"
_IS_LOST: Final = "of an object that is stored, one of them that applies the same again removes what the other applied"
_IS_REFUSED: Final = "of an object that is stored, one of them that applies the same again is refused"
_CONFLICTS: Final = "of an object that is stored, one of them that applies the same again is refused with a conflict, or takes the other's by force"


class _Outcome(enum.Enum):
    """Outcomes of two managers' applies, each worded for the time before and the time after an upgrade."""

    KEPT = ("both were kept", "both are kept")
    REPLACED = (
        "the second was refused with a conflict, or replaced {} by force",
        "the second is refused with a conflict, or replaces {} by force",
    )
    REFUSED = ("any apply of it was refused", "any apply of it is refused")


class MergeChange(NamedTuple):
    """
    A list or an object that server-side apply merges differently under the new CRD.

    Attributes:
        differences: The keywords that differ there; the first is reported.
        words: The name and both values of the keyword: `x-kubernetes-list-type: map → atomic`.
    """

    differences: tuple[Difference, ...]
    words: str

    @property
    def place(self) -> Place:
        """The place of the list or object in the schema."""
        return self.differences[0].place

    @property
    def notice(self) -> str:
        """The notice that is reported if no object shows the change."""
        return f"{path_of(self.place)}: {self.words}: server-side apply merges it otherwise"

    def situations(self, sides: Sequence[Boundaries]) -> Iterator[Situation]:
        """Yield the ways in which two managers can apply to the place; nothing for the root object, as its fields have other rules."""
        if self.place:
            is_object = self.differences[0].keyword == MAP_TYPE
            yield from (trials.find_object_situations if is_object else trials.find_list_situations)(self.place, sides)


def changes(differences: Iterable[Difference], versions: tuple[str, str]) -> Iterator[MergeChange]:
    """
    Yield the lists and objects that server-side apply merges differently.

    Args:
        differences: The differences of the two schemas.
        versions: The requested versions, old and new. Requests are merged in these, so differences between storage versions are ignored.
    """
    groups: dict[Place, list[Difference]] = {}
    for keyword in _DEFAULT_STRATEGIES:
        for difference in differences:
            if difference.keyword == keyword and difference.versions == versions:
                groups.setdefault(difference.place, []).append(difference)
    for group in groups.values():
        first = group[0]
        yield MergeChange(
            tuple(group),
            f"{first.keyword}: {_strategy_text(first.before, first)} → {_strategy_text(first.after, first)}",
        )


def _strategy_text(value: Any, difference: Difference) -> str:
    strategy = value or _DEFAULT_STRATEGIES[difference.keyword]
    return strategy if isinstance(strategy, str) else ", ".join(strategy)


def judge_merge_change(
    change: MergeChange, old: Subject, new: Subject, sides: Sequence[Boundaries]
) -> list[Finding] | None:
    """
    Return the findings of a merge change; an empty list if a parent has one owner, None if the outcome is unknown.

    Args:
        change: The place that is merged differently.
        old: The version of the old CRD.
        new: The version of the new CRD.
        sides: Boundaries of both CRDs, which make objects that the CRDs accept.
    """
    if old.version.unknown_when_stored or new.version.unknown_when_stored:
        return None
    results = [_find_trial_findings(change, situation, (old, new), sides) for situation in change.situations(sides)]
    conclusive = [findings for findings in results if findings is not None]
    return list(itertools.chain.from_iterable(conclusive)) if conclusive else None


def _find_trial_findings(
    change: MergeChange, situation: Situation, subjects: tuple[Subject, Subject], sides: Sequence[Boundaries]
) -> list[Finding] | None:
    """Return the findings of the first trial that has an outcome under both CRDs; None if there is no such trial."""
    old, new = (subject.version for subject in subjects)
    mender = Mender(subjects[1])
    for trial in trials.find_trials(situation, change.place, sides):
        mended = replace(trial, resource=mender.mend(trial.resource))
        before, after = _apply_both(old, trial), _apply_both(new, mended)
        if before.outcome is not None and after.outcome is not None:
            observation = _Observation(change, situation, old, new, trial, mended)
            leftovers = [observation.leftover_finding()] if situation.is_apart and observation.has_leftovers() else []
            return (
                leftovers
                if before.outcome is after.outcome
                else [observation.conflict_finding(before, after), *leftovers]
            )
    return None


class _Result(NamedTuple):
    """The last answer to two managers' applies, and the outcome; None for any other outcome."""

    answer: Response
    outcome: _Outcome | None


def _apply_both(version: CrdVersion, trial: ApplyTrial) -> _Result:
    """Return the result of two managers' applies under one CRD."""
    begun = trial.begin(version, trial.first)
    if not begun.accepted:
        # For an item of a list, the server refuses the list around it.
        is_refused = isinstance(trial.first, list) and _NO_ELEMENT in begun.message
        return _Result(begun, _Outcome.REFUSED if is_refused else None)
    answer = trial.apply(version, trial.second, SECOND, begun)
    if answer.accepted:
        return _Result(answer, _Outcome.KEPT if trial.is_stored(trial.both, answer) else None)
    if answer.conflicts:
        forced = trial.apply(version, trial.second, SECOND, begun, force=True)
        if forced.accepted and trial.is_stored(trial.second, forced) and not trial.is_stored(trial.first, forced):
            return _Result(answer, _Outcome.REPLACED)
    return _Result(answer, None)


def describe_reapply(trial: ApplyTrial, mended: ApplyTrial, old: CrdVersion, new: CrdVersion) -> str:
    """
    Return in words the effect on a stored object of two managers when one manager repeats its apply.

    Args:
        trial: The values that the managers apply.
        mended: The same values in an object with the fields that the new CRD demands.
        old: The version under which the object is created.
        new: The version under which the apply is repeated.
    """
    stored = trial.apply(old, trial.second, SECOND, trial.begin(old, trial.first))
    answer = mended.apply(new, trial.second, SECOND, stored)
    if answer.accepted:
        return _STAYS if trial.is_stored(trial.both, answer) else _IS_LOST
    return _CONFLICTS if answer.conflicts else _IS_REFUSED


@dataclass(frozen=True, slots=True)
class _Observation:
    """The observation of one trial under both CRDs."""

    change: MergeChange
    situation: Situation
    old: CrdVersion
    new: CrdVersion
    trial: ApplyTrial
    mended: ApplyTrial

    def conflict_finding(self, before: _Result, after: _Result) -> Finding:
        """Return the finding for a changed outcome of two managers' applies."""
        was, is_now = before.outcome, after.outcome
        assert was is not None  # noqa: S101 - outcomes are known here
        assert is_now is not None  # noqa: S101
        outcomes = f"before, {was.value[0]}; now {is_now.value[1]}".format(self.situation.contested)
        words = f"two managers {self.situation.each} {self._path}: {outcomes} ({self.change.words})"
        kind, note = Kind.WIDENED, ""
        if is_now is _Outcome.REFUSED:
            kind = Kind.REFUSED
        elif was is _Outcome.KEPT:
            kind, note = Kind.DATA_LOSS, describe_reapply(self.trial, self.mended, self.old, self.new)
        applied = (ManagerApply(FIRST, self.trial.first), ManagerApply(SECOND, self.trial.second))
        return self._finding(kind, words, applied, (before.answer, after.answer), note)

    def has_leftovers(self) -> bool:
        """Return True if fields that a manager no longer applies stay in stored objects under the new CRD only."""
        before, after = self._apply_reduced(self.old, self.trial), self._apply_reduced(self.new, self.mended)
        was_there, is_there = (self.trial.is_stored(self.trial.first, answer) for answer in (before, after))
        return before.accepted and is_there and not was_there

    def _apply_reduced(self, version: CrdVersion, trial: ApplyTrial) -> Response:
        begun = self.trial.begin(self.old, self.trial.both)
        return trial.apply(version, trial.second, FIRST, begun)

    def leftover_finding(self) -> Finding:
        """Return the finding for fields that stay after their manager no longer applies them."""
        words = (
            f"{self.situation.parts} of {self._path} that were applied before the upgrade stay when their manager applies them no "
            f"more; before, they were removed ({self.change.words})"
        )
        applied = (ManagerApply(FIRST, self.trial.both), ManagerApply(FIRST, self.trial.second))
        answers = self._apply_reduced(self.old, self.trial), self._apply_reduced(self.new, self.mended)
        return self._finding(Kind.WARNED, words, applied, answers)

    def _finding(
        self,
        kind: Kind,
        words: str,
        applied: tuple[ManagerApply, ManagerApply],
        answers: tuple[Response, Response],
        note: str = "",
    ) -> Finding:
        whole = tuple(apply._replace(resource=self.trial.place_value(apply.resource)) for apply in applied)
        witness = Witness(whole[0].resource, *answers, note, applied=whole)
        lines = (self.change.differences[0].lines(self.old.crd, self.new.crd),)
        return Finding(kind, self._path, words, (self.old.name,), lines, witness)

    @property
    def _path(self) -> str:
        return path_of(self.change.place)
