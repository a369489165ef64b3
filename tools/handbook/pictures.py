"""The pictures of the documentation, each drawn from a run of pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

import pytest
from support.git import commit
from support.sessions import Folder

from handbook import markdown, pagepicture, parts, terminalpicture

FOLDER: Final = parts.DOCS / "pictures"
THEMES: Final = ("light", "dark")
# Runs pytest with arguments and returns its result.
Run: TypeAlias = Callable[..., pytest.RunResult]
# In colour, as wide as the picture, without pytest's short summary.
ENVIRONMENT: Final = {"COLUMNS": str(terminalpicture.COLUMNS)}
_ARGUMENTS: Final = ("--color=yes", "-rN")

_EXAMPLE: Final = parts.ROOT / "example_project"
_CRD: Final = (_EXAMPLE / "config/crd/bases/backups.yaml").read_text(encoding="utf-8")
_ENUM: Final = "enum: [none, gzip, zstd]"


class Picture(NamedTuple):
    """
    A picture of a run.

    Attributes:
        words: A description of the picture for people who do not see it.
        draw: Runs pytest in a folder and returns a function from theme to SVG.
    """

    words: str
    draw: Callable[[str, Folder, Run], Callable[[str], str]]


def _failure(words: str, folder: Folder, run: Run) -> Callable[[str], str]:
    """Run the failing case that the README shows as text."""
    readme = (parts.ROOT / "README.md").read_text(encoding="utf-8")
    folder.write("crds/backups.yaml", _CRD)
    folder.write("test_backup.crd.yaml", next(block.text for block in markdown.blocks(readme) if block.kind == "yaml"))
    lines = _failures(run, *_ARGUMENTS)
    return lambda theme: terminalpicture.draw(words, "pytest", lines, theme)


def _upgrade(words: str, folder: Folder, run: Run) -> Callable[[str], str]:
    """Run an upgrade whose new CRD rejects stored objects."""
    folder.write("crds/backups.yaml", _CRD)
    commit(folder.path, tag="v1")
    folder.write("crds/backups.yaml", _CRD.replace(_ENUM, "enum: [gzip, zstd]"))
    lines = _failures(run, *_ARGUMENTS, "--crd-baseline", "git:v1")
    return lambda theme: terminalpicture.draw(words, "pytest --crd-baseline git:v1", lines, theme)


def _coverage(words: str, folder: Folder, run: Run) -> Callable[[str], str]:
    """Run the cases of the example project's CRD `Backup` with a coverage report."""
    folder.write("crds/backups.yaml", _CRD)
    cases = (_EXAMPLE / "tests/test_backup.crd.yaml").read_text(encoding="utf-8")
    folder.write("test_backup.crd.yaml", cases)
    folder.write("pytest.ini", "[pytest]\nmarkers = storage\n")  # a mark of a case
    run("--crd-cov", "--crd-cov-report=html")
    page = folder.read("crd_coverage.html")
    return lambda theme: pagepicture.draw(words, page, theme, first=74, last=91, opened=81)


def _failures(run: Run, *arguments: str) -> list[str]:
    """Return the failures in the output, without lines that differ between runs, such as versions and times."""
    printed = run(*arguments).outlines
    (begin,) = (number for number, line in enumerate(printed) if "= FAILURES =" in line)
    return [*printed[begin:-1]]


PICTURES: Final[Mapping[str, Picture]] = {
    "failure": Picture(
        "pytest in a terminal, with two cases that fail. The first sends a value that no enum lists: the failure names the value and the line "
        "of the CRD. The second misspells a field: the failure says that it is dropped, and which field was probably meant.",
        _failure,
    ),
    "upgrade": Picture(
        "pytest in a terminal, with an upgrade that fails. It shows an object that was accepted and is refused now, and the line of the CRD "
        "before and after. Below stands the line of the ini file that allows the change.",
        _upgrade,
    ),
    "coverage": Picture(
        "The coverage page of a CRD: a table of its versions, and its YAML. Lines that cases hold are green, lines that they hold in part are "
        "yellow, lines that nothing reaches are red. Below a red line stands an object that reaches it.",
        _coverage,
    ),
}


def files(name: str, folder: Folder, run: Run) -> Iterator[tuple[str, str]]:
    """Run a picture once in the empty *folder*; yield the name and text of each of its files."""
    picture = PICTURES[name]
    draw = picture.draw(picture.words, folder, run)
    for theme in THEMES:
        yield f"{name}-{theme}.svg", draw(theme)
