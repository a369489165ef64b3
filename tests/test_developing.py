"""Pages for developers name existing modules, and every folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "pytest_crd"
DOCS: Final = ROOT / "docs/developing"
ARCHITECTURE: Final = (DOCS / "architecture.md").read_text(encoding="utf-8")
GLOSSARY: Final = (DOCS / "glossary.md").read_text(encoding="utf-8")
# A module or folder, relative to the package: `cases/loader.py`, `cases/`.
NAMED: Final = re.compile(r"`(\w[\w/]*/(?:\w+\.py)?)`")
# A step of a request: its module, and its functions.
STEPS: Final = re.findall(r"^\| .+ \| `(\S+\.py)` \| (.+) \|$", ARCHITECTURE, re.MULTILINE)


@pytest.mark.parametrize("page", ["architecture", "glossary"])
def test_named_modules_exist(page: str) -> None:
    named = [*NAMED.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))]

    assert named
    assert [name for name in named if not (PACKAGE / name).exists() and not (ROOT / name).exists()] == []


def test_every_folder_is_described() -> None:
    tree = ARCHITECTURE.split("## The tree")[1].split("\n## ")[0]
    folders = {f"{path.parent.relative_to(PACKAGE).as_posix()}/" for path in PACKAGE.rglob("*.py")} - {"./"}

    assert {name for name in NAMED.findall(tree) if name.endswith("/")} == folders


def test_the_functions_of_each_step_of_a_request_exist() -> None:
    assert len(STEPS) > 10
    for module, functions in STEPS:
        source = (PACKAGE / module).read_text(encoding="utf-8")
        defined = set(re.findall(r"^ *def (\w+)\(", source, re.MULTILINE))
        assert set(re.findall(r"`(\w+)`", functions)) <= defined, module


def test_terms_are_in_their_order() -> None:
    terms = re.findall(r"^\| (\w[\w ]*?)(?: \(.*?\))? \| (?!meaning \|)", GLOSSARY, re.MULTILINE)

    assert len(terms) > 40
    assert terms == sorted(terms)


@pytest.mark.parametrize("page", [*DOCS.glob("*.md")], ids=lambda path: path.stem)
def test_contributing_leads_to_them(page: Path) -> None:
    assert f"(docs/developing/{page.name})" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
