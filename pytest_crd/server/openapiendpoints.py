"""
OpenAPI documents under `/openapi/v2` and `/openapi/v3`.

They are those of kube-apiserver, without the paths of resources that this server lacks.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.loading.projectcrds import CustomResourceDefinitions
from pytest_crd.engine.openapi import keyorder, kubernetesdocuments, openapidocuments, version2
from pytest_crd.engine.openapi.commontypes import OpenAPIVersion
from pytest_crd.engine.profile import Profile
from pytest_crd.server import discovery
from pytest_crd.server.http import httpmessages, requestinfo
from pytest_crd.server.protobuf import openapiwriting
from pytest_crd.server.resourcetypes import ResourceType

_V2: Final = kubernetesdocuments.VERSION_2
# Characters that Go escapes in the JSON of version 3.
_ESCAPED: Final = "<>&\u2028\u2029"
# Documents that no group has.
_GENERAL: Final = ("api", "apis", "version")


class PublishedDocument:
    """
    A document with its forms.

    Attributes:
        value: The document.
    """

    def __init__(self, value: Resource, openapi: OpenAPIVersion) -> None:
        """Create from a document and its version of OpenAPI."""
        self.value = value
        self._openapi = openapi

    @cached_property
    def json(self) -> bytes:
        """The document in JSON."""
        text = httpmessages.compact(self.value)
        for char in _ESCAPED if self._openapi == 3 else "":
            text = text.replace(char, f"\\u{ord(char):04x}")
        return text.encode()

    @cached_property
    def tag(self) -> str:
        """The hash."""
        return hashlib.sha512(self.json).hexdigest().upper()

    @cached_property
    def protobuf(self) -> bytes:
        """
        The document in protobuf.

        Raises:
            ProtobufError: A part of the document has no message.
        """
        return openapiwriting.write(self.value, f"v{self._openapi}")


class Documents:
    """The documents of the resources that are served at a time; each is made on first use."""

    def __init__(self, crds: CustomResourceDefinitions, types: Sequence[ResourceType], profile: Profile) -> None:
        """
        Create.

        Args:
            crds: The served CRDs.
            types: All served resources.
            profile: The Kubernetes version.
        """
        self._crds = crds
        self._publishes_v3 = profile.publishes_v3
        self._built_in = _built_in(profile, frozenset(_resources(types)))
        self._custom = {"/".join(discovery.path_of(type_)) for type_ in types} - self._built_in.documents.keys()
        self._documents: dict[str, PublishedDocument | None] = {}

    def find(self, path: str) -> PublishedDocument | None:
        """Return the document at a path below `/openapi`, such as `v2`, `v3` and `v3/apis/stable.example.com/v1`; None if it is unknown."""
        if path not in self._documents:
            self._documents[path] = self._make(path)
        return self._documents[path]

    def _make(self, path: str) -> PublishedDocument | None:
        if path == _V2:
            return self._version_2()
        if not self._publishes_v3:
            return None
        if path == "v3":
            return PublishedDocument({"paths": dict(self._index())}, 3)
        below = path.removeprefix("v3/")
        if below in self._built_in.documents:
            return self._built_in.documents[below]
        document = self._crds.openapi(3, below.removeprefix("apis/")) if below in self._custom else None
        return None if document is None else PublishedDocument(keyorder.ordered(document, 3), 3)

    def _index(self) -> Iterator[tuple[str, Resource]]:
        """Yield the path of each document of version 3, with its address, which has its hash."""
        for path in sorted({*self._built_in.documents, *self._custom}):
            document = self.find(f"v3/{path}")
            assert document is not None  # noqa: S101 - all served resources are published
            yield path, {"serverRelativeURL": f"/openapi/v3/{path}?hash={document.tag}"}

    def _version_2(self) -> PublishedDocument:
        """Return the document of version 2; it has the types of built-in kinds where the CRDs bring the same types."""
        schemas = (version.openapi(2) for crd in self._crds for version in crd.versions)
        custom = openapidocuments.merged(schema for schema in schemas if schema is not None)
        built_in = self._built_in.version_2
        if custom is None:
            return built_in
        custom = keyorder.ordered(custom, 2)
        parts = {part: {**custom[part], **built_in.value[part]} for part in custom}
        joined = {part: {name: names[name] for name in sorted(names)} for part, names in parts.items()}
        return PublishedDocument({**built_in.value, **joined}, 2)


class _Resource(NamedTuple):
    """A resource or subresource of the server."""

    group: str
    version: str
    plural: str
    subresource: str = ""


def _resources(types: Sequence[ResourceType]) -> Iterator[_Resource]:
    """Yield the resources of built-in kinds and CRDs."""
    for type_ in types:
        if not type_.is_typed:
            continue
        resource = _Resource(type_.group, type_.version, type_.names.plural)
        yield from (resource, *(resource._replace(subresource=below.name) for below in type_.subresources))


class _BuiltInDocuments(NamedTuple):
    """The documents of built-in kinds: of version 3 by path, and of version 2."""

    documents: Mapping[str, PublishedDocument]
    version_2: PublishedDocument


@functools.cache
def _built_in(profile: Profile, resources: frozenset[_Resource]) -> _BuiltInDocuments:
    """Return the documents of served resources; servers of a version share them."""
    published = dict(kubernetesdocuments.of_version(profile))
    rest = published.pop(_V2)
    served = {*_GENERAL, *(f"apis/{resource.group}" for resource in resources)}
    served |= {f"apis/{resource.group}/{resource.version}" for resource in resources} | {"api/v1"}
    info = {"title": "Kubernetes", "version": profile.recorded_version}
    documents = {
        path: {**document, "info": info, "paths": _served_paths(document, resources)}
        for path, document in published.items()
        if path in served
    }
    whole = keyorder.ordered(version2.of_documents(documents.values(), rest), 2) if documents else rest
    return _BuiltInDocuments(
        {path: PublishedDocument(document, 3) for path, document in documents.items()},
        PublishedDocument({**whole, "info": info, "paths": _served_paths(whole, resources)}, 2),
    )


def _served_paths(document: Mapping[str, Any], resources: frozenset[_Resource]) -> Resource:
    """Return the paths of a document for resources of the server."""
    return {path: item for path, item in document["paths"].items() if _is_served(path, resources)}


def _is_served(path: str, resources: frozenset[_Resource]) -> bool:
    info = requestinfo.parse("GET", path)
    return info is None or _Resource(info.group, info.version, info.resource, info.subresource) in resources
