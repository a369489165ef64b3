"""The steps of a request that differ between kinds of objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from pytest_crd import lazyimport
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import SpelledPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import objectmetavalidation, systemmetadata
from pytest_crd.engine.observer import RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.desiredobject import FieldManagers, ObjectDecoder, Read
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import RefusedError, TypedObject
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.registry import admission
    from pytest_crd.engine.registry.admission import DefaultPlugins, ObjectInterfaces
else:
    admission = lazyimport.module("pytest_crd.engine.registry.admission")


class Validated(NamedTuple):
    """
    The result of validation.

    Attributes:
        errors: The errors; empty if the object is valid.
        warnings: The rule violations tolerated because the old value was invalid too.
    """

    errors: list[FieldError]
    warnings: tuple[str, ...] = ()


class StoredForms(NamedTuple):
    """
    The forms of an object in a write: the same `Stored` twice if to read the written form changes nothing.

    Attributes:
        written: The object in the storage version.
        returned: The object as a client reads it back.
        lost: The fields that the storage version does not know.
    """

    written: Stored
    returned: Stored
    lost: tuple[SpelledPath, ...] = ()


class NotReadBackError(RefusedError):
    """
    An object that the server stores, and then cannot convert back to the version of the request.

    Attributes:
        written: The written form.
    """

    def __init__(self, refused: Refusal, written: Stored) -> None:
        """Create from the refusal of the conversion."""
        super().__init__(refused)
        self.written = written


class PendingWrite(NamedTuple):
    """
    An object that a request is about to store.

    Attributes:
        resource: The prepared object, in the version of the request.
        live: The stored object in that version; None on create.
        read: The object and managed fields that the request asks for.
        subresource: The subresource of the URL; empty for the object itself.
        typed: The form of the strategy; None if that is the resource itself.
        malformed: The errors of metadata that a mutating plugin leaves malformed.
    """

    resource: dict[str, JSONValue]
    live: Resource | None
    read: Read
    subresource: str
    typed: TypedObject | None = None
    malformed: tuple[FieldError, ...] = ()

    def encoded(self) -> Resource:
        """Return the object as JSON, in the version of the request."""
        return self.resource if self.typed is None else self.typed.encoded()


class Strategy(Protocol):
    """
    The steps of a request that differ between kinds of objects.

    Attributes:
        type_meta: apiVersion and kind.
        group: The API group.
        plural: The plural of the kind.
        is_namespaced: True if objects have namespaces.
        is_served: True if the server answers requests for this version.
        creates_by_update: True if an update creates an object that does not exist.
        storage_path: The part of keys in etcd for the kind; empty for group and plural.
        profile: The Kubernetes version.
        decoder: Decoder of bodies.
        subresources: The subresources, and the fields that each of them writes.
        owners: The field managers.
        default_plugins: The mutating plugins that every server has; None if none of them changes objects of the kind.
        deprecation_warnings: Warnings of each answer, as the version is deprecated.

    Reference:
        apiserver registry/rest/create.go, RESTCreateStrategy; update.go, RESTUpdateStrategy.
    """

    type_meta: Mapping[str, str]
    group: str
    plural: str
    is_namespaced: bool
    is_served: bool
    creates_by_update: bool
    storage_path: str
    profile: Profile
    decoder: ObjectDecoder
    subresources: Subresources
    owners: FieldManagers
    default_plugins: DefaultPlugins | None

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects, for admission plugins."""

    @property
    def deprecation_warnings(self) -> tuple[str, ...]:
        """The warnings of each response."""

    def read(self, stored: Resource, namespace: str) -> dict[str, JSONValue]:
        """Return a stored object in the version of the request, in *namespace* if its metadata has none."""

    def calls_webhook(self, stored: Resource) -> bool:
        """Return whether a webhook converts a stored object to the version of the request."""

    def prepare(self, read: Read, live: Resource | None, request: Request, uid: str) -> PendingWrite:
        """
        Return the object with the fields that its URL may write, and with fields that the server sets before validation.

        Args:
            read: The object that the request asks for.
            live: The stored object, whose values the other fields keep; None on create.
            request: The request.
            uid: The uid of a new object; empty on updates.

        Raises:
            RefusedError: The object cannot be completed.

        Reference:
            kubernetes pkg/registry, PrepareForCreate and PrepareForUpdate of each strategy, BeginCreate and BeginUpdate of each storage.
        """

    def validate(self, write: PendingWrite, outcomes: list[RuleOutcome] | None) -> Validated:
        """Validate an object; append the outcomes of its rules to *outcomes* unless it is None."""

    def warnings(self, write: PendingWrite) -> tuple[str, ...]:
        """Return the warnings about a valid object."""

    def group_of_errors(self, sent: Resource) -> str:
        """Return the group in the Status of an invalid object."""

    def find_first_generation(self, write: PendingWrite) -> int | None:
        """Return `metadata.generation` of a new object; None if it has none."""

    def increments_generation(self, write: PendingWrite) -> bool:
        """Return True if an update increments `metadata.generation`."""

    def store(
        self, write: PendingWrite, system_metadata: Callable[[], Mapping[str, JSONValue]], *, is_read_back: bool
    ) -> StoredForms:
        """
        Return the written and returned forms of a valid object.

        Args:
            write: The object.
            system_metadata: Returns the server's metadata, managed fields included; for webhooks that convert the object.
            is_read_back: False if the store refuses the object, as its name is in use.

        Raises:
            RefusedError: The object cannot be stored.
            NotReadBackError: It is stored, and cannot be converted back.
        """

    def stored_size(self, stored: Resource) -> int:
        """Return the size of an object in etcd, in bytes."""


