"""Runtime classes and topology labels of new Pods, with the messages of kube-apiserver 1.37."""

from __future__ import annotations

from typing import Any

import pytest
from server.builtin.test_builtinkinds import KINDS, path_of
from support import servers

from pytest_crd.server.api import Api

PODS = path_of(KINDS["v1", "Pod"])
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
EXISTS = {"key": "a", "operator": "Exists"}


def _server(**class_: Any) -> Api:
    server = servers.api()
    classes = path_of(KINDS["node.k8s.io/v1", "RuntimeClass"])
    assert servers.ask(server, "POST", classes, {"metadata": {"name": "r"}, "handler": "h", **class_}).code == 201
    return server


def _create(server: Api, **spec: Any) -> Any:
    pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "a"}], **spec}}
    return servers.ask(server, "POST", PODS, pod).value


def test_a_pod_gets_the_overhead_of_its_runtime_class() -> None:
    server = _server(overhead={"podFixed": {"cpu": "250m"}})
    for own in ({}, {"overhead": {"cpu": "0.25"}}):
        assert _create(server, runtimeClassName="r", **own)["spec"]["overhead"] == {"cpu": "250m"}
        servers.ask(server, "DELETE", f"{PODS}/a?gracePeriodSeconds=0")
    empty = _create(_server(overhead={}), runtimeClassName="r")
    assert "overhead" not in empty["spec"]


