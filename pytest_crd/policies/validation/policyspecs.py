"""
Validation of the specs of policies.

New expressions may use the libraries of the previous Kubernetes version, unchanged ones all libraries.

Reference:
    kubernetes apis/admissionregistration/validation/validation.go, validateValidatingAdmissionPolicySpec and
    validateMutatingAdmissionPolicySpec; preexistingExpressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression
from pytest_crd.admission.matching import conditionvalidation, rulevalidation
from pytest_crd.admission.patches import patchtypes
from pytest_crd.engine.cel.types.celtypes import BOOL, NULL, STRING, Type
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import gostrings, gotypes
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.policies.composition import Composition, Extend
from pytest_crd.policies.definitions import MUTATING, PolicyVariable
from pytest_crd.policies.validation import sharedparts

CONDITIONS: Final = "matchConditions"
VALIDATIONS: Final = "validations"
MESSAGES: Final = "messages"
ANNOTATIONS: Final = "auditAnnotations"
CONFIGURATIONS: Final = "applyConfiguration"


class Usage(NamedTuple):
    """
    The use of an expression in a policy.

    Attributes:
        group: The group in which the old policy may have the expression.
        types: The types that its value may have; none for any.
        has_authorizer: Whether it has `authorizer`.
        extend: Adds types and functions; None for those of admission alone.
    """

    group: str
    types: tuple[Type, ...] = (BOOL,)
    has_authorizer: bool = True
    extend: Extend | None = None


_CONDITION: Final = Usage(CONDITIONS)


class PolicyExpressions:
    """The compilation of the expressions of a policy under validation."""

    def __init__(self, kind: str, spec: JSONObject, old_spec: JSONObject | None, profile: Profile) -> None:
        """
        Create for a policy.

        Args:
            kind: Its kind.
            spec: Its spec.
            old_spec: The spec of the stored policy; None on create.
            profile: The Kubernetes version.
        """
        has_params = spec.get("paramKind") is not None
        has_variables = kind == MUTATING or bool(spec.get("variables"))
        self._stored = set(() if old_spec is None else _expressions(old_spec))
        self._composition = Composition(profile, is_new=True, has_params=has_params, has_variables=has_variables)
        self._without_variables = Composition(profile, is_new=True, has_params=has_params, has_variables=False)

    def validate(
        self, text: str, usage: Usage, path: FieldPath, *, sent: str | None = None, shown: str | None = None
    ) -> Errors:
        """
        Yield the error of an expression that does not compile.

        Args:
            text: The compiled text.
            usage: Its use.
            path: Its path.
            sent: The text in the policy; None for *text*.
            shown: The text in errors; None for *text*.
        """
        is_new = (usage.group, text if sent is None else sent) not in self._stored
        compiled = self._composition.compile(
            text, usage.types, has_authorizer=usage.has_authorizer, extend=usage.extend, is_new=is_new
        )
        yield from conditionvalidation.validate_compiled(compiled, path, shown)

    def add(self, variable: PolicyVariable, path: FieldPath) -> Errors:
        """Yield the error of a variable that does not compile, and let later expressions use it."""
        # The server compares it with the expressions of validations.
        is_new = (VALIDATIONS, variable.expression) not in self._stored
        yield from conditionvalidation.validate_compiled(self._composition.add(variable, is_new=is_new), path)

    def compile_condition(self, text: str) -> AdmissionExpression:
        """Return a compiled match condition, which has no variables."""
        is_new = (CONDITIONS, text) not in self._stored
        return self._without_variables.compile(text, _CONDITION.types, is_new=is_new)


def _expressions(spec: JSONObject) -> Iterator[tuple[str, str]]:
    """Yield the group and the text of each expression of a stored policy."""

    def items(field: str) -> Sequence[Any]:
        return [item or {} for item in spec.get(field) or ()]

    for item in items("matchConditions"):
        yield CONDITIONS, item.get("expression") or ""
    for item in items("validations"):
        yield VALIDATIONS, item.get("expression") or ""
        yield MESSAGES, item.get("messageExpression") or ""
    for item in items("auditAnnotations"):
        yield ANNOTATIONS, item.get("valueExpression") or ""
    for item in items("mutations"):
        # The server looks for the expression of a JSON patch here, too.
        yield CONFIGURATIONS, (item.get("applyConfiguration") or {}).get("expression") or ""


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
_VALIDATION: Final = Usage(VALIDATIONS)
_MESSAGE: Final = Usage(MESSAGES, (STRING,), has_authorizer=False)
_ANNOTATION: Final = Usage(ANNOTATIONS, (STRING, NULL))
_CONFIGURATION: Final = Usage(CONFIGURATIONS, (patchtypes.OBJECT,), extend=patchtypes.extend)
_JSON_PATCH: Final = Usage(CONFIGURATIONS, (patchtypes.JSON_PATCHES,), extend=patchtypes.extend)


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
        yield from sharedparts.validate_param_kind(kind, path.child("paramKind"))
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
    yield from sharedparts.validate_resources(resources, path, policy.profile)
    if not resources.get("resourceRules"):
        yield fielderror.required(path.child("resourceRules"), "")
    if policy.kind == MUTATING:
        yield from sharedparts.validate_mutated_resources(resources, path, policy.profile)


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
