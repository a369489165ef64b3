"""
Whole answers in the form in which they are recorded: what the engine says, beside what a server said.

Where a server answers at random, the recorded answer says so, and any of its ways is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine import jsonvalue
from pytest_crd.live import answerfacts, nondeterminism

JSONValue = Any
Answer = Mapping[str, JSONValue]

# Made by the server, different every time.
SERVER_MADE: Final = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")
CONDITION: Final = ("type", "status", "reason", "message")


def of_response(response: Any) -> dict[str, JSONValue]:
    """
    Return an engine's Response as an answer, without what is stored.

    Raises:
        AssertionError: The Response contradicts itself.
    """
    answer: dict[str, JSONValue] = {"code": response.code}
    assert response.accepted is (response.code in (200, 201)) is (response.status is None)
    if not response.accepted:
        status = response.status
        assert response.stored is None
        assert (status["code"], status["message"]) == (response.code, response.message)
        answer |= {key: status[key] for key in ("reason", "message") if key in status}
        answer["message"] = nondeterminism.SCHEME.sub("", answer["message"])
        assert response.errors
        fields = [error for error in response.errors if error.type != "Request"]
        if not fields:
            assert [str(error) for error in response.errors] == [response.message]
        causes = [_cause(cause) for cause in status.get("details", {}).get("causes", ())]
        of_fields = [cause for cause in causes if cause["reason"]]
        assert of_fields == [{"reason": e.type.reason, "field": e.field, "message": e.message} for e in fields]
        if causes:
            answer["causes"] = causes
    if response.warnings:
        answer["warnings"] = list(response.warnings)
    return answer


def without_made(answer: Answer) -> dict[str, JSONValue]:
    """Return an answer whose texts quote a patched object without what a server made of it."""
    whole = dict(answer)
    if "message" in whole:
        whole["message"] = nondeterminism.of_patched(whole["message"])
    if "causes" in whole:
        whole["causes"] = [
            {**cause, "message": nondeterminism.of_patched(cause["message"])} for cause in whole["causes"]
        ]
    return whole


def of_custom_resource(response: Any, *, namespaced: bool) -> dict[str, JSONValue]:
    """Return the Response to a request for a custom resource as an answer; *namespaced* keeps the namespace."""
    answer = of_response(response)
    if response.accepted:
        answer["stored"] = without_server_made(response.stored, namespaced=namespaced)
    return answer


def of_scale(response: Any) -> dict[str, JSONValue]:
    """Return the Response to a request for a scale as an answer."""
    answer = of_response(response)
    if response.accepted:
        answer["stored"] = without_server_made(response.scale, namespaced=False)
    return answer


def of_crd(response: Any, sent: JSONValue, conditions: Iterable[Any]) -> dict[str, JSONValue]:
    """Return the Response to a request for a CRD as an answer; *conditions* are those that it has then."""
    answer = of_response(response)
    if response.accepted:
        spec = response.stored["spec"]
        answer["spec"] = "as sent" if jsonvalue.equal(spec, jsonvalue.from_python(sent["spec"])) else spec
        listed = [{key: getattr(one, key) for key in CONDITION} for one in conditions]
        answer["conditions"] = sorted(listed, key=lambda condition: str(condition["type"]))
    return answer


def without_server_made(stored: JSONValue, *, namespaced: bool) -> JSONValue:
    """Return a stored resource without the metadata that a server makes, and without a namespace unless *namespaced*."""
    made = SERVER_MADE if namespaced else (*SERVER_MADE, "namespace")
    return stored | {"metadata": {key: value for key, value in stored["metadata"].items() if key not in made}}


def differences(found: Answer, recorded: Answer) -> list[str]:
    """
    Return what differs between the answer of an engine and a recorded one, a line each; none where they agree.

    Args:
        found: The engine's answer.
        recorded: The server's: with `unordered` parts, these are sorted; with `alternatives`, any of them may be found.
    """
    each = [list(_differences(found, one)) for one in recorded.get("alternatives", [recorded])]
    return min(each, key=len)


def _differences(found: Answer, recorded: Answer) -> Iterator[str]:
    unordered = recorded.get("unordered", ())
    left, right = answerfacts.in_order(dict(found), unordered), answerfacts.in_order(dict(recorded), unordered)
    for key in sorted((left.keys() | right.keys()) - {"unordered"}):
        ours, theirs = left.get(key), right.get(key)
        if isinstance(ours, list) and isinstance(theirs, list):
            yield from _of_lists(key, ours, theirs)
        elif not jsonvalue.equal(jsonvalue.from_python(ours), jsonvalue.from_python(theirs)):
            yield f"{key}\n  recorded: {_shown(theirs)}\n  engine:   {_shown(ours)}"


def _of_lists(key: str, ours: Sequence[JSONValue], theirs: Sequence[JSONValue]) -> Iterator[str]:
    missing, extra = ([one for one in some if one not in other] for some, other in ((theirs, ours), (ours, theirs)))
    yield from (f"{key}: missing {_shown(one)}" for one in missing)
    yield from (f"{key}: not asked for {_shown(one)}" for one in extra)
    if not missing and not extra and list(ours) != list(theirs):
        yield f"{key}: another order or number\n  recorded: {_shown(theirs)}\n  engine:   {_shown(ours)}"


def _cause(cause: Mapping[str, str]) -> dict[str, str]:
    return {key: cause.get(key, "") for key in ("reason", "field", "message")}


def _shown(value: JSONValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
