"""Requests to `/scale`: the stored object with the replicas of a Scale, and its managed fields."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.errors import refusal
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.registry import admitting, applying, requestoptions, scale
from pytest_crd.engine.registry.desiredobject import Read, RequestReader, apply_or_refuse, make_writer
from pytest_crd.engine.registry.patching import documents, patchrequest
from pytest_crd.engine.registry.patching.documents import SentObject
from pytest_crd.engine.registry.request import GeneratedValues, Request
from pytest_crd.engine.registry.requestbody import DecodedBody, RefusedError
from pytest_crd.engine.registry.response import Changes
from pytest_crd.engine.registry.scale import DecodedScale

# The fields of an entry of managed fields, in the order of its Go type.
_ENTRY: Final = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")


class ScaleReader(RequestReader):
    """Reader of the requests to `/scale` of one version."""

    __slots__ = ()

    def read(self, request: Request, live: Resource | None, target: RequestTarget, generated: GeneratedValues) -> Read:
        """
        Return the object that a request wants to store.

        Raises:
            RefusedError: The request is refused.
        """
        if not self.subresources.has("scale"):
            raise RefusedError(requestmetadata.refuse_missing(target))
        if requestoptions.is_apply(request.verb, request.media_type):
            return self.read_applied(request, live, target, generated)
        return self._read_replicas(request, live, target, generated)

    def read_applied(
        self, request: Request, live: Resource | None, target: RequestTarget, generated: GeneratedValues
    ) -> Read:
        """
        Return the object that results from an apply to its Scale; for a custom resource only the managed fields change.

        Raises:
            RefusedError: The request is refused.
        """
        applied = self.demand_applicable(request, live, target)
        assert live is not None  # noqa: S101 - missing objects were refused
        if not self.profile.apply.scales_have_owners:
            raise RefusedError(refusal.internal_error("the server panics over an apply to the scale"))
        new = apply_or_refuse(lambda: self.owners.of_scale.apply(live, applied, make_writer(request, generated)))
        admitted, changes = self._admitted_scale(scale.decode_applied(new.resource), live)
        problems = (*applying.problems(request.body, request.field_validation, self.profile), *admitted.problems)
        resource = self._with_scale(live, admitted, target) if self.decoder.is_built_in else dict(live)
        body = DecodedBody(resource, changes, problems, sent=resource)
        prepared = requestmetadata.prepare_update(resource["metadata"], live["metadata"], target)
        owned = functools.partial(self.owners.of_scale.owned, live, admitted.encoded, resource["metadata"])
        return Read(body, prepared, functools.cache(owned))

    def _read_replicas(
        self, request: Request, live: Resource | None, target: RequestTarget, generated: GeneratedValues
    ) -> Read:
        """
        Return the stored object with the replicas of the Scale in a PUT or PATCH.

        Raises:
            RefusedError: The request is refused.

        Reference:
            apiextensions-apiserver registry/customresource/etcd.go, ScaleREST.Update.
        """
        uid = None
        if request.verb == "patch":
            live = self.demand_patchable(request, live, target)
            of_scale = patchrequest.patch(
                scale.of_resource(live, self.subresources, marks_unset=True), request, self.profile
            )
            decoded = scale.decode_patched(of_scale, request.field_validation, self.profile)
        else:
            decoded = scale.decode(request.body, request.field_validation, self.profile)
            uid = decoded.metadata.get("uid")
        if (why := requestmetadata.refuse_update(decoded.metadata, target, self.profile)) is not None:
            raise RefusedError(why, warnings=decoded.problems)
        if live is None:
            raise RefusedError(requestmetadata.refuse_missing(target), warnings=decoded.problems)
        sent_scale = {key: value for key, value in decoded.encoded.items() if key != "status"}
        writer = make_writer(request, generated)
        has_owners = self.profile.apply.scales_have_owners
        tracked = functools.cache(functools.partial(self.owners.of_scale.tracked, live, sent_scale, writer))
        if self.admit is not None and has_owners:
            decoded = decoded._replace(metadata=_with_entries(decoded.metadata, tracked()))
        decoded, changes = self._admitted_scale(decoded, live)
        scale.of_resource(live, self.subresources)  # raises if the stored object has no valid scale
        if self.decoder.is_built_in:
            scale.demand_valid(decoded, target, live["metadata"].get("uid") if request.verb == "patch" else None)
        resource = scale.with_replicas(live, decoded, self.subresources)
        sent = {**resource["metadata"], "uid": uid}
        if (why := requestmetadata.refuse_stale(sent, live["metadata"], target, self.profile)) is not None:
            raise RefusedError(why, warnings=decoded.problems)
        body = DecodedBody(resource, changes, decoded.problems, sent=resource)
        prepared = requestmetadata.prepare_update(resource["metadata"], live["metadata"], target)
        if not has_owners:
            return Read(body, prepared, lambda: live["metadata"])

        def managed() -> Resource:
            now = tracked() if self.admit is None else decoded.encoded
            return self.owners.of_scale.owned(live, now, resource["metadata"])

        return Read(body, prepared, functools.cache(managed))

    def _admitted_scale(self, decoded: DecodedScale, live: Resource) -> tuple[DecodedScale, Changes]:
        """
        Return a Scale after the mutating plugins, and their changes of it.

        Raises:
            RefusedError: A plugin refuses the request.
        """
        if self.admit is None:
            return decoded, Changes()
        old = scale.of_resource(live, self.subresources, marks_unset=not self.decoder.is_built_in)
        tracked = self.owners.of_scale.of_live(live) if self.profile.apply.scales_have_owners else {}
        old["metadata"] = _with_entries(old["metadata"], tracked)
        sent = decoded.encoded
        admitted = self.admit(sent, old)
        new = admitted.object or {}
        changes = Changes(mutated=admitting.find_changes(sent, new))
        return scale.decode_admitted(documents.plain(new), (*decoded.problems, *admitted.warnings)), changes

    def _with_scale(self, live: Resource, decoded: DecodedScale, target: RequestTarget) -> dict[str, JSONValue]:
        """
        Return an object of a built-in kind with the replicas of an applied Scale.

        Raises:
            RefusedError: The Scale is invalid, or has another name, uid or resourceVersion.
        """
        scale.demand_valid(decoded, target, live["metadata"].get("uid"))
        resource = scale.with_replicas(live, decoded, self.subresources)
        refused = requestmetadata.refuse_update(decoded.metadata, target, self.profile) or requestmetadata.refuse_stale(
            {**resource["metadata"], "uid": None}, live["metadata"], target, self.profile
        )
        if refused is not None:
            raise RefusedError(refused)
        return resource


def _with_entries(metadata: Mapping[str, JSONValue], tracked: Resource) -> dict[str, JSONValue]:
    """Return the metadata of a Scale with the managed fields of another form of it."""
    fields = [(key, value) for key, value in metadata.items() if key != "managedFields"]
    entries = [
        SentObject([(key, entry[key]) for key in _ENTRY if key in entry])
        for entry in (tracked.get("metadata") or {}).get("managedFields") or ()
    ]
    return SentObject([*fields, ("managedFields", entries)] if entries else fields)
