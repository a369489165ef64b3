"""Served resources: their discovery data, tables and request handling, for one API version each."""

from __future__ import annotations

import abc
import copy
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, Self

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import admission
from pytest_crd.engine.registry.admission import Admission, ObjectInterfaces
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome
from pytest_crd.engine.registry.requestbody import Body
from pytest_crd.server.http import statuses
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Event, ObjectKey, Store, StoredObject

# In the order of discovery for custom resources.
VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
SUBRESOURCE_VERBS: Final = ("get", "patch", "update")


# The packages of internal Go types, if not named after their group.
_PACKAGES: Final = {"": "core", "events.k8s.io": "core"}


class Names(NamedTuple):
    """
    The names of a resource.

    Attributes:
        plural: The name in URLs.
        singular: The singular name.
        kind: The kind of its objects.
        list_kind: The kind of its lists.
        short_names: Abbreviations for the command line.
        categories: Groups of resources for the command line, such as `all`.
    """

    plural: str
    singular: str
    kind: str
    list_kind: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


class SubresourceKind(NamedTuple):
    """
    A subresource in discovery.

    Attributes:
        name: `status` or `scale`.
        group: The group of its kind.
        version: The version of its kind.
        kind: Its kind.
        verbs: The supported verbs.
    """

    name: str
    group: str
    version: str
    kind: str
    verbs: tuple[str, ...] = SUBRESOURCE_VERBS


class TableColumn(NamedTuple):
    """
    A column of a table.

    Attributes:
        name: The heading.
        type: `string`, `integer`, `number`, `boolean` or `date`.
        path: The JSONPath of the value.
        description: The description.
        priority: 0 for columns of the standard view; higher for the wide view.
        format: `name` for the first column.
        cell: Function for the value, if no path leads to it.
    """

    name: str
    type: str
    path: str
    description: str
    priority: int = 0
    format: str = ""
    cell: Callable[[Resource], JSONValue] | None = None


NAME: Final = TableColumn(
    "Name",
    "string",
    "",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the "
    "generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. "
    "Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
    format="name",
    cell=lambda object_: object_["metadata"].get("name", ""),
)
AGE: Final = TableColumn(
    "Age",
    "date",
    ".metadata.creationTimestamp",
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in "
    "happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC."
    "\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
)


_SCALE_COLUMNS: Final = (
    NAME,
    TableColumn("Desired", "integer", ".spec.replicas", "Number of desired replicas"),
    TableColumn("Available", "integer", ".status.replicas", "Number of actual replicas"),
    AGE,
)


