"""
Requests for CustomResourceDefinitions: create and update.

The order of the steps is written here; what is wrong with a CRD is found in `crds.validation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_crd.engine.crds import declared, defaulted, encoded, storeddefaults
from pytest_crd.engine.crds.crdforms import Forms, of_decoded
from pytest_crd.engine.crds.decoded import decode_crd
from pytest_crd.engine.crds.validation import wholecrd
from pytest_crd.engine.errors import refusal, response
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.errors.response import Changes, Response, Stored
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, systemmetadata, typemeta
from pytest_crd.engine.metadata.requestmetadata import Prepared, RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import crdowners, crdstrategic, requestbody, requestoptions
from pytest_crd.engine.requests.crdowners import Writing
from pytest_crd.engine.requests.patching import mediatypes, patchrequest
from pytest_crd.engine.requests.request import ALWAYS_ALIKE, Request
from pytest_crd.engine.requests.requestbody import Body, FieldValidation, RefusedError
from pytest_crd.engine.schema import subschemas
from pytest_crd.engine.schema.declaredschema import OpenAPISchema


def create(
    forms: Forms, profile: Profile, field_validation: str = "Warn", writing: Writing = crdowners.AS_ALWAYS
) -> Response:
    """
    Return the answer to a POST of a CRD.

    Args:
        forms: The CRD.
        profile: Whose behaviour and words.
        field_validation: What unknown and repeated fields do: `Strict`, `Warn` or `Ignore`.
        writing: Who writes it.

    Errors:
        Those of `wholecrd.create`.

    Reference:
        apiserver registry/rest/create.go; apiextensions-apiserver registry/customresourcedefinition/strategy.go.
    """
    manifest = forms.decoded
    if unread := _refuse_to_read(manifest, profile, field_validation):
        return unread
    answer = created(forms, profile, tuple(_found_in_text(manifest, profile, field_validation)))
    return crdowners.tracked(answer, forms.decoded.value, None, writing, profile)


def created(forms: Forms, profile: Profile, found: tuple[str, ...]) -> Response:
    """
    Return the answer to a new CRD that was read.

    Args:
        forms: The CRD.
        profile: Whose behaviour and words.
        found: What is to be said about its unknown and repeated fields.

    Errors:
        Those of `wholecrd.create`.
    """
    target = RequestTarget(declared.GROUP, declared.PLURAL, None)
    prepared = requestmetadata.prepare_create(forms.decoded.value.get("metadata") or {}, target)
    crd = forms.prepared(prepared.metadata, defaulted.created_status(forms.defaulted))
    errors = wholecrd.create(crd.internal, profile)
    before = _warnings(crd, prepared, profile, found)
    if errors:
        return _invalid(crd, errors, before)
    warnings = (*before, *wholecrd.warnings(crd.internal, profile))
    return _accepted(response.CREATED, crd, warnings, profile)


def update(
    forms: Forms,
    old: Forms,
    profile: Profile,
    field_validation: str = "Warn",
    writing: Writing = crdowners.AS_ALWAYS,
) -> Response:
    """
    Return the answer to a PUT of a CRD.

    Args:
        forms: The new CRD; without a resourceVersion it is taken for written over the stored one.
        old: The stored one; its name is that of the URL.
        profile: Whose behaviour and words.
        field_validation: What unknown and repeated fields do: `Strict`, `Warn` or `Ignore`.
        writing: Who writes it.

    Errors:
        Those of `wholecrd.update`.

    Reference:
        apiserver registry/rest/update.go; apiextensions-apiserver registry/customresourcedefinition/strategy.go.
    """
    if unread := _refuse_to_read(forms.decoded, profile, field_validation):
        return unread
    found = tuple(_found_in_text(forms.decoded, profile, field_validation))
    answer = replaced(forms, old, profile, found, subresource=writing.subresource)
    return crdowners.tracked(answer, forms.decoded.value, lambda: _live(old, profile), writing, profile)


def patch(  # noqa: PLR0913 - what a request says, and who answers
    old: Forms,
    body: Body,
    *,
    media_type: str,
    field_validation: FieldValidation,
    profile: Profile,
    writing: Writing = crdowners.AS_ALWAYS,
) -> Response:
    """
    Return the answer to a PATCH of a CRD.

    Args:
        old: The stored one.
        body: The patch.
        media_type: What kind of patch it is.
        field_validation: What unknown and repeated fields do, in the patch and in what comes of it.
        profile: Whose behaviour and words.
        writing: Who writes it.

    Errors:
        Those of `wholecrd.update`.

    Reference:
        apiserver endpoints/handlers/patch.go.
    """
    live = (
        _live(old, profile) if writing.subresource else as_stored(old, defaulted.created_status(old.defaulted), profile)
    )
    try:
        forms, problems = _patched(live, body, media_type, field_validation, profile)
    except RefusedError as refused:
        return response.refused(refused.refusal, subject={}, warnings=refused.warnings)
    answer = replaced(forms, old, profile, problems, made=live["metadata"], subresource=writing.subresource)
    return crdowners.tracked(answer, forms.decoded.value, lambda: _live(old, profile), writing, profile)


def _patched(
    live: Mapping[str, JSONValue], body: Body, media_type: str, field_validation: FieldValidation, profile: Profile
) -> tuple[Forms, tuple[str, ...]]:
    """
    Return the CRD that comes of a patch, and what is to be said about unknown and repeated fields.

    Raises:
        RefusedError: None does.
    """
    refused = (
        mediatypes.refuse_media_type(media_type, is_built_in=True)
        or refusal.too_large(body.value, body.text)
        or patchrequest.refuse_other_than_json(body, profile)
    )
    if refused is not None:
        raise RefusedError(refused)
    if mediatypes.is_apply("patch", media_type):
        unmanaged = requestoptions.refuse(Request("patch", body, media_type=media_type), profile)
        assert unmanaged is not None  # noqa: S101 - it is for the manager of an apply, which there is none of here
        raise RefusedError(unmanaged)
    if mediatypes.plain_media_type(media_type) == mediatypes.STRATEGIC_MERGE_PATCH:
        manifest, problems = crdstrategic.patched(live, body, field_validation, profile)
        return of_decoded(manifest, profile), problems
    patched = patchrequest.patch(live, body, media_type=media_type, field_validation=field_validation, profile=profile)
    value = patched.value
    if not isinstance(value, dict):
        problem = typemeta.problem_of_patched(value, profile, write=patched.write)
        raise RefusedError(requestbody.bad_patch(patched.write(), problem))
    typed = {**value, **{key: live[key] for key in ("apiVersion", "kind") if not value.get(key)}}
    if (typed["apiVersion"], typed["kind"]) != (live["apiVersion"], live["kind"]):
        problem = f"no kind {printing.quote(str(typed['kind']))} is registered for version {printing.quote(str(typed['apiVersion']))}"
        raise RefusedError(requestbody.bad_patch(patched.write(), problem))
    try:
        manifest = decode_crd(typed, whole_paths=profile.names_fields_of_nested_schemas)
    except DecodeError as error:
        raise RefusedError(requestbody.bad_patch(patched.write(), str(error))) from None
    found = _found_in_text(manifest._replace(duplicates=patched.duplicates), profile, field_validation)
    problems = (*patched.problems, *found)
    if problems and field_validation == "Strict":
        raise RefusedError(requestbody.bad_patch(patched.write(), f"strict decoding error: {', '.join(problems)}"))
    return of_decoded(manifest, profile), problems


def replaced(  # noqa: PLR0913 - what a request says, and who answers
    forms: Forms,
    old: Forms,
    profile: Profile,
    found: tuple[str, ...],
    *,
    made: Mapping[str, JSONValue] | None = None,
    subresource: str = "",
) -> Response:
    """
    Return the answer to a CRD that was read, and that replaces another.

    Args:
        forms: The CRD.
        old: The stored one.
        profile: Whose behaviour and words.
        found: What is to be said about its unknown and repeated fields.
        made: The metadata of the stored one, where it was patched.
        subresource: What of it is replaced, `status`; empty for the CRD itself.

    Errors:
        Those of `wholecrd.update`, of a status those of `wholecrd.update_status`.
    """
    manifest = forms.decoded
    old_metadata = old.decoded.value.get("metadata") or {}
    target = RequestTarget(declared.GROUP, declared.PLURAL, None, old_metadata.get("name", ""))
    stated = manifest.value.get("metadata") or {}
    metadata = {"resourceVersion": "1", **stated} if made is None else {**stated}
    refused = requestmetadata.refuse_update(metadata, target, profile)
    if made is not None and refused is None:
        unnamed = {key: value for key, value in metadata.items() if key != "uid"}
        refused = requestmetadata.refuse_stale(unnamed, made, target, profile)
    if refused is not None:
        subject = {"name": target.name, "group": declared.GROUP, "kind": declared.PLURAL}
        warnings = (
            *wholecrd.deprecations(profile, is_v1beta1=forms.internal.is_v1beta1),
            *found,
        )
        return response.refused(refused, subject=subject, warnings=warnings, changes=Changes(manifest.unknown))
    has_other_uid = made is not None and metadata.get("uid") not in (None, made["uid"])
    prepared = requestmetadata.prepare_update(metadata, old_metadata, target, is_patched=has_other_uid)
    if subresource:
        # Of what is sent its metadata are taken, too: a server means to reset them, and does not.
        crd = old.prepared(prepared.metadata, forms.defaulted["status"])._replace(decoded=manifest)
        errors = wholecrd.update_status(crd.internal, old.internal, profile)
    else:
        crd = forms.prepared(prepared.metadata, defaulted.updated_status(forms.defaulted, old.defaulted))
        errors = wholecrd.update(crd.internal, old.internal, profile)
    before = _warnings(crd, prepared, profile, found)
    if errors:
        return _invalid(crd, errors, before)
    about_spec = () if subresource else wholecrd.warnings(crd.internal, profile, old.internal)
    return _accepted(response.OK, crd, (*before, *about_spec), profile)


def _refuse_to_read(manifest: Decoded, profile: Profile, field_validation: str) -> Response | None:
    """Return the answer to a request whose CRD is not even looked at; else None."""
    if not _is_served(manifest, profile):
        return response.refused(refusal.NOT_SERVED, subject={})
    if refused := refusal.too_large(manifest.value) or _refuse_strictly(manifest, profile, field_validation):
        return response.refused(refused, subject={}, changes=Changes(manifest.unknown))
    return None


def _refuse_strictly(manifest: Decoded, profile: Profile, field_validation: str) -> Refusal | None:
    if field_validation != "Strict" or not _found_in_text(manifest, profile, field_validation):
        return None
    listed = ", ".join((*requestbody.worded_strictly(manifest.duplicates), *_unknown(manifest)))
    version = printing.quote(manifest.value["apiVersion"].rpartition("/")[2])
    cannot = f"{declared.KIND} in version {version} cannot be handled as a {declared.KIND}"
    return refusal.bad_request(f"{cannot}: strict decoding error: {listed}")


def _is_served(manifest: Decoded, profile: Profile) -> bool:
    return profile.serves_v1beta1 or manifest.value["apiVersion"] != declared.V1BETA1


def as_stored(crd: Forms, status: Mapping[str, JSONValue], profile: Profile) -> Mapping[str, JSONValue]:
    """
    Return a stored CRD as it is answered to a GET.

    Args:
        crd: The CRD.
        status: Its status.
        profile: Whose behaviour.
    """
    made = {**systemmetadata.of_created(uid=ALWAYS_ALIKE.uid(), now=ALWAYS_ALIKE.now()), "resourceVersion": "1"}
    metadata = {**made, **(crd.decoded.value.get("metadata") or {})}
    return encoded.encode(_as_stored(crd.prepared(metadata, status), profile))


def _live(old: Forms, profile: Profile) -> Mapping[str, JSONValue]:
    """Return a stored CRD as it is, also where nobody has said its status."""
    return as_stored(old, defaulted.updated_status(old.defaulted, old.defaulted), profile)


def _accepted(code: int, crd: Forms, warnings: tuple[str, ...], profile: Profile) -> Response:
    kept = Stored(lambda: encoded.encode(_as_stored(crd, profile)))
    return Response(code, kept, warnings=response.sent(warnings), changes=Changes(crd.decoded.unknown))


def _as_stored(crd: Forms, profile: Profile) -> Mapping[str, JSONValue]:
    """Return an accepted CRD with its schemas as the server stores them."""
    given = crd.defaulted["spec"]
    versions = [_stored_in(version, "schema", crd, profile) for version in given.get("versions") or ()]
    return {**crd.defaulted, "spec": _stored_in({**given, "versions": versions}, "validation", crd, profile)}


def _stored_in(holder: Mapping[str, JSONValue], field: str, crd: Forms, profile: Profile) -> Mapping[str, JSONValue]:
    schema = (holder.get(field) or {}).get("openAPIV3Schema")
    if schema is None:
        return holder
    declared = crd.internal.schema_in(holder[field]) or OpenAPISchema(schema, profile)
    stored = storeddefaults.coerce(declared) if declared.has_defaults else schema
    if any(node.get("items") == [] for node in declared.nodes):
        # Go writes an empty list of schemas as the schema that is not there, a null.
        stored = subschemas.without(stored, lambda keyword, value: keyword == "items" and value == [])
    return holder if stored is schema else {**holder, field: {**holder[field], "openAPIV3Schema": stored}}


def _found_in_text(manifest: Decoded, profile: Profile, field_validation: str) -> list[str]:
    """Return what is said about repeated and unknown fields."""
    if field_validation == "Ignore" or not profile.field_validation:
        return []
    return [*manifest.duplicates, *_unknown(manifest)]


def _unknown(manifest: Decoded) -> list[str]:
    return [f"unknown field {printing.quote(path)}" for path in manifest.unknown]


def _warnings(crd: Forms, prepared: Prepared, profile: Profile, found: Iterable[str]) -> tuple[str, ...]:
    """Return the warnings that are given whether the CRD is accepted or not."""
    deprecations = wholecrd.deprecations(profile, is_v1beta1=crd.internal.is_v1beta1)
    return (*deprecations, *found, *prepared.warnings)


def _invalid(crd: Forms, errors: list[FieldError], warnings: tuple[str, ...]) -> Response:
    name = crd.internal.metadata.get("name", "")
    changes = Changes(crd.decoded.unknown)
    return response.invalid(declared.GROUP, declared.KIND, name, errors, warnings=warnings, changes=changes)
