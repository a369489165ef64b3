"""Defaults of built-in kinds, recorded and coded."""

from __future__ import annotations

from typing import Any

import pytest
from server.builtin.test_builtinkinds import KINDS, path_of, small
from support import servers

from pytest_crd.engine import profile
from pytest_crd.server.builtin import builtindefaults

APPS, BATCH, RESOURCE, NETWORKING = "apps/v1", "batch/v1", "resource.k8s.io/v1", "networking.k8s.io/v1"
ROLLING = {"maxUnavailable": "25%", "maxSurge": "25%"}
LABELS = {"app": "cook"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "a", "image": "a"}]}}


def _defaulted(api_version: str, kind: str, value: Any, version: str = "1.37") -> Any:
    """Return a decoded object of a kind with its defaults."""
    type_ = KINDS[api_version, kind]
    decoded = {**type_._go_type.zero, "metadata": {}, **value}
    return builtindefaults.of_kind(api_version, kind, profile.named(version)).default(decoded)


@pytest.mark.parametrize(
    ("api_version", "kind", "spec", "expected"),
    [
        (APPS, "Deployment", {"template": TEMPLATE, "strategy": {}}, {"strategy": {"type": "RollingUpdate", "rollingUpdate": ROLLING}}),
        (APPS, "Deployment", {"template": TEMPLATE, "strategy": {"type": "Recreate"}}, {"strategy": {"type": "Recreate"}, "replicas": 1}),
        (APPS, "Deployment", {"replicas": 0, "strategy": {}}, {"replicas": 0, "revisionHistoryLimit": 10}),
        (APPS, "DaemonSet", {"updateStrategy": {"rollingUpdate": {"maxSurge": 1}}}, {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 1}}}),
        (APPS, "DaemonSet", {"updateStrategy": {"type": "OnDelete"}}, {"updateStrategy": {"type": "OnDelete"}}),
        (APPS, "StatefulSet", {"updateStrategy": {}}, {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0, "maxUnavailable": 1}}}),
        (APPS, "StatefulSet", {"updateStrategy": {"type": "RollingUpdate"}}, {"updateStrategy": {"type": "RollingUpdate"}, "podManagementPolicy": "OrderedReady"}),
        (BATCH, "Job", {"template": TEMPLATE}, {"parallelism": 1, "completions": 1, "backoffLimit": 6, "suspend": False}),
        (BATCH, "Job", {"template": TEMPLATE, "parallelism": 2, "backoffLimitPerIndex": 1}, {"parallelism": 2, "backoffLimit": 2**31 - 1}),
        (BATCH, "Job", {"template": TEMPLATE, "podFailurePolicy": {"rules": []}}, {"podReplacementPolicy": "Failed"}),
        ("v1", "Service", {"type": "LoadBalancer"}, {"externalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": True, "internalTrafficPolicy": "Cluster"}),
        ("v1", "Service", {"sessionAffinity": "ClientIP"}, {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}, "type": "ClusterIP"}),
        ("v1", "Service", {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 5}}}, {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 5}}}),
        ("v1", "Service", {"ports": [{"port": 80}, {"port": 81, "targetPort": "a"}], "externalIPs": ["10.1.1.1"]}, {"ports": [{"port": 80, "targetPort": 80, "protocol": "TCP"}, {"port": 81, "targetPort": "a", "protocol": "TCP"}]}),
        ("v1", "LimitRange", {"limits": [{"type": "Container", "max": {"cpu": "2"}, "min": {"memory": "1"}}]}, {"limits": [{"type": "Container", "max": {"cpu": "2"}, "min": {"memory": "1"}, "default": {"cpu": "2"}, "defaultRequest": {"memory": "1", "cpu": "2"}}]}),
        ("v1", "LimitRange", {"limits": [{"type": "Pod"}, {"type": "Container"}]}, {"limits": [{"type": "Pod"}, {"type": "Container"}]}),
        ("autoscaling/v2", "HorizontalPodAutoscaler", {"behavior": {"scaleDown": {"selectPolicy": "Min"}}}, {"minReplicas": 1}),
        (NETWORKING, "NetworkPolicy", {"egress": [{}]}, {"policyTypes": ["Ingress", "Egress"]}),
        (NETWORKING, "NetworkPolicy", {"policyTypes": ["Egress"]}, {"policyTypes": ["Egress"]}),
        (RESOURCE, "ResourceClaim", {"devices": {"requests": [{"name": "a", "exactly": {}}]}}, {"devices": {"requests": [{"name": "a", "exactly": {"allocationMode": "ExactCount", "count": 1}}]}}),
        (RESOURCE, "ResourceClaim", {"devices": {"requests": [{"exactly": {"allocationMode": "All"}}]}}, {"devices": {"requests": [{"exactly": {"allocationMode": "All"}}]}}),
    ],
)  # fmt: skip
def test_defaults_of_a_spec_depend_on_its_other_fields(api_version: str, kind: str, spec: Any, expected: Any) -> None:
    defaulted = _defaulted(api_version, kind, {"spec": {**KINDS[api_version, kind]._go_type.fields["spec"].zero, **spec}})  # fmt: skip
    assert {name: defaulted["spec"].get(name) for name in expected} == expected


