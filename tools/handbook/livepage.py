"""Comparison of the page about live servers with the output of a run in the example project."""

from __future__ import annotations

import difflib
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from handbook import markdown, parts

# The Kubernetes version of the run on the page: an older one, so that the page shows a difference between versions.
VERSION: Final = "1.32"
_PAGE: Final = parts.DOCS / "how-to/ask-a-live-server.md"
# Lines about the server and the result. Which tests pass, in which order, is not compared.
_COMPARED: Final = re.compile(r"crd: live: |collected |=+ \d+ passed")
# Texts that differ between servers and runs.
_VARYING: Final = (
    (r"http://127\.0\.0\.1:\d+", "URL"),
    (r"\(v.+?\)", "(BUILD)"),
    (r"in [\d.]+s( \(.+?\))?", "in TIME"),
    (r"=+", "="),
)


def project(folder: Path) -> None:
    """Copy the example project to *folder*, where the page's command runs."""
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(parts.ROOT / "example_project", folder, dirs_exist_ok=True, ignore=ignored)


def differences(printed: Iterable[str]) -> list[str]:
    """Return a unified diff between the page and the output of `pytest --crd-live URL`, empty if they agree."""
    return [
        *difflib.unified_diff(
            [*_compared_lines(_page_output())], [*_compared_lines(printed)], "the page", "the run", lineterm=""
        )
    ]


def _page_output() -> list[str]:
    (text,) = (block.text for block in markdown.blocks(_PAGE.read_text(encoding="utf-8")) if block.kind == "console")
    return text.splitlines()


def _compared_lines(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if _COMPARED.match(line):
            compared = line
            for pattern, placeholder in _VARYING:
                compared = re.sub(pattern, placeholder, compared)
            yield compared
