"""Webhook configurations of a project are refused with the words of kube-apiserver."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance import webhookconversations, webhookreplay, wholefiles
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


def test_configurations_are_refused_as_by_kube_apiserver(request: pytest.FixtureRequest) -> None:
    recordings = webhookconversations.recordings(["configurations"])

    wholefiles.check(recordings, _replay, request, "conversations about webhook configurations")


def _replay(conversation: Conversation, version: str, recorded: Any) -> tuple[int, str]:
    requests = conversation.filled(webhookreplay.fill).requests
    for number, (request, answer) in enumerate(zip(requests, recorded["answers"], strict=True)):
        ours, theirs = _words_of_engine(request["body"], version), _words_of_server(answer)
        if ours != theirs:
            return number, f"{ours}\n  recorded: {theirs}"
    return 0, ""
