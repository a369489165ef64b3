"""
Functions of the authorizer, which are declared although rules of CRDs have no authorizer variable.

The declarations matter for error messages: "no matching overload" differs from "undeclared reference".

Reference:
    k8s.io/apiserver pkg/cel/library/authz.go; library/cost.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.types.celtypes import BOOL, STRING, Type, struct
from pytest_crd.engine.cel.types.costs import (
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    CostEstimate,
    EstimateContext,
    SizeEstimate,
    fixed_cost,
)
from pytest_crd.engine.cel.types.functions import Estimate, Function, Library, Overload, RuntimeCost
from pytest_crd.engine.cel.values.celvalues import Value

# Values of these types do not exist, and overloads check their argument types first.
_NEVER_CALLED: Final = EvaluationError
_CHECK: Final = 350_000
_REQUIREMENTS_PER_CHARACTER: Final = 0.5
_REQUIREMENT: Final = 50  # a list and a struct

_AUTHORIZER: Final = struct("kubernetes.authorization.Authorizer")
_PATH: Final = struct("kubernetes.authorization.PathCheck")
_GROUP: Final = struct("kubernetes.authorization.GroupCheck")
_RESOURCE: Final = struct("kubernetes.authorization.ResourceCheck")
_DECISION: Final = struct("kubernetes.authorization.Decision")


def library() -> Library:
    """Return the authorizer library."""
    return Library("kubernetes.authorizer", _FUNCTIONS)


def _cheap(name: str, *overloads: tuple[str, tuple[Type, ...], Type]) -> Function:
    return _function(name, overloads, costing.unit_cost, costing.estimate_one)


def _function(
    name: str, overloads: Sequence[tuple[str, tuple[Type, ...], Type]], cost: RuntimeCost, estimate: Estimate
) -> Function:
    declared = (
        Overload(id_, parameters, result, _NEVER_CALLED, is_member=True, cost=cost, estimate=estimate)
        for id_, parameters, result in overloads
    )
    return Function(name, tuple(declared), cost)


def _selector(length: SizeEstimate) -> CostEstimate:
    """Return the cost of parsing a selector: its length, a list, and a list and a struct per two characters."""
    requirements = length.cost(_REQUIREMENTS_PER_CHARACTER).times(_REQUIREMENT)
    return fixed_cost(costing.LIST_COST) + length.cost(STRING_TRAVERSAL) + requirements


def _selector_cost(arguments: Sequence[Value], _result: Value) -> int:
    length = costing.counted(arguments[1])
    return _selector(SizeEstimate(length, length)).max


def _selector_estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    return CallEstimate(_selector(context.size(arguments[1])))


def _check_cost(_arguments: Sequence[Value], _result: Value) -> int:
    return _CHECK


def _check_estimate(_context: EstimateContext, _arguments: Sequence[Argument]) -> CallEstimate:
    return CallEstimate(fixed_cost(_CHECK))


_FUNCTIONS: Final = (
    _cheap("path", ("authorizer_path", (_AUTHORIZER, STRING), _PATH)),
    _cheap("group", ("authorizer_group", (_AUTHORIZER, STRING), _GROUP)),
    _cheap("serviceAccount", ("authorizer_serviceaccount", (_AUTHORIZER, STRING, STRING), _AUTHORIZER)),
    _cheap("resource", ("groupcheck_resource", (_GROUP, STRING), _RESOURCE)),
    _cheap("subresource", ("resourcecheck_subresource", (_RESOURCE, STRING), _RESOURCE)),
    _cheap("namespace", ("resourcecheck_namespace", (_RESOURCE, STRING), _RESOURCE)),
    _cheap("name", ("resourcecheck_name", (_RESOURCE, STRING), _RESOURCE)),
    _function(
        "check",
        [
            ("pathcheck_check", (_PATH, STRING), _DECISION),
            ("resourcecheck_check", (_RESOURCE, STRING), _DECISION),
        ],
        _check_cost,
        _check_estimate,
    ),
    _cheap("errored", ("decision_errored", (_DECISION,), BOOL)),
    _cheap("error", ("decision_error", (_DECISION,), STRING)),
    _cheap("allowed", ("decision_allowed", (_DECISION,), BOOL)),
    _cheap("reason", ("decision_reason", (_DECISION,), STRING)),
    _function(
        "fieldSelector",
        [("authorizer_fieldselector", (_RESOURCE, STRING), _RESOURCE)],
        _selector_cost,
        _selector_estimate,
    ),
    _function(
        "labelSelector",
        [("authorizer_labelselector", (_RESOURCE, STRING), _RESOURCE)],
        _selector_cost,
        _selector_estimate,
    ),
)
