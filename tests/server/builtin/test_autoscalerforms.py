"""HorizontalPodAutoscalers in both API versions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import servers

from pytest_crd.server.api import Api
from pytest_crd.server.builtin import autoscalerforms

V1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
V2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
LEAD = "autoscaling.alpha.kubernetes.io/"
MERGE = {"mediaType": "application/merge-patch+json"}
TARGET = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}
SELECTOR = {"matchLabels": {"a": "b"}}


def _metrics(name: str) -> Any:
    """Return a metric of each source, in the form of v2."""

    def value(**fields: Any) -> Any:
        return fields if name == "target" else {key: item for key, item in fields.items() if key != "type"}

    ingress = {"kind": "Ingress", "name": "i", "apiVersion": "networking.k8s.io/v1"}
    used = value(type="Utilization", averageUtilization=50, **({} if name == "target" else {"averageValue": "1"}))
    return [
        {"type": "Pods", "pods": {"metric": {"name": "m"}, name: value(type="AverageValue", averageValue="1")}},
        {"type": "Resource", "resource": {"name": "memory", name: value(type="AverageValue", averageValue="1Gi")}},
        {"type": "External", "external": {"metric": {"name": "e", "selector": SELECTOR}, name: value(type="Value", value="3")}},
        {"type": "Object", "object": {"describedObject": ingress, "metric": {"name": "q"}, name: value(type="Value", value="3")}},
        {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c", name: used}},
        {"type": "Resource", "resource": {"name": "cpu", name: used}},
    ]  # fmt: skip


@pytest.fixture
def server() -> Api:
    return servers.api()


def _create(server: Api, path: str, **spec: Any) -> Any:
    sent = {"metadata": {"name": "a"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 3, **spec}}
    return servers.ask(server, "POST", path, sent).value


def test_an_object_of_v1_has_a_target_for_the_processor(server: Api) -> None:
    created = _create(server, V1)
    assert created["spec"] == {"scaleTargetRef": TARGET, "minReplicas": 1, "maxReplicas": 3, "targetCPUUtilizationPercentage": 80}  # fmt: skip
    (owner,) = created["metadata"]["managedFields"]
    assert owner["fieldsV1"]["f:spec"]["f:targetCPUUtilizationPercentage"] == {}
    (metric,) = servers.ask(server, "GET", f"{V2}/a").value["spec"]["metrics"]
    assert metric["resource"]["target"] == {"type": "Utilization", "averageUtilization": 80}
    patched = servers.ask(server, "PATCH", f"{V1}/a", {"spec": {"targetCPUUtilizationPercentage": 50}}, **MERGE).value
    assert patched["spec"]["targetCPUUtilizationPercentage"] == 50


def test_annotations_keep_the_metrics_of_v2(server: Api) -> None:
    behavior = {"scaleUp": {"selectPolicy": "Min"}, "scaleDown": {"tolerance": "10m"}}
    created = _create(server, V2, metrics=_metrics("target"), behavior=behavior)
    read = servers.ask(server, "GET", f"{V1}/a").value
    assert read["spec"]["targetCPUUtilizationPercentage"] == 50
    metrics = json.loads(read["metadata"]["annotations"][f"{LEAD}metrics"])
    assert metrics[0] == {"type": "Pods", "pods": {"metricName": "m", "targetAverageValue": "1"}}
    assert metrics[-1]["containerResource"] == {"name": "cpu", "targetAverageUtilization": 50, "container": "c"}
    rules = json.loads(read["metadata"]["annotations"][f"{LEAD}behavior"])["ScaleUp"]
    assert (rules["SelectPolicy"], rules["Policies"][0], rules["Tolerance"]) == ("Min", {"Type": "Pods", "Value": 4, "PeriodSeconds": 15}, None)  # fmt: skip
    servers.ask(server, "PATCH", f"{V1}/a", {"metadata": {"labels": {"a": "b"}}}, **MERGE)
    after = servers.ask(server, "GET", f"{V2}/a").value
    assert after["spec"] == created["spec"]
    assert (after["metadata"]["labels"], after["metadata"].get("annotations")) == ({"a": "b"}, None)


def test_annotations_keep_the_status_of_v2(server: Api) -> None:
    _create(server, V2)
    condition = {"type": "AbleToScale", "status": "True", "lastTransitionTime": "2024-01-02T03:04:05Z"}
    status = {"desiredReplicas": 2, "currentMetrics": _metrics("current"), "conditions": [condition]}
    servers.ask(server, "PATCH", f"{V2}/a/status", {"status": status}, **MERGE)
    read = servers.ask(server, "GET", f"{V1}/a").value
    assert read["status"] == {"currentReplicas": 0, "desiredReplicas": 2, "currentCPUUtilizationPercentage": 50}
    servers.ask(server, "PATCH", f"{V1}/a", {"metadata": {"labels": {"a": "b"}}}, **MERGE)
    after = servers.ask(server, "GET", f"{V2}/a").value["status"]
    assert (after["conditions"], after["desiredReplicas"]) == ([condition], 2)
    assert after["currentMetrics"] == _metrics("current")


def test_a_new_object_of_v1_has_no_status(server: Api) -> None:
    sent = {"metadata": {"name": "a"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 3}}
    status = {"currentCPUUtilizationPercentage": 5, "currentReplicas": 0, "desiredReplicas": 0}
    created = servers.ask(server, "POST", V1, {**sent, "status": status}).value
    assert (created["status"], "annotations" in created["metadata"]) == ({"currentReplicas": 0, "desiredReplicas": 0}, False)  # fmt: skip


def test_the_status_of_v1_is_a_metric_of_v2(server: Api) -> None:
    _create(server, V1)
    status = {"currentReplicas": 1, "desiredReplicas": 1, "currentCPUUtilizationPercentage": 30}
    servers.ask(server, "PATCH", f"{V1}/a/status", {"status": status}, **MERGE)
    (metric,) = servers.ask(server, "GET", f"{V2}/a").value["status"]["currentMetrics"]
    assert metric["resource"]["current"]["averageUtilization"] == 30


@pytest.mark.parametrize("text", ["{", "5", "[]", "{}"])
def test_malformed_annotations_do_not_count(server: Api, text: str) -> None:
    annotations = {f"{LEAD}metrics": text, f"{LEAD}behavior": text, "other": "x"}
    sent = {"metadata": {"name": "a", "annotations": annotations}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 3}}
    assert servers.ask(server, "POST", V1, sent).value["metadata"]["annotations"] == {"other": "x"}


def test_objects_may_have_average_values(server: Api) -> None:
    metric = {
        "type": "Object",
        "object": {
            "describedObject": TARGET,
            "metric": {"name": "q"},
            "target": {"type": "AverageValue", "averageValue": "2"},
        },
    }
    created = _create(server, V2, metrics=[metric], behavior={})
    servers.ask(server, "PATCH", f"{V1}/a", {"metadata": {"labels": {"a": "b"}}}, **MERGE)
    assert servers.ask(server, "GET", f"{V2}/a").value["spec"] == created["spec"]


def test_a_behavior_may_lack_rules() -> None:
    behavior = autoscalerforms._behavior_to_v1({"scaleUp": {"policies": []}})
    assert behavior is not None
    assert behavior["ScaleDown"] is None


def test_an_object_in_its_own_version_is_unchanged(server: Api) -> None:
    created = _create(server, V2)
    assert autoscalerforms.convert(created, "autoscaling/v2") is created


def test_owners_in_the_other_version_stay() -> None:
    server = servers.api()
    body = {"metadata": {"name": "a"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 3}}
    servers.ask(server, "POST", f"{V2}?fieldManager=first", body)
    changed = servers.ask(server, "PATCH", f"{V1}/a?fieldManager=second", {"spec": {"maxReplicas": 4}}, **MERGE).value
    first, second = changed["metadata"]["managedFields"]
    assert (first["manager"], first["apiVersion"], second["apiVersion"]) == (
        "first",
        "autoscaling/v2",
        "autoscaling/v1",
    )
    assert second["fieldsV1"] == {"f:spec": {"f:maxReplicas": {}}}
    assert first["fieldsV1"]["f:spec"].keys() == {"f:metrics", "f:minReplicas", "f:scaleTargetRef"}


def test_a_part_of_an_object_is_converted() -> None:
    server = servers.api()
    body = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}}
    spec = {"spec": {"scaleTargetRef": TARGET, "maxReplicas": 3}}
    apply = {"mediaType": "application/apply-patch+yaml"}
    assert servers.ask(server, "PATCH", f"{V2}/a?fieldManager=first", {**body, **spec}, **apply).code == 201
    labelled = {"metadata": {"labels": {"b": "c"}}}
    assert servers.ask(server, "PATCH", f"{V1}/a?fieldManager=second", labelled, **MERGE).code == 200
    answer = servers.ask(server, "PATCH", f"{V2}/a?fieldManager=first", body, **apply)
    assert (answer.code, answer.value["metadata"]["labels"]) == (200, {"b": "c"})
