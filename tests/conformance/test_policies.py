"""Our server evaluates admission policies as kube-apiserver did in recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tiers

from conformance import policyconversations, policymanifests, policyreplay, policytables, webhookconversations
from conformance.policyconversations import Conversation

pytestmark = pytest.mark.replay
PAGE = Path(__file__).parents[2] / "docs/developing/upstream.md"
# The conversation that takes seconds: it spends the whole budget of rules.
DEAREST = "the budget of all validations"


@pytest.mark.parametrize(
    ("version", "conversation", "recorded"),
    [
        pytest.param(
            version,
            conversation,
            recorded,
            id=f"{conversation.topic}-{conversation.name}-{version}",
            marks=(pytest.mark.long,) if conversation.name == DEAREST else tiers.marks_of_recording(version, recorded),
        )
        for version, conversation, recorded in policyconversations.recordings()
    ],
)
def test_answers_and_audit_annotations_equal_those_of_kube_apiserver(
    version: str, conversation: Conversation, recorded: Any
) -> None:
    _, difference = policyreplay.find_difference(policyreplay.replay(conversation, version), recorded)

    assert bool(difference) is bool(conversation.differs), difference or f"no longer: {conversation.differs}"


@pytest.mark.parametrize("path", policyconversations.topics(), ids=lambda path: path.stem)
def test_each_conversation_is_recorded_with_an_answer_to_each_request(path: Any) -> None:
    declared = {each.name: len(each.requests) for each in policyconversations.read(path)}
    newest = webhookconversations.recorded(policyconversations.recording("1.37", path.stem))

    assert {name: len(recorded["answers"]) for name, recorded in newest.items()} == declared


def test_recordings_of_1_34_are_equal_or_their_own() -> None:
    assert {version for version, _, _ in policyconversations.recordings()} == {"1.37", "1.34"}


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("- {name: a, requests: [], extra: 1}", r"unknown \['extra'\]"),
        ("- {name: a, requests: [{policy: {}, name: b}]}", "not a request"),
        ("- {name: a, requests: []}\n- {name: a, requests: []}", "a name occurs twice"),
    ],
)
def test_malformed_conversations_are_refused(tmp_path: Any, declared: str, message: str) -> None:
    path = tmp_path / "topic.yaml"
    path.write_text(declared)

    with pytest.raises(ValueError, match=message):
        policyconversations.read(path)


def test_objects_of_unknown_kinds_have_no_path() -> None:
    with pytest.raises(ValueError, match="no path for Widget"):
        policymanifests.collection({"apiVersion": "v1", "kind": "Widget", "metadata": {}})


def _name(fact: Any) -> str:
    return f"{fact['call']}-{fact.get('file', fact.get('expression'))}"[:60]


@pytest.mark.parametrize("fact", [fact for fact in policytables.read() if not policytables.left_out(fact)], ids=_name)
def test_calls_in_tests_of_upstream_have_the_same_results(fact: Any) -> None:
    assert policytables.find_difference(fact) == ""


def test_the_page_has_the_numbers_of_replayed_calls_and_of_the_reasons_for_others() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [
        f"| `{file}` | {facts} | {replayed} | {replayed} | {facts - replayed or ''} |".replace("|  |", "| |")
        for file, facts, replayed in policytables.counts()
    ]
    reasons = [f"- {number}: {reason}." for reason, number in policytables.reasons().items()]

    assert [row for row in (*rows, *reasons) if row not in page] == []