def test_scaling_rules_are_completed() -> None:
    behavior = {"scaleDown": {"selectPolicy": "Min"}}
    rules = _defaulted("autoscaling/v2", "HorizontalPodAutoscaler", {"spec": {"behavior": behavior}})["spec"]["behavior"]  # fmt: skip
    assert rules["scaleDown"]["selectPolicy"] == "Min"
    assert [policy["type"] for policy in rules["scaleUp"]["policies"]] == ["Pods", "Percent"]


def test_older_versions_leave_the_unavailable_pods_of_a_stateful_set_open() -> None:
    value = _defaulted(APPS, "StatefulSet", {"spec": {"updateStrategy": {}}}, "1.34")
    assert value["spec"]["updateStrategy"]["rollingUpdate"] == {"partition": 0}


def test_labels_follow_the_template() -> None:
    job = _defaulted(BATCH, "Job", {"spec": {"template": TEMPLATE}})
    controller = _defaulted("v1", "ReplicationController", {"spec": {"template": TEMPLATE}})
    assert (job["metadata"], controller["metadata"]) == ({"labels": LABELS}, {"labels": LABELS})
    assert controller["spec"]["selector"] == LABELS
    own = {"metadata": {"labels": {"a": "b"}}, "spec": {"template": TEMPLATE, "selector": {"c": "d"}}}
    controller = _defaulted("v1", "ReplicationController", own)
    assert (controller["metadata"]["labels"], controller["spec"]["selector"]) == ({"a": "b"}, {"c": "d"})
    assert _defaulted(BATCH, "Job", {**own, "spec": {"template": TEMPLATE}})["metadata"]["labels"] == {"a": "b"}


def test_pods_have_defaults_that_templates_lack() -> None:
    container = {
        "name": "a",
        "image": "a",
        "resources": {"limits": {"cpu": "1", "memory": "100u"}, "requests": {"cpu": "2"}},
        "ports": [{"containerPort": 80}],
    }
    spec = {
        "containers": [container],
        "initContainers": [{"name": "b", "image": "b:1", "imagePullPolicy": "Never"}],
        "volumes": [{"name": "v"}, {"name": "w", "secret": {"secretName": "s"}}, {"name": "i", "image": {"reference": "a"}}],
        "hostNetwork": True,
        "terminationGracePeriodSeconds": -5,
        "serviceAccount": "cook",
    }  # fmt: skip
    pod = _defaulted("v1", "Pod", {"spec": spec, "status": {"podIP": "10.1.1.1"}})
    (first,), (second,) = pod["spec"]["containers"], pod["spec"]["initContainers"]
    assert first["resources"]["requests"] == {"cpu": "2", "memory": "1m"}
    assert first["ports"] == [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]
    assert (first["imagePullPolicy"], second["imagePullPolicy"]) == ("Always", "Never")
    assert pod["spec"]["volumes"][0]["emptyDir"] == {}
    assert pod["spec"]["volumes"][2]["image"]["pullPolicy"] == "Always"
    assert (pod["spec"]["terminationGracePeriodSeconds"], pod["spec"]["serviceAccountName"]) == (1, "cook")
    assert pod["status"]["podIPs"] == [{"ip": "10.1.1.1"}]
    template = _defaulted("v1", "PodTemplate", {"template": {"metadata": {}, "spec": spec}})["template"]["spec"]
    assert "enableServiceLinks" not in template
    assert "hostPort" not in template["containers"][0]["ports"][0]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"podIPs": [{"ip": "10.1.1.1"}]}, "10.1.1.1"),
        ({"podIP": "10.1.1.2", "podIPs": [{"ip": "10.1.1.1"}]}, "10.1.1.2"),
        ({"podIP": "10.1.1.1", "podIPs": [{"ip": "10.1.1.1"}]}, "10.1.1.1"),
        ({"podIPs": [{}]}, None),
    ],
)
def test_both_fields_of_the_address_of_a_pod_agree(status: Any, expected: str | None) -> None:
    assert _defaulted("v1", "Pod", {"status": status})["status"].get("podIP") == expected


