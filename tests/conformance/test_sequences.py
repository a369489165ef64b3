"""Files with sequences of requests, and their recorded answers. `test_conversations` compares the engine with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance import sequences

FILES = [sequences.read(path) for path in sequences.paths()]
NAMES = [file.path.stem for file in FILES]
VERSIONS = ("1.37", "1.36", "1.35", "1.32", "1.21")
SCHEMA = "schema: {type: object}\n"


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_each_request_has_an_answer_of_each_version(file: sequences.SequenceFile) -> None:
    for version in VERSIONS:
        answers = file.answers(version)
        for name, requests in file.cases.items():
            assert len(answers[name]) == len(requests), (version, name)


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_answers_have_known_keys(file: sequences.SequenceFile) -> None:
    keys = {"code", "object", "status", "text", "warnings", "changed", "stored"}
    for answers in file.answers("1.37").values():
        for answer in answers:
            assert answer.keys() <= keys
            assert "resourceVersion" not in answer.get("object", {}).get("metadata", {})


def test_recorded_answers_are_in_canonical_form() -> None:
    for file in FILES:
        answers = {version: file.answers(version) for version in VERSIONS}

        assert file.lines(answers) == file.recorded.read_text(encoding="utf-8")


def test_sequences_use_every_verb() -> None:
    assert sum(len(file.cases) for file in FILES) > 120
    verbs = {sequences.verb_of(request) for file in FILES for requests in file.cases.values() for request in requests}
    assert verbs == {*sequences.VERBS}


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ("[{name: x, requests: []}, {name: x, requests: []}]", "two cases have one name"),
        ("[{name: x, requests: [{manager: a}]}]", "x: {'manager': 'a'}"),
        ("[{name: x, requests: [{get: null, on: scale}]}]", "x: {'get'"),
    ],
)
def test_invalid_files_are_refused(tmp_path: Path, cases: str, message: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"{SCHEMA}cases: {cases}\n")

    with pytest.raises(sequences.SequenceFileError, match=message):
        sequences.read(path)


CRD = sequences.crd_of({"schema": {}}, "a.example.com")
FIRST: Any = {"metadata": {"uid": "u", "resourceVersion": "1"}, "kind": "Case", "spec": {"a": 1}}
LAST: Any = {"metadata": {"uid": "u", "resourceVersion": "2", "labels": {"x": "y"}}, "kind": "Case", "spec": {"a": 1}}


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (
            {"create": {"spec": 1}},
            {"apiVersion": "a.example.com/v1", "kind": "Case", "metadata": {"name": "case"}, "spec": 1},
        ),
        ({"apply": {"spec": 1}, "raw": True}, {"spec": 1}),
        ({"apply": "text"}, "text"),
        (
            {"apply": {"metadata": None}, "version": "v2"},
            {"apiVersion": "a.example.com/v2", "kind": "Case", "metadata": None},
        ),
        ({"merge": {"metadata": {"uid": "<uid>"}}}, {"metadata": {"uid": "u"}}),
        ({"merge": {"a": "<resourceVersion>", "b": "<oldResourceVersion>"}}, {"a": "2", "b": "1"}),
        (
            {"updateOnto": {"spec": 2, "metadata": {"labels": {}}}},
            {**LAST, "apiVersion": "a.example.com/v1", "spec": 2, "metadata": {**LAST["metadata"], "labels": {}}},
        ),
        ({"delete": None}, None),
    ],
)
def test_bodies_are_completed(request_: Any, body: Any) -> None:
    assert sequences.body_of(CRD, request_, LAST, FIRST) == body


def test_bodies_are_completed_without_an_object() -> None:
    assert sequences.body_of(CRD, {"merge": {"a": "<uid>"}}, None) == {"a": "<uid>"}
    assert sequences.body_of(CRD, {"updateOnto": {"spec": 1}}, None)["spec"] == 1


def test_parameters_become_a_query() -> None:
    parameters = {"manager": "a", "force": False, "dryRun": True, "fieldValidation": "Strict", "query": {"x": "y"}}

    assert sequences.query_of({"apply": {}, **parameters}) == {
        "fieldManager": "a",
        "force": "false",
        "dryRun": "All",
        "fieldValidation": "Strict",
        "x": "y",
    }
    assert sequences.query_of({"apply": {}}) == {}


def test_values_that_differ_between_runs_are_replaced() -> None:
    text = '["of-1", "u-2", "u-1", "2026-01-01T00:00:05Z", "2020-01-01T00:00:00Z", "at 2026-01-01T00:00:05Z", "{\\"resourceVersion\\":\\"7\\"}, error found in #1"]'

    normalized = sequences.normalize(
        text, namespace="of-1", uids=["u-1", "u-2"], step=lambda time: 3 if time.startswith("2026") else None
    )

    assert json.loads(normalized) == [
        "default",
        "uid1",
        "uid0",
        "t3",
        "2020-01-01T00:00:00Z",
        "at t3",
        '{"resourceVersion":"rv"}, error found in …',
    ]


def _refused(message: str, *causes: str) -> sequences.Answer:
    listed = [{"field": cause, "message": cause.upper()} for cause in causes]
    return {"code": 422, "status": {"message": message, **({"details": {"causes": listed}} if causes else {})}}


def test_unordered_parts_are_sorted() -> None:
    first, second = _refused("invalid: [b: B, a: A]", "b", "a"), _refused("invalid: [a: A, b: B]", "a", "b")

    assert first != second
    assert sequences.in_order(first) == sequences.in_order(second) == second
    lines = _refused("failed: errors:\n  b\n  a"), _refused("failed: errors:\n  a\n  b")
    assert sequences.in_order(lines[0]) == lines[1]
    assert sequences.in_order({"code": 200}) == {"code": 200}
