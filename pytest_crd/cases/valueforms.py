"""What is inside the values of a case's keys: field paths, expected errors and conflicts, patches, old CRDs, applies."""

from __future__ import annotations

from typing import Final

from pytest_crd.cases import forms
from pytest_crd.cases.forms import Conflict, Form, Need
from pytest_crd.engine.errors.fielderror import ErrorType

PATH: Final = forms.text("a field path, as in spec.items[0].name")
PATHS: Final = forms.any_list("a list of field paths", PATH)

ERROR_CONFLICTS: Final = (
    Conflict("message", "detail", "`detail` is the last part of `message`"),
    Conflict("message", "matches", "`matches` is searched in the message that `message` states whole"),
    Conflict("detail", "matches", "both state a part of the message"),
)
_ERROR_KEYS: Final = {
    "field": forms.with_meaning(PATH, "The field path, as field errors spell it."),
    "type": forms.with_meaning(
        forms.choice(one.value for one in ErrorType),
        "Go's ErrorType constant without that prefix; or Request, for a refusal that names no field.",
    ),
    "message": forms.with_meaning(forms.text("the whole message of the error"), "The whole message of the cause."),
    "detail": forms.with_meaning(forms.any_text("the last part of the message"), "The last part of the message."),
    "matches": forms.with_meaning(forms.text("an RE2 pattern"), "An RE2 pattern that is found in the message."),
    "rule": forms.with_meaning(forms.text("a part of a CEL rule"), "A part of the CEL rule that finds the error."),
}
ERRORS: Final = forms.some_list(
    "a list of one or more expected errors",
    forms.mapping(
        "a mapping with some of `field:`, `type:`, and `message:`, `detail:`, `matches:` or `rule:`",
        _ERROR_KEYS,
        one_of=_ERROR_KEYS,
        conflicts=ERROR_CONFLICTS,
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
OLD_CRD_CONFLICTS: Final = (Conflict("path", "patch", "`path` is another CRD, `patch` changes that of this file"),)
_OLD_CRD_KEYS: Final = {
    "path": forms.with_meaning(forms.text("the path of a file"), "A CRD file, relative to this file."),
    "patch": forms.with_meaning(
        forms.some_list("a list of JSON Patch operations", _OPERATION), "A JSON Patch on the CRD of this file."
    ),
}

INPUT_NEEDS: Final = (Need("input", "inputFile", is_instead=True), Need("inputFile", "document"))
INPUT_CONFLICT: Final = Conflict("input", "inputFile", "both are what is sent")
PATCH: Final = forms.patch(
    "a list of JSON Patch operations, or a mapping (a merge patch), that changes something", _OPERATION
)
# Where an object that is sent stands.
INPUT_KEYS: Final = {
    "input": forms.with_meaning(
        forms.object_or_text("a mapping (the object) or the text of one"),
        "What is sent. As text it is one YAML or JSON document in which duplicate keys count, as on the wire.",
    ),
    "inputFile": forms.with_meaning(
        forms.text("the path of a file"), "A file with what is sent, relative to this file; instead of `input`."
    ),
    "document": forms.with_meaning(
        forms.number("the number of a document, from 1"), "Which document of `inputFile`, from 1, where it has several."
    ),
}
_STEP_KEYS: Final = {
    "manager": forms.with_meaning(forms.text("the name of a field manager"), "Who applies, the field manager."),
    **INPUT_KEYS,
    "patch": forms.with_meaning(
        PATCH, "What is changed in `input` or `inputFile` before it is sent, as with `patch` of a case."
    ),
    "force": forms.with_meaning(forms.boolean("true or false"), "Whether it takes over the fields of others."),
}
MANAGERS: Final = forms.map_of("a mapping from managers to lists of field paths", PATHS)
_CONFLICT_KEYS: Final = {
    "manager": forms.with_meaning(forms.text("the name of a field manager"), "The manager that owns the field."),
    "field": forms.with_meaning(
        forms.text('a field path, as in spec.items[name="a"].port'),
        "The path of the field, items of a map list by their keys.",
    ),
}
STEPS: Final = forms.some_list(
    "a list of one or more applies",
    forms.mapping(
        "a mapping with `manager:` and `input:`",
        _STEP_KEYS,
        required=("manager",),
        conflicts=(INPUT_CONFLICT,),
        needs=INPUT_NEEDS,
    ),
)
CONFLICTS: Final = forms.some_list(
    "a list of one or more conflicts",
    forms.mapping("a mapping with `manager:` and `field:`", _CONFLICT_KEYS, required=_CONFLICT_KEYS),
)
OLD_CRD: Final = forms.mapping(
    "a mapping with `path:` or `patch:`", _OLD_CRD_KEYS, one_of=_OLD_CRD_KEYS, conflicts=OLD_CRD_CONFLICTS
)
