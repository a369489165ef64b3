"""
What a request wants to be stored: decoded, patched, found to be for what is stored, and with its managed fields.

What of it may be written through the URL of the request, and whether it is valid, is decided afterwards.
"""

from __future__ import annotations

from typing import NamedTuple

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.response import Changes
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import requestmetadata, typemeta
from pytest_crd.engine.metadata.requestmetadata import Prepared, RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import fieldmanager, requestoptions, scale
from pytest_crd.engine.requests.fieldmanager import FieldManager, Writer
from pytest_crd.engine.requests.patching import patches
from pytest_crd.engine.requests.request import Making, Request
from pytest_crd.engine.requests.requestbody import DecodedBody, Decoder, Patched, RefusedError
from pytest_crd.engine.requests.subresources import Subresources


class Read(NamedTuple):
    """
    A request whose object was read.

    Attributes:
        decoded: The object that is sent.
        prepared: Its metadata, made ready.
        managed: The object with its managed fields.
    """

    decoded: DecodedBody
    prepared: Prepared
    managed: Resource


class RequestReader(NamedTuple):
    """
    Reads the requests to one version.

    Attributes:
        decoder: What decodes their objects.
        subresources: The subresources of the version.
        manager: What keeps track of who manages which fields.
        profile: Whose behaviour and words.
    """

    decoder: Decoder
    subresources: Subresources
    manager: FieldManager
    profile: Profile

    def read(self, asked: Request, live: Resource | None, target: RequestTarget, making: Making) -> Read:
        """
        Return the object that is to be stored: decoded, found to be for what is stored, with its managed fields.

        Raises:
            RefusedError: It goes no further.
        """
        if asked.subresource and not self.subresources.has(asked.subresource):
            raise RefusedError(requestmetadata.refuse_missing(target))
        if asked.subresource == "scale":
            return self._read_scale(asked, live, target, making)
        if asked.verb == "patch":
            return self._read_patched(asked, live, target, making)
        decoded = self.decoder.decode(asked.body, asked.field_validation)
        metadata = decoded.resource.get("metadata") or {}
        if asked.verb == "create":
            if (why := requestmetadata.refuse_create(metadata, target)) is not None:
                raise RefusedError(why, decoded)
            prepared = requestmetadata.prepare_create(metadata, target, suffix=making.suffix())
            return Read(decoded, prepared, self._managed(asked, live, decoded.resource, making))
        if (why := requestmetadata.refuse_update(metadata, target, self.profile)) is not None:
            raise RefusedError(why, decoded)
        if live is None:
            raise RefusedError(requestmetadata.refuse_missing(target), decoded)
        prepared = requestmetadata.prepare_update(metadata, live["metadata"], target)
        managed = self._managed(asked, live, decoded.resource, making)
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
        patched = self._patched(asked, live)
        decoded = self.decoder.decode_patched(patched, asked.field_validation)
        managed = self._managed(asked, live, decoded.resource, making)
        metadata = decoded.resource.get("metadata") or {}
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
        uid = None
        if asked.verb == "patch":
            live = self._demand_patchable(asked, live, target)
            patched = self._patched(asked, scale.of_resource(live, self.subresources, is_patched=True))
            decoded = scale.decode_patched(patched, asked.field_validation, self.profile)
        else:
            decoded = scale.decode(asked.body, asked.field_validation, self.profile)
            uid = decoded.metadata.get("uid")
        if (why := requestmetadata.refuse_update(decoded.metadata, target, self.profile)) is not None:
            raise RefusedError(why, warnings=decoded.problems)
        if live is None:
            raise RefusedError(requestmetadata.refuse_missing(target), warnings=decoded.problems)
        resource = scale.written(live, decoded, self.subresources)
        sent = {**resource["metadata"], "uid": uid}
        if (why := requestmetadata.refuse_stale(sent, live["metadata"], target, self.profile)) is not None:
            raise RefusedError(why, warnings=decoded.problems)
        body = DecodedBody(resource, Changes(), decoded.problems, sent=resource)
        prepared = requestmetadata.prepare_update(resource["metadata"], live["metadata"], target)
        return Read(body, prepared, self._managed(asked, live, resource, making))

    def _demand_patchable(self, asked: Request, live: Resource | None, target: RequestTarget) -> Resource:
        """
        Return what a PATCH is for.

        Raises:
            RefusedError: The request is refused before its patch is looked into.
        """
        refused = (
            patches.refuse_media_type(asked.media_type)
            or refusal.too_large(asked.body.value, asked.body.text)
            or requestoptions.refuse(asked, self.profile)
            or patches.refuse_other_than_json(asked.body, self.profile)
        )
        if live is None or refused is not None:
            raise RefusedError(refused or requestmetadata.refuse_missing(target))
        if patches.plain_media_type(asked.media_type) == patches.APPLY:
            raise NotImplementedError("server-side apply")
        return live

    def _patched(self, asked: Request, document: Resource) -> Patched:
        return patches.patch(
            document,
            asked.body,
            media_type=asked.media_type,
            field_validation=asked.field_validation,
            profile=self.profile,
        )

    def _managed(self, asked: Request, live: Resource | None, new: Resource, making: Making) -> Resource:
        """Return *new* with its managed fields. What admits objects comes after this, and before validation."""
        who = fieldmanager.named(asked.field_manager, asked.user_agent)
        return self.manager.update(live, new, Writer(who, making.now(), asked.subresource))
