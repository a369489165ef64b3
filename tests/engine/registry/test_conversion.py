"""Requests for custom resources that a webhook converts."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from support.webhooks import FixedWebhooks, FunctionConverter

from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.conversion import ConversionFailedError
from pytest_crd.engine.registry.requestbody import RefusedError


def _version(name: str, **properties: str) -> dict[str, Any]:
    spec = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return {
        "name": name,
        "served": True,
        "storage": name == "v1",
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }


CRD: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tabs.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "tabs", "kind": "Tab"},
        "versions": [_version("v1", seconds="integer"), _version("v1alpha1", minutes="integer", note="string")],
        "conversion": {
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": {"service": {"namespace": "default", "name": "webhook"}},
                "conversionReviewVersions": ["v1"],
            },
        },
    },
}


def _convert(resource: JSONObject, api_version: str) -> JSONObject:
    spec = resource["spec"]
    if api_version == "example.com/v1":
        return {**resource, "spec": {"seconds": spec["minutes"] * 60}}
    return {**resource, "spec": {"minutes": spec["seconds"] // 60}}


def _convert_with_more(resource: JSONObject, api_version: str) -> JSONObject:
    return {**_convert(resource, api_version), "unknown": 1}


def _refuse(_resource: JSONObject, api_version: str) -> JSONObject:
    raise ConversionFailedError(f"conversion webhook for {api_version} failed")


def _tab(version: str, converter: FunctionConverter | None = None) -> CrdVersion:
    crd = CustomResourceDefinition.from_manifest(CRD)
    return crd.with_webhooks(FixedWebhooks(converter or FunctionConverter(_convert))).version(version)


def test_a_created_object_is_stored_in_the_storage_version_and_read_back() -> None:
    converter = FunctionConverter(_convert_with_more)

    response = _tab("v1alpha1", converter).create({"spec": {"minutes": 2, "note": "tea"}})

    assert response.whole is not None
    assert response.whole.value["spec"] == {"seconds": 120}
    assert response.stored["spec"] == {"minutes": 2}
    assert response.stored["apiVersion"] == "example.com/v1alpha1"
    assert [version for _, version in converter.calls] == ["example.com/v1", "example.com/v1alpha1"]


def test_nothing_is_converted_in_the_storage_version() -> None:
    converter = FunctionConverter(_refuse)

    assert _tab("v1", converter).create({"spec": {"seconds": 1}}).accepted
    assert converter.calls == []


def test_the_stored_form_is_known_if_the_webhook_can_be_called() -> None:
    assert _tab("v1alpha1").unknown_when_stored == ""
    assert CustomResourceDefinition.from_manifest(CRD).version("v1alpha1").unknown_when_stored


def test_a_refused_conversion_is_an_error_of_the_server() -> None:
    response = _tab("v1alpha1", FunctionConverter(_refuse)).create({"spec": {"minutes": 2}})

    assert response.code == 500
    assert response.message == "conversion webhook for example.com/v1 failed"


def test_a_stored_object_that_cannot_be_converted_cannot_be_updated_or_read() -> None:
    version = _tab("v1alpha1", FunctionConverter(_refuse))
    stored = {"apiVersion": "example.com/v1", "metadata": {"name": "a"}, "spec": {"seconds": 60}}

    assert version.update({"spec": {"minutes": 1}}, old=stored).code == 500
    with pytest.raises(RefusedError, match=r"conversion webhook for example\.com/v1alpha1 failed"):
        version.read(stored)


def test_a_stored_object_is_converted_from_its_own_version() -> None:
    version, stored = _tab("v1alpha1"), {"metadata": {"name": "a"}}

    of_storage = version.patch(
        {"spec": {"minutes": 3}}, old={**stored, "apiVersion": "example.com/v1", "spec": {"seconds": 60}}
    )
    of_same = version.patch({}, old={**stored, "apiVersion": "example.com/v1alpha1", "spec": {"minutes": 5}})

    assert of_storage.stored["spec"] == {"minutes": 3}
    assert of_same.stored["spec"] == {"minutes": 5}


def test_fields_that_an_apply_owns_in_another_version_are_converted() -> None:
    crd = CustomResourceDefinition.from_manifest(CRD).with_webhooks(FixedWebhooks(FunctionConverter(_convert)))
    first = crd.version("v1").apply({"metadata": {"name": "a"}, "spec": {"seconds": 60}}, manager="one")

    second = crd.version("v1alpha1").apply(
        {"metadata": {"name": "a"}, "spec": {"minutes": 2}}, manager="two", old=first
    )

    assert second.code == 409
    assert [conflict.manager for conflict in second.conflicts] == ["one"]


def test_an_apply_whose_owned_fields_cannot_be_converted_is_refused() -> None:
    crd = CustomResourceDefinition.from_manifest(CRD)
    first = crd.version("v1alpha1").apply({"metadata": {"name": "a"}, "spec": {"minutes": 1}}, manager="one")

    second = (
        crd.with_webhooks(FixedWebhooks(FunctionConverter(_refuse)))
        .version("v1")
        .apply({"metadata": {"name": "a"}, "spec": {"seconds": 2}}, manager="two", old=first)
    )

    assert second.code == 500


def test_crds_that_differ_in_a_guard_share_a_converter() -> None:
    crd = CustomResourceDefinition.from_manifest(CRD).with_webhooks(FixedWebhooks(FunctionConverter(_convert)))

    assert crd.guarded(lambda _: None).version("v1").converter is crd.version("v1").converter


def test_a_pickled_crd_calls_no_webhooks() -> None:
    crd = CustomResourceDefinition.from_manifest(CRD).with_webhooks(FixedWebhooks(FunctionConverter(_convert)))
    assert crd.version("v1alpha1").create({"spec": {"minutes": 2}}).accepted

    copy = pickle.loads(pickle.dumps(crd))  # noqa: S301 - this test's own

    assert copy.version("v1alpha1").converter is None


def test_a_crd_without_webhook_has_no_converter() -> None:
    spec = {key: value for key, value in CRD["spec"].items() if key != "conversion"}
    crd = CustomResourceDefinition.from_manifest({**CRD, "spec": spec}).with_webhooks(
        FixedWebhooks(FunctionConverter(_refuse))
    )

    assert crd.version("v1alpha1").converter is None
    assert crd.version("v1alpha1").create({"spec": {"minutes": 2}}).accepted


def test_an_altered_crd_calls_the_webhook_of_the_original() -> None:
    crd = CustomResourceDefinition.from_manifest(CRD).with_webhooks(FixedWebhooks(FunctionConverter(_convert)))
    altered = crd.altered({**CRD, "metadata": {**CRD["metadata"], "labels": {"a": "b"}}})

    assert altered.version("v1alpha1").create({"spec": {"minutes": 2}}).stored["spec"] == {"minutes": 2}
    assert altered.version("v1alpha1").converter is not None
