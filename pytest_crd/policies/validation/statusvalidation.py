"""
Validation of the status of ValidatingAdmissionPolicies.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, validateValidatingAdmissionPolicyStatus; apimachinery
    meta/v1/validation, ValidateConditions.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_crd.admission.matching import rulevalidation
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile

_STATUSES: Final = ("False", "True", "Unknown")
_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_EXAMPLES: Final = "e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB'"
_BAD_REASON: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters "
    f"or '_,:', and must end with an alphanumeric character or '_' ({_EXAMPLES}, regex used for validation is '{_REASON}')"
)
_LONGEST_REASON: Final = 1024
_LONGEST_MESSAGE: Final = 32 * 1024


def validate(status: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of a decoded status; in the JSONPath of a warning, only an open bracket is found."""
    checking = status.get("typeChecking") or {}
    place = path.child("typeChecking", "expressionWarnings")
    for index, warning in enumerate(checking.get("expressionWarnings") or ()):
        yield from _validate_warning(warning or {}, place.index(index))
    types_before: set[str] = set()
    for index, item in enumerate(status.get("conditions") or ()):
        condition = item or {}
        type_ = condition.get("type") or ""
        if type_ in types_before:
            place = path.child("conditions").index(index)
            yield fielderror.duplicate(place if profile.requires_condition_fields else place.child("type"), type_)
        types_before.add(type_)
        yield from _validate_condition(condition, path.child("conditions").index(index), profile)


def _validate_warning(warning: JSONObject, path: FieldPath) -> Errors:
    if not warning.get("warning"):
        yield fielderror.required(path.child("warning"), "")
    reference = gostrings.trim_space(warning.get("fieldRef") or "")
    if not reference:
        yield fielderror.required(path.child("fieldRef"), "")
    elif "[" in reference and "]" not in reference.rpartition("[")[2]:
        yield fielderror.invalid(path.child("fieldRef"), reference, "invalid JSONPath: unterminated array")


def _validate_condition(condition: JSONObject, path: FieldPath, profile: Profile) -> Errors:
    type_, status, reason, message = (condition.get(field) or "" for field in ("type", "status", "reason", "message"))
    if not type_ and profile.requires_condition_fields:
        yield fielderror.required(path.child("type"), "is required")
    else:
        for problem in names.label_key(type_, profile):
            yield fielderror.invalid(path.child("type"), type_, problem)
    if not status and profile.requires_condition_fields:
        yield fielderror.required(path.child("status"), "")
    else:
        yield from rulevalidation.validate_choice(status, _STATUSES, path.child("status"), profile)
    generation = condition.get("observedGeneration") or 0
    if generation < 0:
        detail = "must be greater than or equal to zero"
        yield fielderror.invalid(path.child("observedGeneration"), generation, detail)
    if not condition.get("lastTransitionTime"):
        yield fielderror.required(path.child("lastTransitionTime"), "")
    if not reason:
        yield fielderror.required(path.child("reason"), "")
    elif not re.fullmatch(_REASON, reason):
        yield fielderror.invalid(path.child("reason"), reason, _BAD_REASON)
    if len(reason.encode()) > _LONGEST_REASON:
        yield fielderror.too_long(path.child("reason"), _LONGEST_REASON)
    if len(message.encode()) > _LONGEST_MESSAGE:
        yield fielderror.too_long(path.child("message"), _LONGEST_MESSAGE)
