"""Which CRD and version a case file means, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_crd.cases import loader
from pytest_crd.cases.catalog import Catalog
from pytest_crd.cases.model import CaseFile, CaseFileError
from pytest_crd.engine import Version

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.catalog.example.com}}
spec:
  group: catalog.example.com
  scope: Namespaced
  names: {{plural: {plural}, singular: one{plural}, kind: {plural}, listKind: {plural}List}}
  versions:
  - {{name: v1, served: {first}, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}
  - {{name: v2, served: {second}, storage: false, schema: {{openAPIV3Schema: {{type: object}}}}}}
"""


def _crd(plural: str, *, first: str = "true", second: str = "false") -> str:
    return CRD.format(plural=plural, first=first, second=second)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds" / "one.yaml").write_text(_crd("ones"), encoding="utf-8")
    (tmp_path / "crds" / "two.yaml").write_text(_crd("twos", second="true"), encoding="utf-8")
    (tmp_path / "crds" / "none.yaml").write_text(_crd("nones", first="false"), encoding="utf-8")
    (tmp_path / "several.yaml").write_text(f"{_crd('as')}---\n{_crd('bs')}", encoding="utf-8")
    (tmp_path / "single.yaml").write_text(_crd("singles"), encoding="utf-8")
    return tmp_path


def _case_file(head: str) -> CaseFile:
    (case_file,) = loader.load(f"{head}\npruning:\n- {{name: a, input: {{}}, expected: {{}}}}\n", source="cases.yaml")
    return case_file


def _version(folder: Path, head: str, **catalog: Any) -> Version:
    return Catalog(folder, catalog.get("paths", ("crds",)), "1.37").version_of(_case_file(head), folder=folder)


@pytest.mark.parametrize(
    ("head", "name", "version", "kubernetes"),
    [
        pytest.param("crd: ones.catalog.example.com", "ones", "v1", "1.37", id="the only served version"),
        pytest.param("crd: twos.catalog.example.com\nversion: v2", "twos", "v2", "1.37", id="a version by name"),
        pytest.param(
            "crd: ones.catalog.example.com\nversion: v2", "ones", "v2", "1.37", id="a version that is not served"
        ),
        pytest.param("crd: ones", "ones", "v1", "1.37", id="a kind"),
        pytest.param('crd: ones\nkubernetesVersion: "1.36"', "ones", "v1", "1.36", id="another Kubernetes version"),
        pytest.param("crd: single.yaml", "singles", "v1", "1.37", id="a file"),
    ],
)
def test_a_case_file_names_a_version(folder: Path, head: str, name: str, version: str, kubernetes: str) -> None:
    found = _version(folder, head)

    assert (found.crd.name, found.name) == (f"{name}.catalog.example.com", version)
    assert found.crd.kubernetes_version == kubernetes


@pytest.mark.parametrize(
    ("head", "words"),
    [
        pytest.param(
            "crd: onse.catalog.example.com", r"^cases.yaml:1: no CRD is called .*did you mean", id="an unknown CRD"
        ),
        pytest.param(
            "crd: twos", r"^cases.yaml:1: .* serves v1, v2: say which one with `version:`", id="two versions served"
        ),
        pytest.param("crd: nones", r"^cases.yaml:1: .*serves none", id="no version served"),
        pytest.param(
            "crd: ones\nversion: v9", r"^cases.yaml:2: .* has no version 'v9'; it has: v1, v2", id="no such version"
        ),
        pytest.param(
            "crd: several.yaml",
            r"^cases.yaml:1: several.yaml holds several CRDs: .*as\.catalog.*, bs\.",
            id="a file with several",
        ),
        pytest.param("crd: nowhere.yaml", r"^cases.yaml:1: crd: nowhere.yaml: no such file", id="no such file"),
    ],
)
def test_a_case_file_that_names_no_version_is_told_where(folder: Path, head: str, words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        _version(folder, head)


def test_without_paths_there_are_no_crds_and_nothing_is_loaded(folder: Path) -> None:
    catalog = Catalog(folder, (), "1.37")

    assert len(catalog.crds) == 0
    assert not catalog.is_loaded


def test_crds_are_loaded_once_and_when_asked_for(folder: Path) -> None:
    catalog = Catalog(folder, ("crds",), "1.37")
    before = catalog.is_loaded

    assert not before
    assert catalog.crds is catalog.crds
    assert catalog.is_loaded
