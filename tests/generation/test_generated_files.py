"""The files in `docs/generated`: cases for CRDs of real projects, and the number of single changes that they detect."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import Final

import pytest
from crdchanges.measure import measure

from pytest_crd import engine
from pytest_crd.generation import generate

CORPUS: Final = os.environ.get("CRD_CORPUS", "")
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with real CRDs")]

FOLDER: Final = Path(__file__).parents[2] / "docs" / "generated"
SOURCES: Final = {
    "bgppeers": "metallb+metallb/config__crd__bases__metallb.io_bgppeers.yaml",
    "helmrepositories": "fluxcd+source-controller/config__crd__bases__source.toolkit.fluxcd.io_helmrepositories.yaml",
    "scaledobjects": "kedacore+keda/config__crd__bases__keda.sh_scaledobjects.yaml",
}
_CHANGES: Final = 100
_ROW: Final = re.compile(r"^\| `(\w+)` \|.*\| (\d+) \| (\d+) of (\d+) \|$", re.MULTILINE)


def _crd(name: str) -> engine.CustomResourceDefinition:
    (crd,) = engine.load([Path(CORPUS, "crds", SOURCES[name])])
    return crd


def _version(crd: engine.CustomResourceDefinition) -> engine.CrdVersion:
    return next(version for version in crd.versions if version.storage)


@functools.cache
def _text(name: str) -> str:
    return (FOLDER / f"test_{name}.crd.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SOURCES)
def test_the_files_are_up_to_date(name: str) -> None:
    assert generate([_version(_crd(name))]).text == _text(name)


@pytest.mark.parametrize("name", SOURCES)
def test_the_page_has_the_number_of_detected_changes(name: str) -> None:
    expectation = {row[0]: tuple(map(int, row[1:])) for row in _ROW.findall((FOLDER / "README.md").read_text("utf-8"))}

    measured = measure(Path(CORPUS, "crds", SOURCES[name]), _CHANGES, with_core_types=False)

    assert expectation[name] == (_text(name).count("\n"), measured.noticed, _CHANGES)
