"""The only place that runs git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

from pytest_crd.records import NamedTuple

_SECONDS: Final = 60
# Settings of a repository that make git run programs: `core.fsmonitor`, hooks, `gpg.program`, submodules.
_SETTINGS: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "safe.bareRepository=explicit",
    "log.showSignature=false",
    "submodule.recurse=false",
)
_EMPTY: Final = "PYTEST_CRD_EMPTY"
_ENVIRONMENT: Final = {
    _EMPTY: "",
    "GIT_ALLOW_PROTOCOL": "",  # no remote is contacted for objects that a partial clone lacks
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",  # no file of the repository is written, so no event runs a hook of its settings
    "GIT_TERMINAL_PROMPT": "0",
}
# Scopes of settings that only the user writes.
_USER_SCOPES: Final = ("system", "global", "command")
# In a git hook these variables point to the repository of the hook, which may be another one.
_GIT_VARIABLES: Final = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
)


class GitAnswer(NamedTuple):
    """
    Result of a git command.

    Attributes:
        succeeded: Whether it exited with 0.
        output: Its standard output.
        complaint: Its error output.
    """

    succeeded: bool
    output: bytes
    complaint: str

    @property
    def line(self) -> str:
        """The output as a single line."""
        return os.fsdecode(self.output).removesuffix("\n")


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> GitAnswer:
    """
    Run a git command and return its result; git runs no program of the repository's settings and contacts no remote.

    Args:
        folder: The working folder.
        arguments: The command.
        stdin: Its standard input.
    """
    options = [word for setting in _SETTINGS for word in ("-c", setting)]
    try:
        process = subprocess.run(  # noqa: S603 - no shell
            ["git", "--no-pager", *options, *arguments],  # noqa: S607 - the git of the user's PATH
            cwd=folder,
            env=environment() | _ENVIRONMENT,
            input=stdin,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return GitAnswer(succeeded=False, output=b"", complaint=f"git cannot be run: {error}")
    return GitAnswer(process.returncode == 0, process.stdout, process.stderr.decode(errors="replace").strip())


class DisabledFilters(NamedTuple):
    """
    Options that disable the filters in the settings of a repository.

    Attributes:
        options: The options.
        complaint: The error of git if it cannot list its settings.
    """

    options: tuple[str, ...] = ()
    complaint: str = ""


def disable_filters(repository: Path) -> DisabledFilters:
    """Return options for a command that reads or writes files, so that it runs no filter of the repository's settings."""
    listed = run(repository, "config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
    if listed.complaint and not listed.succeeded:
        return DisabledFilters(complaint=listed.complaint)
    words = os.fsdecode(listed.output).split("\0")
    keys = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope not in _USER_SCOPES]
    # Unlike `-c`, the option takes a key with an equals sign.
    return DisabledFilters(tuple(f"--config-env={key}={_EMPTY}" for key in keys))


def has_changes(repository: Path) -> bool:
    """Return whether files differ from the current commit; the repository's own filters, drivers and submodules are not used."""
    filters = disable_filters(repository)
    # Unlike `git diff`, it writes no index.
    command = ("status", "--porcelain", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty")
    answer = run(repository, *filters.options, *command)
    return bool(filters.complaint or answer.output) or not answer.succeeded


def environment() -> dict[str, str]:
    """Return the environment without the variables that point git to the repository of a hook."""
    return {key: value for key, value in os.environ.items() if key not in _GIT_VARIABLES}
