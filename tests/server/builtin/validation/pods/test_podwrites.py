"""Validation of Pods and of their subresources."""

from __future__ import annotations

from typing import Any

from server.builtin.validation.workloads.test_workloads import APPS, CONTAINER, LABELS, MERGE, PODS, causes
from support import servers

from pytest_crd.server.api import Api


def _server(**spec: Any) -> Api:
    server = servers.api()
    body = {"metadata": {"name": "a"}, "spec": {"containers": [CONTAINER], **spec}}
    assert servers.ask(server, "POST", PODS, body).code == 201
    return server


def test_a_container_that_has_ended_does_not_run_again() -> None:
    server = _server(restartPolicy="Never")
    ended, runs = ({"name": "a", "state": {state: {}}} for state in ("terminated", "running"))
    path = f"{PODS}/a/status"
    assert servers.ask(server, "PATCH", path, {"status": {"containerStatuses": [ended]}}, **MERGE).code == 200
    refused = servers.ask(server, "PATCH", path, {"status": {"containerStatuses": [runs]}}, **MERGE)
    message = "Forbidden: may not be transitioned to non-terminated state"
    assert causes(refused) == [("status.containerStatuses[0].state", message)]


def test_an_update_of_the_status_keeps_the_quality_of_service() -> None:
    server = _server()
    body = {"metadata": {"name": "a"}, "spec": {"containers": [CONTAINER]}, "status": {"phase": "Running"}}
    updated = servers.ask(server, "PUT", f"{PODS}/a/status", body)
    assert updated.value["status"] == {"phase": "Running", "qosClass": "BestEffort"}
    refused = servers.ask(server, "PATCH", f"{PODS}/a/status", {"status": {"qosClass": "Burstable"}}, **MERGE)
    assert causes(refused) == [("status.qosClass", 'Invalid value: "Burstable": field is immutable')]


def test_an_ephemeral_container_stays_as_it_is() -> None:
    server = _server()
    path = f"{PODS}/a/ephemeralcontainers"
    first = {"spec": {"ephemeralContainers": [{"name": "e", "image": "i"}]}}
    assert servers.ask(server, "PATCH", path, first, **MERGE).code == 200
    second = {"spec": {"ephemeralContainers": [{"name": "e", "image": "j"}]}}
    ((field, message),) = causes(servers.ask(server, "PATCH", path, second, **MERGE))
    assert (field, message.splitlines()[0]) == (
        "spec.ephemeralContainers",
        'Forbidden: existing ephemeral containers "e" may not be changed',
    )
    gone = servers.ask(server, "PATCH", path, {"spec": {"ephemeralContainers": None}}, **MERGE)
    assert causes(gone) == [
        ("spec.ephemeralContainers", 'Forbidden: existing ephemeral containers "e" may not be removed\n')
    ]


def test_a_resize_changes_amounts_but_not_the_containers() -> None:
    server = _server(containers=[{**CONTAINER, "resources": {"requests": {"cpu": "1"}}}])
    renamed = {"spec": {"containers": [{"name": "b", "image": "i"}]}}
    refused = causes(servers.ask(server, "PATCH", f"{PODS}/a/resize", renamed, **MERGE))
    message = "Forbidden: containers may not be renamed or reordered on resize"
    assert refused[-1] == ("spec.containers[0].name", message)
    less = {"spec": {"containers": [{**CONTAINER, "resources": {}}]}}
    fields = [field for field, _ in causes(servers.ask(server, "PATCH", f"{PODS}/a/resize", less, **MERGE))]
    assert fields == ["spec", "spec.containers[0].resources.requests"]


def test_gated_pods_may_only_be_bound_to_fewer_nodes() -> None:
    server = _server(schedulingGates=[{"name": "g"}], nodeSelector={"a": "b"})
    fewer = {"spec": {"nodeSelector": {"c": "d"}}}
    assert servers.ask(server, "PATCH", f"{PODS}/a?dryRun=All", fewer, **MERGE).code == 200
    refused = servers.ask(server, "PATCH", f"{PODS}/a", {"spec": {"nodeSelector": {"a": "x"}}}, **MERGE)
    detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
    assert causes(refused) == [("spec.nodeSelector", f'Invalid value: {{"a":"x"}}: {detail}')]


def test_an_absent_selector_is_null_in_messages() -> None:
    server = servers.api()
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER]}}
    body = {"metadata": {"name": "a"}, "spec": {"selector": {"matchLabels": LABELS}, "template": template}}
    assert servers.ask(server, "POST", f"{APPS}/daemonsets", body).code == 201
    refused = servers.ask(server, "PATCH", f"{APPS}/daemonsets/a", {"spec": {"selector": None}}, **MERGE)
    assert causes(refused) == [
        ("spec.selector", "Invalid value: null: field is immutable"),
        ("spec.template.metadata.labels", 'Invalid value: {"app":"web"}: `selector` does not match template `labels`'),
    ]
