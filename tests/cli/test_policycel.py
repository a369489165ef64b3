"""`pytest-crd cel --policy`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import crds

from pytest_crd import __main__ as program

POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few-replicas}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: ["*"], resources: [tabs]}]
  variables:
  - {name: max, expression: int(params.data.max)}
  - {name: lost, expression: object.spec.lost}
  validations: [{expression: object.spec.replicas <= variables.max}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few-replicas}
spec: {policyName: few-replicas, validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}}
"""
OBJECT = "{apiVersion: example.com/v1, kind: Tab, metadata: {name: a, namespace: team}, spec: {replicas: 11}}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a policy, a CRD, an object, a param and a Namespace."""
    (tmp_path / "crd.yaml").write_text(crds.text("plural: tabs, kind: Tab", "type: object"))
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "tab.yaml").write_text(OBJECT)
    (tmp_path / "map.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {max: '10'}}")
    (tmp_path / "team.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {a: b}}}")
    (tmp_path / "pytest.ini").write_text("[pytest]\ncrd_policies = policy.yaml\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cel(*arguments: str, policy: str = "few-replicas") -> int:
    return program.main(["cel", *arguments, "--policy", policy, "--crd-path", "crd.yaml"])


def test_an_expression_has_the_variables_of_the_policy(capsys: pytest.CaptureFixture[str]) -> None:
    assert cel("object.spec.replicas <= variables.max", "--self", "tab.yaml", "--params", "map.yaml") == 1
    assert capsys.readouterr().out == (
        "value  false\ntype   bool\ncost   10\n  variables.max = 10\n  object.spec.replicas = 11\n  variables.max = 10\n"
    )


@pytest.mark.parametrize(
    ("expression", "arguments"),
    [
        ("namespaceObject.metadata.labels.a == 'b'", ("--self", "tab.yaml", "--namespace-object", "team.yaml")),
        ("namespaceObject.metadata.name == 'team'", ("--self", "tab.yaml")),
        ("request.operation == 'CREATE' && request.resource.resource == 'tabs'", ("--self", "tab.yaml")),
        ("request.operation == 'DELETE' && object == null", ("--old", "tab.yaml")),
        ("request.operation == 'UPDATE' && oldObject == object", ("--self", "tab.yaml", "--old", "tab.yaml")),
        ("request.resource.resource == 'configmaps'", ("--self", "map.yaml", "--policy-path", "policy.yaml")),
        (
            "request.userInfo.username == 'jane' && 'devs' in request.userInfo.groups",
            ("--self", "tab.yaml", "--user", "jane", "--group", "devs"),
        ),
        ("authorizer.requestResource.check('delete').allowed()", ("--self", "tab.yaml")),
    ],
)
def test_the_options_state_the_request(expression: str, arguments: tuple[str, ...]) -> None:
    assert cel(expression, *arguments) == 0


def test_errors_name_the_variable_that_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert cel("variables.lost == 1", "--self", "tab.yaml") == 1
    printed = capsys.readouterr().out
    problem = 'composited variable "lost" fails to evaluate: no such key: lost'
    assert printed.startswith(f"error  expression 'variables.lost == 1' resulted in error: {problem}\n")
    assert f"  variables.lost = error: {problem}\n" in printed


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("true",), "name the file of the object with --self"),
        (
            ("nothing", "--self", "tab.yaml"),
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing'",
        ),
        (("true", "--self", "none.yaml"), "none.yaml: cannot be read"),
        (("true", "--self", "list.yaml"), "list.yaml:1: is no mapping, as every object is"),
        (("true", "--self", "other.yaml"), "no CRD and no built-in kind has the apiVersion b/v1 and the kind Other"),
        (
            ("authorizer.path('/x').check('get').allowed()", "--self", "tab.yaml", "--user", "jane"),
            'the authorizer in expressions of admission for the user "jane"',
        ),
    ],
)
def test_mistakes_are_told(
    folder: Path, arguments: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "list.yaml").write_text("[]")
    (folder / "other.yaml").write_text("{apiVersion: b/v1, kind: Other}")
    assert cel(*arguments) == 2
    assert problem in capsys.readouterr().err


def test_unknown_policies_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cel("true", "--self", "tab.yaml", policy="few") == 2
    (folder / "pytest.ini").unlink()
    assert cel("true", "--self", "tab.yaml") == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == "no policy with a binding is called 'few'; there are: few-replicas"
    assert second == "name the files of the policy with --policy-path, or set crd_policies in the ini file"
