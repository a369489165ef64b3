"""Questions to git about a repository: the one place where it is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

_SECONDS: Final = 60
# Settings of a repository by which git would run programs: `core.fsmonitor`, hooks, `gpg.program`, submodules.
_SETTINGS: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "log.showSignature=false",
    "submodule.recurse=false",
)
_EMPTY: Final = "PYTEST_CRD_EMPTY"
_ENVIRONMENT: Final = {
    _EMPTY: "",
    "GIT_ALLOW_PROTOCOL": "",  # no remote is asked for objects that a partial clone lacks
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
# Scopes of settings that the user alone writes.
_OF_USER: Final = ("system", "global", "command")
# In a git hook these point to the repository of the hook, which need not be the one of the folder that is asked about.
_OF_GIT: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")


class GitAnswer(NamedTuple):
    """
    What git has answered.

    Attributes:
        succeeded: Whether it did what it was asked.
        output: What it has printed.
        complaint: What it has printed about what is wrong.
    """

    succeeded: bool
    output: bytes
    complaint: str

    @property
    def line(self) -> str:
        """The output as the one line that it is."""
        return os.fsdecode(self.output).removesuffix("\n")


def ask(folder: Path, *arguments: str, given: bytes = b"") -> GitAnswer:
    """
    Return the answer of git to a command; git runs no program that the repository names, and asks no remote.

    Args:
        folder: The folder that it is asked about.
        arguments: The command.
        given: What it reads from its standard input.
    """
    environment = {key: value for key, value in os.environ.items() if key not in _OF_GIT} | _ENVIRONMENT
    options = [word for setting in _SETTINGS for word in ("-c", setting)]
    try:
        done = subprocess.run(  # noqa: S603 - no shell
            ["git", "--no-pager", *options, *arguments],  # noqa: S607 - whichever git the user has
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return GitAnswer(succeeded=False, output=b"", complaint=f"git cannot be run: {error}")
    return GitAnswer(done.returncode == 0, done.stdout, done.stderr.decode(errors="replace").strip())


def has_changes(repository: Path) -> bool:
    """Return whether files differ from the current commit, without the filters, drivers and submodules of the repository."""
    listed = ask(repository, "config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
    if listed.complaint and not listed.succeeded:
        return True
    words = os.fsdecode(listed.output).split("\0")
    keys = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope not in _OF_USER]
    return not ask(
        repository,
        *(f"--config-env={key}={_EMPTY}" for key in keys),  # unlike `-c`, it takes a key with an equals sign
        *("diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "HEAD"),
    ).succeeded
