"""After `pytest-crd init --yes` in repositories of real projects, sessions fail only for reasons that `init` has printed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
from oracle.comparisons import repositories
from support.sessions import Project

from pytest_crd import __main__ as program
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import profile
from pytest_crd.generation import filenames

CORPUS: Final = os.environ.get("CRD_CORPUS", "")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.long,
    pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with real CRDs"),
]
# Larger repositories take seconds, or even minutes, and generation about larger CRDs does: they get cases of the test.
LARGE, LARGEST, LARGEST_GENERATED = 760_000, 900_000, 60_000
CASE: Final = "crd: {}\nversion: {}\npruning:\n- {{name: an empty object stays empty, input: {{}}, expected: {{}}}}\n"
# The first line of a failure.
TITLE: Final = re.compile(r"\S+: \w+\[.+")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


FOLDERS: Final = sorted(Path(CORPUS, "crds").iterdir()) if CORPUS else []
NAMES: Final = [
    pytest.param(folder.name, marks=pytest.mark.slow if size > LARGE else ())
    for folder in FOLDERS
    if (size := _size(folder)) <= LARGEST
]


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repositories of the corpus with their original paths."""
    folder = tmp_path_factory.mktemp("repositories")
    repositories.rebuild(Path(CORPUS), folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_sessions_fail_only_for_reasons_that_init_has_printed(
    name: str,
    rebuilt: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repository = rebuilt / name
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "")
    if _size(Path(CORPUS, "crds", name)) > LARGEST_GENERATED:
        _write_cases(repository)

    assert program.main(["init", "--yes"]) in {0, 1}  # 1: no cases can be written about a refused CRD
    printed = capsys.readouterr().out.splitlines()
    code = program.main(["test"])
    ends = [(code, capsys.readouterr().out.splitlines())]
    result = Project(repository).run()
    ends.append((result.ret, result.outlines))

    for code, lines in ends:
        assert code == (1 if _titles(lines) else 0), lines
        assert _titles(lines) <= _titles(printed)


def _write_cases(repository: Path) -> None:
    sources = Sources(repository)
    for crd in sources.select_main(sources.crds(profile.DEFAULT)):
        if crd.first_response.accepted:
            text = CASE.format(crd.name, filenames.usual_version(crd).name)
            path = repository / f"tests/test_{crd.name}.crd.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _titles(lines: Iterable[str]) -> set[str]:
    return {line for line in lines if TITLE.match(line)}
