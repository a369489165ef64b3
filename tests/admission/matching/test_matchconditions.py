"""Match conditions: compilation, evaluation, and failures."""

from __future__ import annotations

import pytest
from support import admissions
from support.admissions import NEWEST, OBJECT

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.matching import matchconditions, matchcriteria
from pytest_crd.admission.matching.matchconditions import MatchConditionError
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.library import accesschecks
from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, AccessRequest
from pytest_crd.webhooks import admissionreview


def are_met(*expressions: str, policy: str = "Fail", groups: tuple[str, ...] = ("g",)) -> bool:
    request = admissions.admission_request()
    request = request._replace(user=request.user._replace(groups=groups))
    described = admissionreview.describe(request, matchcriteria.invocation(request, "v1"))
    conditions = [matchconditions.compile_stored(text, NEWEST) for text in expressions]
    variables = admissionexpressions.variables_of(request, described, OBJECT, None)
    return matchconditions.are_met(
        lambda budget: [admissionexpressions.evaluate(item, variables, budget) for item in conditions], policy
    )


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
    problem_found = matchconditions.compile_new(expression, NEWEST).problem
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


MASTERS = ("system:masters",)


@pytest.mark.parametrize(
    "expression",
    [
        "authorizer.requestResource.check('get').allowed()",
        "authorizer.path('/healthz').check('get').allowed()",
        "authorizer.group('').resource('pods').subresource('log').namespace('n').name('o').check('get').reason() == ''",
        "!authorizer.requestResource.fieldSelector('a=b').labelSelector('a=b').check('list').errored()",
        "authorizer.requestResource.check('get').error() == ''",
    ],
)
def test_the_authorizer_allows_everything_to_masters(expression: str) -> None:
    assert are_met(expression, groups=MASTERS)
    with pytest.raises(
        UnsupportedExpressionError, match='the authorizer in expressions of admission for the user "admin"'
    ):
        are_met(expression)


def test_the_authorizer_knows_no_roles_of_service_accounts() -> None:
    with pytest.raises(UnsupportedExpressionError, match='the user "system:serviceaccount:n:a"'):
        are_met("authorizer.serviceAccount('n', 'a').path('/x').check('get').allowed()", groups=MASTERS)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("authorizer.path(' ').check('get').allowed()", "path must not be empty"),
        ("authorizer.group('').resource(' ').check('get').allowed()", "resource must not be empty"),
        ("authorizer.serviceAccount('n', 'A').path('/').check('get').allowed()", "Invalid service account name"),
        ("authorizer.serviceAccount('n.m', 'a').path('/').check('get').allowed()", "Invalid service account namespace"),
        ("authorizer == authorizer", "no such overload"),
        ("authorizer.path('/').check('get') == authorizer.path('/').check('get')", "no such overload"),
    ],
)
def test_checks_fail_as_in_the_server(expression: str, problem: str) -> None:
    with pytest.raises(MatchConditionError) as error:
        are_met(expression, groups=MASTERS)
    assert str(error.value) == f"expression '{expression}' resulted in error: {problem}"


def test_checks_have_no_text_but_a_type() -> None:
    request = AccessRequest("u", ())
    assert (
        str(accesschecks.Authorizer(request, lambda _: AccessAnswer(is_allowed=True)))
        == "kubernetes.authorization.Authorizer"
    )
    assert str(accesschecks.Decision(AccessAnswer(is_allowed=True))) == "kubernetes.authorization.Decision"
