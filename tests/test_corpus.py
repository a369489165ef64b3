"""CRDs that real projects ship: read from the folder that CRD_CORPUS names, skipped where it names none."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from pytest_crd import engine

CORPUS = os.environ.get("CRD_CORPUS", "")
pytestmark = pytest.mark.skipif(not CORPUS, reason="CRD_CORPUS names no folder with real CRDs")


def _crds(folder: str) -> list[engine.CustomResourceDefinition]:
    """Load file by file, as projects carry copies of each other's CRDs."""
    files = sorted(path for path in Path(CORPUS, folder).rglob("*") if path.is_file())
    return [crd for path in files for crd in engine.load([path])]


@pytest.fixture(scope="module")
def structural_crds() -> list[engine.CustomResourceDefinition]:
    return _crds("crds")


def _is_v1(crd: engine.CustomResourceDefinition) -> bool:
    return crd._spec.api_version.endswith("/v1")


def test_every_crd_is_found(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    assert Counter(map(_is_v1, structural_crds)) == {True: 419, False: 34}


def test_every_v1_crd_is_structural(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    flawed = [
        crd.name for crd in structural_crds if _is_v1(crd) for version in crd.versions if version.structural_errors
    ]

    assert flawed == []


def test_the_crds_that_servers_refuse_have_structural_errors() -> None:
    crds = _crds("crds-nonstructural")

    refused = [crd.name for crd in crds if any(not version.is_structural for version in crd.versions)]

    assert (len(crds), len(refused)) == (14, 13)


def test_every_crd_of_the_openshift_suites_loads() -> None:
    folder = Path(CORPUS, "testsuites", "openshift+api")

    files = sorted(path for path in folder.rglob("zz_generated.crd-manifests/*.yaml"))

    assert files
    assert all(len(engine.load([path])) == 1 for path in files)


def test_an_empty_object_passes_every_version(structural_crds: list[engine.CustomResourceDefinition]) -> None:
    """Compiling the passes of every real schema, and running them, raises nothing and invents no field."""
    for crd in structural_crds:
        for version in crd.versions:
            assert version.prune({"bogus-field": 1}).value.get("bogus-field", 1) == 1
            assert version.default({}).nulls == ()
