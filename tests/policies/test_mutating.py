"""The admission plugin of MutatingAdmissionPolicies."""

from __future__ import annotations

from typing import Any

import pytest
from conformance import policyconversations, policyreplay
from support import patches

from pytest_crd.admission.chain import Reinvocation
from pytest_crd.admission.matching.matchconditions import MatchCondition
from pytest_crd.admission.matching.matchcriteria import Criteria, RequestRule
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import ADMINISTRATOR, AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies import mutating
from pytest_crd.policies.definitions import (
    APPLY_CONFIGURATION,
    MUTATING,
    ParamKind,
    Policy,
    PolicyBinding,
    PolicyMutation,
    PolicyVariable,
)
from pytest_crd.policies.invocations import BoundPolicy
from pytest_crd.policies.params import NoParams
from pytest_crd.policies.policycontext import PolicyContext, PolicyListeners

_RULE = RequestRule(("*",), ("*",), ("*",), ("*/*",), "*", ())
_CRITERIA = Criteria((_RULE,), "Equivalent", (), (), (), needs_rule=False)
_CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"
_DEPLOYMENTS = "/apis/apps/v1/namespaces/{ns}/deployments"
_DEPLOYMENT = {
    "metadata": {"name": "a"},
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "x"}]},
        },
    },
}


def answers(requests: list[Any], crds: tuple[str, ...] = (), **mutations: Any) -> list[Any]:
    """Return the answers of our server with mutating policies."""
    declared = {"name": "test", "crds": [*crds], "mutations": mutations, "requests": requests}
    replayed: Any = policyreplay.replay(policyconversations.conversation("test", declared), "1.37")
    return [answer["body"] for answer in replayed["answers"]]


def deployment(expression: str) -> Any:
    """Return the answer to the creation of a Deployment that a policy mutates."""
    rules = [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}]
    request = {"send": {"method": "POST", "path": _DEPLOYMENTS, "body": _DEPLOYMENT}}
    policy = {"matchConstraints": {"resourceRules": rules}, "mutations": expression}
    return answers([request], set=policy)[0]


