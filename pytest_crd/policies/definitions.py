"""
Policies and bindings as data, read from objects with the defaults of the server.

Reference:
    kubernetes api/admissionregistration/v1/types.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pytest_crd.admission.matching.matchconditions import MatchCondition
from pytest_crd.admission.matching.matchcriteria import Criteria, RequestRule
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import labelselectors

GROUP: Final = "admissionregistration.k8s.io"
VALIDATING: Final = "ValidatingAdmissionPolicy"
VALIDATING_BINDING: Final = "ValidatingAdmissionPolicyBinding"
MUTATING: Final = "MutatingAdmissionPolicy"
MUTATING_BINDING: Final = "MutatingAdmissionPolicyBinding"
APPLY_CONFIGURATION: Final = "ApplyConfiguration"
JSON_PATCH: Final = "JSONPatch"
KINDS: Final = (VALIDATING, VALIDATING_BINDING, MUTATING, MUTATING_BINDING)
INVALID: Final = "Invalid"
"""The reason of a refusal whose validation names none."""
BINDING_OF: Final = {VALIDATING: VALIDATING_BINDING, MUTATING: MUTATING_BINDING}


class ParamKind(NamedTuple):
    """
    The kind of the params of a policy.

    Attributes:
        api_version: The apiVersion.
        kind: The kind.
    """

    api_version: str
    kind: str


class ParamRef(NamedTuple):
    """
    The params of a binding.

    Attributes:
        name: The name of the param; empty if a selector selects params.
        namespace: The namespace; empty for that of the request.
        selector: The label selector; None with a name.
        not_found_action: `Allow` or `Deny`; empty if unset.
    """

    name: str
    namespace: str
    selector: JSONObject | None
    not_found_action: str


class PolicyVariable(NamedTuple):
    """
    A variable of a policy.

    Attributes:
        name: The name, used as `variables.NAME`.
        expression: The expression.
    """

    name: str
    expression: str


class PolicyValidation(NamedTuple):
    """
    A validation of a policy.

    Attributes:
        expression: The expression.
        message: The message; may be empty.
        message_expression: The expression of the message; may be empty.
        reason: The reason of a refusal; empty for `Invalid`.
    """

    expression: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""


class AuditAnnotation(NamedTuple):
    """
    An audit annotation of a policy.

    Attributes:
        key: The last part of the key.
        value_expression: The expression of the value.
    """

    key: str
    value_expression: str


class PolicyMutation(NamedTuple):
    """
    A mutation of a policy.

    Attributes:
        patch_type: `ApplyConfiguration` or `JSONPatch`.
        expression: The expression of the patch.
    """

    patch_type: str
    expression: str


class Policy(NamedTuple):
    """
    A policy.

    Attributes:
        kind: ValidatingAdmissionPolicy or MutatingAdmissionPolicy.
        name: The name.
        criteria: The match constraints.
        param_kind: The kind of its params; None without params.
        failure_policy: `Fail` or `Ignore`.
        match_conditions: The match conditions.
        variables: The variables, in their order.
        validations: The validations.
        audit_annotations: The audit annotations.
        mutations: The mutations.
        reinvocation_policy: `Never` or `IfNeeded`.
        source: The file; empty for an object of a server.
        line: The line in the file.
    """

    kind: str
    name: str
    criteria: Criteria
    param_kind: ParamKind | None = None
    failure_policy: str = "Fail"
    match_conditions: tuple[MatchCondition, ...] = ()
    variables: tuple[PolicyVariable, ...] = ()
    validations: tuple[PolicyValidation, ...] = ()
    audit_annotations: tuple[AuditAnnotation, ...] = ()
    mutations: tuple[PolicyMutation, ...] = ()
    reinvocation_policy: str = "Never"
    source: str = ""
    line: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The expressions, and the messages and reasons of validations."""
        texts = [item.expression for item in self.match_conditions]
        texts += [item.expression for item in self.variables]
        texts += [item.expression for item in self.mutations]
        texts += [item.value_expression for item in self.audit_annotations]
        for item in self.validations:
            texts += item.expression, item.message, item.message_expression, item.reason or INVALID
        return tuple(filter(None, texts))


