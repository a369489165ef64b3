"""
Refusals of requests by admission policies.

Reference:
    apiserver admission/errors.go, NewForbidden; admission/plugin/policy/validating/policy_decision.go, reasonToCode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.errors.refusal import Denial, Refusal
from pytest_crd.engine.errors.status import failure
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.admission import AdmissionRequest

INVALID: Final = "Invalid"
"""The reason of a refusal whose validation names none."""
_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_NAMELESS: Final = "Unknown"


def forbidden(request: AdmissionRequest, problem: str) -> str:
    """Return the message about a forbidden request."""
    resource = f"{request.resource}.{request.group}" if request.group else request.resource
    return f"{resource} {printing.quote(_name(request))} is forbidden: {problem}"


def refuse(
    request: AdmissionRequest, reason: str, message: str, causes: Sequence[str], denials: Sequence[Denial]
) -> Refusal:
    """
    Return a refusal with the code of its reason.

    Args:
        request: The request.
        reason: The reason.
        message: The message.
        causes: The messages of the causes.
        denials: The policies that deny the request.
    """
    subject = {"name": _name(request), "group": request.group, "kind": request.resource}
    details: dict[str, JSONValue] = {key: value for key, value in subject.items() if value}
    details["causes"] = [{"message": cause} for cause in causes]
    code = _CODES.get(reason, 422)
    status = failure(code, reason, message, details)
    return Refusal(code, reason, message, denials=tuple(denials), status=status)


def _name(request: AdmissionRequest) -> str:
    """Return the name of the object, or the beginning of a name that is not generated yet."""
    if request.name:
        return request.name
    metadata = (request.object or {}).get("metadata") or {}
    return metadata.get("name") or metadata.get("generateName") or _NAMELESS
