"""
Expiry by the clock of a server: of events, and of the versions of lists.

Reference:
    kube-apiserver --event-ttl (1 hour) and --etcd-compaction-interval (5 minutes), with their defaults.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.server.store.store import Store

_EVENT_SECONDS: Final = 3600.0
_HISTORY_SECONDS: Final = 300.0
_EVENTS: Final = "events"


def expire(store: Store) -> None:
    """Delete the events that were last written an hour ago, and forget the revisions replaced five minutes ago."""
    now = store.clock.elapsed
    with store.lock:
        for entry in store.entries(_EVENTS):
            if now - entry.written >= _EVENT_SECONDS:
                store.delete(entry.key)
    store.forget(now - _HISTORY_SECONDS)
