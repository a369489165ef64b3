"""What the page about live servers shows of a run in the example project, and what such a run prints."""

from __future__ import annotations

import difflib
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from handbook import markdown, parts

# Whose answers the page shows: an older one, so that what differs between versions is shown, too.
VERSION: Final = "1.32"
_PAGE: Final = parts.DOCS / "how-to/ask-a-live-server.md"
# What is told of a server and of what came of it. Which tests passed, in which order, is not what the page is about.
_TOLD: Final = re.compile(r"crd: live: |collected |=+ \d+ passed")
# What is another one with each server and run.
_OTHERWISE: Final = (
    (r"http://127\.0\.0\.1:\d+", "URL"),
    (r"\(v.+?\)", "(BUILD)"),
    (r"in [\d.]+s( \(.+?\))?", "in TIME"),
    (r"=+", "="),
)


def project(folder: Path) -> None:
    """Write the project in which the page is run."""
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(parts.ROOT / "example_project", folder, dirs_exist_ok=True, ignore=ignored)


def differences(printed: Iterable[str]) -> list[str]:
    """Return where a run of `pytest --crd-live URL` prints something else than the page shows; none where it does not."""
    return [*difflib.unified_diff([*_told(_shown())], [*_told(printed)], "the page", "the run", lineterm="")]


def _shown() -> list[str]:
    (text,) = (block.text for block in markdown.blocks(_PAGE.read_text(encoding="utf-8")) if block.kind == "console")
    return text.splitlines()


def _told(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if _TOLD.match(line):
            told = line
            for pattern, put in _OTHERWISE:
                told = re.sub(pattern, put, told)
            yield told
