"""
Random writes of validated built-in kinds: valid objects with some fields replaced by valid and invalid values.

A conversation creates an object, and then writes it with all verbs. All its objects have one name.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from oracle.generators import certificatepools, clusterpools, servicepools, typedmutations, workloadpools
from oracle.generators.drawnobjects import Enums
from oracle.generators.validatedkinds import ABSENT, Kind
from pytest_crd.engine.jsonvalue import JSONValue

_MERGE: Final = "application/merge-patch+json"
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_OWNER: Final = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}
SERVICE: Final = "v1 Service"
"""The kind whose objects share addresses and ports."""
_Pool = Sequence[Any]
# Kinds without deletions, which a controller completes, or which have more steps than one.
_KEPT: Final = frozenset({"v1 Namespace", "v1 Pod", "batch/v1 Job"})
METADATA: Final[Mapping[str, _Pool]] = {
    "metadata.labels": (
        *({"a": "b"}, {"-a": "b"}, {"a": "-b"}, {"a" * 64: "b"}, {"x/y/z": "c"}, {}, None, {"a": ""}, {"": "b"}),
        *({"a": "b" * 64}, {"A.b/c": "d"}, {"a": "b c"}),
    ),
    "metadata.annotations": ({"A.b/c": "d"}, {"b c": "d"}, {"a": "x" * 262143}, {"a": "x" * 262144}, {"/a": ""}, {}),
    "metadata.finalizers": (
        *(["example.com/a"], ["plain"], ["orphan"], ["orphan", "foregroundDeletion"], ["kubernetes"], ["x/y/z"]),
        *(["a.b"], [""], [], ["example.com/a", "example.com/b"], ["foregroundDeletion"], ["plain", "plain"]),
    ),
    "metadata.generateName": ("gen-", "Gen_", "-", "a.b-", "a/", "x" * 300),
    "metadata.ownerReferences": (
        *([], [{}], [_OWNER], [{**_OWNER, "apiVersion": "a/b/c"}], [{**_OWNER, "uid": ""}]),
        *([{**_OWNER, "controller": True}, {**_OWNER, "name": "p", "uid": "v", "controller": True}],),
        *([{"apiVersion": "v1", "kind": "Event", "name": "e", "uid": "u"}],),
    ),
    "metadata.generation": (-1, 0, 5),
    "metadata.deletionGracePeriodSeconds": (0, 5),
    "metadata.deletionTimestamp": ("2024-01-02T03:04:05Z",),
    "metadata.uid": ("other", ""),
    "metadata.resourceVersion": ("1", "", "x"),
    "metadata.creationTimestamp": ("2024-01-02T03:04:05Z", None),
}
_NAMES: Final = ("A_b", "a..b", "x" * 254, "x" * 64, "a/b", ".", "..", "a%b", "a.b", "1a", "-a", "a-", "a:b", "x" * 300)


def conversation(random: Random, kind: str, name: str, length: int, enums: Enums) -> list[JSONValue]:
    """Return the requests of a conversation about an object of a kind."""
    requests = [_create(random, kind, name, enums)]
    if KINDS[kind].is_dry or random.random() < 0.6:  # most conversations need a valid object
        requests = [{"method": "POST", "path": KINDS[kind].path, "body": _valid(random, kind, name)}]
    while len(requests) < length:
        requests.append(_update(random, kind, name, enums))
    if kind == SERVICE:
        # Without a stored Service, a write of the status would create it with addresses in use.
        valid: Any = {"method": "POST", "path": servicepools.PATH, "body": changed(kind, name)}
        created = [[each, valid] if each["method"] == "DELETE" else [each] for each in requests[1:]]
        flat = [each for requests_ in created for each in requests_]
        requests = [_other_service(name), requests[0], valid, *flat, *_removed(name), *_removed(f"{name}-taken")]
    return [_tried(request, kind, is_seed=request is requests[0]) for request in requests]


def _other_service(name: str) -> JSONValue:
    """Return the request for a Service with an address and a port that others name."""
    body = {**_type_of(SERVICE), "metadata": {"name": f"{name}-taken"}, "spec": {**servicepools.TAKEN}}
    return {"method": "POST", "path": servicepools.PATH, "body": body}


def _removed(name: str) -> Sequence[JSONValue]:
    """Return the requests that end a Service and free its address."""
    path, patch = f"{servicepools.PATH}/{name}", {"metadata": {"finalizers": None}}
    return (
        {"method": "DELETE", "path": path},
        {"method": "PATCH", "path": path, "body": patch, "mediaType": _MERGE},
        {"method": "DELETE", "path": path},
    )


def _tried(request: Any, kind: str, *, is_seed: bool) -> JSONValue:
    """Return a request, as a dry run if a controller would change the object later, or if the kind changes other answers."""
    is_dry = "aggregationRule" in (request.get("body") or {}) or (KINDS[kind].is_dry and not is_seed)
    if not is_dry or "dryRun" in request["path"]:
        return request
    sign = "&" if "?" in request["path"] else "?"
    return {**request, "path": f"{request['path']}{sign}dryRun=All"}


def _valid(random: Random, kind: str, name: str) -> JSONValue:
    """Return an object that is probably valid."""
    value = changed(kind, name)
    if KINDS[kind].pools and not KINDS[kind].is_dry and random.random() < 0.5:
        path = random.choice([*KINDS[kind].pools])
        put(value, path, random.choice(KINDS[kind].pools[path]))
    return value


def _object(random: Random, kind: str, name: str, enums: Enums) -> Any:
    value = changed(kind, name)
    for _ in range(random.randint(0, 3)):
        if not KINDS[kind].pools or random.random() < KINDS[kind].mutated:
            typedmutations.mutate(random, value, enums)
            continue
        put(value, *_draw(random, kind))
    return value


def _draw(random: Random, kind: str) -> tuple[str, Any]:
    """Return a path and a value for it; paths with many values are more frequent."""
    pools = METADATA if random.random() < 0.2 or not KINDS[kind].pools else KINDS[kind].pools
    path = random.choices([*pools], [len(values) ** 0.5 for values in pools.values()])[0]
    return path, random.choice(pools[path])


def _type_of(kind: str) -> dict[str, str]:
    api_version, _, name = kind.rpartition(" ")
    return {"apiVersion": api_version, "kind": name}


def changed(kind: str, name: str, /, **values: Any) -> Any:
    """Return a valid object with other values of some fields, by path."""
    value = {**_type_of(kind), "metadata": {"name": name}, **copy.deepcopy(dict(KINDS[kind].base))}
    for path, item in values.items():
        put(value, path, item)
    return value


def put(value: Any, path: str, item: Any) -> None:
    """Set a field of an object, or remove it if *item* is ABSENT."""
    *lead, last = path.split(".")
    for step in lead:
        if not isinstance(value.get(step), dict):
            value[step] = {}
        value = value[step]
    if item is ABSENT:
        value.pop(last, None)
    else:
        value[last] = copy.deepcopy(item)


def _create(random: Random, kind: str, name: str, enums: Enums) -> JSONValue:
    value = _object(random, kind, name, enums)
    if random.random() < 0.15:
        value["metadata"]["name"] = random.choice(_NAMES)
    query = "?dryRun=All" if value["metadata"]["name"] != name or random.random() < 0.3 else ""
    return {"method": "POST", "path": f"{KINDS[kind].path}{query}", "body": value}


def _update(random: Random, kind: str, name: str, enums: Enums) -> JSONValue:
    number = random.random()
    path = f"{KINDS[kind].path}/{name}"
    if number < 0.04 and kind not in _KEPT:
        return {"method": "DELETE", "path": path}
    if number < 0.3:
        return _create(random, kind, name, enums)
    query = "?dryRun=All" if random.random() < 0.3 else ""
    if KINDS[kind].subresources and random.random() < 0.4:
        path = f"{path}/{random.choice(KINDS[kind].subresources)}"
    if number < 0.65:
        return {"method": "PUT", "path": f"{path}{query}", "body": _object(random, kind, name, enums)}
    if path.endswith("finalize"):
        return {"method": "GET", "path": path.removesuffix("/finalize")}
    patch: dict[str, Any] = {}
    for _ in range(random.choice((1, 1, 2))):
        place, item = _draw(random, kind)
        put(patch, place, None if item is ABSENT else item)
    if number < 0.92:
        media_type = random.choice((_MERGE, _STRATEGIC))
        return {"method": "PATCH", "path": f"{path}{query}", "body": patch, "mediaType": media_type}
    sign = "&" if query else "?"
    return {
        "method": "PATCH",
        "path": f"{path}{query}{sign}fieldManager=m&force=true",
        "body": _object(random, kind, name, enums),
        "mediaType": _APPLY,
    }


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


_CORE: Final = "/api/v1/namespaces/{ns}"
_RBAC: Final = "/apis/rbac.authorization.k8s.io/v1"
_MIB: Final = 1024 * 1024
_KEYS: Final = ("a", "A.b_c-1", "", ".", "..", "...", "..a", "a b", "a/b", "é", "x" * 253, "x" * 254, ".a", "a\n")
_TEXTS: Final = tuple({key: "v"} for key in _KEYS)
_BYTES: Final = tuple({key: "dg=="} for key in _KEYS)
_IMMUTABLE: Final = (True, True, False, ABSENT)
_CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n"
_PRIVATE: Final = "-----BEGIN RSA PRIVATE KEY-----\nYWJj\n-----END RSA PRIVATE KEY-----\n"
_OTHER: Final = "-----BEGIN OTHER-----\nYWJj\n-----END OTHER-----\n"
_JSONS: Final = (
    "{}",
    '{"a": 1}',
    "[]",
    "null",
    '"x"',
    "5",
    "true",
    "",
    "{",
    '{"a"',
    "{'a': 1}",
    "{} x",
    "nul",
    "[1,]",
    '{"a":01}',
)
_PEMS: Final = ("x", "", _CERTIFICATE, _PRIVATE, _OTHER, _OTHER + _CERTIFICATE, _OTHER + _OTHER, _CERTIFICATE * 2)
_SECRETS: Final[_Pool] = (
    *({key: _b64(text)} for key in (".dockercfg", ".dockerconfigjson") for text in _JSONS),
    *({"tls.crt": _b64(first), "tls.key": _b64(second)} for first in _PEMS for second in _PEMS),
    *({"tls.crt": ""}, {"tls.key": ""}, {"username": ""}, {"password": "YQ=="}, {"ssh-privatekey": ""}),
    *({"ssh-privatekey": "YQ=="}, {}, {"username": "", "password": ""}),
    {"a": base64.b64encode(b"x" * _MIB).decode()},
    {"a": base64.b64encode(b"x" * _MIB).decode(), "b": "YQ=="},
)
_SELECTORS: Final[_Pool] = (
    *([], [{}], [{"matchLabels": {"a": "b"}}], [{"matchLabels": {"-a": "b"}}], [{"matchLabels": {"a": "-b"}}]),
    *([{"matchExpressions": [item]}] for item in (
        *({"key": "a", "operator": "In", "values": ["b"]}, {"key": "a", "operator": "In"}, {"key": "a", "operator": "Exists"}),
        *({"key": "a", "operator": "Exists", "values": ["b"]}, {"key": "a", "operator": "Equals"}, {"key": "", "operator": "Exists"}),
        *({"key": "a", "operator": "NotIn", "values": ["-"]}, {}, {"key": "-a", "operator": "DoesNotExist"}),
    )),
    [{"matchLabels": {"a": "b"}}, {"matchLabels": {"a": "b c"}}],
)  # fmt: skip
_RULE: Final = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
_RULES: Final[_Pool] = (
    *([], [_RULE], [{}], [{**_RULE, "verbs": []}], [{**_RULE, "apiGroups": []}], [{**_RULE, "resources": []}], [{"verbs": ["get"]}]),
    *([{"verbs": ["get"], "nonResourceURLs": ["/a"]}], [{**_RULE, "nonResourceURLs": ["/a", "/<b>"]}], [_RULE, {"verbs": []}, _RULE]),
    *([{"nonResourceURLs": ["/a"]}], [{"nonResourceURLs": ["/a"], "resourceNames": ["x"], "verbs": ["*"]}], [{}, {}], None),
    *([{**_RULE, "resourceNames": ["x"]}], [{**_RULE, "verbs": ["*", ""]}]),
)  # fmt: skip
_SUBJECT: Final = {"kind": "User", "name": "u", "apiGroup": "rbac.authorization.k8s.io"}
_SUBJECTS: Final[_Pool] = (
    *([], None, [_SUBJECT], [{}], [{"kind": "User"}], [{"kind": "User", "name": "u"}], [{**_SUBJECT, "apiGroup": "x"}]),
    *([{"kind": "Group", "name": "g"}], [{"kind": "Group", "name": "g", "apiGroup": "v1"}], [{"kind": "Robot", "name": "r"}]),
    *([{"kind": "ServiceAccount", "name": name, "namespace": "n"}] for name in ("a", "A_b", "", "x" * 254)),
    *([{"kind": "ServiceAccount", "name": "a"}], [{"kind": "ServiceAccount", "name": "a", "namespace": "n", "apiGroup": "x"}]),
    *([_SUBJECT, {}, {"kind": "ServiceAccount"}], [{"kind": "ServiceAccount", "name": "b", "namespace": "A_"}]),
)  # fmt: skip
_ROLE_NAMES: Final = ("r", "other", "", "a/b", "a%b", ".", "..", "A:b")
_ROLE_KINDS: Final = ("Role", "ClusterRole", "", "Pod")
_ROLE_GROUPS: Final = ("rbac.authorization.k8s.io", "", "x", ABSENT)
_BINDING: Final[Mapping[str, _Pool]] = {
    "subjects": _SUBJECTS,
    "roleRef.name": _ROLE_NAMES,
    "roleRef.kind": _ROLE_KINDS,
    "roleRef.apiGroup": _ROLE_GROUPS,
    "roleRef": ({}, None, ABSENT, {"kind": "ClusterRole", "name": "r"}),
}
_TIMES: Final = ("2024-01-02T03:04:05.000001Z", "2024-01-02T03:04:05.000002Z", None, ABSENT)
_SECONDS: Final = ("2024-01-02T03:04:05Z", "2025-01-02T03:04:05Z", None, ABSENT)
_WORDS: Final = ("a", "other", "", "x" * 128, "x" * 129, "é" * 64, "é" * 65, ABSENT, "<b>")
_CONTROLLERS: Final = ("example.com/c", "c", "", "a b", "x/y/z", "/c", "x" * 64, ABSENT)
_REFERENCES: Final[_Pool] = (
    *({"kind": "Pod", "name": "p", "namespace": "{ns}", "uid": "u", "apiVersion": "v1"}, {"kind": "Pod", "namespace": "other"}),
    *({"kind": "Pod", "name": "p"}, {}, {"namespace": "{ns}", "fieldPath": "spec.<a>", "resourceVersion": "7"}, {"namespace": "{ns}"}),
)  # fmt: skip
_SERIES: Final[_Pool] = (
    *({"count": 2, "lastObservedTime": "2024-01-02T03:04:05.000001Z"}, {"count": 1}, {}, None, ABSENT),
    *(
        {"count": 3, "lastObservedTime": "2024-01-02T03:04:05.000001Z"},
        {"count": 2},
        {"count": -1, "lastObservedTime": None},
    ),
)
_SOURCES: Final[_Pool] = ({"component": "c"}, {"component": "c", "host": "h"}, {}, {"host": "h"}, ABSENT)
_COMMON_EVENT: Final[Mapping[str, _Pool]] = {
    "eventTime": _TIMES,
    "type": ("Normal", "Warning", "", "Other", "<b>", ABSENT),
    "reason": _WORDS,
    "action": _WORDS,
    "reportingInstance": _WORDS,
    "series": _SERIES,
    "related": (*_REFERENCES, None, ABSENT),
}
_NOTES: Final = ("n", "", "x" * 1024, "x" * 1025, "é" * 512, "é" * 513, ABSENT)
_COUNTS: Final = (0, 1, 7, ABSENT)
KINDS: Final[Mapping[str, Kind]] = {
    "v1 ConfigMap": Kind(
        f"{_CORE}/configmaps",
        {"data": {"a": "b"}},
        {
            "data": (*_TEXTS, {}, None, {"a": "x" * _MIB}, {"a": "é" * (_MIB // 2)}, {"a": "x" * _MIB, "b": "y"}),
            "binaryData": (*_BYTES, {}, None, {"a": base64.b64encode(b"x" * _MIB).decode()}),
            "immutable": _IMMUTABLE,
        },
    ),
    "v1 Secret": Kind(
        f"{_CORE}/secrets",
        {"data": {"a": "YQ=="}},
        {
            "data": (*_BYTES, None, *_SECRETS),
            "stringData": (*_TEXTS, {}, {"tls.crt": "x", "tls.key": "y"}, {".dockercfg": "{"}, {"a": "b"}),
            "immutable": _IMMUTABLE,
            "type": (
                *("Opaque", "", "example.com/x", "<b>", ABSENT, "kubernetes.io/tls", "kubernetes.io/tls"),
                *(f"kubernetes.io/{name}" for name in ("dockercfg", "dockerconfigjson", "basic-auth", "ssh-auth")),
                *("kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"),
            ),
            "metadata.annotations": (
                {"kubernetes.io/service-account.name": "a"},
                {"kubernetes.io/service-account.name": ""},
            ),
        },
    ),
    "v1 ServiceAccount": Kind(
        f"{_CORE}/serviceaccounts",
        {},
        {
            "secrets": (
                [{"name": "a"}],
                [{"name": "a"}, {"name": "a"}],
                [{}],
                [],
                [{"name": "b", "kind": "x"}],
                [{"name": "A_"}],
            ),
            "imagePullSecrets": ([{"name": "a"}], [{}], [], [{"name": "A_"}]),
            "automountServiceAccountToken": (True, False, None),
            "metadata.annotations": ({"kubernetes.io/enforce-mountable-secrets": "true"}, {}, {"a": "b"}),
        },
    ),
    SERVICE: Kind(servicepools.PATH, servicepools.BASE, servicepools.POOLS, ("status",)),
    "coordination.k8s.io/v1 Lease": Kind(
        "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
        {"spec": {"holderIdentity": "a"}},
        {
            "spec": ({}, None, ABSENT),
            "spec.holderIdentity": ("", "b", None),
            "spec.leaseDurationSeconds": (0, 1, -1, 15, None),
            "spec.leaseTransitions": (0, 1, -1, None),
            "spec.acquireTime": _TIMES,
            "spec.renewTime": _TIMES,
            "spec.strategy": ("OldestEmulationVersion", "x", "", "a/b"),
            "spec.preferredHolder": ("h", ""),
        },
    ),
    "v1 Event": Kind(
        f"{_CORE}/events",
        {"involvedObject": {"kind": "Pod", "name": "p", "namespace": "{ns}"}, "reason": "R", "type": "Normal"},
        {
            **_COMMON_EVENT,
            "involvedObject": _REFERENCES,
            "message": _NOTES,
            "source": _SOURCES,
            "firstTimestamp": _SECONDS,
            "lastTimestamp": _SECONDS,
            "count": _COUNTS,
            "reportingComponent": _CONTROLLERS,
        },
    ),
    "events.k8s.io/v1 Event": Kind(
        "/apis/events.k8s.io/v1/namespaces/{ns}/events",
        {
            "regarding": {"kind": "Pod", "name": "p", "namespace": "{ns}"},
            "reason": "R",
            "type": "Normal",
            "action": "A",
            "note": "n",
            "eventTime": "2024-01-02T03:04:05.000001Z",
            "reportingController": "example.com/c",
            "reportingInstance": "i",
        },
        {
            **_COMMON_EVENT,
            "regarding": _REFERENCES,
            "note": _NOTES,
            "deprecatedSource": _SOURCES,
            "deprecatedFirstTimestamp": _SECONDS,
            "deprecatedLastTimestamp": _SECONDS,
            "deprecatedCount": _COUNTS,
            "reportingController": _CONTROLLERS,
        },
    ),
    "v1 Namespace": Kind(
        "/api/v1/namespaces",
        {},
        {
            "spec.finalizers": (
                ["kubernetes"],
                [],
                ["example.com/a"],
                ["plain"],
                ["x/y/z"],
                [""],
                ["orphan", "a b"],
                None,
            ),
            "spec": ({}, None, ABSENT),
            "status.phase": ("Active", "Terminating", "", "Other", "<b>"),
            "status": ({}, None, ABSENT),
            "status.conditions": ([{"type": "a", "status": "True"}], []),
        },
        ("status", "finalize"),
    ),
    "rbac.authorization.k8s.io/v1 Role": Kind(
        f"{_RBAC}/namespaces/{{ns}}/roles", {"rules": [_RULE]}, {"rules": _RULES}
    ),
    "rbac.authorization.k8s.io/v1 ClusterRole": Kind(
        f"{_RBAC}/clusterroles",
        {"rules": [_RULE]},
        {"rules": _RULES, "aggregationRule.clusterRoleSelectors": _SELECTORS, "aggregationRule": ({}, None, ABSENT)},
    ),
    "rbac.authorization.k8s.io/v1 RoleBinding": Kind(
        f"{_RBAC}/namespaces/{{ns}}/rolebindings", {"roleRef": {"kind": "Role", "name": "r"}}, _BINDING
    ),
    "rbac.authorization.k8s.io/v1 ClusterRoleBinding": Kind(
        f"{_RBAC}/clusterrolebindings", {"roleRef": {"kind": "ClusterRole", "name": "r"}}, _BINDING
    ),
    **certificatepools.KINDS,
    **clusterpools.KINDS,
    **workloadpools.KINDS,
}
