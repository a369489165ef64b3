"""
Our server calls scripted webhooks as kube-apiserver did in recordings, and answers as it did.

Reviews for admission are equal, in their order. A review for conversion is one of those that the server sends in the
same request. The server sends some repeatedly: it keeps no converted objects, and our server does.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
import tiers

from conformance import webhookconversations, webhookreplay
from conformance.webhookconversations import Conversation
from pytest_crd.engine.cel.errors import UnsupportedExpressionError

pytestmark = pytest.mark.replay
TOPICS: Final = [path.stem for path in webhookconversations.topics() if path.stem != "configurations"]


@pytest.mark.parametrize(
    ("version", "conversation", "recorded"),
    [
        pytest.param(
            version,
            conversation,
            recorded,
            id=f"{conversation.topic}-{conversation.name}-{version}",
            marks=tiers.marks_of_recording(version, recorded),
        )
        for version, conversation, recorded in webhookconversations.recordings(TOPICS)
    ],
)
def test_answers_and_reviews_equal_those_of_kube_apiserver(
    version: str, conversation: Conversation, recorded: Any
) -> None:
    try:
        difference = webhookreplay.find_difference(webhookreplay.replay(conversation, version), recorded)
    except UnsupportedExpressionError as error:
        difference = str(error)

    assert bool(difference) is bool(conversation.differs), difference or f"no longer: {conversation.differs}"
