"""Status objects of errors outside the engine: about URLs, options and the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_crd.engine.errors import refusal, status
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import response

_NOT_CALLED = (
    "pytest-crd does not call this webhook, which has no URL on loopback and no endpoint in crd_webhooks: "
    "only the version in which objects are stored can be asked for"
)


class ApiError(Exception):
    """
    A failed request.

    Attributes:
        status: The Status of the response.
        headers: The headers of the response.
        warnings: The warnings of the response.
    """

    def __init__(
        self, status: JSONValue, headers: tuple[tuple[str, str], ...] = (), warnings: Sequence[str] = ()
    ) -> None:
        """Create from a Status; its `retryAfterSeconds` is a header too."""
        super().__init__(status["message"])
        self.status = status
        delay = (status.get("details") or {}).get("retryAfterSeconds")
        self.headers = headers or ((("Retry-After", str(delay)),) if delay else ())
        self.warnings = warnings


class NotFoundPageError(Exception):
    """An unknown URL; the response is a text, and a Status below `/api`."""


class PageError(Exception):
    """
    A request with a plain-text response.

    Attributes:
        code: The HTTP code.
    """

    def __init__(self, code: int, text: str) -> None:
        """Create with the *text* of the response."""
        super().__init__(text)
        self.code = code


def of_refusal(refusal_: Refusal, subject: Mapping[str, str] | None = None) -> ApiError:
    """Return the error of a refused request; *subject* has the `name`, `group` and `kind` of its object."""
    return ApiError(response.refused(refusal_, subject=subject or {}).status)


def failure(code: int, reason: str, message: str, details: Mapping[str, Any] | None = None) -> ApiError:
    """Return an error with a Status; *details* is kept even if empty."""
    return ApiError(status.failure(code, reason, message, details))


def bad_request(message: str) -> ApiError:
    """Return the error for a bad request."""
    return failure(400, "BadRequest", message)


def not_found(resource: str, name: str) -> ApiError:
    """Return the error for a missing object; *resource* is `plural.group`."""
    plural, _, group = resource.partition(".")
    details = {key: value for key, value in (("name", name), ("group", group), ("kind", plural)) if value}
    return failure(404, "NotFound", f"{resource} {printing.quote(name)} not found", details)


def conflict(kind: str, group: str, name: str, problem: str) -> ApiError:
    """Return the error for a failed precondition."""
    qualified = f"{kind}.{group}" if group else kind
    return of_refusal(refusal.conflict(qualified, name, problem), {"name": name, "group": group, "kind": kind})


def forbidden(resource: str, name: str, problem: str, causes: Sequence[Mapping[str, str]] = ()) -> ApiError:
    """Return the error for a forbidden request; *resource* is `plural.group`."""
    plural, _, group = resource.partition(".")
    fields = (("name", name), ("group", group), ("kind", plural), ("causes", [*causes]))
    details = {key: value for key, value in fields if value}
    subject = f'{resource} "{name}"' if name else resource
    return failure(403, "Forbidden", f"{subject} is forbidden: {problem}", details)


def invalid_options(kind: str, errors: Sequence[FieldError]) -> ApiError:
    """Return the error for invalid options of a *kind* such as `ListOptions`."""
    return of_refusal(refusal.invalid_options(kind, errors))


def no_such_path() -> ApiError:
    """Return the error for an unknown path of a built-in kind."""
    return failure(404, "NotFound", "the server could not find the requested resource", {})


def no_such_method() -> ApiError:
    """Return the error for an unsupported method on a path of a built-in kind."""
    message = "the server does not allow this method on the requested resource"
    return failure(405, "MethodNotAllowed", message, {})


def method_not_allowed(verb: str, resource: str) -> ApiError:
    """Return the error for an unsupported verb; *resource* is `plural.group`."""
    plural, _, group = resource.partition(".")
    details = {key: value for key, value in (("group", group), ("kind", plural)) if value}
    return failure(405, "MethodNotAllowed", f'{verb} is not supported on resources of kind "{resource}"', details)


def unsupported_media_type(accepted: Sequence[str]) -> ApiError:
    """Return the error for an unsupported media type of a body."""
    accepted_list = ", ".join(accepted)
    message = f"the body of the request was in an unknown format - accepted media types include: {accepted_list}"
    return failure(415, "UnsupportedMediaType", message)


def wrong_shape(shape: str, problem: str) -> ApiError:
    """Return the error for an object without the requested *shape*, such as a list requested as a single object."""
    return failure(406, "NotAcceptable", f"you requested {shape}, but the requested object {problem}")


def too_large() -> ApiError:
    """Return the error for a body above the size limit."""
    return of_refusal(refusal.TOO_LARGE)


def timed_out() -> ApiError:
    """Return the error for a request that takes too long."""
    return failure(504, "Timeout", "Timeout: request did not complete within the allotted timeout", {})


def internal_error(problem: str) -> ApiError:
    """Return the error for a *problem* of the server."""
    return failure(500, "InternalError", f"Internal error occurred: {problem}", {"causes": [{"message": problem}]})


def unwritable(problem: str) -> ApiError:
    """Return the error for a response without a protobuf form, such as an object nested too deep."""
    message = f"Internal error occurred: the object cannot be written in protobuf: {problem}"
    return failure(500, "InternalError", message, {"causes": [{"message": problem}]})


def webhook_problem(api_version: str, kind: str) -> str:
    """Return the message about a conversion that needs a webhook, from *api_version*."""
    return f"conversion webhook for {api_version}, Kind={kind} failed: {_NOT_CALLED}"


def success(resource: str, name: str, uid: str) -> JSONValue:
    """Return the Status of a successful deletion; *resource* is `plural.group`."""
    plural, _, group = resource.partition(".")
    details = {"name": name, "group": group, "kind": plural, "uid": uid}
    present = {key: value for key, value in details.items() if value}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": present}