class ObjectStrategy:
    """
    Shared steps of kinds whose objects have the same form in requests and in the store.

    Attributes:
        type_meta: apiVersion and kind.
        profile: The Kubernetes version.
        subresources: The subresources, and the fields that each of them writes.
        default_plugins: None: no plugin of every server changes the objects.
    """

    type_meta: Mapping[str, str]
    profile: Profile
    subresources: Subresources
    default_plugins: DefaultPlugins | None = None

    @property
    def interfaces(self) -> ObjectInterfaces:
        """Functions for its objects, for admission plugins: objects have one version and no defaults."""
        return admission.single_version(self.type_meta["apiVersion"])

    def calls_webhook(self, _stored: Resource) -> bool:
        """Return False: a webhook converts only custom resources."""
        return False

    def prepare(self, read: Read, live: Resource | None, request: Request, _uid: str) -> PendingWrite:
        """Return the object with the fields that its URL may write; others keep the values of *live*."""
        if live is None:
            resource = self.subresources.prepare_create(read.resource)
        elif request.subresource == "status":
            resource = self.subresources.prepare_status_update(read.resource, live)
        else:
            resource = self.subresources.prepare_update(read.resource, live)
        return PendingWrite(resource, live, read, request.subresource)

    def group_of_errors(self, sent: Resource) -> str:
        """Return the group of the sent object."""
        group: str = sent["apiVersion"].rpartition("/")[0]
        return group

    def warnings(self, write: PendingWrite) -> tuple[str, ...]:
        """Return the warnings about the metadata; updates of the status have none."""
        if write.subresource == "status":
            return ()
        old = None if write.live is None else write.live["metadata"]
        return objectmetavalidation.warnings(write.read.prepared.metadata, old, profile=self.profile)

    def find_first_generation(self, _write: PendingWrite) -> int | None:
        """Return 1."""
        return 1

    def increments_generation(self, write: PendingWrite) -> bool:
        """Return True if an update changes anything but metadata; updates of the status never do."""
        if write.live is None or write.subresource == "status":
            return False
        return systemmetadata.generates(write.resource, write.live)
