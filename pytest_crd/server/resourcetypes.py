"""What is served: a resource of one API version, with what is said of it in discovery and what answers requests for its objects."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.request import Making, Request, RequestOutcome
from pytest_crd.server.http import statuses
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Event, ObjectKey, StoredObject

# In the order in which discovery lists those of custom resources.
VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
SUBRESOURCE_VERBS: Final = ("get", "patch", "update")


# In which package a server has the types that it works with, where that is not called as the group.
_PACKAGES: Final = {"": "core", "events.k8s.io": "core"}


class Names(NamedTuple):
    """
    What a resource is called.

    Attributes:
        plural: As in URLs.
        singular: For people.
        kind: The kind of its objects.
        list_kind: The kind of lists of them.
        short_names: For people who type.
        categories: Of what it is a part, as `all`.
    """

    plural: str
    singular: str
    kind: str
    list_kind: str
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


class SubresourceKind(NamedTuple):
    """
    A subresource as discovery shows it.

    Attributes:
        name: `status`, `scale`.
        group: The group of its kind; that of the resource where it is the same kind.
        version: The version of its kind, likewise.
        kind: Its kind.
        verbs: What can be asked of it.
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
        name: Its heading.
        type: `string`, `integer`, `number`, `boolean` or `date`.
        path: The JSONPath of what it shows.
        description: What is said of it.
        priority: Above 0 it is shown to who asks for more.
        format: `name` of the first one.
        cell: Returns what it shows, where no path leads there.
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
    cell=lambda shown: shown["metadata"].get("name", ""),
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


_OF_SCALES: Final = (
    NAME,
    TableColumn("Desired", "integer", ".spec.replicas", "Number of desired replicas"),
    TableColumn("Available", "integer", ".status.replicas", "Number of actual replicas"),
    AGE,
)


class ResourceType(abc.ABC):
    """
    A resource of one API version.

    Attributes:
        group: Its API group; empty for the core group.
        version: The version.
        names: What it is called.
        profile: Whose behaviour and words.
        is_namespaced: Whether its objects are in namespaces.
        verbs: What can be asked of it.
        subresources: Its subresources.
        has_protobuf: Whether its objects may be sent in protobuf, and are answered so.
        is_created_by_update: Whether an update creates what is not there.
        is_typed: Whether the server has a type of its own for it: lists of such objects do not say of each what it is.
        blank: What an object says that nothing was put into, beside its metadata.
        warnings: What each answer about it warns of.
        validates: Whether what is written is defaulted and validated; else it is only decoded.
        is_terminating: Whether the CRD of its objects is being deleted: then none is created any longer.
        converts_by_webhook: Whether a webhook makes its objects those of another API version, which nothing calls here.
        shows_deleted: Whether a deletion is answered with the object, and not with a Status.
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
    shows_deleted: bool = False

    @property
    def resource(self) -> str:
        """What messages call it, and where its objects are stored: `plural.group`."""
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
        """Return where an object is stored."""
        return ObjectKey(self.resource, namespace if self.is_namespaced else "", name)

    def has(self, subresource: str) -> bool:
        """Return whether there is such a subresource; what is asked of the object itself is empty."""
        return not subresource or any(one.name == subresource for one in self.subresources)

    def prepared(self, asked: Request) -> Request:
        """Return a request whose body is what a server reads of it, where it has a key twice."""
        return asked

    @abc.abstractmethod
    def answer(self, stored: Resource | None, asked: Request, made: Making) -> RequestOutcome:
        """Return what comes of a request that writes."""

    @abc.abstractmethod
    def shown(self, entry: StoredObject) -> Resource:
        """Return a stored object as it is read in this version, with its resourceVersion."""

    @abc.abstractmethod
    def scale(self, entry: StoredObject) -> Resource:
        """Return the Scale of a stored object."""

    def ending(self, value: Resource, finalizers: list[str]) -> Resource | None:
        """
        Return an object as one that is to be deleted; None where it can go at once.

        Args:
            value: The object as it is stored.
            finalizers: Who holds it.

        Reference:
            apiserver registry/rest/delete.go, BeforeDelete; registry/generic/registry/store.go, markAsDeleting.
        """
        return marked(value, finalizers) if finalizers else None

    @property
    def collected(self) -> ResourceType:
        """The resource as one of which many objects are deleted by one request."""
        return self

    def other(self, name: str, what: Literal["UID", "ResourceVersion"], wanted: str, found: str) -> ApiError:
        """
        Return the failure of a deletion of an object that is not the one that is meant.

        Args:
            name: Its name.
            what: What tells them apart.
            wanted: That of the one that is meant.
            found: That of the one that is there.
        """
        done = "deleted and then recreated" if what == "UID" else "modified"
        problem = (
            f"the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). "
            f"The object might have been {done}"
        )
        return statuses.conflict(self.names.kind, self.group, name, problem)

    def demand_conversion(self, old: str, new: str) -> None:
        """
        Pass when objects of the API version *old* can be made objects of the API version *new*.

        Raises:
            ApiError: 500: a webhook would have to do it.
        """
        if old != new and self.converts_by_webhook:
            raise statuses.unconverted(old, self.names.kind)

    def ends_watches(self, _: Event, /) -> bool:
        """Return whether watches end with a change, as its objects are served otherwise from then on."""
        return False

    @abc.abstractmethod
    def columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of its objects."""

    def scale_columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of Scales of its objects."""
        return _OF_SCALES

    def cells(self, _shown: Resource) -> list[JSONValue] | None:
        """Return what stands in the row of an object, or of a Scale; None where the columns say it."""
        return None

    def row_conditions(self, _shown: Resource) -> Sequence[JSONValue]:
        """Return what is said of the row of an object beside."""
        return ()

    def selectable(self, shown: Resource) -> Mapping[str, str]:
        """Return the fields that a selector can ask for, with their values in an object as it is shown."""
        metadata = shown["metadata"]
        found = {"metadata.name": str(metadata.get("name", ""))}
        if self.is_namespaced:
            found["metadata.namespace"] = str(metadata.get("namespace", ""))
        return found

    def selectable_fields(self) -> frozenset[str]:
        """Return the fields that a selector can ask for."""
        blank: dict[str, JSONValue] = {"metadata": {}}
        return frozenset(self.selectable(blank))


def go_name(api_version: str, kind: str) -> str:
    """Return what messages call the type with which a server works where a kind is its own."""
    group = api_version.rpartition("/")[0]
    return f"{_PACKAGES.get(group, group.partition('.')[0])}.{kind}"


def marked(value: Resource, finalizers: list[str]) -> Resource:
    """Return an object that *finalizers* hold as one that is to be deleted."""
    metadata = {**value["metadata"], "finalizers": finalizers}
    if not metadata.get("deletionTimestamp"):
        metadata |= {"deletionTimestamp": generatedvalues.now(), "deletionGracePeriodSeconds": 0}
        if metadata.get("generation"):
            metadata["generation"] += 1
    return {**value, "metadata": dict(sorted(metadata.items()))}
