"""CustomResourceDefinitions as they are served."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final, Literal

from pytest_crd.engine import profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.registry import handlers
from pytest_crd.engine.registry.crd import CrdStrategy
from pytest_crd.engine.registry.request import Making, Request, RequestOutcome
from pytest_crd.engine.registry.response import Response
from pytest_crd.server.http import statuses
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import AGE, NAME, Names, ResourceType, SubresourceKind, TableColumn
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import StoredObject

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
        self._strategy = CrdStrategy(self.profile, drops_untracked_owners=True)

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
        """Return the outcome of a request that writes a CRD."""
        return handlers.handle(stored, asked, self._strategy, made)


class _CollectedType(DefinitionType):
    """
    CustomResourceDefinitions that are deleted as objects of any other kind are: what they define stays behind.

    Reference:
        apiserver registry/generic/registry/store.go, DeleteCollection: it does not call the Delete of CRDs.
    """

    ending = ResourceType.ending
    other = ResourceType.other


def created(answer: Response, making: Making) -> Resource:
    """Return the CRD of an accepted create as it is stored, without managed fields."""
    stored = answer.stored
    status = {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": stored["status"]["storedVersions"],
    }
    made = systemmetadata.of_created(uid=making.uid(), now=making.now())
    return {**stored, "status": status, "metadata": {**stored["metadata"], **made}}


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
