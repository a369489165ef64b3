"""Conversations with a server about CRDs in protobuf, each in the group `{ns}.example.com`, and about OpenAPI documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_BOTH: Final = f"{_PROTOBUF},application/json"
_META: Final = "g=meta.k8s.io;v=v1"
_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAME: Final = "pans.{ns}.example.com"
_PAN: Final = f"{_CRDS}/{_NAME}"
_THIS: Final = f"fieldSelector=metadata.name%3D{_NAME}"
_NONE: Final = f"{_CRDS}/none.{{ns}}.example.com"
_INITIAL: Final = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
# How long a cluster takes to accept names, in seconds.
_SETTLE_SECONDS: Final = 0.7
_ACCEPTS: Final = (
    _PROTOBUF,
    _BOTH,
    "application/json",
    f"application/json;q=0.5,{_PROTOBUF}",
    f"application/yaml;q=0.9,{_PROTOBUF};q=0.8",
    f"{_PROTOBUF};as=Table;{_META}",
    f"{_PROTOBUF};as=Table;{_META},application/json;as=Table;{_META}",
    f"{_PROTOBUF};as=PartialObjectMetadata;{_META}",
    f"{_PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
    f"{_PROTOBUF};as=PartialObjectMetadataList;{_META}",
    f"{_PROTOBUF};stream=watch",
    f"*/*,{_PROTOBUF}",
    f"application/yaml;q=0.1,*/*;q=0.9,{_PROTOBUF};q=0.8",
)
_V2, _V3 = (f"application/com.github.proto-openapi.spec.{version}.v1.0+protobuf" for version in ("v2", "v3"))
_DOCUMENT: Final = "/openapi/v3/apis/fuzz.example.com/v1"
_WATCHED: Final = (
    _PROTOBUF,
    f"{_PROTOBUF};stream=watch",
    f"{_PROTOBUF};as=PartialObjectMetadata;{_META},application/json;as=PartialObjectMetadata;{_META}",
    f"{_PROTOBUF};as=Table;{_META},application/json;as=Table;{_META}",
)
_OTHERS: Final = (
    ("CustomResourceDefinitionList", "apiextensions.k8s.io/v1"),
    ("Status", "v1"),
    ("ConfigMap", "v1"),
)


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        "protobuf of CRDs": _written(),
        "protobuf of CRDs in each form": [
            _sent("POST", _CRDS, _crd()),
            *(_paused(_read(f"{path}", accept)) for accept in _ACCEPTS for path in (_PAN, f"{_CRDS}?{_THIS}", _NONE)),
        ],
        "protobuf of CRDs that are watched": _watches(),
        "protobuf of CRDs that are refused": _refused(),
        "protobuf of schemas": [_sent("POST", f"{_CRDS}?dryRun=All", _crd_with_field(schema)) for schema in _schemas()],
        "protobuf of whole CRDs": _whole(),
        "protobuf of OpenAPI": _published(),
    }


def _crd(schema: JSONValue = None, *, spec: JSONValue = None, **metadata: JSONValue) -> JSONValue:
    """Return a CRD with one version, and with the fields of *spec*."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema or {"type": "object"}},
    }
    names = {"plural": "pans", "singular": "pan", "kind": "Pan", "listKind": "PanList"}
    whole = {"group": "{ns}.example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": _NAME, **metadata},
        "spec": {**whole, **(spec or {})},
    }


def _written() -> list[JSONValue]:
    labelled = {"metadata": {"labels": {"b": "2", "a": "1"}}}
    status = {
        "conditions": [{"type": "Mine", "status": "True", "lastTransitionTime": "2024-01-02T03:04:05Z"}],
        "acceptedNames": {"plural": "pans", "singular": "pan", "kind": "Pan", "listKind": "PanList"},
        "storedVersions": ["v1", "v0"],
    }
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground"}
    return [
        _sent("POST", f"{_CRDS}?dryRun=All", _crd()),
        _sent("POST", _CRDS, _crd(annotations={"note": "é"})),
        _sent("POST", _CRDS, _crd()),
        _paused(_read(_PAN)),
        _read(f"{_CRDS}?{_THIS}"),
        _read(f"{_CRDS}?{_THIS}&limit=1"),
        _sent("PUT", _PAN, _crd({"type": "object", "description": "new"}, resourceVersion="{rv:3}")),
        _sent("PUT", _PAN, _crd()),
        _sent("PUT", _PAN, _crd(resourceVersion="1")),
        _sent("PUT", _NONE, {**_crd(), "metadata": {"name": "none.{ns}.example.com", "resourceVersion": "1"}}),
        _sent("PATCH", _PAN, labelled, media_type=_MERGE),
        _sent("PATCH", f"{_PAN}?fieldManager=m", {**_crd(), "metadata": {"name": _NAME}}, media_type=_APPLY),
        _sent("PUT", f"{_PAN}/status", {**_crd(resourceVersion="{rv:10}"), "status": status}),
        _paused(_read(f"{_PAN}/status")),
        _sent("PATCH", f"{_PAN}/status", {"status": {"storedVersions": ["v1"]}}, media_type=_MERGE),
        _sent("DELETE", _PAN, {"preconditions": {"uid": "nope"}, "kind": "DeleteOptions", "apiVersion": "v1"}),
        _sent("DELETE", _PAN, {"preconditions": {"resourceVersion": "1"}, "kind": "DeleteOptions", "apiVersion": "v1"}),
        _sent("DELETE", _NONE, None),
        _sent("DELETE", f"{_PAN}?dryRun=All", None),
        _sent("DELETE", _PAN, options),
    ]


