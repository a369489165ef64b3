"""Admission in requests for custom resources."""

from __future__ import annotations

from typing import Any

import pytest
from support.webhooks import FixedWebhooks, FunctionAdmission

from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.registry.admission import ADMINISTRATOR, AdmissionRequest, Admitted
from pytest_crd.engine.registry.request import FIXED_VALUES, Request
from pytest_crd.engine.registry.requestbody import Body, RefusedError

SPEC = {
    "type": "object",
    "properties": {"a": {"type": "string", "maxLength": 3}, "b": {"type": "string", "default": "x"}},
}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {**SPEC, "properties": {**SPEC["properties"], "replicas": {"type": "integer"}}},  # type: ignore[dict-item] # a schema
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
    },
}
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tabs.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "tabs", "kind": "Tab"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": SCHEMA},
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
            }
        ],
    },
}
OLD = {"metadata": {"name": "one", "uid": "u"}, "spec": {"a": "old", "b": "y", "replicas": 1}}


def _tab(admission: FunctionAdmission) -> CrdVersion:
    return CustomResourceDefinition.from_manifest(CRD).with_webhooks(FixedWebhooks(None, admission)).version("v1")


def _setting(**spec: Any) -> FunctionAdmission:
    def mutate(request: AdmissionRequest) -> Admitted:
        assert request.object is not None
        return Admitted({**request.object, "spec": {**request.object["spec"], **spec}}, ("changed",))

    return FunctionAdmission(mutate)


def _denying(stage: str) -> FunctionAdmission:
    def deny(_request: AdmissionRequest) -> Admitted:
        raise RefusedError(Refusal(403, "Forbidden", "no"), warnings=("asked",))

    return FunctionAdmission(**{stage: deny})


def test_a_create_is_mutated_before_validation_and_validated_before_the_store() -> None:
    admission = _setting(a="new")

    response = _tab(admission).create({"spec": {"a": "too long"}})

    assert response.stored["spec"] == {"a": "new", "b": "x"}
    assert response.warnings == ("changed",)
    (first, mutated), (second, validated) = admission.calls
    assert (first, second) == ("mutate", "validate")
    assert mutated.object is not None
    assert mutated.object["spec"] == {"a": "too long", "b": "x"}
    assert "uid" not in mutated.object["metadata"]
    assert mutated.object["metadata"]["namespace"] == "default"
    assert [entry["manager"] for entry in mutated.object["metadata"]["managedFields"]] == ["pytest-crd"]
    assert validated.object is not None
    assert validated.object["metadata"]["uid"] == FIXED_VALUES.uid()
    assert mutated.options == {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}
    assert mutated.user == ADMINISTRATOR
    assert (mutated.group, mutated.version, mutated.kind, mutated.resource) == ("example.com", "v1", "Tab", "tabs")


def test_a_mutated_object_is_validated() -> None:
    response = _tab(_setting(a="longer")).create({"spec": {"a": "a"}})

    assert response.code == 422
    assert response.warnings == ("changed",)


def test_fields_that_a_plugin_adds_are_pruned_when_the_object_is_read() -> None:
    assert _tab(_setting(unknown=1)).create({"spec": {"a": "a"}}).stored["spec"] == {"a": "a", "b": "x"}


@pytest.mark.parametrize("stage", ["mutate", "validate"])
def test_a_plugin_refuses_a_request(stage: str) -> None:
    response = _tab(_denying(stage)).create({"spec": {"a": "a"}})

    assert (response.code, response.message, response.warnings) == (403, "no", ("asked",))
    assert response.status is not None
    assert response.status["reason"] == "Forbidden"


def test_an_invalid_object_is_not_sent_to_validating_plugins() -> None:
    admission = FunctionAdmission()

    assert _tab(admission).create({"spec": {"a": "too long"}}).code == 422
    assert [name for name, _ in admission.calls] == ["mutate"]


@pytest.mark.parametrize("verb", ["update", "patch", "apply"])
def test_other_writes_are_mutated_with_the_stored_object(verb: str) -> None:
    admission = _setting(a="new")
    version = _tab(admission)
    if verb == "update":
        response = version.update({"spec": {"a": "a"}}, old=OLD)
    elif verb == "patch":
        response = version.patch({"spec": {"a": "a"}}, old=OLD)
    else:
        response = version.apply({"spec": {"a": "a"}}, old=OLD, manager="m", force=True)

    assert response.stored["spec"]["a"] == "new"
    call = admission.calls[0][1]
    assert (call.operation, call.name) == ("UPDATE", "one")
    assert call.old_object is not None
    assert call.old_object["spec"]["a"] == "old"
    assert call.options["kind"] == "UpdateOptions"


def test_an_apply_that_creates_is_a_create() -> None:
    admission = _setting(a="new")

    assert _tab(admission).apply({"metadata": {"name": "one"}, "spec": {}}, manager="m").stored["spec"]["a"] == "new"
    assert admission.calls[0][1].operation == "CREATE"
    assert admission.calls[0][1].options == {
        "kind": "CreateOptions",
        "apiVersion": "meta.k8s.io/v1",
        "fieldManager": "m",
    }


