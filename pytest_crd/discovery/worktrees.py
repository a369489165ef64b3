"""Temporary checkouts of commits, in which the commands of a project run."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_crd.discovery import git
from pytest_crd.engine.inputerror import CrdError, Mistake


class Checkout(NamedTuple):
    """
    A commit in a worktree.

    Attributes:
        repository: The folder of the repository, which has the files of today.
        root: The folder of the worktree.
    """

    repository: Path
    root: Path


@contextlib.contextmanager
def check_out(repository: Path, commit: str, ref: str) -> Iterator[Checkout]:
    """
    Check out a commit into a temporary worktree of the repository, and return it.

    Args:
        repository: The folder of the repository.
        commit: The id of the commit.
        ref: Its name in messages.

    Raises:
        CrdError: git cannot check it out.
    """
    with tempfile.TemporaryDirectory(prefix="pytest-crd-") as parent:
        folder = Path(parent).resolve() / "worktree"
        filters = git.disable_filters(repository)
        answer = git.run(repository, *filters.options, "worktree", "add", "--quiet", "--detach", str(folder), commit)
        try:
            if filters.complaint or not answer.succeeded:
                message = f"git checks out no files: {filters.complaint or answer.complaint}"
                raise CrdError([Mistake(f"git:{ref}", 0, message)])
            yield Checkout(repository, folder)
        finally:
            git.run(repository, "worktree", "remove", "--force", "--force", str(folder))
