"""Collections of findings: each effect once, with all objects that show it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import RULES
from pytest_crd.upgrades import effects, storedobjects
from pytest_crd.upgrades.effects import Change
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Effect, Finding, Kind, Line, path_of


class Collection:
    """Findings in the order in which they were added."""

    def __init__(self) -> None:
        self._findings: dict[tuple[Kind, str, str], Finding] = {}

    def add(self, finding: Finding, cause: str = "") -> None:
        """Add a finding; if an equal one differs in version or object only, merge both and list the second object's source."""
        key = (finding.kind, finding.path, cause or finding.words)
        if key not in self._findings:
            self._findings[key] = finding
            return
        earlier = self._findings[key]
        witness, new_witness = earlier.witness, finding.witness
        if witness and new_witness and witness.source and not new_witness.source:
            witness, new_witness = new_witness, witness  # the synthesized object is smaller
        sources = (*earlier.others, *((new_witness.source,) if new_witness else ()))
        self._findings[key] = replace(
            earlier,
            witness=witness,
            words=finding.words if witness is finding.witness else earlier.words,
            versions=tuple(dict.fromkeys((*earlier.versions, *finding.versions))),
            others=tuple(source for source in dict.fromkeys(sources) if source),
        )

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings, the most breaking kinds first."""
        order = list(Kind)
        return tuple(sorted(self._findings.values(), key=lambda finding: order.index(finding.kind)))


class VersionCollection:
    """The findings of one version of a CRD."""

    def __init__(self, collection: Collection, old: Subject, new: Subject, differences: Iterable[Difference]) -> None:
        self.old, self.new = old, new
        self.differences = tuple(differences)
        self._collection = collection

    def add(self, change: Change) -> None:
        """Add each effect of a change to an object."""
        for effect in change.effects:
            self.add_effect(effect, change)

    def add_finding(self, finding: Finding) -> None:
        """Add a finding that is not about one place of objects."""
        self._collection.add(finding)

    def add_effect(self, effect: Effect, change: Change, difference: Difference | None = None) -> None:
        """Add one effect on an object; *difference* is the schema difference for which the object was made, if any."""
        note = storedobjects.note(effect, change.witness, self.old, self.new)
        finding = Finding(
            effect.kind,
            path_of(effect.place),
            effect.words,
            (self.old.version.name,),
            tuple(dict.fromkeys(self._lines(effect, difference))),
            replace(change.witness, note=note),
            decision=effect.cause if effect.kind is Kind.REFUSED else "",
            name=_name_cause(effect),
        )
        self._collection.add(finding, effect.cause)

    def _lines(self, effect: Effect, difference: Difference | None) -> Iterator[tuple[Line, Line]]:
        """Yield the declarations of the differences at the place of an effect, or the nearest around it; else of *difference*."""
        around = [
            candidate for candidate in self.differences if effect.place[: len(candidate.place)] == candidate.place
        ]
        deepest = max((len(candidate.place) for candidate in around), default=0)
        nearest = [candidate for candidate in around if len(candidate.place) == deepest]
        causing = [candidate for candidate in nearest if _is_caused_by(effect, candidate)]
        for candidate in causing or nearest or ([] if difference is None else [difference]):
            yield candidate.lines(self.old.version.crd, self.new.version.crd)


def _name_cause(effect: Effect) -> str:
    """Return the text of the rule, or the keyword without the steps to the schema of the place."""
    if effect.origin is not None:
        return effect.cause
    steps, around = effect.cause.split("/"), map(str, schemamap.steps_of(effect.place))
    common = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(steps, around, strict=False)))
    return "/".join(steps[common:])


def _is_caused_by(effect: Effect, difference: Difference) -> bool:
    """Return True if the keyword of *difference* causes *effect*."""
    if difference.keyword == RULES:
        return difference.has_rule(effect.cause, effect.origin)
    if effect.cause == effects.STORED_OTHERWISE:
        return difference.keyword == "default"
    return effect.cause.rpartition("/")[2] == difference.keyword
