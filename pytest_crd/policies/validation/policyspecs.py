"""
Validation of the specs of policies.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, validateValidatingAdmissionPolicySpec and
    validateMutatingAdmissionPolicySpec.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pytest_crd.admission.matching import conditionvalidation, rulevalidation
from pytest_crd.admission.patches import patchtypes
from pytest_crd.engine.cel.types.celtypes import NULL, STRING
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings, gotypes
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.definitions import MUTATING, PolicyVariable
from pytest_crd.policies.validation import matchresources, paramvalidation, policyexpressions
from pytest_crd.policies.validation.policyexpressions import PolicyExpressions, Usage

_MOST_ANNOTATIONS: Final = 20
_LONGEST_VALUE: Final = 5 * 1024
_IDENTIFIER: Final = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*\Z")
_RESERVED: Final = frozenset(
    (
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import"),
        *("let", "loop", "package", "namespace", "return", "var", "void", "while"),
    )
)
_LINE_BREAK: Final = re.compile(r"[\n\r]")
_REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_PATCH_TYPES: Final = ("ApplyConfiguration", "JSONPatch")
_NOT_SPECIFIED: Final = "expression is not specified"
_NOTHING: Final = "validations or auditAnnotations must contain at least one item"
_BLANK: Final = "must be non-empty if specified"
# Errors print the internal type. Its fields have no JSON names.
_ANNOTATIONS: Final = gotypes.List(
    gotypes.Struct("admissionregistration.AuditAnnotation", dict.fromkeys(("Key", "ValueExpression"), gotypes.STRING))
)
_VALIDATION: Final = Usage(policyexpressions.VALIDATIONS)
_MESSAGE: Final = Usage(policyexpressions.MESSAGES, (STRING,), has_authorizer=False)
_ANNOTATION: Final = Usage(policyexpressions.ANNOTATIONS, (STRING, NULL))
_CONFIGURATION: Final = Usage(policyexpressions.CONFIGURATIONS, (patchtypes.OBJECT,), extend=patchtypes.extend)
_JSON_PATCH: Final = Usage(policyexpressions.CONFIGURATIONS, (patchtypes.JSON_PATCHES,), extend=patchtypes.extend)


class PolicyObject(NamedTuple):
    """
    A policy under validation.

    Attributes:
        kind: Its kind.
        name: Its name.
        spec: Its decoded spec with its defaults.
        old_spec: The spec of the stored policy; None on create.
        profile: The Kubernetes version.
    """

    kind: str
    name: str
    spec: JSONObject
    old_spec: JSONObject | None
    profile: Profile

    def items(self, field: str) -> Iterator[tuple[int, JSONObject]]:
        """Yield the index and the value of each item of a list in the spec; null is an empty item."""
        return enumerate(item or {} for item in self.spec.get(field) or ())


def validate(policy: PolicyObject, path: FieldPath) -> Errors:
    """Yield the errors of the spec of a policy, in the server's order."""
    spec, profile = policy.spec, policy.profile
    expressions = PolicyExpressions(policy.kind, spec, policy.old_spec, profile)
    yield from rulevalidation.validate_choice(
        spec["failurePolicy"], rulevalidation.FAILURE_POLICIES, path.child("failurePolicy"), profile
    )
    if (kind := spec.get("paramKind")) is not None:
        yield from paramvalidation.validate_kind(kind, path.child("paramKind"))
    yield from _validate_constraints(policy, path.child("matchConstraints"))
    if not _has_old_conditions(policy):
        yield from conditionvalidation.validate(
            spec.get("matchConditions") or (), path.child("matchConditions"), profile, expressions.compile_condition
        )
    for index, variable in policy.items("variables"):
        yield from _validate_variable(variable, expressions, path.child("variables").index(index))
    if policy.kind == MUTATING:
        yield from _validate_mutations(policy, expressions, path)
    else:
        yield from _validate_validations(policy, expressions, path)


def _validate_constraints(policy: PolicyObject, path: FieldPath) -> Errors:
    resources = policy.spec.get("matchConstraints")
    if resources is None:
        yield fielderror.required(path, "")
        return
    yield from matchresources.validate(resources, path, policy.profile)
    if not resources.get("resourceRules"):
        yield fielderror.required(path.child("resourceRules"), "")
    if policy.kind == MUTATING:
        yield from matchresources.validate_mutating(resources, path, policy.profile)


def _has_old_conditions(policy: PolicyObject) -> bool:
    """Return whether an update changes neither the match conditions nor the kind of params."""
    new, old = policy.spec, policy.old_spec

    def listed(spec: JSONObject) -> Any:
        return [spec.get("paramKind"), spec.get("matchConditions") or []]

    return old is not None and listed(new) == listed(old)


def _validate_variable(variable: JSONObject, expressions: PolicyExpressions, path: FieldPath) -> Errors:
    name, expression = variable.get("name") or "", variable.get("expression") or ""
    if not gostrings.trim_space(name):
        yield fielderror.required(path.child("name"), "name is not specified")
    elif not _IDENTIFIER.match(name) or name in _RESERVED:
        yield fielderror.invalid(path.child("name"), name, "must be a valid CEL identifier")
    if not gostrings.trim_space(expression):
        yield fielderror.required(path.child("expression"), _NOT_SPECIFIED)
    else:
        yield from expressions.add(PolicyVariable(name, expression), path.child("expression"))


