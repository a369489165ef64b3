"""A CRD version that cases are about: which objects can be stored under it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases.caseresult import Context
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CustomResourceDefinition

SPEC = {"type": "object", "properties": {"size": {"type": "integer", "maximum": 3}}}
STATUS = {"type": "object", "properties": {"phase": {"type": "string", "enum": ["x", "y"]}}}


def _crd(**old: Any) -> CustomResourceDefinition:
    """Return a CRD that stores objects in v1, but serves only v2; *old* are further properties of v1."""
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}}
    of_v1 = {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC, "status": STATUS, **old}}}
    status: dict[str, Any] = {"subresources": {"status": {}}}
    return CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gardens.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "gardens", "singular": "garden", "kind": "Garden", "listKind": "GardenList"},
                "versions": [
                    {"name": "v1", "served": False, "storage": True, "schema": of_v1, **status},
                    {"name": "v2", "served": True, "storage": False, "schema": schema, **status},
                ],
            },
        },
        kubernetes_version="1.36",
        source="crd.yaml:1",
    )


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        pytest.param({}, "", id="nothing"),
        pytest.param({"metadata": None}, "", id="no metadata"),
        pytest.param({"metadata": {"namespace": "ns"}, "spec": {"size": 3}}, "", id="a namespace"),
        pytest.param({"status": {"phase": "x"}}, "", id="a status"),
        pytest.param({"apiVersion": "example.com/v1"}, "", id="in the storage version"),
        pytest.param({"apiVersion": "example.com/v2"}, "", id="in another version"),
        pytest.param({"status": {"phase": "z"}}, 'status.phase: Unsupported value: "z"', id="a wrong status"),
        pytest.param({"spec": {"size": 4}}, "spec.size: Invalid value: 4", id="a wrong spec"),
        pytest.param({"spec": {"siez": 1}}, 'unknown field "spec.siez"', id="an unknown field"),
        pytest.param({"apiVersion": "example.com/v3"}, "does not match the expected API version", id="no version"),
        pytest.param({"kind": "Other"}, "kind: Invalid value", id="another kind"),
        pytest.param({"metadata": {"name": "A"}}, "metadata.name: Invalid value", id="a wrong name"),
        pytest.param(
            {"metadata": []}, "cannot unmarshal array into Go value of type v1.ObjectMeta", id="wrong metadata"
        ),
    ],
)
def test_an_object_can_be_stored_or_not(resource: Any, message: str) -> None:
    response = CaseSubject(_crd().version("v2")).store(resource)

    assert response.accepted == (not message)
    assert message in response.message


def test_a_status_is_kept_though_it_is_a_subresource() -> None:
    stored = CaseSubject(_crd().version("v2")).store({"status": {"phase": "x"}}).stored

    assert stored["status"] == {"phase": "x"}
    assert (stored["apiVersion"], stored["metadata"]["name"]) == ("example.com/v1", "example")


def test_fields_of_the_storage_version_alone_can_be_stored() -> None:
    subject = CaseSubject(_crd(old={"type": "string"}).version("v2"))

    assert subject.store({"old": "a"}).stored["old"] == "a"


def test_a_report_says_which_version_of_which_crd_it_is_about() -> None:
    assert CaseSubject(_crd().version("v2")).context == Context("gardens.example.com", "v2", "1.36", "crd.yaml:1")
