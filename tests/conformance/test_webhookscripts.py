"""Scripted webhooks answer as their behaviours say, and recordings are complete."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from conformance import sharedparts, webhookconversations
from conformance.webhookscripts import Script, edit

REVIEW = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u"}}
OBJECTS = [{"apiVersion": "g/v1", "kind": "K", "metadata": {"name": name}, "size": 1} for name in "ab"]
CONVERSION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "ConversionReview",
    "request": {"uid": "u", "desiredAPIVersion": "g/v2", "objects": OBJECTS},
}


def response(behaviour: Any, review: Any) -> Any:
    """Return the decoded body of the response to a review."""
    return json.loads(Script({"hook": behaviour}).reply("hook", "", json.dumps(review).encode()).body)


def test_an_admission_webhook_allows_by_default() -> None:
    assert response({}, REVIEW) == {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {"uid": "u", "allowed": True},
    }


@pytest.mark.parametrize("behaviour", [{"patch": [{"op": "test"}]}, {"patchText": '[{"op": "test"}]'}])
def test_a_patch_is_in_base64(behaviour: Any) -> None:
    answered = response(behaviour, REVIEW)["response"]

    assert answered["patchType"] == "JSONPatch"
    assert base64.b64decode(answered["patch"]) == b'[{"op": "test"}]'


def test_a_conversion_edits_objects_by_version_and_name() -> None:
    behaviour = {"to": {"v2": [{"move": "/size", "to": "/length"}]}, "of": {"b": [{"set": "/length", "value": 5}]}}

    answered = response(behaviour, CONVERSION)["response"]

    assert [(item["apiVersion"], item["length"]) for item in answered["convertedObjects"]] == [("g/v2", 1), ("g/v2", 5)]
    assert answered["result"] == {"status": "Success"}


def test_behaviours_follow_each_other_and_the_last_one_repeats() -> None:
    script = Script({"hook": [{"status": 500}, {}]})

    statuses = [script.reply("hook", "q", json.dumps(REVIEW).encode()).status for _ in range(3)]

    assert statuses == [500, 200, 200]
    assert [(call.hook, call.query) for call in script.take()] == [("hook", "q")] * 3
    assert script.take() == []


@pytest.mark.parametrize(
    ("behaviour", "calls"), [({}, 0), ({"delay": 2.0}, 1), ({"cut": "before"}, 1), ({"cut": "inside"}, 1)]
)
def test_an_address_that_does_not_answer_is_not_called(behaviour: Any, calls: int) -> None:
    script = Script({"hook": {"error": "EOF", **behaviour}})

    assert script.reply("hook", "", json.dumps(REVIEW).encode()).error == "EOF"
    assert len(script.calls) == calls


def test_a_body_names_the_uid() -> None:
    assert Script({"hook": {"body": "<{uid}>"}}).reply("hook", "", json.dumps(REVIEW).encode()).body == b"<u>"


def test_unknown_keys_of_behaviours_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown keys of behaviours: \\['patches'\\]"):
        Script({"hook": {"patches": []}})


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"set": "/a/x", "value": 1}, {"a": {"b": 1, "x": 1}, "l": [1, 2]}),
        ({"set": "/l/0", "value": 5}, {"a": {"b": 1}, "l": [5, 2]}),
        ({"set": "/l/-", "value": 5}, {"a": {"b": 1}, "l": [1, 2, 5]}),
        ({"set": "/l/9", "value": 5}, {"a": {"b": 1}, "l": [1, 2]}),
        ({"set": "/l/9/x", "value": 5}, {"a": {"b": 1}, "l": [1, 2]}),
        ({"set": "/z/x", "value": 5}, {"a": {"b": 1}, "l": [1, 2]}),
        ({"set": "/a/b/c/d", "value": 5}, {"a": {"b": 1}, "l": [1, 2]}),
        ({"remove": "/a/b"}, {"a": {}, "l": [1, 2]}),
        ({"remove": "/a/z"}, {"a": {"b": 1}, "l": [1, 2]}),
        ({"remove": "/l/0"}, {"a": {"b": 1}, "l": [2]}),
        ({"remove": "/z/0"}, {"a": {"b": 1}, "l": [1, 2]}),
        ({"move": "/l/0", "to": "/a/c~1d"}, {"a": {"b": 1, "c/d": 1}, "l": [2]}),
        ({"move": "/a/z", "to": "/a/c"}, {"a": {"b": 1}, "l": [1, 2]}),
    ],
)
def test_edits_at_missing_places_change_nothing(step: Any, expected: Any) -> None:
    assert edit({"a": {"b": 1}, "l": [1, 2]}, [step]) == expected


def test_repeated_parts_are_written_once() -> None:
    part = {"text": "t" * 60, "list": [1, {"inner": "i" * 60}]}
    values = [{"a": part, "b": {"inner": "i" * 60}}, {"c": [part, "\u2028"]}]

    text = sharedparts.write(values)

    assert sharedparts.read(text) == values
    assert (text.count("t" * 60), text.count("i" * 60), len(text.rstrip("\n").split("\n"))) == (1, 1, 4)
    assert sharedparts.read(sharedparts.write([])) == []


@pytest.mark.parametrize("path", webhookconversations.topics(), ids=lambda path: path.stem)
def test_an_older_version_has_its_own_recording_or_an_equal_one(path: Any) -> None:
    newest = webhookconversations.recorded(webhookconversations.recording("1.37", path.stem))
    own = webhookconversations.recorded(webhookconversations.recording("1.34", path.stem))
    if path.stem in webhookconversations.NEWEST_ONLY:
        assert own == {}
        return

    assert {name for name, recorded in newest.items() if "1.34" not in recorded.get("alike", ())} == {*own}


def test_several_conversations_of_one_name_are_refused(tmp_path: Any) -> None:
    path = tmp_path / "topic.yaml"
    path.write_text("- {name: a, requests: []}\n- {name: a, requests: []}\n")

    with pytest.raises(ValueError, match=r"a name occurs twice: \['a', 'a'\]"):
        webhookconversations.read(path)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("requests: [], extra: 1", r"unknown \['extra'\]"),
        ("requests: [{get: , list: }]", "not a request"),
        ("requests: [{}]", "not a request"),
        ("requests: [{get: , extra: 1}]", "not a request"),
    ],
)
def test_unknown_keys_of_conversations_are_refused(tmp_path: Any, declared: str, message: str) -> None:
    path = tmp_path / "topic.yaml"
    path.write_text(f"- {{name: a, {declared}}}\n")

    with pytest.raises(ValueError, match=message):
        webhookconversations.read(path)
