"""Conversations with a server about built-in kinds in protobuf and in tables, with objects that a server stores unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from oracle.generators import wholeobjects
from pytest_crd.engine.jsonvalue import JSONValue

_PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_BOTH: Final = f"{_PROTOBUF},application/json"
_MAPS: Final = "/api/v1/namespaces/{ns}/configmaps"
_SECRETS: Final = "/api/v1/namespaces/{ns}/secrets"
_ACCOUNTS: Final = "/api/v1/namespaces/{ns}/serviceaccounts"
_EVENTS: Final = "/api/v1/namespaces/{ns}/events"
_NEW_EVENTS: Final = "/apis/events.k8s.io/v1/namespaces/{ns}/events"
_LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
_DEPLOYMENTS: Final = "/apis/apps/v1/namespaces/{ns}/deployments"
_JOBS: Final = "/apis/fuzz.example.com/v1/namespaces/{ns}/jobs"
_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_META: Final = "g=meta.k8s.io;v=v1"
_ACCEPTS: Final = (
    _PROTOBUF,
    _BOTH,
    f"application/json;q=0.5,{_PROTOBUF}",
    f"application/json,{_PROTOBUF};q=0.5",
    f"application/yaml;q=0.9,{_PROTOBUF};q=0.8",
    f"{_PROTOBUF};as=Table;{_META}",
    f"{_PROTOBUF};as=Table;{_META},application/json;as=Table;{_META}",
    f"{_PROTOBUF};as=PartialObjectMetadata;{_META}",
    f"{_PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
    f"{_PROTOBUF};as=PartialObjectMetadataList;{_META}",
    f"{_PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1,{_PROTOBUF}",
    f"{_PROTOBUF};as=Foo;{_META}",
    f"{_PROTOBUF};stream=watch",
    f"{_PROTOBUF};stream=other",
    f"{_PROTOBUF};pretty=1",
)
_TABLE: Final = f"application/json;as=Table;{_META}"
_INITIAL: Final = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
_PATHS: Final = (
    *(_MAPS, _SECRETS, _ACCOUNTS, _EVENTS, _NEW_EVENTS, _LEASES, _DEPLOYMENTS),
    "/apis/apps/v1/namespaces/{ns}/statefulsets",
    "/apis/batch/v1/namespaces/{ns}/jobs",
    *(f"/api/v1/namespaces/{{ns}}/{plural}" for plural in ("pods", "services", "persistentvolumeclaims")),
)
_OTHERS: Final = (
    ("Secret", "v1"),
    ("Nope", "v1"),
    ("ConfigMap", "v2"),
    ("Deployment", "apps/v1"),
    ("ConfigMapList", "v1"),
)
_MISPLACED: Final = (("POST", "/a"), ("PUT", ""), ("PATCH", ""), ("POST", "/a/status"), ("FOO", ""))
_WATCHED: Final = (
    _PROTOBUF,
    f"{_PROTOBUF};stream=watch",
    _BOTH,
    f"application/json,{_PROTOBUF}",
    f"{_PROTOBUF};as=PartialObjectMetadata;{_META},application/json;as=PartialObjectMetadata;{_META}",
    f"{_PROTOBUF};as=Table;{_META},application/json;as=Table;{_META}",
    f"{_PROTOBUF};as=Table;{_META}",
    f"application/yaml,{_PROTOBUF}",
)


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        "protobuf of maps": _of_maps(),
        "protobuf in each form": [
            _written("POST", _MAPS, _map("a", monday="soup")),
            *(_read(f"{_MAPS}{path}", accept) for accept in _ACCEPTS for path in ("", "/a", "/none")),
        ],
        "protobuf of each kind": _of_kinds(),
        "protobuf of watches": _of_watches(),
        "protobuf of failures": _of_failures(),
        "protobuf of custom resources": [
            _written("POST", _JOBS, _job("a"), accept=_PROTOBUF),
            _written("POST", _JOBS, _job("a"), accept=_BOTH),
            *(_read(f"{_JOBS}{path}", accept) for accept in _ACCEPTS for path in ("", "/a", "/none")),
            *(_read(f"{_JOBS}?watch=1", accept, watch=True) for accept in _WATCHED),
            _written("POST", _JOBS, _map("b"), media_type=_PROTOBUF, accept=_PROTOBUF),
            _written("DELETE", f"{_JOBS}/a", None, accept=_PROTOBUF),
            _written("DELETE", f"{_JOBS}/a", None, accept=_BOTH),
        ],
        "columns of each kind": [
            _written("POST", _MAPS, _map("a", monday="soup"), accept=_TABLE),
            _written("POST", f"{_MAPS}?includeObject=None", _map("b", monday="soup"), accept=_TABLE),
            _read(f"{_MAPS}?includeObject=Object", _TABLE),
            _read(f"{_MAPS}/a?includeObject=Metadata", _TABLE),
            _read(f"{_MAPS}/none", _TABLE),
            *(_read(f"{path}?{_INITIAL}", _TABLE, watch=True) for path in _PATHS),
            _written("DELETE", f"{_MAPS}/a", None, accept=_TABLE),
            _written("DELETE", _MAPS, None, accept=_TABLE),
        ],
        "versions: owners of HorizontalPodAutoscalers": [*_owners(_SCALERS, "h", _SCALER, "spec", "maxReplicas")],
        "versions: owners of Events": [*_owners(_EVENT_PATHS, "e", _EVENT, "", "action")],
        "protobuf of discovery": [
            _read(path, accept)
            for path in ("/apis/fuzz.example.com", "/apis/fuzz.example.com/v1", "/nope", "/apis/nope/v1")
            for accept in (_PROTOBUF, _BOTH, "text/html", "application/yaml", f"{_PROTOBUF};as=Table;{_META}")
        ]
        + [_read("/version", accept) for accept in (_PROTOBUF, "text/html", "application/yaml")]
        + [
            _read(path, "text/html")
            for path in ("/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/apiextensions.k8s.io/v1")
        ],
    }


def _of_maps() -> list[JSONValue]:
    return [
        _written("POST", _MAPS, _map("a", monday="soup"), media_type=_PROTOBUF),
        _written("POST", f"{_MAPS}?dryRun=All", _map("b", monday="fish"), media_type=_PROTOBUF),
        _written("POST", _MAPS, {**_map("b", tuesday="Tür"), "binaryData": {"x": "AAEC"}, "immutable": False}),
        _written("POST", _MAPS, {"metadata": {"generateName": "gen-"}}),
        _read(f"{_MAPS}/a", _PROTOBUF),
        _read(_MAPS, _PROTOBUF),
        _read(f"{_MAPS}?limit=1", _PROTOBUF),
        _read(f"{_MAPS}?labelSelector=none", _PROTOBUF),
        _written("PUT", f"{_MAPS}/a", _map("a", monday="bread"), media_type=_PROTOBUF),
        _written("PATCH", f"{_MAPS}/a", {"data": {"friday": "fish"}}, media_type=_MERGE),
        _written("PATCH", f"{_MAPS}/a", {"metadata": {"labels": {"x": "1"}}}, media_type=_MERGE, accept=_BOTH),
        _written("PATCH", f"{_MAPS}/a?fieldManager=m", _labelled("a"), media_type="application/apply-patch+yaml"),
        _written("PATCH", f"{_MAPS}/a", {"metadata": {"finalizers": ["example.com/hold"]}}, media_type=_MERGE),
        _written("DELETE", f"{_MAPS}/a", None),
        _written("DELETE", f"{_MAPS}/a", {"kind": "DeleteOptions", "apiVersion": "v1"}, media_type=_PROTOBUF),
        _written("PATCH", f"{_MAPS}/a", {"metadata": {"finalizers": None}}, media_type=_MERGE),
        _written("DELETE", f"{_MAPS}/b", None),
        _written("DELETE", _MAPS, None),
    ]


def _of_kinds() -> list[JSONValue]:
    secret = {"metadata": {"name": "a"}, "type": "Opaque", "data": {"key": "AP8="}, "stringData": {"text": "plain"}}
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "00000000-0000-0000-0000-000000000001"}
    metadata = {"name": "a", "labels": {"b": "2", "a": "1"}, "annotations": {"note": "é"}, "ownerReferences": [owner]}
    event = {
        "metadata": {"name": "a"},
        "involvedObject": {"kind": "ConfigMap", "namespace": "{ns}", "name": "a"},
        "reason": "Cooked",
        "message": "It is done.",
        "source": {"component": "cook"},
        "firstTimestamp": "2024-01-02T03:04:05Z",
        "lastTimestamp": "2024-01-02T03:04:06Z",
        "count": 2,
        "type": "Normal",
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    }
    new_event = {
        "metadata": {"name": "b"},
        "eventTime": "2024-01-02T03:04:05.678901Z",
        "reportingController": "example.com/cook",
        "reportingInstance": "cook-1",
        "action": "Cook",
        "reason": "Cooked",
        "regarding": {"kind": "ConfigMap", "namespace": "{ns}", "name": "a"},
        "note": "It is done.",
        "type": "Warning",
    }
    lease = {
        "holderIdentity": "a",
        "leaseDurationSeconds": 15,
        "acquireTime": "2024-01-02T03:04:05.000001Z",
        "renewTime": "2024-01-02T03:04:05.000000Z",
        "leaseTransitions": 0,
    }
    account = {"metadata": {"name": "a"}, "secrets": [{"name": "x"}], "automountServiceAccountToken": False}
    return [
        _written("POST", _SECRETS, _object("Secret", secret), media_type=_PROTOBUF),
        _written("POST", _ACCOUNTS, _object("ServiceAccount", {**account, "metadata": metadata}), media_type=_PROTOBUF),
        _written("POST", _EVENTS, _object("Event", event), media_type=_PROTOBUF),
        _written("POST", _NEW_EVENTS, _object("Event", new_event, "events.k8s.io/v1"), media_type=_PROTOBUF),
        _written(
            "POST",
            _LEASES,
            _object("Lease", {"metadata": {"name": "a"}, "spec": lease}, "coordination.k8s.io/v1"),
            media_type=_PROTOBUF,
        ),
        _written(
            "POST",
            _LEASES,
            _object("Lease", {"metadata": {"name": "b"}}, "coordination.k8s.io/v1"),
            media_type=_PROTOBUF,
        ),
        _written(
            "POST", "/api/v1/namespaces", _object("Namespace", {"metadata": {"name": "{ns}-a"}}), media_type=_PROTOBUF
        ),
        _written("POST", _DEPLOYMENTS, wholeobjects.deployment(), media_type=_PROTOBUF),
        *(_read(path, _PROTOBUF) for path in (_SECRETS, _ACCOUNTS, _EVENTS, _NEW_EVENTS, _LEASES, _DEPLOYMENTS)),
        _read("/api/v1/namespaces/{ns}-a", _PROTOBUF),
        _read(f"{_DEPLOYMENTS}/a/scale", _PROTOBUF),
        _read(f"{_DEPLOYMENTS}/a/status", _PROTOBUF),
        _written("PATCH", f"{_DEPLOYMENTS}/a/scale", {"spec": {"replicas": 3}}, media_type=_MERGE),
        _written("PATCH", f"{_DEPLOYMENTS}/a/status", {"status": {"replicas": 3}}, media_type=_MERGE),
        _written("DELETE", f"{_ACCOUNTS}/a", None),
        _written("DELETE", f"{_LEASES}/a", None),
        _written("DELETE", f"{_LEASES}", None),
    ]


def _of_watches() -> list[JSONValue]:
    begun = [_read(f"{_MAPS}?watch=1&resourceVersion={{rv:0}}", accept, watch=True) for accept in _WATCHED]
    return [
        _written("POST", _MAPS, _map("a", monday="soup")),
        *begun,
        _read(f"{_MAPS}?{_INITIAL}", _PROTOBUF, watch=True),
        _read(f"{_MAPS}?{_INITIAL}", f"{_PROTOBUF};as=PartialObjectMetadata;{_META}", watch=True),
        _read(f"{_MAPS}?watch=1&resourceVersion=x", _PROTOBUF, watch=True),
        _read(f"{_MAPS}?watch=1&labelSelector=in%3Dmenu", _PROTOBUF, watch=True),
        _written("POST", _MAPS, _map("b", monday="fish"), media_type=_PROTOBUF),
        _written("PATCH", f"{_MAPS}/b", {"metadata": {"labels": {"in": "menu"}}}, media_type=_MERGE),
        _written("PATCH", f"{_MAPS}/b", {"data": {"monday": "bread"}}, media_type=_MERGE),
        _written("PATCH", f"{_MAPS}/b", {"metadata": {"labels": None}}, media_type=_MERGE),
        _written("DELETE", f"{_MAPS}/a", None),
    ]


def _of_failures() -> list[JSONValue]:
    return [
        _written("POST", _MAPS, _map("a")),
        _written("POST", _MAPS, _map("a")),
        _written("POST", _MAPS, "{"),
        *(_written("POST", _MAPS, _object(kind, {"metadata": {"name": "a"}}, version)) for kind, version in _OTHERS),
        _written("POST", _NEW_EVENTS, _object("Event", {"metadata": {"name": "a"}})),
        _written("POST", _MAPS.replace("{ns}", "nowhere"), _map("a")),
        _written("POST", f"{_MAPS}?fieldValidation=Loose", _map("b")),
        _written("PUT", f"{_MAPS}/a", {**_map("a"), "metadata": {"name": "a", "resourceVersion": "1"}}),
        _written("PUT", f"{_MAPS}/b", _map("b")),
        _written("PATCH", f"{_MAPS}/a", "[]", media_type="text/plain"),
        _written("PATCH", f"{_MAPS}/a", _map("a"), media_type="application/apply-patch+yaml"),
        _written("DELETE", f"{_MAPS}/a", {"preconditions": {"uid": "nope"}}),
        _written("DELETE", f"{_MAPS}/none", None),
        _read(f"{_MAPS}?labelSelector=a+b", _PROTOBUF),
        _read(f"{_MAPS}?limit=x", _PROTOBUF),
        _read(f"{_MAPS}?continue=abc", _PROTOBUF),
        _read(f"{_MAPS}/a/status", _PROTOBUF),
        *(_written(method, f"{_MAPS}{path}", {}) for method, path in _MISPLACED),
    ]


_SCALERS: Final = tuple(
    f"/apis/autoscaling/{version}/namespaces/{{ns}}/horizontalpodautoscalers" for version in ("v2", "v1")
)
_SCALER: Final = {
    "metadata": {"name": "h", "labels": {"a": "b"}},
    "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "x", "apiVersion": "apps/v1"}, "maxReplicas": 3},
}
_EVENT_PATHS: Final = (_NEW_EVENTS, _EVENTS)
_EVENT: Final[Any] = {
    "metadata": {"name": "e", "labels": {"a": "b"}},
    "eventTime": "2024-01-02T03:04:05.000000Z",
    "action": "Cook",
    "reason": "Cooked",
    "type": "Normal",
    "reportingInstance": "i",
}
# The fields with a name of their own in each group, by path.
_GROUPED: Final[Mapping[str, Any]] = {
    _EVENTS: {"reportingComponent": "example.com/c", "involvedObject": {"namespace": "{ns}"}, "message": "m"},
    _NEW_EVENTS: {"reportingController": "example.com/c", "regarding": {"namespace": "{ns}"}, "note": "m"},
}


def _owners(paths: Sequence[str], name: str, body: Any, part: str, field: str) -> Iterator[JSONValue]:
    """Yield writes of an object through both of its versions by several managers."""
    for first, second in (paths, paths[::-1]):
        accept = "application/json"
        whole = {**body, **_GROUPED.get(first, {})}
        yield _written("POST", f"{first}?fieldManager=a", whole, accept=accept)
        for path in (second, first):
            at = f"{path}/{name}?fieldManager"
            label = {"metadata": {"labels": {"a": path.split("/")[2], "b": "c"}}}
            yield _written("PATCH", f"{at}=b", label, media_type=_MERGE, accept=accept)
            value: Any = {field: 5 if part else "Eat"}
            api_version = path.partition("/namespaces")[0].removeprefix("/apis/").removeprefix("/api/")
            applied: Any = {"apiVersion": api_version, "metadata": {"name": name}}
            applied |= {"kind": "HorizontalPodAutoscaler" if part else "Event", **({part: value} if part else value)}
            for options in ("=c", "=c&force=true"):
                yield _written("PATCH", f"{at}{options}", applied, media_type=_APPLY, accept=accept)
            applied.pop(part or field)
            yield _written("PATCH", f"{at}=c", applied, media_type=_APPLY, accept=accept)
            yield _written(
                "PATCH", f"{at}=a", {"metadata": {"annotations": {"a": "b"}}}, media_type=_MERGE, accept=accept
            )
            yield _written("PATCH", f"{at}=a", {"metadata": {"annotations": None}}, media_type=_MERGE, accept=accept)
        yield from (_read(f"{path}/{name}", accept) for path in paths)
        yield _written("DELETE", f"{first}/{name}", None, accept=accept)


def _object(kind: str, value: JSONValue, api_version: str = "v1") -> JSONValue:
    return {"apiVersion": api_version, "kind": kind, **value}


def _map(name: str, **data: str) -> JSONValue:
    return _object("ConfigMap", {"metadata": {"name": name}} | ({"data": data} if data else {}))


def _labelled(name: str) -> JSONValue:
    return _object("ConfigMap", {"metadata": {"name": name, "labels": {"y": "2"}}})


def _job(name: str) -> JSONValue:
    return {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"schedule": name}}


def _written(
    method: str, path: str, body: JSONValue, media_type: str = "application/json", accept: str = _PROTOBUF
) -> JSONValue:
    sent = {} if body is None else {"body": body, "mediaType": media_type}
    return {"method": method, "path": path, "accept": accept, **sent}


def _read(path: str, accept: str, *, watch: bool = False) -> JSONValue:
    return {"method": "GET", "path": path, "accept": accept} | ({"watch": True} if watch else {})
