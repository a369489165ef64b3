"""The commits that a tag, a branch, an id, `latest-tag` or `all-tags` names."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.discovery import git, tags
from pytest_crd.discovery.tags import NoReleaseError, Releases, Tag
from pytest_crd.engine.inputerror import CrdError, Mistake

# `latest-tag` and `all-tags`, and with a pattern `latest-tag(operator-v*)`.
_RELEASES: Final = lazyre.compile(r"(latest-tag|all-tags)(?:\((.+)\))?")
_ALL: Final = "all-tags"
_FETCH: Final = "git fetch --tags --unshallow, or `fetch-depth: 0` of GitHub's actions/checkout"


class AbsentError(CrdError):
    """The release or commit does not exist; the message says how to fetch it."""


class Commit(NamedTuple):
    """
    A commit.

    Attributes:
        repository: The folder of the repository.
        ref: Its name: a tag, a branch or an id.
        id: Its id.
        note: Its date and, for the last release, the tags that were passed over.
        releases: The releases, if *ref* is `latest-tag` or `all-tags`.
    """

    repository: Path
    ref: str
    id: str
    note: str
    releases: Releases | None = None

    def find_earlier(self) -> tuple[Tag, ...]:
        """
        Return the releases before it, the oldest first.

        Raises:
            AbsentError: The clone is shallow.
        """
        if self.releases is not None:
            return self.releases.earlier
        if git.run(self.repository, "rev-parse", "--is-shallow-repository").line == "true":
            raise _shallow(self.repository, self.ref)
        return tags.find_earlier(self.repository, self.ref, self.id)


def is_checkout(commit: Commit) -> bool:
    """Return whether *commit* is the current commit, and no file of the checkout differs from it."""
    head = git.run(commit.repository, "rev-parse", "--verify", "--quiet", "HEAD").line
    return commit.id == head and not git.has_changes(commit.repository)


def is_of_all(ref: str) -> bool:
    """Return whether *ref* names all releases."""
    match = _RELEASES.fullmatch(ref)
    return match is not None and match[1] == _ALL


def find_commit(folder: Path, ref: str) -> Commit:
    """
    Return the commit *ref* in the repository of *folder*.

    Raises:
        AbsentError: There is no repository or no such commit.
    """
    here = git.run(folder, "rev-parse", "--is-shallow-repository", "--show-toplevel")
    is_shallow, _, top = here.line.partition("\n")
    if not top:
        raise _mistake(ref, f"{folder} is in no git repository: {here.complaint}")
    repository, name, note, found = Path(top), ref, "", None
    if match := _RELEASES.fullmatch(ref):
        if is_shallow == "true":
            raise _shallow(repository, ref)
        found = _find_releases(repository, ref, match[2] or "")
        name, note = found.last.name, _describe(found)
    answer = git.run(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not answer.line and ":" in name:  # no name of a branch or tag has a colon
        raise _mistake(ref, f"a commit is named without a path: git:{name.partition(':')[0]}")
    if not answer.line:
        raise _mistake(ref, f"there is no such commit in {repository}; it may not have been fetched: {_FETCH}")
    return Commit(repository, name, answer.line, note or f"of {tags.day(repository, name, answer.line)}", found)


def _find_releases(repository: Path, ref: str, pattern: str) -> Releases:
    try:
        return tags.find_releases(repository, pattern)
    except NoReleaseError as error:
        raise _mistake(ref, f"{repository} {error}; if its tags are not fetched yet: {_FETCH}") from None


def _describe(found: Releases) -> str:
    """Return the date of the last release and the tags that were passed over."""
    passed_over = f"; passed over: {', '.join(found.passed_over)}" if found.passed_over else ""
    return f"of {found.last.day}{passed_over}"


def _shallow(repository: Path, ref: str) -> AbsentError:
    return _mistake(ref, f"{repository} is a shallow clone, so no release can be found: {_FETCH}")


def _mistake(ref: str, message: str) -> AbsentError:
    return AbsentError([Mistake(f"git:{ref}", 0, message)])
