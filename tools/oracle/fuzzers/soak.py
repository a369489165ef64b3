"""
Have clients write to `pytest-crd serve` at random for minutes, while others watch.

Every write that was acknowledged is read back; every watch sees every change once and in order, also where it begins anew; what is
stored stays as much as it is, and so must the memory of the server.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random, SystemRandom
from typing import Any, Final

from oracle.generators import servergen
from oracle.servers import ours
from oracle.servers.ours import Client, Served

JSONValue = Any
_PATH: Final = "/apis/fuzz.example.com/v1/namespaces/default/jobs"
# So many objects has each client at the most.
_OBJECTS: Final = 40
# So long does each watch last before it begins anew where it ended, in seconds.
_WATCHES: Final = 15
# So long may an event take that is told last.
_SETTLES: Final = 3.0
# So much may the memory grow after the first third, for Python's own pools.
_GROWTH: Final = 1.15
_PATCHES: Final = {"merge": "merge-patch+json", "json": "json-patch+json", "apply": "apply-patch+yaml"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add how long, and who."""
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default: 10)")
    parser.add_argument("--clients", type=int, default=4, help="how many write (default: 4)")
    parser.add_argument("--watches", type=int, default=3, help="how many watch (default: 3)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))


def main(options: argparse.Namespace) -> int:
    """Run what the command line asks for; return 1 where something is lost, doubled or out of order, or memory grows."""
    print(f"seed {options.seed}", flush=True)
    with ours.serving(servergen.crds()[:1]) as served:
        soak = Soak(served, options.seed)
        resident = soak.run(options.minutes * 60, options.clients, options.watches)
        problems = [*soak.problems, *_grown(resident)]
    print(*problems, sep="\n", end="\n" if problems else "")
    what = ", ".join(f"{count:,} {name}" for name, count in sorted(soak.done.items()))
    print(f"{what}; memory {' '.join(f'{one / 1e6:.0f}' for one in resident)} MB")
    return int(bool(problems))


def _grown(resident: list[int]) -> Iterator[str]:
    early = resident[len(resident) // 3]
    if resident[-1] > early * _GROWTH:
        yield f"memory has grown from {early / 1e6:.0f} to {resident[-1] / 1e6:.0f} MB since the first third"


class Soak:
    """
    What clients and watches of one run find.

    Attributes:
        problems: What went wrong.
        done: How often what was done.
    """

    def __init__(self, served: Served, seed: int) -> None:
        """Take the server, and what is drawn from."""
        self._served, self._seed = served, seed
        self._end = threading.Event()
        self._lock = threading.Lock()
        self._acknowledged: set[str] = set()
        self._seen: list[list[tuple[str, bool]]] = []
        self.problems: list[str] = []
        self.done: Counter[str] = Counter()

    def run(self, seconds: float, clients: int, watches: int) -> list[int]:
        """Run so long; return the memory of the server, measured twenty times."""
        self._seen = [[] for _ in range(watches)]
        begun = Client(self._served).request("GET", _PATH)[1]["metadata"]["resourceVersion"]
        watching = [self._thread(lambda index=index: self._watch(index, begun)) for index in range(watches)]  # type: ignore[misc]
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
                self._tell(f"{type(error).__name__}: {error}")

        thread = threading.Thread(target=worked, daemon=True)
        thread.start()
        return thread

    def _tell(self, problem: str) -> None:
        self.problems.append(problem)
        self._end.set()

    def _compare(self) -> None:
        for index, seen in enumerate(self._seen):
            versions = [version for version, _ in seen]
            written = {version for version, is_gone in seen if not is_gone}
            deleted = len(seen) - len(written)
            twice = sorted(version for version, count in Counter(versions).items() if count > 1)
            missing, unknown = sorted(self._acknowledged - written), sorted(written - self._acknowledged)
            for what, those in (("saw twice", twice), ("did not see", missing), ("alone saw", unknown)):
                if those:
                    self.problems.append(f"watch {index} {what} {len(those)} changes, as {those[0]}")
            if versions != sorted(versions, key=int):
                self.problems.append(f"watch {index} saw changes out of order")
            if deleted != self.done["delete"]:
                self.problems.append(f"watch {index} saw {deleted} deletions of {self.done['delete']}")
            self.done["events"] += len(seen)

    def _watch(self, index: int, version: str) -> None:
        """Watch until nothing comes any longer after the end; what ends begins anew where it was."""
        seen, client = self._seen[index], Client(self._served)
        last = 0.0
        while last < _SETTLES:
            since = time.monotonic()
            ended = self._end.is_set()
            seconds = int(_SETTLES) if ended else _WATCHES
            query = f"watch=true&resourceVersion={version}&timeoutSeconds={seconds}&allowWatchBookmarks=true"
            response = client.send("GET", f"{_PATH}?{query}")
            while line := response.readline():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise RuntimeError(line.decode())
                version = event["object"]["metadata"]["resourceVersion"]
                if event["type"] != "BOOKMARK":
                    seen.append((version, event["type"] == "DELETED"))
            with self._lock:
                self.done["watches"] += 1
            last = time.monotonic() - since if ended else 0.0

    def _write(self, index: int) -> None:
        """Write until the end, and read each write back."""
        drawn, client = Random(f"{self._seed}/{index}"), Client(self._served)  # noqa: S311
        known: dict[str, JSONValue] = {}
        while not self._end.is_set():
            name = f"c{index}-{drawn.randrange(_OBJECTS)}"
            before = known.get(name)
            what = drawn.choice(("delete", "update", "merge", "json", "apply", "merge")) if before else "create"
            after = self._sent(client, what, name, before, drawn)
            code, now = client.request("GET", f"{_PATH}/{name}")
            if (code, now if code == 200 else None) != (200 if after else 404, after):
                self._tell(f"{name} is not what it was after its {what}: {now}, and not {after}")
                return
            known[name] = after
            with self._lock:
                self.done[what] += 1
        _, listed = client.request("GET", _PATH)
        mine = {
            one["metadata"]["name"]: one for one in listed["items"] if one["metadata"]["name"].startswith(f"c{index}-")
        }
        for name, one in known.items():
            found = (
                {**mine[name], "apiVersion": one["apiVersion"], "kind": one["kind"]} if one and name in mine else None
            )
            if found != one:
                self._tell(f"{name} is not listed as it was written")

    def _sent(self, client: Client, what: str, name: str, before: JSONValue, drawn: Random) -> JSONValue:
        """Return an object after a write; None where it is gone."""
        path, spec = (
            f"{_PATH}/{name}",
            {"schedule": drawn.choice(("daily", "hourly", "weekly")), "replicas": drawn.randrange(9)},
        )
        whole = {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}
        if what == "create":
            code, answer = client.request("POST", _PATH, whole)
        elif what == "delete":
            code, answer = client.request("DELETE", path)
        elif what == "update":
            code, answer = client.request("PUT", path, {**before, "spec": spec})
        else:
            body = (
                [{"op": "add", "path": "/spec/replicas", "value": spec["replicas"]}]
                if what == "json"
                else {"spec": spec}
            )
            query = "?fieldManager=soak&force=true" if what == "apply" else ""
            sent = whole if what == "apply" else body
            code, answer = client.request("PATCH", f"{path}{query}", sent, patch=_PATCHES[what])
        if code not in (200, 201):
            raise RuntimeError(f"{what} of {name}: {answer}")
        if what == "delete":
            return None
        version = answer["metadata"]["resourceVersion"]
        if before is None or version != before["metadata"]["resourceVersion"]:
            with self._lock:
                self._acknowledged.add(version)
        return answer
