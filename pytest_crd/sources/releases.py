"""Which commit of a repository is meant: a tag, a branch, an id, or the last release."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.sources import git

LATEST: Final = "latest-tag"
_FETCH: Final = "git fetch --tags --unshallow, or `fetch-depth: 0` of GitHub's actions/checkout"


class Commit(NamedTuple):
    """
    A commit.

    Attributes:
        repository: The folder of the repository.
        ref: What names it: never `latest-tag`.
        id: Its id.
    """

    repository: Path
    ref: str
    id: str


def find(folder: Path, ref: str) -> Commit:
    """
    Return the commit that *ref* names in the repository of *folder*.

    Raises:
        CrdError: There is no repository, or no such commit in it; the message says how to fetch it.
    """
    here = git.ask(folder, "rev-parse", "--show-toplevel")
    if not here.line:
        raise _mistake(ref, f"{folder} is in no git repository: {here.complaint}")
    repository = Path(here.line)
    named = _latest_tag(repository) if ref == LATEST else ref
    answer = git.ask(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{named}^{{commit}}")
    if not answer.line:
        raise _mistake(ref, f"there is no such commit in {repository}; it may not have been fetched: {_FETCH}")
    return Commit(repository, named, answer.line)


def _latest_tag(repository: Path) -> str:
    """
    Return the tag of the last release: the nearest that the current commit comes from.

    Where the current commit has tags and nothing was changed since, it is the release that is judged, not the one before it.
    """
    here = git.ask(repository, "tag", "--points-at", "HEAD").line.split()
    is_changed = not git.ask(repository, "diff", "--quiet", "HEAD").succeeded
    excluded = [] if is_changed else [f"--exclude={tag}" for tag in here]
    answer = git.ask(repository, "describe", "--tags", "--abbrev=0", *excluded, "HEAD")
    if not answer.line:
        before = f" before {here[0]}" if excluded else ""
        raise _mistake(
            LATEST,
            f"{repository} has no tag{before} that its commit comes from; it may not have been fetched: {_FETCH}",
        )
    return answer.line


def _mistake(ref: str, message: str) -> CrdError:
    return CrdError([Mistake(f"git:{ref}", 0, message)])
