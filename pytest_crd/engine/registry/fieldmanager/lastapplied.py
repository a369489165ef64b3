"""
The last-applied annotation of client-side applies by kubectl.

The manager `kubectl` may take over the fields of its client-side applies, and its server-side applies update the annotation.
"""

from __future__ import annotations

import json
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError
from pytest_crd.engine.registry.fieldmanager.versionedobjects import Versions

KUBECTL: Final = "kubectl"
ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
_MAX_BYTES: Final = 256 * 1024


def unchanged(live: JSONObject, versions: Versions, api_version: str) -> FieldSet | None:
    """
    Return the fields in the annotation of an object that still have their values; None without a valid annotation.

    Args:
        live: The object.
        versions: The versions of its CRD.
        api_version: The version that the request is sent to.

    Reference:
        apimachinery managedfields/internal/lastappliedmanager.go.
    """
    text = _annotations(live).get(ANNOTATION)
    if not text:
        return None
    try:
        applied = json.loads(text)
        if not isinstance(applied, dict) or not applied.get("kind") or applied.get("apiVersion") != api_version:
            return None
        annotated, stored = versions.typed(applied), versions.typed(live)
    except (ValueError, TypedError):
        return None
    compared = annotated.compared(stored)
    return annotated.fields.difference(compared.modified).difference(compared.added).difference(compared.removed)


def refreshed(resource: JSONObject, applied: JSONObject) -> JSONObject:
    """
    Return a resource with its annotation updated to *applied*, or removed if it becomes too large; others stay unchanged.

    Reference:
        apimachinery managedfields/internal/lastappliedupdater.go and lastapplied.go.
    """
    annotations = _annotations(resource)
    if not annotations.get(ANNOTATION):
        return resource
    metadata = applied.get("metadata") or {}
    other_annotations = {key: value for key, value in _annotations(applied).items() if key != ANNOTATION}
    applied_metadata = {key: value for key, value in metadata.items() if key != "annotations"}
    if isinstance(metadata.get("annotations"), dict):
        applied_metadata["annotations"] = other_annotations
    new_annotations = {**annotations, ANNOTATION: printing.marshal({**applied, "metadata": applied_metadata}) + "\n"}
    if sum(len(key.encode()) + len(value.encode()) for key, value in new_annotations.items()) > _MAX_BYTES:
        del new_annotations[ANNOTATION]
    return {**resource, "metadata": {**resource["metadata"], "annotations": new_annotations}}


def _annotations(resource: JSONObject) -> dict[str, JSONValue]:
    annotations = (resource.get("metadata") or {}).get("annotations")
    return annotations if isinstance(annotations, dict) else {}
