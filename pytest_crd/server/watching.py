"""Watches: a place in the history of the store, and what a client is told of what happens after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server import reads
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, compact
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.listoptions import ListOptions
from pytest_crd.server.protobuf import protowriting
from pytest_crd.server.protobuf.protofields import ProtobufError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import CompactedError, Event, Store, StoredObject


class WatchEvent(NamedTuple):
    """
    What a client is told.

    Attributes:
        type: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
        entry: Of which object; None of the last two.
        value: What is told where it is no object.
    """

    type: str
    entry: StoredObject | None = None
    value: JSONValue = None


class Watch:
    """
    A watch; `take` gives what is new since the last time.

    Attributes:
        type: What is watched.
        is_over: Whether nothing comes any longer, as an error was told, or objects are served otherwise since.
    """

    def __init__(
        self, store: Store, type_: ResourceType, namespace: str, options: ListOptions, *, shows_none: bool = False
    ) -> None:
        """
        Start at the resourceVersion of *options*.

        Args:
            store: The store.
            type_: The resource.
            namespace: The namespace; empty for all.
            options: The options of the request.
            shows_none: Whether the client asks for a form that no object has: the first event ends the watch.

        Raises:
            ApiError: A selector or resourceVersion makes no sense.
        """
        self.type = type_
        self.is_over = False
        self._shows_none = shows_none
        self._store = store
        self._namespace = namespace if type_.is_namespaced else ""
        self._matches = reads.filter_of(type_, options)
        self._wants_bookmarks = options.wants_bookmarks
        since = reads.version_of(options.resource_version or "0")
        self._begins = options.sends_initial_events if options.sends_initial_events is not None else not since
        self._ends_beginning = bool(options.sends_initial_events) and options.wants_bookmarks
        with store.lock:
            self._opened = store.revision
            # What is there is told as of now, whatever is asked.
            self._revision = store.revision if self._begins or not since else since
            self._first = self._present() if self._begins else []

    @property
    def revision(self) -> int:
        """How far the watch is."""
        return self._revision

    def take(self) -> list[WatchEvent]:
        """Return the new events, oldest first; none if the watch is over or cannot show objects."""
        if self.is_over:
            return []
        events = self._take()
        if events and self._shows_none:
            self.is_over = True
            return []
        return events

    def _take(self) -> list[WatchEvent]:
        found, self._first = self._first, []
        try:
            happened = self._store.since(min(self._revision, self._store.revision))
        except CompactedError as error:
            return [*found, self._expired(error.oldest)]
        if since := [one.revision for one in happened if one.revision <= self._opened and self.type.ends_watches(one)]:
            return [self._expired(since[-1])]
        for event in happened:
            self._revision = event.revision
            try:
                found += self._told(event)
            except ApiError as error:
                self.is_over = True
                return [*found, WatchEvent("ERROR", value=error.status)]
            if event.revision > self._opened and self.type.ends_watches(event):
                self.is_over = True
                break
        return found

    def bookmark(self) -> list[WatchEvent]:
        """Return what says how far the watch is, to a client that wants to know that."""
        return [self._bookmark({})] if self._wants_bookmarks else []

    def _expired(self, oldest: int) -> WatchEvent:
        """Return what ends a watch from before *oldest*: that is forgotten, or the CRD said something else then, of which servers keep nothing."""
        self.is_over = True
        message = f"too old resource version: {self._revision} ({oldest})"
        return WatchEvent("ERROR", value=statuses.failure(410, "Expired", message).status)

    def _present(self) -> list[WatchEvent]:
        entries = self._store.entries(self.type.resource, self._namespace)
        found = [WatchEvent("ADDED", entry) for entry in entries if self._matches(self.type.shown(entry))]
        if self._ends_beginning:
            found.append(self._bookmark({"k8s.io/initial-events-end": "true"}))
        return found

    def _bookmark(self, annotations: Resource) -> WatchEvent:
        metadata: Resource = {"resourceVersion": str(self._revision)} | (
            {"annotations": annotations} if annotations else {}
        )
        names = {"kind": self.type.names.kind, "apiVersion": self.type.api_version}
        value = {**names, "metadata": metadata, **self.type.blank}
        return WatchEvent("BOOKMARK", value=value)

    def _told(self, event: Event) -> list[WatchEvent]:
        """Return what a client is told of a change: objects enter and leave what its selectors mean."""
        key = event.key
        if key.resource != self.type.resource or (self._namespace and key.namespace != self._namespace):
            return []
        is_in, was_in = self._is_meant(event.new), self._is_meant(event.old)
        if is_in:
            return [WatchEvent("MODIFIED" if was_in else "ADDED", event.new)]
        if not was_in:
            return []
        return [WatchEvent("DELETED", event.last or _departed(event))]

    def _is_meant(self, entry: StoredObject | None) -> bool:
        return entry is not None and self._matches(self.type.shown(entry))


def _departed(event: Event) -> StoredObject:
    """Return what a client is told that an object was which is no longer meant: the old one, with the number of the change."""
    assert event.old is not None  # noqa: S101 - it was meant before
    return StoredObject(event.key, event.old.value, event.revision)


class Stream(NamedTuple):
    """
    An answer that goes on: a watch, whose events are lines of JSON, or in protobuf what has its length before it.

    Attributes:
        watch: What gives the events.
        timeout: After how many seconds the server ends it.
        show: Returns an object, as it is read, in the shape that is wanted.
        shared: What watches have in common whose objects are shown alike; None of a watch that shows them in its own
            way.
        warnings: What is warned of.
        form: In which form events are sent, JSON or protobuf.
        sorts_keys: Whether objects are maps to the server: JSON has their keys in order.
    """

    watch: Watch
    timeout: float
    show: Callable[[Resource], Resource]
    shared: object = None
    warnings: tuple[str, ...] = ()
    form: str = negotiation.JSON
    sorts_keys: bool = False

    @property
    def media_type(self) -> str:
        """What the answer is."""
        return self.form if self.form == negotiation.JSON else f"{self.form};stream=watch"

    def line(self, event: WatchEvent) -> bytes:
        """Return how an event is sent; what many watches show alike is written once."""
        try:
            return self._told(event.type, self._object(event))
        except ProtobufError as error:
            return self._told("ERROR", self._written(statuses.unwritable(str(error)).status, sorts_keys=False))

    def _object(self, event: WatchEvent) -> bytes:
        if event.entry is None:
            is_error = event.type == "ERROR"
            value = event.value if is_error else self.show(event.value)
            return self._written(value, sorts_keys=self.sorts_keys and not is_error)
        forms, key = event.entry.forms, (self.shared, self.form)
        written: bytes | None = None if self.shared is None else forms.get(key)
        if written is None:
            written = self._written(self.show(self.watch.type.shown(event.entry)), sorts_keys=self.sorts_keys)
            if self.shared is not None:
                forms[key] = written
        return written

    def _written(self, value: JSONValue, *, sorts_keys: bool) -> bytes:
        if self.form == negotiation.PROTOBUF:
            return protowriting.write(value)
        return printing.respell_json(compact(value, sorts_keys=sorts_keys)).encode("utf-8", "surrogatepass")

    def _told(self, kind: str, written: bytes) -> bytes:
        if self.form == negotiation.PROTOBUF:
            return protowriting.event(kind, written)
        return b'{"type":"%s","object":%s}\n' % (kind.encode(), written)


Reply: TypeAlias = "HTTPAnswer | Stream"
