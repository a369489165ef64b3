"""The objects of a project: its samples, and the stored objects of its case files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.discovery import samplepaths
from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.engine import CustomResourceDefinitions
from pytest_crd.upgrades.projectobjects import Reader, Specimens
from upgrades.changes import TEXT, crd, crd_with_versions

pytestmark = pytest.mark.session

CRDS = CustomResourceDefinitions([crd(TEXT)])
CASES = ("test_*.crd.yaml", "*.testsuite.yaml")


def read(folder: Path, **files: str) -> Specimens:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_crd.", ".crd.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Reader(FolderTree(folder), CRDS).read(samplepaths.FOLDERS, CASES)


def summarize(specimens: Specimens) -> list[tuple[str, str, object]]:
    return [(Path(item.source).name, item.version, item.resource.get("spec")) for item in specimens.objects]


def test_samples_are_read_wherever_they_usually_are(tmp_path: Path) -> None:
    sample = "apiVersion: example.com/v1\nkind: Thing\nspec: {x: NAME}\n"
    specimens = read(
        tmp_path,
        config__samples__a_yaml=sample.replace("NAME", "a")
        + "---\n"
        + sample.replace("NAME", "b")
        + "---\n- no object\n",
        examples__c_yaml=sample.replace("NAME", "c"),
        elsewhere__d_yaml=sample,
    )

    assert summarize(specimens) == [
        ("a.yaml:1", "v1", {"x": "a"}),
        ("a.yaml:5", "v1", {"x": "b"}),
        ("c.yaml:1", "v1", {"x": "c"}),
    ]
    assert len(specimens.select(CRDS[0], "v1")) == 3
    assert specimens.select(CRDS[0], "v2") == []


def test_unreadable_samples_are_noted(tmp_path: Path) -> None:
    specimens = read(tmp_path, samples__a_yaml="a: [\n", samples__b_yaml="kind: Pod\n")

    assert specimens.objects == ()
    assert len(specimens.notes) == 1
    assert "a.yaml: passed over: " in specimens.notes[0]


def test_a_stored_object_outside_of_the_project_is_noted(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "stored.yaml").write_text("spec: {x: a}\n", encoding="utf-8")
    case_file = CASE_FILE.format(crd="things.example.com").replace("oldFile: stored.yaml", "oldFile: ../stored.yaml")

    specimens = read(tmp_path / "project", **{"test_a_crd.yaml": case_file})

    assert any("it leads out of the project" in note for note in specimens.notes)


CASE_FILE = """\
crd: {crd}
version: v1
update:
- name: a
  old: {{spec: {{x: a}}}}
  input: {{spec: {{x: b}}}}
  accepted: true
- name: b
  oldFile: stored.yaml
  oldPatch: {{spec: {{x: c}}}}
  input: {{spec: {{x: b}}}}
  accepted: true
create:
- name: c
  input: {{spec: {{x: d}}}}
  accepted: true
"""


def test_stored_objects_of_cases_are_read(tmp_path: Path) -> None:
    specimens = read(
        tmp_path,
        tests__test_a_crd_yaml=CASE_FILE.format(crd="things.example.com"),
        tests__stored_yaml="spec: {x: b}\n",
    )

    assert specimens.notes == ()
    assert summarize(specimens) == [("test_a.crd.yaml:4", "v1", {"x": "a"}), ("test_a.crd.yaml:8", "v1", {"x": "c"})]
    assert {(item.group, item.kind) for item in specimens.objects} == {("example.com", "Thing")}


def test_a_case_file_with_an_ending_in_capital_letters_counts(tmp_path: Path) -> None:
    (tmp_path / "test_a.crd.YAML").write_text(CASE_FILE.format(crd="things.example.com"), encoding="utf-8")

    specimens = read(tmp_path, stored_yaml="spec: {x: b}\n")

    assert [place for place, *_ in summarize(specimens)] == ["test_a.crd.YAML:4", "test_a.crd.YAML:8"]


def test_a_case_file_may_name_its_crd_by_file(tmp_path: Path) -> None:
    definition = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n"
    )
    specimens = read(
        tmp_path,
        tests__test_a_crd_yaml=CASE_FILE.format(crd="../crds/a.yaml"),
        tests__stored_yaml="spec: {x: b}\n",
        crds__a_yaml=definition,
    )

    assert len(specimens.objects) == 2


@pytest.mark.parametrize(
    ("crd_name", "note"),
    [("others.example.com", "no CRD is called 'others.example.com'"), ("gone.yaml", "No such file or directory")],
)
def test_a_case_file_about_no_crd_of_the_baseline_is_noted(tmp_path: Path, crd_name: str, note: str) -> None:
    specimens = read(tmp_path, tests__test_a_crd_yaml=CASE_FILE.format(crd=crd_name))

    assert specimens.objects == ()
    assert note in specimens.notes[0]


def test_a_stored_object_that_is_not_there_is_noted(tmp_path: Path) -> None:
    specimens = read(tmp_path, tests__test_a_crd_yaml=CASE_FILE.format(crd="things.example.com"))

    assert "stored.yaml" in specimens.notes[0]


def test_suites_have_stored_objects_too(tmp_path: Path) -> None:
    (tmp_path / "a.testsuite.yaml").write_text(
        "apiVersion: apiextensions.k8s.io/v1\n"
        "name: things\n"
        "crdName: things.example.com\n"
        "tests:\n"
        "  onUpdate:\n"
        "  - name: a\n"
        "    initial: |\n"
        "      apiVersion: example.com/v1\n"
        "      kind: Thing\n"
        "      spec: {x: a}\n"
        "    updated: |\n"
        "      apiVersion: example.com/v1\n"
        "      kind: Thing\n"
        "      spec: {x: b}\n"
        "    expected: |\n"
        "      apiVersion: example.com/v1\n"
        "      kind: Thing\n"
        "      spec: {x: b}\n",
        encoding="utf-8",
    )

    specimens = Reader(FolderTree(tmp_path), CRDS).read(samplepaths.FOLDERS, CASES)

    assert (specimens.notes, [item.resource["spec"] for item in specimens.objects]) == ((), [{"x": "a"}])


def test_a_case_file_without_a_version_has_the_only_served_one(tmp_path: Path) -> None:
    specimens = read(
        tmp_path,
        tests__test_a_crd_yaml=CASE_FILE.format(crd="things.example.com").replace("version: v1\n", ""),
        tests__stored_yaml="spec: {x: b}\n",
    )
    version = dict(CRDS[0].manifest["spec"]["versions"][0])
    two = crd_with_versions(version, {**version, "name": "v2", "storage": False})

    assert len(specimens.select(CRDS[0], "v1")) == 2
    assert specimens.select(two, "v1") == []
