"""CustomResourceDefinitions as they are served."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final, Literal

from pytest_crd.engine import jsonvalue, profile
from pytest_crd.engine.api import crdanswers
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors import refusal, response
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.inputerror import CrdError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import requestmetadata, systemmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.requests import completion, request
from pytest_crd.engine.requests.crdowners import Writing
from pytest_crd.engine.requests.patching import mediatypes
from pytest_crd.engine.requests.request import Making, Request, RequestOutcome
from pytest_crd.server import generatedvalues, statuses
from pytest_crd.server.resourcetypes import AGE, NAME, Names, ResourceType, SubresourceKind, TableColumn
from pytest_crd.server.statuses import ApiError
from pytest_crd.server.store import StoredObject

CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"
PENDING: Final = (
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)


class DefinitionType(ResourceType):
    """CustomResourceDefinitions."""

    group, version = declared.GROUP, "v1"
    names = Names(
        declared.PLURAL,
        "customresourcedefinition",
        declared.KIND,
        "CustomResourceDefinitionList",
        ("crd", "crds"),
        ("api-extensions",),
    )
    is_namespaced = False
    verbs = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
    subresources = (SubresourceKind("status", declared.GROUP, "v1", declared.KIND),)
    is_typed = True
    has_protobuf = True
    blank: Resource = MappingProxyType(
        {
            "spec": {"group": "", "names": {"plural": "", "kind": ""}, "scope": "", "versions": None},
            "status": {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": None},
        }
    )

    def __init__(self, kubernetes_version: str) -> None:
        """Take whose behaviour and words."""
        self.kubernetes_version = kubernetes_version
        self.profile = profile.named(kubernetes_version)

    def shown(self, entry: StoredObject) -> Resource:
        """Return a CRD as it is stored."""
        return entry.value

    def scale(self, entry: StoredObject) -> Resource:
        """Fail: a CRD has no scale."""
        raise statuses.not_found(self.resource, entry.key.name)

    def columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of CRDs."""
        return _COLUMNS if self.profile.has_columns_of_crds else (NAME, _CREATED)

    def ending(self, value: Resource, finalizers: list[str]) -> Resource | None:  # noqa: ARG002 - those of the dependents
        """Return a CRD as one that is to be deleted: its objects go first, whatever is said of dependents."""
        if value["metadata"].get("deletionTimestamp"):
            return value
        own = value["metadata"].get("finalizers") or []
        held = [*own, *([] if CLEANUP in own else [CLEANUP])]
        metadata = {**value["metadata"], "deletionTimestamp": generatedvalues.now(), "finalizers": held}
        return terminating({**value, "metadata": metadata}, *PENDING)

    @property
    def collected(self) -> ResourceType:
        """CRDs as those of which many are deleted by one request."""
        return _CollectedType(self.kubernetes_version)

    def other(self, name: str, what: Literal["UID", "ResourceVersion"], wanted: str, found: str) -> ApiError:
        """
        Return the failure of a deletion of a CRD that is not the one that is meant.

        Reference:
            apiextensions-apiserver registry/customresourcedefinition/etcd.go, Delete.
        """
        failed = "precondition failed" if self.profile.lowers_preconditions else "Precondition failed"
        problem = f"{failed}: {what} in precondition: {wanted}, {what} in object meta: {found}"
        return statuses.conflict(declared.PLURAL, self.group, name, problem)

    def answer(self, stored: Resource | None, asked: Request, made: Making) -> RequestOutcome:
        """Return what comes of a request that writes a CRD."""
        before = None if stored is None else request.without_version(stored)
        answer = self._answer(before, asked, Writing(asked.field_manager, asked.user_agent, made, asked.subresource))
        if asked.verb == "create" and stored is not None and answer.accepted:
            exists = refusal.already_exists(self.resource, stored["metadata"]["name"])
            subject = {"name": stored["metadata"]["name"], "group": self.group, "kind": declared.PLURAL}
            answer = response.refused(exists, subject=subject)
        if not answer.accepted:
            return RequestOutcome(answer, before)
        kept = made_of(answer, before, made) if answer.whole is None else answer.whole.value
        if before is not None and requestmetadata.ends(kept["metadata"], before["metadata"]):
            return RequestOutcome(answer, before, lambda: (None, kept))
        return RequestOutcome(answer, before, lambda: (kept, kept))

    def _answer(self, before: Resource | None, asked: Request, writing: Writing) -> Response:
        validation = asked.field_validation
        if before is None and asked.subresource and asked.verb == "patch":
            raise statuses.not_found(self.resource, asked.name)
        if mediatypes.is_apply(asked.verb, asked.media_type):
            return crdanswers.applied(
                asked.body.text or asked.body.value,
                None if before is None else self._crd(before).answers,
                self.profile,
                writing=writing,
                force=bool(asked.force),
                field_validation=validation,
                url_name=asked.name,
            )
        if asked.verb == "patch":
            if before is None:
                raise statuses.not_found(self.resource, asked.name)
            body, media_type = completion.patch(asked.body.text, asked.media_type)
            metadata = {**before["metadata"], "resourceVersion": asked.resource_version}
            live = self._crd({**before, "metadata": metadata})
            return live.answers.patch(body, media_type, validation, writing)
        crd = self._crd(asked.body.value, asked.body.duplicates)
        if asked.verb == "create":
            return crd.answers.create(validation, writing)
        target = RequestTarget(self.group, declared.PLURAL, None, asked.name)
        metadata = asked.body.value.get("metadata") or {}
        why = requestmetadata.refuse_update(metadata, target, self.profile)
        known = {**(before or {}).get("metadata", {}), "resourceVersion": asked.resource_version}
        if why is None and before is not None:
            why = requestmetadata.refuse_stale(metadata, known, target, self.profile)
        if why is not None:
            subject = {"name": asked.name, "group": self.group, "kind": declared.PLURAL}
            return response.refused(why, subject=subject)
        if before is None:
            raise statuses.not_found(self.resource, asked.name)
        return crd.answers.update(self._crd(before).answers, validation, writing)

    def _crd(self, value: JSONValue, duplicates: tuple[str, ...] = ()) -> CustomResourceDefinition:
        try:
            return CustomResourceDefinition.from_value(
                value, kubernetes_version=self.kubernetes_version, context=CrdContext(), duplicates=duplicates
            )
        except CrdError as error:
            cannot = f'{declared.KIND} in version "v1" cannot be handled as a {declared.KIND}'
            raise statuses.bad_request(f"{cannot}: {error.mistakes[0].message}") from None


