"""`pytest-crd validate` with CRDs among the objects: the server's answers to them, besides their use as schemas."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from support import crds

from pytest_crd import __main__ as program

Validate: TypeAlias = "Callable[..., tuple[int, str, str]]"

CRD = crds.text("plural: tabs, kind: Tab", "type: object\nproperties: {size: {type: integer}}")
TITLE = "CustomResourceDefinition/tabs.example.com"
TAB = "---\napiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\nsize: 1\n"
END = "; Kubernetes 1.37\n"
BY = "by Kubernetes 1.37"


@pytest.fixture
def validate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Validate:
    """Run the command for a file with the given text, and return its code and output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()  # a folder of CRDs, so that no process searches for others

    def run(text: str, *arguments: str) -> tuple[int, str, str]:
        (tmp_path / "crds/a.yaml").write_text(text)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return program.main(["validate", *(arguments or ("crds/a.yaml",))]), *capsys.readouterr()

    return run


def test_a_crd_is_judged_and_judges_objects(validate: Validate) -> None:
    assert validate(f"{CRD}\n{TAB}") == (
        0,
        (
            f"crds/a.yaml:1: {TITLE}: accepted\ncrds/a.yaml:17: Tab/a: accepted\n"
            f"1 custom resource, 0 refused; 1 built-in object, 0 refused{END}"
        ),
        "",
    )


def test_a_refused_crd_fails_without_objects(validate: Validate) -> None:
    code, out, _ = validate(CRD.replace("integer", "int"))

    assert code == 1
    assert out == (
        f"crds/a.yaml:1: {TITLE}: refused (422) {BY}\n"
        '  crds/a.yaml:15: spec.validation.openAPIV3Schema.properties[size].type: Unsupported value: "int": supported values: '
        '"array", "boolean", "integer", "number", "object", "string"\n'
        f"0 custom resources, 0 refused; 1 built-in object, 1 refused{END}"
    )


def test_unknown_fields_of_a_crd_fail(validate: Validate) -> None:
    code, out, _ = validate(CRD.replace("scope:", "scop: x\n  scope:"))

    assert code == 1
    assert (
        "  crds/a.yaml:6: spec.scop: the schema does not specify it, so that it is dropped; did you mean spec.scope?\n"
        in out
    )


def test_conditions_that_show_a_flaw_are_warnings(validate: Validate) -> None:
    approved = "annotations: {api-approved.kubernetes.io: unapproved}, name: tabs.x.k8s.io"
    text = CRD.replace("name: tabs.example.com", approved).replace("example.com", "x.k8s.io")

    code, out, _ = validate(text)

    assert code == 0
    assert "accepted\n  warning: KubernetesAPIApprovalPolicyConformant is False (UnapprovedAnnotation): " in out


def test_an_update_of_a_crd_is_judged(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "old.yaml").write_text(CRD)

    code, out, _ = validate(CRD.replace("Namespaced", "Cluster"), "crds/a.yaml", "--old", "old.yaml")

    assert (code, f"crds/a.yaml:1: {TITLE}: refused (422) {BY}" in out) == (1, True)
    assert 'spec.scope: Invalid value: "Cluster": field is immutable' in out
    assert "1 built-in object, 1 refused, 1 of them updated" in out


def test_an_apply_of_a_crd_is_judged(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "old.yaml").write_text(CRD)
    unknown = validate(CRD.replace("scope:", "scop: x\n  scope:"), "crds/a.yaml", "--apply")

    assert (unknown[0], ".spec.scop: field not declared in schema" in unknown[1]) == (1, True)
    assert validate(CRD, "crds/a.yaml", "--apply")[0] == 0
    conflict = validate(CRD.replace("Namespaced", "Cluster"), "crds/a.yaml", "--apply", "--old", "old.yaml")
    assert (conflict[0], "refused (409)" in conflict[1]) == (1, True)


def test_a_former_version_is_not_served(validate: Validate) -> None:
    text = (
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\n"
    )
    text += "spec: {group: example.com, version: v1, scope: Namespaced, names: {plural: tabs, kind: Tab}}\n"

    assert validate(text) == (
        1,
        (
            'crds/a.yaml:1: no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v1beta1"; '
            "Kubernetes 1.37 serves CustomResourceDefinition of apiextensions.k8s.io/v1\n"
            f"0 custom resources, 0 refused; 1 object of a kind that is not served{END}"
        ),
        "",
    )
    assert validate(text, "crds/a.yaml", "--kubernetes-version", "1.21")[0] == 0


def test_a_patch_of_a_crd_is_not_judged(validate: Validate) -> None:
    patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\n"

    assert "not judged (1 CustomResourceDefinition of apiextensions.k8s.io/v1)" in validate(f"{CRD}\n---\n{patch}")[1]


def test_each_overlay_has_its_own_crd(tmp_path: Path, validate: Validate) -> None:
    for name, patch in (("a", "integer"), ("b", "int")):
        (tmp_path / name).mkdir()
        path = "/spec/versions/0/schema/openAPIV3Schema/properties/size/type"
        (tmp_path / name / "kustomization.yaml").write_text(
            "resources: [../crds]\npatches:\n- target: {kind: CustomResourceDefinition}\n"
            f"  patch: '- {{op: replace, path: {path}, value: {patch}}}'\n"
        )
    (tmp_path / "crds/kustomization.yaml").write_text("resources: [a.yaml]\n")

    code, out, _ = validate(CRD, "a", "b")

    assert code == 1
    assert f"{TITLE} of a: accepted\n" in out
    assert f"{TITLE} of b: refused (422) {BY}\n" in out


def test_json_names_the_resource_of_crds(validate: Validate) -> None:
    answer = json.loads(validate(CRD, "-", "-o", "json")[1])

    assert [(item["builtIn"], item["onlyDecoded"], item["code"]) for item in answer["objects"]] == [
        ("customresourcedefinitions.apiextensions.k8s.io", False, 201)
    ]
