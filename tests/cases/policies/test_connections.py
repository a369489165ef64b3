"""A case with the operation CONNECT asks a policy about a connection, with its options as the object."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import policycases as policies
from support.policycases import explain

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.engine.inputerror import InputError

POLICY = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: connections}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CONNECT], resources: [pods/exec, pods/portforward, pods/proxy, services/proxy]}
  validations:
  - {expression: "!has(object.command) || object.command == null || !('rm' in object.command)", message: no rm}
  - {expression: "!has(object.tty) || !object.tty", message: no terminal}
  - {expression: "!has(object.ports) || object.ports.all(p, p != 22)", message: no ssh}
  - {expression: "!has(object.path) || !object.path.startsWith('/admin')", message: no administration}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: connections}
spec: {policyName: connections, validationActions: [Deny]}
"""
POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i}]}}"
SERVICE = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}"


def _run(folder: Path, rest: str, old: str = POD) -> CaseResult:
    case_file = policies.load(f"- name: a\n  operation: CONNECT\n  old: {old}\n  {rest}\n", "connections")
    return policies.run(case_file, policies.subject_of(case_file, POLICY, folder))


HOLD = {
    "an allowed command": "subresource: exec\n  input: {command: [ls, -l], stdout: true, container: c}\n  accepted: true",
    "a denied command": "subresource: exec\n  input: {apiVersion: v1, kind: PodExecOptions, command: [rm, -r]}\n  denied: [{by: connections, message: no rm}]",
    "a terminal": "subresource: exec\n  input: {tty: true}\n  error: no terminal",
    "no terminal": "subresource: exec\n  input: {tty: false}\n  accepted: true",
    "a changed command": "subresource: exec\n  input: {command: [ls]}\n  patch: {command: [rm]}\n  error: no rm",
    "a port": "subresource: portforward\n  input: {ports: [80, 22]}\n  error: no ssh",
    "a path": "subresource: proxy\n  input: {path: /admin/a b}\n  error: no administration",
    "no path": "subresource: proxy\n  input: {}\n  accepted: true",
    "another subresource": "subresource: attach\n  input: {container: c}\n  matched: {because: resourceRules}",
}


@pytest.mark.parametrize("case", HOLD.values(), ids=HOLD)
def test_a_case_asks_about_a_connection(tmp_path: Path, case: str) -> None:
    result = _run(tmp_path, case)
    assert result.holds, explain(result)


def test_a_proxy_of_a_service_is_a_connection(tmp_path: Path) -> None:
    assert _run(tmp_path, "subresource: proxy\n  input: {path: /admin}\n  error: no administration", SERVICE).holds


def test_an_accepted_connection_fails_a_case_that_expects_a_denial(tmp_path: Path) -> None:
    assert not _run(tmp_path, "subresource: exec\n  input: {command: [ls]}\n  error: no rm").holds


MISTAKES = {
    "no connection": ("subresource: status\n  input: {}", "nothing connects to 'status' of pods; `subresource` is one of: exec of pods"),
    "no subresource": ("input: {}", "nothing connects to pods alone"),
    "an unknown option": ("subresource: exec\n  input: {comand: [ls]}", "a PodExecOptions has no field comand; did you mean command?"),
    "a foreign option": ("subresource: portforward\n  input: {zzzzz: 1}", "a PodPortForwardOptions has no field zzzzz; there are: ports"),
    "a command that is no list": ("subresource: exec\n  input: {command: ls}", "command must be a list of texts"),
    "a text as a truth": ("subresource: exec\n  input: {tty: 'yes'}", "tty must be true or false"),
    "another kind": ("subresource: exec\n  input: {kind: Pod}", "the kind of the options is PodExecOptions"),
    "a path without a slash": ("subresource: proxy\n  input: {path: admin}", "path must begin with a slash"),
    "a port that is none": ("subresource: portforward\n  input: {ports: [99999]}", "the server refuses the request before it asks the policy connections: 400"),
}  # fmt: skip


@pytest.mark.parametrize(("case", "message"), MISTAKES.values(), ids=MISTAKES)
def test_options_that_no_connection_has_are_a_mistake(tmp_path: Path, case: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _run(tmp_path, f"{case}\n  accepted: true")
    assert message in str(caught.value)
