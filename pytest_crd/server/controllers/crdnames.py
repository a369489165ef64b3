"""
Controller of the names of CRDs: it accepts names, establishes CRDs and sets the conditions of their specs.

Reference:
    apiextensions-apiserver controller/status/naming_controller.go, establish/establishing_controller.go,
    nonstructuralschema/nonstructuralschema_controller.go and apiapproval/apiapproval_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pytest_crd.engine.crds import nameconflicts
from pytest_crd.engine.crds.nameconflicts import Naming
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server import storeddefinitions
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Event, StoredObject
from pytest_crd.server.storeddefinitions import StoredDefinitions

# The conditions that depend on the spec of a CRD alone.
_OF_SPECS: Final = ("NonStructuralSchema", "KubernetesAPIApprovalPolicyConformant")
_INSTALLING: Final = {
    "type": "Established",
    "status": "False",
    "reason": "Installing",
    "message": "the initial names have been accepted",
}
# The key of a group, in which a CRD has other names: all its CRDs are reconciled.
_GROUP_KEY: Final = "group/"


class NamingController:
    """Controller of the names of CRDs; only other names of a CRD concern the other CRDs of its group."""

    resources = frozenset({storeddefinitions.RESOURCE})

    def __init__(self, definitions: StoredDefinitions) -> None:
        """Create for the CRDs of a store."""
        self._definitions = definitions
        self._namings: dict[str, Mapping[str, Naming]] = {}

    def find_keys(self, event: Event) -> Iterable[str]:
        """Return the name of a changed CRD; the key of its group if it has other names."""
        old, new = event.old, event.new
        if old is not None and new is not None and old.value["spec"]["names"] == new.value["spec"]["names"]:
            return (event.key.name,)
        entry = new or old
        assert entry is not None  # noqa: S101 - each change has a state
        return (_GROUP_KEY + entry.value["spec"]["group"],)

    def reconcile(self, key: str) -> bool:
        """Accept the names of a CRD, and set its conditions."""
        names = [key]
        if key.startswith(_GROUP_KEY):
            group = key.removeprefix(_GROUP_KEY)
            self._namings.pop(group, None)
            names = [entry.key.name for entry in self._definitions.in_group(group)]
        for name in names:
            while (entry := self._definitions.get(name)) is not None and self._step(entry):
                pass
        return False

    def _step(self, entry: StoredObject) -> bool:
        """Change the status of a CRD by one step; return False if it is as it has to be."""
        if entry.value["metadata"].get("deletionTimestamp"):
            return False
        crd = self._definitions.parse(entry).with_naming(self._find_naming(entry))
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
        self._definitions.put(entry, {**entry.value, "status": changed})
        return True

    def _find_naming(self, entry: StoredObject) -> Naming:
        """Return the naming of a CRD beside the others of its group: the first CRD to claim a name gets it."""
        group = entry.value["spec"]["group"]
        namings = self._namings.get(group)
        if namings is None:
            entries = self._definitions.in_group(group)
            crds = map(self._definitions.parse, entries)
            resolved = nameconflicts.resolve((group, crd.answers.forms.internal.names) for crd in crds)
            names = (item.key.name for item in entries)
            namings = self._namings[group] = dict(zip(names, resolved, strict=True))
        return namings[entry.key.name]


def _as_status(condition: object) -> dict[str, JSONValue]:
    """Return a condition as in a status, without its lastTransitionTime."""
    return {name: getattr(condition, name) for name in ("type", "status", "reason", "message")}


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
