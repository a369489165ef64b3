"""CustomResourceDefinitions as a served resource."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final, Literal

from pytest_crd.engine import profile
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.crdforms import Forms
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.registry import handlers
from pytest_crd.engine.registry.crd import CrdStrategy
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome
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
    """CustomResourceDefinition resource."""

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
        """Create for a Kubernetes version."""
        self.kubernetes_version = kubernetes_version
        self.profile = profile.named(kubernetes_version)
        self._written: dict[str, tuple[tuple[JSONValue, Forms], ...]] = {}  # with their specs, by the name of the CRD

    def read(self, entry: StoredObject) -> Resource:
        """Return a CRD as stored."""
        return entry.value

    def scale(self, entry: StoredObject) -> Resource:
        """Raise ApiError (404): CRDs have no scale."""
        raise statuses.not_found(self.resource, entry.key.name)

    def columns(self) -> Sequence[TableColumn]:
        """Return the columns of a table of CRDs."""
        return _COLUMNS if self.profile.has_columns_of_crds else (NAME, _CREATED)

    def mark_deleted(self, value: Resource, finalizers: list[str]) -> Resource | None:  # noqa: ARG002 - for dependents
        """Mark a CRD as being deleted; a finalizer keeps it until its objects are gone, regardless of the propagation policy."""
        if value["metadata"].get("deletionTimestamp"):
            return value
        finalizers_before = value["metadata"].get("finalizers") or []
        all_finalizers = [*finalizers_before, *([] if CLEANUP in finalizers_before else [CLEANUP])]
        metadata = {**value["metadata"], "deletionTimestamp": generatedvalues.now(), "finalizers": all_finalizers}
        return terminating({**value, "metadata": metadata}, *PENDING)

    @property
    def collected(self) -> ResourceType:
        """The CRD resource for deletions of a collection."""
        type_ = _CollectedType(self.kubernetes_version)
        type_.plugins = self.plugins
        return type_

    def precondition_failure(
        self, name: str, field: Literal["UID", "ResourceVersion"], expected: str, actual: str
    ) -> ApiError:
        """
        Return the error for a failed precondition of a deletion of a CRD.

        Reference:
            apiextensions-apiserver registry/customresourcedefinition/etcd.go, Delete.
        """
        failed = "precondition failed" if self.profile.lowers_preconditions else "Precondition failed"
        problem = f"{failed}: {field} in precondition: {expected}, {field} in object meta: {actual}"
        return statuses.conflict(declared.PLURAL, self.group, name, problem)

    def answer(self, stored: Resource | None, request: Request, generated: GeneratedValues) -> RequestOutcome:
        """Return the outcome of a write request for a CRD."""
        forms = None if stored is None else self.find_forms(stored)
        strategy = CrdStrategy(self.profile, stored=forms, drops_untracked_owners=True, keep=self.keep_forms)
        return handlers.handle(stored, request, strategy, generated, admission=self.plugins)

    def keep_forms(self, value: Resource, forms: Forms) -> None:
        """Keep the forms of a CRD that may be stored; the forms of its stored state stay too."""
        name = value["metadata"]["name"]
        self._written[name] = ((value["spec"], forms), *self._written.get(name, ())[:1])

    def find_forms(self, value: Resource) -> Forms | None:
        """Return the forms of a stored CRD, if they were kept for its spec; else None."""
        name, spec = value["metadata"]["name"], value["spec"]
        pairs = self._written.get(name, ())
        for pair in pairs:
            if pair[0] is spec:
                self._written[name] = (pair, *(item for item in pairs if item is not pair))
                return pair[1].stored_as(value, self.profile)
        return None


class _CollectedType(DefinitionType):
    """
    CRDs under a deletion of a collection, which deletes them like any other object and leaves their custom resources.

    Reference:
        apiserver registry/generic/registry/store.go, DeleteCollection: it does not call the Delete of CRDs.
    """

    mark_deleted = ResourceType.mark_deleted
    precondition_failure = ResourceType.precondition_failure


def created(answer: Response, generated: GeneratedValues) -> Resource:
    """Return the CRD of an accepted create as stored, without managed fields."""
    stored = answer.stored
    status = {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": stored["status"]["storedVersions"],
    }
    system_metadata = systemmetadata.of_created(uid=generated.uid(), now=generated.now())
    return {**stored, "status": status, "metadata": {**stored["metadata"], **system_metadata}}


def terminating(value: Resource, reason: str, message: str, *, is_done: bool = False) -> Resource:
    """Return a CRD with the Terminating condition: True during the deletion, False once its objects are gone."""
    status = value["status"]
    conditions = [condition_ for condition_ in status.get("conditions") or () if condition_["type"] != "Terminating"]
    state = "False" if is_done else "True"
    condition = {
        "type": "Terminating",
        "status": state,
        "lastTransitionTime": generatedvalues.now(),
        "reason": reason,
    }
    return {**value, "status": {**status, "conditions": [*conditions, {**condition, "message": message}]}}


def _versions(crd: Resource) -> str:
    names = (
        f"{version['name']}{'(storage)' if version['storage'] else ''}"
        for version in crd["spec"]["versions"] or ()
        if version["served"]
    )
    return ",".join(sorted(names))


def _is_established(crd: Resource) -> bool:
    conditions = crd["status"].get("conditions") or ()
    return any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions)


# How the server prints an unset time.
_ZERO: Final = "0001-01-01T00:00:00Z"
_CREATED: Final = TableColumn(
    "Created At", "date", "", AGE.description, cell=lambda crd: crd["metadata"].get("creationTimestamp", _ZERO)
)
# The columns of 1.37: registry/customresourcedefinition/tableconvertor.
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
        cell=lambda crd: ",".join(crd["spec"]["names"].get("shortNames") or ()),
    ),
    TableColumn("Established", "boolean", "", "Established status", 1, cell=_is_established),
)
