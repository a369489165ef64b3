"""Writers of policies and bindings need the right to read the params; kube-apiserver's words."""

from __future__ import annotations

from typing import Any, Final

import pytest
from conformance import policyobjects
from support import policies, servers

from pytest_crd.engine.registry.admission import User
from pytest_crd.server.api import Api

GROUP: Final = "admissionregistration.k8s.io"
CONFIG_MAP: Final = {"apiVersion": "v1", "kind": "ConfigMap"}
OTHER: Final = {"apiVersion": "x.example.com/v1", "kind": "Other"}
JANE: Final = User("jane", groups=("devs", "system:authenticated"), extra={"a": ("b",)})
USER: Final = "&{jane  [devs system:authenticated] map[a:[b]]}"
REFERENCE: Final = {"name": "a", "namespace": "default", "parameterNotFoundAction": "Deny"}
SELECTED: Final = {"selector": {}, "parameterNotFoundAction": "Deny"}
CASES: Final = {case.name: case for case in policyobjects.cases()}
MUTATIONS: Final = {
    "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}]
}
LACKING: Final = (
    f'to determine minimum required permissions and user {USER} does not have "get" permission '
    "for all groups, versions and resources"
)


def server(*rules: Any) -> Api:
    """Return a server on which jane may write policies, with further rules."""
    api = policies.api(
        [
            policies.role("writer", policies.rule("*", "*", GROUP), *rules),
            policies.binding("writer", "writer", policies.user("jane")),
        ]
    )
    for name, kind in (("maps", CONFIG_MAP), ("others", OTHER), ("none", None)):
        for lead in ("valid", "valid mutating"):
            assert send(api, lead, name, policies.ADMIN, paramKind=kind) == ""
    return api


def send(api: Api, case: str, name: str, user: User = JANE, method: str = "POST", **spec: Any) -> str:
    """Write a case with other fields in its spec; return the message about `spec` in the refusal, or an empty text."""
    declared = CASES[case]
    own = {**declared.new["spec"], **(MUTATIONS if case == "valid mutating" else {}), **spec}
    metadata: dict[str, Any] = {"name": name}
    path = f"/apis/{GROUP}/v1/{policyobjects.PLURALS[declared.kind]}"
    if method == "PUT":
        path = f"{path}/{name}"
        metadata["resourceVersion"] = servers.ask(api, "GET", path).value["metadata"]["resourceVersion"]
    body = {"apiVersion": f"{GROUP}/v1", "kind": declared.kind, "metadata": metadata, "spec": own}
    answer = policies.ask(api, user, method, path, body)
    if answer.code in (200, 201):
        return ""
    assert answer.code == 422
    assert answer.value["details"]["kind"] == declared.kind
    (cause,) = answer.value["details"]["causes"]
    assert answer.value["message"].endswith(f"{cause['field']}: {cause['message']}")
    return f"{cause['field']}: {cause['message']}"


@pytest.mark.parametrize("case", ["valid", "valid mutating"])
@pytest.mark.parametrize("kind", [CONFIG_MAP, OTHER])
def test_a_policy_needs_access_to_all_params_of_its_kind(case: str, kind: Any) -> None:
    expected = (
        f'spec.paramKind: Forbidden: user {USER} must have "get" permission on all objects of the referenced paramKind '
        f"(kind={kind['kind']}, apiVersion={kind['apiVersion']})"
    )
    assert send(server(), case, "p", paramKind=kind) == expected
    assert send(server(), case, "p") == ""


def test_a_reader_of_all_params_may_write_policies() -> None:
    api = server(policies.rule("get", "configmaps"))
    assert send(api, "valid", "p", paramKind=CONFIG_MAP) == ""
    assert send(api, "valid", "q", paramKind=OTHER) != ""


def test_an_unchanged_kind_of_params_is_not_checked_again() -> None:
    api = server()
    assert send(api, "valid", "maps", method="PUT", paramKind=CONFIG_MAP, failurePolicy="Ignore") == ""
    assert send(api, "valid", "others", method="PUT", paramKind=CONFIG_MAP) != ""


@pytest.mark.parametrize(
    ("policy", "reference", "expected"),
    [
        ("maps", REFERENCE, f'user {USER} does not have "get" permission on the object referenced by paramRef'),
        ("maps", SELECTED, f'user {USER} does not have "list" permission on the object referenced by paramRef'),
        ("none", REFERENCE, f'user {USER} does not have "get" permission on the object referenced by paramRef'),
        ("others", REFERENCE, f"unable to resolve paramKind &{{x.example.com/v1 Other}} {LACKING}"),
        ("missing", REFERENCE, f"unable to get policy missing {LACKING}"),
    ],
)
def test_a_binding_needs_access_to_its_params(policy: str, reference: Any, expected: str) -> None:
    api = server()
    problem = send(api, "valid binding", "b", policyName=policy, paramRef=reference)
    assert problem == f"spec.paramRef: Forbidden: {expected}"
    problem = send(api, "valid mutating binding", "b", policyName=policy, paramRef=reference)
    verb = "list" if reference is SELECTED else "get"
    # The server swaps both in bindings of MutatingAdmissionPolicies.
    swapped = f'user {verb} does not have "{USER}" permission on the object referenced by paramRef'
    assert problem == f"spec.paramRef: Forbidden: {swapped if expected.startswith('user') else expected}"


def test_a_reader_of_one_param_may_bind_it() -> None:
    api = server(policies.rule("get", "configmaps", resourceNames=["a"]))
    assert send(api, "valid binding", "b", policyName="maps", paramRef=REFERENCE) == ""
    assert send(api, "valid binding", "c", policyName="maps", paramRef={**REFERENCE, "name": "other"}) != ""
    assert send(api, "valid binding", "d", policyName="missing") == ""
