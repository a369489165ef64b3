"""Forms inside the values of a case's keys: field paths, expected errors and conflicts, patches, old CRDs, applies."""

from __future__ import annotations

from typing import Final

from pytest_crd.cases import keyschemas
from pytest_crd.cases.keyschemas import Conflict, Form, Need
from pytest_crd.engine import profile
from pytest_crd.engine.errors.fielderror import ErrorType
from pytest_crd.engine.metadata import metav1types

PATH: Final = keyschemas.text("a field path, as in spec.items[0].name")
PATHS: Final = keyschemas.any_list("a list of field paths", PATH)

ERROR_CONFLICTS: Final = (
    Conflict("message", "detail", "`detail` is the last part of `message`"),
    Conflict("message", "matches", "`matches` is searched in the message that `message` states whole"),
    Conflict("detail", "matches", "both state a part of the message"),
)
_ERROR_KEYS: Final = {
    "field": keyschemas.with_meaning(PATH, "The field path, in the spelling of field errors."),
    "type": keyschemas.with_meaning(
        keyschemas.choice(error_type.value for error_type in ErrorType),
        "Go's ErrorType constant without the prefix; or Request, for a refusal without a field.",
    ),
    "message": keyschemas.with_meaning(
        keyschemas.text("the whole message of the error"), "The whole message of the cause."
    ),
    "detail": keyschemas.with_meaning(
        keyschemas.any_text("the last part of the message"), "The last part of the message."
    ),
    "matches": keyschemas.with_meaning(keyschemas.text("an RE2 pattern"), "An RE2 pattern to search in the message."),
    "rule": keyschemas.with_meaning(
        keyschemas.text("a part of a CEL rule"), "A part of the CEL rule that finds the error."
    ),
}
ERRORS: Final = keyschemas.some_list(
    "a list of one or more expected errors",
    keyschemas.mapping(
        "a mapping with some of `field:`, `type:`, and `message:`, `detail:`, `matches:` or `rule:`",
        _ERROR_KEYS,
        one_of=_ERROR_KEYS,
        conflicts=ERROR_CONFLICTS,
    ),
)

ERRORS_UNDER: Final = keyschemas.map_of("a mapping of Kubernetes versions to lists of expected errors", ERRORS)

_POINTER: Final[Form] = {
    **keyschemas.any_text("a JSON Pointer, as in /spec/versions/0"),
    "not": {"type": "string", "pattern": "^[^/]"},
}
_OPERATION: Final[Form] = {
    **keyschemas.mapping(
        "a JSON Patch operation (a mapping with `op:` and `path:`)",
        {
            "op": keyschemas.choice(("add", "remove", "replace", "move", "copy", "test")),
            "path": _POINTER,
            "from": _POINTER,
            "value": {"title": "any value"},
            "times": keyschemas.with_meaning(
                keyschemas.number("a number of times, from 1"),
                "The number of repetitions of `value`, a string or a list.",
            ),
        },
        required=("op", "path"),
    ),
    "allOf": [
        {"if": {"required": ["op"], "properties": {"op": {"enum": operations}}}, "then": {"required": [key]}}
        for operations, key in ((["add", "replace", "test"], "value"), (["move", "copy"], "from"))
    ]
    + [{"if": {"required": ["times"]}, "then": {"properties": {"op": keyschemas.choice(("add", "replace"))}}}],
}
OLD_CRD_CONFLICTS: Final = (Conflict("path", "patch", "`path` is another CRD, `patch` changes that of this file"),)
_OLD_CRD_KEYS: Final = {
    "path": keyschemas.with_meaning(keyschemas.text("the path of a file"), "A CRD file, relative to this file."),
    "patch": keyschemas.with_meaning(
        keyschemas.some_list("a list of JSON Patch operations", _OPERATION), "A JSON Patch on the CRD of this file."
    ),
}

