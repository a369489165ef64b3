"""
The tags of a repository, and which of them is the last release before what is there now.

Releases are often tagged on branches of their own, so that what counts is where these leave the history of the current commit: the
nearest such place has the releases of this line of development, of which the highest is the last.

Reference:
    Semantic Versioning 2.0.0, sections 2, 9 and 11.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.discovery import git

_SEMVER: Final = re.compile(r"v?(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
# Behind what a pattern says.
_NUMBERED: Final = re.compile(r".*?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")
_FORMAT: Final = "%(refname:strip=2)%00%(objectname)%00%(*objectname)%00%(creatordate:short)"
_MOST_NAMED: Final = 3

# Numbers, and the parts of a pre-release: a release is above all of its own.
Precedence: TypeAlias = "tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]"


class NoReleaseError(LookupError):
    """There is no tag of a release; the message says what there is."""


class Tag(NamedTuple):
    """
    A tag.

    Attributes:
        name: `v1.2.3`.
        commit: The id of the commit.
        day: When it was made: `2026-11-22`.
        precedence: By which releases are ordered; None where it is no release.
    """

    name: str
    commit: str
    day: str
    precedence: Precedence | None

    @property
    def is_prerelease(self) -> bool:
        """Whether it is a release that is not yet one."""
        return self.precedence is not None and not self.precedence[1]


class Release(NamedTuple):
    """
    The last release.

    Attributes:
        name: Its tag.
        day: When that was made.
        passed_over: Later tags that are no releases, in words.
    """

    name: str
    day: str
    passed_over: tuple[str, ...]


class History:
    """
    The commits that the current one and tags come from.

    Attributes:
        head: The id of the current commit; empty where there is none.
    """

    def __init__(self, repository: Path, starts: Iterable[str]) -> None:
        self.head = git.ask(repository, "rev-parse", "--verify", "--quiet", "HEAD").line
        asked = "\n".join((*starts, *filter(None, (self.head,))))
        # The newest first, and none before those that come from it, whatever clocks say.
        listed = git.ask(repository, "log", "--date-order", "--format=%H %P", "--stdin", given=asked.encode()).line
        self._parents = {commit: parents for commit, *parents in map(str.split, listed.splitlines())}
        self._order = {commit: index for index, commit in enumerate(self._parents)}
        self._own = frozenset(self._from(self.head, frozenset()))

    def age_of_merge_base(self, commit: str) -> int | None:
        """Return how old the commit is at which the history of *commit* leaves the current one; None where they never meet."""
        met = (one for one in self._from(commit, self._own) if one in self._own)
        return min((self._order[one] for one in met), default=None)

    def _from(self, start: str, ends: Container[str]) -> Iterator[str]:
        """Yield the commits that *start* comes from, none behind one of *ends*."""
        seen, waiting = {start}, [start]
        while waiting:
            commit = waiting.pop()
            if commit not in self._parents:
                continue
            yield commit
            if commit not in ends:
                new = [one for one in self._parents[commit] if one not in seen]
                seen.update(new)
                waiting += new


def latest(repository: Path, pattern: str = "") -> Release:
    """
    Return the last release before what is there now.

    Where the current commit has a release's tag and nothing was changed since, it is that release that is judged: only those below it
    count. Pre-releases count where there are no others.

    Args:
        repository: Its folder; with all of its history.
        pattern: How tags of releases look, as `fnmatch` has it: `operator-v*`. Empty for all that are versions: `v1.2.3`, `1.2.3`.

    Raises:
        NoReleaseError: There is none.
    """
    known = list(_tags(repository, pattern))
    of_releases = [tag for tag in known if tag.precedence is not None]
    if not of_releases:
        raise NoReleaseError(_none(known, pattern))
    history = History(repository, [tag.commit for tag in of_releases])
    current = max((_order(tag) for tag in of_releases if tag.commit == history.head), default=None)
    if current is not None and not git.has_changes(repository):
        of_releases = [tag for tag in of_releases if _order(tag) < current]
        known = [tag for tag in known if tag.precedence is None or _order(tag) < current]
    ages = {tag: history.age_of_merge_base(tag.commit) for tag in of_releases}
    related = {tag: age for tag, age in ages.items() if age is not None}
    candidates = {tag: age for tag, age in related.items() if not tag.is_prerelease} or related
    if not candidates:
        before = "" if current is None else f" before {current[1]}"
        raise NoReleaseError(f"has no tag of a release{before} that shares a commit with what is there now")
    nearest = min(candidates.values())
    found = max((tag for tag, age in candidates.items() if age == nearest), key=_order)
    later = [tag for tag in known if tag not in candidates and tag.day >= found.day]
    return Release(found.name, found.day, tuple(_passed_over(later, related)))


def day(repository: Path, name: str, commit: str) -> str:
    """Return when a tag of this name was made, or, where there is none, the *commit*."""
    made = git.ask(repository, "for-each-ref", "--format=%(creatordate:short)", f"refs/tags/{name}").line
    return made or git.ask(repository, "log", "-1", "--date=short", "--format=%cd", commit).line


def _tags(repository: Path, pattern: str) -> Iterator[Tag]:
    listed = git.ask(repository, "for-each-ref", f"--format={_FORMAT}", "refs/tags").line
    for line in listed.splitlines():
        name, own, peeled, day = line.split("\0")
        yield Tag(name, peeled or own, day, _precedence(name, pattern))


def _precedence(name: str, pattern: str) -> Precedence | None:
    if pattern and not fnmatch.fnmatchcase(name, pattern):
        return None
    found = (_NUMBERED if pattern else _SEMVER).fullmatch(name)
    if found is None:
        return None
    numbers = tuple(map(int, found[1].split(".")))
    parts = found[2].split(".") if found[2] else []
    return numbers, not parts, tuple((not one.isdigit(), int(one) if one.isdigit() else 0, one) for one in parts)


def _order(tag: Tag) -> tuple[Precedence, str]:
    assert tag.precedence is not None  # noqa: S101 - of releases alone
    return tag.precedence, tag.name


def _passed_over(later: Iterable[Tag], related: Container[Tag]) -> Iterator[str]:
    """Yield the newest tags that were made later and do not count, each with its reason."""
    newest = sorted(later, key=lambda tag: (tag.day, tag.name), reverse=True)
    for tag in newest[:_MOST_NAMED]:
        reason = "no version" if tag.precedence is None else "a pre-release" if tag in related else "shares no commit"
        yield f"{tag.name} ({reason})"
    if len(newest) > _MOST_NAMED:
        yield f"{len(newest) - _MOST_NAMED} more"


def _none(known: Sequence[Tag], pattern: str) -> str:
    if not known:
        return "has no tag"
    listed = ", ".join(tag.name for tag in sorted(known, key=lambda tag: tag.day, reverse=True)[:_MOST_NAMED])
    wanted = f"matches {pattern!r} and has a version" if pattern else "is a version as v1.2.3"
    return f"has no tag that {wanted} (the newest: {listed}); git:latest-tag(PATTERN) says which tags are releases"
