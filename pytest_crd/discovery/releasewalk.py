"""
Walks over the releases of a repository: the versions that clusters have stored, and the CRDs of each release.

A cluster that has lived through several releases has the storage version of each of them in `status.storedVersions`, until it is
removed by hand. A release that drops a version is refused in such a cluster, so the walk goes on as if the version had been migrated.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.discovery.commitcrds import CommitCrds, CommitReader, Project
from pytest_crd.discovery.releases import Commit
from pytest_crd.discovery.tags import Releases, Tag
from pytest_crd.engine import CustomResourceDefinition, CustomResourceDefinitions, InputError
from pytest_crd.engine.loading import projectcrds
from pytest_crd.progress import Tell, each, ignore_step
from pytest_crd.wording import counted

_MOST_NAMED: Final = 3


class StoredVersion(NamedTuple):
    """
    A version that a release has stored.

    Attributes:
        name: The version.
        release: The last release that stored it.
        crd: The CRD of that release.
    """

    name: str
    release: str
    crd: CustomResourceDefinition


# By the name of the CRD, then by the version, in the order in which they were stored first.
_StoredVersions: TypeAlias = Mapping[str, Mapping[str, StoredVersion]]


class StorageHistory(NamedTuple):
    """
    The history of a CRD.

    Attributes:
        stored: The versions that earlier releases have stored, in the order in which they were stored first.
        problems: The releases that could not be read, with the reasons.
    """

    stored: tuple[StoredVersion, ...] = ()
    problems: tuple[str, ...] = ()


class OldCrd(NamedTuple):
    """
    A CRD of the baseline.

    Attributes:
        crd: The CRD.
        releases: The releases that have it, if the baseline has several.
        find_history: Function that returns its history before these releases.
    """

    crd: CustomResourceDefinition
    releases: tuple[str, ...] = ()
    find_history: Callable[[], StorageHistory] = StorageHistory


class ReleaseCrds(NamedTuple):
    """
    The CRDs of a release.

    Attributes:
        ref: The tag.
        crds: The CRDs.
        stored: The versions that earlier releases have stored.
        is_prerelease: Whether it is a pre-release beside releases, which later releases do not follow.
    """

    ref: str
    crds: tuple[CustomResourceDefinition, ...]
    stored: _StoredVersions
    is_prerelease: bool

    def select(self, names: Container[str]) -> ReleaseCrds:
        """Return the release with the CRDs of *names* only."""
        return self._replace(crds=tuple(crd for crd in self.crds if crd.name in names))


class Walk(NamedTuple):
    """
    A walk over all releases.

    Attributes:
        words: The number of releases.
        last: The last release with CRDs; None if no release has one.
        releases: The releases with CRDs.
        notes: Notes about unreadable releases and removed CRDs.
    """

    words: str
    last: CommitCrds | None
    releases: tuple[ReleaseCrds, ...]
    notes: tuple[str, ...]


@dataclass
class EarlierReleases:
    """
    The releases before a commit; their CRDs are read, without schemas, at the first question.

    Attributes:
        commit: The commit.
        project: The settings of today's CRDs.
        kubernetes_version: The Kubernetes version of messages.
    """

    commit: Commit
    project: Project
    kubernetes_version: str

    def find_history(self, name: str) -> StorageHistory:
        """Return the history of the CRD *name* before the commit."""
        stored, problems = self._read
        return StorageHistory(tuple(stored.get(name, {}).values()), problems)

    @cached_property
    def _read(self) -> tuple[_StoredVersions, tuple[str, ...]]:
        reader = CommitReader(self.commit.repository, self.project, self.kubernetes_version, has_schemas=False)
        try:
            tags = self.commit.find_earlier()
        except InputError as error:
            return {}, (f"the versions stored before {self.commit.ref} are not known: {error}",)
        stored: _StoredVersions = {}
        problems: list[str] = []
        for tag in tags:
            read_crds = _read_release(reader, tag, problems)
            stored = _add(stored, tag.name, () if read_crds is None else read_crds.files.crds)
        return stored, tuple(problems)


def read(commit: Commit, project: Project, kubernetes_version: str, tell: Tell = ignore_step) -> Walk:
    """
    Return the CRDs of all releases.

    Args:
        commit: The last release, with all others.
        project: The settings of today's CRDs.
        kubernetes_version: The Kubernetes version of messages.
        tell: Reports each release.

    Raises:
        InputError: The last release cannot be read.
    """
    all_releases = commit.releases
    assert all_releases is not None  # noqa: S101 - the caller wants all releases
    reader = CommitReader(commit.repository, project, kubernetes_version)
    stored_after: dict[Tag, _StoredVersions] = {}
    releases: list[ReleaseCrds] = []
    problems: list[str] = []
    last: CommitCrds | None = None
    current: set[str] = set()
    for tag in each(all_releases.walk, tell, lambda tag: tag.name):
        is_prerelease = tag in all_releases.prereleases
        before = [earlier for earlier in stored_after if earlier.order < tag.order]
        stored = stored_after[before[-1]] if before else {}
        read_crds = _read_release(reader, tag, problems, is_needed=tag == all_releases.last)
        crds = () if read_crds is None else tuple(read_crds.files.crds)
        if not is_prerelease:
            stored_after[tag] = _add(stored, tag.name, crds)
        if read_crds is not None and crds:
            releases.append(ReleaseCrds(tag.name, crds, stored, is_prerelease))
            last = last if is_prerelease and last is not None else read_crds
            current |= {crd.name for crd in crds} if tag.order > all_releases.last.order else set()
    words = _describe(all_releases, releases, problems)
    current |= {crd.name for crd in last.files.crds} if last is not None else set()
    notes = (*problems, *_describe_removed(releases, current))
    return Walk(words, last, tuple(release.select(current) for release in releases), notes)


def _describe_removed(releases: Iterable[ReleaseCrds], current: Container[str]) -> Iterator[str]:
    """Yield a note about the CRDs that earlier releases have removed, each with the last release that had it."""
    had = {crd.name: release.ref for release in releases for crd in release.crds if crd.name not in current}
    if had:
        named = [f"{name} (last in {ref})" for name, ref in [*had.items()][:_MOST_NAMED]]
        more = f" and {len(had) - _MOST_NAMED} more" if len(had) > _MOST_NAMED else ""
        yield f"not judged, because earlier releases removed them: {', '.join(named)}{more}"


def group(releases: Sequence[ReleaseCrds], kubernetes_version: str) -> dict[str, list[OldCrd]]:
    """
    Return the distinct CRDs of releases, the oldest first, by their id.

    Args:
        releases: The releases.
        kubernetes_version: The Kubernetes version of the CRDs.
    """
    grouped: dict[str, list[OldCrd]] = {}
    for id_, old in list_crds(releases, kubernetes_version):
        same_id = grouped.setdefault(id_, [])
        twin = next((same for same in same_id if projectcrds.is_copy(same.crd, old.crd)), None)
        if twin is None:
            same_id.append(old)
        else:  # a later history has all of these versions
            same_id[same_id.index(twin)] = old._replace(releases=(*twin.releases, *old.releases))
    return grouped


def list_crds(releases: Iterable[ReleaseCrds], kubernetes_version: str) -> Iterator[tuple[str, OldCrd]]:
    """Yield the CRDs of each release with an id that is unique in the release."""
    for release in releases:
        crds = CustomResourceDefinitions([crd.under(kubernetes_version) for crd in release.crds])
        for crd in crds:
            history = StorageHistory(tuple(release.stored.get(crd.name, {}).values()))
            yield _id_of(crd, crds), OldCrd(crd, (release.ref,), functools.partial(_get, history))


def _get(history: StorageHistory) -> StorageHistory:
    return history


def _id_of(crd: CustomResourceDefinition, crds: CustomResourceDefinitions) -> str:
    """Return the id of a CRD among the CRDs of its release, without the release."""
    name, _, place = crds.id_of(crd).partition("@")
    return f"{name}@{place.partition(':')[2]}" if place else name


def _add(stored: _StoredVersions, release: str, crds: Iterable[CustomResourceDefinition]) -> _StoredVersions:
    """Return the stored versions after a release; a version that it drops is no longer stored."""
    by_name: dict[str, list[CustomResourceDefinition]] = {}
    for crd in crds:
        by_name.setdefault(crd.name, []).append(crd)
    return {**stored, **{name: _store(stored.get(name, {}), release, same) for name, same in by_name.items()}}


def _store(
    before: Mapping[str, StoredVersion], release: str, crds: Iterable[CustomResourceDefinition]
) -> dict[str, StoredVersion]:
    versions = [(crd, version) for crd in crds for version in crd.versions]
    listed = {version.name for _, version in versions}
    after = {name: stored for name, stored in before.items() if name in listed}
    for crd, version in versions:
        if version.storage:
            after[version.name] = StoredVersion(version.name, release, crd)
    return after


def _describe(found: Releases, releases: Sequence[ReleaseCrds], problems: Sequence[str]) -> str:
    """Return the number of releases, in words."""
    finals = (*found.earlier, found.last)
    count = len(found.walk) - len(releases) - len(problems)
    span = f" from {finals[0].name} to {found.last.name}" if found.earlier else f", {found.last.name}"
    parts = (
        f"{counted(len(finals), 'release')}{span}",
        counted(len(found.prereleases), "pre-release") if found.prereleases else "",
        f"{count} without CRDs" if count else "",
        f"{len(problems)} not read" if problems else "",
    )
    return ", ".join(filter(None, parts))


def _read_release(reader: CommitReader, tag: Tag, problems: list[str], *, is_needed: bool = False) -> CommitCrds | None:
    """
    Return the CRDs of a release; None if they cannot be read, which is added to *problems*.

    Raises:
        InputError: They cannot be read, but are needed.
    """
    try:
        read_crds = reader.read(tag.commit, tag.name)
        read_crds.files.raise_mistakes()
    except InputError as error:
        if is_needed:
            raise
        problems.append(f"the CRDs of {tag.name} are not known: {error.mistakes[0]}")
        return None
    return read_crds
