"""Transport of tests: recorded reviews and prepared replies."""

from __future__ import annotations

import json
from collections.abc import Callable

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.webhooks.transport import TransportError, WebhookReply

# A reply: a value, a text or bytes of a successful response; a whole response; a failure; or a function of the sent review.
Reply = JSONValue | bytes | WebhookReply | TransportError | Callable[[JSONValue], JSONValue]


class FakeTransport:
    """
    Transport with one reply to all reviews.

    Attributes:
        urls: The called URLs.
        bodies: The sent bodies.
        timeouts: The time limits.
    """

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.urls: list[str] = []
        self.bodies: list[bytes] = []
        self.timeouts: list[float] = []

    @property
    def reviews(self) -> list[JSONValue]:
        """The sent reviews."""
        return [json.loads(body) for body in self.bodies]

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:
        self.urls.append(url)
        self.bodies.append(body)
        self.timeouts.append(timeout)
        reply = self._reply(json.loads(body)) if callable(self._reply) else self._reply
        if isinstance(reply, TransportError):
            raise reply
        if isinstance(reply, WebhookReply):
            return reply
        if isinstance(reply, bytes):
            return WebhookReply(200, reply)
        return WebhookReply(200, reply.encode() if isinstance(reply, str) else json.dumps(reply).encode())
