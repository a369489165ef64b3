"""A case of a policy is a request to a server with this policy alone, and proves something only if the policy decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import policycases as policies
from support.policycases import explain

from pytest_crd.cases import objectsources
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import CaseFile, PolicyCase
from pytest_crd.cases.policies import policyrunner
from pytest_crd.engine import profile
from pytest_crd.engine.api.context import GivenFacts
from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, Authorize
from pytest_crd.engine.inputerror import InputError

POLICY = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: few}}
spec:
  failurePolicy: {failure_policy}
  paramKind: {{apiVersion: v1, kind: ConfigMap}}
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: ['*']
      resources: [deployments, deployments/scale, deployments/status]
    objectSelector: {{matchExpressions: [{{key: free, operator: DoesNotExist}}]}}
    namespaceSelector: {{matchExpressions: [{{key: free, operator: DoesNotExist}}]}}
    excludeResourceRules:
    - {{apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: [deployments], resourceNames: [old]}}
  matchConditions:
  - {{name: no-robot, expression: request.userInfo.username != 'robot'}}
  variables:
  - {{name: most, expression: int(params.data.most)}}
  validations:
  - expression: object == null || object.spec.replicas <= variables.most
    messageExpression: "'at most ' + string(variables.most)"
    reason: Forbidden
  auditAnnotations:
  - {{key: operation, valueExpression: request.operation}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: few-here}}
spec:
  policyName: few
  validationActions: [{actions}]
  paramRef: {{name: limits, parameterNotFoundAction: {not_found}}}
  matchResources: {{namespaceSelector: {{matchExpressions: [{{key: quiet, operator: DoesNotExist}}]}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: limits}}
data: {{most: "5"}}
"""
# Another policy of the project, which a case about the first one does not meet.
OTHER = """
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: none}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}
  validations: [{expression: 'false'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: none}
spec: {policyName: none, validationActions: [Deny]}
"""
POD = "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}"


def _deployment(replicas: int, metadata: str = "name: web", status: str = "") -> str:
    spec = f"{{replicas: {replicas}, selector: {{matchLabels: {{app: web}}}}, {POD}}}"
    return f"{{apiVersion: apps/v1, kind: Deployment, metadata: {{{metadata}}}, spec: {spec}{status}}}"


def _run(
    folder: Path,
    case: str,
    *,
    failure_policy: str = "Fail",
    actions: str = "Deny",
    not_found: str = "Allow",
    other: str = "",
) -> CaseResult:
    text = POLICY.format(failure_policy=failure_policy, actions=actions, not_found=not_found) + other
    case_file = policies.load(f"- name: a\n  {case}\n", "few")
    return policies.run(case_file, policies.subject_of(case_file, text, folder))


HOLD = {
    "an accepted object": f"input: {_deployment(5)}\n  accepted: true",
    "an object without a name": f"input: {_deployment(5, '')}\n  accepted: true",
    "a generated name": f"input: {_deployment(5, 'generateName: web-')}\n  accepted: true",
    "a denied object": f"input: {_deployment(6)}\n  denied: [{{by: few, message: at most 5, reason: Forbidden}}]",
    "the whole message": f"input: {_deployment(6)}\n  error: \"'few' with binding 'few-here' denied request: at most 5\"",
    "an update": f"old: {_deployment(3)}\n  input: {_deployment(6)}\n  error: at most 5",
    "an update with the name of the old object": f"old: {_deployment(3, 'name: b')}\n  input: {_deployment(4, '')}\n  contains: {{metadata: {{name: b}}}}",
    "a deletion": f"operation: DELETE\n  old: {_deployment(9)}\n  auditAnnotations: {{operation: DELETE}}",
    "an update of the scale": (
        f"subresource: scale\n  old: {_deployment(1)}\n"
        "  input: {apiVersion: autoscaling/v1, kind: Scale, spec: {replicas: 8}}\n  error: at most 5"
    ),
    "an update of the status": (
        f"subresource: status\n  old: {_deployment(1, status=', status: {replicas: 1}')}\n  input: {_deployment(1)}\n  accepted: true"
    ),
    "a param of the case": f"params: [{{apiVersion: v1, kind: ConfigMap, metadata: {{name: limits}}, data: {{most: '7'}}}}]\n  input: {_deployment(7)}\n  accepted: true",
    "a user": f"user: {{username: ada}}\n  input: {_deployment(5)}\n  accepted: true",
    "audit annotations": f"input: {_deployment(5)}\n  auditAnnotations: {{operation: CREATE}}",
    "a part of the object": f"input: {_deployment(5)}\n  contains: {{spec: {{replicas: 5}}}}",
    "a false match condition": f"user: {{username: robot}}\n  input: {_deployment(6)}\n  matched: {{because: matchConditions}}",
    "another namespace": f"namespaceObject: {{metadata: {{name: b, labels: {{quiet: ''}}}}}}\n  input: {_deployment(6)}\n  matched: {{because: namespaceSelector}}",
    "a part of the Namespace": f"namespaceObject: {{metadata: {{annotations: {{a: b}}}}}}\n  input: {_deployment(6)}\n  error: at most 5",
    "metadata that only a server sets": (
        f"operation: DELETE\n  old: {_deployment(1, 'name: a, uid: b, finalizers: [example.com/a]')}\n  accepted: true"
    ),
}


