"""Server-side applies of CustomResourceDefinitions: what is merged, who owns what then, and the answer."""

from __future__ import annotations

from dataclasses import replace

from pytest_crd.engine.apply import definitionfieldmanager
from pytest_crd.engine.apply.writers import ApplyRefusedError, Writer
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.crdforms import Forms, of_decoded
from pytest_crd.engine.crds.decoded import custom_resource_definition, decode_crd
from pytest_crd.engine.errors import refusal, response
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.errors.response import Response, Stored
from pytest_crd.engine.golang import converting
from pytest_crd.engine.golang.converting import MistypedError
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import requestmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import applying, crdowners, crdrequest, requestoptions
from pytest_crd.engine.requests.request import ALWAYS_ALIKE, Making, Request
from pytest_crd.engine.requests.requestbody import RefusedError


def apply(old: Forms | None, asked: Request, profile: Profile, making: Making = ALWAYS_ALIKE) -> Response:
    """
    Return the answer to a server-side apply of a CRD.

    Args:
        old: The stored CRD, with its managed fields where somebody tracks them; None where nothing is stored.
        asked: The apply.
        profile: Whose behaviour and words.
        making: What is made up.

    Errors:
        Those of `wholecrd.create` where nothing is stored, else those of `wholecrd.update`.

    Raises:
        NotImplementedError: The CRD, or what is known of its owners, is of `v1beta1`.

    Reference:
        apiserver endpoints/handlers/patch.go, applyPatcher.
    """
    live = None if old is None else _live(old, profile)
    name = asked.name if live is None else live["metadata"].get("name", "")
    target = RequestTarget(declared.GROUP, declared.PLURAL, None, name)
    try:
        resource, warnings = _merged(live, asked, profile, making)
        forms = _forms(resource, profile)
        if live is None:
            _demand_new(resource["metadata"], target, profile)
    except RefusedError as refused:
        subject = {"name": target.name, "group": target.group, "kind": target.plural}
        answer = response.refused(refused.refusal, subject=subject, warnings=refused.warnings)
        return replace(answer, conflicts=refused.conflicts)
    if old is None or live is None:
        answer = crdrequest.created(forms, profile, warnings)
    else:
        answer = crdrequest.replaced(
            forms, old, profile, warnings, made=live["metadata"], subresource=asked.subresource
        )
    entries = Stored.of(resource["metadata"].get("managedFields") or [])
    return crdowners.kept(answer, entries, live, making) if answer.accepted else answer


def _live(old: Forms, profile: Profile) -> JSONObject:
    live = crdrequest.as_stored(old, old.defaulted["status"], profile)
    if crdowners.api_versions(live) != {declared.V1}:
        raise NotImplementedError(f"a server-side apply to a CRD of v1beta1: {crdowners.NOT_FOLLOWED}")
    return live


def _merged(
    live: JSONObject | None, asked: Request, profile: Profile, making: Making
) -> tuple[JSONObject, tuple[str, ...]]:
    """
    Return the CRD that comes of an apply, with its managed fields, and what is to be warned of.

    Raises:
        RefusedError: The apply is refused before anything else is looked at.
    """
    why = requestoptions.refuse(asked, profile) or refusal.too_large(asked.body.value, asked.body.text)
    if why is not None:
        raise RefusedError(why)
    applied = applying.read(asked.body, profile)
    writer = Writer(asked.field_manager, making.now(), asked.subresource, is_forced=bool(asked.force))
    try:
        resource = definitionfieldmanager.of_definitions(profile).apply(live, applied, writer).resource
    except ApplyRefusedError as error:
        raise RefusedError(error.refusal, conflicts=error.conflicts) from None
    return resource, applying.problems(asked.body, asked.field_validation, profile)


def _forms(resource: JSONObject, profile: Profile) -> Forms:
    """
    Return the forms of what comes of an apply.

    Raises:
        RefusedError: It is none that a server could hold.
    """
    try:
        manifest = converting.converted(resource, custom_resource_definition("v1"))
        return of_decoded(decode_crd(manifest, whole_paths=profile.names_fields_of_nested_schemas), profile)
    except (MistypedError, DecodeError) as error:
        raise _unconverted(resource, str(error), profile) from None


def _unconverted(resource: JSONObject, problem: str, profile: Profile) -> RefusedError:
    kind = f"{declared.V1}, Kind={declared.KIND}"
    named = f" (/{resource['metadata'].get('name', '')}; {kind})" if profile.apply.names_objects else ""
    cannot = f"failed to convert new object{named} to proper version: unable to convert unstructured object to {kind}"
    return RefusedError(Refusal(500, "", f"{cannot}: {problem}"))


def _demand_new(metadata: JSONObject, target: RequestTarget, profile: Profile) -> None:
    """
    Pass when what is applied can be created.

    Raises:
        RefusedError: It is for another object, or for one that is there.
    """
    uid = metadata.get("uid")
    why = applying.refuse_uid(uid, target) if uid else requestmetadata.refuse_update(metadata, target, profile)
    if why is not None:
        raise RefusedError(why)
