"""Decoded bodies of special requests."""

from __future__ import annotations

from typing import Any, Final

from pytest_crd.engine.golang import decoding, printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.server import bodies, writes
from pytest_crd.server.builtin import builtindefaults, builtingotypes
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.resourcetypes import ResourceType

_OPTIONS: Final = "CreateOptions"


def decode(request: HTTPRequest, type_: ResourceType, subresource: str = "") -> dict[str, Any]:
    """
    Return the object in the body of a create, with its defaults.

    Args:
        request: The request.
        type_: The resource of the URL.
        subresource: The subresource of the URL; empty for the resource itself.

    Raises:
        ApiError: The body is unreadable or of another kind, or an option is invalid.
    """
    media_type = negotiation.media_type_of(request) or negotiation.JSON
    bodies.demand_form(media_type, type_)
    if errors := writes.dry_run_problems(request.query.all("dryRun")):
        raise statuses.invalid_options(_OPTIONS, errors)
    api_version, kind = type_.kind_of(subresource)
    body = bodies.decode_write(request, "create", media_type, type_, subresource)
    struct = builtingotypes.of_kind(api_version, kind, type_.profile)
    try:
        decoded = decoding.decode(body.value, struct)
    except DecodeError as error:
        version = api_version.rpartition("/")[2]
        problem = f"{kind} in version {printing.quote(version)} cannot be handled as a {kind}: {error}"
        raise statuses.bad_request(problem) from None
    return builtindefaults.of_kind(api_version, kind, type_.profile).default({**struct.zero, **decoded.value})


def is_dry_run(request: HTTPRequest) -> bool:
    """Return True if a request asks for a dry run."""
    return request.query.has("dryRun")
