"""
Store of objects by key, with one revision per change and a bounded history.

It behaves like etcd behind the watch cache of kube-apiserver. It does no I/O. Callers hold `lock` to read and write in one step.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.clock import Clock
from pytest_crd.server.store.pathtable import PathList, PathTable

# The default number of changes kept: a client that misses more must list again.
HISTORY: Final = 10_000


class ObjectKey(NamedTuple):
    """
    The key of an object.

    Attributes:
        resource: The plural and the group, `crontabs.stable.example.com`; for the core group `pods`.
        namespace: The namespace; empty if the resource has none.
        name: The name.
    """

    resource: str
    namespace: str
    name: str

    @property
    def path(self) -> str:
        """The sort key within a resource: `namespace/name`, or the name."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class StoredObject:
    """
    An immutable state of an object.

    Attributes:
        key: The key.
        value: The object in the storage version, with its resourceVersion.
        revision: The revision of its last change.
        written: The time of its last change, in seconds of the clock.
        created: The revision of its creation.
        forms: A cache of its encoded and converted forms, which forks of the store share.
        reader: The reader for which the value itself is the converted form; None without one.
    """

    __slots__ = ("created", "forms", "key", "reader", "revision", "value", "written")

    def __init__(
        self, key: ObjectKey, value: Resource, revision: int, written: float = 0.0, *, created: int = 0
    ) -> None:
        """Create from an object without resourceVersion, which becomes the revision; a new object is created at it."""
        metadata = {**value["metadata"], "resourceVersion": str(revision)}
        self.key = key
        self.value = {**value, "metadata": metadata}
        self.revision = revision
        self.written = written
        self.created = created or revision
        self.forms: dict[Any, Any] = {}
        self.reader: object = None


class Event(NamedTuple):
    """
    A change of an object.

    Attributes:
        revision: The revision of the change.
        new: The state after the change; None if the object was deleted.
        old: The state before the change; None if the object was created.
        last: The last state of a deleted object, at the revision of its deletion; else None.
    """

    revision: int
    new: StoredObject | None
    old: StoredObject | None
    last: StoredObject | None = None

    @property
    def key(self) -> ObjectKey:
        """The key of the changed object."""
        entry = self.new or self.old
        assert entry is not None  # noqa: S101 - each change has a state
        return entry.key

    @property
    def written(self) -> float:
        """The time of the change, in seconds of the clock."""
        entry = self.new or self.last
        assert entry is not None  # noqa: S101 - each change has a state
        return entry.written


class CompactedError(Exception):
    """
    The requested history is no longer stored.

    Attributes:
        oldest: The oldest revision with a complete history since.
    """

    def __init__(self, oldest: int) -> None:
        """Create with the oldest revision."""
        super().__init__(f"the history before revision {oldest} is no longer stored")
        self.oldest = oldest


ObjectList: TypeAlias = PathList[StoredObject]
# Returns the indexed value of an object.
Indexer: TypeAlias = Callable[[StoredObject], Hashable]
_NO_INDEXERS: Final[Mapping[str, Indexer]] = {}


