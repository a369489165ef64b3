"""Points of policies, reached by requests."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression, ExpressionOutcome
from pytest_crd.admission.matching.matchcriteria import Criteria
from pytest_crd.policies import policycoverage
from pytest_crd.policies.definitions import (
    APPLY_CONFIGURATION,
    MUTATING,
    VALIDATING,
    AuditAnnotation,
    ParamKind,
    ParamRef,
    Policy,
    PolicyBinding,
    PolicyMutation,
    PolicyValidation,
)
from pytest_crd.policies.policycontext import Evaluation
from pytest_crd.policies.policycoverage import PolicyMeter

_CRITERIA = Criteria((), "Equivalent", (), (), (), needs_rule=False)
_PARAMS = ParamKind("v1", "ConfigMap")
_BOUND = PolicyBinding("with", "p", param_ref=ParamRef("a", "", None, "Deny"))
_VALIDATING = Policy(
    VALIDATING,
    "p",
    _CRITERIA,
    param_kind=_PARAMS,
    validations=(PolicyValidation("true", message_expression="'x'"),),
    audit_annotations=(AuditAnnotation("a", "'x'"),),
)


def test_a_policy_has_points_for_each_result() -> None:
    points = policycoverage.points(_VALIDATING, [_BOUND, PolicyBinding("without", "p")])
    assert [point.text for point in points] == [
        "the binding with finds a param",
        "validations[0] passes",
        "validations[0] fails",
        "validations[0].messageExpression makes the message",
        "auditAnnotations[0] has a value",
    ]


def test_a_mutation_makes_a_patch() -> None:
    mutation = PolicyMutation(APPLY_CONFIGURATION, "Object{}")
    (point,) = policycoverage.points(Policy(MUTATING, "p", _CRITERIA, mutations=(mutation,)), [_BOUND])
    assert point.text == "mutations[0] makes a patch"


@pytest.mark.parametrize(
    ("part", "value", "problem", "reached"),
    [
        ("auditAnnotations", "x", "", ["auditAnnotations[0] has a value"]),
        ("auditAnnotations", None, "", []),
        ("auditAnnotations", None, "failed", []),
        ("messageExpression", "x", "", []),
        ("mutations", {}, "", ["mutations[0] makes a patch"]),
    ],
)
def test_a_value_reaches_a_point(part: str, value: Any, problem: str, reached: list[str]) -> None:
    meter = PolicyMeter()
    outcome = ExpressionOutcome(value, problem)
    meter.observe(Evaluation(_VALIDATING, part, 0, AdmissionExpression("x"), outcome, {}, {}))
    assert [point.text for point in meter.reached] == reached
