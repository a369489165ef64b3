"""CRDs that a server refuses because they have `$ref`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import crds

from pytest_crd import engine
from pytest_crd.cases import acceptance

NAMES = "plural: gardens, kind: Garden"
REFERENCE = "type: object\nproperties: {label: {$ref: 'python://schemas/k8s.json#/definitions/podspec'}}\n"
REMEDIES = {
    "a copy": (
        ("raw", "deploy/manifests"),
        "$ref is not resolved in this file; the copy deploy/manifests/gardens.yaml:1 has none: write crd_paths = deploy/manifests",
    ),
    "no copy": (
        ("raw",),
        (
            "$ref is not resolved in this file, and the project has no copy without it: write the resolved CRDs to files, and "
            "their folder to crd_paths, or print them with crd_commands"
        ),
    ),
}


@pytest.mark.parametrize(("folders", "remedy"), REMEDIES.values(), ids=REMEDIES)
def test_a_crd_with_references_names_its_copy(tmp_path: Path, folders: tuple[str, ...], remedy: str) -> None:
    for folder in folders:
        file = tmp_path / folder / "gardens.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(crds.text(NAMES, REFERENCE if folder == "raw" else "type: object\n"), encoding="utf-8")
    project = [crd for folder in folders for crd in engine.load([folder], base=tmp_path)]

    assert acceptance.explain_references(project[0], lambda: project) == remedy


def test_a_crd_without_references_has_no_remedy(tmp_path: Path) -> None:
    file = tmp_path / "gardens.yaml"
    file.write_text(crds.text(NAMES, "type: objekt\n"), encoding="utf-8")
    [crd] = engine.load([file])

    assert not crd.first_response.accepted
    assert acceptance.explain_references(crd, pytest.fail) == ""
