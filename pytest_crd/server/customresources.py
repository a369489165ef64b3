"""Custom resources as served resources: one version of a CRD each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api.customresourcedefinition import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import handlers, scale
from pytest_crd.engine.registry.admission import ObjectInterfaces
from pytest_crd.engine.registry.patching import documents
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server import unreadable
from pytest_crd.server.http import statuses
from pytest_crd.server.resourcetypes import AGE, NAME, Names, ResourceType, SubresourceKind, TableColumn
from pytest_crd.server.store.store import Event, StoredObject
from pytest_crd.server.tables import jsonpath

_DEFINITIONS: Final = f"{declared.PLURAL}.{declared.GROUP}"


class CustomResourceType(ResourceType):
    """Resource of one served version of a CRD."""

    def __init__(
        self,
        crd: CustomResourceDefinition,
        version: CrdVersion,
        spec: Resource,
        *,
        is_terminating: bool = False,
    ) -> None:
        """
        Create from a version of a CRD.

        Args:
            crd: The CRD.
            version: A served version of *crd*.
            spec: The stored spec of the CRD.
            is_terminating: Whether the CRD is being deleted.
        """
        self.group, self.version = crd.group, version.name
        self.names = names_of(spec["names"])
        self.is_namespaced = crd.scope == "Namespaced"
        self.subresources = tuple(self._subresources(version))
        self.crd, self.crd_version = crd, version
        self.profile = crd.answers.profile
        self._spec = spec
        self.is_terminating = is_terminating
        self.converts_by_webhook = crd.answers.spec.converts_by_webhook and version.converter is None
        self.warnings = version.deprecation_warnings

    def _subresources(self, version: CrdVersion) -> list[SubresourceKind]:
        kinds = []
        if version.subresources.has("status"):
            kinds.append(SubresourceKind("status", self.group, self.version, self.names.kind))
        if version.subresources.has("scale"):
            kinds.append(SubresourceKind("scale", "autoscaling", "v1", "Scale"))
        return kinds

    @property
    def storage_version(self) -> str:
        """The storage version of the CRD."""
        return next(version.name for version in self.crd.versions if version.storage)

    def answer(self, stored: Resource | None, request: Request, generated: GeneratedValues) -> RequestOutcome:
        """Return the outcome of a write request."""
        version = self.crd_version
        return handlers.handle(
            stored, request, version.strategy, generated, observe=version.observe, admission=self.plugins
        )

    def read(self, entry: StoredObject) -> Resource:
        """Return a stored object in this version, with its resourceVersion."""
        shared = self.shared
        if entry.reader is not shared and shared not in entry.forms:  # an object with a form is readable
            unreadable.demand_readable(self, entry)
        return self._form(entry)

    def reads_as_stored(self, entry: StoredObject, /) -> bool:
        """
        Return True if the object was stored by a write of this version, which had pruned and defaulted it.

        A changed schema has another type, because a CRD is parsed anew when it changes.
        """
        return entry.reader is self.shared

    def keep_read_form(self, entry: StoredObject, /) -> bool:
        """Keep the object as its own form, and return True."""
        entry.reader = self.shared
        return True

    def conversion_problem(self, entry: StoredObject) -> str:
        """Return why a stored object cannot be converted to this version; empty if it can be converted."""
        old = entry.value["apiVersion"]
        if old != self.api_version and old not in self._api_versions:
            return f"request to convert CR from an invalid group/version: {old}"
        if self.crd_version.converter is None:
            return super().conversion_problem(entry)
        try:
            self._form(entry)
        except RefusedError as refused:
            return refused.refusal.message
        return ""

    def demand_migration(self, entry: StoredObject, /) -> None:
        """Raise ApiError if a webhook does not convert a stored object to the storage version."""
        storage_version = self.crd.version(self.storage_version)
        if storage_version.converter is not None:
            try:
                storage_version.read(entry.value)
            except RefusedError as refused:
                raise statuses.failure(500, "", refused.refusal.message) from None

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects, for admission plugins."""
        return self.crd_version.strategy.interfaces

    def _form(self, entry: StoredObject) -> Resource:
        shared = self.shared
        form: Resource | None = entry.value if entry.reader is shared else entry.forms.get(shared)
        if form is None:
            form = entry.forms[shared] = self.crd_version.read(entry.value)
        return form

    def mark_deleted(self, value: Resource, finalizers: list[str]) -> Resource | None:
        """Mark an object as being deleted, with the defaults of the storage version; None if it has no finalizers."""
        storage_version = self.crd.version(self.storage_version)
        return super().mark_deleted(storage_version.read(value), finalizers) if finalizers else None

    def ends_watches(self, event: Event, /) -> bool:
        """
        Return whether a change alters the CRD's spec or accepted names, or creates or deletes the CRD.

        Reference:
            apiextensions-apiserver apiserver/customresource_handler.go, updateCustomResourceDefinition.
        """
        if event.key.name != self.resource or event.key.resource != _DEFINITIONS:
            return False
        return event.new is None or event.old is None or not jsonvalue.equal(_served(event.new), _served(event.old))

    def scale(self, entry: StoredObject) -> Resource:
        """
        Return the Scale of a stored object.

        Raises:
            ApiError: 500: a field of the scale has a wrong type, or the object has no replicas.
        """
        object_ = self.read(entry)
        refusal = self.crd_version.subresources.read_scale(object_)
        if isinstance(refusal, Refusal):
            subject = {"name": entry.key.name, "group": self.group, "kind": self.names.plural}
            raise statuses.of_refusal(refusal, subject)
        scale_object: Resource = documents.plain(scale.of_resource(object_, self.crd_version.subresources))
        return scale_object

    def selectable(self, object_: Resource) -> Mapping[str, str]:
        """Return the selectable fields of an object with their values: name, namespace, and the selectableFields of the CRD."""
        values_by_field = dict(super().selectable(object_))
        for path in self._selectable_paths:
            values = jsonpath.find_values(object_, path)
            values_by_field[path.removeprefix(".")] = _text(values[0]) if values else ""
        return values_by_field

    def columns(self) -> Sequence[TableColumn]:
        """Return the printer columns of the CRD, or the age if it declares none."""
        return self._columns

    @cached_property
    def _api_versions(self) -> frozenset[str]:
        """The versions of the CRD, in which objects may be stored."""
        return frozenset(declared.api_version(self.group, version.name) for version in self.crd.versions)

    @cached_property
    def _declared(self) -> Mapping[str, JSONValue]:
        return next(version for version in self._spec["versions"] if version["name"] == self.version)

    @cached_property
    def _selectable_paths(self) -> tuple[str, ...]:
        return tuple(field["jsonPath"] for field in self._declared.get("selectableFields") or ())

    @cached_property
    def _columns(self) -> tuple[TableColumn, ...]:
        columns = self._declared.get("additionalPrinterColumns")
        if not columns:
            return (NAME, AGE)
        # The server drops columns from the first invalid JSONPath on.
        valid = itertools.takewhile(lambda column: jsonpath.is_valid(column["jsonPath"]), columns)
        return (NAME, *map(_column, valid))


def _served(entry: StoredObject) -> JSONValue:
    """Return the parts of a CRD that decide how its objects are served."""
    return [entry.value["spec"], entry.value["status"]["acceptedNames"]]


def names_of(declared_names: Mapping[str, JSONValue]) -> Names:
    """Return the names of a spec, with defaults derived from the kind."""
    kind = declared_names["kind"]
    return Names(
        declared_names["plural"],
        declared_names.get("singular") or kind.lower(),
        kind,
        declared_names.get("listKind") or f"{kind}List",
        tuple(declared_names.get("shortNames") or ()),
        tuple(declared_names.get("categories") or ()),
    )


def _text(value: JSONValue) -> str:
    """Return a value in the form that selectors compare."""
    return value if isinstance(value, str) else printing.marshal(value)


def _column(declared_column: Mapping[str, JSONValue]) -> TableColumn:
    path = declared_column["jsonPath"]
    description = (
        declared_column.get("description") or f"Custom resource definition column (in JSONPath format): {path}"
    )
    return TableColumn(
        declared_column["name"],
        declared_column["type"],
        path,
        description,
        declared_column.get("priority") or 0,
        declared_column.get("format") or "",
    )
