"""Statuses of controllers: ready, available, succeeded and failed objects."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.accessor import CrdServer
from pytest_crd.server.controllerstatuses import NoSuchStateError

TEMPLATE: Any = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
JOB = {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
WORKLOAD = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}


@pytest.fixture
def server() -> CrdServer:
    return servers.crd_server(servers.api())


def _create(server: CrdServer, resource: str, spec: Any) -> None:
    server[resource].create({"metadata": {"name": "x"}, "spec": spec})


def _conditions(object_: Any) -> list[str]:
    return [condition["type"] for condition in object_["status"]["conditions"]]


def test_a_ready_pod_runs_its_containers(server: CrdServer) -> None:
    _create(server, "pods", TEMPLATE["spec"])
    pod = server["pods"].ready("x")
    assert (pod["status"]["phase"], _conditions(pod)[-1]) == ("Running", "Ready")
    assert pod["status"]["containerStatuses"][0]["ready"]
    assert server["pods"].succeed("x")["status"]["phase"] == "Succeeded"
    assert server["pods"].fail("x")["status"]["phase"] == "Failed"


def test_a_ready_node_has_the_condition(server: CrdServer) -> None:
    _create(server, "nodes", {})
    assert _conditions(server["nodes"].ready("x")) == ["Ready"]


@pytest.mark.parametrize(
    ("resource", "spec", "field", "count"),
    [
        ("deployments", {**WORKLOAD, "replicas": 3}, "availableReplicas", 3),
        ("deployments", WORKLOAD, "updatedReplicas", 1),
        ("statefulsets", {**WORKLOAD, "serviceName": "s", "replicas": 2}, "currentReplicas", 2),
        ("replicasets", {**WORKLOAD, "replicas": 0}, "fullyLabeledReplicas", 0),
        ("daemonsets", WORKLOAD, "numberReady", 1),
    ],
)
def test_an_available_workload_has_all_replicas(
    server: CrdServer, resource: str, spec: Any, field: str, count: int
) -> None:
    _create(server, resource, spec)
    status = server[resource].available("x")["status"]
    assert (status.get(field, 0), status["observedGeneration"]) == (count, 1)


@pytest.mark.parametrize(("spec", "count"), [({}, 1), ({"completions": 4, "completionMode": "Indexed"}, 4)])
def test_a_succeeded_job_is_complete(server: CrdServer, spec: Any, count: int) -> None:
    _create(server, "jobs.batch", {"template": JOB, **spec})
    job = server["jobs.batch"].succeed("x")
    assert (job["status"]["succeeded"], _conditions(job)) == (count, ["SuccessCriteriaMet", "Complete"])
    assert job["status"]["startTime"] <= job["status"]["completionTime"]


def test_a_failed_job_has_the_conditions(server: CrdServer) -> None:
    _create(server, "jobs.batch", {"template": JOB})
    assert _conditions(server["jobs.batch"].fail("x")) == ["FailureTarget", "Failed"]


def test_other_objects_do_not_have_the_state(server: CrdServer) -> None:
    server["configmaps"].create({"metadata": {"name": "x"}})
    message = "configmaps cannot be ready, but pods, nodes can; patch the status in another way"
    with pytest.raises(NoSuchStateError, match=message):
        server["configmaps"].ready("x")
