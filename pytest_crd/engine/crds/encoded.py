"""
CustomResourceDefinitions as the server encodes them in answers: empty fields omitted, required fields present.

Defaults are already set, and no other value changes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.crds import declared, decoded
from pytest_crd.engine.golang import decoding
from pytest_crd.engine.golang.gotypes import GoType, List, Map, Pointer, Struct, StructReference, Union
from pytest_crd.engine.jsonvalue import JSONObject as Object

# The fields that are written even if they are empty, by the name of the struct without its package.
_REQUIRED: Final[Mapping[str, frozenset[str]]] = {
    "CustomResourceDefinitionSpec": frozenset({"group", "names", "scope"}),
    "CustomResourceDefinitionNames": frozenset({"plural", "kind"}),
    "CustomResourceDefinitionVersion": frozenset({"name", "served", "storage"}),
    "CustomResourceColumnDefinition": frozenset({"name", "type", "jsonPath", "JSONPath"}),
    "SelectableField": frozenset({"jsonPath"}),
    "CustomResourceSubresourceScale": frozenset({"specReplicasPath", "statusReplicasPath"}),
    "CustomResourceConversion": frozenset({"strategy"}),
    "WebhookConversion": frozenset({"conversionReviewVersions"}),
    "ServiceReference": frozenset({"namespace", "name"}),
    "ValidationRule": frozenset({"rule"}),
    "CustomResourceDefinitionStatus": frozenset({"conditions", "acceptedNames", "storedVersions"}),
    "CustomResourceDefinitionCondition": frozenset({"type", "status", "lastTransitionTime"}),
}


def encode(crd: Object) -> Object:
    """
    Return *crd* with spec and status as the server encodes them.

    Args:
        crd: The decoded and defaulted CRD with the status that the server sets; not modified.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1 and v1beta1: `omitempty` in types.go and types_jsonschema.go, and
        v1/conversion.go, which drops an empty `webhook`.
    """
    version = "v1beta1" if crd["apiVersion"] == declared.V1BETA1 else "v1"
    kind = decoded.custom_resource_definition(version)
    spec = dict(crd.get("spec") or {})
    if version == "v1" and spec.get("conversion") is not None:
        spec["conversion"] = _without_empty_webhook(spec["conversion"])
    return with_status({**crd, "spec": decoding.decode(spec, _written(kind.fields["spec"])).value}, crd.get("status"))


def with_status(crd: Object, status: Object | None) -> Object:
    """Return a CRD with a status as the server encodes it."""
    kind = decoded.custom_resource_definition("v1beta1" if crd["apiVersion"] == declared.V1BETA1 else "v1")
    return {**crd, "status": decoding.decode(status or {}, _written(kind.fields["status"])).value}


def _without_empty_webhook(conversion: Object) -> Object:
    webhook = conversion.get("webhook") or {}
    if webhook.get("clientConfig") is not None or webhook.get("conversionReviewVersions") is not None:
        return conversion
    return {key: value for key, value in conversion.items() if key != "webhook"}


@functools.cache
def _written(kind: GoType) -> GoType:
    """Return the type to decode an encoded value of *kind* with."""
    if isinstance(kind, Struct):
        required = _REQUIRED.get(kind.go.rpartition(".")[2], frozenset()) & kind.fields.keys()
        if kind.go == "v1.CustomResourceDefinitionSpec":
            required |= {"versions"}
        return Struct(kind.go, {name: _written(field) for name, field in kind.fields.items()}, frozenset(required))
    if isinstance(kind, Pointer):
        return Pointer(_written(kind.to))
    if isinstance(kind, List):
        return List(_written(kind.item), kind.go)
    if isinstance(kind, Map):
        return Map(_written(kind.value), kind.go)
    if isinstance(kind, Union):
        array = None if kind.array is None else _written(kind.array)
        own = {"bools": kind.bools, "refusal": kind.refusal, "empty": kind.empty}
        return Union(kind.go, _written(kind.object), array=array, **own)
    return StructReference(functools.partial(_loaded, kind)) if isinstance(kind, StructReference) else kind


def _loaded(kind: StructReference) -> Struct:
    struct = _written(kind.load())
    return struct if isinstance(struct, Struct) else kind.load()
