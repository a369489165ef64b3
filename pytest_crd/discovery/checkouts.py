"""
Temporary checkouts of commits, in which the commands of a project run.

A checkout is a repository of its own, which borrows the objects of the project's repository. So no setting of the project's repository
counts in it: no filter, hook or remote. The project's repository is only read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd import processes
from pytest_crd.discovery import git
from pytest_crd.discovery.git import GitAnswer
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.temporaryfolders import TemporaryFolder

_CONFIGS: Final = {
    b"sha1": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    b"sha256": "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n",
}
# Files are written as they are stored. This file takes precedence over `.gitattributes` and the user's attributes.
_ATTRIBUTES: Final = "* -text -ident !working-tree-encoding -filter\n"
_PATHS: Final = (
    *("rev-parse", "--path-format=absolute", "--show-object-format"),
    *("--git-path", "shallow", "--git-path", "objects"),
)
_REFS: Final = ("for-each-ref", "--format=%(objectname) %(refname)")


class Checkout(NamedTuple):
    """
    A commit in a temporary folder.

    Attributes:
        repository: The folder of the repository, which has the files of today.
        root: The temporary folder.
    """

    repository: Path
    root: Path


@contextlib.contextmanager
def check_out(repository: Path, commit: str, ref: str) -> Iterator[Checkout]:
    """
    Check out a commit into a temporary folder, and return it. SIGTERM ends the block with KeyboardInterrupt.

    Args:
        repository: The folder of the repository.
        commit: The id of the commit.
        ref: Its name in messages.

    Raises:
        CrdError: git cannot check it out.
    """
    with processes.interrupted_by_signals(), TemporaryFolder() as folder:
        checkout = Checkout(repository, folder.path)
        answer = _create_repository(checkout, commit)
        if not answer.succeeded:
            raise CrdError([Mistake(f"git:{ref}", 0, f"git checks out no files: {answer.complaint}")])
        yield checkout


def _create_repository(checkout: Checkout, commit: str) -> GitAnswer:
    """Create a repository with the refs and history of the project's repository, write the files of a commit, and return the last answer of git."""
    paths = git.run(checkout.repository, *_PATHS)
    refs = git.run(checkout.repository, *_REFS)
    for answer in (paths, refs):
        if not answer.succeeded:
            return answer
    object_format, shallow, objects = paths.output.split(b"\n", 2)
    folder = checkout.root / ".git"
    for name in ("info", "objects/info", "refs"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text(f"{commit}\n", encoding="utf-8")
    (folder / "config").write_text(_CONFIGS[object_format], encoding="utf-8")
    (folder / "info/attributes").write_text(_ATTRIBUTES, encoding="utf-8")
    (folder / "objects/info/alternates").write_bytes(objects)
    (folder / "packed-refs").write_bytes(refs.output)
    with contextlib.suppress(FileNotFoundError):  # only a shallow clone has this file
        (folder / "shallow").write_bytes(Path(os.fsdecode(shallow)).read_bytes())
    # The options keep git from a search in the folders above.
    own = (f"--git-dir={folder}", f"--work-tree={checkout.root}")
    return git.run(checkout.root, *own, "read-tree", "--reset", "-u", commit)
