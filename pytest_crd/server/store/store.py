"""
What is stored: objects under keys, one revision for each change, and a history of changes that is bounded.

As etcd does it, and the watch cache of kube-apiserver before it. No I/O; whoever reads and writes in one step holds `lock` meanwhile.
"""

from __future__ import annotations

import bisect
import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, overload

from pytest_crd.engine.jsonvalue import JSONObject as Resource

# How many changes are remembered: as many as a client may miss before it must list again.
HISTORY: Final = 10_000


class ObjectKey(NamedTuple):
    """
    Where an object is stored.

    Attributes:
        resource: The plural and the group, `crontabs.stable.example.com`; of the core group `pods`.
        namespace: Its namespace; empty where it has none.
        name: Its name.
    """

    resource: str
    namespace: str
    name: str

    @property
    def path(self) -> str:
        """What orders the objects of a resource: `namespace/name`, or the name."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class StoredObject:
    """
    An object as it is stored at a revision; it never changes.

    Attributes:
        key: Where it is stored.
        value: The object in the storage version, with its resourceVersion.
        revision: Since which revision it is as it is.
        forms: What was made of it for answers, kept by who made it.
    """

    __slots__ = ("forms", "key", "revision", "value")

    def __init__(self, key: ObjectKey, value: Resource, revision: int) -> None:
        """Take the object without its resourceVersion, which is the revision."""
        metadata = {**value["metadata"], "resourceVersion": str(revision)}
        self.key = key
        self.value = {**value, "metadata": metadata}
        self.revision = revision
        self.forms: dict[Any, Any] = {}


class Event(NamedTuple):
    """
    A change.

    Attributes:
        revision: Its number.
        new: What is stored since; None where the object was deleted.
        old: What was stored before; None where nothing was.
        last: What a deleted object was, at the revision of its deletion; None of any other change.
    """

    revision: int
    new: StoredObject | None
    old: StoredObject | None
    last: StoredObject | None = None

    @property
    def key(self) -> ObjectKey:
        """What it is a change of."""
        entry = self.new or self.old
        assert entry is not None  # noqa: S101 - there is one of the two
        return entry.key


class CompactedError(Exception):
    """
    What is asked for is no longer remembered.

    Attributes:
        oldest: The oldest revision after which each change is remembered.
    """

    def __init__(self, oldest: int) -> None:
        """Take the oldest revision."""
        super().__init__(f"what was before revision {oldest} is forgotten")
        self.oldest = oldest


class ObjectList(Sequence[StoredObject]):
    """Stored objects in their order; each is looked up when it is asked for, as most are not asked for by a page."""

    __slots__ = ("_found", "_paths")

    def __init__(self, found: Mapping[str, StoredObject], paths: Sequence[str]) -> None:
        """Take objects by their paths, neither of which changes any longer, and the paths in order."""
        self._found = found
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, place: int) -> StoredObject: ...
    @overload
    def __getitem__(self, place: slice) -> ObjectList: ...
    def __getitem__(self, place: int | slice) -> StoredObject | ObjectList:
        """Return one of them, or some."""
        if isinstance(place, slice):
            return ObjectList(self._found, self._paths[place])
        return self._found[self._paths[place]]

    def __iter__(self) -> Iterator[StoredObject]:
        return map(self._found.__getitem__, self._paths)


class Store:
    """
    The objects of all resources.

    Attributes:
        lock: Held by who reads and writes in one step.
        revision: The number of the last change.
    """

    def __init__(self, history: int = HISTORY) -> None:
        """Start empty; *history* changes are remembered."""
        self.lock = threading.RLock()
        self.revision = 1
        self._objects: dict[str, dict[str, StoredObject]] = {}
        self._paths: dict[str, list[str]] = {}
        self._log: deque[Event] = deque(maxlen=history)
        self._listeners: tuple[Callable[[], None], ...] = ()

    @property
    def oldest(self) -> int:
        """The oldest revision after which each change is remembered."""
        return self.revision - len(self._log)

    def get(self, key: ObjectKey) -> StoredObject | None:
        """Return what is stored under *key*; None where nothing is."""
        return self._objects.get(key.resource, {}).get(key.path)

    def put(self, key: ObjectKey, value: Resource) -> StoredObject:
        """Store an object in place of what is there, and return it as it is stored."""
        with self.lock:
            old = self.get(key)
            entry = StoredObject(key, value, self.revision + 1)
            self._objects.setdefault(key.resource, {})[key.path] = entry
            if old is None:
                bisect.insort(self._paths.setdefault(key.resource, []), key.path)
            self._happen(Event(entry.revision, entry, old))
        return entry

    def delete(self, key: ObjectKey) -> StoredObject:
        """Delete what is stored under *key*, and return it as its deletion shows it."""
        with self.lock:
            old = self._objects[key.resource].pop(key.path)
            paths = self._paths[key.resource]
            del paths[bisect.bisect_left(paths, key.path)]
            last = StoredObject(key, old.value, self.revision + 1)
            self._happen(Event(last.revision, None, old, last))
        return last

    def entries(self, resource: str, namespace: str = "", *, at: int = 0) -> ObjectList:
        """
        Return the objects of a *resource*, ordered by namespace and name, as they are now.

        Args:
            resource: As in a key.
            namespace: Of which namespace; empty for all.
            at: As they were at a revision; 0 for now.

        Raises:
            CompactedError: That revision is no longer remembered.
        """
        with self.lock:
            if at and at != self.revision:
                found = self._at(resource, at)
                paths = sorted(found)
            else:
                found, paths = self._objects.get(resource, {}), self._paths.get(resource, [])
            if namespace:  # `0` comes after the slash
                first = bisect.bisect_left(paths, f"{namespace}/")
                paths = paths[first : bisect.bisect_left(paths, f"{namespace}0", lo=first)]
            is_all = len(paths) == len(found)
            return ObjectList(found.copy() if is_all else {path: found[path] for path in paths}, [*paths])

    def resources(self) -> list[str]:
        """Return of which resources objects are stored, or were."""
        return [*self._objects]

    def since(self, revision: int) -> Sequence[Event]:
        """
        Return the changes after a *revision*, oldest first.

        Raises:
            CompactedError: Some of them are no longer remembered.
        """
        with self.lock:
            if revision < self.oldest:
                raise CompactedError(self.oldest)
            # From the newest: most who ask have missed few.
            missed = list(itertools.takewhile(lambda event: event.revision > revision, reversed(self._log)))
            return missed[::-1]

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have *listener* called after each change, by who makes it and under the lock; return what ends that."""
        with self.lock:
            self._listeners = (*self._listeners, listener)

        def end() -> None:
            with self.lock:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return end

    def _at(self, resource: str, revision: int) -> dict[str, StoredObject]:
        """Return the objects of a resource at a revision: those of now, with what happened since undone."""
        found = dict(self._objects.get(resource, {}))
        for event in reversed(self.since(revision)):
            if event.key.resource != resource:
                continue
            if event.old is None:
                del found[event.key.path]
            else:
                found[event.key.path] = event.old
        return found

    def _happen(self, event: Event) -> None:
        self.revision = event.revision
        self._log.append(event)
        for listener in self._listeners:
            listener()
