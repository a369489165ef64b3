"""
Our server calls scripted webhooks as kube-apiserver did in recordings, and answers as it did.

Reviews for admission are equal, in their order. A review for conversion is one of those that the server sends in the
same request. The server sends some repeatedly: it keeps no converted objects, and our server does.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from conformance import webhookconversations, webhookreplay, wholefiles
from conformance.webhookconversations import Conversation
from pytest_crd.engine.cel.errors import UnsupportedExpressionError

pytestmark = pytest.mark.replay
TOPICS: Final = [path.stem for path in webhookconversations.topics() if path.stem != "configurations"]


@pytest.mark.parametrize("topic", TOPICS)
def test_answers_and_reviews_equal_those_of_kube_apiserver(topic: str, request: pytest.FixtureRequest) -> None:
    wholefiles.check(webhookconversations.recordings([topic]), _replay, request, "conversations with webhooks")


def _replay(conversation: Conversation, version: str, recorded: Any) -> tuple[int, str]:
    try:
        return webhookreplay.find_difference(webhookreplay.replay(conversation, version), recorded)
    except UnsupportedExpressionError as error:
        return 0, str(error)
