"""The CRD files of a suite, selected by name, feature gates and version."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.cases import loader
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import CaseFileError
from pytest_crd.cases.openshift.crds import Variant
from pytest_crd.cases.openshift.suite import Suite
from pytest_crd.discovery.crdsources import Sources

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.suites.example.com, annotations: {ANNOTATIONS}}
spec:
  group: suites.example.com
  scope: Cluster
  names: {plural: gardens, singular: garden, kind: Garden, listKind: GardenList}
  versions:
  - {name: v1, served: false, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""
SECOND = "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n"
INCLUDED = 'include.release.openshift.io/ha: "true"'
GATES = """\
{"kind": "FeatureGate", "metadata": {"annotations": {"include.release.openshift.io/ha": "true"SET}},
 "status": {"featureGates": [{"enabled": [{"name": "Old"}ENABLED], "disabled": [{"name": "Gnomes"}]}]}}
"""
SUITE = "crdName: gardens.suites.example.com\nHEADtests:\n  onUpdate:\n  - {name: a, initial: 'spec: {}', updated: 'spec: {}', "


class Layout:
    """A project in the layout of openshift/api."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "group" / "v1" / "tests" / "gardens.suites.example.com"
        self.folder.mkdir(parents=True)
        self.crds = root / "group" / "v1" / "zz_generated.crd-manifests"

    def crd(self, name: str, *annotations: str, more: str = "") -> None:
        self.crds.mkdir(exist_ok=True)
        text = CRD.replace("ANNOTATIONS", ", ".join(annotations)) + more
        (self.crds / f"{name}.crd.yaml").write_text(text, encoding="utf-8")

    def gates(self, name: str, *, feature_set: str = "", major: str = "", enabled: str = "") -> None:
        folder = self.root / "payload-manifests" / "featuregates"
        folder.mkdir(parents=True, exist_ok=True)
        annotation = f', "release.openshift.io/feature-set": "{feature_set}"' if feature_set else ""
        annotation += f', "release.openshift.io/major-version": "{major}"' if major else ""
        text = GATES.replace("SET", annotation).replace("ENABLED", f', {{"name": "{enabled}"}}' if enabled else "")
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")

    def suite(self, head: str = "", case: str = "expectedError: x") -> Suite:
        loaded = loader.load_any(f"{SUITE.replace('HEAD', head)}{case}}}\n", source="s.yaml")
        assert isinstance(loaded, Suite)
        return loaded

    def variants(self, head: str = "", *, paths: tuple[str, ...] = ()) -> list[Variant]:
        return Catalog(Sources(self.root, paths), "1.36").variants_of(self.suite(head), folder=self.folder)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def test_the_only_file_has_no_label(layout: Layout) -> None:
    layout.crd("one")
    (layout.crds / "other.yaml").write_text("kind: ConfigMap\nmetadata: {name: x}\n", encoding="utf-8")
    (layout.crds / "README.md").write_text("gardens.suites.example.com", encoding="utf-8")

    (variant,) = layout.variants()

    assert variant.label == ""
    assert (variant.version.name, variant.version.served, variant.version.storage) == ("v1", True, True)
    assert variant.version.crd.kubernetes_version == "1.36"


def test_several_files_are_distinguished_by_their_names(layout: Layout) -> None:
    layout.crd("a-Default")
    layout.crd("a-Custom")

    assert [variant.label for variant in layout.variants()] == ["a-Custom", "a-Default"]


SET = "release.openshift.io/feature-set"


@pytest.mark.parametrize(
    ("gates", "annotations", "is_kept"),
    [
        ("Sprinklers", (f"{SET}: CustomNoUpgrade",), True),
        ("-Sprinklers", (f"{SET}: 'Default,CustomNoUpgrade'",), False),
        ("Sprinklers", (f"{SET}: Default",), True),
        ("Sprinklers", (f"{SET}: TechPreview", INCLUDED), True),
        ("Sprinklers", (f"{SET}: Default", INCLUDED), False),
        ("Old", (f"{SET}: Default", INCLUDED), True),
        ("Old, Sprinklers", (f"{SET}: TechPreview", INCLUDED), True),
        ("-Sprinklers", (f"{SET}: Default", INCLUDED), False),
        ("-Gnomes", (f"{SET}: Default", INCLUDED), True),
        ("-Old", (f"{SET}: Default", INCLUDED), False),
        ("Sprinklers", (INCLUDED,), True),
        ("Sprinklers", (f"{SET}: TechPreview", "include.release.openshift.io/ibm: 'true'"), False),
        ("Sprinklers", (f"{SET}: TechPreview", "include.release.openshift.io/ha: 'false'"), True),
        ("Sprinklers", (f"{SET}: TechPreview", INCLUDED, "release.openshift.io/major-version: '4,5'"), True),
        ("Sprinklers", (f"{SET}: TechPreview", INCLUDED, "release.openshift.io/major-version: '6'"), False),
    ],
)
def test_gates_choose_the_files(layout: Layout, gates: str, annotations: tuple[str, ...], *, is_kept: bool) -> None:
    layout.crd("one", *annotations)
    layout.gates("default")
    layout.gates("tech", feature_set="TechPreview", major="4, 5", enabled="Sprinklers")
    head = f"featureGates: [{gates}]\n"

    if is_kept:
        assert [variant.label for variant in layout.variants(head)] == [""]
    else:
        with pytest.raises(CaseFileError, match=r"^s\.yaml:2: no CRD in .* has the feature gates "):
            layout.variants(head)


