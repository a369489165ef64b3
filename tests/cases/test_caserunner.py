"""A case holds if the engine's answer meets its expectations, apart from fields that only a server sets."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.deviations import NotReached, ObjectMismatch, PathsMismatch, Present
from pytest_crd.cases.model import PolicyCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, InputError
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.document import Document

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "size": {"type": "integer", "default": 3}},
}


def _version(spec: dict[str, Any]) -> CrdVersion:
    names = {"plural": "gardens", "singular": "garden", "kind": "Garden", "listKind": "GardenList"}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    versions = [{"name": "v1", "served": True, "storage": True, "schema": schema}]
    return CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gardens.runner.example.com"},
            "spec": {"group": "runner.example.com", "scope": "Namespaced", "names": names, "versions": versions},
        }
    ).version("v1")


def _run(section: str, case: str, *, spec: dict[str, Any] | None = None) -> CaseResult:
    text = f"crd: gardens.runner.example.com\n{section}:\n- {{name: a, {case}}}\n"
    (case_file,) = loader.load(text, source="cases.yaml")
    return caserunner.run(case_file.cases[0], CaseSubject(_version(spec or SPEC)))


@pytest.mark.parametrize(
    ("section", "case"),
    [
        pytest.param("pruning", "input: {spec: {a: x, b: why}}, expected: {spec: {a: x}}", id="a whole object"),
        pytest.param(
            "pruning", "input: {spec: {a: x}, b: why}, contains: {spec: {a: x}}, pruned: [b]", id="a part of it"
        ),
        pytest.param("pruning", "input: {spec: {a: x, b: why}}, absent: [spec.b]", id="what is absent"),
        pytest.param("pruning", "input: {spec: {b: 1, c: 2}}, pruned: [spec.c, spec.b]", id="paths in any order"),
        pytest.param("defaulting", "input: {spec: {}}, defaulted: [spec.size]", id="defaults"),
        pytest.param("defaulting", "input: {spec: {a: null}}, nullsDropped: [spec.a]", id="dropped nulls"),
        pytest.param("pruning", "input: 'spec: {a: x, b: why}', expected: {spec: {a: x}}", id="an input as text"),
        pytest.param(
            "pruning",
            "input: {metadata: {name: it, namespace: ns, uid: u}, spec: {}}, expected: {metadata: {name: it}, spec: {}}",
            id="no namespace unless stated",
        ),
        pytest.param(
            "pruning",
            "input: {metadata: {name: it, namespace: ns}}, expected: {metadata: {name: it, namespace: ns, generation: 4}}",
            id="what a server sets is not compared",
        ),
        pytest.param(
            "pruning",
            "input: {spec: {}}, expected: {apiVersion: runner.example.com/v1, kind: Garden, spec: {}}",
            id="apiVersion and kind are filled in",
        ),
    ],
)
def test_a_case_holds(section: str, case: str) -> None:
    result = _run(section, case)

    assert result.holds
    assert result.mismatches == ()
    assert result.context.crd == "gardens.runner.example.com"


@pytest.mark.parametrize(
    ("section", "case", "mismatches"),
    [
        pytest.param("pruning", "input: {spec: {a: x}}, absent: [spec.a]", (Present("spec.a", "x"),), id="it is there"),
        pytest.param(
            "pruning",
            "input: {spec: {b: 1, c: 2}}, pruned: [spec.c, spec.size]",
            (PathsMismatch("pruned", ("spec.size",), ("spec.b",), ("spec.c",)),),
            id="other paths",
        ),
        pytest.param(
            "pruning",
            "input: {spec: {b: 1}}, pruned: []",
            (PathsMismatch("pruned", (), ("spec.b",), ()),),
            id="paths where none is expected",
        ),
        pytest.param(
            "pruning",
            "input: {metadata: {labels: 1}}, expected: {}",
            (
                NotReached(
                    "the server answers 400: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string"
                ),
            ),
            id="an object that cannot be decoded",
        ),
    ],
)
def test_a_case_does_not_hold(section: str, case: str, mismatches: tuple[Any, ...]) -> None:
    result = _run(section, case)

    assert not result.holds
    assert result.mismatches == mismatches


@pytest.mark.parametrize("key", ["expected", "contains"])
def test_an_object_that_differs_is_kept_with_its_input(key: str) -> None:
    (mismatch,) = _run(
        "pruning", f"input: {{spec: {{a: x, b: why}}}}, {key}: {{spec: {{a: z}}}}, pruned: [spec.b]"
    ).mismatches

    assert isinstance(mismatch, ObjectMismatch)
    assert mismatch.key == key
    assert mismatch.actual == {"spec": {"a": "x"}}
    assert mismatch.input == {"apiVersion": "runner.example.com/v1", "kind": "Garden", "spec": {"a": "x", "b": "why"}}
    assert mismatch.remainder.expected == {"spec": {"a": "z"}}


def test_an_input_that_is_no_yaml_is_a_mistake_and_no_verdict() -> None:
    with pytest.raises(InputError):
        _run("pruning", "input: 'spec: [', expected: {}")


@pytest.mark.parametrize("section", ["pruning", "defaulting"])
def test_a_schema_under_which_nothing_is_served_refuses_the_case(section: str) -> None:
    result = _run(section, "input: {spec: {}}, expected: {spec: {}}", spec={"$ref": "#/x"})

    message = "gardens.runner.example.com v1 serves no objects: OpenAPIV3Schema '$ref' is not supported"
    assert result.mismatches == (NotReached(message),)


@pytest.mark.parametrize("section", ["pruning", "defaulting", "create"])
def test_an_input_that_is_a_text_is_read_once(monkeypatch: pytest.MonkeyPatch, section: str) -> None:
    read: list[str] = []
    read_one = yamlreader.read_one

    def noted(text: str) -> Document:
        read.append(text)
        return read_one(text)

    monkeypatch.setattr(yamlreader, "read_one", noted)

    result = _run(section, "input: 'spec: {a: x}', contains: {spec: {b: 1}}")

    assert (result.holds, read) == (False, ["spec: {a: x}"])


def test_a_case_of_a_policy_has_no_crd() -> None:
    ((case,),) = [
        file.cases for file in loader.load("policy: a\ncases: [{name: a, input: {}, accepted: true}]\n", source="a")
    ]
    assert isinstance(case, PolicyCase)
    with pytest.raises(TypeError, match="a case of a policy has no CRD"):
        caserunner.run(case, CaseSubject(_version(SPEC)))


def _stored_in(*versions: tuple[str, bool, str]) -> CrdVersion:
    """Return v1 of a CRD with versions: the name, whether it is the storage version, and the names of its fields."""
    names = {"plural": "gardens", "singular": "garden", "kind": "Garden", "listKind": "GardenList"}
    rule = {"rule": "self == oldSelf", "message": "it stays"}
    fields = {"a": {"type": "string", "x-kubernetes-validations": [rule]}, "b": {"type": "integer"}}
    declared = [
        {
            "name": name,
            "served": True,
            "storage": storage,
            "schema": {
                "openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": {"type": "object", "properties": {key: fields[key] for key in chosen}}},
                }
            },
        }
        for name, storage, chosen in versions
    ]
    return CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gardens.runner.example.com"},
            "spec": {"group": "runner.example.com", "scope": "Namespaced", "names": names, "versions": declared},
        }
    ).version("v1")


@pytest.mark.parametrize(
    ("old", "is_kept"),
    [
        pytest.param([("v1", True, "ab")], True, id="stored in a version that was the storage version"),
        pytest.param([("v0", True, "ab"), ("v1", False, "ab")], False, id="migrated from a version that is gone"),
    ],
)
@pytest.mark.parametrize(
    ("section", "sent"),
    [
        ("update", "input: {spec: {a: '8', b: 1}}"),
        ("patch", "patch: {spec: {a: '8'}}"),
        ("apply", "steps: [{manager: m, force: true, input: {spec: {a: '8'}}}]"),
    ],
)
def test_an_old_object_has_the_fields_of_the_storage_version_of_its_crd(
    section: str, sent: str, old: list[tuple[str, bool, str]], *, is_kept: bool
) -> None:
    """As kube-apiserver 1.37 answers: an immutable field of v1 is held against the object that is stored as v1."""
    case = f"{{name: a, {sent}, old: {{spec: {{a: '9', b: 1}}}}, error: it stays}}"
    text = f"crd: gardens.runner.example.com\n{section}:\n- {case}\n"
    (case_file,) = loader.load(text, source="cases.yaml")
    new = _stored_in(("v1", False, "ab"), ("v2", True, "b"))

    result = caserunner.run(case_file.cases[0], CaseSubject(new), old_subject=CaseSubject(_stored_in(*old)))

    assert (not result.mismatches) == is_kept
