"""
Server-side applies: what becomes of a list or an object whose type, and so who owns what of it, differs between two CRDs.

Two managers each apply something under one CRD, and under the other; and what was applied under the old CRD is left out under the new one.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pytest_crd.engine import Response, Version
from pytest_crd.engine.schema.ownertypes import LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import Boundaries
from pytest_crd.upgrades import trials
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.trials import FIRST, SECOND, ApplyTrial, Situation
from pytest_crd.upgrades.upgradefindings import Finding, Kind, ManagerApply, Witness, path_of
from pytest_crd.upgrades.upgradesubject import Subject

# How lists and objects are merged that say nothing of it; of the keywords that differ at one place, the first says most.
_UNSAID: Final = {LIST_TYPE: "atomic", MAP_TYPE: "granular", LIST_MAP_KEYS: "none"}
# What is said of an item by which nobody can be told to own it: of a set of objects.
_NO_ELEMENT: Final = "associative list without keys has an element"
_STAYS: Final = "an object that is stored stays as it is when one of them applies the same again"
_IS_LOST: Final = "of an object that is stored, one of them that applies the same again removes what the other applied"
_IS_REFUSED: Final = "of an object that is stored, one of them that applies the same again is refused"
_CONFLICTS: Final = "of an object that is stored, one of them that applies the same again is refused with a conflict, or takes the other's by force"


class _Outcome(enum.Enum):
    """What comes of what two managers apply: as it was told before an upgrade, and as it is now."""

    KEPT = ("both were kept", "both are kept")
    REPLACED = (
        "the second was refused with a conflict, or replaced {} by force",
        "the second is refused with a conflict, or replaces {} by force",
    )
    REFUSED = ("any apply of it was refused", "any apply of it is refused")


class MergeChange(NamedTuple):
    """
    A list or an object that is merged otherwise.

    Attributes:
        differences: The keywords that differ there; the first is the one that is told.
        words: Its name and both values: `x-kubernetes-list-type: map → atomic`.
    """

    differences: tuple[Difference, ...]
    words: str

    @property
    def place(self) -> Place:
        """Where it is."""
        return self.differences[0].place

    @property
    def notice(self) -> str:
        """What is told where no object shows it."""
        return f"{path_of(self.place)}: {self.words}: server-side apply merges it otherwise"

    def situations(self, sides: Sequence[Boundaries]) -> Iterator[Situation]:
        """Yield what managers may do there; nothing for a whole object, of which a part has other rules."""
        if self.place:
            is_object = self.differences[0].keyword == MAP_TYPE
            yield from (trials.of_object if is_object else trials.of_list)(self.place, sides)


def changes(differences: Iterable[Difference], versions: tuple[str, str]) -> Iterator[MergeChange]:
    """
    Yield the lists and objects that are merged otherwise.

    Args:
        differences: What differs.
        versions: The versions that are asked for, in which requests are merged: what differs in that which is stored counts for none.
    """
    found: dict[Place, list[Difference]] = {}
    for keyword in _UNSAID:
        for one in differences:
            if one.keyword == keyword and one.versions == versions and _said(one.before, one) != _said(one.after, one):
                found.setdefault(one.place, []).append(one)
    for group in found.values():
        first = group[0]
        yield MergeChange(tuple(group), f"{first.keyword}: {_said(first.before, first)} → {_said(first.after, first)}")


def _said(value: Any, difference: Difference) -> str:
    said = value or _UNSAID[difference.keyword]
    return said if isinstance(said, str) else ", ".join(said)


def find(change: MergeChange, old: Subject, new: Subject, sides: Sequence[Boundaries]) -> list[Finding] | None:
    """
    Return what a change does to what is applied: nothing, where it is inside of what has one owner; None where nobody knows.

    Args:
        change: Where it is merged otherwise.
        old: The version of the old CRD.
        new: The version of the new CRD.
        sides: What makes objects that the CRDs take.
    """
    if old.version.unknown_when_stored or new.version.unknown_when_stored:
        return None
    shown = [_shown(change, one, old.version, new.version, sides) for one in change.situations(sides)]
    known = [one for one in shown if one is not None]
    return [finding for found in known for finding in found] if known else None


def _shown(
    change: MergeChange, situation: Situation, old: Version, new: Version, sides: Sequence[Boundaries]
) -> list[Finding] | None:
    """Return what the first trial shows of which it is known under both CRDs what comes of it; None where there is none."""
    for trial in trials.of(situation, change.place, sides):
        before, after = (_together(version, trial) for version in (old, new))
        if before.outcome is not None and after.outcome is not None:
            shown = _Shown(change, situation, old, new, trial)
            found = [shown.of_one()] if situation.is_apart and shown.is_left() else []
            return found if before.outcome is after.outcome else [shown.of_two(before, after), *found]
    return None


class _Result(NamedTuple):
    """The last answer to what two managers apply, and what comes of it; None where that is anything else."""

    answer: Response
    outcome: _Outcome | None


def _together(version: Version, trial: ApplyTrial) -> _Result:
    """Return what becomes under one CRD of what two managers apply."""
    begun = trial.begin(version, trial.first)
    if not begun.accepted:
        # Of an item of a list it is the list around it that is refused.
        is_refused = isinstance(trial.first, list) and _NO_ELEMENT in begun.message
        return _Result(begun, _Outcome.REFUSED if is_refused else None)
    answer = trial.apply(version, trial.second, SECOND, begun)
    if answer.accepted:
        return _Result(answer, _Outcome.KEPT if trial.is_in(trial.both, answer) else None)
    if answer.conflicts:
        forced = trial.apply(version, trial.second, SECOND, begun, force=True)
        if forced.accepted and trial.is_in(trial.second, forced) and not trial.is_in(trial.first, forced):
            return _Result(answer, _Outcome.REPLACED)
    return _Result(answer, None)


def again(trial: ApplyTrial, old: Version, new: Version) -> str:
    """
    Return what becomes of a stored object of two managers when one of them applies the same again, in words.

    Args:
        trial: What they apply.
        old: What the object is made under.
        new: What it is applied again under.
    """
    stored = trial.apply(old, trial.second, SECOND, trial.begin(old, trial.first))
    answer = trial.apply(new, trial.second, SECOND, stored)
    if answer.accepted:
        return _STAYS if trial.is_in(trial.both, answer) else _IS_LOST
    return _CONFLICTS if answer.conflicts else _IS_REFUSED


@dataclass(frozen=True, slots=True)
class _Shown:
    """What one trial shows."""

    change: MergeChange
    situation: Situation
    old: Version
    new: Version
    trial: ApplyTrial

    def of_two(self, before: _Result, after: _Result) -> Finding:
        """Return what becomes of what two managers apply."""
        was, is_now = before.outcome, after.outcome
        assert was is not None  # noqa: S101 - nothing is shown otherwise
        assert is_now is not None  # noqa: S101
        outcomes = f"before, {was.value[0]}; now {is_now.value[1]}".format(self.situation.taken)
        words = f"two managers {self.situation.each} {self._path}: {outcomes} ({self.change.words})"
        kind, note = Kind.WIDENED, ""
        if is_now is _Outcome.REFUSED:
            kind = Kind.REFUSED
        elif was is _Outcome.KEPT:
            kind, note = Kind.DATA_LOSS, again(self.trial, self.old, self.new)
        applied = (ManagerApply(FIRST, self.trial.first), ManagerApply(SECOND, self.trial.second))
        return self._finding(kind, words, applied, (before.answer, after.answer), note)

    def is_left(self) -> bool:
        """Return whether what a manager applied before, and applies no more, stays in stored objects, though it went before."""
        before, after = (self._left_out(version) for version in (self.old, self.new))
        was_there, is_there = (self.trial.is_in(self.trial.first, answer) for answer in (before, after))
        return before.accepted and is_there and not was_there

    def _left_out(self, version: Version) -> Response:
        begun = self.trial.begin(self.old, self.trial.both)
        return self.trial.apply(version, self.trial.second, FIRST, begun)

    def of_one(self) -> Finding:
        """Return what becomes of what a manager applies no more."""
        words = (
            f"{self.situation.parts} of {self._path} that were applied before the upgrade stay when their manager applies them no "
            f"more; before, they were removed ({self.change.words})"
        )
        applied = (ManagerApply(FIRST, self.trial.both), ManagerApply(FIRST, self.trial.second))
        return self._finding(Kind.WARNED, words, applied, (self._left_out(self.old), self._left_out(self.new)))

    def _finding(
        self,
        kind: Kind,
        words: str,
        applied: tuple[ManagerApply, ManagerApply],
        answers: tuple[Response, Response],
        note: str = "",
    ) -> Finding:
        whole = tuple(one._replace(resource=self.trial.holding(one.resource)) for one in applied)
        witness = Witness(whole[0].resource, *answers, note, applied=whole)
        lines = (self.change.differences[0].lines(self.old.crd, self.new.crd),)
        return Finding(kind, self._path, words, (self.old.name,), lines, witness)

    @property
    def _path(self) -> str:
        return path_of(self.change.place)
