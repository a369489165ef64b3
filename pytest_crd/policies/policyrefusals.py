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

_CODES: Final = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413}
_FAILED: Final = 403
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
    return _refusal(request, _CODES.get(reason, 422), reason, message, causes)._replace(denials=tuple(denials))


def refuse_failures(request: AdmissionRequest, failures: Sequence[tuple[Denial, str]]) -> Refusal:
    """
    Return the refusal of a request for which mutating policies fail.

    Args:
        request: The request.
        failures: The policies that fail, with the server's messages.

    Reference:
        apiserver admission/plugin/policy/generic/policy_dispatcher.go, Dispatch.
    """
    (first, message), *_ = failures
    refused = _refusal(request, _FAILED, first.reason, message, [text for _, text in failures])
    return refused._replace(denials=tuple(denial for denial, _ in failures))


def _refusal(request: AdmissionRequest, code: int, reason: str, message: str, causes: Sequence[str]) -> Refusal:
    subject = {"name": _name(request), "group": request.group, "kind": request.resource}
    details: dict[str, JSONValue] = {key: value for key, value in subject.items() if value}
    details["causes"] = [{"message": cause} for cause in causes]
    return Refusal(code, reason, message, status=failure(code, reason, message, details))


def _name(request: AdmissionRequest) -> str:
    """Return the name of the object, or the beginning of a name that is not generated yet."""
    if request.name:
        return request.name
    metadata = (request.object or {}).get("metadata") or {}
    return metadata.get("name") or metadata.get("generateName") or _NAMELESS
