"""
`pytest-crd serve` compared with kube-apiserver and etcd, one after the other, with the same clients.

Measured in wall-clock time are sequential creates, a list in pages of 500 and at once, and merge patches delivered to
50 watches; also the memory of stored objects, and the writes of `largewrites`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from oracle.generators import servergen
from oracle.options import UsageError
from oracle.servers import kubeapiserver, ours, programs
from oracle.servers.dialogue import Cluster
from oracle.servers.ours import Client, Served

from benchmarks import largewrites
from benchmarks.figures import Figure
from pytest_crd.engine import profile

_CREATES, _WATCHES, _PATCHES, _PAGE, _LISTS = 1_000, 50, 1_000, 500, 5
_GROUP: Final = "/apis/fuzz.example.com/v1"


def _job(number: int) -> Any:
    spec = {"schedule": "daily", "ports": [{"name": "p", "port": 80}]}
    metadata = {"name": f"j{number:06d}", "labels": {"n": str(number % 10)}}
    return {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def measure(served: Served, objects: int) -> Iterator[tuple[str, float]]:
    """Yield the title of each operation and its wall-clock time in seconds."""
    client, name = Client(served), f"b{time.time_ns():x}"
    client.request("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    path = f"{_GROUP}/namespaces/{name}/jobs"
    start = time.perf_counter()
    for number in range(_CREATES):
        largewrites.expect(client.request("POST", path, _job(number)), 201)
    yield f"{_CREATES:,} creates", time.perf_counter() - start
    for number in range(_CREATES, objects):
        largewrites.expect(client.request("POST", path, _job(number)), 201)
    yield f"{objects:,} objects in pages of {_PAGE}", _median(lambda: _list_pages(client, path))
    identity = {"Accept-Encoding": "identity"}
    yield f"{objects:,} objects at once", _median(lambda: client.send("GET", path, headers=identity).read())
    yield f"{_PATCHES:,} patches, each seen by {_WATCHES} watches", _watched(served, client, path)


def _median(operation: Callable[[], object]) -> float:
    """Return the median time of an operation in seconds; a single time may be that of a garbage collection, or of another process."""
    times: list[float] = []
    for _ in range(_LISTS):
        start = time.perf_counter()
        operation()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _list_pages(client: Client, path: str) -> None:
    page = largewrites.expect(client.request("GET", f"{path}?limit={_PAGE}"), 200)
    while token := page["metadata"].get("continue", ""):
        page = largewrites.expect(client.request("GET", f"{path}?limit={_PAGE}&continue={token}"), 200)


def _watched(served: Served, client: Client, path: str) -> float:
    version = largewrites.expect(client.request("GET", f"{path}?limit=1"), 200)["metadata"]["resourceVersion"]
    watches = [
        Client(served).send("GET", f"{path}?watch=1&resourceVersion={version}&timeoutSeconds=600")
        for _ in range(_WATCHES)
    ]
    threads = [threading.Thread(target=_read, args=(watch,)) for watch in watches]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for number in range(_PATCHES):
        patch = {"spec": {"replicas": 2 + number % 7}}
        largewrites.expect(client.request("PATCH", f"{path}/j{number:06d}", patch, patch="merge-patch+json"), 200)
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def _read(watch: http.client.HTTPResponse) -> None:
    for _ in range(_PATCHES):
        json.loads(watch.readline())


def _resident_of_children() -> int:
    """Return the resident memory of the child processes of this process, in bytes."""
    started = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    return sum(Served("", "", int(process)).resident for process in started)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the number of objects and the server."""
    parser.add_argument("objects", nargs="?", type=int, default=10_000, help="number of objects (default: 10,000)")
    parser.add_argument("--server", default="", metavar="URL", help="a running kube-apiserver; unset: one is started")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure both servers, one after the other."""
    version = profile.DEFAULT
    if not (options.server or shutil.which("go") or (programs.cache() / f"kube-apiserver-{version}").exists()):
        raise UsageError("kube-apiserver is not built yet, and there is no Go to build it")
    crds = servergen.crds()[:1]
    with ours.serving(crds) as served:
        before = served.resident
        our_times = dict(measure(served, options.objects))
        after = served.resident
        our_times |= largewrites.measure(served)
    with kubeapiserver.at(options.server, version) as url:
        Cluster(url, kubeapiserver.TOKEN).install(crds)
        their_before = None if options.server else _resident_of_children()
        their_times = dict(measure(Served(url, kubeapiserver.TOKEN), options.objects))
        their_after = None if options.server else _resident_of_children()
        their_times |= largewrites.measure(Served(url, kubeapiserver.TOKEN))
    print(
        f"memory: {before / 1e6:.0f} MB, {after / 1e6:.0f} MB with {options.objects:,} objects and {_WATCHES} watches"
    )
    if their_before is not None and their_after is not None:
        print(f"that of kube-apiserver and etcd: {their_before / 1e6:.0f} MB, {their_after / 1e6:.0f} MB")
        yield Figure(f"memory with {options.objects:,} objects", after / their_after, "kube-apiserver and etcd")
    for title, seconds in our_times.items():
        print(f"{title}: {seconds:.3f} s, {their_times[title]:.3f} s of kube-apiserver")
        yield Figure(title, seconds / their_times[title], "kube-apiserver")