class Store:
    """
    The objects of all resources.

    Attributes:
        lock: Held by callers that read and write in one step.
        revision: The revision of the last change.
        clock: The clock of the server.
    """

    def __init__(self, history: int = HISTORY, indexers: Mapping[str, Mapping[str, Indexer]] | None = None) -> None:
        """
        Start empty.

        Args:
            history: The number of changes kept.
            indexers: The indexes by resource and name; those of the empty resource are indexes of all other resources.
        """
        self.lock = threading.RLock()
        self.clock = Clock()
        self.revision = 1
        self._indexers: Mapping[str, Mapping[str, Indexer]] = indexers or {}
        self._common_indexers = self._indexers.get("", _NO_INDEXERS)
        self._tables: dict[str, PathTable[StoredObject]] = {}
        self._owner: object | None = None
        self._log: deque[Event] = deque(maxlen=history)
        self._forgotten = 0
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._subscribers: tuple[Callable[[Event], None], ...] = ()

    @property
    def oldest(self) -> int:
        """The oldest revision with a complete history since."""
        return max(self.revision - len(self._log), self._forgotten)

    def get(self, key: ObjectKey) -> StoredObject | None:
        """Return the object under *key*, or None."""
        table = self._tables.get(key.resource)
        return None if table is None else table.values.get(key.path)

    def put(self, key: ObjectKey, value: Resource) -> StoredObject:
        """Store an object, replacing the previous state, and return its new state."""
        with self.lock:
            table, path = self._own(key.resource), key.path
            old = table.values.get(path)
            created = 0 if old is None else old.created
            entry = StoredObject(key, value, self.revision + 1, self.clock.elapsed, created=created)
            table.put(path, entry, self._indexers.get(key.resource, self._common_indexers))
            self._publish(Event(entry.revision, entry, old))
        return entry

    def delete(self, key: ObjectKey) -> StoredObject:
        """Delete the object under *key*, and return its last state."""
        with self.lock:
            table = self._own(key.resource)
            old = table.delete(key.path, self._indexers.get(key.resource, self._common_indexers))
            last = StoredObject(key, old.value, self.revision + 1, self.clock.elapsed)
            self._publish(Event(last.revision, None, old, last))
        return last

    def _own(self, resource: str) -> PathTable[StoredObject]:
        """Return the table of a resource for a write: a copy if lists or forks share it."""
        if self._owner is None:
            self._tables, self._owner = self._tables.copy(), object()
        table = self._tables.get(resource)
        if table is None:
            names = tuple(self._indexers.get(resource, self._common_indexers))
            table = self._tables[resource] = PathTable(self._owner, names)
        elif table.owner is not self._owner:
            table = self._tables[resource] = table.copy(self._owner)
        return table

    def fork(self) -> Store:
        """
        Return a store with the same objects, without history, listeners and subscribers; it costs the same for any number of objects.

        A change of one store does not change the other one.
        """
        with self.lock:
            child = Store(self._log.maxlen or HISTORY, self._indexers)
            child.revision = child._forgotten = self.revision
            child._tables, self._owner = self._tables, None
        return child

    def restore(self, fork: Store) -> None:
        """Return to the objects of a fork without events; older revisions are no longer stored, so watches end."""
        with self.lock:
            self._tables, self._owner, fork._owner = fork._tables, None, None
            self._log.clear()
            self.revision += 1
            for listener in self._listeners:
                listener()

    def find(self, resource: str, index: str, value: Hashable) -> list[StoredObject]:
        """Return the objects of a *resource* with an indexed value, in the order of their paths."""
        with self.lock:
            table = self._tables.get(resource)
            paths: Iterable[str] = () if table is None else table.indexes[index].get(value, ())
            return [] if table is None else [table.values[path] for path in paths]

    def entries(self, resource: str, namespace: str = "", *, at: int = 0) -> ObjectList:
        """
        Return the objects of a *resource*, ordered by namespace and name.

        Args:
            resource: The resource, as in a key.
            namespace: The namespace; empty for all.
            at: The revision of the returned states; 0 for the current one.

        Raises:
            CompactedError: The revision is no longer stored.
        """
        with self.lock:
            if at and at != self.revision:
                table: PathTable[StoredObject] = PathTable(None)
                table.values = self._at(resource, at)
                table.paths = sorted(table.values)
            else:
                table = self._tables.get(resource) or PathTable(None)
            return table.list(f"{namespace}/" if namespace else "")

    def resources(self) -> list[str]:
        """Return the resources that have, or had, objects."""
        return [*self._tables]

    def since(self, revision: int, *, is_running: bool = False) -> Sequence[Event]:
        """
        Return the changes after a *revision*, oldest first.

        Args:
            revision: The revision.
            is_running: Whether a watch has already reached the revision, which `forget` does not affect.

        Raises:
            CompactedError: Some of them are no longer stored.
        """
        with self.lock:
            oldest = self.revision - len(self._log) if is_running else self.oldest
            if revision < oldest:
                raise CompactedError(oldest)
            # From the newest: most callers have missed few changes.
            missed = list(itertools.takewhile(lambda event: event.revision > revision, reversed(self._log)))
            return missed[::-1]

    def forget(self, before: float) -> None:
        """
        Refuse new requests for the state at revisions that were replaced before a time.

        Args:
            before: The time, in seconds of the clock.
        """
        with self.lock:
            later = (event for event in self._log if event.written >= before)
            first = next(later, None)
            self._forgotten = max(self._forgotten, self.revision if first is None else first.revision - 1)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call *listener* after each change, in the writing thread and under the lock; return a function that unsubscribes it."""
        with self.lock:
            self._listeners = (*self._listeners, listener)

        def end() -> None:
            with self.lock:
                self._listeners = tuple(
                    other_listener for other_listener in self._listeners if other_listener is not listener
                )

        return end

    def subscribe(self, subscriber: Callable[[Event], None]) -> None:
        """Call *subscriber* with each change, in the writing thread and under the lock."""
        self._subscribers = (*self._subscribers, subscriber)

    def _at(self, resource: str, revision: int) -> dict[str, StoredObject]:
        """Return the objects of a resource at a revision, by undoing the changes since."""
        table = self._tables.get(resource)
        objects = {} if table is None else table.values.copy()
        for event in reversed(self.since(revision)):
            if event.key.resource != resource:
                continue
            if event.old is None:
                del objects[event.key.path]
            else:
                objects[event.key.path] = event.old
        return objects

    def _publish(self, event: Event) -> None:
        self.revision = event.revision
        self._log.append(event)
        for subscriber in self._subscribers:
            subscriber(event)
        for listener in self._listeners:
            listener()
