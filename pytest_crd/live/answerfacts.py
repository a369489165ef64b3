"""The facts of an answer, in one form for the engine's and a server's: code, reason, message, causes, warnings, what is stored."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from pytest_crd.engine import Response, jsonvalue
from pytest_crd.engine.apply import managers
from pytest_crd.engine.metadata.requestmetadata import SERVER_MADE
from pytest_crd.live import nondeterminism
from pytest_crd.live.client import ServerAnswer

JSONValue = Any
Facts = dict[str, JSONValue]

_OF_CAUSE: Final = ("reason", "field", "message")


def stated(answer: ServerAnswer, sent: JSONValue = None) -> Facts:
    """Return the facts of a server's answer to what was *sent*: the Status of a refusal, or what was stored."""
    found: Facts = {"code": answer.code}
    if answer.code < 300:
        found["stored"] = _without_server_made(answer.body, sent)
    elif isinstance(answer.body, dict):
        found |= _of_status(nondeterminism.without(answer.body, sent))
    else:
        found["message"] = answer.body
    if answer.warnings:
        found["warnings"] = list(answer.warnings)
    return found


def of_engine(response: Response, sent: JSONValue) -> Facts:
    """Return the facts of the engine's answer to what was *sent*."""
    found: Facts = {"code": response.code}
    if response.accepted:
        answered = response.stored if response.scale is None else response.scale
        found["stored"] = _without_server_made(answered, sent)
    else:
        found |= _of_status(nondeterminism.without(response.status, sent))
    if response.warnings:
        found["warnings"] = list(response.warnings)
    return found


def with_owners(answer: ServerAnswer, sent: JSONValue = None) -> Facts:
    """Return the facts of a server's answer to what was applied, with who owns which fields."""
    found = stated(answer, sent)
    if answer.code < 300:
        entries = answer.body["metadata"].get("managedFields") or []
        found["owners"] = {
            name: list(map(str, paths)) for name, paths in managers.paths(managers.read(entries)).items()
        }
    return found


def of_engine_with_owners(response: Response, sent: JSONValue) -> Facts:
    """Return the facts of the engine's answer to what was applied, with who owns which fields."""
    owners = {name: list(map(str, paths)) for name, paths in response.managers.items()}
    return of_engine(response, sent) | ({"owners": owners} if response.accepted else {})


def of_crd(response: Response) -> Facts:
    """Return the facts of the engine's answer to a POST of a CRD: of what is stored, its spec."""
    return of_engine(response, None) | ({"stored": {"spec": response.stored["spec"]}} if response.accepted else {})


def stated_of_crd(answer: ServerAnswer, sent: JSONValue = None) -> Facts:
    """Return the facts of a server's answer to a POST of a CRD: of what is stored, its spec."""
    return stated(answer, sent) | ({"stored": {"spec": answer.body["spec"]}} if answer.code < 300 else {})


def _of_status(status: JSONValue) -> Facts:
    found = {key: status[key] for key in ("reason", "message") if key in status}
    if causes := status.get("details", {}).get("causes"):
        found["causes"] = [{key: cause.get(key, "") for key in _OF_CAUSE} for cause in causes]
    return found


def _without_server_made(stored: JSONValue, sent: JSONValue) -> JSONValue:
    asked = sent.get("metadata") if isinstance(sent, dict) else None
    has_namespace = isinstance(asked, dict) and "namespace" in asked
    made = SERVER_MADE | (frozenset() if has_namespace else {"namespace"})
    if nondeterminism.is_generated(stored["metadata"].get("name", ""), sent):
        made |= {"name"}
    return without_server_made(stored, made)


def without_server_made(stored: Mapping[str, JSONValue], made: Collection[str] = SERVER_MADE) -> dict[str, JSONValue]:
    """Return a stored object without the metadata that a server makes."""
    return {**stored, "metadata": {key: value for key, value in stored["metadata"].items() if key not in made}}


def in_order(answer: Facts, parts: Iterable[str]) -> Facts:
    """Return *answer* with the lists named *parts* sorted, and with its message in the order of its causes."""
    ordered = {**answer, **{part: sorted(answer[part], key=_key) for part in parts if part in answer}}
    if "causes" in parts and "causes" in answer:
        # The message lists the causes in their order: it is put together anew, if it is what we think it is.
        before, after = (_listed(some["causes"]) for some in (answer, ordered))
        ordered["message"] = answer["message"].replace(before, after)
    return ordered


def are_equal(ours: Facts, theirs: Facts) -> bool:
    """Return whether two answers say the same."""
    return jsonvalue.equal(jsonvalue.from_python(ours), jsonvalue.from_python(theirs))


def _listed(causes: Iterable[Mapping[str, str]]) -> str:
    return ", ".join(dict.fromkeys(f"{cause['field']}: {cause['message']}" for cause in causes))


def _key(value: JSONValue) -> str:
    return json.dumps(value, sort_keys=True)
