"""Webhook configurations of a project are refused with the words of kube-apiserver."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tiers

from conformance import webhookconversations, webhookreplay
from conformance.webhookconversations import Conversation
from pytest_crd.engine import profile
from pytest_crd.engine.yaml import manifest
from pytest_crd.webhooks import configurations
from pytest_crd.webhooks.configurations import WebhookConfigurationError

pytestmark = pytest.mark.replay


def _words_of_server(answer: Any) -> set[str]:
    if answer["code"] == 201:
        return set()
    causes = answer["body"].get("details", {}).get("causes", ())
    return {f"{cause['field']}: {cause['message']}" for cause in causes} or {answer["body"]["message"]}


def _words_of_engine(configuration: Any, version: str) -> set[str]:
    read = manifest.read(json.dumps(configuration).encode(), source="webhooks.yaml")
    try:
        configurations.read(read, profile.named(version))
    except WebhookConfigurationError as error:
        return {webhookreplay.mask(mistake.message) for mistake in error.mistakes}
    return set()


@pytest.mark.parametrize(
    ("version", "conversation", "recorded"),
    [
        pytest.param(
            version,
            conversation,
            recorded,
            id=f"{conversation.name}-{version}",
            marks=tiers.marks_of_recording(version, recorded),
        )
        for version, conversation, recorded in webhookconversations.recordings(["configurations"])
    ],
)
def test_configurations_are_refused_as_by_kube_apiserver(
    version: str, conversation: Conversation, recorded: Any
) -> None:
    requests = conversation.filled(webhookreplay.fill).requests
    ours = [_words_of_engine(request["body"], version) for request in requests]
    theirs = [*map(_words_of_server, recorded["answers"])]

    assert (ours != theirs) is bool(conversation.differs), (ours, theirs, conversation.differs)
