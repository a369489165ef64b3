"""The parts of pages that are made from the source, each between two comments, of which the first has its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from handbook import pythonapi, tables

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"

# By name; what is made has no line end at its end.
PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "settings": tables.settings,
    "keys of a file": tables.file_keys,
    "keys of a case": tables.case_keys,
    "keys of an error": tables.error_keys,
    "keys of a step": tables.step_keys,
    "commands": tables.commands,
    "exit codes": tables.exit_codes,
    "Kubernetes versions": tables.kubernetes_versions,
    "Python API": pythonapi.text,
}
_PART: Final = re.compile(
    r"^(<!-- ([\w ]+): made by `python -m handbook` -->\n)(.*?)^(<!-- end -->)$", re.DOTALL | re.MULTILINE
)


def pages() -> list[Path]:
    """Return the pages: those of a reader who begins, and those of the site."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def names(text: str) -> list[str]:
    """Return the names of the parts of a page."""
    return [name for _, name, _, _ in _PART.findall(text)]


def current(text: str) -> str:
    """Return a page with its parts as the source has them."""
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n\n{found[4]}", text)


def without(text: str) -> str:
    """Return a page without its parts that are made."""
    return _PART.sub("", text)
