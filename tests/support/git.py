"""A git repository around a project."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

# A fixed identity, and no search for garbage, which takes half of the time of a commit.
_SETTINGS: Final = ("user.name=n", "user.email=e@example.com", "commit.gpgsign=false", "maintenance.auto=false")


def git(folder: Path, *arguments: str, stdin: str = "") -> None:
    """Run git in *folder* with fixed settings, with *stdin* as its input."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True, input=stdin.encode())


def initialize(folder: Path) -> None:
    """Create a repository around *folder* without the examples of hooks, which take half of the time."""
    git(folder, "init", "-q", "--template=")


def commit(folder: Path, *, tag: str = "") -> None:
    """Commit everything in *folder*, after `git init` if it is no repository, and tag the commit."""
    if not (folder / ".git").exists():
        initialize(folder)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    if tag:
        git(folder, "tag", tag)
