"""What a case may contain: every key, its sections, what its value must be, and which keys contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_crd.cases import forms
from pytest_crd.cases.forms import Conflict, Form, Need
from pytest_crd.cases.model import REQUESTS, UPDATES, Section
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.requests import requestbody


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKey:
    """
    A key of a case file, or of a case.

    Attributes:
        form: What the value must be.
        meaning: What it is for.
        sections: The sections whose cases may have it; for keys of cases.
        required: Whether it must be there wherever it may be.
        expects: Whether it states an expectation; for keys of cases.
        remedy: What to write instead of a wrong value, where that can be said.
    """

    form: Form
    meaning: str
    sections: frozenset[Section] = frozenset()
    required: bool = False
    expects: bool = False
    remedy: str = ""


_ALL: Final = frozenset(Section)

# What is inside a case's values

_PATH: Final = forms.text("a field path, as in spec.items[0].name")
_PATHS: Final = forms.any_list("a list of field paths", _PATH)

_ERROR_CONFLICTS: Final = (
    Conflict("message", "detail", "`detail` is the last part of `message`"),
    Conflict("message", "matches", "`matches` is searched in the message that `message` states whole"),
    Conflict("detail", "matches", "both state a part of the message"),
)
_ERROR_KEYS: Final = {
    "field": forms.with_meaning(_PATH, "The field path, as field errors spell it."),
    "type": forms.with_meaning(
        forms.choice(one.value for one in ErrorType),
        "Go's ErrorType constant without that prefix; or Request, for a refusal that names no field.",
    ),
    "message": forms.with_meaning(forms.text("the whole message of the error"), "The whole message of the cause."),
    "detail": forms.with_meaning(forms.any_text("the last part of the message"), "The last part of the message."),
    "matches": forms.with_meaning(forms.text("an RE2 pattern"), "An RE2 pattern that is found in the message."),
    "rule": forms.with_meaning(forms.text("a part of a CEL rule"), "A part of the CEL rule that finds the error."),
}
_ERRORS: Final = forms.some_list(
    "a list of one or more expected errors",
    forms.mapping(
        "a mapping with some of `field:`, `type:`, and `message:`, `detail:`, `matches:` or `rule:`",
        _ERROR_KEYS,
        one_of=_ERROR_KEYS,
        conflicts=_ERROR_CONFLICTS,
    ),
)

_POINTER: Final[Form] = {
    **forms.any_text("a JSON Pointer, as in /spec/versions/0"),
    "not": {"type": "string", "pattern": "^[^/]"},
}
_OPERATION: Final[Form] = {
    **forms.mapping(
        "a JSON Patch operation (a mapping with `op:` and `path:`)",
        {
            "op": forms.choice(("add", "remove", "replace", "move", "copy", "test")),
            "path": _POINTER,
            "from": _POINTER,
            "value": {"title": "any value"},
            "times": forms.with_meaning(
                forms.number("a number of times, from 1"),
                "How often `value`, a text or a list, is there, one behind the other.",
            ),
        },
        required=("op", "path"),
    ),
    "allOf": [
        {"if": {"required": ["op"], "properties": {"op": {"enum": operations}}}, "then": {"required": [key]}}
        for operations, key in ((["add", "replace", "test"], "value"), (["move", "copy"], "from"))
    ]
    + [{"if": {"required": ["times"]}, "then": {"properties": {"op": forms.choice(("add", "replace"))}}}],
}
_OLD_CRD_CONFLICTS: Final = (Conflict("path", "patch", "`path` is another CRD, `patch` changes that of this file"),)
_OLD_CRD_KEYS: Final = {
    "path": forms.with_meaning(forms.text("the path of a file"), "A CRD file, relative to this file."),
    "patch": forms.with_meaning(
        forms.some_list("a list of JSON Patch operations", _OPERATION), "A JSON Patch on the CRD of this file."
    ),
}

# Keys of a case

_PATCH: Final = forms.patch(
    "a list of JSON Patch operations, or a mapping (a merge patch), that changes something", _OPERATION
)
NEEDS: Final = (
    Need("input", "inputFile", is_instead=True),
    Need("inputFile", "document"),
    Need("old", "oldFile", is_instead=True),
    Need("oldFile", "oldDocument"),
)
_REFUSALS: Final = ("errors", "containsErrors", "error")
CASE_CONFLICTS: Final = (
    Conflict("input", "inputFile", "both are what is sent"),
    Conflict("old", "oldFile", "both are what is stored"),
    Conflict("expected", "contains", "`contains` is a part of `expected`"),
    *(
        Conflict(stored, refusal, "an object that is refused is not stored")
        for stored in ("expected", "contains", "absent", "lost")
        for refusal in _REFUSALS
    ),
    *(Conflict("accepted", refusal, "an object is either accepted or refused") for refusal in _REFUSALS),
    Conflict("errors", "containsErrors", "`errors` lists all errors, `containsErrors` some of them"),
    Conflict("errors", "error", "`errors` lists all errors, `error` is the short form"),
    Conflict("skip", "xfail", "a case that is skipped cannot fail"),
)
_IF_ACCEPTED: Final = "for an object that is accepted write `accepted: true`"

CASE_KEYS: Final[Mapping[str, CaseKey]] = {
    "name": CaseKey(
        form=forms.text(
            "a name (one line of text without '::', '[' and ']')",
            without=r"::|[\[\]\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]",
        ),
        meaning="What holds, as a sentence; unique in the file. It is the last part of the node id.",
        sections=_ALL,
        required=True,
    ),
    "input": CaseKey(
        form=forms.object_or_text("a mapping (the object) or the text of one"),
        meaning="What is sent. As text it is one YAML or JSON document in which duplicate keys count, as on the wire.",
        sections=_ALL,
    ),
    "inputFile": CaseKey(
        form=forms.text("the path of a file"),
        meaning="A file with what is sent, relative to this file; instead of `input`.",
        sections=_ALL,
    ),
    "document": CaseKey(
        form=forms.number("the number of a document, from 1"),
        meaning="Which document of `inputFile`, from 1, where it has several.",
        sections=_ALL,
    ),
    "patch": CaseKey(
        form=_PATCH,
        meaning="What is changed in `input` or `inputFile` before it is sent: a JSON Patch (a list) or a merge patch (a mapping).",
        sections=_ALL,
    ),
    "old": CaseKey(
        form=forms.any_object("a mapping (the object as it is stored)"),
        meaning="The object as it is stored before the update, status included.",
        sections=UPDATES,
    ),
    "oldFile": CaseKey(
        form=forms.text("the path of a file"),
        meaning="A file with the object as it is stored, relative to this file; instead of `old`.",
        sections=UPDATES,
    ),
    "oldDocument": CaseKey(
        form=forms.number("the number of a document, from 1"),
        meaning="Which document of `oldFile`, from 1, where it has several.",
        sections=UPDATES,
    ),
    "oldPatch": CaseKey(
        form=_PATCH,
        meaning="What is changed in `old` or `oldFile` before it is stored, as with `patch`.",
        sections=UPDATES,
    ),
    "oldCRD": CaseKey(
        form=forms.mapping(
            "a mapping with `path:` or `patch:`", _OLD_CRD_KEYS, one_of=_OLD_CRD_KEYS, conflicts=_OLD_CRD_CONFLICTS
        ),
        meaning="The CRD under which `old` was stored, if it was another one.",
        sections=UPDATES,
    ),
    "expected": CaseKey(
        form=forms.any_object("a mapping (the whole object)"),
        meaning="The whole resulting object, compared by JSON type, less what only a server sets.",
        sections=_ALL,
        expects=True,
    ),
    "contains": CaseKey(
        form=forms.any_object("a mapping (a part of the object)"),
        meaning="A part of the resulting object.",
        sections=_ALL,
        expects=True,
    ),
    "absent": CaseKey(
        form=forms.some_list("a list of one or more field paths", _PATH),
        meaning="Field paths that the resulting object does not have.",
        sections=_ALL,
        expects=True,
    ),
    "accepted": CaseKey(
        form=forms.constant("true", value=True),
        meaning="Asks only that the object is accepted.",
        sections=REQUESTS,
        expects=True,
        remedy="for an object that is refused write `errors:` or `error:`",
    ),
    "errors": CaseKey(
        form=_ERRORS,
        meaning="All errors: these and no others.",
        sections=REQUESTS,
        expects=True,
        remedy=f"{_IF_ACCEPTED}, for a part of the whole message `error:`",
    ),
    "containsErrors": CaseKey(
        form=_ERRORS,
        meaning="Some of the errors.",
        sections=REQUESTS,
        expects=True,
        remedy=f"{_IF_ACCEPTED}, for a part of the whole message `error:`",
    ),
    "error": CaseKey(
        form=forms.text("text (a part of the whole message)"),
        meaning="A part of the whole message with which the object is refused.",
        sections=REQUESTS,
        expects=True,
        remedy=_IF_ACCEPTED,
    ),
    "pruned": CaseKey(
        form=_PATHS,
        meaning="All field paths that are pruned, as `unknown field` warnings spell them.",
        sections=REQUESTS | {Section.PRUNING},
        expects=True,
    ),
    "defaulted": CaseKey(
        form=_PATHS,
        meaning="All field paths where a default is put in.",
        sections=REQUESTS | {Section.DEFAULTING},
        expects=True,
    ),
    "nullsDropped": CaseKey(
        form=_PATHS,
        meaning="All field paths whose null is dropped.",
        sections=REQUESTS | {Section.DEFAULTING},
        expects=True,
    ),
    "lost": CaseKey(
        form=_PATHS,
        meaning="All field paths that are lost on storing, as the storage version does not know them.",
        sections=REQUESTS,
        expects=True,
    ),
    "warnings": CaseKey(
        form=forms.any_list("a list of texts", forms.text("a text")),
        meaning="All warnings.",
        sections=REQUESTS,
        expects=True,
    ),
    "fieldValidation": CaseKey(
        form=forms.choice(requestbody.FIELD_VALIDATIONS),
        meaning="What unknown and duplicate fields do; Warn where it is left out, as for kubectl.",
        sections=REQUESTS,
    ),
    "skip": CaseKey(form=forms.text("a reason"), meaning="Why the case is not run.", sections=_ALL),
    "xfail": CaseKey(form=forms.text("a reason"), meaning="Why the case is known to fail; it must.", sections=_ALL),
    "marks": CaseKey(
        form=forms.any_list(
            "a list of names of pytest marks",
            forms.text(
                "the name of a pytest mark other than skip, skipif and xfail",
                without="^[^A-Za-z]|[^A-Za-z0-9_]|^(skip|skipif|xfail)$",
            ),
        ),
        meaning="Names of pytest marks, for `-m`.",
        sections=_ALL,
    ),
}

# The keys into which what was observed can be written, in the order in which a case has them.
FILLED: Final = ("expected", "errors", "pruned", "defaulted", "nullsDropped", "lost", "warnings")
# What stands there until then.
BLANK: Final = "TODO"

CONFLICTS: Final[Mapping[tuple[str, str], Conflict]] = {
    (conflict.first, conflict.second): conflict
    for conflict in (*CASE_CONFLICTS, *_ERROR_CONFLICTS, *_OLD_CRD_CONFLICTS)
}


def case_keys(section: Section) -> tuple[str, ...]:
    """Return the keys that cases of *section* may have."""
    return tuple(name for name, key in CASE_KEYS.items() if section in key.sections)
