"""A case of a suite is a create, or an update of a created object and its status."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.deviations import Accepted, MessageMismatch, NotReached, ObjectMismatch, Rejected
from pytest_crd.cases.openshift import suiterunner
from pytest_crd.cases.openshift.suite import Suite
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.inputerror import InputError

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "class": {"type": "string", "enum": ["a", "b"]},
        "size": {"type": "integer", "default": 3},
    },
}
STATUS = {"type": "object", "properties": {"phase": {"type": "string", "enum": ["x", "z"]}}}


def _subject(spec: dict[str, Any]) -> CaseSubject:
    names = {"plural": "gardens", "singular": "garden", "kind": "Garden", "listKind": "GardenList"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": STATUS}}},
    }
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gardens.suites.example.com"},
        "spec": {"group": "suites.example.com", "scope": "Cluster", "names": names, "versions": [version]},
    }
    return CaseSubject(CustomResourceDefinition.from_manifest(crd).version("v1"))


def _run(table: str, case: str, *, spec: dict[str, Any] = SPEC, old_spec: dict[str, Any] | None = None) -> CaseResult:
    text = f"crdName: gardens.suites.example.com\ntests:\n  {table}:\n  - {{name: a, {case}}}\n"
    suite = loader.load_any(text, source="s.yaml")
    assert isinstance(suite, Suite)
    subject = _subject(spec)
    return suiterunner.run(suite.cases[0], subject, old_subject=_subject(old_spec) if old_spec else subject)


@pytest.mark.parametrize(
    ("table", "case"),
    [
        ("onCreate", "initial: 'spec: {class: a}', expected: 'spec: {class: a, size: 3}'"),
        ("onCreate", "initial: '{metadata: {name: it}, spec: {class: a}}', expected: 'spec: {class: a, size: 3}'"),
        ("onCreate", "initial: 'spec: {class: c}', expectedError: 'Unsupported value: \"c\"'"),
        (
            "onUpdate",
            (
                "initial: '{spec: {class: a}, status: {phase: x}}', updated: 'spec: {class: b}', "
                "expected: '{spec: {class: b, size: 3}, status: {phase: x}}'"
            ),
        ),
        (
            "onUpdate",
            (
                "initial: '{spec: {class: a}}', updated: '{spec: {class: b}, status: {phase: z}}', "
                "expected: '{spec: {class: b, size: 3}, status: {phase: z}}'"
            ),
        ),
        (
            "onUpdate",
            "initial: 'spec: {}', updated: '{spec: {class: c}, status: {phase: b}}', expectedError: spec.class",
        ),
        (
            "onUpdate",
            "initial: 'spec: {}', updated: '{spec: {}, status: {phase: b}}', expectedStatusError: status.phase",
        ),
    ],
)
def test_a_case_holds(table: str, case: str) -> None:
    assert _run(table, case).mismatches == ()


@pytest.mark.parametrize(
    ("table", "case", "mismatch"),
    [
        ("onCreate", "initial: 'spec: {class: a}', expected: 'spec: {class: a}'", ObjectMismatch),
        (
            "onCreate",
            "initial: '{metadata: {labels: {a: b}}, spec: {}}', expected: 'spec: {size: 3}'",
            ObjectMismatch,
        ),
        ("onCreate", "initial: 'spec: {class: c}', expected: 'spec: {class: c}'", Rejected),
        ("onCreate", "initial: 'spec: {class: c}', expectedError: immutable", MessageMismatch),
        ("onUpdate", "initial: 'spec: {}', updated: 'spec: {class: c}', expected: 'spec: {}'", Rejected),
        ("onUpdate", "initial: 'spec: {}', updated: 'spec: {class: a}', expectedError: immutable", Accepted),
        ("onUpdate", "initial: 'spec: {}', updated: '{status: {phase: x}}', expectedStatusError: immutable", Accepted),
        (
            "onUpdate",
            "initial: 'spec: {}', updated: '{spec: {class: c}, status: {}}', expectedStatusError: x",
            Rejected,
        ),
    ],
)
def test_a_case_does_not_hold(table: str, case: str, mismatch: type) -> None:
    result = _run(table, case)

    assert [type(item) for item in result.mismatches] == [mismatch]
    assert result.context.crd == "gardens.suites.example.com"


def test_an_object_from_under_another_crd_is_ratcheted() -> None:
    lax = {"type": "object", "properties": {"class": {"type": "string"}, "size": {"type": "integer"}}}
    case = "initial: 'spec: {class: c}', updated: 'spec: {class: c, size: 1}', expected: 'spec: {class: c, size: 1}'"

    assert _run("onUpdate", case, old_spec=lax).holds


@pytest.mark.parametrize(
    ("initial", "words"),
    [
        ("{spec: {class: c}}", "spec.class: Unsupported value"),
        ("{status: {phase: b}}", "status.phase: Unsupported value"),
    ],
)
def test_an_object_that_cannot_be_created_is_a_mistake(initial: str, words: str) -> None:
    with pytest.raises(InputError, match=rf"^s\.yaml:4: 'initial' of update case \"a\" is refused: .*{words}"):
        _run("onUpdate", f"initial: '{initial}', updated: 'spec: {{}}', expectedError: x")


def test_a_schema_under_which_nothing_is_served_refuses_the_case() -> None:
    result = _run("onCreate", "initial: 'spec: {}', expectedError: x", spec={"$ref": "#/x"})

    assert result == caserunner.not_served(
        _subject({"$ref": "#/x"}),
        ValueError("OpenAPIV3Schema '$ref' is not supported"),  # type: ignore[arg-type]
    )
    assert isinstance(result.mismatches[0], NotReached)
