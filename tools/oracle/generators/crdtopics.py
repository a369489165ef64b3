"""
Conversations with a server about what becomes of objects when their CRDs change or go, by what they are about.

Each has CRDs of its own, in the group `{ns}.example.com`. After a write of a CRD a server needs a moment: `pause` has its seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

JSONValue = Any

_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_NAME: Final = "things.{ns}.example.com"
_CRD: Final = f"{_CRDS}/{_NAME}"
_GROUP: Final = "/apis/{ns}.example.com/v1"
_THINGS: Final = f"{_GROUP}/namespaces/{{ns}}/things"
_OF_CLUSTER: Final = f"{_GROUP}/things"
_APPLY: Final = "application/apply-patch+yaml"
_TABLE: Final = "application/json;as=Table;g=meta.k8s.io;v=v1"
_PARTIAL: Final = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_MERGE: Final = "application/merge-patch+json"
# How long a server may need until it serves what a CRD says, and how long it holds back the first objects, in seconds.
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
    """Return the requests of each conversation, by its topic."""
    found = {
        "crds of the cluster": _scopes(),
        "crds that end": _ending(),
        "crds that end at once": _gone(),
        "crds that are deleted together": _collected(),
        "crds that change": _changing(),
        "crds whose storage version changes": _stored(),
        "crds that stop to serve a version": _unserved(),
        "crds whose objects a webhook converts": _converted(),
    }
    return {topic: [_compared(asked) for asked in requests] for topic, requests in found.items()}


def _compared(asked: JSONValue) -> JSONValue:
    """Return a request without what of its answer is not compared: who has set the status of a CRD, and a hash of the group's name."""
    left_out = ["managedFields"] if asked["path"].startswith(_CRDS) else []
    if asked["path"] == _GROUP:
        left_out = ["storageVersionHash"]
    return {**asked, "leaveOut": left_out} if left_out else asked


def _scopes() -> list[JSONValue]:
    """Return requests for objects of the cluster under a namespace, and the other way round."""
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
    return [_post(_CRDS, _crd("Cluster")), _paused(_post(_OF_CLUSTER, _thing("a"))), *wrong, _get(f"{_OF_CLUSTER}/a")]


