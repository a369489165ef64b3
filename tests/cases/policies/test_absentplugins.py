"""A case holds only if the policy decides the same about the fields that plugins of every server set."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import policycases as policies

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import CaseFile, CaseFileError
from pytest_crd.cases.policies.policysubjects import PolicySubject

VALIDATING = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: a}}
spec:
  matchConstraints:
    resourceRules:
    - {{apiGroups: ['*'], apiVersions: [v1], operations: ['*'], resources: [pods, persistentvolumeclaims, ingresses]}}
  {rules}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: a}}
spec: {{policyName: a, validationActions: [{actions}]}}
"""
MUTATING = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {{name: a}}
spec:
  reinvocationPolicy: Never
  matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}
  mutations: [{{patchType: JSONPatch, jsonPatch: {{expression: "{rules}"}}}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {{name: a}}
spec: {{policyName: a}}
"""
NO_ACCOUNT = "!has(object.spec.serviceAccountName)"
NO_VOLUME = "!has(object.spec.volumes)"
NO_MOUNT = "object.spec.containers.all(c, !has(c.volumeMounts))"
TOKEN_MOUNT = "volumeMounts: [{name: v, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}]"  # noqa: S105
DENIED = 'the answer is 422: pods "p" is forbidden: '


def _pod(spec: str = "", container: str = "", metadata: str = "") -> str:
    containers = f"containers: [{{name: c, image: i{', ' if container else ''}{container}}}]"
    names = f"name: p{', ' if metadata else ''}{metadata}"
    return f"{{apiVersion: v1, kind: Pod, metadata: {{{names}}}, spec: {{{containers}{', ' if spec else ''}{spec}}}}}"


def _claim(spec: str = "", metadata: str = "") -> str:
    return (
        f"{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: p{metadata}}}, "
        f"spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}{spec}}}}}"
    )


INGRESS = "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: p}, spec: {defaultBackend: {service: {name: a, port: {number: 80}}}}}"


def _load(case: str, text: str, folder: Path) -> tuple[CaseFile, PolicySubject]:
    case_file = policies.load(f"- name: a\n  {case}\n", "a")
    return case_file, policies.subject_of(case_file, text, folder)


def _run(folder: Path, rules: str, case: str, *, actions: str = "Deny", text: str = VALIDATING) -> CaseResult:
    rules = f"validations: [{{expression: '{rules}'}}]" if text == VALIDATING and "\n" not in rules else rules
    case_file, subject = _load(case, text.format(rules=rules, actions=actions), folder)
    return policies.run(case_file, subject)


@pytest.mark.parametrize(
    ("rule", "case", "words"),
    [
        pytest.param(
            NO_ACCOUNT,
            f"input: {_pod()}",
            f"ServiceAccount sets spec.serviceAccountName and spec.serviceAccount first, and then {DENIED}",
            id="the account",
        ),
        pytest.param(
            "!has(object.spec.serviceAccount)",
            "input: " + _pod("serviceAccountName: ''"),
            "ServiceAccount sets spec.serviceAccountName and spec.serviceAccount first",
            id="an empty account",
        ),
        pytest.param(
            NO_VOLUME,
            f"input: {_pod()}",
            f"ServiceAccount sets spec.volumes and spec.containers[*].volumeMounts first, and then {DENIED}",
            id="the volume of the token",
        ),
        pytest.param(
            "!has(object.spec.volumes) || object.spec.volumes.all(v, has(v.emptyDir))",
            f"input: {_pod('volumes: [{name: v, emptyDir: {}}]')}",
            "ServiceAccount sets spec.volumes",
            id="a volume beside another one",
        ),
        pytest.param(NO_MOUNT, f"input: {_pod()}", "spec.containers[*].volumeMounts first", id="a mount"),
        pytest.param(
            "!has(oldObject.spec.serviceAccountName)",
            f"old: {_pod()}\n  input: {_pod()}",
            "ServiceAccount sets spec.serviceAccountName",
            id="an old object",
        ),
    ],
)
def test_a_field_that_every_server_sets_fails_a_case_if_the_policy_then_decides_otherwise(
    tmp_path: Path, rule: str, case: str, words: str
) -> None:
    result = _run(tmp_path, rule, f"{case}\n  accepted: true")

    (line,) = [line for line in policies.explain(result) if "plugin" in line]
    assert words in line
    assert line.endswith("; write these fields in `input`")


def test_a_deletion_names_the_old_object(tmp_path: Path) -> None:
    result = _run(
        tmp_path, "!has(oldObject.spec.serviceAccountName)", f"operation: DELETE\n  old: {_pod()}\n  accepted: true"
    )

    assert "old:" in policies.explain(result)


@pytest.mark.parametrize(
    ("rule", "pod"),
    [
        pytest.param("!has(object.spec.serviceAccountName) || true", _pod(), id="the same decision"),
        pytest.param('object.spec.serviceAccountName == "b"', _pod("serviceAccountName: b"), id="a field of the input"),
        pytest.param(NO_VOLUME, _pod("automountServiceAccountToken: false"), id="a Pod without a token"),
        pytest.param(
            "object.spec.volumes.size() == 1",
            _pod("volumes: [{name: v, emptyDir: {}}]", TOKEN_MOUNT),
            id="a token of the case",
        ),
        pytest.param(
            NO_ACCOUNT,
            _pod("nodeName: node-1", metadata="annotations: {kubernetes.io/config.mirror: a}"),
            id="a Pod of a kubelet",
        ),
        pytest.param("object.spec.containers.size() == 1", _pod(), id="another field"),
        pytest.param("!has(object.spec.storageClassName)", _claim(), id="another kind"),
    ],
)
def test_other_cases_hold(tmp_path: Path, rule: str, pod: str) -> None:
    assert policies.explain(_run(tmp_path, rule, f"input: {pod}\n  accepted: true")) == []


def test_an_object_of_a_subresource_has_no_such_fields(tmp_path: Path) -> None:
    case = f"subresource: eviction\n  operation: CREATE\n  old: {_pod()}\n  input: {{apiVersion: policy/v1, kind: Eviction}}"
    text = VALIDATING.replace("resources: [pods,", "resources: [pods/eviction,")

    rules = "validations: [{expression: '!has(object.serviceAccountName)'}]"
    result = _run(tmp_path, rules, f"{case}\n  accepted: true", text=text)

    assert policies.explain(result) == []


@pytest.mark.parametrize(
    ("rules", "actions", "end", "words"),
    [
        pytest.param(
            f"matchConditions: [{{name: b, expression: '{NO_ACCOUNT}'}}]\n  validations: [{{expression: 'true'}}]",
            "Deny",
            "accepted: true",
            "the policy does not match",
            id="a condition that the field makes false",
        ),
        pytest.param(
            "matchConditions: [{name: b, expression: has(object.spec.serviceAccountName)}]\n  validations: [{expression: 'true'}]",
            "Deny",
            "matched: {because: matchConditions}",
            "the policy matches",
            id="a condition that the field makes true",
        ),
        pytest.param(NO_ACCOUNT, "Warn", "accepted: true", "warnings or audit annotations differ", id="a warning"),
        pytest.param(
            "validations: [{expression: 'true'}]\n  auditAnnotations: [{key: b, valueExpression: 'string(has(object.spec.serviceAccountName))'}]",
            "Deny",
            "accepted: true",
            "warnings or audit annotations differ",
            id="an audit annotation",
        ),
        pytest.param(
            "has(object.spec.serviceAccountName)", "Deny", "denied: [{by: a}]", "the answer is 201", id="a denied Pod"
        ),
    ],
)
def test_the_failure_names_the_other_decision(tmp_path: Path, rules: str, actions: str, end: str, words: str) -> None:
    result = _run(tmp_path, rules, f"input: {_pod()}\n  {end}", actions=actions)

    (line,) = [line for line in policies.explain(result) if "plugin" in line]
    assert f"first, and then {words}; write" in line


@pytest.mark.parametrize(
    ("test", "end", "words"),
    [("has", "mutated: []", "some fields"), ("!has", "mutated: [metadata.labels]", "nothing")],
)
def test_a_mutation_that_depends_on_such_a_field_fails_a_case(tmp_path: Path, test: str, end: str, words: str) -> None:
    patch = "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]"
    rules = f"{test}(object.spec.serviceAccountName) ? {patch} : []"

    result = _run(tmp_path, rules, f"input: {_pod()}\n  {end}", text=MUTATING)

    assert f"the policy changes {words}; write" in "\n".join(policies.explain(result))


@pytest.mark.parametrize(
    ("rule", "value", "words"),
    [
        pytest.param(
            "!has(object.spec.imagePullSecrets)",
            _pod(),
            "with a ServiceAccount with imagePullSecrets, the admission plugin ServiceAccount sets spec.imagePullSecrets first, and then the answer is 422",
            id="secrets of the account",
        ),
        pytest.param(
            "object.spec.containers.all(c, !has(c.resources.limits))",
            _pod(),
            "with a LimitRange with defaults in the namespace, the admission plugin LimitRanger sets spec.containers[*].resources first",
            id="limits",
        ),
        pytest.param(
            "!has(object.spec.overhead)",
            _pod("runtimeClassName: a"),
            "with a RuntimeClass with overhead, the admission plugin RuntimeClass sets spec.overhead first",
            id="overhead",
        ),
        pytest.param(
            "!has(object.spec.storageClassName)",
            _claim(),
            "with a default StorageClass, the admission plugin DefaultStorageClass sets spec.storageClassName first",
            id="the class of a claim",
        ),
        pytest.param(
            "!has(object.spec.ingressClassName)",
            INGRESS,
            "with a default IngressClass, the admission plugin DefaultIngressClass sets spec.ingressClassName first",
            id="the class of an ingress",
        ),
    ],
)
def test_a_field_that_some_clusters_set_is_a_note(tmp_path: Path, rule: str, value: str, words: str) -> None:
    result = _run(tmp_path, rule, f"input: {value}\n  accepted: true")

    assert result.holds
    assert [note.startswith(words) for note in result.notes if "plugin" in note] == [True]


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        pytest.param("!has(object.spec.overhead)", _pod(), id="no RuntimeClass"),
        pytest.param("has(object.spec.storageClassName)", _claim(", storageClassName: ''"), id="an empty class"),
        pytest.param(
            "!has(object.spec.storageClassName)",
            _claim("", ", annotations: {volume.beta.kubernetes.io/storage-class: a}"),
            id="an annotation with the class",
        ),
    ],
)
def test_a_field_that_no_cluster_sets_is_no_note(tmp_path: Path, rule: str, value: str) -> None:
    result = _run(tmp_path, rule, f"input: {value}\n  accepted: true")

    assert (result.holds, [note for note in result.notes if "plugin" in note]) == (True, [])


def test_a_pod_may_name_a_runtime_class_of_the_cluster(tmp_path: Path) -> None:
    of_class = "runtimeClassName: a, overhead: {cpu: 1m}"
    new, old = _pod(of_class, metadata="labels: {b: c}"), _pod(of_class)

    result = _run(
        tmp_path,
        "object.spec.runtimeClassName == oldObject.spec.runtimeClassName",
        f"input: {new}\n  old: {old}\n  accepted: true",
    )

    assert result.holds


def test_a_pod_with_a_malformed_spec_is_refused(tmp_path: Path) -> None:
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: []}"

    with pytest.raises(CaseFileError, match="before it asks the policy a: 400"):
        _run(tmp_path, "true", f"input: {pod}\n  accepted: true")
