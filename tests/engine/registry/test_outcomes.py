"""Outcomes of requests: the stored object, the response, and whether anything changed."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.api import crdanswers
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.registry import handlers
from pytest_crd.engine.registry.customresource import CustomResourceStrategy
from pytest_crd.engine.registry.fieldmanager import writers
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome
from pytest_crd.engine.registry.requestbody import Body

SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}, "m": {"type": "integer"}}},
        "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
    },
}
GENERATED = GeneratedValues(now=lambda: "2024-01-02T03:04:05Z", uid=lambda: "u-1", suffix=lambda: "abcde")
TYPE = {"apiVersion": "example.com/v1", "kind": "Cron"}
STORED = {
    **TYPE,
    "metadata": {
        "creationTimestamp": "2020-01-01T00:00:00Z",
        "generation": 4,
        "name": "a",
        "namespace": "default",
        "uid": "u-0",
    },
    "spec": {"n": 1},
    "status": {"ready": False},
}


def _strategy(*names: str, kubernetes: str = "1.37") -> CustomResourceStrategy:
    versions = [
        {
            "name": name,
            "served": True,
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": SCHEMA},
            "subresources": {"status": {}},
        }
        for name in ("v1", *names)
    ]
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "example.com",
            "names": {"kind": "Cron", "plural": "crons"},
            "scope": "Namespaced",
            "versions": versions,
        },
    }
    named = profile.named(kubernetes)
    answers = CrdAnswers(crdanswers.decoded(manifest, named, ""), named, None)
    return answers.strategy(answers.schemas[-1])


V1 = _strategy()


def _put(sent: dict[str, Any], stored: Any = STORED, **options: Any) -> RequestOutcome:
    metadata = {"name": "a", "resourceVersion": "7"} | sent.pop("metadata", {})
    request = Request("update", Body({**TYPE, **sent, "metadata": metadata}), name="a", **options)
    return handlers.handle(stored, request._replace(resource_version="7"), V1, GENERATED)


def test_a_create_generates_uid_time_and_generation() -> None:
    body = Body({**TYPE, "metadata": {"generateName": "a-", "uid": "mine"}, "spec": {"n": 1}})
    outcome = handlers.handle(None, Request("create", body), V1, GENERATED)

    assert (outcome.before, outcome.changed, outcome.response.code) == (None, True, 201)
    assert outcome.objects.stored == outcome.objects.returned
    assert outcome.objects.stored is not None
    assert outcome.objects.stored["metadata"] == {
        "creationTimestamp": "2024-01-02T03:04:05Z",
        "generateName": "a-",
        "generation": 1,
        "managedFields": [
            {
                "apiVersion": "example.com/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:metadata": {"f:generateName": {}}, "f:spec": {".": {}, "f:n": {}}},
                "manager": "pytest-crd",
                "operation": "Update",
                "time": "2024-01-02T03:04:05Z",
            }
        ],
        "name": "a-abcde",
        "namespace": "default",
        "uid": "u-1",
    }
    assert outcome.response.stored["metadata"] == {"generateName": "a-", "namespace": "default"}


def test_an_update_without_changes_reports_none() -> None:
    outcome = _put({"spec": {"n": 1}})
    assert (outcome.response.code, outcome.changed, outcome.objects.stored) == (200, False, STORED)


def test_the_generation_counts_changes_of_the_spec_only() -> None:
    spec, labels = _put({"spec": {"n": 2}}), _put({"spec": {"n": 1}, "metadata": {"labels": {"a": "b"}}})
    status = _put({"status": {"ready": True}}, subresource="status")

    assert [outcome.changed for outcome in (spec, labels, status)] == [True, True, True]
    result = [
        outcome.objects.stored["metadata"]["generation"] for outcome in (spec, labels, status) if outcome.objects.stored
    ]
    assert result == [5, 4, 4]
    assert status.objects.stored == {**STORED, "status": {"ready": True}}


def test_sent_generated_metadata_is_ignored_on_update() -> None:
    outcome = _put({"spec": {"n": 1}, "metadata": {"generation": 9, "creationTimestamp": "2021-01-01T00:00:00Z"}})
    assert not outcome.changed


def test_sent_managed_fields_are_stored() -> None:
    entry = {"manager": "m", "operation": "Update", "apiVersion": "example.com/v1", "time": "2021-01-01T00:00:00Z"}
    sent = [{**entry, "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:n": {}}}}]
    outcome = _put({"spec": {"n": 1}, "metadata": {"managedFields": sent}})
    assert outcome.objects.stored is not None
    assert outcome.objects.stored["metadata"]["managedFields"] == sent
    assert "managedFields" not in outcome.response.stored["metadata"]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"spec": {"n": -1}}, 422),
        ({"spec": {"n": 1}, "metadata": {"resourceVersion": "6"}}, 409),
        ({"spec": {"n": 1}, "metadata": {"name": "b"}}, 400),
        ({"spec": {"n": 1}, "items": []}, 200),
    ],
)
def test_a_refused_request_leaves_the_stored_object_unchanged(sent: Any, code: int) -> None:
    outcome = _put(dict(sent))
    assert (outcome.response.code, outcome.changed, outcome.objects.stored) == (code, False, STORED)


def test_an_update_of_a_missing_object_is_not_found() -> None:
    outcome = _put({"spec": {"n": 1}}, None)
    assert (outcome.response.code, outcome.changed, outcome.objects.stored) == (404, False, None)
    assert outcome.response.message == 'crons.example.com "a" not found'


@pytest.mark.parametrize(("finalizers", "is_gone"), [([], True), (["example.com/f"], False)])
def test_an_object_that_is_deleted_is_gone_with_its_last_finalizer(finalizers: list[str], *, is_gone: bool) -> None:
    blocked = {"deletionTimestamp": "2023-01-01T00:00:00Z", "finalizers": ["example.com/f"]}
    stored = {**STORED, "metadata": {**STORED["metadata"], **blocked}}  # type: ignore[dict-item] # metadata
    outcome = _put({"spec": {"n": 1}, "metadata": {"finalizers": finalizers}}, stored)
    assert outcome.response.code == 200
    assert outcome.objects.returned is not None
    assert (outcome.objects.stored is None, outcome.changed) == (is_gone, is_gone)


def test_the_stored_object_has_the_storage_version_and_the_response_the_requested_one() -> None:
    v2 = _strategy("v2")
    body = Body({"apiVersion": "example.com/v2", "kind": "Cron", "metadata": {"name": "a", "resourceVersion": "1"}})
    outcome = handlers.handle(STORED, Request("update", body, name="a", resource_version="1"), v2, GENERATED)
    assert outcome.objects.stored is not None
    assert outcome.objects.returned is not None
    assert (outcome.objects.stored["apiVersion"], outcome.objects.returned["apiVersion"]) == (
        "example.com/v1",
        "example.com/v2",
    )
    assert outcome.objects.stored["metadata"]["uid"] == outcome.objects.returned["metadata"]["uid"] == "u-0"


@pytest.mark.parametrize(
    ("manager", "agent", "name"),
    [
        ("m", "kubectl/v1.37", "m"),
        ("", "kubectl/v1.37 (linux)", "kubectl"),
        ("", "a\x07b", "ab"),
        ("", "caf\udce9/1", "caf\ufffd"),
        ("", "x" * 127 + "é", "x" * 127),
        ("", "", ""),
    ],
)
def test_the_field_manager_defaults_to_the_user_agent(manager: str, agent: str, name: str) -> None:
    assert writers.manager_name(manager, agent) == name


@pytest.mark.parametrize(
    ("entry", "causes"),
    [
        pytest.param({"manager": "w" * 129}, ["may not be more than 128 bytes"] * 3, id="too long"),
        pytest.param({"manager": "a\nb"}, ["invalid character U+000A (at position 1)"] * 3, id="a control character"),
        pytest.param(
            {"manager": "a", "subresource": "s" * 257}, ["may not be more than 256 bytes"] * 3, id="subresource"
        ),
        pytest.param({"manager": "w" * 129, "operation": "Zap"}, [], id="an entry that the server ignores"),
    ],
)
def test_sent_managed_fields_are_validated_on_update(entry: dict[str, Any], causes: list[str]) -> None:
    """As kube-apiserver 1.37 answers: thrice."""
    expected = {
        "operation": "Apply",
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:n": {}}},
    }
    expected |= entry
    outcome = _put({"metadata": {"managedFields": [expected]}, "spec": {"n": 1}}, field_manager="me")

    assert [error.detail for error in outcome.response.errors] == causes


@pytest.mark.parametrize(("version", "code"), [("3", 500), ("0", 201), ("x", 201), (str(2**64), 201)])
def test_a_store_refuses_a_new_object_with_a_resource_version(version: str, code: int) -> None:
    body = Body({**TYPE, "metadata": {"name": "a", "resourceVersion": version}, "spec": {"n": 1}})

    request = Request("create", body, storage_prefix="/registry")
    assert handlers.handle(None, request, V1, GENERATED).response.code == code
    assert handlers.handle(None, Request("create", body), V1, GENERATED).response.code == 201


def test_a_dry_run_keeps_the_resource_version_of_a_new_object() -> None:
    body = Body({**TYPE, "metadata": {"name": "a", "resourceVersion": "3"}, "spec": {"n": 1}})
    outcome = handlers.handle(None, Request("create", body, dry_run=True), V1, GENERATED)

    assert (outcome.response.code, outcome.sent_version) == (201, "3")
