"""Migration of a CRD from `apiextensions.k8s.io/v1beta1` to v1: fields to rename, and errors under v1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_crd.checks import fieldlines
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.engine import CustomResourceDefinition, profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.loading.crdfiles import ReadCrd

# The field of a version for each field of the spec that all versions share.
_SHARED: Final = {
    "validation": "schema",
    "subresources": "subresources",
    "additionalPrinterColumns": "additionalPrinterColumns",
}


def find_changes(read: ReadCrd) -> tuple[CheckFinding, ...]:
    """Return the changes that a v1beta1 CRD needs before a server accepts it as v1."""
    spec = read.manifest.value["spec"]
    written = [
        CheckFinding(fieldlines.find_line(read.manifest, tuple(field.split("."))), text)
        for field, text in _written_otherwise(spec)
    ]
    new_crd = {**read.crd.declared, "apiVersion": declared.V1, "spec": _spec(read.crd.declared["spec"])}
    crd = CustomResourceDefinition.from_manifest(new_crd, kubernetes_version=profile.DEFAULT)
    refused = (fieldlines.make_finding(read.manifest, error) for error in crd.response.errors)
    return (*written, *refused)


def _written_otherwise(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each field that has another name in v1, with advice."""
    yield "apiVersion", f"apiVersion: {declared.V1}"
    if "version" in spec:
        yield "spec.version", "spec.version is a list: spec.versions, with name, served and storage"
    for field, name in _SHARED.items():
        if field in spec:
            yield f"spec.{field}", f"spec.{field} stands in each version: spec.versions[*].{name}"
    if any("JSONPath" in column for holder in (spec, *(spec.get("versions") or ())) for column in _columns(holder)):
        yield "spec.additionalPrinterColumns", "JSONPath of a column is spelled jsonPath"
    if spec.get("preserveUnknownFields", True):
        yield (
            "spec.preserveUnknownFields",
            "unknown fields are dropped; what is to be kept needs x-kubernetes-preserve-unknown-fields: true in the schema",
        )
    conversion = spec.get("conversion") or {}
    if conversion.get("webhookClientConfig"):
        yield (
            "spec.conversion.webhookClientConfig",
            "spec.conversion.webhookClientConfig is spec.conversion.webhook.clientConfig",
        )
    if conversion.get("conversionReviewVersions"):
        yield (
            "spec.conversion.conversionReviewVersions",
            "spec.conversion.conversionReviewVersions is spec.conversion.webhook.conversionReviewVersions",
        )


def _columns(holder: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return holder.get("additionalPrinterColumns") or []


def _spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the *spec* of a v1beta1 CRD in the form of v1; apart from that, only unknown fields are dropped."""
    shared = {name: spec[field] for field, name in _SHARED.items() if field in spec}
    versions = spec.get("versions") or [{"name": spec.get("version"), "served": True, "storage": True}]
    moved = {*_SHARED, "version", "versions", "preserveUnknownFields", "conversion"}
    result = {key: value for key, value in spec.items() if key not in moved}
    result["versions"] = [_version({**shared, **version}) for version in versions]
    if conversion := spec.get("conversion"):
        webhook = {"clientConfig": "webhookClientConfig", "conversionReviewVersions": "conversionReviewVersions"}
        webhook_config = {name: conversion[field] for name, field in webhook.items() if field in conversion}
        result["conversion"] = {
            "strategy": conversion.get("strategy"),
            **({"webhook": webhook_config} if webhook_config else {}),
        }
    return result


def _version(version: Mapping[str, Any]) -> dict[str, Any]:
    renamed = [
        {"jsonPath" if key == "JSONPath" else key: value for key, value in column.items()}
        for column in _columns(version)
    ]
    return {**version, **({"additionalPrinterColumns": renamed} if renamed else {})}
