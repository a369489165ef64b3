"""
What a request wants to be stored: decoded, patched, found to be for what is stored, and with its managed fields.

What of it may be written through the URL of the request, and whether it is valid, is decided afterwards.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, typemeta
from pytest_crd.engine.metadata.requestmetadata import Prepared, RequestTarget
from pytest_crd.engine.passes.versionpasses import Passes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import requestoptions, subresources
from pytest_crd.engine.registry.fieldmanager import writers
from pytest_crd.engine.registry.fieldmanager.writers import Applied, ApplyRefusedError, Writer
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.engine.registry.request import Making, Request
from pytest_crd.engine.registry.requestbody import DecodedBody, Decoder, Patched, RefusedError
from pytest_crd.engine.registry.response import Changes
from pytest_crd.engine.registry.subresources import Subresources

if TYPE_CHECKING:
    from pytest_crd.engine.registry.scaleowners import ScaleOwners


class Read(NamedTuple):
    """
    A request whose object was read.

    Attributes:
        decoded: The object that is sent.
        prepared: Its metadata, made ready.
        managed: Returns the object with its managed fields: nothing that is refused depends on them.
    """

    decoded: DecodedBody
    prepared: Prepared
    managed: Callable[[], Resource]

    @property
    def resource(self) -> Resource:
        """Return the object with its metadata."""
        return {**self.decoded.resource, "metadata": self.metadata}

    @property
    def metadata(self) -> dict[str, JSONValue]:
        """Return the prepared metadata, with managed fields if the request states any: only those may be invalid."""
        stated = (self.decoded.resource.get("metadata") or {}).get("managedFields")
        entries = self.entries() if stated else ()
        return {**self.prepared.metadata, "managedFields": entries} if entries else self.prepared.metadata

    def entries(self) -> Sequence[JSONValue]:
        """Return the managed fields."""
        return (self.managed().get("metadata") or {}).get("managedFields") or ()


class ObjectDecoder(Protocol):
    """Decodes the objects of requests to one version."""

    @property
    def is_built_in(self) -> bool:
        """Whether the objects have a Go type, and take one kind of patch more."""

    def sent(self, asked: Request) -> DecodedBody:
        """Return what a create or an update sends; raise RefusedError where the server goes no further."""

    def patched(self, asked: Request, live: Resource) -> DecodedBody:
        """Return what comes of a patch of what is stored; raise likewise."""

    def applied(self, new: Applied, asked: Request, /, warnings: tuple[str, ...]) -> DecodedBody:
        """Decode the result of an apply; raise RefusedError likewise."""


class ObjectManager(Protocol):
    """A field manager of objects."""

    def update(self, live: Resource | None, new: Resource, writer: Writer) -> dict[str, JSONValue]:
        """Return *new* with its managed fields after a create or an update."""

    def apply(self, live: Resource | None, applied: Resource, writer: Writer) -> Applied:
        """Return *live* with *applied*, and its managed fields; raise ApplyRefusedError if it cannot be applied."""


class FieldManagers(Protocol):
    """The field managers of one version of a kind."""

    @property
    def of_object(self) -> ObjectManager:
        """The field manager of objects and their status."""

    @property
    def of_scale(self) -> ScaleOwners:
        """The field manager of `/scale`."""


class ResourceDecoder(NamedTuple):
    """
    Decodes custom resources.

    Attributes:
        bodies: What decodes bodies.
        passes: The passes of the version.
        profile: Whose behaviour and words.
        is_built_in: They are not.
    """

    bodies: Decoder
    passes: Passes
    profile: Profile
    is_built_in: bool = False

    def sent(self, asked: Request) -> DecodedBody:
        """Return what a create or an update sends."""
        return self.bodies.decode(asked.body, asked.field_validation)

    def patched(self, asked: Request, live: Resource) -> DecodedBody:
        """Return what comes of a patch."""
        return self.bodies.decode_patched(patched(asked, live, self.profile), asked.field_validation)

    def applied(self, new: Applied, _asked: Request, /, warnings: tuple[str, ...]) -> DecodedBody:
        """Return what comes of an apply: where anything was merged, with defaults."""
        defaulted = self.passes.fill_in(new.resource) if new.is_merged else None
        changes = Changes() if defaulted is None else Changes(defaulted=defaulted.put_in)
        resource = dict(new.resource if defaulted is None else defaulted.value)
        resource["metadata"] = requestmetadata.with_texts(resource.get("metadata") or {})
        return DecodedBody(resource, changes, warnings, sent=new.resource, is_raw=True)


class RequestReader(NamedTuple):
    """
    Reads the requests to one version.

    Attributes:
        decoder: What decodes their objects.
        subresources: The subresources of the version.
        owners: What keeps track of who owns which fields.
        profile: Whose behaviour and words.
        creates_by_update: True if an update creates an object that does not exist.
    """

    decoder: ObjectDecoder
    subresources: Subresources
    owners: FieldManagers
    profile: Profile
    creates_by_update: bool = False

    def read(self, asked: Request, live: Resource | None, target: RequestTarget, making: Making) -> Read:
        """
        Return the object that is to be stored: decoded, found to be for what is stored, with its managed fields.

        Raises:
            RefusedError: It goes no further.
        """
        if asked.subresource and not self.subresources.has(asked.subresource):
            raise RefusedError(requestmetadata.refuse_missing(target))
        if mediatypes.is_apply(asked.verb, asked.media_type):
            return (self._read_applied_scale if asked.subresource == "scale" else self._read_applied)(
                asked, live, target, making
            )
        if asked.subresource == "scale":
            return self._read_scale(asked, live, target, making)
        if asked.verb == "patch":
            return self._read_patched(asked, live, target, making)
        if (why := requestoptions.refuse(asked, self.profile)) is not None:
            raise RefusedError(why)
        decoded = self.decoder.sent(asked)
        if asked.verb == "create":
            return self._read_created(asked, decoded, target, making)
        return self._read_updated(asked, decoded, live, target, making)

    def _read_created(self, asked: Request, decoded: DecodedBody, target: RequestTarget, making: Making) -> Read:
        metadata = decoded.resource.get("metadata") or {}
        if (why := requestmetadata.refuse_create(metadata, target)) is not None:
            raise RefusedError(why, decoded)
        prepared = requestmetadata.prepare_create(metadata, target, suffix=making.suffix())
        # What says of an object that it is to be deleted is gone before anybody can own it.
        left = {key: value for key, value in metadata.items() if key not in requestmetadata.DELETION}
        return Read(decoded, prepared, self._managed(asked, None, decoded, left, making))

    def _read_updated(
        self, asked: Request, decoded: DecodedBody, live: Resource | None, target: RequestTarget, making: Making
    ) -> Read:
        metadata = decoded.resource.get("metadata") or {}
        if (why := requestmetadata.refuse_update(metadata, target, self.profile)) is not None:
            raise RefusedError(why, decoded)
        if live is None and not self.creates_by_update:
            raise RefusedError(requestmetadata.refuse_missing(target), decoded)
        if live is None:
            if uid := metadata.get("uid"):
                raise RefusedError(requestmetadata.refuse_uid(uid, "", target), decoded)
            return self._read_created(asked, decoded, target, making)
        prepared = requestmetadata.prepare_update(metadata, live["metadata"], target)
        managed = self._managed(asked, live, decoded, metadata, making)
        stale = requestmetadata.refuse_stale(metadata, live["metadata"], target, self.profile)
        if stale is not None:
            raise RefusedError(stale, decoded, prepared.warnings)
        return Read(decoded, prepared, managed)

    def _read_patched(self, asked: Request, live: Resource | None, target: RequestTarget, making: Making) -> Read:
        """
        Return what comes of a patch of what is stored, as `_read` does.

        Reference:
            apiserver endpoints/handlers/patch.go, PatchResource and patcher.applyPatch.
        """
        live = self._demand_patchable(asked, live, target)
        decoded = self.decoder.patched(asked, live)
        metadata = decoded.resource.get("metadata") or {}
        managed = self._managed(asked, live, decoded, metadata, making)
        if (why := requestmetadata.refuse_update(metadata, target, self.profile)) is not None:
            raise RefusedError(why, decoded)
        prepared = requestmetadata.prepare_update(metadata, live["metadata"], target, is_patched=True)
        unnamed = {key: value for key, value in metadata.items() if key != "uid"}  # no precondition of a patch
        stale = requestmetadata.refuse_stale(unnamed, live["metadata"], target, self.profile)
        why = stale or typemeta.refuse_unversioned(decoded.resource)
        if why is not None:
            raise RefusedError(why, decoded, prepared.warnings)
        return Read(decoded, prepared, managed)

    def _read_scale(self, asked: Request, live: Resource | None, target: RequestTarget, making: Making) -> Read:
        """
        Return what is stored with the replicas of the Scale that is sent, or that comes of a patch, as `_read` does.

        Reference:
            apiextensions-apiserver registry/customresource/etcd.go, ScaleREST.Update.
        """
        from pytest_crd.engine.registry import scale  # noqa: PLC0415 - few requests are about it

        uid = None
        if asked.verb == "patch":
            live = self._demand_patchable(asked, live, target)
            of_scale = patched(asked, scale.of_resource(live, self.subresources, is_patched=True), self.profile)
            decoded = scale.decode_patched(of_scale, asked.field_validation, self.profile)
        else:
            decoded = scale.decode(asked.body, asked.field_validation, self.profile)
            uid = decoded.metadata.get("uid")
        if (why := requestmetadata.refuse_update(decoded.metadata, target, self.profile)) is not None:
            raise RefusedError(why, warnings=decoded.problems)
        if live is None:
            raise RefusedError(requestmetadata.refuse_missing(target), warnings=decoded.problems)
        scale.of_resource(live, self.subresources)  # which is refused where what is stored has none
        if self.decoder.is_built_in:
            scale.demand_valid(decoded, target, live["metadata"].get("uid") if asked.verb == "patch" else None)
        resource = scale.written(live, decoded, self.subresources)
        sent = {**resource["metadata"], "uid": uid}
        if (why := requestmetadata.refuse_stale(sent, live["metadata"], target, self.profile)) is not None:
            raise RefusedError(why, warnings=decoded.problems)
        body = DecodedBody(resource, Changes(), decoded.problems, sent=resource)
        prepared = requestmetadata.prepare_update(resource["metadata"], live["metadata"], target)
        # A Scale of none says nothing of replicas, so that nobody owns them.
        wanted = {"replicas": decoded.replicas} if decoded.replicas else {}
        sent_scale = {**subresources.SCALE_TYPE_META, "metadata": decoded.metadata, "spec": wanted}
        if not self.profile.apply.scales_have_owners:
            return Read(body, prepared, lambda: live)
        writer = _writer(asked, making)
        managed = functools.partial(self.owners.of_scale.updated, live, sent_scale, resource, writer)
        return Read(body, prepared, functools.cache(managed))

    def _with_scale(self, live: Resource, applied: Resource, target: RequestTarget) -> dict[str, JSONValue]:
        """
        Return an object of a built-in kind with the replicas of an applied Scale.

        Raises:
            RefusedError: The Scale is invalid, or has another name, uid or resourceVersion.
        """
        from pytest_crd.engine.registry import scale  # noqa: PLC0415 - few requests are about it

        decoded = scale.decode_applied(applied)
        scale.demand_valid(decoded, target, live["metadata"].get("uid"))
        resource = scale.written(live, decoded, self.subresources)
        refused = requestmetadata.refuse_update(decoded.metadata, target, self.profile) or requestmetadata.refuse_stale(
            {**resource["metadata"], "uid": None}, live["metadata"], target, self.profile
        )
        if refused is not None:
            raise RefusedError(refused)
        return resource

    def _demand_patchable(self, asked: Request, live: Resource | None, target: RequestTarget) -> Resource:
        """
        Return what a PATCH is for.

        Raises:
            RefusedError: The request is refused before its patch is looked into.
        """
        from pytest_crd.engine.registry.patching import patchrequest  # noqa: PLC0415 - most requests are no patches

        refused = (
            mediatypes.refuse_media_type(asked.media_type, is_built_in=self.decoder.is_built_in)
            or refusal.too_large(asked.body.value, asked.body.text)
            or requestoptions.refuse(asked, self.profile)
            or patchrequest.refuse_other_than_json(asked.body, self.profile)
        )
        if live is None or refused is not None:
            raise RefusedError(refused or requestmetadata.refuse_missing(target))
        return live

    def _managed(
        self, asked: Request, live: Resource | None, decoded: DecodedBody, metadata: Resource, making: Making
    ) -> Callable[[], Resource]:
        """Return a function that returns the object with *metadata* and its managed fields; the server computes them before admission."""
        writer = _writer(asked, making)

        def managed() -> Resource:
            return self.owners.of_object.update(live, {**decoded.encoded(), "metadata": metadata}, writer)

        return functools.cache(managed)

    def _read_applied(self, asked: Request, live: Resource | None, target: RequestTarget, making: Making) -> Read:
        """
        Return what comes of an apply to what is stored, or what is applied where nothing is, as `read` does.

        Reference:
            apiserver endpoints/handlers/patch.go, applyPatcher.
        """
        from pytest_crd.engine.registry import applying  # noqa: PLC0415 - most requests apply nothing

        applied = self._demand_applicable(asked, live, target)
        new = _of_apply(lambda: self.owners.of_object.apply(live, applied, _writer(asked, making)))
        warnings = applying.problems(asked.body, asked.field_validation, self.profile)
        decoded = self.decoder.applied(new, asked, warnings)
        resource = decoded.resource
        metadata = resource.get("metadata") or {}
        if live is None and (uid := metadata.get("uid")):
            raise RefusedError(applying.refuse_uid(uid, target), decoded)
        if (why := requestmetadata.refuse_update(metadata, target, self.profile)) is not None:
            raise RefusedError(why, decoded)
        if live is None:
            prepared = requestmetadata.prepare_create(metadata, target, suffix=making.suffix())
            return Read(decoded, prepared, lambda: resource)
        prepared = requestmetadata.prepare_update(metadata, live["metadata"], target, is_patched=True)
        unnamed = {key: value for key, value in metadata.items() if key != "uid"}  # no precondition of a patch
        if (why := requestmetadata.refuse_stale(unnamed, live["metadata"], target, self.profile)) is not None:
            raise RefusedError(why, decoded, prepared.warnings)
        return Read(decoded, prepared, lambda: resource)

    def _read_applied_scale(self, asked: Request, live: Resource | None, target: RequestTarget, making: Making) -> Read:
        """Read an apply to the Scale of *live*; of a custom resource it may change nothing but the owners."""
        from pytest_crd.engine.registry import applying  # noqa: PLC0415 - most requests apply nothing

        applied = self._demand_applicable(asked, live, target)
        assert live is not None  # noqa: S101 - a subresource of nothing was refused
        if not self.profile.apply.scales_have_owners:
            raise RefusedError(refusal.internal_error("the server panics over an apply to the scale"))
        new = _of_apply(lambda: self.owners.of_scale.apply(live, applied, _writer(asked, making)))
        problems = applying.problems(asked.body, asked.field_validation, self.profile)
        resource = self._with_scale(live, new.resource, target) if self.decoder.is_built_in else dict(live)
        body = DecodedBody(resource, Changes(), problems, sent=resource)
        prepared = requestmetadata.prepare_update(resource["metadata"], live["metadata"], target)
        owned = functools.partial(self.owners.of_scale.owned, live, new.resource, resource)
        return Read(body, prepared, functools.cache(owned))

    def _demand_applicable(self, asked: Request, live: Resource | None, target: RequestTarget) -> dict[str, JSONValue]:
        """
        Return what is applied.

        Raises:
            RefusedError: The request is refused before anything is merged.
        """
        from pytest_crd.engine.registry import applying  # noqa: PLC0415 - as above

        refused = requestoptions.refuse(asked, self.profile) or refusal.too_large(asked.body.value, asked.body.text)
        if refused is None and live is None and asked.subresource:
            refused = requestmetadata.refuse_missing(target)
        if refused is not None:
            raise RefusedError(refused)
        return applying.read(asked.body, self.profile)


def patched(asked: Request, document: Resource, profile: Profile) -> Patched:
    """Return what comes of a JSON patch or a merge patch of a document."""
    from pytest_crd.engine.registry.patching import patchrequest  # noqa: PLC0415 - most requests are no patches

    return patchrequest.patch(
        document, asked.body, media_type=asked.media_type, field_validation=asked.field_validation, profile=profile
    )


def _of_apply(apply: Callable[[], Applied]) -> Applied:
    try:
        return apply()
    except ApplyRefusedError as error:
        raise RefusedError(error.refusal, conflicts=error.conflicts) from None


def _writer(asked: Request, making: Making) -> Writer:
    named = writers.named(asked.field_manager, asked.user_agent)
    return Writer(named, making.now(), asked.subresource, is_forced=bool(asked.force))