def _ending() -> list[JSONValue]:
    """Return requests for objects of a CRD that is held while it ends."""
    held = _crd()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    return [
        _post(_CRDS, held),
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
    """Return requests for a CRD that goes while its objects are watched, and comes again."""
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
    """Return requests that delete a CRD as one of a collection: its objects stay, and are there again with it."""
    held = _crd()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    of_this = f"{_CRDS}?fieldSelector=metadata.name%3D{_NAME}"
    return [
        _post(_CRDS, _crd()),
        _paused(_post(_THINGS, _thing("a"))),
        {"method": "DELETE", "path": _CRD, "body": {"preconditions": {"uid": "nope"}}},
        {"method": "DELETE", "path": _CRD, "body": {"preconditions": {"resourceVersion": "1"}}},
        {"method": "DELETE", "path": of_this, "body": {"preconditions": {"uid": "nope"}}},
        {"method": "DELETE", "path": f"{of_this}&dryRun=All"},
        {"method": "DELETE", "path": of_this},
        _get(_CRD),
        _paused(_get(_THINGS)),
        _post(_CRDS, held),
        _paused(_get(f"{_THINGS}/a")),
        _paused(_get(_THINGS)),
        {"method": "DELETE", "path": of_this},
        _paused(_get(_CRD)),
        _get(_THINGS),
        _post(_THINGS, _thing("b")),
        {"method": "DELETE", "path": _CRD},
        {"method": "PATCH", "path": _CRD, "body": {"metadata": {"finalizers": None}}, "mediaType": _MERGE},
        _paused(_get(_CRD)),
    ]


def _changing() -> list[JSONValue]:
    """Return requests for a CRD that changes while its objects, and it, are watched."""
    other = _crd()
    other["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object"}
    labelled = {"metadata": {"labels": {"a": "b"}}}
    return [
        _post(_CRDS, _crd()),
        _paused(_post(_THINGS, _thing("a"))),
        _watched(f"{_THINGS}?watch=1"),
        {"method": "PATCH", "path": _CRD, "body": labelled, "mediaType": _MERGE},
        _paused(_post(_THINGS, _thing("b"))),
        _replaced(other),
        _paused(_post(_THINGS, _thing("c"))),
        _watched(f"{_THINGS}?watch=1"),
        _replaced(_crd()),
        _paused(_get(f"{_THINGS}/a")),
    ]


def _stored() -> list[JSONValue]:
    """Return requests that change in which version objects are stored."""
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
    """Return requests for objects in a version that is served no longer."""
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
    """Return requests for objects that a webhook would have to convert, which does not answer."""
    first, second = (_crd("Namespaced", versions) for versions in (["v1", "v2"], ["v2", "v1"]))
    for crd in (first, second):
        config = {"url": "https://127.0.0.1:1/convert"}
        webhook = {"clientConfig": config, "conversionReviewVersions": ["v1"]}
        crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    there = _THINGS.replace("/v1/", "/v2/")
    other = {**_thing("b"), "apiVersion": "{ns}.example.com/v2"}
    held = {**_thing("h"), "metadata": {"name": "h", "finalizers": ["example.com/hold"]}}
    asked = [
        _get(f"{there}/a"),
        _get(f"{there}/a/status"),
        _get(f"{there}/a/scale"),
        _get(f"{there}/nothing"),
        {**_get(f"{there}/a"), "accept": _PARTIAL},
        {**_get(f"{there}/a"), "accept": _TABLE},
        # A server answers lists out of its cache, which never comes about, now with a 429, now with a 500.
        _get(f"{there}?limit=1"),
        {
            "method": "PUT",
            "path": f"{there}/a",
            "body": {**other, "metadata": {"name": "a", "resourceVersion": "{rv:1}"}},
        },
        {"method": "PATCH", "path": f"{there}/a", "body": {"spec": {"size": 2}}, "mediaType": _MERGE},
        {"method": "PATCH", "path": f"{there}/a/status", "body": {"status": {"seen": 2}}, "mediaType": _MERGE},
        {"method": "PATCH", "path": f"{there}/a/scale", "body": {"spec": {"replicas": 2}}, "mediaType": _MERGE},
        _apply(f"{there}/a?fieldManager=m", {**other, "metadata": {"name": "a"}}),
        {"method": "DELETE", "path": f"{there}/a"},
        {"method": "DELETE", "path": there},
    ]
    return [
        _post(_CRDS, first),
        _paused(_post(_THINGS, _thing("a"))),
        # A server wraps the failure in what it says of its storage.
        *({**one, "leaveOut": ["message", "details", "reason"]} for one in asked),
        _post(there, other),
        _post(f"{there}?dryRun=All", other),
        _post(there, {**other, "spec": {"size": 10}}),
        _post(there, {**other, "metadata": {"name": "a"}}),
        _apply(f"{there}/b?fieldManager=m", other),
        _get(f"{_THINGS}/a"),
        {"method": "PATCH", "path": f"{_THINGS}/a", "body": {"spec": {"size": 3}}, "mediaType": _MERGE},
        _post(_THINGS, held),
        {"method": "DELETE", "path": f"{_THINGS}/h"},
        _replaced(second),
        _paused(_get(f"{_THINGS}/a")),
        {"method": "PATCH", "path": f"{_THINGS}/h", "body": {"metadata": {"finalizers": None}}, "mediaType": _MERGE},
        _get(f"{_THINGS}/h"),
        _get(_THINGS),
        {"method": "PATCH", "path": f"{_THINGS}/a", "body": {"spec": {"size": 4}}, "mediaType": _MERGE},
        _post(_THINGS, _thing("c")),
        _post(there, other),
        _get(f"{there}/b"),
        {"method": "DELETE", "path": f"{_THINGS}/a"},
        {"method": "DELETE", "path": f"{there}/b"},
    ]


def _crd(scope: str = "Namespaced", versions: Sequence[str] = ("v1",)) -> JSONValue:
    """Return a CRD, which stores objects in the first of its versions."""
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


def _paused(asked: JSONValue) -> JSONValue:
    return {**asked, "pause": _SERVED}


def _get(path: str) -> JSONValue:
    return {"method": "GET", "path": path}


def _watched(path: str) -> JSONValue:
    return {**_get(path), "watch": True}


def _post(path: str, body: JSONValue) -> JSONValue:
    return {"method": "POST", "path": path, "body": body}


def _apply(path: str, body: JSONValue) -> JSONValue:
    return {"method": "PATCH", "path": path, "body": body, "mediaType": _APPLY}
