"""Replies of webhooks."""

from __future__ import annotations

from pytest_crd.webhooks.transport import WebhookReply


def test_a_reply_is_json_unless_it_says_otherwise() -> None:
    assert WebhookReply(200, b"{}").content_type == "application/json"
