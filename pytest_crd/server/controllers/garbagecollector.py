"""
Garbage collection: deletion of objects without owners, as a client of the API.

A cluster collects in the background, soon after a change. This collector runs to its end after each write, so that tests need not wait.

Reference:
    kubernetes pkg/controller/garbagecollector/garbagecollector.go, attemptToDeleteItem, processDeletingDependentsItem and orphanDependents.
"""

from __future__ import annotations

import json
import operator
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry import requestoptions, usernames
from pytest_crd.engine.registry.admission import User
from pytest_crd.server import storeddefinitions
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import CompactedError, Event, Indexer, ObjectKey, Store, StoredObject

_ACCOUNT: Final = ("kube-system", "generic-garbage-collector")
USER: Final = User(
    usernames.service_account(*_ACCOUNT),
    groups=(*usernames.service_account_groups(_ACCOUNT[0]), usernames.AUTHENTICATED),
)
"""The user of the collector, as in a cluster."""

_INDEX: Final = "collected"
_INDEXER: Final[Mapping[str, Indexer]] = {_INDEX: lambda entry: _is_collected(entry) or None}
INDEXERS: Final[Mapping[str, Mapping[str, Indexer]]] = {
    "": _INDEXER,
    **{resource: {**own, **_INDEXER} for resource, own in storeddefinitions.INDEXERS.items()},
}
"""The indexes of a store whose garbage is collected: in each resource the objects with an owner or a deletion."""

_USER_AGENT: Final = "kube-controller-manager"
_ORPHAN, _FOREGROUND = "orphan", "foregroundDeletion"
# A worker reads an object twice before it removes a finalizer.
_FINALIZER_REQUESTS: Final = 3


class ServedTypes(Protocol):
    """The served resources."""

    def types(self) -> Sequence[ResourceType]:
        """Return all resources."""

    def find_kinds(self, group: str, version: str, kind: str) -> Sequence[ResourceType]:
        """Return the resources with the objects of a kind."""


