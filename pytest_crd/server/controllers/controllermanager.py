"""
Informers and work queues of the controllers of one server.

Reference:
    client-go tools/cache/shared_informer.go, util/workqueue/queue.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from pytest_crd.server.store.store import Event, Store


class Controller(Protocol):
    """
    A control loop over the objects of a store.

    Attributes:
        resources: The resources whose changes it follows; empty for all.
    """

    @property
    def resources(self) -> frozenset[str]:
        """The resources whose changes it follows; empty for all."""

    def find_keys(self, event: Event) -> Iterable[str]:
        """Return the keys that a change concerns."""

    def reconcile(self, key: str) -> bool:
        """Write the changes that follow from the object under a key; return True to try again after the next request."""


class _Informer:
    """A controller with its work queue."""

    __slots__ = ("controller", "queue")

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.queue: dict[str, None] = {}


class ControllerManager:
    """The controllers of a server, in the order in which they work."""

    def __init__(self, store: Store, controllers: Sequence[Controller]) -> None:
        """Let controllers follow a store."""
        self._informers = tuple(map(_Informer, controllers))
        self._followers: dict[str, tuple[_Informer, ...]] = {}
        self._has_work = False
        store.subscribe(self._inform)

    def _inform(self, event: Event) -> None:
        """Add the keys that a change concerns to the queues of its followers."""
        resource = event.key.resource
        followers = self._followers.get(resource)
        if followers is None:
            followers = self._followers[resource] = tuple(
                informer for informer in self._informers if resource in (informer.controller.resources or (resource,))
            )
        for informer in followers:
            for key in informer.controller.find_keys(event):
                informer.queue[key] = None
                self._has_work = True

    def run(self) -> None:
        """Reconcile until all queues are empty; the first controller with a key goes first. Callers hold the lock of the store."""
        if not self._has_work:
            return
        retries: list[tuple[_Informer, str]] = []
        while informer := next((informer for informer in self._informers if informer.queue), None):
            key = next(iter(informer.queue))
            del informer.queue[key]
            if informer.controller.reconcile(key):
                retries.append((informer, key))
        self._has_work = bool(retries)
        for informer, key in retries:
            informer.queue[key] = None

    def clear(self) -> None:
        """Forget all keys, as the store has other objects."""
        for informer in self._informers:
            informer.queue.clear()
        self._has_work = False
