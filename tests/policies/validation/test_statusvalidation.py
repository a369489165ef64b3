"""Validation of the status of policies, as kube-apiservers answer to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import conformance
import pytest
from conformance import policyobjects
from support import servers

from pytest_crd.engine import profile
from pytest_crd.policies.validation import objectvalidation

_ROWS = [
    json.loads(line)
    for line in (Path(conformance.__file__).parent / "policystatuses.jsonl").read_text(encoding="utf-8").splitlines()
]
PATH = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
CONDITION = {"type": "A", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize("version", ["1.37", "1.34"])
@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row["name"])
def test_the_errors_of_a_server_are_given(row: Any, version: str) -> None:
    expected = row.get(version, row["1.37"])
    errors = objectvalidation.validate_status({"status": row["status"]}, profile.named(version))
    assert [str(error) for error in errors] == expected["errors"]


def test_reason_and_message_of_a_condition_have_limits() -> None:
    status = {"conditions": [{**CONDITION, "reason": "R" * 1025, "message": "m" * 32769}]}
    assert [str(error) for error in objectvalidation.validate_status({"status": status}, profile.named("1.37"))] == [
        "status.conditions[0].reason: Too long: may not be more than 1024 bytes",
        "status.conditions[0].message: Too long: may not be more than 32768 bytes",
    ]


def test_crd_server_validates_the_status_alone() -> None:
    server = servers.api()
    case = next(case for case in policyobjects.cases() if case.name == "valid")
    created = servers.ask(server, "POST", PATH, {"apiVersion": "admissionregistration.k8s.io/v1", **case.new}).value
    path = f"{PATH}/probe/status"
    written = servers.ask(server, "PUT", path, {**created, "spec": {}, "status": {"conditions": [CONDITION]}})
    assert (written.code, written.value["spec"]) == (200, created["spec"])
    assert written.value["metadata"]["generation"] == 1
    refused = servers.ask(server, "PUT", path, {**written.value, "status": {"conditions": [{}]}})
    assert refused.code == 422
