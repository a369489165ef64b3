"""OpenAPI documents of the custom resources of a version."""

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
    Return what a server that has one CRD alone publishes of a version of it.

    Args:
        crd: The CRD.
        version: The version.
        schema: Its schema as it is decoded; None where it is not structural, or where there is none.
        profile: The Kubernetes version.
        openapi: In which form.

    Returns:
        In v3 the document of the group version, in v2 its part of that of the server: `paths`, `definitions` and, where they
        are shared, `parameters`. None where nothing is published: the version is not served, or the server has no v3.

    Reference:
        apiextensions-apiserver controller/openapi and controller/openapiv3.
    """
    if not version.served or (openapi == 3 and not profile.publishes_v3):
        return None
    served = resource(crd, version)
    of_types = commontypes.of(profile, openapi, scales=served.has_scale)
    publisher = Publisher(of_types, profile)
    published = publisher.resource(schema, preserves=crd.preserve_unknown_fields)
    own = _own_schemas(published, version, served, of_types, profile)
    found = list(operations.of_resource(served))
    made = _Paths(served, of_types).of_operations(found)
    # In v3 metadata is always there, though nothing may refer to it.
    refers = openapi == 3 or "properties" in published
    named = {commontypes.OBJECT_META, commontypes.LIST_META} if refers else {commontypes.LIST_META}
    named |= {name for one in found for name in (one.body, one.answer) if name}
    schemas = {**of_types.reachable(map(of_types.ref, named)), **own}
    if openapi == 3:
        whole: OpenAPIDocument = {"openapi": "3.0.0", "info": _INFO, "paths": made, "components": {"schemas": schemas}}
    else:
        whole = {"paths": made, "definitions": schemas}
        if shared := _shared(of_types.parameters, found, is_namespaced=served.is_namespaced):
            whole["parameters"] = shared
    copied: OpenAPIDocument = jsonvalue.copy(whole)
    return copied


def merged(documents: Iterable[OpenAPIDocument]) -> OpenAPIDocument | None:
    """
    Return one document for those of several CRDs of a group version; None where there is none.

    Reference:
        controller/openapi/builder, MergeSpecsV3.
    """
    whole: OpenAPIDocument | None = None
    for other in documents:
        if whole is None:
            whole = other
            continue
        for part in ("paths", "definitions", "parameters"):
            if part in other:
                whole[part].update(other[part])
        if "components" in other:
            whole["components"]["schemas"].update(other["components"]["schemas"])
    return whole


def resource(crd: CrdSpec, version: VersionSpec) -> PublishedResource:
    """Return the custom resources of a *version* as paths and schemas tell of them."""
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
    published: Schema, version: VersionSpec, resource: PublishedResource, of_types: Types, profile: Profile
) -> dict[str, Schema]:
    """Return the schemas of the custom resources, as *published*, and of lists of them, by name."""
    listed = Publisher(of_types, profile).list_of(resource.type, resource.list_kind, resource.kind, resource.plural)
    selectable = [{"fieldPath": path.removeprefix(".")} for path in version.selectable_fields]
    says_selectable = selectable or profile.publishes_no_selectable_fields
    return {
        name: {
            **schema,
            _GVK: [{"group": resource.group, "version": resource.version, "kind": kind}],
            **({_SELECTABLE: selectable} if says_selectable else {}),
        }
        for name, kind, schema in (
            (resource.type, resource.kind, published),
            (resource.list_type, resource.list_kind, listed),
        )
    }


def _shared(parameters: Iterable[Parameter], found: Iterable[Operation], *, is_namespaced: bool) -> OpenAPIDocument:
    actions = {one.action for one in found}
    return {
        one.shared_as: one.value
        for one in parameters
        if one.shared_as and one.actions & actions and (is_namespaced or one.name != "namespace")
    }


class _Paths:
    """Writes the paths of a document."""

    def __init__(self, resource: PublishedResource, of_types: Types) -> None:
        self._resource = resource
        self._types = of_types
        name = {"name": "name", "in": "path", "required": True, "type": "string", "uniqueItems": True}
        self._name = Parameter({"description": f"name of the {resource.kind}", **name})

    def of_operations(self, found: Iterable[Operation]) -> OpenAPIDocument:
        """Return the paths of operations that stand path by path."""
        by_path = itertools.groupby(found, key=lambda one: one.path)
        return {path: self._item(path, list(group)) for path, group in by_path}

    def _item(self, path: str, found: list[Operation]) -> OpenAPIDocument:
        """Return what stands at a path; what all operations take stands there once."""
        taken = [self._parameters(path, one.action) for one in found]
        shared = [one for one in taken[0] if all(one in others for others in taken)]
        item: OpenAPIDocument = {"parameters": self._written(shared)}
        for operation, parameters in zip(found, taken, strict=True):
            item[operation.method] = self._operation(operation, [one for one in parameters if one not in shared])
        return item

    def _parameters(self, path: str, action: str) -> list[Parameter]:
        """Return the parameters besides the body."""
        found = [
            one
            for one in self._types.parameters
            if action in one.actions
            and one.value["in"] != "body"
            and (one.value["in"] != "path" or f"{{{one.name}}}" in path)
        ]
        return [*found, self._name] if "{name}" in path else found

    def _written(self, parameters: Iterable[Parameter]) -> list[Mapping[str, JSONValue]]:
        write = _parameter_of_v2 if self._types.openapi == 2 else _parameter_of_v3
        return [write(one) for one in sorted(parameters, key=lambda one: one.name)]

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
        made = _responses(operation, answer)
        if operation.body:
            needed = {"required": True} if operation.is_body_needed else {}
            made["requestBody"] = {**self._content(operation.body, operation.consumed), **needed}
        if parameters:
            made["parameters"] = self._written(parameters)
        return made

    def _content(self, name: str, media_types: Iterable[str]) -> OpenAPIDocument:
        return {"content": {one: {"schema": {"$ref": self._types.ref(name)}} for one in media_types}}

    def _v2(self, operation: Operation, parameters: list[Parameter]) -> OpenAPIDocument:
        made = _responses(operation, {"schema": {"$ref": self._types.ref(operation.answer)}})
        made |= {"consumes": [*operation.consumed], "produces": [*operations.CONSUMED], "schemes": ["https"]}
        if taken := [*parameters, *self._body(operation)]:
            made["parameters"] = self._written(taken)
        return made

    def _body(self, operation: Operation) -> Iterator[Parameter]:
        if not operation.body:
            return
        ref = self._types.ref(operation.body)
        own = Parameter({"name": "body", "in": "body", "required": True, "schema": {"$ref": ref}})
        recorded = (one for one in self._types.parameters if one.value.get("schema") == {"$ref": ref})
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
