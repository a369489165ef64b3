"""
Controllers of CRDs: they accept names, establish CRDs and delete the objects of deleted CRDs.

They replace the controllers of apiextensions-apiserver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api.context import ConversionWebhooks, Converters, CrdContext
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.api.sidebyside import side_by_side
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import Observer
from pytest_crd.server import crdtype, deleting, unreadable
from pytest_crd.server.crdtype import DefinitionType
from pytest_crd.server.customresources import CustomResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Store, StoredObject

# The conditions that depend on the spec of a CRD alone.
_OF_SPECS: Final = ("NonStructuralSchema", "KubernetesAPIApprovalPolicyConformant")
_INSTALLING: Final = {
    "type": "Established",
    "status": "False",
    "reason": "Installing",
    "message": "the initial names have been accepted",
}
# The field manager of the status of CRDs.
_SERVER: Final = "kube-apiserver"
_IN_PROGRESS: Final = ("InstanceDeletionInProgress", "CustomResource deletion is in progress")
_COMPLETED: Final = ("InstanceDeletionCompleted", "removed all instances")
_NEVER_ESTABLISHED: Final = ("NeverEstablished", "resource was never established")


class DefinitionController:
    """
    Controllers of CRDs.

    They replace the controllers of apiextensions-apiserver, and finish before the server answers the write that
    triggers them.
    """

    def __init__(self, store: Store, type_: DefinitionType, webhooks: Converters | None = None) -> None:
        """
        Create for a store.

        Args:
            store: The store.
            type_: The resource of CRDs.
            webhooks: The webhooks that the server calls; None if it calls none.
        """
        self._webhooks = None if webhooks is None else ConversionWebhooks(webhooks)
        self._store = store
        self._type = type_
        # CRDs from files with their specs: a stored CRD with an equal spec keeps the line numbers of its file.
        self._from_files: list[tuple[JSONValue, CustomResourceDefinition]] = []
        self._crds: dict[int, CustomResourceDefinition] = {}
        self._types: dict[int, list[CustomResourceType]] = {}

    def install(self, crd: CustomResourceDefinition) -> None:
        """
        Store a CRD as if a client had created it.

        Raises:
            NotAcceptedError: A server refuses the CRD.
        """
        response = crd.first_response
        response.assert_accepted_as(crd.name, source=crd.source)
        value = crdtype.created(response, generatedvalues.of_request(lambda _end: True))
        value = {**value, "apiVersion": declared.V1, "spec": as_v1(value["spec"])}
        self._from_files.append((value["spec"], crd.with_webhooks(self._webhooks)))
        self._store.put(self._type.key("", crd.name), value)
        self.settle()

    def established(self) -> list[CustomResourceDefinition]:
        """Return the established CRDs."""
        return [self._crd_of(entry) for entry in self._entries() if _condition(entry.value, "Established") == "True"]

    def settle(self) -> None:
        """Run the controllers until nothing changes any longer."""
        while self._step():
            pass

    def renew_types(self) -> None:
        """Give the served resources the present admission plugins."""
        self._types.clear()

    def types(self) -> Iterator[CustomResourceType]:
        """Yield the served resources of the established CRDs, in order of the CRDs' names."""
        for entry in self._entries():
            if _condition(entry.value, "Established") == "True":
                yield from self._served(entry)

    def _served(self, entry: StoredObject) -> list[CustomResourceType]:
        types = self._types.get(entry.revision)
        if types is None:
            crd = self._crd_of(entry)
            is_ending = self._is_closed(entry)
            spec = entry.value["spec"]
            served = [version for version in crd.versions if version.served]
            types = [
                CustomResourceType(crd, version, spec, is_terminating=is_ending, plugins=self._type.plugins)
                for version in served
            ]
            self._types[entry.revision] = types
        return types

    def _is_closed(self, entry: StoredObject) -> bool:
        """
        Return whether the server refuses to create objects of a CRD.

        Reference:
            apiextensions-apiserver apiserver/customresource_handler.go, ServeHTTP.
        """
        if self._type.profile.closes_deleted_crds and entry.value["metadata"].get("deletionTimestamp"):
            return True
        return _condition(entry.value, "Terminating") == "True"

    def _crd_of(self, entry: StoredObject) -> CustomResourceDefinition:
        crd = self._crds.get(entry.revision)
        if crd is None:
            version, spec = self._type.kubernetes_version, entry.value["spec"]
            parsed = CustomResourceDefinition.from_value(
                entry.value, kubernetes_version=version, context=CrdContext(Observer(), webhooks=self._webhooks)
            )
            crd = next((crd_ for file_spec, crd_ in self._from_files if jsonvalue.equal(file_spec, spec)), parsed)
            self._crds[entry.revision] = crd
        return crd

    def _entries(self) -> Sequence[StoredObject]:
        return self._store.entries(self._type.resource)

    def _step(self) -> bool:
        """Change the first CRD that needs a change; return False if none does."""
        entries = self._entries()
        in_order = sorted(entries, key=lambda entry: (entry.value["metadata"]["creationTimestamp"], entry.revision))
        crds = side_by_side([self._crd_of(entry) for entry in in_order])
        return any(self._settle(entry, crd) for entry, crd in zip(in_order, crds, strict=True))

    def _settle(self, entry: StoredObject, crd: CustomResourceDefinition) -> bool:
        metadata = entry.value["metadata"]
        if metadata.get("deletionTimestamp"):
            return self._end(entry)
        status, names = entry.value["status"], entry.value["spec"]["names"]
        expected = {condition.type: _as_status(condition) for condition in crd.conditions}
        conditions = _Conditions(status.get("conditions") or ())
        if names != status["acceptedNames"]:
            conditions = conditions.with_(expected["NamesAccepted"])
            if not _is_true(expected["NamesAccepted"]):
                names = {**status["acceptedNames"], **crd.naming.accepted}
                conditions = conditions if conditions.get("Established") else conditions.with_(expected["Established"])
            elif not _is_true(conditions.get("Established")):  # names are accepted first
                conditions = conditions.with_(_INSTALLING)
        elif _is_true(conditions.get("NamesAccepted")) and not _is_true(conditions.get("Established")):
            conditions = conditions.with_(expected["Established"])
        for type_ in _OF_SPECS:
            conditions = conditions.with_(expected[type_]) if type_ in expected else conditions.without(type_)
        changed = {**status, "conditions": conditions.items or None, "acceptedNames": names}
        if changed == status:
            return False
        self._put(entry, {**entry.value, "status": changed})
        return True

    def _put(self, entry: StoredObject, value: Resource) -> None:
        """Store a CRD with a changed status, owned by the server if the CRD has managed fields."""
        if entry.value["metadata"].get("managedFields"):
            from pytest_crd.engine.registry.fieldmanager import definitionfieldmanager, writers  # noqa: PLC0415 - few CRDs have owners

            manager = definitionfieldmanager.of_definitions(self._type.profile)
            value = manager.update(entry.value, value, writers.Writer(_SERVER, generatedvalues.now(), "status"))
        self._store.put(entry.key, value)

    def _end(self, entry: StoredObject) -> bool:
        """
        Delete the objects of a CRD, then the CRD itself; return whether anything changed.

        Reference:
            apiextensions-apiserver controller/finalizer/crd_finalizer.go, sync.
        """
        metadata = entry.value["metadata"]
        finalizers = metadata.get("finalizers") or []
        if crdtype.CLEANUP not in finalizers:
            return False
        names, group = entry.value["spec"]["names"], entry.value["spec"]["group"]
        resource = f"{names['plural']}.{group}"
        if _terminating(entry.value).get("reason") == crdtype.PENDING[0]:
            self._put(entry, crdtype.terminating(entry.value, *_IN_PROGRESS))
            return True
        remaining = self._store.entries(resource)
        if problem := self._find_unreadable(entry, remaining):
            if _terminating(entry.value).get("message") == problem:
                return False
            self._put(entry, crdtype.terminating(entry.value, "InstanceDeletionFailed", problem))
            return True
        if remaining:
            changes = [deleting.delete_entry(self._store, custom_resource) for custom_resource in remaining]
            return any(changes)
        rest = [finalizer for finalizer in finalizers if finalizer != crdtype.CLEANUP]
        if rest:
            outcome = _COMPLETED if _condition(entry.value, "Established") == "True" else _NEVER_ESTABLISHED
            done = crdtype.terminating(entry.value, *outcome, is_done=True)
            self._put(entry, {**done, "metadata": {**done["metadata"], "finalizers": rest}})
        else:
            self._store.delete(entry.key)
        return True

    def _find_unreadable(self, entry: StoredObject, remaining: Sequence[StoredObject]) -> str:
        """Return why the controller cannot list the *remaining* objects of a CRD; empty if it can."""
        crd = self._crd_of(entry)
        storage_version = next(version for version in crd.versions if version.storage)
        type_ = CustomResourceType(crd, storage_version, entry.value["spec"], is_terminating=True)
        return unreadable.find_cleanup_problem(type_, remaining)


