"""Requests to admission plugins, and webhook configurations, for tests."""

from __future__ import annotations

import json

from pytest_crd.engine import profile
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.admission import AdmissionRequest, ObjectInterfaces, Operation, User
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.yaml import manifest
from pytest_crd.webhooks import configurations
from pytest_crd.webhooks.configurations import Configurations

NEWEST = profile.named("1.37")
GROUP = "example.com"
OBJECT: JSONObject = {
    "apiVersion": "example.com/v1",
    "kind": "Tab",
    "metadata": {"name": "one", "namespace": "default", "labels": {"a": "b"}},
    "spec": {"x": 1},
}
RULE: JSONObject = {"operations": ["*"], "apiGroups": [GROUP], "apiVersions": ["v1"], "resources": ["*/*"]}


def convert(resource: JSONObject, api_version: str) -> JSONObject:
    """Return an object in another version; one with a `spec.stuck` cannot be converted."""
    if "stuck" in resource.get("spec", {}):
        raise RefusedError(Refusal(500, "", "stuck"))
    return {**resource, "apiVersion": api_version}


def default(resource: JSONObject) -> JSONObject:
    """Return an object with a default for `spec.d`."""
    return {**resource, "spec": {"d": "default", **(resource.get("spec") or {})}}


def admission_request(
    new: JSONObject | None = OBJECT, old: JSONObject | None = None, operation: Operation = "CREATE"
) -> AdmissionRequest:
    """Return a request for a Tab."""
    return AdmissionRequest(
        operation,
        GROUP,
        "v1",
        "Tab",
        "tabs",
        "",
        "one",
        "default",
        new,
        old,
        {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
        dry_run=False,
        user=User("admin", groups=("g",), extra={"e": ("1", "2")}),
        interfaces=ObjectInterfaces(("v1", "v2"), convert, default),
    )


def webhook(name: str = "a.example.com", **fields: JSONValue) -> dict[str, JSONValue]:
    """Return a webhook that matches all requests for Tabs."""
    return {
        "name": name,
        "clientConfig": {"url": f"https://hooks.example.com/{name.partition('.')[0]}"},
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **fields,
    }


def configuration(
    kind: str, *webhooks: JSONValue, name: str = "hooks", version: str = "v1", **fields: JSONValue
) -> dict[str, JSONValue]:
    """Return a configuration; *kind* is `Mutating` or `Validating`."""
    return {
        "apiVersion": f"admissionregistration.k8s.io/{version}",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": list(webhooks),
        **fields,
    }


def read(*manifests: JSONValue, kubernetes: str = "1.37") -> Configurations:
    """Return the webhooks of manifests in one file, one a line."""
    content = "\n".join(f"---\n{json.dumps(value)}" for value in manifests)
    return configurations.read(manifest.read(content.encode(), source="hooks.yaml"), profile.named(kubernetes))
