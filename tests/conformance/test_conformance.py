"""
Replay what real API servers answered, without them: the engine must say the same.

One test for each recorded file tells everything in which the engine differs. What of an answer is compared stands in the file's `asks`. A
file passes if exactly its declared gaps differ, and each cause of gaps is one strict xfail, which lists them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from _pytest.mark import ParameterSet  # nothing public

from conformance import casefile, comparisons, replies

PATHS: Final = casefile.paths(casefile.FOLDER)

pytestmark = pytest.mark.replay
# What takes branches that nothing else takes: whole folders, and single files.
COUNTED: Final = frozenset(
    {
        *("patch", "rules", "rule-expressions"),
        *("crd-defaulting/items-empty-list", "crd-update/rules", "metadata/items-at-the-root"),
        "structural/patterns-as-go-reads-them",
    }
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Replay each file under its own version, or under all that answer so."""
    if {"path", "version"} <= set(metafunc.fixturenames):
        wanted = None if metafunc.config.getoption("all_versions") else 1
        pairs = [(path, version) for path in PATHS for version in casefile.versions(path)[:wanted]]
        params = [_param(path, version, waits=wanted is not None) for path, version in pairs]
        metafunc.parametrize(("path", "version"), params)


def _param(path: Path, version: str, *, waits: bool) -> ParameterSet:
    """What rules may cost takes them seconds to cost, so that it *waits* for a run of everything."""
    name = f"{path.parent.name}/{path.stem}"
    marks = [pytest.mark.slow] if waits and name == "rules/budgets" else []
    if COUNTED.isdisjoint({name, path.parent.name}):
        marks.append(pytest.mark.uncounted)
    return pytest.param(path, version, id=f"{version}/{name}", marks=marks)


def test_what_is_counted_is_there() -> None:
    assert {one for path in PATHS for one in (path.parent.name, f"{path.parent.name}/{path.stem}")} >= COUNTED


@functools.lru_cache(maxsize=4)
def _recorded(path: Path) -> dict[str, casefile.CaseFile]:
    """Return a recorded file by the versions that answer so, whose tests follow each other."""
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
            wrong.append(f"{part} is answered as recorded, and need be no gap: {part.gap}")
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
    """Return what the engine is known to answer differently, by the cause."""
    found: dict[str, list[comparisons.Part]] = {}
    for path in PATHS:
        if "gap: " in path.read_text(encoding="utf-8"):
            for part in comparisons.parts(casefile.read(path)):
                if part.gap:
                    found.setdefault(part.gap, []).append(part)
    return found


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
def test_what_is_known_to_differ(parts: list[comparisons.Part]) -> None:
    """A cause that makes no difference any longer is none; that each of its answers makes one, the test of its file says."""
    differing = [str(part) for part in parts if part.differences(replies.definition(part.file.crd, part.file.version))]

    assert not differing, "\n".join(differing)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(casefile.CaseFileError, match="no case files"):
        casefile.paths(tmp_path)


@pytest.mark.slow  # which files are written by the recorder alone, and read by everybody
def test_every_recorded_file_is_written_in_the_one_form_that_it_has() -> None:
    for file in casefile.read_folder(casefile.FOLDER):
        assert file.path.read_text(encoding="utf-8") == casefile.text(file.path, file.content)
