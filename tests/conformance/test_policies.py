"""Our server evaluates admission policies as kube-apiserver did in recordings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import (
    policyconversations,
    policymanifests,
    policyreplay,
    policytables,
    wholefiles,
)
from conformance.policyconversations import Conversation

pytestmark = pytest.mark.replay
PAGE = Path(__file__).parents[2] / "docs/developing/upstream.md"
# Conversations that spend whole budgets of expressions, for tenths of a second or seconds. The quick tests replay one about validations and one about
# mutations that do so, too.
DEAREST = {
    "a message beyond the budget of validations",
    "an expensive JSON patch",
    "an expensive audit annotation",
    "an expensive match condition",
    "an expensive message",
    "an expensive validation, ignored",
    "an expensive variable",
    "the budget of all validations",
    "variables count for the budget",
}
TOPICS = [path.stem for path in policyconversations.topics()]


def _recordings(topics: Collection[str], *, dearest: bool) -> Iterator[tuple[str, Conversation, Any]]:
    for recording in policyconversations.recordings(topics):
        if (recording[1].name in DEAREST) is dearest:
            yield recording


def _replay(conversation: Conversation, version: str, recorded: Any) -> tuple[int, str]:
    return policyreplay.find_difference(policyreplay.replay(conversation, version), recorded)


@pytest.mark.parametrize("topic", TOPICS)
def test_answers_and_audit_annotations_equal_those_of_kube_apiserver(
    topic: str, request: pytest.FixtureRequest
) -> None:
    wholefiles.check(_recordings([topic], dearest=False), _replay, request, "conversations with policies")


@pytest.mark.long
def test_budgets_of_expressions_are_spent_as_by_kube_apiserver(request: pytest.FixtureRequest) -> None:
    recordings = [*_recordings(TOPICS, dearest=True)]

    assert {conversation.name for _, conversation, _ in recordings} == DEAREST
    wholefiles.check(recordings, _replay, request, "conversations with policies")


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


@pytest.mark.parametrize("call", policytables.CALLS)
def test_calls_in_tests_of_upstream_have_the_same_results(call: str, compared: Callable[[str, int], None]) -> None:
    facts = [fact for fact in policytables.read() if fact["call"] == call and not policytables.left_out(fact)]
    wrong = [
        f"{fact.get('file', fact.get('expression'))}: {difference}"
        for fact in facts
        if (difference := policytables.find_difference(fact))
    ]

    assert not wrong, "\n".join(wrong)
    compared("calls in upstream's tests of policies", len(facts))


def test_the_page_has_the_numbers_of_replayed_calls_and_of_the_reasons_for_others() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [
        f"| `{file}` | {facts} | {replayed} | {replayed} | {facts - replayed or ''} |".replace("|  |", "| |")
        for file, facts, replayed in policytables.counts()
    ]
    reasons = [f"- {number}: {reason}." for reason, number in policytables.reasons().items()]

    assert [row for row in (*rows, *reasons) if row not in page] == []
