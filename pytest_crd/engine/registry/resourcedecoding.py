"""
Decoding of custom resources: pruned and defaulted, or refused.

The metadata is interpreted, and values are validated, afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, typemeta
from pytest_crd.engine.metadata.typemeta import GroupVersionKind
from pytest_crd.engine.passes import versionpasses
from pytest_crd.engine.passes.versionpasses import Passes, Pruned
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import requestbody
from pytest_crd.engine.registry.fieldmanager.writers import Applied
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import Body, DecodedBody, FieldValidation, RefusedError
from pytest_crd.engine.registry.response import Changes
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.errors import refusal
    from pytest_crd.engine.errors.refusal import Refusal
    from pytest_crd.engine.registry import malformedmetadata
    from pytest_crd.engine.registry.patching import patchrequest
else:
    patchrequest = lazyimport.module("pytest_crd.engine.registry.patching.patchrequest")
    malformedmetadata = lazyimport.module("pytest_crd.engine.registry.malformedmetadata")
    refusal = lazyimport.module("pytest_crd.engine.errors.refusal")


class ResourceDecoder(NamedTuple):
    """
    Decoder of custom resources in requests to one version.

    Attributes:
        of_url: The group, version and kind of the URL.
        passes: The passes of all versions of the CRD, by name.
        profile: The reproduced Kubernetes version.
        is_built_in: False.
    """

    of_url: GroupVersionKind
    passes: Mapping[str, Passes]
    profile: Profile
    is_built_in: bool = False

    def decode_body(self, request: Request) -> DecodedBody:
        """
        Decode the body of a create or an update.

        It is checked in this order: size, types, unknown and duplicate fields, metadata, nulls, defaults, API version.

        Raises:
            RefusedError: The body is refused.

        Reference:
            apiextensions-apiserver customresource_handler.go, schemaCoercingDecoder and unstructuredDefaulter; apiserver endpoints/handlers/create.go.
        """
        body, field_validation = request.body, request.field_validation
        if (refused := self._refuse_unreadable(body, field_validation)) is not None:
            raise RefusedError(refused)
        value: Resource = body.value
        passes = self._passes_for(value)
        try:
            pruned = passes.prune(value)
        except DecodeError as error:
            raise RefusedError(self._refuse_kind(value, self.of_url.kind, str(error))) from None
        problems = self._problems(body.duplicates, pruned, field_validation)
        if field_validation == "Strict" and problems:
            unknown = _unknown(pruned)
            listed = ", ".join((*requestbody.strict_messages(body.duplicates), *unknown))
            refused = typemeta.refuse_without_version(value)
            # The server uses the body's own kind here.
            strict = refused or self._refuse_kind(value, value["kind"], f"strict decoding error: {listed}")
            raise RefusedError(strict, pruned=pruned.value if unknown and refused is None else None)
        defaulted = passes.default(pruned.value)
        changes = Changes(pruned.dropped, defaulted.put_in, defaulted.dropped)
        is_text = bool(body.text) and body.has_floats
        decoded = DecodedBody(defaulted.value, changes, problems, is_text=is_text, sent=value)
        if (refused := typemeta.refuse_version(value, self.of_url, self.profile)) is not None:
            raise RefusedError(refused, decoded)
        return decoded

    def _refuse_unreadable(self, body: Body, field_validation: FieldValidation) -> Refusal | None:
        """Return the refusal of a body that is too large, or no object of a kind; None if it is one."""
        return (
            refusal.too_large(body.value, body.text)
            or typemeta.refuse_other_than_object(body.value, self.of_url, body=body.text)
            or typemeta.refuse_undecodable(
                body.value,
                self.of_url,
                self.profile,
                body=body.text,
                is_yaml=body.is_yaml,
                lenient=field_validation == "Ignore" and self.profile.field_validation,
            )
        )

    def _refuse_kind(self, value: Resource, kind: str, problem: str) -> Refusal:
        """Return the refusal of a body that cannot be handled as an object of a kind."""
        assumed = self.of_url.version if self.profile.defaults_type_from_url else ""
        version = printing.quote(typemeta.version_called(value.get("apiVersion") or "", assumed))
        return refusal.bad_request(f"{value['kind']} in version {version} cannot be handled as a {kind}: {problem}")

    def decode_patch(self, request: Request, live: Resource) -> DecodedBody:
        """
        Decode the result of a patch, as `decode_body` does but without a check of its API version.

        Args:
            request: The request.
            live: The patched object, as it was read; unchanged metadata is not coerced again.

        Raises:
            RefusedError: The patch or its result is refused.

        Reference:
            apiserver endpoints/handlers/patch.go, jsonPatcher.applyPatchToCurrentObject.
        """
        patched = patchrequest.patch(live, request, self.profile)
        if problem := typemeta.problem_of_patched(patched.value, self.profile, write=patched.write):
            raise RefusedError(requestbody.bad_patch(patched.write(), problem))
        passes = self._passes_for(patched.value)
        try:
            pruned = passes.prune(patched.value, coerced=live.get("metadata"))
        except DecodeError as error:
            raise RefusedError(requestbody.bad_patch(patched.write(), str(error))) from None
        problems = (*patched.problems, *self._problems(patched.duplicates, pruned, request.field_validation))
        if request.field_validation == "Strict" and problems:
            words = f"strict decoding error: {', '.join(problems)}"
            raise RefusedError(requestbody.bad_patch(patched.write(), words))
        defaulted = passes.default(pruned.value)
        changes = Changes(pruned.dropped, defaulted.put_in, defaulted.dropped)
        return DecodedBody(defaulted.value, changes, problems, is_text=patched.is_text, sent=patched.value)

    def decode_apply(self, new: Applied, _request: Request, /, warnings: tuple[str, ...]) -> DecodedBody:
        """Decode the result of an apply; fill in defaults if anything was merged."""
        defaulted = self.passes[self.of_url.version].fill_in(new.resource) if new.is_merged else None
        changes = Changes() if defaulted is None else Changes(defaulted=defaulted.put_in)
        resource = dict(new.resource if defaulted is None else defaulted.value)
        resource["metadata"] = requestmetadata.with_texts(resource.get("metadata") or {})
        return DecodedBody(resource, changes, warnings, sent=new.resource, is_raw=True)

    def decode_mutated(self, resource: Resource, decoded: DecodedBody, request: Request) -> DecodedBody:
        """Return a decoded body with the *resource* of admission plugins, which is pruned when it is stored."""
        sent = resource.get("metadata")
        malformed = malformedmetadata.find(sent, self.profile)
        read_metadata = sent if malformed is None else malformed.read
        metadata = malformedmetadata.read(read_metadata, is_status=request.subresource == "status")
        read = {**resource, "metadata": metadata} if "metadata" in resource else dict(resource)
        return decoded._replace(resource=read, is_raw=True, malformed=malformed)

    def _problems(
        self, duplicates: tuple[str, ...], pruned: Pruned, field_validation: FieldValidation
    ) -> tuple[str, ...]:
        if field_validation == "Ignore" or not self.profile.field_validation:
            return ()
        return (*duplicates, *_unknown(pruned))

    def _passes_for(self, resource: Mapping[str, JSONValue]) -> Passes:
        """Return the passes for the version of a resource; those for another kind prune nothing."""
        group, _, version = (resource.get("apiVersion") or "").rpartition("/")
        if group != self.of_url.group or resource["kind"] != self.of_url.kind:
            return versionpasses.Passes(None, self.profile, preserve_unknown_fields=True)
        return self.passes.get(version) or versionpasses.Passes(None, self.profile, preserve_unknown_fields=False)


def _unknown(pruned: Pruned) -> tuple[str, ...]:
    return tuple(f'unknown field "{path}"' for path in pruned.dropped)
