"""
What a server does about CRDs beside answering: names are accepted, custom resources are served, and where a CRD is deleted its objects go first.

It takes the places of the controllers of apiextensions-apiserver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api import customresourcedefinition
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server import crdtype, deleting
from pytest_crd.server.crdtype import DefinitionType
from pytest_crd.server.customresources import CustomResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Store, StoredObject

# The conditions that follow from what a CRD declares alone.
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
    What a server does about CRDs after they were written.

    It takes the places of the controllers of apiextensions-apiserver, and is done before the request that it follows is answered.
    """

    def __init__(self, store: Store, type_: DefinitionType) -> None:
        """
        Take what is stored.

        Args:
            store: The store.
            type_: CRDs as they are served.
        """
        self._store = store
        self._type = type_
        # CRDs that stand in files: what is stored with such a spec is one of these, so that its lines are known.
        self._given: list[tuple[JSONValue, CustomResourceDefinition]] = []
        self._known: dict[int, CustomResourceDefinition] = {}
        self._types: dict[int, list[CustomResourceType]] = {}

    def install(self, crd: CustomResourceDefinition) -> None:
        """
        Store a CRD, as one that a client has created.

        Raises:
            NotAcceptedError: A server refuses it.
        """
        answer = crd.first_response
        answer.assert_accepted_as(crd.name, source=crd.source)
        value = crdtype.created(answer, generatedvalues.of_request(lambda _end: True))
        value = {**value, "apiVersion": declared.V1, "spec": as_v1(value["spec"])}
        self._given.append((value["spec"], crd))
        self._store.put(self._type.key("", crd.name), value)
        self.settle()

    def established(self) -> list[CustomResourceDefinition]:
        """Return the CRDs whose objects are served."""
        return [self._crd_of(one) for one in self._entries() if _condition(one.value, "Established") == "True"]

    def settle(self) -> None:
        """Have all that follows from what was written, until nothing follows any longer."""
        while self._step():
            pass

    def types(self) -> Iterator[CustomResourceType]:
        """Yield what is served of the CRDs that are stored, by their names."""
        for entry in self._entries():
            if _condition(entry.value, "Established") == "True":
                yield from self._served(entry)

    def _served(self, entry: StoredObject) -> list[CustomResourceType]:
        found = self._types.get(entry.revision)
        if found is None:
            crd = self._crd_of(entry)
            is_ending = self._is_closed(entry)
            spec = entry.value["spec"]
            served = [one for one in crd.versions if one.served]
            found = [CustomResourceType(crd, one, spec, is_terminating=is_ending) for one in served]
            self._types[entry.revision] = found
        return found

    def _is_closed(self, entry: StoredObject) -> bool:
        """
        Return whether nothing is created any longer of what a CRD defines.

        Reference:
            apiextensions-apiserver apiserver/customresource_handler.go, ServeHTTP.
        """
        if self._type.profile.closes_deleted_crds and entry.value["metadata"].get("deletionTimestamp"):
            return True
        return _condition(entry.value, "Terminating") == "True"

    def _crd_of(self, entry: StoredObject) -> CustomResourceDefinition:
        crd = self._known.get(entry.revision)
        if crd is None:
            version, spec = self._type.kubernetes_version, entry.value["spec"]
            made = CustomResourceDefinition.from_value(entry.value, kubernetes_version=version, context=CrdContext())
            crd = next((one for given, one in self._given if jsonvalue.equal(given, spec)), made)
            self._known[entry.revision] = crd
        return crd

    def _entries(self) -> Sequence[StoredObject]:
        return self._store.entries(self._type.resource)

    def _step(self) -> bool:
        """Do the first thing that is to be done; return whether there was one."""
        entries = self._entries()
        in_order = sorted(entries, key=lambda entry: (entry.value["metadata"]["creationTimestamp"], entry.revision))
        crds = customresourcedefinition.side_by_side([self._crd_of(entry) for entry in in_order])
        return any(self._settle(entry, crd) for entry, crd in zip(in_order, crds, strict=True))

    def _settle(self, entry: StoredObject, crd: CustomResourceDefinition) -> bool:
        metadata = entry.value["metadata"]
        if metadata.get("deletionTimestamp"):
            return self._end(entry)
        status, names = entry.value["status"], entry.value["spec"]["names"]
        wanted = {one.type: _worded(one) for one in crd.conditions}
        told = _Conditions(status.get("conditions") or ())
        if names != status["acceptedNames"]:
            told = told.with_(wanted["NamesAccepted"])
            if not _is_true(wanted["NamesAccepted"]):
                names = {**status["acceptedNames"], **crd.naming.accepted}
                told = told if told.find("Established") else told.with_(wanted["Established"])
            elif not _is_true(told.find("Established")):  # first the names, then what is served under them
                told = told.with_(_INSTALLING)
        elif _is_true(told.find("NamesAccepted")) and not _is_true(told.find("Established")):
            told = told.with_(wanted["Established"])
        for type_ in _OF_SPECS:
            told = told.with_(wanted[type_]) if type_ in wanted else told.without(type_)
        changed = {**status, "conditions": told.listed or None, "acceptedNames": names}
        if changed == status:
            return False
        self._put(entry, {**entry.value, "status": changed})
        return True

    def _put(self, entry: StoredObject, value: Resource) -> None:
        """Store a CRD whose status the server has changed; if the CRD has managed fields, the server owns those changes."""
        if entry.value["metadata"].get("managedFields"):
            from pytest_crd.engine.registry.fieldmanager import definitionfieldmanager  # noqa: PLC0415 - few CRDs have owners
            from pytest_crd.engine.registry.fieldmanager.writers import Writer  # noqa: PLC0415 - as above

            manager = definitionfieldmanager.of_definitions(self._type.profile)
            value = manager.update(entry.value, value, Writer(_SERVER, generatedvalues.now(), "status"))
        self._store.put(entry.key, value)

    def _end(self, entry: StoredObject) -> bool:
        """
        Delete the objects of a CRD, then the CRD itself.

        Reference:
            apiextensions-apiserver controller/finalizer/crd_finalizer.go, sync.
        """
        metadata = entry.value["metadata"]
        finalizers = metadata.get("finalizers") or []
        if crdtype.CLEANUP not in finalizers:
            return False
        names, group = entry.value["spec"]["names"], entry.value["spec"]["group"]
        resource = f"{names['plural']}.{group}"
        if _reason(entry.value) == crdtype.PENDING[0]:
            self._put(entry, crdtype.terminating(entry.value, *_IN_PROGRESS))
            return True
        if left := self._store.entries(resource):
            changes = [deleting.delete_entry(self._store, one) for one in left]
            return any(changes)
        rest = [one for one in finalizers if one != crdtype.CLEANUP]
        if rest:
            why = _COMPLETED if _condition(entry.value, "Established") == "True" else _NEVER_ESTABLISHED
            done = crdtype.terminating(entry.value, *why, is_done=True)
            self._put(entry, {**done, "metadata": {**done["metadata"], "finalizers": rest}})
        else:
            self._store.delete(entry.key)
        return True


