"""
What a server makes of an object of a built-in kind when it has decoded it, before it looks at it or asks who owns what.

Reference:
    kubernetes pkg/apis, conversion.go of the API versions; of namespaces core/v1/defaults.go.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

_Object: TypeAlias = "dict[str, JSONValue]"

_NAME_LABEL: Final = "kubernetes.io/metadata.name"
_CLAIM: Final = {"kind": "PersistentVolumeClaim", "apiVersion": "v1"}


def converted(plural: str, value: _Object) -> _Object:
    """
    Return an object as it is looked at.

    Args:
        plural: Of what kind it is.
        value: The object, as its Go type is written; it may be changed.
    """
    convert = _CONVERSIONS.get(plural)
    return value if convert is None else convert(value)


def _secret(value: _Object) -> _Object:
    """Have texts among the data, as bytes."""
    texts = value.pop("stringData", {}).items()
    encoded = {key: base64.b64encode(text.encode("utf-8", "surrogatepass")).decode() for key, text in texts}
    data = {**_bytes(value.get("data", {})), **encoded}
    return {**value, "data": data} if data else value


def _config_map(value: _Object) -> _Object:
    return {**value, "binaryData": _bytes(value["binaryData"])} if "binaryData" in value else value


def _bytes(values: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
    """Return bytes by their names; what is null is stored as none."""
    return {key: "" if one is None else one for key, one in values.items()}


def _namespace(value: _Object) -> _Object:
    """Label it with its name."""
    metadata = value["metadata"]
    if not metadata.get("name"):
        return value
    return {**value, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), _NAME_LABEL: metadata["name"]}}}


def _stateful_set(value: _Object) -> _Object:
    """Have each claim say what it is, whatever it says."""
    claims = value["spec"].get("volumeClaimTemplates")
    if not claims:
        return value
    return {**value, "spec": {**value["spec"], "volumeClaimTemplates": [{**one, **_CLAIM} for one in claims]}}


_CONVERSIONS: Final[Mapping[str, Callable[[_Object], _Object]]] = {
    "secrets": _secret,
    "configmaps": _config_map,
    "namespaces": _namespace,
    "statefulsets": _stateful_set,
}
