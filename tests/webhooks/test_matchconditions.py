"""Match conditions: compilation, evaluation, and failures."""

from __future__ import annotations

import pytest
from support import admissions
from support.admissions import NEWEST, OBJECT

from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.webhooks import admissionreview, matchconditions, matching
from pytest_crd.webhooks.matchconditions import ConditionVariables, MatchCondition, MatchConditionError


def are_met(*expressions: str, policy: str = "Fail") -> bool:
    request = admissions.admission_request()
    described = admissionreview.describe(request, matching.invocation(request, "v1"))
    conditions = [MatchCondition(f"c{number}", text) for number, text in enumerate(expressions)]
    return matchconditions.are_met(conditions, ConditionVariables(OBJECT, None, described), policy, NEWEST)


@pytest.mark.parametrize(
    "expression",
    [
        "object.metadata.labels.a == 'b' && object.spec.x == 1",
        "oldObject == null && namespaceObject == null",
        "request.operation == 'CREATE' && request.kind.kind == 'Tab' && request.resource.resource == 'tabs'",
        "request.userInfo.username == 'admin' && 'g' in request.userInfo.groups && request.userInfo.extra['e'][1] == '2'",
        "!request.dryRun && request.options.kind == 'CreateOptions' && !has(request.subResource)",
        "true || authorizer.requestResource.check('get').allowed()",
    ],
)
def test_conditions_see_the_request_and_its_objects(expression: str) -> None:
    assert are_met(expression)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("authorizer.group('').resource('pods').check('get').allowed()", ""),
        ("object.x", "must evaluate to bool but got dyn"),
        ("request.uid == ''", "compilation failed: ERROR: <input>:1:8: undefined field 'uid'"),
        ("kubernetes.Unknown{}.x == 1", "compilation failed: ERROR: <input>:1:19: undeclared reference"),
        ("params.x == 1", "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params'"),
        ("'x'.matches('[')", "compilation failed: ERROR: <input>:1:13: invalid matches argument"),
        ("b'x' == bytes(string(b'\\xff'))", "program instantiation failed: "),
    ],
)
def test_conditions_that_do_not_compile_have_the_servers_message(expression: str, problem: str) -> None:
    problem_found = matchconditions.find_problem(expression, NEWEST)
    assert problem_found.startswith(problem) if problem else not problem_found


def test_a_false_condition_wins_over_failing_ones() -> None:
    assert not are_met("object.missing == 1", "false")
    assert not are_met("true", "false")


def test_failing_conditions_fail_or_skip_by_the_policy() -> None:
    failing = "object.missing == 1"
    words = "expression 'object.missing == 1' resulted in error: no such key: missing"
    with pytest.raises(MatchConditionError) as error:
        are_met("true", failing, failing)
    assert str(error.value) == words
    with pytest.raises(MatchConditionError) as error:
        are_met(failing, "1")
    assert str(error.value) == f"[{words}, compilation error: must evaluate to bool but got int]"
    assert not are_met("true", failing, policy="Ignore")


COSTLY = "[0,1,2,3,4,5,6,7,8,9]"
LOOPS = "".join(f"{COSTLY}.all(v{number}, " for number in range(5)) + "v0 >= 0" + ")" * 5


def test_costs_are_limited_for_one_condition_and_for_all() -> None:
    with pytest.raises(MatchConditionError, match="resulted in error: operation cancelled: actual cost limit exceeded"):
        are_met(f"{COSTLY}.all(v9, {LOOPS})")
    with pytest.raises(MatchConditionError) as error:
        are_met(*[f"{LOOPS} && {number} >= 0" for number in range(10)])
    words = "validation failed due to running out of cost budget, no further validation rules will be run"
    assert str(error.value) == words
    assert not are_met(*[f"{LOOPS} && {number} >= 0" for number in range(10)], policy="Ignore")


def test_a_condition_that_reads_the_authorizer_is_not_supported() -> None:
    with pytest.raises(
        UnsupportedExpressionError, match=r"the variable authorizer\.requestResource of match conditions"
    ):
        are_met("authorizer.requestResource.check('get').allowed()")
