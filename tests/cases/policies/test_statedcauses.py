"""A case of a policy states why: a match ruled out by another field, a policy that fails or changes nothing, and unread facts are errors."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from support import policycases as policies
from support.policycases import explain

from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.deviations import Unstated
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.yaml import manifest

VALIDATING: Final = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [stories.example.com], apiVersions: [v1], operations: [CREATE, DELETE], resources: [gardens]}]
    objectSelector: {matchExpressions: [{key: free, operator: DoesNotExist}]}
  matchConditions:
  - {name: no-robot, expression: request.userInfo.username != 'robot'}
  - {name: no-root, expression: request.userInfo.username != 'root'}
  validations:
  - expression: '!has(object.spec.size) || object.spec.size <= int(params.data.most)'
    message: at most as the param says
    reason: Forbidden
  - expression: "!has(object.spec.hedge) || object.spec.hedge != 'none' || object.spec.hedges == 1"
  - expression: "!has(object.spec.hedge) || object.spec.hedge != 'oak' || authorizer.group('').resource('oaks').check('create').allowed()"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: here}
spec:
  policyName: sizes
  validationActions: [Deny]
  paramRef: {name: limits, parameterNotFoundAction: NOTFOUND}
  matchResources: {namespaceSelector: {matchExpressions: [{key: quiet, operator: DoesNotExist}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits}
data: {most: "5"}
"""
MUTATING: Final = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: sizes}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE], resources: [gardens]}]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{spec: Object.spec{hedge: object.spec.size > 5 ? 'oak' : object.spec.hedge}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: here}
spec: {policyName: sizes}
"""


def _garden(spec: str, metadata: str = "") -> str:
    return f"{{apiVersion: stories.example.com/v1, kind: Garden, metadata: {{{metadata}}}, spec: {{{spec}}}}}"


def _run(folder: Path, case: str, manifests: str = VALIDATING, not_found: str = "Allow") -> CaseResult:
    case_file = policies.load(f"- name: a\n  {case}\n", "sizes")
    return policies.run(case_file, policies.subject_of(case_file, manifests.replace("NOTFOUND", not_found), folder))


def _list_unstated(result: CaseResult) -> list[tuple[str, str]]:
    return [(item.key, item.message) for item in result.mismatches if isinstance(item, Unstated)]


ROBOT: Final = f"user: {{username: robot}}\n  input: {_garden('size: 1')}"
QUIET: Final = f"namespaceObject: {{metadata: {{labels: {{quiet: a}}}}}}\n  input: {_garden('size: 1')}"
OTHER: Final = "input: {apiVersion: v1, kind: ConfigMap, metadata: {labels: {free: a}}}"
ELSEWHERE: Final = f"input: {_garden('size: 1', 'namespace: b')}"
EXEMPT: Final = "input: {apiVersion: authentication.k8s.io/v1, kind: SelfSubjectReview}"
CAUSES: Final = {
    "a rule and a selector": (OTHER, "[objectSelector, resourceRules]"),
    "a selector of the policy": (f"input: {_garden('size: 1', 'labels: {free: a}')}", "objectSelector"),
    "a selector of the binding": (QUIET, "namespaceSelector"),
    "a false condition": (ROBOT, "matchConditions.no-robot"),
    "a missing param": (ELSEWHERE, "paramRef"),
    "an exempt request": (EXEMPT, "exempt"),
}


@pytest.mark.parametrize(("case", "cause"), CAUSES.values(), ids=CAUSES)
def test_no_match_is_stated_with_its_cause(tmp_path: Path, case: str, cause: str) -> None:
    assert explain(_run(tmp_path, f"{case}\n  matched: {{because: {cause}}}")) == []


@pytest.mark.parametrize(("case", "cause"), CAUSES.values(), ids=CAUSES)
def test_no_match_without_its_cause_fails_and_names_it(tmp_path: Path, case: str, cause: str) -> None:
    ((key, message),) = _list_unstated(_run(tmp_path, f"{case}\n  matched: false"))

    assert key == "matched"
    assert message.startswith("`matched: false` holds for any cause")
    assert message.endswith(f"write `matched: {{because: {cause}}}`")


@pytest.mark.parametrize(
    ("case", "cause"),
    [
        (OTHER, "resourceRules"),
        (QUIET, "objectSelector"),
        (QUIET, "[namespaceSelector, resourceRules]"),
        (ROBOT, "matchConditions"),
        (ROBOT, "matchConditions.no-root"),
        (ELSEWHERE, "namespaceSelector"),
    ],
)
def test_no_match_for_another_cause_fails(tmp_path: Path, case: str, cause: str) -> None:
    ((_, message),) = _list_unstated(_run(tmp_path, f"{case}\n  matched: {{because: {cause}}}"))

    assert f"not of {cause.strip('[]')}: " in message


def test_a_mutating_policy_sees_no_deletion(tmp_path: Path) -> None:
    case = f"operation: DELETE\n  old: {_garden('size: 1')}\n  matched: {{because: exempt}}"

    assert explain(_run(tmp_path, case, MUTATING.replace("[CREATE]", "['*']"))) == []


FAILING: Final = f"input: {_garden('hedge: none')}"
MISSING: Final = f"input: {_garden('size: 1', 'namespace: b')}"


@pytest.mark.parametrize(
    "stated",
    [
        "denied: [{by: sizes}]",
        "denied: [{by: sizes, message: object.spec.hedge}]",
        "denied: [{by: sizes, reason: Invalid}]",
        "error: sizes",
        "error: denied request",
        "error: hedge",
    ],
)
def test_a_denial_of_a_policy_that_cannot_decide_is_no_decision(tmp_path: Path, stated: str) -> None:
    ((key, message),) = _list_unstated(_run(tmp_path, f"{FAILING}\n  {stated}"))

    assert key == stated.partition(":")[0]
    assert message.startswith("the policy sizes could not decide: expression ")


@pytest.mark.parametrize(
    ("case", "not_found"),
    [
        (f"{FAILING}\n  denied: [{{by: sizes, message: 'no such key: hedges'}}]", "Allow"),
        (f"{FAILING}\n  error: resulted in error", "Allow"),
        (f"{MISSING}\n  denied: [{{by: sizes, message: no params found}}]", "Deny"),
        (f"{MISSING}\n  denied: [{{by: sizes, reason: Invalid, message: failed to configure binding}}]", "Deny"),
        (f"input: {_garden('size: 6')}\n  denied: [{{by: sizes}}]", "Allow"),
    ],
)
def test_a_stated_failure_and_a_decision_hold(tmp_path: Path, case: str, not_found: str) -> None:
    assert explain(_run(tmp_path, case, not_found=not_found)) == []


def test_a_reason_that_no_validation_has_states_a_failure(tmp_path: Path) -> None:
    text = VALIDATING.replace('hedges == 1"', 'hedges == 1"\n    reason: Forbidden').replace(
        "- expression: \"!has(object.spec.hedge) || object.spec.hedge != 'oak'",
        "- reason: Forbidden\n    expression: \"!has(object.spec.hedge) || object.spec.hedge != 'oak'",
    )

    assert explain(_run(tmp_path, f"{FAILING}\n  denied: [{{by: sizes, reason: Invalid}}]", text)) == []


def test_a_denial_for_a_missing_param_is_no_decision(tmp_path: Path) -> None:
    ((_, message),) = _list_unstated(_run(tmp_path, f"{MISSING}\n  denied: [{{by: sizes}}]", not_found="Deny"))

    assert "failed to configure binding: no params found" in message


@pytest.mark.parametrize(
    "stated", ["accepted: true", "contains: {spec: {hedge: oak}}", "expected: {spec: {size: 5, hedge: oak}}"]
)
def test_a_mutating_policy_that_changes_nothing_fails(tmp_path: Path, stated: str) -> None:
    result = _run(tmp_path, f"input: {_garden('size: 5, hedge: oak')}\n  {stated}", MUTATING)

    assert _list_unstated(result) == [("mutated", "no mutation applied; write `mutated: []` if this is intended")]


@pytest.mark.parametrize(
    ("spec", "stated"),
    [
        ("size: 5, hedge: oak", "mutated: []"),
        ("size: 6, hedge: yew", "mutated: [spec.hedge]"),
        ("size: 6, hedge: yew", "contains: {spec: {hedge: oak}}"),
        ("size: 6, hedge: yew", "accepted: true"),
    ],
)
def test_a_mutation_and_a_stated_lack_of_one_hold(tmp_path: Path, spec: str, stated: str) -> None:
    assert explain(_run(tmp_path, f"input: {_garden(spec)}\n  {stated}", MUTATING)) == []


def test_other_mutated_fields_fail(tmp_path: Path) -> None:
    (mismatch,) = _run(tmp_path, f"input: {_garden('size: 6, hedge: yew')}\n  mutated: []", MUTATING).mismatches

    assert (mismatch.key, mismatch.unasked) == ("mutated", ("spec.hedge",))  # type: ignore[union-attr]


PARAM: Final = "params: [{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {most: '9'}}]"
RULE: Final = "authorizer: [{apiGroups: ['%s'], resources: [%s], verbs: [%s]}]"
OAK: Final = f"user: {{username: ada}}\n  input: {_garden('hedge: oak')}"
MISTAKES: Final = {
    "a param of another name": (f"{PARAM % 'limitz'}\n  input: {_garden('size: 4')}\n  accepted: true", "'params[0]'", "no binding selects it"),
    "a param of another namespace": (
        f"{PARAM.replace('name: %s', 'name: limits, namespace: b')}\n  input: {_garden('size: 4')}\n  accepted: true", "'params[0]'", "no binding selects it",
    ),
    "a param without a match": (f"{PARAM % 'limits'}\n  {QUIET}\n  matched: {{because: namespaceSelector}}", "'params[0]'", "no binding selects it"),
    "rules that nothing asks": (
        f"{RULE % ('', 'oaks', 'create')}\n  input: {_garden('size: 4')}\n  accepted: true", "'authorizer'", "no expression asks the authorizer",
    ),
    "no rules that nothing asks": (f"authorizer: []\n  input: {_garden('size: 4')}\n  accepted: true", "'authorizer'", "no expression asks"),
    "a rule of another group": (f"{RULE % ('appz', 'oaks', 'create')}\n  {OAK}\n  error: failed", "'authorizer[0]'", "other things: create oaks"),
    "a rule of another resource": (f"{RULE % ('', 'oakz', 'create')}\n  {OAK}\n  error: failed", "'authorizer[0]'", "other things: create oaks"),
    "a misspelt verb": (f"{RULE % ('', 'oaks', 'creat')}\n  {OAK}\n  error: failed", "'authorizer[0]'", "did you mean create?"),
    "mutations of a validating policy": (f"input: {_garden('size: 4')}\n  mutated: []", "'mutated'", "changes nothing"),
}  # fmt: skip


@pytest.mark.parametrize(("case", "key", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_fact_that_nothing_reads_is_a_mistake(tmp_path: Path, case: str, key: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        _run(tmp_path, case)

    assert key in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "user", ["user: {username: ada}\n  authorizer: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]\n  ", ""]
)
def test_a_misspelt_verb_of_an_expression_is_a_mistake(tmp_path: Path, user: str) -> None:
    text = VALIDATING.replace("check('create')", "check('creat')")
    with pytest.raises(InputError, match=r"an expression checks the verb 'creat'; did you mean create\?"):
        _run(tmp_path, f"{user}input: {_garden('hedge: oak')}\n  accepted: true", text)


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (f"{PARAM % 'limits'}\n  input: {_garden('size: 9')}\n  accepted: true", VALIDATING),
        (
            f"{PARAM % 'limitz'}\n  input: {_garden('size: 1', 'namespace: b')}\n  matched: {{because: paramRef}}",
            VALIDATING,
        ),
        (f"{RULE % ('', 'oaks', 'create')}\n  {OAK}\n  accepted: true", VALIDATING),
        (f"{RULE % ('', 'oaks', 'get')}\n  {OAK}\n  error: failed expression", VALIDATING),
        (f"{RULE % ('', 'oaks', 'prune')}\n  {OAK}\n  accepted: true", VALIDATING.replace("'create'", "'prune'")),
        (f"authorizer: []\n  {OAK}\n  error: failed expression", VALIDATING),
    ],
)
def test_a_fact_that_a_policy_reads_holds(tmp_path: Path, case: str, text: str) -> None:
    assert explain(_run(tmp_path, case, text)) == []


def test_a_param_beside_a_stated_problem_of_the_binding_holds(tmp_path: Path) -> None:
    case = f"{PARAM % 'limitz'}\n  {MISSING}\n  error: no params found"

    assert explain(_run(tmp_path, case, not_found="Deny")) == []


@pytest.mark.parametrize(
    "namespace", ["{metadata: {labelz: {a: b}}}", "{metadata: {labels: null}}", "{lables: {a: b}}", "{kind: Node}"]
)
def test_a_misspelt_namespace_is_a_mistake(namespace: str) -> None:
    with pytest.raises(InputError, match="namespaceObject"):
        policies.load(
            f"- name: a\n  namespaceObject: {namespace}\n  input: {_garden('size: 1')}\n  accepted: true\n", "sizes"
        )


ASKING: Final = (
    VALIDATING.replace("  paramKind: {apiVersion: v1, kind: ConfigMap}\n", "")
    .replace("  paramRef: {name: limits, parameterNotFoundAction: NOTFOUND}\n", "")
    .replace("int(params.data.most)", "5")
)


def _run_crd(case: str) -> CaseResult:
    """Return the result of a case about a CRD under the policy."""
    (case_file,) = loader.load(f"crd: x\ncreate:\n- {{name: a, {case}}}\n", source="cases.yaml")
    (crd_manifest,) = manifest.read(policies.CRD.encode(), source="crd.yaml")
    crd = CustomResourceDefinition.from_manifest(crd_manifest.value).with_webhooks(policies.admission_of(ASKING))
    return caserunner.run(case_file.cases[0], CaseSubject(crd.version("v1")))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("input: {spec: {size: 1}}, authorizer: [], accepted: true", "'authorizer' .* no expression asks"),
        (
            "input: {spec: {hedge: oak}}, authorizer: [{apiGroups: [a], resources: [oaks], verbs: [create]}], error: failed",
            "'authorizer.0.' ",
        ),
        (
            "input: {spec: {size: 1}}, params: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}], accepted: true",
            "'params.0.' ",
        ),
    ],
)
def test_a_fact_that_no_policy_of_a_crd_reads_is_a_mistake(case: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        _run_crd(case)


@pytest.mark.parametrize(
    "case",
    [
        "input: {spec: {size: 1}}, user: {username: ada}, accepted: true",
        "input: {spec: {hedge: oak}}, user: {username: ada}, authorizer: [{apiGroups: [''], resources: [oaks], verbs: [create]}], accepted: true",
        "input: {spec: {size: 6}}, denied: [{by: sizes}]",
    ],
)
def test_a_fact_that_a_policy_of_a_crd_reads_holds(case: str) -> None:
    assert explain(_run_crd(case)) == []


def test_a_key_of_a_built_in_kind_that_is_read_as_a_boolean_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'the server reads the key `on` of metadata.labels as "true"; quote it'):
        _run(
            tmp_path,
            "input: {apiVersion: v1, kind: ConfigMap, metadata: {labels: {on: a}}}\n  matched: {because: resourceRules}",
        )


def test_a_key_of_a_custom_resource_is_a_matter_of_its_schema(tmp_path: Path) -> None:
    result = _run(
        tmp_path, "input: {apiVersion: stories.example.com/v1, kind: Garden, spec: {size: 1}}\n  accepted: true"
    )

    assert result.holds
