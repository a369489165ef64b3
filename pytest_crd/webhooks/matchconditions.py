"""
Match conditions: CEL expressions that decide whether a webhook or a policy sees a request.

Reference:
    apiserver admission/plugin/webhook/matchconditions/matcher.go; admission/plugin/cel/compile.go and activation.go.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError, CostLimitError, UnsupportedExpressionError
from pytest_crd.engine.cel.library import accesschecks
from pytest_crd.engine.cel.library.accesschecks import AccessRequest, Authorizer, ResourceCheck
from pytest_crd.engine.cel.run.interpreter import COST_LIMIT, Program, ProgramError
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import BOOL, DYN, INT, STRING, TIMESTAMP, Type
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.rules import environments

# The cost limit of all conditions of a webhook for one request.
_BUDGET: Final = 2_500_000
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"
_AUTHORIZER: Final = "authorizer"
_OF_REQUEST: Final = f"{_AUTHORIZER}.requestResource"
# The group of administrators.
_MASTERS: Final = "system:masters"
_REQUEST: Final = "kubernetes.AdmissionRequest"
_NAMESPACE: Final = "kubernetes.Namespace"
_STRINGS: Final = celtypes.list_of(STRING)
_STRING_MAP: Final = celtypes.map_of(STRING, STRING)

_STRUCTS: Final[dict[str, dict[str, Type]]] = {
    "kubernetes.GroupVersionKind": dict.fromkeys(("group", "version", "kind"), STRING),
    "kubernetes.GroupVersionResource": dict.fromkeys(("group", "version", "resource"), STRING),
    "kubernetes.UserInfo": {
        "username": STRING,
        "uid": STRING,
        "groups": _STRINGS,
        "extra": celtypes.map_of(STRING, _STRINGS),
    },
    _REQUEST: {
        "kind": celtypes.struct("kubernetes.GroupVersionKind"),
        "resource": celtypes.struct("kubernetes.GroupVersionResource"),
        "subResource": STRING,
        "requestKind": celtypes.struct("kubernetes.GroupVersionKind"),
        "requestResource": celtypes.struct("kubernetes.GroupVersionResource"),
        "requestSubResource": STRING,
        "name": STRING,
        "namespace": STRING,
        "operation": STRING,
        "userInfo": celtypes.struct("kubernetes.UserInfo"),
        "dryRun": BOOL,
        "options": DYN,
    },
    "kubernetes.NamespaceSpec": {"finalizers": _STRINGS},
    "kubernetes.NamespaceCondition": {
        "status": STRING,
        "type": STRING,
        "lastTransitionTime": TIMESTAMP,
        "message": STRING,
        "reason": STRING,
    },
    "kubernetes.NamespaceStatus": {
        "conditions": celtypes.list_of(celtypes.struct("kubernetes.NamespaceCondition")),
        "phase": STRING,
    },
    "kubernetes.NamespaceMetadata": {
        "name": STRING,
        "generateName": STRING,
        "namespace": STRING,
        "labels": _STRING_MAP,
        "annotations": _STRING_MAP,
        "UID": STRING,
        "creationTimestamp": TIMESTAMP,
        "deletionGracePeriodSeconds": INT,
        "deletionTimestamp": TIMESTAMP,
        "generation": INT,
        "resourceVersion": STRING,
        "finalizers": _STRINGS,
    },
    _NAMESPACE: {
        "metadata": celtypes.struct("kubernetes.NamespaceMetadata"),
        "spec": celtypes.struct("kubernetes.NamespaceSpec"),
        "status": celtypes.struct("kubernetes.NamespaceStatus"),
    },
}
NOT_INSTANTIATED: Final = "program instantiation failed"
"""The beginning of the message about an expression that compiles, but whose constant parts fail."""
_VARIABLES: Final = {
    "object": DYN,
    "oldObject": DYN,
    "namespaceObject": celtypes.struct(_NAMESPACE),
    "request": celtypes.struct(_REQUEST),
    _AUTHORIZER: accesschecks.AUTHORIZER,
    _OF_REQUEST: accesschecks.RESOURCE,
}


class _Structs:
    """Provider of the types of admission."""

    def find_struct(self, name: str) -> Type | None:
        return celtypes.struct(name) if name in _STRUCTS else None

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        return _STRUCTS.get(struct_name, {}).get(field_name)


Variables: TypeAlias = Mapping[str, Value]


class MatchCondition(NamedTuple):
    """
    A match condition.

    Attributes:
        name: The name.
        expression: The expression.
    """

    name: str
    expression: str


class MatchConditionError(Exception):
    """Match conditions that cannot be evaluated, with the server's message."""


