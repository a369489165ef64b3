"""
Our server calls scripted webhooks as kube-apiserver did in recordings, and answers as it did.

Reviews for admission are equal, in their order. A review for conversion is one of those that the server sends in the
same request. The server sends some repeatedly: it keeps no converted objects, and our server does.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from conformance import webhookconversations, webhookreplay
from conformance.webhookconversations import Conversation
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.jsonvalue import JSONValue

pytestmark = pytest.mark.replay
TOPICS: Final = [path.stem for path in webhookconversations.topics() if path.stem != "configurations"]


def find_difference(ours: Any, recorded: Any) -> str:
    """Return the first difference between our answers and reviews and the recorded ones; empty if there is none."""
    pairs = zip(ours["answers"], recorded["answers"], ours["calls"], recorded["calls"], strict=True)
    for number, (answer, recorded_answer, calls, recorded_calls) in enumerate(pairs):
        if answer != recorded_answer:
            return f"answer {number}: {answer}\n  recorded: {recorded_answer}"
        if [*filter(_admits, calls)] != [*filter(_admits, recorded_calls)]:
            return f"reviews for admission {number}: {calls}\n  recorded: {recorded_calls}"
        if unexpected := [call for call in calls if call not in recorded_calls]:
            return f"reviews for conversion {number}: {unexpected}\n  recorded: {recorded_calls}"
    return ""


def _admits(call: JSONValue) -> bool:
    kind: str = call[2]["kind"]
    return kind == "AdmissionReview"


@pytest.mark.parametrize(
    ("version", "conversation", "recorded"),
    [
        pytest.param(*each, id=f"{each[1].topic}-{each[1].name}-{each[0]}")
        for each in webhookconversations.recordings(TOPICS)
    ],
)
def test_answers_and_reviews_equal_those_of_kube_apiserver(
    version: str, conversation: Conversation, recorded: Any
) -> None:
    try:
        difference = find_difference(webhookreplay.replay(conversation, version), recorded)
    except UnsupportedExpressionError as error:
        difference = str(error)

    assert bool(difference) is bool(conversation.differs), difference or f"no longer: {conversation.differs}"
