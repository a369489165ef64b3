"""Decoding of the bodies of requests for CustomResourceDefinitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.crds import crdforms, declared
from pytest_crd.engine.crds.crdforms import Forms
from pytest_crd.engine.crds.decoded import custom_resource_definition, decode_crd
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import decoding, printing
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.golang.gotypes import Struct
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import metav1types, schemes, typemeta
from pytest_crd.engine.metadata.typemeta import TypeMetaError
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import requestbody, requestoptions
from pytest_crd.engine.registry.fieldmanager.writers import Applied
from pytest_crd.engine.registry.request import Request
from pytest_crd.engine.registry.requestbody import DecodedBody, FieldValidation, Patched, RefusedError
from pytest_crd.engine.registry.response import Changes, Stored
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.crds import storedcrd
    from pytest_crd.engine.golang import converting
    from pytest_crd.engine.registry.patching import documents, patchrequest, strategicerrors, strategicmerge
else:
    patchrequest = lazyimport.module("pytest_crd.engine.registry.patching.patchrequest")
    strategicmerge = lazyimport.module("pytest_crd.engine.registry.patching.strategicmerge")
    strategicerrors = lazyimport.module("pytest_crd.engine.registry.patching.strategicerrors")
    documents = lazyimport.module("pytest_crd.engine.registry.patching.documents")
    storedcrd = lazyimport.module("pytest_crd.engine.crds.storedcrd")
    converting = lazyimport.module("pytest_crd.engine.golang.converting")

# A CRD without apiVersion is decoded as the internal type: only the fields of its metadata have names in JSON.
_INTERNAL: Final = Struct(
    "apiextensions.CustomResourceDefinition",
    {**metav1types.TYPE_META, **metav1types.OBJECT_META.fields},
    inlined=dict.fromkeys(metav1types.OBJECT_META.fields, "ObjectMeta"),
)


class DecodedCrd(NamedTuple):
    """
    A decoded CRD.

    Attributes:
        forms: Its forms.
        whole: The CRD in the form that field managers compare.
    """

    forms: Forms
    whole: Stored

    def encoded(self) -> JSONObject:
        """Return the CRD in the form that field managers compare."""
        whole: JSONObject = self.whole.value
        return whole


class CrdDecoder(NamedTuple):
    """
    Decoder of CRDs.

    Attributes:
        profile: The Kubernetes version.
        sent_forms: The forms of the body of a create or an update, if it was decoded before; else None.
        is_built_in: True: CRDs have a Go type.
    """

    profile: Profile
    sent_forms: Forms | None = None
    is_built_in: bool = True

    def decode_body(self, request: Request) -> DecodedBody:
        """
        Decode the body of a create or an update.

        Raises:
            RefusedError: The body is not a CRD, is too large, or has unknown or repeated fields under strict validation.

        Reference:
            apiserver endpoints/handlers/create.go, transformDecodeError.
        """
        forms = self.sent_forms or self._decode(request)
        manifest = forms.decoded
        if refused := refusal.too_large(manifest.value):
            raise RefusedError(refused, DecodedBody(manifest.value, Changes(manifest.unknown), ()))
        problems = self._problems(manifest, request.field_validation)
        if problems and request.field_validation == "Strict":
            listed = ", ".join((*requestbody.strict_messages(manifest.duplicates), *_unknown(manifest)))
            refused = refusal.bad_request(f"{_cannot(manifest.value)}: strict decoding error: {listed}")
            raise RefusedError(refused, DecodedBody(manifest.value, Changes(manifest.unknown), ()))
        metadata = request.body.value.get("metadata") if self.sent_forms else None
        value = manifest.value if metadata is None else {**manifest.value, "metadata": metadata}
        return self._body(forms, value, problems, request.body.value)

    def _decode(self, request: Request) -> Forms:
        value = request.body.value
        try:
            manifest = decode_crd(value, whole_paths=self.profile.names_fields_of_nested_schemas)
        except DecodeError as error:
            raise RefusedError(refusal.bad_request(f"{_cannot(value)}: {error}")) from None
        return crdforms.build(manifest._replace(duplicates=request.body.duplicates), self.profile)

    def decode_patch(self, request: Request, live: JSONObject) -> DecodedBody:
        """
        Decode the result of a patch.

        Raises:
            RefusedError: The body is not a patch, cannot be applied, or its result is not a CRD.

        Reference:
            apiserver endpoints/handlers/patch.go, jsonPatcher, smpPatcher and strategicPatchObject.
        """
        if requestoptions.plain_media_type(request.media_type) == requestoptions.STRATEGIC_MERGE_PATCH:
            return self._merged(request, live)
        version = live["apiVersion"].rpartition("/")[2]
        patched = patchrequest.patch(live, request, self.profile, custom_resource_definition(version))
        value, has_version = patched.value, self._has_version(patched, live)
        try:
            internal = None if has_version else decoding.decode(value, _INTERNAL)
            named = value if internal is None else {"metadata": internal.value}
            typed = {**named, "apiVersion": live["apiVersion"], "kind": live["kind"]}
            manifest = decode_crd(typed, whole_paths=self.profile.names_fields_of_nested_schemas)
        except DecodeError as error:
            raise RefusedError(requestbody.bad_patch(patched.write(), str(error))) from None
        unknown = manifest.unknown if internal is None else internal.unknown
        manifest = manifest._replace(duplicates=patched.duplicates, unknown=unknown)
        problems = (*patched.problems, *self._problems(manifest, request.field_validation))
        if problems and request.field_validation == "Strict":
            problem = f"strict decoding error: {', '.join(problems)}"
            raise RefusedError(requestbody.bad_patch(patched.write(), problem))
        return self._body(crdforms.build(manifest, self.profile), manifest.value, problems, value)

    def _has_version(self, patched: Patched, live: JSONObject) -> bool:
        """
        Return whether the result of a patch has the apiVersion of *live*; False if it has none.

        Raises:
            RefusedError: Its apiVersion or kind is another one.
        """
        if typemeta.has_type_meta(patched.value, {key: live[key] for key in metav1types.TYPE_META}):
            return True
        text = patched.write()
        try:
            api_version, kind = typemeta.read_type_meta(patched.value, text=text)
        except TypeMetaError as error:
            raise RefusedError(requestbody.bad_patch(text, str(error))) from None
        if api_version not in ("", live["apiVersion"]) or kind not in ("", live["kind"]):
            problem = schemes.unregistered(kind or live["kind"], api_version, self.profile, group=declared.GROUP)
            raise RefusedError(requestbody.bad_patch(text, problem))
        return bool(api_version)

    def _merged(self, request: Request, live: JSONObject) -> DecodedBody:
        """Decode the result of a strategic merge patch."""
        sent = patchrequest.strategic(request.body)
        patch: dict[str, JSONValue] = documents.plain(sent) or {}
        kind = custom_resource_definition("v1")
        try:
            cleans = self.profile.json_patch.cleans_strategic_patches
            merged = strategicmerge.merge(live, patch, kind, cleans=cleans)
        except strategicerrors.StrategicError as error:
            raise RefusedError(error.refusal) from None
        written = strategicerrors.printed(patch)
        try:
            typed = {**converting.convert(merged, kind), "apiVersion": live["apiVersion"], "kind": live["kind"]}
            manifest = decode_crd(typed, whole_paths=self.profile.names_fields_of_nested_schemas)
        except (converting.MistypedError, DecodeError) as error:
            raise RefusedError(requestbody.bad_patch(written, str(error))) from None
        problems = self._problems(manifest._replace(duplicates=documents.duplicates(sent)), request.field_validation)
        if problems and request.field_validation == "Strict":
            raise RefusedError(requestbody.bad_patch(written, f"strict decoding error: {', '.join(problems)}"))
        return self._body(crdforms.build(manifest, self.profile), manifest.value, problems, merged)

    def decode_apply(self, new: Applied, _request: Request, /, warnings: tuple[str, ...]) -> DecodedBody:
        """
        Decode the result of an apply.

        Raises:
            RefusedError: The result is not a CRD.

        Reference:
            apimachinery managedfields/internal/structuredmerge.go, structuredMergeManager.Apply.
        """
        resource = new.resource
        try:
            manifest = converting.convert(resource, custom_resource_definition("v1"))
            decoded = decode_crd(manifest, whole_paths=self.profile.names_fields_of_nested_schemas)
        except (converting.MistypedError, DecodeError) as error:
            raise self._unconverted(resource, str(error)) from None
        metadata = decoded.value["metadata"]
        if entries := resource["metadata"].get("managedFields"):
            metadata = {**metadata, "managedFields": entries}
        forms = crdforms.build(decoded, self.profile)
        return self._body(forms, {**decoded.value, "metadata": metadata}, warnings, resource)

    def decode_mutated(self, resource: JSONObject, decoded: DecodedBody, _request: Request) -> DecodedBody:
        """
        Decode the CRD that admission plugins return.

        Raises:
            RefusedError: It is not a CRD.
        """
        try:
            manifest = decode_crd(resource, whole_paths=self.profile.names_fields_of_nested_schemas)
        except DecodeError as error:
            raise RefusedError(refusal.internal_error(str(error)), decoded) from None
        forms = crdforms.build(manifest, self.profile)
        return self._body(forms, manifest.value, decoded.warnings, decoded.sent)

    def _unconverted(self, resource: JSONObject, problem: str) -> RefusedError:
        kind = f"{declared.V1}, Kind={declared.KIND}"
        named = f" (/{resource['metadata'].get('name', '')}; {kind})" if self.profile.apply.names_objects else ""
        cannot = (
            f"failed to convert new object{named} to proper version: unable to convert unstructured object to {kind}"
        )
        return RefusedError(Refusal(500, "", f"{cannot}: {problem}"))

    def _problems(self, manifest: Decoded, field_validation: FieldValidation) -> tuple[str, ...]:
        """Return the warnings about repeated and unknown fields."""
        if field_validation == "Ignore" or not self.profile.field_validation:
            return ()
        return (*manifest.duplicates, *_unknown(manifest))

    def _body(self, forms: Forms, resource: JSONObject, problems: tuple[str, ...], sent: JSONValue) -> DecodedBody:
        changes = Changes(forms.decoded.unknown)
        whole = Stored(lambda: storedcrd.encode(forms, self.profile))
        return DecodedBody(dict(resource), changes, problems, sent=sent, typed=DecodedCrd(forms, whole))


def _unknown(manifest: Decoded) -> tuple[str, ...]:
    return tuple(f"unknown field {printing.quote(path)}" for path in manifest.unknown)


def _cannot(value: JSONObject) -> str:
    version = printing.quote(value["apiVersion"].rpartition("/")[2])
    return f"{declared.KIND} in version {version} cannot be handled as a {declared.KIND}"
