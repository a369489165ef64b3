"""The search for CRDs without settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.discovery.crdsources import Sources
from pytest_crd.discovery.search import CONVENTIONAL_PATHS, CrdSearch
from pytest_crd.engine import InputError
from pytest_crd.engine.loading.crdfiles import FileOrigin

pytestmark = pytest.mark.session


def _write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("kind: CustomResourceDefinition", encoding="utf-8")


def test_the_files_of_a_folder_are_listed_once(tmp_path: Path) -> None:
    _write(tmp_path, "a.yaml")
    sources = Sources(tmp_path)
    assert sources.listed(tmp_path) == [tmp_path / "a.yaml"]
    _write(tmp_path, "b.yaml")
    assert sources.listed(tmp_path) == [tmp_path / "a.yaml"]


def _places(root: Path, *left_out: str) -> list[tuple[str, FileOrigin, list[str]]]:
    return [
        (place.words, place.origin, [file.name for file in place.files])
        for place in CrdSearch(root, left_out).places()
        if place.files
    ]


def test_conventional_paths_are_relative() -> None:
    assert not any(path.startswith("/") for path in CONVENTIONAL_PATHS)


def test_conventional_places_come_first_and_test_data_last(tmp_path: Path) -> None:
    _write(
        tmp_path, "config/crd/bases/a.yaml", "config/crd/b.yaml", "crds/c.yaml", "test/d.yaml", "charts/x/crds/e.yaml"
    )

    assert _places(tmp_path) == [
        (
            "config/crd/bases crds charts/*/crds",
            FileOrigin.CONVENTIONAL,
            ["config/crd/bases/a.yaml", "crds/c.yaml", "charts/x/crds/e.yaml"],
        ),
        (
            "",
            FileOrigin.FOUND,
            ["charts/x/crds/e.yaml", "config/crd/b.yaml", "config/crd/bases/a.yaml", "crds/c.yaml"],
        ),
        ("", FileOrigin.FOUND_IN_TESTS, ["test/d.yaml"]),
    ]


def test_excluded_files_are_in_no_place(tmp_path: Path) -> None:
    _write(tmp_path, "crds/a.yaml", "crds/b.yaml")

    assert [files for _, _, files in _places(tmp_path, "!crds/b.yaml")] == [["crds/a.yaml"], ["crds/a.yaml"]]


def test_an_exclusion_must_match_a_file(tmp_path: Path) -> None:
    _write(tmp_path, "crds/a.yaml")

    with pytest.raises(InputError) as raised:
        Sources(tmp_path, ("!crds/b.yaml", "!*.json")).crds("1.37")
    assert str(raised.value) == (
        f"!crds/b.yaml: no such file or folder (relative to {tmp_path})\n!*.json: matches no file (relative to {tmp_path})"
    )
