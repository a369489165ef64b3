"""An upgrade of one CRD: the write of the new CRD over the old one, and its effects on objects."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pytest_crd.engine import CrdVersion, CustomResourceDefinition, Response, jsonvalue
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.upgrades import clients, convertedobjects, crdwrites, effects, schemadifferences
from pytest_crd.upgrades.collection import Collection, VersionCollection
from pytest_crd.upgrades.objectcandidates import PRESERVE
from pytest_crd.upgrades.projectobjects import Specimen, Specimens
from pytest_crd.upgrades.schemadifferences import ADDED, REMOVED, Difference
from pytest_crd.upgrades.subject import Subject
from pytest_crd.upgrades.upgradefindings import Finding, Kind, path_of
from pytest_crd.upgrades.witnesses import Witnesses
from pytest_crd.upgrades.witnesssearch import Unshown

_NO_VERSION: Final = "its version {!r} is not served before and after the upgrade"
_LEAST: Final = 0.8


@dataclass(frozen=True, slots=True)
class Upgrade:
    """
    The effects of replacing a CRD by another.

    Attributes:
        findings: The findings, the most breaking first.
        unshown: Schema differences that no known object shows, in words.
        warnings: Versions with limited results, and the reasons.
        notices: Other changes that clients may notice, in words.
        undecided: The unshown differences that may refuse objects, in words.
        unjudged: The objects of the project that show nothing, by place, with the reason.
    """

    findings: tuple[Finding, ...] = ()
    unshown: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    unjudged: Mapping[str, str] = field(default_factory=dict)


def judge(old: CustomResourceDefinition, new: CustomResourceDefinition | None, specimens: Specimens) -> Upgrade:
    """
    Return the effects of an upgrade on objects.

    Args:
        old: The CRD that users have.
        new: The CRD that replaces it; None if it is removed.
        specimens: Objects of the project, of the baseline and of today.

    Raises:
        InputError: A CRD uses a construct that the engine does not support, or the server refuses the new CRD in any case.
    """
    if new is None:
        return Upgrade((crdwrites.describe_removal(old),))
    is_same = jsonvalue.equal(old.declared["spec"], new.declared["spec"])
    if is_same and jsonvalue.equal(old.declared["metadata"], new.declared["metadata"]):
        return Upgrade()
    if new.guard is not None and not new.first_response.accepted:
        return Upgrade((crdwrites.describe_refusal(old, new),))
    collection = Collection()
    for finding in (*crdwrites.find_write_errors(old, new), *crdwrites.find_unserved_versions(old, new)):
        collection.add(finding)
    if is_same:
        return Upgrade(collection.findings())
    notices = [*clients.describe_name_changes(old, new)]
    unshown: list[Unshown] = []
    witnessed: list[Difference] = []
    warnings: list[str] = []
    renamed: dict[str, str] = {}
    unjudged = {item.source: _NO_VERSION.format(item.version) for item in specimens.select_kind(old)}
    for before, after in _served_pairs(old, new):
        for finding in (
            *crdwrites.find_removed_subresources(before, after),
            *clients.find_removed_selectors(before, after),
        ):
            collection.add(finding)
        subjects = Subject(before), Subject(after.over_objects_of(before))
        version_findings = VersionCollection(collection, *subjects, _differences(before, after))
        renamed |= find_renames(version_findings.differences)
        notices += clients.describe_column_changes(before, after)
        unjudged |= _judge_specimens(version_findings, specimens.select(old, before.name))
        unknown = [version.unknown_when_stored for version in (before, after)]
        warnings += [f"{before.name}: {reason}" for reason in dict.fromkeys(filter(None, unknown))]
        is_unhooked = bool(unknown[0]) and not unknown[1] and after.converter is None
        is_converted = after.converter is not None and not unknown[0]
        if version_findings.differences or is_unhooked or is_converted or _has_other_requests(before, after):
            witnesses = Witnesses(version_findings)
            unshown += witnesses.search()
            notices += witnesses.notices
            warnings += witnesses.problems
            witnessed += witnesses.shown
            if is_converted:
                own = (specimen.resource for specimen in specimens.select(old, before.name))
                convertedobjects.search(version_findings, itertools.chain(own, witnesses.complete()))
    # A difference of the storage version can be shown by objects of that version, even if objects of another version do not show it.
    missing = [item for item in unshown if item.difference not in witnessed]
    return Upgrade(
        tuple(describe_renames(collection.findings(), renamed)),
        tuple(dict.fromkeys(item.words for item in missing)),
        tuple(warnings),
        tuple(dict.fromkeys(notices)),
        tuple(dict.fromkeys(item.refusing for item in missing if item.refusing)),
        {source: reason for source, reason in unjudged.items() if reason},
    )


def _served_pairs(
    old: CustomResourceDefinition, new: CustomResourceDefinition
) -> Iterator[tuple[CrdVersion, CrdVersion]]:
    """Yield the versions that are served before and after the upgrade, in pairs."""
    served = {version.name: version for version in new.versions if version.served}
    yield from (
        (version, served[version.name]) for version in old.versions if version.served and version.name in served
    )


def _has_other_requests(old: CrdVersion, new: CrdVersion) -> bool:
    """Return True if clients may notice a change besides the schema."""
    return old.subresources != new.subresources or crdwrites.is_deprecated_otherwise(old, new)


def _differences(old: CrdVersion, new: CrdVersion) -> Iterator[Difference]:
    """Yield the schema differences of a version, then further ones of the storage version."""
    names = (old.name, new.name)
    own = list(schemadifferences.find_differences(old.schema_map, new.schema_map))
    yield from (replace(difference, versions=names) for difference in own)
    if old.preserves_unknown_fields != new.preserves_unknown_fields:
        yield Difference((), PRESERVE, old.preserves_unknown_fields, new.preserves_unknown_fields, names)
    stored = [_storage(version.crd) or version for version in (old, new)]
    if stored != [old, new]:
        before, after = stored
        storage_differences = schemadifferences.find_differences(before.schema_map, after.schema_map)
        yield from (
            replace(item, versions=(before.name, after.name)) for item in storage_differences if item not in own
        )


def _storage(crd: CustomResourceDefinition) -> CrdVersion | None:
    return next((version for version in crd.versions if version.storage), None)


def _judge_specimens(findings: VersionCollection, specimens: Sequence[Specimen]) -> dict[str, str]:
    """
    Add the effects on the objects of a project, as sent, as stored, and as sent again.

    Returns:
        For each place of an object, why it cannot be judged; empty if it is.
    """
    reasons: dict[str, str] = {}
    for specimen in specimens:
        change = effects.find_change(specimen.resource, findings.old, findings.new, source=specimen.source)
        findings.add(change)
        before, after = change.witness.before, change.witness.after
        reasons[specimen.source] = _describe_unjudged(before, after)
        stored: Any = before.stored_if_accepted
        if stored is not None:
            findings.add(effects.find_change(stored, findings.old, findings.new, source=specimen.source))
        if stored is not None and after.accepted and not jsonvalue.equal(stored, after.stored):
            again = effects.find_change(
                specimen.resource, findings.old, findings.new, source=specimen.source, stored=specimen.resource
            )
            findings.add(replace(again, effects=tuple(item for item in again.effects if item.kind is Kind.REFUSED)))
    return reasons


def _describe_unjudged(before: Response, after: Response) -> str:
    if effects.is_stored_whole(before) or effects.is_stored_whole(after):
        return ""
    if before.accepted:
        return "the old and the new CRD drop a field of it"
    return f"the old and the new CRD refuse it: {before.errors[0]}"


"""The least similarity of two descriptions, from 0 to 1."""
_LEAST_OF_NAMES: Final = 0.6
"""The least similarity of two names without descriptions, from 0 to 1."""
_KINDS: Final = ("type", "format", "x-kubernetes-int-or-string")


def find_renames(differences: Iterable[Difference]) -> dict[str, str]:
    """Return the path of the new field for the path of each renamed field; each new field replaces one."""
    removed: list[tuple[Place, Any]] = []
    added: list[tuple[Place, Any]] = []
    for difference in differences:
        if difference.keyword == REMOVED:
            removed.append((difference.place, difference.before))
        elif difference.keyword == ADDED:
            added.append((difference.place, difference.after))
    pairs = [
        (_similarity(before, after, (old[-1], new[-1])), path_of(old), path_of(new))
        for old, before in removed
        for new, after in added
        if old[:-1] == new[:-1]
    ]
    renames: dict[str, str] = {}
    for similarity, old_path, new_path in sorted(pairs, reverse=True):
        if similarity >= _LEAST and old_path not in renames and new_path not in renames.values():
            renames[old_path] = new_path
    return renames


def describe_renames(findings: Iterable[Finding], renames: Mapping[str, str]) -> Iterator[Finding]:
    """Yield *findings*; those about a lost field, or a new one that is required, name the other field of the rename."""
    old_names = {new: old for old, new in renames.items()}
    for finding in findings:
        if finding.kind is Kind.DATA_LOSS and finding.path in renames:
            new = renames[finding.path]
            words = f"{finding.words}; {new} is new, alike in type and text: a rename loses the stored values"
            yield replace(finding, words=words)
        elif finding.kind is Kind.REFUSED and finding.path in old_names:
            old = old_names[finding.path]
            yield replace(finding, words=f"{finding.words} (renamed: {old} is gone, alike in type and text)")
        else:
            yield finding


def _similarity(old: Any, new: Any, names: tuple[Any, Any]) -> float:
    """Return the similarity of two schemas, from 0 to 1; 0 for schemas of different types."""
    if any(old.get(key) != new.get(key) for key in _KINDS):
        return 0.0
    before, after = (
        str(schema.get("description") or "").replace(str(name), "")
        for schema, name in zip((old, new), names, strict=True)
    )
    if before or after:
        return difflib.SequenceMatcher(None, before, after).ratio()
    are_alike = difflib.SequenceMatcher(None, str(names[0]).lower(), str(names[1]).lower()).ratio() >= _LEAST_OF_NAMES
    return _LEAST if are_alike and jsonvalue.equal(old, new) else 0.0
