"""Generated parts of pages; each is between two comments, and the first comment has its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from oracle.suites import comparing

from handbook import pythonapi, tables

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"

# By name. The generated texts do not end with a newline.
PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "settings": tables.settings,
    "keys of a file": tables.file_keys,
    "keys of a case": tables.case_keys,
    "keys of an error": tables.error_keys,
    "keys of a step": tables.step_keys,
    "commands": tables.commands,
    "exit codes": tables.exit_codes,
    "lints": tables.lints,
    "Kubernetes versions": tables.kubernetes_versions,
    "Python API": pythonapi.text,
    "kinds of crd_server": tables.built_in_kinds,
    "suites": comparing.table,
}
_PART: Final = re.compile(
    r"^(<!-- ([\w ]+): made by `python -m handbook` -->\n)(.*?)^(<!-- end -->)$", re.DOTALL | re.MULTILINE
)


def pages() -> list[Path]:
    """Return the paths of all pages: the Markdown files of the repository's root and of docs/."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def names(text: str) -> list[str]:
    """Return the names of the generated parts of a page."""
    return [name for _, name, _, _ in _PART.findall(text)]


def current(text: str) -> str:
    """Return *text* with its generated parts up to date."""
    return _PART.sub(lambda match: f"{match[1]}\n{PARTS[match[2]]()}\n\n{match[4]}", text)


def without(text: str) -> str:
    """Return *text* without its generated parts."""
    return _PART.sub("", text)
