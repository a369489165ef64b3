"""Case files about a policy are tests like those about a CRD: found, run, reported, filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "test_sizes.crd.yaml"
VALIDATING: Final = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE, UPDATE], resources: [gardens, configmaps]}]}
  validations: [{expression: '!has(object.data) && object.spec.size <= 5', message: at most 5}]
  auditAnnotations: [{key: size, valueExpression: 'has(object.spec) ? string(object.spec.size) : "none"'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sizes}
spec: {policyName: sizes, validationActions: [%s]}
"""
MUTATING: Final = """
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: soils}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE], resources: [gardens]}]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{spec: Object.spec{soil: object.spec.note}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: soils}
spec: {policyName: soils}
"""
SIZE: Final = "{apiVersion: stories.example.com/v1, kind: Garden, spec: {size: %s}}"
NOTE: Final = "{apiVersion: stories.example.com/v1, kind: Garden, spec: {note: %s}}"


@pytest.fixture
def policies(project: Project) -> Project:
    """A project with a CRD and two policies."""
    project.write("policies.yaml", VALIDATING % "Deny" + MUTATING)
    project.ini("crd_policies = policies.yaml")
    return project


def _cases(policy: str, *cases: str) -> str:
    listed = "".join(f"- name: case {number}\n  {case}\n" for number, case in enumerate(cases, 1))
    return f"policy: {policy}\ncases:\n{listed}"


UNKNOWN: Final = (
    ("size", "no policy of crd_policies is called size; did you mean sizes?"),
    ("quota", "no policy of crd_policies is called quota; there are: sizes, soils"),
    (
        "MutatingAdmissionPolicy/sizes",
        "no policy of crd_policies is called MutatingAdmissionPolicy/sizes; did you mean sizes?",
    ),
)
ACCEPTED: Final = _cases("sizes", f"input: {SIZE % 5}\n  accepted: true")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> pytest.RunResult:
    """The result of a session with files that pass, fail, and cannot be read."""
    from support import sessions

    folder = sessions.Folder(tmp_path_factory.mktemp("policies"))
    folder.crd()
    folder.write("policies.yaml", VALIDATING % "Deny" + MUTATING)
    folder.ini("crd_policies = policies.yaml")
    files = {
        "named.yaml": ACCEPTED,
        "test_failure.crd.yaml": _cases("sizes", f"input: {SIZE % 6}\n  accepted: true"),
        "test_mistakes.crd.yaml": _cases(
            "sizes", "inputFile: a.yaml\n  accepted: true", "inputFile: b.yaml\n  accepted: true"
        ),
        "test_refused.crd.yaml": _cases(
            "soils", f"input: {NOTE % 'chalk'}\n  error: 'spec.soil: Unsupported value: \"chalk\"'"
        ),
        "test_unmatched.crd.yaml": _cases("soils", f"old: {SIZE % 5}\n  input: {SIZE % 'many'}\n  matched: false"),
        "test_old.crd.yaml": f'kubernetesVersion: "1.32"\n{ACCEPTED}',
        **{
            f"test_{number}.crd.yaml": _cases(name, f"input: {SIZE % 5}\n  accepted: true")
            for number, (name, _) in enumerate(UNKNOWN)
        },
    }
    for name, text in files.items():
        folder.cases(text, name)
    return folder.run("-v", "--continue-on-collection-errors", *files)


@pytest.mark.session
def test_a_named_file_is_recognized_by_its_key(result: pytest.RunResult) -> None:
    result.assert_outcomes(passed=2, failed=2, errors=5)
    result.stdout.fnmatch_lines(["named.yaml::case 1 PASSED*"])


@pytest.mark.session
def test_a_failure_names_the_policy_and_its_place(result: pytest.RunResult) -> None:
    result.stdout.fnmatch_lines(
        [
            'test_failure.crd.yaml:3: policy case "case 1"',
            "ValidatingAdmissionPolicy sizes (policies.yaml:2), Kubernetes 1.37",
            "refused (422), but expected to be accepted:",
            "validations[[]0]: !has(object.data) && object.spec.size <= 5 = false",
            "  object.spec.size = 6",
        ]
    )


