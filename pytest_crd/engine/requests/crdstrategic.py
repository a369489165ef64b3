"""Strategic merge patches of CustomResourceDefinitions: how the patch is read, and what comes of it."""

from __future__ import annotations

from pytest_crd.engine.crds.decoded import custom_resource_definition, decode_crd
from pytest_crd.engine.golang import converting, printing
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.golang.decoding import Decoded, DecodeError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import requestbody
from pytest_crd.engine.requests.patching import patchdocuments, patchrequest, strategicmerge
from pytest_crd.engine.requests.patching.patchdocuments import Document
from pytest_crd.engine.requests.patching.strategicmerge import StrategicError
from pytest_crd.engine.requests.requestbody import Body, FieldValidation, RefusedError


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

    Reference:
        apiserver endpoints/handlers/patch.go, smpPatcher and strategicPatchObject.
    """
    sent = patchrequest.strategic(body)
    patch: dict[str, JSONValue] = patchdocuments.plain(sent) or {}
    kind = custom_resource_definition("v1")
    try:
        merged = strategicmerge.merge(live, patch, kind, cleans=profile.json_patch.cleans_strategic_patches)
    except StrategicError as error:
        raise RefusedError(error.refusal) from None
    written = strategicmerge.printed(patch)
    try:
        typed = {**converting.converted(merged, kind), "apiVersion": live["apiVersion"], "kind": live["kind"]}
        manifest = decode_crd(typed, whole_paths=profile.names_fields_of_nested_schemas)
    except (MistypedError, DecodeError) as error:
        raise RefusedError(requestbody.bad_patch(written, str(error))) from None
    found = _problems(sent, manifest) if field_validation != "Ignore" and profile.field_validation else ()
    if found and field_validation == "Strict":
        raise RefusedError(requestbody.bad_patch(written, f"strict decoding error: {', '.join(found)}"))
    return manifest, found


def _problems(sent: Document, manifest: Decoded) -> tuple[str, ...]:
    unknown = (f"unknown field {printing.quote(path)}" for path in manifest.unknown)
    return (*patchdocuments.duplicates(sent), *unknown)
