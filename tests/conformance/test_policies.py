"""Our server evaluates admission policies as kube-apiserver did in recordings."""

from __future__ import annotations

from typing import Any

import pytest

from conformance import policyconversations, policyreplay
from conformance.policyconversations import Conversation

pytestmark = pytest.mark.replay


@pytest.mark.parametrize(
    ("version", "conversation", "recorded"),
    [pytest.param(*each, id=f"{each[1].topic}-{each[1].name}-{each[0]}") for each in policyconversations.recordings()],
)
def test_answers_and_audit_annotations_equal_those_of_kube_apiserver(
    version: str, conversation: Conversation, recorded: Any
) -> None:
    _, difference = policyreplay.find_difference(policyreplay.replay(conversation, version), recorded)

    assert bool(difference) is bool(conversation.differs), difference or f"no longer: {conversation.differs}"
