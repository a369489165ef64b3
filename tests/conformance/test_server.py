"""Our server answers conversations as kube-apiserver did in recordings."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from oracle.generators import servergen

from conformance import exchanges, serverside, wholefiles
from pytest_crd.engine import profile
from pytest_crd.server import servedversions
from pytest_crd.server.api import Api
from pytest_crd.server.store import generatedvalues

RECORDED = Path(__file__).parent / "server"
FILES: Final = sorted(path.stem for path in RECORDED.glob("*.jsonl"))


class Conversation(NamedTuple):
    """A conversation without known differences."""

    name: str
    differs: str = ""


def conversations(pattern: str = "*") -> Iterator[tuple[str, str, str]]:
    """Yield name, Kubernetes version and recorded text of each conversation in some files, the newest version first."""
    for path in sorted(RECORDED.glob(f"{pattern}.jsonl"), reverse=True):
        version = path.stem.partition("-")[0]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            yield f"{path.stem}-{number}", version, line


@functools.cache
def _repeated() -> frozenset[str]:
    """Return the names of conversations that a newer version has, too, with equal answers."""
    newer: dict[str, str] = {}
    return frozenset(
        name for name, version, recorded in conversations() if newer.setdefault(recorded, version) != version
    )


def test_the_server_answers_as_all_versions_with_recorded_conversations() -> None:
    assert tuple(sorted({version for _, version, _ in conversations()})) == tuple(
        version for version in servedversions.VERSIONS if version not in profile.PREVIEWS
    )


def test_only_cells_of_tables_have_ages() -> None:
    body = {"rows": [{"cells": ["a", 3, "<invalid>", "5s"]}], "spec": {"schedule": "5s"}}
    raw = exchanges.Raw(200, {}, json.dumps(body))

    (answer,) = exchanges.run([{"method": "GET", "path": "/"}], lambda _: raw)

    assert answer["body"] == {"rows": [{"cells": ["a", 3, "AGE", "AGE"]}], "spec": {"schedule": "5s"}}


def test_all_fields_of_recorded_answers_are_compared() -> None:
    """A recording without a field cannot show that our server answers it otherwise."""
    assert not [name for name, _, recorded in conversations() if '"leaveOut"' in recorded]


def test_random_answers_are_counted() -> None:
    """A server names a random one of several unknown fields."""
    assert sum(recorded.count('"varies":true') for _, _, recorded in conversations()) == 5


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
    crds = recorded.get("crds") or servergen.crds()
    server = _server(json.dumps(crds), version).fork()
    return exchanges.run(recorded["requests"], serverside.sender_of(server))


@functools.lru_cache(maxsize=2)
def _server(crds: str, version: str) -> Api:
    """Return a server of CRDs. Conversations change forks of it."""
    return serverside.server(json.loads(crds), version, [exchanges.NAMESPACE])


@pytest.fixture(autouse=True)
def _one_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of our server: whether an equal apply is a change can depend on the second in which it comes."""
    now = generatedvalues.now()
    monkeypatch.setattr(generatedvalues, "now", lambda: now)


@pytest.mark.replay
@pytest.mark.parametrize("file", FILES)
def test_answers_equal_those_of_kube_apiserver(file: str, request: pytest.FixtureRequest) -> None:
    recordings = (
        (version, Conversation(name), {**json.loads(recorded), "alike": [version] if name in _repeated() else []})
        for name, version, recorded in conversations(file)
    )

    wholefiles.check(recordings, _compare, request, "conversations with crd_server")


def _compare(_: Conversation, version: str, recorded: Any) -> tuple[int, str]:
    for number, (ours, theirs) in enumerate(zip(replay(version, recorded), recorded["answers"], strict=True)):
        if ours != theirs:
            return number, f"{ours}\n  recorded: {theirs}"
    return 0, ""
