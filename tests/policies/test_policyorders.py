"""A server evaluates policies in a random order: the answer to a request must not depend on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
import yaml
from support import policycases

from pytest_crd.admission.chain import AdmissionChain, AdmissionPlugin, Reinvocation
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.deviations import NotReached
from pytest_crd.cases.model import CaseFileError
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.request import OrderDependentError
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies.definitions import ParamKind
from pytest_crd.policies.params import NoParams, ParamSource
from pytest_crd.policies.policycontext import PolicyListeners
from pytest_crd.policies.projectadmission import ProjectAdmission

LABEL = "object.?metadata.?labels[?'{0}'].orValue('')"
APPEND = "Object{{metadata: Object.metadata{{labels: {{'{0}': " + LABEL + " + '{1}'}}}}}}"
GROUP = "stories.example.com"


def append(text: str, label: str = "l") -> str:
    """Return a mutation that appends a text to a label."""
    return APPEND.format(label, text)


def put(value: str, label: str = "l") -> str:
    """Return a mutation that sets a label."""
    return f"Object{{metadata: Object.metadata{{labels: {{'{label}': {value}}}}}}}"


def policy(name: str, mutation: str, bindings: Iterable[str] = ("b",), **spec: Any) -> str:
    """Return the manifests of a policy with bindings."""
    rule = {"apiGroups": [GROUP], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["gardens"]}
    mutations = [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": mutation}}]
    reference = {"selector": {}, "parameterNotFoundAction": "Deny"} if "paramKind" in spec else {"name": ""}
    head = {"apiVersion": "admissionregistration.k8s.io/v1"}
    documents: list[Any] = [
        {
            **head,
            "kind": "MutatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": {
                "matchConstraints": {"resourceRules": [rule]},
                "reinvocationPolicy": "Never",
                "mutations": mutations,
                **spec,
            },
        }
    ]
    for binding in bindings:
        bound = {"policyName": name, **({"paramRef": reference} if "paramKind" in spec else {})}
        documents.append(
            {
                **head,
                "kind": "MutatingAdmissionPolicyBinding",
                "metadata": {"name": f"{name}-{binding}"},
                "spec": bound,
            }
        )
    return yaml.safe_dump_all(documents)


class _Params:
    """A source with three ConfigMaps."""

    def is_namespaced(self, _kind: ParamKind) -> bool:
        """Return True."""
        return True

    def read(self, _kind: ParamKind, namespace: str) -> list[JSONObject]:
        """Return the ConfigMaps."""
        return [{"metadata": {"name": name, "namespace": namespace}, "data": {"text": name}} for name in "abc"]


class _Webhook:
    """A mutating webhook that counts its calls and adds the number of labels to the object."""

    def __init__(self) -> None:
        self.calls: list[bool] = []

    def mutate(self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]) -> JSONObject | None:
        self.calls.append(reinvocation.is_again)
        assert request.object is not None
        metadata = request.object["metadata"]
        warnings.append("called")
        length = str(len(metadata.get("labels", {}).get("l", "")))
        return {**request.object, "metadata": {**metadata, "annotations": {"length": length}}}

    def validate(self, _request: AdmissionRequest, _warnings: list[str]) -> None:
        """Accept it."""


def version(
    *policies: str,
    listeners: PolicyListeners | None = None,
    params: ParamSource | None = None,
    webhooks: tuple[AdmissionPlugin, ...] = (),
) -> CrdVersion:
    """Return a version of a CRD with mutating policies."""
    facts = policycases.admission_of("\n---\n".join(policies)).facts
    facts = facts._replace(listeners=listeners or facts.listeners, store_params=lambda *_: params or NoParams())

    class WithWebhooks(ProjectAdmission):
        """Admission with further plugins."""

        def admission(self, profile: Profile, namespace_of: Any = None) -> AdmissionChain:
            chain = super().admission(profile, namespace_of)
            return chain._replace(plugins=(*chain.plugins, *webhooks))

    crd = CustomResourceDefinition.from_manifest(yaml.safe_load(policycases.CRD))
    return crd.with_webhooks(WithWebhooks(facts)).version("v1")


DEPENDENT = {
    "two policies": [policy("a", append("a")), policy("b", append("b"))],
    "a later policy that sees the first": [policy("a", put("'x'")), policy("b", put("string(has(object.metadata.labels))", "m"))],
    "the last one wins": [policy("a", put("'a'")), policy("b", put("'b'")), policy("c", put("'c'", "m"))],
    "the last of five": [policy(name, put(f"'{name}'", "l" if name in "ae" else name)) for name in "abcde"],
    "two bindings": [policy("a", append("a", "n"), "xy", variables=[]), policy("b", append("b"), "xy"), policy("c", append("c"))],
    "a match condition": [policy("a", put("'x'")), policy("b", put("'x'", "m"), matchConditions=[{"name": "c", "expression": "!has(object.metadata.labels)"}])],
    "a policy that fails after another": [policy("a", put("'x'")), policy("b", "Object{spec: Object.spec{size: has(object.metadata.labels) ? 1 / 0 : 1}}")],
}  # fmt: skip
ALIKE = {
    "one policy": [policy("a", append("a"))],
    "other fields": [policy("a", append("a")), policy("b", append("b", "m"))],
    "the same value": [policy("a", put("'x'")), policy("b", put("'x'"))],
    "a repeated policy": [policy("a", put("string('m' in object.?metadata.?labels.orValue({}))"), reinvocationPolicy="IfNeeded"), policy("b", put("'x'", "m"))],
    "a refusal in each order": [policy("a", put("'-'")), policy("b", put("'-'"))],
    "values that the schema refuses in each order": [policy("a", "Object{spec: Object.spec{size: 10}}"), policy("b", "Object{spec: Object.spec{size: 10}}")],
    "failures of two policies": [policy("a", put("string(1 / 0)")), policy("b", put("string(2 / 0)"))],
    "one binding that matches": [policy("a", append("a")), policy("b", append("b"), matchConditions=[{"name": "c", "expression": "false"}])],
    "five policies": [policy(name, put("'x'", name)) for name in "abcde"],
}  # fmt: skip


@pytest.mark.parametrize("policies", [pytest.param(value, id=key) for key, value in DEPENDENT.items()])
def test_an_answer_that_depends_on_the_order_is_an_error(policies: list[str]) -> None:
    with pytest.raises(OrderDependentError, match="depends on the order of mutating admission policies") as caught:
        version(*policies).create({"spec": {}})

    first, second = str(caught.value).splitlines()[1:]
    assert first.partition(": 2")[2] != second.partition(": 2")[2]


@pytest.mark.parametrize("policies", [pytest.param(value, id=key) for key, value in ALIKE.items()])
def test_an_answer_that_is_the_same_in_each_order_is_given(policies: list[str]) -> None:
    response = version(*policies).create({"spec": {}})

    assert response.code in {201, 403, 422}


def test_the_error_names_two_orders_with_their_answers() -> None:
    size = "Object{spec: Object.spec{size: object.?spec.?size.orValue(1) %s}}"
    with pytest.raises(OrderDependentError) as caught:
        version(policy("add", size % "+ 1"), policy("double", size % "* 2")).create({"spec": {"size": 1}})

    assert str(caught.value).splitlines()[1:] == [
        "    add, double: 201, spec.size: 4",
        "    double, add: 201, spec.size: 3",
    ]
    with pytest.raises(OrderDependentError) as caught:
        version(policy("add", size % "+ 1"), policy("double", size % "* 2")).create({"spec": {"size": 4}})
    refused, accepted = str(caught.value).splitlines()[1:]
    assert refused.startswith("    add, double: 422: Garden.stories.example.com")
    assert accepted == "    double, add: 201"


def test_a_selection_of_params_has_a_random_order() -> None:
    """As kube-apiserver 1.37 lists them."""
    mutation = put("params.data.text", "l")
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    with pytest.raises(OrderDependentError) as caught:
        version(policy("p", mutation, paramKind=kind), params=_Params()).create({"spec": {}})

    names = "p (binding p-b, param default/{}), p (binding p-b, param default/{}), p (binding p-b, param default/{})"
    first, second = str(caught.value).splitlines()[1:]
    assert first == f'    {names.format(*"abc")}: 201, metadata.labels.l: "c"'
    assert second == f'    {names.format(*"acb")}: 201, metadata.labels.l: "b"'


def test_listeners_hear_of_one_order() -> None:
    heard: list[Any] = []
    listeners = PolicyListeners(observe=heard.append, observe_match=heard.append, observe_order=heard.append)
    crd_version = version(policy("a", append("a")), policy("b", append("b")), listeners=listeners)

    with pytest.raises(OrderDependentError) as caught:
        crd_version.create({"spec": {}})

    assert heard.pop() == str(caught.value)
    assert len(heard) == 6  # two rounds with a match of each policy, and their mutations in the first one


@pytest.mark.parametrize(
    ("policies", "calls"),
    [
        pytest.param([policy("a", append("a"))], [False, True], id="one policy"),
        pytest.param([policy("a", append("a")), policy("b", append("b", "m"))], [False, True], id="two orders with the same object"),
        pytest.param([policy("a", append("a")), policy("b", append("bb"))], [False, True] * 2, id="two orders with two objects"),
    ],
)  # fmt: skip
def test_webhooks_are_called_again_only_for_another_object(policies: list[str], calls: list[bool]) -> None:
    webhook = _Webhook()
    crd_version = version(*policies, webhooks=(webhook,))
    try:
        response = crd_version.create({"spec": {}})
    except OrderDependentError:
        assert len(calls) > 2
    else:
        assert len(calls) == 2
        assert "called" in response.warnings

    assert webhook.calls == calls


def test_a_webhook_may_refuse_one_order() -> None:
    class Refusing(_Webhook):
        """A webhook that denies one label."""

        def mutate(self, request: AdmissionRequest, *rest: Any) -> JSONObject | None:
            assert request.object is not None
            if request.object["metadata"]["labels"]["l"] == "ba":
                raise RefusedError(Refusal(403, "Forbidden", "no ba"))
            return super().mutate(request, *rest)

    policies = [policy("a", append("a")), policy("b", append("b"))]
    with pytest.raises(OrderDependentError, match=r"\n    b, a: 403: no ba$"):
        version(*policies, webhooks=(Refusing(),)).create({"spec": {}})


def _case(further: str = "") -> Any:
    text = f"crd: gardens.{GROUP}\ncreate:\n- {{name: it, input: {{spec: {{}}}}, accepted: true{further}}}\n"
    return loader.load(text, source="cases.yaml")[0].cases[0]


@pytest.mark.parametrize(("policies", "is_failed"), [(DEPENDENT["two policies"], True), (ALIKE["other fields"], False)])
def test_a_case_fails_if_its_answer_depends_on_the_order(policies: list[str], *, is_failed: bool) -> None:
    result = caserunner.run(_case(), CaseSubject(version(*policies)))

    assert [type(mismatch) for mismatch in result.mismatches] == [NotReached] * is_failed


def test_an_expected_failure_is_not_that_of_the_order() -> None:
    with pytest.raises(CaseFileError, match="would for another reason: the answer depends on the order"):
        caserunner.run(_case(", xfail: later"), CaseSubject(version(*DEPENDENT["two policies"])))


@pytest.mark.parametrize(("mutation", "is_failed"), [(append("a"), False), (put("params.data.text"), True)])
def test_a_case_of_a_policy_fails_if_its_params_have_an_order(mutation: str, tmp_path: Any, *, is_failed: bool) -> None:
    kind = {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}
    manifests = policy("p", mutation, "b", **kind)
    params = ", ".join(
        f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: default}}, data: {{text: {name}}}}}"
        for name in ("a", "b")
    )
    case = f"- name: it\n  input: {{apiVersion: {GROUP}/v1, kind: Garden, spec: {{}}}}\n  accepted: true\n  params: [{params}]\n"
    if not is_failed:
        case = case.replace(
            ", {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: default}, data: {text: b}}", ""
        )
    case_file = policycases.load(case, "p")

    result = policycases.run(case_file, policycases.subject_of(case_file, manifests, tmp_path))

    assert [type(mismatch) for mismatch in result.mismatches] == [NotReached] * is_failed
