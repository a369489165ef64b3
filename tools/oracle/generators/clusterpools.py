"""Values of fields of kinds that operators write besides workloads: storage, scheduling, networking, autoscaling, policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from oracle.generators import autoscalerpools, webhookpools
from oracle.generators.validatedkinds import ABSENT, Kind

_SELECTORS: Final[Sequence[Any]] = (
    *({}, None, {"matchLabels": {"a": "b"}}, {"matchLabels": {"-a": "b"}}, {"matchLabels": {"a": "-b"}}),
    *({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}, {"matchExpressions": [{}]}),
    {"matchLabels": {"a": "<b>"}, "matchExpressions": [{"key": "", "operator": "Exists", "values": ["b"]}]},
)
_AMOUNTS: Final[Sequence[Any]] = (
    0,
    1,
    -1,
    "50%",
    "0%",
    "100%",
    "101%",
    "99999999999999999999%",
    "-5%",
    "a",
    "5",
    "",
    "%",
    "<b>",
    None,
    ABSENT,
)
_CONDITION: Final[Any] = {
    "type": "A",
    "status": "True",
    "reason": "R",
    "message": "",
    "lastTransitionTime": "2024-01-02T03:04:05Z",
}
_CONDITIONS: Final[Sequence[Any]] = (
    *(
        [],
        [_CONDITION],
        [_CONDITION, _CONDITION],
        [{}],
        [{**_CONDITION, "type": "a b"}],
        [{**_CONDITION, "status": "Maybe"}],
    ),
    *([{**_CONDITION, "reason": text}] for text in ("a b", "", "1a", "A,b:c", "x" * 1024, "x" * 1025)),
    *([{**_CONDITION, "observedGeneration": number}] for number in (-1, 0, 5)),
    *([{**_CONDITION, "message": "x" * 32769}], [{**_CONDITION, "lastTransitionTime": None}]),
)
_SOURCES: Final[Sequence[Any]] = (
    *(
        {},
        {"kind": "PersistentVolumeClaim", "name": "a"},
        {"kind": "VolumeSnapshot", "name": "a", "apiGroup": "snapshot.storage.k8s.io"},
    ),
    *(
        {"kind": "Other", "name": "a"},
        {"kind": "Other", "name": "a", "apiGroup": "example.com"},
        {"kind": "", "name": "", "apiGroup": "A_"},
    ),
    *(
        {"kind": "PersistentVolumeClaim", "name": "b", "apiGroup": ""},
        {"kind": "PersistentVolumeClaim", "apiGroup": "example.com"},
    ),
)
_BLOCKS: Final[Sequence[Any]] = (
    *(
        {"cidr": text}
        for text in (
            "10.0.0.0/8",
            "",
            "10.0.0.1/8",
            "010.0.0.0/8",
            "::ffff:10.0.0.0/104",
            "a",
            "10.0.0.0",
            "2001:DB8::/32",
        )
    ),
    *(
        None,
        {},
        {
            "cidr": "10.0.0.0/8",
            "except": ["10.1.0.0/16", "10.0.0.0/8", "11.0.0.0/16", "x", "10.0.0.1/16", "2001:db8::/64"],
        },
    ),
    *(
        {"cidr": "2001:db8::/32", "except": ["2001:db8:1::/48", "10.0.0.0/8"]},
        {"cidr": "x", "except": ["y"]},
        {"cidr": "", "except": ["y"]},
    ),
)
_PEERS: Final[Sequence[Any]] = (
    *(
        [],
        None,
        [{}],
        [{"podSelector": {}}, {"namespaceSelector": {"matchLabels": {"-": "-"}}}],
        [{"podSelector": {}, "ipBlock": {"cidr": ""}}],
    ),
    *([{"ipBlock": block}] for block in _BLOCKS),
    *([{"podSelector": selector, "namespaceSelector": selector}] for selector in _SELECTORS),
)
_NUMBERS: Final[Sequence[Any]] = (80, 0, -1, 65535, 65536, "http", "A_b", "", "a--b", "-a", "1", "x" * 16, None)
_PORTS: Final[Sequence[Any]] = (
    *([], None, [{}]),
    *([{"port": number}] for number in _NUMBERS),
    *([{"port": number, "endPort": 90}] for number in _NUMBERS),
    *([{"port": 80, "endPort": number, "protocol": "UDP"}] for number in (79, 80, 0, 65536)),
    *([{"protocol": text}, {"protocol": "SCTP"}] for text in ("", "tcp", "<b>", None)),
)
_SERVICE: Final[Any] = {"service": {"name": "a", "port": {"number": 80}}}
_BACKENDS: Final[Sequence[Any]] = (
    *(
        None,
        {},
        _SERVICE,
        {"service": {}},
        {"service": {"name": "A_b", "port": {"name": "http"}}},
        {"service": {"name": "1a", "port": {"name": "a--b"}}},
    ),
    *(
        {"service": {"name": "a", "port": port}}
        for port in ({}, {"name": "http", "number": 80}, {"number": -1}, {"number": 65536}, {"name": "x" * 16})
    ),
    *(
        {**_SERVICE, "resource": {"kind": "K", "name": "n"}},
        {"resource": {}},
        {"resource": {"apiGroup": "A_", "kind": "a/b", "name": ".."}},
    ),
    *(
        {"resource": {"apiGroup": "example.com", "kind": "K", "name": "n"}},
        {"resource": {"apiGroup": "", "kind": "K", "name": "n"}},
    ),
)
_HOSTS: Final[Sequence[Any]] = (
    "a.example.com",
    "*.example.com",
    "*",
    "a.*.com",
    "*.",
    "10.0.0.1",
    "::1",
    "A_b",
    "",
    "x" * 254,
    "*." + "x" * 253,
    "010.0.0.1",
)
_PATH: Final[Any] = {"path": "/a", "pathType": "Prefix", "backend": _SERVICE}
_PATHS: Final[Sequence[Any]] = (
    *(
        [],
        None,
        [_PATH],
        [{}],
        [{"pathType": None, "backend": {}}],
        [{**_PATH, "pathType": "Other"}, {**_PATH, "pathType": "<b>", "backend": {}}],
    ),
    *(
        [{**_PATH, "pathType": type_, "path": path}]
        for type_ in ("Exact", "Prefix", "ImplementationSpecific")
        for path in ("", "a", "/", "/a//b", "/./a/../b/%2f%2F/..", "/.")
    ),
    *([{**_PATH, "backend": backend}] for backend in _BACKENDS if backend is not None),
)
_POINTS: Final[Sequence[Any]] = (
    *(
        [],
        None,
        [{}],
        [{"ip": "10.0.0.1"}],
        [{"ip": "010.0.0.1"}],
        [{"ip": "x"}, {"ip": "::ffff:10.0.0.1"}],
        [{"ip": "2001:DB8::1"}],
    ),
    *([{"hostname": host}] for host in _HOSTS),
    [{"ip": "10.0.0.1", "ports": [{"port": 0, "protocol": "x", "error": "a b"}]}],
)
_PARAMETERS: Final[Sequence[Any]] = (
    *(
        None,
        {},
        {"kind": "K", "name": "n"},
        {"apiGroup": "A_", "kind": "a/b", "name": ".."},
        {"kind": "K", "name": "n", "scope": "Other"},
    ),
    *(
        {"kind": "K", "name": "n", "scope": scope, "namespace": name}
        for scope in ("Cluster", "Namespace", "")
        for name in ("a", "A_", "", None)
    ),
    {"apiGroup": "", "scope": None},
)
_TERM: Final[Any] = {"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["a"]}]}
_OVERHEADS: Final[Sequence[Any]] = (
    *({"cpu": "1"}, {"cpu": "-1"}, {"x": "1"}, {"example.com/gpu": "1500m"}, {"hugepages-2Mi": "3Mi"}, {"A b": "1"}),
    *({"memory": "1500m"}, {"hugepages-2Mi": "2Mi", "cpu": "1"}, {"pods": "1"}),
)
KINDS: Final[Mapping[str, Kind]] = {
    "v1 PersistentVolumeClaim": Kind(
        "/api/v1/namespaces/{ns}/persistentvolumeclaims",
        {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
        {
            "spec": ({}, None, ABSENT),
            "spec.accessModes": (
                *(
                    [],
                    ["ReadWriteMany"],
                    ["ReadWriteOncePod"],
                    ["ReadWriteOncePod", "ReadOnlyMany"],
                    ["ReadWriteOncePod", "x"],
                ),
                *(["<b>", ""], ["ReadWriteOnce", "ReadWriteOnce"], None),
            ),
            "spec.selector": _SELECTORS,
            "spec.resources": (
                *({}, {"requests": {}}, {"requests": {"cpu": "1"}}, {"limits": {"storage": "1500m"}}, None),
                {"requests": {"storage": "1Gi"}, "limits": {"storage": "2Gi", "cpu": "-1"}},
            ),
            "spec.resources.requests": (
                {"storage": "1Gi", "cpu": "1"},
                {"storage": "1024Mi"},
                {"storage": "1073741824"},
            ),
            "spec.resources.requests.storage": (
                "1Gi",
                "2Gi",
                "512Mi",
                "0",
                "-1",
                "1500m",
                "100u",
                "1Gi",
                5,
                "2Gi",
                "3Gi",
            ),
            "spec.storageClassName": ("", "a", "A_b", "a.b", None, "x" * 254, "a"),
            "spec.volumeMode": ("Filesystem", "Block", "", "Other", None),
            "spec.volumeName": ("v", "w", "", "A_"),
            "spec.dataSource": (*_SOURCES, None),
            "spec.dataSourceRef": (
                *_SOURCES,
                *({**source, "namespace": "n"} for source in _SOURCES),
                {"namespace": "A_", **_SOURCES[1]},
                None,
            ),
            "spec.volumeAttributesClassName": ("", "a", "A_b", None, "b"),
            "metadata.annotations": (
                *(
                    {"volume.beta.kubernetes.io/storage-class": "a"},
                    {"volume.beta.kubernetes.io/storage-class": "b"},
                    None,
                ),
            ),
            "status.phase": ("Bound", "Bound", "Pending", "Lost", "Other", ""),
            "status.capacity": ({"storage": "1Gi"}, {"storage": "512Mi"}, {"storage": "-1", "cpu": "-1500m"}, {}, None),
            "status.allocatedResources": (
                {"storage": "1Gi"},
                {"storage": "-1"},
                {"cpu": "1", "a b": "2", "example.com/a": "-1500m"},
                {"kubernetes.io/a": "0"},
                {"storage": "-100u"},
            ),
            "status.allocatedResourceStatuses": (
                {"storage": "NodeResizePending"},
                {"storage": "Other"},
                {"cpu": "NodeResizeInfeasible", "a b": "", "example.com/a": "ControllerResizeInProgress"},
            ),
            "status.currentVolumeAttributesClassName": ("a", "", None),
            "status.conditions": ([{"type": "Resizing", "status": "True"}], [{"type": "", "status": ""}]),
            "status": (
                {},
                {"phase": "Bound", "capacity": {"storage": "1Gi"}, "currentVolumeAttributesClassName": "a"},
                None,
            ),
        },
        ("status",),
        mutated=0.2,
    ),
    "networking.k8s.io/v1 NetworkPolicy": Kind(
        "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
        {
            "spec": {
                "podSelector": {},
                "ingress": [{"from": [{"podSelector": {}}], "ports": [{"port": 80}]}],
                "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}],
            }
        },
        {
            "spec": ({}, None, ABSENT, {"podSelector": {}}),
            "spec.podSelector": _SELECTORS,
            "spec.ingress": (
                [],
                None,
                [{}],
                *([{"from": peers}] for peers in _PEERS),
                *([{"ports": ports}] for ports in _PORTS),
            ),
            "spec.egress": (
                [],
                None,
                [{}],
                *([{"to": peers}] for peers in _PEERS),
                *([{"ports": ports}] for ports in _PORTS),
            ),
            "spec.policyTypes": (
                *(
                    [],
                    None,
                    ["Ingress"],
                    ["Egress", "Ingress"],
                    ["Egress", "Egress"],
                    ["Other"],
                    ["", "<b>"],
                    ["Ingress", "Egress", "<b>"],
                ),
            ),
        },
        mutated=0.3,
    ),
    "networking.k8s.io/v1 Ingress": Kind(
        "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
        {
            "spec": {
                "rules": [{"host": "a.example.com", "http": {"paths": [_PATH]}}],
                "tls": [{"hosts": ["a.example.com"], "secretName": "a"}],
            }
        },
        {
            "spec": ({}, None, ABSENT, {"rules": []}, {"defaultBackend": _SERVICE}),
            "spec.defaultBackend": _BACKENDS,
            "spec.rules": (
                *([], None, [{}], [{"host": "a", "http": {}}], [{"http": None}]),
                *([{"host": host}] for host in _HOSTS),
                *([{"http": {"paths": paths}}] for paths in _PATHS),
                *([{"host": "*.a", "http": {"paths": paths}}] for paths in _PATHS[:4]),
            ),
            "spec.tls": (
                [],
                None,
                [{}],
                [{"hosts": [*_HOSTS]}],
                *([{"secretName": name}] for name in ("", "a.b", "A_")),
            ),
            "spec.ingressClassName": ("a", "", "A_b", "a.b", None, "b"),
            "metadata.annotations": ({"kubernetes.io/ingress.class": "a"}, {"kubernetes.io/ingress.class": "b"}, None),
            "status.loadBalancer.ingress": _POINTS,
            "status": ({}, None),
        },
        ("status",),
        mutated=0.3,
    ),
    "networking.k8s.io/v1 IngressClass": Kind(
        "/apis/networking.k8s.io/v1/ingressclasses",
        {"spec": {"controller": "example.com/a"}},
        {
            "spec": ({}, None, ABSENT),
            "spec.controller": (
                *(
                    "",
                    "a",
                    "/a",
                    "a/",
                    "A_/b",
                    "example.com/a",
                    "example.com/b",
                    "a/b c",
                    "A_/b|c",
                    "a/b/c",
                    "x" * 251,
                    None,
                    ABSENT,
                ),
                f"example.com/{'x' * 240}",
            ),
            "spec.parameters": _PARAMETERS,
        },
        is_dry=True,
        mutated=0.3,
    ),
    "policy/v1 PodDisruptionBudget": Kind(
        "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
        {"spec": {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}},
        {
            "spec": (
                {},
                None,
                ABSENT,
                {"minAvailable": 1, "maxUnavailable": "5%", "selector": {"matchLabels": {"a": "b"}}},
            ),
            "spec.minAvailable": _AMOUNTS,
            "spec.maxUnavailable": _AMOUNTS,
            "spec.selector": (
                *_SELECTORS,
                {"matchLabels": {"a": "b", "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match": "0"}},
                {
                    "matchExpressions": [
                        {"key": "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", "operator": "Exists"}
                    ]
                },
            ),
            "spec.unhealthyPodEvictionPolicy": ("AlwaysAllow", "IfHealthyBudget", "", "Other", None, ABSENT),
            "status.conditions": _CONDITIONS,
            "status.disruptionsAllowed": (0, 1, -1),
            "status.currentHealthy": (0, 1, -1),
            "status.desiredHealthy": (0, 1, -1),
            "status.expectedPods": (0, 1, -1),
            "status": ({}, {"disruptionsAllowed": -1, "currentHealthy": 0, "desiredHealthy": -1, "expectedPods": -1}),
        },
        ("status",),
        mutated=0.3,
    ),
    "storage.k8s.io/v1 StorageClass": Kind(
        "/apis/storage.k8s.io/v1/storageclasses",
        {"provisioner": "example.com/disk"},
        {
            "provisioner": ("", "a", "A/B", "a b", "/a", "a/b/c", "kubernetes.io/no-provisioner", ABSENT),
            "parameters": (
                *(
                    {},
                    None,
                    {"a": "b"},
                    {"": "b"},
                    {"": "", "a": "x" * 262145},
                    {"a": "x" * 262143},
                    {"a": "x" * 262144},
                ),
                *({f"k{number}": "" for number in range(count)} for count in (512, 513)),
            ),
            "reclaimPolicy": ("Delete", "Retain", "Recycle", "", None, ABSENT),
            "volumeBindingMode": ("Immediate", "WaitForFirstConsumer", "", "Other", None, ABSENT),
            "allowVolumeExpansion": (True, False, None),
            "mountOptions": (["a"], []),
            "allowedTopologies": (
                *([], None, [{}], [{}, {}], [_TERM], [_TERM, _TERM], [_TERM, {}, _TERM]),
                [{"matchLabelExpressions": [{"key": "a", "values": ["b", "b", "c"]}, {"key": "a", "values": []}]}],
                [{"matchLabelExpressions": [{"key": "a b", "values": [""]}, {}]}],
                [{"matchLabelExpressions": [{"key": "beta.kubernetes.io/os", "values": ["a"]}]}],
            ),
        },
        mutated=0.3,
    ),
    "scheduling.k8s.io/v1 PriorityClass": Kind(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        {"value": 10},
        {
            "value": (0, -1, 10, 11, 1000000000, 1000000001, 2000000000, 2000001000, 2147483647, ABSENT),
            "preemptionPolicy": ("Never", "PreemptLowerPriority", "", "Other", "<b>", None, ABSENT),
            "globalDefault": (True, False),
            "description": ("", "text"),
            "metadata.name": ("system-node-critical", "system-cluster-critical", "system-a"),
        },
        is_dry=True,
        mutated=0.3,
    ),
    "node.k8s.io/v1 RuntimeClass": Kind(
        "/apis/node.k8s.io/v1/runtimeclasses",
        {"handler": "a"},
        {
            "handler": ("", "A_b", "a.b", "x" * 64, "b", None, ABSENT),
            "overhead": ({}, None, {"podFixed": {}}, *({"podFixed": amounts} for amounts in _OVERHEADS)),
            "scheduling": ({}, None, {"nodeSelector": {}, "tolerations": []}),
            "scheduling.nodeSelector": (
                *(
                    {"a": "b"},
                    {"a b": "c"},
                    {"a": "-"},
                    {"beta.kubernetes.io/os": "c", "a": "b"},
                    {"a": "b", "c d": "e"},
                ),
            ),
            "scheduling.tolerations": (
                *([{}], [{"operator": "Exists"}], [{"key": "a b"}], [{"key": "a", "operator": "Exists", "value": "b"}]),
                *([{"key": "a", "value": "a b"}], [{"key": "a", "operator": "In"}], [{"key": "a", "effect": "Never"}]),
                *([{"key": "a", "operator": "Lt", "value": "5"}], [{"key": "a", "tolerationSeconds": 5}]),
                *([{"key": "a"}, {"key": "a"}], [{"key": "a"}, {"key": "a", "operator": "Equal"}]),
                [{"key": "a", "effect": "NoExecute", "tolerationSeconds": 5}, {"key": "a", "effect": "NoExecute"}],
            ),
        },
        mutated=0.3,
    ),
    **autoscalerpools.KINDS,
    **webhookpools.KINDS,
}
