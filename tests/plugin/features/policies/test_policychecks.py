"""Checks of the admission policies of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.sessions import Folder

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
VALIDATING = "ValidatingAdmissionPolicy/small-gardens"
UNMATCHED = (
    "{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [garden]}",
    "{apiGroups: [stories.example.com], apiVersions: [v2], operations: [CREATE], resources: [gardens]}",
    "{apiGroups: [stories.example.org], apiVersions: [v1], operations: [CREATE], resources: [gardens]}",
)
LINES = POLICY.splitlines()
# The files of a project, each with a policy of its name.
FILES = {
    "small-gardens": POLICY,
    "soil": MUTATION,
    "broken": POLICY.replace("object.spec.size < 4", "object.spec.size <").replace("[Deny]", "[Refuse]"),
    "unbound": POLICY.partition("---")[0],
    "unmatched": "\n".join((*LINES[:6], *(f"    - {rule}" for rule in UNMATCHED), *LINES[7:])),
    "unfit": POLICY.replace("spec.size", "spec.length"),
}


def _write(folder: Folder, *names: str) -> None:
    folder.crd()
    for name in names:
        folder.write(f"config/policies/{name}.yaml", FILES[name].replace("small-gardens", name))


@pytest.fixture
def gardens(empty: Project) -> Project:
    """A project with a CRD and a policy."""
    _write(empty, "small-gardens")
    empty.ini("crd_policies = config/policies", "crd_checks = true")
    return empty


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The report of policies without a mistake."""
    return _check(Folder(tmp_path_factory.mktemp("policies")), "small-gardens", "soil", "unmatched", "unfit")


def _check(folder: Folder, *names: str) -> pytest.RunResult:
    _write(folder, *names)
    folder.ini("crd_policies = config/policies", "crd_checks = true")
    return folder.run("config/policies", "-v")


def _outcomes(report: pytest.RunResult, name: str) -> dict[str, str]:
    """Return the outcome of each check of a file, with the kind of object."""
    lines = [line for line in report.outlines if line.startswith(f"config/policies/{name}.yaml::")]
    checks = [line.partition("::")[2].split()[:2] for line in lines]
    return {check.partition("/")[0]: outcome for check, outcome in checks}


CHECKS = ("policy", "matches", "types")
BINDING = "policy[ValidatingAdmissionPolicyBinding"


def _expect(*outcomes: str, binding: str = "") -> dict[str, str]:
    checks = [f"{check}[ValidatingAdmissionPolicy" for check in CHECKS]
    return dict(zip(checks, outcomes, strict=True)) | ({BINDING: binding} if binding else {})


@pytest.mark.session
def test_policies_and_bindings_are_checked_below_their_file(report: pytest.RunResult) -> None:
    assert _outcomes(report, "small-gardens") == _expect("PASSED", "PASSED", "PASSED", binding="PASSED")


@pytest.mark.session
def test_types_of_mutations_are_not_checked_by_a_server(report: pytest.RunResult) -> None:
    assert _outcomes(report, "soil") == {
        "policy[MutatingAdmissionPolicy": "PASSED",
        "matches[MutatingAdmissionPolicy": "PASSED",
        "policy[MutatingAdmissionPolicyBinding": "PASSED",
    }


def test_mistakes_fail_the_check_of_their_object(empty: Project) -> None:
    report = _check(empty, "broken")

    assert _outcomes(report, "broken") == _expect("FAILED", "SKIPPED", "SKIPPED", binding="FAILED")
    report.stdout.fnmatch_lines_random(
        [
            "*policy[[]ValidatingAdmissionPolicy/broken], Kubernetes 1.37",
            "*config/policies/broken.yaml:10: spec.validations[[]0].expression: Invalid value: *Syntax error*",
            "*policy[[]ValidatingAdmissionPolicyBinding/broken], Kubernetes 1.37",
            '*config/policies/broken.yaml:15: spec.validationActions[[]0]: Unsupported value: "Refuse"*',
        ]
    )


def test_a_policy_without_a_binding_fails(empty: Project) -> None:
    report = _check(empty, "unbound")

    assert _outcomes(report, "unbound") == _expect("FAILED", "SKIPPED", "SKIPPED")
    report.stdout.fnmatch_lines(["*the policy unbound has no binding, so it has no effect*"])


@pytest.mark.session
def test_rules_that_match_nothing_fail(report: pytest.RunResult) -> None:
    assert _outcomes(report, "unmatched") == _expect("PASSED", "FAILED", "PASSED", binding="PASSED")
    words = "the rule matches no resource of the project's CRDs and of Kubernetes: garden*"
    report.stdout.fnmatch_lines([f"*config/policies/unmatched.yaml:{line}: {words}" for line in (7, 8, 9)])


@pytest.mark.session
def test_expressions_that_do_not_fit_the_schema_are_warnings(report: pytest.RunResult) -> None:
    assert _outcomes(report, "unfit") == _expect("PASSED", "PASSED", "PASSED", binding="PASSED")
    report.stdout.fnmatch_lines(
        ["crd: config/policies/unfit.yaml:10: warning: stories.example.com/v1, Kind=Garden: *undefined field 'length'"]
    )


def test_expressions_that_do_not_fit_the_schema_fail_where_warnings_are_errors(gardens: Project) -> None:
    _write(gardens, "unfit")
    gardens.ini("crd_policies = config/policies", "crd_checks = true", "crd_warnings = error")

    gardens.run("config/policies").assert_outcomes(passed=7, failed=1)


def test_files_without_policies_fail_the_plan(gardens: Project) -> None:
    gardens.write("config/policies/small-gardens.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    result = gardens.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no MutatingAdmissionPolicy or ValidatingAdmissionPolicy is in these places"])


def test_policies_that_a_command_prints_are_checked_below_the_ini_file(gardens: Project) -> None:
    gardens.ini("crd_policies_commands = cat config/policies/small-gardens.yaml", "crd_checks = true")
    result = gardens.run("-rA")
    result.stdout.fnmatch_lines([f"PASSED pytest.ini::policy[[]{VALIDATING}]"])