@pytest.mark.parametrize(
    ("class_", "spec", "problem"),
    [
        ({}, {"runtimeClassName": "none"}, 'pod rejected: RuntimeClass "none" not found'),
        (
            {},
            {"runtimeClassName": "r", "overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            {"overhead": {"podFixed": {"cpu": "250m"}}},
            {"runtimeClassName": "r", "overhead": {"memory": "1Mi"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"scheduling": {"nodeSelector": {"disk": "ssd"}}},
            {"runtimeClassName": "r", "nodeSelector": {"disk": "hdd"}},
            "conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd",
        ),
    ],
)
def test_a_pod_that_contradicts_its_runtime_class_is_refused(class_: Any, spec: Any, problem: str) -> None:
    answer = _create(_server(**class_), **spec)
    assert (answer["code"], answer["message"]) == (403, f'pods "a" is forbidden: {problem}')


def test_overhead_without_a_runtime_class_is_refused() -> None:
    for overhead in ({"cpu": "1"}, {}):
        answer = _create(servers.api(), overhead=overhead)
        assert answer["message"].endswith("Pod Overhead set without corresponding RuntimeClass defined Overhead")


def test_a_pod_gets_the_node_selector_of_its_runtime_class() -> None:
    server = _server(scheduling={"nodeSelector": {"disk": "ssd"}})
    pod = _create(server, runtimeClassName="r", nodeSelector={"own": "x"})
    assert pod["spec"]["nodeSelector"] == {"disk": "ssd", "own": "x"}


@pytest.mark.parametrize(
    ("of_class", "own", "kept"),
    [
        pytest.param(EXISTS, EXISTS, [EXISTS], id="equal"),
        pytest.param(EXISTS, {**EXISTS, "effect": "NoSchedule"}, [EXISTS], id="all effects"),
        pytest.param({**EXISTS, "effect": "NoSchedule"}, EXISTS, [EXISTS], id="all effects of the Pod"),
        pytest.param({"key": "a"}, {"key": "b"}, [{"key": "b"}, {"key": "a"}], id="other keys"),
        pytest.param({"operator": "Exists", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}, [{"operator": "Exists", "effect": "NoSchedule"}], id="all keys"),
        pytest.param({"key": "a", "operator": "Equal", "value": "x", "effect": "NoSchedule"}, {"key": "a", "operator": "Equal", "value": "y", "effect": "NoSchedule"}, [{"key": "a", "operator": "Equal", "value": "y", "effect": "NoSchedule"}, {"key": "a", "operator": "Equal", "value": "x", "effect": "NoSchedule"}], id="other values"),
        pytest.param({"key": "a", "operator": "Equal", "value": "x"}, {"key": "a", "value": "x", "effect": "NoSchedule"}, [{"key": "a", "value": "x", "effect": "NoSchedule"}, {"key": "a", "operator": "Equal", "value": "x"}], id="no operator"),
        pytest.param({"key": "a", "operator": "Equal", "value": "x"}, {"key": "a", "operator": "Equal", "value": "x", "effect": "NoSchedule"}, [{"key": "a", "operator": "Equal", "value": "x"}], id="equal values"),
        pytest.param({**EXISTS, "effect": "NoExecute", "tolerationSeconds": 5}, {**EXISTS, "effect": "NoExecute", "tolerationSeconds": 6}, [{**EXISTS, "effect": "NoExecute", "tolerationSeconds": 6}], id="longer"),
        pytest.param({**EXISTS, "effect": "NoExecute", "tolerationSeconds": 5}, {**EXISTS, "effect": "NoExecute"}, [{**EXISTS, "effect": "NoExecute"}], id="forever"),
    ],
)  # fmt: skip
def test_tolerations_that_another_one_includes_are_left_out(of_class: Any, own: Any, kept: Any) -> None:
    server = _server(scheduling={"tolerations": [of_class]})
    tolerations = _create(server, runtimeClassName="r", tolerations=[own])["spec"]["tolerations"]
    assert [item for item in tolerations if not item.get("key", "").startswith("node.kubernetes.io/")] == kept


@pytest.mark.parametrize(("version", "labels"), [("1.37", {ZONE: "z", REGION: "r"}), ("1.34", None)])
def test_a_pod_gets_the_topology_labels_of_its_node(version: str, labels: Any) -> None:
    server = servers.api(kubernetes_version=version)
    node = {"metadata": {"name": "n", "labels": {ZONE: "z", REGION: "r", "other": "x"}}}
    servers.ask(server, "POST", "/api/v1/nodes", node)
    assert _create(server, nodeName="n")["metadata"].get("labels") == labels
    servers.ask(server, "DELETE", f"{PODS}/a?gracePeriodSeconds=0")
    _create(server)
    binding = {"metadata": {"name": "a", "labels": {ZONE: "own"}}, "target": {"kind": "Node", "name": "n"}}
    assert servers.ask(server, "POST", f"{PODS}/a/binding", binding).code == 201
    assert servers.ask(server, "GET", f"{PODS}/a").value["metadata"].get("labels") == labels


def test_a_binding_without_a_kind_has_its_own_labels_alone() -> None:
    server = servers.api()
    servers.ask(server, "POST", "/api/v1/nodes", {"metadata": {"name": "n", "labels": {ZONE: "z"}}})
    _create(server)
    binding = {"metadata": {"name": "a", "labels": {"b": "c"}}, "target": {"name": "n"}}
    assert servers.ask(server, "POST", f"{PODS}/a/binding", binding).code == 201
    assert servers.ask(server, "GET", f"{PODS}/a").value["metadata"]["labels"] == {"b": "c"}


def test_a_policy_may_not_change_the_overhead_of_a_runtime_class() -> None:
    server = _server(overhead={"podFixed": {"cpu": "250m"}})
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    change = 'JSONPatch{op: "replace", path: "/spec/overhead/cpu", value: "1"}'
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": f"[{change}]"}}],
        "reinvocationPolicy": "Never",
    }
    for kind, content in (
        ("MutatingAdmissionPolicy", spec),
        ("MutatingAdmissionPolicyBinding", {"policyName": "p"}),
    ):
        path = path_of(KINDS["admissionregistration.k8s.io/v1", kind])
        body = {"metadata": {"name": "p"}, "spec": content}
        assert servers.ask(server, "POST", path, body).code == 201

    assert _create(server, runtimeClassName="r")["message"] == (
        "pods \"a\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    )
