"""Questions to git about a repository: the one place where it is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

_SECONDS: Final = 60
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
    Return what git answers to a command.

    Args:
        folder: The folder that it is asked about.
        arguments: The command.
        given: What it reads from its standard input.
    """
    environment = {key: value for key, value in os.environ.items() if key not in _OF_GIT}
    try:
        done = subprocess.run(  # noqa: S603 - no shell
            ["git", *arguments],  # noqa: S607 - whichever git the user has
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
