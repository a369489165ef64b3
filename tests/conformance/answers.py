"""
The short form of recorded answers in files: without facts that follow from the rest of the answer or from the request.

`restore` adds exactly the facts that `shorten` omits; facts that cannot be restored stay.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

Answer = Mapping[str, JSONValue]

AS_SENT: Final = "as sent"
# The conditions of an accepted CRD without name conflicts.
CONDITIONS: Final = [
    {
        "type": "Established",
        "status": "True",
        "reason": "InitialNamesAccepted",
        "message": "the initial names have been accepted",
    },
    {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found"},
]
_ORDER: Final = (
    *("code", "reason", "message", "causes", "stored", "warnings", "unordered", "spec", "conditions", "alternatives"),
)
_REASONS: Final = {400: "BadRequest", 404: "NotFound", 409: "Conflict", 422: "Invalid"}
# The reasons of causes by the beginning of their messages.
_CAUSE_REASONS: Final = {
    "Duplicate value": "FieldValueDuplicate",
    "Forbidden": "FieldValueForbidden",
    "Invalid value": "FieldValueInvalid",
    "Required value": "FieldValueRequired",
    "Too long": "FieldValueTooLong",
    "Too many": "FieldValueTooMany",
    "Unsupported value": "FieldValueNotSupported",
}
# Messages about a wrong type or format have the same beginning as other messages.
_TYPE_ERROR: Final = " in body must be of type "
# The implied facts of an accepted CRD.
_ACCEPTED_CRD: Final[Answer] = {"spec": AS_SENT, "conditions": CONDITIONS}


def shorten(answer: Answer, *, name: str, sent: JSONValue = None, is_of_crd: bool = False) -> dict[str, JSONValue]:
    """
    Return an answer without implied facts.

    Args:
        answer: The whole answer.
        name: The object's name in error messages: `Case.example.com "a"`.
        sent: The sent object, in the form of the stored one.
        is_of_crd: Whether the request was about a CRD.
    """
    if "alternatives" in answer:
        each = [shorten(part, name=name, sent=sent, is_of_crd=is_of_crd) for part in answer["alternatives"]]
        return _ordered({**answer, "alternatives": each})
    short = dict(answer)
    for key, value in _implied(answer, name, sent, is_of_crd=is_of_crd).items():
        if key not in answer:
            short[key] = None  # implied, but absent
        elif _equal(answer[key], value):
            short.pop(key)
    if sent is not None and "stored" in short and _equal(short["stored"], sent):
        short["stored"] = AS_SENT
    if "causes" in short:
        short["causes"] = [_short_cause(cause) for cause in answer["causes"]]
    return _ordered(short)


def restore(short: Answer, *, name: str, sent: JSONValue = None, is_of_crd: bool = False) -> dict[str, JSONValue]:
    """Return the whole answer for a short one, given the same arguments as `shorten`."""
    if "alternatives" in short:
        each = [restore(part, name=name, sent=sent, is_of_crd=is_of_crd) for part in short["alternatives"]]
        return _ordered({**short, "alternatives": each})
    answer = dict(short)
    if "causes" in short:
        answer["causes"] = [_whole_cause(cause) for cause in short["causes"]]
    if short.get("stored") == AS_SENT:
        answer["stored"] = sent
    implied = _implied(answer, name, sent, is_of_crd=is_of_crd)
    answer = {**implied, **answer}
    return _ordered({key: value for key, value in answer.items() if value is not None or key not in implied})


def _implied(answer: Answer, name: str, sent: JSONValue, *, is_of_crd: bool) -> dict[str, JSONValue]:
    """Return the facts that follow from the code and the causes of an answer, unless it contradicts them."""
    code = answer["code"]
    implied: dict[str, JSONValue] = dict(_ACCEPTED_CRD) if is_of_crd and code < 300 else {}
    if code in _REASONS:
        implied["reason"] = _REASONS[code]
    if answer.get("causes"):
        implied["message"] = _message(name, answer["causes"])
    return implied


def _message(name: str, causes: Sequence[Mapping[str, str]]) -> str:
    """Return the error message for *causes*, without duplicates."""
    listed = list(dict.fromkeys(f"{cause['field']}: {cause['message']}" for cause in causes))
    return f"{name} is invalid: {listed[0] if len(listed) == 1 else '[' + ', '.join(listed) + ']'}"


def _short_cause(cause: Mapping[str, str]) -> JSONValue:
    text = f"{cause['field']}: {cause['message']}"
    return text if _whole_cause(text) == cause else cause


def _whole_cause(cause: JSONValue) -> dict[str, str]:
    if not isinstance(cause, str):
        return dict(cause)
    field, _, message = cause.partition(": ")
    reason = _CAUSE_REASONS.get(message.partition(":")[0], "")
    if reason == "FieldValueInvalid" and _TYPE_ERROR in message:
        reason = "FieldValueTypeInvalid"
    return {"reason": reason, "field": field, "message": message}


def _ordered(answer: Answer) -> dict[str, JSONValue]:
    return {key: answer[key] for key in sorted(answer, key=_ORDER.index)}


def _equal(left: JSONValue, right: JSONValue) -> bool:
    """Return True if two values are equal, including their JSON types."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
