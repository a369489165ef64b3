"""The admission plugin of ValidatingAdmissionPolicies, without a server."""

from __future__ import annotations

from typing import Any

import pytest
from support import patches

from pytest_crd.admission.chain import Reinvocation
from pytest_crd.admission.matching.matchcriteria import Criteria, RequestRule
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import ADMINISTRATOR, AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies import mutating, validating
from pytest_crd.policies.definitions import (
    APPLY_CONFIGURATION,
    MUTATING,
    VALIDATING,
    Policy,
    PolicyBinding,
    PolicyMutation,
    PolicyValidation,
    PolicyVariable,
)
from pytest_crd.policies.invocations import BoundPolicy
from pytest_crd.policies.params import NoParams
from pytest_crd.policies.policycontext import PolicyContext, PolicyListeners

_THING = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
_SURROUNDINGS = PolicyContext(lambda _: None, NoParams(), PolicyListeners())


def _refuse(*_: object) -> Any:
    raise RefusedError(refusal.internal_error("conversion failed"))


_INTERFACES = admission.single_version("v1")._replace(versions=("v1", "v2"), convert=_refuse, merge_type=lambda _: None)


def _criteria(version: str = "v1", **fields: Any) -> Criteria:
    rule = RequestRule(("*",), ("example.com",), (version,), ("things",))
    return Criteria((rule,), "Equivalent", (), (), (), needs_rule=False)._replace(**fields)


def _request(**fields: Any) -> AdmissionRequest:
    named: Any = {"group": "example.com", "version": "v1", "kind": "Thing", "resource": "things", "subresource": ""}
    rest: Any = {
        "name": "a",
        "namespace": "",
        "old_object": None,
        "options": {},
        "dry_run": False,
        "user": ADMINISTRATOR,
    }
    return AdmissionRequest("CREATE", **{**named, **rest, "object": _THING, "interfaces": _INTERFACES, **fields})


def _bound(policy: Policy) -> list[BoundPolicy]:
    return [BoundPolicy(policy, (PolicyBinding("b", "p", validation_actions=("Deny",)),))]


def _validate(criteria: Criteria, request: AdmissionRequest, *validations: PolicyValidation, **fields: Any) -> None:
    policy = Policy(VALIDATING, "p", criteria, validations=validations, **fields)
    validating.validate(_bound(policy), request, _SURROUNDINGS, patches.NEWEST, [])


def _mutate(criteria: Criteria, request: AdmissionRequest, **fields: Any) -> Any:
    policy = Policy(MUTATING, "p", criteria, mutations=(PolicyMutation(APPLY_CONFIGURATION, "Object{}"),), **fields)
    return mutating.mutate(_bound(policy), request, _SURROUNDINGS, patches.NEWEST, Reinvocation())


def _message(run: Any, *arguments: Any, **fields: Any) -> str:
    with pytest.raises(RefusedError) as caught:
        run(*arguments, **fields)
    return caught.value.refusal.message


def test_a_failed_conversion_denies_by_the_failure_policy() -> None:
    newer = _criteria("v2")
    words = (
        "policy 'p' with binding 'b' denied request: failed to configure binding: failed to convert object version: "
    )

    assert words.partition("policy ")[2] in _message(_validate, newer, _request())
    assert "conversion failed" in _message(_validate, newer, _request())
    assert "conversion failed" in _message(_mutate, newer, _request())
    _validate(newer, _request(), failure_policy="Ignore")
    assert _mutate(newer, _request(), failure_policy="Ignore") == _THING


@pytest.mark.parametrize("run", [_validate, _mutate])
def test_a_request_in_a_namespace_that_does_not_exist_is_refused(run: Any) -> None:
    assert _message(run, _criteria(), _request(namespace="gone")) == 'namespaces "gone" not found'


def test_a_selector_of_a_namespace_that_does_not_exist_is_a_problem_of_the_policy() -> None:
    criteria = _criteria(namespace_selector=labelselectors.requirements({"matchLabels": {"team": "a"}}))
    message = _message(_validate, criteria, _request(namespace="gone"))

    assert message.endswith('denied request: failed to configure policy: namespaces "gone" not found')


def test_nothing_is_mutated_in_a_deletion() -> None:
    request = _request(object=None, old_object=_THING)
    assert _mutate(_criteria(), request) is None


def test_an_expensive_message_expression_fails_the_validations() -> None:
    numbers = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
    variable = f"{numbers}.map(a, {numbers}.map(b, {numbers}.map(c, {numbers}.map(d, d))))"
    variables = tuple(PolicyVariable(f"v{index}", variable) for index in range(99))
    total = " + ".join(f"size(variables.v{index})" for index in range(99))
    validation = PolicyValidation("false", message_expression=f"string({total})")
    message = _message(_validate, _criteria(), _request(), validation, variables=variables)

    assert "denied request: failed messageExpression: " in message
    assert "running out of cost budget" in message
