"""Reading of the policies of a project: types, versions, validation with places, and policies without effect."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.yaml import manifest
from pytest_crd.policies import policytypes, reading
from pytest_crd.policies.definitions import MUTATING_BINDING
from pytest_crd.policies.reading import PolicyError

POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: small
  namespace: ignored
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: object.spec.size < 5
"""
BINDING = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small}
spec:
  policyName: small
  validationActions: [Deny]
"""


def problems(text: str, kubernetes: str = "1.37") -> list[str]:
    with pytest.raises(PolicyError) as error:
        reading.read(manifest.read(text.encode(), source="p.yaml"), profile.named(kubernetes))
    return [str(mistake).removeprefix("p.yaml") for mistake in error.value.mistakes]


def both(policy: str = POLICY, binding: str = BINDING) -> str:
    return f"{policy}---\n{binding}"


def test_policies_and_bindings_have_the_servers_defaults() -> None:
    text = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    read = reading.read(manifest.read((both() + text).encode(), source="p.yaml"), profile.named("1.37"))
    [bound] = read.policies.validating
    assert (bound.policy.name, bound.policy.failure_policy) == ("small", "Fail")
    assert bound.policy.criteria.rules[0].scope == "*"
    assert (bound.policy.source, bound.policy.line) == ("p.yaml", 1)
    assert [item.kind for item in read.objects] == ["ConfigMap"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("ValidatingAdmisionPolicy", "ValidatingAdmisionPolicy: did you mean ValidatingAdmissionPolicy?"),
        ("Thing", "Thing"),
    ],
)
def test_kinds_that_the_group_of_policies_does_not_have_are_refused(kind: str, expected: str) -> None:
    unknown = f"---\napiVersion: admissionregistration.k8s.io/v1\nkind: {kind}\nmetadata: {{name: a}}\n"
    assert problems(both() + unknown) == [f":21: admissionregistration.k8s.io has no {expected}"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (("expression: object.spec.size < 5", "expression: 1"), ":1: ValidatingAdmissionPolicy in version"),
        (("validations:", "validation:"), ':10: ValidatingAdmissionPolicy in version "v1" cannot be handled'),
        (("size < 5", "size <"), ":11: spec.validations[0].expression: Invalid value:"),
        (("operations: [CREATE]", "operations: [PATCH]"), ":9: spec.matchConstraints.resourceRules[0].operations[0]"),
        (("name: small", "name: Small"), ':4: metadata.name: Invalid value: "Small"'),
        (("name: small", "generateName: small-"), ":4: from small-: cannot use generate name with apply"),
        (("  name: small\n", ""), ":4: metadata.name: Required value: name or generateName is required"),
    ],
)
def test_refused_policies_are_mistakes_with_their_lines(changed: tuple[str, str], expected: str) -> None:
    [problem, *_] = problems(both(POLICY.replace(*changed)))
    assert problem.startswith(expected)


def test_all_mistakes_are_reported_at_once() -> None:
    text = both(POLICY.replace("size < 5", "size <"), BINDING.replace("[Deny]", "[Deny, Warn]"))
    assert [problem.partition(": ")[2].partition(":")[0] for problem in problems(text)] == [
        "spec.validations[0].expression",
        "spec.validationActions",
    ]


def test_a_duplicate_field_is_refused() -> None:
    [problem] = problems(both(POLICY + "  validations: []\n"))
    assert problem.endswith('strict decoding error: line 12: key "validations" already set in map')


def test_two_policies_of_one_name_are_refused() -> None:
    [problem] = problems(both(f"{POLICY}---\n{POLICY}"))
    assert problem == ":13: ValidatingAdmissionPolicy small is also in p.yaml:1: leave one of the two"


def test_policies_without_effect_are_refused() -> None:
    assert problems(both(POLICY, BINDING.replace("policyName: small", "policyName: other"))) == [
        ":1: the policy small has no binding, so it has no effect: add its binding to crd_policies",
        ":13: the binding small names the policy other, which is not in crd_policies",
    ]


@pytest.mark.parametrize(
    ("kind", "version", "kubernetes", "served"),
    [
        ("ValidatingAdmissionPolicy", "v1beta1", "1.37", "v1"),
        ("ValidatingAdmissionPolicyBinding", "v1alpha1", "1.32", "v1"),
        ("MutatingAdmissionPolicy", "v1", "1.34", "v1beta1"),
        ("MutatingAdmissionPolicy", "v1beta1", "1.33", "v1alpha1"),
        ("MutatingAdmissionPolicyBinding", "v1", "1.35", "v1beta1"),
        ("ValidatingAdmissionPolicy", "v1", "1.21", ""),
    ],
)
def test_versions_that_no_server_serves_are_refused(kind: str, version: str, kubernetes: str, served: str) -> None:
    group = "admissionregistration.k8s.io"
    text = f"apiVersion: {group}/{version}\nkind: {kind}\nmetadata: {{name: a}}\n"
    wanted = f": write {group}/{served}" if served else ""
    assert problems(text, kubernetes) == [
        f":1: Kubernetes {kubernetes} does not serve {kind} of {group}/{version}{wanted}"
    ]


def test_only_v1alpha1_defaults_the_action_for_missing_params() -> None:
    binding: JSONObject = {"spec": {"paramRef": {"name": "limits", "parameterNotFoundAction": None}}}
    references = {
        version: policytypes.defaulted(binding, MUTATING_BINDING, version)["spec"]["paramRef"]
        for version in ("v1alpha1", "v1beta1", "v1")
    }
    assert references["v1alpha1"] == {"name": "limits", "parameterNotFoundAction": "Deny"}
    assert references["v1beta1"] == references["v1"] == binding["spec"]["paramRef"]


@pytest.mark.parametrize("metadata", ["[]", "{name: 1}"])
def test_malformed_metadata_is_refused(metadata: str) -> None:
    [problem, *_] = problems(f"{POLICY.partition('metadata')[0]}metadata: {metadata}\n")
    assert "cannot unmarshal" in problem
