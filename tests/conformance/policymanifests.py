"""Short forms of admission policies, their bindings and requests in declared conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.exchanges import Request
from conformance.webhookrequests import message
from pytest_crd.engine.jsonvalue import JSONValue

KINDS: Final = {
    "policies": "ValidatingAdmissionPolicy",
    "bindings": "ValidatingAdmissionPolicyBinding",
    "mutations": "MutatingAdmissionPolicy",
    "mutationBindings": "MutatingAdmissionPolicyBinding",
}
"""The kinds by the key of a conversation that declares their objects."""
REQUESTS: Final = {
    "policy": "policies",
    "binding": "bindings",
    "mutation": "mutations",
    "mutationBinding": "mutationBindings",
}
"""The verbs of requests that create an object in a dry run, with the keys of KINDS."""

_PLURALS: Final = {
    "ConfigMap": "api/v1/configmaps",
    "Secret": "api/v1/secrets",
    "Namespace": "api/v1/namespaces",
    "Pod": "api/v1/pods",
    "Service": "api/v1/services",
    "ServiceAccount": "api/v1/serviceaccounts",
    "ClusterRole": "apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "apis/rbac.authorization.k8s.io/v1/roles",
    "RoleBinding": "apis/rbac.authorization.k8s.io/v1/rolebindings",
    **{kind: f"apis/admissionregistration.k8s.io/v1/{kind.lower()}s" for kind in KINDS.values()},
    "ValidatingAdmissionPolicy": "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "MutatingAdmissionPolicy": "apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
    "MutatingAdmissionPolicyBinding": "apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings",
}
_CLUSTER_WIDE: Final = frozenset({"Namespace", "ClusterRole", "ClusterRoleBinding", *KINDS.values()})
_OWN: Final = {"apiGroups": ["{ns}.example.com"], "apiVersions": ["*"], "resources": ["things"]}
_BUILTIN: Final = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
_LOCAL: Final = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "{ns}"}}}


def manifest(key: str, name: str, declared: Mapping[str, Any], *, is_builtin: bool) -> JSONValue:
    """
    Return a policy or binding from its short form.

    Args:
        key: A key of KINDS.
        name: The end of its name.
        declared: Fields of the spec; see `policyconversations`. `metadata` has fields for the metadata.
        is_builtin: Whether it is about ConfigMaps by default, and bound to the namespace of the conversation.
    """
    fields = dict(declared)
    metadata = {"name": f"{{ns}}-{name}", **fields.pop("metadata", {})}
    kind = KINDS[key]
    spec = _policy_spec(key, fields, is_builtin=is_builtin)
    if key.lower().endswith("bindings"):
        spec = _binding_spec(key, name, fields, is_builtin=is_builtin)
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {key: value for key, value in metadata.items() if value is not None},
        "spec": {key: value for key, value in spec.items() if value is not None},
    }


def _policy_spec(key: str, fields: Mapping[str, Any], *, is_builtin: bool) -> dict[str, Any]:
    operations = ["CREATE", "UPDATE"] if key == "mutations" else ["*"]
    rule = {"operations": operations, **(_BUILTIN if is_builtin else _OWN)}
    spec: dict[str, Any] = {"matchConstraints": {"resourceRules": [rule]}, **fields}
    if key == "mutations" and "reinvocationPolicy" not in fields:
        spec["reinvocationPolicy"] = "Never"
    for name, item in (("variables", "name"), ("matchConditions", "name"), ("auditAnnotations", "key")):
        if isinstance(spec.get(name), dict):
            field = "valueExpression" if item == "key" else "expression"
            spec[name] = [{item: own, field: expression} for own, expression in spec[name].items()]
    for name, complete in (("validations", _validation), ("mutations", _mutation)):
        if isinstance(spec.get(name), list):
            spec[name] = [complete(each) for each in spec[name]]
        elif isinstance(spec.get(name), str):
            spec[name] = [complete(spec[name])]
    return spec


def _validation(declared: Any) -> Any:
    return {"expression": declared} if isinstance(declared, str) else declared


def _mutation(declared: Any) -> Any:
    """Return a mutation from an expression of an apply configuration or, with `JSONPatch{`, of a JSON patch."""
    if not isinstance(declared, str):
        return declared
    if "JSONPatch{" in declared:
        return {"patchType": "JSONPatch", "jsonPatch": {"expression": declared}}
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": declared}}


def _binding_spec(key: str, name: str, fields: Mapping[str, Any], *, is_builtin: bool) -> dict[str, Any]:
    spec: dict[str, Any] = {"policyName": f"{{ns}}-{name}"}
    if key == "bindings":
        spec["validationActions"] = ["Deny"]
    if is_builtin:
        spec["matchResources"] = _LOCAL
    if isinstance(policy := fields.get("policy"), str):
        spec["policyName"] = f"{{ns}}-{policy}"
    return spec | {key: value for key, value in fields.items() if key != "policy"}


def collection(manifest_: Mapping[str, Any]) -> str:
    """
    Return the path at which an object is created.

    Raises:
        ValueError: Its kind is unknown.
    """
    kind = manifest_["kind"]
    if manifest_["apiVersion"].rpartition("/")[0].endswith("example.com"):
        place = f"apis/{manifest_['apiVersion']}/{kind.lower()}s"
    elif kind in _PLURALS:
        place = _PLURALS[kind]
    else:
        raise ValueError(f"no path for {kind}")
    if is_cluster_wide(manifest_):
        return f"/{place}"
    prefix, _, plural = place.rpartition("/")
    return f"/{prefix}/namespaces/{manifest_['metadata'].get('namespace', '{ns}')}/{plural}"


def is_cluster_wide(manifest_: Mapping[str, Any]) -> bool:
    """Return whether an object has no namespace; a custom resource has an empty one then."""
    return manifest_["kind"] in _CLUSTER_WIDE or manifest_["metadata"].get("namespace") == ""


def request(declared: Mapping[str, Any], scope: str, number: int, *, is_builtin: bool) -> Request:
    """
    Return the HTTP request for a declared one.

    Args:
        declared: As of `webhookrequests.message`, and `user` for the user to impersonate: `{name, groups}`. A verb of
            REQUESTS creates an object from its short form in a dry run.
        scope: The scope of the first CRD.
        number: The number of the request.
        is_builtin: Whether the conversation has no CRD.
    """
    fields = dict(declared)
    user = fields.pop("user", None)
    beside: dict[str, Any] = {"impersonation": _impersonation(user)} if user else {}
    for verb, key in REQUESTS.items():
        if verb in fields:
            body = manifest(key, "new", fields.pop(verb), is_builtin=is_builtin)
            query = fields.pop("query", "dryRun=All&fieldValidation=Strict")
            if fields:
                raise ValueError(f"not a request: {declared}")
            path = f"{collection(body)}?{query}"
            return {"method": "POST", "path": path, "body": body, "leaveOut": ["managedFields"], **beside}
    return {**message(fields, scope, number), **beside}


def _impersonation(user: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Return the headers of a user with `name`, `groups`, `uid` and `extra`."""
    pairs = [("impersonate-user", user["name"])]
    pairs += [("impersonate-group", group) for group in user.get("groups", ())]
    pairs += [("impersonate-uid", user["uid"])] if "uid" in user else []
    pairs += [(f"impersonate-extra-{key}", value) for key, values in user.get("extra", {}).items() for value in values]
    return pairs
