"""OpenAPI documents for the custom resources of a version."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import commontypes, operations
from pytest_crd.engine.openapi.commontypes import OpenAPIVersion, Parameter, Schema, Types
from pytest_crd.engine.openapi.operations import Operation, PublishedResource
from pytest_crd.engine.openapi.schemas import Publisher
from pytest_crd.engine.profile import Profile

OpenAPIDocument: TypeAlias = "dict[str, JSONValue]"

_INFO: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
_UNAUTHORIZED: Final = {"401": {"description": "Unauthorized"}}
_GVK: Final = "x-kubernetes-group-version-kind"
_SELECTABLE: Final = "x-kubernetes-selectable-fields"


def document(
    crd: CrdSpec, version: VersionSpec, schema: Schema | None, profile: Profile, openapi: OpenAPIVersion
) -> OpenAPIDocument | None:
    """
    Return the document that a server with a single CRD publishes for a version.

    Args:
        crd: The CRD.
        version: The version.
        schema: Its decoded schema; None if it is missing or not structural.
        profile: The Kubernetes version.
        openapi: The version of OpenAPI.

    Returns:
        For v3 the document of the group version, for v2 its part of the server's document: `paths`, `definitions` and,
        if they are shared, `parameters`. None if the version is not served, or the server has no v3.

    Reference:
        apiextensions-apiserver controller/openapi and controller/openapiv3.
    """
    if not version.served or (openapi == 3 and not profile.publishes_v3):
        return None
    served = resource(crd, version)
    types = commontypes.load(profile, openapi, scales=served.has_scale)
    publisher = Publisher(types, profile)
    published = publisher.resource(schema, preserves=crd.preserve_unknown_fields)
    own_schemas = _own_schemas(published, version, served, types, profile)
    resource_operations = list(operations.generate(served))
    paths = _Paths(served, types).of_operations(resource_operations)
    # In v3 the types of metadata are always included, even without references.
    has_metadata = openapi == 3 or "properties" in published
    names = {commontypes.OBJECT_META, commontypes.LIST_META} if has_metadata else {commontypes.LIST_META}
    names |= {name for operation in resource_operations for name in (operation.body, operation.answer) if name}
    schemas = {**types.reachable(map(types.ref, names)), **own_schemas}
    if openapi == 3:
        whole: OpenAPIDocument = {"openapi": "3.0.0", "info": _INFO, "paths": paths, "components": {"schemas": schemas}}
    else:
        whole = {"paths": paths, "definitions": schemas}
        if shared := _shared(types.parameters, resource_operations, is_namespaced=served.is_namespaced):
            whole["parameters"] = shared
    copied: OpenAPIDocument = jsonvalue.copy(whole)
    return copied


def merged(documents: Iterable[OpenAPIDocument]) -> OpenAPIDocument | None:
    """
    Return one document for several CRDs of a group version; None without documents.

    Reference:
        controller/openapi/builder, MergeSpecsV3.
    """
    whole: OpenAPIDocument | None = None
    for document in documents:
        if whole is None:
            whole = document
            continue
        for part in ("paths", "definitions", "parameters"):
            if part in document:
                whole[part].update(document[part])
        if "components" in document:
            whole["components"]["schemas"].update(document["components"]["schemas"])
    return whole


def resource(crd: CrdSpec, version: VersionSpec) -> PublishedResource:
    """Return the custom resources of a *version* as paths and schemas describe them."""
    return PublishedResource(
        group=crd.group,
        version=version.name,
        kind=crd.kind,
        list_kind=crd.list_kind,
        plural=crd.plural,
        is_namespaced=crd.scope == "Namespaced",
        has_status=version.subresources.get("status") is not None,
        has_scale=version.subresources.get("scale") is not None,
    )


def _own_schemas(
    published: Schema, version: VersionSpec, resource: PublishedResource, types: Types, profile: Profile
) -> dict[str, Schema]:
    """Return the schemas of the custom resources (*published*) and of their lists, by name."""
    listed = Publisher(types, profile).list_of(resource.type, resource.list_kind, resource.kind, resource.plural)
    selectable = [{"fieldPath": path.removeprefix(".")} for path in version.selectable_fields]
    has_selectable = selectable or profile.publishes_no_selectable_fields
    return {
        name: {
            **schema,
            _GVK: [{"group": resource.group, "version": resource.version, "kind": kind}],
            **({_SELECTABLE: selectable} if has_selectable else {}),
        }
        for name, kind, schema in (
            (resource.type, resource.kind, published),
            (resource.list_type, resource.list_kind, listed),
        )
    }


def _shared(
    parameters: Iterable[Parameter], resource_operations: Iterable[Operation], *, is_namespaced: bool
) -> OpenAPIDocument:
    actions = {item.action for item in resource_operations}
    return {
        item.shared_as: item.value
        for item in parameters
        if item.shared_as and item.actions & actions and (is_namespaced or item.name != "namespace")
    }


class _Paths:
    """Builder of the paths of a document."""

    def __init__(self, resource: PublishedResource, types: Types) -> None:
        self._resource = resource
        self._types = types
        name = {"name": "name", "in": "path", "required": True, "type": "string", "uniqueItems": True}
        self._name = Parameter({"description": f"name of the {resource.kind}", **name})

    def of_operations(self, grouped_operations: Iterable[Operation]) -> OpenAPIDocument:
        """Return the paths of operations that are grouped by path."""
        by_path = itertools.groupby(grouped_operations, key=lambda operation: operation.path)
        return {path: self._item(path, list(group)) for path, group in by_path}

    def _item(self, path: str, path_operations: list[Operation]) -> OpenAPIDocument:
        """Return the entry of a path, with parameters of all its operations listed once."""
        parameter_lists = [self._parameters(path, operation.action) for operation in path_operations]
        shared = [
            parameter
            for parameter in parameter_lists[0]
            if all(parameter in parameters for parameters in parameter_lists)
        ]
        item: OpenAPIDocument = {"parameters": self._written(shared)}
        for operation, parameters in zip(path_operations, parameter_lists, strict=True):
            item[operation.method] = self._operation(
                operation, [parameter for parameter in parameters if parameter not in shared]
            )
        return item

    def _parameters(self, path: str, action: str) -> list[Parameter]:
        """Return the parameters except the body."""
        parameters = [
            parameter
            for parameter in self._types.parameters
            if action in parameter.actions
            and parameter.value["in"] != "body"
            and (parameter.value["in"] != "path" or f"{{{parameter.name}}}" in path)
        ]
        return [*parameters, self._name] if "{name}" in path else parameters

    def _written(self, parameters: Iterable[Parameter]) -> list[Mapping[str, JSONValue]]:
        write = _parameter_of_v2 if self._types.openapi == 2 else _parameter_of_v3
        return [write(parameter) for parameter in sorted(parameters, key=lambda parameter: parameter.name)]

    def _operation(self, operation: Operation, parameters: list[Parameter]) -> OpenAPIDocument:
        resource = self._resource
        write = self._v2 if self._types.openapi == 2 else self._v3
        return {
            "description": operation.description,
            "operationId": operation.id,
            "tags": [operations.tag(resource)],
            "x-kubernetes-action": operation.action,
            _GVK: {"group": resource.group, "version": resource.version, "kind": resource.kind},
            **write(operation, parameters),
        }

    def _v3(self, operation: Operation, parameters: list[Parameter]) -> OpenAPIDocument:
        answer = self._content(operation.answer, operations.CONSUMED)
        entry = _responses(operation, answer)
        if operation.body:
            required = {"required": True} if operation.is_body_needed else {}
            entry["requestBody"] = {**self._content(operation.body, operation.consumed), **required}
        if parameters:
            entry["parameters"] = self._written(parameters)
        return entry

    def _content(self, name: str, media_types: Iterable[str]) -> OpenAPIDocument:
        return {"content": {media_type: {"schema": {"$ref": self._types.ref(name)}} for media_type in media_types}}

    def _v2(self, operation: Operation, parameters: list[Parameter]) -> OpenAPIDocument:
        entry = _responses(operation, {"schema": {"$ref": self._types.ref(operation.answer)}})
        entry |= {"consumes": [*operation.consumed], "produces": [*operations.CONSUMED], "schemes": ["https"]}
        if all_parameters := [*parameters, *self._body(operation)]:
            entry["parameters"] = self._written(all_parameters)
        return entry

    def _body(self, operation: Operation) -> Iterator[Parameter]:
        if not operation.body:
            return
        ref = self._types.ref(operation.body)
        own = Parameter({"name": "body", "in": "body", "required": True, "schema": {"$ref": ref}})
        recorded = (parameter for parameter in self._types.parameters if parameter.value.get("schema") == {"$ref": ref})
        yield next(recorded, own)


def _responses(operation: Operation, answer: OpenAPIDocument) -> OpenAPIDocument:
    answers = {str(code): {"description": text, **answer} for code, text in operation.responses.items()}
    return {"responses": {**answers, **_UNAUTHORIZED}}


def _parameter_of_v2(parameter: Parameter) -> Mapping[str, JSONValue]:
    return {"$ref": f"#/parameters/{parameter.shared_as}"} if parameter.shared_as else parameter.value


def _parameter_of_v3(parameter: Parameter) -> Mapping[str, JSONValue]:
    in_schema = {"type", "uniqueItems"}
    return {
        **{key: item for key, item in parameter.value.items() if key not in in_schema},
        "schema": {key: parameter.value[key] for key in sorted(in_schema)},
    }
