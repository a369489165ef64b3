"""Access reviews."""

from __future__ import annotations

from typing import Any

import pytest
from support import policies, servers

ACCESS = "/apis/authorization.k8s.io/v1"
REVIEW = f"{ACCESS}/subjectaccessreviews"
RULES = f"{ACCESS}/selfsubjectrulesreviews"
LOCAL = f"{ACCESS}/namespaces/default/localsubjectaccessreviews"
GET: Any = {"verb": "get", "resource": "pods", "namespace": "default"}


def _spec(**fields: Any) -> Any:
    return {"spec": {"user": "jane", **fields}}


def _status(path: str, body: Any, *objects: Any, user: Any = policies.ADMIN) -> Any:
    answer = policies.ask(policies.api(objects), user, "POST", path, body)
    assert answer.code == 201
    return answer.value["status"]


def _message(path: str, body: Any, **rest: Any) -> tuple[int, str]:
    answer = policies.ask(policies.api([]), policies.ADMIN, "POST", path, body, **rest)
    return answer.code, str(answer.value["message"])


def test_reviews_answer_for_their_users() -> None:
    objects = [policies.role("r", policies.rule("get", "pods")), policies.binding("b", "r", policies.user("jane"))]
    reason = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "jane"'
    allowed = {"allowed": True, "reason": reason}
    assert _status(REVIEW, _spec(resourceAttributes=GET), *objects) == allowed
    assert _status(LOCAL, _spec(resourceAttributes=GET), *objects) == allowed
    own = f"{ACCESS}/selfsubjectaccessreviews"
    assert _status(own, {"spec": {"resourceAttributes": GET}}, *objects, user=policies.JANE) == allowed
    assert _status(own, {"spec": {"resourceAttributes": GET}}) == {"allowed": True}
    assert _status(REVIEW, _spec(resourceAttributes={}), *objects) == {"allowed": False}
    assert _status(REVIEW, _spec(nonResourceAttributes={"path": "/x", "verb": "get"}), *objects) == {"allowed": False}
    groups = {"groups": ["system:masters"], "extra": {"a": ["b"], "c": None}, "resourceAttributes": GET}
    assert _status(REVIEW, {"spec": groups}) == {"allowed": True}


def test_reviews_keep_their_spec_and_have_managed_fields() -> None:
    body = {"metadata": {"namespace": "x"}, **_spec(resourceAttributes=GET), "status": {"allowed": True}}
    value = policies.ask(policies.api([]), policies.ADMIN, "POST", REVIEW, body).value
    assert [*value] == ["kind", "apiVersion", "metadata", "spec", "status"]
    assert (value["spec"], value["status"]) == (body["spec"], {"allowed": False})
    (owned,) = value["metadata"]["managedFields"]
    assert (owned["manager"], value["metadata"].keys()) == ("tests", {"managedFields"})


def test_rules_of_a_user_are_listed() -> None:
    rule = {**policies.rule("get", "pods", resourceNames=["a"]), "nonResourceURLs": ["/x"]}
    objects = [policies.role("r", rule), policies.binding("b", "r", policies.user("jane"))]
    status = _status(RULES, {"spec": {"namespace": "default"}}, *objects, user=policies.JANE)
    expected = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"]}
    assert expected in status["resourceRules"]
    assert {"verbs": ["get"], "nonResourceURLs": ["/x"]} in status["nonResourceRules"]
    assert status["incomplete"] is False
    missing = policies.binding("b", "gone", policies.user("jane"))
    status = _status(RULES, {"spec": {"namespace": "default"}}, missing, user=policies.JANE)
    assert status["evaluationError"] == 'clusterrole.rbac.authorization.k8s.io "gone" not found'
    assert _message(RULES, {}) == (400, "no namespace on request")


