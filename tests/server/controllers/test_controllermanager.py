"""Controllers follow a store: a change puts its keys into their queues, which are empty after a run."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_crd.server.controllers.controllermanager import ControllerManager
from pytest_crd.server.store.store import Event, ObjectKey, Store


class _Noting:
    """A controller that notes the keys; it wants to retry the key `again` once."""

    def __init__(self, name: str, notes: list[str], *resources: str) -> None:
        self.resources = frozenset(resources)
        self._name, self._notes = name, notes

    def find_keys(self, event: Event) -> Iterable[str]:
        return (event.key.name,)

    def reconcile(self, key: str) -> bool:
        note = f"{self._name} {key}"
        self._notes.append(note)
        return key == "again" and self._notes.count(note) == 1


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def manager(store: Store, notes: list[str]) -> ControllerManager:
    return ControllerManager(store, [_Noting("first", notes, "jobs"), _Noting("second", notes)])


def _put(store: Store, name: str, resource: str = "jobs") -> None:
    store.put(ObjectKey(resource, "", name), {"metadata": {"name": name}})


def test_a_key_is_reconciled_once_by_each_follower(store: Store, notes: list[str], manager: ControllerManager) -> None:
    for name in ("a", "b", "a"):
        _put(store, name)
    _put(store, "c", "others")
    manager.run()
    manager.run()

    assert notes == ["first a", "first b", "second a", "second b", "second c"]


def test_a_key_that_cannot_be_reconciled_is_tried_after_the_next_request(
    store: Store, notes: list[str], manager: ControllerManager
) -> None:
    _put(store, "again")
    for _ in range(3):
        manager.run()

    assert notes == ["first again", "second again"] * 2


def test_a_manager_forgets_its_keys(store: Store, notes: list[str], manager: ControllerManager) -> None:
    _put(store, "a")
    manager.clear()
    manager.run()

    assert notes == []
