"""Values of fields of HorizontalPodAutoscalers of both versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from oracle.generators.validatedkinds import ABSENT, Kind

_METRIC: Final[Any] = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
}
_TARGET: Final[Any] = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
_IDENTIFIER: Final[Any] = {"name": "m", "selector": {"matchLabels": {"-": "-"}}}
_TARGETS: Final[Sequence[Any]] = (
    *(
        {},
        {"type": "Utilization", "averageUtilization": 0},
        {"type": "Value", "value": "0"},
        {"type": "Value", "value": "-1", "averageValue": "0"},
    ),
    *(
        {"type": "Value", "value": "1", "averageValue": "1"},
        {"type": "AverageValue", "averageValue": "5m"},
        {"type": "<b>", "averageValue": "1"},
    ),
    *(
        {"type": "Utilization", "averageUtilization": 5, "averageValue": "1"},
        {"type": "Utilization", "averageUtilization": 5},
    ),
)
_OBJECTS: Final[Sequence[Any]] = (
    *({"apiVersion": text, "kind": "Service", "name": "s"} for text in ("v1", "", "a/b/c", "/v1", "apps/v1")),
    *({}, {"kind": "a/b", "name": ".."}),
)
_NAMES: Final = (
    "cpu",
    "",
    "a",
    "pods",
    "hugepages-2Mi",
    "example.com/a",
    "requests.example.com/a",
    "kubernetes.io/a",
    "a b",
    "requests.hugepages-1Gi",
    "x" * 60 + ".com/a",
    "example.com/" + "x" * 60,
)
_CONTAINERS: Final = ("a", "", "A_b")
_METRICS: Final[Sequence[Any]] = (
    *(
        [],
        None,
        [_METRIC],
        [_METRIC, _METRIC],
        [{}],
        [{"type": "Other"}],
        [{"type": "<b>", "pods": {"metric": {"name": "m"}}}],
    ),
    *([{"type": type_}] for type_ in ("Object", "Pods", "Resource", "External", "ContainerResource")),
    *([{**_METRIC, "type": type_}] for type_ in ("Object", "Pods", "External", "ContainerResource")),
    *([{"type": "Resource", "resource": {"name": "cpu", "target": target}}] for target in _TARGETS),
    *([{"type": "Pods", "pods": {"metric": _IDENTIFIER, "target": target}}] for target in _TARGETS),
    *([{"type": "External", "external": {"metric": _IDENTIFIER, "target": target}}] for target in _TARGETS),
    *(
        [{"type": "Object", "object": {"metric": _IDENTIFIER, "describedObject": _OBJECTS[0], "target": target}}]
        for target in _TARGETS
    ),
    *(
        [{"type": "Object", "object": {"metric": {"name": "a/b"}, "describedObject": about, "target": _TARGETS[5]}}]
        for about in _OBJECTS
    ),
    *(
        [{"type": "ContainerResource", "containerResource": {"name": name, "container": "a", "target": _TARGETS[-1]}}]
        for name in _NAMES
    ),
    *(
        [{"type": "ContainerResource", "containerResource": {"name": "cpu", "container": name, "target": _TARGETS[-1]}}]
        for name in _CONTAINERS
    ),
    *([{"type": "Resource", "resource": {"name": name, "target": _TARGETS[-1]}}] for name in ("", "a b")),
    [{**_METRIC, "external": {}, "object": {}, "pods": {}, "containerResource": {}}],
    [{"type": "", "external": {}, "pods": {}}],
)
_POLICY: Final[Any] = {"type": "Pods", "value": 1, "periodSeconds": 60}
_RULES: Final[Sequence[Any]] = (
    *(
        None,
        {},
        {"policies": [_POLICY]},
        {"policies": []},
        {"policies": [{}]},
        {"policies": [{**_POLICY, "type": "<b>"}]},
    ),
    *({"policies": [{**_POLICY, "value": number, "periodSeconds": number}]} for number in (0, -1, 1800, 1801)),
    *({"policies": [_POLICY], "stabilizationWindowSeconds": number} for number in (0, -1, 3600, 3601)),
    *({"policies": [_POLICY], "selectPolicy": text} for text in ("Max", "Min", "Disabled", "", "<b>", None)),
    *({"policies": [_POLICY], "tolerance": text} for text in ("0.1", "-0.1", "0")),
)
_NUMBERS: Final[Sequence[Any]] = (1, 0, -1, 2, 5, None, ABSENT)
_TARGET_REFS: Final[Sequence[Any]] = (
    *({**_TARGET, "apiVersion": text} for text in ("v1", "", "a/b/c", "/v1", "apps/v1", "/")),
    *(
        {"kind": "ReplicationController", "name": "a"},
        {"kind": "ReplicationController", "name": "a", "apiVersion": "a/b/c"},
    ),
    *({}, {**_TARGET, "kind": "a/b", "name": "."}, {**_TARGET, "kind": "", "name": ""}, None, ABSENT),
)
_COMMON: Final[Mapping[str, Sequence[Any]]] = {
    "spec": ({}, None, ABSENT),
    "spec.minReplicas": _NUMBERS,
    "spec.maxReplicas": _NUMBERS,
    "spec.scaleTargetRef": _TARGET_REFS,
    "status.currentReplicas": (0, -1, 3),
    "status.desiredReplicas": (0, -1, 3),
    "status": ({}, None, {"currentReplicas": -1, "desiredReplicas": -1}),
}
_BASE: Final[Any] = {"scaleTargetRef": _TARGET, "minReplicas": 1, "maxReplicas": 3}
_LEAD: Final = "autoscaling.alpha.kubernetes.io"
KINDS: Final[Mapping[str, Kind]] = {
    "autoscaling/v2 HorizontalPodAutoscaler": Kind(
        "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
        {"spec": {**_BASE, "metrics": [_METRIC]}},
        {
            **_COMMON,
            "spec.metrics": _METRICS,
            "spec.behavior.scaleUp": _RULES,
            "spec.behavior.scaleDown": _RULES,
            "status.conditions": (
                *(
                    [],
                    [{"type": "A", "status": "True", "observedGeneration": -1}],
                    [{"type": "A", "status": "True", "observedGeneration": 1}],
                ),
            ),
        },
        ("status",),
        mutated=0.3,
    ),
    "autoscaling/v1 HorizontalPodAutoscaler": Kind(
        "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers",
        {"spec": {**_BASE, "targetCPUUtilizationPercentage": 50}},
        {
            **_COMMON,
            "spec.targetCPUUtilizationPercentage": (50, 0, -1, 200, None),
            "metadata.annotations": (
                {
                    f"{_LEAD}/metrics": json.dumps(
                        [{"type": "Pods", "pods": {"metricName": "m", "targetAverageValue": "0"}}]
                    )
                },
                {f"{_LEAD}/behavior": json.dumps({"ScaleUp": {"SelectPolicy": "X", "Policies": []}})},
            ),
        },
        ("status",),
        mutated=0.3,
    ),
}