def as_v1(spec: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """
    Return the spec of a CRD as `apiextensions.k8s.io/v1` has it, in which alone it is served.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1/conversion.go.
    """
    shared = ("validation", "subresources", "additionalPrinterColumns", "version")
    above = {key: spec[key] for key in shared if spec.get(key) is not None}
    if not above:
        return dict(spec)
    found = {key: value for key, value in spec.items() if key not in shared}
    versions = spec.get("versions") or [{"name": spec["version"], "served": True, "storage": True}]
    found["versions"] = [_version_as_v1(one, above) for one in versions]
    return found


def _version_as_v1(version: Mapping[str, JSONValue], above: Mapping[str, JSONValue]) -> dict[str, JSONValue]:
    """Return a version with what stands above all versions, and with columns as they are spelled in v1."""
    names = {
        "validation": "schema",
        "subresources": "subresources",
        "additionalPrinterColumns": "additionalPrinterColumns",
    }
    found = {**{names[key]: value for key, value in above.items() if key in names}, **version}
    if columns := found.get("additionalPrinterColumns"):
        found["additionalPrinterColumns"] = [
            {("jsonPath" if key == "JSONPath" else key): value for key, value in column.items()} for column in columns
        ]
    return found


def _worded(condition: object) -> dict[str, JSONValue]:
    """Return a condition as it stands in a status, less its time."""
    return {name: getattr(condition, name) for name in ("type", "status", "reason", "message")}


def _reason(value: Resource) -> str:
    """Return how far the deletion of a CRD is."""
    conditions = value["status"].get("conditions") or ()
    return next((one["reason"] for one in conditions if one["type"] == "Terminating"), "")


def _condition(value: Resource, kind: str) -> str:
    conditions = value["status"].get("conditions") or ()
    return next((one["status"] for one in conditions if one["type"] == kind), "")


class _Conditions:
    """
    The conditions of a CRD; those of types that no controller knows stay.

    Reference:
        apiextensions-apiserver apihelpers/helpers.go, SetCRDCondition.
    """

    def __init__(self, listed: Sequence[Mapping[str, JSONValue]]) -> None:
        self.listed = [*listed]

    def find(self, kind: str) -> Mapping[str, JSONValue] | None:
        return next((one for one in self.listed if one["type"] == kind), None)

    def with_(self, wanted: Mapping[str, JSONValue]) -> _Conditions:
        """Return them with one; its time is when its status changed."""
        known = self.find(wanted["type"])
        if known is None:
            return _Conditions([*self.listed, _dated(wanted, generatedvalues.now())])
        is_kept = known["status"] == wanted["status"] and known.get("lastTransitionTime")
        dated = _dated(wanted, known["lastTransitionTime"] if is_kept else generatedvalues.now())
        return _Conditions([dated if one is known else one for one in self.listed])

    def without(self, kind: str) -> _Conditions:
        """Return them without those of a type."""
        return _Conditions([one for one in self.listed if one["type"] != kind])


def _is_true(condition: Mapping[str, JSONValue] | None) -> bool:
    return condition is not None and condition["status"] == "True"


def _dated(condition: Mapping[str, JSONValue], since: str) -> dict[str, JSONValue]:
    return {"type": condition["type"], "status": condition["status"], "lastTransitionTime": since, **condition}