@pytest.mark.session
def test_an_unknown_policy_is_a_mistake(result: pytest.RunResult) -> None:
    for number, (_, message) in enumerate(UNKNOWN):
        result.stdout.fnmatch_lines([f"test_{number}.crd.yaml:1: {message}*"])


@pytest.mark.session
def test_mistakes_in_objects_of_cases_are_found_together(result: pytest.RunResult) -> None:
    result.stdout.fnmatch_lines(["test_mistakes.crd.yaml:4: *a.yaml*", "test_mistakes.crd.yaml:7: *b.yaml*"])


@pytest.mark.session
def test_a_version_of_a_file_that_no_server_answers_as_is_a_mistake(result: pytest.RunResult) -> None:
    result.stdout.fnmatch_lines(["test_old.crd.yaml:1: no server answers as Kubernetes 1.32*"])


@pytest.mark.session
def test_an_object_that_the_crd_refuses_after_a_mutation_is_refused(result: pytest.RunResult) -> None:
    result.stdout.fnmatch_lines(["test_refused.crd.yaml::case 1 PASSED*"])


@pytest.mark.session
def test_another_refusal_of_a_request_that_the_policy_does_not_match_fails(result: pytest.RunResult) -> None:
    result.stdout.fnmatch_lines(
        [
            'test_unmatched.crd.yaml:3: policy case "case 1"',
            "*",
            '  the server answers 422: Garden.stories.example.com "example" is invalid*',
        ]
    )


@pytest.mark.session
def test_cases_of_policies_are_collected_beside_those_of_crds(policies: Project) -> None:
    policies.cases()
    policies.cases(_cases("sizes", f"input: {SIZE % 5}\n  accepted: true"), NAME)
    policies.cases(_cases("soils", f"input: {NOTE % 'clay'}\n  contains: {{spec: {{soil: clay}}}}"), "test_b.crd.yaml")

    policies.run().assert_outcomes(passed=5)
    policies.run("-k", "cases").assert_outcomes(passed=2, deselected=3)


@pytest.mark.session
def test_two_policies_with_one_name_are_named_with_their_kind(policies: Project) -> None:
    policies.write("policies.yaml", VALIDATING % "Deny" + MUTATING.replace("soils", "sizes"))
    policies.cases(_cases("sizes", f"input: {SIZE % 5}\n  accepted: true"), NAME)
    message = "two policies are called sizes: write ValidatingAdmissionPolicy/sizes or MutatingAdmissionPolicy/sizes"
    policies.run().stdout.fnmatch_lines([f"{NAME}:1: {message}"])

    policies.cases(
        _cases("MutatingAdmissionPolicy/sizes", f"input: {NOTE % 'clay'}\n  contains: {{spec: {{soil: clay}}}}"), NAME
    )
    policies.run().assert_outcomes(passed=1)


@pytest.mark.session
def test_policies_without_the_setting_are_a_mistake(project: Project) -> None:
    project.cases(_cases("sizes", f"input: {SIZE % 5}\n  accepted: true"), NAME)

    project.run().stdout.fnmatch_lines([f"{NAME}:1: no admission policy is known: set crd_policies to the files*"])


@pytest.mark.session
def test_a_policy_without_a_binding_is_a_mistake(policies: Project) -> None:
    policies.write("policies.yaml", (VALIDATING % "Deny").partition("---")[0])
    policies.cases(_cases("sizes", f"input: {SIZE % 5}\n  accepted: true"), NAME)

    policies.run().stdout.fnmatch_lines(["policies.yaml:2: the policy sizes has no binding*"])


@pytest.mark.session
def test_a_project_needs_no_crd(pytester: pytest.Pytester, policies: Project) -> None:
    (policies.path / "config/crd/bases/gardens.yaml").unlink()
    policies.cases(_cases("sizes", "input: {apiVersion: v1, kind: ConfigMap, data: {a: b}}\n  error: at most 5"), NAME)

    policies.run().assert_outcomes(passed=1)


