"""Strategic merge patches of CustomResourceDefinitions: how the patch is read, and what comes of it."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.crds.decoded import custom_resource_definition, decode_crd
from pytest_crd.engine.errors.refusal import Refusal, bad_request
from pytest_crd.engine.golang import converting, decoding, jsonsyntax, printing, types
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import requestbody
from pytest_crd.engine.requests.patching import documents, strategicmerge
from pytest_crd.engine.requests.patching.documents import Document
from pytest_crd.engine.requests.patching.strategicmerge import StrategicError
from pytest_crd.engine.requests.requestbody import Body, FieldValidation, RefusedError
from pytest_crd.engine.text.unreadable import UnreadableError

_MAP: Final = types.Map(types.Raw("interface {}"))


def patched(
    live: JSONObject, body: Body, field_validation: FieldValidation, profile: Profile
) -> tuple[Decoded, tuple[str, ...]]:
    """
    Return the CRD that comes of a strategic merge patch, and what is to be said about unknown and repeated fields.

    Args:
        live: The stored CRD, as it is answered to a GET.
        body: The patch.
        field_validation: What unknown and repeated fields do.
        profile: Whose behaviour and words.

    Raises:
        RefusedError: The patch is none, or fails.
        NotImplementedError: A number is not as its type is, and a server makes another one of it.

    Reference:
        apiserver endpoints/handlers/patch.go, smpPatcher and strategicPatchObject.
    """
    sent = _read(body)
    patch: JSONObject = documents.plain(sent) or {}
    kind = custom_resource_definition("v1")
    try:
        merged = strategicmerge.merge(live, patch, kind, cleans=profile.json_patch.cleans_strategic_patches)
    except StrategicError as error:
        reason = {400: "BadRequest", 422: "Invalid"}.get(error.code, "")
        raise RefusedError(Refusal(error.code, reason, str(error))) from None
    written = strategicmerge.printed(patch)
    if problem := converting.problem(merged, kind):
        raise RefusedError(requestbody.bad_patch(written, problem))
    try:
        typed = {**merged, "apiVersion": live["apiVersion"], "kind": live["kind"]}
        manifest = decode_crd(typed, whole_paths=profile.names_fields_of_nested_schemas)
    except DecodeError as error:
        raise RefusedError(requestbody.bad_patch(written, str(error))) from None
    found = _problems(sent, manifest) if field_validation != "Ignore" and profile.field_validation else ()
    if found and field_validation == "Strict":
        raise RefusedError(requestbody.bad_patch(written, f"strict decoding error: {', '.join(found)}"))
    return manifest, found


def _read(body: Body) -> Document:
    """
    Return a patch, which is an object or null.

    Raises:
        RefusedError: It is neither.
    """
    if problem := jsonsyntax.problem(body.text) if body.text else "":
        raise RefusedError(bad_request(problem))
    try:
        sent = documents.read(body.text) if body.text else documents.as_sent(body.value)
        if sent is not None:
            decoding.decode(documents.plain(sent), _MAP, sort_keys=False)
    except (UnreadableError, DecodeError) as error:
        raise RefusedError(bad_request(str(error))) from None
    return sent


def _problems(sent: Document, manifest: Decoded) -> tuple[str, ...]:
    unknown = (f"unknown field {printing.quote(path)}" for path in manifest.unknown)
    return (*documents.duplicates(sent), *unknown)
