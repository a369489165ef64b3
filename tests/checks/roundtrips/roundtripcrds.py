"""CRDs with several versions for round trips, with functions as their webhooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from support.webhooks import FixedWebhooks, FunctionConverter

from pytest_crd.checks.roundtrips import judging
from pytest_crd.checks.verdict import CheckVerdict
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.conversion import ConversionFailedError

Convert = Callable[[JSONObject, str], JSONObject]

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
WEBHOOK: Final = {
    "strategy": "Webhook",
    "webhook": {
        "clientConfig": {"service": {"namespace": "default", "name": "webhook"}},
        "conversionReviewVersions": ["v1"],
    },
}


def version(name: str, properties: Mapping[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """Return a version for `make_crd`."""
    spec = {"type": "object", "properties": properties, **({"required": [*required]} if required else {})}
    schema = {"type": "object", "properties": {"spec": spec, **more.pop("others", {})}}
    return {"name": name, "served": True, "schema": {"openAPIV3Schema": schema}, **more}


def make_crd(
    *versions: Mapping[str, Any], convert: Convert | None = None, strategy: str = "Webhook"
) -> CustomResourceDefinition:
    """Return a CRD with a function as its webhook; the first version is the storage version."""
    numbered = [{**item, "storage": item is versions[0]} for item in versions]
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "tabs", "singular": "tab", "kind": "Tab", "listKind": "TabList"},
            "versions": numbered,
            "conversion": WEBHOOK if strategy == "Webhook" else {"strategy": strategy},
        },
    }
    crd = CustomResourceDefinition.from_manifest(manifest, source="tabs.yaml:1")
    assert crd.response.accepted, crd.response.message
    return crd if convert is None else crd.with_webhooks(FixedWebhooks(FunctionConverter(_checked(convert))))


def _checked(convert: Convert) -> Convert:
    def call(resource: JSONObject, api_version: str) -> JSONObject:
        try:
            return convert(resource, api_version)
        except KeyError as error:
            raise ConversionFailedError(f"conversion webhook failed: no {error}") from None

    return call


def keep(resource: JSONObject, _api_version: str) -> JSONObject:
    """Return the object as it is."""
    return resource


def judge(crd: CustomResourceDefinition, samples: Sequence[Any] = ()) -> CheckVerdict:
    """Return the verdict of the check."""
    return judging.judge(crd, samples)


def texts(verdict: CheckVerdict) -> list[str]:
    """Return the findings of a verdict."""
    return [finding.text for finding in verdict.findings]
