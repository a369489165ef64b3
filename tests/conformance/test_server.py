"""Our server answers conversations as kube-apiserver did in recordings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet  # nothing public
from oracle.generators import servergen

from conformance import exchanges, serverside
from pytest_crd.server import servedversions
from pytest_crd.server.store import generatedvalues

RECORDED = Path(__file__).parent / "server"


def conversations() -> Iterator[tuple[str, str, Any]]:
    """Yield name, Kubernetes version and recording of each conversation, the newest version first."""
    for path in sorted(RECORDED.glob("*.jsonl"), reverse=True):
        version = path.stem.partition("-")[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            yield f"{path.stem}-{number}", version, json.loads(line)


def replays() -> Iterator[ParameterSet]:
    """Yield the version and the recording of each conversation, marked with `older` if a newer version has an equal one."""
    newer: dict[str, str] = {}
    for name, version, recorded in conversations():
        is_equal = newer.setdefault(json.dumps(recorded, sort_keys=True), version) != version
        yield pytest.param(version, recorded, id=name, marks=(pytest.mark.older,) if is_equal else ())


def test_the_server_answers_as_all_versions_with_recorded_conversations() -> None:
    assert tuple(sorted({version for _, version, _ in conversations()})) == servedversions.VERSIONS


def test_only_cells_of_tables_have_ages() -> None:
    body = {"rows": [{"cells": ["a", 3, "<invalid>", "5s"]}], "spec": {"schedule": "5s"}}
    raw = exchanges.Raw(200, {}, json.dumps(body))

    (answer,) = exchanges.run([{"method": "GET", "path": "/"}], lambda _: raw)

    assert answer["body"] == {"rows": [{"cells": ["a", 3, "AGE", "AGE"]}], "spec": {"schedule": "5s"}}


def test_all_fields_of_recorded_answers_are_compared() -> None:
    """A recording without a field cannot show that our server answers it otherwise."""
    requests = [request for _, _, recorded in conversations() for request in recorded["requests"]]

    assert not [request for request in requests if "leaveOut" in request]


def test_random_answers_are_counted() -> None:
    """A server names a random one of several unknown fields."""
    requests = [request for _, _, recorded in conversations() for request in recorded["requests"]]

    assert sum(request.get("varies", False) for request in requests) == 5


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "failed to convert new object: errors:\n  a: field not declared in schema\n  b: other"),
        ({"varies": True}, "failed to convert new object: WHY"),
    ],
)
def test_the_reason_of_a_random_answer_is_not_compared(request_: exchanges.Request, message: str) -> None:
    body = {"message": "failed to convert new object: errors:\n  b: other\n  a: field not declared in schema"}
    raw = exchanges.Raw(500, {}, json.dumps(body))

    (answer,) = exchanges.run([{"method": "PUT", "path": "/", **request_}], lambda _: raw)

    assert answer["body"] == {"message": message}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"message": "errors:\\nb\\na: field not declared in schema"}', "errors:\na: field not declared in schema\nb"),
        ('{"message": "b"}', ""),
        ("not found", ""),
    ],
)
def test_messages_about_unknown_fields_are_found(text: str, message: str) -> None:
    assert exchanges.undeclared(exchanges.Raw(500, {}, text)) == message


def replay(version: str, recorded: Any) -> Any:
    """Return our server's answers in a conversation."""
    sender = serverside.sender(recorded.get("crds") or servergen.crds(), version, [exchanges.NAMESPACE])
    return exchanges.run(recorded["requests"], sender)


@pytest.fixture(autouse=True)
def _one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of our server: whether an equal apply is a change can depend on the second in which it comes."""
    now = generatedvalues.now()
    monkeypatch.setattr(generatedvalues, "now", lambda: now)


@pytest.mark.parametrize(("version", "recorded"), [*replays()])
def test_answers_equal_those_of_kube_apiserver(version: str, recorded: Any) -> None:
    assert replay(version, recorded) == recorded["answers"]
