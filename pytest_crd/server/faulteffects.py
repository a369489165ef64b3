"""Effects of faults on requests: delays, refusals in the words of a server, cut connections, and disturbed watches."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from random import Random
from typing import Final

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry import requestoptions
from pytest_crd.server import encoding
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.wording import counted

CODES: Final = (409, 429, 500, 503, 504)
WRITES: Final = ("update", "patch")
_MODIFIED: Final = "the object has been modified; please apply your changes to the latest version and try again"
_UNAVAILABLE: Final = "the server is currently unable to handle the request"
_TOO_MANY: Final = "Too many requests, please try again later.\n"
_LONGEST_DELAY: Final = 0.1
_OVERTAKER: Final = "pytest-crd-fault"


@dataclass(frozen=True, slots=True)
class FaultEffect:
    """
    The effect of faults on one request.

    Attributes:
        text: The description for reports; empty without a fault.
        delay: The seconds before the request is answered.
        code: The HTTP code of a refusal; 0 if the request is answered.
        retry_after: The seconds of the header Retry-After; None for the server's own.
        message: The message of a refusal; empty for the server's own.
        is_cut: Whether the connection ends in the middle of the response.
        overtaking: The merge patch that another client sends before; None without one.
        ends_after: The number of events after which a watch ends; None if it does not.
        is_expired: Whether a watch ends with 410.
        lag: The seconds by which the events of a watch are late.
    """

    text: str = ""
    delay: float = 0.0
    code: int = 0
    retry_after: int | None = None
    message: str = ""
    is_cut: bool = False
    overtaking: JSONObject | None = None
    ends_after: int | None = None
    is_expired: bool = False
    lag: float = 0.0

    def __or__(self, other: FaultEffect) -> FaultEffect:
        """Return the effect of two faults on the same request; *other* has precedence."""
        if other is NO_EFFECT:
            return self
        changes = {
            field.name: value
            for field in dataclasses.fields(FaultEffect)
            if (value := getattr(other, field.name)) != field.default
        }
        return dataclasses.replace(self, **changes | {"text": ", ".join(filter(None, (self.text, other.text)))})


NO_EFFECT: Final = FaultEffect()


def refuse(request: HTTPRequest, effect: FaultEffect) -> HTTPAnswer:
    """
    Return the response of a refusing effect.

    Reference:
        apiserver server/filters/timeout.go and priority-and-fairness.go; apimachinery api/errors/errors.go.
    """
    if effect.code == 429:
        answer = encoding.page(429, f"{effect.message}\n" if effect.message else _TOO_MANY)
        delay = 1 if effect.retry_after is None else effect.retry_after
        return dataclasses.replace(answer, headers=(*answer.headers, ("Retry-After", str(delay))))
    error = _error(request.info, effect)
    if effect.message:
        error.status["message"] = effect.message
    if effect.retry_after is not None:
        error.status["details"] = {**(error.status.get("details") or {}), "retryAfterSeconds": effect.retry_after}
        error.headers = (("Retry-After", str(effect.retry_after)),)
    return encoding.failed(request, error)


def overtaking_request(request: HTTPRequest, changes: JSONObject) -> HTTPRequest:
    """Return the patch of another client to the object of a request, sent with the same credentials."""
    path = request.target.partition("?")[0]
    if request.info is not None and request.info.subresource:
        path = path.rpartition("/")[0]
    headers = {**request.headers, "user-agent": _OVERTAKER, "content-type": requestoptions.MERGE_PATCH}
    return HTTPRequest("PATCH", path, headers, json.dumps(changes).encode())


def _error(info: RequestInfo | None, effect: FaultEffect) -> statuses.ApiError:
    assert info is not None  # noqa: S101 - only requests for resources meet faults
    if effect.code == 409:
        resource = f"{info.resource}.{info.group}" if info.group else info.resource
        subject = {"name": info.name, "group": info.group, "kind": info.resource}
        return statuses.of_refusal(refusal.conflict(resource, info.name, _MODIFIED), subject)
    if effect.code == 503:
        return statuses.failure(503, "ServiceUnavailable", _UNAVAILABLE)
    if effect.code == 504:
        return statuses.timed_out()
    return statuses.internal_error("etcdserver: request timed out")


def random_effects(random: Random, info: RequestInfo) -> list[FaultEffect]:
    """Return the possible effects on a request."""
    effects = [FaultEffect(f"status {code}", code=code) for code in CODES if code != 409 or info.verb in WRITES]
    if info.verb == "watch":
        events = random.randint(0, 3)
        lag = round(random.uniform(0, _LONGEST_DELAY), 3)
        return [
            *effects,
            FaultEffect(f"end of a watch after {counted(events, 'event')}", ends_after=events),
            FaultEffect("expired watch", is_expired=True),
            FaultEffect(f"lag of {lag:g} s", lag=lag),
        ]
    delay = round(random.uniform(0, _LONGEST_DELAY), 3)
    return [*effects, FaultEffect(f"delay of {delay:g} s", delay=delay), FaultEffect("cut connection", is_cut=True)]