def _validate_validations(policy: PolicyObject, expressions: PolicyExpressions, path: FieldPath) -> Errors:
    annotations = policy.spec.get("auditAnnotations") or ()
    if not policy.spec.get("validations") and not annotations:
        yield fielderror.required(path.child("validations"), _NOTHING)
        yield fielderror.required(path.child("auditAnnotations"), _NOTHING)
    for index, validation in policy.items("validations"):
        yield from _validate_validation(validation, expressions, path.child("validations").index(index), policy.profile)
    place = path.child("auditAnnotations")
    if len(annotations) > _MOST_ANNOTATIONS:
        value = [
            {"Key": (item or {}).get("key") or "", "ValueExpression": (item or {}).get("valueExpression") or ""}
            for item in annotations
        ]
        detail = f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations"
        yield badvalues.invalid_of_type(place, value, _ANNOTATIONS, detail, policy.profile)
    keys_before: set[str] = set()
    for index, annotation in policy.items("auditAnnotations"):
        yield from _validate_annotation(annotation, policy, expressions, place.index(index))
        key = annotation.get("key") or ""
        if key in keys_before:
            yield fielderror.duplicate(place.index(index).child("key"), key)
        keys_before.add(key)


def _validate_validation(
    validation: JSONObject, expressions: PolicyExpressions, path: FieldPath, profile: Profile
) -> Errors:
    expression, message, computed = (
        validation.get(field) or "" for field in ("expression", "message", "messageExpression")
    )
    if not gostrings.trim_space(expression):
        yield fielderror.required(path.child("expression"), _NOT_SPECIFIED)
    else:
        yield from expressions.validate(expression, _VALIDATION, path.child("expression"))
    if computed and not gostrings.trim_space(computed):
        yield fielderror.invalid(path.child("messageExpression"), computed, _BLANK)
    elif computed:
        yield from expressions.validate(computed, _MESSAGE, path.child("messageExpression"))
    trimmed = gostrings.trim_space(message)
    if message and not trimmed:
        yield fielderror.invalid(path.child("message"), message, _BLANK)
    elif _LINE_BREAK.search(trimmed):
        yield fielderror.invalid(path.child("message"), message, "must not contain line breaks")
    yield from rulevalidation.validate_choice(validation.get("reason"), _REASONS, path.child("reason"), profile)


def _validate_annotation(
    annotation: JSONObject, policy: PolicyObject, expressions: PolicyExpressions, path: FieldPath
) -> Errors:
    key, expression = annotation.get("key") or "", annotation.get("valueExpression") or ""
    if policy.name:
        qualified = f"{policy.name}/{key}"
        for problem in names.label_key(qualified, policy.profile):
            yield fielderror.invalid(path.child("key"), qualified, problem)
    else:
        yield fielderror.invalid(path.child("key"), key, "requires metadata.name be non-empty")
    trimmed, place = gostrings.trim_space(expression), path.child("valueExpression")
    if not trimmed:
        yield fielderror.required(place, "valueExpression is not specified")
    elif len(trimmed.encode("utf-8", "surrogatepass")) > _LONGEST_VALUE:
        yield fielderror.required(place, f"must not exceed {_LONGEST_VALUE} bytes in length")
    else:
        yield from expressions.validate(trimmed, _ANNOTATION, place, sent=expression, shown=expression)


def _validate_mutations(policy: PolicyObject, expressions: PolicyExpressions, path: FieldPath) -> Errors:
    if not policy.spec.get("mutations"):
        yield fielderror.required(path.child("mutations"), "mutations must contain at least one item")
    for index, mutation in policy.items("mutations"):
        yield from _validate_mutation(mutation, expressions, path.child("mutations").index(index), policy.profile)
    reinvocation, place = policy.spec.get("reinvocationPolicy") or "", path.child("reinvocationPolicy")
    if not reinvocation:
        yield fielderror.required(place, "")
    else:
        supported = rulevalidation.REINVOCATION_POLICIES
        yield from rulevalidation.validate_choice(reinvocation, supported, place, policy.profile)


def _validate_mutation(
    mutation: JSONObject, expressions: PolicyExpressions, path: FieldPath, profile: Profile
) -> Errors:
    patch_type = mutation.get("patchType") or ""
    if not patch_type:
        yield fielderror.required(path.child("patchType"), "")
        return
    if patch_type not in _PATCH_TYPES:
        yield rulevalidation.not_supported(path.child("patchType"), patch_type, _PATCH_TYPES, profile)
        return
    fields = ("applyConfiguration", "jsonPatch")
    own, other = fields if patch_type == "ApplyConfiguration" else fields[::-1]
    patch = mutation.get(own)
    if patch is None:
        yield fielderror.required(path.child(own), f"must be specified when patchType is {patch_type}")
    else:
        place, expression = path.child(own, "expression"), patch.get("expression") or ""
        trimmed = gostrings.trim_space(expression)
        if not trimmed:
            yield fielderror.required(place, "")
        else:
            usage = _CONFIGURATION if own == "applyConfiguration" else _JSON_PATCH
            yield from expressions.validate(trimmed, usage, place, sent=expression)
    if mutation.get(other) is not None:
        detail = f"must not be specified when patchType is {patch_type}"
        yield fielderror.invalid(path.child(other), f"{{{other}}}", detail)
