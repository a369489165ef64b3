"""
Witnesses: for each difference of two schemas the smallest object that shows it, run under both CRDs.

A difference that no object shows is told as such, and is not taken for anything else.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pytest_crd import engine
from pytest_crd.engine.schema.schemamap import RULES, Place
from pytest_crd.synthesis import Boundaries, NoExampleError
from pytest_crd.upgrades import applyeffects, clients, effects, shrinking
from pytest_crd.upgrades.collection import VersionCollection
from pytest_crd.upgrades.effects import Change
from pytest_crd.upgrades.objectcandidates import Candidate, Maker
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import Effect, Finding, Kind, Resource, Witness, path_of

_MOST_CANDIDATES: Final = 80
# How many values may be looked at for one difference, in all objects together: machines must agree, so that it is no time.
_BUDGET: Final = 100_000
# How many values are looked for that only an object that is changed elsewhere can have.
_MOST_REPAIRED: Final = 4
# What speaks of the value alone, and not of what is inside it.
_OF_ONE_VALUE: Final = frozenset(
    {"enum", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "required"}
)


class Unshown(NamedTuple):
    """
    What no object was found to show.

    Attributes:
        words: What it is, and where the CRDs declare it.
        refusing: Its name, if it may refuse objects; else empty.
        difference: The difference of the schemas; None of something else.
    """

    words: str
    refusing: str
    difference: Difference | None = None


class Witnesses:
    """
    Looks for objects that show the differences of one version.

    Attributes:
        problems: Why little was looked at.
        notices: What is merged otherwise, and nobody knows what becomes of it, in words.
        shown: The differences that an object shows.
    """

    def __init__(self, found: VersionCollection) -> None:
        self._found = found
        self.problems: list[str] = []
        self.notices: list[str] = []
        self.shown: list[Difference] = []
        self._left = _BUDGET
        # What two managers, or one, have applied to show it.
        self._applied: list[Difference] = []
        # What was found elsewhere than where the schemas differ.
        self._elsewhere: set[tuple[Kind, Place, str]] = set()
        self._maker = Maker(self._boundaries(found.old.version), self._boundaries(found.new.version), found.differences)

    def _boundaries(self, version: engine.Version) -> Boundaries | None:
        try:
            return Boundaries(version)
        except NoExampleError as error:
            which = "new" if version is self._found.new.version else "old"
            self.problems.append(f"little was looked at, as no object of the {which} CRD is known: {error}")
            return None

    def find(self) -> Iterator[Unshown]:
        """Keep what the differences do to objects, and yield those that no object shows."""
        self._of_gained_status()
        self._of_lost_webhook()
        self._of_warnings()
        yield from self._of_scale()
        self._of_applies()
        for difference in self._found.differences:
            if self._of_difference(difference) or difference in self._applied:
                self.shown.append(difference)
            else:
                yield self._unshown(difference)

    def _of_difference(self, difference: Difference) -> bool:
        """Keep what a difference does to objects, and return whether it does anything."""
        shown: set[Kind] = set()
        telling: list[Any] = []
        self._left = _BUDGET
        for candidate in itertools.islice(self._maker.find(difference), _MOST_CANDIDATES):
            if self._left <= 0:
                break
            self._left -= shrinking.size(candidate.resource)
            change = self._try(candidate, difference, shown)
            if change.effects or not effects.differ_at(difference.place, change, self._found.old, self._found.new):
                continue
            telling += [value for value in candidate.values if value not in telling]
        for value in telling[:_MOST_REPAIRED]:
            for candidate in self._maker.repaired(difference.place, value):
                self._try(candidate, difference, shown)
        return bool(shown)

    def _try(self, candidate: Candidate, difference: Difference, shown: set[Kind]) -> Change:
        """
        Keep what becomes of an object: what a difference does to it, each kind once, and what nobody else accounts for.

        *shown* is added to. A default that changes may break a rule of the object around it: an effect counts wherever it is.
        """
        change = self._change(candidate)
        for effect in change.effects:
            if self._is_of(effect, difference):
                if effect.kind not in shown:
                    shown.add(effect.kind)
                    self._keep(effect, candidate, difference)
            elif not any(self._is_of(effect, other) for other in self._found.differences):
                shown.add(effect.kind)
                known = (effect.kind, effect.place, effect.cause)
                if known not in self._elsewhere:
                    self._elsewhere.add(known)
                    self._keep(effect, candidate, difference)
        return change

    def _change(self, candidate: Candidate) -> Change:
        """Return what becomes of an object, less what the server warns of: no difference of schemas is shown by that."""
        change = self._whole_change(candidate)
        return replace(change, effects=tuple(one for one in change.effects if one.kind is not Kind.WARNED))

    def _whole_change(self, candidate: Candidate) -> Change:
        return effects.find(candidate.resource, self._found.old, self._found.new, stored=candidate.stored)

    def _keep(self, effect: Effect, candidate: Candidate, difference: Difference) -> None:
        """Keep an effect with the smallest object that shows it."""
        resource = self._smallest(effect, candidate)
        change = self._change(candidate._replace(resource=resource))
        own = next(one for one in change.effects if _is_same(one, effect))
        # An error that names no field is about the value that was put there.
        self._found.add_effect(
            own if own.place or not difference.place else replace(own, place=difference.place), change, difference
        )

    def _smallest(self, effect: Effect, candidate: Candidate) -> Resource:
        """Return the object without what the effect is there without."""

        def has_effect(resource: Resource) -> bool:
            return any(_is_same(one, effect) for one in self._change(candidate._replace(resource=resource)).effects)

        return shrinking.smallest(candidate.resource, has_effect)

    def _is_of(self, effect: Effect, difference: Difference) -> bool:
        """Return whether an effect is one of a difference, and of none that is nearer to it."""
        if difference.keyword == RULES:
            return effect.cause in {rule["rule"] for rule in (difference.before, difference.after) if rule}
        if not _covers(difference, effect):
            return False
        return not any(
            len(other.place) > len(difference.place) and _covers(other, effect) for other in self._found.differences
        )

    def _unshown(self, difference: Difference) -> Unshown:
        declared = difference.lines(self._found.old.version.crd, self._found.new.version.crd)
        lines = " → ".join(f"{line.where} {line.text or '(nothing)'}".strip() for line in declared)
        within = "" if self._left > 0 else ", as far as the budget of the search reaches"
        name = f"{path_of(difference.place)} {difference.keyword}"
        words = f"no object found that shows it{within}: {name}: {lines}"
        return Unshown(words, name if difference.can_refuse else "", difference)

    def _of_warnings(self) -> None:
        """Keep what the server warns of though the object is as it was."""
        for candidate in self._maker.smallest():
            change = self._whole_change(candidate)
            for effect in change.effects:
                if effect.kind is Kind.WARNED:
                    self._found.add_effect(effect, change)

    def _of_applies(self) -> None:
        """Keep what becomes of lists and objects that are merged otherwise."""
        old, new = self._found.old, self._found.new
        for change in applyeffects.changes(self._found.differences, (old.version.name, new.version.name)):
            findings = applyeffects.find(change, old, new, self._maker.sides)
            if findings is None:
                self.notices.append(change.notice)
                continue
            self._applied += change.differences
            for finding in findings:
                self._found.add_finding(finding)

    def _of_scale(self) -> Iterator[Unshown]:
        """Keep that a `/scale` reads otherwise; yield that no object shows it where none does."""
        old, new = self._found.old.version, self._found.new.version
        if not clients.reads_scale_otherwise(old, new):
            return
        finding = clients.scale(old, new, self._maker.sides)
        if finding is not None:
            self._found.add_finding(finding)
        else:
            name = "subresources.scale"
            scales = f"{old.subresources.scale} → {new.subresources.scale}"
            yield Unshown(f"no object found that shows it: {name}: {scales}", name)

    def _of_lost_webhook(self) -> None:
        """Keep what is lost of objects of a version that a webhook converted, and that none converts any more."""
        old, new = self._found.old.version, self._found.new.version
        if not old.unknown_when_stored or new.unknown_when_stored:
            return
        for resource in self._maker.complete():
            written = Witness(resource, old.create(resource), new.create(resource))
            words = "is lost when it is stored: no webhook converts it any more"
            for path in written.after.changes.lost if written.before.accepted else ():
                place = effects.place_of(path.steps, self._found.old, self._found.new)
                effect = Effect(Kind.DATA_LOSS, place, f"{path} {words}", "no webhook")
                self._found.add_effect(effect, Change((effect,), written))

    def _of_gained_status(self) -> None:
        """Keep that a status is dropped from requests that wrote it, where it has become a subresource."""
        old, new = self._found.old.version, self._found.new.version
        if old.has_status or not new.has_status:
            return
        words = "status is a subresource now: a request that is not to /status no longer writes it"
        for resource in self._maker.with_status():
            witness = Witness(resource, old.create(resource), new.create(resource))
            before, after = witness.before.stored or {}, witness.after.stored or {"status": None}
            if "status" in before and "status" not in after:
                self._found.add_finding(Finding(Kind.DATA_LOSS, "subresources.status", words, (old.name,), (), witness))


def _covers(difference: Difference, effect: Effect) -> bool:
    if difference.keyword in _OF_ONE_VALUE:
        return difference.place == effect.place
    return difference.keyword != RULES and effect.place[: len(difference.place)] == difference.place


def _is_same(left: Effect, right: Effect) -> bool:
    return (left.kind, left.place, left.cause) == (right.kind, right.place, right.cause)
