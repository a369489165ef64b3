"""What has been found so far: each effect once, with all that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pytest_crd.engine.schema.schemamap import RULES
from pytest_crd.upgrades import effects, storedobjects
from pytest_crd.upgrades.effects import Change
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import Effect, Finding, Kind, Line, path_of
from pytest_crd.upgrades.upgradesubject import Subject


class Collection:
    """Findings, in the order in which they were found."""

    def __init__(self) -> None:
        self._found: dict[tuple[Kind, str, str], Finding] = {}

    def add(self, finding: Finding, cause: str = "") -> None:
        """Keep a finding; of two that differ in the version or the object alone, the first stays and names the other's."""
        key = (finding.kind, finding.path, cause or finding.words)
        if key not in self._found:
            self._found[key] = finding
            return
        known = self._found[key]
        witness, other = known.witness, finding.witness
        if witness and other and witness.source and not other.source:
            witness, other = other, witness  # the one that was made for it is the smaller one
        sources = (*known.others, *((other.source,) if other else ()))
        self._found[key] = replace(
            known,
            witness=witness,
            words=finding.words if witness is finding.witness else known.words,
            versions=tuple(dict.fromkeys((*known.versions, *finding.versions))),
            others=tuple(source for source in dict.fromkeys(sources) if source),
        )

    def findings(self) -> tuple[Finding, ...]:
        """Return them: what breaks most comes first."""
        order = list(Kind)
        return tuple(sorted(self._found.values(), key=lambda finding: order.index(finding.kind)))


class VersionCollection:
    """What has been found in one version of a CRD."""

    def __init__(self, collection: Collection, old: Subject, new: Subject, differences: Iterable[Difference]) -> None:
        self.old, self.new = old, new
        self.differences = tuple(differences)
        self._collection = collection

    def add(self, change: Change) -> None:
        """Keep what has become of an object."""
        for effect in change.effects:
            self.add_effect(effect, change)

    def add_finding(self, finding: Finding) -> None:
        """Keep what is not about one place of objects."""
        self._collection.add(finding)

    def add_effect(self, effect: Effect, change: Change, difference: Difference | None = None) -> None:
        """Keep one effect on an object; *difference* is what it was found by, if it was looked for."""
        note = storedobjects.note(effect, change.witness, self.old, self.new)
        finding = Finding(
            effect.kind,
            path_of(effect.place),
            effect.words,
            (self.old.version.name,),
            tuple(dict.fromkeys(self._lines(effect, difference))),
            replace(change.witness, note=note),
        )
        self._collection.add(finding, effect.cause)

    def _lines(self, effect: Effect, difference: Difference | None) -> Iterator[tuple[Line, Line]]:
        """Yield what the CRDs declare that differs where an effect is, or the nearest around it; else by what it was found."""
        around = [one for one in self.differences if effect.place[: len(one.place)] == one.place]
        deepest = max((len(one.place) for one in around), default=0)
        nearest = [one for one in around if len(one.place) == deepest]
        causing = [one for one in nearest if _is_by(effect, one)]
        for one in causing or nearest or ([] if difference is None else [difference]):
            yield one.lines(self.old.version.crd, self.new.version.crd)


def _is_by(effect: Effect, difference: Difference) -> bool:
    """Return whether the keyword that differs is the one that an effect is by."""
    if difference.keyword == RULES:
        return effect.cause in {rule["rule"] for rule in (difference.before, difference.after) if rule}
    if effect.cause == effects.STORED_OTHERWISE:
        return difference.keyword == "default"
    return effect.cause.rpartition("/")[2] == difference.keyword
