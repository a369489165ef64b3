"""Resources of a whole Pod, as kube-apiserver 1.34 and 1.37 complete them."""

from __future__ import annotations

from typing import Any

import pytest
from server.builtin.test_builtinkinds import KINDS, path_of
from support import servers

PODS = path_of(KINDS["v1", "Pod"])


def _container(name: str, *, limits: Any = None, requests: Any = None, **fields: Any) -> Any:
    needs = {part: value for part, value in (("limits", limits), ("requests", requests)) if value}
    return {"name": name, "image": "a", "resources": needs, **fields}


ONE = (_container("a", limits={"cpu": "1"}),)
INITS = [
    _container("b", limits={"cpu": "250m"}, restartPolicy="Always"),
    _container("c", limits={"cpu": "2"}),
    _container("d", limits={"cpu": "1"}, restartPolicy="Always"),
]


@pytest.mark.parametrize(
    ("needs", "containers", "inits", "older", "newer"),
    [
        pytest.param({}, ONE, (), ({}, "BestEffort"), ({}, "Burstable"), id="no amounts"),
        pytest.param(
            {"limits": {"cpu": "1500m", "memory": "1Gi"}},
            [_container("a")],
            (),
            *[({"limits": {"cpu": "1500m", "memory": "1Gi"}, "requests": {"cpu": "1500m", "memory": "1Gi"}}, "Guaranteed")] * 2,
            id="limits",
        ),
        pytest.param(
            {"limits": {"cpu": "2", "memory": "1Gi"}},
            [_container("a", requests={"cpu": "500m"}), _container("b", requests={"cpu": "250m"})],
            (),
            *[({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "750m", "memory": "1Gi"}}, "Burstable")] * 2,
            id="requests of the containers",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}},
            [_container("a", requests={"memory": "1Gi"})],
            (),
            ({"requests": {"cpu": "1"}}, "Burstable"),
            ({"requests": {"cpu": "1", "memory": "1Gi"}}, "Burstable"),
            id="requests alone",
        ),
        pytest.param(
            {"requests": {"cpu": "2"}},
            ONE,
            (),
            ({"requests": {"cpu": "2"}}, "Burstable"),
            ({"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}, "Burstable"),
            id="a larger request than the limits",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}},
            [*ONE, _container("b")],
            (),
            *[({"requests": {"cpu": "1"}}, "Burstable")] * 2,
            id="a container without a limit",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}},
            [_container("a", limits={"hugepages-2Mi": "4Mi", "cpu": "1"})],
            (),
            ({"limits": {"hugepages-2Mi": "4Mi"}, "requests": {"cpu": "1", "hugepages-2Mi": "4Mi"}}, "Burstable"),
            ({"limits": {"cpu": "1", "hugepages-2Mi": "4Mi"}, "requests": {"cpu": "1", "hugepages-2Mi": "4Mi"}}, "Burstable"),
            id="huge pages",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}},
            [_container("a", limits={"example.com/a": "1", "cpu": "1"})],
            (),
            ({"requests": {"cpu": "1"}}, "Burstable"),
            ({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}, "Burstable"),
            id="another resource",
        ),
        pytest.param(
            {"requests": {"memory": "1Gi"}},
            [_container("a", limits={"cpu": "500m"})],
            INITS,
            ({"requests": {"memory": "1Gi"}}, "Burstable"),
            ({"limits": {"cpu": "2250m"}, "requests": {"cpu": "2250m", "memory": "1Gi"}}, "Burstable"),
            id="init containers",
        ),
    ],
)  # fmt: skip
def test_the_resources_of_a_pod_are_completed(needs: Any, containers: Any, inits: Any, older: Any, newer: Any) -> None:
    spec = {"containers": containers, "initContainers": inits, "resources": needs}
    for version, expected in (("1.34", older), ("1.36", older), ("1.37", newer)):
        server = servers.api(kubernetes_version=version)
        pod = servers.ask(server, "POST", PODS, {"metadata": {"name": "a"}, "spec": spec}).value
        assert (pod["spec"]["resources"], pod["status"]["qosClass"]) == expected


@pytest.mark.parametrize(("version", "kept"), [("1.36", False), ("1.37", True)])
def test_an_update_without_the_resources_of_a_pod_keeps_them_from_1_37(version: str, kept: bool) -> None:  # noqa: FBT001 - a row of the table
    server = servers.api(kubernetes_version=version)
    spec = {"containers": [_container("a")], "resources": {"limits": {"cpu": "1"}}}
    pod = servers.ask(server, "POST", PODS, {"metadata": {"name": "a"}, "spec": spec}).value
    without = {**pod, "spec": {key: value for key, value in pod["spec"].items() if key != "resources"}}
    updated = servers.ask(server, "PUT", f"{PODS}/a", without)
    assert updated.code == (200 if kept else 422)
    assert "resources" in servers.ask(server, "GET", f"{PODS}/a").value["spec"]


@pytest.mark.parametrize(
    ("version", "patch", "resized"),
    [
        ("1.36", {"requests": {"cpu": "3"}}, {"requests": {"cpu": "3"}}),
        ("1.37", {"requests": {"cpu": "3"}, "limits": None}, {"limits": {"cpu": "3"}, "requests": {"cpu": "3"}}),
        ("1.37", None, {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}),
    ],
)
def test_a_resize_changes_the_resources_of_a_pod_from_1_36(version: str, patch: Any, resized: Any) -> None:
    server = servers.api(kubernetes_version=version)
    spec = {"containers": ONE, "resources": {"requests": {"cpu": "2"}}}
    servers.ask(server, "POST", PODS, {"metadata": {"name": "a"}, "spec": spec})
    merge = {"mediaType": "application/merge-patch+json"}
    answer = servers.ask(server, "PATCH", f"{PODS}/a/resize", {"spec": {"resources": patch}}, **merge).value
    assert answer["spec"].get("resources") == resized


@pytest.mark.parametrize(
    ("version", "patch", "error"),
    [
        ("1.35", {"requests": {"cpu": "3"}}, "[]: Forbidden: pods with pod-level resources cannot be resized"),
        ("1.36", None, "spec.resources: Forbidden: pod-level resources cannot be removed"),
    ],
)
def test_older_versions_refuse_resizes_of_a_whole_pod(version: str, patch: Any, error: str) -> None:
    server = servers.api(kubernetes_version=version)
    spec = {"containers": ONE, "resources": {"requests": {"cpu": "2"}}}
    servers.ask(server, "POST", PODS, {"metadata": {"name": "a"}, "spec": spec})

    merge = {"mediaType": "application/merge-patch+json"}
    answer = servers.ask(server, "PATCH", f"{PODS}/a/resize", {"spec": {"resources": patch}}, **merge)

    assert (answer.code, error in answer.value["message"]) == (422, True)


def test_a_pod_gets_resources_by_a_resize() -> None:
    server = servers.api(kubernetes_version="1.37")
    servers.ask(server, "POST", PODS, {"metadata": {"name": "a"}, "spec": {"containers": ONE}})
    patch, merge = {"spec": {"resources": {"requests": {"cpu": "3"}}}}, {"mediaType": "application/merge-patch+json"}
    answer = servers.ask(server, "PATCH", f"{PODS}/a/resize", patch, **merge).value
    assert answer["spec"]["resources"] == {"limits": {"cpu": "3"}, "requests": {"cpu": "3"}}