def _watches() -> list[JSONValue]:
    return [
        _sent("POST", _CRDS, _crd()),
        *(
            {**_paused(_read(f"{_CRDS}?watch=1&{_THIS}&resourceVersion={{rv:0}}", accept)), "watch": True}
            for accept in _WATCHED
        ),
        {**_read(f"{_CRDS}?{_INITIAL}&{_THIS}"), "watch": True},
        {**_read(f"{_CRDS}?watch=1&resourceVersion=x"), "watch": True},
        _sent("PATCH", _PAN, {"metadata": {"labels": {"in": "menu"}}}, media_type=_MERGE),
        _sent("DELETE", f"{_CRDS}?{_THIS}", None),
    ]


def _refused() -> list[JSONValue]:
    bad = {"type": "object", "properties": {"x": {"type": "strang", "items": {"type": "string"}}}}
    return [
        _sent("POST", _CRDS, _crd(bad)),
        _sent("POST", f"{_CRDS}?fieldValidation=Strict", _crd(bad)),
        _sent("POST", _CRDS, _crd(spec={"versions": [], "scope": "Nowhere"})),
        _sent("POST", _CRDS, _crd(finalizers=["no finalizer"])),
        _sent("POST", _CRDS, _crd({"type": "object", "properties": {"x": {"type": "string", "format": "odd"}}})),
        *(
            _sent("POST", _CRDS, {"kind": kind, "apiVersion": version, "metadata": {"name": "a"}})
            for kind, version in _OTHERS
        ),
        _sent("POST", _CRDS, "{"),
        _sent("POST", _CRDS, ""),
        _sent("PUT", _PAN, ""),
        _sent("PUT", f"{_PAN}/status", "k8s"),
        _sent("PATCH", _PAN, _crd(), media_type=_PROTOBUF),
        _sent("DELETE", _PAN, _crd()),
        _sent("DELETE", _PAN, "{"),
        _sent("POST", f"{_CRDS}?fieldValidation=Loose", _crd()),
        _read(f"{_CRDS}?limit=x"),
        _read(f"{_CRDS}?labelSelector=a+b"),
    ]


def _crd_with_field(schema: JSONValue) -> JSONValue:
    return _crd({"type": "object", "properties": {"x": schema}})


