"""Upgrades of a CRD with a history: with the versions that earlier releases have stored, or from several releases."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pytest_crd.discovery import releasewalk
from pytest_crd.discovery.releasewalk import OldCrd, ReleaseCrds, StorageHistory, StoredVersion
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.loading import projectcrds
from pytest_crd.upgrades import crdwrites, upgrade
from pytest_crd.upgrades.migrations import Migration
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind

_STORED: Final = "status.storedVersions["


def find_stored(old: OldCrd, migrated: Sequence[Migration] = ()) -> StorageHistory:
    """Return the history of a CRD, without migrated versions and without versions that the CRD does not list."""
    history = old.find_history()
    own = _storage(old.crd)
    gone = {migration.version for migration in migrated if migration.group == old.crd.group} - {own}
    names = {version.name for version in old.crd.versions} - gone
    return history._replace(stored=tuple(version for version in history.stored if version.name in names))


def find_migratable(old: OldCrd) -> Iterator[str]:
    """Yield the group and version of each version that only earlier releases stored: `example.com/v1alpha1`."""
    for version in find_stored(old).stored:
        if version.name != _storage(old.crd):
            yield f"{old.crd.group}/{version.name}"


def judge(
    old: OldCrd, new: CustomResourceDefinition | None, specimens: Specimens, migrated: Sequence[Migration]
) -> Upgrade:
    """
    Return the effects of an upgrade, also in a cluster with earlier releases.

    Args:
        old: The CRD that users have.
        new: The CRD that replaces it; None if it is removed.
        specimens: Objects of the project, of the baseline and of today.
        migrated: The declared migrations.

    Raises:
        InputError: As for `upgrade.judge`.
    """
    listed = set() if new is None else {version.name for version in new.versions}
    if new is None or all(version.name in listed for version in old.crd.versions):
        return upgrade.judge(old.crd, new, specimens)  # all stored versions stay listed
    history = find_stored(old, migrated)
    effects = upgrade.judge(with_stored(old.crd, history.stored), new, specimens)
    return replace(
        effects,
        findings=tuple(_explain(finding, old.crd, history.stored) for finding in effects.findings),
        warnings=(*effects.warnings, *history.problems),
    )


def with_stored(crd: CustomResourceDefinition, stored: Sequence[StoredVersion]) -> CustomResourceDefinition:
    """Return *crd* as it is in a cluster where earlier releases have stored other versions."""
    if not stored:
        return crd
    status = crd.declared.get("status") or {}
    names = [*(status.get("storedVersions") or ()), *(version.name for version in stored), _storage(crd)]
    unique = [*dict.fromkeys(filter(None, names))]
    return crd.altered({**crd.declared, "status": {**status, "storedVersions": unique}})


def find_refusals(
    releases: Sequence[ReleaseCrds], kubernetes_version: str, migrated: Sequence[Migration]
) -> Iterator[str]:
    """Yield the releases that the server refuses as an update of the release before them; pre-releases are left out."""
    before_by_id: dict[str, OldCrd] = {}
    finals = [release for release in releases if not release.is_prerelease]
    for id_, old in releasewalk.list_crds(finals, kubernetes_version):
        before = before_by_id.get(id_)
        if before is not None and not projectcrds.is_copy(before.crd, old.crd):
            live = with_stored(before.crd, find_stored(before, migrated).stored)
            for error in old.crd.update_from(live).errors:
                yield f"{old.crd.name}: {old.releases[0]} is refused as an update of {before.releases[0]}: {error}"
        before_by_id[id_] = old


def merge(effects: Sequence[tuple[OldCrd, Upgrade]]) -> Upgrade:
    """Return the effects of upgrades from several releases as one; each finding names its releases."""
    findings: dict[tuple[Kind, str, str], Finding] = {}
    for old, effect in reversed(effects):
        for finding in effect.findings:
            key = (finding.kind, finding.path, finding.words)
            merged = findings.get(key, finding)
            findings[key] = replace(merged, releases=tuple(dict.fromkeys((*old.releases, *merged.releases))))
    order = list(Kind)
    upgrades = [effect for _, effect in effects]
    return Upgrade(
        tuple(sorted(findings.values(), key=lambda finding: order.index(finding.kind))),
        _join(effect.unshown for effect in upgrades),
        _join(effect.warnings for effect in upgrades),
        _join(effect.notices for effect in upgrades),
        _join(effect.undecided for effect in upgrades),
        _merge_unjudged(effect.unjudged for effect in upgrades),
    )


def _merge_unjudged(reasons: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the objects that no upgrade judges."""
    first, *others = reasons
    return {source: reason for source, reason in first.items() if all(source in reasons for reasons in others)}


def _join(texts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(itertools.chain.from_iterable(texts)))


def _storage(crd: CustomResourceDefinition) -> str:
    """Return the storage version of a CRD; empty if it has none."""
    return next((version.name for version in crd.versions if version.storage), "")


def _explain(finding: Finding, old: CustomResourceDefinition, stored: Sequence[StoredVersion]) -> Finding:
    """Return a finding about a version of earlier releases with the line of the last release that stored it."""
    if not finding.path.startswith(_STORED):
        return finding
    earlier = (version for version in stored if version.name != _storage(old))
    stored_version = next((version for version in earlier if f'"{version.name}"' in finding.words), None)
    if stored_version is None:
        return finding
    text = f"name: {stored_version.name}, storage: true"
    line = crdwrites.line_of(stored_version.crd.version(stored_version.name), "storage", text=text)
    remedy = f"crd_baseline_migrated = {stored_version.crd.group}/{stored_version.name}: REASON, if all stored objects are migrated"
    return replace(finding, lines=((line, finding.lines[0][1]),), remedy=remedy)
