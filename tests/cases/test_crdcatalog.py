"""The CRD and version of a case file, and the error if there are none."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from pytest_crd.cases import loader
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import CaseFile, CaseFileError
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.inputerror import CrdError, InputError

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


def _version(folder: Path, head: str, **catalog: Any) -> CrdVersion:
    return Catalog(Sources(folder, catalog.get("paths", ("crds",))), "1.37").version_of(_case_file(head), folder=folder)


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
    actual = _version(folder, head)

    assert (actual.crd.name, actual.name) == (f"{name}.catalog.example.com", version)
    assert actual.crd.kubernetes_version == kubernetes


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
        pytest.param(
            f"crd: a{'9' * 253}",
            r"^cases.yaml:1: no CRD is called so: names have at most 253 characters$",
            id="a name that is too long",
        ),
        pytest.param("crd: nowhere.yaml", r"^cases.yaml:1: crd: nowhere.yaml: no such file", id="no such file"),
    ],
)
def test_a_case_file_without_a_version_gets_an_error_with_its_line(folder: Path, head: str, words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        _version(folder, head)


def _old_version(folder: Path, old_crd: str, crd: str = "ones.catalog.example.com") -> CrdVersion:
    (case_file,) = loader.load(
        f"crd: {crd}\nupdate:\n- name: a\n  input: {{}}\n  old: {{}}\n  accepted: true\n{old_crd}", source="cases.yaml"
    )
    catalog = Catalog(Sources(folder, ("crds",)), "1.36")
    version = catalog.version_of(case_file, folder=folder)
    actual = catalog.old_version_of(case_file.cases[0], version, folder=folder)
    assert catalog.old_version_of(case_file.cases[0], version, folder=folder) is actual
    return actual


def test_without_another_old_crd_it_is_the_same(folder: Path) -> None:
    assert _old_version(folder, "").name == "v1"


@pytest.mark.parametrize(
    "old_crd",
    [
        pytest.param("  oldCRD:\n    path: old/one.yaml\n", id="a file"),
        pytest.param("  oldCRD:\n    path: old\n", id="a folder with others in it"),
        pytest.param(
            "  oldCRD:\n    patch:\n    - {op: replace, path: /spec/versions/0/schema/openAPIV3Schema, value: {type: object, "
            "x-kubernetes-preserve-unknown-fields: true}}\n",
            id="a patch",
        ),
    ],
)
def test_the_old_crd_is_another_of_that_name(folder: Path, old_crd: str) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "two.yaml").write_text(_crd("twos"), encoding="utf-8")
    lax = _crd("ones").replace("{type: object}", "{type: object, x-kubernetes-preserve-unknown-fields: true}")
    (folder / "old" / "one.yaml").write_text(lax, encoding="utf-8")

    actual = _old_version(folder, old_crd)

    assert (actual.crd.name, actual.name, actual.crd.kubernetes_version) == ("ones.catalog.example.com", "v1", "1.36")
    assert actual.schema is not None
    assert actual.schema.x_preserve_unknown_fields


@pytest.mark.parametrize(
    ("old_crd", "words"),
    [
        pytest.param(
            "  oldCRD:\n    path: nowhere.yaml\n",
            r"^cases.yaml:8: the old CRD: nowhere.yaml: no such file",
            id="no such file",
        ),
        pytest.param(
            "  oldCRD:\n    path: several.yaml\n",
            r"^cases.yaml:8: the old CRD: no CRD is called 'ones.catalog.example.com'",
            id="a file with others",
        ),
        pytest.param(
            "  oldCRD:\n    path: single.yaml\n",
            r"^cases.yaml:8: the old CRD is singles.catalog.example.com, not ones.catalog.example.com$",
            id="a file with another",
        ),
        pytest.param(
            "  oldCRD:\n    patch:\n    - {op: remove, path: /metadata}\n    - {op: remove, path: /spec/nmes}\n",
            r"^cases.yaml:10: the old CRD cannot be made: remove '/spec/nmes': error in remove for path: '/spec/nmes': Unable to remove nonexistent key: nmes",
            id="an operation that cannot be done",
        ),
        pytest.param(
            "  oldCRD:\n    patch:\n    - {op: replace, path: /kind, value: Pod}\n",
            r"^cases.yaml:8: the patched old CRD is not valid: not a CustomResourceDefinition",
            id="no CRD after the patch",
        ),
        pytest.param(
            "  oldCRD:\n    patch:\n    - {op: replace, path: /spec/scope, value: Global}\n",
            r"^cases.yaml:8: a server refuses the old CRD: .*spec.scope: Unsupported value",
            id="a CRD that the server refuses",
        ),
        pytest.param(
            "  oldCRD:\n    patch:\n    - {op: replace, path: /spec/versions/0/name, value: v0}\n",
            r"^cases.yaml:8: the old CRD: ones.catalog.example.com has no version 'v1'; it has: v0, v2$",
            id="no such version",
        ),
    ],
)
def test_an_invalid_old_crd_is_reported_with_its_place(folder: Path, old_crd: str, words: str) -> None:
    with pytest.raises(CaseFileError, match=words):
        _old_version(folder, old_crd)


def test_crds_are_loaded_once_and_when_asked_for(folder: Path) -> None:
    catalog = Catalog(Sources(folder, ("crds",)), "1.37")
    before = catalog.sources.is_read

    assert not before
    assert catalog.crds is catalog.crds
    assert catalog.sources.is_read


def test_each_kubernetes_version_decides_for_itself_whether_it_takes_a_crd(tmp_path: Path) -> None:
    rules = "{openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: self.none > 1}]}}"
    text = _crd("ones").replace("{openAPIV3Schema: {type: object}}", rules)
    (tmp_path / "one.yaml").write_text(text, encoding="utf-8")
    sources = Sources(tmp_path, ("one.yaml",))

    for kubernetes_version in ("1.21", "1.37", "1.21", "1.37"):
        crd = Catalog(sources, kubernetes_version).crds["ones"]
        assert crd.guard is not None
        with pytest.raises(CrdError, match="undefined field 'none'") if kubernetes_version == "1.37" else nullcontext():
            crd.guard(crd)


@pytest.mark.session
def test_the_crds_of_a_policy_are_optional(tmp_path: Path) -> None:
    assert Catalog(Sources(tmp_path, (), folder=tmp_path), "1.37").find_admitted() == ((), None)


def test_missing_paths_of_crds_are_refused_beside_policies_too(folder: Path) -> None:
    with pytest.raises(InputError, match="missing"):
        Catalog(Sources(folder, ("missing",)), "1.37").find_admitted()


@pytest.mark.session
def test_a_name_is_that_of_the_main_file_while_a_copy_lags_behind(tmp_path: Path) -> None:
    for path, second in (("config/crd/bases", "true"), ("charts/op/crds", "false")):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "ones.yaml").write_text(_crd("ones", second=second), encoding="utf-8")

    version = Catalog(Sources(tmp_path), "1.37").version_of(
        _case_file("crd: ones.catalog.example.com\nversion: v1"), folder=tmp_path
    )

    assert version.crd.source == "config/crd/bases/ones.yaml:1"
    assert version.crd.versions[1].served


@pytest.mark.session
@pytest.mark.parametrize("key", ["ones.catalog.example.com", "twos.catalog.example.com"])
def test_a_name_of_several_main_files_is_an_error(tmp_path: Path, key: str) -> None:
    for path, served in (
        ("config/crd/bases/a", ("true", "true")),
        ("config/crd/bases/b", ("true", "false")),
        ("charts/op/crds", ("false", "true")),
    ):
        (tmp_path / path).mkdir(parents=True)
        text = _crd("ones", first=served[0], second=served[1])
        (tmp_path / path / "ones.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(CaseFileError, match="names several CRDs" if key.startswith("ones") else "no CRD is called"):
        Catalog(Sources(tmp_path), "1.37").version_of(_case_file(f"crd: {key}\nversion: v1"), folder=tmp_path)


@pytest.mark.parametrize(
    ("head", "can_list"),
    [
        pytest.param("crd: ones.catalog.example.com", True, id="the only served version"),
        pytest.param("crd: twos.catalog.example.com\nversion: v2", True, id="a version by name"),
        pytest.param("crd: ones.catalog.example.com\nversion: v3", False, id="an unknown version"),
        pytest.param("crd: twos.catalog.example.com", False, id="two served versions"),
        pytest.param("crd: single.yaml", False, id="a file"),
    ],
)
def test_names_and_versions_of_the_project_are_enough_for_a_listing(folder: Path, head: str, *, can_list: bool) -> None:
    sources = Sources(folder, ("crds",))

    assert Catalog(sources, "1.37").can_list(_case_file(head)) is can_list
    assert not Catalog(sources, "1.37", find_webhooks=lambda _: None).can_list(_case_file(head))