class ResourceType(abc.ABC):
    """
    A resource of one API version.

    Attributes:
        group: The API group; empty for the core group.
        version: The version.
        names: The names of the resource.
        profile: The reproduced Kubernetes version.
        is_namespaced: Whether its objects are in namespaces.
        verbs: The supported verbs.
        subresources: Its subresources.
        has_protobuf: Whether requests and responses may use protobuf.
        is_created_by_update: Whether an update creates a missing object.
        is_typed: Whether the server has a Go type for it: list items then omit apiVersion and kind.
        blank: The fields of an empty object, except its metadata.
        warnings: The warnings of each response.
        validates: Whether written objects are validated, not only decoded and defaulted.
        is_terminating: Whether its CRD is being deleted, so that creates fail.
        plugins: The admission plugins of the server; None without any.
        converts_by_webhook: Whether a webhook that cannot be called converts its objects between versions.
        shows_deleted: Whether the response to a deletion is the object, not a Status.
        is_stored: Whether created objects are stored; reviews are only answered.
        store: The store of the server.
    """

    group: str
    version: str
    names: Names
    profile: Profile
    is_namespaced: bool
    verbs: tuple[str, ...] = VERBS
    subresources: tuple[SubresourceKind, ...] = ()
    is_typed: bool = False
    has_protobuf: bool = False
    is_created_by_update: bool = False
    blank: Resource = MappingProxyType({})
    warnings: tuple[str, ...] = ()
    validates: bool = True
    is_terminating: bool = False
    converts_by_webhook: bool = False
    plugins: Admission | None = None
    shows_deleted: bool = False
    is_stored: bool = True
    store: Store
    _shared: ResourceType | None = None

    @property
    def shared(self) -> ResourceType:
        """The same resource without a server: the key of forms of objects, which servers share."""
        return self if self._shared is None else self._shared

    def on_server(self, store: Store, plugins: Admission | None) -> Self:
        """Return the same resource on a server with a store and admission plugins."""
        served = copy.copy(self)
        served._shared = self.shared  # noqa: SLF001 - of the same class
        served.store, served.plugins = store, plugins
        return served

    @property
    def resource(self) -> str:
        """The key prefix in the store, and the name in most messages: `plural.group`."""
        return self.requested

    @property
    def requested(self) -> str:
        """The name in the URL: `plural.group`."""
        return f"{self.names.plural}.{self.group}" if self.group else self.names.plural

    @property
    def storage_version(self) -> str:
        """The version in which its objects are stored."""
        return self.version

    @property
    def api_version(self) -> str:
        """The apiVersion of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def storage_api_version(self) -> str:
        """The apiVersion in which its objects are stored."""
        return f"{self.group}/{self.storage_version}" if self.group else self.storage_version

    def key(self, namespace: str, name: str) -> ObjectKey:
        """Return the key of an object in the store."""
        return ObjectKey(self.resource, namespace if self.is_namespaced else "", name)

    def find_unenforced(self, _written: Resource) -> str:
        """Return the kind of a written object if it changes the answers of a full cluster, and not of this server; else empty."""
        return ""

    def has(self, subresource: str) -> bool:
        """Return whether a subresource exists; True for the empty name, the object itself."""
        return not subresource or any(sub.name == subresource for sub in self.subresources)

    def kind_of(self, subresource: str) -> tuple[str, str]:
        """Return apiVersion and kind of the objects of a subresource; of the resource itself for the empty name."""
        for sub in self.subresources if subresource else ():
            if sub.name == subresource:
                return f"{sub.group}/{sub.version}".removeprefix("/"), sub.kind
        return self.api_version, self.names.kind

    def merge_duplicates(self, body: Body) -> Body:
        """Return a JSON body with duplicate keys resolved as the server does."""
        return body

    @abc.abstractmethod
    def answer(self, stored: Resource | None, request: Request, generated: GeneratedValues) -> RequestOutcome:
        """Return the outcome of a write request."""

    @abc.abstractmethod
    def read(self, entry: StoredObject) -> Resource:
        """Return a stored object in this version, with its resourceVersion."""

    def reads_as_stored(self, _entry: StoredObject, /) -> bool:
        """Return True if `keep_read_form` took an object; its form depends on nothing that has changed since."""
        return False

    def keep_read_form(self, _entry: StoredObject, /) -> bool:
        """Keep an object that a write of this version has just stored as the form that `read` returns; return True if it is kept."""
        return False

    @abc.abstractmethod
    def scale(self, entry: StoredObject) -> Resource:
        """Return the Scale of a stored object."""

    def mark_deleted(self, value: Resource, finalizers: list[str]) -> Resource | None:
        """
        Mark an object as being deleted; None if it can go at once.

        Args:
            value: The stored object.
            finalizers: The finalizers that delay its deletion.

        Reference:
            apiserver registry/rest/delete.go, BeforeDelete; registry/generic/registry/store.go, markAsDeleting.
        """
        return mark_terminating(value, finalizers) if finalizers else None

    @property
    def collected(self) -> ResourceType:
        """The resource for deletions of a collection."""
        return self

    def precondition_failure(
        self, name: str, field: Literal["UID", "ResourceVersion"], expected: str, actual: str
    ) -> ApiError:
        """
        Return the error for a failed precondition of a deletion.

        Args:
            name: The name of the object.
            field: The compared field.
            expected: The value in the precondition.
            actual: The value in the store.
        """
        done = "deleted and then recreated" if field == "UID" else "modified"
        problem = (
            f"the {field} in the precondition ({expected}) does not match the {field} in record ({actual}). "
            f"The object might have been {done}"
        )
        return statuses.conflict(self.names.kind, self.group, name, problem)

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects, for admission plugins: objects have one version and no defaults."""
        return admission.single_version(self.version)

    def demand_conversion(self, old: str, new: str) -> None:
        """
        Raise ApiError if only a webhook can convert objects from the API version *old* to *new*.

        Raises:
            ApiError: 500.
        """
        if self.needs_webhook(old, new):
            raise statuses.failure(500, "", statuses.webhook_problem(old, self.names.kind))

    def needs_webhook(self, old: str, new: str) -> bool:
        """Return whether only a webhook can convert objects from the API version *old* to *new*."""
        return old != new and self.converts_by_webhook

    def conversion_problem(self, entry: StoredObject) -> str:
        """Return why a stored object cannot be converted to this version; empty if it can be converted."""
        old = entry.value["apiVersion"]
        return statuses.webhook_problem(old, self.names.kind) if self.needs_webhook(old, self.api_version) else ""

    def demand_migration(self, _entry: StoredObject, /) -> None:  # noqa: B027 - most resources have one version
        """
        Raise ApiError if a webhook does not convert a stored object to the storage version.

        Raises:
            ApiError: 500.
        """

    def ends_watches(self, _: Event, /) -> bool:
        """Return whether a change ends watches because it alters how objects are served."""
        return False

    @abc.abstractmethod
    def columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of its objects."""

    def scale_columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of Scales of its objects."""
        return _SCALE_COLUMNS

    def cells(self, _object: Resource) -> list[JSONValue] | None:
        """Return the row of an object or Scale, or None if the columns define it."""
        return None

    def row_conditions(self, _object: Resource) -> Sequence[JSONValue]:
        """Return the conditions of the row of an object."""
        return ()

    def selectable(self, object_: Resource) -> Mapping[str, str]:
        """Return the selectable fields of an object with their values."""
        metadata = object_["metadata"]
        values_by_field = {"metadata.name": str(metadata.get("name", ""))}
        if self.is_namespaced:
            values_by_field["metadata.namespace"] = str(metadata.get("namespace", ""))
        return values_by_field

    def selectable_fields(self) -> frozenset[str]:
        """Return the paths of the selectable fields."""
        blank: dict[str, JSONValue] = {"metadata": {}}
        return frozenset(self.selectable(blank))


def go_name(api_version: str, kind: str) -> str:
    """Return the name of the Go type of a built-in kind in messages."""
    group = api_version.rpartition("/")[0]
    return f"{_PACKAGES.get(group, group.partition('.')[0])}.{kind}"


def mark_terminating(value: Resource, finalizers: list[str]) -> Resource:
    """Return an object with *finalizers* and a deletionTimestamp."""
    metadata = {**value["metadata"], "finalizers": finalizers}
    if not metadata.get("deletionTimestamp"):
        metadata |= {"deletionTimestamp": generatedvalues.now(), "deletionGracePeriodSeconds": 0}
        if metadata.get("generation"):
            metadata["generation"] += 1
    return {**value, "metadata": dict(sorted(metadata.items()))}
