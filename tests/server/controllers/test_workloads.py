"""Simulated statuses of workloads, Pods and claims, and the holds of a test on them."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.accessor import CrdServer
from pytest_crd.server.api import Api
from pytest_crd.server.simulatedworkloads import NotSimulatedError

CONTAINERS: Any = {"containers": [{"name": "c", "image": "i"}]}
TEMPLATE: Any = {"metadata": {"labels": {"a": "b"}}, "spec": CONTAINERS}
WORKLOAD: Any = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}
JOB: Any = {"template": {"spec": {**CONTAINERS, "restartPolicy": "Never"}}}
CLAIM: Any = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
OTHER: Any = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "j"}]}}


def _api(**options: Any) -> Api:
    return servers.api(simulates_workloads=True, **options)


@pytest.fixture
def server() -> CrdServer:
    return servers.crd_server(_api())


def _create(server: CrdServer, resource: str, spec: Any, name: str = "x") -> Any:
    server[resource].create({"metadata": {"name": name}, "spec": spec})
    return _status(server, resource, name)


def _status(server: CrdServer, resource: str, name: str = "x") -> Any:
    return server[resource].get(name).get("status", {})


def _conditions(status: Any) -> dict[str, str]:
    return {item["type"]: f"{item['status']} {item.get('reason', '')}".strip() for item in status["conditions"]}


@pytest.mark.parametrize(
    ("resource", "spec", "expected"),
    [
        ("deployments", {**WORKLOAD, "replicas": 2}, {"readyReplicas": 2, "terminatingReplicas": 0}),
        ("statefulsets", {**WORKLOAD, "serviceName": "s"}, {"availableReplicas": 1, "currentReplicas": 1}),
        ("replicasets", WORKLOAD, {"fullyLabeledReplicas": 1, "terminatingReplicas": 0}),
        ("replicationcontrollers", {"selector": {"a": "b"}, "template": TEMPLATE}, {"fullyLabeledReplicas": 1}),
        ("daemonsets", WORKLOAD, {"numberAvailable": 1, "numberMisscheduled": 0}),
        ("jobs.batch", {**JOB, "completions": 3, "completionMode": "Indexed"}, {"completedIndexes": "0-2"}),
        ("jobs.batch", {**JOB, "completions": 1, "completionMode": "Indexed"}, {"completedIndexes": "0"}),
        ("pods", {**CONTAINERS, "initContainers": [{"name": "d", "image": "e"}]}, {"phase": "Running"}),
        ("persistentvolumeclaims", CLAIM, {"phase": "Bound", "capacity": {"storage": "1Gi"}}),
    ],
)
def test_a_simulated_status_is_complete_and_valid(server: CrdServer, resource: str, spec: Any, expected: Any) -> None:
    status = _create(server, resource, spec)
    assert expected.items() <= status.items()
    object_ = server[resource].get("x")
    if "generation" in object_["metadata"] and not resource.startswith("jobs"):
        assert status["observedGeneration"] == object_["metadata"]["generation"]

    updated = server[resource].update(object_, subresource="status")

    assert updated["metadata"]["resourceVersion"] == object_["metadata"]["resourceVersion"]


def test_a_deployment_follows_its_spec_and_keeps_the_times_of_conditions(server: CrdServer) -> None:
    server.clock.freeze("2026-01-01T00:00:00Z")
    before = _create(server, "deployments", WORKLOAD)
    server.clock.advance(60)
    server["deployments"].patch("x", {"spec": {"replicas": 3}})
    after = _status(server, "deployments")

    assert (after["observedGeneration"], after["updatedReplicas"]) == (2, 3)
    assert after["conditions"] == before["conditions"]
    assert _conditions(after) == {"Available": "True MinimumReplicasAvailable", "Progressing": "True NewReplicaSetAvailable"}  # fmt: skip
    server["deployments"].patch("x", {"spec": {"replicas": 0}})
    assert "readyReplicas" not in _status(server, "deployments")


def test_a_deployment_without_deadline_has_no_progress(server: CrdServer) -> None:
    status = _create(server, "deployments", {**WORKLOAD, "progressDeadlineSeconds": 2**31 - 1})
    assert [*_conditions(status)] == ["Available"]


def test_a_paused_deployment_keeps_its_replicas(server: CrdServer) -> None:
    status = _create(server, "deployments", {**WORKLOAD, "paused": True})
    assert (_conditions(status), status.get("replicas")) == ({"Progressing": "Unknown DeploymentPaused"}, None)


def test_terminating_replicas_are_counted_since_kubernetes_1_35() -> None:
    assert "terminatingReplicas" not in _create(
        servers.crd_server(_api(kubernetes_version="1.34")), "replicasets", WORKLOAD
    )


@pytest.mark.parametrize(
    ("strategy", "old"),
    [
        ({"type": "OnDelete"}, 3),
        ({"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}, 2),
        ({"type": "RollingUpdate", "rollingUpdate": {"partition": 9}}, 3),
        ({"type": "RollingUpdate"}, 0),
    ],
)
def test_a_strategy_keeps_replicas_of_a_stateful_set_at_the_current_revision(
    server: CrdServer, strategy: Any, old: int
) -> None:
    spec = {**WORKLOAD, "serviceName": "s", "replicas": 3, "updateStrategy": strategy}
    first = _create(server, "statefulsets", spec)
    assert first["currentRevision"] == first["updateRevision"]
    server["statefulsets"].patch("x", {"spec": {"template": OTHER}})
    status = _status(server, "statefulsets")

    assert status["updateRevision"] != first["updateRevision"]
    assert status["currentRevision"] == (first["updateRevision"] if old else status["updateRevision"])
    assert (status.get("updatedReplicas", 0), status["currentReplicas"]) == (3 - old, old or 3)


def test_a_suspended_job_completes_once_it_is_resumed(server: CrdServer) -> None:
    status = _create(server, "jobs.batch", {**JOB, "suspend": True})
    assert (_conditions(status), "startTime" in status) == ({"Suspended": "True JobSuspended"}, False)
    server["jobs.batch"].patch("x", {"spec": {"suspend": False}})

    reached = "True CompletionsReached"
    assert _conditions(_status(server, "jobs.batch")) == {
        "Suspended": "False JobResumed", "SuccessCriteriaMet": reached, "Complete": reached
    }  # fmt: skip


@pytest.mark.parametrize(
    ("manager", "is_simulated"), [("example.com/x", False), ("kubernetes.io/job-controller", True)]
)
def test_a_job_of_another_manager_stays_as_it_is(server: CrdServer, manager: str, is_simulated: bool) -> None:  # noqa: FBT001 - a row of the table
    assert bool(_create(server, "jobs.batch", {**JOB, "managedBy": manager})) is is_simulated


def test_a_failed_job_and_an_ended_pod_stay_as_they_are(server: CrdServer) -> None:
    with server["jobs.batch"].hold("x"):
        _create(server, "jobs.batch", JOB)
        server["jobs.batch"].fail("x")
    assert [*_conditions(_status(server, "jobs.batch"))] == ["FailureTarget", "Failed"]
    _create(server, "pods", CONTAINERS)
    server["pods"].succeed("x")
    assert _status(server, "pods")["phase"] == "Succeeded"


def test_a_pod_waits_for_its_scheduling_gates(server: CrdServer) -> None:
    assert _create(server, "pods", {**CONTAINERS, "schedulingGates": [{"name": "a.b/c"}]})["phase"] == "Pending"
    server["pods"].patch("x", {"spec": {"schedulingGates": []}})
    assert _status(server, "pods")["phase"] == "Running"


def test_a_pod_is_ready_once_its_readiness_gates_are_true(server: CrdServer) -> None:
    status = _create(server, "pods", {**CONTAINERS, "readinessGates": [{"conditionType": "a.b/c"}]})
    ready = next(item for item in status["conditions"] if item["type"] == "Ready")
    words = 'corresponding condition of pod readiness gate "a.b/c" does not exist.'
    assert (ready["status"], ready["reason"], ready["message"]) == ("False", "ReadinessGatesNotReady", words)

    gate = {"type": "a.b/c", "status": "Unknown", "lastTransitionTime": None}
    server["pods"].patch("x", {"status": {"conditions": [*status["conditions"], gate]}}, subresource="status")
    status = _status(server, "pods")
    ready = next(item for item in status["conditions"] if item["type"] == "Ready")
    assert ready["message"] == 'the status of pod readiness gate "a.b/c" is not "True", but Unknown'

    conditions = [{**item, "status": "True"} if item["type"] == "a.b/c" else item for item in status["conditions"]]
    server["pods"].patch("x", {"status": {"conditions": conditions}}, subresource="status")
    assert _conditions(_status(server, "pods"))["Ready"] == "True"


def test_a_sidecar_runs_and_other_init_containers_have_ended(server: CrdServer) -> None:
    sidecar = {"name": "s", "image": "i", "restartPolicy": "Always"}
    status = _create(server, "pods", {**CONTAINERS, "initContainers": [sidecar, {"name": "d", "image": "e"}]})
    assert [[*item["state"]] for item in status["initContainerStatuses"]] == [["running"], ["terminated"]]


def test_a_pod_that_fails_in_a_test_runs_again(server: CrdServer) -> None:
    server.clock.freeze("2026-01-01T00:00:00Z")
    running = _create(server, "pods", CONTAINERS)
    server.clock.advance(60)
    server["pods"].patch("x", {"metadata": {"labels": {"a": "b"}}})
    assert _status(server, "pods") == running

    waiting = {**running["containerStatuses"][0], "ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
    with server["pods"].hold("x"):
        server["pods"].patch("x", {"status": {"containerStatuses": [waiting]}}, subresource="status")
        assert _status(server, "pods")["containerStatuses"] == [waiting]
    assert _status(server, "pods")["containerStatuses"][0]["ready"]
    assert _status(server, "pods")["startTime"] == running["startTime"]


def test_a_claim_follows_its_class_of_attributes_and_needs_no_size(server: CrdServer) -> None:
    status = _create(server, "persistentvolumeclaims", {**CLAIM, "volumeAttributesClassName": "gold"})
    assert status["currentVolumeAttributesClassName"] == "gold"


def test_deleted_objects_stay_as_they_are(server: CrdServer) -> None:
    server["pods"].create({"metadata": {"name": "x", "finalizers": ["a.b/c"]}, "spec": CONTAINERS})
    server["pods"].delete("x")
    server["pods"].patch("x", {"status": {"phase": "Pending"}}, subresource="status")
    assert _status(server, "pods")["phase"] == "Pending"
    server["pods"].patch("x", {"metadata": {"finalizers": None}})
    assert server["pods"].list() == []


def test_nothing_is_simulated_without_the_option() -> None:
    server = servers.crd_server(servers.api())
    assert _create(server, "deployments", WORKLOAD) == {}
    with pytest.raises(NotSimulatedError, match="set crd_server_workloads = true"):
        server["deployments"].hold("x")


def test_a_hold_keeps_a_status_until_it_is_released() -> None:
    api = _api()
    server = servers.crd_server(api)
    workloads = api.workloads
    assert workloads is not None
    api.catalog.namespaces.create("team")
    hold = server["deployments"].hold("x")
    elsewhere = server["deployments"].hold("x", namespace="team")
    assert _create(server, "deployments", WORKLOAD) == {}
    assert repr(hold) == "<Hold deployments.apps default/x: its status was held back>"
    server["deployments"].create({"metadata": {"name": "y"}, "spec": WORKLOAD})
    assert _status(server, "deployments", "y")["readyReplicas"] == 1

    hold.release()

    assert _status(server, "deployments")["readyReplicas"] == 1
    problem = "crd_server['deployments.apps'].hold('x') held nothing back: no such object in the namespace team changed"
    assert (workloads.unmet(), workloads.unmet(2), elsewhere.problem) == ([problem], [], problem)
    assert workloads.lines() == [
        "simulated, as nothing runs: the status of 2 Deployment",
        "hold: deployments.apps default/x: its status was held back",
        "hold: deployments.apps team/x: held nothing back",
    ]


def test_a_hold_of_another_resource_is_an_error(server: CrdServer) -> None:
    with pytest.raises(NotSimulatedError, match=r"configmaps cannot be held back, but deployments\.apps, "):
        server["configmaps"].hold("x")


def test_a_hold_keeps_a_deleted_namespace_with_its_objects(server: CrdServer) -> None:
    server["namespaces"].create({"metadata": {"name": "team"}})
    server["configmaps"].create({"metadata": {"name": "x", "namespace": "team"}})
    with server["namespaces"].hold("team"):
        server["namespaces"].delete("team")
        assert server["namespaces"].get("team")["status"] == {"phase": "Terminating"}
        assert server["configmaps"].get("x", namespace="team")
    assert "team" not in [item["metadata"]["name"] for item in server["namespaces"].list()]
    assert server["namespaces"].hold("other").problem == (
        "crd_server['namespaces'].hold('other') held nothing back: no such object changed"
    )


def test_a_fork_simulates_without_the_holds_of_its_origin() -> None:
    api = _api()
    servers.crd_server(api)["deployments"].hold("x")
    fork = servers.crd_server(api.fork())
    assert _create(fork, "deployments", WORKLOAD)["readyReplicas"] == 1


def test_a_reset_forgets_holds_and_objects() -> None:
    api = _api()
    server = servers.crd_server(api)
    workloads = api.workloads
    assert workloads is not None
    server["deployments"].hold("x")
    _create(server, "pods", CONTAINERS)
    server.reset()
    assert (workloads.lines(), workloads.count) == ([], 0)
    assert _create(server, "deployments", WORKLOAD)["readyReplicas"] == 1
