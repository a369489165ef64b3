"""Table rows of built-in kinds without a recorded server response."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.builtin import builtincells

TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


def _cells(path: str, kind: str, value: Any) -> Any:
    server = servers.api()
    path = path.replace("{ns}", "namespaces/default")
    servers.ask(server, "POST", path, {"kind": kind, "metadata": {"name": "a"}, **value})
    if "status" in value:
        merge = "application/merge-patch+json"
        servers.ask(server, "PATCH", f"{path}/a/status", {"status": value["status"]}, mediaType=merge)
    table = servers.ask(server, "GET", f"{path}/a", accept=TABLE).value
    return dict(zip([item["name"] for item in table["columnDefinitions"]], table["rows"][0]["cells"], strict=True))


def test_absent_fields_have_empty_cells() -> None:
    state = {"name": "a", "state": {"terminated": {}}}
    pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "status": {"containerStatuses": [state]}}
    assert builtincells.row_cells("pods", pod)[1:4] == ["0/0", "ExitCode:0", "0"]
    door = {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": {"type": "ExternalName"}}
    assert builtincells.row_cells("services", door)[3] == ""


@pytest.mark.parametrize(("resource", "message"), [("deployments.apps/v1", "<invalid>"), ("jobs.batch/v1", "<error>")])
def test_an_invalid_selector_is_shown_as_such(resource: str, message: str) -> None:
    for expression in ({"key": "a", "operator": "Near"}, {"key": "a", "operator": "In", "values": []}):
        selector = {"matchExpressions": [expression]}
        value = {"metadata": {"name": "a"}, "spec": {"selector": selector, "template": {"spec": {}}}, "status": {}}
        assert builtincells.row_cells(resource, value)[-1] == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1500-02-01T00:00:00Z", "292y"),
        ("0000-01-01T00:00:00Z", "292y"),
        ("0000-01-01T00:00:00+02:00", "292y"),
        ("9999-12-31T23:59:59-02:00", "<invalid>"),
    ],
)
def test_durations_are_limited_to_gos_range(text: str, message: str) -> None:
    event = {"involvedObject": {"namespace": "default"}, "firstTimestamp": text}
    assert _cells("/api/v1/{ns}/events", "Event", {"apiVersion": "v1", **event})["First Seen"] == message
    spec = {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i"}]}}}
    job: Any = {"apiVersion": "batch/v1", "spec": spec}
    cells = _cells("/apis/batch/v1/{ns}/jobs", "Job", {**job, "status": {"startTime": text}})
    assert cells["Duration"] == message
    types = ("SuccessCriteriaMet", "Complete")
    status = {
        "startTime": text,
        "completionTime": text,
        "conditions": [{"type": type_, "status": "True"} for type_ in types],
    }
    cells = _cells("/apis/batch/v1/{ns}/jobs", "Job", {**job, "status": status})
    assert cells["Duration"] == "0s"
