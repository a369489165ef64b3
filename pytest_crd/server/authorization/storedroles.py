"""Roles and bindings of a server, from its store and from a new cluster, and the rules of aggregated ClusterRoles."""

from __future__ import annotations

import functools
import heapq
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.server.authorization import policy
from pytest_crd.server.authorization.policy import Binding, Role
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject

CLUSTER_ROLES: Final = f"{policy.PLURALS['ClusterRole']}.{policy.GROUP}"


class StoredRoles:
    """
    The roles and bindings in a store.

    Those of a new cluster count, too. They are in a store of their own until `store_defaults` copies them.
    """

    def __init__(self, store: Store) -> None:
        """Create for a store."""
        self._store = store
        self._has_defaults = False
        self._aggregated: tuple[int, ...] = ()

    def fork(self, store: Store) -> StoredRoles:
        """Return the roles and bindings in a fork of the store."""
        fork = StoredRoles(store)
        fork._has_defaults, fork._aggregated = self._has_defaults, self._aggregated
        return fork

    def store_defaults(self) -> None:
        """Store the roles and bindings of a new cluster, which clients can then read and change."""
        self._has_defaults = True
        for value in _default_objects():
            self.put(value)

    def put(self, value: Resource) -> StoredObject:
        """Store a role or binding as if a client had created it."""
        metadata = {"uid": generatedvalues.uid(), "creationTimestamp": generatedvalues.now()}
        return _put(self._store, {**value, "metadata": {**value["metadata"], **metadata}})

    def find_role(self, kind: str, namespace: str, name: str) -> Role | None:
        """Return a Role or ClusterRole; None if it does not exist."""
        if kind not in ("Role", "ClusterRole"):
            return None
        key = ObjectKey(_resource(kind), namespace, name)
        entries = (store.get(key) for store in self._stores())
        entry = next((entry for entry in entries if entry is not None), None)
        return None if entry is None else _read_role(entry)

    def bindings(self, kind: str, namespace: str) -> Iterable[Binding]:
        """Return the ClusterRoleBindings, or the RoleBindings of a namespace, by name."""
        lists: list[Sequence[StoredObject]] = [self._store.entries(_resource(kind), namespace)]
        if not self._has_defaults:
            stored = {entry.key for entry in lists[0]}
            entries = _default_store().entries(_resource(kind), namespace)
            lists.append([entry for entry in entries if entry.key not in stored])
        return map(_read_binding, heapq.merge(*lists, key=lambda entry: entry.key))

    def own_bindings(self) -> list[Binding]:
        """Return the bindings that a new cluster lacks."""
        default_keys = {entry.key for entry in _entries(_default_store(), ("ClusterRoleBinding", "RoleBinding"))}
        entries = _entries(self._store, ("ClusterRoleBinding", "RoleBinding"))
        return [_read_binding(entry) for entry in entries if entry.key not in default_keys]

    def settle(self) -> None:
        """Fill the aggregated ClusterRoles in the store, as the controller does after a change of ClusterRoles."""
        entries = self._store.entries(CLUSTER_ROLES)
        revisions = tuple(entry.revision for entry in entries)
        if revisions == self._aggregated:
            return
        defaults = () if self._has_defaults else _default_store().entries(CLUSTER_ROLES)
        values = {entry.key.name: entry.value for entry in (*defaults, *entries)}
        for value in _aggregate([*values.values()]):
            _put(self._store, value)
        self._aggregated = tuple(entry.revision for entry in self._store.entries(CLUSTER_ROLES))

    def _stores(self) -> tuple[Store, ...]:
        return (self._store,) if self._has_defaults else (self._store, _default_store())


def _aggregate(roles: Sequence[Resource]) -> list[Resource]:
    """
    Return the ClusterRoles that get other rules by their `aggregationRule`.

    Args:
        roles: All ClusterRoles.

    Aggregated roles may choose each other, so the rules are computed until none changes, at most once for each role.

    Reference:
        kubernetes pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
    """
    current = {role["metadata"]["name"]: role for role in roles}
    before = dict(current)
    for _ in range(len(roles)):
        is_stable = True
        for name, role in sorted(current.items()):
            rules = _aggregated_rules(role, current)
            if rules is not None and rules != (role.get("rules") or []):
                current[name], is_stable = {**role, "rules": rules}, False
        if is_stable:
            break
    return [role for name, role in current.items() if role is not before[name]]


def _aggregated_rules(role: Resource, roles: Mapping[str, Resource]) -> list[JSONValue] | None:
    """Return the rules of an aggregated role; None for another role."""
    if not role.get("aggregationRule"):
        return None
    rules: list[JSONValue] = []
    for selector in role["aggregationRule"].get("clusterRoleSelectors") or ():
        for name in sorted(roles):
            if name != role["metadata"]["name"] and _is_selected(selector, roles[name]):
                rules += [rule for rule in roles[name].get("rules") or () if rule not in rules]
    return rules


def _is_selected(selector: Mapping[str, Any], role: Resource) -> bool:
    """Return whether a label selector chooses a role; an empty selector chooses all."""
    return labelselectors.is_match(labelselectors.requirements(selector), role["metadata"].get("labels") or {})


@functools.cache
def _default_store() -> Store:
    """Return a read-only store with the roles and bindings of a new cluster."""
    store = Store()
    for value in _default_objects():
        _put(store, value)
    return store


def _put(store: Store, value: Resource) -> StoredObject:
    metadata = value["metadata"]
    return store.put(ObjectKey(_resource(value["kind"]), metadata.get("namespace", ""), metadata["name"]), value)


def _entries(store: Store, kinds: Iterable[str]) -> list[StoredObject]:
    return [entry for kind in kinds for entry in store.entries(_resource(kind))]


def _resource(kind: str) -> str:
    return f"{policy.PLURALS[kind]}.{policy.GROUP}"


def _read_role(entry: StoredObject) -> Role:
    role: Role = entry.forms.get(Role) or entry.forms.setdefault(Role, policy.read_role(entry.value))
    return role


def _read_binding(entry: StoredObject) -> Binding:
    binding: Binding = entry.forms.get(Binding) or entry.forms.setdefault(Binding, policy.read_binding(entry.value))
    return binding


@functools.cache
def _default_objects() -> Sequence[Resource]:
    """Return the roles and bindings of a new cluster, with the rules of aggregated roles."""
    recorded = [_complete(item) for item in _table()["objects"]]
    cluster_roles = [item for item in recorded if item["kind"] == "ClusterRole"]
    changed = {role["metadata"]["name"]: role for role in _aggregate(cluster_roles)}
    return [changed.get(item["metadata"]["name"], item) if item["kind"] == "ClusterRole" else item for item in recorded]


def _complete(item: Mapping[str, Any]) -> Resource:
    """Return a recorded object with its kind, and with the labels and annotations that all have."""
    table = _table()
    metadata = {**item["metadata"], "annotations": table["annotations"]}
    metadata["labels"] = {**table["labels"], **metadata.get("labels", {})}
    return {**item, "apiVersion": policy.API_VERSION, "metadata": metadata}


@functools.cache
def _table() -> Mapping[str, Any]:
    """Return the output of `python -m oracle record defaultpolicy`."""
    text = resources.files(__package__).joinpath("defaultpolicy.json").read_text(encoding="utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
