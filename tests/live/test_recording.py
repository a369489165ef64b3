"""Disagreements as text, and answers as facts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from pytest_crd.live import answerfacts, run
from pytest_crd.live.client import ServerAnswer
from pytest_crd.live.stages import DisagreementError

TEMPLATE = Path(__file__).parents[2] / ".github" / "ISSUE_TEMPLATE" / "another-answer.md"
CAUSES = [
    {"reason": "FieldValueInvalid", "field": "spec.b", "message": "Invalid value: 2"},
    {"reason": "FieldValueInvalid", "field": "spec.a", "message": "Invalid value: 1"},
]


def test_a_recording_has_the_parts_that_our_issue_template_asks_for() -> None:
    names = {"description": {"type": "string", "description": "what it is"}}
    crd = {"spec": {"description": "gone", "versions": [{"name": "v1", "schema": {"properties": names}}]}}
    request = {"CRD": crd, "old": {"a": 1}, "request": {"method": "PUT", "body": "a: 1\n"}}
    error = DisagreementError(request, {"code": 201}, {"code": 422, "message": "é"})

    text = run.write_recording(error, "1.37 (v1.37.2)", "1.37")

    headings = re.compile(r"^\*\*[^*]+\*\*", re.MULTILINE)
    assert headings.findall(text) == headings.findall(TEMPLATE.read_text(encoding="utf-8"))
    assert "answers for: 1.37 (v1.37.2), 1.37\n" in text
    assert "      properties:\n        description:\n          type: string\n```" in text
    pasted = text.split("```yaml\n")[2].split("```")[0]
    assert yaml.safe_load(pasted) == {"old": {"a": 1}, "request": {"method": "PUT", "body": "a: 1\n"}}
    assert "server answers**:\n\n```\ncode: 422\nmessage: é\n```" in text
    assert text.endswith("pytest-crd answers**:\n\n```\ncode: 201\n```")


def test_differences_are_shown_part_by_part() -> None:
    ours = {"code": 201, "stored": {"a": 1}, "warnings": ["w"]}
    theirs = {"code": 201, "stored": {"a": 1.5}, "message": "no"}

    assert list(run.find_differences(ours, theirs)) == [
        "stored:",
        "  server:     {a: 1.5}",
        "  pytest-crd: {a: 1}",
        "warnings:",
        "  server:     nothing",
        "  pytest-crd: [w]",
        "message:",
        "  server:     no",
        "  pytest-crd: nothing",
    ]
    assert list(run.find_differences({"code": 1}, {"code": 2}))[1] == "  server:     2"


def test_facts_of_an_answer_leave_out_server_metadata() -> None:
    body: dict[str, Any] = {"metadata": {"name": "a", "namespace": "n", "uid": "u"}, "spec": {}}
    status = {"message": "no", "reason": "Invalid", "details": {"causes": [{"message": "m"}]}, "code": 422}

    assert answerfacts.of_server(ServerAnswer(201, body, ("w",)), {"metadata": {}}) == {
        "code": 201,
        "stored": {"metadata": {"name": "a"}, "spec": {}},
        "warnings": ["w"],
    }
    assert answerfacts.of_server(ServerAnswer(200, body, ()), {"metadata": {"namespace": "n"}})["stored"][
        "metadata"
    ] == {
        "name": "a",
        "namespace": "n",
    }
    assert answerfacts.of_server(ServerAnswer(422, status, ())) == {
        "code": 422,
        "message": "no",
        "reason": "Invalid",
        "causes": [{"reason": "", "field": "", "message": "m"}],
    }
    assert answerfacts.of_server(ServerAnswer(404, "404 page not found", ())) == {
        "code": 404,
        "message": "404 page not found",
    }


def test_a_generated_name_is_not_compared() -> None:
    sent = {"metadata": {"generateName": "a-"}}
    body = {"metadata": {"name": "a-bcd5f", "generateName": "a-"}}
    status = {"message": 'Thing "a-bcd5f" is invalid', "details": {"name": "a-bcd5f"}}

    assert answerfacts.of_server(ServerAnswer(201, body, ()), sent)["stored"]["metadata"] == {"generateName": "a-"}
    assert answerfacts.of_server(ServerAnswer(422, status, ()), sent)["message"] == 'Thing "a-xxxxx" is invalid'
    assert not answerfacts.is_generated("a-bcd5f", {"metadata": {"name": "a-bcd5f"}})


def test_causes_are_put_in_order_with_their_message() -> None:
    answer = {"code": 422, "causes": CAUSES, "message": "spec.b: Invalid value: 2, spec.a: Invalid value: 1"}

    ordered = answerfacts.in_order(answer, ("causes", "warnings"))

    assert ordered["causes"] == CAUSES[::-1]
    assert ordered["message"] == "spec.a: Invalid value: 1, spec.b: Invalid value: 2"
    assert answerfacts.in_order({"warnings": ["b", "a"]}, ("causes", "warnings")) == {"warnings": ["a", "b"]}
    assert answerfacts.in_order(answer, ()) == answer