def test_a_user_can_ask_for_its_name() -> None:
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    value = policies.ask(policies.api([]), policies.JANE, "POST", path, {}).value
    assert value["status"] == {"userInfo": {"username": "jane", "groups": ["devs", "system:authenticated"]}}
    assert value["metadata"].keys() == {"creationTimestamp"}


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        (REVIEW, _spec(), "spec: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"),
        (
            REVIEW,
            _spec(nonResourceAttributes={"path": "/"}, resourceAttributes={}),
            'spec: Invalid value: {"Path":"/","Verb":""}: exactly one of',
        ),
        (REVIEW, {"spec": {"resourceAttributes": {}}}, 'spec.user: Invalid value: "": at least one of user or group must be specified'),
        (LOCAL, _spec(resourceAttributes={}), 'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace'),
        (
            LOCAL,
            _spec(nonResourceAttributes={}),
            'spec.nonResourceAttributes: Invalid value: {"Path":"","Verb":""}: disallowed on this kind of request',
        ),
        (
            REVIEW,
            {"metadata": {"name": "x", "labels": {"b": "c", "a": "b"}}, **_spec(resourceAttributes={})},
            'metadata: Invalid value: {"name":"x","labels":{"a":"b","b":"c"},"managedFields":[{"manager":"tests",',
        ),
        (LOCAL, {"metadata": {"name": "x"}, **_spec(resourceAttributes=GET)}, ": must be empty except for namespace"),
        (
            REVIEW,
            _spec(resourceAttributes={"labelSelector": {}}),
            "when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required",
        ),
        (
            REVIEW,
            _spec(resourceAttributes={"fieldSelector": {"rawSelector": "x", "requirements": [{"key": "", "operator": "Foo"}]}}),
            'rawSelector: Invalid value: "x": may not specified at the same time as requirements, spec.resource',
        ),
        (
            REVIEW,
            _spec(resourceAttributes={"fieldSelector": {"requirements": [{"key": "a", "operator": "In"}]}}),
            "requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            REVIEW,
            _spec(
                resourceAttributes={
                    "labelSelector": {"requirements": [{"key": "a b", "operator": "Exists", "values": ["a b"]}]}
                }
            ),
            "requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist', ",
        ),
    ],
)  # fmt: skip
def test_malformed_reviews_are_refused_without_their_kind(path: str, body: Any, problem: str) -> None:
    code, message = _message(path, body)
    assert (code, message.startswith('.authorization.k8s.io "" is invalid: ')) == (422, True)
    assert problem in message


def test_unreadable_selectors_are_ignored_in_part() -> None:
    attributes = {
        "labelSelector": {"rawSelector": "a in"},
        "fieldSelector": {
            "requirements": [{"key": "a", "operator": "Foo"}, {"key": "a", "operator": "In", "values": ["x"]}]
        },
    }
    assert _status(REVIEW, _spec(resourceAttributes=attributes))["evaluationError"] == (
        "spec.resourceAttributes.fieldSelector partially ignored due to parse error; "
        "spec.resourceAttributes.labelSelector ignored due to parse error"
    )
    unknown = {"labelSelector": {"requirements": [{"key": "a", "operator": "Gt"}]}}
    assert _status(REVIEW, _spec(resourceAttributes=unknown))["evaluationError"] == (
        "spec.resourceAttributes.labelSelector ignored due to parse error"
    )


def test_reviews_are_created_and_nothing_else() -> None:
    server = policies.api([])
    assert policies.ask(server, policies.ADMIN, "GET", REVIEW).code == 405
    assert policies.ask(server, policies.ADMIN, "POST", f"{REVIEW}/x", {}).code == 404
    table = "application/json;as=Table;g=meta.k8s.io;v=v1"
    refused = servers.ask(server, "POST", REVIEW, _spec(resourceAttributes=GET), accept=table)
    assert (refused.code, refused.unvalidated) == (406, "")
    strict = policies.ask(server, policies.ADMIN, "POST", f"{REVIEW}?fieldValidation=Strict", _spec(foo=1))
    assert 'strict decoding error: unknown field "spec.foo"' in strict.value["message"]
    dry = policies.ask(server, policies.ADMIN, "POST", f"{REVIEW}?dryRun=All", _spec(resourceAttributes=GET))
    assert dry.code == 201
    in_missing = policies.ask(
        server,
        policies.ADMIN,
        "POST",
        f"{ACCESS}/namespaces/none/localsubjectaccessreviews",
        _spec(resourceAttributes={"namespace": "none"}),
    )
    assert in_missing.code == 201