def condition_variables(
    request: AdmissionRequest, described: JSONObject, new: JSONObject | None, old: JSONObject | None
) -> Variables:
    """
    Return the variables of match conditions.

    Args:
        request: The request.
        described: The `request` of a review.
        new: The object in the version of the webhook; None on DELETE.
        old: The old object in that version; None on CREATE.

    Reference:
        apiserver admission/plugin/cel/activation.go, newActivation.
    """
    access = AccessRequest(request.user.username, request.user.groups)
    authorize = request.authorize or _authorize
    own = access._replace(
        group=request.group,
        resource=request.resource,
        subresource=request.subresource,
        namespace=request.namespace,
        name=request.name,
    )
    return {
        "object": new,
        "oldObject": old,
        "namespaceObject": None,
        "request": described,
        _AUTHORIZER: Authorizer(access, authorize),
        _OF_REQUEST: ResourceCheck(own, authorize),
    }


def _authorize(request: AccessRequest) -> bool:
    """Return True for an administrator; other users depend on roles, which are unknown."""
    if _MASTERS in request.groups:
        return True
    user = printing.quote(request.username)
    raise UnsupportedExpressionError(f"the authorizer in match conditions for the user {user}, as it knows no roles")


def find_problem(expression: str, profile: Profile) -> str:
    """Return the server's message about a new condition that does not compile; empty if it compiles."""
    compiled = _compile(expression, profile, is_new=True)
    return compiled if isinstance(compiled, str) else ""


def are_met(conditions: Sequence[MatchCondition], variables: Variables, failure_policy: str, profile: Profile) -> bool:
    """
    Return whether a request meets all conditions; if one fails, none is false, and the policy is Ignore, return False.

    Args:
        conditions: The conditions.
        variables: Their variables.
        failure_policy: `Fail` or `Ignore`.
        profile: The Kubernetes version.

    Raises:
        MatchConditionError: A condition fails, none is false, and the policy is Fail.
        UnsupportedExpressionError: A condition uses a feature that the server has and this engine has not.
    """
    problems: list[str] = []
    try:
        values = _evaluate(conditions, variables, problems, profile)
    except MatchConditionError:
        if failure_policy == "Fail":
            raise
        return False
    if False in values:
        return False
    if problems and failure_policy == "Fail":
        distinct = list(dict.fromkeys(problems))
        raise MatchConditionError(distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]")
    return not problems


def _evaluate(
    conditions: Sequence[MatchCondition], variables: Variables, problems: list[str], profile: Profile
) -> list[Value]:
    """
    Return the values of the conditions, with None for each of the *problems*.

    Raises:
        MatchConditionError: The conditions cost too much together.
    """
    budget, values = _BUDGET, []
    for condition in conditions:
        compiled = _compile(condition.expression, profile)
        value: JSONValue = None
        if isinstance(compiled, str):
            problems.append(f"compilation error: {compiled}")
        else:
            value, cost, problem = _run(compiled, variables)
            budget -= cost
            if budget < 0:
                raise MatchConditionError(_OUT_OF_BUDGET)
            if problem:
                problems.append(f"expression '{condition.expression}' resulted in error: {problem}")
        values.append(value)
    return values


def _run(program: Program, variables: Variables) -> tuple[Value, int, str]:
    """Return the value of a condition, its cost, and its run-time error."""
    try:
        result = program.evaluate(variables, COST_LIMIT)
    except CostLimitError as error:
        return None, error.cost, str(error)
    return result.value, result.cost, "" if result.error is None else str(result.error)


@functools.lru_cache(1024)
def _compile(expression: str, profile: Profile, *, is_new: bool = False) -> Program | str:
    """Return the program of a condition, or the server's message about it."""
    environment = _environment(profile, is_new=is_new)
    try:
        checked = environment.compile(expression)
    except CompileError as error:
        return f"compilation failed: {error}"
    if checked.type != BOOL:
        return f"must evaluate to bool but got {checked.type}"
    try:
        return Program(checked, environment.functions)
    except ProgramError as error:
        return f"{NOT_INSTANTIATED}: {error}"


@functools.cache
def _environment(profile: Profile, *, is_new: bool) -> Environment:
    base = environments.new(profile) if is_new else environments.stored(profile)
    return base.extend(_VARIABLES, _Structs())
