"""Who owns the fields of CustomResourceDefinitions, and what else a server makes of one that it stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, NoReturn

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.response import Response, Stored
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import request
from pytest_crd.engine.requests.request import ALWAYS_ALIKE, USER_AGENT, Making, Subresource


class Writing(NamedTuple):
    """
    Who writes a CRD, and what is made up then.

    Attributes:
        field_manager: Who manages the fields that are written; empty where the request does not say.
        user_agent: What the client calls itself, who manages them then.
        making: What is made up.
        subresource: What is written of it, `status`; empty for the CRD itself.
    """

    field_manager: str = ""
    user_agent: str = USER_AGENT
    making: Making = ALWAYS_ALIKE
    subresource: Subresource = ""


AS_ALWAYS: Final = Writing()
# Why nothing is known of owners that wrote in it; 1.21 is the last that has it.
NOT_FOLLOWED: Final = (
    "owners are followed in apiextensions.k8s.io/v1 alone; write the CRD in v1, which each Kubernetes since 1.16 takes"
)


def tracked(
    answer: Response, written: JSONObject, live: Callable[[], JSONObject] | None, writing: Writing, profile: Profile
) -> Response:
    """
    Return the answer to a create, an update or a patch with what is stored, and who owns its fields.

    Args:
        answer: The answer; one that refuses stays as it is.
        written: What is written, decoded.
        live: Returns the stored CRD; None where nothing is stored.
        writing: Who writes it.
        profile: The Kubernetes version.

    Reference:
        apimachinery util/managedfields, FieldManager.Update.
    """
    if not answer.accepted:
        return answer
    before = None if live is None else live()
    sent = (written.get("metadata") or {}).get("managedFields")
    stated = {entry.get("apiVersion") for entry in sent or ()} if profile.serves_v1beta1 else set()
    if {written["apiVersion"], *api_versions(before), *(stated & {declared.V1BETA1})} != {declared.V1}:
        return replace(answer, owned=Stored(_unknown))

    def entries() -> Sequence[JSONValue]:
        from pytest_crd.engine.apply import definitionfieldmanager, writers  # noqa: PLC0415 - few ask who owns a CRD

        metadata = {**answer.stored["metadata"], "managedFields": sent}
        manager = writers.named(writing.field_manager, writing.user_agent)
        writer = writers.Writer(manager, writing.making.now(), writing.subresource)
        new = {**answer.stored, "metadata": metadata}
        managed = definitionfieldmanager.of_definitions(profile).update(before, new, writer)
        found: Sequence[JSONValue] = managed["metadata"].get("managedFields") or ()
        return found

    return kept(answer, Stored(entries), before, writing.making)


def kept(answer: Response, entries: Stored, live: JSONObject | None, making: Making) -> Response:
    """
    Return an answer that accepts a CRD with what a server makes of it.

    Args:
        answer: The answer.
        entries: The managed fields.
        live: The CRD that was stored before.
        making: What is made up.
    """

    def whole() -> JSONValue:
        from pytest_crd.engine.apply import fieldmanager  # noqa: PLC0415 - as above

        stored = answer.stored
        if live is None:
            made = systemmetadata.of_created(uid=making.uid(), now=making.now())
        else:
            generates = not jsonvalue.equal(stored["spec"], live["spec"])
            made = systemmetadata.of_updated(live["metadata"], generates=generates)
        new = _with_made(stored, {**made, "managedFields": entries.value} if entries.value else made)
        return new if live is None else fieldmanager.settled(new, request.without_version(live))

    def owned() -> JSONValue:
        from pytest_crd.engine.apply import managers  # noqa: PLC0415 - as above

        return managers.paths(managers.read(entries.value))

    return replace(
        answer,
        whole=Stored(whole),
        owned=Stored(owned),
        before=None if live is None else request.without_version(live),
    )


def api_versions(crd: JSONObject | None) -> set[str]:
    """Return the API versions that a stored CRD was written in; none where there is none."""
    entries = () if crd is None else crd["metadata"].get("managedFields") or ()
    return set() if crd is None else {crd["apiVersion"], *(entry.get("apiVersion") for entry in entries)}


def _with_made(stored: JSONObject, made: Mapping[str, JSONValue]) -> JSONObject:
    return {**stored, "metadata": dict(sorted({**stored["metadata"], **made}.items()))}


def _unknown() -> NoReturn:
    raise NotImplementedError(f"who owns the fields of a CRD of v1beta1: {NOT_FOLLOWED}")