class _CollectedType(DefinitionType):
    """
    CustomResourceDefinitions that are deleted as objects of any other kind are: what they define stays behind.

    Reference:
        apiserver registry/generic/registry/store.go, DeleteCollection: it does not call the Delete of CRDs.
    """

    ending = ResourceType.ending
    other = ResourceType.other


def made_of(answer: Response, before: Resource | None, making_up: Making) -> Resource:
    """Return a CRD that is stored, with what a server makes of its metadata."""
    stored = answer.stored
    if before is None:
        made = systemmetadata.of_created(uid=making_up.uid(), now=making_up.now())
        status = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": stored["status"]["storedVersions"],
        }
        stored = {**stored, "status": status}
    else:
        generates = not jsonvalue.equal(stored["spec"], before["spec"])
        made = systemmetadata.of_updated(before["metadata"], generates=generates)
    return {**stored, "metadata": {**stored["metadata"], **made}}


def terminating(value: Resource, reason: str, message: str, *, is_done: bool = False) -> Resource:
    """Return a CRD whose status says that it is being deleted, or that its objects are gone."""
    status = value["status"]
    kept = [one for one in status.get("conditions") or () if one["type"] != "Terminating"]
    goes_on = "False" if is_done else "True"
    condition = {
        "type": "Terminating",
        "status": goes_on,
        "lastTransitionTime": generatedvalues.now(),
        "reason": reason,
    }
    return {**value, "status": {**status, "conditions": [*kept, {**condition, "message": message}]}}


def _versions(shown: Resource) -> str:
    found = (
        f"{one['name']}{'(storage)' if one['storage'] else ''}"
        for one in shown["spec"]["versions"] or ()
        if one["served"]
    )
    return ",".join(sorted(found))


def _is_established(shown: Resource) -> bool:
    conditions = shown["status"].get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


# How a time is printed that nobody has set.
_ZERO: Final = "0001-01-01T00:00:00Z"
_CREATED: Final = TableColumn(
    "Created At", "date", "", AGE.description, cell=lambda shown: shown["metadata"].get("creationTimestamp", _ZERO)
)
# As 1.37 has them: registry/customresourcedefinition/tableconvertor.
_COLUMNS: Final = (
    NAME,
    TableColumn("Scope", "string", ".spec.scope", "Cluster/Namespaced"),
    TableColumn("Versions", "string", "", "Served versions", cell=_versions),
    _CREATED,
    TableColumn("Group", "string", ".spec.group", "API group", 1),
    TableColumn("Kind", "string", ".spec.names.kind", "CustomResource kind", 1),
    TableColumn(
        "ShortNames",
        "string",
        "",
        "Short names",
        1,
        cell=lambda it: ",".join(it["spec"]["names"].get("shortNames") or ()),
    ),
    TableColumn("Established", "boolean", "", "Established status", 1, cell=_is_established),
)
