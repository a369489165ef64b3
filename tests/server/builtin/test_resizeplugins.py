"""New resources of Pods on a Node, with the messages of kube-apiserver 1.37."""

from __future__ import annotations

from typing import Any

import pytest
from server.builtin.test_builtinkinds import KINDS, path_of
from support import servers

from pytest_crd.server.api import Api

PODS = path_of(KINDS["v1", "Pod"])
NODES = "/api/v1/nodes"
MERGE = {"mediaType": "application/merge-patch+json"}
OWN = {"requests": {"cpu": "100m", "memory": "1Mi"}}
WHOLE = {"requests": {"cpu": "300m", "memory": "3Mi"}}
LARGE = {"allocatable": {"cpu": "10", "memory": "1Gi"}}
FEATURES = ["InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers"]


def _server(status: Any = None, version: str = "1.37", **labels: str) -> Api:
    server = servers.api(kubernetes_version=version)
    assert servers.ask(server, "POST", NODES, {"metadata": {"name": "n", "labels": labels}}).code == 201
    assert servers.ask(server, "PATCH", f"{NODES}/n/status", {"status": status or {}}, **MERGE).code == 200
    return server


def _resize(server: Api, change: Any, node: str = "n", **spec: Any) -> Any:
    containers = [{"name": "a", "image": "a", "resources": OWN}]
    whole = {"nodeName": node, "containers": containers, **spec}
    assert servers.ask(server, "POST", PODS, {"metadata": {"name": "a"}, "spec": whole}).code == 201
    strategic = {"mediaType": "application/strategic-merge-patch+json"}
    return servers.ask(server, "PATCH", f"{PODS}/a/resize", {"spec": change}, **strategic).value


def _requests(**requests: str) -> Any:
    return {"containers": [{"name": "a", "resources": {"requests": requests}}]}


def test_a_node_has_the_new_resources() -> None:
    pod = _resize(_server(LARGE, **{"kubernetes.io/os": "linux"}), _requests(cpu="2"))
    assert pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "2"


@pytest.mark.parametrize(
    ("status", "change", "problem"),
    [
        ({}, _requests(cpu="1500001u"), "cpu, requested: 1501, allocatable: 0; memory, requested: 1048576, allocatable: 0"),
        (LARGE, _requests(memory="2Gi"), "memory, requested: 2147483648, allocatable: 1073741824"),
    ],
)  # fmt: skip
def test_a_node_without_the_new_resources_is_named(status: Any, change: Any, problem: str) -> None:
    answer = _resize(_server(status), change)
    assert answer["message"] == f'pods "a" is forbidden: node didn\'t have enough allocatable resources: {problem}'
    assert (answer["code"], answer["details"]["causes"]) == (403, [{"reason": "NodeCapacity"}])


def test_another_system_than_linux_has_no_resizes() -> None:
    answer = _resize(_server(LARGE, **{"kubernetes.io/os": "windows"}), _requests(cpu="2"))
    problem = 'pod resize is only supported on linux nodes, node "n" is "windows"'
    assert answer["message"] == f'pods "a" is forbidden: {problem}'
    assert answer["details"]["causes"] == [{"reason": "UnsupportedPlatform"}]


def test_a_missing_node_has_no_resources() -> None:
    answer = _resize(_server(), _requests(cpu="2"), node="none")
    assert (answer["code"], answer["message"]) == (403, 'pods "a" is forbidden: node "none" not found')


@pytest.mark.parametrize(("node", "version", "change"), [("", "1.37", "2"), ("none", "1.35", "2"), ("none", "1.37", "100m")])  # fmt: skip
def test_other_resizes_need_no_node(node: str, version: str, change: str) -> None:
    assert "spec" in _resize(_server(version=version), _requests(cpu=change), node=node)


def test_a_node_declares_the_features_of_a_resize() -> None:
    inits = [
        {"name": "b", "image": "b", "resources": OWN},
        {"name": "c", "image": "c", "resources": OWN, "restartPolicy": "Always"},
    ]
    change = {
        "resources": {"requests": {"cpu": "400m"}},
        "initContainers": [{"name": name, "resources": {"requests": {"cpu": "200m"}}} for name in ("b", "c")],
    }
    answer = _resize(_server(LARGE), change, initContainers=inits, resources=WHOLE)
    needed = f"pod update requires features {', '.join(FEATURES)} which are not available"
    assert answer["message"] == f'pods "a" is forbidden: {needed} on node "n"'
    declared = _server({**LARGE, "declaredFeatures": FEATURES})
    assert "spec" in _resize(declared, change, initContainers=inits, resources=WHOLE)


def test_the_overhead_of_a_pod_counts() -> None:
    server = _server(LARGE)
    class_ = {"metadata": {"name": "r"}, "handler": "h", "overhead": {"podFixed": {"cpu": "1"}}}
    assert servers.ask(server, "POST", "/apis/node.k8s.io/v1/runtimeclasses", class_).code == 201
    answer = _resize(server, _requests(cpu="9500m"), runtimeClassName="r")
    assert answer["message"].endswith("resources: cpu, requested: 10500, allocatable: 10000")