def test_ingress_points_of_a_service_have_a_mode() -> None:
    status = {"loadBalancer": {"ingress": [{"ip": "10.1.1.1"}, {"hostname": "a"}]}}
    service = _defaulted("v1", "Service", {"spec": {"type": "LoadBalancer"}, "status": status})
    assert service["status"]["loadBalancer"]["ingress"] == [{"ip": "10.1.1.1", "ipMode": "VIP"}, {"hostname": "a"}]
    external = _defaulted("v1", "Service", {"spec": {"type": "ExternalName", "sessionAffinity": "x"}})["spec"]
    assert "internalTrafficPolicy" not in external


def test_other_kinds_are_defaulted() -> None:
    node = _defaulted("v1", "Node", {"status": {"capacity": {"cpu": "1"}}})
    assert node["status"]["allocatable"] == {"cpu": "1"}
    subjects = [{"kind": "User", "name": "a"}, {"kind": "ServiceAccount", "name": "b"}]
    binding = _defaulted("rbac.authorization.k8s.io/v1", "RoleBinding", {"subjects": subjects})
    assert [subject.get("apiGroup") for subject in binding["subjects"]] == ["rbac.authorization.k8s.io", None]
    taint = _defaulted(RESOURCE, "DeviceTaintRule", {"spec": {"taint": {"key": "a"}}})
    assert taint["spec"]["taint"]["timeAdded"].startswith("20")


def test_defaults_are_stored_by_each_verb() -> None:
    server, type_ = servers.api(), KINDS[APPS, "Deployment"]
    path = path_of(type_)
    created = servers.ask(server, "POST", path, small(APPS, "Deployment")).value
    owned = created["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]
    assert {"f:progressDeadlineSeconds", "f:replicas", "f:revisionHistoryLimit"} <= owned.keys()
    applied = small(APPS, "Deployment", "b")
    answer = servers.ask(server, "PATCH", f"{path}/b?fieldManager=m", applied, mediaType="application/apply-patch+yaml")
    assert answer.value["spec"]["replicas"] == 1
    assert "f:replicas" not in answer.value["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]


def test_the_strategy_on_delete_keeps_stated_limits() -> None:
    update = {"type": "OnDelete", "rollingUpdate": {"maxSurge": 1}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": {}, "updateStrategy": update}
    strategy = _defaulted("apps/v1", "DaemonSet", {"spec": spec})["spec"]["updateStrategy"]
    assert strategy == {"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}


def test_a_stated_pull_policy_of_an_image_volume_stays() -> None:
    volume = {"name": "v", "image": {"reference": "r", "pullPolicy": "Never"}}
    spec = {"containers": [{"name": "c"}], "volumes": [volume]}
    assert _defaulted("v1", "Pod", {"spec": spec})["spec"]["volumes"] == [volume]


def test_a_replication_controller_without_labels_of_its_template_has_none() -> None:
    controller = _defaulted("v1", "ReplicationController", {"spec": {"replicas": 2}})
    assert (controller["spec"].get("selector"), controller["metadata"].get("labels")) == (None, None)