class _Item(NamedTuple):
    """
    A stored object with its resource.

    Attributes:
        type: The resource.
        entry: The object.
    """

    type: ResourceType
    entry: StoredObject

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata."""
        metadata: Mapping[str, Any] = self.entry.value["metadata"]
        return metadata

    @property
    def owners(self) -> Sequence[Mapping[str, Any]]:
        """The owner references."""
        return self.metadata.get("ownerReferences") or ()

    @property
    def is_ending(self) -> bool:
        """Whether the object is being deleted."""
        return bool(self.metadata.get("deletionTimestamp"))

    def has_finalizer(self, finalizer: str) -> bool:
        """Return whether a finalizer is present."""
        return finalizer in (self.metadata.get("finalizers") or ())

    @property
    def is_deleting_dependents(self) -> bool:
        """Whether the object waits for the deletion of its dependents."""
        return self.is_ending and self.has_finalizer(_FOREGROUND)

    @property
    def path(self) -> str:
        """The path of the URL."""
        key, lead = self.entry.key, f"/apis/{self.type.group}" if self.type.group else "/api"
        within = f"/namespaces/{key.namespace}" if key.namespace else ""
        return f"{lead}/{self.type.version}{within}/{self.type.names.plural}/{key.name}"


class _Waiting(NamedTuple):
    """
    An owner that waits for its dependents.

    Attributes:
        revision: Its revision.
        dependents: The uids of its dependents, and whether each blocks its deletion.
    """

    revision: int
    dependents: Mapping[str, bool]

    @classmethod
    def from_item(cls, item: _Item, dependents: Sequence[_Item]) -> _Waiting:
        """Create for an owner."""
        uid = item.metadata["uid"]
        blocking = {dependent.metadata["uid"]: _blocks(dependent, uid) for dependent in dependents}
        return cls(item.entry.revision, blocking)

    def has_reason(self, before: _Waiting) -> bool:
        """Return whether the collector looks at the owner again: it has changed, or a dependent went or blocks no more."""
        has_freed = any(blocked and not self.dependents.get(uid) for uid, blocked in before.dependents.items())
        return self.revision != before.revision or has_freed or not before.dependents.keys() <= self.dependents.keys()


class _State(NamedTuple):
    """
    The state of the objects before a step.

    Attributes:
        items: The objects with an owner or a deletion, and their owners.
        new_waiting: The uids of owners that wait for their dependents since the last step.
        renewed: The uids of owners that look at their blocking dependents again.
        again: The uids of objects whose deletion conflicted.
        written: The number of the request that wrote each object in this step.
    """

    items: Mapping[ObjectKey, _Item]
    new_waiting: frozenset[str]
    renewed: frozenset[str]
    again: frozenset[str]
    written: dict[ObjectKey, int]

    def is_due(self, owner: Mapping[str, Any], state: str) -> bool:
        """Return whether the state of an owner is a reason to look at its dependent."""
        blocks = bool(owner.get("blockOwnerDeletion"))
        is_watched = owner["uid"] in self.new_waiting or (blocks and owner["uid"] in self.renewed)
        return state == "gone" or (state == "waiting" and is_watched)


class GarbageCollector:
    """The garbage collector of a server."""

    def __init__(self, store: Store, catalog: ServedTypes, request: Callable[[HTTPRequest], object]) -> None:
        """
        Create for a server.

        Args:
            store: The stored objects.
            catalog: The served resources.
            request: Sends an authorized request.
        """
        self._store = store
        self._catalog = catalog
        self._request = request
        self._lock = threading.Lock()
        self._is_running = False
        self._collected = 0
        self._waiting: Mapping[str, _Waiting] = {}
        self._conflicts: set[str] = set()
        self._again: frozenset[str] = frozenset()
        self._requests = 0
        # Whether a request of the last step failed, which the next write repeats.
        self._has_failed = False

    def run(self) -> None:
        """Collect until nothing changes; return at once if another thread does, or if a request of the collector causes the call."""
        if not self._begin():
            return
        try:
            while not self._is_done():
                if self._has_reason:
                    self._step()
        except BaseException:
            self._is_running = False
            raise

    def _begin(self) -> bool:
        with self._lock:
            is_free, self._is_running = not self._is_running, True
        return is_free

    def _is_done(self) -> bool:
        """
        Return True, and let other threads collect, if nothing has changed since the last step.

        Conflicting deletions are tried again as soon as nothing else changes: a cluster tries them again later.
        """
        with self._lock:
            revision = self._store.revision
            is_settled = self._collected == revision
            self._again = frozenset(self._conflicts if is_settled else ())
            self._conflicts -= self._again
            is_done = is_settled and not self._again
            self._has_reason = bool(self._again) or self._has_failed or self._has_changes(self._collected)
            self._collected = revision
            self._is_running = not is_done
        return is_done

    def _has_changes(self, revision: int) -> bool:
        """Return whether a change since a revision can be a reason to collect; most writes have nothing to do with owners."""
        try:
            return any(map(_concerns, self._store.since(revision, is_running=True)))
        except CompactedError:
            return True

    def _step(self) -> None:
        """
        Look at each object that has an owner or waits for its dependents.

        The workers of a cluster do this at the same time, each with one request after the other. A worker sees the writes of others that
        need fewer requests.
        """
        self._has_failed = False
        with self._store.lock:
            items = [*self._items()]
            owners = {owner.entry.key: owner for item in items for owner in self._owners_of(item)}
        dependents: dict[str, list[_Item]] = defaultdict(list)
        for item in items:
            for owner in item.owners:
                dependents[owner.get("uid", "")].append(item)
        waiting = {
            item.metadata["uid"]: _Waiting.from_item(item, dependents[item.metadata["uid"]])
            for item in items
            if item.is_deleting_dependents
        }
        before, self._waiting = self._waiting, waiting
        renewed = frozenset(uid for uid, owner in waiting.items() if uid in before and owner.has_reason(before[uid]))
        state = _State(
            {**owners, **{item.entry.key: item for item in items}},
            frozenset(waiting.keys() - before.keys()),
            renewed,
            self._again,
            {},
        )
        turns = [(self._turn(item, state), item) for item in items]
        for turn, item in sorted(turns, key=operator.itemgetter(0)):
            if self._store.get(item.entry.key) is item.entry:  # unchanged in this step
                requests = self._requests
                self._attempt(item, dependents[item.metadata["uid"]], state)
                if self._store.get(item.entry.key) is not item.entry:
                    state.written[item.entry.key] = turn
                elif self._requests > requests:
                    self._has_failed = True

    def _turn(self, item: _Item, state: _State) -> int:
        """Return the number of requests of a worker up to its write: it reads the object, each owner that is not known as gone, and writes."""
        if item.is_ending:
            return 1 if item.has_finalizer(_ORPHAN) else _FINALIZER_REQUESTS
        return 2 + sum(self._find_state(item, owner, state) != "gone" for owner in item.owners)

    def _items(self) -> Iterator[_Item]:
        resources: set[str] = set()
        for type_ in self._catalog.types():
            if type_.resource not in resources:
                resources.add(type_.resource)
                yield from (_Item(type_, entry) for entry in self._store.find(type_.resource, _INDEX, value=True))

    def _owners_of(self, item: _Item) -> Iterator[_Item]:
        """Yield the stored objects that an object names as its owners, whatever their uids are."""
        for owner in item.owners:
            if (type_ := self._find_type(item, owner)) is not None:
                entry = self._store.get(type_.key(item.entry.key.namespace, str(owner.get("name", ""))))
                if entry is not None:
                    yield _Item(type_, entry)

    def _find_type(self, item: _Item, owner: Mapping[str, Any]) -> ResourceType | None:
        """Return the resource of an owner; None if it is not served, or if it is in a namespace and the object is not."""
        group, _, version = str(owner.get("apiVersion", "")).rpartition("/")
        type_ = next(iter(self._catalog.find_kinds(group, version, str(owner.get("kind")))), None)
        return None if type_ is None or (type_.is_namespaced and not item.entry.key.namespace) else type_

    def _attempt(self, item: _Item, dependents: Sequence[_Item], state: _State) -> None:
        """Collect an object that has owners; remove the finalizers of the collector from an owner that is being deleted."""
        if item.is_ending and item.has_finalizer(_ORPHAN):
            for dependent in dependents:
                self._disown(dependent, {item.metadata["uid"]})
            self._remove_finalizer(item, _ORPHAN)
        elif item.is_deleting_dependents:
            if all(not _blocks(dependent, item.metadata["uid"]) for dependent in dependents):
                self._remove_finalizer(item, _FOREGROUND)
        elif item.owners and not item.is_ending:
            self._attempt_to_delete(item, dependents, state)

    def _attempt_to_delete(self, item: _Item, dependents: Sequence[_Item], state: _State) -> None:
        """Delete an object without a lasting owner; otherwise remove its references to other owners."""
        states = [self._find_state(item, owner, state) for owner in item.owners]
        is_due = item.metadata["uid"] in state.again or any(map(state.is_due, item.owners, states))
        if "unknown" in states or not is_due:
            return
        states = self._read_states(item, states, state)
        if "solid" in states:
            self._disown(
                item, {owner["uid"] for owner, word in zip(item.owners, states, strict=True) if word != "solid"}
            )
        elif "waiting" in states and dependents:
            if any(dependent.is_deleting_dependents for dependent in dependents) and self._unblock(item):
                self._conflicts.add(item.metadata["uid"])  # the deletion expects the revision before
            else:
                self._delete(item, "Foreground")
        elif item.has_finalizer(_ORPHAN):
            self._delete(item, "Orphan")
        else:
            self._delete(item, "Foreground" if item.has_finalizer(_FOREGROUND) else "Background")

    def _read_states(self, item: _Item, states: Sequence[str], state: _State) -> list[str]:
        """Return the states of the owners as a worker reads them one after the other; it does not read those known as gone."""
        turn, read = 1, []
        for owner, before in zip(item.owners, states, strict=True):
            turn += before != "gone"
            read.append(before if before == "gone" else self._find_state(item, owner, state, turn))
        return read

    def _find_state(self, item: _Item, owner: Mapping[str, Any], state: _State, turn: int = 0) -> str:
        """
        Return the state of an owner before the step, or as a worker reads it by a later request of the step.

        Returns:
            `gone`, `waiting` for the deletion of its dependents, or `solid`; `unknown` if its kind is not served, or if it is in a namespace
            and the object is not.
        """
        if (type_ := self._find_type(item, owner)) is None:
            return "unknown"
        key = type_.key(item.entry.key.namespace, str(owner.get("name", "")))
        current = state.items.get(key)
        if state.written.get(key, turn) < turn:
            entry = self._store.get(key)
            current = None if entry is None else _Item(type_, entry)
        if current is None or current.metadata["uid"] != owner.get("uid"):
            return "gone"
        return "waiting" if current.is_deleting_dependents else "solid"

    def _disown(self, item: _Item, uids: set[str]) -> None:
        self._patch(item, {"ownerReferences": [owner for owner in item.owners if owner.get("uid") not in uids]})

    def _unblock(self, item: _Item) -> bool:
        """Let an object block no owner; return whether it has changed."""
        self._patch(item, {"ownerReferences": [{**owner, "blockOwnerDeletion": False} for owner in item.owners]})
        return self._store.get(item.entry.key) is not item.entry

    def _remove_finalizer(self, item: _Item, finalizer: str) -> None:
        self._patch(item, {"finalizers": [name for name in item.metadata["finalizers"] if name != finalizer]})

    def _patch(self, item: _Item, metadata: Resource) -> None:
        body = {"metadata": {"uid": item.metadata["uid"], **metadata}}
        self._send("PATCH", item.path, body, requestoptions.MERGE_PATCH)

    def _delete(self, item: _Item, policy: str) -> None:
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": item.metadata["uid"]}}
        self._send("DELETE", item.path, {**options, "propagationPolicy": policy}, "application/json")

    def _send(self, method: str, path: str, body: Resource, media_type: str) -> None:
        headers = {"user-agent": _USER_AGENT, "content-type": media_type}
        self._requests += 1
        self._request(HTTPRequest(method, path, headers, json.dumps(body).encode(), user=USER))


def _blocks(dependent: _Item, uid: str) -> bool:
    return any(owner.get("uid") == uid and owner.get("blockOwnerDeletion") for owner in dependent.owners)


def _is_collected(entry: StoredObject) -> bool:
    """Return whether the collector looks at an object: it has owners, or it is being deleted."""
    metadata = entry.value["metadata"]
    return bool(metadata.get("ownerReferences") or metadata.get("deletionTimestamp"))


def _concerns(event: Event) -> bool:
    """Return whether a change can be a reason to collect: of owners, of a deletion, or of the served kinds, which owners may have."""
    if event.new is None or event.key.resource == storeddefinitions.RESOURCE:
        return True
    return _is_collected(event.new) or (event.old is not None and _is_collected(event.old))
