"""A request that is refused as a whole, before anything in it is validated."""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.jsonvalue import JSONValue


class Refusal(NamedTuple):
    """
    What the server answers to such a request.

    Attributes:
        code: The HTTP code.
        reason: The reason of the Status: `BadRequest`, `Conflict`, `Invalid` …; empty where it has none.
        message: The message of the Status, whole.
        errors: Its causes, where it has any.
        problem: The one cause of an internal error, which is about no field and has no reason.
        explanation: What the server found out and does not say; may be empty.
        subject: What the Status says it is about, where that is not what the URL names.
    """

    code: int
    reason: str
    message: str
    errors: tuple[FieldError, ...] = ()
    problem: str = ""
    explanation: str = ""
    subject: Mapping[str, str] | None = None


# What a client makes of the 404 for a URL behind which there is nothing.
NOT_SERVED: Final = Refusal(404, "NotFound", "the server could not find the requested resource")


def bad_request(message: str) -> Refusal:
    """Return the refusal of a request that makes no sense."""
    return Refusal(400, "BadRequest", message)


def internal_error(problem: str) -> Refusal:
    """Return the refusal of a request at which the server itself fails."""
    return Refusal(500, "InternalError", f"Internal error occurred: {problem}", problem=problem)


def too_large(value: JSONValue, text: str = "") -> Refusal | None:
    """
    Return why a body is refused for its size, or None.

    Args:
        value: What the body holds.
        text: The body itself, where it is known; else it is *value* as compact JSON.

    Reference:
        apiserver endpoints/handlers/rest.go, limitedReadBody; server/config.go, MaxRequestBodyBytes.
    """
    if not text and len(marshal.dumps(value, _WITHOUT_REFERENCES)) * _GREATEST_GROWTH <= MOST_BYTES:
        return None  # found out at C's speed
    body = text or json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(body.encode("utf-8", "surrogatepass")) <= MOST_BYTES:
        return None
    return Refusal(413, "RequestEntityTooLarge", f"Request entity too large: limit is {MOST_BYTES}")


# How long the body of a request may be.
MOST_BYTES: Final = 3 << 20
# A control character is one byte, and in JSON `\\u0000`.
_GREATEST_GROWTH: Final = 6
# Which marshal writes a text with that stands in many places, as often as JSON does.
_WITHOUT_REFERENCES: Final = 2


def already_exists(resource: str, name: str, *, is_ending: bool = False) -> Refusal:
    """Return the refusal of a create where there is an object of that name, perhaps to be deleted; *resource* is `plural.group`."""
    lead = "object is being deleted: " if is_ending else ""
    return Refusal(409, "AlreadyExists", f'{lead}{resource} "{name}" already exists')


def conflict(resource: str, name: str, problem: str) -> Refusal:
    """Return the refusal of an update that is not for the object as it is stored; *resource* is `plural.group`."""
    return Refusal(409, "Conflict", f'Operation cannot be fulfilled on {resource} "{name}": {problem}')
