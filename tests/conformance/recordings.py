"""
Whole answers in the form in which they are recorded: the engine's, for comparison with a server's.

If a server answers at random, the recorded answer says so, and each of its variants is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import answerfacts

Answer = Mapping[str, JSONValue]

# Fields that the server sets, different in each run.
SERVER_MADE: Final = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")
CONDITION: Final = ("type", "status", "reason", "message")
# Quoted once in a decoding error, and twice in a validation error.
_SERVER_MADE: Final = (
    (answerfacts.SCHEME, ""),
    (re.compile(r'(\\?"(?:creationTimestamp|lastTransitionTime)\\?":\\?")[0-9TZ:-]+'), r"\1*"),
    (re.compile(r'(\\?"resourceVersion\\?":\\?")[0-9]+'), r"\1*"),
    (re.compile(r'(\\?"uid\\?":\\?")[0-9a-f-]{36}'), r"\1*"),
)
_MANAGED_FIELDS: Final = (
    (re.compile(r'\\?"managedFields\\?":\['), re.compile(r'\}\],(?=\\?"name\\?":)')),
    (re.compile(r',\\?"managedFields\\?":\['), re.compile(r'\}\](?=\},\\?"spec)')),
)


def of_response(response: Any) -> dict[str, JSONValue]:
    """
    Return an engine's Response as an answer, without the stored object.

    Raises:
        AssertionError: The Response is inconsistent.
    """
    answer: dict[str, JSONValue] = {"code": response.code}
    assert response.accepted is (response.code in (200, 201)) is (response.status is None)
    if not response.accepted:
        status = response.status
        assert response.stored_if_accepted is None
        assert (status["code"], status["message"]) == (response.code, response.message)
        answer |= {key: status[key] for key in ("reason", "message") if key in status}
        answer["message"] = answerfacts.SCHEME.sub("", answer["message"])
        assert response.errors
        fields = [error for error in response.errors if error.type != "Request"]
        if not fields:
            assert [str(error) for error in response.errors] == [response.message]
        causes = [_cause(cause) for cause in status.get("details", {}).get("causes", ())]
        field_causes = [cause for cause in causes if cause["reason"]]
        assert field_causes == [{"reason": e.type.reason, "field": e.field, "message": e.message} for e in fields]
        if causes:
            answer["causes"] = causes
    if response.warnings:
        answer["warnings"] = list(response.warnings)
    return answer


def without_generated(answer: Answer) -> dict[str, JSONValue]:
    """Return an answer without generated values in texts that quote a patched object."""
    whole = dict(answer)
    if "message" in whole:
        whole["message"] = mask_patched(whole["message"])
    if "causes" in whole:
        whole["causes"] = [{**cause, "message": mask_patched(cause["message"])} for cause in whole["causes"]]
    return whole


def mask_patched(text: str) -> str:
    """Return a *text* that quotes a patched object, with placeholders for the metadata that a server sets."""
    for pattern, replacement in _SERVER_MADE:
        text = pattern.sub(replacement, text)
    for opening, closing in _MANAGED_FIELDS:
        text = _remove(text, opening, closing)
    return text


def _remove(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """Return a text without its parts from *opening* to the next *closing*."""
    parts, done = list[str](), 0
    while (begin := opening.search(text, done)) and (end := closing.search(text, begin.end())):
        parts.append(text[done : begin.start()])
        done = end.end()
    return "".join([*parts, text[done:]])


def of_custom_resource(response: Any, *, namespaced: bool) -> dict[str, JSONValue]:
    """Return the Response to a request for a custom resource as an answer; *namespaced* keeps the namespace."""
    answer = of_response(response)
    if response.accepted:
        answer["stored"] = without_server_made(response.stored, namespaced=namespaced)
    return answer


def of_scale(response: Any) -> dict[str, JSONValue]:
    """Return the Response to a request for a Scale as an answer."""
    answer = of_response(response)
    if response.accepted:
        answer["stored"] = without_server_made(response.scale, namespaced=False)
    return answer


def of_crd(response: Any, sent: JSONValue, conditions: Iterable[Any]) -> dict[str, JSONValue]:
    """Return the Response to a request for a CRD as an answer with *conditions*."""
    answer = of_response(response)
    if response.accepted:
        spec = response.stored["spec"]
        answer["spec"] = "as sent" if jsonvalue.equal(spec, jsonvalue.from_python(sent["spec"])) else spec
        listed = [{key: getattr(condition, key) for key in CONDITION} for condition in conditions]
        answer["conditions"] = sorted(listed, key=lambda condition: str(condition["type"]))
    return answer


def without_server_made(stored: JSONValue, *, namespaced: bool) -> JSONValue:
    """Return a stored resource without metadata that the server sets, and without namespace unless *namespaced*."""
    dropped = SERVER_MADE if namespaced else (*SERVER_MADE, "namespace")
    return stored | {"metadata": {key: value for key, value in stored["metadata"].items() if key not in dropped}}


def differences(actual: Answer, recorded: Answer) -> list[str]:
    """
    Return the differences between an answer of the engine and a recorded one, a text each; empty if they agree.

    Args:
        actual: The engine's answer.
        recorded: The server's answer. Its `unordered` parts are sorted; with `alternatives` the closest one counts.
    """
    each = [list(_differences(actual, alternative)) for alternative in recorded.get("alternatives", [recorded])]
    return min(each, key=len)


def _differences(actual: Answer, recorded: Answer) -> Iterator[str]:
    unordered = recorded.get("unordered", ())
    left, right = answerfacts.in_order(dict(actual), unordered), answerfacts.in_order(dict(recorded), unordered)
    for key in sorted((left.keys() | right.keys()) - {"unordered"}):
        ours, theirs = left.get(key), right.get(key)
        if isinstance(ours, list) and isinstance(theirs, list):
            yield from _of_lists(key, ours, theirs)
        elif not jsonvalue.equal(jsonvalue.from_python(ours), jsonvalue.from_python(theirs)):
            yield f"{key}\n  recorded: {_format(theirs)}\n  engine:   {_format(ours)}"


def _of_lists(key: str, ours: Sequence[JSONValue], theirs: Sequence[JSONValue]) -> Iterator[str]:
    missing, extra = ([item for item in left if item not in right] for left, right in ((theirs, ours), (ours, theirs)))
    yield from (f"{key}: missing {_format(item)}" for item in missing)
    yield from (f"{key}: unexpected {_format(item)}" for item in extra)
    if not missing and not extra and list(ours) != list(theirs):
        yield f"{key}: different order or number\n  recorded: {_format(theirs)}\n  engine:   {_format(ours)}"


def _cause(cause: Mapping[str, str]) -> dict[str, str]:
    return {key: cause.get(key, "") for key in ("reason", "field", "message")}


def _format(value: JSONValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
