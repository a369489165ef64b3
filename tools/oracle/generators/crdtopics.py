"""
Conversations with a server about the effects of CRD changes and deletions on objects, by topic.

Each has its own CRDs in the group `{ns}.example.com`. A server needs some time after a write of a CRD: `pause` has the
seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAME: Final = "things.{ns}.example.com"
_CRD: Final = f"{_CRDS}/{_NAME}"
_GROUP: Final = "/apis/{ns}.example.com/v1"
_THINGS: Final = f"{_GROUP}/namespaces/{{ns}}/things"
_CLUSTER_THINGS: Final = f"{_GROUP}/things"
_APPLY: Final = "application/apply-patch+yaml"
_TABLE: Final = "application/json;as=Table;g=meta.k8s.io;v=v1"
_PARTIAL: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_MERGE: Final = "application/merge-patch+json"
# How long a server may take to serve a changed CRD, and how long it delays the first objects, in seconds.
_SERVED: Final = 5.0
_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {"size": {"type": "integer", "maximum": 9}, "replicas": {"type": "integer"}},
        },
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}, "seen": {"type": "integer"}}},
    },
}


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        "crds of the cluster": _scopes(),
        "crds that end": _ending(),
        "crds that end at once": _gone(),
        "crds that are deleted together": _collected(),
        "crds that change": _changing(),
        "crds whose storage version changes": _stored(),
        "crds that stop to serve a version": _unserved(),
        "crds whose objects a webhook converts": _converted(),
        "crds whose cleanup fails": _kept(),
        "crds of other types": _retyped(),
    }


def _scopes() -> list[JSONValue]:
    """Return requests for cluster-scoped objects below a namespace, and the other way round."""
    wrong = [
        _get(_THINGS),
        _post(_THINGS, _thing("a")),
        *(_get(f"{_THINGS}/a{part}") for part in ("", "/status", "/scale", "/other")),
        {"method": "PUT", "path": f"{_THINGS}/a", "body": _thing("a")},
        {"method": "PATCH", "path": f"{_THINGS}/a", "body": {}, "mediaType": _MERGE},
        {"method": "DELETE", "path": f"{_THINGS}/a"},
        {"method": "DELETE", "path": _THINGS},
        _get(f"{_GROUP}/namespaces/nowhere/things"),
        _get(f"{_CRDS.replace('/customres', '/namespaces/{ns}/customres')}/{_NAME}"),
        _get("/api/v1/namespaces/{ns}/namespaces"),
    ]
    return [
        _post(_CRDS, _crd("Cluster")),
        _paused(_post(_CLUSTER_THINGS, _thing("a"))),
        *wrong,
        _get(f"{_CLUSTER_THINGS}/a"),
    ]


def _ending() -> list[JSONValue]:
    """Return requests for objects of a CRD that a finalizer keeps terminating."""
    finalized = _crd()
    finalized["metadata"]["finalizers"] = ["example.com/hold"]
    return [
        _post(_CRDS, finalized),
        _paused(_post(_THINGS, _thing("a"))),
        _watched(f"{_CRDS}?watch=1&fieldSelector=metadata.name%3D{_NAME}"),
        {"method": "DELETE", "path": _CRD},
        _paused(_get(_THINGS)),
        _post(_THINGS, _thing("b")),
        _post(f"{_THINGS}?dryRun=All", _thing("b")),
        _post(_THINGS, {**_thing("b"), "metadata": {"generateName": "gen-"}}),
        _post(_THINGS, {**_thing("b"), "spec": {"size": 10}}),
        _post(_THINGS, {"kind": "Thing"}),
        _post(_THINGS, "{"),
        _post(_THINGS.replace("namespaces/{ns}", "namespaces/nowhere"), _thing("b")),
        _apply(f"{_THINGS}/b?fieldManager=m", _thing("b")),
        _apply(f"{_THINGS}/b?fieldManager=m&dryRun=All", _thing("b")),
        _apply(f"{_THINGS}/b?fieldManager=m", {**_thing("b"), "spec": {"size": 10}}),
        _apply(f"{_THINGS}/b/status?fieldManager=m", _thing("b")),
        {"method": "PATCH", "path": f"{_THINGS}/b", "body": {}, "mediaType": _MERGE},
        {"method": "PUT", "path": f"{_THINGS}/b", "body": _thing("b")},
        {"method": "DELETE", "path": f"{_THINGS}/b"},
        {"method": "DELETE", "path": _THINGS},
        _get("/apis/{ns}.example.com"),
        _get(_GROUP),
        _get(_CRD),
        {"method": "PATCH", "path": _CRD, "body": {"metadata": {"finalizers": None}}, "mediaType": _MERGE},
        _paused(_get(_CRD)),
        _get(_THINGS),
    ]


def _gone() -> list[JSONValue]:
    """Return requests that delete a CRD while its objects are watched, and create it again."""
    return [
        _post(_CRDS, _crd()),
        _paused(_post(_THINGS, _thing("a"))),
        _watched(f"{_THINGS}?watch=1"),
        _watched(f"{_CRDS}?watch=1&fieldSelector=metadata.name%3D{_NAME}"),
        {"method": "DELETE", "path": _CRD},
        _paused(_get(_THINGS)),
        _get(_CRD),
        _watched(f"{_THINGS}?watch=1"),
        _post(_CRDS, _crd()),
        _paused(_post(_THINGS, _thing("b"))),
        _get(_THINGS),
    ]


def _collected() -> list[JSONValue]:
    """Return requests that delete a CRD through its collection: its objects stay, and are back when it is created again."""
    finalized = _crd()
    finalized["metadata"]["finalizers"] = ["example.com/hold"]
    collection = f"{_CRDS}?fieldSelector=metadata.name%3D{_NAME}"
    return [
        _post(_CRDS, _crd()),
        _paused(_post(_THINGS, _thing("a"))),
        {"method": "DELETE", "path": _CRD, "body": {"preconditions": {"uid": "nope"}}},
        {"method": "DELETE", "path": _CRD, "body": {"preconditions": {"resourceVersion": "1"}}},
        {"method": "DELETE", "path": collection, "body": {"preconditions": {"uid": "nope"}}},
        {"method": "DELETE", "path": f"{collection}&dryRun=All"},
        {"method": "DELETE", "path": collection},
        _get(_CRD),
        _paused(_get(_THINGS)),
        _post(_CRDS, finalized),
        _paused(_get(f"{_THINGS}/a")),
        _paused(_get(_THINGS)),
        {"method": "DELETE", "path": collection},
        _paused(_get(_CRD)),
        _get(_THINGS),
        _post(_THINGS, _thing("b")),
        {"method": "DELETE", "path": _CRD},
        {"method": "PATCH", "path": _CRD, "body": {"metadata": {"finalizers": None}}, "mediaType": _MERGE},
        _paused(_get(_CRD)),
    ]


def _changing() -> list[JSONValue]:
    """Return requests that change a CRD while it and its objects are watched."""
    changed = _crd()
    changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object"}
    labelled = {"metadata": {"labels": {"a": "b"}}}
    return [
        _post(_CRDS, _crd()),
        _paused(_post(_THINGS, _thing("a"))),
        _watched(f"{_THINGS}?watch=1"),
        {"method": "PATCH", "path": _CRD, "body": labelled, "mediaType": _MERGE},
        _paused(_post(_THINGS, _thing("b"))),
        _replaced(changed),
        _paused(_post(_THINGS, _thing("c"))),
        _watched(f"{_THINGS}?watch=1"),
        _replaced(_crd()),
        _paused(_get(f"{_THINGS}/a")),
    ]


def _stored() -> list[JSONValue]:
    """Return requests that change the storage version."""
    beta, both = _crd("Namespaced", ["v1", "v2"]), _crd("Namespaced", ["v2", "v1"])
    status = _get(_CRD)
    return [
        _post(_CRDS, beta),
        _paused(status),
        _replaced(both),
        _paused(status),
        {
            "method": "PATCH",
            "path": _CRD,
            "body": {"spec": {"versions": beta["spec"]["versions"]}},
            "mediaType": _MERGE,
        },
        _paused(status),
        _apply(f"{_CRD}?fieldManager=m&force=true", both),
        _paused(status),
        _replaced(_crd("Namespaced", ["v2"])),
        _replaced(_crd("Namespaced", ["v3", "v2", "v1"])),
        _paused(status),
    ]


def _unserved() -> list[JSONValue]:
    """Return requests for objects in a version that is no longer served."""
    both, less = _crd("Namespaced", ["v1", "v2"]), _crd("Namespaced", ["v1", "v2"])
    less["spec"]["versions"][1]["served"] = False
    second = _THINGS.replace("/v1/", "/v2/")
    return [
        _post(_CRDS, both),
        _paused(_post(second, {**_thing("a"), "apiVersion": "{ns}.example.com/v2"})),
        _watched(f"{second}?watch=1"),
        _replaced(less),
        _paused(_get(f"{second}/a")),
        _get(f"{_THINGS}/a"),
        _get("/apis/{ns}.example.com"),
    ]


def _converted() -> list[JSONValue]:
    """Return requests for objects that need a conversion webhook, which does not answer."""
    first, second = _crds_with_webhook()
    second_things = _THINGS.replace("/v1/", "/v2/")
    second_thing = {**_thing("b"), "apiVersion": "{ns}.example.com/v2"}
    finalized = {**_thing("h"), "metadata": {"name": "h", "finalizers": ["example.com/hold"]}}
    failing = [
        _get(f"{second_things}/a"),
        _get(f"{second_things}/a/status"),
        _get(f"{second_things}/a/scale"),
        _get(f"{second_things}/nothing"),
        {**_get(f"{second_things}/a"), "accept": _PARTIAL},
        {**_get(f"{second_things}/a"), "accept": _TABLE},
        # Whole lists are left out: the cache of the server never gets ready, and it answers 429 or 500.
        _get(f"{second_things}?limit=1"),
        {
            "method": "PUT",
            "path": f"{second_things}/a",
            "body": {**second_thing, "metadata": {"name": "a", "resourceVersion": "{rv:1}"}},
        },
        {"method": "PATCH", "path": f"{second_things}/a", "body": {"spec": {"size": 2}}, "mediaType": _MERGE},
        {"method": "PATCH", "path": f"{second_things}/a/status", "body": {"status": {"seen": 2}}, "mediaType": _MERGE},
        {"method": "PATCH", "path": f"{second_things}/a/scale", "body": {"spec": {"replicas": 2}}, "mediaType": _MERGE},
        _apply(f"{second_things}/a?fieldManager=m", {**second_thing, "metadata": {"name": "a"}}),
        {"method": "DELETE", "path": f"{second_things}/a"},
        {"method": "DELETE", "path": second_things},
    ]
    return [
        _post(_CRDS, first),
        _paused(_post(_THINGS, _thing("a"))),
        *failing,
        _post(second_things, second_thing),
        _post(f"{second_things}?dryRun=All", second_thing),
        _post(second_things, {**second_thing, "spec": {"size": 10}}),
        _post(second_things, {**second_thing, "metadata": {"name": "a"}}),
        _apply(f"{second_things}/b?fieldManager=m", second_thing),
        _get(f"{_THINGS}/a"),
        {"method": "PATCH", "path": f"{_THINGS}/a", "body": {"spec": {"size": 3}}, "mediaType": _MERGE},
        _post(_THINGS, finalized),
        _get(f"{second_things}?limit=3"),
        *_deleted_unsafely(),
        {"method": "DELETE", "path": f"{_THINGS}/h"},
        _replaced(second),
        _paused(_get(f"{_THINGS}/a")),
        {"method": "PATCH", "path": f"{_THINGS}/h", "body": {"metadata": {"finalizers": None}}, "mediaType": _MERGE},
        _get(f"{_THINGS}/h"),
        _get(_THINGS),
        {"method": "PATCH", "path": f"{_THINGS}/a", "body": {"spec": {"size": 4}}, "mediaType": _MERGE},
        _post(_THINGS, _thing("c")),
        _post(second_things, second_thing),
        _get(f"{second_things}/b"),
        {"method": "DELETE", "path": f"{_THINGS}/a"},
        {"method": "DELETE", "path": f"{second_things}/b"},
    ]


def _retyped() -> list[JSONValue]:
    """Return patches of a CRD that change types: without an API version, a server decodes the internal type."""
    patches: list[JSONValue] = [
        {"apiVersion": None},
        {"apiVersion": ""},
        {"apiVersion": None, "kind": None},
        {"apiVersion": None, "extra": 1},
        {"apiVersion": None, "metadata": None, "spec": None, "status": None},
        {"apiVersion": None, "metadata": None, "name": _NAME},
        {"apiVersion": None, "spec": {"scope": 1}},
        {"kind": None, "metadata": {"labels": {"a": "b"}}},
        {"apiVersion": None, "kind": "Other"},
        {"apiVersion": 1},
        {"apiVersion": "v1"},
        {"apiVersion": None, "kind": None, "metadata": {"labels": {"a": "c"}}, "name": 1},
        {"spec": {"scope": 1}},
        {"spec": {"versions": {}}},
        {"metadata": {"labels": 1}},
    ]
    changes = [{"method": "PATCH", "path": _CRD, "body": body, "mediaType": _MERGE} for body in patches]
    operations = [{"op": "replace", "path": "/spec/versions/0/served", "value": "yes"}]
    return [
        _post(_CRDS, _rich()),
        _paused(_get(_CRD)),
        *changes,
        {"method": "PATCH", "path": _CRD, "body": operations, "mediaType": "application/json-patch+json"},
        *({**changes[0], "path": f"{_CRD}{rest}"} for rest in ("?fieldValidation=Ignore", "?fieldValidation=Strict")),
        {**changes[0], "path": f"{_CRD}/status"},
    ]


def _rich() -> JSONValue:
    """Return a CRD with many keywords in its schema; messages show their order."""
    crd = _crd()
    schema = {
        "type": "object",
        "description": "d",
        "title": "t",
        "required": ["list"],
        "x-kubernetes-validations": [{"rule": "true", "message": "m", "reason": "FieldValueInvalid"}],
        "properties": {
            "list": {"type": "array", "items": {"type": "string", "enum": ["b", "a"], "default": "b"}, "maxItems": 3},
            "map": {"type": "object", "additionalProperties": {"type": "number", "maximum": 1.0, "minimum": 0}},
            "any": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
            "rest": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "nullable": True},
            "docs": {"type": "string", "externalDocs": {"url": "u", "description": "d"}, "example": {"b": 1, "a": 2}},
        },
    }
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object", "properties": {"spec": schema}}
    return crd


def _crds_with_webhook() -> list[JSONValue]:
    """Return a CRD with two versions and a conversion webhook, and the CRD with the other storage version."""
    crds = [_crd("Namespaced", versions) for versions in (["v1", "v2"], ["v2", "v1"])]
    for crd in crds:
        config = {"url": "https://127.0.0.1:1/convert"}
        webhook = {"clientConfig": config, "conversionReviewVersions": ["v1"]}
        crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    return crds


def _kept() -> list[JSONValue]:
    """Return requests that delete a CRD with unreadable objects, then these objects."""
    first, second = _crds_with_webhook()
    second_things = _THINGS.replace("/v1/", "/v2/")
    unsafe = {"ignoreStoreReadErrorWithClusterBreakingPotential": True}
    return [
        _post(_CRDS, first),
        _paused(_post(_THINGS, _thing("a"))),
        _post(_THINGS, _thing("b")),
        _post(_THINGS, _thing("c")),
        _get(f"{second_things}?limit=2"),
        _replaced(second),
        _paused(_get(f"{second_things}/a")),
        {"method": "DELETE", "path": _CRD},
        _paused(_get(_CRD)),
        *({"method": "DELETE", "path": f"{second_things}/{name}", "body": unsafe} for name in "abc"),
        _paused(_get(f"{_THINGS}/a")),
    ]


def _deleted_unsafely() -> list[JSONValue]:
    """Return requests that delete objects although they may be unreadable: only in `v2` they are."""
    second_things = _THINGS.replace("/v1/", "/v2/")
    option = "ignoreStoreReadErrorWithClusterBreakingPotential"
    body = {option: True}
    finalized = {**_thing("u"), "metadata": {"name": "u", "finalizers": ["example.com/hold"]}}
    return [
        _post(_THINGS, finalized),
        {"method": "DELETE", "path": f"{_THINGS}/u", "body": body},
        {"method": "DELETE", "path": f"{second_things}/u", "body": {option: False}},
        {"method": "DELETE", "path": f"{second_things}/u", "body": {**body, "dryRun": ["All"]}},
        {"method": "DELETE", "path": f"{second_things}/u?{option}=true&dryRun=All"},
        {"method": "DELETE", "path": f"{second_things}/u", "body": {**body, "preconditions": {"uid": "x"}}},
        {"method": "DELETE", "path": second_things, "body": body},
        _get(f"{_THINGS}/u"),
        {"method": "DELETE", "path": f"{second_things}/u", "body": body, "accept": _TABLE},
        _get(f"{_THINGS}/u"),
        {"method": "DELETE", "path": f"{second_things}/u", "body": body},
    ]


def _crd(scope: str = "Namespaced", versions: Sequence[str] = ("v1",)) -> JSONValue:
    """Return a CRD whose storage version is the first of *versions*."""
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    served = [
        {
            "name": version,
            "served": True,
            "storage": version == versions[0],
            "schema": {"openAPIV3Schema": _SCHEMA},
            "subresources": {
                "status": {},
                "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
            },
        }
        for version in versions
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": _NAME},
        "spec": {"group": "{ns}.example.com", "scope": scope, "names": names, "versions": served},
    }


def _replaced(crd: JSONValue) -> JSONValue:
    return {"method": "PATCH", "path": _CRD, "body": {"spec": crd["spec"]}, "mediaType": _MERGE}


def _thing(name: str) -> JSONValue:
    return {"apiVersion": "{ns}.example.com/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {"size": 1}}


def _paused(request: JSONValue) -> JSONValue:
    return {**request, "pause": _SERVED}


def _get(path: str) -> JSONValue:
    return {"method": "GET", "path": path}


def _watched(path: str) -> JSONValue:
    return {**_get(path), "watch": True}


def _post(path: str, body: JSONValue) -> JSONValue:
    return {"method": "POST", "path": path, "body": body}


def _apply(path: str, body: JSONValue) -> JSONValue:
    return {"method": "PATCH", "path": path, "body": body, "mediaType": _APPLY}
