"""Checks of the admission policies of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: small-gardens}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [gardens, gardens/status]}
    - {apiGroups: [""], apiVersions: ["*"], operations: [CREATE], resources: ["*"]}
  validations:
  - expression: object.spec.size < 4
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: small-gardens}
spec: {policyName: small-gardens, validationActions: [Deny]}
"""
MUTATION = """\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: soil}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [gardens]}]
  mutations:
  - {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{soil: 'clay'}}"}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: soil}
spec: {policyName: soil}
"""
VALIDATING, BINDING = "ValidatingAdmissionPolicy/small-gardens", "ValidatingAdmissionPolicyBinding/small-gardens"


@pytest.fixture
def gardens(project: Project) -> Project:
    """A project with a CRD and a policy."""
    project.write("config/policies/policy.yaml", POLICY)
    project.ini("crd_policies = config/policies", "crd_checks = true")
    return project


def _run(project: Project) -> pytest.RunResult:
    return project.run("config/policies/policy.yaml", "-rA")


def test_policies_and_bindings_are_checked_below_their_file(gardens: Project) -> None:
    result = _run(gardens)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            f"PASSED config/policies/policy.yaml::policy[[]{VALIDATING}]",
            f"PASSED config/policies/policy.yaml::matches[[]{VALIDATING}]",
            f"PASSED config/policies/policy.yaml::types[[]{VALIDATING}]",
            f"PASSED config/policies/policy.yaml::policy[[]{BINDING}]",
        ]
    )


def test_types_of_mutations_are_not_checked_by_a_server(gardens: Project) -> None:
    gardens.write("config/policies/policy.yaml", MUTATION)
    _run(gardens).assert_outcomes(passed=3)


def test_mistakes_fail_the_check_of_their_object(gardens: Project) -> None:
    broken = POLICY.replace("object.spec.size < 4", "object.spec.size <").replace("[Deny]", "[Refuse]")
    gardens.write("config/policies/policy.yaml", broken)
    result = _run(gardens)
    result.assert_outcomes(failed=2, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "*policy[[]ValidatingAdmissionPolicy/small-gardens], Kubernetes 1.37",
            "*config/policies/policy.yaml:10: spec.validations[[]0].expression: Invalid value: *Syntax error*",
            "*policy[[]ValidatingAdmissionPolicyBinding/small-gardens], Kubernetes 1.37",
            '*config/policies/policy.yaml:15: spec.validationActions[[]0]: Unsupported value: "Refuse"*',
        ]
    )


def test_a_policy_without_a_binding_fails(gardens: Project) -> None:
    gardens.write("config/policies/policy.yaml", POLICY.partition("---")[0])
    result = _run(gardens)
    result.assert_outcomes(failed=1, skipped=2)
    result.stdout.fnmatch_lines(["*the policy small-gardens has no binding, so it has no effect*"])


UNMATCHED = (
    "{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [garden]}",
    "{apiGroups: [stories.example.com], apiVersions: [v2], operations: [CREATE], resources: [gardens]}",
    "{apiGroups: [stories.example.org], apiVersions: [v1], operations: [CREATE], resources: [gardens]}",
)


def test_rules_that_match_nothing_fail(gardens: Project) -> None:
    lines = POLICY.splitlines()
    rules = [f"    - {rule}" for rule in UNMATCHED]
    gardens.write("config/policies/policy.yaml", "\n".join((*lines[:6], *rules, *lines[7:])))
    result = _run(gardens)
    result.assert_outcomes(passed=3, failed=1)
    words = "the rule matches no resource of the project's CRDs and of Kubernetes: garden*"
    result.stdout.fnmatch_lines([f"*config/policies/policy.yaml:{line}: {words}" for line in (7, 8, 9)])


def test_expressions_that_do_not_fit_the_schema_are_warnings(gardens: Project) -> None:
    gardens.write("config/policies/policy.yaml", POLICY.replace("spec.size", "spec.length"))
    result = _run(gardens)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        ["crd: config/policies/policy.yaml:10: warning: stories.example.com/v1, Kind=Garden: *undefined field 'length'"]
    )
    gardens.ini("crd_policies = config/policies", "crd_checks = true", "crd_warnings = error")
    _run(gardens).assert_outcomes(passed=3, failed=1)


def test_files_without_policies_fail_the_plan(gardens: Project) -> None:
    gardens.write("config/policies/policy.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    result = gardens.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no MutatingAdmissionPolicy or ValidatingAdmissionPolicy is in these places"])


def test_policies_that_a_command_prints_are_checked_below_the_ini_file(gardens: Project) -> None:
    gardens.ini("crd_policies_commands = cat config/policies/policy.yaml", "crd_checks = true")
    result = gardens.run("-rA")
    result.stdout.fnmatch_lines([f"PASSED pytest.ini::policy[[]{VALIDATING}]"])
