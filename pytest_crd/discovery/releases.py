"""The commit that a tag, a branch, an id or `latest-tag` names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.discovery import git, tags
from pytest_crd.discovery.tags import NoReleaseError
from pytest_crd.engine.inputerror import CrdError, Mistake

# `latest-tag`, and with a pattern `latest-tag(operator-v*)`.
_LATEST: Final = re.compile(r"latest-tag(?:\((.+)\))?")
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
        note: Its date and, for `latest-tag`, the tags that were passed over.
    """

    repository: Path
    ref: str
    id: str
    note: str


def find_commit(folder: Path, ref: str) -> Commit:
    """
    Return the commit *ref* in the repository of *folder*.

    Raises:
        AbsentError: There is no repository or no such commit.
    """
    here = git.run(folder, "rev-parse", "--show-toplevel")
    if not here.line:
        raise _mistake(ref, f"{folder} is in no git repository: {here.complaint}")
    repository, name, note = Path(here.line), ref, ""
    if latest := _LATEST.fullmatch(ref):
        name, note = _latest(repository, ref, latest[1] or "")
    answer = git.run(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if not answer.line:
        raise _mistake(ref, f"there is no such commit in {repository}; it may not have been fetched: {_FETCH}")
    return Commit(repository, name, answer.line, note or f"of {tags.day(repository, name, answer.line)}")


def _latest(repository: Path, ref: str, pattern: str) -> tuple[str, str]:
    """Return the tag of the last release, and a note with its date and the tags that were passed over."""
    if git.run(repository, "rev-parse", "--is-shallow-repository").line == "true":
        raise _mistake(ref, f"{repository} is a shallow clone, so no release can be found: {_FETCH}")
    try:
        release = tags.latest(repository, pattern)
    except NoReleaseError as error:
        raise _mistake(ref, f"{repository} {error}; if its tags are not fetched yet: {_FETCH}") from None
    passed_over = f"; passed over: {', '.join(release.passed_over)}" if release.passed_over else ""
    return release.name, f"of {release.day}{passed_over}"


def _mistake(ref: str, message: str) -> AbsentError:
    return AbsentError([Mistake(f"git:{ref}", 0, message)])