def mutate(*expressions: str, interfaces: Any = None, kind: Any = None, resource: Any = None, **fields: Any) -> Any:
    """Return an object without a schema after a policy."""
    mutations = tuple(PolicyMutation(APPLY_CONFIGURATION, expression) for expression in expressions)
    policy = Policy(MUTATING, "p", _CRITERIA, mutations=mutations, param_kind=kind, **fields)
    resource = resource or {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"}}
    interfaces = interfaces or admission.single_version("v1")
    named: Any = {"group": "", "version": "v1", "kind": "Thing", "resource": "things", "subresource": "", "name": "a"}
    rest: Any = {"namespace": "", "old_object": None, "options": {}, "dry_run": False, "user": ADMINISTRATOR}
    request = AdmissionRequest("CREATE", **named, **rest, object=resource, interfaces=interfaces)
    bound = [BoundPolicy(policy, (PolicyBinding("b", "p"),))]
    return mutating.mutate(
        bound, request, PolicyContext(lambda _: None, NoParams(), PolicyListeners()), patches.NEWEST, Reinvocation()
    )


def refusal(*expressions: str, **fields: Any) -> Any:
    """Return the refusal of a mutation."""
    with pytest.raises(RefusedError) as caught:
        mutate(*expressions, **fields)
    return caught.value.refusal


def test_a_configuration_and_a_patch_change_a_built_in_object() -> None:
    expressions = ["Object{data: {'x': 'y'}}", "[JSONPatch{op: 'remove', path: '/data/a'}]"]
    body = {"metadata": {"name": "a"}, "data": {"a": "b"}}
    (answer,) = answers(
        [{"send": {"method": "POST", "path": _CONFIG_MAPS, "body": body}}], set={"mutations": expressions}
    )

    assert answer["data"] == {"x": "y"}


@pytest.mark.parametrize(
    ("expression", "code", "problem"),
    [
        ("Object{spec: Object.spec{replicas: 1.5}}", 403, "unable to convert unstructured object to apps/v1, Kind=Deployment: cannot convert float64 to int32"),
        ("[JSONPatch{op: 'add', path: '/spec/replicas', value: 'x'}]", 500, "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"),
        ("[JSONPatch{op: 'add', path: '/spec/x', value: 1}]", 500, 'strict decoding error: unknown field "spec.x"'),
        ("[JSONPatch{op: 'replace', path: '/kind', value: 'X'}]", 500, 'no kind "X" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111"'),
    ],
)  # fmt: skip
def test_results_that_are_no_built_in_objects_are_refused(expression: str, code: int, problem: str) -> None:
    answer = deployment(expression)

    assert (answer["code"], answer["message"].endswith(problem)) == (code, True), answer["message"]


def test_a_built_in_object_needs_no_type_meta_after_a_patch() -> None:
    operations = "[JSONPatch{op: 'remove', path: '/kind'}, JSONPatch{op: 'remove', path: '/apiVersion'}]"
    assert deployment(operations)["kind"] == "Deployment"


def test_a_patch_changes_the_scale_of_a_built_in_object_and_no_other() -> None:
    rule = {"apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["*/scale"]}
    patch = "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 7}]"
    scale = {"spec": {"replicas": 3}}
    send = {
        "method": "PATCH",
        "path": f"{_DEPLOYMENTS}/a/scale",
        "mediaType": "application/merge-patch+json",
        "body": scale,
    }
    own = {"matchConstraints": {"resourceRules": [{"apiGroups": ["*"], **rule}]}, "mutations": patch}
    requests = [{"send": {"method": "POST", "path": _DEPLOYMENTS, "body": _DEPLOYMENT}}, {"send": send}]
    assert answers(requests, set=own)[1]["spec"] == {"replicas": 7}

    refused = answers([{"create": {"spec": {"replicas": 1}}}, {"scaleTo": 3}], ("plain",), set=own)[1]
    assert refused["message"].endswith("request to convert CR to an invalid group/version: autoscaling/v1")


def test_each_version_is_mutated_on_its_own() -> None:
    def policy(version: str) -> Any:
        rule = {
            "apiGroups": ["{ns}.example.com"],
            "apiVersions": [version],
            "operations": ["*"],
            "resources": ["things"],
        }
        expression = f"Object{{metadata: Object.metadata{{labels: {{'{version}': 'x'}}}}}}"
        return {"matchConstraints": {"resourceRules": [rule]}, "mutations": expression}

    (answer,) = answers([{"create": {"spec": {"size": 2}}}], ("two",), a=policy("v1"), b=policy("v2"))
    assert answer["metadata"]["labels"] == {"v2": "x"}


def test_policies_are_evaluated_again_if_they_allow_it() -> None:
    def policy(name: str, again: str) -> Any:
        value = f"string(object.?metadata.?labels.?{name}.orValue('') + 'x')"
        expression = f"Object{{metadata: Object.metadata{{labels: {{'{name}': {value}}}}}}}"
        return {"reinvocationPolicy": again, "mutations": expression}

    (answer,) = answers([{"create": {}}], ("plain",), one=policy("one", "IfNeeded"), two=policy("two", "Never"))
    assert answer["metadata"]["labels"] == {"one": "xx", "two": "x"}


def test_each_failing_mutation_is_a_cause() -> None:
    refused = refusal("wrong", "1", interfaces=_interfaces(), failure_policy="Fail")
    lead = "policy 'p' with binding 'b' denied request: "
    causes = [cause["message"] for cause in refused.status["details"]["causes"]]

    assert (refused.code, refused.reason) == (403, "Invalid")
    assert causes[0].startswith(f"{lead}compilation failed: ERROR: <input>:1:1: undeclared reference to 'wrong'")
    assert causes[1:] == [f"{lead}must evaluate to Object but got int"]
    assert [denial.by for denial in refused.denials] == ["p", "p"]


def test_failures_are_ignored_on_demand() -> None:
    assert mutate("wrong", failure_policy="Ignore")["kind"] == "Thing"


def test_expensive_mutations_fail() -> None:
    numbers = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"
    variable = f"{numbers}.map(a, {numbers}.map(b, {numbers}.map(c, {numbers}.map(d, d))))"
    variables = tuple(PolicyVariable(f"v{index}", variable) for index in range(99))
    total = " + ".join(f"size(variables.v{index})" for index in range(99))
    refused = refusal(f"Object{{a: {total}}}", interfaces=_interfaces(), variables=variables)

    assert "running out of cost budget" in refused.message


def test_conditions_decide_and_fail() -> None:
    def condition(expression: str) -> Any:
        return {"match_conditions": (MatchCondition("c", expression),)}

    assert mutate("wrong", **condition("false"))["kind"] == "Thing"
    assert refusal("Object{}", **condition("object.x == 1")).message.endswith("no such key: x")


def test_unknown_params_are_a_problem_of_the_policy() -> None:
    refused = refusal("Object{}", kind=ParamKind("v1", "Nothing"))
    assert (refused.code, refused.reason) == (403, "Forbidden")
    assert refused.message.startswith('policy "p" denied request: failed to configure policy: ')


def test_objects_without_a_known_type_are_unsupported() -> None:
    with pytest.raises(UnsupportedExpressionError, match="mutations of Thing by policies"):
        mutate("Object{}")


def _interfaces() -> Any:
    return admission.single_version("v1")._replace(merge_type=lambda _: None)


def test_a_server_cannot_convert_mutated_events_of_the_other_group() -> None:
    rules = [{"apiGroups": ["events.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["events"]}]
    event = {"metadata": {"name": "a"}, "involvedObject": {"namespace": "{ns}"}, "reason": "Started", "message": "a"}
    request = {"send": {"method": "POST", "path": "/api/v1/namespaces/{ns}/events", "body": event}}
    policy = {"matchConstraints": {"resourceRules": rules}, "mutations": "Object{note: object.note}"}

    assert answers([request], set=policy)[0]["message"].endswith(
        'v1.Event is not suitable for converting to "v1" in scheme "pkg/runtime/scheme.go:111"'
    )
