"""
Subjects of cases: a CRD version with everything that is computed for it only once.

It also decides which objects can be stored under a CRD.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.cases.caseresult import Context
from pytest_crd.engine import CrdVersion, Response
from pytest_crd.engine.client import completion
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE

if TYPE_CHECKING:
    from pytest_crd.cases import schemafields
    from pytest_crd.cases.schemafields import SchemaFields
else:
    schemafields = lazyimport.module("pytest_crd.cases.schemafields")

_NAME: Final = {"name": completion.MADE_UP_NAME}


class CaseSubject:
    """
    The CRD version of cases.

    Attributes:
        version: The version.
    """

    def __init__(self, version: CrdVersion) -> None:
        self.version = version

    @cached_property
    def context(self) -> Context:
        """The versions for a report."""
        crd = self.version.crd
        return Context(crd.name, self.version.name, crd.kubernetes_version, crd.source)

    @cached_property
    def fields(self) -> SchemaFields:
        """The fields that an object of the version can have."""
        return schemafields.SchemaFields(self.version)

    def store(self, resource: Mapping[str, JSONValue]) -> Response:
        """
        Return the server's response to storing *resource*, status included, under the CRD for the first time.

        No request is like that: to a server, the status comes later. So this is a create under a CRD that has no status
        subresource; whatever a create checks, the value of the status included, is checked as it would be in the end.

        Args:
            resource: The object as it is stored, in any version of the CRD; metadata may be left out.
        """
        storage = self._first_written(resource)
        crd = storage.crd
        api_versions = {f"{crd.group}/{version.name}" for version in crd.versions}
        api_version = resource.get("apiVersion")
        metadata = resource.get("metadata")
        if metadata is None:
            metadata = _NAME
        elif isinstance(metadata, dict):
            metadata = {**_NAME, **metadata}
        sent = {"kind": crd.kind, **resource, "metadata": metadata}
        sent["apiVersion"] = (
            f"{crd.group}/{storage.name}" if api_version is None or api_version in api_versions else api_version
        )
        return storage.create(sent, field_validation="Strict")

    def stored_form(self, resource: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
        """Return *resource* in its stored form: after the conversion webhook if it can be called, else unchanged."""
        if self.version.converter is None:
            return resource
        response = self.store(resource)
        if response.whole is None:
            return resource
        stored: Mapping[str, JSONValue] = response.whole.value
        stated = {*(resource.get("metadata") or {}), "name"}
        metadata = {key: value for key, value in stored["metadata"].items() if key in stated or key not in SERVER_MADE}
        return {**stored, "metadata": metadata}

    def _first_written(self, resource: Mapping[str, JSONValue]) -> CrdVersion:
        """Return the version, without a status subresource, in which an object is written: its own if a webhook converts it."""
        storage = self._without_status_subresource
        if self.version.converter is None:
            return storage
        name = str(resource.get("apiVersion") or "").rpartition("/")[2] or self.version.name
        return next((version for version in storage.crd.versions if version.name == name), storage)

    @cached_property
    def _without_status_subresource(self) -> CrdVersion:
        crd = self.version.crd
        manifest = crd.declared
        spec = _without_status(manifest["spec"])
        # Objects may be stored in a version that is no longer served.
        spec["versions"] = [{**_without_status(version), "served": True} for version in spec.get("versions") or ()]
        if not spec["versions"]:
            del spec["versions"]  # v1beta1 with `version`
        altered = crd.altered({**manifest, "spec": spec})
        altered = altered.with_webhooks(crd.webhooks).without_admission()
        return next((version for version in altered.versions if version.storage), altered.version(self.version.name))


def _without_status(declared: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    subresources = {key: value for key, value in (declared.get("subresources") or {}).items() if key != "status"}
    return {**declared, "subresources": subresources} if "subresources" in declared else dict(declared)
