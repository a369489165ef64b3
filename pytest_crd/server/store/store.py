"""
Store of objects by key, with one revision per change and a bounded history.

It behaves like etcd behind the watch cache of kube-apiserver. It does no I/O. Callers hold `lock` to read and write in one step.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, overload

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.clock import Clock

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
        forms: A cache of its encoded and converted forms.
    """

    __slots__ = ("forms", "key", "revision", "value", "written")

    def __init__(self, key: ObjectKey, value: Resource, revision: int, written: float = 0.0) -> None:
        """Create from an object without resourceVersion, which becomes the revision."""
        metadata = {**value["metadata"], "resourceVersion": str(revision)}
        self.key = key
        self.value = {**value, "metadata": metadata}
        self.revision = revision
        self.written = written
        self.forms: dict[Any, Any] = {}


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


class ObjectList(Sequence[StoredObject]):
    """A lazy, ordered sequence of stored objects: pages look up few of them."""

    __slots__ = ("_objects_by_path", "_paths")

    def __init__(self, objects_by_path: Mapping[str, StoredObject], paths: Sequence[str]) -> None:
        """Create from objects by path and their paths in order; both must not change afterwards."""
        self._objects_by_path = objects_by_path
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, place: int) -> StoredObject: ...
    @overload
    def __getitem__(self, place: slice) -> ObjectList: ...
    def __getitem__(self, place: int | slice) -> StoredObject | ObjectList:
        """Return an object, or a slice of the sequence."""
        if isinstance(place, slice):
            return ObjectList(self._objects_by_path, self._paths[place])
        return self._objects_by_path[self._paths[place]]

    def __iter__(self) -> Iterator[StoredObject]:
        return map(self._objects_by_path.__getitem__, self._paths)


class Store:
    """
    The objects of all resources.

    Attributes:
        lock: Held by callers that read and write in one step.
        revision: The revision of the last change.
        clock: The clock of the server.
    """

    def __init__(self, history: int = HISTORY) -> None:
        """Start empty; keep the last *history* changes."""
        self.lock = threading.RLock()
        self.clock = Clock()
        self.revision = 1
        self._objects: dict[str, dict[str, StoredObject]] = {}
        self._paths: dict[str, list[str]] = {}
        self._log: deque[Event] = deque(maxlen=history)
        self._forgotten = 0
        self._listeners: tuple[Callable[[], None], ...] = ()

    @property
    def oldest(self) -> int:
        """The oldest revision with a complete history since."""
        return max(self.revision - len(self._log), self._forgotten)

    def get(self, key: ObjectKey) -> StoredObject | None:
        """Return the object under *key*, or None."""
        return self._objects.get(key.resource, {}).get(key.path)

    def put(self, key: ObjectKey, value: Resource) -> StoredObject:
        """Store an object, replacing the previous state, and return its new state."""
        with self.lock:
            old = self.get(key)
            entry = StoredObject(key, value, self.revision + 1, self.clock.elapsed)
            self._objects.setdefault(key.resource, {})[key.path] = entry
            if old is None:
                bisect.insort(self._paths.setdefault(key.resource, []), key.path)
            self._happen(Event(entry.revision, entry, old))
        return entry

    def delete(self, key: ObjectKey) -> StoredObject:
        """Delete the object under *key*, and return its last state."""
        with self.lock:
            old = self._objects[key.resource].pop(key.path)
            paths = self._paths[key.resource]
            del paths[bisect.bisect_left(paths, key.path)]
            last = StoredObject(key, old.value, self.revision + 1, self.clock.elapsed)
            self._happen(Event(last.revision, None, old, last))
        return last

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
                objects = self._at(resource, at)
                paths = sorted(objects)
            else:
                objects, paths = self._objects.get(resource, {}), self._paths.get(resource, [])
            if namespace:  # `0` sorts after `/`
                first = bisect.bisect_left(paths, f"{namespace}/")
                paths = paths[first : bisect.bisect_left(paths, f"{namespace}0", lo=first)]
            is_all = len(paths) == len(objects)
            return ObjectList(objects.copy() if is_all else {path: objects[path] for path in paths}, [*paths])

    def resources(self) -> list[str]:
        """Return the resources that have, or had, objects."""
        return [*self._objects]

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

    def clear(self) -> None:
        """Remove all objects and their history without events; older revisions are no longer stored, so watches end."""
        with self.lock:
            self._objects.clear()
            self._paths.clear()
            self._log.clear()
            self.revision += 1
            for listener in self._listeners:
                listener()

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

    def _at(self, resource: str, revision: int) -> dict[str, StoredObject]:
        """Return the objects of a resource at a revision, by undoing the changes since."""
        objects = dict(self._objects.get(resource, {}))
        for event in reversed(self.since(revision)):
            if event.key.resource != resource:
                continue
            if event.old is None:
                del objects[event.key.path]
            else:
                objects[event.key.path] = event.old
        return objects

    def _happen(self, event: Event) -> None:
        self.revision = event.revision
        self._log.append(event)
        for listener in self._listeners:
            listener()
