"""
The tags of a repository, and the last release before the current commit.

Releases are often tagged on branches of their own. So what counts is the commit where such a branch leaves the history of the current
commit: the nearest one leads to the releases of the current line of development, and the highest of them is the last release.

Reference:
    Semantic Versioning 2.0.0, sections 2, 9 and 11.
"""

from __future__ import annotations

import fnmatch
import string
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from pytest_crd import lazyre
from pytest_crd.discovery import git

_SEMVER: Final = lazyre.compile(r"v?(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
# Parts of the version in a tag that matches a pattern.
_NUMBERS: Final = lazyre.compile(r"[0-9]+(?:\.[0-9]+)*")
_IN_VERSION: Final = frozenset(f"{string.ascii_letters}{string.digits}.-")
_FORMAT: Final = "%(refname:strip=2)%00%(objectname)%00%(*objectname)%00%(creatordate:short)"
_MOST_NAMED: Final = 3

# The version numbers, whether it is a release, and the parts of a pre-release.
Precedence: TypeAlias = "tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]"


class _Version(NamedTuple):
    """The version at the end of a name: its start, its numbers and its pre-release."""

    start: int
    numbers: str
    prerelease: str


class NoReleaseError(LookupError):
    """There is no tag of a release; the message names the existing tags."""


class Tag(NamedTuple):
    """
    A tag.

    Attributes:
        name: `v1.2.3`.
        commit: The id of the commit.
        day: The date of the tag: `2026-11-22`.
        precedence: The rank among releases; None if it is no release.
    """

    name: str
    commit: str
    day: str
    precedence: Precedence | None

    @property
    def is_prerelease(self) -> bool:
        """Whether it is a pre-release."""
        return self.precedence is not None and not self.precedence[1]

    @property
    def order(self) -> tuple[Precedence, str]:
        """The rank of a release, then its name."""
        assert self.precedence is not None  # noqa: S101 - only releases are ordered
        return self.precedence, self.name


class Releases(NamedTuple):
    """
    The releases that share history with the current commit.

    Attributes:
        last: The last release before the current commit.
        earlier: The releases before it, the oldest first.
        prereleases: The pre-releases before it and before the current commit, the oldest first; empty if there are only pre-releases.
        passed_over: Later tags that are no releases, each with its reason.
        current: The release that is the current commit; empty if there is none.
    """

    last: Tag
    earlier: tuple[Tag, ...]
    prereleases: tuple[Tag, ...]
    passed_over: tuple[str, ...]
    current: str = ""

    @property
    def walk(self) -> tuple[Tag, ...]:
        """All releases by version, the pre-releases last."""
        return (*self.earlier, self.last, *self.prereleases)


class History:
    """
    The ancestors of the current commit and of tags.

    Attributes:
        head: The id of the current commit; empty if there is none.
    """

    def __init__(self, repository: Path, starts: Iterable[str], *, head: str = "") -> None:
        self.head = head or git.run(repository, "rev-parse", "--verify", "--quiet", "HEAD").line
        commits = "\n".join((*starts, *filter(None, (self.head,))))
        # Newest first, but no commit before its descendants, whatever their dates say.
        listed = git.run(repository, "log", "--date-order", "--format=%H %P", "--stdin", stdin=commits.encode()).line
        self._parents = {commit: parents for commit, *parents in map(str.split, listed.splitlines())}
        self._order = {commit: index for index, commit in enumerate(self._parents)}
        self._own = frozenset(self._from(self.head, frozenset()))

    def has(self, commit: str) -> bool:
        """Return whether *commit* is the current commit or its ancestor."""
        return commit in self._own

    def age_of_merge_base(self, commit: str) -> int | None:
        """Return the age, in commits, of the point where the history of *commit* leaves the current one; None if they never meet."""
        shared = (ancestor for ancestor in self._from(commit, self._own) if ancestor in self._own)
        return min((self._order[ancestor] for ancestor in shared), default=None)

    def _from(self, start: str, ends: Container[str]) -> Iterator[str]:
        """Yield *start* and its ancestors, but none behind a commit of *ends*."""
        visited, waiting = {start}, [start]
        while waiting:
            commit = waiting.pop()
            if commit not in self._parents:
                continue
            yield commit
            if commit not in ends:
                new = [parent for parent in self._parents[commit] if parent not in visited]
                visited.update(new)
                waiting += new


def find_releases(repository: Path, pattern: str = "") -> Releases:
    """
    Return the last release before the current commit, and the releases before it.

    If the current commit is a release without further changes, that release is the one to judge: only lower ones count. Pre-releases
    count as releases if there are no others.

    Args:
        repository: Its folder; its history must be complete.
        pattern: The `fnmatch` pattern of release tags, `operator-v*`; empty for all tags that are versions: `v1.2.3`, `1.2.3`.

    Raises:
        NoReleaseError: There is no release.
    """
    all_tags = list(_tags(repository, pattern))
    release_tags = [tag for tag in all_tags if tag.precedence is not None]
    if not release_tags:
        raise NoReleaseError(_describe_tags(all_tags, pattern))
    history = History(repository, [tag.commit for tag in release_tags])
    current = max((tag.order for tag in release_tags if tag.commit == history.head), default=None)
    if current is not None and not git.has_changes(repository):
        release_tags = [tag for tag in release_tags if tag.order < current]
        all_tags = [tag for tag in all_tags if tag.precedence is None or tag.order < current]
    ages = {tag: history.age_of_merge_base(tag.commit) for tag in release_tags}
    related = {tag: age for tag, age in ages.items() if age is not None}
    candidates = {tag: age for tag, age in related.items() if not tag.is_prerelease} or related
    if not candidates:
        before = "" if current is None else f" before {current[1]}"
        raise NoReleaseError(f"has no release tag{before} that shares history with the current commit")
    nearest = min(candidates.values())
    last = max((tag for tag, age in candidates.items() if age == nearest), key=lambda tag: tag.order)
    earlier = [tag for tag in candidates if tag.order < last.order]
    others = [tag for tag in related if tag not in candidates]
    prereleases = [tag for tag in others if tag.order < last.order or history.has(tag.commit)]
    later = [tag for tag in all_tags if tag not in candidates and tag.day >= last.day]
    return Releases(
        last,
        tuple(sorted(earlier, key=lambda tag: tag.order)),
        tuple(sorted(prereleases, key=lambda tag: tag.order)),
        tuple(_passed_over(later, related)),
        "" if current is None else current[1],
    )


def find_earlier(repository: Path, name: str, commit: str) -> tuple[Tag, ...]:
    """
    Return the releases before a commit, the oldest first. Pre-releases count if there are no others.

    Args:
        repository: Its folder; its history must be complete.
        name: The name of the commit. If it is the tag of a release, tags with the same prefix count, also on other branches; else the
            tags of its ancestors.
        commit: The id of the commit.
    """
    version = _find_version(name)
    prefix = "" if version is None or _SEMVER.fullmatch(name) else name[: version.start]
    pattern = f"{prefix}*" if prefix else ""  # git forbids wildcards in names
    release_tags = [tag for tag in _tags(repository, pattern) if tag.precedence is not None]
    own = next((tag for tag in release_tags if tag.name == name), None)
    history = History(repository, [tag.commit for tag in release_tags], head=commit)
    if own is None:
        earlier = [tag for tag in release_tags if history.has(tag.commit)]
    else:
        lower = [tag for tag in release_tags if tag.order < own.order]
        earlier = [tag for tag in lower if history.age_of_merge_base(tag.commit) is not None]
    return tuple(sorted([tag for tag in earlier if not tag.is_prerelease] or earlier, key=lambda tag: tag.order))


def day(repository: Path, name: str, commit: str) -> str:
    """Return the date of the tag *name*; without one, that of *commit*."""
    date = git.run(repository, "for-each-ref", "--format=%(creatordate:short)", f"refs/tags/{name}").line
    return date or git.run(repository, "log", "-1", "--date=short", "--format=%cd", commit).line


def _tags(repository: Path, pattern: str) -> Iterator[Tag]:
    listed = git.run(repository, "for-each-ref", f"--format={_FORMAT}", "refs/tags").line
    for line in listed.splitlines():
        name, own, peeled, day = line.split("\0")
        yield Tag(name, peeled or own, day, _precedence(name, pattern))


def _precedence(name: str, pattern: str) -> Precedence | None:
    if pattern and not fnmatch.fnmatchcase(name, pattern):
        return None
    version = _find_version(name) if pattern or _SEMVER.fullmatch(name) else None
    if version is None:
        return None
    numbers = tuple(map(int, version.numbers.split(".")))
    parts = version.prerelease.split(".") if version.prerelease else []
    return numbers, not parts, tuple((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)


def _find_version(name: str) -> _Version | None:
    """Return the first version that extends to the end of a name, perhaps with a pre-release and a build; None if there is none."""
    plain, plus, build = name.rpartition("+")
    texts = (plain, name) if plus and build and _IN_VERSION.issuperset(build) else (name,)
    for text in texts:
        tail = next((index + 1 for index in reversed(range(len(text))) if text[index] not in _IN_VERSION), 0)
        for numbers in _NUMBERS.finditer(text, tail):
            rest = text[numbers.end() : numbers.end() + 2]
            if not rest or (rest.startswith("-") and len(rest) > 1):
                return _Version(numbers.start(), numbers[0], text[numbers.end() + 1 :])
    return None


def _passed_over(later: Iterable[Tag], related: Container[Tag]) -> Iterator[str]:
    """Yield the newest of *later* tags, each with the reason why it does not count."""
    newest = sorted(later, key=lambda tag: (tag.day, tag.name), reverse=True)
    for tag in newest[:_MOST_NAMED]:
        reason = "no version" if tag.precedence is None else "a pre-release" if tag in related else "shares no commit"
        yield f"{tag.name} ({reason})"
    if len(newest) > _MOST_NAMED:
        yield f"{len(newest) - _MOST_NAMED} more"


def _describe_tags(tags: Sequence[Tag], pattern: str) -> str:
    if not tags:
        return "has no tag"
    listed = ", ".join(tag.name for tag in sorted(tags, key=lambda tag: tag.day, reverse=True)[:_MOST_NAMED])
    wanted = f"matches {pattern!r} and has a version" if pattern else "is a version as v1.2.3"
    return f"has no tag that {wanted} (the newest: {listed}); git:latest-tag(PATTERN) says which tags are releases"
