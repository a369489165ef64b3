"""
Functions of the authorizer.

Rules of CRDs have no authorizer. Its declarations matter for their error messages: "no matching overload" differs from "undeclared reference".

Reference:
    k8s.io/apiserver pkg/cel/library/authz.go; library/cost.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from pytest_crd.engine.cel.library import accesschecks, costing
from pytest_crd.engine.cel.library.accesschecks import AUTHORIZER, DECISION, GROUP, PATH, RESOURCE, ResourceCheck
from pytest_crd.engine.cel.types.celtypes import BOOL, STRING, Type
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

_CHECK: Final = 350_000
_REQUIREMENTS_PER_CHARACTER: Final = 0.5
_REQUIREMENT: Final = 50  # a list and a struct


def library() -> Library:
    """Return the authorizer library."""
    return Library("kubernetes.authorizer", _FUNCTIONS)


_Declared: TypeAlias = tuple[str, tuple[Type, ...], Type, Callable[..., Value]]


def _cheap(name: str, *overloads: _Declared) -> Function:
    return _function(name, overloads, costing.unit_cost, costing.estimate_one)


def _function(name: str, overloads: Sequence[_Declared], cost: RuntimeCost, estimate: Estimate) -> Function:
    declared = (
        Overload(id_, parameters, result, call, is_member=True, cost=cost, estimate=estimate)
        for id_, parameters, result, call in overloads
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


def _narrowing(field: str) -> Callable[[ResourceCheck, str], ResourceCheck]:
    return lambda check, text: check.narrow(**{field: text})


_FUNCTIONS: Final = (
    _cheap("path", ("authorizer_path", (AUTHORIZER, STRING), PATH, accesschecks.path)),
    _cheap("group", ("authorizer_group", (AUTHORIZER, STRING), GROUP, accesschecks.group)),
    _cheap(
        "serviceAccount",
        ("authorizer_serviceaccount", (AUTHORIZER, STRING, STRING), AUTHORIZER, accesschecks.service_account),
    ),
    _cheap("resource", ("groupcheck_resource", (GROUP, STRING), RESOURCE, accesschecks.resource)),
    _cheap("subresource", ("resourcecheck_subresource", (RESOURCE, STRING), RESOURCE, _narrowing("subresource"))),
    _cheap("namespace", ("resourcecheck_namespace", (RESOURCE, STRING), RESOURCE, _narrowing("namespace"))),
    _cheap("name", ("resourcecheck_name", (RESOURCE, STRING), RESOURCE, _narrowing("name"))),
    _function(
        "check",
        [
            ("pathcheck_check", (PATH, STRING), DECISION, accesschecks.decide),
            ("resourcecheck_check", (RESOURCE, STRING), DECISION, accesschecks.decide),
        ],
        _check_cost,
        _check_estimate,
    ),
    _cheap("errored", ("decision_errored", (DECISION,), BOOL, lambda _: False)),
    _cheap("error", ("decision_error", (DECISION,), STRING, lambda _: "")),
    _cheap("allowed", ("decision_allowed", (DECISION,), BOOL, lambda decision: decision.is_allowed)),
    _cheap("reason", ("decision_reason", (DECISION,), STRING, lambda decision: decision.reason)),
    _function(
        "fieldSelector",
        [("authorizer_fieldselector", (RESOURCE, STRING), RESOURCE, _narrowing("field_selector"))],
        _selector_cost,
        _selector_estimate,
    ),
    _function(
        "labelSelector",
        [("authorizer_labelselector", (RESOURCE, STRING), RESOURCE, _narrowing("label_selector"))],
        _selector_cost,
        _selector_estimate,
    ),
)
