"""Requests and webhook configurations of declared conversations, as HTTP messages and manifests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from conformance.exchanges import Request
from pytest_crd.engine.jsonvalue import JSONValue

REGISTRATION: Final = "/apis/admissionregistration.k8s.io/v1"
CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CONFIGURATIONS: Final = {"mutating": "MutatingWebhookConfiguration", "validating": "ValidatingWebhookConfiguration"}
_WEBHOOK: Final = {
    "admissionReviewVersions": ["v1"],
    "sideEffects": "None",
    "rules": [
        {"operations": ["*"], "apiGroups": ["{ns}.example.com"], "apiVersions": ["*"], "resources": ["things"]},
    ],
}
_PATCHES: Final = {
    "apply": "application/apply-patch+yaml",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
_VERBS: Final = (
    "create",
    "update",
    *_PATCHES,
    "get",
    "list",
    "watch",
    "delete",
    "deleteAll",
    "scaleTo",
    "storage",
    "send",
    *CONFIGURATIONS,
)
_BESIDE: Final = frozenset({"version", "name", "sub", "query", "pause", "accept", "raw", "agent", "namespace"})


def configuration(kind: str, name: str, webhooks: Sequence[Mapping[str, Any]]) -> JSONValue:
    """
    Return a webhook configuration.

    Args:
        kind: A key of CONFIGURATIONS.
        name: The end of its name.
        webhooks: The webhooks; see the module.
    """
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": CONFIGURATIONS[kind],
        "metadata": {"name": f"{{ns}}-{name}"},
        "webhooks": [_webhook(webhook) for webhook in webhooks],
    }


def _webhook(declared: Mapping[str, Any]) -> JSONValue:
    fields = dict(declared)
    hook = fields.pop("hook", "mutate")
    config = {"url": f"{{hooks}}/{hook}", "caBundle": "{ca}"}
    whole = {"name": f"{hook}.example.com", "clientConfig": config, **_WEBHOOK, **fields}
    return {key: value for key, value in whole.items() if value is not None}


def message(declared: Mapping[str, Any], scope: str, number: int = 0) -> Request:
    """
    Return the HTTP request for a declared one.

    Args:
        declared: The verb with its body, and `version` (v1), `name` (a), `sub` for a subresource, `query`, `accept`,
            `agent`, `namespace`, `pause` for seconds before the request, and `raw` for a body without completion.
        scope: The scope of the CRD.
        number: The number of the request. An update names the resourceVersion of the answer before, if it has none.

    Raises:
        ValueError: The request has no verb, two, or an unknown key.
    """
    verbs = [verb for verb in _VERBS if verb in declared]
    if len(verbs) != 1 or declared.keys() - _BESIDE - {*verbs}:
        raise ValueError(f"not a request: {declared}")
    (verb,) = verbs
    beside = {key: declared[key] for key in ("pause", "accept", "agent") if key in declared}
    if verb == "send":
        return {**declared[verb], **beside}
    if verb == "storage":
        return _storage_change(declared[verb]) | beside
    if verb in CONFIGURATIONS:
        path = f"{REGISTRATION}/{CONFIGURATIONS[verb].lower()}s?dryRun=All"
        return {"method": "POST", "path": path, "body": configuration(verb, "new", declared[verb])} | beside
    if verb == "update" and "raw" not in declared and number:
        metadata = {"resourceVersion": f"{{rv:{number - 1}}}", **declared[verb].get("metadata", {})}
        declared = {**declared, verb: {**declared[verb], "metadata": metadata}}
    return _of_object(verb, declared, scope) | beside


def _storage_change(name: str) -> dict[str, Any]:
    """Return the patch of the first CRD that makes *name* the storage version, v1 or v2."""
    changes = [
        {"op": "replace", "path": f"/spec/versions/{number}/storage", "value": version == name}
        for number, version in enumerate(("v1", "v2"))
    ]
    path = f"{CRDS}/things.{{ns}}.example.com"
    return {"method": "PATCH", "path": path, "body": changes, "mediaType": _PATCHES["json"]}


def _of_object(verb: str, declared: Mapping[str, Any], scope: str) -> dict[str, Any]:
    version, name = declared.get("version", "v1"), declared.get("name", "a")
    where = f"namespaces/{declared.get('namespace', '{ns}')}/" if scope == "Namespaced" else ""
    path = f"/apis/{{ns}}.example.com/{version}/{where}things"
    if verb not in ("create", "list", "watch", "deleteAll"):
        path += f"/{name}"
    if sub := declared.get("sub", "scale" if verb == "scaleTo" else ""):
        path += f"/{sub}"
    query = [text for text in (declared.get("query", ""), "watch=true" if verb == "watch" else "") if text]
    query += ["fieldManager=applier"] if verb == "apply" and "fieldManager" not in "".join(query) else []
    if query:
        path += "?" + "&".join(query)
    request: dict[str, Any] = {"path": path}
    body = declared[verb]
    if verb in _PATCHES:
        request |= {"method": "PATCH", "mediaType": _PATCHES[verb]}
        body = body if verb != "apply" or "raw" in declared else _object(body, version, name)
    elif verb == "scaleTo":
        scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": body}}
        request["method"], body = "PUT", scale | {"metadata": {"name": name, "namespace": "{ns}"}}
    elif verb in ("create", "update"):
        request["method"] = "POST" if verb == "create" else "PUT"
        body = body if "raw" in declared else _object(body, version, name)
    else:
        request["method"] = "DELETE" if verb.startswith("delete") else "GET"
        if verb == "watch":
            request["watch"] = True
    return request if body is None else {**request, "body": body}


def _object(body: Mapping[str, Any], version: str, name: str) -> JSONValue:
    metadata = body.get("metadata") or {}
    named = metadata if "generateName" in metadata else {"name": name, **metadata}
    return {"apiVersion": f"{{ns}}.example.com/{version}", "kind": "Thing", **body, "metadata": named}
