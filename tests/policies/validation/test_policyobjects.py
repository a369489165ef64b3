"""Types, defaults and validation of policies and bindings, as servers answer to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from conformance import policyobjects, serverside
from conformance.policyobjects import Case

from pytest_crd.engine import profile
from pytest_crd.engine.golang import decoding
from pytest_crd.policies import policytypes
from pytest_crd.policies.definitions import VALIDATING
from pytest_crd.policies.validation import objectvalidation

_RECORDED = list(policyobjects.recorded())


def _decoded(value: Mapping[str, Any], kind: str, version: str, kubernetes: str) -> Mapping[str, Any]:
    value = {**value, "metadata": {key: item for key, item in value["metadata"].items() if key != "namespace"}}
    decoded = decoding.decode(value, policytypes.type_of(kind, version, profile.named(kubernetes))).value
    return policytypes.defaulted(decoded, kind, version)


@pytest.mark.parametrize(
    ("kubernetes", "case", "expected"), _RECORDED, ids=[f"{version}: {case.name}" for version, case, _ in _RECORDED]
)
def test_the_answers_of_servers_are_given(kubernetes: str, case: Case, expected: Mapping[str, Any]) -> None:
    version, known = case.api_version(kubernetes).rpartition("/")[2], profile.named(kubernetes)
    if expected["code"] == 400:
        with pytest.raises(decoding.DecodeError) as refused:
            _decoded(case.new, case.kind, version, kubernetes)
        assert expected["message"].endswith(str(refused.value))
        return
    new = _decoded(case.new, case.kind, version, kubernetes)
    if "name" not in new["metadata"]:
        new = {**new, "metadata": {**new["metadata"], "name": "gen-xxxxx"}}
    if case.old is None:
        errors = objectvalidation.validate_create(case.kind, new, known)
    else:
        old = _decoded(case.old, case.kind, version, kubernetes)
        errors = objectvalidation.validate_update(case.kind, new, old, known)
    if messages := [str(error) for error in errors]:
        assert messages == expected.get("errors")
        return
    assert expected["code"] in (200, 201)
    assert {key: value for key, value in new["spec"].items() if value not in ([], "")} == expected["spec"]


@pytest.mark.parametrize(
    ("case", "expected"),
    [(case, expected) for version, case, expected in _RECORDED if version == "1.37"],
    ids=[case.name for version, case, _ in _RECORDED if version == "1.37"],
)
def test_crd_server_gives_the_answers_of_a_server(case: Case, expected: Mapping[str, Any]) -> None:
    send = serverside.sender([], "1.37", [])
    assert policyobjects.ask(send, case, "1.37") == expected


def _with_annotation(name: str) -> dict[str, Any]:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    annotations = [{"key": "a", "valueExpression": "string(object.a)"}]
    spec = {"matchConstraints": {"resourceRules": [rule]}, "auditAnnotations": annotations}
    return policytypes.defaulted({"metadata": {"name": name}, "spec": spec}, VALIDATING, "v1")


def test_a_stored_audit_annotation_is_no_new_expression() -> None:
    stored = _with_annotation("a")
    assert objectvalidation.validate_update(VALIDATING, stored, stored, profile.named("1.37")) == []


def test_an_audit_annotation_needs_the_name_of_its_policy() -> None:
    errors = objectvalidation.validate_create(VALIDATING, _with_annotation(""), profile.named("1.37"))
    assert [str(error) for error in errors][-1] == (
        'spec.auditAnnotations[0].key: Invalid value: "a": requires metadata.name be non-empty'
    )
