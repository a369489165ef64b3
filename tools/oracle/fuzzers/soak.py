"""
Random writes of several clients to `pytest-crd serve` for minutes, while others watch.

Each acknowledged write is read back. Each watch has to see every change once and in order, also after it restarts. The
number of objects is bounded, and so must be the memory of the server.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random, SystemRandom
from typing import Final

from oracle.generators import servergen
from oracle.servers import ours
from oracle.servers.ours import Client, Served
from pytest_crd.engine.jsonvalue import JSONValue

_PATH: Final = "/apis/fuzz.example.com/v1/namespaces/default/jobs"
# The maximum number of objects of each client.
_OBJECTS: Final = 40
# The seconds after which a watch ends and restarts where it ended.
_WATCH_SECONDS: Final = 15
# The seconds that the last event may take to arrive.
_SETTLE_SECONDS: Final = 3.0
# The allowed growth of memory after the first third, for Python's own pools.
_GROWTH: Final = 1.15
_PATCHES: Final = {"merge": "merge-patch+json", "json": "json-patch+json", "apply": "apply-patch+yaml"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the duration, the number of clients and watches, and the seed."""
    parser.add_argument("--minutes", type=float, default=10.0, help="duration (default: 10)")
    parser.add_argument("--clients", type=int, default=4, help="number of writers (default: 4)")
    parser.add_argument("--watches", type=int, default=3, help="number of watches (default: 3)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))


def main(options: argparse.Namespace) -> int:
    """Run the clients; return 1 if an event is lost, duplicated or out of order, or if memory grows."""
    print(f"seed {options.seed}", flush=True)
    with ours.serving(servergen.crds()[:1]) as served:
        soak = Soak(served, options.seed)
        resident = soak.run(options.minutes * 60, options.clients, options.watches)
        problems = [*soak.problems, *_grown(resident)]
    print(*problems, sep="\n", end="\n" if problems else "")
    counts = ", ".join(f"{count:,} {name}" for name, count in sorted(soak.done.items()))
    print(f"{counts}; memory {' '.join(f'{size / 1e6:.0f}' for size in resident)} MB")
    return int(bool(problems))


def _grown(resident: list[int]) -> Iterator[str]:
    early = resident[len(resident) // 3]
    if resident[-1] > early * _GROWTH:
        yield f"memory has grown from {early / 1e6:.0f} to {resident[-1] / 1e6:.0f} MB since the first third"


class Soak:
    """
    One run of clients and watches.

    Attributes:
        problems: The failures.
        done: The number of operations by name.
    """

    def __init__(self, served: Served, seed: int) -> None:
        """Take the server, and the seed of all random choices."""
        self._served, self._seed = served, seed
        self._end = threading.Event()
        self._lock = threading.Lock()
        self._acknowledged: set[str] = set()
        self._changes: list[list[tuple[str, bool]]] = []
        self.problems: list[str] = []
        self.done: Counter[str] = Counter()

    def run(self, seconds: float, clients: int, watches: int) -> list[int]:
        """Run for *seconds*; return the resident memory of the server, measured twenty times."""
        self._changes = [[] for _ in range(watches)]
        version = Client(self._served).request("GET", _PATH)[1]["metadata"]["resourceVersion"]
        watching = [self._thread(lambda index=index: self._watch(index, version)) for index in range(watches)]  # type: ignore[misc]
        writing = [self._thread(lambda index=index: self._write(index)) for index in range(clients)]  # type: ignore[misc]
        resident = []
        for _ in range(20):
            self._end.wait(seconds / 20)
            resident.append(self._served.resident)
        self._end.set()
        for thread in (*writing, *watching):
            thread.join()
        self._compare()
        return resident

    def _thread(self, work: Callable[[], None]) -> threading.Thread:
        def worked() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - whatever it is, the run has failed
                self._fail(f"{type(error).__name__}: {error}")

        thread = threading.Thread(target=worked, daemon=True)
        thread.start()
        return thread

    def _fail(self, problem: str) -> None:
        self.problems.append(problem)
        self._end.set()

    def _compare(self) -> None:
        for index, changes in enumerate(self._changes):
            versions = [version for version, _ in changes]
            written = {version for version, is_gone in changes if not is_gone}
            deleted = len(changes) - len(written)
            twice = sorted(version for version, count in Counter(versions).items() if count > 1)
            missing, unknown = sorted(self._acknowledged - written), sorted(written - self._acknowledged)
            for title, versions_ in (("saw twice", twice), ("did not see", missing), ("alone saw", unknown)):
                if versions_:
                    self.problems.append(f"watch {index} {title} {len(versions_)} changes, as {versions_[0]}")
            if versions != sorted(versions, key=int):
                self.problems.append(f"watch {index} saw changes out of order")
            if deleted != self.done["delete"]:
                self.problems.append(f"watch {index} saw {deleted} deletions of {self.done['delete']}")
            self.done["events"] += len(changes)

    def _watch(self, index: int, version: str) -> None:
        """Watch until no events arrive after the end; a watch that ends is restarted at its last version."""
        changes, client = self._changes[index], Client(self._served)
        last = 0.0
        while last < _SETTLE_SECONDS:
            since = time.monotonic()
            is_over = self._end.is_set()
            seconds = int(_SETTLE_SECONDS) if is_over else _WATCH_SECONDS
            query = f"watch=true&resourceVersion={version}&timeoutSeconds={seconds}&allowWatchBookmarks=true"
            response = client.send("GET", f"{_PATH}?{query}")
            while line := response.readline():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise RuntimeError(line.decode())
                version = event["object"]["metadata"]["resourceVersion"]
                if event["type"] != "BOOKMARK":
                    changes.append((version, event["type"] == "DELETED"))
            with self._lock:
                self.done["watches"] += 1
            last = time.monotonic() - since if is_over else 0.0

    def _write(self, index: int) -> None:
        """Write at random until the end, and read back each write."""
        random, client = Random(f"{self._seed}/{index}"), Client(self._served)  # noqa: S311
        objects: dict[str, JSONValue] = {}
        while not self._end.is_set():
            name = f"c{index}-{random.randrange(_OBJECTS)}"
            before = objects.get(name)
            verb = random.choice(("delete", "update", "merge", "json", "apply", "merge")) if before else "create"
            written = self._send(client, verb, name, before, random)
            code, current = client.request("GET", f"{_PATH}/{name}")
            if (code, current if code == 200 else None) != (200 if written else 404, written):
                self._fail(f"{name} differs from the answer to its {verb}: {current} instead of {written}")
                return
            objects[name] = written
            with self._lock:
                self.done[verb] += 1
        _, listed = client.request("GET", _PATH)
        own_items = {
            item["metadata"]["name"]: item
            for item in listed["items"]
            if item["metadata"]["name"].startswith(f"c{index}-")
        }
        for name, item in objects.items():
            listed_item = (
                {**own_items[name], "apiVersion": item["apiVersion"], "kind": item["kind"]}
                if item and name in own_items
                else None
            )
            if listed_item != item:
                self._fail(f"{name} is not listed as it was written")

    def _send(self, client: Client, verb: str, name: str, before: JSONValue, random: Random) -> JSONValue:
        """
        Write an object, and return it as the server answered, None after a delete.

        Raises:
            RuntimeError: The server rejects the write.
        """
        path, spec = (
            f"{_PATH}/{name}",
            {"schedule": random.choice(("daily", "hourly", "weekly")), "replicas": random.randrange(9)},
        )
        whole = {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}
        if verb == "create":
            code, answer = client.request("POST", _PATH, whole)
        elif verb == "delete":
            code, answer = client.request("DELETE", path)
        elif verb == "update":
            code, answer = client.request("PUT", path, {**before, "spec": spec})
        else:
            body = (
                [{"op": "add", "path": "/spec/replicas", "value": spec["replicas"]}]
                if verb == "json"
                else {"spec": spec}
            )
            query = "?fieldManager=soak&force=true" if verb == "apply" else ""
            sent = whole if verb == "apply" else body
            code, answer = client.request("PATCH", f"{path}{query}", sent, patch=_PATCHES[verb])
        if code not in (200, 201):
            raise RuntimeError(f"{verb} of {name}: {answer}")
        if verb == "delete":
            return None
        version = answer["metadata"]["resourceVersion"]
        if before is None or version != before["metadata"]["resourceVersion"]:
            with self._lock:
                self._acknowledged.add(version)
        return answer
