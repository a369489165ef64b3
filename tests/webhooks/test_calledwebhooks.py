"""The webhooks of a project as the engine calls them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition, profile
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.webhooks.calledwebhooks import CalledWebhooks
from pytest_crd.webhooks.chain import UnknownTransportError
from pytest_crd.webhooks.endpoints import Assignment, FunctionEndpoint
from pytest_crd.webhooks.project import ProjectWebhooks

PROFILE = profile.named(profile.DEFAULT)
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tabs.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "tabs", "kind": "Tab"},
        "conversion": {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"namespace": "system", "name": "webhook", "path": "/convert"}},
            },
        },
        "versions": [
            {
                "name": name,
                "served": True,
                "storage": name == "v1",
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
            for name in ("v1", "v1alpha1")
        ],
    },
}
CONFIGURATION = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating}
webhooks:
- name: v.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: system, name: webhook}}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: watched}}
  rules: [{apiGroups: [example.com], apiVersions: [v1], resources: [tabs], operations: ['*']}]
"""


def _webhooks(functions: dict[str, Callable[[Any], Any]], *configurations: str) -> CalledWebhooks:
    assignments = [
        Assignment(which, FunctionEndpoint(function), "conftest.py") for which, function in functions.items()
    ]

    def read() -> list[Manifest]:
        return [
            document for text in configurations for document in manifest.read(text.encode(), source="webhooks.yaml")
        ]

    return CalledWebhooks(ProjectWebhooks(assignments, base=Path(), read_configurations=read))


def _tabs(webhooks: CalledWebhooks) -> CustomResourceDefinition:
    return CustomResourceDefinition.from_manifest(CRD).with_webhooks(webhooks)


def _deny(review: Any) -> Any:
    return {"uid": review["request"]["uid"], "allowed": False, "status": {"message": "never"}}


def _convert(review: Any) -> Any:
    request = review["request"]
    converted = [{**item, "apiVersion": request["desiredAPIVersion"]} for item in request["objects"]]
    return {"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}}


def test_a_conversion_webhook_without_endpoint_is_not_called() -> None:
    assert _tabs(_webhooks({"admission": _deny}, CONFIGURATION)).version("v1alpha1").converter is None


def test_a_conversion_webhook_is_called() -> None:
    response = _tabs(_webhooks({"conversion": _convert})).version("v1alpha1").create({"a": 1})

    assert response.accepted
    assert response.whole is not None
    assert response.whole.value["apiVersion"] == "example.com/v1"


def test_a_project_without_configurations_has_no_admission() -> None:
    assert _webhooks({"all": _deny}).admission(PROFILE) is None


def test_a_denied_request_names_its_webhook() -> None:
    version = _tabs(_webhooks({"all": _deny}, CONFIGURATION)).version("v1")

    denied = version.create({"metadata": {"name": "a", "namespace": "watched"}})

    assert [(denial.by, denial.message) for denial in denied.denials] == [("v.example.com", "never")]
    assert denied.message == 'admission webhook "v.example.com" denied the request: never'
    assert version.create({"metadata": {"name": "a", "namespace": "other"}}).accepted


def test_namespaces_of_a_server_are_asked_for() -> None:
    def find(name: str) -> Any:
        return {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": "watched"}}}

    plugin = _webhooks({"all": _deny}, CONFIGURATION).plugin(PROFILE, find)

    assert plugin is not None
    assert plugin.namespace_of("x") == find("x")


def test_a_matching_webhook_without_endpoint_is_an_error() -> None:
    version = _tabs(_webhooks({"w.example.com": _deny}, CONFIGURATION)).version("v1")

    with pytest.raises(UnknownTransportError, match=r"webhooks\.yaml:5: .* it is not known how to call it"):
        version.create({"metadata": {"name": "a", "namespace": "watched"}})