@pytest.mark.parametrize("case", HOLD.values(), ids=HOLD)
def test_a_case_holds(tmp_path: Path, case: str) -> None:
    assert explain(_run(tmp_path, case)) == []


def _resolve(case_file: CaseFile) -> list[PolicyCase]:
    cases = [objectsources.resolve(case, Path()) for case in case_file.cases]
    return [case for case in cases if isinstance(case, PolicyCase)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_case_sees_no_object_of_another(tmp_path: Path, order: int) -> None:
    stored = f"{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{replicas: 9, selector: {{matchLabels: {{app: web}}}}, {POD}}}}}"
    cases = {
        "a param of the case": (
            "params: [{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {most: '7'}}]\n"
            f"  input: {_deployment(7)}\n  accepted: true"
        ),
        "the param of the project": f"input: {_deployment(7)}\n  error: at most 5",
        "an old object": f"operation: DELETE\n  old: {stored}\n  accepted: true",
        "a new object of the same name": f"input: {_deployment(5)}\n  accepted: true",
        "a Namespace with a label": (
            f"namespaceObject: {{metadata: {{labels: {{quiet: ''}}}}}}\n  input: {_deployment(6)}\n  matched: {{because: namespaceSelector}}"
        ),
        "the Namespace without it": f"input: {_deployment(6)}\n  error: at most 5",
    }
    text = POLICY.format(failure_policy="Fail", actions="Deny", not_found="Allow")
    case_file = policies.load("".join(f"- name: {name}\n  {case}\n" for name, case in cases.items()), "few")
    subject = policies.subject_of(case_file, text, tmp_path)

    failures = {case.name: explain(policyrunner.run(case, subject)) for case in _resolve(case_file)[::order]}

    assert failures == {name: [] for name in cases}


def test_other_policies_of_the_project_do_not_decide(tmp_path: Path) -> None:
    assert _run(tmp_path, f"input: {_deployment(5)}\n  accepted: true", other=OTHER).holds


FAIL = {
    "refused": (
        f"input: {_deployment(6)}\n  accepted: true",
        [
            "refused (403), but expected to be accepted:",
            "  deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'few-here' denied request: at most 5",
            "",
            "validations[0]: object == null || object.spec.replicas <= variables.most = false",
            "  object.spec.replicas = 6",
            "  variables.most = 5",
        ],
    ),
    "accepted": (
        f"input: {_deployment(5)}\n  denied: [{{by: few}}]",
        [
            "accepted (201), but expected to be refused:",
            "  missing  {by: few}",
            "",
            "matchConditions[0]: request.userInfo.username != 'robot' = true",
            '  request.userInfo.username = "kubernetes-admin"',
            "validations[0]: object == null || object.spec.replicas <= variables.most = true",
            "  object.spec.replicas = 5",
            "  variables.most = 5",
        ],
    ),
    "other annotations": (
        f"operation: DELETE\n  old: {_deployment(5)}\n  auditAnnotations: {{operation: CREATE, other: b}}",
        [
            "auditAnnotations:",
            '  operation: "CREATE"  listed, but not given; the nearest is operation: "DELETE"',
            '  other: "b"           listed, but not given',
            '  operation: "DELETE"  given, but not listed',
        ],
    ),
    "a match": (
        f"input: {_deployment(5)}\n  matched: false",
        ["matched:", "  the policy matches, by its binding few-here"],
    ),
}


@pytest.mark.parametrize(("case", "lines"), FAIL.values(), ids=FAIL)
def test_a_case_fails_with_the_values_that_decided(tmp_path: Path, case: str, lines: list[str]) -> None:
    lines_of_report = explain(_run(tmp_path, case))
    assert [line for line in lines_of_report if not line.startswith("  object = ")][1 : len(lines) + 1] == lines


MISTAKES = {
    "another resource": (
        "input: {apiVersion: v1, kind: ConfigMap}\n  accepted: true",
        (
            "the policy few does not match the request, so it decides nothing: CREATE of configmaps/v1 in default "
            "is ruled out by resourceRules of the policy; if this is intended, write `matched: {because: resourceRules}`"
        ),
    ),
    "labels of the object": (
        f"input: {_deployment(5, 'labels: {free: a}')}\n  accepted: true",
        "CREATE of deployments.apps/v1 in default is ruled out by objectSelector of the policy",
    ),
    "labels of the Namespace": (
        f"namespaceObject: {{metadata: {{labels: {{free: a}}}}}}\n  input: {_deployment(5)}\n  accepted: true",
        "is ruled out by namespaceSelector of the policy",
    ),
    "an excluded request": (
        f"input: {_deployment(5, 'name: old')}\n  accepted: true",
        "is ruled out by excludeResourceRules of the policy",
    ),
    "the binding": (
        f"namespaceObject: {{metadata: {{labels: {{quiet: a}}}}}}\n  input: {_deployment(5)}\n  accepted: true",
        "CREATE of deployments.apps/v1 in default is ruled out by namespaceSelector of the binding few-here",
    ),
    "no param": (
        f"input: {_deployment(5, 'namespace: b')}\n  accepted: true",
        (
            "the binding few-here finds no param, a ConfigMap called limits in b, and its parameterNotFoundAction is Allow: "
            "add the object to `params` or to crd_policies"
        ),
    ),
    "a false condition": (
        f"user: {{username: robot}}\n  input: {_deployment(5)}\n  accepted: true",
        "the match condition no-robot is false: request.userInfo.username != 'robot'",
    ),
    "a policy": (
        (
            "input: {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: few}, spec: "
            "{matchConstraints: {resourceRules: [{apiGroups: [a], apiVersions: [v1], operations: ['*'], resources: [a]}]}, validations: "
            "[{expression: 'true'}]}}\n  accepted: true"
        ),
        "no policy sees CREATE of validatingadmissionpolicies.admissionregistration.k8s.io/v1",
    ),
    "an unknown field": (
        f"input: {_deployment(5)}\n  patch: {{spec: {{replica: 3}}}}\n  accepted: true",
        (
            'the server refuses the request before it asks the policy few: 400: Deployment in version "v1" cannot be handled as a '
            'Deployment: strict decoding error: unknown field "spec.replica"'
        ),
    ),
    "an invalid object": (
        f"input: {_deployment(-1)}\n  error: must be greater",
        "the server refuses the request before it asks the policy few: 422",
    ),
    "a repeated key": (
        "input: '{apiVersion: apps/v1, kind: Deployment, kind: Deployment}'\n  accepted: true",
        'the input of policy case "a":',
    ),
    "no object": ("input: '[]'\n  accepted: true", 'the input of policy case "a" is no object'),
    "no YAML": ("input: '{'\n  accepted: true", "the input cannot be read"),
    "no kind": (
        "input: {apiVersion: v1}\n  accepted: true",
        "'input' of policy case \"a\" has no apiVersion or no kind",
    ),
    "a kind that is not served": (
        "input: {apiVersion: v7, kind: Pod}\n  accepted: true",
        "Kubernetes 1.37 with the CRDs of the project serves no Pod of v7",
    ),
    "an old object that is not valid": (
        f"operation: DELETE\n  old: {_deployment(-1)}\n  accepted: true",
        "'old' of policy case \"a\" is not valid, so no server has it stored: Deployment.apps",
    ),
    "an old object that is not stored": (
        "operation: DELETE\n  old: {apiVersion: authorization.k8s.io/v1, kind: SubjectAccessReview}\n  accepted: true",
        "Kubernetes 1.37 stores no SubjectAccessReview",
    ),
    "a status that is not valid": (
        f"operation: DELETE\n  old: {_deployment(1, status=', status: {replica: 1}')}\n  accepted: true",
        "so no server has it stored",
    ),
    "a param that is not valid": (
        f"input: {_deployment(1)}\n  params: [{{apiVersion: v1, kind: ConfigMap, metadata: {{name: A}}}}]\n  accepted: true",
        '\'params[0]\' of policy case "a" cannot be stored: ConfigMap "A" is invalid',
    ),
    "a param of an unknown kind": (
        f"input: {_deployment(1)}\n  params: [{{apiVersion: v1, kind: Limit, metadata: {{name: a}}}}]\n  accepted: true",
        "Kubernetes 1.37 does not serve Limit of v1",
    ),
    "a Namespace of a resource without one": (
        "namespaceObject: {}\n  input: {apiVersion: v1, kind: Node}\n  accepted: true",
        "'namespaceObject' does nothing, as a Node has no namespace",
    ),
    "another Namespace": (
        f"namespaceObject: {{metadata: {{name: b}}}}\n  input: {_deployment(1, 'namespace: c')}\n  accepted: true",
        "'namespaceObject' is called b, and the object is in c",
    ),
}


@pytest.mark.parametrize(("case", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_case_without_a_decision_of_the_policy_is_a_mistake(tmp_path: Path, case: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _run(tmp_path, case)
    assert message in str(caught.value)


def test_a_missing_param_that_must_be_there_is_a_denial(tmp_path: Path) -> None:
    case = f"input: {_deployment(1, 'namespace: b')}\n  error: no params found for policy binding with `Deny`"
    assert _run(tmp_path, case, not_found="Deny").holds


@pytest.mark.parametrize("actions", ["Warn", "Audit"])
def test_a_failed_validation_of_an_accepted_object_must_be_stated(tmp_path: Path, actions: str) -> None:
    result = _run(tmp_path, f"input: {_deployment(6)}\n  accepted: true", actions=actions)

    key = {"Warn": "warnings", "Audit": "auditAnnotations"}[actions]
    assert [getattr(mismatch, "key", "") for mismatch in result.mismatches] == [key]
    assert "at most 5" in explain(result)[2]


def test_a_stated_warning_is_compared(tmp_path: Path) -> None:
    warning = "Validation failed for ValidatingAdmissionPolicy 'few' with binding 'few-here': at most 5"
    assert _run(tmp_path, f'input: {_deployment(6)}\n  warnings: ["{warning}"]', actions="Warn").holds
    assert not _run(tmp_path, f"input: {_deployment(6)}\n  warnings: []", actions="Warn").holds


def test_an_error_that_the_failure_policy_hides_is_a_warning(tmp_path: Path) -> None:
    param = "{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {most: many}}"
    result = _run(tmp_path, f"input: {_deployment(6)}\n  params: [{param}]\n  accepted: true", failure_policy="Ignore")

    assert result.holds
    assert [warning.partition(": expression")[0] for warning in result.warnings] == [
        "ValidatingAdmissionPolicy few: its failurePolicy Ignore hides an error"
    ]


def test_a_missing_param_that_the_failure_policy_hides_is_a_warning(tmp_path: Path) -> None:
    case = f"input: {_deployment(1, 'namespace: b')}\n  accepted: true"
    result = _run(tmp_path, case, not_found="Deny", failure_policy="Ignore")

    assert (result.holds, len(result.warnings)) == (True, 1)


def test_a_policy_that_cannot_be_evaluated_matches(tmp_path: Path) -> None:
    case = f"input: {_deployment(1, 'namespace: b')}\n  matched: false"
    assert "the policy matches: failed to configure binding" in "\n".join(
        explain(_run(tmp_path, case, not_found="Deny"))
    )


AUTHORIZED = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: [pods, gardens]}]}
  variables:
  - {name: may, expression: "authorizer.group('').resource('pods').check('sleep').allowed()"}
  - {name: twice, expression: variables.may && variables.may}
  validations: [{expression: '[variables.twice].all(x, x)'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few-here}
spec: {policyName: few, validationActions: [Deny]}
"""
GARDEN = "{apiVersion: stories.example.com/v1, kind: Garden, spec: {size: 1}}"
RULES = {
    "rules of the case": (
        "user: {username: ada}\n  authorizer: [{verbs: [sleep], apiGroups: [''], resources: [pods]}]\n  accepted: true",
        None,
    ),
    "no rules": ("user: {username: ada}\n  authorizer: []\n  denied: [{by: few}]", None),
    "an administrator": ("accepted: true", None),
    "roles of the project": (
        "user: {username: ada}\n  accepted: true",
        lambda access: AccessAnswer(access.username == "ada"),
    ),
}


@pytest.mark.parametrize(("case", "authorize"), RULES.values(), ids=RULES)
def test_the_authorizer_knows_the_rules(tmp_path: Path, case: str, authorize: Authorize | None) -> None:
    case_file = policies.load(f"- name: a\n  input: {GARDEN}\n  {case}\n", "few")
    assert (
        explain(policies.run(case_file, policies.subject_of(case_file, AUTHORIZED, tmp_path, authorize=authorize)))
        == []
    )


def test_an_answer_that_depends_on_unknown_roles_is_a_mistake(tmp_path: Path) -> None:
    case_file = policies.load(f"- name: a\n  input: {GARDEN}\n  user: {{username: ada}}\n  accepted: true\n", "few")
    with pytest.raises(InputError, match=r'what the server answers to policy case "a" is not known: .* the authorizer'):
        policies.run(case_file, policies.subject_of(case_file, AUTHORIZED, tmp_path))


def test_evaluated_variables_are_shown(tmp_path: Path) -> None:
    case_file = policies.load(f"- name: a\n  input: {GARDEN}\n  authorizer: []\n  accepted: true\n", "few")
    lines = explain(policies.run(case_file, policies.subject_of(case_file, AUTHORIZED, tmp_path)))

    assert "  variables.twice = false" in lines
    assert "  variables.may = false" in lines


def test_an_error_of_an_expression_is_shown(tmp_path: Path) -> None:
    param = "{apiVersion: v1, kind: ConfigMap, metadata: {name: limits}, data: {most: many}}"
    lines = explain(_run(tmp_path, f"input: {_deployment(6)}\n  params: [{param}]\n  accepted: true"))

    problem = 'composited variable "most" fails to evaluate'
    assert any(line.startswith("validations[0]:") and line.endswith(" = error") for line in lines)
    assert any(line.startswith("  variables.most = error: ") and problem in line for line in lines)


def test_params_without_a_param_kind_are_mistakes(tmp_path: Path) -> None:
    param = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
    node = "{apiVersion: v1, kind: Node, metadata: {name: n1}}"
    text = f"- {{name: a, params: [{param}], old: {node}, input: {node}, accepted: true}}\n"
    case_file = policies.load(text, "still")
    with pytest.raises(InputError, match=r"'params\[0\]' of .*a.* does nothing, .*: they have no paramKind"):
        policies.run(case_file, policies.subject_of(case_file, NODES, tmp_path))


NODES = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: still}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]}
  validations: [{expression: object.spec == oldObject.spec}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: still}
spec: {policyName: still, validationActions: [Deny]}
"""


@pytest.mark.parametrize("spec", ["{}", "{taints: [{key: a, effect: NoSchedule}]}"])
def test_an_old_node_has_the_taints_of_the_case(tmp_path: Path, spec: str) -> None:
    node = f"{{apiVersion: v1, kind: Node, metadata: {{name: n1}}, spec: {spec}}}"
    case_file = policies.load(f"- {{name: a, old: {node}, input: {node}, accepted: true}}\n", "still")
    assert policies.run(case_file, policies.subject_of(case_file, NODES, tmp_path)).holds


def test_admission_with_the_facts_of_a_case_is_a_key_of_caches() -> None:
    """A CRD keeps its conversion webhook by the admission of the project."""
    admission = policies.admission_of(AUTHORIZED)
    admission_of_case = admission.giving(GivenFacts(user={"username": "ada"}), profile.named("1.37"))

    assert hash(admission_of_case) != hash(admission)
    assert admission_of_case != admission


GROWING = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: growing}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE], resources: [gardens]}]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "has(object.spec.size) ? Object{spec: Object.spec{size: object.spec.size + 1}} : Object{}"}
  - patchType: JSONPatch
    jsonPatch: {expression: "[JSONPatch{op: 'test', path: '/spec/hedge'}, JSONPatch{op: 'add', path: '/spec/hedge', value: object.metadata.name}]"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: growing}
spec: {policyName: growing}
"""


def test_a_case_about_a_mutation_fails_with_its_patches_and_the_values_in_them(tmp_path: Path) -> None:
    garden = "{apiVersion: stories.example.com/v1, kind: Garden, metadata: {name: rose}, spec: {size: 3}}"
    case_file = policies.load(f"- name: a\n  input: {garden}\n  contains: {{spec: {{size: 5}}}}\n", "growing")
    lines = explain(policies.run(case_file, policies.subject_of(case_file, GROWING, tmp_path)))

    start = next(index for index, line in enumerate(lines) if line.startswith("mutations[0]"))
    assert lines[start].endswith('= {"spec": {"size": 4}}')
    values = ["has(object.spec.size) = true", "object.spec.size + 1 = 4", "object.spec.size = 3"]
    assert lines[start + 1 : start + 4] == [f"  {value}" for value in values]
    assert '= [{"op": "test", "path": "/spec/hedge"}, {"op": "add", ' in lines[start + 4]
    assert lines[start + 5] == '  object.metadata.name = "rose"'
