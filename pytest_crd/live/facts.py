"""The facts of an answer, in one form for the engine's and a server's: code, reason, message, causes, warnings, what is stored."""

from __future__ import annotations

from typing import Any, Final

from pytest_crd.engine import Response
from pytest_crd.engine.metadata.requestmetadata import SERVER_MADE
from pytest_crd.live import chance
from pytest_crd.live.client import Answer

JSONValue = Any
Facts = dict[str, JSONValue]

_OF_CAUSE: Final = ("reason", "field", "message")


def stated(answer: Answer, sent: JSONValue = None) -> Facts:
    """Return the facts of a server's answer to what was *sent*: the Status of a refusal, or what was stored."""
    found: Facts = {"code": answer.code}
    if answer.code < 300:
        found["stored"] = _without_server_made(answer.body, sent)
    elif isinstance(answer.body, dict):
        found |= _of_status(chance.without(answer.body, sent))
    else:
        found["message"] = answer.body
    if answer.warnings:
        found["warnings"] = list(answer.warnings)
    return found


def of_engine(response: Response, sent: JSONValue) -> Facts:
    """Return the facts of the engine's answer to what was *sent*."""
    found: Facts = {"code": response.code}
    if response.accepted:
        found["stored"] = _without_server_made(response.stored, sent)
    else:
        found |= _of_status(response.status)
    if response.warnings:
        found["warnings"] = list(response.warnings)
    return found


def _of_status(status: JSONValue) -> Facts:
    found = {key: status[key] for key in ("reason", "message") if key in status}
    if causes := status.get("details", {}).get("causes"):
        found["causes"] = [{key: cause.get(key, "") for key in _OF_CAUSE} for cause in causes]
    return found


def _without_server_made(stored: JSONValue, sent: JSONValue) -> JSONValue:
    asked = sent.get("metadata") if isinstance(sent, dict) else None
    has_namespace = isinstance(asked, dict) and "namespace" in asked
    made = SERVER_MADE | (frozenset() if has_namespace else {"namespace"})
    if chance.is_generated(stored["metadata"].get("name", ""), sent):
        made |= {"name"}
    return stored | {"metadata": {key: value for key, value in stored["metadata"].items() if key not in made}}
