"""
Changes that a server makes to each decoded object of a built-in kind, before it validates it and computes its managed fields.

Reference:
    kubernetes pkg/apis, conversion.go of the API versions; for namespaces core/v1/defaults.go.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.builtin import autoscalerforms

_Object: TypeAlias = "dict[str, JSONValue]"

# The annotation with the number of changes to the template of a DaemonSet.
TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
_NUMBER: Final = re.compile("-?[0-9]{1,18}")
# The label of a namespace with its name.
NAME_LABEL: Final = "kubernetes.io/metadata.name"
_CLAIM: Final = {"kind": "PersistentVolumeClaim", "apiVersion": "v1"}


def converted(plural: str, value: _Object) -> _Object:
    """
    Return a decoded object with the changes of its kind.

    Args:
        plural: The plural of its kind.
        value: The decoded object; may be changed.
    """
    convert = _CONVERSIONS.get(plural)
    return value if convert is None else convert(value)


def _secret(value: _Object) -> _Object:
    """Merge stringData into data, as base64."""
    texts = value.pop("stringData", {}).items()
    encoded = {key: base64.b64encode(text.encode("utf-8", "surrogatepass")).decode() for key, text in texts}
    data = {**_bytes(value.get("data", {})), **encoded}
    return {**value, "data": data} if data else value


def _config_map(value: _Object) -> _Object:
    return {**value, "binaryData": _bytes(value["binaryData"])} if "binaryData" in value else value


def _bytes(values: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
    """Return base64 values with null replaced by an empty text."""
    return {key: "" if encoded is None else encoded for key, encoded in values.items()}


def _namespace(value: _Object) -> _Object:
    """Add the label with the name of the namespace."""
    metadata = value["metadata"]
    if not metadata.get("name"):
        return value
    return {**value, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), NAME_LABEL: metadata["name"]}}}


def _autoscaler(value: _Object) -> _Object:
    """Rewrite the annotations of an object of v1, and add its default metric."""
    return autoscalerforms.to_v1(autoscalerforms.to_v2(value)) if value["apiVersion"] == "autoscaling/v1" else value


def _daemon_set(value: _Object) -> _Object:
    """Add the annotation with the number of changes to the template."""
    metadata = value["metadata"]
    annotations = metadata.get("annotations", {})
    number = annotations.get(TEMPLATE_GENERATION, "")
    if not _NUMBER.fullmatch(number):
        number = "0"
    return {**value, "metadata": {**metadata, "annotations": {**annotations, TEMPLATE_GENERATION: number}}}


def _stateful_set(value: _Object) -> _Object:
    """Set apiVersion and kind of each volume claim template."""
    claims = value["spec"].get("volumeClaimTemplates")
    if not claims:
        return value
    return {**value, "spec": {**value["spec"], "volumeClaimTemplates": [{**claim, **_CLAIM} for claim in claims]}}


_CONVERSIONS: Final[Mapping[str, Callable[[_Object], _Object]]] = {
    "secrets": _secret,
    "configmaps": _config_map,
    "namespaces": _namespace,
    "daemonsets": _daemon_set,
    "horizontalpodautoscalers": _autoscaler,
    "statefulsets": _stateful_set,
}