def test_suites_share_the_crds_that_they_are_about(layout: Layout) -> None:
    layout.crd("one", f"{SET}: TechPreview", INCLUDED)
    layout.gates("tech", feature_set="TechPreview", enabled="Sprinklers")
    catalog = Catalog(Sources(layout.root), "1.36")

    (first,), (second,), (third,) = (
        catalog.variants_of(layout.suite(head), folder=layout.folder)
        for head in ("featureGates: [Sprinklers]\n", "featureGates: [Sprinklers]\n", "version: v1\n")
    )

    assert first.crd is second.crd is third.crd
    assert first.version is second.version is third.version


def test_suites_about_other_versions_share_none(layout: Layout) -> None:
    layout.crd("one", more=SECOND)
    catalog = Catalog(Sources(layout.root), "1.36")

    (first,), (second,) = (
        catalog.variants_of(layout.suite(f"version: {version}\n"), folder=layout.folder) for version in ("v1", "v2")
    )

    assert (first.version.name, second.version.name) == ("v1", "v2")


def test_gates_that_nothing_defines_are_a_mistake(layout: Layout) -> None:
    layout.crd("one", f"{SET}: Default", INCLUDED)

    with pytest.raises(CaseFileError, match=r"^s\.yaml:2: what the gates are is not known: no folder above has "):
        layout.variants("featureGates: [A]\n")


def test_a_version_is_the_only_one(layout: Layout) -> None:
    layout.crd("one", more=SECOND)

    (variant,) = layout.variants("version: v2\n")

    assert [version.name for version in variant.version.crd.versions] == ["v2"]
    assert (variant.version.served, variant.version.storage) == (True, True)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("", r"^s\.yaml:1: gardens.suites.example.com has the versions v1, v2: say which one with `version:`$"),
        ("version: v3\n", r"^s\.yaml:2: gardens.suites.example.com has no version 'v3'; it has: v1, v2$"),
    ],
)
def test_a_version_that_is_not_said_or_not_there_is_a_mistake(layout: Layout, head: str, words: str) -> None:
    layout.crd("one", more=SECOND)

    with pytest.raises(CaseFileError, match=words):
        layout.variants(head)


def test_a_crd_that_is_not_there_is_a_mistake(layout: Layout) -> None:
    layout.crds.mkdir()

    with pytest.raises(CaseFileError, match=r"^s\.yaml:1: no CRD is called 'gardens\.suites\.example\.com' in "):
        layout.variants()


def test_without_the_folder_it_is_the_projects_crd(layout: Layout) -> None:
    (layout.root / "crd.yaml").write_text(CRD.replace("ANNOTATIONS", ""), encoding="utf-8")

    (variant,) = layout.variants(paths=("crd.yaml",))

    assert (variant.label, variant.version.crd.name) == ("", "gardens.suites.example.com")
    (layout.root / "other.yaml").write_text(
        CRD.replace("ANNOTATIONS", "").replace("gardens", "ponds"), encoding="utf-8"
    )
    with pytest.raises(
        CaseFileError, match=r"^s\.yaml:1: no CRD is called .*; did you mean 'ponds\.suites\.example\.com'"
    ):
        layout.variants(paths=("other.yaml",))


def test_patches_make_another_crd_to_create_the_object_under(layout: Layout) -> None:
    layout.crd("one")
    path = "/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-preserve-unknown-fields"
    suite = layout.suite(case=f"initialCRDPatches: [{{op: add, path: {path}, value: true}}], expectedError: x")
    plain = layout.suite()
    catalog = Catalog(Sources(layout.root), "1.36")
    (variant,) = catalog.variants_of(suite, folder=layout.folder)

    patched = catalog.suite_old_version_of(suite, suite.cases[0].case, variant)

    assert patched.schema is not None
    assert patched.schema.x_preserve_unknown_fields
    assert catalog.suite_old_version_of(suite, suite.cases[0].case, variant) is patched
    assert catalog.suite_old_version_of(plain, plain.cases[0].case, variant) is variant.version


def test_patches_that_cannot_be_applied_are_a_mistake_with_its_line(layout: Layout) -> None:
    layout.crd("one")
    suite = layout.suite(case="initialCRDPatches: [{op: remove, path: /x}], expectedError: x")
    catalog = Catalog(Sources(layout.root), "1.36")
    (variant,) = catalog.variants_of(suite, folder=layout.folder)

    with pytest.raises(
        CaseFileError,
        match=r"^s\.yaml:4: the old CRD cannot be made: remove '/x': error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
    ):
        catalog.suite_old_version_of(suite, suite.cases[0].case, variant)
