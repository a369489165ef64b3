"""The store and its history."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pytest_crd.server.store.store import CompactedError, ObjectKey, Store, StoredObject


def _key(name: str, namespace: str = "default", resource: str = "jobs.example.com") -> ObjectKey:
    return ObjectKey(resource, namespace, name)


def _put(store: Store, name: str, namespace: str = "default", **spec: object) -> StoredObject:
    return store.put(_key(name, namespace), {"metadata": {"name": name}, "spec": spec})


def _names(entries: Iterable[StoredObject]) -> list[str]:
    return [entry.key.path for entry in entries]


def test_objects_are_in_the_order_of_their_keys() -> None:
    store = Store()
    for name, namespace in (("b", "a-b"), ("a", "a"), ("a-b", "a"), ("c", "b")):
        _put(store, name, namespace)

    assert _names(store.entries("jobs.example.com")) == ["a-b/b", "a/a", "a/a-b", "b/c"]
    assert _names(store.entries("jobs.example.com", "a")) == ["a/a", "a/a-b"]
    assert not store.entries("others.example.com")
    listed = store.entries("jobs.example.com")
    assert (len(listed), listed[1].key.path, _names(listed[2:])) == (4, "a/a", ["a/a-b", "b/c"])


def test_each_change_is_a_revision() -> None:
    store = Store()
    first, second = _put(store, "a", n=1), _put(store, "a", n=2)
    last = store.delete(first.key)

    assert [first.revision, second.revision, last.revision] == [2, 3, 4]
    assert second.value["metadata"]["resourceVersion"] == "3"
    assert last.value == {"metadata": {"name": "a", "resourceVersion": "4"}, "spec": {"n": 2}}
    assert store.get(first.key) is None
    assert [(event.revision, event.new, event.last) for event in store.since(2)] == [(3, second, None), (4, None, last)]
    assert {event.key for event in store.since(1)} == {first.key}


def test_past_revisions_can_be_listed() -> None:
    store = Store()
    _put(store, "a", n=1)
    then = _put(store, "b").revision
    _put(store, "a", n=2)
    _put(store, "c")
    store.delete(_key("b"))
    store.put(_key("x", resource="others.example.com"), {"metadata": {"name": "x"}})

    before = store.entries("jobs.example.com", at=then)
    assert [(entry.key.name, entry.value["spec"]) for entry in before] == [("a", {"n": 1}), ("b", {})]
    assert _names(store.entries("jobs.example.com", at=store.revision)) == ["default/a", "default/c"]


def test_history_is_bounded() -> None:
    store = Store(history=2)
    for number in range(4):
        _put(store, "a", n=number)

    assert store.oldest == 3
    assert [event.revision for event in store.since(3)] == [4, 5]
    with pytest.raises(CompactedError, match="before revision 3"):
        store.since(2)
    with pytest.raises(CompactedError):
        store.entries("jobs.example.com", at=2)


def test_listeners_are_called_until_they_unsubscribe() -> None:
    store, heard = Store(), []
    end = store.listen(lambda: heard.append(store.revision))
    _put(store, "a")
    store.delete(_key("a"))
    end()
    _put(store, "a")

    assert heard == [2, 3]
    assert store.resources() == ["jobs.example.com"]


def test_a_fork_and_its_origin_do_not_change_each_other() -> None:
    origin = Store(indexers={"jobs.example.com": {"n": lambda entry: entry.value["spec"].get("n")}})
    for name in ("a", "b", "c"):
        _put(origin, name, n=1)
    fork, listed = origin.fork(), origin.entries("jobs.example.com")
    _put(origin, "a", n=2)
    fork.delete(_key("b"))
    _put(fork, "d", n=1)

    def find(store: Store, number: int) -> list[str]:
        return [entry.key.name for entry in store.find("jobs.example.com", "n", number)]

    assert _names(listed) == _names(origin.entries("jobs.example.com")) == ["default/a", "default/b", "default/c"]
    assert _names(fork.entries("jobs.example.com")) == ["default/a", "default/c", "default/d"]
    assert (find(origin, 1), find(origin, 2), find(fork, 1), find(fork, 2)) == (["b", "c"], ["a"], ["a", "c", "d"], [])
    assert listed[0].value["spec"] == {"n": 1}
    assert origin.find("others.example.com", "n", 1) == []
    with pytest.raises(CompactedError):
        fork.since(origin.fork().oldest - 2)


def test_a_restored_store_has_the_objects_of_a_fork_at_a_new_revision() -> None:
    store = Store()
    first = _put(store, "a")
    fork, woken = store.fork(), []
    store.listen(lambda: woken.append(store.revision))
    _put(store, "b")
    store.delete(first.key)
    before = store.revision

    for _ in range(2):
        store.restore(fork)
        assert _names(store.entries("jobs.example.com")) == ["default/a"]
        _put(store, "c")

    assert store.revision == woken[-1] == before + 4
    assert _names(fork.entries("jobs.example.com")) == ["default/a"]
    with pytest.raises(CompactedError):
        store.since(before)


def test_a_changed_object_keeps_the_revision_of_its_creation() -> None:
    store = Store()
    first = _put(store, "a")
    _put(store, "b")

    assert _put(store, "a").created == first.revision
    store.delete(first.key)
    assert _put(store, "a").created == store.revision
