"""Conversations with a server about decoding built-in objects: unknown, duplicate, empty and wrongly typed fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from oracle.generators import wholeobjects
from pytest_crd.engine.jsonvalue import JSONValue

_MAPS: Final = "/api/v1/namespaces/{ns}/configmaps"
_SECRETS: Final = "/api/v1/namespaces/{ns}/secrets"
_LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
_EVENTS: Final = "/api/v1/namespaces/{ns}/events"
_NEW_EVENTS: Final = "/apis/events.k8s.io/v1/namespaces/{ns}/events"
_ACCOUNTS: Final = "/api/v1/namespaces/{ns}/serviceaccounts"
_DEPLOYMENTS: Final = "/apis/apps/v1/namespaces/{ns}/deployments"
_STATEFUL_SETS: Final = "/apis/apps/v1/namespaces/{ns}/statefulsets"
_PODS: Final = "/api/v1/namespaces/{ns}/pods"
_JOBS: Final = "/apis/fuzz.example.com/v1/namespaces/{ns}/jobs"
_MERGE, _STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"
_JSON_PATCH, _APPLY = "application/json-patch+json", "application/apply-patch+yaml"
_YAML: Final = "application/yaml"
_VALIDATIONS: Final = ("", "?fieldValidation=Ignore", "?fieldValidation=Warn", "?fieldValidation=Strict")
# Values of every type.
_VALUES: Final[tuple[JSONValue, ...]] = (
    None,
    "",
    "x",
    0,
    1,
    -1,
    1.5,
    2**40,
    2**70,
    True,
    [],
    ["x"],
    [None],
    {},
    {"x": 1},
    {"x": "y"},
    "1",
    "2024-01-02T03:04:05Z",
    "YQ==",
)
# Fields that a server would default, by URL path.
_DEFAULTED: Final[Mapping[str, JSONValue]] = {
    _SECRETS: {"type": "Opaque"},
    _EVENTS: {"involvedObject": {"namespace": "{ns}"}},
}
# Values that decode, but are rejected later or defaulted.
_INVALID: Final = (("leaseTransitions", -1), ("type", None), ("type", ""))
_TEXTS: Final = (
    '{"metadata":{"name":"a"},"data":{"x":"1","x":"2"},"foo":1,"metadata":{"labels":{"l":"1","l":"2"}},"foo":{"a":1,"a":2},"data":null}',
    '{"bar":1,"metadata":{"name":"b","name":"c","name":null},"immutable":true,"immutable":null,"data":{"x":"1"},"data":{"y":"2"},"baz":[]}',
    '{"metadata":{"name":"c"},"data":{"x":1.0},"data":{}}',
    '{"metadata":{"name":"c","generation":1e3}}',
    '{"metadata":{"name":"c","generation":1.0}}',
    '{"metadata":{"name":"c","generation":-0}}',
    '{"metadata":{"name":"c","generation":12345678901234567890}}',
    '{"metadata":{"name":"c"},"Data":{"x":"1"},"DATA":{"x":"1"}}',
    '{"metadata":{"name":"c","Labels":{"x":"1"},"ownerReferences":[{"uid":"a","Uid":"b"}]}}',
    '{"metadata":{"name":"a","managedFields":[]},"data":{"a":"\\u00e4\\u003c"}}',
)  # fmt: skip
_YAML_TEXTS: Final = (
    "metadata:\n  name: y\ndata:\n  a: b\n  a: c\nfoo: 1\nfoo: 2\nbar:\n  x: 1\n  x: 2\n",
    "metadata: {name: y}\ndata: {b: 1, a: true}\n",
    "metadata: {name: y, generation: 1.0}\n",
    "metadata: {name: y, generation: 1.50}\n",
    "zoo: 1\nmetadata: {name: y, zz: 1, aa: 2}\nbar: 2\n",
    "metadata: {name: z}\nbinaryData: {a: YQ==, b: 'Y'}\n",
)
# Bodies of a custom resource without a kind, or with a wrong one; as YAML, they are decoded from JSON with sorted keys.
_WITHOUT_KIND: Final = (
    "",
    "null",
    "# nothing",
    "{}",
    '{"spec":{"ratio":1.0}}',
    '{"spec": {"schedule": "a", "replicas": +1}, "apiVersion": "fuzz.example.com/v1"}',
    "spec: {schedule: a}",
    '{"kind":1,"apiVersion":2}',
    '{"Kind":1,"kind":"Job","APIVERSION":2}',
)


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        "decoding of unknown fields": _of_unknown(),
        "decoding of texts": _of_texts(),
        "decoding of bodies without a kind": _of_missing_kinds(),
        "decoding of types": _of_types(),
        "decoding of patches": _of_patches(),
        "decoding of applies": _of_applies(),
        "decoding of whole objects": _of_whole(),
        "decoding of events": _of_events(),
        "decoding of secrets": _of_secrets(),
        "decoding of status": _of_status(),
        "decoding of strategic merge patches": _of_strategic(),
    }


def _of_unknown() -> list[JSONValue]:
    value = {"metadata": {"name": "a", "labelz": {}, "labels": {"a": ""}}, "dato": {"x": "y"}, "data": {"k": "v"}}
    requests = []
    for query in _VALIDATIONS:
        requests += [
            _sent("POST", f"{_MAPS}{query}", value),
            _sent("PUT", f"{_MAPS}/a{query}", {**value, "data": {"k": query}}),
            _sent("PUT", f"{_MAPS}/a{query}", json.dumps({**value, "data": {"l": query}}), _YAML),
            _sent("GET", f"{_MAPS}/a"),
            _sent("DELETE", f"{_MAPS}/a"),
        ]
    generated = {"metadata": {"name": "g", "generation": 5}, "data": {"a": "b"}}
    empties: JSONValue = {
        "metadata": {"name": "e", "labels": {}, "annotations": None, "finalizers": [], "ownerReferences": []},
        "data": {},
        "binaryData": None,
        "immutable": None,
    }
    lease = {"metadata": {"name": "a"}, "spec": {"holderIdentity": "", "leaseTransitions": 0, "acquireTime": None}}
    account = {
        "metadata": {"name": "a"},
        "secrets": [{}],
        "imagePullSecrets": [],
        "automountServiceAccountToken": False,
    }
    return [
        *requests,
        _sent("POST", _MAPS, empties),
        _sent("POST", _MAPS, generated),
        _sent("PUT", f"{_MAPS}/g", {**generated, "metadata": {"name": "g", "generation": 7, "labels": {"a": "b"}}}),
        _sent("PUT", f"{_MAPS}/g", {"metadata": {"name": "g", "managedFields": []}, "data": {"a": "c"}}),
        _sent("PUT", f"{_MAPS}/g", {"metadata": {"name": "g", "managedFields": [{}]}, "data": {"a": "d"}}),
        _sent("POST", _LEASES, lease),
        _sent("POST", _LEASES, {"metadata": {"name": "b"}, "spec": {}}),
        _sent("POST", _LEASES, {"metadata": {"name": "c"}, "spec": {"holderIdentity": "a", "leaseDurationSeconds": 1}}),
        _sent("POST", _ACCOUNTS, account),
        _sent("PUT", f"{_ACCOUNTS}/a", {**account, "secrets": None}),
        _sent("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}-b"}, "spec": {}, "status": {}, "x": 1}),
        _sent("PATCH", "/api/v1/namespaces/{ns}-b", {"metadata": {"labels": None}}, _MERGE),
        _sent("DELETE", "/api/v1/namespaces/{ns}-b"),
    ]


def _of_texts() -> list[JSONValue]:
    return [
        *(
            _sent("POST", f"{_MAPS}{query}", text)
            for text in _TEXTS
            for query in (*_VALIDATIONS[2:], *_VALIDATIONS[:2])
        ),
        *(_sent("POST", f"{_MAPS}{query}", text, _YAML) for text in _YAML_TEXTS for query in _VALIDATIONS[::-1]),
        _sent("GET", _MAPS),
    ]


def _of_missing_kinds() -> list[JSONValue]:
    return [
        _sent("POST", f"{_JOBS}{query}", text, media_type)
        for text in _WITHOUT_KIND
        for query in _VALIDATIONS
        for media_type in (_YAML, "application/json")
    ]


def _of_types() -> list[JSONValue]:
    places: tuple[tuple[str, tuple[str, ...]], ...] = (
        (_MAPS, ("metadata",)),
        (_MAPS, ("metadata", "labels")),
        (_MAPS, ("metadata", "labels", "a")),
        (_MAPS, ("metadata", "creationTimestamp")),
        (_MAPS, ("metadata", "deletionGracePeriodSeconds")),
        (_MAPS, ("metadata", "managedFields")),
        (_MAPS, ("data",)),
        (_MAPS, ("data", "a")),
        (_MAPS, ("binaryData", "a")),
        (_MAPS, ("immutable",)),
        (_LEASES, ("spec",)),
        (_LEASES, ("spec", "acquireTime")),
        (_LEASES, ("spec", "leaseTransitions")),
        (_SECRETS, ("data", "a")),
        (_SECRETS, ("stringData", "a")),
        (_SECRETS, ("type",)),
        (_ACCOUNTS, ("secrets",)),
        (_EVENTS, ("series",)),
    )
    name: JSONValue = {"metadata": {"name": "a"}}
    # Dry runs, so that no value affects the next.
    return [
        _sent("POST", f"{path}?dryRun=All", _with({**name, **_DEFAULTED.get(path, {})}, at, value))
        for path, at in places
        for value in _VALUES
        if (at[-1], value) not in _INVALID
    ]


def _of_patches() -> list[JSONValue]:
    merges: tuple[JSONValue, ...] = (
        {"data": {"b": "2"}, "dato": 1},
        {"data": {"b": 2}},
        {"data": None, "immutable": "x"},
        {"metadata": {"labels": {"a": 1}}},
        {"metadata": {"labels": {}, "annotations": {"x": ""}, "foo": "bar"}},
        {"metadata": {"generation": 1.0}},
        {"metadata": {"generation": 2**40, "deletionGracePeriodSeconds": "x"}},
        {"binaryData": {"a": "Y"}},
        {"binaryData": {"a": ""}},
        {"kind": "Pod"},
        {"kind": "Nope"},
        {"apiVersion": None},
        {"apiVersion": "v2"},
        {"kind": None, "apiVersion": None},
        {"kind": 5},
        {"Kind": "x"},
        {"KIND": 5},
        {"data": []},
        {"metadata": None},
        {"metadata": {"creationTimestamp": "noon"}},
        {"metadata": {"creationTimestamp": 5}},
        {"metadata": {"resourceVersion": None}},
        {},
    )
    operations: tuple[JSONValue, ...] = (
        [{"op": "add", "path": "/dato", "value": {}}],
        [{"op": "add", "path": "/data/z", "value": 1}],
        [{"op": "replace", "path": "", "value": {"x": 1}}],
        [{"op": "replace", "path": "", "value": []}],
        [{"op": "add", "path": "/metadata/labels", "value": {}}],
        [{"op": "test", "path": "/data/k", "value": "v"}, {"op": "add", "path": "/binaryData", "value": {}}],
    )
    requests = [_sent("POST", _MAPS, {"metadata": {"name": "a"}, "data": {"k": "v"}})]
    for query in ("", "?fieldValidation=Strict", "?fieldValidation=Ignore"):
        for patch in merges:
            requests += [_sent("PATCH", f"{_MAPS}/a{query}", patch, kind) for kind in (_MERGE, _STRATEGIC)]
        requests += [_sent("PATCH", f"{_MAPS}/a{query}", patch, _JSON_PATCH) for patch in operations]
        text = '{"data":{"x":"1","x":"2"},"data":{"q":"r"},"foo":1,"foo":2}'
        requests += [_sent("PATCH", f"{_MAPS}/a{query}", text, kind) for kind in (_MERGE, _STRATEGIC)]
    return requests


def _of_applies() -> list[JSONValue]:
    values: tuple[JSONValue, ...] = (
        {"data": {"a": "1"}, "dato": 1},
        {"data": {"a": 1}},
        {"data": {}},
        {"data": {"a": ""}, "binaryData": {"b": "YQ=="}},
        {"binaryData": {"b": "Y"}},
        {"immutable": "x"},
        {"immutable": False},
        {"data": None},
        {"data": []},
        {"metadata": {"labels": {"a": None}, "labelz": {}}},
        {"metadata": {"labels": {"a": "b"}, "creationTimestamp": None}},
        {"metadata": {"finalizers": ["x/y", "x/y"]}},
        {"metadata": {"creationTimestamp": "noon"}},
        {"metadata": {"generation": 1.5}},
        {"metadata": {"generation": "x"}},
    )
    requests = []
    for number, value in enumerate(values):
        metadata = {"name": f"a{number % 3}", **value.get("metadata", {})}
        applied = {"apiVersion": "v1", "kind": "ConfigMap", **value, "metadata": metadata}
        requests += [
            _sent("PATCH", f"{_MAPS}/a{number % 3}?fieldManager=m{number % 2}{query}", applied, _APPLY)
            for query in ("", "&fieldValidation=Strict")
        ]
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}}
    specs: tuple[JSONValue, ...] = (
        {},
        {"holderIdentity": "a", "leaseDurationSeconds": 5},
        {"acquireTime": "2024-01-02T03:04:05.000000Z"},
        {"acquireTime": "2024-01-02T03:04:05.000000+01:00"},
        {"acquireTime": "2024-01-02T03:04:05Z"},
        {"acquireTime": 5},
        {"leaseTransitions": 1.5},
        {"leaseTransitions": 2**33},
        {"leaseTransitions": "x"},
        {"x": 1, "holderIdentity": "b"},
    )
    requests += [_sent("PATCH", f"{_LEASES}/l?fieldManager=m", {**lease, "spec": spec}, _APPLY) for spec in specs]
    return [*requests, *(_sent("GET", f"{path}") for path in (_MAPS, _LEASES))]


def _of_whole() -> list[JSONValue]:
    deployment, pod = wholeobjects.deployment(), wholeobjects.pod()
    place = ("spec", "template", "spec")
    container = (*place, "containers", 0)
    mistakes: tuple[tuple[tuple[Any, ...], JSONValue], ...] = (
        (("spec", "replicaz"), 3),
        (("spec", "replicas"), "3"),
        (("spec", "replicas"), 2.0),
        (("spec", "replicas"), 2**33),
        (("spec", "paused"), False),
        (("spec", "minReadySeconds"), 0),
        (("spec", "strategy", "rollingUpdate", "maxSurge"), "50%"),
        (("spec", "strategy", "rollingUpdate", "maxSurge"), 1.5),
        (("spec", "strategy", "rollingUpdate", "maxSurge"), {}),
        (("spec", "strategy", "rollingUpdate", "maxSurge"), True),
        ((*place, "nodeSelector"), {}),
        ((*place, "volumes"), []),
        ((*place, "volumes"), [{"name": "v", "emptyDir": {}}]),
        ((*place, "volumes"), [{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}]),
        ((*place, "volumes"), [{"name": "v", "emptyDir": {"sizeLimit": 1.50}}]),
        ((*place, "volumes"), [{"name": "v", "emptyDir": 3}]),
        ((*place, "volumes"), [{"name": "v", "emptyDirr": {}, "emptyDir": {"x": {}}}]),
        ((*place, "hostNetwork"), False),
        ((*container, "resources"), {"limits": {"cpu": "1000m", "memory": "1024Mi"}, "requests": {}}),
        ((*container, "resources"), {"limits": {"cpu": 1, "memory": 1.5e9}}),
        ((*container, "resources"), {"limits": {"cpu": "1.5", "memory": "0.5Gi"}}),
        ((*container, "resources"), {"limits": {"cpu": "x"}}),
        ((*container, "resources"), {"limits": {"cpu": True}}),
        ((*container, "resources"), {"limits": {"cpu": {}}}),
        ((*container, "resources"), {"limits": []}),
        ((*container, "resources"), {}),
        ((*container, "resources"), None),
        ((*container, "env"), [{"name": "A", "value": ""}, {"name": "B", "value": "1", "valu": "2"}]),
        ((*container, "env"), [{"name": "A", "value": 5}]),
        ((*container, "env"), {}),
        ((*container, "ports", 0, "containerPort"), "80"),
        ((*container, "ports", 0, "protocol"), 5),
        ((*container, "livenessProbe"), {"httpGett": {}, "httpGet": {"port": "http", "path": 5}}),
        ((*container, "securityContext"), {}),
        ((*container, "command"), []),
        ((*container, "command"), ["a", 1]),
        (("metadata", "annotations"), {"a": None}),
        (("status",), {"replicas": 3}),
        (("status",), None),
        (("spec", "template", "metadata"), {"creationTimestamp": None, "labels": {"app": "cook"}}),
        (("spec", "selector"), []),
    )
    requests = [_sent("POST", _DEPLOYMENTS, deployment), _sent("GET", f"{_DEPLOYMENTS}/a")]
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "volumeMode": "Filesystem",
    }
    claims = [{"metadata": {"name": name}, "spec": claim, "status": {"phase": "Pending"}} for name in "vw"]
    claims[1] |= {"apiVersion": "x/y", "kind": "Foo"}
    claiming = _with(wholeobjects.stateful_set(), ("spec", "volumeClaimTemplates"), claims)
    kinds = (_MERGE, _STRATEGIC, _APPLY)
    for number, (at, value) in enumerate(mistakes):
        mistake = _with(deployment, at, value)
        query = ("", "&fieldValidation=Strict")[number % 2]
        manager = "&fieldManager=m&force=true" if number % 3 == 2 else ""
        requests += [
            _sent("PUT", f"{_DEPLOYMENTS}/a", mistake),
            _sent("PATCH", f"{_DEPLOYMENTS}/a?dryRun=All{query}{manager}", mistake, kinds[number % 3]),
        ]
    return [
        *requests,
        _sent("PUT", f"{_DEPLOYMENTS}/a", deployment, agent="other/1"),
        _sent("PATCH", f"{_DEPLOYMENTS}/a?fieldManager=m", deployment, _APPLY),
        *(_sent("POST", f"{_STATEFUL_SETS}?dryRun=All", {**claiming, "metadata": {"name": name}}) for name in "ab"),
        _sent("PATCH", f"{_STATEFUL_SETS}/a?dryRun=All&fieldManager=m", claiming, _APPLY),
        _sent("POST", f"{_PODS}?dryRun=All&fieldValidation=Strict", _with(pod, ("spec", "containerz"), [])),
    ]


def _of_events() -> list[JSONValue]:
    event = {
        "metadata": {"name": "a"},
        "involvedObject": {"kind": "ConfigMap", "namespace": "{ns}", "name": "a", "kindd": "x"},
        "reason": "Cooked",
        "type": "Normal",
    }
    new = {
        "metadata": {"name": "b"},
        "eventTime": "2024-01-02T03:04:05.678901Z",
        "reportingController": "example.com/cook",
        "reportingInstance": "cook-1",
        "action": "Cook",
        "reason": "Cooked",
        "regarding": {"kind": "ConfigMap", "namespace": "{ns}", "name": "a"},
        "note": "It is done.",
        "type": "Warning",
        "message": "x",
    }
    series = {"count": 2, "lastObservedTime": "2024-01-02T03:04:05.678901Z"}
    counted: JSONValue = {"kind": "Event", "metadata": {"name": "b"}, "series": {"count": 6}}
    applies = (
        (_NEW_EVENTS, {**counted, "apiVersion": "events.k8s.io/v1"}, ""),
        (_EVENTS, {**counted, "apiVersion": "v1"}, ""),
        (_NEW_EVENTS, {**counted, "apiVersion": "events.k8s.io/v1"}, "&force=true"),
    )
    return [
        _sent("POST", _EVENTS, event),
        _sent("POST", _EVENTS, {**event, "metadata": {"name": "c"}, "firstTimestamp": "2024-01-02T03:04:05.5+01:00"}),
        _sent("POST", _NEW_EVENTS, new),
        _sent("POST", _NEW_EVENTS, {**new, "eventTime": "2024-01-02T03:04:05Z"}),
        _sent("POST", _NEW_EVENTS, {**new, "deprecatedCount": "x"}),
        *(_sent("GET", f"{path}/{name}") for path in (_EVENTS, _NEW_EVENTS) for name in "ab"),
        _sent("PATCH", f"{_NEW_EVENTS}/b", {"series": series, "seriez": 1}, _MERGE),
        _sent("PATCH", f"{_EVENTS}/b", {"metadata": {"labels": {"a": "b"}}}, _MERGE),
        _sent("PATCH", f"{_EVENTS}/a", {"count": 2, "message": "x"}, _STRATEGIC),
        _sent("PATCH", f"{_EVENTS}/a", {"count": "2"}, _STRATEGIC),
        *(_sent("GET", f"{path}/{name}") for path in (_EVENTS, _NEW_EVENTS) for name in "ab"),
        _sent("PATCH", f"{_NEW_EVENTS}/b", {"series": {"count": 5}}, _MERGE),
        *(_sent("PATCH", f"{path}/b?fieldManager=m{query}", applied, _APPLY) for path, applied, query in applies),
    ]


def _of_secrets() -> list[JSONValue]:
    secret = {"metadata": {"name": "a"}, "type": "Opaque", "data": {"a": "YQ=="}, "stringData": {"b": "é", "a": ""}}
    return [
        _sent("POST", _SECRETS, secret),
        _sent("PATCH", f"{_SECRETS}/a", {"stringData": {"c": "d"}}, _MERGE),
        _sent("PATCH", f"{_SECRETS}/a", {"stringData": {"e": "f"}}, _STRATEGIC),
        _sent("PATCH", f"{_SECRETS}/a", {"stringData": {"e": 1}}, _STRATEGIC),
        _sent("PATCH", f"{_SECRETS}/a", {"data": {"e": "?"}}, _STRATEGIC),
        _sent("PATCH", f"{_SECRETS}/a", {"data": {"e": "Y Q"}}, _MERGE),
        _sent("PUT", f"{_SECRETS}/a", {**secret, "data": {"a": [97, 98], "n": None}}),
        _sent("PUT", f"{_SECRETS}/a", {**secret, "stringData": {}}),
        _sent("PUT", f"{_SECRETS}/a", {**secret, "data": None, "stringData": {"z": ""}}),
        _sent(
            "PATCH",
            f"{_SECRETS}/b?fieldManager=m",
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "b"},
                "type": "Opaque",
                "stringData": {"g": "h"},
            },
            _APPLY,
        ),
        _sent("GET", _SECRETS),
    ]


def _of_status() -> list[JSONValue]:
    status = {"replicas": 2, "readyReplicas": 0, "conditions": [], "x": 1}
    return [
        _sent("POST", _DEPLOYMENTS, wholeobjects.deployment()),
        *(
            _sent("PATCH", f"{_DEPLOYMENTS}/a/status{query}", {"status": status}, kind)
            for query in _VALIDATIONS
            for kind in (_MERGE, _STRATEGIC)
        ),
        _sent("PATCH", f"{_DEPLOYMENTS}/a/status", {"status": {"replicas": "2"}}, _MERGE),
        _sent("PATCH", f"{_DEPLOYMENTS}/a/status", {"status": {"replicas": "2"}}, _STRATEGIC),
        _sent("PATCH", f"{_DEPLOYMENTS}/a/status", {"spec": {"replicas": 9}, "status": {"replicas": 3}}, _MERGE),
        *(
            _sent("PATCH", f"{_DEPLOYMENTS}/a/status", {"metadata": metadata, "status": {"replicas": number}}, _MERGE)
            for number, metadata in enumerate(
                ({"labels": {"a": "b"}}, {"annotations": {"c": "d"}}, {"finalizers": ["example.com/hold"]}), 5
            )
        ),
        _sent("PATCH", f"{_DEPLOYMENTS}/a", {"metadata": {"annotations": None}, "spec": {"replicas": 4}}, _MERGE),
        _sent("PUT", f"{_DEPLOYMENTS}/a/status", {**wholeobjects.deployment(), "status": {"replicas": 4, "y": 1}}),
        _sent("PUT", f"{_DEPLOYMENTS}/a/status", {**wholeobjects.deployment(), "status": None}),
        _sent("PATCH", f"{_DEPLOYMENTS}/a/scale", {"spec": {"replicas": 3, "x": 1}}, _MERGE),
        _sent("GET", f"{_DEPLOYMENTS}/a"),
    ]


def _of_strategic() -> list[JSONValue]:
    whole = wholeobjects.deployment()
    place = ("spec", "template", "spec")
    (cook,) = whole["spec"]["template"]["spec"]["containers"]
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "C", "value": "3"}]
    ports = [
        {"containerPort": 80, "protocol": "TCP"},
        {"containerPort": 53, "protocol": "UDP"},
        {"containerPort": 53, "protocol": "TCP"},
    ]
    cook |= {"env": env, "ports": ports, "command": ["a", "b"]}
    beside = {**cook, "name": "wash", "ports": [{"containerPort": 81, "protocol": "TCP"}]}
    whole = _with(whole, (*place, "containers"), [cook, beside])
    volumes = [{"name": "v", "emptyDir": {}}, {"name": "w", "hostPath": {"path": "/a", "type": ""}}]
    whole = _with(whole, (*place, "volumes"), volumes)
    whole["metadata"] |= {"finalizers": ["a.com/x", "a.com/y"], "labels": {"a": "b", "c": "d"}}
    containers: tuple[JSONValue, ...] = (
        {"env": [{"name": "B", "value": "x"}]},
        {"env": [{"name": "D", "value": "4"}, {"name": "A", "$patch": "delete"}]},
        {"env": [{"$patch": "replace"}, {"name": "Z", "value": "z"}]},
        {"env": [{"$patch": "merge"}]},
        {"env": [{"$patch": "nope", "name": "A"}]},
        {"env": [{"$patch": "delete"}]},
        {"env": [{"value": "x"}]},
        {"env": None},
        {"env": []},
        {"env": {}},
        {"env": ["x"]},
        {"env": [{"name": "A", "value": None}]},
        {"env": [{"name": "C"}, {"name": "A"}], "$setElementOrder/env": [{"name": "C"}, {"name": "A"}, {"name": "B"}]},
        {"env": [{"name": "A"}, {"name": "C"}], "$setElementOrder/env": [{"name": "C"}, {"name": "A"}]},
        {"$setElementOrder/env": [{"name": "B"}]},
        {"$setElementOrder/env": ["B"]},
        {"$setElementOrder/envv": [{"name": "B"}]},
        {"ports": [{"containerPort": 53, "name": "dns"}]},
        {"ports": [{"containerPort": 80, "$patch": "delete"}]},
        {"ports": [{"containerPort": 8080, "protocol": "TCP"}]},
        {"ports": [{"containerPort": "80", "protocol": "TCP"}]},
        {"command": ["c"]},
        {"command": []},
        {"$deleteFromPrimitiveList/command": ["a"]},
        {"resources": {"limits": {"cpu": None}}},
        {"resources": {"$patch": "replace", "limits": {"cpu": "2"}}},
        {"resources": {"$patch": "delete"}},
        {"resources": {"limits": {"$retainKeys": ["cpu"], "cpu": "3"}}},
        {"env": [{"name": "A"}], "$setElementOrder/env": [{"name": "C"}, {"name": "A"}, {"x": "y"}]},
        {"$setElementOrder/env": [{"x": "y"}, {"name": "C"}]},
        {"$setElementOrder/env": [{"name": "A"}, "B"]},
    )
    pod_specs: tuple[JSONValue, ...] = (
        {"containers": [{"name": "wash", "$patch": "delete"}]},
        {
            "containers": [{**beside, "name": "new", "ports": []}],
            "$setElementOrder/containers": [{"name": "new"}, {"name": "wash"}, {"name": "cook"}],
        },
        {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/b", "type": ""}}]},
        {"volumes": [{"name": "v", "$retainKeys": ["name"], "hostPath": {"path": "/b"}}]},
        {"volumes": [{"name": "x", "emptyDir": {"medium": None, "$patch": "replace"}}]},
        {"nodeSelector": {"a": "b", "c": None}},
        {"tolerations": [{"key": "a", "operator": "Exists"}]},
        {"imagePullSecrets": [{"name": "s"}]},
        {"securityContext": {"$patch": "delete"}},
    )
    metadata: tuple[JSONValue, ...] = (
        {"$deleteFromPrimitiveList/finalizers": ["a.com/x"]},
        {"finalizers": ["a.com/z"], "$setElementOrder/finalizers": ["a.com/z", "a.com/y"]},
        {"labels": {"$patch": "replace", "e": "f"}},
        {"labels": {"$retainKeys": ["a"]}},
        {"labels": {"a": {"x": 1}}},
        {"ownerReferences": [{"uid": "u", "apiVersion": "v1", "kind": "Pod", "name": "p"}]},
    )
    spec: tuple[JSONValue, ...] = (
        {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}},
        {"strategy": {"$patch": "replace", "type": "Recreate"}},
        {"paused": None, "minReadySeconds": 5},
    )
    patches = [
        *(
            {"spec": {"template": {"spec": {"containers": [{"name": "cook", **container}]}}}}
            for container in containers
        ),
        *({"spec": {"template": {"spec": pod_spec}}} for pod_spec in pod_specs),
        *({"metadata": item} for item in metadata),
        *({"spec": item} for item in spec),
        {"$patch": "delete"},
        {"$patch": "nope", "metadata": {"name": "a"}},
    ]
    return [
        _sent("POST", _DEPLOYMENTS, whole),
        *(_sent("PATCH", f"{_DEPLOYMENTS}/a?dryRun=All", patch, _STRATEGIC) for patch in patches),
    ]


def _with(value: JSONValue, path: tuple[Any, ...], new_value: JSONValue) -> JSONValue:
    """Return a copy of *value* with *new_value* at the path *path*."""
    if not path:
        return new_value
    if isinstance(value, list):
        return [_with(item, path[1:], new_value) if index == path[0] else item for index, item in enumerate(value)]
    return {**value, path[0]: _with(value.get(path[0], {}), path[1:], new_value)}


def _sent(
    method: str, path: str, body: JSONValue = None, media_type: str = "application/json", agent: str = "probe/1"
) -> JSONValue:
    sent = {} if body is None else {"body": body, "mediaType": media_type}
    return {"method": method, "path": path, "agent": agent, **sent}
