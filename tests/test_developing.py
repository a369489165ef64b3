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
CONTRIBUTING: Final = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
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


CHANGES: Final = re.findall(
    r"^- (\*\*.+?)\n(?=- |\n)", CONTRIBUTING.partition("These changes touch few files")[2], re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.split("**")[1])
def test_the_files_and_names_of_a_frequent_change_exist(change: str) -> None:
    words = re.findall(r"`([^` ]+)`", change)
    paths = [ROOT / word for word in words if "/" in word]
    beside = [path.with_name(word) for path in paths[:1] for word in words if "/" not in word and word.endswith(".py")]

    assert paths or "](docs/" in change
    assert [path for path in (*paths, *beside) if not path.exists()] == []
    texts = [path.read_text(encoding="utf-8") for path in paths if path.suffix == ".py"]
    names = [word for word in words if word.isidentifier() and word != "crd_server"]
    assert [name for name in names if not any(re.search(rf"\b{name}\b", text) for text in texts)] == []


def test_the_modules_of_mistakes_of_cases_exist() -> None:
    text = (PACKAGE / "cases/__init__.py").read_text(encoding="utf-8")
    modules = re.findall(r"^\| .+ \| `(\w+)` \| when", text, re.MULTILINE)

    assert len(modules) == 6
    assert [name for name in modules if not (PACKAGE / f"cases/{name}.py").exists()] == []


@pytest.mark.parametrize("package", ["cases", "checks", "upgrades"])
def test_a_package_names_its_modules(package: str) -> None:
    text = (PACKAGE / package / "__init__.py").read_text(encoding="utf-8")
    modules = {path.stem for path in (PACKAGE / package).glob("*.py")}
    named = {*re.findall(r"`(\w+)`s?", text)}

    assert len(named & modules) >= 6
    assert named - modules <= {"CaseFileError"}


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
    assert f"(docs/developing/{page.name})" in CONTRIBUTING