class PolicyBinding(NamedTuple):
    """
    A binding of a policy.

    Attributes:
        name: The name.
        policy_name: The name of the policy.
        param_ref: Its params; None without any.
        criteria: Its own match resources; None to match each request of the policy.
        validation_actions: `Deny`, `Warn`, `Audit`; empty for the binding of a MutatingAdmissionPolicy.
        source: The file; empty for an object of a server.
        line: The line in the file.
    """

    name: str
    policy_name: str
    param_ref: ParamRef | None = None
    criteria: Criteria | None = None
    validation_actions: tuple[str, ...] = ()
    source: str = ""
    line: int = 0


def is_own(kind: str, api_version: str) -> bool:
    """Return whether objects of a kind are policies or bindings."""
    return kind in KINDS and api_version.partition("/")[0] == GROUP


def read_policy(resource: JSONObject, source: str = "", line: int = 0) -> Policy:
    """
    Return a policy.

    Args:
        resource: A valid policy of any served version, with defaults.
        source: Its file.
        line: Its line.
    """
    spec = resource["spec"]
    kind = spec.get("paramKind")
    return Policy(
        kind=resource["kind"],
        name=resource["metadata"]["name"],
        criteria=_criteria(spec.get("matchConstraints") or {}),
        param_kind=ParamKind(kind.get("apiVersion", ""), kind.get("kind", "")) if kind else None,
        failure_policy=spec.get("failurePolicy") or "Fail",
        match_conditions=tuple(
            MatchCondition(item["name"], item["expression"]) for item in _items(spec, "matchConditions")
        ),
        variables=tuple(PolicyVariable(item["name"], item["expression"]) for item in _items(spec, "variables")),
        validations=tuple(map(_validation, _items(spec, "validations"))),
        audit_annotations=tuple(
            AuditAnnotation(item["key"], item["valueExpression"]) for item in _items(spec, "auditAnnotations")
        ),
        mutations=tuple(map(_mutation, _items(spec, "mutations"))),
        reinvocation_policy=spec.get("reinvocationPolicy") or "Never",
        source=source,
        line=line,
    )


def read_binding(resource: JSONObject, source: str = "", line: int = 0) -> PolicyBinding:
    """
    Return a binding.

    Args:
        resource: A valid binding of any served version, with defaults.
        source: Its file.
        line: Its line.
    """
    spec = resource["spec"]
    reference, criteria = spec.get("paramRef"), spec.get("matchResources")
    return PolicyBinding(
        name=resource["metadata"]["name"],
        policy_name=spec["policyName"],
        param_ref=None if reference is None else _param_ref(reference),
        criteria=None if criteria is None else _criteria(criteria),
        validation_actions=tuple(spec.get("validationActions") or ()),
        source=source,
        line=line,
    )


def _items(spec: JSONObject, field: str) -> Sequence[JSONObject]:
    items: Sequence[JSONObject] = spec.get(field) or ()
    return items


def _validation(item: JSONObject) -> PolicyValidation:
    fields = (item.get(field) or "" for field in ("message", "messageExpression", "reason"))
    return PolicyValidation(item["expression"], *fields)


def _mutation(item: JSONObject) -> PolicyMutation:
    patch_type = item["patchType"]
    holder = item["jsonPatch" if patch_type == JSON_PATCH else "applyConfiguration"]
    return PolicyMutation(patch_type, holder["expression"])


def _param_ref(reference: JSONObject) -> ParamRef:
    return ParamRef(
        reference.get("name") or "",
        reference.get("namespace") or "",
        reference.get("selector"),
        reference.get("parameterNotFoundAction") or "",
    )


def _criteria(resources: JSONObject) -> Criteria:
    return Criteria(
        rules=tuple(map(_rule, _items(resources, "resourceRules"))),
        match_policy=resources.get("matchPolicy") or "Equivalent",
        namespace_selector=labelselectors.requirements(resources.get("namespaceSelector") or {}),
        object_selector=labelselectors.requirements(resources.get("objectSelector") or {}),
        excluded=tuple(map(_rule, _items(resources, "excludeResourceRules"))),
        needs_rule=False,
    )


def _rule(rule: JSONObject) -> RequestRule:
    fields = ("operations", "apiGroups", "apiVersions", "resources")
    operations, groups, versions, resources = (tuple(rule.get(field) or ()) for field in fields)
    names = tuple(rule.get("resourceNames") or ())
    return RequestRule(operations, groups, versions, resources, rule.get("scope") or "*", names)
