"""Selectable fields of built-in kinds, besides name and namespace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.tables import jsonpath

# The paths of each plural, with the text of an absent value.
_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "certificatesigningrequests": {"spec.signerName": ""},
    "clustertrustbundles": {"spec.signerName": ""},
    "events": dict.fromkeys(
        (
            *(f"involvedObject.{name}" for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")),
            *("reason", "reportingComponent", "source", "type"),
        ),
        "",
    ),
    "jobs": {"status.successful": ""},
    "namespaces": {"status.phase": ""},
    "nodes": {"spec.unschedulable": "false"},
    "podcertificaterequests": dict.fromkeys(("spec.signerName", "spec.podName", "spec.nodeName"), ""),
    "pods": dict.fromkeys(
        ("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.podIP"), ""
    ),
    "replicasets": {"status.replicas": "0"},
    "replicationcontrollers": {"status.replicas": "0"},
    "resourceslices": dict.fromkeys(("spec.nodeName", "spec.driver"), ""),
    "secrets": {"type": ""},
}  # fmt: skip


def values(plural: str, object_: Resource) -> Mapping[str, str]:
    """
    Return the selectable fields of an object with their values.

    Args:
        plural: The plural of its kind.
        object_: The object.

    Reference:
        kubernetes pkg/registry, ToSelectableFields of each kind; pkg/apis, AddFieldLabelConversionFunc.
    """
    return {
        path: _text(jsonpath.find_values(object_, f".{path}"), text) for path, text in _FIELDS.get(plural, {}).items()
    }


def _text(found: Sequence[JSONValue], absent: str) -> str:
    if not found:
        return absent
    return str(found[0]).lower() if isinstance(found[0], bool) else str(found[0])
