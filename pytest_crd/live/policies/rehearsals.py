"""
Objects of one case of an admission policy on a live server: Namespaces, params, the old object, the policy and its bindings.

The policy and its bindings have names of their own, and a selector for the Namespace of the case, so that they decide
about no other requests. All objects are removed after the case.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Final, Self

from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.live import answerfacts, client, lease, obstacles
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.stages import DisagreementError, NotAskedError
from pytest_crd.live.transport import NoAnswerError
from pytest_crd.policies.definitions import MUTATING, VALIDATING

LABEL: Final = "pytest-crd.example.com/case"
_REGISTRATION: Final = "admissionregistration.k8s.io/v1"
_MERGE: Final = {"Content-Type": "application/merge-patch+json"}
_NO_FINALIZERS: Final = {"metadata": {"finalizers": None}}
_OK: Final = 200
_CREATED: Final = 201
# How long a new policy takes to count at most, in seconds; a server looks for new kinds of params every half a minute.
_PATIENCE: Final = 60.0
_PAUSE: Final = 0.2
_PROBED: Final = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
# A policy that denies the probe, by the kind of policies.
_DENYING: Final[Mapping[str, JSONObject]] = {
    VALIDATING: {"validations": [{"expression": "false", "message": "the policy counts"}]},
    MUTATING: {
        "reinvocationPolicy": "Never",
        "mutations": [
            {
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {"expression": "Object{metadata: Object.metadata{labels: {'a': string(1 / 0)}}}"},
            }
        ],
    },
}
# The ends of the messages about a denied probe: that of each kind of policies, and that about params if there are none.
_COUNTS: Final = (
    "the policy counts",
    "division by zero",
    "no params found for policy binding with `Deny` parameterNotFoundAction",
)
_ANY_PARAM: Final = {"selector": {}, "parameterNotFoundAction": "Deny"}


def make_name() -> str:
    """Return a new name of an object on the server."""
    return f"{lease.PREFIX}{secrets.token_hex(5)}"


class Rehearsal:
    """Objects of one case, which exist until the end of the `with` block."""

    def __init__(self, server: client.Server, sandbox: Sandbox) -> None:
        """Create it; send nothing."""
        self._server, self._sandbox = server, sandbox
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Create nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the objects, the last one first."""
        self._stack.close()

    def make_namespace(self, name: str, metadata: JSONObject) -> JSONObject:
        """
        Create a Namespace with the labels and annotations of some metadata, and return it.

        Raises:
            NoAnswerError: The server does not create it.
        """
        texts = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
        manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, **texts}}
        namespace: JSONObject = self._make(lease.NAMESPACE, manifest).body
        return namespace

    def store(self, path: str, value: JSONObject, what: str) -> JSONObject:
        """
        Store an object, and return it as it is stored.

        Args:
            path: The URL path of the collection.
            value: The object.
            what: A name for the object in messages.

        Raises:
            NotAskedError: The server refuses it.
            NoAnswerError: The server does not answer.
        """
        answer = self._server.ask("POST", path, value)
        if answer.code != _CREATED:
            raise NotAskedError(f"the server refuses {what}: {answer.code} {answer.message}")
        stored: JSONObject = answer.body
        self._stack.callback(self._discard, f"{path}/{stored['metadata']['name']}")
        if "status" in value and value["status"] != stored.get("status"):
            whole = {**stored, "status": value["status"]}
            answer = self._server.ask("PUT", f"{path}/{stored['metadata']['name']}/status", whole)
            if answer.code != _OK:
                raise NotAskedError(f"the server refuses the status of {what}: {answer.code} {answer.message}")
            stored = answer.body
        return stored

    def _discard(self, path: str) -> None:
        self._server.ask("PATCH", path, _NO_FINALIZERS, headers=_MERGE)
        self._server.ask("DELETE", path)

    def install(self, manifests: Sequence[JSONObject], namespace: JSONObject) -> None:
        """
        Create a policy and its bindings, and wait until they count.

        Args:
            manifests: The policy and its bindings.
            namespace: The Namespace of the case.

        Raises:
            DisagreementError: The server refuses one of them, but the engine does not.
            NoAnswerError: They do not count after a minute.
        """
        for manifest in manifests:
            answer = self._make(manifest["kind"].lower(), manifest)
            if answer.code != _CREATED:
                obstacles.refuse_as_no_answer(answer)
                raise DisagreementError({"object": manifest}, {"code": _CREATED}, answerfacts.of_server(answer))
        kind = manifests[0]["kind"]
        name = make_name()
        for manifest in _make_marker(name, manifests[0], namespace["metadata"]["labels"][LABEL]):
            obstacles.refuse_as_no_answer(self._make(manifest["kind"].lower(), manifest))
        self._wait_for(name, kind, namespace["metadata"]["name"])

    def _wait_for(self, name: str, kind: str, namespace: str) -> None:
        """Wait until a marker denies a probe, for no problem with its params; the server has seen it after the policy."""
        path = f"/api/v1/namespaces/{namespace}/configmaps"
        probe = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        waited = 0.0
        while not (answer := self._server.ask("POST", path, probe, query={"dryRun": "All"})).message.endswith(_COUNTS):
            if answer.code != _CREATED and name not in answer.message:
                raise NoAnswerError(f"{answer.code} {answer.message}")
            if waited > _PATIENCE:
                raise NoAnswerError(f"waited in vain for a {kind} to count: {answer.code} {answer.message}")
            self._server.rest(_PAUSE)
            waited += _PAUSE

    def _make(self, kind: str, manifest: JSONObject) -> client.ServerAnswer:
        self._stack.callback(self._sandbox.remove, kind, manifest["metadata"]["name"])
        return self._sandbox.create(kind, manifest)


def select_namespace(selector: JSONValue, label: str) -> JSONObject:
    """Return a namespace selector that also demands the label of a case."""
    selected: JSONObject = selector or {}
    return {**selected, "matchLabels": {**(selected.get("matchLabels") or {}), LABEL: label}}


def _make_marker(name: str, policy: JSONObject, label: str) -> tuple[JSONObject, JSONObject]:
    """Return a policy that denies the probe, with the kind of params of another policy, and its binding."""
    kind, params = policy["kind"], policy["spec"].get("paramKind")
    constraints = {
        "namespaceSelector": select_namespace(None, label),
        "resourceRules": [{**_PROBED, "resourceNames": [name]}],
    }
    spec = {"matchConstraints": constraints, "failurePolicy": "Fail", **_DENYING[kind]}
    binding: JSONObject = {"policyName": name, **({"validationActions": ["Deny"]} if kind == VALIDATING else {})}
    if params:
        spec, binding = {**spec, "paramKind": params}, {**binding, "paramRef": _ANY_PARAM}
    head = {"apiVersion": _REGISTRATION, "metadata": {"name": name}}
    return {**head, "kind": kind, "spec": spec}, {**head, "kind": f"{kind}Binding", "spec": binding}
