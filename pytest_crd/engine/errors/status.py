"""Status objects of failed requests."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.engine.jsonvalue import JSONValue


def failure(code: int, reason: str, message: str, details: Mapping[str, JSONValue] | None = None) -> JSONValue:
    """
    Return a Status.

    Args:
        code: The HTTP code.
        reason: The reason; empty for none.
        message: The message.
        details: The details, written even if empty; None for none.

    Reference:
        apimachinery pkg/api/errors/errors.go.
    """
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason or None,
        "details": None if details is None else dict(details),
        "code": code,
    }
    return {key: value for key, value in status.items() if value is not None}
