"""Transports to a webhook, HTTP or a function of the project, and their errors."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from pytest_crd.engine.inputerror import InputError, Mistake


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
    """
    A call without an HTTP response; the message is from Go's HTTP client, without method and URL.

    Attributes:
        cause: The error of Python, for messages in other words; None if there is none.
    """

    def __init__(self, message: str, cause: Exception | None = None) -> None:
        """Create from a message and its cause."""
        super().__init__(message)
        self.cause = cause


class UnreachableWebhookError(TransportError):
    """A call of a server that accepts no connection: nothing listens, or its certificate is wrong."""


class BodyTransportError(TransportError):
    """A response with a broken body; the message is client-go's, to which callers add no method and URL."""


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


class WebhookError(InputError):
    """
    Failure of the project to answer a review: a command that does not start, or a function that raises.

    It is no answer of an API server, so no `failurePolicy` applies to it.
    """

    @classmethod
    def at(cls, source: str, message: str) -> WebhookError:
        """Return the error about the place *source*: a setting with its file and line, or a function."""
        return cls([Mistake(source, 0, message)])
