"""
The object that a request wants to store: decoded, patched, checked against the stored object, and with managed fields.

Validation and the choice of writable fields follow later.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, typemeta
from pytest_crd.engine.metadata.requestmetadata import Prepared, RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import requestoptions
from pytest_crd.engine.registry.admission import Admitted, DefaultPlugins
from pytest_crd.engine.registry.fieldmanager import writers
from pytest_crd.engine.registry.fieldmanager.writers import Applied, ApplyRefusedError, Writer
from pytest_crd.engine.registry.request import GeneratedValues, Request
from pytest_crd.engine.registry.requestbody import DecodedBody, RefusedError
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.registry import admitting, applying
    from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
    from pytest_crd.engine.registry.patching import patchrequest
    from pytest_crd.engine.registry.scaleowners import ScaleOwners
else:
    admitting = lazyimport.module("pytest_crd.engine.registry.admitting")
    applying = lazyimport.module("pytest_crd.engine.registry.applying")
    patchrequest = lazyimport.module("pytest_crd.engine.registry.patching.patchrequest")

# Returns a new object after the mutating admission plugins, given the stored one or None; raises RefusedError.
Admit: TypeAlias = Callable[[Resource, "Resource | None"], Admitted]


class Read(NamedTuple):
    """
    The decoded object of a request.

    Attributes:
        decoded: The decoded body.
        prepared: The prepared metadata.
        managed: Returns the metadata with managed fields, computed on demand because no refusal depends on them.
    """

    decoded: DecodedBody
    prepared: Prepared
    managed: Callable[[], Resource]

    @property
    def resource(self) -> Resource:
        """The object with its prepared metadata."""
        return {**self.decoded.resource, "metadata": self.metadata}

    @property
    def metadata(self) -> dict[str, JSONValue]:
        """The prepared metadata, with managed fields if the request sends any, since only sent ones can be invalid."""
        sent_entries = (self.decoded.resource.get("metadata") or {}).get("managedFields")
        entries = self.entries() if sent_entries else ()
        return {**self.prepared.metadata, "managedFields": entries} if entries else self.prepared.metadata

    def entries(self) -> Sequence[JSONValue]:
        """Return the managed fields."""
        return self.managed().get("managedFields") or ()


class ObjectDecoder(Protocol):
    """Decoder of the objects of requests to one version."""

    @property
    def is_built_in(self) -> bool:
        """Whether the objects have a Go type, which allows strategic merge patches."""

    def decode_body(self, request: Request) -> DecodedBody:
        """Decode the body of a create or an update; raise RefusedError if it is refused."""

    def decode_patch(self, request: Request, live: Resource) -> DecodedBody:
        """Decode the result of a patch of *live*; raise RefusedError if it is refused."""

    def decode_apply(self, new: Applied, request: Request, /, warnings: tuple[str, ...]) -> DecodedBody:
        """Decode the result of an apply; raise RefusedError if it is refused."""

    def decode_mutated(self, resource: Resource, decoded: DecodedBody, request: Request) -> DecodedBody:
        """Return a decoded body with the *resource* that admission plugins return; raise RefusedError if it cannot be decoded."""


class ObjectManager(Protocol):
    """A field manager of objects."""

    def update(self, live: Resource | None, new: Resource, writer: Writer) -> Sequence[JSONValue]:
        """Return the managed fields of *new* after a create or an update."""

    def apply(self, live: Resource | None, applied: Resource, writer: Writer) -> Applied:
        """Return *live* with *applied*, and its managed fields; raise ApplyRefusedError if it cannot be applied."""

    def merge_type(self, type_meta: Resource) -> MergeType | None:
        """Return the merge type of the objects with an apiVersion and a kind; None if they are of another kind."""


class FieldManagers(Protocol):
    """The field managers of one version of a kind."""

    @property
    def of_object(self) -> ObjectManager:
        """The field manager of objects and their status."""

    @property
    def of_scale(self) -> ScaleOwners:
        """The field manager of `/scale`."""


class RequestReader(NamedTuple):
    """
    Reader of the requests to one version.

    Attributes:
        decoder: The decoder of its objects.
        subresources: The subresources of the version.
        owners: The field managers.
        profile: The reproduced Kubernetes version.
        creates_by_update: True if an update creates an object that does not exist.
        admit: Calls the mutating admission plugins; None if there are none.
        default_plugins: The mutating plugins that every server has, which run before the others; None without any.
    """

    decoder: ObjectDecoder
    subresources: Subresources
    owners: FieldManagers
    profile: Profile
    creates_by_update: bool = False
    admit: Admit | None = None
    default_plugins: DefaultPlugins | None = None

    def read(self, request: Request, live: Resource | None, target: RequestTarget, generated: GeneratedValues) -> Read:
        """
        Return the object that a request wants to store.

        Raises:
            RefusedError: The request is refused.
        """
        if request.subresource and not self.subresources.has(request.subresource):
            raise RefusedError(requestmetadata.refuse_missing(target))
        if requestoptions.is_apply(request.verb, request.media_type):
            return self.read_applied(request, live, target, generated)
        if request.verb == "patch":
            return self.read_patched(request, live, target, generated)
        if (refused := requestoptions.refuse(request, self.profile)) is not None:
            raise RefusedError(refused)
        decoded = self.decoder.decode_body(request)
        if request.verb == "create":
            return self._read_created(request, decoded, target, generated)
        return self._read_updated(request, decoded, live, target, generated)

    def _read_created(
        self, request: Request, decoded: DecodedBody, target: RequestTarget, generated: GeneratedValues
    ) -> Read:
        metadata = decoded.resource.get("metadata") or {}
        if (refused := requestmetadata.refuse_create(metadata, target)) is not None:
            raise RefusedError(refused, decoded)
        # A create drops deletion fields before they can have an owner; an update that creates drops them later.
        dropped = requestmetadata.DELETION if request.verb == "create" else ()
        owned_metadata = {key: value for key, value in metadata.items() if key not in dropped}
        managed = self._managed(request, None, decoded, owned_metadata, generated)
        if self.admit is not None or self.default_plugins is not None:
            decoded, managed = self._admitted(request, decoded, managed, None, target)
            metadata = decoded.resource.get("metadata") or {}
            if (refused := requestmetadata.refuse_create(metadata, target)) is not None:
                raise RefusedError(refused, decoded)
        # The server drops deletion fields before admission, and keeps those of a plugin.
        is_changed = request.verb == "create" and bool(decoded.changes.mutated)
        prepared = requestmetadata.prepare_create(
            metadata, target, suffix=generated.suffix(), keeps_deletion=is_changed
        )
        return Read(decoded, prepared, managed)

    def _read_updated(
        self,
        request: Request,
        decoded: DecodedBody,
        live: Resource | None,
        target: RequestTarget,
        generated: GeneratedValues,
    ) -> Read:
        metadata = decoded.resource.get("metadata") or {}
        if (refused := requestmetadata.refuse_update(metadata, target, self.profile)) is not None:
            raise RefusedError(refused, decoded)
        if live is None and not self.creates_by_update:
            raise RefusedError(requestmetadata.refuse_missing(target), decoded)
        if live is None:
            if uid := metadata.get("uid"):
                raise RefusedError(requestmetadata.refuse_uid(uid, "", target), decoded)
            if (refused := requestmetadata.refuse_version(metadata.get("resourceVersion") or "")) is not None:
                raise RefusedError(refused, decoded)
            return self._read_created(request, decoded, target, generated)
        managed = self._managed(request, live, decoded, metadata, generated)
        uid = metadata.get("uid")
        if uid in (None, "", live["metadata"].get("uid")):  # another uid is refused before admission
            decoded, managed = self._admitted(request, decoded, managed, live, target)
        metadata = decoded.resource.get("metadata") or {}
        prepared = requestmetadata.prepare_update(metadata, live["metadata"], target)
        stale = requestmetadata.refuse_stale({**metadata, "uid": uid}, live["metadata"], target, self.profile)
        refused = stale or requestmetadata.refuse_create(metadata, target)
        if refused is not None:
            raise RefusedError(refused, decoded, prepared.warnings)
        return Read(decoded, prepared, managed)

    def read_patched(
        self, request: Request, live: Resource | None, target: RequestTarget, generated: GeneratedValues
    ) -> Read:
        """
        Return the object that results from a patch.

        Raises:
            RefusedError: The request is refused.

        Reference:
            apiserver endpoints/handlers/patch.go, PatchResource and patcher.applyPatch.
        """
        live = self.demand_patchable(request, live, target)
        decoded = self.decoder.decode_patch(request, live)
        metadata = decoded.resource.get("metadata") or {}
        managed = self._managed(request, live, decoded, metadata, generated)
        if (refused := requestmetadata.refuse_update(metadata, target, self.profile)) is not None:
            raise RefusedError(refused, decoded)
        decoded, managed = self._admitted(request, decoded, managed, live, target)
        metadata = decoded.resource.get("metadata") or {}
        prepared = requestmetadata.prepare_update(metadata, live["metadata"], target, is_patched=True)
        unnamed = {
            key: value for key, value in metadata.items() if key != "uid"
        }  # the uid of a patch is no precondition
        stale = requestmetadata.refuse_stale(unnamed, live["metadata"], target, self.profile)
        refused = (
            stale or requestmetadata.refuse_create(metadata, target) or typemeta.refuse_unversioned(decoded.resource)
        )
        if refused is not None:
            raise RefusedError(refused, decoded, prepared.warnings)
        return Read(decoded, prepared, managed)

    def demand_patchable(self, request: Request, live: Resource | None, target: RequestTarget) -> Resource:
        """
        Return the stored object of a PATCH.

        Raises:
            RefusedError: The request is refused before its patch is read, or the object is missing.
        """
        refused = (
            requestoptions.refuse_media_type(request.media_type, is_built_in=self.decoder.is_built_in)
            or refusal.too_large(request.body.value, request.body.text)
            or requestoptions.refuse(request, self.profile)
            or patchrequest.refuse_other_than_json(request.body, self.profile)
        )
        if live is None or refused is not None:
            raise RefusedError(refused or requestmetadata.refuse_missing(target))
        return live

    def _managed(
        self,
        request: Request,
        live: Resource | None,
        decoded: DecodedBody,
        metadata: Resource,
        generated: GeneratedValues,
    ) -> Callable[[], Resource]:
        """Return a function for *metadata* with the managed fields of the object, which the server computes before admission."""
        writer = make_writer(request, generated)
        namespace = None if live is None else live["metadata"].get("namespace")
        if namespace is not None and not metadata.get("namespace"):
            metadata = {**metadata, "namespace": namespace}

        def managed() -> Resource:
            new = {**decoded.encoded(), "metadata": metadata}
            entries = self.owners.of_object.update(live, new, writer)
            others = {key: value for key, value in metadata.items() if key != "managedFields"}
            return {**others, "managedFields": entries} if entries else others

        return functools.cache(managed)

    def read_applied(
        self, request: Request, live: Resource | None, target: RequestTarget, generated: GeneratedValues
    ) -> Read:
        """
        Return the object that results from an apply; a missing object is created.

        Raises:
            RefusedError: The request is refused.

        Reference:
            apiserver endpoints/handlers/patch.go, applyPatcher.
        """
        applied = self.demand_applicable(request, live, target)
        new = apply_or_refuse(lambda: self.owners.of_object.apply(live, applied, make_writer(request, generated)))
        warnings = applying.problems(request.body, request.field_validation, self.profile)
        decoded = self.decoder.decode_apply(new, request, warnings)
        resource = decoded.resource
        metadata = resource.get("metadata") or {}
        if live is None and (uid := metadata.get("uid")):
            raise RefusedError(applying.refuse_uid(uid, target), decoded)
        if (refused := requestmetadata.refuse_update(metadata, target, self.profile)) is not None:
            raise RefusedError(refused, decoded)
        sent_metadata = metadata
        decoded, managed = self._admitted(request, decoded, lambda: sent_metadata, live, target)
        metadata = decoded.resource.get("metadata") or {}
        if live is None:
            version = metadata.get("resourceVersion") or ""
            refused = requestmetadata.refuse_version(version) or requestmetadata.refuse_create(metadata, target)
            if refused is not None:
                raise RefusedError(refused, decoded)
            prepared = requestmetadata.prepare_create(metadata, target, suffix=generated.suffix())
            return Read(decoded, prepared, managed)
        prepared = requestmetadata.prepare_update(metadata, live["metadata"], target, is_patched=True)
        unnamed = {
            key: value for key, value in metadata.items() if key != "uid"
        }  # the uid of an apply is no precondition
        stale = requestmetadata.refuse_stale(unnamed, live["metadata"], target, self.profile)
        if (refused := stale or requestmetadata.refuse_create(metadata, target)) is not None:
            raise RefusedError(refused, decoded, prepared.warnings)
        return Read(decoded, prepared, managed)

    def _admitted(
        self,
        request: Request,
        decoded: DecodedBody,
        managed: Callable[[], Resource],
        live: Resource | None,
        target: RequestTarget,
    ) -> tuple[DecodedBody, Callable[[], Resource]]:
        """
        Return the body and the managed fields after the mutating plugins: those of every server, then the others.

        Raises:
            RefusedError: A plugin refuses the request.
        """
        plugins, encoded = self.default_plugins, decoded.encoded
        try:
            if plugins is not None:
                decoded = decoded._replace(resource={**plugins(decoded.resource, live)})
            if self.admit is None:
                return decoded, managed
            sent: Resource = {**encoded(), "metadata": managed()}
            sent = admitting.to_plugin_object(sent, sent["metadata"], target) if live is None else sent
            sent = sent if plugins is None else plugins(sent, live)
            admitted = self.admit(sent, live)
        except RefusedError as refused:
            raise RefusedError(refused.refusal, decoded, refused.warnings) from None
        warned = decoded._replace(warnings=(*decoded.warnings, *admitted.warnings))
        if admitted.object is None or _is_unchanged(admitted.object, sent):
            return warned, managed
        changes = replace(warned.changes, mutated=admitting.find_changes(sent, admitted.object))
        new = self.decoder.decode_mutated(admitted.object, warned._replace(changes=changes), request)
        return new, lambda: new.resource.get("metadata") or {}

    def demand_applicable(self, request: Request, live: Resource | None, target: RequestTarget) -> dict[str, JSONValue]:
        """
        Return the applied object.

        Raises:
            RefusedError: The request is refused before the merge.
        """
        refused = requestoptions.refuse(request, self.profile) or refusal.too_large(
            request.body.value, request.body.text
        )
        if refused is None and live is None and request.subresource and not self.creates_by_update:
            refused = requestmetadata.refuse_missing(target)
        if refused is not None:
            raise RefusedError(refused)
        return applying.read(request.body, self.profile)


def _is_unchanged(admitted: Resource, sent: Resource) -> bool:
    """Return whether an object is the same after admission; an empty list that becomes a `NIL_LIST` is a change."""
    return jsonvalue.equal(admitted, sent) and jsonvalue.written(admitted) is admitted


def apply_or_refuse(apply: Callable[[], Applied]) -> Applied:
    """Return the result of *apply*; raise RefusedError if it raises ApplyRefusedError."""
    try:
        return apply()
    except ApplyRefusedError as error:
        raise RefusedError(error.refusal, conflicts=error.conflicts) from None


def make_writer(request: Request, generated: GeneratedValues) -> Writer:
    """Return the writer of a request for field managers."""
    manager = writers.manager_name(request.field_manager, request.user_agent)
    return Writer(manager, generated.now(), request.subresource, is_forced=bool(request.force))