def _schemas() -> Iterator[JSONValue]:
    """Yield accepted and rejected schemas that together have every field of a schema."""
    text, number = {"type": "string"}, {"type": "number"}
    yield from (
        {**number, "maximum": maximum, "minimum": -1e300} for maximum in (0, 5, 2.5, 1e-7, 1e21, 9007199254740993)
    )
    yield {**number, "multipleOf": 0.1, "exclusiveMaximum": True, "maximum": 3, "exclusiveMinimum": True, "minimum": 1}
    yield {**text, "maxLength": 0, "minLength": 0, "pattern": "^<a>&$", "title": "Ä", "format": "date", "id": "x"}
    yield from ({**text, "default": default} for default in ("a", "<&>", None, 5))
    yield from ({"enum": enum, "type": "integer", "nullable": True} for enum in ([1, 2], [None, 1], [1.0, 1e21], []))
    anything = {"b": [1, 2.5, "<"], "a": {"z": None, "y": True}, "c": 1e-7}
    yield {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": anything, "example": anything}
    yield {"type": "object", "example": None, "externalDocs": {"description": "more", "url": "https://example.com"}}
    yield {"type": "object", "externalDocs": {}, "maxProperties": 9, "minProperties": 0}
    listed = {"type": "array", "items": {"type": "object", "properties": {"k": text}, "required": ["k"]}}
    yield {**listed, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "maxItems": 9, "minItems": 0}
    yield {"type": "array", "items": text, "uniqueItems": False, "x-kubernetes-list-type": "set"}
    yield {"type": "object", "x-kubernetes-map-type": "atomic", "x-kubernetes-embedded-resource": False}
    yield {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    yield {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, text]}
    yield from ({"type": "object", "additionalProperties": schema} for schema in (True, False, text, {}))
    yield {"type": "object", "properties": {"é": text, "a": number, "A": {}}, "additionalProperties": text}
    yield {**number, "allOf": [{"minimum": 1}], "oneOf": [{"maximum": 3}, {"minimum": 9}], "not": {"enum": [2]}}
    rule = {"rule": "self.size() > 1", "message": "too short", "reason": "FieldValueInvalid"}
    old_rule = {
        "rule": "oldSelf.hasValue() || self != ''",
        "messageExpression": "'no ' + self",
        "optionalOldSelf": True,
    }
    yield {**text, "maxLength": 9, "x-kubernetes-validations": [rule, old_rule]}
    field = {"rule": "self.a != '' || oldSelf.a == ''", "fieldPath": ".a", "optionalOldSelf": False}
    yield {"type": "object", "properties": {"a": {**text, "maxLength": 9}}, "x-kubernetes-validations": [field]}
    yield {"type": "array", "items": [text, number], "additionalItems": True}
    yield {"type": "array", "items": [], "additionalItems": number}
    yield {**text, "$ref": "#/x", "$schema": "http://json-schema.org/schema#", "definitions": {"b": text, "a": number}}
    yield {"type": "object", "patternProperties": {"^a": text}, "dependencies": {"a": ["b"], "c": text, "d": []}}


def _whole() -> list[JSONValue]:
    """Return requests for a CRD with every field, and for one with few."""
    service = {"namespace": "default", "name": "hook", "path": "/convert", "port": 8443}
    webhook = {"clientConfig": {"service": service, "caBundle": "bm9wZQ=="}, "conversionReviewVersions": ["v1"]}
    spec = {
        "names": {
            "plural": "pans", "singular": "pan", "kind": "Pan", "listKind": "PanList",
            "shortNames": ["p", "pn"], "categories": ["all", "kitchen"],
        },
        "scope": "Cluster",
        "versions": _versions(),
        "conversion": {"strategy": "Webhook", "webhook": webhook},
        "preserveUnknownFields": False,
    }  # fmt: skip
    at_url = {"clientConfig": {"url": "https://example.com/"}, "conversionReviewVersions": ["v1", "v1beta1"]}
    by_url = {**spec, "conversion": {"strategy": "Webhook", "webhook": at_url}}
    nobody = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": []}}
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "00000000-0000-0000-0000-000000000001"}
    metadata = {"finalizers": ["example.com/hold"], "labels": {"b": "2", "a": ""}, "ownerReferences": [owner]}
    return [
        _sent("POST", f"{_CRDS}?dryRun=All", _crd(spec=spec)),
        _sent("POST", _CRDS, _crd(spec=by_url, **metadata)),
        _sent("POST", f"{_CRDS}?dryRun=All", _crd(spec={**spec, "conversion": nobody})),
        _sent("POST", f"{_CRDS}?dryRun=All", _crd(spec={**spec, "preserveUnknownFields": True})),
        _sent("POST", _CRDS, {"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}),
        _paused(_read(_PAN)),
        _sent("PATCH", _PAN, {"metadata": {"finalizers": None}}, media_type=_MERGE),
    ]


def _published() -> list[JSONValue]:
    """Return requests for the OpenAPI documents of the shared CRDs."""
    requests = [
        *(_read(f"/openapi/v3/apis/fuzz.example.com/{version}", _V3) for version in ("v1", "v1beta1")),
        *(_read(_DOCUMENT, accept) for accept in (_V3.replace("v3.v1", "v3@v1"), f"application/json;q=0.5,{_V3}")),
        *(_read(_DOCUMENT, accept) for accept in ("text/html", _V2, _PROTOBUF, "application/yaml")),
        *(
            _read(path, _V3)
            for path in (f"{_DOCUMENT}?hash=X", "/openapi/v3/apis/nope/v1", "/openapi/v3/", "/openapi/v4")
        ),
        *(_read(path, "text/html") for path in ("/openapi/v2", "/openapi/v2/", "/openapi/v2/x", "/openapi")),
        {**_read(_DOCUMENT, _V3), "method": "POST"},
    ]
    cached = [_read("/openapi/v2", _V2), _read(_DOCUMENT, _V3), _read(_DOCUMENT, "application/json")]
    return [*requests, *({**request, "headers": {"if-none-match": "*"}} for request in cached)]


def _versions() -> Sequence[JSONValue]:
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    status = {"type": "object", "properties": {"size": {"type": "integer"}, "selector": {"type": "string"}}}
    scale = {
        "specReplicasPath": ".spec.size",
        "statusReplicasPath": ".status.size",
        "labelSelectorPath": ".status.selector",
    }
    columns = [
        {"name": "Size", "type": "integer", "format": "int32", "jsonPath": ".spec.size", "description": "how large"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp", "priority": 1},
    ]
    first = {
        "name": "v1", "served": True, "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
        "subresources": {"status": {}, "scale": scale},
        "additionalPrinterColumns": columns,
        "selectableFields": [{"jsonPath": ".spec.size"}],
    }  # fmt: skip
    old = {"name": "v1beta1", "served": False, "storage": False, "schema": {"openAPIV3Schema": schema}}
    return [first, {**old, "deprecated": True, "deprecationWarning": "Fry with v1."}, {**old, "name": "v1alpha1"}]


def _sent(method: str, path: str, body: JSONValue, media_type: str = _PROTOBUF) -> JSONValue:
    sent = {} if body is None else {"body": body, "mediaType": media_type}
    return {"method": method, "path": path, "accept": _PROTOBUF, **sent}


def _read(path: str, accept: str = _PROTOBUF) -> JSONValue:
    return {"method": "GET", "path": path, "accept": accept}


def _paused(request: JSONValue) -> JSONValue:
    return {**request, "pause": _SETTLE_SECONDS}
