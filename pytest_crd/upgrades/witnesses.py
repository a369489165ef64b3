"""
Witnesses: the smallest object for each schema difference that shows it, run under both CRDs.

A difference without a witness is reported as undecided; nothing is assumed.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from pytest_crd import engine
from pytest_crd.engine.schema.schemamap import RULES, Each, Place
from pytest_crd.synthesis import Boundaries, NoExampleError, shrinking
from pytest_crd.upgrades import applyeffects, clients, combinedrules, effects, mending
from pytest_crd.upgrades.collection import VersionCollection
from pytest_crd.upgrades.dependentrules import DependentRule, DependentRules
from pytest_crd.upgrades.effects import Change
from pytest_crd.upgrades.mending import Mender
from pytest_crd.upgrades.objectcandidates import Candidate, Maker
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import BREAKING, Effect, Finding, Kind, Resource, Witness, path_of
from pytest_crd.upgrades.witnesssearch import Key, Unshown, WitnessSearch, is_seen

# The number of values that may be visited for one difference, in all objects together; a time limit would give different results on each machine.
_BUDGET: Final = 100_000
# The number of values that may be visited to place one value, which may need repairs elsewhere in the object.
_COST_OF_REPAIR: Final = 1000
# The number of other values to place in this way.
_MOST_REPAIRED: Final = 4
_NO_STATUS: Final = "; status is a subresource now, and a create stores none"
_NOT_ALL: Final = " (not all candidates were tried)"
# Keywords about the value itself, not about values inside it.
_OF_ONE_VALUE: Final = frozenset(
    {
        *("enum", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        *("required", "nullable"),
    }
)


class Witnesses:
    """
    The search for objects that show the differences of one version.

    Attributes:
        problems: Reasons for a limited search.
        notices: Changed merges with unknown effects, in words.
        shown: The differences that an object shows.
    """

    def __init__(self, findings: VersionCollection) -> None:
        self._findings = findings
        self.problems: list[str] = []
        self.notices: list[str] = []
        self.shown: list[Difference] = []
        # Differences that applies of one or two managers show.
        self._applied: list[Difference] = []
        # Refusals of all objects.
        self._refusals: list[Effect] = []
        # Effects on the objects that were tried for the present difference.
        self._changes: dict[str, Change] = {}
        # Effects found at other places than the differences.
        self._elsewhere: set[Key] = set()
        self._maker = Maker(
            self._boundaries(findings.old.version), self._boundaries(findings.new.version), findings.differences
        )
        sides = self._maker.sides
        self._rules = DependentRules(findings.old, findings.new, (sides[0], sides[1])) if len(sides) == 2 else None
        self._menders = Mender(findings.old, self._maker.old), Mender(findings.new, self._maker.new)

    def _boundaries(self, version: engine.CrdVersion) -> Boundaries | None:
        try:
            return Boundaries(version)
        except NoExampleError as error:
            side = "new" if version is self._findings.new.version else "old"
            self.problems.append(f"little was looked at, as no object of the {side} CRD is known: {error}")
            return None

    def complete(self) -> Iterator[Resource]:
        """Yield for each place of the schema an object with a value there, outer places first."""
        return self._maker.complete()

    def search(self) -> Iterator[Unshown]:
        """Add the findings of the differences, and yield the differences without a witness."""
        self._search_gained_status()
        self._search_lost_webhook()
        self._search_warnings()
        yield from self._search_scale()
        self._search_applies()
        for difference in self._findings.differences:
            search = self._search_difference(difference)
            is_undecided = not (search.is_complete or search.is_breaking) and difference.can_refuse
            if difference not in self._applied and (is_undecided or not search.seen):
                yield self._unshown(difference, search)
            else:
                self.shown.append(difference)
            yield from self._search_rules(difference)

    def _search_rules(self, difference: Difference) -> Iterator[Unshown]:
        """Add the refusals by rules that read a changed place; yield the undecided rules."""
        rules = () if self._rules is None else self._rules.find(difference)
        for rule in rules:
            assert self._rules is not None  # noqa: S101 - it has rules
            if any(map(rule.refuses, self._refusals)):
                continue
            if self._rules.is_harmless(rule, difference, self._findings.differences):
                continue
            search = WitnessSearch(_BUDGET, is_complete=True)
            for candidate in self._rules.find_candidates(rule, difference):
                self._try(candidate, difference, search.seen)
                if any(map(rule.refuses, self._refusals)):
                    break
            else:
                if not any(item.has_rule(rule.text, rule.place) for item in self._findings.differences):
                    yield self._unshown_rule(rule, difference)

    def _unshown_rule(self, rule: DependentRule, difference: Difference) -> Unshown:
        name = f"{path_of(difference.place)} {difference.keyword}"
        place = f"the {'rule' if rule.keyword == RULES else rule.keyword} at {path_of(rule.place)} reads it"
        words = f"no object found that it refuses because of the change: {name}, {place}: {rule.text}"
        return Unshown(words, f"{name}, {place}")

    def _search_difference(self, difference: Difference) -> WitnessSearch:
        """Search for the effects of a difference, and return the search."""
        self._changes.clear()
        search = WitnessSearch(_BUDGET, self._maker.has_compared_texts(difference))
        listed: list[tuple[Place, Any]] = []
        others: list[tuple[Place, Any]] = []
        for candidate in self._maker.find_candidates(difference):
            if search.is_enough or not search.spend(candidate.resource):
                break
            change = self._try(candidate, difference, search.seen)
            search.earlier = search.earlier or _find_earlier(change, difference)
            if candidate.placed and not change.effects and self._differ_at(difference, change):
                placed = listed if candidate.is_listed else others
                placed += [] if candidate.placed in placed else [candidate.placed]
        self._search_repaired(difference, search, (*listed, *others[:_MOST_REPAIRED]))
        if not search.seen and len(others) > _MOST_REPAIRED:
            search.is_complete = False
        if difference.keyword == RULES and not search.is_breaking:
            old, differences = self._findings.old.version, self._findings.differences
            for candidate in combinedrules.find_candidates(old, difference, differences):
                change = self._try(candidate, difference, search.seen)
                search.earlier = search.earlier or _find_earlier(change, difference)
        self._search_accepted(difference, search)
        if not search.seen and difference.can_refuse:
            self._search_mended(difference, search)
        return search

    def _search_repaired(
        self, difference: Difference, search: WitnessSearch, placed: Iterable[tuple[Place, Any]]
    ) -> None:
        """Add the effects of a difference that show in objects that allow a value at its place."""
        for place, value in placed:
            if search.is_breaking or not search.spend(value, _COST_OF_REPAIR):
                return
            for candidate in self._maker.repaired(place, value):
                self._try(candidate, difference, search.seen)

    def _search_accepted(self, difference: Difference, search: WitnessSearch) -> None:
        """Add the breaking effects of a default or a rule on objects that are changed elsewhere so that the old CRD accepts them."""
        if self._rules is None:
            return
        candidates = itertools.chain(self._rules.find_accepted(difference), self._rules.find_refused(difference))
        while not search.is_breaking and (candidate := next(candidates, None)) is not None:
            self._try(candidate, difference, search.seen)

    def _search_mended(self, difference: Difference, search: WitnessSearch) -> None:
        """Add the effects of a difference that show once an object no longer breaks other differences."""
        for candidate in self._maker.find_candidates(difference):
            if search.seen or not search.spend(candidate.resource):
                return
            if candidate.stored is None and not candidate.is_large:
                self._try(candidate._replace(is_mended=True), difference, search.seen)

    def _differ_at(self, difference: Difference, change: Change) -> bool:
        return effects.differ_at(difference.place, change, self._findings.old, self._findings.new)

    def _try(self, candidate: Candidate, difference: Difference, seen: set[Key]) -> Change:
        """
        Add the effects of a candidate that *difference* causes, each once, and effects without a causing difference.

        Adds the effects to *seen*. Effects count at any place: a changed default, for example, may break a rule of the parent object.
        """
        change = self._change(candidate)
        self._refusals += [effect for effect in change.effects if effect.kind is Kind.REFUSED]
        for effect in change.effects:
            key = self._key(effect)
            if self._is_caused_by(effect, difference):
                if not is_seen(key, seen):
                    seen.add(key)
                    self._add_smallest(effect, candidate, difference)
            elif not self._has_cause(effect):
                if difference.keyword != RULES or effect.kind in BREAKING:  # A new rule accepts no further object.
                    seen.add(key)
                self._add_elsewhere(effect, candidate, difference)
        return change

    def _key(self, effect: Effect) -> Key:
        """Return the kind, place and cause of an effect; all lost fields that no schema declares are one place."""
        place = effect.place
        maps = [side.version.schema_map for side in (self._findings.old, self._findings.new)]
        if place and effect.kind is Kind.DATA_LOSS and not any(map_.at(place) for map_ in maps):
            return effect.kind, (*place[:-1], Each.VALUE), effect.cause
        return effect.kind, place, effect.cause

    def _add_elsewhere(
        self, effect: Effect, candidate: Candidate, difference: Difference | None = None, *, hint: str = ""
    ) -> None:
        """Add an effect that no difference causes, once; *hint* is appended to its words."""
        key = self._key(effect)
        if key not in self._elsewhere:
            self._elsewhere.add(key)
            self._add_smallest(effect, candidate, difference, hint=hint)

    def _change(self, candidate: Candidate) -> Change:
        """
        Return the effects on an object without the server's warnings, which show no schema difference.

        Candidates for one difference, and the parts of one, are often equal; each object is written once.
        """
        key = "" if candidate.is_large else json.dumps((candidate.resource, candidate.stored, candidate.is_mended))
        change = self._changes.get(key)
        if change is None:
            whole = self._whole_change(candidate)
            effects_ = tuple(effect for effect in whole.effects if effect.kind is not Kind.WARNED)
            change = replace(whole, effects=effects_)
            if key:
                self._changes[key] = change
        return change

    def _whole_change(self, candidate: Candidate) -> Change:
        if candidate.is_mended:
            return mending.find_mended_change(candidate.resource, *self._menders)
        return effects.find_change(candidate.resource, self._findings.old, self._findings.new, stored=candidate.stored)

    def _add_smallest(
        self, effect: Effect, candidate: Candidate, difference: Difference | None, *, hint: str = ""
    ) -> None:
        """Add a finding for *effect* with the smallest object that shows it."""
        resource = candidate.resource if candidate.is_large else self._smallest(effect, candidate)
        change = self._change(candidate._replace(resource=resource))
        own = next(item for item in change.effects if effects.is_same(item, effect))
        # An error without a field is about the value at the difference.
        place = own.place or (() if difference is None else difference.place)
        self._findings.add_effect(replace(own, place=place, words=f"{own.words}{hint}"), change, difference)

    def _smallest(self, effect: Effect, candidate: Candidate) -> Resource:
        """Return the candidate's object without the parts that the effect does not need."""

        def has_effect(resource: Resource) -> bool:
            return any(
                effects.is_same(item, effect) for item in self._change(candidate._replace(resource=resource)).effects
            )

        return shrinking.shrink(candidate.resource, has_effect)

    def _has_cause(self, effect: Effect) -> bool:
        return any(self._is_caused_by(effect, difference) for difference in self._findings.differences)

    def _is_caused_by(self, effect: Effect, difference: Difference) -> bool:
        """Return True if *difference* causes *effect*: the rule is the same, or no other difference is nearer to the effect."""
        if difference.keyword == RULES:
            return difference.has_rule(effect.cause, effect.origin)
        if not _covers(difference, effect):
            return False
        return not any(
            len(inner.place) > len(difference.place) and _covers(inner, effect) for inner in self._findings.differences
        )

    def _unshown(self, difference: Difference, search: WitnessSearch) -> Unshown:
        declared = difference.lines(self._findings.old.version.crd, self._findings.new.version.crd)
        lines = " → ".join(f"{line.where} {line.text or '(nothing)'}".strip() for line in declared)
        problem = "only objects found that are accepted now" if search.seen else "no object found that shows it"
        if search.earlier and not search.seen:
            problem = f"the objects found that it refuses were refused before, too ({search.earlier})"
        name = f"{path_of(difference.place)} {difference.keyword}"
        untried = "" if search.is_complete else ", although not all candidates were tried"
        return Unshown(
            f"{problem}{untried}: {name}: {lines}",
            f"{name}{'' if search.is_complete else _NOT_ALL}" if difference.can_refuse else "",
            difference,
        )

    def _search_warnings(self) -> None:
        """Add the new warnings of the server about the smallest objects."""
        for candidate in self._maker.smallest():
            change = self._whole_change(candidate)
            for effect in change.effects:
                if effect.kind is Kind.WARNED:
                    self._findings.add_effect(effect, change)

    def _search_applies(self) -> None:
        """Add the findings of lists and objects that server-side apply merges differently."""
        old, new = self._findings.old, self._findings.new
        for change in applyeffects.changes(self._findings.differences, (old.version.name, new.version.name)):
            findings = applyeffects.judge_merge_change(change, old, new, self._maker.sides)
            if findings is None:
                self.notices.append(change.notice)
                continue
            self._applied += change.differences
            for finding in findings:
                self._findings.add_finding(finding)

    def _search_scale(self) -> Iterator[Unshown]:
        """Add the finding of a changed `/scale`; yield it as unshown if no object shows it."""
        old, new = self._findings.old.version, self._findings.new.version
        if not clients.reads_scale_otherwise(old, new):
            return
        finding = clients.find_scale_change(old, new, self._maker.sides)
        if finding is not None:
            self._findings.add_finding(finding)
        else:
            name = "subresources.scale"
            scales = f"{old.subresources.scale} → {new.subresources.scale}"
            yield Unshown(f"no object found that shows it: {name}: {scales}", name)

    def _search_lost_webhook(self) -> None:
        """Add the fields that are lost because no webhook converts the version any more."""
        old, new = self._findings.old.version, self._findings.new.version
        if not old.unknown_when_stored or new.unknown_when_stored or new.converter is not None:
            return
        for resource in self._maker.complete():
            written = Witness(resource, old.create(resource), new.create(resource))
            words = "is lost when it is stored: no webhook converts it any more"
            for path in written.after.changes.lost if written.before.accepted else ():
                place = effects.place_of(path.steps, self._findings.old, self._findings.new)
                effect = Effect(Kind.DATA_LOSS, place, f"{path} {words}", "no webhook")
                self._findings.add_effect(effect, Change((effect,), written))

    def _search_gained_status(self) -> None:
        """Add the findings that main-resource requests no longer write the status, and are refused without one, if it became a subresource."""
        old, new = self._findings.old.version, self._findings.new.version
        if old.has_status or not new.has_status:
            return
        for resource in self._maker.for_status():
            change = self._change(Candidate(resource))
            for effect in change.effects:
                if effect.kind is Kind.REFUSED and not self._has_cause(effect):
                    self._add_elsewhere(effect, Candidate(resource), hint=_NO_STATUS)
        words = "status is a subresource now: a request that is not to /status no longer writes it"
        for resource in self._maker.with_status():
            witness = Witness(resource, old.create(resource), new.create(resource))
            before, after = (
                witness.before.stored_if_accepted or {},
                witness.after.stored_if_accepted or {"status": None},
            )
            if "status" in before and "status" not in after:
                self._findings.add_finding(
                    Finding(Kind.DATA_LOSS, "subresources.status", words, (old.name,), (), witness)
                )


def _find_earlier(change: Change, difference: Difference) -> str:
    """Return the reason of the old CRD for refusing an object that a new rule refuses, too; empty if there is none."""
    before, after = change.witness.before, change.witness.after
    rules = (error for error in after.errors if error.rule is not None)
    if before.accepted or not any(difference.has_rule(error.decision, None) for error in rules):
        return ""
    return before.errors[0].decision


def _covers(difference: Difference, effect: Effect) -> bool:
    if difference.keyword in _OF_ONE_VALUE:
        return difference.place == effect.place
    return difference.keyword != RULES and effect.place[: len(difference.place)] == difference.place
