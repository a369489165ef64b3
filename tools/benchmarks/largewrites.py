"""Writes of a large object, many clients at once, and the longest wait of another client meanwhile."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, Self

from oracle.servers.ours import Client, Served

from pytest_crd.engine.jsonvalue import JSONValue

_GROUP: Final = "/apis/fuzz.example.com/v1"
# 335 KB as JSON.
_PORTS: Final = 3_000
_WRITES, _CLIENTS, _ROUNDS = 20, 50, 10


def measure(served: Served) -> Iterator[tuple[str, float]]:
    """Yield the title of each measurement and its wall-clock time in seconds: the median of the writes of one kind."""
    client, name = Client(served), f"l{time.time_ns():x}"
    client.request("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    path = f"{_GROUP}/namespaces/{name}/jobs"
    expect(client.request("POST", path, _large()), 201)
    waits: list[float] = []
    for title, make in (("updates", _update), ("merge patches", _patch), ("applies", _apply)):
        with _Probe(served) as probe:
            yield f"{title} of an object of 335 KB", statistics.median(_timed(make, client, path))
        waits.append(probe.longest)
    yield "the longest wait of another client meanwhile", max(waits)
    yield f"{_CLIENTS} clients at once", _crowd(served, path)


def expect(answer: tuple[int, Any], code: int) -> Any:
    """
    Return the body of an answer.

    Raises:
        RuntimeError: It has another code.
    """
    if answer[0] != code:
        raise RuntimeError(answer[1])
    return answer[1]


def _large() -> JSONValue:
    ports = [{"name": f"{'port-of-a-large-object-' * 3}{number:06d}", "port": number} for number in range(_PORTS)]
    return _job("large") | {"spec": {"schedule": "daily", "ports": ports}}


def _job(name: str) -> dict[str, JSONValue]:
    return {
        "apiVersion": "fuzz.example.com/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"schedule": "daily", "ports": [{"name": "p", "port": 80}]},
    }


class _Write(NamedTuple):
    """A request that writes the object."""

    method: str
    body: JSONValue
    patch: str = ""
    query: str = ""


def _update(live: JSONValue, number: int) -> _Write:
    live["spec"]["replicas"] = number
    return _Write("PUT", live)


def _patch(_live: JSONValue, number: int) -> _Write:
    return _Write("PATCH", {"spec": {"replicas": 100 + number}}, "merge-patch+json")


def _apply(_live: JSONValue, number: int) -> _Write:
    value = _large()
    value["spec"]["replicas"] = 200 + number
    return _Write("PATCH", value, "apply-patch+yaml", "?fieldManager=bench&force=true")


def _timed(make: Callable[[JSONValue, int], _Write], client: Client, path: str) -> Iterator[float]:
    """Yield the time of each write but the first, which compiles."""
    for number in range(_WRITES + 1):
        write = make(expect(client.request("GET", f"{path}/large"), 200), number)
        start = time.perf_counter()
        expect(client.request(write.method, f"{path}/large{write.query}", write.body, patch=write.patch), 200)
        if number:
            yield time.perf_counter() - start


class _Probe:
    """Another client, which asks for the version without a pause; `longest` is its longest wait in seconds."""

    def __init__(self, served: Served) -> None:
        self.longest = 0.0
        self._client = Client(served)
        self._client.request("GET", "/version")  # opens the connection
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._is_done.wait(0.002):
            start = time.perf_counter()
            self._client.request("GET", "/version")
            self.longest = max(self.longest, time.perf_counter() - start)


def _crowd(served: Served, path: str) -> float:
    """Return the time of clients that each create an object, and read and patch it in rounds."""

    def work(number: int) -> None:
        client, name = Client(served), f"c{number}"
        expect(client.request("POST", path, _job(name)), 201)
        for turn in range(_ROUNDS):
            expect(client.request("GET", f"{path}/{name}"), 200)
            patch = {"spec": {"replicas": turn + 2}}
            expect(client.request("PATCH", f"{path}/{name}", patch, patch="merge-patch+json"), 200)
        client.close()

    start = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as pool:
        list(pool.map(work, range(_CLIENTS)))
    return time.perf_counter() - start