INPUT_NEEDS: Final = (Need("input", "inputFile", is_instead=True), Need("inputFile", "document"))
INPUT_CONFLICT: Final = Conflict("input", "inputFile", "both are what is sent")
PATCH: Final = keyschemas.patch(
    "a list of JSON Patch operations, or a mapping (a merge patch), that changes something", _OPERATION
)
# The keys for a sent object.
INPUT_KEYS: Final = {
    "input": keyschemas.with_meaning(
        keyschemas.object_or_text("a mapping (the object) or the text of one"),
        "The object to send. A string is sent unchanged, as one YAML or JSON document with its duplicate keys.",
    ),
    "inputFile": keyschemas.with_meaning(
        keyschemas.text("the path of a file"),
        ("A file with the object to send, relative to this file; instead of `input`."),
    ),
    "document": keyschemas.with_meaning(
        keyschemas.number("the number of a document, from 1"),
        "The number of the document in `inputFile`, from 1, if it has several.",
    ),
}
_STEP_KEYS: Final = {
    "manager": keyschemas.with_meaning(keyschemas.text("the name of a field manager"), "The field manager."),
    **INPUT_KEYS,
    "patch": keyschemas.with_meaning(
        PATCH, "A change of `input` or `inputFile` before it is sent, like `patch` of a case."
    ),
    "force": keyschemas.with_meaning(
        keyschemas.boolean("true or false"), "True to take over fields of other managers."
    ),
}
MANAGERS: Final = keyschemas.map_of("a mapping from managers to lists of field paths", PATHS)
_CONFLICT_KEYS: Final = {
    "manager": keyschemas.with_meaning(
        keyschemas.text("the name of a field manager"), "The manager that owns the field."
    ),
    "field": keyschemas.with_meaning(
        keyschemas.text('a field path, as in spec.items[name="a"].port'),
        "The path of the field, items of a map list by their keys.",
    ),
}
STEPS: Final = keyschemas.some_list(
    "a list of one or more applies",
    keyschemas.mapping(
        "a mapping with `manager:` and `input:`",
        _STEP_KEYS,
        required=("manager",),
        conflicts=(INPUT_CONFLICT,),
        needs=INPUT_NEEDS,
    ),
)
CONFLICTS: Final = keyschemas.some_list(
    "a list of one or more conflicts",
    keyschemas.mapping("a mapping with `manager:` and `field:`", _CONFLICT_KEYS, required=_CONFLICT_KEYS),
)
_DENIAL_KEYS: Final = {
    "by": keyschemas.with_meaning(
        keyschemas.text("the name of a webhook or policy"), "The webhook or policy that denies the request."
    ),
    "message": keyschemas.with_meaning(keyschemas.text("a text"), "A part of its own message."),
    "reason": keyschemas.with_meaning(
        keyschemas.text("a reason of a Status, as in Forbidden"), "The reason of the Status."
    ),
}
DENIALS: Final = keyschemas.some_list(
    "a list of one or more denials", keyschemas.mapping("a mapping with `by:`", _DENIAL_KEYS, required=("by",))
)
_TEXTS: Final = keyschemas.some_list("a list of one or more texts", keyschemas.text("a text"))
_USER_KEYS: Final = {
    "username": keyschemas.with_meaning(
        keyschemas.text("the name of a user, as in system:serviceaccount:default:builder"), "The name of the user."
    ),
    "groups": keyschemas.with_meaning(_TEXTS, "The groups of the user."),
    "uid": keyschemas.with_meaning(keyschemas.text("a uid"), "The uid of the user."),
    "extra": keyschemas.with_meaning(
        keyschemas.map_of("a mapping from keys to lists of texts", _TEXTS), "Further facts of the authenticator."
    ),
}
USER: Final = keyschemas.mapping("a mapping with `username:`", _USER_KEYS, required=("username",))
_RULE_KEYS: Final = {
    "verbs": keyschemas.with_meaning(_TEXTS, "The allowed verbs; `*` for all."),
    "apiGroups": keyschemas.with_meaning(
        keyschemas.some_list("a list of one or more API groups", keyschemas.any_text("an API group")),
        "The API groups; `*` for all.",
    ),
    "resources": keyschemas.with_meaning(_TEXTS, "The resources, such as `pods` or `pods/log`; `*` for all."),
    "resourceNames": keyschemas.with_meaning(_TEXTS, "The names of objects; all if left out."),
    "nonResourceURLs": keyschemas.with_meaning(_TEXTS, "The paths; a final `*` stands for any rest."),
}
RULES: Final = keyschemas.any_list(
    "a list of rules, as in a Role",
    keyschemas.mapping(
        "a mapping with `verbs:`, and `apiGroups:` and `resources:`, or `nonResourceURLs:`",
        _RULE_KEYS,
        required=("verbs",),
        one_of=("resources", "nonResourceURLs"),
        needs=(Need("apiGroups", "resources"),),
    ),
)
_PARAM_KEYS: Final = {
    "apiVersion": keyschemas.text("an apiVersion"),
    "kind": keyschemas.text("a kind"),
    "metadata": {
        **keyschemas.mapping(
            "a mapping with `name:`", {"name": keyschemas.text("the name of an object")}, required=("name",)
        ),
        "additionalProperties": True,
    },
}
PARAMS: Final = keyschemas.any_list(
    "a list of objects",
    {
        **keyschemas.mapping(
            "an object with `apiVersion:`, `kind:` and `metadata:`", _PARAM_KEYS, required=_PARAM_KEYS
        ),
        "additionalProperties": True,
    },
)
_CAUSE: Final = keyschemas.text(
    "a cause: resourceRules, excludeResourceRules, objectSelector, namespaceSelector, matchConditions.NAME, paramRef or exempt"
)
_MATCHED_KEYS: Final = {
    "because": {
        "title": "a cause, or a list of causes",
        "type": ["string", "array"],
        "pattern": _CAUSE["pattern"],
        "minItems": 1,
        "items": _CAUSE,
        "description": (
            "The causes: `resourceRules`, `excludeResourceRules`, `objectSelector` or `namespaceSelector` of the policy or of a binding; "
            "`matchConditions.NAME` for a false condition (`matchConditions` if there is only one); `paramRef` for a missing param that "
            "`parameterNotFoundAction` allows; `exempt` for a request that no policy sees."
        ),
    }
}
MATCHED: Final[Form] = {
    **keyschemas.mapping("a mapping with `because:`", _MATCHED_KEYS, required=("because",)),
    "type": ["object", "boolean"],
    "not": {"const": True},
}
_METADATA_KEYS: Final = {
    "labels": keyschemas.texts_by_key("a mapping from keys to texts"),
    "annotations": keyschemas.texts_by_key("a mapping from keys to texts"),
    **{
        name: {"title": f"{name} of an object"}
        for name in metav1types.object_meta(profile.named(profile.DEFAULT)).fields
        if name not in {"labels", "annotations"}
    },
}
NAMESPACE: Final = keyschemas.mapping(
    "a mapping (a Namespace)",
    {
        "apiVersion": keyschemas.constant("v1", "v1"),
        "kind": keyschemas.constant("Namespace", "Namespace"),
        "metadata": keyschemas.mapping("a mapping (the metadata of a Namespace)", _METADATA_KEYS),
        "spec": keyschemas.mapping("a mapping (the spec of a Namespace)", {"finalizers": _TEXTS}),
        "status": keyschemas.any_object("a mapping (the status of a Namespace)"),
    },
)
OLD_CRD: Final = keyschemas.mapping(
    "a mapping with `path:` or `patch:`", _OLD_CRD_KEYS, one_of=_OLD_CRD_KEYS, conflicts=OLD_CRD_CONFLICTS
)