def test_plugins_see_dry_runs_and_strict_field_validation() -> None:
    admission = FunctionAdmission()
    body = Body({"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "a"}})

    request = Request("create", body, field_validation="Strict", dry_run=True)
    _tab(admission).answer(None, request, FIXED_VALUES, admission)

    options = admission.calls[0][1].options
    assert admission.calls[0][1].dry_run
    assert (options["dryRun"], options["fieldValidation"]) == (["All"], "Strict")


def test_validating_plugins_see_a_generated_name() -> None:
    admission = FunctionAdmission()

    assert _tab(admission).create({"metadata": {"generateName": "a-"}}).accepted
    assert [call.name for _, call in admission.calls] == ["", "a-xxxxx"]


def test_plugins_see_the_scale_of_a_request_to_scale() -> None:
    admission = FunctionAdmission()

    assert _tab(admission).scale(OLD, 3).accepted
    assert [(name, call.kind, call.subresource) for name, call in admission.calls] == [
        ("mutate", "Scale", "scale"),
        ("validate", "Scale", "scale"),
    ]
    assert [call.object and call.object["spec"] for _, call in admission.calls] == [{"replicas": 3}] * 2
    assert [call.old_object and call.old_object["spec"] for _, call in admission.calls] == [{"replicas": 1}] * 2


def test_interfaces_convert_and_default() -> None:
    interfaces = _tab(FunctionAdmission()).strategy.interfaces

    assert interfaces.versions == ("v1",)
    tab = {"apiVersion": "example.com/v1", "kind": "Tab", "spec": {}}
    assert interfaces.default(tab)["spec"] == {"b": "x"}
    for other in (
        {"apiVersion": "example.com/v2"},
        {"apiVersion": "other.com/v1"},
        {"kind": "Other"},
        {"apiVersion": None},
    ):
        assert interfaces.default({**tab, **other}) == {**tab, **other}
    assert interfaces.convert({"apiVersion": "example.com/v1"}, "example.com/v2") == {"apiVersion": "example.com/v2"}


def _scaling(value: Any) -> FunctionAdmission:
    def mutate(request: AdmissionRequest) -> Admitted:
        assert request.object is not None
        return Admitted({**request.object, "spec": {"replicas": value}}, ("changed",))

    return FunctionAdmission(mutate)


def test_plugins_change_the_scale_of_a_request_to_scale() -> None:
    response = _tab(_scaling(7)).scale(OLD, 3)

    assert response.stored["spec"]["replicas"] == 7
    assert response.warnings == ("changed",)


def test_a_malformed_scale_of_a_plugin_is_refused() -> None:
    assert _tab(_scaling("many")).scale(OLD, 3).code == 500


def test_an_applied_scale_is_sent_to_plugins() -> None:
    admission = FunctionAdmission()
    version = _tab(admission)
    created = version.apply({"metadata": {"name": "one"}, "spec": {"replicas": 1}}, manager="m")
    admission.calls.clear()

    version.apply({"spec": {"replicas": 1}}, old=created, manager="m", subresource="scale")

    name, call = admission.calls[0]
    assert (name, call.kind) == ("mutate", "Scale")


def test_nulls_of_a_plugin_stay_until_the_object_is_validated() -> None:
    response = _tab(_setting(a=None)).create({"spec": {}})

    assert response.code == 422
    assert _tab(FunctionAdmission()).strategy.interfaces.default(
        {"apiVersion": "example.com/v1", "kind": "Tab", "spec": {"a": None}}
    )["spec"] == {"a": None, "b": "x"}


def test_malformed_metadata_of_a_plugin_is_refused_except_in_a_status() -> None:
    def mutate(request: AdmissionRequest) -> Admitted:
        assert request.object is not None
        return Admitted({**request.object, "metadata": {**request.object["metadata"], "labels": 5}})

    version = _tab(FunctionAdmission(mutate))

    assert version.update({"spec": {"a": "a"}}, old=OLD).errors[0].message == (
        'Invalid value: {"labels":5,"name":"one","namespace":"default","resourceVersion":"1","uid":"u"}: cannot restore map from int64'
    )
    assert version.update_status({"status": {"replicas": 1}}, old=OLD).accepted


def test_changes_of_a_scale_are_mutations_of_the_scale() -> None:
    response = _tab(_scaling(7)).scale(OLD, 3)

    assert [*map(str, response.changes.mutated)] == ["spec.replicas"]
    assert _tab(FunctionAdmission()).scale(OLD, 3).changes.mutated == ()


def test_warnings_of_plugins_about_an_applied_scale_are_kept() -> None:
    version = _tab(_scaling(7))
    created = _tab(FunctionAdmission()).apply({"metadata": {"name": "one"}, "spec": {"replicas": 1}}, manager="m")

    response = version.apply({"spec": {"replicas": 1}}, old=created, manager="m", subresource="scale")

    assert "changed" in response.warnings