def as_v1(spec: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """
    Return the spec of a CRD in the form of `apiextensions.k8s.io/v1`, the only served one.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1/conversion.go.
    """
    shared = ("validation", "subresources", "additionalPrinterColumns", "version")
    defaults = {key: spec[key] for key in shared if spec.get(key) is not None}
    if not defaults:
        return dict(spec)
    converted = {key: value for key, value in spec.items() if key not in shared}
    versions = spec.get("versions") or [{"name": spec["version"], "served": True, "storage": True}]
    converted["versions"] = [_version_as_v1(version, defaults) for version in versions]
    return converted


def _version_as_v1(version: Mapping[str, JSONValue], defaults: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return a version with the top-level *defaults* of a v1beta1 spec, and with its columns in the spelling of v1."""
    names = {
        "validation": "schema",
        "subresources": "subresources",
        "additionalPrinterColumns": "additionalPrinterColumns",
    }
    converted = {**{names[key]: value for key, value in defaults.items() if key in names}, **version}
    if columns := converted.get("additionalPrinterColumns"):
        converted["additionalPrinterColumns"] = [
            {("jsonPath" if key == "JSONPath" else key): value for key, value in column.items()} for column in columns
        ]
    return converted


def _as_status(condition: object) -> dict[str, JSONValue]:
    """Return a condition as in a status, without its lastTransitionTime."""
    return {name: getattr(condition, name) for name in ("type", "status", "reason", "message")}


def _terminating(value: Resource) -> Mapping[str, JSONValue]:
    """Return the Terminating condition; empty if the CRD has none."""
    conditions = value["status"].get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == "Terminating"), {})


def _condition(value: Resource, kind: str) -> str:
    conditions = value["status"].get("conditions") or ()
    return next((condition["status"] for condition in conditions if condition["type"] == kind), "")


class _Conditions:
    """
    The conditions of a CRD; conditions with unknown types are kept.

    Reference:
        apiextensions-apiserver apihelpers/helpers.go, SetCRDCondition.
    """

    def __init__(self, items: Sequence[Mapping[str, JSONValue]]) -> None:
        self.items = [*items]

    def get(self, kind: str) -> Mapping[str, JSONValue] | None:
        return next((item for item in self.items if item["type"] == kind), None)

    def with_(self, condition: Mapping[str, JSONValue]) -> _Conditions:
        """Return the conditions with *condition* added or replaced; lastTransitionTime changes only with its status."""
        current = self.get(condition["type"])
        if current is None:
            return _Conditions([*self.items, _dated(condition, generatedvalues.now())])
        is_unchanged = current["status"] == condition["status"] and current.get("lastTransitionTime")
        dated = _dated(condition, current["lastTransitionTime"] if is_unchanged else generatedvalues.now())
        return _Conditions([dated if item is current else item for item in self.items])

    def without(self, kind: str) -> _Conditions:
        """Return the conditions except for one type."""
        return _Conditions([condition for condition in self.items if condition["type"] != kind])


def _is_true(condition: Mapping[str, JSONValue] | None) -> bool:
    return condition is not None and condition["status"] == "True"


def _dated(condition: Mapping[str, JSONValue], since: str) -> dict[str, JSONValue]:
    return {"type": condition["type"], "status": condition["status"], "lastTransitionTime": since, **condition}
