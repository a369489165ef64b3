"""
OpenAPI documents under `/openapi/v2` and `/openapi/v3`.

Custom resources have the schemas that kube-apiserver publishes. Built-in kinds are plain objects, with the parameters
of their requests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.loading.projectcrds import CustomResourceDefinitions
from pytest_crd.engine.openapi import openapidocuments
from pytest_crd.server.http import httpmessages
from pytest_crd.server.resourcetypes import ResourceType

_GVK: Final = "x-kubernetes-group-version-kind"
# The order of these keys in version 3; all other keys are sorted.
_KIND_KEYS: Final = ("group", "version", "kind")
_OPERATIONS: Final = {"create": "post", "update": "put", "patch": "patch"}
# Clients detect support for these parameters in the documents.
_PARAMETERS: Final = ("dryRun", "fieldManager", "fieldValidation")


def document(parts: Sequence[str], crds: CustomResourceDefinitions, types: Sequence[ResourceType]) -> Resource | None:
    """
    Return the document under a path, or None if the path is unknown.

    Args:
        parts: The path segments after `/openapi`: `v2`, `v3`, `v3/apis/stable.example.com/v1`.
        crds: The served CRDs.
        types: All served resources.
    """
    document_ = _document(parts, crds, types)
    return None if document_ is None else _ordered(document_, parts[0])


def _document(parts: Sequence[str], crds: CustomResourceDefinitions, types: Sequence[ResourceType]) -> Resource | None:
    if [*parts] == ["v2"]:
        schemas = (version.openapi(2) for crd in crds for version in crd.versions)
        merged = openapidocuments.merged(schema for schema in schemas if schema is not None) or {
            "paths": {},
            "definitions": {},
        }
        info = {"title": "Kubernetes", "version": "unversioned"}
        return {"swagger": "2.0", "info": info, **merged}
    published = {_path(type_) for type_ in types}
    if [*parts] == ["v3"]:
        return {"paths": {path: _reference(path, crds, types) for path in sorted(published)}}
    path = "/".join(parts[1:])
    return _of_version(path, crds, types) if parts[0] == "v3" and path in published else None


def tag(document_: JSONValue) -> str:
    """Return the hash of a document."""
    return hashlib.sha512(httpmessages.compact(document_).encode()).hexdigest().upper()


def _ordered(value: JSONValue, version: str) -> JSONValue:
    """Return a document in the server's key order, which shows in protobuf."""
    if isinstance(value, list):
        return [_ordered(item, version) for item in value]
    if not isinstance(value, dict):
        return value
    ordered = {key: _ordered(value[key], version) for key in sorted(value)}
    if version == "v3" and isinstance(kind := ordered.get(_GVK), dict):
        ordered[_GVK] = {key: kind[key] for key in _KIND_KEYS}
    return ordered


def _path(type_: ResourceType) -> str:
    return f"apis/{type_.group}/{type_.version}" if type_.group else f"api/{type_.version}"


def _reference(path: str, crds: CustomResourceDefinitions, types: Iterable[ResourceType]) -> Resource:
    """Return the entry of a group version in the index, with the hash of its document."""
    return {"serverRelativeURL": f"/openapi/v3/{path}?hash={tag(_ordered(_of_version(path, crds, types), 'v3'))}"}


def _of_version(path: str, crds: CustomResourceDefinitions, types: Iterable[ResourceType]) -> Resource:
    """Return the document of a group version."""
    group_version = path.removeprefix("apis/")
    if any(f"{crd.group}/{version.name}" == group_version for crd in crds for version in crd.versions):
        return crds.openapi(3, group_version) or {}
    paths: dict[str, JSONValue] = {}
    schemas: dict[str, JSONValue] = {}
    for type_ in types:
        if _path(type_) == path:
            schemas[type_.names.kind] = {"type": "object", _GVK: [_kind(type_)]}
            paths |= _paths(f"/{path}", type_)
    info = {"title": "Kubernetes", "version": "unversioned"}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _kind(type_: ResourceType) -> Resource:
    return {"group": type_.group, "version": type_.version, "kind": type_.names.kind}


def _paths(lead: str, type_: ResourceType) -> Resource:
    within = "/namespaces/{namespace}" if type_.is_namespaced else ""
    collection = f"{lead}{within}/{type_.names.plural}"
    named = {verb: _operation(verb, type_) for verb in ("update", "patch") if verb in type_.verbs}
    paths = {collection: {"post": _operation("create", type_)}}
    if named:
        paths[f"{collection}/{{name}}"] = {_OPERATIONS[verb]: operation for verb, operation in named.items()}
    return paths


def _operation(verb: str, type_: ResourceType) -> Resource:
    parameters = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in _PARAMETERS]
    return {"x-kubernetes-action": verb, _GVK: _kind(type_), "parameters": parameters, "responses": {}}
