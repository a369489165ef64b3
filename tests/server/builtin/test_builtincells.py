"""Rows of built-in kinds of which no server tells, beside those that are recorded."""

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
    return dict(zip([one["name"] for one in table["columnDefinitions"]], table["rows"][0]["cells"], strict=True))


def test_what_is_not_said_is_nothing() -> None:
    state = {"name": "a", "state": {"terminated": {}}}
    pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "status": {"containerStatuses": [state]}}
    assert builtincells.row_cells("pods", pod)[1:4] == ["0/0", "ExitCode:0", "0"]
    door = {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": {"type": "ExternalName"}}
    assert builtincells.row_cells("services", door)[3] == ""


@pytest.mark.parametrize(
    ("path", "api_version", "kind", "told"),
    [
        ("/apis/apps/v1/{ns}/deployments", "apps/v1", "Deployment", "<invalid>"),
        ("/apis/batch/v1/{ns}/jobs", "batch/v1", "Job", "<error>"),
    ],
)
def test_what_is_no_selector_is_told(path: str, api_version: str, kind: str, told: str) -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "Near"}]}
    cells = _cells(path, kind, {"apiVersion": api_version, "spec": {"selector": selector}})
    assert cells["Selector"] == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1500-02-01T00:00:00Z", "292y"),
        ("0000-01-01T00:00:00Z", "292y"),
        ("0000-01-01T00:00:00+02:00", "292y"),
        ("9999-12-31T23:59:59-02:00", "<invalid>"),
    ],
)
def test_a_length_of_time_is_none_that_go_does_not_know(text: str, told: str) -> None:
    event = {"involvedObject": {"namespace": "default"}, "firstTimestamp": text}
    assert _cells("/api/v1/{ns}/events", "Event", {"apiVersion": "v1", **event})["First Seen"] == told
    cells = _cells("/apis/batch/v1/{ns}/jobs", "Job", {"apiVersion": "batch/v1", "status": {"startTime": text}})
    assert cells["Duration"] == told
    status = {"startTime": text, "completionTime": text}
    cells = _cells("/apis/batch/v1/{ns}/jobs", "Job", {"apiVersion": "batch/v1", "status": status})
    assert cells["Duration"] == "0s"


def test_a_selector_that_takes_values_without_any_is_none() -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "In", "values": []}]}
    cells = _cells(
        "/apis/apps/v1/{ns}/deployments", "Deployment", {"apiVersion": "apps/v1", "spec": {"selector": selector}}
    )
    assert cells["Selector"] == "<invalid>"
