"""Custom resources as they are served: a version of a CRD."""

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
from pytest_crd.engine.registry import scale
from pytest_crd.engine.registry.patching import patchdocuments
from pytest_crd.engine.registry.request import Making, Request, RequestOutcome
from pytest_crd.server.http import statuses
from pytest_crd.server.resourcetypes import AGE, NAME, Names, ResourceType, SubresourceKind, TableColumn
from pytest_crd.server.store.store import Event, StoredObject
from pytest_crd.server.tables import jsonpath

_DEFINITIONS: Final = f"{declared.PLURAL}.{declared.GROUP}"


class CustomResourceType(ResourceType):
    """The custom resources of a version of a CRD."""

    def __init__(
        self, crd: CustomResourceDefinition, version: CrdVersion, spec: Resource, *, is_terminating: bool = False
    ) -> None:
        """
        Take what answers.

        Args:
            crd: The CRD.
            version: One of its versions, which is served.
            spec: What the CRD says, as it is stored.
            is_terminating: Whether the CRD is being deleted.
        """
        self.group, self.version = crd.group, version.name
        self.names = names_of(spec["names"])
        self.is_namespaced = crd.scope == "Namespaced"
        self.subresources = tuple(self._subresources(version))
        self.crd, self.of = crd, version
        self.profile = crd.answers.profile
        self._spec = spec
        self.is_terminating = is_terminating
        self.converts_by_webhook = crd.answers.spec.converts_by_webhook
        self.warnings = version.deprecation_warnings

    def _subresources(self, version: CrdVersion) -> list[SubresourceKind]:
        found = []
        if version.subresources.has("status"):
            found.append(SubresourceKind("status", self.group, self.version, self.names.kind))
        if version.subresources.has("scale"):
            found.append(SubresourceKind("scale", "autoscaling", "v1", "Scale"))
        return found

    @property
    def storage_version(self) -> str:
        """The version in which its objects are stored."""
        return next(one.name for one in self.crd.versions if one.storage)

    def answer(self, stored: Resource | None, asked: Request, made: Making) -> RequestOutcome:
        """Return what comes of a request that writes."""
        return self.of.answer(stored, asked, made)

    def shown(self, entry: StoredObject) -> Resource:
        """Return a stored object as it is read in this version, with its resourceVersion."""
        self.demand_conversion(entry.value["apiVersion"], self.api_version)
        form = entry.forms.get(self)
        if form is None:
            form = entry.forms[self] = self.of.read(entry.value)
        shown: Resource = form
        return shown

    def ending(self, value: Resource, finalizers: list[str]) -> Resource | None:
        """Return an object as one that is to be deleted; as it is stored anew, it gets the defaults of the storage version."""
        stored = self.crd.version(self.storage_version)
        return super().ending(stored.read(value), finalizers) if finalizers else None

    def ends_watches(self, event: Event, /) -> bool:
        """
        Return whether a change is one of what the CRD says, or of the names that it was given.

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
        shown = self.shown(entry)
        refused = self.of.subresources.read_scale(shown)
        if isinstance(refused, Refusal):
            subject = {"name": entry.key.name, "group": self.group, "kind": self.names.plural}
            raise statuses.of_refusal(refused, subject)
        found: Resource = patchdocuments.plain(scale.of_resource(shown, self.of.subresources))
        return found

    def selectable(self, shown: Resource) -> Mapping[str, str]:
        """Return the fields that a selector can ask for: metadata, and what the CRD declares as such."""
        found = dict(super().selectable(shown))
        for path in self._selectable_paths:
            values = jsonpath.find(shown, path)
            found[path.removeprefix(".")] = _text(values[0]) if values else ""
        return found

    def columns(self) -> Sequence[TableColumn]:
        """Return the columns that the CRD declares; the age where it declares none."""
        return self._columns

    @cached_property
    def _declared(self) -> Mapping[str, JSONValue]:
        return next(one for one in self._spec["versions"] if one["name"] == self.version)

    @cached_property
    def _selectable_paths(self) -> tuple[str, ...]:
        return tuple(one["jsonPath"] for one in self._declared.get("selectableFields") or ())

    @cached_property
    def _columns(self) -> tuple[TableColumn, ...]:
        columns = self._declared.get("additionalPrinterColumns")
        if not columns:
            return (NAME, AGE)
        # Columns end before the first that the server cannot parse.
        valid = itertools.takewhile(lambda column: jsonpath.is_valid(column["jsonPath"]), columns)
        return (NAME, *map(_column, valid))


def _served(entry: StoredObject) -> JSONValue:
    """Return what of a CRD decides how its objects are served."""
    return [entry.value["spec"], entry.value["status"]["acceptedNames"]]


def names_of(given: Mapping[str, JSONValue]) -> Names:
    """Return the names that a CRD asks for, with those that a server makes of its kind."""
    kind = given["kind"]
    return Names(
        given["plural"],
        given.get("singular") or kind.lower(),
        kind,
        given.get("listKind") or f"{kind}List",
        tuple(given.get("shortNames") or ()),
        tuple(given.get("categories") or ()),
    )


def _text(value: JSONValue) -> str:
    """Return a value as selectors compare it."""
    return value if isinstance(value, str) else printing.marshal(value)


def _column(given: Mapping[str, JSONValue]) -> TableColumn:
    path = given["jsonPath"]
    description = given.get("description") or f"Custom resource definition column (in JSONPath format): {path}"
    return TableColumn(
        given["name"],
        given["type"],
        path,
        description,
        given.get("priority") or 0,
        given.get("format") or "",
    )
