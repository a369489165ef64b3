"""
The short form of a recorded answer, which is what a file holds: without what follows from the rest of it, or from what was sent.

`whole` puts back exactly what `shortened` leaves out; what cannot be put back stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

JSONValue = Any
Answer = Mapping[str, JSONValue]

AS_SENT: Final = "as sent"
# Of a CRD that is accepted, and whose names nobody else has.
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
# By what the message of a cause begins with.
_CAUSE_REASONS: Final = {
    "Duplicate value": "FieldValueDuplicate",
    "Forbidden": "FieldValueForbidden",
    "Invalid value": "FieldValueInvalid",
    "Required value": "FieldValueRequired",
    "Too long": "FieldValueTooLong",
    "Too many": "FieldValueTooMany",
    "Unsupported value": "FieldValueNotSupported",
}
# The message of a value of another type, or format, begins as those of others do.
_OF_TYPE: Final = " in body must be of type "
# What follows from a CRD that was accepted.
_OF_CRD: Final[Answer] = {"spec": AS_SENT, "conditions": CONDITIONS}


def shortened(answer: Answer, *, name: str, sent: JSONValue = None, is_of_crd: bool = False) -> dict[str, JSONValue]:
    """
    Return an answer without what follows.

    Args:
        answer: The whole answer.
        name: How a refusal calls what was sent: `Case.example.com "a"`.
        sent: What was sent, in the form of what is stored.
        is_of_crd: Whether it was a CRD.
    """
    if "alternatives" in answer:
        each = [shortened(one, name=name, sent=sent, is_of_crd=is_of_crd) for one in answer["alternatives"]]
        return _ordered({**answer, "alternatives": each})
    short = dict(answer)
    for key, value in _following(answer, name, sent, is_of_crd=is_of_crd).items():
        if key not in answer:
            short[key] = None  # it would follow, and is not there
        elif _equal(answer[key], value):
            short.pop(key)
    if sent is not None and "stored" in short and _equal(short["stored"], sent):
        short["stored"] = AS_SENT
    if "causes" in short:
        short["causes"] = [_short_cause(cause) for cause in answer["causes"]]
    return _ordered(short)


def whole(short: Answer, *, name: str, sent: JSONValue = None, is_of_crd: bool = False) -> dict[str, JSONValue]:
    """Return the whole answer for a short one; the arguments are those of `shortened`."""
    if "alternatives" in short:
        each = [whole(one, name=name, sent=sent, is_of_crd=is_of_crd) for one in short["alternatives"]]
        return _ordered({**short, "alternatives": each})
    answer = dict(short)
    if "causes" in short:
        answer["causes"] = [_whole_cause(cause) for cause in short["causes"]]
    if short.get("stored") == AS_SENT:
        answer["stored"] = sent
    following = _following(answer, name, sent, is_of_crd=is_of_crd)
    answer = {**following, **answer}
    return _ordered({key: value for key, value in answer.items() if value is not None or key not in following})


def _following(answer: Answer, name: str, sent: JSONValue, *, is_of_crd: bool) -> dict[str, JSONValue]:
    """Return what an answer has, as far as it follows from its code and its causes, unless it says otherwise."""
    code = answer["code"]
    following: dict[str, JSONValue] = dict(_OF_CRD) if is_of_crd and code < 300 else {}
    if code in _REASONS:
        following["reason"] = _REASONS[code]
    if answer.get("causes"):
        following["message"] = _message(name, answer["causes"])
    return following


def _message(name: str, causes: Sequence[Mapping[str, str]]) -> str:
    """Return the message of a refusal for *causes*, each of which it says once."""
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
    if reason == "FieldValueInvalid" and _OF_TYPE in message:
        reason = "FieldValueTypeInvalid"
    return {"reason": reason, "field": field, "message": message}


def _ordered(answer: Answer) -> dict[str, JSONValue]:
    return {key: answer[key] for key in sorted(answer, key=_ORDER.index)}


def _equal(left: JSONValue, right: JSONValue) -> bool:
    """Return whether two values are the same, by JSON type."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
