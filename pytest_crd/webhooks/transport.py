"""Transports to a webhook: HTTP, or a function of the project."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class WebhookReply(NamedTuple):
    """
    The HTTP response of a webhook.

    Attributes:
        status: The HTTP code.
        body: The body.
        content_type: The header Content-Type; empty without one.
    """

    status: int
    body: bytes
    content_type: str = "application/json"


class TransportError(Exception):
    """A webhook that gave no HTTP response; the message is that of Go's HTTP client, without method and URL."""


class BodyTransportError(TransportError):
    """A webhook whose response broke off in its body; the message is all of client-go's, to which no method and URL are added."""


class WebhookTransport(Protocol):
    """A way to a webhook."""

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:
        """
        Send a review and return the response.

        Args:
            url: The URL as the server spells it, from the `clientConfig`, with the query `timeout`.
            body: The review as JSON.
            timeout: The time limit in seconds.

        Raises:
            TransportError: There is no response.
        """
