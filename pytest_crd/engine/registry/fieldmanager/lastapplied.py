"""
The annotation in which kubectl remembers what it applied on its own side, before it applies on the server's.

Who applies as `kubectl` may take what it applied so before; and the annotation follows what it applies then.
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
_MOST_BYTES: Final = 256 * 1024


def unchanged(live: JSONObject, versions: Versions, api_version: str) -> FieldSet | None:
    """
    Return what the annotation of a stored object states, as far as it is so still; None where it cannot be told.

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
        stated, stored = versions.typed(applied), versions.typed(live)
    except (ValueError, TypedError):
        return None
    compared = stated.compared(stored)
    return stated.fields.difference(compared.modified).difference(compared.added).difference(compared.removed)


def refreshed(resource: JSONObject, applied: JSONObject) -> JSONObject:
    """
    Return a resource that has the annotation, with one that states what is applied; without it where it gets too large.

    Reference:
        apimachinery managedfields/internal/lastappliedupdater.go and lastapplied.go.
    """
    annotations = _annotations(resource)
    if not annotations.get(ANNOTATION):
        return resource
    metadata = applied.get("metadata") or {}
    others = {key: value for key, value in _annotations(applied).items() if key != ANNOTATION}
    stated = {key: value for key, value in metadata.items() if key != "annotations"}
    if isinstance(metadata.get("annotations"), dict):
        stated["annotations"] = others
    kept = {**annotations, ANNOTATION: printing.marshal({**applied, "metadata": stated}) + "\n"}
    if sum(len(key.encode()) + len(value.encode()) for key, value in kept.items()) > _MOST_BYTES:
        del kept[ANNOTATION]
    return {**resource, "metadata": {**resource["metadata"], "annotations": kept}}


def _annotations(resource: JSONObject) -> dict[str, JSONValue]:
    found = (resource.get("metadata") or {}).get("annotations")
    return found if isinstance(found, dict) else {}