@pytest.mark.session
def test_each_kubernetes_version_of_a_session_runs_the_cases(policies: Project) -> None:
    policies.cases(_cases("sizes", f"input: {SIZE % 5}\n  accepted: true"), NAME)
    policies.run("--crd-kubernetes-version=1.36 1.37").assert_outcomes(passed=2)

    words = "no server answers as Kubernetes 1.32; write one of 1.34, 1.35, 1.36, 1.37; preview: 1.38, as `kubernetesVersion:` of this file"
    policies.run("--crd-kubernetes-version=1.32").stdout.fnmatch_lines([f"{NAME}:1: {words}"])


@pytest.mark.session
def test_a_file_may_have_its_own_kubernetes_version(policies: Project) -> None:
    text = _cases("soils", f"input: {NOTE % 'clay'}\n  accepted: true")
    policies.cases(f'kubernetesVersion: "1.36"\n{text}', NAME)
    policies.run("--crd-kubernetes-version=1.35 1.37").assert_outcomes(passed=1)


@pytest.mark.session
def test_expectations_are_filled_in(policies: Project) -> None:
    policies.write("policies.yaml", VALIDATING % "Deny, Audit" + MUTATING)
    policies.cases(
        _cases("sizes", f"input: {SIZE % 5}", f"input: {SIZE % 6}", f"input: {SIZE % 6}\n  denied: TODO"), NAME
    )
    policies.cases(_cases("soils", f"input: {NOTE % 'clay'}", f"input: {NOTE % 'chalk'}"), "test_b.crd.yaml")

    policies.run("--crd-fill").assert_outcomes(passed=5)
    denied = f"  input: {SIZE % 6}\n  denied:\n  - {{by: sizes, message: at most 5, reason: Invalid}}\n"
    assert policies.read(NAME).split("cases:\n")[1] == (
        f'- name: case 1\n  input: {SIZE % 5}\n  accepted: true\n  auditAnnotations: {{size: "5"}}\n'
        f"- name: case 2\n{denied}- name: case 3\n{denied}"
    )
    filled = policies.read("test_b.crd.yaml")
    assert "    spec: {note: clay, size: 3, watering: {hour: 6}, soil: clay}\n" in filled
    assert '  error: \'Garden.stories.example.com "example" is invalid: spec.soil: Unsupported value:' in filled
    policies.run().assert_outcomes(passed=5)


@pytest.mark.session
def test_expectations_are_updated(policies: Project) -> None:
    validating = (
        VALIDATING % "Warn",
        VALIDATING.replace("name: sizes", "name: audited").replace("policyName: sizes", "policyName: audited")
        % "Audit",
    )
    policies.write("policies.yaml", "---".join(validating))
    for policy in ("sizes", "audited"):
        cases = _cases(
            policy, f"input: {SIZE % 6}\n  denied: [{{by: {policy}}}]", f"input: {SIZE % 6}\n  error: at most"
        )
        policies.cases(cases, f"test_{policy}.crd.yaml")
    policies.run("--crd-update").assert_outcomes(failed=4)

    policies.run("--crd-update-verdicts").assert_outcomes(passed=4)
    policies.run().assert_outcomes(passed=4)
    policies.write("policies.yaml", "---".join([VALIDATING % "Deny", *validating[1:]]))
    policies.run("--crd-update-verdicts").assert_outcomes(passed=4)
    policies.run().assert_outcomes(passed=4)


@pytest.mark.session
def test_other_expectations_are_updated_or_to_be_corrected_by_hand(policies: Project) -> None:
    policies.cases(_cases("sizes", f"input: {SIZE % 5}\n  auditAnnotations: {{size: '4'}}\n  warnings: [a]"), NAME)
    policies.cases(_cases("sizes", f"input: {SIZE % 5}\n  matched: false"), "test_b.crd.yaml")

    result = policies.run("--crd-update")

    result.assert_outcomes(passed=1, failed=1)
    assert 'auditAnnotations: {size: "5"}\n  warnings: []' in policies.read(NAME)
    result.stdout.fnmatch_lines(["*to be corrected by hand: matched"])


@pytest.mark.session
def test_a_crd_that_no_server_has_is_a_mistake(policies: Project) -> None:
    policies.crd(plural="Gardens")
    policies.cases(_cases("sizes", f"input: {SIZE % 5}\n  accepted: true"), NAME)

    policies.run().stdout.fnmatch_lines(["policies.yaml: no server has the CRDs of the project*"])
