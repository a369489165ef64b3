"""Criteria of webhooks and policies: rules, selectors, and equivalent versions."""

from __future__ import annotations

import pytest
from support import admissions
from support.admissions import OBJECT

from pytest_crd.admission.matching import matchcriteria
from pytest_crd.admission.matching.matchcriteria import Criteria, Invocation, RequestRule
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata.labelselectors import Requirement
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError

ALL = RequestRule(("*",), ("*",), ("*",), ("*/*",))
REQUEST = admissions.admission_request()
A_IS_B = (Requirement("a", "in", ("b",)),)


def namespace_of(name: str) -> JSONObject | None:
    return {"metadata": {"name": name, "labels": {"a": "b"}}} if name != "lost" else None


def find(criteria: Criteria, request: AdmissionRequest = REQUEST) -> Invocation | None:
    return matchcriteria.find_invocation(criteria, request, request.object, namespace_of)


@pytest.mark.parametrize(
    ("rule", "subresource", "is_match"),
    [
        (ALL, "", True),
        (ALL._replace(operations=("CREATE",)), "", True),
        (ALL._replace(operations=("UPDATE", "DELETE")), "", False),
        (ALL._replace(api_groups=("example.com",)), "", True),
        (ALL._replace(api_groups=("",)), "", False),
        (ALL._replace(api_versions=("v1",)), "", True),
        (ALL._replace(api_versions=("v3",)), "", False),
        (ALL._replace(resources=("*",)), "", True),
        (ALL._replace(resources=("*",)), "status", False),
        (ALL._replace(resources=("tabs",)), "status", False),
        (ALL._replace(resources=("tabs/*",)), "status", True),
        (ALL._replace(resources=("tabs/*",)), "", True),
        (ALL._replace(resources=("*/scale",)), "scale", True),
        (ALL._replace(resources=("*/scale", "tabs")), "status", False),
        (ALL._replace(resources=("others", "tabs/status")), "status", True),
        (ALL._replace(scope="Namespaced"), "", True),
        (ALL._replace(scope="Cluster"), "", False),
    ],
)
def test_rules_match_operation_group_version_resource_and_scope(
    rule: RequestRule, subresource: str, *, is_match: bool
) -> None:
    assert rule.matches(REQUEST._replace(subresource=subresource), "example.com", "v1") is is_match


def test_resources_of_the_cluster_and_namespaces_have_the_scope_cluster() -> None:
    for request in (
        REQUEST._replace(namespace=""),
        REQUEST._replace(group="", resource="namespaces", namespace="one"),
    ):
        assert ALL._replace(scope="Cluster").matches(request, request.group, "v1")
        assert not ALL._replace(scope="Namespaced").matches(request, request.group, "v1")


def test_equivalent_versions_match_unless_the_policy_is_exact() -> None:
    second = ALL._replace(api_versions=("v2",))
    assert find(Criteria((second,))) == Invocation("example.com", "v2", "example.com", "v2", "Tab")
    assert find(Criteria((second,), "Exact")) is None
    assert find(Criteria((second, ALL))) == Invocation("example.com", "v1", "example.com", "v1", "Tab")
    assert find(Criteria((ALL._replace(api_versions=("v3",)),))) is None
    scale = REQUEST._replace(subresource="scale", kind="Scale")
    invocation = find(Criteria((second,)), scale)
    assert invocation == Invocation("example.com", "v2", "autoscaling", "v1", "Scale")
    assert invocation.api_version == "autoscaling/v1"


def test_the_labels_of_the_namespace_decide() -> None:
    criteria = Criteria((ALL,), namespace_selector=A_IS_B)
    assert find(criteria) is not None
    assert find(Criteria((ALL,), namespace_selector=(Requirement("a", "!"),))) is None
    assert find(criteria, REQUEST._replace(namespace="")) is not None


def test_a_namespace_is_selected_by_its_new_labels() -> None:
    criteria = Criteria((ALL,), namespace_selector=(Requirement("x", "in", ("y",)),))
    new = {"metadata": {"labels": {"x": "y"}}}
    request = REQUEST._replace(group="", resource="namespaces", namespace="one", object=new)
    assert find(criteria, request) is not None
    assert find(criteria, request._replace(operation="DELETE", object=None)) is None
    assert find(criteria, request._replace(subresource="status")) is None


def test_a_missing_namespace_is_an_error_if_a_rule_matches() -> None:
    criteria = Criteria((ALL,), namespace_selector=A_IS_B)
    with pytest.raises(RefusedError) as error:
        find(criteria, REQUEST._replace(namespace="lost"))
    refusal = error.value.refusal
    assert (refusal.code, refusal.reason, refusal.message) == (404, "NotFound", 'namespaces "lost" not found')
    assert refusal.subject == {"name": "lost", "kind": "namespaces"}
    unmatched = criteria._replace(rules=(ALL._replace(api_groups=("x",)),))
    assert find(unmatched, REQUEST._replace(namespace="lost")) is None


def test_the_labels_of_the_object_or_the_old_object_decide() -> None:
    criteria = Criteria((ALL,), object_selector=A_IS_B)
    bare = {**OBJECT, "metadata": {"name": "one"}}
    assert find(criteria) is not None
    assert find(criteria, REQUEST._replace(object=bare)) is None
    assert find(criteria, REQUEST._replace(object=bare, old_object=OBJECT)) is not None
    assert find(criteria, REQUEST._replace(object=None, old_object=OBJECT, operation="DELETE")) is not None


def test_objects_of_another_group_match_unless_the_policy_is_exact() -> None:
    rule = ALL._replace(api_groups=("other.example.com",))
    request = REQUEST._replace(interfaces=REQUEST.interfaces._replace(equivalents=(("other.example.com", "v5"),)))
    expected = Invocation("other.example.com", "v5", "other.example.com", "v5", "Tab")
    assert find(Criteria((rule,)), request) == expected
    assert find(Criteria((rule,), "Exact"), request) is None
    assert find(Criteria((ALL,), excluded=(rule,)), request) is None


def test_no_object_selector_matches_the_options_of_a_connection() -> None:
    options = {"apiVersion": "v1", "kind": "PodExecOptions", "command": ["sh"]}
    connection = REQUEST._replace(operation="CONNECT", object=options)
    assert find(Criteria((ALL,), object_selector=(Requirement("a", "!"),)), connection) is None
    assert find(Criteria((ALL,)), connection) is not None


@pytest.mark.parametrize(
    "resource", [{}, {"metadata": []}, {"metadata": {"labels": []}}, {"metadata": {"labels": {"a": 1}}}]
)
def test_malformed_labels_are_none(resource: JSONObject) -> None:
    assert matchcriteria.labels_of(resource) == {}


def test_webhook_configurations_and_policies_are_exempt() -> None:
    group = "admissionregistration.k8s.io"
    assert matchcriteria.is_exempt(REQUEST._replace(group=group, kind="ValidatingAdmissionPolicy"))
    assert not matchcriteria.is_exempt(REQUEST._replace(group=group, kind="Other"))
    assert not matchcriteria.is_exempt(REQUEST)
