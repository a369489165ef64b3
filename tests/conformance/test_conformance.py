"""
Replay of recorded answers of real API servers: the engine has to give the same.

One test per recorded file reports all differences of the engine. The file's `asks` names the compared parts of answers.
A file passes if exactly its declared gaps differ. Each cause of gaps is one strict xfail, which lists them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet  # nothing public

from conformance import casefile, comparisons, replies

PAGE: Final = Path(__file__).parents[2] / "docs/explanation/known-differences.md"
PATHS: Final = casefile.paths(casefile.FOLDER)

pytestmark = pytest.mark.replay


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Replay each file under its own version, or under all versions with its answers."""
    if {"path", "version"} <= set(metafunc.fixturenames):
        wanted = None if metafunc.config.getoption("all_versions") else 1
        params = [
            _param(path, version, waits=wanted is not None, is_older=number > 0)
            for path in PATHS
            for number, version in enumerate(casefile.versions(path)[:wanted])
        ]
        metafunc.parametrize(("path", "version"), params)


def _param(path: Path, version: str, *, waits: bool, is_older: bool) -> ParameterSet:
    """Return the parameters of a file; with *waits*, the slow one about costs of rules runs only in a run of everything."""
    name = f"{path.parent.name}/{path.stem}"
    marks = [pytest.mark.slow] if waits and name == "rules/budgets" else [pytest.mark.older] if is_older else []
    return pytest.param(path, version, id=f"{version}/{name}", marks=marks)


@functools.lru_cache(maxsize=4)
def _recorded(path: Path) -> dict[str, casefile.CaseFile]:
    """Return a recorded file by the versions with its answers; cached, because tests of one file run one after another."""
    return {file.version: file for file in casefile.read(path).everywhere()}


def test_the_engine_answers_as_the_server_did(path: Path, version: str, compared: Callable[[str, int], None]) -> None:
    by_version = _recorded(path)
    assert list(by_version) == casefile.versions(path)
    file = by_version[version]
    crd = replies.definition(file.crd, version)
    wrong, gaps, parts = [], set(), list(comparisons.parts(file))
    for part in parts:
        differences = part.differences(crd)
        if differences and not part.gap:
            wrong.append("\n".join([str(part), *differences]))
        elif part.gap and not differences:
            wrong.append(f"{part} is answered as recorded, so it is no gap: {part.gap}")
        if part.gap:
            gaps.add(part.request.name if part.request else "")

    assert parts
    assert not wrong, "\n\n".join(wrong)
    answers = {part.request.name if part.request else "" for part in parts}
    compared("recorded files", 1)
    compared("comparisons of recorded answers", len(parts))
    compared(f"answers of Kubernetes {version}", len(answers))
    compared(f"answers of Kubernetes {version}, reproduced", len(answers) - len(gaps))


def _gaps() -> dict[str, list[comparisons.Part]]:
    """Return the known differences of the engine by cause."""
    gaps: dict[str, list[comparisons.Part]] = {}
    for path in PATHS:
        if "gap: " in path.read_text(encoding="utf-8"):
            for part in comparisons.parts(casefile.read(path)):
                if part.gap:
                    gaps.setdefault(part.gap, []).append(part)
    return gaps


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(
            parts,
            id=cause,
            marks=pytest.mark.xfail(reason=f"{cause}: {len(parts)} answers", strict=True, raises=AssertionError),
        )
        for cause, parts in _gaps().items()
    ],
)
def test_known_gaps_differ(parts: list[comparisons.Part]) -> None:
    """A cause without differences is obsolete. The test of each file checks that each of its gaps differs."""
    differing = [str(part) for part in parts if part.differences(replies.definition(part.file.crd, part.file.version))]

    assert not differing, "\n".join(differing)


def test_a_page_counts_the_known_gaps() -> None:
    rows = re.findall(r"^\| (.+) \| .+ \| (\d+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert rows == [(cause, str(len(parts))) for cause, parts in _gaps().items()]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(casefile.CaseFileError, match="no case files"):
        casefile.paths(tmp_path)


@pytest.mark.slow  # reads all files
def test_every_recorded_file_is_in_canonical_form() -> None:
    for file in casefile.read_folder(casefile.FOLDER):
        assert file.path.read_text(encoding="utf-8") == casefile.text(file.path, file.content)
