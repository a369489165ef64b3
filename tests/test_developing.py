"""Pages for developers name existing modules, and every folder."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "pytest_crd"
DOCS: Final = ROOT / "docs/developing"
ARCHITECTURE: Final = (DOCS / "architecture.md").read_text(encoding="utf-8")
GLOSSARY: Final = (DOCS / "glossary.md").read_text(encoding="utf-8")
# A module or folder, relative to the package: `cases/loader.py`, `cases/`.
NAMED: Final = re.compile(r"`(\w[\w/]*/(?:\w+\.py)?)`")
WALKS: Final = {
    title: re.findall(r"^\d+\. `(.+?)`", steps, re.MULTILINE)
    for title, steps in re.findall(r"^### (.+)\n\n((?:.+\n)+)", ARCHITECTURE, re.MULTILINE)
}


def _tiers() -> dict[str, int]:
    """Return the tier of each part of the package, counted from above."""
    table: Any = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (item["layers"] for item in table["tool"]["importlinter"]["contracts"] if item["id"] == "tiers")
    return {name: tier for tier, layer in enumerate(layers) for name in layer.split(" | ")}


TIERS: Final = _tiers()


@pytest.mark.parametrize("page", ["architecture", "glossary"])
def test_named_modules_exist(page: str) -> None:
    named = [*NAMED.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))]

    assert named
    assert [name for name in named if not (PACKAGE / name).exists() and not (ROOT / name).exists()] == []


def test_every_folder_is_described() -> None:
    tree = ARCHITECTURE.split("## The tree")[1].split("\n## ")[0]
    folders = {f"{path.parent.relative_to(PACKAGE).as_posix()}/" for path in PACKAGE.rglob("*.py")} - {"./"}

    assert {name for name in NAMED.findall(tree) if name.endswith("/")} == folders


def test_there_are_walks() -> None:
    assert len(WALKS) == 8


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_goes_down_once_and_up_once(walk: str) -> None:
    tiers = [TIERS[module.split("/")[0]] for module in WALKS[walk]]
    deepest = tiers.index(max(tiers))

    assert tiers[:deepest] == sorted(tiers[:deepest])
    assert tiers[deepest:] == sorted(tiers[deepest:], reverse=True)


def test_terms_are_in_their_order() -> None:
    terms = re.findall(r"^\| (\w[\w ]*?)(?: \(.*?\))? \| (?!is \|)", GLOSSARY, re.MULTILINE)

    assert len(terms) > 40
    assert terms == sorted(terms)


@pytest.mark.parametrize("page", [*DOCS.glob("*.md")], ids=lambda path: path.stem)
def test_contributing_leads_to_them(page: Path) -> None:
    assert f"(docs/developing/{page.name})" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
