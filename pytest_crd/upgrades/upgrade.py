"""An upgrade of one CRD: the write of the new one over the old, and what becomes of objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_crd.engine import CustomResourceDefinition, Version, jsonvalue
from pytest_crd.upgrades import clients, crdwrites, effects, schemadifferences
from pytest_crd.upgrades.collection import Collection, VersionCollection
from pytest_crd.upgrades.objectcandidates import PRESERVE
from pytest_crd.upgrades.projectobjects import Specimen, Specimens
from pytest_crd.upgrades.schemadifferences import Difference
from pytest_crd.upgrades.upgradefindings import Finding
from pytest_crd.upgrades.upgradesubject import Subject
from pytest_crd.upgrades.witnesses import Unshown, Witnesses


@dataclass(frozen=True, slots=True)
class Upgrade:
    """
    What becomes of objects when one CRD is replaced by another.

    Attributes:
        findings: What was found, what breaks most first.
        unshown: Differences of the schemas for which no object was found that shows them, in words.
        warnings: Versions of which little was looked at, or little can be known, and why.
        notices: What else clients may notice, in words.
        undecided: Which of what is unshown may refuse objects, in words.
    """

    findings: tuple[Finding, ...] = ()
    unshown: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()


def judge(old: CustomResourceDefinition, new: CustomResourceDefinition | None, specimens: Specimens) -> Upgrade:
    """
    Return what becomes of objects.

    Args:
        old: The CRD that users have.
        new: The CRD that takes its place; None where there is none.
        specimens: Objects of the project, those of then and those of now.

    Raises:
        InputError: A CRD uses what the engine does not know, or the server refuses the new one whatever is stored.
    """
    if new is None:
        return Upgrade((crdwrites.gone(old),))
    if jsonvalue.equal(old.declared["spec"], new.declared["spec"]):
        return Upgrade()
    collection = Collection()
    for finding in (*crdwrites.written(old, new), *crdwrites.unserved(old, new)):
        collection.add(finding)
    if not new.first_response.accepted and new.guard is not None:
        return Upgrade(collection.findings())
    notices = [*clients.notices(old, new)]
    unshown: list[Unshown] = []
    shown: list[Difference] = []
    warnings: list[str] = []
    for before, after in _served(old, new):
        for finding in (*crdwrites.subresources(before, after), *clients.selections(before, after)):
            collection.add(finding)
        found = VersionCollection(collection, Subject(before), Subject(after), _differences(before, after))
        notices += clients.columns(before, after)
        _of_specimens(found, specimens.of(old, before.name))
        unknown = [version.unknown_when_stored for version in (before, after)]
        warnings += [f"{before.name}: {one}" for one in dict.fromkeys(filter(None, unknown))]
        is_unhooked = bool(unknown[0]) and not unknown[1]
        if found.differences or is_unhooked or _is_served_otherwise(before, after):
            witnesses = Witnesses(found)
            unshown += witnesses.find()
            notices += witnesses.notices
            warnings += witnesses.problems
            shown += witnesses.shown
    # What objects of one version do not show of the version that they are stored in, those of that version may.
    missing = [one for one in unshown if one.difference not in shown]
    return Upgrade(
        collection.findings(),
        tuple(dict.fromkeys(one.words for one in missing)),
        tuple(warnings),
        tuple(dict.fromkeys(notices)),
        tuple(dict.fromkeys(one.refusing for one in missing if one.refusing)),
    )


def _served(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[tuple[Version, Version]]:
    """Yield the versions that are served before and after."""
    kept = {version.name: version for version in new.versions if version.served}
    yield from ((version, kept[version.name]) for version in old.versions if version.served and version.name in kept)


def _is_served_otherwise(old: Version, new: Version) -> bool:
    """Return whether something besides the schema may be met by clients."""
    return old.subresources != new.subresources or crdwrites.is_deprecated_otherwise(old, new)


def _differences(old: Version, new: Version) -> Iterator[Difference]:
    """Yield where the schemas of a version differ, or those of the version that objects are stored in."""
    names = (old.name, new.name)
    own = list(schemadifferences.find(old.schema_map, new.schema_map))
    yield from (replace(one, versions=names) for one in own)
    if old.preserves_unknown_fields != new.preserves_unknown_fields:
        yield Difference((), PRESERVE, old.preserves_unknown_fields, new.preserves_unknown_fields, names)
    stored = [_storage(version.crd) or version for version in (old, new)]
    if stored != [old, new]:
        before, after = stored
        others = (one for one in schemadifferences.find(before.schema_map, after.schema_map) if one not in own)
        yield from (replace(one, versions=(before.name, after.name)) for one in others)


def _storage(crd: CustomResourceDefinition) -> Version | None:
    return next((version for version in crd.versions if version.storage), None)


def _of_specimens(found: VersionCollection, specimens: Sequence[Specimen]) -> None:
    """Keep what becomes of the objects of a project, as they are sent and as they are stored."""
    for specimen in specimens:
        change = effects.find(specimen.resource, found.old, found.new, source=specimen.source)
        found.add(change)
        stored: Any = change.witness.before.stored
        if stored is not None:
            found.add(effects.find(stored, found.old, found.new, source=specimen.source))
