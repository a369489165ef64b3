"""Transport to a webhook that is a Python function of the project."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.webhooks.transport import WebhookError, WebhookReply

Review: TypeAlias = dict[str, Any]
WebhookFunction: TypeAlias = Callable[[Review], Mapping[str, Any]]

_OK: Final = 200
_WHOLE: Final = frozenset({"apiVersion", "kind", "response"})
_SHAPE: Final = 'return a review, or its response alone: {"allowed": True}, or {"result": {"status": "Success"}, "convertedObjects": […]}'


class FunctionTransport:
    """
    Transport that calls a function with each review.

    The function returns a whole review, or its `response` alone, which then gets the `uid` of the request. It has no time limit.
    """

    def __init__(self, function: WebhookFunction, *, source: str) -> None:
        """
        Create the transport.

        Args:
            function: The function.
            source: The place of the function for errors: `conftest.py[conversion]`.
        """
        self._function = function
        self._source = source

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:  # noqa: ARG002 - the protocol's arguments
        """
        Call the function and return its review as a response.

        Args:
            url: Not used.
            body: The review.
            timeout: Not used.

        Raises:
            WebhookError: The function raises (the message has its traceback), or returns something else than a review.
        """
        returned = self._call(json.loads(body))
        if not isinstance(returned, Mapping):
            raise WebhookError.at(self._source, f"the function returns {_describe(returned)}; {_SHAPE}")
        if not _WHOLE & returned.keys():
            review = json.loads(body)  # the function may have changed its own
            response = {"uid": review["request"]["uid"], **returned}
            returned = {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}
        try:
            content = json.dumps(returned, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise WebhookError.at(self._source, f"the function returns a review that is no JSON: {error}") from None
        return WebhookReply(_OK, content)

    def close(self) -> None:
        """Do nothing: a function has no connection."""

    def _call(self, review: Review) -> object:
        try:
            return self._function(review)
        except KeyboardInterrupt:
            raise
        # Skips and exits of pytest are no subclasses of Exception, and must not go unnoticed.
        except BaseException as error:  # noqa: BLE001 - shown as a mistake
            frames = error.__traceback__.tb_next if error.__traceback__ else None
            text = "".join(traceback.format_exception(error.with_traceback(frames))).rstrip()
            raise WebhookError.at(self._source, f"the function fails:\n{text}") from None


def _describe(value: object) -> str:
    if hasattr(value, "__await__"):
        return "a coroutine, which nothing runs: return asyncio.run(…) of it"
    return "None" if value is None else f"an object of the type {type(value).__name__}"
