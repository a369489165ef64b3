"""Watches: a position in the history of the store, and the events after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server import reads, unreadable
from pytest_crd.server.http import negotiation, statuses
from pytest_crd.server.http.httpmessages import HTTPAnswer, compact
from pytest_crd.server.http.negotiation import Form
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.listoptions import ListOptions
from pytest_crd.server.protobuf import protowriting
from pytest_crd.server.protobuf.protofields import ProtobufError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import CompactedError, Event, Store, StoredObject


class WatchEvent(NamedTuple):
    """
    An event of a watch.

    Attributes:
        type: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
        entry: The object; None for `BOOKMARK` and `ERROR`.
        value: The bookmark or the Status.
    """

    type: str
    entry: StoredObject | None = None
    value: JSONValue = None


class Watch:
    """
    A watch; `take` returns the events since its last call.

    Attributes:
        type: The watched resource.
        is_over: Whether the watch has ended: after an error, or because its objects are served differently now.
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
            shows_none: Whether the client requests a form that no object has: the first event ends the watch.

        Raises:
            ApiError: A selector or the resourceVersion is invalid.
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
            # Initial events show the current state, regardless of the requested revision.
            self._revision = store.revision if self._begins or not since else since
            self._is_running = self._revision >= store.oldest
            entries = store.entries(type_.resource, self._namespace) if self._begins else None
        # Outside of the lock, as a webhook that converts objects may be a client of this server.
        self._first = [] if entries is None else self._present(entries)

    @property
    def revision(self) -> int:
        """The resourceVersion that the watch has reached."""
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
        events, self._first = self._first, []
        try:
            changes = self._store.since(min(self._revision, self._store.revision), is_running=self._is_running)
        except CompactedError as error:
            return [*events, self._expired(error.oldest)]
        if redefined := [
            change.revision for change in changes if change.revision <= self._opened and self.type.ends_watches(change)
        ]:
            return [self._expired(redefined[-1])]
        for event in changes:
            self._revision = event.revision
            try:
                events += self._events_of(event)
            except ApiError as error:
                self.is_over = True
                return [*events, WatchEvent("ERROR", value=unreadable.status_of_event(error))]
            if event.revision > self._opened and self.type.ends_watches(event):
                self.is_over = True
                break
        return events

    def expire(self) -> list[WatchEvent]:
        """End the watch with the error for a forgotten resourceVersion."""
        return [self._expired(self._store.revision)]

    def bookmark(self) -> list[WatchEvent]:
        """Return a bookmark if the client accepts bookmarks, else nothing."""
        return [self._bookmark({})] if self._wants_bookmarks else []

    def _expired(self, oldest: int) -> WatchEvent:
        """End the watch and return its error: changes before *oldest* are gone, or the CRD has changed since."""
        self.is_over = True
        message = f"too old resource version: {self._revision} ({oldest})"
        return WatchEvent("ERROR", value=statuses.failure(410, "Expired", message).status)

    def _present(self, entries: Sequence[StoredObject]) -> list[WatchEvent]:
        events = [WatchEvent("ADDED", entry) for entry in entries if self._matches(self.type.read(entry))]
        if self._ends_beginning:
            events.append(self._bookmark({"k8s.io/initial-events-end": "true"}))
        return events

    def _bookmark(self, annotations: Resource) -> WatchEvent:
        metadata: Resource = {"resourceVersion": str(self._revision)} | (
            {"annotations": annotations} if annotations else {}
        )
        names = {"kind": self.type.names.kind, "apiVersion": self.type.api_version}
        value = {**names, "metadata": metadata, **self.type.blank}
        return WatchEvent("BOOKMARK", value=value)

    def _events_of(self, event: Event) -> list[WatchEvent]:
        """Return the events of a change, for objects that match, or no longer match, the selectors."""
        key = event.key
        if key.resource != self.type.resource or (self._namespace and key.namespace != self._namespace):
            return []
        is_in, was_in = self._is_selected(event.new), self._is_selected(event.old)
        if is_in:
            return [WatchEvent("MODIFIED" if was_in else "ADDED", event.new)]
        if not was_in:
            return []
        return [WatchEvent("DELETED", event.last or _last_match(event))]

    def _is_selected(self, entry: StoredObject | None) -> bool:
        return entry is not None and self._matches(self.type.read(entry))


def _last_match(event: Event) -> StoredObject:
    """Return the old state of an object that no longer matches, with the revision of the change."""
    assert event.old is not None  # noqa: S101 - it matched before
    return StoredObject(event.key, event.old.value, event.revision)


class Stream(NamedTuple):
    """
    Response of a watch: JSON lines, or length-prefixed protobuf messages.

    Attributes:
        watch: The source of the events.
        timeout: The seconds until the server ends the watch.
        show: Function that converts an object to the requested shape.
        shared: Cache key for watches that show objects alike; None to encode objects for this watch alone.
        warnings: The warnings of the response.
        form: The form of the events, JSON or protobuf.
    """

    watch: Watch
    timeout: float
    show: Callable[[Resource], Resource]
    shared: object = None
    warnings: tuple[str, ...] = ()
    form: Form = Form()

    @property
    def media_type(self) -> str:
        """The Content-Type."""
        media_type = self.form.media_type
        return media_type if media_type == negotiation.JSON else f"{media_type};stream=watch"

    def line(self, event: WatchEvent) -> bytes:
        """Return an encoded event; watches with the same *shared* key encode each object once."""
        try:
            return self._framed(event.type, self._object(event))
        except ProtobufError as error:
            return self._framed("ERROR", self._encode(statuses.unwritable(str(error)).status, sorts_keys=False))

    def _object(self, event: WatchEvent) -> bytes:
        if event.entry is None:
            is_error = event.type == "ERROR"
            value = event.value if is_error else self.show(event.value)
            return self._encode(value, sorts_keys=self.form.sorts_keys and not is_error)
        forms, key = event.entry.forms, (self.shared, self.form.media_type)
        encoded: bytes | None = None if self.shared is None else forms.get(key)
        if encoded is None:
            encoded = self._encode(self.show(self.watch.type.read(event.entry)), sorts_keys=self.form.sorts_keys)
            if self.shared is not None:
                forms[key] = encoded
        return encoded

    def _encode(self, value: JSONValue, *, sorts_keys: bool) -> bytes:
        if self.form.media_type == negotiation.PROTOBUF:
            return protowriting.write(value)
        return printing.respell_json(compact(value, sorts_keys=sorts_keys)).encode("utf-8", "surrogatepass")

    def _framed(self, kind: str, encoded: bytes) -> bytes:
        if self.form.media_type == negotiation.PROTOBUF:
            return protowriting.event(kind, encoded)
        return b'{"type":"%s","object":%s}\n' % (kind.encode(), encoded)


Reply: TypeAlias = "HTTPAnswer | Stream"
