"""Refusals of whole requests, before validation."""

from __future__ import annotations

import json
import marshal
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple


class Denial(NamedTuple):
    """
    The refusal of a request by an admission webhook or policy.

    Attributes:
        by: The name of the webhook or policy.
        message: Its own message; empty without one.
        reason: The reason of the Status.
        own_texts: For a policy that could not decide, its expressions, messages and reasons, which tell nothing of the failure; None for
            a decision.
    """

    by: str
    message: str
    reason: str
    own_texts: tuple[str, ...] | None = None


class Refusal(NamedTuple):
    """
    The server's answer to a refused request.

    Attributes:
        code: The HTTP code.
        reason: The reason of the Status: `BadRequest`, `Conflict`, `Invalid` …; empty if it has none.
        message: The whole message of the Status.
        errors: Its causes, if it has any.
        problem: The single cause of an internal error, without field and reason.
        explanation: Additional facts that the server does not print; may be empty.
        subject: The object that the Status names, if it is not the object of the URL.
        denials: The webhooks and policies that refuse the request.
        status: The whole Status, if a webhook wrote it.
        retry_after: The seconds after which the client may try again; 0 if the Status has none.
    """

    code: int
    reason: str
    message: str
    errors: tuple[FieldError, ...] = ()
    problem: str = ""
    explanation: str = ""
    subject: Mapping[str, str] | None = None
    denials: tuple[Denial, ...] = ()
    status: JSONValue = None
    retry_after: int = 0


_META_GROUP: Final = "meta.k8s.io"
# A client's message about the 404 of a URL that the server does not serve.
NOT_SERVED: Final = Refusal(404, "NotFound", "the server could not find the requested resource")


def bad_request(message: str) -> Refusal:
    """Return the refusal of a malformed request."""
    return Refusal(400, "BadRequest", message)


def internal_error(problem: str) -> Refusal:
    """Return the refusal of a request that fails inside the server."""
    return Refusal(500, "InternalError", f"Internal error occurred: {problem}", problem=problem)


def invalid_options(kind: str, errors: Sequence[FieldError]) -> Refusal:
    """Return the refusal of a request with invalid options of a *kind* such as `ListOptions`."""
    message = f'{kind}.{_META_GROUP} "" is invalid: {fielderror.aggregate(errors)}'
    return Refusal(422, "Invalid", message, tuple(errors), subject={"group": _META_GROUP, "kind": kind})


def too_large(value: JSONValue, text: str = "") -> Refusal | None:
    """
    Return the refusal of a body above the size limit; None if it is small enough.

    Args:
        value: The decoded body.
        text: The body itself, if it is known; else the size is that of *value* as compact JSON.

    Reference:
        apiserver endpoints/handlers/rest.go, limitedReadBody; server/config.go, MaxRequestBodyBytes.
    """
    if not text and len(marshal.dumps(value, _WITHOUT_REFERENCES)) * _GREATEST_GROWTH <= MOST_BYTES:
        return None  # an upper bound, computed at C speed
    body = text or json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(body.encode("utf-8", "surrogatepass")) <= MOST_BYTES:
        return None
    return TOO_LARGE


# The limit of request bodies.
MOST_BYTES: Final = 3 << 20
TOO_LARGE: Final = Refusal(413, "RequestEntityTooLarge", f"Request entity too large: limit is {MOST_BYTES}")
# A control character is one byte in marshal, and six in JSON: `\\u0000`.
_GREATEST_GROWTH: Final = 6
# This version of marshal repeats a text that occurs in several places, as JSON does.
_WITHOUT_REFERENCES: Final = 2


def already_exists(resource: str, name: str, *, is_ending: bool = False, has_prefix: bool = False) -> Refusal:
    """
    Return the refusal of a create with a taken name.

    Args:
        resource: `plural.group`.
        name: The name.
        is_ending: Whether the stored object is being deleted.
        has_prefix: Whether the new object has a `generateName`.

    Reference:
        apiserver registry/rest/create.go, CheckGeneratedNameError.
    """
    lead = "object is being deleted: " if is_ending else ""
    end = ", the server was not able to generate a unique name for the object" if has_prefix else ""
    message = f"{lead}{resource} {printing.quote(name)} already exists{end}"
    return Refusal(409, "AlreadyExists", message, retry_after=int(has_prefix))


def conflict(resource: str, name: str, problem: str) -> Refusal:
    """Return the refusal of an update with wrong preconditions for the stored object; *resource* is `plural.group`."""
    message = f"Operation cannot be fulfilled on {resource} {printing.quote(name)}: {problem}"
    return Refusal(409, "Conflict", message)
