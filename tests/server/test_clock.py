"""The clock of a server: frozen, advanced and set back; times of objects, and expiry."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from support import servers

from pytest_crd.server import clock
from pytest_crd.server.api import Api
from pytest_crd.server.clock import Clock

TIME = "2026-01-01T00:00:00Z"
EVENTS = "/api/v1/namespaces/default/events"
EVENT = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "involvedObject": {"namespace": "default"}}


def _created(server: Api, name: str) -> Any:
    return servers.ask(server, "POST", servers.JOBS, servers.job(name)).value["metadata"]["creationTimestamp"]


def test_a_clock_runs_like_the_systems() -> None:
    created = Clock()
    assert abs(created.now() - datetime.now(UTC)) < timedelta(seconds=5)
    assert created.elapsed <= created.elapsed


def test_a_frozen_clock_stands_until_it_is_advanced_or_resumed() -> None:
    frozen = Clock()
    frozen.freeze(TIME)
    assert (frozen.now(), frozen.now()) == (datetime(2026, 1, 1, tzinfo=UTC),) * 2
    before = frozen.elapsed
    frozen.advance(timedelta(hours=1))
    assert (frozen.now(), round(frozen.elapsed - before)) == (datetime(2026, 1, 1, 1, tzinfo=UTC), 3600)
    frozen.resume()
    frozen.resume()
    assert timedelta(0) <= frozen.now() - datetime(2026, 1, 1, 1, tzinfo=UTC) < timedelta(seconds=5)
    assert before + 3600 <= frozen.elapsed < before + 3605


def test_freezing_without_a_time_keeps_the_current_one() -> None:
    frozen = Clock()
    frozen.freeze()
    assert frozen.now() == frozen.now()
    assert abs(frozen.now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_a_clock_returns_to_an_earlier_setting() -> None:
    moved = Clock()
    running, before = moved.setting, moved.elapsed
    moved.freeze(TIME)
    frozen = moved.setting
    moved.advance(60)
    moved.restore(frozen)
    assert moved.now() == datetime(2026, 1, 1, tzinfo=UTC)
    moved.restore(running)
    assert abs(moved.now() - datetime.now(UTC)) < timedelta(seconds=5)
    moved.restore(frozen)
    assert moved.now() == datetime(2026, 1, 1, tzinfo=UTC)
    assert before + 60 <= moved.elapsed < before + 65


def test_elapsed_seconds_never_decrease() -> None:
    moved = Clock()
    before = moved.elapsed
    moved.freeze(datetime.now(UTC) + timedelta(days=1))
    moved.freeze(TIME)
    assert before + 86399 < moved.elapsed < before + 86405
    moved.reset()
    assert abs(moved.now() - datetime.now(UTC)) < timedelta(seconds=5)
    assert before + 86399 < moved.elapsed


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: it.advance(-1), "a clock cannot be advanced by -1 seconds: freeze it at an earlier time"),
        (
            lambda it: it.freeze("2026-01-01T00:00:00"),
            "2026-01-01T00:00:00 has no UTC offset: write 2026-01-01T00:00:00Z",
        ),
        (lambda it: it.freeze("tomorrow"), "Invalid isoformat string"),
    ],
)
def test_an_impossible_time_is_an_error(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(Clock())


def test_outside_of_requests_the_time_is_the_systems() -> None:
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_the_times_of_objects_and_tables_are_those_of_the_clock() -> None:
    server = servers.api()
    server.store.clock.freeze(TIME)
    assert _created(server, "a") == TIME
    server.store.clock.advance(90)
    assert _created(server, "b") == "2026-01-01T00:01:30Z"
    headers = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = servers.ask(server, "GET", "/api/v1/namespaces/default/configmaps", headers=headers)
    assert table.value["rows"] == []
    servers.ask(server, "POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "c"}})
    server.store.clock.advance(600)
    table = servers.ask(server, "GET", "/api/v1/namespaces/default/configmaps", headers=headers)
    assert table.value["rows"][0]["cells"] == ["c", 0, "10m"]


def test_events_are_deleted_after_an_hour() -> None:
    server = servers.api()
    stream = servers.watch(server, f"{EVENTS}?watch=1&resourceVersion={server.store.revision}")
    servers.ask(server, "POST", EVENTS, EVENT)
    server.store.clock.advance(3599)
    assert [event.type for event in stream.watch.take()] == ["ADDED"]
    server.store.clock.advance(2)
    assert [event.type for event in stream.watch.take()] == ["DELETED"]
    assert servers.ask(server, "GET", f"{EVENTS}/e").code == 404


def test_pages_and_revisions_expire_after_five_minutes() -> None:
    server = servers.api()
    stream = servers.watch(server, f"{servers.JOBS}?watch=1")
    for name in "abc":
        _created(server, name)
    page = servers.ask(server, "GET", f"{servers.JOBS}?limit=1").value["metadata"]
    _created(server, "d")
    server.store.clock.advance(299)
    assert servers.ask(server, "GET", f"{servers.JOBS}?limit=1&continue={page['continue']}").code == 200
    server.store.clock.advance(2)
    expired = servers.ask(server, "GET", f"{servers.JOBS}?limit=1&continue={page['continue']}")
    assert (expired.code, expired.value["reason"]) == (410, "Expired")
    (event,) = servers.watch(server, f"{servers.JOBS}?watch=1&resourceVersion={page['resourceVersion']}").watch.take()
    assert (event.type, event.value["code"]) == ("ERROR", 410)
    assert [event.type for event in stream.watch.take()] == ["ADDED"] * 4


def test_a_reset_server_has_its_first_objects_and_expired_revisions() -> None:
    server = servers.api()
    stream = servers.watch(server, f"{servers.JOBS}?watch=1")
    _created(server, "a")
    revision = server.store.revision
    servers.ask(server, "DELETE", f"{servers.CRDS}/boards.fuzz.example.com")
    server.reset()
    assert servers.ask(server, "GET", servers.JOBS).value["items"] == []
    assert servers.ask(server, "GET", "/apis/fuzz.example.com/v1/boards").code == 200
    assert server.store.revision > revision
    assert [event.type for event in stream.watch.take()] == ["ERROR"]
